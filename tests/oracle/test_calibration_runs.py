"""Coverage of the intervals over tasks, and the size of the test of a run effect, by simulation.

The laws are those of scripts/runs_coverage.py, which writes docs/evidence/runs.md. A small
sample runs always, a larger one with ``-m slow``.
"""

from math import sqrt
from types import ModuleType

import numpy as np
import pytest
from scipy import stats as scipy_stats

from helpers.scripts_as_modules import loaded
from nstar import stats

REPLICATIONS = pytest.mark.parametrize(
    "replications", [40, pytest.param(2000, marks=pytest.mark.slow)], ids=["fast", "full"]
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("runs_coverage")


def slack(rate: float, replications: int) -> float:
    return 3 * sqrt(rate * (1 - rate) / replications)


@pytest.mark.sampled(5)
@REPLICATIONS
@pytest.mark.parametrize("graded", [False, True], ids=["binary", "graded"])
@pytest.mark.parametrize("law", ["middling", "split"])
@pytest.mark.parametrize(("k", "n"), [(10, 4), (50, 2), (50, 10)])
def test_coverage(
    script: ModuleType, law: str, graded: bool, k: int, n: int, replications: int
) -> None:
    cell = script.Cell(law=script.LAWS[law], graded=graded, k=k, n=n)
    for name, rate in script.coverage(cell, replications, seed=21).items():
        assert rate > 0.92 - slack(0.92, replications), name


@REPLICATIONS
@pytest.mark.parametrize(("k", "n"), [(20, 4), (50, 2)])
def test_coverage_near_the_ceiling(script: ModuleType, k: int, n: int, replications: int) -> None:
    cell = script.Cell(law=script.LAWS["near the ceiling"], graded=False, k=k, n=n)
    for name, rate in script.coverage(cell, replications, seed=22).items():
        assert rate > 0.87 - slack(0.87, replications), name


@REPLICATIONS
@pytest.mark.parametrize("k", [10, 50, 200])
def test_coverage_of_single_runs(k: int, replications: int) -> None:
    # D in -1, 0, 1 with chances 0.1, 0.65, 0.25
    rng = np.random.default_rng(5)
    truth, held = 0.35 - 0.15**2, 0
    for _ in range(replications):
        d = rng.choice([-1.0, 0.0, 1.0], (k, 1), p=[0.1, 0.65, 0.25])
        low, high = stats.spread_interval(np.maximum(d, 0), np.maximum(-d, 0), runs_a=1, runs_b=1)
        held += int(low <= truth <= high)
    assert held / replications > 0.93 - slack(0.93, replications)


@REPLICATIONS
@pytest.mark.parametrize(("k", "n", "exact"), [(20, 4, True), (50, 3, True), (4, 3, False)])
@pytest.mark.parametrize("law", [(0.4, 0.5), (3.0, 0.4)], ids=["split", "near the ceiling"])
def test_size_of_the_test_of_a_run_effect(
    k: int, n: int, exact: bool, law: tuple[float, float], replications: int
) -> None:
    """At most nominal; nearly that where many tasks move. All small tables: test_run_effect."""
    rng = np.random.default_rng(6)
    p = np.empty(replications)
    for i in range(replications):
        table = rng.random((k, n)) < rng.beta(*law, (k, 1))
        found = stats.run_components(table).run_p
        assert found is not None
        p[i] = found
    for alpha in (0.01, 0.05):
        assert (p <= alpha).mean() <= alpha + slack(alpha, replications)
    if exact and law == (0.4, 0.5):
        assert (p <= 0.05).mean() == pytest.approx(0.05, abs=slack(0.05, replications) + 0.01)


@REPLICATIONS
def test_interval_of_a_run_effect(replications: int) -> None:
    # normal run effects of variance 0.04 on 30 tasks, six runs
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(replications):
        table = rng.normal(0, 1, (30, 1)) + rng.normal(0, 0.2, 6) + rng.normal(0, 0.5, (30, 6))
        ends = stats.run_components(table).run_ci
        assert ends is not None
        held += bool(ends[0] <= 0.04 <= ends[1])
    assert held / replications == pytest.approx(0.95, abs=slack(0.95, replications) + 0.005)


def test_why_not_t_intervals_for_pass_curves() -> None:
    # few tasks can do it at all: pass^4 from ten runs, 50 tasks
    rng = np.random.default_rng(8)
    a, b, k, n = 0.15, 2.0, 50, 10
    i = np.arange(4)
    truth = float(np.prod((a + i) / (a + b + i)))
    x = stats.pass_hat_k(n, rng.binomial(n, rng.beta(a, b, (2000, k))), 4)
    half = scipy_stats.t.ppf(0.975, k - 1) * x.std(axis=1, ddof=1) / np.sqrt(k)
    covered = np.abs(x.mean(axis=1) - truth) <= half
    assert covered.mean() == pytest.approx(0.65, abs=0.04)


def test_why_not_t_on_jackknife_values() -> None:
    # variance over ten tasks of a difference of means of four 0/1 runs
    rng = np.random.default_rng(9)
    rate, other = rng.beta(2, 2, (2, 4000, 10))
    second = np.where(rng.random((4000, 10)) < 0.6, rate, other)
    d = (rng.binomial(4, rate) - rng.binomial(4, second)) / 4
    square = (d - d.mean(axis=1, keepdims=True)) ** 2
    pseudo = square * 10 / 8 + d.var(axis=1, ddof=1, keepdims=True) * (10 - 81 / 8)
    high = pseudo.mean(axis=1) + scipy_stats.t.ppf(0.975, 9) * pseudo.std(axis=1, ddof=1) / 10**0.5
    assert (high < 0.8 * 0.05 + 2 * 0.2 / 4).mean() == pytest.approx(0.12, abs=0.03)
