"""``nstar shrink``: which items are enough, and what will they resolve?"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.gap_options import SCORE_GAP, refuse_points
from nstar.cli.kit.options import LevelAndPower, ReportOptions, seed_option
from nstar.cli.kit.output import check_target, emit, reported_errors, usage_errors, write_whole
from nstar.cli.kit.params import Command, Heading, argument, group, option, takes
from nstar.cli.kit.progress import reading_shown
from nstar.cli.kit.reading import ModelOptions, ReadingOptions, TaskOptions, refuse_reading

if TYPE_CHECKING:
    from nstar._api.inputs.board import BoardInput
    from nstar._verbs.shrink import Subset

_LISTS = (".csv", ".jsonl")


def _check_list(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    return None if value is None else check_target(ctx, param, value, _LISTS)


@group
class ShrinkOptions(
    ReportOptions,
    LevelAndPower,
    ReadingOptions,
    PageOptions,
    FigureOptions,
    ModelOptions,
    TaskOptions,
):
    """Everything that can be said to ``nstar shrink``."""

    figure_kind: str | None = figure_kind("shrink")
    resolve: float | None = option(
        "--resolve",
        under=Heading.DESIGN,
        type=SCORE_GAP,
        help="Gap in the benchmark's own score to be found between two new models: 1pp.",
    )
    items: int | None = option(
        "--items",
        under=Heading.DESIGN,
        type=click.IntRange(min=1),
        metavar="N",
        help="Choose so many items; what do they resolve?",
    )
    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="FILE",
        callback=_check_list,
        shell_complete=complete_files,
        help="Write the list with its weights: FILE.csv or FILE.jsonl, for --weights.",
    )
    seed: int = seed_option("Seed by which items are drawn.")

    paths: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="PATH…", shell_complete=complete_files
    )

    def write_list(self, found: "Subset") -> None:
        """The list that was asked for, if one was."""
        if self.out is None:
            return
        from hashlib import sha256

        from nstar._data.export.subset import subset_bytes

        rows = ((c.task, c.item, c.stratum, c.weight) for c in found.chosen)
        content = subset_bytes(rows, Path(self.out).suffix.lower())
        write_whole(self.out, content, "list")
        told = f"{found.items:,} items with weights in {self.out}"
        click.echo(f"nstar: {told}, SHA-256 {sha256(content).hexdigest()}", err=True)


def _load(given: ShrinkOptions) -> "BoardInput":
    from nstar._api.inputs.board import load_board
    from nstar._api.inputs.selection import ModelFilter

    refuse_reading(given.paths)
    with reading_shown() as progress:
        return load_board(
            list(given.paths),
            given.reading(progress),
            ModelFilter(wanted=given.models, unwanted=given.exclude),
            tasks=given.tasks,
            metric=given.metric,
        )


@click.command(
    "shrink",
    cls=Command,
    short_help="Which items are enough, and what will they resolve?",
    most_used=("resolve", "items", "out", "seed", "html"),
)
@takes(given=ShrinkOptions)
def shrink_command(given: ShrinkOptions) -> None:
    """Choose some items of a benchmark at random by difficulty, and say what they will resolve.

    PATH holds scores of several models on all items: a file, folder, pattern or URL. Say how
    small a gap is to be resolved, or how many items there may be. The list is written with
    weights, for nstar compare --weights.

    \b
    nstar shrink results.parquet --resolve 1pp --out subset.csv
    nstar shrink results.parquet --items 1000 --seed 7 --out subset.csv
    """  # noqa: D301
    from nstar._data.findings import refuse_fatal
    from nstar._verbs.shrink import ShrinkQuestion, shrunk
    from nstar._verbs.verdict import Criteria

    with usage_errors():
        ask = ShrinkQuestion(
            resolve=given.resolve,
            items=given.items,
            criteria=Criteria(alpha=given.alpha, power=given.power),
            seed=given.seed,
        )
    with reported_errors():
        board = _load(given)
        refuse_fatal(board.findings)
        refuse_points(board.matrices, resolve=given.resolve)
        found = shrunk(board.matrices, ask, board.findings, board.chosen)
        emit(found, given)
        given.write_list(found)
        given.draw(found)
        given.write(found)
