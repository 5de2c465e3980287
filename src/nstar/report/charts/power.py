"""Power against items, or against the gap."""

from nstar._verbs.plan import Plan
from nstar.errors import ParameterError
from nstar.report.charts._canvas import Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, TALL, Units, line, note, units_of
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, axis, height, linear
from nstar.report.documents import Chart, Grid
from nstar.report.words import plan as words
from nstar.report.words.numbers import count, probability

__all__ = ["power_curve"]


def _table(chart: Chart, units: Units, *, items: bool) -> Grid:
    return Grid(
        title=chart.title,
        header=("items" if items else "gap", "power"),
        rows=tuple(
            (count(v) if items else units.say(v), probability(p))
            for v, p in zip(chart.x, chart.y, strict=True)
        ),
    )


def _draw(canvas: Canvas, chart: Chart, units: Units, y: float, *, items: bool) -> None:
    k = 1.0 if items else units.factor
    xs = [k * v for v in chart.x]
    at = linear(xs, LEFT, RIGHT, wanted=5, snug=True)
    up = AxisScale(low=0, high=1, start=y + TALL, stop=y, ticks=(0, 0.25, 0.5, 0.75, 1))
    axis(canvas, at, y, y + TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{100 * v:.0f} %")
    level, x = up(chart.level[0]), at(k * chart.mark[0])
    canvas.path([f"M{num(LEFT)} {num(level)}H{num(RIGHT)}"], "level")
    canvas.path([line([at(v) for v in xs], [up(v) for v in chart.y])], "curve")
    canvas.path([f"M{num(x)} {num(y)}V{num(y + TALL)}"], "level")
    note(canvas, x, y + TALL - 14, chart.mark[1] + (" items" if items else ""))
    canvas.text(LEFT + 6, level - 9, f"{chart.level[1]} power", "s")
    below = "items" if items else units.axis
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, below, "s", "middle")


def power_curve(plan: Plan) -> Figure:
    """Probability of detection against items, or against the gap, with the power asked for."""
    told = words.document(plan)
    curve, chart = plan.curve, told.chart
    if curve is None or chart is None:
        msg = "this plan has no power curve: give a gap, items or both to nstar.plan"
        raise ParameterError(msg)
    units, items = units_of(plan), curve.axis == "items"
    canvas = Canvas()
    y = canvas.head(chart.title, told.headline) + 6
    _draw(canvas, chart, units, y, items=items)
    alt = (
        f"{chart.title}: the curve rises from {probability(chart.y[0])} at {chart.x_labels[0]} to "
        f"{probability(chart.y[-1])} at {chart.x_labels[1]}. {told.headline}"
    )
    table = _table(chart, units, items=items)
    return canvas.figure(y + TALL + 42, title=chart.title, alt=alt, table=table)
