"""Result of a judged comparison: judge and labels together, and each alone.

Gaps are first minus second, in score units; biases are judge minus label.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import Count, FloatOrInf, Interval
from nstar._data.findings import Finding
from nstar._verbs.verdict import Criteria, PairWord

JudgedBy: TypeAlias = Literal["corrected", "labels", "judge"]
"""Judge and labels together, labels alone, or the judge alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedGap:
    """Estimate of the gap by one method."""

    method: JudgedBy
    """Data that it is computed from."""
    n_items: Count
    """Number of items that it is computed from."""
    gap: float
    """Estimated gap."""
    se: float
    """Standard error of the gap; for the judge alone, as if the judge were unbiased."""
    ci: Interval
    """Confidence interval of the gap."""
    pvalue: float
    """p-value of a zero gap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedModel:
    """One model according to the judge and the labels."""

    model: str
    """Name of the model."""
    judge_mean: float
    """Mean of the judge over all items."""
    label_mean: float
    """Mean of the labels over labeled items."""
    mean: float
    """Corrected mean over all items."""
    ci: Interval
    """Interval of the corrected mean."""
    bias: float
    """Mean of judge minus label over labeled items."""
    bias_ci: Interval
    """Interval of the bias."""
    n_correct_passed: Count | None
    """Number of correct labeled answers that the judge passed; None for graded scores."""
    n_correct: Count | None
    """Number of correct labeled answers."""
    n_incorrect_failed: Count | None
    """Number of incorrect labeled answers that the judge failed."""
    n_incorrect: Count | None
    """Number of incorrect labeled answers."""
    youden: float | None
    """Sensitivity + specificity - 1 of the judge on this model; None if it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Judged(Result):
    """Comparison of two models by a judge, corrected with human labels."""

    models: tuple[str, str]
    """Names of the first and the second model."""
    task: str
    """Name of the benchmark."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    confidence_level: float
    """Coverage of every interval."""
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or the observed ones if some lie outside."""
    lower_is_better: bool
    """Whether lower is better."""
    n_items: Count
    """Number of items that the judge scored for both models."""
    n_labels: Count
    """Number of these items that people labeled for both models."""
    method: Literal["corrected", "labels"]
    """Data that the result uses."""
    method_reason: str | None
    """Why only labels are used, if so."""
    estimate: JudgedGap
    """Estimate that the verdict uses."""
    other_estimates: tuple[JudgedGap, ...]
    """Estimates by the other methods, for comparison."""
    df: FloatOrInf
    """Degrees of freedom of the estimate."""
    cluster: str | None
    """Column whose groups are a random sample; None: items are independent."""
    n_groups: Count | None
    """Number of these groups."""
    sigma: float
    """Standard deviation of the labels' difference of an item."""
    r: float | None
    """Correlation of judge and labels on differences; None if either does not vary."""
    slope: float
    """Weight of the judge; 0: not used."""
    gain: float
    """Variance of labels alone over that of the estimate: the factor of labels saved."""
    bias: float
    """Bias of the judge for the first model: its gap less that of the labels, on labeled items."""
    bias_ci: Interval
    """Interval of the bias."""
    bias_pvalue: float
    """p-value of no bias between the two."""
    bias_mde: float
    """Smallest bias between the two models that these labels detect."""
    model_estimates: tuple[JudgedModel, JudgedModel]
    """Estimates of each model."""
    judge_score_range: tuple[float, float] | None
    """Lowest and highest score of a judge on another scale than the labels, which is mapped to
    theirs; None if it is on theirs."""
    n_label_strata: Count | None
    """Number of strata by which the labels were drawn; None for a random sample of all items."""
    selection_pvalue: float | None
    """p-value of randomly selected labels, by the judge's scores; None if all are labeled."""
    significant_gap: float | None
    """Smallest observed gap that is significant at this standard error; None if no gap is."""
    mde: float
    """Smallest gap detectable with the target power."""
    n_star: FloatOrInf
    """Labels needed to detect a gap of the observed size among these judged items; infinite if
    even labels of all items are not enough."""
    q: float
    """Resolution ratio labels / n_star."""
    n_star_all_labeled: FloatOrInf
    """Items, all of them labeled, needed to detect a gap of the observed size."""
    verdict: PairWord
    """Verdict about the first model."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""

    @derived
    def gap(self) -> float:
        """Return the gap."""
        return self.estimate.gap

    @derived
    def se(self) -> float:
        """Return the standard error of the gap."""
        return self.estimate.se

    @derived
    def ci(self) -> Interval:
        """Return the interval of the gap."""
        return self.estimate.ci

    @derived
    def pvalue(self) -> float:
        """Return the p-value of a zero gap."""
        return self.estimate.pvalue

    @derived
    def more_labels(self) -> int | None:
        """Return the labels still missing to ``n_star``; None if none are, or none suffice."""
        missing = self.n_star - self.n_labels
        return int(missing) if 0 < missing < float("inf") else None
