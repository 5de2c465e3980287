"""The rows of one task and metric of a Table, by code."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nstar._base.types import Array, IntArray
from nstar._data.align.batch import Codes
from nstar._data.align.collect import pair_by_content
from nstar._data.align.grid import Collected
from nstar._data.findings import few
from nstar._data.table import KNOWN, constant
from nstar.errors import DataError

SPENT = ("cost", "tokens", "input_tokens", "output_tokens")
"""Columns of what a run used up."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunRows:
    """Columns of equal length, and the names that their codes mean."""

    model: Codes
    models: list[str]
    item: Codes
    items: list[str]
    run: Codes
    runs: list[str]
    score: Array
    """NaN for no score."""
    spent: dict[str, Array]
    """Columns of :data:`SPENT` that say something; NaN where unknown."""
    groups: dict[str, tuple[Codes, list[str]]]
    """Columns that group items: code of each row, -1 for none, and the names."""


def _refuse_unknown(what: str, wanted: str, names: Sequence[str]) -> None:
    if wanted not in names:
        msg = f"no {what} {wanted!r}; there are {few([n or '(no name)' for n in names], 10)}"
        raise DataError(msg)


def one_task(data: pa.Table, task: str | None) -> tuple[str, pa.Table]:
    """The rows of a task: the one named, or the only one."""
    column = pc.fill_null(data["task"].cast(pa.string()), "")
    names = column.unique().to_pylist()
    if task is None and len(names) > 1:
        there = few([n or "(no name)" for n in names], 10)
        msg = f"runs are of one task set; choose one of these {len(names)}: {there}"
        raise DataError(msg)
    chosen = task if task is not None else names[0] if names else ""
    if names:
        _refuse_unknown("task", chosen, names)
    return chosen, data.filter(pc.equal(column, chosen))


def one_metric(data: pa.Table, metric: str | None) -> tuple[str, pa.Table]:
    """The rows of a metric: as named, up to a comma, or the first."""
    if "metric" not in data.column_names:
        data = data.append_column("metric", constant("score", len(data)))
    column = pc.fill_null(data["metric"].cast(pa.string()), "score")
    names = column.unique().to_pylist()
    chosen = metric if metric is not None else names[0] if names else "score"
    if chosen not in names:
        chosen = next((n for n in names if n.startswith(f"{chosen},")), chosen)
    if names:
        _refuse_unknown("metric", chosen, names)
    return chosen, data.filter(pc.equal(column, chosen))


def _codes(column: pa.ChunkedArray) -> tuple[Codes, list[str]]:
    """Code of each row, -1 for none, and the names in use, in order of appearance."""
    text = column.cast(pa.string())
    names = text.unique().drop_null()
    codes = pc.index_in(text, value_set=names).fill_null(-1).to_numpy()
    return codes.astype(np.int32), names.to_pylist()


def _by_size(names: Sequence[str]) -> list[int]:
    """The order of names, numbers by size."""
    return sorted(range(len(names)), key=lambda k: (len(names[k]), names[k]))


def _ranks(names: Sequence[str]) -> IntArray:
    ranks = np.empty(len(names), np.int64)
    ranks[_by_size(names)] = np.arange(len(names))
    return ranks


def _runs(data: pa.Table) -> tuple[Codes, list[str]]:
    """Run of each row; rows without one are of a run that is called by no name."""
    if not _said(data, "run"):
        return np.zeros(len(data), np.int32), ["1"]
    codes, names = _codes(pc.fill_null(data["run"].cast(pa.string()), ""))
    return _ranks(names)[codes].astype(np.int32), [names[k] for k in _by_size(names)]


def _said(data: pa.Table, name: str) -> bool:
    return name in data.column_names and data[name].null_count < len(data)


def _numbers(data: pa.Table, name: str) -> Array:
    return data[name].cast(pa.float64()).to_numpy().astype(np.float64)


def rows_of(data: pa.Table, models: Sequence[str] | None) -> RunRows:
    """The rows by code, of these models in this order; DataError if one is missing."""
    for name in ("model", "item"):
        if data[name].null_count:
            msg = f"a row has no {name}"
            raise DataError(msg)
    there = data["model"].cast(pa.string())
    if models is not None:
        found = there.unique().to_pylist()
        for wanted in models:
            _refuse_unknown("model", wanted, found)
        data = data.filter(pc.is_in(there, value_set=pa.array(models, pa.string())))
    model, names = _codes(data["model"])
    if models is not None:
        place = np.array([list(models).index(n) for n in names], np.int32)
        model, names = place[model], list(models)
    item, items = _codes(data["item"])
    run, runs = _runs(data)
    score = _numbers(data, "score")
    if np.isinf(score).any():
        msg = "scores must be finite, or absent; got an infinity"
        raise DataError(msg)
    rows = RunRows(
        model=model,
        models=names,
        item=item,
        items=items,
        run=run,
        runs=runs,
        score=score,
        spent={name: _numbers(data, name) for name in SPENT if _said(data, name)},
        groups={name: _codes(data[name]) for name in data.column_names if name not in KNOWN},
    )
    return _by_content(rows, data)


def _by_content(rows: RunRows, data: pa.Table) -> RunRows:
    """Items paired by what they ask, if an id stands for two questions and all are known."""
    if "content" not in data.column_names:
        return rows
    content: npt.NDArray[np.uint64] = pc.fill_null(data["content"], 0).to_numpy()
    first = np.zeros(len(rows.items), np.uint64)
    first[rows.item[::-1]] = content[::-1]
    if not content.all() or (first[rows.item] == content).all():
        return rows
    collected = Collected(rows.model, rows.item, rows.score, rows.run, content, {})
    item, shown = pair_by_content(collected, _ranks(rows.items))
    return replace(rows, item=item, items=_distinct([rows.items[k] for k in rows.item[shown]]))


def _distinct(names: list[str]) -> list[str]:
    """The names, with a number added where one stands twice."""
    taken: set[str] = set()
    out = []
    for name in names:
        new, nth = name, 1
        while new in taken:
            nth += 1
            new = f"{name}#{nth}"
        taken.add(new)
        out.append(new)
    return out
