"""Parse the footer and page headers of a Parquet file, in Thrift's compact protocol.

pyarrow does not expose page headers, and reading the columns of a damaged file footer with it
aborts the process.
"""

import struct
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO, NamedTuple

_MAGIC = b"PAR1"
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_DEEP = 32
_PAGE_HEAD = 256
"""Number of bytes read for the header of a page. Longer statistics need further reads."""
_MAX_HEAD_VALUES = 100
"""Maximum number of values in the header of a page. Writers need about 20."""


class ColumnChunk(NamedTuple):
    """A column chunk: one column of a row group."""

    path: str
    values: int
    unpacked: int
    packed: int
    start: int
    """Position of the first page."""


class RowGroup(NamedTuple):
    """A row group."""

    rows: int
    chunks: list[ColumnChunk]


class _ThriftReader:
    """Reader of structs; raises IndexError, struct.error or ValueError on bad bytes."""

    def __init__(self, data: bytes, max_reads: int | None = None) -> None:
        self.data, self.at = data, 0
        self._left = len(data) if max_reads is None else max_reads
        """Number of values that may still be skipped."""

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                msg = "a number has too many bytes"
                raise ValueError(msg)

    def number(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield the number and type of each field; the caller reads or skips its value."""
        last = 0
        while head := self.data[self.at]:
            self.at += 1
            delta, kind = head >> 4, head & 0x0F
            last = last + delta if delta else self.number()
            yield last, kind
        self.at += 1

    def elements(self) -> tuple[int, int]:
        """Return the length of a list and the type of its elements."""
        head = self.data[self.at]
        self.at += 1
        count = head >> 4
        if count == 15:
            count = self.varint()
        if count > len(self.data):
            msg = "a list exceeds the footer"
            raise ValueError(msg)
        return count, head & 0x0F

    def text(self) -> str:
        length = self.varint()
        start, self.at = self.at, self.at + length
        if self.at > len(self.data):
            msg = "a string exceeds the footer"
            raise ValueError(msg)
        return self.data[start : self.at].decode("utf-8", "replace")

    def skip(self, kind: int, depth: int = 0, *, element: bool = False) -> None:
        """Skip a value. An ``element`` of a list stores a boolean in a byte."""
        self._left -= 1
        if self._left < 0:
            msg = "the footer has too many values"
            raise ValueError(msg)
        if depth > _DEEP:
            msg = "the footer is nested too deeply"
            raise ValueError(msg)
        if kind in (_TRUE, _FALSE, _BYTE):
            self.at += int(element or kind == _BYTE)
        elif kind in (_I16, _I32, _I64):
            self.varint()
        elif kind == _DOUBLE:
            self.at += 8
        elif kind == _BINARY:
            length = self.varint()
            self.at += length
        else:
            self._skip_nested(kind, depth + 1)

    def _skip_nested(self, kind: int, depth: int) -> None:
        if kind in (_LIST, _SET):
            count, inner = self.elements()
            for _ in range(count):
                self.skip(inner, depth, element=True)
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth)
        elif kind == _MAP:
            count = self.varint()
            kinds = self.data[self.at] if count else 0
            self.at += bool(count)
            for _ in range(min(count, len(self.data))):
                self.skip(kinds >> 4, depth, element=True)
                self.skip(kinds & 0x0F, depth, element=True)
        else:
            msg = f"type {kind} is unknown"
            raise ValueError(msg)

    def wanted(self, numbers: Collection[int]) -> dict[int, Any]:
        """Return the requested fields of a struct that are numbers."""
        values: dict[int, Any] = {}
        for number, kind in self.fields():
            if number in numbers and kind in (_I16, _I32, _I64):
                values[number] = self.number()
            else:
                self.skip(kind)
        return values


def footer(file: BinaryIO) -> Iterator[RowGroup]:
    """Yield the row groups that a file declares."""
    end = file.seek(0, 2)
    file.seek(max(0, end - 8))
    length, magic = struct.unpack("<I4s", file.read(8))
    if magic != _MAGIC or length > end - 8:
        msg = "the file does not end with a Parquet footer"
        raise ValueError(msg)
    file.seek(end - 8 - length)
    reader = _ThriftReader(file.read(length))
    for number, kind in reader.fields():
        if number == 4 and kind == _LIST:
            count, _ = reader.elements()
            for _ in range(count):
                yield _group(reader)
        else:
            reader.skip(kind)


def _group(reader: _ThriftReader) -> RowGroup:
    rows, chunks = 0, []
    for number, kind in reader.fields():
        if number == 1 and kind == _LIST:
            count, _ = reader.elements()
            chunks += [_chunk(reader) for _ in range(count)]
        elif number == 3 and kind == _I64:
            rows = reader.number()
        else:
            reader.skip(kind)
    return RowGroup(rows, chunks)


def _chunk(reader: _ThriftReader) -> ColumnChunk:
    chunk = ColumnChunk("", 0, 0, 0, 0)
    for number, kind in reader.fields():
        if number == 3 and kind == _STRUCT:
            chunk = _about(reader)
        else:
            reader.skip(kind)
    return chunk


def _about(reader: _ThriftReader) -> ColumnChunk:
    path, numbers = "", {}
    for number, kind in reader.fields():
        if number == 3 and kind == _LIST:
            count, _ = reader.elements()
            path = ".".join(reader.text() for _ in range(count))
        elif number in (5, 6, 7, 9, 11) and kind == _I64:
            numbers[number] = reader.number()
        else:
            reader.skip(kind)
    start = min((numbers[k] for k in (9, 11) if numbers.get(k)), default=0)
    return ColumnChunk(path, numbers.get(5, 0), numbers.get(6, 0), numbers.get(7, 0), start)


def pages(file: BinaryIO, chunk: ColumnChunk) -> Iterator[int]:
    """Yield the unpacked size of each page of a chunk, according to its header."""
    at, end = chunk.start, chunk.start + chunk.packed
    while at < end:
        header, length = _page_head(file, at, end)
        unpacked, packed = header.get(2, 0), header.get(3, 0)
        if unpacked < 0 or packed < 0:
            msg = "a page has a negative length"
            raise ValueError(msg)
        yield unpacked
        at += packed + length


def _page_head(file: BinaryIO, at: int, end: int) -> tuple[dict[int, Any], int]:
    """Return the numbers in the header of a page, and the length of the header."""
    size = _PAGE_HEAD
    while True:
        file.seek(at)
        reader = _ThriftReader(file.read(min(size, end - at)), _MAX_HEAD_VALUES)
        try:
            return reader.wanted((2, 3)), reader.at
        except IndexError:  # the statistics are longer
            if at + size >= end:
                raise
            size *= 16
