"""Rows of details files.

Since 0.11 a row is ``doc`` (question, id, task), ``metric`` (a field per metric) and
``model_response``; up to 0.10 the columns are flat, with ``metrics`` and no id at all. Rows are
in the order in which the model ran them, never in that of the dataset.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from nstar._table import KNOWN, constant, labels
from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, SourceDraft, Unit, content_key
from nstar.readers._common import GROUP_FIELDS, group_label, mixed
from nstar.readers._files import Place, printable
from nstar.readers._values import brief, entry
from nstar.readers.lighteval._runs import BROKEN, NAME, RESULTS, Run, is_flat, is_nested

__all__ = ["READER"]

_ROWS = 1 << 13
"""Rows per block."""
_QUESTION = ("example", "full_prompt", "choices", "gold", "gold_index")


@dataclass(slots=True)
class _Block:
    """Some rows: the items they are about, and their metrics."""

    items: list[str]
    contents: list[int]
    metrics: pa.StructArray
    groups: dict[str, list[str | None]] = field(default_factory=dict)


class _Reader:
    """Details of lighteval."""

    name = "lighteval"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Parquet with lighteval's columns is a log, the results of a run its companion."""
        if head.startswith(b"PAR1"):
            return "log" if _has_columns(place) else None
        if RESULTS.fullmatch(place.name) and b'"config_general"' in head[:4096]:
            return "companion"
        return None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:  # noqa: ARG002
        """One per file; a task run at several few-shot settings becomes several tasks."""
        read: dict[str, Any] = {}
        runs = [Run.find(place, read) for place in places]
        apart = mixed((r.name.task, (r.model, r.name.subject or ""), r.name.shots) for r in runs)
        return [_unit(p, r.told_apart(apart)) for p, r in zip(places, runs, strict=True)]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Scores of one file, metric by metric within blocks of rows."""
        run: Run = unit.context
        source = journal.source(unit.place, self.name, model=run.model, task=run.task)
        try:
            with unit.place.open() as file:
                log = pq.ParquetFile(file)
                nested = is_nested(log.schema_arrow)
                metrics = _scalar_metrics(unit.place, log, source)
                run.describe(source, metrics)
                blocks = _nested(unit, log, journal) if nested else _flat(log, source)
                for block in blocks:
                    yield from _batches(unit, block, metrics, journal)
        except BROKEN as error:
            if isinstance(error, ReadError):
                raise
            reason = printable(str(error))[:200]
            msg = f"{unit.place}: damaged parquet file ({reason}); copy it anew"
            raise ReadError(msg) from error


def _has_columns(place: Place) -> bool:
    """Whether the columns are lighteval's, or the name if the file is damaged."""
    try:
        with place.open() as file:
            schema = pq.read_schema(file)
    except BROKEN:
        return NAME.fullmatch(place.name) is not None
    return is_nested(schema) or is_flat(schema)


def _unit(place: Place, run: Run) -> Unit:
    subject = run.name.subject
    return Unit(
        place=place,
        model=run.model,
        task=f"{run.task}:{subject}" if subject else run.task,
        started=run.time,
        complete=run.limit is None,
        context=run,
    )


def _scalar_metrics(place: Place, log: pq.ParquetFile, source: SourceDraft) -> list[str]:
    """Metrics that are numbers; the others are counted as left out."""
    column = "metric" if is_nested(log.schema_arrow) else "metrics"
    struct = log.schema_arrow.field(column).type
    if not pa.types.is_struct(struct):
        msg = f"{place}: column {column} holds {struct}, not a field per metric; run it anew"
        raise ReadError(msg)
    kept = []
    for metric in struct:
        kind = metric.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
            kept.append(metric.name)
        else:
            reason = f"metric {brief(metric.name)[:60]} is {brief(str(kind))[:40]}"
            source.drop(reason, log.metadata.num_rows)
    return kept


def _nested(unit: Unit, log: pq.ParquetFile, journal: Journal) -> Iterator[_Block]:
    """Blocks of a file of 0.11 or later."""
    parts = {f.name: f.type for f in log.schema_arrow.field("doc").type}
    groups = _group_fields(parts.get("specific"), unit.context.name.subject, journal)
    leaves = [p for p in ("id", "query", "task_name", "choices", "gold_index") if p in parts]
    columns = [f"doc.{p}" for p in leaves] + [f"doc.specific.{g}" for g in groups] + ["metric"]
    line = 0
    for batch in log.iter_batches(_ROWS, columns=columns):
        docs = batch.column("doc").to_pylist()
        good = [_usable(unit, line + i, doc, journal) for i, doc in enumerate(docs, 1)]
        line += len(docs)
        docs = [doc for doc, ok in zip(docs, good, strict=True) if ok]
        yield _Block(
            [_item(unit.context.name.subject, doc["id"]) for doc in docs],
            [_content(d.get("query"), d.get("choices"), d.get("gold_index")) for d in docs],
            batch.column("metric").filter(pa.array(good, pa.bool_())),
            {g: [group_label(entry(d, "specific", g)) for d in docs] for g in groups},
        )


def _group_fields(specific: Any, subject: str | None, journal: Journal) -> list[str]:
    """Fields of ``doc.specific`` that group items."""
    if specific is None or not pa.types.is_struct(specific):
        return []
    taken = {*KNOWN, "subject"} if subject else set(KNOWN)
    wanted = dict.fromkeys((*GROUP_FIELDS, *journal.options.groups))
    return [f for f in wanted if f not in taken and specific.get_field_index(f) >= 0]


def _usable(unit: Unit, line: int, doc: Any, journal: Journal) -> bool:
    """Whether the row has an id and is of the file's task."""
    number, task = entry(doc, "id"), entry(doc, "task_name")
    if not isinstance(number, str | int):
        problem = f"doc.id is {brief(number)[:60]}, but must name the item"
    elif task != unit.context.name.whole:
        problem = f"task is {brief(task)[:60]}, but the first row's is {unit.context.name.whole}"
    else:
        return True
    journal.bad_row(unit.place, line, problem)
    return False


def _item(subject: str | None, number: Any) -> str:
    return f"{subject}:{number}" if subject else str(number)


def _content(question: Any, choices: Any, gold: Any) -> int:
    gold = gold if isinstance(gold, list) else [gold]
    return content_key(repr((question, choices, gold)).encode("utf-8", "surrogatepass"))


def _flat(log: pq.ParquetFile, source: SourceDraft) -> Iterator[_Block]:
    """Blocks of a file of 0.10 or earlier: the question itself has to serve as its name."""
    source.notes.append(
        "lighteval up to 0.10 writes no item ids: items are named by a hash of the question, "
        "equal questions numbered in order of appearance"
    )
    seen: Counter[int] = Counter()
    columns = [n for n in log.schema_arrow.names if n in _QUESTION]
    for batch in log.iter_batches(_ROWS, columns=[*columns, "metrics"]):
        contents = [
            _content(
                row.get("example") or row.get("full_prompt"),
                row.get("choices"),
                row.get("gold") or row.get("gold_index"),
            )
            for row in batch.select(columns).to_pylist()
        ]
        yield _Block(_numbered(contents, seen), contents, batch.column("metrics"))


def _numbered(contents: list[int], seen: Counter[int]) -> list[str]:
    """Names of items that have only their content; the second of a kind ends in #2."""
    items = []
    for key in contents:
        seen[key] += 1
        items.append(f"{key:016x}" if seen[key] == 1 else f"{key:016x}#{seen[key]}")
    return items


def _batches(
    unit: Unit, block: _Block, metrics: list[str], journal: Journal
) -> Iterator[pa.RecordBatch]:
    """A batch per metric."""
    items, contents = labels(block.items), pa.array(block.contents, pa.uint64())
    groups = {name: labels(pa.array(of, pa.string())) for name, of in block.groups.items()}
    fixed = {"model": unit.context.model, "task": unit.context.task}
    fixed |= {"subject": unit.context.name.subject, "run": unit.run}
    for metric in metrics:
        scores = _scores(block.metrics, metric)
        columns = {"item": items, "score": scores, "content": contents, **groups}
        values = fixed | {"metric": metric}
        columns |= {n: constant(v, len(items)) for n, v in values.items() if v is not None}
        batch = pa.RecordBatch.from_pydict(columns)
        endless = pc.fill_null(pc.is_inf(scores), False)  # noqa: FBT003
        for item in batch.filter(endless).column("item").to_pylist():
            problem = f"{metric} of item {item} is infinite; a score must be a finite number"
            journal.bad_row(unit.place, None, problem)
        yield batch.filter(pc.invert(endless))


def _scores(metrics: pa.StructArray, name: str) -> pa.Array:
    """One metric as floats; NaN is no score."""
    values = pc.struct_field(metrics, [metrics.type.get_field_index(name)])
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    values = values.cast(pa.float64(), safe=False)
    return pc.if_else(pc.is_nan(values), None, values)


READER = _Reader()
