"""Intervals for the gap and for the resolution ratio q, in each replication."""

from typing import Literal

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, FloatLike
from nstar._verbs.simulate.procedures.base import (
    INTERVALS,
    as_counts,
    cluster_mean_and_se,
    counts_as,
    mean_and_sd,
    strata_mean_and_se,
    t_critical,
)
from nstar._verbs.simulate.procedures.resamples import RESAMPLES, acceleration, resampled_errors
from nstar._verbs.simulate.sample import Counts, SimulatedSample


def _paired(
    sample: SimulatedSample,
    conf: float,
    name: str,
    method: Literal["tango", "wald", "agresti-min", "bonett-price"],
) -> tuple[Array, Array]:
    """Return the limits, computed once per distinct table."""
    counts = as_counts(sample, name)
    n = counts.items
    tables, place = np.unique(counts.n10 * (n + 1) + counts.n01, return_inverse=True)
    low, high = stats.paired_interval(
        tables // (n + 1), tables % (n + 1), n, method=method, conf=conf
    )
    return np.asarray(low)[place], np.asarray(high)[place]


@INTERVALS.add
def tango(sample: SimulatedSample, conf: float, _rng: np.random.Generator) -> tuple[Array, Array]:
    """Tango's score interval, the default of nstar for 0/1 scores."""
    return _paired(sample, conf, "tango", "tango")


@INTERVALS.add
def wald_binary(
    sample: SimulatedSample, conf: float, _rng: np.random.Generator
) -> tuple[Array, Array]:
    """Wald interval: the gap ± z standard errors (0/1 scores)."""
    return _paired(sample, conf, "wald-binary", "wald")


@INTERVALS.add
def agresti_min(
    sample: SimulatedSample, conf: float, _rng: np.random.Generator
) -> tuple[Array, Array]:
    """Agresti–Min interval, which adds half an item to each cell (0/1 scores)."""
    return _paired(sample, conf, "agresti-min", "agresti-min")


@INTERVALS.add
def bonett_price(
    sample: SimulatedSample, conf: float, _rng: np.random.Generator
) -> tuple[Array, Array]:
    """Bonett–Price interval, which adds one item to each discordant cell (0/1 scores)."""
    return _paired(sample, conf, "bonett-price", "bonett-price")


@INTERVALS.add
def t(sample: SimulatedSample, conf: float, _rng: np.random.Generator) -> tuple[Array, Array]:
    """Student's t interval, the default of nstar for graded scores."""
    mean, sd = mean_and_sd(sample)
    half = t_critical(1 - conf, sample.items - 1) / np.sqrt(sample.items) * sd
    return mean - half, mean + half


@INTERVALS.add
def cluster_cr2(
    sample: SimulatedSample, conf: float, _rng: np.random.Generator
) -> tuple[Array, Array]:
    """Cluster-robust t interval with CR2 variance and Bell–McCaffrey degrees of freedom."""
    mean, se, df = cluster_mean_and_se(sample)
    half = t_critical(1 - conf, df) * se
    return mean - half, mean + half


@INTERVALS.add
def strata_t(
    sample: SimulatedSample, conf: float, _rng: np.random.Generator
) -> tuple[Array, Array]:
    """Stratified t interval for fixed groups."""
    mean, se, df = strata_mean_and_se(sample)
    half = t_critical(1 - conf, df) * se
    return mean - half, mean + half


def _at_levels(draws: Array, level: Array) -> Array:
    """Return the smallest draw of each row with a share >= level at or below it."""
    rank = np.ceil(level * RESAMPLES - 1e-9).astype(np.int64)
    place = np.clip(rank - 1, 0, RESAMPLES - 1)
    return np.take_along_axis(draws, place[:, None], axis=1)[:, 0]


@INTERVALS.add
def bootstrap(
    sample: SimulatedSample, conf: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Percentile bootstrap interval, with 999 resamples."""
    mean, _ = mean_and_sd(sample)
    low, high = np.empty(len(sample)), np.empty(len(sample))
    for part, errors in resampled_errors(sample, rng):
        errors.sort(axis=1)
        tail = np.full(len(errors), (1 - conf) / 2)
        low[part] = mean[part] + _at_levels(errors, tail)
        high[part] = mean[part] + _at_levels(errors, 1 - tail)
    return low, high


def _bias(errors: Array) -> Array:
    """Return z0 of the BCa interval, from the share of draws below the estimate."""
    slack = 1e-12 * np.abs(errors).max(axis=1, keepdims=True)
    below = np.count_nonzero(errors < -slack, axis=1)
    equal = np.count_nonzero(np.abs(errors) <= slack, axis=1)
    edge = 1 / (RESAMPLES + 1)
    return special.ndtri(np.clip((below + 0.5 * equal) / RESAMPLES, edge, 1 - edge))


@INTERVALS.add
def bca(sample: SimulatedSample, conf: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Bias-corrected and accelerated bootstrap interval, with 999 resamples."""
    mean, _ = mean_and_sd(sample)
    accel = acceleration(sample)
    low, high = np.empty(len(sample)), np.empty(len(sample))
    for part, errors in resampled_errors(sample, rng):
        down, up = stats.bca_levels(_bias(errors), accel[part], conf=conf)
        errors.sort(axis=1)
        low[part] = mean[part] + _at_levels(errors, np.asarray(down))
        high[part] = mean[part] + _at_levels(errors, np.asarray(up))
    return low, high


def t_statistic(sample: SimulatedSample) -> Array:
    """Return the gap divided by its standard error; infinite if only the error is 0."""
    if isinstance(sample, Counts):
        return stats.t_stat(sample.n10, sample.n01, sample.items)
    mean, sd = mean_and_sd(sample)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean * np.sqrt(sample.items) / sd)


def needed(sample: SimulatedSample, gap: FloatLike, variance: FloatLike) -> Array:
    """Return the items that a gap ≥ 0 needs if differences have this variance."""
    size, spread = (np.asarray(x, dtype=np.float64) for x in np.broadcast_arrays(gap, variance))
    if isinstance(sample, Counts):
        psi = np.clip(spread + size * size, size, 1.0)
        return stats.McNemarTest().n_star(size, psi=np.where(size > 0, psi, 1.0))
    test, n = stats.GradedTest(), sample.items
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = test.growth(size * np.sqrt(n / spread), n - 1.0)
    return np.maximum(n * grown, test.least)


def needed_range(
    sample: SimulatedSample, conf: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return the range of items that the gap may need, from the limits of its interval."""
    low, high = (tango if isinstance(sample, Counts) else t)(sample, conf, rng)
    if isinstance(sample, Counts):
        spread = (sample.n10 + sample.n01) / sample.items
        gap = (sample.n10 - sample.n01) / sample.items
    else:
        gap, sd = mean_and_sd(sample)
        spread = np.square(sd)
    near_gap = np.where(gap < 0, -high, low)
    far_gap = np.where(gap < 0, -low, high)
    fewest, max_items = (_at(sample, np.maximum(x, 0.0), spread) for x in (far_gap, near_gap))
    return fewest, max_items


@INTERVALS.add
@counts_as("resolution")
def q(sample: SimulatedSample, conf: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Interval for q = N / N* at the true gap, which is also an interval for N*.

    The interval ignores clusters and strata.
    """
    fewest, max_items = needed_range(sample, conf, rng)
    return np.asarray(sample.items / max_items), np.asarray(sample.items / fewest)


def _at(sample: SimulatedSample, gap: Array, spread: Array) -> Array:
    """Return the items needed at a limit of the gap, with the observed discordance or variance."""
    if not isinstance(sample, Counts):
        return needed(sample, gap, spread)
    psi = np.clip(np.maximum(spread, gap), 0.0, 1.0)
    return stats.McNemarTest().n_star(gap, psi=np.where(gap > 0, psi, 1.0))
