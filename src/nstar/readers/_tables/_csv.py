"""Read CSV and similar formats.

Delimiter, header, and encoding are detected; all cells are texts.
"""

import atexit
import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from contextvars import copy_context
from functools import partial
from time import monotonic, sleep
from typing import Any, TypeVar
from weakref import ref

import pyarrow as pa
import pyarrow.csv as pc

from nstar._data import arrow
from nstar._data.table import LABEL
from nstar.errors import ReadError
from nstar.readers._base import Journal
from nstar.readers._files import Place
from nstar.readers._read_errors import UNFINISHED, printable, workbook
from nstar.readers._stream import LogStream, stream
from nstar.readers._tables._frame import Chunk, Column, ColumnKind, arrow_errors
from nstar.readers._tables._scores import POINTS

_DELIMITERS = ",;\t|"
_BLOCK = 16 << 20
"""Number of bytes parsed at a time. No row may be longer."""
_LEAST_BLOCK = 1 << 16
"""Minimum number of bytes to allocate."""
_HEADER_CAP = 8 << 20
"""Number of bytes that must contain the header and some rows."""
_HEAD = 200
"""Number of rows from which the type of a column is detected."""
_MAX_DICTIONARY_COLUMNS = 1000
"""Maximum number of columns that are dictionary-encoded while they are parsed."""
_PATIENCE = 60.0
"""Seconds to wait for Arrow's threads, which may be in the middle of a slow read."""
_COMMA_IN_ROW = re.compile(r"\d,\d")
_WIDE_TEXT = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

T = TypeVar("T")


def header_of(text: str) -> tuple[str, list[str]]:
    r"""Return the delimiter and the column names, from the first two lines.

    >>> header_of("item;score (0,5)\nq1;1\n")
    (';', ['item', 'score (0,5)'])
    """
    cuts = {mark: _cells(text, mark) for mark in _DELIMITERS}
    second = text.partition("\n")[2]
    agree = [m for m in _DELIMITERS if len(cuts[m]) > 1 and len(_cells(second, m)) == len(cuts[m])]
    best = max(agree or _DELIMITERS, key=lambda mark: len(cuts[mark]))
    return best, cuts[best]


def _cells(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error:
        return []


def ended_rows(
    pieces: Iterable[bytes], is_row: Callable[[bytes], bool], unfinished: Callable[[], None]
) -> Iterator[bytes]:
    r"""Yield the pieces up to the end of the last complete row.

    A line end is the end of a row if the number of quotes before it is even, or if the line is a
    complete row by itself. The second case covers a quote that stands for inches.

    >>> notes = []
    >>> rows = ended_rows([b'x,"1\n', b'2"\ny,"3\n4'], lambda _: False, lambda: notes.append("?"))
    >>> b"".join(rows), notes
    (b'x,"1\n2"\n', ['?'])
    """
    pieces_of_row: deque[bytes] = deque()
    length = quotes = 0
    for piece in pieces:
        pieces_of_row.append(piece)
        length += len(piece)
        while length - len(pieces_of_row[0]) > _BLOCK:  # no row may be longer
            first = pieces_of_row.popleft()
            length -= len(first)
            quotes += first.count(b'"')
            yield first
    rest = b"".join(pieces_of_row)
    end = rest.rfind(b"\n")
    quotes += rest.count(b'"', 0, max(end, 0))
    while end >= 0 and quotes % 2:
        before = rest.rfind(b"\n", 0, end)
        line = rest[before + 1 : end]
        if is_row(line):
            break
        quotes -= line.count(b'"')
        end = before
    if rest[end + 1 :].strip():
        unfinished()
    yield rest[: end + 1]


class _ArrowSide:
    """A Python object for Arrow's threads, with one attribute that they call.

    Arrow keeps a reference to this object, but no stack frame does. A weak reference therefore
    shows when Arrow's threads have released it, even while an exception keeps the frames.
    """

    __slots__ = ("__weakref__", "closed", "read")

    def __init__(self, read: Callable[[int], memoryview]) -> None:
        self.read = read
        self.closed = False


class _ArrowBlocks:
    """Batches that Arrow parses from a stream of pieces. Text that is not UTF-8 raises an error.

    Arrow reads ahead in its own threads, which need the interpreter to read a piece and to release
    objects. If the interpreter ends first, such a thread aborts the process or hangs it. ``close``
    therefore stops the reading and waits until Arrow has released all Python objects.
    """

    def __init__(self, place: Place, pieces: Iterable[bytes]) -> None:
        self._place = place
        self._pieces = iter(pieces)
        self._rest = b""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._offset = 0
        self._context = copy_context()
        self._closed = False
        self._held: list[ref[Any]] = []
        self._reader: Any = None
        self.trouble: Exception | None = None
        """Error that ended the reading too early, if any."""
        atexit.register(self.close)  # for a generator that an exception keeps alive

    def batches(
        self, unfit: Callable[[Any], str], parse: Mapping[str, Any], **options: Any
    ) -> Iterator[pa.RecordBatch]:
        """Yield all batches; ``unfit`` decides about rows with a different number of cells."""
        try:
            self._reader = pc.open_csv(
                pa.PythonFile(self._lent(_ArrowSide(self._read)), "r"),
                parse_options=pc.ParseOptions(
                    invalid_row_handler=self._lent(partial(unfit)), **parse
                ),
                **options,
            )
            while (batch := next(self._reader, None)) is not None:
                self._refuse()
                yield batch
        except pa.ArrowException:
            self._refuse()
            raise
        self._refuse()

    def _refuse(self) -> None:
        """Raise the error that occurred in the thread that reads."""
        if self.trouble is not None:
            raise self.trouble

    def close(self) -> None:
        """Stop reading, and wait for Arrow's threads. Afterwards, the input can be closed."""
        self._closed = True
        self._reader = None
        until = monotonic() + _PATIENCE
        while any(lent_ref() is not None for lent_ref in self._held) and monotonic() < until:
            sleep(0.001)
        atexit.unregister(self.close)

    def _lent(self, thing: T) -> T:
        self._held = [lent_ref for lent_ref in self._held if lent_ref() is not None]
        self._held.append(ref(thing))
        return thing

    def _read(self, size: int) -> memoryview:
        """Return ``size`` bytes, or fewer at the end.

        Arrow calls this function in its own thread, where messages must spell parameters as in the
        calling thread. An exception is stored for the thread that requests batches, because
        ``close`` could not wait for references from Arrow's threads.
        """
        try:
            piece = self._context.run(self._next, size)
        except Exception as error:
            self.trouble = error
            piece = b""
        return self._lent(memoryview(piece))

    def _next(self, size: int) -> bytes:
        parts = [self._rest]
        length = len(self._rest)
        while length < size:
            piece = b"" if self._closed else next(self._pieces, b"")
            self._check(piece, last=not piece and not self._closed)
            if not piece:
                break
            parts.append(piece)
            length += len(piece)
        joined = b"".join(parts)
        self._rest = joined[size:]
        return joined[:size]

    def _check(self, piece: bytes, *, last: bool) -> None:
        pending = len(self._decoder.getstate()[0])
        try:
            self._decoder.decode(piece, last)
        except UnicodeDecodeError as error:
            at = self._offset - pending + error.start
            msg = (
                f"{self._place}: not valid UTF-8 at byte {at} (0x{error.object[error.start]:02x})."
                " Convert it, for example with iconv -f LATIN1 -t UTF-8."
            )
            raise ReadError(msg) from error
        self._offset += len(piece)


class CsvFrame:
    """A file of delimited text with a header line."""

    def __init__(self, place: Place, journal: Journal) -> None:
        self._place = place
        self._journal = journal
        self.extras: Mapping[bytes, bytes] = {}
        self._delimiter, names = header_of(self._beginning())
        text = f"{place}: the table has {len(names):,} columns"
        journal.options.limits.refuse("columns", len(names), text, error=ReadError)
        self._refuse_headless(names)
        self._names = names
        self._places = {name: k for k, name in enumerate(names)}
        self._bad: list[tuple[int, str]] = []
        self._first = self._first_rows()
        self.columns = tuple(Column(n, _kind(self._first, k)) for k, n in enumerate(names))

    def _beginning(self) -> str:
        first_bytes = b""
        with stream(self._place, None, self._journal.options.limits) as pieces:
            for piece in pieces:
                first_bytes += piece
                if first_bytes.count(b"\n") > 1 or len(first_bytes) > _HEADER_CAP:
                    break
        begun = not self._journal.options.growing or b"\n" in first_bytes
        if not first_bytes.strip() or not begun:
            msg = f"{self._place}: the file is empty."
            raise ReadError(msg)
        if first_bytes.startswith(_WIDE_TEXT):
            msg = f"{self._place}: the file is UTF-16. Convert it with iconv -f UTF-16 -t UTF-8."
            raise ReadError(msg)
        if (sheet := workbook(self._place.name)) is not None:
            msg = f"{self._place}: this {sheet}"
            raise ReadError(msg)
        if b"\0" in first_bytes[:4096]:
            msg = (
                f"{self._place}: the file contains NUL bytes, so it is not a text table. Save the "
                "table as CSV."
            )
            raise ReadError(msg)
        return first_bytes.decode("utf-8-sig", "replace").lstrip("\r\n")

    def _refuse_headless(self, names: Sequence[str]) -> None:
        if not any(map(_is_number, names)) or not all(_is_number(n) or not n for n in names):
            return
        names_text = printable(", ".join(names[:5]))
        msg = (
            f"{self._place}: the first line contains only numbers ({names_text}). A table "
            "needs a header line with column names."
        )
        raise ReadError(msg)

    def _first_rows(self) -> pa.RecordBatch:
        """Return the first rows with all columns.

        Rows with too many or few cells are left for later.
        """
        names = self._names
        with closing(self._batches(range(len(names)), head=True)) as batches:
            first = next((b.slice(0, _HEAD) for b in batches if b.num_rows), None)
        if first is not None:
            return first
        return pa.RecordBatch.from_arrays(
            [arrow.array([], pa.string())] * len(names), [str(k) for k in range(len(names))]
        )

    def refuse_rows(self, across: int) -> None:
        """Do nothing, because text declares no size. Rows are counted while they are read."""

    def head(self, names: Sequence[str]) -> pa.RecordBatch:
        """Return the first rows of these columns."""
        columns = [self._first.column(self._places[n]) for n in names]
        return pa.RecordBatch.from_arrays(columns, list(names))

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield all rows of these columns, as texts."""
        n_done = 0
        with closing(self._batches([self._places[n] for n in names])) as batches:
            for block in batches:
                self._tell_bad()
                batch = pa.RecordBatch.from_arrays(block.columns, list(names))
                yield Chunk(batch, partial(_line, n_done, [line for line, _ in self._bad]))
                n_done += batch.num_rows
        self._tell_bad()

    def _batches(self, places: Sequence[int], *, head: bool = False) -> Generator[pa.RecordBatch]:
        """Yield some columns of all rows. Arrow's errors are raised with the name of the file."""
        self._bad, self._told = [], 0
        max_bad = self._journal.options.skip_bad - len(self._journal.bad)

        def unfit(row: Any) -> str:
            if blocks.trouble is not None:
                return "skip"  # the row ends where the data end
            text = (
                f"the row has {row.actual_columns} cells, but the header has "
                f"{row.expected_columns}"
            )
            has_extra_cells = row.actual_columns > row.expected_columns and self._delimiter == ","
            fix = "correct the row or quote its cells"
            if has_extra_cells and _COMMA_IN_ROW.search(row.text):
                fix += f"; if a comma is the decimal separator, {POINTS}"
            self._bad.append((row.number, f"{text}: {printable(row.text[:60])!r}; {fix}"))
            return "skip" if head or len(self._bad) <= max_bad else "error"

        keys = [str(k) for k in places]  # positions, because names may occur twice
        kind = pa.string() if head or len(keys) > _MAX_DICTIONARY_COLUMNS else LABEL
        options = self._journal.options
        with stream(self._place, options.progress, options.limits) as pieces:
            rows = self._ended(pieces, notes_unfinished=not head) if options.growing else pieces
            try:
                with (
                    arrow_errors(self._place, "delimited text"),
                    closing(_ArrowBlocks(self._place, rows)) as blocks,
                ):
                    yield from blocks.batches(
                        unfit,
                        {"delimiter": self._delimiter, "newlines_in_values": True},
                        read_options=pc.ReadOptions(
                            block_size=_block(pieces.length),
                            use_threads=False,
                            column_names=[str(k) for k in range(len(self._names))],
                            skip_rows_after_names=1,
                        ),
                        convert_options=pc.ConvertOptions(
                            column_types=dict.fromkeys(keys, kind),
                            include_columns=keys,
                            strings_can_be_null=False,
                            check_utf8=False,
                        ),
                    )
            except ReadError:
                if not head:
                    self._tell_bad()
                raise

    def _ended(self, pieces: LogStream, *, notes_unfinished: bool) -> Iterator[bytes]:
        """Yield the pieces of complete rows."""
        note = partial(self._journal.notes.append, f"{self._place}: {UNFINISHED}")
        return ended_rows(pieces, self._is_row, note if notes_unfinished else lambda: None)

    def _is_row(self, line: bytes) -> bool:
        """Return whether a line is a complete row, without an open quote."""
        text = io.StringIO(line.decode("utf-8", "replace"), newline="")
        try:
            cells = next(csv.reader(text, delimiter=self._delimiter, strict=True), [])
        except csv.Error:
            return False
        return len(cells) == len(self._names)

    def _tell_bad(self) -> None:
        for line, problem in self._bad[self._told :]:
            self._told += 1
            self._journal.bad_row(self._place, line, problem)


def _block(length: int | None) -> int:
    """Return the number of bytes to parse at a time, which is small for a short file."""
    return _BLOCK if length is None else min(_BLOCK, max(length + 1, _LEAST_BLOCK))


def _line(n_done: int, skipped: Sequence[int], row: int) -> int:
    """Return the line number of a row, counting the header and skipped rows."""
    line = n_done + row + 2
    for other in skipped:
        line += other <= line
    return line


def _kind(rows: pa.RecordBatch, place: int) -> ColumnKind:
    """Return the kind of a column, from its first cells."""
    texts = {t.strip().lower() for t in rows.column(place).to_pylist()} - {""}
    if not texts:
        return "empty"
    if texts <= {"true", "false"}:
        return "truth"
    return "number" if all(_is_number(t) for t in texts) else "text"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
