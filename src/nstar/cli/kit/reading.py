"""Options of every command that reads logs, and the way from paths to matrices."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nstar.cli.kit.limits import limit_options, to_limits

if TYPE_CHECKING:
    import pyarrow as pa

    from nstar._data.matrix import ScoreMatrix
    from nstar._verbs.coverage import Coverage
    from nstar.cli.kit.choice import Models
    from nstar.readers import Options
    from nstar.readers._base import Journal

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


def log_options(command: F) -> F:
    """--from, --column, --group, --errors, --runs, --skip-bad, --max, --follow-links."""
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
            help="Samples that ended in an error: as the harness counts them, no score (so "
            "too a code such as -1), or 0.",
        ),
        click.option(
            "--runs",
            type=click.Choice(["latest", "all"]),
            default="latest",
            show_default=True,
            help="Several logs of one model and task: the latest complete, or all as runs.",
        ),
        click.option(
            "--skip-bad",
            type=click.IntRange(min=0),
            default=0,
            metavar="N",
            help="Skip and report up to N unreadable rows.",
        ),
        *limit_options(),
    )
    for option in reversed(options):
        command = option(command)
    return command


def reading_options(command: F) -> F:
    """As :func:`log_options`, with --duplicates and --allow."""
    options = (
        click.option(
            "--duplicates",
            type=click.Choice(["refuse", "first", "last", "mean", "runs"]),
            default="refuse",
            show_default=True,
            help="Several rows of one model, item and run: which counts, or each as a run.",
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
    return log_options(command)


class Line:
    """A line on standard error that is written over; silent at first, and when nobody watches."""

    def __init__(self) -> None:
        self._last = 0.0
        self._began = time.monotonic()
        self._shown = False

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._began < 1 or now - self._last < 0.1 or not sys.stderr.isatty():
            return False
        self._last = now
        return True

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Progress(Line):
    """How far reading is."""

    def __call__(self, path: str, done: int, total: int | None) -> None:
        """Called by readers every few megabytes."""
        if not self._due():
            return
        share = f"{100 * done / total:3.0f} %" if total else f"{done / 1e6:,.0f} MB"
        from nstar._base.address import text_without_secrets
        from nstar.readers._trouble import printable  # the reader that calls has loaded it

        self._write(f"reading {printable(text_without_secrets(path))[-60:]}  {share}")


class Paced(Line):
    """How much is done of something, and the time left at the pace so far."""

    things = "things"
    """What is counted."""

    def __init__(self) -> None:
        super().__init__()
        self._total = -1
        self._start = (0.0, 0)

    def __call__(self, done: int, total: int) -> None:
        """Called now and then; a new total is a new start."""
        now = time.monotonic()
        if total != self._total:
            self._total, self._start = total, (now, done)
        if not self._due():
            return
        began, before = self._start
        pace = (now - began) / (done - before) if done > before else 0.0
        left = pace * (total - done)
        told = f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
        self._write(f"{done:,} of {total:,} {self.things}, {told} left")


class PairProgress(Paced):
    """How many pairs are done."""

    things = "pairs"


class BatchProgress(Paced):
    """How many replications are done."""

    things = "replications"


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
        limits=to_limits(given["most"]),
        links=given["follow_links"],
        progress=progress,
    )


def settled(given: dict[str, Any]) -> Any:
    """Which of contradicting rows counts: their mean, if the user only allowed them."""
    if given["duplicates"] == "refuse" and "conflicting-rows" in given["allow"]:
        return "mean"
    return given["duplicates"]


def coded(given: dict[str, Any]) -> Any:
    """What codes such as -1 count as: themselves, if the user only allowed them."""
    if given["errors"] == "harness" and "off-scale" in given.get("allow", ()):
        return "keep"
    return given["errors"]


def align(
    paths: Iterable[str], given: dict[str, Any], models: "Models | None" = None
) -> "tuple[list[ScoreMatrix], Journal]":
    """The matrices of the logs below some paths, of wanted models only, and what was noted."""
    from nstar._data.align import directed, matrices
    from nstar.cli.kit.packed import refuse_packs
    from nstar.readers import scan

    paths = list(paths)
    refuse_packs(paths)
    progress = Progress()
    try:
        options = to_options(given, progress)
        scanned = scan(paths, options)

        def batches() -> "Iterator[pa.RecordBatch]":
            yield from scanned.batches() if models is None else map(models.rows, scanned.batches())

        settle = {"duplicates": given["duplicates"], "errors": coded(given)}
        found = matrices(batches, **settle, limits=options.limits)
    finally:
        progress.clear()
    return directed(found, scanned.journal.sources), scanned.journal


def load(
    paths: Iterable[str],
    given: dict[str, Any],
    *,
    notes: Sequence[str] = (),
    bad: Sequence[str] = (),
) -> "Coverage":
    """What the logs below some paths hold; what was noted before is told again."""
    from nstar._verbs.coverage import coverage
    from nstar.errors import ReadError
    from nstar.readers import nothing_in

    found, journal = align(paths, given)
    if not found:
        raise ReadError(nothing_in(journal.sources))
    return coverage(
        found,
        journal.sources,
        notes=[*notes, *journal.notes],
        bad=[*bad, *journal.bad],
        allowed=given["allow"],
    )
