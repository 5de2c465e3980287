"""Repeated runs: against rational enumeration, statsmodels and exhaustive search."""

import numpy as np
import pytest

from nstar.errors import ParameterError
from nstar.stats.critical import k_factor
from nstar.stats.runs import (
    RunCosts,
    best_allocation,
    optimal_runs,
    runs_mde,
    runs_mde_floor,
    runs_variance,
)

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


@pytest.mark.parametrize(
    ("call", "message"),
    [
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
    ],
)
def test_refusals(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=message):
        call()
