"""Plan votes from a pilot: its share of ties, its design effect, and the precision of its fit."""

from dataclasses import replace

import numpy as np

from nstar._data.votes import Votes
from nstar._engine.work import Execution
from nstar._verbs.battles.question import BattlesQuestion
from nstar._verbs.battles.rate import rate
from nstar._verbs.plan.design import BoardGoal
from nstar._verbs.plan.votes import plan_votes
from nstar._verbs.plan.votes_result import VotePilot, VotePlan
from nstar._verbs.verdict import Criteria
from nstar.stats import EloScale


def plan_votes_from(
    votes: Votes,
    *,
    elo: float | None,
    n_votes: int | None,
    models: int | None,
    goal: BoardGoal,
    elo_scale: EloScale,
    design_effect: float | None,
    criteria: Criteria,
) -> VotePlan:
    """Plan votes with the ties, the models, and the largest design effect of a pilot.

    The error of a gap decreases with the root of the number of votes in the same mix of pairs.
    """
    question = BattlesQuestion(ties="half" if elo_scale == "score" else "drop", criteria=criteria)
    fit = rate(votes, question, Execution(workers=1))
    widest = max(fit.groupings, key=lambda g: g.design_effect or 0.0, default=None)
    effect = design_effect
    columns: tuple[str, ...] = ()
    if effect is None:
        effect = max(1.0, round(0.0 if widest is None else widest.design_effect or 0.0, 2))
        columns = () if widest is None or effect == 1 else widest.columns
    plan = plan_votes(
        ties=round(fit.tie_share, 3),
        elo=elo,
        votes=n_votes,
        elo_scale=elo_scale,
        design_effect=effect,
        models=models or len(fit),
        goal=goal,
        criteria=criteria,
    )
    needed = None
    if elo is not None:
        needed = np.ceil(fit.n_votes * effect * np.square(fit.adjacent.mde / elo))
    pilot = VotePilot(
        n_votes=fit.n_votes,
        n_models=len(fit),
        design_effect_of=columns,
        n_star_fit=None if needed is None else float(np.median(needed)),
        n_star_fit_low=None if needed is None else float(needed.min()),
        n_star_fit_high=None if needed is None else float(needed.max()),
    )
    return replace(plan, pilot=pilot)
