"""Strata: groups that define the benchmark, such as subjects or languages, and not a sample.

The estimand is the mean over items, from the per-group sums of
:func:`nstar.stats.cluster.cluster_sums`. Differences between strata are part of the benchmark and
not a source of error. If groups are a sample, see :mod:`nstar.stats.cluster`.
"""

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar.stats._groups import by_rows, check_groups, squares_about_mean

__all__ = ["iid_variance", "strata_variance"]


def _merge_singletons(s: Array, q: Array, m: Array) -> tuple[Array, Array, Array]:
    single = m == 1
    if not single.any():
        return s, q, m
    count = np.count_nonzero(single, axis=-1)[..., None]
    smallest = np.argmin(np.where(m >= 2, m, np.inf), axis=-1)[..., None]
    takes = (np.arange(m.shape[-1]) == smallest) & (count == 1)

    def merged(x: Array) -> Array:
        pooled = np.where(single, x, 0).sum(axis=-1, keepdims=True)
        strata = np.where(single, 0, x) + np.where(takes, pooled, 0)
        return np.concatenate([strata, np.where(count > 1, pooled, 0)], axis=-1)

    return merged(s), merged(q), merged(m)


def _items(s: Array, q: Array, m: Array) -> Array:
    check_groups(m, s, q, min_groups=1)
    n = np.asarray(m.sum(axis=-1))
    checks.require(n >= 2, "number of items", "at least 2", n)
    return n


def _strata(s: Array, q: Array, m: Array) -> tuple[Array]:
    n = _items(s, q, m)
    s, q, m = _merge_singletons(s, q, m)
    # (m/N)² s²/m with s² = (Q - S²/m) / (m - 1)
    spread = squares_about_mean(s, q, m)
    return (np.sum(spread * m / np.maximum(m - 1, 1), axis=-1) / (n * n),)


def strata_variance(sums: FloatLike, squares: FloatLike, sizes: FloatLike) -> Array:
    """Return the variance of the mean over items if the groups are strata.

    Σ (m_g/N)² s_g²/m_g; differences between strata do not count, so it is about the i.i.d.
    variance or less. A stratum of one item has no s²: all such strata are pooled into one, and
    a lone one joins the smallest other stratum (the first of equals). Pooling errs upwards
    ("collapsed strata").

    Parameters
    ----------
    sums, squares : array_like
        Per-stratum sums and sums of squares of the differences, (..., G), in score units and their
        squares.
    sizes : array_like
        Items per stratum, (G,) or (..., G), whole numbers ≥ 0; at least two items in all.

    Returns
    -------
    Array
        In squared score units, one for each row of sums; 0 when no stratum varies. Leading axes
        broadcast.

    References
    ----------
    Cochran (1977), Sampling Techniques, 3rd ed., Wiley, 5A.12.
    Methods: Strata and clusters

    Examples
    --------
    >>> from nstar.stats import cluster_sums
    >>> s = cluster_sums([1, 1, 0, 1, 0, 0, -1, 0], [0, 0, 0, 0, 1, 1, 1, 1])
    >>> float(strata_variance(s.sums, s.squares, s.sizes))
    0.03125
    """
    return by_rows(_strata, 1, sums, squares, sizes)[0]


def iid_variance(sums: FloatLike, squares: FloatLike, sizes: FloatLike) -> Array:
    """Return the variance s²/N of the mean over independent items, ignoring groups.

    It takes the same arguments as :func:`strata_variance`, for comparison. s² has divisor N - 1.

    Parameters
    ----------
    sums, squares : array_like
        Per-group sums and sums of squares of the differences, (..., G), in score units and their
        squares.
    sizes : array_like
        Items per group, (G,) or (..., G), whole numbers ≥ 0; at least two items in all.

    Returns
    -------
    Array
        In squared score units, one for each row of sums; 0 when nothing varies. Leading axes
        broadcast.

    References
    ----------
    Methods: Strata and clusters

    Examples
    --------
    >>> from nstar.stats import cluster_sums
    >>> s = cluster_sums([1, 1, 0, 1, 0, 0, -1, 0], [0, 0, 0, 0, 1, 1, 1, 1])
    >>> round(float(iid_variance(s.sums, s.squares, s.sizes)), 6)
    0.0625
    """

    def block(s: Array, q: Array, m: Array) -> tuple[Array]:
        n = _items(s, q, m)
        return (squares_about_mean(s.sum(axis=-1), q.sum(axis=-1), n) / (n * (n - 1)),)

    return by_rows(block, 1, sums, squares, sizes)[0]
