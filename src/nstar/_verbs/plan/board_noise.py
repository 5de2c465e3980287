"""Noise between adjacent models of a pilot, its uncertainty, and the effect of groups."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar.errors import DataError

_ASSURED = 0.9
_FEWEST_GROUPS = 6
"""Smallest number of groups with an uncertainty; the method was measured with six."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VarianceUncertainty:
    """Uncertainty of a variance, as factors of its estimate."""

    low: float
    """Lower limit of the 95% interval."""
    high: float
    """Upper limit of the 95% interval."""
    assured: float
    """Value that the variance does not exceed in 90% of pilots."""

    @classmethod
    def of(cls, error: float, df: float) -> "VarianceUncertainty":
        """Return the uncertainty from a relative standard error and its degrees of freedom.

        The limits are computed on a log scale, where a variance is nearly normal. Like that of a
        chi-square, its logarithm is too small by half the squared error.

        >>> sure = VarianceUncertainty.of(0.1, df=100)
        >>> round(sure.low, 3), round(sure.high, 3), round(sure.assured, 3)
        (0.824, 1.226, 1.143)
        """
        t = special.stdtrit(df, np.array((0.025, 0.975, _ASSURED)))
        low, high, assured = np.exp(t * error + error * error / 2).tolist()
        return cls(low=low, high=high, assured=assured)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NeighborNoise:
    """Variance of the per-item difference of adjacent models, averaged over pairs."""

    variance: float
    noisy: float
    """Variance of the noisiest tenth of adjacent pairs."""
    doubt: VarianceUncertainty

    @property
    def sd(self) -> float:
        """Return the square root of the variance."""
        return math.sqrt(self.variance)


def _mean_error(off: Array, place: IntArray) -> float:
    """Return the standard error of a mean from the deviations of its parts."""
    sums = np.bincount(place, weights=off)
    parts = int(np.count_nonzero(np.bincount(place)))
    return math.sqrt(float(sums @ sums) * parts / max(parts - 1, 1)) / off.size


def neighbor_noise(d: Array, strata: IntArray | None = None) -> NeighborNoise:
    """Return the noise of differences, items × pairs, around their means or stratum means.

    The mean of variances is unbiased in pilots of any size. The median is too small if there are
    many models and few items.
    """
    place = np.zeros(len(d), dtype=np.int64) if strata is None else strata
    sizes = np.bincount(place)
    means = np.zeros((sizes.size, d.shape[1]))
    np.add.at(means, place, d)
    means /= np.maximum(sizes, 1)[:, None]
    rest = sizes[place]
    # a single item does not show its stratum's variance: use the total variance, an upper bound
    unstratified = np.square(d - d.mean(axis=0)) * (len(d) / (len(d) - 1))
    within = np.square(d - means[place]) * (rest / np.maximum(rest - 1, 1))[:, None]
    parts = np.where(rest[:, None] > 1, within, unstratified)
    each, of_items = parts.mean(axis=0), parts.mean(axis=1)
    variance = float(each.mean())
    if not variance > 0:
        msg = (
            "Adjacent models of this pilot have the same score on every item, so the variance of "
            "their gaps is unknown. Use a pilot with more items or other models."
        )
        raise DataError(msg)
    df = len(d) - int(np.count_nonzero(sizes))
    error = _mean_error(of_items - variance, np.arange(len(d)))
    if strata is not None:  # two items of a stratum have the same distance from its mean
        error = max(error, _mean_error(of_items - variance, strata))
    return NeighborNoise(
        variance=variance,
        noisy=float(np.quantile(each, 0.9)),
        doubt=VarianceUncertainty.of(error / variance, max(df, 1)),
    )


def _group_sums(d: Array, codes: IntArray) -> Array:
    """Return the sums of differences from their mean, groups × pairs."""
    sums = np.zeros((int(codes.max()) + 1, d.shape[1]))
    np.add.at(sums, codes, d - d.mean(axis=0))
    return sums


def neighbor_icc(d: Array, codes: IntArray) -> float:
    """Return the intraclass correlation of adjacent models' differences, pooled over pairs."""
    sizes, total_variance = np.bincount(codes), float(d.var(axis=0, ddof=1).sum())
    if not total_variance:
        return 0.0
    by_group = stats.cluster_variance(_group_sums(d, codes).T, sizes)
    effect = len(d) * float(by_group.sum()) / total_variance
    return min(max(float(stats.planning_icc(effect, sizes)), 0.0), 0.99)


def group_doubt(d: Array, codes: IntArray) -> VarianceUncertainty | None:
    """Return the uncertainty of noise between groups; None if groups are too few.

    It uses the variance of groups' squared sums, with the normal, independent case as a lower
    limit, because a few groups can agree by chance.
    """
    groups = int(codes.max()) + 1
    if groups < _FEWEST_GROUPS:
        return None
    squares = np.square(_group_sums(d, codes)).mean(axis=1)
    mean, min_relative_se = float(squares.mean()), math.sqrt(2 / ((groups - 1) * d.shape[1]))
    relative_se = float(squares.std(ddof=1)) / math.sqrt(groups) / mean if mean else 0.0
    return VarianceUncertainty.of(max(relative_se, min_relative_se), groups - 1)
