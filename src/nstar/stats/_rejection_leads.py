"""Find the smallest lead of wins over losses that rejects, for each number of discordant items."""

from collections.abc import Callable

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray


def least_leads(n: Array, reached: Callable[[Array], BoolArray]) -> IntArray:
    """Return the smallest sufficient lead after each number of discordant items.

    The lead exceeds the number of items if none suffices.
    """
    low, high = np.full_like(n, -1.0), np.floor(n / 2) + 1
    while (high - low > 1).any():
        midpoint = np.floor((low + high) / 2)
        up = reached(np.minimum(2 * midpoint + n % 2, n))
        low, high = np.where(up, low, midpoint), np.where(up, midpoint, high)
    return np.asarray(2 * high + n % 2, dtype=np.int64)
