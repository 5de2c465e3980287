"""Check the units of a gap once the scale of the scores is known."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nstar._base.units import Points
from nstar.errors import ParameterError, QuestionError, arg, by_interface

if TYPE_CHECKING:
    from nstar._data.matrix import ScoreMatrix

_MAX_SD = {"sd": 0.5, "sd_diff": 1.0, "sd_between": 1.0, "sd_within": 0.5}
"""Largest standard deviation that scores from 0 to 1 can have."""
_ABSURD_SDS = 3.0
"""Size of a gap, in standard deviations, that no plausible plan exceeds."""


def check_gap_units(matrices: "Sequence[ScoreMatrix]", **gaps: float | None) -> None:
    """Raise ParameterError if a gap, by parameter name, is not in the units of the scores."""
    from nstar._verbs.data_summary.finding_text import limits

    for name, gap in gaps.items():
        for matrix in matrices:
            check_gap_on_scale(name, gap, limits(matrix))


def check_gap_on_scale(name: str, gap: float | None, scale: tuple[float, float]) -> None:
    """Refuse percentage points on another scale than 0 to 1, and 1 for one point on that scale."""
    if gap is None:
        return
    low, high = scale
    if isinstance(gap, Points) and scale != (0.0, 1.0):
        msg = (
            f"{arg(name)} is in percentage points, but scores range from {low:g} to "
            f"{high:g}. Use score units, without pp."
        )
        raise ParameterError(msg)
    if abs(gap) >= 1 and scale == (0.0, 1.0):
        msg = f"{arg(name)} {gap:g} is {_too_large(gap)} 1, but scores are 0–1. Use {_fix(gap)}."
        raise ParameterError(msg)


def check_threshold(
    threshold: float, margin: float | None, scale: tuple[float, float], *, is_declared: bool
) -> None:
    """Refuse a threshold that no test can show to be exceeded or missed on this scale.

    Outside of [0, 1], a gate needs the range of the scores: scores that are far from all others
    can be too rare to be observed.
    """
    low, high = scale
    name = f"{arg('threshold')} {threshold:g}"
    if isinstance(threshold, Points) and scale != (0.0, 1.0):
        msg = (
            f"{arg('threshold')} is a percentage, but scores range from {low:g} to {high:g}. Use "
            "score units, without %."
        )
    elif scale == (0.0, 1.0) and 1 < threshold <= 100 and not isinstance(threshold, Points):
        percent = by_interface(python="", command=f"{threshold:g}% or ")
        msg = f"{name} is above 1, but scores are 0–1. Use {percent}{threshold / 100:g}."
    elif scale == (0.0, 1.0) and not low < threshold < high:
        msg = f"{name} must be above 0 and below 1, because scores are 0–1."
    elif not is_declared and scale != (0.0, 1.0):
        example = by_interface(python="score_range=(0, 100)", command="--score-range 0:100")
        msg = (
            f"Scores range from {low:g} to {high:g}, so their possible range is unknown. Set it, "
            f"as in {example}. A verdict about {arg('threshold')} depends on it."
        )
    elif not low < threshold < high:
        msg = f"{name} is not inside the range of the scores, {low:g} to {high:g}."
    elif margin is not None and not low < threshold - margin < high:
        msg = (
            f"{arg('threshold')} minus {arg('margin')} must be inside the range of the scores, "
            f"{low:g} to {high:g}; got {threshold - margin:g}."
        )
    else:
        return
    raise ParameterError(msg)


def check_planned_gaps(gaps: Mapping[str, float | None], sds: Mapping[str, float | None]) -> None:
    """Raise QuestionError for gaps that do not fit scores with these standard deviations.

    Without a standard deviation, scores run from 0 to 1.
    """
    known = [(name, sd) for name, sd in sds.items() if sd is not None]
    for name, gap in gaps.items():
        if gap is None:
            continue
        if known:
            largest = max(known, key=lambda pair: pair[1] / _MAX_SD[pair[0]])
            _check_gap_against_sd(name, gap, *largest)
        elif 1 <= abs(gap) < math.inf:
            with_sd = " or ".join(map(arg, sds))
            msg = (
                f"{arg(name)} {gap:g} is {_too_large(gap)} 1. Use {_fix(gap)}, or set {with_sd} "
                "for score units."
            )
            raise QuestionError(msg)


def _check_gap_against_sd(name: str, gap: float, sd_name: str, sd: float) -> None:
    if isinstance(gap, Points) and sd > _MAX_SD[sd_name]:
        msg = (
            f"{arg(name)} is in percentage points, but with {arg(sd_name, f'{sd:g}')} "
            "scores do not range from 0 to 1. Use score units."
        )
        raise QuestionError(msg)
    if sd <= _MAX_SD[sd_name] and 1 <= abs(gap) < math.inf and abs(gap) > _ABSURD_SDS * sd:
        points = by_interface(python="", command=f" or {gap:g}pp")
        msg = (
            f"{arg(name)} {gap:g} is too large for {arg(sd_name, f'{sd:g}')}, which is in the "
            f"same units. If scores range from 0 to 1, use {gap / 100:g}{points}."
        )
        raise QuestionError(msg)


def _fix(gap: float) -> str:
    """Return how a gap in points is written."""
    points = "one percentage point" if gap == 1 else f"{gap:g} percentage points"
    return by_interface(
        python=f"{gap / 100:g} for {points}",
        command=f"{gap:g}pp for percentage points or {gap / 100:g}",
    )


def _too_large(gap: float) -> str:
    return "above" if abs(gap) > 1 else "not below"
