"""Planning k tasks with repeated runs: variance, MDE, and the best split of a budget.

The task is the unit: with D_i the difference of the two models' mean scores on task i, s²_D / k is
an unbiased variance of the mean difference for any number of runs. Runs only shrink its
within-task part:

    Var = [sigma_b² + sigma_wa² / n_a + sigma_wb² / n_b] / k.

Treating every run as an independent item omits sigma_b² and rejects too often.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Sides
from nstar.errors import ParameterError
from nstar.stats._allocate import AllocationProblem, best
from nstar.stats._blocks import map_blocks
from nstar.stats.critical import k_factor

__all__ = [
    "Allocation",
    "RunCosts",
    "best_allocation",
    "optimal_runs",
    "runs_mde",
    "runs_mde_floor",
    "runs_variance",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunCosts:
    """Costs of an experiment, in any one unit (dollars, GPU hours …).

    Examples
    --------
    100 tasks at 20 each, with 8 runs of the first model and 9 of the second at 1 each:

    >>> costs = RunCosts(task=20)
    >>> 100 * (costs.task + 8 * costs.run_a + 9 * costs.run_b)
    3700.0
    """

    task: float = 0.0
    """Cost of one task before any run: writing, checking, setting up; >= 0."""
    run_a: float = 1.0
    """Cost of one run of the first model on one task, > 0."""
    run_b: float = 1.0
    """Cost of one run of the second model on one task, > 0."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Allocation:
    """Tasks and runs per task that a budget buys, and the resulting variance."""

    runs_a: Array
    """Runs per task of the first model."""
    runs_b: Array
    """Runs per task of the second model."""
    tasks: Array
    """Number of tasks."""
    var_delta: Array
    """Variance of the mean difference under this split."""


def _at_least_one(name: str, value: Array) -> None:
    checks.require(value >= 1, name, "at least 1", value)


def runs_variance(
    sigma_b2: FloatLike,
    sigma_wa2: FloatLike,
    sigma_wb2: FloatLike,
    *,
    tasks: FloatLike,
    runs_a: FloatLike,
    runs_b: FloatLike,
    sigma_run2: FloatLike = 0.0,
) -> Array:
    """Return the variance of the mean difference over tasks.

    [sigma_b2 + sigma_wa2 / runs_a + sigma_wb2 / runs_b] / tasks
    + sigma_run2 (1 / runs_a + 1 / runs_b).

    Parameters
    ----------
    sigma_b2 : array_like
        Variance over tasks of the true difference, in squared score units, ≥ 0.
    sigma_wa2, sigma_wb2 : array_like
        Run-to-run variance within a task, per model, in squared score units, ≥ 0.
    tasks, runs_a, runs_b : array_like
        Tasks, and runs per task of each model; at least 1 (inf for the limit).
    sigma_run2 : array_like, default 0.0
        Variance of an effect that one run of a model shares across all its tasks (a seed, a
        server), in squared score units, ≥ 0; more tasks do not reduce it.

    Returns
    -------
    Array
        Variance in squared score units. Inputs broadcast.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    >>> round(float(runs_variance(0.025, 0.125, 0.215, tasks=1, runs_a=3, runs_b=2)), 6)
    0.174167
    """

    def block(*args: Array) -> Array:
        between, w_a, w_b, k, n_a, n_b, shared = args
        for name, value in (
            ("sigma_b2", between),
            ("sigma_wa2", w_a),
            ("sigma_wb2", w_b),
            ("sigma_run2", shared),
        ):
            checks.nonnegative(name, value)
        for name, value in (("tasks", k), ("runs_a", n_a), ("runs_b", n_b)):
            _at_least_one(name, value)
        return (between + w_a / n_a + w_b / n_b) / k + shared * (1 / n_a + 1 / n_b)

    return map_blocks(block, sigma_b2, sigma_wa2, sigma_wb2, tasks, runs_a, runs_b, sigma_run2)


def runs_mde(
    var_delta: FloatLike, *, alpha: FloatLike = 0.05, power: FloatLike = 0.8, sides: Sides = 2
) -> Array:
    """Return the smallest detectable mean difference if its estimate has variance ``var_delta``.

    It is K sqrt(var_delta) by normal theory, which is slightly too small for fewer than 30 tasks.

    Parameters
    ----------
    var_delta : array_like
        Variance of the mean difference (:func:`runs_variance`), in squared score units, ≥ 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Gap in score units. It is 0 if ``power`` is so low that K ≤ 0. Inputs broadcast.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    >>> v = runs_variance(0.02, 0.15, 0.15, tasks=100, runs_a=5, runs_b=5)
    >>> round(float(runs_mde(v)), 4)
    0.0792
    """

    def block(variance: Array, k: Array) -> Array:
        checks.nonnegative("var_delta", variance)
        return np.maximum(k, 0.0) * np.sqrt(variance)

    return map_blocks(block, var_delta, k_factor(alpha, power, sides=sides))


def runs_mde_floor(
    sigma_b: FloatLike,
    tasks: FloatLike,
    *,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the lower limit of the MDE for any number of runs on ``tasks`` tasks.

    Parameters
    ----------
    sigma_b : array_like
        Standard deviation over tasks of the true difference, in score units, ≥ 0.
    tasks : array_like
        Tasks, at least 1.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Gap in score units. It is 0 if ``power`` is so low that K ≤ 0. Inputs broadcast.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    >>> round(float(runs_mde_floor(0.15, 100)), 4)
    0.042
    """

    def block(s: Array, count: Array, k: Array) -> Array:
        checks.nonnegative("sigma_b", s)
        _at_least_one("tasks", count)
        return np.maximum(k, 0.0) * s / np.sqrt(count)

    return map_blocks(block, sigma_b, tasks, k_factor(alpha, power, sides=sides))


def _check_costs(costs: RunCosts, budget: FloatLike) -> None:
    checks.nonnegative("costs.task", costs.task)
    checks.positive("costs.run_a", costs.run_a)
    checks.positive("costs.run_b", costs.run_b)
    checks.positive("budget", budget)


def _candidates(between: Array, w_a: Array, w_b: Array, costs: RunCosts) -> tuple[Array, Array]:
    """Return the interior optimum and the optima on the edges n_a = 1 and n_b = 1."""
    task, a, b = costs.task, costs.run_a, costs.run_b
    free_a = np.sqrt(w_a / between * task / a)
    free_b = np.sqrt(w_b / between * task / b)
    edge_a = np.maximum(np.sqrt(w_a * (task + b) / ((between + w_b) * a)), 1.0)
    edge_b = np.maximum(np.sqrt(w_b * (task + a) / ((between + w_a) * b)), 1.0)
    inside = (free_a >= 1) & (free_b >= 1)
    one = np.ones_like(between)
    n_a = np.where(inside, free_a, np.stack([one, one, edge_a]))
    n_b = np.where(inside, free_b, np.stack([one, edge_b, one]))
    return n_a, n_b


def optimal_runs(
    sigma_b2: FloatLike,
    sigma_wa2: FloatLike,
    sigma_wb2: FloatLike,
    *,
    budget: FloatLike,
    costs: RunCosts,
) -> Allocation:
    """Return the real-valued runs per task and tasks that minimize the variance for a budget.

    n_a = (sigma_wa / sigma_b) √(task / run_a), likewise n_b (Cauchy–Schwarz); where one
    falls below 1 it is held at 1 and the other solved again. Tasks then follow from budget =
    tasks (task + n_a run_a + n_b run_b). With free tasks (``costs.task`` = 0) one run each
    unless the run costs are very unequal.

    Parameters
    ----------
    sigma_b2 : array_like
        Variance over tasks of the true difference, in squared score units, > 0 (at 0 ever more
        runs of ever fewer tasks are better and there is no optimum).
    sigma_wa2, sigma_wb2 : array_like
        Run-to-run variance within a task, per model, in squared score units, ≥ 0.
    budget : array_like
        Total cost, > 0, in the unit of ``costs``.
    costs : RunCosts
        Cost of a task and of one run of each model.

    Returns
    -------
    Allocation
        Real numbers: runs at least 1, tasks perhaps below 1. Inputs broadcast.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    >>> best = optimal_runs(0.04, 0.12, 0.15, budget=5000, costs=RunCosts(task=20))
    >>> [round(float(x), 2) for x in (best.runs_a, best.runs_b, best.tasks)]
    [7.75, 8.66, 137.34]
    """
    _check_costs(costs, budget)
    between, w_a, w_b, total = (
        np.asarray(x, dtype=np.float64)
        for x in np.broadcast_arrays(sigma_b2, sigma_wa2, sigma_wb2, budget)
    )
    checks.positive("sigma_b2", between)
    checks.nonnegative("sigma_wa2", w_a)
    checks.nonnegative("sigma_wb2", w_b)
    n_a, n_b = _candidates(between, w_a, w_b, costs)
    tasks = total / (costs.task + n_a * costs.run_a + n_b * costs.run_b)
    variance = (between + w_a / n_a + w_b / n_b) / tasks
    best = np.argmin(variance, axis=0)[None]
    return Allocation(
        **{
            name: np.take_along_axis(values, best, axis=0)[0][()]
            for name, values in (
                ("runs_a", n_a),
                ("runs_b", n_b),
                ("tasks", tasks),
                ("var_delta", variance),
            )
        }
    )


def best_allocation(
    sigma_b2: float,
    sigma_wa2: float,
    sigma_wb2: float,
    *,
    budget: float,
    costs: RunCosts,
    max_tasks: float = np.inf,
    max_runs: float = np.inf,
) -> Allocation:
    """Return the whole runs per task and tasks that minimize the variance for a budget, exactly.

    Branch and bound over whole numbers: no design within the budget is better, however large
    the budget.

    Parameters
    ----------
    sigma_b2 : float
        Variance over tasks of the true difference, in squared score units, ≥ 0.
    sigma_wa2, sigma_wb2 : float
        Run-to-run variance within a task, per model, in squared score units, ≥ 0.
    budget : float
        Total cost, > 0, in the unit of ``costs``.
    costs : RunCosts
        Cost of a task and of one run of each model.
    max_tasks : float
        Tasks that exist, at least 2; once they run out the budget goes into runs.
    max_runs : float
        Most runs per task of either model, at least 1.

    Returns
    -------
    Allocation
        Whole numbers. At least 2 tasks, or no variance could be estimated; among equals the
        cheapest.

    Raises
    ------
    ParameterError
        When the budget does not buy 2 tasks with one run each, when it buys more than 2^53 of
        anything, and when so many designs are as good as equal that a search would take minutes
        (millions of tasks or more, at very unequal prices).

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    >>> best = best_allocation(0.04, 0.12, 0.15, budget=5000, costs=RunCosts(task=20))
    >>> int(best.runs_a), int(best.runs_b), int(best.tasks)
    (8, 9, 135)
    """
    _check_costs(costs, budget)
    checks.nonnegative("sigma_b2", sigma_b2)
    checks.nonnegative("sigma_wa2", sigma_wa2)
    checks.nonnegative("sigma_wb2", sigma_wb2)
    checks.require(max_tasks >= 2, "max_tasks", "at least 2", max_tasks)
    checks.require(max_runs >= 1, "max_runs", "at least 1", max_runs)
    design = best(
        AllocationProblem(
            between=sigma_b2,
            within=(sigma_wa2, sigma_wb2),
            shared=(0.0, 0.0),
            task=costs.task,
            run=(costs.run_a, costs.run_b),
            budget=budget,
            max_tasks=max_tasks,
            max_runs=max_runs,
            factor=np.ones_like,
        )
    )
    if design is None:
        need = 2 * (costs.task + costs.run_a + costs.run_b)
        msg = (
            f"budget must be at least {need:.10g}, two tasks with one run each; got {budget:.10g}"
        )
        raise ParameterError(msg)
    return Allocation(
        runs_a=np.asarray(design.runs_a),
        runs_b=np.asarray(design.runs_b),
        tasks=np.asarray(design.tasks),
        var_delta=np.asarray(design.value),
    )
