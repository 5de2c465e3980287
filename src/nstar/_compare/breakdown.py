"""The gap group by group, and with each group left out."""

import numpy as np

from nstar import stats
from nstar._compare.parts import Breakdown, GroupRow, LeftOut
from nstar._matrix import Grouping
from nstar._typing import Array, IntArray, Interval

__all__ = ["breakdown"]


def _binary_limits(a: Array, b: Array, codes: IntArray, conf: float) -> list[Interval | None]:
    size = int(codes.max()) + 1
    n10, n01 = (np.bincount(codes[x > y], minlength=size) for x, y in ((a, b), (b, a)))
    low, high = stats.paired_interval(n10, n01, np.bincount(codes), conf=conf)
    pairs = zip(np.asarray(low).tolist(), np.asarray(high).tolist(), strict=True)
    return [Interval(x, y) for x, y in pairs]


def _graded_limits(sums: stats.ClusterSums, mean: float, conf: float) -> list[Interval | None]:
    """t intervals from sums of centred differences; None where a group has one item."""
    n = sums.sizes
    several = n > 1
    gap = sums.sums / n
    spread = np.maximum(sums.squares - sums.sums * gap, 0.0)[several] / (n[several] - 1)
    low, high = stats.t_interval(gap[several], np.sqrt(spread), n[several], conf=conf)
    limits = iter(zip(np.asarray(low).tolist(), np.asarray(high).tolist(), strict=True))
    out: list[Interval | None] = []
    for ok in several.tolist():
        pair = next(limits) if ok else None
        out.append(None if pair is None else Interval(pair[0] + mean, pair[1] + mean))
    return out


def breakdown(
    column: str, grouping: Grouping, a: Array, b: Array, *, binary: bool, conf: float
) -> Breakdown | None:
    """Every group of a column; None when it has one group or one item per group."""
    if not 1 < len(grouping.labels) < a.size:
        return None
    codes = grouping.codes.astype(np.int64)
    d = a - b
    mean = float(d.mean())
    sums, centred = stats.cluster_sums(d, codes), stats.cluster_sums(d - mean, codes)
    n = sums.sizes
    limits = _binary_limits(a, b, codes, conf) if binary else _graded_limits(centred, mean, conf)
    first, second = (np.bincount(codes, weights=x) / n for x in (a, b))
    columns = zip(
        grouping.labels, n.tolist(), first.tolist(), second.tolist(), limits, strict=True
    )
    left = stats.leave_one_out_range(sums.sums, n)
    most = int(left.most)
    return Breakdown(
        column=column,
        rows=tuple(
            GroupRow(label=label, n=m, mean_a=x, mean_b=y, delta=x - y, ci=ci)
            for label, m, x, y, ci in columns
        ),
        left_out=LeftOut(
            low=float(left.low),
            high=float(left.high),
            flips=int(left.flips),
            most=grouping.labels[most],
            without_most=float(stats.leave_one_cluster_out(sums.sums, n)[most]),
        ),
    )
