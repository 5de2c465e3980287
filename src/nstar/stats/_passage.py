"""When a Brownian motion first reaches a moving line: an integral equation, solved once.

A path that is above the line at time t has reached it before, at some time u, and has stayed
above since with a probability that is known: P(W_t >= b_t) is the integral of that probability
over the law of u (Fortet 1943). On a grid of times this is a triangular system. A walk of normal
steps that is seen only after each step reaches the line later than a motion that is always seen,
just as if the line lay 0.5826 standard deviations of a step higher (Siegmund 1985).
"""

from functools import cache

import numpy as np
from scipy import special

from nstar._base.types import Array

LAG = 0.5826
"""Mean overshoot of a walk of standard normal steps, -zeta(½) / √(2π)."""
_NODES = 40
_FAR = 9.0
"""Standard deviations beyond which a normal law has nothing."""


@cache
def _rule() -> tuple[Array, Array]:
    """Nodes and weights on (0, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return 0.5 * (nodes + 1), 0.5 * weights


def _above(clock: Array, line: Array, first: float) -> Array:
    """P(W >= line, and W < first at the first time) at each later time."""
    t, b = clock[1:], line[1:]
    if clock[0] == 0:
        return np.asarray(special.ndtr(-b / np.sqrt(t)))
    root, since = np.sqrt(clock[0]), np.sqrt(t - clock[0])
    high = min(first, _FAR * root)
    low = np.maximum(np.minimum(high, b) - _FAR * since, -_FAR * root)
    wide = np.maximum(high - low, 0.0)
    nodes, weights = _rule()
    at = high - wide[:, None] * nodes
    later = special.ndtr((at - b[:, None]) / since[:, None])
    density = np.exp(-0.5 * np.square(at / root)) / (root * np.sqrt(2 * np.pi))
    return np.asarray((density * later) @ weights * wide)


def reached(clock: Array, line: Array, first: float = np.inf) -> Array:
    """Probability that a Brownian motion from 0 has reached a line by each time.

    Parameters
    ----------
    clock
        Increasing times, the variance of the motion; nobody looks before the first.
    line
        Height of the line at each; it may jump down, not up, but at the first.
    first
        Height that counts at the first time, if that is not 0.

    Examples
    --------
    A level of 2 by time 1, by the reflection principle 2 (1 - Phi(2)):

    >>> clock = np.linspace(0, 1, 101)
    >>> round(float(reached(clock, np.full(101, 2.0))[-1]), 4)
    0.0455
    """
    t, b = clock[1:], line[1:]
    middle, height = 0.5 * (clock[1:] + clock[:-1]), 0.5 * (line[1:] + line[:-1])
    since = t[:, None] - middle
    after = since > 0
    root = np.sqrt(np.where(after, since, 1.0))
    stays = np.where(after, special.ndtr((height - b[:, None]) / root), 0.0)
    known = _above(clock, line, first)
    left = np.zeros_like(t)
    for k in range(len(t)):
        left[k] = max((known[k] - stays[k, :k] @ left[:k]) / stays[k, k], 0.0)
    start = 0.0 if clock[0] == 0 else float(special.ndtr(-first / np.sqrt(clock[0])))
    return np.minimum(start + np.concatenate([[0.0], np.cumsum(left)]), 1.0)
