"""Plot area and units for the curves of a plan."""

import math
from dataclasses import dataclass

from nstar._verbs.plan import Plan
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas, num
from nstar.report.charts._text import BOLD, width
from nstar.report.prose.numbers import pp
from nstar.report.prose.plan_terms import is_graded

LEFT, RIGHT = 56.0, WIDTH - 2 * EDGE - 4
TALL = 200.0
"""Left end, right end, and height of the plot area of curves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GapUnits:
    """Units of gaps: percentage points for accuracies, score units for graded scores."""

    graded: bool
    """Whether scores are graded rather than 0/1."""

    @property
    def factor(self) -> float:
        """Return the factor that converts a gap to a number on the axis."""
        return 1.0 if self.graded else 100.0

    @property
    def axis(self) -> str:
        """Return the name of an axis of gaps."""
        return "gap" if self.graded else "gap, pp"

    @property
    def after(self) -> str:
        """Return the unit that follows a number on an axis."""
        return "" if self.graded else " pp"

    def say(self, value: float | None) -> str:
        """Return a gap as text."""
        if value is None or not self.graded or not math.isfinite(value):
            return pp(value)
        return f"{value:.3g}"


def units_of(plan: Plan) -> GapUnits:
    """Return the units of a plan."""
    return GapUnits(graded=is_graded(plan.noise_design))


def line(xs: list[float], ys: list[float]) -> str:
    """Return a path with one stroke through all points."""
    return "M" + "L".join(f"{num(x)} {num(y)}" for x, y in zip(xs, ys, strict=True))


def note(canvas: Canvas, x: float, y: float, text: str) -> None:
    """Draw text next to a point, on the side that has room."""
    side = x + 10 + width(text, 13 * BOLD) > RIGHT
    canvas.text(x - 10 if side else x + 10, y, text, "b", "end" if side else "start")
