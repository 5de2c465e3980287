"""All pairs of a panel by tiles, with p-values: a pure function of its rows and its columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._engine.pairs import ItemDesign, Lineup, PairStats, Panel, gaps
from nstar.stats._midp import MidpTable


def _mcnemar(pairs: PairStats, table: MidpTable, *, bound: bool) -> Array:
    g = pairs.gram
    gap = np.broadcast_to(g.gap, g.shape)
    p = table.pvalue(g.gap2, np.abs(gap), bound=bound)
    dense = g.gap2 > stats.PSI_EXACT * np.asarray(g.n)
    if dense.any():
        p[dense] = stats.mcnemar_pvalue(*g.take(dense).discordant, method="exact")
    return p


def _one_way(pairs: PairStats, design: ItemDesign) -> Array:
    """What pointed one way if no error was measured, as far as sums tell.

    All items, or all clusters of the pair; within strata only items that differ, of graded scores
    and of averages at least one.
    """
    if design.kind in {"items", "cluster"}:
        return np.asarray(pairs.units, dtype=np.float64)
    differ = design.kind == "strata" and pairs.gram.binary
    return np.asarray(pairs.gram.gap2 if differ else 1, dtype=np.float64)


def _student(pairs: PairStats, design: ItemDesign) -> Array:
    """Two-sided t; if no error was measured, that of all units pointing one way by chance."""
    with np.errstate(invalid="ignore"):
        size = -np.abs(pairs.t)
        p = 2 * np.where(np.isinf(pairs.df), special.ndtr(size), special.stdtr(pairs.df, size))
        p = np.where(np.isinf(pairs.t), np.exp2(1.0 - _one_way(pairs, design)), p)
    return np.clip(np.nan_to_num(p, nan=1.0), stats.P_FLOOR, 1.0)


def pvalues(
    pairs: PairStats, design: ItemDesign, table: MidpTable, *, bound: bool = False
) -> Array:
    """Two-sided p-values under a design; 1 for a pair without an item in common.

    With ``bound``, one number may stand for all p-values below it that decide nothing.
    """
    if design.kind == "items" and pairs.gram.binary:
        return _mcnemar(pairs, table, bound=bound)
    return _student(pairs, design)


TILE = 256
"""Models on a side: what a tile needs then stays in a processor's cache."""

_BAND = 32
"""Neighbours compared at once."""

L = TypeVar("L", Panel, Lineup)


@cache
def table_here() -> MidpTable:
    """The table of this process: made once, in rows that tiles ask for."""
    return MidpTable()


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


def _judge_tile(
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
    pairs, p = _judge_tile(panel, panel, table, upper=True)
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


def tile_of(
    rows: Lineup, columns: Lineup, starts: tuple[int, int], *, bound: bool = False
) -> Tile:
    """The tile of some models with others, or with themselves if both start at one place.

    With ``bound``, one number stands for p-values so small that they decide nothing.
    """
    upper = starts[0] == starts[1]
    pairs, p = _judge_tile(rows, columns, table_here(), upper=upper, bound=bound)
    a, b = (np.arange(s, s + len(x)) for s, x in zip(starts, (rows, columns), strict=True))
    if upper:
        up = np.triu_indices(len(a), 1)
        return Tile(first=a[up[0]], second=a[up[1]], pairs=pairs, p=p)
    return Tile(first=a[:, None], second=b[None, :], pairs=pairs, p=p)


def tile_pairs(rows: int, columns: int, *, upper: bool) -> int:
    """Pairs of a tile with so many models on its sides."""
    return rows * (rows - 1) // 2 if upper else rows * columns
