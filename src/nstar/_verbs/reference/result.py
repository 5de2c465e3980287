"""What a sample of the items says of a new model, given models that are known on all of them.

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
"""About such questions, about this benchmark's own score, or about such questions without what is
known of the items that the new model did not run."""


@record()
class ReferenceGap:
    """The gap as one claim."""

    claim: KnownClaim
    """What it is about, and from what."""
    n_items: Count
    """Items that it uses."""
    gap: float
    """Gap."""
    se: float
    """Its standard error."""
    ci: Interval
    """Its interval."""
    pvalue: float
    """p-value of a zero gap."""
    mde: float
    """Smallest gap detectable as often as wanted."""


@record()
class ReferenceModel:
    """One of the two models."""

    model: str
    """Model."""
    sample_mean: float
    """Its mean over the sampled items."""
    mean: float
    """Its mean over all items; of the new model, estimated."""
    ci: Interval | None
    """Interval of that as this benchmark's own score; None where it is known."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Known(Result):
    """A new model on a sample of the items against one that is known on all."""

    models: tuple[str, str]
    """The new and the known model."""
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
    """Items of the benchmark: those that the known model has."""
    n_sampled: Count
    """Of those, items that the new model ran on."""
    n_known_models: Count
    """Models that are known, that one included."""
    known_is_best: bool
    """The known model was not named; it is the best of them."""
    estimate: ReferenceGap
    """The answer: a claim about such questions."""
    other_estimates: tuple[ReferenceGap, ReferenceGap]
    """The gap as this benchmark's own score, and by pairing on the sample alone."""
    df: FloatOrInf
    """Degrees of freedom of the answer."""
    n_covariates: Count
    """Numbers about each item, known on all, that the regression uses; 0 for pairing alone."""
    sigma: float
    """Standard deviation of an item's difference."""
    n_rare_scores: Count
    """Sampled items with the rarer score, of the new or the known model: the smaller count. Below
    10 the interval allows for two differences that the sample missed, or is that of pairing
    alone."""
    skewness: float
    """Skewness of the sampled differences."""
    r2: float
    """Share of its variance that the known results explain."""
    gain: float
    """Variance of pairing alone over that of the answer: items saved, as a factor."""
    gain_benchmark: float | None
    """The same for this benchmark's own score; None if no error is left."""
    model_estimates: tuple[ReferenceModel, ReferenceModel]
    """Each model by itself."""
    selection_pvalue: float | None
    """p-value of sampled items being like the others to the known models; None if there are
    hardly any others."""
    significant_gap: float | None
    """Smallest observed gap that is significant at this standard error; None if no gap is."""
    n_star: FloatOrInf
    """Items of this benchmark that detect a gap of the observed size; infinite if even all would
    not."""
    q: float
    """Resolution ratio sampled / n_star."""
    n_star_paired: FloatOrInf
    """Items that detect it, run by both models."""
    verdict: PairWord
    """What was shown about the new model, on such questions."""
    verdict_benchmark: PairWord
    """What was shown about it on the items of this benchmark."""
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
    def mde(self) -> float:
        """Smallest gap detectable as often as wanted."""
        return self.estimate.mde

    @derived
    def more_items(self) -> int | None:
        """Items still missing to ``n_star``; None where none are, or none would do."""
        missing = self.n_star - self.n_sampled
        return int(missing) if 0 < missing < float("inf") else None

    @property
    def benchmark_estimate(self) -> ReferenceGap:
        """The gap as this benchmark's own score."""
        return self.other_estimates[0]

    @property
    def paired_estimate(self) -> ReferenceGap:
        """The gap by pairing on the sample alone."""
        return self.other_estimates[1]
