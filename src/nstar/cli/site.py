"""``nstar site``: build a static website of audits and ratings."""

from typing import TYPE_CHECKING

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.options import LOCAL_FOLDER
from nstar.cli.kit.output import reported_errors
from nstar.cli.kit.params import Command, Heading, argument, group, option, takes
from nstar.cli.kit.progress import PairProgress

if TYPE_CHECKING:
    from nstar.report.site import BuildSummary


@group
class _SiteOptions:
    """Options of ``nstar site``."""

    results: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="RESULT…", shell_complete=complete_files
    )
    out: str = option(
        "-o",
        "--out",
        under=Heading.OUTPUT,
        required=True,
        metavar="DIR",
        type=LOCAL_FOLDER,
        help="Folder of the new site, or of the site to update.",
    )
    title: str | None = option(
        "--title",
        under=Heading.OUTPUT,
        metavar="TEXT",
        help="Title of the site.  [default: the current title]",
    )
    name: str | None = option(
        "--name",
        under=Heading.OUTPUT,
        metavar="TEXT",
        help="Name of the benchmark, if there is only one.  [default: its task, folder, or file]",
    )
    url: str | None = option(
        "--url",
        under=Heading.OUTPUT,
        metavar="URL",
        help="Public address of the site, for link previews.  [default: the current address]",
    )
    items: bool = option(
        "--items",
        under=Heading.OUTPUT,
        is_flag=True,
        help="Publish the item ids, and which models solved each item.",
    )


def _summary(built: "BuildSummary", directory: str) -> str:
    folders = ", ".join(f"b/{slug}" for slug in built.benchmarks)
    counts = (
        f"{built.written:,} files written, {built.kept:,} unchanged, {built.removed:,} removed"
    )
    return f"nstar: wrote {folders} to {directory}: {counts}"


@click.command("site", cls=Command, short_help=SUMMARIES["site"])
@takes(options=_SiteOptions)
def site_command(options: _SiteOptions) -> None:
    """Build a static website of benchmarks and models, with a page that compares any two models.

    Each RESULT describes one benchmark. It is a folder written by nstar audit --out, or a file
    written by nstar battles --format json. A benchmark without a task name is named after its
    folder or file.

    \b
    nstar audit results.parquet --out audits/mmlu-pro
    nstar battles votes.parquet --format json > arena.json
    nstar site audits/* arena.json -o public
    """  # noqa: D301
    from nstar.report.site import build

    progress = PairProgress()
    with reported_errors():
        try:
            built = build(
                options.results,
                options.out,
                title=options.title,
                name=options.name,
                url=options.url,
                items=options.items,
                progress=progress,
            )
        finally:
            progress.clear()
    click.echo(_summary(built, options.out), err=True)
    if built.no_images is not None:
        click.echo(f"nstar: wrote no share images: {built.no_images}", err=True)
    if built.outdated:
        folders = ", ".join(f"b/{s}" for s in built.outdated)
        click.echo(
            f"nstar: {folders}: built by another version of nstar. Build the site again.", err=True
        )
