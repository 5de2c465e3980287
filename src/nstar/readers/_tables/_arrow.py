"""Read Parquet files and Arrow IPC files (Feather), one block of rows at a time."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from operator import add
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nstar._data import arrow
from nstar._data.confined import is_confined
from nstar.errors import ReadError
from nstar.readers._base import Journal
from nstar.readers._files import Place
from nstar.readers._tables._declared import (
    declared_in_ipc,
    declared_in_parquet,
    refuse_long_texts,
    refuse_lying_pages,
)
from nstar.readers._tables._frame import TOTAL, Chunk, Column, arrow_errors, kind_of
from nstar.readers._tables._nested import flat, inner_columns

_ROWS = 1 << 19
"""Rows per block. Blocks must be large for decoding and use to overlap well."""
_CELLS = 4 << 20
"""Cells per block of a wide table."""
_BYTES = 32 << 20
"""Bytes per block of a table with long texts."""
_AHEAD = 2
"""Number of blocks that are decoded in advance."""
_MAGIC = 8
"""Bytes that precede the stream in an IPC file."""
_HEAD = 1000
"""Number of rows from which the type of a column is detected."""


def _rows(columns: Sequence[str], width: float = 0.0) -> int:
    """Return the rows per block, given the number of columns and the bytes per row."""
    max_rows = _ROWS if width * _ROWS <= _BYTES else int(_BYTES / width)
    return max(1, min(max_rows, max(1024, _CELLS // max(1, len(columns)))))


def _wide(place: Place, schema: pa.Schema) -> str:
    return f"{place}: has {len(schema):,} columns"


def _columns(schema: pa.Schema) -> tuple[Column, ...]:
    return tuple(Column(f.name, kind_of(f.type)) for f in schema)


class ParquetFrame:
    """A Parquet file. Texts stay dictionary-encoded."""

    def __init__(self, place: Place, journal: Journal, requested: Iterable[str] = ()) -> None:
        self._place = place
        self._progress = journal.options.progress
        self._limits = journal.options.limits
        with arrow_errors(place, "Parquet"), _opened(place) as file:
            parquet = pq.ParquetFile(file)
            self._metadata = parquet.metadata
            schema = parquet.schema_arrow
        with arrow_errors(place, "Parquet"), place.open() as plain:
            self._declared = declared_in_parquet(plain)
        self._limits.refuse("columns", len(schema), _wide(place, schema), error=ReadError)
        self._declared.refuse_rows(place, self._limits)
        self._declared.widen(schema)
        self.columns = (*_columns(schema), *inner_columns(schema, requested))
        self.extras: Mapping[bytes, bytes] = self._metadata.metadata or {}
        self._inner = {name for name in requested if name not in schema.names}
        self._texts = [c.name for c in self.columns if c.kind == "text"]

    def head(self, names: Sequence[str]) -> pa.RecordBatch:
        """Return the first rows of these columns."""
        self._refuse_bomb(names)
        with arrow_errors(self._place, "Parquet"), _opened(self._place) as file:
            size = min(_HEAD, _rows(names, self._declared.bytes_per_row(names)))
            blocks = self._parquet(file, names).iter_batches(
                batch_size=size, columns=_stored(names)
            )
            first = next(blocks, None)
            if first is not None:
                _refuse_damage(first)
        return _nothing(names) if first is None else self._flat(first, names)

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield all rows of these columns."""
        self._refuse_bomb(names)
        n_done, total = 0, self._metadata.num_rows
        with arrow_errors(self._place, "Parquet"):
            for block in self._blocks(names):
                yield Chunk(self._flat(block, names), partial(add, n_done + 1))
                n_done += block.num_rows
                self._report(n_done, total)

    def _blocks(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        large = self._metadata.num_rows > _ROWS
        with _opened(self._place) as file:
            size = _rows(names, self._declared.bytes_per_row(names))
            blocks = self._parquet(file, names).iter_batches(
                batch_size=size, columns=_stored(names), use_threads=large
            )
            sound = _checked_blocks(blocks)
            yield from _prefetched(sound) if large else sound

    def _parquet(self, file: Any, names: Sequence[str]) -> Any:
        """Open the file with dictionaries, so that each distinct text is decoded once."""
        columns = set(names)
        texts = [n for n in self._texts if n in columns]
        leaves = self._declared.leaves(self._declared.values, names)
        inner = (leaf for leaf in leaves if "." in leaf)
        remote = self._place.fs is not None
        return with_dictionaries(file, self._metadata, [*texts, *inner], pre_buffer=remote)

    def _refuse_bomb(self, names: Sequence[str]) -> None:
        """Raise an error if these columns unpack to more than the limit or their declared size."""
        self._declared.refuse_columns(self._place, self._limits, names)
        if self._place.fs is None:
            with arrow_errors(self._place, "Parquet"), self._place.open() as plain:
                refuse_lying_pages(plain, self._declared, names)

    def _flat(self, block: pa.RecordBatch, names: Sequence[str]) -> pa.RecordBatch:
        """Return the block with nested fields as separate columns."""
        return block if self._inner.isdisjoint(names) else flat(block, names, self._inner)

    def refuse_rows(self, across: int) -> None:
        """Raise an error if the file has too many scores, ``across`` in each row."""
        self._declared.refuse_rows(self._place, self._limits, across=across)

    def _report(self, n_done: int, total: int) -> None:
        size = self._place.size() if self._progress is not None else None
        if self._progress is not None and size is not None and total:
            self._progress(str(self._place), size * n_done // total, size)


def with_dictionaries(file: Any, metadata: Any, leaves: Sequence[str], **options: Any) -> Any:
    """Return a Parquet file that keeps the dictionaries of these columns if they are texts."""
    try:
        return pq.ParquetFile(file, metadata=metadata, read_dictionary=leaves, **options)
    except KeyError as error:
        msg = f"the footer refers to the column {error}, which is not in the schema"
        raise pa.ArrowInvalid(msg) from error


class IpcFrame:
    """An Arrow IPC file or stream. Its contents are validated before use."""

    def __init__(self, place: Place, journal: Journal) -> None:
        self._place = place
        self._start = _MAGIC if place.head(6) == b"ARROW1" else 0
        self._limits = journal.options.limits
        with arrow_errors(place, "Arrow"), place.open() as file:
            schema = self._open(file).schema
            self._limits.refuse("columns", len(schema), _wide(place, schema), error=ReadError)
            file.seek(self._start)
            self._declared = declared_in_ipc(file, schema)
        self._declared.refuse_rows(place, self._limits)
        self.columns = _columns(schema)
        self.extras: Mapping[bytes, bytes] = schema.metadata or {}

    def _open(self, file: Any, names: Sequence[str] = ()) -> Any:
        """Open the stream in an IPC file, because its footer may contradict the stream."""
        columns = set(names)
        fields = [k for k, c in enumerate(self.columns) if c.name in columns] if names else []
        file.seek(self._start)
        return pa.ipc.open_stream(file, options=pa.ipc.IpcReadOptions(included_fields=fields))

    def refuse_rows(self, across: int) -> None:
        """Raise an error if the file has too many scores, ``across`` in each row."""
        self._declared.refuse_rows(self._place, self._limits, across=across)

    def head(self, names: Sequence[str]) -> pa.RecordBatch:
        """Return the first rows of these columns."""
        for chunk in self.chunks(names):
            return chunk.batch.slice(0, _HEAD)
        return _nothing(names)

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield all rows of these columns."""
        self._declared.refuse_columns(self._place, self._limits, names)
        n_done = 0
        known: list[pa.Array] = []
        with arrow_errors(self._place, "Arrow"), self._place.open() as file:
            for block in self._open(file, names):
                refuse_long_texts(self._place, block, self._limits)
                known = _refuse_damage(block, known)
                block_rows = _without_unused(block)
                for start in range(0, block_rows.num_rows, _rows(names)):
                    rows = block_rows.slice(start, _rows(names))
                    yield Chunk(rows, partial(add, n_done + 1))
                    n_done += rows.num_rows


def _stored(names: Sequence[str]) -> list[str]:
    """Return the names as they are in the file."""
    return [name.removesuffix(TOTAL) for name in names]


def _opened(place: Place) -> Any:
    """Return the file for Arrow's threads. A local file is read without Python."""
    if place.fs is not None:
        return place.open()
    with place.open() as plain:  # raises an error with a message for special files
        same = Path(f"/proc/self/fd/{plain.fileno()}")  # the path may refer to another file by now
        if same.exists():
            return pa.OSFile(str(same))
    return place.open() if is_confined() else pa.OSFile(place.path)


def _prefetched(blocks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the blocks, with the next ones decoded by another thread while one is in use."""

    def decode() -> pa.RecordBatch | None:
        return next(blocks, None)

    with ThreadPoolExecutor(1) as pool:
        # The context makes messages of the other thread spell parameters like this thread.
        coming = deque(pool.submit(copy_context().run, decode) for _ in range(_AHEAD))
        while (block := coming.popleft().result()) is not None:
            coming.append(pool.submit(copy_context().run, decode))
            yield block


def _checked_blocks(blocks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the blocks after checking each for damage. A repeated dictionary is checked once."""
    known: list[pa.Array] = []
    for block in blocks:
        known = _refuse_damage(block, known)
        yield block


def _refuse_damage(block: pa.RecordBatch, known: Sequence[pa.Array] = ()) -> list[pa.Array]:
    """Raise an error if texts are not UTF-8 or codes exceed their dictionary.

    This does the same as ``validate(full=True)`` with less work on codes. It returns the valid
    dictionaries.
    """
    block.validate()
    dictionaries = []
    for column in block.columns:
        if not pa.types.is_dictionary(column.type):
            column.validate(full=True)
            continue
        dictionaries.append(column.dictionary)
        if not any(_same(column.dictionary, other) for other in known):
            column.dictionary.validate(full=True)
        codes = column.indices
        values = arrow.numbers(codes.drop_null() if codes.null_count else codes)
        if values.size and not 0 <= values.min() <= values.max() < len(column.dictionary):
            msg = "a dictionary code is out of range"
            raise pa.ArrowInvalid(msg)
    return dictionaries


def _same(one: pa.Array, other: pa.Array) -> bool:
    """Return whether two arrays are equal. Arrays of the same memory are not compared."""
    if one.type != other.type or len(one) != len(other):
        return False
    addresses, other_addresses = (
        [b and b.address for b in array.buffers()] for array in (one, other)
    )
    return (addresses == other_addresses and one.offset == other.offset) or bool(one.equals(other))


def _without_unused(block: pa.RecordBatch) -> pa.RecordBatch:
    """Return the block with no dictionary longer than its rows.

    A file may have very many blocks of few rows with one long dictionary, which is converted for
    each block.
    """
    columns = [
        arrow.used(column)
        if pa.types.is_dictionary(column.type)
        and len(column.dictionary) > len(column)
        and not pa.types.is_string_view(column.dictionary.type)
        else column
        for column in block.columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=block.schema.names)


def _nothing(names: Sequence[str]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.nulls(0)] * len(names), list(names))
