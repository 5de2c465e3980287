"""All pairs of a panel by tiles, each a pure function of its rows, its columns and a table."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np

from nstar._audit.pvalues import pvalues
from nstar._pairs import Lineup, PairStats, Panel, gaps
from nstar._typing import Array, IntArray
from nstar._work import ordered
from nstar.stats._midp import MidpTable

__all__ = [
    "TILE",
    "Progress",
    "Tile",
    "bands",
    "by_tiles",
    "every_pair",
    "judge_tile",
    "neighbours",
]

TILE = 256
"""Models on a side: what a tile needs then stays in a processor's cache."""

_BAND = 32
"""Neighbours compared at once."""

Progress: TypeAlias = Callable[[int, int], None]
R = TypeVar("R")
L = TypeVar("L", Panel, Lineup)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tile:
    """Pairs of models, first before second in rank, with their statistics."""

    first: IntArray
    """Row numbers, broadcastable to the shape of the statistics."""
    second: IntArray
    """Row numbers of the second models."""
    pairs: PairStats
    """Gaps and errors."""
    p: Array
    """p-values, each pair alone."""


def judge_tile(
    rows: Lineup, columns: Lineup, table: MidpTable, *, upper: bool, bound: bool = False
) -> tuple[PairStats, Array]:
    """Statistics and p-values of a tile; only the pairs above the diagonal if ``upper``.

    A tile depends on nothing but its arguments, so that it can be computed anywhere.
    """
    pairs = gaps(rows, columns)
    if upper:
        pairs = pairs.take(np.triu_indices(len(rows), 1))
    return pairs, pvalues(pairs, rows.design, table, bound=bound)


def every_pair(panel: Lineup, table: MidpTable) -> Tile:
    """All pairs at once, one row of arrays, for as many models as memory should hold."""
    first, second = np.triu_indices(len(panel), 1)
    pairs, p = judge_tile(panel, panel, table, upper=True)
    return Tile(first=first, second=second, pairs=pairs, p=p)


def bands(panel: L) -> Iterator[tuple[L, L, tuple[IntArray, IntArray]]]:
    """Some models, those that follow each of them, and where the two meet in their tile."""
    for start in range(0, len(panel) - 1, _BAND):
        rows = panel[start : min(start + _BAND, len(panel) - 1)]
        diagonal = np.arange(len(rows))
        yield rows, panel[start + 1 : start + 1 + len(rows)], (diagonal, diagonal)


def neighbours(panel: Lineup) -> PairStats:
    """Each model with the next one, (M - 1,)."""
    return PairStats.joined([gaps(a, b).take(diagonal) for a, b, diagonal in bands(panel)])


def by_tiles(
    panel: Lineup,
    work: Callable[[Tile], R],
    *,
    workers: int,
    table: MidpTable,
    progress: Progress | None = None,
    rows: slice | None = None,
    bound: bool = False,
) -> Iterator[R]:
    """``work`` on every tile, in order; all tiles, or those of some rows (whole tiles).

    With ``bound``, one number stands for p-values so small that they decide nothing.
    """
    starts = range(0, len(panel), TILE)
    panel.count()
    parts = [panel[i : i + TILE] for i in starts]
    numbers = np.arange(len(panel))
    span = range(len(parts)) if rows is None else range(rows.start // TILE, -(-rows.stop // TILE))

    def job(i: int, j: int) -> Callable[[], R]:
        def tile() -> R:
            pairs, p = judge_tile(parts[i], parts[j], table, upper=i == j, bound=bound)
            a, b = (numbers[k * TILE : (k + 1) * TILE] for k in (i, j))
            if i == j:
                up = np.triu_indices(len(a), 1)
                return work(Tile(first=a[up[0]], second=a[up[1]], pairs=pairs, p=p))
            return work(Tile(first=a[:, None], second=b[None, :], pairs=pairs, p=p))

        return tile

    order = [(i, j) for i in span for j in range(i, len(parts))]
    done, total = 0, sum(_size(parts, i, j) for i, j in order)
    for (i, j), result in zip(order, ordered((job(*ij) for ij in order), workers), strict=True):
        yield result
        done += _size(parts, i, j)
        if progress is not None:
            progress(done, total)


def _size(parts: list[Lineup], i: int, j: int) -> int:
    m = len(parts[i])
    return m * (m - 1) // 2 if i == j else m * len(parts[j])
