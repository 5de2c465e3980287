"""One model's runs: statistics per task and over tasks, and variance components."""

import math
from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray, Interval
from nstar._data.measures import is_measure, range_of_measure
from nstar._verbs.compare import RunRange
from nstar._verbs.runs.result import ModelRuns, TaskRow
from nstar._verbs.runs.table import RunTable
from nstar.errors import DataError
from nstar.stats.repeated_runs import next_flip

_SHARED_EFFECT_ALPHA = 0.01
"""Level at which an effect that a run shares over all tasks counts as detected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNoise:
    """Variances of one model's scores, in squared score units."""

    task2_raw: float
    """Variance over tasks of the true score, unbiased, so possibly negative; without repeated
    runs that of the one run."""
    within2: float | None
    """Run-to-run variance within a task, without what a run shares; None without repeated
    runs."""
    run2: float
    """Variance of the effect that a run shares over all tasks; 0 unless it is detected."""
    n: float
    """Runs per task, harmonic mean."""

    @property
    def task2(self) -> float:
        """Return the variance over tasks, floored at 0."""
        return max(self.task2_raw, 0.0)

    @property
    def noise2(self) -> float:
        """Return the variance that runs add to observed task means; 0 if it is not identified."""
        return (self.within2 or 0.0) / self.n


def run_noise(table: Array, *, blocks: bool) -> RunNoise:
    """Return the variance components of one model.

    ``table`` is (tasks, runs), with NaN for missing scores and at least one score of every task.
    ``blocks`` says whether a column is one run over all tasks.

    >>> noise = run_noise(np.array([[1.0, 0, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0]]), blocks=False)
    >>> round(noise.task2, 4), round(noise.within2, 4), noise.run2
    (0.1296, 0.1667, 0.0)
    """
    components = stats.run_components(table[:, ~np.isnan(table).all(axis=0)], blocks=blocks)
    has_run_effect = components.run_p is not None and components.run_p <= _SHARED_EFFECT_ALPHA
    shared = (components.sigma_run2 or 0.0) if has_run_effect else 0.0
    within = None if components.sigma_w2 is None else max(components.sigma_w2 - shared, 0.0)
    task = float(np.nanmean(table, axis=1).var(ddof=1)) - (within or 0.0) / components.n
    return RunNoise(
        task2_raw=components.sigma_task2 or task, within2=within, run2=shared, n=components.n
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GapNoise:
    """Variances of the difference of two models on one task, in squared score units."""

    between2_raw: float
    """Variance over tasks of the true difference, unbiased, so possibly negative; run-to-run
    noise of a model without repeated runs is in it."""
    a: RunNoise
    """First model."""
    b: RunNoise
    """Second model."""

    @property
    def split(self) -> bool:
        """Return whether between and within variances are identified."""
        return self.a.within2 is not None and self.b.within2 is not None

    @property
    def between2(self) -> float:
        """Return the variance of the true difference, floored at 0."""
        return max(self.between2_raw, 0.0)

    def error2(self, tasks: float, runs_a: float, runs_b: float) -> float:
        """Return the squared standard error of the gap for these numbers of tasks and runs."""
        a, b = self.a, self.b
        within = (a.within2 or 0.0) / runs_a + (b.within2 or 0.0) / runs_b
        return (self.between2 + within) / tasks + a.run2 / runs_a + b.run2 / runs_b


def gap_noise(a: Array, b: Array, *, blocks: bool) -> GapNoise:
    """Return the variance components of the difference, on the same tasks in the same order."""
    first, second = run_noise(a, blocks=blocks), run_noise(b, blocks=blocks)
    observed = float((np.nanmean(a, axis=1) - np.nanmean(b, axis=1)).var(ddof=1))
    raw = observed - first.noise2 - second.noise2
    return GapNoise(between2_raw=raw, a=first, b=second)


def limits_of(scores: Array, metric: str = "score") -> tuple[float, float]:
    """Return the worst and best possible score: 0 and 1, or the observed extremes."""
    low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
    if is_measure(metric):
        return range_of_measure(low, high)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if low < high else (min(low, 0.0), max(high, 0.0))


def _tasks(
    items: list[str], scores: Array, runs: IntArray, *, binary: bool, conf: float
) -> tuple[TaskRow, ...]:
    total = np.nansum(scores, axis=1)
    means = np.nansum(scores, axis=1) / runs
    squares = np.nansum(np.square(scores - means[:, None]), axis=1)
    variance = np.where(runs >= 2, squares / np.maximum(runs - 1, 1), np.nan)
    passed = total.round().astype(np.int64)
    if binary:
        low, high = stats.clopper_pearson_interval(passed, runs, conf=conf)
        ends = np.stack([low, high], axis=1).tolist()
        following = np.asarray(next_flip(runs, passed)).tolist()
    return tuple(
        TaskRow(
            task=item,
            n_runs=int(runs[i]),
            mean=float(total[i] / runs[i]),
            variance=None if runs[i] < 2 else float(variance[i]),
            n_passed=int(passed[i]) if binary else None,
            ci=Interval(*ends[i]) if binary else None,
            flip_probability=2 * float(variance[i]) if binary and runs[i] >= 2 else None,
            next_flip_probability=following[i] if binary else None,
        )
        for i, item in enumerate(items)
    )


def _mean_interval(means: Array, conf: float) -> Interval | None:
    """Return Student's interval with tasks as units; None without variance."""
    if means.size < 2 or np.ptp(means) == 0:
        return None
    low, high = stats.t_interval(means.mean(), means.std(ddof=1), means.size, conf=conf)
    return Interval(float(low), float(high))


def _components(table: Array, conf: float, *, blocks: bool) -> stats.RunComponents | None:
    if len(table) < 2:
        return None
    return stats.run_components(table, blocks=blocks, conf=conf)


def _removable(
    components: stats.RunComponents | None, spread: float, shared: float
) -> float | None:
    """Return the share of the squared error that unlimited runs would remove."""
    if components is None or components.sigma_task2 is None or spread == 0:
        return None
    total = spread + components.k * shared / components.n
    return max(1 - components.sigma_task2 / total, 0.0)


def model_runs(table: RunTable, conf: float) -> ModelRuns:
    """Return all statistics of one model. Raise DataError if it has no score."""
    present = table.answered
    if not present.any():
        msg = f"{table.model} has no scores."
        raise DataError(msg)
    scores = table.scores[present]
    scores = scores[:, ~np.isnan(scores).all(axis=0)]
    items = [item for item, yes in zip(table.items, present.tolist(), strict=True) if yes]
    runs = (~np.isnan(scores)).sum(axis=1)
    known_scores = scores[~np.isnan(scores)]
    binary = bool(((known_scores == 0) | (known_scores == 1)).all()) and not table.lower_is_better
    tasks = _tasks(items, scores, runs, binary=binary, conf=conf)
    means = np.array([t.mean for t in tasks])
    components = _components(scores, conf, blocks=table.blocks)
    spread = float(means.var(ddof=1)) if len(means) > 1 else 0.0
    shared = run_noise(scores, blocks=table.blocks).run2 if len(means) > 1 else 0.0
    passed = np.array([t.n_passed for t in tasks]) if binary else None
    flips = [t.flip_probability for t in tasks if t.flip_probability is not None]
    has_many_runs = len(means) > 1
    at = hat = None
    if passed is not None and has_many_runs:
        at = stats.pass_curve(runs, passed, kind="at", conf=conf)
        hat = stats.pass_curve(runs, passed, kind="hat", conf=conf)
    ci = _mean_interval(means, conf)
    if at is not None:
        ci = Interval(float(at.low[0]), float(at.high[0]))
    clean = binary and bool((known_scores == 1).all())
    return ModelRuns(
        model=table.model,
        is_binary=binary,
        score_range=limits_of(known_scores, table.metric),
        n_runs=RunRange(int(runs.min()), int(runs.max())),
        n_scores=int(runs.sum()),
        mean=math.fsum(means.tolist()) / len(means),
        se=math.sqrt(spread / len(means)) if spread > 0 else None,
        ci=ci,
        components=components,
        removable_share=_removable(components, spread, shared),
        shared_variance=shared,
        n_repeated=int((runs >= 2).sum()),
        flip_probability=sum(flips) / len(flips) if flips else None,
        n_mixed=sum(f > 0 for f in flips) if binary else None,
        n_all_passed=None if passed is None else int((passed == runs).sum()),
        n_none_passed=None if passed is None else int((passed == 0).sum()),
        max_failure_rate=float(stats.sweep_bound(len(runs) * int(runs.min()), conf=conf))
        if clean
        else None,
        pass_at=at,
        pass_hat=hat,
        tasks=tasks,
    )
