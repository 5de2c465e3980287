"""Where a watch stands, beside its evidence: the word, the peaks, what was left out and spent."""

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
"""Rounding that a log e-value may have."""


@dataclass(slots=True, kw_only=True)
class WatchState:
    """What changes from item to item.

    Examples
    --------
    >>> state = WatchState()
    >>> state.spend(0.25)
    >>> WatchState.from_dict(state.to_dict()) == state, state.mean_cost
    (True, 0.25)
    """

    word: WatchWord | None = None
    """What was shown, if anything."""
    decided_at: int | None = None
    """Items after which it was."""
    decided_in: Interval | None = None
    """Confidence sequence at that moment."""
    chance: float | None = None
    """Probability of a decision by the end when it was last looked at."""
    chance_as_seen: float | None = None
    """The same, if the true gap was the one seen then."""
    chance_if_none: float | None = None
    """The same if there is no true gap; without a margin, the most it can be."""
    top: float = 0.0
    """Largest log e-value against "the gap is 0"."""
    top_margin: float = 0.0
    """Largest log e-value for the margin."""
    unscored: int = 0
    """Items that one model has no score for."""
    cost: float = 0.0
    """Money spent on items whose cost is known."""
    priced: int = 0
    """Those items."""
    low: float = 0.0
    """0, or the lowest score if that is lower."""
    high: float = 1.0
    """1, or the highest score if that is higher."""

    def spend(self, cost: float) -> None:
        """Note what an item cost."""
        self.cost += cost
        self.priced += 1

    def foresee(self, outlook: WatchOutlook) -> None:
        """Keep what can be expected of the rest of the run."""
        self.chance, self.chance_as_seen, self.chance_if_none = outlook

    @property
    def mean_cost(self) -> float | None:
        """Money per item; None if no cost is known."""
        return self.cost / self.priced if self.priced else None

    def decide(self, word: WatchWord, n: int, sequence: Interval) -> None:
        """Keep a word and the moment it was found."""
        self.word, self.decided_at, self.decided_in = word, n, sequence

    def narrowed(self, now: Interval) -> Interval:
        """Gaps that neither this sequence nor the deciding one excludes."""
        if self.decided_in is None:
            return now
        low, high = max(now.low, self.decided_in.low), min(now.high, self.decided_in.high)
        return Interval(low, high) if low <= high else self.decided_in

    def check(self, question: WatchQuestion, n: int, log_e: float) -> None:
        """Raise if no watch of this question can stand so after ``n`` items with this log E."""
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
            refuse("word", "one that the evidence has shown", self.word)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        bounds = None if self.decided_in is None else list(map(float, self.decided_in))
        return asdict(self) | {"decided_in": bounds}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """As :meth:`to_dict` gave it."""
        names = {f.name for f in fields(cls)}
        if set(saved) != names:
            msg = f"saved standing must contain {', '.join(sorted(names))}; got {', '.join(saved)}"
            raise ParameterError(msg)
        bounds = saved["decided_in"]
        return cls(**{**saved, "decided_in": None if bounds is None else Interval(*bounds)})
