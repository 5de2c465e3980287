"""ScoreBlock: rows of a matrix with aligned items, in the form that a Gram needs."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from nstar._base.types import IntArray
from nstar._data.matrix import NOTHING
from nstar._engine.gram import popcount

Bits = npt.NDArray[np.uint8]

STRIP = 256
"""Number of models per strip."""


def ones(bits: Bits) -> npt.NDArray[np.int32]:
    """Return the number of ones in each row."""
    out = np.empty(len(bits), dtype=np.int32)
    for start in range(0, len(bits), 256):
        out[start : start + 256] = np.bitwise_count(bits[start : start + 256]).sum(axis=1)
    return out


class MatrixRows:
    """Interface to scores in memory or on disk, which are read in strips of models."""

    __slots__ = ()

    def strips(self) -> Iterator["ScoreBlock"]:
        """Yield all models with their scores, one strip at a time."""
        rows: Any = self
        for start in range(0, len(rows), STRIP):
            yield rows[start : start + STRIP].load()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreBlock(MatrixRows):
    """Scores of some models on the items of a layout. Each tile receives slices of a block."""

    n: int
    """Number of items of the layout."""
    bits: Bits | None = None
    """Binary scores, one bit each, with 0 for missing scores, (M, width / 8)."""
    mask: Bits | None = None
    """Presence bits of binary scores; None if no score is missing."""
    scores: Any = None
    """Graded scores minus their offset, with 0 for missing scores, (M, width)."""
    centered: Any = None
    """Graded scores minus the mean of their item, with 0 for missing scores, (M, width)."""
    there: Any = None
    """1 for each existing graded score, else 0. None if no score is missing."""
    offset: float = 0.0
    """Offset that was subtracted from graded scores."""
    slack: float = NOTHING
    """Largest difference that is attributed to rounding error."""
    _made: dict[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """Return the number of models."""
        return len(self._any)

    def __getitem__(self, rows: slice | IntArray) -> "ScoreBlock":
        """Return some of the models."""
        known = {"sums": self._made["sums"][rows]} if "sums" in self._made else {}
        return self._cut(lambda x: x[rows], _made=known)

    def know(self, values: dict[str, Any]) -> None:
        """Store cached values that were computed for these models."""
        self._made.update(values)

    def load(self) -> "ScoreBlock":
        """Return the block itself, like :meth:`nstar._engine.gram.rows.StoredBlock.load`."""
        return self

    def segment(self, start: int, stop: int, n: int) -> "ScoreBlock":
        """Return the positions from ``start`` to ``stop``, which hold ``n`` items."""
        if self.bits is not None:
            start, stop = start // 8, stop // 8
        return self._cut(lambda x: x[:, start:stop], _made={}, n=n)

    def _cut(self, cut: Any, **also: Any) -> "ScoreBlock":
        parts = ("bits", "mask", "scores", "centered", "there")
        arrays = {name: getattr(self, name) for name in parts}
        also |= {name: cut(x) for name, x in arrays.items() if x is not None}
        return replace(self, **also)

    @property
    def _any(self) -> Any:
        return self.scores if self.bits is None else self.bits

    @property
    def nbytes(self) -> int:
        """Return the size of the scores in bytes."""
        parts = (self.bits, self.mask, self.scores, self.centered, self.there)
        return sum(x.nbytes for x in parts if x is not None)

    @property
    def binary(self) -> bool:
        """Return whether scores are bits."""
        return self.bits is not None

    @property
    def complete(self) -> bool:
        """Return whether no score is missing."""
        return self.mask is None and self.there is None

    def packed(self, part: Literal["bits", "mask"]) -> popcount.Packed:
        """Return the bits as columns of a tile. They are computed once."""
        if part not in self._made:
            self._made[part] = popcount.pack(getattr(self, part))
        return self._made[part]

    @property
    def sums(self) -> Any:
        """Return the sum of each model's scores minus the offset, (M,). It is computed once."""
        if "sums" not in self._made:
            bits = self.bits
            self._made["sums"] = self._any.sum(axis=1) if bits is None else ones(bits)
        return self._made["sums"]

    def counts(self) -> IntArray:
        """Return the number of scores of each model, (M,)."""
        if self.mask is not None:
            return ones(self.mask).astype(np.int64)
        if self.there is not None:
            return np.asarray(self.there.sum(axis=1)).astype(np.int64)
        return np.full(len(self), self.n, dtype=np.int64)
