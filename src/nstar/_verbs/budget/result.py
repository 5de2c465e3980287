"""Result of a budget plan, with its assumptions."""

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
"""Source of the cost of a run: the user, a default, the logs, or prices of tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlanScenario:
    """The plan under another number of runs, assumption, or gap."""

    name: Literal["runs", "rho", "flip", "delta"]
    """Quantity that varies."""
    value: float
    """Value of this quantity."""
    is_headline: bool = False
    """Whether the headline reports this scenario."""
    design: RunDesign | None = None
    """Best design for the budget, or cheapest for the gap; None if there is none."""
    power: float | None = None
    """Power for the gap, if there is also a budget."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MdeByBudget:
    """Smallest detectable gap by budget, each for its best design."""

    budget: Array = field(repr=False)
    """Budgets."""
    mde: Array = field(repr=False)
    """Smallest detectable gap, in score units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialDesign:
    """The same design with interim looks and an O'Brien–Fleming boundary."""

    n_looks: int
    """Number of looks, after equal numbers of tasks."""
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
    """Power of one test in the resampled pilot."""

    test: str
    """Name of the test."""
    power: float
    """Share of the draws in which the test detected the gap."""
    se: float
    """Monte Carlo standard error."""
    n_draws: int
    """Number of random draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotPower:
    """Power of a design if the pilot's tasks were the population."""

    delta: float
    """True gap, first minus second."""
    n_tasks: int
    """Number of planned tasks."""
    n_runs_a: int
    """Planned runs per task of the first model."""
    n_runs_b: int
    """Planned runs per task of the second model."""
    n_pilot_tasks: int
    """Number of tasks of the pilot."""
    tests: tuple[ResampledTestPower, ...]
    """Power of each test."""
    power_formula: float
    """Power by the formula: noncentral t, with the pilot's variances at these runs."""
    gap: float
    """Gap in the pilot, from which the first model is moved to ``delta``."""
    is_binary: bool
    """Whether scores are 0/1: a share of the first model's failures then becomes successes (or the
    reverse), the same share in every task, which changes the variance. Else all scores shift
    equally."""
    is_extrapolated: bool
    """Whether the plan has more runs than the pilot. All runs are then used, and the differences
    shrunk to the variance of the planned runs."""
    is_same_model: bool
    """Whether the second model is drawn from the first model's tasks."""
    criteria: Criteria
    """Level and alternative hypothesis."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TaskPlan(Result):
    """Numbers of tasks and runs for a budget or a gap, with the gaps that they can detect."""

    solved_for: TaskPlanSolvedFor
    """The quantity that the plan computes."""
    budget: float | None
    """Largest total cost."""
    delta: float | None
    """Planned gap, The gap is A minus B, in score units."""
    best_design: RunDesign | None
    """Design with the smallest detectable gap for the budget or, without one, the cheapest for the
    gap; None if no budget detects the gap."""
    needed_design: RunDesign | None
    """Cheapest design that detects the gap; None without a gap, or if there is none."""
    unlimited_design: RunDesign | None
    """Cheapest design with unlimited tasks, if the available ones are too few."""
    n_star: CountOrInf | None
    """Tasks that the gap needs, at the runs of ``needed_design`` or ``unlimited_design``; infinite
    if no number suffices, None without a gap."""
    n_star_ci: IntervalOrInf | None
    """Interval of n_star, from the pilot's uncertainty."""
    mde_ci: IntervalOrInf | None
    """Interval of the smallest detectable gap, from the pilot's uncertainty."""
    power: float | None
    """Power of ``best_design`` for the gap; None without a gap."""
    power_ci: Interval | None
    """Interval of the power, from the pilot's uncertainty."""
    mde_floor: float | None
    """Smallest gap that any number of runs of the available tasks detects; None if tasks are not
    limited."""
    budget_for_floor: float | None
    """Budget with which the detectable gap is within a tenth of the floor."""
    mde_infinite_runs: float | None
    """Smallest detectable gap with the tasks of ``best_design`` and infinitely many runs."""
    larger_budget_design: RunDesign | None
    """Best design with a budget that is a tenth larger."""
    unpaired_design: RunDesign | None
    """Design with different tasks for each model; None if unknown."""
    sequential_design: SequentialDesign | None
    """The same design with planned looks."""
    n_tasks_available: int | None
    """Number of tasks that are available."""
    n_runs: tuple[int, int] | None
    """Runs per task of each model, if they are fixed."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    costs: RunCosts
    """Prices."""
    costs_source: CostsSource = "given"
    """Source of the cost of a run."""
    variances: TaskVariances
    """Variances of one task's difference."""
    group_plans: tuple[GroupPlan, ...] = ()
    """The same plan if the tasks come from other groups than the pilot's, by column."""
    scenarios: tuple[TaskPlanScenario, ...] = ()
    """The same plan with other numbers of runs, assumptions, and gaps."""
    mde_by_budget: MdeByBudget | None = None
    """Smallest detectable gap by budget."""
    score_range: tuple[float, float] = (0.0, 1.0)
    """Worst and best score of the pilot; 0 and 1 if all scores lie between."""
    findings: tuple[Finding, ...] = ()
    """Warnings about the data of the pilot."""
    resampled_power: PilotPower | None = None
    """Power of ``best_design`` from drawing tasks of the pilot, at the planned gap or, without
    one, at the smallest detectable."""

    @derived
    def variances_at_gap(self) -> TaskVariances:
        """Return the variances at the planned or detectable gap, if they depend on it."""
        size = self.best_design.mde if self.delta is None and self.best_design else self.delta
        return (
            self.variances
            if size is None
            else self.variances.at_gap(abs(size), self.criteria.sides)
        )
