"""One model against a constant: Wilson and Clopper–Pearson intervals, exact binomial test."""

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, Interval, Sides
from nstar.stats._binomial import log_pmf, lower_tail, upper_tail
from nstar.stats._blocks import map_blocks, map_blocks2
from nstar.stats._roots import bisect
from nstar.stats._wilson import wilson_limits
from nstar.stats.critical import z_alpha, z_conf, z_power
from nstar.stats.mcnemar import P_FLOOR

__all__ = [
    "binomial_pvalue",
    "clopper_pearson_interval",
    "one_sample_exact_power",
    "one_sample_n_star",
    "wilson_interval",
]

_TIE = 1 + 1e-7
"""Two probabilities this close count as equal, as in R's binom.test."""


def _check_successes(x: Array, n: Array) -> None:
    checks.counts(x=x, n=n)
    checks.require(n >= 1, "n", "at least 1", n)
    checks.require(x <= n, "x", "at most n", x)


def wilson_interval(x: FloatLike, n: FloatLike, *, conf: FloatLike = 0.95) -> Interval:
    """Return Wilson's score interval for the accuracy of ``x`` correct answers out of ``n``.

    Parameters
    ----------
    x : array_like
        Number of correct answers, a whole number, 0 ≤ x ≤ n.
    n : array_like
        Number of items, a whole number of at least 1.
    conf : array_like, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Interval
        Limits, proportions. The lower limit is 0 for x = 0, and the upper limit is 1 for x = n.
        Inputs broadcast.

    References
    ----------
    Wilson (1927), J. Am. Stat. Assoc. 22.
    Methods: Different items, one model, precision

    Examples
    --------
    >>> low, high = wilson_interval(7, 10)
    >>> round(float(low), 3), round(float(high), 3)
    (0.397, 0.892)
    """
    z = z_conf(conf)

    def block(right: Array, items: Array, crit: Array) -> tuple[Array, Array]:
        _check_successes(right, items)
        return wilson_limits(right, items, crit)

    return Interval(*map_blocks2(block, x, n, z))


def clopper_pearson_interval(x: FloatLike, n: FloatLike, *, conf: FloatLike = 0.95) -> Interval:
    """Return the exact Clopper–Pearson interval for ``x`` correct answers out of ``n``.

    Parameters
    ----------
    x : array_like
        Number of correct answers, a whole number, 0 ≤ x ≤ n.
    n : array_like
        Number of items, a whole number of at least 1.
    conf : array_like, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Interval
        Limits, proportions. The lower limit is 0 for x = 0, and the upper limit is 1 for x = n.
        Inputs broadcast.

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26.
    Methods: Different items, one model, precision

    Examples
    --------
    >>> low, high = clopper_pearson_interval(0, 30)
    >>> float(low), round(float(high), 4)
    (0.0, 0.1157)
    """
    tail = (1 - np.asarray(conf, dtype=np.float64)) / 2
    checks.fraction("conf", conf)

    def block(right: Array, items: Array, out: Array) -> tuple[Array, Array]:
        _check_successes(right, items)
        wrong = items - right
        low = special.betaincinv(np.maximum(right, 1), wrong + 1, out)
        high = special.betaincinv(right + 1, np.maximum(wrong, 1), 1 - out)
        return np.where(right == 0, 0.0, low), np.where(wrong == 0, 1.0, high)

    return Interval(*map_blocks2(block, x, n, tail))


def _other_side(x: Array, n: Array, p0: Array) -> Array:
    """Return the count on the other side of the mode that is at most as likely as ``x``."""
    level = log_pmf(x, n, p0) + np.log(_TIE)
    above = x > n * p0

    def central(k: Array) -> BoolArray:  # k, a whole number on the far side, is too likely
        return log_pmf(k, n, p0) > level

    mode = np.floor((n + 1) * p0)
    low_side = np.floor(bisect(lambda k: ~central(np.floor(k)), -1.0 * np.ones_like(n), mode + 1))
    high_side = np.floor(bisect(lambda k: central(np.floor(k)), mode, n + 1))
    low_side = np.where(central(np.clip(low_side, 0, n)), low_side - 1, low_side)
    high_side = np.where(central(np.clip(high_side, 0, n)), high_side + 1, high_side)
    return np.where(above, low_side, high_side)


def binomial_pvalue(x: FloatLike, n: FloatLike, *, p0: FloatLike) -> Array:
    """Return the exact two-sided p-value for H0: accuracy = ``p0`` (method of small p-values).

    It is the sum over all outcomes that are at most as likely as the observed one, as in R's
    binom.test.

    Parameters
    ----------
    x : array_like
        Number of correct answers, a whole number, 0 ≤ x ≤ n.
    n : array_like
        Number of items, a whole number of at least 1.
    p0 : array_like
        Accuracy under H0, a proportion in (0, 1).

    Returns
    -------
    Array
        In [2.2e-308, 1], never 0; 1 at x = n p0. Inputs broadcast.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(binomial_pvalue(80, 100, p0=0.7)), 5)
    0.02896
    """

    def block(right: Array, items: Array, rate: Array) -> Array:
        _check_successes(right, items)
        checks.fraction("p0", rate)
        opposite = _other_side(right, items, rate)
        above = right > items * rate
        near_tail = np.where(above, upper_tail(right, items, rate), lower_tail(right, items, rate))
        far_tail = np.where(
            above, lower_tail(opposite, items, rate), upper_tail(opposite, items, rate)
        )
        p = np.where(right == items * rate, 1.0, near_tail + far_tail)
        return np.clip(p, P_FLOOR, 1.0)

    return map_blocks(block, x, n, p0)


def one_sample_exact_power(p1: FloatLike, *, p0: float, n: int, alpha: float = 0.05) -> Array:
    """Return the exact power of the two-sided binomial test of ``p0`` for true accuracy ``p1``.

    One design (``p0``, ``n``) at a time.

    Parameters
    ----------
    p1 : array_like
        True accuracy, a proportion in (0, 1), or an array of them.
    p0 : float
        Accuracy under H0, a proportion in (0, 1).
    n : int
        Number of items, a whole number of at least 1.
    alpha : float, default 0.05
        Level of the test, in (0, 1).

    Returns
    -------
    Array
        Probability, in the shape of ``p1``; the size of the test at p1 = p0, 0 where so few items
        never reject.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(one_sample_exact_power(0.8, p0=0.7, n=100)), 4)
    0.654
    """
    checks.fraction("alpha", alpha)
    checks.counts(n=n)
    checks.require(n >= 1, "n", "at least 1 item", n)
    k = np.arange(n + 1, dtype=np.float64)
    reject = k[np.asarray(binomial_pvalue(k, n, p0=p0)) <= alpha]
    truth = np.asarray(p1, dtype=np.float64)
    checks.fraction("p1", truth)
    mass = np.exp(log_pmf(reject, np.full_like(reject, n), truth[..., None]))
    return np.asarray(mass.sum(axis=-1))[()]


def one_sample_n_star(
    p1: FloatLike,
    *,
    p0: FloatLike,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the number of items needed to detect a difference of ``p1`` from a constant ``p0``.

    The score formula: (z_a √(p0 q0) + z_b √(p1 q1))² / (p1 - p0)². A published accuracy is *not* a
    constant: see :func:`nstar.stats.n1_given_published`.

    Parameters
    ----------
    p1 : array_like
        True accuracy, a proportion in [0, 1].
    p0 : array_like
        Accuracy under H0, a proportion in [0, 1].
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Number of items, not rounded up. It is ``inf`` for equal accuracies. Inputs broadcast.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(one_sample_n_star(0.8, p0=0.7)), 1)
    152.5
    """

    def block(truth: Array, null: Array, z_a: Array, z_b: Array) -> Array:
        checks.probability("p1", truth)
        checks.probability("p0", null)
        span = z_a * np.sqrt(null * (1 - null)) + z_b * np.sqrt(truth * (1 - truth))
        gap = truth - null
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gap == 0, np.inf, (span / gap) ** 2)

    return map_blocks(block, p1, p0, z_alpha(alpha, sides=sides), z_power(power))
