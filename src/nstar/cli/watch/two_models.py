"""``nstar watch``: monitor two models while they run, until there is a decision."""

from collections.abc import Sequence
from functools import partial
from typing import Unpack

import click

from nstar._api.reading_words import GrowingLogWords
from nstar._base.parameter_types import (
    Cost,
    Gap,
    ItemCount,
    MetricName,
    ModelName,
    OtherScores,
    Proportion,
    Scores,
    TaskName,
)
from nstar._base.verb import needs, together, verb
from nstar.cli.kit.front import front
from nstar.cli.kit.params import Command, Heading, group, option
from nstar.cli.watch.logs import PairedLogFeed, check_scores, model_sources, reader_options
from nstar.cli.watch.loop import Loop, LoopOutput, Outcome, WatchScale, follow, title_of


@verb(together("a", "b"), needs("equivalence", "margin"))
def watch(
    data: Scores,
    other: OtherScores = None,
    /,
    *,
    a: ModelName | None = None,
    b: ModelName | None = None,
    items: ItemCount | None = None,
    margin: Gap | None = None,
    equivalence: bool = False,
    scale: WatchScale | None = None,
    psi: Proportion | None = None,
    task: TaskName | None = None,
    metric: MetricName | None = None,
    asymptotic: bool = False,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    price: Cost | None = None,
    loop: Loop,
    **reading: Unpack[GrowingLogWords],
) -> Outcome:
    """Monitor two models while they run, and stop early.

    The result is valid at every look. It is updated after each item that both models have
    answered. The logs can still be growing. Use - to read standard input. Each line is then a JSON
    object with the keys item, a, and b, or with the keys model, item, and score.

    Parameters
    ----------
    data : Any
        Log, folder, or table of one model or of both models, written as [NAME=]PATH[::MODEL].
    other : Any, optional
        Log, folder, or table of the second model.
    a : str, optional
        Name of the first model, if the data contain several models.
    b : str, optional
        Name of the second model, if the data contain several models.
    items : int, optional
        Number of planned items, if the logs do not contain this number.
    margin : float, optional
        Largest acceptable loss, such as 0.01 (1 pp).
        Also stop once A is shown to be non-inferior at this margin.
    equivalence : bool, default False
        Stop once the models are shown to be equivalent within the margin.
    scale : {"binary", "graded"}, optional
        Type of scores: 0 or 1 (binary), or any number from 0 to 1 (graded).
    task : str, optional
        Task to use, if the data contain several tasks.
    metric : str, optional
        Metric to use instead of the first one in the log.

    Other Parameters
    ----------------
    psi : float, optional
        Share of items that exactly one model answers correctly, for 0/1 scores.
    asymptotic : bool, default False
        Allow graded scores without bounds, although the error rate is then only approximate.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    price : float, optional
        Cost of one additional item or vote.
    **reading
        How logs are read.
    """
    from nstar._api.inputs.gap_units import check_gap_on_scale
    from nstar._verbs.watch import WatchQuestion
    from nstar.cli.watch.session import WatchSession
    from nstar.errors import DataError

    sources = model_sources(data, other, a, b)
    if other is None:
        check_scores(data)
    if not asymptotic:
        check_gap_on_scale("margin", margin, (0.0, 1.0))
    question = partial(
        WatchQuestion,
        alpha=alpha,
        margin=margin,
        equivalence=equivalence,
        scale=scale or ("graded" if asymptotic else "binary"),
        psi=psi,
        asymptotic=asymptotic,
        power=power,
    )
    question(items=items or 1000)  # wrong parameters are refused before logs are read
    feed = PairedLogFeed(sources, reader_options("watch", reading), task, metric)
    session, status, error = follow(
        lambda screen: WatchSession(
            feed, question, loop, screen, n_items=items, margin=margin, price=price
        ),
        title_of("watch", data, other),
        once=loop.once and not feed.piped,
    )
    state = session.watch
    is_empty = state is None or not (state.n_items or state.n_items_unscored)
    if is_empty and not (status or error):
        raise DataError(feed.apart or feed.trouble)
    result = None if state is None or (is_empty and not status) else state.result
    return Outcome(result, status, error, tuple(feed.asides))


@group
class _Output(LoopOutput):
    state: str | None = option(
        "--state",
        under=Heading.LOOKS,
        type=click.Path(dir_okay=False),
        help="File that stores the state, so that an interrupted watch can resume.",
    )

    def loop(self) -> Loop:
        """Return the time between looks, and the name of the state file."""
        return super().loop()._replace(state=self.state)


class _WatchCommand(Command):
    """The command ``watch``, which recommends ``watch race`` for three logs."""

    def parse_args(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """Check the number of logs."""
        if not ctx.resilient_parsing:
            _, extra, _ = self.make_parser(ctx).parse_args(list(args))
            if extra:
                msg = "nstar watch takes two logs. For more models, use nstar watch race."
                raise click.UsageError(msg)
        return super().parse_args(ctx, list(args))


watch_command = front(
    watch,
    examples=(
        "nstar watch logs/candidate.eval logs/baseline.eval",
        "nstar watch results.jsonl --a wren --b heron --items 500 --margin 2pp",
        "my-eval | nstar watch - --items 500",
    ),
    output=_Output,
    cls=_WatchCommand,
)
