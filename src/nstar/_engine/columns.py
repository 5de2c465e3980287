"""All models on a stretch of items at a time: what is asked item by item, in little memory."""

from collections.abc import Iterator, Sequence

import numpy as np

from nstar._base.types import Array, IntArray
from nstar._data.matrix import ScoreMatrix

_CELLS = 1 << 20
"""Scores held at once, at eight bytes each."""


def stretches(
    matrix: ScoreMatrix, models: Sequence[int], items: IntArray
) -> Iterator[tuple[slice, Array]]:
    """Where a stretch of the items stands, and its scores, (models, stretch); NaN where absent.

    ``items`` are columns of the matrix in ascending order.

    Examples
    --------
    >>> m = ScoreMatrix.from_arrays([[1, 0, 1], [1, 1, float("nan")]], models=["a", "b"])
    >>> [(place.stop, x.tolist()) for place, x in stretches(m, [1], np.array([1, 2]))]
    [(2, [[1.0, nan]])]
    """
    rows = np.asarray(models, dtype=np.int64)
    width = max(8, _CELLS // max(len(rows), 1) // 8 * 8)
    for start in range(0, len(matrix.items), width):
        stop = min(start + width, len(matrix.items))
        first, last = np.searchsorted(items, (start, stop)).tolist()
        if first < last:
            chosen = items[first:last] - start
            every = last - first == stop - start
            x = _cells(matrix, rows, start, stop)
            yield slice(first, last), x if every else x[:, chosen]


def _cells(matrix: ScoreMatrix, rows: IntArray, start: int, stop: int) -> Array:
    """Scores of one stretch; ``start`` is the first item of a byte."""
    if matrix.bits is None:
        return np.asarray(matrix.means)[rows, start:stop]
    part = slice(start // 8, -(-stop // 8))
    x = _unpacked(matrix.bits[rows, part], stop - start).astype(np.float64)
    if matrix.mask is not None:
        x[_unpacked(matrix.mask[rows, part], stop - start) == 0] = np.nan
    return x


def _unpacked(bits: np.ndarray, n: int) -> np.ndarray:  # type: ignore[type-arg]
    return np.unpackbits(bits, axis=1, count=n, bitorder="little")
