"""Intervals for the spread of one task's difference between two models, from a pilot.

The spread at r_a and r_b runs, sigma_b² + sigma_wa² / r_a + sigma_wb² / r_b, is what planning
needs: the squared error of the gap is the spread over the number of tasks, and N* is
proportional to it.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Interval
from nstar.errors import ParameterError
from nstar.stats._task_limits import unseen_noise, variance_limits, within_limits
from nstar.stats._task_runs import TaskRuns, run_table, task_runs, task_runs_pair

__all__ = ["ComponentIntervals", "components_interval", "spread_interval"]


_ONE_RUN = "{} must be 1 if no task in the pilot has two runs; got {:.10g}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComponentIntervals:
    """Intervals for the variance components of a difference; None where not identified."""

    sigma_b2: Interval | None
    """Variance over tasks of the true difference."""
    sigma_wa2: Interval | None
    """Run-to-run variance within a task, first model."""
    sigma_wb2: Interval | None
    """Run-to-run variance within a task, second model."""


def _spread_limits(
    first: TaskRuns, second: TaskRuns, planned: tuple[float, float], conf: float
) -> Interval:
    d = first.means - second.means
    noise: list[Array] = []
    repeated, unseen = d.size, 0.0
    for name, runs, number in zip(("runs_a", "runs_b"), (first, second), planned, strict=True):
        checks.require(number >= 1, name, "at least 1", number)
        if runs.within is not None:
            factor = 1 / runs.n - 1 / number
            if factor != 0:
                noise.append(runs.within * factor)
                repeated = min(repeated, runs.repeated.size)
                unseen += max(factor, 0.0) * unseen_noise(runs, conf)
        elif number != 1:
            raise ParameterError(_ONE_RUN.format(name, number))
    ends = first.ends[0] - second.ends[1], first.ends[1] - second.ends[0]
    return variance_limits(
        d,
        noise,
        repeated=repeated,
        unseen=unseen,
        ends=ends,
        bounded=first.bounded and second.bounded,
        conf=conf,
    )


def components_interval(a: FloatLike, b: FloatLike, *, conf: float = 0.95) -> ComponentIntervals:
    """Return intervals for the components that :func:`nstar.stats.variance_components` estimates.

    Parameters
    ----------
    a, b : array_like
        Scores of the pilot, of shape (tasks, runs), on the same tasks (at least 2) in the same
        order. NaN marks a missing run.
    conf : float, default 0.95
        Coverage, in (0, 1), of each interval.

    Returns
    -------
    ComponentIntervals
        Variances, in squared score units; None where not identified: the run-to-run variance of a
        model without two runs of any task, and sigma_b² then too; the former also where all its
        scores are equal and outside [0, 1].

    References
    ----------
    Korn and Graubard (1998), Survey Methodology 24.
    Zou and Donner (2008), Stat. Med. 27.
    Methods: Repeated runs

    Examples
    --------
    >>> a = [[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0]]
    >>> c = components_interval(a, [[0], [1], [0], [0]])
    >>> c.sigma_b2 is None, c.sigma_wb2 is None
    (True, True)
    >>> [round(limit, 3) for limit in c.sigma_wa2]
    [0.023, 0.311]
    """
    checks.fraction("conf", conf)
    first, second = task_runs_pair(a, b)
    between = None
    if first.within is not None and second.within is not None:
        between = _spread_limits(first, second, (np.inf, np.inf), conf)
    return ComponentIntervals(
        sigma_b2=between,
        sigma_wa2=within_limits(first, conf),
        sigma_wb2=within_limits(second, conf),
    )


def spread_interval(
    a: FloatLike, b: FloatLike, *, runs_a: float, runs_b: float, conf: float = 0.95
) -> Interval:
    """Return an interval for the variance of one task's difference at planned numbers of runs.

    Parameters
    ----------
    a, b : array_like
        Scores of the pilot, of shape (tasks, runs), on the same tasks (at least 2) in the same
        order. NaN marks a missing run.
    runs_a, runs_b : float
        Planned runs per task, at least 1 (inf for the limit, sigma_b²).
    conf : float, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Interval
        Limits of the variance, in squared score units. The upper limit is ``inf`` if the pilot
        contains too little information, such as scores outside [0, 1] of a few tasks, or equal
        scores.

    Raises
    ------
    ParameterError
        When a model with one run per task in the pilot is planned with another number: its noise
        is part of the spread, but not known apart.

    References
    ----------
    Zou and Donner (2008), Stat. Med. 27.
    Methods: Repeated runs

    Examples
    --------
    >>> a = [[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0]]
    >>> low, high = spread_interval(a, [[0], [1], [0], [0]], runs_a=3, runs_b=1)
    >>> round(low, 3), round(high, 3)
    (0.02, 1.333)
    """
    checks.fraction("conf", conf)
    return _spread_limits(*task_runs_pair(a, b), (runs_a, runs_b), conf)


def alike_spread_interval(
    scores: FloatLike, *, rho: float, runs_a: float, runs_b: float, conf: float = 0.95
) -> Interval:
    """Return the same interval for an equally noisy second model, from runs of the first.

    The spread is 2 (1 - rho) sigma_task² + sigma_w² (1 / runs_a + 1 / runs_b). The upper limit is
    ``inf`` if the pilot contains too little information. With one run per task, it is known for
    one run only, because sigma_task² includes the noise of runs.

    Zou and Donner (2008), Stat. Med. 27.
    """
    checks.fraction("conf", conf)
    checks.correlation("rho", rho)
    runs, planned = task_runs(run_table("scores", scores)), (runs_a, runs_b)
    for name, number in zip(("runs_a", "runs_b"), planned, strict=True):
        checks.require(number >= 1, name, "at least 1", number)
        if runs.within is None and number != 1:
            raise ParameterError(_ONE_RUN.format(name, number))
    share, twice = sum(1 / n for n in planned), 2 * (1 - rho)
    within = within_limits(runs, conf)
    if rho == 1 and within is not None:
        return Interval(share * within[0], share * within[1])
    d = np.sqrt(twice) * (runs.means - runs.means.mean())
    factor = twice / runs.n - share
    noise = [] if runs.within is None or factor == 0 else [runs.within * factor]
    span = runs.ends[1] - runs.ends[0]
    return variance_limits(
        d,
        noise,
        repeated=runs.repeated.size,
        unseen=max(factor, 0.0) * unseen_noise(runs, conf),
        ends=(-span, span),
        bounded=runs.bounded,
        conf=conf,
    )
