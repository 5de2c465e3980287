"""The median and range of one number per pair, without keeping the numbers."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from nstar._base.types import Array, IntArray
from nstar._verbs.audit.tables import MedianRange


@dataclass(frozen=True, slots=True, kw_only=True)
class BinScale:
    """A scale cut into equal bins, of logarithms if ``log``."""

    low: float
    high: float
    bins: int
    log: bool = False
    open: bool = False
    """The last bin has no upper end."""

    def count(self, values: Array) -> IntArray:
        """How many values lie in each bin; those outside are in the first or last."""
        x = np.log(values) if self.log else values
        place = (x - self._low) * (self.bins / (self._high - self._low))
        np.clip(place, 0, self.bins - 1, out=place)
        return np.bincount(place.astype(np.int32).reshape(-1), minlength=self.bins)

    @property
    def _low(self) -> float:
        return float(np.log(self.low)) if self.log else self.low

    @property
    def _high(self) -> float:
        return float(np.log(self.high)) if self.log else self.high

    def median(self, counts: IntArray) -> float:
        """Middle of the bin in which the median lies."""
        place = int(np.searchsorted(np.cumsum(counts), counts.sum() / 2))
        if self.open and place == self.bins - 1:
            return np.inf
        value = self._low + (place + 0.5) * (self._high - self._low) / self.bins
        return float(np.exp(value)) if self.log else float(value)


@dataclass(slots=True, kw_only=True, eq=False)
class Middle:
    """Median and range of one number per pair."""

    scale: BinScale
    counts: IntArray
    low: float = np.inf
    high: float = -np.inf

    @classmethod
    def of(cls, scale: BinScale, values: Array) -> "Middle":
        if not np.isfinite(values).all():
            values = values[np.isfinite(values)]
        low, high = (
            (float(values.min()), float(values.max())) if values.size else (np.inf, -np.inf)
        )
        return cls(scale=scale, counts=scale.count(values), low=low, high=high)

    def __iadd__(self, other: "Middle") -> Self:
        self.counts += other.counts
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        return self

    def spread(self) -> MedianRange | None:
        if not self.counts.sum():
            return None
        middle = float(np.clip(self.scale.median(self.counts), self.low, self.high))
        return MedianRange(median=middle, low=self.low, high=self.high)
