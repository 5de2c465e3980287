"""Follow logs that are still being written, and return new scores at each look.

For JSON Lines of plain rows, reading continues where the last look ended; only complete lines are
read. Any other log is read again when one of its files has changed.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from glob import glob
from hashlib import sha256
from io import RawIOBase
from os import fstat
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, BinaryIO, NamedTuple

import msgspec

from nstar._data.table import KNOWN, Source
from nstar.errors import ReadError
from nstar.readers import scan
from nstar.readers._base import Journal, ReaderOptions
from nstar.readers._common import GROUP_FIELDS
from nstar.readers._doubled_keys import DoubledKeys
from nstar.readers._files import Place
from nstar.readers._stream import text_head
from nstar.readers._tables import form_of

__all__ = ["Follower", "Row", "begun", "follow", "follow_stream", "stamp"]

_BROKEN = (msgspec.DecodeError, ValueError, OverflowError, RecursionError)
"""Exceptions that an invalid line can raise."""

_PARTS = ("model", "task", "metric", "item", "run", "score", "cost", "a", "b")
_ABSENT = object()


class Row(NamedTuple):
    """Score of one model on one item."""

    model: str
    task: str
    metric: str
    item: str
    run: str | None
    score: float | None
    group: str | None
    cost: float | None
    lower_is_better: bool = False


@dataclass(slots=True)
class _LineParser:
    """Parser of lines with ``item`` and either ``score`` and ``model``, or ``a`` and ``b``."""

    where: str
    options: ReaderOptions
    journal: Journal = field(init=False)
    count: int = 0
    _fields: dict[str, str] = field(init=False)
    """Field of each role."""
    _groups: tuple[str, ...] = field(init=False)
    """Fields that may contain a group, in order of preference."""
    _doubled: DoubledKeys = field(init=False)

    def __post_init__(self) -> None:
        self.journal = Journal(options=self.options)
        self._doubled = DoubledKeys()
        self._fields = {part: self.options.column(part) or part for part in _PARTS}
        group_fields = self.options.groups
        self._groups = tuple(dict.fromkeys((*group_fields, "group", *GROUP_FIELDS)))

    def rows(self, line: bytes) -> Iterator[Row]:
        """Yield the rows of one line. An invalid line is skipped if the options allow."""
        self.count += 1
        if not line.strip():
            return
        try:
            yield from self._parsed(line)
        except (KeyError, *_BROKEN) as error:
            self.journal.bad_row(self.where, self.count, _problem(error))

    def _parsed(self, line: bytes) -> list[Row]:
        problem = self._doubled.problem(line)
        if problem is not None:
            raise ValueError(problem)
        record = msgspec.json.decode(line)
        if not isinstance(record, dict):
            msg = 'expected an object such as {"item": "q1", "a": 1, "b": 0}'
            raise ValueError(msg)  # noqa: TRY004 told by its line
        fields = self._fields
        if fields["a"] in record and fields["b"] in record:
            return [self._row(record, n, record[fields[n]]) for n in ("a", "b")]
        model = _text(record[fields["model"]], "model")
        return [self._row(record, model, record[fields["score"]])]

    def _row(self, record: dict[str, Any], model: str, score: Any) -> Row:
        fields = self._fields

        def field_of(part: str) -> str | None:
            value = record.get(fields[part], _ABSENT)
            return None if value is _ABSENT else _text(value, part)

        return Row(
            model,
            field_of("task") or "",
            field_of("metric") or "score",
            _text(record[fields["item"]], "item"),
            field_of("run"),
            _number(score, "score"),
            self._group(record),
            _number(record.get(fields["cost"]), "cost"),
            self.options.lower_is_better,
        )

    def _group(self, record: dict[str, Any]) -> str | None:
        if record.keys().isdisjoint(self._groups):
            return None
        group_values = (record.get(name) for name in self._groups)
        return next((str(value) for value in group_values if value is not None), None)


def _problem(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"no field {error}; a line needs the fields item, a and b, or item, model and score"
    return str(error)


def _text(value: Any, part: str) -> str:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    msg = f"{part} must be text or a whole number; got {value!r:.80}"
    raise ValueError(msg)


def _number(value: Any, part: str) -> float | None:
    if value is None or isinstance(value, bool | int | float):
        return None if value is None or value != value else float(value)  # noqa: PLR0124 NaN
    msg = f"{part} must be a number, true, false, or null; got {value!r:.80}"
    raise ValueError(msg)


def _is_plain(line: bytes, options: ReaderOptions) -> bool:
    """Return whether a line is a plain row or invalid, rather than a harness's sample."""
    try:
        record = msgspec.json.decode(line)
    except _BROKEN:
        return True
    if not isinstance(record, dict):
        return True
    has = [(options.column(part) or part) in record for part in ("item", "score", "a", "b")]
    return has[0] and (has[1] or (has[2] and has[3]))


def _is_whole(line: bytes) -> bool:
    """Return whether a line without a line end is nevertheless a complete object."""
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except _BROKEN:
        return False


_LINES = (".jsonl", ".ndjson")
_TELL = 20_000
"""Number of lines between two calls of the progress callback."""
_LONG_HEADER = 1 << 15
"""Number of bytes from which an incomplete first line is no longer waited for."""
_MAX_LINE_BYTES = 1 << 24
"""Maximum size of a line in bytes."""
_STDIN = "standard input"
_PIECE_BYTES = 1 << 16
"""Number of bytes read from standard input in one step, as many as a pipe holds."""
_PIECES = 256
"""Maximum number of pieces of standard input that wait for parsing."""
_PAUSE = 0.05
"""Seconds between reads of a nonblocking descriptor."""


class Follower(ABC):
    """A growing log."""

    trouble: str | None = None
    """Error that prevented reading, if any. The file may not exist yet."""
    ended: bool = False
    """Whether no more data can arrive."""
    sources: tuple[Source, ...] = ()
    """Metadata of the logs."""
    left: str | None = None
    """Sentence about contents that were not read."""

    @abstractmethod
    def poll(self) -> list[Row]:
        """Return new rows since the last call. For logs that are read again, return all rows."""


def stamp(path: str) -> tuple[tuple[str, int, int], ...]:
    """Return names, sizes, and times of all files under a path or pattern; empty without files."""
    out = []
    for top in sorted(glob(path)) or [path]:  # noqa: PTH207 absolute too
        place = Path(top)
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in files:
            try:
                stat = file.stat()
            except OSError:
                continue
            out.append((str(file), stat.st_size, stat.st_mtime_ns))
    return tuple(out)


def begun(path: str) -> bool:
    """Return whether a file has at least one complete line."""
    place = Place(path)
    if place.is_dir() or not place.size():
        return False
    head = text_head(place)
    text = form_of(head) in {"text", "object"}
    return not text or b"\n" in head or len(head) > _LONG_HEADER or _is_whole(head)


def follow(path: str, options: ReaderOptions) -> Follower:
    """Follow a file, a folder, or a pattern, which need not exist yet."""
    return _File(Path(path), options) if path.endswith(_LINES) else _RereadLog(path, options)


def follow_stream(stream: BinaryIO, options: ReaderOptions) -> Follower:
    """Follow JSON Lines that another program writes to standard input."""
    return _Stream(stream, options)


def _refuse_long(line: bytes, where: str) -> None:
    if len(line) >= _MAX_LINE_BYTES and not line.endswith(b"\n"):
        msg = f"{where}: a line exceeds {_MAX_LINE_BYTES:,} bytes."
        raise ReadError(msg)


class _File(Follower):
    """JSON Lines of plain rows, read from an offset. Other logs are read again."""

    def __init__(self, path: Path, options: ReaderOptions) -> None:
        self._path, self._options = path, options
        self._sheet = _LineParser(str(path), options)
        self._offset = 0
        self._ended_line = True
        self._identity: tuple[int, int] | None = None
        self._first = b""
        self._read = sha256()
        self._again: _RereadLog | None = None

    def poll(self) -> list[Row]:
        if self._again is not None:
            return self._reread(self._again)
        try:
            lines = self._lines()
        except OSError as error:
            self.trouble = f"{self._path}: {error.strerror or error}"
            return []
        if self._sheet.count == 0 and lines and not _is_plain(lines[0], self._options):
            self._again = _RereadLog(str(self._path), self._options)
            return self._reread(self._again)
        self.trouble = None if self._offset else f"{self._path}: still empty"
        return list(self._rows(lines))

    def _rows(self, lines: list[bytes]) -> Iterator[Row]:
        """Yield the rows of the lines, and report the progress."""
        tell, n_done = self._options.progress, 0
        for k, line in enumerate(lines):
            yield from self._sheet.rows(line)
            n_done += len(line)
            if tell is not None and k % _TELL == _TELL - 1:
                tell(str(self._path), n_done, self._offset)

    def _reread(self, reread: "_RereadLog") -> list[Row]:
        rows = reread.poll()
        self.trouble, self.sources = reread.trouble, reread.sources
        return rows

    def _lines(self) -> list[bytes]:
        """Return complete lines. An incomplete line waits for its end."""
        lines: list[bytes] = []
        with self._path.open("rb") as file:
            self._refuse_another(file)
            file.seek(self._offset)
            self.left = None
            while line := file.readline(_MAX_LINE_BYTES):
                _refuse_long(line, str(self._path))
                ended = line.endswith(b"\n")
                if not ended and not _is_whole(line):
                    self.left = f"{self._path}: the last line is incomplete and is skipped"
                    break
                if self._ended_line or line.strip():
                    lines.append(line)
                self._first = self._first if self._offset else line.rstrip()
                self._read.update(line)
                self._offset, self._ended_line = self._offset + len(line), ended
        return lines

    def _refuse_another(self, file: BinaryIO) -> None:
        """Raise an error if the file no longer starts with the bytes that were read.

        The first line is compared every time. If the file was replaced, all bytes that were read
        are compared.
        """
        stat = fstat(file.fileno())
        now = (stat.st_dev, stat.st_ino)
        if stat.st_size < self._offset:
            msg = f"{self._path}: the file became shorter. Was the run started again?"
            raise ReadError(msg)
        if self._offset:
            same = file.readline(_MAX_LINE_BYTES)[: len(self._first)] == self._first
            if now != self._identity:
                file.seek(0)
                same &= sha256(file.read(self._offset)).digest() == self._read.digest()
            if not same:
                msg = (
                    f"{self._path}: the file was replaced by another log. Was the run "
                    "started again?"
                )
                raise ReadError(msg)
        self._identity = now


class _RereadLog(Follower):
    """A log of any format, read again when one of its files has changed."""

    def __init__(self, path: str, options: ReaderOptions) -> None:
        self._path, self._options = path, options
        self._seen: tuple[Any, ...] | None = None
        self._known: dict[tuple[Any, ...], float] = {}

    def poll(self) -> list[Row]:
        now = stamp(self._path)
        if now == self._seen:
            return []
        try:
            log_scan = scan(self._path, self._options)
            rows = [row for batch in log_scan.batches() for row in _rows(batch, self._options)]
        except ReadError as error:
            self.trouble = str(error)
            return []
        self._refuse_another(rows)
        self._seen, self.trouble = now, None
        self.sources = tuple(log_scan.journal.sources)
        lower = {
            metric
            for s in self.sources
            for metric in s.lower_is_better
            if metric not in s.higher_is_better
        }
        return [row._replace(lower_is_better=row.metric in lower) for row in rows]

    def _refuse_another(self, rows: list[Row]) -> None:
        """Raise an error if an earlier score has changed, because the log is of another run."""
        known: dict[tuple[Any, ...], float] = {}
        for row in rows:
            if row.score is not None:
                known.setdefault((row.model, row.task, row.metric, row.item, row.run), row.score)
        for key, score in self._known.items():
            if known.get(key, score) != score:
                msg = f"{self._path}: the score of item {key[3][:80]!r} changed. "
                raise ReadError(msg + "Was the run started again?")
        self._known = known


def _rows(batch: Any, options: ReaderOptions) -> Iterator[Row]:
    """Yield the rows of an Arrow batch. The group is the requested one, else the first one."""
    names = batch.schema.names
    groups = [n for n in names if n not in KNOWN]
    chosen = next((g for g in (*options.groups, *groups) if g in names), None)

    def column(name: str | None, missing: Any = None) -> list[Any]:
        if name is None or name not in names:
            return [missing] * batch.num_rows
        values: list[Any] = batch.column(name).to_pylist()
        return values

    columns = [column(n) for n in ("model", "task", "metric", "item", "run", "score")]
    for values in zip(*columns, column(chosen), column("cost"), strict=True):
        model, task, metric, item, run, score, group, cost = values
        score = None if score is None else float(score)
        yield Row(model, task or "", metric or "score", item, run, score, group, cost)


class _Stream(Follower):
    """JSON Lines from a pipe, read by a thread so that ``poll`` does not block.

    The thread reads the file without a buffer. Python locks a buffer during a read and closes it
    at exit. It would abort if the thread was still waiting for input.
    """

    def __init__(self, stream: BinaryIO, options: ReaderOptions) -> None:
        self._sheet = _LineParser(_STDIN, options)
        self._queue: Queue[bytes | Exception] = Queue(_PIECES)
        self._rest = b""
        raw = getattr(stream, "raw", stream)
        Thread(target=self._read, args=(raw,), daemon=True).start()

    def _read(self, raw: RawIOBase) -> None:
        piece: bytes | None = None
        try:
            while piece != b"":
                piece = raw.read(_PIECE_BYTES)
                if piece is None:  # no data yet from a nonblocking descriptor
                    time.sleep(_PAUSE)
                else:
                    self._queue.put(piece)
        except (OSError, ValueError) as error:
            self._queue.put(error)

    def poll(self) -> list[Row]:
        """Return the rows of the pieces that have arrived. Later pieces wait for the next call."""
        rows: list[Row] = []
        for _ in range(self._queue.qsize()):
            piece = self._queue.get()
            if isinstance(piece, Exception):
                reason = getattr(piece, "strerror", None) or piece
                msg = f"Cannot read {_STDIN}: {reason}. Pipe JSON Lines into it."
                raise ReadError(msg) from piece
            self.ended = not piece
            *lines, self._rest = (self._rest + (piece or b"\n")).split(b"\n")
            for line in lines:
                _refuse_long(line, _STDIN)
                rows += self._sheet.rows(line)
            _refuse_long(self._rest, _STDIN)
        return rows
