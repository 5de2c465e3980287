"""Items that some models have and others lack, where they lie, and whom they favour."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.findings import Finding, find
from nstar._data.matrix import NOTHING, ScoreMatrix
from nstar._engine.gram import block, gram, layout
from nstar._verbs.coverage.words import limits, where

_ROWS = 256
"""Models whose pairs with all others are looked at together."""

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
    first, second, common, raw, gap = _flips(matrix, there.sum(axis=1), lacking)
    if len(first):
        told = (
            f"raw means put {matrix.models[i]} ahead of {matrix.models[j]} by "
            f"{abs(by):.3g}, their {int(n):,} common items put it "
            f"{abs(behind):.3g} behind"
            for i, j, n, by, behind in zip(first, second, common, raw, gap, strict=True)
        )
        rest = f" … {len(first) - _SHOWN} more pairs" if len(first) > _SHOWN else ""
        yield find("order-flips", f"{where(matrix)}{'; '.join(islice(told, _SHOWN))}{rest}")


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


def _flips(
    matrix: ScoreMatrix, counts: IntArray, lacking: IntArray
) -> tuple[IntArray, IntArray, IntArray, Array, Array]:
    """Pairs that raw means rank the other way round than their common items.

    The one ahead by raw mean, the other, their common items, and both gaps; by the model that
    lacks items, then by rank.
    """
    m, sign = len(matrix.models), -1 if matrix.lower_is_better else 1
    data = block(matrix, range(m), layout(np.arange(len(matrix.items))))
    with np.errstate(invalid="ignore"):
        means = data.sums / counts
    order = np.argsort(-means, kind="stable")
    place = np.full(m, m, dtype=np.int64)
    place[lacking] = np.arange(len(lacking))
    slack = NOTHING * max(map(abs, limits(matrix)))
    found = []
    columns = data[order]
    for start in range(0, len(lacking), _ROWS):
        rows = lacking[start : start + _ROWS]
        g = gram(data[rows], columns)
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = g.gap / np.asarray(g.n, dtype=np.float64)
            raw = means[rows][:, None] - means[order][None, :]
            apart = np.minimum(np.abs(gap), np.abs(raw)) > slack
            i, j = np.nonzero(apart & (gap * raw < 0))
        first, second = rows[i], order[j]
        new = place[first] < place[second]  # a pair of two that lack items is told once
        common = np.broadcast_to(np.asarray(g.n), gap.shape)
        parts = (first, second, common[i, j], raw[i, j], gap[i, j])
        found.append([part[new] for part in parts])
    first, second, common, raw, gap = (np.concatenate(parts) for parts in zip(*found, strict=True))
    up = raw * sign > 0
    return np.where(up, first, second), np.where(up, second, first), common, raw, gap
