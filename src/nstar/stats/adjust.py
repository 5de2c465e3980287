"""Multiple comparisons: adjusted p-values and critical values.

Adjusted p-values equal those of R's ``p.adjust``. Reject hypotheses with adjusted p-values of at
most alpha. A family is a 1-D array. The cost is one sort (and O(m log m) for Hommel), so ten
million p-values are feasible. No p-value is 0. The smallest result, 2.2e-308, is an upper bound.
"""

from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, IntArray, Sides
from nstar.stats._blocks import map_blocks
from nstar.stats._roots import bisect
from nstar.stats.critical import z_alpha
from nstar.stats.mcnemar import P_FLOOR

__all__ = [
    "Family",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "bonferroni_critical",
    "family_size",
    "holm",
    "hommel",
    "tukey_critical",
]

Family: TypeAlias = Literal["all-pairs", "adjacent", "one-vs-rest"]
_FAMILIES = ("all-pairs", "adjacent", "one-vs-rest")

_CHUNK = 1 << 17
"""Number of candidates or p-values per block of Hommel's searches."""

_GRID = np.linspace(-10.0, 12.0, 441)
"""Nodes for the range integral. The trapezoidal rule is spectrally accurate on them."""


def _family(p: FloatLike) -> Array:
    values = np.asarray(p, dtype=np.float64)
    checks.require(values.ndim == 1, "number of axes of p", "1", values.ndim)
    checks.require((values >= 0) & (values <= 1), "p", "in [0, 1]", values)
    return values


def _restore(adjusted: Array, order: IntArray) -> Array:
    """Return adjusted values, given in ascending order of p, in the order of the caller."""
    np.clip(adjusted, P_FLOOR, 1.0, out=adjusted)
    out = np.empty_like(adjusted)
    out[order] = adjusted
    return out


def bonferroni(p: FloatLike) -> Array:
    """Return Bonferroni's adjusted p-values, min(1, m p), valid under any dependence.

    Parameters
    ----------
    p : array_like
        The p-values of one family, 1-D, each in [0, 1].

    Returns
    -------
    Array
        Adjusted p-values in the order of ``p``: reject where they are at most alpha. At most 1
        and at least 2.2e-308, a bound.

    References
    ----------
    Methods: Families of comparisons.

    Examples
    --------
    >>> bonferroni([0.01, 0.04, 0.5]).tolist()
    [0.03, 0.12, 1.0]
    """
    values = _family(p)
    return np.clip(values * values.size, P_FLOOR, 1.0)


def holm(p: FloatLike) -> Array:
    """Return Holm's adjusted p-values, which control the family-wise error under any dependence.

    Parameters
    ----------
    p : array_like
        The p-values of one family, 1-D, each in [0, 1].

    Returns
    -------
    Array
        Adjusted p-values in the order of ``p``: reject where they are at most alpha. At most 1
        and at least 2.2e-308, a bound.

    References
    ----------
    Holm (1979), Scand. J. Stat. 6, 65–70.
    Methods: Families of comparisons.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.5]).tolist()
    [0.03, 0.08, 0.5]
    """
    values = _family(p)
    order = np.argsort(values)
    adjusted = values[order]
    adjusted *= np.arange(values.size, 0, -1)
    np.maximum.accumulate(adjusted, out=adjusted)
    return _restore(adjusted, order)


def _step_up(values: Array, factor: float) -> Array:
    order = np.argsort(values)
    adjusted = values[order]
    adjusted *= factor
    adjusted /= np.arange(1, values.size + 1)
    backwards = adjusted[::-1]
    np.minimum.accumulate(backwards, out=backwards)
    return _restore(adjusted, order)


def benjamini_hochberg(p: FloatLike) -> Array:
    """Return Benjamini and Hochberg's adjusted p-values for the false discovery rate.

    They are valid for independent or positively dependent tests. An expected share alpha of the
    rejections may be false. A ranking requires more than that, so use this method only for a list
    of discoveries.

    Parameters
    ----------
    p : array_like
        The p-values of one family, 1-D, each in [0, 1].

    Returns
    -------
    Array
        Adjusted p-values in the order of ``p``: reject where they are at most alpha. At most 1 and
        at least 2.2e-308, a bound.

    References
    ----------
    Benjamini, Hochberg (1995), J. R. Stat. Soc. B 57. Methods: Families of comparisons.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.5]).tolist()
    [0.03, 0.06, 0.5]
    """
    values = _family(p)
    return _step_up(values, values.size)


def benjamini_yekutieli(p: FloatLike) -> Array:
    """Return adjusted p-values for the false discovery rate under any dependence.

    These are the Benjamini–Hochberg values times 1 + 1/2 + … + 1/m.

    Parameters
    ----------
    p : array_like
        The p-values of one family, 1-D, each in [0, 1].

    Returns
    -------
    Array
        Adjusted p-values in the order of ``p``: reject where they are at most alpha. At most 1
        and at least 2.2e-308, a bound.

    References
    ----------
    Benjamini, Yekutieli (2001), Ann. Stat. 29.
    Methods: Families of comparisons.

    Examples
    --------
    >>> [round(x, 4) for x in benjamini_yekutieli([0.01, 0.04, 0.5]).tolist()]
    [0.055, 0.11, 0.9167]
    """
    values = _family(p)
    return _step_up(values, values.size * float(np.sum(1 / np.arange(1, values.size + 1))))


def _segment_minima(
    p: Array, a: IntArray, low: IntArray, high: IntArray
) -> tuple[Array, IntArray]:
    """Return the smallest p[i] / (i - a[k] + 1) over low[k] ≤ i ≤ high[k], and i, for each k."""
    lengths = high - low + 1
    ends = np.cumsum(lengths)
    starts = ends - lengths
    i = np.arange(ends[-1]) + np.repeat(low - starts, lengths)
    slopes = p[i] / (i - np.repeat(a - 1, lengths))
    minima = np.minimum.reduceat(slopes, starts)
    at = np.flatnonzero(slopes == np.repeat(minima, lengths))
    best = np.empty_like(a)
    best[np.searchsorted(starts, at, side="right") - 1] = i[at]
    return minima, best


def _least_slopes(p: Array) -> Array:
    """Return, for each a, the smallest p[i] / (i - a + 1) over i ≥ a, for ascending ``p``.

    The best i never decreases as a increases. Successive halving of the grid of a therefore limits
    each search to the range between the results of its neighbors. This takes log2(m) passes over
    at most 2 m candidates each.
    """
    m = p.size
    first = p / np.arange(1, m + 1)
    slopes, best = np.empty(m), np.empty(m, dtype=np.int64)
    best[0] = np.argmin(first)
    slopes[0] = first[best[0]]
    stride = 1 << (m - 1).bit_length()
    while stride := stride >> 1:
        a = np.arange(stride, m, 2 * stride)
        low = np.maximum(best[a - stride], a)
        high = np.where(a + stride < m, best[np.minimum(a + stride, m - 1)], m - 1)
        load = np.cumsum(high - low + 1)
        cuts = np.searchsorted(load, np.arange(_CHUNK, int(load[-1]) + 1, _CHUNK))
        for part in np.split(np.arange(a.size), np.unique(cuts)):
            if part.size:
                k = a[part]
                slopes[k], best[k] = _segment_minima(p, k, low[part], high[part])
    return slopes


def _hommel_sorted(p: Array) -> Array:
    m = p.size
    # simes[j] = Simes p-value of the j+1 largest, decreasing in j; 0 beyond the last
    simes = np.append(_least_slopes(p)[::-1] * np.arange(1, m + 1), 0.0)
    np.minimum.accumulate(simes, out=simes)
    adjusted = np.empty(m)
    for start in range(0, m, _CHUNK):
        part = p[start : start + _CHUNK]
        low, high = np.zeros(part.size, dtype=np.int64), np.full(part.size, m)
        while np.any(low < high):  # smallest j with j p ≥ simes[j]
            mid = (low + high) // 2
            is_reached = mid * part >= simes[mid]
            high = np.where(is_reached, mid, high)
            low = np.where(is_reached, low, mid + 1)
        before = np.where(low > 0, simes[np.maximum(low - 1, 0)], np.inf)
        adjusted[start : start + _CHUNK] = np.minimum(np.maximum(low * part, simes[low]), before)
    return adjusted


def hommel(p: FloatLike) -> Array:
    """Return Hommel's adjusted p-values from the closed Simes test, which are family-wise.

    They are never above Holm's, and valid for independent or positively dependent tests. Let s_j
    be the Simes p-value of the j largest p-values. The adjusted value is the minimum over j of
    max(j p, s_{j+1}), which takes O(m log m) time.

    Parameters
    ----------
    p : array_like
        The p-values of one family, 1-D, each in [0, 1].

    Returns
    -------
    Array
        Adjusted p-values in the order of ``p``: reject where they are at most alpha. At most 1
        and at least 2.2e-308, a bound.

    References
    ----------
    Hommel (1988), Biometrika 75.
    Meijer, Krebs, Goeman (2019), Biom. J. 61.
    Methods: Families of comparisons.

    Examples
    --------
    >>> hommel([0.01, 0.03, 0.04]).tolist()
    [0.03, 0.04, 0.04]
    """
    values = _family(p)
    if values.size == 0:
        return values
    order = np.argsort(values)
    return _restore(_hommel_sorted(values[order]), order)


def bonferroni_critical(
    comparisons: FloatLike, *, alpha: FloatLike = 0.05, sides: Sides = 2
) -> Array:
    """Return the normal critical value for a number of tests at family-wise level ``alpha``.

    Parameters
    ----------
    comparisons : array_like
        Number of tests in the family, at least 1.
    alpha : array_like, default 0.05
        Family-wise level, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Critical value of |z|, of z if ``sides`` is 1, in standard errors. Inputs broadcast.

    References
    ----------
    Methods: Families of comparisons.

    Examples
    --------
    >>> round(float(bonferroni_critical(40)), 4)
    3.2272
    """
    checks.fraction("alpha", alpha)

    def block(count: Array, level: Array) -> Array:
        checks.require((count >= 1) & np.isfinite(count), "comparisons", "at least 1", count)
        return z_alpha(level / count, sides=sides)

    return map_blocks(block, comparisons, alpha)


def _range_tail(c: Array, models: Array) -> Array:
    """Return P(max - min of M standard normals > c √2), with full accuracy in the tail."""
    z = _GRID
    below = special.log_ndtr(z)
    with np.errstate(divide="ignore"):  # log 0 far to the right of both, where φ(z) is also 0
        inside = np.log1p(-np.exp(special.log_ndtr(z - c[:, None] * np.sqrt(2)) - below))
    others = models[:, None] - 1
    # M φ(z) [Φ(z)^(M-1) - (Φ(z) - Φ(z - w))^(M-1)]
    density = np.exp(others * below - z * z / 2) * -np.expm1(others * inside)
    return np.asarray(models * density.sum(axis=1) * (z[1] - z[0]) / np.sqrt(2 * np.pi))


def _tukey(models: Array, alpha: float) -> Array:
    def below(c: Array) -> BoolArray:
        return np.asarray(_range_tail(c, models) > alpha)

    high = bonferroni_critical(models * (models - 1) / 2, alpha=alpha)
    return bisect(below, np.full(models.size, float(z_alpha(alpha))), high, steps=52)


def tukey_critical(models: FloatLike, *, alpha: float = 0.05) -> Array:
    """Return Tukey's critical value of |z| for all pairs of M models.

    This is qtukey(1 - alpha, M, ∞) / √2, for Tukey's honest significant difference with known
    variances. It is exact if all models have the same variance and all pairs have the same
    correlation. Otherwise, use :func:`nstar.stats.maxt.max_t_critical`.

    Parameters
    ----------
    models : array_like
        Number of models, whole, at least 2.
    alpha : float, default 0.05
        Family-wise level, two-sided, in (0, 1).

    Returns
    -------
    Array
        Critical value in standard errors, in the shape of ``models``. For two models, it is that
        of one comparison, :func:`z_alpha`.

    References
    ----------
    Methods: Families of comparisons.

    Examples
    --------
    >>> [round(float(c), 4) for c in tukey_critical([2, 10, 50])]
    [1.96, 3.1637, 3.9923]
    """
    checks.fraction("alpha", alpha)
    checks.counts(models=models)
    checks.require(np.asarray(models) >= 2, "models", "at least 2", models)
    distinct, place = np.unique(np.asarray(models, dtype=np.float64), return_inverse=True)
    blocks = [_tukey(distinct[i : i + 256], alpha) for i in range(0, distinct.size, 256)]
    out = np.concatenate([np.empty(0), *blocks])[place]
    return np.asarray(out.reshape(np.shape(models)))[()]


def family_size(models: FloatLike, family: Family = "all-pairs") -> IntArray:
    """Return the number of comparisons among M models.

    Parameters
    ----------
    models : array_like
        Number of models, whole, at least 2.
    family : {"all-pairs", "adjacent", "one-vs-rest"}, default "all-pairs"
        The number is M (M - 1) / 2 for ``"all-pairs"``, and M - 1 for ``"adjacent"`` (neighbors in
        the ranking) and ``"one-vs-rest"``. Use ``"all-pairs"`` for neighbors that are determined
        from the same data.

    Returns
    -------
    IntArray
        Number of comparisons, in the shape of ``models``.

    References
    ----------
    Methods: Families of comparisons.

    Examples
    --------
    >>> int(family_size(10)), int(family_size(10, "adjacent"))
    (45, 9)
    """
    checks.choice("family", family, _FAMILIES)
    m = np.asarray(models)
    if m.dtype.kind not in "iu":
        checks.counts(models=m)
        m = m.astype(np.int64)
    if m.size and np.minimum.reduce(m, axis=None) < 2:
        checks.require(m >= 2, "models", "at least 2", m)
    size = np.asarray(np.subtract(m, 1, dtype=np.int64))
    if family == "all-pairs":
        size *= m
        size >>= 1
    return size[()]
