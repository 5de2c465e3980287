"""What a budget buys, and everything that it rests on."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import Array, CountOrInf, Interval, IntervalOrInf
from nstar._data.findings import Finding
from nstar._verbs.budget.design import RunDesign
from nstar._verbs.budget.groups import GroupPlan
from nstar._verbs.budget.spread import Spread
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
    chosen: bool = False
    """Whether it is that of the headline."""
    design: RunDesign | None = None
    """Best design for the money, or cheapest for the gap; None if there is none."""
    power: float | None = None
    """Chance of detecting the gap, when money and gap are given."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MdeByBudget:
    """Smallest detectable gap against money, each the best design for it."""

    money: Array = field(repr=False)
    """Budgets."""
    mde: Array = field(repr=False)
    """Smallest detectable gap, in score units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialDesign:
    """The same design looked at several times, with an O'Brien–Fleming boundary."""

    looks: int
    """Looks, after equal numbers of tasks."""
    most: float
    """Largest cost, over that of one look at the end."""
    at_gap: float
    """Expected cost if the gap is the one detectable, over that of one look."""
    at_twice: float
    """Expected cost if the gap is twice that."""
    at_zero: float
    """Expected cost if the models are equal."""
    fits: bool
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
    reps: int
    """Draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotPower:
    """How often a design would find a gap, were the pilot's tasks all there are."""

    delta: float
    """True gap, first minus second."""
    tasks: int
    """Tasks planned."""
    runs_a: int
    """Runs per task planned, first model."""
    runs_b: int
    """Runs per task planned, second model."""
    pilot_tasks: int
    """Tasks of the pilot."""
    powers: tuple[ResampledTestPower, ...]
    """Of each test."""
    closed: float
    """Power by the formula: noncentral t, the pilot's spread at these runs."""
    own: float
    """The pilot's own gap, from which the first model is moved to ``delta``."""
    binary: bool
    """0/1 scores: a share of the first model's failures turns into successes (or the other way
    round), the same in every task, which changes the spread. Else all scores move alike."""
    stretched: bool
    """More runs are planned than can be drawn, so that all were taken and the differences
    brought closer together as the variance components say."""
    alike: bool
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
    design: RunDesign | None
    """Best for the money, or cheapest for the gap when no money is given; None if no money
    detects the gap."""
    needed: RunDesign | None
    """Cheapest design that detects the gap; None without a gap, or if there is none."""
    beyond: RunDesign | None
    """The same if more tasks were available, where those available are too few for the gap."""
    n_star: CountOrInf | None
    """Tasks that the gap takes, at the runs of ``needed`` or ``beyond``; infinite if no number is
    enough, None without a gap."""
    n_star_range: IntervalOrInf | None
    """Interval of those tasks, from the pilot's uncertainty."""
    mde_range: IntervalOrInf | None
    """Interval of the design's detectable gap, from the pilot's uncertainty."""
    power: float | None
    """Chance of detecting the gap with ``design``, when a gap is given."""
    power_range: Interval | None
    """Interval of that chance, from the pilot's uncertainty."""
    floor: float | None
    """Gap that endless runs of the available tasks cannot get below; None if tasks are not
    limited."""
    enough: float | None
    """Money that comes within a tenth of the floor: beyond, money hardly helps."""
    endless: float | None
    """Detectable gap of as many tasks as ``design`` has, with endless runs."""
    next_tenth: RunDesign | None
    """Best design with a tenth more money."""
    apart: RunDesign | None
    """The same money or gap with different tasks for each model; None if unknown."""
    sequential: SequentialDesign | None
    """The same with looks in between."""
    tasks_available: int | None
    """Tasks that exist."""
    runs: tuple[int, int] | None
    """Runs per task of each model, where they were not to be chosen."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    costs: RunCosts
    """Prices."""
    costs_source: CostsSource = "given"
    """Where the cost of a run comes from."""
    spread: Spread
    """Variances of one task's difference."""
    groups: tuple[GroupPlan, ...] = ()
    """The same were the tasks to come of other groups than the pilot's, by column."""
    rows: tuple[TaskPlanScenario, ...] = ()
    """Other numbers of runs, assumptions and gaps."""
    curve: MdeByBudget | None = None
    """Detectable gap against money."""
    score_range: tuple[float, float] = (0.0, 1.0)
    """Worst and best score of the pilot; 0 and 1 if all lie between."""
    findings: tuple[Finding, ...] = ()
    """Warnings about the data of the pilot."""
    resampled: PilotPower | None = None
    """Power of ``design`` by drawing the tasks of a pilot, at the gap given or, without one, at
    the smallest detectable."""

    @derived
    def spread_at_gap(self) -> Spread:
        """The spread at the gap given or detected: assumed rates make more noise there."""
        size = self.design.mde if self.delta is None and self.design else self.delta
        return self.spread if size is None else self.spread.at_gap(abs(size), self.criteria.sides)
