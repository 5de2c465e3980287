"""Tests of per-item differences for independent items, clusters, and strata."""

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray
from nstar._verbs.simulate.procedures.base import (
    TESTS,
    cluster_mean_and_se,
    clustered,
    mean_and_sd,
    strata_mean_and_se,
    t_critical,
)
from nstar._verbs.simulate.procedures.counts import limits, reaches
from nstar._verbs.simulate.procedures.resamples import (
    RESAMPLES,
    resampled_errors,
    sharing,
    significant,
)
from nstar._verbs.simulate.procedures.signed_ranks import EXACT, signed_rank_rejects
from nstar._verbs.simulate.sample import Counts, SimulatedSample

_MIN_FLIPS = 10
"""Minimum number of random flips that decide. At lower levels, the far tail is approximated."""


@TESTS.add
def t(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Paired t test."""
    # |t| ≥ c is equivalent to sum² ≥ c² n / (n - 1 + c²) times the sum of squares
    n, sums = sample.items, sample.sums
    c2 = t_critical(alpha, n - 1) ** 2
    reach = c2 * n / (n - 1 + c2)
    return np.asarray((np.square(sums) >= reach * sample.squares) & (sums != 0))


@TESTS.add
def wilcoxon(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Wilcoxon's signed-rank test of symmetry, without zero differences."""
    if isinstance(sample, Counts):
        is_small = sample.n10 + sample.n01 <= EXACT
        return np.where(
            is_small,
            reaches(sample, limits(sample.items, "exact", alpha)),
            reaches(sample, limits(sample.items, "asymptotic", alpha)),
        )
    return signed_rank_rejects(sample.d, alpha)


def _flips_reject(values: Array, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Return the decisions of the sign-flip test on rows of values (R, units)."""
    if alpha * (RESAMPLES + 1) < _MIN_FLIPS:
        pvalues = [stats.sign_flip_pvalue(row, rng=rng) for row in values]
        return np.asarray(np.array(pvalues) <= alpha * (1 + 1e-12))
    p = [
        stats.cluster_sign_flip_pvalue(values[part], n_resamples=RESAMPLES, rng=rng)
        for part in sharing(len(values))
    ]
    return np.asarray(np.concatenate(p) <= alpha * (1 + 1e-12))


@TESTS.add
def sign_flip(sample: SimulatedSample, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Sign-flip test of the mean with 999 flips, the default of nstar for graded scores."""
    if isinstance(sample, Counts):
        return reaches(sample, limits(sample.items, "exact", alpha))
    return _flips_reject(sample.d, alpha, rng)


@TESTS.add
def bootstrap(sample: SimulatedSample, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Bootstrap test of the mean, with 999 resamples of the centered differences."""
    out = np.empty(len(sample), dtype=bool)
    mean, _ = mean_and_sd(sample)
    for part, errors in resampled_errors(sample, rng):
        out[part] = significant(mean[part], errors, alpha)
    return out


@TESTS.add
def cluster_cr2(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Cluster-robust t test with CR2 variance and Bell–McCaffrey degrees of freedom."""
    mean, se, df = cluster_mean_and_se(sample)
    return np.asarray((np.abs(mean) >= t_critical(alpha, df) * se) & (mean != 0))


@TESTS.add
def cluster_sign_flip(
    sample: SimulatedSample, alpha: float, rng: np.random.Generator
) -> BoolArray:
    """Sign-flip test of entire clusters, with all flips up to 20 clusters, and 999 beyond."""
    scores, _ = clustered(sample, "cluster-sign-flip")
    return _flips_reject(scores.cluster_sums, alpha, rng)


@TESTS.add
def strata_t(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Stratified t test, in which differences between fixed groups do not count as error."""
    mean, se, df = strata_mean_and_se(sample)
    return np.asarray((np.abs(mean) >= t_critical(alpha, df) * se) & (mean != 0))
