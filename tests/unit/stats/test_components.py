"""Variance components and their intervals: enumeration, a mixed model, two-way layouts."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from statsmodels.regression.mixed_linear_model import MixedLM

from nstar._base.types import Array
from nstar.errors import ParameterError
from nstar.stats.components import run_components, variance_components
from nstar.stats.repeated_runs import flip_rate
from nstar.stats.runs import runs_variance
from nstar.stats.spread import components_interval

A = [
    [1, 0, 0, 1, 1],
    [0, 1, 1, 0, 0],
    [1, 0, 0, 1, 1],
    [0, 0, 1, 0, 1],
    [0, 1, 1, 1, 1],
    [1, 1, 0, 0, 1],
    [0, 1, 1, 0, 1],
    [1, 0, 1, 0, 0],
]
B = [
    [1, 0, 0, 0],
    [1, 1, 1, 1],
    [1, 1, 1, 1],
    [1, 0, 0, 1],
    [0, 1, 1, 0],
    [0, 1, 0, 1],
    [1, 1, 1, 0],
    [0, 0, 1, 0],
]
# sigma_b2, sigma_wa2, sigma_wb2, costs (task, run a, run b), budget,


def test_components_of_published_case() -> None:
    v = variance_components(A, B)
    assert v.delta == pytest.approx(-0.04375, abs=1e-12)
    assert v.var_delta == pytest.approx(0.01396763392857143, abs=1e-12)
    assert v.sigma_wa2 == pytest.approx(0.2875, abs=1e-12)
    assert v.sigma_wb2 == pytest.approx(0.21875, abs=1e-12)
    assert v.sigma_b2_raw == pytest.approx(-0.0004464285714285629, abs=1e-12)
    assert v.sigma_b2 == 0.0
    assert (v.n_a, v.n_b, v.k) == (5, 4, 8)


def test_components_are_unbiased_by_enumeration() -> None:
    # two tasks drawn from four equally likely kinds; every outcome with its probability
    kinds = [(0.9, 0.6), (0.5, 0.5), (0.2, 0.3), (1.0, 0.8)]
    n_a, n_b = 3, 2
    outcomes = [
        (
            0.25
            * comb(n_a, x)
            * p**x
            * (1 - p) ** (n_a - x)
            * comb(n_b, y)
            * q**y
            * (1 - q) ** (n_b - y),
            [1.0] * x + [0.0] * (n_a - x),
            [1.0] * y + [0.0] * (n_b - y),
        )
        for p, q in kinds
        for x in range(n_a + 1)
        for y in range(n_b + 1)
    ]
    outcomes = [o for o in outcomes if o[0] > 0]
    total = np.zeros(4)
    for (p1, a1, b1), (p2, a2, b2) in product(outcomes, repeat=2):
        v = variance_components([a1, a2], [b1, b2])
        parts = (v.sigma_b2_raw, v.sigma_wa2, v.sigma_wb2, v.var_delta)
        total += p1 * p2 * np.array(parts, dtype=float)
    assert total == pytest.approx([0.025, 0.125, 0.215, 0.17416666666666666 / 2], abs=1e-12)
    variance = runs_variance(0.025, 0.125, 0.215, tasks=1, runs_a=n_a, runs_b=n_b)
    assert float(variance) == pytest.approx(0.17416666666666666, abs=1e-12)


def test_components_agree_with_a_mixed_model() -> None:
    # the second model without noise or runs of its own: a one-way layout, where REML is ANOVA
    rng = np.random.default_rng(1)
    a = rng.normal(0, 1, (30, 1)) + rng.normal(0, 0.7, (30, 4))
    v = variance_components(a, np.zeros((30, 2)))
    fit = MixedLM(a.ravel(), np.ones(120), groups=np.repeat(np.arange(30), 4)).fit(reml=True)
    assert v.sigma_wa2 == pytest.approx(fit.scale, rel=1e-3)
    assert v.sigma_b2 == pytest.approx(float(np.squeeze(fit.cov_re)), rel=1e-3)
    assert v.var_delta == pytest.approx(float(fit.bse_fe[0]) ** 2, rel=1e-3)


def test_components_put_together_give_the_variance() -> None:
    v = variance_components(np.array(A) + np.arange(8)[:, None], B)
    assert v.sigma_b2 is not None
    assert v.sigma_wa2 is not None
    assert v.sigma_wb2 is not None
    back = runs_variance(
        v.sigma_b2, v.sigma_wa2, v.sigma_wb2, tasks=v.k, runs_a=v.n_a, runs_b=v.n_b
    )
    assert float(back) == pytest.approx(v.var_delta, rel=1e-12)


def test_missing_runs() -> None:
    a = np.array(A, dtype=float)
    a[0, 3:] = np.nan
    a[1, 1:] = np.nan
    v = variance_components(a, B)
    n = np.array([3, 1, 5, 5, 5, 5, 5, 5])
    means = np.nanmean(a, axis=1)
    within = [np.nanvar(row, ddof=1) for row in a[n > 1]]
    assert v.n_a == pytest.approx(8 / (1 / n).sum())
    assert v.sigma_wa2 == pytest.approx(np.mean(within))
    d = means - np.mean(B, axis=1)
    assert v.delta == pytest.approx(d.mean())
    assert v.var_delta == pytest.approx(d.var(ddof=1) / 8)


def test_one_run_does_not_identify_the_parts() -> None:
    v = variance_components(np.array(A)[:, :1], B)
    assert v.sigma_wa2 is v.sigma_b2 is v.sigma_b2_raw is None
    assert v.sigma_wb2 == pytest.approx(0.21875)
    assert v.var_delta > 0


def test_parts_of_one_model_are_unbiased_by_enumeration() -> None:
    # one task of rate 1/5 or 9/10, three runs, each with half: all pairs of tasks exactly
    rates = (Fraction(1, 5), Fraction(9, 10))
    outcomes = [
        (prod(float(r if x else 1 - r) for x in runs) / 2, runs)
        for r in rates
        for runs in product((0, 1), repeat=3)
    ]
    total = np.zeros(3)
    for (p1, first), (p2, second) in product(outcomes, repeat=2):
        c = run_components([first, second])
        total += p1 * p2 * np.array([c.sigma_task2_raw, c.sigma_w2, c.sigma_run2_raw], dtype=float)
    between = np.var([0.2, 0.9])
    assert total == pytest.approx([between, (0.2 * 0.8 + 0.9 * 0.1) / 2, 0.0], abs=1e-14)


def test_run_effect_is_found_and_leaves_the_tasks_alone() -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(0, 1, (60, 1)) + rng.normal(0, 0.5, (60, 5))
    plain, shifted = run_components(base), run_components(base + np.arange(5.0))
    assert plain.sigma_w2 is not None
    assert plain.sigma_run2_raw is not None
    assert shifted.sigma_w2 is not None
    assert shifted.sigma_run2 is not None
    rest = plain.sigma_w2 - plain.sigma_run2_raw
    assert shifted.sigma_w2 - shifted.sigma_run2 == pytest.approx(rest)
    assert shifted.sigma_task2_raw == pytest.approx(plain.sigma_task2_raw)
    assert shifted.sigma_task2 == pytest.approx(shifted.sigma_task2_raw)
    assert shifted.run_p == pytest.approx(1e-4)
    assert shifted.sigma_run2 == pytest.approx(np.var(np.arange(5.0), ddof=1), rel=0.2)


def test_run_to_run_variance_is_half_the_flips() -> None:
    table = np.array(A, dtype=float)
    flips = flip_rate(5, table.sum(axis=1)).mean()
    for blocks in (True, False):
        c = run_components(table, blocks=blocks)
        assert c.sigma_w2 == pytest.approx(flips / 2, rel=1e-12)
        assert (c.run_p is None) is (not blocks)
        assert c.within_ci == components_interval(table, B).sigma_wa2


@pytest.mark.parametrize("seed", range(20))
def test_for_planning_no_part_is_below_zero(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = (rng.random((12, 3)) < rng.random((12, 1))) * 1.0
    c = run_components(table)
    assert c.sigma_w2 is not None
    assert c.sigma_run2 is not None
    assert c.sigma_run2_raw is not None
    assert 0 <= c.sigma_run2 <= c.sigma_w2
    spread = table.mean(axis=1).var(ddof=1)
    assert c.sigma_task2 == pytest.approx(max(spread - (c.sigma_w2 - c.sigma_run2) / 3, 0))
    raw = spread - (c.sigma_w2 - c.sigma_run2_raw) / 3
    assert c.sigma_task2_raw == pytest.approx(raw)


def test_missing_runs_hide_the_run_effect() -> None:
    table = np.array(A, dtype=float)
    table[0, 3:] = np.nan
    table[1, 1:] = np.nan
    c, v = run_components(table), variance_components(table, np.zeros((8, 2)))
    assert not c.complete
    assert c.sigma_run2 is c.sigma_run2_raw is c.run_p is None
    assert c.run_ci is None
    assert c.sigma_w2 == v.sigma_wa2
    assert c.sigma_task2_raw == pytest.approx(v.sigma_b2_raw, rel=1e-12)


@pytest.mark.parametrize("low", [0.0, -2.0])
def test_tasks_that_ran_once_do_not_move_the_interval_within_tasks(low: float) -> None:
    """Whether scores are bounded or not, the limits rest on the tasks with two or more runs."""
    rng = np.random.default_rng(12)
    table = low + (rng.random((40, 3)) < rng.random((40, 1))) * 1.0
    once = np.where(np.arange(3) > 0, np.nan, table[:20])
    assert run_components(np.vstack([table, once]), blocks=False).within_ci == pytest.approx(
        run_components(table, blocks=False).within_ci
    )


def test_one_repeated_task_does_not_measure_the_noise() -> None:
    table = np.array([[1, 0], [1, np.nan], [0, np.nan], [1, np.nan]])
    c = run_components(table)
    assert c.sigma_w2 == 0.5
    assert c.within_ci is not None
    assert c.within_ci.low < 0.02
    assert c.within_ci.high == pytest.approx(0.5)
    assert c.task_ci == pytest.approx((0.0, 1 / 3))
    assert run_components(table * 10).within_ci == (0.0, np.inf)


def test_noise_of_single_runs_is_subtracted_whole() -> None:
    """Influence values are negative where tasks agree and others ran once: no sign decides."""
    rng = np.random.default_rng(3)
    table = (rng.random((60, 2)) < rng.beta(3, 0.4, (60, 1))) * 1.0
    table[30:, 1] = np.nan
    c = run_components(table)
    assert c.task_ci is not None
    assert c.sigma_task2_raw is not None
    assert c.sigma_w2 is not None
    spread = np.nanmean(table, axis=1).var(ddof=1)
    assert c.sigma_task2_raw == pytest.approx(spread - c.sigma_w2 / c.n)
    assert c.task_ci.low <= c.sigma_task2_raw <= c.task_ci.high


def test_one_run_of_one_model() -> None:
    c = run_components([[1], [0], [1]])
    assert c.complete
    assert c.n == 1
    assert c.sigma_task2 is c.sigma_w2 is c.run_p is None
    assert c.task_ci is c.within_ci is None


def test_a_deterministic_model() -> None:
    c = run_components([[1, 1], [0, 0], [1, 1]])
    assert c.sigma_w2 == c.sigma_run2 == 0.0
    assert c.run_p == 1.0
    assert c.sigma_task2 == pytest.approx(1 / 3)
    assert c.within_ci is not None
    # two runs vary by at most 1/2, in at most 1 - 0.025^(1/3) of the tasks
    assert c.within_ci == pytest.approx((0.0, (1 - 0.025 ** (1 / 3)) / 2))


def test_every_run_of_every_task_passed() -> None:
    c = run_components(np.ones((40, 3)))
    assert c.sigma_task2 == 0.0
    assert c.task_ci is not None
    assert c.task_ci[0] == 0.0
    assert c.task_ci[1] == pytest.approx(1 - 0.025 ** (1 / 40))
    assert c.run_ci == (0.0, 0.0)


def test_runs_that_differ_alike_everywhere() -> None:
    c = run_components([[1, 0, 1]] * 5)
    assert c.sigma_w2 == pytest.approx(c.sigma_run2) == pytest.approx(1 / 3)
    assert c.run_p == pytest.approx(3**-4)


@pytest.mark.parametrize("scores", [(0.0, 1.0), (0.1, 0.3, 0.7), (59.9, 60.1)])
def test_constant_rows_leave_no_rounding(scores: tuple[float, ...]) -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        k, n = rng.integers(2, 40), rng.integers(2, 9)
        c = run_components(np.repeat(rng.choice(scores, (k, 1)), n, axis=1))
        assert (c.run_p, c.sigma_w2, c.sigma_run2, c.sigma_run2_raw) == (1, 0, 0, 0)
        assert c.sigma_task2 == c.sigma_task2_raw


def test_noise_at_the_last_digit_is_none() -> None:
    c = run_components([[0.3, 0.1 + 0.2], [0.7, 0.7], [0.1 + 0.2, 0.3]])
    assert (c.run_p, c.sigma_w2, c.sigma_run2) == (1, 0, 0)


@pytest.mark.parametrize("seed", range(10))
def test_what_a_run_shares_leaves_no_negative_rest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shift = rng.choice([0.1, 0.3, 0.7], (1, 5))
    c = run_components(rng.choice([0.1, 0.2, 0.9], (7, 1)) + shift)
    assert c.sigma_w2 is not None
    assert c.sigma_run2 is not None
    assert 0 <= c.sigma_w2 - c.sigma_run2 < 1e-15


@pytest.mark.parametrize("unit", [1.0, 1000.0, 1e-6])
def test_units(unit: float) -> None:
    table = np.random.default_rng(2).normal(3, 1, (12, 4))
    one, other = run_components(table), run_components(unit * table)
    for field in ("sigma_task2", "sigma_w2", "sigma_run2_raw"):
        assert getattr(other, field) == pytest.approx(unit**2 * getattr(one, field), rel=1e-9)
    for field in ("task_ci", "within_ci", "run_ci"):
        expected = unit**2 * np.array(getattr(one, field))
        # small scores lie in [0, 1], whose range is then taken as known
        if unit >= 1:
            assert getattr(other, field) == pytest.approx(expected, rel=1e-9)
    assert other.run_p == pytest.approx(one.run_p, rel=1e-9)


@pytest.mark.parametrize("outside", [0.0, 50.0])
def test_two_tasks_at_high_confidence_have_limits(outside: float) -> None:
    with np.errstate(all="raise"):
        c = run_components(np.array([[1, 0], [1, 1]]) + outside, conf=0.999)
    for ends in (c.task_ci, c.within_ci, c.run_ci):
        assert ends is not None
        assert 0 <= ends[0] <= ends[1]


def test_one_score_outside_the_unit_interval_has_no_scale() -> None:
    with np.errstate(all="raise"):
        c = run_components(np.full((4, 3), 5.0))
    assert c.task_ci is c.within_ci is None
    assert c.sigma_task2 == c.sigma_w2 == 0


def tables(count: int, k: int, n: int) -> list[Array]:
    rng = np.random.default_rng(8)
    return [(rng.random((k, n)) < rng.beta(0.5, 0.5, (k, 1))).astype(float) for _ in range(count)]


@pytest.mark.parametrize(("k", "n"), [(2, 2), (3, 5), (10, 2), (50, 4)])
def test_intervals_hold_the_estimates(k: int, n: int) -> None:
    for table in tables(40, k, n):
        c = run_components(table)
        for value, ends in (
            (c.sigma_task2, c.task_ci),
            (c.sigma_w2, c.within_ci),
            (c.sigma_run2, c.run_ci),
        ):
            assert value is not None
            assert ends is not None
            assert 0 <= ends[0] <= value + 1e-12
            assert value <= ends[1] + 1e-12 or ends is c.run_ci
            assert np.isfinite(ends[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: variance_components([1, 2], B), "number of axes of a must be 2, tasks x runs"),
        (lambda: variance_components(A, B[:5]), "tasks in b must be those of a, 8; got 5"),
        (lambda: variance_components(A[:1], B[:1]), "tasks in a must be at least 2; got 1"),
        (
            lambda: variance_components([[1.0, np.inf], [0.0, 1.0]], [[1], [0]]),
            "a must be finite, or NaN for a missing run; got inf",
        ),
        (
            lambda: variance_components([[np.nan], [0.0]], [[1], [0]]),
            "runs of each task in a must be at least 1; got 0",
        ),
        (lambda: run_components([[1, 0]]), "tasks in scores must be at least 2; got 1"),
        (lambda: run_components(A, conf=1.0), r"conf must be in \(0, 1\); got 1"),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()
