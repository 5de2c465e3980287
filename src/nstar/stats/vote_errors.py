"""Covariance of strengths from votes: a sandwich, with or without votes that belong together.

V = H⁺ B H⁺ with the information H and B = Σ_g s_g s_gᵀ, where s_g adds up w (y - p) (e_a - e_b)
over the votes of a group g: a prompt, a judge, a session. Independent votes are groups of one.
B needs no model of ties and none of what votes on one prompt share; H alone would be too wide with
ties and too narrow with groups. Sums over whole groups add, so votes may be shared out by group.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, IntArray
from nstar.stats._votes import VoteRows, across, along, assembled, definite, predictor
from nstar.stats.bradley_terry import VoteFit, information_inverse, resistance
from nstar.stats.davidson import davidson_probabilities

__all__ = [
    "VoteCovariance",
    "VoteResiduals",
    "cluster_meat",
    "independent_meat",
    "vote_covariance",
    "vote_residuals",
    "vote_sandwich",
]

_DENSE = 8
"""A group is added up as a whole row of models if its votes are more than models over this."""
_LEAST_DENSE = 24
_ROW_CELLS = 1 << 22
"""Cells of such rows held at a time."""


class _Scores(NamedTuple):
    """Derivative of each vote's log-likelihood, before its weight."""

    residual: Array
    """By the gap of its models: y - p, (N,)."""
    shared: Array
    """By the parameters that all votes share, (N, k)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteCovariance:
    """Covariance of strengths and shared effects, and how far it can be trusted."""

    matrix: Array
    """(P, P), strengths first, in squared log odds."""
    df: float
    """Degrees of freedom of t: the fewest groups less 1; infinite for independent votes."""
    groups: tuple[int, ...]
    """Groups of each clustering; empty for independent votes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteResiduals:
    """What pairs of models scored against each other, beside what a fit expects."""

    pairs: IntArray
    """Indices of both models, the smaller first, (K, 2); pairs that met."""
    votes: Array
    """Votes between them, (K,); of unequal weights as many as would know as much."""
    score: Array
    """Score of the first in those, (K,)."""
    expected: Array
    """Score that the fit expects, (K,)."""
    z: Array
    """Difference in standard errors, (K,); NaN if it has none."""


def _scores(rows: VoteRows, fit: VoteFit) -> _Scores:
    d = predictor(rows, fit.theta)
    if fit.log_tie is None:
        e = rows.score - special.expit(d)
        return _Scores(e, rows.covariates * e[:, None])
    win, tie, _ = davidson_probabilities(d, fit.log_tie)
    e = rows.score - win - tie / 2
    tied = (rows.score == 0.5) - tie
    return _Scores(e, np.column_stack([rows.covariates * e[:, None], tied]))


def _spread(rows: VoteRows, fit: VoteFit) -> _Scores:
    """How the expected score of each row moves with its gap, and with what all votes share."""
    d = predictor(rows, fit.theta)
    if fit.log_tie is None:
        p = special.expit(d)
        v = rows.weight * p * (1 - p)
        return _Scores(v, rows.covariates * v[:, None])
    win, tie, _ = davidson_probabilities(d, fit.log_tie)
    mean = win + tie / 2
    v = rows.weight * (win + tie / 4 - mean * mean)
    both = rows.weight * tie * (0.5 - mean)
    return _Scores(v, np.column_stack([rows.covariates * v[:, None], both]))


def _columns(rows: VoteRows, values: Array) -> Array:
    """Σ x vᵀ over votes, (M, k)."""
    return np.array([along(rows, v) for v in values.T]).reshape(-1, rows.models).T


def independent_meat(rows: VoteRows, fit: VoteFit) -> Array:
    """B = Σ s sᵀ over single votes.

    Parameters
    ----------
    rows
        Votes, or cells of votes; sums over parts of them add.
    fit
        What they were fitted by.

    Returns
    -------
    Array
        (P, P), in squared votes.

    References
    ----------
    White (1980), Econometrica 48.
    Methods: Votes

    Examples
    --------
    >>> from nstar.stats import VoteRows, bradley_terry_fit
    >>> rows = VoteRows.of([0, 0, 0], [1, 1, 1], [1, 0.5, 0])
    >>> independent_meat(rows, bradley_terry_fit(rows)).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    e, u = _scores(rows, fit)
    w = rows.squares
    cross = _columns(rows, u * (w * e)[:, None])
    return assembled(across(rows, w * e * e), cross, u.T @ (u * w[:, None]))


def cluster_meat(rows: VoteRows, fit: VoteFit, cluster: FloatLike) -> Array:
    """B = Σ_g s_g s_gᵀ over groups of votes, without a correction for their number.

    Parameters
    ----------
    rows
        Votes, one in a row; sums over parts add if no group is torn apart.
    fit
        What they were fitted by.
    cluster
        Group of each vote, whole numbers from 0, (N,).

    Returns
    -------
    Array
        (P, P), in squared votes.

    Notes
    -----
    Small groups cost the number of pairs of votes in them, large ones M² each, so that three
    million groups of a thousand models need no matrix of groups by models.

    References
    ----------
    Liang and Zeger (1986), Biometrika 73.
    Methods: Votes

    Examples
    --------
    Three votes on one prompt that agree weigh 3² / 4 instead of 3 / 4:

    >>> from nstar.stats import VoteRows, VoteFit
    >>> import numpy as np
    >>> fit = VoteFit(
    ...     strengths=np.zeros(2),
    ...     effects=np.zeros(0),
    ...     log_tie=None,
    ...     information=np.zeros((2, 2)),
    ...     steps=0,
    ... )
    >>> rows = VoteRows.of([0, 0, 0], [1, 1, 1], [1, 1, 1])
    >>> cluster_meat(rows, fit, [0, 0, 0]).tolist()
    [[2.25, -2.25], [-2.25, 2.25]]
    """
    code = _checked_codes(rows, cluster)
    e, u = _scores(rows, fit)
    value, u = rows.weight * e, u * rows.weight[:, None]
    order = np.argsort(code, kind="stable")
    begins = np.flatnonzero(np.diff(code[order], prepend=-1))
    size = np.diff(begins, append=code.size)
    first, second, value = rows.first[order], rows.second[order], value[order]
    large = size > max(_LEAST_DENSE, rows.models // _DENSE)
    strengths = _by_rows(rows.models, (first, second, value), begins[large], size[large])
    strengths += _by_pairs(rows.models, (first, second, value), begins[~large], size[~large])
    if not u.shape[1]:
        return strengths
    u = np.add.reduceat(u[order], begins, axis=0)  # by group
    each = np.repeat(u, size, axis=0)
    by = VoteRows(
        first=first,
        second=second,
        score=value,
        weight=value,
        squares=value,
        covariates=each[:, :0],
        models=rows.models,
    )
    return assembled(strengths, _columns(by, each * value[:, None]), u.T @ u)


def _checked_codes(rows: VoteRows, cluster: FloatLike) -> IntArray:
    code = np.asarray(cluster)
    checks.counts(cluster=code)
    checks.require(code.shape == (len(rows),), "number of cluster", "as of votes", code.size)
    return code.astype(np.int64, copy=False)


def _by_rows(
    models: int, votes: tuple[IntArray, IntArray, Array], begins: IntArray, size: IntArray
) -> Array:
    """Σ s_g sᵀ_g of large groups, each as a row of models."""
    out = np.zeros((models, models))
    some = max(1, _ROW_CELLS // models)
    for k in range(0, begins.size, some):
        begin, count = begins[k : k + some], size[k : k + some]
        which = np.repeat(begin - np.cumsum(count) + count, count) + np.arange(count.sum())
        row = np.repeat(np.arange(begin.size), count) * models
        first, second, value = (v[which] for v in votes)
        cells = begin.size * models
        s = np.bincount(row + first, weights=value, minlength=cells)
        s -= np.bincount(row + second, weights=value, minlength=cells)
        s = s.reshape(begin.size, models)
        out += s.T @ s
    return out


def _by_pairs(
    models: int, votes: tuple[IntArray, IntArray, Array], begins: IntArray, size: IntArray
) -> Array:
    """Σ s_g sᵀ_g of small groups, by pairs of votes that are ever further apart."""
    first, second, value = votes
    at = np.repeat(begins - np.cumsum(size) + size, size) + np.arange(size.sum())
    after = np.repeat(np.cumsum(size), size) - np.arange(at.size) - 1  # votes after this one
    a, b, v = first[at], second[at], value[at]
    cells = models * models
    square = np.bincount(a * models + b, weights=v * v, minlength=cells).reshape(models, models)
    square = square + square.T

    def products() -> Iterator[tuple[IntArray, Array]]:
        lag, here, left = 1, at, after
        while (here := here[left >= lag]).size:
            left = left[left >= lag]
            there, product = here + lag, value[here] * value[here + lag]
            a, b, c, d = first[here] * models, second[here] * models, first[there], second[there]
            yield from ((a + c, product), (b + d, product), (a + d, -product), (b + c, -product))
            lag += 1

    cross = _added_up(cells, products()).reshape(models, models)
    return np.asarray(np.diag(square.sum(axis=1)) - square + cross + cross.T)


def _added_up(cells: int, given: Iterable[tuple[IntArray, Array]]) -> Array:
    """Sums by cell of (place, value); short ones wait, since a sum touches every cell."""
    out, held, waiting = np.zeros(cells), [], 0
    for one in itertools.chain(given, [None]):
        if one is not None:
            held.append(one)
            waiting += one[0].size
        if held and (one is None or waiting >= cells):
            places, values = (np.concatenate(x) for x in zip(*held, strict=True))
            out += np.bincount(places, weights=values, minlength=cells)
            held, waiting = [], 0
    return out


def vote_sandwich(information: FloatLike, meat: FloatLike, *, models: int) -> Array:
    """H⁺ B H⁺, the covariance of all parameters in the gauge in which strengths add up to 0.

    Parameters
    ----------
    information
        H of all parameters, strengths first, (P, P).
    meat
        B, (P, P); see :func:`independent_meat` and :func:`cluster_meat`.
    models
        Number of strengths.

    Returns
    -------
    Array
        (P, P), in squared log odds.

    References
    ----------
    Huber (1967), Proc. Fifth Berkeley Symposium 1.
    Methods: Votes

    Examples
    --------
    >>> vote_sandwich([[0.5, -0.5], [-0.5, 0.5]], [[0.5, -0.5], [-0.5, 0.5]], models=2).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    bread = information_inverse(information, models=models)
    b = np.asarray(meat, dtype=np.float64)
    checks.require(b.shape == bread.shape, "meat", "of the shape of the information", b.size)
    out = bread @ b @ bread
    return np.asarray((out + out.T) / 2)


def vote_covariance(
    rows: VoteRows, fit: VoteFit, *, clusters: tuple[FloatLike, ...] = ()
) -> VoteCovariance:
    """Covariance of strengths from votes that are independent, or that share prompts or judges.

    Parameters
    ----------
    rows
        Votes; cells of votes will do if there are no clusters.
    fit
        What they were fitted by.
    clusters
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
    Methods: Votes

    Examples
    --------
    >>> from nstar.stats import VoteRows, bradley_terry_fit
    >>> rows = VoteRows.of([0, 0, 1, 1], [1, 1, 0, 0], [1, 0.5, 0, 1])
    >>> found = vote_covariance(rows, bradley_terry_fit(rows), clusters=([0, 0, 1, 2],))
    >>> found.groups, found.df
    ((3,), 2.0)
    """
    checks.require(len(clusters) <= 2, "number of clusters", "at most 2", len(clusters))
    if not clusters:
        meat = independent_meat(rows, fit)
        matrix = vote_sandwich(fit.information, meat, models=rows.models)
        return VoteCovariance(matrix=matrix, df=np.inf, groups=())
    codes = [_checked_codes(rows, c) for c in clusters]
    counts = tuple(int(np.unique(c).size) for c in codes)
    checks.require(min(counts) >= 2, "number of groups", "at least 2", min(counts))
    parts = [_clustered(rows, fit, c, g) for c, g in zip(codes, counts, strict=True)]
    matrix = parts[0]
    if len(parts) == 2:
        both = np.unique(codes[0] * (codes[1].max() + 1) + codes[1], return_inverse=True)[1]
        matrix = definite(parts[0] + parts[1] - _clustered(rows, fit, both, int(both.max()) + 1))
    return VoteCovariance(matrix=matrix, df=float(min(counts) - 1), groups=counts)


def _clustered(rows: VoteRows, fit: VoteFit, code: IntArray, groups: int) -> Array:
    meat = cluster_meat(rows, fit, code) * (groups / (groups - 1))
    return vote_sandwich(fit.information, meat, models=rows.models)


def vote_residuals(rows: VoteRows, fit: VoteFit) -> VoteResiduals:
    """Lack of fit by pair: does one strength for each model explain what pairs scored?

    The residual of a pair, u = Σ w (y - p) over its votes, moves by D = -du/dθ with the
    parameters, so Var u = m - 2 Dᵀ H⁺ s + Dᵀ V D with m = Σ w² (y - p)² and s = Σ w² (y - p)² x
    over its votes, all votes independent. With half ties the usual χ² of residuals does not hold;
    this does. A normal approximation wants some 20 votes of a pair.

    Parameters
    ----------
    rows
        Votes, or cells of votes.
    fit
        What they were fitted by.

    Returns
    -------
    VoteResiduals
        One entry for each pair that met.

    References
    ----------
    Methods: Votes

    Examples
    --------
    A beats B beats C beats A, and three equal strengths are all that is left:

    >>> from nstar.stats import VoteRows, bradley_terry_fit
    >>> rows = VoteRows.of([0, 1, 2] * 4, [1, 2, 0] * 4, [1, 1, 1] * 3 + [0, 0, 0])
    >>> vote_residuals(rows, bradley_terry_fit(rows)).z.round(2).tolist()
    [1.73, -1.73, 1.73]
    """
    models = rows.models
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    there, place = np.unique(low * models + high, return_inverse=True)
    i, j = np.divmod(there, models)
    sign = np.where(rows.first == low, 1.0, -1.0)

    def added(values: Array) -> Array:
        return np.asarray(np.bincount(place, weights=values, minlength=there.size), np.float64)

    def each(values: Array) -> Array:
        return np.array([added(sign * v) for v in values.T]).reshape(-1, there.size).T

    e, shared = _scores(rows, fit)
    spread, moved = _spread(rows, fit)
    weight, squares = added(rows.weight), added(rows.squares)
    u, m = added(sign * rows.weight * e), added(rows.squares * e * e)
    turn = (added(spread), each(moved))
    own = (m, each(shared * (rows.squares * e)[:, None]))
    bread = information_inverse(fit.information, models=models)
    v = vote_sandwich(fit.information, independent_meat(rows, fit), models=models)
    variance = m - 2 * _form(bread, (i, j), turn, own) + _form(v, (i, j), turn, turn)
    sure = variance > 1e-9 * np.maximum(m, 1e-300)
    z = np.divide(u, np.sqrt(np.where(sure, variance, 1)), out=np.full(u.size, np.nan), where=sure)
    score = 0.5 + added(sign * rows.weight * (rows.score - 0.5)) / weight
    return VoteResiduals(
        pairs=np.stack([i, j], axis=1),
        votes=weight * weight / squares,
        score=score,
        expected=score - u / weight,
        z=z,
    )


def _form(
    matrix: Array, pair: tuple[IntArray, IntArray], a: tuple[Array, Array], b: tuple[Array, Array]
) -> Array:
    """aᵀ M b of vectors that are c (e_i - e_j) in the strengths and g in what is shared."""
    (i, j), (c, g), (d, h) = pair, a, b
    m = len(matrix) - g.shape[1]
    side = matrix[:m, m:][i] - matrix[:m, m:][j]
    return np.asarray(
        c * d * resistance(matrix[:m, :m], pairs=np.stack([i, j], axis=1))
        + c * np.sum(side * h, axis=1)
        + d * np.sum(side * g, axis=1)
        + np.einsum("ka,ab,kb->k", g, matrix[m:, m:], h)
    )
