"""Group-sequential designs: a few planned looks, each with a boundary.

With K looks at a level of 5% each, far more than 5% of true null hypotheses are rejected. These
designs raise the boundary so that all looks together keep the level. The maximum number of items
increases by a few percent, but the mean decreases. Timing is in information: items for independent
items. The boundaries come from numerical integration (Jennison and Turnbull 2000) and assume
normal, independent increments, which an average over tens of items per look has.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Sides
from nstar.stats._roots import bisect, bracketed
from nstar.stats.critical import k_factor, z_alpha

__all__ = ["GroupSequential", "Spending", "group_sequential"]


FARTHEST = 9.0
"""Largest boundary. Beyond it a standard normal has probability 1e-19."""
_NODES = 16
_PANEL = 3.0
"""Width of a panel in standard deviations of one step."""


@dataclass(frozen=True, slots=True, eq=False)
class _ContinuingWalks:
    """Walks without drift that have not stopped after a look.

    A walk is a Brownian motion in information time t in (0, 1]. At a look it is at B = Z √t, and
    it stops when Z exceeds the boundary. The sub-density of the continuing walks is propagated
    from look to look (Armitage, McPherson and Rowe 1969; Jennison and Turnbull 2000, chapter 19)
    on the nodes of a composite Gauss–Legendre rule. Only walks without drift are integrated: with
    drift theta the density at B is larger by the factor exp(theta B - theta² t / 2).
    """

    t: float
    """Information fraction at the look."""
    at: Array
    """Nodes on the scale of B."""
    mass: Array
    """Sub-density times quadrature weight at the nodes."""

    def with_drift(self, theta: float) -> Array:
        """Return the masses for a walk with drift ``theta``."""
        return np.asarray(self.mass * np.exp(theta * self.at - 0.5 * theta * theta * self.t))


@cache
def _rule() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(_NODES)


def _grid(bound: float, t: float, step: float, sides: Sides) -> tuple[Array, Array]:
    """Return nodes and weights over the region in which the walk continues."""
    high = bound * np.sqrt(t)
    low = -high if sides == 2 else -FARTHEST * np.sqrt(t)
    panels = max(2, int(np.ceil((high - low) / (_PANEL * np.sqrt(step)))))
    edges = np.linspace(low, high, panels + 1)
    nodes, weights = _rule()
    half = 0.5 * (edges[1] - edges[0])
    midpoints = 0.5 * (edges[1:] + edges[:-1])
    return (midpoints[:, None] + half * nodes).ravel(), np.tile(half * weights, panels)


def _start() -> _ContinuingWalks:
    """Return the state before the first look, in which every walk is at 0."""
    return _ContinuingWalks(0.0, np.zeros(1), np.ones(1))


def _exit_probabilities(
    before: _ContinuingWalks, t: float, bound: float, theta: float = 0.0
) -> tuple[float, float]:
    """Return the probabilities of exceeding the boundary above and below at the look at ``t``."""
    step = t - before.t
    mass = before.with_drift(theta)
    center, root, limit = before.at + theta * step, np.sqrt(step), bound * np.sqrt(t)
    up = float(mass @ special.ndtr((center - limit) / root))
    down = float(mass @ special.ndtr((-limit - center) / root))
    return up, down


def _still_going(
    before: _ContinuingWalks, t: float, bound: float, next_t: float, sides: Sides
) -> _ContinuingWalks:
    """Return the walks that the look at ``t`` does not stop.

    ``next_t`` sets the spacing of the nodes.
    """
    step = t - before.t
    at, weights = _grid(bound, t, min(step, next_t - t), sides)
    distances = at[:, None] - before.at[None, :]
    density = np.exp(-0.5 / step * distances * distances) @ before.mass / np.sqrt(2 * np.pi * step)
    return _ContinuingWalks(t, at, density * weights)


def _exits(
    walks: tuple[_ContinuingWalks, ...], timing: Array, bounds: Array, theta: float
) -> Array:
    """Return the exit probabilities, looks × (above, below).

    ``walks`` are those that enter each look.
    """
    looks = zip(walks, timing.tolist(), bounds.tolist(), strict=True)
    return np.array([_exit_probabilities(before, t, bound, theta) for before, t, bound in looks])


Spending: TypeAlias = Literal["obrien-fleming", "pocock", "lan-demets-of", "lan-demets-pocock"]

_SPENDING = ("obrien-fleming", "pocock", "lan-demets-of", "lan-demets-pocock")
_MOST_LOOKS = 100
_LEAST_STEP = 0.002
"""Smallest information between two looks, as a share of all, for which the nodes are distinct."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupSequential:
    """Boundaries of a group-sequential test, and its cost.

    An effect is a multiple of the design effect, the one that the fixed sample detects with the
    target power; 0 is equality.

    References
    ----------
    Jennison, Turnbull (2000), Group Sequential Methods with Applications to Clinical Trials.
    Methods: Interim looks.

    Examples
    --------
    >>> design = group_sequential(2)
    >>> design.looks, design.bounds.round(3).tolist(), design.spent.round(4).tolist()
    (2, [2.797, 1.977], [0.0052, 0.05])
    """

    alpha: float
    """Level of all looks together (both tails if two-sided)."""
    power: float
    """Probability to reject on the right side at the design effect."""
    sides: Sides
    """2 to stop for either model, 1 to stop only for the first."""
    spending: Spending
    """Method of distributing the level over the looks."""
    timing: Array
    """Information at each look as a share of the maximum; the last is 1."""
    bounds: Array
    """|Z| at which each look stops (Z if one-sided), at most 9."""
    nominal: Array
    """p-value at which each look stops, with the same number of sides."""
    spent: Array
    """Level used after each look under equality. The last value is alpha."""
    inflation: float
    """Maximum number of items divided by that of the fixed sample with the same level and
    power.
    """
    _walks: tuple[_ContinuingWalks, ...] = field(repr=False)

    @property
    def looks(self) -> int:
        """Return the number of looks."""
        return len(self.timing)

    @property
    def share_null(self) -> float:
        """Return the expected items under equality, as a share of the maximum."""
        return self.share(0.0)

    @property
    def share_design(self) -> float:
        """Return the expected items at the design effect, as a share of the maximum."""
        return self.share(1.0)

    def _exits(self, multiple: float) -> Array:
        checks.finite("multiple", multiple)
        drift = abs(multiple) if self.sides == 2 else multiple
        checks.require(drift >= 0, "multiple", ">= 0 in a one-sided design", drift)
        theta = drift * float(k_factor(self.alpha, self.power, sides=self.sides))
        return _exits(self._walks, self.timing, self.bounds, theta * np.sqrt(self.inflation))

    def stops(self, multiple: float = 1.0) -> Array:
        """Return the probability of stopping at each look.

        The last includes runs that never reject.
        """
        above, below = self._exits(multiple).T
        leave = above + below if self.sides == 2 else above
        leave[-1] = 1 - leave[:-1].sum()
        return np.asarray(leave)

    def share(self, multiple: float = 1.0) -> float:
        """Return the expected items as a share of the maximum.

        Examples
        --------
        >>> round(group_sequential(5).share(1.5), 3)
        0.602
        """
        return float(self.stops(multiple) @ self.timing)

    def cost(self, multiple: float = 1.0) -> float:
        """Return the expected items over those of the fixed sample with the same level and power.

        Examples
        --------
        >>> round(group_sequential(5).cost(1.5), 3)
        0.619
        """
        return self.inflation * self.share(multiple)

    def power_at(self, multiple: float) -> float:
        """Return the probability of rejecting in the right direction, or at 0, in one of them.

        Examples
        --------
        >>> round(group_sequential(5).power_at(0.5), 3)
        0.286
        """
        return float(self._exits(multiple)[:, 0].sum())


def _timing(looks: int, timing: FloatLike | None) -> Array:
    checks.within("looks", looks, (1, _MOST_LOOKS), f"1 to {_MOST_LOOKS}")
    checks.require(looks == int(looks), "looks", "a whole number", looks)
    if timing is None:
        return np.arange(1.0, looks + 1) / looks
    t = np.asarray(timing, dtype=np.float64)
    checks.require(t.ndim == 1, "number of axes of timing", "1", t.ndim)
    checks.require(len(t) == looks, "length of timing", f"{looks}, the number of looks", len(t))
    steps = np.diff(t, prepend=0.0)
    checks.require(
        steps >= _LEAST_STEP, "steps of timing", f"increasing by at least {_LEAST_STEP}", steps
    )
    checks.require(t[-1] == 1, "last timing", "1", t[-1])
    return t


def _follow(timing: Array, bounds: Array, sides: Sides) -> tuple[_ContinuingWalks, ...]:
    """Return the walks that enter each look."""
    walks = [_start()]
    for t, bound, following in zip(timing[:-1], bounds[:-1], timing[1:], strict=True):
        walks.append(_still_going(walks[-1], float(t), float(bound), float(following), sides))
    return tuple(walks)


def _shaped(timing: Array, shape: Array, alpha: float, sides: Sides) -> Array:
    """Return boundaries of one shape, scaled so that all looks together have the level."""

    def at(constant: float) -> Array:
        return np.minimum(constant * shape, FARTHEST)

    def excess(constant: Array) -> Array:
        bounds = at(float(constant))
        exits_under_equality = _exits(_follow(timing, bounds, sides), timing, bounds, 0.0)
        return np.log(exits_under_equality[:, :sides].sum() / alpha)

    if len(timing) == 1:
        return np.array([float(z_alpha(alpha, sides=sides))])
    low, high = (float(z_alpha(level, sides=sides)) for level in (alpha, alpha / len(timing)))
    return at(float(bracketed(excess, low, high)))


def _spent(kind: Spending, t: Array, tail: float) -> Array:
    """Return the level of one tail that is spent by each look (Lan and DeMets 1983)."""
    if kind == "lan-demets-of":
        return 2 * special.ndtr(special.ndtri(tail / 2) / np.sqrt(t))
    return tail * np.log1p((np.e - 1) * t)


def _spending_bounds(timing: Array, kind: Spending, alpha: float, sides: Sides) -> Array:
    """Return boundaries that spend the level according to the spending function, look by look."""
    to_spend = np.diff(sides * _spent(kind, timing, alpha / sides), prepend=0.0)
    walk, bounds = _start(), []
    for k, t in enumerate(timing.tolist()):

        def over(bound: Array, walk: _ContinuingWalks = walk, t: float = t, k: int = k) -> bool:
            return sum(_exit_probabilities(walk, t, float(bound))[:sides]) > to_spend[k]

        bound = float(bisect(lambda x: np.asarray(over(x)), -FARTHEST, FARTHEST))
        bounds.append(bound)
        if k + 1 < len(timing):
            walk = _still_going(walk, t, bound, float(timing[k + 1]), sides)
    return np.array(bounds)


def _inflation(
    walks: tuple[_ContinuingWalks, ...], timing: Array, bounds: Array, fixed: float, power: float
) -> float:
    """Return the squared ratio of the drift with the target power to that of the fixed sample."""

    def short(theta: Array) -> Array:
        return _exits(walks, timing, bounds, float(theta))[:, 0].sum() - power

    return (float(bracketed(short, 0.5 * fixed, 4 * fixed)) / fixed) ** 2


def group_sequential(
    looks: int = 5,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: Sides = 2,
    spending: Spending = "obrien-fleming",
    timing: FloatLike | None = None,
) -> GroupSequential:
    """Return the boundaries for a planned number of looks, and the items they save.

    Parameters
    ----------
    looks : int, default 5
        Number of looks, including the one at the end, from 1 to 100. With one look, it is the
        fixed sample.
    alpha : float, default 0.05
        Level of all looks together, in (0, 1).
    power : float, default 0.8
        Target power: probability of detecting the gap, in (0, 1), at the design effect; above
        alpha / sides.
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest. It then stops only for the
        first model.
    spending : {"obrien-fleming", "pocock", "lan-demets-of", "lan-demets-pocock"}
        How the level is spent over the looks. The default, ``obrien-fleming``, has a boundary ∝
        1/√t, which is strict at first. ``pocock`` has the same |Z| at every look.
        ``lan-demets-of`` and ``lan-demets-pocock`` are spending functions close to them. Their
        later looks may move, if the move does not depend on the results.
    timing : array_like, optional
        Information at each look as a share of the maximum, increasing to 1 by steps of at least
        0.002; equal steps if None.

    Returns
    -------
    GroupSequential
        Boundaries, level spent, and items relative to those of the fixed sample.

    References
    ----------
    Jennison, Turnbull (2000), Group Sequential Methods with Applications to Clinical Trials.
    O'Brien, Fleming (1979), Biometrics 35. Pocock (1977), Biometrika 64. Lan, DeMets (1983),
    Biometrika 70. Methods: Interim looks.

    Examples
    --------
    Five looks of O'Brien and Fleming cost 2.8% more items at most, and save 18% on average at the
    design effect:

    >>> design = group_sequential(5)
    >>> design.bounds.round(3)
    array([4.562, 3.226, 2.634, 2.281, 2.04 ])
    >>> round(design.inflation, 3), round(design.cost(), 3)
    (1.028, 0.818)
    """
    checks.fraction("alpha", alpha)
    checks.fraction("power", power)
    checks.choice("sides", sides, (1, 2))
    checks.choice("spending", spending, _SPENDING)
    checks.require(power > alpha / sides, "power", "above the level of one tail", power)
    t = _timing(looks, timing)
    if spending.startswith("lan-demets"):
        bounds = _spending_bounds(t, spending, alpha, sides)
    else:
        shape = np.ones_like(t) if spending == "pocock" else 1 / np.sqrt(t)
        bounds = _shaped(t, shape, alpha, sides)
    walks = _follow(t, bounds, sides)
    fixed = float(k_factor(alpha, power, sides=sides))
    return GroupSequential(
        alpha=alpha,
        power=power,
        sides=sides,
        spending=spending,
        timing=t,
        bounds=bounds,
        nominal=sides * special.ndtr(-bounds),
        spent=np.cumsum(_exits(walks, t, bounds, 0.0)[:, :sides].sum(axis=1)),
        inflation=_inflation(walks, t, bounds, fixed, power),
        _walks=walks,
    )
