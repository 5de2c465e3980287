"""Convert the rows of a samples file to scores, in batches, or one by one if a row is unusual."""

import json
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import UNSET
from msgspec.structs import astuple

from nstar._base.types import Array
from nstar._data import arrow
from nstar._data.table import constant
from nstar.readers._base import Journal, ReaderOptions, Rows, SourceDraft, content_key
from nstar.readers._common import group_label
from nstar.readers._files import Place
from nstar.readers._values import ScoreCheck, entry, item_name, unfit
from nstar.readers.lm_eval._layout import BOOKKEEPING, RowLayout, read_rows, texts
from nstar.readers.lm_eval._results import PLACEHOLDER, ResultsHeader

_DIGEST = 64
"""Number of hexadecimal digits of a document's hash. ``content_key`` keeps the first 16."""
_LARGEST = (1 << 63) - 1
"""Largest number of a document."""
_ABSENT: Array = np.empty(0)


def _batches(
    rows: Sequence[Any], layout: RowLayout, prefix: str, constants: Mapping[str, str | None]
) -> list[pa.RecordBatch] | None:
    """Return a batch per metric, or ``None`` if a row needs individual treatment.

    ``prefix`` precedes the document's number in an item's name. ``constants`` are columns that are
    the same in all rows.
    """
    doc_ids, hashes, filters, listed, *values = zip(*map(astuple, rows), strict=True)
    docs = values.pop() if layout.groups else ()
    if listed.count(layout.listed) < len(rows) or not _all(filters, str):
        return None
    items, contents = _items(doc_ids, prefix), _contents(hashes)
    scores = [_scores(column) for column in values]
    if items is None or contents is None or any(s is None for s in scores):
        return None
    shared = {"item": items, "content": contents, **_groups(docs, layout, constants)}
    shared |= {k: constant(v, len(rows)) for k, v in constants.items() if v is not None}
    names = arrow.labeled(filters)
    return [
        pa.RecordBatch.from_pydict(
            shared | {"score": arrow.array(of), "metric": _metric(m, names)}
        )
        for m, of in zip(layout.metrics, scores, strict=True)
        if of is not None and of is not _ABSENT
    ]


def _all(column: Sequence[Any], kind: type) -> bool:
    return set(map(type, column)) == {kind}


def _items(doc_ids: Sequence[Any], prefix: str) -> pa.Array | None:
    if not _all(doc_ids, int):
        return None
    if not -_LARGEST <= min(doc_ids) <= max(doc_ids) <= _LARGEST:
        return None
    return arrow.labeled([f"{prefix}{k}" for k in doc_ids])


def _contents(hashes: Sequence[Any]) -> pa.Array | None:
    if not _all(hashes, str) or set(map(len, hashes)) != {_DIGEST}:
        return None
    try:
        digests = bytes.fromhex("".join(hashes))
    except ValueError:
        return None
    if len(digests) != _DIGEST // 2 * len(hashes):  # the row has blanks
        return None
    return arrow.array(np.frombuffer(digests, ">u8")[:: _DIGEST // 16].astype(np.uint64))


def _scores(column: Sequence[Any]) -> Array | None:
    """Return the scores if all are finite numbers, and nothing if no row has the metric."""
    kinds = set(map(type, column))
    if kinds == {type(UNSET)}:
        return _ABSENT
    if not kinds <= {float, int, bool}:
        return None
    try:
        scores = np.array(column, float)
    except OverflowError:
        return None
    return scores if np.isfinite(scores).all() else None


def _groups(
    docs: Sequence[Any], layout: RowLayout, constants: Mapping[str, str | None]
) -> dict[str, pa.Array]:
    nothing = (None,) * len(layout.groups)
    fields = zip(*[nothing if d is None else astuple(d) for d in docs], strict=True)
    names = layout.columns(subject=constants.get("subject") is not None)
    return {
        name: arrow.labeled(list(map(group_label, column)))
        for name, column in zip(names, fields, strict=False)
    }


def _metric(metric: str, filters: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return ``metric,filter`` of every row."""
    names = [f"{metric},{f}" for f in filters.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(filters.indices, arrow.array(names, pa.string()))


_BLOCK = 1 << 12
"""Number of rows that are decoded at a time."""
_UNNAMED = (
    "several rows per item and no results file that names their filters: filters are "
    "named none, filter-2, …"
)


@dataclass(slots=True, kw_only=True)
class Scorer:
    """Converts rows of a samples file to rows of the table."""

    place: Place
    header: ResultsHeader
    layout: RowLayout
    source: SourceDraft
    journal: Journal
    constants: dict[str, str | None]
    """Columns of the table that are the same in all rows."""
    rows: Rows = field(init=False)
    """Rows that are converted one by one."""
    count: int = 0
    """Number of rows so far."""
    _seen: Counter[str] = field(default_factory=Counter)
    _known: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = field(default_factory=dict)
    _check: ScoreCheck = field(init=False)
    _prefix: str = field(init=False)

    def __post_init__(self) -> None:
        groups = self.layout.columns(subject=self.constants.get("subject") is not None)
        self.rows = Rows("item", "score", "metric", "content", *groups)
        self._prefix = f"{self.header.leaf}:" if self.header.group else ""
        self._check = ScoreCheck(self.place, self.journal, self.source.drop)

    def run(self) -> Iterator[pa.RecordBatch]:
        """Yield the scores in batches of many rows."""
        if self.layout.metrics:
            yield from self._typed()
        else:
            yield from self._fully_decoded(self.journal)
        if len(self.rows):
            yield self.rows.batch(**self.constants)

    def _typed(self) -> Iterator[pa.RecordBatch]:
        """Yield rows of the layout's type. Rows with other metrics than the first come last."""
        put_off: set[int] = set()
        lines: list[int] = []
        rows: list[Any] = []
        for line, row in self._decoded(self.layout.kind(), self.journal):
            lines.append(line)
            rows.append(row)
            if len(rows) >= _BLOCK:
                yield from self._block(lines, rows, put_off)
                lines, rows = [], []
        if rows:
            yield from self._block(lines, rows, put_off)
        if put_off:
            scratch_journal = Journal(
                options=ReaderOptions(skip_bad=self.journal.options.skip_bad)
            )
            yield from self._fully_decoded(scratch_journal, put_off)

    def _block(
        self, lines: list[int], rows: list[Any], put_off: set[int]
    ) -> Iterator[pa.RecordBatch]:
        """Yield some rows, in batches if they are regular; add the lines of postponed rows."""
        self.count += len(rows)
        regular = _batches(rows, self.layout, self._prefix, self.constants)
        if regular is not None:
            yield from regular
            return
        for line, row in zip(lines, rows, strict=True):
            if not self._take_typed(line, row):
                put_off.add(line)
        if self.rows.full:
            yield self.rows.batch(**self.constants)

    def _take_typed(self, line: int, row: Any) -> bool:
        """Convert a row of the layout's type; return False if it has other metrics."""
        doc_id, doc_hash, filter_, listed, *values = astuple(row)
        if listed != self.layout.listed:
            return False
        doc = values.pop() if self.layout.groups else None
        fields = (None,) * len(self.layout.groups) if doc is None else astuple(doc)
        content = content_key(doc_hash) if isinstance(doc_hash, str) else None
        extra = (content, *map(group_label, fields))
        self._take(line, doc_id, filter_, self.layout.metrics, values, extra)
        return True

    def _fully_decoded(
        self, journal: Journal, lines: Container[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield all rows, or those of some lines, decoded completely."""
        for line, row in self._decoded(dict[str, Any], journal):
            if lines is None:
                self.count += 1
                self._take_whole(line, row)
            elif line in lines:
                self._take_whole(line, row)
            if self.rows.full:
                yield self.rows.batch(**self.constants)

    def _decoded(self, kind: Any, journal: Journal) -> Iterator[tuple[int, Any]]:
        return read_rows(self.place, kind, journal, array=self.layout.array)

    def _take_whole(self, line: int, row: dict[str, Any]) -> None:
        listed = row.get("metrics")
        metrics = self.header.metrics or _scalars(row) if listed is None else texts(listed)
        if metrics is None:
            self._bad(line, "metrics", listed, "expected a list of names")
            return
        values = [UNSET if m in BOOKKEEPING else row.get(m, UNSET) for m in metrics]
        fields = row.get("doc")
        groups = [group_label(entry(fields, g)) for g in self.layout.groups]
        extra = (_content(row), *groups)
        self._take(line, row.get("doc_id"), row.get("filter"), metrics, values, extra)

    def _take(
        self,
        line: int,
        doc_id: Any,
        filter_: Any,
        metrics: tuple[str, ...],
        values: Sequence[Any],
        extra: tuple[Any, ...],
    ) -> None:
        """Add the scores of one row; ``extra`` are values of the columns after the metric."""
        if item_name(doc_id) is None:
            self._bad(line, "doc_id", doc_id, "expected a number or text, which pairs the models")
            return
        item = f"{self._prefix}{doc_id}"
        if type(filter_) is not str:
            filter_ = self._filter(line, item, filter_)
        if filter_ is None:
            return
        labels = self._known.get((filter_, metrics)) or self._new(filter_, metrics)
        for label, value in zip(labels, values, strict=True):
            if type(value) is float and isfinite(value):
                self.rows.add(item, value, label, *extra)
            elif value is not UNSET:
                self._odd(line, item, label, value, extra)

    def _new(self, filter_: str, metrics: tuple[str, ...]) -> tuple[str, ...]:
        labels = tuple(f"{m},{filter_}" for m in metrics)
        self._known[filter_, metrics] = labels
        return labels

    def _filter(self, line: int, item: str, filter_name: Any) -> str | None:
        """Return the filter of a row without one: the n-th row of an item has the n-th."""
        if filter_name is not None:
            self._bad(line, "filter", filter_name, "expected the name of a filter")
            return None
        turn = self._seen[item]
        self._seen[item] += 1
        filters = self.header.filters
        if turn < len(filters):
            return filters[turn]
        if filters:
            problem = (
                f"doc_id of item {item} occurs {turn + 1} times, but the task has {len(filters)} "
                f"filter{'s' * (len(filters) != 1)}; the file may contain several runs"
            )
            self.journal.bad_row(self.place, line, problem)
            return None
        if turn and _UNNAMED not in self.source.notes:
            self.source.notes.append(_UNNAMED)
        return f"filter-{turn + 1}" if turn else "none"

    def _odd(self, line: int, item: str, label: str, value: Any, extra: tuple[Any, ...]) -> None:
        """Handle a value that is not simply a finite float."""
        metric = label.partition(",")[0]
        if metric == PLACEHOLDER:
            self.source.drop(f"metric {metric} is a placeholder of --predict_only")
            return
        for score in self._check(metric, value, line):
            self.rows.add(item, score, label, *extra)

    def _bad(self, line: int, key: str, value: Any, fix: str) -> None:
        self.journal.bad_row(self.place, line, unfit(key, value, fix))


def _scalars(row: dict[str, Any]) -> tuple[str, ...]:
    """Return the keys with a single number, which are the metrics of rows that list none."""
    return tuple(k for k, v in row.items() if k not in BOOKKEEPING and isinstance(v, int | float))


def _content(row: dict[str, Any]) -> int | None:
    """Return the document's hash as in lm-eval 0.4.3 and later; compute it if it is missing."""
    if isinstance(row.get("doc_hash"), str):
        return content_key(row["doc_hash"])
    if "doc" not in row:
        return None
    try:
        text = json.dumps(row["doc"], indent=2, ensure_ascii=False)
    except RecursionError:
        return None
    return content_key(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
