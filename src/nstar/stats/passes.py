"""Unbiased pass@k and pass^k of repeated runs, with curves and intervals over tasks."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, IntArray
from nstar.stats._blocks import map_blocks
from nstar.stats._task_limits import mean_limits

__all__ = [
    "PassCurve",
    "PassKind",
    "pass_at_k",
    "pass_at_k_plugin",
    "pass_curve",
    "pass_hat_k",
]

_LOOP = 4096
"""Largest number of factors that pass@k multiplies one by one, before it uses log gamma
differences."""

PassKind: TypeAlias = Literal["at", "hat"]
"""pass@k (at least one of k runs succeeds) or pass^k (all of them do)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassCurve:
    """pass@k or pass^k, as proportions, for every k that the runs allow."""

    k: IntArray
    """Number of runs allowed (pass@k) or required (pass^k), from 1 to the fewest runs of any
    task.
    """
    estimate: Array
    """Mean over tasks of the unbiased estimates."""
    low: Array
    """Lower limit of the interval over tasks."""
    high: Array
    """Upper limit."""
    tasks: int
    """Number of tasks, the unit of the interval."""


def _check_passes(n: Array, c: Array, k: Array) -> None:
    checks.counts(n=n, c=c, k=k)
    checks.require(n >= 1, "n", "at least 1 run", n)
    checks.require(c <= n, "c", "at most n", c)
    checks.require(k >= 1, "k", "at least 1", k)


def _log_avoid(n: Array, marked: Array, k: Array) -> Array:
    """Return the log probability that k of n runs drawn without replacement avoid the marked ones.

    The product of 1 - max / (n - i) over i < min, with min and max of (marked, k): short
    and free of cancellation, unlike differences of log gamma.
    """
    smaller, larger = np.minimum(marked, k), np.maximum(marked, k)
    possible = smaller + larger <= n
    out = np.where(possible, 0.0, -np.inf)
    short = possible & (smaller <= _LOOP)
    steps = int(smaller[short].max()) if short.any() else 0
    for i in range(steps):
        on = short & (smaller > i)
        out[on] += np.log1p(-larger[on] / (n[on] - i))
    rest = possible & ~short
    x, f, m = n[rest], smaller[rest], larger[rest]
    out[rest] = (
        special.gammaln(x - m + 1)
        - special.gammaln(x - m - f + 1)
        - special.gammaln(x + 1)
        + special.gammaln(x - f + 1)
    )
    return out


def pass_at_k(n: FloatLike, c: FloatLike, k: FloatLike) -> Array:
    """Return the unbiased estimate of pass@k, the probability that any of k runs succeeds.

    1 - C(n - c, k) / C(n, k) from c successes in n runs, as a product that keeps full precision
    for large n.

    Parameters
    ----------
    n, c : array_like
        Numbers of runs and of successes, whole numbers with 0 ≤ c ≤ n.
    k : array_like
        Runs allowed, 1 ≤ k ≤ n: more than was run cannot be estimated without bias.

    Returns
    -------
    Array
        Proportion: 0 without a success, 1 with fewer than k failures. Inputs broadcast.

    References
    ----------
    Chen et al. (2021), arXiv:2107.03374.
    Methods: Repeated runs

    Examples
    --------
    >>> round(float(pass_at_k(10, 3, 5)), 6)
    0.916667
    """

    def block(runs: Array, wins: Array, tries: Array) -> Array:
        _check_passes(runs, wins, tries)
        checks.require(tries <= runs, "k", "at most n", tries)
        return 0.0 - np.expm1(_log_avoid(runs, wins, tries))

    return map_blocks(block, n, c, k)


def pass_hat_k(n: FloatLike, c: FloatLike, k: FloatLike) -> Array:
    """Return the unbiased estimate of pass^k, the probability that all of k runs succeed.

    C(c, k) / C(n, k) from c successes in n runs.

    Parameters
    ----------
    n, c : array_like
        Numbers of runs and of successes, whole numbers with 0 ≤ c ≤ n.
    k : array_like
        Runs that must all succeed, 1 ≤ k ≤ n.

    Returns
    -------
    Array
        Proportion: 0 with fewer than k successes, 1 without a failure. Inputs broadcast.

    References
    ----------
    Yao et al. (2024), τ-bench, arXiv:2406.12045.
    Methods: Repeated runs

    Examples
    --------
    >>> round(float(pass_hat_k(5, 3, 3)), 6)
    0.1
    """

    def block(runs: Array, wins: Array, tries: Array) -> Array:
        _check_passes(runs, wins, tries)
        checks.require(tries <= runs, "k", "at most n", tries)
        return np.exp(_log_avoid(runs, runs - wins, tries))

    return map_blocks(block, n, c, k)


def pass_at_k_plugin(n: FloatLike, c: FloatLike, k: FloatLike) -> Array:
    """Return the plug-in estimate of pass@k, which is biased downward, for comparison only.

    The estimate is 1 - (1 - c / n)^k. Its bias is -0.066 for n = 20, k = 8, and a success rate of
    1/8. Use :func:`pass_at_k` instead.

    Parameters
    ----------
    n, c : array_like
        Numbers of runs and of successes, whole numbers with 0 ≤ c ≤ n.
    k : array_like
        Runs allowed, a whole number of at least 1; it may exceed n.

    Returns
    -------
    Array
        Proportion: 0 without a success, 1 without a failure. Inputs broadcast.

    References
    ----------
    Chen et al. (2021), arXiv:2107.03374.
    Methods: Repeated runs

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


def pass_curve(
    n: FloatLike, c: FloatLike, *, kind: PassKind = "at", conf: float = 0.95
) -> PassCurve:
    """Return pass@k or pass^k of a set of tasks for each k, with intervals over tasks.

    The mean over tasks of :func:`pass_at_k` or :func:`pass_hat_k`. The interval is for tasks
    like these (the task is the unit), not for these very tasks run again.

    Parameters
    ----------
    n, c : array_like
        Runs and successes of each task, whole numbers with n ≥ 1 and 0 ≤ c ≤ n, one axis; ``n``
        may be one number for all.
    kind : {"at", "hat"}, default "at"
        ``"at"`` (at least one of k runs succeeds) or ``"hat"`` (all of k runs succeed).
    conf : float, default 0.95
        Coverage of each interval, in (0, 1). It is pointwise and not for the whole curve.

    Returns
    -------
    PassCurve
        Proportions by k. All intervals have a positive width, even if all tasks agree.

    References
    ----------
    Chen et al. (2021), arXiv:2107.03374.
    Yao et al. (2024), τ-bench, arXiv:2406.12045.
    Korn and Graubard (1998), Survey Methodology 24.
    Methods: Repeated runs

    Examples
    --------
    >>> curve = pass_curve(4, [4, 3, 0, 1, 4], kind="hat")
    >>> curve.k.tolist(), curve.estimate.round(3).tolist()
    ([1, 2, 3, 4], [0.6, 0.5, 0.45, 0.4])
    """
    checks.choice("kind", kind, ("at", "hat"))
    runs, wins = np.broadcast_arrays(np.asarray(n), np.asarray(c))
    checks.require(wins.ndim == 1, "number of axes of c", "1, tasks", wins.ndim)
    checks.require(wins.size >= 1, "tasks", "at least 1", wins.size)
    checks.counts(n=runs)
    checks.require(runs >= 1, "n", "at least 1 run", runs)
    checks.fraction("conf", conf)
    k = np.arange(1, int(runs.min()) + 1)
    per_task = pass_at_k if kind == "at" else pass_hat_k
    values = per_task(runs[:, None], wins[:, None], k)
    low, high = mean_limits(values, conf=conf)
    return PassCurve(k=k, estimate=values.mean(axis=0), low=low, high=high, tasks=wins.size)
