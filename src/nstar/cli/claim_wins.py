"""``nstar claim wins``."""

from nstar._api.claim_wins import claim_wins
from nstar.cli.kit.front import ReportOutput, front

claim_wins_command = front(
    claim_wins,
    examples=("nstar claim wins 7 9 --models 5",),
    output=ReportOutput,
)
