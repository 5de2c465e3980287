"""Read lighteval logs: details_<task>_<time>.parquet, with results_<time>.json.

Since 0.11, a row has ``doc`` (question, id, task), ``metric`` (a field per metric), and
``model_response``. Up to 0.10, the columns are flat, with ``metrics`` and without an id. Rows are
in the order in which the model ran them, not in that of the dataset.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nstar._data.findings import LABELED
from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._common import TIME, above, group_fields, group_label, mixed, parquet_schema
from nstar.readers._files import Place
from nstar.readers._json import json_document
from nstar.readers._read_errors import printable
from nstar.readers._tables._arrow import with_dictionaries
from nstar.readers._tables._declared import declared_in_parquet, refuse_lying_pages
from nstar.readers._tables._frame import arrow_errors, kind_of
from nstar.readers._tables._nested import python_rows
from nstar.readers._values import (
    ScoreCheck,
    brief,
    entry,
    item_name,
    listing,
    means_of,
    settings_of,
    text,
    unfit,
    whole_number,
)

__all__ = ["READER"]

_NAME = re.compile(rf"details_(?P<task>.+)_(?P<time>{TIME})\.parquet", re.DOTALL)
"""Regular expression of the name of a details file."""
_RESULTS = re.compile(rf"results_{TIME}\.json")
"""Regular expression of the name of a results file."""

_TASK_SETTINGS = {
    "version": "version",
    "revision": "hf_revision",
    "splits": "evaluation_splits",
    "prompt": "prompt_function",
    "generation_size": "generation_size",
}


def _is_nested(schema: pa.Schema) -> bool:
    """Return whether the columns are those of 0.11 and later: doc, metric, model_response."""
    types = {f.name: f.type for f in schema if f.name in {"doc", "metric"}}
    if len(types) < 2 or not all(pa.types.is_struct(t) for t in types.values()):
        return False
    return {"id", "query", "task_name"} <= {f.name for f in types["doc"]}


def _is_flat(schema: pa.Schema) -> bool:
    """Return whether the columns are those of 0.10 and earlier.

    Files with ``hashes`` are older. They come from the first Open LLM Leaderboard.
    """
    columns = {"example", "full_prompt", "metrics"}
    return columns <= set(schema.names) and "hashes" not in schema.names


@dataclass(frozen=True, slots=True)
class _TaskName:
    """Task name ``suite|task:subject|few-shot``. The suite is omitted since 0.13.

    >>> name = _TaskName.parse("lighteval|mmlu:anatomy|5|0")
    >>> name.suite, name.task, name.subject, name.shots
    ('lighteval', 'mmlu', 'anatomy', '5')
    """

    whole: str
    task: str
    subject: str | None
    suite: str | None
    shots: str

    @classmethod
    def parse(cls, full_name: str) -> "_TaskName":
        words = full_name.split("|")
        numbers = [w for w in words[1:] if w.isdecimal()]
        names = [w for w in words if w not in numbers] or [full_name]
        task, _, subject = names[-1].partition(":")
        suite = names[-2] if len(names) > 1 else None
        return cls(full_name, task, subject or None, suite, numbers[0] if numbers else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _LightevalRun:
    """Description of a details file before its rows are read."""

    model: str
    name: _TaskName
    time: str
    results: Any = None
    """Decoded results file."""
    notes: tuple[str, ...] = ()
    task: str = ""
    """Name of the task in the table."""

    @classmethod
    def find(cls, place: Place, read: dict[str, Any]) -> "_LightevalRun":
        """Return the run, from the file's name, its first row, and the results file.

        ``read`` is a cache of decoded results files by path.
        """
        match = _NAME.fullmatch(place.name)
        folders = [f.name for f in above(place)][:4]
        time = match["time"] if match else ""
        if not time and folders and re.fullmatch(TIME, folders[0]):
            time = folders[0]
        task_text = match["task"] if match else place.name.removesuffix(".parquet")
        name = _TaskName.parse(_task_in_rows(place) or printable(task_text))
        results = _results(place, time, read) if time else None
        model = text(entry(results, "config_general", "model_name"))
        if model is not None:
            return cls(model=model, name=name, time=time, results=results)
        model = _model_of_folders(folders)
        note = (
            f"{LABELED}no results_{time}.json names the model; {model} is the name of its folder"
        )
        return cls(model=model, name=name, time=time, results=results, notes=(note,))

    def with_task_name(self, tasks: set[str]) -> "_LightevalRun":
        """Return the run with its task's name, with shots if it is in ``tasks``."""
        task = self.name.task
        return replace(self, task=f"{task}|{self.name.shots}" if task in tasks else task)

    def unit(self, place: Place) -> Unit:
        subject = self.name.subject
        return Unit(
            place=place,
            model=self.model,
            lent=bool(self.notes),
            task=f"{self.task}:{subject}" if subject else self.task,
            started=self.time,
            complete=self.limit is None,
            context=self,
        )

    @property
    def limit(self) -> str | None:
        """Return a description of how the run was limited on purpose."""
        value = entry(self.results, "config_general", "max_samples")
        return None if value is None else f"max_samples={brief(value)[:40]}"

    def describe(self, source: SourceDraft, metrics: list[str]) -> None:
        sha = text(entry(self.results, "config_general", "lighteval_sha")) or ""
        source.harness = f"lighteval {sha.strip('?')[:40]}".rstrip()
        source.limited = self.limit
        source.notes += self.notes
        tasks = entry(self.results, "config_tasks")
        config = entry(tasks, self.name.whole) or entry(tasks, self.name.whole.rpartition("|")[0])
        source.declared_items = whole_number(entry(config, "original_num_docs")) or None
        source.settings = self._settings(config)
        declared = _declared_metrics(config)
        means = [m for m in metrics if declared.get(m, ("mean", True))[0] == "mean"]
        printed = {m: entry(self.results, "results", self.name.whole, m) for m in means}
        source.aggregates = means_of(printed)
        better = {m: declared[m][1] for m in metrics if m in declared}
        source.lower_is_better = tuple(m for m, higher in better.items() if higher is False)
        source.higher_is_better = tuple(m for m, higher in better.items() if higher is True)

    def _settings(self, config: Any) -> dict[str, str]:
        options = entry(self.results, "config_general", "model_config")
        values = {label: entry(config, key) for label, key in _TASK_SETTINGS.items()}
        values |= {
            "dataset": None if self.name.subject else entry(config, "hf_repo"),
            "few_shot": self.name.shots or None,
            "suite": self.name.suite,
            "system_prompt": entry(options, "system_prompt"),
            "temperature": entry(options, "generation_parameters", "temperature"),
        }
        return settings_of(values)


def _task_in_rows(place: Place) -> str | None:
    """Return ``doc.task_name`` of the first row, or ``None``."""
    try:
        with arrow_errors(place, "Parquet"), place.open() as file:
            log = pq.ParquetFile(file)
            if _is_nested(log.schema_arrow):
                batch = next(log.iter_batches(1, columns=["doc.task_name"]), None)
                return batch and text(entry(batch.column("doc")[0].as_py(), "task_name"))
    except ReadError:
        pass  # reading the rows will report the error
    return None


def _results(place: Place, time: str, read: dict[str, Any]) -> Any:
    """Return the results file of the same run, next to it or in results/ instead of details/."""
    name = f"results_{time}.json"
    tried = [place.sibling(name)]
    parts: list[str] = []
    for folder in list(above(place))[1:4]:
        if folder.name == "details":
            tried.append(folder.sibling("/".join(["results", *reversed(parts), name])))
        parts.append(folder.name)
    for candidate in tried:
        if candidate.path not in read and candidate.exists():
            read[candidate.path] = json_document(candidate)
        if candidate.path in read:
            return read[candidate.path]
    return None


def _model_of_folders(folders: list[str]) -> str:
    names = [f for f in folders if not re.fullmatch(TIME, f)]
    names = names[: names.index("details")] if "details" in names else names[:1]
    return printable("/".join(reversed(names))) or "unknown"


def _declared_metrics(config: Any) -> dict[str, tuple[Any, Any]]:
    """Return the aggregation and direction of each metric. Some metrics come in groups."""
    listed = entry(config, "metrics") or entry(config, "metric")
    out: dict[str, tuple[Any, Any]] = {}
    for metric in listing(listed):
        names = entry(metric, "metric_name")
        properties = entry(metric, "corpus_level_fn"), entry(metric, "higher_is_better")
        for name in names if isinstance(names, list) else [names]:
            if isinstance(name, str):
                fn, better = (entry(v, name) if isinstance(v, dict) else v for v in properties)
                out[name] = (fn, better)
    return out


_ROWS = 1 << 13
"""Rows per block."""
_DOC = ("id", "query", "task_name", "choices", "gold_index")
_QUESTION = ("example", "full_prompt", "choices", "gold", "gold_index")
_NO_IDS = (
    "lighteval up to 0.10 writes no item ids: items are named by a hash of the "
    "question, and equal questions are numbered in order of appearance"
)


class _Reader:
    name = "lighteval"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return ``log`` for Parquet with lighteval's columns, ``companion`` for results."""
        if head.startswith(b"PAR1"):
            schema = parquet_schema(place)
            if schema is None:  # damaged file
                return "log" if _NAME.fullmatch(place.name) else None
            return "log" if _is_nested(schema) or _is_flat(schema) else None
        results = _RESULTS.fullmatch(place.name) and b'"config_general"' in head[:4096]
        return "companion" if results else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:  # noqa: ARG002
        """Return a unit per file. A task with several few-shot settings becomes several tasks."""
        read: dict[str, Any] = {}
        runs = [_LightevalRun.find(place, read) for place in places]
        mixed_tasks = mixed(
            (r.name.task, (r.model, r.name.subject or ""), r.name.shots) for r in runs
        )
        return [
            r.with_task_name(mixed_tasks).unit(place)
            for place, r in zip(places, runs, strict=True)
        ]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        run: _LightevalRun = unit.context
        source = journal.source(unit.place, self.name, model=run.model, task=run.task)
        fixed = {"model": run.model, "task": run.task, "subject": run.name.subject}
        check = ScoreCheck(unit.place, journal, source.drop)
        with arrow_errors(unit.place, "Parquet"), unit.place.open() as file:
            log = pq.ParquetFile(file)
            leaves = _refuse_bomb(unit.place, log.schema_arrow, journal)
            metrics = _scalar_metrics(unit.place, log, source)
            run.describe(source, metrics)
            log = with_dictionaries(file, log.metadata, leaves)
            if _is_nested(log.schema_arrow):
                groups = _group_fields(log, run, journal)
                samples = _nested(unit, log, groups, journal)
            else:
                groups, samples = [], _flat(unit, log, journal)
                source.notes.append(_NO_IDS)
            rows = Rows("item", "score", "metric", "content", *groups)
            for line, item, values, *extra in samples:
                for metric in metrics:
                    value = entry(values, metric)
                    for score in (None,) if value is None else check(metric, value, line):
                        rows.add(item, score, metric, *extra)
                if rows.full:
                    yield rows.batch(**fixed, run=unit.run)
            yield rows.batch(**fixed, run=unit.run)


def _refuse_bomb(place: Place, schema: pa.Schema, journal: Journal) -> list[str]:
    """Return the leaf columns to read; raise an error if they would unpack to too many bytes."""
    limits = journal.options.limits
    read = {"doc", "metric", "metrics", *_QUESTION} & set(schema.names)
    with place.open() as file:
        declared = declared_in_parquet(file)
        declared.widen(schema)
        declared.refuse_rows(place, limits)
        declared.refuse_columns(place, limits, read)
        refuse_lying_pages(file, declared, read)
    return list(declared.leaves(declared.values, read))


def _scalar_metrics(place: Place, log: pq.ParquetFile, source: SourceDraft) -> list[str]:
    """Return the metrics that are numbers. The others are counted as left out."""
    column = "metric" if _is_nested(log.schema_arrow) else "metrics"
    struct = log.schema_arrow.field(column).type
    if not pa.types.is_struct(struct):
        msg = (
            f"{place}: column {column} contains {struct} instead of one field per metric. Run the "
            "evaluation again."
        )
        raise ReadError(msg)
    scalar = [field.name for field in struct if kind_of(field.type) in {"number", "truth"}]
    for field in struct:
        if field.name not in scalar:
            kind = str(field.type)[:40]
            source.drop(f"metric {field.name[:60]} is {kind}", log.metadata.num_rows)
    return scalar


def _group_fields(log: pq.ParquetFile, run: _LightevalRun, journal: Journal) -> list[str]:
    """Return the fields of ``doc.specific`` that group items."""
    doc = log.schema_arrow.field("doc").type
    place = doc.get_field_index("specific")
    if place < 0 or not pa.types.is_struct(doc.field(place).type):
        return []
    fields = group_fields(journal.options, "subject" if run.name.subject else None)
    return [name for name in fields if doc.field(place).type.get_field_index(name) >= 0]


def _nested(
    unit: Unit, log: pq.ParquetFile, groups: list[str], journal: Journal
) -> Iterator[tuple[Any, ...]]:
    """Yield row number, item, metrics, content, and groups from a file of 0.11 or later."""
    name = unit.context.name
    available = {field.name for field in log.schema_arrow.field("doc").type}
    columns = [f"doc.{part}" for part in _DOC if part in available]
    columns += [f"doc.specific.{group}" for group in groups]
    for line, row in _rows(unit, log, [*columns, "metric"], journal):
        doc = row["doc"]
        number, task = item_name(entry(doc, "id")), entry(doc, "task_name")
        if number is None or task != name.whole:
            problem = unfit("doc.id", entry(doc, "id"), "expected a number or text")
            if number is not None:
                problem = unfit(
                    "task", task, f"but the first row has {name.whole}; split the file by task"
                )
            journal.bad_row(unit.place, line, problem)
            continue
        item = f"{name.subject}:{number}" if name.subject else number
        content = _content(doc.get("query"), doc.get("choices"), doc.get("gold_index"))
        labels = [group_label(entry(doc, "specific", group)) for group in groups]
        yield line, item, row["metric"], content, *labels


def _flat(unit: Unit, log: pq.ParquetFile, journal: Journal) -> Iterator[tuple[Any, ...]]:
    """Yield the same from a file of 0.10 or earlier. The question is the item's name."""
    counts: Counter[int] = Counter()
    columns = [name for name in log.schema_arrow.names if name in _QUESTION]
    for line, row in _rows(unit, log, [*columns, "metrics"], journal):
        question = row.get("example") or row.get("full_prompt")
        gold = row.get("gold") or row.get("gold_index")
        content = _content(question, row.get("choices"), gold)
        counts[content] += 1
        item = f"{content:016x}"
        item = item if counts[content] == 1 else f"{item}#{counts[content]}"
        yield line, item, row["metrics"], content


def _rows(
    unit: Unit, log: pq.ParquetFile, columns: list[str], journal: Journal
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows with their number, starting at 1."""
    blocks = log.iter_batches(_ROWS, columns=columns)
    return enumerate(python_rows(unit.place, blocks, journal.options.limits), 1)


def _content(question: Any, choices: Any, gold: Any) -> int:
    gold = gold if isinstance(gold, list) else [gold]
    return content_key(repr((question, choices, gold)))


READER = _Reader()
