"""Data that the pages of any ranking on the site share, of scores or of votes."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from nstar._verbs.audit import Audit, RankTable
from nstar._verbs.battles import Battles
from nstar._verbs.battles.result import RatingTable
from nstar.report.documents import Document
from nstar.report.prose.audit.ranking import rank_set
from nstar.report.prose.numbers import name
from nstar.report.site._card import SHARE, SocialCard


@dataclass(frozen=True, eq=False, kw_only=True)
class SiteBoard(ABC):
    """A ranking with a folder of its own."""

    slug: str
    """Its folder below ``b/``."""
    given: str
    """What it is called; empty if it has no name."""
    base: str | None = None
    """Where the site will stand."""
    shared: bool = False
    """Whether there is a picture for those who share an address."""

    kind: ClassVar[Literal["audit", "votes"]]
    """What it was made from."""
    scored: ClassVar[str]
    """What its models are ranked by, in a word."""

    @property
    @abstractmethod
    def path(self) -> Path:
        """Where its result was read."""

    @property
    @abstractmethod
    def result(self) -> Audit | Battles:
        """What its pages are about."""

    @property
    @abstractmethod
    def words(self) -> Document:
        """Headline, notes, assumptions, paragraph, made anew from the result."""

    @property
    @abstractmethod
    def ranks(self) -> RankTable | RatingTable:
        """Models from best to worst."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The ranking as it is shown."""

    @property
    @abstractmethod
    def facts(self) -> str:
        """How many of what, in a line."""

    @property
    @abstractmethod
    def level(self) -> str:
        """Policy and level in a few words."""

    @property
    @abstractmethod
    def detectable_gap(self) -> str | None:
        """The gap that is detected, with its unit; None if it is not known."""

    @property
    @abstractmethod
    def score_head(self) -> str:
        """Head of a column of scores."""

    @abstractmethod
    def score(self, i: int) -> str:
        """What a model is ranked by, as a cell."""

    @abstractmethod
    def flags(self, i: int) -> list[str]:
        """What stands beside the name of a model, in a few words each."""

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """What only such a ranking tells in ``index.json``."""

    @property
    def notes(self) -> Sequence[str]:
        """What else the reader should know."""
        return self.words.notes

    @property
    def finding(self) -> str:
        """First sentence of the headline."""
        return self.words.spoken()[0]

    @property
    def neighbors(self) -> int:
        """Adjacent pairs."""
        return len(self.result.adjacent)

    @property
    def resolved(self) -> int:
        """Adjacent pairs that are resolved."""
        return int(self.result.adjacent.is_resolved.sum())

    @property
    def tiers(self) -> int:
        """Tiers."""
        return int(self.ranks.tier[-1])

    @property
    def tier_words(self) -> str:
        """How many tiers there are, in words."""
        return "1 tier" if self.tiers == 1 else f"{self.tiers:,} tiers"

    def name(self, i: int, limit: int = 60) -> str:
        """A model as it is shown."""
        return name(self.ranks.model[i], limit=limit)

    def rank_set(self, i: int) -> str:
        """The ranks that are left open to a model."""
        return rank_set(self.ranks, i)

    def starts_tier(self, i: int) -> bool:
        """Whether a line stands above a model."""
        return i > 0 and bool(self.ranks.tier[i] != self.ranks.tier[i - 1])

    def card(self, title: str, description: str, place: str = "index.html") -> SocialCard:
        """What other programs show of one of its pages."""
        home = f"b/{self.slug}"
        return SocialCard(
            title=title,
            about=description,
            place=f"{home}/{place}",
            image=f"{home}/{SHARE}" if self.shared else None,
            alt=self.finding,
            base=self.base,
        )
