"""Tables of an Audit: models in rank order, pairs as columns, and counts."""

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
        """Return the number of rows, the length of the first column."""
        return len(getattr(self, fields(self)[0].name))  # type: ignore[arg-type]

    def columns(self) -> dict[str, Any]:
        """Return columns by name, without those that do not apply."""
        names = [f.name for f in fields(self)]  # type: ignore[arg-type]
        names += [name for name, v in vars(type(self)).items() if isinstance(v, derived)]
        by_name = {name: getattr(self, name) for name in names}
        return {name: values for name, values in by_name.items() if values is not None}

    def rows(self, indices: Sequence[int] | None = None) -> Iterator[dict[str, Any]]:
        """Return one dictionary per row, all or some, with plain Python numbers."""
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
    """Name of the model."""
    mean: Array
    """Mean score over its audited items."""
    ci_low: Array
    """Lower limit of the interval of this mean, of coverage 1 - alpha, under the declared design;
    NaN without a measured error. Such intervals do not compare two models: scores on the same
    items are correlated, so gaps have smaller errors."""
    ci_high: Array
    """Upper limit of this interval."""
    n_items: CountArray
    """Number of these items."""
    rank: CountArray
    """Rank by mean, 1 is best; equal means share the better rank."""
    rank_low: CountArray
    """Best rank that the data support, simultaneously for all models."""
    rank_high: CountArray
    """Worst rank that the data support, simultaneously for all models."""
    marginal_rank_low: CountArray
    """Best rank if only this model is of interest."""
    marginal_rank_high: CountArray
    """Worst rank if only this model is of interest."""
    tier: CountArray
    """Tier, 1 is best: every model of a tier beats every model of the next."""

    @property
    def n_tiers(self) -> int:
        """Return the number of tiers."""
        return int(self.tier[-1]) - int(self.tier[0]) + 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairTable(ArrayTable):
    """Pairs of models, one row each. Gaps are first minus second, in score units.

    Columns have the names of a :class:`TaskComparison`. Adjusted columns carry the adjustment of
    the audit; all others are of this pair alone.
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
    ``significant``. Under max-T, Holm and Bonferroni these intervals cover all pairs
    simultaneously with probability 1 - alpha, except pairs that only a later step of the method
    rejects: their p-value exceeds ``interval_alpha`` of the audit."""
    ci_adjusted_high: Array
    """Upper limit of the adjusted interval."""
    ci_unadjusted_low: Array
    """Lower limit of the unadjusted interval, of coverage 1 - alpha. It may exclude 0 even if the
    verdict, which is adjusted for all pairs, is ``inconclusive``."""
    ci_unadjusted_high: Array
    """Upper limit of the unadjusted interval."""
    se: Array
    """Standard error of the gap under the declared design."""
    pvalue: Array
    """p-value of a zero gap, unadjusted."""
    pvalue_adjusted: Array
    """p-value in the family of all pairs of the audit."""
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
    """Share of items on which exactly one model is right."""
    rho: Array
    """Item correlation; NaN if a model has the same score everywhere."""
    sigma: Array
    """Standard deviation of the per-item difference (binary: ddof 0, graded: ddof 1)."""
    significant_gap_adjusted: Array
    """Smallest observed gap that is significant in the family with this disagreement (0/1 scores)
    or standard error; NaN if there is none."""
    mde: Array
    """Smallest gap detectable with the target power, unadjusted; NaN if there is none."""
    mde_adjusted: Array
    """Smallest gap detectable with the target power and the critical value of the family."""
    q: Array
    """Resolution ratio n / n_star at the observed gap, unadjusted; NaN without an error."""
    q_low: Array
    """Lower limit of the interval of q, unadjusted."""
    q_high: Array
    """Upper limit of the interval of q, unadjusted."""
    n_star: ArrayOrInf
    """Items that detect a gap of the observed size, unadjusted; infinite at a gap of 0."""
    n_star_low: ArrayOrInf
    """Lower limit of the interval of n_star."""
    n_star_high: ArrayOrInf
    """Upper limit of the interval of n_star; infinite unless the gap is significant."""
    q_adjusted: Array
    """Resolution ratio with the critical value of the family."""
    delta: Array | None
    """Smallest gap that matters, as declared; None without one."""
    q_at_delta: Array | None
    """Resolution ratio at ``delta``, unadjusted; it uses only the standard error."""
    pvalue_equivalent: Array | None
    """p-value of a gap at or beyond the declared margin, unadjusted; None without a margin. Where
    verdicts are family-wise, it must not exceed alpha over the number of pairs."""
    verdict: tuple[BoardVerdict, ...]
    """Verdict in the family."""
    is_underpowered: BoolArray
    """Whether the gap is significant but ``q_adjusted`` is below 1: the power is below the target
    if the true gap equals the observed one."""
    more_items: ArrayOrInf
    """Items still missing to resolve the pair in the family: to detect ``delta`` if one was
    declared, else a gap of the observed size. 0 if resolved, infinite or huge if there is no
    advice."""

    @derived
    def t(self) -> Array:
        """Return the gap in standard errors.

        Infinite if only the error is 0, and 0 if both are 0.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.gap == 0, 0.0, self.gap / self.se)

    def resolvable_gap(self) -> "MedianRange | None":
        """Return the gap that these pairs detect in the family; None if none detects any.

        The median of ``mde_adjusted``, and its range. A true gap of this size is detected with the
        target power. It is not a threshold for observed gaps.
        """
        return median_range(self.mde_adjusted)

    def significant_gap(self) -> "MedianRange | None":
        """Return the smallest significant observed gap in the family, over these pairs."""
        return median_range(self.significant_gap_adjusted)

    @derived
    def is_resolved(self) -> BoolArray:
        """Return whether the gap is significant and not underpowered."""
        significant = np.array([v == "significant" for v in self.verdict], dtype=np.bool_)
        return significant & ~self.is_underpowered

    @property
    def states(self) -> tuple[PairState, ...]:
        """Return each verdict, and whether it is underpowered, in words."""
        return pair_states(self.verdict, self.is_underpowered.tolist())


NO_PAIRS: PairTable = codec(PairTable).load([], "")
"""A table without rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityRow:
    """Unresolved pairs of one family under one assumption about the data."""

    assumption: str
    """``items``, ``strata:COLUMN``, ``cluster:COLUMN``, ``bonferroni``, ``holm``, ``maxt``,
    ``bh`` or ``anytime``; the last five under the declared design."""
    family: FamilyName
    """Pairs of the family: adjacent in rank, among the top k, or all."""
    n_pairs: Count
    """Number of pairs in the family."""
    critical_value: float | None
    """|t| at which a gap is significant, given the other rejections; None if not available
    (too many models for max-T, for example)."""
    t_resolved: float | None
    """|t| of a resolved gap: critical value plus the quantile of the target power."""
    n_unresolved: Count | None
    """Number of pairs with q < 1."""
    n_insignificant: Count | None
    """Number of pairs below ``critical_value``."""
    n_inconclusive: Count | None = None
    """Number of adjacent pairs that are not significant among all pairs if this assumption were
    declared. None for adjustments, for other families, and if all pairs are too many for memory.
    """
    reason: str | None = None
    """Why there are no numbers, if there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsFactor:
    """N*/N of unresolved pairs: items that they need, relative to the current items."""

    median: FloatOrInf
    """Median; infinite if it is that of a gap of 0."""
    worst: FloatOrInf
    """Largest; infinite if a gap is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GapBin:
    """Pairs with a gap in one range."""

    low: float
    """Smallest |gap| in the bin, in score units."""
    high: FloatOrInf
    """Upper limit of the bin, infinite for the last."""
    n_pairs: Count
    """Number of pairs in the bin."""
    n_unresolved: Count
    """Number of these pairs with q < 1, unadjusted."""
    items_factor: ItemsFactor | None
    """Items that the unresolved pairs need; None if there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianRange:
    """Median and range of a quantity over all pairs."""

    median: float
    """Median."""
    low: float
    """Smallest."""
    high: float
    """Largest."""


def median_range(values: Array) -> MedianRange | None:
    """Return median and range of the finite values; None if there are none."""
    known = values[np.isfinite(values)]
    if not known.size:
        return None
    low, high = float(known.min()), float(known.max())
    return MedianRange(low=low, median=float(np.median(known)), high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortcutCheck:
    """Result of the one-arm shortcut (1 - ρ) K² / h² for the adjacent pairs."""

    n_false_resolved: Count
    """Number of adjacent pairs that it calls resolved although q < 1."""
    n_pairs: Count
    """Number of adjacent pairs to which it applies: binary scores and a gap."""
    ratio: float | None
    """Median of its sample size over N*; None without pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutGroup:
    """Adjacent pairs with one group of items left out."""

    group: str
    """Group that is left out."""
    n_items: Count
    """Number of its items."""
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
    """Number of these pairs with the same sign and the same side of q = 1 without any one group.
    """
    groups: tuple[LeftOutGroup, ...]
    """Every group, the most influential first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFlip:
    """Models adjacent by their own means whose order is reversed on shared items."""

    model_a: str
    """Model with the better mean over its own items."""
    model_b: str
    """The next model."""
    own_mean_a: float
    """Mean of the first model over all its items."""
    own_mean_b: float
    """Mean of the second model over all its items."""
    n_items: Count
    """Number of shared items."""
    gap: float
    """Gap on shared items, first minus second."""
