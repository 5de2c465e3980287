"""Pool of the items that every model has, in an order that does not depend on files.

The pool also contains how models differ on these items, and how much other models' scores explain.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.findings import Finding, find
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.sample import refuse_conflicts
from nstar._verbs.data_summary.finding_text import limits
from nstar._verbs.shrink.result import ModelVariances
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, ParameterError, arg
from nstar.stats import (
    cluster_sums,
    iid_variance,
    strata_variance,
)
from nstar.stats._subset import difficulty_strata
from nstar.stats.shrink import explained_by_others

FEWEST = 20
"""Minimum number of items in a subset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkQuestion:
    """Gap that the subset must detect, or its number of items."""

    resolve: float | None = None
    """Gap between two new models in the benchmark's own score that must be detectable, in score
    units. Exactly one of this and ``items`` is set.
    """
    items: int | None = None
    """Number of items of the subset."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level and power. The test is two-sided."""
    seed: int = 0
    """Random seed of the draw."""

    def __post_init__(self) -> None:
        if (self.resolve is None) == (self.items is None):
            msg = (
                f"Set either {arg('resolve', 0.01)} (gap to detect) or "
                f"{arg('items', 1000)} (subset size)."
            )
            raise ParameterError(msg)
        if self.resolve is not None:
            checks.positive("resolve", self.resolve)
            checks.finite("resolve", self.resolve)
        if self.items is not None:
            checks.counts(items=self.items)
            checks.require(self.items >= FEWEST, "items", f"at least {FEWEST}", self.items)
        checks.seed(self.seed)


MOST_MODELS = 100
"""Largest number of models whose scores are in memory. More models are sampled evenly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPool:
    """Items of one or several tasks that all models have, sorted by task and id."""

    keys: tuple[tuple[str, str], ...]
    """Task and id of each item."""
    total: Array
    """Sum of each item's score over all models, (N,), in score units."""
    models: int
    """Number of models in the sum."""
    scores: Array
    """Scores of the selected models, (M, N)."""
    limits: tuple[float, float]
    """Worst and best possible score."""
    findings: tuple[Finding, ...]
    """Findings about items that were left out."""


def pooled(matrices: Sequence[ScoreMatrix], chosen: Sequence[str] | None = None) -> ItemPool:
    """Return the items of all tasks that every model has.

    Raise DataError or ParameterError if fewer than two models have all tasks, too few items have
    scores of all models, or the scores are from a judge.
    """
    for matrix in matrices:
        refuse_conflicts(matrix)
        if matrix.correction is not None:
            msg = (
                "Judge scores that are corrected by labels are not defined per item. Use the "
                "labels as scores."
            )
            raise ParameterError(msg)
    names = [m for m in (chosen or matrices[0].models) if all(m in x.models for x in matrices)]
    if len(names) < 2:
        msg = (
            "shrink needs at least two models with the same tasks, but "
            f"{'one model has' if names else 'no model has'} all {len(matrices):,} "
            f"tasks. Set {arg('tasks')} to choose the tasks."
        )
        raise DataError(msg)
    common_masks = [_common(matrix, names) for matrix in matrices]
    places = sorted(
        (matrix.task, matrix.items[k], t, k)
        for t, (matrix, common) in enumerate(zip(matrices, common_masks, strict=True))
        for k in np.flatnonzero(common).tolist()
    )
    lacking = _left_out(matrices, names, common_masks)
    if len(places) < FEWEST:
        msg = (
            f"Only {len(places):,} items have a score from every model; at least {FEWEST} are "
            "needed."
        )
        raise DataError(f"{msg}. {lacking}" if lacking else msg)
    rows = [np.array([k for *_, t, k in places if t == n], np.int64) for n in range(len(matrices))]
    back = np.argsort([t for *_, t, _ in places], kind="stable")

    def row(model: str) -> Array:
        out = np.empty(len(places))
        parts = [m.row(model)[k] for m, k in zip(matrices, rows, strict=True)]
        out[back] = np.concatenate(parts)
        return out

    total, means = np.zeros(len(places)), {}
    for model in sorted(names):
        one = row(model)
        total += one
        means[model] = float(one.mean())
    ranked = sorted(means, key=lambda model: (means[model], model))
    positions = np.linspace(0, len(ranked) - 1, min(len(ranked), MOST_MODELS)).round().astype(int)
    low, high = zip(*(limits(matrix) for matrix in matrices), strict=True)
    return ItemPool(
        keys=tuple((task, item) for task, item, *_ in places),
        total=total,
        models=len(names),
        scores=np.stack([row(ranked[i]) for i in positions]),
        limits=(min(low), max(high)),
        findings=(find("missing-items", lacking),) if lacking else (),
    )


def _common(matrix: ScoreMatrix, names: Sequence[str]) -> BoolArray:
    present = np.ones(len(matrix.items), np.bool_)
    for name in names:
        present &= matrix.present(name)
    return present


def _left_out(
    matrices: Sequence[ScoreMatrix], names: Sequence[str], common_masks: Sequence[BoolArray]
) -> str:
    """Return a finding about items that some model lacks; empty if there are none."""
    n_total = sum(common.size for common in common_masks)
    gone = n_total - sum(int(common.sum()) for common in common_masks)
    if not gone:
        return ""
    lacks = [sum(int(np.count_nonzero(~m.present(name))) for m in matrices) for name in names]
    worst = int(np.argmax(lacks))
    return (
        f"{gone:,} of {n_total:,} items that some models lack are excluded; "
        f"{names[worst]} lacks the most ({lacks[worst]:,}), so excluding it may keep "
        "more items"
    )


def measured(pool: ItemPool, strata: int) -> ModelVariances:
    """Return variances from all pairs, from adjacent pairs, and from each model treated as new.

    Raise DataError if no two models differ.
    """
    x = pool.scores
    covariance = np.cov(x)
    variances = np.diag(covariance)
    pairs = np.maximum(variances[:, None] + variances - 2 * covariance, 0.0)
    sd = float(np.sqrt(np.median(pairs[np.triu_indices(len(x), 1)])))
    if sd <= 1e-9 * max(float(np.abs(x).max()), 1e-300):
        msg = (
            "Most pairs of models have identical scores on every item, so no subset can "
            "distinguish them."
        )
        raise DataError(msg)
    order = np.random.default_rng(0).permutation(x.shape[1])
    explained = explained_by_others(x[:, order])
    residual = (1 - np.clip(explained, 0, 1)) * variances
    ranked = np.argsort(x.mean(axis=1), kind="stable").astype(np.int64)
    # How much an adjacent gap's variance exceeds a new model's residual variance.
    a, b = ranked[:-1], ranked[1:]
    gaps = np.concatenate([pairs[a, b], pairs[a, b]])
    left = np.concatenate([residual[a], residual[b]])
    varies = (gaps > 0) & (left > 0)
    known = max((float(np.median(gaps[varies] / left[varies])) if varies.any() else 1.0), 1.0)
    return ModelVariances(
        n_models=len(x),
        sd=sd,
        known_factor=known,
        r2=1 - 1 / known,
        score_r2=float(np.median(explained)),
        score_sd=float(np.sqrt(np.median(variances))),
        score_factor=_usual([_strata_gain(pool, x[k], x[k], 1, strata) for k in ranked]),
        gap_factor=_gap_factor(pool, ranked, strata),
    )


def _gap_factor(pool: ItemPool, ranked: IntArray, strata: int) -> float | None:
    if pool.models < 3:
        return None
    x = pool.scores
    factors = [
        _strata_gain(pool, x[a] - x[b], x[a] + x[b], 2, strata) for a, b in pairwise(ranked)
    ]
    return _usual(factors)


def _strata_gain(
    pool: ItemPool, values: Array, own_sum: Array, new: int, strata: int
) -> float | None:
    """Return the ratio of the variance without strata to that within strata of difficulty."""
    others = (pool.total - own_sum) / (pool.models - new)
    sums = cluster_sums(values, difficulty_strata(others, strata))
    within = float(strata_variance(sums.sums, sums.squares, sums.sizes))
    total_variance = float(iid_variance(sums.sums, sums.squares, sums.sizes))
    return total_variance / within if within > 0 else None


def _usual(factors: list[float | None]) -> float:
    known = [f for f in factors if f is not None]
    return float(np.median(known)) if known else 1.0
