"""RunTable: one model's scores on one task set, items x runs, with what they cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.align.collect import Duplicates
from nstar._data.codes import Coded, settled
from nstar._data.matrix import Grouping
from nstar._data.table import Table
from nstar._verbs.runs.rows import RunRows, one_metric, one_task, rows_of
from nstar.errors import DataError

_SPARSE = 2
"""So many times more labels of runs than runs of any item: the labels name no common run."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunTable:
    """Scores of one model, items x runs; NaN where there is none."""

    model: str
    """Who answered."""
    task: str
    """Benchmark."""
    items: tuple[str, ...] = field(repr=False)
    """Names of the rows; the same for every model of one call of :func:`run_tables`."""
    runs: tuple[str, ...]
    """Names of the columns."""
    scores: Array = field(repr=False)
    """(items, runs), in score units."""
    cost: Array | None = field(default=None, repr=False)
    """Money per run, (items, runs), also of runs without a score; None if logs do not tell."""
    tokens: Array | None = field(default=None, repr=False)
    """All tokens, likewise."""
    input_tokens: Array | None = field(default=None, repr=False)
    """Tokens read, likewise."""
    output_tokens: Array | None = field(default=None, repr=False)
    """Tokens written, likewise."""
    metric: str = "score"
    """What the scores measure."""
    lower_is_better: bool = False
    """Less is better."""
    blocks: bool = True
    """A column is one run over all items (an epoch, a seed); else runs are only numbered."""
    groups: Mapping[str, Grouping] = field(default_factory=dict, repr=False)
    """Groups of the items (subject, repository …), by column; the same for every model."""

    @property
    def answered(self) -> BoolArray:
        """Items with a score, a mask of the rows."""
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
    """One table of runs per model; rows are the items of all of them, in one order.

    Parameters
    ----------
    table
        Scores in long form.
    models
        Which models, in this order; all by default, in order of appearance.
    task
        Which task set; needed if there are several.
    metric
        Which metric, whole or up to a comma; the first by default.
    duplicates
        Which row counts when rows of the same model, item and run disagree, or ``"runs"``: each
        is a run of its own.
    errors
        What numbers count as that look like codes for "no score", such as -1 among 0 and 1:
        ``"missing"``, ``"zero"``, or ``"keep"`` if they are scores; DataError until that is said.

    Examples
    --------
    >>> t = Table.from_columns(
    ...     model=["a", "a", "b"], item=["q", "q", "r"], score=[1, 0, 1], run=[1, 2, 1]
    ... )
    >>> a, b = run_tables(t)
    >>> a.items, a.runs, a.scores.tolist(), b.runs
    (('q', 'r'), ('1', '2'), [[1.0, 0.0], [nan, nan]], ('1',))
    """
    name, data = one_task(table.data, task)
    what, data = one_metric(data, metric)
    rows = rows_of(data, models)
    rows = replace(rows, score=settled(rows.score, rows.model, errors))
    groups = _groups(rows)
    down = any(what in s.lower_is_better and s.task in {None, name} for s in table.sources)
    return tuple(
        _of_model(rows, k, groups, task=name, metric=what, down=down, duplicates=duplicates)
        for k in range(len(rows.models))
    )


def _groups(rows: RunRows) -> dict[str, Grouping]:
    """Group of each item, as the first row that names one has it."""
    out = {}
    for column, (codes, labels) in rows.groups.items():
        there = np.flatnonzero(codes >= 0)[::-1]  # the first is written last
        of_item = np.full(len(rows.items), -1, np.int32)
        of_item[rows.item[there]] = codes[there]
        out[column] = Grouping(codes=of_item, labels=tuple(labels))
    return out


def _of_model(
    rows: RunRows,
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
    most = int(_runs_per_item(item, run).max(initial=1))
    blocks = duplicates != "runs" and len(used) <= _SPARSE * most
    if blocks:
        names = tuple(rows.runs[k] for k in used.tolist())
    else:
        run, names = _numbered(item, run), tuple(str(k + 1) for k in range(most))
    shape = (len(rows.items), len(names))
    cell = item * shape[1] + run
    spent = {name: _first(cell, values[mine], shape) for name, values in rows.spent.items()}
    about = f"{rows.models[model]}, {task}" if task else rows.models[model]
    return RunTable(
        model=rows.models[model],
        task=task,
        items=tuple(rows.items),
        runs=names,
        scores=_settled(cell, rows.score[mine], shape, duplicates, about),
        metric=metric,
        lower_is_better=down,
        blocks=blocks,
        groups=groups,
        **{name: sheet for name, sheet in spent.items() if not np.isnan(sheet).all()},
    )


def _runs_per_item(item: IntArray, run: IntArray) -> IntArray:
    width = int(run.max(initial=0)) + 1
    return np.bincount(np.unique(item * width + run) // width)


def _numbered(item: IntArray, run: IntArray) -> IntArray:
    """Place of each row's run among those of its item."""
    width = int(run.max(initial=0)) + 1
    cells, place = np.unique(item * width + run, return_inverse=True)
    owner = cells // width
    nth: IntArray = (np.arange(len(cells)) - np.searchsorted(owner, owner))[place]
    return nth


def _first(cell: IntArray, values: Array, shape: tuple[int, int]) -> Array:
    """Values in their cells; of several the first that is there."""
    out = np.full(shape[0] * shape[1], np.nan)
    there = np.flatnonzero(~np.isnan(values))[::-1]  # the first is written last
    out[cell[there]] = values[there]
    return out.reshape(shape)


def _settled(
    cell: IntArray, score: Array, shape: tuple[int, int], duplicates: Duplicates, about: str
) -> Array:
    """Scores in their cells; rows that contradict each other as declared."""
    there = ~np.isnan(score)
    cell, score = cell[there], score[there]
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
            f"{about}: {wrong} rows contradict another of the same model, item and run; name the "
            "run column, or say with duplicates= which counts, or that they are runs"
        )
        raise DataError(msg)
    return first
