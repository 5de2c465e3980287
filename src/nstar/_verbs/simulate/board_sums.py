"""Sums over simulated leaderboards, and the resulting probabilities and means."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from nstar._base.types import Array, BoolArray
from nstar._verbs.board_outcomes import standings
from nstar._verbs.simulate.result import BoardPower
from nstar._verbs.simulate.sample import Board

_MEANS = 4
"""Outcomes of a leaderboard that have a sum and a sum of squares."""
_EVENTS = 2
"""Outcomes that occur or not: the best model is shown to be best, and all adjacent pairs are
significant.
"""


def board_sums(board: Board, reject: BoolArray) -> Array:
    """Return sums of means and squares, events, significant adjacent pairs, ranks, and scores."""
    true = np.sort(board.rates)[::-1]
    outcomes = standings(board.wins(reject), board.scores, board.rates)
    differ = -np.diff(true) > 0
    is_significant = outcomes.told[:, differ]
    share = is_significant.mean(axis=1) if differ.any() else np.zeros(len(board))
    all_significant = is_significant.all(axis=1) & differ.any()
    means = np.stack([outcomes.on_top, share, outcomes.tiers, outcomes.rank_width])
    parts = (
        means.sum(axis=1),
        np.square(means).sum(axis=1),
        (outcomes.proved.sum(), all_significant.sum()),
        outcomes.told.sum(axis=0),
        outcomes.rank_low.sum(axis=0),
        outcomes.rank_high.sum(axis=0),
        true * len(board),
    )
    return np.concatenate(parts).astype(np.float64)


def board_events(sums: Sequence[Sequence[float]]) -> Iterator[float]:
    """Yield the numbers of leaderboards with each event."""
    for one in sums:
        if one:
            yield one[0]
            yield from one[2 * _MEANS : -3 * _models(one)]


def _models(sums: Sequence[float]) -> int:
    """Return the number of models, from the length of the sums."""
    return (len(sums) - 2 * _MEANS - _EVENTS + 1) // 4


def _share(events: float, reps: int) -> tuple[float, float]:
    """Return a probability and its standard error, after adding one event and one failure."""
    p = (events + 1) / (reps + 2)
    return events / reps, math.sqrt(p * (1 - p) / reps)


def power_of(sums: Sequence[float], reps: int) -> BoardPower | None:
    """Return the power over these leaderboards; None if there are none."""
    if not sums:
        return None
    models = _models(sums)
    first, squares = np.asarray(sums[:_MEANS]) / reps, np.asarray(sums[_MEANS : 2 * _MEANS]) / reps
    errors = np.sqrt(np.maximum(squares - first * first, 0.0) / reps)
    proved, n_all, *counts = sums[2 * _MEANS : -3 * models]
    rank_low, rank_high, scores = (
        tuple(round(s / reps, 12) for s in sums[len(sums) - k * models :][:models])
        for k in (3, 2, 1)
    )
    differ = [a > b for a, b in pairwise(scores)]
    each = [_share(k, reps) if d else (None, None) for k, d in zip(counts, differ, strict=True)]
    none = (None, None)
    winner = (float(first[0]), _share(sums[0], reps)[1]) if any(differ) else none
    winner_proved = _share(proved, reps) if differ[0] else none
    together = _share(n_all, reps) if any(differ) else none
    share = (float(first[1]), float(errors[1]) or _share(0, reps)[1]) if any(differ) else none
    return BoardPower(
        scores=scores,
        winner=winner[0],
        winner_se=winner[1],
        winner_proved=winner_proved[0],
        winner_proved_se=winner_proved[1],
        neighbors=share[0],
        neighbors_se=share[1],
        all_neighbors=together[0],
        all_neighbors_se=together[1],
        each=tuple(p for p, _ in each),
        each_se=tuple(se for _, se in each),
        tiers=float(first[2]),
        tiers_se=float(errors[2]),
        rank_low=rank_low,
        rank_high=rank_high,
        rank_width=float(first[3]),
        rank_width_se=float(errors[3]),
    )
