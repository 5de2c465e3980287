"""Probability that one of several equal models is best on k of n benchmarks by chance."""

import numpy as np

from nstar.stats._binomial import upper_tail
from nstar.stats.mcnemar import P_FLOOR

_MAX_BENCHMARKS = 10**6
"""Largest number of benchmarks that the search for a turning point tries."""


def chance_of_wins(wins: int, of: int, models: int) -> float:
    """Return the probability that a prespecified model is best on ``wins`` benchmarks by chance.

    All models are assumed to be equal.

    >>> round(chance_of_wins(7, 9, 2), 4), round(chance_of_wins(7, 9, 5), 6)
    (0.0898, 0.000314)
    """
    if wins <= 0:
        return 1.0
    tail = upper_tail(np.asarray(float(wins)), np.asarray(float(of)), 1 / models)
    return float(min(max(float(tail), P_FLOOR), 1.0))


def chance_of_any(wins: int, of: int, models: int) -> float:
    """Return an upper bound for any model, which is exact if ``wins`` is more than half.

    For two models this is the two-sided sign test.

    >>> round(chance_of_any(7, 9, 2), 4)
    0.1797
    """
    return min(models * chance_of_wins(wins, of, models), 1.0)


def fewest_wins(of: int, models: int, alpha: float) -> int | None:
    """Return the fewest wins that are significant for any model, or None if even all are not.

    >>> fewest_wins(9, 2, 0.05), fewest_wins(4, 2, 0.05)
    (8, None)
    """
    for wins in range(1, of + 1):
        if chance_of_any(wins, of, models) <= alpha:
            return wins
    return None


def picked_turn(wins: int, of: int, models: int, alpha: float) -> int | None:
    """Return the number of benchmarks from which on chance explains the reported wins.

    The model is assumed to have run on more benchmarks than were reported. Return None if chance
    already explains the wins.

    >>> picked_turn(9, 9, 2, 0.05), picked_turn(7, 9, 5, 0.05)
    (11, 14)
    """
    if chance_of_any(wins, of, models) > alpha:
        return None
    low, high = of, of + 1
    while high < _MAX_BENCHMARKS and chance_of_any(wins, high, models) <= alpha:
        low, high = high, 2 * high
    while high - low > 1:
        midpoint = (low + high) // 2
        beyond = chance_of_any(wins, midpoint, models) > alpha
        low, high = (low, midpoint) if beyond else (midpoint, high)
    return high
