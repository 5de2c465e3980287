"""Estimates from a judge of all items and labels of some: corrected, labels alone, judge alone."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray
from nstar._verbs.simulate.judged_sums import JudgedSums
from nstar._verbs.simulate.procedures.base import INTERVALS, TESTS, t_critical, takes
from nstar.errors import ParameterError
from nstar.stats.judge import LEAST_LABELS

GapEstimates: TypeAlias = tuple[Array, Array, float | Array]
"""Gap, standard error, and degrees of freedom of each replication."""


def _regression(sample: JudgedSums) -> GapEstimates:
    return *sample.corrected, sample.labels - 2.0


def _labels(sample: JudgedSums) -> GapEstimates:
    se = np.sqrt(sample.label_variance / sample.labels)
    return sample.label_mean, se, sample.labels - 1.0


def _alone(sample: JudgedSums) -> GapEstimates:
    t = sample.items
    mean = sample.every / t
    rest = np.maximum(sample.squares - t * mean * mean, 0.0)
    return mean, np.sqrt(rest / (t - 1) / t), t - 1.0


def _uses_labels(sample: JudgedSums) -> bool:
    """Return whether labels alone decide: if labels are few, or all items are labeled."""
    return sample.labels < LEAST_LABELS or sample.labels == sample.items


def _is_useless(sample: JudgedSums) -> BoolArray:
    """Return in which replications the judge does not reduce the standard error."""
    return np.asarray((sample.slope == 0) | (sample.corrected[1] >= _labels(sample)[1]))


def _clustered(sample: JudgedSums) -> GapEstimates:
    """Return the corrected estimates with errors from sums by cluster."""
    if sample.groups is None:
        msg = "judge-cluster needs clusters. Use the scenario judge-clusters."
        raise ParameterError(msg)
    labels_only = _is_useless(sample) | _uses_labels(sample)
    slope = np.where(labels_only, 0.0, sample.slope)
    mean = np.where(labels_only, sample.label_mean, sample.corrected[0])
    (with_judge, sizes), (labels, _) = (sample.influence(slope, fitted=k) for k in (2, 1))
    sums = np.where(labels_only[:, None], labels, with_judge)
    se = np.sqrt(stats.cluster_variance(sums, sizes) + np.where(labels_only, 0.0, sample.unseen))
    df = np.where(labels_only, sample.labels - 1.0, sample.labels - 2.0)
    max_df = np.minimum(df, float(stats.bell_mccaffrey_df(sizes)))
    rows = np.sort(sample.groups.labels.astype(np.int64), axis=1)
    each, place = np.unique(rows, axis=0, return_inverse=True)
    dfs = [float(stats.bell_mccaffrey_df(m[m > 0])) for m in each]
    return mean, se, np.minimum(max_df, np.asarray(np.array(dfs)[place.ravel()]))


def _critical(alpha: float, df: float | Array) -> float | Array:
    """Return the critical value of Student's t."""
    if np.ndim(df):
        return np.asarray(stats.t_quantile(1 - alpha / 2, df))
    return t_critical(alpha, float(df))


def _limits(known: GapEstimates, conf: float) -> tuple[Array, Array]:
    mean, se, df = known
    half = _critical(1 - conf, df) * se
    return mean - half, mean + half


def _rejects(known: GapEstimates, alpha: float) -> BoolArray:
    mean, se, df = known
    return np.asarray((np.abs(mean) >= _critical(alpha, df) * se) & (mean != 0))


def _label_limits(sample: JudgedSums, conf: float) -> tuple[Array, Array]:
    """Return Tango's interval for 0/1 labels, and Student's for others."""
    if not sample.binary:
        return _limits(_labels(sample), conf)
    low, high = stats.paired_interval(*sample.discordant, sample.labels, conf=conf)
    return np.asarray(low), np.asarray(high)


def _labels_reject(sample: JudgedSums, alpha: float) -> BoolArray:
    """Return the decisions of McNemar's test for 0/1 labels, and Student's for others."""
    if not sample.binary:
        return _rejects(_labels(sample), alpha)
    p = stats.mcnemar_default_pvalue(*sample.discordant, sample.labels)
    return np.asarray(np.asarray(p) <= alpha)


def _corrected_limits(sample: JudgedSums, conf: float) -> tuple[Array, Array]:
    """Return the corrected interval, or that of labels alone if the judge does not help."""
    if _uses_labels(sample):
        return _label_limits(sample, conf)
    low, high = _limits(_regression(sample), conf)
    flat = _is_useless(sample)
    if not flat.any():
        return low, high
    ends = _label_limits(sample, conf)
    return np.where(flat, ends[0], low), np.where(flat, ends[1], high)


def _corrected_rejects(sample: JudgedSums, alpha: float) -> BoolArray:
    """Return the decisions of the corresponding test."""
    if _uses_labels(sample):
        return _labels_reject(sample, alpha)
    rejects = _rejects(_regression(sample), alpha)
    flat = _is_useless(sample)
    return np.where(flat, _labels_reject(sample, alpha), rejects) if flat.any() else rejects


def _by(
    estimator: Callable[[JudgedSums], GapEstimates],
) -> tuple[
    Callable[[JudgedSums, float], tuple[Array, Array]], Callable[[JudgedSums, float], BoolArray]
]:
    """Return Student's interval and test of a gap, given its error."""

    def limits(sample: JudgedSums, conf: float) -> tuple[Array, Array]:
        return _limits(estimator(sample), conf)

    def rejects(sample: JudgedSums, alpha: float) -> BoolArray:
        return _rejects(estimator(sample), alpha)

    return limits, rejects


def _add(
    name: str,
    description: str,
    limits: Callable[[JudgedSums, float], tuple[Array, Array]],
    rejects: Callable[[JudgedSums, float], BoolArray],
) -> None:
    """Register the interval and the test of one method."""

    def interval(
        sample: JudgedSums, conf: float, _rng: np.random.Generator
    ) -> tuple[Array, Array]:
        return limits(sample, conf)

    def test(sample: JudgedSums, alpha: float, _rng: np.random.Generator) -> BoolArray:
        return rejects(sample, alpha)

    for function, registry in ((interval, INTERVALS), (test, TESTS)):
        function.__name__, function.__doc__ = name.replace("-", "_"), description
        registry.add(takes("judged")(function))


_add(
    "judge-corrected",
    "Judge scores corrected with labels, the default of nstar (only labels below 30 labels).",
    _corrected_limits,
    _corrected_rejects,
)
_add(
    "judge-regression",
    "Judge scores corrected with labels, for any number of labels.",
    *_by(_regression),
)
_add(
    "judge-labels",
    "Human labels only: Tango and McNemar for 0/1 scores, and Student's t otherwise.",
    _label_limits,
    _labels_reject,
)
_add(
    "judge-cluster",
    "Judge scores corrected with labels, with cluster-robust (CR2) standard errors.",
    *_by(_clustered),
)
_add(
    "judge-alone",
    "Not recommended: the scores of the judge, without a correction by labels.",
    *_by(_alone),
)
