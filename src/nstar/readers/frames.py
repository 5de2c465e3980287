"""Read data in memory as a file of rows: frames, columns, and records.

Any object with the Arrow PyCapsule protocol (pandas, polars, pyarrow, DuckDB, …) or the older
DataFrame interchange protocol is accepted without importing its library.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nstar._data.table import Table
from nstar.errors import ReadError
from nstar.readers._base import Journal, Reader, Role, Unit
from nstar.readers._files import Place
from nstar.readers._read_errors import printable
from nstar.readers._tables._frame import Chunk, Column, kind_of
from nstar.readers._tables._nested import flat, inner_columns
from nstar.readers._vote_detection import looks_like_votes, refused_as_scores
from nstar.readers.tabular import rows_of

__all__ = ["MemoryFrame", "as_arrow", "memory_frame", "memory_unit"]

_HEAD = 1000
"""Number of rows from which the type of a column is detected."""
_PANDAS = b"pandas"
_NO_NAME = "__index_level_0__"
"""Name that pandas gives to an index without a name."""


@dataclass(frozen=True, slots=True)
class _InMemoryLocation(Place):
    """Location of data that do not come from a file."""

    bytes_there: int = 0

    def size(self) -> int | None:
        """Return the size in bytes, which limits the number of rows, as it does for a file."""
        return self.bytes_there


def memory_unit(data: Any) -> tuple[Reader, Unit]:
    """Return the unit of data in memory, and its reader."""
    if isinstance(data, Table):
        table = _InMemoryLocation("the table", bytes_there=data.data.nbytes)
        return _TableReader(), Unit(place=table, context=data)
    place, frame = memory_frame(data)
    return _FrameReader(), Unit(place=place, context=frame)


def memory_frame(data: Any, requested: Iterable[str] = ()) -> "tuple[Place, MemoryFrame]":
    """Return data in memory as rows and columns, with a name for messages."""
    table = as_arrow(data)
    return _InMemoryLocation("the frame", bytes_there=table.nbytes), MemoryFrame(table, requested)


def as_arrow(data: Any) -> pa.Table:
    """Return the columns of a frame; a named or nontrivial index comes first.

    Examples
    --------
    >>> as_arrow({"item": ["q1", "q2"], "a": [1, 0]}).column_names
    ['item', 'a']
    """
    try:
        if isinstance(data, Mapping):
            return pa.table({str(name): _column(values) for name, values in data.items()})
        if isinstance(data, list):
            return pa.Table.from_pylist([dict(row) for row in data])
        if hasattr(data, "__arrow_c_stream__"):
            return _index_first(pa.table(data))
        from pyarrow.interchange import from_dataframe  # noqa: PLC0415 for old frames only

        return from_dataframe(data)
    except (pa.ArrowException, TypeError, ValueError, KeyError) as error:
        msg = (
            f"the frame cannot be read: {printable(str(error))[:200]}. Use columns of one type "
            "and equal length."
        )
        raise ReadError(msg) from error


def _column(values: Any) -> Any:
    """Convert a column with Arrow. Other sequences are converted element by element."""
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return pa.chunked_array(values)
    return values if hasattr(values, "__array__") else list(values)


def _index_first(table: pa.Table) -> pa.Table:
    """Move the index, which pandas exports as the last columns, to the front."""
    if _PANDAS not in (table.schema.metadata or {}):
        return table
    index_columns = table.schema.pandas_metadata["index_columns"]
    counts = [x for x in index_columns if isinstance(x, dict) and x.get("name")]
    for count in counts:  # pandas exports a RangeIndex as its ends; a name makes it an index
        numbers = range(count["start"], count["stop"], count["step"])
        table = table.add_column(0, str(count["name"]), pa.array(numbers, pa.int64()))
    index = {name for name in index_columns if isinstance(name, str)}  # a RangeIndex is a dict
    names = table.column_names
    first = [name for name in names if name in index]
    ordered = table.select([*first, *(name for name in names if name not in index)])
    if "index" in names:
        return ordered
    return ordered.rename_columns(["index" if n == _NO_NAME else n for n in ordered.column_names])


class MemoryFrame:
    """A table in memory as a :class:`~nstar.readers._tables._frame.Frame`."""

    extras: Mapping[bytes, bytes] = {}

    def __init__(self, table: pa.Table, requested: Iterable[str] = ()) -> None:
        self._table = table
        inner = tuple(inner_columns(table.schema, requested))
        self._inner = {column.name for column in inner}
        plain = (Column(field.name, kind_of(field.type)) for field in table.schema)
        self.columns = (*plain, *inner)

    def refuse_rows(self, across: int) -> None:
        """Do nothing, because the data are in memory already."""

    def head(self, names: Sequence[str]) -> pa.RecordBatch:
        """Return the first rows of these columns."""
        first_rows = self._stored(names).slice(0, _HEAD).combine_chunks()
        block = (
            first_rows.to_batches() or [pa.RecordBatch.from_pylist([], schema=first_rows.schema)]
        )[0]
        return flat(block, names, self._inner)

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield all rows of these columns."""
        start = 0
        for batch in self._stored(names).to_batches(max_chunksize=1 << 16):
            block = flat(batch, names, self._inner)
            yield Chunk(block, lambda row, start=start: start + row)  # type: ignore[misc]
            start += batch.num_rows

    def _stored(self, names: Sequence[str]) -> pa.Table:
        """Return the stored columns that contain these columns."""
        outer = (n.split(".", 1)[0] if n in self._inner else n for n in names)
        return self._table.select(list(dict.fromkeys(outer)))


class _InMemoryReader:
    """Base class of readers of data in memory, which users do not select by name."""

    name = "memory"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return None, because no file has this format."""
        del place, head
        return None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        """Return no units, because there are no files."""
        del places, journal
        return ()


class _FrameReader(_InMemoryReader):
    """Reader of a frame in memory."""

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Yield scores in Table columns."""
        if not journal.options.columns and looks_like_votes(c.name for c in unit.context.columns):
            raise refused_as_scores(unit.place)
        yield from rows_of(unit, unit.context, journal, reader=self.name, model="model")


class _TableReader(_InMemoryReader):
    """Reader of a Table in memory, including the metadata of its logs."""

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Yield scores in Table columns."""
        journal.sources += unit.context.sources
        return unit.context.batches()
