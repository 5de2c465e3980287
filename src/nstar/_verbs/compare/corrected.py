"""Gaps of adjusted scores: of a judge corrected by labels, or of weighted items."""

import math
from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._data.matrix import Correction
from nstar._verbs.compare.grouped import (
    Differences,
    refuse_column,
    student_interval,
    student_pvalue,
    within,
)
from nstar._verbs.compare.independent import confidence, flips, pvalue_for, unanimous_interval
from nstar._verbs.compare.task_comparison import GapEstimate, standard_errors
from nstar.errors import DataError
from nstar.stats._weights import effective, inflation, weight_freedom


@dataclass(frozen=True, slots=True, kw_only=True)
class _GapError:
    """Error of a gap, and its basis."""

    se: float
    """Standard error of the gap."""
    df: float
    """Degrees of freedom of the standard error."""
    groups: int | None = None
    """Number of clusters; None for items."""
    effective_clusters: float | None = None
    """Effective number of clusters with equal labels, or weights; None for items."""
    effect: float | None = None
    """Design effect; None for items."""


def _clustered(x: Differences, column: str) -> "tuple[float, stats.ClusterSums]":
    """Return the variance of the gap, and the sums of clusters."""
    refuse_column(x, "cluster", column)
    centered = stats.cluster_sums(x.d - x.delta, x.groups[column].codes)
    return float(stats.cluster_variance(centered.sums, centered.sizes)), centered


def _by_labels(x: Differences, correction: Correction, cluster: str | None) -> _GapError:
    """Return the error by labels, with at least two fewer degrees of freedom than labels.

    The standard error allows for unobserved disagreements of judge and labels.
    """
    known, df, unseen = correction.known, correction.df, correction.unseen
    if cluster is None:
        return _GapError(se=math.sqrt(x.iid_variance + unseen), df=df)
    variance, sums = _clustered(x, cluster)
    labeled = np.unique(x.groups[cluster].codes[known], return_counts=True)[1]
    if labeled.size < 2:
        msg = (
            f"All labels are in one {cluster}; clusters need at least two. Label items in "
            "other clusters."
        )
        raise DataError(msg)
    freedom = (float(stats.bell_mccaffrey_df(m)) for m in (sums.sizes, labeled))
    return _GapError(
        se=math.sqrt(variance + unseen),
        df=min(df, *freedom),
        groups=sums.sizes.size,
        effective_clusters=min(effective(sums.sizes), effective(labeled)),
        effect=_ratio(variance, x.iid_variance),
    )


def _ratio(variance: float, independent: float) -> float:
    return variance / independent if independent > 0 else 1.0


def _by_weights(x: Differences, correction: Correction, cluster: str | None) -> _GapError:
    """Return the error by weights, with the degrees of freedom of the effective items."""
    weights = np.asarray(correction.weights)
    if cluster is None:
        variance = x.iid_variance * inflation(weights)
        return _GapError(se=math.sqrt(variance), df=weight_freedom(weights))
    variance, sums = _clustered(x, cluster)
    codes = x.groups[cluster].codes
    df = min(float(stats.bell_mccaffrey_df(sums.sizes)), weight_freedom(weights, codes))
    worth = weight_freedom(weights, codes) + 1
    variance *= inflation(weights, codes)
    return _GapError(
        se=math.sqrt(variance),
        df=df,
        groups=sums.sizes.size,
        effective_clusters=worth,
        effect=_ratio(variance, x.iid_variance * inflation(weights)),
    )


def corrected_reading(x: Differences, correction: Correction, cluster: str | None) -> GapEstimate:
    """Return the t interval and test, for independent items or clusters."""
    weights = correction.weights
    find = _by_labels if weights is None else _by_weights
    gap_error = find(x, correction, cluster)
    if x.is_nothing(gap_error.se):
        return _unanimous(x, correction, gap_error, cluster)
    se, df, delta, rule = gap_error.se, gap_error.df, x.delta, x.criteria
    p = student_pvalue(standard_errors(delta, se), df)
    method = "label-corrected t" if weights is None else "weighted t"
    return GapEstimate(
        kind="independent" if cluster is None else "cluster",
        column=cluster,
        n_groups=gap_error.groups,
        se=se,
        df=df,
        df_lost=2.0 if weights is None else 1.0,
        n_labels=correction.labels if weights is None else None,
        n_effective=None if weights is None else effective(weights),
        ci=within(student_interval(delta, se, df, confidence(rule)), x.largest),
        ci_method=method,
        pvalue=pvalue_for(p, delta, rule),
        pvalue_method=method,
        design_effect=gap_error.effect,
        n_effective_clusters=gap_error.effective_clusters,
    )


def _unanimous(
    x: Differences, correction: Correction, gap_error: _GapError, cluster: str | None
) -> GapEstimate:
    """Return the result if every item, or every cluster, shows the same gap.

    Raise DataError for a judge.
    """
    if correction.weights is None:
        msg = (
            "All labeled items have the same gap, so no standard error can be estimated. "
            "Label more items."
        )
        raise DataError(msg)
    worth = effective(correction.weights)
    units = gap_error.df + 1 if cluster is not None else worth
    ci = unanimous_interval(x.delta, units, x.width, confidence(x.criteria))
    sums = x.d if cluster is None else stats.cluster_sums(x.d, x.groups[cluster].codes).sums
    p, test = flips(sums, x.rng)
    return GapEstimate(
        kind="independent" if cluster is None else "cluster",
        column=cluster,
        n_groups=gap_error.groups,
        se=0.0,
        df=gap_error.df,
        n_effective=worth,
        ci=ci,
        ci_method="no-spread score",
        pvalue=pvalue_for(p, x.delta, x.criteria) if x.d.any() else 1.0,
        pvalue_method=test if cluster is None else f"{test} of clusters",
        n_effective_clusters=gap_error.effective_clusters,
    )
