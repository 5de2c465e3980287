"""Plans of votes: is the gap found as often as promised, by the test and by battles?"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nstar import stats
from nstar._engine.work import Execution
from nstar._verbs.battles import BattlesQuestion, rate
from nstar._verbs.plan.votes import plan_votes
from nstar._verbs.simulate.stream import generator, key
from validation.boards import DRAWS
from validation.distributions import ALPHA, POWER
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)
from validation.tables import rejection_of, tables
from validation.vote_generator import NODES, VoteGenerator, outcomes
from validation.votes import GROUP, told_apart


def _tested(elo: float, ties: float, scale: stats.EloScale, models: int) -> list[CellRate]:
    """The test of one pair among so many models, all tables of wins, ties and losses weighed."""
    result = plan_votes(elo=elo, ties=ties, elo_scale=scale, models=models)
    votes, delta = (
        int(result.n_star or 0),
        0.0 if result.delta is None else result.delta.net_win_rate,
    )
    rate_ = rejection_of("mcnemar", tables(votes, 1 - ties, delta), ALPHA / result.n_pairs)
    setting: CellSetting = {
        "votes on a pair": votes,
        "Elo": elo,
        "scale": scale,
        "ties": f"{100 * ties:.0f}%",
        "models": models,
    }
    return [CellRate(procedure="plan", setting=setting, rate=rate_, promised=POWER)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairScenario:
    """Two models, and what a plan must be told of the votes on them."""

    gap: float
    """In log odds of decisive votes, over all prompts."""
    ties: float
    """Share of ties between equal models."""
    each: int = 0
    """Votes on a prompt, on average; 0: votes are independent."""

    @property
    def ballots(self) -> VoteGenerator:
        """Votes of this kind; a plan says how many."""
        strengths = np.array([self.gap, -self.gap]) / 2
        return VoteGenerator(strengths=strengths, ties=self.ties, prompts=int(self.each > 0))

    def rates(self) -> tuple[float, float, float]:
        """Net win rate, share of ties, and design effect of as many votes on each prompt."""
        at, weight = np.polynomial.hermite_e.hermegauss(NODES)
        b = self.ballots
        effects = (2 * len(b.cluster)) ** 0.5 * b.spread * at
        win, tie, loss = outcomes(self.gap + effects, self.ties)
        mean = partial(np.average, weights=weight)
        delta, tied = float(mean(win - loss)), float(mean(tie))
        between = float(mean(np.square(win - loss))) - delta**2
        return delta, tied, 1 + self.each * between / (1 - tied - delta**2)


def _by_battles(request: ValidationRequest, duel: PairScenario) -> list[CellRate]:
    """As many votes as planned, handed to battles."""
    delta, tied, effect = duel.rates()
    elo = float(stats.elo_from_delta(delta, ties=tied))
    votes = int(plan_votes(elo=elo, ties=tied, design_effect=effect).n_star or 0)
    prompts = -(-votes // duel.each) if duel.each else 0
    board = replace(duel.ballots, votes=votes, prompts=prompts)
    setting: CellSetting = {"votes": votes, "Elo": round(elo, 1), "ties": f"{100 * tied:.0f}%"}
    if prompts:
        setting = {**setting, "prompts": prompts, "design effect": round(effect, 2)}
    boards, n_significant = max(20, request.effort.boards // 4), 0
    for k in range(boards):
        ballots = board.drawn(generator(request.seed, key({"duel": setting}), k))
        question = BattlesQuestion(cluster=board.cluster, draws=DRAWS, seed=k)
        n_significant += told_apart(rate(ballots, question, Execution(workers=1)))
    return [counted_reading("plan, then battles", setting, n_significant, boards, promised=POWER)]


@CLAIMS.add(
    GROUP,
    (
        "With the planned number of votes, the gap between two models is significant with a power"
        " of at least 80%."
    ),
    "at least",
    advice={"": "Add 10% of the votes."},
)
def vote_plan(request: ValidationRequest) -> Iterator[CheckJob]:
    """The test that is planned for, exactly; and battles, which fits strengths, by simulation."""
    full = request.effort.full
    scales: tuple[stats.EloScale, ...] = ("score", "decisive")
    for models in (2, 10) if full else (2,):
        for elo in (20.0, 50.0, 100.0) if full else (50.0,):
            for ties in (0.0, 0.2, 0.4) if full else (0.4,):
                for scale in scales if ties else scales[:1]:
                    yield partial(_tested, elo, ties, scale, models)
    duels = [
        PairScenario(gap=gap, ties=ties, each=each)
        for gap in (0.15, 0.5)
        for ties in (0.0, 0.4)
        for each in (0, 5)
    ]
    for duel in duels if full else duels[-2:]:
        yield partial(_by_battles, request, duel)
