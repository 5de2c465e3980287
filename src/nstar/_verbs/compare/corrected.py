"""The gap by a judge's scores that labels correct: t with as much freedom as there are labels."""

import math

import numpy as np

from nstar import stats
from nstar._base.types import BoolArray
from nstar._verbs.compare.grouped import (
    Differences,
    refuse_column,
    student_interval,
    student_pvalue,
    within,
)
from nstar._verbs.compare.independent import confidence, one_sided
from nstar._verbs.compare.result import Reading, standard_errors
from nstar.errors import DataError


def _clustered(x: Differences, known: BoolArray, column: str) -> tuple[float, float, int]:
    """Error, degrees of freedom and number of clusters."""
    codes = x.groups[column].codes
    centred = stats.cluster_sums(x.d - x.delta, codes)
    variance = float(stats.cluster_variance(centred.sums, centred.sizes))
    labelled = np.unique(codes[known], return_counts=True)[1]
    if labelled.size < 2:
        msg = f"all labels are in one {column}: one cluster says nothing about others"
        raise DataError(msg)
    df = min(float(stats.bell_mccaffrey_df(m)) for m in (centred.sizes, labelled))
    return math.sqrt(variance), df, centred.sizes.size


def corrected_reading(x: Differences, known: BoolArray, cluster: str | None) -> Reading:
    """The t interval and test of corrected scores, a mean and a slope being known from labels."""
    labels = int(np.count_nonzero(known))
    alone = math.sqrt(x.iid_variance)
    se, df, groups = alone, labels - 2.0, None
    if cluster is not None:
        refuse_column(x, "cluster", cluster)
        se, freedom, groups = _clustered(x, known, cluster)
        df = min(df, freedom)
    if x.is_nothing(se):
        msg = "the labelled items all have the same gap: no error can be measured; label more"
        raise DataError(msg)
    delta, rule = x.delta, x.criteria
    p = student_pvalue(standard_errors(delta, se), df)
    return Reading(
        kind="items" if cluster is None else "cluster",
        column=cluster,
        groups=groups,
        se=se,
        df=df,
        lost=2.0,
        labels=labels,
        ci=within(student_interval(delta, se, df, confidence(rule)), x.largest),
        ci_method="label-corrected t",
        p=one_sided(p, delta, rule.sides),
        p_method="label-corrected t",
        design_effect=None if cluster is None else (se / alone) ** 2,
    )
