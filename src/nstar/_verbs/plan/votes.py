"""``plan_votes``: find votes, detectable gap, or power.

The test of a pair is McNemar's test of wins against losses. A tie corresponds to an item on which
both models agree. The level is divided by the number of pairs on a leaderboard (Bonferroni). Pairs
share no votes, so their tests are independent, and Tukey's critical value for gaps that share a
model would be too small.
"""

from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar._verbs.plan.design import BoardGoal, pairs_of, ratio
from nstar._verbs.plan.votes_result import VoteGap, VotePlan, VotePlanScenario
from nstar._verbs.verdict import Criteria
from nstar.errors import InfeasibleError, ParameterError, arg
from nstar.stats._roots import bracketed
from nstar.stats.exact import exact_n_steady

TIES_GRID = (0.0, 0.2, 0.4, 0.6)
"""Shares of ties shown next to the assumed one, because one number hides the assumption."""

_ENUMERATED = 20_000
"""Votes up to which power is enumerated; beyond, the formula is accurate to a tenth of a point."""
_MIN_VOTES = 2
"""Smallest number of votes of a plan."""
_GAP_TOLERANCE = 1e-10
"""Precision of the smallest gap, a proportion."""
_MIN_ELO_GAP, _MAX_DESIGN_EFFECT = 1e-4, 1e6
"""Gaps planned for, in Elo, and design effects: below and above, votes lose their meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PairTest:
    """Test of one pair, with a design effect of votes."""

    test: stats.McNemarTest
    design_effect: float

    def independent(self, delta: float, ties: float) -> int:
        """Return the independent votes needed to detect a net win rate with the target power."""
        psi, t = 1 - ties, self.test
        n_approx = float(t.n_star(delta, psi=psi))
        if n_approx > _ENUMERATED:
            return int(np.ceil(n_approx))
        steady = exact_n_steady(
            delta, psi=psi, method="default", alpha=t.alpha, power=t.power, sides=t.sides
        )
        return max(steady, _MIN_VOTES)

    def votes(self, independent: int) -> int:
        """Return the votes with this effective number."""
        return int(np.ceil(independent * self.design_effect - 1e-9))

    def worth(self, votes: int) -> int:
        """Return the effective number of independent votes."""
        return int(votes / self.design_effect + 1e-9)

    def power(self, delta: FloatLike, ties: FloatLike, votes: int) -> Array:
        """Return the probability that votes detect a net win rate."""
        n, t, psi = self.worth(votes), self.test, np.subtract(1.0, ties)
        if n < 1:
            return np.zeros(np.broadcast_shapes(np.shape(delta), np.shape(psi)))
        if n > _ENUMERATED:
            return t.power_at(delta, psi=psi, n=n)
        return stats.exact_power(
            delta, psi=psi, n=n, method="default", alpha=t.alpha, sides=t.sides
        )

    def smallest(self, ties: Array, votes: int) -> list[VoteGap | None]:
        """Return the smallest gap that votes detect, at each share of ties."""
        decisive, target_power = 1 - ties, self.test.power
        if self.worth(votes) > _ENUMERATED:
            gaps = self.test.mde(self.worth(votes), psi=decisive)
        else:
            gaps = bracketed(
                lambda d: self.power(d, ties, votes) - target_power,
                0.0 * decisive,
                decisive,
                tol=_GAP_TOLERANCE,
            )
            gaps = np.where(self.power(0.0, ties, votes) >= target_power, 0.0, gaps)
        reached = self.power(decisive, ties, votes) >= target_power
        each = zip(gaps.tolist(), ties.tolist(), reached.tolist(), strict=True)
        return [VoteGap.of(d, t) if is_reached else None for d, t, is_reached in each]


def _needs(pair: _PairTest, elo: float, ties: float, scale: stats.EloScale) -> int | None:
    """Return the votes that an Elo gap needs; None if the ties do not allow the gap."""
    try:
        delta = float(stats.delta_from_elo(elo, ties=ties, scale=scale))
    except InfeasibleError:
        return None
    return pair.votes(pair.independent(delta, ties))


def _row(
    pair: _PairTest, ties: float, elo: float | None, detectable: VoteGap | None
) -> VotePlanScenario:
    """Return the votes that an Elo gap needs on each scale, and the detectable gap.

    Both are for one share of ties.
    """
    return VotePlanScenario(
        tie_share=ties,
        n_star_score=None if elo is None else _needs(pair, elo, ties, "score"),
        n_star_decisive=None if elo is None else _needs(pair, elo, ties, "decisive"),
        mde_score=None if detectable is None else detectable.elo_score,
        mde_decisive=None if detectable is None else detectable.elo_decisive,
    )


def _check(elo: float | None, votes: int | None, ties: float, design_effect: float) -> None:
    if elo is None and votes is None:
        msg = f"Set {arg('elo')} (to get votes), {arg('votes')} (to get the gap), or both (power)."
        raise ParameterError(msg)
    if elo is not None:
        allowed = f"a gap of at least {_MIN_ELO_GAP:g} Elo points, without a sign"
        checks.within("elo", elo, (_MIN_ELO_GAP, np.inf), allowed, ends=(True, False))
    if votes is not None:
        checks.counts(votes=votes)
        checks.require(votes >= _MIN_VOTES, "votes", f"at least {_MIN_VOTES}", votes)
    allowed = (
        "a proportion of at least 0 and less than 1, because ties do not show which model is "
        "better"
    )
    checks.within("ties", ties, (0, 1), allowed, ends=(True, False))
    checks.within(
        "design_effect", design_effect, (1, _MAX_DESIGN_EFFECT), "1 (independent votes) or more"
    )


def plan_votes(
    *,
    ties: float,
    elo: float | None = None,
    votes: int | None = None,
    elo_scale: stats.EloScale = "score",
    design_effect: float = 1.0,
    models: int = 2,
    goal: BoardGoal = "all-pairs",
    criteria: Criteria | None = None,
) -> VotePlan:
    """Compute whichever of votes, detectable gap, and power is not given.

    The plan is for McNemar's mid-p test of wins against losses (exact if more than 80% of the
    votes are decisive), with power computed by enumeration. The power stays at or
    above the target from ``n_star`` on.

    Parameters
    ----------
    ties : float
        Share of votes that are ties, in [0, 1).
    elo : float, optional
        Gap to detect, in points > 0.
    votes : int, optional
        Votes on each pair.
    elo_scale : {"score", "decisive"}, default "score"
        ``"score"``: Elo of expected scores, ties counting half, as arenas publish it;
        ``"decisive"``: Elo of the win rate among votes that are not ties.
    design_effect : float, default 1.0
        Factor by which more votes are needed because prompts or judges repeat, at least 1.
    models : int
        Number of models on the leaderboard.
    goal : {"all-pairs", "adjacent", "control", "best"}
        Pairs that are compared simultaneously.
    criteria : Criteria, optional
        Level over all pairs, power and sides; ``Criteria()`` when None.

    Examples
    --------
    >>> plan_votes(elo=20, ties=0.4).n_star
    1422
    >>> plan_votes(elo=20, ties=0.4, elo_scale="decisive").n_star
    3954
    >>> round(plan_votes(votes=1000, ties=0.4).mde.elo_score, 1)
    23.9
    """
    rule = criteria or Criteria()
    _check(elo, votes, ties, design_effect)
    checks.choice("elo_scale", elo_scale, ("score", "decisive"))
    checks.choice("goal", goal, ("all-pairs", "adjacent"))
    checks.require(models >= 2, "models", "at least 2", models)
    alpha = rule.alpha / pairs_of(models, goal)
    test = stats.McNemarTest(alpha=alpha, power=rule.power, sides=rule.sides)
    pair = _PairTest(test=test, design_effect=design_effect)
    gap = independent = n_star = None
    power = rule.power
    if elo is not None:
        gap = VoteGap.of(float(stats.delta_from_elo(elo, ties=ties, scale=elo_scale)), ties)
        independent = pair.independent(gap.net_win_rate, ties)
        n_star = pair.votes(independent)
        if votes is not None:
            power = float(pair.power(gap.net_win_rate, ties, votes))
    shares = sorted({*TIES_GRID, ties})
    gaps: list[VoteGap | None] = [None] * len(shares)
    if votes is not None:
        gaps = pair.smallest(np.asarray(shares), votes)
    size = pair.worth(votes) if votes is not None else independent or 0
    return VotePlan(
        solved_for="mde" if elo is None else ("votes" if votes is None else "power"),
        n_star=n_star,
        n_star_independent=independent,
        n_votes=None if votes is None else int(votes),
        elo=elo,
        elo_scale=elo_scale,
        delta=gap,
        mde=gaps[shares.index(ties)],
        power=power,
        q=ratio(votes, n_star),
        tie_share=ties,
        design_effect=design_effect,
        n_models=models,
        goal=goal,
        criteria=rule,
        is_enumerated=size <= _ENUMERATED,
        scenarios=tuple(
            replace(_row(pair, t, elo, detectable), is_headline=t == ties)
            for t, detectable in zip(shares, gaps, strict=True)
        ),
    )
