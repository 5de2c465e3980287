"""What the items of a benchmark are worth: which decide, which are dead, which look wrong.

Means are in score units, shares are proportions; gaps are first minus second.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.parameter_types import ItemChoice
from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import Array, Count, CountArray, FloatOrInf, FloatOrNan, Interval, NullMeans
from nstar._data.findings import Finding
from nstar._verbs.audit.tables import ArrayTable
from nstar._verbs.verdict import Criteria

ItemStatus: TypeAlias = Literal["live", "all right", "all wrong", "all alike"]
"""Whether some models differ on an item; if not, which score they all have."""

FEWEST = 5
"""Models below which a correlation over them is not told."""

UndefinedArray: TypeAlias = Annotated[Array, NullMeans(math.nan)]
"""Numbers some of which may be missing: ``null`` in JSON."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemTable(ArrayTable):
    """Items in the order of the data, one row each."""

    item: tuple[str, ...]
    """Id."""
    group: tuple[str, ...] | None
    """Group, of the first group column; None if items have no groups."""
    n_models: CountArray
    """Models that have it."""
    mean: Array
    """Mean score over them; of 0/1 scores the share that is right."""
    status: tuple[ItemStatus, ...]
    """Whether these models differ on it."""
    top_status: tuple[ItemStatus, ...]
    """Whether the best models do."""
    r: UndefinedArray
    """Item-rest correlation over models; missing if it is dead, or fewer than 5 models have it."""
    suspicion_rank: CountArray
    """Place by that correlation among those below 0, the lowest first; 0 if it is not below."""


@record()
class UninformativeItems:
    """Items on which some models all have the same score, so that they tell none apart."""

    n_models: Count
    """Models, the best ones."""
    n_items: Count
    """Items."""
    n_all_correct: Count
    """Items that all of them have the best possible score on."""
    n_all_wrong: Count
    """Items that all have the worst possible score on."""
    n_all_equal: Count
    """Items on which all have the same score in between."""

    @derived
    def n_non_discriminating(self) -> int:
        """Items on which all agree."""
        return self.n_all_correct + self.n_all_wrong + self.n_all_equal

    @derived
    def n_discriminating(self) -> int:
        """Items on which some of them differ."""
        return self.n_items - self.n_non_discriminating


@record()
class DeadItemRevival:
    """How many dead items one more model brings to life: each model in turn is the new one."""

    all_wrong_share: float
    """Share of the items that all others got wrong which it gets right, mean over models."""
    all_wrong_share_max: float
    """The same of the model that revives most."""
    all_correct_share: float
    """Share of the items that all others got right which it gets wrong, mean over models."""
    all_correct_share_max: float
    """The same of the model that revives most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeadingPairs(ArrayTable):
    """Neighbors in rank among the best models, one row each."""

    model_a: tuple[str, ...]
    """The better model."""
    model_b: tuple[str, ...]
    """The next one."""
    n_items: CountArray
    """Items that both have."""
    mean_a: Array
    """First model's mean over them."""
    mean_b: Array
    """Second model's mean over them."""
    gap: Array
    """Gap."""
    n_discordant: CountArray
    """Items on which the two differ: those that decide."""
    psi: Array
    """Share of such items."""
    significant_gap: UndefinedArray
    """Smallest observed gap that the test of this pair alone rejects; missing if there is none."""
    mde: UndefinedArray
    """Smallest detectable gap of this pair alone; missing if there is none."""


@record()
class Ceiling:
    """What is left to tell when the two best models get almost everything right."""

    max_psi: float
    """Largest share of items on which they could differ: 2 - p_a - p_b."""
    mde: FloatOrInf
    """Smallest gap that could still be detected, by a model that loses no item; infinite if none
    could."""
    max_gap: float
    """How far a perfect model would be ahead of the best."""


@record()
class GroupItemCounts:
    """Items of one group."""

    column: str
    """Group column."""
    group: str
    """Group."""
    n_items: Count
    """Items in it."""
    n_discriminating: Count
    """Those on which some models differ."""
    n_discriminating_top: Count
    """Those on which some of the best models differ."""
    mean: float
    """Mean score, over items."""


@record()
class Reliability:
    """How far a total score would repeat, over these models; it rises with their spread."""

    n_items: Count
    """Items that all models have."""
    cronbach_alpha: FloatOrNan
    """Cronbach's alpha (KR-20 of 0/1 scores) of those; missing if all totals are equal."""
    cronbach_alpha_top: FloatOrNan
    """The same over the best models only."""
    cronbach_alpha_at: dict[str, float]
    """Of fewer items like these, by their number."""


@record()
class SignalNoise:
    """Differences between neighbors beside what the items can detect."""

    n_adjacent: Count
    """Neighbors in rank."""
    n_above_mde: Count
    """Those whose gap is above the smallest detectable one of that pair."""
    sd: float
    """Standard deviation of the models' means."""
    se: FloatOrNan
    """Standard error of the gap of a typical pair of neighbors (median)."""


@record()
class LabelErrorImpact:
    """What wrong keys would cost, if answers score by chance on such items."""

    correct_probability: float
    """Probability of being scored right there."""
    mde_observed: float
    """What is seen of the leading pair's smallest detectable gap."""
    psi_observed: float
    """What is seen of its discordance."""
    n_star_ratio: float
    """Times the items that the gap needs."""


@record()
class SplitPair:
    """The gap of two neighbors on each of two kinds of items."""

    model_a: str
    """The better model."""
    model_b: str
    """The next one."""
    gap_first: float
    """Gap on items of the first kind."""
    gap_first_ci: Interval | None
    """Its interval; None if no error could be measured."""
    gap_second: float
    """Gap on items of the second kind."""
    gap_second_ci: Interval | None
    """Its interval."""
    gap_change: float
    """First less second."""
    gap_change_ci: Interval | None
    """Its interval, this pair alone."""


@record()
class ItemSplit:
    """Two kinds of items, such as those from before and since a date."""

    column: str
    """Group column."""
    labels: tuple[str, str]
    """The two kinds."""
    n_items: tuple[Count, Count]
    """Items of each."""
    means: tuple[float, float]
    """Mean over models and items, of each."""
    pairs: tuple[SplitPair, ...]
    """Neighbors among the best models."""


@record()
class HeatmapBin:
    """Items of like difficulty, side by side in the picture."""

    n_items: Count
    """How many."""
    status: ItemStatus
    """``live``, or how all models agree on them."""


@record()
class HeatmapRow:
    """One model in the picture, or neighbors in rank where there are many."""

    model: str
    """Model; the first of several."""
    n_models: Count
    """How many."""
    mean: float
    """Mean score."""
    shares: tuple[FloatOrNan, ...]
    """Mean score on the items of each bin, as a share of the scale (1 is best); missing if none
    of them was scored."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Items(Result):
    """Items of a benchmark under the models that answered them."""

    task: str
    """Benchmark."""
    metric: str
    """What the scores measure."""
    is_binary: bool
    """Scores are 0 or 1, or two other values."""
    lower_is_better: bool
    """Less is better."""
    score_range: tuple[float, float]
    """Worst and best possible score, lowest first: 0 and 1, or those seen if some lie outside."""
    criteria: Criteria
    """Level and power behind smallest detectable gaps; intervals cover 1 - alpha."""
    item_set: ItemChoice
    """Items that any model has, or only those that all have."""
    n_items: Count
    """Items."""
    n_items_left_out: Count
    """Items that some model has and that are left out because not all have them."""
    is_complete: bool
    """Every model has every item."""
    models: tuple[str, ...]
    """Models, best first."""
    means: Array
    """Mean of each over the items it has."""
    item_counts: UninformativeItems
    """Dead items among all models."""
    item_counts_top: UninformativeItems
    """Dead items among the best ones."""
    revival: DeadItemRevival | None
    """What one more model changes; None for fewer than 3 models, graded or missing scores."""
    pairs: LeadingPairs
    """Neighbors among the best models."""
    ceiling: Ceiling | None
    """What is left to tell; None unless both leading models are at 95% or above."""
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
    """Live items by group, for each column of few groups."""
    signal_noise: SignalNoise
    """Gaps beside what is detectable."""
    reliability: Reliability | None
    """Of the total score; None for fewer than 2 items that all models have, or 2 models."""
    label_error_share: float | None
    """Share of wrong keys that was supposed; None if none was."""
    label_error_impacts: tuple[LabelErrorImpact, ...]
    """What those would cost."""
    since: str | None
    """Date that splits the items, if one was given."""
    split: ItemSplit | None
    """Gaps on two kinds of items; None if none were asked about."""
    heatmap_bins: tuple[HeatmapBin, ...]
    """Columns of the picture, from easy to hard."""
    heatmap_rows: tuple[HeatmapRow, ...]
    """Rows of the picture, best first."""
    table: ItemTable
    """Every item."""
    findings: tuple[Finding, ...] = ()
    """What was found in the data before."""
