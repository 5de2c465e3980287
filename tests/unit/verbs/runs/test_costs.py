"""What runs cost, against plain loops and resampling."""

import numpy as np
import pytest

from nstar import Runs, RunTable, runs
from nstar._verbs.runs import CostSummary, analyzed
from nstar._verbs.verdict import Criteria
from nstar.report.prose.runs import document

NAN = float("nan")
RNG = np.random.default_rng(12)
RATES = RNG.beta(0.8, 0.8, 40)
A = (RNG.random((40, 4)) < RATES[:, None]).astype(float)
B = (RNG.random((40, 3)) < RATES[:, None]).astype(float)
COST_A = np.exp(0.4 * RNG.normal(size=(40, 4)) + 1 - RATES[:, None])
COST_B = 0.5 * np.exp(0.4 * RNG.normal(size=(40, 3)))


def table(scores: np.ndarray, cost: np.ndarray | None, model: str = "a") -> RunTable:
    names = tuple(f"q{k}" for k in range(len(scores)))
    runs_ = tuple(map(str, range(scores.shape[1])))
    return RunTable(model=model, task="t", items=names, runs=runs_, scores=scores, cost=cost)


def found(*tables: RunTable) -> tuple[Runs, CostSummary]:
    result = analyzed(tables, Criteria())
    assert result.costs is not None
    return result, result.costs


def test_cost_per_run_and_per_success() -> None:
    _, costs = found(table(A, COST_A))
    own = costs.model_costs[0]
    assert own.cost_per_run == pytest.approx(COST_A.mean())
    assert own.cost_per_success == pytest.approx(COST_A.sum() / A.sum())
    assert (own.n_runs, own.n_runs_scored, own.n_tasks, own.n_passed) == (
        160,
        160,
        40,
        int(A.sum()),
    )
    assert own.cost_per_success_ci is not None
    low, high = (float(v) for v in own.cost_per_success_ci)
    assert low < COST_A.sum() / A.sum() < high


def test_money_and_success_are_of_the_same_runs() -> None:
    scores, cost = A.copy(), COST_A.copy()
    scores[0, 0] = cost[1, 1] = NAN
    cost[2] = NAN
    result, costs = found(table(scores, cost))
    own, both = costs.model_costs[0], ~np.isnan(scores) & ~np.isnan(cost)
    rows = [i for i in range(40) if both[i].any()]
    c = np.mean([cost[i][both[i]].mean() for i in rows])
    y = np.mean([scores[i][both[i]].mean() for i in rows])
    assert own.cost_per_success == pytest.approx(c / y)
    assert own.cost_unscored == pytest.approx(COST_A[0, 0])
    assert (own.n_runs, own.n_runs_scored, own.n_tasks) == (154, 159, 39)
    notes = " ".join(document(result).notes)
    assert "known for 154 of 159 runs" in notes
    assert "runs without a score cost" in notes


def test_a_point_of_certainty_is_bought_by_tasks_or_runs() -> None:
    result, costs = found(table(A, COST_A))
    sure, model = costs.precision_cost, result.model_runs[0]
    assert sure is not None
    assert sure.more_tasks is not None
    assert model.se is not None
    assert sure.current == pytest.approx(model.se)
    assert sure.reduction == 0.01
    spread2 = A.mean(axis=1).var(ddof=1)
    tasks = spread2 / (model.se - 0.01) ** 2
    assert sure.more_tasks.n_tasks == pytest.approx(tasks)
    assert sure.more_tasks.cost == pytest.approx((tasks - 40) * 4 * COST_A.mean())


def test_its_interval_is_as_wide_as_resampled_tasks_are_spread() -> None:
    _, costs = found(table(A, COST_A))
    sure = costs.precision_cost
    assert sure is not None
    assert sure.more_tasks is not None
    assert sure.more_tasks.cost_ci is not None
    rng, m, c = np.random.default_rng(1), A.mean(axis=1), COST_A.mean(axis=1)
    drawn = rng.integers(0, 40, (4000, 40))
    size = np.sqrt(m[drawn].var(axis=1, ddof=1) / 40)
    price = c[drawn].mean(axis=1) * ((size / (size - 0.01)) ** 2 - 1)
    width = np.log(sure.more_tasks.cost_ci[1] / sure.more_tasks.cost_ci[0]) / 2 / 2.0227
    assert width == pytest.approx(np.log(price).std(), rel=0.1)


def test_more_runs_lead_to_the_error_that_they_promise() -> None:
    """Two models of equal tasks: all of the error is run to run."""
    rng = np.random.default_rng(3)
    a, b = ((rng.random((60, 4)) < 0.5).astype(float) for _ in range(2))
    result, costs = found(table(a, np.ones((60, 4))), table(b, np.ones((60, 4)), "b"))
    sure, gap = costs.precision_cost, result.estimate
    assert sure is not None
    assert sure.more_runs is not None
    assert gap is not None
    assert gap.mde == pytest.approx(sure.current)
    assert sure.measure == "MDE"
    steps = {s.n_runs: s.mde for s in gap.steps}
    at, then = (
        [1 / 4, 1 / sure.more_runs.n_runs],
        [sure.current**2, (sure.current - sure.reduction) ** 2],
    )
    slope, floor = np.polyfit(at, then, 1)
    at_five = np.sqrt(floor + slope / 5)
    assert steps[5] == pytest.approx(at_five, rel=1e-9)


def test_two_models_are_compared_by_what_a_success_costs() -> None:
    result, costs = found(table(A, COST_A), table(B, COST_B, "b"))
    first, second = costs.model_costs
    assert first.cost_per_success is not None
    assert second.cost_per_success is not None
    assert costs.cost_ratio == pytest.approx(first.cost_per_success / second.cost_per_success)
    assert "× as much with a as with b" in " ".join(document(result).notes)


def test_graded_scores_have_no_successes() -> None:
    _, costs = found(table(0.3 + 0.2 * A, COST_A))
    assert costs.model_costs[0].cost_per_success is None
    assert costs.model_costs[0].n_passed is None
    assert costs.precision_cost is not None


def test_no_pass_no_price_of_one() -> None:
    result, costs = found(table(np.zeros((5, 2)), np.ones((5, 2))))
    assert costs.model_costs[0].cost_per_success is None
    assert costs.precision_cost is None
    assert "no run passed" in " ".join(document(result).notes)


def test_costs_below_zero_are_not_used_and_said() -> None:
    cost = COST_A.copy()
    cost[3, 1] = -1
    result, costs = found(table(A, cost))
    assert (costs.model_costs, costs.models_with_negative_costs) == ((), ("a",))
    assert "costs are excluded, because the logs contain negative costs" in " ".join(
        document(result).notes
    )


def test_one_task_has_costs_without_intervals() -> None:
    _, costs = found(table(A[:1] * 0 + 1, COST_A[:1]))
    assert costs.model_costs[0].cost_per_run_ci is None
    assert costs.precision_cost is None


def test_logs_without_costs_say_nothing_of_them() -> None:
    assert runs(A).costs is None
    assert analyzed([table(A, np.zeros((40, 4)))], Criteria()).costs is None


def test_a_small_error_has_a_small_step() -> None:
    rng = np.random.default_rng(8)
    scores = (rng.random((4000, 2)) < 0.5).astype(float)
    _, costs = found(table(scores, np.ones((4000, 2))))
    assert costs.precision_cost is not None
    assert costs.precision_cost.reduction == 0.002
