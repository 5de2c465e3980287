"""Test and interval for strata of 0/1 scores, by the variance under the null hypothesis.

The variance about the observed gap is small if nearly all items have the same difference. Under
the null hypothesis, differences have mean 0, and the variance about this mean is larger by gap² /
N. This is the stratified form of the variance in McNemar's test.
"""

import numpy as np
from scipy import special

from nstar._base.types import Array, FloatLike
from nstar.stats.mcnemar import P_FLOOR


def null_t(t: FloatLike, n: FloatLike) -> Array:
    """Return the gap over its standard error under the null hypothesis, given the usual ``t``.

    This is t / √(1 + t² / n), whose absolute value is at most √n.

    >>> round(float(null_t(9, 20)), 3)
    4.005
    """
    t = np.asarray(t, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(np.sign(t) / np.sqrt(1 / np.square(t) + 1 / np.asarray(n)))


def strata_pvalue(t: FloatLike, df: FloatLike, *, n: FloatLike, discordant: FloatLike) -> Array:
    """Return the two-sided p-value of a stratified gap of 0/1 scores.

    The gap is ``t`` estimated standard errors. The p-value is at least 2^(1 - discordant), that of
    as many discordant items that all favor one model.

    9 of 10 items won in one stratum, no discordant item of 10 in the other:

    >>> round(float(strata_pvalue(9, 18, n=20, discordant=9)), 4)
    0.0039
    """
    p = 2 * special.stdtr(np.asarray(df, dtype=np.float64), -np.abs(null_t(t, n)))
    p = np.where(np.isinf(t), 0.0, p)  # without any spread, only the signs matter
    return np.asarray(np.clip(np.maximum(p, np.exp2(1.0 - np.asarray(discordant))), P_FLOOR, 1.0))


def strata_half(half: FloatLike, se: FloatLike, n: FloatLike) -> Array:
    """Return the half-width of the interval of gaps that a test by :func:`null_t` accepts.

    ``half`` is the half-width with the estimated standard error ``se``. The result is infinite if
    no gap is rejected.

    >>> round(float(strata_half(0.105, 0.05, 20)), 4)
    0.1189
    """
    half = np.asarray(half, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = 1 - np.square(half / se) / n
        return np.asarray(np.where(left > 0, half / np.sqrt(np.maximum(left, 0.0)), np.inf))
