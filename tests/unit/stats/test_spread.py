"""Intervals for the spread of a difference: identities, edges and refusals.

Their coverage is simulated in tests/oracle/test_calibration_runs.py.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from helpers.cases import each
from nstar._base.types import Array
from nstar.errors import ParameterError
from nstar.stats.components import variance_components
from nstar.stats.runs import runs_variance
from nstar.stats.spread import alike_spread_interval, components_interval, spread_interval


def pilot(k: int, n: int, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    rate = rng.beta(0.6, 0.6, (k, 1))
    other = np.clip(rate + rng.normal(0, 0.2, (k, 1)), 0, 1)
    return (
        (rng.random((k, n)) < rate).astype(float),
        (rng.random((k, n)) < other).astype(float),
    )


@each([(1, 1), (4, 4), (9, 2), (np.inf, np.inf)], range(12))
def test_interval_holds_the_estimate(runs: tuple[float, float], seed: int) -> None:
    runs_a, runs_b = runs
    a, b = pilot(30, 4, seed)
    v = variance_components(a, b)
    assert v.sigma_b2_raw is not None
    assert v.sigma_wa2 is not None
    assert v.sigma_wb2 is not None
    spread = v.sigma_b2_raw + v.sigma_wa2 / runs_a + v.sigma_wb2 / runs_b
    low, high = spread_interval(a, b, runs_a=runs_a, runs_b=runs_b)
    assert 0 <= low <= max(spread, 0.0) <= high <= 1.04


def test_a_longer_pilot_narrows_it() -> None:
    widths = []
    for k in (10, 40, 160, 640):
        a, b = pilot(k, 3, seed=3)
        low, high = spread_interval(a, b, runs_a=3, runs_b=3)
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)


def test_more_confidence_widens_it() -> None:
    a, b = pilot(25, 3, seed=5)
    ends = [
        spread_interval(a, b, runs_a=2, runs_b=5, conf=conf) for conf in (0.5, 0.8, 0.95, 0.99)
    ]
    assert all(x.low >= y.low and x.high <= y.high for x, y in pairwise(ends))


def test_endless_runs_leave_the_variance_between_tasks() -> None:
    a, b = pilot(25, 3, seed=5)
    c = components_interval(a, b)
    assert c.sigma_b2 == tuple(spread_interval(a, b, runs_a=np.inf, runs_b=np.inf))


def test_the_models_may_change_places() -> None:
    a, b = pilot(25, 3, seed=7)
    there, back = components_interval(a, b), components_interval(b, a)
    assert there.sigma_b2 == pytest.approx(back.sigma_b2)
    assert there.sigma_wa2 == back.sigma_wb2
    one = spread_interval(a, b, runs_a=2, runs_b=7)
    assert one == pytest.approx(spread_interval(b, a, runs_a=7, runs_b=2))


def test_normal_scores_give_the_chi_square_limits_of_many_tasks() -> None:
    # without noise to take off: s² k / chi²; scipy 1.15, k = 2000
    d = np.random.default_rng(1).normal(0, 2, (2000, 1))
    low, high = spread_interval(d, np.zeros_like(d), runs_a=1, runs_b=1)
    s2 = float(d.var(ddof=1))
    assert (low, high) == pytest.approx((s2 * 0.9406, s2 * 1.0653), rel=0.01)


def test_single_runs_have_a_spread_but_no_parts() -> None:
    a, b = pilot(30, 1, seed=1)
    c = components_interval(a, b)
    assert c.sigma_b2 is c.sigma_wa2 is c.sigma_wb2 is None
    low, high = spread_interval(a, b, runs_a=1, runs_b=1)
    v = variance_components(a, b)
    assert low < v.var_delta * v.k < high


def test_identical_models_are_not_known_to_be_identical() -> None:
    same = np.tile([[1.0], [0.0], [1.0], [1.0], [0.0]], (4, 3))
    low, high = spread_interval(same, same, runs_a=3, runs_b=3)
    assert low == 0.0
    assert high == pytest.approx(1 - 0.025 ** (1 / 20))


def test_spread_over_tasks_is_the_squared_error_of_the_gap() -> None:
    a, b = pilot(40, 4, seed=9)
    v = variance_components(a, b)
    assert v.sigma_b2 is not None
    assert v.sigma_wa2 is not None
    assert v.sigma_wb2 is not None
    error2 = runs_variance(v.sigma_b2, v.sigma_wa2, v.sigma_wb2, tasks=40, runs_a=4, runs_b=4)
    low, high = spread_interval(a, b, runs_a=4, runs_b=4)
    assert low / 40 < float(error2) < high / 40


def test_a_model_alike_and_half_correlated_doubles_the_noise_of_runs() -> None:
    a, _ = pilot(40, 4, seed=9)  # at rho = 1/2 the spread is sigma_task² + sigma_w² (1/4 + 1/4)
    found = alike_spread_interval(a, rho=0.5, runs_a=4, runs_b=4)
    assert found == spread_interval(a, np.zeros((40, 1)), runs_a=2, runs_b=1)


def test_a_model_alike_on_every_task_differs_by_its_runs_only() -> None:
    a, b = pilot(40, 4, seed=9)
    within = components_interval(a, b).sigma_wa2
    assert within is not None
    low, high = alike_spread_interval(a, rho=1, runs_a=2, runs_b=4)
    assert (low, high) == pytest.approx((0.75 * within[0], 0.75 * within[1]))


@pytest.mark.parametrize("conf", [0.9, 0.99, 0.9999])
def test_two_tasks_have_limits(conf: float) -> None:
    a, b = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 0.0], [1.0, 0.0]])
    with np.errstate(all="raise"):
        low, high = spread_interval(a, b, runs_a=2, runs_b=2, conf=conf)
        assert 0 <= low <= high <= 2
        low, high = spread_interval(100 * a, b, runs_a=2, runs_b=2, conf=conf)
        assert 0 <= low <= high


def test_scores_of_unknown_range_are_not_capped_at_what_was_seen() -> None:
    """Normal scores, three tasks; capped, 0.86 of the intervals hold the truth."""
    rng = np.random.default_rng(4)
    held = np.zeros(3)
    for _ in range(400):
        a, b = 5 + rng.normal(0, 1, (2, 3, 2))
        a += rng.normal(0, 1, (3, 1))
        c, (low, high) = components_interval(a, b), spread_interval(a, b, runs_a=2, runs_b=2)
        assert c.sigma_b2 is not None
        assert c.sigma_wa2 is not None
        ends = np.array([(low, high), c.sigma_b2, c.sigma_wa2])
        truth = np.array([2.0, 1.0, 1.0])
        held += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    assert (held >= 0.95 * 400).all()


def test_one_score_each_tells_nothing() -> None:
    a, b = np.full((4, 3), 5.0), np.full((4, 3), 7.0)
    with np.errstate(all="raise"):
        assert spread_interval(a, b, runs_a=1, runs_b=1) == (0.0, np.inf)
        assert components_interval(a, b).sigma_wa2 is None
        assert alike_spread_interval(a, rho=1, runs_a=1, runs_b=1) == (0.0, np.inf)


A, B = [[1, 0], [1, 1], [0, 1]], [[1], [0], [0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: spread_interval(A, B, runs_a=2, runs_b=2),
            "runs_b must be 1 if no task in the pilot has two runs; got 2",
        ),
        (lambda: spread_interval(A, B, runs_a=0.5, runs_b=1), "runs_a must be at least 1"),
        (
            lambda: spread_interval(A, B, runs_a=1, runs_b=1, conf=95),
            r"conf must be in \(0, 1\); got 95",
        ),
        (
            lambda: alike_spread_interval(B, rho=0.5, runs_a=1, runs_b=2),
            "runs_b must be 1 if no task in the pilot has two runs; got 2",
        ),
        (
            lambda: alike_spread_interval(A, rho=1.5, runs_a=1, runs_b=1),
            "rho must be",
        ),
        (
            lambda: alike_spread_interval(A, rho=0, runs_a=0, runs_b=1),
            "runs_a must be at least 1; got 0",
        ),
        (lambda: components_interval(A, B[:2]), "tasks in b must be those of a, 3; got 2"),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()
