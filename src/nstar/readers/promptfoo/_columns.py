"""Rows of promptfoo by column of its table, a column being a provider with a prompt."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
import pyarrow as pa

from nstar._table import KNOWN, constant
from nstar.readers._base import Journal, Rows, content_key
from nstar.readers._common import group_label
from nstar.readers._files import Place
from nstar.readers._values import (
    ItemNames,
    ScoreCheck,
    brief,
    canonical,
    entry,
    finite,
    text,
    whole,
)

__all__ = ["Column", "Key", "Log", "Row", "finished", "model_names"]

_ERROR = 2
"""``failureReason`` when provider or grader failed; 1 is a failed assertion, which also has an
``error`` text."""
_GROUPS_CAP = 32

Key: TypeAlias = tuple[int, str]
"""A column of the table: its number and provider."""


class _Case(msgspec.Struct, gc=False):
    description: Any = None
    vars: Any = None
    metadata: Any = None
    asserts: Any = msgspec.field(name="assert", default=None)


class _Response(msgspec.Struct, rename="camel", gc=False):
    token_usage: Any = None


class Row(msgspec.Struct, rename="camel", gc=False):
    """One test of one column."""

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
    response: _Response | None = None


class Column:
    """Rows of one provider with one prompt."""

    def __init__(self, provider: str, prompt: str, place: Place, journal: Journal) -> None:
        self.provider = provider
        self.prompt = prompt
        self.rows = Rows("item", "score", "metric", "run", "content", "cost", "tokens")
        self.occurrences: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.errors = 0
        self.check = ScoreCheck(place, journal, self._drop)
        self._done: list[pa.RecordBatch] = []

    def _drop(self, reason: str) -> None:
        self.dropped[reason] += 1

    def store(self) -> None:
        """Pack the rows when there are many: the model's name is known only at the end."""
        if self.rows.full:
            self._done.append(self.rows.batch())

    def batches(self, *, runs: bool) -> Iterator[pa.RecordBatch]:
        """All rows, still without model; the column of runs only where there are some."""
        self._done.append(self.rows.batch())
        for batch in self._done:
            yield batch if runs else batch.drop_columns(["run"])


class Log:
    """Rows of one file, by column."""

    def __init__(self, place: Place, journal: Journal, run: str | None) -> None:
        self.columns: dict[Key, Column] = {}
        self._place = place
        self._journal = journal
        self._run = "" if run is None else f"{run}/"
        self._names = ItemNames()
        self._grouped: set[str] = set()
        self._metadata: dict[str, dict[str, str]] = {}

    def add(self, line: int, row: Row) -> None:
        """One test of one column."""
        provider = text(entry(row.provider, "label")) or text(entry(row.provider, "id"))
        provider = provider or text(row.provider)
        index = whole(row.prompt_idx)
        if provider is None or index is None or not isinstance(row.success, bool):
            found = {"provider": row.provider, "promptIdx": index, "success": row.success}
            problem = f"no result of promptfoo: {brief(found)}; export the evaluation again"
            self._journal.bad_row(self._place, line, problem)
            return
        column = self.columns.get((index, provider))
        if column is None:
            prompt = text(row.prompt_id) or ""
            column = Column(provider, prompt, self._place, self._journal)
            self.columns[index, provider] = column
        self._scores(line, row, column)
        column.store()

    def _scores(self, line: int, row: Row, column: Column) -> None:
        case = row.test_case or _Case()
        item, content = self._identity(row, case)
        column.occurrences[item] += 1
        run = f"{self._run}{column.occurrences[item]}"
        usage = row.response.token_usage if row.response is not None else None
        tokens = whole(entry(usage, "total"))
        rest = (run, content, finite(row.cost), tokens)
        if item not in self._grouped:
            self._group(item, case.metadata)
        if row.failure_reason == _ERROR:
            # promptfoo's pass rate is successes / (successes + failures + errors): an error is 0
            column.errors += 1
            score = self._journal.error_score("zero")
            column.rows.add(item, score, "success", *rest)
            column.rows.add(item, score, "score", *rest)
            return
        column.rows.add(item, float(row.success), "success", *rest)
        for metric, value in _metrics(row):
            for score in column.check(metric, value, line):
                column.rows.add(item, score, metric, *rest)

    def _identity(self, row: Row, case: _Case) -> tuple[str, int | None]:
        """Name and content of the test: its variables with what is asked of the answer."""
        variables = case.vars or row.vars
        description = text(case.description)
        if not variables and not case.asserts and description is None:
            return f"test {brief(row.test_idx)}", None  # stripped from the export
        content = content_key(canonical([variables, case.asserts]))
        return self._names(description, content), content

    def _group(self, item: str, metadata: Any) -> None:
        self._grouped.add(item)
        if not isinstance(metadata, dict):
            return
        for name, value in metadata.items():
            label = group_label(value)
            known = name in self._metadata or len(self._metadata) < _GROUPS_CAP
            if label is not None and known and name not in KNOWN:
                self._metadata.setdefault(name, {})[item] = label

    @property
    def repeated(self) -> bool:
        """Whether any test was run more than once."""
        counts = (max(c.occurrences.values(), default=0) for c in self.columns.values())
        return max(counts, default=0) > 1

    def groups(self) -> dict[str, dict[str, str]]:
        """Fields of metadata that put several items together, with the label of each item."""
        return {k: v for k, v in self._metadata.items() if len(set(v.values())) < len(v)}


def _metrics(row: Row) -> Iterator[tuple[str, Any]]:
    yield "score", row.score
    if isinstance(row.named_scores, dict):
        for name, value in row.named_scores.items():
            yield name if name not in {"success", "score"} else f"{name} (named)", value


def model_names(columns: dict[Key, Column]) -> dict[Key, str]:
    """Names of the columns: the provider, with the prompt where it answered several."""
    several = Counter(c.provider for c in columns.values())
    prompts = list(dict.fromkeys(columns[key].prompt for key in sorted(columns)))
    names = {
        key: c.provider
        if several[c.provider] == 1
        else f"{c.provider} · prompt {prompts.index(c.prompt) + 1}"
        for key, c in columns.items()
    }
    twice = Counter(names.values())
    return {
        key: name if twice[name] == 1 else f"{columns[key].provider} · column {key[0] + 1}"
        for key, name in names.items()
    }


def finished(
    batch: pa.RecordBatch, groups: dict[str, dict[str, str]], **same: str
) -> pa.RecordBatch:
    """The batch with the columns that are the same in every row, and the groups of its items."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    columns |= {name: constant(value, len(batch)) for name, value in same.items()}
    items = batch.column("item")
    for name, labels in groups.items():
        values = [labels.get(item) for item in items.dictionary.to_pylist()]
        columns[name] = _relabelled(items.indices, values)
    return pa.RecordBatch.from_pydict(columns)


def _relabelled(indices: pa.Array, values: list[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).take(indices).dictionary_encode()
