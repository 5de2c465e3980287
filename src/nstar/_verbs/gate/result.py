"""Result of a gate: a Gate with a TaskGate for each task.

First = candidate, second = baseline. A margin is a positive size: the largest acceptable loss.
"""

from dataclasses import dataclass, field
from typing import Literal

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import FloatOrInf, Interval
from nstar._data.findings import Finding
from nstar._verbs.compare import TaskComparison
from nstar._verbs.gate.claims import GateEvidence, LogEValues
from nstar._verbs.gate.history import History
from nstar._verbs.gate.item_changes import ItemChanges
from nstar._verbs.gate.question import GateGoal, GateMonitoring
from nstar._verbs.gate.task_rule import RuleFlips
from nstar._verbs.judged import JudgedRanking
from nstar._verbs.verdict import Criteria, GateVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededToDecide:
    """What would turn INCONCLUSIVE into another verdict with the declared power."""

    n_items_if_equal: FloatOrInf
    """Total items for a PASS if the models are equal; infinite if none suffice, or if no error was
    measured (``comparison.unanimous``)."""
    n_items_if_observed: FloatOrInf
    """Total items for ``verdict_if_observed`` if the true gap equals the observed one; infinite
    likewise."""
    verdict_if_observed: GateVerdict | None
    """Verdict that the observed gap leads to; None without one."""
    n_runs: int | None
    """Runs per item of each model that would suffice on the same items if the true gap equals the
    observed one; None if unknown or if none suffice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGate:
    """Result of one task of a gate."""

    comparison: TaskComparison
    """The comparison, candidate first, with intervals of coverage 1 - 2 alpha."""
    goal: GateGoal
    """Goal that a PASS must show."""
    margin: float | None
    """Largest acceptable loss; None if no loss is acceptable."""
    is_guardrail: bool
    """Whether the margin was set for this task by name."""
    n_unreached: int
    """Number of the baseline's items that a growing run of the candidate has not reached."""
    n_items_planned: int
    """Number of items of the baseline."""
    evidence: GateEvidence
    """Claims: interval on the shared items, p-values for the worst values of missing scores."""
    pvalue_worse_adjusted: float
    """``pvalue_worse`` adjusted over the tasks (Holm)."""
    is_shown_worse: bool
    """Whether the candidate is worse after that adjustment."""
    verdict: GateVerdict
    """``pass``, ``regression`` or ``inconclusive``."""
    missing_items_decide: bool
    """Whether the shared items alone give a verdict that the missing scores could reverse."""
    min_items_to_pass: int | None
    """Fewest items at which two models with identical scores pass, with ``sequential`` by its
    e-values; a better candidate may pass on fewer. None where it is not one number: superiority,
    clusters, a history, and asymptotic e-values."""
    pass_probability: float | None
    """Probability that equal models pass at this noise and size; None if no error was measured,
    and for many looks."""
    needed_to_decide: NeededToDecide | None
    """Items or runs that would decide; None unless INCONCLUSIVE at one look."""
    min_margin_to_pass: float | None = None
    """Smallest margin that can pass if whole clusters may fail: identical scores pass only above
    it, and a smaller margin needs a gain. None without clusters, with ``loss="item"``, for
    superiority and for many looks."""
    max_threshold: float | None = None
    """Highest score that these clusters can show a perfect candidate to exceed if whole clusters
    may fail, or the lowest one where lower is better. None with a baseline, without clusters, with
    ``loss="item"``, and for many looks."""
    task_rule: RuleFlips | None = None
    """With a rule for every task, which tasks flipped and how many are expected by chance; None
    without a rule."""
    item_changes: ItemChanges | None = None
    """Items that pass less or more often with the candidate, and the number expected by chance;
    None with ``at_least``, and unless runs pass or fail, count equally, and higher is better."""

    @derived
    def task(self) -> str:
        """Return the name of the benchmark."""
        return self.comparison.task

    @derived
    def metric(self) -> str:
        """Return the name of the metric."""
        return self.comparison.metric

    @derived
    def n_items(self) -> int:
        """Return the number of shared items."""
        return self.comparison.n_items

    @derived
    def mean_candidate(self) -> float:
        """Return the candidate's mean over the shared items."""
        return self.comparison.mean_a

    @derived
    def mean_baseline(self) -> float:
        """Return the baseline's mean over the shared items."""
        return self.comparison.mean_b

    @derived
    def ci(self) -> Interval:
        """Return the interval of the gap, for the worst values of missing scores."""
        return self.evidence.ci

    @derived
    def pvalue_worse(self) -> float:
        """Return the p-value of "not worse"."""
        return self.evidence.pvalue_worse

    @derived
    def pvalue_not_worse(self) -> float | None:
        """Return the p-value of "worse by the margin or more"; None without a margin."""
        return self.evidence.pvalue_not_worse

    @derived
    def pvalue_better(self) -> float:
        """Return the p-value of "not better"."""
        return self.evidence.pvalue_better

    @derived
    def gap(self) -> float:
        """Return candidate minus baseline, in score units."""
        return self.comparison.gap

    @derived
    def improvement(self) -> float:
        """Return how much better the candidate is, in score units; negative if it is worse."""
        return -self.comparison.gap if self.comparison.lower_is_better else self.comparison.gap

    @derived
    def n_wins(self) -> int | None:
        """Return the items that only the candidate answered correctly; None for graded scores."""
        return None if self.comparison.counts is None else self.comparison.counts.n10

    @derived
    def n_losses(self) -> int | None:
        """Return the items that only the baseline answered correctly; None for graded scores."""
        return None if self.comparison.counts is None else self.comparison.counts.n01

    @derived
    def n_missing_candidate(self) -> int:
        """Return the baseline's items on which the candidate ran without a score."""
        return self.comparison.missing_items.n_only_b - self.n_unreached

    @derived
    def n_missing_baseline(self) -> int:
        """Return the candidate's items for which the baseline has no score."""
        return self.comparison.missing_items.n_only_a

    @derived
    def identical_scores_pass(self) -> bool | None:
        """Return whether identical scores pass at this size; None if ``min_items_to_pass`` is."""
        return (
            None
            if self.min_items_to_pass is None
            else self.comparison.n_items >= self.min_items_to_pass
        )

    @property
    def is_margin_too_small(self) -> bool:
        """Return whether the margin is at most the smallest that these clusters can pass."""
        min_margin, margin = self.min_margin_to_pass, self.margin
        return min_margin is not None and margin is not None and margin <= min_margin

    @derived
    def is_harmless_loss(self) -> bool:
        """Return whether a PASS has a significant loss, which is within the margin."""
        return self.verdict == "pass" and self.is_shown_worse


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledEvidence:
    """Evidence pooled over several evaluations of one question."""

    n_evaluations: int
    """Number of evaluations, including this one."""
    is_repeated: bool
    """Whether this evaluation was recorded before, so that it counts once."""
    has_fresh_items: bool
    """Whether every evaluation has new items, so that e-values multiply. Otherwise they are
    averaged with weights 1/(k(k+1)), fixed in advance."""
    log_e_values: tuple[LogEValues, ...]
    """Logs of the pooled e-values, by task."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Gate(Result):
    """Decision on whether the candidate can replace the baseline."""

    candidate: str
    """Name of the model to release."""
    baseline: str
    """Name of the current model."""
    verdict: GateVerdict
    """``pass``, ``regression``, ``inconclusive`` or ``invalid_data``."""
    goal: GateGoal
    """Goal of tasks without a guardrail."""
    margin: float | None
    """Margin of tasks without a guardrail."""
    threshold: float | None = None
    """Score that the candidate must exceed, or must not miss by the margin; None with a baseline.
    """
    criteria: Criteria
    """Level of each one-sided test, and the power behind ``needed_to_decide``."""
    monitoring: GateMonitoring
    """``fixed``: one look at a size fixed in advance; ``sequential``: valid at every look;
    ``history``: pooled over evaluations."""
    max_missing_share: float
    """Largest share of items that may be missing for one model."""
    tasks: tuple[TaskGate, ...]
    """Result of each task; empty when the data are invalid."""
    invalid_reason: str | None
    """Why the data are invalid; None otherwise."""
    pooled_evidence: PooledEvidence | None
    """Evidence of all evaluations of a history; None without one."""
    findings: tuple[Finding, ...]
    """Findings about the data."""
    judge_correction: JudgedRanking | None = None
    """Correction of a judge's scores by labels; None for uncorrected scores."""
    settings_file: str | None = None
    """Settings file that set parts of the question; None without one."""
    history: History | None = field(default=None, compare=False)
    """History with this evaluation, for storage (:meth:`History.text`); not in JSON."""

    @derived
    def adjust(self) -> Literal["holm"] | None:
        """Return the adjustment of p-values of "not worse" over tasks; None for one task."""
        return "holm" if len(self.tasks) > 1 else None

    @property
    def models(self) -> tuple[str, str]:
        """Return the names of candidate and baseline."""
        return self.candidate, self.baseline

    @derived
    def passed(self) -> bool:
        """Return whether the verdict is PASS."""
        return self.verdict == "pass"
