"""``nstar runs``."""

from nstar._api.runs import runs
from nstar.cli.kit.figure import figure_kind
from nstar.cli.kit.front import FigureOutput, front
from nstar.cli.kit.params import group


@group
class _Output(FigureOutput):
    figure_kind: str | None = figure_kind("runs")


runs_command = front(
    runs,
    examples=(
        "nstar runs logs/*.eval",
        "nstar runs tau.parquet --a gpt-x --b gpt-y --html runs.html",
        "nstar runs ada=monday.csv ada=tuesday.csv",
        "nstar runs tau.parquet --at-least 4/5",
    ),
    output=_Output,
)
