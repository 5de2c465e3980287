"""The solution of a plan of votes: votes on a pair, the gap they show, on both scales of Elo."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar import stats
from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import FloatOrInf
from nstar._verbs.plan.design import BoardGoal, pairs_of
from nstar._verbs.verdict import Criteria

BattlesSolvedFor: TypeAlias = Literal["votes", "mde", "power"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteGap:
    """How far apart two models are in votes, in every unit that people use."""

    delta: float
    """Net win rate, P(win) - P(loss); a proportion."""
    win_rate: float
    """Expected score, ties counting half: 1/2 + delta / 2."""
    decisive_rate: float
    """Win rate among decisive votes."""
    elo_score: FloatOrInf
    """Elo on the scale of expected scores, as arenas publish it; infinite if all votes are
    wins."""
    elo_decisive: FloatOrInf
    """Elo among decisive votes; infinite if all of those are wins."""

    @classmethod
    def of(cls, delta: float, ties: float) -> "VoteGap":
        """The gap that a net win rate is, at a share of ties."""
        return cls(
            delta=delta,
            win_rate=0.5 + delta / 2,
            decisive_rate=0.5 + delta / (2 * (1 - ties)),
            elo_score=float(stats.elo_from_delta(delta, ties=ties)),
            elo_decisive=float(stats.elo_from_delta(delta, ties=ties, scale="decisive")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BattlesRow:
    """The plan at another share of ties."""

    ties: float
    """Share of votes that are ties."""
    chosen: bool = False
    """Whether the headline speaks of it."""
    votes_score: int | None = None
    """Votes on a pair if the Elo is one of expected scores; None without an Elo, or if so many
    ties leave no room for it."""
    votes_decisive: int | None = None
    """Votes on a pair if the Elo is one of decisive votes; None without an Elo."""
    elo_score: FloatOrInf | None = None
    """Smallest gap that the votes given show, Elo of expected scores; None without votes, or if
    they show none."""
    elo_decisive: FloatOrInf | None = None
    """The same gap, Elo among decisive votes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BattlesPlan(Result):
    """Votes that tell two models apart, or what given votes can tell apart."""

    solved_for: BattlesSolvedFor
    """The quantity that was not given."""
    n_star: int | None
    """Votes needed on each pair, ties and design effect included; None without an Elo."""
    independent: int | None
    """Votes needed if all were independent: ``n_star`` without the design effect."""
    votes: int | None
    """Votes on each pair, given."""
    elo: float | None
    """Gap given, in points."""
    elo_scale: stats.EloScale
    """What that Elo is about: expected scores (ties count half), or decisive votes."""
    gap: VoteGap | None
    """The gap given, in every unit; None if none was."""
    smallest: VoteGap | None
    """Smallest gap that the votes given show; None without votes, or if they show none."""
    power: float
    """Probability of telling a pair apart: computed when it was solved for, else the one asked
    for."""
    q: float | None
    """Resolution ratio votes / n_star, when both are known."""
    ties: float
    """Share of votes that are ties, assumed."""
    design_effect: float
    """How many times the votes of independent ones are needed, because prompts or judges
    repeat."""
    models: int
    """Models on the board."""
    goal: BoardGoal
    """Pairs that are told apart at once."""
    criteria: Criteria
    """Level over all pairs, power, sides."""
    enumerated: bool
    """Whether the power of the test was enumerated; a formula stands in for very many votes."""
    rows: tuple[BattlesRow, ...] = ()
    """The same at other shares of ties."""

    @derived
    def pairs(self) -> int:
        """Pairs that are told apart at once."""
        return pairs_of(self.models, self.goal)

    @derived
    def total(self) -> int:
        """Votes on all those pairs, given or needed."""
        return self.pairs * (self.votes if self.votes is not None else self.n_star or 0)
