"""One pass over the scores that computes all sums per item."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.matrix import NOTHING
from nstar._engine.item_slices import ItemSlice, stretches
from nstar._verbs.audit.selection import AuditedModels
from nstar.stats._item_rest import RestScore

ROWS = 60
"""Largest number of rows of the heat map; with more models adjacent ones share a row."""
_BYTE = 256
"""Largest count that fits in a byte."""


@dataclass(slots=True, eq=False)
class ItemSums:
    """Sums over models for each item, (N,), and over some items for each model, (M,).

    Scores are less ``offset``; a cohort is all models, or the best ones.
    """

    offset: float
    n: IntArray
    """Number of models with a score."""
    sums: Array
    """Sum of their scores."""
    low: Array
    """Lowest score."""
    high: Array
    """Highest score."""
    top_low: Array
    top_high: Array
    r: Array
    """Item-rest correlation."""
    lone: IntArray
    """Number of items on which only this model has the best score, or the worst, (2, M)."""
    live: IntArray
    """Number of items on which one of the best models differs from the next, (top - 1,)."""
    shared: BoolArray
    """Whether all models have the item."""
    totals: Array
    """Sum of each model's scores on shared items, (M,)."""
    spread: Array
    """Variance of each shared item among all models, and among the best, (2, N)."""
    starts: IntArray
    """First model of each row of the picture."""
    bands: Array
    """Sum of scores, and number of them, by row of the picture and item, (2, rows, N)."""


def _empty(selection: AuditedModels, top: int, offset: float) -> ItemSums:
    n, m = len(selection.items), len(selection.models)
    starts = np.unique(np.linspace(0, m, min(m, ROWS), endpoint=False).astype(np.int64))
    low, high, top_low, top_high, sums, r = np.full((6, n), np.nan)
    return ItemSums(
        offset=offset,
        n=np.zeros(n, dtype=np.int64),
        sums=sums,
        low=low,
        high=high,
        top_low=top_low,
        top_high=top_high,
        r=r,
        lone=np.zeros((2, m), dtype=np.int64),
        live=np.zeros(max(top - 1, 0), dtype=np.int64),
        shared=np.zeros(n, dtype=np.bool_),
        totals=np.zeros(m),
        spread=np.zeros((2, n)),
        starts=starts,
        bands=np.zeros((2, len(starts), n)),
    )


def scanned(selection: AuditedModels, top: int) -> ItemSums:
    """Read every score once, some items at a time."""
    total = float((selection.means * selection.counts).sum())
    offset = 0.0 if selection.matrix.binary else total / float(selection.counts.sum())
    out = _empty(selection, top, offset)
    rest = RestScore(
        selection.counts * (selection.means - offset), selection.counts.astype(np.float64)
    )
    for part in stretches(selection.matrix, selection.models, selection.items, offset):
        _count(out, part)
        _ends(out, part, top)
        _shared(out, part, top)
        out.r[part.place] = rest.correlation(part.scores, part.there)
    return out


def _by_band(cells: Any, starts: IntArray) -> Array:
    """Return sums over the models of each row of the heat map."""
    ends = [*starts[1:].tolist(), len(cells)]
    narrow = cells.dtype.itemsize == 1 and max(np.diff(starts, append=len(cells))) < _BYTE
    kind = np.uint8 if narrow else np.float64
    parts = (slice(a, b) for a, b in zip(starts.tolist(), ends, strict=True))
    return np.stack([np.add.reduce(cells[p], axis=0, dtype=kind) for p in parts]).astype(float)


def _count(out: ItemSums, part: ItemSlice) -> None:
    """Add scores by item, and by row of the heat map."""
    place, m = part.place, len(part.scores)
    band = _by_band(part.scores, out.starts)
    out.bands[0, :, place] = band
    out.sums[place] = band.sum(axis=0)
    counts: Any = np.diff(out.starts, append=m)[:, None]
    if part.there is not None:
        counts = _by_band(part.there.view(np.uint8), out.starts)
    out.bands[1, :, place] = counts
    out.n[place] = counts.sum(axis=0)
    out.shared[place] = out.n[place] == m


def _ends(out: ItemSums, part: ItemSlice, top: int) -> None:
    """Update lowest and highest scores of all models and the best, and models that stand alone."""
    place, x, present = part.place, part.scores, part.there
    best = x[:top], None if present is None else present[:top]
    if x.dtype == np.uint8:
        out.low[place] = out.sums[place] == out.n[place]
        out.high[place] = out.sums[place] > 0
    else:
        out.low[place], out.high[place] = _range(x, present)
    out.top_low[place], out.top_high[place] = _range(*best)
    gaps = np.abs(np.diff(best[0].astype(np.float64), axis=0))
    if present is not None:
        gaps[~(present[: top - 1] & present[1:top])] = 0.0
    slack = NOTHING * max(float(np.abs(x).max(initial=1)), 1.0)
    out.live += np.count_nonzero(gaps > slack, axis=1)
    if x.dtype == np.uint8 and present is None:
        for k, (right, pick) in enumerate(((1, np.argmax), (len(x) - 1, np.argmin))):
            is_lone = out.sums[place] == right
            out.lone[k] += np.bincount(pick(x[:, is_lone], axis=0), minlength=len(x))


def _range(x: Any, present: Any) -> tuple[Array, Array]:
    """Return the range of existing scores; reversed ends if there are none."""
    if present is None:
        return x.min(axis=0), x.max(axis=0)
    return np.where(present, x, np.inf).min(axis=0), np.where(present, x, -np.inf).max(axis=0)


def _shared(out: ItemSums, part: ItemSlice, top: int) -> None:
    """Update totals and variances of items that all models have."""
    shared = out.shared[part.place]
    x = part.scores if part.there is None else part.scores[:, shared]
    out.totals += x.sum(axis=1, dtype=np.float64)
    sums = out.sums[part.place][shared]
    for k, rows in enumerate((x, x[:top])):
        total = sums if k == 0 else rows.sum(axis=0, dtype=np.float64)
        square = total if x.dtype == np.uint8 else np.einsum("ij,ij->j", rows, rows)
        spread = square / len(rows) - np.square(total / len(rows))
        out.spread[k, part.place][shared] = np.maximum(spread, 0.0)
