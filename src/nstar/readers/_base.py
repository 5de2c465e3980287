"""What a reader is: a name, a sniff, the units it would read, and a streaming read.

A new format is one file in this folder with one :class:`Reader`, listed in ``SIGNS``, or a
third-party package with an entry point in the group ``nstar.readers``.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, Protocol, TypeAlias, get_args

import pyarrow as pa

from nstar._base import checks
from nstar._base.parameter_types import ErrorPolicy, RunPolicy
from nstar._base.record import record
from nstar._data import arrow
from nstar._data.read_limits import Limits
from nstar._data.table import LABEL, TYPES, Source, constant
from nstar.errors import ParameterError, ReadError, arg
from nstar.readers._files import Place

Role: TypeAlias = Literal["log", "companion"] | None
"""A file that holds scores, one that is read together with such a file, or neither."""

LOWER = "lower_is_better"
"""Part of a column of scores of which lower ones are better."""

BATCH = 1 << 16
"""Rows per Arrow batch on the JSON path."""


@record()
class ReaderOptions:
    """How logs are to be read."""

    reader: str | None = None
    """Name of the reader to use instead of guessing."""
    errors: ErrorPolicy = "harness"
    """Samples that ended in an error: as the harness counts them, ``missing`` or ``zero``."""
    runs: RunPolicy = "latest"
    """Several logs of one model and task: the latest complete one, or ``all`` as runs."""
    skip_bad: int = 0
    """Rows that may be unreadable before reading is given up."""
    groups: tuple[str, ...] = ()
    """Fields of the question wanted as groups of items, beside those that readers know."""
    columns: tuple[tuple[str, str], ...] = ()
    """(part, column) for plain tables whose columns have other names: ("item", "qid")."""
    limits: Limits = field(default_factory=Limits)
    """How much a log may ask for before it is refused as a bomb."""
    declared: tuple[str, ...] = ()
    """Columns of plain tables that are declared as strata or clusters: kept if they are there."""
    follow_links: bool = False
    """Follow links that lead out of the folder that was named."""
    lower_is_better: bool = False
    """The user declares that lower scores are better; a log that says otherwise is refused."""
    growing: bool = False
    """Files are being written: of a text table, a last line that has no end yet is left out."""
    progress: Callable[[str, int, int | None], None] | None = None
    """Called with the file, the bytes read and the bytes in all (None if unknown)."""

    def __post_init__(self) -> None:
        checks.choice("errors", self.errors, get_args(ErrorPolicy))
        checks.choice("runs", self.runs, get_args(RunPolicy))
        checks.truth(lower_is_better=self.lower_is_better)
        self._take_lower_scores()
        if isinstance(self.skip_bad, bool) or not isinstance(self.skip_bad, int):
            msg = (
                f"{arg('skip_bad')} must be a whole number of at least 0; got "
                f"{self.skip_bad!r:.60}"
            )
            raise ParameterError(msg)

    def _take_lower_scores(self) -> None:
        """Take the column of lower scores for the score, and keep the direction."""
        lower = [column for part, column in self.columns if part.replace("-", "_") == LOWER]
        if not lower:
            return
        if len(lower) > 1 or self.column("score") is not None:
            msg = (
                f"{arg('columns', f'{LOWER}={lower[0]}')} also chooses the score column. "
                "Set only one score column."
            )
            raise ParameterError(msg)
        others = [pair for pair in self.columns if pair[0].replace("-", "_") != LOWER]
        columns = (*others, ("score", lower[0]))
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "lower_is_better", True)

    def column(self, part: str) -> str | None:
        """The column that plays this part, if the user said so."""
        return dict(self.columns).get(part)


@record()
class Unit:
    """One thing to read: a log file with its companions, or a folder of small files."""

    place: Place
    """The file to read, or the one that stands for the folder."""
    model: str | None = None
    """Model, if known before reading; with ``task`` it decides which units are rival runs."""
    several: bool = False
    """It holds more models than one, and ``model`` only tells rival runs apart."""
    task: str | None = None
    """Task, if known before reading."""
    started: str = ""
    """When the run began, as text that sorts in time."""
    complete: bool = True
    """False for a run that stopped early, failed or was limited on purpose."""
    run: str | None = None
    """Label to write into the run column; set when rival runs are all kept."""
    lent: bool = False
    """The log names no model, so that ``model`` is the name of its file or folder."""
    called: str | None = None
    """Name that the model gets in place of the reader's, where another log has that; set later."""
    context: Any = None
    """Whatever the reader wants to find again when it reads the unit."""


@dataclass(slots=True, kw_only=True)
class SourceDraft:
    """A :class:`~nstar._data.table.Source` in the making; see there for the fields."""

    path: str
    reader: str
    harness: str = ""
    model: str | None = None
    task: str | None = None
    status: str = "success"
    declared_items: int | None = None
    declared_runs: int | None = None
    limited: str | None = None
    stopped: str | None = None
    errors_as: str = "missing"
    dropped: Counter[str] = field(default_factory=Counter)
    settings: dict[str, str] = field(default_factory=dict)
    aggregates: dict[str, float] = field(default_factory=dict)
    lower_is_better: tuple[str, ...] = ()
    higher_is_better: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    def drop(self, reason: str, rows: int = 1) -> None:
        """Count something that is left out."""
        self.dropped[reason] += rows

    def freeze(self, **tallied: Any) -> Source:
        """The finished record."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        fields["dropped"] = dict(self.dropped)
        fields["notes"] = tuple(dict.fromkeys(self.notes))
        return Source(**fields, **tallied)


@dataclass(slots=True, kw_only=True)
class Journal:
    """What happens while logs are read; one per call."""

    options: ReaderOptions = field(default_factory=ReaderOptions)
    """How to read."""
    sources: list[Source] = field(default_factory=list)
    """Finished logs."""
    bad: list[str] = field(default_factory=list)
    """Rows that were skipped, one message each."""
    notes: list[str] = field(default_factory=list)
    """What concerns no single log: superseded runs, files nobody could read."""
    drafts: list[SourceDraft] = field(default_factory=list)
    """Logs of the unit being read; batches belong to the last one."""

    def source(self, place: Place | str, reader: str, **known: Any) -> SourceDraft:
        """Begin the record of the log that is about to be read."""
        draft = SourceDraft(path=str(place), reader=reader, **known)
        self.drafts.append(draft)
        return draft

    def bad_row(self, place: Place | str, line: int | None, problem: str) -> None:
        """Skip one row if ``skip_bad`` allows, else raise.

        Parameters
        ----------
        place : Place or str
            The file.
        line : int or None
            Line or element in the file, counted from 1.
        problem : str
            What is wrong with which value, and how to fix it.
        """
        where = str(place) if line is None else f"{place}:{line}"
        self.bad.append(f"{where}: {problem}")
        if len(self.bad) > self.options.skip_bad:
            allowed = self.options.skip_bad
            limit_text = f" ({allowed} unreadable rows were allowed)" if allowed else ""
            hint = (
                "" if allowed else f". Set {arg('skip_bad', 'N')} to skip up to N unreadable rows."
            )
            msg = f"{where}: {problem.rstrip('.')}{hint}{limit_text}"
            raise ReadError(msg)

    def error_score(self, harness_counts: Literal["missing", "zero"]) -> float | None:
        """Score of a sample that ended in an error; ``None`` is not a score."""
        policy = self.options.errors
        choice = harness_counts if policy == "harness" else policy
        if self.drafts:
            draft = self.drafts[-1]
            draft.errors_as = choice
            draft.drop("errors")
            if choice != harness_counts:
                draft.aggregates.clear()  # the harness's own means count errors otherwise
        return 0.0 if choice == "zero" else None


class Reader(Protocol):
    """One format."""

    name: str
    """Short name, by which a user chooses it."""

    def sniff(self, place: Place, head: bytes) -> Role:
        """Whether this file is of the format; ``head`` is its first 64 KiB. Must not raise."""
        ...

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        """What to read of the files that were sniffed as logs."""
        ...

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """The scores, in batches of Table columns, after ``journal.source(...)``."""
        ...


class Rows:
    """Rows on their way into Arrow columns.

    Examples
    --------
    >>> rows = Rows("item", "score")
    >>> rows.add("q1", 1.0)
    >>> rows.batch(model="m", task="t").num_columns
    4
    """

    __slots__ = ("_columns", "_rows")

    def __init__(self, *columns: str) -> None:
        self._columns = columns
        self._rows: list[tuple[Any, ...]] = []

    def add(self, *values: Any) -> None:
        """One row, in the order of the columns."""
        self._rows.append(values)

    @property
    def full(self) -> bool:
        """Time to yield :meth:`batch`."""
        return len(self._rows) >= BATCH

    def __len__(self) -> int:
        return len(self._rows)

    def batch(self, **constants: str | None) -> pa.RecordBatch:
        """The rows as a batch, with columns that are the same in every row; starts anew."""
        columns = zip(*self._rows, strict=True) if self._rows else ((),) * len(self._columns)
        arrays = {
            name: _arrow(name, values) for name, values in zip(self._columns, columns, strict=True)
        }
        for name, value in constants.items():
            if value is not None:
                arrays[name] = constant(value, len(self._rows))
        self._rows = []
        return pa.RecordBatch.from_pydict(arrays)


def _arrow(name: str, values: tuple[Any, ...]) -> pa.Array:
    kind = TYPES.get(name, LABEL)
    return arrow.labeled(values) if kind == LABEL else arrow.array(values, kind)


_HEX = "0123456789abcdefABCDEF"


def content_key(text: str | bytes) -> int:
    """64 bits of a question's content: of a hex digest its head, of other text a hash.

    Examples
    --------
    >>> content_key("830499c8" + 56 * "0") == 0x830499C800000000
    True
    """
    if isinstance(text, str):
        if len(text) in {32, 40, 64} and not text.strip(_HEX):
            return int(text[:16], 16)
        text = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def scores_as_floats(rows: Any) -> Any:
    """A batch or table whose scores are float64; readers may give whole numbers of one byte."""
    index = rows.schema.get_field_index("score")
    score = rows.column(index)
    if score.type == pa.float64():
        return rows
    return rows.set_column(index, "score", score.cast(pa.float64()))
