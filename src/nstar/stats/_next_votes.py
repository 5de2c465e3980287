"""Benefit of the next votes between each pair of models, and shares of pairs in a batch.

m votes between i and j with variance v of a score add m v x xᵀ to the information, x = e_i - e_j.
By the Sherman-Morrison formula, the variance of a contrast c then decreases by
m v (cᵀH⁺x)² / (1 + m v xᵀH⁺x). A weighted sum over contrasts needs only Q = H⁺ W H⁺ with
W = Σ w c cᵀ, so all pairs of a thousand models cost two products of matrices.

Chernoff (1972), Sequential Analysis and Optimal Design.
"""

from typing import Literal, TypeAlias

import numpy as np

from nstar._base.types import Array, BoolArray, FloatLike, IntArray

VoteCriterion: TypeAlias = Literal["decisions", "variance"]
"""Quantity that a batch improves: the expected number of decisions, or the variance of gaps."""

_MIN_T = 0.2
"""Smallest gap in standard errors that counts in a weight. A pair that is tied now stays open."""
_BLOCKS = 25
"""Number of blocks of votes after which the choice of a pair is repeated."""


def sandwich_ratio(covariance: Array, inverse: Array) -> float:
    """Return the variance of a strength over its variance without ties and groups, as a median."""
    return float(np.median(np.diagonal(covariance) / np.diagonal(inverse)))


def decision_weights(gap: FloatLike, se: FloatLike, critical: float) -> Array:
    """Return the increase of the expected number of decisions per decrease of each variance.

    It is the derivative of Φ(|gap| / se - critical), and 0 for gaps that are decided.
    """
    errors = np.asarray(se, dtype=np.float64)
    t = np.abs(np.asarray(gap, dtype=np.float64)) / errors
    density = np.exp(-0.5 * np.square(t - critical)) / np.sqrt(2 * np.pi)
    return np.where(t < critical, density * np.maximum(t, _MIN_T) / (2 * np.square(errors)), 0.0)


def between(matrix: Array) -> Array:
    """Return (e_i - e_j)ᵀ A (e_i - e_j) for all pairs, (M, M)."""
    diagonal = np.diagonal(matrix)
    return np.asarray(diagonal[:, None] + diagonal - matrix - matrix.T)


def _laplacian(contrasts: IntArray, weights: Array, models: int) -> Array:
    """Return Σ w c cᵀ for contrasts between two models each, (M, M)."""
    i, j = contrasts.T
    shared = np.bincount(i * models + j, weights=weights, minlength=models**2)
    shared = shared.reshape(models, models) + shared.reshape(models, models).T
    return np.asarray(np.diag(shared.sum(axis=1)) - shared)


def vote_benefits(
    inverse: Array, contrasts: IntArray, weights: Array, information: Array, votes: float
) -> Array:
    """Return Σ w times the decrease of the variance of contrasts by votes on each pair, (M, M).

    ``information`` is the variance of the score of one vote between each pair.
    """
    q = inverse @ _laplacian(contrasts, weights, len(inverse)) @ inverse
    added = votes * information
    return np.asarray(added * between(q) / (1 + added * between(inverse)))


def with_votes(inverse: Array, pair: tuple[int, int], added: float) -> Array:
    """Return the inverse information after votes between two models."""
    i, j = pair
    step = inverse[:, i] - inverse[:, j]
    scale = added / (1 + added * float(step[i] - step[j]))
    return np.asarray(inverse - scale * np.outer(step, step))


def block_shares(
    strengths: Array,
    inverse: Array,
    contrasts: IntArray,
    *,
    information: Array,
    ratio: float,
    critical: float,
    votes: int,
    criterion: VoteCriterion,
) -> tuple[Array, BoolArray]:
    """Return the share of each pair in a batch of votes, and which contrasts are open now.

    Blocks of a batch go to the pair with the largest benefit, one after the other. Shares are all
    0 if no contrast is open.

    Parameters
    ----------
    strengths, inverse : Array
        Strengths and the inverse of their information, (M,) and (M, M).
    contrasts : IntArray
        Pairs of models whose gaps are to be decided, (K, 2).
    information : Array
        Variance of the score of one vote between each pair, (M, M).
    ratio : float
        Factor of variances, see :func:`sandwich_ratio`.
    critical : float
        Gap in standard errors that is significant.
    votes : int
        Number of votes in the batch.
    criterion : {"decisions", "variance"}
        Weights of open contrasts: the slope of their expected decisions, or 1.
    """
    i, j = contrasts.T
    gap = np.abs(strengths[i] - strengths[j])
    count, size = np.zeros_like(inverse), max(votes // _BLOCKS, 1)
    open_now = np.zeros(gap.size, np.bool_)
    for block in range(votes // size):
        variance = inverse[i, i] + inverse[j, j] - 2 * inverse[i, j]
        weights = decision_weights(gap, np.sqrt(ratio * variance), critical)
        is_open = weights > 0
        if block == 0:
            open_now = is_open
        if not is_open.any():
            break
        if criterion == "variance":
            weights = is_open.astype(np.float64)
        benefit = np.triu(vote_benefits(inverse, contrasts, weights, information, size), 1)
        pair = divmod(int(benefit.argmax()), len(inverse))
        count[pair] += size
        inverse = with_votes(inverse, pair, size * float(information[pair]))
    total = count.sum()
    return (count / total if total else count), open_now
