"""Intervals over tasks: for a mean of bounded quantities, and for a variance less its noise.

Both methods were selected by simulated coverage (docs/evidence/runs.md). Plain t intervals fail
where few tasks determine the mean, which is the usual case for pass^k and for variances.
"""

from collections.abc import Sequence
from math import hypot

import numpy as np
from scipy import special

from nstar._base.types import Array, Interval
from nstar.stats._task_runs import TaskRuns
from nstar.stats.critical import t_quantile, z_conf

_CAUTION = 4.0
"""Weight, in tasks, of the worst variance next to the observed one."""


def mean_limits(values: Array, *, conf: float, top: float = 1.0) -> tuple[Array, Array]:
    """Limits for the mean of each column of ``values`` (tasks first), each in [0, top].

    Clopper and Pearson's limits at the effective number of tasks, m (1 - m) / s² times k
    (Korn & Graubard 1998), with s² drawn toward its largest value m (1 - m): it is known from no
    more tasks than carry the mean, (Σv)² / Σv² or the same of 1 - v, which may be three of 60. For
    values of 0 and ``top`` alone it is the exact binomial interval; a column of zeros ends at
    1 - (alpha / 2)^(1 / k).
    """
    k = values.shape[0]
    shares = np.clip(values / top, 0.0, 1.0)
    mean = shares.mean(axis=0)
    largest = mean * (1 - mean)
    carry = np.minimum(_carrying(shares), _carrying(1 - shares))
    cautious = (carry * shares.var(axis=0) + _CAUTION * largest) / (carry + _CAUTION)
    # 1e-14: rounding of a mean that is 0 or 1 in truth
    tasks = np.where(largest > 1e-14, k * largest / np.maximum(cautious, 1e-300), float(k))
    right, wrong = tasks * mean, tasks * (1 - mean)
    tail = (1 - conf) / 2
    low = special.betaincinv(np.maximum(right, 1e-300), wrong + 1, tail)
    high = special.betaincinv(right + 1, np.maximum(wrong, 1e-300), 1 - tail)
    return top * np.where(mean <= 1e-14, 0.0, low), top * np.where(mean >= 1 - 1e-14, 1.0, high)


def _carrying(shares: Array) -> Array:
    """Effective number of tasks of a mean: equal ones with the same sum and sum of squares."""
    squares = np.square(shares).sum(axis=0)
    return np.asarray(np.square(shares.sum(axis=0)) / np.maximum(squares, 1e-300))


def within_limits(runs: TaskRuns, conf: float) -> Interval | None:
    """Limits for the run-to-run variance within a task.

    Tasks with two or more runs are the units. Where the scores' range is not known, chi-square
    limits join: the wider of both. None without repeated runs, and when all scores are equal
    outside [0, 1].
    """
    top = runs.largest_variance
    if runs.within is None or top == 0:
        return None
    low, high = map(float, mean_limits(runs.repeated, conf=conf, top=top))
    variance = float(runs.repeated.mean())
    if not runs.bounded and variance > 0:
        if runs.repeated.size == 1:
            return Interval(0.0, np.inf)  # one task shows no spread between tasks
        error2 = _squared_error(runs.repeated, variance, conf)
        wide_low, wide_high = _chi_square_limits(variance, error2, conf)
        return Interval(min(low, wide_low), max(high, wide_high))
    return Interval(low, high)


def unseen_noise(runs: TaskRuns, conf: float) -> float:
    """Return the upper limit of the run-to-run variance if no task shows any.

    0 if some task does.
    """
    limits = None if runs.repeated.any() else within_limits(runs, conf)
    return 0.0 if limits is None else float(limits.high)


def _chi_square_limits(variance: float, error2: float, conf: float) -> tuple[float, float]:
    """Return limits of a variance whose estimate has squared error ``error2`` (Satterthwaite).

    A limit of more than a million times the estimate is infinite.
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
    """√(distance² + noise² - 2 correlation distance noise), also if either is infinite."""
    shared = correlation * noise if correlation else 0.0  # the noise may be infinite
    return hypot(distance - shared, noise * max(1 - correlation**2, 0.0) ** 0.5)


def _noise_error(subtracted: Array, repeated: int, tail: float) -> float:
    """Half-width of Student's interval of a mean that ``repeated`` of the tasks determine."""
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
    """Limits for the variance of ``d`` over tasks less the means of ``noise``.

    ``repeated`` is the number of tasks that the noise was measured on; one task shows no error.
    ``unseen`` is the noise that may be there although none of them shows any.
    Noise whose mean is negative is added: it joins the variance, whose limits are chi-square with
    degrees of freedom from its jackknife error. What is subtracted is brought in by the
    method of variance estimates recovery (Zou & Donner 2008), with the correlation of the two
    where that widens the interval: a positive one would rest on too few tasks. ``ends`` are
    the least and largest value that one ``d`` can have; when all are equal so far, a share of
    1 - (alpha / 2)^(1 / k) may still lie there. If they are ``bounded``, known rather than
    seen, so is the variance. If they are one point, nothing is known.
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
