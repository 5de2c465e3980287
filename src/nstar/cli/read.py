"""``nstar read``: what a set of logs holds, before any comparison."""

from typing import Any

import click

from nstar.cli._options import format_option
from nstar.cli._output import emit, reported_errors
from nstar.cli._reading import Progress, load, reading_options, to_options

__all__ = ["read_command"]


@click.command("read", short_help="What do these logs hold, and what is wrong with them?")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write the tidy table to a Parquet file, to be read instead of the logs.",
)
@click.option(
    "--eee",
    metavar="DIR",
    type=click.Path(file_okay=False),
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
            _write(where, options)
            where = [options["out"]]
        loaded = load(where, options)
        if options["eee"]:
            _export(where, options)
        emit(loaded.coverage, options["format_"])
    if any(f.level == "fatal" for f in loaded.coverage.findings):
        raise SystemExit(1)


def _write(paths: list[str], options: dict[str, Any]) -> None:
    from nstar.readers import scan
    from nstar.readers.tidy import write_tidy

    progress = Progress()
    try:
        scanned = scan(paths, to_options(options, progress))
        rows = write_tidy(scanned.batches(), lambda: scanned.journal.sources, options["out"])
    finally:
        progress.clear()
    click.echo(f"wrote {rows:,} rows to {options['out']}", err=True)


def _export(paths: list[str], options: dict[str, Any]) -> None:
    from nstar._version import __version__
    from nstar.export.every_eval_ever import write_eee
    from nstar.readers import read

    table = read(paths, to_options(options))
    files = write_eee(table, options["eee"], version=__version__)
    click.echo(f"wrote {len(files):,} files to {options['eee']}", err=True)
