"""``nstar plan margin``."""

from nstar._api.plan.margin import plan_margin
from nstar.cli.kit.figure import figure_kind
from nstar.cli.kit.front import FigureOutput, front
from nstar.cli.kit.params import group


@group
class _Output(FigureOutput):
    figure_kind: str | None = figure_kind("plan margin")


plan_margin_command = front(
    plan_margin,
    examples=(
        "nstar plan margin --margin 2pp --psi 15%                      equivalence",
        "nstar plan margin --margin 2pp --psi 15% --non-inferiority    not worse by 2 points",
        "nstar plan margin --margin 2pp --psi 15% --items 5000         power",
    ),
    output=_Output,
)
