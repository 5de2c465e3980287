"""Two accuracies on different items: score test, Newcombe's interval, and detectable gap.

The numbers of items may differ. All functions take the numbers of correct answers and of items of
each model, and broadcast. Gaps are first minus second.
"""

import numpy as np
from scipy import special

from nstar._base.types import Array, Interval, Sides
from nstar.stats._wilson import wilson_limits
from nstar.stats.critical import z_conf
from nstar.stats.mcnemar import P_FLOOR
from nstar.stats.unpaired import unpaired_power

_HALVINGS = 60
"""Bisection steps for an interval of length 1, exact for a float."""


def score_z(x1: Array, n1: Array, x2: Array, n2: Array) -> Array:
    """Return the gap in standard errors under equal accuracies (the root of Pearson's χ²).

    >>> counts = (np.asarray(v) for v in (714, 1000, 353, 500))
    >>> round(float(score_z(*counts)), 4)
    0.3223
    """
    gap, mean = x1 / n1 - x2 / n2, (x1 + x2) / (n1 + n2)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = gap / np.sqrt(mean * (1 - mean) * (1 / n1 + 1 / n2))
    return np.where(gap == 0, 0.0, z)


def score_pvalue(x1: Array, n1: Array, x2: Array, n2: Array, *, sides: Sides = 2) -> Array:
    """Return the p-value of the score test. One-sided tests are for "the first is better".

    >>> counts = (np.asarray(v) for v in (714, 1000, 353, 500))
    >>> round(float(score_pvalue(*counts)), 4)
    0.7472
    """
    z = score_z(x1, n1, x2, n2)
    tail = 2 * special.ndtr(-np.abs(z)) if sides == 2 else special.ndtr(-z)
    return np.asarray(np.maximum(tail, P_FLOOR))


def newcombe_apart(x1: Array, n1: Array, x2: Array, n2: Array, *, conf: float = 0.95) -> Interval:
    """Return Newcombe's hybrid score interval of the gap (1998, Stat. Med. 17, method 10).

    56 of 70 against 48 of 80, with the result of statsmodels (``confint_proportions_2indep``):

    >>> interval = newcombe_apart(*(np.asarray(v) for v in (56, 70, 48, 80)))
    >>> round(float(interval.low), 4), round(float(interval.high), 4)
    (0.0524, 0.3339)
    """
    z, a, b = float(z_conf(conf)), x1 / n1, x2 / n2
    (l1, u1), (l2, u2) = wilson_limits(x1, n1, z), wilson_limits(x2, n2, z)
    gap = a - b
    return Interval(gap - np.hypot(a - l1, u2 - b), gap + np.hypot(u1 - a, b - l2))


def mde_apart(
    p: float, n1: int, n2: int, *, up: bool, alpha: float, power: float, sides: Sides
) -> float:
    """Return the smallest gap to accuracy ``p`` on ``n2`` items that ``n1`` other items detect.

    Return ``inf`` if even an accuracy of 1 (or 0, if ``up`` is False) would not be detected.

    >>> round(mde_apart(0.74, 216, 216, up=True, alpha=0.05, power=0.8, sides=2), 4)
    0.1087
    """
    max_gap = 1 - p if up else p

    def detects(gap: float) -> bool:
        other = min(max(p + gap if up else p - gap, 0.0), 1.0)
        return float(unpaired_power(other, p, n1=n1, n2=n2, alpha=alpha, sides=sides)) >= power

    if not detects(max_gap):
        return np.inf
    low, high = 0.0, max_gap
    for _ in range(_HALVINGS):
        midpoint = (low + high) / 2
        low, high = (low, midpoint) if detects(midpoint) else (midpoint, high)
    return high
