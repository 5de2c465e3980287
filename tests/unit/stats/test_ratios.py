"""Ratios of means, against R's survey package, resampling and plain algebra."""

import math

import numpy as np
import pytest
from scipy import special

from nstar import stats
from nstar._base.types import Interval
from nstar.errors import ParameterError
from nstar.stats.ratios import log_jackknife_interval, ratio_change_interval

COST = np.array([0.2, 0.5, 0.1, 0.4, 0.3, 0.9, 0.25])
PASSED = np.array([1, 0, 1, 0.5, 0.5, 0, 0.75])
COST_2 = np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.4, 0.1])
PASSED_2 = np.array([0.5, 0, 1, 0.5, 0.25, 0.25, 1])


def log_se(ends: Interval, k: int) -> float:
    return math.log(float(ends[1]) / float(ends[0])) / 2 / float(special.stdtrit(k - 1, 0.975))


def test_a_ratio_has_the_standard_error_of_r() -> None:
    """survey::svyratio(~cost, ~pass): 0.706666666666667, SE 0.383005571094876."""
    found = stats.ratio_interval(COST, PASSED)
    assert math.sqrt(found[0] * found[1]) == pytest.approx(0.706666666666667, rel=1e-12)
    assert log_se(found, 7) * 0.706666666666667 == pytest.approx(0.383005571094876, rel=1e-12)


def test_a_ratio_of_ratios_has_the_standard_error_of_r() -> None:
    """survey::svycontrast, log(cost / pass / (c2 / p2)): 0.569094531889967, 0.315036109870322."""
    found = ratio_change_interval(COST, PASSED, COST_2, PASSED_2)
    assert math.log(found[0] * found[1]) / 2 == pytest.approx(0.569094531889967, rel=1e-12)
    assert log_se(found, 7) == pytest.approx(0.315036109870322, rel=1e-12)


def test_resampled_tasks_spread_as_much() -> None:
    rng = np.random.default_rng(5)
    p = rng.beta(0.8, 1, 80)
    cost, passed = np.exp(0.5 * rng.normal(size=80) + 1 - p), rng.binomial(4, p) / 4
    drawn = rng.integers(0, 80, (4000, 80))
    spread = np.log(cost[drawn].mean(axis=1) / passed[drawn].mean(axis=1)).std()
    assert log_se(stats.ratio_interval(cost, passed), 80) == pytest.approx(spread, rel=0.05)


def test_leaving_tasks_out_agrees_with_linearisation() -> None:
    rng = np.random.default_rng(6)
    x = np.exp(0.5 * rng.normal(size=200))
    left = (x.sum() - x) / 199
    jackknife = log_jackknife_interval(float(x.mean()), left)
    assert jackknife == pytest.approx(stats.ratio_interval(x, np.ones(200)), rel=2e-3)


def test_units_of_money_do_not_matter() -> None:
    one, other = stats.ratio_interval(COST, PASSED), stats.ratio_interval(100 * COST, PASSED)
    assert other == pytest.approx(tuple(100 * v for v in one))


@pytest.mark.parametrize(
    ("top", "bottom", "said"),
    [
        ([1.0], [1.0], "two units"),
        ([1.0, 2.0], [0.0, 0.0], "bottom must be positive on average; got 0"),
        ([1.0, 2.0], [1.0, 1.0, 1.0], "same units"),
        ([1.0, float("nan")], [1.0, 1.0], "top"),
    ],
)
def test_what_has_no_ratio_is_refused(top: list[float], bottom: list[float], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        stats.ratio_interval(top, bottom)
