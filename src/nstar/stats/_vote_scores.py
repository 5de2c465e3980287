"""Derivatives of single votes with respect to the parameters of a fit, summed over groups."""

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, IntArray
from nstar.stats._votes import VoteRows, across, along, assembled, predictor
from nstar.stats.bradley_terry import VoteFit, resistance
from nstar.stats.davidson import davidson_probabilities

_DENSE = 8
"""Number of models, relative to the votes of a group, up to which a group is summed as a row of
models.
"""
_LEAST_DENSE = 24
ROW_CELLS = 1 << 22
"""Number of cells of these rows in memory."""


class VoteScores(NamedTuple):
    """Derivative of each vote's log-likelihood, before weighting."""

    residual: Array
    """Derivative with respect to the gap of the two models: y - p, (N,)."""
    shared: Array
    """Derivatives with respect to the parameters that all votes share, (N, k)."""


class GroupOrder(NamedTuple):
    """Order of votes by group."""

    order: IntArray
    """Indices of votes, one group after another, (N,)."""
    begins: IntArray
    """Position in that order at which each group begins, (G,)."""
    size: IntArray
    """Number of votes of each group, (G,)."""

    @classmethod
    def of(cls, code: IntArray) -> "GroupOrder":
        """Build from the group of each vote."""
        order = np.argsort(code, kind="stable")
        begins = np.flatnonzero(np.diff(code[order], prepend=-1))
        return cls(order, begins, np.diff(begins, append=code.size))


def scores_of(rows: VoteRows, fit: VoteFit) -> VoteScores:
    """Return the derivatives of each row at the fit."""
    d = predictor(rows, fit.theta)
    if fit.log_tie is None:
        e = rows.score - special.expit(d)
        return VoteScores(e, rows.covariates * e[:, None])
    win, tie, _ = davidson_probabilities(d, fit.log_tie)
    e = rows.score - win - tie / 2
    tied = (rows.score == 0.5) - tie
    return VoteScores(e, np.column_stack([rows.covariates * e[:, None], tied]))


def spread_of(rows: VoteRows, fit: VoteFit) -> VoteScores:
    """Return how the expected score of each row changes with its gap and the shared parameters."""
    d = predictor(rows, fit.theta)
    if fit.log_tie is None:
        p = special.expit(d)
        v = rows.weight * p * (1 - p)
        return VoteScores(v, rows.covariates * v[:, None])
    win, tie, _ = davidson_probabilities(d, fit.log_tie)
    mean = win + tie / 2
    v = rows.weight * (win + tie / 4 - mean * mean)
    score_tie_cov = rows.weight * tie * (0.5 - mean)
    return VoteScores(v, np.column_stack([rows.covariates * v[:, None], score_tie_cov]))


def column_sums(rows: VoteRows, values: Array) -> Array:
    """Return Σ x vᵀ over votes, (M, k)."""
    return np.array([along(rows, v) for v in values.T]).reshape(-1, rows.models).T


def products(rows: VoteRows, scores: VoteScores, weight: Array) -> Array:
    """Return Σ weight · s sᵀ over votes with the scores s, (P, P)."""
    e, u = scores
    cross = column_sums(rows, u * (weight * e)[:, None])
    return assembled(across(rows, weight * e * e), cross, u.T @ (u * weight[:, None]))


def group_products(rows: VoteRows, scores: VoteScores, groups: GroupOrder) -> Array:
    """Return Σ_g s_g s_gᵀ over groups, (P, P), for weighted scores.

    The cost of a small group is the number of its pairs of votes, and that of a large group is M².
    Three million groups of a thousand models therefore need no matrix of groups by models.
    """
    order, begins, size = groups
    first, second, value = rows.first[order], rows.second[order], scores.residual[order]
    large = size > max(_LEAST_DENSE, rows.models // _DENSE)
    strengths = _by_rows(rows.models, (first, second, value), begins[large], size[large])
    strengths += _by_pairs(rows.models, (first, second, value), begins[~large], size[~large])
    if not scores.shared.shape[1]:
        return strengths
    u = np.add.reduceat(scores.shared[order], begins, axis=0)  # by group
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
    return assembled(strengths, column_sums(by, each * value[:, None]), u.T @ u)


def checked_codes(rows: VoteRows, cluster: FloatLike) -> IntArray:
    code = np.asarray(cluster)
    checks.counts(cluster=code)
    votes = len(rows)
    checks.require(
        code.shape == (votes,), "length of cluster", f"{votes}, the number of votes", code.size
    )
    return code.astype(np.int64, copy=False)


def _by_rows(
    models: int, votes: tuple[IntArray, IntArray, Array], begins: IntArray, size: IntArray
) -> Array:
    """Return Σ s_g sᵀ_g of large groups, each as a row of models."""
    out = np.zeros((models, models))
    groups_per_chunk = max(1, ROW_CELLS // models)
    for k in range(0, begins.size, groups_per_chunk):
        begin, count = begins[k : k + groups_per_chunk], size[k : k + groups_per_chunk]
        indices = np.repeat(begin - np.cumsum(count) + count, count) + np.arange(count.sum())
        row = np.repeat(np.arange(begin.size), count) * models
        first, second, value = (v[indices] for v in votes)
        cells = begin.size * models
        s = np.bincount(row + first, weights=value, minlength=cells)
        s -= np.bincount(row + second, weights=value, minlength=cells)
        s = s.reshape(begin.size, models)
        out += s.T @ s
    return out


def _by_pairs(
    models: int, votes: tuple[IntArray, IntArray, Array], begins: IntArray, size: IntArray
) -> Array:
    """Return Σ s_g sᵀ_g of small groups, by pairs of votes at increasing distance."""
    first, second, value = votes
    at = np.repeat(begins - np.cumsum(size) + size, size) + np.arange(size.sum())
    after = np.repeat(np.cumsum(size), size) - np.arange(at.size) - 1  # votes that follow this one
    a, b, v = first[at], second[at], value[at]
    cells = models * models
    square = np.bincount(a * models + b, weights=v * v, minlength=cells).reshape(models, models)
    square = square + square.T

    def lagged() -> Iterator[tuple[IntArray, Array]]:
        lag, earlier, left = 1, at, after
        while (earlier := earlier[left >= lag]).size:
            left = left[left >= lag]
            later, product = earlier + lag, value[earlier] * value[earlier + lag]
            a, b, c, d = (
                first[earlier] * models,
                second[earlier] * models,
                first[later],
                second[later],
            )
            yield from ((a + c, product), (b + d, product), (a + d, -product), (b + c, -product))
            lag += 1

    cross = _added_up(cells, lagged()).reshape(models, models)
    return np.asarray(np.diag(square.sum(axis=1)) - square + cross + cross.T)


def _added_up(cells: int, contributions: Iterable[tuple[IntArray, Array]]) -> Array:
    """Return sums by cell of contributions (position, value).

    Short arrays are collected first, because a sum reads every cell.
    """
    out, pending, waiting = np.zeros(cells), [], 0
    for one in itertools.chain(contributions, [None]):
        if one is not None:
            pending.append(one)
            waiting += one[0].size
        if pending and (one is None or waiting >= cells):
            places, values = (np.concatenate(x) for x in zip(*pending, strict=True))
            out += np.bincount(places, weights=values, minlength=cells)
            pending, waiting = [], 0
    return out


def bilinear(
    matrix: Array, pair: tuple[IntArray, IntArray], a: tuple[Array, Array], b: tuple[Array, Array]
) -> Array:
    """Return aᵀ M b for vectors with c (e_i - e_j) in the strengths and g in shared parameters."""
    (i, j), (c, g), (d, h) = pair, a, b
    m = len(matrix) - g.shape[1]
    side = matrix[:m, m:][i] - matrix[:m, m:][j]
    return np.asarray(
        c * d * resistance(matrix[:m, :m], pairs=np.stack([i, j], axis=1))
        + c * np.sum(side * h, axis=1)
        + d * np.sum(side * g, axis=1)
        + np.einsum("ka,ab,kb->k", g, matrix[m:, m:], h)
    )
