"""``nstar plan runs``."""

from nstar._api.plan.runs import plan_runs
from nstar.cli.kit.figure import figure_kind
from nstar.cli.kit.front import FigureOutput, front
from nstar.cli.kit.params import group


@group
class _Output(FigureOutput):
    figure_kind: str | None = figure_kind("plan runs")


plan_runs_command = front(
    plan_runs,
    examples=(
        "nstar plan runs --budget 5000 --cost-run 1 --baseline 50% --flip 30%",
        "nstar plan runs tau.parquet --delta 5pp --cost-run 0.2",
        "nstar plan runs tau.parquet::gpt-x --budget 500 --price 3/15",
    ),
    output=_Output,
)
