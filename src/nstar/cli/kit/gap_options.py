"""Gaps of scores whose scale is not known before they are read: ``1pp``, ``0.01`` or ``5``."""

from nstar._base.units import Points, ScoreGap
from nstar.cli.kit.options import UnitType

SCORE_GAP = UnitType(ScoreGap())


def refuse_points_of(name: str, gap: float | None, limits: tuple[float, float]) -> None:
    """Points of what, when scores do not run from 0 to 1?"""
    from nstar.errors import ParameterError

    if gap is not None and isinstance(gap, Points) and limits != (0.0, 1.0):
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
