"""Scenarios with grouped items: clusters, strata, and runs of tasks."""

from functools import lru_cache

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, IntArray
from nstar._verbs.simulate.sample import Scores
from nstar._verbs.simulate.scenarios.base import SCENARIOS, UNBOUNDED, correlated, normals
from nstar._verbs.simulate.scenarios.latent import latent_of_beta
from nstar._verbs.simulate.scenarios.quantiles import beta_quantiles


@lru_cache(maxsize=64)
def cluster_sizes(items: int, clusters: int, spread: float) -> IntArray:
    """Return the sizes of clusters in ascending order, proportional to lognormal quantiles."""
    checks.require(clusters >= 2, "clusters", "at least 2", clusters)
    checks.require(
        items >= clusters, "items", f"at least {clusters}, the number of clusters", items
    )
    checks.nonnegative("spread", spread)
    share = np.exp(spread * special.ndtri((np.arange(clusters) + 0.5) / clusters))
    target_sizes = (items - clusters) * share / share.sum()
    sizes = np.floor(target_sizes).astype(np.int64)
    left = items - clusters - int(sizes.sum())
    sizes[np.argsort(sizes - target_sizes, kind="stable")[:left]] += 1
    return np.sort(sizes) + 1


@SCENARIOS.add
def clusters(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    clusters: int = 20,
    spread: float = 1.0,
    icc: float = 0.1,
    sd: float = 0.4,
    delta: float = 0.0,
) -> Scores:
    """Normal differences on items in a random sample of clusters of unequal size.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items of all clusters together.
    clusters : int, default 20
        How many.
    spread : float, default 1.0
        How unequal: standard deviation of the logarithm of a cluster's size; 0 for equal sizes.
    icc : float, default 0.1
        Correlation of the differences of two items of a cluster.
    sd : float, default 0.4
        Standard deviation of a difference, which is not bounded.
    delta : float, default 0.0
        True gap, over all clusters there might be.
    """
    checks.probability("icc", icc)
    checks.positive("sd", sd)
    sizes = cluster_sizes(items, int(clusters), spread)
    z = rng.standard_normal((reps, len(sizes) + items))
    d = z[:, len(sizes) :] * (sd * np.sqrt(1 - icc))
    d += np.repeat(z[:, : len(sizes)] * (sd * np.sqrt(icc)), sizes, axis=1)
    d += delta
    return Scores(d=d, truth=float(delta), sizes=sizes, limits=UNBOUNDED)


@lru_cache(maxsize=64)
def _strata_gaps(items: int, strata: int, spread: float, between: float) -> Array:
    """Return the deviation of each stratum's gap, as normal quantiles with mean 0 over items."""
    sizes = cluster_sizes(items, strata, spread)
    up = special.ndtri((np.arange(strata) + 0.5) / strata)
    # both large and small strata get gaps of either sign
    gaps = np.concatenate([up[::2], up[1::2][::-1]])
    gaps -= sizes @ gaps / items
    return np.asarray(between * gaps / np.sqrt(sizes @ gaps**2 / items))


@SCENARIOS.add
def strata(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    strata: int = 14,
    spread: float = 1.0,
    between: float = 0.08,
    sd: float = 0.4,
    delta: float = 0.0,
) -> Scores:
    """Items in fixed groups that make up the benchmark, each with its own gap.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items of all strata together.
    strata : int, default 14
        How many.
    spread : float, default 1.0
        How unequal: standard deviation of the logarithm of a stratum's size; 0 for equal sizes.
    between : float, default 0.08
        Standard deviation over items of the gaps of their strata, the same in all replications.
    sd : float, default 0.4
        Standard deviation of a difference within its stratum, which is not bounded.
    delta : float, default 0.0
        True gap, over the items of these strata.
    """
    checks.nonnegative("between", between)
    checks.positive("sd", sd)
    sizes = cluster_sizes(items, int(strata), spread)
    d = rng.standard_normal((reps, items))
    d *= sd
    d += delta + np.repeat(_strata_gaps(items, int(strata), spread, between), sizes)
    return Scores(d=d, truth=float(delta), sizes=sizes, limits=UNBOUNDED)


def _successes(p: Array, z: Array, runs: int) -> Array:
    """Return binomial counts of ``runs`` with probabilities ``p``, by inversion at ``z``."""
    flip = p > 0.5
    chance = np.where(flip, 1 - p, p)
    u = special.ndtr(np.where(flip, -z, z))
    odds = chance / (1 - chance)
    mass = (1 - chance) ** runs
    below, count = mass.copy(), np.zeros_like(p)
    for k in range(runs):
        count += u > below
        mass *= odds * ((runs - k) / (k + 1))
        below += mass
    return np.where(flip, runs - count, count)


@SCENARIOS.add
def runs(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    runs: int = 5,
    mean: float = 0.6,
    sd: float = 0.25,
    rho: float = 0.8,
    delta: float = 0.0,
) -> Scores:
    """Tasks that each model runs several times, with differences between mean scores.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of tasks.
    runs : int, default 5
        Attempts of each model at each task, at most 1,000.
    mean, sd : float
        Of the second model's chance of success over tasks, a Beta law; the first's has the same
        standard deviation.
    rho : float, default 0.8
        Correlation over tasks of the two models' chances, as in a plan of tasks and runs.
    delta : float, default 0.0
        True gap.
    """
    checks.require(
        1 <= runs <= 1000 and runs == int(runs), "runs", "a whole number from 1 to 1000", runs
    )
    latent = latent_of_beta(rho, mean, delta, sd)
    z = normals(rng, reps, 4, items)
    first, second = correlated(z[:, :2], latent)
    d = _successes(beta_quantiles(mean + delta, sd)(first), z[:, 2], int(runs))
    d -= _successes(beta_quantiles(mean, sd)(second), z[:, 3], int(runs))
    d /= runs
    return Scores(d=d, truth=float(delta))
