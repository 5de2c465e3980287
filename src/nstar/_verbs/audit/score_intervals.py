"""Intervals of the mean of each model. They do not compare models."""

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._engine.pairs import AnyPanel, MeanStats, Panel, mean_stats


def _wilson(panel: Panel, conf: float) -> tuple[Array, Array]:
    """Return Wilson's interval for 0/1 scores of independent items."""
    interval = stats.wilson_interval(panel.block.sums, panel.block.counts(), conf=conf)
    return np.asarray(interval.low), np.asarray(interval.high)


def _unanimous(means: MeanStats, limits: tuple[float, float], conf: float) -> tuple[Array, Array]:
    """Return intervals of models with one score everywhere.

    At most z² / (units + z²) of such units, the score limit for 0 out of ``units``, could have
    another score between the limits. For 0/1 scores this is Wilson's interval.
    """
    z2 = float(stats.z_conf(conf)) ** 2
    share = z2 / (means.units + z2)
    low, high = limits
    return means.mean - share * (means.mean - low), means.mean + share * (high - means.mean)


def score_intervals(
    models: AnyPanel, limits: tuple[float, float], conf: float
) -> tuple[Array, Array]:
    """Return both ends of the interval of each mean under the design; NaN without an error.

    Wilson's interval for 0/1 scores of independent items, and Student's otherwise, within the
    limits of a score.
    """
    if isinstance(models, Panel) and models.binary and models.design.kind == "independent":
        return _wilson(models, conf)
    means = mean_stats(models)
    df = np.where(means.df > 0, means.df, np.inf)
    half = np.asarray(stats.t_quantile((1 + conf) / 2, df)) * np.sqrt(means.variance)
    low, high = (np.clip(means.mean + side, *limits) for side in (-half, half))
    flat = (means.variance == 0) | (means.n == 1)
    ends = _unanimous(means, limits, conf)
    return np.where(flat, ends[0], low), np.where(flat, ends[1], high)
