"""Fields of fields as columns: ``a.b``, and ``a.b.*`` for the sum of the numbers in it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from nstar._data import arrow, lazy_compute
from nstar.readers._tables._frame import TOTAL, Column, kind_of


def inner_columns(schema: pa.Schema, asked: Iterable[str]) -> Iterator[Column]:
    """Fields of structs that were asked for."""
    for name in asked:
        outer, _, inner = name.partition(".")
        if name in schema.names or schema.names.count(outer) != 1:
            continue
        kind = schema.field(outer).type
        stored = inner.removesuffix(TOTAL)
        if not pa.types.is_struct(kind) or kind.get_field_index(stored) < 0:
            continue
        held = kind.field(stored).type
        if stored == inner:
            yield Column(name, kind_of(held))
        elif pa.types.is_struct(held) or kind_of(held) == "number":
            yield Column(name, "number")


def flat(block: Any, names: Sequence[str], inner: Collection[str]) -> pa.RecordBatch:
    """The columns of a block; those that are ``inner`` lie in others."""
    columns = []
    for name in names:
        outer, _, rest = name.partition(".") if name in inner else (name, "", "")
        column = block.column(outer)
        if rest:
            column = lazy_compute.struct_field(column, rest.removesuffix(TOTAL))
            column = _total(column) if rest.endswith(TOTAL) else column
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, list(names))


def _total(column: pa.Array) -> pa.Array:
    """The sum of the numbers of each struct; null where there are none."""
    if not pa.types.is_struct(column.type):
        return column
    parts = [
        arrow.numbers(lazy_compute.struct_field(column, field.name).cast(pa.float64()))
        for field in column.type
        if kind_of(field.type) == "number"
    ]
    values = np.stack(parts) if parts else np.full((1, len(column)), np.nan)
    there = ~np.isnan(values).all(axis=0)
    return arrow.array(np.nansum(values, axis=0), there=there)
