"""``nstar claim unpaired``."""

from nstar._api.claim_unpaired import claim_unpaired
from nstar.cli.kit.front import ReportOutput, front

claim_unpaired_command = front(
    claim_unpaired,
    examples=("nstar claim unpaired 71.4% 70.6% --items 1000 --items-b 500",),
    output=ReportOutput,
)
