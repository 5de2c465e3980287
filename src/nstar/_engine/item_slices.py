"""Iterate over the scores of all models on a few items at a time, to limit memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nstar._base.types import IntArray
from nstar._data.matrix import ScoreMatrix

_CELLS = 1 << 20
"""Number of scores that are unpacked at a time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemSlice:
    """Scores of all models on some items, (models, items)."""

    place: slice
    """Positions of these items among the requested items."""
    scores: Any
    """Scores as bytes (0 or 1), or graded scores as floats. Missing scores are 0."""
    there: Any
    """Mask of existing scores. None if no score is missing."""


def stretches(
    matrix: ScoreMatrix, models: Sequence[int], items: IntArray, offset: float = 0.0
) -> Iterator[ItemSlice]:
    """Yield every score once, in slices. ``items`` are columns of the matrix in ascending order.

    ``offset`` is subtracted from graded scores.

    >>> m = ScoreMatrix.from_arrays([[1, 0, 1], [1, 1, float("nan")]], models=["a", "b"])
    >>> [(s.scores.tolist(), s.there.tolist()) for s in stretches(m, [1], np.array([1, 2]))]
    [([[1, 0]], [[True, False]])]
    """
    rows = np.asarray(models, dtype=np.int64)
    width = max(8, _CELLS // max(len(rows), 1) // 8 * 8)
    for start in range(0, len(matrix.items), width):
        stop = min(start + width, len(matrix.items))
        first, last = np.searchsorted(items, (start, stop)).tolist()
        if first == last:
            continue
        x, present = _cells(matrix, rows, (start, stop), offset)
        if last - first < stop - start:
            chosen = items[first:last] - start
            x, present = x[:, chosen], None if present is None else present[:, chosen]
        if present is not None and present.all():
            present = None
        yield ItemSlice(place=slice(first, last), scores=x, there=present)


def _cells(
    matrix: ScoreMatrix, rows: IntArray, ends: tuple[int, int], offset: float
) -> tuple[Any, Any]:
    """Return scores and presence of one slice, which begins with the first item of a byte."""
    start, stop = ends
    if matrix.bits is None:
        x = np.asarray(matrix.means)[rows, start:stop] - offset
        present = ~np.isnan(x)
        return np.where(present, x, 0.0), present
    part = slice(start // 8, -(-stop // 8))
    arrays = [
        None
        if bits is None
        else np.unpackbits(
            np.asarray(bits[rows, part]), axis=1, count=stop - start, bitorder="little"
        )
        for bits in (matrix.bits, matrix.mask)
    ]
    return arrays[0], None if arrays[1] is None else arrays[1].view(np.bool_)
