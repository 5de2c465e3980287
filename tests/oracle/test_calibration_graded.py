"""Simulated error rates of the graded and repeated-run methods against published ones.

The quick tests use a few hundred replications and say so in their tolerance: that of the
published figure plus three Monte Carlo standard errors of this run.
"""

import numpy as np
import pytest

from nstar._base.types import Array
from nstar.stats.graded import t_interval, t_pvalue
from nstar.stats.resample import bootstrap_interval
from nstar.stats.wilcoxon import wilcoxon_power, wilcoxon_pvalue

# a skewed, zero-inflated difference of graded scores
VALUES = np.array([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0])
SHARES = np.array([0.01, 0.02, 0.03, 0.7, 0.08, 0.08, 0.08])
MEAN = float(VALUES @ SHARES)
METHODS = ("percentile", "bca", "studentized")
# items: coverage of 95% intervals (3000 replications, 1500 at 300 items), B = 999
COVERAGE = {
    20: {"t": 0.9203, "percentile": 0.9103, "bca": 0.9043, "studentized": 0.9060},
    50: {"t": 0.9497, "percentile": 0.9373, "bca": 0.9327, "studentized": 0.9457},
    100: {"t": 0.9490, "percentile": 0.9463, "bca": 0.9430, "studentized": 0.9427},
    300: {"t": 0.9400, "percentile": 0.9413, "bca": 0.9320, "studentized": 0.9373},
}
# tasks, runs: rejections at 5% by the task-level t test and by pooling all runs
REJECTIONS = [(50, 5, 0.05075, 0.0305), (100, 25, 0.0505, 0.12525)]
SD8 = 0.0758946638440411
# items, delta, power of the asymptotic signed-rank test in 60 000 to 200 000 replications
WILCOXON = [
    (50, 0.01, 0.14384),
    (100, 0.02, 0.719835),
    (200, 0.01, 0.44079),
    (500, 0.01, 0.82145),
    (1000, 0.01, 0.9814166666666667),
]


def slack(tolerance: float, rate: float, replications: int) -> float:
    return tolerance + 3 * float(np.sqrt(rate * (1 - rate) / replications))


def coverage(n: int, replications: int) -> dict[str, float]:
    rng = np.random.default_rng(77)
    data = rng.choice(VALUES, (replications, n), p=SHARES)
    low, high = t_interval(data.mean(axis=1), data.std(axis=1, ddof=1), n)
    hits = {"t": float(np.mean((low <= MEAN) & (high >= MEAN)))}
    for method in METHODS:
        covered = 0
        for seed, d in enumerate(data):
            lo, hi = bootstrap_interval(d, method=method, n_resamples=999, rng=seed)  # type: ignore[arg-type]
            covered += bool(lo <= MEAN <= hi)
        hits[method] = covered / replications
    return hits


def check_coverage(n: int, replications: int) -> None:
    found = coverage(n, replications)
    for method, expected in COVERAGE[n].items():
        allowed = slack(0.015, expected, replications)
        assert found[method] == pytest.approx(expected, abs=allowed), method


@pytest.mark.parametrize("n", COVERAGE)
def test_coverage(n: int) -> None:
    check_coverage(n, 100)


@pytest.mark.slow
@pytest.mark.parametrize("n", COVERAGE)
def test_coverage_full(n: int) -> None:
    check_coverage(n, 3000)


def rejections(k: int, n: int, replications: int) -> tuple[float, float]:
    """Task-level t test and pooled z test when the true mean difference is 0."""
    rng = np.random.default_rng(11)
    level = rng.beta(1, 0.7, (replications, k))
    gap = rng.normal(0, 0.15, (replications, k))
    a = rng.binomial(n, np.clip(level + gap / 2, 0, 1)) / n
    b = rng.binomial(n, np.clip(level - gap / 2, 0, 1)) / n
    d = a - b
    task_level = t_pvalue(d.mean(axis=1), d.std(axis=1, ddof=1), k) < 0.05
    p, q = a.mean(axis=1), b.mean(axis=1)
    pooled = np.abs(p - q) / np.sqrt((p * (1 - p) + q * (1 - q)) / (n * k)) > 1.96
    return float(task_level.mean()), float(pooled.mean())


@pytest.mark.parametrize(("k", "n", "task_level", "pooled"), REJECTIONS)
def test_task_is_the_unit(k: int, n: int, task_level: float, pooled: float) -> None:
    found = rejections(k, n, 4000)
    assert found[0] == pytest.approx(task_level, abs=slack(0.0, 0.05, 4000) + 0.005)
    assert found[1] == pytest.approx(pooled, abs=slack(0.015, pooled, 4000))


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n", "task_level", "pooled"), REJECTIONS)
def test_task_is_the_unit_full(k: int, n: int, task_level: float, pooled: float) -> None:
    found = rejections(k, n, 40000)
    assert found[0] == pytest.approx(0.05, abs=slack(0.0, 0.05, 40000))
    assert found[1] == pytest.approx(pooled, abs=slack(0.015, pooled, 40000))


def wilcoxon_rejections(n: int, delta: float, replications: int) -> float:
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(replications):
        d: Array = rng.normal(delta, SD8, n)
        hits += wilcoxon_pvalue(d, method="asymptotic") < 0.05
    return hits / replications


def check_wilcoxon(n: int, delta: float, published: float, replications: int) -> None:
    found = wilcoxon_rejections(n, delta, replications)
    allowed = slack(0.005, published, replications)
    assert found == pytest.approx(published, abs=allowed)
    assert found == pytest.approx(float(wilcoxon_power(delta, sigma=SD8, n=n)), abs=allowed)


@pytest.mark.parametrize(("n", "delta", "published"), WILCOXON)
def test_wilcoxon_power(n: int, delta: float, published: float) -> None:
    check_wilcoxon(n, delta, published, 500)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "delta", "published"), WILCOXON)
def test_wilcoxon_power_full(n: int, delta: float, published: float) -> None:
    check_wilcoxon(n, delta, published, 20000)
