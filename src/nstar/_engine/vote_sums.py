"""Sums over votes on workers: Newton steps of a fit, and group sums of scores.

Votes are split into parts that depend only on the votes, and sums are added in the order of the
parts. Results are therefore independent of the workers. A group is never split.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import add

import numpy as np

from nstar import stats
from nstar._base.parameter_types import TiesAs
from nstar._base.types import Array, IntArray
from nstar._engine.work import WorkerPool, reduce_in_order
from nstar.stats._vote_corrections import (
    adjusted_cluster_meat,
    cluster_df,
    cluster_share_df,
    leverage_meat,
    pseudo_vote_meat,
)
from nstar.stats._votes import VoteRows, VoteSums, newton, pooled, with_prior
from nstar.stats.bradley_terry import bradley_terry_sums
from nstar.stats.davidson import davidson_sums
from nstar.stats.vote_errors import vote_sandwich

_PART = 1 << 18
"""Number of votes in a part."""
_EXACT_GROUPS = 500
_EXACT_WORK = 100_000_000
"""Limit on the number of groups, and on groups times parameters³, for exact degrees of freedom.
The computation then takes about a second.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupErrors:
    """Errors of all parameters, estimated from groups of votes."""

    cov: Array
    """Covariance of the parameters in squared log odds, strengths first, (P, P)."""
    df: Array
    """Degrees of freedom of each parameter, (P,). For strengths, those of the distance from the
    mean.
    """
    groups: int
    """Number of groups."""


def _parts(size: int, ends: IntArray | None = None) -> Iterator[slice]:
    """Split ``size`` votes into parts. With ``ends``, split only at these positions."""
    start = 0
    while start < size:
        stop = min(start + _PART, size)
        if ends is not None:
            stop = int(ends[np.searchsorted(ends, stop)])
        yield slice(start, stop)
        start = stop


def _sums(rows: VoteRows, theta: Array, ties: TiesAs) -> VoteSums:
    by = davidson_sums if ties == "davidson" else bradley_terry_sums
    return by(rows, theta)


def fitted(rows: VoteRows, *, ties: TiesAs, prior: float, workers: WorkerPool) -> stats.VoteFit:
    """Fit strengths and shared effects, in this process for few rows, else on the workers."""
    rows = rows if ties == "davidson" else pooled(rows)
    if len(rows) <= _PART:
        fit = stats.davidson_fit if ties == "davidson" else stats.bradley_terry_fit
        return fit(rows, prior=prior)
    all_rows = with_prior(rows, prior)
    shared = all_rows.covariates.shape[1] + (ties == "davidson")

    def sums(theta: Array) -> VoteSums:
        at = workers.share(theta)
        jobs = ((all_rows.part(selection), at, ties) for selection in _parts(len(all_rows)))
        return reduce_in_order(workers.ordered(_sums, jobs), add)

    theta, last, steps = newton(sums, all_rows.models, shared)
    m, tie = all_rows.models, ties == "davidson"
    return stats.VoteFit(
        strengths=theta[:m],
        effects=theta[m : len(theta) - tie],
        log_tie=float(theta[-1]) if tie else None,
        information=last.information,
        steps=steps,
    )


def single(rows: VoteRows, fit: stats.VoteFit) -> Array:
    """Return the covariance of all parameters for independent votes.

    All votes of a row have the same weight.
    """
    meat = leverage_meat(rows, fit) + pseudo_vote_meat(rows, fit)
    return vote_sandwich(fit.information, meat, models=rows.models)


def clustered(
    rows: VoteRows, fit: stats.VoteFit, codes: IntArray, *, workers: WorkerPool
) -> GroupErrors:
    """Return the errors of all parameters for grouped votes.

    ``codes`` are whole numbers that are equal for votes of the same group.
    """
    order = np.argsort(codes, kind="stable")
    sorted_ = codes[order]
    ends = np.append(np.flatnonzero(sorted_[1:] != sorted_[:-1]) + 1, sorted_.size)
    at = workers.share(fit)

    def jobs() -> Iterator[tuple[VoteRows, stats.VoteFit, IntArray]]:
        for selection in _parts(order.size, ends):
            yield rows.part(order[selection]), at, sorted_[selection]

    by_group = reduce_in_order(workers.ordered(adjusted_cluster_meat, jobs()), add)
    meat = by_group + pseudo_vote_meat(rows, fit)
    cov = vote_sandwich(fit.information, meat, models=rows.models)
    groups, size = ends.size, len(cov)
    if groups <= _EXACT_GROUPS and groups * size**3 <= _EXACT_WORK:
        df = cluster_df(rows, fit, codes, np.eye(size))
    else:
        df = cluster_share_df(rows, fit, codes)
    return GroupErrors(cov=cov, df=df, groups=groups)
