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
    """Plan under another number of runs, assumption, or gap."""

    name: Literal["runs", "rho", "flip", "delta"]
    """Quantity that varies."""
    value: float
    """Value of the quantity."""
    is_headline: bool = False
    """Whether the headline reports this scenario."""
    design: RunDesign | None = None
    """Best design for the budget, or cheapest for the gap; None if there is none."""
    power: float | None = None
    """Power for the gap, if there is also a budget."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MdeByBudget:
    """Smallest detectable gap by budget, for the best design of each budget."""

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
    """Largest cost, relative to that of one look at the end."""
    cost_ratio_at_gap: float
    """Expected cost if the true gap is the smallest detectable one, relative to that of one look.
    """
    cost_ratio_at_twice_gap: float
    """Expected cost if the true gap is twice as large, relative to that of one look."""
    cost_ratio_at_zero: float
    """Expected cost if the models are equal, relative to that of one look."""
    is_feasible: bool
    """Whether there are enough tasks for all looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResampledTestPower:
    """Power of one test on the resampled pilot."""

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
    """Power of a design if the pilot's tasks are the population."""

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
    """Power by the noncentral t distribution, with the pilot's variances at these runs."""
    gap: float
    """Gap in the pilot. Scores of the first model are changed so that the gap becomes ``delta``.
    """
    is_binary: bool
    """Whether scores are 0/1. If so, the same share of the first model's failures in every task
    becomes successes (or the reverse), which changes the variance. Otherwise, all scores shift
    equally.
    """
    is_extrapolated: bool
    """Whether the plan has more runs than the pilot. If so, all runs are used, and differences are
    shrunk to the variance of the planned runs.
    """
    is_same_model: bool
    """Whether the second model is simulated from the first model's tasks."""
    criteria: Criteria
    """Level and alternative hypothesis."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TaskPlan(Result):
    """Numbers of tasks and runs for a budget or a gap, with the gaps that they can detect."""

    solved_for: TaskPlanSolvedFor
    """Quantity that the plan computes."""
    budget: float | None
    """Largest total cost."""
    delta: float | None
    """Planned gap, A minus B, in score units."""
    best_design: RunDesign | None
    """Design with the smallest detectable gap for the budget or, without a budget, the cheapest
    design for the gap; None if no budget detects the gap.
    """
    needed_design: RunDesign | None
    """Cheapest design that detects the gap; None without a gap, or if there is no such design."""
    unlimited_design: RunDesign | None
    """Cheapest design with unlimited tasks, if the available ones are too few."""
    n_star: CountOrInf | None
    """Number of tasks that the gap needs, at the runs of ``needed_design`` or
    ``unlimited_design``; infinite if no number is enough, None without a gap.
    """
    n_star_ci: IntervalOrInf | None
    """Interval of n_star, from the pilot's uncertainty."""
    mde_ci: IntervalOrInf | None
    """Interval of the smallest detectable gap, from the pilot's uncertainty."""
    power: float | None
    """Power of ``best_design`` for the gap; None without a gap."""
    power_ci: Interval | None
    """Interval of the power, from the pilot's uncertainty."""
    mde_floor: float | None
    """Smallest gap that any number of runs of the available tasks can detect; None if tasks are
    unlimited.
    """
    budget_for_floor: float | None
    """Budget at which the detectable gap is within 10% of the floor."""
    mde_infinite_runs: float | None
    """Smallest detectable gap with the tasks of ``best_design`` and infinitely many runs."""
    larger_budget_design: RunDesign | None
    """Best design for a budget that is 10% larger."""
    unpaired_design: RunDesign | None
    """Design with different tasks for each model; None if unknown."""
    sequential_design: SequentialDesign | None
    """Best design with interim looks."""
    n_tasks_available: int | None
    """Number of tasks that are available."""
    n_runs: tuple[int, int] | None
    """Fixed number of runs per task of each model, if any."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    costs: RunCosts
    """Prices of tasks and runs."""
    costs_source: CostsSource = "given"
    """Source of the cost of a run."""
    variances: TaskVariances
    """Variances of the difference on one task."""
    group_plans: tuple[GroupPlan, ...] = ()
    """Plan for each column if future tasks come from groups other than the pilot's."""
    scenarios: tuple[TaskPlanScenario, ...] = ()
    """Plan with other numbers of runs, assumptions, and gaps."""
    mde_by_budget: MdeByBudget | None = None
    """Smallest detectable gap by budget."""
    score_range: tuple[float, float] = (0.0, 1.0)
    """Worst and best score of the pilot; 0 and 1 if all scores are between them."""
    findings: tuple[Finding, ...] = ()
    """Warnings about the data of the pilot."""
    resampled_power: PilotPower | None = None
    """Power of ``best_design`` by resampling tasks of the pilot, at the planned gap or, without
    one, at the smallest detectable gap.
    """

    @derived
    def variances_at_gap(self) -> TaskVariances:
        """Return the variances at the planned or detectable gap, if they depend on it."""
        size = self.best_design.mde if self.delta is None and self.best_design else self.delta
        return (
            self.variances
            if size is None
            else self.variances.at_gap(abs(size), self.criteria.sides)
        )
