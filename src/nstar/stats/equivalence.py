"""Equivalence and non-inferiority: tests that a gap is *small*.

"Not significantly different" does not mean "equal". The margin m is declared in advance. The tests
show |delta| < m (equivalence by TOST, Schuirmann 1987) or delta > -m (non-inferiority), with
one-sided level ``alpha``. TOST at 5% is equivalent to a 90% interval inside (-m, m).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike
from nstar.errors import ParameterError
from nstar.stats._binomial import log_pmf, upper_tail
from nstar.stats._blocks import map_blocks
from nstar.stats._chi import chi_mean, chi_range
from nstar.stats._normal import span
from nstar.stats._roots import bisect, first_whole
from nstar.stats.critical import k_factor, t_quantile, z_alpha
from nstar.stats.interval import tango_statistic
from nstar.stats.mcnemar import P_FLOOR

__all__ = [
    "Reached",
    "equivalence_exact_margin",
    "equivalence_exact_n_star",
    "equivalence_exact_power",
    "equivalence_margin",
    "equivalence_n_star",
    "equivalence_power",
    "equivalence_pvalue",
    "equivalence_t_n_star",
    "equivalence_t_power",
    "noninferiority_margin",
    "noninferiority_n_star",
    "noninferiority_power",
    "noninferiority_pvalue",
]

_TOWARD = 3
"""Number of steps toward a critical value. Each step leaves at most a tenth of the distance."""
_COUNTS_TRIED_AROUND = 3.0
"""Number of counts around the solution that are evaluated one by one."""
_SCANNED = 20_000
"""Number of items up to which every size is evaluated. Beyond it, steps of the power are below 0.1
points.
"""
_PERIODS = 4.0
"""Range of sizes that are evaluated, in steps of one item of the margin. A period has fewer than 3
steps.
"""
_MAX_ENUMERATED_ITEMS = 1e7
"""Largest number of items for which power is enumerated."""
_FINE = 1e-9
_TINY = 1e-12


def _power(n: Array, m: Array, sd: Array, gap: Array, z: Array) -> Array:
    root = np.sqrt(n) / sd
    prob = special.ndtr((m - gap) * root - z) + special.ndtr((m + gap) * root - z) - 1
    return np.maximum(prob, 0.0)


def _check_design(m: Array, sd: Array, gap: Array) -> None:
    checks.positive("margin", m)
    checks.positive("sigma", sd)
    checks.finite("delta", gap)


def equivalence_power(
    margin: FloatLike,
    *,
    sigma: FloatLike,
    n: FloatLike,
    delta: FloatLike = 0.0,
    alpha: FloatLike = 0.05,
) -> Array:
    """Return the probability of showing |delta| < margin for the true gap ``delta``.

    Parameters
    ----------
    margin : array_like
        Margin declared in advance, in score units, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    n : array_like
        Number of items, > 0.
    delta : array_like, default 0.0
        True gap, in score units.
    alpha : array_like, default 0.05
        Level of each of the two one-sided tests, in (0, 1).

    Returns
    -------
    Array
        Probability by normal theory. It is 0 if the interval is wider than the margins allow.
        Inputs broadcast.

    References
    ----------
    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15.
    Methods: Margins.

    Examples
    --------
    >>> round(float(equivalence_power(0.08, sigma=0.3, n=100)), 3)
    0.693
    """

    def block(m: Array, sd: Array, items: Array, gap: Array, z: Array) -> Array:
        _check_design(m, sd, gap)
        checks.positive("n", items)
        return _power(items, m, sd, gap, z)

    return map_blocks(block, margin, sigma, n, delta, z_alpha(alpha, sides=1))


def equivalence_n_star(
    margin: FloatLike,
    *,
    sigma: FloatLike,
    delta: FloatLike = 0.0,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
) -> Array:
    """Return the number of items needed to show |delta| < margin.

    Parameters
    ----------
    margin : array_like
        Margin declared in advance, in score units, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    delta : array_like, default 0.0
        True gap, in score units.
    alpha : array_like, default 0.05
        Level of each of the two one-sided tests, in (0, 1), meant to be below 0.5.
    power : array_like, default 0.8
        Target power: probability of showing it, in (0, 1).

    Returns
    -------
    Array
        Number of items, not rounded up. It is (z_alpha + z_{(1+power)/2})² sigma² / margin² at
        delta = 0, and ``inf`` if the true gap reaches the margin. A t test needs one or two more
        items. Inputs broadcast.

    References
    ----------
    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15.
    Methods: Margins.

    Examples
    --------
    >>> round(float(equivalence_n_star(0.08, sigma=0.3)), 1)
    120.4
    """
    checks.fraction("power", power)
    z_half = special.ndtri((1 + np.asarray(power, dtype=np.float64)) / 2)

    def block(m: Array, sd: Array, gap: Array, z: Array, zp: Array, target: Array) -> Array:
        _check_design(m, sd, gap)
        distance = m - np.abs(gap)
        with np.errstate(divide="ignore", over="ignore"):
            high = np.where(distance > 0, ((z + zp) * sd / np.maximum(distance, 1e-300)) ** 2, 1.0)
        n = bisect(lambda x: _power(x, m, sd, gap, z) < target, 0.0, high, steps=200)
        n = np.where(gap == 0, high, n)
        return np.where(distance > 0, n, np.inf)

    return map_blocks(block, margin, sigma, delta, z_alpha(alpha, sides=1), z_half, power)


def equivalence_margin(
    n: FloatLike, *, sigma: FloatLike, alpha: FloatLike = 0.05, power: FloatLike = 0.8
) -> Array:
    """Return the smallest margin within which ``n`` items can show equivalence of equal models.

    Parameters
    ----------
    n : array_like
        Number of items, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    alpha : array_like, default 0.05
        Level of each of the two one-sided tests, in (0, 1), meant to be below 0.5.
    power : array_like, default 0.8
        Target power: probability of showing it, in (0, 1).

    Returns
    -------
    Array
        Margin in score units, by the normal formula. Inputs broadcast.

    References
    ----------
    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15.
    Methods: Margins.

    Examples
    --------
    >>> round(float(equivalence_margin(1000, sigma=0.405)), 4)
    0.0375
    """
    checks.fraction("power", power)
    z = z_alpha(alpha, sides=1) + special.ndtri((1 + np.asarray(power, dtype=np.float64)) / 2)
    return map_blocks(span, n, sigma, z)


def noninferiority_power(
    margin: FloatLike,
    *,
    sigma: FloatLike,
    n: FloatLike,
    delta: FloatLike = 0.0,
    alpha: FloatLike = 0.05,
) -> Array:
    """Return the probability of showing delta > -margin for the true gap ``delta``.

    Parameters
    ----------
    margin : array_like
        Margin declared in advance, in score units, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    n : array_like
        Number of items, > 0.
    delta : array_like, default 0.0
        True gap, first minus second, in score units.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1), one-sided.

    Returns
    -------
    Array
        Probability by normal theory. It is ``alpha`` for a gap of -margin. Inputs broadcast.

    References
    ----------
    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15.
    Methods: Margins.

    Examples
    --------
    >>> round(float(noninferiority_power(0.08, sigma=0.3, n=87)), 3)
    0.8
    """

    def block(m: Array, sd: Array, items: Array, gap: Array, z: Array) -> Array:
        _check_design(m, sd, gap)
        checks.positive("n", items)
        return np.asarray(special.ndtr((m + gap) * np.sqrt(items) / sd - z))

    return map_blocks(block, margin, sigma, n, delta, z_alpha(alpha, sides=1))


def noninferiority_n_star(
    margin: FloatLike,
    *,
    sigma: FloatLike,
    delta: FloatLike = 0.0,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
) -> Array:
    """Return the number of items needed to show delta > -margin.

    Parameters
    ----------
    margin : array_like
        Margin declared in advance, in score units, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    delta : array_like, default 0.0
        True gap, first minus second, in score units.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1), one-sided.
    power : array_like, default 0.8
        Target power: probability of showing it, in (0, 1), meant to be above ``alpha``.

    Returns
    -------
    Array
        Number of items, (z_alpha + z_power)² sigma² / (margin + delta)², not rounded up. It is
        ``inf`` if the true gap is -margin or less. Inputs broadcast.

    References
    ----------
    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15.
    Methods: Margins.

    Examples
    --------
    >>> round(float(noninferiority_n_star(0.05, sigma=0.15**0.5)), 1)
    371.0
    """

    def block(m: Array, sd: Array, gap: Array, total: Array) -> Array:
        _check_design(m, sd, gap)
        distance = m + gap
        with np.errstate(divide="ignore", over="ignore"):
            ratio = total * sd / distance
            n = ratio * ratio
        return n if np.minimum.reduce(distance) > 0 else np.where(distance > 0, n, np.inf)

    return map_blocks(block, margin, sigma, delta, k_factor(alpha, power, sides=1))


def noninferiority_margin(
    n: FloatLike, *, sigma: FloatLike, alpha: FloatLike = 0.05, power: FloatLike = 0.8
) -> Array:
    """Return the smallest margin for which ``n`` items can show non-inferiority of an equal model.

    Parameters
    ----------
    n : array_like
        Number of items, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1), one-sided.
    power : array_like, default 0.8
        Target power: probability of showing it, in (0, 1), meant to be above ``alpha``.

    Returns
    -------
    Array
        Margin in score units, by the normal formula. Inputs broadcast.

    References
    ----------
    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15.
    Methods: Margins.

    Examples
    --------
    >>> round(float(noninferiority_margin(1000, sigma=0.405)), 4)
    0.0318
    """
    return map_blocks(span, n, sigma, k_factor(alpha, power, sides=1))


def noninferiority_pvalue(
    n10: FloatLike, n01: FloatLike, n: FloatLike, *, margin: FloatLike
) -> Array:
    """Return the one-sided p-value for H0: delta ≤ -margin from counts (Tango's score test).

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only the first and only the second model answered correctly.
    n : array_like
        Number of items that both models answered, at least 1.
    margin : array_like
        Margin declared in advance, a proportion in (0, 1).

    Returns
    -------
    Array
        p-value, at least 2.2e-308, a bound. Inputs broadcast.

    References
    ----------
    Tango (1998), Stat. Med. 17.
    Methods: Margins.

    Examples
    --------
    >>> round(float(noninferiority_pvalue(86, 78, 1000, margin=0.02)), 4)
    0.015
    """
    checks.within("margin", margin, (0, 1), "in (0, 1)", ends=(False, False))
    t = tango_statistic(n10, n01, n, null=-np.asarray(margin, dtype=np.float64))
    return np.maximum(special.ndtr(-t), P_FLOOR)[()]


def equivalence_pvalue(
    n10: FloatLike, n01: FloatLike, n: FloatLike, *, margin: FloatLike
) -> Array:
    """Return the p-value for H0: |delta| ≥ margin from counts, the larger of two Tango tests.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only the first and only the second model answered correctly.
    n : array_like
        Number of items that both models answered, at least 1.
    margin : array_like
        Margin declared in advance, a proportion in (0, 1).

    Returns
    -------
    Array
        p-value, at least 2.2e-308, a bound. Inputs broadcast.

    References
    ----------
    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15.
    Tango (1998), Stat. Med. 17.
    Methods: Margins.

    Examples
    --------
    >>> round(float(equivalence_pvalue(86, 78, 1000, margin=0.04)), 4)
    0.0069
    """
    down = noninferiority_pvalue(n10, n01, n, margin=margin)
    up = noninferiority_pvalue(n01, n10, n, margin=margin)
    return np.maximum(down, up)


class Reached(NamedTuple):
    """Numbers of items at which a sawtooth power curve reaches the target."""

    first: float
    """Smallest number of items with the target power."""
    steady: float
    """Number of items from which on the power stays at or above the target."""


def least_wins(d: FloatLike, n: FloatLike, *, margin: float, alpha: float = 0.05) -> Array:
    """Return the fewest wins that show "not worse by the margin" among d discordant items.

    The statistic of Tango's test increases with the wins. A few steps toward its critical value
    find the count, or bisection otherwise. The count is d + 1 if even d wins do not suffice.

    Tango (1998), Stat. Med. 17.
    """
    z = float(z_alpha(alpha, sides=1))
    d, n = (np.array(x, dtype=np.float64) for x in np.broadcast_arrays(d, n))

    def statistic(wins: Array) -> Array:
        b = np.clip(wins, 0.0, d)
        return tango_statistic(b, d - b, n, null=-margin)

    x, sd = np.clip(0.5 * (d - n * margin), 0.0, d), np.sqrt(d + n * margin)
    for _ in range(_TOWARD):
        x = np.clip(x + 0.5 * sd * (z - statistic(np.floor(x))), 0.0, d)
    low, high, guess = np.full_like(d, -1.0), d + 1, np.floor(x)
    while (todo := high - low > 1).any():
        at = np.where(todo, np.clip(guess, low + 1, high - 1), high)
        holds = statistic(at) > z
        low, high = np.where(todo & ~holds, at, low), np.where(todo & holds, at, high)
        # next to the last trial while this converges, else the middle
        guess = np.where(holds, high - 1, low + 1)
        is_far = np.abs(guess - x) > _COUNTS_TRIED_AROUND
        guess = np.where(is_far, np.floor(0.5 * (low + high)), guess)
    return high


def _exact_power_at(
    n: Array, margin: float, psi: float, delta: float, alpha: float, sides: int
) -> Array:
    """Return the power at several sizes, summed over the discordant items."""
    lowest, highest = _likely(float(n.min()), psi)[0], _likely(float(n.max()), psi)[1]
    d, size = (v.reshape(-1) for v in np.meshgrid(np.arange(lowest, highest + 1), n))
    is_possible = d <= size
    d, size = d[is_possible], size[is_possible]
    weight = np.exp(_log_pmf(d, size, psi))
    wins, theta = least_wins(d, size, margin=margin, alpha=alpha), (psi + delta) / (2 * psi)
    chance = _at_least(wins, d, theta)
    if sides == 2:
        chance = np.maximum(chance - _at_least(d - wins + 1, d, theta), 0.0)
    out = np.zeros(is_possible.shape)
    out[is_possible] = weight * chance
    return np.minimum(out.reshape(n.size, -1).sum(axis=1), 1.0)


def _at_least(k: Array, d: Array, theta: float) -> Array:
    """Return P(at least k wins among d)."""
    k = np.clip(k, 0.0, d + 1)
    if not 0 < theta < 1:
        return np.where(k <= (d if theta == 1 else 0.0), 1.0, 0.0)
    inside = (k > 0) & (k <= d)
    tail = upper_tail(np.where(inside, k, 1.0), np.where(inside, d, 1.0), theta)
    return np.where(inside, tail, np.where(k <= 0, 1.0, 0.0))


def _check_exact(margin: float, psi: float, delta: float, sides: int) -> None:
    checks.choice("sides", sides, (1, 2))
    checks.require(0 < margin < 1, "margin", "in (0, 1)", margin)
    checks.require(0 < psi <= 1, "psi", "in (0, 1]", psi)
    checks.require(abs(delta) <= psi, "|delta|", "at most psi", delta)


def equivalence_exact_power(
    margin: float,
    *,
    psi: float,
    n: int,
    delta: float = 0.0,
    alpha: float = 0.05,
    sides: int = 2,
) -> float:
    """Return the exact power of Tango's equivalence or non-inferiority test for one design.

    Parameters
    ----------
    margin : float
        Margin declared in advance, a proportion in (0, 1).
    psi : float
        Share of items on which exactly one model is right, in (0, 1].
    n : int
        Number of items, a whole number, at least 1.
    delta : float, default 0.0
        True gap, first minus second, a proportion, |delta| ≤ psi.
    alpha : float, default 0.05
        Level of each one-sided test, in (0, 1).
    sides : int, default 2
        Sides of the test: 2 for equivalence, 1 for non-inferiority.

    Returns
    -------
    float
        Probability, summed over the numbers of discordant items that contain all but 1e-12 of it.
        At delta = ±margin (-margin if one-sided), it is the size of the test.

    References
    ----------
    Tango (1998), Stat. Med. 17. Methods: Margins.

    Examples
    --------
    >>> round(equivalence_exact_power(0.08, psi=0.15, n=200), 4)
    0.7743
    """
    _check_exact(margin, psi, delta, sides)
    checks.counts(n=n)
    checks.require(n >= 1, "n", "at least 1 item", n)
    return float(_exact_power_at(np.array([float(n)]), margin, psi, delta, alpha, sides)[0])


def equivalence_exact_n_star(
    margin: float,
    *,
    psi: float,
    delta: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: int = 2,
    steps: bool = True,
) -> Reached:
    """Return the items at which :func:`equivalence_exact_power` reaches a target, and keeps it.

    Counts are discrete, so power increases and decreases slightly from one size to the next. Both
    numbers are found by evaluating all sizes close to them, over more than a period of these
    steps. Above 20,000 items, the steps are below a tenth of a point, and both numbers are found
    by bisection. Above 10 million items, they are computed by the normal formula.

    Parameters
    ----------
    margin : float
        Margin declared in advance, a proportion in (0, 1).
    psi : float
        Share of items on which exactly one model is right, in (0, 1].
    delta : float, default 0.0
        True gap, first minus second, a proportion, |delta| ≤ psi.
    alpha : float, default 0.05
        Level of each one-sided test, in (0, 1).
    power : float, default 0.8
        Target power: probability of showing it, in (0, 1).
    sides : int, default 2
        Sides of the test: 2 for equivalence, 1 for non-inferiority.
    steps : bool, default True
        Whether to find both numbers. Otherwise, return a size between them that has the target
        power, which is faster.

    Returns
    -------
    Reached
        Numbers of items, whole numbers as floats. Both are the same if ``steps`` is False, and
        ``inf`` if the true gap reaches the margin (if it is -margin or less for one-sided tests).

    References
    ----------
    Tango (1998), Stat. Med. 17. Methods: Margins.

    Examples
    --------
    >>> equivalence_exact_n_star(0.08, psi=0.15)
    Reached(first=211.0, steady=214.0)
    """
    _check_exact(margin, psi, delta, sides)
    checks.fraction("power", power)
    distance = margin + delta if sides == 1 else margin - abs(delta)
    if distance <= 0:
        return Reached(float("inf"), float("inf"))
    return _reached(margin, psi, delta, alpha, power, sides, steps)


@lru_cache(maxsize=256)
def _reached(
    margin: float,
    psi: float,
    delta: float,
    alpha: float,
    power: float,
    sides: int,
    steps: bool,  # noqa: FBT001
) -> Reached:
    def reached(sizes: Array) -> BoolArray:
        return np.asarray(_exact_power_at(sizes, margin, psi, delta, alpha, sides) >= power)

    sigma = float(np.sqrt(max(psi - delta * delta, _TINY)))
    solve = noninferiority_n_star if sides == 1 else equivalence_n_star
    guess = float(solve(margin, sigma=sigma, delta=delta, alpha=alpha, power=power))
    if guess > _MAX_ENUMERATED_ITEMS:
        return Reached(float(np.ceil(guess)), float(np.ceil(guess)))
    one = _crossing(lambda size: bool(reached(np.array([size]))[0]), guess)
    if not steps or one > _SCANNED:
        return Reached(one, one)
    period = max(np.ceil(_PERIODS / margin), 50.0)
    return Reached(_first(reached, one, period), _steady(reached, one, period))


def _crossing(is_reached: Callable[[float], bool], guess: float) -> float:
    """Return a size with the target power, next to a size without it."""
    low, high = max(float(np.floor(0.95 * guess)), 0.0), max(float(np.ceil(1.05 * guess)), 1.0)
    while not is_reached(high):
        low, high = high, max(high + 1, float(np.ceil(1.2 * high)))
    while low > 0 and is_reached(low):
        low, high = float(np.floor(0.8 * low)), low
    return first_whole(is_reached, low, high)


def _first(reached: Callable[[Array], BoolArray], size: float, period: float) -> float:
    """Return the fewest items with the target power, with none over a whole period below."""
    while size > 1:
        below = np.arange(max(size - period, 1.0), size)
        reaching_sizes = below[reached(below)]
        if not reaching_sizes.size:
            break
        size = float(reaching_sizes[0])
    return size


def _steady(reached: Callable[[Array], BoolArray], size: float, period: float) -> float:
    """Return the items from which on the target power is kept, over a whole period above."""
    while True:
        above = np.arange(size, size + period)
        short = above[~reached(above)]
        if not short.size:
            return size
        size = float(short[-1]) + 1


def equivalence_exact_margin(
    n: int,
    *,
    psi: float,
    delta: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: int = 2,
) -> float:
    """Return the smallest margin that ``n`` items can show with the target power.

    Parameters
    ----------
    n : int
        Number of items, a whole number, at least 1.
    psi : float
        Share of items on which exactly one model is right, in (0, 1].
    delta : float, default 0.0
        True gap, first minus second, a proportion, |delta| ≤ psi.
    alpha : float, default 0.05
        Level of each one-sided test, in (0, 1).
    power : float, default 0.8
        Target power: probability of showing it, in (0, 1).
    sides : int, default 2
        Sides of the test: 2 for equivalence, 1 for non-inferiority.

    Returns
    -------
    float
        Margin, a proportion, accurate to 1e-9. It is 1 if there is none.

    References
    ----------
    Tango (1998), Stat. Med. 17. Methods: Margins.

    Examples
    --------
    >>> round(equivalence_exact_margin(1000, psi=0.164), 4)
    0.0377
    """
    low, high = 0.0, 1.0
    while high - low > _FINE:
        midpoint = 0.5 * (low + high)
        reached = equivalence_exact_power(
            midpoint, psi=psi, n=n, delta=delta, alpha=alpha, sides=sides
        )
        low, high = (low, midpoint) if reached >= power else (midpoint, high)
    return high


def _likely(n: float, p: float) -> tuple[float, float]:
    """Return a range that a binomial count leaves with probability below 1e-13 (Bernstein)."""
    third = np.log(2e13) / 3
    reach = third + np.sqrt(third * (third + 6 * n * p * (1 - p)))
    return max(np.floor(n * p - reach), 0.0), min(np.ceil(n * p + reach), n)


def _log_pmf(k: Array, n: Array, p: float) -> Array:
    if 0 < p < 1:
        return log_pmf(k, n, p)
    return np.where(k == (n if p == 1 else 0.0), 0.0, -np.inf)


def equivalence_t_power(
    margin: FloatLike,
    *,
    sigma: FloatLike,
    n: FloatLike,
    delta: FloatLike = 0.0,
    alpha: float = 0.05,
) -> Array:
    """Return the exact power of the paired-t equivalence test (TOST) for graded scores.

    The normal probability is integrated over the chi distribution of s (Owen's Q function).

    Parameters
    ----------
    margin : array_like
        Margin declared in advance, in score units, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    n : array_like
        Number of items, at least 2.
    delta : array_like, default 0.0
        True gap, in score units.
    alpha : float, default 0.05
        Level of each of the two one-sided tests, in (0, 0.5).

    Returns
    -------
    Array
        Probability, which is exact for normal differences. All inputs except ``alpha`` broadcast.

    References
    ----------
    Owen (1965), Biometrika 52.
    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15.
    Methods: Margins.

    Examples
    --------
    >>> round(float(equivalence_t_power(0.08, sigma=0.3, n=100)), 4)
    0.6844
    """
    checks.require(0 < alpha < 0.5, "alpha", "in (0, 0.5)", alpha)

    def block(m: Array, sd: Array, items: Array, gap: Array) -> Array:
        _check_design(m, sd, gap)
        checks.require((items >= 2) & np.isfinite(items), "n", "at least 2, finite", items)
        df = items - 1
        t = -t_quantile(alpha, df)
        root = np.sqrt(items) / sd
        low, high = chi_range(df)
        high = np.clip(m * root / t, low, high)  # above it, the interval is wider than the margin
        up, down, c = ((m - gap) * root)[:, None], ((-m - gap) * root)[:, None], t[:, None]

        def conditional_power(w: Array) -> Array:  # w = s / sigma
            return np.maximum(special.ndtr(up - c * w) - special.ndtr(down + c * w), 0.0)

        return np.minimum(chi_mean(low, high, df, conditional_power), 1.0)

    return map_blocks(block, margin, sigma, n, delta)


def equivalence_t_n_star(
    margin: float, *, sigma: float, delta: float = 0.0, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return the smallest n for which the paired-t equivalence test has the target power.

    Parameters
    ----------
    margin : float
        Margin declared in advance, in score units, > 0.
    sigma : float
        Standard deviation of the per-item difference, in score units, > 0.
    delta : float, default 0.0
        True gap, in score units.
    alpha : float, default 0.05
        Level of each of the two one-sided tests, in (0, 0.5).
    power : float, default 0.8
        Target power: probability of showing it, in (0, 1).

    Returns
    -------
    float
        Number of items, a whole number, at least 2. It is ``inf`` if the true gap reaches the
        margin. The search begins five items below the normal formula, so the result for a power
        below 0.05 can be a few items too large.

    Raises
    ------
    ParameterError
        Even 39 more items than by the normal formula do not have the target power.

    References
    ----------
    Owen (1965), Biometrika 52. Schuirmann (1987), J. Pharmacokinet. Biopharm. 15. Methods:
    Margins.

    Examples
    --------
    >>> equivalence_t_n_star(0.08, sigma=0.3)
    122.0
    """
    start = float(equivalence_n_star(margin, sigma=sigma, delta=delta, alpha=alpha, power=power))
    if not np.isfinite(start):
        return float("inf")
    sizes = np.arange(max(2, int(start) - 5), int(start) + 40)
    reach = equivalence_t_power(margin, sigma=sigma, n=sizes, delta=delta, alpha=alpha) >= power
    if not reach.any():
        msg = f"A power of {power} is not reached with up to {sizes[-1]} items."
        raise ParameterError(msg)
    return float(sizes[int(np.argmax(reach))])
