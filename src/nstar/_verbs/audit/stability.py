"""Test whether verdicts on adjacent pairs hold when one group of items is left out."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._engine.gram import Gram, group_grams
from nstar._engine.pairs import DesignKind, PairStats, Panel, panel
from nstar._verbs.audit.family import SignificanceRule
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.selection import AuditedModels
from nstar._verbs.audit.tables import LeaveOneGroupOut, LeftOutGroup
from nstar._verbs.audit.tiles import bands

_MAX_ADJACENT_PAIRS_HELD = 4096
"""Number of adjacent pairs whose groups are in memory at the same time."""

_MOST_GROUPS = 100
"""Number of groups above which a column is skipped, because each group has little effect."""


def _by_group(grouped: Panel) -> tuple[Array, Array, Array]:
    """Return the items, sums, and sums of squares of each adjacent pair in each group."""
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


def _variance(
    n: Array, gap: Array, gap2: Array, kind: DesignKind, *, binary: bool
) -> tuple[Array, Array]:
    """Return the variance of each gap and its degrees of freedom; NaN if undefined."""
    items = n.sum(axis=-1)
    n_multiple, single = np.count_nonzero(n > 1, axis=-1), np.count_nonzero(n == 1, axis=-1)
    is_sufficient = (n_multiple + single >= 2) if kind == "cluster" else items >= 2
    variance, df = np.full((2, *items.shape), np.nan)
    n, gap, gap2 = (x[is_sufficient] for x in (n, gap, gap2))
    if kind == "cluster":
        variance[is_sufficient], df[is_sufficient] = (
            stats.cluster_variance(gap, n),
            stats.bell_mccaffrey_df(n),
        )
    elif kind == "strata":
        variance[is_sufficient] = stats.strata_variance(gap, gap2, n)
        df = items - n_multiple - ((single > 1) | (n_multiple == 0))
    else:
        variance[is_sufficient] = stats.iid_variance(gap, gap2, n)
        if binary:  # divisor n, as in McNemar's test
            with np.errstate(divide="ignore", invalid="ignore"):
                variance = variance * (items - 1) / items
        df = np.full(items.shape, np.inf) if binary else items - 1.0
    return variance, df


def _pairs(n: Array, gap: Array, gap2: Array, kind: DesignKind, *, binary: bool) -> PairStats:
    """Return the gaps over some groups of items."""
    variance, df = _variance(n, gap, gap2, kind, binary=binary)
    items, total, squares = (x.sum(axis=-1) for x in (n, gap, gap2))
    with np.errstate(divide="ignore", invalid="ignore"):
        delta, se = total / items, np.sqrt(variance)
        t = np.where(total == 0, 0.0, delta / se)
    if binary and kind == "independent":
        total, squares = total.astype(np.int64), squares.astype(np.int64)
    unasked: dict[str, Any] = dict.fromkeys(
        ("first", "second", "first2", "second2"), np.zeros(items.shape)
    )
    sums = Gram(n=items, gap=total, gap2=squares, offset=0.0, **unasked)
    return PairStats(gram=sums, delta=delta, se=se, t=t, df=df, units=items, kind=kind)


def _count_changes(
    subpanel: Panel, kind: DesignKind, rule: SignificanceRule
) -> tuple[int, IntArray, IntArray]:
    """Return the stable adjacent pairs, and the number that each group changes and reverses."""
    binary, groups = subpanel.block.binary, len(subpanel.design.layout.labels)
    n, gap, gap2 = _by_group(subpanel)
    full_pairs = _pairs(n, gap, gap2, kind, binary=binary)
    resolved = rule.resolves(full_pairs)
    stable = np.ones(resolved.shape, dtype=np.bool_)
    counts = np.zeros((2, groups), dtype=np.int64)
    for g in range(groups):
        keep_mask = np.arange(groups) != g
        left = _pairs(n * keep_mask, gap * keep_mask, gap2 * keep_mask, kind, binary=binary)
        changed: BoolArray = (rule.resolves(left) != resolved) & ~np.isnan(left.t)
        turned: BoolArray = np.sign(left.delta) * np.sign(full_pairs.delta) < 0
        stable &= ~(changed | turned)
        counts[:, g] = changed.sum(), turned.sum()
    return int(stable.sum()), counts[0], counts[1]


def _stability(grouped: Panel, kind: DesignKind, rule: SignificanceRule) -> LeaveOneGroupOut:
    """Return the stability of adjacent pairs when each group is left out in turn."""
    where, pairs = grouped.design.layout, len(grouped) - 1
    parts = [
        _count_changes(grouped[start : start + _MAX_ADJACENT_PAIRS_HELD + 1], kind, rule)
        for start in range(0, pairs, _MAX_ADJACENT_PAIRS_HELD)
    ]
    changed = np.sum([part[1] for part in parts], axis=0).tolist()
    turned = np.sum([part[2] for part in parts], axis=0).tolist()
    groups = [
        LeftOutGroup(group=label, n_items=items, n_changed=changed[g], n_reversed=turned[g])
        for g, (label, items) in enumerate(zip(where.labels, where.sizes.tolist(), strict=True))
    ]
    groups.sort(key=lambda x: (-x.n_changed, -x.n_reversed, x.group))
    return LeaveOneGroupOut(
        column=grouped.design.column or "",
        n_pairs=pairs,
        n_stable=sum(part[0] for part in parts),
        groups=tuple(groups),
    )


def stabilities(
    field: AuditedModels, question: AuditQuestion, rule: SignificanceRule
) -> Iterator[LeaveOneGroupOut]:
    """Yield the stability for every column whose groups could be subjects.

    The declared column is analyzed under its own design.
    """
    if field.matrix.correction is not None:  # the correction would change
        return
    for column, groups in field.groups.items():
        if 1 < groups <= min(_MOST_GROUPS, len(field.items) - 1):
            grouped = panel(field.matrix, field.models, field.items, "cluster", column)
            yield _stability(
                grouped, question.kind if column == question.column else "independent", rule
            )
