"""The rows of one batch, by task and metric."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nstar._base.types import BoolArray
from nstar._data.align.names import CodedNames, Codes, Known, Names
from nstar._data.table import KNOWN
from nstar.errors import DataError


@dataclass(slots=True)
class Batch:
    """Columns of some rows."""

    model: CodedNames
    item: CodedNames
    score: npt.NDArray[Any]
    """Small integers or float64 with NaN for no score."""
    run: CodedNames | None
    content: npt.NDArray[np.uint64] | None
    """0 for unknown."""
    groups: dict[str, CodedNames]

    def take(self, rows: BoolArray) -> "Batch":
        """Some rows."""

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
        return column.to_numpy()
    if column.type != pa.float64():
        column = column.cast(pa.float64())
    return column.to_numpy(zero_copy_only=False)


def _content(column: pa.Array) -> npt.NDArray[np.uint64] | None:
    if column.null_count == len(column):
        return None
    return column.fill_null(0).to_numpy()


def _required(batch: pa.RecordBatch, name: str, home: Names) -> CodedNames:
    column = batch.column(name)
    coded = home.coded(column)
    if coded.table.min(initial=0) < 0 and coded.codes().min(initial=0) < 0:
        msg = f"a row has no {name}"
        raise DataError(msg)
    return coded


def _optional(batch: pa.RecordBatch, name: str, home: Names) -> CodedNames | None:
    if name not in batch.schema.names:
        return None
    column = batch.column(name)
    return None if column.null_count == len(column) else home.coded(column)


def split(batch: pa.RecordBatch, known: Known) -> Iterator[tuple[tuple[int, int], Batch]]:
    """The rows of a batch by (task, metric) code, 0 where they have none."""
    if batch.num_rows == 0:
        return
    names = batch.schema.names
    groups = {}
    for name in (n for n in names if n not in KNOWN):
        coded = _optional(batch, name, known.group_of(name))
        if coded is not None:
            groups[name] = coded
    whole = Batch(
        _required(batch, "model", known.model),
        _required(batch, "item", known.item),
        _numbers(batch.column("score")),
        _optional(batch, "run", known.run),
        _content(batch.column("content")) if "content" in names else None,
        groups,
    )
    task = _optional(batch, "task", known.task)
    metric = _optional(batch, "metric", known.metric)
    yield from _by_key(whole, task, metric)


def _constant(column: CodedNames | None) -> int | None:
    """The only code of a column, 0 for no column; None if there are several."""
    if column is None:
        return 0
    first = column.index[0]
    if len(column.table) > 1 and not (column.index == first).all():
        return None
    return max(int(column.table[first]), 0)


def _by_key(
    whole: Batch, task: CodedNames | None, metric: CodedNames | None
) -> Iterator[tuple[tuple[int, int], Batch]]:
    t, m = _constant(task), _constant(metric)
    if t is not None and m is not None:
        yield (t, m), whole
        return
    tasks, metrics = (_spread(c, len(whole.item)) for c in (task, metric))
    key = (tasks.astype(np.int64) << 32) + metrics
    kinds, first = np.unique(key, return_index=True)
    for k in np.argsort(first, kind="stable"):
        at = first[k]
        yield (int(tasks[at]), int(metrics[at])), whole.take(key == kinds[k])


def _spread(column: CodedNames | None, rows: int) -> Codes:
    return np.zeros(rows, np.int32) if column is None else np.maximum(column.codes(), 0)
