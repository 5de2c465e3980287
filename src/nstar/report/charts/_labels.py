"""Place labels next to curves, close to their own curve and far from all others."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nstar.report.charts._canvas import Anchor
from nstar.report.charts._text import width

_SIZE = 12.0
_AWAY = 9.0
"""Distance between a curve and the middle of its label."""
_MIN_CURVE_DISTANCE = 16.0
"""Distance to another curve below which a label could refer to either."""
_EVERY = 4.0
"""Distance between the points at which a curve is sampled."""


class LabelCurve(NamedTuple):
    """A curve as a line through points, in canvas positions."""

    xs: Sequence[float]
    ys: Sequence[float]

    def at(self, x: float) -> float:
        """Return the height of the curve at a horizontal position between its ends."""
        for left, right, low, high in zip(
            self.xs, self.xs[1:], self.ys, self.ys[1:], strict=False
        ):
            if x <= right:
                return low + (high - low) * (x - left) / (right - left)
        return self.ys[-1]

    def points(self) -> Iterator[tuple[float, float]]:
        """Yield closely spaced points along the curve, including its steep parts."""
        for left, right, low, high in zip(
            self.xs, self.xs[1:], self.ys, self.ys[1:], strict=False
        ):
            steps = max(1, int(max(right - left, abs(high - low)) / _EVERY))
            for k in range(steps + 1):
                yield left + (right - left) * k / steps, low + (high - low) * k / steps


class Rectangle(NamedTuple):
    """A rectangle on the canvas."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Rectangle") -> bool:
        """Return whether the rectangles overlap."""
        aside = self.right <= other.left or other.right <= self.left
        return not (aside or self.bottom <= other.top or other.bottom <= self.top)

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point is inside the rectangle."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom


class PlacedLabel(NamedTuple):
    """Position of a label, and the area that it covers."""

    x: float
    y: float
    anchor: Anchor
    box: Rectangle


def _spot(x: float, y: float, anchor: Anchor, wide: float) -> PlacedLabel:
    left = x - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    return PlacedLabel(
        x, y, anchor, Rectangle(left, y - 0.6 * _SIZE, left + wide, y + 0.6 * _SIZE)
    )


def _spots(curve: LabelCurve, wide: float) -> Iterator[PlacedLabel]:
    first, last = curve.xs[0], curve.xs[-1]
    for k in range(31):
        x = first + (last - first) * k / 30
        y = curve.at(x)
        yield _spot(x - 3, y - _AWAY, "end", wide)
        yield _spot(x + 3, y + _AWAY, "start", wide)
        yield _spot(x, y - _AWAY, "middle", wide)
        yield _spot(x, y + _AWAY, "middle", wide)


def _crowd(x: float, curve: LabelCurve, rivals: Sequence[LabelCurve]) -> float:
    """Return how many other curves the label could refer to."""
    x = min(max(x, curve.xs[0]), curve.xs[-1])
    y = curve.at(x)
    return sum(max(0.0, 1 - abs(other.at(x) - y) / _MIN_CURVE_DISTANCE) for other in rivals)


def place(
    words: str,
    curve: LabelCurve,
    others: Sequence[LabelCurve],
    *,
    rivals: Sequence[LabelCurve],
    obstacles: Sequence[Rectangle],
    field: Rectangle,
) -> PlacedLabel | None:
    """Return the best position for the label of a curve; None if no position is free.

    Parameters
    ----------
    words : str
        Text of the label.
    curve : LabelCurve
        Curve that the label belongs to.
    others : sequence of LabelCurve
        Curves that the label should not cover.
    rivals : sequence of LabelCurve
        Curves among ``others`` that have a different label.
    obstacles : sequence of Rectangle
        Areas that other labels and marks cover.
    field : Rectangle
        Area of the chart.
    """
    wide = width(words, 1.08 * _SIZE)
    dots = [p for other in (curve, *others) for p in other.points()]
    center = (field.left + field.right) / 2
    best: tuple[float, PlacedLabel] | None = None
    for spot in _spots(curve, wide):
        b = spot.box
        inside = field.left <= b.left and b.right <= field.right
        if not inside or b.top < field.top or b.bottom > field.bottom:
            continue
        if any(b.meets(box) for box in obstacles):
            continue
        cost = sum(b.holds(x, y) for x, y in dots) + 4 * _crowd(spot.x, curve, rivals)
        cost += abs(spot.x - center) / (field.right - field.left)
        if best is None or cost < best[0]:
            best = cost, spot
    return None if best is None else best[1]
