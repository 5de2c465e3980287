"""Do verdicts on neighbours hold when one group of items is left out?"""

from collections.abc import Iterator

import numpy as np

from nstar import stats
from nstar._audit.field import Field
from nstar._audit.parts import LeftOutGroup, Stability
from nstar._audit.question import Question
from nstar._audit.tiles import bands
from nstar._gram import group_grams
from nstar._pairs import Panel, panel
from nstar._typing import Array, BoolArray, IntArray

__all__ = ["stabilities"]

_AT_ONCE = 4096
"""Neighbours whose groups are held together."""

_MOST_GROUPS = 100
"""Columns with more groups than this are not subjects, and each matters little."""


def _by_group(grouped: Panel) -> tuple[Array, Array, Array]:
    """Items, sums and sums of squares of each neighbouring pair in each group, (M - 1, G)."""
    where = grouped.design.layout
    parts = [
        [g.take(diagonal) for g in group_grams(a.data, b.data, where)]
        for a, b, diagonal in bands(grouped)
    ]
    n, gap, gap2 = (
        np.concatenate(
            [
                np.stack([np.broadcast_to(getattr(g, f), g.shape) for g in band], axis=-1)
                for band in parts
            ]
        ).astype(np.float64)
        for f in ("n", "gap", "gap2")
    )
    return n, gap, gap2


def _t(n: Array, gap: Array, gap2: Array, kind: str, *, binary: bool) -> Array:
    """|t| with sign of the gap, NaN where it cannot be had."""
    items, total = n.sum(axis=-1), gap.sum(axis=-1)
    enough = (np.count_nonzero(n, axis=-1) >= 2) if kind == "cluster" else items >= 2
    out = np.full(items.shape, np.nan)
    n, gap, gap2, items, total = (x[enough] for x in (n, gap, gap2, items, total))
    with np.errstate(divide="ignore", invalid="ignore"):
        if kind == "cluster":
            variance = stats.cluster_variance(gap, n)
        elif kind == "strata":
            variance = stats.strata_variance(gap, gap2, n)
        else:
            spread = gap2.sum(axis=-1) / items - np.square(total / items)
            variance = np.maximum(spread, 0.0) / (items if binary else items - 1)
        out[enough] = np.where(total == 0, 0.0, total / items / np.sqrt(variance))
    return out


def _counted(some: Panel, kind: str, needed: float) -> tuple[int, IntArray, IntArray]:
    """Stable neighbours among some models, and those that each group changes and turns, (G,)."""
    binary, groups = some.block.binary, len(some.design.layout.labels)
    n, gap, gap2 = _by_group(some)
    whole = _t(n, gap, gap2, kind, binary=binary)
    stable = np.ones(whole.shape, dtype=np.bool_)
    counts = np.zeros((2, groups), dtype=np.int64)
    for g in range(groups):
        kept = np.arange(groups) != g
        t = _t(n * kept, gap * kept, gap2 * kept, kind, binary=binary)
        changed: BoolArray = (np.abs(t) >= needed) != (np.abs(whole) >= needed)
        changed &= ~np.isnan(t)
        turned: BoolArray = np.sign(t) * np.sign(whole) < 0
        stable &= ~(changed | turned)
        counts[:, g] = changed.sum(), turned.sum()
    return int(stable.sum()), counts[0], counts[1]


def _stability(grouped: Panel, kind: str, needed: float) -> Stability:
    """Leave each group of a panel's layout out in turn; ``needed`` is the |t| of q = 1."""
    where, pairs = grouped.design.layout, len(grouped) - 1
    parts = [
        _counted(grouped[start : start + _AT_ONCE + 1], kind, needed)
        for start in range(0, pairs, _AT_ONCE)
    ]
    changed = np.sum([part[1] for part in parts], axis=0).tolist()
    turned = np.sum([part[2] for part in parts], axis=0).tolist()
    groups = [
        LeftOutGroup(group=label, items=items, changed=changed[g], reversed=turned[g])
        for g, (label, items) in enumerate(zip(where.labels, where.sizes.tolist(), strict=True))
    ]
    groups.sort(key=lambda x: (-x.changed, -x.reversed, x.group))
    return Stability(
        column=grouped.design.column or "",
        pairs=pairs,
        stable=sum(part[0] for part in parts),
        groups=tuple(groups),
    )


def stabilities(field: Field, ask: Question, needed: float) -> Iterator[Stability]:
    """Every group column that could be subjects, under the declared design if it is its own."""
    for column, grouping in field.matrix.groups.items():
        groups = np.unique(grouping.codes[field.items]).size
        if 1 < groups <= min(_MOST_GROUPS, len(field.items) - 1):
            grouped = panel(field.matrix, field.models, field.items, "cluster", column)
            yield _stability(grouped, ask.kind if column == ask.column else "items", needed)
