"""Root finding: vectorized bisection, and interpolation for expensive functions.

Importing ``scipy.optimize`` takes longer than importing the whole kernel. Bisection in float64
finds the root of a monotone function to the last bit in about 60 steps, and cannot fail.
"""

from collections.abc import Callable

import numpy as np

from nstar._base.types import Array, BoolArray, FloatLike

STEPS = 80

_SMALL = 64
"""Largest number of elements for which one call with several points is faster."""


def bisect(
    below: Callable[[Array], BoolArray],
    low: FloatLike,
    high: FloatLike,
    *,
    steps: int = STEPS,
    points: int = 1,
) -> Array:
    """Return where a monotone predicate changes from true (left) to false (right), elementwise.

    ``below(x)`` is true while ``x`` is left of the root. The search stops early once every bracket
    has collapsed to neighboring floats. With several ``points``, each step divides the bracket
    into more parts, and ``x`` has an additional first axis.
    """
    lo, hi = (np.array(a, dtype=np.float64) for a in np.broadcast_arrays(low, high))
    share = np.arange(1, points + 1).reshape(-1, *([1] * lo.ndim)) / (points + 1)
    for _ in range(steps):
        mid = 0.5 * (lo + hi)
        if np.all((mid == lo) | (mid == hi)):
            break
        if points == 1:
            left = np.asarray(below(mid), dtype=bool)
            lo, hi = np.where(left, mid, lo), np.where(left, hi, mid)
        else:
            x = np.concatenate([lo[None], lo + share * (hi - lo), hi[None]])
            x[points // 2 + 1] = mid  # the last step needs a point between the two ends
            n_left = np.asarray(below(x[1:-1]), dtype=bool).sum(axis=0)[None]
            lo, hi = (np.take_along_axis(x, n_left + k, axis=0)[0] for k in (0, 1))
    return np.asarray(0.5 * (lo + hi))


def smallest(reach: Callable[[Array], BoolArray], largest: Array) -> Array:
    """Return the smallest x in (0, largest] from which on ``reach`` holds, elementwise.

    Return ``inf`` if there is none. ``reach`` must accept an additional first axis. For a few
    elements, the number of calls determines the time, so each call tests several points.
    """
    points = 15 if largest.size <= _SMALL else 1
    x = bisect(lambda mid: ~reach(mid), np.zeros_like(largest), largest, points=points)
    return np.where(reach(largest), x, np.inf)


def first_whole(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest whole number in (low, high] for which a monotone predicate is true.

    The predicate is assumed to be false at ``low`` and true at ``high``. It is not evaluated at
    either.
    """
    while high - low > 1:
        midpoint = (low + high) // 2
        low, high = (low, midpoint) if holds(midpoint) else (midpoint, high)
    return high


def mixture_root(alpha: Array) -> Array:
    """Return the r > 0 with r - ln(1 + r) = -2 ln alpha, which is -W₋₁(-alpha²/e) - 1 (Lambert).

    The variance of the normal mixture that is tightest at item n is r / n (Howard et al. 2021).
    The computation uses logarithms, because alpha² may underflow. Newton's method starts from
    above, where convexity ensures convergence.
    """
    goal = -2 * np.log(alpha)
    r = goal + np.sqrt(2 * goal)
    for _ in range(6):
        r = r - (r - np.log1p(r) - goal) * (1 + r) / r
    return np.asarray(r)


def bracketed(
    func: Callable[[Array], Array], low: FloatLike, high: FloatLike, *, tol: float = 1e-14
) -> Array:
    """Return the root of a continuous function between points of opposite sign, elementwise.

    Chandrupatla's method (1997) uses inverse quadratic interpolation if the last three points
    allow it, and bisection otherwise. It needs about ten function calls instead of fifty, which
    matters for functions that take milliseconds.
    """
    b, a = (np.array(x, dtype=np.float64) for x in np.broadcast_arrays(low, high))
    f_b, f_a = func(b), func(a)
    t = np.full_like(a, 0.5)
    for _ in range(STEPS):
        x = a + t * (b - a)
        f_x = func(x)
        same = np.sign(f_x) == np.sign(f_a)
        c, f_c = np.where(same, a, b), np.where(same, f_a, f_b)
        b, f_b = np.where(same, b, a), np.where(same, f_b, f_a)
        a, f_a = x, f_x
        a_is_best = np.abs(f_a) < np.abs(f_b)
        best = np.where(a_is_best, a, b)
        min_step = (2e-16 * np.abs(best) + 0.5 * tol) / np.maximum(np.abs(b - a), 1e-300)
        if np.all((min_step > 0.5) | (np.where(a_is_best, f_a, f_b) == 0)):
            break
        t = np.clip(_interpolated(a, b, c, f_a, f_b, f_c), min_step, 1 - min_step)
    return np.asarray(np.where(np.abs(f_a) < np.abs(f_b), a, b))


def _interpolated(a: Array, b: Array, c: Array, f_a: Array, f_b: Array, f_c: Array) -> Array:
    """Return the next point between a (0) and b (1), or ½ if interpolation is unsafe."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place = (a - b) / (c - b)
        level = (f_a - f_b) / (f_c - f_b)
        tame = (level**2 < place) & ((1 - level) ** 2 < 1 - place)
        slope = (c - a) / (b - a)
        t = f_a / (f_b - f_a) * f_c / (f_b - f_c) + slope * f_a / (f_c - f_a) * f_b / (f_c - f_b)
    return np.where(tame & np.isfinite(t), t, 0.5)
