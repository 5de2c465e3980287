"""Race of several models with growing logs, until one model or no item is left."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.output import printable
from nstar.cli.watch.logs import (
    STDIN,
    follow_stdin,
    refuse_contradiction,
    refuse_further_run,
    refuse_runs,
)
from nstar.cli.watch.loop import Loop
from nstar.cli.watch.session import DRAW, no_items
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from nstar._api.inputs.model_source import ModelSource
    from nstar._verbs.race import Race, RaceQuestion, RaceResult
    from nstar.readers import ReaderOptions
    from nstar.readers.follow import Follower, Row
    from nstar.report.formats.live import LiveScreen

_TWO = 2


class RaceFeed:
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

        self._options = options
        self.piped = tuple(paths) == (STDIN,)
        self._sides: list[ModelSource] = (
            [ModelSource(data=STDIN)] if self.piped else [one_side(path) for path in paths]
        )
        self._paths = list(dict.fromkeys(str(side.data) for side in self._sides))
        self.n_models = n_models
        """Number of models in the race. If None, the first look determines it."""
        self._task, self._metric = task, metric
        self._task_named = task is not None
        self.met: dict[tuple[str, str], str] = {}
        """Names of the models so far, by path and by the name in the log."""
        self.lower_is_better = False
        """Whether lower is better, if a log says so."""
        self._runs: dict[tuple[str, str, str], str | None] = {}
        """First run of each item, by path, model, and item."""
        self._followers = [self._open(path) for path in self._paths]

    def _open(self, path: str) -> "Follower":
        from nstar.readers.follow import follow

        return follow_stdin(self._options) if self.piped else follow(path, self._options)

    def poll(self) -> "list[tuple[tuple[str, str], Row]]":
        """Return selected rows, each with its model."""
        out = []
        for path, follower in zip(self._paths, self._followers, strict=True):
            rows = follower.poll()
            refuse_runs(s for s in follower.sources if s.task in (None, self._task or s.task))
            for row in rows:
                side = self._side(path, row.model)
                if side is None or not self._is_selected(row):
                    continue
                key = (path, row.model)
                if key not in self.met:
                    self._name(key, side)
                if self._runs.setdefault((*key, row.item), row.run) != row.run:
                    refuse_further_run(row.item)
                refuse_contradiction(row, self._options)
                self.lower_is_better |= row.lower_is_better
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

    def _is_selected(self, row: "Row") -> bool:
        """Return whether the row has the selected task and metric, by default the first ones."""
        from nstar.errors import DataError

        self._task = row.task if self._task is None else self._task
        if row.task != self._task:
            if self._task_named:
                return False
            tasks_text = f"{self._task!r}, {row.task!r}"
            msg = f"The logs contain several tasks ({tasks_text}). Set --task to one of them."
            raise DataError(msg)
        self._metric = row.metric if self._metric is None else self._metric
        return row.metric == self._metric

    @property
    def here(self) -> bool:
        """Return whether every log has a model, and all declared models have appeared."""
        if self.n_models is not None:
            return len(self.met) >= self.n_models
        return len(self.met) >= _TWO and {path for path, _ in self.met} == set(self._paths)

    @property
    def trouble(self) -> str:
        """Return a message about missing data, for the screen."""
        troubles = [f.trouble for f in self._followers if f.trouble]
        if troubles:
            return "; ".join(troubles)
        of = "" if self.n_models is None else f" of {self.n_models:,}"
        return f"{len(self.met):,}{of} models so far, and no item that all of them have answered"

    @property
    def asides(self) -> "Iterator[str]":
        """Return sentences about data that were not read."""
        for follower in self._followers:
            if follower.left:
                yield follower.left

    @property
    def ended(self) -> bool:
        """Return whether the logs are complete."""
        return all(f.ended for f in self._followers)

    @property
    def horizon(self) -> int | None:
        """Return the number of items that harnesses declare for all runs, or None."""
        declared = [
            max((s.declared_items or 0 for s in f.sources), default=0) for f in self._followers
        ]
        return min(filter(None, declared), default=None)


class RaceSession:
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
        self.race: Race | None = None
        self._feed, self._ask, self._loop, self._screen = feed, make_question, loop, screen
        self._n_items, self._price = n_items, price
        self._rows: list[tuple[tuple[str, str], Row]] = []
        """All scores so far, kept while further models may join."""
        self._drawn, self._told = 0.0, False

    @property
    def pause(self) -> float:
        """Return the seconds until the next look."""
        return self._loop.every

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
                self._wait()
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
            if self._screen.live and time.monotonic() - self._drawn > DRAW:
                self._show()

    def _show(self) -> None:
        self._drawn = time.monotonic()
        if self.race is not None and self.race.n_items:
            self._screen.show_race(self.race.result)
        else:
            self._wait()

    def _wait(self) -> None:
        """Report missing data on the screen, or once as a line if there is no screen."""
        self._screen.wait(self._feed.trouble)
        if not (self._screen.live or self._feed.ended or self._loop.once or self._told):
            self._told = True
            click.echo(f"nstar: waiting: {printable(self._feed.trouble)}", err=True)

    def asides(self) -> "Iterator[str]":
        """Return sentences about scores that were not counted."""
        n_repeated = 0 if self.race is None else self.race.n_answers_repeated
        if n_repeated:
            yield f"{n_repeated:,} repeated answers excluded; the first one counts"
        yield from self._feed.asides

    def close(self) -> None:
        """Do nothing, because the logs contain every score."""
