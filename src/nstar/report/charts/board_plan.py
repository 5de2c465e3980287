"""Chart of a leaderboard plan from a pilot: detectable gaps by items, for each goal."""

import math

from nstar._verbs.plan.board_result import BoardClaim, BoardPlan
from nstar.errors import ParameterError
from nstar.report.charts._canvas import Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, TALL, GapUnits, line, note
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import axis, height, logarithmic
from nstar.report.documents import TextTable
from nstar.report.prose.numbers import count, items, probability

__all__ = ["gaps_by_items"]

_STYLES: dict[BoardClaim, tuple[str, str]] = {
    "all-pairs": ("any two models", "curve"),
    "control": ("any model and the control", "second"),
    "pair": ("two chosen in advance", "axis w2"),
    "best": ("picking the best", "wire"),
}
"""Label and line style of each claim, starting with the one that needs most items."""


def _values(plan: BoardPlan, claim: BoardClaim) -> list[tuple[int, float]]:
    """Return the items and gaps of a claim, without gaps that cannot be detected."""
    points = ((p.n_items, float(getattr(p, claim.replace("-", "_")))) for p in plan.mde_by_items)
    return [(n, gap) for n, gap in points if math.isfinite(gap)]


def _ribbon(plan: BoardPlan, claim: BoardClaim) -> tuple[float, float] | None:
    """Return the ratios of the interval's limits to the gap."""
    row = next(r for r in plan.readings[0].claims if r.claim == claim)
    if row.mde and row.mde_low and row.mde_high:
        return row.mde_low / row.mde, row.mde_high / row.mde
    if row.n_star and row.n_star_low and row.n_star_high and math.isfinite(row.n_star_high):
        return math.sqrt(row.n_star_low / row.n_star), math.sqrt(row.n_star_high / row.n_star)
    return None


def _draw(canvas: Canvas, plan: BoardPlan, units: GapUnits, y: float) -> None:
    k = units.factor
    curves = {claim: _values(plan, claim) for claim in _STYLES}
    widened = _ribbon(plan, "all-pairs")
    gaps = [k * gap for curve in curves.values() for _, gap in curve]
    gaps += [k * gap * f for _, gap in curves["all-pairs"] for f in widened or ()]
    gaps += [k * plan.delta] if plan.delta else []
    at = logarithmic([p.n_items for p in plan.mde_by_items], LEFT, RIGHT)
    up = logarithmic(gaps, y + TALL, y)
    axis(canvas, at, y, y + TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{v:g}{units.after}")
    if widened and curves["all-pairs"]:
        xs = [at(n) for n, _ in curves["all-pairs"]]
        low, high = ([up(k * f * gap) for _, gap in curves["all-pairs"]] for f in widened)
        canvas.path([line(xs + xs[::-1], high + low[::-1]) + "z"], "ribbon")
    if plan.delta:
        canvas.path([f"M{num(LEFT)} {num(up(k * plan.delta))}H{num(RIGHT)}"], "rule")
        note(canvas, LEFT + 4, up(k * plan.delta) - 9, f"{units.say(plan.delta)}")
    if plan.n_items:
        canvas.path([f"M{num(at(plan.n_items))} {num(y)}V{num(y + TALL)}"], "rule")
        note(canvas, at(plan.n_items), y + 12, items(plan.n_items))
    for claim, values in curves.items():
        points = [(at(n), up(k * gap)) for n, gap in values]
        if len(points) > 1:
            canvas.path([line([x for x, _ in points], [v for _, v in points])], _STYLES[claim][1])
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, "items", "s", "middle")


def _table(plan: BoardPlan, units: GapUnits, title: str) -> TextTable:
    rows = tuple(
        (count(p.n_items), *(units.say(v) for v in (p.all_pairs, p.control, p.pair, p.best)))
        for p in plan.mde_by_items
    )
    return TextTable(
        title=title, header=("items", *(words for words, _ in _STYLES.values())), rows=rows
    )


def gaps_by_items(plan: BoardPlan) -> Figure:
    """Draw the smallest detectable gap of each claim against items."""
    known = [p for p in plan.mde_by_items if math.isfinite(p.best)]
    if len(known) < 2:
        msg = "Nothing to draw, because no number of items near the plan detects a gap."
        raise ParameterError(msg)
    units = GapUnits(graded=plan.score_range != (0.0, 1.0))
    title = f"MDE for {plan.n_models:,} models, by number of items"
    canvas = Canvas()
    sure = probability(1 - plan.criteria.alpha)
    y = canvas.head(
        title,
        f"{probability(plan.criteria.power)} power, α = {plan.criteria.alpha:g} for all pairs; "
        f"the best is picked with {sure} probability. From a pilot of {plan.n_pilot_models:,} "
        f"models on {items(plan.n_pilot_items)}; both axes are logarithmic.",
    )
    keys = [(words, [(["M-8 0H8"], style)]) for words, style in _STYLES.values()]
    if _ribbon(plan, "all-pairs"):
        keys.append(("95% CI (any two models)", [(["M-8 -6H8V6H-8z"], "ribbon")]))
    y = canvas.legend(y, keys)
    _draw(canvas, plan, units, y)
    first, last = known[0], known[-1]
    alt = (
        f"{title}: between any two models, {units.say(first.all_pairs)} with "
        f"{items(first.n_items)} and {units.say(last.all_pairs)} with {items(last.n_items)}; to "
        f"pick the best model, {units.say(first.best)} and {units.say(last.best)}, respectively."
    )
    return canvas.figure(y + TALL + 42, title=title, alt=alt, table=_table(plan, units, title))
