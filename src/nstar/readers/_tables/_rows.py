"""Convert rows of a plain table to Table columns. Wide tables become long."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from nstar._data import arrow
from nstar._data import lazy_compute as pc
from nstar._data.table import KNOWN, TYPES, constant
from nstar.errors import ReadError
from nstar.readers._base import Journal, SourceDraft
from nstar.readers._files import Place
from nstar.readers._read_errors import printable
from nstar.readers._tables._columns import ColumnLayout
from nstar.readers._tables._frame import Chunk
from nstar.readers._tables._names import (
    ContentHasher,
    TableNames,
    filled,
    known,
    nameless,
    prefixed,
)
from nstar.readers._tables._scores import ScoreColumn, complaint

_TIME = TYPES["timestamp"]
_QUANTITIES = {
    part: TYPES[part]
    for part in ("cost", "latency_s", "tokens", "input_tokens", "output_tokens", "timestamp")
}
"""Quantities other than the score, with their types."""

_UNITS = ((1e11, "s"), (1e14, "ms"), (1e17, "us"), (1e20, "ns"))
"""Upper limit of a time since 1970 for each unit."""
_MIN_TIMESTAMP_SECONDS = 1e8
"""Smallest number of seconds that is read as a time."""
_YEARS = (-62_135_596_800_000_000, 253_402_300_799_999_999)
"""First and last microsecond that Python can represent as a date."""


def _quantity(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Convert a column to this type; raise an Arrow error if it contains other values.

    >>> _quantity(pa.array(["12", ""]), pa.int64()).to_pylist()
    [12, None]
    """
    if pa.types.is_dictionary(column.type):  # very many rows may contain the same long text
        column = arrow.used(column)
        return _quantity(column.dictionary, kind).take(column.indices)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = pc.if_else(pc.equal(column, ""), None, column)
    if kind == _TIME:
        return _without_extremes(_times(column))
    if not pa.types.is_integer(column.type):
        column = column.cast(pa.float64())
        column = pc.if_else(pc.is_finite(column), column, None)
    return column.cast(kind)


def _times(column: pa.Array) -> pa.Array:
    """Convert ISO texts, dates, or seconds since 1970 to UTC. Times without a zone are UTC."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return _since_1970(column.cast(pa.float64(), safe=False))
    try:
        return column.cast(_TIME)
    except pa.ArrowInvalid:
        return column.cast(pa.timestamp("us")).cast(_TIME)


def _since_1970(numbers: pa.Array) -> pa.Array:
    numbers = pc.if_else(pc.is_finite(numbers), numbers, None)
    largest = pc.max(numbers).as_py() or 0
    unit = next((unit for bound, unit in _UNITS if largest < bound), None)
    if unit is None or largest < _MIN_TIMESTAMP_SECONDS:
        msg = f"{largest} is not a valid time"
        raise pa.ArrowInvalid(msg)
    scale = {"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}[unit]
    return (
        pc.round(pc.multiply(numbers, scale)).cast(pa.int64()).cast(pa.timestamp("us")).cast(_TIME)
    )


def _without_extremes(times: pa.Array) -> pa.Array:
    """Replace times outside the years 1 to 9999 by null."""
    ticks = times.cast(pa.int64())
    inside = pc.and_(pc.greater_equal(ticks, _YEARS[0]), pc.less_equal(ticks, _YEARS[1]))
    return pc.if_else(inside, times, None)


_CELLS = 1 << 21
"""Number of scores per batch of a wide table."""


class TableRows:
    """Converts chunks of one table to batches of Table columns.

    ``source`` is None for a table that nstar wrote, whose columns need no conversion. ``model``
    and ``run`` replace missing columns.
    """

    def __init__(
        self,
        place: Place,
        layout: ColumnLayout,
        journal: Journal,
        source: SourceDraft | None,
        *,
        model: str,
        run: str | None,
    ) -> None:
        self._place = place
        self._layout = layout
        self._journal = journal
        self._source = source
        self._model = model
        self._run = run
        self._contents = ContentHasher()
        self._constants: dict[str, pa.DictionaryArray] = {}
        self._names: dict[str, TableNames] = defaultdict(TableNames)
        self._next_row = 0
        self.scores = ScoreColumn()

    def batches(self, chunk: Chunk) -> Iterator[pa.RecordBatch]:
        """Yield the chunk's scores; report rows without a score to the journal and omit them."""
        try:
            if self._layout.across is None:
                yield self._long(chunk)
            else:
                yield from self._wide(chunk)
        except (pa.ArrowException, UnicodeError, OverflowError) as error:
            reason = printable(str(error).split("\n", 1)[0])[:300]
            msg = f"{self._place}: a column contains values of the wrong type: {reason}"
            raise ReadError(msg) from error

    def _long(self, chunk: Chunk) -> pa.RecordBatch:
        column = chunk.batch.column(self._layout.parts["score"])
        score, bad = self.scores.convert(column)
        problems = {int(k): complaint(column[k]) for k in bad[: self._max_described]}
        columns = self._common(chunk.batch) | {"score": score}
        return self._without(_ordered(columns), chunk, problems)

    def _wide(self, chunk: Chunk) -> Iterator[pa.RecordBatch]:
        across = self._layout.scores
        if self._layout.row_number is not None:
            chunk = self._with_row_numbers(chunk, self._layout.row_number)
        step = max(1, _CELLS // len(across))
        for start in range(0, chunk.batch.num_rows, step):
            line = partial(_later, chunk.line, start)
            block = Chunk(chunk.batch.slice(start, step), line)
            yield self._unfolded(block if self._layout.across == "metric" else self._named(block))

    def _with_row_numbers(self, chunk: Chunk, name: str) -> Chunk:
        """Return the chunk with a column of the row numbers in the table."""
        start, self._next_row = self._next_row, self._next_row + chunk.batch.num_rows
        numbers = arrow.array(np.arange(start, self._next_row))
        return Chunk(chunk.batch.append_column(name, numbers), chunk.line)

    def _named(self, chunk: Chunk) -> Chunk:
        """Return the rows of a wide table that have a name."""
        part = "item" if self._layout.across == "model" else "model"
        column = self._names[part].convert(chunk.batch.column(self._layout.parts[part]))
        empty = nameless(column)
        for row in empty.tolist():
            problem = f"{part} is empty; every row needs one"
            self._journal.bad_row(self._place, chunk.line(row), problem)
        if not empty.size:
            return chunk
        keep = np.delete(np.arange(chunk.batch.num_rows), empty)
        return Chunk(chunk.batch.take(arrow.array(keep)), lambda k: chunk.line(int(keep[k])))

    def _unfolded(self, chunk: Chunk) -> pa.RecordBatch:
        """Return one row per cell: all rows of the first column, then all of the second."""
        across, height = self._layout.scores, chunk.batch.num_rows
        parts, problems = [], {}
        score_names = self._layout.called or ("score",) * len(across)
        for j, name in enumerate(across):
            column = chunk.batch.column(name)
            score, bad = self.scores.convert(column)
            parts.append(score)
            for k in bad[: self._max_described]:
                reason = complaint(column[k], score_names[j])
                problems[j * height + int(k)] = f"{printable(name)}: {reason}"
        rows = pa.RecordBatch.from_pydict(self._common(chunk.batch))
        cells = rows.take(arrow.array(np.tile(np.arange(height), len(across))))
        codes = arrow.array(np.repeat(np.arange(len(across), dtype=np.int32), height))
        called = arrow.array(self._layout.called or across, pa.string())
        label = pa.DictionaryArray.from_arrays(codes, called)
        columns = dict(zip(cells.schema.names, cells.columns, strict=True))
        if len({part.type for part in parts}) > 1:  # the scores of one model are booleans
            parts = [part.cast(pa.float64()) for part in parts]
        columns |= {str(self._layout.across): label, "score": pa.concat_arrays(parts)}
        unfolded = Chunk(chunk.batch, lambda k: chunk.line(k % height))
        return self._without(_ordered(columns), unfolded, problems)

    @property
    def _max_described(self) -> int:
        """Return the number of bad rows to describe, one more than may be skipped."""
        return max(1, self._journal.options.skip_bad + 1 - len(self._journal.bad))

    def _common(self, batch: pa.RecordBatch) -> dict[str, Any]:
        """Return all columns except the score and the role of a wide table's columns."""
        out: dict[str, Any] = {}
        for part, name in self._layout.parts.items():
            if part != "score":
                out[part] = self._converted(part, batch.column(name))
        for group, name in self._layout.groups.items():
            column = self._names[group].convert(batch.column(name))
            out[group] = column if self._source is None else known(column)
        if self._layout.across != "model" and "model" not in out:
            out["model"] = self._constant(self._model, batch.num_rows)
        if "task" not in out:
            out["task"] = self._constant("", batch.num_rows)
        if self._run is not None and "run" in out:
            out["run"] = prefixed(out["run"], self._run)
        elif self._run is not None:
            out["run"] = self._constant(self._run, batch.num_rows)
        return out

    def _constant(self, name: str, length: int) -> pa.DictionaryArray:
        """Return a column that repeats one name, created once."""
        if name not in self._constants or len(self._constants[name]) < length:
            self._constants[name] = constant(name, length)
        return self._constants[name].slice(0, length)

    def _converted(self, part: str, column: pa.Array) -> pa.Array:
        if part in _QUANTITIES:
            return self._quantity(part, column)
        if part == "content":
            return self._contents.convert(column)
        names = self._names[part].convert(column)
        as_it_is = self._source is None or part not in {"task", "metric", "run"}
        return names if as_it_is else filled(names)

    def _quantity(self, part: str, column: pa.Array) -> pa.Array:
        """Return an optional quantity. Unreadable values are omitted."""
        kind = _QUANTITIES[part]
        try:
            return _quantity(column, kind)
        except (pa.ArrowException, OverflowError):
            if self._source is not None:
                self._source.drop(f"unreadable {part}", len(column))
            return pa.nulls(len(column), kind)

    def _without(
        self, batch: pa.RecordBatch, chunk: Chunk, problems: Mapping[int, str]
    ) -> pa.RecordBatch:
        """Return the batch without rows that lack a score, a model, or an item."""
        problems = dict(problems)
        for part in ("item", "model"):
            for row in nameless(batch.column(part))[: self._max_described]:
                problems.setdefault(int(row), f"{part} is empty; every score needs one")
        if not problems:
            return batch
        for row in sorted(problems):
            self._journal.bad_row(self._place, chunk.line(row), problems[row])
        keep_mask = np.ones(batch.num_rows, np.bool_)
        keep_mask[list(problems)] = False
        return arrow.some_rows(batch, keep_mask)


def _ordered(columns: Mapping[str, Any]) -> pa.RecordBatch:
    """Return the columns in the order of a Table, with groups last."""
    order = [n for n in KNOWN if n in columns] + [n for n in columns if n not in KNOWN]
    return pa.RecordBatch.from_pydict({name: columns[name] for name in order})


def _later(line: Callable[[int], int], start: int, row: int) -> int:
    return line(start + row)
