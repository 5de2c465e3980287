"""Gaps of scores whose scale is not known before they are read: ``1pp``, ``0.01`` or ``5``."""

from typing import TYPE_CHECKING, Any

from nstar._base.units import ListOf, Points, ScoreGap, ScoreRange
from nstar.cli.kit.options import UnitType
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar._data.matrix import ScoreMatrix


SCORE_GAP = UnitType(ScoreGap())
SCORE_GAPS = UnitType(ListOf(ScoreGap(), "gap,…"))


def range_option() -> Any:
    """The range of scores, for ``compare``, ``gate`` and ``plan``."""
    return option(
        "--score-range",
        under=Heading.STATISTICS,
        type=UnitType(ScoreRange()),
        help="Worst and best possible score, if not 0 and 1: 0:100.",
    )


@group
class GapOptions:
    """Gaps that are declared before looking."""

    delta: float | None = option(
        "--delta",
        under=Heading.STATISTICS,
        type=SCORE_GAP,
        help="Gap that matters, declared in advance: 1pp.",
    )
    margin: float | None = option(
        "--margin",
        under=Heading.STATISTICS,
        type=SCORE_GAP,
        help="Test whether they are equivalent within this margin: 2pp.",
    )


def in_points(gap: float | None) -> bool:
    """Whether a gap was given in percentage points."""
    return isinstance(gap, Points)


def refuse_points_of(name: str, gap: float | None, limits: tuple[float, float]) -> None:
    """Points of what, when scores do not run from 0 to 1?"""
    from nstar.errors import ParameterError

    if gap is not None and in_points(gap) and limits != (0.0, 1.0):
        low, high = limits
        msg = (
            f"--{name} {100 * gap:g}pp: scores run from {low:g} to {high:g}, "
            "not from 0 to 1; give it in their units, without pp"
        )
        raise ParameterError(msg)


def refuse_large(name: str, gap: float | None, limits: tuple[float, float]) -> None:
    """``1`` for one point, when scores run from 0 to 1."""
    from nstar.errors import ParameterError

    if gap is not None and abs(gap) >= 1 and limits == (0.0, 1.0):
        msg = (
            f"--{name} {gap:g}: too large for scores from 0 to 1; write {gap:g}pp for percentage "
            f"points or {gap / 100:g}"
        )
        raise ParameterError(msg)


def refuse_points(matrices: "list[ScoreMatrix]", **gaps: float | None) -> None:
    """ParameterError if a gap, by the name of its option, is not in the units of the scores."""
    from nstar._verbs.data_summary.finding_text import limits

    for name, gap in gaps.items():
        for matrix in matrices:
            refuse_points_of(name, gap, limits(matrix))
            refuse_large(name, gap, limits(matrix))
