"""``nstar items``."""

from nstar._api.items import items
from nstar.cli.kit.figure import figure_kind
from nstar.cli.kit.front import FigureOutput, front
from nstar.cli.kit.params import group


@group
class _Output(FigureOutput):
    figure_kind: str | None = figure_kind("items")


items_command = front(
    items,
    examples=(
        "nstar items results.parquet",
        "nstar items results.parquet --top 5 --label-errors 5% --html items.html",
        "nstar items results.parquet --split released --since 2024-06-01",
        "nstar items results.parquet --format csv > items.csv",
    ),
    output=_Output,
)
