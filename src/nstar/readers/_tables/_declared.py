"""Read the unpacked size that a Parquet or Arrow file declares, before decoding it."""

import struct
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from nstar._data.read_limits import ROWS_PER_BYTE, UNPACKED_PER_BYTE, Limits
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers._read_errors import printable
from nstar.readers._tables._thrift import ColumnChunk, footer, pages

_MOST_PAGES = 250_000
"""Maximum number of pages that are inspected."""
_MAGIC = b"PAR1"
"""First bytes of a Parquet file."""
_CONTINUES = 0xFFFFFFFF
_DICTIONARY, _BATCH = 2, 3
"""Types of messages in Arrow's IPC format."""


@dataclass(slots=True)
class DeclaredSize:
    """Size of a file according to its own metadata."""

    rows: int = 0
    values: Counter[str] = field(default_factory=Counter)
    """Number of values of each leaf column. A column of lists has more values than rows."""
    unpacked: Counter[str] = field(default_factory=Counter)
    """Unpacked bytes of each leaf column in the whole file."""
    at_once: Counter[str] = field(default_factory=Counter)
    """Bytes of each column that must be in memory together: the largest block of an Arrow file."""
    dictionaries: int = 0
    """Bytes of dictionaries, all of which are decoded."""
    chunks: list[ColumnChunk] = field(default_factory=list)
    """Column chunks of a Parquet file."""
    sound: set[str] = field(default_factory=set)
    """Leaf columns of a Parquet file whose pages match the footer."""

    def refuse_rows(self, place: Place, limits: Limits, *, across: int = 1) -> None:
        """Raise an error if the file has too many rows, with ``across`` scores in each."""
        by = f" × {across:,} score columns" if across > 1 else ""
        text = f"{place}: the file declares {self.rows:,} rows{by}"
        vouched = ROWS_PER_BYTE * (place.size() or 0)
        limits.refuse("rows", self.rows * across, text, vouched=vouched, error=ReadError)

    def refuse_columns(self, place: Place, limits: Limits, names: Collection[str]) -> None:
        """Raise an error if these columns would unpack to too many bytes."""
        size = place.size() or 0
        for column in self.leaves(self.values, names):
            n = self.values[column]
            text = f"{place}: column {printable(column)!r} declares {n:,} values"
            limits.refuse("rows", n, text, vouched=ROWS_PER_BYTE * size, error=ReadError)
        n_unpacked = sum(self.unpacked[c] for c in self.leaves(self.unpacked, names))
        text = (
            f"{place}: by its own header, the file expands from {size:,} to {n_unpacked:,} bytes"
        )
        limits.refuse(
            "unpacked", n_unpacked, text, vouched=UNPACKED_PER_BYTE * size, error=ReadError
        )
        block = sum(self.at_once[c] for c in self.leaves(self.at_once, names))
        block += self.dictionaries
        text = f"{place}: by its own header, one block of rows expands to {block:,} bytes"
        limits.refuse("unpacked", block, text, error=ReadError)

    def widen(self, schema: pa.Schema) -> None:
        """Count fixed-length texts in full, because Arrow expands their dictionaries."""
        for column in schema:
            width = _widest(column.type)
            for leaf in self.leaves(self.values, [column.name]) if width else ():
                self.unpacked[leaf] = max(self.unpacked[leaf], width * self.values[leaf])

    def bytes_per_row(self, names: Collection[str]) -> float:
        """Return the mean number of bytes per row of these columns."""
        n_unpacked = sum(self.unpacked[c] for c in self.leaves(self.unpacked, names))
        return n_unpacked / max(1, self.rows)

    @staticmethod
    def leaves(counted: Counter[str], names: Collection[str]) -> Iterator[str]:
        columns = {name.split(".", 1)[0] for name in names} | set(names)
        return (c for c in counted if c in columns or c.split(".", 1)[0] in columns)


def _widest(kind: pa.DataType) -> int:
    """Return the bytes of the longest fixed-length text in a type; 0 if there is none."""
    if isinstance(kind, pa.BaseExtensionType):
        return _widest(kind.storage_type)
    if pa.types.is_fixed_size_binary(kind):
        return int(kind.byte_width)
    return max((_widest(kind.field(k).type) for k in range(kind.num_fields)), default=0)


def declared_in_parquet(file: BinaryIO) -> DeclaredSize:
    """Return the sizes that the footer of a Parquet file declares."""
    declared = DeclaredSize()
    for group in footer(file):
        declared.rows += max(0, group.rows)
        for chunk in group.chunks:
            declared.values[chunk.path] += max(0, chunk.values)
            declared.unpacked[chunk.path] += max(0, chunk.unpacked)
            declared.chunks.append(chunk)
    return declared


def refuse_lying_pages(file: BinaryIO, declared: DeclaredSize, names: Collection[str]) -> None:
    """Raise an error if pages of these columns declare more bytes than the footer."""
    paths = set(declared.leaves(declared.unpacked, names)) - declared.sound
    chunks = [chunk for chunk in declared.chunks if chunk.path in paths]
    _refuse_overlaps(chunks, file.seek(0, 2))
    left = _MOST_PAGES
    for chunk in chunks:
        sizes = list(islice(pages(file, chunk), left))
        n_unpacked, left = sum(sizes), left - len(sizes)
        if not left:
            msg = f"the file has more than {_MOST_PAGES:,} pages"
            raise ValueError(msg)
        if n_unpacked > chunk.unpacked:
            msg = (
                f"the pages of {chunk.path!r} unpack to {n_unpacked:,} bytes instead of "
                f"{chunk.unpacked:,}"
            )
            raise ValueError(msg)
    declared.sound |= paths


def _refuse_overlaps(chunks: Iterable[ColumnChunk], size: int) -> None:
    """Raise an error unless all chunks lie in the file and do not overlap.

    Bytes in several chunks would be read and decoded once for each of them.
    """
    end = len(_MAGIC)
    for chunk in sorted(chunks, key=attrgetter("start")):
        if not chunk.packed:
            continue
        if chunk.packed < 0 or chunk.start < len(_MAGIC) or chunk.start + chunk.packed > size:
            msg = f"a chunk of {chunk.path!r} lies outside the file"
            raise ValueError(msg)
        if chunk.start < end:
            msg = f"a chunk of {chunk.path!r} overlaps another one (byte {chunk.start:,})"
            raise ValueError(msg)
        end = chunk.start + chunk.packed


def declared_in_ipc(file: BinaryIO, schema: pa.Schema) -> DeclaredSize:
    """Return the sizes that the messages of an Arrow stream declare, from the file's position on.

    Only the headers of messages are read, and the eight bytes of each compressed buffer that
    declare its length.
    """
    declared = DeclaredSize()
    largest: Counter[str] = Counter()
    for metadata, body in _messages(file):
        kind, table, compressed = _header(metadata)
        if kind not in (_DICTIONARY, _BATCH):
            continue
        lengths = _lengths(file, metadata, table, body if compressed else None)
        if kind == _DICTIONARY:
            declared.dictionaries += sum(lengths)
            continue
        declared.rows += _signed(metadata, _field(metadata, table, 0))
        views = _vector(metadata, table, 4)
        for name, size in _by_column(schema, lengths, list(views)).items():
            declared.unpacked[name] += size
            largest[name] = max(largest[name], size)
    declared.at_once = largest
    return declared


def _messages(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield the metadata of each message, and the start of its body."""
    at = file.tell()
    end = file.seek(0, 2)
    file.seek(at)
    while len(start := file.read(4)) == 4:
        (length,) = struct.unpack("<I", start)
        if length == _CONTINUES:
            (length,) = struct.unpack("<I", file.read(4))
        if length == 0:
            return
        body = file.tell() + length
        _refuse_cut(body, end)
        metadata = file.read(length)
        yield metadata, body
        root = _offset(metadata, 0)
        after = body + _signed(metadata, _field(metadata, root, 3))
        _refuse_cut(after, end)
        file.seek(after)


def _refuse_cut(after: int, end: int) -> None:
    """Raise an error if a message declares a length beyond the file, before allocating memory."""
    if after > end:
        msg = f"a message is truncated at byte {after:,} of {end:,}"
        raise pa.ArrowInvalid(msg)


def _header(data: bytes) -> tuple[int, int, bool]:
    """Return the type of a message, the position of its batch, and whether that is compressed."""
    root = _offset(data, 0)
    at = _field(data, root, 1)
    kind = data[at] if at else 0
    if kind not in (_DICTIONARY, _BATCH):
        return kind, 0, False
    header = _field(data, root, 2)
    table = _offset(data, header)
    if kind == _DICTIONARY:
        table = _offset(data, _field(data, table, 1))
    return kind, table, _field(data, table, 3) > 0


def _lengths(file: BinaryIO, data: bytes, table: int, body: int | None) -> list[int]:
    """Return the unpacked size of each buffer; ``body`` is the position of packed ones."""
    pairs = _vector(data, table, 2, width=2)
    if body is None:
        return list(pairs[1::2])
    return [_unpacked(file, body + o, n) for o, n in zip(pairs[::2], pairs[1::2], strict=True)]


def _unpacked(file: BinaryIO, at: int, length: int) -> int:
    """Return the size in the prefix of a compressed buffer; -1 means that it is not compressed."""
    if length < 8:
        return max(length, 0)
    file.seek(at)
    (size,) = struct.unpack("<q", file.read(8))
    return length if size < 0 else size


def _by_column(schema: pa.Schema, lengths: list[int], view_counts: list[int]) -> Counter[str]:
    """Return the bytes of each column. Buffers are in the order of the schema, depth first.

    ``view_counts`` are the numbers of additional buffers of the columns of string views.
    """
    out: Counter[str] = Counter()
    at, views = 0, iter(view_counts)
    for column in schema:
        count = _buffers(column.type, views)
        out[column.name] += sum(lengths[at : at + count])
        at += count
    if at != len(lengths):
        msg = f"a batch has {len(lengths)} buffers, but its columns need {at}"
        raise pa.ArrowInvalid(msg)
    return out


def _buffers(kind: pa.DataType, views: Iterator[int]) -> int:
    """Return the number of buffers of a column in a message, including those of its children."""
    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return _buffers(kind.storage_type, views)
    count = int(kind.num_buffers)
    if types.is_null(kind) or types.is_run_end_encoded(kind):
        count = 0
    elif types.is_union(kind):
        count -= 1
    elif types.is_string_view(kind) or types.is_binary_view(kind):
        count += next(views, 0)
    return count + sum(_buffers(kind.field(k).type, views) for k in range(kind.num_fields))


def _offset(data: bytes, at: int) -> int:
    """Return the position that an offset of a flatbuffer refers to."""
    return int(at + struct.unpack_from("<I", data, at)[0])


def _field(data: bytes, table: int, slot: int) -> int:
    """Return the position of a field of a table; 0 if it is omitted."""
    (back,) = struct.unpack_from("<i", data, table)
    (size,) = struct.unpack_from("<H", data, table - back)
    if 4 + 2 * slot >= size:
        return 0
    (at,) = struct.unpack_from("<H", data, table - back + 4 + 2 * slot)
    return table + at if at else 0


def _vector(data: bytes, table: int, slot: int, width: int = 1) -> tuple[int, ...]:
    """Return the 64-bit numbers of a vector, with ``width`` numbers per element."""
    at = _field(data, table, slot)
    if not at:
        return ()
    start = _offset(data, at)
    (count,) = struct.unpack_from("<I", data, start)
    if count > len(data):
        msg = "a message is damaged"
        raise pa.ArrowInvalid(msg)
    return struct.unpack_from(f"<{width * count}q", data, start + 4)


def _signed(data: bytes, at: int) -> int:
    """Return a length; 0 if it is omitted."""
    (value,) = struct.unpack_from("<q", data, at) if at else (0,)
    if value < 0:
        msg = "a message declares a negative length"
        raise pa.ArrowInvalid(msg)
    return int(value)


def refuse_long_texts(place: Place, block: pa.RecordBatch, limits: Limits) -> None:
    """Raise an error if texts that share memory as views are too long in total."""
    for column in block.columns:
        texts = column.dictionary if pa.types.is_dictionary(column.type) else column
        if not pa.types.is_string_view(texts.type) or not len(texts):
            continue
        views = np.frombuffer(texts.buffers()[1], "<i4")[::4]
        total = int(views[texts.offset : texts.offset + len(texts)].clip(0).sum(dtype=np.int64))
        vouched = UNPACKED_PER_BYTE * (place.size() or 0)
        text = f"{place}: {len(texts):,} rows share texts that would expand to {total:,} bytes"
        limits.refuse("unpacked", total, text, vouched=vouched, error=ReadError)
