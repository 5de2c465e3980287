"""Tests of per-item differences in clusters or strata."""

import numpy as np

from nstar import stats
from nstar._base.types import BoolArray
from nstar._verbs.simulate.procedures.base import (
    TESTS,
    cluster_mean_and_se,
    clustered,
    strata_mean_and_se,
    t_critical,
)
from nstar._verbs.simulate.procedures.graded import flips_reject
from nstar._verbs.simulate.sample import SimulatedSample


@TESTS.add
def cluster_cr2(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Cluster-robust t test: CR2 variance, Bell–McCaffrey degrees of freedom."""
    scores, sizes = clustered(sample, "cluster-cr2")
    mean, se = cluster_mean_and_se(scores, sizes)
    critical = t_critical(alpha, float(stats.bell_mccaffrey_df(sizes)))
    return np.asarray((np.abs(mean) >= critical * se) & (mean != 0))


@TESTS.add
def cluster_sign_flip(
    sample: SimulatedSample, alpha: float, rng: np.random.Generator
) -> BoolArray:
    """Sign-flip test of whole clusters; all flips up to 20 of them, else 999."""
    scores, _ = clustered(sample, "cluster-sign-flip")
    return flips_reject(scores.cluster_sums, alpha, rng)


@TESTS.add
def strata_t(sample: SimulatedSample, alpha: float, _rng: np.random.Generator) -> BoolArray:
    """Stratified t test: groups are fixed, differences between them are no error."""
    scores, sizes = clustered(sample, "strata-t", "strata")
    mean, se, df = strata_mean_and_se(scores, sizes)
    return np.asarray((np.abs(mean) >= t_critical(alpha, df) * se) & (mean != 0))
