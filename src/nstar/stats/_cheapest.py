"""Whole tasks and runs that reach a goal for the least money: exact, near a design that does.

For endless tasks the factor of :class:`nstar.stats._allocate.Problem` is least, which bounds the
tasks that a pair of runs needs, and so its cost, from below. Pairs that could still be cheaper
than the design at hand are few; for each of them the tasks are found by halving.
"""

import numpy as np

from nstar._base.types import Array
from nstar.stats._allocate import Best, Problem

_MANY = 1 << 16
"""Pairs of runs above which they are not looked at one by one."""
_ENDLESS = 1e15
_SLACK = 1e-12


def _pairs(p: Problem, goal: float, cost: float) -> tuple[Array, Array] | None:
    """Runs of both models that may reach the goal for less; None if they are too many."""
    c_a, c_b = p.run
    tasks = goal / float(p.factor(np.asarray(_ENDLESS)))
    dearest = cost / 2 - c_b
    if p.between * dearest > cost * tasks:
        dearest = cost * tasks / p.between
    top = (dearest - p.task) / c_a
    if top > _MANY:
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
    if sizes.sum() > _MANY:
        return None
    block = np.repeat(np.arange(sizes.size), sizes.astype(np.intp))
    before = (np.cumsum(sizes) - sizes)[block]
    return n_a[block], low[block] + np.arange(block.size) - before


def _first_tasks(p: Problem, goal: float, runs: tuple[Array, Array], last: Array) -> Array:
    """Fewest tasks that reach the goal, by halving; ``last`` does."""
    first = np.full_like(last, 2.0)
    while (first < last).any():
        middle = np.floor((first + last) / 2)
        enough = p.value(*runs, middle) <= goal * (1 + _SLACK)
        last = np.where(enough, middle, last)
        first = np.where(enough, first, middle + 1)
    return last


def cheaper(p: Problem, goal: float, held: Best) -> Best | None:
    """The cheapest design with a value of at most ``goal``; None if too many would be tried.

    Parameters
    ----------
    p
        The problem; its budget does not matter.
    goal
        Largest value allowed.
    held
        A design that reaches it.
    """
    found = _pairs(p, goal, held.cost * (1 + _SLACK))
    if found is None:
        return None
    n_a, n_b = found
    last = np.minimum(np.floor(held.cost / p.cost(n_a, n_b) * (1 + _SLACK)), p.max_tasks)
    fine = last >= 2
    n_a, n_b, last = n_a[fine], n_b[fine], last[fine]
    fine = p.value(n_a, n_b, last) <= goal * (1 + _SLACK)
    n_a, n_b, last = n_a[fine], n_b[fine], last[fine]
    k = _first_tasks(p, goal, (n_a, n_b), last)
    value, cost = p.value(n_a, n_b, k), k * p.cost(n_a, n_b)
    near = np.flatnonzero(cost <= cost.min(initial=np.inf) * (1 + _SLACK))
    if not near.size:
        return held
    i = near[np.lexsort((n_b[near], n_a[near], value[near]))[0]]
    return Best(
        runs_a=float(n_a[i]),
        runs_b=float(n_b[i]),
        tasks=float(k[i]),
        value=float(value[i]),
        cost=float(cost[i]),
    )
