"""Covariance of strengths from votes by a sandwich estimator, with or without grouped votes.

V = H⁺ B H⁺ with the information H and B = Σ_g s_g s_gᵀ, where s_g adds up w (y - p) (e_a - e_b)
over the votes of a group g: a prompt, a judge, a session. Independent votes are groups of one. B
needs no model of ties or of the dependence of votes on one prompt; H alone would be too wide with
ties and too narrow with groups. Sums over whole groups add, so votes may be split by group.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike, IntArray
from nstar.stats._vote_scores import (
    GroupOrder,
    VoteScores,
    bilinear,
    checked_codes,
    group_products,
    products,
    scores_of,
    spread_of,
)
from nstar.stats._votes import VoteRows, definite
from nstar.stats.bradley_terry import VoteFit, information_inverse

__all__ = ["VoteCovariance", "vote_covariance"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteCovariance:
    """Covariance of strengths and shared effects, and its degrees of freedom."""

    matrix: Array
    """(P, P), strengths first, in squared log odds."""
    df: float
    """Degrees of freedom of t: the fewest groups less 1; infinite for independent votes."""
    groups: tuple[int, ...]
    """Groups of each clustering; empty for independent votes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _VoteResiduals:
    """Observed scores of pairs of models, next to those that a fit expects."""

    pairs: IntArray
    """Indices of both models, the smaller first, (K, 2); pairs that met."""
    votes: Array
    """Votes between them, (K,); for unequal weights, the effective number."""
    score: Array
    """Observed score of the first model, (K,)."""
    expected: Array
    """Score that the fit expects, (K,)."""
    z: Array
    """Difference in standard errors, (K,); NaN if it has none."""


def _independent_meat(rows: VoteRows, fit: VoteFit) -> Array:
    """Return B = Σ s sᵀ over single votes.

    Sums over parts of the votes add.

    White (1980), Econometrica 48.
    """
    return products(rows, scores_of(rows, fit), rows.squares)


def _cluster_meat(rows: VoteRows, fit: VoteFit, cluster: FloatLike) -> Array:
    """Return B = Σ_g s_g s_gᵀ over groups of votes, without a correction for their number.

    Small groups cost the number of pairs of votes in them, large ones M² each, so that three
    million groups of a thousand models need no matrix of groups by models. Sums over parts add if
    no group is split.

    Liang and Zeger (1986), Biometrika 73.
    """
    code = checked_codes(rows, cluster)
    e, u = scores_of(rows, fit)
    weighted = VoteScores(rows.weight * e, u * rows.weight[:, None])
    return group_products(rows, weighted, GroupOrder.of(code))


def vote_sandwich(information: FloatLike, meat: FloatLike, *, models: int) -> Array:
    """Return H⁺ B H⁺, the covariance of all parameters if strengths add up to 0.

    Huber (1967), Proc. Fifth Berkeley Symposium 1.
    """
    bread = information_inverse(information, models=models)
    b = np.asarray(meat, dtype=np.float64)
    checks.require(b.shape == bread.shape, "meat", "of the same shape as the information", b.size)
    out = bread @ b @ bread
    return np.asarray((out + out.T) / 2)


def vote_covariance(
    rows: VoteRows, fit: VoteFit, *, clusters: tuple[FloatLike, ...] = ()
) -> VoteCovariance:
    """Return the covariance of strengths from independent votes, or from votes in groups.

    Parameters
    ----------
    rows : VoteRows
        Votes; cells of votes will do if there are no clusters.
    fit : VoteFit
        Fit of these votes.
    clusters : tuple of array_like, default ()
        Up to two groupings, each (N,) whole numbers from 0: prompts, judges. Groups are corrected
        by G / (G - 1). Of two, V = V₁ + V₂ - V₁₂, where V₁₂ takes votes that share both, with
        negative eigenvalues set to 0.

    Returns
    -------
    VoteCovariance
        The matrix, and the degrees of freedom min(G) - 1 for t.

    References
    ----------
    Cameron, Gelbach and Miller (2011), J. Bus. Econ. Stat. 29.
    Methods: Votes between models

    Examples
    --------
    >>> from nstar.stats import VoteRows, bradley_terry_fit
    >>> rows = VoteRows.of([0, 0, 1, 1], [1, 1, 0, 0], [1, 0.5, 0, 1])
    >>> errors = vote_covariance(rows, bradley_terry_fit(rows), clusters=([0, 0, 1, 2],))
    >>> errors.groups, errors.df
    ((3,), 2.0)
    """
    checks.require(len(clusters) <= 2, "number of clusters", "at most 2", len(clusters))
    if not clusters:
        meat = _independent_meat(rows, fit)
        matrix = vote_sandwich(fit.information, meat, models=rows.models)
        return VoteCovariance(matrix=matrix, df=np.inf, groups=())
    codes = [checked_codes(rows, c) for c in clusters]
    counts = tuple(int(np.unique(c).size) for c in codes)
    checks.require(min(counts) >= 2, "number of groups", "at least 2", min(counts))
    parts = [_clustered(rows, fit, c, g) for c, g in zip(codes, counts, strict=True)]
    matrix = parts[0]
    if len(parts) == 2:
        crossed = np.unique(codes[0] * (codes[1].max() + 1) + codes[1], return_inverse=True)[1]
        matrix = definite(
            parts[0] + parts[1] - _clustered(rows, fit, crossed, int(crossed.max()) + 1)
        )
    return VoteCovariance(matrix=matrix, df=float(min(counts) - 1), groups=counts)


def _clustered(rows: VoteRows, fit: VoteFit, code: IntArray, groups: int) -> Array:
    meat = _cluster_meat(rows, fit, code) * (groups / (groups - 1))
    return vote_sandwich(fit.information, meat, models=rows.models)


def vote_residuals(rows: VoteRows, fit: VoteFit) -> _VoteResiduals:
    """Return the lack of fit by pair: whether one strength per model explains the scores.

    The residual of a pair, u = Σ w (y - p) over its votes, changes by D = -du/dθ with the
    parameters, so Var u = m - 2 Dᵀ H⁺ s + Dᵀ V D with m = Σ w² (y - p)² and s = Σ w² (y - p)² x
    over its votes, all votes independent. With half ties the usual χ² of residuals is not valid;
    this one is. The normal approximation needs about 20 votes per pair.
    """
    models = rows.models
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    pair_codes, place = np.unique(low * models + high, return_inverse=True)
    i, j = np.divmod(pair_codes, models)
    sign = np.where(rows.first == low, 1.0, -1.0)

    def added(values: Array) -> Array:
        return np.asarray(
            np.bincount(place, weights=values, minlength=pair_codes.size), np.float64
        )

    def each(values: Array) -> Array:
        return np.array([added(sign * v) for v in values.T]).reshape(-1, pair_codes.size).T

    e, shared = scores_of(rows, fit)
    spread, moved = spread_of(rows, fit)
    weight, squares = added(rows.weight), added(rows.squares)
    u, m = added(sign * rows.weight * e), added(rows.squares * e * e)
    turn = (added(spread), each(moved))
    score_terms = (m, each(shared * (rows.squares * e)[:, None]))
    bread = information_inverse(fit.information, models=models)
    v = vote_sandwich(fit.information, _independent_meat(rows, fit), models=models)
    variance = m - 2 * bilinear(bread, (i, j), turn, score_terms) + bilinear(v, (i, j), turn, turn)
    sure = variance > 1e-9 * np.maximum(m, 1e-300)
    z = np.divide(u, np.sqrt(np.where(sure, variance, 1)), out=np.full(u.size, np.nan), where=sure)
    score = 0.5 + added(sign * rows.weight * (rows.score - 0.5)) / weight
    return _VoteResiduals(
        pairs=np.stack([i, j], axis=1),
        votes=weight * weight / squares,
        score=score,
        expected=score - u / weight,
        z=z,
    )
