"""``nstar items``: which items decide, which are dead, whose key to look at?"""

from typing import TYPE_CHECKING

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.options import ACCURACY, FormatOptions, LevelAndPower
from nstar.cli.kit.output import emit, reported_errors, usage_errors
from nstar.cli.kit.params import Command, Heading, argument, group, option, takes
from nstar.cli.kit.progress import reading_shown
from nstar.cli.kit.reading import (
    ModelOptions,
    ReadingOptions,
    TaskOptions,
    refuse_judge,
    refuse_reading,
)

if TYPE_CHECKING:
    from nstar._verbs.audit.tables import ItemChoice


@group
class _ItemQuestionOptions:
    """What is asked of the items."""

    top: int = option(
        "--top",
        under=Heading.STATISTICS,
        type=click.IntRange(min=2),
        default=8,
        show_default=True,
        metavar="K",
        help="Count dead items among the first K models too.",
    )
    items: "ItemChoice" = option(
        "--items",
        under=Heading.STATISTICS,
        type=click.Choice(["pairwise", "common"]),
        default="pairwise",
        show_default=True,
        help="Use items that any model answered, or only those that all did.",
    )
    label_errors: float | None = option(
        "--label-errors",
        under=Heading.STATISTICS,
        type=ACCURACY,
        metavar="SHARE",
        help="What would it cost if so many keys are wrong? 5%.",
    )
    split: str | None = option(
        "--split",
        under=Heading.STATISTICS,
        metavar="GROUP",
        help="Compare gaps on two kinds of items, such as public and private.",
    )
    since: str | None = option(
        "--since",
        under=Heading.STATISTICS,
        metavar="DATE",
        help="With --split: a column of dates, split at this day.",
    )


@group
class ItemsOptions(
    FormatOptions,
    LevelAndPower,
    ReadingOptions,
    PageOptions,
    FigureOptions,
    _ItemQuestionOptions,
    ModelOptions,
    TaskOptions,
):
    """Everything that can be said to ``nstar items``."""

    figure_kind: str | None = figure_kind("items")

    paths: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="PATH…", shell_complete=complete_files
    )


@click.command(
    "items",
    cls=Command,
    short_help="Which items decide, which are dead, whose key to check?",
    most_used=("top", "exclude", "split", "label_errors", "html"),
)
@takes(given=ItemsOptions)
def items_command(given: ItemsOptions) -> None:
    """Look at the items of a benchmark: live and dead ones, and keys worth a check.

    PATH is a file, folder, pattern or URL with the scores of several models. An item is dead if
    all models have the same score on it. --format csv prints a row for each item.

    \b
    nstar items results.parquet
    nstar items results.parquet --top 5 --label-errors 5% --html items.html
    nstar items results.parquet --split released --since 2024-06-01
    nstar items results.parquet --format csv > items.csv
    """  # noqa: D301
    from nstar._api.inputs.board import load_board
    from nstar._api.inputs.selection import ModelFilter
    from nstar._api.items import items_of
    from nstar._verbs.items import ItemsQuestion
    from nstar._verbs.verdict import Criteria

    refuse_judge(given.columns, "nstar items")
    with usage_errors():
        ask = ItemsQuestion(
            top=given.top,
            items=given.items,
            label_errors=given.label_errors,
            split=given.split,
            since=given.since,
            criteria=Criteria(alpha=given.alpha, power=given.power),
        )
    with reported_errors():
        refuse_reading(given.paths)
        with reading_shown() as progress:
            board = load_board(
                list(given.paths),
                given.reading(progress).declaring(given.split),
                ModelFilter(wanted=given.models, unwanted=given.exclude),
                tasks=given.tasks,
                metric=given.metric,
            )
        result = items_of(board, ask)
        emit(result, given)
        given.draw(result)
        given.write(result)
