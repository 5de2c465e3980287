"""Items that do not weigh the same: scores whose plain mean is the weighted one.

Where they were drawn by strata, the gap in the score of the benchmark that they came from.
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
"""Effective items below which a weighted mean has no error to speak of."""
_CONF = 0.95
"""Of the interval for the whole benchmark."""


def weighted_matrix(
    matrix: ScoreMatrix,
    weights: Weights,
    models: Sequence[str] | None = None,
    *,
    whole_or: str | None = None,
) -> tuple[ScoreMatrix, tuple[Finding, ...]]:
    """Scores of the items that all models have, weighted, and what there is to say of it.

    Equal weights change nothing. Of repeated runs the mean counts.

    Raises
    ------
    DataError
        An item has no weight; too few carry it all; a model lacks an item, and ``whole_or`` says
        what to do then.
    """
    refuse_conflicts(matrix)
    if matrix.correction is not None:
        msg = (
            f"{arg('weights')} cannot be combined with a judge and labels. Weight the "
            "scores as measured."
        )
        raise ParameterError(msg)
    given = weights.on(matrix)
    names = matrix.models if models is None else tuple(dict.fromkeys(models))
    if np.ptp(given) == 0:
        return matrix, _whole_benchmark(matrix, weights, names)
    rows = np.stack([matrix.row(name) for name in names])
    there = ~np.isnan(rows).any(axis=0)
    lacking = int(np.count_nonzero(~there & (given > 0)))
    if lacking and whole_or is not None:
        msg = (
            f"{where(matrix)}{lacking:,} of {given.size:,} weighted items are missing "
            "for some models, and weights need items that all models answered. "
            f"{whole_or}"
        )
        raise DataError(msg)
    kept = np.flatnonzero(there & (given > 0))
    some = given[kept]
    if kept.size < 2 or effective(some) < _MIN_EFFECTIVE_ITEMS:
        worth = f", worth {effective(some):.2g} of equal weight" if kept.size else ""
        msg = (
            f"{where(matrix)}only {kept.size:,} weighted items were answered by every "
            f"model{worth}: too few to estimate a standard error."
        )
        raise DataError(msg)
    found = ScoreMatrix(
        task=matrix.task,
        metric=matrix.metric,
        models=names,
        items=tuple(matrix.items[k] for k in kept.tolist()),
        groups=matrix.groups_on(kept),
        means=weighted_scores(rows[:, kept], some),
        lower_is_better=matrix.lower_is_better,
        alignment=matrix.alignment,
        correction=Correction(
            known=np.ones(kept.size, np.bool_), limits=limits(matrix), weights=some
        ),
    )
    told = _told(found, matrix, weights, lacking)
    return found, (told, *_whole_benchmark(matrix, weights, names))


def _told(found: ScoreMatrix, before: ScoreMatrix, weights: Weights, lacking: int) -> Finding:
    """What weights do to these items."""
    some = np.ones(1) if found.correction is None else np.asarray(found.correction.weights)
    heaviest = int(some.argmax())
    share = float(some[heaviest] / some.sum())
    text = (
        f"{where(found)}weights from {weights.source}: {some.size:,} items are worth "
        f"{effective(some):,.0f} of equal weight; {found.items[heaviest]} alone has "
        f"{100 * share:.2g}% of the weight"
    )
    unweighed = len(before.items) - some.size - lacking
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
    """Every task weighted; DataError also for weights of items that nobody has."""
    if weights.tasks:
        msg = (
            f"{weights.source} weights whole tasks, but each task is analyzed "
            "separately here. Use weights of items (columns item and weight)."
        )
        raise DataError(msg)
    weights.refuse_strangers(matrices)
    out: list[ScoreMatrix] = []
    said: list[Finding] = []
    for matrix in matrices:
        own = None if models is None else [name for name in models if name in matrix.models]
        found, told = weighted_matrix(matrix, weights, own, whole_or=whole_or)
        out.append(found)
        said += told
    return out, tuple(said)


def weighted_sample(
    sample: PairedSample, weights: Weights, *, whole_or: str | None = None
) -> tuple[PairedSample, tuple[Finding, ...]]:
    """The same for two models in the order of arrays."""
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
    (found,), said = weighted_board([matrix], weights, whole_or=whole_or)
    if found is matrix:
        return sample, ()
    return replace(from_matrix(found, names), declared_range=sample.declared_range), said


def _signed(gap: float, *, points: bool) -> str:
    """A gap in points or in score units."""
    return (f"{100 * gap:+.2f} pp" if points else f"{gap:+.4g}").replace("-", "−")


def _whole_benchmark(
    matrix: ScoreMatrix, weights: Weights, models: Sequence[str]
) -> tuple[Finding, ...]:
    """What a list of ``nstar shrink`` says of two models on all items that it was drawn from.

    An item's weight is the number of items that it stands for. Nothing is estimated unless there
    are two models, and both have every item of the list.
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
    found = stratified_mean(sums.sums, sums.squares, sums.sizes, totals)
    reach = float(t_quantile((1 + _CONF) / 2, gaps.size - len(totals)) * found.se)
    middle, total = float(found.estimate), int(totals.sum())
    low, high = middle - reach, middle + reach
    errors = (float(found.se), float(found.claim_se))
    points = all(((row >= 0) & (row <= 1)).all() for row in map(matrix.row, models))
    told = [_signed(x, points=points) for x in (middle, low, high)]
    told += [_signed(x, points=points).lstrip("+") for x in errors]
    text = (
        f"gap in the full-benchmark score ({total:,} items, of which these {gaps.size:,} are a "
        f"sample in {len(totals)} strata): {told[0]}, 95% CI {told[1].removesuffix(' pp')} to "
        f"{told[2]} (SE {told[3]}; for similar questions in general, SE {told[4]})"
    )
    return (find("whole-benchmark", text),)
