"""What could be seen of a watch at a few dozen moments, for a picture of the way it took.

Sequences of 0/1 scores take a while to compute, so they are not kept but made again here, all
at once.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nstar._base.types import Array, FloatLike, Interval
from nstar._verbs.watch.path import Point
from nstar._verbs.watch.question import WatchQuestion
from nstar._verbs.watch.result import Moment
from nstar._verbs.watch.state import WatchState
from nstar.stats.confseq import asymptotic_log_e, asymptotic_sequence
from nstar.stats.gap_bets import gap_log_e, gap_sequence


class _Columns(NamedTuple):
    """All moments; gaps are how far the first model is ahead."""

    gap: Array
    low: FloatLike
    high: FloatLike
    above: Array
    """Log e-value against "behind by the margin or more"."""
    below: Array
    """Log e-value against "ahead by the margin or more"."""


def _of_counts(q: WatchQuestion, n: Array, seen: Array) -> _Columns:
    wins, losses = seen
    rest: dict[str, Any] = {"a": q.mixture}
    low, high = gap_sequence(wins, losses, n, conf=1 - q.alpha, **rest)
    margin = q.margin or 0.0
    above = gap_log_e(wins, losses, n, null=-margin, tail="above", **rest)
    below = gap_log_e(wins, losses, n, null=margin, tail="below", **rest)
    return _Columns((wins - losses) / n, low, high, above, below)


def _of_means(q: WatchQuestion, n: Array, seen: Array) -> _Columns:
    mean, sd = seen
    low, high = asymptotic_sequence(mean, sd, n, tuned_at=q.horizon, conf=1 - q.alpha)
    rest: dict[str, Any] = {"tuned_at": q.horizon, "alpha": q.alpha}
    margin = q.margin or 0.0
    above = asymptotic_log_e(mean, sd, n, null=-margin, tail="above", **rest)
    below = asymptotic_log_e(mean, sd, n, null=margin, tail="below", **rest)
    return _Columns(mean, low, high, above, below)


def _of_bets(_q: WatchQuestion, _n: Array, seen: Array) -> _Columns:
    return _Columns(*seen)


_READ = {"e-process": _of_counts, "asymptotic": _of_means, "bets": _of_bets}


def moments(
    question: WatchQuestion, standing: WatchState, points: Sequence[Point]
) -> tuple[Moment, ...]:
    """What could be seen at these points."""
    if not points:
        return ()
    n = np.array([p.n for p in points], dtype=np.float64)
    seen = np.array([p.seen for p in points]).T
    columns = _READ[question.method](question, n, seen)
    return tuple(
        _moment(question, standing, point, row)
        for point, row in zip(points, np.stack(columns, axis=1).tolist(), strict=True)
    )


def _moment(
    question: WatchQuestion, standing: WatchState, point: Point, at: list[float]
) -> Moment:
    gap, low, high, above, below = at
    if standing.decided_at is not None and point.n >= standing.decided_at:
        low, high = map(float, standing.narrowed(Interval(low, high)))
    if question.lower_is_better:
        gap, low, high = -gap, -high, -low
    within = min(above, below) if question.equivalence else above
    return Moment(
        n=point.n,
        gap=gap,
        sequence=Interval(low, high),
        log_e=point.log_e,
        log_e_margin=None if question.margin is None else within,
    )
