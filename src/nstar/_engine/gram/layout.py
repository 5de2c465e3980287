"""Layout: which items of a matrix, and where each stands in a row that a tile receives."""

from dataclasses import dataclass, replace

import numpy as np

from nstar._base.types import IntArray
from nstar._data.matrix import Grouping
from nstar.errors import DataError

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

    def light(self) -> "Layout":
        """The same without items and their places."""
        none = np.empty(0, dtype=np.int64)
        return replace(self, items=none, place=none)

    def straight(self, n: int) -> bool:
        """Whether a row of a matrix with n items is as it should be already."""
        return not self.ends and np.array_equal(self.items, np.arange(n))


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
