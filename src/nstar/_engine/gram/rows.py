"""From the rows of a matrix to a Block: bits moved to their places, graded scores centred."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.matrix import NOTHING, ScoreMatrix
from nstar._engine.gram.block import STRIP, Bits, Block, ones
from nstar._engine.gram.layout import Layout

_CELLS = 1 << 21
"""Scores unpacked at once."""


def present_in_all(matrix: ScoreMatrix, models: Sequence[int]) -> BoolArray:
    """Which items all of these models have, (N,)."""
    n = len(matrix.items)
    if matrix.means is not None:
        every = np.ones(n, dtype=np.bool_)
        for i in models:
            every &= matrix.present(i)
        return every
    if matrix.mask is None:
        return np.ones(n, dtype=np.bool_)
    rows = np.asarray(models)
    joint = np.full(matrix.mask.shape[1], 0xFF, dtype=np.uint8)
    for start in range(0, len(rows), STRIP):
        joint &= np.bitwise_and.reduce(matrix.mask[rows[start : start + STRIP]], axis=0)
    return np.unpackbits(joint, count=n, bitorder="little").astype(np.bool_)


def repacked(rows: Bits, models: IntArray, n: int, where: Layout) -> Bits:
    """Bits moved to their places, some rows at a time."""
    if where.straight(n):
        return np.ascontiguousarray(rows[models])
    out = np.empty((len(models), where.width // 8), dtype=np.uint8)
    step = max(1, _CELLS // max(n, 1))
    for start in range(0, len(models), step):
        some = rows[models[start : start + step]]
        cells = np.unpackbits(some, axis=1, count=n, bitorder="little")
        moved = np.zeros((len(some), where.width), dtype=np.uint8)
        moved[:, where.place] = cells[:, where.items]
        out[start : start + step] = np.packbits(moved, axis=1, bitorder="little")
    return out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Centre:
    """What is taken off graded scores so that products keep their digits."""

    offset: float
    """Mean of all scores."""
    items: Array
    """Mean of each item over the models that have it, by place, (width,)."""
    slack: float
    """Differences up to this are rounding."""
    complete: bool
    """No score is absent."""


def _placed(means: Array, models: IntArray, where: Layout) -> tuple[Array, Array]:
    """Graded scores in their places, 0 where absent, and 1 where they are there."""
    x, there = np.zeros((2, len(models), where.width))
    for k, i in enumerate(models.tolist()):
        row = means[i][where.items]
        seen = ~np.isnan(row)
        there[k, where.place] = seen
        x[k, where.place] = np.where(seen, row, 0.0)
    return x, there


def centre(means: Array, models: IntArray, where: Layout) -> Centre:
    """Look at every score once, a strip of models at a time."""
    sums, seen = np.zeros((2, where.width))
    low, high = 0.0, 1.0
    for start in range(0, len(models), STRIP):
        x, there = _placed(means, models[start : start + STRIP], where)
        sums += x.sum(axis=0)
        seen += there.sum(axis=0)
        low, high = min(low, float(x.min(initial=low))), max(high, float(x.max(initial=high)))
    return Centre(
        offset=float(sums.sum() / max(seen.sum(), 1.0)),
        items=sums / np.maximum(seen, 1.0),
        slack=NOTHING * (high - low),
        complete=bool((seen[where.place] == len(models)).all()),
    )


def graded(means: Array, models: IntArray, where: Layout, about: Centre) -> Block:
    """Graded scores of some models, less their centre."""
    x, there = _placed(means, models, where)
    centred = x - about.items
    centred *= there
    x -= about.offset
    x *= there
    return Block(
        n=len(where.place),
        scores=x,
        centred=centred,
        there=None if about.complete else there,
        offset=about.offset,
        slack=about.slack,
    )


def block(matrix: ScoreMatrix, models: Sequence[int], where: Layout) -> Block:
    """The scores of some models, in this order, on the items of a layout."""
    order, n = np.asarray(models, dtype=np.int64), len(matrix.items)
    if matrix.means is not None:
        return graded(matrix.means, order, where, centre(matrix.means, order, where))
    mask = None
    if matrix.mask is not None:
        mask = repacked(matrix.mask, order, n, where)
        if (ones(mask) == len(where.place)).all():
            mask = None
    bits: Any = matrix.bits
    return Block(n=len(where.place), bits=repacked(bits, order, n, where), mask=mask)
