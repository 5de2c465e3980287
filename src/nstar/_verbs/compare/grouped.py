"""Gaps with grouped items: strata that define the benchmark, or clusters that are a sample.

The data cannot show which of the two a column is, so the user declares it.
"""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, IntArray, Interval, RNGLike
from nstar._data.matrix import NOTHING, Grouping
from nstar._verbs.compare.independent import (
    confidence,
    flips,
    pvalue_for,
    unanimous_interval,
)
from nstar._verbs.compare.task_comparison import GapEstimate, ReadingKind, standard_errors
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, DegenerateDataWarning, arg
from nstar.stats._null_variance import strata_half, strata_pvalue
from nstar.stats._weights import effective
from nstar.stats.cluster import caution
from nstar.stats.mcnemar import P_FLOOR


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Differences:
    """Per-item differences, and what each design needs."""

    d: Array
    """First minus second, per item."""
    width: float
    """Largest possible difference, according to the observed scores."""
    largest: float
    """Largest possible difference; infinite if the range of scores is unknown."""
    groups: Mapping[str, Grouping]
    """Groups of the items."""
    binary: bool
    """Whether scores are 0 or 1."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    rng: RNGLike
    """Seed of random sign flips."""

    @property
    def delta(self) -> float:
        """Return the mean difference, which is 0 if it is only rounding error."""
        mean = float(self.d.mean())
        return 0.0 if abs(mean) <= NOTHING * self.width else mean

    def is_nothing(self, se: float) -> bool:
        """Return whether a standard error is only rounding error."""
        return se <= NOTHING * max(self.width, float(np.abs(self.d).max()))

    @property
    def iid_variance(self) -> float:
        """Return the variance of the mean for independent items; 0 for one item."""
        return float(self.d.var(ddof=1)) / self.d.size if self.d.size > 1 else 0.0


def within(ci: Interval, width: float) -> Interval:
    """Clip the interval to the range of gaps."""
    return Interval(max(float(ci.low), -width), min(float(ci.high), width))


def student_interval(delta: float, se: float, df: float, conf: float) -> Interval:
    """Return the gap ± t standard errors."""
    half = float(stats.t_quantile((1 + conf) / 2, df)) * se
    return Interval(delta - half, delta + half)


def student_pvalue(t: float, df: float) -> float:
    """Return the two-sided p-value of a t."""
    return max(2 * float(special.stdtr(df, -abs(t))), P_FLOOR)


def _strata(x: Differences, column: str) -> GapEstimate:
    grouping = x.groups[column]
    sums = stats.cluster_sums(x.d - x.delta, grouping.codes)
    # which stratum a lone item joins must not depend on the order of the rows
    order = sorted(range(len(grouping.labels)), key=lambda k: grouping.labels[k])
    parts = (sums.sums[order], sums.squares[order], sums.sizes[order])
    variance = float(stats.strata_variance(*parts))
    # Strata of one item are pooled, as for the variance.
    single = int((sums.sizes == 1).sum())
    n_multiple = int((sums.sizes > 1).sum())
    strata = n_multiple + (1 if single > 1 or n_multiple == 0 else 0)
    se, delta, conf = math.sqrt(variance), x.delta, confidence(x.criteria)
    df = float(x.d.size - strata)
    quantile, t = float(stats.t_quantile((1 + conf) / 2, df)), standard_errors(delta, se)
    half, p = quantile * se, student_pvalue(t, df)
    if x.binary:
        half = float(strata_half(half, se, x.d.size))
        p = float(strata_pvalue(t, df, n=x.d.size, discordant=np.count_nonzero(x.d)))
        if p > 1 - conf:
            half = max(half, abs(delta))  # signs of a few items alone may not reject
    ci = within(Interval(delta - half, delta + half), x.largest)
    ci_method = p_method = "stratified t"
    if x.is_nothing(se):
        se = 0.0
        ci = unanimous_interval(delta, x.d.size, x.width, conf)
        ci_method = "no-spread score"
        p, p_method = flips(x.d, x.rng)
    rule = x.criteria
    return GapEstimate(
        kind="strata",
        column=column,
        n_groups=sums.sizes.size,
        se=se,
        df=df,
        df_lost=float(strata),
        ci=ci,
        ci_method=ci_method,
        pvalue=pvalue_for(p, delta, rule) if x.d.any() else 1.0,
        pvalue_method=p_method,
    )


def _icc(sums: "stats.ClusterSums", items: int) -> float | None:
    if items <= sums.sizes.size:
        return None
    return float(stats.anova_icc(sums.sums, sums.squares, sums.sizes).icc)


def _icc_plan(effect: float | None, sizes: IntArray) -> float | None:
    """Return the ICC with which a plan has this design effect; None if there is none."""
    if effect is None or effect <= 1:
        return None
    icc = float(stats.planning_icc(effect, sizes))
    return icc if icc < 1 else None


def _cluster(x: Differences, column: str) -> GapEstimate:
    codes = x.groups[column].codes
    centered = stats.cluster_sums(x.d - x.delta, codes)
    sizes = centered.sizes
    se = math.sqrt(float(stats.cluster_variance(centered.sums, sizes)))
    df = float(stats.bell_mccaffrey_df(sizes))
    delta, rule, conf = x.delta, x.criteria, confidence(x.criteria)
    sums = stats.cluster_sums(x.d, codes).sums
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)  # the caution says the same
        low, high = stats.cluster_interval(sums, sizes, conf=conf)
        p = float(stats.cluster_pvalue(sums, sizes))
    ci = within(Interval(float(low), float(high)), x.largest)
    ci_method = p_method = "cluster-robust t"
    if x.is_nothing(se):
        se = 0.0
        ci = unanimous_interval(delta, sizes.size, x.width, conf)
        ci_method = "no-spread score"
        p, test = flips(sums, x.rng)
        p_method = f"{test} of clusters"
    effect = se * se / x.iid_variance if x.iid_variance > 0 else None
    return GapEstimate(
        kind="cluster",
        column=column,
        n_groups=sizes.size,
        se=se,
        df=df,
        ci=ci,
        ci_method=ci_method,
        pvalue=pvalue_for(p, delta, rule) if x.d.any() else 1.0,
        pvalue_method=p_method,
        icc=_icc(centered, x.d.size),
        design_effect=effect,
        cluster_size=float(stats.mean_cluster_size(sizes)),
        n_effective_clusters=effective(sizes),
        loss="cluster",
        icc_plan=_icc_plan(effect, sizes),
        caution=caution(sizes, df),
    )


_READ = {"strata": _strata, "cluster": _cluster}


def declared(x: Differences, kind: ReadingKind, column: str) -> GapEstimate:
    """Return the gap under the declared design.

    Raise DataError if the column does not allow it.
    """
    refuse_column(x, kind, column)
    if x.d.size < 2:
        msg = f"{kind}={column!r} needs at least 2 shared items; got 1"
        raise DataError(msg)
    return _READ[kind](x, column)


def refuse_column(x: Differences, kind: ReadingKind, column: str) -> None:
    """Raise DataError if the column does not exist, or has only one cluster."""
    grouping = x.groups.get(column)
    if grouping is None:
        available = ", ".join(x.groups) if x.groups else "none"
        msg = (
            f"No group column {column} for {arg(kind)}. Available: {available}. To keep a "
            f"log field, add {arg('groups', column)}."
        )
        raise DataError(msg)
    if kind == "cluster" and len(grouping.labels) < 2:
        msg = (
            f"All {x.d.size} items are in one {column} ({grouping.labels[0]}); "
            f"clusters need at least two. Drop {arg('cluster')} or use a finer column."
        )
        raise DataError(msg)


def alternatives(x: Differences, chosen: GapEstimate) -> tuple[GapEstimate, ...]:
    """Return the gap under every design that was not declared, for comparison.

    Columns with one group, or with one item per group, are left out.
    """
    out = []
    for column, grouping in x.groups.items():
        if not 1 < len(grouping.labels) < x.d.size:
            continue
        for kind, read in _READ.items():
            if (kind, column) != (chosen.kind, chosen.column):
                out.append(read(x, column))
    return tuple(out)
