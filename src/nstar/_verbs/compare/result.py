"""What a comparison holds: a Comparison of Pairs, one per task, and the parts of a Pair."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from nstar._base.codec import derived
from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import Count, FloatOrInf, Interval, IntervalOrInf, LossUnit
from nstar._data.attrition import Attrition
from nstar._data.findings import Finding
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.compare.sample import PairedSample
from nstar._verbs.verdict import FEW_ITEMS, Criteria, PairWord

Scale: TypeAlias = Literal["binary", "graded"]
MissingEffect: TypeAlias = Literal["reverse", "undo"]
ReadingKind: TypeAlias = Literal["items", "strata", "cluster"]


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
    """The gap under one reading of the items: independent, in strata, or in clusters."""

    kind: ReadingKind
    """``items``: independent draws; ``strata``: groups define the benchmark; ``cluster``: groups
    are a sample of those that could have been in it."""
    column: str | None = None
    """Group column; None for independent items."""
    groups: int | None = None
    """Groups with items; None for independent items."""
    se: float
    """Standard error of the gap; 0 when all differences are equal, which measures no error."""
    df: FloatOrInf
    """Degrees of freedom of the interval, infinite for a normal one."""
    lost: float = 1.0
    """Units that carry no degree of freedom: 1 for a mean, one for each stratum."""
    labels: Count | None = None
    """Of a judge's scores, the labels that correct them and that the error rests on; None for
    scores as measured."""
    effective: float | None = None
    """Of items that weigh unequally, items of equal weight that would be worth as much,
    (Σw)² / Σw²; None if they weigh the same."""
    ci: Interval
    """Interval of the gap."""
    ci_method: str
    """How it was made."""
    p: float
    """p-value of a zero gap."""
    p_method: str
    """Its test."""
    icc: float | None = None
    """Intraclass correlation of the difference by analysis of variance; None unless the groups
    are clusters."""
    design_effect: float | None = None
    """Variance over that of independent items; None unless the groups are clusters."""
    cluster_size: float | None = None
    """Mean size of a cluster as an item sees it, Σm²/N; None unless the groups are clusters."""
    effective_clusters: float | None = None
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
    def name(self) -> str:
        """``items``, ``strata:COLUMN`` or ``cluster:COLUMN``."""
        return self.kind if self.column is None else f"{self.kind}:{self.column}"

    @property
    def rests_on(self) -> float | None:
        """Units that the error rests on where those are not the items: labels, effective items."""
        return self.labels if self.labels is not None else self.effective

    @property
    def whole_clusters(self) -> float | None:
        """Effective clusters if whole clusters may fail; None if items are the units."""
        return self.effective_clusters if self.loss == "cluster" else None


@record()
class GroupRow:
    """The two models on one group of items."""

    label: str
    """Group."""
    n: int
    """Common items in it."""
    mean_a: float
    """First model's mean there."""
    mean_b: float
    """Second model's mean there."""
    delta: float
    """Gap there, first minus second."""
    ci: Interval | None
    """Its own interval, items independent, one comparison; None for one graded item."""


@record()
class GroupInfluence:
    """The gap with one group left out at a time."""

    low: float
    """Smallest gap with one group left out."""
    high: float
    """Largest gap with one group left out."""
    flips: int
    """Groups whose omission alone turns the sign of the gap, or makes it 0."""
    most: str
    """Group whose omission moves the gap furthest."""
    without_most: float
    """Gap without that group."""


@record()
class GroupBreakdown:
    """The gap over the groups of one column."""

    column: str
    """Group column."""
    rows: tuple[GroupRow, ...]
    """Every group, in order of appearance."""
    left_out: GroupInfluence
    """The gap with one group left out at a time."""


class RunRange(NamedTuple):
    """Runs per item."""

    fewest: int
    """Of the item with fewest."""
    most: int
    """Of the item with most."""


@record()
class RunVariance:
    """Where the variance of the gap comes from when cells have several runs.

    The part between items remains however often each item is run again.
    """

    runs_a: RunRange
    """Runs per item of the first model."""
    runs_b: RunRange
    """Runs per item of the second model."""
    variance: float
    """Squared standard error of the gap, items independent."""
    part_a: float | None
    """Its run-to-run part from the first model; None without repeated runs of it."""
    part_b: float | None
    """Its run-to-run part from the second model; None without repeated runs of it."""
    data_part: float | None
    """The rest, between items; estimated without bias, so possibly negative."""
    sigma_wa2: float | None
    """Run-to-run variance within an item, first model."""
    sigma_wb2: float | None
    """Run-to-run variance within an item, second model."""
    sigma_b2: float | None
    """Between-item variance of the true difference, floored at 0."""
    removable: float | None
    """Share of the variance that ever more runs would remove, in [0, 1]."""
    mde_floor: float | None
    """Gap detectable on these items with endless runs; None when not identified."""
    assumed: int
    """Cells with one run, whose run-to-run variance is taken from the other items."""

    @derived
    def identified(self) -> bool:
        """Both models have items with several runs, so that the parts can be told apart."""
        return self.data_part is not None


@record()
class Equivalence:
    """Whether the gap is smaller than a margin declared in advance."""

    margin: float
    """Largest gap that does not matter."""
    conf: float
    """Coverage of the interval: two one-sided tests at alpha are 1 - 2 alpha."""
    ci: Interval
    """Interval of the gap at that coverage; where counts do not decide, it allows for losses and
    gains of the whole scale that are too rare to have shown."""
    p: float
    """p-value of "the gap is at least the margin"."""
    equivalent: bool
    """The interval lies inside (-margin, margin)."""
    p_noninferior: float
    """p-value of "the first model is behind by the margin or more"."""
    noninferior: bool
    """The interval lies above -margin."""
    n_star: FloatOrInf
    """Items that would show equivalence with the wanted power were the models truly equal, of
    the same kind and noise; infinite if none would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two models on one task. Gaps are first minus second, in score units."""

    task: str
    """Benchmark."""
    metric: str
    """What the scores measure."""
    scale: Scale
    """``binary``: every score 0 or 1, one run; anything else is graded."""
    lower_is_better: bool
    """Less is better: with a positive gap the first model is worse."""
    limits: tuple[float, float]
    """Worst and best possible score: as declared, 0 and 1, or the observed ones if some lie
    outside (0 and the one there is if there is no other)."""
    range_is_seen: bool
    """``limits`` are only scores that were seen: missing ones could lie further out."""
    values: tuple[float, float]
    """The scores that 0 and 1 stand for: others than these if all scores were one of two values,
    such as 0 and 100. All else is then of 0/1 scores, and a gap of 1 is their difference."""
    n: int
    """Items with a score of both models."""
    mean_a: float
    """First model's mean over them."""
    mean_b: float
    """Second model's mean over them."""
    delta: float
    """Gap."""
    sigma: float
    """Standard deviation of the per-item difference (binary: ddof 0, graded: ddof 1)."""
    rho: float | None
    """Item correlation; None when a model has the same score everywhere."""
    rho_ci: Interval | None
    """Its interval, a rough guide; None at ±1, where no error was seen."""
    counts: PairedCounts | None
    """Cells of the paired table; None for graded scores."""
    conf: float
    """Coverage of every interval here, 1 - alpha, or 1 - 2 alpha for a one-sided test."""
    design: GapEstimate
    """The gap as declared: independent items, strata or clusters."""
    alternatives: tuple[GapEstimate, ...]
    """The same gap under the readings that were not declared."""
    p_adjusted: float
    """``p`` adjusted over the tasks (Holm); ``p`` itself for one task."""
    p_midp: float | None
    """McNemar mid-p, items independent; None for graded scores."""
    p_exact: float | None
    """McNemar exact, items independent; None for graded scores."""
    p_t: float | None
    """Paired t test, items independent; None for binary scores or one item."""
    p_signflip: float | None
    """Sign-flip test, of items if graded, of whole clusters if those were declared."""
    mde: float | None
    """Smallest gap detectable as often as wanted; None if none is or no error was measured."""
    mde_least: float | None
    """Where ``mde`` is None and scores are binary: the gap detectable were every disagreement in
    favour of one model. No smaller gap is, however often they disagree."""
    q: float | None
    """Resolution ratio n / n_star at the observed gap; None when no error was measured."""
    q_ci: Interval | None
    """Its interval."""
    n_star: FloatOrInf
    """Items that detect a gap of the observed size; infinite at a gap of 0."""
    n_star_ci: IntervalOrInf
    """Its interval; the upper end is infinite unless the gap is significant."""
    delta0: float | None
    """Smallest gap of interest, declared in advance."""
    q_delta0: float | None
    """Resolution ratio at ``delta0``: whether this benchmark can see such a gap at all."""
    n_star_delta0: float | None
    """Items that detect a gap of ``delta0``."""
    more_items: int | None
    """Items still missing to ``n_star_delta0``, or to ``n_star`` if no gap was declared; None
    when there is no sensible number."""
    verdict: PairWord
    """What was shown about the first model."""
    resolved: bool
    """q ≥ 1 at the observed gap: the outlook of a replication, not power."""
    equivalence: Equivalence | None
    """The gap against the declared margin; None without one."""
    attrition: Attrition
    """Items that only one of the models has."""
    missing_effect: MissingEffect | None
    """Effect that the missing scores could have on a significant gap: reverse it, or make it
    inconclusive (``undo``). None: neither, or the gap is not significant."""
    breakdowns: tuple[GroupBreakdown, ...]
    """The gap over groups of items, one entry per group column."""
    runs: RunVariance | None
    """Parts of the variance when cells have several runs; None for single runs."""

    @property
    def few_items(self) -> bool:
        """So few items that this is hardly a comparison."""
        return self.n < FEW_ITEMS

    @property
    def unanimous(self) -> bool:
        """Every unit showed the same gap, so that its error could not be measured."""
        return self.design.se == 0

    @derived
    def se(self) -> float:
        """Standard error of the gap under the declared reading."""
        return self.design.se

    @derived
    def t(self) -> FloatOrInf:
        """Gap in standard errors under the declared reading; infinite if that error is 0."""
        return standard_errors(self.delta, self.se)

    @derived
    def ci(self) -> Interval:
        """Interval of the gap under the declared reading."""
        return self.design.ci

    @derived
    def p(self) -> float:
        """p-value of a zero gap under the declared reading."""
        return self.design.p


@record()
class AverageBasis:
    """What the average over tasks rests on: tasks count equally, and each has its own items."""

    tasks: int
    """Tasks in the average."""
    n: int
    """Items of all these tasks with a score of both models."""
    mean_a: float
    """First model's mean over tasks."""
    mean_b: float
    """Second model's mean over tasks."""
    delta: float
    """Gap: mean of the gaps of the tasks, first minus second."""
    se: float
    """Standard error of the gap under the declared design. Errors of different tasks are
    independent."""
    df: FloatOrInf
    """Degrees of freedom by Satterthwaite's formula."""
    effective: float
    """Units on which a rare loss could have been observed, for the margin."""
    limits: tuple[float, float]
    """Worst and best possible score."""
    lower_is_better: bool
    """Less is better: with a positive gap the first model is worse."""

    @property
    def width(self) -> float:
        """Largest possible gap."""
        return self.limits[1] - self.limits[0]


@record()
class AverageGap(AverageBasis):
    """The macro average over tasks, as ``audit`` reports it for two models."""

    conf: float
    """Coverage of every interval here, 1 - alpha, or 1 - 2 alpha for a one-sided test."""
    ci: Interval
    """Interval of the gap."""
    p: float
    """p-value of a zero gap (Student's t); not adjusted for the tests of single tasks."""
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
    delta0: float | None
    """Smallest gap of interest, declared in advance."""
    q_delta0: float | None
    """Resolution ratio at ``delta0``."""
    n_star_delta0: float | None
    """Items of all tasks together that detect a gap of ``delta0``."""
    more_items: int | None
    """Items still missing to ``n_star_delta0``, or to ``n_star`` if no gap was declared; None
    when there is no sensible number."""
    verdict: PairWord
    """What was shown about the first model."""
    resolved: bool
    """q ≥ 1 at the observed gap: the outlook of a replication, not power."""
    equivalence: Equivalence | None
    """The gap against the declared margin; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Comparison(Result):
    """Two models on one or several tasks."""

    names: tuple[str, str]
    """The first and the second model."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    tasks: tuple[Pair, ...]
    """The two models on each task, at least one."""
    adjust: Literal["holm"] | None
    """How p-values were adjusted over tasks; None for one task."""
    seed: int | None
    """Seed of the random sign flips; None if a generator was given."""
    findings: tuple[Finding, ...]
    """What was found in the data before, and tasks left out."""
    average: AverageGap | None = None
    """The macro average over the tasks; None for one task, and for tasks without an average."""
    no_average: str | None = None
    """Why several tasks have no average; None if they have one, and for one task."""
    samples: tuple[PairedSample, ...] = field(default=(), compare=False)
    """The scores of each task, for what is asked of single items; none if they were not kept."""
    question: CompareQuestion | None = field(default=None, compare=False)
    """What was asked, to ask it again by other rules."""

    def differing(self, which: Literal["gained", "lost"]) -> dict[str, list[Any]]:
        """Items on which one model does better than the other, the widest gap first.

        Parameters
        ----------
        which
            ``gained``: the first model does better than the second; ``lost``: it does worse.

        Returns
        -------
        dict
            Columns for pandas or a file: ``task``, ``item``, the groups of the item, the score of
            each model under its name, its runs (``NAME runs``), and ``gap``, first minus second.
            If a name is that of another column, ``(first)`` or ``(second)`` follows the names.

        Examples
        --------
        >>> import nstar
        >>> nstar.compare([1, 1, 0], [0, 1, 1]).differing("gained")["item"]
        ['0']
        """
        from nstar._verbs.compare.differing import differing  # noqa: PLC0415

        return differing(self.samples, which, self.names)
