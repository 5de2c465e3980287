"""What a ladder draws, whatever its numbers are: scores of an audit, or ratings from votes."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nstar._base.types import Array, IntArray
from nstar.report.documents import TextTable
from nstar.report.prose.gap import coverage

TIERS = "Shaded bands are tiers: every model in a band beats every model below it."
"""Holds of one band too: other rules may leave only one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardRows:
    """Models from best to worst, one row each."""

    name: tuple[str, ...]
    """Model."""
    score: Array
    """What stands on the axis, in its units."""
    low: Array
    """Lower end of its interval; NaN if there is none."""
    high: Array
    """Upper end."""
    rank: IntArray
    """Place, 1 is best."""
    rank_low: IntArray
    """Best rank that is left open."""
    rank_high: IntArray
    """Worst rank that is left open."""
    tier: IntArray
    """Tier, 1 is best."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LadderBoard(ABC):
    """Rows, and what is said around them."""

    rows: BoardRows
    """Models in order."""
    asked: int | None
    """Row of the model that was asked about."""
    conf: float
    """Coverage of rank sets, and of each interval alone."""
    benchmark: str
    """Name of the benchmark; empty if it has none."""
    amount: str
    """Items, tasks or votes, with their number."""

    @property
    def models(self) -> int:
        """Models."""
        return len(self.rows.name)

    @property
    def sets(self) -> str:
        """What a rank set is."""
        return f"{coverage(self.conf)} rank ranges hold simultaneously"

    def tiers(self) -> Iterator[tuple[int, int]]:
        """First and last row of each tier."""
        tier = self.rows.tier
        starts = [i for i in range(self.models) if i == 0 or tier[i] != tier[i - 1]]
        yield from zip(starts, [*(s - 1 for s in starts[1:]), self.models - 1], strict=True)

    @property
    @abstractmethod
    def axis(self) -> str:
        """What stands on the axis, with its unit."""

    @property
    @abstractmethod
    def caveat(self) -> str:
        """What the intervals are not, beside the axis."""

    @property
    @abstractmethod
    def left_open(self) -> str:
        """What the possible ranks are."""

    @property
    @abstractmethod
    def states(self) -> tuple[str, ...]:
        """Verdict of each pair of adjacent models."""

    @property
    def n_inconclusive(self) -> int:
        """Pairs of adjacent models whose gap is inconclusive."""
        return self.states.count("inconclusive")

    @property
    def origin(self) -> str:
        """What the numbers are relative to, as a clause; empty for scores."""
        return ""

    @property
    def less(self) -> bool:
        """Less is better."""
        return False

    @abstractmethod
    def label(self, i: int) -> str:
        """A score as a label."""

    @abstractmethod
    def finding(self) -> str:
        """What the picture shows, as its title."""

    @abstractmethod
    def about(self) -> str:
        """What is left open, below the title."""

    @abstractmethod
    def shown(self) -> str:
        """What is drawn and what there is to see, for those who do not see it."""

    def caption(self) -> str:
        """What is drawn, and how to read it."""
        quantity = self.axis.partition(" ")[0].lower()
        where = f"{self.benchmark}: " if self.benchmark else ""
        return (
            f"{where}{self.models:,} models, {self.amount}. Each row has the {quantity} of a "
            f"model and its {coverage(self.conf)} rank range. Rank ranges hold simultaneously "
            f"for all models. {TIERS}"
        )

    @abstractmethod
    def facts(self) -> tuple[str, ...]:
        """Who leads, and which gaps are significant and detected, in short sentences."""

    @abstractmethod
    def marked(self) -> list[int]:
        """Rows with a † behind the name."""

    @abstractmethod
    def remarks(self) -> Iterable[str]:
        """What the mark means, and what else is to be said below."""

    @abstractmethod
    def table(self) -> TextTable:
        """The numbers drawn."""
