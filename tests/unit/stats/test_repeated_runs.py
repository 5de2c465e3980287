"""One task run again: enumeration over outcomes, exact fractions, brute search."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from nstar.errors import ParameterError
from nstar.stats.proportion import clopper_pearson_interval
from nstar.stats.repeated_runs import flip_rate, next_flip, runs_to_see, sweep_bound


@pytest.mark.parametrize("runs", [(1, 0), (1, 1, 0), (0, 1, 0, 1, 1), (0,) * 6])
def test_flip_rate_counts_pairs_that_disagree(runs: tuple[int, ...]) -> None:
    differ = [x != y for x, y in combinations(runs, 2)]
    assert float(flip_rate(len(runs), sum(runs))) == pytest.approx(np.mean(differ))


@pytest.mark.parametrize(("n", "p"), [(2, 0.3), (5, 0.9), (12, 0.5)])
def test_flip_rate_is_unbiased(n: int, p: float) -> None:
    c = np.arange(n + 1)
    weight = np.array([comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)])
    assert (weight * flip_rate(n, c)).sum() == pytest.approx(2 * p * (1 - p), rel=1e-12)


@pytest.mark.parametrize(("n", "c"), [(1, 1), (4, 4), (5, 1), (10, 5), (3, 0)])
def test_next_flip_is_the_predictive_chance(n: int, c: int) -> None:
    # mean of the posterior Beta(c + 1/2, n - c + 1/2) by numerical integration
    p = (np.arange(200_000) + 0.5) / 200_000
    density = p ** (c - 0.5) * (1 - p) ** (n - c - 0.5)
    success = (density * p).sum() / density.sum()
    expected = 1 - success if 2 * c > n else success
    assert float(next_flip(n, c)) == pytest.approx(expected, abs=2e-3)


def test_next_flip_is_never_certain() -> None:
    assert np.all(next_flip(np.arange(1, 1000), 0) > 0)
    assert float(next_flip(6, 3)) == 0.5


@pytest.mark.parametrize("rate", ["0.5", "0.1", "0.9", "0.03", "0.75", "1"])
@pytest.mark.parametrize("conf", ["0.95", "0.75", "0.99", "0.999", "0.1"])
def test_runs_to_see_by_counting_in_fractions(rate: str, conf: str) -> None:
    clean, left, runs = 1 - Fraction(rate), Fraction(1), 0
    while 1 - left < Fraction(conf):
        left, runs = left * clean, runs + 1
    assert float(runs_to_see(float(rate), conf=float(conf))) == runs


def test_what_never_happens_is_never_seen() -> None:
    assert float(runs_to_see(0.0)) == np.inf
    assert float(runs_to_see(1e-9)) == pytest.approx(2.9957e9, rel=1e-4)


def test_sweep_bound_is_the_exact_upper_limit() -> None:
    runs = np.array([1, 4, 30, 200, 10**6])
    _, high = clopper_pearson_interval(0, runs, conf=0.9)
    np.testing.assert_allclose(sweep_bound(runs), high, rtol=1e-12)


def test_sweep_and_search_are_inverse() -> None:
    runs = np.arange(1, 300)
    np.testing.assert_array_equal(runs_to_see(sweep_bound(runs)), runs)


def test_sweep_over_tasks_bounds_their_average() -> None:
    rng = np.random.default_rng(6)
    for _ in range(200):
        k, n = rng.integers(1, 30, 2)
        failure = rng.beta(0.2, 2, k)
        if failure.mean() > float(sweep_bound(k * n)):
            assert np.prod(1 - failure) ** n < 0.05


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: flip_rate(1, 1), "n must be at least 2 runs; got 1"),
        (lambda: flip_rate(4, 5), "c must be at most n; got 5"),
        (lambda: next_flip(0, 0), "n must be at least 1 run; got 0"),
        (lambda: runs_to_see(-0.1), r"rate must be a proportion in \[0, 1\]; got -0.1"),
        (lambda: runs_to_see(0.1, conf=1), r"conf must be in \(0, 1\); got 1"),
        (lambda: sweep_bound(0), "runs must be at least 1; got 0"),
        (lambda: sweep_bound(2.5), "runs must be a whole number >= 0; got 2.5"),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()
