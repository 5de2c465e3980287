"""``nstar plan board``."""

from nstar._api.plan.board import plan_board
from nstar.cli.kit.figure import figure_kind
from nstar.cli.kit.front import FigureOutput, front
from nstar.cli.kit.params import group


@group
class _Output(FigureOutput):
    figure_kind: str | None = figure_kind("plan board")


plan_board_command = front(
    plan_board,
    examples=(
        "nstar plan board --models 10 --delta 2pp --baseline 70%",
        "nstar plan board --models 10 --delta 2pp --baseline 70% --goal best",
        "nstar plan board results.parquet --items 800 --models 20",
    ),
    output=_Output,
)
