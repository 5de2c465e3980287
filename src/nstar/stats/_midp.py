"""Compute McNemar's mid-p for millions of pairs by a table of the distinct values.

Ten million pairs of models have at most a few million distinct combinations of discordant items
and lead. Each row of the table belongs to one number of discordant items, and takes a cumulative
product and a cumulative sum. :func:`nstar.stats.mcnemar.mcnemar_pvalue` takes an incomplete beta
function per pair.
"""

import threading
from typing import TypeAlias

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar.stats._binomial import log_pmf, tail_half
from nstar.stats._blocks import BLOCK
from nstar.stats.mcnemar import P_FLOOR, mcnemar_pvalue

_ROWS = 64
"""Number of rows that are computed at a time."""

_WHOLE = 2048
"""Number of discordant items up to which a row contains every lead."""

REACH = 9.0
"""Largest lead in the other rows, in standard deviations. It has p = 2e-19."""

BOUND = 3e-19
"""Bound on the p-value of every lead beyond the table."""

_LARGEST = 1 << 16
"""Largest number of discordant items in the table. The full table takes 400 MB."""

_ORDER = 0.378
"""Coefficient of order 1/n in the deep tail: 0.381 for small leads, and 0.353 if one model wins 19
of 20 items.
"""


def _is_in_table(n: IntArray, lead: IntArray) -> BoolArray:
    """Return which leads are in the table: all for few discordant items, else small ones."""
    x = lead.astype(np.float64)
    x *= x
    return np.asarray(((x <= REACH**2 * n) | (n <= _WHOLE)) & (n < _LARGEST))


def _rows(n: Array, width: int) -> Array:
    """Return mid-p at leads 0, 2, 4, … (1, 3, 5, … for odd n), (n, width)."""
    half_n = np.floor(n / 2)
    k = half_n[:, None] - np.arange(width)
    ratio = np.empty_like(k)
    ratio[:, 0] = np.exp(log_pmf(half_n, np.maximum(n, 1.0), 0.5))
    # P(X = k - 1) / P(X = k) = k / (n - k + 1)
    ratio[:, 1:] = np.maximum(k[:, :-1], 0.0) / (n[:, None] - k[:, :-1] + 1)
    pmf = np.cumprod(ratio, axis=1)
    last = k[:, -1] - 1
    rest = np.where(last >= 0, tail_half(np.maximum(last, 0.0), np.maximum(n, 1.0)), 0.0)
    below = np.cumsum(np.concatenate([rest[:, None], pmf[:, :0:-1]], axis=1), axis=1)[:, ::-1]
    p = 2 * below + pmf
    tied = n % 2 == 0
    p[tied, 0] = np.where(n[tied] > 0, 1 - 0.5 * pmf[tied, 0], 1.0)
    return np.clip(p, P_FLOOR, 1.0)


def _outside_table(discordant: IntArray, leads: IntArray, *, bound: bool) -> Array:
    """Return mid-p outside the table, in deep tails or for very many discordant items."""
    if bound and discordant.max() < _LARGEST:
        return np.full(discordant.shape, BOUND)
    n, lead = discordant.astype(np.float64), leads.astype(np.float64)
    deep = lead > REACH * np.sqrt(n)
    if deep.all() and not bound:
        return _deep_tail(n, lead)
    p = np.full(n.shape, BOUND)
    if not bound:
        p[deep] = _deep_tail(n[deep], lead[deep])
    n, lead = n[~deep], lead[~deep]
    p[~deep] = mcnemar_pvalue((n + lead) / 2, (n - lead) / 2)
    return p


def _deep_tail(n: Array, lead: Array) -> Array:
    """Return mid-p < 2e-19 by Lugannani and Rice's formula with its lattice and 1/n terms."""
    x = lead / n
    square = x * x
    rest = 1.0 - square
    rest *= n
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        up, down = np.log(1.0 + x), np.log(1.0 - x)
        half = up - down
        half *= x
        half += up
        half += down
        half *= 0.5 * n
        inverse = 0.5 / half
        # Mills' ratio at w = √(2 half) ≥ 9, minus 1/w: (-1/w² + 3/w⁴ - 15/w⁶) / w
        p = inverse * -15.0
        p += 3.0
        p *= inverse
        p -= 1.0
        p *= inverse
        p *= np.sqrt(inverse)
        x *= np.sqrt(rest)
        p += 1.0 / x
        np.negative(half, out=half)
        p *= np.exp(half, out=half)
        square *= _ORDER
        square /= rest
        square += 1.0
        p *= np.sqrt(2 / np.pi)
        p /= square
    p[lead == n] = np.exp2(-n[lead == n])  # all items favor one model: each tail has half of 2⁻ⁿ
    return np.maximum(p, P_FLOOR, out=p)


def _block(first: int) -> Array:
    """Return the rows from ``first`` discordant items on that have the same width."""
    n = np.arange(first, first + _ROWS, dtype=np.float64)
    widest = n[-1] if first <= _WHOLE else np.ceil(REACH * np.sqrt(n[-1]))
    return _rows(n, int(widest) // 2 + 1)


_Rows: TypeAlias = tuple[IntArray, Array]
"""Start of each row, or -1 for rows that are not yet computed, and all values."""


class MidpTable:
    """Two-sided mid-p by discordant items and lead |n10 - n01|. Rows are computed on demand.

    The relative error is below 1e-12 for p ≥ 2e-19, and below 2e-12 with a million discordant
    items or more. For smaller p, where only the order of magnitude matters, it is below 1e-5.

    >>> table = MidpTable()
    >>> round(float(table.pvalue(np.array([546]), np.array([46]))[0]), 4)
    0.0491
    """

    def __init__(self) -> None:
        self._now: _Rows = (np.empty(0, dtype=np.int64), np.empty(0))
        self._used = 0
        self._claimed: set[int] = set()
        self._lock = threading.Condition()

    def pvalue(self, discordant: IntArray, lead: IntArray, *, bound: bool = False) -> Array:
        """Return p-values for whole numbers ``lead`` ≤ ``discordant`` of the same parity.

        With ``bound``, values outside the table are not computed but replaced by ``BOUND``.
        """
        totals, leads = discordant.reshape(-1), lead.reshape(-1)
        out = np.empty(discordant.shape)
        flat = out.reshape(-1)
        for at in range(0, flat.size, BLOCK):
            part = slice(at, at + BLOCK)
            n, d, target = totals[part], leads[part], flat[part]
            in_table = _is_in_table(n, d)
            if in_table.all():
                target[:] = self._look_up(n, d)
                continue
            if in_table.any():
                inner = np.flatnonzero(in_table)
                target[inner] = self._look_up(n[inner], d[inner])
                outer = np.flatnonzero(~in_table)
                target[outer] = _outside_table(n[outer], d[outer], bound=bound)
            else:
                target[:] = _outside_table(n, d, bound=bound)
        return out

    def _look_up(self, n: IntArray, lead: IntArray) -> Array:
        start, values = self._rows(n)
        return np.asarray(values[start[n] + (lead >> 1)])

    def _rows(self, discordant: IntArray) -> _Rows:
        """Return the start of each row and all values, after computing the required rows."""
        start, values = self._now
        if discordant.max(initial=0) < start.size and start[discordant].min(initial=0) >= 0:
            return start, values
        blocks = np.flatnonzero(np.bincount(discordant // _ROWS))
        while (mine := self._claim(blocks)) is not None:
            new_blocks: dict[int, Array] = {}
            try:
                for first in mine:
                    new_blocks[first] = _block(first)
            finally:
                with self._lock:
                    self._now = self._with(new_blocks)
                    self._claimed.difference_update(mine)
                    self._lock.notify_all()
        return self._now

    def _claim(self, blocks: IntArray) -> list[int] | None:
        """Return blocks for this thread to compute. No other thread computes them.

        Return None if there are none left.
        """
        with self._lock:
            while True:
                start = self._now[0]
                short = [b for b in (_ROWS * blocks).tolist() if b >= start.size or start[b] < 0]
                if not short:
                    return None
                if mine := [b for b in short if b not in self._claimed]:
                    self._claimed.update(mine)
                    return mine
                self._lock.wait()

    def _with(self, new_blocks: dict[int, Array]) -> _Rows:
        """Return a table with more blocks. Arrays that other threads read are not changed."""
        start, values = self._now
        n_extra = max(max(new_blocks, default=-_ROWS) + _ROWS - start.size, 0)
        start = np.concatenate([start, np.full(n_extra, -1)])
        for first, block in new_blocks.items():
            start[first : first + _ROWS] = self._used + block.shape[1] * np.arange(_ROWS)
            values = self._append(values, block.reshape(-1))
        return start, values

    def _append(self, values: Array, new_values: Array) -> Array:
        """Append values, to a larger array if this one is full."""
        end = self._used + new_values.size
        if end > values.size:
            grown = np.empty(max(2 * values.size, end))
            grown[: self._used] = values[: self._used]
            values = grown
        values[self._used : end] = new_values
        self._used = end
        return values
