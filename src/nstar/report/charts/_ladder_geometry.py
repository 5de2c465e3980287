"""Geometry of a wide ladder: its columns and rows."""

import math
from dataclasses import dataclass

from nstar.report.charts._ladder_board import LadderBoard
from nstar.report.charts._scale import AxisScale, linear
from nstar.report.charts._text import width

WIDE, NARROW = 1040.0, 390.0
"""Widths in units: for a page or a slide, and for a phone."""
EDGE = 24.0
"""Margin of a wide ladder."""

_MAX_FULL_ROWS = 120
"""Largest number of models with a full row each. With more, rows are thin and only some have
labels.
"""
_TALL = 2400.0
"""Total height of thin rows, unless that would make them thinner than the minimum."""
_THIN = 2.0
"""Minimum height of a row."""
_EVERY = 10
"""Largest number of ranks that all get a tick."""
_LABEL = 26.0
"""Height of a label next to thin rows."""
_WIDTHS = (2, 3, 4, 6, 8)
"""Possible thicknesses of the bars in thin rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderGeometry:
    """Positions in a wide ladder."""

    models: int
    """Number of rows."""
    step: float
    """Distance between the centers of adjacent rows."""
    crowded: bool
    """Whether rows are too thin for a label each."""
    number: float
    """Right end of the rank that precedes a name."""
    name: tuple[float, float]
    """Left and right end of the space for names."""
    score: float
    """Right end of the column of scores."""
    means: tuple[float, float]
    """Left and right end of the plot area of scores."""
    ranks: tuple[float, float]
    """Left and right end of the plot area of ranks, including labels."""

    @property
    def thick(self) -> int:
        """Return the thickness of a bar, one of those in the style sheet."""
        return max((w for w in _WIDTHS if w <= self.step), default=2) if self.crowded else 10

    @property
    def pad(self) -> float:
        """Return how far the labels of thin rows extend above the first and below the last row."""
        return 8.0 if self.crowded else 0.0

    @property
    def apart(self) -> float:
        """Return the space between two tiers."""
        return min(4.0, self.step / 3)

    def labeled(self, required_rows: list[int]) -> list[int]:
        """Return the rows with labels.

        If not all fit: the required ones, both ends, and every k-th row.
        """
        if not self.crowded:
            return list(range(self.models))
        spacing = math.ceil(_LABEL / self.step)
        label_rows: set[int] = set()
        last = self.models - 1
        for i in (*required_rows, 0, last, *range(0, self.models, spacing), *range(self.models)):
            if label_rows.isdisjoint(range(i - spacing + 1, i + spacing)):
                label_rows.add(i)
        return sorted(label_rows)

    def rank_scale(self) -> AxisScale:
        """Return the scale of ranks from 1, with room for labels at both ends."""
        last = max(self.models, 2)
        margin = width(f"{last:,}", 12) + self.thick / 2 + 4
        start, stop = self.ranks[0] + margin, self.ranks[1] - margin
        round_ = linear((1, last), start, stop, n_ticks=5, snug=True).ticks
        if last <= _EVERY:
            round_ = tuple(float(k) for k in range(1, last + 1))
        ticks = dict.fromkeys((1.0, *(t for t in round_ if t > 1 and t == int(t))))
        return AxisScale(low=1, high=last, start=start, stop=stop, ticks=tuple(ticks))


def wide_geometry(of: LadderBoard) -> LadderGeometry:
    """Return the geometry of a wide ladder, with rank, name, and score beside each row."""
    longest = max(width(name[:80], 14) for name in of.rows.name) + width(" †", 14) + 1
    names = min(max(longest, 120.0), 300.0)
    crowded = of.models > _MAX_FULL_ROWS
    left, right = 70.0, WIDE - EDGE
    score = left + names + 52
    return LadderGeometry(
        models=of.models,
        step=max(_TALL / of.models, _THIN) if crowded else 26.0,
        crowded=crowded,
        number=left - 10,
        name=(left, left + names),
        score=score,
        means=(score + 24, right - 310 - 32),
        ranks=(right - 310, right),
    )
