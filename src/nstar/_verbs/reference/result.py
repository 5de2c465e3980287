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
    items: Count
    """Items that it uses."""
    delta: float
    """Gap."""
    se: float
    """Its standard error."""
    ci: Interval
    """Its interval."""
    p: float
    """p-value of a zero gap."""
    mde: float
    """Smallest gap detectable as often as wanted."""


@record()
class ReferenceModel:
    """One of the two models."""

    name: str
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

    names: tuple[str, str]
    """The new and the known model."""
    task: str
    """Benchmark."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    conf: float
    """Coverage of every interval here."""
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or those seen if some lie outside."""
    lower_is_better: bool
    """Less is better."""
    items: Count
    """Items of the benchmark: those that the known model has."""
    sampled: Count
    """Of those, items that the new model ran on."""
    known: Count
    """Models that are known, that one included."""
    best: bool
    """The known model was not named; it is the best of them."""
    gap: ReferenceGap
    """The answer: a claim about such questions."""
    others: tuple[ReferenceGap, ReferenceGap]
    """The gap as this benchmark's own score, and by pairing on the sample alone."""
    df: FloatOrInf
    """Degrees of freedom of the answer."""
    covariates: Count
    """Numbers about each item, known on all, that the regression uses; 0 for pairing alone."""
    sigma: float
    """Standard deviation of an item's difference."""
    rare_scores: Count
    """Sampled items with the rarer score, of the new or the known model: the smaller count. Below
    10 the interval allows for two differences that the sample missed, or is that of pairing
    alone."""
    skew: float
    """Skewness of the sampled differences."""
    r2: float
    """Share of its variance that the known results explain."""
    gain: float
    """Variance of pairing alone over that of the answer: items saved, as a factor."""
    gain_own: float | None
    """The same for this benchmark's own score; None if no error is left."""
    models: tuple[ReferenceModel, ReferenceModel]
    """Each model by itself."""
    choice_p: float | None
    """p-value of sampled items being like the others to the known models; None if there are
    hardly any others."""
    n_star: FloatOrInf
    """Items of this benchmark that detect a gap of the observed size; infinite if even all would
    not."""
    q: float
    """Resolution ratio sampled / n_star."""
    items_star: FloatOrInf
    """Items that detect it, run by both models."""
    verdict: PairWord
    """What was shown about the new model, on such questions."""
    verdict_own: PairWord
    """What was shown about it on the items of this benchmark."""
    findings: tuple[Finding, ...] = ()
    """What was found in the data before."""

    @derived
    def delta(self) -> float:
        """The gap."""
        return self.gap.delta

    @derived
    def se(self) -> float:
        """Its standard error."""
        return self.gap.se

    @derived
    def ci(self) -> Interval:
        """Its interval."""
        return self.gap.ci

    @derived
    def p(self) -> float:
        """p-value of a zero gap."""
        return self.gap.p

    @derived
    def mde(self) -> float:
        """Smallest gap detectable as often as wanted."""
        return self.gap.mde

    @derived
    def more_items(self) -> int | None:
        """Items still missing to ``n_star``; None where none are, or none would do."""
        missing = self.n_star - self.sampled
        return int(missing) if 0 < missing < float("inf") else None

    @property
    def own(self) -> ReferenceGap:
        """The gap as this benchmark's own score."""
        return self.others[0]

    @property
    def paired(self) -> ReferenceGap:
        """The gap by pairing on the sample alone."""
        return self.others[1]
