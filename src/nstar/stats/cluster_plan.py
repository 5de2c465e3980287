"""Planning with items in clusters: design effects, MDE, power, and the number of items.

Clusters limit the benefit of more items. With G clusters, the MDE decreases to
:func:`cluster_mde_floor` instead of 0. Quantiles are those of Student's t with G - 1 degrees of
freedom. The ICC may come from :func:`nstar.stats.cluster.anova_icc` of earlier data.
"""

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Sides
from nstar.stats._blocks import map_blocks
from nstar.stats._groups import by_rows, check_groups
from nstar.stats.critical import t_quantile

__all__ = [
    "cluster_mde",
    "cluster_mde_floor",
    "cluster_n_star",
    "cluster_power",
    "design_effect",
    "design_effect_equal",
    "mean_cluster_size",
    "planning_icc",
]


def design_effect(icc: FloatLike, sizes: FloatLike, *, floor: float = 1.0) -> Array:
    """Return the factor by which clustering inflates the variance of an item mean.

    The factor is 1 + (Σm²/N - 1) ICC. It uses the size-weighted mean size Σm²/N, because N/G would
    understate the effect of unequal clusters. Use it only for planning, and
    :func:`nstar.stats.cluster_variance` for inference.

    Parameters
    ----------
    icc : array_like
        Intraclass correlation of the per-item difference, in [-1, 1].
    sizes : array_like
        Items per cluster, (..., G).
    floor : float, default 1.0
        Smallest value that is returned. The default is 1, because a plan must not rely on clusters
        that balance one another by chance. Use ``-inf`` for the raw value.

    Returns
    -------
    Array
        Factor, at least ``floor``. ``icc`` broadcasts against the leading axes of ``sizes``.

    References
    ----------
    Kish (1965), Survey Sampling.
    Methods: Strata and clusters.

    Examples
    --------
    >>> round(float(design_effect(0.1, [10, 10, 40])), 12)
    3.9
    >>> (
    ...     float(design_effect(-0.01, [10, 10, 40])),
    ...     float(design_effect(-0.01, [10, 10, 40], floor=-np.inf)),
    ... )
    (1.0, 0.71)
    """
    return design_effect_equal(icc, mean_cluster_size(sizes), floor=floor)


def mean_cluster_size(sizes: FloatLike) -> Array:
    """Return the cluster size averaged over items, Σm²/N, which is the size for planning.

    Parameters
    ----------
    sizes : array_like
        Items per cluster, (..., G); at least one cluster with items.

    Returns
    -------
    Array
        Number of items, one for each row. It is N/G for equal sizes, and larger otherwise.

    References
    ----------
    Methods: Strata and clusters.

    Examples
    --------
    >>> float(mean_cluster_size([10, 10, 40]))
    30.0
    """

    def block(m: Array) -> tuple[Array]:
        check_groups(m, min_groups=1)
        return (np.sum(m * m, axis=-1) / m.sum(axis=-1),)

    return by_rows(block, 1, sizes)[0]


def design_effect_equal(icc: FloatLike, cluster_size: FloatLike, *, floor: float = 1.0) -> Array:
    """Return the factor 1 + (m - 1) ICC by which clusters of equal size m inflate a variance.

    Parameters
    ----------
    icc : array_like
        Intraclass correlation of the per-item difference, in [-1, 1].
    cluster_size : array_like
        Items per cluster, at least 1.
    floor : float, default 1.0
        Smallest value that is returned, as in :func:`design_effect`.

    Returns
    -------
    Array
        Factor, at least ``floor``. Inputs broadcast.

    References
    ----------
    Kish (1965), Survey Sampling.
    Methods: Strata and clusters.

    Examples
    --------
    >>> round(float(design_effect_equal(0.05, 21)), 12)
    2.0
    """

    def block(rho: Array, m: Array) -> Array:
        checks.correlation("icc", rho)
        checks.require((m >= 1) & np.isfinite(m), "cluster size", "at least 1 item", m)
        return np.maximum(1 + (m - 1) * rho, floor)

    return map_blocks(block, icc, cluster_size)


def planning_icc(effect: FloatLike, sizes: FloatLike) -> Array:
    """Return the ICC for which :func:`design_effect` of these clusters is ``effect``.

    It is (DE - 1) / (Σm²/N - 1), for planning with the size Σm²/N. If ``effect`` is the observed
    cluster-robust variance divided by that of independent items, a plan for similar clusters
    reproduces the observed effect. The ICC by analysis of variance weights clusters differently
    and gives a different effect.

    Parameters
    ----------
    effect : array_like
        Variance divided by that of independent items, at least 0.
    sizes : array_like
        Items per cluster, (..., G).

    Returns
    -------
    Array
        Intraclass correlation, which is negative for an effect below 1. It is NaN if every cluster
        has one item. ``effect`` broadcasts against the leading axes of ``sizes``.

    References
    ----------
    Methods: Strata and clusters.

    Examples
    --------
    >>> round(float(planning_icc(3.9, [10, 10, 40])), 12)
    0.1
    """
    size = np.asarray(mean_cluster_size(sizes))
    checks.nonnegative("effect", effect)
    with np.errstate(divide="ignore", invalid="ignore"):
        icc = (np.asarray(effect, dtype=np.float64) - 1) / (size - 1)
    return np.asarray(np.where(size > 1, icc, np.nan))[()]


def _t_quantile(df: FloatLike, prob: float) -> Array:
    """Return Student quantiles, computed once per distinct df, as plans share a few values."""
    distinct, place = np.unique(np.asarray(df, dtype=np.float64), return_inverse=True)
    checks.positive("df", distinct)
    return np.asarray(t_quantile(prob, distinct)[place].reshape(np.shape(df)))


def _k_factor_t(df: FloatLike, alpha: float, power: float, sides: Sides) -> Array:
    checks.fraction("alpha", alpha)
    checks.fraction("power", power)
    checks.choice("sides", sides, (1, 2))
    return np.asarray(_t_quantile(df, power) - _t_quantile(df, alpha / sides))


def _plan_df(clusters: FloatLike) -> Array:
    count = np.asarray(clusters, dtype=np.float64)
    checks.require((count >= 2) & np.isfinite(count), "clusters", "at least 2", count)
    return np.asarray(count - 1)


def cluster_mde_floor(
    sigma: FloatLike,
    icc: FloatLike,
    clusters: FloatLike,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    df: FloatLike | None = None,
    sides: Sides = 2,
) -> Array:
    """Return the smallest gap that G clusters can detect with any number of items in each.

    It is (t_alpha + t_power) sigma √(ICC / G), because more items from the same clusters reduce
    the variance only to sigma² ICC / G.

    Parameters
    ----------
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    icc : array_like
        Intraclass correlation of the per-item difference, in [-1, 1].
    clusters : array_like
        Number of clusters, at least 2.
    alpha : float, default 0.05
        Level of the test, in (0, 1).
    power : float, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    df : array_like, optional
        Degrees of freedom of the t quantiles, > 0. The default is G - 1. Use
        :func:`nstar.stats.bell_mccaffrey_df` for unequal sizes.
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Gap in score units, which is 0 if the ICC is 0 or negative. It is negative and meaningless
        if ``power`` is below alpha / sides. All inputs except ``alpha`` and ``power`` broadcast.

    References
    ----------
    Methods: Strata and clusters.

    Examples
    --------
    >>> round(float(cluster_mde_floor(0.45, 0.036, 14)), 4)
    0.0692
    """

    def block(sd: Array, rho: Array, count: Array, factor: Array) -> Array:
        checks.positive("sigma", sd)
        checks.correlation("icc", rho)
        return factor * sd * np.sqrt(np.maximum(rho, 0) / count)

    usual = _plan_df(clusters)
    factor = _k_factor_t(usual if df is None else df, alpha, power, sides)
    return map_blocks(block, sigma, icc, clusters, factor)


def _planned_se(sd: Array, n: Array, count: Array, rho: Array) -> Array:
    checks.positive("sigma", sd)
    checks.require((n >= count) & np.isfinite(n), "n", "at least one item per cluster", n)
    return sd * np.sqrt(design_effect_equal(rho, n / count) / n)


def cluster_mde(
    sigma: FloatLike,
    n: FloatLike,
    clusters: FloatLike,
    *,
    icc: FloatLike,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the minimum detectable effect with ``n`` items spread evenly over G clusters.

    It is (t_alpha + t_power) sigma √(DE / n) with DE = 1 + (n/G - 1) ICC, at least 1, and G - 1
    degrees of freedom. As n increases, it decreases to :func:`cluster_mde_floor` instead of 0.

    Parameters
    ----------
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    n : array_like
        Number of items, at least one for each cluster.
    clusters : array_like
        Number of clusters, at least 2.
    icc : array_like
        Intraclass correlation of the per-item difference, in [-1, 1].
    alpha : float, default 0.05
        Level of the test, in (0, 1).
    power : float, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Gap in score units. It is negative and meaningless if ``power`` is below alpha / sides. All
        inputs except ``alpha`` and ``power`` broadcast.

    References
    ----------
    Methods: Strata and clusters.

    Examples
    --------
    >>> round(float(cluster_mde(0.45, 12032, 14, icc=0.036)), 4)
    0.0702
    """

    def block(sd: Array, items: Array, count: Array, rho: Array, factor: Array) -> Array:
        return _planned_se(sd, items, count, rho) * factor

    factor = _k_factor_t(_plan_df(clusters), alpha, power, sides)
    return map_blocks(block, sigma, n, clusters, icc, factor)


def cluster_power(
    delta: FloatLike,
    sigma: FloatLike,
    n: FloatLike,
    clusters: FloatLike,
    *,
    icc: FloatLike,
    alpha: float = 0.05,
    sides: Sides = 2,
) -> Array:
    """Return the probability of rejecting in the right direction with G equal clusters.

    It is T(|delta| / se - t_alpha), where T is the distribution function of Student's t with G - 1
    degrees of freedom. This is the inverse of :func:`cluster_mde`. The shifted central t
    approximates the noncentral t. With 6 or more clusters, the error is at most 0.006 at a power
    of 0.8. At low power, the result is too small by at most 0.073 (0.025 with 14 clusters).

    Parameters
    ----------
    delta : array_like
        True gap, in score units. Its sign is ignored.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    n : array_like
        Number of items, at least one for each cluster.
    clusters : array_like
        Number of clusters, at least 2.
    icc : array_like
        Intraclass correlation of the per-item difference, in [-1, 1].
    alpha : float, default 0.05
        Level of the test, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only the side of ``delta`` is of interest.

    Returns
    -------
    Array
        Probability, which is alpha / sides for a gap of 0. All inputs except ``alpha`` broadcast.

    References
    ----------
    Methods: Strata and clusters.

    Examples
    --------
    >>> round(float(cluster_power(0.0702, 0.45, 12032, 14, icc=0.036)), 2)
    0.8
    """
    checks.fraction("alpha", alpha)
    checks.choice("sides", sides, (1, 2))

    critical = -_t_quantile(_plan_df(clusters), alpha / sides)

    def block(gap: Array, sd: Array, items: Array, count: Array, rho: Array, crit: Array) -> Array:
        checks.finite("delta", gap)
        shift = np.abs(gap) / _planned_se(sd, items, count, rho) - crit
        return np.asarray(special.stdtr(count - 1, shift))

    return map_blocks(block, delta, sigma, n, clusters, icc, critical)


def cluster_n_star(n_star: FloatLike, de: FloatLike) -> Array:
    """Return the number of items in clusters: N* times the design effect, not rounded.

    Additional items are assumed to come in *new clusters* of the same sizes. More items from the
    same clusters cannot reduce the MDE below :func:`cluster_mde_floor`.

    Parameters
    ----------
    n_star : array_like
        Number of independent items needed, > 0.
    de : array_like
        Design effect, > 0.

    Returns
    -------
    Array
        Number of items, which is ``inf`` if ``n_star`` is ``inf``. Inputs broadcast.

    References
    ----------
    Methods: Strata and clusters.

    Examples
    --------
    >>> float(cluster_n_star(625.5, 2.0))
    1251.0
    """

    def block(items: Array, factor: Array) -> Array:
        checks.require(items > 0, "n_star", "> 0", items)
        checks.positive("de", factor)
        return items * factor

    return map_blocks(block, n_star, de)
