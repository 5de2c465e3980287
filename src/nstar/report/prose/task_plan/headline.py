"""Write the headline of a budget plan: cost, tasks, runs, and the detectable gap."""

import math

from nstar._verbs.budget import RunDesign, TaskPlan
from nstar.report.prose.numbers import count, money, percent, probability
from nstar.report.prose.plan_terms import criteria, points, precision, with_article


def is_beyond(plan: TaskPlan, mde: float) -> bool:
    """Return whether a gap is larger than any two success rates can differ."""
    return mde >= plan.variances.room(plan.criteria.sides)


def gap(plan: TaskPlan, value: float | None, *, is_set: bool = False) -> str:
    """Return a gap as text: in points for 0/1 scores, in score units for graded scores."""
    if value is not None and is_beyond(plan, value):
        value = math.inf
    if plan.variances.baseline is None and value is not None and math.isfinite(value):
        return f"{value:.3g}"
    if is_set:
        return points(value, None)
    design = plan.best_design
    gaps = (design.mde if design else None, plan.mde_floor, plan.delta)
    known = [g for g in gaps if g is not None and math.isfinite(g)]
    return points(value, precision(known[:1]))


def _what(plan: TaskPlan) -> str:
    """Return the planned gap, with its article."""
    return f"{with_article(gap(plan, plan.delta, is_set=True))} gap"


def _runs(number: int) -> str:
    return f"{number:,} run{'s' * (number > 1)}"


def runs(design: RunDesign) -> str:
    """Return the runs per task as text."""
    if design.n_runs_a == design.n_runs_b:
        return f"{_runs(design.n_runs_a)} per model"
    return f"{_runs(design.n_runs_a)} of the first model and {design.n_runs_b:,} of the second"


def _layout(plan: TaskPlan, design: RunDesign) -> str:
    tasks_text = " tasks" if plan.variances.is_paired else " separate tasks per model"
    return f"{count(design.n_tasks)}{tasks_text}, {runs(design)}"


def _assumed(plan: TaskPlan) -> str | None:
    """Return the assumptions that replace a pilot."""
    s = plan.variances
    if s.pilot is not None:
        return None
    if s.flip is not None:
        text = f"This assumes that two runs of a task disagree {percent(s.flip)} of the time"
        if s.rho is None:
            return f"{text}."
        default_text = " (the default)" if s.source.startswith("assumed") else ""
        return f"{text} and that rho = {s.rho:g}{default_text}."
    if not s.is_split:
        return (
            f"This assumes an SD of {math.sqrt(s.total(1, 1)):.3g} for the difference on a task."
        )
    within = " and ".join(dict.fromkeys(f"{math.sqrt(w):.3g}" for w in (s.sigma_wa2, s.sigma_wb2)))
    return (
        f"This assumes SDs of {math.sqrt(s.sigma_b2):.3g} (true difference between tasks) and "
        f"{within} (runs of a task)."
    )


def _pilot(plan: TaskPlan, low: str, high: str, subject: str = "") -> str:
    """Return the uncertainty of a pilot, with its unit only once."""
    unit = next((u for u in (" pp", "%") if low.endswith(u) and high.endswith(u)), "")
    conf = percent(plan.variances.confidence_level or 0.0)
    return f"The pilot's {conf} CI{subject} is {low.removesuffix(unit)} to {high}."


def _mde(plan: TaskPlan, design: RunDesign) -> list[str | None]:
    rule = criteria(plan.criteria)
    layout, span = _layout(plan, design), None
    if is_beyond(plan, design.mde):
        gap_text = "no gap, not even the largest possible one"
    else:
        gap_text = f"{with_article(gap(plan, design.mde))} gap"
        if plan.mde_ci:
            span = _pilot(plan, *(gap(plan, float(x)) for x in plan.mde_ci))
    if plan.budget is None:
        return [f"{layout}, detect {gap_text} ({rule}).", span, _assumed(plan)]
    spent = f"A budget of {money(plan.budget)} detects {gap_text}"
    return [f"{spent}: {layout} ({rule}).", span, _assumed(plan)]


def _tasks_span(plan: TaskPlan) -> str | None:
    if plan.n_star_ci is None:
        return None
    low, high = (count(float(x)) for x in plan.n_star_ci)
    return _pilot(plan, low, f"{high} tasks")


def _never(plan: TaskPlan) -> tuple[str, str | None]:
    """Return why no budget is sufficient, and what would be."""
    if plan.mde_floor is None:
        return "an effect that a run shares over all tasks does not average out over tasks", None
    runs_text = ", however many runs" if plan.n_runs is None else " with these runs"
    power_text = probability(plan.criteria.power)
    text = f"gaps below {gap(plan, plan.mde_floor)} never reach {power_text} power{runs_text}"
    if plan.unlimited_design is None:
        return text, None
    takes = f"It takes {_layout(plan, plan.unlimited_design)}"
    return text, f"{takes}, at a cost of {money(plan.unlimited_design.cost)}."


def _cost(plan: TaskPlan) -> list[str | None]:
    gap_text = _what(plan)
    if plan.needed_design is None:
        reason, instead = _never(plan)
        able = f"No budget detects {gap_text}"
        if plan.mde_floor is not None:
            able = f"{count(plan.n_tasks_available)} tasks cannot detect {gap_text} at any cost"
        return [f"{able}: {reason}.", instead, _tasks_span(plan)]
    layout = _layout(plan, plan.needed_design)
    takes = f"takes {layout}"
    if plan.costs_source != "assumed":
        takes = f"costs at least {money(plan.needed_design.cost)}: {layout}"
    answer = f"Detecting {gap_text} {takes} ({criteria(plan.criteria)})."
    return [answer, _tasks_span(plan), _assumed(plan)]


def _power(plan: TaskPlan, design: RunDesign) -> list[str | None]:
    power_text = probability(plan.criteria.power)
    span = None
    if plan.power_ci:
        low, high = (probability(float(x)) for x in plan.power_ci)
        span = _pilot(plan, low, high, " of the power")
    first = (
        f"A budget of {money(plan.budget or 0)} has {probability(plan.power)} power to detect "
        f"{_what(plan)}: {_layout(plan, design)}."
    )
    if plan.needed_design is None:
        reason, instead = _never(plan)
        where = "" if plan.mde_floor is None else f" on {count(plan.n_tasks_available)} tasks"
        need = f"No budget gives {power_text} power{where}: {reason}."
        return [first, need, instead or span, _assumed(plan)]
    layout = _layout(plan, plan.needed_design)
    need = f"{power_text} power costs {money(plan.needed_design.cost)}: {layout}."
    return [first, need, span, _assumed(plan)]


def headline(plan: TaskPlan) -> list[str]:
    """Return the answer, its requirements, and the assumptions, one sentence each."""
    if plan.solved_for == "cost" or plan.best_design is None:
        texts = _cost(plan)
    elif plan.delta is None:
        texts = _mde(plan, plan.best_design)
    else:
        texts = _power(plan, plan.best_design)
    return [text for text in texts if text]
