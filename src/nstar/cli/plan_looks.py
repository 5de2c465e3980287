"""``nstar plan looks``."""

from nstar._api.plan.looks import plan_looks
from nstar.cli.kit.front import front

plan_looks_command = front(
    plan_looks,
    examples=(
        "nstar plan looks --baseline 70% --delta 3pp                   five planned looks",
        "nstar plan looks --psi 20% --delta 5pp --method e-process     after every item",
        "nstar plan looks --baseline 70% --items 2000 --method pocock  smallest detectable gap",
    ),
)
