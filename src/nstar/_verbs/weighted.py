"""Transform scores of items with unequal weights so that plain means are weighted means.

If the items were drawn by strata, the gap in the score of their benchmark is also estimated.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nstar._data.findings import Finding, find
from nstar._data.matrix import Correction, ScoreMatrix
from nstar._data.weights import Weights
from nstar._verbs.compare.sample import PairedSample, from_matrix, refuse_conflicts
from nstar._verbs.data_summary.finding_text import limits, where
from nstar.errors import DataError, ParameterError, arg
from nstar.stats import cluster_sums, stratified_mean, t_quantile
from nstar.stats._weights import effective, weighted_scores

_MIN_EFFECTIVE_ITEMS = 2.0
"""Minimum effective number of items for a standard error."""
_CONF = 0.95
"""Coverage of the interval for the whole benchmark."""


def weighted_matrix(
    matrix: ScoreMatrix,
    weights: Weights,
    models: Sequence[str] | None = None,
    *,
    whole_or: str | None = None,
) -> tuple[ScoreMatrix, tuple[Finding, ...]]:
    """Return weighted scores of the items that all models have, with findings.

    Equal weights change nothing. Repeated runs are averaged.

    Raise DataError if an item has no weight, too few items have all the weight, or a model lacks
    an item. In the last case, the message contains ``whole_or``, which gives advice.
    """
    refuse_conflicts(matrix)
    if matrix.correction is not None:
        msg = (
            f"{arg('weights')} cannot be combined with a judge and labels. Weight the uncorrected "
            "scores instead."
        )
        raise ParameterError(msg)
    item_weights = weights.on(matrix)
    names = matrix.models if models is None else tuple(dict.fromkeys(models))
    if np.ptp(item_weights) == 0:
        return matrix, _whole_benchmark(matrix, weights, names)
    rows = np.stack([matrix.row(name) for name in names])
    is_complete = ~np.isnan(rows).any(axis=0)
    lacking = int(np.count_nonzero(~is_complete & (item_weights > 0)))
    if lacking and whole_or is not None:
        msg = (
            f"{where(matrix)}{lacking:,} of {item_weights.size:,} weighted items are missing for "
            f"some models, but weights need items that all models answered. {whole_or}"
        )
        raise DataError(msg)
    indices = np.flatnonzero(is_complete & (item_weights > 0))
    used_weights = item_weights[indices]
    if indices.size < 2 or effective(used_weights) < _MIN_EFFECTIVE_ITEMS:
        worth = f", worth {effective(used_weights):.2g} of equal weight" if indices.size else ""
        msg = (
            f"{where(matrix)}only {indices.size:,} weighted items were answered by every "
            f"model{worth}: too few to estimate a standard error."
        )
        raise DataError(msg)
    result = ScoreMatrix(
        task=matrix.task,
        metric=matrix.metric,
        models=names,
        items=tuple(matrix.items[k] for k in indices.tolist()),
        groups=matrix.groups_on(indices),
        means=weighted_scores(rows[:, indices], used_weights),
        lower_is_better=matrix.lower_is_better,
        alignment=matrix.alignment,
        correction=Correction(
            known=np.ones(indices.size, np.bool_), limits=limits(matrix), weights=used_weights
        ),
    )
    finding = _weight_findings(result, matrix, weights, lacking)
    return result, (finding, *_whole_benchmark(matrix, weights, names))


def _weight_findings(
    matrix: ScoreMatrix, before: ScoreMatrix, weights: Weights, lacking: int
) -> Finding:
    """Return findings about the effect of the weights."""
    item_weights = (
        np.ones(1) if matrix.correction is None else np.asarray(matrix.correction.weights)
    )
    heaviest = int(item_weights.argmax())
    share = float(item_weights[heaviest] / item_weights.sum())
    text = (
        f"{where(matrix)}weights from {weights.source}: {item_weights.size:,} items are worth "
        f"{effective(item_weights):,.0f} of equal weight; {matrix.items[heaviest]} alone has "
        f"{100 * share:.2g}% of the weight"
    )
    unweighed = len(before.items) - item_weights.size - lacking
    if unweighed:
        text += f"; {unweighed:,} of weight 0 are excluded"
    if lacking:
        text += f"; {lacking:,} that some models lack are excluded"
    if before.binary:
        text += "; 0/1 scores are therefore tested with t, not McNemar's test"
    return find("weighted-items", text)


def weighted_board(
    matrices: Sequence[ScoreMatrix],
    weights: Weights,
    models: Sequence[str] | None = None,
    *,
    whole_or: str | None = None,
) -> tuple[list[ScoreMatrix], tuple[Finding, ...]]:
    """Return all tasks with weighted scores. Raise DataError for weights of unknown items."""
    if weights.tasks:
        msg = (
            f"{weights.source} weights whole tasks, but each task is analyzed "
            "separately here. Use weights of items (columns item and weight)."
        )
        raise DataError(msg)
    weights.refuse_strangers(matrices)
    out: list[ScoreMatrix] = []
    findings: list[Finding] = []
    for matrix in matrices:
        task_models = (
            None if models is None else [name for name in models if name in matrix.models]
        )
        result, task_findings = weighted_matrix(matrix, weights, task_models, whole_or=whole_or)
        out.append(result)
        findings += task_findings
    return out, tuple(findings)


def weighted_sample(
    sample: PairedSample, weights: Weights, *, whole_or: str | None = None
) -> tuple[PairedSample, tuple[Finding, ...]]:
    """Return the weighted sample of two models, with items in the order of the arrays."""
    names = ("first", "second")
    matrix = ScoreMatrix.from_means(
        np.stack([sample.a, sample.b]),
        models=names,
        items=sample.items or tuple(map(str, range(sample.a.size))),
        task=sample.task,
        metric=sample.metric,
        groups=sample.groups,
        lower_is_better=sample.lower_is_better,
    )
    (result,), findings = weighted_board([matrix], weights, whole_or=whole_or)
    if result is matrix:
        return sample, ()
    return replace(from_matrix(result, names), declared_range=sample.declared_range), findings


def _signed(gap: float, *, points: bool) -> str:
    """Return a gap as text, in points or in score units."""
    return (f"{100 * gap:+.2f} pp" if points else f"{gap:+.4g}").replace("-", "−")


def _whole_benchmark(
    matrix: ScoreMatrix, weights: Weights, models: Sequence[str]
) -> tuple[Finding, ...]:
    """Return a finding about two models on all items from which ``nstar shrink`` drew.

    The weight of an item is the number of items that it represents. Nothing is estimated unless
    there are two models and both have every item of the list.
    """
    strata = weights.strata
    task = matrix.task or None
    if len(models) != 2 or not strata or any(of not in (None, task) for of, _ in strata):
        return ()
    gaps = matrix.row(models[0]) - matrix.row(models[1])
    labels = [strata.get((task, item), strata.get((None, item))) for item in matrix.items]
    lacking = len(strata) - int(np.count_nonzero(~np.isnan(gaps)))
    if None in labels or lacking < 0:
        return ()
    if lacking:
        text = (
            "no gap in the full-benchmark score: both models answered only "
            f"{len(strata) - lacking:,} of the {len(strata):,} items in the list"
        )
        return (find("whole-benchmark", text),)
    codes = np.unique(np.array(labels, dtype=np.str_), return_inverse=True)[1]
    sums = cluster_sums(gaps, codes)
    totals = np.rint(np.bincount(codes, weights=weights.on(matrix)))
    short = (sums.sizes < 2) & (sums.sizes < totals)
    if short.any() or (totals < sums.sizes).any():
        return ()
    mean = stratified_mean(sums.sums, sums.squares, sums.sizes, totals)
    reach = float(t_quantile((1 + _CONF) / 2, gaps.size - len(totals)) * mean.se)
    center, total = float(mean.estimate), int(totals.sum())
    low, high = center - reach, center + reach
    errors = (float(mean.se), float(mean.claim_se))
    points = all(((row >= 0) & (row <= 1)).all() for row in map(matrix.row, models))
    texts = [_signed(x, points=points) for x in (center, low, high)]
    texts += [_signed(x, points=points).lstrip("+") for x in errors]
    text = (
        f"gap in the full-benchmark score ({total:,} items, of which these {gaps.size:,} are a "
        f"sample in {len(totals)} strata): {texts[0]}, 95% CI {texts[1].removesuffix(' pp')} to "
        f"{texts[2]} (SE {texts[3]}; for similar questions in general, SE {texts[4]})"
    )
    return (find("whole-benchmark", text),)
