"""Options of every command that reads logs, and the way from paths to matrices."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from nstar._coverage import Coverage
    from nstar.readers import Options

__all__ = ["Progress", "load", "reading_options", "to_options"]

F = TypeVar("F", bound=Callable[..., Any])


def _parts(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    pairs = []
    for value in values:
        part, sign, column = value.partition("=")
        if not sign or not part or not column:
            msg = f"{value!r} is not PART=COLUMN, such as item=question_id"
            raise click.BadParameter(msg, ctx, param)
        pairs.append((part.strip(), column.strip()))
    return tuple(pairs)


def reading_options(command: F) -> F:
    """--from, --column, --group, --errors, --runs, --duplicates, --skip-bad, --allow."""
    options = (
        click.option("--from", "from_", metavar="READER", help="Format, instead of guessing."),
        click.option(
            "--column",
            "columns",
            multiple=True,
            callback=_parts,
            metavar="PART=COLUMN",
            help="Column of a plain table that plays a part: item=question_id.",
        ),
        click.option(
            "--group",
            "groups",
            multiple=True,
            metavar="FIELD",
            help="Field of the question to keep as a group of items.",
        ),
        click.option(
            "--errors",
            type=click.Choice(["harness", "missing", "zero"]),
            default="harness",
            show_default=True,
            help="Samples that ended in an error: as the harness counts them, no score, or 0.",
        ),
        click.option(
            "--runs",
            type=click.Choice(["latest", "all"]),
            default="latest",
            show_default=True,
            help="Several logs of one model and task: the latest complete, or all as runs.",
        ),
        click.option(
            "--duplicates",
            type=click.Choice(["refuse", "first", "last", "mean"]),
            default="refuse",
            show_default=True,
            help="Rows that contradict each other about one model, item and run.",
        ),
        click.option(
            "--skip-bad",
            type=click.IntRange(min=0),
            default=0,
            metavar="N",
            help="Skip and report up to N unreadable rows.",
        ),
        click.option(
            "--allow",
            multiple=True,
            metavar="CODE",
            help="Go on in spite of a fatal finding, such as failed-run.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


class Progress:
    """A line on standard error that says how far reading is; silent when nobody watches."""

    def __init__(self) -> None:
        self._last = 0.0
        self._began = time.monotonic()
        self._shown = False

    def __call__(self, path: str, done: int, total: int | None) -> None:
        """Called by readers every few megabytes."""
        now = time.monotonic()
        if now - self._began < 1 or now - self._last < 0.1 or not sys.stderr.isatty():
            return
        self._last = now
        share = f"{100 * done / total:3.0f} %" if total else f"{done / 1e6:,.0f} MB"
        from nstar.readers._trouble import printable  # the reader that calls has loaded it

        name = printable(path)[-60:]
        sys.stderr.write(f"\r\x1b[Kreading {name}  {share}")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def to_options(given: dict[str, Any], progress: Progress | None = None) -> "Options":
    """What the user asked for, as the readers take it."""
    from nstar.readers import Options

    return Options(
        format=given["from_"],
        errors=given["errors"],
        runs=given["runs"],
        skip_bad=given["skip_bad"],
        groups=tuple(given["groups"]),
        columns=given["columns"],
        progress=progress,
    )


def load(
    paths: Iterable[str],
    given: dict[str, Any],
    *,
    notes: Sequence[str] = (),
    bad: Sequence[str] = (),
) -> "Coverage":
    """What the logs below some paths hold; what was noted before is told again."""
    from nstar._align import directed, matrices
    from nstar._coverage import coverage
    from nstar.errors import ReadError
    from nstar.readers import nothing_in, scan

    progress = Progress()
    try:
        scanned = scan(list(paths), to_options(given, progress))
        found = matrices(scanned.batches, duplicates=given["duplicates"])
    finally:
        progress.clear()
    journal = scanned.journal
    found = directed(found, journal.sources)
    if not found:
        raise ReadError(nothing_in(journal.sources))
    return coverage(
        found,
        journal.sources,
        notes=[*notes, *journal.notes],
        bad=[*bad, *journal.bad],
        allowed=given["allow"],
    )
