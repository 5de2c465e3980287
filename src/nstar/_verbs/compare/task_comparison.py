"""One task of a comparison, and its parts."""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from nstar._base.codec import derived
from nstar._base.record import record
from nstar._base.types import Count, FloatOrInf, Interval, IntervalOrInf, LossUnit
from nstar._data.attrition import Attrition
from nstar._verbs.verdict import FEW_ITEMS, PairWord, is_underpowered

MissingEffect: TypeAlias = Literal["reverse", "undo"]
ReadingKind: TypeAlias = Literal["independent", "strata", "cluster"]


def standard_errors(delta: float, se: float) -> float:
    """Gap in standard errors; 0 for no gap, infinite if the error is 0 and the gap is not."""
    if delta == 0:
        return 0.0
    return delta / se if se > 0 else math.copysign(math.inf, delta)


@record()
class PairedCounts:
    """Two 0/1 scores per item, first model first."""

    n11: int
    """Items both got right."""
    n10: int
    """Items only the first got right."""
    n01: int
    """Items only the second got right."""
    n00: int
    """Items neither got right."""

    @property
    def n(self) -> int:
        """Items."""
        return self.n11 + self.n10 + self.n01 + self.n00

    @derived
    def psi(self) -> float:
        """Share of items on which exactly one model is right."""
        return (self.n10 + self.n01) / self.n


@record()
class GapEstimate:
    """The gap under one design: independent items, strata, or clusters."""

    kind: ReadingKind
    """``independent``: items are independent; ``strata``: groups define the benchmark;
    ``cluster``: groups are a random sample."""
    column: str | None = None
    """Group column; None for independent items."""
    n_groups: int | None = None
    """Groups with items; None for independent items."""
    se: float
    """Standard error of the gap; 0 when all differences are equal, which measures no error."""
    df: FloatOrInf
    """Degrees of freedom of the interval, infinite for a normal one."""
    df_lost: float = 1.0
    """Units that carry no degree of freedom: 1 for a mean, one for each stratum."""
    n_labels: Count | None = None
    """Of a judge's scores, the labels that correct them and that the error rests on; None for
    scores as measured."""
    n_effective: float | None = None
    """Of items that weigh unequally, items of equal weight that would be worth as much,
    (Σw)² / Σw²; None if they weigh the same."""
    ci: Interval
    """Interval of the gap."""
    ci_method: str
    """How it was made."""
    pvalue: float
    """p-value of a zero gap."""
    pvalue_method: str
    """Its test."""
    icc: float | None = None
    """Intraclass correlation of the difference by analysis of variance; None unless the groups
    are clusters."""
    design_effect: float | None = None
    """Variance over that of independent items; None unless the groups are clusters."""
    cluster_size: float | None = None
    """Mean size of a cluster as an item sees it, Σm²/N; None unless the groups are clusters."""
    n_effective_clusters: float | None = None
    """Clusters of equal size that would be worth as much, N²/Σm²: of unequal weights by weight, of
    a judge's scores by labels; None unless the groups are clusters."""
    loss: LossUnit | None = None
    """What a margin assumes may fail entirely although no failure was observed: clusters, or
    single items if declared; None unless the groups are clusters."""
    icc_plan: float | None = None
    """The intraclass correlation that has this design effect in clusters of that size, for
    ``nstar plan --icc … --cluster-size …``; None where there is none above 0."""
    caution: str | None = None
    """Why these numbers are a rough guide, if they are."""

    @derived
    def design(self) -> str:
        """``independent``, ``strata:COLUMN`` or ``cluster:COLUMN``."""
        return self.kind if self.column is None else f"{self.kind}:{self.column}"

    @property
    def rests_on(self) -> float | None:
        """Units that the error rests on where those are not the items: labels, effective items."""
        return self.n_labels if self.n_labels is not None else self.n_effective

    @property
    def whole_clusters(self) -> float | None:
        """Effective clusters if whole clusters may fail; None if items are the units."""
        return self.n_effective_clusters if self.loss == "cluster" else None


@record()
class GroupRow:
    """The two models on one group of items."""

    group: str
    """Group."""
    n_items: int
    """Common items in it."""
    mean_a: float
    """First model's mean there."""
    mean_b: float
    """Second model's mean there."""
    gap: float
    """Gap there, first minus second."""
    ci: Interval | None
    """Its own interval, items independent, one comparison; None for one graded item."""


@record()
class GroupInfluence:
    """The gap with one group left out at a time."""

    gap_low: float
    """Smallest gap with one group left out."""
    gap_high: float
    """Largest gap with one group left out."""
    n_sign_changes: int
    """Groups whose omission alone turns the sign of the gap, or makes it 0."""
    most_influential: str
    """Group whose omission moves the gap furthest."""
    gap_without: float
    """Gap without that group."""


@record()
class GroupBreakdown:
    """The gap over the groups of one column."""

    column: str
    """Group column."""
    groups: tuple[GroupRow, ...]
    """Every group, in order of appearance."""
    leave_one_out: GroupInfluence
    """The gap with one group left out at a time."""


class RunRange(NamedTuple):
    """Runs per item."""

    low: int
    """Of the item with fewest."""
    high: int
    """Of the item with most."""


@record()
class RunVariance:
    """Where the variance of the gap comes from when cells have several runs.

    The part between items remains however often each item is run again.
    """

    n_runs_a: RunRange
    """Runs per item of the first model."""
    n_runs_b: RunRange
    """Runs per item of the second model."""
    variance: float
    """Squared standard error of the gap, items independent."""
    run_part_a: float | None
    """Its run-to-run part from the first model; None without repeated runs of it."""
    run_part_b: float | None
    """Its run-to-run part from the second model; None without repeated runs of it."""
    item_part: float | None
    """The rest, between items; estimated without bias, so possibly negative."""
    sigma_wa2: float | None
    """Run-to-run variance within an item, first model."""
    sigma_wb2: float | None
    """Run-to-run variance within an item, second model."""
    sigma_b2: float | None
    """Between-item variance of the true difference, floored at 0."""
    removable_share: float | None
    """Share of the variance that ever more runs would remove, in [0, 1]."""
    mde_floor: float | None
    """Gap detectable on these items with endless runs; None when not identified."""
    n_assumed: int
    """Cells with one run, whose run-to-run variance is taken from the other items."""

    @derived
    def is_identified(self) -> bool:
        """Both models have items with several runs, so that the parts can be told apart."""
        return self.item_part is not None


@record()
class Equivalence:
    """Whether the gap is smaller than a margin declared in advance."""

    margin: float
    """Largest gap that does not matter."""
    confidence_level: float
    """Coverage of the interval: two one-sided tests at alpha are 1 - 2 alpha."""
    ci: Interval
    """Interval of the gap at that coverage; where counts do not decide, it allows for losses and
    gains of the whole scale that are too rare to have shown."""
    pvalue: float
    """p-value of "the gap is at least the margin"."""
    is_equivalent: bool
    """The interval lies inside (-margin, margin)."""
    pvalue_noninferior: float
    """p-value of "the first model is behind by the margin or more"."""
    is_noninferior: bool
    """The interval lies above -margin."""
    n_star: FloatOrInf
    """Items that would show equivalence with the wanted power were the models truly equal, of
    the same kind and noise; infinite if none would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskComparison:
    """Two models on one task. Gaps are first minus second, in score units."""

    task: str
    """Benchmark."""
    metric: str
    """What the scores measure."""
    is_binary: bool
    """Whether every score is 0 or 1, with one run; otherwise scores are graded."""
    lower_is_better: bool
    """Less is better: with a positive gap the first model is worse."""
    score_range: tuple[float, float]
    """Worst and best possible score: as declared, 0 and 1, or the observed ones if some lie
    outside (0 and the one there is if there is no other)."""
    score_range_observed: bool
    """``limits`` are only scores that were seen: missing ones could lie further out."""
    binary_values: tuple[float, float]
    """The scores that 0 and 1 stand for: others than these if all scores were one of two values,
    such as 0 and 100. All else is then of 0/1 scores, and a gap of 1 is their difference."""
    n_items: int
    """Items with a score of both models."""
    mean_a: float
    """First model's mean over them."""
    mean_b: float
    """Second model's mean over them."""
    gap: float
    """Gap."""
    sigma: float
    """Standard deviation of the per-item difference (binary: ddof 0, graded: ddof 1)."""
    rho: float | None
    """Item correlation; None when a model has the same score everywhere."""
    rho_ci: Interval | None
    """Its interval, a rough guide; None at ±1, where no error was seen."""
    counts: PairedCounts | None
    """Cells of the paired table; None for graded scores."""
    confidence_level: float
    """Coverage of every interval here, 1 - alpha, or 1 - 2 alpha for a one-sided test."""
    estimate: GapEstimate
    """The gap under the declared design."""
    other_designs: tuple[GapEstimate, ...]
    """The same gap under the designs that were not declared."""
    pvalue_adjusted: float
    """p-value adjusted over the tasks (Holm); ``pvalue`` itself for one task."""
    pvalue_midp: float | None
    """McNemar mid-p, items independent; None for graded scores."""
    pvalue_exact: float | None
    """McNemar exact, items independent; None for graded scores."""
    pvalue_t: float | None
    """Paired t test, items independent; None for binary scores or one item."""
    pvalue_signflip: float | None
    """Sign-flip test, of items if graded, of whole clusters if those were declared."""
    significant_gap: float | None
    """Smallest observed gap that the test rejects with this disagreement (0/1 scores) or standard
    error; None if no gap is that large or no error was measured. Not adjusted over tasks."""
    mde: float | None
    """Smallest gap detectable as often as wanted; None if none is or no error was measured."""
    mde_lower_bound: float | None
    """Where ``mde`` is None and scores are binary: the gap detectable were every disagreement in
    favor of one model. No smaller gap is, however often they disagree."""
    q: float | None
    """Resolution ratio n / n_star at the observed gap; None when no error was measured."""
    q_ci: Interval | None
    """Its interval."""
    n_star: FloatOrInf
    """Items that detect a gap of the observed size; infinite at a gap of 0."""
    n_star_ci: IntervalOrInf
    """Its interval; the upper end is infinite unless the gap is significant."""
    delta: float | None
    """Smallest gap of interest, declared in advance."""
    q_at_delta: float | None
    """Resolution ratio at ``delta0``: whether this benchmark can see such a gap at all."""
    n_star_at_delta: float | None
    """Items that detect a gap of ``delta0``."""
    more_items: int | None
    """Items still missing to ``n_star_delta0``, or to ``n_star`` if no gap was declared; None
    when there is no sensible number."""
    verdict: PairWord
    """What was shown about the first model."""
    is_resolved: bool
    """q ≥ 1 at the observed gap: the outlook of a replication, not power."""
    equivalence: Equivalence | None
    """The gap against the declared margin; None without one."""
    missing_items: Attrition
    """Items that only one of the models has."""
    missing_effect: MissingEffect | None
    """Effect that the missing scores could have on a significant gap: reverse it, or make it
    inconclusive (``undo``). None: neither, or the gap is not significant."""
    breakdowns: tuple[GroupBreakdown, ...]
    """The gap over groups of items, one entry per group column."""
    run_variance: RunVariance | None
    """Parts of the variance when cells have several runs; None for single runs."""

    @property
    def few_items(self) -> bool:
        """So few items that this is hardly a comparison."""
        return self.n_items < FEW_ITEMS

    @property
    def unanimous(self) -> bool:
        """Every unit showed the same gap, so that its error could not be measured."""
        return self.estimate.se == 0

    @derived
    def design(self) -> str:
        """Declared design: ``independent``, ``strata:COLUMN`` or ``cluster:COLUMN``."""
        return self.estimate.design

    @derived
    def is_underpowered(self) -> bool:
        """Significant, with less power than wanted if the true gap equals the observed one."""
        return is_underpowered(self.verdict, self.q)

    @derived
    def df(self) -> FloatOrInf:
        """Degrees of freedom under the declared design; infinite for a normal interval."""
        return self.estimate.df

    @derived
    def se(self) -> float:
        """Standard error of the gap under the declared design."""
        return self.estimate.se

    @derived
    def t(self) -> FloatOrInf:
        """Gap in standard errors under the declared design; infinite if that error is 0."""
        return standard_errors(self.gap, self.se)

    @derived
    def ci(self) -> Interval:
        """Interval of the gap under the declared design."""
        return self.estimate.ci

    @derived
    def pvalue(self) -> float:
        """p-value of a zero gap under the declared design."""
        return self.estimate.pvalue


@record()
class AverageBasis:
    """What the average over tasks rests on: tasks count equally, and each has its own items."""

    n_tasks: int
    """Tasks in the average."""
    n_items: int
    """Items of all these tasks with a score of both models."""
    mean_a: float
    """First model's mean over tasks."""
    mean_b: float
    """Second model's mean over tasks."""
    gap: float
    """Gap: mean of the gaps of the tasks, first minus second."""
    se: float
    """Standard error of the gap under the declared design. Errors of different tasks are
    independent."""
    df: FloatOrInf
    """Degrees of freedom by Satterthwaite's formula."""
    n_effective: float
    """Units on which a rare loss could have been observed, for the margin."""
    score_range: tuple[float, float]
    """Worst and best possible score."""
    lower_is_better: bool
    """Less is better: with a positive gap the first model is worse."""

    @property
    def width(self) -> float:
        """Largest possible gap."""
        return self.score_range[1] - self.score_range[0]


@record()
class AverageGap(AverageBasis):
    """The macro average over tasks, as ``audit`` reports it for two models."""

    confidence_level: float
    """Coverage of every interval here, 1 - alpha, or 1 - 2 alpha for a one-sided test."""
    ci: Interval
    """Interval of the gap."""
    pvalue: float
    """p-value of a zero gap (Student's t); not adjusted for the tests of single tasks."""
    significant_gap: float | None
    """Smallest observed gap that the test rejects with this disagreement (0/1 scores) or standard
    error; None if no gap is that large or no error was measured. Not adjusted over tasks."""
    mde: float | None
    """Smallest gap detectable as often as wanted; None if none is or no error was measured."""
    q: float | None
    """Resolution ratio n / n_star at the observed gap; None when no error was measured."""
    q_ci: Interval | None
    """Its interval."""
    n_star: FloatOrInf
    """Items of all tasks together, in the present shares, that detect a gap of the observed size;
    infinite at a gap of 0."""
    n_star_ci: IntervalOrInf
    """Its interval; the upper end is infinite unless the gap is significant."""
    delta: float | None
    """Smallest gap of interest, declared in advance."""
    q_at_delta: float | None
    """Resolution ratio at ``delta0``."""
    n_star_at_delta: float | None
    """Items of all tasks together that detect a gap of ``delta0``."""
    more_items: int | None
    """Items still missing to ``n_star_delta0``, or to ``n_star`` if no gap was declared; None
    when there is no sensible number."""
    verdict: PairWord
    """What was shown about the first model."""
    is_resolved: bool
    """q ≥ 1 at the observed gap: the outlook of a replication, not power."""
    equivalence: Equivalence | None
    """The gap against the declared margin; None without one."""

    @derived
    def is_underpowered(self) -> bool:
        """Significant, with less power than wanted if the true gap equals the observed one."""
        return is_underpowered(self.verdict, self.q)
