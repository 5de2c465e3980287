"""Rows of a matrix for tiles: a layout of items, blocks in memory, and rows on disk."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.matrix import NOTHING, Grouping, ScoreMatrix
from nstar._engine.gram.block import STRIP, Bits, MatrixRows, ScoreBlock, ones
from nstar.errors import DataError

NO_LABEL = "(no label)"

_LARGEST = 1 << 30
"""Largest number of items for which 32-bit integers hold every count."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemLayout:
    """Selected items and their positions in a packed row. Each group begins with a whole byte."""

    items: IntArray
    """Columns of the matrix, (N,)."""
    place: IntArray
    """Position of each item in a row, (N,)."""
    width: int
    """Number of positions in a row, a multiple of 8."""
    labels: tuple[str, ...] = ()
    """Names of the groups. Empty if items are not grouped."""
    ends: tuple[int, ...] = ()
    """Position at which each group ends."""
    sizes: IntArray
    """Number of items of each group."""

    def light(self) -> "ItemLayout":
        """Return the layout without the items and their positions."""
        none = np.empty(0, dtype=np.int64)
        return replace(self, items=none, place=none)

    def straight(self, n: int) -> bool:
        """Return whether a row of a matrix with ``n`` items already has this layout."""
        return not self.ends and np.array_equal(self.items, np.arange(n))


def _codes(grouping: Grouping, items: IntArray) -> tuple[IntArray, tuple[str, ...]]:
    """Return the group of each item, and the names of the groups that have items, sorted.

    Items without a label form an additional group.
    """
    used, codes = np.unique(grouping.codes[items], return_inverse=True)
    labels = [NO_LABEL if k < 0 else grouping.labels[k] for k in used.tolist()]
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes.reshape(-1)], tuple(labels[k] for k in order)


def layout(
    items: IntArray, grouping: Grouping | None = None, *, by_size: bool = False
) -> ItemLayout:
    """Assign positions to some items of a matrix, group by group if there is a grouping.

    Groups are sorted by name, or by size if ``by_size`` is set.
    """
    if len(items) >= _LARGEST:
        msg = f"{len(items):,} items are too many for one task. The maximum is {_LARGEST - 1:,}."
        raise DataError(msg)
    if grouping is None:
        width = -(-len(items) // 8) * 8
        none = np.empty(0, dtype=np.int64)
        return ItemLayout(items=items, place=np.arange(len(items)), width=width, sizes=none)
    codes, labels = _codes(grouping, items)
    if by_size:
        order = np.argsort(np.bincount(codes, minlength=len(labels)), kind="stable")
        labels = tuple(labels[k] for k in order.tolist())
        codes = np.argsort(order)[codes]
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes, minlength=len(labels))
    padded_sizes = -(-sizes // 8) * 8
    ends = np.cumsum(padded_sizes)
    within = np.arange(len(items)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return ItemLayout(
        items=items[order],
        place=np.repeat(ends - padded_sizes, sizes) + within,
        width=int(ends[-1]) if len(ends) else 0,
        labels=labels,
        ends=tuple(ends.tolist()),
        sizes=sizes,
    )


_CELLS = 1 << 21
"""Number of scores that are unpacked at a time."""


def present_in_all(matrix: ScoreMatrix, models: Sequence[int]) -> BoolArray:
    """Return a mask of the items that all of these models have, (N,)."""
    n = len(matrix.items)
    if matrix.means is not None:
        in_all = np.ones(n, dtype=np.bool_)
        for i in models:
            in_all &= matrix.present(i)
        return in_all
    if matrix.mask is None:
        return np.ones(n, dtype=np.bool_)
    rows = np.asarray(models)
    joint = np.full(matrix.mask.shape[1], 0xFF, dtype=np.uint8)
    for start in range(0, len(rows), STRIP):
        joint &= np.bitwise_and.reduce(matrix.mask[rows[start : start + STRIP]], axis=0)
    return np.unpackbits(joint, count=n, bitorder="little").astype(np.bool_)


def _repacked(rows: Bits, models: IntArray, n: int, where: ItemLayout) -> Bits:
    """Move bits to their positions, a few rows at a time."""
    if where.straight(n):
        return np.ascontiguousarray(rows[models])
    out = np.empty((len(models), where.width // 8), dtype=np.uint8)
    step = max(1, _CELLS // max(n, 1))
    for start in range(0, len(models), step):
        chunk = rows[models[start : start + step]]
        cells = np.unpackbits(chunk, axis=1, count=n, bitorder="little")
        moved = np.zeros((len(chunk), where.width), dtype=np.uint8)
        moved[:, where.place] = cells[:, where.items]
        out[start : start + step] = np.packbits(moved, axis=1, bitorder="little")
    return out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Centering:
    """Offsets of graded scores that preserve the digits of products."""

    offset: float
    """Mean of all scores."""
    items: Array
    """Mean score of each item over the models that have it, by position, (width,)."""
    slack: float
    """Largest difference that is attributed to rounding error."""
    complete: bool
    """Whether no score is missing."""


def _placed(means: Array, models: IntArray, where: ItemLayout) -> tuple[Array, Array]:
    """Return graded scores in their positions, 0 where missing, and a mask of existing scores."""
    x, present = np.zeros((2, len(models), where.width))
    for k, i in enumerate(models.tolist()):
        row = means[i][where.items]
        is_known = ~np.isnan(row)
        present[k, where.place] = is_known
        x[k, where.place] = np.where(is_known, row, 0.0)
    return x, present


def _center(means: Array, models: IntArray, where: ItemLayout) -> _Centering:
    """Compute the centering in one pass over all scores, one strip of models at a time."""
    sums, counts = np.zeros((2, where.width))
    low, high = 0.0, 1.0
    for start in range(0, len(models), STRIP):
        x, present = _placed(means, models[start : start + STRIP], where)
        sums += x.sum(axis=0)
        counts += present.sum(axis=0)
        low, high = min(low, float(x.min(initial=low))), max(high, float(x.max(initial=high)))
    return _Centering(
        offset=float(sums.sum() / max(counts.sum(), 1.0)),
        items=sums / np.maximum(counts, 1.0),
        slack=NOTHING * (high - low),
        complete=bool((counts[where.place] == len(models)).all()),
    )


def _graded(
    means: Array, models: IntArray, where: ItemLayout, centering: _Centering
) -> ScoreBlock:
    """Return graded scores of some models, minus their center."""
    x, present = _placed(means, models, where)
    centered = x - centering.items
    centered *= present
    x -= centering.offset
    x *= present
    return ScoreBlock(
        n=len(where.place),
        scores=x,
        centered=centered,
        there=None if centering.complete else present,
        offset=centering.offset,
        slack=centering.slack,
    )


def block(matrix: ScoreMatrix, models: Sequence[int], where: ItemLayout) -> ScoreBlock:
    """Return the scores of some models on the items of a layout, in the order of ``models``."""
    order, n = np.asarray(models, dtype=np.int64), len(matrix.items)
    if matrix.means is not None:
        return _graded(matrix.means, order, where, _center(matrix.means, order, where))
    mask = None
    if matrix.mask is not None:
        mask = _repacked(matrix.mask, order, n, where)
        if (ones(mask) == len(where.place)).all():
            mask = None
    bits: Any = matrix.bits
    return ScoreBlock(n=len(where.place), bits=_repacked(bits, order, n, where), mask=mask)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredBlock(MatrixRows):
    """Some models of a matrix in memory-mapped files, the form of :class:`ScoreBlock` on disk.

    Each tile receives a slice and first calls :meth:`load`.
    """

    bits: Any
    """Mapped rows of a binary matrix. None if scores are graded."""
    mask: Any
    """Mapped presence bits. None if no score is missing."""
    means: Any
    """Mapped rows of graded scores."""
    n: int
    """Number of items of the layout."""
    items: int
    """Number of items of the matrix."""
    order: IntArray
    """Rows of the matrix in the order of this block."""
    where: ItemLayout
    """Positions of the items. Empty if packed rows already have the layout."""
    straight: bool
    """Whether packed rows already have the layout."""
    center: _Centering | None = None
    """Centering of graded scores."""
    _made: dict[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """Return the number of models."""
        return len(self.order)

    def __getitem__(self, rows: slice | IntArray) -> "StoredBlock":
        """Return some of the models."""
        known = {"sums": self._made["sums"][rows]} if "sums" in self._made else {}
        return replace(self, order=self.order[rows], _made=known)

    def _rows(self, packed: Any) -> Any:
        if self.straight:
            return np.ascontiguousarray(packed[self.order])
        return _repacked(packed, self.order, self.items, self.where)

    def load(self) -> ScoreBlock:
        """Read the scores into memory."""
        if self.center is not None:
            loaded = _graded(self.means, self.order, self.where, self.center)
        else:
            mask = None if self.mask is None else self._rows(self.mask)
            loaded = ScoreBlock(n=self.n, bits=self._rows(self.bits), mask=mask)
        loaded.know(self._made)
        return loaded

    @property
    def binary(self) -> bool:
        """Return whether scores are bits."""
        return self.center is None

    @property
    def complete(self) -> bool:
        """Return whether no score is missing."""
        return self.mask is None if self.center is None else self.center.complete

    @property
    def offset(self) -> float:
        """Return the offset of graded scores."""
        return 0.0 if self.center is None else self.center.offset

    @property
    def nbytes(self) -> int:
        """Return the size of the scores in bytes once they are loaded."""
        if self.binary:
            return len(self) * self.where.width // 8 * (1 if self.mask is None else 2)
        return len(self) * self.where.width * 8 * (2 if self.complete else 3)

    @property
    def sums(self) -> Any:
        """Return the sum of each model's scores minus the offset, (M,). It is read once."""
        if "sums" not in self._made:
            self._made["sums"] = np.concatenate([part.sums for part in self.strips()])
        return self._made["sums"]

    def counts(self) -> IntArray:
        """Return the number of scores of each model, (M,)."""
        if self.complete:
            return np.full(len(self), self.n, dtype=np.int64)
        return np.concatenate([part.counts() for part in self.strips()])


def scores_of(
    matrix: ScoreMatrix, models: Sequence[int], where: ItemLayout
) -> ScoreBlock | StoredBlock:
    """Return the scores of some models on the items of a layout, without reading files on disk."""
    if not isinstance(matrix.means if matrix.bits is None else matrix.bits, np.memmap):
        return block(matrix, models, where)
    order, straight = np.asarray(models, dtype=np.int64), where.straight(len(matrix.items))
    stored_block = StoredBlock(
        bits=matrix.bits,
        mask=matrix.mask,
        means=matrix.means,
        n=len(where.items),
        items=len(matrix.items),
        order=order,
        where=where.light() if straight and matrix.means is None else where,
        straight=straight,
    )
    if matrix.means is not None:
        means: Array = matrix.means
        return replace(stored_block, center=_center(means, order, where))
    if stored_block.mask is not None and (stored_block.counts() == stored_block.n).all():
        return replace(stored_block, mask=None)
    return stored_block
