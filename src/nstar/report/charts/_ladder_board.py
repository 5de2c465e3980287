"""Data of a ladder: scores of an audit, or ratings from votes."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nstar._base.types import Array, IntArray
from nstar.report.documents import TextTable
from nstar.report.prose.gap import coverage

TIERS = "Shaded bands are tiers: every model in a band beats every model below it."
"""Explanation of tiers. It also holds if there is only one band."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardRows:
    """Models from best to worst, one row each."""

    name: tuple[str, ...]
    """Name of the model."""
    score: Array
    """Score in the units of the axis."""
    low: Array
    """Lower limit of the score's interval; NaN if there is none."""
    high: Array
    """Upper limit of the score's interval."""
    rank: IntArray
    """Rank; 1 is best."""
    rank_low: IntArray
    """Best rank of the rank range."""
    rank_high: IntArray
    """Worst rank of the rank range."""
    tier: IntArray
    """Tier; 1 is best."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LadderBoard(ABC):
    """Rows of a ladder, with titles and notes."""

    rows: BoardRows
    """Models in order."""
    highlight: int | None
    """Row of the model to highlight."""
    conf: float
    """Confidence level of the simultaneous rank ranges, and of each interval."""
    benchmark: str
    """Name of the benchmark; empty if it has none."""
    amount: str
    """Number of items, tasks, or votes, with its unit."""

    @property
    def models(self) -> int:
        """Return the number of models."""
        return len(self.rows.name)

    def tiers(self) -> Iterator[tuple[int, int]]:
        """Yield the first and last row of each tier."""
        tier = self.rows.tier
        starts = [i for i in range(self.models) if i == 0 or tier[i] != tier[i - 1]]
        yield from zip(starts, [*(s - 1 for s in starts[1:]), self.models - 1], strict=True)

    @property
    @abstractmethod
    def axis(self) -> str:
        """Return the name of the axis, with its unit."""

    @property
    @abstractmethod
    def caveat(self) -> str:
        """Return the caveat about the intervals, which stands next to the axis."""

    @property
    @abstractmethod
    def left_open(self) -> str:
        """Return the explanation of the ranks that the data leave possible."""

    @property
    def score_title(self) -> str:
        """Return the heading of the scores."""
        less = "; lower is better" if self.less else ""
        return f"{self.axis}, with {coverage(self.conf)} CI{less}"

    @property
    def rank_title(self) -> str:
        """Return the heading of the rank ranges."""
        return f"{coverage(self.conf)} rank range (simultaneous)"

    @property
    def rank_note(self) -> str:
        """Return the line below that heading."""
        return f"{self.left_open} {TIERS}"

    @property
    @abstractmethod
    def states(self) -> tuple[str, ...]:
        """Return the verdict of each pair of adjacent models."""

    @property
    def n_inconclusive(self) -> int:
        """Return the number of inconclusive adjacent pairs."""
        return self.states.count("inconclusive")

    @property
    def origin(self) -> str:
        """Return a clause that says what the numbers are relative to; empty for scores."""
        return ""

    @property
    def less(self) -> bool:
        """Return whether lower is better."""
        return False

    @abstractmethod
    def label(self, i: int) -> str:
        """Return the label of a score."""

    @abstractmethod
    def finding(self) -> str:
        """Return the title of the figure, which states its main finding."""

    @abstractmethod
    def about(self) -> str:
        """Return the line below the title."""

    @abstractmethod
    def shown(self) -> str:
        """Return a description for readers who do not see the figure."""

    def caption(self) -> str:
        """Return the caption, which says what the figure shows and how to read it."""
        quantity = self.axis.partition(" ")[0].lower()
        where = f"{self.benchmark}: " if self.benchmark else ""
        return (
            f"{where}{self.models:,} models, {self.amount}. Each row has the {quantity} of a "
            f"model and its {coverage(self.conf)} rank range. Rank ranges hold simultaneously "
            f"for all models. {TIERS}"
        )

    @abstractmethod
    def facts(self) -> tuple[str, ...]:
        """Return short sentences about the leader and about significant and detectable gaps."""

    @abstractmethod
    def marked(self) -> list[int]:
        """Return the rows that have a † after the name."""

    @abstractmethod
    def remarks(self) -> Iterable[str]:
        """Return the explanation of the †, and other remarks below the figure."""

    @abstractmethod
    def table(self) -> TextTable:
        """Return the numbers in the figure."""
