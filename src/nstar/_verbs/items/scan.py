"""One pass over the scores: everything that is known of each item."""

from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.matrix import NOTHING
from nstar._engine.columns import stretches
from nstar._verbs.audit.selection import Field

ROWS = 60
"""Rows of the picture; of more models neighbours in rank share one."""


@dataclass(slots=True, eq=False)
class ItemSums:
    """Sums over models for each item, (N,), and over some items for each model, (M,).

    Scores are less ``offset``; a cohort is all models, or the best ones.
    """

    offset: float
    n: IntArray
    """Models that have the item."""
    sums: Array
    """Sum of their scores."""
    low: Array
    """Their lowest score."""
    high: Array
    """Their highest."""
    top_low: Array
    top_high: Array
    r: Array
    """Item-rest correlation."""
    lone: IntArray
    """Items on which only this model has the best score, or the worst, (2, M)."""
    live: IntArray
    """Items on which one of the best models differs from the next, (top - 1,)."""
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


def _empty(about: Field, top: int, offset: float) -> ItemSums:
    n, m = len(about.items), len(about.models)
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


def scanned(about: Field, top: int) -> ItemSums:
    """Look at every score once, some items at a time."""
    total = float((about.means * about.counts).sum())
    offset = 0.0 if about.matrix.binary else total / float(about.counts.sum())
    out = _empty(about, top, offset)
    totals = about.counts * (about.means - offset)
    for place, x in stretches(about.matrix, about.models, about.items):
        _add(out, place, x - offset if offset else x, top)
        out.r[place] = stats.item_rest(
            x - offset if offset else x, totals=totals, counts=about.counts
        )
    return out


def _add(out: ItemSums, place: slice, x: Array, top: int) -> None:
    """What one stretch of items says."""
    absent = np.isnan(x)
    whole = not absent.any()
    filled = x if whole else np.where(absent, 0.0, x)
    band = np.add.reduceat(filled, out.starts, axis=0)
    out.bands[0, :, place] = band
    out.sums[place] = band.sum(axis=0)
    if whole:
        sizes = np.diff(out.starts, append=len(x))
        out.bands[1, :, place] = sizes[:, None]
        out.n[place] = len(x)
    else:
        there = np.add.reduceat((~absent).astype(np.float64), out.starts, axis=0)
        out.bands[1, :, place] = there
        out.n[place] = there.sum(axis=0)
    least, most = (x, x) if whole else (np.where(absent, v, x) for v in (np.inf, -np.inf))
    out.low[place], out.high[place] = least.min(axis=0), most.max(axis=0)
    out.top_low[place], out.top_high[place] = least[:top].min(axis=0), most[:top].max(axis=0)
    gaps = np.abs(np.diff(x[:top], axis=0))
    slack = NOTHING * max(float(np.abs(filled).max(initial=1.0)), 1.0)
    out.live += np.count_nonzero(gaps > slack, axis=1)  # NaN is not above
    _lone(out, filled, place, whole=whole)
    shared = out.n[place] == len(x)
    out.shared[place] = shared
    some = filled if shared.all() else filled[:, shared]
    out.totals += some.sum(axis=1)
    for k, rows in enumerate((some, some[:top])):
        spread = np.square(rows).sum(axis=0) / len(rows) - np.square(rows.sum(axis=0) / len(rows))
        out.spread[k, place][shared] = np.maximum(spread, 0.0)


def _lone(out: ItemSums, x: Array, place: slice, *, whole: bool) -> None:
    """Items of 0/1 scores on which one model stands alone."""
    if out.offset or not whole:
        return
    m, right = len(x), out.sums[place]
    for k, (rest, pick) in enumerate(((right == 1, np.argmax), (right == m - 1, np.argmin))):
        if rest.any():
            out.lone[k] += np.bincount(pick(x[:, rest], axis=0), minlength=m)
