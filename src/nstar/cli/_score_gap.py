"""Gaps of scores whose scale is not known before they are read: ``1pp``, ``0.01`` or ``5``."""

from typing import TYPE_CHECKING, Any

import click

from nstar.cli._options import Gap

if TYPE_CHECKING:
    from nstar._matrix import ScoreMatrix

__all__ = ["SCORE_GAP", "ScoreGap", "in_points", "refuse_points"]


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
        try:
            return float(text)
        except ValueError:
            return super().convert(value, param, ctx)


SCORE_GAP = ScoreGap()


def in_points(gap: float | None) -> bool:
    """Whether a gap was given in percentage points."""
    return isinstance(gap, _Points)


def refuse_points(options: dict[str, Any], matrices: "list[ScoreMatrix]") -> None:
    """Points of what, when scores do not run from 0 to 1?"""
    from nstar._coverage.words import limits
    from nstar.errors import ParameterError

    for name in ("delta", "margin"):
        for low, high in map(limits, matrices):
            if in_points(options[name]) and (low, high) != (0.0, 1.0):
                msg = (
                    f"--{name} {100 * options[name]:g}pp: scores run from {low:g} to {high:g}, "
                    "not from 0 to 1; give it in their units, without pp"
                )
                raise ParameterError(msg)
