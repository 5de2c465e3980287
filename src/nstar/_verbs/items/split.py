"""Gaps on two kinds of items: before and since a date, or public and private."""

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._data.findings import abbreviate
from nstar._data.matrix import Grouping
from nstar._verbs.audit.selection import AuditedModels
from nstar._verbs.compare.pair import breakdown
from nstar._verbs.compare.task_comparison import GroupRow
from nstar._verbs.items.question import ItemsQuestion, day_of
from nstar._verbs.items.result import ItemSplit, SplitPair
from nstar.errors import DataError, arg


def _grouping(selection: AuditedModels, column: str) -> Grouping:
    """Return the column, on the selected items."""
    groups = selection.matrix.groups_on(selection.items)
    if column not in groups:
        available = (
            f". Available: {abbreviate(list(groups), 10)}." if groups else ", nor any other"
        )
        msg = f"No group column {column!r}{available}"
        raise DataError(msg)
    return groups[column]


def _by_date(grouping: Grouping, column: str, after: str) -> tuple[IntArray, tuple[str, str]]:
    """Return 0 before the date, 1 from it on, and -1 where the date is unknown."""
    day = day_of(after, arg("after"))
    late = [
        day_of(label, f"every {column} of the items") >= day
        for label in (grouping.labels[k] for k in np.unique(grouping.codes).tolist() if k >= 0)
    ]
    code = np.full(len(grouping.labels) + 1, -1, dtype=np.int64)
    code[[k for k in np.unique(grouping.codes).tolist() if k >= 0]] = late
    return code[grouping.codes], (f"before {day}", f"since {day}")


def _two_kinds(grouping: Grouping, column: str) -> tuple[IntArray, tuple[str, str]]:
    used = [k for k in np.unique(grouping.codes).tolist() if k >= 0]
    names = sorted((grouping.labels[k], k) for k in used)
    if len(names) != 2:
        kinds_text = f"{len(names)} ({abbreviate([n for n, _ in names], 5)})"
        msg = (
            f"{arg('split', column)} must have two kinds of items; found {kinds_text}. For "
            f"a column of dates, set {arg('after')}."
        )
        raise DataError(msg)
    code = np.full(len(grouping.labels) + 1, -1, dtype=np.int64)
    code[names[1][1]], code[names[0][1]] = 1, 0
    return code[grouping.codes], (names[0][0], names[1][0])


def _pair(rows: tuple[GroupRow, ...], a: str, b: str) -> SplitPair:
    first, second = rows
    change = None
    if first.ci is not None and second.ci is not None:
        low, high = stats.change_interval(first.gap, first.ci, second.gap, second.ci)
        change = type(first.ci)(float(low), float(high))
    return SplitPair(
        model_a=a,
        model_b=b,
        gap_first=first.gap,
        gap_first_ci=first.ci,
        gap_second=second.gap,
        gap_second_ci=second.ci,
        gap_change=first.gap - second.gap,
        gap_change_ci=change,
    )


def split_of(
    selection: AuditedModels,
    question: ItemsQuestion,
    top: int,
    limits: tuple[float, float],
    mean: Array,
) -> ItemSplit | None:
    """Return the gaps of adjacent pairs among the best models, on each kind of items."""
    if question.split is None:
        return None
    grouping = _grouping(selection, question.split)
    if question.after is None:
        code, labels = _two_kinds(grouping, question.split)
    else:
        code, labels = _by_date(grouping, question.split, question.after)
    sizes = [int(np.count_nonzero(code == k)) for k in (0, 1)]
    if min(sizes) < 2:
        sizes_text = " and ".join(f"{n} {label}" for n, label in zip(sizes, labels, strict=True))
        msg = f"Comparing two kinds of items needs at least 2 items of each; found {sizes_text}"
        raise DataError(msg)
    matrix, pairs = selection.matrix, []
    rows = [matrix.row(i)[selection.items] for i in selection.models[:top]]
    for k in range(top - 1):
        a, b = rows[k], rows[k + 1]
        in_both = (code >= 0) & ~np.isnan(a + b)
        if any(np.count_nonzero(code[in_both] == kind) < 2 for kind in (0, 1)):
            continue
        group_breakdown = breakdown(
            question.split,
            Grouping(codes=code[in_both].astype(np.int32), labels=labels),
            a[in_both],
            b[in_both],
            None if matrix.binary else limits,
            limits[1] - limits[0],
            1 - question.criteria.alpha,
        )
        if group_breakdown is not None:
            pairs.append(_pair(group_breakdown.groups, selection.names[k], selection.names[k + 1]))
    return ItemSplit(
        column=question.split,
        labels=labels,
        n_items=(sizes[0], sizes[1]),
        means=(float(mean[code == 0].mean()), float(mean[code == 1].mean())),
        pairs=tuple(pairs),
    )
