"""All items of a benchmark that every model has, in an order that no file decides."""

from collections.abc import Sequence

import numpy as np

from nstar._base.record import record
from nstar._base.types import Array, BoolArray
from nstar._data.findings import Finding, find
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.sample import refuse_conflicts
from nstar._verbs.coverage.words import limits
from nstar._verbs.shrink.question import FEWEST
from nstar.errors import DataError, ParameterError, arg

MOST_MODELS = 100
"""Models whose scores are held at once; of more, so many are looked at."""


@record()
class Pool:
    """Items of one or several tasks that all models have, sorted by task and id."""

    keys: tuple[tuple[str, str], ...]
    """Task and id of each item."""
    total: Array
    """Sum over all models of each item's score, (N,), in score units."""
    models: int
    """Models in that sum."""
    scores: Array
    """Scores of the models looked at, (M, N)."""
    limits: tuple[float, float]
    """Worst and best possible score."""
    findings: tuple[Finding, ...]
    """What was left out."""


def pooled(matrices: Sequence[ScoreMatrix], chosen: Sequence[str] | None = None) -> Pool:
    """The items of all tasks that every model has.

    Raises
    ------
    DataError, ParameterError
        Fewer than two models have all tasks, or too few items are there for all of them; scores
        are a judge's.
    """
    for matrix in matrices:
        refuse_conflicts(matrix)
        if matrix.correction is not None:
            msg = "a judge's scores that labels correct are not of single items; use the labels"
            raise ParameterError(msg)
    names = [m for m in (chosen or matrices[0].models) if all(m in x.models for x in matrices)]
    if len(names) < 2:
        msg = (
            "how two models differ is seen on two or more, and "
            f"{'one model has' if names else 'no model has'} all {len(matrices):,} tasks: choose "
            f"tasks ({arg('tasks')})"
        )
        raise DataError(msg)
    there = [_common(matrix, names) for matrix in matrices]
    places = sorted(
        (matrix.task, matrix.items[k], t, k)
        for t, (matrix, common) in enumerate(zip(matrices, there, strict=True))
        for k in np.flatnonzero(common).tolist()
    )
    lacking = _left_out(matrices, names, there)
    if len(places) < FEWEST:
        msg = f"{len(places):,} items have a score of every model, and {FEWEST} are the least"
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
    every = np.linspace(0, len(ranked) - 1, min(len(ranked), MOST_MODELS)).round().astype(int)
    low, high = zip(*(limits(matrix) for matrix in matrices), strict=True)
    return Pool(
        keys=tuple((task, item) for task, item, *_ in places),
        total=total,
        models=len(names),
        scores=np.stack([row(ranked[i]) for i in every]),
        limits=(min(low), max(high)),
        findings=(find("missing-items", lacking),) if lacking else (),
    )


def _common(matrix: ScoreMatrix, names: Sequence[str]) -> BoolArray:
    there = np.ones(len(matrix.items), np.bool_)
    for name in names:
        there &= matrix.present(name)
    return there


def _left_out(
    matrices: Sequence[ScoreMatrix], names: Sequence[str], there: Sequence[BoolArray]
) -> str:
    """Items that some model lacks, and who lacks most; nothing if there are none."""
    every = sum(common.size for common in there)
    gone = every - sum(int(common.sum()) for common in there)
    if not gone:
        return ""
    lacks = [sum(int(np.count_nonzero(~m.present(name))) for m in matrices) for name in names]
    worst = int(np.argmax(lacks))
    return (
        f"{gone:,} of {every:,} items that not every model has are left out; {names[worst]} "
        f"lacks most ({lacks[worst]:,}), and more may be left without it"
    )
