"""Scenarios with graded scores of one law and independent items."""

from functools import lru_cache

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.simulate.sample import Scores
from nstar._verbs.simulate.scenarios.base import SCENARIOS, UNBOUNDED, correlated, normals
from nstar._verbs.simulate.scenarios.quantiles import beta_quantiles, clipped_mean


@SCENARIOS.add
def normal(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    mean: float = 0.65,
    sd: float = 0.12,
    rho: float = 0.8,
    delta: float = 0.0,
) -> Scores:
    """Normal scores, cut off at 0 and 1, with one correlation for all items.

    Parameters
    ----------
    rng, reps, items
        Random numbers, replications, items.
    mean, sd
        Of the second model's score before it is cut off.
    rho
        Correlation of the two scores of an item before they are cut off.
    delta
        How much the first model's mean is above the second's before they are cut off; the true
        gap, of scores cut off, is a little smaller.
    """
    truth = clipped_mean(mean + delta, sd) - clipped_mean(mean, sd)
    z = normals(rng, reps, 2, items)
    first, second = correlated(z, rho, sd)
    first += mean + delta
    second += mean
    np.clip(z, 0, 1, out=z)
    return Scores(d=first - second, truth=truth)


@SCENARIOS.add
def beta(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    mean: float = 0.65,
    sd: float = 0.12,
    rho: float = 0.8,
    delta: float = 0.0,
) -> Scores:
    """Beta scores that depend on each other through a Gaussian copula.

    Parameters
    ----------
    rng, reps, items
        Random numbers, replications, items.
    mean, sd
        Mean of the second model's score, and standard deviation of both models'.
    rho
        Correlation of the normals behind the two scores of an item.
    delta
        True gap.
    """
    first, second = correlated(normals(rng, reps, 2, items), rho)
    d = beta_quantiles(mean + delta, sd)(first)
    d -= beta_quantiles(mean, sd)(second)
    return Scores(d=d, truth=float(delta))


@SCENARIOS.add
def heavy_tailed(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    df: float = 3.0,
    scale: float = 0.1,
    delta: float = 0.0,
) -> Scores:
    """Differences with Student's t law: a few items differ by far more than the rest.

    Parameters
    ----------
    rng, reps, items
        Random numbers, replications, items.
    df
        Degrees of freedom, above 1; up to 2 the variance is infinite.
    scale
        Factor of a difference of t law, which is then not bounded.
    delta
        True gap.
    """
    checks.require(df > 1, "df", "above 1, or there is no mean", df)
    checks.positive("scale", scale)
    d = rng.standard_t(df, (reps, items))
    d *= scale
    d += delta
    sigma = float(scale * np.sqrt(df / (df - 2))) if df > 2 else None
    return Scores(d=d, truth=float(delta), limits=UNBOUNDED, sigma=sigma)


@lru_cache(maxsize=64)
def _steps(levels: int, mean: float) -> Array:
    """Normals at which a binomial score of this mean goes up by one level."""
    checks.fraction("mean score", mean)
    return np.asarray(special.ndtri(special.bdtr(np.arange(levels - 1), levels - 1, mean)))


def _level(z: Array, steps: Array) -> Array:
    """How many steps lie below each normal; a pass per step beats a search by far."""
    out = np.zeros(z.shape)
    for step in steps.tolist():
        out += z > step
    return out


@SCENARIOS.add
def ties(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    levels: int = 5,
    mean: float = 0.65,
    rho: float = 0.8,
    delta: float = 0.0,
) -> Scores:
    """Scores on a few levels, as from a rubric: many differences are equal, many are 0.

    Parameters
    ----------
    rng, reps, items
        Random numbers, replications, items.
    levels
        Equally spaced from 0 to 1, at least 2; a score is a binomial count over ``levels - 1``.
    mean
        Of the second model's score.
    rho
        Correlation of the normals behind the two scores of an item.
    delta
        True gap.
    """
    checks.require(levels >= 2 and levels == int(levels), "levels", "a whole number ≥ 2", levels)
    first, second = correlated(normals(rng, reps, 2, items), rho)
    d = _level(first, _steps(int(levels), mean + delta))
    d -= _level(second, _steps(int(levels), mean))
    d /= levels - 1
    return Scores(d=d, truth=float(delta))
