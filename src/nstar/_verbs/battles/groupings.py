"""Groups of dependent votes: the covariance under a grouping, and the effect of each one."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._engine.vote_sums import clustered, single
from nstar._engine.work import WorkerPool
from nstar._verbs.battles.contrasts import (
    FEWEST_GROUPS,
    MOST_MODELS,
    Contrasts,
    GapErrors,
    contrasts,
)
from nstar._verbs.battles.design import VoteDesign, group_codes
from nstar._verbs.battles.question import BattlesQuestion
from nstar._verbs.battles.result import VoteGroups
from nstar.errors import DataError, arg
from nstar.stats._votes import definite

FEWEST = 5
"""Number of groups below which no error is computed from them."""
FEW = 10
"""Number of groups below which the error is approximate."""
FEW_DF = FEWEST - 1.0
"""Degrees of freedom of this number of groups if they are alike."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ParameterCovariance:
    """Covariance of all parameters under one grouping of the votes."""

    cov: Array
    """Covariance with strengths first, in squared log odds, (P, P)."""
    df: Array
    """Degrees of freedom of each parameter, (P,); infinite for independent votes."""
    groups: int | None
    """Number of groups, the smaller of two groupings; None for independent votes."""

    def of_strengths(self, order: IntArray) -> GapErrors:
        """Return the part of the strengths, in a given order."""
        cov = self.cov[np.ix_(order, order)]
        return GapErrors(cov=cov, df=self.df[order], groups=self.groups)


def independent(design: VoteDesign, fit: stats.VoteFit) -> ParameterCovariance:
    """Return the covariance for votes that share only their models."""
    # weights differ within a cell, and leverages with them
    rows = design.cells if design.votes.weight is None else design.rows
    cov = single(rows, fit)
    return ParameterCovariance(cov=cov, df=np.full(len(cov), np.inf), groups=None)


def _columns(design: VoteDesign, names: tuple[str, ...]) -> list[IntArray]:
    groups = design.votes.groups
    for name in names:
        if name not in groups:
            known = ", ".join(groups) or "none"
            msg = f"No group {name!r:.60} for {arg('cluster')}. Available: {known}."
            raise DataError(msg)
    return [group_codes(groups[name]) for name in names]


def together(
    design: VoteDesign, fit: stats.VoteFit, names: tuple[str, ...], workers: WorkerPool
) -> ParameterCovariance:
    """Return the covariance for votes that share prompts, judges, or both.

    Raise DataError if there are too few groups to estimate their variance.
    """
    codes = _columns(design, names)
    for name, code in zip(names, codes, strict=True):
        groups = int(code.max()) + 1
        if groups < FEWEST:
            msg = (
                f"{arg('cluster', name)} has {groups} groups; at least {FEWEST} are needed to "
                "estimate the variance between groups."
            )
            raise DataError(msg)
    parts = [clustered(design.rows, fit, code, workers=workers) for code in codes]
    cov, df = parts[0].cov, np.min([part.df for part in parts], axis=0)
    if len(parts) == 2:
        combined_codes = np.unique(
            codes[0] * (codes[1].max() + 1) + codes[1], return_inverse=True
        )[1]
        shared = clustered(design.rows, fit, combined_codes, workers=workers).cov
        cov = definite(parts[0].cov + parts[1].cov - shared)
    return ParameterCovariance(cov=cov, df=df, groups=min(part.groups for part in parts))


def _telling(design: VoteDesign) -> list[tuple[str, ...]]:
    """Return the groupings with repeated votes."""
    groups = design.votes.groups
    names = [name for name, g in groups.items() if 2 <= g.count < np.count_nonzero(g.codes >= 0)]
    return [(name,) for name in names]


def groupings_of(
    design: VoteDesign,
    fit: stats.VoteFit,
    question: BattlesQuestion,
    answer: tuple[ParameterCovariance, Contrasts],
    workers: WorkerPool,
) -> tuple[VoteGroups, ...]:
    """Analyze every grouping; the declared one is already in ``answer``."""
    single = independent(design, fit) if question.cluster else answer[0]
    groupings = _telling(design)
    if question.cluster and question.cluster not in groupings:
        groupings.append(question.cluster)
    return tuple(
        _grouped(design, fit, question, names, (single, answer), workers) for names in groupings
    )


def _grouped(
    design: VoteDesign,
    fit: stats.VoteFit,
    question: BattlesQuestion,
    names: tuple[str, ...],
    known: tuple[ParameterCovariance, tuple[ParameterCovariance, Contrasts]],
    workers: WorkerPool,
) -> VoteGroups:
    single, answer = known
    models = len(design.votes.models)
    counts = [design.votes.groups[name].count for name in names]
    largest = max(int(np.bincount(group_codes(design.votes.groups[name])).max()) for name in names)
    common: dict[str, Any] = {
        "columns": names,
        "n_groups": min(counts),
        "n_votes_largest": largest,
        "is_declared": names == question.cluster,
    }
    if min(counts) < FEWEST:
        return VoteGroups(design_effect=None, n_could_be_best=None, n_inconclusive=None, **common)
    declared = names == question.cluster
    spread = answer[0] if declared else together(design, fit, names, workers)
    if not declared and np.median(spread.df[:models]) < FEW_DF:
        return VoteGroups(design_effect=None, n_could_be_best=None, n_inconclusive=None, **common)
    pairs = np.stack(np.triu_indices(models, 1), axis=1)
    ratio = stats.resistance(spread.cov, pairs=pairs) / stats.resistance(single.cov, pairs=pairs)
    effect = float(np.median(ratio))
    has_few_groups = question.planned is not None and min(counts) < FEWEST_GROUPS
    if models > MOST_MODELS or has_few_groups:
        return VoteGroups(
            design_effect=effect, n_could_be_best=None, n_inconclusive=None, **common
        )
    order = np.argsort(-fit.strengths, kind="stable")
    pair_contrasts = answer[1]
    if not declared:
        errors, votes = spread.of_strengths(order), len(design.votes)
        pair_contrasts = contrasts(
            fit.strengths[order], errors, question, workers, votes=votes, aside=True
        )
    better = pair_contrasts.better(models)
    undecided = sum(not better[a, b] for a, b in pairwise(range(models)))
    first = int(np.count_nonzero(~better.any(axis=0)))
    return VoteGroups(
        design_effect=effect, n_could_be_best=first, n_inconclusive=undecided, **common
    )
