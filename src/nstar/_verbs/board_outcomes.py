"""Outcomes of leaderboards with known true scores: the winner, tiers, and rank ranges.

Many simulated boards of the same models are analyzed together.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray

FEWEST_ITEMS = 100
"""Number of items below which an audit uses Holm, because correlations of gaps are uncertain."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardOutcomes:
    """Outcomes of leaderboards compared with the truth. The first axis is the leaderboard, R."""

    on_top: Array
    """1 if the best score belongs to a truly best model. If scores are tied, the share of truly
    best models among them, (R,).
    """
    proved: BoolArray
    """Whether one model is truly best and significantly better than all others, (R,)."""
    told: BoolArray
    """Whether each pair of truly adjacent models, from the best down, is significant in the right
    order, (R, M - 1). It is False for equal models.
    """
    tiers: IntArray
    """Number of tiers, (R,)."""
    rank_width: Array
    """Mean width of the rank ranges, (R,)."""
    rank_low: IntArray
    """Best rank of the rank range of each model, from the truly best down, (R, M)."""
    rank_high: IntArray
    """Worst rank of the rank range, (R, M)."""


def true_order(true: Array) -> IntArray:
    """Return the models from the truly best to the worst, (..., M)."""
    return np.asarray(np.argsort(-true, axis=-1, kind="stable"))


def standings(wins: BoolArray, observed: Array, true: Array) -> BoardOutcomes:
    """Return the outcomes of leaderboards.

    ``wins``, (R, M, M), says whether the row's model is significantly better than the column's.
    ``observed``, (R, M), has the scores on each board. ``true``, (R, M) or (M,), has true scores.

    >>> wins = np.array([[[0, 0, 1], [0, 0, 1], [0, 0, 0]]], dtype=bool)
    >>> outcomes = standings(wins, np.array([[0.9, 0.8, 0.1]]), np.array([0.8, 0.7, 0.2]))
    >>> outcomes.told.tolist(), outcomes.tiers.tolist(), outcomes.rank_width.round(2).tolist()
    ([[False, True]], [2], [1.67])
    """
    true = np.broadcast_to(true, observed.shape)
    order = true_order(true)
    rows = np.arange(len(observed))[:, None]
    first, second = order[:, :-1], order[:, 1:]
    best = true == true.max(axis=1, keepdims=True)
    leaders = observed == observed.max(axis=1, keepdims=True)
    won, lost = wins.sum(axis=2), wins.sum(axis=1)
    models = observed.shape[1]
    return BoardOutcomes(
        on_top=(best & leaders).sum(axis=1) / leaders.sum(axis=1),
        proved=(won[rows[:, 0], order[:, 0]] == models - 1) & (best.sum(axis=1) == 1),
        told=wins[rows, first, second] & (true[rows, first] > true[rows, second]),
        tiers=_tiers(wins, observed),
        rank_width=(models - won - lost).mean(axis=1),
        rank_low=np.take_along_axis(1 + lost, order, axis=1),
        rank_high=np.take_along_axis(models - won, order, axis=1),
    )


def _tiers(wins: BoolArray, observed: Array) -> IntArray:
    """Return 1 plus the number of lines above which every model beats every model below."""
    order = true_order(observed)
    rows, place = np.arange(len(observed))[:, None, None], np.arange(observed.shape[1])
    ranked = wins[rows, order[:, :, None], order[:, None, :]]
    unbeaten = np.where(ranked, -1, place).max(axis=2)
    reach = np.maximum.accumulate(np.maximum(unbeaten, place), axis=1)
    return np.asarray(1 + np.count_nonzero(reach[:, :-1] < place[1:], axis=1))
