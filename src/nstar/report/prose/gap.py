"""Format gaps and scores in their units: points for scores from 0 to 1, else score units."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from nstar._base.types import Interval
from nstar._data.matrix import NOTHING
from nstar._data.measures import unit_of
from nstar._verbs.compare import TaskComparison
from nstar.report.prose.numbers import percent, pp

_EPSILON = 1e-9
"""Size below which a difference is rounding error."""


class HasScale(Protocol):
    """Protocol of a result with a known scale of scores."""

    @property
    def score_range(self) -> tuple[float, float]:
        """Worst and best score."""
        ...

    @property
    def lower_is_better(self) -> bool:
        """Whether lower is better."""
        ...


def downwards(scales: Sequence[HasScale]) -> str:
    """Return a sentence that lower scores are better; empty if they never are."""
    down = sum(of.lower_is_better for of in scales)
    if not down:
        return ""
    where = "" if down == len(scales) else f" on {down:,} of the {len(scales):,} tasks"
    return f" A lower score is better{where}."


@dataclass(frozen=True)
class Scale:
    """Scale of scores, with the standard error that sets the decimals of gaps."""

    score_range: tuple[float, float]
    lower_is_better: bool
    se: float
    metric: str = ""
    """Metric, which may have a unit."""


def sequence_scale(of: HasScale, sequence: Interval | None) -> Scale:
    """Return the scale of a confidence sequence, with a quarter of its width as standard error."""
    se = math.nan if sequence is None else float(sequence.high - sequence.low) / 4
    return Scale(of.score_range, of.lower_is_better, se, getattr(of, "metric", ""))


def points(of: HasScale) -> bool:
    """Return whether gaps are reported in percentage points."""
    return of.score_range == (0.0, 1.0)


def unit(of: HasScale) -> str:
    """Return the unit of gaps with a space in front; empty for scores without a unit."""
    return " pp" if points(of) else unit_of(getattr(of, "metric", ""))


def header_unit(of: HasScale) -> str:
    """Return the unit of gaps for the header of a column; empty for scores without a unit."""
    return f" ({unit(of).strip()})" if unit(of) else ""


def score_header(of: HasScale) -> str:
    """Return the header of a column of mean scores."""
    return "score %" if points(of) else f"score{header_unit(of)}"


def page_units(of: HasScale) -> tuple[str, str]:
    """Return the units of gaps and of scores as they follow a label on a page."""
    if points(of):
        return ", pp", ", %"
    text = f", {unit(of).strip()}" if unit(of) else ""
    return text, text


def gap_decimals(of: HasScale) -> int | None:
    """Return the decimals of gaps: a fifth of the standard error, and at least one for points.

    Return None if the result has no standard error. Each number then has the digits that it needs.
    """
    se = getattr(of, "se", None)
    if se is None or not 0 < se < math.inf:
        return None
    needed = math.ceil(math.log10(5 / (100 * se if points(of) else se)) - _EPSILON)
    return min(max(needed, 1), 2) if points(of) else max(needed, 0)


def gap(
    of: HasScale,
    value: float | None,
    *,
    sign: bool = False,
    column: bool = False,
    limit: float = 0.0,
) -> str:
    """Return a gap as text; None and NaN are a dash. It is not rounded to ``limit``."""
    if value is not None and math.isnan(value):
        value = None
    if value is not None and abs(value) <= NOTHING * max(map(abs, of.score_range)):
        value = 0.0
    sign = sign and value != 0
    decimals = gap_decimals(of)
    if value is not None and decimals is not None and math.isfinite(value):
        return _rounded(of, value, decimals, sign=sign, limit=limit)
    if sign and value is not None and points(of) and abs(value) < 5e-5:
        return ">−0.01 pp" if value < 0 else "<+0.01 pp"
    if value is None or points(of):
        return pp(value, sign=sign, column=column)
    mark = "−" if value < 0 else ("+" if sign else "")
    return f"{mark}{abs(value):.{4 if column else 3}g}{unit(of)}"


def _rounded(of: HasScale, value: float, decimals: int, *, sign: bool, limit: float) -> str:
    """Return a gap with its decimals, and up to two more if it would round to 0 or the limit."""
    size = 100 if points(of) else 1
    amount, limit = size * abs(value), size * abs(limit)
    for extra_decimals in range(3):
        text = f"{amount:,.{decimals + extra_decimals}f}"
        if not any(
            text == f"{x:,.{decimals + extra_decimals}f}" and abs(amount - x) > _EPSILON * size
            for x in (0.0, limit)
        ):
            break
    else:
        if float(text.replace(",", "")) == 0:
            smallest = 10.0 ** -(decimals + 2)
            return (">−" if value < 0 else "<+" if sign else "<") + f"{smallest:g}{unit(of)}"
    mark = "−" if value < 0 else ("+" if sign else "")
    return f"{mark}{text}{unit(of)}"


def declared_gap(of: HasScale, value: float | None) -> str:
    """Return a gap that the user set, such as a margin, with its digits."""
    metric = getattr(of, "metric", "")
    return gap(Scale(of.score_range, of.lower_is_better, math.nan, metric), value)


def score(of: HasScale, value: float) -> str:
    """Return a mean score as text."""
    return percent(value, 1) if points(of) else f"{value:.4g}{unit(of)}"


def seen_range(pair: TaskComparison) -> str | None:
    """Return the observed range of scores if the possible range is unknown, else None."""
    if not pair.score_range_observed:
        return None
    low, high = (f"{x:.4g}".replace("-", "−") for x in pair.score_range)
    return f"{low} to {high}{unit(pair)}"


def span(
    of: HasScale, interval: Interval | None, *, column: bool = False, limit: float = 0.0
) -> str:
    """Return an interval of the gap as text, with signs; None is a dash."""
    if interval is None or math.isnan(interval.low):
        return "–"
    low, high = (gap(of, float(v), sign=True, column=column, limit=limit) for v in interval)
    return f"{low.removesuffix(unit(of))} to {high}"


def beside(of: HasScale, interval: Interval, value: float) -> Interval:
    """Return an interval of the gap for a sentence that prints the gap without its sign.

    >>> scale = Scale((0.0, 1.0), lower_is_better=False, se=0.01)
    >>> span(scale, beside(scale, Interval(-0.05, -0.01), -0.03))
    '+1.0 to +5.0 pp'
    """
    if value >= 0 or gap(of, value) == gap(of, 0.0):
        return interval
    return Interval(-interval.high, -interval.low)


def coverage(conf: float) -> str:
    """Return a confidence level as text, with enough decimals that it is not rounded to 100%."""
    text = f"{100 * conf:.6f}"
    return ">99.999999%" if text == "100.000000" else f"{text.rstrip('0').rstrip('.')}%"
