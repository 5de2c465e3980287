"""Audit several tasks, and their average."""

from collections.abc import Mapping, Sequence

import numpy as np

from nstar._base.parameter_types import Average
from nstar._data.findings import abbreviate, list_tasks
from nstar._data.matrix import ScoreMatrix
from nstar._engine.pairs import panel
from nstar._engine.work import Execution, WorkerPool, one_thread
from nstar._verbs.audit.pair_analysis import PairAnalysis, analyze_pairs
from nstar._verbs.audit.pairs import PairSetting
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.ranking import ranking
from nstar._verbs.audit.result import Audit, TaskAudit
from nstar._verbs.audit.run import examine, in_full
from nstar._verbs.audit.selection import AuditedModels, RankedModels, select_models
from nstar._verbs.audit.tile_grid import TileGrid
from nstar._verbs.compare.average import averaged, pooled, why_not_averaged
from nstar._verbs.data_summary.finding_text import limits as limits_of
from nstar.errors import DataError, ParameterError, arg


def _limits(matrices: Sequence[ScoreMatrix]) -> list[tuple[float, float]]:
    return pooled(matrices, [limits_of(m) for m in matrices])


def _refuse_mixture(matrices: Sequence[ScoreMatrix]) -> None:
    """Raise an error for tasks without a common scale, which have no average."""
    reason = why_not_averaged(matrices, _limits(matrices))
    if reason is not None:
        msg = (
            f"These tasks have no average: {reason}. Audit one task at a time with {arg('tasks')}."
        )
        raise DataError(msg)


def _shared_models(matrices: Sequence[ScoreMatrix], models: Sequence[str] | None) -> list[str]:
    """Return the models that every task has."""
    in_every_task = set(matrices[0].models).intersection(*(m.models for m in matrices[1:]))
    names = matrices[0].models if models is None else dict.fromkeys(models)
    shared = [name for name in names if name in in_every_task]
    if len(shared) < 2:
        counts = ", ".join(f"{list_tasks([m.task])} {len(m.models)}" for m in matrices[:5])
        msg = (
            f"An average needs at least 2 models with all {len(matrices)} tasks; found "
            f"{len(shared)} (models by task: {counts}). Set {arg('tasks')} to choose fewer tasks."
        )
        raise DataError(msg)
    return shared


def _weight(one: AuditedModels) -> float:
    """Return the total weight of the items of a task."""
    correction = one.matrix.correction
    weighed = None if correction is None else correction.weights
    return float(len(one.items)) if weighed is None else float(weighed.sum())


def _ranked_by_average(
    fields: Sequence[AuditedModels], weights: tuple[float, ...]
) -> RankedModels:
    """Return the models by average, best first. Ties are ordered by name."""
    names = sorted(fields[0].names)
    means, counts = np.zeros(len(names)), np.zeros(len(names), dtype=np.int64)
    for one, weight in zip(fields, weights, strict=True):
        place = {name: k for k, name in enumerate(one.names)}
        order = [place[name] for name in names]
        means += weight * one.means[order]
        counts += one.counts[order]
    order = sorted(range(len(names)), key=lambda k: (-fields[0].better * means[k], names[k]))
    return RankedModels(
        names=tuple(names[k] for k in order),
        means=means[order],
        counts=counts[order],
        better=fields[0].better,
    )


def _overall(
    fields: Sequence[AuditedModels],
    weights: tuple[float, ...],
    question: AuditQuestion,
    execution: Execution,
    workers: WorkerPool,
) -> tuple[RankedModels, PairAnalysis, PairSetting]:
    limits = _limits([field.matrix for field in fields])[0]
    standing = _ranked_by_average(fields, weights)
    panels = []
    for one in fields:
        place = {name: i for i, name in zip(one.models, one.names, strict=True)}
        rows = [place[name] for name in standing.names]
        panels.append(panel(one.matrix, rows, one.items, question.kind, question.column))
    chosen = averaged(panels, weights, limits)
    grid = TileGrid(chosen, workers, execution.progress, execution.memory)
    analysis = analyze_pairs(standing, grid, question, limits[1] - limits[0])
    setting = PairSetting(
        names=standing.names,
        design=chosen.design,
        criteria=question.criteria,
        limits=limits,
        offset=0.0,
        counting=analysis.counting,
        delta=question.delta,
    )
    return standing, analysis, setting


def _refuse_repeats(matrices: Sequence[ScoreMatrix]) -> None:
    names = [m.task for m in matrices]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        task = f"Task {twice!r}" if twice else "A task without a name"
        msg = f"{task} is repeated. Choose one metric per task."
        raise ParameterError(msg)


def _check(
    matrices: Sequence[ScoreMatrix],
    average: Average,
    question: AuditQuestion,
    execution: Execution,
) -> None:
    """Raise an error for an invalid average, before any computation."""
    question.check_gaps(limits_of(matrices[0]))
    if average not in ("macro", "micro"):
        msg = f"average must be macro or micro; got {average!r}"
        raise ParameterError(msg)
    if execution.out is not None or execution.work is not None:
        available = abbreviate([repr(m.task) for m in matrices], 5)
        subject = "Counts are kept" if execution.out is None else "Pairs are written"
        msg = f"{subject} for one task only. Set {arg('tasks')} to one of them: {available}."
        raise ParameterError(msg)
    _refuse_repeats(matrices)
    _refuse_mixture(matrices)


def audit_board(
    matrices: Sequence[ScoreMatrix],
    question: AuditQuestion,
    execution: Execution,
    *,
    average: Average = "macro",
    models: Sequence[str] | None = None,
    shares: Mapping[str, float] | None = None,
) -> Audit:
    """Rank models on one task, or by their average over several tasks.

    The average contains only models that all tasks have. All tasks must have the same scale and
    direction of scores. ``shares`` are task weights, which override ``average``.
    """
    if not matrices:
        msg = "No task found to audit."
        raise DataError(msg)
    with execution.crew() as workers:
        if len(matrices) == 1:
            return Audit.of_task(examine(matrices[0], models, question, execution, workers))
        return _board(matrices, average, models, question, execution, workers, shares)


def _board(
    matrices: Sequence[ScoreMatrix],
    average: Average,
    models: Sequence[str] | None,
    question: AuditQuestion,
    execution: Execution,
    workers: WorkerPool,
    shares: Mapping[str, float] | None,
) -> Audit:
    """Audit several tasks, and their average."""
    _check(matrices, average, question, execution)
    shared = _shared_models(matrices, models)
    tasks = tuple(_audit_task(m, models, question, execution, workers) for m in matrices)
    fields = [select_models(m, shared, question.items) for m in matrices]
    for one in fields:
        if len(one.items) < 2:
            msg = (
                f"Task {one.matrix.task!r} has only 1 item, so its standard error cannot be "
                "estimated. Exclude it."
            )
            raise DataError(msg)
    if shares is not None:
        sizes = np.array([shares[f.matrix.task] for f in fields])
    else:
        sizes = np.array([1.0 if average == "macro" else _weight(f) for f in fields])
    weights = tuple((sizes / sizes.sum()).tolist())
    with one_thread():
        standing, analysis, setting = _overall(fields, weights, question, execution, workers)
    used = analysis.adjust(question.adjust)
    everyone = dict.fromkeys(name for m in matrices for name in m.models)
    names = everyone if models is None else dict.fromkeys(models)
    ranked = set(shared)
    return Audit(
        tasks=tasks,
        average="weighted" if shares is not None else average,
        weights=dict(zip((m.task for m in matrices), weights, strict=True)),
        criteria=question.criteria,
        adjust=used,
        adjust_reason=None if used == question.adjust else str(analysis.step),
        rank_method=analysis.rank_method,
        critical_value=analysis.critical(),
        interval_alpha=analysis.counting.interval,
        n_draws=analysis.drawn,
        seed=question.seed,
        ranking=ranking(
            analysis,
            standing,
            setting.limits,
            question.criteria.alpha,
            question.seed,
            simulate_marginal=not question.ranks_only,
            workers=workers,
        ),
        adjacent=in_full(analysis, analysis.adjacent(), used, setting),
        models_left_out=tuple(name for name in names if name not in ranked),
        findings=(),
        survey=analysis,
    )


def _audit_task(
    matrix: ScoreMatrix,
    models: Sequence[str] | None,
    question: AuditQuestion,
    execution: Execution,
    workers: WorkerPool,
) -> TaskAudit:
    """Audit one task with those of the selected models that it has. Errors name the task."""
    names = None if models is None else [name for name in models if name in matrix.models]
    try:
        return examine(matrix, names, question, execution, workers)
    except DataError as error:
        raise error.within(matrix.task) from error
