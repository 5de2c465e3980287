"""What a budget buys, and everything that it rests on."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import Array, CountOrInf, Interval, IntervalOrInf
from nstar._data.findings import Finding
from nstar._verbs.budget.design import RunDesign
from nstar._verbs.budget.groups import GroupPlan
from nstar._verbs.budget.spread import TaskVariances
from nstar._verbs.verdict import Criteria
from nstar.stats import RunCosts

TaskPlanSolvedFor: TypeAlias = Literal["mde", "cost", "power"]
CostsSource: TypeAlias = Literal["given", "assumed", "logs", "prices"]
"""Who says what a run costs: the user, nobody, the logs themselves, or prices of their tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlanScenario:
    """The answer under another number of runs, assumption or gap."""

    name: Literal["runs", "rho", "flip", "delta"]
    """What varies."""
    value: float
    """Its value."""
    is_headline: bool = False
    """Whether the headline reports this scenario."""
    design: RunDesign | None = None
    """Best design for the money, or cheapest for the gap; None if there is none."""
    power: float | None = None
    """Power for the gap, if there is also a budget."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MdeByBudget:
    """Smallest detectable gap against money, each the best design for it."""

    budget: Array = field(repr=False)
    """Budgets."""
    mde: Array = field(repr=False)
    """Smallest detectable gap, in score units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialDesign:
    """The same design looked at several times, with an O'Brien–Fleming boundary."""

    n_looks: int
    """Looks, after equal numbers of tasks."""
    max_cost_ratio: float
    """Largest cost, relative to one look at the end."""
    cost_ratio_at_gap: float
    """Expected cost at the smallest detectable gap, relative to one look."""
    cost_ratio_at_twice_gap: float
    """Expected cost at twice that gap, relative to one look."""
    cost_ratio_at_zero: float
    """Expected cost if the models are equal, relative to one look."""
    is_feasible: bool
    """Whether there are enough tasks for all looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResampledTestPower:
    """How often one test found the gap."""

    test: str
    """Its name."""
    power: float
    """Share of the draws."""
    se: float
    """Monte Carlo standard error."""
    n_draws: int
    """Random draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotPower:
    """How often a design would find a gap, were the pilot's tasks all there are."""

    delta: float
    """True gap, first minus second."""
    n_tasks: int
    """Planned tasks."""
    n_runs_a: int
    """Planned runs per task of the first model."""
    n_runs_b: int
    """Planned runs per task of the second model."""
    n_pilot_tasks: int
    """Tasks of the pilot."""
    tests: tuple[ResampledTestPower, ...]
    """Power of each test."""
    power_formula: float
    """Power by the formula: noncentral t, with the pilot's variances at these runs."""
    gap: float
    """Gap in the pilot, from which the first model is moved to ``delta``."""
    is_binary: bool
    """0/1 scores: a share of the first model's failures turns into successes (or the other way
    round), the same in every task, which changes the spread. Else all scores move alike."""
    is_extrapolated: bool
    """Whether more runs are planned than can be drawn. All are then taken, and the differences
    shrunk to the variance of the planned runs."""
    is_same_model: bool
    """Whether the second model is drawn from the first model's tasks."""
    criteria: Criteria
    """Level and alternative hypothesis."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TaskPlan(Result):
    """Tasks and runs for a budget or a gap, with what they can and cannot detect."""

    solved_for: TaskPlanSolvedFor
    """The quantity that the plan computes."""
    budget: float | None
    """Money to spend."""
    delta: float | None
    """Planned gap, A minus B, in score units."""
    best_design: RunDesign | None
    """The design with the smallest detectable gap for the budget or, without one, the cheapest for
    the gap; None if no money detects the gap."""
    needed_design: RunDesign | None
    """Cheapest design that detects the gap; None without a gap, or if there is none."""
    unlimited_design: RunDesign | None
    """The cheapest design if tasks were not limited, where those available are too few."""
    n_star: CountOrInf | None
    """Tasks that the gap needs, at the runs of ``needed_design`` or ``unlimited_design``; infinite
    if no number suffices, None without a gap."""
    n_star_ci: IntervalOrInf | None
    """Its interval, from the pilot's uncertainty."""
    mde_ci: IntervalOrInf | None
    """Interval of the smallest detectable gap, from the pilot's uncertainty."""
    power: float | None
    """Power of ``best_design`` for the gap; None without a gap."""
    power_ci: Interval | None
    """Its interval, from the pilot's uncertainty."""
    mde_floor: float | None
    """Smallest gap that any number of runs of the available tasks detects; None if tasks are not
    limited."""
    budget_for_floor: float | None
    """Budget with which the detectable gap is within a tenth of the floor."""
    mde_infinite_runs: float | None
    """Smallest detectable gap with the tasks of ``best_design`` and infinitely many runs."""
    larger_budget_design: RunDesign | None
    """Best design with a tenth more money."""
    unpaired_design: RunDesign | None
    """The same with different tasks for each model; None if unknown."""
    sequential_design: SequentialDesign | None
    """The same design with planned looks."""
    n_tasks_available: int | None
    """Tasks that exist."""
    n_runs: tuple[int, int] | None
    """Runs per task of each model, if they are fixed."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    costs: RunCosts
    """Prices."""
    costs_source: CostsSource = "given"
    """Where the cost of a run comes from."""
    variances: TaskVariances
    """Variances of one task's difference."""
    group_plans: tuple[GroupPlan, ...] = ()
    """The same plan if the tasks come from other groups than the pilot's, by column."""
    scenarios: tuple[TaskPlanScenario, ...] = ()
    """The same plan with other numbers of runs, assumptions, and gaps."""
    mde_by_budget: MdeByBudget | None = None
    """Smallest detectable gap by budget."""
    score_range: tuple[float, float] = (0.0, 1.0)
    """Worst and best score of the pilot; 0 and 1 if all lie between."""
    findings: tuple[Finding, ...] = ()
    """Warnings about the data of the pilot."""
    resampled_power: PilotPower | None = None
    """Power of ``best_design`` from drawing tasks of the pilot, at the planned gap or, without
    one, at the smallest detectable."""

    @derived
    def variances_at_gap(self) -> TaskVariances:
        """The variances at the planned or detectable gap, which depend on assumed rates."""
        size = self.best_design.mde if self.delta is None and self.best_design else self.delta
        return (
            self.variances
            if size is None
            else self.variances.at_gap(abs(size), self.criteria.sides)
        )
