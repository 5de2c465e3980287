"""``nstar battles``."""

from nstar._api.battles import battles
from nstar.cli.kit.figure import figure_kind
from nstar.cli.kit.front import LeaderboardOutput, front
from nstar.cli.kit.params import group
from nstar.cli.kit.ray import WorkOptions


@group
class _Output(LeaderboardOutput, WorkOptions):
    figure_kind: str | None = figure_kind("battles")


battles_command = front(
    battles,
    examples=(
        "nstar battles votes.parquet",
        "nstar battles votes.csv --cluster prompt --control length --html votes.html",
    ),
    output=_Output,
)
