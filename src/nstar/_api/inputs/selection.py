"""Select tasks, metrics, and models from the logs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase

import numpy as np
import pyarrow as pa

from nstar._data import arrow
from nstar._data.findings import COMPARED, abbreviate, list_tasks
from nstar._data.matrix import ScoreMatrix
from nstar._data.measures import MEASURES
from nstar._data.table import Source
from nstar.errors import DataError, arg
from nstar.readers._tables._columns import JUDGED, NO_MODEL


def some_models(models: Sequence[str]) -> str:
    """Return the number of models and the first few names, for a message."""
    return f"{len(models):,} model{'s' if len(models) != 1 else ''}: {abbreviate(models, 10)}"


def unnamed_model(sources: Iterable[Source]) -> str | None:
    """Return a message that no column names the models, and the columns that may."""
    for source in sources:
        if NO_MODEL in source.notes:
            unused = [n for n in source.notes if n.startswith("ignored columns: ")]
            hint = f" ({unused[0]})" if unused else ""
            return (
                f"{source.path} has no column recognized as the model{hint}. Set "
                f"{arg('columns', 'model=NAME')}"
            )
    return None


def _hint(name: str, models: Sequence[str]) -> str:
    lower = {m.lower(): m for m in models}
    suggestions = get_close_matches(name.lower(), lower, n=3, cutoff=0.6)
    return (
        f"Did you mean {', '.join(lower[n] for n in suggestions)}?"
        if suggestions
        else f"Available: {abbreviate(models, 10)}."
    )


def find_model(name: str, models: Sequence[str], where: str) -> str:
    """Find a model by its name, or by the part of its name after a slash."""
    if name in models:
        return name
    ends = [m for m in models if m.endswith(f"/{name}")]
    if len(ends) == 1:
        return ends[0]
    msg = f"{where}: no model {name!r}. {_hint(name, models)}"
    raise DataError(msg)


def _matches(model: str, pattern: str) -> bool:
    """Return whether a pattern matches the name, its part after a slash, or as in ``*-chat``."""
    last = model.rpartition("/")[2]
    return pattern in (model, last) or fnmatchcase(model, pattern) or fnmatchcase(last, pattern)


@dataclass(slots=True)
class ModelFilter:
    """Filter of models by name or pattern, which remembers the models it has met."""

    wanted: tuple[str, ...] = ()
    """Patterns to keep; empty for all."""
    unwanted: tuple[str, ...] = ()
    """Patterns to exclude."""
    seen: dict[str, bool] = field(default_factory=dict)
    """Every model met so far, and whether it is kept."""
    needs_match: bool = True
    """Whether a pattern without a match is an error."""

    def keeps(self, model: str) -> bool:
        """Return whether a model is kept."""
        if model not in self.seen:
            chosen = not self.wanted or any(_matches(model, p) for p in self.wanted)
            self.seen[model] = chosen and not any(_matches(model, p) for p in self.unwanted)
        return self.seen[model]

    def rows(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows of the models that are kept."""
        column = batch.column("model")
        names = column.dictionary.to_pylist()
        keep = np.array([m is None or self.keeps(m) for m in names], np.bool_)
        if keep.all():
            return batch
        return arrow.some_rows(batch, keep[arrow.codes(column)])

    def check(self, sources: Iterable[Source] = ()) -> None:
        """Raise an error for a pattern without a match, or if nothing is left to rank."""
        for pattern in (*self.wanted, *self.unwanted):
            if self.needs_match and not any(_matches(m, pattern) for m in self.seen):
                msg = f"No model matches {pattern!r}. {_hint(pattern, tuple(self.seen))}"
                raise DataError(msg)
        remaining = [m for m, keep in self.seen.items() if keep]
        if len(remaining) < 2:
            raise DataError(self._too_few(remaining, sources))

    def _too_few(self, remaining: list[str], sources: Iterable[Source]) -> str:
        need = "At least two models are needed"
        if self.wanted or self.unwanted:
            left = f"only {remaining[0]!r} remains" if remaining else "none remains"
            return (
                f"{need}; of {len(self.seen):,}, {left} after {arg('models')} and "
                f"{arg('exclude')}."
            )
        fix = unnamed_model(sources)
        if fix is not None:
            return f"{need}, but all rows count as {remaining[0]!r}. {fix}."
        return f"{need}; these logs contain only {remaining[0]!r}. Add the logs of other models."


def choose_metrics(
    matrices: list[ScoreMatrix], tasks: tuple[str, ...], metric: str | None
) -> list[ScoreMatrix]:
    """Return one matrix for each task: the selected metric, or else the first.

    A metric is selected by its full name, by the part before a comma, or as a measure such as
    ``latency``.
    """
    unknown = [t for t in tasks if t not in {m.task for m in matrices}]
    if unknown:
        available = list_tasks(m.task for m in matrices)
        msg = f"No task {unknown[0]!r}. Available: {available}."
        raise DataError(msg)
    candidates = [m for m in matrices if not tasks or m.task in tasks]
    matching = [m for m in candidates if metric is None or m.metric == metric]
    matching = matching or [m for m in candidates if m.metric.startswith(f"{metric},")]
    matching = matching or [m for m in candidates if m.metric == MEASURES.get(metric or "")]
    if not matching:
        available = "; ".join(dict.fromkeys(m.metric for m in candidates))
        msg = f"No metric {metric!r}. Available: {available}."
        raise DataError(msg)
    first: dict[str, ScoreMatrix] = {}
    for matrix in matching:
        first.setdefault(matrix.task, matrix)
    return list(first.values())


def choose_judged(
    matrices: list[ScoreMatrix], tasks: tuple[str, ...], judged: tuple[str, str]
) -> list[ScoreMatrix]:
    """Return the matrix of the judge and that of the labels, for one task.

    Table columns that are declared as ``judge`` and ``label`` have these names. In logs they are
    metrics with the given names.
    """
    by_part = []
    for part, metric in zip(JUDGED, judged, strict=True):
        has_part = any(m.metric == part for m in matrices)
        by_part.append(choose_metrics(matrices, tasks, part if has_part else metric))
    task_names = list(dict.fromkeys(m.task for part_matrices in by_part for m in part_matrices))
    if len(task_names) > 1:
        msg = (
            "A judge is compared with its labels on one task. Found "
            f"{abbreviate(list(map(repr, task_names)), 5)}. Set {arg('tasks')} to one of them."
        )
        raise DataError(msg)
    return [part_matrices[0] for part_matrices in by_part]


def other_metrics(
    matrices: Iterable[ScoreMatrix], chosen: Iterable[ScoreMatrix], metric: str | None
) -> list[str]:
    """Return findings about the other metrics, so that no metric is chosen silently.

    A metric that the user named in full was not chosen automatically.
    """
    candidates = list(matrices)
    tasks_by_text: dict[str, list[str]] = {}
    for matrix in chosen:
        others = [m.metric for m in candidates if m.task == matrix.task and m is not matrix]
        if others and matrix.metric != metric:
            text = f"{matrix.metric}{COMPARED}{arg('metric')} chooses {abbreviate(others, 4)}"
            tasks_by_text.setdefault(text, []).append(matrix.task)
    return [f"{abbreviate(tasks, 3)}: {text}" for text, tasks in tasks_by_text.items()]
