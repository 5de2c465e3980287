"""Stored: rows that stay on the disk until a tile wants them; small when sent to a worker."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nstar._base.types import Array, IntArray
from nstar._data.matrix import ScoreMatrix
from nstar._engine.gram.block import Block, MatrixRows
from nstar._engine.gram.layout import Layout
from nstar._engine.gram.rows import Centre, block, centre, graded, repacked


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stored(MatrixRows):
    """Some models of a matrix whose arrays are mapped files; what :class:`Block` is in memory.

    Slices of it are what tiles receive, and :meth:`load` is what they begin with.
    """

    bits: Any
    """Mapped rows of a binary matrix; None if scores are graded."""
    mask: Any
    """Likewise which of them are there; None if all are."""
    means: Any
    """Mapped rows of graded scores."""
    n: int
    """Items of the layout."""
    items: int
    """Items of the matrix."""
    order: IntArray
    """Rows of the matrix, in the order in which they stand here."""
    where: Layout
    """Places of the items; of no item, if packed rows are as they should be already."""
    straight: bool
    """Whether they are."""
    centre: Centre | None = None
    """What is taken off graded scores."""
    _made: dict[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """Models."""
        return len(self.order)

    def __getitem__(self, rows: slice | IntArray) -> "Stored":
        """Some of the models."""
        known = {"sums": self._made["sums"][rows]} if "sums" in self._made else {}
        return replace(self, order=self.order[rows], _made=known)

    def _rows(self, packed: Any) -> Any:
        if self.straight:
            return np.ascontiguousarray(packed[self.order])
        return repacked(packed, self.order, self.items, self.where)

    def load(self) -> Block:
        """The scores themselves."""
        if self.centre is not None:
            loaded = graded(self.means, self.order, self.where, self.centre)
        else:
            mask = None if self.mask is None else self._rows(self.mask)
            loaded = Block(n=self.n, bits=self._rows(self.bits), mask=mask)
        loaded.know(self._made)
        return loaded

    @property
    def binary(self) -> bool:
        """Scores are bits."""
        return self.centre is None

    @property
    def complete(self) -> bool:
        """No score is absent."""
        return self.mask is None if self.centre is None else self.centre.complete

    @property
    def offset(self) -> float:
        """What was taken off graded scores."""
        return 0.0 if self.centre is None else self.centre.offset

    @property
    def nbytes(self) -> int:
        """What the scores take when they are loaded."""
        if self.binary:
            return len(self) * self.where.width // 8 * (1 if self.mask is None else 2)
        return len(self) * self.where.width * 8 * (2 if self.complete else 3)

    @property
    def sums(self) -> Any:
        """Sum of each model's own scores less the offset, read once, (M,)."""
        if "sums" not in self._made:
            self._made["sums"] = np.concatenate([part.sums for part in self.strips()])
        return self._made["sums"]

    def counts(self) -> IntArray:
        """Scores that each model has, (M,)."""
        if self.complete:
            return np.full(len(self), self.n, dtype=np.int64)
        return np.concatenate([part.counts() for part in self.strips()])


def scores_of(matrix: ScoreMatrix, models: Sequence[int], where: Layout) -> Block | Stored:
    """The scores of some models on the items of a layout, left where they are if on a disk."""
    if not isinstance(matrix.means if matrix.bits is None else matrix.bits, np.memmap):
        return block(matrix, models, where)
    order, straight = np.asarray(models, dtype=np.int64), where.straight(len(matrix.items))
    found = Stored(
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
        return replace(found, centre=centre(means, order, where))
    if found.mask is not None and (found.counts() == found.n).all():
        return replace(found, mask=None)
    return found
