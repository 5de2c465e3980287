"""What one run shares over all tasks (a seed, a server): its variance and a test that it is 0.

Two-way layout without replication, tasks x runs in complete blocks. The runs of a task are
exchangeable if a run shares nothing, whatever the law of the scores; so the test permutes them
within tasks. A task whose runs are all equal says nothing in it.
"""

from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from scipy import special

from nstar._base.types import Array, Interval
from nstar.stats._task_runs import above_least
from nstar.stats.mcnemar import P_FLOOR

_DRAWS = 9_999
_EXCEEDED = 100
"""Draws at least as extreme after which no more are needed: p is then far from small."""
_BATCH = 1 << 18
"""Scores permuted together."""
_MANY = 10_000
"""Scores beyond which the F law stands in for the permutations."""
_TIE = 1 - 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunEffect:
    """Effect of a run on all tasks alike."""

    raw: float
    """Its variance, unbiased, so possibly negative."""
    p: float
    """p-value of none."""
    ci: Interval
    """Limits for the variance."""
    residual: Array
    """Each task's part of the variance that is left."""


def run_effect(table: Array, within: float, conf: float) -> RunEffect:
    """The effect of the columns of a complete table, tasks x runs, of known variance within."""
    k, n = table.shape
    steps = above_least(table)
    of_runs = steps.mean(axis=0)
    rest = steps - steps.mean(axis=1, keepdims=True) - of_runs + of_runs.mean()
    residual = np.square(rest).sum(axis=1) * k / ((n - 1) * (k - 1))
    error, shared = float(residual.mean()), k * float(of_runs.var(ddof=1))
    return RunEffect(
        raw=within - error,
        p=_pvalue(steps[steps.max(axis=1) > 0]),
        ci=_limits(shared, error, k, n, conf),
        residual=residual,
    )


def _limits(shared: float, error: float, k: int, n: int, conf: float) -> Interval:
    """Tukey's and Williams's interval, for normal runs."""
    df, df_error = n - 1, (n - 1) * (k - 1)
    ends = []
    for p in ((1 + conf) / 2, (1 - conf) / 2):
        noise = error * special.fdtri(df, df_error, p)
        ends.append(df * (shared - noise) / (k * special.chdtri(df, 1 - p)))
    low, high = (max(float(end), 0.0) for end in ends)
    return Interval(low, high)


def _unevenness(sums: Array) -> Array:
    """What is compared: the sum of squared run totals, which rises with F and F alone."""
    return np.asarray(np.square(sums).sum(axis=-1))


def _pvalue(rows: Array) -> float:
    """Permutation p of tasks whose runs differ: by all permutations if they are few."""
    m, n = rows.shape
    if m < 2:
        return 1.0
    if rows.size > _MANY:
        return _f_pvalue(rows)
    bar = float(_unevenness(rows.sum(axis=0))) * _TIE
    if factorial(n) ** (m - 1) <= _DRAWS:
        return float((_unevenness(_all_sums(rows)) >= bar).mean())
    rows = np.sort(rows, axis=1)  # the answer must not depend on the order of tasks or runs
    return _drawn_pvalue(rows[np.lexsort(rows.T)], bar)


def _all_sums(rows: Array) -> Array:
    """Run totals under all permutations; the first task can keep its order."""
    orders = np.array(list(permutations(range(rows.shape[1]))))
    sums = rows[:1]
    for row in rows[1:]:
        sums = (sums[:, None] + row[orders]).reshape(-1, rows.shape[1])
    return sums


def _drawn_pvalue(rows: Array, bar: float) -> float:
    """(r + 1) / (B + 1), or h / l if the h-th exceedance comes as early as draw l.

    Both are valid (Besag & Clifford 1991).
    """
    rng = np.random.default_rng(0)
    batch = max(_BATCH // rows.size, 1)
    exceeded = 0
    for start in range(0, _DRAWS, batch):
        size = (min(batch, _DRAWS - start), *rows.shape)
        sums = rng.permuted(np.broadcast_to(rows, size), axis=2).sum(axis=1)
        hits = np.flatnonzero(_unevenness(sums) >= bar)
        if exceeded + hits.size >= _EXCEEDED:
            return _EXCEEDED / (start + int(hits[_EXCEEDED - exceeded - 1]) + 1)
        exceeded += hits.size
    return (exceeded + 1) / (_DRAWS + 1)


def _f_pvalue(rows: Array) -> float:
    m, n = rows.shape
    shared = float(rows.mean(axis=0).var(ddof=1))
    error = float(rows.var(axis=1, ddof=1).mean()) - shared
    ratio = (m - 1) * shared / max(error, 1e-14 * shared)
    return max(float(special.fdtrc(n - 1, (n - 1) * (m - 1), ratio)), P_FLOOR)
