"""Read a new model and the known models, and align them by item."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nstar._api.inputs.aligned_pair import (
    RelabeledBatches,
    chosen_model,
    concerned,
    models_of,
    shown_name,
)
from nstar._api.inputs.model_source import ModelSource
from nstar._api.inputs.packs import refuse_packs
from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.selection import choose_metrics, find_model, other_metrics
from nstar._data.align import directed
from nstar._data.findings import Finding, list_task_metrics, list_tasks
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.data_summary import coverage
from nstar.errors import DataError, arg
from nstar.readers import place_of, scan

_EXPECTED = {"missing-items", "order-flips", "partial-run"}
"""Findings that are expected when a model ran on some of the items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedReference:
    """A new model and known models, aligned by item."""

    new: str
    """The new model."""
    b: str | None
    """Known model that it is compared with, if the user named one."""
    matrix: ScoreMatrix
    """Matrix of all models, for one task."""
    findings: tuple[Finding, ...]
    """Findings about the data."""


def _streams(
    side: ModelSource, known: Any, b: str | None, reading: ReadSettings
) -> tuple[str, str | None, list[RelabeledBatches]]:
    """Return the names of the new model and the known one, and the rows of all models."""
    first, second = scan(side.data, reading.options), scan(known, reading.options)
    chosen = chosen_model(side, first, models_of(first))
    models = models_of(second)
    new = shown_name(side, first, chosen)
    others = [m for m in models if m != new]
    where = place_of(known)
    if len(others) < len(models):
        second.journal.notes.append(f"{where} also has scores of {new}, which are ignored")
    if not others:
        msg = f"{where} contains no scores of models other than {new}."
        raise DataError(msg)
    if b is not None:
        b = find_model(b, others, where)
    labels = {m: m for m in others}
    return new, b, [RelabeledBatches(first, {chosen: new}), RelabeledBatches(second, labels)]


def _one_task(
    matrices: list[ScoreMatrix], new: str, tasks: tuple[str, ...], metric: str | None
) -> ScoreMatrix:
    shared_matrices = [m for m in matrices if new in m.models and len(m.models) > 1]
    if not shared_matrices:
        new_tasks, theirs = (
            list_task_metrics((m.task, m.metric) for m in matrices if (new in m.models) is has_new)
            for has_new in (True, False)
        )
        msg = (
            f"{new} ({new_tasks}) and the known models ({theirs}) share no task and metric. Check "
            "that both ran the same tasks."
        )
        raise DataError(msg)
    chosen = choose_metrics(shared_matrices, tasks, metric)
    if len(chosen) > 1:
        names = list_tasks(m.task for m in chosen)
        msg = (
            f"Several tasks found ({names}), but a new model is compared on one task. "
            f"Set {arg('tasks')} to one of them."
        )
        raise DataError(msg)
    return chosen[0]


def load_known(
    side: ModelSource,
    known: Any,
    b: str | None,
    reading: ReadSettings,
    *,
    tasks: tuple[str, ...] = (),
    metric: str | None = None,
) -> AlignedReference:
    """Read the new model and the known ones, and align them by item."""
    for data in (side.data, known):
        refuse_packs(data)
    reading = reading.measuring(metric)
    new, b_name, streams = _streams(side, known, b, reading)

    def batches() -> Iterator[pa.RecordBatch]:
        for stream in streams:
            yield from stream.batches()

    matrices = reading.aligned(batches)
    sources = tuple(s for stream in streams for s in concerned(stream))
    matrix = _one_task(directed(matrices, sources), new, tasks, metric)
    journals = [stream.scan.journal for stream in streams]
    notes = [n for journal in journals for n in journal.notes]
    report = coverage(
        [matrix],
        tuple(s for s in sources if s.task in {None, matrix.task}),
        notes=[*notes, *other_metrics(matrices, [matrix], metric)],
        bad=[n for journal in journals for n in journal.bad],
        allowed=reading.allow,
    )
    findings = tuple(f for f in report.findings if f.code not in _EXPECTED)
    return AlignedReference(new=new, b=b_name, matrix=matrix, findings=findings)
