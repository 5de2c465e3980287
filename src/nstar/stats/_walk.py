"""A random walk between boundaries: its sub-density look by look, and where it leaves.

Armitage, McPherson and Rowe 1969; Jennison and Turnbull 2000, chapter 19. The walk is a
Brownian motion in information time t in (0, 1]; at look k it stands at B = Z √t and stops when
Z leaves the boundary. The sub-density of walks that are still going is carried on the nodes of
a composite Gauss–Legendre rule. Only the walk without drift is integrated: with drift theta the
density at B is larger by the factor exp(theta B - theta² t / 2).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import special

from nstar._base.types import Array, Sides

FARTHEST = 9.0
"""No boundary lies farther out: beyond, a standard normal has 1e-19."""
_NODES = 16
_PANEL = 3.0
"""Width of a panel in standard deviations of one step."""


@dataclass(frozen=True, slots=True, eq=False)
class Going:
    """Walks without drift that are still going after a look."""

    t: float
    """Information fraction at the look."""
    at: Array
    """Nodes on the scale of B."""
    mass: Array
    """Sub-density times quadrature weight at the nodes."""

    def with_drift(self, theta: float) -> Array:
        """The same masses for a walk with drift ``theta``."""
        return np.asarray(self.mass * np.exp(theta * self.at - 0.5 * theta * theta * self.t))


@cache
def _rule() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(_NODES)


def _grid(bound: float, t: float, step: float, sides: Sides) -> tuple[Array, Array]:
    """Nodes and weights over the region in which the walk goes on."""
    high = bound * np.sqrt(t)
    low = -high if sides == 2 else -FARTHEST * np.sqrt(t)
    panels = max(2, int(np.ceil((high - low) / (_PANEL * np.sqrt(step)))))
    edges = np.linspace(low, high, panels + 1)
    nodes, weights = _rule()
    half = 0.5 * (edges[1] - edges[0])
    middle = 0.5 * (edges[1:] + edges[:-1])
    return (middle[:, None] + half * nodes).ravel(), np.tile(half * weights, panels)


def start() -> Going:
    """Before the first look every walk stands at 0."""
    return Going(0.0, np.zeros(1), np.ones(1))


def ahead(before: Going, t: float, bound: float, theta: float = 0.0) -> tuple[float, float]:
    """Probability to leave above, and below, at the look at ``t``."""
    step = t - before.t
    mass = before.with_drift(theta)
    centre, root, limit = before.at + theta * step, np.sqrt(step), bound * np.sqrt(t)
    up = float(mass @ special.ndtr((centre - limit) / root))
    down = float(mass @ special.ndtr((-limit - centre) / root))
    return up, down


def still_going(before: Going, t: float, bound: float, next_t: float, sides: Sides) -> Going:
    """Walks that the look at ``t`` does not stop; ``next_t`` sets how fine the nodes lie."""
    step = t - before.t
    at, weights = _grid(bound, t, min(step, next_t - t), sides)
    far = at[:, None] - before.at[None, :]
    density = np.exp(-0.5 / step * far * far) @ before.mass / np.sqrt(2 * np.pi * step)
    return Going(t, at, density * weights)


def exits(walks: tuple[Going, ...], timing: Array, bounds: Array, theta: float) -> Array:
    """Looks × (above, below): probabilities to leave there; ``walks`` as they enter each look."""
    looks = zip(walks, timing.tolist(), bounds.tolist(), strict=True)
    return np.array([ahead(before, t, bound, theta) for before, t, bound in looks])
