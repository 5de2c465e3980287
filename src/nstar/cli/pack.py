"""``nstar pack``: logs to a matrix on the disk that audits map instead of reading."""

from typing import TYPE_CHECKING

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.options import LOCAL_FOLDER
from nstar.cli.kit.output import reported_errors
from nstar.cli.kit.params import Command, Heading, argument, group, option, takes
from nstar.cli.kit.progress import reading_shown
from nstar.cli.kit.reading import ReadingOptions, TaskOptions, refuse_judge

if TYPE_CHECKING:
    from nstar._data.matrix import ScoreMatrix


def _one(found: "list[ScoreMatrix]") -> "ScoreMatrix":
    """The matrix that is meant; there must be one."""
    from nstar._data.findings import abbreviate
    from nstar.errors import DataError

    if len(found) == 1:
        return found[0]
    there = abbreviate([m.task or "(no task)" for m in found], 10)
    msg = f"one task is packed at a time; choose one with --task: {there}"
    raise DataError(msg)


@group
class _PackOptions(TaskOptions):
    """What is packed, and where to."""

    paths: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="PATH…", shell_complete=complete_files
    )
    out: str = option(
        "-o",
        "--out",
        under=Heading.OUTPUT,
        required=True,
        metavar="DIR",
        type=LOCAL_FOLDER,
        help="New folder for the packed matrix.",
    )
    tasks: tuple[str, ...] = option(
        "--task",
        under=Heading.INPUT,
        multiple=True,
        metavar="TASK",
        help="Task to pack, if the logs hold several.",
    )


@click.command(
    "pack",
    cls=Command,
    short_help=SUMMARIES["pack"],
    most_used=("out", "tasks", "metric", "columns", "reader"),
)
@takes(wanted=_PackOptions, reading=ReadingOptions)
def pack_command(wanted: _PackOptions, reading: ReadingOptions) -> None:
    """Read logs once and store their scores as a matrix that `nstar audit` maps from disk.

    PATH is a file, folder, pattern or URL. Findings about the logs are stored too.

    \b
    nstar pack results/ -o results.pack
    nstar audit results.pack
    """  # noqa: D301
    from nstar._api.inputs.aligned_rows import aligned
    from nstar._api.inputs.selection import choose_metrics, other_metrics
    from nstar._data.findings import refuse_fatal
    from nstar._data.pack import pack
    from nstar._verbs.data_summary import coverage
    from nstar.errors import ReadError
    from nstar.readers import nothing_in

    refuse_judge(reading.columns, "a pack")
    with reported_errors():
        with reading_shown() as progress:
            how = reading.reading(progress)
            found, journal = aligned(list(wanted.paths), how)
        if not found:
            raise ReadError(nothing_in(journal.sources))
        matrix = _one(choose_metrics(found, wanted.tasks, wanted.metric))
        about = coverage(
            [matrix],
            [s for s in journal.sources if s.task in {None, matrix.task}],
            notes=[*journal.notes, *other_metrics(found, [matrix], wanted.metric)],
            bad=journal.bad,
            allowed=reading.allow,
        )
        refuse_fatal(about.findings)
        pack(matrix, wanted.out, findings=about.findings)
    models, items = matrix.shape
    click.echo(f"packed {models:,} models × {items:,} items in {wanted.out}", err=True)
    for finding in about.findings:
        click.echo(f"{finding.level} [{finding.code}]: {finding.text}", err=True)
