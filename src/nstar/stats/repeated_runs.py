"""Repeated runs of one task: disagreement of runs, next outcome, and bounds from clean sweeps.

All functions treat the runs of a task as independent trials with one success rate. Runs that share
a seed, a cache, or a server state are more similar than this assumption implies.
"""

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar.stats._blocks import map_blocks

__all__ = ["flip_rate", "runs_to_see", "sweep_bound"]

_SLACK = 1e-12
"""Relative rounding error that does not add another run."""


def _check_runs(n: Array, c: Array, min_runs: int) -> None:
    checks.within("n", n, (min_runs, np.inf), f"at least {min_runs} run{'s'[: min_runs - 1]}")
    checks.at_most(c, n, "c", "at most n")


def flip_rate(n: FloatLike, c: FloatLike) -> Array:
    """Return the unbiased estimate of the probability that two runs of a task disagree.

    2 c (n - c) / (n (n - 1)), the share of pairs of runs with different outcomes; its expectation
    is 2 p (1 - p), twice the variance of one run.

    Parameters
    ----------
    n, c : array_like
        Numbers of runs and of successes, whole numbers with n ≥ 2 and 0 ≤ c ≤ n.

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
    """Return the probability that the next run differs from the majority of the runs so far.

    (min(c, n - c) + 1/2) / (n + 1): the predictive probability under Jeffreys' prior Beta(1/2,
    1/2) for the success rate of this one task. It is never 0, because no number of runs proves
    that a task is stable.
    """
    checks.counts(n=n, c=c)

    def block(runs: Array, wins: Array) -> Array:
        _check_runs(runs, wins, 1)
        return (np.minimum(wins, runs - wins) + 0.5) / (runs + 1)

    return map_blocks(block, n, c)


def runs_to_see(rate: FloatLike, *, conf: FloatLike = 0.95) -> Array:
    """Return the number of runs in which a failure occurs with probability ``conf``.

    Smallest n with 1 - (1 - rate)^n ≥ conf.

    Parameters
    ----------
    rate : array_like
        Probability that a run fails, in [0, 1].
    conf : array_like, default 0.95
        Target probability of at least one failure, in (0, 1).

    Returns
    -------
    Array
        Number of runs, at least 1. It is ``inf`` for a rate of 0. Inputs broadcast.

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
    """Return the upper limit of the failure rate after ``runs`` runs without failure.

    1 - (1 - conf)^(1 / runs), the exact one-sided upper limit after no failure at all; about 3 /
    runs at 95%.

    Parameters
    ----------
    runs : array_like
        Runs, all successful, a whole number of at least 1. For k tasks of n runs each give k n:
        the bound is then one on the failure rate averaged over those tasks, because a sweep has
        probability Π (1 - p_i)^n ≤ (1 - mean p)^(k n) (AM–GM). A single task may fail more often;
        over tasks not run it says nothing.
    conf : array_like, default 0.95
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


def _check_rule(needed: int, runs: int) -> None:
    checks.counts(needed=needed, runs=runs)
    checks.require(runs >= 1, "runs", "at least 1", runs)
    checks.require(1 <= needed <= runs, "needed", f"in 1 … runs = {runs}", needed)


def rule_failure(p: FloatLike, *, needed: int, runs: int) -> Array:
    """Return the probability that a task misses a rule such as "4 of 5 runs pass".

    P(X < needed) of X ~ Bin(runs, p), exact.
    """
    _check_rule(needed, runs)

    def block(rate: Array) -> Array:
        checks.probability("p", rate)
        out: Array = special.bdtr(needed - 1, runs, rate)
        return out

    return map_blocks(block, p)


def next_rule_failure(
    n: FloatLike, c: FloatLike, *, needed: int, runs: int, prior: tuple[float, float] = (0.5, 0.5)
) -> Array:
    """Return the probability that a task that passed c of n runs misses the rule in new runs.

    P(X < needed) of X beta-binomial: the success rate has the posterior Beta(a + c, b + n - c).
    """
    _check_rule(needed, runs)
    for name, value in zip(("prior a", "prior b"), prior, strict=True):
        checks.positive(name, value)
    checks.counts(n=n, c=c)

    def block(so_far: Array, wins: Array) -> Array:
        _check_runs(so_far, wins, 0)
        a, b = prior[0] + wins, prior[1] + so_far - wins
        total = np.zeros_like(a)
        for x in range(needed):
            ways = special.gammaln(runs + 1) - special.gammaln(x + 1)
            ways -= special.gammaln(runs - x + 1)
            total += np.exp(ways + special.betaln(a + x, b + runs - x) - special.betaln(a, b))
        return np.minimum(total, 1.0)

    return map_blocks(block, n, c)
