"""What a comparison holds: a Comparison of Pairs, one per task."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.result import Result
from nstar._base.types import Endless, EndlessInterval, Interval
from nstar._data.attrition import Attrition
from nstar._data.findings import Finding
from nstar._verbs.compare.tables import Breakdown, Counts, Equivalence, Reading, RunSplit
from nstar._verbs.verdict import FEW_ITEMS, Criteria, PairWord

Scale: TypeAlias = Literal["binary", "graded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two models on one task. Gaps are first minus second, in score units."""

    task: str
    """Benchmark."""
    metric: str
    """What the scores measure."""
    scale: Scale
    """``binary``: every score 0 or 1, one run; anything else is graded."""
    lower_is_better: bool
    """Less is better: with a positive gap the first model is worse."""
    limits: tuple[float, float]
    """Worst and best possible score: as declared, 0 and 1, or the observed ones if some lie
    outside (0 and the one there is if there is no other)."""
    range_is_seen: bool
    """``limits`` are only scores that were seen: missing ones could lie further out."""
    values: tuple[float, float]
    """The scores that 0 and 1 stand for: others than these if all scores were one of two values,
    such as 0 and 100. All else is then of 0/1 scores, and a gap of 1 is their difference."""
    n: int
    """Items with a score of both models."""
    mean_a: float
    """First model's mean over them."""
    mean_b: float
    """Second model's mean over them."""
    delta: float
    """Gap."""
    sigma: float
    """Standard deviation of the per-item difference (binary: ddof 0, graded: ddof 1)."""
    rho: float | None
    """Item correlation; None when a model has the same score everywhere."""
    rho_ci: Interval | None
    """Its interval, a rough guide; None at ±1, where no error was seen."""
    counts: Counts | None
    """Cells of the paired table; None for graded scores."""
    conf: float
    """Coverage of every interval here, 1 - alpha, or 1 - 2 alpha for a one-sided test."""
    design: Reading
    """The gap as declared: independent items, strata or clusters."""
    alternatives: tuple[Reading, ...]
    """The same gap under the readings that were not declared."""
    p_adjusted: float
    """``p`` adjusted over the tasks (Holm); ``p`` itself for one task."""
    p_midp: float | None
    """McNemar mid-p, items independent; None for graded scores."""
    p_exact: float | None
    """McNemar exact, items independent; None for graded scores."""
    p_t: float | None
    """Paired t test, items independent; None for binary scores or one item."""
    p_signflip: float | None
    """Sign-flip test, of items if graded, of whole clusters if those were declared."""
    mde: float | None
    """Smallest gap detectable as often as wanted; None if none is or no error was measured."""
    mde_least: float | None
    """Where ``mde`` is None and scores are binary: the gap detectable were every disagreement in
    favour of one model. No smaller gap is, however often they disagree."""
    q: float | None
    """Resolution ratio n / n_star at the observed gap; None when no error was measured."""
    q_ci: Interval | None
    """Its interval."""
    n_star: Endless
    """Items that detect a gap of the observed size; infinite at a gap of 0."""
    n_star_ci: EndlessInterval
    """Its interval; the upper end is infinite unless the gap is significant."""
    delta0: float | None
    """Smallest gap of interest, declared in advance."""
    q_delta0: float | None
    """Resolution ratio at ``delta0``: whether this benchmark can see such a gap at all."""
    n_star_delta0: float | None
    """Items that detect a gap of ``delta0``."""
    more_items: int | None
    """Items still missing to ``n_star_delta0``, or to ``n_star`` if no gap was declared; None
    when there is no sensible number."""
    verdict: PairWord
    """What was shown about the first model."""
    resolved: bool
    """q ≥ 1 at the observed gap: the outlook of a replication, not power."""
    equivalence: Equivalence | None
    """The gap against the declared margin; None without one."""
    attrition: Attrition
    """Items that only one of the models has."""
    breakdowns: tuple[Breakdown, ...]
    """The gap over groups of items, one entry per group column."""
    runs: RunSplit | None
    """Parts of the variance when cells have several runs; None for single runs."""

    @property
    def few_items(self) -> bool:
        """So few items that this is hardly a comparison."""
        return self.n < FEW_ITEMS

    @property
    def unanimous(self) -> bool:
        """Every unit showed the same gap, so that its error could not be measured."""
        return self.design.se == 0

    @property
    def se(self) -> float:
        """Standard error of the gap under the declared reading."""
        return self.design.se

    @property
    def t(self) -> float:
        """Gap in standard errors under the declared reading."""
        return self.design.t

    @property
    def ci(self) -> Interval:
        """Interval of the gap under the declared reading."""
        return self.design.ci

    @property
    def p(self) -> float:
        """p-value of a zero gap under the declared reading."""
        return self.design.p


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Result):
    """Two models on one or several tasks."""

    names: tuple[str, str]
    """The first and the second model."""
    criteria: Criteria
    """Level, power, sides."""
    pairs: tuple[Pair, ...]
    """One per task, at least one."""
    adjust: Literal["holm"] | None
    """How p-values were adjusted over tasks; None for one task."""
    seed: int | None
    """Seed of the random sign flips; None if a generator was given."""
    findings: tuple[Finding, ...]
    """What was found in the data before, and tasks left out."""
