"""Plans of tasks and runs: spread and costs that the words or a pilot stand for."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nstar._api.plan.conflicts import refuse
from nstar._api.plan.parameters import listed
from nstar._api.plan.question import PlanQuestion
from nstar._api.plan.values import refuse_large_gaps
from nstar.errors import arg

if TYPE_CHECKING:
    from nstar._verbs.budget import BudgetPlan, Spread
    from nstar._verbs.budget.result import CostsSource
    from nstar._verbs.plan.board_result import BoardPlan
    from nstar._verbs.runs import RunTable
    from nstar.stats import RunCosts


def _pair(value: Any) -> tuple[Any, Any]:
    """One number for both models, or one for each."""
    both = listed(value)
    return both[0], both[-1]


def _from_sds(question: PlanQuestion) -> "Spread":
    from nstar._base import checks
    from nstar._verbs.budget import Spread

    between, (a, b) = question.sd_between, _pair(question.sd_within)
    checks.nonnegative("sd_within", [a, b])
    checks.nonnegative("sd_between", between or 0.0)
    return Spread(
        sigma_b2=(between or 0.0) ** 2,
        sigma_wa2=a * a,
        sigma_wb2=b * b,
        baseline=question.baseline,
    )


def _from_rates(baseline: float, flip: float, question: PlanQuestion) -> "Spread":
    from nstar._verbs.benchmarks import TYPICAL
    from nstar._verbs.budget import Spread

    if question.unpaired:
        same = Spread.of_rates(baseline, flip, 0.0)
        return same.apart() or same
    if question.rhos:
        return Spread.of_rates(baseline, flip, question.rhos[0])
    source = f"assumed rho = {TYPICAL.mean:g}; a pilot of both models shows it"
    return Spread.of_rates(baseline, flip, TYPICAL.mean, source=source)


def _assumed(question: PlanQuestion) -> "Spread":
    """Variances of one task's difference, from rates or from sds."""
    if question.flip is None or question.baseline is None:
        return _from_sds(question)
    return _from_rates(question.baseline, question.flip, question)


def _costs(question: PlanQuestion) -> "tuple[RunCosts, CostsSource]":
    """Costs as given, a run being the unit if nothing is said."""
    from nstar._base import checks
    from nstar.stats import RunCosts

    assumed = question.cost_run is None
    task, (a, b) = question.cost_task or 0.0, _pair(1.0 if assumed else question.cost_run)
    checks.nonnegative("cost_task", task)
    checks.positive("cost_run", [a, b])
    source: CostsSource = "assumed" if assumed else "given"
    return RunCosts(task=task, run_a=a, run_b=b), source


def _of_pilot(
    tables: "tuple[RunTable, ...]", question: PlanQuestion
) -> "tuple[Spread, RunCosts, CostsSource]":
    """Spread and costs as logs show them, and where the costs come from."""
    from nstar._api.plan.pilot import score_limits
    from nstar._api.plan.prices import read_prices
    from nstar._verbs.budget.pilot import pilot_spread
    from nstar._verbs.budget.prices import log_costs

    q = question
    refuse_large_gaps(q, score_limits(tables))
    if q.rhos and len(tables) > 1:
        refuse(f"{arg('rho')} is for a pilot of one model; this one shows how the two correlate")
    spread = pilot_spread(*tables, rho=q.rhos[0] if q.rhos else None)
    told = q.cost_run is None and all(table.cost is not None for table in tables)
    if q.price is None and not told:
        return spread, *_costs(q)
    costs = log_costs(tables, read_prices(q.price), task=q.cost_task or 0.0)
    return spread, costs, "logs" if q.price is None else "prices"


def plan_tasks(question: PlanQuestion) -> "BudgetPlan | BoardPlan":
    """Tasks and runs of two models, for money, a gap or both; a board if a pilot has more."""
    from nstar._verbs.budget import plan_budget

    q = question
    tables: tuple[RunTable, ...] = ()
    if q.pilot is None:
        spread, (costs, source) = _assumed(q), _costs(q)
    else:
        from nstar._api.plan.pilot import pilot_tables

        tables = pilot_tables(q.pilot, task=q.task, metric=q.metric)
        if len(tables) > 2:
            from nstar._api.plan.board import plan_pilot_board

            return plan_pilot_board(replace(q, pilot=tables))
        spread, costs, source = _of_pilot(tables, q)
    plan = plan_budget(
        spread,
        costs,
        budget=q.budget,
        delta=q.deltas[0] if q.deltas else None,
        tasks_available=q.tasks_available,
        runs=None if q.runs is None else _pair(q.runs),
        criteria=q.criteria,
        deltas=q.deltas if len(q.deltas) > 1 else (),
    )
    plan = replace(plan, costs_source=source)
    return _resampled(plan, tables) if q.resample else plan


def _resampled(plan: "BudgetPlan", tables: "tuple[RunTable, ...]") -> "BudgetPlan":
    """The plan, its power checked by drawing the pilot's tasks."""
    from nstar._verbs.budget.pilot import pilot_power

    design = plan.design
    if design is None:
        return plan
    found = pilot_power(
        *tables,
        delta=design.mde if plan.delta is None else plan.delta,
        tasks=design.tasks,
        runs_a=design.runs_a,
        runs_b=design.runs_b,
        rho=plan.spread.rho,
        criteria=plan.criteria,
    )
    return replace(plan, resampled=found)
