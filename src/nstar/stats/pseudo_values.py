"""Jackknife pseudo-values: metrics that are not averages, as one score per item.

The pseudo-value of item i is x_i = θ + (n - 1)(mean of θ₍ⱼ₎ - θ₍ᵢ₎), where θ₍ᵢ₎ is the metric
without item i. The mean of all pseudo-values is θ exactly, and their t interval covers as stated
from about 50 items (Tukey 1958; Miller 1974). Differences of the pseudo-values of two models give
the error of the gap, with pairing and clusters as for any score. All functions take O(n log n) or
less, because a metric without one item follows from sums.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar.stats._blocks import map_blocks

__all__ = [
    "auroc_pseudo_values",
    "auroc_se",
    "jackknife_pseudo_values",
    "spearman_pseudo_values",
]


def _pseudo_values(theta: float, without: Array) -> tuple[float, Array]:
    """Return the metric, and the pseudo-values from the metric without each item."""
    n = without.size
    return theta, theta + (n - 1) * (without.mean() - without)


def jackknife_pseudo_values(
    parts: FloatLike, function: Callable[[Array], FloatLike]
) -> tuple[float, Array]:
    """Return a function of sums over items, and its pseudo-value for each item.

    Parameters
    ----------
    parts : array_like
        Contributions of the items to each sum, of shape (items, sums), with at least 2 items.
    function : callable
        Function of the sums. It takes an array of shape (..., sums), and returns one of shape
        (...).

    Returns
    -------
    tuple[float, Array]
        The value for all items, and one pseudo-value per item. Their mean is that value.

    References
    ----------
    Quenouille (1956), Biometrika 43. Tukey (1958), Ann. Math. Stat. 29. Miller (1974),
    Biometrika 61.
    Methods: Metrics that are not averages

    Examples
    --------
    Precision is the number of true positives over that of all predicted positives.

    >>> value, scores = jackknife_pseudo_values(
    ...     [[1, 1], [0, 1], [1, 1], [0, 0]], lambda sums: sums[..., 0] / sums[..., 1]
    ... )
    >>> round(value, 4), scores.round(4).tolist()
    (0.6667, [1.1667, -0.3333, 1.1667, 0.6667])
    """
    terms = np.atleast_2d(np.asarray(parts, dtype=np.float64))
    checks.require(terms.shape[0] >= 2, "number of items", "at least 2", terms.shape[0])
    sums = terms.sum(axis=0)
    theta = float(np.asarray(function(sums)))
    return _pseudo_values(theta, np.asarray(function(sums - terms), dtype=np.float64))


def auroc_pseudo_values(positive: npt.ArrayLike, score: FloatLike) -> tuple[float, Array]:
    """Return the area under the ROC curve, and its pseudo-value for each item.

    Parameters
    ----------
    positive : array_like of bool
        Whether each item belongs to the positive class. Both classes need at least 2 items.
    score : array_like
        Score of each item; a higher score means that the item is more likely to be positive.

    Returns
    -------
    tuple[float, Array]
        The area, where ties count one half, and one pseudo-value per item.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44.
    Methods: Metrics that are not averages

    Examples
    --------
    >>> area, scores = auroc_pseudo_values([True, True, False, False], [0.9, 0.4, 0.6, 0.1])
    >>> area, scores.round(2).tolist()
    (0.75, [1.5, 0.0, 0.0, 1.5])
    """
    is_positive = np.asarray(positive, dtype=np.bool_)
    values = np.asarray(score, dtype=np.float64)
    n_positive = int(is_positive.sum())
    n_negative = is_positive.size - n_positive
    smallest = min(n_positive, n_negative)
    checks.require(smallest >= 2, "number of items of each class", "at least 2", smallest)
    placements = np.empty(values.size)
    for of, other in ((is_positive, ~is_positive), (~is_positive, is_positive)):
        ordered = np.sort(values[other])
        below = np.searchsorted(ordered, values[of], side="left")
        at_most = np.searchsorted(ordered, values[of], side="right")
        placements[of] = (below + at_most) / (2 * ordered.size)
    placements[~is_positive] = 1 - placements[~is_positive]
    theta = float(placements[is_positive].mean())
    size = np.where(is_positive, n_positive, n_negative)
    return _pseudo_values(theta, (theta * size - placements) / (size - 1))


def auroc_se(area: FloatLike, positives: FloatLike, negatives: FloatLike) -> Array:
    """Return the standard error of the area under one ROC curve, before any data.

    Scores are assumed to be exponential in both classes. For normal scores and 20% positive items,
    the standard error is about 15% too large, so a plan needs somewhat too many items.

    Parameters
    ----------
    area : array_like
        Area under the ROC curve, in (0, 1).
    positives, negatives : array_like
        Number of items of each class, at least 1.

    Returns
    -------
    Array
        Standard error. Inputs broadcast.

    References
    ----------
    Hanley, McNeil (1982), Radiology 143.
    Methods: Metrics that are not averages

    Examples
    --------
    >>> round(float(auroc_se(0.8, 50, 150)), 4)
    0.0401
    """

    def block(a: Array, p: Array, n: Array) -> Array:
        checks.fraction("area", a)
        checks.require(p >= 1, "positives", "at least 1", p)
        checks.require(n >= 1, "negatives", "at least 1", n)
        two_positives, two_negatives = a / (2 - a), 2 * a * a / (1 + a)
        # Divided term by term, because a class without limit would give inf / inf.
        within_positives = (1 - 1 / p) / n * (two_positives - a * a)
        within_negatives = (1 - 1 / n) / p * (two_negatives - a * a)
        return np.asarray(np.sqrt(a * (1 - a) / p / n + within_positives + within_negatives))

    return map_blocks(block, area, positives, negatives)


def _centered_ranks(x: Array) -> Array:
    """Return the share of values below each one, plus half of its ties, minus ½."""
    ordered = np.sort(x)
    low = np.searchsorted(ordered, x, side="left")
    high = np.searchsorted(ordered, x, side="right")
    return (low + high) / (2 * x.size) - 0.5


def _mean_at_least(x: Array, weights: Array) -> Array:
    """Return, for each i, the mean over j of ``weights`` where x_j ≥ x_i."""
    order = np.argsort(x, kind="stable")
    tails = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)
    return tails[np.searchsorted(x[order], x, side="left")] / x.size


def spearman_pseudo_values(x: FloatLike, y: FloatLike) -> tuple[float, Array]:
    """Return Spearman's rank correlation, and an influence value for each item.

    Influence values replace pseudo-values, because every rank depends on all items. They are
    shifted so that their mean is the correlation.

    Parameters
    ----------
    x, y : array_like
        Two values of each item, such as a reference and a prediction. Each needs at least two
        different values.

    Returns
    -------
    tuple[float, Array]
        The correlation, where ties have mean ranks, and one value per item.

    References
    ----------
    Croux, Dehon (2010), Stat. Methods Appl. 19.
    Methods: Metrics that are not averages

    Examples
    --------
    >>> rho, scores = spearman_pseudo_values([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    >>> round(rho, 4), round(float(scores.mean()), 4)
    (0.8, 0.8)
    """
    first, second = (np.asarray(v, dtype=np.float64) for v in (x, y))
    for values in (first, second):
        spread = float(np.ptp(values)) if values.size else 0.0
        checks.require(spread > 0, "values", "not all equal", spread)
    f, g = _centered_ranks(first), _centered_ranks(second)
    theta = float((f @ g) / np.sqrt((f @ f) * (g @ g)))
    influence = 12 * (f * g + _mean_at_least(first, g) + _mean_at_least(second, f))
    return theta, theta + influence - influence.mean()
