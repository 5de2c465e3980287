"""Find tasks and runs for a budget, a gap, or both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Interval
from nstar._verbs.budget.design import Planner, RunDesign
from nstar._verbs.budget.groups import GroupPlan, group_plan
from nstar._verbs.budget.result import (
    MdeByBudget,
    SequentialDesign,
    TaskPlan,
    TaskPlanScenario,
    TaskPlanSolvedFor,
)
from nstar._verbs.budget.spread import TaskVariances
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError
from nstar.stats import RunCosts

_RUNS = (1, 2, 3, 5, 10, 20, 50, 100)
_RHOS = (0.0, 0.3, 0.5, 0.7, 0.9)
_FLIPS = (0.0, 0.1, 0.2, 0.3, 0.4)
_POINTS = 41
_LOOKS = 5


@dataclass(frozen=True, slots=True)
class _BudgetProblem:
    """Question of the plan, with the alternatives to tabulate."""

    budget: float | None
    """Maximum total cost."""
    delta: float | None
    """Gap to detect."""
    deltas: Sequence[float] = ()
    """Additional gaps to tabulate."""


def answer(planner: Planner, budget: float | None, delta: float | None) -> RunDesign | None:
    """Return the best design for the budget or, without one, the cheapest design for the gap."""
    if budget is not None:
        try:
            return planner.best(budget)
        except ParameterError:
            return None
    return None if delta is None else planner.cheapest(delta)


def _row(row: TaskPlanScenario, planner: Planner, problem: _BudgetProblem) -> TaskPlanScenario:
    design = answer(planner, problem.budget, problem.delta)
    if design is None or problem.budget is None or problem.delta is None:
        return replace(row, design=design)
    return replace(row, design=design, power=planner.power(problem.delta, design))


def _by_runs(planner: Planner, chosen: RunDesign) -> Iterator[tuple[TaskPlanScenario, Planner]]:
    """Yield scenarios with equal runs of both models, near the selected numbers."""
    max_runs = 4 * max(chosen.n_runs_a, chosen.n_runs_b)
    same = chosen.n_runs_a == chosen.n_runs_b
    for n in sorted({*(r for r in _RUNS if r <= max(max_runs, 5)), *([chosen.n_runs_a] * same)}):
        yield (
            TaskPlanScenario(name="runs", value=n, is_headline=same and n == chosen.n_runs_a),
            replace(planner, runs=(n, n)),
        )


def _by_rho(planner: Planner) -> Iterator[tuple[TaskPlanScenario, Planner]]:
    """Yield scenarios with other correlations, if one was assumed."""
    assumed = planner.spread.rho
    if assumed is None:
        return
    for rho in sorted({*_RHOS, assumed}):
        other = planner.spread.with_rho(rho)
        if other is not None:
            row = TaskPlanScenario(name="rho", value=rho, is_headline=rho == assumed)
            yield row, replace(planner, spread=other)


def _by_flip(planner: Planner) -> Iterator[tuple[TaskPlanScenario, Planner]]:
    """Yield scenarios with other shares of disagreeing runs, if one was assumed."""
    s = planner.spread
    if s.flip is None or s.baseline is None or s.rho is None:
        return
    max_flip = 2 * s.baseline * (1 - s.baseline)
    for flip in sorted({*(f for f in _FLIPS if f <= max_flip), s.flip}):
        other = TaskVariances.of_rates(s.baseline, flip, s.rho)
        row = TaskPlanScenario(name="flip", value=flip, is_headline=flip == s.flip)
        yield row, replace(planner, spread=other)


def _is_possible(row: TaskPlanScenario, planner: Planner, problem: _BudgetProblem) -> bool:
    """Return whether success rates with this gap can have the assumed correlation."""
    mde = row.design.mde if row.design else None
    gap = mde if problem.delta is None else problem.delta
    return gap is None or planner.spread.most_rho(gap, planner.criteria.sides) is None


def alternatives(
    planner: Planner, design: RunDesign | None, problem: _BudgetProblem
) -> tuple[TaskPlanScenario, ...]:
    """Return the plan under other numbers of runs, assumptions, and gaps."""
    varied: list[tuple[TaskPlanScenario, Planner]] = []
    if design is not None and planner.fixed_runs is None:
        varied += _by_runs(planner, design)
    varied += _by_rho(planner)
    varied += _by_flip(planner)
    rows = [
        scenario
        for row, other in varied
        if (scenario := _row(row, other, problem)).is_headline
        or _is_possible(scenario, other, problem)
    ]
    rows = [r for r in rows if any(o.design for o in rows if o.name == r.name)]
    for gap in problem.deltas:
        row = TaskPlanScenario(name="delta", value=gap, is_headline=gap == problem.delta)
        rows.append(_row(row, planner, replace(problem, delta=gap)))
    return tuple(rows)


def _money_curve(planner: Planner, around: float) -> MdeByBudget | None:
    """Return the detectable gap for budgets from a tenth to twice the budget."""
    low = max(around / 10, planner.least_budget)
    if 2 * around < 1.05 * low:
        return None
    money = np.linspace(low, 2 * around, _POINTS)
    gaps = np.array([planner.best(float(m)).mde for m in money])
    return MdeByBudget(budget=money, mde=gaps)


def _different_tasks(
    planner: Planner, budget: float | None, delta: float | None
) -> RunDesign | None:
    """Return the design with different tasks for each model, for the same budget or gap."""
    spread = planner.spread.apart()
    has_few_tasks = planner.tasks_available is not None and planner.tasks_available < 4
    if spread is None or has_few_tasks:
        return None
    return answer(replace(planner, spread=spread), budget, delta)


def _sequential_saving(planner: Planner, design: RunDesign) -> SequentialDesign:
    """Return the relative costs of five looks with an O'Brien–Fleming boundary."""
    c = planner.criteria
    plan = stats.group_sequential(_LOOKS, alpha=c.alpha, power=c.power, sides=c.sides)
    return SequentialDesign(
        n_looks=_LOOKS,
        max_cost_ratio=plan.inflation,
        cost_ratio_at_gap=plan.cost(1.0),
        cost_ratio_at_twice_gap=plan.cost(2.0),
        cost_ratio_at_zero=plan.cost(0.0),
        is_feasible=design.n_tasks * plan.inflation <= planner.most_tasks,
    )


_NEAR_FLOOR = 1.1
"""Multiple of the floor from which a larger budget hardly helps."""
_FEW_TASKS = 10
"""Number of tasks below which the plan offers no interim looks."""


def _whole(name: str, value: float) -> int:
    checks.require(float(value).is_integer(), name, "a whole number", value)
    return int(value)


def _pair(runs: int | Sequence[int] | None) -> tuple[int, int] | None:
    if runs is None:
        return None
    run_pair = list(runs) if isinstance(runs, Sequence) else [runs, runs]
    checks.require(
        len(run_pair) == 2, "numbers of runs", "one value, or one for each model", len(run_pair)
    )
    return _whole("runs", run_pair[0]), _whole("runs", run_pair[1])


def _check_gaps(spread: TaskVariances, criteria: Criteria, gaps: Sequence[float]) -> None:
    p = spread.baseline
    for gap in gaps:
        checks.require(abs(gap) >= 1e-7, "delta", "at least 1e-07 in size", gap)
        if criteria.sides == 1:
            checks.require(gap > 0, "delta", "positive when the test is one-sided", gap)
        if p is not None and spread.flip is not None:
            checks.feasible(
                0 < p + gap < 1,
                f"A gap of {gap:+.6g} from a baseline of {p:.6g} gives an accuracy of "
                f"{p + gap:.6g}, which is not between 0 and 1. Use a smaller gap or another "
                "baseline.",
            )
        elif p is not None:
            checks.feasible(
                abs(gap) < max(p, 1 - p),
                f"A gap of {gap:.6g} is impossible at a success rate of {p:.6g}. Use a smaller "
                "gap.",
            )


def _mde_range(planner: Planner, design: RunDesign | None) -> Interval | None:
    bounds = planner.spread.bounds
    if bounds is None or design is None:
        return None
    low, high = bounds(design.n_runs_a, design.n_runs_b)
    d = design
    return Interval(
        planner.mde(d.n_tasks, d.n_runs_a, d.n_runs_b, low),
        planner.mde(d.n_tasks, d.n_runs_a, d.n_runs_b, high),
    )


def _n_star_range(
    planner: Planner, needed: RunDesign | None, delta: float | None
) -> Interval | None:
    bounds = planner.spread.bounds
    if bounds is None or needed is None or delta is None:
        return None
    low, high = bounds(needed.n_runs_a, needed.n_runs_b)
    a, b = needed.n_runs_a, needed.n_runs_b
    return Interval(
        planner.tasks_needed(delta, a, b, low), planner.tasks_needed(delta, a, b, high)
    )


def _power_range(
    planner: Planner, design: RunDesign | None, delta: float | None
) -> Interval | None:
    bounds = planner.spread.bounds
    if bounds is None or design is None or delta is None:
        return None
    low, high = bounds(design.n_runs_a, design.n_runs_b)
    tiny = np.finfo(float).tiny
    return Interval(
        planner.power(delta, design, high), planner.power(delta, design, max(low, tiny))
    )


def _groups(
    planner: Planner, design: RunDesign | None, delta: float | None
) -> tuple[GroupPlan, ...]:
    """Return the plan for groups other than the pilot's, at the runs of the design."""
    s = planner.spread
    is_reusable = design is not None and s.is_paired and not s.has_shared
    variance = (
        s.total(design.n_runs_a, design.n_runs_b) if design is not None and is_reusable else None
    )
    tasks = None if design is None else design.n_tasks
    rule = planner.criteria
    return tuple(group_plan(g, variance, rule, delta=delta, tasks=tasks) for g in s.groups)


def _enough(planner: Planner, floor: float | None) -> float | None:
    if not floor:
        return None
    near_floor = planner.cheapest(_NEAR_FLOOR * floor)
    return None if near_floor is None else near_floor.cost


def _solved(budget: float | None, delta: float | None) -> TaskPlanSolvedFor:
    if delta is None:
        return "mde"
    return "cost" if budget is None else "power"


def _at_hand(planner: Planner, budget: float | None, delta: float | None) -> RunDesign | None:
    """Return the available tasks and runs, if only their detectable gap is requested."""
    if budget is not None or delta is not None:
        return None
    if planner.tasks_available is None or planner.runs is None:
        msg = (
            "Set budget (to get the detectable gap), delta (to get the cost), both (power), or "
            "tasks_available and runs (to get the detectable gap)."
        )
        raise ParameterError(msg)
    return planner.design(planner.most_tasks, *planner.runs)


def plan_runs(
    spread: TaskVariances,
    costs: RunCosts | None = None,
    *,
    budget: float | None = None,
    delta: float | None = None,
    tasks_available: int | None = None,
    runs: int | Sequence[int] | None = None,
    criteria: Criteria | None = None,
    deltas: Sequence[float] = (),
) -> TaskPlan:
    """Find tasks and runs of two models for a budget or a gap.

    Parameters
    ----------
    spread : TaskVariances
        Variances of the difference on one task: set, assumed (:meth:`TaskVariances.of_rates`), or
        from a pilot. For assumed rates, a positive gap is an improvement on the baseline, and the
        second model has the noise of its own rate.
    costs : RunCosts, optional
        Price of a task and of a run of each model. Default: one unit per run.
    budget : float, optional
        Maximum cost. The result is the design that detects the smallest gap. Without ``budget``
        and ``delta``, the result is the gap that ``tasks_available`` with ``runs`` can detect.
    delta : float, optional
        Gap to detect, in score units. Without a budget, the result is the cheapest design; with a
        budget, it is the power.
    tasks_available : int, optional
        Number of available tasks. Default: unlimited. If each model has different tasks, they
        share these.
    runs : int or sequence of int, optional
        Fixed number of runs per task: one number, or one for each model.
    criteria : Criteria, optional
        Level, power, and alternative hypothesis; ``Criteria()`` when None.
    deltas : sequence of float, default ()
        Additional gaps to tabulate.

    Notes
    -----
    The test is a t test with the task as the unit. The search over integers is exact. The
    intervals include the uncertainty of a pilot at the chosen runs, but the choice of runs uses
    its estimates.

    Examples
    --------
    >>> task_plan = plan_runs(
    ...     TaskVariances.of_rates(0.5, 0.3, 0.6), RunCosts(task=20), budget=5000
    ... )
    >>> design = task_plan.best_design
    >>> design.n_tasks, design.n_runs_a, round(design.mde, 3)
    (156, 6, 0.081)
    """
    rule = criteria or Criteria()
    price = costs or RunCosts()
    max_tasks = None if tasks_available is None else _whole("tasks_available", tasks_available)
    planner = Planner(spread, price, rule, max_tasks, _pair(runs))
    at_hand = _at_hand(planner, budget, delta)
    gaps = () if delta is None else (delta, *deltas)
    _check_gaps(spread, rule, gaps)
    size = None if delta is None else abs(delta)
    needed = None if size is None else planner.cheapest(size)
    beyond = (
        None if size is None or needed else replace(planner, tasks_available=None).cheapest(size)
    )
    target = needed or beyond
    design = at_hand or (needed if budget is None else planner.best(budget))
    floor = None if tasks_available is None else planner.floor()
    money = budget if budget is not None else (None if design is None else design.cost)
    return TaskPlan(
        solved_for=_solved(budget, delta),
        criteria=rule,
        variances=spread,
        costs=price,
        costs_source="given" if costs else "assumed",
        budget=budget,
        delta=delta,
        n_tasks_available=max_tasks,
        n_runs=planner.fixed_runs,
        best_design=design,
        needed_design=needed,
        unlimited_design=beyond,
        mde_ci=_mde_range(planner, design),
        n_star=None if size is None else (target.n_tasks if target else np.inf),
        n_star_ci=_n_star_range(planner, target, size),
        power=None if size is None or design is None else planner.power(size, design),
        power_ci=_power_range(planner, design, size),
        mde_floor=floor,
        budget_for_floor=_enough(planner, floor),
        mde_infinite_runs=None if design is None else planner.mde(design.n_tasks, np.inf, np.inf),
        larger_budget_design=None if money is None else answer(planner, 1.1 * money, None),
        unpaired_design=None if at_hand else _different_tasks(planner, budget, size),
        sequential_design=(
            None
            if design is None or design.n_tasks < _FEW_TASKS or spread.has_shared
            else _sequential_saving(planner, design)
        ),
        scenarios=alternatives(
            planner,
            design,
            _BudgetProblem(at_hand.cost if at_hand else budget, size, [abs(d) for d in deltas]),
        ),
        mde_by_budget=None if money is None else _money_curve(planner, money),
        group_plans=_groups(planner, design or target, size),
    )
