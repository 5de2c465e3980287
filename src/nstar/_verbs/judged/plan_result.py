"""Result of a plan of labels: items to label among the judged ones, and costs."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import Count, CountOrInf, FloatOrInf, Interval
from nstar._data.findings import Finding
from nstar._verbs.plan.design import Design
from nstar._verbs.verdict import Criteria

LabelsSolvedFor: TypeAlias = Literal["labels", "judged", "mde", "power"]
StratumName: TypeAlias = Literal["first", "neither", "second", "equal", "small", "large"]
"""Model that the judge prefers; of more than two models, size of its differences."""
JudgedCountSource: TypeAlias = Literal["given", "pilot", "cheapest", "solved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPilot:
    """Value of a judge, from existing judged and labeled items."""

    models: tuple[str, ...]
    """Names of the models."""
    n_items: Count
    """Number of items that the judge scored for all models."""
    n_labels: Count
    """Number of these items that people labeled for all models."""
    r: float
    """Correlation of judge and labels on differences of two models, pooled over all pairs."""
    r_ci: Interval
    """Its interval, on Fisher's scale. If judge and labels differ on fewer than 5 items, the lower
    limit allows for the upper exact limit of the share of such items."""
    confidence_level: float
    """Coverage of ``r_ci``."""
    sigma: float
    """Standard deviation of the labels' difference of an item, pooled over all pairs."""
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or the observed ones if some lie outside."""
    is_binary: bool = True
    """Whether the labels are 0 and 1 only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelStratum:
    """Items on which the judge sees similar differences between models."""

    judge_prefers: StratumName
    """Model that the judge prefers; of more than two models, size of its differences."""
    n_items: Count
    """Number of judged items."""
    n_labels: Count
    """Number of items to label, including existing labels."""
    n_existing: Count
    """Number of items that are already labeled."""
    sd: float
    """Standard deviation of the labels' difference in this stratum, by which labels are drawn."""
    weight: float
    """Inverse probability of a label: judged items per label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelItem:
    """A judged item, and whether it was drawn."""

    item: str
    """Name of the item."""
    label_weight: float
    """Inverse probability of its label, the same for all items of a stratum."""
    is_drawn: bool
    """Whether it was drawn, or is already labeled."""
    is_labeled: bool
    """Whether it is already labeled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDraw:
    """Items to label, drawn by strata of the judge's scores."""

    strata: tuple[LabelStratum, ...]
    """Strata of judged items."""
    is_sd_estimated: bool
    """Whether the standard deviations come from labels of the pilot; otherwise they are assumed.
    """
    gain: float
    """Expected variance with proportional labels in these strata over that with the drawn ones."""
    seed: Count
    """Seed of the draw."""
    items: tuple[LabelItem, ...]
    """All judged items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelMix:
    """Labels and judged items needed to detect a gap, and what they cost."""

    n_labels: CountOrInf
    """Number of labeled items."""
    n_judged: CountOrInf
    """Judged items, including the labeled ones; 0 if labels alone cost less."""
    cost: FloatOrInf
    """Total cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScenario:
    """The plan with another judge, or with another number of judged items."""

    judge_r: float
    """Correlation of judge and labels on differences; 0: without a judge."""
    is_headline: bool = False
    """Whether the headline reports this scenario."""
    n_judged: CountOrInf | None = None
    """Judged items; 0 if labels alone cost less."""
    n_star: CountOrInf | None = None
    """Labels needed; infinite if these judged items are too few, None without a gap."""
    mde: FloatOrInf | None = None
    """Smallest gap that these labels detect; None without labels."""
    power: float | None = None
    """Power of these labels for the gap."""
    cost: FloatOrInf | None = None
    """Money for labels and judge; None without costs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LabelPlan(Result):
    """Number of labels needed to detect a gap with a judge, or the gap that labels can detect."""

    solved_for: LabelsSolvedFor
    """Quantity that the plan computes."""
    n_star: CountOrInf | None
    """Labels needed among the judged items; infinite if those are too few, None without a gap."""
    n_star_pilot: CountOrInf | None
    """Labels needed if the judge is as good as in the pilot; None without a pilot or a gap."""
    n_star_without_judge: CountOrInf | None
    """Labels needed without a judge, which is also the fewest items to judge."""
    n_labels: Count | None
    """Number of labels; None if the plan computes it."""
    n_judged: CountOrInf
    """Judged items, including the labeled ones; 0 if labels alone cost less."""
    n_judged_source: JudgedCountSource
    """Source of the number of judged items."""
    delta: float | None
    """Planned gap, A minus B, in score units. Of more than two models, any two."""
    mde: FloatOrInf | None
    """Smallest gap that these labels detect; None without labels."""
    mde_floor: FloatOrInf | None
    """Smallest detectable gap if all judged items are labeled; None if none are judged."""
    power: float
    """Power of one pair: computed if the plan solves for it, else the power to aim for. If the
    best model is picked, the probability of picking it."""
    q: float | None
    """Resolution ratio labels / n_star, when both are known."""
    judge_r: float
    """Correlation of judge and labels on differences in the plan: for a pilot, the lower limit, at
    least 0."""
    sigma: float
    """Standard deviation of an item's true difference, at that gap."""
    is_proportion: bool
    """Whether scores run from 0 to 1, so that reports give gaps in percentage points."""
    cost_label: float | None
    """Cost of labeling an item, all models' answers."""
    cost_judge: float | None
    """Cost of judging an item, all models' answers."""
    cost: FloatOrInf | None
    """Total cost of labels and judge; None without costs."""
    cost_without_judge: FloatOrInf | None
    """Cost of labels without a judge; None without costs or gap."""
    cheapest: LabelMix | None
    """Cheapest mix; None without costs or gap."""
    pilot: LabelPilot | None
    """Pilot that the value of the judge comes from, if any."""
    noise_design: Design
    """Noise of the difference of an item."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    draw: LabelDraw | None = None
    """Items to label, if they were drawn."""
    scenarios: tuple[LabelScenario, ...] = ()
    """The same plan with other judges or, if the judged items are too few, with more of them."""
    findings: tuple[Finding, ...] = ()
    """Warnings about the data of the pilot."""

    @derived
    def n_labels_saved(self) -> int | None:
        """Return the labels that the judge saves; None if that is not a finite number."""
        if self.n_star is None or self.n_star_without_judge is None or self.n_star == float("inf"):
            return None
        return int(self.n_star_without_judge - self.n_star)
