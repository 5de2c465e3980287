"""State of a watch other than its evidence: verdict, maxima, missing scores, and costs."""

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from nstar._base.types import Interval
from nstar._verbs.verdict import WatchWord
from nstar._verbs.watch.outlook import WatchOutlook
from nstar._verbs.watch.question import WatchQuestion
from nstar._verbs.watch.state_checks import check_count, number, refuse
from nstar.errors import ParameterError

_SLACK = 1e-9
"""Rounding error of a log e-value."""


@dataclass(slots=True, kw_only=True)
class WatchState:
    """Values that change from item to item.

    >>> state = WatchState()
    >>> state.spend(0.25)
    >>> WatchState.from_dict(state.to_dict()) == state, state.mean_cost
    (True, 0.25)
    """

    word: WatchWord | None = None
    """Verdict, if there is one."""
    decided_at: int | None = None
    """Number of items at the decision."""
    decided_in: Interval | None = None
    """Confidence sequence at the decision."""
    chance: float | None = None
    """Probability of a decision by the end, at the last forecast."""
    chance_as_seen: float | None = None
    """This probability if the true gap equals the observed gap."""
    chance_if_none: float | None = None
    """This probability if the true gap is 0; without a margin, an upper bound."""
    top: float = 0.0
    """Largest log e-value against "the gap is 0"."""
    top_margin: float = 0.0
    """Largest log e-value for the margin."""
    unscored: int = 0
    """Number of items without a score of one model."""
    cost: float = 0.0
    """Cost of the items with a known cost."""
    priced: int = 0
    """Number of these items."""
    low: float = 0.0
    """0, or the lowest score if that is lower."""
    high: float = 1.0
    """1, or the highest score if that is higher."""

    def spend(self, cost: float) -> None:
        """Add the cost of an item."""
        self.cost += cost
        self.priced += 1

    def foresee(self, outlook: WatchOutlook) -> None:
        """Store the forecast for the rest of the run."""
        self.chance, self.chance_as_seen, self.chance_if_none = outlook

    @property
    def mean_cost(self) -> float | None:
        """Return the mean cost per item; None if unknown."""
        return self.cost / self.priced if self.priced else None

    def decide(self, word: WatchWord, n: int, sequence: Interval) -> None:
        """Store a verdict and the time of the decision."""
        self.word, self.decided_at, self.decided_in = word, n, sequence

    def narrowed(self, now: Interval) -> Interval:
        """Return the gaps that neither this sequence nor the deciding one excludes."""
        if self.decided_in is None:
            return now
        low, high = max(now.low, self.decided_in.low), min(now.high, self.decided_in.high)
        return Interval(low, high) if low <= high else self.decided_in

    def check(self, question: WatchQuestion, n: int, log_e: float) -> None:
        """Raise an error if no watch of this question can have this state after ``n`` items."""
        number("top", self.top, max(log_e - _SLACK, 0.0))
        number("top_margin", self.top_margin, 0.0)
        number("cost", self.cost, 0.0)
        number("low", self.low, -sys.float_info.max, 0.0)
        number("high", self.high, 1.0)
        check_count("unscored", self.unscored)
        check_count("priced", self.priced, n + self.unscored)
        for name in ("chance", "chance_as_seen", "chance_if_none"):
            if getattr(self, name) is not None:
                number(name, getattr(self, name), 0.0, 1.0)
        if self.word is None and self.decided_at is None and self.decided_in is None:
            return
        if check_count("decided_at", self.decided_at, n) == 0 or self.decided_in is None:
            refuse("standing", "either decided or open", self.to_dict())
        for bound in self.decided_in:
            number("decided_in", bound, -sys.float_info.max)
        self._check_word(question)

    def _check_word(self, question: WatchQuestion) -> None:
        margin = "equivalent" if question.equivalence else "noninferior"
        tops = {"better": self.top, "worse": self.top}
        if question.margin is not None:
            tops[margin] = self.top_margin
        if tops.get(str(self.word), 0.0) < question.log_e_value_threshold - _SLACK:
            refuse("word", "a verdict that the evidence supports", self.word)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        bounds = None if self.decided_in is None else list(map(float, self.decided_in))
        return asdict(self) | {"decided_in": bounds}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Restore from :meth:`to_dict`."""
        names = {f.name for f in fields(cls)}
        if set(saved) != names:
            msg = f"saved standing must contain {', '.join(sorted(names))}; got {', '.join(saved)}"
            raise ParameterError(msg)
        bounds = saved["decided_in"]
        return cls(**{**saved, "decided_in": None if bounds is None else Interval(*bounds)})
