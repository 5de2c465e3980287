"""JSON records: one object per line, or an array of objects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec
import pyarrow as pa

from nstar._data import arrow
from nstar.errors import ReadError
from nstar.readers._base import BATCH, Journal, ReaderOptions
from nstar.readers._decode import BadJSON, Decoder
from nstar.readers._files import Place
from nstar.readers._json import json_elements, json_lines
from nstar.readers._read_errors import printable
from nstar.readers._tables._frame import TOTAL, Chunk, Column, ColumnKind
from nstar.readers._values import entry, finite

_HEAD = 200
"""Number of records from which the fields and their types are detected."""
_HEAD_BYTES = 16 << 20
"""Maximum number of bytes of these records."""
_BLOCK = 32 << 20
"""Number of characters of text that end a block of records before it is full."""


class JsonFrame:
    """Records of JSON Lines, or of one array.

    ``a.b`` is the field b of the field a, and ``a.b.*`` is the sum of the numbers in it.
    """

    def __init__(
        self, place: Place, journal: Journal, requested: Iterable[str] = (), *, lines: bool
    ) -> None:
        self._place = place
        self._journal = journal
        self._lines = lines
        self.extras: Mapping[bytes, bytes] = {}
        self._first = self._readable_head(journal.options.skip_bad)
        if not self._first:
            msg = (
                f"{place}: no JSON objects found. A table needs one object per line or an array "
                "of objects."
            )
            raise ReadError(msg)
        names = list(dict.fromkeys(name for record in self._first for name in record))
        names += [n for n in requested if n not in names and self._nested(n)]
        text = f"{place}: the first records have {len(names):,} fields"
        journal.options.limits.refuse("columns", len(names), text, error=ReadError)
        self.columns = tuple(Column(n, _kind(self._values(n))) for n in names)

    def _readable_head(self, skip_bad: int) -> list[dict[str, Any]]:
        """Return the first records that can be read. Errors are reported when all are read."""
        first: list[dict[str, Any]] = []
        user_options = self._journal.options
        options = ReaderOptions(limits=user_options.limits, growing=user_options.growing)
        try:
            first.extend(self._head_records(Journal(options=options)))
        except ReadError:
            if not first:
                first.extend(
                    self._head_records(Journal(options=replace(options, skip_bad=skip_bad)))
                )
        return first

    def _head_records(self, journal: Journal) -> Iterator[dict[str, Any]]:
        """Yield records from the first on, up to a number and a size."""
        length, decoder = 0, Decoder[Any](Any)
        for number, raw in islice(self._records(msgspec.Raw, journal), _HEAD):
            try:
                record = decoder(bytes(raw))
            except BadJSON as bad:
                journal.bad_row(self._place, number, str(bad))
                continue
            if isinstance(record, dict):
                yield record
            length += len(raw)
            if length > _HEAD_BYTES:
                return

    def _nested(self, name: str) -> bool:
        outer, dot, inner = name.partition(".")
        return bool(dot) and any(_field(r.get(outer), inner) is not None for r in self._first)

    def _values(self, name: str) -> list[Any]:
        if any(name in record for record in self._first):
            return [record.get(name) for record in self._first]
        outer, _, inner = name.partition(".")
        return [_field(record.get(outer), inner) for record in self._first]

    def _records(self, kind: Any, journal: Journal) -> Iterator[tuple[int, Any]]:
        if self._lines:
            return json_lines(self._place, kind, journal)
        return json_elements(self._place, None, kind, journal)

    def refuse_rows(self, across: int) -> None:
        """Do nothing, because text declares no size. Rows are counted while they are read."""

    def head(self, names: Sequence[str]) -> pa.RecordBatch:
        """Return the first rows of these columns."""
        columns = [_text_column(self._values(n))[0] for n in names]
        return pa.RecordBatch.from_arrays(columns, list(names))

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield all rows of these columns."""
        own_fields = {n for record in self._first for n in record}
        paths = [(n,) if n in own_fields else tuple(n.split(".", 1)) for n in names]
        fields = list(dict.fromkeys(path[0] for path in paths))
        keys = {f"f{k}": field for k, field in enumerate(fields)}
        records = self._records(self._record_type(keys), self._journal)
        places = [(fields.index(path[0]), path[1:]) for path in paths]
        rows = ((line, msgspec.structs.astuple(record)) for line, record in records)
        if any(inner for _, inner in places):
            rows = ((line, _inner(values, places)) for line, values in rows)
        for lines, columns in _blocks(rows, len(places)):
            yield self._chunk(names, columns, lines)

    def _record_type(self, keys: dict[str, str]) -> type[Any]:
        try:
            return msgspec.defstruct(
                "Record", [(k, Any, None) for k in keys], rename=keys, gc=False
            )
        except ValueError as error:  # quotes and control characters
            msg = f"{self._place}: a required field has an invalid name ({printable(str(error))})"
            raise ReadError(msg) from error

    def _chunk(self, names: Sequence[str], values: list[Any], lines: list[int]) -> Chunk:
        columns = []
        dropped: set[int] = set()
        for name, column in zip(names, values, strict=True):
            array, nested = _column(column)
            columns.append(array)
            for row in nested:
                if row not in dropped:
                    value_text = printable(repr(column[row])[:60])
                    problem = f"{printable(name)!r} is {value_text}; expected a number or text"
                    self._journal.bad_row(self._place, lines[row], problem)
                dropped.add(row)
        batch = pa.RecordBatch.from_arrays(columns, list(names))
        if dropped:
            keep = [k for k in range(len(lines)) if k not in dropped]
            batch = batch.take(arrow.array(keep, pa.int64()))
            lines = [lines[k] for k in keep]
        return Chunk(batch, lines.__getitem__)


def _blocks(
    rows: Iterator[tuple[int, tuple[Any, ...]]], width: int
) -> Iterator[tuple[list[int], list[list[Any]]]]:
    """Yield line numbers and columns, with all cells in one list to spare the collector."""
    lines: list[int] = []
    cells: list[Any] = []
    letters = 0
    for line, values in rows:
        lines.append(line)
        cells.extend(values)
        letters += sum(map(_weight, values))
        if len(lines) >= BATCH or letters > _BLOCK:
            yield lines, [cells[k::width] for k in range(width)]
            lines, cells, letters = [], [], 0
    if lines:
        yield lines, [cells[k::width] for k in range(width)]


def _weight(value: Any) -> int:
    """Return the length of a text. A list or an object, which is not a cell, ends the block."""
    if isinstance(value, str):
        return len(value)
    return _BLOCK + 1 if isinstance(value, dict | list) else 0


def _inner(
    values: tuple[Any, ...], places: Sequence[tuple[int, tuple[str, ...]]]
) -> tuple[Any, ...]:
    """Return the cells of a record, each of which is a field or a field of a field."""
    return tuple(_field(values[k], *inner) if inner else values[k] for k, inner in places)


def _field(value: Any, inner: str) -> Any:
    """Return a field of a field, or the sum of its numbers."""
    if not inner.endswith(TOTAL):
        return entry(value, inner)
    content = entry(value, inner.removesuffix(TOTAL))
    values = list(content.values()) if isinstance(content, dict) else [content]
    known = [x for x in map(finite, values) if x is not None]
    return sum(known) if known else None


def _kind(values: Sequence[Any]) -> ColumnKind:
    types = set(map(type, values)) - {type(None)}
    if types and types <= {dict, list}:
        return "nested"
    if not types:
        return "empty"
    if types == {bool}:
        return "truth"
    return "number" if types <= {int, float, bool} else "text"


def _column(values: Sequence[Any]) -> tuple[pa.Array, list[int]]:
    """Return the column in its own type or as texts, and the rows with lists or objects."""
    types = set(map(type, values)) - {type(None)}
    try:
        if types == {str}:
            return arrow.labeled(values), []
        if len(types) == 1 and not types & {dict, list}:
            return arrow.array(values), []
        if types == {int, float}:
            return arrow.array(values, pa.float64()), []
    except (pa.ArrowException, OverflowError, UnicodeError):
        pass
    return _text_column(values)


def _text_column(values: Sequence[Any]) -> tuple[pa.Array, list[int]]:
    nested = [k for k, value in enumerate(values) if isinstance(value, dict | list)]
    texts = [_text(value) for value in values]
    return arrow.array(texts, pa.string()), nested


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, dict | list):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value)) if abs(value) < 1e16 else repr(value)
    if isinstance(value, int) and value.bit_length() > 1024:
        return hex(value)  # Python may refuse to print so many digits
    text = value if isinstance(value, str) else repr(value)
    return text.encode("utf-8", "replace").decode("utf-8")
