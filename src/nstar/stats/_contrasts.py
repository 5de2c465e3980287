"""Differences of correlated means: checks, standard errors and draws for max-T and ranks."""

from collections.abc import Iterator

import numpy as np

from nstar._typing import Array, FloatLike, IntArray, RNGLike
from nstar.stats import _check

__all__ = [
    "batches",
    "blocks",
    "checked_cov",
    "checked_means",
    "rank_to_reject",
    "square",
    "standard_errors",
]

_ZERO_VARIANCE = 1e-12
"""Variance of a difference, as a share of the two variances, that counts as 0."""

_PAIRS = 64
"""Pairs per block: 64 × 1024 numbers fit in a level-2 cache. This does not change any result."""


def square(name: str, matrix: FloatLike) -> Array:
    """A finite square matrix, checked."""
    m = np.asarray(matrix)
    _check.require(m.ndim == 2, f"number of axes of {name}", "2", m.ndim)
    rows, columns = m.shape
    _check.require(rows == columns, f"columns of {name}", f"{rows}, as of rows", columns)
    _check.finite(name, m)
    return m


def checked_cov(cov: FloatLike) -> Array:
    """A covariance matrix, checked."""
    c = square("cov_of_means", cov).astype(np.float64)
    _check.require(np.diagonal(c) >= 0, "variances", ">= 0", np.diagonal(c))
    slack = 1e-9 * float(np.abs(c).max(initial=0.0))
    _check.require(np.abs(c - c.T) <= slack, "cov_of_means", "symmetric", c)
    return c


def checked_means(means: FloatLike, cov: FloatLike) -> tuple[Array, Array]:
    """Means and their covariance, checked."""
    mean, matrix = np.asarray(means, dtype=np.float64), checked_cov(cov)
    rows = len(matrix)
    _check.require(mean.shape == (rows,), "number of means", f"{rows}, as of rows", mean.size)
    _check.finite("means", mean)
    return mean, matrix


def standard_errors(cov: Array, pairs: IntArray) -> Array:
    """Standard error of each difference of means, 0 where it is only rounding."""
    i, j = pairs[:, 0], pairs[:, 1]
    both = cov[i, i] + cov[j, j]
    variance = both - 2 * cov[i, j]
    return np.sqrt(np.where(variance > _ZERO_VARIANCE * both, variance, 0.0))


def rank_to_reject(alpha: float, draws: int) -> int:
    """K such that r + 1 ≤ K is p = (r + 1) / (B + 1) ≤ alpha, rounding forgiven."""
    _check.fraction("alpha", alpha)
    need = int(np.ceil(1 / alpha - 1e-9)) - 1
    _check.require(draws >= need, "draws", f"at least {need} for alpha = {alpha:g}", draws)
    return int(alpha * (draws + 1) * (1 + 1e-12))


def batches(
    cov: Array, draws: int, df: float | None, rng: RNGLike, *, batch: int = 1024
) -> Iterator[Array]:
    """Draws of the M means under equal true means, (M, batch) at a time."""
    if df is not None:
        _check.positive("df", df)
    values, vectors = np.linalg.eigh(cov)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))).T
    # streams of their own, so that each is consumed in order whatever the batch
    normals, scales = np.random.default_rng(rng).spawn(2)
    for start in range(0, draws, batch):
        count = min(batch, draws - start)
        z = normals.standard_normal((count, len(cov))) @ root
        if df is not None:
            z /= np.sqrt(scales.chisquare(df, count) / df)[:, None]
        yield np.ascontiguousarray(z.T)


def blocks(z: Array, pairs: IntArray, scale: Array) -> Iterator[tuple[slice, Array]]:
    """|z_i - z_j| / se for blocks of pairs, (block, batch) at a time."""
    for start in range(0, len(pairs), _PAIRS):
        part = slice(start, start + _PAIRS)
        gap = z[pairs[part, 0]]
        gap -= z[pairs[part, 1]]
        np.abs(gap, out=gap)
        gap *= scale[part, None]
        yield part, gap
