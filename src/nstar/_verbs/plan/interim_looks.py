"""How a comparison ends that is looked at while it runs, by way of looking.

A course says, for a gap that is a multiple of the planned one and a last item, with which
probability the gap is found by then and how many items it takes on average.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, cast, get_args

import numpy as np

from nstar import stats
from nstar._verbs.plan.design import Design
from nstar._verbs.plan.noise import Graded, PairedPsi, PairedRho
from nstar._verbs.verdict import Criteria
from nstar.errors import InfeasibleError
from nstar.stats._roots import bracketed
from nstar.stats.confseq import FIRST_LOOK
from nstar.stats.looks import GroupSequential, Spending
from nstar.stats.stopping import Stopping

EveryItem: TypeAlias = Literal["e-process", "asymptotic", "bets"]
Way: TypeAlias = Spending | EveryItem
Looks: TypeAlias = Literal["fixed"] | Way
PLANNED_LOOKS: tuple[Spending, ...] = get_args(Spending)

Course: TypeAlias = Callable[[float, int], Stopping]
"""Multiple of the planned gap, items at most → how it ends."""

EXACT = 5_000
"""Discordant items up to which an e-process is followed exactly; beyond, its normal limit has
power to 0.1 points and mean items to 0.2%."""
USUAL = 1.625
"""Items at most over those of a fixed sample, if one looks after every item."""
_BRACKET_HALF_WIDTH = 0.03
"""Half-width of the first bracket, relative to its middle."""
_FARTHEST = 1e15
"""Items beyond which no plan goes."""


@dataclass(frozen=True, kw_only=True)
class PlannedLooks:
    """What one comparison is planned for: noise, level, gap."""

    design: Design
    criteria: Criteria
    delta: float
    """Planned gap, first minus second."""

    def gap(self, multiple: float) -> float:
        """That multiple of the planned gap; InfeasibleError if scores cannot be so far apart."""
        gap, noise = multiple * self.delta, self.design.noise
        if isinstance(noise, PairedPsi | PairedRho) and abs(gap) > self.psi(multiple):
            msg = f"a gap of {gap:+.6g} is more than the share of items that can make it"
            raise InfeasibleError(msg)
        if isinstance(noise, Graded) and abs(gap) >= 1:
            msg = f"scores in [0, 1] cannot differ by {gap:+.6g} on average"
            raise InfeasibleError(msg)
        return gap

    def psi(self, multiple: float) -> float:
        """Discordance of 0/1 scores at that multiple of the gap."""
        noise = self.design.noise
        if isinstance(noise, PairedPsi):
            return noise.psi
        return float(cast("PairedRho", noise).psi(multiple * self.delta))

    @cached_property
    def fixed(self) -> float:
        """Items of a fixed sample, unrounded."""
        return self.fixed_at(1.0)

    def fixed_at(self, multiple: float) -> float:
        """Items that a fixed sample would need for that multiple of the gap, unrounded."""
        level = self.design.level(self.criteria)
        return float(self.design.noise.n_star(self.gap(multiple), level))


def _looked(planned: PlannedLooks, design: GroupSequential) -> Course:
    """A few planned looks: drift relative to the one that the design was made for."""

    def ends(multiple: float, items: int) -> Stopping:
        planned.gap(multiple)
        drift = 0.0
        if multiple:
            drift = np.sqrt(items / (design.inflation * planned.fixed_at(multiple)))
        return Stopping(design.power_at(drift), items * design.share(drift))

    return ends


def _counted(planned: PlannedLooks) -> Course:
    """McNemar's e-process, its mixture tuned to the planned discordance; exact while it can be."""
    alpha = planned.criteria.alpha

    def ends(multiple: float, items: int) -> Stopping:
        gap, psi = planned.gap(multiple), planned.psi(multiple)
        if max(psi, planned.psi(1.0)) * items > EXACT:
            return stats.asymptotic_stopping(gap, sigma=np.sqrt(psi), n=items, alpha=alpha)
        a = float(stats.tuned_beta(planned.psi(1.0) * items, alpha=alpha))
        return stats.e_process_stopping(gap, psi=psi, n=items, alpha=alpha, a=a)

    return ends


def _averaged(planned: PlannedLooks) -> Course:
    """The asymptotic sequence, tuned to the last item."""
    alpha, noise = planned.criteria.alpha, planned.design.noise

    def ends(multiple: float, items: int) -> Stopping:
        gap = planned.gap(multiple)
        return stats.asymptotic_stopping(gap, sigma=noise.sigma(gap), n=items, alpha=alpha)

    return ends


def _bet(planned: PlannedLooks) -> Course:
    """Bets on bounded differences."""
    alpha, noise = planned.criteria.alpha, planned.design.noise

    def ends(multiple: float, items: int) -> Stopping:
        gap = planned.gap(multiple)
        if isinstance(noise, Graded):
            return stats.betting_stopping(gap, sigma=noise.sigma(), n=items, alpha=alpha)
        return stats.betting_stopping(gap, psi=planned.psi(multiple), n=items, alpha=alpha)

    return ends


def course(method: Way, planned: PlannedLooks, design: GroupSequential | None) -> Course:
    """How a way of looking ends; ``design`` for planned looks."""
    if design is not None:
        return _looked(planned, design)
    courses = {"e-process": _counted, "asymptotic": _averaged, "bets": _bet}
    return courses[method](planned)


def horizon(method: Way, planned: PlannedLooks, design: GroupSequential | None) -> int:
    """Fewest items at most with which the planned gap is found with the wanted power."""
    if design is not None:
        return max(int(np.ceil(planned.fixed * design.inflation - 1e-9)), design.looks)
    ends, target_power = course(method, planned, None), planned.criteria.power

    def excess(items: float) -> float:
        return ends(1.0, round(items)).power - target_power

    min_items = FIRST_LOOK if method == "asymptotic" else 2
    if excess(min_items) >= 0:
        return min_items
    root = around(excess, USUAL * planned.fixed, (min_items, _FARTHEST), tol=1.0)
    if root is None:
        msg = f"{method} finds this gap with no number of items up to {_FARTHEST:g}"
        raise InfeasibleError(msg)
    return round(root) if excess(root) >= 0 else round(root) + 1


def around(
    excess: Callable[[float], float], guess: float, ends: tuple[float, float], *, tol: float
) -> float | None:
    """Root of an increasing function between ``ends``, near a guess; None if it has none there.

    One call may cost a tenth of a second, so the bracket begins narrow.
    """
    lowest, highest = ends
    low, high = (
        float(np.clip(x * guess, lowest, highest))
        for x in (1 - _BRACKET_HALF_WIDTH, 1 + _BRACKET_HALF_WIDTH)
    )
    while excess(high) < 0:
        if high >= highest:
            return None
        low, high = high, min(2 * high, highest)
    while low > lowest and excess(low) >= 0:
        low, high = max(low / 2, lowest), low
    return float(bracketed(lambda x: np.asarray(excess(float(x))), low, high, tol=tol))
