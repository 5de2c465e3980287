"""View of ratings from votes for a ladder."""

from collections.abc import Iterable
from dataclasses import dataclass

from nstar._verbs.battles import Battles
from nstar._verbs.battles.rate import NEWCOMER
from nstar._verbs.battles.result import MEAN
from nstar.errors import ParameterError, arg
from nstar.report.charts._ladder_board import BoardRows, LadderBoard
from nstar.report.charts._text import shorten
from nstar.report.documents import TextTable
from nstar.report.prose.battles.headline import (
    elo,
    elo_number,
    leader,
    rounded,
    sentences,
    too_many,
)
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import count, name, pvalue, votes

_ROUND = 1e5
"""Rating from which a label has no room for all digits."""


def format_rating(points: float) -> str:
    """Return a rating as a short text.

    Examples
    --------
    >>> format_rating(1167.6), format_rating(-0.2), format_rating(-1234567.0)
    ('1,168', '0', '−1.235e+06')
    """
    text = f"{points:.4g}" if abs(points) >= _ROUND else f"{round(points) + 0:,}"
    return text.replace("-", "−")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VotesBoard(LadderBoard):
    """Ratings, and the votes that they are estimated from."""

    result: Battles
    """Ratings and adjacent pairs."""

    axis = "Rating (Elo)"
    left_open = "Ranks that the votes support; blue: one rank only."

    @property
    def caveat(self) -> str:
        """Return the caveat that two intervals do not compare two models."""
        return (
            f"CI of the distance from {self._origin()}. Overlap does not mean that two models are "
            "equal."
        )

    @property
    def origin(self) -> str:
        """Return a clause that says what ratings are relative to."""
        return f", relative to {self._origin()}"

    def _origin(self) -> str:
        """Return the name of the zero point of the ratings."""
        if self.result.anchor is None:
            return f"the mean of all models, {MEAN:,.0f}"
        model, value = self.result.anchor
        return f"{name(model, limit=32)}, which is set to {format_rating(value)}"

    @property
    def states(self) -> tuple[str, ...]:
        """Return the verdict of each pair of adjacent models."""
        return tuple(self.result.adjacent.states)

    def label(self, i: int) -> str:
        """Return the label of a rating."""
        return format_rating(float(self.rows.score[i]))

    def finding(self) -> str:
        """Return which models could be best."""
        return sentences(self.result)[0].removesuffix(".")

    def about(self) -> str:
        """Return the rank of the highlighted model, and the inconclusive gaps."""
        where = None if self.highlight is None else self.rows.name[self.highlight]
        texts, first = sentences(self.result, where), sentences(self.result)[0]
        return " ".join(s for s in texts if s != first)

    def shown(self) -> str:
        """Return a description of the figure."""
        return (
            f"Ladder of {self.models:,} models in order of their rating from "
            f"{self.result.n_votes:,} votes, each with its rating, a CI, and its rank range. "
            f"{' '.join(sentences(self.result))}"
        )

    def facts(self) -> tuple[str, ...]:
        """Return the leader, and the sizes of gaps that are significant or detectable."""
        significant, detected = self.result.significant_gap, self.result.resolvable_gap
        lead = f"{leader(self.result)}."
        if significant is None or detected is None:
            return (lead,)
        above = elo(significant.median)
        return lead, f"Gaps above {above} are significant.", f"MDE: {elo(detected.median)}."

    def marked(self) -> list[int]:
        """Return the models that have few votes."""
        return [i for i, k in enumerate(self.result.ratings.n_votes.tolist()) if k < NEWCOMER]

    def remarks(self) -> Iterable[str]:
        """Yield remarks on models with few votes, and on models that are not drawn."""
        if self.marked():
            yield f"† Rated from fewer than {NEWCOMER} votes."
        lost = [shorten(u.model, 220) for u in self.result.unrated]
        if len(lost) == 1:
            yield f"Not drawn: {lost[0]}, which has no rating."
        elif lost:
            models_text = f"{lost[0]} and {len(lost) - 1:,} more"
            yield f"Not drawn: {models_text}, which have no rating."

    def table(self) -> TextTable:
        """Return the table of all models, with their votes and the gap to the next model."""
        r = self.result.ratings
        plain = r.uncontrolled_rating is not None
        return TextTable(
            title=f"Elo ratings from {self.result.n_votes:,} votes",
            header=(
                *("rank", "model", "Elo", *(["unadjusted"] if plain else [])),
                *(f"{coverage(self.conf)} CI", f"{coverage(self.conf)} rank range", "tier"),
                *("votes", "won", "tied", "lost", "gap to next", "adj. p", "verdict"),
                "more votes needed",
            ),
            rows=tuple(self._cells(i) for i in range(self.models)),
            marked=self.highlight,
            lines=tuple(first for first, _ in self.tiers() if first),
        )

    def _cells(self, i: int) -> tuple[str, ...]:
        r = self.result.ratings
        low, high = int(r.rank_low[i]), int(r.rank_high[i])
        return (
            f"{r.rank[i]:,}",
            name(r.model[i], limit=200),
            self.label(i),
            *(
                []
                if r.uncontrolled_rating is None
                else [format_rating(float(r.uncontrolled_rating[i]))]
            ),
            f"{format_rating(float(r.ci_low[i]))} to {format_rating(float(r.ci_high[i]))}",
            f"{low:,}" if low == high else f"{low:,}–{high:,}",
            *(f"{column[i]:,}" for column in (r.tier, r.n_votes, r.n_wins, r.n_ties, r.n_losses)),
            *self._next(i),
        )

    def _next(self, i: int) -> tuple[str, str, str, str]:
        """Return the gap to the next model, and the number of votes that would detect it."""
        gaps = self.result.adjacent
        if i >= len(gaps):
            return ("", "", "", "")
        word, votes = gaps.states[i], float(gaps.more_direct_votes[i])
        votes_text = "over 10×" if too_many(self.result, votes) else count(rounded(votes))
        return (
            elo_number(float(gaps.elo[i])),
            pvalue(float(gaps.pvalue_adjusted[i])),
            word,
            "–" if word == "significant" else votes_text,
        )


def votes_board(result: Battles, where: str | None = None) -> VotesBoard:
    """Return the view of the ratings; ``where`` names the model to highlight."""
    r = result.ratings
    if where is not None and where not in r.model:
        msg = f"{arg('where')} is {where!r:.60}, which is not a rated model."
        raise ParameterError(msg)
    return VotesBoard(
        rows=BoardRows(
            name=r.model,
            score=r.rating,
            low=r.ci_low,
            high=r.ci_high,
            rank=r.rank,
            rank_low=r.rank_low,
            rank_high=r.rank_high,
            tier=r.tier,
        ),
        highlight=None if where is None else r.model.index(where),
        conf=result.confidence_level,
        benchmark="",
        amount=votes(result.n_votes),
        result=result,
    )
