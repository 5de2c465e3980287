"""The gap group by group, and with each group left out."""

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray, Interval
from nstar._data.matrix import NOTHING, Grouping
from nstar._verbs.compare.result import Breakdown, GroupRow, LeftOut
from nstar.stats._groups import squares_about_mean


def _binary_limits(a: Array, b: Array, codes: IntArray, conf: float) -> list[Interval | None]:
    size = int(codes.max()) + 1
    n10, n01 = (np.bincount(codes[x > y], minlength=size) for x, y in ((a, b), (b, a)))
    low, high = stats.paired_interval(n10, n01, np.bincount(codes), conf=conf)
    pairs = zip(np.asarray(low).tolist(), np.asarray(high).tolist(), strict=True)
    return [Interval(x, y) for x, y in pairs]


def _graded_limits(
    sums: stats.ClusterSums, mean: float, width: float, largest: float, conf: float
) -> list[Interval | None]:
    """t intervals from sums of centred differences, within the scale.

    None where a group has one item or no spread: its error could not be measured.
    """
    n = sums.sizes
    gap = sums.sums / n
    squares = squares_about_mean(sums.sums, sums.squares, n)
    seen = (n > 1) & (squares > n * (NOTHING * width) ** 2)
    spread = squares[seen] / (n[seen] - 1)
    limits = stats.t_interval(gap[seen], np.sqrt(spread), n[seen], conf=conf)
    low, high = (np.clip(np.asarray(x) + mean, -largest, largest).tolist() for x in limits)
    pairs = iter(zip(low, high, strict=True))
    return [Interval(*next(pairs)) if ok else None for ok in seen.tolist()]


def breakdown(
    column: str,
    grouping: Grouping,
    a: Array,
    b: Array,
    limits: tuple[float, float] | None,
    largest: float,
    conf: float,
) -> Breakdown | None:
    """Every group of a column; None when it has one group or one item per group.

    Parameters
    ----------
    column, grouping
        The groups.
    a, b
        Scores of the two models on the common items.
    limits
        Worst and best possible score if graded; None for 0/1 scores.
    largest
        Largest possible gap; infinite when nobody knows the range of scores.
    conf
        Coverage of the intervals.
    """
    if not 1 < len(grouping.labels) < a.size:
        return None
    codes = grouping.codes.astype(np.int64)
    d = a - b
    mean = float(d.mean())
    sums, centred = stats.cluster_sums(d, codes), stats.cluster_sums(d - mean, codes)
    n = sums.sizes
    if limits is None:
        intervals = _binary_limits(a, b, codes, conf)
    else:
        intervals = _graded_limits(centred, mean, limits[1] - limits[0], largest, conf)
    first, second = (np.bincount(codes, weights=x) / n for x in (a, b))
    columns = zip(
        grouping.labels, n.tolist(), first.tolist(), second.tolist(), intervals, strict=True
    )
    return Breakdown(
        column=column,
        rows=tuple(
            GroupRow(label=label, n=m, mean_a=x, mean_b=y, delta=x - y, ci=ci)
            for label, m, x, y, ci in columns
        ),
        left_out=_left_out(grouping.labels, sums, mean, NOTHING * float(np.abs(d).max())),
    )


def _left_out(
    labels: tuple[str, ...], sums: stats.ClusterSums, mean: float, slack: float
) -> LeftOut:
    """The gap with one group left out at a time; one within the slack is 0."""
    each = stats.leave_one_cluster_out(sums.sums, sums.sizes)
    each[np.abs(each) <= slack] = 0.0
    most = int(np.abs(each - mean).argmax())
    return LeftOut(
        low=float(each.min()),
        high=float(each.max()),
        flips=int((np.sign(each) != np.sign(mean)).sum()) if abs(mean) > slack else 0,
        most=labels[most],
        without_most=float(each[most]),
    )
