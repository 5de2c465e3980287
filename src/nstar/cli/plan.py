"""``nstar plan``."""

from nstar._api.plan.items import plan
from nstar.cli.kit.figure import figure_kind
from nstar.cli.kit.front import FigureOutput, front
from nstar.cli.kit.params import group


@group
class _Output(FigureOutput):
    figure_kind: str | None = figure_kind("plan")


plan_command = front(
    plan,
    examples=(
        "nstar plan --baseline 70% --delta 1pp --rho 0.4           items needed",
        "nstar plan --baseline 70% --items 1000 --rho 0.6          smallest detectable gap",
        "nstar plan --baseline 70% --items 1000 --delta 2pp        power",
        "nstar plan --baseline 70% --delta 1pp,2pp --rho 0.4,0.6   a grid",
    ),
    output=_Output,
)
