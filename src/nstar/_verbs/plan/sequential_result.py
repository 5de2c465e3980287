"""Cost of interim looks: largest and expected items, one row for each method."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar import stats
from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._verbs.plan.design import Design
from nstar._verbs.plan.interim_looks import EXACT, Looks, Way
from nstar._verbs.verdict import Criteria

MULTIPLES = (0.0, 1.0, 1.5, 2.0)
"""True gaps with reported expected items, as multiples of the planned one."""

SequentialSolvedFor: TypeAlias = Literal["items", "power", "mde"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialScenario:
    """One sequential method: the items that it needs, and its power."""

    method: Looks
    """Method; ``fixed`` looks once, at the end."""
    n_looks: int | None
    """Number of planned looks; None after every item."""
    is_headline: bool = False
    """Whether the headline reports this method."""
    n_items_max: int
    """Maximum number of items."""
    power: float
    """Probability of detecting the planned gap."""
    mean_at_zero: float
    """Expected items if the models are equal."""
    mean_at_delta: float
    """Expected items at the planned gap."""
    mean_at_1_5_delta: float | None
    """Expected items at 1.5 times that gap; None if scores cannot have such a gap."""
    mean_at_2_delta: float | None
    """Expected items at twice that gap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBoundary:
    """One planned look."""

    n_items: int
    """Number of items at this look."""
    z: float
    """|Z| (Z if one-sided) at which it stops."""
    pvalue: float
    """Nominal p-value at which it stops, with the same number of sides."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SequentialPlan(Result):
    """Maximum and expected number of items with interim looks, and with a fixed sample size."""

    solved_for: SequentialSolvedFor
    """Quantity that the plan computes."""
    method: Way
    """Method of looking."""
    n_looks: int | None
    """Number of planned looks; None after every item."""
    n_star: int
    """Items of a fixed sample for the same gap, level and power."""
    n_items_needed: int
    """Largest number of items for the gap with the target power; differs from ``n_items_max`` if
    both items and gap are set."""
    delta: float
    """Planned gap, first minus second, or the smallest gain that the items find; a proportion
    (score units for graded scores)."""
    n_items: int | None
    """Number of items; None if the plan computes it."""
    psi: float | None
    """Discordance at that gap, for 0/1 scores."""
    criteria: Criteria
    """Level of all looks together, power, and alternative hypothesis."""
    noise_design: Design
    """Noise of one comparison."""
    boundaries: tuple[LookBoundary, ...]
    """Planned looks; empty if one looks after every item."""
    scenarios: tuple[SequentialScenario, ...]
    """Methods side by side, the fixed sample first."""

    @derived
    def scenario(self) -> SequentialScenario:
        """Return the method of the headline."""
        return next(s for s in self.scenarios if s.is_headline)

    @derived
    def n_items_max(self) -> int:
        """Return the largest number of items, which must be available."""
        return self.scenario.n_items_max

    @derived
    def n_items_mean(self) -> float:
        """Return the expected items at the planned gap."""
        return self.scenario.mean_at_delta

    @derived
    def mixture(self) -> float | None:
        """Return the Beta(a, a) mixture of an e-process, tuned to the planned discordant items."""
        if self.method != "e-process" or self.psi is None:
            return None
        return float(stats.tuned_beta(self.psi * self.n_items_max, alpha=self.criteria.alpha))

    @derived
    def is_exact(self) -> bool:
        """Return whether power and expected items of an e-process are exact."""
        return self.psi is not None and self.psi * self.n_items_max <= EXACT
