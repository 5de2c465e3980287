"""Integrate over the distribution of s / sigma = sqrt(chi²_df / df), for t tests and Owen's Q.

The integral is computed by Gauss–Legendre quadrature. The density has a form that is accurate from
one degree of freedom to a billion.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import special

from nstar._base.types import Array
from nstar.stats._binomial import stirling_series

_POINTS = 48
_SMOOTHED_BELOW_DF = 6
"""Degrees of freedom below which the density, which starts as a fractional power of w, is
smoothed.
"""


@cache
def _rule() -> tuple[Array, Array]:
    """Return nodes and weights, which are computed at the first integral instead of the import."""
    return np.polynomial.legendre.leggauss(_POINTS)


def _stirling(h: Array) -> Array:
    """Return the error of Stirling's formula for log gamma(h), without cancellation at large h."""
    big = h > 15
    series = stirling_series(np.where(big, h, 15.0))
    small = np.where(big, 1.0, h)
    direct = (
        special.gammaln(small) - (small - 0.5) * np.log(small) + small - 0.5 * np.log(2 * np.pi)
    )
    return np.where(big, series, direct)


def chi_mean(low: Array, high: Array, df: Array, func: Callable[[Array], Array]) -> Array:
    """Integrate func(w) over [low, high] for the distribution of w = sqrt(chi²_df / df)."""
    nodes, weights = _rule()
    bend = np.where((df < _SMOOTHED_BELOW_DF) & (df != np.rint(df)), 3, 1)[:, None]
    v = 0.5 * (1 + nodes)
    half = 0.5 * (high - low)
    w = low[:, None] + (2 * half)[:, None] * v**bend
    h = df / 2
    gap = (w - 1) * (w + 1)
    scale = 0.5 * np.log(2 * h / np.pi) - _stirling(h)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_w = np.log(w)
        # log w² is accurate by log1p near 1 and by log near 0
        log_square = np.where(w > 0.5, np.log1p(gap), 2 * log_w)
        log_density = h[:, None] * (log_square - gap) - log_w + scale[:, None]
    # an empty range (half = 0) may lie at w = 0, where the density is 0
    values = np.where(half[:, None] > 0, np.exp(log_density) * func(w), 0.0)
    # not a matrix product: BLAS would round by the number of rows
    return np.asarray(half * (values * (weights * bend * v ** (bend - 1))).sum(axis=1))


def chi_range(df: Array) -> tuple[Array, Array]:
    """Return the range of w = sqrt(chi²_df / df) beyond which each tail has less than 1e-17."""
    h = df / 2
    return (
        np.sqrt(special.gammaincinv(h, 1e-17) / h),
        np.sqrt(special.gammainccinv(h, 1e-17) / h),
    )
