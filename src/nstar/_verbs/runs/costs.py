"""Costs of repeated runs: per run, per success, and per point of precision.

The task is the unit. Costs and successes are of runs with a score. The cost of runs without a
score is separate.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, FloatLike, Interval
from nstar._verbs.runs.model import gap_noise, run_noise
from nstar._verbs.runs.result import (
    CostSummary,
    Measure,
    ModelCosts,
    ModelRuns,
    MoreRuns,
    MoreTasks,
    PrecisionCost,
    RunGap,
)
from nstar._verbs.runs.table import RunTable
from nstar.stats.ratios import log_jackknife_interval, ratio_change_interval

_POINTS = (0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
"""Sizes of a step of precision, as shares of the scale."""
_MIN_TASKS_FOR_JACKKNIFE = 3
"""Smallest number of tasks for the jackknife of a variance."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _TaskCosts:
    """Costs of one model by task: NaN where a task has no run with a score and a cost."""

    cost: Array
    """Mean cost of a run."""
    score: Array
    """Mean score of the same runs."""
    runs: int
    total: float
    unscored: float

    @property
    def there(self) -> BoolArray:
        return ~np.isnan(self.cost)


def _row_means(values: Array, present: BoolArray) -> Array:
    count = present.sum(axis=1)
    sums = np.where(present, values, 0.0).sum(axis=1)
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


def _task_costs(table: RunTable) -> _TaskCosts | None:
    """Return the costs; None if the logs have no usable ones."""
    cost = table.cost
    if cost is None or _negative(table) or not np.nansum(cost) > 0:
        return None
    known, scored = np.isfinite(cost), ~np.isnan(table.scores)
    in_both = known & scored
    if not in_both.any() or not cost[in_both].sum() > 0:
        return None
    return _TaskCosts(
        cost=_row_means(cost, in_both),
        score=_row_means(table.scores, in_both),
        runs=int(in_both.sum()),
        total=float(cost[in_both].sum()),
        unscored=float(cost[known & ~scored].sum()),
    )


def _negative(table: RunTable) -> bool:
    return table.cost is not None and bool((table.cost < 0).any())


def _ratio(top: Array, bottom: Array, conf: float) -> tuple[float, Interval | None]:
    value = float(top.mean() / bottom.mean())
    return value, stats.ratio_interval(top, bottom, conf=conf) if top.size > 1 else None


def _spent(table: RunTable, task_costs: _TaskCosts, *, binary: bool, conf: float) -> ModelCosts:
    cost, score = task_costs.cost[task_costs.there], task_costs.score[task_costs.there]
    per_run, per_run_ci = _ratio(cost, np.ones_like(cost), conf)
    per_success, per_success_ci = None, None
    if binary and score.sum() > 0:
        per_success, per_success_ci = _ratio(cost, score, conf)
    in_both = np.isfinite(table.cost) & ~np.isnan(table.scores) if table.cost is not None else None
    return ModelCosts(
        model=table.model,
        n_runs=task_costs.runs,
        n_runs_scored=int((~np.isnan(table.scores)).sum()),
        n_tasks=int(task_costs.there.sum()),
        cost=task_costs.total,
        cost_unscored=task_costs.unscored,
        cost_per_run=per_run,
        cost_per_run_ci=per_run_ci,
        cost_per_success=per_success,
        cost_per_success_ci=per_success_ci,
        n_passed=round(float(table.scores[in_both].sum()))
        if binary and in_both is not None
        else None,
    )


def _times(a: _TaskCosts, b: _TaskCosts, conf: float) -> tuple[float | None, Interval | None]:
    """Return the cost per success of the first over the second, on tasks with costs of both."""
    in_both = a.there & b.there
    parts = [x[in_both] for x in (a.cost, a.score, b.cost, b.score)]
    if not in_both.any() or not all(p.sum() > 0 for p in parts):
        return None, None
    value = float(parts[0].mean() / parts[1].mean() / (parts[2].mean() / parts[3].mean()))
    many = int(in_both.sum()) > 1
    return value, ratio_change_interval(*parts, conf=conf) if many else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _CostError:
    """Components of the error of a mean or of a gap over tasks."""

    k: int
    """Number of tasks."""
    runs: float
    """Runs per task, of the first model."""
    scale: float
    """Factor from the standard error to the measure: 1, or that of an MDE."""
    means: Array
    """Observed mean of each task, or difference of means."""
    floor2: float
    """Lower limit of their variance."""
    within2: float | None
    """Variance that runs add; None if not identified."""
    shared2: float
    """Squared error from what a run shares over all tasks."""
    cost: Array
    """Cost of all runs of each task, of both models; NaN where unknown."""

    @property
    def spread2(self) -> float:
        """Return the variance of the observed values over tasks."""
        return max(float(self.means.var(ddof=1)), self.floor2)

    def size(self, spread2: FloatLike) -> Array:
        """Return the measure at this variance over tasks."""
        return np.asarray(self.scale * np.sqrt(np.asarray(spread2) / self.k + self.shared2))

    def tasks(self, spread2: FloatLike, step: float) -> Array:
        """Return the total tasks for a measure smaller by ``step``; infinite if none suffice."""
        variance_left = np.square((self.size(spread2) - step) / self.scale) - self.shared2
        return np.where(
            variance_left > 0, spread2 / np.where(variance_left > 0, variance_left, 1.0), np.inf
        )

    def times_runs(self, step: float) -> float:
        """Return the factor on runs for the same step; infinite if none suffices."""
        if self.within2 is None:
            return math.inf
        between = max(self.spread2 - self.within2, 0.0) / self.k
        variance_left = float(np.square((self.size(self.spread2) - step) / self.scale)) - between
        moved = self.spread2 / self.k - between + self.shared2
        return moved / variance_left if variance_left > 0 and moved > 0 else math.inf


def _left_out_variance(values: Array) -> Array:
    """Return variances (ddof 1) with each unit left out in turn."""
    k = values.size
    off = np.square(values - values.mean())
    out: Array = (off.sum() - k / (k - 1) * off) / (k - 2)
    return out


def _more_tasks(error: _CostError, step: float, conf: float) -> MoreTasks | None:
    tasks, known = float(error.tasks(error.spread2, step)), ~np.isnan(error.cost)
    if not math.isfinite(tasks):
        return None
    price = float(error.cost[known].mean())
    cost, ci = price * (tasks - error.k), None
    if error.k >= _MIN_TASKS_FOR_JACKKNIFE and not error.shared2:
        spread2 = np.maximum(_left_out_variance(error.means), error.floor2)
        values = np.where(known, error.cost, price)
        prices: Array = (values.sum() - values) / (values.size - 1)
        if float(error.size(spread2).min()) > step:
            others = prices * (error.tasks(spread2, step) - error.k)
            ci = log_jackknife_interval(cost, others, conf=conf)
    return MoreTasks(n_tasks=tasks, cost=cost, cost_ci=ci)


def _more_runs(error: _CostError, step: float) -> MoreRuns | None:
    times = error.times_runs(step)
    if not math.isfinite(times):
        return None
    price = float(error.cost[~np.isnan(error.cost)].mean())
    return MoreRuns(n_runs=times * error.runs, run_ratio=times, cost=price * error.k * (times - 1))


def _certainty(
    error: _CostError, measure: Measure, limits: tuple[float, float], conf: float
) -> PrecisionCost | None:
    size = float(error.size(error.spread2))
    width = limits[1] - limits[0]
    step = next((p * width for p in _POINTS if p * width <= size / 2), None)
    if step is None:
        return None
    return PrecisionCost(
        measure=measure,
        current=size,
        reduction=step,
        more_tasks=_more_tasks(error, step, conf),
        more_runs=_more_runs(error, step),
    )


def _per_task(table: RunTable, task_costs: _TaskCosts, present: BoolArray) -> Array:
    """Return the cost of each task's runs, at the mean number of runs."""
    runs = float((~np.isnan(table.scores[present])).sum(axis=1).mean())
    out: Array = task_costs.cost[present] * runs
    return out


def _of_mean(
    table: RunTable, task_costs: _TaskCosts, model: ModelRuns, conf: float
) -> PrecisionCost | None:
    """Return the cost of precision of one model's mean."""
    present = table.answered
    if model.se is None or not task_costs.there[present].any():
        return None
    noise = run_noise(table.scores[present], blocks=table.blocks)
    error = _CostError(
        k=len(model.tasks),
        runs=noise.n,
        scale=1.0,
        means=np.array([t.mean for t in model.tasks]),
        floor2=0.0,
        within2=None if noise.within2 is None else noise.noise2,
        shared2=0.0,  # as the standard error that is shown
        cost=_per_task(table, task_costs, present),
    )
    return _certainty(error, "standard error", model.score_range, conf)


def _of_gap(
    tables: Sequence[RunTable], task_costs: Sequence[_TaskCosts], gap: RunGap, conf: float
) -> PrecisionCost | None:
    """Return the cost of precision of the detectable gap of two models."""
    a, b = tables
    in_both = a.answered & b.answered
    cost = np.sum(
        [_per_task(t, f, in_both) for t, f in zip(tables, task_costs, strict=True)], axis=0
    )
    if gap.mde is None or int(in_both.sum()) < 2 or np.isnan(cost).all():
        return None
    first, second = a.scores[in_both], b.scores[in_both]
    noise = gap_noise(first, second, blocks=a.blocks and b.blocks)
    runs2 = noise.a.noise2 + noise.b.noise2
    shared2 = noise.a.run2 / noise.a.n + noise.b.run2 / noise.b.n if noise.split else 0.0
    error = _CostError(
        k=int(in_both.sum()),
        runs=noise.a.n,
        scale=1.0,
        means=np.nanmean(first, axis=1) - np.nanmean(second, axis=1),
        floor2=runs2 if noise.split else 0.0,
        within2=runs2 if noise.split else None,
        shared2=shared2,
        cost=cost,
    )
    size = float(error.size(error.spread2))
    if not size > 0 or not gap.mde > 0:
        return None
    return _certainty(
        replace(error, scale=gap.mde / size), "MDE", gap.comparison.score_range, conf
    )


def costs_of(
    tables: Sequence[RunTable], models: Sequence[ModelRuns], gap: RunGap | None, conf: float
) -> CostSummary | None:
    """Return the costs of one model's runs, or two models'; None if no log has costs."""
    task_costs = [_task_costs(table) for table in tables]
    negative = tuple(t.model for t in tables if _negative(t))
    if not negative and all(f is None for f in task_costs):
        return None
    spent = tuple(
        _spent(t, f, binary=m.is_binary, conf=conf)
        for t, f, m in zip(tables, task_costs, models, strict=True)
        if f is not None
    )
    known = [f for f in task_costs if f is not None]
    times: tuple[float | None, Interval | None] = (None, None)
    certainty = None
    if len(known) == len(tables):
        if gap is not None:
            certainty = _of_gap(tables, known, gap, conf)
            if all(m.is_binary for m in models):
                times = _times(known[0], known[1], conf)
        else:
            certainty = _of_mean(tables[0], known[0], models[0], conf)
    return CostSummary(
        model_costs=spent,
        models_with_negative_costs=negative,
        cost_ratio=times[0],
        cost_ratio_ci=times[1],
        precision_cost=certainty,
    )
