"""Tests of all pairs of a leaderboard, and the resulting rank ranges."""

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, BoolArray
from nstar._verbs.board_outcomes import FEWEST_ITEMS
from nstar._verbs.simulate.procedures.base import INTERVALS, TESTS, counts_as
from nstar._verbs.simulate.sample import Board
from nstar.errors import ParameterError

DRAWS = 1999
"""Number of max-T draws in each replication. An audit uses 10,000 or more."""


@TESTS.add
@counts_as("family")
def none(board: Board, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Not recommended: test every pair of a leaderboard without an adjustment."""
    return np.asarray(board.p <= alpha)


@TESTS.add
@counts_as("family")
def bonferroni(board: Board, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Tests of all pairs of a leaderboard, with Bonferroni's adjustment."""
    return np.asarray([stats.bonferroni(p) <= alpha for p in board.p])


@TESTS.add
@counts_as("family")
def holm(board: Board, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Tests of all pairs of a leaderboard, with Holm's step-down adjustment."""
    return np.asarray([stats.holm(p) <= alpha for p in board.p])


def _step_down(p: Array, cov: Array, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Return the rejected pairs of one replication, from normal scores of their p-values."""
    if p.size == 1:
        return np.asarray(p <= alpha)
    scores = -special.ndtri(p / 2)
    result = stats.max_t(np.zeros(len(cov)), cov, scores=scores, alpha=alpha, draws=DRAWS, rng=rng)
    reject = result.reject
    last = int(np.argmin(scores))  # tested alone, which needs no draws
    reject[last] = p[last] <= alpha and np.delete(reject, last).all()
    return reject


@TESTS.add
@counts_as("family")
def max_t(board: Board, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Tests of all pairs of a leaderboard, with step-down max-T from 1,999 random draws."""
    if board.tests is not None:
        msg = (
            "max-t needs the scores of independent items to estimate the correlation of gaps. Use "
            "audit or holm, which apply Holm's adjustment here."
        )
        raise ParameterError(msg)
    rejections = []
    for k, p in enumerate(board.p):
        cov = stats.shrink_covariance(board.covariance(k), board.items)
        rejections.append(_step_down(p, cov, alpha, rng))
    return np.asarray(rejections)


@TESTS.add
@counts_as("family")
def audit(board: Board, alpha: float, rng: np.random.Generator) -> BoolArray:
    """The test of nstar audit: max-T, or Holm if max-T is not available."""
    plain = board.tests is None and board.items >= FEWEST_ITEMS
    return max_t(board, alpha, rng) if plain else holm(board, alpha, rng)


@INTERVALS.add
@counts_as("ranks")
def rank_sets(board: Board, conf: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Rank ranges of all models of a leaderboard."""
    wins = board.wins(audit(board, 1 - conf, rng))
    low, high = 1 + wins.sum(axis=1), board.models - wins.sum(axis=2)
    return low.astype(np.float64), high.astype(np.float64)
