"""Repeated runs of k tasks: variance components, MDE, the best split of a budget, pass@k.

The task is the unit: with D_i the difference of the two models' mean scores on task i,
s²_D / k is an unbiased variance of the mean difference whatever the number of runs. Runs only
shrink its within-task part:

    Var = [sigma_b² + sigma_wa² / n_a + sigma_wb² / n_b] / k.

Treating every run as an independent item instead forgets sigma_b² and rejects too often.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from nstar._typing import Array, FloatLike, Sides
from nstar.errors import ParameterError
from nstar.stats import _check
from nstar.stats._blocks import map_blocks
from nstar.stats.critical import k_factor

__all__ = [
    "Allocation",
    "RunCosts",
    "VarianceComponents",
    "best_allocation",
    "optimal_runs",
    "pass_at_k",
    "pass_at_k_plugin",
    "pass_hat_k",
    "runs_mde",
    "runs_mde_floor",
    "runs_variance",
    "variance_components",
]

_LOOP = 4096
"""Factors multiplied one by one before pass@k turns to log gamma differences."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VarianceComponents:
    """Mean difference over tasks and the parts of its variance (score units and squares)."""

    delta: float
    """Mean over tasks of the difference of run means, first minus second."""
    var_delta: float
    """Unbiased variance of delta, s²_D / k."""
    sigma_b2_raw: float | None
    """Between-task variance of the true difference, unbiased, so possibly negative;
    None when either model has no task with two runs."""
    sigma_b2: float | None
    """The same, floored at 0 for planning; None when not identified."""
    sigma_wa2: float | None
    """Run-to-run variance within a task, first model; None without repeated runs."""
    sigma_wb2: float | None
    """Run-to-run variance within a task, second model; None without repeated runs."""
    n_a: float
    """Runs per task of the first model (harmonic mean over tasks)."""
    n_b: float
    """Runs per task of the second model (harmonic mean over tasks)."""
    k: int
    """Tasks."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunCosts:
    """What an experiment costs, in any one unit (dollars, GPU hours …)."""

    task: float = 0.0
    """Cost of one task before any run: writing, checking, setting up; >= 0."""
    run_a: float = 1.0
    """Cost of one run of the first model on one task, > 0."""
    run_b: float = 1.0
    """Cost of one run of the second model on one task, > 0."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Allocation:
    """How many tasks and runs per task a budget buys, and how precise that is."""

    runs_a: Array
    """Runs per task of the first model."""
    runs_b: Array
    """Runs per task of the second model."""
    tasks: Array
    """Tasks."""
    var_delta: Array
    """Variance of the mean difference under this split."""


# --- estimation ---------------------------------------------------------------------------


def _run_table(name: str, values: FloatLike) -> Array:
    table = np.asarray(values, dtype=np.float64)
    _check.require(table.ndim == 2, f"number of axes of {name}", "2, tasks x runs", table.ndim)
    _check.require(~np.isinf(table), name, "finite, or NaN for a missing run", table)
    _check.require(table.shape[0] >= 2, f"tasks in {name}", "at least 2", table.shape[0])
    observed = (~np.isnan(table)).sum(axis=1)
    _check.require(observed >= 1, f"runs of each task in {name}", "at least 1", observed)
    return table


def _within(table: Array) -> tuple[Array, float, float | None]:
    """Task means, harmonic mean number of runs, and mean within-task variance."""
    seen = ~np.isnan(table)
    n = seen.sum(axis=1)
    means = np.where(seen, table, 0.0).sum(axis=1) / n
    harmonic = float(n.size / (1 / n).sum())
    repeated = n >= 2
    if not repeated.any():
        return means, harmonic, None
    squares = np.square(np.where(seen, table - means[:, None], 0.0)).sum(axis=1)
    return means, harmonic, float((squares[repeated] / (n[repeated] - 1)).mean())


def variance_components(a: FloatLike, b: FloatLike) -> VarianceComponents:
    """Mean difference over tasks and its between- and within-task variance components.

    Method of moments: within-task variances are averages over tasks of the runs' variance
    (ddof 1), and sigma_b² = s²_D - sigma_wa² / n_a - sigma_wb² / n_b.

    Parameters
    ----------
    a, b
        Scores, tasks x runs, on the same tasks in the same order; the models may have
        different numbers of runs. NaN marks a missing run (missing at random); every task
        needs at least one run of each model, and n_a, n_b are then harmonic means.

    Notes
    -----
    With one run per task the between and within parts cannot be told apart: they are None,
    while delta and var_delta still hold.

    Examples
    --------
    >>> v = variance_components([[1, 0, 1], [1, 1, 1], [0, 0, 1]], [[0, 1], [1, 0], [0, 0]])
    >>> round(v.delta, 4), round(v.var_delta, 4), round(v.sigma_wa2, 4), round(v.sigma_b2, 4)
    (0.3333, 0.0093, 0.2222, 0.0)
    """
    table_a, table_b = _run_table("a", a), _run_table("b", b)
    k = table_a.shape[0]
    _check.require(table_b.shape[0] == k, "tasks in b", f"those of a, {k}", table_b.shape[0])
    mean_a, n_a, within_a = _within(table_a)
    mean_b, n_b, within_b = _within(table_b)
    d = mean_a - mean_b
    spread = float(d.var(ddof=1))
    raw = None
    if within_a is not None and within_b is not None:
        raw = spread - within_a / n_a - within_b / n_b
    return VarianceComponents(
        delta=float(d.mean()),
        var_delta=spread / k,
        sigma_b2_raw=raw,
        sigma_b2=None if raw is None else max(raw, 0.0),
        sigma_wa2=within_a,
        sigma_wb2=within_b,
        n_a=n_a,
        n_b=n_b,
        k=k,
    )


# --- planning -----------------------------------------------------------------------------


def _at_least_one(name: str, value: Array) -> None:
    _check.require(value >= 1, name, "at least 1", value)


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
    """Variance of the mean difference over tasks, in squared score units.

    [sigma_b2 + sigma_wa2 / runs_a + sigma_wb2 / runs_b] / tasks
    + sigma_run2 (1 / runs_a + 1 / runs_b).

    Parameters
    ----------
    sigma_b2
        Variance over tasks of the true difference.
    sigma_wa2, sigma_wb2
        Run-to-run variance within a task, per model.
    tasks, runs_a, runs_b
        Tasks, and runs per task of each model; at least 1 (inf for the limit).
    sigma_run2
        Variance of an effect that one run of a model shares across all its tasks (a seed, a
        server); more tasks do not reduce it.

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
            _check.nonnegative(name, value)
        for name, value in (("tasks", k), ("runs_a", n_a), ("runs_b", n_b)):
            _at_least_one(name, value)
        return (between + w_a / n_a + w_b / n_b) / k + shared * (1 / n_a + 1 / n_b)

    return map_blocks(block, sigma_b2, sigma_wa2, sigma_wb2, tasks, runs_a, runs_b, sigma_run2)


def runs_mde(
    var_delta: FloatLike, *, alpha: FloatLike = 0.05, power: FloatLike = 0.8, sides: Sides = 2
) -> Array:
    """Smallest mean difference detectable when its estimate has variance ``var_delta``.

    K sqrt(var_delta), in score units; normal theory, so a little optimistic below some 30
    tasks. 0 when ``power`` is so low that K ≤ 0.

    Parameters
    ----------
    var_delta
        Variance of the mean difference (:func:`runs_variance`), >= 0.
    alpha, power
        Level and wanted power, in (0, 1).
    sides
        2 (default) or 1.

    Examples
    --------
    >>> v = runs_variance(0.02, 0.15, 0.15, tasks=100, runs_a=5, runs_b=5)
    >>> round(float(runs_mde(v)), 4)
    0.0792
    """

    def block(variance: Array, k: Array) -> Array:
        _check.nonnegative("var_delta", variance)
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
    """MDE that no number of runs can beat on ``tasks`` tasks: K sigma_b / √tasks.

    Parameters
    ----------
    sigma_b
        Standard deviation over tasks of the true difference, in score units, >= 0.
    tasks
        Tasks, at least 1.
    alpha, power
        Level and wanted power, in (0, 1).
    sides
        2 (default) or 1.

    Examples
    --------
    >>> round(float(runs_mde_floor(0.15, 100)), 4)
    0.042
    """

    def block(s: Array, count: Array, k: Array) -> Array:
        _check.nonnegative("sigma_b", s)
        _at_least_one("tasks", count)
        return np.maximum(k, 0.0) * s / np.sqrt(count)

    return map_blocks(block, sigma_b, tasks, k_factor(alpha, power, sides=sides))


def _check_costs(costs: RunCosts, budget: FloatLike) -> None:
    _check.nonnegative("costs.task", costs.task)
    _check.positive("costs.run_a", costs.run_a)
    _check.positive("costs.run_b", costs.run_b)
    _check.positive("budget", budget)


def _candidates(between: Array, w_a: Array, w_b: Array, costs: RunCosts) -> tuple[Array, Array]:
    """Interior optimum and the optima on the edges n_a = 1 and n_b = 1."""
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
    """Real-valued runs per task and tasks that minimise the variance for a budget.

    n_a = (sigma_wa / sigma_b) √(task / run_a), likewise n_b (Cauchy–Schwarz); where one
    falls below 1 it is held at 1 and the other solved again. Tasks then follow from budget =
    tasks (task + n_a run_a + n_b run_b). With free tasks (``costs.task`` = 0) one run each
    unless the run costs are very unequal.

    Parameters
    ----------
    sigma_b2
        Variance over tasks of the true difference, > 0 (at 0 ever more runs of ever fewer
        tasks are better and there is no optimum).
    sigma_wa2, sigma_wb2
        Run-to-run variance within a task, per model, >= 0.
    budget
        Total cost, > 0, in the unit of ``costs``.
    costs
        Cost of a task and of one run of each model.

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
    _check.positive("sigma_b2", between)
    _check.nonnegative("sigma_wa2", w_a)
    _check.nonnegative("sigma_wb2", w_b)
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
    max_runs: int = 200,
) -> Allocation:
    """Whole runs per task and tasks that minimise the variance for a budget, by search.

    Parameters
    ----------
    sigma_b2
        Variance over tasks of the true difference, >= 0.
    sigma_wa2, sigma_wb2
        Run-to-run variance within a task, per model, >= 0.
    budget
        Total cost, > 0, in the unit of ``costs``.
    costs
        Cost of a task and of one run of each model.
    max_tasks
        Tasks that exist, at least 2; once they run out the budget goes into runs.
    max_runs
        Most runs per task that are tried for either model.

    Notes
    -----
    At least 2 tasks, or no variance could be estimated. Among equals the fewest runs of the
    first model, then of the second. Raises ParameterError when the budget does not buy 2
    tasks with one run each.

    Examples
    --------
    >>> best = best_allocation(0.04, 0.12, 0.15, budget=5000, costs=RunCosts(task=20))
    >>> int(best.runs_a), int(best.runs_b), int(best.tasks)
    (8, 9, 135)
    """
    _check_costs(costs, budget)
    _check.nonnegative("sigma_b2", sigma_b2)
    _check.nonnegative("sigma_wa2", sigma_wa2)
    _check.nonnegative("sigma_wb2", sigma_wb2)
    _check.require(max_tasks >= 2, "max_tasks", "at least 2", max_tasks)
    _check.require(max_runs >= 1, "max_runs", "at least 1", max_runs)
    n_a = np.arange(1.0, max_runs + 1)[:, None]
    n_b = np.arange(1.0, max_runs + 1)[None, :]
    # the slack lets 0.3 buy three runs of 0.1
    bought = budget / (costs.task + n_a * costs.run_a + n_b * costs.run_b)
    tasks = np.minimum(np.floor(bought * (1 + 1e-12)), np.floor(max_tasks))
    if tasks[0, 0] < 2:
        need = 2 * (costs.task + costs.run_a + costs.run_b)
        msg = (
            f"budget must be at least {need:.10g}, two tasks with one run each; got {budget:.10g}"
        )
        raise ParameterError(msg)
    level = sigma_b2 + sigma_wa2 / n_a + sigma_wb2 / n_b
    variance = np.where(tasks >= 2, level / np.maximum(tasks, 1), np.inf)
    i, j = np.unravel_index(np.argmin(variance), variance.shape)
    return Allocation(
        runs_a=n_a[i, 0], runs_b=n_b[0, j], tasks=tasks[i, j], var_delta=variance[i, j]
    )


# --- pass@k -------------------------------------------------------------------------------


def _check_passes(n: Array, c: Array, k: Array) -> None:
    _check.counts(n=n, c=c, k=k)
    _check.require(n >= 1, "n", "at least 1 run", n)
    _check.require(c <= n, "c", "at most n", c)
    _check.require(k >= 1, "k", "at least 1", k)


def _log_avoid(n: Array, marked: Array, k: Array) -> Array:
    """Log probability that k of n runs drawn without replacement avoid the marked ones.

    The product of 1 - max / (n - i) over i < min, with min and max of (marked, k): short
    and free of cancellation, unlike differences of log gamma.
    """
    few, many = np.minimum(marked, k), np.maximum(marked, k)
    possible = few + many <= n
    out = np.where(possible, 0.0, -np.inf)
    short = possible & (few <= _LOOP)
    steps = int(few[short].max()) if short.any() else 0
    for i in range(steps):
        on = short & (few > i)
        out[on] += np.log1p(-many[on] / (n[on] - i))
    rest = possible & ~short
    x, f, m = n[rest], few[rest], many[rest]
    out[rest] = (
        special.gammaln(x - m + 1)
        - special.gammaln(x - m - f + 1)
        - special.gammaln(x + 1)
        + special.gammaln(x - f + 1)
    )
    return out


def pass_at_k(n: FloatLike, c: FloatLike, k: FloatLike) -> Array:
    """Unbiased estimate of pass@k, the chance that at least one of k runs succeeds.

    1 - C(n - c, k) / C(n, k) from c successes in n runs (Chen et al. 2021), as a product
    that keeps full precision for large n.

    Parameters
    ----------
    n, c
        Runs and successes among them, whole numbers with 0 ≤ c ≤ n.
    k
        Runs allowed, 1 ≤ k ≤ n: more than was run cannot be estimated without bias.

    Examples
    --------
    >>> round(float(pass_at_k(10, 3, 5)), 6)
    0.916667
    """

    def block(runs: Array, wins: Array, tries: Array) -> Array:
        _check_passes(runs, wins, tries)
        _check.require(tries <= runs, "k", "at most n", tries)
        return 0.0 - np.expm1(_log_avoid(runs, wins, tries))

    return map_blocks(block, n, c, k)


def pass_hat_k(n: FloatLike, c: FloatLike, k: FloatLike) -> Array:
    """Unbiased estimate of pass^k, the chance that all of k runs succeed.

    C(c, k) / C(n, k) from c successes in n runs (Yao et al. 2024, tau-bench).

    Parameters
    ----------
    n, c
        Runs and successes among them, whole numbers with 0 ≤ c ≤ n.
    k
        Runs that must all succeed, 1 ≤ k ≤ n.

    Examples
    --------
    >>> round(float(pass_hat_k(5, 3, 3)), 6)
    0.1
    """

    def block(runs: Array, wins: Array, tries: Array) -> Array:
        _check_passes(runs, wins, tries)
        _check.require(tries <= runs, "k", "at most n", tries)
        return np.exp(_log_avoid(runs, runs - wins, tries))

    return map_blocks(block, n, c, k)


def pass_at_k_plugin(n: FloatLike, c: FloatLike, k: FloatLike) -> Array:
    """Plug-in estimate of pass@k, 1 - (1 - c / n)^k: biased downwards, for comparison only.

    The bias is -0.066 at n = 20, k = 8 and a success rate of 1/8; use :func:`pass_at_k`.
    Parameters as there, except that k may exceed n.

    Examples
    --------
    >>> round(float(pass_at_k_plugin(10, 3, 5)), 6)
    0.83193
    """

    def block(runs: Array, wins: Array, tries: Array) -> Array:
        _check_passes(runs, wins, tries)
        with np.errstate(divide="ignore"):
            return 0.0 - np.expm1(tries * np.log1p(-wins / runs))

    return map_blocks(block, n, c, k)
