"""Options of every command that reads logs, and the way from paths or packs to matrices."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol

import click
from click.core import ParameterSource

from nstar.cli.kit.output import in_flags
from nstar.cli.kit.params import option
from nstar.cli.kit.progress import ReadingProgress

if TYPE_CHECKING:
    import pyarrow as pa

    from nstar._data.align.collect import Duplicates
    from nstar._data.codes import Coded
    from nstar._data.findings import Finding
    from nstar._data.limits import Limits
    from nstar._data.matrix import ScoreMatrix
    from nstar._verbs.coverage import Coverage
    from nstar.cli.kit.choice import Models
    from nstar.readers import Options
    from nstar.readers._base import ErrorPolicy, Journal, RunPolicy


def _packs(paths: Sequence[str]) -> list[str]:
    from nstar._data.pack.load import is_pack

    return [path for path in paths if is_pack(path)]


def refuse_packs(paths: Sequence[str]) -> None:
    """Say of a packed matrix that logs are wanted."""
    from nstar.errors import ReadError

    for path in _packs(paths):
        msg = f"{path}: is a packed matrix, which nstar audit takes; give the logs here"
        raise ReadError(msg)


def open_packs(
    paths: Sequence[str], allowed: Sequence[str], about_logs: Collection[str]
) -> "list[tuple[ScoreMatrix, tuple[Finding, ...]]] | None":
    """The packed matrices that all paths are, each with what was found before; None if none is."""
    from nstar._data.findings import allow
    from nstar._data.pack import open_pack, packed_findings
    from nstar.errors import ReadError

    packs = _packs(paths)
    if not packs:
        return None
    _refuse_reading(packs[0], about_logs)
    if len(packs) < len(paths):
        msg = f"{packs[0]} is a packed matrix and others are logs; give one kind at a time"
        raise ReadError(msg)
    matrices = [open_pack(path) for path in packs]
    _refuse_twice(packs, matrices)
    found = (allow(packed_findings(path), allowed) for path in packs)
    return list(zip(matrices, found, strict=True))


def _refuse_reading(pack: str, about_logs: Collection[str]) -> None:
    """Options that say how logs are read say nothing of a pack."""
    ctx = click.get_current_context()
    for param in ctx.command.params:
        name = param.name or ""
        said = ctx.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)
        if name in about_logs and said:
            msg = f"{pack} is packed, and {param.opts[0]} is about logs; give it to nstar pack"
            raise click.UsageError(msg)


def _refuse_twice(packs: Sequence[str], matrices: "Sequence[ScoreMatrix]") -> None:
    """Two packs of one task and metric: neither may be left out in silence."""
    from nstar.errors import DataError

    first: dict[tuple[str, str], str] = {}
    for path, matrix in zip(packs, matrices, strict=True):
        other = first.setdefault((matrix.task, matrix.metric), path)
        if other is not path:
            what = f"task {matrix.task or '(no name)'!r}, metric {matrix.metric or '(no name)'!r}"
            msg = f"{other} and {path} both hold {what}; give one, or pack their logs together"
            raise DataError(msg)


_LIMITS = ("rows", "columns", "names", "cells", "unpacked", "kept")
_AMOUNT = re.compile(r"(\d[\d_,]*(?:\.\d+)?(?:e\d{1,2})?)\s*([kmgt]?)(i?b)?", re.IGNORECASE)


def _amount(text: str) -> int | None:
    """A number such as 20000000, 2e7, 20M or 2GiB; None for anything else.

    Examples
    --------
    >>> _amount("2e7"), _amount("1.5k"), _amount("2GiB"), _amount("many")
    (20000000, 1500, 2147483648, None)
    """
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return None
    base = 1024 if (found[3] or "").lower() == "ib" else 1000
    power = " kmgt".index(found[2].lower() or " ")
    return round(float(found[1].replace("_", "").replace(",", "")) * base**power)


def _parsed(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> tuple[tuple[str, int], ...]:
    pairs = []
    for value in values:
        name, _, text = re.sub(r"[=:]", "=", value, count=1).partition("=")
        amount = _amount(text)
        if name.strip() not in _LIMITS or not amount:
            known = ", ".join(_LIMITS)
            msg = f"{value!r} is not NAME=NUMBER, such as rows=50M; names are {known}"
            raise click.BadParameter(msg, ctx, param)
        pairs.append((name.strip(), amount))
    return tuple(pairs)


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


@dataclass(frozen=True, kw_only=True)
class LogOptions:
    """How logs are read."""

    from_: str | None = option("--from", metavar="READER", help="Format, instead of guessing.")
    columns: tuple[tuple[str, str], ...] = option(
        "--column",
        multiple=True,
        callback=_parts,
        metavar="PART=COLUMN",
        help="Column of a plain table that plays a part: item=question_id.",
    )
    groups: tuple[str, ...] = option(
        "--group",
        multiple=True,
        metavar="FIELD",
        help="Field of the question to keep as a group of items.",
    )
    errors: "ErrorPolicy" = option(
        "--errors",
        type=click.Choice(["harness", "missing", "zero"]),
        default="harness",
        show_default=True,
        help="Samples that ended in an error: as the harness counts them, no score (so "
        "too a code such as -1), or 0.",
    )
    runs: "RunPolicy" = option(
        "--runs",
        type=click.Choice(["latest", "all"]),
        default="latest",
        show_default=True,
        help="Several logs of one model and task: the latest complete, or all as runs.",
    )
    skip_bad: int = option(
        "--skip-bad",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Skip and report up to N unreadable rows.",
    )
    most: tuple[tuple[str, int], ...] = option(
        "--max",
        multiple=True,
        callback=_parsed,
        metavar="NAME=NUMBER",
        help="Raise a limit for logs you trust: rows=50M, unpacked=2GiB.",
    )
    follow_links: bool = option(
        "--follow-links", is_flag=True, help="Follow links that lead out of a folder."
    )

    def limits(self) -> "Limits":
        """The limits with those that the user raised."""
        from nstar._data.limits import Limits

        return Limits(**dict[str, Any](self.most))

    def options(
        self, progress: "Callable[[str, int, int | None], None] | None" = None
    ) -> "Options":
        """As the readers take it."""
        from nstar.readers import Options

        return Options(
            format=self.from_,
            errors=self.errors,
            runs=self.runs,
            skip_bad=self.skip_bad,
            groups=self.groups,
            columns=self.columns,
            limits=self.limits(),
            links=self.follow_links,
            progress=progress,
        )


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(LogOptions):
    """How logs are read, brought together, and what in them is allowed."""

    duplicates: "Duplicates" = option(
        "--duplicates",
        type=click.Choice(["refuse", "first", "last", "mean", "runs"]),
        default="refuse",
        show_default=True,
        help="Several rows of one model, item and run: which counts, or each as a run.",
    )
    allow: tuple[str, ...] = option(
        "--allow",
        multiple=True,
        metavar="CODE",
        help="Go on in spite of a fatal finding, such as failed-run.",
    )

    @property
    def settled(self) -> "Duplicates":
        """Which of contradicting rows counts: their mean, if the user only allowed them."""
        if self.duplicates == "refuse" and "conflicting-rows" in self.allow:
            return "mean"
        return self.duplicates

    @property
    def coded(self) -> "Coded":
        """What codes such as -1 count as: themselves, if the user only allowed them."""
        if self.errors == "harness" and "off-scale" in self.allow:
            return "keep"
        return self.errors


ABOUT_LOGS = frozenset(f.name for f in fields(ReadingOptions)) - {"allow"}
"""Options that say how logs are read, and nothing of a packed matrix."""


class Wanted(Protocol):
    """Options that say which tasks and which metric are meant."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """Only these; all if there are none."""

    @property
    def metric(self) -> str | None:
        """Instead of the first one of the log."""


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """Which tasks and which metric are meant."""

    tasks: tuple[str, ...] = option(
        "--task", multiple=True, metavar="TASK", help="Only these tasks."
    )
    metric: str | None = option(
        "--metric", metavar="METRIC", help="Metric, instead of the first one of the log."
    )


def align(
    paths: Iterable[str],
    reading: ReadingOptions,
    models: "Models | None" = None,
    *,
    duplicates: "Duplicates | None" = None,
) -> "tuple[list[ScoreMatrix], Journal]":
    """The matrices of the logs below some paths, of wanted models only, and what was noted."""
    from nstar._data.align import directed, matrices
    from nstar.readers import scan

    paths = list(paths)
    refuse_packs(paths)
    progress = ReadingProgress()
    try:
        options = reading.options(progress)
        scanned = scan(paths, options)

        def batches() -> "Iterator[pa.RecordBatch]":
            yield from scanned.batches() if models is None else map(models.rows, scanned.batches())

        found = matrices(
            batches,
            duplicates=duplicates or reading.settled,
            errors=reading.coded,
            limits=options.limits,
        )
    finally:
        progress.clear()
    return directed(found, scanned.journal.sources), scanned.journal


def load(
    paths: Iterable[str],
    reading: ReadingOptions,
    *,
    notes: Sequence[str] = (),
    bad: Sequence[str] = (),
) -> "Coverage":
    """What the logs below some paths hold; what was noted before is told again."""
    from nstar._verbs.coverage import coverage
    from nstar.errors import ReadError
    from nstar.readers import nothing_in

    found, journal = align(paths, reading, duplicates=reading.duplicates)
    if not found:
        raise ReadError(nothing_in(journal.sources))
    return coverage(
        found,
        journal.sources,
        notes=[*notes, *map(in_flags, journal.notes)],
        bad=[*bad, *journal.bad],
        allowed=reading.allow,
    )
