"""``nstar read``: what a set of logs holds, before any comparison."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.options import LOCAL_FOLDER, format_option
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.reading import Progress, load, reading_options, to_options

if TYPE_CHECKING:
    from nstar.readers._base import Journal

_AS_WRITTEN = {"from_": None, "columns": (), "groups": (), "errors": "harness", "skip_bad": 0}
"""How to read our own table: what was asked for has been done."""


@click.command("read", short_help="What do these logs hold, and what is wrong with them?")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", shell_complete=complete_files)
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write the tidy table to a Parquet file, to be read instead of the logs.",
)
@click.option(
    "--eee",
    metavar="DIR",
    type=LOCAL_FOLDER,
    help="Write Every Eval Ever records with standard errors and intervals.",
)
@reading_options
@format_option
def read_command(paths: tuple[str, ...], **options: Any) -> None:
    """Read logs and report their coverage: models, tasks, items, runs and what is missing.

    PATH is a file, a folder, a pattern or a URL. Exit status 1 when something fatal was found.

    \b
    nstar read results/
    nstar read logs/*.eval --out results.parquet
    """  # noqa: D301
    with reported_errors():
        where = list(paths)
        if options["out"]:
            journal = _write(where, options)
            where, options = [options["out"]], options | _AS_WRITTEN
            coverage = load(where, options, notes=journal.notes, bad=journal.bad)
        else:
            coverage = load(where, options)
        if options["eee"]:
            _export(where, options)
        emit(coverage, options["format_"])
    if any(f.level == "fatal" for f in coverage.findings):
        raise SystemExit(1)


def _refuse_overwriting(out: str) -> None:
    """Only a table of our own may be written over; a log would be lost."""
    import pyarrow.parquet as pq

    from nstar.errors import ReadError
    from nstar.readers.tidy import SOURCES_KEY

    path = Path(out)
    if path.suffix != ".parquet":
        msg = f"--out writes Parquet; call it {path.stem}.parquet instead of {path.name}"
        raise click.UsageError(msg)
    if path.exists():
        try:
            ours = SOURCES_KEY in (pq.read_metadata(path).metadata or {})
        except (OSError, ValueError):
            ours = False
        if not ours:
            msg = f"{out} is there and was not written by nstar read --out; choose another name"
            raise ReadError(msg)


def _write(paths: list[str], options: dict[str, Any]) -> "Journal":
    from nstar.readers import scan
    from nstar.readers.tidy import write_tidy

    _refuse_overwriting(options["out"])
    progress = Progress()
    try:
        scanned = scan(paths, to_options(options, progress))
        rows = write_tidy(scanned.batches(), lambda: scanned.journal.sources, options["out"])
    finally:
        progress.clear()
    click.echo(f"wrote {rows:,} rows to {options['out']}", err=True)
    return scanned.journal


def _export(paths: list[str], options: dict[str, Any]) -> None:
    from nstar._base.version import __version__
    from nstar._data.export.every_eval_ever import write_eee
    from nstar.readers import read

    table = read(paths, to_options(options))
    files = write_eee(table, options["eee"], version=__version__)
    click.echo(f"wrote {len(files):,} files to {options['eee']}", err=True)
