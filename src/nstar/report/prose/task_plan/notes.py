"""What else a budget plan says: where money goes, where it stops helping, what it rests on."""

import math
from collections.abc import Iterator

from nstar._verbs.budget import (
    GroupPlan,
    PilotPower,
    PilotSummary,
    RunDesign,
    TaskPlan,
    TaskVariances,
)
from nstar.errors import arg, fill_parameters
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.numbers import count, money, name, percent, probability
from nstar.report.prose.plan_terms import score_units
from nstar.report.prose.task_plan.headline import gap, is_beyond, runs

_PRICED = {
    "given": "",
    "assumed": " (assumed: {cost_run} was not given)",
    "logs": " (mean of the logs)",
    "prices": " (tokens at the prices given)",
}
_TESTS = {"t": "t test", "sign-flip": "sign-flip test"}
_MIN_TASKS_FOR_NORMALITY = 20
"""Tasks below which a t test leans on the shape of the differences."""
_RARE = 10
"""Failures, or successes, expected of a model below which the formula of the t test is rough."""
_MAX_COLUMNS_IN_PROSE = 3
"""Columns told in words; JSON has them all."""


def _found(plan: TaskPlan) -> str:
    told = [
        f"{name(g.column, limit=40)} ({count(g.n_groups)})"
        for g in plan.group_plans[:_MAX_COLUMNS_IN_PROSE]
    ]
    hidden = len(plan.group_plans) - len(told)
    if hidden:
        told.append(f"{hidden:,} more in {as_json()}")
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def _tasks(g: GroupPlan) -> str:
    """Tasks and new groups that a gap takes."""
    if g.n_star is None or math.isinf(g.n_star):
        return "no number of tasks would do"
    new = max(math.ceil(g.n_star / g.cluster_size), 2)
    return f"{count(g.n_star)} tasks in about {new:,} new groups"


def _other(plan: TaskPlan, g: GroupPlan) -> str:
    """What other groups of one column would take, or show."""
    if plan.delta is not None and plan.power is not None and plan.budget is not None:
        chance = "none" if g.power is None else probability(g.power)
        text = f"{_tasks(g)}; the power of as many as planned is {chance}"
    elif plan.delta is not None:
        text = _tasks(g)
    elif g.mde is None:
        text = "nothing, because the tasks planned do not make two such groups"
    else:
        text = f"a gap of {gap(plan, g.mde)}"
    return f"by {name(g.column, limit=40)} {text} (design effect {g.design_effect or 1:.3g})"


def _command(plan: TaskPlan, g: GroupPlan) -> str:
    c = plan.criteria
    what = f"--delta {abs(plan.delta):g}" if plan.delta is not None else ""
    if not what and plan.best_design is not None:
        what = f"--items {plan.best_design.n_tasks}"
    level = f" --alpha {c.alpha:g}" * (c.alpha != 0.05) + f" --power {c.power:g}" * (
        c.power != 0.8
    )
    side = f" --alternative {c.alternative}" * (c.sides == 1)
    return (
        f"nstar plan --sd-diff {g.sd:g} {what} --icc {g.icc:g} --cluster-size "
        f"{g.cluster_size:g}{level}{side}"
    )


def _group_notes(plan: TaskPlan) -> Iterator[str]:
    """Which groups were found, which question the headline answers, and what the other takes."""
    if not plan.group_plans:
        return
    lead = (
        f"The pilot's tasks are grouped by {_found(plan)}; the data cannot say how to read that. "
        "The figures above ask whether the gap would hold on other tasks of the same groups."
    )
    known = [g for g in plan.group_plans[:_MAX_COLUMNS_IN_PROSE] if g.sd is not None]
    if not known:
        missing = "an effect shared over all tasks hides it" if plan.variances.has_shared else ""
        missing = missing or "that shows only in logs of both models"
        yield f"{lead} With other groups it may take many more: {missing}."
        return
    verb = "it takes" if plan.delta is not None else "as many tasks detect"
    told = "; ".join(_other(plan, g) for g in known)
    yield f"{lead} If it is to hold with other groups than these, {verb}: {told}."
    worst = max(known, key=lambda g: g.design_effect or 1)
    gap_fits = plan.delta is None or abs(plan.delta) < 1
    if worst.icc and worst.sd and worst.sd <= 1 and gap_fits:
        yield f"For other {name(worst.column, limit=40)} groups: {_command(plan, worst)}."


def _priced(plan: TaskPlan) -> bool:
    """Whether cost is money; where nobody named a price, it is the number of runs."""
    return plan.budget is not None or plan.costs_source != "assumed" or plan.costs.task > 0


def _spent(plan: TaskPlan, design: RunDesign) -> Iterator[str]:
    if plan.budget is not None and money(design.cost) != money(plan.budget):
        yield f"This design costs {money(design.cost)} of the {money(plan.budget)}."
    more = plan.larger_budget_design
    if more is None or more.mde >= design.mde or is_beyond(plan, design.mde):
        return
    now, then = gap(plan, design.mde), gap(plan, more.mde)
    what = "money" if _priced(plan) else "runs"
    if now == then:
        yield f"A tenth more {what} would hardly lower the smallest detectable gap."
    elif plan.solved_for == "power":
        yield (
            f"With {probability(plan.criteria.power)} power this design detects a gap of {now}; "
            f"a tenth more {what} would make that {then}."
        )
    else:
        yield f"A tenth more {what} would lower the smallest detectable gap from {now} to {then}."


def _floor(plan: TaskPlan) -> Iterator[str]:
    """What the tasks that exist can show at best, and from where on money hardly helps."""
    if not plan.mde_floor or plan.budget_for_floor is None or plan.n_tasks_available is None:
        return
    tasks, best, told = f"{count(plan.n_tasks_available)} tasks", gap(plan, plan.mde_floor), ""
    if is_beyond(plan, plan.mde_floor):
        yield f"{tasks} cannot show any gap, whatever is spent: find more tasks."
        return
    if plan.delta is None or plan.needed_design is not None:
        how = "" if plan.n_runs is None else " with these runs"
        told = f"{tasks} cannot show a gap below {best}{how}, whatever is spent"
    if plan.n_runs is not None:
        noisy = plan.variances.is_split and plan.variances.sigma_wa2 + plan.variances.sigma_wb2 > 0
        if told:
            yield f"{told}: find more tasks{', or allow more runs' if noisy else ''}."
        return
    within = f"A budget of {money(plan.budget_for_floor)} gets within a tenth of"
    which = f"{told}. {within} that" if told else f"{within} the {best} that {tasks} can show"
    yield f"{which}; beyond it more runs hardly help: find more tasks."


def _more_runs(plan: TaskPlan, design: RunDesign) -> Iterator[str]:
    """What more runs of the same tasks could do, where tasks are not what limits."""
    s = plan.variances
    if (
        plan.mde_floor
        or plan.mde_infinite_runs is None
        or not s.is_split
        or is_beyond(plan, plan.mde_infinite_runs)
    ):
        return
    same = f"more runs of the same {count(design.n_tasks)} tasks"
    if not s.sigma_wa2 and not s.sigma_wb2 and not s.has_shared:
        yield f"Runs of a task never differ here, so {same} gain nothing."
    elif s.sigma_b2_raw is not None and s.sigma_b2_raw < 0:
        return
    elif plan.mde_infinite_runs == 0:
        yield "Tasks do not differ here, so enough runs of any of them show any gap."
    else:
        yield (
            f"{same.capitalize()} could lower the smallest detectable gap to "
            f"{gap(plan, plan.mde_infinite_runs)} at best; the rest is between tasks."
        )


def _apart(plan: TaskPlan, design: RunDesign) -> Iterator[str]:
    other = plan.unpaired_design
    if other is None or is_beyond(plan, design.mde):
        return
    split = f"({count(other.n_tasks)} tasks each, {runs(other)})"
    if plan.budget is None:
        saved = round(1 - design.cost / other.cost, 2)
        saves = f"; sharing tasks saves {percent(saved)}" if saved > 0 else ""
        cost = f"it would take {count(other.cost)} runs {split}"
        if _priced(plan):
            cost = f"it would cost {money(other.cost)} {split}"
        yield f"With different tasks for each model {cost}{saves}."
    elif is_beyond(plan, other.mde):
        yield f"With different tasks for each model the same money would detect no gap {split}."
    else:
        yield (
            "With different tasks for each model the same money would detect a gap of "
            f"{gap(plan, other.mde)} {split} instead of {gap(plan, design.mde)}."
        )


def _sequential(plan: TaskPlan) -> Iterator[str]:
    s = plan.sequential_design
    if s is None:
        return
    text = (
        f"Looked at {s.n_looks} times, with an O'Brien–Fleming boundary, the same evaluation "
        "would "
        f"cost {probability(s.cost_ratio_at_gap)} of this on average if the gap is the smallest "
        "detectable, "
        f"{probability(s.cost_ratio_at_twice_gap)} if it is twice that, and "
        f"{100 * s.cost_ratio_at_zero:.0f}% if there is "
        f"none; {100 * s.max_cost_ratio:.0f}% at worst"
    )
    yield text + ("." if s.is_feasible else ", which takes more tasks than exist.")


def _resampled(plan: TaskPlan) -> Iterator[str]:
    r = plan.resampled_power
    if r is None:
        return
    rates = [f"{_TESTS.get(x.test, x.test)} {percent(x.power, 1)}" for x in r.tests]
    error = max(x.se for x in r.tests)
    yield (
        f"Drawing {count(r.n_tasks)} tasks from the pilot's {count(r.n_pilot_tasks)} again and "
        "again, "
        f"{count(r.tests[0].n_draws)} times, finds a gap of {gap(plan, r.delta)} this often: "
        f"{', '.join(rates)} (Monte Carlo error {percent(error, 1)}); the formula says "
        f"{percent(r.power_formula, 1)}."
    )
    yield _moved(plan, r)
    if r.is_same_model:
        yield (
            f"The second model is drawn to be as good as the first on "
            f"{percent(plan.variances.rho or 0.0)} of the tasks, and elsewhere as good as the "
            "first "
            "is on another task."
        )
    if r.is_extrapolated:
        yield (
            "More runs are planned than can be drawn: all are taken, and the differences shrunk "
            "as the variance components say."
        )


def _below_zero(plan: TaskPlan) -> Iterator[str]:
    """That an estimate of a variance fell below zero."""
    raw = plan.variances.sigma_b2_raw
    if raw is not None and raw < 0:
        yield (
            "The variance of the true difference over tasks was estimated below 0, as happens by "
            "chance when it is small, and is taken as 0; what endless runs could show is unknown."
        )


def _less_alike(plan: TaskPlan, design: RunDesign) -> Iterator[str]:
    """That the correlation assumed is impossible at this gap."""
    size = design.mde if plan.delta is None else abs(plan.delta)
    most = plan.variances.most_rho(size, plan.criteria.sides)
    if most is not None:
        yield (
            f"Success rates {gap(plan, size)} apart near {percent(plan.variances.baseline or 0)} "
            f"cannot correlate rho = {plan.variances.rho:g}; {most:.2f}, the most they can, is "
            "taken."
        )


def _leans(plan: TaskPlan, design: RunDesign) -> Iterator[str]:
    """Where the t test's power is not what the formula says."""
    if plan.resampled_power is not None:
        return
    p = plan.variances.baseline
    other = f"{arg('pilot', 'LOG')} with {arg('resample')}, or nstar simulate,"
    other = arg("resample") if plan.variances.pilot else other
    if design.n_tasks < _MIN_TASKS_FOR_NORMALITY:
        yield (
            f"With {count(design.n_tasks)} tasks the t test leans on differences that are about "
            f"normal; {other} does without."
        )
    elif p is not None and design.n_tasks * min(p, 1 - p) < _RARE:
        what = "failures" if p > 0.5 else "successes"
        yield (
            f"At {percent(p)} a model has only some {design.n_tasks * min(p, 1 - p):.1f} {what} "
            "on "
            f"{count(design.n_tasks)} tasks, too few for the t test's power to be as the formula "
            f"says. Check it with {other}."
        )


def _moved(plan: TaskPlan, r: PilotPower) -> str:
    own = "" if r.is_same_model else f" (the pilot's own is {gap(plan, r.gap)})"
    if not r.is_binary:
        return f"The gap is put in by moving all scores of the first model alike{own}."
    turn = ("failures", "successes") if r.delta >= r.gap else ("successes", "failures")
    return (
        f"The gap is put in by turning a share of the first model's {turn[0]} into {turn[1]}, the "
        f"same share in every task{own}; that changes the spread too, which the formula leaves as "
        "it is."
    )


def notes(plan: TaskPlan) -> tuple[str, ...]:
    """What was asked for and what may mislead first, a sentence each."""
    design = plan.best_design
    units = score_units(plan.score_range)
    warned = (*([units] if units else []), *findings(plan.findings))
    if design is None:
        return (*_group_notes(plan), *_floor(plan), *warned)
    first = (
        *_resampled(plan),
        *_group_notes(plan),
        *_below_zero(plan),
        *_leans(plan, design),
        *_less_alike(plan, design),
    )
    out = [*first, *_spent(plan, design), *_floor(plan), *_more_runs(plan, design)]
    out += [*_apart(plan, design), *_sequential(plan), *warned]
    return tuple(out)


def _pilot_runs(pilot: PilotSummary) -> str:
    counts = [f"{n:.3g}" for n in pilot.n_runs]
    if len(set(counts)) == 1:
        return "1 run each" if counts[0] == "1" else f"{counts[0]} runs each"
    return f"{' and '.join(counts)} runs"


def _of_pilot(s: TaskVariances, pilot: PilotSummary) -> str:
    """What the pilot was, and what it could not show."""
    text = f"pilot of {' and '.join(pilot.models)}: {pilot.n_tasks} tasks, {_pilot_runs(pilot)}"
    if len(pilot.models) == 1:
        text += "; the second model is assumed equally noisy"
        text += "" if s.rho is None else f", correlated {s.rho:g} over tasks"
        text += " (scores of single runs, not true scores)" * (not s.is_split)
    if not s.is_split:
        text += "; without repeated runs, what more runs would save is not known"
    if s.has_shared:
        sigmas = zip(pilot.n_runs, (s.sigma_run_a2, s.sigma_run_b2), strict=False)
        few = " and ".join(dict.fromkeys(f"{n:.3g}" for n, seen in sigmas if seen))
        text += "; an effect that a run shares over all tasks was seen, and counts; no interval: "
        text += f"it was seen in only {few} runs"
    return text


def _source(s: TaskVariances) -> str:
    """Where the numbers come from, unless they were given."""
    if s.pilot is not None:
        return f" ({_of_pilot(s, s.pilot)})"
    return "" if s.source == "given" else f" ({s.source})"


def _noise(plan: TaskPlan) -> str:
    given, s = plan.variances, plan.variances_at_gap
    where = _source(given)
    if not s.is_split:
        return f"The difference on one task has variance {s.sigma_b2:.4g}{where}."
    a, b = f"{s.sigma_wa2:.4g}", f"{s.sigma_wb2:.4g}"
    within = f"{a} for each model" if a == b else f"{a} for the first model, {b} for the second"
    what = (
        "The true difference varies" if s.is_paired else "Both models' true scores together vary"
    )
    text = (
        f"{what} over tasks with variance {s.sigma_b2:.4g}, runs of one task with {within}{where}."
    )
    if given.flip is not None and given.baseline is not None:
        text += (
            f" Scores are 0 or 1, one model at {percent(given.baseline)}, the other the gap away "
            "on the noisier side."
        )
    if s.has_shared:
        a, b = f"{s.sigma_run_a2:.4g}", f"{s.sigma_run_b2:.4g}"
        text += (
            f" An effect that a run shares over all tasks has variance {a}"
            f"{'' if a == b else f' for the first model and {b} for the second'}; "
            "it counts here, though a test over tasks alone does not see it."
        )
    return text


def _prices(plan: TaskPlan) -> str:
    c = plan.costs
    text = f"A run costs {money(c.run_a)}"
    text += fill_parameters(_PRICED[plan.costs_source])
    if not math.isclose(c.run_a, c.run_b):
        text += f" for the first model and {money(c.run_b)} for the second"
    text += f", a task {money(c.task)} before any run" if c.task else ", a task nothing more"
    if plan.n_tasks_available is not None:
        return f"{text}; {count(plan.n_tasks_available)} tasks exist."
    return f"{text}; the supply of tasks is unlimited."


def basis(plan: TaskPlan) -> str:
    """What the answer rests on, with the price of a run where money decides and none was given."""
    if plan.budget is None or plan.costs_source != "assumed":
        return ""
    assumed = fill_parameters(_PRICED["assumed"])
    price = f"A run costs {money(plan.costs.run_a)}{assumed}."
    return f"{_noise(plan)} {price}"


def assumptions(plan: TaskPlan) -> tuple[str, ...]:
    """A sentence each."""
    if plan.variances.is_paired:
        unit = (
            "Both models have the same tasks, independent draws from what the benchmark stands for"
        )
    else:
        unit = "Each model has its own tasks, independent draws from what the benchmark stands for"
    power = "exact (noncentral t) power"
    if plan.variances.has_shared:
        power = "power by the noncentral t with what a run shares added to the error"
    return (
        _noise(plan),
        f"{unit}; runs of a task are independent.",
        _prices(plan),
        f"The task is the unit: t test over tasks, {power}; tasks and runs by exact search over "
        "whole numbers.",
        "One comparison, fixed in advance, looked at once.",
    )
