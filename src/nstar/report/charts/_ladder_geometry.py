"""Geometry of a ladder: its columns and rows on a wide and on a narrow canvas."""

import math
from dataclasses import dataclass

from nstar.report.charts._ladder_board import LadderBoard
from nstar.report.charts._scale import AxisScale, linear
from nstar.report.charts._text import width

WIDE, NARROW = 1040.0, 390.0
"""Widths in units: for a page or a slide, and for a phone."""

MAX_FULL_ROWS = 120
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
    """Positions in a ladder."""

    wide: float
    """Width in units."""
    edge: float
    """Margin."""
    title: str
    """Style class of the title."""
    names: str
    """Style class of names."""
    models: int
    """Number of rows."""
    step: float
    """Distance between the centers of adjacent rows."""
    crowded: bool
    """Whether rows are too thin for a label each."""
    ends: bool
    """Whether labeled rows show the numbers of their rank ranges."""
    number: float
    """Right end of the rank that precedes a name."""
    name: tuple[float, float]
    """Left and right end of the space for names."""
    score: float | None
    """Right end of the column of scores; None if a score stands next to its dot."""
    means: tuple[float, float]
    """Left and right end of the plot area of scores."""
    ranks: tuple[float, float]
    """Left and right end of the plot area of ranks, including labels."""

    @property
    def thick(self) -> int:
        """Return the thickness of a bar, one of those in the style sheet."""
        return max((w for w in _WIDTHS if w <= self.step), default=2) if self.crowded else 10

    @property
    def narrow(self) -> bool:
        """Return whether the figure is for a phone."""
        return self.wide == NARROW

    @property
    def ticks(self) -> int:
        """Return the target number of ticks on the axis of scores."""
        return 6 if self.wide == WIDE else 4

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
        margin = width(f"{last:,}", 12) + self.thick / 2 + 4 if self.ends else 8.0
        start, stop = self.ranks[0] + margin, self.ranks[1] - margin
        n_ticks = 5 if self.wide == WIDE else 2
        round_ = linear((1, last), start, stop, n_ticks=n_ticks, snug=True).ticks
        if last <= _EVERY:
            round_ = tuple(float(k) for k in range(1, last + 1))
        ticks = dict.fromkeys((1.0, *(t for t in round_ if t > 1 and t == int(t))))
        return AxisScale(low=1, high=last, start=start, stop=stop, ticks=tuple(ticks))


def _step(models: int, full: float) -> float:
    return full if models <= MAX_FULL_ROWS else max(_TALL / models, _THIN)


def _longest(of: LadderBoard, size: float) -> float:
    """Return the width of the longest name, including a mark after it."""
    return max(width(name[:80], size) for name in of.rows.name) + width(" †", size) + 1


def wide_geometry(of: LadderBoard) -> LadderGeometry:
    """Return the geometry of a wide ladder, with rank, name, and score beside each row."""
    names = min(max(_longest(of, 14), 120.0), 300.0)
    left, right = 70.0, WIDE - 24
    score = left + names + 52
    return LadderGeometry(
        wide=WIDE,
        edge=24.0,
        title="x",
        names="n",
        models=of.models,
        step=_step(of.models, 26.0),
        crowded=of.models > MAX_FULL_ROWS,
        ends=True,
        number=left - 10,
        name=(left, left + names),
        score=score,
        means=(score + 24, right - 310 - 32),
        ranks=(right - 310, right),
    )


def narrow_geometry(of: LadderBoard) -> LadderGeometry:
    """Return the geometry of a narrow ladder of many models: thin rows without scores."""
    edge = 14.0
    return LadderGeometry(
        wide=NARROW,
        edge=edge,
        title="l",
        names="m",
        models=of.models,
        step=_step(of.models, 0.0),
        crowded=True,
        ends=False,
        number=edge + 30,
        name=(edge + 36, edge + 156),
        score=None,
        means=(edge + 166, 256.0),
        ranks=(270.0, NARROW - edge + 4),
    )
