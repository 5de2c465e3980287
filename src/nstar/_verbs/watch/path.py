"""The way that the evidence took: a few dozen points, however long the run."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from nstar._verbs.watch.saved import number, refuse, whole

_MOST = 64


class Point(NamedTuple):
    """Where the evidence was after some item."""

    n: int
    """Items."""
    log_e: float
    """Log e-value against "the gap is 0"."""
    seen: tuple[float, ...] = ()
    """:meth:`Evidence.seen` then."""


@dataclass(slots=True)
class Path:
    """Points at evenly spaced items; when there are too many, every other one goes.

    Examples
    --------
    >>> path = Path()
    >>> for n in range(1, 201):
    ...     path.add(Point(n, 0.1 * n))
    >>> path.stride, len(path.points)
    (4, 50)
    """

    stride: int = 1
    """Items between two points."""
    points: list[Point] = field(default_factory=list)
    """From the first to the last."""
    turn: Point | None = None
    """Where the word was found, which need not be one of the points."""

    def due(self, n: int) -> bool:
        """Whether there is to be a point after item n."""
        return n % self.stride == 0

    def add(self, point: Point) -> None:
        """Note where the evidence is, if a point is due."""
        if not self.due(point.n):
            return
        self.points.append(point)
        if len(self.points) > _MOST:
            self.stride *= 2
            self.points = [p for p in self.points if p.n % self.stride == 0]

    def all_with(self, last: Point) -> list[Point]:
        """Every point, the one of the word and the last one among them, by item."""
        kept = [*self.points, *([] if self.turn is None else [self.turn]), last]
        return [point for _, point in sorted({p.n: p for p in kept}.items())]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "stride": self.stride,
            "points": [_listed(p) for p in self.points],
            "turn": None if self.turn is None else _listed(self.turn),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], like: Point) -> Self:
        """As :meth:`to_dict` gave it; ``like`` is the last point that there can be."""
        stride = whole("stride", saved["stride"])
        points = [_point(p, like) for p in saved["points"]]
        if not stride or len(points) > _MOST or any(p.n % stride for p in points):
            refuse("path", "evenly spaced points", saved)
        turn = saved["turn"]
        return cls(stride=stride, points=points, turn=None if turn is None else _point(turn, like))


def _listed(point: Point) -> list[float]:
    return [point.n, point.log_e, *point.seen]


def _point(saved: list[Any], like: Point) -> Point:
    n, log_e, *seen = saved
    if len(seen) != len(like.seen) or not n:
        refuse("point", f"{2 + len(like.seen)} numbers", saved)
    top = sys.float_info.max
    log_e, *seen = (number("point", value, -top) for value in (log_e, *seen))
    return Point(whole("point", n, like.n), log_e, tuple(seen))
