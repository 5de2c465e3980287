"""Result for a new model on a sample of the items, given models known on all of them.

Gaps are the new model minus the known one, in score units.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import Count, FloatOrInf, Interval
from nstar._data.findings import Finding
from nstar._verbs.verdict import Criteria, PairWord

KnownClaim: TypeAlias = Literal["questions", "benchmark", "paired"]
"""Claim about such questions, about this benchmark's own score, or about such questions by pairing
alone."""


@record()
class ReferenceGap:
    """Estimate of the gap for one claim."""

    claim: KnownClaim
    """Claim, and the data that it uses."""
    n_items: Count
    """Number of items that it uses."""
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


@record()
class ReferenceModel:
    """One of the two models."""

    model: str
    """Name of the model."""
    sample_mean: float
    """Mean over the sampled items."""
    mean: float
    """Mean over all items; estimated for the new model."""
    ci: Interval | None
    """Interval of the mean as this benchmark's own score; None if it is known."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Known(Result):
    """Comparison of a new model on a sample of the items with one that is known on all."""

    models: tuple[str, str]
    """Names of the new and the known model."""
    task: str
    """Name of the benchmark."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    confidence_level: float
    """Coverage of every interval here."""
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or the observed ones if some lie outside."""
    lower_is_better: bool
    """Whether lower is better."""
    n_items: Count
    """Number of items of the benchmark: those that the known model has."""
    n_sampled: Count
    """Number of these items that the new model ran on."""
    n_known_models: Count
    """Number of known models, including that one."""
    known_is_best: bool
    """Whether the known model was not named, so that the best is used."""
    estimate: ReferenceGap
    """Estimate for a claim about such questions."""
    other_estimates: tuple[ReferenceGap, ReferenceGap]
    """Estimates as this benchmark's own score, and by pairing on the sample alone."""
    df: FloatOrInf
    """Degrees of freedom of the estimate."""
    n_covariates: Count
    """Number of covariates of the regression, known on all items; 0 for pairing alone."""
    sigma: float
    """Standard deviation of an item's difference."""
    n_rare_scores: Count
    """Number of sampled items with the rarer score, of the new or the known model: the smaller
    count. Below 10 the interval allows for two differences that the sample missed, or is that of
    pairing alone."""
    skewness: float
    """Skewness of the sampled differences."""
    r2: float
    """Share of its variance that the known results explain."""
    gain: float
    """Variance of pairing alone over that of the estimate: the factor of items saved."""
    gain_benchmark: float | None
    """Gain for this benchmark's own score; None if no error is left."""
    model_estimates: tuple[ReferenceModel, ReferenceModel]
    """Estimates of each model."""
    selection_pvalue: float | None
    """p-value of a random sample, by the known models' scores; None if almost all items are
    sampled."""
    significant_gap: float | None
    """Smallest observed gap that is significant at this standard error; None if no gap is."""
    n_star: FloatOrInf
    """Items of this benchmark that detect a gap of the observed size; infinite if even all would
    not."""
    q: float
    """Resolution ratio sampled / n_star."""
    n_star_paired: FloatOrInf
    """Items that detect the gap if both models run them."""
    verdict: PairWord
    """Verdict about the new model, on such questions."""
    verdict_benchmark: PairWord
    """Verdict about the new model, on the items of this benchmark."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""

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
    def mde(self) -> float:
        """Smallest gap detectable as often as wanted."""
        return self.estimate.mde

    @derived
    def more_items(self) -> int | None:
        """Return the items still missing to ``n_star``; None if none are, or none suffice."""
        missing = self.n_star - self.n_sampled
        return int(missing) if 0 < missing < float("inf") else None

    @property
    def benchmark_estimate(self) -> ReferenceGap:
        """Return the gap as this benchmark's own score."""
        return self.other_estimates[0]

    @property
    def paired_estimate(self) -> ReferenceGap:
        """Return the gap by pairing on the sample alone."""
        return self.other_estimates[1]
