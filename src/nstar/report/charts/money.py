"""The smallest detectable gap against money."""

from nstar._verbs.budget import BudgetPlan
from nstar.errors import ParameterError
from nstar.report.charts._canvas import Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, TALL, Units, line, note
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import axis, height, linear
from nstar.report.documents import Grid
from nstar.report.words.numbers import count, money, probability

__all__ = ["mde_by_money"]

_STEP = 5
"""Every so many points of the curve stand in the table behind the figure."""


def _draw(canvas: Canvas, plan: BudgetPlan, units: Units, y: float) -> None:
    assert plan.curve is not None  # noqa: S101 - the caller looked
    assert plan.design is not None  # noqa: S101 - a curve has a design
    spent = [float(m) for m in plan.curve.money]
    gaps = [units.factor * float(g) for g in plan.curve.mde]
    at = linear(spent, LEFT, RIGHT, wanted=5, snug=True)
    up = linear((0.0, 1.05 * max(gaps)), y + TALL, y, wanted=4, snug=True)
    axis(canvas, at, y, y + TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{v:g}{units.after}")
    if plan.floor:
        low = up(units.factor * plan.floor)
        canvas.path([f"M{num(LEFT)} {num(low)}H{num(RIGHT)}"], "second")
    canvas.path([line([at(m) for m in spent], [up(g) for g in gaps])], "curve")
    here = at(plan.budget if plan.budget is not None else plan.design.cost)
    canvas.path([f"M{num(here)} {num(y)}V{num(y + TALL)}"], "rule")
    note(canvas, here, up(units.factor * plan.design.mde) - 12, units.say(plan.design.mde))
    said = "money, in the unit of the costs"
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, said, "s", "middle")


def mde_by_money(plan: BudgetPlan) -> Figure:
    """Best detectable gap for every budget, with the floor where tasks are limited."""
    if plan.curve is None or plan.design is None:
        msg = "this plan has no curve: no money detects the gap, or two tasks take all of it"
        raise ParameterError(msg)
    units = Units(graded=plan.spread.baseline is None)
    title = "Smallest detectable gap, by money"
    canvas = Canvas()
    design = plan.design
    y = canvas.head(
        title,
        f"{probability(plan.criteria.power)} power, α = {plan.criteria.alpha:g}; each point is "
        "the best number of tasks and runs for its money.",
    )
    keys = [("best design", [(["M-8 0H8"], "curve")])]
    keys += [("endless runs of all tasks", [(["M-8 0H8"], "second")])] if plan.floor else []
    keys.append(("planned", [(["M0 -7V7"], "rule")]))
    y = canvas.legend(y, keys)
    _draw(canvas, plan, units, y)
    alt = (
        f"{title}: {units.say(float(plan.curve.mde[0]))} for {money(float(plan.curve.money[0]))}, "
        f"{units.say(design.mde)} for {money(design.cost)} with {count(design.tasks)} tasks, "
        f"{units.say(float(plan.curve.mde[-1]))} for {money(float(plan.curve.money[-1]))}."
    )
    pairs = list(zip(plan.curve.money, plan.curve.mde, strict=True))[::_STEP]
    table = Grid(
        title=title,
        header=("money", "smallest gap"),
        rows=tuple((money(float(m)), units.say(float(g))) for m, g in pairs),
    )
    return canvas.figure(y + TALL + 42, title=title, alt=alt, table=table)
