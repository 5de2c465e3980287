"""The resolution ratio q in each replication: its interval, and the statistic behind it."""

import numpy as np

from nstar import stats
from nstar._simulate.procedures._base import INTERVALS, counts_as, mean_and_sd
from nstar._simulate.sample import Counts, Sample
from nstar._typing import Array

__all__ = ["q", "t_statistic"]


def t_statistic(sample: Sample) -> Array:
    """Gap in standard errors; infinite where the error is 0 and the gap is not."""
    if isinstance(sample, Counts):
        return stats.t_stat(sample.n10, sample.n01, sample.items)
    mean, sd = mean_and_sd(sample)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean * np.sqrt(sample.items) / sd)


@INTERVALS.add
@counts_as("resolution")
def q(sample: Sample, conf: float, _rng: np.random.Generator) -> tuple[Array, Array]:
    """Interval of q = N / N* at the true gap, which is one of N* as well.

    Of items in clusters or strata it knows nothing.
    """
    low, high = stats.q_interval(t_statistic(sample), conf=conf)
    return np.asarray(low), np.asarray(high)
