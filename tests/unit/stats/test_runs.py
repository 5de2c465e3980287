"""Repeated runs: against rational enumeration, statsmodels and exhaustive search."""

from fractions import Fraction
from itertools import product
from math import comb, isclose

import numpy as np
import pytest
from statsmodels.regression.mixed_linear_model import MixedLM

from nstar.errors import ParameterError
from nstar.stats.critical import k_factor
from nstar.stats.runs import (
    RunCosts,
    best_allocation,
    optimal_runs,
    pass_at_k,
    pass_at_k_plugin,
    pass_hat_k,
    runs_mde,
    runs_mde_floor,
    runs_variance,
    variance_components,
)

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
# closed form (runs a, runs b, variance), exhaustive search (runs a, runs b, tasks, variance)
SPLITS = [
    (
        (0.04, 0.12, 0.15),
        (20, 1, 1),
        5000,
        (7.745966692414834, 8.660254037844387, 0.0005301651631441425),
        (8, 9, 135, 0.0005308641975308642),
    ),
    ((0.1, 0.1, 0.1), (0, 1, 1), 5000, (1, 1, 0.00012), (1, 1, 2500, 0.00012)),
    (
        (0.02, 0.15, 0.15),
        (50, 2, 0.5),
        10000,
        (13.693063937629153, 27.386127875258307, 0.0003318167672515498),
        (14, 29, 108, 0.00033228425469804783),
    ),
]


# --- estimation ---------------------------------------------------------------------------


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


# --- planning -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tasks", "runs", "tasks_only", "runs_pooled", "published", "implied"),
    [
        (50, 5, 0.2567695265574409, 0.11483082318657507, 0.25, 0.3981459909907969),
        (100, 25, 0.18156347343082576, 0.03631269468616515, 0.12, 0.18346567264855915),
    ],
)
def test_bounds_on_a_published_mde(
    tasks: int, runs: int, tasks_only: float, runs_pooled: float, published: float, implied: float
) -> None:
    both = {"tasks": tasks, "runs_a": runs, "runs_b": runs}
    worst = runs_mde(runs_variance(0.42, 0.0, 0.0, **both))
    pooled = runs_mde(runs_variance(0.0, 0.21, 0.21, **both))
    assert float(worst) == pytest.approx(tasks_only, abs=1e-8)
    assert float(pooled) == pytest.approx(runs_pooled, abs=1e-8)
    assert float(runs_mde(implied / tasks)) == pytest.approx(published, abs=1e-8)


def test_mde_falls_to_its_floor() -> None:
    n = np.array([1.0, 10.0, 1e6, np.inf])
    mde = runs_mde(runs_variance(0.0225, 0.2, 0.2, tasks=100, runs_a=n, runs_b=n))
    floor = runs_mde_floor(0.15, 100)
    assert np.all(np.diff(mde) < 0)
    assert mde[-1] == pytest.approx(float(floor), rel=1e-12)
    assert float(floor) == pytest.approx(float(k_factor()) * 0.015, rel=1e-12)


def test_shared_run_effect_outlives_tasks() -> None:
    v = runs_variance(0.02, 0.1, 0.1, tasks=np.inf, runs_a=4, runs_b=2, sigma_run2=0.01)
    assert float(v) == pytest.approx(0.01 * (1 / 4 + 1 / 2))


def test_mde_where_power_asks_nothing() -> None:
    assert float(runs_mde(0.01, power=0.01)) == 0.0
    assert float(runs_mde_floor(0.1, 10, power=0.01)) == 0.0


@pytest.mark.parametrize(("parts", "costs", "budget", "closed", "searched"), SPLITS)
def test_splits_of_published_cases(
    parts: tuple[float, float, float],
    costs: tuple[float, float, float],
    budget: float,
    closed: tuple[float, float, float],
    searched: tuple[float, float, float, float],
) -> None:
    price = RunCosts(task=costs[0], run_a=costs[1], run_b=costs[2])
    real = optimal_runs(*parts, budget=budget, costs=price)
    assert [float(x) for x in (real.runs_a, real.runs_b, real.var_delta)] == pytest.approx(
        closed, abs=1e-9
    )
    whole = best_allocation(*parts, budget=budget, costs=price)
    got = [float(x) for x in (whole.runs_a, whole.runs_b, whole.tasks, whole.var_delta)]
    assert got == pytest.approx(searched, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_real_valued_optimum_by_fine_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    between, w_a, w_b = rng.uniform(0.001, 0.2, 3)
    costs = RunCosts(task=rng.choice([0, 1, 30]), run_a=rng.uniform(0.1, 5), run_b=1.0)
    best = optimal_runs(between, w_a, w_b, budget=1000.0, costs=costs)
    grid = np.exp(np.linspace(0, 6, 1201))
    n_a, n_b = grid[:, None], grid[None, :]
    v = (between + w_a / n_a + w_b / n_b) * (costs.task + n_a * costs.run_a + n_b) / 1000
    assert float(best.var_delta) <= v.min() * (1 + 1e-12)
    assert float(best.var_delta) >= v.min() * (1 - 1e-3)
    assert min(float(best.runs_a), float(best.runs_b)) >= 1
    spent = costs.task + best.runs_a * costs.run_a + best.runs_b * costs.run_b
    assert float(best.tasks * spent) == pytest.approx(1000)


def test_optimum_broadcasts() -> None:
    best = optimal_runs([0.02, 0.04], 0.1, [[0.1], [0.0]], budget=100, costs=RunCosts(task=9))
    assert best.runs_a.shape == best.tasks.shape == (2, 2)
    assert best.runs_b[1].tolist() == [1.0, 1.0]


def test_capped_tasks_send_the_budget_to_runs() -> None:
    costs = RunCosts(task=1.0)
    free = best_allocation(0.04, 0.1, 0.1, budget=1000, costs=costs)
    capped = best_allocation(0.04, 0.1, 0.1, budget=1000, costs=costs, max_tasks=20)
    assert free.tasks > 20 == capped.tasks
    assert capped.runs_a + capped.runs_b == 1000 / 20 - 1
    assert free.var_delta < capped.var_delta


def test_budget_is_spent_exactly() -> None:
    best = best_allocation(0.1, 0.0, 0.0, budget=0.3, costs=RunCosts(run_a=0.05, run_b=0.05))
    assert best.tasks == 3


# --- pass@k -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "c", "k"),
    [
        (10, 3, 1),
        (10, 3, 5),
        (200, 13, 100),
        (5, 0, 3),
        (5, 5, 3),
        (5, 3, 3),
        (1, 1, 1),
        (200000, 3, 5),
        (10**6, 1500, 2000),
        (10**5, 20000, 3),
    ],
)
def test_pass_at_k_by_rationals(n: int, c: int, k: int) -> None:
    some = float(1 - Fraction(comb(n - c, k), comb(n, k)))
    every = float(Fraction(comb(c, k), comb(n, k)))
    assert float(pass_at_k(n, c, k)) == pytest.approx(some, rel=1e-12)
    assert float(pass_hat_k(n, c, k)) == pytest.approx(every, rel=1e-11, abs=1e-300)


def test_pass_at_k_of_many_factors() -> None:
    # beyond the product: log gamma, good to about 1e-8 here
    n, c, k = 10**8, 10**4, 5000
    expected = -np.expm1(np.log1p(-c / (n - np.arange(k))).sum())
    assert float(pass_at_k(n, c, k)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("n", "k", "p"), [(10, 3, 0.3), (5, 5, 0.7), (20, 8, 0.125)])
def test_pass_estimates_are_unbiased(n: int, k: int, p: float) -> None:
    c = np.arange(n + 1)
    weight = np.array([comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)])
    assert isclose((weight * pass_at_k(n, c, k)).sum(), 1 - (1 - p) ** k, rel_tol=1e-12)
    assert isclose((weight * pass_hat_k(n, c, k)).sum(), p**k, rel_tol=1e-12)


@pytest.mark.parametrize(
    ("n", "k", "p", "bias"),
    [
        (10, 3, 0.3, -0.04326),
        (5, 5, 0.7, -0.022853712),
        (20, 8, 0.125, -0.06635580798384845),
    ],
)
def test_plugin_bias_of_published_cases(n: int, k: int, p: float, bias: float) -> None:
    c = np.arange(n + 1)
    weight = np.array([comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)])
    mean = (weight * pass_at_k_plugin(n, c, k)).sum()
    assert mean - (1 - (1 - p) ** k) == pytest.approx(bias, abs=1e-12)


def test_pass_shapes() -> None:
    got = pass_at_k(10, np.arange(11)[:, None], [1, 5, 10])
    assert got.shape == (11, 3)
    assert got[:, 0] == pytest.approx(np.arange(11) / 10)
    assert np.all(np.diff(got, axis=0) >= 0)
    assert pass_at_k_plugin(5, 5, 50) == 1.0


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
        (
            lambda: runs_variance(-0.1, 0, 0, tasks=1, runs_a=1, runs_b=1),
            "sigma_b2 must be finite and >= 0; got -0.1",
        ),
        (
            lambda: runs_variance(0.1, 0, 0, tasks=0, runs_a=1, runs_b=1),
            "tasks must be at least 1; got 0",
        ),
        (lambda: runs_mde(np.nan), "var_delta must be finite and >= 0; got nan"),
        (lambda: runs_mde_floor(-1.0, 3), "sigma_b must be finite and >= 0; got -1"),
        (
            lambda: optimal_runs(0.0, 0.1, 0.1, budget=10, costs=RunCosts()),
            "sigma_b2 must be a finite number > 0; got 0",
        ),
        (
            lambda: best_allocation(0.1, 0.1, 0.1, budget=10, costs=RunCosts(run_a=0.0)),
            "costs.run_a must be a finite number > 0; got 0",
        ),
        (
            lambda: best_allocation(0.1, 0.1, 0.1, budget=3, costs=RunCosts()),
            "budget must be at least 4, two tasks with one run each; got 3",
        ),
        (lambda: pass_at_k(5, 6, 1), "c must be at most n; got 6"),
        (lambda: pass_at_k(5, 3, 6), "k must be at most n; got 6"),
        (lambda: pass_hat_k(5, 3, 6), "k must be at most n; got 6"),
        (lambda: pass_at_k(5, 2.5, 1), "c must be a whole number >= 0; got 2.5"),
        (lambda: pass_at_k_plugin(5, 2, 0), "k must be at least 1; got 0"),
    ],
)
def test_refusals(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=message):
        call()
