"""Read details of the first Open LLM Leaderboard (2023–2024): Parquet, one file per task and run.

Files are named
``…/details_<org>__<model>/<time>/details_harness|hendrycksTest-anatomy|5_<time>.parquet``. Scores
are in separate columns or in the struct ``metrics``. There is no id: a row is identified by its
position and by the hash of its question. The second leaderboard published lm-eval's samples files,
which :mod:`nstar.readers.lm_eval` reads.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from nstar._data.findings import LABELED
from nstar._data.read_limits import Limits
from nstar.errors import ReadError, arg
from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import (
    TIME,
    above,
    group_fields,
    group_label,
    mixed,
    parquet_schema,
)
from nstar.readers._files import Place
from nstar.readers._tables._arrow import ParquetFrame
from nstar.readers._tables._frame import arrow_errors, list_columns
from nstar.readers._tables._nested import python_rows
from nstar.readers._values import ScoreCheck, entry, settings_of, text, unfit

__all__ = ["READER"]

_BAR = r"(?:\||%7C|_)"  # some file systems do not allow the bar
_NAME = re.compile(
    rf"details_harness{_BAR}(?P<task>.+){_BAR}(?P<shots>\d+)_(?P<time>{TIME})\.parquet", re.DOTALL
)
_FOLDER = re.compile(r"(?:.+--)?details_(?P<org>.+?)__(?P<model>.+)", re.DOTALL)
_MMLU = "hendrycksTest"
_METRICS = ("acc", "acc_norm", "em", "exact_match", "f1", "mc1", "mc2", "quasi_exact_match")
"""Names of score columns in files without the struct of metrics."""
_QUESTIONS = ("hashes", "query", "example", "full_prompt")
"""Columns that distinguish questions, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Information in the path."""

    model: str
    task: str
    subject: str | None = None
    shots: str = ""
    time: str = ""
    lent: bool = False
    notes: tuple[str, ...] = ()


class _Reader:
    name = "open_llm"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return ``log`` for Parquet of this name, or with ``example`` and ``hashes``."""
        if not head.startswith(b"PAR1"):
            return None
        if _NAME.fullmatch(place.name):
            return "log"
        schema = parquet_schema(place)
        return "log" if schema is not None and {"example", "hashes"} <= {*schema.names} else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:  # noqa: ARG002
        """Return a unit per file. A task with several few-shot settings becomes several tasks."""
        runs = [_run(place) for place in places]
        mixed_tasks = mixed((r.task, (r.model, r.subject or ""), r.shots) for r in runs)
        named_runs = [
            replace(r, task=f"{r.task}|{r.shots}") if r.task in mixed_tasks else r for r in runs
        ]
        return [
            Unit(
                place=place,
                model=run.model,
                lent=run.lent,
                task=f"{run.task}:{run.subject}" if run.subject else run.task,
                started=run.time,
                context=run,
            )
            for place, run in zip(places, named_runs, strict=True)
        ]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        run: _Run = unit.context
        source = journal.source(unit.place, self.name, model=run.model, task=run.task)
        source.harness = "lm-eval for Open LLM Leaderboard v1"
        source.settings = settings_of({"n-shot": run.shots})
        source.notes += run.notes
        frame = ParquetFrame(unit.place, journal)
        kinds = {c.name: c.kind for c in frame.columns}
        question, metrics = _columns(unit.place, kinds)
        fields = group_fields(journal.options, "subject" if run.subject else None)
        groups = [g for g in fields if kinds.get(g) in {"text", "number"}]
        fixed = {"model": run.model, "task": run.task, "subject": run.subject, "run": unit.run}
        rows = Rows("item", "score", "metric", "content", *groups)
        check = ScoreCheck(unit.place, journal, source.drop)
        prefix = f"{run.subject}:" if run.subject else ""
        columns = [question, *metrics, *groups]
        for line, row in _rows(frame, unit.place, columns, journal.options.limits):
            content = _content(row[question])
            if content is None:
                fix = "expected text, which identifies the question"
                journal.bad_row(unit.place, line, unfit(question, row[question], fix))
                continue
            extra = (content, *(group_label(row[g]) for g in groups))
            for metric, value in _values(row, metrics):
                for score in check(metric, value, line):
                    rows.add(f"{prefix}{line - 1}", score, metric, *extra)
            if rows.full:
                yield rows.batch(**fixed)
        yield rows.batch(**fixed)


def _run(place: Place) -> _Run:
    folders = [folder.name for folder in above(place)]
    match = _NAME.fullmatch(place.name)
    task_text = match["task"] if match else place.name.removesuffix(".parquet")
    task, _, subject = (
        task_text.partition("-") if task_text.startswith(f"{_MMLU}-") else (task_text, "", "")
    )
    notes = ["items are named by their position in the file and recognized by their content"]
    repository = next(filter(None, map(_FOLDER.fullmatch, folders)), None)
    if repository:
        model = f"{repository['org']}/{repository['model']}"
    else:
        model = next((f for f in folders if not re.fullmatch(TIME, f)), place.name)
        notes.append(
            f"{LABELED}no folder details_<org>__<model> above the file; {model} is used instead"
        )
    return _Run(
        model=model,
        task=task,
        subject=subject or None,
        shots=match["shots"] if match else "",
        time=match["time"].replace(":", "-") if match else "",
        lent=repository is None,
        notes=tuple(notes),
    )


def _columns(place: Place, kinds: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the column that distinguishes questions, and the columns of scores."""
    metrics = ["metrics"] if kinds.get("metrics") == "nested" else []
    metrics = metrics or [m for m in _METRICS if kinds.get(m) in {"number", "truth", "text"}]
    question = next((q for q in _QUESTIONS if kinds.get(q) in {"nested", "text"}), None)
    if question is not None and metrics:
        return question, metrics
    lacking = "scores (metrics or acc)" if question else "questions (hashes or example)"
    msg = (
        f"{place}: no column for {lacking} among {list_columns(list(kinds))}. Use a "
        "details file of the Open LLM Leaderboard, or read it as a plain table with "
        f"{arg('reader', 'tabular')}."
    )
    raise ReadError(msg)


def _rows(
    frame: ParquetFrame, place: Place, columns: Sequence[str], limits: Limits
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows with their number, starting at 1."""
    blocks = (chunk.batch for chunk in frame.chunks(columns))
    with arrow_errors(place, "Parquet"):
        yield from enumerate(python_rows(place, blocks, limits), 1)


def _content(value: Any) -> int | None:
    """Return a hash of the question, or of the hash that the file has of it."""
    question = text(entry(value, "example") if isinstance(value, dict) else value)
    return None if question is None else content_key(question)


def _values(row: dict[str, Any], metrics: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the metrics and their values. Some files store numbers as text."""
    values = row["metrics"] if metrics == ["metrics"] else {m: row[m] for m in metrics}
    for metric, value in values.items() if isinstance(values, dict) else ():
        number = value
        if isinstance(value, str):
            with suppress(ValueError):
                number = float(value)
        yield metric, number


READER = _Reader()
