"""Convert columns to names and content hashes, once per distinct value."""

from typing import Any

import numpy as np
import pyarrow as pa

from nstar._data import arrow
from nstar._data import lazy_compute as pc
from nstar._data.table import labels
from nstar.readers._base import content_key

_SPAN = 1 << 22
"""Largest range of integers that are numbered by a table instead of by hashing."""


class TableNames:
    """Converts blocks of one column to names. Integers become digits, NaN becomes null.

    >>> TableNames().convert(pa.array([7, 9, 7])).dictionary.to_pylist()
    ['7', '9']
    """

    def __init__(self) -> None:
        self._integers = _Integers()

    def convert(self, column: pa.Array) -> pa.DictionaryArray:
        """Return the names in a block."""
        kind = column.type
        if pa.types.is_dictionary(kind):
            return labels(_without_null(column) if column.dictionary.null_count else column)
        if pa.types.is_integer(kind):
            return self._integers.convert(column)
        if pa.types.is_floating(kind):
            return labels(pc.if_else(pc.is_nan(column), None, column))
        if pa.types.is_temporal(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
            return labels(column)
        return labels(column.dictionary_encode())


class _Integers:
    """Converts blocks of integers to names, with one growing dictionary for all blocks."""

    def __init__(self) -> None:
        self._low = 0
        self._codes = np.empty(0, np.int32)  # by integer from low on; -1: new
        self._seen = np.empty(0, np.int64)
        self._digits: Any = None
        self._gapless = False

    def convert(self, column: pa.Array) -> pa.DictionaryArray:
        values = None if column.null_count or not len(column) else arrow.numbers(column)
        if values is None or not self._reaches(int(values.min()), int(values.max())):
            return labels(column.dictionary_encode())
        if values.dtype.itemsize < 4:
            values = values.astype(np.int32)
        offsets = (values - values.dtype.type(self._low)).astype(np.int32, copy=False)
        if not self._gapless:
            offsets = self._looked_up(offsets)
        return pa.DictionaryArray.from_arrays(arrow.array(offsets), self._digits)

    def _reaches(self, low: int, high: int) -> bool:
        """Widen the table to include these integers; return False if it would be too wide."""
        if self._codes.size:
            last = self._low + self._codes.size - 1
            if self._low <= low and high <= last:
                return True
            low, high = min(low, self._low), max(high, last)
        if high - low >= _SPAN or low < -_SPAN or high >= 1 << 31:
            return False
        codes = np.full(high - low + 1, -1, np.int32)
        codes[max(0, self._low - low) :][: self._codes.size] = self._codes
        self._low, self._codes, self._gapless = low, codes, False
        return True

    def _looked_up(self, offsets: Any) -> Any:
        codes = self._codes[offsets]
        if codes.min() >= 0:
            return codes
        fresh = np.unique(offsets[codes < 0])
        self._codes[fresh] = np.arange(self._seen.size, self._seen.size + fresh.size)
        self._seen = np.concatenate([self._seen, fresh + self._low])
        self._digits = arrow.array(list(map(str, self._seen.tolist())), pa.string())
        self._gapless = bool(np.array_equal(self._codes, np.arange(self._codes.size)))
        return self._codes[offsets]


def _without_null(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return the column with nulls among its codes instead of in its dictionary."""
    present = np.array([name is not None for name in column.dictionary.to_pylist()])
    places = arrow.array((np.cumsum(present) - 1).astype(np.int32), present=present)
    return pa.DictionaryArray.from_arrays(
        places.take(column.indices), column.dictionary.drop_null()
    )


def _place_of_empty(names: pa.Array) -> int:
    """Return the position of the empty text in a dictionary, or -1."""
    ends = np.frombuffer(names.buffers()[1] or b"", np.int32)[names.offset :][: len(names) + 1]
    empty = np.flatnonzero(ends[1:] == ends[:-1])
    return next((k for k in empty.tolist() if names[k].is_valid), -1)


def nameless(column: pa.DictionaryArray) -> Any:
    """Return a mask of the rows whose name is null or empty."""
    code = _place_of_empty(column.dictionary)
    if code < 0 and not column.null_count:
        return np.empty(0, np.int64)
    codes = arrow.codes(column)
    return np.flatnonzero((codes < 0) | (codes == code))


def known(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return the column with null in place of empty names."""
    empty = nameless(column)
    if len(empty) == column.null_count:
        return column
    keep_mask = np.ones(len(column), np.bool_)
    keep_mask[empty] = False
    codes = arrow.array(arrow.codes(column), present=keep_mask)
    return pa.DictionaryArray.from_arrays(codes, column.dictionary)


def filled(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return the column with an empty name in place of null."""
    if not column.null_count:
        return column
    code = _place_of_empty(column.dictionary)
    names = column.dictionary
    if code < 0:
        code, names = len(names), pa.concat_arrays([names, arrow.array([""], pa.string())])
    codes = arrow.codes(column)
    return pa.DictionaryArray.from_arrays(arrow.array(np.where(codes < 0, code, codes)), names)


def prefixed(column: pa.DictionaryArray, prefix: str) -> pa.DictionaryArray:
    """Return the column with ``prefix/`` before every name."""
    longer = [f"{prefix}/{name}" for name in column.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(column.indices, arrow.array(longer, pa.string()))


_MAX_ID_LENGTH = 64
"""Number of characters of a text that can be an id."""
_MAX_IDS = 1 << 20


class ContentHasher:
    """Converts texts to hashes, once per distinct text of a block.

    >>> ContentHasher().convert(pa.array(["a", "b", "a"])).type
    DataType(uint64)
    """

    def __init__(self, ids: dict[int, str] | None = None) -> None:
        self._names = TableNames()
        self._texts: Any = None
        self._hashes: Any = None
        self._ids = ids
        """Short texts by their hash, if the caller needs them."""

    def convert(self, column: pa.Array) -> pa.Array:
        """Return 64 bits for each text. Integers are assumed to be hashes already."""
        if pa.types.is_integer(column.type):
            if pa.types.is_signed_integer(column.type):
                column = column.cast(pa.int64()).view(pa.uint64())
            return column.cast(pa.uint64())
        column = self._names.convert(column)
        if self._texts is None or not column.dictionary.equals(self._texts):
            self._texts = column.dictionary
            texts = self._texts.to_pylist()
            hashes = [content_key(text) for text in texts]
            if self._ids is not None and len(self._ids) < _MAX_IDS:
                pairs = zip(hashes, texts, strict=True)
                self._ids.update((key, text) for key, text in pairs if len(text) <= _MAX_ID_LENGTH)
            self._hashes = arrow.array(hashes, pa.uint64())
        return self._hashes.take(column.indices)
