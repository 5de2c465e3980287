"""Gaps and scores in the units of a pair: points for scores from 0 to 1, else score units."""

import math

from nstar._compare import Pair
from nstar._matrix import NOTHING
from nstar._typing import Interval
from nstar.report._format import percent, pp

__all__ = ["coverage", "drawn", "gap", "score", "span"]


def _points(pair: Pair) -> bool:
    return pair.limits == (0.0, 1.0)


def gap(pair: Pair, value: float | None, *, sign: bool = False, column: bool = False) -> str:
    """A gap of this pair; None is a dash. One too small to be printed keeps its sign."""
    if value is not None and abs(value) <= NOTHING * max(map(abs, pair.limits)):
        value = 0.0
    sign = sign and value != 0
    if sign and value is not None and _points(pair) and abs(value) < 5e-5:
        return ">−0.01 pp" if value < 0 else "<+0.01 pp"
    if value is None or _points(pair):
        return pp(value, sign=sign, column=column)
    mark = "−" if value < 0 else ("+" if sign else "")
    return f"{mark}{abs(value):.4g}" if column else f"{mark}{abs(value):.3g}"


def score(pair: Pair, value: float) -> str:
    """A mean score."""
    return percent(value, 1) if _points(pair) else f"{value:.4g}"


def span(pair: Pair, interval: Interval | None, *, column: bool = False) -> str:
    """An interval of the gap, with signs."""
    if interval is None:
        return "–"
    low, high = (gap(pair, float(v), sign=True, column=column) for v in interval)
    return f"{low.removesuffix(' pp')} to {high}"


def coverage(conf: float) -> str:
    """The level of an interval."""
    digits = 0 if math.isclose(100 * conf, round(100 * conf), abs_tol=1e-9) else 1
    return f"{100 * conf:.{digits}f} %"


def drawn(pair: Pair) -> bool:
    """Whether the p-value may be one of random sign flips."""
    return pair.design.p_method == "sign flips"
