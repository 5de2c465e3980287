"""Curves of a plan: power against items or gaps, and the detectable gap against cost."""

from nstar._verbs.budget import TaskPlan
from nstar._verbs.plan import Plan
from nstar.errors import ParameterError
from nstar.report.charts._canvas import Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, TALL, GapUnits, line, note, units_of
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, axis, height, linear
from nstar.report.documents import TextChart, TextTable
from nstar.report.prose import plan as words
from nstar.report.prose.numbers import count, money, probability

__all__ = ["mde_by_money", "power_curve"]

_STEP = 5
"""Distance between the points of the curve that the table of the figure lists."""


def _draw_power(
    canvas: Canvas, chart: TextChart, units: GapUnits, y: float, *, items: bool
) -> None:
    k = 1.0 if items else units.factor
    xs = [k * v for v in chart.x]
    at = linear(xs, LEFT, RIGHT, n_ticks=5, snug=True)
    up = AxisScale(low=0, high=1, start=y + TALL, stop=y, ticks=(0, 0.25, 0.5, 0.75, 1))
    axis(canvas, at, y, y + TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{100 * v:.0f}%")
    level, x = up(chart.level[0]), at(k * chart.mark[0])
    canvas.path([f"M{num(LEFT)} {num(level)}H{num(RIGHT)}"], "level")
    canvas.path([line([at(v) for v in xs], [up(v) for v in chart.y])], "curve")
    canvas.path([f"M{num(x)} {num(y)}V{num(y + TALL)}"], "level")
    note(canvas, x, y + TALL - 14, chart.mark[1] + (" items" if items else ""))
    canvas.text(LEFT + 6, level - 9, f"{chart.level[1]} power", "s")
    below = "items" if items else units.axis
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, below, "s", "middle")


def power_curve(plan: Plan) -> Figure:
    """Draw the power against items or gaps, with the target power."""
    doc = words.document(plan)
    curve, chart = plan.power_curve, doc.chart
    if curve is None or chart is None:
        msg = "This plan has no power curve. Set a gap, items, or both in nstar.plan."
        raise ParameterError(msg)
    units, items = units_of(plan), curve.axis == "items"
    canvas = Canvas()
    lines = f"The dashed lines are at {chart.level[1]} power and {chart.mark[1]}"
    y = canvas.head(chart.title, f"{lines}{' items' if items else ''}.") + 6
    _draw_power(canvas, chart, units, y, items=items)
    alt = (
        f"{chart.title}: the curve rises from {probability(chart.y[0])} at {chart.x_labels[0]} to "
        f"{probability(chart.y[-1])} at {chart.x_labels[1]}. {doc.headline}"
    )
    table = TextTable(
        title=chart.title,
        header=("items" if items else "gap", "power"),
        rows=tuple(
            (count(v) if items else units.say(v), probability(p))
            for v, p in zip(chart.x, chart.y, strict=True)
        ),
    )
    return canvas.figure(y + TALL + 42, title=chart.title, alt=alt, table=table)


def _draw_money(canvas: Canvas, plan: TaskPlan, units: GapUnits, y: float) -> None:
    assert plan.mde_by_budget is not None  # noqa: S101 - the caller looked
    assert plan.best_design is not None  # noqa: S101 - a curve has a design
    spent = [float(m) for m in plan.mde_by_budget.budget]
    gaps = [units.factor * float(g) for g in plan.mde_by_budget.mde]
    at = linear(spent, LEFT, RIGHT, n_ticks=5, snug=True)
    up = linear((0.0, 1.05 * max(gaps)), y + TALL, y, n_ticks=4, snug=True)
    axis(canvas, at, y, y + TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{v:g}{units.after}")
    if plan.mde_floor:
        low = up(units.factor * plan.mde_floor)
        canvas.path([f"M{num(LEFT)} {num(low)}H{num(RIGHT)}"], "second")
    canvas.path([line([at(m) for m in spent], [up(g) for g in gaps])], "curve")
    x_budget = at(plan.budget if plan.budget is not None else plan.best_design.cost)
    canvas.path([f"M{num(x_budget)} {num(y)}V{num(y + TALL)}"], "rule")
    note(
        canvas,
        x_budget,
        up(units.factor * plan.best_design.mde) - 12,
        units.say(plan.best_design.mde),
    )
    axis_label = "cost"
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, axis_label, "s", "middle")


def mde_by_money(plan: TaskPlan) -> Figure:
    """Draw the smallest detectable gap against the budget, with its limit if tasks are limited."""
    if plan.mde_by_budget is None or plan.best_design is None:
        msg = (
            "This plan has no curve, because no budget detects the gap or two tasks use the whole "
            "budget."
        )
        raise ParameterError(msg)
    units = GapUnits(graded=plan.variances.baseline is None)
    title = "MDE by budget"
    canvas = Canvas()
    design = plan.best_design
    y = canvas.head(
        title,
        f"{probability(plan.criteria.power)} power, α = {plan.criteria.alpha:g}. Each point is "
        "the best number of tasks and runs for its budget.",
    )
    keys = [("best design", [(["M-8 0H8"], "curve")])]
    keys += [("unlimited runs", [(["M-8 0H8"], "second")])] if plan.mde_floor else []
    keys.append(("planned", [(["M0 -7V7"], "rule")]))
    y = canvas.legend(y, keys)
    _draw_money(canvas, plan, units, y)
    alt = (
        f"{title}: {units.say(float(plan.mde_by_budget.mde[0]))} for "
        f"{money(float(plan.mde_by_budget.budget[0]))}, "
        f"{units.say(design.mde)} for {money(design.cost)} with {count(design.n_tasks)} tasks, "
        f"{units.say(float(plan.mde_by_budget.mde[-1]))} for "
        f"{money(float(plan.mde_by_budget.budget[-1]))}."
    )
    pairs = list(zip(plan.mde_by_budget.budget, plan.mde_by_budget.mde, strict=True))[::_STEP]
    table = TextTable(
        title=title,
        header=("budget", "MDE"),
        rows=tuple((money(float(m)), units.say(float(g))) for m, g in pairs),
    )
    return canvas.figure(y + TALL + 42, title=title, alt=alt, table=table)
