"""Wilcoxon signed-rank test of symmetry, its power, and the number of items it needs.

It tests whether the per-item differences are symmetric about 0, not whether their mean is 0. With
skewed differences it can reject while the means agree, and vice versa. It is provided for
comparison with other reports; the t and sign-flip tests answer the question about means.
"""

from typing import Literal

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Sides
from nstar.stats._blocks import map_blocks
from nstar.stats._normal import needed
from nstar.stats.critical import k_factor, z_alpha

__all__ = ["wilcoxon_n_star", "wilcoxon_power", "wilcoxon_pvalue"]

_TINY = np.finfo(np.float64).tiny
_AUTO_EXACT = 200
_MAX_EXACT = 1000


def _midranks(values: Array) -> Array:
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[where.reshape(-1)])


def _signed_ranks(d: FloatLike, zeros: str) -> Array:
    values = np.asarray(d, dtype=np.float64)
    checks.require(values.ndim == 1, "number of axes of d", "1", values.ndim)
    checks.finite("d", values)
    if zeros == "drop":
        values = values[values != 0]
    ranks = _midranks(np.abs(values)) * np.sign(values)
    return np.asarray(ranks[ranks != 0])


def _exact(ranks: Array, sides: int) -> float:
    """Return P(|W - mean| >= observed) over all 2^n signs, given the ranks, with ties allowed.

    With one side, return P(W >= observed).
    """
    doubled = np.rint(2 * np.abs(ranks)).astype(np.int64)
    total = int(doubled.sum())
    law = np.zeros(total + 1)
    law[0] = 1.0
    top = 0
    for r in doubled.tolist():
        law[r : top + r + 1] += law[: top + 1].copy()
        law[: top + r + 1] *= 0.5
        top += r
    positive = int(doubled[ranks > 0].sum())
    if sides == 1:
        return float(law[positive:].sum())
    extreme = min(positive, total - positive)
    # the distribution is symmetric about total / 2, so twice one tail is both
    return 1.0 if 2 * extreme == total else float(2 * law[: extreme + 1].sum())


def _asymptotic(ranks: Array, sides: int) -> float:
    # given the ranks Var(sum of signed ranks) = sum r², which holds the tie correction
    z = ranks.sum() / np.sqrt(np.square(ranks).sum())
    return float(special.ndtr(-z) if sides == 1 else 2 * special.ndtr(-abs(z)))


def wilcoxon_pvalue(
    d: FloatLike,
    *,
    zeros: Literal["drop", "pratt"] = "drop",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    sides: Sides = 2,
) -> float:
    """Return the p-value of the Wilcoxon signed-rank test of symmetry at 0.

    It tests symmetry, not the mean.

    Parameters
    ----------
    d : array_like
        One vector of per-item differences, finite. Ties are exact equality of |d|: round
        scores such as 0.3 - 0.1 first if they should tie with 0.2.
    zeros : {"drop", "pratt"}, default "drop"
        ``"drop"`` removes zero differences before ranking; ``"pratt"`` ranks them with the
        others and then removes them, which is safer when there are many.
    method : {"auto", "exact", "asymptotic"}, default "auto"
        ``"exact"`` takes the distribution over all sign patterns given the ranks, ties
        included (at most 1000 nonzero differences); ``"asymptotic"`` the normal with
        tie-corrected variance and no continuity correction; ``"auto"`` is exact up to 200.
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only differences > 0 are of interest. Negate ``d`` for the
        other side.

    Returns
    -------
    float
        In [2.2e-308, 1], never 0: the smallest value returned is a bound. 1 when every difference
        is 0.

    References
    ----------
    Wilcoxon (1945), Biom. Bull. 1.
    Pratt (1959), J. Am. Stat. Assoc. 54: zeros.
    Methods: Graded scores

    Examples
    --------
    >>> wilcoxon_pvalue([3, -1, 4, 2, -2, 5, 1, 6, -3, 2, 7, 4])
    0.033203125
    """
    checks.choice("zeros", zeros, ("drop", "pratt"))
    checks.choice("method", method, ("auto", "exact", "asymptotic"))
    checks.choice("sides", sides, (1, 2))
    ranks = _signed_ranks(d, zeros)
    if ranks.size == 0:
        return 1.0
    if method == "exact":
        allowed = f"at most {_MAX_EXACT} nonzero differences for the exact test"
        checks.require(ranks.size <= _MAX_EXACT, "d", allowed, ranks.size)
    exact = method == "exact" or (method == "auto" and ranks.size <= _AUTO_EXACT)
    p = _exact(ranks, sides) if exact else _asymptotic(ranks, sides)
    return max(min(p, 1.0), float(_TINY))


def _law_of_w(effect: Array, n: Array) -> tuple[Array, Array]:
    """Return the mean and variance of W+ for normal differences with mean ``effect`` sds."""
    h = np.sqrt(2.0) * effect
    p1, p2 = special.ndtr(effect), special.ndtr(h)
    # P(X1 + X2 > 0, X1 + X3 > 0): bivariate normal with correlation 1/2 at (h, h)
    p3 = p2 - 2 * special.owens_t(h, 1 / np.sqrt(3.0))
    pairs = n * (n - 1) / 2
    mean = pairs * p2 + n * p1
    variance = (
        n * (n - 1) * (n - 2) * np.maximum(p3 - p2 * p2, 0.0)
        + pairs * (2 * (p1 - p2) ** 2 + 3 * p2 * (1 - p2))
        + n * p1 * (1 - p1)
    )
    return mean, variance


def wilcoxon_power(
    delta: FloatLike,
    *,
    sigma: FloatLike,
    n: FloatLike,
    alpha: FloatLike = 0.05,
    sides: Sides = 2,
) -> Array:
    """Return the approximate power of the signed-rank test for normal differences.

    It tests symmetry, not the mean; under normal differences the two coincide. Normal
    approximation with the exact mean and variance of W+ from Lehmann's p1, p2, p3, within 0.005
    of simulation from n = 50.

    Parameters
    ----------
    delta : array_like
        True mean difference, in score units; only its size counts: one side means the side on
        which it lies.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    n : array_like
        Nonzero differences, at least 2.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Probability, with 2 sides that of rejecting on the wrong side included; alpha at delta = 0.
        Inputs broadcast.

    References
    ----------
    Lehmann (1975), Nonparametrics: Statistical Methods Based on Ranks, Holden-Day.
    Methods: Graded scores

    Examples
    --------
    >>> round(float(wilcoxon_power(0.02, sigma=0.12 * 0.4**0.5, n=100)), 3)
    0.719
    """
    checks.choice("sides", sides, (1, 2))
    checks.fraction("alpha", alpha)

    def block(d: Array, s: Array, items: Array, level: Array) -> Array:
        checks.finite("delta", d)
        checks.positive("sigma", s)
        checks.require((items >= 2) & np.isfinite(items), "n", "at least 2 items", items)
        mean, variance = _law_of_w(np.abs(d) / s, items)
        center = items * (items + 1) / 4
        reach = z_alpha(level, sides=sides) * np.sqrt(center * (2 * items + 1) / 6)
        sd = np.sqrt(np.maximum(variance, _TINY))
        power = special.ndtr((mean - center - reach) / sd)
        if sides == 2:
            power = power + special.ndtr((center - reach - mean) / sd)
        return np.minimum(power, 1.0)

    return map_blocks(block, delta, sigma, n, alpha)


def wilcoxon_n_star(
    delta: FloatLike,
    *,
    sigma: FloatLike,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the number of items that the signed-rank test needs for normal differences.

    The normal-theory N* divided by the test's asymptotic relative efficiency 3 / π = 0.955. It
    tests symmetry, not the mean. For other symmetric differences the efficiency is anything from
    0.864 up, and for skewed ones there is no such rule.

    Parameters
    ----------
    delta : array_like
        Gap to detect, in score units. Its sign is ignored.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Number of items, not rounded up. It is ``inf`` for delta = 0, and 0 if chance alone rejects
        often enough (K ≤ 0). Inputs broadcast.

    References
    ----------
    Hodges and Lehmann (1956).
    Methods: Graded scores

    Examples
    --------
    >>> round(float(wilcoxon_n_star(0.02, sigma=0.12)), 1)
    295.9
    """
    k = np.maximum(k_factor(alpha, power, sides=sides), 0.0) * np.sqrt(np.pi / 3)
    return map_blocks(needed, delta, sigma, np.maximum(k, 1e-170))  # not 0: 0/0 must not arise
