"""Choosing some items of a benchmark at random, from each difficulty as many as its share."""

import numpy as np

from nstar._base.types import Array, IntArray

STRATA = 20
"""Strata of difficulty; more gain little."""


def difficulty_strata(difficulty: Array, count: int) -> IntArray:
    """Stratum of each item: ``count`` of as good as equal size, the hardest first.

    Equally hard items are taken in their order.

    Examples
    --------
    >>> difficulty_strata(np.array([0.9, 0.1, 0.5, 0.4]), 2).tolist()
    [1, 0, 1, 0]
    """
    order = np.argsort(difficulty, kind="stable")
    codes = np.empty(order.size, np.int64)
    for code, part in enumerate(np.array_split(order, count)):
        codes[part] = code
    return codes


def proportional(sizes: IntArray, n: int) -> IntArray:
    """Items from each stratum in proportion to its size, n in all, by largest remainders.

    Two at least, as far as the stratum has them: one has no spread.

    Examples
    --------
    >>> proportional(np.array([40, 40, 21]), 50).tolist()
    [20, 20, 10]
    """
    exact = sizes * (n / sizes.sum())
    counts = np.minimum(np.maximum(np.floor(exact).astype(np.int64), 2), sizes)
    while (missing := n - int(counts.sum())) != 0:
        can_change = counts < sizes if missing > 0 else counts > np.minimum(sizes, 2)
        wanting = np.where(can_change, (exact - counts) * np.sign(missing), -np.inf)
        if not can_change.any():
            break
        take = np.argsort(-wanting, kind="stable")[: min(abs(missing), int(can_change.sum()))]
        counts[take] += np.sign(missing)
    return counts


def draw_positions(codes: IntArray, counts: IntArray, seed: int) -> IntArray:
    """Positions of a random sample of so many items of each stratum, in order.

    Examples
    --------
    >>> draw_positions(np.array([0, 0, 0, 1, 1, 1]), np.array([2, 1]), seed=7).tolist()
    [1, 2, 5]
    """
    rng = np.random.default_rng(seed)
    parts = [
        rng.choice(np.flatnonzero(codes == code), int(size), replace=False)
        for code, size in enumerate(counts)
    ]
    return np.sort(np.concatenate(parts))
