"""Power and expected items of a comparison with interim looks, by method.

A course gives, for a multiple of the planned gap and a last item, the probability that the gap is
detected and the expected number of items.
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
from nstar.stats._stopping import Stopping, asymptotic_stopping, betting_stopping
from nstar.stats.confseq import FIRST_LOOK
from nstar.stats.eprocess_plan import e_process_stopping
from nstar.stats.looks import GroupSequential, Spending

EveryItem: TypeAlias = Literal["e-process", "asymptotic", "bets"]
Way: TypeAlias = Spending | EveryItem
Looks: TypeAlias = Literal["fixed"] | Way
PLANNED_LOOKS: tuple[Spending, ...] = get_args(Spending)

Course: TypeAlias = Callable[[float, int], Stopping]
"""Function from a multiple of the planned gap and the largest number of items to power and
expected items."""

EXACT = 5_000
"""Discordant items up to which an e-process is computed exactly; beyond, its normal limit has
power to 0.1 points and mean items to 0.2%."""
USUAL = 1.625
"""Largest number of items over that of a fixed sample, if one looks after every item."""
_BRACKET_HALF_WIDTH = 0.03
"""Half-width of the first bracket, relative to its middle."""
_FARTHEST = 1e15
"""Largest number of items of a plan."""


@dataclass(frozen=True, kw_only=True)
class PlannedLooks:
    """Inputs of the plan of one comparison: noise, level, gap."""

    design: Design
    criteria: Criteria
    delta: float
    """Planned gap, first minus second."""

    def gap(self, multiple: float) -> float:
        """Return a multiple of the planned gap.

        Raise InfeasibleError if scores do not allow it.
        """
        gap, noise = multiple * self.delta, self.design.noise
        if isinstance(noise, PairedPsi | PairedRho) and abs(gap) > self.psi(multiple):
            msg = f"A gap of {gap:+.6g} exceeds the share of items on which the models disagree."
            raise InfeasibleError(msg)
        if isinstance(noise, Graded) and abs(gap) >= 1:
            msg = f"Scores in [0, 1] cannot differ by {gap:+.6g} on average."
            raise InfeasibleError(msg)
        return gap

    def psi(self, multiple: float) -> float:
        """Return the discordance of 0/1 scores at a multiple of the gap."""
        noise = self.design.noise
        if isinstance(noise, PairedPsi):
            return noise.psi
        return float(cast("PairedRho", noise).psi(multiple * self.delta))

    @cached_property
    def fixed(self) -> float:
        """Return the items of a fixed sample, unrounded."""
        return self.fixed_at(1.0)

    def fixed_at(self, multiple: float) -> float:
        """Return the items of a fixed sample for a multiple of the gap, unrounded."""
        level = self.design.level(self.criteria)
        return float(self.design.noise.n_star(self.gap(multiple), level))


def _planned_looks_course(planned: PlannedLooks, design: GroupSequential) -> Course:
    """Return the course of planned looks, with drift relative to that of the design."""

    def ends(multiple: float, items: int) -> Stopping:
        planned.gap(multiple)
        drift = 0.0
        if multiple:
            drift = np.sqrt(items / (design.inflation * planned.fixed_at(multiple)))
        return Stopping(design.power_at(drift), items * design.share(drift))

    return ends


def _e_process_course(planned: PlannedLooks) -> Course:
    """Return the course of McNemar's e-process, tuned to the planned discordance.

    Exact if feasible.
    """
    alpha = planned.criteria.alpha

    def ends(multiple: float, items: int) -> Stopping:
        gap, psi = planned.gap(multiple), planned.psi(multiple)
        if max(psi, planned.psi(1.0)) * items > EXACT:
            return asymptotic_stopping(gap, sigma=np.sqrt(psi), n=items, alpha=alpha)
        a = float(stats.tuned_beta(planned.psi(1.0) * items, alpha=alpha))
        return e_process_stopping(gap, psi=psi, n=items, alpha=alpha, a=a)

    return ends


def _asymptotic_course(planned: PlannedLooks) -> Course:
    """Return the course of the asymptotic sequence, tuned to the last item."""
    alpha, noise = planned.criteria.alpha, planned.design.noise

    def ends(multiple: float, items: int) -> Stopping:
        gap = planned.gap(multiple)
        return asymptotic_stopping(gap, sigma=noise.sigma(gap), n=items, alpha=alpha)

    return ends


def _bets_course(planned: PlannedLooks) -> Course:
    """Return the course of bets on bounded differences."""
    alpha, noise = planned.criteria.alpha, planned.design.noise

    def ends(multiple: float, items: int) -> Stopping:
        gap = planned.gap(multiple)
        if isinstance(noise, Graded):
            return betting_stopping(gap, sigma=noise.sigma(), n=items, alpha=alpha)
        return betting_stopping(gap, psi=planned.psi(multiple), n=items, alpha=alpha)

    return ends


def course(method: Way, planned: PlannedLooks, design: GroupSequential | None) -> Course:
    """Return the course of a method; ``design`` is for planned looks."""
    if design is not None:
        return _planned_looks_course(planned, design)
    courses = {
        "e-process": _e_process_course,
        "asymptotic": _asymptotic_course,
        "bets": _bets_course,
    }
    return courses[method](planned)


def horizon(method: Way, planned: PlannedLooks, design: GroupSequential | None) -> int:
    """Return the smallest item limit at which the planned gap has the target power."""
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
        msg = (
            f"{method} does not detect this gap with up to {_FARTHEST:g} items. Use a larger gap."
        )
        raise InfeasibleError(msg)
    return round(root) if excess(root) >= 0 else round(root) + 1


def around(
    excess: Callable[[float], float], guess: float, ends: tuple[float, float], *, tol: float
) -> float | None:
    """Return the root of an increasing function between ``ends``, near a guess.

    None if there is none.

    One call may take a tenth of a second, so the bracket begins narrow.
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
