"""Metrics that are not averages: how often does the interval of a gap contain the true gap?"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array
from nstar._data.matrix import Grouping
from nstar._verbs.compare.quantile import quantile_estimate
from nstar._verbs.compare.sample import CommonItems
from nstar._verbs.metrics import METRICS, MetricColumns
from nstar._verbs.simulate.stream import generator, key
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, QuestionError
from validation.distributions import CONF, batches
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

GROUP = "Coverage"
_SHARED = 0.6
"""Share of the variance of latent scores that both models have in common."""
_SEPARATION = 2 * special.ndtri(0.8) ** 2
"""Squared distance of the classes that gives an AUROC of 0.8."""


def _latent(rng: np.random.Generator, items: int) -> tuple[Array, Array]:
    """Return correlated normal noise of two models."""
    common = np.sqrt(_SHARED) * rng.standard_normal(items)
    private = np.sqrt(1 - _SHARED) * rng.standard_normal((2, items))
    return common + private[0], common + private[1]


def _classes(share: float, rng: np.random.Generator, items: int) -> tuple[MetricColumns, ...]:
    """Return predictions that hit 80% of the positives, and 10% of the negatives."""
    truth = (rng.random(items) < share).astype(np.int64)
    cut = np.where(truth == 1, special.ndtri(0.2), special.ndtri(0.9))
    noise = _latent(rng, items)
    return tuple({"truth": truth, "prediction": (z > cut).astype(np.int64)} for z in noise)


def _ranks(share: float, rng: np.random.Generator, items: int) -> tuple[MetricColumns, ...]:
    truth = (rng.random(items) < share).astype(np.int64)
    shift = np.sqrt(_SEPARATION) * truth
    return tuple({"truth": truth, "prediction": shift + z} for z in _latent(rng, items))


def _values(rng: np.random.Generator, items: int) -> tuple[MetricColumns, ...]:
    truth = rng.standard_normal(items)
    return tuple(
        {"truth": truth, "prediction": 0.7 * truth + np.sqrt(0.51) * z}
        for z in _latent(rng, items)
    )


def _sums(rng: np.random.Generator, items: int) -> tuple[MetricColumns, ...]:
    length = np.exp(rng.normal(4, 0.8, items))
    return tuple(
        {"numerator": rng.binomial(length.astype(int) + 1, special.expit(1 + z)), "denominator": x}
        for z, x in zip(_latent(rng, items), (length, length), strict=True)
    )


_CELLS: dict[str, tuple[str, Callable[[np.random.Generator, int], tuple[MetricColumns, ...]]]] = {
    "F1, 30% positive": ("f1", partial(_classes, 0.3)),
    "F1, 10% positive": ("f1", partial(_classes, 0.1)),
    "macro F1, 30% positive": ("macro-f1", partial(_classes, 0.3)),
    "AUROC 0.8, 50% positive": ("auroc", partial(_ranks, 0.5)),
    "AUROC 0.8, 10% positive": ("auroc", partial(_ranks, 0.1)),
    "Pearson 0.7": ("pearson", _values),
    "Spearman 0.7": ("spearman", _values),
    "RMSE": ("rmse", _values),
    "ratio of sums": ("ratio", _sums),
}


def _covers(name: str, models: tuple[MetricColumns, ...]) -> bool | None:
    """Return whether the interval contains 0, the true gap; None if the metric is refused."""
    try:
        first, second = (METRICS[name].compute(columns, None) for columns in models)
    except (DataError, QuestionError):
        return None
    if first.n_rare is not None and first.n_rare < 5:
        return None
    d = first.scores - second.scores
    low, high = stats.t_interval(d.mean(), d.std(ddof=1), d.size, conf=CONF)
    return bool(low <= 0 <= high)


def _coverage(request: ValidationRequest, law: str, items: int) -> list[CellRate]:
    name, draw = _CELLS[law]
    n_covered = n_used = 0
    for rng, n_reps in batches(request, items, key({"metric": law, "items": items})):
        for _ in range(max(n_reps // 4, 1)):
            covers = _covers(name, draw(rng, items))
            n_used += covers is not None
            n_covered += bool(covers)
    setting: CellSetting = {"items": items, "metric": law}
    return [counted_reading("jackknife t", setting, n_covered, n_used, promised=CONF)]


@CLAIMS.add(
    GROUP,
    "A 95% interval covers the gap of a metric that is not an average in at least 95% of "
    "evaluations.",
    "at least",
    advice={
        "": "If few items belong to one class, the interval is slightly too short. Use at least "
        "20 items of each class."
    },
)
def metric_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """Two equal models with correlated errors, by simulation."""
    laws = _CELLS if request.effort.full else list(_CELLS)[:3]
    for law, items in product(laws, (50, 200, 1000) if request.effort.full else (200,)):
        yield partial(_coverage, request, law, items)


_RESAMPLES = 999
"""Resamples of each evaluation, a tenth of those of ``compare``, to save time."""
_MOST_RESAMPLED = 500
"""Largest number of evaluations of a cell, because each takes 999 resamples."""
_LATENCY_SD = 0.8
"""Standard deviation of the logarithm of a latency."""
_CLUSTER_SIZE, _ICC = 5, 0.5


def paired_latencies(
    rng: np.random.Generator, items: int, digits: int | None, clusters: int | None
) -> CommonItems:
    """Return log-normal latencies of two equal models, alone or in clusters of five."""
    z = np.stack(_latent(rng, items))
    groups = {}
    if clusters is not None:
        codes = np.repeat(np.arange(clusters), _CLUSTER_SIZE)
        shared = np.stack(_latent(rng, clusters))[:, codes]
        z = np.sqrt(_ICC) * shared + np.sqrt(1 - _ICC) * np.stack(_latent(rng, codes.size))
        groups["cluster"] = Grouping.from_labels(codes.tolist())
    seconds = np.exp(_LATENCY_SD * z)
    a, b = seconds if digits is None else seconds.round(digits)
    none = {"runs_a": None, "runs_b": None, "within_a": None, "within_b": None}
    return CommonItems(a=a, b=b, groups=groups, **none)


def _quantile_coverage(
    request: ValidationRequest,
    level: float,
    items: int,
    digits: int | None = None,
    clusters: int | None = None,
) -> list[CellRate]:
    n_covered, reps = 0, min(request.effort.compared, _MOST_RESAMPLED)
    setting: CellSetting = {"items": items, "quantile": level}
    if digits is not None:
        setting = {**setting, "rounded to": 10.0**-digits}
    if clusters is not None:
        setting = {**setting, "clusters": clusters}
    rng = generator(request.seed, key(dict(setting)), 0)
    for _ in range(reps):
        shared = paired_latencies(rng, items, digits, clusters)
        cluster = None if clusters is None else "cluster"
        _, estimate = quantile_estimate(
            shared, level, Criteria(), cluster=cluster, n_resamples=_RESAMPLES, rng=rng
        )
        n_covered += bool(estimate.ci.low <= 0 <= estimate.ci.high)
    return [counted_reading("percentile bootstrap", setting, n_covered, reps, promised=CONF)]


@CLAIMS.add(
    GROUP,
    "A 95% interval covers the gap of medians or other quantiles in at least 95% of evaluations.",
    "at least",
    advice={"": "If few items or clusters lie beyond the quantile, use more of them."},
)
def quantile_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """Two equal models with correlated latencies, by simulation."""
    cells: list[tuple[Any, ...]] = [(0.95, 60), (0.5, 50), (0.95, 200)]
    if request.effort.full:
        cells += [(0.5, 6), (0.5, 20), (0.5, 200), (0.5, 1000), (0.95, 100), (0.95, 1000)]
        cells += [(0.9, 30), (0.95, 200, 1), (0.95, 300, None, 60), (0.5, 100, None, 20)]
        cells += [(0.5, 300, None, 60), (0.95, 500, None, 100)]
    for cell in cells:
        yield partial(_quantile_coverage, request, *cell)
