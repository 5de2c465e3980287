"""The parts of an Audit: models in rank order, pairs as columns, tables of counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

import numpy as np

from nstar._base.codec import codec, derived
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

FamilyName: TypeAlias = Literal["adjacent", "top", "all"]


class ArrayTable(ColumnTable):
    """Arrays of one length with a name each."""

    __slots__ = ()

    def __len__(self) -> int:
        """Rows, as many as the first column has."""
        return len(getattr(self, fields(self)[0].name))  # type: ignore[arg-type]

    def columns(self) -> dict[str, Any]:
        """Name → array or tuple, without those that do not apply."""
        names = [f.name for f in fields(self)]  # type: ignore[arg-type]
        names += [name for name, v in vars(type(self)).items() if isinstance(v, derived)]
        by_name = {name: getattr(self, name) for name in names}
        return {name: values for name, values in by_name.items() if values is not None}

    def rows(self, indices: Sequence[int] | None = None) -> Iterator[dict[str, Any]]:
        """One dictionary per row, all or some, with plain Python numbers."""
        columns = self.columns()
        row_numbers = range(len(self)) if indices is None else indices
        for i in row_numbers:
            yield {
                name: v[i].item() if hasattr(v[i], "item") else v[i] for name, v in columns.items()
            }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankTable(ArrayTable):
    """Models from best to worst, one row each."""

    model: tuple[str, ...]
    """Model."""
    mean: Array
    """Mean score over the items it has of those audited."""
    ci_low: Array
    """Lower end of the interval of this mean alone, of coverage 1 - alpha, under the declared
    design; NaN if no error is measured. Two such intervals do not compare two models: models that
    answered the same items differ by less than these suggest."""
    ci_high: Array
    """Upper end."""
    n_items: CountArray
    """Those items."""
    rank: CountArray
    """Place by mean, 1 is best; equal means share the better place."""
    rank_low: CountArray
    """Best rank that the data leave open, for all models at once."""
    rank_high: CountArray
    """Worst rank that the data leave open, for all models at once."""
    marginal_rank_low: CountArray
    """Best rank if only this model is asked about ("where is my model?")."""
    marginal_rank_high: CountArray
    """Worst rank if only this model is asked about."""
    tier: CountArray
    """Tier, 1 is best: every model of a tier beats every model of the next."""

    @property
    def n_tiers(self) -> int:
        """Groups that are told apart for certain."""
        return int(self.tier[-1]) - int(self.tier[0]) + 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairTable(ArrayTable):
    """Pairs of models, one row each: gaps are first minus second, in score units.

    Columns have the names of a :class:`TaskComparison`. Numbers for a family carry the adjustment
    of the audit; all others are of this pair alone.
    """

    model_a: tuple[str, ...]
    """First model, the one with the better mean."""
    model_b: tuple[str, ...]
    """Second model."""
    n_items: CountArray
    """Items both have."""
    mean_a: Array
    """First model's mean over them."""
    mean_b: Array
    """Second model's mean over them."""
    gap: Array
    """Gap."""
    ci_adjusted_low: Array
    """Lower limit of its interval, adjusted as the verdict is: it excludes 0 exactly if the
    verdict is ``significant``. Under max-T, Holm and Bonferroni these
    intervals cover all pairs simultaneously with probability 1 - alpha, except pairs that only a
    later step of the method rejects: their p-value exceeds ``interval_alpha`` of the audit."""
    ci_adjusted_high: Array
    """Upper limit."""
    ci_unadjusted_low: Array
    """Lower limit of the interval of this pair alone, of coverage 1 - alpha. It may exclude 0
    even if the verdict, which is adjusted for all pairs, is ``inconclusive``."""
    ci_unadjusted_high: Array
    """Upper limit."""
    se: Array
    """Standard error under the declared design."""
    pvalue: Array
    """p-value of a zero gap, this pair alone."""
    pvalue_adjusted: Array
    """p-value for the family of all pairs of the audit."""
    pvalue_midp: Array | None
    """McNemar mid-p, items independent; None for graded scores."""
    pvalue_exact: Array | None
    """McNemar exact, items independent; None for graded scores."""
    n11: CountArray | None
    """Items both got right; None for graded scores."""
    n10: CountArray | None
    """Items only the first got right."""
    n01: CountArray | None
    """Items only the second got right."""
    n00: CountArray | None
    """Items neither got right."""
    psi: Array | None
    """Share of items on which exactly one is right."""
    rho: Array
    """Item correlation, NaN when a model has the same score everywhere."""
    sigma: Array
    """Standard deviation of the per-item difference (binary: ddof 0, graded: ddof 1)."""
    significant_gap_adjusted: Array
    """Smallest observed gap that is significant in the family with this disagreement (0/1 scores)
    or standard error; NaN if there is none."""
    mde: Array
    """Smallest gap detectable as often as wanted, this pair alone; NaN if there is none."""
    mde_adjusted: Array
    """Smallest gap detectable as often as wanted with the critical value of the family."""
    q: Array
    """Resolution ratio n / n_star at the observed gap, this pair alone; NaN without an error."""
    q_low: Array
    """Lower end of its interval, unadjusted."""
    q_high: Array
    """Upper end of its interval."""
    n_star: ArrayOrInf
    """Items that detect a gap of the observed size, this pair alone; infinite at a gap of 0."""
    n_star_low: ArrayOrInf
    """Lower end of its interval."""
    n_star_high: ArrayOrInf
    """Upper end of its interval; infinite unless the gap is significant."""
    q_adjusted: Array
    """Resolution ratio with the critical value of the family."""
    delta: Array | None
    """Smallest gap of interest, as declared; None if none was."""
    q_at_delta: Array | None
    """Resolution ratio at ``delta0``, this pair alone; it uses the standard error only."""
    pvalue_equivalent: Array | None
    """p-value of a gap at or beyond the declared margin, this pair alone; None without a margin.
    Where verdicts are family-wise, it must not exceed alpha over the number of pairs."""
    verdict: tuple[BoardVerdict, ...]
    """What was shown, as one of the family."""
    is_underpowered: BoolArray
    """Whether the gap is significant but ``q_adjusted`` is below 1: the power is less than wanted
    if the true gap equals the observed one."""
    more_items: ArrayOrInf
    """Items still missing to settle it in the family: to detect ``delta0`` if one was declared,
    else a gap of the observed size. 0 when settled, infinite or huge when there is no advice."""

    @derived
    def t(self) -> Array:
        """Gap in standard errors; infinite if only the error is 0, and 0 if there is neither."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.gap == 0, 0.0, self.gap / self.se)

    def resolvable_gap(self) -> "MedianRange | None":
        """The gap that these pairs detect, in the family; None if none of them detects any.

        The median of ``mde_adjusted``, and its range: a true gap of this size is found with the
        wanted power. It is not a threshold for observed gaps.
        """
        return median_range(self.mde_adjusted)

    def significant_gap(self) -> "MedianRange | None":
        """The observed gap from which these pairs are significant in the family, over pairs."""
        return median_range(self.significant_gap_adjusted)

    @derived
    def is_resolved(self) -> BoolArray:
        """Whether the gap is significant and not underpowered."""
        significant = np.array([v == "significant" for v in self.verdict], dtype=np.bool_)
        return significant & ~self.is_underpowered

    @property
    def states(self) -> tuple[PairState, ...]:
        """Each verdict, and whether it is underpowered, in words."""
        return pair_states(self.verdict, self.is_underpowered.tolist())


NO_PAIRS: PairTable = codec(PairTable).load([], "")
"""A table without rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityRow:
    """How many pairs of one family are not resolved under one reading of the data."""

    assumption: str
    """``items``, ``strata:COLUMN``, ``cluster:COLUMN``, ``bonferroni``, ``holm``, ``maxt``,
    ``bh`` or ``anytime``; the last five under the declared design."""
    family: FamilyName
    """Which pairs: adjacent in rank, among the top k, or all."""
    n_pairs: Count
    """Pairs in the family."""
    critical_value: float | None
    """|t| that a gap must reach to be significant, given what else is; None if it is not available
    (too many models for max-T, say)."""
    t_resolved: float | None
    """|t| of a resolved gap: critical value plus the quantile of the wanted power."""
    n_unresolved: Count | None
    """Pairs below ``needed``: q < 1."""
    n_insignificant: Count | None
    """Pairs below ``critical``."""
    n_inconclusive: Count | None = None
    """Of neighbors in rank, those that are not significant among all pairs if items are read
    this way: what the audit would say had that been declared. None for policies, for other
    families, and where all pairs are too many to be held."""
    reason: str | None = None
    """Why there are no numbers, if there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsFactor:
    """N*/N of unresolved pairs: how many times the items at hand they take."""

    median: FloatOrInf
    """Median; infinite if it is that of a gap of 0."""
    worst: FloatOrInf
    """Largest; infinite if a gap is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GapBin:
    """All pairs with a gap of about one size."""

    low: float
    """Smallest |gap| in the bin, in score units."""
    high: FloatOrInf
    """Upper end of the bin, infinite for the last."""
    n_pairs: Count
    """Pairs with such a gap."""
    n_unresolved: Count
    """Of these, with q < 1, each pair alone."""
    items_factor: ItemsFactor | None
    """What the unresolved ones need; None if there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianRange:
    """Median and range of something over all pairs."""

    median: float
    """Median."""
    low: float
    """Smallest."""
    high: float
    """Largest."""


def median_range(values: Array) -> MedianRange | None:
    """Median and range of the finite values; None if there are none."""
    known = values[np.isfinite(values)]
    if not known.size:
        return None
    low, high = float(known.min()), float(known.max())
    return MedianRange(low=low, median=float(np.median(known)), high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortcutCheck:
    """What the one-arm shortcut (1 - ρ) K² / h² would have made of the adjacent pairs."""

    n_false_resolved: Count
    """Adjacent pairs that it calls resolved although q < 1."""
    n_pairs: Count
    """Adjacent pairs that it can be applied to: binary scores and a gap."""
    ratio: float | None
    """Median of its sample size over N*; None without pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutGroup:
    """Adjacent pairs when one group of items is left out."""

    group: str
    """Group left out."""
    n_items: Count
    """Its items."""
    n_changed: Count
    """Adjacent pairs whose q crosses 1."""
    n_reversed: Count
    """Adjacent pairs whose gap changes sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneGroupOut:
    """Whether adjacent verdicts hold when one group is left out at a time."""

    column: str
    """Group column."""
    n_pairs: Count
    """Adjacent pairs."""
    n_stable: Count
    """Of these, with the same sign and the same side of q = 1 whichever group is left out."""
    groups: tuple[LeftOutGroup, ...]
    """Every group, the most disturbing first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFlip:
    """Neighbors by their own means whose order is the other way on the items both have."""

    model_a: str
    """Model with the better mean over its own items."""
    model_b: str
    """The next one."""
    own_mean_a: float
    """Mean of the first over all items it has."""
    own_mean_b: float
    """Mean of the second over all items it has."""
    n_items: Count
    """Items both have."""
    gap: float
    """Gap on those, first minus second."""
