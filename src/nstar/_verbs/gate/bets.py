"""Bets on the mean of graded scores in [0, 1], or of their differences: e-values and limits."""

import numpy as np
from scipy import special

from nstar._base.types import Array, Interval
from nstar.stats import Tail

_HALF = 16
"""Number of shares in each half."""
_BLOCK = 100_000
"""Number of items per block."""
_STEPS = 24
"""Bisection steps for an interval of length 2, to 1e-7."""
EDGE = 1 - 1e-9
"""Gaps this close to ±1 are treated as ±1."""


def bet_shares(a: float) -> Array:
    """Return quantiles of the distribution with density ∝ (1 - k²)^(a - 1), and even ones."""
    at = (np.arange(_HALF) + 0.5) / _HALF
    return np.concatenate([np.sqrt(special.betaincinv(0.5, a, at)), at])


def log_capital(d: Array, null: float, shares: Array, times: float = 1.0) -> float:
    """Return the log of the mean capital of all shares after these differences."""
    relative_gap = (d - null) / (1 + null)
    total = np.zeros_like(shares)
    for start in range(0, relative_gap.size, _BLOCK):
        total += np.log1p(np.outer(shares, relative_gap[start : start + _BLOCK])).sum(axis=1)
    return float(special.logsumexp(times * total) - np.log(shares.size))


def graded_log_e(d: Array, *, null: float, a: float, tail: Tail) -> float:
    """Return the log of the e-value against a mean difference of ``null``.

    It generalizes :func:`nstar.stats.gap_log_e` to differences D in [-1, 1]. Against "the mean is
    at most g" a share k of the capital is bet on every item, which multiplies it by 1 + k (D - g)
    / (1 + g), of mean at most 1. Every share is kept to the end and the capitals are averaged, so
    the result does not depend on the order of items. It is valid at every look at a growing run,
    however large and rare losses are. Half of the shares suit the planned size (``a``), and half
    are spread over (0, 1), because the variance of graded scores is unknown.

    Parameters
    ----------
    d : ndarray
        Differences in [-1, 1], in any order.
    null : float
        Mean that is bet against, in (-1, 1).
    a : float
        Mixture, at least ½; :func:`nstar.stats.tuned_beta` of the planned size.
    tail : {"both", "above", "below"}
        ``above`` bets that the mean is larger than ``null``, ``below`` that it is smaller.

    Examples
    --------
    >>> d = np.array([0.3, 0.1, 0.4, 0.2] * 20)
    >>> round(graded_log_e(d, null=0.0, a=1.0, tail="above"), 2)
    14.74
    """
    sign = 1.0 if tail == "above" else -1.0
    return log_capital(sign * d, sign * null, bet_shares(a))


def identical_log_e(n: float, *, margin: float, a: float) -> float:
    """Return the log e-value against "worse by the margin" after n differences of exactly 0.

    >>> e = graded_log_e(np.zeros(100), null=-0.05, a=1.0, tail="above")
    >>> round(identical_log_e(100, margin=0.05, a=1.0) - e, 9)
    0.0
    """
    return log_capital(np.zeros(1), -margin, bet_shares(a), times=n)


def lower_limit(d: Array, shares: Array, limit: float, times: float = 1.0) -> float:
    """Return the largest gap below the mean that the bets reject."""
    low, high = -EDGE, min(float(d.mean()), EDGE)
    if log_capital(d, low, shares, times) < limit:
        return -1.0
    for _ in range(_STEPS):
        midpoint = (low + high) / 2
        is_shown = log_capital(d, midpoint, shares, times) >= limit
        low, high = (midpoint, high) if is_shown else (low, midpoint)
    return low


def graded_sequence(d: Array, *, conf: float, a: float) -> Interval:
    """Return the confidence sequence of the mean difference; each end holds at (1 - conf) / 2.

    >>> low, high = graded_sequence(np.array([0.3, 0.1, 0.4, 0.2] * 20), conf=0.9, a=1.0)
    >>> round(low, 3), round(high, 3)
    (0.178, 0.298)
    """
    shares, limit = bet_shares(a), -float(np.log((1 - conf) / 2))
    return Interval(lower_limit(d, shares, limit), -lower_limit(-d, shares, limit))
