"""Designs of tasks and runs: costs, detectable gaps, and the search for the best design."""

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.polynomial.chebyshev import Chebyshev

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.budget.spread import TaskVariances
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, arg
from nstar.stats import RunCosts
from nstar.stats._allocate import AllocationProblem, BestDesign, best, cheaper
from nstar.stats._roots import first_whole

_TABLE = 32
"""Degrees of freedom up to which values are tabulated. Above, a polynomial in 1 / df is used."""
_DEGREE = 8
"""Degree of the polynomial, which agrees with the noncentral t to twelve digits."""


def _shift(df: Array, criteria: Criteria) -> Array:
    """Return the noncentrality at which a t test has the target power."""
    n = df + 1
    c = criteria
    mde = stats.t_mde(n, sigma=1.0, alpha=c.alpha, power=c.power, sides=c.sides)
    return np.asarray(mde * np.sqrt(n))


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """Ratio of the detectable gap to its standard error, for the t test over tasks.

    If both models have the same tasks, the test has tasks - 1 degrees of freedom. If tasks differ,
    it has 2 (tasks - 1).

    >>> k = np.array([2.0, 10.0, 1e6])
    >>> np.round(Factor(Criteria(), paired=True)(k), 4)
    array([16.334 ,  3.1496,  2.8016])
    """

    criteria: Criteria
    """Level, power, and sides."""
    paired: bool
    """Whether both models have the same tasks."""
    _table: Array = field(init=False, repr=False)
    _beyond: Chebyshev = field(init=False, repr=False)

    def __post_init__(self) -> None:
        angles = np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1)
        x = (np.cos(angles) + 1) / 2 / _TABLE
        shifts = _shift(np.append(np.arange(1.0, _TABLE + 1), 1 / x), self.criteria)
        fitted = Chebyshev.fit(x, shifts[_TABLE:], _DEGREE, domain=[0, 1 / _TABLE])
        object.__setattr__(self, "_table", shifts[:_TABLE])
        object.__setattr__(self, "_beyond", fitted)

    def __call__(self, tasks: Array) -> Array:
        """Return the factor for integer numbers of tasks, at least 2."""
        df = (tasks - 1) * (1 if self.paired else 2)
        tabulated = self._table[np.minimum(df, _TABLE).astype(np.intp) - 1]
        return np.where(df <= _TABLE, tabulated, self._beyond(1 / df))

    def squared(self, tasks: Array) -> Array:
        """Return the factor that converts a variance to a squared detectable gap."""
        shift = self(tasks)
        return shift * shift


@lru_cache(maxsize=16)
def _factor_for(criteria: Criteria, *, paired: bool) -> Factor:
    """Return the factor of a test, which is cached because a plan uses it hundreds of times."""
    return Factor(criteria, paired)


_MOST_TASKS = 1e15
_MAX_UNSPENT_SHARE = 0.02
"""Share of unspent budget at which all cheaper designs are also searched."""
_CLOSE = 1e-9
"""Relative precision of the budget of the cheapest design."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDesign:
    """Number of tasks, and numbers of runs of each model."""

    n_tasks: int
    """Number of tasks; per model if the models have different tasks."""
    n_runs_a: int
    """Runs per task of the first model."""
    n_runs_b: int
    """Runs per task of the second model."""
    cost: float
    """Total cost, in the unit of the costs."""
    mde: float
    """Smallest detectable gap, in score units."""

    @property
    def n_runs(self) -> int:
        """Return the total number of runs of both models on all tasks."""
        return self.n_tasks * (self.n_runs_a + self.n_runs_b)


@dataclass(frozen=True, slots=True, eq=False)
class Planner:
    """Search for designs, given variances, prices, and limits.

    >>> planner = Planner(TaskVariances.of_rates(0.5, 0.3, 0.6), RunCosts(task=20), Criteria())
    >>> best = planner.best(5000)
    >>> best.n_tasks, best.n_runs_a, best.n_runs_b, round(best.mde, 4)
    (156, 6, 6, 0.0814)
    """

    spread: TaskVariances
    """Variances of the difference on one task."""
    costs: RunCosts
    """Prices of a task and of runs."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    tasks_available: int | None = None
    """Number of tasks that are available."""
    runs: tuple[int, int] | None = None
    """Runs per task if they are fixed."""

    def __post_init__(self) -> None:
        checks.nonnegative("costs.task", self.costs.task)
        checks.positive("costs.run_a", self.costs.run_a)
        checks.positive("costs.run_b", self.costs.run_b)
        if self.tasks_available is not None:
            min_tasks = 2 if self.spread.is_paired else 4
            n_available = self.tasks_available
            checks.require(
                n_available >= min_tasks, "tasks_available", f"at least {min_tasks}", n_available
            )
        if not self.spread.is_split and self.runs not in (None, (1, 1)):
            msg = (
                "runs must be 1, because one run per task does not show how much variance more "
                f"runs would remove; got {self.runs}"
            )
            raise ParameterError(msg)
        if self.runs is not None:
            checks.require(np.asarray(self.runs) >= 1, "runs", "at least 1", self.runs)

    @property
    def factor(self) -> Factor:
        """Return the ratio of the detectable gap to its standard error."""
        return _factor_for(self.criteria, paired=self.spread.is_paired)

    @property
    def _task(self) -> float:
        """Return the price of a task for both models, which need two if tasks differ."""
        return self.costs.task * (1 if self.spread.is_paired else 2)

    @property
    def most_tasks(self) -> float:
        """Return the number of tasks that exist for each model."""
        if self.tasks_available is None:
            return np.inf
        return self.tasks_available // (1 if self.spread.is_paired else 2)

    @property
    def fixed_runs(self) -> tuple[int, int] | None:
        """Return the runs that are fixed."""
        return self.runs if self.spread.is_split else (1, 1)

    @property
    def least_budget(self) -> float:
        """Return the cost of two tasks with the smallest allowed number of runs."""
        a, b = self.fixed_runs or (1, 1)
        return 2 * self.price(a, b)

    def price(self, runs_a: float, runs_b: float) -> float:
        """Return the cost of one task with its runs."""
        return self._task + runs_a * self.costs.run_a + runs_b * self.costs.run_b

    def mde(self, tasks: float, runs_a: float, runs_b: float, total: float | None = None) -> float:
        """Return the smallest detectable gap; ``total`` overrides the variance.

        If the variance depends on the gap, this is the gap that is detectable at its own variance.
        If there is none, the result is at least the largest possible gap.
        """
        s = self.spread
        factor = float(self.factor(np.asarray(tasks, dtype=np.float64)))
        shared = s.shared(runs_a, runs_b)

        def detected(gap: float) -> float:
            between, first, second = s.parts(gap, self.criteria.sides)
            v = between + first / runs_a + second / runs_b if total is None else total
            return factor * math.sqrt(v / tasks + shared)

        low = detected(0.0)
        if s.flip is None or total is not None or low == 0:
            return low
        high = s.room(self.criteria.sides) * (1 - 1e-12)
        if not detected(high) < high:
            return max(detected(high), s.room(self.criteria.sides))
        while high - low > 1e-13 * high:
            midpoint = (low + high) / 2
            low, high = (low, midpoint) if detected(midpoint) <= midpoint else (midpoint, high)
        return high

    def power(self, delta: float, design: RunDesign, total: float | None = None) -> float:
        """Return the probability of detecting a gap."""
        c, d = self.criteria, design
        s = self.spread.at_gap(delta, c.sides)
        v = s.total(d.n_runs_a, d.n_runs_b) if total is None else total
        error = v / d.n_tasks + s.shared(d.n_runs_a, d.n_runs_b)
        n = d.n_tasks if s.is_paired else 2 * d.n_tasks - 1
        sigma = np.sqrt(error * n)
        return float(stats.t_power(delta, sigma=sigma, n=n, alpha=c.alpha, sides=c.sides))

    def design(self, tasks: float, runs_a: float, runs_b: float) -> RunDesign:
        """Return a design with its cost and detectable gap."""
        return RunDesign(
            n_tasks=int(tasks),
            n_runs_a=int(runs_a),
            n_runs_b=int(runs_b),
            cost=float(tasks * self.price(runs_a, runs_b)),
            mde=self.mde(tasks, runs_a, runs_b),
        )

    def best(self, budget: float) -> RunDesign:
        """Return the design with the smallest detectable gap for the budget, by exact search."""
        checks.positive("budget", budget)
        fixed = self.fixed_runs
        if budget * (1 + 1e-12) < self.least_budget:
            a, b = fixed or (1, 1)
            runs = "one run" if (a, b) == (1, 1) else f"{a} and {b} runs"
            msg = (
                f"{arg('budget')} must be at least {self.least_budget:.10g}, the cost of two "
                f"tasks with {runs} of each model; got {budget:.10g}"
            )
            raise ParameterError(msg)
        if fixed is not None:
            bought = np.floor(budget / self.price(*fixed) * (1 + 1e-12))
            return self.design(min(bought, self.most_tasks), *fixed)
        return self._best_at_own_gap(budget)

    def _best_at_own_gap(self, budget: float) -> RunDesign:
        """Return the best design, given the variance at the gap that it detects.

        The best design at one gap detects that gap or a smaller one, so each search can only
        improve. The search ends when there is no improvement.
        """
        incumbent: RunDesign | None = None
        while True:
            gap = (
                0.0
                if incumbent is None
                else min(incumbent.mde, self.spread.room(self.criteria.sides))
            )
            solution = self._at_gap(gap)._search(budget)  # noqa: SLF001 the same class
            if solution is None:
                msg = (
                    f"No design with at least two tasks costs at most {budget:.10g}. Increase "
                    f"{arg('budget')}."
                )
                raise ParameterError(msg)
            design = self.design(solution.tasks, solution.runs_a, solution.runs_b)
            if incumbent is not None and design.mde >= incumbent.mde * (1 - 1e-12):
                return incumbent
            if self.spread.flip is None:
                return design
            incumbent = design

    def _at_gap(self, gap: float) -> "Planner":
        """Return the planner with the variance that holds at this gap."""
        if self.spread.flip is None:
            return self
        return replace(self, spread=self.spread.at_gap(gap, self.criteria.sides))

    def tasks_needed(
        self, delta: float, runs_a: float, runs_b: float, total: float | None = None
    ) -> float:
        """Return the tasks needed to detect ``delta`` with these runs, or infinity."""
        at = self._at_gap(delta)

        def is_detected(tasks: float) -> bool:
            return at.mde(tasks, runs_a, runs_b, total) <= delta * (1 + 1e-12)

        if not is_detected(_MOST_TASKS):
            return np.inf
        high = 2.0
        while not is_detected(high):
            high *= 2
        return float(first_whole(is_detected, max(high / 2, 2.0), high))

    def cheapest(self, delta: float) -> RunDesign | None:
        """Return the cheapest design that detects ``delta``, by exact search.

        Return None if there is none.
        """
        checks.positive("delta", delta)
        if self.fixed_runs is not None:
            tasks = self.tasks_needed(delta, *self.fixed_runs)
            cheapest_design = np.isfinite(tasks) and tasks <= self.most_tasks
            return self.design(tasks, *self.fixed_runs) if cheapest_design else None
        if self.spread.flip is not None:
            then = self._at_gap(delta).cheapest(delta)
            return (
                None if then is None else self.design(then.n_tasks, then.n_runs_a, then.n_runs_b)
            )
        if self.floor() >= delta:
            return None
        low, money, cheapest_design = 0.0, self.least_budget, self._search(self.least_budget)
        while cheapest_design is None or cheapest_design.value > delta * delta * (1 + 1e-12):
            low = money
            money *= 2 if cheapest_design is None else max(cheapest_design.value / delta**2, 2)
            cheapest_design = self._search(money)
        cheapest_design = self._narrowed(cheapest_design, low, delta)
        return self.design(cheapest_design.tasks, cheapest_design.runs_a, cheapest_design.runs_b)

    def _narrowed(self, start: BestDesign, low: float, delta: float) -> BestDesign:
        """Return the cheapest design, between a sufficient design and an insufficient budget."""
        goal = delta * delta
        while start.cost - low > _CLOSE * start.cost:
            guess = (
                (1 + _MAX_UNSPENT_SHARE) * start.cost * start.value / goal
            )  # assumes that the squared gap is proportional to 1 / budget
            if guess > (1 - _MAX_UNSPENT_SHARE) * start.cost:
                exact = cheaper(self._problem(start.cost), goal, start)
                if exact is not None:
                    return exact
            if not low < guess < (1 - _MAX_UNSPENT_SHARE) * start.cost:
                guess = (low + start.cost) / 2
            tried = self._search(guess, delta)
            low, start = (guess, start) if tried is None else (low, tried)
        return start

    def floor(self) -> float:
        """Return the smallest detectable gap with infinitely many runs of the available tasks."""
        k = self.most_tasks
        fixed = self.fixed_runs
        if np.isinf(k):
            if fixed is None or not self.spread.has_shared:
                return 0.0
            k = _MOST_TASKS
        return self.mde(k, *(fixed or (np.inf, np.inf)))

    def _search(self, budget: float, delta: float | None = None) -> BestDesign | None:
        return best(self._problem(budget), max_value=np.inf if delta is None else delta * delta)

    def _problem(self, budget: float) -> AllocationProblem:
        s = self.spread
        return AllocationProblem(
            between=s.sigma_b2,
            within=(s.sigma_wa2, s.sigma_wb2),
            shared=(s.sigma_run_a2, s.sigma_run_b2),
            task=self._task,
            run=(self.costs.run_a, self.costs.run_b),
            budget=budget,
            max_tasks=self.most_tasks,
            max_runs=np.inf,
            factor=self.factor.squared,
        )
