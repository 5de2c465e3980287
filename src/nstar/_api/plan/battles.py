"""Plans of votes between models: the words as the verb takes them."""

from typing import TYPE_CHECKING

from nstar._api.plan.question import PlanQuestion

if TYPE_CHECKING:
    from nstar._verbs.plan.battles_result import BattlesPlan


def plan_votes(question: PlanQuestion) -> "BattlesPlan":
    """Votes on each pair, for a gap in Elo, or what votes show."""
    from nstar._verbs.plan.battles import plan_battles

    q = question
    if q.ties is None:
        raise AssertionError
    return plan_battles(
        ties=q.ties,
        elo=q.elo,
        votes=q.votes,
        elo_scale="score" if q.elo_scale is None else q.elo_scale,
        design_effect=1.0 if q.design_effect is None else q.design_effect,
        models=q.n_models,
        goal=q.goal,
        criteria=q.criteria,
    )
