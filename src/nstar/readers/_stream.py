"""Stream the bytes of a text log, decompressed, with limits, up to its initial length."""

import io
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa

from nstar._data.read_limits import UNPACKED_PER_BYTE, Limits
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers._read_errors import reading

ReadProgress: TypeAlias = Callable[[str, int, int | None], None]
"""Callback with the file, the bytes read, and the total bytes (None if unknown)."""

CHUNK = 1 << 20
"""Number of bytes per piece."""
REPORT = 4 << 20
"""Number of bytes between two calls of a progress callback."""
_GZIP = b"\x1f\x8b"
_GZIP_MEMBER = 16 + zlib.MAX_WBITS
"""Window bits that make zlib read the header and checksum of gzip."""
_GZIP_FEED = 8192
"""Compressed bytes passed to zlib at a time. It copies those that follow the end of a member."""
_ZSTD = b"\x28\xb5\x2f\xfd"
_OTHERS = (
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"PK\x03\x04", "zip"),
    (b"\x04\x22\x4d\x18", "lz4"),
)
_LONGEST_MAGIC = 6


class _BoundedFile(io.RawIOBase):
    """File that ends at the length it had when it was opened, and counts the bytes read."""

    def __init__(self, place: Place, file: BinaryIO, progress: ReadProgress | None) -> None:
        super().__init__()
        self.place = place
        self.taken = 0
        self._file = file
        self._progress = progress
        self._next_report = REPORT
        self._reported = -1
        self._before = self._state()
        self.size = place.size() if self._before is None else self._before[0]
        self.magic = self._head = self._file.read(_LONGEST_MAGIC)

    def _state(self) -> tuple[int, int] | None:
        """Return the size and modification time of a local file."""
        if self.place.fs is not None:
            return None
        info = os.fstat(self._file.fileno())
        return info.st_size, info.st_mtime_ns

    def readable(self) -> bool:
        return True

    def take(self, n: int) -> bytes:
        """Return the next n bytes, or fewer at the end."""
        if self._before is not None:
            n = min(n, max(0, self._before[0] - self.taken))
        if self._head:
            head, self._head = self._head[:n], self._head[n:]
            data = head + self._file.read(n - len(head))
        else:
            data = self._file.read(n)
        self.taken += len(data)
        if self.taken >= self._next_report:
            self.report()
        return data

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        data = self.take(len(view))
        view[: len(data)] = data
        return len(data)

    def report(self) -> None:
        """Report how much of the file has been read."""
        self._next_report = self.taken + REPORT
        if self._progress is not None and self.taken != self._reported:
            self._reported = self.taken
            self._progress(str(self.place), self.taken, self.size)

    def grown(self) -> bool:
        """Return whether the file has become longer.

        Raise ReadError if it was truncated or rewritten.
        """
        now = self._state()
        if self._before is None or now is None or now == self._before:
            return False
        if now[0] > self._before[0]:
            return True
        msg = (
            f"{self.place}: the file changed while nstar read it. Copy it first, or wait "
            "until the run ends."
        )
        raise ReadError(msg)


class _GzipText:
    """Text of gzip members. Zeros between and after members are padding.

    ``gzip.GzipFile`` does the same, but takes about 30 times as long per member, and a small file
    can contain very many empty members.
    """

    def __init__(self, source: _BoundedFile) -> None:
        self._source = source
        self._packed = b""
        self._member: Any = None

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes; none only at the end."""
        parts: list[bytes] = []
        length = 0
        while length < size and (packed := self._next()):
            if self._member is None:
                self._member = zlib.decompressobj(_GZIP_MEMBER)
            part = self._member.decompress(packed, size - length)
            self._packed = self._member.unconsumed_tail
            if self._member.eof:
                self._packed, self._member = self._member.unused_data, None
            parts.append(part)
            length += len(part)
        return b"".join(parts)

    def _next(self) -> bytes:
        """Return compressed bytes that have not been decompressed; none after the last member."""
        while True:
            self._packed = self._packed or self._source.read(_GZIP_FEED) or b""
            if self._member is not None and not self._packed:
                msg = "the file ends in the middle of a gzip member"
                raise EOFError(msg)
            if self._member is None and self._packed:
                self._packed = self._packed.lstrip(b"\0")
                if not self._packed:
                    continue
            return self._packed

    def close(self) -> None:
        """Do nothing, because the caller closes the source."""


class LogStream:
    """Pieces of a log, with a record of whether it is still being written."""

    def __init__(self, source: _BoundedFile, text: Any, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._text = text
        self.growing = False
        """Whether the log became longer after it was opened; known after the last piece."""

    @property
    def length(self) -> int | None:
        """Return the total bytes, if the file is uncompressed and its size is known."""
        return self._source.size if self._text is self._source else None

    def __iter__(self) -> Iterator[bytes]:
        produced = 0
        while piece := self._piece():
            produced += len(piece)
            if self._text is not self._source:
                _refuse_bomb(self._source.place, produced, self._source.taken, self._limits)
            yield piece
        self.finish()

    def _piece(self) -> bytes:
        place = self._source.place
        with reading(place):
            if self._text is self._source:
                return self._source.take(CHUNK)
            try:
                return bytes(self._text.read(CHUNK))
            except (zlib.error, EOFError, OSError) as error:
                msg = (
                    f"{place}: the compressed data are truncated or damaged ({error}). "
                    "Download the file again."
                )
                raise ReadError(msg) from error

    def finish(self) -> None:
        """Report the end; raise ReadError if the file was truncated or rewritten."""
        self._source.report()
        self.growing = self._source.grown()


def _refuse_bomb(place: Place, produced: int, n_packed: int, limits: Limits) -> None:
    text = f"{place}: {n_packed:,} compressed bytes expand to at least {produced:,} bytes"
    vouched = UNPACKED_PER_BYTE * n_packed
    limits.refuse("unpacked", produced, text, vouched=vouched, error=ReadError)


@contextmanager
def stream(
    place: Place, progress: ReadProgress | None = None, limits: Limits | None = None
) -> Iterator[LogStream]:
    """Open a log as decompressed pieces: ``with stream(place) as pieces``.

    Gzip and zstd are decompressed. Data appended during the read are not read. ``progress`` is
    called every few MiB, and at the end.
    """
    with closing(place.open()) as file:
        with reading(place):
            source = _BoundedFile(place, file, progress)
        with closing(_decompressed(source)) as text:
            yield LogStream(source, text, limits or Limits())


def _decompressed(source: _BoundedFile) -> Any:
    if source.magic.startswith(_GZIP):
        return _GzipText(source)
    if source.magic.startswith(_ZSTD):
        return pa.CompressedInputStream(pa.PythonFile(source, "r"), "zstd")
    for magic, name in _OTHERS:
        if source.magic.startswith(magic):
            msg = (
                f"{source.place}: compressed with {name}, which nstar does not read. "
                "Decompress it first."
            )
            raise ReadError(msg)
    return source


def text_head(place: Place, n: int = 65536) -> bytes:
    """Return the first n bytes for detection, decompressed if the file is gzip or zstd."""
    head = place.head(n)
    if not head.startswith((_GZIP, _ZSTD)):
        return head
    try:
        with stream(place) as pieces:
            return next(iter(pieces), b"")[:n]
    except ReadError:
        return head
