"""Gaps of scores whose scale is not known before they are read: ``1pp``, ``0.01`` or ``5``."""

import math
from typing import TYPE_CHECKING, Any

import click

from nstar.cli.kit.options import Gap, Listed, number_of
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar._data.matrix import ScoreMatrix

    _Ends = click.ParamType[tuple[float, float]]
else:  # not subscriptable at run time before click 8.4
    _Ends = click.ParamType


class _Points(float):
    """A gap given in percentage points."""


class ScoreGap(Gap):
    """``1pp`` or ``0.01``; ``5`` where scores run beyond 1."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Score units; whether they fit the scores is seen when those are read."""
        text = str(value).strip()
        if text.lower().endswith("pp"):
            return _Points(super().convert(value, param, ctx))
        number = number_of(text)
        return super().convert(value, param, ctx) if number is None else number


SCORE_GAP = ScoreGap()
SCORE_GAPS = Listed(SCORE_GAP, "gap,…")


class _ScoreRange(_Ends):
    """``0:100``: worst and best possible score."""

    name = "LOW:HIGH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        """Two finite numbers, the smaller first."""
        low, colon, high = str(value).partition(":")
        try:
            ends = float(low), float(high)
        except ValueError:
            ends = (math.nan, math.nan)
        if not (colon and ends[0] < ends[1] and all(map(math.isfinite, ends))):
            self.fail(
                f"{value!r} is not a range of scores; write LOW:HIGH, like 0:100", param, ctx
            )
        return ends


def range_option() -> Any:
    """The range of scores, for ``compare``, ``gate`` and ``plan``."""
    return option(
        "--score-range",
        under=Heading.STATISTICS,
        type=_ScoreRange(),
        metavar="LOW:HIGH",
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
    return isinstance(gap, _Points)


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
    from nstar._verbs.coverage.words import limits

    for name, gap in gaps.items():
        for matrix in matrices:
            refuse_points_of(name, gap, limits(matrix))
            refuse_large(name, gap, limits(matrix))
