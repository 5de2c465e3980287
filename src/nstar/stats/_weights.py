"""Items with unequal fixed weights: transform scores so that plain means are weighted means.

The variance of a weighted mean is the linearized one of survey sampling, Σ w²(x − x̄)² / (Σw)². It
is too small if few items have much of the weight, because these items determine the mean and have
small residuals. :func:`inflation` returns the missing factor for equally noisy items.
:func:`effective` returns the effective number of items.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from nstar._base.types import Array, IntArray


def effective(weights: Array | IntArray) -> float:
    """Return the effective number of items of equal weight, (Σw)² / Σw².

    >>> effective(np.array([1.0, 1.0, 2.0, 0.0]))
    2.6666666666666665
    """
    share = weights / weights.sum()
    return float(1 / (share @ share))


def weight_freedom(weights: Array, codes: npt.NDArray[np.integer[Any]] | None = None) -> float:
    """Return the degrees of freedom of a weighted mean: effective items, or clusters, minus 1.

    For equally noisy items, Satterthwaite's formula gives fewer degrees of freedom and wider
    intervals than necessary.

    >>> weight_freedom(np.ones(5)), weight_freedom(np.ones(6), np.array([0, 0, 1, 1, 2, 2]))
    (4.0, 2.0)
    """
    if codes is None:
        return round(effective(weights) - 1, 9)
    place = np.unique(codes, return_inverse=True)[1]
    cluster_weights: Array = np.bincount(place, weights=weights).astype(np.float64)
    return round(effective(cluster_weights) - 1, 9)


def weighted_scores(scores: Array, weights: Array) -> Array:
    """Return scores, (…, items), whose plain means are weighted means with the variances s²/n.

    The score of an item is x̄ + w (x − x̄) / w̄ with the weighted mean x̄. Differences, sums over
    groups, and covariances follow. For example, the score of the gap of two models is the
    difference between their scores.

    >>> weighted_scores(np.array([1.0, 0.0, 1.0]), np.array([1.0, 1.0, 2.0])).tolist()
    [0.9375, 0.1875, 1.125]
    """
    relative = weights / weights.mean()
    mean = (scores @ (weights / weights.sum()))[..., None]
    return np.asarray(mean + relative * (scores - mean))


def inflation(weights: Array, codes: npt.NDArray[np.integer[Any]] | None = None) -> float:
    """Return the missing variance factor of :func:`weighted_scores` for equally noisy items, ≥ 1.

    The factor is relative to s²/n of independent items. With ``codes``, the group of each item, it
    is relative to the cluster-robust variance, in which residual sums are scaled by n / (n − m)
    for a group of m items. It is 1 for equal weights.

    >>> [round(inflation(np.array(w)), 3) for w in ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 5.0])]
    [1.0, 2.545]
    """
    share, n = weights / weights.sum(), weights.size
    if codes is None:
        unit_shares, spread, scale = share, share * share, np.full(n, n / (n - 1))
    else:
        place = np.unique(codes, return_inverse=True)[1]
        size = np.bincount(place)
        unit_shares, spread = (np.bincount(place, weights=x) for x in (share, share * share))
        scale = n / (n - size)
    true = float(spread.sum())
    estimated = float(scale @ spread) - 2 * float(scale @ (unit_shares * spread))
    estimated += float(scale @ (unit_shares * unit_shares)) * true
    return max(true / estimated, 1.0)
