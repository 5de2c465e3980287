"""Pilots: the spread they show, what their runs cost, and power by drawing them again."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats as st

from nstar import runs, stats
from nstar._base.types import Array
from nstar._data.matrix import Grouping
from nstar._verbs.budget import PilotSummary, TaskPlan, TaskVariances, plan_runs
from nstar._verbs.budget.groups import group_noise
from nstar._verbs.budget.pilot import ALIKE_RHO, pilot_power, pilot_spread
from nstar._verbs.budget.prices import Price, log_costs, price_of_run
from nstar._verbs.runs.table import RunTable
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, ParameterError
from nstar.report import document


def table(scores: Any, model: str = "a", *, blocks: bool = True, **spent: Any) -> RunTable:
    values = np.asarray(scores, dtype=np.float64)
    return RunTable(
        model=model,
        task="t",
        items=tuple(f"q{k}" for k in range(values.shape[0])),
        runs=tuple(f"r{k}" for k in range(values.shape[1])),
        scores=values,
        blocks=blocks,
        **spent,
    )


def assumed(spread: TaskVariances) -> str:
    """What a plan says it rests on."""
    return " ".join(document(plan_runs(spread, delta=0.1)).assumptions)


def two_models(tasks: int, runs: tuple[int, int], seed: int, *, graded: bool = False) -> Any:
    """Scores of two models whose true scores correlate over tasks."""
    rng = np.random.default_rng(seed)
    rate = rng.beta(1.2, 1.0, tasks)
    other = np.clip(rate + rng.normal(0, 0.3, tasks), 0, 1)
    out = []
    for n, p in zip(runs, (rate, other), strict=True):
        shape = (tasks, n)
        noise = rng.normal(0, 0.2, shape) if graded else rng.random(shape)
        out.append(p[:, None] + noise if graded else (noise < p[:, None]) * 1.0)
    return out


# --- spread -------------------------------------------------------------------------------


@pytest.mark.parametrize("runs", [(4, 4), (2, 5)])
def test_two_models_give_the_components_of_their_difference(runs: tuple[int, int]) -> None:
    a, b = two_models(60, runs, 1)
    spread = pilot_spread(table(a, blocks=False), table(b, "b", blocks=False))
    wa, wb = (np.var(x, axis=1, ddof=1).mean() for x in (a, b))
    between = np.var(a.mean(axis=1) - b.mean(axis=1), ddof=1) - wa / runs[0] - wb / runs[1]
    found = (spread.sigma_b2, spread.sigma_wa2, spread.sigma_wb2, spread.sigma_run_a2)
    assert found == pytest.approx((max(between, 0), wa, wb, 0))
    apart = sum(
        np.var(x.mean(axis=1), ddof=1) - w / n
        for x, w, n in zip((a, b), (wa, wb), runs, strict=True)
    )
    assert spread.sigma_b2_unpaired == pytest.approx(apart)
    assert spread.is_split
    assert spread.rho is None
    assert spread.bounds is not None
    low, high = spread.bounds(3, 2)
    assert low < spread.total(3, 2) < high
    assert spread.pilot == PilotSummary(models=("a", "b"), n_tasks=60, n_runs=runs)
    assert "pilot of a and b: 60 tasks" in assumed(spread)


def test_one_model_stands_for_two_alike() -> None:
    a, _ = two_models(60, (4, 4), 2)
    within = np.var(a, axis=1, ddof=1).mean()
    task = np.var(a.mean(axis=1), ddof=1) - within / 4
    for rho in (-0.3, 0.0, 0.5, 1.0):
        spread = pilot_spread(table(a, blocks=False), rho=rho)
        assert spread.sigma_b2 == pytest.approx(2 * (1 - rho) * task)
        assert spread.sigma_wa2 == spread.sigma_wb2 == pytest.approx(within)
        assert spread.bounds is not None
        low, high = spread.bounds(2, 6)
        assert low < spread.total(2, 6) < high
    assert pilot_spread(table(a)).rho == ALIKE_RHO
    assert "assumed to be equally noisy, with correlation 0.5 over tasks" in assumed(
        pilot_spread(table(a))
    )


def test_a_plan_has_the_variances_that_runs_are_said_to_have() -> None:
    for seed in range(20):
        a, b = two_models(40, (4, 3), seed)
        for scores in (a, b):
            shown = runs(scores).model_runs[0]
            planned = pilot_spread(table(scores), rho=0.5)
            assert shown.components is not None
            assert shown.flip_probability is not None
            assert planned.sigma_b2 == pytest.approx(shown.components.sigma_task2)
            within = planned.sigma_wa2 + planned.sigma_run_a2
            assert within == pytest.approx(shown.components.sigma_w2)
            assert within == pytest.approx(shown.flip_probability / 2)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9, 1.0])
def test_the_interval_against_a_model_alike_holds_the_truth(rho: float) -> None:
    rng = np.random.default_rng(5)
    task2, within2 = 1 / 12, 1 / 6  # rates uniform on [0, 1]
    inside = 0
    for _ in range(400):
        a = (rng.random((80, 4)) < rng.random((80, 1))) * 1.0
        bounds = pilot_spread(table(a, blocks=False), rho=rho).bounds
        assert bounds is not None
        low, high = bounds(3, 2)
        inside += low <= 2 * (1 - rho) * task2 + within2 * (1 / 3 + 1 / 2) <= high
    assert inside / 400 >= 0.93


def test_without_repeated_runs_the_noise_stays_in_the_task() -> None:
    a, b = two_models(50, (1, 1), 3)
    spread = pilot_spread(table(a), table(b, "b"))
    assert spread.sigma_b2 == pytest.approx(np.var(a - b, ddof=1))
    assert (spread.sigma_wa2, spread.sigma_wb2, spread.is_split) == (0.0, 0.0, False)
    assert "the effect of more runs is unknown" in assumed(spread)
    alone = pilot_spread(table(a), rho=0.2)
    assert alone.total(1, 1) == pytest.approx(2 * 0.8 * np.var(a, ddof=1))
    assert alone.bounds is not None
    low, high = alone.bounds(1, 1)
    assert low < alone.total(1, 1) < high


def test_one_model_with_runs_and_one_without() -> None:
    a, b = two_models(50, (4, 1), 4)
    spread = pilot_spread(table(a), table(b, "b"))
    wa = np.var(a, axis=1, ddof=1).mean()
    d = a.mean(axis=1) - b[:, 0]
    assert spread.sigma_wb2 == 0.0
    assert spread.total(2, 1) == pytest.approx(np.var(d, ddof=1) + wa * (1 / 2 - 1 / 4))
    assert not spread.is_split
    assert "4 and 1 runs" in assumed(spread)


def test_an_effect_that_a_run_shares_counts_if_it_is_seen() -> None:
    rng = np.random.default_rng(6)
    shared = np.array([0.0, 0.1, -0.15, 0.2, -0.1])
    a = rng.normal(0.5, 0.2, (60, 1)) + rng.normal(0, 0.1, (60, 5)) + shared
    seen = pilot_spread(table(a))
    assert seen.sigma_run_a2 == pytest.approx(np.var(shared, ddof=1), rel=0.3)
    assert seen.sigma_wa2 == pytest.approx(0.01, rel=0.3)
    assert "an effect that a run shares over all tasks was found" in assumed(seen)
    numbered = pilot_spread(table(a, blocks=False))
    assert numbered.sigma_run_a2 == 0
    assert numbered.sigma_wa2 == pytest.approx(np.var(a, axis=1, ddof=1).mean())


def test_tasks_that_one_model_lacks_are_left_out() -> None:
    a, b = two_models(30, (3, 3), 7)
    b[4:8] = np.nan
    a[0, 1] = np.nan
    kept = np.r_[0:4, 8:30]
    whole = pilot_spread(table(a), table(b, "b"))
    part = stats.variance_components(a[kept], b[kept])
    assert whole.sigma_b2 == pytest.approx(part.sigma_b2)
    with pytest.raises(
        DataError, match=r"needs at least two tasks with scores of every model; found 1"
    ):
        pilot_spread(table([[1.0], [0.0]]), table([[1.0], [np.nan]], "b"))


def test_tables_of_other_items_are_refused() -> None:
    with pytest.raises(DataError, match="the same items in the same order"):
        pilot_spread(table([[1.0], [0.0]]), table([[1.0], [0.0], [1.0]], "b"))


# --- costs --------------------------------------------------------------------------------


def test_costs_of_the_logs_are_means_over_runs() -> None:
    a = table([[1, 0], [1, 1]], cost=np.array([[0.1, 0.3], [np.nan, 0.2]]))
    b = table([[1, 0], [1, 1]], "b", cost=np.array([[1.0, 1.0], [1.0, 3.0]]))
    costs = log_costs([a, b], task=7.0)
    assert (costs.task, costs.run_a, costs.run_b) == pytest.approx((7.0, 0.2, 1.5))
    alone = log_costs([a])
    assert alone.run_a == alone.run_b == pytest.approx(0.2)
    told = price_of_run(a)
    assert (told.runs, told.of, told.source) == (3, 4, "cost in the logs")


def used(model: str = "acme/m") -> RunTable:
    read, written = np.array([[1e6, 2e6]]), np.array([[1e5, 3e5]])
    spent = {"tokens": read + written, "input_tokens": read, "output_tokens": written}
    return table([[1, 0]], model, cost=np.array([[9.0, 9.0]]), **spent)


@pytest.mark.parametrize("name", ["acme/m", "m", "*"])
def test_a_price_goes_before_the_cost_column(name: str) -> None:
    prices = {name: Price.parse("3/15")}
    # 1 and 2 million read at 3, 0.1 and 0.3 million written at 15
    assert log_costs([used()], prices).run_a == pytest.approx((3 + 1.5 + 6 + 4.5) / 2)
    assert price_of_run(used("other"), {"m": Price.parse("1")}).cost == 9.0


def test_one_price_needs_no_split_of_tokens() -> None:
    a = table([[1, 0]], tokens=np.array([[1e6, 3e6]]))
    assert log_costs([a], {"a": Price.parse("2")}).run_a == pytest.approx(4.0)
    with pytest.raises(DataError, match="do not separate input and output tokens"):
        log_costs([a], {"a": Price.parse("2/3")})


def test_costs_that_are_not_there() -> None:
    for cost in (None, np.zeros((1, 2))):
        with pytest.raises(DataError, match=r"do not record the cost of a run. Set cost_run"):
            log_costs([table([[1, 0]], cost=cost)])
    for text in ("", "3/x", "cheap"):
        with pytest.raises(ParameterError, match=r"is not a price\. Use 3/15"):
            Price.parse(text)
    with pytest.raises(ParameterError, match="price of output"):
        Price.parse("1/-2")


# --- power by resampling ------------------------------------------------------------------


@pytest.mark.parametrize(("tasks", "runs", "delta"), [(40, (1, 1), 0.1), (120, (4, 2), 0.05)])
def test_graded_power_agrees_with_the_formula(
    tasks: int, runs: tuple[int, int], delta: float
) -> None:
    a, b = two_models(200, (4, 4), 8, graded=True)
    found = pilot_power(
        table(a), table(b, "b"), delta=delta, tasks=tasks, runs_a=runs[0], runs_b=runs[1]
    )
    assert not found.is_binary
    assert not found.is_extrapolated
    for rate in found.tests:
        assert rate.power == pytest.approx(found.power_formula, abs=4 * rate.se + 0.005)


def test_more_runs_than_the_pilot_has() -> None:
    a, b = two_models(200, (4, 4), 9, graded=True)
    given: dict[str, Any] = {"delta": 0.05, "tasks": 60, "runs_a": 12, "runs_b": 12}
    found = pilot_power(table(a), table(b, "b"), tests=["t"], **given)
    assert found.is_extrapolated
    assert found.tests[0].power == pytest.approx(found.power_formula, abs=0.03)


def brute(a: Array, b: Array, tasks: int, delta: float, reps: int, seed: int) -> float:
    """The stated way by loops: tasks with replacement, all runs, failures of a turn by a share."""
    rng = np.random.default_rng(seed)
    k = len(a)
    share = (delta - (a.mean() - b.mean())) / (1 - a.mean())
    hits = 0
    for _ in range(reps):
        rows = rng.integers(0, k, tasks)
        luck = rng.random((tasks, a.shape[1])) < share
        first = np.where((a[rows] == 0) & luck, 1.0, a[rows])
        d = first.mean(axis=1) - b[rows].mean(axis=1)
        d = delta + np.sqrt(k / (k - 1)) * (d - delta)
        hits += int(st.ttest_1samp(d, 0.0).pvalue <= 0.05)
    return hits / reps


def test_0_and_1_agree_with_loops() -> None:
    a, b = two_models(40, (3, 3), 13)
    found = pilot_power(
        table(a), table(b, "b"), delta=0.12, tasks=60, runs_a=3, runs_b=3, tests=["t"], reps=4000
    )
    other = brute(a, b, 60, 0.12, 2000, 1)
    assert found.is_binary
    assert found.tests[0].power == pytest.approx(other, abs=4 * np.hypot(0.5 / 63, 0.5 / 45))
    assert found.tests[0].power == pytest.approx(found.power_formula, abs=0.06)


def test_a_share_below_zero_is_planned_as_zero() -> None:
    """Where runs seem to explain more than all, the formula is the more careful of the two."""
    rng = np.random.default_rng(2)
    a, b = ((rng.random((40, 3)) < 0.5) * 1.0 for _ in "ab")
    parts = stats.variance_components(a, b)
    assert (parts.sigma_b2_raw or 0.0) < 0
    given: dict[str, Any] = {"delta": 0.12, "tasks": 60, "runs_a": 3, "runs_b": 3}
    found = pilot_power(table(a), table(b, "b"), tests=["t"], **given)
    assert found.power_formula < found.tests[0].power


def test_without_a_gap_the_level_is_kept() -> None:
    a, _ = two_models(100, (6, 6), 11)
    found = pilot_power(table(a), delta=0.0, tasks=80, runs_a=3, runs_b=3, rho=0.5)
    assert found.is_same_model
    for rate in found.tests:
        assert rate.power == pytest.approx(0.05, abs=0.015)


def test_seed_and_sides() -> None:
    a, b = two_models(50, (2, 2), 12)
    given: dict[str, Any] = {"delta": 0.1, "tasks": 50, "tests": ["t"], "reps": 1000}
    one, again = (pilot_power(table(a), table(b, "b"), **given).tests[0].power for _ in range(2))
    assert one == again
    criteria = Criteria(alternative="greater")
    single = pilot_power(table(a), table(b, "b"), criteria=criteria, **given)
    assert single.tests[0].power > one
    assert single.power_formula > pilot_power(table(a), table(b, "b"), **given).power_formula


def test_what_groups_share_is_found() -> None:
    rng, tau2, sizes = np.random.default_rng(1), 0.05, np.array([10, 20, 30, 40] * 5)
    codes = np.repeat(np.arange(20), sizes)
    found = []
    for _ in range(300):
        d = rng.normal(0, 0.5, codes.size) + rng.normal(0, np.sqrt(tau2), 20)[codes]
        found.append(group_noise(d, {"g": codes})[0].shared2 or 0.0)
    assert np.mean(found) == pytest.approx(tau2, rel=0.08)


def test_scores_off_the_unit_scale_are_planned_alike() -> None:
    a, b = two_models(200, (1, 1), 5, graded=True)
    groups = {"g": Grouping.from_labels([k % 8 for k in range(200)])}
    plans = [
        plan_runs(
            pilot_spread(table(x * a, groups=groups), table(x * b, "b", groups=groups)),
            delta=0.1 * x,
        )
        for x in (1, 100)
    ]
    small, large = (p.group_plans[0] for p in plans)
    assert small.n_star == large.n_star
    assert large.mde == pytest.approx(100 * (small.mde or 0))


# --- JSON ---------------------------------------------------------------------------------


def back(plan: TaskPlan) -> TaskPlan:
    again = TaskPlan.from_json(plan.to_json())
    assert again == plan
    assert str(again) == str(plan)
    return again


def test_a_plan_from_a_pilot_reads_back_equal() -> None:
    a, b = two_models(50, (3, 2), 14)
    groups = {"g": Grouping.from_labels([k % 8 for k in range(50)])}
    first, second = table(a, groups=groups), table(b, "b", groups=groups)
    plan = plan_runs(pilot_spread(first, second), budget=400, delta=0.1)
    drawn = pilot_power(first, second, delta=0.1, tasks=60, tests=["t"], reps=200)
    again = back(replace(plan, resampled_power=drawn))
    assert again.resampled_power == drawn
    assert again.variances.bounds is None
    assert again.variances.confidence_level == 0.95
    assert again.mde_ci == plan.mde_ci
    back(plan_runs(pilot_spread(first), delta=0.1))


def test_a_plan_that_an_effect_of_runs_forbids_reads_back_equal() -> None:
    rng = np.random.default_rng(6)
    shared = np.array([0.0, 0.1, -0.15, 0.2, -0.1])
    a = rng.normal(0.5, 0.2, (60, 1)) + rng.normal(0, 0.1, (60, 5)) + shared
    seen = pilot_spread(table(a))
    assert (seen.bounds, seen.confidence_level) == (None, None)
    never = back(plan_runs(seen, delta=0.01, runs=1))
    assert never.best_design is None
    assert never.n_star == np.inf
