"""What a budget plan says first: money, tasks, runs, and the gap they can show."""

import math

from nstar._verbs.budget import RunDesign, TaskPlan
from nstar.report.prose.numbers import count, level, money, percent, pp, probability
from nstar.report.prose.plan_terms import criteria


def is_beyond(plan: TaskPlan, mde: float) -> bool:
    """Whether no two success rates are that far apart."""
    return mde >= plan.variances.room(plan.criteria.sides)


def gap(plan: TaskPlan, value: float | None, *, column: bool = False) -> str:
    """A gap in points for 0/1 scores, in score units for graded scores."""
    if value is not None and is_beyond(plan, value):
        value = math.inf
    if plan.variances.baseline is None and value is not None and math.isfinite(value):
        return f"{value:.4f}" if column else f"{value:.3g}"
    return pp(value, column=column)


def runs(design: RunDesign) -> str:
    """Runs per task in words."""
    if design.n_runs_a == design.n_runs_b:
        each = f"{design.n_runs_a:,} run{'s' * (design.n_runs_a > 1)}"
        return f"{each} of each model"
    first = f"{design.n_runs_a:,} run{'s' * (design.n_runs_a > 1)}"
    return f"{first} of the first model and {design.n_runs_b:,} of the second"


def _times(runs_each: int) -> str:
    return {1: "once", 2: "twice"}.get(runs_each, f"{runs_each:,} times")


def _layout(plan: TaskPlan, design: RunDesign) -> str:
    if plan.variances.is_paired and design.n_runs_a == design.n_runs_b:
        return f"{count(design.n_tasks)} tasks, each run {_times(design.n_runs_a)} by both models"
    if plan.variances.is_paired:
        return f"{count(design.n_tasks)} tasks with {runs(design)}"
    return f"{count(design.n_tasks)} tasks for each model, different ones, with {runs(design)}"


def _if(plan: TaskPlan) -> str:
    s = plan.variances
    if s.pilot is not None:
        return "if the tasks to come are like those of the pilot"
    if s.flip is not None:
        flips = f"if two runs of a task disagree {percent(s.flip)} of the time"
        if s.rho is None:
            return flips
        how = " (assumed)" if s.source.startswith("assumed") else ""
        rates = f"the models' true success rates correlate rho = {s.rho:g} over tasks{how}"
        return f"{flips} and {rates}"
    if not s.is_split:
        return f"if the difference on a task has sd {math.sqrt(s.total(1, 1)):.3g}"
    within = " and ".join(dict.fromkeys(f"{math.sqrt(w):.3g}" for w in (s.sigma_wa2, s.sigma_wb2)))
    return (
        f"if the true difference has sd {math.sqrt(s.sigma_b2):.3g} over tasks and runs of a "
        f"task have sd {within}"
    )


def _between(plan: TaskPlan, low: str, high: str) -> str:
    """What a pilot leaves open, the unit said once."""
    unit = next((u for u in (" pp", " %") if low.endswith(u) and high.endswith(u)), "")
    conf = percent(plan.variances.confidence_level or 0.0)
    return f"{low.removesuffix(unit)} to {high} by the pilot's {conf} interval"


def _aside(*parts: str) -> str:
    """One pair of parentheses around what there is."""
    said = [part for part in parts if part]
    return f" ({'; '.join(said)})" if said else ""


def _mde(plan: TaskPlan, design: RunDesign) -> str:
    found, span = f"can detect a gap of {gap(plan, design.mde)}", ""
    if is_beyond(plan, design.mde):
        found = f"detect{'s' * (plan.budget is not None)} no gap at all"
        found += ", not even the largest possible one"
    elif plan.mde_ci:
        span = _between(plan, *(gap(plan, float(x)) for x in plan.mde_ci))
    layout, given = _layout(plan, design), f"{_if(plan)}."
    if plan.budget is None:
        return f"{layout} {found}{_aside(span, criteria(plan.criteria))}, {given}"
    spent = f"A budget of {money(plan.budget)} {found}{_aside(span)}"
    return f"{spent}: {layout}{_aside(criteria(plan.criteria))}, {given}"


def _tasks_span(plan: TaskPlan) -> str:
    if plan.n_star_ci is None:
        return ""
    low, high = (count(float(x)) for x in plan.n_star_ci)
    return _between(plan, low, f"{high} tasks")


def _never(plan: TaskPlan) -> str:
    """Why no money is enough, and what would be."""
    if plan.mde_floor is None:
        return "what a run shares over all tasks does not average out over tasks."
    how = "however many runs" if plan.n_runs is None else "with these runs"
    wanted = probability(plan.criteria.power)
    text = f"gaps below {gap(plan, plan.mde_floor)} never reach {wanted} power {how}."
    if plan.unlimited_design is not None:
        text += f" It takes {_layout(plan, plan.unlimited_design)}{_aside(_tasks_span(plan))}"
        text += f", which cost {money(plan.unlimited_design.cost)}."
    return text


def _cost(plan: TaskPlan) -> str:
    what = f"a gap of {gap(plan, plan.delta)}"
    if plan.needed_design is None:
        able = f"No money detects {what}"
        if plan.mde_floor is not None:
            able = f"{count(plan.n_tasks_available)} tasks cannot show {what}, whatever is spent"
        return f"{able}{_aside(criteria(plan.criteria))}, {_if(plan)}: {_never(plan)}"
    takes = f"takes {_layout(plan, plan.needed_design)}"
    if plan.costs_source != "assumed":
        takes = (
            f"costs at least {money(plan.needed_design.cost)}: {_layout(plan, plan.needed_design)}"
        )
    aside = _aside(_tasks_span(plan), criteria(plan.criteria))
    return f"Detecting {what} {takes}{aside}, {_if(plan)}."


def _power(plan: TaskPlan, design: RunDesign) -> str:
    c = plan.criteria
    span = ""
    if plan.power_ci:
        span = _between(plan, *(probability(float(x)) for x in plan.power_ci))
    wanted = probability(c.power)
    if plan.needed_design is None:
        where = "" if plan.mde_floor is None else f" on {count(plan.n_tasks_available)} tasks"
        need = f"No money gives {wanted}{where}: {_never(plan)}"
    else:
        need = (
            f"A probability of {wanted} costs {money(plan.needed_design.cost)}: "
            f"{_layout(plan, plan.needed_design)}{_aside(_tasks_span(plan))}."
        )
    tested = level(plan.criteria.alpha, plan.criteria.sides)
    return (
        f"A budget of {money(plan.budget or 0)} detects a gap of {gap(plan, plan.delta)} with "
        f"probability {probability(plan.power)}{_aside(span)}: "
        f"{_layout(plan, design)}{_aside(tested)}, {_if(plan)}. {need}"
    )


def headline(plan: TaskPlan) -> str:
    """The answer with its assumption; after a power, what the wanted one costs."""
    if plan.solved_for == "cost" or plan.best_design is None:
        return _cost(plan)
    return _mde(plan, plan.best_design) if plan.delta is None else _power(plan, plan.best_design)
