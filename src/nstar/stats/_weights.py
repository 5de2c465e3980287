"""Items of unequal fixed weights: transform scores so that plain means are weighted means.

The error of a weighted mean is the linearized one of survey sampling, Σ w²(x − x̄)² / (Σw)². It is
too small if few items carry much of the weight, because a mean that they determine leaves them
small residuals. :func:`inflation` gives the missing factor if all items were equally noisy, and
:func:`effective` the effective number of items.
"""

from typing import Any

import numpy as np

from nstar._base.types import Array, IntArray


def effective(weights: Array | IntArray) -> float:
    """Effective number of items of equal weight, (Σw)² / Σw².

    Examples
    --------
    >>> effective(np.array([1.0, 1.0, 2.0, 0.0]))
    2.6666666666666665
    """
    share = weights / weights.sum()
    return float(1 / (share @ share))


def weight_freedom(weights: Array, codes: Any = None) -> float:
    """Degrees of freedom of a weighted mean's error: effective items, or clusters, less 1.

    For equally noisy items Satterthwaite's are fewer, and intervals with them wider than
    necessary.

    Examples
    --------
    >>> weight_freedom(np.ones(5)), weight_freedom(np.ones(6), np.array([0, 0, 1, 1, 2, 2]))
    (4.0, 2.0)
    """
    if codes is None:
        return round(effective(weights) - 1, 9)
    place = np.unique(codes, return_inverse=True)[1]
    cluster_weights: Array = np.bincount(place, weights=weights).astype(np.float64)
    return round(effective(cluster_weights) - 1, 9)


def weighted_scores(scores: Array, weights: Array) -> Array:
    """Scores, (…, items), whose plain means are weighted means and whose s²/n are their variances.

    The score of an item is x̄ + w (x − x̄) / w̄ with the weighted mean x̄. Differences, sums over
    groups and covariances follow: the score of two models' gap is the difference of theirs.

    Examples
    --------
    >>> weighted_scores(np.array([1.0, 0.0, 1.0]), np.array([1.0, 1.0, 2.0])).tolist()
    [0.9375, 0.1875, 1.125]
    """
    relative = weights / weights.mean()
    mean = (scores @ (weights / weights.sum()))[..., None]
    return np.asarray(mean + relative * (scores - mean))


def inflation(weights: Array, codes: Any = None) -> float:
    """Missing variance factor of :func:`weighted_scores` if items are independent and alike, ≥ 1.

    Relative to s²/n of items or, with ``codes``, the group of each item, to the cluster-robust
    variance whose residual sums are scaled by n / (n − m) for a group of m items. 1 for equal
    weights.

    Examples
    --------
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
