"""``nstar plan votes``."""

from nstar._api.plan.votes import plan_votes
from nstar.cli.kit.front import front

plan_votes_command = front(
    plan_votes,
    examples=(
        "nstar plan votes --elo 20 --ties 40%                votes needed",
        "nstar plan votes --votes 1000 --ties 40%            smallest detectable gap",
        "nstar plan votes --elo 20 --ties 40% --models 6     all pairs of six models",
    ),
)
