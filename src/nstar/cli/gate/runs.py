"""Repeated runs of one model, each as a row of its own: one log per run, or a run column."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nstar.cli.gate.options import GateOptions
from nstar.cli.kit.progress import reading_shown

if TYPE_CHECKING:
    import pyarrow as pa

    from nstar._api.inputs.model_source import ModelSource
    from nstar._data.findings import Finding
    from nstar._data.matrix import ScoreMatrix
    from nstar._verbs.runs import RunTable
    from nstar.readers import LogScan


def _labels(paths: Sequence[str]) -> list[str]:
    """File names, or whole paths where those are not different."""
    short = [Path(p).name or p for p in paths]
    return short if len(set(short)) == len(short) else list(paths)


def _by_run(batch: "pa.RecordBatch", label: str | None) -> "pa.RecordBatch":
    """The rows with the run in place of the model."""
    from nstar._data.table import constant

    place = batch.schema.get_field_index("model")
    if label is not None:
        return batch.set_column(place, "model", constant(label, batch.num_rows))
    if "run" not in batch.schema.names:
        return batch
    run = batch.column("run")
    kept = batch.set_column(place, "model", run)
    return kept.drop_columns(["run"])


def _one_model(sides: "Sequence[ModelSource]", scans: "Sequence[LogScan]") -> str:
    """The model whose runs these are."""
    from nstar._api.inputs.aligned_pair import models_of
    from nstar._api.inputs.selection import find_model
    from nstar.errors import DataError

    names: dict[str, str] = {}
    for side, found in zip(sides, scans, strict=True):
        there = models_of(found)
        chosen = there if side.model is None else [find_model(side.model, there, side.data)]
        names |= dict.fromkeys(chosen, side.data)
    if len(names) > 1:
        path = next(iter(names.values()))
        msg = (
            f"--aa takes runs of one model; there are {', '.join(list(names)[:5])}: a difference "
            f"between models is not a false alarm. Choose one with {path}::MODEL"
        )
        raise DataError(msg)
    return next(iter(names), "")


def load_runs(given: GateOptions) -> "tuple[list[ScoreMatrix], tuple[Finding, ...]]":
    """Matrices whose rows are runs, one per task, and what to beware of."""
    from nstar._api.inputs.aligned_pair import RelabeledBatches
    from nstar._api.inputs.model_source import one_side
    from nstar._api.inputs.selection import choose_metrics
    from nstar._data.align import directed
    from nstar._verbs.data_summary import coverage
    from nstar.errors import DataError
    from nstar.readers import scan

    paths = given.paths
    labels: list[str | None] = [None] if len(paths) == 1 else list(_labels(paths))
    with reading_shown() as progress:
        reading = replace(given, runs="all").reading(progress)
        sides = [one_side(path) for path in paths]
        scans = [scan(side.data, reading.options) for side in sides]
        model = _one_model(sides, scans)

        def batches() -> "Iterator[pa.RecordBatch]":
            for found, label in zip(scans, labels, strict=True):
                rows = RelabeledBatches(found, {model: model}).batches()
                yield from (_by_run(batch, label) for batch in rows)

        every = reading.aligned(batches)
    sources = tuple(
        replace(s, model=label)
        for found, label in zip(scans, labels, strict=True)
        for s in found.journal.sources
    )
    chosen = choose_metrics(directed(every, sources), given.tasks, given.metric)
    runs = {name for m in chosen for name in m.models}
    if len(runs) < 2 or any(set(m.models) != runs for m in chosen):
        notes = [note for found in scans for note in found.journal.notes]
        msg = f"a false-alarm rate needs two runs or more with the same tasks; got {len(runs)}"
        raise DataError("; ".join([msg, *notes[:1]]))
    return chosen, coverage(chosen, sources, allowed=given.allow).findings


def load_pilot(given: GateOptions) -> "RunTable":
    """All runs of the one model that the logs hold, of one task set."""
    from nstar._api.inputs.run_logs import RunSelection, run_logs
    from nstar._api.inputs.run_tables import log_groups
    from nstar.errors import DataError

    if len(given.tasks) > 1:
        msg = f"--dry-run plans one task set, and --task names {len(given.tasks)}; name one"
        raise DataError(msg)
    wanted = RunSelection(
        task=given.tasks[0] if given.tasks else None,
        metric=given.metric,
        choice="Choose the baseline with LOG::MODEL",
    )
    with reading_shown() as progress:
        reading = replace(given, runs="all").reading(progress)
        tables, _ = run_logs(log_groups(given.paths), reading, wanted)
    if len(tables) > 1:
        names = " and ".join(t.model for t in tables)
        msg = (
            f"--dry-run takes runs of the baseline alone; there are {names}. Choose it with "
            f"{given.paths[0]}::MODEL"
        )
        raise DataError(msg)
    return tables[0]
