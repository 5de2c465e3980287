"""Question of a gate, declared before any score is known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Literal, TypeAlias

from nstar._base import checks
from nstar._base.types import LossUnit
from nstar._data.matrix import LABEL_WEIGHT
from nstar._verbs.compare.question import CompareQuestion, refuse_strata
from nstar._verbs.compare.sample import checked_range
from nstar._verbs.runs.rule import TaskRule
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, arg, by_interface

GateGoal: TypeAlias = Literal["non-inferiority", "superiority"]
GateMonitoring: TypeAlias = Literal["fixed", "sequential", "history"]

MISSING_MOST = 0.05
"""Default share of items that one model may lack."""

PSI_PLANNED = 0.2
"""Default disagreement for which e-values are tuned."""


def check_level(alpha: float) -> None:
    """Raise ParameterError unless twice the level is below ½."""
    checks.require(0 < alpha < 0.25, "alpha", "in (0, 0.25) for a gate", alpha)


def gate_criteria(alpha: float, power: float) -> Criteria:
    """Return one-sided criteria at a valid level.

    >>> gate_criteria(0.01, 0.8).sides
    1
    """
    check_level(alpha)
    return Criteria(alpha=alpha, power=power, alternative="greater")


def _check_number(margin: object) -> None:
    if isinstance(margin, bool) or not isinstance(margin, Real):
        msg = f"margin must be a number in score units (0.01 for 1 pp); got {margin!r}"
        raise ParameterError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateQuestion:
    """Goal, margins, level, and schedule of looks.

    >>> ask = GateQuestion(margin=0.01, guardrails={"safety": 0.005})
    >>> ask.margin_of("safety"), ask.goal_of("safety"), ask.margin_of("math")
    (0.005, 'non-inferiority', 0.01)
    """

    margin: float | None = None
    """Largest acceptable loss, in score units; None with ``superiority``."""
    threshold: float | None = None
    """Score that the candidate must exceed; None with a baseline."""
    superiority: bool = False
    """Whether tasks without a guardrail must be better, not only no worse."""
    guardrails: Mapping[str, float] = field(default_factory=dict)
    """Margins of single tasks."""
    strata: str | None = None
    """Column whose groups define the benchmark."""
    cluster: str | None = None
    """Column whose groups are a random sample."""
    loss: LossUnit = "cluster"
    """With ``cluster``, what a PASS allows for: clusters that fail entirely but are not in the
    sample, or only single items."""
    criteria: Criteria = field(default_factory=lambda: Criteria(alternative="greater"))
    """Level of each one-sided test, and power for the items that would decide."""
    monitoring: GateMonitoring = "fixed"
    """Schedule of looks: one look, every look, or a history of evaluations."""
    items: int | None = None
    """Planned number of items of each task, for which e-values are tuned; None: those of the
    baseline."""
    ended: bool = False
    """Whether the harness reports that the candidate's run has ended."""
    psi: float = PSI_PLANNED
    """Share of items on which exactly one model is right, for which e-values are tuned."""
    missing: float = MISSING_MOST
    """Largest share of items that may be missing for one model."""
    score_range: tuple[float, float] | None = None
    """Worst and best possible score, if declared."""
    at_least: TaskRule | None = None
    """Rule by which a task scores 1 if enough of its runs pass; None: the mean of its runs."""
    seed: int = field(default=0, compare=False)
    """Seed of random sign flips."""

    def __post_init__(self) -> None:
        self._check_loss()
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
        """Raise ParameterError for ``loss="item"`` without clusters."""
        checks.choice("loss", self.loss, ("cluster", "item"))
        if self.loss == "item" and self.cluster is None:
            msg = f"{arg('loss', 'item')} also needs {arg('cluster')}."
            raise ParameterError(msg)

    def margin_of(self, task: str) -> float | None:
        """Return the margin of a task."""
        return self.guardrails.get(task, self.margin)

    def goal_of(self, task: str) -> GateGoal:
        """Return the goal of a task: a guardrail requires only its margin."""
        better = self.superiority and task not in self.guardrails
        return "superiority" if better else "non-inferiority"

    def refuse_judged(self, *, strata: bool) -> None:
        """Raise ParameterError for what does not apply to judge scores corrected by labels.

        ``strata`` states whether the labels were drawn by strata.
        """
        if strata:
            msg = (
                f"A gate needs labels of a random subset, but these were drawn by strata "
                f"({LABEL_WEIGHT})."
            )
            raise ParameterError(msg)
        if self.monitoring != "fixed" or self.at_least is not None:
            plain = by_interface(python="nstar.gate", command="nstar gate")
            msg = f"Labels can correct judge errors only in a single evaluation. Use {plain}."
            raise ParameterError(msg)
        if self.score_range is not None:
            msg = (
                f"{arg('score_range')} cannot be combined with a judge, because the labels define "
                "the scale. Remove it."
            )
            raise ParameterError(msg)
        refuse_strata(self.strata, weighted=False)

    @property
    def compared(self) -> CompareQuestion:
        """Return the question for ``compare``, two-sided at twice the one-sided level."""
        rule = self.criteria
        return CompareQuestion(
            strata=self.strata,
            cluster=self.cluster,
            criteria=Criteria(alpha=2 * rule.alpha, power=rule.power),
            seed=self.seed,
            score_range=self.score_range,
            loss=self.loss,
        )
