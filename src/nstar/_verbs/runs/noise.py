"""What runs add to the variance over tasks: the parts that a plan and a report both go by."""

from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base.types import Array

_SEEN = 0.01
"""p-value up to which an effect that a run shares over all tasks counts as seen."""


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
    """Variance of what a run shares over all tasks; 0 unless it is seen."""
    n: float
    """Runs per task, harmonic mean."""

    @property
    def task2(self) -> float:
        """Variance over tasks, taken as 0 if it was estimated below."""
        return max(self.task2_raw, 0.0)

    @property
    def noise2(self) -> float:
        """What runs add to the variance of observed task means; 0 if it cannot be told apart."""
        return (self.within2 or 0.0) / self.n


def run_noise(table: Array, *, blocks: bool) -> RunNoise:
    """Parts of the variance of one model.

    Parameters
    ----------
    table
        Scores, tasks x runs, NaN where there is none; every task has one at least.
    blocks
        Whether a column is one run over all tasks.

    Examples
    --------
    >>> noise = run_noise(np.array([[1.0, 0, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0]]), blocks=False)
    >>> round(noise.task2, 4), round(noise.within2, 4), noise.run2
    (0.1296, 0.1667, 0.0)
    """
    found = stats.run_components(table[:, ~np.isnan(table).all(axis=0)], blocks=blocks)
    seen = found.run_p is not None and found.run_p <= _SEEN
    shared = (found.sigma_run2 or 0.0) if seen else 0.0
    within = None if found.sigma_w2 is None else max(found.sigma_w2 - shared, 0.0)
    task = float(np.nanmean(table, axis=1).var(ddof=1)) - (within or 0.0) / found.n
    return RunNoise(task2_raw=found.sigma_task2 or task, within2=within, run2=shared, n=found.n)


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
        """Whether between and within are known apart."""
        return self.a.within2 is not None and self.b.within2 is not None

    @property
    def between2(self) -> float:
        """Variance of the true difference, taken as 0 if it was estimated below."""
        return max(self.between2_raw, 0.0)

    def error2(self, tasks: float, runs_a: float, runs_b: float) -> float:
        """Squared standard error of the gap at so many tasks and runs."""
        a, b = self.a, self.b
        within = (a.within2 or 0.0) / runs_a + (b.within2 or 0.0) / runs_b
        return (self.between2 + within) / tasks + a.run2 / runs_a + b.run2 / runs_b


def gap_noise(a: Array, b: Array, *, blocks: bool) -> GapNoise:
    """Parts of the variance of the difference, on the same tasks in the same order."""
    first, second = run_noise(a, blocks=blocks), run_noise(b, blocks=blocks)
    observed = float((np.nanmean(a, axis=1) - np.nanmean(b, axis=1)).var(ddof=1))
    raw = observed - first.noise2 - second.noise2
    return GapNoise(between2_raw=raw, a=first, b=second)
