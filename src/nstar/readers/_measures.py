"""Use a column such as latency or cost as the scores of a log."""

import numpy as np
import pyarrow as pa

from nstar._base.types import BoolArray, IntArray
from nstar._data import arrow
from nstar._data.measures import MEASURES
from nstar._data.table import constant


def measured(batch: pa.RecordBatch, column: str) -> pa.RecordBatch | None:
    """Return a row for each sample, with a column as the score; ``None`` if it does not apply.

    A sample without a score has no measure either, because it may have ended early. A log with a
    metric of the same name keeps its scores.

    Parameters
    ----------
    batch : RecordBatch
        Scores as Table columns, with a row for each sample and metric.
    column : str
        Column with the measure, one of the values of :data:`MEASURES`.

    Examples
    --------
    >>> rows = {name: arrow.labeled(["a", "a"]) for name in ("model", "item")}
    >>> rows["metric"] = arrow.labeled(["acc", "f1"])
    >>> batch = pa.RecordBatch.from_pydict(rows | {"score": [1.0, 0.5], "cost": [3.0, 3.0]})
    >>> measured(batch, "cost").select(["metric", "score"]).to_pylist()
    [{'metric': 'cost', 'score': 3.0}]
    """
    names = batch.schema.names
    metrics = arrow.coded(batch.column("metric"))[1] if "metric" in names else []
    if column not in names or any(MEASURES.get(m.partition(",")[0]) == column for m in metrics):
        return None
    values = arrow.numbers(batch.column(column)).astype(np.float64)
    values[np.isnan(arrow.numbers(batch.column("score")).astype(np.float64))] = np.nan
    present = ~np.isnan(values)
    if not present.any():
        return None
    columns = dict(zip(names, batch.columns, strict=True))
    columns["score"] = arrow.array(values, present=present)
    columns["metric"] = constant(column, len(values))
    out = pa.RecordBatch.from_pydict(columns)
    return out if len(metrics) < 2 else arrow.rows_at(out, _one_row_each(batch, present))


def _one_row_each(batch: pa.RecordBatch, present: BoolArray) -> IntArray:
    """Return the position of one row of each sample, with a value if any row has one."""
    sample: IntArray = np.zeros(batch.num_rows, np.int64)
    for name in ("model", "task", "item", "run"):
        if name in batch.schema.names:
            sample = _pairs(sample, batch.column(name))
    # Several rows of one metric are repeated runs, so the n-th rows of all metrics are a sample.
    same = _pairs(sample, batch.column("metric"))
    order = np.argsort(same, kind="stable")
    nth = np.empty_like(order)
    nth[order] = np.arange(len(order)) - np.searchsorted(same[order], same[order])
    sample = sample * (int(nth.max(initial=0)) + 1) + nth
    first = np.argsort(~present, kind="stable")
    rows: IntArray = np.sort(first[np.unique(sample[first], return_index=True)[1]])
    return rows


def _pairs(codes: IntArray, column: pa.DictionaryArray) -> IntArray:
    """Return a code for each pair of a code and a name, below the number of rows."""
    pairs = codes * (len(column.dictionary) + 1) + arrow.codes(column) + 1
    renumbered: IntArray = np.unique(pairs, return_inverse=True)[1].reshape(-1)
    return renumbered
