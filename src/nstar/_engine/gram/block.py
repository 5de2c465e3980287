"""Block: rows of a matrix as a Gram takes them, the same items in the same places."""

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
"""Models that are looked at together."""


def ones(bits: Bits) -> npt.NDArray[np.int32]:
    """Ones in each row."""
    out = np.empty(len(bits), dtype=np.int32)
    for start in range(0, len(bits), 256):
        out[start : start + 256] = np.bitwise_count(bits[start : start + 256]).sum(axis=1)
    return out


class MatrixRows:
    """Models whose scores are looked at some at a time, wherever they are."""

    __slots__ = ()

    def strips(self) -> Iterator["ScoreBlock"]:
        """All models, some at a time, with their scores."""
        rows: Any = self
        for start in range(0, len(rows), STRIP):
            yield rows[start : start + STRIP].load()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreBlock(MatrixRows):
    """Some models' scores on the items of a layout. Slices of a block are what tiles receive."""

    n: int
    """Items of the layout."""
    bits: Bits | None = None
    """Binary scores, a bit each, 0 where absent, (M, width / 8)."""
    mask: Bits | None = None
    """Which of them are there; None if all are."""
    scores: Any = None
    """Graded scores less their offset, 0 where absent, (M, width)."""
    centered: Any = None
    """Graded scores less the mean of their item, 0 where absent, (M, width)."""
    there: Any = None
    """1 where a graded score is there, else 0; None if all are."""
    offset: float = 0.0
    """What was taken off graded scores."""
    slack: float = NOTHING
    """Differences up to this are rounding."""
    _made: dict[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """Models."""
        return len(self._any)

    def __getitem__(self, rows: slice | IntArray) -> "ScoreBlock":
        """Some of the models."""
        known = {"sums": self._made["sums"][rows]} if "sums" in self._made else {}
        return self._cut(lambda x: x[rows], _made=known)

    def know(self, made: dict[str, Any]) -> None:
        """Take over what is known of these models."""
        self._made.update(made)

    def load(self) -> "ScoreBlock":
        """Itself; see :class:`~nstar._engine.gram.rows.StoredBlock`."""
        return self

    def segment(self, start: int, stop: int, n: int) -> "ScoreBlock":
        """The places from ``start`` to ``stop``, with ``n`` items there."""
        if self.bits is not None:
            start, stop = start // 8, stop // 8
        return self._cut(lambda x: x[:, start:stop], _made={}, n=n)

    def _cut(self, cut: Any, **also: Any) -> "ScoreBlock":
        parts = ("bits", "mask", "scores", "centered", "there")
        kept = {name: getattr(self, name) for name in parts}
        also |= {name: cut(x) for name, x in kept.items() if x is not None}
        return replace(self, **also)

    @property
    def _any(self) -> Any:
        return self.scores if self.bits is None else self.bits

    @property
    def nbytes(self) -> int:
        """What the scores take."""
        parts = (self.bits, self.mask, self.scores, self.centered, self.there)
        return sum(x.nbytes for x in parts if x is not None)

    @property
    def binary(self) -> bool:
        """Scores are bits."""
        return self.bits is not None

    @property
    def complete(self) -> bool:
        """No score is absent."""
        return self.mask is None and self.there is None

    def packed(self, part: Literal["bits", "mask"]) -> popcount.Packed:
        """Bits as columns of a tile, made once."""
        if part not in self._made:
            self._made[part] = popcount.pack(getattr(self, part))
        return self._made[part]

    @property
    def sums(self) -> Any:
        """Sum of each model's own scores less the offset, made once, (M,)."""
        if "sums" not in self._made:
            bits = self.bits
            self._made["sums"] = self._any.sum(axis=1) if bits is None else ones(bits)
        return self._made["sums"]

    def counts(self) -> IntArray:
        """Scores that each model has, (M,)."""
        if self.mask is not None:
            return ones(self.mask).astype(np.int64)
        if self.there is not None:
            return np.asarray(self.there.sum(axis=1)).astype(np.int64)
        return np.full(len(self), self.n, dtype=np.int64)
