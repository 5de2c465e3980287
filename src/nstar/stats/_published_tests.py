"""Tests and intervals of the gap that a paper may have used, paired or unpaired.

A paired p-value depends on the gap in items (correct answers of the better model minus those of
the other) and on ``lost``, the number of items that only the other model answered correctly. It
decreases with the gap and increases with ``lost``. An unpaired p-value depends only on the two
counts. For the tail toward the model with the lower score, both directions are reversed. Intervals
are functions of a :class:`CountTable` and the coverage. With both counts fixed, a paired interval
widens at both ends as ``lost`` rises, and an unpaired interval does not change.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from nstar._base.types import Array, Interval
from nstar.stats._binomial import log_pmf, tail_half, upper_tail
from nstar.stats._bootstrap_expansion import (
    SKEW_TERMS,
    GapMoments,
    SkewTerm,
    bootstrap_limits,
    bootstrap_tail,
    paired_moments,
    unpaired_moments,
)
from nstar.stats._wilson import wilson_limits
from nstar.stats.critical import z_conf
from nstar.stats.interval import PairedInterval, newcombe_interval, paired_interval
from nstar.stats.mcnemar import P_FLOOR, mcnemar_pvalue

PairedP: TypeAlias = Callable[[Array, Array, float], Array]
"""p-value as a function of gap, lost, and items."""
UnpairedP: TypeAlias = Callable[[Array, Array, float], Array]
"""p-value as a function of the correct answers of both models and the items per model."""


class PublishedTest(NamedTuple):
    """One test in one tail."""

    name: str
    """Name of the test."""
    sides: int
    """1 or 2."""
    p: PairedP | UnpairedP
    """p-value as a function of the counts."""
    rises: bool = True
    """Whether p increases as the models become closer. False for the tail toward the lower
    score.
    """
    drawn: bool = False
    """Whether the test resamples, so that this p-value is only approximate."""


def _tails(
    name: str, p: PairedP | UnpairedP, *, by_resampling: bool = False
) -> list[PublishedTest]:
    """Return the tests for twice a one-sided p-value, the p-value itself, and its complement."""
    return [
        PublishedTest(
            name, 2, lambda x, y, n: np.minimum(2 * p(x, y, n), 1.0), drawn=by_resampling
        ),
        PublishedTest(name, 1, p, drawn=by_resampling),
        PublishedTest(name, 1, lambda x, y, n: 1 - p(x, y, n), rises=False, drawn=by_resampling),
    ]


_Moments: TypeAlias = Callable[[Array, Array, float], GapMoments]


def _bootstrap_tests(with_ties: _Moments, without_ties: _Moments) -> list[PublishedTest]:
    """Return bootstrap tests that count gaps beyond 0 or twice the gap, with or without ties."""

    def share(boundary: float, moments: _Moments, *, mirrored: bool) -> PairedP:
        return lambda x, y, n: bootstrap_tail(
            moments(x, y, n), boundary=boundary, mirrored=mirrored
        )

    return [
        test
        for boundary, moments in ((0.5, with_ties), (-0.5, without_ties))
        for mirrored in (False, True)
        for test in _tails(
            "resampling", share(boundary, moments, mirrored=mirrored), by_resampling=True
        )
    ]


def _below(z: Array) -> Array:
    return np.asarray(np.maximum(special.ndtr(-z), P_FLOOR))


def _below_t(t: Array, df: Array | float) -> Array:
    with np.errstate(invalid="ignore"):
        tail = special.stdtr(np.maximum(df, 1.0), -t)
    return np.asarray(np.where(np.isinf(t), P_FLOOR, np.maximum(tail, P_FLOOR)))


def _ratio(gap: Array, variance: Array) -> Array:
    """Return the gap divided by its standard error, which is infinite if the variance is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = gap / np.sqrt(np.maximum(variance, 0.0))
    return np.asarray(np.where(gap == 0, 0.0, z))


# --- the same items for both models -------------------------------------------------------


def _exact(gap: Array, lost: Array, n: float) -> Array:
    del n
    tail = tail_half(lost, np.maximum(gap + 2 * lost, 1.0))
    return np.where(gap == 0, 0.5, np.maximum(tail, P_FLOOR))  # for a tie: the other tail


def _exact_other(gap: Array, lost: Array, n: float) -> Array:
    del n
    total = gap + 2 * lost
    return upper_tail(lost, total, 0.5)


def _midp(gap: Array, lost: Array, n: float) -> Array:
    del n
    safe_lost = np.where(
        gap == 0, np.maximum(lost, 1.0), lost
    )  # without discordant items, the exact p-value applies
    return mcnemar_pvalue(gap + safe_lost, safe_lost) / 2


def _score(gap: Array, lost: Array, n: float) -> Array:
    del n
    return _below(_ratio(gap, gap + 2 * lost))


def _corrected(gap: Array, lost: Array, n: float) -> Array:
    del n
    return _below(_ratio(np.maximum(gap - 1, 0.0), gap + 2 * lost))


def _spread(gap: Array, lost: Array, n: float) -> Array:
    """Return the variance of the summed differences about their mean."""
    return gap + 2 * lost - gap * gap / n


def _wald(gap: Array, lost: Array, n: float) -> Array:
    return _below(_ratio(gap, _spread(gap, lost, n)))


def _paired_t_tails(gap: Array, lost: Array, n: float) -> Array:
    return _below_t(_ratio(gap, _spread(gap, lost, n) * n / (n - 1)), n - 1)


def _resampled(gap: Array, lost: Array, n: float) -> GapMoments:
    return paired_moments(gap + lost, lost, n)


def _resampled_with_losses(gap: Array, lost: Array, n: float) -> GapMoments:
    """Return the moments for at least one loss, without which no resample has a loss."""
    return _resampled(gap, np.maximum(lost, 1.0), n)


PAIRED_TESTS: tuple[PublishedTest, ...] = (
    PublishedTest("exact", 2, lambda g, x, n: np.minimum(2 * _exact(g, x, n), 1.0)),
    PublishedTest("exact", 1, _exact),
    PublishedTest("exact", 1, _exact_other, rises=False),
    *_tails("midp", _midp),
    *_tails("asymptotic", _score),
    *_tails("corrected", _corrected),
    *_tails("t", _paired_t_tails),
    *_tails("z", _wald),
    *_tails("resampling", _wald, by_resampling=True),
    *_bootstrap_tests(_resampled, _resampled_with_losses),
    *_tails("resampling", _exact, by_resampling=True),
)
"""McNemar's tests, t, z with the variance of the differences, and resampling tests close to
them.
"""


# --- as if each model had answered items of its own ---------------------------------------


def _apart(x: Array, y: Array, n: float) -> Array:
    """Return n² times the variance of the gap, estimated separately for each model."""
    return (x * (n - x) + y * (n - y)) / n


def _together(x: Array, y: Array, n: float) -> Array:
    """Return n² times the variance of the gap, estimated with one accuracy for both models."""
    total = x + y
    return total * (2 * n - total) / (2 * n)


_ENUMERATED = 1e6
"""Largest number of items for Fisher's test. Beyond it, Yates' correction is equivalent."""


def _fisher(x: Array, y: Array, n: float) -> Array:
    """Return P(X ≥ x) of the hypergeometric distribution, which is symmetric."""
    if n > _ENUMERATED:
        return _yates(x, y, n)
    total = x + y
    share = np.clip(total / (2 * n), 0.5 / n, 1 - 0.5 / n)  # cancels; near the true value
    items = np.full_like(x, n)
    log_one = (
        log_pmf(x, items, share) + log_pmf(y, items, share) - log_pmf(total, 2 * items, share)
    )
    series_sum, term, k, down = np.ones_like(x), np.ones_like(x), x.copy(), y.copy()
    while True:
        term = term * (n - k) * down / ((k + 1) * (n - down + 1))
        k, down = k + 1, down - 1
        if not (term > 1e-17 * series_sum).any():
            break
        series_sum = series_sum + term
    return np.clip(np.exp(log_one) * series_sum, P_FLOOR, 1.0)


def _fisher_other(x: Array, y: Array, n: float) -> Array:
    """Return P(X ≥ y), including the observed split."""
    inner = (y > 0) & (x < n)  # otherwise no split is more extreme
    beyond = _fisher(np.where(inner, x + 1, x), np.where(inner, y - 1, y), n)
    return np.where(inner, 1 - beyond, 1.0)


def _pooled(x: Array, y: Array, n: float) -> Array:
    return _below(_ratio(x - y, _together(x, y, n)))


def _unpooled(x: Array, y: Array, n: float) -> Array:
    return _below(_ratio(x - y, _apart(x, y, n)))


def _yates(x: Array, y: Array, n: float) -> Array:
    return _below(_ratio(np.maximum(x - y - 1, 0.0), _together(x, y, n)))


def _student(x: Array, y: Array, n: float) -> Array:
    return _below_t(_ratio(x - y, _apart(x, y, n) * n / (n - 1)), 2 * n - 2)


def _welch(x: Array, y: Array, n: float) -> Array:
    one, other = x * (n - x), y * (n - y)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = (n - 1) * (one + other) ** 2 / (one * one + other * other)
    df = np.where(np.isfinite(df), df, n - 1)
    return _below_t(_ratio(x - y, _apart(x, y, n) * n / (n - 1)), df)


UNPAIRED_TESTS: tuple[PublishedTest, ...] = (
    PublishedTest("fisher", 2, lambda x, y, n: np.minimum(2 * _fisher(x, y, n), 1.0)),
    PublishedTest("fisher", 1, _fisher),
    PublishedTest("fisher", 1, _fisher_other, rises=False),
    *_tails("pooled", _pooled),
    *_tails("unpooled", _unpooled),
    *_tails("yates", _yates),
    *_tails("unpaired-t", _student),
    *_tails("unpaired-t", _welch),
    *_tails("resampling", _unpooled, by_resampling=True),
    *_bootstrap_tests(unpaired_moments, unpaired_moments),
)
"""Fisher's exact test, two-proportion z, χ² with Yates' correction, t, and resampling tests close
to them.
"""


class CountTable(NamedTuple):
    """Correct answers of each model, items that only the lower-scoring model won, and items."""

    first: Array
    second: Array
    lost: Array
    n: float

    @property
    def gap(self) -> Array:
        """Return the gap, first minus second, as a proportion."""
        return (self.first - self.second) / self.n

    @property
    def wins(self) -> tuple[Array, Array]:
        """Return the numbers of items that only the first and only the second model solved."""
        gap = self.first - self.second
        lost = np.minimum(self.lost, np.floor((self.n - np.abs(gap)) / 2))
        return lost + np.maximum(gap, 0.0), lost + np.maximum(-gap, 0.0)


LimitPair: TypeAlias = Callable[[CountTable, float], tuple[Array, Array]]


class PublishedInterval(NamedTuple):
    """One method for intervals."""

    name: str
    """Name of the method."""
    limits: LimitPair
    """Lower and upper limit, as proportions."""
    drawn: bool = False
    """Whether the method resamples, so that these limits are only approximate."""


def _of(interval: Interval) -> tuple[Array, Array]:
    return np.asarray(interval.low), np.asarray(interval.high)


def _by(method: PairedInterval) -> LimitPair:
    return lambda t, conf: _of(paired_interval(*t.wins, t.n, method=method, conf=conf))


def _around(table: CountTable, half: Array) -> tuple[Array, Array]:
    return np.maximum(table.gap - half, -1.0), np.minimum(table.gap + half, 1.0)


def _t_quantile(conf: float, df: Array | float) -> Array:
    return np.asarray(-special.stdtrit(df, (1 - conf) / 2))


def _paired_error(t: CountTable) -> Array:
    """Return the standard error of the mean difference, with divisor n - 1."""
    spread = sum(t.wins) / t.n - t.gap * t.gap
    return np.sqrt(np.maximum(spread, 0.0) / (t.n - 1))


def _paired_t(t: CountTable, conf: float) -> tuple[Array, Array]:
    return _around(t, _t_quantile(conf, t.n - 1) * _paired_error(t))


def _paired_z(t: CountTable, conf: float) -> tuple[Array, Array]:
    return _around(t, z_conf(conf) * _paired_error(t))


def _paired_newcombe(t: CountTable, conf: float) -> tuple[Array, Array]:
    both_right = np.minimum(t.first, t.second) - t.lost
    neither = t.n - np.maximum(t.first, t.second) - t.lost
    cells = (np.maximum(v, 0.0) for v in (both_right, *t.wins, neither))
    return _of(newcombe_interval(*cells, conf=conf))


def _shares(t: CountTable) -> tuple[Array, Array]:
    return t.first / t.n, t.second / t.n


def _unpaired_error(t: CountTable, *, below: float) -> Array:
    """Return the standard error with separate variances."""
    a, b = _shares(t)
    return np.sqrt((a * (1 - a) + b * (1 - b)) / below)


def _unpaired_wald(t: CountTable, conf: float) -> tuple[Array, Array]:
    return _around(t, z_conf(conf) * _unpaired_error(t, below=t.n))


def _unpaired_corrected(t: CountTable, conf: float) -> tuple[Array, Array]:
    """Return the interval of R's prop.test, which adds 1/n on each side."""
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
    augmented = CountTable(t.first + 1, t.second + 1, t.lost, t.n + 2)
    return _unpaired_wald(augmented, conf)


def _in_proportions(limits: tuple[Array, Array], n: float) -> tuple[Array, Array]:
    low, high = (np.clip(limit / n, -1.0, 1.0) for limit in limits)
    return low, high


def _paired_bootstrap(skew: SkewTerm) -> LimitPair:
    def limits(t: CountTable, conf: float) -> tuple[Array, Array]:
        moments = paired_moments(*t.wins, t.n)
        return _in_proportions(bootstrap_limits(moments, float(z_conf(conf)), skew), t.n)

    return limits


def _unpaired_bootstrap(skew: SkewTerm) -> LimitPair:
    def limits(t: CountTable, conf: float) -> tuple[Array, Array]:
        moments = unpaired_moments(t.first, t.second, t.n)
        return _in_proportions(bootstrap_limits(moments, float(z_conf(conf)), skew), t.n)

    return limits


PAIRED_INTERVALS: tuple[PublishedInterval, ...] = (
    PublishedInterval("tango", _by("tango")),
    PublishedInterval("wald", _by("wald")),
    PublishedInterval("agresti-min", _by("agresti-min")),
    PublishedInterval("bonett-price", _by("bonett-price")),
    PublishedInterval("newcombe", _paired_newcombe),
    PublishedInterval("t", _paired_t),
    PublishedInterval("z", _paired_z),
    PublishedInterval("bootstrap", _by("wald"), drawn=True),
    *(PublishedInterval("bootstrap", _paired_bootstrap(s), drawn=True) for s in SKEW_TERMS),
)
"""Normal, t, score, and adjusted intervals, and bootstrap intervals close to them."""

UNPAIRED_INTERVALS: tuple[PublishedInterval, ...] = (
    PublishedInterval("unpaired-wald", _unpaired_wald),
    PublishedInterval("unpaired-corrected", _unpaired_corrected),
    PublishedInterval("unpaired-pooled", _unpaired_pooled),
    PublishedInterval("unpaired-t", _unpaired_t),
    PublishedInterval("unpaired-newcombe", _unpaired_newcombe),
    PublishedInterval("agresti-caffo", _agresti_caffo),
    PublishedInterval("bootstrap", _unpaired_wald, drawn=True),
    *(PublishedInterval("bootstrap", _unpaired_bootstrap(s), drawn=True) for s in SKEW_TERMS),
)
"""The same intervals for models that answered different items."""
