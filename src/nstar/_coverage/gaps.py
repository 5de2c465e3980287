"""Items that some models have and others lack, where they lie, and whom they favour."""

from collections.abc import Iterator

import numpy as np

from nstar._coverage.words import limits, size, where
from nstar._findings import Finding, find
from nstar._matrix import NOTHING, ScoreMatrix
from nstar._typing import BoolArray

__all__ = ["gap_findings"]

_CELLS = 5 * 10**8
"""Cells that may be looked at for pairs whose order flips; beyond, neighbours in rank only."""

_SHOWN = 5


def gap_findings(matrix: ScoreMatrix) -> Iterator[Finding]:
    """Findings about missing cells."""
    if matrix.bits is not None and matrix.mask is None:
        return
    there = np.stack([matrix.present(k) for k in range(len(matrix.models))])
    lacking = np.flatnonzero(~there.all(axis=1))
    if not len(lacking):
        return
    gone = (~there).sum(axis=1)
    parts = [
        f"{matrix.models[k]} lacks {gone[k]:,}{_where(matrix, ~there[k])}"
        for k in lacking[np.argsort(-gone[lacking], kind="stable")][:_SHOWN]
    ]
    more = f" and {len(lacking) - _SHOWN} more models" if len(lacking) > _SHOWN else ""
    yield find(
        "missing-items",
        f"{where(matrix)}of {len(matrix.items):,} items {'; '.join(parts)}{more}; "
        f"{int(there.all(axis=0).sum()):,} items are common to all",
    )
    flips = list(_flips(matrix, there, lacking))
    if flips:
        rest = f" … {len(flips) - _SHOWN} more pairs" if len(flips) > _SHOWN else ""
        yield find("order-flips", f"{where(matrix)}{'; '.join(flips[:_SHOWN])}{rest}")


def _where(matrix: ScoreMatrix, missing: BoolArray) -> str:
    """The group in which most of the missing items lie, when they are not spread evenly."""
    total = int(missing.sum())
    for name, grouping in matrix.groups.items():
        known = grouping.codes >= 0
        if not 1 < len(grouping.labels) <= 200:
            continue
        sizes = np.bincount(grouping.codes[known], minlength=len(grouping.labels))
        inside = np.bincount(grouping.codes[known & missing], minlength=len(grouping.labels))
        top = int(inside.argmax())
        even = total * sizes[top] / max(sizes.sum(), 1)
        if inside[top] >= max(10, 0.3 * total, 2 * even):
            whole = inside[top] == sizes[top]
            amount = "all" if whole else f"{inside[top]:,} of"
            return f" ({amount} {sizes[top]:,} in {name} {grouping.labels[top]})"
    return ""


def _flips(matrix: ScoreMatrix, there: BoolArray, lacking: np.ndarray) -> Iterator[str]:
    """Pairs that raw means rank the other way round than their common items."""
    with np.errstate(invalid="ignore"):
        raw = np.array([np.nansum(matrix.row(k)) for k in range(len(matrix.models))])
        raw = raw / there.sum(axis=1)
    order = np.argsort(-raw, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    everyone = len(lacking) * there.size <= _CELLS
    slack = NOTHING * max(map(abs, limits(matrix)))
    done: set[tuple[int, int]] = set()
    for i in lacking:
        near = order[max(rank[i] - 1, 0) : rank[i] + 2]
        row = matrix.row(int(i))
        for j in order if everyone else near:
            pair = (min(i, j), max(i, j))
            if i == j or pair in done:
                continue
            done.add(pair)
            common = there[i] & there[j]
            gap = float((row[common] - matrix.row(int(j))[common]).mean()) if common.any() else 0.0
            apart = min(abs(gap), abs(raw[i] - raw[j])) > slack
            if apart and gap * (raw[i] - raw[j]) < 0:
                up = (raw[i] > raw[j]) != matrix.lower_is_better
                first, second = (i, j) if up else (j, i)
                by, behind = (size(matrix, abs(x)) for x in (raw[i] - raw[j], gap))
                yield (
                    f"raw means put {matrix.models[first]} ahead of {matrix.models[second]} by "
                    f"{by}, their {int(common.sum()):,} common items put it {behind} behind"
                )
