"""Find the numbers of tasks and runs that make the best use of a budget.

The search is an exact branch and bound. It minimizes factor(k) [sigma_b² + (sigma_wa² + k s_a) /
n_a + (sigma_wb² + k s_b) / n_b] / k under k (task + n_a run_a + n_b run_b) ≤ budget, with k tasks,
n runs of each model, and s the variance of an effect that a run shares over all tasks. In k and
the total runs N = k n every term is monotone over a block of k, so each block has a closed lower
bound. Blocks that cannot contain the best design are dropped, and the others are halved until each
n_a leaves at most two values of n_b. The few remaining designs are evaluated.

The inverse problem is to find the lowest cost that reaches a goal. The factor is smallest for
infinitely many tasks. This gives a lower bound for the number of tasks, and for the cost, of each
pair of run counts. Few pairs can be cheaper than the best design so far. Bisection finds their
numbers of tasks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from nstar._base.types import Array, BoolArray
from nstar.errors import ParameterError

_MAX_RUN_PAIRS_ENUMERATED = 1 << 16
"""Largest number of pairs of run counts that are all enumerated."""
_ENDLESS = 1e15
_SLACK = 1e-12
"""Relative tolerance: a budget of 0.3 buys three runs of 0.1, and values this close are equal."""
_MAX_EXACT_INTEGER = 2.0**53
_MOST_WORK = 2e6
"""Largest number of designs or blocks that a search may evaluate, which takes a few seconds."""
_FIRST_BLOCKS = 48
_CHUNK = 1 << 18
"""Number of designs that are evaluated at a time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AllocationProblem:
    """Variances, prices, and limits. ``factor`` must not increase with the number of tasks."""

    between: float
    """Variance over tasks of the true difference."""
    within: tuple[float, float]
    """Run-to-run variance of each model."""
    shared: tuple[float, float]
    """Variance of the effect that one run of each model shares over all tasks."""
    task: float
    """Cost of a task without runs."""
    run: tuple[float, float]
    """Cost of one run of each model."""
    budget: float
    """Largest total cost."""
    max_tasks: float
    """Number of tasks that are available."""
    max_runs: float
    """Largest number of runs per task, for either model."""
    factor: Callable[[Array], Array]
    """Factor of the variance as a function of the number of tasks: the square of t + t for an
    MDE.
    """

    def most_tasks(self) -> float:
        """Return the number of tasks that the budget covers with one run of each model."""
        bought = self.budget / (self.task + sum(self.run)) * (1 + _SLACK)
        return float(min(np.floor(bought), np.floor(self.max_tasks)))

    def cost(self, n_a: Array, n_b: Array) -> Array:
        """Return the cost of one task with its runs."""
        return self.task + n_a * self.run[0] + n_b * self.run[1]

    def value(self, n_a: Array, n_b: Array, k: Array) -> Array:
        """Return the objective of a design."""
        (w_a, w_b), (s_a, s_b) = self.within, self.shared
        level = self.between + w_a / n_a + w_b / n_b
        return self.factor(k) * (level / k + s_a / n_a + s_b / n_b)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BestDesign:
    """Design with the smallest objective."""

    runs_a: float
    """Runs per task of the first model."""
    runs_b: float
    """Runs per task of the second model."""
    tasks: float
    """Number of tasks."""
    value: float
    """Objective at this design."""
    cost: float
    """Total cost."""

    def beats(self, other: "BestDesign | None") -> bool:
        """Return whether this design has a smaller objective, or the same at a lower cost."""
        if other is None or self.value < other.value * (1 - _SLACK):
            return True
        equal = self.value <= other.value * (1 + _SLACK)
        return equal and self.cost < other.cost * (1 - _SLACK)


def _check_size(p: AllocationProblem) -> None:
    """Raise ParameterError if float64 cannot count the tasks or runs exactly."""
    runs = min(p.max_runs, (p.budget / 2 - p.task) / min(p.run))
    if max(p.most_tasks(), runs) > _MAX_EXACT_INTEGER:
        msg = f"budget must buy at most 2^53 tasks, or runs of a task; got {p.budget:.10g}"
        raise ParameterError(msg)


def _check_work(p: AllocationProblem, designs: float) -> None:
    """Raise ParameterError if the search would take minutes."""
    if designs > _MOST_WORK:
        msg = (
            f"budget allows too many nearly equal designs; got {p.budget:.10g}. Limit the budget, "
            "the tasks or the runs."
        )
        raise ParameterError(msg)


def _inner(p: AllocationProblem, k: Array) -> Array:
    """Return the smallest within-task part for real-valued numbers of runs on k tasks.

    Return ``inf`` if k tasks exceed the budget.
    """
    a, b = (w + k * s for w, s in zip(p.within, p.shared, strict=True))
    money = p.budget * (1 + _SLACK) - p.task * k
    c_a, c_b = p.run
    root_a, root_b = np.sqrt(a * c_a), np.sqrt(b * c_b)
    total = np.maximum(root_a + root_b, np.finfo(float).tiny)
    n_a = np.clip(money * root_a / total / c_a, k, None)
    n_b = np.clip((money - n_a * c_a) / c_b, k, None)
    n_a = np.maximum(np.minimum(n_a, (money - n_b * c_b) / c_a), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(a > 0, a / n_a, 0.0) + np.where(b > 0, b / n_b, 0.0)
    return np.where(money < k * (c_a + c_b) * (1 - _SLACK), np.inf, part)


def _bound(p: AllocationProblem, first: Array, last: Array) -> Array:
    """Return a lower bound of the objective for all designs with first ≤ tasks ≤ last."""
    capped = (sum(p.within) / last + sum(p.shared)) / p.max_runs
    return p.factor(last) * (p.between / last + np.maximum(_inner(p, first), capped))


def _tasks_for(p: AllocationProblem, n_a: Array, n_b: Array) -> Array:
    bought = np.floor(p.budget / p.cost(n_a, n_b) * (1 + _SLACK))
    return np.minimum(bought, np.floor(p.max_tasks))


def _left(p: AllocationProblem, k: Array, n_a: Array) -> Array:
    """Return the number of runs of the second model that the remaining budget of a task covers."""
    money = p.budget / k * (1 + _SLACK) - p.task
    max_runs = np.where(p.within[1] + p.shared[1] > 0, p.max_runs, 1.0)
    return np.clip(np.floor((money - n_a * p.run[0]) / p.run[1] * (1 + _SLACK)), 0, max_runs)


def _pick(
    p: AllocationProblem, n_a: Array, n_b: Array, incumbent: BestDesign | None
) -> BestDesign | None:
    """Return the better of the incumbent and the best of these designs."""
    k = np.where((n_a >= 1) & (n_b >= 1), _tasks_for(p, n_a, np.maximum(n_b, 1)), 0)
    fine = k >= 2
    if not fine.any():
        return incumbent
    n_a, n_b, k = n_a[fine], n_b[fine], k[fine]
    value, cost = p.value(n_a, n_b, k), k * p.cost(n_a, n_b)
    near_best = np.flatnonzero(value <= value.min() * (1 + _SLACK))
    i = near_best[np.lexsort((n_b[near_best], n_a[near_best], cost[near_best]))[0]]
    candidate = BestDesign(
        runs_a=float(n_a[i]),
        runs_b=float(n_b[i]),
        tasks=float(k[i]),
        value=float(value[i]),
        cost=float(cost[i]),
    )
    return candidate if candidate.beats(incumbent) else incumbent


def _rounded(p: AllocationProblem, k: Array, incumbent: BestDesign | None) -> BestDesign | None:
    """Evaluate the designs near the real-valued optimum of each k."""
    a, b = (w + k * s for w, s in zip(p.within, p.shared, strict=True))
    money = p.budget / k - p.task
    root_a, root_b = np.sqrt(a * p.run[0]), np.sqrt(b * p.run[1])
    total = np.maximum(root_a + root_b, np.finfo(float).tiny)
    real = money * root_a / total / p.run[0]
    top = np.clip((money - p.run[1]) / p.run[0] * (1 + _SLACK), 1, p.max_runs)
    n_a = np.concatenate([np.clip(f(real), 1, np.floor(top)) for f in (np.floor, np.ceil)])
    return _pick(p, n_a, _left(p, np.tile(k, 2), n_a), incumbent)


def _window(
    p: AllocationProblem, first: Array, last: Array, max_value: float
) -> tuple[Array, Array]:
    """Return the range of n_a in which a block may contain a design with at most ``max_value``."""
    money = p.budget / first * (1 + _SLACK) - p.task
    c_a, c_b = p.run
    a, b = (w / last + s for w, s in zip(p.within, p.shared, strict=True))
    max_run_variance = max_value * (1 + 4 * _SLACK) / p.factor(last) - p.between / last
    # an infinite ``max_value`` excludes nothing
    with np.errstate(divide="ignore", invalid="ignore"):
        linear = max_run_variance * money + a * c_a - b * c_b
        under = linear * linear - 4 * max_run_variance * c_a * a * money
        root = np.sqrt(np.maximum(under, 0.0))
        slack = 1e-7 * np.abs(linear)
        low = np.ceil((linear - root - slack) / (2 * max_run_variance * c_a))
        high = np.floor((linear + root + slack) / (2 * max_run_variance * c_a))
    top = np.minimum(np.floor((money - c_b) / c_a * (1 + _SLACK)), p.max_runs)
    low, high = np.fmax(low, 1.0), np.fmin(high, top)
    if p.within[0] + p.shared[0] == 0:
        low, high = np.ones_like(low), np.minimum(top, 1.0)
    elif p.within[1] + p.shared[1] == 0:
        high = top
    empty = (under < -1e-9 * linear * linear) | (max_run_variance < 0)
    return low, np.where(empty, 0.0, high)


def _is_leaf(p: AllocationProblem, first: Array, last: Array) -> BoolArray:
    """Return whether a block has one k, or so few n_a that each leaves at most two n_b."""
    return (first == last) | (p.budget / first - p.budget / last < p.run[1])


def _search(
    p: AllocationProblem, incumbent: BestDesign | None, max_value: float
) -> tuple[Array, Array, BestDesign | None]:
    """Return blocks of k that may contain the best design and are small enough to enumerate."""
    top = p.most_tasks()
    edges = np.unique(np.round(np.geomspace(2, top, _FIRST_BLOCKS)))
    first, last = edges, np.append(edges[1:] - 1, top)
    leaves: list[tuple[Array, Array]] = []
    blocks = 0
    while first.size:
        blocks += first.size
        _check_work(p, blocks)
        incumbent = _rounded(p, np.concatenate([first, last]), incumbent)
        limit = min(max_value, incumbent.value if incumbent else np.inf)
        alive = _bound(p, first, last) <= limit * (1 + 2 * _SLACK)
        first, last = first[alive], last[alive]
        is_leaf = _is_leaf(p, first, last)
        leaves.append((first[is_leaf], last[is_leaf]))
        first, last = first[~is_leaf], last[~is_leaf]
        midpoint = np.clip(np.floor(np.sqrt(first) * np.sqrt(last)), first, last - 1)
        first, last = np.concatenate([first, midpoint + 1]), np.concatenate([midpoint, last])
    begins, ends = zip(*leaves, strict=True)
    return np.concatenate(begins), np.concatenate(ends), incumbent


def _chunks(low: Array, high: Array) -> Iterator[tuple[npt.NDArray[np.intp], Array]]:
    """Yield indices of blocks and values of n_a, at most ``_CHUNK`` designs at a time."""
    sizes = np.maximum(high - low + 1, 0)
    begin = 0
    while begin < sizes.size:
        n_fitting = int(np.searchsorted(np.cumsum(sizes[begin:]), _CHUNK))
        end = begin + max(n_fitting, 1)
        for start in np.arange(0.0, max(sizes[begin:end].max(), 1.0), _CHUNK):
            part = np.clip(sizes[begin:end] - start, 0, _CHUNK).astype(np.intp)
            block = np.repeat(np.arange(begin, end), part)
            within = np.arange(part.sum()) - np.repeat(np.cumsum(part) - part, part)
            yield block, low[block] + start + within
        begin = end


def best(p: AllocationProblem, *, max_value: float = np.inf) -> BestDesign | None:
    """Return the design with the smallest objective.

    Return None if no design with two or more tasks reaches ``max_value``.

    The model with the more expensive runs is treated as the first, so that fewer run counts are
    enumerated.
    """
    if p.most_tasks() < 2:
        return None
    _check_size(p)
    if p.run[0] < p.run[1]:
        pairs = {"within": p.within[::-1], "shared": p.shared[::-1], "run": p.run[::-1]}
        swapped = replace(p, **pairs)  # type: ignore[arg-type]
        design = best(swapped, max_value=max_value)
        return design and replace(design, runs_a=design.runs_b, runs_b=design.runs_a)
    if p.between + sum(p.within) + sum(p.shared) == 0:  # a larger budget gains nothing
        return BestDesign(
            runs_a=1.0, runs_b=1.0, tasks=2.0, value=0.0, cost=2 * (p.task + sum(p.run))
        )
    first, last, incumbent = _search(p, None, max_value)
    order = np.argsort(_bound(p, first, last))
    first, last = first[order], last[order]
    limit = min(max_value, incumbent.value if incumbent else np.inf)
    low, high = _window(p, first, last, limit)
    _check_work(p, float(np.maximum(high - low + 1, 0).sum()))
    for block, n_a in _chunks(low, high):
        for k in (first[block], last[block]):
            incumbent = _pick(p, n_a, _left(p, k, n_a), incumbent)
    return incumbent if incumbent and incumbent.value <= max_value * (1 + _SLACK) else None


def _pairs(p: AllocationProblem, goal: float, cost: float) -> tuple[Array, Array] | None:
    """Return the pairs of run counts that may reach the goal at a lower cost.

    Return None if there are too many.
    """
    c_a, c_b = p.run
    tasks = goal / float(p.factor(np.asarray(_ENDLESS)))
    dearest = cost / 2 - c_b
    if p.between * dearest > cost * tasks:
        dearest = cost * tasks / p.between
    top = (dearest - p.task) / c_a
    if top > _MAX_RUN_PAIRS_ENUMERATED:
        return None
    n_a = np.arange(1.0, max(top, 1.0) + 1)
    level, price = p.between + p.within[0] / n_a, p.task + n_a * c_a
    w_b = p.within[1]
    # (level + w_b / n_b) (price + n_b c_b) <= cost · tasks, a quadratic in n_b
    half = (cost * tasks - level * price - w_b * c_b) / 2
    under = half * half - level * c_b * w_b * price
    fine = (half >= 0) & (under >= 0)
    n_a, level, price, half = n_a[fine], level[fine], price[fine], half[fine]
    root = np.sqrt(under[fine])
    with np.errstate(divide="ignore", invalid="ignore"):
        high = np.fmin((half + root) / (level * c_b), (cost / 2 - price) / c_b)
        low = np.fmax(w_b * price / (half + root), 1.0)
    low, high = np.ceil(low * (1 - 1e-9)), np.floor(high * (1 + 1e-9))
    sizes = np.maximum(high - low + 1, 0)
    if sizes.sum() > _MAX_RUN_PAIRS_ENUMERATED:
        return None
    block = np.repeat(np.arange(sizes.size), sizes.astype(np.intp))
    before = (np.cumsum(sizes) - sizes)[block]
    return n_a[block], low[block] + np.arange(block.size) - before


def _first_tasks(
    p: AllocationProblem, goal: float, runs: tuple[Array, Array], last: Array
) -> Array:
    """Return the fewest tasks that reach the goal, by bisection. ``last`` tasks must reach it."""
    first = np.full_like(last, 2.0)
    while (first < last).any():
        midpoint = np.floor((first + last) / 2)
        is_reached = p.value(*runs, midpoint) <= goal * (1 + _SLACK)
        last = np.where(is_reached, midpoint, last)
        first = np.where(is_reached, first, midpoint + 1)
    return last


def cheaper(p: AllocationProblem, goal: float, incumbent: BestDesign) -> BestDesign | None:
    """Return the cheapest design with an objective of at most ``goal``.

    Return None if the search is too large. The budget of the problem is ignored. ``incumbent`` is
    a design that reaches the goal.
    """
    run_pairs = _pairs(p, goal, incumbent.cost * (1 + _SLACK))
    if run_pairs is None:
        return None
    n_a, n_b = run_pairs
    last = np.minimum(np.floor(incumbent.cost / p.cost(n_a, n_b) * (1 + _SLACK)), p.max_tasks)
    fine = last >= 2
    n_a, n_b, last = n_a[fine], n_b[fine], last[fine]
    fine = p.value(n_a, n_b, last) <= goal * (1 + _SLACK)
    n_a, n_b, last = n_a[fine], n_b[fine], last[fine]
    k = _first_tasks(p, goal, (n_a, n_b), last)
    value, cost = p.value(n_a, n_b, k), k * p.cost(n_a, n_b)
    near_cheapest = np.flatnonzero(cost <= cost.min(initial=np.inf) * (1 + _SLACK))
    if not near_cheapest.size:
        return incumbent
    i = near_cheapest[
        np.lexsort((n_b[near_cheapest], n_a[near_cheapest], value[near_cheapest]))[0]
    ]
    return BestDesign(
        runs_a=float(n_a[i]),
        runs_b=float(n_b[i]),
        tasks=float(k[i]),
        value=float(value[i]),
        cost=float(cost[i]),
    )
