"""Resolution ratio q = N / N*: number of items divided by number of items needed.

There are two versions, which must not be mixed:

* :func:`q_at` uses a gap declared **before** looking at the scores and only the observed sigma.
  It says what the benchmark can resolve.
* :func:`q_hat` uses the observed gap and is (T / K)², a p-value on another scale. Read it as the
  prospect of a replication of the same size: q ≥ 1 ⇔ |T| ≥ 2.80 ⇔ p ≤ 0.0051, and at N = N* it
  holds with probability 50%, not 80% (Hoenig & Heisey 2001).
"""

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Interval, Sides
from nstar.stats._blocks import map_blocks, map_blocks2
from nstar.stats.critical import k_factor, z_alpha, z_conf
from nstar.stats.paired import rho_bounds
from nstar.stats.power import PairedMethod, paired_n_star_from_rates

__all__ = [
    "exaggeration",
    "log_q_sd",
    "n_star_interval",
    "n_star_over_rho",
    "observed_power",
    "q_at",
    "q_hat",
    "q_interval",
]


def q_at(
    delta: FloatLike,
    *,
    sigma: FloatLike,
    n: FloatLike,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the resolution ratio n delta² / (K² sigma²) for a gap declared in advance.

    Parameters
    ----------
    delta : array_like
        Smallest gap of interest, declared before looking, in score units.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    n : array_like
        Number of items, > 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Number of items divided by the number needed, which is 0 for delta = 0. Inputs broadcast.

    References
    ----------
    Hoenig and Heisey (2001), Am. Stat. 55.
    Methods: q

    Examples
    --------
    Can 1,000 items with sigma = 0.405 resolve two points?

    >>> round(float(q_at(0.02, sigma=0.405, n=1000)), 3)
    0.311
    """

    def block(gap: Array, sd: Array, items: Array, k: Array) -> Array:
        checks.positive("sigma", sd)
        checks.positive("n", items)
        checks.finite("delta", gap)
        ratio = gap / (k * sd)
        return items * ratio * ratio

    return map_blocks(block, delta, sigma, n, k_factor(alpha, power, sides=sides))


def q_hat(
    t: FloatLike, *, alpha: FloatLike = 0.05, power: FloatLike = 0.8, sides: Sides = 2
) -> Array:
    """Return the resolution ratio (T / K)² for the observed gap. E q_hat ≈ q + 1 / K².

    Parameters
    ----------
    t : array_like
        T = delta √n / sigma, from :func:`nstar.stats.t_stat` or a t statistic; it may be infinite.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Number of items divided by the number needed, which is ``inf`` for infinite T. Inputs
        broadcast.

    References
    ----------
    Hoenig and Heisey (2001), Am. Stat. 55.
    Methods: q

    Examples
    --------
    >>> round(float(q_hat(1.969)), 3)
    0.494
    """

    def block(stat: Array, k: Array) -> Array:
        checks.number("t", stat)
        ratio = stat / k
        return ratio * ratio

    return map_blocks(block, t, k_factor(alpha, power, sides=sides))


def _q_limits(stat: Array, crit: Array, k: Array) -> tuple[Array, Array]:
    checks.number("t", stat)
    size = np.abs(stat)
    low, high = np.maximum(size - crit, 0.0) / k, (size + crit) / k
    return low * low, high * high


def q_interval(
    t: FloatLike,
    *,
    conf: FloatLike = 0.95,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Interval:
    """Return the interval for q: (|T| ± z)², at least 0, divided by K².

    Monotone in |T| ± z, so it inherits its coverage (0.948–0.976 simulated); the delta
    method on log q drops to 0.864 at small T.

    Parameters
    ----------
    t : array_like
        T = delta √n / sigma, from :func:`nstar.stats.t_stat` or a t statistic; it may be infinite.
    conf : array_like, default 0.95
        Coverage, in (0, 1).
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Interval
        Limits of the number of items divided by the number needed. The lower limit is 0 if |T| ≤
        z, and both are ``inf`` for infinite T. Inputs broadcast.

    References
    ----------
    Methods: q

    Examples
    --------
    At q = 1 the truth may lie anywhere between 0.09 and 2.89:

    >>> low, high = q_interval(2.8016)
    >>> round(float(low), 2), round(float(high), 2)
    (0.09, 2.89)
    """
    z = z_conf(conf)

    return Interval(*map_blocks2(_q_limits, t, z, k_factor(alpha, power, sides=sides)))


def n_star_interval(
    t: FloatLike,
    *,
    n: FloatLike,
    conf: FloatLike = 0.95,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Interval:
    """Return the interval for the number of items needed, N* = n / q, from that of q.

    Parameters
    ----------
    t : array_like
        T = delta √n / sigma, from :func:`nstar.stats.t_stat` or a t statistic; it may be infinite.
    n : array_like
        Number of items, > 0.
    conf : array_like, default 0.95
        Coverage, in (0, 1).
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Interval
        Limits of the number of items, not rounded up. The upper limit is ``inf`` unless p < 1 -
        conf. Both are 0 for infinite T. Inputs broadcast.

    References
    ----------
    Methods: q

    Examples
    --------
    >>> low, high = n_star_interval(2.8016, n=1000)
    >>> round(float(low)), round(float(high))
    (346, 11080)
    """
    z = z_conf(conf)

    def block(stat: Array, items: Array, crit: Array, k: Array) -> tuple[Array, Array]:
        checks.positive("n", items)
        low, high = _q_limits(stat, crit, k)
        with np.errstate(divide="ignore"):
            return items / high, items / low

    return Interval(*map_blocks2(block, t, n, z, k_factor(alpha, power, sides=sides)))


def observed_power(
    q: FloatLike, *, alpha: FloatLike = 0.05, power: FloatLike = 0.8, sides: Sides = 2
) -> Array:
    """Return "observed power" Phi(K √q - z_alpha), provided so that it can be recognized.

    It is a one-to-one function of the p-value and adds nothing to it.

    Parameters
    ----------
    q : array_like
        Resolution ratio at the observed gap (:func:`q_hat`), ≥ 0; it may be infinite.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1), that ``q`` was computed with.
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Probability: alpha / sides at q = 0, ``power`` at q = 1. Inputs broadcast.

    References
    ----------
    Hoenig and Heisey (2001), Am. Stat. 55. Methods: q

    Examples
    --------
    >>> round(float(observed_power(1.0)), 3), round(float(observed_power(0.494)), 3)
    (0.8, 0.504)
    """
    z = z_alpha(alpha, sides=sides)

    def block(ratio: Array, crit: Array, k: Array) -> Array:
        checks.within("q", ratio, (0, np.inf), ">= 0")
        return np.asarray(special.ndtr(k * np.sqrt(ratio) - crit))

    return map_blocks(block, q, z, k_factor(alpha, power, sides=sides))


def exaggeration(shift: FloatLike, *, critical: FloatLike, sides: Sides = 2) -> Array:
    """Return the average exaggeration of significant gaps, E[|gap| | significant] / true gap.

    It is the type M error (magnitude) of a test whose estimate is normal.

    Parameters
    ----------
    shift : array_like
        True gap in standard errors, > 0.
    critical : array_like
        Critical value of the test in standard errors, ≥ 0, such as 1.96 (:func:`z_alpha`).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Ratio, at least 1: 1.13 at 80% power and 1.41 at 50% power of a two-sided test at 5%. It is
        near 1 for large shifts. Inputs broadcast.

    Notes
    -----
    The mean of the estimate above c is s + φ(c - s) / Φ(s - c), and below -c it is
    s - φ(c + s) / Φ(-c - s). With two sides, both tails count by their probability. The ratios use
    the scaled complementary error function, because both parts vanish if the power is low.

    References
    ----------
    Gelman and Carlin (2014), Perspect. Psychol. Sci. 9. Methods: q

    Examples
    --------
    >>> exaggeration([2.8, 1.96], critical=1.96).round(2).tolist()
    [1.13, 1.41]
    """
    checks.choice("sides", sides, (1, 2))

    def beyond(x: Array) -> Array:
        """Return φ(x) / Φ(-x), the mean distance of a normal variable above x from 0."""
        return np.asarray(np.sqrt(2 / np.pi) / special.erfcx(x * np.sqrt(0.5)))

    def block(true: Array, limit: Array) -> Array:
        checks.positive("shift", true)
        checks.within("critical", limit, (0, np.inf), "a finite number >= 0", ends=(True, False))
        low, high = limit - true, limit + true
        mean = true + beyond(low)
        if sides == 2:
            odds = np.exp(special.log_ndtr(-high) - special.log_ndtr(-low))
            mean = (mean + odds * (beyond(high) - true)) / (1 + odds)
        return np.asarray(mean / true)

    return map_blocks(block, shift, critical)


def log_q_sd(p10: FloatLike, p01: FloatLike, n: FloatLike) -> Array:
    """Return the delta-method sd of ln q from the discordant probabilities, valid for large T.

    sqrt([4 sigma²/delta² - 4 mu3/(delta sigma²) + mu4/sigma⁴ - 1] / n) with the central
    moments of the per-item difference.

    Parameters
    ----------
    p10, p01 : array_like
        Shares of items only A, only B gets right: proportions ≥ 0, p10 + p01 ≤ 1.
    n : array_like
        Number of items, > 0.

    Returns
    -------
    Array
        ``inf`` at delta = 0, and where all items are discordant one way. Inputs broadcast.

    References
    ----------
    Methods: q

    Examples
    --------
    >>> round(float(log_q_sd(0.125, 0.075, 1000)), 4)
    0.5583
    """

    def block(b: Array, c: Array, items: Array) -> Array:
        checks.positive("n", items)
        checks.require((b >= 0) & (c >= 0) & (b + c <= 1), "p10, p01", "proportions", b + c)
        gap = b - c
        var = b + c - gap * gap
        up, down, zero = 1 - gap, -1 - gap, -gap
        rest = 1 - b - c
        m3 = b * up**3 + c * down**3 + rest * zero**3
        m4 = b * up**4 + c * down**4 + rest * zero**4
        with np.errstate(divide="ignore", invalid="ignore"):
            total = 4 * var / gap**2 - 4 * m3 / (gap * var) + m4 / var**2 - 1
            return np.where((gap == 0) | (var == 0), np.inf, np.sqrt(total / items))

    return map_blocks(block, p10, p01, n)


def n_star_over_rho(
    p_a: FloatLike,
    p_b: FloatLike,
    rho: Interval,
    *,
    method: PairedMethod = "connor",
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
) -> Interval:
    """Return the range of N* over an interval of feasible item correlations.

    A higher rho needs fewer items, so the low end of N* comes from the high end of rho.

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, proportions in (0, 1).
    rho : Interval
        Interval of item correlations, such as :func:`nstar.stats.rho_interval` gives.
    method : {"connor", "wald", "miettinen", "default"}, default "connor"
        As in :func:`nstar.stats.paired_n_star_from_rates`.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1), two-sided.
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).

    Returns
    -------
    Interval
        Number of items, not rounded up. It is ``inf`` for equal accuracies. Inputs broadcast.

    References
    ----------
    Connor (1987), Biometrics 43. Methods: Interval for the item correlation

    Examples
    --------
    >>> from nstar.stats import rho_interval
    >>> low, high = n_star_over_rho(0.714, 0.706, rho_interval(0.602, 1000))
    >>> round(float(low)), round(float(high))
    (18181, 22178)
    """
    floor, ceiling = rho_bounds(p_a, p_b)
    corr_low, corr_high = np.clip(rho.low, floor, ceiling), np.clip(rho.high, floor, ceiling)
    upper, lower = (
        paired_n_star_from_rates(p_a, p_b, r, method=method, alpha=alpha, power=power)
        for r in (corr_low, corr_high)
    )
    return Interval(lower, upper)
