"""Draw the requested items by difficulty, and compute the gaps that they can detect."""

import hashlib
import math
from collections.abc import Sequence

import numpy as np

from nstar._base.types import IntArray
from nstar._data.export.subset import csv_text
from nstar._data.findings import Finding
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.shrink.pool import FEWEST, ItemPool, ShrinkQuestion, measured, pooled
from nstar._verbs.shrink.result import (
    Against,
    ChosenItem,
    ModelVariances,
    Scope,
    Subset,
    SubsetResolution,
)
from nstar.errors import ParameterError, arg
from nstar.stats import items_for_claim, items_needed, subset_claim_mde, subset_mde
from nstar.stats._subset import STRATA, difficulty_strata, draw_positions, proportional

_READINGS: tuple[tuple[Against, Scope], ...] = (
    ("new", "benchmark"),
    ("known", "benchmark"),
    ("new", "questions"),
    ("known", "questions"),
)


def shrunk(
    matrices: Sequence[ScoreMatrix],
    question: ShrinkQuestion,
    findings: tuple[Finding, ...] = (),
    models: Sequence[str] | None = None,
) -> Subset:
    """Return the subset of a benchmark that a question describes.

    Raise ParameterError if the subset is not smaller than the benchmark.

    Raise DataError if the scores do not determine the difficulty of the items.
    """
    pool = pooled(matrices, models)
    total = len(pool.keys)
    if question.items is not None and question.items > total:
        msg = (
            f"{arg('items')} must be at most {total:,}, the number of items with scores from all "
            f"{pool.models:,} models; got {question.items:,}"
        )
        raise ParameterError(msg)
    spreads = measured(pool, STRATA)
    n = _size(question, spreads.sd, total)
    strata = min(STRATA, n // 2)
    if strata != STRATA:
        spreads = measured(pool, strata)
    chosen = _chosen(
        pool, n, strata, question.seed, harder=-1 if matrices[0].lower_is_better else 1
    )
    text = csv_text((c.task, c.item, c.stratum, c.weight) for c in chosen)
    rest = (1 / n - 1 / total) / spreads.score_factor
    return Subset(
        tasks=tuple(m.task for m in matrices),
        metric=matrices[0].metric,
        lower_is_better=matrices[0].lower_is_better,
        score_range=pool.limits,
        criteria=question.criteria,
        n_models=pool.models,
        n_items_total=total,
        delta=question.resolve,
        n_items=n,
        resolutions=tuple(_reading(question, spreads, n, total, *kind) for kind in _READINGS),
        half_width=question.criteria.z * spreads.score_sd * math.sqrt(max(rest, 0.0)),
        variances=spreads,
        n_strata=strata,
        seed=question.seed,
        sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        items=chosen,
        findings=(*_other_findings(findings, pool), *pool.findings),
    )


def _other_findings(findings: tuple[Finding, ...], pool: ItemPool) -> tuple[Finding, ...]:
    """Return earlier findings, without those that the pool reports better."""
    better = {finding.code for finding in pool.findings}
    return tuple(finding for finding in findings if finding.code not in better)


def _size(question: ShrinkQuestion, sd: float, total: int) -> int:
    if question.items is not None:
        return question.items
    assert question.resolve is not None  # noqa: S101 - one of the two
    level = {"alpha": question.criteria.alpha, "power": question.criteria.power}
    needed = float(items_needed(question.resolve, sigma=sd, total=total, **level))
    return min(max(math.ceil(needed), FEWEST), total)


def _reading(
    question: ShrinkQuestion,
    spreads: ModelVariances,
    n: int,
    total: int,
    against: Against,
    scope: Scope,
) -> SubsetResolution:
    known = {
        "sigma": spreads.sd,
        "r2": spreads.r2 if against == "known" else 0.0,
        "total": total,
        "alpha": question.criteria.alpha,
        "power": question.criteria.power,
    }
    mde = subset_mde if scope == "benchmark" else subset_claim_mde
    need = items_needed if scope == "benchmark" else items_for_claim
    return SubsetResolution(
        against=against,
        scope=scope,
        mde=float(mde(n, **known)),
        n_star=None
        if question.resolve is None
        else math.ceil(float(need(question.resolve, **known))),
        mde_floor=float(mde(total, **known)),
    )


def _chosen(
    pool: ItemPool, n: int, strata: int, seed: int, *, harder: int
) -> tuple[ChosenItem, ...]:
    codes = difficulty_strata(harder * pool.total / pool.models, strata)
    sizes: IntArray = np.bincount(codes, minlength=strata).astype(np.int64)
    counts = proportional(sizes, n)
    weights = sizes / counts
    return tuple(
        ChosenItem(
            task=pool.keys[k][0],
            item=pool.keys[k][1],
            stratum=int(codes[k]) + 1,
            weight=float(weights[codes[k]]),
        )
        for k in draw_positions(codes, counts, seed).tolist()
    )
