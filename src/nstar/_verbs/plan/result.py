"""The solution of a plan, of one look or several, with every assumption it rests on."""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from nstar import stats
from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import Array, Endless, EndlessCount
from nstar._verbs.plan.design import Design
from nstar._verbs.plan.monitoring import EXACT, Looks, Way
from nstar._verbs.verdict import Criteria

PlanGoal: TypeAlias = Literal["difference", "equivalence", "non-inferiority", "precision"]
SolvedFor: TypeAlias = Literal["items", "mde", "power", "half_width"]
Varied: TypeAlias = Literal["rho", "psi", "delta"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """The plan under one alternative assumption or gap."""

    name: Varied
    """What varies."""
    value: float
    """Its value."""
    chosen: bool = False
    """Whether this is the assumption of the headline."""
    psi: float | None = None
    """Discordance implied, for 0/1 scores; None if two models cannot be so correlated."""
    n_star: EndlessCount | None = None
    """Items needed; None without a gap."""
    mde: Endless | None = None
    """Detectable gain with the given items; None without items."""
    mde_down: Endless | None = None
    """Detectable loss with the given items, a positive size; None in a one-sided test."""
    power: float | None = None
    """Probability of detecting the given gap with the given items."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PowerCurve:
    """Power along one axis."""

    axis: Literal["items", "delta"]
    """What the horizontal axis counts."""
    x: Array = field(repr=False)
    """Items, or gaps as proportions."""
    power: Array = field(repr=False)
    """Probability of detection at each."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Plan(Result):
    """What a benchmark needs, or what it can do, with every assumption it rests on."""

    question: PlanGoal
    """What is to be shown."""
    solved_for: SolvedFor
    """The quantity that was not given."""
    n_star: EndlessCount | None
    """Items needed, rounded up; infinite when no number suffices, None when it was not asked
    for."""
    n_steady: EndlessCount | None = None
    """For a margin: items from which on power stays; ``n_star`` is where it is first reached."""
    mde: Endless | None
    """Smallest detectable gain, a proportion (score units for graded scores); infinite when none
    is, None when the question is another or no number of items suffices."""
    mde_down: Endless | None
    """Smallest detectable loss, a positive size; None also in a one-sided test."""
    power: float | None
    """Probability of success: computed when it was solved for, else the one asked for; None
    for a question of precision."""
    exact_power: float | None = None
    """Enumerated power of the mid-p test for the gap and items of the headline, where that
    test applies."""
    q: float | None
    """Resolution ratio items / n_star, when both are known."""
    items: int | None
    """Items given."""
    delta: float | None
    """Gap given (true gap assumed, for a margin), a proportion."""
    margin: float | None
    """Margin given."""
    margin_least: float | None = None
    """Smallest margin that the given items can show."""
    half_width: float | None
    """Half-width that the given items reach or, without items, the one given."""
    floor: Endless | None
    """Gap below which no number of items helps, when the clusters are fixed; infinite when they
    are too few for any."""
    criteria: Criteria
    """Level, power, sides."""
    design: Design
    """Noise, family, clusters."""
    rows: tuple[PlanRow, ...] = ()
    """The same under other assumptions."""
    curve: PowerCurve | None = None
    """Power curve."""

    @property
    def tested(self) -> Criteria:
        """The criteria of the test itself: a margin is tested one-sided."""
        one_sided = self.question in ("equivalence", "non-inferiority")
        return replace(self.criteria, sides=1) if one_sided else self.criteria

    @derived
    def critical(self) -> float:
        """Joint critical value of one comparison within the family, on the normal scale."""
        return self.design.critical(self.tested)


MULTIPLES = (0.0, 1.0, 1.5, 2.0)
"""True gaps that expected items are told for, as multiples of the planned one."""

SequentialSolvedFor: TypeAlias = Literal["items", "power", "mde"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialRow:
    """One way of looking: what it takes, and with what power."""

    method: Looks
    """Way of looking; ``fixed`` looks once, at the end."""
    looks: int | None
    """Planned looks; None after every item."""
    chosen: bool = False
    """Whether the headline speaks of it."""
    items: int
    """Items at most."""
    power: float
    """Probability to find the planned gap."""
    at_zero: float
    """Expected items if the models are equal."""
    at_gap: float
    """Expected items at the planned gap."""
    at_more: float | None
    """Expected items at 1.5 times that gap; None if scores cannot be so far apart."""
    at_twice: float | None
    """Expected items at twice that gap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """One planned look."""

    items: int
    """Items at this look."""
    z: float
    """|Z| (Z if one-sided) at which it stops."""
    p_value: float
    """Nominal p-value at which it stops, with the same number of sides."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SequentialPlan(Result):
    """Items at hand, items on average, and what looking costs against a fixed sample."""

    solved_for: SequentialSolvedFor
    """The quantity that was not given."""
    method: Way
    """Way of looking."""
    looks: int | None
    """Planned looks; None after every item."""
    n_star: int
    """Items of a fixed sample for the same gap, level and power."""
    needed: int
    """Items at most for the gap with the wanted power; not the horizon if both items and gap were
    given."""
    delta: float
    """Planned gap, first minus second, or the smallest gain that the items find; a proportion
    (score units for graded scores)."""
    items: int | None
    """Items given."""
    psi: float | None
    """Discordance at that gap, for 0/1 scores."""
    criteria: Criteria
    """Level of all looks together, power, sides."""
    design: Design
    """Noise of one comparison."""
    boundaries: tuple[Boundary, ...]
    """Planned looks; none if every item is one."""
    rows: tuple[SequentialRow, ...]
    """Ways of looking side by side, the fixed sample first."""

    @derived
    def row(self) -> SequentialRow:
        """The way of looking that was asked for."""
        return next(r for r in self.rows if r.chosen)

    @derived
    def horizon(self) -> int:
        """Items that must be at hand: items at most."""
        return self.row.items

    @derived
    def mixture(self) -> float | None:
        """Beta(a, a) mixture of an e-process, tuned to the discordant items of the horizon."""
        if self.method != "e-process" or self.psi is None:
            return None
        return float(stats.tuned_beta(self.psi * self.horizon, alpha=self.criteria.alpha))

    @derived
    def is_exact(self) -> bool:
        """Whether power and expected items of an e-process are followed exactly."""
        return self.psi is not None and self.psi * self.horizon <= EXACT
