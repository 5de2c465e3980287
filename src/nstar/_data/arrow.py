"""Convert between Arrow columns and Python or NumPy values without importing pandas.

``pyarrow.array``, ``pyarrow.scalar``, ``fill_null`` and ``to_numpy`` import pandas if it is
installed. Most other methods of an array import ``pyarrow.compute``, which defines about 300
functions as it loads. Together, these imports take longer than a comparison of two models. Names
and numbers, which make up most of the data, are therefore read from their buffers.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_INFERRED = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
_WHOLE = {pa.int64(): np.int64, pa.uint64(): np.uint64}
_EXACT = 1 << 53
"""Largest number up to which every whole number is exact as a float."""
_NO_CODES = np.empty(0, np.int32)
_MAX_STRING_BYTES = (1 << 31) - 1
"""Largest number of bytes in the texts of one array."""


def array(values: Any, kind: Any = None, *, present: Any = None) -> Any:
    """Return ``pyarrow.array(values, kind, mask=~present)``. A NumPy array keeps its own type.

    >>> array(["a", None]).to_pylist(), array(np.arange(2), present=np.array([True, False])).type
    (['a', None], DataType(int64))
    """
    if isinstance(values, np.ndarray):
        return _of_numpy(values, present)
    types = set(map(type, values))
    full = type(None) not in types
    types.discard(type(None))
    if kind is None and len(types) == 1:
        kind = _INFERRED.get(next(iter(types)))
    result = None
    if kind == pa.string() and types <= {str}:
        result = _of_texts(values, full=full)
    elif kind == pa.bool_() and types <= {bool}:
        result = _of_numbers(values, np.bool_, full=full)
    elif kind in _WHOLE and types <= {int}:
        result = _of_numbers(values, _WHOLE[kind], full=full)
    elif kind == pa.float64() and (types <= {float} or _exact(values, types)):
        result = _of_numbers(values, np.float64, full=full)
    return pa.array(values, kind) if result is None else result


def _exact(values: Sequence[Any], types: set[type]) -> bool:
    """Return whether the whole numbers among other values are exact as floats."""
    return types <= {int, float} and all(
        type(v) is not int or -_EXACT <= v <= _EXACT for v in values if v is not None
    )


def _of_numpy(values: npt.NDArray[Any], present: npt.NDArray[np.bool_] | None) -> Any:
    kind, size = pa.from_numpy_dtype(values.dtype), len(values)
    buffer = (
        _bits(values) if values.dtype == np.bool_ else pa.py_buffer(np.ascontiguousarray(values))
    )
    return pa.Array.from_buffers(kind, size, [None if present is None else _bits(present), buffer])


def _bits(values: npt.NDArray[np.bool_]) -> Any:
    return pa.py_buffer(np.packbits(values, bitorder="little"))


def _of_numbers(values: Sequence[Any], kind: Any, *, full: bool) -> Any:
    if full:
        plain, present = values, None
    else:
        plain = [0 if v is None else v for v in values]
        present = np.fromiter((v is not None for v in values), np.bool_, len(values))
    try:
        return _of_numpy(np.array(plain, kind), present)
    except OverflowError:
        return None


def _of_texts(values: Sequence[str | None], *, full: bool) -> Any:
    texts = values if full else ["" if v is None else v for v in values]
    joined = "".join(texts)  # type: ignore[arg-type]
    data = joined.encode()
    if len(data) > _MAX_STRING_BYTES:
        return None
    parts = texts if len(data) == len(joined) else [str(t).encode() for t in texts]
    ends = np.zeros(len(texts) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, parts), np.int32, len(texts)), out=ends[1:])  # type: ignore[arg-type]
    validity = None
    if not full:
        validity = _bits(np.fromiter((v is not None for v in values), np.bool_, len(values)))
    buffers = [validity, pa.py_buffer(ends), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def numbers(column: Any, absent: float = np.nan) -> npt.NDArray[Any]:
    """Return ``column.to_numpy(zero_copy_only=False)``. Numbers with nulls become floats with NaN.

    If ``absent`` is a whole number, it replaces nulls, and whole numbers keep their type.

    >>> numbers(array([1, None]))
    array([ 1., nan])
    """
    if _is_number(column.type):
        return (
            np.where(_valid_mask(column), _buffer_values(column), absent)
            if column.null_count
            else _buffer_values(column)
        )
    if pa.types.is_boolean(column.type) and not column.null_count:
        return _unpacked(column, 1)
    return column.to_numpy(zero_copy_only=False)


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _buffer_values(column: Any) -> npt.NDArray[Any]:
    """Return the contents of the buffer, including null values."""
    kind = np.dtype(column.type.to_pandas_dtype())
    if not len(column):
        return np.empty(0, kind)
    return np.frombuffer(column.buffers()[1], kind, len(column), column.offset * kind.itemsize)


def _valid_mask(column: Any) -> npt.NDArray[np.bool_]:
    """Return which values of a column with null values are not null."""
    return _unpacked(column, 0)


def _unpacked(column: Any, buffer: int) -> npt.NDArray[np.bool_]:
    """Return the bits of one of a column's buffers that belong to the column."""
    first, start = divmod(column.offset, 8)
    raw = np.frombuffer(column.buffers()[buffer] or b"", np.uint8)[first:]
    bits = np.unpackbits(raw, count=min(8 * len(raw), start + len(column)), bitorder="little")
    return bits[start:].view(np.bool_)


def codes(column: Any) -> npt.NDArray[Any]:
    """Return the positions of a dictionary column's values in its dictionary, -1 for null.

    >>> codes(labeled(["b", None, "b"]))
    array([ 0, -1,  0], dtype=int32)
    """
    places = _buffer_values(column.indices)
    if not column.indices.null_count:
        return places
    return np.where(_valid_mask(column.indices), places.astype(np.int32, copy=False), np.int32(-1))


def used(column: Any) -> Any:
    """Return a dictionary column without the dictionary values that no row has.

    >>> used(labeled(["a", "b", "c"]).slice(1, 1)).dictionary.to_pylist()
    ['b']
    """
    row_codes = codes(column)
    present = row_codes >= 0 if column.null_count else None
    used_codes = np.unique(row_codes if present is None else row_codes[present]).astype(np.int64)
    places = array(np.searchsorted(used_codes, row_codes).astype(np.int32), present=present)
    values = column.dictionary
    if pa.types.is_string_view(values.type):  # Arrow cannot take from these types
        values = values.cast(pa.string())
    return pa.DictionaryArray.from_arrays(places, values.take(array(used_codes)))


def longest(texts: Any) -> int:
    """Return the size in bytes of the longest text.

    >>> longest(array(["a", "bcd", None]))
    3
    """
    if not len(texts):
        return 0
    ends = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :][: len(texts) + 1]
    return int(np.diff(ends).max())


def coded(column: Any, absent: str | None = None) -> tuple[npt.NDArray[np.int32], list[str]]:
    """Return the code of each row in a column of names, and the names in order of appearance.

    Rows without a name have -1, or the code of ``absent``.

    >>> coded(labeled(["b", None, "a", "b"]))
    (array([ 0, -1,  1,  0], dtype=int32), ['b', 'a'])
    """
    place: dict[str, int] = {}
    parts: list[npt.NDArray[np.int32]] = [_NO_CODES]
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        names, row_codes = [*chunk.dictionary.to_pylist(), None], codes(chunk)
        table = np.full(len(names), -1, np.int32)
        for k in _appearing(row_codes, len(names)).tolist():
            name = absent if names[k] is None else names[k]
            table[k] = -1 if name is None else place.setdefault(name, len(place))
        parts.append(table[row_codes])
    return np.concatenate(parts), list(place)


def _appearing(codes: npt.NDArray[Any], size: int) -> npt.NDArray[np.int64]:
    """Return the codes from -1 to ``size`` - 2 in order of appearance, with -1 last."""
    rows = len(codes)
    first = np.full(size, rows)
    first[codes[::-1]] = np.arange(rows)[::-1]
    used_codes = np.flatnonzero(first < rows)
    return used_codes[np.argsort(first[used_codes])]


def labeled(values: Sequence[str | None]) -> Any:
    """Return texts as a dictionary column."""
    order = dict.fromkeys(values)
    full = None not in order
    order.pop(None, None)
    if full and len(order) in {1, len(values)}:
        places = np.arange(len(values), dtype=np.int32) % len(order) if order else _NO_CODES
    else:
        code: dict[str | None, int] = dict(zip(order, range(len(order)), strict=True))
        code[None] = -1
        places = np.fromiter(map(code.__getitem__, values), np.int32, len(values))
    indices = array(places, present=None if full else places >= 0)
    return pa.DictionaryArray.from_arrays(indices, array(list(order), pa.string()))


def some_rows(rows: Any, keep_mask: npt.NDArray[np.bool_]) -> Any:
    """Return ``rows.filter(keep_mask)`` of a batch or a table."""
    if keep_mask.all():
        return rows
    if isinstance(rows, pa.Table):
        return rows.filter(array(keep_mask))
    columns = [_selected_elements(column, keep_mask) for column in rows.columns]
    return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


def rows_at(rows: Any, places: npt.NDArray[np.int64]) -> Any:
    """Return ``rows.take(places)`` of a batch.

    >>> rows_at(pa.record_batch({"a": [5, 6, 7]}), np.array([2, 0])).to_pydict()
    {'a': [7, 5]}
    """
    columns = [_selected_elements(column, places) for column in rows.columns]
    return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


def _selected_elements(column: Any, selection: npt.NDArray[Any]) -> Any:
    """Return the elements of a column that a mask, or positions, select."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(
            _selected_elements(column.indices, selection), column.dictionary
        )
    if not _is_number(kind):
        return (column.filter if selection.dtype == bool else column.take)(array(selection))
    present = _valid_mask(column)[selection] if column.null_count else None
    return _of_numpy(_buffer_values(column)[selection], present)
