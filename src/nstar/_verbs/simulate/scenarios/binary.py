"""Scenarios with 0/1 scores and independent items: counts of two models."""

from functools import lru_cache

import numpy as np
from scipy import special

from nstar import stats
from nstar._base import checks
from nstar._verbs.simulate.sample import Counts
from nstar._verbs.simulate.scenarios.base import SCENARIOS, counted
from nstar._verbs.simulate.scenarios.latent import orthant


def table(rng: np.random.Generator, reps: int, items: int, psi: float, delta: float) -> Counts:
    """Return replications of a paired table with discordance ``psi`` and gap ``delta``."""
    checks.feasible(
        abs(delta) <= psi + 1e-12,
        f"delta = {delta:.6g} is impossible with psi = {psi:.6g}: |delta| cannot exceed psi",
    )
    p10, p01 = max((psi + delta) / 2, 0.0), max((psi - delta) / 2, 0.0)
    cells = rng.multinomial(items, [p10, p01, max(1 - p10 - p01, 0.0)], size=reps)
    return Counts(
        items=items,
        n10=cells[:, 0],
        n01=cells[:, 1],
        truth=float(delta),
        sigma=float(np.sqrt(max(psi - delta * delta, 0.0))),
    )


@SCENARIOS.add
@counted
def bernoulli(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    p_b: float = 0.7,
    delta: float = 0.0,
    rho: float = 0.4,
    psi: float | None = None,
) -> Counts:
    """Right or wrong answers of two models to items of equal difficulty.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    p_b : float, default 0.7
        Accuracy of the second model; the first has ``p_b + delta``.
    delta : float, default 0.0
        True gap.
    rho : float, default 0.4
        Correlation of the two scores of an item.
    psi : float, optional
        Share of items on which they differ; replaces ``rho`` if given.
    """
    if psi is None:
        share = float(stats.psi_from_rho(p_b + delta, p_b, rho))
    else:
        low, high = (float(v) for v in stats.psi_bounds(p_b + delta, p_b))
        checks.feasible(
            low - 1e-12 <= psi <= high + 1e-12,
            f"psi = {psi:.6g} is impossible for accuracies {p_b + delta:.6g} and {p_b:.6g}: "
            f"feasible psi is {low:.4f} to {high:.4f}",
        )
        share = psi
    return table(rng, reps, items, share, delta)


@lru_cache(maxsize=256)
def both_right(p_a: float, p_b: float, rho: float) -> float:
    """Return the probability that both models are right, at a correlation of normals."""
    return float(orthant(special.ndtri(p_a), special.ndtri(p_b), rho))


@SCENARIOS.add
@counted
def latent(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    p_b: float = 0.7,
    delta: float = 0.0,
    spread: float = 1.0,
) -> Counts:
    """Items of varying difficulty, right if ability + easiness + noise is above 0.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    p_b : float, default 0.7
        Accuracy of the second model; the first has ``p_b + delta``.
    delta : float, default 0.0
        True gap.
    spread : float, default 1.0
        Standard deviation of easiness, normal, which both models meet; each model's own noise has
        1. Large spread means that models fail on the same items.
    """
    checks.fraction("p_b", p_b)
    checks.fraction("p_b + delta", p_b + delta)
    checks.nonnegative("spread", spread)
    p_both = both_right(p_b + delta, p_b, spread**2 / (1 + spread**2))
    return table(rng, reps, items, max(2 * (p_b - p_both) + delta, abs(delta)), delta)
