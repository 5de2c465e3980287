"""Medians and other quantiles of two models, by resampling.

The jackknife is inconsistent for quantiles (Shao and Wu 1989), so they have no pseudo-values.
Items, or whole clusters, are resampled with replacement. The limits of the interval are
quantiles of the resampled gaps, and the p-value is the level at which this interval reaches 0.
"""

import math

import numpy as np
import numpy.typing as npt

from nstar import stats
from nstar._base.types import Array, IntArray, Interval, RNGLike
from nstar._data.matrix import NOTHING, Grouping
from nstar._verbs.compare.independent import confidence
from nstar._verbs.compare.sample import CommonItems
from nstar._verbs.compare.task_comparison import GapEstimate
from nstar._verbs.metrics import quantile_label
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, arg

_MIN_BEYOND = 3
"""Fewest expected items or clusters beyond the quantile, such as 3 of 60 for P95."""
_ENOUGH_BEYOND = 5
"""Expected items or clusters beyond the quantile from which its interval is reliable."""
_MIN_CLUSTERS = 20
"""Fewest clusters, because resamples of fewer give intervals that are too short."""


def quantile(x: Array, level: float) -> Array:
    """Return the quantile of each row, interpolated as :func:`numpy.quantile` does by default."""
    n = x.shape[-1]
    place = (n - 1) * level
    k = min(math.floor(place + 1e-9), n - 2)
    # one pivot and a maximum are much faster than two pivots
    ordered = np.partition(x, k + 1, axis=-1)
    low, high = ordered[..., : k + 1].max(axis=-1), ordered[..., k + 1]
    return np.asarray(low + (place - k) * (high - low))


def _n_units(n_beyond: int, level: float) -> int:
    """Return the fewest items or clusters of which so many are expected beyond the quantile."""
    return math.ceil(n_beyond / min(level, 1 - level) - 1e-9)


def _check(shared: CommonItems, level: float, grouping: Grouping | None) -> None:
    """Raise DataError if these scores have no quantile with a reliable interval."""
    statistic, n = arg("statistic", quantile_label(level).lower()), shared.a.size
    if shared.repeated:
        msg = (
            f"{statistic} needs one score per item, and some items have several runs. Keep the "
            "rows of one run."
        )
        raise DataError(msg)
    if len(np.unique([shared.a, shared.b])) <= 2:
        msg = (
            f"{statistic} needs graded scores, and all scores are one of two values. Remove "
            f"{arg('statistic')} to compare means. For running times in logs, set "
            f"{arg('metric', 'latency')}."
        )
        raise DataError(msg)
    min_units, units = _n_units(_MIN_BEYOND, level), "items"
    if grouping is not None:
        min_units, units, n = max(min_units, _MIN_CLUSTERS), "clusters", len(grouping.labels)
    if n < min_units:
        msg = f"{statistic} needs at least {min_units:,} {units}, which are resampled; got {n:,}."
        raise DataError(msg)


def _in_order(
    a: Array, b: Array, codes: IntArray | None
) -> tuple[Array, Array, npt.NDArray[np.int64] | None]:
    """Return the items in an order that does not depend on that of the rows."""
    order = np.lexsort((b, a))
    if codes is None:
        return a[order], b[order], None
    _, first, place = np.unique(codes[order], return_index=True, return_inverse=True)
    return a[order], b[order], np.argsort(np.argsort(first))[place]


def _draws(
    a: Array, b: Array, level: float, codes: IntArray | None, n_resamples: int, rng: RNGLike
) -> Array:
    """Return the gap between the quantiles in each resample."""
    first, second, groups = _in_order(a, b, codes)

    def gaps(rows: Array, axis: int) -> Array:
        del axis  # the kernel always passes 1
        index = rows.astype(np.intp)
        return quantile(first[index], level) - quantile(second[index], level)

    return stats.bootstrap_draws(
        np.arange(a.size), statistic=gaps, n_resamples=n_resamples, groups=groups, rng=rng
    )


def quantile_estimate(
    shared: CommonItems,
    level: float,
    criteria: Criteria,
    *,
    cluster: str | None,
    n_resamples: int = 9999,
    rng: RNGLike,
) -> tuple[tuple[float, float], GapEstimate]:
    """Return the quantiles of both models, and the estimate of their gap."""
    grouping = None if cluster is None else shared.groups[cluster]
    _check(shared, level, grouping)
    a, b = shared.a, shared.b
    values = float(quantile(a, level)), float(quantile(b, level))
    # A seed gives the same answer for A minus B and for B minus A.
    side = -1 if values[0] < values[1] else 1
    first, second = (a, b) if side == 1 else (b, a)
    codes = None if grouping is None else grouping.codes.astype(np.int64)
    draws = side * _draws(first, second, level, codes, n_resamples, rng)
    draws[np.abs(draws) <= NOTHING * max(np.abs(a).max(), np.abs(b).max())] = 0.0
    se = float(draws.std(ddof=1))
    if np.ptp(draws) == 0:
        msg = (
            f"The gap in the {quantile_label(level)} is the same in all resamples, so no standard "
            "error can be estimated."
        )
        raise DataError(msg)
    conf = confidence(criteria)
    low, high = np.quantile(draws, ((1 - conf) / 2, (1 + conf) / 2), method="inverted_cdf")
    shares = [stats.monte_carlo_pvalue(np.sum(s * draws <= 0), draws.size) for s in (1, -1)]
    p = float(shares[criteria.sign == -1]) if criteria.sides == 1 else 2 * float(min(shares))
    return values, GapEstimate(
        kind="independent" if cluster is None else "cluster",
        column=cluster,
        n_groups=None if grouping is None else len(grouping.labels),
        se=se,
        df=math.inf,
        ci=Interval(float(low), float(high)),
        ci_method="percentile bootstrap",
        pvalue=min(p, 1.0),
        pvalue_method="bootstrap",
        caution=_caution(a.size if grouping is None else len(grouping.labels), level),
    )


def _caution(n: int, level: float) -> str | None:
    """Return why the interval is only approximate, if it is."""
    if n >= (n_reliable := _n_units(_ENOUGH_BEYOND, level)):
        return None
    return (
        f"The CI of {quantile_label(level)} is approximate, because it rests on {n:,} resampled "
        f"units, and it is reliable from {n_reliable:,}."
    )
