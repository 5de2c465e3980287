"""Read a leaderboard: one matrix for each task, with the selected models."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nstar._api.inputs.aligned_rows import aligned
from nstar._api.inputs.data_kinds import (
    Data,
    is_rows,
    lowered,
    matrices_in,
    readable,
    refuse_conflicts,
    refuse_kind,
)
from nstar._api.inputs.packs import open_packs, packs_of, refuse_read_options
from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.selection import ModelFilter, choose_judged, choose_metrics, other_metrics
from nstar._data.findings import Finding, allow, find, list_tasks
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.data_summary import coverage
from nstar._verbs.judged import JudgedRanking, corrected_matrix
from nstar.errors import ReadError
from nstar.readers import nothing_in
from nstar.readers._base import Journal


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardInput:
    """Models and scores to rank."""

    matrices: list[ScoreMatrix]
    """One matrix for each task, with the selected models."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""
    chosen: list[str] | None = None
    """Selection of models in the matrices; all by default."""
    judged: JudgedRanking | None = None
    """Correction of a judge's scores by labels; None for uncorrected scores."""

    @property
    def models(self) -> list[str]:
        """Return the models of any task."""
        all_models = dict.fromkeys(m for matrix in self.matrices for m in matrix.models)
        return list(all_models) if self.chosen is None else self.chosen


def board_of(
    verb: str,
    data: Data,
    models: ModelFilter,
    tasks: tuple[str, ...],
    metric: str | None,
    settings: ReadSettings,
    alpha: float = 0.05,
) -> BoardInput:
    """Return the input of a function in Python, from matrices or from data to read."""
    matrices = matrices_in(data)
    if matrices is not None:
        refuse_conflicts(matrices)
        lower = settings.options.lower_is_better
        bare = [(matrix, ()) for matrix in lowered(matrices, lower_is_better=lower)]
        return chosen_of(bare, models, tasks=tasks, metric=metric)
    if not is_rows(data):
        refuse_kind(verb, data)
    return load_board(readable(data), settings, models, tasks=tasks, metric=metric, alpha=alpha)


def load_board(
    data: Any,
    reading: ReadSettings,
    models: ModelFilter,
    *,
    tasks: tuple[str, ...] = (),
    metric: str | None = None,
    alpha: float = 0.05,
) -> BoardInput:
    """Map packed matrices, or read other data. Models that are not selected have no effect.

    The test of which models a judge favors is at ``alpha``.
    """
    if packs_of(data):
        paths = data if isinstance(data, list | tuple) else [data]
        refuse_read_options(packs_of(data)[0], reading.given)
        packs = open_packs([str(path) for path in paths], reading.allow)
        lower = reading.options.lower_is_better
        lowered_matrices = lowered([matrix for matrix, _ in packs], lower_is_better=lower)
        packs = [
            (matrix, findings)
            for matrix, (_, findings) in zip(lowered_matrices, packs, strict=True)
        ]
        return chosen_of(packs, models, tasks=tasks, metric=metric)
    matrices, journal = _aligned(data, reading.measuring(metric), models)
    judged = reading.judged
    if judged is not None:
        judge_and_labels = choose_judged(matrices, tasks, judged)
        findings = _findings(judge_and_labels[:1], journal, models, reading)
        matrix, judged_ranking = corrected_matrix(
            *judge_and_labels, alpha=alpha, declared=reading.options.declared
        )
        return BoardInput(matrices=[matrix], findings=findings, judged=judged_ranking)
    chosen = choose_metrics(matrices, tasks, metric)
    ranked = [m for m in chosen if len(m.models) > 1]
    notes = other_metrics(matrices, chosen, metric)
    findings = _findings(ranked, journal, models, reading, notes)
    return BoardInput(matrices=ranked, findings=(*findings, *_alone(chosen, ranked)))


def load_judged(
    data: Any, reading: ReadSettings, judged: tuple[str, str], tasks: tuple[str, ...] = ()
) -> tuple[list[ScoreMatrix], tuple[Finding, ...]]:
    """Return the scores of a judge and the labels of several models, with findings."""
    models = ModelFilter()
    matrices, journal = _aligned(data, reading, models)
    chosen = choose_judged(matrices, tasks, judged)
    return chosen, _findings(chosen[:1], journal, models, reading)  # most items have no label


def _aligned(
    data: Any, reading: ReadSettings, models: ModelFilter
) -> tuple[list[ScoreMatrix], Journal]:
    """Return matrices, of which some have several models, and the notes of the readers."""
    matrices, journal = aligned(data, reading, models)
    if not models.seen:
        raise ReadError(nothing_in(journal.sources))
    models.check(journal.sources)
    _refuse_none([m for m in matrices if len(m.models) > 1])
    return matrices, journal


def _findings(
    ranked: Sequence[ScoreMatrix],
    journal: Journal,
    models: ModelFilter,
    reading: ReadSettings,
    notes: Sequence[str] = (),
) -> tuple[Finding, ...]:
    ranked_tasks = {None, *(m.task for m in ranked)}
    return coverage(
        ranked,
        [
            source
            for source in journal.sources
            if source.task in ranked_tasks and models.seen.get(source.model or "", True)
        ],
        notes=[*journal.notes, *notes],
        bad=journal.bad,
        allowed=reading.allow,
    ).findings


def chosen_of(
    packs: Sequence[tuple[ScoreMatrix, tuple[Finding, ...]]],
    models: ModelFilter,
    *,
    tasks: tuple[str, ...] = (),
    metric: str | None = None,
) -> BoardInput:
    """Return the selected matrices among those already in memory, without copies."""
    matrices = [matrix for matrix, _ in packs]
    chosen = choose_metrics(matrices, tasks, metric)
    size = {m.task: sum(map(models.keeps, m.models)) for m in chosen}
    models.check()
    ranked = [m for m in chosen if size[m.task] > 1]
    _refuse_none(ranked)
    remaining = [m for m in dict.fromkeys(n for x in ranked for n in x.models) if models.keeps(m)]
    matrix_findings = (f for matrix, findings in packs if matrix in ranked for f in findings)
    notes = (find("metric-chosen", note) for note in other_metrics(matrices, ranked, metric))
    return BoardInput(
        matrices=ranked,
        findings=(*allow(matrix_findings, ()), *notes, *_alone(chosen, ranked)),
        chosen=None if all(models.seen.values()) else remaining,
    )


def _refuse_none(ranked: Sequence[ScoreMatrix]) -> None:
    if not ranked:
        msg = "No task has two models scored with the same metric."
        raise ReadError(msg)


def _alone(matrices: Sequence[ScoreMatrix], ranked: Sequence[ScoreMatrix]) -> Iterator[Finding]:
    """Yield findings about tasks with one model, which rank nothing."""
    ranked_tasks = {m.task for m in ranked}
    gone = [m.task for m in matrices if m.task not in ranked_tasks]
    if gone:
        of = "1 task" if len(gone) == 1 else f"{len(gone)} tasks"
        yield find("task-left-out", f"{of} with only one model: {list_tasks(gone)}")
