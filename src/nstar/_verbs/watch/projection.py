"""Where bets are heading: their capital if the items to come have a given mean.

A forecast and no evidence. Each item to come is drawn from two values, a standard deviation to
either side of that mean; stakes are those of :class:`nstar.stats.Bets` at the spread so far.
"""

import numpy as np

from nstar._base.types import Array, BoolArray
from nstar._verbs.watch.question import WatchQuestion
from nstar.stats.betting import Bets

_CAUTION = 0.5
"""Largest share of the capital that one item may cost, as in the bets themselves."""


class _Future:
    """Items to come in a few stretches, for each of several means."""

    def __init__(self, bets: Bets, means: Array, times: Array) -> None:
        self._bets = bets
        edges = np.concatenate([[float(bets.n)], times])
        middle, self._items = (edges[1:] + edges[:-1] + 1) / 2, np.diff(edges)
        variance = (0.25 + bets.squares) / (bets.n + 1)
        aim = 2 * np.log(2 / bets.alpha)
        self._stakes = np.sqrt(aim / (variance * middle * np.log(middle + 1)))
        centre = np.clip((1 + means) / 2, 0, 1)[:, None]
        self._centre = centre
        self._spread = np.minimum(np.sqrt(variance), np.minimum(centre, 1 - centre))

    def log_capital(self, null: float, side: int) -> Array:
        """Log capital of bets above (1) or below (-1) a gap, means by stretches."""
        m = (1 + null) / 2
        most = _CAUTION / (m if side > 0 else 1 - m)
        stakes, far = side * np.minimum(self._stakes, most), self._centre - m
        growth = np.log1p(stakes * (far + self._spread)) + np.log1p(stakes * (far - self._spread))
        held = self._bets.log_above if side > 0 else self._bets.log_below
        now = held[int(np.searchsorted(self._bets.nulls, null - 1e-12))]
        return np.asarray(now + np.cumsum(self._items * growth / 2, axis=1))


def capital_decides(bets: Bets, question: WatchQuestion, means: Array, times: Array) -> BoolArray:
    """Whether the run is decided by each time (columns) if the items to come have each mean.

    Parameters
    ----------
    bets
        Capital so far; it has the gap 0 and those of the margin.
    question
        What is asked.
    means
        Mean differences of the items to come, in [-1, 1].
    times
        Increasing numbers of items, all above those so far.

    Examples
    --------
    >>> bets = Bets(nulls=(0.0,))
    >>> ahead = capital_decides(
    ...     bets, WatchQuestion(horizon=28), np.array([0.0, 0.5]), np.array([28.0])
    ... )
    >>> ahead[:, 0]
    array([False,  True])
    """
    future, limit = _Future(bets, means, times), question.limit
    both = np.maximum(future.log_capital(0.0, 1), future.log_capital(0.0, -1)) - np.log(2.0)
    decided = both >= limit
    if question.margin is not None:
        within = future.log_capital(-question.margin, 1) >= limit
        if question.equivalence:
            within &= future.log_capital(question.margin, -1) >= limit
        decided |= within
    return np.logical_or.accumulate(decided, axis=1)
