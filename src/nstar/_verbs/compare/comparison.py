"""``compare``: two models from their per-item scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from nstar import stats
from nstar._base.types import FloatLike, RNGLike
from nstar._data.findings import Finding, find
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.pair import compare_sample, verdict
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.compare.result import Comparison, Pair
from nstar._verbs.compare.sample import (
    Sample,
    from_arrays,
    from_matrices,
    from_matrix,
)
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, ParameterError

_UNNAMED = ("A", "B")
Labels: TypeAlias = str | Sequence[Any] | None


def _adjusted(pairs: list[Pair], criteria: Criteria) -> tuple[Pair, ...]:
    """Holm over the tasks; the verdict of each follows its adjusted p-value."""
    if len(pairs) == 1:
        return tuple(pairs)
    adjusted = stats.holm([pair.p for pair in pairs]).tolist()
    return tuple(
        replace(pair, p_adjusted=p, verdict=verdict(pair, criteria, p))
        for pair, p in zip(pairs, adjusted, strict=True)
    )


def _named(sample: Sample, ask: CompareQuestion) -> Pair:
    """One task; an error says which."""
    try:
        return compare_sample(sample, ask)
    except DataError as error:
        if not sample.task:
            raise
        raise error.within(sample.task) from error


def _comparison(
    samples: Sequence[Sample],
    names: tuple[str, str],
    ask: CompareQuestion,
    findings: Sequence[Finding],
) -> Comparison:
    pairs = [_named(sample, ask) for sample in samples]
    return Comparison(
        names=names,
        criteria=ask.criteria,
        tasks=_adjusted(pairs, ask.criteria),
        adjust="holm" if len(pairs) > 1 else None,
        seed=ask.rng if isinstance(ask.rng, int) else None,
        findings=tuple(findings),
    )


def _column(
    name: str, labels: Labels, groups: dict[str, Sequence[Any]]
) -> tuple[str | None, dict[str, Sequence[Any]]]:
    """The column that strata= or cluster= means, and the group columns with it."""
    if labels is None or isinstance(labels, str):
        return labels, groups
    return name, groups | {name: labels}


def _two_models(matrix: ScoreMatrix, names: tuple[str, str]) -> tuple[str, str]:
    """The models meant: those named, or the only two there are."""
    unnamed = names == _UNNAMED and not set(_UNNAMED) <= set(matrix.models)
    if unnamed and len(matrix.models) == 2:
        return matrix.models[0], matrix.models[1]
    if unnamed:
        msg = (
            f"which two of the {len(matrix.models)} models? give names=(first, second); there "
            f"are {', '.join(matrix.models[:10])}"
        )
        raise DataError(msg)
    return names


def compare(  # noqa: PLR0913 one verb, one call
    a: FloatLike | ScoreMatrix,
    b: FloatLike | ScoreMatrix | None = None,
    *,
    names: tuple[str, str] = _UNNAMED,
    groups: Mapping[str, Sequence[Any]] | None = None,
    strata: Labels = None,
    cluster: Labels = None,
    delta: float | None = None,
    margin: float | None = None,
    criteria: Criteria | None = None,
    score_range: tuple[float, float] | None = None,
    rng: RNGLike = 0,
    findings: Sequence[Finding] = (),
) -> Comparison:
    """Can these scores tell the two models apart, and if not, what would?

    Parameters
    ----------
    a, b
        Per-item scores of two models, NaN = absent: (items,), or (items, runs). pandas Series
        pair by their index, which must hold the same labels; arrays, lists and polars Series,
        which have none, by position. Or two ScoreMatrix of one model each, paired by item. Or one
        ScoreMatrix as ``a``, with ``names`` saying which two of its models.
    names
        What to call the first and the second model.
    groups
        For arrays: group labels per item (subject, repository …), by the name of the column.
    strata, cluster
        How items come about, at most one of the two: a group column, or labels per item.
        Strata define the benchmark (subjects); clusters are a sample (passages, repositories).
        Without either, items are independent and the other readings are shown beside.
    delta
        Smallest gap of interest, declared before looking, in score units.
    margin
        Largest gap that does not matter, for an equivalence test, in score units.
    criteria
        Level, power and sides; ``Criteria()`` by default.
    score_range
        Worst and best possible score, like (0, 100). Without it 0 and 1, or, if some scores lie
        outside, those seen: what missing scores could have been is then not known.
    rng
        Seed or generator of random sign flips, used for graded scores.
    findings
        What was found when the logs were read, to be told with the result.

    Examples
    --------
    >>> import numpy as np
    >>> cells = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [628, 86, 78, 208], axis=0)
    >>> pair = compare(*cells.T).tasks[0]
    >>> round(pair.delta, 4), round(pair.p, 4), round(pair.mde, 4), round(pair.q, 4), pair.verdict
    (0.008, 0.5335, 0.0358, 0.0497, 'inconclusive')
    """
    if isinstance(a, ScoreMatrix):
        if groups is not None or not (_is_name(strata) and _is_name(cluster)):
            msg = "a ScoreMatrix brings its groups along: name a column in strata= or cluster="
            raise ParameterError(msg)
        sample, names = _from_matrices(a, b, names)
    else:
        if b is None or isinstance(b, ScoreMatrix):
            msg = "give the scores of both models in the same form: two arrays or two matrices"
            raise ParameterError(msg)
        columns = dict(groups or {})
        strata, columns = _column("strata", strata, columns)
        cluster, columns = _column("cluster", cluster, columns)
        sample = from_arrays(a, b, columns)
    ask = CompareQuestion(
        strata=_name(strata),
        cluster=_name(cluster),
        delta=delta,
        margin=margin,
        criteria=criteria or Criteria(),
        rng=rng,
        score_range=score_range,
    )
    return _comparison([sample], names, ask, findings)


def _is_name(labels: Labels) -> bool:
    return labels is None or isinstance(labels, str)


def _name(labels: Labels) -> str | None:
    return labels if isinstance(labels, str) else None


def _from_matrices(
    a: ScoreMatrix, b: FloatLike | ScoreMatrix | None, names: tuple[str, str]
) -> tuple[Sample, tuple[str, str]]:
    if b is None:
        names = _two_models(a, names)
        return from_matrix(a, names), names
    if not isinstance(b, ScoreMatrix):
        msg = "give the scores of both models in the same form: two arrays or two matrices"
        raise ParameterError(msg)
    sample = from_matrices(a, b)
    return sample, (a.models[0], b.models[0]) if names == _UNNAMED else names


def compare_tasks(  # noqa: PLR0913 as compare
    matrices: Sequence[ScoreMatrix],
    *,
    names: tuple[str, str],
    strata: str | None = None,
    cluster: str | None = None,
    delta: float | None = None,
    margin: float | None = None,
    criteria: Criteria | None = None,
    score_range: tuple[float, float] | None = None,
    rng: RNGLike = 0,
    findings: Sequence[Finding] = (),
) -> Comparison:
    """Two models on several tasks: one pair each, p-values adjusted over tasks, nothing pooled.

    Parameters
    ----------
    matrices
        One ScoreMatrix per task and metric. Those without an item that both models have are left
        out, with a finding that says so.
    names
        The two models, as the matrices call them.
    strata, cluster, delta, margin, criteria, score_range, rng, findings
        As in :func:`compare`.

    Examples
    --------
    >>> m = [
    ...     ScoreMatrix.from_arrays([[1] * 9 + [0], [0] * 8 + [1, 1]], models=["a", "b"], task=t)
    ...     for t in ("one", "two")
    ... ]
    >>> [round(pair.p_adjusted, 4) for pair in compare_tasks(m, names=("a", "b")).tasks]
    [0.0781, 0.0781]
    """
    ask = CompareQuestion(
        strata=strata,
        cluster=cluster,
        delta=delta,
        margin=margin,
        criteria=criteria or Criteria(),
        rng=rng,
        score_range=score_range,
    )
    return compare_board(matrices, names, ask, findings)


def compare_board(
    matrices: Sequence[ScoreMatrix],
    names: tuple[str, str],
    ask: CompareQuestion,
    findings: Sequence[Finding] = (),
) -> Comparison:
    """What :func:`compare_tasks` gives, of a question that is asked already."""
    samples, left_out = [], []
    for matrix in matrices:
        there = set(names) <= set(matrix.models)
        sample = from_matrix(matrix, names) if there else None
        if sample is not None and sample.common:
            samples.append(sample)
        else:
            left_out.append(matrix.task or "a task without a name")
    if not samples:
        of = "1 task" if len(matrices) == 1 else f"{len(matrices)} tasks"
        msg = (
            f"{names[0]} and {names[1]} have no item in common on any of {of}: check "
            f"the model names and that both ran the same tasks{_items_of(matrices, names)}"
        )
        if any(m.alignment.by_content for m in matrices):
            msg += "; items were paired by what they ask, so perhaps the prompts differ"
        raise DataError(msg)
    return _comparison(samples, names, ask, [*findings, *_left_out(left_out, names)])


def _items_of(matrices: Sequence[ScoreMatrix], names: tuple[str, str]) -> str:
    """Two items of each model, of the first task that both have: are they named alike?"""
    for matrix in matrices:
        if not set(names) <= set(matrix.models):
            continue
        shown = [
            " and ".join(str(matrix.items[k])[:40] for k in np.flatnonzero(matrix.present(n))[:2])
            for n in map(matrix.index, names)
        ]
        return f". Items of {names[0]}: {shown[0]}, of {names[1]}: {shown[1]}"
    return ""


def _left_out(tasks: list[str], names: tuple[str, str]) -> list[Finding]:
    if not tasks:
        return []
    of = "1 task" if len(tasks) == 1 else f"{len(tasks)} tasks"
    text = (
        f"left out: {of} without an item that both {names[0]} and {names[1]} have: "
        f"{', '.join(tasks[:5])}{' …' if len(tasks) > 5 else ''}"
    )
    return [find("task-left-out", text)]
