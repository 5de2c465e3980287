"""What a single word may hold: numbers, whole numbers, proportions, gaps in units of the scores.

Numbers that no test could have are refused by those who compute with them; here are slips of the
pen: text for a number, percent for a proportion, points for a gap.
"""

import math
import re
from collections.abc import Iterable, Iterator
from numbers import Real
from typing import Any, get_args

from nstar._api.plan.parameters import GRID_AXES, PlanParameters, listed
from nstar._base.parameter_types import PlanAlternative
from nstar.errors import ParameterError, QuestionError, arg, by_interface

_PROPORTIONS = ("baseline", "psi", "alpha", "power")
_WHOLE = ("items", "clusters")
_OTHERS = (
    *("delta", "rho", "odds_ratio", "sd", "sd_diff", "icc", "cluster_size", "margin"),
    "half_width",
)
_NUMBERS = (*_PROPORTIONS, *_WHOLE, *_OTHERS)
_SDS = (("sd", 0.5), ("sd_diff", 1.0))
"""Standard deviations, and the largest that scores from 0 to 1 can have."""
_PERCENT = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*(?:%|pp)\s*")
"""How the command line has proportions and gaps."""
_ABSURD = 3.0
"""Nobody plans for a gap of so many standard deviations."""


_FLAGS = ("unpaired", "non_inferiority")


def refuse_values(question: PlanParameters) -> None:
    """Refuse what cannot be meant, with what to write instead."""
    for name in _NUMBERS:
        given = getattr(question, name)
        _refuse_none(name, given)
        for value in listed(given):
            _refuse_text(name, value)
            if name in _WHOLE:
                _refuse_fraction(name, value)
            if name in _PROPORTIONS:
                _refuse_percent(name, value)
    from nstar._base import checks

    checks.truth(**{name: getattr(question, name) for name in _FLAGS})
    checks.choice("alternative", question.alternative, get_args(PlanAlternative))
    _refuse_range(question.score_range)
    _refuse_units(question)


def plain_values(question: PlanParameters) -> Iterator[tuple[str, Any]]:
    """Words for numbers with Python's own: whole ones as int, lists of them as tuples."""
    for name in _NUMBERS:
        value = getattr(question, name)
        if value is None:
            continue
        kind = int if name in _WHOLE else float
        plain = tuple(map(kind, listed(value)))
        if name in GRID_AXES:
            plain = tuple(dict.fromkeys(plain))
        if name == "items" and len(plain) == 1:
            value = plain[0]
        yield name, plain if isinstance(value, Iterable) else plain[0]


def _refuse_none(name: str, value: object) -> None:
    if value is not None and not listed(value):
        msg = f"{arg(name)} must be a number, or several; got none"
        raise ParameterError(msg)


def _refuse_text(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        found = _PERCENT.fullmatch(value) if isinstance(value, str) else None
        mend = f"; write {float(found[1]) / 100:g}" if found else ""
        msg = f"{arg(name)} must be a number; got {value!r}{mend}"
        raise ParameterError(msg)
    try:
        float(value)
    except OverflowError as error:
        msg = f"{arg(name)} has more than 308 digits; use a smaller number"
        raise ParameterError(msg) from error


def _refuse_fraction(name: str, value: float) -> None:
    if not float(value).is_integer():
        msg = f"{arg(name)} must be a whole number; got {value:g}"
        raise ParameterError(msg)


def _refuse_percent(name: str, value: float) -> None:
    if value > 1:
        mend = f"write {value / 100:g}" if value <= 100 else "it is a proportion"
        msg = f"{arg(name, f'{value:g}')} is above 1; {mend}"
        raise QuestionError(msg)


def _refuse_range(ends: object) -> None:
    if ends is None:
        return
    both = listed(ends)
    numbers = len(both) == 2 and all(isinstance(end, Real) for end in both)
    if not (numbers and both[0] < both[1] and all(map(math.isfinite, both))):
        msg = (
            f"{arg('score_range')} must be the worst and the best possible score, such as "
            f"(0, 100); got {ends!r}"
        )
        raise ParameterError(msg)


def gaps(question: PlanParameters) -> Iterator[tuple[str, float]]:
    """Every gap with its word."""
    for name in ("delta", "margin", "half_width"):
        for gap in listed(getattr(question, name)):
            yield name, gap


def largest_sd(question: PlanParameters) -> tuple[str, float, float] | None:
    """Word, value and cap of the largest standard deviation beside its cap; None if none is."""
    noise: Any = getattr(question.design, "noise", question.design)
    if hasattr(noise, "sd"):  # graded scores
        return "sd", noise.sd, 1.0 if noise.rho is None else 0.5
    found = [
        (name, float(max(values)), cap)
        for name, cap in _SDS
        if (values := listed(getattr(question, name)))
    ]
    return max(found, key=lambda sd: sd[1] / sd[2], default=None)


def _refuse_units(question: PlanParameters) -> None:
    """Gaps that are not in the units of the scores; those of a pilot are not known yet."""
    sd = largest_sd(question)
    for name, gap in gaps(question):
        if not 1 <= abs(gap) < math.inf:
            continue
        if sd is None:
            msg = (
                f"{arg(name, f'{gap:g}')}: too large for a proportion; write {_mended(gap)} "
                f"(score units go with {arg('sd')} or {arg('sd_diff')})"
            )
            raise QuestionError(msg)
        if sd[1] <= sd[2] and abs(gap) > _ABSURD * sd[1]:
            points = by_interface(python="", command=f" or {gap:g}pp")
            msg = (
                f"{arg(name, f'{gap:g}')}: gaps are in the units of {arg(sd[0], f'{sd[1]:g}')}; "
                f"write {gap / 100:g}{points} if scores run from 0 to 1"
            )
            raise QuestionError(msg)


def _mended(gap: float) -> str:
    """How a gap in points is written."""
    points = "one percentage point" if gap == 1 else f"{gap:g} percentage points"
    return by_interface(
        python=f"{gap / 100:g} for {points}",
        command=f"{gap:g}pp for percentage points or {gap / 100:g}",
    )
