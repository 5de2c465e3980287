"""Find the tables of counts whose p-value or interval rounds to the reported one.

For fixed counts of both models, every paired p-value and limit is monotone in ``lost``. For each
box of counts, the matching tables are therefore a range of ``lost``, found by bisection. The
search finds every table for which a listed test or interval can give the reported value. Coarse
boxes, and the noise of resampling, may add tables that cannot.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from nstar._base.types import Array, BoolArray
from nstar.stats._bootstrap_expansion import MAX_EXPANSION_ERROR
from nstar.stats._feasible import Feasible
from nstar.stats._published_tests import (
    PAIRED_INTERVALS,
    PAIRED_TESTS,
    UNPAIRED_INTERVALS,
    UNPAIRED_TESTS,
    CountTable,
    PublishedInterval,
    PublishedTest,
)
from nstar.stats.critical import z_conf
from nstar.stats.mcnemar import P_FLOOR

_RESAMPLES = 1000
"""Smallest number of resamples. A p-value below 1/1000 uses more."""
_NOISE_SDS = 3.0
"""Tolerance for resampling noise, in standard deviations."""
_ROUNDING = 1e-9
"""Relative tolerance at the ends of a window, so that a half may be rounded up or down."""
_MIN_COVERAGE = 1e-9
"""Smallest coverage of an interval after resampling noise."""


class RoundingInterval(NamedTuple):
    """Range of numbers that round to the same reported number."""

    low: float
    """Smallest number."""
    high: float
    """Largest number."""


class MatchingTables(NamedTuple):
    """Tables for which one method reproduces the reported value."""

    name: str
    """Test or interval."""
    sides: int
    """Sides of the test: 1 or 2. An interval has 2."""
    paired: bool
    """Whether the method uses the pairing of items."""
    low: Array
    """Smallest ``lost`` for each box."""
    high: Array
    """Largest ``lost`` for each box, which is below ``low`` if no table matches."""

    @property
    def any(self) -> bool:
        """Return whether any table matches."""
        return bool(np.any(self.low <= self.high))


def _first(reach: Callable[[Array], BoolArray], top: Array) -> Array:
    """Return the smallest whole number in [0, top] from which on ``reach`` holds.

    Return top + 1 if there is none.
    """
    low, high = np.full_like(top, -1.0), top + 1
    while np.any(high - low > 1):
        midpoint = np.floor((low + high) / 2)
        holds = reach(np.clip(midpoint, 0.0, np.maximum(top, 0.0)))
        open_ = high - low > 1
        high = np.where(open_ & holds, midpoint, high)
        low = np.where(open_ & ~holds, midpoint, low)
    return high


def _range(
    upper: Callable[[Array], Array],
    lower: Callable[[Array], Array],
    window: RoundingInterval,
    top: Array,
) -> tuple[Array, Array]:
    """Return the values of ``lost`` for which an increasing quantity can lie in a window.

    ``upper`` and ``lower`` are its largest and smallest value in each box.
    """
    return (
        _first(lambda x: np.asarray(upper(x) >= window.low), top),
        _first(lambda x: np.asarray(lower(x) > window.high), top) - 1,
    )


# --- p-values -----------------------------------------------------------------------------


def _wide(window: RoundingInterval, test: PublishedTest) -> RoundingInterval:
    """Widen a window by resampling noise, or by rounding error alone."""
    low, high = window.low * (1 - _ROUNDING), window.high * (1 + _ROUNDING)
    if test.drawn:

        def noise(p: float) -> float:
            share = p / test.sides  # two-sided: twice a share of the resamples
            sd = float(np.sqrt(share * (1 - share) * min(1 / _RESAMPLES, share)))
            return _NOISE_SDS * test.sides * sd

        low, high = low - noise(window.low), high + noise(window.high)
    return RoundingInterval(low, min(max(high, 2 * P_FLOOR), 1.0 + _ROUNDING))


def _paired_test(
    test: PublishedTest, tables: Feasible, window: RoundingInterval
) -> tuple[Array, Array]:
    near_gap, far_gap = (np.subtract(*ends) for ends in (tables.near, tables.far))
    boxes, where = np.unique(np.stack([near_gap, far_gap]), axis=1, return_inverse=True)
    top = np.full(boxes.shape[1], tables.most_lost.max())

    def of(gap: Array) -> Callable[[Array], Array]:
        sign = 1.0 if test.rises else -1.0
        return lambda lost: sign * test.p(gap, lost, tables.n)

    close, distant = of(boxes[0]), of(boxes[1])
    if not test.rises:
        window = RoundingInterval(-window.high, -window.low)
    low, high = _range(close, distant, window, top)
    where = where.ravel()
    return low[where], np.minimum(high[where], tables.most_lost)


def _unpaired_test(
    test: PublishedTest, tables: Feasible, window: RoundingInterval
) -> tuple[Array, Array]:
    close, distant = (test.p(*ends, tables.n) for ends in (tables.near, tables.far))
    max_p, min_p = (close, distant) if test.rises else (distant, close)
    fits = (max_p >= window.low) & (min_p <= window.high)
    return np.zeros_like(close), np.where(fits, tables.most_lost, -1.0)


def matching_tests(tables: Feasible, window: RoundingInterval) -> list[MatchingTables]:
    """Return every usual test with the tables for which its p-value lies in a window.

    The window has the p-values that round to the reported one.

    6 items against 3 have an exact p of 0.508:

    >>> from nstar.stats._feasible import feasible
    >>> matches = matching_tests(feasible((27, 27), (24, 24), 30), RoundingInterval(0.505, 0.515))
    >>> [(f.name, float(f.low[0])) for f in matches if f.paired and f.sides == 2 and f.any]
    [('exact', 3.0), ('resampling', 2.0)]
    """
    out = []
    for tests, paired in ((PAIRED_TESTS, True), (UNPAIRED_TESTS, False)):
        search = _paired_test if paired else _unpaired_test
        for test in tests:
            ends = search(test, tables, _wide(window, test))
            out.append(MatchingTables(test.name, test.sides, paired, *ends))
    return out


# --- intervals ----------------------------------------------------------------------------


def _allowance(window: RoundingInterval, extra: float) -> RoundingInterval:
    slack = _ROUNDING * (window.high - window.low) + 1e-12 + extra
    return RoundingInterval(window.low - slack, window.high + slack)


def _limit(
    method: PublishedInterval, corner: tuple[Array, Array], tables: Feasible, end: int, conf: float
) -> Callable[[Array], Array]:
    """Return one limit at a corner of every box, oriented outward.

    The lower limit has its sign reversed.
    """
    sign = -1.0 if end == 0 else 1.0
    return lambda lost: sign * method.limits(CountTable(*corner, lost, tables.n), conf)[end]


def _levels(method: PublishedInterval, conf: float) -> tuple[float, float]:
    """Return the smallest and largest coverage that quantiles of resamples can represent."""
    if not method.drawn:
        return conf, conf
    tail = (1 - conf) / 2
    beyond = tail * max(_RESAMPLES, 1 / tail)  # resamples outside each limit
    inside = max(_RESAMPLES, 1 / tail) - beyond
    chance = special.ndtr(_NOISE_SDS)
    max_tail = special.betaincinv(beyond + 1, inside, chance)
    min_tail = special.betaincinv(beyond, inside + 1, 1 - chance)
    return max(float(1 - 2 * max_tail), _MIN_COVERAGE), float(1 - 2 * min_tail)


def _interval(
    method: PublishedInterval,
    tables: Feasible,
    ends: tuple[RoundingInterval, RoundingInterval],
    levels: tuple[float, float],
) -> tuple[Array, Array]:
    """Return the values of ``lost`` at which both limits can lie in their windows."""
    top = tables.most_lost
    low, high = np.zeros_like(top), top
    outwards = RoundingInterval(-ends[0].high, -ends[0].low), ends[1]
    for end, corners in enumerate(((tables.least, tables.most), (tables.most, tables.least))):
        upper, lower = (
            _limit(method, corner, tables, end, conf)
            for corner, conf in zip(corners, levels[::-1], strict=True)
        )
        first, last = _range(upper, lower, outwards[end], top)
        low, high = np.maximum(low, first), np.minimum(high, last)
    return low, high


def _unpaired_interval(
    method: PublishedInterval,
    tables: Feasible,
    ends: tuple[RoundingInterval, RoundingInterval],
    levels: tuple[float, float],
) -> tuple[Array, Array]:
    """Return all values of ``lost``, or none, as an unpaired interval does not depend on it."""
    none = np.zeros_like(tables.most_lost)
    min_table, max_table = (
        CountTable(*corner, none, tables.n) for corner in (tables.least, tables.most)
    )
    fits = np.ones(none.shape, dtype=bool)
    for end, window in enumerate(ends):
        narrow, wide = levels if end == 1 else levels[::-1]  # a lower limit rises as it narrows
        fits &= method.limits(max_table, wide)[end] >= window.low
        fits &= method.limits(min_table, narrow)[end] <= window.high
    return none, np.where(fits, tables.most_lost, -1.0)


def matching_intervals(
    tables: Feasible, low: RoundingInterval, high: RoundingInterval, *, conf: float = 0.95
) -> list[MatchingTables]:
    """Return every usual interval with the tables for which both limits lie in their windows.

    The windows have the limits, as proportions, that round to the reported ones.

    >>> from nstar.stats._feasible import feasible
    >>> counts = feasible((714, 714), (706, 706), 1000)
    >>> matches = matching_intervals(
    ...     counts, RoundingInterval(-0.0173, -0.0171), RoundingInterval(0.0332, 0.0334)
    ... )
    >>> [(f.name, float(f.low[0])) for f in matches if f.any][0]
    ('tango', 78.0)
    """
    # in a box of many counts, a limit need not be monotone if it depends on a few items
    extra = 0.0 if tables.single else float(z_conf(conf)) ** 2 / tables.n
    out = []
    for methods, paired in ((PAIRED_INTERVALS, True), (UNPAIRED_INTERVALS, False)):
        search = _interval if paired else _unpaired_interval
        for method in methods:
            slack = extra + (MAX_EXPANSION_ERROR / tables.n if method.drawn else 0.0)
            ends = _allowance(low, slack), _allowance(high, slack)
            lost_range = search(method, tables, ends, _levels(method, conf))
            out.append(MatchingTables(method.name, 2, paired, *lost_range))
    return out


def overlap(one: MatchingTables, other: MatchingTables) -> bool:
    """Return whether two sets have a table in common."""
    return bool(np.any(np.maximum(one.low, other.low) <= np.minimum(one.high, other.high)))
