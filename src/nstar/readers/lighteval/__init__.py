"""lighteval: details_<task>_<time>.parquet, with results_<time>.json for names and means.

Since 0.11 a row is ``doc`` (question, id, task), ``metric`` (a field per metric) and
``model_response``; up to 0.10 the columns are flat, with ``metrics`` and no id at all. Rows are
in the order in which the model ran them, never in that of the dataset.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._common import group_fields, group_label, mixed, parquet_schema
from nstar.readers._files import Place
from nstar.readers._tables._declared import declared_in_parquet, refuse_lying_pages
from nstar.readers._tables._frame import arrow_errors, kind_of
from nstar.readers._values import ScoreCheck, entry, item_name, unfit
from nstar.readers.lighteval._runs import NAME, RESULTS, LightevalRun, is_flat, is_nested

__all__ = ["READER"]

_ROWS = 1 << 13
"""Rows per block."""
_DOC = ("id", "query", "task_name", "choices", "gold_index")
_QUESTION = ("example", "full_prompt", "choices", "gold", "gold_index")
_NO_IDS = (
    "lighteval up to 0.10 writes no item ids: items are named by a hash of the question, "
    "equal questions numbered in order of appearance"
)


class _Reader:
    name = "lighteval"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Parquet with lighteval's columns is a log, the results of a run its companion."""
        if head.startswith(b"PAR1"):
            schema = parquet_schema(place)
            if schema is None:  # damaged
                return "log" if NAME.fullmatch(place.name) else None
            return "log" if is_nested(schema) or is_flat(schema) else None
        results = RESULTS.fullmatch(place.name) and b'"config_general"' in head[:4096]
        return "companion" if results else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:  # noqa: ARG002
        """One per file; a task run at several few-shot settings becomes several tasks."""
        read: dict[str, Any] = {}
        runs = [LightevalRun.find(place, read) for place in places]
        apart = mixed((r.name.task, (r.model, r.name.subject or ""), r.name.shots) for r in runs)
        return [r.told_apart(apart).unit(place) for place, r in zip(places, runs, strict=True)]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Scores of one file."""
        run: LightevalRun = unit.context
        source = journal.source(unit.place, self.name, model=run.model, task=run.task)
        fixed = {"model": run.model, "task": run.task, "subject": run.name.subject}
        check = ScoreCheck(unit.place, journal, source.drop)
        with arrow_errors(unit.place, "Parquet"), unit.place.open() as file:
            log = pq.ParquetFile(file)
            _refuse_bomb(unit.place, log.schema_arrow.names, journal)
            metrics = _scalar_metrics(unit.place, log, source)
            run.describe(source, metrics)
            if is_nested(log.schema_arrow):
                groups = _group_fields(log, run, journal)
                found = _nested(unit, log, groups, journal)
            else:
                groups, found = [], _flat(log)
                source.notes.append(_NO_IDS)
            rows = Rows("item", "score", "metric", "content", *groups)
            for line, item, values, *more in found:
                for metric in metrics:
                    value = entry(values, metric)
                    for score in (None,) if value is None else check(metric, value, line):
                        rows.add(item, score, metric, *more)
                if rows.full:
                    yield rows.batch(**fixed, run=unit.run)
            yield rows.batch(**fixed, run=unit.run)


def _refuse_bomb(place: Place, there: Sequence[str], journal: Journal) -> None:
    """Raise if what is read declares to unpack to more than it may."""
    limits, read = journal.options.limits, {"doc", "metric", "metrics", *_QUESTION} & set(there)
    with place.open() as file:
        declared = declared_in_parquet(file)
        declared.refuse_rows(place, limits)
        declared.refuse_columns(place, limits, read)
        refuse_lying_pages(file, declared, read)


def _scalar_metrics(place: Place, log: pq.ParquetFile, source: SourceDraft) -> list[str]:
    """Metrics that are numbers; the others are counted as left out."""
    column = "metric" if is_nested(log.schema_arrow) else "metrics"
    struct = log.schema_arrow.field(column).type
    if not pa.types.is_struct(struct):
        msg = f"{place}: column {column} holds {struct}, not a field per metric; run it anew"
        raise ReadError(msg)
    scalar = [field.name for field in struct if kind_of(field.type) in {"number", "truth"}]
    for field in struct:
        if field.name not in scalar:
            kind = str(field.type)[:40]
            source.drop(f"metric {field.name[:60]} is {kind}", log.metadata.num_rows)
    return scalar


def _group_fields(log: pq.ParquetFile, run: LightevalRun, journal: Journal) -> list[str]:
    """Fields of ``doc.specific`` that group items."""
    doc = log.schema_arrow.field("doc").type
    place = doc.get_field_index("specific")
    if place < 0 or not pa.types.is_struct(doc.field(place).type):
        return []
    wanted = group_fields(journal.options, "subject" if run.name.subject else None)
    return [name for name in wanted if doc.field(place).type.get_field_index(name) >= 0]


def _nested(
    unit: Unit, log: pq.ParquetFile, groups: list[str], journal: Journal
) -> Iterator[tuple[Any, ...]]:
    """Row number, item, metrics, content and groups, in a file of 0.11 or later."""
    name = unit.context.name
    there = {field.name for field in log.schema_arrow.field("doc").type}
    columns = [f"doc.{part}" for part in _DOC if part in there]
    columns += [f"doc.specific.{group}" for group in groups]
    for line, row in _rows(log, [*columns, "metric"]):
        doc = row["doc"]
        number, task = item_name(entry(doc, "id")), entry(doc, "task_name")
        if number is None or task != name.whole:
            problem = unfit("doc.id", entry(doc, "id"), "a number or text is needed")
            if number is not None:
                problem = unfit("task", task, f"the first row's is {name.whole}; split the file")
            journal.bad_row(unit.place, line, problem)
            continue
        item = f"{name.subject}:{number}" if name.subject else number
        content = _content(doc.get("query"), doc.get("choices"), doc.get("gold_index"))
        labels = [group_label(entry(doc, "specific", group)) for group in groups]
        yield line, item, row["metric"], content, *labels


def _flat(log: pq.ParquetFile) -> Iterator[tuple[Any, ...]]:
    """The same of a file of 0.10 or earlier: the question itself has to serve as its name."""
    seen: Counter[int] = Counter()
    columns = [name for name in log.schema_arrow.names if name in _QUESTION]
    for line, row in _rows(log, [*columns, "metrics"]):
        question = row.get("example") or row.get("full_prompt")
        gold = row.get("gold") or row.get("gold_index")
        content = _content(question, row.get("choices"), gold)
        seen[content] += 1
        item = f"{content:016x}"
        item = item if seen[content] == 1 else f"{item}#{seen[content]}"
        yield line, item, row["metrics"], content


def _rows(log: pq.ParquetFile, columns: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows with their number from 1."""
    blocks = log.iter_batches(_ROWS, columns=columns)
    parts = (block.slice(k, 64) for block in blocks for k in range(0, block.num_rows, 64))
    return enumerate((row for part in parts for row in part.to_pylist()), 1)


def _content(question: Any, choices: Any, gold: Any) -> int:
    gold = gold if isinstance(gold, list) else [gold]
    return content_key(repr((question, choices, gold)))


READER = _Reader()
