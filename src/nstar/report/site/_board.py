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
    """Ranking with its own folder on a site."""

    slug: str
    """Name of the folder below ``b/``."""
    label: str
    """Name of the benchmark or arena; empty if it has none."""
    base: str | None = None
    """Address of the site, if it is known."""
    shared: bool = False
    """Whether the site has share images."""

    kind: ClassVar[Literal["audit", "votes"]]
    """Kind of the result."""

    @property
    @abstractmethod
    def path(self) -> Path:
        """Path of the result."""

    @property
    @abstractmethod
    def result(self) -> Audit | Battles:
        """Result that the pages show."""

    @property
    @abstractmethod
    def words(self) -> Document:
        """Report of the result."""

    @property
    @abstractmethod
    def ranks(self) -> RankTable | RatingTable:
        """Models from best to worst."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Name of the ranking on its pages."""

    @property
    @abstractmethod
    def level(self) -> str:
        """Adjustment and significance level."""

    @property
    @abstractmethod
    def detectable_gap(self) -> str | None:
        """Detectable gap with its unit; None if it is unknown."""

    @property
    @abstractmethod
    def score_head(self) -> str:
        """Header of the column of scores."""

    @abstractmethod
    def score(self, i: int) -> str:
        """Return the score of a model as a cell."""

    @abstractmethod
    def flags(self, i: int) -> list[str]:
        """Return the warnings beside the name of a model."""

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """Return the fields of ``index.json`` that only this kind of ranking has."""

    @property
    def notes(self) -> Sequence[str]:
        """Notes of the report."""
        return self.words.notes

    @property
    def finding(self) -> str:
        """First sentence of the headline."""
        return self.words.spoken()[0]

    @property
    def neighbors(self) -> int:
        """Number of adjacent pairs."""
        return len(self.result.adjacent)

    @property
    def resolved(self) -> int:
        """Number of resolved adjacent pairs."""
        return int(self.result.adjacent.is_resolved.sum())

    @property
    def tiers(self) -> int:
        """Number of tiers."""
        return int(self.ranks.tier[-1])

    @property
    def tier_words(self) -> str:
        """Number of tiers as text."""
        return "1 tier" if self.tiers == 1 else f"{self.tiers:,} tiers"

    def name(self, i: int, limit: int = 60) -> str:
        """Return the name of a model on pages."""
        return name(self.ranks.model[i], limit=limit)

    def rank_set(self, i: int) -> str:
        """Return the rank range of a model."""
        return rank_set(self.ranks, i)

    def starts_tier(self, i: int) -> bool:
        """Return whether a model is the first of a tier."""
        return i > 0 and bool(self.ranks.tier[i] != self.ranks.tier[i - 1])

    def card(self, title: str, description: str, place: str = "index.html") -> SocialCard:
        """Return the preview of a page in other programs."""
        home = f"b/{self.slug}"
        return SocialCard(
            title=title,
            about=description,
            place=f"{home}/{place}",
            image=f"{home}/{SHARE}" if self.shared else None,
            alt=self.finding,
            base=self.base,
        )
