"""Check the units of a gap once the scale of the scores is known."""

from collections.abc import Sequence

from nstar._base.units import Points
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.data_summary.finding_text import limits
from nstar.errors import ParameterError, arg, by_interface


def check_gap_units(matrices: Sequence[ScoreMatrix], **gaps: float | None) -> None:
    """Raise ParameterError if a gap, by parameter name, is not in the units of the scores."""
    for name, gap in gaps.items():
        for matrix in matrices:
            check_gap_on_scale(name, gap, limits(matrix))


def check_gap_on_scale(name: str, gap: float | None, scale: tuple[float, float]) -> None:
    """Refuse points where scores do not run from 0 to 1, and 1 for one point where they do."""
    if gap is None:
        return
    low, high = scale
    if isinstance(gap, Points) and scale != (0.0, 1.0):
        msg = (
            f"{arg(name, f'{100 * gap:g}pp')}: scores run from {low:g} to {high:g}, "
            "not from 0 to 1; give it in their units, without pp"
        )
        raise ParameterError(msg)
    if abs(gap) >= 1 and scale == (0.0, 1.0):
        fix = by_interface(
            python=f"{gap / 100:g} for {gap:g} percentage point{'s' * (gap != 1)}",
            command=f"{gap:g}pp for percentage points or {gap / 100:g}",
        )
        msg = f"{arg(name, f'{gap:g}')}: too large for scores from 0 to 1; write {fix}"
        raise ParameterError(msg)
