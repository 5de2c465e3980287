"""Read repeated runs of one model, as rows of matrices or as one table of tasks and runs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nstar._api.inputs.aligned_pair import RelabeledBatches, models_of
from nstar._api.inputs.data_kinds import matrices_in, readable
from nstar._api.inputs.model_source import ModelSource, one_side
from nstar._api.inputs.reading import ReadSettings, names_in
from nstar._api.inputs.run_logs import RunSelection
from nstar._api.inputs.run_tables import run_tables_in
from nstar._api.inputs.selection import choose_metrics, find_model
from nstar._api.reading_words import ReadingWords
from nstar._data.align import directed
from nstar._data.findings import refuse_fatal
from nstar._data.table import constant
from nstar._verbs.data_summary import coverage
from nstar._verbs.runs import RunTable
from nstar.errors import DataError, arg
from nstar.readers import LogScan, scan

if TYPE_CHECKING:
    import pyarrow as pa

    from nstar._data.matrix import ScoreMatrix


def pilot_runs(data: Any, reading: ReadingWords, tasks: Any, metric: str | None) -> RunTable:
    """Return all runs of the only model in the data, for one task set."""
    names = names_in(tasks)
    if len(names) > 1:
        msg = f"A plan uses one task set, but {arg('tasks')} names {len(names)}. Choose one."
        raise DataError(msg)
    selection = RunSelection(
        task=names[0] if names else None,
        metric=metric,
        choice="Choose the baseline with LOG::MODEL.",
    )
    all_runs: ReadingWords = {**reading, "runs": "all"}
    tables, _ = run_tables_in(_paths(data), None, selection, all_runs)
    if len(tables) > 1:
        models = " and ".join(t.model for t in tables)
        path = next(iter(_paths(data)), "LOG") if isinstance(data, str | list | tuple) else "LOG"
        msg = (
            f"A plan uses only runs of the baseline; found {models}. Choose the baseline with "
            f"{path}::MODEL."
        )
        raise DataError(msg)
    return tables[0]


def matrices_of_runs(
    data: Any,
    reading: ReadingWords,
    tasks: tuple[str, ...],
    metric: str | None,
    columns: tuple[str | None, str | None],
) -> "list[ScoreMatrix]":
    """Return matrices whose rows are runs, one for each task."""
    matrices = matrices_in(data)
    if matrices is not None:
        return choose_metrics(matrices, tasks, metric)
    settings = ReadSettings.of({**reading, "runs": "all"}, "gate_aa").declaring(*columns)
    settings = settings.measuring(metric)
    sides = _sides(data)
    scans = [scan(side.data, settings.options) for side in sides]
    model = _one_model(sides, scans)
    labels = _labels(sides)

    def batches() -> "Iterator[pa.RecordBatch]":
        for log_scan, label in zip(scans, labels, strict=True):
            rows = RelabeledBatches(log_scan, {model: model}).batches()
            yield from (_by_run(batch, label) for batch in rows)

    aligned = settings.aligned(batches)
    sources = tuple(
        replace(source, model=label)
        for log_scan, label in zip(scans, labels, strict=True)
        for source in log_scan.journal.sources
    )
    chosen = choose_metrics(directed(aligned, sources), tasks, metric)
    runs = {name for matrix in chosen for name in matrix.models}
    if len(runs) < 2 or any(set(matrix.models) != runs for matrix in chosen):
        notes = [note for log_scan in scans for note in log_scan.journal.notes]
        msg = f"A false-alarm rate needs at least 2 runs with the same tasks; found {len(runs)}"
        raise DataError("; ".join([msg, *notes[:1]]))
    refuse_fatal(coverage(chosen, sources, allowed=settings.allow).findings)
    return chosen


def _paths(data: Any) -> Any:
    return [fspath(data)] if isinstance(data, str | PathLike) else data


def _sides(data: Any) -> list[ModelSource]:
    """Return one source for each log, or one for a table in memory."""
    paths = _paths(data)
    if isinstance(paths, list | tuple) and all(isinstance(p, str | PathLike) for p in paths):
        return [one_side(fspath(path)) for path in paths]
    return [ModelSource(data=readable(data), choice="one model of the table")]


def _labels(sides: Sequence[ModelSource]) -> list[str | None]:
    """Return file names, or whole paths if the names are equal. One table has none."""
    if len(sides) == 1:
        return [None]
    paths = [
        f"{side.data}" if side.model is None else f"{side.data}::{side.model}" for side in sides
    ]
    short = [Path(path).name or path for path in paths]
    return [*(short if len(set(short)) == len(short) else paths)]


def _one_model(sides: Sequence[ModelSource], scans: Sequence[LogScan]) -> str:
    """Return the model whose runs these are."""
    names: dict[str, str] = {}
    for side, log_scan in zip(sides, scans, strict=True):
        available = models_of(log_scan)
        if side.model is not None:
            available = [find_model(side.model, available, side.where)]
        names |= dict.fromkeys(available, side.where)
    if len(names) > 1:
        path = next(iter(names.values()))
        msg = (
            f"An A/A test uses runs of one model; found {', '.join(list(names)[:5])}. Choose one "
            f"with {path}::MODEL."
        )
        raise DataError(msg)
    return next(iter(names), "")


def _by_run(batch: "pa.RecordBatch", label: str | None) -> "pa.RecordBatch":
    """Return the rows with the run in place of the model."""
    index = batch.schema.get_field_index("model")
    if label is not None:
        return batch.set_column(index, "model", constant(label, batch.num_rows))
    if "run" not in batch.schema.names:
        return batch
    by_run = batch.set_column(index, "model", batch.column("run"))
    return by_run.drop_columns(["run"])
