"""Weights of items or tasks, for benchmarks that do not weight items equally."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar.errors import DataError, arg


class WeightRow(NamedTuple):
    """One weight, with its location in the source."""

    where: str
    """Location, such as ``weights.csv, line 3``."""
    task: str | None
    """Task. None if the item alone identifies it."""
    item: str | None
    """Item. None for the weight of a whole task."""
    weight: Any
    """Weight as it was read."""
    stratum: str | None = None
    """Stratum that the item was sampled from. None without strata."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of items, or of tasks in an average."""

    source: str
    """Name of the source, for messages."""
    items: Mapping[tuple[str | None, str], float] = field(repr=False, default_factory=dict)
    """Weights by task and item id. The task None stands for any task with the item."""
    tasks: Mapping[str, float] = field(default_factory=dict)
    """Weights of tasks in an average."""
    strata: Mapping[tuple[str | None, str], str] = field(repr=False, default_factory=dict)
    """Strata that items were sampled from. Empty unless every item has one."""

    @classmethod
    def of_rows(cls, source: str, rows: Iterable[WeightRow]) -> "Weights":
        """Build weights from rows. Every weight must be finite, at least 0, and unique."""
        items: dict[tuple[str | None, str], float] = {}
        tasks: dict[str, float] = {}
        strata: dict[tuple[str | None, str], str] = {}
        for row in rows:
            number = _number(row)
            if row.item is not None:
                _once(row, (row.task, row.item), items)
                items[row.task, row.item] = number
                if row.stratum is not None:
                    strata[row.task, row.item] = row.stratum
            else:
                task = str(row.task)
                _once(row, task, tasks)
                tasks[task] = number
        if items and tasks:
            msg = f"{source}: some rows weight items and others whole tasks. Use one kind of row."
            raise DataError(msg)
        if not items and not tasks:
            msg = f"{source}: no weights found. Add rows with an item and a weight."
            raise DataError(msg)
        if not any((items or tasks).values()):
            msg = f"{source}: every weight is 0. At least one must be positive."
            raise DataError(msg)
        is_complete = len(strata) == len(items)
        return cls(source=source, items=items, tasks=tasks, strata=strata if is_complete else {})

    def on(self, matrix: ScoreMatrix) -> Array:
        """Return the weight of each item of a task. Raise DataError if one is missing."""
        task = matrix.task or None
        known = self.items
        weights = [known.get((task, item), known.get((None, item))) for item in matrix.items]
        lacking = [str(x) for x, w in zip(matrix.items, weights, strict=True) if w is None]
        if lacking:
            where = f" of {matrix.task}" if matrix.task else ""
            msg = (
                f"{self.source} has no weight for {len(lacking):,} of {len(weights):,} "
                f"items{where} (first: {_short(lacking[0])}). "
            )
            msg += (
                "The list is a subset of a benchmark. Pass only the scores of its items."
                if self.strata
                else "Add their weights. A weight of 0 excludes an item."
            )
            if matrix.alignment.by_content:
                msg += (
                    " Items are paired by content, so their ids can differ from those in the log."
                )
            raise DataError(msg)
        return np.array(weights, dtype=np.float64)

    def refuse_strangers(self, matrices: Sequence[ScoreMatrix], tasks: Iterable[str] = ()) -> None:
        """Raise DataError for weights of items that no selected task has."""
        known_pairs = {(m.task or None, item) for m in matrices for item in m.items}
        anywhere = {item for _, item in known_pairs}
        looked_at = {m.task or None for m in matrices} | set(tasks)
        strange = [
            item
            for task, item in self.items
            if ((task, item) not in known_pairs and task in looked_at)
            or (task is None and item not in anywhere)
        ]
        if strange:
            msg = (
                f"{self.source} lists {_count(len(strange), 'item')} that no "
                f"model answered (first: {_short(strange[0])}). Correct the ids, or "
                "remove these rows."
            )
            raise DataError(msg)

    def of_tasks(self, matrices: Sequence[ScoreMatrix]) -> dict[str, float]:
        """Return the weight of every task. Raise DataError if one is missing."""
        lacking = [m.task for m in matrices if m.task not in self.tasks]
        if lacking:
            msg = (
                f"{self.source} has no weight for the task {_short(lacking[0])}. Add "
                f"it, or choose tasks with {arg('tasks')}."
            )
            raise DataError(msg)
        weights = {m.task: self.tasks[m.task] for m in matrices}
        zero = [task for task, weight in weights.items() if weight == 0]
        if zero:
            msg = (
                f"{self.source} gives {_short(zero[0])} a weight of 0. Exclude this task "
                f"with {arg('tasks')}."
            )
            raise DataError(msg)
        return weights


def _number(row: WeightRow) -> float:
    try:
        number = float(row.weight) if not isinstance(row.weight, bool) else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        msg = f"{row.where}: the weight must be a number >= 0; got {row.weight!r:.40}"
        raise DataError(msg)
    return number


def _once(row: WeightRow, key: Any, known: Mapping[Any, float]) -> None:
    if key in known:
        name = str(row.task if row.item is None else row.item)
        msg = f"{row.where}: {_short(name)} already has a weight. Keep one row for it."
        raise DataError(msg)


def _short(text: str) -> str:
    return f"{text!r}" if len(text) <= 60 else f"{text[:59] + '…'!r}"


def _count(n: int, noun: str) -> str:
    return f"1 {noun}" if n == 1 else f"{n:,} {noun}s"


def weight_rows(
    source: str, names: Sequence[str], rows: Iterable[tuple[str, Mapping[str, Any]]]
) -> Iterator[WeightRow]:
    """Return rows of a table with a column ``weight`` and at least one of ``item`` and ``task``.

    Raise DataError if a column is missing, or a row has no item.
    """
    if "weight" not in names or not {"item", "task"} & set(names):
        available = ", ".join(_short(n) for n in names[:8]) or "none"
        msg = (
            f"{source}: weights need the columns item and weight (and task, if item ids repeat). "
            f"Found: {available}."
        )
        raise DataError(msg)
    for where, row in rows:
        item, task = (_text(row.get(name)) for name in ("item", "task"))
        if ("item" in names and item is None) or (item is None and task is None):
            msg = f"{where}: this row has no {'item' if 'item' in names else 'task'}. Add it."
            raise DataError(msg)
        yield WeightRow(where, task, item, row.get("weight"), _text(row.get("stratum")))


def _text(value: Any) -> str | None:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
