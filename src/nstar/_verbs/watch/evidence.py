"""Evidence so far, updated one item at a time: three kinds with one interface."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from nstar._base import checks
from nstar._base.types import Interval
from nstar._verbs.watch.question import Method, WatchQuestion
from nstar._verbs.watch.state_checks import check_like
from nstar.stats import Tail
from nstar.stats.betting import Bets
from nstar.stats.confseq import RunningMean, asymptotic_log_e
from nstar.stats.eprocess import EProcess
from nstar.stats.gap_betting import gap_log_e, gap_sequence

Side: TypeAlias = Literal["above", "below"]
"""Direction of a significant gap."""
_STEP = 0.005
"""Spacing of the gaps that bets are kept against, the precision of the sequence."""


@dataclass(frozen=True, slots=True)
class Evidence(ABC):
    """Interface of all kinds of evidence; differences are first minus second."""

    question: WatchQuestion
    state: Any
    """State of the kernel."""

    @property
    def n(self) -> int:
        """Return the number of items."""
        return int(self.state.n)

    @property
    @abstractmethod
    def gap(self) -> float:
        """Return the mean difference so far; 0 before the first item."""

    @property
    @abstractmethod
    def sd(self) -> float:
        """Return the standard deviation of the differences, shrunk toward the planned one."""

    @property
    def lead(self) -> float:
        """Return a positive value if the evidence favors the first model, negative otherwise."""
        return self.gap

    def add(self, difference: float) -> Self:
        """Return the evidence after one more item."""
        return replace(self, state=self.state.update(difference))

    @abstractmethod
    def log_differs(self) -> float:
        """Log e-value against "the gap is 0"."""

    @abstractmethod
    def _log_e(self, null: float, side: Side) -> float:
        """Log e-value against a gap that is not on this side of ``null``."""

    def log_above(self, null: float) -> float:
        """Log e-value against "the gap is ``null`` or less"."""
        return self._log_e(null, "above")

    def log_below(self, null: float) -> float:
        """Log e-value against "the gap is ``null`` or more"."""
        return self._log_e(null, "below")

    @abstractmethod
    def sequence(self) -> Interval:
        """Return the current confidence sequence of the gap, at level 1 - alpha."""

    @abstractmethod
    def seen(self) -> tuple[float, ...]:
        """Return the numbers from which ``evidence_path.moments`` rebuilds this moment."""

    def to_dict(self) -> dict[str, Any]:
        """Return numbers for JSON."""
        saved: dict[str, Any] = self.state.to_dict()
        return saved


@dataclass(frozen=True, slots=True)
class _CountEvidence(Evidence):
    """Evidence for 0/1 scores: wins and losses, McNemar's e-process."""

    state: EProcess
    kernel: ClassVar[type[EProcess]] = EProcess

    @property
    def gap(self) -> float:
        return (self.state.n10 - self.state.n01) / max(self.n, 1)

    @property
    def sd(self) -> float:
        psi = (self.state.n10 + self.state.n01 + 1) / (self.n + 2)
        return float(np.sqrt(max(psi - self.gap**2, 0.0)))

    def log_differs(self) -> float:
        return self.state.log_e

    def _log_e(self, null: float, side: Side) -> float:
        if not self.n:
            return 0.0
        s = self.state
        return float(gap_log_e(s.n10, s.n01, s.n, null=null, a=s.a, tail=side))

    def sequence(self) -> Interval:
        if not self.n:
            return Interval(-1.0, 1.0)
        s = self.state
        low, high = gap_sequence(s.n10, s.n01, s.n, conf=1 - self.question.alpha, a=s.a)
        return Interval(float(low), float(high))

    def seen(self) -> tuple[float, ...]:
        return float(self.state.n10), float(self.state.n01)


@dataclass(frozen=True, slots=True)
class _MeanEvidence(Evidence):
    """Evidence for graded scores without bounds, which is asymptotic from item 30 on."""

    state: RunningMean
    kernel: ClassVar[type[RunningMean]] = RunningMean

    @property
    def gap(self) -> float:
        return self.state.mean

    @property
    def sd(self) -> float:
        return self.state.sd

    def _log_e(self, null: float, side: Tail) -> float:
        s, q = self.state, self.question
        if not s.n:
            return 0.0
        log_e = asymptotic_log_e(
            s.mean, s.sd, s.n, tuned_at=q.items, null=null, alpha=q.alpha, tail=side
        )
        return float(log_e)

    def log_differs(self) -> float:
        return self._log_e(0.0, "both")

    def sequence(self) -> Interval:
        q = self.question
        low, high = self.state.sequence(tuned_at=q.items, conf=1 - q.alpha)
        return Interval(float(low), float(high))

    def seen(self) -> tuple[float, ...]:
        return self.gap, self.sd


@dataclass(frozen=True, slots=True)
class BoundedEvidence(Evidence):
    """Evidence for graded scores in [0, 1]: bets that are valid for any distribution."""

    state: Bets
    kernel: ClassVar[type[Bets]] = Bets

    @property
    def gap(self) -> float:
        return 2 * self.state.total / self.n - 1 if self.n else 0.0

    @property
    def sd(self) -> float:
        return 2 * float(np.sqrt((0.25 + self.state.squares) / (self.n + 1)))

    @property
    def lead(self) -> float:
        return self.log_above(0.0) - self.log_below(0.0)

    def _at(self, null: float) -> int:
        return int(np.searchsorted(self.state.nulls, null - 1e-12))

    def log_differs(self) -> float:
        return self.state.log_e[self._at(0.0)]

    def _log_e(self, null: float, side: Side) -> float:
        logs = self.state.log_above if side == "above" else self.state.log_below
        return logs[self._at(null)]

    def sequence(self) -> Interval:
        gaps = np.array([-1.0, *self.state.nulls, 1.0])
        log_e = np.array(self.state.log_e)
        indices = np.flatnonzero(
            log_e < max(self.question.log_e_value_threshold, log_e.min() + 1e-12)
        )
        return Interval(float(gaps[indices[0]]), float(gaps[indices[-1] + 2]))

    def seen(self) -> tuple[float, ...]:
        margin, (low, high) = self.question.margin or 0.0, map(float, self.sequence())
        return self.gap, low, high, self.log_above(-margin), self.log_below(margin)


_WAYS: dict[Method, Any] = {
    "e-process": _CountEvidence,
    "asymptotic": _MeanEvidence,
    "bets": BoundedEvidence,
}


def begin(question: WatchQuestion) -> Evidence:
    """Return the evidence before the first item."""
    state: Any = RunningMean()
    if question.method == "e-process":
        state = EProcess(a=question.mixture)
    elif question.method == "bets":
        margin = question.margin
        grid = np.round(np.arange(-1 + _STEP, 1 - _STEP / 2, _STEP), 6)
        margins = () if margin is None else (-margin, margin)
        other_gaps = [g for g in grid.tolist() if all(abs(g - m) > 1e-9 for m in margins)]
        state = Bets(nulls=tuple(sorted([*other_gaps, *margins])), alpha=question.alpha)
    evidence: Evidence = _WAYS[question.method](question, state)
    return evidence


def restored(question: WatchQuestion, saved: Mapping[str, Any]) -> Evidence:
    """Restore evidence from :meth:`Evidence.to_dict`; what was fixed at the start must agree."""
    evidence_class, fresh = _WAYS[question.method], begin(question).to_dict()
    check_like(fresh, saved)
    state = evidence_class.kernel.from_dict(saved)
    for name in ("a", "nulls", "alpha"):
        if name in fresh:
            was = saved[name]
            checks.require(was == fresh[name], f"saved {name}", "that of the question", was)
    evidence: Evidence = evidence_class(question, state)
    return evidence
