"""The smallest detectable gap against the item correlation of the two models."""

import math

from nstar._verbs.plan import Plan, PlanRow
from nstar.errors import ParameterError
from nstar.report.charts._canvas import Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, TALL, Units, line, note, units_of
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import axis, height, linear
from nstar.report.documents import Grid
from nstar.report.words.numbers import count, probability

__all__ = ["mde_by_rho"]


def _rhos(plan: Plan) -> list[PlanRow]:
    rows = [r for r in plan.rows if r.name == "rho" and r.mde is not None]
    finite = sorted((r for r in rows if math.isfinite(r.mde or 0)), key=lambda r: r.value)
    if len(finite) < 2:
        msg = "this plan has no detectable gap by rho: give items and a rho to nstar.plan"
        raise ParameterError(msg)
    return finite


def _losses(rows: list[PlanRow]) -> list[float]:
    """Detectable losses where they differ from gains, else none."""
    down = [r.mde if r.mde_down is None else r.mde_down for r in rows]
    known = [d for d in down if d is not None and math.isfinite(d)]
    differ = any(abs(d - (r.mde or 0.0)) > 1e-9 for d, r in zip(known, rows, strict=False))
    return known if differ and len(known) == len(rows) else []


def _table(title: str, rows: list[PlanRow], losses: list[float], units: Units) -> Grid:
    return Grid(
        title=title,
        header=("rho", "smallest gain", "smallest loss") if losses else ("rho", "smallest gap"),
        rows=tuple(
            (f"{r.value:.2f}", units.say(r.mde), *(units.say(v) for v in losses[i : i + 1]))
            for i, r in enumerate(rows)
        ),
        marked=next((i for i, r in enumerate(rows) if r.chosen), None),
    )


def _draw(
    canvas: Canvas, rows: list[PlanRow], losses: list[float], units: Units, y: float
) -> None:
    gains = [units.factor * (r.mde or 0.0) for r in rows]
    down = [units.factor * v for v in losses]
    at = linear([r.value for r in rows], LEFT, RIGHT, wanted=5, snug=True)
    up = linear((0.0, 1.05 * max([*gains, *down])), y + TALL, y, wanted=4, snug=True)
    axis(canvas, at, y, y + TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{v:g}{units.after}")
    xs, above = [at(r.value) for r in rows], [up(v) for v in gains]
    if down:
        below = [up(v) for v in down]
        canvas.path([line(xs + xs[::-1], above + below[::-1]) + "z"], "ribbon")
        canvas.path([line(xs, below)], "second")
    canvas.path([line(xs, above)], "curve")
    for row, x, top in zip(rows, xs, above, strict=True):
        if row.chosen:
            canvas.path([f"M{num(x)} {num(y)}V{num(y + TALL)}"], "rule")
            note(canvas, x, max(min(top, y + TALL - 24) - 12, y + 10), units.say(row.mde))
    said = "item correlation ρ of the two models"
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, said, "s", "middle")


def mde_by_rho(plan: Plan) -> Figure:
    """Smallest detectable gain and loss against the item correlation, as a ribbon."""
    rows, units = _rhos(plan), units_of(plan)
    losses = _losses(rows)
    title = f"Smallest gap that {count(plan.items)} items detect, by item correlation"
    canvas = Canvas()
    y = canvas.head(
        title,
        f"{probability(plan.criteria.power)} power, α = {plan.criteria.alpha:g}; the better the "
        "two models agree over items, the smaller the gap that shows.",
    )
    keys = [("gain of the new model" if losses else "gap", [(["M-8 0H8"], "curve")])]
    keys += [("loss", [(["M-8 0H8"], "second")])] if losses else []
    keys += [("as assumed", [(["M0 -7V7"], "rule")])] if any(r.chosen for r in rows) else []
    y = canvas.legend(y, keys)
    _draw(canvas, rows, losses, units, y)
    ribbon = ", as a ribbon between gain and loss" if losses else ""
    alt = (
        f"{title}: from {units.say(rows[0].mde)} at ρ = {rows[0].value:g} to "
        f"{units.say(rows[-1].mde)} at ρ = {rows[-1].value:g}{ribbon}."
    )
    table = _table(title, rows, losses, units)
    return canvas.figure(y + TALL + 42, title=title, alt=alt, table=table)
