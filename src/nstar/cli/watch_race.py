"""``nstar watch race``: monitor several models while they run, until one is left."""

from functools import partial
from typing import Unpack

from nstar._api.reading_words import GrowingLogWords
from nstar._base.parameter_types import (
    Cost,
    Gap,
    ItemCount,
    Logs,
    MetricName,
    Proportion,
    RaceSize,
    TaskName,
)
from nstar._base.verb import verb
from nstar.cli.kit.front import front
from nstar.cli.watch import WatchScale, title_of
from nstar.cli.watch.logs import check_alone, check_scores, reader_options
from nstar.cli.watch.loop import Loop, LoopOutput, Outcome, follow


@verb()
def watch_race(
    data: Logs,
    /,
    *,
    items: ItemCount | None = None,
    models: RaceSize | None = None,
    margin: Gap | None = None,
    scale: WatchScale | None = None,
    task: TaskName | None = None,
    metric: MetricName | None = None,
    alpha: Proportion = 0.05,
    price: Cost | None = None,
    loop: Loop,
    **reading: Unpack[GrowingLogWords],
) -> Outcome:
    """Monitor several models, and drop each model that another one is shown to beat.

    You can stop running a model once it is dropped. The best model is dropped with a probability
    of at most ``alpha``, however often you look. The logs can still be growing. Use - to read
    standard input. Each line is then a JSON object with the keys model, item, and score.

    Parameters
    ----------
    data : Any
        Table of all models, or one log for each model, written as [NAME=]PATH[::MODEL].
    items : int, optional
        Number of planned items, if the logs do not contain this number.
    models : int, optional
        Number of models, if the logs do not contain all of them yet.
    margin : float, optional
        Largest gap that does not matter, such as 0.02 (2 pp).
        Also stop once all remaining models are shown to be within this margin of each other.
    scale : {"binary", "graded"}, optional
        Type of scores: 0 or 1 (binary), or any number from 0 to 1 (graded).
    task : str, optional
        Task to use, if the data contain several tasks.
    metric : str, optional
        Metric to use instead of the first one in the log.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
    price : float, optional
        Cost of one additional item or vote.
    **reading
        How logs are read.
    """
    from nstar._api.inputs.gap_units import check_gap_on_scale
    from nstar._verbs.race import RaceQuestion
    from nstar.cli.watch.racing import RaceFeed, RaceSession
    from nstar.errors import DataError

    check_alone(data)
    if len(data) == 1:
        check_scores(data[0])
    check_gap_on_scale("margin", margin, (0.0, 1.0))
    question = partial(RaceQuestion, alpha=alpha, margin=margin, scale=scale or "binary")
    question(models=("first", "second"), items=items or 1000)
    options = reader_options("watch race", reading)
    feed = RaceFeed(data, options, n_models=models, task=task, metric=metric)
    session, status, error = follow(
        lambda screen: RaceSession(feed, question, loop, screen, n_items=items, price=price),
        title_of("watch race", *data),
        once=loop.once and not feed.piped,
    )
    result = session.result
    if result is None and not (status or error):
        raise DataError(feed.trouble)
    return Outcome(result, status, error, tuple(session.asides()))


watch_race_command = front(
    watch_race,
    examples=(
        "nstar watch race results.jsonl --items 500",
        "nstar watch race a.eval b.eval c.eval --margin 2pp",
        "my-eval | nstar watch race - --models 6 --items 500",
    ),
    output=LoopOutput,
)
