"""``gate``: judge the scores of a candidate and a baseline."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._data.findings import Finding, list_tasks, refuse_fatal, refuse_stopped
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.sample import PairedSample, from_matrix, one_model
from nstar._verbs.gate.claims import LogEValues
from nstar._verbs.gate.history import History, RecordedEvaluation, fingerprint, item_digests
from nstar._verbs.gate.item_changes import item_changes
from nstar._verbs.gate.question import GateQuestion
from nstar._verbs.gate.result import Gate, PooledEvidence, TaskGate
from nstar._verbs.gate.task_gate import TaskEvidence, evidence_of, finished, look, night_log_e
from nstar._verbs.gate.task_rule import RuleFlips, by_rule
from nstar._verbs.verdict import judge_tasks
from nstar.errors import DataError, ParameterError, arg

_ANOTHER = 0.1
"""Share of scores beyond [0, 1] from which a model is on another scale, and not one cell corrupt.
"""
_SIDES = ("candidate", "baseline")


def _count(scores: Array) -> int:
    return int((~np.isnan(scores)).sum())


def _binary(scores: Array) -> bool:
    return bool(np.isin(scores[~np.isnan(scores)], (0.0, 1.0)).all())


def _first_mismatch(
    scores: Array, side_name: str, at: IntArray, items: Sequence[str] | None, other: str
) -> str:
    """Return side, item, and value of the first score that does not fit."""
    are = "is" if at.size == 1 else "are"
    place = int(at[0])
    item = f"number {place + 1:,}" if items is None else repr(items[place])
    return (
        f"{at.size:,} of {_count(scores):,} scores of the {side_name} {are} outside 0–1 "
        f"({scores[place]:g} for item {item}), unlike those of the {other}. Fix the log or, if "
        f"this score is an error code, set {arg('errors')} to missing or zero."
    )


def refuse_misfit(
    scores: tuple[Array, Array],
    names: tuple[str, str],
    items: Sequence[str] | None = None,
    *,
    points: bool = False,
    where: str = "",
) -> None:
    """Raise DataError if one model has scores outside [0, 1] and the other has only 0 and 1.

    Parameters
    ----------
    scores : tuple of ndarray
        Scores per item of candidate and baseline, NaN = absent.
    names : tuple of str
        Names of both models.
    items : sequence of str, optional
        Names of the items. Default: their positions.
    points : bool, default False
        Whether the margin is in percentage points, so that the other model may have any scores in
        [0, 1].
    where : str, default ""
        Name of the task, with which the message starts.

    Examples
    --------
    >>> import numpy as np
    >>> refuse_misfit((np.array([1.0, 7, 0]), np.array([1.0, 0, 0])), ("new", "old"))
    Traceback (most recent call last):
        ...
    nstar.errors.DataError: 1 of 3 scores of the candidate (new) is outside 0–1 (7 for item
    number 2), unlike those of the baseline. Fix the log or, if this score is an error code,
    set errors to missing or zero.
    """
    beyond = [np.flatnonzero((x < 0) | (x > 1)) for x in scores]
    share = [at.size / max(_count(x), 1) for at, x in zip(beyond, scores, strict=True)]
    if min(share) >= _ANOTHER:
        return
    for k in (0, 1):
        if beyond[k].size and (points or _binary(scores[1 - k])):
            other = "others" if beyond[1 - k].size else _SIDES[1 - k]
            side_name = _SIDES[k] if names[k] == _SIDES[k] else f"{_SIDES[k]} ({names[k]})"
            raise DataError(where + _first_mismatch(scores[k], side_name, beyond[k], items, other))


_UNNAMED = ("candidate", "baseline")
"""Default names of the models."""


class TaskScores(NamedTuple):
    """Scores by task, and the names of the items if they have any."""

    samples: list[PairedSample]
    items: list[tuple[str, Sequence[str]]] | None
    names: tuple[str, str]
    unscored: list[int]
    """Items by task on which the candidate ran without a score."""


def of_sample(
    sample: PairedSample, names: tuple[str, str], unscored: int | None = None
) -> TaskScores:
    """Return scores in the order of a run.

    Items before the candidate's last score have been run.
    """
    return TaskScores([sample], None, names, [_gaps(sample) if unscored is None else unscored])


def of_matrices(
    matrices: Sequence[ScoreMatrix], names: tuple[str, str], threshold: float | None = None
) -> TaskScores:
    """Return scores from one matrix per task. Raise DataError if one lacks a model."""
    return TaskScores(
        [_of(m, names, threshold) for m in matrices],
        [(m.task, m.items) for m in matrices],
        names,
        [m.alignment.unscored.get(names[0], 0) for m in matrices],
    )


def _gaps(sample: PairedSample) -> int:
    """Return the items without a score before the candidate's last score.

    Arrays are in the order of the run.
    """
    scored = np.flatnonzero(~np.isnan(sample.a))
    return int(scored[-1]) + 1 - scored.size if scored.size else 0


def _of(matrix: ScoreMatrix, names: tuple[str, str], threshold: float | None) -> PairedSample:
    needed = names if threshold is None else names[:1]
    absent = [n for n in needed if n not in matrix.models]
    if absent:
        msg = f"{matrix.task or 'the task'}: no scores of {absent[0]} found."
        raise DataError(msg)
    if threshold is None:
        return from_matrix(matrix, names)
    return one_model(matrix, names[0], threshold)


def judged(
    looks: Sequence[TaskEvidence],
    question: GateQuestion,
    gathered: Sequence[LogEValues] | None = None,
) -> tuple[TaskGate, ...]:
    """Judge every task.

    "worse" is adjusted over tasks by Holm, and "not worse" must hold on all.
    """
    evidence = gathered if gathered is not None else [None] * len(looks)
    claims = [evidence_of(x, question, e) for x, e in zip(looks, evidence, strict=True)]
    seems, sure = (
        stats.holm([claim_pair[k].pvalue_worse for claim_pair in claims]).tolist() for k in (0, 1)
    )
    return tuple(
        finished(x, question, claim_pair, p)
        for x, claim_pair, p in zip(looks, claims, zip(seems, sure, strict=True), strict=True)
    )


def _check_tasks(samples: Sequence[PairedSample], question: GateQuestion) -> None:
    tasks = [s.task for s in samples]
    for name in question.guardrails:
        if name not in tasks:
            msg = f"Guardrail {name!r} matches no shared task. Available: {list_tasks(tasks)}."
            raise DataError(msg)
    if not samples:
        msg = (
            "The two models share no task, so nothing can be compared. Check that both ran the "
            "same tasks."
        )
        raise DataError(msg)


def check_scales(task_scores: TaskScores, *, points: bool = False) -> None:
    """Raise DataError if the two models' scores are on different scales.

    This suggests a corrupt log. Scores corrected by a judge's labels are skipped, because they
    need not lie on the original scale. With ``points`` the margin is in percentage points.
    """
    items = (
        [names for _, names in task_scores.items]
        if task_scores.items
        else [None] * len(task_scores.samples)
    )
    for sample, item_names in zip(task_scores.samples, items, strict=True):
        if sample.correction is not None:
            continue
        where = f"{sample.task}: " if sample.task else ""
        refuse_misfit(
            (sample.a, sample.b), task_scores.names, item_names, points=points, where=where
        )


def _gather(
    looks: Sequence[TaskEvidence], task_scores: TaskScores, history: History
) -> tuple[History, PooledEvidence]:
    """Return the history with this evaluation, and its pooled evidence."""
    if history.fresh and task_scores.items is None:
        msg = "A history of fresh items needs item names. Pass a ScoreMatrix instead of arrays."
        raise ParameterError(msg)
    if history.fresh and not all(x.common.bets for x in looks):
        msg = (
            f"{arg('fresh_items')} needs 0/1 scores, or scores in [0, 1] of independent items. "
            "Remove it for other scores, strata, or clusters."
        )
        raise DataError(msg)
    night = RecordedEvaluation(
        log_e=tuple(night_log_e(x) for x in looks),
        scores=fingerprint(task_scores.samples),
        items=item_digests(task_scores.items or ()) if history.fresh else None,
    )
    after, repeated = history.with_night(night)
    return after, PooledEvidence(
        n_evaluations=len(after.nights),
        is_repeated=repeated,
        has_fresh_items=after.fresh,
        log_e_values=tuple(after.gathered()),
    )


def _ruled(
    samples: list[PairedSample], question: GateQuestion
) -> tuple[list[PairedSample], Sequence[RuleFlips | None]]:
    """Return samples scored by the rule for every task, if there is one, and the flipped tasks."""
    rule = question.at_least
    if rule is None:
        return samples, [None] * len(samples)
    outcomes = [by_rule(sample, rule, question) for sample in samples]
    return [sample for sample, _ in outcomes], [flips for _, flips in outcomes]


def judge_scores(
    task_scores: TaskScores,
    question: GateQuestion,
    history: History | None = None,
    findings: Sequence[Finding] = (),
) -> Gate:
    """Judge every task. Raise DataError for unusable data."""
    samples, names = task_scores.samples, task_scores.names
    _check_tasks(samples, question)
    if question.threshold is None:
        check_scales(task_scores)
    conf = 1 - 2 * question.criteria.alpha
    has_changes = question.at_least is None and question.threshold is None
    changes = [item_changes(sample, conf) if has_changes else None for sample in samples]
    samples, flips = _ruled(samples, question)
    looks = [
        look(s, question, unscored)
        for s, unscored in zip(samples, task_scores.unscored, strict=True)
    ]
    after = gathered = None
    if history is not None:
        task_metrics = [(s.task, s.metric, s.lower_is_better) for s in samples]
        current_history = history.asked(names, task_metrics, question)
        after, gathered = _gather(looks, task_scores, current_history)
    tasks = judged(looks, question, None if gathered is None else gathered.log_e_values)
    tasks = tuple(
        replace(check, task_rule=rule, item_changes=change)
        for check, rule, change in zip(tasks, flips, changes, strict=True)
    )
    return Gate(
        candidate=names[0],
        baseline=names[1],
        verdict=judge_tasks(c.verdict for c in tasks),
        goal="superiority" if question.superiority else "non-inferiority",
        margin=question.margin,
        threshold=question.threshold,
        criteria=question.criteria,
        monitoring=question.monitoring,
        max_missing_share=question.missing,
        tasks=tasks,
        invalid_reason=None,
        pooled_evidence=gathered,
        findings=tuple(findings),
        history=after,
    )


def invalid(
    reason: str,
    *,
    question: GateQuestion,
    names: tuple[str, str] = _UNNAMED,
    findings: Sequence[Finding] = (),
) -> Gate:
    """Return the verdict INVALID DATA."""
    return Gate(
        candidate=names[0],
        baseline=names[1],
        verdict="invalid_data",
        goal="superiority" if question.superiority else "non-inferiority",
        margin=question.margin,
        threshold=question.threshold,
        criteria=question.criteria,
        monitoring=question.monitoring,
        max_missing_share=question.missing,
        tasks=(),
        invalid_reason=reason,
        pooled_evidence=None,
        findings=tuple(findings),
    )


def judge(
    matrices: Sequence[ScoreMatrix],
    question: GateQuestion,
    *,
    names: tuple[str, str],
    history: History | None = None,
    findings: Sequence[Finding] = (),
    allowed: Sequence[str] = (),
) -> Gate:
    """Judge matrices of logs; a task that only one model has cannot pass.

    Raise DataError if the data cannot be judged. :func:`invalid` converts the error to a verdict.
    """
    refuse_fatal(findings)
    if question.monitoring == "fixed":
        refuse_stopped(findings, allowed)
    if "task-left-out" not in allowed:
        for f in findings:
            if f.code == "task-left-out":
                msg = (
                    f"{f.text}. Set {arg('tasks')} to choose the tasks, or set "
                    f"{arg('allow', 'task-left-out')} to continue."
                )
                raise DataError(msg)
    scores = of_matrices(matrices, names, question.threshold)
    return judge_scores(scores, question, history, findings)
