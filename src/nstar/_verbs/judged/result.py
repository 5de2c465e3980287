"""What a judge and its labels say of two models: together, and each alone.

Gaps are first minus second, in score units; biases are judge minus label.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import Count, FloatOrInf, Interval
from nstar._data.findings import Finding
from nstar._verbs.verdict import Criteria, PairWord

JudgedBy: TypeAlias = Literal["corrected", "labels", "judge"]
"""Judge and labels together, labels alone, or the judge alone."""


@record()
class JudgedGap:
    """The gap by one way of using judge and labels."""

    method: JudgedBy
    """What it is computed from."""
    n_items: Count
    """Items that it is computed from."""
    gap: float
    """Gap."""
    se: float
    """Its standard error; of the judge alone, as if the judge were right."""
    ci: Interval
    """Its interval."""
    pvalue: float
    """p-value of a zero gap."""


@record()
class JudgedModel:
    """One model as the judge and the labels see it."""

    model: str
    """Model."""
    judge_mean: float
    """Its mean over all items, by the judge."""
    label_mean: float
    """Its mean over labeled items, by the labels."""
    mean: float
    """Its mean over all items, corrected."""
    ci: Interval
    """Interval of that."""
    bias: float
    """Mean of judge minus label over labeled items."""
    bias_ci: Interval
    """Its interval."""
    n_correct_passed: Count | None
    """Right answers among the labeled that the judge passed; None for graded scores."""
    n_correct: Count | None
    """Right answers among the labeled."""
    n_incorrect_failed: Count | None
    """Wrong answers among the labeled that the judge failed."""
    n_incorrect: Count | None
    """Wrong answers among the labeled."""
    youden: float | None
    """Sensitivity + specificity - 1 of the judge on this model; None if it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Judged(Result):
    """Two models by a judge that labels correct."""

    models: tuple[str, str]
    """The first and the second model."""
    task: str
    """Benchmark."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    confidence_level: float
    """Coverage of every interval here."""
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or those seen if some lie outside."""
    lower_is_better: bool
    """Less is better."""
    n_items: Count
    """Items that the judge scored for both models."""
    n_labels: Count
    """Of those, items that people labeled for both."""
    method: Literal["corrected", "labels"]
    """What the answer rests on."""
    method_reason: str | None
    """Why labels alone, if so."""
    estimate: JudgedGap
    """The answer."""
    other_estimates: tuple[JudgedGap, ...]
    """The gap by the other ways, to be shown and not chosen."""
    df: FloatOrInf
    """Degrees of freedom of the answer."""
    cluster: str | None
    """Column whose groups are a sample; None: items are independent."""
    n_groups: Count | None
    """Those groups."""
    sigma: float
    """Standard deviation of the labels' difference of an item."""
    r: float | None
    """Correlation of judge and labels on differences; None if either never varies."""
    slope: float
    """How far the judge is believed; 0: not at all."""
    gain: float
    """Variance of labels alone over that of the answer: what the judge saves, as a factor."""
    bias: float
    """How far the judge favors the first model: its gap less that of the labels, on the labeled
    items."""
    bias_ci: Interval
    """Its interval."""
    bias_pvalue: float
    """p-value of no bias between the two."""
    bias_mde: float
    """Smallest bias between the two that so many labels detect."""
    model_estimates: tuple[JudgedModel, JudgedModel]
    """Each model by itself."""
    judge_score_range: tuple[float, float] | None
    """Lowest and highest score of a judge on another scale than the labels, which stands here
    stretched over theirs; None if it is on theirs."""
    selection_pvalue: float | None
    """p-value of labeled items being like the others to the judge; None if all are labeled."""
    significant_gap: float | None
    """Smallest observed gap that is significant at this standard error; None if no gap is."""
    mde: float
    """Smallest gap detectable as often as wanted."""
    n_star: FloatOrInf
    """Labels that detect a gap of the observed size among these judged items; infinite if even
    labels of all would not."""
    q: float
    """Resolution ratio labels / n_star."""
    n_star_all_labeled: FloatOrInf
    """Items, all of them labeled, that detect a gap of the observed size."""
    verdict: PairWord
    """What was shown about the first model."""
    findings: tuple[Finding, ...] = ()
    """What was found in the data before."""

    @derived
    def gap(self) -> float:
        """The gap."""
        return self.estimate.gap

    @derived
    def se(self) -> float:
        """Its standard error."""
        return self.estimate.se

    @derived
    def ci(self) -> Interval:
        """Its interval."""
        return self.estimate.ci

    @derived
    def pvalue(self) -> float:
        """p-value of a zero gap."""
        return self.estimate.pvalue

    @derived
    def more_labels(self) -> int | None:
        """Labels still missing to ``n_star``; None where none are, or none would do."""
        missing = self.n_star - self.n_labels
        return int(missing) if 0 < missing < float("inf") else None
