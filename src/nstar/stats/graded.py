"""Graded paired scores: the t test, its interval, exact power, number of items, and MDE.

All functions take summaries of the per-item difference D = A - B: its mean and standard deviation
(ddof 1), in score units, and the number of items n. Power is exact for normal differences: the
noncentral t tail is integrated over the chi distribution of the observed standard deviation,
because library routines for the noncentral t return NaN for many large effects and differ between
releases.
"""

from collections.abc import Callable

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, Interval, Sides
from nstar.stats._blocks import map_blocks, map_blocks2
from nstar.stats._chi import chi_mean, chi_range
from nstar.stats._roots import bracketed
from nstar.stats.critical import k_factor, t_quantile, z_alpha

__all__ = [
    "t_interval",
    "t_log_pvalue",
    "t_mde",
    "t_n_star",
    "t_power",
    "t_pvalue",
]

_TINY = np.finfo(np.float64).tiny
_REACH = 8.5
"""Normal quantile beyond which a tail (1e-17) does not change a probability."""
_LARGE = 1e12
"""Number of items above which power cannot distinguish n from n + 1, so the normal start is
returned.
"""
_UNDERFLOW = 1e-290
"""Tail probability below which the logarithm is computed separately."""


def _statistic(mean: Array, sd: Array, n: Array) -> Array:
    checks.require(np.isfinite(mean), "mean", "finite", mean)
    checks.require((sd >= 0) & np.isfinite(sd), "sd", "finite and >= 0", sd)
    checks.require((n >= 2) & np.isfinite(n), "n", "at least 2 items", n)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(mean == 0, 0.0, mean * np.sqrt(n) / sd)


def _tail(mean: Array, sd: Array, n: Array, *, sides: Sides) -> tuple[Array, Array, Array]:
    """Return degrees of freedom, t with large values as extreme, and its upper tail."""
    t = _statistic(mean, sd, n)
    if sides == 2:
        t = np.abs(t)
    return n - 1, t, special.stdtr(n - 1, -t)


def t_pvalue(mean: FloatLike, sd: FloatLike, n: FloatLike, *, sides: Sides = 2) -> Array:
    """Return the p-value of the paired t test from the mean and sd of the per-item differences.

    Parameters
    ----------
    mean, sd : array_like
        Mean and standard deviation (ddof 1) of the differences, in score units.
    n : array_like
        Number of items, at least 2. The test has n - 1 degrees of freedom.
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest. Negate ``mean`` for the other
        side.

    Returns
    -------
    Array
        p-value, which is never 0. The smallest result, 2.2e-308, is an upper bound. Inputs
        broadcast.

    Notes
    -----
    For sd = 0, the data contain no information about their error. The result is then 1 for mean =
    0, and the bound for any other mean (1 for a negative mean if one-sided). This bound is an
    artifact of n equal differences and not evidence. Use the sign-flip test for such data.

    References
    ----------
    Student (1908), Biometrika 6.
    Methods: Graded scores.

    Examples
    --------
    >>> round(float(t_pvalue(0.02, 0.12, 100)), 6)
    0.098742
    >>> float(t_pvalue(0.0, 0.0, 100))
    1.0
    """
    checks.choice("sides", sides, (1, 2))

    def block(m: Array, s: Array, items: Array) -> Array:
        _, _, tail = _tail(m, s, items, sides=sides)
        # without any difference there is no evidence for either side
        return np.where((m == 0) & (s == 0), 1.0, np.clip(sides * tail, _TINY, 1.0))

    return map_blocks(block, mean, sd, n)


def _beta_fraction(a: Array, x: Array) -> Array:
    """Return the continued fraction of the incomplete beta function I_x(a, 1/2) by Lentz."""
    b = 0.5
    c = np.ones_like(x)
    d = 1 / (1 - (a + b) * x / (a + 1))
    h = d.copy()
    for m in range(1, 300):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / (1 + even * d), 1 + even / c
        h = h * d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / (1 + odd * d), 1 + odd / c
        h = h * d * c
        if np.all(np.abs(d * c - 1) < 1e-15):
            break
    return h


def _log_tail(df: Array, t: Array) -> Array:
    """Return log P(T > t) in a far tail, where the probability itself underflows."""
    a = df / 2
    with np.errstate(divide="ignore"):
        spread = np.logaddexp(0.0, 2 * np.log(t) - np.log(df))
    x = np.exp(-spread)
    front = -a * spread + 0.5 * np.log1p(-x) - np.log(a) - special.betaln(a, 0.5)
    return np.asarray(front + np.log(0.5 * _beta_fraction(a, x)))


def t_log_pvalue(mean: FloatLike, sd: FloatLike, n: FloatLike, *, sides: Sides = 2) -> Array:
    """Return the natural log of :func:`t_pvalue`, also if the p-value itself underflows.

    Parameters
    ----------
    mean, sd : array_like
        Mean and standard deviation (ddof 1) of the differences, in score units.
    n : array_like
        Number of items, at least 2. The test has n - 1 degrees of freedom.
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest. Negate ``mean`` for the other
        side.

    Returns
    -------
    Array
        Logarithm, at most 0. For sd = 0 and mean ≠ 0, the statistic is infinite and the result is
        -inf (0 for a negative mean if one-sided). Inputs broadcast.

    References
    ----------
    Student (1908), Biometrika 6.
    Methods: No p of 0.

    Examples
    --------
    >>> round(float(t_log_pvalue(0.5, 0.5, 12032)), 2)
    -4174.45
    """
    checks.choice("sides", sides, (1, 2))

    def block(m: Array, s: Array, items: Array) -> Array:
        df, t, tail = _tail(m, s, items, sides=sides)
        underflows = (tail < _UNDERFLOW) & np.isfinite(t)
        with np.errstate(divide="ignore"):
            log_p = np.log(tail)
        log_p[underflows] = _log_tail(df[underflows], t[underflows])
        log_p = np.minimum(log_p + np.log(sides), 0.0)
        return np.where((m == 0) & (s == 0), 0.0, log_p)

    return map_blocks(block, mean, sd, n)


def t_interval(
    mean: FloatLike, sd: FloatLike, n: FloatLike, *, conf: FloatLike = 0.95
) -> Interval:
    """Return the two-sided t interval for the mean difference, mean ± t sd / √n.

    Parameters
    ----------
    mean, sd : array_like
        Mean and standard deviation (ddof 1) of the differences, in score units.
    n : array_like
        Number of items, at least 2.
    conf : array_like, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Interval
        Limits in score units, not clipped to the range of the score. For sd = 0, the width is 0,
        which shows that all differences were equal, but not that the mean is known. Inputs
        broadcast.

    References
    ----------
    Student (1908), Biometrika 6.
    Methods: Graded scores.

    Examples
    --------
    >>> low, high = t_interval(0.02, 0.12, 100)
    >>> round(float(low), 5), round(float(high), 5)
    (-0.00381, 0.04381)
    """
    checks.fraction("conf", conf)

    def block(m: Array, s: Array, items: Array, level: Array) -> tuple[Array, Array]:
        _statistic(m, s, items)
        half = -t_quantile((1 - level) / 2, items - 1) * s / np.sqrt(items)
        return m - half, m + half

    return Interval(*map_blocks2(block, mean, sd, n, conf))


def _power_at(shift: Array, df: Array, critical: Array, *, sides: Sides) -> Array:
    """Return P(T > critical) (+ P(T < -critical)) for T = (Z + shift) / w and shift >= 0.

    Below w = (shift - 8.5) / critical, rejection is certain, and the chi distribution function
    gives the mass. Only the range in which the normal tail varies is integrated.
    """
    w_min, w_max = chi_range(df)
    certain = np.clip((shift - _REACH) / critical, w_min, w_max)
    never = np.clip((shift + _REACH) / critical, w_min, w_max)
    s, c = shift[:, None], critical[:, None]
    power = special.gammainc(df / 2, df / 2 * certain * certain)
    power = power + chi_mean(certain, never, df, lambda w: special.ndtr(s - c * w))
    two_tailed = np.flatnonzero(shift < _REACH) if sides == 2 else np.empty(0, dtype=np.intp)
    if two_tailed.size:
        s, c = s[two_tailed], c[two_tailed]
        high = np.clip(
            (_REACH - shift[two_tailed]) / critical[two_tailed],
            w_min[two_tailed],
            w_max[two_tailed],
        )
        power[two_tailed] += chi_mean(
            w_min[two_tailed], high, df[two_tailed], lambda w: special.ndtr(-s - c * w)
        )
    return np.asarray(np.minimum(power, 1.0))


def _critical(alpha: Array, df: Array, *, sides: Sides) -> Array:
    return -t_quantile(alpha / sides, df)


def _check_level(alpha: FloatLike, sides: Sides) -> None:
    checks.choice("sides", sides, (1, 2))
    checks.fraction("alpha", alpha)
    if sides == 1:
        a = np.asarray(alpha)
        checks.require(a < 0.5, "alpha", "below 0.5 for a one-sided test", a)


def t_power(
    delta: FloatLike,
    *,
    sigma: FloatLike,
    n: FloatLike,
    alpha: FloatLike = 0.05,
    sides: Sides = 2,
) -> Array:
    """Return the probability that the paired t test rejects for a true mean difference.

    It is exact to about 1e-13 for normal differences, from the tails of the noncentral t
    distribution with n - 1 degrees of freedom and noncentrality delta √n / sigma.

    Parameters
    ----------
    delta : array_like
        True gap, in score units. Its sign is ignored.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    n : array_like
        Number of items, at least 2. Real values are allowed, for planning.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1); below 0.5 if ``sides`` is 1.
    sides : {1, 2}, default 2
        Sides of the test: 2 (the tail on the wrong side counts as rejection), or 1 if only the
        side of ``delta`` is of interest.

    Returns
    -------
    Array
        Probability, which is ``alpha`` for a gap of 0. Inputs broadcast.

    References
    ----------
    Student (1908), Biometrika 6.
    Methods: Graded scores.

    Examples
    --------
    >>> round(float(t_power(0.02, sigma=0.12, n=285)), 4)
    0.8007
    >>> round(float(t_power(0.0, sigma=0.12, n=10)), 4)
    0.05
    """
    _check_level(alpha, sides)

    def block(d: Array, s: Array, items: Array, level: Array) -> Array:
        _check_effect(d, s)
        checks.require((items >= 2) & np.isfinite(items), "n", "at least 2 items", items)
        df = items - 1
        shift = np.abs(d) / s * np.sqrt(items)
        return _power_at(shift, df, _critical(level, df, sides=sides), sides=sides)

    return map_blocks(block, delta, sigma, n, alpha)


def _check_effect(delta: Array, sigma: Array) -> None:
    checks.require(np.isfinite(delta), "delta", "finite", delta)
    checks.positive("sigma", sigma)


def _first_whole(reached: Callable[[Array], BoolArray], start: Array) -> Array:
    """Return the smallest whole n >= 2 near ``start`` for which a monotone predicate is true."""
    high, step = start, 1.0
    while not (ok := reached(high)).all():
        high, step = np.where(ok, high, high + step), 2 * step
    low, step = high - 1, 1.0
    while (ok := (low >= 2) & reached(np.maximum(low, 2))).any():
        high = np.where(ok, low, high)
        low, step = np.where(ok, np.maximum(low - step, 1), low), 2 * step
    while (wide := high - low > 1).any():
        midpoint = np.floor(0.5 * (low + high))
        ok = reached(np.maximum(midpoint, 2))
        high = np.where(wide & ok, midpoint, high)
        low = np.where(wide & ~ok, midpoint, low)
    return high


def t_n_star(
    delta: FloatLike,
    *,
    sigma: FloatLike,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the number of items that the paired t test needs to detect ``delta``.

    It is the smallest n with the target power. For levels from 0.001 to 0.05, it differs by at
    most one or two from K² sigma² / delta² + z² / 2 (Guenther 1981), at which the search begins.

    Parameters
    ----------
    delta : array_like
        Gap to detect, in score units. Its sign is ignored.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1); below 0.5 if ``sides`` is 1.
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only the side of ``delta`` is of interest.

    Returns
    -------
    Array
        Number of items, a whole number as float, at least 2. It is ``inf`` if ``delta`` is 0.
        Above 1e12 items, it is the start of the search, rounded up, because power cannot
        distinguish neighboring n. Inputs broadcast.

    References
    ----------
    Guenther (1981), for the start of the search.
    Methods: Graded scores.

    Examples
    --------
    >>> t_n_star([0.01, 0.02, 0.0], sigma=0.12)
    array([1133.,  285.,   inf])
    """
    _check_level(alpha, sides)
    checks.fraction("power", power)

    def block(d: Array, s: Array, level: Array, want: Array) -> Array:
        _check_effect(d, s)
        effect = np.abs(d) / s
        k = np.maximum(k_factor(level, want, sides=sides), 0.0)
        with np.errstate(divide="ignore", over="ignore"):
            rough = np.square(k / np.where(effect > 0, effect, np.nan))
        rough = np.where(effect > 0, rough, np.inf)
        n = np.ceil(np.maximum(rough + 0.5 * z_alpha(level, sides=sides) ** 2, 2.0))
        todo = np.flatnonzero(n < _LARGE)
        effect, level, want = effect[todo], level[todo], want[todo]

        def reached(items: Array) -> BoolArray:
            critical = _critical(level, items - 1, sides=sides)
            shift = effect * np.sqrt(items)
            return _power_at(shift, items - 1, critical, sides=sides) >= want

        n[todo] = _first_whole(reached, n[todo])
        return n

    return map_blocks(block, delta, sigma, alpha, power)


def shift_for_power(
    df: FloatLike, alpha: FloatLike, power: FloatLike, *, sides: Sides = 2
) -> Array:
    """Return the noncentrality at which Student's t reaches ``power``.

    It is 0 if ``power`` ≤ ``alpha``, because any effect suffices, and NaN for infinite degrees of
    freedom, for which :func:`k_factor` applies.

    >>> round(float(shift_for_power(4, 0.05, 0.8)), 4)
    3.7611
    """
    nu, level, want = (
        np.array(x, dtype=np.float64).reshape(-1) for x in np.broadcast_arrays(df, alpha, power)
    )
    critical = _critical(level, nu, sides=sides)
    # both Z > -z_q and w < w_q, each with probability (1 + power) / 2, would suffice
    each = 0.5 * (1 + want)
    spread = np.sqrt(special.gammaincinv(nu / 2, each) / (nu / 2))
    high = critical * spread + special.ndtri(each)
    shift = bracketed(
        lambda x: _power_at(x, nu, critical, sides=sides) - want, np.zeros_like(high), high
    )
    shape = np.broadcast_shapes(*(np.shape(x) for x in (df, alpha, power)))
    return np.where(want > level, shift, 0.0).reshape(shape)[()]


def t_mde(
    n: FloatLike,
    *,
    sigma: FloatLike,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the smallest true mean difference that the paired t test detects.

    This is the inverse of :func:`t_power` in ``delta``, by bracketing (Chandrupatla 1997).

    Parameters
    ----------
    n : array_like
        Number of items, at least 2.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1); below 0.5 if ``sides`` is 1.
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Gap in score units, > 0, or 0 if ``power`` ≤ ``alpha``, because any effect suffices. Inputs
        broadcast.

    References
    ----------
    Methods: Graded scores.

    Examples
    --------
    >>> round(float(t_mde(285, sigma=0.12)), 5)
    0.01998
    """
    _check_level(alpha, sides)
    checks.fraction("power", power)

    def block(items: Array, s: Array, level: Array, want: Array) -> Array:
        checks.require((items >= 2) & np.isfinite(items), "n", "at least 2 items", items)
        checks.positive("sigma", s)
        # pairs of one benchmark share n, so solve once for each distinct combination
        distinct, where = np.unique(np.stack([items, level, want]), axis=1, return_inverse=True)
        shift = shift_for_power(distinct[0] - 1, *distinct[1:], sides=sides)
        return shift[where.reshape(-1)] * s / np.sqrt(items)

    return map_blocks(block, n, sigma, alpha, power)
