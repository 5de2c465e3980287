"""What a gate holds: a Gate of Checks, one per task.

First = candidate, second = baseline. A margin is a positive size: how much worse is harmless.
"""

from dataclasses import dataclass, field

from nstar._base.result import Result
from nstar._data.findings import Finding
from nstar._verbs.compare import Pair
from nstar._verbs.gate.claims import Evidence
from nstar._verbs.gate.history import History
from nstar._verbs.gate.question import Aim, Basis
from nstar._verbs.verdict import Criteria, GateWord


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle:
    """What would turn INCONCLUSIVE into an answer with the wanted probability."""

    if_equal: float | None
    """Items in all for a PASS were the models equal; infinite if none would do, None if no
    error was measured."""
    if_observed: float | None
    """Items in all for ``towards`` were the gap exactly as seen; infinite if none would do."""
    towards: GateWord | None
    """The answer that the observed gap leads to; None if to none."""
    runs: int | None
    """Runs per item of each model that would do instead, on the same items and were the gap as
    seen; None if not known or no number would."""
    runs_identified: bool
    """Items were run several times, so that ``runs`` could be worked out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One task of a gate."""

    pair: Pair
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
    evidence: Evidence
    """The claims: interval on the common items, p-values at the worst of the missing scores."""
    p_worse_adjusted: float
    """``p_worse`` adjusted over the tasks (Holm)."""
    worse: bool
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
    settle: Settle | None
    """What would settle it; None unless INCONCLUSIVE at one look."""

    @property
    def task(self) -> str:
        """Benchmark."""
        return self.pair.task

    @property
    def gain(self) -> float:
        """How much better the candidate is, in score units; negative: worse."""
        return -self.pair.delta if self.pair.lower_is_better else self.pair.delta

    @property
    def identical_pass(self) -> bool | None:
        """Whether identical scores pass at this size; None if ``least`` is."""
        return None if self.least is None else self.pair.n >= self.least

    @property
    def harmless_loss(self) -> bool:
        """A PASS although the candidate is shown to be worse: the loss is within the margin."""
        return self.answer == "PASS" and self.worse


@dataclass(frozen=True, slots=True, kw_only=True)
class Nights:
    """Evidence gathered over several evaluations of one question."""

    count: int
    """Evaluations so far, this one included."""
    repeated: bool
    """This evaluation was there already, and is counted once."""
    fresh: bool
    """Every evaluation has items of its own: e-values multiply. Else they are averaged with
    weights 1/(k(k+1)), fixed in advance."""
    log_e_within: tuple[float | None, ...]
    """Log of the gathered e-value against "worse by the margin or more", by task."""
    log_e_worse: tuple[float, ...]
    """Log of the gathered e-value against "not worse", by task."""
    log_e_better: tuple[float, ...]
    """Log of the gathered e-value against "not better", by task."""
    history: History = field(repr=False)
    """The history with this evaluation, to be kept."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Gate(Result):
    """May the candidate replace the baseline?"""

    names: tuple[str, str]
    """Candidate and baseline."""
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
    missing_most: float
    """Share of items that one model may lack."""
    checks: tuple[Check, ...]
    """One per task; empty when the data are invalid."""
    reason: str | None
    """Why the data are invalid; None otherwise."""
    nights: Nights | None
    """What ``history`` has gathered; None without it."""
    findings: tuple[Finding, ...]
    """What was found in the data before."""

    @property
    def exit_code(self) -> int:
        """0 PASS, 1 REGRESSION, 3 INCONCLUSIVE, 4 INVALID DATA."""
        return {"PASS": 0, "REGRESSION": 1, "INCONCLUSIVE": 3, "INVALID DATA": 4}[self.answer]

    @property
    def passed(self) -> bool:
        """The answer is PASS."""
        return self.answer == "PASS"
