"""Vectorised bisection: the only root finder the kernel needs.

``scipy.optimize`` costs more to import than the whole kernel, and bisection in float64
reaches the last bit of a monotone function in 60-odd steps with no failure modes.
"""

from collections.abc import Callable

import numpy as np

from nstar._typing import Array, BoolArray, FloatLike

__all__ = ["bisect", "first_whole", "smallest"]

STEPS = 80


def bisect(
    below: Callable[[Array], BoolArray], low: FloatLike, high: FloatLike, *, steps: int = STEPS
) -> Array:
    """Where a monotone predicate turns from true (left) to false (right), elementwise.

    ``below(x)`` is true while ``x`` is left of the root. Stops early once every bracket
    has collapsed to neighbouring floats.
    """
    lo, hi = (np.array(a, dtype=np.float64) for a in np.broadcast_arrays(low, high))
    for _ in range(steps):
        mid = 0.5 * (lo + hi)
        if np.all((mid == lo) | (mid == hi)):
            break
        left = np.asarray(below(mid), dtype=bool)
        lo = np.where(left, mid, lo)
        hi = np.where(left, hi, mid)
    return np.asarray(0.5 * (lo + hi))


def smallest(reach: Callable[[Array], BoolArray], largest: Array) -> Array:
    """Smallest x in (0, largest] from which on ``reach`` holds, elementwise; else ``inf``."""
    x = bisect(lambda mid: ~reach(mid), np.zeros_like(largest), largest)
    return np.where(reach(largest), x, np.inf)


def first_whole(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Smallest whole number in (low, high] at which a predicate turns true.

    It is taken to be false at ``low`` and true at ``high``, both whole; neither is tried.
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
