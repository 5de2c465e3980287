"""Read nested fields as columns: ``a.b``, and ``a.b.*`` for the sum of the numbers in it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from nstar._data import arrow, lazy_compute
from nstar._data.read_limits import UNPACKED_PER_BYTE, Limits
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers._tables._frame import TOTAL, Column, kind_of

_OBJECTS = 64
"""Number of rows that are converted to Python objects at a time."""


def inner_columns(schema: pa.Schema, requested: Iterable[str]) -> Iterator[Column]:
    """Yield the requested fields of structs."""
    for name in requested:
        outer, _, inner = name.partition(".")
        if name in schema.names or schema.names.count(outer) != 1:
            continue
        kind = schema.field(outer).type
        stored = inner.removesuffix(TOTAL)
        if not pa.types.is_struct(kind) or kind.get_field_index(stored) < 0:
            continue
        field_type = kind.field(stored).type
        if stored == inner:
            yield Column(name, kind_of(field_type))
        elif pa.types.is_struct(field_type) or kind_of(field_type) == "number":
            yield Column(name, "number")


def flat(block: Any, names: Sequence[str], inner: Collection[str]) -> pa.RecordBatch:
    """Return the columns of a block, with ``inner`` columns taken from structs."""
    columns = []
    for name in names:
        outer, _, rest = name.partition(".") if name in inner else (name, "", "")
        column = block.column(outer)
        if rest:
            column = lazy_compute.struct_field(column, rest.removesuffix(TOTAL))
            column = _total(column) if rest.endswith(TOTAL) else column
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, list(names))


def python_rows(
    place: Place, blocks: Iterable[pa.RecordBatch], limits: Limits
) -> Iterator[dict[str, Any]]:
    """Yield the rows as Python objects; raise an error if their texts take too much memory.

    A text that a dictionary stores once becomes a separate object in each row.
    """
    total, vouched = 0, UNPACKED_PER_BYTE * (place.size() or 0)
    for block in blocks:
        for start in range(0, block.num_rows, _OBJECTS):
            part = block.slice(start, _OBJECTS)
            total += sum(map(_expanded, part.columns))
            text = f"{place}: rows and their texts need at least {total:,} bytes"
            limits.refuse("unpacked", total, text, vouched=vouched, error=ReadError)
            yield from part.to_pylist()


def _expanded(column: pa.Array) -> int:
    """Return the bytes of a column after its dictionaries are expanded."""
    types, kind = pa.types, column.type
    if types.is_dictionary(kind):
        column = arrow.used(column)
        lengths = lazy_compute.binary_length(column.dictionary)
        return int(lazy_compute.sum(lengths.take(column.indices)).as_py() or 0)
    if types.is_struct(kind):
        return sum(map(_expanded, column.flatten()))
    if types.is_nested(kind) and hasattr(column, "flatten"):
        return _expanded(column.flatten())
    return int(column.nbytes)


def _total(column: pa.Array) -> pa.Array:
    """Return the sum of the numbers in each struct; null if there are none."""
    if not pa.types.is_struct(column.type):
        return column
    parts = [
        arrow.numbers(lazy_compute.struct_field(column, field.name).cast(pa.float64()))
        for field in column.type
        if kind_of(field.type) == "number"
    ]
    values = np.stack(parts) if parts else np.full((1, len(column)), np.nan)
    present = ~np.isnan(values).all(axis=0)
    return arrow.array(np.nansum(values, axis=0), present=present)
