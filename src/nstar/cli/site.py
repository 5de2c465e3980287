"""``nstar site``: audits as a website of plain files."""

from typing import TYPE_CHECKING

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.options import LOCAL_FOLDER
from nstar.cli.kit.output import reported_errors
from nstar.cli.kit.progress import PairProgress

if TYPE_CHECKING:
    from nstar.report.site import Built


def _summary(built: "Built", directory: str) -> str:
    folders = ", ".join(f"b/{slug}" for slug in built.benchmarks)
    counts = (
        f"{built.written:,} files written, {built.kept:,} as they were, {built.removed:,} removed"
    )
    return f"nstar: {folders} in {directory}: {counts}"


@click.command("site", short_help="Make a website of audited leaderboards.")
@click.argument("audits", nargs=-1, required=True, metavar="AUDIT…", shell_complete=complete_files)
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="DIR",
    type=LOCAL_FOLDER,
    help="Folder of the site: a new one, or one to be brought up to date.",
)
@click.option("--title", metavar="TEXT", help="Name of the site.  [default: the one it has]")
@click.option(
    "--name",
    metavar="TEXT",
    help="What to call a single benchmark.  [default: its task, or else its folder]",
)
def site_command(audits: tuple[str, ...], out: str, title: str | None, name: str | None) -> None:
    """Write a static site: benchmarks, models, and a page that compares any two.

    AUDIT is a folder written by nstar audit … --out FOLDER, one benchmark each. A benchmark
    whose task has no name is called after its folder.

    \b
    nstar audit results.parquet --out audits/mmlu-pro
    nstar site audits/* -o public
    """  # noqa: D301
    from nstar.report.site import build

    progress = PairProgress()
    with reported_errors():
        try:
            built = build(audits, out, title=title, name=name, progress=progress)
        finally:
            progress.clear()
    click.echo(_summary(built, out), err=True)
    if built.outdated:
        folders = ", ".join(f"b/{s}" for s in built.outdated)
        click.echo(f"nstar: {folders}: by another version of nstar; build again", err=True)
