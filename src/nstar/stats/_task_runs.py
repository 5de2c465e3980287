"""Reduce a table of tasks x runs to the mean and the variance of each task."""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike

_ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaskRuns:
    """Runs of one model, by task."""

    means: Array
    """Mean score of each task."""
    repeated: Array
    """Variance of the runs (ddof 1) of each task with two or more runs. Their mean estimates the
    run-to-run variance.
    """
    within: Array | None
    """Influence of each task on that mean, for errors that combine it with the task means. None if
    no task has two runs. A task with a single run has the mean itself. If some tasks ran once, the
    values of the others are stretched beyond the range of a variance, so limits of the mean need
    ``repeated``.
    """
    n: float
    """Runs per task (harmonic mean over tasks)."""
    ends: tuple[float, float]
    """Smallest and largest possible score: 0 and 1 if all scores are in this range, else the
    observed range.
    """
    fewest: int
    """Smallest number of runs among the tasks with two or more."""

    @property
    def bounded(self) -> bool:
        """Return whether the ends are known to hold for unobserved scores."""
        return self.ends == (0.0, 1.0)

    @property
    def largest_variance(self) -> float:
        """Return the largest possible variance (ddof 1) of one task's runs."""
        span, half = self.ends[1] - self.ends[0], self.fewest // 2
        return span**2 * half * (self.fewest - half) / (self.fewest * max(self.fewest - 1, 1))


def run_table(name: str, values: FloatLike) -> Array:
    """Return a checked table, tasks x runs, with NaN for missing runs."""
    table = np.asarray(values, dtype=np.float64)
    checks.require(table.ndim == 2, f"number of axes of {name}", "2, tasks x runs", table.ndim)
    checks.require(~np.isinf(table), name, "finite, or NaN for a missing run", table)
    checks.require(table.shape[0] >= 2, f"tasks in {name}", "at least 2", table.shape[0])
    observed = (~np.isnan(table)).sum(axis=1)
    checks.require(observed >= 1, f"runs of each task in {name}", "at least 1", observed)
    return table


def above_least(table: Array) -> Array:
    """Return scores minus the lowest score of their task, so that equal runs become 0.

    Missing scores are NaN. Differences that are rounding error at the scale of the table become 0,
    too.
    """
    steps = table - np.nanmin(table, axis=1, keepdims=True)
    return np.asarray(np.where(steps <= _ROUNDING * np.nanmax(np.abs(table)), 0.0, steps))


def _ends(table: Array) -> tuple[float, float]:
    low, high = float(np.nanmin(table)), float(np.nanmax(table))
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def _influence(parts: Array, repeated: Array) -> Array:
    """Return the influence of each task on the mean over the tasks with repeated runs."""
    mean = parts[repeated].mean()
    stretch = repeated.size / repeated.sum()
    return np.asarray(mean + np.where(repeated, (parts - mean) * stretch, 0.0))


def task_runs(table: Array) -> TaskRuns:
    """Return the means and variances of the tasks in a checked table."""
    observed = ~np.isnan(table)
    n = observed.sum(axis=1)
    steps = above_least(table)
    above = np.where(observed, steps, 0.0).sum(axis=1) / n
    means = np.nanmin(table, axis=1) + above
    squares = np.square(np.where(observed, steps - above[:, None], 0.0)).sum(axis=1)
    repeated = n >= 2
    variances = squares / np.maximum(n - 1, 1)
    return TaskRuns(
        means=means,
        repeated=variances[repeated],
        within=_influence(variances, repeated) if repeated.any() else None,
        n=float(n[0]) if np.ptp(n) == 0 else float(n.size / (1 / n).sum()),
        ends=_ends(table),
        fewest=int(n.min(where=repeated, initial=n.max())),
    )


def task_runs_pair(a: FloatLike, b: FloatLike) -> tuple[TaskRuns, TaskRuns]:
    """Return the task runs of both models on the same tasks."""
    table_a, table_b = run_table("a", a), run_table("b", b)
    k = table_a.shape[0]
    checks.require(table_b.shape[0] == k, "tasks in b", f"those of a, {k}", table_b.shape[0])
    return task_runs(table_a), task_runs(table_b)
