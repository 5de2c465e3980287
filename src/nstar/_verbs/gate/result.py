"""What a gate holds: a Gate of TaskGates, one per task.

First = candidate, second = baseline. A margin is a positive size: how much worse is harmless.
"""

from dataclasses import dataclass, field
from typing import Literal

from nstar._base.codec import derived
from nstar._base.record import record
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


@record()
class NeededToDecide:
    """What would turn INCONCLUSIVE into another verdict with the declared power."""

    n_items_if_equal: FloatOrInf
    """Items in all for a PASS were the models equal; infinite if none would do, or if no error
    was measured from which to tell (``comparison.unanimous``)."""
    n_items_if_observed: FloatOrInf
    """Items in all for ``verdict_if_observed`` were the gap exactly as seen; infinite likewise."""
    verdict_if_observed: GateVerdict | None
    """Verdict that the observed gap leads to; None if to none."""
    n_runs: int | None
    """Runs per item of each model that would do instead, on the same items and were the gap as
    seen; None if not known or no number would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGate:
    """One task of a gate."""

    comparison: TaskComparison
    """The comparison, candidate first, with intervals of coverage 1 - 2 alpha."""
    goal: GateGoal
    """What a PASS must show."""
    margin: float | None
    """How much worse is harmless; None: nothing is."""
    is_guardrail: bool
    """The margin was given for this task by name."""
    n_unreached: int
    """Items of the baseline that a growing run of the candidate has not reached."""
    n_items_planned: int
    """Items of the baseline."""
    evidence: GateEvidence
    """The claims: interval on the common items, p-values at the worst of the missing scores."""
    pvalue_worse_adjusted: float
    """``pvalue_worse`` adjusted over the tasks (Holm)."""
    is_shown_worse: bool
    """Shown to be worse after that adjustment."""
    verdict: GateVerdict
    """``pass``, ``regression`` or ``inconclusive``."""
    missing_items_decide: bool
    """The common items alone gave a verdict that scores of the missing items could undo."""
    min_items_to_pass: int | None
    """Fewest items at which two models with identical scores pass, with ``sequential`` by its
    e-values; a better candidate may pass on fewer. None where it is not one number: superiority,
    clusters, a history, and asymptotic e-values."""
    pass_probability: float | None
    """Probability that equal models pass at this noise and size; None if no error was measured,
    and for many looks."""
    needed_to_decide: NeededToDecide | None
    """What would decide it; None unless INCONCLUSIVE at one look."""
    min_margin_to_pass: float | None = None
    """Smallest margin that can pass if whole clusters may fail: identical scores pass only above
    it, and a smaller margin needs a gain. None without clusters, with ``loss="item"``, for
    superiority and for many looks."""
    task_rule: RuleFlips | None = None
    """With a rule for every task, by which it scores 1 or 0: which tasks flipped, and how many
    would have by luck; None for the mean of runs."""
    item_changes: ItemChanges | None = None
    """Items that pass less or more often with the candidate, and how many would by luck; None
    with ``at_least``, and unless runs pass or fail, each counts the same and more is better."""

    @derived
    def task(self) -> str:
        """Benchmark."""
        return self.comparison.task

    @derived
    def metric(self) -> str:
        """What the scores measure."""
        return self.comparison.metric

    @derived
    def n_items(self) -> int:
        """Items with a score of both models."""
        return self.comparison.n_items

    @derived
    def mean_candidate(self) -> float:
        """The candidate's mean over them."""
        return self.comparison.mean_a

    @derived
    def mean_baseline(self) -> float:
        """The baseline's mean over them."""
        return self.comparison.mean_b

    @derived
    def ci(self) -> Interval:
        """Interval of the gap, at the worst of the missing scores."""
        return self.evidence.ci

    @derived
    def pvalue_worse(self) -> float:
        """p-value of "not worse"."""
        return self.evidence.pvalue_worse

    @derived
    def pvalue_not_worse(self) -> float | None:
        """p-value of "worse by the margin or more"; None without a margin."""
        return self.evidence.pvalue_not_worse

    @derived
    def pvalue_better(self) -> float:
        """p-value of "not better"."""
        return self.evidence.pvalue_better

    @derived
    def gap(self) -> float:
        """Candidate minus baseline, in score units."""
        return self.comparison.gap

    @derived
    def improvement(self) -> float:
        """How much better the candidate is, in score units; negative: worse."""
        return -self.comparison.gap if self.comparison.lower_is_better else self.comparison.gap

    @derived
    def n_wins(self) -> int | None:
        """Items that only the candidate got right; None for graded scores."""
        return None if self.comparison.counts is None else self.comparison.counts.n10

    @derived
    def n_losses(self) -> int | None:
        """Items that only the baseline got right; None for graded scores."""
        return None if self.comparison.counts is None else self.comparison.counts.n01

    @derived
    def n_missing_candidate(self) -> int:
        """Items of the baseline that the candidate was tried on without a score."""
        return self.comparison.missing_items.n_only_b - self.n_unreached

    @derived
    def n_missing_baseline(self) -> int:
        """Items of the candidate that the baseline has no score for."""
        return self.comparison.missing_items.n_only_a

    @derived
    def identical_scores_pass(self) -> bool | None:
        """Whether identical scores pass at this size; None if ``min_items_to_pass`` is."""
        return (
            None
            if self.min_items_to_pass is None
            else self.comparison.n_items >= self.min_items_to_pass
        )

    @property
    def is_margin_too_small(self) -> bool:
        """The margin is at most the smallest that can pass with so few clusters."""
        min_margin, margin = self.min_margin_to_pass, self.margin
        return min_margin is not None and margin is not None and margin <= min_margin

    @derived
    def is_harmless_loss(self) -> bool:
        """A PASS although the candidate is shown to be worse: the loss is within the margin."""
        return self.verdict == "pass" and self.is_shown_worse


@record()
class PooledEvidence:
    """Evidence gathered over several evaluations of one question."""

    n_evaluations: int
    """Evaluations so far, this one included."""
    is_repeated: bool
    """This evaluation was there already, and is counted once."""
    has_fresh_items: bool
    """Every evaluation has items of its own: e-values multiply. Else they are averaged with
    weights 1/(k(k+1)), fixed in advance."""
    log_e_values: tuple[LogEValues, ...]
    """Logs of the gathered e-values, by task."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Gate(Result):
    """May the candidate replace the baseline?"""

    candidate: str
    """The model that is to be released."""
    baseline: str
    """The model it is to replace."""
    verdict: GateVerdict
    """``pass``, ``regression``, ``inconclusive`` or ``invalid_data``."""
    goal: GateGoal
    """What tasks without a guardrail must show."""
    margin: float | None
    """Margin of tasks without a guardrail."""
    criteria: Criteria
    """Level of each one-sided test, and the power behind ``needed_to_decide``."""
    monitoring: GateMonitoring
    """``fixed``: one look at a size fixed in advance; ``sequential``: valid at every look;
    ``history``: gathered over evaluations."""
    max_missing_share: float
    """Share of items that one model may lack."""
    tasks: tuple[TaskGate, ...]
    """Result of each task; empty when the data are invalid."""
    invalid_reason: str | None
    """Why the data are invalid; None otherwise."""
    pooled_evidence: PooledEvidence | None
    """What all evaluations of a history show together; None without one."""
    findings: tuple[Finding, ...]
    """What was found in the data before."""
    judge_correction: JudgedRanking | None = None
    """How a judge's scores were corrected by labels; None for scores as measured."""
    settings_file: str | None = None
    """The settings file that set parts of the question; None if no file did."""
    history: History | None = field(default=None, compare=False)
    """The history with this evaluation, to be kept (:meth:`History.text`); not in JSON."""

    @derived
    def adjust(self) -> Literal["holm"] | None:
        """How p-values of "not worse" were adjusted over tasks; None for one task."""
        return "holm" if len(self.tasks) > 1 else None

    @property
    def models(self) -> tuple[str, str]:
        """Candidate and baseline."""
        return self.candidate, self.baseline

    @derived
    def passed(self) -> bool:
        """Whether the verdict is PASS."""
        return self.verdict == "pass"
