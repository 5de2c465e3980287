"""Tables of an Audit: ranked models, pairs, and counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

import numpy as np

from nstar import stats
from nstar._base.codec import codec, derived
from nstar._base.parameter_types import RankMeasure
from nstar._base.types import (
    Array,
    ArrayOrInf,
    BoolArray,
    ColumnTable,
    Count,
    CountArray,
    FloatOrInf,
)
from nstar._verbs.verdict import BoardVerdict, PairState, pair_states

FamilyName: TypeAlias = Literal["adjacent", "top_adjacent", "top", "all"]


class ArrayTable(ColumnTable):
    """Table of named arrays with the same length."""

    __slots__ = ()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(getattr(self, fields(self)[0].name))  # type: ignore[arg-type]

    def columns(self) -> dict[str, Any]:
        """Return the columns by name, without those that do not apply."""
        names = [f.name for f in fields(self)]  # type: ignore[arg-type]
        names += [name for name, v in vars(type(self)).items() if isinstance(v, derived)]
        by_name = {name: getattr(self, name) for name in names}
        return {name: values for name, values in by_name.items() if values is not None}

    def rows(self, indices: Sequence[int] | None = None) -> Iterator[dict[str, Any]]:
        """Yield one dictionary per row, for all or some rows, with plain Python numbers."""
        columns = self.columns()
        row_numbers = range(len(self)) if indices is None else indices
        for i in row_numbers:
            yield {
                name: v[i].item() if hasattr(v[i], "item") else v[i] for name, v in columns.items()
            }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankTable(ArrayTable):
    """Models from best to worst, one per row."""

    model: tuple[str, ...]
    """Name of the model."""
    mean: Array
    """Mean score over the model's audited items."""
    ci_low: Array
    """Lower limit of the interval of the mean, with coverage 1 - alpha, under the declared design;
    NaN without a standard error. These intervals do not compare two models: scores on the same
    items are correlated, so gaps have smaller errors.
    """
    ci_high: Array
    """Upper limit of the interval of the mean."""
    n_items: CountArray
    """Number of the model's audited items."""
    rank: CountArray
    """Rank by mean; 1 is best. Equal means share the better rank."""
    rank_low: CountArray
    """Best rank that the data support, simultaneously for all models."""
    rank_high: CountArray
    """Worst rank that the data support, simultaneously for all models."""
    marginal_rank_low: CountArray
    """Best rank that the data support if only this model is of interest."""
    marginal_rank_high: CountArray
    """Worst rank that the data support if only this model is of interest."""
    tier: CountArray
    """Tier; 1 is best. Every model in a tier beats every model in the next tier."""

    @property
    def n_tiers(self) -> int:
        """Return the number of tiers."""
        return int(self.tier[-1]) - int(self.tier[0]) + 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaskRanks(ArrayTable):
    """Models in the order of the ranking, by mean and by win rate over tasks."""

    model: tuple[str, ...]
    """Name of the model."""
    mean: Array
    """Mean score over the model's tasks; NaN if tasks differ in direction."""
    rank_by_mean: CountArray
    """Rank by mean; 0 without a mean."""
    win_rate: Array
    """Mean share of the other models that the model beats on a task, over tasks that all models
    have; NaN without such tasks.
    """
    mean_rank: Array
    """Mean rank over these tasks, which gives the same order as the win rate and the Borda count.
    """
    rank_by_win_rate: CountArray
    """Rank by win rate, mean rank, and Borda count."""
    main_task: tuple[str, ...]
    """Task that moves the model's mean farthest from the mean of all models."""
    main_task_share: Array
    """Difference that this task makes to the mean, in score units; positive if it helps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemNoise:
    """Error of a typical adjacent gap, if the scores of the items inside the tasks are known."""

    n_items: float
    """Median number of items of a task."""
    se_tasks: float
    """Standard error of the gap across new tasks."""
    se_items: float
    """Standard error of the gap on exactly these tasks, from the items alone."""
    task_sd: float
    """Standard deviation of the true gap over tasks."""
    n_items_enough: FloatOrInf
    """Items per task at which items and tasks contribute equally to the error. Far beyond it, more
    items per task do not help.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSample:
    """Tasks as the unit of an audit: a sample of tasks such as these."""

    rank_by: RankMeasure
    """Measure of the ranking: ``mean``, ``win-rate``, or ``borda``."""
    tasks: tuple[str, ...]
    """Names of the tasks. They are the items of the audit."""
    n_missing: Count
    """Number of models' task scores that are missing."""
    n_tasks_left_out: Count
    """Number of tasks that are excluded because some models lack them."""
    all_flips: bool
    """Whether all sign flips of the tasks were enumerated, instead of drawn."""
    n_tasks_effective: float | None
    """Number of tasks that decide the means, (Σv)² / Σv² with the variance v of the models' scores
    on a task; None if no task has scores of all models.
    """
    ranks: TaskRanks
    """Ranks by each measure."""
    items: ItemNoise | None
    """Error from the items inside the tasks; None if their scores are unknown."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairTable(ArrayTable):
    """Pairs of models, one per row. Gaps are first minus second, in score units.

    Columns are named like attributes of :class:`TaskComparison`. Adjusted columns use the
    adjustment of the audit. All others treat the pair as a single comparison.
    """

    model_a: tuple[str, ...]
    """First model, which has the better mean."""
    model_b: tuple[str, ...]
    """Second model."""
    n_items: CountArray
    """Number of shared items."""
    mean_a: Array
    """Mean of the first model over the shared items."""
    mean_b: Array
    """Mean of the second model over the shared items."""
    gap: Array
    """Observed gap."""
    ci_adjusted_low: Array
    """Lower limit of the adjusted interval, which excludes 0 exactly if the verdict is
    ``significant``. Under max-T, Holm, and Bonferroni, these intervals cover all pairs
    simultaneously with probability 1 - alpha. Exceptions are pairs that only a later step of the
    method rejects: their p-value exceeds ``interval_alpha`` of the audit.
    """
    ci_adjusted_high: Array
    """Upper limit of the adjusted interval."""
    ci_unadjusted_low: Array
    """Lower limit of the unadjusted interval, with coverage 1 - alpha. It may exclude 0 even if
    the verdict, which is adjusted for all pairs, is ``inconclusive``.
    """
    ci_unadjusted_high: Array
    """Upper limit of the unadjusted interval."""
    se: Array
    """Standard error of the gap under the declared design."""
    pvalue: Array
    """Unadjusted p-value of a zero gap."""
    pvalue_adjusted: Array
    """p-value adjusted for all pairs of the audit."""
    pvalue_midp: Array | None
    """McNemar's mid-p for independent items; None for graded scores."""
    pvalue_exact: Array | None
    """McNemar's exact p-value for independent items; None for graded scores."""
    n11: CountArray | None
    """Number of items that both models answered correctly; None for graded scores."""
    n10: CountArray | None
    """Number of items that only the first model answered correctly."""
    n01: CountArray | None
    """Number of items that only the second model answered correctly."""
    n00: CountArray | None
    """Number of items that neither model answered correctly."""
    psi: Array | None
    """Share of items that exactly one model answered correctly."""
    rho: Array
    """Item correlation; NaN if a model has the same score on all items."""
    sigma: Array
    """Standard deviation of the per-item difference (binary: ddof 0, graded: ddof 1)."""
    significant_gap_adjusted: Array
    """Smallest observed gap that is significant in the family, given the disagreement (0/1 scores)
    or standard error of the pair; NaN if there is none.
    """
    mde: Array
    """Smallest gap that is detectable with the target power, unadjusted; NaN if there is none."""
    mde_adjusted: Array
    """Smallest gap that is detectable with the target power and the critical value of the family.
    """
    q: Array
    """Resolution ratio n / n_star at the observed gap, unadjusted; NaN without a standard error.
    """
    q_low: Array
    """Lower limit of the interval of q, unadjusted."""
    q_high: Array
    """Upper limit of the interval of q, unadjusted."""
    n_star: ArrayOrInf
    """Number of items needed to detect a gap of the observed size, unadjusted; infinite for a gap
    of 0.
    """
    n_star_low: ArrayOrInf
    """Lower limit of the interval of n_star."""
    n_star_high: ArrayOrInf
    """Upper limit of the interval of n_star; infinite unless the gap is significant."""
    q_adjusted: Array
    """Resolution ratio with the critical value of the family."""
    delta: Array | None
    """Declared smallest gap that matters; None without one."""
    q_at_delta: Array | None
    """Resolution ratio at ``delta``, unadjusted. It uses only the standard error."""
    pvalue_equivalent: Array | None
    """p-value of a gap at or beyond the declared margin, unadjusted; None without a margin. If
    verdicts are family-wise, it must be at most alpha divided by the number of pairs.
    """
    verdict: tuple[BoardVerdict, ...]
    """Verdict in the family."""
    is_underpowered: BoolArray
    """Whether the gap is significant but ``q_adjusted`` is below 1, so that the power is below the
    target if the true gap equals the observed one.
    """
    more_items: ArrayOrInf
    """Number of additional items that resolve the pair in the family: for ``delta`` if one was
    declared, else for the observed gap. It is 0 if the pair is resolved, and infinite or very
    large if no advice is useful.
    """

    @derived
    def t(self) -> Array:
        """Return the gap divided by its standard error.

        It is infinite if only the standard error is 0, and 0 if both are 0.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.gap == 0, 0.0, self.gap / self.se)

    def resolvable_gap(self) -> "MedianRange | None":
        """Return the gap that these pairs can detect in the family; None if there is none.

        The result contains the median and range of ``mde_adjusted``. A true gap of this size is
        detected with the target power. It is not a threshold for observed gaps.
        """
        return median_range(self.mde_adjusted)

    def significant_gap(self) -> "MedianRange | None":
        """Return the smallest observed gap that is significant in the family, over these pairs."""
        return median_range(self.significant_gap_adjusted)

    @derived
    def is_resolved(self) -> BoolArray:
        """Return whether the gap is significant and not underpowered."""
        significant = np.array([v == "significant" for v in self.verdict], dtype=np.bool_)
        return significant & ~self.is_underpowered

    @property
    def exaggeration(self) -> Array:
        """Return the average of the significant gaps divided by the true gap, for each pair.

        The true gap is assumed to equal the observed gap. NaN unless the pair is significant and
        underpowered.
        """
        ratio = np.full(len(self), np.nan)
        known = self.is_underpowered & (self.se > 0) & np.isfinite(self.significant_gap_adjusted)
        se = self.se[known]
        critical = self.significant_gap_adjusted[known] / se
        ratio[known] = stats.exaggeration(np.abs(self.gap[known]) / se, critical=critical)
        return ratio

    @property
    def states(self) -> tuple[PairState, ...]:
        """Return the verdict of each pair, and whether it is underpowered, as text."""
        return pair_states(self.verdict, self.is_underpowered.tolist())


NO_PAIRS: PairTable = codec(PairTable).load([], "")
"""Table without rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityRow:
    """Unresolved pairs of one family under one assumption about the data."""

    assumption: str
    """Assumption: ``items``, ``strata:COLUMN``, ``cluster:COLUMN``, ``bonferroni``, ``holm``,
    ``maxt``, ``bh`` or ``anytime``. The last five use the declared design.
    """
    family: FamilyName
    """Pairs of the family: adjacent models, adjacent models of the top k, all pairs of the top k,
    or all pairs.
    """
    n_pairs: Count
    """Number of pairs in the family."""
    critical_value: float | None
    """Absolute t at which a gap is significant, given the other rejections; None if not available,
    for example because there are too many models for max-T.
    """
    t_resolved: float | None
    """Absolute t of a resolved gap: the critical value plus the normal quantile of the target
    power.
    """
    n_unresolved: Count | None
    """Number of pairs with q < 1."""
    n_insignificant: Count | None
    """Number of pairs below ``critical_value``."""
    n_inconclusive: Count | None = None
    """Number of adjacent pairs that would not be significant among all pairs if this assumption
    was declared. None for adjustments, for other families, and if all pairs are too many for
    memory.
    """
    reason: str | None = None
    """Reason why there are no numbers, if there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsFactor:
    """Ratio N*/N of unresolved pairs: items that they need, relative to the current items."""

    median: FloatOrInf
    """Median; infinite if the median pair has a gap of 0."""
    worst: FloatOrInf
    """Maximum; infinite if a gap is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GapBin:
    """Pairs whose gap is in one range."""

    low: float
    """Smallest absolute gap in the bin, in score units."""
    high: FloatOrInf
    """Upper limit of the bin; infinite for the last bin."""
    n_pairs: Count
    """Number of pairs in the bin."""
    n_unresolved: Count
    """Number of these pairs with q < 1, unadjusted."""
    items_factor: ItemsFactor | None
    """Items that the unresolved pairs need; None if all are resolved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianRange:
    """Median and range of a quantity over pairs."""

    median: float
    """Median."""
    low: float
    """Minimum."""
    high: float
    """Maximum."""


def median_range(values: Array) -> MedianRange | None:
    """Return the median and range of the finite values; None if there are none."""
    known = values[np.isfinite(values)]
    if not known.size:
        return None
    low, high = float(known.min()), float(known.max())
    return MedianRange(low=low, median=float(np.median(known)), high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortcutCheck:
    """Check of the one-arm shortcut (1 - ρ) K² / h² on the adjacent pairs."""

    n_false_resolved: Count
    """Number of adjacent pairs that the shortcut calls resolved although q < 1."""
    n_pairs: Count
    """Number of adjacent pairs to which the shortcut applies: those with 0/1 scores and a gap."""
    ratio: float | None
    """Median ratio of the shortcut's sample size to N*; None without pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutGroup:
    """Adjacent pairs when one group of items is left out."""

    group: str
    """Name of the group."""
    n_items: Count
    """Number of items in the group."""
    n_changed: Count
    """Number of adjacent pairs whose q crosses 1."""
    n_reversed: Count
    """Number of adjacent pairs whose gap changes sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneGroupOut:
    """Stability of adjacent verdicts when one group is left out at a time."""

    column: str
    """Group column."""
    n_pairs: Count
    """Number of adjacent pairs."""
    n_stable: Count
    """Number of pairs whose sign and side of q = 1 do not change when any one group is left out.
    """
    groups: tuple[LeftOutGroup, ...]
    """Groups, with the most influential first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFlip:
    """Models that are adjacent by their own means and whose order is reversed on shared items."""

    model_a: str
    """Model with the better mean over its own items."""
    model_b: str
    """Next model."""
    own_mean_a: float
    """Mean of the first model over all its items."""
    own_mean_b: float
    """Mean of the second model over all its items."""
    n_items: Count
    """Number of shared items."""
    gap: float
    """Gap on shared items, first minus second."""
