"""``nstar watch race``: monitor several models while they run, until one is left."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Unpack

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
from nstar.cli.watch.logs import (
    STDIN,
    LogFeed,
    check_alone,
    check_scores,
    reader_options,
    refuse_further_run,
)
from nstar.cli.watch.loop import Loop, LoopOutput, Outcome, Session, WatchScale, follow, title_of
from nstar.cli.watch.session import no_items
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from nstar._api.inputs.model_source import ModelSource
    from nstar._verbs.race import Race, RaceQuestion, RaceResult
    from nstar.readers import ReaderOptions
    from nstar.readers.follow import Row
    from nstar.report.formats.live import LiveScreen

_TWO = 2


class RaceFeed(LogFeed):
    """New scores of all models. Each path contains one or several models."""

    def __init__(
        self,
        paths: Sequence[str],
        options: "ReaderOptions",
        *,
        n_models: int | None = None,
        task: str | None = None,
        metric: str | None = None,
    ) -> None:
        from nstar._api.inputs.model_source import ModelSource, one_side

        sides = [ModelSource(data=STDIN)] if tuple(paths) == (STDIN,) else map(one_side, paths)
        self._sides: list[ModelSource] = list(sides)
        self._paths = list(dict.fromkeys(str(side.data) for side in self._sides))
        super().__init__(self._paths, options, task, metric)
        self.n_models = n_models
        """Number of models in the race. If None, the first look determines it."""
        self.met: dict[tuple[str, str], str] = {}
        """Names of the models so far, by path and by the name in the log."""
        self._runs: dict[tuple[str, str, str], str | None] = {}
        """First run of each item, by path, model, and item."""

    def poll(self) -> "list[tuple[tuple[str, str], Row]]":
        """Return selected rows, each with its model."""
        out = []
        for k, path in enumerate(self._paths):
            for row in self._new_rows(k):
                side = self._side(path, row.model)
                if side is None or not self._is_selected(row):
                    continue
                key = (path, row.model)
                if key not in self.met:
                    self._name(key, side)
                if self._runs.setdefault((*key, row.item), row.run) != row.run:
                    refuse_further_run(row.item)
                self._note_direction(row)
                out.append((key, row))
        return out

    def _side(self, path: str, model: str) -> "ModelSource | None":
        """Return the source that a model belongs to, or None if it was not selected."""
        for side in self._sides:
            if str(side.data) == path:
                model_name = side.model
                if model_name is None or model == model_name or model.endswith(f"/{model_name}"):
                    return side
        return None

    def _name(self, key: tuple[str, str], side: "ModelSource") -> None:
        """Name a new model by its label or its own name. Add its path if the name is taken."""
        path, model = key
        label = side.label or model
        if label in self.met.values():
            label = f"{label} ({path})" if side.label is None else f"{label}, {model}"
        if label in self.met.values():
            label = f"{label} ({len(self.met) + 1})"
        self.met[key] = label

    @property
    def here(self) -> bool:
        """Return whether every log has a model, and all declared models have appeared."""
        if self.n_models is not None:
            return len(self.met) >= self.n_models
        return len(self.met) >= _TWO and {path for path, _ in self.met} == set(self._paths)

    @property
    def trouble(self) -> str:
        """Return a message about missing data, for the screen."""
        of = "" if self.n_models is None else f" of {self.n_models:,}"
        missing = (
            f"{len(self.met):,}{of} models so far, and no item that all of them have answered"
        )
        return super().trouble or missing


class RaceSession(Session):
    """Session that reads the logs in turn, and updates the race."""

    def __init__(
        self,
        feed: RaceFeed,
        make_question: "Callable[..., RaceQuestion]",
        loop: Loop,
        screen: "LiveScreen",
        *,
        n_items: int | None,
        price: float | None,
    ) -> None:
        super().__init__(loop, screen)
        self.race: Race | None = None
        self._feed, self._ask = feed, make_question
        self._n_items, self._price = n_items, price
        self._rows: list[tuple[tuple[str, str], Row]] = []
        """All scores so far, kept while further models may join."""

    @property
    def result(self) -> "RaceResult | None":
        """Return the current result, or None."""
        return None if self.race is None or not self.race.n_items else self.race.result

    def look(self) -> bool:
        """Process new data, and return whether to continue."""
        rows = self._feed.poll()
        if self.race is None or len(self._feed.met) > len(self.race.question.models):
            self._rows += rows
            if not self._feed.here or not self._begin():
                self._wait(self._feed.trouble, ended=self._feed.ended)
                return not self._feed.ended
            rows = self._rows
        elif not self.race.result.eliminated_models:
            self._rows += rows
        self._count(rows)
        self._show()
        open_ = self.race is None or self.race.verdict == "open"
        return open_ and not self._feed.ended

    def _begin(self) -> bool:
        """Start the race of all models so far, and restart it if another model joins in time."""
        from nstar._verbs.race import Race
        from nstar.errors import DataError

        names = tuple(self._feed.met.values())
        n_models, race = self._feed.n_models, self.race
        if n_models is not None and len(names) > n_models:
            msg = (
                f"The logs contain {len(names):,} models, more than planned (the last one is "
                f"{names[-1]}). Set {arg('models', len(names))} or more."
            )
            raise DataError(msg)
        if race is not None and len(race.running) < len(race.question.models):
            msg = (
                f"{names[-1]} joined after a model was eliminated, but all models must share the "
                f"error rate. Start again with {arg('models', len(names))} or more."
            )
            raise DataError(msg)
        n_items = self._n_items or self._feed.horizon
        if n_items is None:
            raise QuestionError(no_items())
        lower = self._feed.lower_is_better
        self.race = Race.asking(self._ask(models=names, items=n_items, lower_is_better=lower))
        return True

    def _count(self, rows: "list[tuple[tuple[str, str], Row]]") -> None:
        race, price = self.race, self._price
        if race is None:
            return
        for key, row in rows:
            cost = row.cost if price is None else price
            name = self._feed.met[key]
            race.add(name, row.item, row.score, group=row.group, cost=cost)
            if self._screen.live and self._is_drawing_due:
                self._show()

    def _show(self) -> None:
        self._drawn = time.monotonic()
        if self.race is not None and self.race.n_items:
            self._screen.show_race(self.race.result)
        else:
            self._wait(self._feed.trouble, ended=self._feed.ended)

    def asides(self) -> "Iterator[str]":
        """Return sentences about scores that were not counted."""
        n_repeated = 0 if self.race is None else self.race.n_answers_repeated
        if n_repeated:
            yield f"{n_repeated:,} repeated answers excluded; the first one counts"
        yield from self._feed.asides


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
