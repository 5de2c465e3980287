"""Result of the item analysis: discriminating items and suspect answer keys.

Means are in score units, shares are proportions; gaps are first minus second.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.parameter_types import ItemChoice
from nstar._base.result import Result
from nstar._base.types import Array, Count, CountArray, FloatOrInf, FloatOrNan, Interval, NullMeans
from nstar._data.findings import Finding
from nstar._verbs.audit.tables import ArrayTable
from nstar._verbs.verdict import Criteria

ItemStatus: TypeAlias = Literal["live", "all right", "all wrong", "all alike"]
"""Whether some models differ on an item; if not, the score that they all have."""

FEWEST = 5
"""Smallest number of models with a reported correlation over models."""

UndefinedArray: TypeAlias = Annotated[Array, NullMeans(math.nan)]
"""Array of numbers, some of which may be missing: ``null`` in JSON."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemTable(ArrayTable):
    """Items in the order of the data, one row each."""

    item: tuple[str, ...]
    """Id of the item."""
    group: tuple[str, ...] | None
    """Group in the first group column; None without groups."""
    n_models: CountArray
    """Number of models with a score."""
    mean: Array
    """Mean score over these models; for 0/1 scores the share correct."""
    status: tuple[ItemStatus, ...]
    """Whether these models differ on it."""
    top_status: tuple[ItemStatus, ...]
    """Whether the best models differ on it."""
    r: UndefinedArray
    """Item-rest correlation over models; missing if the item is non-discriminating, or fewer than
    5 models have it."""
    suspicion_rank: CountArray
    """Rank by that correlation among those below 0, lowest first; 0 if it is not below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UninformativeItems:
    """Items on which all of some models have the same score."""

    n_models: Count
    """Number of models, the best ones."""
    n_items: Count
    """Number of items."""
    n_all_correct: Count
    """Number of items on which all have the best possible score."""
    n_all_wrong: Count
    """Number of items on which all have the worst possible score."""
    n_all_equal: Count
    """Number of items on which all have the same score in between."""

    @derived
    def n_non_discriminating(self) -> int:
        """Return the number of items on which all agree."""
        return self.n_all_correct + self.n_all_wrong + self.n_all_equal

    @derived
    def n_discriminating(self) -> int:
        """Return the number of items on which some models differ."""
        return self.n_items - self.n_non_discriminating


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadItemRevival:
    """Non-discriminating items that one more model would make discriminating.

    Each model in turn is the new one.
    """

    all_wrong_share: float
    """Share of the items that all others got wrong which it gets right, mean over models."""
    all_wrong_share_max: float
    """Largest such share of a model."""
    all_correct_share: float
    """Share of the items that all others got right which it gets wrong, mean over models."""
    all_correct_share_max: float
    """Largest such share of a model."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeadingPairs(ArrayTable):
    """Adjacent pairs among the best models, one row each."""

    model_a: tuple[str, ...]
    """The better model."""
    model_b: tuple[str, ...]
    """The next model."""
    n_items: CountArray
    """Number of shared items."""
    mean_a: Array
    """First model's mean over the shared items."""
    mean_b: Array
    """Second model's mean over the shared items."""
    gap: Array
    """Observed gap."""
    n_discordant: CountArray
    """Number of items on which the two differ."""
    psi: Array
    """Share of such items."""
    significant_gap: UndefinedArray
    """Smallest observed gap that the unadjusted test rejects; missing if there is none."""
    mde: UndefinedArray
    """Smallest detectable gap, unadjusted; missing if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """Remaining room if the two best models are nearly perfect."""

    max_psi: float
    """Largest share of items on which they could differ: 2 - p_a - p_b."""
    mde: FloatOrInf
    """Smallest gap that could still be detected, by a model that loses no item; infinite if none
    could."""
    max_gap: float
    """Largest possible lead over the best model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupItemCounts:
    """Number of items of one group."""

    column: str
    """Group column."""
    group: str
    """Name of the group."""
    n_items: Count
    """Number of items in the group."""
    n_discriminating: Count
    """Number of these items on which some models differ."""
    n_discriminating_top: Count
    """Number of these items on which some of the best models differ."""
    mean: float
    """Mean score, over items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """Reliability of a total score over these models; it rises with their spread."""

    n_items: Count
    """Number of items that all models have."""
    cronbach_alpha: FloatOrNan
    """Cronbach's alpha (KR-20 for 0/1 scores); missing if all totals are equal."""
    cronbach_alpha_top: FloatOrNan
    """Cronbach's alpha over the best models only."""
    cronbach_alpha_at: dict[str, float]
    """Cronbach's alpha of fewer such items, by their number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalNoise:
    """Gaps between adjacent models next to what the items can detect."""

    n_adjacent: Count
    """Number of adjacent pairs."""
    n_above_mde: Count
    """Number of these pairs with a gap above their MDE."""
    sd: float
    """Standard deviation of the models' means."""
    se: FloatOrNan
    """Standard error of the gap of a typical adjacent pair (median)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelErrorImpact:
    """Effect of wrong keys, if answers score by chance on such items."""

    correct_probability: float
    """Probability that an answer scores on such an item."""
    mde_observed: float
    """Observed gap if the true gap is the leading pair's MDE."""
    psi_observed: float
    """Observed discordance of the leading pair."""
    n_star_ratio: float
    """Factor on the items that the gap needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitPair:
    """Gaps of two adjacent models on each of two kinds of items."""

    model_a: str
    """The better model."""
    model_b: str
    """The next model."""
    gap_first: float
    """Gap on items of the first kind."""
    gap_first_ci: Interval | None
    """Interval of gap_first; None without a measured error."""
    gap_second: float
    """Gap on items of the second kind."""
    gap_second_ci: Interval | None
    """Interval of gap_second; None without a measured error."""
    gap_change: float
    """First gap less second gap."""
    gap_change_ci: Interval | None
    """Interval of gap_change, unadjusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSplit:
    """Two kinds of items, such as those from before and since a date."""

    column: str
    """Group column."""
    labels: tuple[str, str]
    """Names of the two kinds."""
    n_items: tuple[Count, Count]
    """Number of items of each kind."""
    means: tuple[float, float]
    """Mean over models and items of each kind."""
    pairs: tuple[SplitPair, ...]
    """Adjacent pairs among the best models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatmapBin:
    """Items of similar difficulty, a column of the heat map."""

    n_items: Count
    """Number of items."""
    status: ItemStatus
    """``live``, or how all models agree on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatmapRow:
    """Row of the heat map: one model, or adjacent models if there are many."""

    model: str
    """Name of the model; the first of several."""
    n_models: Count
    """Number of models."""
    mean: float
    """Mean score."""
    shares: tuple[FloatOrNan, ...]
    """Mean score on the items of each bin, as a share of the scale (1 is best); missing without
    scores."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Items(Result):
    """Analysis of the items of a benchmark over the models that answered them."""

    task: str
    """Name of the benchmark."""
    metric: str
    """Name of the metric."""
    is_binary: bool
    """Whether scores are 0 or 1, or two other values."""
    lower_is_better: bool
    """Whether lower is better."""
    score_range: tuple[float, float]
    """Worst and best possible score, lowest first: 0 and 1, or the observed ones if some lie
    outside."""
    criteria: Criteria
    """Level and power of smallest detectable gaps; intervals cover 1 - alpha."""
    item_set: ItemChoice
    """Items that any model has, or only those that all have."""
    n_items: Count
    """Number of items."""
    n_items_left_out: Count
    """Number of items that some model has and that are left out because not all have them."""
    is_complete: bool
    """Whether every model has every item."""
    models: tuple[str, ...]
    """Names of the models, best first."""
    means: Array
    """Mean of each model over its items."""
    item_counts: UninformativeItems
    """Non-discriminating items among all models."""
    item_counts_top: UninformativeItems
    """Non-discriminating items among the best models."""
    revival: DeadItemRevival | None
    """Effect of one more model; None for fewer than 3 models, graded or missing scores."""
    pairs: LeadingPairs
    """Adjacent pairs among the best models."""
    ceiling: Ceiling | None
    """Remaining room; None unless both leading models are at 95% or above."""
    median_r: FloatOrNan
    """Median of the item-rest correlations."""
    negative_share: float
    """Share of the items whose correlation is below 0."""
    low_share: float
    """Share of the items whose correlation is below -0.2."""
    negative_share_by_chance: float | None = None
    """Share of the items that chance alone puts below 0 if every key is correct and all items
    discriminate equally (Rasch model); None for fewer than 5 models, graded or missing scores."""
    low_share_by_chance: float | None = None
    """Share of the items that chance alone puts below -0.2, under the same model."""
    groups: tuple[GroupItemCounts, ...]
    """Discriminating items by group, for each column of few groups."""
    signal_noise: SignalNoise
    """Gaps next to what is detectable."""
    reliability: Reliability | None
    """Reliability of the total score; None for fewer than 2 shared items, or 2 models."""
    label_error_share: float | None
    """Assumed share of wrong keys; None if none was set."""
    label_error_impacts: tuple[LabelErrorImpact, ...]
    """Effect of these wrong keys."""
    after: str | None
    """Date that splits the items, if one was set."""
    split: ItemSplit | None
    """Gaps on two kinds of items; None without a split."""
    heatmap_bins: tuple[HeatmapBin, ...]
    """Columns of the heat map, from easy to hard."""
    heatmap_rows: tuple[HeatmapRow, ...]
    """Rows of the heat map, best first."""
    table: ItemTable
    """Table of all items."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""
