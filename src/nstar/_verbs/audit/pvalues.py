"""The p-value of a zero gap for many pairs at once, each pair alone."""

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array
from nstar._engine.pairs import ItemDesign, PairStats
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
