"""Sorted rows of one task: merge runs and repeated rows, and pair items by content."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nstar._base.parameter_types import Duplicates
from nstar._base.types import Array, IntArray
from nstar._data.align.batch import Codes
from nstar._data.align.grid import UnsortedRows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AveragedCells:
    """Cells averaged over their runs."""

    means: Array
    """Mean scores, (M, N), NaN if missing."""
    counts: Codes
    """Number of runs per cell, (M, N)."""
    variances: Array
    """Unbiased variance between runs, NaN with fewer than two runs, (M, N)."""
    repeated: int
    """Number of rows that repeat another row."""
    conflicting: int
    """Number of rows that contradict another row."""
    conflicts: list[tuple[int, int]]
    """Model and item of some conflicting rows."""


def concatenate(parts: list[UnsortedRows]) -> UnsortedRows:
    """Join all rows in one batch. Columns that a part lacks are unknown for its rows."""

    def join(name: str, absent: int, dtype: npt.DTypeLike) -> npt.NDArray[np.generic]:
        columns = [getattr(p, name) for p in parts]
        sizes = [len(p.item) for p in parts]
        filled = [
            np.full(n, absent, dtype) if c is None else c
            for c, n in zip(columns, sizes, strict=True)
        ]
        return np.concatenate(filled) if filled else np.empty(0, dtype)

    names = dict.fromkeys(name for p in parts for name in p.groups)
    return UnsortedRows(
        join("model", -1, np.int32),  # type: ignore[arg-type]
        join("item", -1, np.int32),  # type: ignore[arg-type]
        join("score", 0, np.float64),  # type: ignore[arg-type]
        join("run", -1, np.int32),  # type: ignore[arg-type]
        join("content", 0, np.uint64),  # type: ignore[arg-type]
        {
            name: np.concatenate(
                [p.groups.get(name, np.full(len(p.item), -1, np.int32)) for p in parts]
            )
            for name in names
        },
    )


def _starts(*columns: npt.NDArray[np.generic]) -> IntArray:
    """Return the positions at which a new combination of values begins in sorted columns."""
    change = np.zeros(len(columns[0]), np.bool_)
    change[:1] = True
    for column in columns:
        change[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(change)


def pair_by_content(rows: UnsortedRows, rank: IntArray) -> tuple[Codes, IntArray]:
    """Return the item of each row by its content, and for each item a row that contains it.

    If one run of a model has the same question under two ids, these are two items, numbered in the
    order of their ids (``rank``). Under the same id, the second row is a repetition.
    """
    if rows.content is None or rows.run is None:
        return rows.item, np.unique(rows.item, return_index=True)[1]
    order = np.lexsort((rank[rows.item], rows.content, rows.run, rows.model))
    kind = (rows.model[order], rows.run[order], rows.content[order])
    start = _starts(*kind)
    distinct = np.zeros(len(order), np.int64)
    distinct[_starts(*kind, rows.item[order])] = 1
    ids = np.cumsum(distinct)
    nth = np.empty(len(order), np.int64)
    nth[order] = ids - np.repeat(ids[start], np.diff(np.append(start, len(order))))
    by_key = np.lexsort((np.arange(len(order)), nth, rows.content))
    start = _starts(rows.content[by_key], nth[by_key])
    first_rows = by_key[start]
    place = np.empty(len(start), np.int32)
    place[np.argsort(first_rows, kind="stable")] = np.arange(len(start))
    item = np.empty(len(order), np.int32)
    item[by_key] = np.repeat(place, np.diff(np.append(start, len(order))))
    return item, np.sort(first_rows)


def group_of_items(item: Codes, group: Codes, items: int) -> tuple[Codes, int]:
    """Return the first group of each item, or -1, and the number of items with two groups."""
    known = np.flatnonzero(group >= 0)[::-1]  # written last, so that the first row wins
    out = np.full(items, -1, np.int32)
    out[item[known]] = group[known]
    wrong = item[known][out[item[known]] != group[known]]
    return out, len(np.unique(wrong))


def reduce_rows(
    rows: UnsortedRows, shape: tuple[int, int], duplicates: Duplicates
) -> AveragedCells:
    """Return one mean per cell, after merging rows of the same cell and run."""
    run = np.full(len(rows.item), -1, np.int32) if rows.run is None else rows.run
    order = np.lexsort((run, rows.item, rows.model))  # a stable sort
    model, item, run, score = rows.model[order], rows.item[order], run[order], rows.score[order]
    start = np.arange(len(order)) if duplicates == "runs" else _starts(model, item, run)
    length = np.diff(np.append(start, len(order)))
    differs = score != np.repeat(score[start], length)
    wrong = np.flatnonzero(differs)
    if duplicates == "last":
        value = score[start + length - 1]
    elif duplicates == "first" or not len(start):
        value = score[start]
    else:
        value = np.add.reduceat(score, start) / length
    model, item = model[start], item[start]
    cell = model.astype(np.int64) * shape[1] + item
    size = shape[0] * shape[1]
    counts = np.bincount(cell, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(cell, weights=value, minlength=size) / counts
        spread = np.bincount(cell, weights=(value - means[cell]) ** 2, minlength=size)
        variances = np.where(counts > 1, spread / (counts - 1), np.nan)
    return AveragedCells(
        means=means.reshape(shape),
        counts=counts.astype(np.int32).reshape(shape),
        variances=variances.reshape(shape),
        repeated=len(order) - len(start) - len(wrong),
        conflicting=len(wrong),
        conflicts=[(int(rows.model[order[k]]), int(rows.item[order[k]])) for k in wrong[:5]],
    )
