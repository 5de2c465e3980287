"""``nstar compare``: does A beat B, and could this benchmark tell?"""

from typing import Any

import click

from nstar.cli.kit.completion import complete_files, complete_models
from nstar.cli.kit.figure import draw_figure, figure_option
from nstar.cli.kit.options import refuse_both_designs, shared_options
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.page import html_option, write_page
from nstar.cli.kit.reading import reading_options
from nstar.cli.kit.score_gap import SCORE_GAP, range_option, refuse_points
from nstar.cli.kit.sides import load_sides, parse_sides, refuse_models


@click.command("compare", short_help="Does A beat B, and could this benchmark tell?")
@click.argument("paths", nargs=-1, required=True, metavar="A [B]", shell_complete=complete_files)
@click.option(
    "--a",
    metavar="MODEL",
    shell_complete=complete_models,
    help="First model, when one path holds several.",
)
@click.option("--b", metavar="MODEL", shell_complete=complete_models, help="Second model.")
@click.option("--task", "tasks", multiple=True, metavar="TASK", help="Only these tasks.")
@click.option("--metric", metavar="METRIC", help="Metric, instead of the first one of the log.")
@click.option("--strata", metavar="GROUP", help="Groups that define the benchmark: subjects.")
@click.option(
    "--cluster", metavar="GROUP", help="Groups that are a sample: passages, repositories."
)
@click.option("--delta", type=SCORE_GAP, help="Gap that matters, declared in advance: 1pp.")
@click.option("--margin", type=SCORE_GAP, help="Test equivalence within this margin: 2pp.")
@range_option
@click.option("--paragraph", is_flag=True, help="Add a paragraph to paste into a paper.")
@figure_option("compare")
@html_option(", level and power can be changed in it")
@reading_options
@shared_options
def compare_command(paths: tuple[str, ...], **options: Any) -> None:
    """Compare two models on the items both answered: A minus B.

    A and B are logs, folders or tables; write NAME=PATH to label one and PATH::MODEL to choose
    a model in it. One path with two models, or with --a and --b, will do.

    \b
    nstar compare results/alpha results/beta
    nstar compare run.parquet --a gpt-x --b gpt-y --strata subject
    """  # noqa: D301
    from nstar._data.findings import refuse_fatal
    from nstar._verbs.compare import compare_tasks
    from nstar._verbs.verdict import Criteria

    refuse_both_designs(options)
    if options["a"] is None:
        refuse_models(paths)
    sides = parse_sides(paths, options["a"], options["b"])
    with reported_errors():
        ready = load_sides(sides, options)
        refuse_fatal(ready.coverage.findings)
        refuse_points(options, ready.matrices)
        result = compare_tasks(
            ready.matrices,
            names=ready.names,
            strata=options["strata"],
            cluster=options["cluster"],
            delta=options["delta"],
            margin=options["margin"],
            criteria=Criteria(
                alpha=options["alpha"],
                power=options["power"],
                sides=1 if options["one_sided"] else 2,
            ),
            score_range=options["score_range"],
            findings=ready.coverage.findings,
        )
        emit(result, options["format_"], paragraph=options["paragraph"])
        draw_figure(result, options)
        write_page(result, options)
