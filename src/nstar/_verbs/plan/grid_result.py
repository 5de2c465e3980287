"""Grid of plans: the same question for several values of one or two parameters."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.result import Result
from nstar._base.types import CountOrInf, FloatOrInf
from nstar._verbs.plan.design import Design
from nstar._verbs.plan.result import PlanGoal, SolvedFor
from nstar._verbs.verdict import Criteria

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
