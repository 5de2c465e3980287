"""Data that the pages of ratings from votes share."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nstar._verbs.battles import Battles
from nstar._verbs.battles.rate import NEWCOMER
from nstar._verbs.battles.result import RatingTable
from nstar.report.charts._votes_board import format_rating
from nstar.report.documents import Document
from nstar.report.page._markup import closing
from nstar.report.page.battles import rules, sections, top
from nstar.report.prose.battles.headline import elo
from nstar.report.prose.numbers import name
from nstar.report.site._board import SiteBoard
from nstar.report.site._frame import HOME, frame, trail
from nstar.report.site._pages import share_folds
from nstar.report.site._votes import VotesFile


@dataclass(frozen=True, eq=False, kw_only=True)
class VoteBoard(SiteBoard):
    """Models rated by votes."""

    source: VotesFile
    """Its file, as it was read."""

    kind = "votes"
    score_head = "rating"

    @property
    def path(self) -> Path:
        """Its file."""
        return self.source.path

    @property
    def result(self) -> Battles:
        """What its page is about."""
        return self.source.result

    @property
    def words(self) -> Document:
        """Headline, notes, assumptions, paragraph."""
        return self.source.words

    @property
    def ranks(self) -> RatingTable:
        """Rated models from best to worst."""
        return self.result.ratings

    @property
    def title(self) -> str:
        """The ratings as they are shown."""
        return name(self.label) or "Ratings from votes"

    @property
    def level(self) -> str:
        """Policy and level in a few words."""
        return rules(self.result)

    @property
    def detectable_gap(self) -> str | None:
        """The gap that such votes detect, in Elo."""
        resolvable = self.result.resolvable_gap
        return None if resolvable is None else elo(resolvable.median)

    @property
    def notes(self) -> tuple[str, ...]:
        """All of them: the page has room."""
        return (*self.words.notes, *self.words.detail)

    def score(self, i: int) -> str:
        """Rating of a model as a cell."""
        return format_rating(float(self.ranks.rating[i]))

    def flags(self, i: int) -> list[str]:
        """That a model has hardly any votes."""
        votes = int(self.ranks.n_votes[i])
        votes_text = "1 vote" if votes == 1 else f"{votes:,} votes"
        return [f"rated from {votes_text}"] if votes < NEWCOMER else []

    def about(self) -> dict[str, Any]:
        """What only ratings tell in ``index.json``."""
        result = self.result
        return {
            "cluster": list(result.cluster),
            "models": result.n_models,
            "rated": len(result),
            "votes": result.n_votes,
            "n_could_be_best": result.n_could_be_best,
        }


_FILES = (
    '<ul class="prose">\n<li><a href="battles.json">battles.json</a>: ratings, rank ranges, '
    "adjacent models, groups of votes, and everything else shown here</li>\n</ul>"
)


def vote_page(board: VoteBoard, history: str = "") -> bytes:
    """``index.html`` of ratings: the page of the ratings, and how to share them."""
    body = [
        '<a class="skip" href="#ranking">Skip to the ranking</a>',
        trail((HOME.format("../../"), "All boards")),
        top(board.result, board.words, board.title),
        "<main>",
        *filter(None, (*sections(board.result, board.words), history)),
        *closing(replace(board.words, notes=board.notes), *share_folds(board, _FILES)),
        "</main>",
    ]
    return frame(
        title=f"{board.words.title} · {board.title}",
        body="\n".join(body),
        up="../../",
        page="votes",
        card=board.card(f"{board.title}: {board.finding}", board.words.headline),
    )
