"""Table: one row per model, task, item, metric, and run, in Arrow columns.

============== ======================== ======================================================
column          type                     meaning
============== ======================== ======================================================
model           dictionary of strings    who answered
task            dictionary of strings    benchmark; items are unique only within a task
item            dictionary of strings    the question
score           float64, null = none     what the model got (an errored sample has no score)
metric          dictionary of strings    optional; what the score measures
run             dictionary of strings    optional; which repetition (epoch, trial, time stamp)
content         uint64                   optional; hash of the question itself
cost            float64                  optional; money
latency_s       float64                  optional; seconds
tokens          int64                    optional; all tokens
input_tokens    int64                    optional; tokens read, from a cache or not
output_tokens   int64                    optional; tokens written, reasoning included
timestamp       timestamp[us, UTC]       optional
============== ======================== ======================================================

Any other column contains groups of items, such as subjects, passages, repositories, or languages.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from nstar._base.types import FloatOrNan
from nstar._data import arrow
from nstar._data import lazy_compute as pc
from nstar._data.series import aligned
from nstar.errors import DataError

LABEL = pa.dictionary(pa.int32(), pa.string())
"""Type of every column of names."""

TYPES: dict[str, pa.DataType] = {
    "model": LABEL,
    "task": LABEL,
    "item": LABEL,
    "score": pa.float64(),
    "metric": LABEL,
    "run": LABEL,
    "content": pa.uint64(),
    "cost": pa.float64(),
    "latency_s": pa.float64(),
    "tokens": pa.int64(),
    "input_tokens": pa.int64(),
    "output_tokens": pa.int64(),
    "timestamp": pa.timestamp("us", "UTC"),
}
"""Columns with a special meaning. All others are groups of items."""
KNOWN = tuple(TYPES)
"""Names of these columns."""

_REQUIRED = ("model", "item", "score")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Metadata of one log, and a summary of its rows."""

    path: str
    """Path of the file."""
    reader: str
    """Name of the reader that read it."""
    harness: str = ""
    """Program and version that wrote the log, if stated, such as ``lm-eval 0.4.13``."""
    model: str | None = None
    """Model, if the log contains only one."""
    task: str | None = None
    """Task, if the log contains only one."""
    status: str = "success"
    """``success``, or the harness's term for an unfinished run."""
    declared_items: int | None = None
    """Number of items of the benchmark according to the harness."""
    declared_runs: int | None = None
    """Number of runs of each item according to the harness."""
    limited: str | None = None
    """Option that limited the run on purpose, such as ``limit=5``."""
    stopped: str | None = None
    """Program that stopped the run because of its scores, with details: ``by nstar, 124 samples
    not run``.
    """
    rows: int = 0
    """Number of scores that were kept."""
    items: int = 0
    """Number of items, with or without a score. 0 if the log does not require a count."""
    unscored: int = 0
    """Number of rows without a score because of an error or NaN."""
    errors_as: str = "missing"
    """Treatment of samples that ended in an error: ``missing`` or ``zero``."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Number of ignored rows, by reason."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of prompt, few-shot examples, filter, and version, which should be the same for all
    models.
    """
    aggregates: Mapping[str, FloatOrNan] = field(default_factory=dict)
    """Means reported by the harness, by metric."""
    mismatches: Mapping[str, FloatOrNan] = field(default_factory=dict)
    """Mean over the rows, by metric, for each metric whose reported mean differs from it."""
    lower_is_better: tuple[str, ...] = ()
    """Metrics for which lower is better, according to the log or the user."""
    higher_is_better: tuple[str, ...] = ()
    """Metrics for which higher is better, according to the log. Empty if it does not say."""
    notes: tuple[str, ...] = ()
    """Other observations of the reader, one sentence each."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, which are stored with a cached table."""
        return asdict(self)


def labels(values: Any) -> pa.Array:
    """Return names as a dictionary column. Numbers become their digits, and NaN becomes null.

    >>> labels(["b", "a", "b"]).dictionary.to_pylist()
    ['b', 'a']
    """
    values = _arrow(values)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
        if isinstance(values, pa.ChunkedArray):  # what an empty one combines to
            values = pa.concat_arrays(values.chunks)
    if pa.types.is_dictionary(values.type):
        if values.type == LABEL:
            return values
        names = _text(values.dictionary)
        return pa.DictionaryArray.from_arrays(values.indices.cast(pa.int32()), names)
    return _text(values).dictionary_encode()


def _arrow(values: Any) -> Any:
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    return pa.array(values, from_pandas=True)


def _text(values: pa.Array) -> pa.Array:
    """Return values as text.

    Whole floats become integers, because pandas converts integers with gaps to floats.
    """
    if not pa.types.is_floating(values.type):
        return values.cast(pa.string())
    values = values.cast(pa.float64())
    values = pc.if_else(pc.is_nan(values), None, values)
    is_integer = pc.and_(pc.equal(values, pc.round(values)), pc.less(pc.abs(values), 2.0**63))
    digits = pc.if_else(is_integer, values, None).cast(pa.int64()).cast(pa.string())
    return pc.coalesce(digits, values.cast(pa.string()))


_EXACT = {16: 2**11, 32: 2**24, 64: 2**53}
"""Smallest integer that may not be exact as a float, by the number of bits."""


def _refuse_rounded(values: Any) -> None:
    """Raise DataError for item ids that lost digits because they were converted to floats."""
    if not pa.types.is_floating(values.type) or len(values) == values.null_count:
        return
    largest = pc.max(pc.abs(values.cast(pa.float64()))).as_py()
    if largest >= _EXACT[values.type.bit_width]:
        msg = (
            f"Column 'item' contains float ids up to {largest:.17g}, which lose "
            "digits. Use integers or text."
        )
        raise DataError(msg)


def _column(name: str, values: Any) -> Any:
    kind = TYPES.get(name, LABEL)
    try:
        values = _arrow(values)
        if name == "item":
            _refuse_rounded(values)
        if kind == LABEL:
            return labels(values)
        # nanoseconds of a time stamp may be lost, but nothing else
        return values.cast(kind, safe=name != "timestamp")
    except DataError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        msg = f"Column {name!r} must contain {'names' if kind == LABEL else kind}: {error}"
        raise DataError(msg) from error


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """Scores in long form, with the metadata of their logs.

    Examples
    --------
    >>> t = Table.from_columns(model=["a", "b"], item=[1, 1], score=[1, 0], subject=["x", "x"])
    >>> t.models, t.groups, len(t)
    (('a', 'b'), ('subject',), 2)
    """

    data: pa.Table = field(repr=False)
    """Columns as listed above."""
    sources: tuple[Source, ...] = ()
    """Metadata of the logs."""

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Any] | None = None,
        *,
        sources: Sequence[Source] = (),
        **extra: Any,
    ) -> "Table":
        """Build a table from named sequences, NumPy arrays, Series, or Arrow arrays.

        Parameters
        ----------
        columns : mapping from str to sequence, optional
            Columns of equal length, by name. ``model``, ``item`` and ``score`` are required, and
            ``task`` is ``""`` by default. Names that are not in the list above become groups of
            items. pandas Series are aligned by their index.
        **extra : sequence
            Additional columns, by name.
        sources : sequence of Source, default ()
            Metadata of the logs.
        """
        all_columns = dict(columns or {}) | extra
        missing = [name for name in _REQUIRED if name not in all_columns]
        if missing:
            msg = (
                f"Missing column {', '.join(missing)}. Found: "
                f"{', '.join(map(str, all_columns)) or 'none'}."
            )
            raise DataError(msg)
        arrays = {name: _column(name, values) for name, values in aligned(all_columns).items()}
        sizes = {len(column) for column in arrays.values()}
        if len(sizes) > 1:
            lengths = ", ".join(f"{name} {len(column):,}" for name, column in arrays.items())
            msg = f"Columns must have the same length; got {lengths}"
            raise DataError(msg)
        if "task" not in arrays:
            arrays["task"] = constant("", len(arrays["score"]))
        order = [n for n in KNOWN if n in arrays] + [n for n in arrays if n not in KNOWN]
        return cls(data=pa.table({n: arrays[n] for n in order}), sources=tuple(sources))

    @classmethod
    def from_frame(cls, frame: Any, **renamed: str) -> "Table":
        """Build a table from a pandas, polars, or pyarrow frame, or from any Arrow C stream.

        Parameters
        ----------
        frame : object
            Data frame with one row per score.
        **renamed : str
            Column for each role with a different name, such as ``item="question_id"``.

        Examples
        --------
        >>> frame = pa.table({"model": ["a"], "qid": [7], "score": [0.5]})
        >>> Table.from_frame(frame, item="qid").data["item"].to_pylist()
        ['7']
        """
        try:
            table = frame if isinstance(frame, pa.Table) else pa.table(frame)
        except (pa.ArrowException, TypeError, ValueError) as error:
            msg = f"frame must be a table of columns; got {type(frame).__name__}: {error}"
            raise DataError(msg) from error
        names = table.column_names
        twice = [n for n in names if names.count(n) > 1]
        if twice:
            msg = f"Column names must be unique; {twice[0]!r} is repeated"
            raise DataError(msg)
        unknown = [old for old in renamed.values() if old not in names]
        if unknown:
            msg = f"No column {unknown[0]!r}. Available: {', '.join(names)}."
            raise DataError(msg)
        played = {*renamed, *renamed.values()}
        other_names = [n for n in names if n not in played and not n.startswith("__index")]
        parts = {n: n for n in other_names} | renamed
        return cls.from_columns({new: table[old] for new, old in parts.items()})

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the columns that group items."""
        return tuple(c for c in self.data.column_names if c not in KNOWN)

    @property
    def models(self) -> tuple[str, ...]:
        """Return the models in order of appearance."""
        return self.names("model")

    @property
    def tasks(self) -> tuple[str, ...]:
        """Return the tasks in order of appearance."""
        return self.names("task")

    def names(self, column: str) -> tuple[str, ...]:
        """Return the distinct values of a column of names, in order of appearance."""
        if column not in self.data.column_names:
            return ()
        return tuple(arrow.coded(self.data[column])[1])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches."""
        yield from self.data.to_batches()

    def __len__(self) -> int:
        return int(self.data.num_rows)


def constant(value: str, length: int) -> pa.DictionaryArray:
    """Return a column that repeats one name."""
    codes = arrow.array(np.zeros(length, np.int32))
    return pa.DictionaryArray.from_arrays(codes, arrow.array([value], pa.string()))
