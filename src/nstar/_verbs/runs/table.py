"""RunTable: one model's scores on one task set, items x runs, with costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nstar._base.parameter_types import Coded, Duplicates
from nstar._base.types import Array, BoolArray, IntArray
from nstar._data import arrow
from nstar._data.align.batch import Codes
from nstar._data.align.collect import pair_by_content
from nstar._data.align.grid import UnsortedRows
from nstar._data.findings import abbreviate, contradicting_rows
from nstar._data.matrix import Grouping
from nstar._data.sentinels import resolve_sentinels
from nstar._data.series import numbers
from nstar._data.table import KNOWN, Table, constant
from nstar.errors import DataError, arg

_SPENT = ("cost", "tokens", "input_tokens", "output_tokens")
"""Columns of costs and tokens."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _RunRows:
    """Columns of equal length, and the names that their codes mean."""

    model: Codes
    models: list[str]
    item: Codes
    items: list[str]
    run: Codes
    runs: list[str]
    score: Array
    """Scores; NaN where missing."""
    spent: dict[str, Array]
    """Nonempty columns of :data:`_SPENT`; NaN where unknown."""
    groups: dict[str, tuple[Codes, list[str]]]
    """Columns that group items: code of each row, -1 for none, and the names."""


def _refuse_unknown(subject: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        msg = (
            f"No {subject} {name!r}. Available: "
            f"{abbreviate([n or '(no name)' for n in names], 10)}."
        )
        raise DataError(msg)


def _one_task(data: pa.Table, task: str | None) -> tuple[str, pa.Table]:
    """Return the rows of a task: the one named, or the only one."""
    codes, names = arrow.coded(data["task"], "")
    if task is None and len(names) > 1:
        available = abbreviate([repr(n) if n else "(no name)" for n in names], 10)
        task = arg("task")
        msg = (
            f"Found {len(names)} task sets, but runs are analyzed on one. Set {task} to one of "
            f"them: {available}."
        )
        raise DataError(msg)
    chosen = task if task is not None else names[0] if names else ""
    if names:
        _refuse_unknown("task", chosen, names)
        data = arrow.some_rows(data, codes == names.index(chosen))
    return chosen, data


def _one_metric(data: pa.Table, metric: str | None) -> tuple[str, pa.Table]:
    """Return the rows of a metric: by full name, up to a comma, or the first."""
    if "metric" not in data.column_names:
        data = data.append_column("metric", constant("score", len(data)))
    codes, names = arrow.coded(data["metric"], "score")
    chosen = metric if metric is not None else names[0] if names else "score"
    if chosen not in names:
        chosen = next((n for n in names if n.startswith(f"{chosen},")), chosen)
    if names:
        _refuse_unknown("metric", chosen, names)
        data = arrow.some_rows(data, codes == names.index(chosen))
    return chosen, data


def _by_size(names: Sequence[str]) -> list[int]:
    """Return the order of names, with numbers by value."""
    return sorted(range(len(names)), key=lambda k: (len(names[k]), names[k]))


def _ranks(names: Sequence[str]) -> IntArray:
    ranks = np.empty(len(names), np.int64)
    ranks[_by_size(names)] = np.arange(len(names))
    return ranks


def _runs(data: pa.Table) -> tuple[Codes, list[str]]:
    """Return the run of each row; rows without one belong to an unnamed run."""
    if not _said(data, "run"):
        return np.zeros(len(data), np.int32), ["1"]
    codes, names = arrow.coded(data["run"], "")
    return _ranks(names)[codes].astype(np.int32), [names[k] for k in _by_size(names)]


def _said(data: pa.Table, name: str) -> bool:
    return name in data.column_names and data[name].null_count < len(data)


def _numbers(data: pa.Table, name: str) -> Array:
    parts = [arrow.numbers(part) for part in data[name].chunks]
    return np.concatenate([np.empty(0), *parts])


def _rows_of(data: pa.Table, models: Sequence[str] | None) -> _RunRows:
    """Return the rows by code, of these models in this order.

    Raise DataError if one is missing.
    """
    for name in ("model", "item"):
        if data[name].null_count:
            msg = f"Some rows have no {name}. Add the {name} to these rows, or remove them."
            raise DataError(msg)
    model, names = arrow.coded(data["model"])
    if models is not None:
        for requested in models:
            _refuse_unknown("model", requested, names)
        keep_mask = np.isin(model, [names.index(requested) for requested in models])
        data = arrow.some_rows(data, keep_mask)
        model, names = arrow.coded(data["model"])
        place = np.array([list(models).index(n) for n in names], np.int32)
        model, names = place[model], list(models)
    item, items = arrow.coded(data["item"])
    run, runs = _runs(data)
    score = _numbers(data, "score")
    if np.isinf(score).any():
        msg = "Scores contain infinity; use a missing value instead."
        raise DataError(msg)
    rows = _RunRows(
        model=model,
        models=names,
        item=item,
        items=items,
        run=run,
        runs=runs,
        score=score,
        spent={name: _numbers(data, name) for name in _SPENT if _said(data, name)},
        groups={name: arrow.coded(data[name]) for name in data.column_names if name not in KNOWN},
    )
    return _by_content(rows, data)


def _by_content(rows: _RunRows, data: pa.Table) -> _RunRows:
    """Pair items by content, if an id stands for two questions and all contents are known."""
    if "content" not in data.column_names:
        return rows
    parts = [arrow.numbers(part, absent=0) for part in data["content"].chunks]
    content: npt.NDArray[np.uint64] = np.concatenate([np.empty(0, np.uint64), *parts])
    first = np.zeros(len(rows.items), np.uint64)
    first[rows.item[::-1]] = content[::-1]
    if not content.all() or (first[rows.item] == content).all():
        return rows
    collected = UnsortedRows(rows.model, rows.item, rows.score, rows.run, content, {})
    item, first_rows = pair_by_content(collected, _ranks(rows.items))
    return replace(
        rows, item=item, items=_distinct([rows.items[k] for k in rows.item[first_rows]])
    )


def _distinct(names: list[str]) -> list[str]:
    """Return the names, with a number added to repeated ones."""
    used_names: set[str] = set()
    out = []
    for name in names:
        new, nth = name, 1
        while new in used_names:
            nth += 1
            new = f"{name}#{nth}"
        used_names.add(new)
        out.append(new)
    return out


_SPARSE = 2
"""Ratio of run labels to runs per item above which labels do not identify common runs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunTable:
    """Scores of one model as an array of items by runs, with NaN for missing scores."""

    model: str
    """Name of the model."""
    task: str
    """Name of the benchmark."""
    items: tuple[str, ...] = field(repr=False)
    """Names of the rows; the same for every model of one call of :func:`run_tables`."""
    runs: tuple[str, ...]
    """Names of the columns."""
    scores: Array = field(repr=False)
    """(items, runs), in score units."""
    cost: Array | None = field(default=None, repr=False)
    """Cost per run, (items, runs), also of runs without a score; None if the logs have none."""
    tokens: Array | None = field(default=None, repr=False)
    """All tokens, (items, runs)."""
    input_tokens: Array | None = field(default=None, repr=False)
    """Tokens read, (items, runs)."""
    output_tokens: Array | None = field(default=None, repr=False)
    """Tokens written, (items, runs)."""
    metric: str = "score"
    """Name of the metric."""
    lower_is_better: bool = False
    """Whether lower is better."""
    blocks: bool = True
    """Whether a column is one run over all items (an epoch, a seed); else runs are only numbered.
    """
    groups: Mapping[str, Grouping] = field(default_factory=dict, repr=False)
    """Groups of the items (subject, repository …), by column; the same for every model."""

    @property
    def answered(self) -> BoolArray:
        """Return a mask of the items with a score."""
        return np.isfinite(self.scores).sum(axis=1) > 0


def run_tables(
    table: Table,
    *,
    models: Sequence[str] | None = None,
    task: str | None = None,
    metric: str | None = None,
    duplicates: Duplicates = "refuse",
    errors: Coded = "harness",
) -> tuple[RunTable, ...]:
    """Return one table of runs per model, whose rows are the items of all models in one order.

    Parameters
    ----------
    table : Table
        Scores in long form.
    models : sequence of str, optional
        Models, in this order. Default: all, in order of appearance.
    task : str, optional
        Task set; required if there are several.
    metric : str, optional
        Metric, by its full name or up to a comma. Default: the first one.
    duplicates : {"refuse", "mean", "first", "last", "runs"}, default "refuse"
        Row that is used if rows of the same model, item, and run disagree. With ``"runs"``, each
        row is a separate run.
    errors : Coded, default "harness"
        Treatment of sentinel values, such as -1 among 0 and 1: ``"missing"``, ``"zero"``, or
        ``"keep"`` if they are scores. By default, they raise DataError.

    Examples
    --------
    >>> t = Table.from_columns(
    ...     model=["a", "a", "b"], item=["q", "q", "r"], score=[1, 0, 1], run=[1, 2, 1]
    ... )
    >>> a, b = run_tables(t)
    >>> a.items, a.runs, a.scores.tolist(), b.runs
    (('q', 'r'), ('1', '2'), [[1.0, 0.0], [nan, nan]], ('1',))
    """
    name, data = _one_task(table.data, task)
    metric_name, data = _one_metric(data, metric)
    rows = _rows_of(data, models)
    rows = replace(rows, score=resolve_sentinels(rows.score, rows.model, errors))
    groups = _groups(rows)
    down = any(metric_name in s.lower_is_better and s.task in {None, name} for s in table.sources)
    return tuple(
        _of_model(rows, k, groups, task=name, metric=metric_name, down=down, duplicates=duplicates)
        for k in range(len(rows.models))
    )


def _groups(rows: _RunRows) -> dict[str, Grouping]:
    """Return the group of each item, from the first row that names one."""
    out = {}
    for column, (codes, labels) in rows.groups.items():
        labeled_rows = np.flatnonzero(codes >= 0)[::-1]  # the first row wins
        of_item = np.full(len(rows.items), -1, np.int32)
        of_item[rows.item[labeled_rows]] = codes[labeled_rows]
        out[column] = Grouping(codes=of_item, labels=tuple(labels))
    return out


def _of_model(
    rows: _RunRows,
    model: int,
    groups: dict[str, Grouping],
    *,
    task: str,
    metric: str,
    down: bool,
    duplicates: Duplicates,
) -> RunTable:
    mine = np.flatnonzero(rows.model == model)
    item = rows.item[mine].astype(np.int64)
    labels = np.arange(len(mine)) if duplicates == "runs" else rows.run[mine]
    used, run = np.unique(labels, return_inverse=True)
    width = int(run.max(initial=0)) + 1
    max_runs = int(np.bincount(np.unique(item * width + run) // width).max(initial=1))
    blocks = duplicates != "runs" and len(used) <= _SPARSE * max_runs
    if blocks:
        names = tuple(rows.runs[k] for k in used.tolist())
    else:
        run, names = _numbered(item, run), tuple(str(k + 1) for k in range(max_runs))
    shape = (len(rows.items), len(names))
    cell = item * shape[1] + run
    spent = {name: _first(cell, values[mine], shape) for name, values in rows.spent.items()}
    location = f"{rows.models[model]}, {task}" if task else rows.models[model]
    return RunTable(
        model=rows.models[model],
        task=task,
        items=tuple(rows.items),
        runs=names,
        scores=_resolved_scores(cell, rows.score[mine], shape, duplicates, location),
        metric=metric,
        lower_is_better=down,
        blocks=blocks,
        groups=groups,
        **{name: sheet for name, sheet in spent.items() if not np.isnan(sheet).all()},
    )


def _numbered(item: IntArray, run: IntArray) -> IntArray:
    """Return the position of each row's run among those of its item."""
    width = int(run.max(initial=0)) + 1
    cells, place = np.unique(item * width + run, return_inverse=True)
    owner = cells // width
    nth: IntArray = (np.arange(len(cells)) - np.searchsorted(owner, owner))[place]
    return nth


def _first(cell: IntArray, values: Array, shape: tuple[int, int]) -> Array:
    """Return values in their cells; the first of several."""
    out = np.full(shape[0] * shape[1], np.nan)
    indices = np.flatnonzero(~np.isnan(values))[::-1]  # the first row wins
    out[cell[indices]] = values[indices]
    return out.reshape(shape)


def _resolved_scores(
    cell: IntArray, score: Array, shape: tuple[int, int], duplicates: Duplicates, location: str
) -> Array:
    """Return scores in their cells; contradictory rows as declared."""
    present = ~np.isnan(score)
    cell, score = cell[present], score[present]
    first = _first(cell, score, shape)
    if duplicates == "last":
        return _first(cell[::-1], score[::-1], shape)
    if duplicates == "mean":
        count = np.bincount(cell, minlength=first.size)
        with np.errstate(invalid="ignore"):
            means = np.bincount(cell, weights=score, minlength=first.size) / count
        return means.reshape(shape)
    wrong = int((first.reshape(-1)[cell] != score).sum())
    if wrong and duplicates == "refuse":
        msg = (
            f"{location}: {contradicting_rows(wrong)} with another for the same model, item, and "
            f"run. Set the run column, or {arg('duplicates')}."
        )
        raise DataError(msg)
    return first


def table_of(scores: Any, model: str) -> RunTable:
    """Build a table from numbers, tasks x runs, NaN for missing."""
    try:
        array = numbers(scores)
    except (TypeError, ValueError):
        msg = "Scores must be an array of numbers (tasks × runs), with NaN for missing scores."
        raise DataError(msg) from None
    if array.ndim != 2:
        msg = f"scores must have 2 dimensions (tasks, runs); got {array.ndim}"
        raise DataError(msg)
    if np.isinf(array).any():
        msg = "Scores contain infinity; use NaN for missing scores."
        raise DataError(msg)
    resolve_sentinels(array, np.zeros(array.shape, np.int64), "harness")
    return RunTable(
        model=model,
        task="",
        items=tuple(str(k + 1) for k in range(array.shape[0])),
        runs=tuple(str(k + 1) for k in range(array.shape[1])),
        scores=array,
    )
