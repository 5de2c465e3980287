"""Intervals over tasks for a mean of bounded quantities, and for a variance minus its noise.

Both methods were selected by simulated coverage (docs/evidence/runs.md). Plain t intervals fail if
few tasks determine the mean, which is common for pass^k and for variances.
"""

from collections.abc import Sequence
from math import hypot

import numpy as np
from scipy import special

from nstar._base.types import Array, Interval
from nstar.stats._task_runs import TaskRuns
from nstar.stats.critical import t_quantile, z_conf

_CAUTION = 4.0
"""Weight, in tasks, of the largest possible variance next to the observed variance."""


def mean_limits(values: Array, *, conf: float, top: float = 1.0) -> tuple[Array, Array]:
    """Return limits for the mean of each column of ``values`` (tasks first), each in [0, top].

    These are Clopper and Pearson's limits at the effective number of tasks, m (1 - m) / s² times k
    (Korn & Graubard 1998). The variance s² is shrunk toward its largest value m (1 - m), because
    it is estimated from the few tasks that determine the mean: (Σv)² / Σv², or the same for 1 - v,
    which may be three of 60. If all values are 0 or ``top``, the limits are the exact binomial
    interval. The upper limit of a column of zeros is 1 - (alpha / 2)^(1 / k).
    """
    k = values.shape[0]
    shares = np.clip(values / top, 0.0, 1.0)
    mean = shares.mean(axis=0)
    largest = mean * (1 - mean)
    carry = np.minimum(_carrying(shares), _carrying(1 - shares))
    cautious = (carry * shares.var(axis=0) + _CAUTION * largest) / (carry + _CAUTION)
    # 1e-14: rounding error of a mean that is exactly 0 or 1
    tasks = np.where(largest > 1e-14, k * largest / np.maximum(cautious, 1e-300), float(k))
    right, wrong = tasks * mean, tasks * (1 - mean)
    tail = (1 - conf) / 2
    low = special.betaincinv(np.maximum(right, 1e-300), wrong + 1, tail)
    high = special.betaincinv(right + 1, np.maximum(wrong, 1e-300), 1 - tail)
    return top * np.where(mean <= 1e-14, 0.0, low), top * np.where(mean >= 1 - 1e-14, 1.0, high)


def _carrying(shares: Array) -> Array:
    """Return the effective number of tasks that determine a mean, from sum and squares."""
    squares = np.square(shares).sum(axis=0)
    return np.asarray(np.square(shares.sum(axis=0)) / np.maximum(squares, 1e-300))


def within_limits(runs: TaskRuns, conf: float) -> Interval | None:
    """Return limits for the run-to-run variance within a task.

    Tasks with two or more runs are the units. If the range of the scores is unknown, the result is
    the wider of these limits and the chi-square limits. Return None without repeated runs, or if
    all scores are equal and outside [0, 1].
    """
    top = runs.largest_variance
    if runs.within is None or top == 0:
        return None
    low, high = map(float, mean_limits(runs.repeated, conf=conf, top=top))
    variance = float(runs.repeated.mean())
    if not runs.bounded and variance > 0:
        if runs.repeated.size == 1:
            return Interval(0.0, np.inf)  # one task has no spread between tasks
        error2 = _squared_error(runs.repeated, variance, conf)
        wide_low, wide_high = _chi_square_limits(variance, error2, conf)
        return Interval(min(low, wide_low), max(high, wide_high))
    return Interval(low, high)


def unseen_noise(runs: TaskRuns, conf: float) -> float:
    """Return the upper limit of the run-to-run variance if it is 0 in all tasks.

    Return 0 if it is positive in any task.
    """
    limits = None if runs.repeated.any() else within_limits(runs, conf)
    return 0.0 if limits is None else float(limits.high)


def _chi_square_limits(variance: float, error2: float, conf: float) -> tuple[float, float]:
    """Return limits of a variance whose estimate has squared error ``error2`` (Satterthwaite).

    A limit of more than a million times the estimate becomes infinite.
    """
    if variance <= 0:
        return 0.0, 0.0
    df = 2 * variance**2 / error2
    tail = (1 - conf) / 2
    with np.errstate(divide="ignore", over="ignore"):
        low, high = df * variance / special.chdtri(df, [tail, 1 - tail])
    return float(low), float(high) if high < 1e6 * variance else np.inf


def _squared_error(parts: Array, variance: float, conf: float) -> float:
    """Return the squared error of a variance: the jackknife's, raised toward a normal sample's."""
    k = parts.size
    normal = 2 * variance**2 / (k - 1)
    inflation = float(t_quantile((1 + conf) / 2, k - 1) / z_conf(conf)) ** 2
    jackknife_error = float(parts.var(ddof=1)) / k
    return (jackknife_error + normal * _CAUTION / (k + _CAUTION)) * inflation


def _side(distance: float, noise: float, correlation: float) -> float:
    """Return √(distance² + noise² - 2 correlation distance noise), also for infinite arguments."""
    shared = correlation * noise if correlation else 0.0  # the noise may be infinite
    return hypot(distance - shared, noise * max(1 - correlation**2, 0.0) ** 0.5)


def _noise_error(subtracted: Array, repeated: int, tail: float) -> float:
    """Return the half-width of Student's interval of a mean from ``repeated`` of the tasks."""
    if repeated < 2:
        return np.inf
    se = float(subtracted.std() / np.sqrt(repeated - 1) * np.sqrt(repeated / subtracted.size))
    return float(t_quantile(1 - tail, repeated - 1)) * se


def variance_limits(
    d: Array,
    noise: Sequence[Array],
    *,
    repeated: int,
    unseen: float,
    ends: tuple[float, float],
    bounded: bool,
    conf: float,
) -> Interval:
    """Return limits for the variance of ``d`` over tasks, minus the means of ``noise``.

    ``repeated`` is the number of tasks in which the noise was measured. With one task, its error
    is unknown. ``unseen`` is the noise that may exist although none was observed. Noise with a
    negative mean is added to the variance, whose limits are chi-square with degrees of freedom
    from its jackknife error. Subtracted noise is included by the method of variance estimates
    recovery (Zou & Donner 2008). Its correlation with the variance is used only if it widens the
    interval, because a positive correlation would be estimated from too few tasks. ``ends`` are
    the smallest and largest possible value of one ``d``. If all values are equal so far, a share
    of 1 - (alpha / 2)^(1 / k) may still be at an end. If the ends are ``bounded``, that is, known
    instead of observed, the variance is bounded, too. If the ends are equal, nothing is known.
    """
    if ends[0] == ends[1]:
        return Interval(0.0, np.inf)
    k, tail = d.size, (1 - conf) / 2
    square = np.square(d - d.mean())
    # by the sign of the mean: values of tasks are stretched where others ran once
    subtracted = sum((x for x in noise if x.mean() > 0), np.zeros(k))
    added = -sum((x for x in noise if x.mean() < 0), np.zeros(k))
    raw_variance = float((square * k / (k - 1) + added).mean())
    pseudo = square * k / max(k - 2, 1) + added
    low, high = _chi_square_limits(raw_variance, _squared_error(pseudo, raw_variance, conf), conf)
    estimate = raw_variance - float(subtracted.mean())
    error = _noise_error(subtracted, repeated, tail) if noise else 0.0
    joint = float(pseudo.std() * subtracted.std())
    together = float(((pseudo - pseudo.mean()) * (subtracted - subtracted.mean())).mean())
    correlation = min(together / joint, 0.0) if joint > 0 else 0.0
    low = estimate - _side(raw_variance - low, max(error, unseen), correlation)
    high = estimate + _side(high - raw_variance, error, correlation)
    if np.ptp(d) <= 1e-12 * (ends[1] - ends[0]):
        reach = max(ends[1] - float(d.mean()), float(d.mean()) - ends[0])
        high = max(high, -float(np.expm1(np.log(tail) / k)) * reach**2)
    largest = ((ends[1] - ends[0]) / 2) ** 2 * k / (k - 1) if bounded else np.inf
    return Interval(min(max(low, 0.0), largest), min(max(high, 0.0), largest))
