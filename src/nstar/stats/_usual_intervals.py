"""Intervals of the gap that a paper may have printed, paired or not.

Each is a function of a :class:`CountTable` and the coverage. With the counts of both fixed a
paired interval widens at both ends as ``lost`` rises; one for different items does not change.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from nstar._base.types import Array, Interval
from nstar.stats._wilson import wilson_limits
from nstar.stats.critical import z_conf
from nstar.stats.interval import PairedInterval, newcombe_interval, paired_interval

NEAR = 0.05
"""How far a bootstrap's limits may be from normal ones, as a part of the half-width."""


class CountTable(NamedTuple):
    """Right answers of each model, items won by the one that is behind, items."""

    first: Array
    second: Array
    lost: Array
    n: float

    @property
    def gap(self) -> Array:
        """First minus second, a proportion."""
        return (self.first - self.second) / self.n

    @property
    def wins(self) -> tuple[Array, Array]:
        """Items that only the first, only the second got right, no more than there are."""
        apart = self.first - self.second
        lost = np.minimum(self.lost, np.floor((self.n - np.abs(apart)) / 2))
        return lost + np.maximum(apart, 0.0), lost + np.maximum(-apart, 0.0)


LimitPair: TypeAlias = Callable[[CountTable, float], tuple[Array, Array]]


class UsualInterval(NamedTuple):
    """One method."""

    name: str
    """Which one."""
    limits: LimitPair
    """Lower and upper limit, proportions."""
    drawn: bool = False
    """By resampling, so only near these limits."""


def _of(found: Interval) -> tuple[Array, Array]:
    return np.asarray(found.low), np.asarray(found.high)


def _by(method: PairedInterval) -> LimitPair:
    return lambda t, conf: _of(paired_interval(*t.wins, t.n, method=method, conf=conf))


def _around(table: CountTable, half: Array) -> tuple[Array, Array]:
    return np.maximum(table.gap - half, -1.0), np.minimum(table.gap + half, 1.0)


def _t_quantile(conf: float, df: Array | float) -> Array:
    return np.asarray(-special.stdtrit(df, (1 - conf) / 2))


def _paired_error(t: CountTable) -> Array:
    """Standard error of the mean difference, n - 1 below."""
    spread = sum(t.wins) / t.n - t.gap * t.gap
    return np.sqrt(np.maximum(spread, 0.0) / (t.n - 1))


def _paired_t(t: CountTable, conf: float) -> tuple[Array, Array]:
    return _around(t, _t_quantile(conf, t.n - 1) * _paired_error(t))


def _paired_z(t: CountTable, conf: float) -> tuple[Array, Array]:
    return _around(t, z_conf(conf) * _paired_error(t))


def _paired_newcombe(t: CountTable, conf: float) -> tuple[Array, Array]:
    both = np.minimum(t.first, t.second) - t.lost
    neither = t.n - np.maximum(t.first, t.second) - t.lost
    cells = (np.maximum(v, 0.0) for v in (both, *t.wins, neither))
    return _of(newcombe_interval(*cells, conf=conf))


def _shares(t: CountTable) -> tuple[Array, Array]:
    return t.first / t.n, t.second / t.n


def _unpaired_error(t: CountTable, *, below: float) -> Array:
    """Standard error with each model's own variance."""
    a, b = _shares(t)
    return np.sqrt((a * (1 - a) + b * (1 - b)) / below)


def _unpaired_wald(t: CountTable, conf: float) -> tuple[Array, Array]:
    return _around(t, z_conf(conf) * _unpaired_error(t, below=t.n))


def _unpaired_corrected(t: CountTable, conf: float) -> tuple[Array, Array]:
    """As R's prop.test: 1/n more on either side."""
    correction = np.minimum(1 / t.n, np.abs(t.gap))
    return _around(t, z_conf(conf) * _unpaired_error(t, below=t.n) + correction)


def _unpaired_pooled(t: CountTable, conf: float) -> tuple[Array, Array]:
    mean = sum(_shares(t)) / 2
    return _around(t, z_conf(conf) * np.sqrt(2 * mean * (1 - mean) / t.n))


def _unpaired_t(t: CountTable, conf: float) -> tuple[Array, Array]:
    return _around(t, _t_quantile(conf, 2 * t.n - 2) * _unpaired_error(t, below=max(t.n - 1, 1.0)))


def _unpaired_newcombe(t: CountTable, conf: float) -> tuple[Array, Array]:
    z, items = float(z_conf(conf)), np.full_like(t.first, t.n)
    (l1, u1), (l2, u2) = (wilson_limits(x, items, z) for x in (t.first, t.second))
    a, b = _shares(t)
    return t.gap - np.hypot(a - l1, u2 - b), t.gap + np.hypot(u1 - a, b - l2)


def _agresti_caffo(t: CountTable, conf: float) -> tuple[Array, Array]:
    more = CountTable(t.first + 1, t.second + 1, t.lost, t.n + 2)
    return _unpaired_wald(more, conf)


PAIRED_INTERVALS: tuple[UsualInterval, ...] = (
    UsualInterval("tango", _by("tango")),
    UsualInterval("wald", _by("wald")),
    UsualInterval("agresti-min", _by("agresti-min")),
    UsualInterval("bonett-price", _by("bonett-price")),
    UsualInterval("newcombe", _paired_newcombe),
    UsualInterval("t", _paired_t),
    UsualInterval("z", _paired_z),
    UsualInterval("bootstrap", _by("wald"), drawn=True),
)
"""Normal, t, score and adjusted intervals, and the bootstrap near them."""

UNPAIRED_INTERVALS: tuple[UsualInterval, ...] = (
    UsualInterval("unpaired-wald", _unpaired_wald),
    UsualInterval("unpaired-corrected", _unpaired_corrected),
    UsualInterval("unpaired-pooled", _unpaired_pooled),
    UsualInterval("unpaired-t", _unpaired_t),
    UsualInterval("unpaired-newcombe", _unpaired_newcombe),
    UsualInterval("agresti-caffo", _agresti_caffo),
    UsualInterval("bootstrap", _unpaired_wald, drawn=True),
)
"""The same as if each model had answered items of its own."""
