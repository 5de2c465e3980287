"""JSON records: one object per line, or an array of objects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._base import BATCH, Journal, Options
from nstar.readers._files import Place, printable
from nstar.readers._json import json_elements, json_lines
from nstar.readers._tables._frame import Chunk, Column, Kind
from nstar.readers._values import entry

__all__ = ["JsonFrame"]

_HEAD = 200
"""Records that are enough to know the fields and what they hold."""


class JsonFrame:
    """Records of JSON Lines or of one array; ``a.b`` names the field b of the field a."""

    def __init__(
        self, place: Place, journal: Journal, asked: Iterable[str] = (), *, lines: bool
    ) -> None:
        self._place = place
        self._journal = journal
        self._lines = lines
        self.extras: Mapping[bytes, bytes] = {}
        self._first = self._some(journal.options.skip_bad)
        if not self._first:
            msg = f"{place}: holds no JSON objects; a table is one object per line, or an array"
            raise ReadError(msg)
        names = list(dict.fromkeys(name for record in self._first for name in record))
        names += [n for n in asked if n not in names and self._nested(n)]
        self.columns = tuple(Column(n, _kind(self._values(n))) for n in names)

    def _some(self, skip_bad: int) -> list[dict[str, Any]]:
        """The first records, as far as they can be read; reading them all complains."""
        first: list[dict[str, Any]] = []
        try:
            for _, record in islice(self._records(Any, Journal()), _HEAD):
                if isinstance(record, dict):
                    first.append(record)
        except ReadError:
            if first:
                return first
            lenient = Journal(options=Options(skip_bad=skip_bad))
            found = islice(self._records(Any, lenient), _HEAD)
            return [record for _, record in found if isinstance(record, dict)]
        return first

    def _nested(self, name: str) -> bool:
        outer, dot, inner = name.partition(".")
        return bool(dot) and any(entry(r, outer, inner) is not None for r in self._first)

    def _values(self, name: str) -> list[Any]:
        if any(name in record for record in self._first):
            return [record.get(name) for record in self._first]
        return [entry(record, *name.split(".", 1)) for record in self._first]

    def _records(self, kind: Any, journal: Journal) -> Iterator[tuple[int, Any]]:
        if self._lines:
            return json_lines(self._place, kind, journal)
        return json_elements(self._place, None, kind, journal)

    def head(self, names: Sequence[str]) -> pa.RecordBatch:
        """The first rows of these columns."""
        columns = [_text_column(self._values(n))[0] for n in names]
        return pa.RecordBatch.from_arrays(columns, list(names))

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """All rows of these columns."""
        whole = {n for record in self._first for n in record}
        paths = [(n,) if n in whole else tuple(n.split(".", 1)) for n in names]
        fields = list(dict.fromkeys(path[0] for path in paths))
        keys = {f"f{k}": field for k, field in enumerate(fields)}
        records = self._records(self._record_type(keys), self._journal)
        for lines, cells in _blocks(records, len(fields)):
            by_field = dict(zip(fields, cells, strict=True))
            values = [_inner(by_field[path[0]], path) for path in paths]
            yield self._chunk(names, values, lines)

    def _record_type(self, keys: dict[str, str]) -> type[Any]:
        try:
            return msgspec.defstruct(
                "Record", [(k, Any, None) for k in keys], rename=keys, gc=False
            )
        except ValueError as error:  # quotes and control characters
            msg = f"{self._place}: a field needed has an unusable name ({printable(str(error))})"
            raise ReadError(msg) from error

    def _chunk(self, names: Sequence[str], values: list[Any], lines: list[int]) -> Chunk:
        columns = []
        dropped: set[int] = set()
        for name, column in zip(names, values, strict=True):
            array, nested = _column(column)
            columns.append(array)
            for row in nested:
                if row not in dropped:
                    said = printable(repr(column[row])[:60])
                    problem = f"{printable(name)!r} holds {said}; want a number or a text"
                    self._journal.bad_row(self._place, lines[row], problem)
                dropped.add(row)
        batch = pa.RecordBatch.from_arrays(columns, list(names))
        if dropped:
            kept = [k for k in range(len(lines)) if k not in dropped]
            batch = batch.take(pa.array(kept, pa.int64()))
            lines = [lines[k] for k in kept]
        return Chunk(batch, lines.__getitem__)


def _blocks(
    records: Iterator[tuple[int, Any]], width: int
) -> Iterator[tuple[list[int], list[list[Any]]]]:
    """Line numbers and columns; all cells in one list, to spare the garbage collector."""
    lines: list[int] = []
    cells: list[Any] = []
    for line, record in records:
        lines.append(line)
        cells.extend(msgspec.structs.astuple(record))
        if len(lines) >= BATCH:
            yield lines, [cells[k::width] for k in range(width)]
            lines, cells = [], []
    if lines:
        yield lines, [cells[k::width] for k in range(width)]


def _inner(column: Sequence[Any], path: tuple[str, ...]) -> Sequence[Any]:
    return column if len(path) == 1 else [entry(value, path[1]) for value in column]


def _kind(values: Sequence[Any]) -> Kind:
    types = set(map(type, values)) - {type(None)}
    if types and types <= {dict, list}:
        return "nested"
    if not types:
        return "empty"
    if types == {bool}:
        return "truth"
    return "number" if types <= {int, float, bool} else "text"


def _column(values: Sequence[Any]) -> tuple[pa.Array, list[int]]:
    """The column in its own type if it has one, else as texts, and rows of lists or objects."""
    types = set(map(type, values)) - {type(None)}
    try:
        if len(types) == 1 and not types & {dict, list}:
            return pa.array(values), []
        if types == {int, float}:
            return pa.array(values, pa.float64()), []
    except (pa.ArrowException, OverflowError, UnicodeError):
        pass
    return _text_column(values)


def _text_column(values: Sequence[Any]) -> tuple[pa.Array, list[int]]:
    nested = [k for k, value in enumerate(values) if isinstance(value, dict | list)]
    texts = [_text(value) for value in values]
    return pa.array(texts, pa.string()), nested


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, dict | list):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value)) if abs(value) < 1e16 else repr(value)
    if isinstance(value, int) and value.bit_length() > 1024:
        return hex(value)  # decimal digits of such a number may be refused
    text = value if isinstance(value, str) else repr(value)
    return text.encode("utf-8", "replace").decode("utf-8")
