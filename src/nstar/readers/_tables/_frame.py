"""Frame: common interface of files with rows and named columns."""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple, Protocol, TypeAlias

import pyarrow as pa

from nstar.errors import NstarError, ReadError
from nstar.readers._files import Place
from nstar.readers._read_errors import printable

ColumnKind: TypeAlias = Literal["number", "truth", "text", "time", "nested", "empty"]
"""Type of a column, detected from its declared type or its first rows."""

TOTAL = ".*"
"""Suffix that requests the sum of the numbers in a field: ``a.b.*``."""


class Column(NamedTuple):
    """One column of a file."""

    name: str
    kind: ColumnKind


class Chunk(NamedTuple):
    """A block of rows."""

    batch: pa.RecordBatch
    line: Callable[[int], int]
    """Return the line, row, or element number of a row, for messages."""


class Frame(Protocol):
    """Rows and named columns that can be read as a stream."""

    columns: tuple[Column, ...]
    """Return all columns in the order of the file."""
    extras: Mapping[bytes, bytes]
    """Return the metadata of the file."""

    def refuse_rows(self, across: int) -> None:
        """Raise an error if there are too many rows, with ``across`` scores in each."""
        ...

    def head(self, names: Sequence[str]) -> pa.RecordBatch:
        """Return the first rows of these columns."""
        ...

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield all rows of these columns."""
        ...


def kind_of(kind: pa.DataType) -> ColumnKind:
    """Return the kind of a column with this Arrow type."""
    types = pa.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_boolean(kind):
        return "truth"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_temporal(kind):
        return "time"
    if types.is_null(kind):
        return "empty"
    return "nested" if types.is_nested(kind) else "text"


def list_columns(names: Sequence[str], max_names: int = 30) -> str:
    """Return the names of columns as text for a message, abbreviated if there are many."""
    listed = ", ".join(printable(name) or "''" for name in names[:max_names])
    return listed + (f" … ({len(names)} in all)" if len(names) > max_names else "")


@contextmanager
def arrow_errors(place: Place, subject: str) -> Iterator[None]:
    """Convert Arrow's errors about a file to a :class:`ReadError` that names the file."""
    try:
        yield
    except NstarError:
        raise
    except (
        pa.ArrowException,
        OSError,
        ValueError,
        TypeError,
        OverflowError,
        struct.error,
        IndexError,
    ) as error:
        reason = printable(str(error).split("\n", 1)[0])[:300]
        msg = f"{place}: not valid {subject}: {reason.rstrip('.')}. Write the file again."
        raise ReadError(msg) from error
