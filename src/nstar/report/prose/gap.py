"""Gaps and scores in their units: points for scores from 0 to 1, else score units."""

import math
from collections.abc import Sequence
from typing import Protocol

from nstar._base.types import Interval
from nstar._data.matrix import NOTHING
from nstar._verbs.compare import TaskComparison
from nstar.report.prose.numbers import percent, pp


class HasScale(Protocol):
    """A result that knows on which scale its scores lie."""

    @property
    def score_range(self) -> tuple[float, float]:
        """Worst and best score."""
        ...

    @property
    def lower_is_better(self) -> bool:
        """Less is better."""
        ...


def downwards(scales: Sequence[HasScale]) -> str:
    """That a lower score is better, as the next sentence; nothing where that is so nowhere."""
    down = sum(of.lower_is_better for of in scales)
    if not down:
        return ""
    where = "" if down == len(scales) else f" on {down:,} of the {len(scales):,} tasks"
    return f" A lower score is better{where}."


def points(of: HasScale) -> bool:
    """Whether gaps are told in percentage points."""
    return of.score_range == (0.0, 1.0)


def gap(of: HasScale, value: float | None, *, sign: bool = False, column: bool = False) -> str:
    """A gap; None and NaN are a dash. One too small to be printed keeps its sign."""
    if value is not None and math.isnan(value):
        value = None
    if value is not None and abs(value) <= NOTHING * max(map(abs, of.score_range)):
        value = 0.0
    sign = sign and value != 0
    if sign and value is not None and points(of) and abs(value) < 5e-5:
        return ">−0.01 pp" if value < 0 else "<+0.01 pp"
    if value is None or points(of):
        return pp(value, sign=sign, column=column)
    mark = "−" if value < 0 else ("+" if sign else "")
    return f"{mark}{abs(value):.4g}" if column else f"{mark}{abs(value):.3g}"


def score(of: HasScale, value: float) -> str:
    """A mean score."""
    return percent(value, 1) if points(of) else f"{value:.4g}"


def seen_range(pair: TaskComparison) -> str | None:
    """The scores seen, where nobody declared which are possible; None where that is known."""
    if not pair.score_range_observed:
        return None
    low, high = (f"{x:.4g}".replace("-", "−") for x in pair.score_range)
    return f"{low} to {high}"


def span(of: HasScale, interval: Interval | None, *, column: bool = False) -> str:
    """An interval of the gap, with signs; none is a dash."""
    if interval is None or math.isnan(interval.low):
        return "–"
    low, high = (gap(of, float(v), sign=True, column=column) for v in interval)
    return f"{low.removesuffix(' pp')} to {high}"


def coverage(conf: float) -> str:
    """The level of an interval, with as many decimals as it needs, never a false 100."""
    text = f"{100 * conf:.6f}"
    return ">99.999999%" if text == "100.000000" else f"{text.rstrip('0').rstrip('.')}%"
