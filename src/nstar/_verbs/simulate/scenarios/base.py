"""Registry of scenarios, and shared helpers for normals and correlation."""

import math
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import numpy as np

from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.simulate.registry import Registry

Scenario: TypeAlias = Callable[..., Any]
"""Function ``scenario(rng, reps, items, *, parameter=default, …)`` that returns replications of an
evaluation.

It returns Counts or Scores of two models, or a Board of several.
"""

SCENARIOS: Registry[Scenario] = Registry("scenario")
"""Scenarios by name."""

UNBOUNDED = (-np.inf, np.inf)
"""Worst and best score of an unbounded scale."""

F = TypeVar("F", bound=Scenario)


def counted(scenario: F) -> F:
    """Mark a scenario whose replications are a few counts, so that many are drawn at a time."""
    scenario.counted = True  # type: ignore[attr-defined]
    return scenario


def normals(rng: np.random.Generator, reps: int, rows: int, items: int) -> Array:
    """Return standard normals, (reps, rows, items).

    Replications are drawn one after the other, so that a replication does not depend on the number
    drawn at a time.
    """
    return rng.standard_normal((reps, rows, items))


def correlated(z: Array, rho: float, scale: float = 1.0) -> tuple[Array, Array]:
    """Return two correlated variables with this sd, (reps, items) each, from normals.

    The second result equals the second normal.
    """
    if not -1 <= rho <= 1:
        checks.correlation("rho", rho)
    mix = np.array([[scale * math.sqrt(1 - rho * rho), scale * rho]])
    return np.matmul(mix, z)[:, 0], z[:, 1] * scale  # a matrix product saves a pass


def added_later(*names: str) -> Callable[[F], F]:
    """Mark parameters that were added after results of a scenario were published.

    At their default, these parameters do not affect the random numbers, so published results stay
    reproducible.
    """

    def marked(scenario: F) -> F:
        scenario.later = names  # type: ignore[attr-defined]
        return scenario

    return marked
