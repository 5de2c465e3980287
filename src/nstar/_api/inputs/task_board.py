"""Read a table of models × tasks with one score each, or reduce item scores to task scores."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nstar._api.inputs.board import board_of
from nstar._api.inputs.data_kinds import is_rows
from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.selection import ModelFilter
from nstar._base.types import Array
from nstar._data.findings import Finding, list_tasks
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.audit.task_sample import TaskScores
from nstar.errors import DataError, ParameterError, QuestionError, arg
from nstar.readers._tables._columns import TASKS_LAYOUT

_DATASET = "dataset"
"""Group of the rows of one task in a log of MTEB: its splits and subsets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBoard:
    """Scores of the tasks, and findings about the data."""

    scores: TaskScores
    findings: tuple[Finding, ...]


def refuse_items(average: str, **of_items: Any) -> None:
    """Raise QuestionError for a parameter about items, which tasks as the unit do not use."""
    name = next((name for name, value in of_items.items() if value is not None), None)
    if name is None and average != "macro":
        name = "average"
    if name is not None:
        msg = f"{arg(name)} is for items. Remove it, or {arg('unit', 'task')}."
        raise QuestionError(msg)


def task_board_of(
    data: Any,
    models: ModelFilter,
    tasks: Sequence[str],
    metric: str | None,
    settings: ReadSettings,
) -> TaskBoard:
    """Return one score for each model and task."""
    if settings.judged is not None:
        msg = f"Labels correct scores of items. Remove the judge, or {arg('unit', 'task')}."
        raise ParameterError(msg)
    if is_rows(data) and settings.options.column("layout") is None:
        columns = (*settings.options.columns, ("layout", TASKS_LAYOUT))
        settings = replace(settings, options=replace(settings.options, columns=columns))
    board = board_of("audit", data, models, (), metric, settings)
    if len(board.matrices) > 1:
        scores = _of_items(board.matrices, board.models)
    else:
        scores = _of_table(board.matrices[0], board.models)
    # a missing task is reported with the scores of the tasks
    other_findings = tuple(
        f for f in board.findings if f.code not in ("missing-items", "order-flips")
    )
    return TaskBoard(scores=_chosen(scores, tasks), findings=other_findings)


def _of_items(matrices: Sequence[ScoreMatrix], models: Sequence[str]) -> TaskScores:
    """Return the mean score of each model on each task."""
    scores = np.full((len(models), len(matrices)), np.nan)
    row_of = {name: k for k, name in enumerate(models)}
    for task, matrix in enumerate(matrices):
        for k, name in enumerate(matrix.models):
            row = matrix.row(k)
            if name in row_of and not np.isnan(row).all():
                scores[row_of[name], task] = np.nanmean(row)
    return TaskScores(
        models=tuple(models),
        tasks=tuple(m.task for m in matrices),
        scores=scores,
        lower=tuple(m.lower_is_better for m in matrices),
        metric=_metric(matrices),
        items=tuple(matrices) if all(len(m.items) > 1 for m in matrices) else None,
    )


def _metric(matrices: Sequence[ScoreMatrix]) -> str:
    metrics = {m.metric for m in matrices}
    return metrics.pop() if len(metrics) == 1 else "score"


def _of_table(matrix: ScoreMatrix, models: Sequence[str]) -> TaskScores:
    """Return the scores of a table whose items are tasks."""
    if matrix.binary:
        msg = (
            f"{matrix.task or 'The data'}: {len(matrix.items):,} items with scores of 0 and 1, "
            f"which are not scores of tasks. Name the column of tasks with "
            f"{arg('columns', 'task=NAME')}, or remove {arg('unit', 'task')}."
        )
        raise DataError(msg)
    scores = np.stack([matrix.row(name) for name in models])
    names = matrix.items
    if _DATASET in matrix.groups:
        group = matrix.groups[_DATASET]
        names = group.labels
        scores = np.stack([_means(scores[:, group.codes == k]) for k in range(len(names))], axis=1)
    return TaskScores(
        models=tuple(models),
        tasks=tuple(names),
        scores=scores,
        lower=(matrix.lower_is_better,) * len(names),
        metric=matrix.metric,
    )


def _means(scores: Array) -> Array:
    """Return the mean of each row; NaN for a row that lacks a subset of the task."""
    return np.asarray(scores.mean(axis=1))


def _chosen(scores: TaskScores, tasks: Sequence[str]) -> TaskScores:
    """Return the selected tasks that any model has."""
    unknown = [name for name in tasks if name not in scores.tasks]
    if unknown:
        msg = f"No task {unknown[0]!r}. Available: {list_tasks(scores.tasks)}."
        raise DataError(msg)
    return scores.some(list(_positions(scores, tasks)))


def _positions(scores: TaskScores, tasks: Sequence[str]) -> Iterator[int]:
    for k, name in enumerate(scores.tasks):
        if (not tasks or name in tasks) and not np.isnan(scores.scores[:, k]).all():
            yield k
