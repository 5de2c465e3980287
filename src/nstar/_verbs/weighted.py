"""Items that do not weigh the same: scores whose plain mean is the weighted one."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nstar._data.findings import Finding, find
from nstar._data.matrix import Correction, ScoreMatrix
from nstar._data.weights import Weights
from nstar._verbs.compare.sample import Sample, from_matrix, refuse_conflicts
from nstar._verbs.coverage.words import limits, where
from nstar._verbs.whole import whole_benchmark
from nstar.errors import DataError, ParameterError, arg
from nstar.stats._weights import effective, weighted_scores

_FEWEST = 2.0
"""Effective items below which a weighted mean has no error to speak of."""


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
        msg = f"{arg('weights')} does not go with a judge and labels; weigh scores as measured"
        raise ParameterError(msg)
    given = weights.on(matrix)
    names = matrix.models if models is None else tuple(dict.fromkeys(models))
    if np.ptp(given) == 0:
        return matrix, whole_benchmark(matrix, weights, names)
    rows = np.stack([matrix.row(name) for name in names])
    there = ~np.isnan(rows).any(axis=0)
    lacking = int(np.count_nonzero(~there & (given > 0)))
    if lacking and whole_or is not None:
        msg = (
            f"{where(matrix)}{lacking:,} of {given.size:,} items are not there for every model, "
            f"and weights are of items that all have: {whole_or}"
        )
        raise DataError(msg)
    kept = np.flatnonzero(there & (given > 0))
    some = given[kept]
    if kept.size < 2 or effective(some) < _FEWEST:
        worth = f", worth {effective(some):.2g} of equal weight" if kept.size else ""
        msg = (
            f"{where(matrix)}{kept.size:,} items with a weight are there for every model{worth}: "
            "too few to measure an error"
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
    return found, (told, *whole_benchmark(matrix, weights, names))


def _told(found: ScoreMatrix, before: ScoreMatrix, weights: Weights, lacking: int) -> Finding:
    """What weights do to these items."""
    some = np.ones(1) if found.correction is None else np.asarray(found.correction.weights)
    heaviest = int(some.argmax())
    share = float(some[heaviest] / some.sum())
    text = (
        f"{where(found)}weights by {weights.source}: {some.size:,} items are worth "
        f"{effective(some):,.0f} of equal weight; {found.items[heaviest]} alone carries "
        f"{100 * share:.2g} %"
    )
    unweighed = len(before.items) - some.size - lacking
    if unweighed:
        text += f"; {unweighed:,} of weight 0 are left out"
    if lacking:
        text += f"; {lacking:,} that not every model has are left out"
    if before.binary:
        text += "; 0/1 scores are so tested by t, not by McNemar's counts"
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
            f"{weights.source} weighs whole tasks, and here each is looked at by itself: give "
            "weights of items (columns item and weight)"
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
    sample: Sample, weights: Weights, *, whole_or: str | None = None
) -> tuple[Sample, tuple[Finding, ...]]:
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
    return replace(from_matrix(found, names), score_range=sample.score_range), said
