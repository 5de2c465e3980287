"""Subsets of a benchmark: items needed, and estimates from a stratified subset.

There are two estimands, which must not be mixed. The benchmark's *own score* is the mean over its
N items, which a subset of all N items gives exactly. A *claim about similar questions* takes the
items as a sample of similar ones: a subset is worth no more than as many new items, and all N
items still have an error of sigma / √N. ``r2`` is the share of the variance over items that the
scores of models known on all N items explain; 0 where no such scores help.
"""

import math
from typing import NamedTuple

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar.stats._blocks import map_blocks
from nstar.stats._groups import by_rows, check_groups, squares_about_mean
from nstar.stats.critical import k_factor

__all__ = [
    "StratifiedMean",
    "items_for_claim",
    "items_needed",
    "stratified_mean",
    "subset_claim_mde",
    "subset_mde",
]


def _checked(sd: Array, explained: Array, n_total: Array) -> None:
    checks.positive("sigma", sd)
    checks.require((explained >= 0) & (explained < 1), "r2", "in [0, 1)", explained)
    checks.require(n_total > 0, "total", "positive", n_total)


def items_needed(
    delta: FloatLike,
    *,
    sigma: FloatLike,
    r2: FloatLike = 0.0,
    total: FloatLike = math.inf,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
) -> Array:
    """Return the number of a benchmark's items that resolve a gap in its own score.

    n₀ = K² sigma² (1 - r2) / delta² is the need with an unlimited supply of items.

    Parameters
    ----------
    delta : array_like
        Gap, in score units, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    r2 : array_like, default 0.0
        Share of its variance that known scores explain, in [0, 1).
    total : array_like
        Items of the benchmark; infinite for a claim about similar questions.
    alpha, power : array_like
        Level, two-sided, and target power.

    Returns
    -------
    Array
        Items, not rounded; below ``total``. Inputs broadcast.

    References
    ----------
    Cochran (1977), Sampling Techniques, 3rd ed., Wiley, 4.7. Methods: Fewer items

    Examples
    --------
    >>> round(float(items_needed(0.01, sigma=0.537, total=12002)), 1)
    7843.1
    >>> round(float(items_needed(0.01, sigma=0.537)), 1)
    22633.7
    """

    def block(gap: Array, sd: Array, explained: Array, n_total: Array, k: Array) -> Array:
        checks.positive("delta", gap)
        _checked(sd, explained, n_total)
        return np.asarray(1 / ((gap / (k * sd)) ** 2 / (1 - explained) + 1 / n_total))

    return map_blocks(block, delta, sigma, r2, total, k_factor(alpha, power))


def items_for_claim(
    delta: FloatLike,
    *,
    sigma: FloatLike,
    r2: FloatLike = 0.0,
    total: FloatLike = math.inf,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
) -> Array:
    """Return the number of items on which a gap is resolved as a claim about similar questions.

    (1 - r2) / (delta² / (K sigma)² - r2 / N). Known scores can replace items only up to what the
    whole benchmark could support. If the claim takes more than ``total`` items, the result is the
    need without known scores, n₀ = K² sigma² / delta², all of it new to every model.

    Parameters
    ----------
    delta : array_like
        Gap, in score units, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    r2 : array_like, default 0.0
        Share of its variance that scores known on all ``total`` items explain, in [0, 1).
    total : array_like
        Items of the benchmark.
    alpha, power : array_like
        Level, two-sided, and target power.

    Returns
    -------
    Array
        Items, not rounded; above ``total`` if the benchmark is too small. Inputs broadcast.

    References
    ----------
    Methods: Fewer items

    Examples
    --------
    >>> round(float(items_for_claim(0.02, sigma=0.537, r2=0.4764, total=12002)), 1)
    3821.0
    >>> round(float(items_for_claim(0.01, sigma=0.537, r2=0.4764, total=12002)), 1)
    22633.7
    """

    def block(gap: Array, sd: Array, explained: Array, n_total: Array, k: Array) -> Array:
        checks.positive("delta", gap)
        _checked(sd, explained, n_total)
        plain = (k * sd / gap) ** 2
        rest = np.maximum(1 / plain - explained / n_total, np.finfo(float).tiny)
        return np.where(plain > n_total, plain, (1 - explained) / rest)

    return map_blocks(block, delta, sigma, r2, total, k_factor(alpha, power))


def subset_mde(
    n: FloatLike,
    *,
    sigma: FloatLike,
    r2: FloatLike = 0.0,
    total: FloatLike = math.inf,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
) -> Array:
    """Return the gap in a benchmark's own score that n of its items resolve, or 0 for all of them.

    K sigma √((1 - r2) (1/n - 1/N)): the inverse of :func:`items_needed`.

    Parameters
    ----------
    n : array_like
        Items of the subset, > 0 and at most ``total``.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    r2 : array_like, default 0.0
        Share of its variance that known scores explain, in [0, 1).
    total : array_like
        Items of the benchmark.
    alpha, power : array_like
        Level, two-sided, and target power.

    Returns
    -------
    Array
        Result in score units. Inputs broadcast.

    References
    ----------
    Methods: Fewer items

    Examples
    --------
    >>> round(float(subset_mde(1000, sigma=0.537, total=12002)), 4)
    0.0455
    """

    def block(items: Array, sd: Array, explained: Array, n_total: Array, k: Array) -> Array:
        _checked(sd, explained, n_total)
        checks.require((items > 0) & (items <= n_total), "n", "above 0 and at most total", items)
        return np.asarray(k * sd * np.sqrt((1 - explained) * (1 / items - 1 / n_total)))

    return map_blocks(block, n, sigma, r2, total, k_factor(alpha, power))


def subset_claim_mde(
    n: FloatLike,
    *,
    sigma: FloatLike,
    r2: FloatLike = 0.0,
    total: FloatLike = math.inf,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
) -> Array:
    """Return the gap that n of a benchmark's items resolve as a claim about similar questions.

    K sigma √((1 - r2) / n + r2 / N): the inverse of :func:`items_for_claim`.

    Parameters
    ----------
    n : array_like
        Items of the subset, > 0 and at most ``total``.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    r2 : array_like, default 0.0
        Share of its variance that scores known on all ``total`` items explain, in [0, 1).
    total : array_like
        Items of the benchmark.
    alpha, power : array_like
        Level, two-sided, and target power.

    Returns
    -------
    Array
        Result in score units. Inputs broadcast.

    References
    ----------
    Methods: Fewer items

    Examples
    --------
    >>> round(float(subset_claim_mde(1000, sigma=0.537, total=12002)), 4)
    0.0476
    """

    def block(items: Array, sd: Array, explained: Array, n_total: Array, k: Array) -> Array:
        _checked(sd, explained, n_total)
        checks.require((items > 0) & (items <= n_total), "n", "above 0 and at most total", items)
        return np.asarray(k * sd * np.sqrt((1 - explained) / items + explained / n_total))

    return map_blocks(block, n, sigma, r2, total, k_factor(alpha, power))


class StratifiedMean(NamedTuple):
    """Estimate of the mean over all items from a stratified sample of a benchmark."""

    estimate: Array
    """Mean over all items, in score units."""
    se: Array
    """Standard error as the benchmark's own score; 0 where every item is in the sample."""
    claim_se: Array
    """Standard error as a claim about similar questions."""


def stratified_mean(
    sums: FloatLike, squares: FloatLike, sizes: FloatLike, totals: FloatLike
) -> StratifiedMean:
    """Return the mean over all items of a benchmark from a random sample of each stratum.

    Σ W_h ȳ_h with W_h = N_h / N, and variance Σ W_h² (1 - n_h/N_h) s_h² / n_h. As a claim about
    similar questions s²/N is added, the variance of the whole benchmark's mean, with s² estimated
    from the same sample. A stratum needs two sampled items, or to be sampled whole.

    Parameters
    ----------
    sums, squares : array_like
        Per-stratum sums and sums of squares of the sampled scores or differences, (..., H), in
        score units and their squares.
    sizes : array_like
        Items sampled from each stratum, (H,), at least 2, or all.
    totals : array_like
        Items of each stratum, (H,).

    Returns
    -------
    StratifiedMean
        One for each row of sums. Leading axes broadcast.

    References
    ----------
    Cochran (1977), Sampling Techniques, 3rd ed., Wiley, 5.4.
    Methods: Fewer items

    Examples
    --------
    >>> mean = stratified_mean([2, 1], [2, 1], [3, 3], [6, 12])
    >>> [round(float(x), 4) for x in mean]
    [0.4444, 0.2079, 0.2455]
    """

    def block(s: Array, q: Array, m: Array, stratum_items: Array) -> tuple[Array, ...]:
        check_groups(m, s, q, min_groups=1)
        checks.counts(totals=stratum_items)
        checks.require(m <= stratum_items, "sizes", "at most the totals", m)
        checks.require(
            (m >= 2) | (m == stratum_items), "sizes", "at least 2, or the whole stratum", m
        )
        n_all = stratum_items.sum(axis=-1, keepdims=True)
        share, safe_size = stratum_items / n_all, np.maximum(m, 1)
        spread = squares_about_mean(s, q, m) / np.maximum(m - 1, 1)
        mean = np.sum(share * s / safe_size, axis=-1)
        variance = np.sum(
            share**2 * (1 - m / np.maximum(stratum_items, 1)) * spread / safe_size, axis=-1
        )
        size = n_all[..., 0]
        squared = np.sum(share * q / safe_size, axis=-1) - mean**2 + variance
        whole_variance = np.maximum(squared, 0.0) / np.maximum(size - 1, 1)
        return mean, np.sqrt(variance), np.sqrt(variance + whole_variance)

    return StratifiedMean(*by_rows(block, 3, sums, squares, sizes, totals))


def explained_by_others(scores: FloatLike, *, folds: int = 10, ridge: float = 1.0) -> Array:
    """Return the share of each model's variance over items that other models' scores explain.

    By ridge regression on all other models, cross-validated: every item is predicted from the
    items of the other folds. Item k is in fold k modulo ``folds``, so let the order of the items
    be random. A share is below 0 where the prediction is worse than the mean.

    Hoerl, Kennard (1970), Technometrics 12(1).
    """
    x = np.asarray(scores, dtype=np.float64)
    checks.require(x.ndim == 2 and len(x) > 1, "scores", "(models, items) of two models", x.ndim)
    checks.finite("scores", x)
    checks.positive("ridge", np.asarray(ridge))
    checks.require(2 <= folds <= x.shape[1] // 2, "folds", "2 to half of the items", folds)
    x = x - x.mean(axis=1, keepdims=True)  # of large scores too few digits would be left
    parts = [x[:, k::folds] for k in range(folds)]
    grams, sums = [p @ p.T for p in parts], [p.sum(axis=1) for p in parts]
    gram, total = np.sum(grams, axis=0), np.sum(sums, axis=0)
    missed = np.zeros(len(x))
    for part, held_gram, held_sum in zip(parts, grams, sums, strict=True):
        mean = (total - held_sum) / (x.shape[1] - part.shape[1])
        inner = gram - held_gram - (x.shape[1] - part.shape[1]) * np.outer(mean, mean)
        # the slopes of all regressions on all others from one inverse
        inverse = np.linalg.inv(inner + ridge * np.eye(len(x)))
        residual = inverse @ (part - mean[:, None]) / np.diag(inverse)[:, None]
        missed += np.sum(residual**2, axis=1)
    spread = np.diag(gram)
    varies = spread > np.finfo(float).eps * x.shape[1]
    return np.where(varies, 1 - missed / np.where(varies, spread, 1.0), 0.0)
