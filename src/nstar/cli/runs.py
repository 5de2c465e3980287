"""``nstar runs``: how much do repeated runs vary, and would more help?"""

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.options import FormatOptions, LevelOptions
from nstar.cli.kit.output import emit, reported_errors, usage_errors
from nstar.cli.kit.params import Command, Heading, argument, group, option, takes
from nstar.cli.kit.progress import reading_shown
from nstar.cli.kit.reading import ReadingOptions
from nstar.cli.kit.run_tables import RunOptions, log_groups


@group
class RunsOptions(
    FormatOptions, LevelOptions, ReadingOptions, PageOptions, FigureOptions, RunOptions
):
    """Everything that can be said to ``nstar runs``."""

    figure_kind: str | None = figure_kind("runs")
    at_least: str | None = option(
        "--at-least",
        under=Heading.STATISTICS,
        metavar="M/N",
        help="A rule for every task, 4/5: how often is it missed though nothing changed?",
    )

    paths: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="LOG…", shell_complete=complete_files
    )


@click.command(
    "runs",
    cls=Command,
    short_help="How much do repeated runs vary, and would more help?",
    most_used=("a", "b", "task", "html", "format_"),
    context_settings={"default_map": {"runs": "all"}},
)
@takes(given=RunsOptions)
def runs_command(given: RunsOptions) -> None:
    """Split the variation of repeated runs into tasks, runs and luck.

    For one model: variance between tasks and between runs, which tasks flip, pass@k and pass^k,
    what a clean sweep proves. For two: how much of the gap's error more runs would remove.
    Several logs of one model are its runs, as are epochs and trials within a log. NAME=LOG says
    whose run a log is.

    \b
    nstar runs logs/*.eval
    nstar runs tau.parquet --a gpt-x --b gpt-y --html runs.html
    nstar runs ada=monday.csv ada=tuesday.csv
    nstar runs tau.parquet --at-least 4/5
    """  # noqa: D301
    from nstar._api.inputs.run_logs import run_logs
    from nstar._verbs.runs import TaskRule, analysed

    given.refuse_second_only()
    with usage_errors():
        rule = None if given.at_least is None else TaskRule.parse(given.at_least)
    with reported_errors():
        with reading_shown() as progress:
            groups = log_groups(given.paths)
            tables, findings = run_logs(groups, given.reading(progress), given.chosen())
        result = analysed(tables, given.criteria(), findings, rule)
        emit(result, given)
        given.draw(result)
        given.write(result)
