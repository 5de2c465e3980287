"""Interface of a reader: a name, format detection, the units to read, and a streaming read.

To add a format, add a file with one :class:`Reader` to this folder and list it in ``SIGNS``.
Alternatively, write a package with an entry point in the group ``nstar.readers``.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, Protocol, TypeAlias, get_args

import pyarrow as pa

from nstar._base import checks
from nstar._base.parameter_types import ErrorPolicy, RunPolicy
from nstar._data import arrow
from nstar._data.read_limits import Limits
from nstar._data.table import LABEL, TYPES, Source, constant
from nstar.errors import ParameterError, ReadError, arg
from nstar.readers._files import Place

Role: TypeAlias = Literal["log", "companion"] | None
"""Role of a file: it holds scores, is read together with such a file, or neither."""

LOWER = "lower_is_better"
"""Role of a score column in which lower is better."""

BATCH = 1 << 16
"""Number of rows per Arrow batch on the JSON path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderOptions:
    """Options for reading logs."""

    reader: str | None = None
    """Name of the reader to use instead of detecting the format."""
    errors: ErrorPolicy = "harness"
    """Score of samples that ended in an error: that of the harness, ``missing``, or ``zero``."""
    runs: RunPolicy = "latest"
    """Which of several logs of one model and task to read: the latest complete one, or ``all`` as
    runs.
    """
    skip_bad: int = 0
    """Largest number of unreadable rows to skip."""
    groups: tuple[str, ...] = ()
    """Additional fields of the question to keep as groups of items."""
    columns: tuple[tuple[str, str], ...] = ()
    """Pairs of a role and a column, for plain tables with other column names: ``("item", "qid")``.
    """
    limits: Limits = field(default_factory=Limits)
    """Limits on the resources that a log may use."""
    declared: tuple[str, ...] = ()
    """Columns of plain tables that are declared as strata or clusters. They are kept if they
    exist.
    """
    follow_links: bool = False
    """Whether to follow symbolic links that lead out of the folder that the user named."""
    lower_is_better: bool = False
    """Whether lower scores are better. A log that contradicts this raises an error."""
    measure: str | None = None
    """Column that takes the place of the scores, such as ``latency_s``, in logs that have it."""
    growing: bool = False
    """Whether files are still being written, so that an incomplete last line is ignored."""
    progress: Callable[[str, int, int | None], None] | None = None
    """Callback with the file, the bytes read, and the total bytes (None if unknown)."""

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
        """Use the column of lower-is-better scores as the score column, and keep its direction."""
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
        """Return the column that the user named for a role, if any."""
        return dict(self.columns).get(part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Unit of reading: a log file with its companions, or a folder of small files."""

    place: Place
    """The file to read, or the file that represents the folder."""
    model: str | None = None
    """Name of the model if known before reading. Logs with equal ``model`` and ``task`` are rival
    runs.
    """
    several: bool = False
    """Whether the unit holds several models, so that ``model`` only identifies rival runs."""
    task: str | None = None
    """Name of the task if known before reading."""
    started: str = ""
    """Start of the run, as text that sorts chronologically."""
    complete: bool = True
    """Whether the run is complete; False if it stopped early, failed, or was limited on purpose.
    """
    run: str | None = None
    """Value for the run column; set if all rival runs are kept."""
    lent: bool = False
    """Whether the log names no model, so that ``model`` is the name of its file or folder."""
    called: str | None = None
    """Name that replaces the reader's model name if another log has the same name; set later."""
    context: Any = None
    """Data that the reader needs when it reads the unit."""


@dataclass(slots=True, kw_only=True)
class SourceDraft:
    """Draft of a :class:`~nstar._data.table.Source`, which documents the fields."""

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
        """Count rows that are left out, by reason."""
        self.dropped[reason] += rows

    def freeze(self, **tallied: Any) -> Source:
        """Return the finished record."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        fields["dropped"] = dict(self.dropped)
        fields["notes"] = tuple(dict.fromkeys(self.notes))
        return Source(**fields, **tallied)


@dataclass(slots=True, kw_only=True)
class Journal:
    """Record of reading logs. Each call has its own journal."""

    options: ReaderOptions = field(default_factory=ReaderOptions)
    """Options for reading."""
    sources: list[Source] = field(default_factory=list)
    """Records of the logs that have been read."""
    bad: list[str] = field(default_factory=list)
    """Messages about skipped rows."""
    notes: list[str] = field(default_factory=list)
    """Notes that concern more than one log, such as superseded runs and unreadable files."""
    drafts: list[SourceDraft] = field(default_factory=list)
    """Records of the logs in the current unit. Batches belong to the last one."""

    def source(self, place: Place | str, reader: str, **known: Any) -> SourceDraft:
        """Start the record of the next log to read."""
        draft = SourceDraft(path=str(place), reader=reader, **known)
        self.drafts.append(draft)
        return draft

    def bad_row(self, place: Place | str, line: int | None, problem: str) -> None:
        """Skip one row if ``skip_bad`` allows it; otherwise raise ReadError.

        Parameters
        ----------
        place : Place or str
            The file.
        line : int or None
            Line or element in the file, counted from 1.
        problem : str
            Description of the bad value, and how to fix it.
        """
        where = str(place) if line is None else f"{place}:{line}"
        self.bad.append(f"{where}: {problem}")
        if len(self.bad) > self.options.skip_bad:
            allowed = self.options.skip_bad
            rows = "row was" if allowed == 1 else "rows were"
            limit_text = f" ({allowed} unreadable {rows} allowed)" if allowed else ""
            end = "" if problem.endswith("?") else "."
            advice = f"{end} Set {arg('skip_bad', 'N')} to skip up to N unreadable rows."
            hint = "" if allowed else advice
            msg = f"{where}: {problem.rstrip('.')}{hint}{limit_text}"
            raise ReadError(msg)

    def error_score(self, harness_counts: Literal["missing", "zero"]) -> float | None:
        """Return the score of a sample that ended in an error; ``None`` means missing."""
        policy = self.options.errors
        choice = harness_counts if policy == "harness" else policy
        if self.drafts:
            draft = self.drafts[-1]
            draft.errors_as = choice
            draft.drop("errors")
            if choice != harness_counts:
                draft.aggregates.clear()  # the means of the harness count errors differently
        return 0.0 if choice == "zero" else None


class Reader(Protocol):
    """Protocol of a reader of one format."""

    name: str
    """Short name by which a user selects the reader."""

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return the role of a file if it is of the format, else None.

        ``head`` contains the first 64 KiB of the file. This method must not raise.
        """
        ...

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        """Return the units to read among the files that were recognized as logs."""
        ...

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Yield the scores in batches of Table columns, after ``journal.source(...)``."""
        ...


class Rows:
    """Buffer of rows that become Arrow columns.

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
        """Add one row. Values are in the order of the columns."""
        self._rows.append(values)

    @property
    def full(self) -> bool:
        """Return whether it is time to yield :meth:`batch`."""
        return len(self._rows) >= BATCH

    def __len__(self) -> int:
        return len(self._rows)

    def batch(self, **constants: str | None) -> pa.RecordBatch:
        """Return the rows as a batch, with constant columns, and clear the buffer."""
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
    """Return 64 bits that identify a question, from a hex digest or by hashing other text.

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
    """Return a batch or table with float64 scores, because readers may yield one-byte integers."""
    index = rows.schema.get_field_index("score")
    score = rows.column(index)
    if score.type == pa.float64():
        return rows
    return rows.set_column(index, "score", score.cast(pa.float64()))
