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
    """Whether it is that of the headline."""
    design: RunDesign | None = None
    """Best design for the money, or cheapest for the gap; None if there is none."""
    power: float | None = None
    """Chance of detecting the gap, when money and gap are given."""


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
    """Largest cost, over that of one look at the end."""
    cost_ratio_at_gap: float
    """Expected cost if the gap is the one detectable, over that of one look."""
    cost_ratio_at_twice_gap: float
    """Expected cost if the gap is twice that."""
    cost_ratio_at_zero: float
    """Expected cost if the models are equal."""
    is_feasible: bool
    """Whether there are tasks enough for the longest course."""


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
    """Draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotPower:
    """How often a design would find a gap, were the pilot's tasks all there are."""

    delta: float
    """True gap, first minus second."""
    n_tasks: int
    """Tasks planned."""
    n_runs_a: int
    """Runs per task planned, first model."""
    n_runs_b: int
    """Runs per task planned, second model."""
    n_pilot_tasks: int
    """Tasks of the pilot."""
    tests: tuple[ResampledTestPower, ...]
    """Of each test."""
    power_formula: float
    """Power by the formula: noncentral t, the pilot's spread at these runs."""
    gap: float
    """The pilot's own gap, from which the first model is moved to ``delta``."""
    is_binary: bool
    """0/1 scores: a share of the first model's failures turns into successes (or the other way
    round), the same in every task, which changes the spread. Else all scores move alike."""
    is_extrapolated: bool
    """More runs are planned than can be drawn, so that all were taken and the differences
    brought closer together as the variance components say."""
    is_same_model: bool
    """The second model is drawn from the first model's tasks."""
    criteria: Criteria
    """Level and alternative hypothesis."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TaskPlan(Result):
    """Tasks and runs for a budget or a gap, with what they can and cannot detect."""

    solved_for: TaskPlanSolvedFor
    """The quantity that was not given."""
    budget: float | None
    """Money given."""
    delta: float | None
    """Gap given, in score units."""
    best_design: RunDesign | None
    """Best for the money, or cheapest for the gap when no money is given; None if no money
    detects the gap."""
    needed_design: RunDesign | None
    """Cheapest design that detects the gap; None without a gap, or if there is none."""
    unlimited_design: RunDesign | None
    """The same if more tasks were available, where those available are too few for the gap."""
    n_star: CountOrInf | None
    """Tasks that the gap takes, at the runs of ``needed_design`` or ``unlimited_design``; infinite
    if no number is enough, None without a gap."""
    n_star_ci: IntervalOrInf | None
    """Interval of those tasks, from the pilot's uncertainty."""
    mde_ci: IntervalOrInf | None
    """Interval of the design's detectable gap, from the pilot's uncertainty."""
    power: float | None
    """Chance of detecting the gap with ``best_design``, when a gap is given."""
    power_ci: Interval | None
    """Interval of that chance, from the pilot's uncertainty."""
    mde_floor: float | None
    """Gap that endless runs of the available tasks cannot get below; None if tasks are not
    limited."""
    budget_for_floor: float | None
    """Money that comes within a tenth of the floor: beyond, money hardly helps."""
    mde_infinite_runs: float | None
    """Detectable gap of as many tasks as ``best_design`` has, with endless runs."""
    larger_budget_design: RunDesign | None
    """Best design with a tenth more money."""
    unpaired_design: RunDesign | None
    """The same money or gap with different tasks for each model; None if unknown."""
    sequential_design: SequentialDesign | None
    """The same with looks in between."""
    n_tasks_available: int | None
    """Tasks that exist."""
    n_runs: tuple[int, int] | None
    """Runs per task of each model, where they were not to be chosen."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    costs: RunCosts
    """Prices."""
    costs_source: CostsSource = "given"
    """Where the cost of a run comes from."""
    variances: TaskVariances
    """Variances of one task's difference."""
    group_plans: tuple[GroupPlan, ...] = ()
    """The same were the tasks to come of other groups than the pilot's, by column."""
    scenarios: tuple[TaskPlanScenario, ...] = ()
    """Other numbers of runs, assumptions and gaps."""
    mde_by_budget: MdeByBudget | None = None
    """Detectable gap against money."""
    score_range: tuple[float, float] = (0.0, 1.0)
    """Worst and best score of the pilot; 0 and 1 if all lie between."""
    findings: tuple[Finding, ...] = ()
    """Warnings about the data of the pilot."""
    resampled_power: PilotPower | None = None
    """Power of ``best_design`` by drawing the tasks of a pilot, at the gap given or, without one,
    at the smallest detectable."""

    @derived
    def variances_at_gap(self) -> TaskVariances:
        """The spread at the gap given or detected: assumed rates make more noise there."""
        size = self.best_design.mde if self.delta is None and self.best_design else self.delta
        return (
            self.variances
            if size is None
            else self.variances.at_gap(abs(size), self.criteria.sides)
        )
