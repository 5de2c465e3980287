"""Margins where items come in clusters: whole clusters that fail, and plans for clusters."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.plan import Design, Graded, plan_margin
from nstar._verbs.simulate.stream import key
from nstar.stats._weights import effective
from validation.distributions import ALPHA, POWER, batches, reps_of
from validation.gates import GROUP
from validation.power import GROUP as POWER_GROUP
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

_SIZE = 20
"""Items of a cluster, or the median if sizes are unequal."""
_NOISE = 0.02
"""Standard deviation of an item's difference in clusters that do not fail."""


def cluster_sizes(clusters: int, *, equal: bool) -> IntArray:
    """Equal sizes, or those at the quantiles of a log-normal law with sigma 1."""
    if equal:
        return np.full(clusters, _SIZE)
    at = special.ndtri((np.arange(clusters) + 0.5) / clusters)
    return np.maximum(np.rint(_SIZE * np.exp(at)), 1).astype(np.int64)


def lost_clusters(
    rng: np.random.Generator, reps: int, sizes: IntArray, *, margin: float, gain: float
) -> Array:
    """Sums of clusters that lose the whole scale, or gain; the mean is -margin."""
    lost = rng.random((reps, sizes.size)) < (margin + gain) / (1 + gain)
    noise = rng.normal(0.0, _NOISE, lost.shape) * np.sqrt(sizes)
    return np.where(lost, -1.0 * sizes, gain * sizes + noise)


def within_margin(
    sums: Array, sizes: IntArray, margin: float, *, two_sided: bool = False
) -> BoolArray:
    """Evaluations, in rows, that show a loss below the margin, or both ways, as ``gate`` does."""
    low, high = stats.margin_interval(
        sums.sum(axis=1) / sizes.sum(),
        np.sqrt(stats.cluster_variance(sums, sizes)),
        effective(sizes),
        df=float(stats.bell_mccaffrey_df(sizes)),
        width=1.0,
        conf=1 - 2 * ALPHA,
        clusters=True,
    )
    return np.asarray((low > -margin) & ((high < margin) | (not two_sided)))


def _passes(
    request: ValidationRequest, clusters: int, margin: float, gain: float, *, equal: bool
) -> list[CellRate]:
    sizes = cluster_sizes(clusters, equal=equal)
    cell = {"gate clusters": clusters, "margin": margin, "gain": gain, "equal": equal}
    total = 0
    for rng, n_reps in batches(request, clusters, key(cell)):
        sums = lost_clusters(rng, n_reps, sizes, margin=margin, gain=gain)
        total += int(np.count_nonzero(within_margin(sums, sizes, margin)))
    setting: CellSetting = {
        "clusters": clusters,
        "sizes": "equal" if equal else "log-normal",
        "margin": margin,
        "others gain": gain,
    }
    reps = reps_of(request, clusters)
    return [counted_reading("PASS, clusters", setting, total, reps, promised=ALPHA)]


@CLAIMS.add(
    GROUP,
    "A candidate that is worse by the margin because whole clusters fail gets a PASS in at most "
    "5% of evaluations.",
    "at most",
    advice={
        "": "If one or two clusters in the sample fail, the bound is Wilson's, whose steps are "
        "coarse. Use more clusters."
    },
)
def gate_clusters(request: ValidationRequest) -> Iterator[CheckJob]:
    """Clusters that lose the whole scale; the others are equal, or gain."""
    cells = [(20, 0.05, True), (20, 0.15, True), (50, 0.1, True), (50, 0.1, False)]
    if request.effort.full:
        cells += [(20, 0.14, True), (20, 0.2, False), (50, 0.06, True), (100, 0.05, True)]
        cells += [(200, 0.05, True), (200, 0.05, False), (200, 0.02, True)]
    for clusters, margin, equal in cells:
        for gain in (0.0, 0.05, 0.2) if request.effort.full else (0.0, 0.05):
            yield partial(_passes, request, clusters, margin, gain, equal=equal)


def _shown(
    request: ValidationRequest, size: int, icc: float, margin: float, *, one_sided: bool
) -> list[CellRate]:
    """Equal models with normal differences on the planned number of clusters."""
    sd = 0.1
    design = Design(noise=Graded(sd=sd), icc=icc, cluster_size=size)
    result = plan_margin(design, margin=margin, one_sided=one_sided)
    clusters = math.ceil((result.n_star or 0.0) / size)
    sizes = np.full(clusters, size)
    spread = sd * size * math.sqrt(icc + (1 - icc) / size)
    total, cell = 0, {"cluster plan": size, "icc": icc, "margin": margin, "sided": one_sided}
    for rng, n_reps in batches(request, clusters, key(cell)):
        sums = rng.normal(0.0, spread, (n_reps, clusters))
        is_within = within_margin(sums, sizes, margin, two_sided=not one_sided)
        total += int(np.count_nonzero(is_within))
    asks = "non-inferiority" if one_sided else "equivalence"
    setting: CellSetting = {
        "clusters": clusters,
        "items each": size,
        "icc": icc,
        "margin": margin,
        "asks": asks,
    }
    reps = reps_of(request, clusters)
    return [counted_reading("plan, clusters", setting, total, reps, promised=POWER)]


@CLAIMS.add(
    POWER_GROUP,
    "With the planned number of clusters, equal models are within the margin with a power of at "
    "least 80%.",
    "at least",
)
def cluster_margin_plan(request: ValidationRequest) -> Iterator[CheckJob]:
    """Graded scores in clusters of one size, by the test of a gate."""
    for margin in (0.02, 0.05, 0.1) if request.effort.full else (0.05,):
        for icc in (0.1, 0.5):
            for one_sided in (True, False):
                yield partial(_shown, request, 20, icc, margin, one_sided=one_sided)
