"""Draw a random subset of a benchmark, proportionally from each stratum of difficulty."""

import numpy as np

from nstar._base.types import Array, IntArray

STRATA = 20
"""Number of strata of difficulty. More strata would gain little."""


def difficulty_strata(difficulty: Array, count: int) -> IntArray:
    """Assign items to ``count`` strata of nearly equal size, with the hardest items first.

    Items of equal difficulty keep their order.

    >>> difficulty_strata(np.array([0.9, 0.1, 0.5, 0.4]), 2).tolist()
    [1, 0, 1, 0]
    """
    order = np.argsort(difficulty, kind="stable")
    codes = np.empty(order.size, np.int64)
    for code, part in enumerate(np.array_split(order, count)):
        codes[part] = code
    return codes


def proportional(sizes: IntArray, n: int) -> IntArray:
    """Return the numbers of items to draw from strata of these sizes, n in total.

    The numbers are proportional to the sizes and rounded by largest remainders. Each stratum gets
    at least two items if it has them, because one item has no variance.

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
    """Return the positions of a random sample of ``counts`` items of each stratum, in order.

    >>> draw_positions(np.array([0, 0, 0, 1, 1, 1]), np.array([2, 1]), seed=7).tolist()
    [1, 2, 5]
    """
    rng = np.random.default_rng(seed)
    parts = [
        rng.choice(np.flatnonzero(codes == code), int(size), replace=False)
        for code, size in enumerate(counts)
    ]
    return np.sort(np.concatenate(parts))
