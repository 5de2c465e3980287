"""Read both sides of a comparison and align them by item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nstar._api.inputs.model_source import ModelSource
from nstar._api.inputs.packs import refuse_packs
from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.selection import (
    choose_judged,
    choose_metrics,
    find_model,
    other_metrics,
    some_models,
    unnamed_model,
)
from nstar._data import arrow
from nstar._data.align import directed
from nstar._data.findings import Finding, abbreviate, find, list_task_metrics, list_tasks
from nstar._data.matrix import ScoreMatrix
from nstar._data.table import Source, constant
from nstar._verbs.data_summary import Coverage, coverage
from nstar.errors import DataError, fill_parameters
from nstar.readers import LogScan, scan
from nstar.readers._scan import may_hold

if TYPE_CHECKING:
    from nstar._verbs.judged import JudgedRanking

_ORDER = (
    "the first model is the one in the first readable row; set {a} and {b} to choose the order"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedPair:
    """Two models, aligned by item."""

    names: tuple[str, str]
    """Names to show, first and second; twice that of a single model."""
    matrices: list[ScoreMatrix]
    """One matrix for each task, with these models."""
    coverage: Coverage
    """Findings about the data."""
    judged: "JudgedRanking | None" = None
    """Correction of a judge's scores by labels; None for uncorrected scores."""

    def corrected(self, alpha: float, declared: Sequence[str | None] = ()) -> "AlignedPair":
        """Return a judge's scores and labels as one matrix of corrected scores.

        The test of which model the judge favors is two-sided at ``alpha``. ``declared`` are
        columns of clusters and strata.

        Raise DataError if the judge lacks scores of one model, there are too few labels, or the
        labels look selected.
        """
        from nstar._verbs.judged.board import corrected_matrix

        judge, label = self.matrices
        matrix, judged_ranking = corrected_matrix(judge, label, alpha=alpha, declared=declared)
        if judged_ranking.n_items_left_out:
            msg = (
                f"The judge scored {judged_ranking.n_items_left_out:,} items for only one of the "
                "models. Have the judge score them for both models, or exclude them for both."
            )
            raise DataError(msg)
        return replace(self, matrices=[matrix], judged=judged_ranking)


def _left_out(
    matrices: list[ScoreMatrix], chosen: list[ScoreMatrix], sources: Sequence[Source]
) -> Iterator[Finding]:
    """Yield findings that list the tasks left out although the user did not exclude them."""
    chosen_tasks = {m.task for m in chosen}
    gone = [t for t in dict.fromkeys(m.task for m in matrices) if t not in chosen_tasks]
    if gone:
        text = "without scores of both models on one metric"
        yield find("task-left-out", f"{_are_left_out(gone, text)}: {list_tasks(gone)}")
    unscored = _unscored(matrices, sources)
    if unscored:
        text = _are_left_out(list(unscored), "without scores that can be compared")
        reasons = [f"{task} ({abbreviate(causes, 3)})" for task, causes in unscored.items()]
        yield find("task-left-out", f"{text}: {abbreviate(reasons, 5)}")


def _lone_metrics(
    matrices: list[ScoreMatrix], shared_matrices: list[ScoreMatrix], chosen: list[ScoreMatrix]
) -> Iterator[Finding]:
    """Yield findings about metrics that only one of the two models has."""
    tasks, known = {m.task for m in chosen}, {(m.task, m.metric) for m in shared_matrices}
    lone_matrices = [m for m in matrices if m.task in tasks and (m.task, m.metric) not in known]
    if lone_matrices:
        names = list_task_metrics((m.task, m.metric) for m in lone_matrices)
        yield find("dropped", f"metrics of only one model are excluded: {names}")


def _are_left_out(tasks: list[str], reason: str) -> str:
    one = len(tasks) == 1
    return f"{len(tasks)} {'task' if one else 'tasks'} {reason} {'is' if one else 'are'} excluded"


def _unscored(matrices: list[ScoreMatrix], sources: Sequence[Source]) -> dict[str, list[str]]:
    """Yield findings about tasks without any readable score, with the reason."""
    tasks = {m.task for m in matrices}
    out: dict[str, list[str]] = {}
    for source in sources:
        if source.task is None or source.task in tasks or source.rows:
            continue
        reasons = out.setdefault(source.task, [])
        reasons += [reason for reason in source.dropped if reason not in reasons]
    return {task: reasons or ["no scores"] for task, reasons in out.items()}


def _refuse_strangers(
    matrices: list[ScoreMatrix], shared_matrices: list[ScoreMatrix], names: tuple[str, ...]
) -> None:
    """Raise DataError if the models have no items in common, or the only one has no scores."""
    if shared_matrices:
        return
    if len(names) == 1:
        msg = f"No scores of {names[0]} found."
        raise DataError(msg)
    parts = []
    for name in names:
        tasks = sorted((m.task, m.metric) for m in matrices if name in m.models)
        parts.append(f"{name} has {list_task_metrics(tasks) if tasks else 'no scores'}")
    msg = (
        f"The two models share no task and metric: {'; '.join(parts)}. Check that both ran "
        "the same tasks."
    )
    raise DataError(msg)


@dataclass(slots=True)
class RelabeledBatches:
    """Batches of one path, with the labels of chosen models and without other models.

    Logs of other models are not read if their headers name the model.
    """

    scan: LogScan
    labels: dict[str, str]

    def __post_init__(self) -> None:
        units = self.scan.units
        self.scan.units = [(r, u) for r, u in units if may_hold(u, self.labels.__contains__)]

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the chosen models, one batch at a time."""
        for batch in self.scan.batches():
            column = batch.column("model")
            place = {name: k for k, name in enumerate(column.dictionary.to_pylist())}
            codes = arrow.codes(column)
            is_chosen = np.array([*(name in self.labels for name in place), False])  # null is -1
            chosen = np.flatnonzero(is_chosen[codes])
            order = chosen[np.argsort(codes[chosen], kind="stable")]
            ends = np.searchsorted(codes[order], np.arange(len(place) + 1))
            for model, label in self.labels.items():
                if model in place:
                    k = place[model]
                    rows = arrow.rows_at(batch, order[ends[k] : ends[k + 1]])
                    index = rows.schema.get_field_index("model")
                    yield rows.set_column(index, "model", constant(label, rows.num_rows))


def models_of(scan: LogScan) -> list[str]:
    """Return the models of a scan, from the headers of its logs or else by reading it once."""
    known = [None if unit.several else unit.model for _, unit in scan.units]
    if known and None not in known:
        return list(dict.fromkeys(m for m in known if m is not None))
    names: dict[str, None] = {}
    for batch in scan.batches():
        names |= dict.fromkeys(arrow.coded(batch.column("model"))[1])
    return list(names)


def chosen_model(side: ModelSource, log_scan: LogScan, models: list[str]) -> str:
    """Return the model of its data that a side names."""
    if len(models) == 1 and (side.model is None or unnamed_model(log_scan.journal.sources)):
        return models[0]
    if side.model is not None:
        return find_model(side.model, models, side.where)
    if not models:
        msg = f"{side.where}: no scores found."
        raise DataError(msg)
    msg = f"{side.where} contains {some_models(models)}. Use {side.choice}."
    raise DataError(msg)


def shown_name(side: ModelSource, log_scan: LogScan, model: str) -> str:
    """Return the name to show: the user's, the one in the data, or a default."""
    nameless = unnamed_model(log_scan.journal.sources) is not None
    lent = (side.model or side.usual) if nameless else None
    return side.label or lent or model


def _names(sides: tuple[ModelSource, ModelSource], names: tuple[str, str]) -> tuple[str, str]:
    """Return the names, followed by their paths if both are the same."""
    first, second = names
    if first != second:
        return first, second
    a, b = (f"{n} ({s.where})" for n, s in zip((first, second), sides, strict=True))
    return (a, b) if a != b else (f"{first} (first)", f"{second} (second)")


def _same_data(
    sides: tuple[ModelSource, ModelSource], log_scan: LogScan, *, needs_names: bool
) -> tuple[tuple[str, str], list[RelabeledBatches]]:
    models = models_of(log_scan)
    unnamed = sides[0].model is None and sides[1].model is None
    if unnamed and len(models) == 2 and not needs_names:
        chosen = (models[0], models[1])
    else:
        chosen = (
            chosen_model(sides[0], log_scan, models),
            chosen_model(sides[1], log_scan, models),
        )
    if chosen[0] == chosen[1]:
        msg = f"Both sides are {chosen[0]} in {sides[0].where}. "
        if len(models) == 1:
            no_names = unnamed_model(log_scan.journal.sources)
            only = "It contains no other model. Pass the log of another model."
            msg += only if no_names is None else f"{no_names}."
        else:
            msg += "Choose two different models."
        raise DataError(msg)
    if unnamed and not needs_names and log_scan.journal.bad:
        log_scan.journal.notes.append(fill_parameters(_ORDER))
    first, second = (s.label or m for s, m in zip(sides, chosen, strict=True))
    names = _names(sides, (first, second))
    return names, [RelabeledBatches(log_scan, dict(zip(chosen, names, strict=True)))]


def _two_data(
    sides: tuple[ModelSource, ModelSource], scans: Sequence[LogScan]
) -> tuple[tuple[str, str], list[RelabeledBatches]]:
    chosen = [
        chosen_model(s, log_scan, models_of(log_scan))
        for s, log_scan in zip(sides, scans, strict=True)
    ]
    first, second = map(shown_name, sides, scans, chosen)
    names = _names(sides, (first, second))
    return names, [
        RelabeledBatches(log_scan, {model: name})
        for log_scan, model, name in zip(scans, chosen, names, strict=True)
    ]


def _is_same(sides: tuple[ModelSource, ModelSource]) -> bool:
    first, second = (s.data for s in sides)
    if first is second:
        return True
    if not all(isinstance(x, str | Path) for x in (first, second)):
        return False
    a, b = Path(first), Path(second)
    return str(first) == str(second) or (a.exists() and b.exists() and a.samefile(b))


def load_sides(
    sides: tuple[ModelSource, ModelSource],
    reading: ReadSettings,
    *,
    tasks: tuple[str, ...] = (),
    metric: str | None = None,
    needs_names: bool = False,
    judged: tuple[str, str] | None = None,
) -> AlignedPair:
    """Read both sides and align them by item.

    With ``needs_names`` the order matters, so two models of one path must both be named.
    ``judged`` holds the names of the judge's scores and of the labels, which are two matrices.
    """
    for side in sides:
        refuse_packs(side.data)
    reading = reading.measuring(metric)
    if _is_same(sides):
        names, streams = _same_data(
            sides, scan(sides[0].data, reading.options), needs_names=needs_names
        )
    else:
        names, streams = _two_data(sides, [scan(side.data, reading.options) for side in sides])
    return _aligned(streams, names, reading, tasks, metric, judged)


def load_side(
    side: ModelSource, reading: ReadSettings, *, tasks: tuple[str, ...], metric: str | None
) -> AlignedPair:
    """Read a single model."""
    refuse_packs(side.data)
    reading = reading.measuring(metric)
    log_scan = scan(side.data, reading.options)
    model = chosen_model(side, log_scan, models_of(log_scan))
    name = shown_name(side, log_scan, model)
    return _aligned([RelabeledBatches(log_scan, {model: name})], (name,), reading, tasks, metric)


def _aligned(
    streams: list[RelabeledBatches],
    names: tuple[str, ...],
    reading: ReadSettings,
    tasks: tuple[str, ...],
    metric: str | None,
    judged: tuple[str, str] | None = None,
) -> AlignedPair:
    def batches() -> Iterator[pa.RecordBatch]:
        for stream in streams:
            yield from stream.batches()

    matrices = reading.aligned(batches)
    sources = tuple(s for stream in streams for s in concerned(stream))
    shared_matrices = directed([m for m in matrices if set(names) <= set(m.models)], sources)
    unscored = _unscored(matrices, sources)
    for task in tasks:
        if task in unscored:
            reasons = abbreviate(unscored[task], 3)
            msg = f"Task {task!r} has no scores that can be compared: {reasons}"
            raise DataError(msg)
    _refuse_strangers(matrices, shared_matrices, names)
    all_shared = shared_matrices
    shared_matrices = (
        choose_judged(shared_matrices, tasks, judged)
        if judged
        else choose_metrics(shared_matrices, tasks, metric)
    )
    chosen_tasks = {None, *(m.task for m in shared_matrices)}
    journals = [stream.scan.journal for stream in streams]
    notes = [n for journal in journals for n in journal.notes]
    if judged is None:
        notes += other_metrics(all_shared, shared_matrices, metric)
    report = coverage(
        shared_matrices[:1] if judged else shared_matrices,  # most items have no label
        tuple(s for s in sources if s.task in chosen_tasks),
        notes=notes,
        bad=[n for journal in journals for n in journal.bad],
        allowed=reading.allow,
    )
    findings = [*_lone_metrics(matrices, all_shared, shared_matrices)]
    if not tasks:
        findings += _left_out(matrices, shared_matrices, sources)
    report = replace(report, findings=(*report.findings, *findings))
    return AlignedPair(names=(names[0], names[-1]), matrices=shared_matrices, coverage=report)


def concerned(stream: RelabeledBatches) -> Iterator[Source]:
    """Return the logs that hold a chosen model, under its label."""
    for source in stream.scan.journal.sources:
        if source.model is None:
            yield source
        elif source.model in stream.labels:
            yield replace(source, model=stream.labels[source.model])
