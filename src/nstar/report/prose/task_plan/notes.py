"""Write the notes and assumptions of a budget plan."""

import math
from collections.abc import Iterator

from nstar._base.units import join_words
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
from nstar.report.prose.numbers import (
    count,
    level,
    money,
    name,
    percent,
    probability,
)
from nstar.report.prose.plan_boards import ONE_COMPARISON
from nstar.report.prose.plan_terms import score_units
from nstar.report.prose.task_plan.headline import gap, is_beyond, runs

_PRICED = {
    "given": "",
    "assumed": " (the default; set {cost_run})",
    "logs": " (mean of the logs)",
    "prices": " (tokens in the logs at the set prices)",
}
_TESTS = {"t": "t test", "sign-flip": "sign-flip test"}
_MIN_TASKS_FOR_NORMALITY = 20
"""Number of tasks below which a t test depends on the distribution of the differences."""
_RARE = 10
"""Expected number of a model's failures or successes below which the t-test formula is
approximate.
"""
_MAX_COLUMNS_IN_PROSE = 3
"""Maximum number of columns in sentences. JSON contains all columns."""


def _found(plan: TaskPlan) -> str:
    column_texts = [
        f"{name(g.column, limit=40)} ({count(g.n_groups)})"
        for g in plan.group_plans[:_MAX_COLUMNS_IN_PROSE]
    ]
    hidden = len(plan.group_plans) - len(column_texts)
    if hidden:
        column_texts.append(f"{hidden:,} more in {as_json()}")
    return (
        column_texts[0]
        if len(column_texts) == 1
        else f"{', '.join(column_texts[:-1])} and {column_texts[-1]}"
    )


def _tasks(g: GroupPlan) -> str:
    """Return the tasks and new groups that a gap needs."""
    if g.n_star is None or math.isinf(g.n_star):
        return "no number of tasks is enough"
    new = max(math.ceil(g.n_star / g.cluster_size), 2)
    return f"the gap takes {count(g.n_star)} tasks in about {new:,} new groups"


def _other(plan: TaskPlan, g: GroupPlan) -> str:
    """Return what other groups of a column would need, or detect."""
    if plan.delta is not None and plan.power is not None and plan.budget is not None:
        chance = "none" if g.power is None else probability(g.power)
        text = f"{_tasks(g)} (the planned number has {chance} power)"
    elif plan.delta is not None:
        text = _tasks(g)
    elif g.mde is None:
        text = "the same number of tasks detects no gap, because it does not fill two groups"
    else:
        text = f"the same number of tasks detects a gap of {gap(plan, g.mde)}"
    effect = f"design effect {g.design_effect or 1:.3g}"
    return f"For new groups defined by {name(g.column, limit=40)}, {text} ({effect})."


def _command(plan: TaskPlan, g: GroupPlan) -> str:
    c = plan.criteria
    option_text = f"--delta {abs(plan.delta):g}" if plan.delta is not None else ""
    if not option_text and plan.best_design is not None:
        option_text = f"--items {plan.best_design.n_tasks}"
    level = f" --alpha {c.alpha:g}" * (c.alpha != 0.05) + f" --power {c.power:g}" * (
        c.power != 0.8
    )
    side = f" --alternative {c.alternative}" * (c.sides == 1)
    return (
        f"nstar plan --sd-diff {g.sd:g} {option_text} --icc {g.icc:g} --cluster-size "
        f"{g.cluster_size:g}{level}{side}"
    )


def _group_notes(plan: TaskPlan) -> Iterator[str]:
    """Yield notes on the groups, the question in the headline, and the other question."""
    if not plan.group_plans:
        return
    lead = (
        f"Pilot tasks are grouped by {_found(plan)}; these figures assume new tasks from the same "
        "groups."
    )
    known = [g for g in plan.group_plans[:_MAX_COLUMNS_IN_PROSE] if g.sd is not None]
    if not known:
        missing = "the pilot has logs of one model only"
        if plan.variances.has_shared:
            missing = "an effect that a run shares over all tasks hides it"
        yield (
            f"{lead} The number for new groups, which may be much larger, is unknown, because "
            f"{missing}."
        )
        return
    yield " ".join([lead, *(_other(plan, g) for g in known)])
    worst = max(known, key=lambda g: g.design_effect or 1)
    gap_fits = plan.delta is None or abs(plan.delta) < 1
    if worst.icc and worst.sd and worst.sd <= 1 and gap_fits:
        yield (
            f"To plan for new groups defined by {name(worst.column, limit=40)}, run: "
            f"{_command(plan, worst)}."
        )


def _priced(plan: TaskPlan) -> bool:
    """Return whether cost is money. Without a price, it is the number of runs."""
    return plan.budget is not None or plan.costs_source != "assumed" or plan.costs.task > 0


def _floor(plan: TaskPlan) -> Iterator[str]:
    """Yield the smallest gap of the existing tasks, and a budget that nearly reaches it."""
    if not plan.mde_floor or plan.budget_for_floor is None or plan.n_tasks_available is None:
        return
    tasks, best, limit_text = (
        f"{count(plan.n_tasks_available)} tasks",
        gap(plan, plan.mde_floor),
        "",
    )
    if is_beyond(plan, plan.mde_floor):
        yield f"{tasks} cannot detect any gap at any cost. Add tasks."
        return
    if plan.delta is None or plan.needed_design is not None:
        runs_text = "" if plan.n_runs is None else " with these runs"
        limit_text = f"{tasks} cannot detect a gap below {best}{runs_text} at any cost"
    if plan.n_runs is not None:
        noisy = plan.variances.is_split and plan.variances.sigma_wa2 + plan.variances.sigma_wb2 > 0
        if limit_text:
            yield f"{limit_text}. Add tasks{', or allow more runs' if noisy else ''}."
        return
    within = f"A budget of {money(plan.budget_for_floor)} comes within 10% of"
    limit_clause = (
        f"{limit_text}. {within} that"
        if limit_text
        else f"{within} the {best} that {tasks} can detect"
    )
    yield f"{limit_clause}; beyond that, add tasks, not runs."


def _more_runs(plan: TaskPlan, design: RunDesign) -> Iterator[str]:
    """Yield the effect of more runs of the same tasks, if tasks are not the limit."""
    s = plan.variances
    if (
        plan.mde_floor
        or plan.mde_infinite_runs is None
        or not s.is_split
        or is_beyond(plan, plan.mde_infinite_runs)
    ):
        return
    same = f"rerunning the same {count(design.n_tasks)} tasks"
    if not s.sigma_wa2 and not s.sigma_wb2 and not s.has_shared:
        yield f"Runs of a task never differ here, so {same} does not help."
    elif s.sigma_b2_raw is not None and s.sigma_b2_raw < 0:
        return
    elif plan.mde_infinite_runs == 0:
        yield "Tasks do not differ here, so enough runs of any task detect any gap."
    else:
        yield (
            f"{same.capitalize()} lowers the MDE to {gap(plan, plan.mde_infinite_runs)} at best, "
            "because the remaining variance is between tasks."
        )


def _apart(plan: TaskPlan, design: RunDesign) -> Iterator[str]:
    other = plan.unpaired_design
    if other is None or is_beyond(plan, design.mde):
        return
    split = f"({count(other.n_tasks)} tasks each, {runs(other)})"
    if plan.budget is None:
        saved = round(1 - design.cost / other.cost, 2)
        saves = f"; sharing tasks saves {percent(saved)}" if saved > 0 else ""
        cost = f"it takes {count(other.cost)} runs {split}"
        if _priced(plan):
            cost = f"it costs {money(other.cost)} {split}"
        yield f"With separate tasks per model, {cost}{saves}."
    elif is_beyond(plan, other.mde):
        yield f"With separate tasks per model, the same budget detects no gap {split}."
    else:
        yield (
            f"With separate tasks per model, the same budget detects {gap(plan, other.mde)} "
            f"{split} instead of {gap(plan, design.mde)}."
        )


def _sequential(plan: TaskPlan) -> Iterator[str]:
    s = plan.sequential_design
    if s is None:
        return
    yield (
        f"With {s.n_looks} interim looks (O'Brien–Fleming), the expected cost relative to a fixed "
        f"sample is {probability(s.cost_ratio_at_gap)} at the MDE, "
        f"{probability(s.cost_ratio_at_twice_gap)} at twice the MDE, and "
        f"{100 * s.cost_ratio_at_zero:.0f}% with no gap. The maximum is "
        f"{100 * s.max_cost_ratio:.0f}%"
        f"{'' if s.is_feasible else ', which takes more tasks than exist'}."
    )


def _resampled(plan: TaskPlan) -> Iterator[str]:
    r = plan.resampled_power
    if r is None:
        return
    rates = [f"{percent(x.power, 1)} ({_TESTS.get(x.test, x.test)})" for x in r.tests]
    error = max(x.se for x in r.tests)
    yield (
        f"In {count(r.tests[0].n_draws)} resamples of {count(r.n_tasks)} tasks from the pilot's "
        f"{count(r.n_pilot_tasks)}, the power to detect {gap(plan, r.delta, is_set=True)} is "
        f"{join_words(rates)}, with a Monte Carlo SE of {percent(error, 1)}. The formula gives "
        f"{percent(r.power_formula, 1)}."
    )
    yield _moved(plan, r)
    if r.is_same_model:
        yield (
            f"The simulated second model equals the first on {percent(plan.variances.rho or 0.0)} "
            "of the tasks; on the others, it has the success rate of the first on another task."
        )
    if r.is_extrapolated:
        yield (
            "The pilot has fewer runs than planned. All of them are used, and differences are "
            "shrunk according to the variance components."
        )


def _less_alike(plan: TaskPlan, design: RunDesign) -> Iterator[str]:
    """Yield a note that the assumed correlation is impossible at this gap."""
    size = design.mde if plan.delta is None else abs(plan.delta)
    max_rho = plan.variances.most_rho(size, plan.criteria.sides)
    if max_rho is not None:
        yield (
            f"Success rates {gap(plan, size)} apart near {percent(plan.variances.baseline or 0)} "
            f"cannot have rho = {plan.variances.rho:g}; the largest possible value, "
            f"{max_rho:.2f}, is used."
        )


def _leans(plan: TaskPlan, design: RunDesign) -> Iterator[str]:
    """Yield where the t test's power differs from the formula."""
    if plan.resampled_power is not None:
        return
    p = plan.variances.baseline
    other = f"{arg('resample')} with a pilot (or nstar simulate)"
    other = arg("resample") if plan.variances.pilot else other
    if design.n_tasks < _MIN_TASKS_FOR_NORMALITY:
        yield (
            f"With {count(design.n_tasks)} tasks, the t test relies on near-normal differences; "
            f"{other} does not."
        )
    elif p is not None and design.n_tasks * min(p, 1 - p) < _RARE:
        outcomes = "failures" if p > 0.5 else "successes"
        yield (
            f"At {percent(p)}, a model has only about {design.n_tasks * min(p, 1 - p):.1f} "
            f"{outcomes} on {count(design.n_tasks)} tasks, too few for the power formula of the t "
            f"test. Check it with {other}."
        )


def _moved(plan: TaskPlan, r: PilotPower) -> str:
    pilot_text = "" if r.is_same_model else f" (the pilot's own is {gap(plan, r.gap)})"
    if not r.is_binary:
        return f"The gap is created by shifting all scores of the first model equally{pilot_text}."
    turn = ("failures", "successes") if r.delta >= r.gap else ("successes", "failures")
    return (
        f"The gap is created by turning the same share of the first model's {turn[0]} into "
        f"{turn[1]} in every task{pilot_text}. This also changes the variance, unlike in the "
        "formula."
    )


def notes(plan: TaskPlan) -> Iterator[str]:
    """Yield the notes: those on requests and cautions first."""
    design = plan.best_design
    if design is None:
        yield from _group_notes(plan)
        yield from _floor(plan)
    else:
        yield from _resampled(plan)
        yield from _group_notes(plan)
        raw = plan.variances.sigma_b2_raw
        if raw is not None and raw < 0:
            yield (
                "Between-task variance was estimated below 0 and set to 0, so the limit for "
                "unlimited runs is unknown."
            )
        yield from _leans(plan, design)
        yield from _less_alike(plan, design)
        if plan.budget is not None and money(design.cost) != money(plan.budget):
            yield f"This design costs {money(design.cost)} of the budget of {money(plan.budget)}."
        larger = plan.larger_budget_design
        if larger is not None and larger.mde < design.mde and not is_beyond(plan, design.mde):
            now, then = gap(plan, design.mde), gap(plan, larger.mde)
            unit = "budget" if _priced(plan) else "runs"
            if now == then:
                yield f"10% more {unit} barely lowers the MDE."
            else:
                lower = "lowers" if unit == "budget" else "lower"
                yield f"10% more {unit} {lower} the MDE from {now} to {then}."
        yield from _floor(plan)
        yield from _more_runs(plan, design)
        yield from _apart(plan, design)
        yield from _sequential(plan)
    yield from score_units(plan.score_range)
    yield from findings(plan.findings)


def _pilot_runs(pilot: PilotSummary) -> str:
    counts = [f"{n:.3g}" for n in pilot.n_runs]
    if len(set(counts)) == 1:
        return "1 run each" if counts[0] == "1" else f"{counts[0]} runs each"
    return f"{' and '.join(counts)} runs"


def _of_pilot(s: TaskVariances, pilot: PilotSummary) -> str:
    """Return a description of the pilot, and what it could not show."""
    text = f"pilot of {' and '.join(pilot.models)}: {pilot.n_tasks} tasks, {_pilot_runs(pilot)}"
    if len(pilot.models) == 1:
        text += "; the second model is assumed to be equally noisy"
        text += "" if s.rho is None else f", with correlation {s.rho:g} over tasks"
        text += " (scores of single runs, not true scores)" * (not s.is_split)
    if not s.is_split:
        text += "; without repeated runs, the effect of more runs is unknown"
    if s.has_shared:
        sigmas = zip(pilot.n_runs, (s.sigma_run_a2, s.sigma_run_b2), strict=False)
        counts_text = " and ".join(
            dict.fromkeys(f"{n:.3g}" for n, is_observed in sigmas if is_observed)
        )
        text += "; an effect that a run shares over all tasks was found and is included; no CI, "
        text += f"because it rests on only {counts_text} runs"
    return text


def _source(s: TaskVariances) -> str:
    """Return the source of the numbers, unless the user set them."""
    if s.pilot is not None:
        return f" ({_of_pilot(s, s.pilot)})"
    return "" if s.source == "given" else f" ({s.source})"


def _noise(plan: TaskPlan) -> str:
    variances, s = plan.variances, plan.variances_at_gap
    where = _source(variances)
    if not s.is_split:
        return f"The difference on one task has variance {s.sigma_b2:.4g}{where}."
    a, b = f"{s.sigma_wa2:.4g}", f"{s.sigma_wb2:.4g}"
    within = f"{a} for each model" if a == b else f"{a} for the first model, {b} for the second"
    subject = (
        "The true difference varies" if s.is_paired else "Both models' true scores together vary"
    )
    text = (
        f"{subject} over tasks with variance {s.sigma_b2:.4g}, and runs of one task vary with "
        f"variance {within}{where}."
    )
    if variances.flip is not None and variances.baseline is not None:
        text += (
            f" Scores are 0 or 1. One model has a success rate of {percent(variances.baseline)}, "
            "and the other differs from it by the gap, in the direction of greater variance."
        )
    if s.has_shared:
        a, b = f"{s.sigma_run_a2:.4g}", f"{s.sigma_run_b2:.4g}"
        text += (
            f" An effect that a run shares over all tasks has variance {a}"
            f"{'' if a == b else f' for the first model and {b} for the second'}; "
            "it is included here, although a test over tasks alone cannot detect it."
        )
    return text


def _prices(plan: TaskPlan) -> str:
    c = plan.costs
    text = f"A run costs {money(c.run_a)}"
    text += fill_parameters(_PRICED[plan.costs_source])
    if not math.isclose(c.run_a, c.run_b):
        text += f" for the first model and {money(c.run_b)} for the second"
    text += f"; a task costs another {money(c.task)}" if c.task else ""
    if plan.n_tasks_available is not None:
        return f"{text}; {count(plan.n_tasks_available)} tasks exist."
    return f"{text}; the number of tasks is unlimited."


def basis(plan: TaskPlan) -> str:
    """Return the assumptions of the answer in one sentence."""
    c = plan.criteria
    tasks = "tasks like the pilot's" if plan.variances.pilot is not None else "independent tasks"
    parts = [tasks, "runs of a task are independent"]
    if plan.budget is not None and plan.costs_source == "assumed":
        price = fill_parameters(_PRICED["assumed"])
        parts.append(f"a run costs {money(plan.costs.run_a)}{price}")
    return f"{'; '.join([*parts, level(c.alpha, c.sides)])}."


def assumptions(plan: TaskPlan) -> tuple[str, ...]:
    """Return the assumptions, one sentence each."""
    if plan.variances.is_paired:
        unit = "Both models have the same tasks, a random sample from the domain"
    else:
        unit = "Each model has its own tasks, a random sample from the domain"
    power = "exact (noncentral t) power"
    if plan.variances.has_shared:
        power = "noncentral t power, with the effect that a run shares added to the error"
    return (
        _noise(plan),
        f"{unit}; runs of a task are independent.",
        _prices(plan),
        f"The task is the unit of analysis. The test is a t test over tasks, with {power}. Tasks "
        "and runs are found by an exact search over whole numbers.",
        ONE_COMPARISON,
    )
