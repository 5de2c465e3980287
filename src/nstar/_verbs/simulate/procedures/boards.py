"""All pairs of a board at once, and the ranks that follow from them."""

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.simulate.procedures.base import INTERVALS, TESTS, counts_as
from nstar._verbs.simulate.sample import Board

DRAWS = 1999
"""Draws of max-T in each replication; an audit makes 10,000 or more."""


@TESTS.add
@counts_as("family")
def none(board: Board, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """What not to do: every pair of a board at the level of one."""
    return np.asarray(board.p <= alpha)


@TESTS.add
@counts_as("family")
def bonferroni(board: Board, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """All pairs of a board, Bonferroni's adjustment."""
    return np.asarray([stats.bonferroni(p) <= alpha for p in board.p])


@TESTS.add
@counts_as("family")
def holm(board: Board, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """All pairs of a board, Holm's step-down adjustment."""
    return np.asarray([stats.holm(p) <= alpha for p in board.p])


def _step_down(p: Array, cov: Array, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Rejected pairs of one replication, by normal scores of their p-values."""
    scores = -special.ndtri(p / 2)
    found = stats.max_t(np.zeros(len(cov)), cov, scores=scores, alpha=alpha, draws=DRAWS, rng=rng)
    reject = found.reject
    last = int(np.argmin(scores))  # tested alone, which needs no draws
    reject[last] = p[last] <= alpha and np.delete(reject, last).all()
    return reject


@TESTS.add
@counts_as("family")
def max_t(board: Board, alpha: float, rng: np.random.Generator) -> BoolArray:
    """All pairs of a board, step-down max-T, nstar's default from 100 items on; 1,999 draws."""
    found = []
    for k, p in enumerate(board.p):
        cov = stats.shrink_covariance(board.covariance(k), board.items)
        found.append(_step_down(p, cov, alpha, rng))
    return np.asarray(found)


def _ranks(lead: IntArray, reject: BoolArray, board: Board) -> tuple[IntArray, IntArray]:
    """Rank sets of one replication from its rejected pairs."""
    first, second = (side[reject] for side in board.pairs)
    ahead = lead[reject] > 0
    better = np.zeros((board.models, board.models), dtype=np.bool_)
    better[np.where(ahead, first, second), np.where(ahead, second, first)] = True
    return stats.rank_sets(better)


@INTERVALS.add
@counts_as("ranks")
def rank_sets(board: Board, conf: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Ranks of all models of a board that max-T leaves open."""
    rows = zip(board.leads, max_t(board, 1 - conf, rng), strict=True)
    limits = np.asarray([_ranks(lead, reject, board) for lead, reject in rows], dtype=np.float64)
    return limits[:, 0], limits[:, 1]
