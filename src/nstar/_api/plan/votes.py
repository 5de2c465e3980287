"""``plan_votes``: plan the votes on each pair of models."""

from typing import TYPE_CHECKING, Literal, TypeAlias

from nstar._base.parameter_types import (
    EloPoints,
    Factor,
    ModelCount,
    PilotVotes,
    PlanAlternative,
    Proportion,
    VoteCount,
)
from nstar._base.verb import at_least_one, exactly_one, needs, verb

if TYPE_CHECKING:
    from nstar._verbs.plan.votes_result import VotePlan

VotePairs: TypeAlias = Literal["all-pairs", "adjacent"]
"""Pairs of models that are tested simultaneously."""
EloScale: TypeAlias = Literal["score", "decisive"]
"""Elo of expected scores, or of win rates among decisive votes."""


@verb(
    at_least_one(elo="to get the number of votes", votes="to get the detectable gap"),
    needs("elo_scale", "elo"),
    exactly_one(ties="to assume a share of ties", pilot="to estimate it"),
)
def plan_votes(
    *,
    ties: Proportion | None = None,
    pilot: PilotVotes | None = None,
    elo: EloPoints | None = None,
    votes: VoteCount | None = None,
    models: ModelCount | None = None,
    goal: VotePairs = "all-pairs",
    elo_scale: EloScale = "score",
    design_effect: Factor | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: PlanAlternative = "two-sided",
) -> "VotePlan":
    """Find the number of votes needed to detect a gap in Elo, or the gap that votes can detect.

    A vote is a win, a tie, or a loss between two models, as in an arena. Set ``elo`` to get the
    number of votes, ``votes`` to get the detectable gap, or both to get the power.

    Parameters
    ----------
    ties : float, optional
        Share of votes that are ties, such as 0.4, or 0 if there are no ties.
    pilot : path, frame, mapping, or records, optional
        Existing votes, from which ties, models, and the design effect of prompts or judges are
        estimated.
        The report adds the total votes that the ratings need, which use the votes of all pairs.
    elo : float, optional
        Gap to detect, in Elo points, such as 20.
    votes : int, optional
        Number of votes on each pair of models.
    models : int, optional
        Number of models on the leaderboard. The default is the number of rated models in the
        pilot, or 2.
    goal : {"all-pairs", "adjacent"}, default "all-pairs"
        Compare all pairs, or adjacent pairs (fixed in advance).
        The level is divided among the pairs (Bonferroni).

    Other Parameters
    ----------------
    elo_scale : {"score", "decisive"}, default "score"
        Elo scale on which a tie counts as half a win (score), or on which ties are ignored
        (decisive).
    design_effect : float, optional
        Design effect: the factor by which repeated prompts or judges increase the number of votes
        needed (default: that of the pilot, or 1).
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, or is above zero.

    Returns
    -------
    VotePlan
        The number of votes, the detectable gap, or the power, on both Elo scales.

    Raises
    ------
    ParameterError
        A parameter is outside its domain. If the share of ties makes the gap impossible, the error
        is an InfeasibleError.

    References
    ----------
    Methods: Votes between models

    Examples
    --------
    >>> plan_votes(elo=20, ties=0.4).n_star
    1422
    >>> round(plan_votes(votes=1000, ties=0.4).mde.elo_score, 1)
    23.9
    """
    from nstar._verbs.plan import votes as verb
    from nstar._verbs.verdict import Criteria

    criteria = Criteria(alpha=alpha, power=power, alternative=alternative)
    if pilot is not None:
        from nstar._api.inputs.votes import load_votes
        from nstar._verbs.battles.vote_pilot import plan_votes_from

        return plan_votes_from(
            load_votes(pilot),
            elo=elo,
            n_votes=votes,
            models=models,
            goal=goal,
            elo_scale=elo_scale,
            design_effect=design_effect,
            criteria=criteria,
        )
    return verb.plan_votes(
        ties=0.0 if ties is None else ties,
        elo=elo,
        votes=votes,
        elo_scale=elo_scale,
        design_effect=1.0 if design_effect is None else design_effect,
        models=models or 2,
        goal=goal,
        criteria=criteria,
    )
