"""Equivalence and non-inferiority: showing that a gap is *small*.

"Not significantly different" is not "the same". Here the margin m is declared in advance and
the claim |delta| < m (equivalence, TOST, Schuirmann 1987) or delta > -m (non-inferiority) is
what gets tested, each one-sided at ``alpha``; TOST at 5 % ⇔ the 90 % interval lies in (-m, m).
"""

import numpy as np
from scipy import special

from nstar._typing import Array, FloatLike
from nstar.errors import ParameterError
from nstar.stats import _check
from nstar.stats._binomial import log_pmf
from nstar.stats._blocks import map_blocks
from nstar.stats._chi import chi_mean, chi_range
from nstar.stats._normal import span
from nstar.stats._roots import bisect
from nstar.stats.critical import k_factor, t_quantile, z_alpha
from nstar.stats.interval import tango_statistic
from nstar.stats.mcnemar import P_FLOOR

__all__ = [
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


def _power(n: Array, m: Array, sd: Array, gap: Array, z: Array) -> Array:
    root = np.sqrt(n) / sd
    both = special.ndtr((m - gap) * root - z) + special.ndtr((m + gap) * root - z) - 1
    return np.maximum(both, 0.0)


def _check_design(m: Array, sd: Array, gap: Array) -> None:
    _check.positive("margin", m)
    _check.positive("sigma", sd)
    _check.finite("delta", gap)


def equivalence_power(
    margin: FloatLike,
    *,
    sigma: FloatLike,
    n: FloatLike,
    delta: FloatLike = 0.0,
    alpha: FloatLike = 0.05,
) -> Array:
    """Probability of showing |delta| < margin when the true gap is ``delta`` (normal theory).

    Examples
    --------
    >>> round(float(equivalence_power(0.08, sigma=0.3, n=100)), 3)
    0.693
    """

    def block(m: Array, sd: Array, items: Array, gap: Array, z: Array) -> Array:
        _check_design(m, sd, gap)
        _check.positive("n", items)
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
    """Items to show |delta| < margin; (z_alpha + z_{(1+power)/2})² sigma²/margin² at delta = 0.

    ``inf`` when the true gap reaches the margin. Unrounded; a t test needs 1–2 more.

    Examples
    --------
    >>> round(float(equivalence_n_star(0.08, sigma=0.3)), 1)
    120.4
    """
    _check.fraction("power", power)
    z_half = special.ndtri((1 + np.asarray(power, dtype=np.float64)) / 2)

    def block(m: Array, sd: Array, gap: Array, z: Array, zp: Array, target: Array) -> Array:
        _check_design(m, sd, gap)
        room = m - np.abs(gap)
        with np.errstate(divide="ignore", over="ignore"):
            high = np.where(room > 0, ((z + zp) * sd / np.maximum(room, 1e-300)) ** 2, 1.0)
        n = bisect(lambda x: _power(x, m, sd, gap, z) < target, 0.0, high, steps=200)
        n = np.where(gap == 0, high, n)
        return np.where(room > 0, n, np.inf)

    return map_blocks(block, margin, sigma, delta, z_alpha(alpha, sides=1), z_half, power)


def equivalence_margin(
    n: FloatLike, *, sigma: FloatLike, alpha: FloatLike = 0.05, power: FloatLike = 0.8
) -> Array:
    """Smallest margin within which ``n`` items can show two equal models equivalent.

    Examples
    --------
    >>> round(float(equivalence_margin(1000, sigma=0.405)), 4)
    0.0375
    """
    _check.fraction("power", power)
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
    """Probability of showing delta > -margin when the true gap is ``delta``.

    Examples
    --------
    >>> round(float(noninferiority_power(0.08, sigma=0.3, n=87)), 3)
    0.8
    """

    def block(m: Array, sd: Array, items: Array, gap: Array, z: Array) -> Array:
        _check_design(m, sd, gap)
        _check.positive("n", items)
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
    """Items to show delta > -margin: (z_alpha + z_power)² sigma² / (margin + delta)².

    ``inf`` when the true gap is at or below -margin.

    Examples
    --------
    >>> round(float(noninferiority_n_star(0.05, sigma=0.15**0.5)), 1)
    371.0
    """

    def block(m: Array, sd: Array, gap: Array, total: Array) -> Array:
        _check_design(m, sd, gap)
        room = m + gap
        with np.errstate(divide="ignore", over="ignore"):
            ratio = total * sd / room
            n = ratio * ratio
        return n if np.minimum.reduce(room) > 0 else np.where(room > 0, n, np.inf)

    return map_blocks(block, margin, sigma, delta, k_factor(alpha, power, sides=1))


def noninferiority_margin(
    n: FloatLike, *, sigma: FloatLike, alpha: FloatLike = 0.05, power: FloatLike = 0.8
) -> Array:
    """Smallest margin for which ``n`` items can show an equally good model non-inferior.

    Examples
    --------
    >>> round(float(noninferiority_margin(1000, sigma=0.405)), 4)
    0.0318
    """
    return map_blocks(span, n, sigma, k_factor(alpha, power, sides=1))


def noninferiority_pvalue(
    n10: FloatLike, n01: FloatLike, n: FloatLike, *, margin: FloatLike
) -> Array:
    """One-sided p-value of H0: delta ≤ -margin from counts (Tango's score test).

    Examples
    --------
    >>> round(float(noninferiority_pvalue(86, 78, 1000, margin=0.02)), 4)
    0.015
    """
    _check.within("margin", margin, (0, 1), "in (0, 1)", ends=(False, False))
    t = tango_statistic(n10, n01, n, null=-np.asarray(margin, dtype=np.float64))
    return np.maximum(special.ndtr(-t), P_FLOOR)[()]


def equivalence_pvalue(
    n10: FloatLike, n01: FloatLike, n: FloatLike, *, margin: FloatLike
) -> Array:
    """p-value of H0: |delta| ≥ margin from counts: the larger of the two Tango tests.

    Examples
    --------
    >>> round(float(equivalence_pvalue(86, 78, 1000, margin=0.04)), 4)
    0.0069
    """
    down = noninferiority_pvalue(n10, n01, n, margin=margin)
    up = noninferiority_pvalue(n01, n10, n, margin=margin)
    return np.maximum(down, up)


def equivalence_exact_power(
    margin: float,
    *,
    psi: float,
    n: int,
    delta: float = 0.0,
    alpha: float = 0.05,
    sides: int = 2,
) -> float:
    """Exact power of the Tango equivalence test (``sides=1``: non-inferiority), one design.

    Enumerates the tables (n10, n01) that hold all but 1e-12 of the probability; at delta =
    ±margin it is the test's size.

    Examples
    --------
    >>> round(equivalence_exact_power(0.08, psi=0.15, n=200), 4)
    0.7743
    """
    _check.choice("sides", sides, (1, 2))
    _check.counts(n=n)
    _check.require(n >= 1, "n", "at least 1 item", n)
    _check.require(0 < margin < 1, "margin", "in (0, 1)", margin)
    _check.require(0 < psi < 1, "psi", "in (0, 1)", psi)
    _check.require(abs(delta) <= psi, "|delta|", "at most psi", delta)
    z = float(z_alpha(alpha, sides=1))
    theta = (psi + delta) / (2 * psi)
    few, many = _likely(float(n), psi)
    least, most = _likely(few, theta)[0], _likely(many, theta)[1]
    b, d = np.meshgrid(np.arange(least, most + 1), np.arange(few, many + 1))
    b, d = b[b <= d], d[b <= d]
    shown = tango_statistic(b, d - b, n, null=-margin) > z
    if sides == 2:
        shown &= tango_statistic(b, d - b, n, null=margin) < -z
    b, d = b[shown], d[shown]
    weights = np.exp(_log_pmf(d, np.full_like(d, n), psi) + _log_pmf(b, d, theta))
    return min(float(weights.sum()), 1.0)


def _likely(n: float, p: float) -> tuple[float, float]:
    """Range outside which a binomial count lies with a chance below 1e-13 (Bernstein)."""
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
    """Exact power of the paired-t equivalence test (TOST) for graded scores, n ≥ 2.

    Integrates the normal probability over the chi distribution of s (Owen's Q function).

    Examples
    --------
    >>> round(float(equivalence_t_power(0.08, sigma=0.3, n=100)), 4)
    0.6844
    """
    _check.require(0 < alpha < 0.5, "alpha", "in (0, 0.5)", alpha)

    def block(m: Array, sd: Array, items: Array, gap: Array) -> Array:
        _check_design(m, sd, gap)
        _check.require((items >= 2) & np.isfinite(items), "n", "at least 2, finite", items)
        df = items - 1
        t = -t_quantile(alpha, df)
        root = np.sqrt(items) / sd
        low, high = chi_range(df)
        high = np.clip(m * root / t, low, high)  # beyond, the interval is wider than the margin
        up, down, c = ((m - gap) * root)[:, None], ((-m - gap) * root)[:, None], t[:, None]

        def shown(w: Array) -> Array:  # w = s / sigma
            return np.maximum(special.ndtr(up - c * w) - special.ndtr(down + c * w), 0.0)

        return np.minimum(chi_mean(low, high, df, shown), 1.0)

    return map_blocks(block, margin, sigma, n, delta)


def equivalence_t_n_star(
    margin: float, *, sigma: float, delta: float = 0.0, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Smallest n whose paired-t equivalence test has the wanted power (one design).

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
        msg = f"power {power} is not reached up to {sizes[-1]} items"
        raise ParameterError(msg)
    return float(sizes[int(np.argmax(reach))])
