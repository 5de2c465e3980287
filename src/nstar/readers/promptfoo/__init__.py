"""promptfoo: ``-o out.json`` or ``-o out.jsonl``, one row per test, provider and prompt.

A column of promptfoo's table is a provider with a prompt; each becomes a model. ``--repeat``
leaves no trace but tests of equal variables and assertions: the n-th of those is run n.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

import msgspec
import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, SourceDraft, Unit
from nstar.readers._files import Place
from nstar.readers._json import json_elements, json_lines, json_skeleton
from nstar.readers._values import brief, entry, finite, text, whole
from nstar.readers.promptfoo._columns import Column, Log, Row, finished, model_names

__all__ = ["READER"]

_ROWS = "results.results"
_ROW_KEYS = (b'"promptIdx"', b'"testIdx"', b'"provider"')
_CSV_KEYS = (b",Status,Score,Named Scores,", b",Grader Reason,Comment")


class _Results(msgspec.Struct):
    timestamp: Any = None
    prompts: Any = None


class _Header(msgspec.Struct, rename="camel"):
    results: _Results | None = None
    config: Any = None
    metadata: Any = None
    runtime_options: Any = None

    @property
    def task(self) -> str:
        return text(entry(self.config, "description")) or ""

    @property
    def columns(self) -> list[Any]:
        prompts = self.results.prompts if self.results is not None else None
        return prompts if isinstance(prompts, list) else []


class _Reader:
    name = "promptfoo"

    def sniff(self, place: Place, head: bytes) -> Role:
        if place.name.endswith(".csv"):
            return "log" if all(key in head[:8192] for key in _CSV_KEYS) else None
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if not start.startswith(b"{"):
            return None
        if start[1:64].lstrip().startswith(b'"evalId"'):
            return "log" if b'"results"' in start[:4096] else None
        return "log" if all(key in start for key in _ROW_KEYS) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        tables = [p for p in places if p.name.endswith(".csv")]
        if tables:
            _refuse_csv(tables, others=len(tables) < len(places), journal=journal)
        seen: dict[str, Place] = {}
        logs = [p for p in places if p not in tables]
        for place in sorted(logs, key=_is_lines):  # the document before its lines
            first = _first_row(place, journal)
            key = text(first.id) if first is not None else None
            if key is not None and seen.setdefault(key, place) is not place:
                journal.notes.append(f"{place}: the same evaluation as {seen[key]}; left out")
            else:
                yield Unit(place=place) if _is_lines(place) else _document_unit(place)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        place, header = unit.place, unit.context
        if not isinstance(header, _Header):
            header = _Header() if _is_lines(place) else json_skeleton(place, _ROWS, _Header)
        log = Log(place, journal, unit.run)
        for line, row in _rows(place, journal):
            log.add(line, row)
        if not log.columns:
            journal.source(place, self.name, notes=["no results in it"])
        names = model_names(log.columns)
        groups = log.groups()
        for key, column in log.columns.items():
            source = journal.source(place, self.name, model=names[key], task=header.task)
            _describe(source, header, key[0], column, journal)
            for batch in column.batches(runs=unit.run is not None or log.repeated):
                yield finished(batch, groups, model=names[key], task=header.task)


def _is_lines(place: Place) -> bool:
    return place.name.endswith((".jsonl", ".jsonl.gz", ".jsonl.zst"))


def _refuse_csv(tables: list[Place], *, others: bool, journal: Journal) -> None:
    msg = (
        f"{tables[0]}: promptfoo's CSV tells no repeats or metadata; use -o out.json or out.jsonl"
    )
    if not others:
        raise ReadError(msg)
    journal.notes.append(msg)


def _rows(place: Place, journal: Journal) -> Iterator[tuple[int, Row]]:
    if _is_lines(place):
        return json_lines(place, Row, journal)
    return json_elements(place, _ROWS, Row, journal)


def _first_row(place: Place, journal: Journal) -> Row | None:
    quiet = Journal(options=journal.options)
    with closing(_rows(place, quiet)) as rows:  # type: ignore[type-var]
        return next((row for _, row in rows), None)


def _document_unit(place: Place) -> Unit:
    """A document; those of the same columns and description are runs of one evaluation."""
    header = json_skeleton(place, _ROWS, _Header)
    providers = [text(entry(c, "provider")) or "" for c in header.columns]
    return Unit(
        place=place,
        model=", ".join(providers) or None,
        task=header.task,
        started=text(header.results.timestamp if header.results is not None else None) or "",
        context=header,
    )


def _describe(
    source: SourceDraft, header: _Header, index: int, column: Column, journal: Journal
) -> None:
    version = text(entry(header.metadata, "promptfooVersion"))
    source.harness = f"promptfoo {version}" if version else "promptfoo"
    source.dropped = column.dropped
    source.declared_runs = whole(entry(header.runtime_options, "repeat"))
    about = header.columns[index] if index < len(header.columns) else None
    prompt = text(entry(about, "raw"))
    if prompt is not None:
        source.settings["prompt"] = brief(prompt)
    if len(set(column.occurrences.values())) == 1:  # else a mean over rows is none over items
        source.aggregates = _means(entry(about, "metrics"))
    for _ in range(column.errors):
        journal.error_score("zero")


def _means(metrics: Any) -> dict[str, float]:
    """Pass rate and mean score that promptfoo printed for a column."""
    counts = [whole(entry(metrics, f"test{kind}Count")) for kind in ("Pass", "Fail", "Error")]
    tests = sum(c or 0 for c in counts)
    total = finite(entry(metrics, "score"))
    if counts[0] is None or not tests:
        return {}
    means = {"success": counts[0] / tests}
    return means if total is None else means | {"score": total / tests}


READER = _Reader()
