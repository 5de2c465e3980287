"""The resolution ratio q in each replication: its interval, and the statistic behind it."""

import numpy as np

from nstar import stats
from nstar._base.types import Array, FloatLike
from nstar._verbs.simulate.procedures.base import INTERVALS, counts_as, mean_and_sd
from nstar._verbs.simulate.procedures.intervals import t, tango
from nstar._verbs.simulate.sample import Counts, SimulatedSample


def t_statistic(sample: SimulatedSample) -> Array:
    """Gap in standard errors; infinite where the error is 0 and the gap is not."""
    if isinstance(sample, Counts):
        return stats.t_stat(sample.n10, sample.n01, sample.items)
    mean, sd = mean_and_sd(sample)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean * np.sqrt(sample.items) / sd)


def needed(sample: SimulatedSample, gap: FloatLike, variance: FloatLike) -> Array:
    """Items that a gap ≥ 0 needs where differences have this variance."""
    size, spread = (np.asarray(x, dtype=np.float64) for x in np.broadcast_arrays(gap, variance))
    if isinstance(sample, Counts):
        psi = np.clip(spread + size * size, size, 1.0)
        return stats.McNemarTest().n_star(size, psi=np.where(size > 0, psi, 1.0))
    test, n = stats.GradedTest(), sample.items
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = test.growth(size * np.sqrt(n / spread), n - 1.0)
    return np.maximum(n * grown, test.least)


@INTERVALS.add
@counts_as("resolution")
def q(sample: SimulatedSample, conf: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Interval of q = N / N* at the true gap, which is one of N* as well.

    Of items in clusters or strata it knows nothing.
    """
    counts = isinstance(sample, Counts)
    low, high = (tango if counts else t)(sample, conf, rng)
    if isinstance(sample, Counts):
        spread = (sample.n10 + sample.n01) / sample.items
        gap = (sample.n10 - sample.n01) / sample.items
    else:
        gap, sd = mean_and_sd(sample)
        spread = np.square(sd)
    near = np.where(gap < 0, -high, low)
    far = np.where(gap < 0, -low, high)
    ends = (_at(sample, np.maximum(x, 0.0), spread) for x in (near, far))
    least, most = (sample.items / x for x in ends)
    return np.asarray(least), np.asarray(most)


def _at(sample: SimulatedSample, gap: Array, spread: Array) -> Array:
    """Items needed at a limit of the gap; discordance, or variance, stays as observed."""
    if not isinstance(sample, Counts):
        return needed(sample, gap, spread)
    psi = np.clip(np.maximum(spread, gap), 0.0, 1.0)
    return stats.McNemarTest().n_star(gap, psi=np.where(gap > 0, psi, 1.0))
