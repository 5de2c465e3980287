"""Pair the scores of two growing logs by model, task, metric, and item."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from nstar._api.inputs.model_source import ModelSource
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from nstar._api.reading_words import ReadingWords
    from nstar._data.table import Source
    from nstar._verbs.watch.ledger import ItemPair
    from nstar.readers import ReaderOptions
    from nstar.readers.follow import Follower, Row

STDIN = "-"
_BROKEN_OFF = ("error", "cancelled")
"""Status that a harness writes if a run stopped before its last item."""


def _items(n: int) -> str:
    return "1 item" if n == 1 else f"{n:,} items"


_SEVERAL_RUNS = (
    "nstar watch uses only the first run of an item, so its gap would differ from the gap between "
    "means over runs. When all runs are complete, use nstar compare. To stop an Inspect "
    "evaluation that has epochs, use nstar.integrations.inspect.EarlyStopping."
)


def refuse_further_run(item: str) -> None:
    """Raise DataError if an item is repeated in another run."""
    from nstar.errors import DataError

    msg = f"item {item[:80]!r} has several runs; {_SEVERAL_RUNS}"
    raise DataError(msg)


def reader_options(command: str, reading: Mapping[str, Any]) -> "ReaderOptions":
    """Return the options for readers. Raise QuestionError for a judge and its labels."""
    from nstar._api.inputs.reading import ReadSettings

    if not {"judge", "label", "rater"}.isdisjoint(reading.get("columns", ())):
        msg = (
            f"nstar {command} uses the scores as they are. To correct judge errors with "
            "labels, use nstar compare judged when the run is complete. To use only the judge's "
            f"scores, set {arg('columns', 'score=NAME')}."
        )
        raise QuestionError(msg)
    return ReadSettings.of(cast("ReadingWords", reading), command).options


def check_alone(paths: Iterable[str | None]) -> None:
    """Raise QuestionError for logs next to standard input, which must contain every model."""
    paths = [path for path in paths if path is not None]
    if STDIN in paths and len(paths) > 1:
        msg = "- reads all models from standard input. Remove the other logs."
        raise QuestionError(msg)


def model_sources(
    data: str, other: str | None, a: str | None, b: str | None
) -> tuple[ModelSource, ModelSource]:
    """Return the two models that are watched, from one log or two."""
    from nstar._api.inputs.model_source import one_side

    check_alone((data, other))
    choice = f"{arg('a')} and {arg('b')}"
    if other is not None and a is not None:
        msg = f"{choice} choose two models of one log. With two logs, use PATH::MODEL."
        raise QuestionError(msg)
    if data == STDIN or a is not None:
        return ModelSource(data=data, model=a), ModelSource(data=data, model=b)
    if other is not None:
        return one_side(data), one_side(other)
    source = one_side(data)
    if source.label is not None:
        msg = f"Only one log given ({data}); nstar watch needs two. Add B, or {choice}."
        raise QuestionError(msg)
    return source, source


def check_scores(path: str) -> None:
    """Raise QuestionError if the path contains votes between models."""
    if holds(path, "votes"):
        msg = f"{path} contains votes. Use nstar watch votes {path} --planned N."
        raise QuestionError(msg)


def holds(path: str, kind: str) -> bool:
    """Return whether a file exists and contains data of a kind: votes or scores."""
    from nstar.errors import ReadError
    from nstar.readers.arena import kind_of_table

    try:
        return path != STDIN and kind_of_table(path) == kind
    except ReadError:
        return False


def follow_stdin(options: "ReaderOptions") -> "Follower":
    """Follow standard input. Raise UsageError if it is closed."""
    import sys

    from nstar.readers.follow import follow_stream

    if sys.stdin is None:
        msg = "Standard input is closed. Pipe JSON Lines into nstar watch -, or pass a log."
        raise QuestionError(msg)
    return follow_stream(sys.stdin.buffer, options)


class LogFeed:
    """New scores in growing logs, of one task and metric."""

    def __init__(
        self,
        paths: Sequence[str],
        options: "ReaderOptions",
        task: str | None = None,
        metric: str | None = None,
    ) -> None:
        from nstar.readers.follow import follow

        self._options = options
        self._task = task
        self._task_named = task is not None
        self._metric = metric
        self.piped = tuple(paths) == (STDIN,)
        """Whether the scores come from standard input."""
        self.lower_is_better = False
        """Whether lower is better, if a log says so."""
        self._followers: list[Follower] = (
            [follow_stdin(options)] if self.piped else [follow(path, options) for path in paths]
        )

    def _concerns(self, source: "Source") -> bool:
        return source.task is None or self._task is None or source.task == self._task

    def _new_rows(self, k: int) -> "list[Row]":
        """Return the new rows of a log. Raise DataError if its items have several runs."""
        from nstar.errors import DataError

        rows = self._followers[k].poll()
        for source in filter(self._concerns, self._followers[k].sources):
            n_runs = source.declared_runs or 1
            if n_runs > 1:
                msg = f"{source.path}: every item has {n_runs:,} runs; {_SEVERAL_RUNS}"
                raise DataError(msg)
        return rows

    def _is_selected(self, row: "Row") -> bool:
        """Return whether the row has the selected task and metric, by default the first ones."""
        from nstar.errors import DataError

        self._task = row.task if self._task is None else self._task
        if row.task == self._task:
            self._metric = row.metric if self._metric is None else self._metric
            return row.metric == self._metric
        if self._task_named:
            return False
        tasks_text = f"{self._task!r}, {row.task!r}"
        msg = f"The logs contain several tasks ({tasks_text}). Set --task to one of them."
        raise DataError(msg)

    def _note_direction(self, row: "Row") -> None:
        """Use the direction of the log. Raise DataError if it contradicts a declared one."""
        from nstar.errors import DataError

        if self._options.lower_is_better and not row.lower_is_better:
            msg = (
                f"{row.metric}: the log says that higher scores are better, which contradicts "
                "--lower-is-better. Remove --lower-is-better, or choose another metric with "
                "--metric."
            )
            raise DataError(msg)
        self.lower_is_better |= row.lower_is_better

    @property
    def trouble(self) -> str:
        """Return the problems of the logs, for the screen."""
        return "; ".join(f.trouble for f in self._followers if f.trouble)

    @property
    def asides(self) -> "Iterator[str]":
        """Return sentences about scores that were not counted."""
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
            max((s.declared_items or 0 for s in f.sources if self._concerns(s)), default=0)
            for f in self._followers
        ]
        return min(filter(None, declared), default=None)


class PairedLogFeed(LogFeed):
    """New scores of two models. If one log has both, both sides have the same path."""

    def __init__(
        self,
        sides: tuple[ModelSource, ModelSource],
        options: "ReaderOptions",
        task: str | None = None,
        metric: str | None = None,
    ) -> None:
        from nstar._verbs.watch.ledger import PendingScores

        self.pairing = PendingScores()
        self._sides = sides
        self._models: list[str | None] = [None, None]
        self.progress: Callable[[str, int, int | None], None] | None = None
        """Callback with the progress of reading: path, bytes read, and bytes in all."""
        paths = list(dict.fromkeys(str(side.data) for side in sides))
        super().__init__(paths, replace(options, progress=self._report), task, metric)

    def _report(self, path: str, bytes_read: int, total: int | None) -> None:
        if self.progress is not None:
            self.progress(path, bytes_read, total)

    @property
    def first_path(self) -> str:
        """Return the path of the first log."""
        return str(self._sides[0].data)

    @property
    def shared(self) -> bool:
        """Return whether both models come from one log."""
        return len(self._followers) == 1

    @property
    def names(self) -> tuple[str, str] | None:
        """Return the models, once both have appeared."""
        first, second = self._models
        if first is None or second is None:
            return None
        a, b = (s.label or m for s, m in zip(self._sides, (first, second), strict=True))
        if a == b:
            a, b = f"{a} ({self._sides[0].data})", f"{b} ({self._sides[1].data})"
        return (a, b) if a != b else (f"{a} (first)", f"{b} (second)")

    @property
    def trouble(self) -> str:
        """Return a message about missing data, for the screen."""
        return super().trouble or "no scores of both models yet"

    @property
    def apart(self) -> str | None:
        """Return a message if both models have items but none in common."""
        halves = self.pairing.halves
        if self.names is None or not all(halves) or self.pairing.paired:
            return None
        first, second = (
            f"{len(half):,} of {name[:40]} ({', '.join(item[:30] for item in islice(half, 2))}…)"
            for half, name in zip(halves, self.names, strict=True)
        )
        return (
            f"the models share no item so far: {first}, {second}. Do both logs use the same item "
            "names? To choose the field of the names, set --column item=FIELD."
        )

    @property
    def asides(self) -> "Iterator[str]":
        """Return sentences about scores that were not counted."""
        for source in self.failed:
            yield (
                f"{source.path}: the run ended with status {source.status!r}, so it will not add "
                "items. Retry the evaluation and watch its new log."
            )
        other = self.pairing.contradicted
        if other:
            yield (
                f"{_items(other)} occurred again with a different score; the first score counts. "
                "Are these several runs, or two items with the same name?"
            )
        n_waiting = self.pairing.waiting[0]
        yield from super().asides
        if n_waiting and not self.shared:
            are, them = ("is", "it") if n_waiting == 1 else ("are", "them")
            yield (
                f"{_items(n_waiting)} of the first model {are} not counted, because the second "
                f"model lacks {them}"
            )

    @property
    def ended(self) -> bool:
        """Return whether the logs are complete."""
        return super().ended or bool(self.failed)

    @property
    def failed(self) -> "list[Source]":
        """Return logs of runs that stopped early, by their final status."""
        sources = (s for f in self._followers for s in f.sources)
        return [s for s in sources if s.status in _BROKEN_OFF and self._concerns(s)]

    def poll(self) -> "list[ItemPair]":
        """Return the items that both models now have, in the order of the first model's log."""
        from nstar._verbs.watch.ledger import PendingScore

        out: list[ItemPair] = []
        for k in reversed(range(len(self._followers))):
            for side, row in list(self._sorted_out(k, self._new_rows(k))):
                half = PendingScore(score=row.score, run=row.run, group=row.group, cost=row.cost)
                pair = self.pairing.add(side, row.item, half)
                if pair is not None:
                    out.append(pair)
                if self.pairing.repeated:
                    refuse_further_run(row.item)
        return out

    def _sorted_out(self, k: int, rows: "list[Row]") -> "Iterator[tuple[int, Row]]":
        """Yield rows of the selected task, metric, and models, each with its side."""
        for row in rows:
            if self._is_selected(row):
                side = self._side(row.model, (0, 1) if self.shared else (k,))
                if side is not None:
                    self._note_direction(row)
                    yield side, row

    def _side(self, model: str, sides: tuple[int, ...]) -> int | None:
        """Return the side of a model among those of its log. Models take sides as they appear."""
        from nstar.errors import DataError

        for k in sides:
            model_name, known = self._sides[k].model, self._models[k]
            is_match = model_name is not None and (
                model == model_name or model.endswith(f"/{model_name}")
            )
            if known == model or (known is None and (is_match or model_name is None)):
                self._models[k] = model
                return k
        if any(self._sides[k].model for k in sides):
            return None
        path = self._sides[sides[0]].data
        met = ", ".join(m for k in sides if (m := self._models[k]) is not None)
        fix = (
            f"Choose two with {arg('a')} and {arg('b')}, or use nstar watch race"
            if self.shared
            else f"Choose one with {path}::MODEL"
        )
        msg = f"{path} contains more than {len(sides)} models ({met}, {model}). {fix}."
        raise DataError(msg)
