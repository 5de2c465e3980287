"""Gates of one model: how often is a PASS or a REGRESSION wrong at the threshold?"""

import math
from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array
from nstar._verbs.simulate.stream import key
from nstar.stats._weights import effective
from validation.cluster_margins import cluster_sizes
from validation.distributions import ALPHA, batches, reps_of
from validation.gates import GROUP
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

_BETA = {"Beta(8, 2)": (8.0, 2.0), "Beta(½, ½)": (0.5, 0.5), "Beta(2, 8)": (2.0, 8.0)}
_RUNS = 4
"""Runs of each item, whose mean is its score."""
_LOOKS = 400
"""Looks of a run, one after each item."""


def _true_mean(law: str) -> float:
    if law in _BETA:
        a, b = _BETA[law]
        return a / (a + b)
    return {"rare failures": 0.95 * 0.99, "rare successes": 1 - 0.95 * 0.99}.get(law, 0.8)


def _draw(law: str, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Return graded scores of items in [0, 1]."""
    if law in _BETA:
        return rng.beta(*_BETA[law], shape)
    if law == "repeated runs":
        return rng.binomial(_RUNS, rng.beta(1.6, 0.4, shape)) / _RUNS
    failures = np.where(rng.random(shape) < 0.01, 0.0, 0.95)
    return failures if law == "rare failures" else 1 - failures


def wrong_shares(
    mean: Array, se: Array, n: float, *, df: float, truth: float, clusters: bool = False
) -> tuple[int, int]:
    """Return the number of PASS and of REGRESSION verdicts at the threshold, as a gate does."""
    numbers = []
    for gain, margin in ((mean - 1, 1 - truth), (-mean, truth)):
        p = stats.margin_pvalue(
            gain, se, n, df=df, width=1.0, margin=margin, sides=1, clusters=clusters
        )
        numbers.append(int(np.count_nonzero(p <= ALPHA)))
    return numbers[0], numbers[1]


def _counted(items: int, threshold: float, side: int) -> list[CellRate]:
    right = np.arange(items + 1)
    p = (
        stats.threshold_pvalue(right, items, p0=threshold)
        if side == 0
        else stats.threshold_pvalue(items - right, items, p0=1 - threshold)
    )
    choose = special.gammaln(items + 1) - special.gammaln([right + 1, items - right + 1]).sum(0)
    log_pmf = choose + special.xlogy([right, items - right], [[threshold], [1 - threshold]]).sum(0)
    rate = float(np.exp(log_pmf[p <= ALPHA]).sum())
    return _rates("0/1", {"items": items, "threshold": threshold}, side, rate)


def _rates(kind: str, setting: CellSetting, side: int, rate: float) -> list[CellRate]:
    word = ("PASS", "REGRESSION")[side]
    return [CellRate(procedure=f"{word}, {kind}", setting=setting, rate=rate, promised=ALPHA)]


def _graded(request: ValidationRequest, law: str, items: int, side: int) -> list[CellRate]:
    total, truth = 0, _true_mean(law)
    for rng, n_reps in batches(request, items, key({"threshold": law, "items": items})):
        scores = _draw(law, rng, (n_reps, items))
        se = scores.std(axis=1, ddof=1) / math.sqrt(items)
        total += wrong_shares(scores.mean(axis=1), se, items, df=items - 1, truth=truth)[side]
    word = ("PASS", "REGRESSION")[side]
    setting: CellSetting = {"items": items, "scores": law}
    reps = reps_of(request, items)
    return [counted_reading(f"{word}, one model", setting, total, reps, promised=ALPHA)]


def _clustered(
    request: ValidationRequest, clusters: int, threshold: float, side: int, *, equal: bool
) -> list[CellRate]:
    """0/1 items of clusters that are all right, all wrong, or follow a rate of their own."""
    sizes, total = cluster_sizes(clusters, equal=equal), 0
    cell = {"threshold clusters": clusters, "at": threshold, "equal": equal}
    for rng, n_reps in batches(request, clusters, key(cell)):
        rate = rng.beta(threshold, 1 - threshold, (n_reps, clusters))
        sums = rng.binomial(sizes, rate).astype(np.float64)
        mean = sums.sum(axis=1) / sizes.sum()
        se = np.sqrt(stats.cluster_variance(sums - mean[:, None] * sizes, sizes))
        df = float(stats.bell_mccaffrey_df(sizes))
        n = effective(sizes)
        total += wrong_shares(mean, se, n, df=df, truth=threshold, clusters=True)[side]
    word = ("PASS", "REGRESSION")[side]
    setting: CellSetting = {
        "clusters": clusters,
        "sizes": "equal" if equal else "log-normal",
        "threshold": threshold,
    }
    reps = reps_of(request, clusters)
    return [
        counted_reading(f"{word}, clusters of one model", setting, total, reps, promised=ALPHA)
    ]


def _looks(threshold: float, side: int) -> list[CellRate]:
    """Enumerate every path of a run that is looked at after each item."""
    p0 = threshold if side == 0 else 1 - threshold
    reach = float(stats.z_alpha(ALPHA, sides=1) + stats.z_power(0.8))
    p1 = min(p0 + reach * math.sqrt(p0 * (1 - p0) / _LOOKS), (1 + p0) / 2)
    a, b = stats.threshold_prior(p1, _LOOKS)
    paths, rejected = np.array([1.0]), 0.0
    for n in range(1, _LOOKS + 1):
        paths = np.append(paths * (1 - p0), 0.0) + np.insert(paths * p0, 0, 0.0)
        log_e = stats.threshold_log_e(np.arange(n + 1), n, p0=p0, a=a, b=b)
        stopped = log_e >= -math.log(ALPHA)
        rejected += float(paths[stopped].sum())
        paths[stopped] = 0.0
    return _rates("every look", {"looks": _LOOKS, "threshold": threshold}, side, rejected)


def _jobs(request: ValidationRequest, side: int) -> Iterator[CheckJob]:
    is_full = request.effort.full
    laws = (*_BETA, "rare failures", "rare successes", "repeated runs")
    for items, threshold in product((20, 50, 200, 1000), (0.5, 0.7, 0.9, 0.95, 0.99)):
        yield partial(_counted, items, threshold, side)
    for law, items in product(laws, (30, 50, 200, 1000)) if is_full else [(laws[0], 50)]:
        yield partial(_graded, request, law, items, side)
    groups = product((15, 20, 50, 200), (0.5, 0.8), (True, False))
    for clusters, threshold, equal in groups if is_full else [(20, 0.8, True)]:
        yield partial(_clustered, request, clusters, threshold, side, equal=equal)
    for threshold in (0.5, 0.8, 0.95):
        yield partial(_looks, threshold, side)


@CLAIMS.add(
    GROUP,
    "A model whose true score is the threshold gets a PASS in at most 5% of evaluations.",
    "at most",
)
def threshold_passes(request: ValidationRequest) -> Iterator[CheckJob]:
    """0/1 scores and looks by enumeration, graded and clustered scores by simulation."""
    yield from _jobs(request, 0)


@CLAIMS.add(
    GROUP,
    "A model whose true score is the threshold gets a REGRESSION in at most 5% of evaluations.",
    "at most",
)
def threshold_alarms(request: ValidationRequest) -> Iterator[CheckJob]:
    """The same cells, on the other side."""
    yield from _jobs(request, 1)
