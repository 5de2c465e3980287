"""McNemar's test, which examines whether the discordant items favor one model.

Only the n10 items that A alone answered correctly, and the n01 items that B alone answered
correctly, matter. Under H0 each discordant item is a fair coin. Methods:

* ``"midp"`` (default): counts half the probability of the observed split. Its size stays
  at or below 5% for psi ≤ 0.6 at every N tried (Fagerland, Lydersen & Laake 2013);
* ``"exact"``: the conditional binomial test, never above level, often well below;
* ``"asymptotic"``: z = |n10 - n01| / √(n10 + n01), the test Tango's interval inverts;
* ``"corrected"``: the same with continuity correction, nearly as conservative as exact.

A p-value that underflows is returned as the smallest normal float: a bound, never 0. Its
logarithm, from :func:`mcnemar_log_pvalue`, stays exact.
"""

from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar.stats._binomial import log_pmf, log_tail_half, tail_half
from nstar.stats._blocks import map_blocks

__all__ = [
    "McNemarMethod",
    "mcnemar_default_pvalue",
    "mcnemar_log_pvalue",
    "mcnemar_pvalue",
]

McNemarMethod: TypeAlias = Literal["midp", "exact", "asymptotic", "corrected"]
_METHODS = ("midp", "exact", "asymptotic", "corrected")

P_FLOOR = float(np.finfo(np.float64).tiny)
"""Smallest p-value that is returned, which means "p is below 2.3e-308"."""

PSI_EXACT = 0.8
"""Discordance above which mid-p can reach 6.5% (N = 50), so that the default is the exact test."""


def _z(n10: Array, n01: Array, n: Array, *, corrected: bool) -> Array:
    gap = np.abs(n10 - n01)
    if corrected:
        gap = np.maximum(gap - 1, 0.0)
    return gap / np.sqrt(np.maximum(n, 1.0))


def _pvalue(n10: Array, n01: Array, method: McNemarMethod) -> Array:
    n = n10 + n01
    if method in ("asymptotic", "corrected"):
        z = _z(n10, n01, n, corrected=method == "corrected")
        return np.maximum(special.erfc(z * np.sqrt(0.5)), P_FLOOR)
    k = np.minimum(n10, n01)
    m = np.maximum(n, 1.0)  # n = 0: betainc(1, 1, ½) doubles to p = 1
    p = 2 * tail_half(k, m)
    if method == "midp":
        pmf = np.exp(log_pmf(k, m, 0.5))
        p = np.where(n10 == n01, np.where(n > 0, 1 - 0.5 * pmf, 1.0), p - pmf)
    return np.clip(p, P_FLOOR, 1.0)


def mcnemar_pvalue(n10: FloatLike, n01: FloatLike, *, method: McNemarMethod = "midp") -> Array:
    """Return the two-sided p-value of McNemar's test from discordant counts.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only A and only B answered correctly, whole numbers ≥ 0.
    method : {"midp", "exact", "asymptotic", "corrected"}, default "midp"
        Test, as described in the module docstring.

    Returns
    -------
    Array
        p-value, in [2.2e-308, 1] and never 0. It is 1 without discordant items. Inputs broadcast.

    References
    ----------
    McNemar (1947), Psychometrika 12.
    Fagerland, Lydersen and Laake (2013), BMC Med. Res. Methodol. 13.
    Methods: Tests

    Examples
    --------
    >>> round(float(mcnemar_pvalue(296, 250)), 4)
    0.0491
    >>> round(float(mcnemar_pvalue(296, 250, method="exact")), 4)
    0.054
    >>> float(mcnemar_pvalue(0, 0))
    1.0
    """
    checks.choice("method", method, _METHODS)
    checks.counts(n10=n10, n01=n01)
    return map_blocks(lambda b, c: _pvalue(b, c, method), n10, n01)


def mcnemar_default_pvalue(n10: FloatLike, n01: FloatLike, n: FloatLike) -> Array:
    """Return the default p-value of nstar: mid-p, but exact if psi = (n10 + n01) / n > 0.8.

    Near psi = 1 the mid-p test can exceed its level (0.065 at N = 50); the exact test never does.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only A and only B answered correctly, whole numbers ≥ 0.
    n : array_like
        Number of items, at least n10 + n01.

    Returns
    -------
    Array
        p-value, in [2.2e-308, 1] and never 0. It is 1 without discordant items. Inputs broadcast.

    References
    ----------
    Fagerland, Lydersen and Laake (2013), BMC Med. Res. Methodol. 13. Methods: Tests

    Examples
    --------
    The same ten discordant items, alone and among 90 others; 11/512 is the exact p-value:

    >>> mcnemar_default_pvalue(9, 1, [10, 100]).round(4).tolist()
    [0.0215, 0.0117]
    """

    def block(b: Array, c: Array, items: Array) -> Array:
        checks.at_most(b + c, items, "n10 + n01", "at most n")
        dense = b + c > PSI_EXACT * items
        p = _pvalue(b, c, "midp")
        if dense.any():
            p[dense] = _pvalue(b[dense], c[dense], "exact")
        return p

    checks.counts(n10=n10, n01=n01)
    return map_blocks(block, n10, n01, n)


def mcnemar_log_pvalue(n10: FloatLike, n01: FloatLike, *, method: McNemarMethod = "midp") -> Array:
    """Return the natural log of the p-value, which is finite even if the p-value underflows.

    Parameters
    ----------
    n10, n01 : array_like
        Numbers of items that only A and only B answered correctly, whole numbers ≥ 0.
    method : {"midp", "exact", "asymptotic", "corrected"}, default "midp"
        Test, as described in the module docstring.

    Returns
    -------
    Array
        Logarithm, which is 0 without discordant items and negative otherwise. Inputs broadcast.

    References
    ----------
    McNemar (1947), Psychometrika 12.
    Methods: No p of 0

    Examples
    --------
    >>> round(float(mcnemar_log_pvalue(5000, 100, method="exact")), 2)
    -3045.35
    """
    checks.choice("method", method, _METHODS)

    def block(n10: Array, n01: Array) -> Array:
        n = n10 + n01
        if method in ("asymptotic", "corrected"):
            z = _z(n10, n01, n, corrected=method == "corrected")
            return np.minimum(np.asarray(special.log_ndtr(-z)) + np.log(2.0), 0.0)
        k, m = np.minimum(n10, n01), np.maximum(n, 1.0)
        tail = log_tail_half(k, m)
        if method == "exact":
            return np.minimum(tail + np.log(2.0), 0.0)
        share = np.exp(log_pmf(k, m, 0.5) - tail)  # P(X = k) / P(X <= k), in (0, 1]
        unequal = tail + np.log(np.maximum(2.0 - share, 1.0))
        tie = np.where(n > 0, np.log1p(-0.5 * np.exp(log_pmf(k, m, 0.5))), 0.0)
        return np.where(n10 == n01, tie, unequal)

    checks.counts(n10=n10, n01=n01)
    return map_blocks(block, n10, n01)
