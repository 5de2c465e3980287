"""``nstar runs``: how much do repeated runs vary, and would more help?"""

from typing import TYPE_CHECKING

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.options import MONEY, FormatOptions, LevelOptions
from nstar.cli.kit.output import emit, reported_errors, usage_errors
from nstar.cli.kit.params import Command, Heading, argument, group, option, takes
from nstar.cli.kit.progress import reading_shown
from nstar.cli.kit.reading import ReadingOptions
from nstar.cli.kit.run_tables import RunOptions, log_groups

if TYPE_CHECKING:
    from nstar._api.inputs.judged_logs import JudgeColumns


def _priced(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, float]:
    """``JUDGE=COST`` each, or one ``COST`` for all judges, whose name is then empty."""
    found: dict[str, float] = {}
    for value in values:
        judge, _, text = value.rpartition("=")
        found[judge] = MONEY.convert(text, param, ctx)
    if "" in found and len(found) > 1:
        msg = "give one COST for all judges, or JUDGE=COST for each"
        raise click.BadParameter(msg, ctx, param)
    return found


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

    cost_judge: dict[str, float] = option(
        "--cost-judge",
        under=Heading.BUDGET,
        multiple=True,
        callback=_priced,
        metavar="[JUDGE=]COST",
        help="With judges: cost of one judgement, of all judges or of each.",
    )
    cost_label: float | None = option(
        "--cost-label", under=Heading.BUDGET, type=MONEY, help="With judges: cost of one label."
    )

    paths: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="LOG…", shell_complete=complete_files
    )

    def refuse_prices(self, columns: "JudgeColumns | None") -> None:
        """Prices are of judges; a label without a judge is held against nothing."""
        if columns is None and (self.cost_judge or self.cost_label is not None):
            msg = (
                "--cost-judge and --cost-label are about judges; name them: --column judge=NAME, "
                "or --column rater=NAME for the column that says who judged"
            )
            raise click.UsageError(msg)
        if columns is None and "label" in dict(self.columns):
            msg = "labels are held against judges; name them too: --column judge=NAME"
            raise click.UsageError(msg)

    def refuse_rule(self) -> None:
        """A rule is about runs of a task; judges are not runs."""
        if self.at_least is not None:
            msg = "--at-least is a rule for runs of a task, and these are judges"
            raise click.UsageError(msg)


def _judges(given: RunsOptions, columns: "JudgeColumns") -> None:
    """Several judges of the same answers, instead of runs."""
    from nstar._api.inputs.judged_logs import judged_logs
    from nstar._api.judges import prices_of
    from nstar._verbs.judges import measured

    if given.metric is not None:
        msg = "--metric does not go with judges: their scores are the metrics"
        raise click.UsageError(msg)
    with reported_errors():
        with reading_shown() as progress:
            groups = log_groups(given.paths)
            reading = given.reading(progress)
            sample, findings = judged_logs(groups, reading, given.chosen(), columns)
        cost = given.cost_judge.get("", given.cost_judge or None)
        result = measured(
            sample,
            alpha=given.criteria().alpha,
            costs=prices_of(sample, cost, given.cost_label),
            cost_label=given.cost_label,
            findings=findings,
        )
        emit(result, given)
        given.draw(result)
        given.write(result)


@click.command(
    "runs",
    cls=Command,
    short_help=SUMMARIES["runs"],
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

    With several judges of the same answers: how far each agrees with people's labels and with the
    others, which is worth its money, and the variance of a gap by item, judge and repeat. Name
    each judge's column of scores (--column judge=NAME, again for the next), or the column that
    says who judged (--column rater=NAME); labels by --column label=NAME.

    \b
    nstar runs logs/*.eval
    nstar runs tau.parquet --a gpt-x --b gpt-y --html runs.html
    nstar runs ada=monday.csv ada=tuesday.csv
    nstar runs tau.parquet --at-least 4/5
    nstar runs scores.csv --column judge=gpt --column judge=claude --column label=human
    nstar runs long.csv --column rater=judge --column label=human --cost-judge 0.01 --cost-label 1
    """  # noqa: D301
    from nstar._api.inputs.judged_logs import JudgeColumns
    from nstar._api.inputs.run_logs import run_logs
    from nstar._verbs.runs import TaskRule, analysed

    given.refuse_second_only()
    columns = JudgeColumns.of(given.columns)
    given.refuse_prices(columns)
    if columns is not None:
        given.refuse_rule()
        _judges(given, columns)
        return
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
