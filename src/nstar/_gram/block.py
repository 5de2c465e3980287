"""Rows of a matrix as a Gram takes them: the same items in the same places, group by group."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from nstar._gram import engine
from nstar._matrix import NOTHING, Grouping, ScoreMatrix
from nstar._typing import BoolArray, IntArray
from nstar.errors import DataError

__all__ = ["NO_LABEL", "Block", "Layout", "block", "layout", "present_in_all"]

Bits = npt.NDArray[np.uint8]

NO_LABEL = "(no label)"

_LARGEST = 1 << 30
"""Items of which 32-bit integers hold every count."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """Which items, and where each stands in a packed row; every group begins on a whole byte."""

    items: IntArray
    """Columns of the matrix, (N,)."""
    place: IntArray
    """Where each of them goes, (N,)."""
    width: int
    """Places in a row, a multiple of 8."""
    labels: tuple[str, ...] = ()
    """Groups, by name; none if items are not grouped."""
    ends: tuple[int, ...] = ()
    """Where each group ends."""
    sizes: IntArray
    """Items of each group."""


def _codes(grouping: Grouping, items: IntArray) -> tuple[IntArray, tuple[str, ...]]:
    """Groups that have items, in the order of their names; items without a label are one more."""
    used, codes = np.unique(grouping.codes[items], return_inverse=True)
    labels = [NO_LABEL if k < 0 else grouping.labels[k] for k in used.tolist()]
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes.reshape(-1)], tuple(labels[k] for k in order)


def layout(items: IntArray, grouping: Grouping | None = None, *, by_size: bool = False) -> Layout:
    """Places for some items of a matrix, group by group if a grouping is given.

    Groups stand in the order of their names, or of their sizes if asked.
    """
    if len(items) >= _LARGEST:
        msg = f"{len(items):,} items are too many for one task; the most is {_LARGEST - 1:,}"
        raise DataError(msg)
    if grouping is None:
        width = -(-len(items) // 8) * 8
        none = np.empty(0, dtype=np.int64)
        return Layout(items=items, place=np.arange(len(items)), width=width, sizes=none)
    codes, labels = _codes(grouping, items)
    if by_size:
        order = np.argsort(np.bincount(codes, minlength=len(labels)), kind="stable")
        labels = tuple(labels[k] for k in order.tolist())
        codes = np.argsort(order)[codes]
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes, minlength=len(labels))
    room = -(-sizes // 8) * 8
    ends = np.cumsum(room)
    within = np.arange(len(items)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return Layout(
        items=items[order],
        place=np.repeat(ends - room, sizes) + within,
        width=int(ends[-1]) if len(ends) else 0,
        labels=labels,
        ends=tuple(ends.tolist()),
        sizes=sizes,
    )


def _ones(bits: Bits) -> npt.NDArray[np.int32]:
    """Ones in each row."""
    out = np.empty(len(bits), dtype=np.int32)
    for start in range(0, len(bits), 256):
        out[start : start + 256] = np.bitwise_count(bits[start : start + 256]).sum(axis=1)
    return out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """Some models' scores on the items of a layout. Slices of a block are what tiles receive."""

    n: int
    """Items of the layout."""
    bits: Bits | None = None
    """Binary scores, a bit each, 0 where absent, (M, width / 8)."""
    mask: Bits | None = None
    """Which of them are there; None if all are."""
    scores: Any = None
    """Graded scores less their offset, 0 where absent, (M, width)."""
    centred: Any = None
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

    def __getitem__(self, rows: slice | IntArray) -> "Block":
        """Some of the models."""
        known = {"sums": self._made["sums"][rows]} if "sums" in self._made else {}
        return self._cut(lambda x: x[rows], _made=known)

    def segment(self, start: int, stop: int, n: int) -> "Block":
        """The places from ``start`` to ``stop``, with ``n`` items there."""
        if self.bits is not None:
            start, stop = start // 8, stop // 8
        return self._cut(lambda x: x[:, start:stop], _made={}, n=n)

    def _cut(self, cut: Any, **also: Any) -> "Block":
        parts = ("bits", "mask", "scores", "centred", "there")
        kept = {name: getattr(self, name) for name in parts}
        also |= {name: cut(x) for name, x in kept.items() if x is not None}
        return replace(self, **also)

    @property
    def _any(self) -> Any:
        return self.scores if self.bits is None else self.bits

    @property
    def binary(self) -> bool:
        """Scores are bits."""
        return self.bits is not None

    @property
    def complete(self) -> bool:
        """No score is absent."""
        return self.mask is None and self.there is None

    def packed(self, part: Literal["bits", "mask"]) -> engine.Packed:
        """Bits as columns of a tile, made once."""
        if part not in self._made:
            self._made[part] = engine.pack(getattr(self, part))
        return self._made[part]

    @property
    def sums(self) -> Any:
        """Sum of each model's own scores less the offset, made once, (M,)."""
        if "sums" not in self._made:
            bits = self.bits
            self._made["sums"] = self._any.sum(axis=1) if bits is None else _ones(bits)
        return self._made["sums"]

    def counts(self) -> IntArray:
        """Scores that each model has, (M,)."""
        if self.mask is not None:
            return _ones(self.mask).astype(np.int64)
        if self.there is not None:
            return np.asarray(self.there.sum(axis=1)).astype(np.int64)
        return np.full(len(self), self.n, dtype=np.int64)


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
    joint = np.bitwise_and.reduce(matrix.mask[np.asarray(models)], axis=0)
    return np.unpackbits(joint, count=n, bitorder="little").astype(np.bool_)


def _repacked(rows: Bits, models: Sequence[int], n: int, where: Layout) -> Bits:
    """Bits moved to their places, a row at a time."""
    straight = not where.ends and np.array_equal(where.items, np.arange(n))
    if straight:
        return np.ascontiguousarray(rows[np.asarray(models)])
    out = np.empty((len(models), where.width // 8), dtype=np.uint8)
    row = np.zeros(where.width, dtype=np.uint8)
    for k, i in enumerate(models):
        row[where.place] = np.unpackbits(rows[i], count=n, bitorder="little")[where.items]
        out[k] = np.packbits(row, bitorder="little")
    return out


def _graded(matrix: ScoreMatrix, models: Sequence[int], where: Layout) -> Block:
    x = np.zeros((len(models), where.width))
    there = np.zeros((len(models), where.width))
    for k, i in enumerate(models):
        row = matrix.row(i)[where.items]
        seen = ~np.isnan(row)
        there[k, where.place] = seen
        x[k, where.place] = np.where(seen, row, 0.0)
    seen = np.maximum(there.sum(axis=0), 1.0)
    offset = float(x.sum() / max(there.sum(), 1.0))
    low, high = float(x.min(initial=0.0)), float(x.max(initial=1.0))
    centred = x - x.sum(axis=0) / seen
    centred *= there
    x -= offset
    x *= there
    whole = bool((there[:, where.place] == 1).all())
    return Block(
        n=len(where.items),
        scores=x,
        centred=centred,
        there=None if whole else there,
        offset=offset,
        slack=NOTHING * (high - low),
    )


def block(matrix: ScoreMatrix, models: Sequence[int], where: Layout) -> Block:
    """The scores of some models, in this order, on the items of a layout."""
    if matrix.bits is None:
        return _graded(matrix, models, where)
    n = len(matrix.items)
    mask = None
    if matrix.mask is not None:
        mask = _repacked(matrix.mask, models, n, where)
        if (_ones(mask) == len(where.items)).all():
            mask = None
    return Block(n=len(where.items), bits=_repacked(matrix.bits, models, n, where), mask=mask)
