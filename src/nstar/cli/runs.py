"""``nstar runs``: how repeatable is this, and what could more runs tell?"""

from typing import Any

import click

from nstar.cli.kit.completion import complete_files, complete_models
from nstar.cli.kit.figure import draw_figure, figure_option
from nstar.cli.kit.options import shared_options
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.page import html_option, write_page
from nstar.cli.kit.reading import reading_options
from nstar.cli.kit.run_tables import log_groups, refuse_second_only, run_logs


@click.command(
    "runs",
    short_help="How repeatable is this, and what could more runs tell?",
    context_settings={"default_map": {"runs": "all"}},
)
@click.argument("paths", nargs=-1, required=True, metavar="LOG…", shell_complete=complete_files)
@click.option(
    "--a",
    metavar="MODEL",
    shell_complete=complete_models,
    help="The model, or the first of two.",
)
@click.option(
    "--b",
    metavar="MODEL",
    shell_complete=complete_models,
    help="Second model: the gap is A minus B.",
)
@click.option("--task", metavar="TASK", help="Task set, when the logs hold several.")
@click.option("--metric", metavar="METRIC", help="Metric, instead of the first one of the log.")
@figure_option("runs")
@html_option()
@reading_options
@shared_options
def runs_command(paths: tuple[str, ...], **options: Any) -> None:
    """Take repeated runs of the same tasks apart: tasks, runs, luck.

    For one model: variance between tasks and between runs, which tasks flip, pass@k and pass^k,
    what a clean sweep proves. For two: how much of the error of the gap more runs would remove.
    Several logs of one model are its runs; so are epochs and trials within a log. NAME=LOG says
    whose run a log is.

    \b
    nstar runs logs/*.eval
    nstar runs tau.parquet --a gpt-x --b gpt-y --html runs.html
    nstar runs ada=monday.csv ada=tuesday.csv
    """  # noqa: D301
    from nstar._verbs.runs import runs
    from nstar._verbs.verdict import Criteria

    refuse_second_only(options)
    with reported_errors():
        tables, findings = run_logs(log_groups(paths), options)
        result = runs(
            *tables,
            conf=1 - options["alpha"],
            criteria=Criteria(
                alpha=options["alpha"],
                power=options["power"],
                sides=1 if options["one_sided"] else 2,
            ),
            findings=findings,
        )
        emit(result, options["format_"])
        draw_figure(result, options)
        write_page(result, options)
