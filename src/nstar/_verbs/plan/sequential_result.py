"""What looking costs: items at most and on average, one row for each way of looking."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from nstar import stats
from nstar._base.result import Result
from nstar._verbs.plan.design import Design
from nstar._verbs.plan.monitoring import EXACT, Looks, Way
from nstar._verbs.verdict import Criteria
from nstar.stats.looks import GroupSequential

MULTIPLES = (0.0, 1.0, 1.5, 2.0)
"""True gaps that expected items are told for, as multiples of the planned one."""

SolvedFor: TypeAlias = Literal["items", "power", "mde"]


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SequentialPlan(Result):
    """Items at hand, items on average, and what looking costs against a fixed sample."""

    method: Way
    """Way of looking."""
    looks: int | None
    """Planned looks; None after every item."""
    solved_for: SolvedFor
    """The quantity that was not given."""
    criteria: Criteria
    """Level of all looks together, power, sides."""
    design: Design
    """Noise of one comparison."""
    items: int | None
    """Items given."""
    delta: float
    """Planned gap, given or the smallest that the items find."""
    psi: float | None
    """Discordance at that gap, for 0/1 scores."""
    n_star: int
    """Items of a fixed sample for that gap."""
    needed: int
    """Items at most for that gap with the wanted power."""
    rows: tuple[SequentialRow, ...] = field(repr=False)
    """Ways of looking side by side, the fixed sample first."""
    group: GroupSequential | None = field(default=None, repr=False)
    """Boundaries of planned looks."""

    @property
    def row(self) -> SequentialRow:
        """What the headline speaks of."""
        return next(r for r in self.rows if r.chosen)

    @property
    def horizon(self) -> int:
        """Items that must be at hand."""
        return self.row.items

    @property
    def mixture(self) -> float | None:
        """Beta(a, a) mixture of an e-process, tuned to the discordant items of the horizon."""
        if self.method != "e-process" or self.psi is None:
            return None
        return float(stats.tuned_beta(self.psi * self.horizon, alpha=self.criteria.alpha))

    @property
    def is_exact(self) -> bool:
        """Whether power and expected items of an e-process are followed exactly."""
        return self.psi is not None and self.psi * self.horizon <= EXACT

    @property
    def at(self) -> tuple[int, ...]:
        """Items at each planned look; none if every item is one."""
        if self.group is None:
            return ()
        return tuple(int(n) for n in np.ceil(self.group.timing * self.horizon - 1e-9))
