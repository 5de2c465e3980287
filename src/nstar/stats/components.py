"""Variance components of repeated runs: between tasks, within a task, and shared by a run.

Estimates use the method of moments. They are therefore unbiased for any distribution of scores,
and the estimate of a variance can be negative. Tasks are the units of the intervals.
"""

from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Interval
from nstar.stats._task_limits import unseen_noise, variance_limits, within_limits
from nstar.stats._task_runs import TaskRuns, above_least, run_table, task_runs, task_runs_pair
from nstar.stats.mcnemar import P_FLOOR

__all__ = ["RunComponents", "VarianceComponents", "run_components", "variance_components"]


_DRAWS = 9_999
_EXCEEDED = 100
"""Number of draws at least as extreme after which sampling stops, because p is not small."""
_BATCH = 1 << 18
"""Number of scores that are permuted at a time."""
_MAX_SCORES_PERMUTED = 10_000
"""Number of scores above which the F distribution replaces the permutations."""
_TIE = 1 - 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _RunEffect:
    """Effect of a run on all tasks."""

    raw: float
    """Unbiased variance of the effect, possibly negative."""
    p: float
    """p-value for the null hypothesis of no effect."""
    ci: Interval
    """Limits for the variance."""
    residual: Array
    """Residual part of the variance of each task."""


def _run_effect(table: Array, within: float, conf: float) -> _RunEffect:
    """Estimate the effect of the columns of a complete table, tasks x runs.

    ``within`` is the known variance within tasks. If a run (a seed, a server) has no effect that
    tasks share, the runs of a task are exchangeable for any distribution of the scores. The test
    therefore permutes runs within tasks. A task whose runs are all equal does not change under any
    permutation. It contains no information and is left out of the test.
    """
    k, n = table.shape
    steps = above_least(table)
    of_runs = steps.mean(axis=0)
    rest = steps - steps.mean(axis=1, keepdims=True) - of_runs + of_runs.mean()
    residual = np.square(rest).sum(axis=1) * k / ((n - 1) * (k - 1))
    error, shared = float(residual.mean()), k * float(of_runs.var(ddof=1))
    return _RunEffect(
        raw=within - error,
        p=_pvalue(steps[steps.max(axis=1) > 0]),
        ci=_limits(shared, error, k, n, conf),
        residual=residual,
    )


def _limits(shared: float, error: float, k: int, n: int, conf: float) -> Interval:
    """Return Tukey's and Williams's interval, for normal runs."""
    df, df_error = n - 1, (n - 1) * (k - 1)
    ends = []
    for p in ((1 + conf) / 2, (1 - conf) / 2):
        noise = error * special.fdtri(df, df_error, p)
        ends.append(df * (shared - noise) / (k * special.chdtri(df, 1 - p)))
    low, high = (max(float(end), 0.0) for end in ends)
    return Interval(low, high)


def _unevenness(sums: Array) -> Array:
    """Return the test statistic: the sum of squared run totals, which is monotone in F."""
    return np.asarray(np.square(sums).sum(axis=-1))


def _pvalue(rows: Array) -> float:
    """Return the permutation p-value of tasks whose runs differ.

    All permutations are used if there are few.
    """
    m, n = rows.shape
    if m < 2:
        return 1.0
    if rows.size > _MAX_SCORES_PERMUTED:
        return _f_pvalue(rows)
    bar = float(_unevenness(rows.sum(axis=0))) * _TIE
    if factorial(n) ** (m - 1) <= _DRAWS:
        return float((_unevenness(_all_sums(rows)) >= bar).mean())
    rows = np.sort(rows, axis=1)  # the result must not depend on the order of tasks or runs
    return _drawn_pvalue(rows[np.lexsort(rows.T)], bar)


def _all_sums(rows: Array) -> Array:
    """Return run totals under all permutations. The order of the first task can be fixed."""
    orders = np.array(list(permutations(range(rows.shape[1]))))
    sums = rows[:1]
    for row in rows[1:]:
        sums = (sums[:, None] + row[orders]).reshape(-1, rows.shape[1])
    return sums


def _drawn_pvalue(rows: Array, bar: float) -> float:
    """Return (r + 1) / (B + 1), or h / l if the h-th exceedance occurs as early as draw l.

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunComponents:
    """Mean score of one model over tasks, and the components of its variance.

    Values are in score units and their squares. Components that are not identified are None.
    """

    mean: float
    """Mean over tasks of the mean over runs."""
    sigma_task2_raw: float | None
    """Unbiased variance over tasks of the true mean score, whatever effect runs share. It may be
    negative. None if no task has two runs.
    """
    sigma_task2: float | None
    """The same variance for planning, which is at least 0, like sigma_run2."""
    sigma_w2: float | None
    """Run-to-run variance within a task, averaged over tasks. For 0/1 scores, it is half the
    probability that two runs disagree. It includes effects that a run shares over all tasks. None
    if no task has two runs.
    """
    sigma_run2_raw: float | None
    """Part of sigma_w2 that one run shares over all tasks (a seed, a server). It is unbiased and
    may be negative. None unless every task has all of two or more runs.
    """
    sigma_run2: float | None
    """The same variance, at least 0 and at most sigma_w2."""
    run_p: float | None
    """p-value for the null hypothesis of no such effect, by permuting the runs within tasks. It is
    exact for any scores if the runs of a task are then exchangeable. It is at least 1e-4 if
    permutations are drawn.
    """
    task_ci: Interval | None
    """Interval for sigma_task2, with tasks as units. Also None if all scores are equal and outside
    [0, 1], because the scale of the scores is then unknown.
    """
    within_ci: Interval | None
    """Interval for sigma_w2, with tasks as units, like that of
    :func:`nstar.stats.components_interval`.
    """
    run_ci: Interval | None
    """Interval for sigma_run2, with runs as units that are assumed to be normal."""
    k: int
    """Number of tasks."""
    n: float
    """Runs per task (harmonic mean over tasks)."""
    complete: bool
    """Whether every task has every run, so that run effects can be estimated."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VarianceComponents:
    """Mean difference over tasks with its variance components, in score units and squares."""

    delta: float
    """Mean over tasks of the difference of run means, first minus second."""
    var_delta: float
    """Unbiased variance of delta, s²_D / k."""
    sigma_b2_raw: float | None
    """Between-task variance of the true difference, which is unbiased and may be negative. None if
    either model has no task with two runs.
    """
    sigma_b2: float | None
    """The same variance for planning, which is at least 0. None if it is not identified."""
    sigma_wa2: float | None
    """Run-to-run variance within a task for the first model. None without repeated runs."""
    sigma_wb2: float | None
    """Run-to-run variance within a task for the second model. None without repeated runs."""
    n_a: float
    """Runs per task of the first model (harmonic mean over tasks)."""
    n_b: float
    """Runs per task of the second model (harmonic mean over tasks)."""
    k: int
    """Number of tasks."""


def _task_parts(
    runs: TaskRuns, effect: _RunEffect | None, conf: float
) -> tuple[float, float, Interval | None]:
    """Return the variance over tasks: unbiased, at least 0 for planning, and its limits."""
    assert runs.within is not None  # noqa: S101 asked for only then
    spread = float(runs.means.var(ddof=1))
    noise = runs.within if effect is None else effect.residual
    raw = spread - float(noise.mean()) / runs.n
    if effect is not None and effect.raw <= 0:
        noise = runs.within
    floored = max(spread - float(noise.mean()) / runs.n, 0.0)
    if runs.ends[0] == runs.ends[1]:
        return raw, floored, None
    ends = variance_limits(
        runs.means,
        [noise / runs.n],
        repeated=runs.repeated.size,
        unseen=unseen_noise(runs, conf) / runs.n,
        ends=runs.ends,
        bounded=runs.bounded,
        conf=conf,
    )
    return raw, floored, ends


def run_components(scores: FloatLike, *, blocks: bool = True, conf: float = 0.95) -> RunComponents:
    """Return the mean of one model over tasks, with its variance components.

    Parameters
    ----------
    scores : array_like
        Scores of shape (tasks, runs), for at least two tasks. NaN marks a missing run (missing at
        random). Every task needs at least one run.
    blocks : bool, default True
        Whether a column is one run of the whole benchmark. Only then, and without missing cells,
        can effects that a run shares be separated from the noise of a task.
    conf : float, default 0.95
        Coverage of the intervals, in (0, 1).

    Returns
    -------
    RunComponents
        Mean, variances, and intervals, in score units and their squares. With one run per task,
        only the mean is known. Components of shared run effects are None unless ``blocks`` is True
        and no run is missing.

    Notes
    -----
    sigma_task² = s²(task means) - (sigma_w² - sigma_run²) / n, because an effect that a run shares
    changes all means equally. The coverage of the intervals for 0/1 and graded scores is reported
    in docs/evidence/runs.md.

    References
    ----------
    Besag, Clifford (1991), Biometrika 78, for ``run_p``.
    Korn, Graubard (1998), Survey Methodology 24, 193–201, for ``within_ci``.
    Zou, Donner (2008), Stat. Med. 27, for ``task_ci``.
    Williams (1962), Biometrika 49, 278–281, for ``run_ci``.
    Methods: Repeated runs.

    Examples
    --------
    >>> c = run_components([[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> round(c.mean, 4), round(c.sigma_task2, 4), round(c.sigma_w2, 4)
    (0.5, 0.1389, 0.1667)
    """
    checks.fraction("conf", conf)
    table = run_table("scores", scores)
    runs = task_runs(table)
    complete = not np.isnan(table).any()
    followed = blocks and complete
    effect = raw = task2 = task_ci = within = None
    if runs.within is not None:
        within = float(runs.within.mean())
        effect = _run_effect(table, within, conf) if followed else None
        raw, task2, task_ci = _task_parts(runs, effect, conf)
    return RunComponents(
        mean=float(runs.means.mean()),
        sigma_task2_raw=raw,
        sigma_task2=task2,
        sigma_w2=within,
        sigma_run2_raw=None if effect is None else effect.raw,
        sigma_run2=None if effect is None else max(effect.raw, 0.0),
        run_p=None if effect is None else effect.p,
        task_ci=task_ci,
        within_ci=within_limits(runs, conf),
        run_ci=None if effect is None else effect.ci,
        k=runs.means.size,
        n=runs.n,
        complete=complete,
    )


def variance_components(a: FloatLike, b: FloatLike) -> VarianceComponents:
    """Return the mean difference over tasks with its between- and within-task variance components.

    The method of moments is used. Within-task variances are averages over tasks of the runs'
    variance (ddof 1), and sigma_b² = s²_D - sigma_wa² / n_a - sigma_wb² / n_b.

    Parameters
    ----------
    a, b : array_like
        Scores of shape (tasks, runs) on the same tasks in the same order, for at least two tasks.
        The models may have different numbers of runs. NaN marks a missing run (missing at random).
        Every task needs at least one run of each model. If runs are missing, n_a and n_b are
        harmonic means.

    Returns
    -------
    VarianceComponents
        Gap and variances, in score units and their squares. With one run per task, the
        between-task and within-task parts cannot be separated and are None, but delta and
        var_delta are valid.

    References
    ----------
    Methods: Repeated runs.

    Examples
    --------
    >>> v = variance_components([[1, 0, 1], [1, 1, 1], [0, 0, 1]], [[0, 1], [1, 0], [0, 0]])
    >>> round(v.delta, 4), round(v.var_delta, 4), round(v.sigma_wa2, 4), round(v.sigma_b2, 4)
    (0.3333, 0.0093, 0.2222, 0.0)
    """
    first, second = task_runs_pair(a, b)
    within_a, within_b = first.within, second.within
    d = first.means - second.means
    spread = float(d.var(ddof=1))
    raw = None
    if within_a is not None and within_b is not None:
        raw = spread - float(within_a.mean() / first.n + within_b.mean() / second.n)
    return VarianceComponents(
        delta=float(d.mean()),
        var_delta=spread / d.size,
        sigma_b2_raw=raw,
        sigma_b2=None if raw is None else max(raw, 0.0),
        sigma_wa2=None if within_a is None else float(within_a.mean()),
        sigma_wb2=None if within_b is None else float(within_b.mean()),
        n_a=first.n,
        n_b=second.n,
        k=d.size,
    )
