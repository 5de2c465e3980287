"""Read all models of the data and return aligned matrices with findings."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from nstar._api.inputs.packs import refuse_packs
from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.selection import ModelFilter, choose_metrics, other_metrics
from nstar._base.parameter_types import Duplicates
from nstar._data.align import directed
from nstar._data.findings import list_tasks
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.data_summary import Coverage, coverage
from nstar.errors import DataError, ReadError, arg
from nstar.readers import nothing_in, scan
from nstar.readers._base import Journal


def aligned(
    data: Any,
    reading: ReadSettings,
    models: ModelFilter | None = None,
    *,
    duplicates: Duplicates | None = None,
) -> tuple[list[ScoreMatrix], Journal]:
    """Return the matrices of the selected models, and the notes of the readers."""
    refuse_packs(data)
    selects = models is not None and (models.wanted or models.unwanted)
    scanned = scan(data, reading.options, models.keeps if models and selects else None)

    def batches() -> Iterator[pa.RecordBatch]:
        yield from scanned.batches() if models is None else map(models.rows, scanned.batches())

    return directed(reading.aligned(batches, duplicates), scanned.journal.sources), scanned.journal


def summarize_rows(
    data: Any, reading: ReadSettings, *, notes: Sequence[str] = (), bad: Sequence[str] = ()
) -> Coverage:
    """Summarize the contents of the data, and repeat earlier notes."""
    matrices, journal = aligned(data, reading, duplicates=reading.duplicates)
    if not matrices:
        raise ReadError(nothing_in(journal.sources))
    return coverage(
        matrices,
        journal.sources,
        notes=[*notes, *journal.notes],
        bad=[*bad, *journal.bad],
        allowed=reading.allow,
    )


def choose_task(
    data: Any, reading: ReadSettings, task: str | None, metric: str | None
) -> tuple[ScoreMatrix, Coverage]:
    """Return the matrix of one task, and findings about the data."""
    matrices, journal = aligned(data, reading.measuring(metric))
    if not matrices:
        raise ReadError(nothing_in(journal.sources))
    chosen = choose_metrics(matrices, () if task is None else (task,), metric)
    if len(chosen) > 1:
        tasks = list_tasks(m.task for m in chosen)
        msg = f"A pack holds one task. Set {arg('task')} to one of them: {tasks}."
        raise DataError(msg)
    report = coverage(
        chosen,
        [s for s in journal.sources if s.task in {None, chosen[0].task}],
        notes=[*journal.notes, *other_metrics(matrices, chosen, metric)],
        bad=journal.bad,
        allowed=reading.allow,
    )
    return chosen[0], report
