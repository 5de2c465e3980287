"""Budgets: numbers by independent formulas, dumb searches and simulation."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

import nstar
from nstar._verbs.budget.design import Factor, Planner
from nstar._verbs.budget.solve import plan_runs
from nstar._verbs.budget.spread import TaskVariances
from nstar._verbs.verdict import Criteria
from nstar.errors import InfeasibleError, ParameterError
from nstar.stats import RunCosts

PLAIN = TaskVariances(sigma_b2=0.05, sigma_wa2=0.12, sigma_wb2=0.2)


def t_power(shift: float, df: float) -> float:
    """Two-sided power at 5%, by another library's noncentral t, far tail included."""
    critical = scipy_stats.t.ppf(0.975, df)
    wrong_side = scipy_stats.nct.sf(critical, df, -shift)
    return float(scipy_stats.nct.sf(critical, df, shift) + wrong_side)


# --- spread -------------------------------------------------------------------------------


def test_rates_by_simulation() -> None:
    """Beta success rates, correlated by sharing: the variance of D is what was said."""
    rng = np.random.default_rng(3)
    tasks, rho, runs = 400_000, 0.4, (3, 2)
    own, other = rng.beta(1.5, 1, (2, tasks))
    second = np.where(rng.random(tasks) < rho, own, other)
    d = rng.binomial(runs[0], own) / runs[0] - rng.binomial(runs[1], second) / runs[1]
    mean, var = 0.6, 1.5 / (2.5**2 * 3.5)
    spread = TaskVariances.of_rates(mean, 2 * (mean * (1 - mean) - var), rho)
    assert spread.total(*runs) == pytest.approx(d.var(), rel=0.01)


def test_rates_at_their_limits() -> None:
    certain = TaskVariances.of_rates(0.7, 0.0, 0.5)
    assert (certain.sigma_wa2, certain.sigma_b2) == pytest.approx((0.0, 0.21))
    coin = TaskVariances.of_rates(0.7, 0.42, 0.5)
    assert (coin.sigma_b2, coin.sigma_wa2) == pytest.approx((0.0, 0.21))
    with pytest.raises(InfeasibleError, match=r"at most 0\.42"):
        TaskVariances.of_rates(0.7, 0.43, 0.5)


def test_with_different_tasks_variances_add() -> None:
    same = TaskVariances.of_rates(0.5, 0.3, 0.6)
    apart = same.apart()
    assert apart is not None
    assert apart.sigma_b2 == pytest.approx(same.sigma_b2 / 0.4)
    assert not apart.is_paired
    assert apart.apart() is None
    assert PLAIN.apart() is None
    assert apart.total(1, 1) == pytest.approx(2 * 0.25)  # all of p (1 - p), twice


def test_models_that_never_differ_are_refused() -> None:
    with pytest.raises(ParameterError, match="above 0"):
        TaskVariances(sigma_b2=0, sigma_wa2=0, sigma_wb2=0)


# --- the t factor -------------------------------------------------------------------------


@pytest.mark.parametrize("tasks", [2, 3, 10, 33, 34, 100, 1234, 10_000_000])
@pytest.mark.parametrize("paired", [True, False])
def test_factor_has_the_wanted_power(tasks: int, paired: bool) -> None:
    shift = float(Factor(Criteria(), paired)(np.asarray(float(tasks))))
    df = (tasks - 1) * (1 if paired else 2)
    assert t_power(shift, df) == pytest.approx(0.8, abs=2e-5)


def test_factor_falls_with_tasks() -> None:
    k = np.arange(2.0, 400)
    assert (np.diff(Factor(Criteria(), paired=True)(k)) < 0).all()


@pytest.mark.parametrize("criteria", [Criteria(), Criteria(alpha=1e-6, power=0.99)])
def test_factor_beyond_its_table(criteria: Criteria) -> None:
    k = np.array([34.0, 47, 99, 12_345])
    exact = nstar.stats.t_mde(k, sigma=1.0, alpha=criteria.alpha, power=criteria.power)
    assert Factor(criteria, paired=True)(k) == pytest.approx(exact * np.sqrt(k), rel=1e-10)


# --- designs ------------------------------------------------------------------------------


def planner(spread: TaskVariances = PLAIN, **more: object) -> Planner:
    costs = RunCosts(task=3.0, run_a=1.0, run_b=1.7)
    return Planner(spread, costs, Criteria(), **more)  # type: ignore[arg-type]


def dumb_cheapest(p: Planner, delta: float, top: float) -> float:
    """Price of the cheapest design that detects delta, by looking at all of them."""
    least = math.inf
    a = 1
    while 2 * p.price(a, 1) <= top:
        b = 1
        while 2 * p.price(a, b) <= top:
            k = 2
            while k * p.price(a, b) < min(top, least):
                if k <= p.most_tasks and p.mde(k, a, b) <= delta:
                    least = k * p.price(a, b)
                k += 1
            b += 1
        a += 1
    return least


@pytest.mark.parametrize(
    ("delta", "tasks"), [(0.3, None), (0.25, None), (0.4, 8), (0.5, 5), (0.9, None)]
)
def test_cheapest_is_cheapest(delta: float, tasks: int | None) -> None:
    p = planner(tasks_available=tasks)
    found = p.cheapest(delta)
    assert found is not None
    assert found.cost == pytest.approx(dumb_cheapest(p, delta, 1.2 * found.cost), rel=1e-9)
    assert found.mde <= delta


@pytest.mark.parametrize("seed", range(25))
def test_cheapest_is_cheapest_of_any_kind(seed: int) -> None:
    rng = np.random.default_rng(seed)
    spread = TaskVariances(
        sigma_b2=float(rng.choice([0.0, 0.02, 0.2])),
        sigma_wa2=float(rng.uniform(0, 0.25)),
        sigma_wb2=float(rng.uniform(0.01, 0.25)),
        sigma_run_a2=float(rng.choice([0.0, 0.0, 1e-3])),
        sigma_run_b2=float(rng.choice([0.0, 0.0, 2e-3])),
    )
    task, run = float(rng.choice([0.0, 1.0, 7.3])), float(rng.choice([0.4, 1.0, 3.0]))
    p = Planner(spread, RunCosts(task=task, run_a=1.0, run_b=run), Criteria())
    delta = float(rng.uniform(0.3, 0.6))
    found = p.cheapest(delta)
    assert found is not None
    assert found.mde <= delta
    assert dumb_cheapest(p, delta, found.cost * (1 - 1e-9)) == math.inf


def test_design_has_the_power_that_it_says() -> None:
    p = planner()
    found = p.cheapest(0.1)
    assert found is not None
    error = math.sqrt(PLAIN.total(found.n_runs_a, found.n_runs_b) / found.n_tasks)
    assert p.power(0.1, found) == pytest.approx(t_power(0.1 / error, found.n_tasks - 1), abs=1e-6)
    assert t_power(found.mde / error, found.n_tasks - 1) == pytest.approx(0.8, abs=1e-5)


def test_different_tasks_need_the_power_of_two_samples() -> None:
    apart = TaskVariances.of_rates(0.5, 0.3, 0.6).apart()
    assert apart is not None
    p = planner(apart)
    assert p.price(1, 1) == pytest.approx(2 * 3 + 2.7)
    d = p.design(40, 2, 3)
    error = math.sqrt(apart.total(2, 3) / 40)
    assert p.power(0.2, d) == pytest.approx(t_power(0.2 / error, 78), abs=1e-6)
    assert planner(apart, tasks_available=9).most_tasks == 4


def test_power_by_simulation() -> None:
    """0/1 runs of Beta tasks: the task-level t test rejects as often as planned."""
    rng = np.random.default_rng(8)
    reps, tasks, gap = 8000, 120, 0.12
    own, second = rng.beta(1, 1, (2, reps, tasks))
    first = own + (1 - own) * 2 * gap
    mean, var = 0.5 + gap, (1 - 2 * gap) ** 2 / 12
    spread = TaskVariances(
        sigma_b2=var + 1 / 12, sigma_wa2=mean - mean * mean - var, sigma_wb2=1 / 4 - 1 / 12
    )
    p = Planner(spread, RunCosts(), Criteria())
    d = rng.binomial(3, first) / 3 - rng.binomial(3, second) / 3
    t = d.mean(axis=1) / d.std(axis=1, ddof=1) * math.sqrt(tasks)
    rate = float((np.abs(t) > scipy_stats.t.ppf(0.975, tasks - 1)).mean())
    assert rate == pytest.approx(p.power(gap, p.design(tasks, 3, 3)), abs=0.015)


def test_shared_run_effect_does_not_average_out() -> None:
    noisy = TaskVariances(
        sigma_b2=0.05, sigma_wa2=0.1, sigma_wb2=0.1, sigma_run_a2=1e-3, sigma_run_b2=1e-3
    )
    p = planner(noisy, runs=(2, 2))
    assert p.cheapest(0.05) is None
    assert p.floor() == pytest.approx(2.8016 * math.sqrt(1e-3), rel=1e-4)
    freed = planner(noisy)
    found = freed.cheapest(0.05)
    assert found is not None
    assert found.n_runs_a > 2


# --- plan_runs --------------------------------------------------------------------------


def test_both_given_means_power() -> None:
    found = plan_runs(PLAIN, budget=500, delta=0.05)
    assert found.solved_for == "power"
    assert found.best_design is not None
    assert found.needed_design is not None
    assert found.power is not None
    assert found.power < 0.8
    assert found.needed_design.cost > 500
    assert found.needed_design == plan_runs(PLAIN, delta=0.05).best_design


def test_free_tasks_take_one_run_each() -> None:
    found = plan_runs(PLAIN, budget=1000)
    best = found.best_design
    assert best is not None
    assert (best.n_tasks, best.n_runs_a, best.n_runs_b, best.cost) == (500, 1, 1, 1000.0)
    error = math.sqrt(0.37 / 500)
    assert t_power(best.mde / error, 499) == pytest.approx(0.8, abs=1e-6)
    assert [r.value for r in found.scenarios if r.is_headline] == [1]


def test_limited_tasks_have_a_floor() -> None:
    found = plan_runs(PLAIN, budget=1000, delta=0.05, tasks_available=40)
    assert found.mde_floor == pytest.approx(float(nstar.stats.t_mde(40, sigma=math.sqrt(0.05))))
    assert found.needed_design is None
    assert found.unlimited_design is not None
    assert found.n_star == found.unlimited_design.n_tasks > 40
    assert found.budget_for_floor is not None
    near = plan_runs(PLAIN, budget=found.budget_for_floor, tasks_available=40).best_design
    assert near is not None
    assert near.mde <= 1.1 * (found.mde_floor or 0)


def test_interval_of_a_pilot_is_carried() -> None:
    def bounds(a: float, b: float) -> tuple[float, float]:
        center = PLAIN.total(a, b)
        return center / 2, center * 2

    spread = TaskVariances(
        sigma_b2=0.05, sigma_wa2=0.12, sigma_wb2=0.2, bounds=bounds, confidence_level=0.9
    )
    found = plan_runs(spread, budget=1000, delta=0.08)
    assert found.mde_ci is not None
    assert found.best_design is not None
    assert found.mde_ci == pytest.approx(
        (found.best_design.mde / math.sqrt(2), found.best_design.mde * math.sqrt(2))
    )
    assert found.n_star_ci is not None
    assert found.needed_design is not None
    low, high = found.n_star_ci
    assert low == pytest.approx(found.needed_design.n_tasks / 2, abs=3)
    assert high == pytest.approx(found.needed_design.n_tasks * 2, abs=3)
    assert found.power_ci is not None
    assert found.power is not None
    assert found.power_ci[0] < found.power < found.power_ci[1]


def test_without_repeated_runs_only_one_is_planned() -> None:
    whole = TaskVariances(sigma_b2=0.4, sigma_wa2=0.0, sigma_wb2=0.0, is_split=False)
    found = plan_runs(whole, budget=1000, tasks_available=50)
    assert found.best_design is not None
    assert (found.best_design.n_tasks, found.best_design.n_runs_a, found.best_design.n_runs_b) == (
        50,
        1,
        1,
    )
    with pytest.raises(ParameterError, match="one run per task does not show"):
        plan_runs(whole, budget=1000, runs=2)


def test_five_looks_cost_what_rpact_says() -> None:
    """O'Brien–Fleming, five looks: 1.028 at worst, 0.818 at the gap, 1.021 under equality."""
    saving = plan_runs(PLAIN, budget=1000).sequential_design
    assert saving is not None
    assert saving.max_cost_ratio == pytest.approx(1.0284, abs=1e-3)
    assert saving.cost_ratio_at_gap == pytest.approx(0.8176, abs=1e-3)
    assert saving.is_feasible


def test_more_money_never_hurts() -> None:
    curve = plan_runs(PLAIN, RunCosts(task=5), budget=300, tasks_available=30).mde_by_budget
    assert curve is not None
    assert (np.diff(curve.mde) <= 1e-12).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "Set budget"),
        ({"budget": 3}, "at least 4, the cost of two tasks with one run"),
        ({"budget": 10, "runs": (4, 5)}, "at least 18, the cost of two tasks with 4 and 5 runs"),
        ({"delta": 0.0}, "at least 1e-07"),
        ({"budget": 100, "tasks_available": 1}, "at least 2"),
        ({"budget": 100, "runs": 0}, "at least 1"),
    ],
)
def test_refusals(given: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plan_runs(PLAIN, **given)  # type: ignore[arg-type]


def test_gap_beyond_the_scale() -> None:
    with pytest.raises(InfeasibleError, match=r"gives an accuracy of 1\.3"):
        plan_runs(TaskVariances.of_rates(0.6, 0.2, 0.5), delta=0.7)
    with pytest.raises(InfeasibleError, match="impossible at a success rate"):
        plan_runs(replace(PLAIN, baseline=0.6), delta=0.7)


# --- near the ends of the scale -----------------------------------------------------------


def t_rejections(first: np.ndarray, second: np.ndarray) -> float:
    d = first - second
    sd = d.std(axis=1, ddof=1)
    t = np.abs(d.mean(axis=1)) / np.where(sd > 0, sd, np.inf) * math.sqrt(d.shape[1])
    return float((t > scipy_stats.t.ppf(0.975, d.shape[1] - 1)).mean())


def test_power_by_simulation_near_the_top() -> None:
    """Certain tasks: 95% against 95% less the MDE is found, less 8.8 pp was not."""
    found = plan_runs(TaskVariances.of_rates(0.95, 0.0, 0.5), budget=100).best_design
    assert found is not None
    rng = np.random.default_rng(4)
    luck = rng.random((8000, found.n_tasks))
    # nested failures: the largest correlation that such rates allow
    power = t_rejections((luck < 0.95) * 1.0, (luck < 0.95 - found.mde) * 1.0)
    assert power > 0.8
    old = t_rejections((luck < 0.95) * 1.0, (luck < 0.95 - 0.088) * 1.0)
    assert old < 0.7


@pytest.mark.parametrize(("p", "flip", "rho"), [(0.9, 0.1, 0.3), (0.2, 0.2, 0.5), (0.7, 0.0, 0.4)])
def test_the_spread_at_a_gap_by_simulation(p: float, flip: float, rho: float) -> None:
    """Beta rates of each model's own mean, the same share of the variance within a task."""
    gap, tasks = 0.1, 400_000
    rng = np.random.default_rng(6)
    other = p - gap if p > 0.5 else p + gap
    share = 1 - flip / 2 / (p * (1 - p))  # of the variance that is between tasks
    scale = 1 / share - 1 if share < 1 else 1e-9
    rates = [rng.beta(m * scale, (1 - m) * scale, tasks) for m in (p, other)]
    spread = TaskVariances.of_rates(p, flip, 0.0).at_gap(gap)
    d = rng.binomial(2, rates[0]) / 2 - rng.binomial(3, rates[1]) / 3
    assert spread.total(2, 3) == pytest.approx(d.var(), rel=0.02)
    tied = TaskVariances.of_rates(p, flip, rho).at_gap(gap)
    joint = rho * math.sqrt(np.var(rates[0]) * np.var(rates[1]))
    assert tied.sigma_b2 == pytest.approx(spread.sigma_b2 - 2 * joint, rel=0.03)


@pytest.mark.parametrize("runs", [None, (2, 3)])
@pytest.mark.parametrize("p", [0.95, 0.1, 0.6])
def test_best_at_its_own_gap_by_looking_at_all(p: float, runs: tuple[int, int] | None) -> None:
    spread = TaskVariances.of_rates(p, p * (1 - p) * 0.8, 0.4)
    planned = Planner(spread, RunCosts(task=2.0, run_b=1.5), Criteria(), runs=runs)
    found = planned.best(150.0)
    least = math.inf
    for a in range(1, 30):
        for b in range(1, 30):
            k = math.floor(150.0 / planned.price(a, b))
            if k >= 2 and runs in (None, (a, b)):
                least = min(least, planned.mde(k, a, b))
    assert found.mde == pytest.approx(least, rel=1e-9)
    own = spread.at_gap(found.mde).total(found.n_runs_a, found.n_runs_b)
    shift = found.mde / math.sqrt(own / found.n_tasks)
    assert t_power(shift, found.n_tasks - 1) == pytest.approx(0.8, abs=1e-4)
    back = planned.cheapest(found.mde)
    assert back is not None
    assert back.cost <= found.cost * (1 + 1e-9)


def test_a_one_sided_gap_is_a_gain() -> None:
    spread = TaskVariances.of_rates(0.95, 0.0, 0.5)
    up = plan_runs(spread, budget=2000, criteria=Criteria(alternative="greater")).best_design
    assert up is not None
    assert up.mde < 0.05
    few = plan_runs(spread, budget=20, criteria=Criteria(alternative="greater")).best_design
    assert few is not None
    assert few.mde >= 0.05


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"runs": 2.5}, "runs must be a whole number"),
        ({"runs": (2, 3, 4)}, "one value, or one for each model"),
        ({"tasks_available": 10.5}, "tasks_available must be a whole number"),
    ],
)
def test_counts_are_whole(given: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plan_runs(PLAIN, budget=100, **given)  # type: ignore[arg-type]


def test_runs_may_be_a_list() -> None:
    found = plan_runs(PLAIN, budget=100, runs=[2, 3]).best_design
    assert found is not None
    assert (found.n_runs_a, found.n_runs_b) == (2, 3)


@pytest.mark.parametrize(
    ("spread", "given"),
    [
        (PLAIN, {"budget": 500}),
        (PLAIN, {"delta": 0.02, "tasks_available": 40}),
        (PLAIN, {"delta": -0.02, "budget": 300, "deltas": (0.05, 0.1)}),
        (PLAIN, {"tasks_available": 30, "runs": (2, 3)}),
        (TaskVariances.of_rates(0.5, 0.3, 0.6), {"budget": 8}),
        (
            TaskVariances.of_rates(0.95, 0.0, 0.5),
            {"budget": 100, "criteria": Criteria(alternative="greater")},
        ),
        (replace(PLAIN, sigma_run_a2=0.1, sigma_run_b2=0.1), {"delta": 0.01, "runs": 1}),
        (replace(PLAIN, is_split=False, sigma_wa2=0.0, sigma_wb2=0.0), {"delta": 0.1}),
        (TaskVariances.of_rates(0.7, 0.2, 0.0).apart() or PLAIN, {"delta": 0.1}),
    ],
)
def test_reads_back_equal(spread: TaskVariances, given: dict[str, Any]) -> None:
    found = plan_runs(spread, RunCosts(task=2.0), **given)
    again = nstar.TaskPlan.from_json(found.to_json())
    assert again == found
    assert str(again) == str(found)


def test_no_gap_and_no_number_of_tasks_are_told_apart() -> None:
    shared = replace(PLAIN, sigma_run_a2=0.1)
    asked = plan_runs(shared, delta=0.01, runs=1)
    assert asked.n_star == math.inf
    assert asked.to_dict()["n_star"] == "Infinity"
    assert plan_runs(shared, budget=100).to_dict()["n_star"] is None


def test_rates_are_told_as_given_and_at_the_gap() -> None:
    found = plan_runs(TaskVariances.of_rates(0.9, 0.1, 0.5), delta=0.05).to_dict()
    assert (found["variances"]["flip"], found["variances_at_gap"]["flip"]) == (0.1, None)
    assert found["variances_at_gap"]["sigma_b2"] > found["variances"]["sigma_b2"]


def test_bounds_need_their_confidence() -> None:
    with pytest.raises(ParameterError, match="also needs confidence_level"):
        replace(PLAIN, bounds=lambda a, b: (a, b))
