"""Bets on the gap of graded scores in [0, 1], whatever the order of the items.

As :func:`nstar.stats.gap_log_e` for differences D anywhere in [-1, 1]: against "the gap is at
most g" a share k of the capital is bet on every item, which multiplies it by
1 + k (D - g) / (1 + g), of mean at most 1. Every share is held to the end and their capitals are
averaged, so that the result depends on which items are there and not on their order: it is valid
at every look at a growing run, and however large and rare losses are. Half of the shares are
those that suit the planned size, half are spread over (0, 1), for how much graded scores vary is
not known.
"""

import numpy as np
from scipy import special

from nstar._base.types import Array, Interval
from nstar.stats import Tail

_HALF = 16
"""Shares of either half."""
_BLOCK = 100_000
"""Items at a time."""
_STEPS = 24
"""Halvings of an interval of length 2: to 1e-7."""
_EDGE = 1 - 1e-9
"""Gaps this close to ±1 stand for ±1."""


def _shares(a: float) -> Array:
    """Quantiles of the law with density ∝ (1 - k²)^(a - 1), and even ones."""
    at = (np.arange(_HALF) + 0.5) / _HALF
    return np.concatenate([np.sqrt(special.betaincinv(0.5, a, at)), at])


def _above(d: Array, null: float, shares: Array) -> float:
    far = (d - null) / (1 + null)
    total = np.zeros_like(shares)
    for start in range(0, far.size, _BLOCK):
        total += np.log1p(np.outer(shares, far[start : start + _BLOCK])).sum(axis=1)
    return float(special.logsumexp(total) - np.log(shares.size))


def graded_log_e(d: Array, *, null: float, a: float, tail: Tail) -> float:
    """Log of the e-value against a mean difference of ``null``.

    Parameters
    ----------
    d
        Differences in [-1, 1], in any order.
    null
        Mean that is bet against, in (-1, 1).
    a
        Mixture, at least ½; :func:`nstar.stats.tuned_beta` of the planned size.
    tail
        ``above`` bets that the mean is larger than ``null``, ``below`` that it is smaller.

    Examples
    --------
    >>> d = np.array([0.3, 0.1, 0.4, 0.2] * 20)
    >>> round(graded_log_e(d, null=0.0, a=1.0, tail="above"), 2)
    14.74
    """
    sign = 1.0 if tail == "above" else -1.0
    return _above(sign * d, sign * null, _shares(a))


def identical_log_e(n: float, *, margin: float, a: float) -> float:
    """Log of the e-value against "worse by the margin" after n differences of exactly 0.

    Examples
    --------
    >>> e = graded_log_e(np.zeros(100), null=-0.05, a=1.0, tail="above")
    >>> round(identical_log_e(100, margin=0.05, a=1.0) - e, 9)
    0.0
    """
    shares = _shares(a)
    total = n * np.log1p(shares * margin / (1 - margin))
    return float(special.logsumexp(total) - np.log(shares.size))


def _lower(d: Array, shares: Array, limit: float) -> float:
    """Largest gap below the mean that is bet down."""
    low, high = -_EDGE, min(float(d.mean()), _EDGE)
    if _above(d, low, shares) < limit:
        return -1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _above(d, middle, shares) >= limit else (low, middle)
    return low


def graded_sequence(d: Array, *, conf: float, a: float) -> Interval:
    """Confidence sequence of the mean difference: each end holds at (1 - conf) / 2.

    Examples
    --------
    >>> low, high = graded_sequence(np.array([0.3, 0.1, 0.4, 0.2] * 20), conf=0.9, a=1.0)
    >>> round(low, 3), round(high, 3)
    (0.178, 0.298)
    """
    shares, limit = _shares(a), -float(np.log((1 - conf) / 2))
    return Interval(_lower(d, shares, limit), -_lower(-d, shares, limit))
