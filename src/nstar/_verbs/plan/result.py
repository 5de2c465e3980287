"""Result of a plan, with all its assumptions."""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import Array, CountOrInf, FloatOrInf
from nstar._verbs.plan.design import Design
from nstar._verbs.verdict import Criteria

PlanGoal: TypeAlias = Literal["difference", "equivalence", "non-inferiority", "precision"]
SolvedFor: TypeAlias = Literal["items", "mde", "power", "half_width"]
Varied: TypeAlias = Literal["rho", "psi", "delta"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanScenario:
    """The plan under one alternative assumption or gap."""

    name: Varied
    """Quantity that varies."""
    value: float
    """Value of this quantity."""
    is_headline: bool = False
    """Whether the headline reports this scenario."""
    psi: float | None = None
    """Share of items on which exactly one model is right, for 0/1 scores; None if two models
    cannot be so correlated."""
    n_star: CountOrInf | None = None
    """Items needed; None without a gap."""
    mde: FloatOrInf | None = None
    """Smallest detectable gain; None without items."""
    mde_loss: FloatOrInf | None = None
    """Smallest detectable loss, a positive size; None in a one-sided test."""
    power: float | None = None
    """Probability of detecting the gap with these items."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PowerCurve:
    """Power as a function of items or of the gap."""

    axis: Literal["items", "delta"]
    """Quantity on the horizontal axis."""
    x: Array = field(repr=False)
    """Items, or gaps as proportions."""
    power: Array = field(repr=False)
    """Probability of detection at each value."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Plan(Result):
    """Items that a benchmark needs, or gap that it can detect, with all assumptions."""

    question: PlanGoal
    """Type of the question."""
    solved_for: SolvedFor
    """Quantity that the plan computes."""
    n_star: CountOrInf | None
    """Items needed, rounded up; infinite if no number suffices, None without a gap, margin, or
    half-width."""
    n_star_stable: CountOrInf | None = None
    """Number of items from which the power for a margin stays at or above the target. The target
    is first reached at ``n_star``.
    """
    mde: FloatOrInf | None
    """Smallest detectable gain, a proportion (score units for graded scores); infinite if there is
    none, None for another question or if no number of items is enough.
    """
    mde_loss: FloatOrInf | None
    """Smallest detectable loss, a positive size; None also in a one-sided test."""
    power: float | None
    """Probability of success: computed if the plan solves for it, else the power to aim for. None
    for a question of precision."""
    power_all: float | None = None
    """Probability that all comparisons of several models detect their gaps with these items.
    Adjacent models are one gap apart, or all models are one gap from the control."""
    n_items_all_pairs: CountOrInf | None = None
    """For the best of several models: items needed to detect the gap between any two of them."""
    budget: float | None = None
    """Largest total cost of the items."""
    cost: float | None = None
    """Cost of the items for all models; None without a cost per run."""
    power_exact: float | None = None
    """Enumerated power of the mid-p test for this gap and these items, where that test applies."""
    q: float | None
    """Resolution ratio items / n_star, when both are known."""
    n_items: int | None
    """Number of items; None if the plan computes it."""
    delta: float | None
    """Planned gap, A minus B, in score units; for a margin, the true gap."""
    margin: float | None
    """Largest gap that does not matter, in score units."""
    min_margin: float | None = None
    """Smallest margin that these items can show."""
    min_margin_clusters: float | None = None
    """Smallest margin that equal models can show with these clusters, for any number of items: a
    cluster outside the sample may fail entirely. None without clusters, with ``loss="item"``,
    or if their number is not known."""
    half_width: float | None
    """Half-width of the interval with these items or, without items, the planned one."""
    mde_floor: FloatOrInf | None
    """Smallest gap that any number of items detects, if the number of clusters is fixed; infinite
    if these are too few for any gap."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    noise_design: Design
    """Noise, models, and clusters."""
    scenarios: tuple[PlanScenario, ...] = ()
    """The same plan under other assumptions, or for other gaps."""
    power_curve: PowerCurve | None = None
    """Power by items, or by gap."""

    @property
    def tested(self) -> Criteria:
        """Return the criteria of the test itself: a margin is tested one-sided."""
        one_sided = self.question in ("equivalence", "non-inferiority")
        return replace(self.criteria, alternative="greater") if one_sided else self.criteria

    @derived
    def critical_value(self) -> float:
        """Return the joint critical value of one comparison, on the normal scale."""
        return self.noise_design.critical_value(self.tested)


PlanAxis: TypeAlias = Literal["items", "delta", "rho"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCell:
    """One plan of the grid, equal to a separate plan of these values."""

    n_items: int | None = None
    """Number of items; None if the plan computes it."""
    delta: float | None = None
    """Gap, a proportion (score units for graded scores); None if the plan computes it."""
    rho: float | None = None
    """Item correlation; None if the design has none."""
    n_star: CountOrInf | None = None
    """Items needed; infinite if no number suffices, None without a gap."""
    mde: FloatOrInf | None = None
    """Smallest detectable gain; infinite if there is none."""
    mde_loss: FloatOrInf | None = None
    """Smallest detectable loss, a positive size; None also in a one-sided test."""
    power: float | None = None
    """Probability of success; None if the plan does not compute it."""
    half_width: float | None = None
    """Half-width of the interval, in a plan for precision."""
    is_infeasible: bool = False
    """Whether no two models can have these accuracies and this correlation."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PlanGrid(Result):
    """Plans for several numbers of items, gaps, or correlations."""

    question: PlanGoal
    """Type of the question."""
    solved_for: SolvedFor
    """The quantity that every cell computes."""
    row_axis: PlanAxis
    """The quantity that differs from row to row."""
    column_axis: PlanAxis | None
    """The quantity that differs from column to column; None if there is one column."""
    margin: float | None
    """Largest gap that does not matter, in score units; None for other questions."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    noise_design: Design
    """Noise, family and clusters of the first plan."""
    scenarios: tuple[PlanCell, ...]
    """One plan for each combination of values, row by row."""
