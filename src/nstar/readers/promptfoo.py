"""Read promptfoo logs: ``-o out.json`` or ``-o out.jsonl``, a row per test, provider, and prompt.

Each column of promptfoo's table, which is a provider with a prompt, becomes a model. Repetitions
by ``--repeat`` are tests with equal variables and assertions. The n-th of them is run n.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from nstar._data import arrow
from nstar._data.table import KNOWN, constant
from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._common import begins, first_of, group_label, run_label
from nstar.readers._files import Place
from nstar.readers._json import json_elements, json_lines, json_skeleton
from nstar.readers._values import (
    ItemNames,
    ScoreCheck,
    brief,
    canonical,
    entry,
    finite,
    listing,
    mapping,
    means_of,
    seconds,
    settings_of,
    text,
    unfit,
    whole_number,
)

__all__ = ["READER"]

_ROWS = "results.results"
_DOCUMENT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"evalId"')
_CSV_KEYS = (b",Status,Score,Named Scores,", b",Grader Reason,Comment")
_NO_CSV = (
    "a CSV file of promptfoo has no repeats or metadata; export with -o out.json or -o out.jsonl"
)
_ERROR = 2
"""Value of ``failureReason`` if the provider or grader failed; 1 means a failed assertion."""
_GROUPS_CAP = 32


class _Header(msgspec.Struct, rename="camel"):
    results: Any = None
    config: Any = None
    metadata: Any = None
    runtime_options: Any = None

    @property
    def task(self) -> str:
        return text(entry(self.config, "description")) or ""

    @property
    def columns(self) -> list[Any]:
        return listing(entry(self.results, "prompts"))


class _Case(msgspec.Struct, gc=False):
    description: Any = None
    vars: Any = None
    metadata: Any = None
    asserts: Any = msgspec.field(name="assert", default=None)


class _Response(msgspec.Struct, rename="camel", gc=False):
    token_usage: Any = None
    cached: Any = None


class _Row(msgspec.Struct, rename="camel", gc=False):
    id: Any = None
    provider: Any = None
    prompt_id: Any = None
    prompt_idx: Any = None
    test_idx: Any = None
    test_case: _Case | None = None
    vars: Any = None
    success: Any = None
    score: Any = None
    named_scores: Any = None
    failure_reason: Any = None
    cost: Any = None
    latency_ms: Any = None
    response: _Response | None = None

    @property
    def latency(self) -> float | None:
        """Seconds; None for an error, or for a response from promptfoo's cache."""
        cached = self.response is not None and self.response.cached is True
        if cached or self.failure_reason == _ERROR:
            return None
        return seconds(self.latency_ms, per_second=1000)

    def metrics(self) -> Iterator[tuple[str, Any]]:
        yield "success", self.success
        yield "score", self.score
        for name, value in mapping(self.named_scores).items():
            yield name if name not in {"success", "score"} else f"{name} (named)", value


class _Reader:
    name = "promptfoo"

    def sniff(self, place: Place, head: bytes) -> Role:
        if place.name.endswith(".csv"):
            return "log" if all(key in head[:8192] for key in _CSV_KEYS) else None
        document = _DOCUMENT.match(head) and b'"results"' in head[:4096]
        row = begins(head, b"{", "promptIdx", "testIdx", "provider")
        return "log" if document or row else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        tables = [p for p in places if p.name.endswith(".csv")]
        if tables:
            msg = f"{tables[0]}: {_NO_CSV}"
            if len(tables) == len(places):
                raise ReadError(msg)
            journal.notes.append(msg)
        by_key: dict[str, Place] = {}
        for place in sorted((p for p in places if p not in tables), key=_is_lines):
            first = first_of(_rows(place, Journal(options=journal.options)))
            key = text(first.id) if first is not None else None
            if key is not None and by_key.setdefault(key, place) is not place:
                journal.notes.append(f"{place}: same evaluation as {by_key[key]}; ignored")
            else:
                yield _unit(place)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        header: _Header = unit.context
        log = _Log(unit.place, journal, unit.run)
        for line, row in _rows(unit.place, journal):
            log.add(line, row)
        if not log.columns:
            journal.source(unit.place, self.name, notes=["no results in the file"])
        names = _model_names(log.columns)
        groups = {k: v for k, v in log.metadata.items() if len(set(v.values())) < len(v)}
        counts = [n for c in log.columns.values() for n in c.occurrences.values()]
        repeated = unit.run is not None or max(counts, default=0) > 1
        for key, column in log.columns.items():
            source = journal.source(unit.place, self.name, model=names[key], task=header.task)
            _describe(source, header, key[0], column)
            for _ in range(column.errors):
                journal.error_score("zero")
            for batch in (*column.done, column.rows.batch()):
                slim = batch if repeated else batch.drop_columns(["run"])
                yield _finished(slim, groups, model=names[key], task=header.task)


def _is_lines(place: Place) -> bool:
    return place.name.endswith((".jsonl", ".jsonl.gz", ".jsonl.zst"))


def _rows(place: Place, journal: Journal) -> Iterator[tuple[int, _Row]]:
    if _is_lines(place):
        return json_lines(place, _Row, journal)
    return json_elements(place, _ROWS, _Row, journal)


def _unit(place: Place) -> Unit:
    """Return a unit. Documents with equal columns and description are runs of one evaluation."""
    if _is_lines(place):
        return Unit(place=place, context=_Header())
    header = json_skeleton(place, _ROWS, _Header)
    return Unit(
        place=place,
        model=", ".join(text(entry(c, "provider")) or "" for c in header.columns) or None,
        several=len(header.columns) > 1,
        task=header.task,
        started=text(entry(header.results, "timestamp")) or "",
        context=header,
    )


class _Column:
    """Rows of one provider with one prompt."""

    def __init__(self, provider: str, prompt: str, place: Place, journal: Journal) -> None:
        self.provider = provider
        self.prompt = prompt
        tokens = ("tokens", "input_tokens", "output_tokens")
        self.rows = Rows("item", "score", "metric", "run", "content", "cost", "latency_s", *tokens)
        self.occurrences: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.errors = 0
        self.check = ScoreCheck(place, journal, lambda reason: self.dropped.update([reason]))
        self.done: list[pa.RecordBatch] = []


class _Log:
    """Rows of one file, grouped by column."""

    def __init__(self, place: Place, journal: Journal, run: str | None) -> None:
        self.columns: dict[tuple[int, str], _Column] = {}  # key: number and provider
        self.metadata: dict[str, dict[str, str]] = {}  # key: field and item
        self._place = place
        self._journal = journal
        self._run = run
        self._names = ItemNames()
        self._grouped: set[str] = set()

    def add(self, line: int, row: _Row) -> None:
        """Add one test of one column."""
        provider = text(entry(row.provider, "label")) or text(entry(row.provider, "id"))
        provider = provider or text(row.provider)
        index = whole_number(row.prompt_idx)
        if provider is None or index is None or not isinstance(row.success, bool):
            problem_fields = {"provider": row.provider, "promptIdx": index, "success": row.success}
            problem = unfit("result", problem_fields, "export the evaluation again")
            self._journal.bad_row(self._place, line, problem)
            return
        column = self.columns.get((index, provider))
        if column is None:
            column = _Column(provider, text(row.prompt_id) or "", self._place, self._journal)
            self.columns[index, provider] = column
        self._scores(line, row, column)
        if column.rows.full:  # the name of the model is known only at the end
            column.done.append(column.rows.batch())

    def _scores(self, line: int, row: _Row, column: _Column) -> None:
        case = row.test_case or _Case()
        item, content = self._identity(row, case)
        column.occurrences[item] += 1
        run = run_label(self._run, str(column.occurrences[item]))
        usage = row.response.token_usage if row.response is not None else None
        tokens = (whole_number(entry(usage, part)) for part in ("total", "prompt", "completion"))
        rest = (run, content, finite(row.cost), row.latency, *tokens)
        if item not in self._grouped:
            self._group(item, mapping(case.metadata))
        if row.failure_reason == _ERROR:  # it counts as 0 in promptfoo's pass rate
            column.errors += 1
            score = self._journal.error_score("zero")
            for metric in ("success", "score"):
                column.rows.add(item, score, metric, *rest)
            return
        for metric, value in row.metrics():
            for score in column.check(metric, value, line):
                column.rows.add(item, score, metric, *rest)

    def _identity(self, row: _Row, case: _Case) -> tuple[str, int | None]:
        """Return the name and content of a test, from its variables and assertions."""
        variables = case.vars or row.vars
        description = text(case.description)
        if not variables and not case.asserts and description is None:
            return f"test {brief(row.test_idx)}", None  # removed from the export
        content = content_key(canonical([variables, case.asserts]))
        return self._names(description, content), content

    def _group(self, item: str, metadata: dict[str, Any]) -> None:
        self._grouped.add(item)
        for name, value in metadata.items():
            label = group_label(value)
            has_space = name in self.metadata or len(self.metadata) < _GROUPS_CAP
            if label is not None and has_space and name not in KNOWN:
                self.metadata.setdefault(name, {})[item] = label


def _model_names(columns: dict[tuple[int, str], _Column]) -> dict[tuple[int, str], str]:
    """Return the names of the columns: the provider, with the prompt if it has several."""
    counts = Counter(c.provider for c in columns.values())
    prompts = list(dict.fromkeys(columns[key].prompt for key in sorted(columns)))
    names = {
        key: c.provider
        if counts[c.provider] == 1
        else f"{c.provider} · prompt {prompts.index(c.prompt) + 1}"
        for key, c in columns.items()
    }
    twice = Counter(names.values())
    return {
        key: name if twice[name] == 1 else f"{columns[key].provider} · column {key[0] + 1}"
        for key, name in names.items()
    }


def _describe(source: SourceDraft, header: _Header, index: int, column: _Column) -> None:
    version = text(entry(header.metadata, "promptfooVersion")) or ""
    source.harness = f"promptfoo {version}".rstrip()
    source.dropped = column.dropped
    source.declared_runs = whole_number(entry(header.runtime_options, "repeat"))
    column_header = header.columns[index] if index < len(header.columns) else None
    source.settings = settings_of({"prompt": text(entry(column_header, "raw"))})
    if len(set(column.occurrences.values())) == 1:  # else row means are not item means
        source.aggregates = _means(entry(column_header, "metrics"))


def _means(metrics: Any) -> dict[str, float]:
    """Return the pass rate and mean score that promptfoo reports for a column."""
    passed, *others = (
        whole_number(entry(metrics, f"test{k}Count")) for k in ("Pass", "Fail", "Error")
    )
    tests = (passed or 0) + sum(n or 0 for n in others)
    score = finite(entry(metrics, "score"))
    if passed is None or not tests:
        return {}
    return means_of({"success": passed / tests, "score": None if score is None else score / tests})


def _finished(
    batch: pa.RecordBatch, groups: dict[str, dict[str, str]], **same: str
) -> pa.RecordBatch:
    """Return the batch with the columns that are constant, and the groups of its items."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    columns |= {name: constant(value, len(batch)) for name, value in same.items()}
    items = batch.column("item")
    for name, labels in groups.items():
        values = [labels.get(item) for item in items.dictionary.to_pylist()]
        columns[name] = arrow.labeled([values[k] for k in arrow.codes(items).tolist()])
    return pa.RecordBatch.from_pydict(columns)


READER = _Reader()
