"""Ratios of two means over the same units, such as cost per success, and their change.

Intervals are computed on the log scale, by linearization over units with Student's t. Costs are
skewed to the right, and an interval that is symmetric in money misses above far more often than
below.
"""

import math

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Interval
from nstar.errors import ParameterError

__all__ = ["ratio_interval"]


def _units(name: str, values: FloatLike) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size < 2:
        msg = f"{name} must be one value per unit, for at least two units; got shape {array.shape}"
        raise ParameterError(msg)
    checks.finite(name, array)
    return array


def _same_units(**named_values: FloatLike) -> list[Array]:
    """Check that there is one value per unit, for the same units, each with a mean above 0."""
    arrays = {name: _units(name, values) for name, values in named_values.items()}
    if len({a.size for a in arrays.values()}) > 1:
        sizes = ", ".join(f"{name} has {a.size}" for name, a in arrays.items())
        msg = f"All values must be for the same units, but {sizes}."
        raise ParameterError(msg)
    for name, array in arrays.items():
        mean = float(array.mean())
        checks.require(mean > 0, name, "positive on average", mean)
    return list(arrays.values())


def _log_influence(top: Array, bottom: Array) -> Array:
    """Return the contribution of each unit to the log of the ratio of means, to first order."""
    return top / top.mean() - bottom / bottom.mean()


def _log_interval(estimate: float, influence: Array, conf: float) -> Interval:
    """Return the estimate times and divided by exp(t SE of its log)."""
    k = influence.size
    quantile = float(special.stdtrit(k - 1, 0.5 + conf / 2))
    half = quantile * float(influence.std(ddof=1)) / math.sqrt(k)
    with np.errstate(over="ignore", under="ignore"):
        return Interval(float(estimate * np.exp(-half)), float(estimate * np.exp(half)))


def ratio_interval(top: FloatLike, bottom: FloatLike, *, conf: float = 0.95) -> Interval:
    """Return the interval of a ratio of two means over units, such as cost per success over tasks.

    R = mean(top) / mean(bottom), with SE(log R) = sd(top_i / mean(top) - bottom_i /
    mean(bottom)) / √k (linearisation) and limits R exp(± t SE), t with k - 1 degrees of freedom.
    For a bottom of all ones it is an interval of the mean of top.

    Parameters
    ----------
    top, bottom : array_like
        One value per unit, the same k ≥ 2 units in the same order, each with a mean above 0.
    conf : float, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Interval
        In units of top per unit of bottom; both ends above 0. An end is infinite only where the
        number overflows: a bottom that is rarely above 0 gives a wide interval.

    References
    ----------
    Cochran (1977), Sampling Techniques, § 6.
    Methods: Repeated runs

    Examples
    --------
    Five tasks: dollars per run, and the share of runs that passed.

    >>> low, high = ratio_interval([0.2, 0.5, 0.1, 0.4, 0.3], [1, 0, 1, 0.5, 0.5])
    >>> round(low, 3), round(high, 3)
    (0.112, 2.24)
    """
    checks.fraction("conf", conf)
    x, y = _same_units(top=top, bottom=bottom)
    return _log_interval(float(x.mean() / y.mean()), _log_influence(x, y), conf)


def ratio_change_interval(
    top_a: FloatLike,
    bottom_a: FloatLike,
    top_b: FloatLike,
    bottom_b: FloatLike,
    *,
    conf: float = 0.95,
) -> Interval:
    """Return the interval of the quotient of two ratios over the same units.

    (mean(top_a) / mean(bottom_a)) / (mean(top_b) / mean(bottom_b)), paired by unit; otherwise as
    :func:`ratio_interval`.

    Cochran (1977), Sampling Techniques, § 6.
    """
    checks.fraction("conf", conf)
    xa, ya, xb, yb = _same_units(top_a=top_a, bottom_a=bottom_a, top_b=top_b, bottom_b=bottom_b)
    estimate = float(xa.mean() / ya.mean() / (xb.mean() / yb.mean()))
    return _log_interval(estimate, _log_influence(xa, ya) - _log_influence(xb, yb), conf)


def log_jackknife_interval(
    estimate: float, left_out: FloatLike, *, conf: float = 0.95
) -> Interval:
    """Return the interval of a positive quantity from its leave-one-out values.

    SE(log) = √((k - 1) / k Σ (log θ_(i) - mean)²), limits θ exp(± t SE), t with k - 1 degrees of
    freedom.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, § 11.
    """
    checks.fraction("conf", conf)
    checks.positive("estimate", estimate)
    values = _units("left_out", left_out)
    checks.require(values > 0, "left_out", "above 0", values)
    influence = -(values.size - 1) * np.log(values)
    return _log_interval(float(estimate), influence, conf)
