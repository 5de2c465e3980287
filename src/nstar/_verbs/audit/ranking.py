"""Compute simultaneous and marginal rank ranges, and tiers."""

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._engine.pairs import AnyPanel, MeanStats, Panel, mean_stats
from nstar._engine.work import WorkerPool
from nstar._verbs.audit.maxt import MaxTUnavailable, normal_scores, ranks_alone
from nstar._verbs.audit.pair_analysis import PairAnalysis
from nstar._verbs.audit.selection import RankedModels
from nstar._verbs.audit.tables import RankTable
from nstar._verbs.audit.tally import PairTally
from nstar.stats._marginal_ranks import MarginalRankFamily


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


_MIN_MARGINAL_DRAWS = 2_000
"""Minimum number of draws for one model. The test holds its level with any number."""


def places(means: Array, better: int) -> IntArray:
    """Return the rank by mean, best first. Equal means share the better rank.

    >>> places(np.array([0.9, 0.8, 0.8, 0.1]), 1).tolist()
    [1, 2, 2, 4]
    """
    values = -better * np.asarray(means)
    return np.asarray(np.searchsorted(np.sort(values), values, side="left") + 1)


def tiers(reach: IntArray) -> IntArray:
    """Return the tier of each model from the last rank that it fails to beat (at least its own).

    >>> tiers(np.array([1, 1, 2])).tolist()
    [1, 1, 2]
    """
    m = len(reach)
    furthest = np.maximum.accumulate(np.maximum(reach, np.arange(m)))
    starts = np.concatenate([[False], furthest[:-1] < np.arange(1, m)])
    return np.asarray(1 + np.cumsum(starts))


def _marginal_range(
    analysis: PairAnalysis,
    field: RankedModels,
    alpha: float,
    seed: int,
    workers: WorkerPool | None,
) -> tuple[IntArray, IntArray]:
    """Return the rank range of one model, by max-T or Bonferroni over its own pairs."""
    m = len(analysis.panel)
    if analysis.cov is None or analysis.held is None or isinstance(analysis.step, MaxTUnavailable):
        wins, losses, _ = analysis.tally.alone.whole(m)
        return 1 + losses, m - wins
    scores = np.zeros((m, m))
    scores[np.triu_indices(m, 1)] = normal_scores(analysis.held.p)
    draws = min(analysis.step.draws, max(_MIN_MARGINAL_DRAWS, 100_000_000 // m**2))
    signed, sizes = field.better * field.means, scores + scores.T
    family = MarginalRankFamily.of(signed, analysis.cov, None, sizes, alpha, draws)
    return ranks_alone(family, draws=draws, seed=seed, workers=workers)


def ranking(
    analysis: PairAnalysis,
    field: RankedModels,
    limits: tuple[float, float],
    alpha: float,
    seed: int,
    *,
    simulate_marginal: bool = True,
    workers: WorkerPool | None = None,
) -> RankTable:
    """Return the models from best to worst, with intervals, rank ranges, and tiers.

    A simultaneous statement about all models also holds for one model, so both may be combined: a
    step-down test of one model's own pairs would reject everything that either rejects. Without
    ``simulate_marginal``, the range of one model is the simultaneous range.
    """
    tally: PairTally = analysis.tally
    ci_low, ci_high = score_intervals(analysis.panel, limits, 1 - alpha)
    wins, losses, reach = tally.wins.whole(len(field.names))
    rank_low, rank_high = 1 + losses, len(field.names) - wins
    low, high = (
        _marginal_range(analysis, field, alpha, seed, workers)
        if simulate_marginal
        else (rank_low, rank_high)
    )
    return RankTable(
        model=field.names,
        mean=field.means,
        ci_low=ci_low,
        ci_high=ci_high,
        n_items=field.counts,
        rank=places(field.means, field.better),
        rank_low=rank_low,
        rank_high=rank_high,
        marginal_rank_low=np.maximum(low, rank_low),
        marginal_rank_high=np.minimum(high, rank_high),
        tier=tiers(reach),
    )
