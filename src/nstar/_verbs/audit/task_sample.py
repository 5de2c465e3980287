"""Audit tasks as a sample: one score for each model and task, ranked by mean or by win rate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nstar import stats
from nstar._base.parameter_types import RankMeasure
from nstar._base.types import Array
from nstar._data.findings import Finding, abbreviate, find
from nstar._data.matrix import Correction, ScoreMatrix
from nstar._engine.work import Execution
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.ranking import places
from nstar._verbs.audit.result import Audit
from nstar._verbs.audit.tables import ItemNoise, TaskRanks, TaskSample
from nstar._verbs.audit.tasks import audit_board
from nstar.errors import DataError, ParameterError, arg
from nstar.stats.flips import MOST_EXACT, fewest_tasks

MOST_REFUSED = 5
"""Largest number of tasks for which no family of pairs is tested."""
_STATISTICS = {"win-rate": "mean win rate", "borda": "Borda count"}
_EVEN = 0.5
"""Share of the tasks that must decide the means, to give no warning, if tasks are alike."""
_LARGEST_RATIO = 10_000
"""Ratio of standard deviations from which only this bound is reported."""
_MOST_PAIRS = 100
"""Number of adjacent pairs whose item noise is measured."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaskScores:
    """One score for each model and task."""

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    scores: Array
    """Scores, NaN if missing, (M, T)."""
    lower: tuple[bool, ...]
    """Whether lower scores are better, for each task."""
    metric: str = "score"
    """Name of the metric, if all tasks have the same."""
    items: tuple[ScoreMatrix, ...] | None = None
    """Scores of the items inside each task, if they are known."""

    def some(self, columns: Sequence[int]) -> "TaskScores":
        """Return some of the tasks."""
        return replace(
            self,
            tasks=tuple(self.tasks[k] for k in columns),
            scores=self.scores[:, list(columns)],
            lower=tuple(self.lower[k] for k in columns),
            items=None if self.items is None else tuple(self.items[k] for k in columns),
        )

    @property
    def complete(self) -> "TaskScores":
        """Return the tasks for which every model has a score."""
        return self.some(np.flatnonzero(~np.isnan(self.scores).any(axis=0)).tolist())

    def win_rates(self) -> Array:
        """Return the share of other models that each model beats on each task, (M, T)."""
        upward = np.where(self.lower, -self.scores, self.scores)
        return stats.win_rates(upward.T).T


def audit_tasks(
    scores: TaskScores,
    question: AuditQuestion,
    execution: Execution,
    findings: Sequence[Finding] = (),
) -> Audit:
    """Rank the models by a measure over tasks, which are a sample of tasks such as these."""
    _check(scores, question, execution)
    complete = scores.complete
    if question.rank_by != "mean" or question.items == "common":
        scores, n_left_out = complete, len(scores.tasks) - len(complete.tasks)
        if len(scores.tasks) < 2:
            msg = (
                "Win rates need at least 2 tasks with scores of all models; found "
                f"{len(scores.tasks)}. Exclude models that lack tasks with {arg('exclude')}."
            )
            raise DataError(msg)
    else:
        n_left_out = 0
    measured = _matrix(scores, question.rank_by)
    n_tasks = len(scores.tasks)
    needed = min_tasks(question.criteria.alpha)
    refused = len(scores.models) > 2 and n_tasks < needed
    if refused:
        question = replace(question, adjust="none")
    result = audit_board([measured], question, execution)
    ranks = _ranks(scores, complete, result)
    sample = TaskSample(
        rank_by=question.rank_by,
        tasks=scores.tasks,
        n_missing=int(np.isnan(scores.scores).sum()),
        n_tasks_left_out=n_left_out,
        all_flips=result.rank_method == "maxt" and n_tasks <= MOST_EXACT,
        n_tasks_effective=_effective(complete) if complete.tasks else None,
        ranks=ranks,
        items=None if question.rank_by != "mean" else _item_noise(scores, result),
    )
    changed: dict[str, Any] = {"task_sample": sample, "survey": None}
    if refused:
        smallest = 2.0 ** (1 - n_tasks)
        changed |= {
            "adjust_reason": (
                f"with {n_tasks} tasks, sign flips cannot give a p-value below {smallest:.4g}; "
                f"at least {needed} tasks are needed"
            ),
            "rank_method": "none",
            "ranking": _unranked(result),
        }
    task = replace(result.tasks[0], **changed)
    return Audit.of_task(task, (*findings, *_findings(scores, sample)))


def min_tasks(alpha: float) -> int:
    """Return the minimum number of tasks for which a family of pairs is tested."""
    return max(fewest_tasks(alpha), MOST_REFUSED + 1)


def deciding_tasks(sample: TaskSample) -> str | None:
    """Return a clause on how many tasks decide the means; None if enough do."""
    k, n, n_models = sample.n_tasks_effective, len(sample.tasks), len(sample.ranks)
    # with M models, equal tasks have (Σv)² / Σv² near T / (1 + 2 / (M - 1)), not T
    expected = n / (1 + 2 / max(n_models - 1, 1))
    if sample.rank_by != "mean" or k is None or k >= _EVEN * expected:
        return None
    number = round(k)
    start = "one" if number == 1 else f"about {number:,}"
    return f"{start} of {n:,} tasks decide{'s' if number == 1 else ''} the means"


def _times(ratio: float) -> str:
    """Return a ratio with two digits."""
    if ratio >= _LARGEST_RATIO:
        return f"over {_LARGEST_RATIO:,} times"
    return f"{float(f'{ratio:.2g}'):,.0f} times" if ratio >= 10 else f"{ratio:.2g} times"


def _check(scores: TaskScores, question: AuditQuestion, execution: Execution) -> None:
    if execution.out is not None or execution.work is not None:
        name = arg("work") if execution.out is None else arg("out")
        msg = f"{name} is for audits of items. Remove it, or {arg('unit', 'task')}."
        raise ParameterError(msg)
    if len(scores.tasks) < 2:
        msg = f"Tasks as the unit need at least 2 tasks; found {len(scores.tasks)}."
        raise DataError(msg)
    if question.rank_by == "mean" and len(set(scores.lower)) > 1:
        worse = [t for t, low in zip(scores.tasks, scores.lower, strict=True) if low]
        msg = (
            f"These tasks have no mean: lower is better only in {abbreviate(worse, 3)}. Set "
            f"{arg('rank_by', 'win-rate')}, or choose tasks with {arg('tasks')}."
        )
        raise DataError(msg)


def _matrix(scores: TaskScores, rank_by: RankMeasure) -> ScoreMatrix:
    """Return the measure on each task as graded scores of items."""
    # not from_means, which would treat scores of 0 and 1 as bits
    means = ScoreMatrix(
        models=scores.models,
        items=scores.tasks,
        means=scores.scores,
        metric=scores.metric,
        lower_is_better=scores.lower[0],
    )
    if rank_by == "mean":
        return means
    high = 1.0 if rank_by == "win-rate" else float(len(scores.models) - 1)
    correction = Correction(
        known=np.ones(len(scores.tasks), dtype=np.bool_),
        limits=(0.0, high),
        statistic=_STATISTICS[rank_by],
    )
    rates = high * scores.win_rates()
    return replace(
        means, means=rates, metric="score", lower_is_better=False, correction=correction
    )


def _unranked(result: Audit) -> Any:
    """Return the ranking with every rank possible."""
    m = len(result)
    first, last = np.ones(m, dtype=np.int64), np.full(m, m, dtype=np.int64)
    return replace(
        result.ranking,
        rank_low=first,
        rank_high=last,
        marginal_rank_low=first,
        marginal_rank_high=last,
        tier=first,
    )


def _ranks(scores: TaskScores, complete: TaskScores, result: Audit) -> TaskRanks:
    """Return both measures of the models, in the order of the ranking."""
    order = [scores.models.index(name) for name in result.ranking.model]
    better = -1 if all(scores.lower) else 1
    x = scores.scores[order]
    mean = np.nanmean(x, axis=1)
    has_mean = len(set(scores.lower)) == 1
    rate = np.full(len(order), np.nan)
    if complete.tasks:
        rate = complete.win_rates()[order].mean(axis=1)
    pull = better * (x - np.nanmean(x, axis=0)) / len(scores.tasks)
    widest = np.nanargmax(np.abs(pull), axis=1)
    return TaskRanks(
        model=result.ranking.model,
        mean=mean if has_mean else np.full(len(order), np.nan),
        rank_by_mean=places(mean, better) if has_mean else np.zeros(len(order), dtype=np.int64),
        win_rate=rate,
        mean_rank=len(order) - (len(order) - 1) * rate,
        rank_by_win_rate=places(np.round(rate, 12), 1),
        main_task=tuple(scores.tasks[k] for k in widest.tolist()),
        main_task_share=pull[np.arange(len(order)), widest],
    )


def _effective(scores: TaskScores) -> float:
    """Return the number of equal tasks whose means would vary as much between models.

    (Σv)² / Σv², where v is the variance of the models' scores on a task.
    """
    v = scores.scores.var(axis=0)
    return float(v.sum() ** 2 / np.square(v).sum()) if v.any() else float(v.size)


def _item_noise(scores: TaskScores, result: Audit) -> ItemNoise | None:
    """Return the parts of the error of adjacent gaps: between tasks, and of items."""
    if scores.items is None:
        return None
    pairs = result.adjacent
    names = list(zip(pairs.model_a, pairs.model_b, strict=True))[:_MOST_PAIRS]
    between, noise, one_item = [], [], []
    for a, b in names:
        d, v, s2 = (np.full(len(scores.tasks), np.nan) for _ in range(3))
        for k, matrix in enumerate(scores.items):
            if a not in matrix.models or b not in matrix.models:
                continue
            gap = matrix.row(a) - matrix.row(b)
            gap = gap[~np.isnan(gap)]
            if gap.size > 1:
                d[k], s2[k] = gap.mean(), gap.var(ddof=1)
                v[k] = s2[k] / gap.size
        if np.count_nonzero(~np.isnan(d)) > 1:
            between.append(float(np.nanvar(d, ddof=1) - np.nanmean(v)))
            noise.append(float(np.nansum(v)) / np.count_nonzero(~np.isnan(v)) ** 2)
            one_item.append(float(np.nanmean(s2)))
    if not between:
        return None
    # the mean over pairs, because the difference of variances is often negative for one pair
    tau2 = max(float(np.mean(between)), 0.0)
    return ItemNoise(
        n_items=float(np.median([len(m.items) for m in scores.items])),
        se_tasks=float(np.median(pairs.se[: len(names)])),
        se_items=float(np.sqrt(np.median(noise))),
        task_sd=float(np.sqrt(tau2)),
        n_items_enough=float(np.mean(one_item)) / tau2 if tau2 > 0 else float("inf"),
    )


def _findings(scores: TaskScores, sample: TaskSample) -> list[Finding]:
    out = []
    if sample.n_missing:
        lacking = np.isnan(scores.scores).any(axis=1)
        worst = int(np.isnan(scores.scores).sum(axis=1).argmax())
        text = (
            f"{int(lacking.sum()):,} of {len(scores.models):,} models lack scores on some tasks; "
            f"{scores.models[worst]} lacks "
            f"{int(np.isnan(scores.scores[worst]).sum()):,} of {len(scores.tasks):,}. Gaps use "
            f"the tasks that both models have. {arg('items', 'common')} uses only tasks that all "
            "models have"
        )
        out.append(find("missing-items", text))
    if sample.n_tasks_left_out:
        text = f"{sample.n_tasks_left_out:,} tasks are excluded because some models lack them"
        out.append(find("missing-items", text))
    decides = deciding_tasks(sample)
    if decides is not None:
        sd = scores.complete.scores.std(axis=0)
        widest, typical = int(sd.argmax()), float(np.median(sd))
        text = (
            f"task scales differ: scores vary {_times(sd[widest] / max(typical, 1e-300))} as "
            f"much on {scores.complete.tasks[widest]} as on a typical task, so {decides}. "
            f"{arg('rank_by', 'win-rate')} gives all tasks the same weight"
        )
        out.append(find("task-scales", text))
    return out
