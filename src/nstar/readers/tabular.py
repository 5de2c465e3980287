"""Read plain tables: CSV, TSV, JSON records, Parquet, and Arrow files, long or wide.

A long table has one row per score, with columns for the item, the score, and the model unless
there is only one. A wide table has a column of scores for each model or for each item. Roles are
detected from the names of the columns (:mod:`nstar.readers._tables._columns`), and
``ReaderOptions.columns`` overrides them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa

from nstar._data.findings import abbreviate
from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Unit
from nstar.readers._fallback_names import by_file
from nstar.readers._files import Place
from nstar.readers._tables import Frame, form_of, open_frame, suffix_of
from nstar.readers._tables._columns import ColumnLayout, lay_out, recognized, tidy_layout
from nstar.readers._tables._rows import TableRows
from nstar.readers.tidy import SOURCES_KEY, sources_from

__all__ = ["READER", "rows_of"]

_TEXT = (".csv", ".tsv", ".psv", ".tab")
_BINARY = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
_LINES = (".jsonl", ".ndjson")
_UNSURE = ("", ".txt", ".dat")
_FIELD = re.compile(rb'"([^"\\]{1,40})"\s*:')


class _Context(NamedTuple):
    """Information about a table that depends on the other tables."""

    model: str
    """Name for a model without a column."""
    places: Sequence[Place]
    """Locations of all tables."""


class _Reader:
    name = "tabular"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return ``log`` for a table, by suffix or first bytes; JSON needs a known field."""
        suffix = suffix_of(place.name)
        form = form_of(head)
        if suffix in _BINARY or form in {"parquet", "arrow", "feather1"}:
            return "log"
        if form in {"array", "object"}:
            return "log" if _looks_like_records(head, suffix, form) else None
        if suffix in _TEXT:
            return "log"
        packed = head.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd"))
        if packed and suffix in _LINES:
            return "log"
        return "log" if suffix in _UNSURE and _looks_like_csv(head) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        """Return a unit per file. Its models are known after reading."""
        del journal
        names = by_file(places, [_stem(place.name) for place in places])
        return [
            Unit(place=place, context=_Context(name, places))
            for place, name in zip(places, names, strict=True)
        ]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        column_names = [name for _, name in journal.options.columns]
        frame = open_frame(unit.place, journal, [*column_names, *journal.options.groups])
        if SOURCES_KEY in frame.extras:
            yield from _cached(unit, frame, journal)
            return
        yield from rows_of(unit, frame, journal, reader=self.name, model=_context(unit).model)


def rows_of(
    unit: Unit, frame: Frame, journal: Journal, *, reader: str, model: str
) -> Iterator[pa.RecordBatch]:
    """Yield the scores of a user's table; ``model`` is the name of a model without a column."""
    layout = _laid_out(unit, frame, journal)
    frame.refuse_rows(max(1, len(layout.scores)))
    source = journal.source(unit.place, reader, notes=list(layout.notes))
    if "model" not in layout.parts and layout.across != "model":
        source.model = model
    rows = TableRows(unit.place, layout, journal, source, model=model, run=unit.run)
    yield from _batches(frame, layout.wanted, rows)
    if rows.scores.note and not journal.options.lower_is_better:
        source.notes.append(rows.scores.note)


def _context(unit: Unit) -> _Context:
    known = isinstance(unit.context, _Context)
    return unit.context if known else _Context(_stem(unit.place.name), ())


def _laid_out(unit: Unit, frame: Frame, journal: Journal) -> ColumnLayout:
    """Return the layout of a table.

    For an unrelated table, raise an error that says how to exclude it.
    """
    try:
        return lay_out(unit.place, frame, journal.options)
    except ReadError as error:
        others = [str(p) for p in _context(unit).places if p != unit.place]
        if not others:
            raise
        msg = (
            f"{str(error).rstrip('.')}. Otherwise, pass only the other files: "
            f"{abbreviate(others, 3)}"
        )
        raise ReadError(msg) from error


def _batches(frame: Frame, columns: Sequence[str], rows: TableRows) -> Iterator[pa.RecordBatch]:
    for chunk in frame.chunks(columns):
        yield from rows.batches(chunk)


def _cached(unit: Unit, frame: Frame, journal: Journal) -> Iterator[pa.RecordBatch]:
    """Yield a table that nstar wrote, with the records of its logs."""
    journal.sources += sources_from(unit.place, frame.extras[SOURCES_KEY])
    layout = tidy_layout(unit.place, frame)
    rows = TableRows(unit.place, layout, journal, None, model="", run=unit.run)
    yield from _batches(frame, layout.wanted, rows)


def _stem(name: str) -> str:
    """Return the file's name without its suffixes."""
    for _ in range(2):
        stem, dot, ending = name.rpartition(".")
        known = {*_TEXT, *_BINARY, *_LINES, ".json", ".txt", ".dat", ".gz", ".zst", ".zstd"}
        if stem and f"{dot}{ending}".lower() in known:
            name = stem
    return name


def _looks_like_records(head: bytes, suffix: str, form: str) -> bool:
    """Return whether the text has objects, per line or in an array, with a known field name."""
    text = head.removeprefix(b"\xef\xbb\xbf").strip()
    if form == "array":
        text = text[1:].lstrip()
    elif suffix not in _LINES and not text.partition(b"\n")[2].lstrip().startswith(b"{"):
        return False
    return len(recognized(_fields(text)) & {"model", "item", "score", "task"}) >= 2


def _fields(text: bytes) -> Iterable[str]:
    """Return the fields of the first object.

    If it is longer than the text, return all names in the text.
    """
    try:
        record, _ = json.JSONDecoder().raw_decode(text.decode("utf-8", "replace"))
    except RecursionError:
        return ()
    except ValueError:
        fields = _FIELD.findall(text) if text.startswith(b"{") else ()
        return [name.decode("utf-8", "replace") for name in fields]
    return record if isinstance(record, dict) else ()


def _looks_like_csv(head: bytes) -> bool:
    from nstar.readers._tables._csv import header_of  # noqa: PLC0415 few files have no ending

    text = head.decode("utf-8", "replace")
    _, names = header_of(text)
    return "\n" in text and len(names) > 1 and len(recognized(names)) >= 2


READER = _Reader()
