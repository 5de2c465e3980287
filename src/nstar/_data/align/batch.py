"""Rows of one batch: convert names to codes, and split rows by task and metric."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nstar._base.types import BoolArray, IntArray
from nstar._data import arrow
from nstar._data import lazy_compute as pc
from nstar._data.read_limits import Limits
from nstar._data.table import KNOWN
from nstar.errors import DataError

Codes = npt.NDArray[np.int32]

_SHORT_DICTIONARY_RATIO = 8
"""Ratio of known names to dictionary entries above which the entries are looked up one by one."""
_SMALL = 4096
"""Size up to which a dictionary is looked up one by one, because loading Arrow's functions takes
longer.
"""


@dataclass(frozen=True, slots=True)
class CodedNames:
    """Column of names: for each row, an index into a short table of codes, with -1 for no name."""

    index: Codes
    table: Codes

    def codes(self) -> Codes:
        """Return the code of each row."""
        return _lookup(self.table, self.index)

    def take(self, rows: BoolArray | IntArray) -> "CodedNames":
        """Return some rows."""
        return CodedNames(self.index[rows], self.table)

    def __len__(self) -> int:
        return len(self.index)


def _lookup(table: Codes, index: Codes) -> Codes:
    """Return ``table[index]``, or ``index`` itself if the table is the identity."""
    if len(table) and table[-1] == len(table) - 1 and (table == np.arange(len(table))).all():
        return index
    return table.take(index)


class _NameTable:
    """Names so far, and the codes of the names in a batch's dictionary."""

    def __init__(self, kind: str, limits: Limits, *first: str) -> None:
        self._kind, self._limits = kind, limits
        self._parts: list[pa.Array] = [arrow.array(first, pa.string())]
        self._size = len(first)
        self._code: dict[str, int] = {}  # used when each batch brings few names
        self._dictionary: pa.Array | None = None
        self._table: Codes = np.empty(0, np.int32)

    def __len__(self) -> int:
        return self._size

    @property
    def all(self) -> pa.Array:
        """Return every name, by code."""
        if len(self._parts) > 1:
            self._parts = [pa.concat_arrays(self._parts)]
        return self._parts[0]

    def coded(self, column: pa.DictionaryArray) -> CodedNames:
        """Return the rows of a column as codes."""
        dictionary = column.dictionary
        if self._dictionary is None or not dictionary.equals(self._dictionary):
            self._table = self._translate(dictionary)
            self._dictionary = dictionary
        index = arrow.codes(column)
        if not column.null_count:
            return CodedNames(index, self._table)
        return CodedNames(
            np.where(index < 0, np.int32(len(self._table)), index),
            np.append(self._table, np.int32(-1)),
        )

    def _translate(self, dictionary: pa.Array) -> Codes:
        if (
            len(dictionary) * _SHORT_DICTIONARY_RATIO < self._size
            or max(len(dictionary), self._size) <= _SMALL
        ):
            return self._one_by_one(dictionary.to_pylist())
        known = self.all
        positions = pc.index_in(dictionary, value_set=known, skip_nulls=True)
        if positions.null_count > dictionary.null_count:
            self._append(dictionary.filter(pc.is_null(positions)).unique().drop_null())
            positions = pc.index_in(dictionary, value_set=self.all, skip_nulls=True)
        return arrow.numbers(positions, absent=-1).astype(np.int32, copy=False)

    def _one_by_one(self, names: list[str | None]) -> Codes:
        """Return the codes by single look-ups, instead of scanning all known names."""
        if len(self._code) < self._size:
            self._code = {name: k for k, name in enumerate(self.all.to_pylist())}
        code = self._code
        new = list(dict.fromkeys(n for n in names if n is not None and n not in code))
        code.update(zip(new, range(self._size, self._size + len(new)), strict=True))
        self._append(arrow.array(new, pa.string()))
        return np.array([-1 if n is None else code[n] for n in names], np.int32)

    def _append(self, names: pa.Array) -> None:
        if len(names):
            self._parts.append(names)
            self._size += len(names)
            text = f"the logs contain at least {self._size:,} different names of {self._kind}"
            self._limits.refuse("names", self._size, text)


class GridPositions:
    """Positions of the table's names in one grid, assigned in order of appearance."""

    def __init__(self) -> None:
        self.order: list[int] = []
        self._place: Codes = np.empty(0, np.int32)

    def __len__(self) -> int:
        return len(self.order)

    def places(self, column: CodedNames, known: int, rows: IntArray | None = None) -> CodedNames:
        """Return the position of each row's name.

        New names get the next positions in dictionary order.

        ``known`` contains the names of the whole table so far. ``rows`` selects rows that together
        contain every name, if not all rows are needed.
        """
        if len(self._place) < known:
            extra = np.full(known - len(self._place), -1, np.int32)
            self._place = np.concatenate([self._place, extra])
        table = self._place[column.table]
        if table.min(initial=0) < 0:
            used = np.zeros(len(table), np.bool_)
            # a dictionary may contain unused names, or one name twice
            used[column.index if rows is None else column.index[rows]] = True
            new = list(dict.fromkeys(column.table[used & (table < 0)].tolist()))
            self._place[new] = np.arange(len(self.order), len(self.order) + len(new))
            self.order += new
            table = self._place[column.table]
        return CodedNames(column.index, table)


class NameTables:
    """Names of the whole table. Rows without a task or metric have the first one."""

    def __init__(self, limits: Limits) -> None:
        self.model, self.item = _NameTable("models", limits), _NameTable("items", limits)
        self.run = _NameTable("runs", limits)
        self.task, self.metric = (
            _NameTable("tasks", limits, ""),
            _NameTable("metrics", limits, "score"),
        )
        self.group: dict[str, _NameTable] = {}
        self._limits = limits

    def group_of(self, column: str) -> _NameTable:
        """Return the labels of one group column of items."""
        if column not in self.group:
            self.group[column] = _NameTable(f"labels of {column!r}", self._limits)
        return self.group[column]


@dataclass(slots=True)
class Batch:
    """Columns of some of the rows."""

    model: CodedNames
    item: CodedNames
    score: npt.NDArray[Any]
    """Small integers, or float64 with NaN for missing scores."""
    run: CodedNames | None
    content: npt.NDArray[np.uint64] | None
    """Hash of the content. 0 if unknown."""
    groups: dict[str, CodedNames]

    def take(self, rows: BoolArray) -> "Batch":
        """Return some rows."""

        def pick(x: Any) -> Any:
            return None if x is None else x.take(rows) if isinstance(x, CodedNames) else x[rows]

        return Batch(
            self.model.take(rows),
            self.item.take(rows),
            self.score[rows],
            pick(self.run),
            pick(self.content),
            {name: codes.take(rows) for name, codes in self.groups.items()},
        )


def _numbers(column: pa.Array) -> npt.NDArray[Any]:
    if column.null_count == 0 and pa.types.is_int8(column.type):
        return arrow.numbers(column)
    if column.type != pa.float64():
        column = column.cast(pa.float64())
    return arrow.numbers(column)


def _content(column: pa.Array) -> npt.NDArray[np.uint64] | None:
    if column.null_count == len(column):
        return None
    return arrow.numbers(column, absent=0)


def _required(batch: pa.RecordBatch, name: str, home: _NameTable) -> CodedNames:
    column = batch.column(name)
    coded = home.coded(column)
    if coded.table.min(initial=0) < 0 and coded.codes().min(initial=0) < 0:
        msg = f"A row has no {name}. Add it, or remove the row."
        raise DataError(msg)
    return coded


def _optional(batch: pa.RecordBatch, name: str, home: _NameTable) -> CodedNames | None:
    if name not in batch.schema.names:
        return None
    column = batch.column(name)
    return None if column.null_count == len(column) else home.coded(column)


def split(batch: pa.RecordBatch, known: NameTables) -> Iterator[tuple[tuple[int, int], Batch]]:
    """Split the rows of a batch by the codes of task and metric, which are 0 if missing."""
    if batch.num_rows == 0:
        return
    names = batch.schema.names
    groups = {}
    for name in (n for n in names if n not in KNOWN):
        coded = _optional(batch, name, known.group_of(name))
        if coded is not None:
            groups[name] = coded
    full_batch = Batch(
        _required(batch, "model", known.model),
        _required(batch, "item", known.item),
        _numbers(batch.column("score")),
        _optional(batch, "run", known.run),
        _content(batch.column("content")) if "content" in names else None,
        groups,
    )
    task = _optional(batch, "task", known.task)
    metric = _optional(batch, "metric", known.metric)
    yield from _by_key(full_batch, task, metric)


def _constant(column: CodedNames | None) -> int | None:
    """Return the only code of a column, 0 for no column, or None if there are several codes."""
    if column is None:
        return 0
    first = column.index[0]
    if len(column.table) > 1 and not (column.index == first).all():
        return None
    return max(int(column.table[first]), 0)


def _by_key(
    batch: Batch, task: CodedNames | None, metric: CodedNames | None
) -> Iterator[tuple[tuple[int, int], Batch]]:
    t, m = _constant(task), _constant(metric)
    if t is not None and m is not None:
        yield (t, m), batch
        return
    tasks, metrics = (_spread(c, len(batch.item)) for c in (task, metric))
    key = (tasks.astype(np.int64) << 32) + metrics
    kinds, first = np.unique(key, return_index=True)
    for k in np.argsort(first, kind="stable"):
        at = first[k]
        yield (int(tasks[at]), int(metrics[at])), batch.take(key == kinds[k])


def _spread(column: CodedNames | None, rows: int) -> Codes:
    return np.zeros(rows, np.int32) if column is None else np.maximum(column.codes(), 0)
