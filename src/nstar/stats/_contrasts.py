"""Differences of correlated means: checks, standard errors, and draws for max-T and ranks."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike, IntArray, RNGLike

_ZERO_VARIANCE = 1e-12
"""Variance of a difference, relative to the two variances, that is treated as 0."""

_PAIRS = 64
"""Pairs per block. 64 × 1024 numbers fit in a level-2 cache. The block size changes no result."""


def square(name: str, matrix: FloatLike) -> Array:
    """Return a matrix after checking that it is square and finite."""
    m = np.asarray(matrix)
    checks.require(m.ndim == 2, f"number of axes of {name}", "2", m.ndim)
    rows, columns = m.shape
    checks.require(
        rows == columns, f"number of columns of {name}", f"{rows}, the number of rows", columns
    )
    checks.finite(name, m)
    return m


def checked_cov(cov: FloatLike) -> Array:
    """Return a covariance matrix after checking it."""
    c = square("cov_of_means", cov).astype(np.float64)
    checks.require(np.diagonal(c) >= 0, "variances", ">= 0", np.diagonal(c))
    slack = 1e-9 * float(np.abs(c).max(initial=0.0))
    checks.require(np.abs(c - c.T) <= slack, "cov_of_means", "symmetric", c)
    return c


def checked_means(means: FloatLike, cov: FloatLike) -> tuple[Array, Array]:
    """Return means and their covariance after checking both."""
    mean, matrix = np.asarray(means, dtype=np.float64), checked_cov(cov)
    rows = len(matrix)
    checks.require(
        mean.shape == (rows,), "number of means", f"{rows}, the number of rows", mean.size
    )
    checks.finite("means", mean)
    return mean, matrix


def standard_errors(cov: Array, pairs: IntArray) -> Array:
    """Return the standard error of each difference of means, or 0 if it is only rounding error."""
    i, j = pairs[:, 0], pairs[:, 1]
    total_variance = cov[i, i] + cov[j, j]
    variance = total_variance - 2 * cov[i, j]
    return np.sqrt(np.where(variance > _ZERO_VARIANCE * total_variance, variance, 0.0))


def rank_to_reject(alpha: float, draws: int) -> int:
    """Return the K for which r + 1 ≤ K means p = (r + 1) / (B + 1) ≤ alpha, up to rounding."""
    checks.fraction("alpha", alpha)
    need = int(np.ceil(1 / alpha - 1e-9)) - 1
    checks.require(draws >= need, "draws", f"at least {need} for alpha = {alpha:g}", draws)
    return int(alpha * (draws + 1) * (1 + 1e-12))


def batches(
    cov: Array, draws: int, df: float | None, rng: RNGLike, *, batch: int = 1024
) -> Iterator[Array]:
    """Yield draws of the M means under equal true means, (M, batch) at a time."""
    if df is not None:
        checks.positive("df", df)
    half = root(cov)
    # separate streams, so that each is consumed in order for any batch size
    normals, scales = np.random.default_rng(rng).spawn(2)
    for count in _counts(draws, batch):
        z = _next(normals, count, half)
        if df is not None:
            z /= np.sqrt(scales.chisquare(df, count) / df)
        yield z


def _counts(draws: int, batch: int) -> Iterator[int]:
    """Return the number of draws of each batch."""
    yield from (min(batch, draws - start) for start in range(0, draws, batch))


def _next(stream: np.random.Generator, count: int, half: Array) -> Array:
    """Return the next draws of the M means, (M, count)."""
    return np.ascontiguousarray((stream.standard_normal((count, len(half))) @ half).T)


def root(cov: Array) -> Array:
    """Return R with RᵀR = cov. Negative eigenvalues are set to 0."""
    values, vectors = np.linalg.eigh(cov)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))).T)


class DrawBatchStart(NamedTuple):
    """Position in the random stream at which one of the :func:`batches` begins."""

    stream: np.random.Generator
    """Generator at this position, which must not be advanced. Draw from a copy."""
    draws: int
    """Number of draws of the batch."""

    def draw(self, half: Array) -> Array:
        """Return the batch, (M, batch), exactly as :func:`batches` does."""
        return _next(deepcopy(self.stream), self.draws, half)


def starts(models: int, draws: int, seed: int, *, batch: int = 1024) -> Iterator[DrawBatchStart]:
    """Return the position at which each batch begins, by skipping the numbers before it.

    The number of bits that a normal draw consumes is not known in advance, so the stream cannot
    jump ahead. The M numbers of a draw are cheap compared with its M (M - 1) / 2 differences.
    """
    stream, _ = np.random.default_rng(seed).spawn(2)
    for count in _counts(draws, batch):
        yield DrawBatchStart(deepcopy(stream), count)
        stream.standard_normal((count, models))


class DrawBatch(Protocol):
    """One batch of draws, which can be drawn without the others."""

    @property
    def draws(self) -> int:
        """Return the number of draws."""

    def draw(self, root: Array, /) -> Array:
        """Return the draws, (M, draws)."""


class NullDraws(Protocol):
    """Source of draws of M means under equal true means."""

    @property
    def cov(self) -> Array:
        """Return the covariance matrix of the draws, up to terms that cancel in differences."""

    @property
    def root(self) -> Array:
        """Return the matrix that every batch needs."""

    def starts(self, draws: int, seed: int) -> Iterator[DrawBatch]:
        """Yield the batches."""


@dataclass(frozen=True, slots=True, eq=False)
class NormalNull:
    """Normal draws with a covariance matrix."""

    cov: Array

    @property
    def root(self) -> Array:
        """Return R with RᵀR = cov."""
        return root(self.cov)

    def starts(self, draws: int, seed: int) -> Iterator[DrawBatchStart]:
        """Yield the batches."""
        return starts(len(self.cov), draws, seed)


def blocks(z: Array, pairs: IntArray, scale: Array) -> Iterator[tuple[slice, Array]]:
    """Yield |z_i - z_j| / se for blocks of pairs, (block, batch), in a buffer that is reused.

    All blocks use one buffer. New memory for each block would cause page faults, which block the
    other threads of the process.
    """
    buffer, other = np.empty((2, min(_PAIRS, len(pairs)), z.shape[1]))
    first, second = np.ascontiguousarray(pairs.T)
    for start in range(0, len(pairs), _PAIRS):
        part = slice(start, min(start + _PAIRS, len(pairs)))
        gap, minus = (a[: part.stop - start] for a in (buffer, other))
        z.take(first[part], axis=0, out=gap, mode="clip")
        z.take(second[part], axis=0, out=minus, mode="clip")
        gap -= minus
        np.abs(gap, out=gap)
        gap *= scale[part, None]
        yield part, gap


_LOOP_BELOW_PAIRS = 8
"""Number of pairs of a model below which they are processed one by one."""

_DRAWS = 128
"""Number of draws that are processed at a time if blocks of pairs can be skipped."""


def room_for(z: Array) -> Array:
    """Allocate the buffer for one block of differences."""
    return np.empty((_PAIRS, z.shape[1]))


def largest_from(z: Array, one: int, scale: Array, buffer: Array) -> Array:
    """Return the largest |z_one - z_j| / se_j of each draw, (draws,). ``scale`` is 1 / se_j."""
    top = np.zeros(z.shape[1])
    for start in range(0, len(z), len(buffer)):
        stop = min(start + len(buffer), len(z))
        gap = np.subtract(z[start:stop], z[one], out=buffer[: stop - start])
        np.abs(gap, out=gap)
        gap *= scale[start:stop, None]
        np.maximum(top, np.maximum.reduce(gap, axis=0), out=top)
    return top


def largest(z: Array, pairs: IntArray, scale: Array) -> Array:
    """Return the largest |z_i - z_j| / se of each draw over some pairs in any order, (draws,).

    Pairs are processed in blocks of neighboring models. A block is skipped if the difference of
    its extremes cannot exceed the largest value so far.
    """
    if len(pairs) < _LOOP_BELOW_PAIRS * len(z):
        top = np.zeros(z.shape[1])
        for _, gap in blocks(z, pairs, scale):
            np.maximum(top, gap.max(axis=0), out=top)
        return top
    scale_matrix = np.zeros((len(z), len(z)))
    scale_matrix[pairs.min(axis=1), pairs.max(axis=1)] = scale
    parts = (np.ascontiguousarray(z[:, k : k + _DRAWS]) for k in range(0, z.shape[1], _DRAWS))
    return np.concatenate([_largest(part, scale_matrix) for part in parts])


def _largest(z: Array, scale: Array) -> Array:
    """Return the largest value of each draw over pairs i < j with a scale above 0, (draws,)."""
    draws = np.arange(z.shape[1])
    high, low = z.argmax(axis=0), z.argmin(axis=0)
    widest = np.maximum(scale[high, low], scale[low, high])
    top, buffer = (z[high, draws] - z[low, draws]) * widest, room_for(z)
    for start in range(0, len(z), _PAIRS):
        block, steepest = z[start : start + _PAIRS], scale[:, start : start + _PAIRS]
        block_max, block_min, factor = block.max(axis=0), block.min(axis=0), steepest.max(axis=1)
        before = np.flatnonzero(factor[: start + len(block)])
        reach = np.maximum(block_max - z[before], z[before] - block_min)
        reach *= factor[before, None]
        for i in before[(reach > top).any(axis=1)].tolist():
            gap = np.subtract(block, z[i], out=buffer[: len(block)])
            np.abs(gap, out=gap)
            gap *= steepest[i, :, None]
            np.maximum(top, np.maximum.reduce(gap, axis=0), out=top)
    return np.asarray(top)
