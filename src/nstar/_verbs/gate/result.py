"""What a gate holds: a Gate of Checks, one per task.

First = candidate, second = baseline. A margin is a positive size: how much worse is harmless.
"""

from dataclasses import dataclass, field
from typing import Literal

from nstar._base.codec import derived
from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import FloatOrInf
from nstar._data.findings import Finding
from nstar._verbs.compare import TaskComparison
from nstar._verbs.gate.claims import GateEvidence, LogEValues
from nstar._verbs.gate.history import History
from nstar._verbs.gate.item_changes import ItemChanges
from nstar._verbs.gate.question import Aim, Basis
from nstar._verbs.gate.task_rule import RuleFlips
from nstar._verbs.judged import JudgedRanking
from nstar._verbs.verdict import Criteria, GateWord


@record()
class NeededToDecide:
    """What would turn INCONCLUSIVE into an answer with the wanted probability."""

    items_if_equal: FloatOrInf
    """Items in all for a PASS were the models equal; infinite if none would do, or if no error
    was measured from which to tell (``pair.unanimous``)."""
    items_if_observed: FloatOrInf
    """Items in all for ``towards`` were the gap exactly as seen; infinite likewise."""
    towards: GateWord | None
    """The answer that the observed gap leads to; None if to none."""
    runs: int | None
    """Runs per item of each model that would do instead, on the same items and were the gap as
    seen; None if not known or no number would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One task of a gate."""

    pair: TaskComparison
    """The comparison, candidate first, with intervals of coverage 1 - 2 alpha."""
    aim: Aim
    """What must be shown for a PASS."""
    margin: float | None
    """How much worse is harmless; None: nothing is."""
    guardrail: bool
    """The margin was given for this task by name."""
    unreached: int
    """Items of the baseline that a growing run of the candidate has not reached."""
    planned: int
    """Items of the baseline."""
    evidence: GateEvidence
    """The claims: interval on the common items, p-values at the worst of the missing scores."""
    p_worse_adjusted: float
    """``p_worse`` adjusted over the tasks (Holm)."""
    shown_worse_adjusted: bool
    """Shown to be worse after that adjustment."""
    answer: GateWord
    """PASS, REGRESSION or INCONCLUSIVE."""
    missing_decides: bool
    """The common items alone gave an answer that scores of the missing items could undo."""
    least: int | None
    """Fewest items at which two models with identical scores pass, with ``sequential`` by its
    e-values; a better candidate may pass on fewer. None where it is not one number: superiority,
    clusters, a history, and asymptotic e-values."""
    chance: float | None
    """Chance of a PASS of equal models at this noise and size; None if no error was measured, and
    for many looks."""
    settle: NeededToDecide | None
    """What would settle it; None unless INCONCLUSIVE at one look."""
    margin_least: float | None = None
    """Smallest margin that can pass if whole clusters may fail: identical scores pass only above
    it, and a smaller margin needs a gain. None without clusters, with ``loss="item"``, for
    superiority and for many looks."""
    at_least: RuleFlips | None = None
    """With a rule for every task, by which it scores 1 or 0: which tasks flipped, and how many
    would have by luck; None for the mean of runs."""
    changes: ItemChanges | None = None
    """Items that pass less or more often with the candidate, and how many would by luck; None
    with ``at_least``, and unless runs pass or fail, each counts the same and more is better."""

    @derived
    def task(self) -> str:
        """Benchmark."""
        return self.pair.task

    @derived
    def metric(self) -> str:
        """What the scores measure."""
        return self.pair.metric

    @derived
    def n(self) -> int:
        """Items with a score of both models."""
        return self.pair.n_items

    @derived
    def mean_candidate(self) -> float:
        """The candidate's mean over them."""
        return self.pair.mean_a

    @derived
    def mean_baseline(self) -> float:
        """The baseline's mean over them."""
        return self.pair.mean_b

    @derived
    def delta(self) -> float:
        """Candidate minus baseline, in score units."""
        return self.pair.gap

    @derived
    def gain(self) -> float:
        """How much better the candidate is, in score units; negative: worse."""
        return -self.pair.gap if self.pair.lower_is_better else self.pair.gap

    @derived
    def wins(self) -> int | None:
        """Items that only the candidate got right; None for graded scores."""
        return None if self.pair.counts is None else self.pair.counts.n10

    @derived
    def losses(self) -> int | None:
        """Items that only the baseline got right; None for graded scores."""
        return None if self.pair.counts is None else self.pair.counts.n01

    @derived
    def missing_candidate(self) -> int:
        """Items of the baseline that the candidate was tried on without a score."""
        return self.pair.missing_items.n_only_b - self.unreached

    @derived
    def missing_baseline(self) -> int:
        """Items of the candidate that the baseline has no score for."""
        return self.pair.missing_items.n_only_a

    @derived
    def identical_pass(self) -> bool | None:
        """Whether identical scores pass at this size; None if ``least`` is."""
        return None if self.least is None else self.pair.n_items >= self.least

    @property
    def margin_too_small(self) -> bool:
        """The margin is at most the smallest that can pass with so few clusters."""
        least, margin = self.margin_least, self.margin
        return least is not None and margin is not None and margin <= least

    @derived
    def harmless_loss(self) -> bool:
        """A PASS although the candidate is shown to be worse: the loss is within the margin."""
        return self.answer == "PASS" and self.shown_worse_adjusted


@record()
class PooledEvidence:
    """Evidence gathered over several evaluations of one question."""

    evaluations: int
    """Evaluations so far, this one included."""
    repeated: bool
    """This evaluation was there already, and is counted once."""
    fresh_items: bool
    """Every evaluation has items of its own: e-values multiply. Else they are averaged with
    weights 1/(k(k+1)), fixed in advance."""
    log_e: tuple[LogEValues, ...]
    """Logs of the gathered e-values, by task."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Gate(Result):
    """May the candidate replace the baseline?"""

    candidate: str
    """The model that is to be released."""
    baseline: str
    """The model it is to replace."""
    answer: GateWord
    """PASS, REGRESSION, INCONCLUSIVE or INVALID DATA."""
    aim: Aim
    """What tasks without a guardrail must show."""
    margin: float | None
    """Margin of tasks without a guardrail."""
    criteria: Criteria
    """Level of each one-sided test, and the power that ``settle`` aims at."""
    basis: Basis
    """``fixed``: one look at a size fixed in advance; ``sequential``: valid at every look;
    ``history``: gathered over evaluations."""
    missing: float
    """Share of items that one model may lack."""
    tasks: tuple[Check, ...]
    """The answer of each task; empty when the data are invalid."""
    reason: str | None
    """Why the data are invalid; None otherwise."""
    gathered: PooledEvidence | None
    """What all evaluations of a history show together; None without one."""
    findings: tuple[Finding, ...]
    """What was found in the data before."""
    judged: JudgedRanking | None = None
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
    def names(self) -> tuple[str, str]:
        """Candidate and baseline."""
        return self.candidate, self.baseline

    @property
    def passed(self) -> bool:
        """The answer is PASS."""
        return self.answer == "PASS"
