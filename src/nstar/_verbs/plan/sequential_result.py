"""What looking costs: items at most and on average, one row for each way of looking."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar import stats
from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._verbs.plan.design import Design
from nstar._verbs.plan.interim_looks import EXACT, Looks, Way
from nstar._verbs.verdict import Criteria

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
class LookBoundary:
    """One planned look."""

    items: int
    """Items at this look."""
    z: float
    """|Z| (Z if one-sided) at which it stops."""
    p: float
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
    boundaries: tuple[LookBoundary, ...]
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
    def exact(self) -> bool:
        """Whether power and expected items of an e-process are followed exactly."""
        return self.psi is not None and self.psi * self.horizon <= EXACT
