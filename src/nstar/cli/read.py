"""``nstar read``: what a set of logs holds, before any comparison."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.options import LOCAL_FOLDER, FormatOptions
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import Command, Heading, argument, group, option, takes
from nstar.cli.kit.progress import reading_shown
from nstar.cli.kit.reading import ReadingOptions

if TYPE_CHECKING:
    from nstar.readers._base import Journal


@group
class _ReadOutputOptions:
    """What is read, and what is written of it."""

    paths: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="PATH…", shell_complete=complete_files
    )
    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="Write a tidy Parquet table, to read instead of the logs.",
    )
    eee: str | None = option(
        "--eee",
        under=Heading.OUTPUT,
        metavar="DIR",
        type=LOCAL_FOLDER,
        help="Write Every Eval Ever records with standard errors and intervals.",
    )


def _as_written(reading: ReadingOptions) -> ReadingOptions:
    """How to read our own table: what was asked for has been done."""
    return replace(reading, reader=None, columns=(), groups=(), errors="harness", skip_bad=0)


@click.command(
    "read",
    cls=Command,
    short_help=SUMMARIES["read"],
    most_used=("out", "columns", "reader", "groups", "runs"),
)
@takes(asked=_ReadOutputOptions, reading=ReadingOptions, output=FormatOptions)
def read_command(
    asked: _ReadOutputOptions, reading: ReadingOptions, output: FormatOptions
) -> None:
    """Read logs and report their coverage: models, tasks, items, runs and what is missing.

    PATH is a file, folder, pattern or URL. Exit status 1 if something fatal is found.

    \b
    nstar read results/
    nstar read logs/*.eval --out results.parquet
    """  # noqa: D301
    from nstar._api.inputs.aligned_rows import summarize_rows

    with reported_errors():
        where, out = list(asked.paths), asked.out
        notes: list[str] = []
        bad: list[str] = []
        if out:
            journal = _write(where, out, reading)
            where, reading = [out], _as_written(reading)
            notes, bad = journal.notes, journal.bad
        with reading_shown() as progress:
            coverage = summarize_rows(where, reading.reading(progress), notes=notes, bad=bad)
        if asked.eee:
            _export(where, asked.eee, reading)
        emit(coverage, output)
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


def _write(paths: list[str], out: str, reading: ReadingOptions) -> "Journal":
    from nstar.readers import scan
    from nstar.readers.tidy import write_tidy

    _refuse_overwriting(out)
    with reading_shown() as progress:
        scanned = scan(paths, reading.options(progress))
        rows = write_tidy(scanned.batches(), lambda: scanned.journal.sources, out)
    click.echo(f"wrote {rows:,} rows to {out}", err=True)
    return scanned.journal


def _export(paths: list[str], folder: str, reading: ReadingOptions) -> None:
    from nstar._base.version import __version__
    from nstar._data.export.every_eval_ever import write_eee
    from nstar.readers import read

    table = read(paths, reading.options())
    files = write_eee(table, folder, version=__version__)
    click.echo(f"wrote {len(files):,} files to {folder}", err=True)
