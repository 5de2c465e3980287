"""Comparison on one task, and its parts."""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from nstar import stats
from nstar._base.codec import derived
from nstar._base.types import Count, FloatOrInf, Interval, IntervalOrInf, LossUnit
from nstar._data.attrition import Attrition
from nstar._verbs.verdict import FEW_ITEMS, PairWord, is_underpowered

MissingEffect: TypeAlias = Literal["reverse", "undo"]
ReadingKind: TypeAlias = Literal["independent", "strata", "cluster"]


def standard_errors(delta: float, se: float) -> float:
    """Return the gap in standard errors; 0 for no gap, infinite if only the error is 0."""
    if delta == 0:
        return 0.0
    return delta / se if se > 0 else math.copysign(math.inf, delta)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCounts:
    """Counts of items by two 0/1 scores, first model first."""

    n11: int
    """Number of items that both models answered correctly."""
    n10: int
    """Number of items that only the first model answered correctly."""
    n01: int
    """Number of items that only the second model answered correctly."""
    n00: int
    """Number of items that neither model answered correctly."""

    @property
    def n(self) -> int:
        """Return the number of items."""
        return self.n11 + self.n10 + self.n01 + self.n00

    @derived
    def psi(self) -> float:
        """Return the share of items on which exactly one model is right."""
        return (self.n10 + self.n01) / self.n


@dataclass(frozen=True, slots=True, kw_only=True)
class GapEstimate:
    """Estimate of the gap under one design: independent items, strata, or clusters."""

    kind: ReadingKind
    """``independent``: items are independent; ``strata``: groups define the benchmark;
    ``cluster``: groups are a random sample."""
    column: str | None = None
    """Group column; None for independent items."""
    n_groups: int | None = None
    """Number of groups with items; None for independent items."""
    se: float
    """Standard error of the gap; 0 if all differences are equal, so that no error is measured."""
    df: FloatOrInf
    """Degrees of freedom of the interval, infinite for a normal one."""
    df_lost: float = 1.0
    """Number of units without a degree of freedom: 1 for a mean, one for each stratum."""
    n_labels: Count | None = None
    """Number of labels that correct a judge's scores and that the error rests on; None for
    uncorrected scores."""
    n_effective: float | None = None
    """Effective number of items with unequal weights, (Σw)² / Σw²; None for equal weights."""
    ci: Interval
    """Confidence interval of the gap."""
    ci_method: str
    """Method of the interval."""
    pvalue: float
    """p-value of a zero gap."""
    pvalue_method: str
    """Test behind the p-value."""
    icc: float | None = None
    """Intraclass correlation of the difference by analysis of variance; None unless the groups
    are clusters."""
    design_effect: float | None = None
    """Variance over that of independent items; None unless the groups are clusters."""
    cluster_size: float | None = None
    """Mean cluster size over items, Σm²/N; None unless the groups are clusters."""
    n_effective_clusters: float | None = None
    """Effective number of equal clusters, N²/Σm²: by weight for unequal weights, and by labels for
    a judge's scores; None unless the groups are clusters."""
    loss: LossUnit | None = None
    """Unit that may fail entirely under a margin although no failure was observed: clusters, or
    single items if declared; None unless the groups are clusters."""
    icc_plan: float | None = None
    """The intraclass correlation that has this design effect in clusters of that size, for
    ``nstar plan --icc … --cluster-size …``; None where there is none above 0."""
    caution: str | None = None
    """Why these numbers are approximate, if they are."""

    @derived
    def design(self) -> str:
        """Return ``independent``, ``strata:COLUMN`` or ``cluster:COLUMN``."""
        return self.kind if self.column is None else f"{self.kind}:{self.column}"

    @property
    def rests_on(self) -> float | None:
        """Return the units of the error if they are not the items: labels, effective items."""
        return self.n_labels if self.n_labels is not None else self.n_effective

    @property
    def whole_clusters(self) -> float | None:
        """Return the effective clusters if whole clusters may fail.

        None if items are the units.
        """
        return self.n_effective_clusters if self.loss == "cluster" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """Comparison of two models on one group of items."""

    group: str
    """Name of the group."""
    n_items: int
    """Number of shared items in the group."""
    mean_a: float
    """First model's mean in the group."""
    mean_b: float
    """Second model's mean in the group."""
    gap: float
    """Gap in the group, first minus second."""
    ci: Interval | None
    """Unadjusted interval of this gap for independent items; None for one graded item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupInfluence:
    """The gap with one group left out at a time."""

    gap_low: float
    """Smallest gap with one group left out."""
    gap_high: float
    """Largest gap with one group left out."""
    n_sign_changes: int
    """Number of groups whose omission alone reverses the sign of the gap, or makes it 0."""
    most_influential: str
    """Group whose omission changes the gap most."""
    gap_without: float
    """Gap without that group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBreakdown:
    """The gap over the groups of one column."""

    column: str
    """Group column."""
    groups: tuple[GroupRow, ...]
    """Every group, in order of appearance."""
    leave_one_out: GroupInfluence
    """The gap with one group left out at a time."""


class RunRange(NamedTuple):
    """Range of the runs per item."""

    low: int
    """Fewest runs of an item."""
    high: int
    """Most runs of an item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVariance:
    """Components of the variance of the gap when cells have several runs.

    More runs of the same items do not reduce the component between items.
    """

    n_runs_a: RunRange
    """Runs per item of the first model."""
    n_runs_b: RunRange
    """Runs per item of the second model."""
    variance: float
    """Squared standard error of the gap, for independent items."""
    run_part_a: float | None
    """Run-to-run component of the first model; None without repeated runs of it."""
    run_part_b: float | None
    """Run-to-run component of the second model; None without repeated runs of it."""
    item_part: float | None
    """Component between items, estimated without bias, so possibly negative."""
    sigma_wa2: float | None
    """Run-to-run variance within an item, first model."""
    sigma_wb2: float | None
    """Run-to-run variance within an item, second model."""
    sigma_b2: float | None
    """Between-item variance of the true difference, floored at 0."""
    removable_share: float | None
    """Share of the variance that unlimited runs would remove, in [0, 1]."""
    mde_floor: float | None
    """Gap detectable on these items with unlimited runs; None if not identified."""
    n_assumed: int
    """Number of cells with one run, whose run-to-run variance is taken from other items."""

    @derived
    def is_identified(self) -> bool:
        """Return whether both models have items with several runs."""
        return self.item_part is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Test of whether the gap is smaller than a margin declared in advance."""

    margin: float
    """Largest gap that does not matter."""
    confidence_level: float
    """Coverage of the interval, 1 - 2 alpha for two one-sided tests at alpha."""
    ci: Interval
    """Interval of the gap at that coverage; unless counts determine it, it allows for losses and
    gains of the whole scale that are too rare to be observed."""
    pvalue: float
    """p-value of "the gap is at least the margin"."""
    is_equivalent: bool
    """Whether the interval lies inside (-margin, margin)."""
    pvalue_noninferior: float
    """p-value of "the first model is worse by the margin or more"."""
    is_noninferior: bool
    """Whether the interval lies above -margin."""
    n_star: FloatOrInf
    """Similar items that would show equivalence with the target power if the models were equal;
    infinite if none would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSize:
    """The gap without units. Effect sizes are not comparable between benchmarks."""

    d_z: float
    """Cohen's d_z: the gap divided by the standard deviation (ddof 1) of the per-item difference.
    """
    h: float | None
    """Cohen's h, 2 asin √p_a - 2 asin √p_b, which ignores the pairing; None for graded scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskComparison:
    """Comparison of two models on one task. Gaps are first minus second, in score units."""

    task: str
    """Name of the benchmark."""
    metric: str
    """Name of the metric."""
    is_binary: bool
    """Whether every score is 0 or 1, with one run; otherwise scores are graded."""
    lower_is_better: bool
    """Whether lower is better, so that the first model is worse if the gap is positive."""
    score_range: tuple[float, float]
    """Worst and best possible score: as declared, 0 and 1, or the observed ones if some lie
    outside (0 and the only score if there is no other)."""
    score_range_observed: bool
    """Whether ``score_range`` is only observed, so that missing scores could lie outside."""
    binary_values: tuple[float, float]
    """The two original scores if all scores had one of two values other than 0 and 1, such as 0
    and 100. Everything else then refers to 0/1 scores, and a gap of 1 is their difference."""
    n_items: int
    """Number of shared items."""
    mean_a: float
    """First model's mean over the shared items, or its ``statistic``."""
    mean_b: float
    """Second model's mean over the shared items, or its ``statistic``."""
    threshold: float | None = None
    """Fixed score that takes the place of the second model; None with two models."""
    statistic: str | None = None
    """Metric that is not an average of item scores, such as F1 or P95; None for mean scores."""
    gap: float
    """Observed gap."""
    sigma: float
    """Standard deviation of the per-item difference (binary: ddof 0, graded: ddof 1). For a
    quantile, the standard error of the gap times the root of ``n_items``."""
    rho: float | None
    """Item correlation; None if a model has the same score everywhere."""
    rho_ci: Interval | None
    """Approximate interval of rho; None at ±1, where no error was observed."""
    counts: PairedCounts | None
    """Counts of the paired table; None for graded scores."""
    confidence_level: float
    """Coverage of every interval, 1 - alpha, or 1 - 2 alpha for a one-sided test."""
    estimate: GapEstimate
    """Estimate of the gap under the declared design."""
    other_designs: tuple[GapEstimate, ...]
    """Estimates of the gap under designs that were not declared."""
    pvalue_adjusted: float
    """p-value adjusted over the tasks (Holm); ``pvalue`` itself for one task."""
    pvalue_midp: float | None
    """McNemar's mid-p for independent items; None for graded scores."""
    pvalue_exact: float | None
    """McNemar's exact p-value for independent items; None for graded scores."""
    pvalue_t: float | None
    """p-value of the paired t test for independent items; None for binary scores or one item."""
    pvalue_signflip: float | None
    """p-value of the sign-flip test, of graded items or of declared clusters."""
    significant_gap: float | None
    """Smallest observed gap that the test rejects with this disagreement (0/1 scores) or standard
    error; None if no gap is that large or no error was measured. Not adjusted over tasks."""
    mde: float | None
    """Smallest gap detectable with the target power; None without one or without a measured error.
    """
    mde_lower_bound: float | None
    """If ``mde`` is None and scores are binary: the gap detectable if every disagreement favored
    one model. No smaller gap is detectable at any disagreement."""
    q: float | None
    """Resolution ratio n / n_star at the observed gap; None without a measured error."""
    q_ci: Interval | None
    """Interval of q."""
    n_star: FloatOrInf
    """Items needed to detect a gap of the observed size; infinite at a gap of 0."""
    n_star_ci: IntervalOrInf
    """Interval of n_star; the upper limit is infinite unless the gap is significant."""
    delta: float | None
    """Smallest gap that matters, declared in advance."""
    q_at_delta: float | None
    """Resolution ratio at ``delta``: whether this benchmark can detect such a gap."""
    n_star_at_delta: float | None
    """Items needed to detect a gap of ``delta``."""
    more_items: int | None
    """Items still missing to ``n_star_at_delta``, or to ``n_star`` if no gap was declared; None if
    the number is not useful."""
    verdict: PairWord
    """Verdict about the first model."""
    is_resolved: bool
    """Whether q ≥ 1 at the observed gap: the prospect of a replication, not power."""
    exaggeration: float | None = None
    """Average of the significant gaps divided by the true gap, if the true gap equals the observed
    gap; None unless the gap is significant and underpowered."""
    equivalence: Equivalence | None
    """Test against the declared margin; None without one."""
    missing_items: Attrition
    """Items that only one of the models has."""
    missing_effect: MissingEffect | None
    """Effect that the missing scores could have on a significant gap: reverse it, or make it
    inconclusive (``undo``). None: neither, or the gap is not significant."""
    breakdowns: tuple[GroupBreakdown, ...]
    """Gap over groups of items, one entry per group column."""
    run_variance: RunVariance | None
    """Components of the variance if cells have several runs; None for single runs."""

    @property
    def few_items(self) -> bool:
        """Return whether the items are too few for a useful comparison."""
        return self.n_items < FEW_ITEMS

    @property
    def is_quantile(self) -> bool:
        """Return whether medians or other quantiles are compared."""
        return self.statistic is not None and self.estimate.pvalue_method == "bootstrap"

    @property
    def unanimous(self) -> bool:
        """Return whether every unit showed the same gap, so that its error is unknown."""
        return self.estimate.se == 0

    @derived
    def design(self) -> str:
        """Return the declared design: ``independent``, ``strata:COLUMN`` or ``cluster:COLUMN``."""
        return self.estimate.design

    @derived
    def is_underpowered(self) -> bool:
        """Return whether the gap is significant with less than the target power.

        The power is that at a true gap equal to the observed one.
        """
        return is_underpowered(self.verdict, self.q)

    @derived
    def effect_size(self) -> EffectSize | None:
        """Return Cohen's d_z and h; None without variance, with weights or a threshold.

        Also None for a metric that is not an average.
        """
        others = (self.threshold, self.statistic, self.estimate.rests_on)
        if any(x is not None for x in others) or self.sigma == 0 or self.n_items < 2:
            return None
        n = self.n_items
        sd = self.sigma if self.counts is None else self.sigma * math.sqrt(n / (n - 1))
        h = None if self.counts is None else float(stats.cohen_h(self.mean_a, self.mean_b))
        return EffectSize(d_z=self.gap / sd, h=h)

    @derived
    def df(self) -> FloatOrInf:
        """Return the degrees of freedom of the declared design; infinite if it is normal."""
        return self.estimate.df

    @derived
    def se(self) -> float:
        """Return the standard error of the gap under the declared design."""
        return self.estimate.se

    @derived
    def t(self) -> FloatOrInf:
        """Return the gap divided by its standard error; infinite if the error is 0."""
        return standard_errors(self.gap, self.se)

    @derived
    def ci(self) -> Interval:
        """Return the interval of the gap under the declared design."""
        return self.estimate.ci

    @derived
    def pvalue(self) -> float:
        """Return the p-value of a zero gap under the declared design."""
        return self.estimate.pvalue


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageBasis:
    """Basis of the average over tasks, in which tasks count equally and have distinct items."""

    n_tasks: int
    """Number of tasks in the average."""
    n_items: int
    """Number of shared items of all these tasks."""
    mean_a: float
    """First model's mean over tasks."""
    mean_b: float
    """Second model's mean over tasks."""
    gap: float
    """Mean of the gaps of the tasks, first minus second."""
    se: float
    """Standard error of the gap under the declared design. Errors of different tasks are
    independent."""
    df: FloatOrInf
    """Degrees of freedom by Satterthwaite's formula."""
    n_effective: float
    """Number of units on which a rare loss could have been observed, for the margin."""
    score_range: tuple[float, float]
    """Worst and best possible score."""
    lower_is_better: bool
    """Whether lower is better, so that the first model is worse if the gap is positive."""

    @property
    def width(self) -> float:
        """Return the largest possible gap."""
        return self.score_range[1] - self.score_range[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageGap(AverageBasis):
    """Macro average over tasks, as ``audit`` reports it for two models."""

    confidence_level: float
    """Coverage of every interval, 1 - alpha, or 1 - 2 alpha for a one-sided test."""
    ci: Interval
    """Interval of the gap."""
    pvalue: float
    """p-value of a zero gap (Student's t); not adjusted for the tests of single tasks."""
    significant_gap: float | None
    """Smallest observed gap that the test rejects with this disagreement (0/1 scores) or standard
    error; None if no gap is that large or no error was measured. Not adjusted over tasks."""
    mde: float | None
    """Smallest gap detectable with the target power; None without one or without a measured error.
    """
    q: float | None
    """Resolution ratio n / n_star at the observed gap; None without a measured error."""
    q_ci: Interval | None
    """Interval of q."""
    n_star: FloatOrInf
    """Items of all tasks together, in the present shares, needed to detect a gap of the observed
    size; infinite at a gap of 0."""
    n_star_ci: IntervalOrInf
    """Interval of n_star; the upper limit is infinite unless the gap is significant."""
    delta: float | None
    """Smallest gap that matters, declared in advance."""
    q_at_delta: float | None
    """Resolution ratio at ``delta``."""
    n_star_at_delta: float | None
    """Items of all tasks together needed to detect a gap of ``delta``."""
    more_items: int | None
    """Items still missing to ``n_star_at_delta``, or to ``n_star`` if no gap was declared; None if
    the number is not useful."""
    verdict: PairWord
    """Verdict about the first model."""
    is_resolved: bool
    """Whether q ≥ 1 at the observed gap: the prospect of a replication, not power."""
    equivalence: Equivalence | None
    """Test against the declared margin; None without one."""

    @derived
    def is_underpowered(self) -> bool:
        """Return whether the gap is significant with less than the target power."""
        return is_underpowered(self.verdict, self.q)
