"""Result of a plan of votes: votes on a pair and the gap that they detect, on both Elo scales."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar import stats
from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import FloatOrInf
from nstar._verbs.plan.design import BoardGoal, pairs_of
from nstar._verbs.verdict import Criteria

VotesSolvedFor: TypeAlias = Literal["votes", "mde", "power"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteGap:
    """A gap between two models in votes, in all usual units."""

    net_win_rate: float
    """P(win) - P(loss); a proportion."""
    win_rate: float
    """Expected score, ties counting half: 1/2 + net_win_rate / 2."""
    decisive_rate: float
    """Win rate among decisive votes."""
    elo_score: FloatOrInf
    """Elo on the scale of expected scores, as arenas publish it; infinite if all votes are
    wins."""
    elo_decisive: FloatOrInf
    """Elo among decisive votes; infinite if all of those are wins."""

    @classmethod
    def of(cls, net_win_rate: float, ties: float) -> "VoteGap":
        """Return the gap of a net win rate, at a share of ties."""
        return cls(
            net_win_rate=net_win_rate,
            win_rate=0.5 + net_win_rate / 2,
            decisive_rate=0.5 + net_win_rate / (2 * (1 - ties)),
            elo_score=float(stats.elo_from_delta(net_win_rate, ties=ties)),
            elo_decisive=float(stats.elo_from_delta(net_win_rate, ties=ties, scale="decisive")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VotePlanScenario:
    """The plan at another share of ties."""

    tie_share: float
    """Share of votes that are ties."""
    is_headline: bool = False
    """Whether the headline reports this scenario."""
    n_star_score: int | None = None
    """Votes on a pair if the Elo is of expected scores; None without an Elo, or if the ties leave
    no room for it."""
    n_star_decisive: int | None = None
    """Votes on a pair if the Elo is of decisive votes; None without an Elo."""
    mde_score: FloatOrInf | None = None
    """Smallest gap that the votes detect, Elo of expected scores; None without votes, or if they
    detect none."""
    mde_decisive: FloatOrInf | None = None
    """The same gap, Elo among decisive votes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VotePilot:
    """Votes of a pilot, and the votes that a fit of all models needs."""

    n_votes: int
    """Number of votes in the pilot."""
    n_models: int
    """Number of rated models."""
    design_effect_of: tuple[str, ...]
    """Columns whose design effect the plan uses; empty if votes are independent."""
    n_star_fit: float | None
    """Total votes, in the pilot's mix of pairs, with which ratings detect the gap between typical
    adjacent models of the pilot; None without an Elo. The fit uses the votes of all pairs."""
    n_star_fit_low: float | None
    """The same for the pair that needs the fewest votes."""
    n_star_fit_high: float | None
    """The same for the pair that needs the most votes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class VotePlan(Result):
    """Votes needed to detect a gap between two models, or the gap that votes can detect."""

    solved_for: VotesSolvedFor
    """Quantity that the plan computes."""
    n_star: int | None
    """Votes needed on each pair, ties and design effect included; None without an Elo."""
    n_star_independent: int | None
    """Votes needed if all were independent: ``n_star`` without the design effect."""
    n_votes: int | None
    """Number of votes on each pair; None if the plan computes it."""
    elo: float | None
    """Planned gap, in Elo points."""
    elo_scale: stats.EloScale
    """Meaning of the Elo: expected scores (ties count half), or decisive votes."""
    delta: VoteGap | None
    """Planned gap in all units; None without one."""
    mde: VoteGap | None
    """Smallest gap that the votes detect; None without votes, or if they detect none."""
    power: float
    """Power for a pair: computed if the plan solves for it, else the target."""
    q: float | None
    """Resolution ratio n_votes / n_star, when both are known."""
    tie_share: float
    """Assumed share of ties."""
    design_effect: float
    """Factor on the votes needed, because prompts or judges repeat."""
    n_models: int
    """Number of models on the leaderboard."""
    goal: BoardGoal
    """Pairs that are tested simultaneously."""
    criteria: Criteria
    """Level over all pairs, power, and sides."""
    is_enumerated: bool
    """Whether the power of the test was enumerated; a formula replaces it for very many votes."""
    scenarios: tuple[VotePlanScenario, ...] = ()
    """The plan at other shares of ties."""
    pilot: VotePilot | None = None
    """Pilot from which ties, models, and design effect come; None if they are assumed."""

    @derived
    def n_pairs(self) -> int:
        """Return the number of pairs that are tested simultaneously."""
        return pairs_of(self.n_models, self.goal)

    @derived
    def n_votes_total(self) -> int:
        """Return the total votes on all these pairs, given or needed."""
        return self.n_pairs * (self.n_votes if self.n_votes is not None else self.n_star or 0)
