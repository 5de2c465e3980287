"""Path of the evidence: up to 66 points, and what was known at each.

Sequences of 0/1 scores are slow to compute, so they are not stored but recomputed here, all
together.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from nstar._base.types import Array, FloatLike, Interval
from nstar._verbs.watch.question import WatchQuestion
from nstar._verbs.watch.result import Moment
from nstar._verbs.watch.state import WatchState
from nstar._verbs.watch.state_checks import check_count, number, refuse
from nstar.stats.confseq import asymptotic_log_e, asymptotic_sequence
from nstar.stats.gap_betting import gap_log_e, gap_sequence

_MAX_POINTS = 64


class EvidencePoint(NamedTuple):
    """Evidence after some item."""

    n: int
    """Number of items."""
    log_e: float
    """Log e-value against "the gap is 0"."""
    seen: tuple[float, ...] = ()
    """:meth:`Evidence.seen` then."""


@dataclass(slots=True)
class EvidencePath:
    """Points at evenly spaced items; if there are too many, every other one is dropped.

    >>> path = EvidencePath()
    >>> for n in range(1, 201):
    ...     path.add(EvidencePoint(n, 0.1 * n))
    >>> path.stride, len(path.points)
    (4, 50)
    """

    stride: int = 1
    """Number of items between two points."""
    points: list[EvidencePoint] = field(default_factory=list)
    """Points from first to last."""
    turn: EvidencePoint | None = None
    """Point of the decision, which need not be one of the others."""

    def due(self, n: int) -> bool:
        """Return whether there is a point after item n."""
        return n % self.stride == 0

    def add(self, point: EvidencePoint) -> None:
        """Add a point if one is due."""
        if not self.due(point.n):
            return
        self.points.append(point)
        if len(self.points) > _MAX_POINTS:
            self.stride *= 2
            self.points = [p for p in self.points if p.n % self.stride == 0]

    def all_with(self, last: EvidencePoint) -> list[EvidencePoint]:
        """Return every point, including that of the decision and the last one, by item."""
        all_points = [*self.points, *([] if self.turn is None else [self.turn]), last]
        return [point for _, point in sorted({p.n: p for p in all_points}.items())]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "stride": self.stride,
            "points": [_listed(p) for p in self.points],
            "turn": None if self.turn is None else _listed(self.turn),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], like: EvidencePoint) -> Self:
        """Restore from :meth:`to_dict`; ``like`` is the last possible point."""
        stride = check_count("stride", saved["stride"])
        points = [_point(p, like) for p in saved["points"]]
        if not stride or len(points) > _MAX_POINTS or any(p.n % stride for p in points):
            refuse("path", "evenly spaced points", saved)
        turn = saved["turn"]
        return cls(stride=stride, points=points, turn=None if turn is None else _point(turn, like))


def _listed(point: EvidencePoint) -> list[float]:
    return [point.n, point.log_e, *point.seen]


def _point(saved: list[Any], like: EvidencePoint) -> EvidencePoint:
    n, log_e, *observed = saved
    if len(observed) != len(like.seen) or not n:
        refuse("point", f"{2 + len(like.seen)} numbers", saved)
    top = sys.float_info.max
    log_e, *observed = (number("point", value, -top) for value in (log_e, *observed))
    return EvidencePoint(check_count("point", n, like.n), log_e, tuple(observed))


class _Columns(NamedTuple):
    """All moments; gaps are positive if the first model is ahead."""

    gap: Array
    low: FloatLike
    high: FloatLike
    above: Array
    """Log e-value against "worse by the margin or more"."""
    below: Array
    """Log e-value against "better by the margin or more"."""


def _of_counts(q: WatchQuestion, n: Array, observed: Array) -> _Columns:
    wins, losses = observed
    rest: dict[str, Any] = {"a": q.mixture}
    low, high = gap_sequence(wins, losses, n, conf=1 - q.alpha, **rest)
    margin = q.margin or 0.0
    above = gap_log_e(wins, losses, n, null=-margin, tail="above", **rest)
    below = gap_log_e(wins, losses, n, null=margin, tail="below", **rest)
    return _Columns((wins - losses) / n, low, high, above, below)


def _of_means(q: WatchQuestion, n: Array, observed: Array) -> _Columns:
    mean, sd = observed
    low, high = asymptotic_sequence(mean, sd, n, tuned_at=q.items, conf=1 - q.alpha)
    rest: dict[str, Any] = {"tuned_at": q.items, "alpha": q.alpha}
    margin = q.margin or 0.0
    above = asymptotic_log_e(mean, sd, n, null=-margin, tail="above", **rest)
    below = asymptotic_log_e(mean, sd, n, null=margin, tail="below", **rest)
    return _Columns(mean, low, high, above, below)


def _of_bets(_q: WatchQuestion, _n: Array, observed: Array) -> _Columns:
    return _Columns(*observed)


_READ = {"e-process": _of_counts, "asymptotic": _of_means, "bets": _of_bets}


def moments(
    question: WatchQuestion, standing: WatchState, points: Sequence[EvidencePoint]
) -> tuple[Moment, ...]:
    """Return what was known at these points."""
    if not points:
        return ()
    n = np.array([p.n for p in points], dtype=np.float64)
    observed = np.array([p.seen for p in points]).T
    columns = _READ[question.method](question, n, observed)
    return tuple(
        _moment(question, standing, point, row)
        for point, row in zip(points, np.stack(columns, axis=1).tolist(), strict=True)
    )


def _moment(
    question: WatchQuestion, standing: WatchState, point: EvidencePoint, at: list[float]
) -> Moment:
    gap, low, high, above, below = at
    if standing.decided_at is not None and point.n >= standing.decided_at:
        low, high = map(float, standing.narrowed(Interval(low, high)))
    if question.lower_is_better:
        gap, low, high = -gap, -high, -low
    within = min(above, below) if question.equivalence else above
    return Moment(
        n_items=point.n,
        gap=gap,
        confidence_sequence=Interval(low, high),
        log_e_value=point.log_e,
        log_e_value_margin=None if question.margin is None else within,
    )
