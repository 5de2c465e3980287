"""The solution of a plan, with every assumption it rests on."""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import Array, CountOrInf, FloatOrInf
from nstar._verbs.plan.design import Design
from nstar._verbs.verdict import Criteria

PlanGoal: TypeAlias = Literal["difference", "equivalence", "non-inferiority", "precision"]
SolvedFor: TypeAlias = Literal["items", "mde", "power", "half_width"]
Varied: TypeAlias = Literal["rho", "psi", "delta"]


@record()
class PlanScenario:
    """The plan under one alternative assumption or gap."""

    name: Varied
    """What varies."""
    value: float
    """Its value."""
    is_headline: bool = False
    """Whether this is the assumption of the headline."""
    psi: float | None = None
    """Discordance implied, for 0/1 scores; None if two models cannot be so correlated."""
    n_star: CountOrInf | None = None
    """Items needed; None without a gap."""
    mde: FloatOrInf | None = None
    """Detectable gain with the given items; None without items."""
    mde_loss: FloatOrInf | None = None
    """Detectable loss with the given items, a positive size; None in a one-sided test."""
    power: float | None = None
    """Probability of detecting the given gap with the given items."""


@record(eq=False)
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
    n_star: CountOrInf | None
    """Items needed, rounded up; infinite when no number suffices, None when it was not asked
    for."""
    n_star_stable: CountOrInf | None = None
    """For a margin: items from which on power stays; ``n_star`` is where it is first reached."""
    mde: FloatOrInf | None
    """Smallest detectable gain, a proportion (score units for graded scores); infinite when none
    is, None when the question is another or no number of items suffices."""
    mde_loss: FloatOrInf | None
    """Smallest detectable loss, a positive size; None also in a one-sided test."""
    power: float | None
    """Probability of success (of one comparison, of every one if the design says so, of choosing
    the best): computed when it was solved for, else the one asked for; None for a question of
    precision."""
    power_all: float | None = None
    """Probability that every comparison is found with the items of the headline, where there are
    several: models on a ladder whose neighbours are the gap apart, or all ahead of the control
    by it."""
    n_items_all_pairs: CountOrInf | None = None
    """For the best of several: items that would prove the gap between any two of them."""
    budget: float | None = None
    """Money given, that the items are for."""
    cost: float | None = None
    """What the items of the headline cost for all models; None without prices."""
    power_exact: float | None = None
    """Enumerated power of the mid-p test for the gap and items of the headline, where that
    test applies."""
    q: float | None
    """Resolution ratio items / n_star, when both are known."""
    n_items: int | None
    """Items given."""
    delta: float | None
    """Gap given (true gap assumed, for a margin), a proportion."""
    margin: float | None
    """Margin given."""
    min_margin: float | None = None
    """Smallest margin that the given items can show."""
    min_margin_clusters: float | None = None
    """Smallest margin that equal models can show with these clusters, for any number of items: a
    cluster outside the sample may fail entirely. None without clusters, with ``loss="item"``,
    or if their number is not known."""
    half_width: float | None
    """Half-width that the given items reach or, without items, the one given."""
    mde_floor: FloatOrInf | None
    """Gap below which no number of items helps, when the clusters are fixed; infinite when they
    are too few for any."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    noise_design: Design
    """Noise, family, clusters."""
    scenarios: tuple[PlanScenario, ...] = ()
    """The same under other assumptions."""
    power_curve: PowerCurve | None = None
    """Power curve."""

    @property
    def tested(self) -> Criteria:
        """The criteria of the test itself: a margin is tested one-sided."""
        one_sided = self.question in ("equivalence", "non-inferiority")
        return replace(self.criteria, alternative="greater") if one_sided else self.criteria

    @derived
    def critical_value(self) -> float:
        """Joint critical value of one comparison within the family, on the normal scale."""
        return self.noise_design.critical_value(self.tested)
