"""Planning for precision: number of items for an interval of a target width."""

from typing import Literal

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar.stats._binomial import log_pmf
from nstar.stats._blocks import map_blocks
from nstar.stats._normal import span
from nstar.stats._roots import bisect
from nstar.stats._wilson import wilson_half
from nstar.stats.critical import t_quantile, z_conf
from nstar.stats.interval import paired_interval

__all__ = [
    "half_width",
    "n_for_difference",
    "n_for_proportion",
    "paired_half_width",
    "t_half_width",
    "wilson_half_width",
]

_POINTS = 24
"""Largest number of counts that an expectation sums; beyond, counts are sampled at regular steps.
"""
_REACH = 7.0
"""Standard deviations up to which counts are included."""


def half_width(n: FloatLike, *, sigma: FloatLike, conf: FloatLike = 0.95) -> Array:
    """Return the half-width z sigma / √n of an interval for a mean or a mean difference.

    A gap equal to the half-width is detected only half of the time; the MDE at 80% power is 1.43
    times as large.

    Parameters
    ----------
    n : array_like
        Number of items, > 0.
    sigma : array_like
        Standard deviation of the per-item score or difference, in score units, > 0.
    conf : array_like, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Array
        Result in score units. Inputs broadcast.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(half_width(1000, sigma=0.405)), 4)
    0.0251
    """
    z = z_conf(conf)
    return map_blocks(span, n, sigma, z)


def t_half_width(
    n: FloatLike, *, sigma: FloatLike, df: FloatLike | None = None, conf: FloatLike = 0.95
) -> Array:
    """Return the expected half-width of a t interval of a mean difference, t E(s) / √n.

    Parameters
    ----------
    n : array_like
        Number of items, or effective number of clustered items, > 0, and > 1 without ``df``.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    df : array_like, optional
        Degrees of freedom, > 0 and finite; n - 1 if None.
    conf : array_like, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Array
        Result in score units. Inputs broadcast.

    References
    ----------
    Student (1908), Biometrika 6. Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(t_half_width(20, sigma=0.3)), 4)
    0.1386
    """

    def block(items: Array, sd: Array, freedom: Array, coverage: Array) -> Array:
        checks.positive("n", items)
        checks.positive("sigma", sd)
        checks.positive("df", freedom)
        t = t_quantile((1 + coverage) / 2, freedom)
        # mean of s / sigma; the ratio of gammas without overflow
        mean = special.poch(freedom / 2, 0.5) * np.sqrt(2 / freedom)
        return np.asarray(t * mean * sd / np.sqrt(items))

    freedom = np.asarray(n, dtype=np.float64) - 1 if df is None else df
    return map_blocks(block, n, sigma, freedom, conf)


def _counts(n: float, p: float) -> tuple[Array, Array]:
    """Return likely counts of a binomial, all of them or at regular steps, and their weights."""
    half = _REACH * np.sqrt(n * p * (1 - p)) + _REACH
    low, high = max(np.floor(n * p - half), 0.0), min(np.ceil(n * p + half), n)
    k = np.arange(low, high + 1, max(1.0, np.floor((high - low) / _POINTS)))
    weight = np.exp(log_pmf(k, np.full_like(k, n), p)) if p < 1 else (k == n).astype(np.float64)
    return k, weight / weight.sum()


def paired_half_width(n: float, *, psi: float, conf: float = 0.95) -> float:
    """Return the expected half-width of Tango's interval of two equal models, for one design.

    The expectation is over the number of discordant items and over the model that wins each. If
    the counts are many, it uses them at regular steps.

    Parameters
    ----------
    n : float
        Number of items, a whole number of at least 1.
    psi : float
        Share of items on which exactly one model is right, in (0, 1].
    conf : float, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    float
        A proportion.

    References
    ----------
    Tango (1998), Stat. Med. 17. Methods: Different items, one model, precision

    Examples
    --------
    >>> round(paired_half_width(193, psi=0.02), 4)
    0.027
    """
    checks.require(n >= 1, "n", "at least 1 item", n)
    checks.require(0 < psi <= 1, "psi", "in (0, 1]", psi)
    discordant, chances = _counts(float(n), psi)
    each = [_counts(d, 0.5) if d else (np.zeros(1), np.ones(1)) for d in discordant.tolist()]
    sizes = [wins.size for wins, _ in each]
    wins, weight = (np.concatenate(parts) for parts in zip(*each, strict=True))
    d, chance = np.repeat(discordant, sizes), np.repeat(chances, sizes)
    low, high = paired_interval(wins, d - wins, n, conf=conf)
    return float((chance * weight) @ (high - low)) / 2


def n_for_difference(width: FloatLike, *, sigma: FloatLike, conf: FloatLike = 0.95) -> Array:
    """Return the number of items for an interval of half-width ``width`` around a mean difference.

    Parameters
    ----------
    width : array_like
        Target half-width, in score units, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    conf : array_like, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Array
        Number of items, not rounded up. Inputs broadcast.

    References
    ----------
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(n_for_difference(0.01, sigma=0.405)))
    6301
    """
    z = z_conf(conf)

    def block(half: Array, sd: Array, crit: Array) -> Array:
        checks.positive("width", half)
        checks.positive("sigma", sd)
        ratio = crit * sd / half
        return ratio * ratio

    return map_blocks(block, width, sigma, z)


def wilson_half_width(n: FloatLike, *, p: FloatLike, conf: FloatLike = 0.95) -> Array:
    """Return the half-width of the Wilson interval for one expected accuracy ``p``.

    Parameters
    ----------
    n : array_like
        Number of items, > 0.
    p : array_like
        Accuracy, a proportion in [0, 1].
    conf : array_like, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Array
        A proportion, > 0 even at an accuracy of 0 or 1. Inputs broadcast.

    References
    ----------
    Wilson (1927), J. Am. Stat. Assoc. 22.
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(wilson_half_width(216, p=0.74)), 4)
    0.0581
    """
    z = z_conf(conf)

    def block(items: Array, rate: Array, crit: Array) -> Array:
        checks.positive("n", items)
        checks.probability("p", rate)
        return wilson_half(items, rate, crit)

    return map_blocks(block, n, p, z)


def n_for_proportion(
    width: FloatLike,
    *,
    p: FloatLike,
    conf: FloatLike = 0.95,
    method: Literal["wilson", "wald"] = "wilson",
) -> Array:
    """Return the number of items for an interval of half-width ``width`` around one accuracy.

    Wald's formula is z² p (1 - p) / width²; Wilson's half-width is solved by bisection.

    Parameters
    ----------
    width : array_like
        Target half-width, a proportion in (0, 0.5).
    p : array_like
        Accuracy, a proportion in [0, 1].
    conf : array_like, default 0.95
        Coverage, in (0, 1).
    method : {"wilson", "wald"}, default "wilson"
        Type of interval.

    Returns
    -------
    Array
        Items, not rounded up; Wald's promises 0 at p = 0 or 1, Wilson's does not. Inputs
        broadcast.

    References
    ----------
    Wilson (1927), J. Am. Stat. Assoc. 22.
    Methods: Different items, one model, precision

    Examples
    --------
    >>> round(float(n_for_proportion(0.03, p=0.74)))
    819
    >>> round(float(n_for_proportion(0.03, p=1.0)))
    60
    """
    checks.choice("method", method, ("wilson", "wald"))
    z = z_conf(conf)

    def block(half: Array, rate: Array, crit: Array) -> Array:
        checks.within("width", half, (0, 0.5), "in (0, 0.5)", ends=(False, False))
        checks.probability("p", rate)
        wald = crit * crit * rate * (1 - rate) / (half * half)
        if method == "wald":
            return wald
        high = wald + crit * crit / half + 1
        return bisect(lambda m: wilson_half(m, rate, crit) > half, 1e-9, high)

    return map_blocks(block, width, p, z)
