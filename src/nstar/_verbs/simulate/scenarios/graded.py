"""Scenarios with graded scores and independent items: of one law, or of different kinds."""

from functools import lru_cache

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.simulate.sample import Scores
from nstar._verbs.simulate.scenarios.base import SCENARIOS, UNBOUNDED, correlated, normals
from nstar._verbs.simulate.scenarios.latent import (
    latent_of_beta,
    latent_of_bimodal,
    latent_of_clipped,
    latent_of_levels,
    latent_of_zero_inflated,
)
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
    """Normal scores that are truncated at 0 and 1, with one correlation for all items.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    mean, sd : float
        Of the second model's score before it is cut off.
    rho : float, default 0.8
        Correlation of the two scores of an item.
    delta : float, default 0.0
        How much the first model's mean is above the second's before they are cut off; the true
        gap, of scores cut off, is a little smaller.
    """
    truth = clipped_mean(mean + delta, sd) - clipped_mean(mean, sd)
    latent = latent_of_clipped(rho, mean, delta, sd)
    first, second = correlated(normals(rng, reps, 2, items), latent, sd)
    if delta:
        first += delta
    d = first.clip(-mean, 1 - mean, out=first)
    d -= second.clip(-mean, 1 - mean, out=second)
    return Scores(d=d, truth=truth)


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
    """Beta-distributed scores that are correlated through a Gaussian copula.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    mean, sd : float
        Mean of the second model's score, and standard deviation of both models'.
    rho : float, default 0.8
        Correlation of the two scores of an item.
    delta : float, default 0.0
        True gap.
    """
    latent = latent_of_beta(rho, mean, delta, sd)
    upper, lower = beta_quantiles(mean + delta, sd), beta_quantiles(mean, sd)
    first, second = correlated(normals(rng, reps, 2, items), latent, lower.density)
    if upper.density != lower.density:
        first *= upper.density / lower.density
    d = upper.put(first)
    d -= lower.put(second)
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
    """Differences with a Student t distribution, so that a few items differ by far more.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    df : float, default 3.0
        Degrees of freedom, above 1; up to 2 the variance is infinite.
    scale : float, default 0.1
        Factor of a difference of t law, which is then not bounded.
    delta : float, default 0.0
        True gap.
    """
    checks.require(df > 1, "df", "above 1 (otherwise the mean does not exist)", df)
    checks.positive("scale", scale)
    d = rng.standard_t(df, (reps, items))
    d *= scale
    d += delta
    sigma = float(scale * np.sqrt(df / (df - 2))) if df > 2 else None
    return Scores(d=d, truth=float(delta), limits=UNBOUNDED, sigma=sigma)


@lru_cache(maxsize=64)
def level_steps(levels: int, mean: float) -> Array:
    """Return the normals at which a binomial score with this mean increases by one level."""
    checks.fraction("mean score", mean)
    return np.asarray(special.ndtri(special.bdtr(np.arange(levels - 1), levels - 1, mean)))


def level_of(z: Array, steps: Array) -> Array:
    """Return the number of steps below each normal.

    A pass per step is much faster than a search.
    """
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
    rho: float = 0.7,
    delta: float = 0.0,
) -> Scores:
    """Scores on a few levels, as from a rubric, with many equal differences and many zeros.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    levels : int, default 5
        Equally spaced from 0 to 1, at least 2; a score is a binomial count over ``levels - 1``.
    mean : float, default 0.65
        Of the second model's score.
    rho : float, default 0.7
        Correlation of the two scores of an item.
    delta : float, default 0.0
        True gap.
    """
    checks.require(levels >= 2 and levels == int(levels), "levels", "a whole number ≥ 2", levels)
    upper, lower = (level_steps(int(levels), m) for m in (mean + delta, mean))
    latent = latent_of_levels(rho, upper, lower)
    first, second = correlated(normals(rng, reps, 2, items), latent)
    d = level_of(first, upper)
    d -= level_of(second, lower)
    d /= levels - 1
    return Scores(d=d, truth=float(delta))


@SCENARIOS.add
def zero_inflated(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    zeros: float = 0.3,
    mean: float = 0.65,
    sd: float = 0.12,
    rho: float = 0.6,
    delta: float = 0.0,
) -> Scores:
    """Beta-distributed scores, of which a share is 0, as after parsing errors.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    zeros : float, default 0.3
        Share of a model's scores that are 0.
    mean, sd : float
        Of the second model's other scores. The first model's have a mean higher by
        ``delta / (1 - zeros)``, which makes a gap of ``delta`` over all items.
    rho : float, default 0.6
        Correlation of the two scores of an item. Whether they are 0, and how high they are if
        not, depend on normals that correlate equally.
    delta : float, default 0.0
        True gap.
    """
    checks.within("zeros", zeros, (0, 1), "in [0, 1)", ends=(True, False))
    upper = mean + delta / (1 - zeros)
    latent = latent_of_zero_inflated(rho, zeros, (upper, mean), sd)
    z = normals(rng, reps, 4, items)
    cut = special.ndtri(zeros)
    none_first, none_second = (v < cut for v in correlated(z[:, :2], latent))
    first, second = correlated(z[:, 2:], latent)
    d = beta_quantiles(upper, sd)(first)
    d[none_first] = 0.0
    other = beta_quantiles(mean, sd)(second)
    other[none_second] = 0.0
    d -= other
    return Scores(d=d, truth=float(delta))


@SCENARIOS.add
def bimodal(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    distance: float = 0.7,
    share: float = 0.6,
    sd: float = 0.08,
    rho: float = 0.6,
    delta: float = 0.0,
) -> Scores:
    """Scores near one of two values, because a model either masters an item or does not.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    distance, sd : float
        Distance of the two modes, at 0.5 ± distance / 2, and standard deviation of the Beta law of
        each.
    share : float, default 0.6
        Share of items the second model masters; the first masters ``delta / distance`` more.
    rho : float, default 0.6
        Correlation of the two scores of an item. The mode and the score within it depend on
        normals that correlate equally.
    delta : float, default 0.0
        True gap.
    """
    checks.fraction("distance", distance)
    share_first = share + delta / distance
    checks.probability("share", share)
    checks.probability("share + delta / distance", share_first)
    modes = (0.5 - distance / 2, 0.5 + distance / 2)
    latent = latent_of_bimodal(rho, (share_first, share), modes, sd)
    z = normals(rng, reps, 4, items)
    mode_first, mode_second = correlated(z[:, :2], latent)
    first, second = correlated(z[:, 2:], latent)
    at_low, at_high = (beta_quantiles(mode, sd) for mode in modes)
    d = np.where(mode_first < special.ndtri(share_first), at_high(first), at_low(first))
    d -= np.where(mode_second < special.ndtri(share), at_high(second), at_low(second))
    return Scores(d=d, truth=float(delta))


@SCENARIOS.add
def heterogeneous(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    share: float = 0.2,
    sd: float = 0.12,
    rho: float = 0.8,
    delta: float = 0.0,
) -> Scores:
    """A gap that is due to only a share of the items, which improve by more.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    share : float, default 0.2
        Share of items, at random, on which the first model gains ``delta / share``.
    sd, rho : float
        Standard deviation and correlation of two normal scores, not cut off, before the gain.
    delta : float, default 0.0
        True gap.
    """
    checks.within("share", share, (0, 1), "in (0, 1]", ends=(False, True))
    checks.positive("sd", sd)
    z = normals(rng, reps, 3, items)
    first, second = correlated(z[:, :2], rho, sd)
    d = first - second
    d += np.where(z[:, 2] < special.ndtri(share), delta / share, 0.0)
    variance = 2 * sd**2 * (1 - rho) + delta**2 * (1 - share) / share
    sigma = float(np.sqrt(variance))
    return Scores(d=d, truth=float(delta), limits=UNBOUNDED, sigma=sigma)


@SCENARIOS.add
def varying_rho(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    easy: float = 0.95,
    hard: float = 0.3,
    sd: float = 0.12,
    delta: float = 0.0,
) -> Scores:
    """Scores of models that agree on easy items and disagree on hard items.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    easy, hard : float
        Correlation, given its difficulty, of what two models make of the easiest and of the
        hardest item; between them it follows the rank of difficulty. Half of the variance of a
        score is difficulty itself, which both models meet.
    sd : float, default 0.12
        Standard deviation of a normal score, not cut off.
    delta : float, default 0.0
        True gap.
    """
    checks.correlation("easy", easy)
    checks.correlation("hard", hard)
    checks.positive("sd", sd)
    z = normals(rng, reps, 3, items)
    rho = special.ndtr(z[:, 2])
    rho *= easy - hard
    rho += hard
    # the shared half cancels: d = sd √½ (rho z1 + √(1 - rho²) z0 - z1) + delta.
    d = np.sqrt(1 - rho * rho) * z[:, 0]
    rho -= 1
    rho *= z[:, 1]
    d += rho
    d *= sd * np.sqrt(0.5)
    d += delta
    sigma = float(sd * np.sqrt(1 - (easy + hard) / 2))
    return Scores(d=d, truth=float(delta), limits=UNBOUNDED, sigma=sigma)
