"""The exact search against the dumbest possible one."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from nstar._base.types import Array
from nstar.errors import ParameterError
from nstar.stats import RunCosts, _allocate, best_allocation
from nstar.stats._allocate import AllocationProblem, BestDesign, best


@dataclass(frozen=True)
class Dumb:
    """Every design within the budget, one after the other, in plain Python."""

    between: float
    within: tuple[float, float]
    shared: tuple[float, float]
    task: float
    run: tuple[float, float]
    budget: float
    max_tasks: float
    max_runs: float
    factor: Callable[[float], float]

    def designs(self) -> Iterator[tuple[int, int, int]]:
        affordable = self.budget * (1 + 1e-12)
        a = 1
        while a <= self.max_runs and 2 * self.cost(a, 1) <= affordable:
            b = 1
            while b <= self.max_runs and 2 * self.cost(a, b) <= affordable:
                k = 2
                while k <= self.max_tasks and k * self.cost(a, b) <= affordable:
                    yield a, b, k
                    k += 1
                b += 1
            a += 1

    def cost(self, a: int, b: int) -> float:
        return self.task + a * self.run[0] + b * self.run[1]

    def value(self, a: int, b: int, k: int) -> float:
        level = self.between + self.within[0] / a + self.within[1] / b
        return self.factor(k) * (level / k + self.shared[0] / a + self.shared[1] / b)

    def least(self) -> float:
        return min(self.value(*design) for design in self.designs())

    def fast(self) -> BestDesign:
        def factor(k: Array) -> Array:
            return np.array([self.factor(x) for x in k])

        found = best(
            AllocationProblem(
                between=self.between,
                within=self.within,
                shared=self.shared,
                task=self.task,
                run=self.run,
                budget=self.budget,
                max_tasks=self.max_tasks,
                max_runs=self.max_runs,
                factor=factor,
            )
        )
        assert found is not None
        return found


def flat(_: float) -> float:
    return 1.0


def like_t(k: float) -> float:
    """Falls with tasks as the factor of a t test does."""
    return (2.8 * (1 + 1.2 / (k - 1) ** 1.2)) ** 2


def random_problem(rng: np.random.Generator) -> Dumb:
    task = float(rng.choice([0.0, 0.0, 1.0, 20.0, rng.uniform(0, 50)]))
    run = float(rng.choice([0.1, 0.3, 1.0, 2.0])), float(rng.choice([0.1, 1.0, 3.7]))
    cheapest = 2 * (task + sum(run))
    within = float(rng.choice([0.0, 0.01, 0.1, 0.25])), float(rng.choice([0.0, 0.05, 0.25]))
    return Dumb(
        between=float(
            rng.choice([1e-4, 0.01, 0.1, 0.3] if sum(within) == 0 else [0.0, 0.01, 0.1])
        ),
        within=within,
        shared=(
            float(rng.choice([0.0, 0.0, 0.0, 1e-3])),
            float(rng.choice([0.0, 0.0, 0.0, 4e-3])),
        ),
        task=task,
        run=run,
        budget=cheapest * float(np.exp(rng.uniform(0, math.log(6)))),
        max_tasks=float(rng.choice([math.inf, math.inf, 2, 7])),
        max_runs=float(rng.choice([math.inf, math.inf, 1, 4])),
        factor=flat if rng.random() < 0.4 else like_t,
    )


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 10))]
)
def test_no_design_is_better(seed: int) -> None:
    """Fifty random problems for each seed."""
    rng = np.random.default_rng(seed)
    for _ in range(50):
        problem = random_problem(rng)
        found = problem.fast()
        a, b, k = int(found.runs_a), int(found.runs_b), int(found.tasks)
        assert found.value == pytest.approx(problem.least(), rel=1e-11)
        assert found.value == pytest.approx(problem.value(a, b, k), rel=1e-12)
        assert found.cost == pytest.approx(k * problem.cost(a, b), rel=1e-12)
        assert found.cost <= problem.budget * (1 + 1e-11)
        assert 2 <= k <= problem.max_tasks
        assert max(a, b) <= problem.max_runs


def vectorized_least(problem: Dumb) -> float:
    """Every k and n_a of a larger problem; n_b is then the most that is affordable."""
    least = math.inf
    k = 2
    while k <= problem.max_tasks and k * problem.cost(1, 1) <= problem.budget:
        money = problem.budget / k - problem.task
        a = np.arange(1.0, math.floor((money - problem.run[1]) / problem.run[0] + 1e-9) + 1)
        b = np.floor((money - a * problem.run[0]) / problem.run[1] + 1e-9)
        level = problem.between + problem.within[0] / a + problem.within[1] / b
        value = problem.factor(k) * (level / k + problem.shared[0] / a + problem.shared[1] / b)
        least = min(least, float(value.min()))
        k += 1
    return least


@pytest.mark.parametrize("between", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("task", [0.0, 20.0])
@pytest.mark.parametrize("max_tasks", [math.inf, 40])
def test_larger_budgets(between: float, task: float, max_tasks: float) -> None:
    problem = Dumb(
        between=between,
        within=(0.12, 0.15),
        shared=(0.0, 0.0),
        task=task,
        run=(1.0, 1.3),
        budget=20_000.0,
        max_tasks=max_tasks,
        max_runs=math.inf,
        factor=like_t,
    )
    assert problem.fast().value == pytest.approx(vectorized_least(problem), rel=1e-11)


@pytest.mark.parametrize("budget", [1e6, 1e9, 1e12])
def test_real_valued_optimum_is_approached(budget: float) -> None:
    """Beyond any search: b = 0.04, w = 0.1, task 25, run 1: n = 1/2 · 5 · √10 of each."""
    found = best_allocation(0.04, 0.1, 0.1, budget=budget, costs=RunCosts(task=25))
    least = (0.2 * 5 + 2 * math.sqrt(0.1)) ** 2 / budget
    assert least * (1 - 1e-12) <= float(found.var_delta) <= least * 1.001
    assert (float(found.runs_a), float(found.runs_b)) == (8, 8)


def test_runs_beyond_two_hundred() -> None:
    """Two tasks and money for a thousand runs."""
    found = best_allocation(0.01, 0.2, 0.2, budget=2000, costs=RunCosts(), max_tasks=2)
    assert (float(found.runs_a), float(found.runs_b), float(found.tasks)) == (500, 500, 2)


def test_equals_go_to_the_cheapest() -> None:
    found = best_allocation(0.1, 0.0, 0.0, budget=1000, costs=RunCosts(), max_tasks=10)
    assert (float(found.runs_a), float(found.runs_b)) == (1, 1)


def test_a_budget_for_one_task_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least 44, two tasks"):
        best_allocation(0.1, 0.1, 0.1, budget=43, costs=RunCosts(task=20))


def test_nothing_reaches_an_impossible_value() -> None:
    problem = AllocationProblem(
        between=0.1,
        within=(0.1, 0.1),
        shared=(0.0, 0.0),
        task=0.0,
        run=(1.0, 1.0),
        budget=100.0,
        max_tasks=10,
        max_runs=math.inf,
        factor=np.ones_like,
    )
    assert best(problem, max_value=0.01) is None
    found = best(problem, max_value=0.0145)
    assert found is not None
    assert (found.tasks, found.runs_a, found.runs_b) == (10, 5, 5)


@pytest.mark.parametrize("budget", [1e17, 1e160, 1e308])
@pytest.mark.parametrize("max_tasks", [math.inf, 100])
def test_more_than_can_be_counted_is_refused(budget: float, max_tasks: float) -> None:
    with pytest.raises(ParameterError, match=r"budget must buy at most 2\^53 tasks, or runs"):
        best_allocation(0.1, 0.1, 0.1, budget=budget, costs=RunCosts(), max_tasks=max_tasks)


def test_unequal_prices() -> None:
    """A run of one model costs a billion of the other's: at once, whichever comes first."""
    dear, cheap = 1e9, 1.0
    one = best_allocation(
        0.04, 0.1, 0.2, budget=1e10, costs=RunCosts(task=20, run_a=cheap, run_b=dear)
    )
    two = best_allocation(
        0.04, 0.2, 0.1, budget=1e10, costs=RunCosts(task=20, run_a=dear, run_b=cheap)
    )
    assert (one.runs_a, one.runs_b, one.tasks) == (two.runs_b, two.runs_a, two.tasks)
    assert (int(one.runs_b), int(one.tasks)) == (1, 9)
    # nine tasks leave a ninth of 1e9 - 180 for the cheap runs of each
    assert int(one.runs_a) == math.floor((1e10 - 9 * (dear + 20)) / 9)
    assert float(one.var_delta) == pytest.approx((0.04 + 0.1 / float(one.runs_a) + 0.2) / 9)


def test_a_search_of_minutes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_allocate, "_MOST_WORK", 1e5)
    costs = RunCosts(run_a=1.0, run_b=1.2e6)
    with pytest.raises(ParameterError, match="Limit the budget, the tasks or the runs"):
        best_allocation(0.0, 0.25, 0.025, budget=8.4e13, costs=costs)


@pytest.mark.parametrize("max_tasks", [math.inf, 10])
def test_without_any_noise_the_least_is_enough(max_tasks: float) -> None:
    found = best_allocation(0.0, 0.0, 0.0, budget=1000, costs=RunCosts(), max_tasks=max_tasks)
    assert (float(found.runs_a), float(found.runs_b), float(found.tasks)) == (1, 1, 2)
    assert float(found.var_delta) == 0.0
