"""Repeating one task: chance that two runs disagree, that the next flips, what a sweep shows.

Everything here treats the runs of a task as independent trials of one success rate. That is
an assumption: runs that share a seed, a cache or a server day repeat themselves more than
the task would.
"""

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar.stats._blocks import map_blocks

__all__ = ["flip_rate", "next_flip", "runs_to_see", "sweep_bound"]

_SLACK = 1e-12
"""Relative rounding forgiven before one more run is asked for."""


def _check_runs(n: Array, c: Array, least: int) -> None:
    checks.within("n", n, (least, np.inf), f"at least {least} run{'s'[: least - 1]}")
    checks.at_most(c, n, "c", "at most n")


def flip_rate(n: FloatLike, c: FloatLike) -> Array:
    """Unbiased estimate of the chance that two runs of a task disagree.

    2 c (n - c) / (n (n - 1)), the share of pairs of runs with different outcomes; its
    expectation is 2 p (1 - p), twice the variance of one run.

    Parameters
    ----------
    n, c
        Runs and successes among them, whole numbers with n ≥ 2 and 0 ≤ c ≤ n.

    Returns
    -------
    Array
        Proportion; 0 when all runs agree. It may exceed ½, the most that 2 p (1 - p) can be.
        Inputs broadcast.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    >>> round(float(flip_rate(4, 1)), 6)
    0.5
    """
    checks.counts(n=n, c=c)

    def block(runs: Array, wins: Array) -> Array:
        _check_runs(runs, wins, 2)
        return 2 * wins * (runs - wins) / (runs * (runs - 1))

    return map_blocks(block, n, c)


def next_flip(n: FloatLike, c: FloatLike) -> Array:
    """Chance that the next run differs from the majority of the runs so far.

    (min(c, n - c) + 1/2) / (n + 1): the predictive probability under Jeffreys' prior
    Beta(1/2, 1/2) for the success rate of this one task.

    Parameters
    ----------
    n, c
        Runs and successes among them, whole numbers with n ≥ 1 and 0 ≤ c ≤ n.

    Returns
    -------
    Array
        Probability. Never 0, for no number of runs proves a task stable; 1/2 when the runs are
        split evenly. Inputs broadcast.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    Four runs of four passed; the fifth fails with a chance of one in ten.

    >>> float(next_flip(4, 4))
    0.1
    """
    checks.counts(n=n, c=c)

    def block(runs: Array, wins: Array) -> Array:
        _check_runs(runs, wins, 1)
        return (np.minimum(wins, runs - wins) + 0.5) / (runs + 1)

    return map_blocks(block, n, c)


def runs_to_see(rate: FloatLike, *, conf: FloatLike = 0.95) -> Array:
    """Whole runs after which a failure of a given rate has shown with probability ``conf``.

    Smallest n with 1 - (1 - rate)^n ≥ conf.

    Parameters
    ----------
    rate
        Chance that one run fails, in [0, 1].
    conf
        Wanted probability of at least one failure, in (0, 1).

    Returns
    -------
    Array
        Runs, at least 1; ``inf`` for a rate of 0. Inputs broadcast.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    >>> float(runs_to_see(0.05))
    59.0
    """
    checks.fraction("conf", conf)
    log_unseen = np.log1p(-np.asarray(conf, dtype=np.float64)) * (1 - _SLACK)

    def block(failure: Array, unseen: Array) -> Array:
        checks.probability("rate", failure)
        with np.errstate(divide="ignore"):
            needed = np.ceil(unseen / np.log1p(-failure))
        return np.maximum(needed, 1.0, out=needed)

    return map_blocks(block, rate, log_unseen)


def sweep_bound(runs: FloatLike, *, conf: FloatLike = 0.95) -> Array:
    """Largest failure rate that a clean sweep of ``runs`` runs leaves possible.

    1 - (1 - conf)^(1 / runs), the exact one-sided upper limit after no failure at all; about
    3 / runs at 95 %.

    Parameters
    ----------
    runs
        Runs, all successful, a whole number of at least 1. For k tasks of n runs each give
        k n: the bound is then one on the failure rate averaged over those tasks, because a
        sweep has probability Π (1 - p_i)^n ≤ (1 - mean p)^(k n) (AM–GM). A single task may
        fail more often; over tasks not run it says nothing.
    conf
        Coverage, in (0, 1), one-sided.

    Returns
    -------
    Array
        Proportion; ``conf`` itself after one run. Inputs broadcast.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    >>> round(float(sweep_bound(30)), 4)
    0.095
    """

    def block(clean: Array, level: Array) -> Array:
        checks.counts(runs=clean)
        checks.require(clean >= 1, "runs", "at least 1", clean)
        checks.fraction("conf", level)
        return 0.0 - np.expm1(np.log1p(-level) / clean)

    return map_blocks(block, runs, conf)
