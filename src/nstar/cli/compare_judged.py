"""``nstar compare judged``."""

from nstar._api.judged import compare_judged
from nstar.cli.kit.figure import figure_kind
from nstar.cli.kit.front import PaperOutput, front
from nstar.cli.kit.params import group


@group
class _Output(PaperOutput):
    figure_kind: str | None = figure_kind("compare")


compare_judged_command = front(
    compare_judged,
    examples=("nstar compare judged scores.csv --a x --b y --judge verdict --label human",),
    output=_Output,
)
