"""Compute p-values of all pairs of a panel, by tiles."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, TypeGuard, TypeVar

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._engine.gram import Gram, gram_along
from nstar._engine.pairs import AnyPanel, ItemDesign, PairStats, Panel, counted_stats, gaps
from nstar._engine.work import TileCache
from nstar.stats._midp import MidpTable
from nstar.stats._null_variance import strata_pvalue
from nstar.stats.mcnemar import P_FLOOR, PSI_EXACT


def mcnemar(discordant: IntArray, gap: IntArray, n: Any, *, bound: bool) -> Array:
    """Return McNemar's p-values of counts: mid-p, or exact where most items are discordant.

    With ``bound``, an upper bound may replace p-values that are too small to matter.
    """
    p = table_here().pvalue(discordant, np.abs(gap), bound=bound)
    dense = discordant > PSI_EXACT * np.asarray(n)
    if dense.any():
        d, lead = discordant[dense], gap[dense]
        p[dense] = stats.mcnemar_pvalue((d + lead) // 2, (d - lead) // 2, method="exact")
    return p


def _one_way(pairs: PairStats, design: ItemDesign) -> Array:
    """Return the number of units with the same sign if no error was measured.

    These are all items or all clusters of the pair. For graded scores in strata and for averages,
    the count is at least one.
    """
    if design.kind in {"independent", "cluster"}:
        return np.asarray(pairs.units, dtype=np.float64)
    return np.ones(())


def _student(pairs: PairStats, design: ItemDesign) -> Array:
    """Return two-sided p-values of t, or those of unanimous units without a standard error."""
    with np.errstate(invalid="ignore"):
        if design.kind == "strata" and pairs.gram.binary:
            p = strata_pvalue(pairs.t, pairs.df, n=pairs.n, discordant=pairs.gram.gap2)
        else:
            size = -np.abs(pairs.t)
            normal = np.isinf(pairs.df)
            p = 2 * np.where(normal, special.ndtr(size), special.stdtr(pairs.df, size))
            # No variance was observed, so t is infinite. What remains is the sign-flip p-value:
            # all units agree in sign with probability 2 · 2^-units. p = 0 would be false.
            p = np.where(np.isinf(pairs.t), np.exp2(1.0 - _one_way(pairs, design)), p)
    return np.clip(np.nan_to_num(p, nan=1.0), P_FLOOR, 1.0)


def pvalues(pairs: PairStats, design: ItemDesign) -> Array:
    """Return two-sided p-values under a design; 1 for a pair without a shared item."""
    if design.kind == "independent" and pairs.gram.binary:
        g = pairs.gram
        return mcnemar(g.gap2, np.broadcast_to(g.gap, g.shape), g.n, bound=False)
    return _student(pairs, design)


# Fixed on purpose: BLAS may round differently for other shapes, so a size that adapted to the
# machine or the number of workers could change the last bits of a result.
TILE = 256
"""Number of models per side, chosen so that a tile fits in a processor's cache."""

_BAND = 32
"""Number of adjacent pairs that are computed together."""

L = TypeVar("L", Panel, AnyPanel)


@cache
def table_here() -> MidpTable:
    """Return the table of this process, which is filled on demand."""
    return MidpTable()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tile:
    """Pairs of models, higher rank first, with their statistics."""

    first: IntArray
    """Row numbers of the first models, broadcastable to the shape of the statistics."""
    second: IntArray
    """Row numbers of the second models."""
    pairs: PairStats
    """Gaps and standard errors."""
    p: Array
    """Unadjusted p-values."""

    @property
    def gram(self) -> Gram:
        """Return the sums over shared items."""
        return self.pairs.gram

    @property
    def delta(self) -> Array:
        """Return the gaps."""
        return self.pairs.delta

    @property
    def nbytes(self) -> int:
        """Return the size of the pairs' statistics in bytes."""
        p, g = self.pairs, self.pairs.gram
        parts = (self.p, p.delta, p.se, p.t, p.df, p.units, p.lightest)
        sums = (g.n, g.first, g.second, g.first2, g.second2, g.gap, g.gap2)
        arrays = {id(x): np.asarray(x) for x in (*parts, *sums) if np.shape(x) == self.p.shape}
        return sum(x.nbytes for x in arrays.values() if 0 not in x.strides)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedTile:
    """Pairs of models with counts of 0/1 scores, which are sufficient for McNemar's test."""

    first: IntArray
    """Row numbers of the first models, broadcastable to the shape of the counts."""
    second: IntArray
    """Row numbers of the second models."""
    gram: Gram
    """Counts of 0/1 scores."""

    @property
    def delta(self) -> Array:
        """Return the gaps; NaN without a shared item."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.gram.gap * (1.0 / np.asarray(self.gram.n, dtype=np.float64)))

    def far(self, lead: float, fewest: float = 0.0) -> BoolArray:
        """Return a mask of the pairs whose |wins − losses| exceeds ``lead`` · √(discordant items).

        It excludes pairs with more than half, or fewer than ``fewest``, discordant items, for
        which the shortcut is not valid.
        """
        discordant = self.gram.gap2.astype(np.float64)
        out = np.square(self.gram.gap, dtype=np.float64) > lead**2 * discordant
        # McNemarTest.resolves() has its closed form only up to half the items discordant.
        # Beyond, N* follows another rule, so such pairs go through the full test.
        out &= discordant <= 0.5 * np.asarray(self.gram.n)
        if fewest > 0:
            out &= discordant >= fewest
        return np.asarray(out)

    def p(self, where: BoolArray) -> Array:
        """Return p-values of some pairs. A bound replaces those that are too small to matter."""
        g = self.gram
        n = g.n[where] if np.ndim(g.n) else g.n
        return mcnemar(g.gap2[where], g.gap[where], n, bound=True)

    def some(self, where: BoolArray) -> Tile:
        """Return some of the pairs, with their statistics."""
        first, second = (np.broadcast_to(x, where.shape)[where] for x in (self.first, self.second))
        pairs = counted_stats(self.gram.take(where))
        return Tile(first=first, second=second, pairs=pairs, p=self.p(where))

    def whole(self, *, bound: bool) -> Tile:
        """Return all pairs, with their statistics."""
        g = self.gram
        p = mcnemar(g.gap2, g.gap, g.n, bound=bound)
        return Tile(first=self.first, second=self.second, pairs=counted_stats(g), p=p)


def is_counted(models: AnyPanel) -> TypeGuard[Panel]:
    """Return whether the test is McNemar's test for 0/1 scores of independent items."""
    return isinstance(models, Panel) and models.binary and models.design.kind == "independent"


def every_pair(panel: AnyPanel) -> Tile:
    """Return all pairs in one row of arrays, for leaderboards that fit in memory."""
    first, second = np.triu_indices(len(panel), 1)
    pairs = gaps(panel, panel).take((first, second))
    return Tile(first=first, second=second, pairs=pairs, p=pvalues(pairs, panel.design))


def bands(panel: L) -> Iterator[tuple[L, L, tuple[IntArray, IntArray]]]:
    """Yield some models, the models that follow each of them, and their positions in a tile."""
    for start in range(0, len(panel) - 1, _BAND):
        rows = panel[start : min(start + _BAND, len(panel) - 1)]
        diagonal = np.arange(len(rows))
        yield rows, panel[start + 1 : start + 1 + len(rows)], (diagonal, diagonal)


def neighbors(panel: AnyPanel) -> PairStats:
    """Return the pairs of each model with the next one, (M - 1,)."""
    if is_counted(panel):
        last = len(panel) - 1
        ends = ((i, min(i + TILE, last)) for i in range(0, last, TILE))
        parts = [gram_along(panel[i:j].data, panel[i + 1 : j + 1].data) for i, j in ends]
        return counted_stats(Gram.concatenate(parts))
    return PairStats.concatenate([gaps(a, b).take(diagonal) for a, b, diagonal in bands(panel)])


Starts: TypeAlias = tuple[int, int]
"""First models of the rows and columns of a tile, which are equal on the diagonal."""


def _numbers(rows: AnyPanel, columns: AnyPanel, starts: Starts) -> tuple[IntArray, IntArray]:
    """Return the row numbers of a tile's pairs: all, or those above the diagonal."""
    a, b = (np.arange(s, s + len(x)) for s, x in zip(starts, (rows, columns), strict=True))
    if starts[0] != starts[1]:
        return a[:, None], b[None, :]
    up = np.triu_indices(len(a), 1)
    return a[up[0]], a[up[1]]


def counted_tile(g: Gram, rows: Panel, columns: Panel, starts: Starts) -> CountedTile:
    """Return the tile for a Gram matrix of 0/1 scores."""
    if starts[0] == starts[1]:
        g = g.take(np.triu_indices(len(rows), 1))
    first, second = _numbers(rows, columns, starts)
    return CountedTile(first=first, second=second, gram=g)


def tile_of(
    rows: AnyPanel, columns: AnyPanel, starts: Starts, tile_cache: TileCache | None = None
) -> Tile:
    """Return the tile of some models with others, or with themselves on the diagonal.

    The result depends only on the models, so any worker can compute it.
    """
    cached: Tile | None = None if tile_cache is None else tile_cache.find(starts)
    if cached is not None:
        return cached
    pairs = gaps(rows, columns)
    if starts[0] == starts[1]:
        pairs = pairs.take(np.triu_indices(len(rows), 1))
    first, second = _numbers(rows, columns, starts)
    p = pvalues(pairs, rows.design)
    tile = Tile(first=first, second=second, pairs=pairs, p=p)
    if tile_cache is not None:
        tile_cache.keep(starts, tile)
    return tile


def tile_pairs(rows: int, columns: int, *, upper: bool) -> int:
    """Return the number of pairs in a tile of this size."""
    return rows * (rows - 1) // 2 if upper else rows * columns
