"""``nstar claim``."""

from nstar._api.claim import claim
from nstar.cli.kit.front import ReportOutput, front

claim_command = front(
    claim,
    examples=(
        "nstar claim 71.4% 70.6% --items 1000",
        "nstar claim 71.4% 70.6% --items 1000 --p 0.04 --ci 0.1pp,1.5pp",
        "nstar claim 71.4% 70.6% --items 1000 --p '<0.05'",
    ),
    output=ReportOutput,
)
