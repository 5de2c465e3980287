"""Attrition: items that only one of two models has, with their possible effect on the gap.

A comparison of each model's mean over its own items confounds models with items. A comparison on
the common items drops all other items. This module computes both gaps, and bounds on the gap for
any missing scores that the scale allows.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base.codec import derived
from nstar._base.types import Array, FloatLike, Interval
from nstar._data.matrix import NOTHING
from nstar.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Attrition:
    """Overlap of two models' items. Gaps are first minus second."""

    n_common: int
    """Number of items with scores of both models."""
    n_only_a: int
    """Number of items with a score of only the first model."""
    n_only_b: int
    """Number of items with a score of only the second model."""
    mean_a: float
    """First model's mean over all its own items."""
    mean_b: float
    """Second model's mean over all its own items."""
    raw_gap: float
    """Difference between the means of the models over their own items."""
    common_gap: float | None
    """Gap on the common items. None without common items."""
    low: float
    """Worst score that a missing item could have."""
    high: float
    """Best score that a missing item could have."""
    bounds: Interval
    """Smallest and largest possible gap over all items of either model, for any missing scores."""

    @derived
    def is_complete(self) -> bool:
        """Return whether both models have scores for the same items."""
        return self.n_only_a == 0 and self.n_only_b == 0

    @derived
    def order_flips(self) -> bool:
        """Return whether the raw means and the common items rank the models in opposite order."""
        if self.is_complete or self.common_gap is None:
            return False
        return self.raw_gap * self.common_gap < 0

    @derived
    def is_decisive(self) -> bool:
        """Return whether no scores of the missing items can reverse the order of the models."""
        if self.is_complete or not self.common_gap:
            return self.is_complete
        end = self.bounds.low if self.common_gap > 0 else self.bounds.high
        return float(end) * self.common_gap > 0


def _scores(name: str, values: FloatLike, low: float, high: float) -> Array:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1:
        msg = (
            f"{name} must be a one-dimensional array (one score per item); got {x.ndim} dimensions"
        )
        raise DataError(msg)
    present = ~np.isnan(x)
    if not present.any():
        msg = f"{name} has no scores."
        raise DataError(msg)
    observed = x[present]
    if observed.min() < low or observed.max() > high:
        msg = (
            f"{name} has scores from {observed.min():g} to {observed.max():g}, outside [{low:g}, "
            f"{high:g}]. Set low and high to the scale of the scores."
        )
        raise DataError(msg)
    return x


def _gap(value: float, slack: float) -> float:
    return 0.0 if abs(value) <= slack else value


def attrition(a: FloatLike, b: FloatLike, low: float = 0.0, high: float = 1.0) -> Attrition:
    """Measure how items that only one of two models has affect their gap.

    The scores are those of the same items in the same order, with NaN for missing scores. Items
    without any score are ignored.

    The second model failed silently on two hard items:

    >>> nan = float("nan")
    >>> r = attrition([1, 1, 1, 0, 0], [1, 1, 0, nan, nan])
    >>> r.n_only_a, round(r.raw_gap, 3), round(r.common_gap, 3), r.order_flips
    (2, -0.067, 0.333, True)
    >>> [round(float(v), 3) for v in r.bounds]
    [-0.2, 0.2]
    """
    x, y = _scores("a", a, low, high), _scores("b", b, low, high)
    if x.shape != y.shape:
        msg = (
            f"a has {x.size:,} scores but b has {y.size:,}. Scores are paired by position, so the "
            "numbers must match. Fill gaps with NaN."
        )
        raise DataError(msg)
    in_a, in_b = ~np.isnan(x), ~np.isnan(y)
    in_both = in_a & in_b
    only_a, only_b = int((in_a & ~in_both).sum()), int((in_b & ~in_both).sum())
    common = int(in_both.sum())
    total = common + only_a + only_b
    sum_gap = float(x[in_a].sum() - y[in_b].sum())
    slack = NOTHING * max(abs(low), abs(high))
    return Attrition(
        n_common=common,
        n_only_a=only_a,
        n_only_b=only_b,
        mean_a=float(x[in_a].mean()),
        mean_b=float(y[in_b].mean()),
        raw_gap=_gap(float(x[in_a].mean() - y[in_b].mean()), slack),
        common_gap=_gap(float((x[in_both] - y[in_both]).mean()), slack) if common else None,
        low=low,
        high=high,
        bounds=Interval(
            (sum_gap + only_b * low - only_a * high) / total,
            (sum_gap + only_b * high - only_a * low) / total,
        ),
    )
