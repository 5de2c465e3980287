"""What a gate asks of every task, declared before any score is seen."""

from collections.abc import Mapping
from dataclasses import field
from numbers import Real
from typing import Literal, TypeAlias

from nstar._base import checks
from nstar._base.record import record
from nstar._base.types import LossUnit
from nstar._verbs.compare.question import NO_STRATA, NO_WEIGHTED_STRATA, CompareQuestion
from nstar._verbs.compare.sample import checked_range
from nstar._verbs.runs.rule import TaskRule
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, arg, fill_parameters

Aim: TypeAlias = Literal["non-inferiority", "superiority"]
Basis: TypeAlias = Literal["fixed", "sequential", "history"]

MISSING_MOST = 0.05
"""Share of items that one model may lack, unless the user says otherwise."""

PSI_PLANNED = 0.2
"""Disagreement that e-values are tuned for when none is declared."""


def check_level(alpha: float) -> None:
    """ParameterError unless a gate can be asked at this level: twice it is below ½."""
    checks.require(0 < alpha < 0.25, "alpha", "in (0, 0.25) for a gate", alpha)


def gate_criteria(alpha: float, power: float) -> Criteria:
    """One-sided criteria at a level that a gate can have.

    Examples
    --------
    >>> gate_criteria(0.01, 0.8).sides
    1
    """
    check_level(alpha)
    return Criteria(alpha=alpha, power=power, alternative="greater")


def _check_number(margin: object) -> None:
    if isinstance(margin, bool) or not isinstance(margin, Real):
        msg = f"margin must be a number in score units, 0.01 for one point; got {margin!r}"
        raise ParameterError(msg)


@record()
class GateQuestion:
    """Aim, margins, level and how the evidence is read.

    Examples
    --------
    >>> ask = GateQuestion(margin=0.01, guardrails={"safety": 0.005})
    >>> ask.margin_of("safety"), ask.aim_of("safety"), ask.margin_of("maths")
    (0.005, 'non-inferiority', 0.01)
    """

    margin: float | None = None
    """How much worse is harmless, in score units; None with ``superiority``."""
    superiority: bool = False
    """Tasks without a guardrail must be better, not only no worse."""
    guardrails: Mapping[str, float] = field(default_factory=dict)
    """Margins of single tasks."""
    strata: str | None = None
    """Column whose groups define the benchmark."""
    cluster: str | None = None
    """Column whose groups are a sample."""
    loss: LossUnit = "cluster"
    """With ``cluster``, what a PASS allows for: clusters that fail entirely but are not in the
    sample, or only single items."""
    criteria: Criteria = field(default_factory=lambda: Criteria(alternative="greater"))
    """Level of each one-sided test; power for the items that would settle it."""
    basis: Basis = "fixed"
    """How the evidence is read."""
    items: int | None = None
    """Items planned in all, of each task, for which e-values are tuned; None: those of the
    baseline."""
    ended: bool = False
    """The harness says that the candidate's run is over, so that nothing is still to come."""
    psi: float = PSI_PLANNED
    """Share of items on which exactly one model is right, for which e-values are tuned."""
    missing: float = MISSING_MOST
    """Share of items that one model may lack."""
    score_range: tuple[float, float] | None = None
    """Worst and best possible score, if declared."""
    at_least: TaskRule | None = None
    """A task scores 1 if so many of its runs pass, else 0; None: the mean of its runs."""
    seed: int = field(default=0, compare=False)
    """Seed of random sign flips."""

    def __post_init__(self) -> None:
        if self.margin is None and not self.superiority:
            msg = "give a margin (which loss is harmless? 0.01 is one point) or ask superiority"
            raise ParameterError(msg)
        if self.margin is not None and self.superiority:
            msg = (
                "give a margin or superiority, not both: a candidate that must be better has no "
                "harmless loss; a guardrail gives a single task a margin"
            )
            raise ParameterError(msg)
        if self.strata is not None and self.cluster is not None:
            msg = "give strata= or cluster=, not both: they answer different questions"
            raise ParameterError(msg)
        if self.basis == "sequential" and self.items is None:
            msg = (
                f"a gate of many looks needs {arg('items')}, the items planned in all, and the "
                "same at every look: e-values that are tuned to what is there so far are not valid"
            )
            raise ParameterError(msg)
        self._check_loss()
        self._check_rule()
        checks.seed(self.seed)
        if self.score_range is not None:
            checked_range(self.score_range)
        alpha, power = self.criteria.alpha, self.criteria.power
        check_level(alpha)
        checks.require(power > 2 * alpha, "power", "above twice alpha", power)
        checks.probability("missing", self.missing)
        checks.fraction("psi", self.psi)
        for margin in (self.margin, *self.guardrails.values()):
            if margin is not None:
                _check_number(margin)
                checks.positive("margin", margin)

    def _check_loss(self) -> None:
        """``loss="item"`` needs declared clusters."""
        checks.choice("loss", self.loss, ("cluster", "item"))
        if self.loss == "item" and self.cluster is None:
            msg = (
                f"{arg('loss', 'item')} assumes that no cluster fails entirely, and needs "
                f"{arg('cluster')}"
            )
            raise ParameterError(msg)

    def _check_rule(self) -> None:
        """A rule for every task goes with one look, and has 0 and 1 for scores."""
        if self.at_least is None:
            return
        if self.basis != "fixed":
            msg = (
                f"{arg('at_least')} goes with one look at tasks that all had their runs: in a run "
                "that grows, tasks that fail are decided before those that pass; leave out "
                f"{arg('sequential')} and {arg('history')}"
            )
            raise ParameterError(msg)
        if self.score_range is not None:
            msg = f"{arg('score_range')} does not go with {arg('at_least')}: a task scores 0 or 1"
            raise ParameterError(msg)

    def margin_of(self, task: str) -> float | None:
        """The margin of a task."""
        return self.guardrails.get(task, self.margin)

    def aim_of(self, task: str) -> Aim:
        """What a task must show: a guardrail asks for no more than its margin."""
        better = self.superiority and task not in self.guardrails
        return "superiority" if better else "non-inferiority"

    def refuse_judged(self) -> None:
        """What cannot be asked of a judge's scores that labels correct."""
        if self.basis != "fixed":
            msg = (
                "a judge's scores are corrected by labels of one evaluation, looked at once; "
                f"leave out {arg('sequential')} and {arg('history')}"
            )
            raise ParameterError(msg)
        if self.score_range is not None:
            msg = f"{arg('score_range')} does not go with a judge: labels teach its scale"
            raise ParameterError(msg)
        if self.at_least is not None:
            msg = f"{arg('at_least')} counts runs that pass, not a judge's scores; leave it out"
            raise ParameterError(msg)
        if self.strata is not None:
            raise ParameterError(fill_parameters(NO_STRATA))

    def refuse_weighted(self) -> None:
        """What cannot be asked of items of unequal weights."""
        if self.basis != "fixed":
            msg = (
                f"{arg('weights')} goes with one look at all items: bets are on items that count "
                f"the same; leave out {arg('sequential')} and {arg('history')}"
            )
            raise ParameterError(msg)
        if self.at_least is not None:
            msg = f"{arg('at_least')} counts tasks, each as one; leave out {arg('weights')}"
            raise ParameterError(msg)
        if self.strata is not None:
            raise ParameterError(fill_parameters(NO_WEIGHTED_STRATA))

    @property
    def compared(self) -> CompareQuestion:
        """The question to ``compare``: two-sided at 2 alpha is one-sided at alpha either way."""
        rule = self.criteria
        return CompareQuestion(
            strata=self.strata,
            cluster=self.cluster,
            criteria=Criteria(alpha=2 * rule.alpha, power=rule.power),
            seed=self.seed,
            score_range=self.score_range,
            loss=self.loss,
        )
