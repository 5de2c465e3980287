"""Compute intervals for the mean of each model. These intervals do not compare models."""

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._engine.pairs import AnyPanel, MeanStats, Panel, mean_stats


def _unanimous(means: MeanStats, limits: tuple[float, float], conf: float) -> tuple[Array, Array]:
    """Return intervals for models with the same score on all items.

    The score limit for 0 out of ``units`` bounds the share of units with another score by z² /
    (units + z²). For 0/1 scores this gives Wilson's interval.
    """
    z2 = float(stats.z_conf(conf)) ** 2
    share = z2 / (means.units + z2)
    low, high = limits
    return means.mean - share * (means.mean - low), means.mean + share * (high - means.mean)


def score_intervals(
    models: AnyPanel, limits: tuple[float, float], conf: float
) -> tuple[Array, Array]:
    """Return the limits of each mean's interval under the design; NaN without an error.

    The interval is Wilson's for 0/1 scores of independent items and Student's otherwise, within
    the range of a score.
    """
    if isinstance(models, Panel) and models.binary and models.design.kind == "independent":
        interval = stats.wilson_interval(models.block.sums, models.block.counts(), conf=conf)
        return np.asarray(interval.low), np.asarray(interval.high)
    means = mean_stats(models)
    df = np.where(means.df > 0, means.df, np.inf)
    half = np.asarray(stats.t_quantile((1 + conf) / 2, df)) * np.sqrt(means.variance)
    low, high = (np.clip(means.mean + side, *limits) for side in (-half, half))
    flat = (means.variance == 0) | (means.n == 1)
    ends = _unanimous(means, limits, conf)
    return np.where(flat, ends[0], low), np.where(flat, ends[1], high)
