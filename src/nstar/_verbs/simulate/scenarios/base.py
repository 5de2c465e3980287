"""The registry of scenarios, and what they share: normals in rows, and correlation."""

import math
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import numpy as np

from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.simulate.registry import Registry

Scenario: TypeAlias = Callable[..., Any]
"""``scenario(rng, reps, items, *, parameter=default, …)``: replications of one evaluation.

Counts or Scores of two models, or a Board of several.
"""

SCENARIOS: Registry[Scenario] = Registry("scenario")
"""How scores come about, by name."""

UNBOUNDED = (-np.inf, np.inf)
"""Worst and best score where there is none."""

F = TypeVar("F", bound=Scenario)


def counted(scenario: F) -> F:
    """Mark a scenario whose replications are a few counts, so that many are drawn at once."""
    scenario.counted = True  # type: ignore[attr-defined]
    return scenario


def normals(rng: np.random.Generator, reps: int, rows: int, items: int) -> Array:
    """Standard normals, (reps, rows, items).

    One replication after the other, so that a replication does not depend on how many are drawn
    at once.
    """
    return rng.standard_normal((reps, rows, items))


def correlated(z: Array, rho: float, scale: float = 1.0) -> tuple[Array, Array]:
    """Two that correlate and have this sd, each (reps, items), of normals (reps, 2, items).

    The second is the second of those given.
    """
    if not -1 <= rho <= 1:
        checks.correlation("rho", rho)
    mix = np.array([[scale * math.sqrt(1 - rho * rho), scale * rho]])
    return np.matmul(mix, z)[:, 0], z[:, 1] * scale  # a product for a pass less


def added_later(*names: str) -> Callable[[F], F]:
    """Mark parameters that came after numbers of a scenario were published.

    Left at their default they change no random number, so that those numbers stay what they are.
    """

    def marked(scenario: F) -> F:
        scenario.later = names  # type: ignore[attr-defined]
        return scenario

    return marked
