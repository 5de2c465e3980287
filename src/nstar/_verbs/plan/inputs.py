"""What every plan makes of the things it is given: design, gap, items."""

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar._verbs.plan.design import Design
from nstar._verbs.plan.noise import Noise, PairedPsi, PairedRho, Unpaired
from nstar.stats._roots import first_whole

CURVE_POINTS = 61
"""Points of a power curve."""
FEW = 1000
"""Items up to which power is enumerated; the formulas are optimistic there."""


def designed(design: Design | Noise) -> Design:
    """A bare noise assumption is a design with one comparison of independent items."""
    return design if isinstance(design, Design) else Design(noise=design)


def implied_items(design: Design, items: int | None) -> int | None:
    """Items given, or those of a fixed number of clusters; None if neither is."""
    if items is not None:
        checks.counts(items=items)
        checks.require(items >= 2, "items", "at least 2", items)
        if design.icc and design.clusters:
            checks.require(
                items >= design.clusters,
                "items",
                f"at least the {design.clusters} clusters",
                items,
            )
        return int(items)
    if design.clusters and design.cluster_size:
        return round(design.clusters * design.cluster_size)
    return None


def check_room(noise: Noise, deltas: Sequence[float]) -> None:
    """A gap must leave the other model an accuracy strictly between 0 and 1."""
    if isinstance(noise, PairedRho | Unpaired):
        for delta in deltas:
            other = noise.baseline + delta
            checks.feasible(
                0 < other < 1,
                f"a gap of {delta:+.6g} from a baseline of {noise.baseline:.6g} would be an "
                f"accuracy of {other:.6g}, which is not between 0 and 1",
            )


def discordance(noise: Noise, delta: FloatLike) -> Array:
    """Share of items on which exactly one model is right, 0/1 scores."""
    if isinstance(noise, PairedPsi):
        return np.full(np.shape(delta), noise.psi)
    return cast("PairedRho", noise).psi(delta)


def settled(design: Design, need: Callable[[float], float]) -> float:
    """Smallest number of items that is enough for the t of as many clusters as it makes.

    With clusters of a given size more items means more clusters, a smaller t and a smaller
    need, so ``need(items) - items`` falls; bisection finds where it turns.
    """
    low = max(need(np.inf), 2.0, design.clusters or 0 if design.icc else 0)  # z, not t
    if not design.icc or design.clusters or not np.isfinite(low):
        return low
    low = max(low, np.ceil(2 * (design.cluster_size or 1.0)))
    high = need(low)  # enough, for need(high) <= need(low)
    if high <= low:
        return low
    return first_whole(lambda items: need(items) <= items, low, high)


def ratio(items: int | None, n_star: float | None) -> float | None:
    """q = N / N*, where both are numbers."""
    if items is None or n_star is None or not np.isfinite(n_star):
        return None
    return items / n_star
