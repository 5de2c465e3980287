"""Approximate bootstrap limits and p-values of a gap without resampling.

Resampled gaps are whole numbers of items, and their first three cumulants are known. The
Cornish–Fisher expansion gives their quantiles to within a fraction of an item. Its inverse gives
their tail probabilities.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import special

from nstar._base.types import Array
from nstar.stats.mcnemar import P_FLOOR

MAX_EXPANSION_ERROR = 0.75
"""Largest distance, in items, between a bootstrap quantile and its expansion.

Half an item is due to rounding to whole items. The remaining distance allows for gaps that depend
on one or two items.
"""


class GapMoments(NamedTuple):
    """Cumulants of the resampled gap, in items."""

    gap: Array
    """Mean: the observed gap."""
    variance: Array
    """Second cumulant."""
    third: Array
    """Third cumulant."""


def paired_moments(won: Array, lost: Array, n: float) -> GapMoments:
    """Return the moments of the gap when both models are scored on the same resampled items.

    >>> moments = paired_moments(np.array(11.0), np.array(4.0), 200.0)
    >>> round(float(moments.variance), 3), round(float(moments.third), 3)
    (14.755, 5.442)
    """
    gap, total = won - lost, won + lost
    mean = gap / n
    return GapMoments(
        gap,
        np.maximum(total - gap * mean, 0.0),
        gap * (1 - 3 * total / n + 2 * mean * mean),
    )


def unpaired_moments(x: Array, y: Array, n: float) -> GapMoments:
    """Return the moments of the gap when each model is scored on its own resampled items."""
    (v, third), (w, other) = ((k * (1 - k / n), k * (1 - k / n) * (1 - 2 * k / n)) for k in (x, y))
    return GapMoments(x - y, v + w, third - other)


def _standard(moments: GapMoments) -> tuple[Array, Array]:
    """Return the standard deviation in items and the skewness, or 1 and 0 without variance."""
    constant = moments.variance <= 0
    sd = np.where(constant, 1.0, np.sqrt(np.maximum(moments.variance, 0.0)))
    return sd, np.where(constant, 0.0, moments.third / sd**3)


def bootstrap_tail(moments: GapMoments, *, boundary: float, mirrored: bool) -> Array:
    """Return the share of resamples in which the leading model is not ahead.

    ``boundary`` is 0.5 to include ties and -0.5 to exclude them. With ``mirrored``, the share is
    that of gaps that are at least twice the observed gap, as in a test centered at 0.

    17 against 16 of 20 right answers, 3 items won by the second model alone:

    >>> moments = paired_moments(np.array(4.0), np.array(3.0), 20.0)
    >>> round(float(bootstrap_tail(moments, boundary=0.5, mirrored=False)), 3)
    0.425
    """
    sd, skewness = _standard(moments)
    u = (boundary - moments.gap) / sd
    max_shift = np.abs(u) / 2  # keeps the expansion monotone far from the gap
    shift = np.clip(skewness * (u * u - 1) / 6, -max_shift, max_shift)
    tail = np.maximum(special.ndtr(u + shift if mirrored else u - shift), P_FLOOR)
    tail = np.where((moments.variance <= 0) & (moments.gap != 0), P_FLOOR, tail)
    # for a tie, the other tail contains these resamples
    return np.asarray(np.where((moments.gap == 0) & (boundary > 0), 0.5, tail))


SkewTerm: TypeAlias = Callable[[float], float]
"""Weight of the skewness in a limit, as a function of its normal quantile."""
SKEW_TERMS: tuple[SkewTerm, ...] = (
    lambda z: (z * z - 1) / 6,  # percentile; basic: the percentile limits mirrored at the gap
    lambda z: (1 - z * z) / 6,  # basic: the percentile limits mirrored at the gap
    lambda z: (2 * z * z + 1) / 6,  # bias-corrected and accelerated
)


def bootstrap_limits(moments: GapMoments, z: float, skew: SkewTerm) -> tuple[Array, Array]:
    """Return the lower and the upper limit of the gap, in items.

    >>> moments = paired_moments(np.array(11.0), np.array(4.0), 200.0)
    >>> [round(float(x), 2) for x in bootstrap_limits(moments, 1.96, SKEW_TERMS[0])]
    [-0.35, 14.7]
    """
    sd, skewness = _standard(moments)
    spread = np.where(moments.variance <= 0, 0.0, sd)
    center = moments.gap + spread * skewness * skew(z)
    return center - z * spread, center + z * spread
