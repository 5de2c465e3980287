"""Result for a new model on a sample of the items, with models known on all items.

Gaps are the new model minus the known one, in score units.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import Count, FloatOrInf, Interval
from nstar._data.findings import Finding
from nstar._verbs.verdict import Criteria, PairWord

KnownClaim: TypeAlias = Literal["questions", "benchmark", "paired"]
"""Claim about similar questions, about this benchmark's own score, or about similar questions by
pairing alone.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceGap:
    """Estimate of the gap for one claim."""

    claim: KnownClaim
    """Claim, and the data that it uses."""
    n_items: Count
    """Number of items that the estimate uses."""
    gap: float
    """Estimated gap."""
    se: float
    """Standard error of the gap."""
    ci: Interval
    """Confidence interval of the gap."""
    pvalue: float
    """p-value of a zero gap."""
    mde: float
    """Smallest gap detectable with the target power."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceModel:
    """One of the two models."""

    model: str
    """Name of the model."""
    sample_mean: float
    """Mean over the sampled items."""
    mean: float
    """Mean over all items, which is estimated for the new model."""
    ci: Interval | None
    """Interval of the mean on this benchmark itself; None if the mean is known."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Known(Result):
    """Comparison of a new model on a sample of items with a model that is known on all items."""

    models: tuple[str, str]
    """Names of the new and the known model."""
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
    """Number of items of the benchmark, which the known model has."""
    n_sampled: Count
    """Number of these items that the new model ran on."""
    n_known_models: Count
    """Number of known models, including the one in the comparison."""
    known_is_best: bool
    """Whether the best known model was used because none was named."""
    estimate: ReferenceGap
    """Estimate for a claim about similar questions."""
    other_estimates: tuple[ReferenceGap, ReferenceGap]
    """Estimates for this benchmark's own score, and by pairing on the sample alone."""
    df: FloatOrInf
    """Degrees of freedom of the estimate."""
    n_covariates: Count
    """Number of covariates of the regression, which are known on all items; 0 for pairing alone.
    """
    sigma: float
    """Standard deviation of the per-item difference."""
    n_rare_scores: Count
    """Number of sampled items with the rarer score, for the model with the smaller count. Below
    10, the interval allows for two differences that the sample missed, or is that of pairing
    alone.
    """
    skewness: float
    """Skewness of the sampled differences."""
    r2: float
    """Share of the variance of differences that the known results explain."""
    gain: float
    """Variance of pairing alone divided by that of the estimate: the factor by which fewer items
    are needed.
    """
    gain_benchmark: float | None
    """Gain for this benchmark's own score; None if its error is 0."""
    model_estimates: tuple[ReferenceModel, ReferenceModel]
    """Estimates of each model."""
    selection_pvalue: float | None
    """p-value for the null hypothesis of a random sample, from the known models' scores; None if
    almost all items are sampled.
    """
    significant_gap: float | None
    """Smallest observed gap that is significant at this standard error; None if no gap is."""
    n_star: FloatOrInf
    """Number of items of this benchmark needed to detect a gap of the observed size; infinite if
    all items are not enough.
    """
    q: float
    """Resolution ratio: sampled items divided by n_star."""
    n_star_paired: FloatOrInf
    """Number of items needed to detect the gap if both models run them."""
    verdict: PairWord
    """Verdict about the new model for similar questions."""
    verdict_benchmark: PairWord
    """Verdict about the new model for the items of this benchmark."""
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
    def mde(self) -> float:
        """Return the smallest gap that is detectable with the target power."""
        return self.estimate.mde

    @derived
    def more_items(self) -> int | None:
        """Return the additional items up to ``n_star``; None if none help or none are needed."""
        missing = self.n_star - self.n_sampled
        return int(missing) if 0 < missing < float("inf") else None

    @property
    def benchmark_estimate(self) -> ReferenceGap:
        """Return the estimate for this benchmark's own score."""
        return self.other_estimates[0]

    @property
    def paired_estimate(self) -> ReferenceGap:
        """Return the estimate obtained by pairing on the sample alone."""
        return self.other_estimates[1]
