"""Align rows to matrices, in which scores are paired by item, for any order of rows.

Rows are written to cells as they are read. The memory is therefore that of the matrix (one byte
per cell for 0/1 scores) instead of the table. Rows of a task are collected and sorted only if the
task has runs, repeated rows, or item ids that contradict the content of the questions.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from nstar._base.parameter_types import Coded, Duplicates
from nstar._base.types import IntArray
from nstar._data import arrow
from nstar._data.align.batch import Codes, NameTables, split
from nstar._data.align.collect import (
    concatenate,
    group_of_items,
    pair_by_content,
    reduce_rows,
)
from nstar._data.align.grid import CellGrid
from nstar._data.matrix import Alignment, Grouping, ScoreMatrix
from nstar._data.read_limits import Limits
from nstar._data.table import Source, Table

__all__ = ["directed", "matrices"]

_MAX_CONTENT_EXAMPLES = 5
_FEW_TIMES = 8
"""Ratio of all names to selected names above which names are filtered before they become text."""
_FEW_ITEMS = 20
"""Number of items above which a column with one label per item is not a group column."""


def matrices(
    rows: "Table | Callable[[], Iterable[pa.RecordBatch]]",
    *,
    duplicates: Duplicates = "refuse",
    errors: Coded = "harness",
    limits: Limits | None = None,
) -> list[ScoreMatrix]:
    """Return one matrix for each task and metric, in order of appearance.

    Parameters
    ----------
    rows : Table or callable
        A table, or a function that returns its batches. The function is called again if rows must
        be sorted.
    duplicates : {"refuse", "mean", "first", "last", "runs"}, default "refuse"
        Row that is used if rows of the same model, item, and run differ. With ``"runs"``, each row
        is a separate run. With ``"refuse"``, their mean is used and ``alignment.conflicting``
        counts them. The caller must then raise an error.
    errors : Coded, default "harness"
        Treatment of numbers that look like codes for "no score", such as -1 among 0 and 1:
        ``"missing"``, ``"zero"``, or ``"keep"`` if they are scores. Public functions raise an
        error until the user chooses.
    limits : Limits, optional
        Limits on the numbers of names, cells, and rows that are sorted.

    Examples
    --------
    >>> t = Table.from_columns(model=["a", "a", "b"], item=["q", "r", "r"], score=[1, 0, 1])
    >>> m = matrices(t)[0]
    >>> m.models, m.items, m.row("b").tolist()
    (('a', 'b'), ('q', 'r'), [nan, 1.0])
    """
    batches = rows.batches if isinstance(rows, Table) else rows
    limits = limits or Limits()
    known = NameTables(limits)
    grids: dict[tuple[int, int], CellGrid] = {}
    for batch in batches():
        for key, part in split(batch, known):
            grids.setdefault(key, CellGrid(limits)).add(part, known)
    coded = {key: grid.coded_rows() for key, grid in grids.items()}
    anew = {key: _grid_for_second_pass(grid, coded[key], errors) for key, grid in grids.items()}
    repeat_grids = {key: grid for key, grid in anew.items() if grid is not None}
    if repeat_grids:
        grids |= repeat_grids
        for batch in batches():
            for key, part in split(batch, known):
                if key in repeat_grids:
                    grids[key].add(part, known)
    settled = {"duplicates": duplicates, "errors": errors}
    score_matrices = [
        _build_matrix(key, grid, known, coded[key], settled) for key, grid in grids.items()
    ]
    return directed(score_matrices, rows.sources) if isinstance(rows, Table) else score_matrices


def directed(score_matrices: list[ScoreMatrix], sources: Iterable[Source]) -> list[ScoreMatrix]:
    """Return the matrices, marked if their logs declare that lower is better."""
    down = {(s.task, metric) for s in sources for metric in s.lower_is_better}
    return [
        replace(m, lower_is_better=True)
        if (m.task, m.metric) in down or (None, m.metric) in down
        else m
        for m in score_matrices
    ]


def _grid_for_second_pass(
    grid: CellGrid, coded: dict[float, dict[int, int]], errors: Coded
) -> CellGrid | None:
    """Return an empty grid if the rows have to be read again."""
    decided = tuple(coded) if errors in {"missing", "zero"} else ()
    if not decided and not grid.needs_rows:
        return None
    return CellGrid(grid.limits, collect=grid.needs_rows, codes=decided, coded=errors)


def _build_matrix(
    key: tuple[int, int],
    grid: CellGrid,
    known: NameTables,
    coded: dict[float, dict[int, int]],
    settled: dict[str, Any],
) -> ScoreMatrix:
    models = _labels(known.model.all, grid.models.order)
    items = _labels(known.item.all, grid.items.order)
    report: dict[str, Any] = {
        "rows": grid.rows,
        "unscored": {models[k]: n for k, n in sorted(grid.unscored.items())},
        "content_differs": len(grid.differs),
        "content_examples": tuple(items[k] for k in sorted(grid.differs)[:_MAX_CONTENT_EXAMPLES]),
        "unverified": tuple(models[k] for k in sorted(grid.bare)),
        "group_differs": {name: len(items) for name, items in grid.group_differs.items()},
        "codes": {code: {models[k]: n for k, n in by.items()} for code, by in coded.items()},
        "coded": settled["errors"],
    }
    fields: dict[str, Any] = {
        "task": known.task.all[key[0]].as_py(),
        "metric": known.metric.all[key[1]].as_py(),
        "models": models,
    }
    if grid.collect:
        return _from_rows(grid, known, items, settled["duplicates"], fields, report)
    cells = grid.cells[: len(models), : len(items)]
    fields |= {"items": items, "groups": _groupings(grid.groups, known, len(items))}
    fields["content"] = _content(grid, len(items))
    fields["alignment"] = Alignment(**report)
    if cells.dtype == np.int8:
        return ScoreMatrix.from_cells(cells, **fields)
    return ScoreMatrix.from_means(cells.copy(), **fields)


def _labels(names: pa.Array, order: list[int]) -> list[str]:
    if len(names) > _FEW_TIMES * len(order):
        labels: list[str] = names.take(arrow.array(np.array(order, np.int32))).to_pylist()
        return labels
    all_names = names.to_pylist()
    return [all_names[k] for k in order]


def _from_rows(
    grid: CellGrid,
    known: NameTables,
    items: list[str],
    duplicates: Duplicates,
    fields: dict[str, Any],
    report: dict[str, Any],
) -> ScoreMatrix:
    rows = concatenate(grid.parts)
    grid.parts.clear()
    groups, content = grid.groups, _content(grid, len(items))
    if grid.differs and not grid.bare:
        item, first_rows = pair_by_content(rows, _ranks(items))
        content = None if rows.content is None else rows.content[first_rows]
        items = _unique([items[k] for k in rows.item[first_rows]])
        rows = replace(rows, item=item)
        group_codes = {
            n: group_of_items(item, codes, len(items)) for n, codes in rows.groups.items()
        }
        groups = {name: codes for name, (codes, _) in group_codes.items()}
        differs = {name: wrong for name, (_, wrong) in group_codes.items() if wrong}
        report |= {"by_content": True, "group_differs": differs}
    shape = (len(fields["models"]), len(items))
    cells = reduce_rows(rows, shape, duplicates)
    report |= {
        "repeated": cells.repeated,
        "conflicting": cells.conflicting,
        "settled": duplicates,
        "conflicts": tuple(f"{fields['models'][m]}, {items[i]}" for m, i in cells.conflicts),
    }
    return ScoreMatrix.from_means(
        cells.means,
        items=items,
        counts=cells.counts,
        variances=cells.variances,
        groups=_groupings(groups, known, len(items)),
        alignment=Alignment(**report),
        content=content,
        **fields,
    )


def _content(grid: CellGrid, n: int) -> Any:
    """Return the hash of each item's text, 0 if unknown; None without hashes."""
    content = np.zeros(n, np.uint64)
    content[: len(grid.content[:n])] = grid.content[:n]
    content[sorted(grid.differs)] = 0  # one id with several texts identifies none of them
    return content if content.any() else None


def _ranks(names: list[str]) -> IntArray:
    """Return the rank of each name in sorted order. Numbers are sorted by value."""
    order = sorted(range(len(names)), key=lambda k: (len(names[k]), names[k]))
    ranks = np.empty(len(names), np.int64)
    ranks[order] = np.arange(len(names))
    return ranks


def _unique(names: list[str]) -> list[str]:
    """Return the names, with a number added to each repeated name."""
    counts: dict[str, int] = {}
    for name in names:
        new = name
        while new in counts:
            counts[name] += 1
            new = f"{name}#{counts[name]}"
        counts[new] = 1
    return list(counts)


def _groupings(groups: dict[str, Codes], known: NameTables, n: int) -> dict[str, Grouping]:
    """Return informative groupings: some labels, not one label per item, and no duplicates.

    A column with only one label is kept, because it may have several labels on another task.
    """
    out: dict[str, Grouping] = {}
    partitions: set[bytes] = set()
    for name, codes in sorted(groups.items(), key=lambda g: g[0].startswith("doc_")):
        full = np.full(n, -1, np.int32)
        full[: len(codes[:n])] = codes[:n]
        labels = known.group[name].all
        used, place = np.unique(full[full >= 0], return_inverse=True)
        full[full >= 0] = place
        shape = np.unique(full, return_index=True, return_inverse=True)
        partition = np.argsort(np.argsort(shape[1]))[shape[2]].astype(np.int32).tobytes()
        copied = len(used) > 1 and partition in partitions
        if 0 < len(used) < max(n, _FEW_ITEMS) and not copied:
            partitions.add(partition)
            out[name] = Grouping(codes=full, labels=tuple(_labels(labels, used.tolist())))
    return out
