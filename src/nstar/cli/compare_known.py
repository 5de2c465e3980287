"""``nstar compare known``."""

from nstar._api.known import compare_known
from nstar.cli.kit.figure import figure_kind
from nstar.cli.kit.front import PaperOutput, front
from nstar.cli.kit.params import group


@group
class _Output(PaperOutput):
    figure_kind: str | None = figure_kind("compare")


compare_known_command = front(
    compare_known,
    examples=("nstar compare known new.csv results.parquet --b gpt-y",),
    output=_Output,
)
