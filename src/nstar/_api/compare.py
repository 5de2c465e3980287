"""``compare``: two models, from whatever holds their scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Unpack

from nstar._api.criteria import criteria
from nstar._api.inputs.data_kinds import (
    Data,
    is_rows,
    lowered,
    matrices_in,
    model_named,
    readable,
    refuse_conflicts,
)
from nstar._api.inputs.model_source import ModelSource, one_side
from nstar._api.inputs.reading import ReadingWords, ReadSettings, names_in, refuse_unknown
from nstar._api.inputs.weights import NOT_JUDGED, WeightsGiven, weights_of
from nstar._base import checks
from nstar._data.findings import Finding, refuse_fatal, refuse_stopped
from nstar._data.matrix import ScoreMatrix
from nstar._data.sentinels import Coded
from nstar._data.weights import Weights
from nstar._verbs.compare.comparison import compare_board, compare_samples
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.compare.result import Comparison
from nstar._verbs.compare.sample import PairedSample, from_arrays, from_matrices
from nstar.errors import DataError, ParameterError, arg

if TYPE_CHECKING:
    from nstar._verbs.data_summary import Coverage
    from nstar._verbs.judged import JudgedRanking

Labels: TypeAlias = str | Sequence[Any] | None
"""A group column, or labels of the items of arrays."""

SAME_FORM = "give the scores of both models in the same form: two arrays, two frames, two matrices"


class ModelPairData(NamedTuple):
    """Two models on one task or several: as matrices, or in the order of arrays."""

    names: tuple[str, str]
    matrices: list[ScoreMatrix]
    sample: PairedSample | None = None
    coverage: "Coverage | None" = None
    items: list[str] | None = None
    """Names of the sample's items, where they have any."""
    unscored: int | None = None
    """Items that the first model was tried on without a score, where that is known."""
    judged: "JudgedRanking | None" = None
    """How a judge's scores were corrected by labels; None for scores as measured."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to beware of in data that were read."""
        return () if self.coverage is None else self.coverage.findings

    def weighed(
        self, weights: Weights | None, *, whole_or: str | None = None
    ) -> "tuple[ModelPairData, tuple[Finding, ...]]":
        """The same with items that count as they weigh, and what there is to say of it."""
        if weights is None:
            return self, ()
        from nstar._verbs.weighted import weighted_board, weighted_sample

        if self.judged is not None:
            raise ParameterError(NOT_JUDGED)
        if self.sample is not None:
            sample, said = weighted_sample(self.sample, weights, whole_or=whole_or)
            return self._replace(sample=sample), said
        shared = [m for m in self.matrices if set(self.names) <= set(m.models)]
        matrices, said = weighted_board(shared, weights, self.names, whole_or=whole_or)
        return self._replace(matrices=matrices), said


def compare(
    data: Data,
    other: Data = None,
    /,
    *,
    a: str | None = None,
    b: str | None = None,
    tasks: str | Sequence[str] | None = None,
    metric: str | None = None,
    strata: Labels = None,
    cluster: Labels = None,
    delta: float | None = None,
    margin: float | None = None,
    weights: WeightsGiven = None,
    score_range: tuple[float, float] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
    seed: int = 0,
    **reading: Unpack[ReadingWords],
) -> Comparison:
    """Can these scores tell the two models apart, and if not, what would?

    Parameters
    ----------
    data, other
        Scores of two models: two arrays of (items,) or (items, runs), NaN = absent, paired by
        position; two pandas Series, paired by their index; or frames, mappings, records, Tables,
        ScoreMatrix or paths to logs, paired by item: one that holds both models, or two.
    a, b
        The first and the second model: which of those in the data, or what to call arrays.
    tasks, metric
        Only these tasks, and this metric instead of the first; all tasks by default: their macro
        average, and each by itself, p-values adjusted over them (Holm).
    strata, cluster
        How items come about, at most one of the two: a column, or for arrays labels per item.
        Strata define the benchmark (subjects); clusters are a sample (passages, repositories).
        Without either, items are independent and the other readings are shown beside.
    delta
        Smallest gap of interest, declared before looking, in score units.
    margin
        Largest gap that does not matter, for an equivalence test, in score units.
    weights
        How much each item counts, if not the same: a path to a table with columns item and weight
        (and task, where ids repeat), such a frame, a mapping from item to weight,
        or one number per item of arrays.
        Items that one model lacks are left out.
    score_range
        Worst and best possible score, like (0, 100). Without it 0 and 1, or, if some scores lie
        outside, those seen: what missing scores could have been is then not known.
    alpha, power, one_sided
        Level, wanted power, and whether only "a is better" is of interest.
    seed
        Seed of random sign flips, used for graded scores.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`. For arrays, ``groups`` may be
        labels per item by the name of the column.

    Returns
    -------
    Comparison
        One pair for each task, in ``tasks``, and their macro average in ``average``.

    Raises
    ------
    ParameterError, DataError
        The question, or the data, cannot be meant.

    References
    ----------
    Methods: Tests

    Examples
    --------
    >>> import numpy as np
    >>> cells = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [628, 86, 78, 208], axis=0)
    >>> pair = compare(*cells.T).tasks[0]
    >>> round(pair.delta, 4), round(pair.p, 4), round(pair.mde, 4), round(pair.q, 4), pair.verdict
    (0.008, 0.5335, 0.0358, 0.0497, 'inconclusive')

    A frame, or a mapping of columns, is paired by item:

    >>> rows = {"item": [1, 2, 3, 1, 2, 3], "model": list("xxxyyy"), "score": [1, 1, 0, 0, 1, 0]}
    >>> compare(rows, a="x", b="y").tasks[0].counts
    PairedCounts(n11=1, n10=1, n01=0, n00=1)
    """
    _refuse_judged(reading)
    both = two_models(
        data,
        other,
        (a, b),
        usual=("A", "B"),
        tasks=names_in(tasks),
        metric=metric,
        labels={"strata": strata, "cluster": cluster},
        words=reading,
    )
    ask = CompareQuestion(
        strata=column_of("strata", strata),
        cluster=column_of("cluster", cluster),
        delta=delta,
        margin=margin,
        criteria=criteria(alpha, power, one_sided=one_sided),
        seed=seed,
        score_range=score_range,
    )
    refuse_fatal(both.findings)
    refuse_stopped(both.findings, names_in(reading.get("allow")))
    both, said = both.weighed(weights_of(weights))
    if both.sample is not None:
        return compare_samples([both.sample], both.names, ask, said)
    return compare_board(both.matrices, both.names, ask, (*both.findings, *said))


def _refuse_judged(words: ReadingWords) -> None:
    columns = words.get("columns")
    if isinstance(columns, Mapping) and not {"judge", "label"}.isdisjoint(columns):
        msg = "a judge is compared with its labels by nstar.compare_judged(…, judge=…, label=…)"
        raise ParameterError(msg)


def column_of(name: str, labels: Labels) -> str | None:
    """The group column that strata or cluster mean; labels per item get a column of that name."""
    return labels if labels is None or isinstance(labels, str) else name


def two_models(
    data: Data,
    other: Data,
    chosen: tuple[Any, Any],
    *,
    usual: tuple[str, str],
    tasks: tuple[str, ...],
    metric: str | None,
    labels: Mapping[str, Labels],
    words: ReadingWords,
    verb: str = "compare",
    named: bool = False,
    alpha: float = 0.05,
) -> ModelPairData:
    """The two models that a caller means, from any kind of data.

    ``chosen`` are the models by name, ``usual`` what to call those without one; with ``named``
    it matters which is which, and two models of one log must both be named. Whom a judge favours
    is told at ``alpha``.
    """
    refuse_unknown(words, verb)
    chosen = (model_named("a", chosen[0]), model_named("b", chosen[1]))
    first, second = matrices_in(data), None if other is None else matrices_in(other)
    rows = is_rows(data) if other is None else is_rows(data) and is_rows(other)
    if first is None and second is None and not rows:
        return _of_arrays(data, other, chosen, usual, labels, words)
    _refuse_labels(labels, words)
    lower = words.get("lower_is_better", False)
    first, second = (m and lowered(m, lower_is_better=lower) for m in (first, second))
    if first is not None and (other is None or second is not None):
        if second is None and chosen == (None, None) and set(usual) <= set(first[0].models):
            chosen = usual
        if second is not None:
            return _of_two(first, second, chosen, usual)
        return _of_matrices(first, chosen, tasks, metric, named=named)
    if first is not None or second is not None or not rows:
        raise ParameterError(SAME_FORM)
    from nstar._api.inputs.aligned_pair import load_sides

    reading = ReadSettings.of(words, verb).declaring(*labels.values())
    sides = one_or_two(data, other, chosen, usual)
    judged = reading.judged
    found = load_sides(sides, reading, tasks=tasks, metric=metric, named=named, judged=judged)
    if judged is not None:
        found = found.corrected(alpha)
    return ModelPairData(found.names, found.matrices, None, found.coverage, judged=found.judged)


def one_or_two(
    data: Data, other: Data, chosen: tuple[str | None, str | None], usual: tuple[str, str]
) -> tuple[ModelSource, ModelSource]:
    """The sides of data that hold both models, or one each."""
    given = (data, data if other is None else other)
    first, second = (_side(x, m, u) for x, m, u in zip(given, chosen, usual, strict=True))
    return first, second


def _side(data: Data, model: str | None, usual: str) -> ModelSource:
    """One of the two; a path may name its model, ``[NAME=]PATH[::MODEL]``, as for commands."""
    how = f"{arg('a', 'MODEL')} and {arg('b', 'MODEL')}"
    side = one_side(data) if isinstance(data, str) else ModelSource(data=readable(data))
    return replace(side, model=model or side.model, usual=usual, choice=how)


def _of_arrays(
    data: Data,
    other: Data,
    chosen: tuple[str | None, str | None],
    usual: tuple[str, str],
    labels: Mapping[str, Labels],
    words: ReadingWords,
) -> ModelPairData:
    if other is None:
        late = ", which is not computed yet: .collect()" if hasattr(data, "collect") else ""
        msg = (
            f"got {type(data).__name__}{late}; "
            "give the scores of both models: two arrays, or one frame, mapping or path that holds "
            f"both, with {arg('a')} and {arg('b')}"
        )
        raise ParameterError(msg)
    if is_rows(data) or is_rows(other):
        raise ParameterError(SAME_FORM)
    errors: Coded = words.pop("errors", "harness")
    groups: Any = words.pop("groups", {})
    columns: dict[str, Sequence[Any]] = dict(groups) if isinstance(groups, Mapping) else {}
    columns |= {n: x for n, x in labels.items() if x is not None and not isinstance(x, str)}
    lower = words.pop("lower_is_better", False)
    checks.truth(lower_is_better=lower)
    if words:
        msg = f"{arg(next(iter(words)))} is about data that are read, and these are arrays"
        raise ParameterError(msg)
    names = (chosen[0] or usual[0], chosen[1] or usual[1])
    sample = replace(from_arrays(data, other, columns, errors), lower_is_better=lower)
    return ModelPairData(names, [], sample)


def _refuse_labels(labels: Mapping[str, Labels], words: ReadingWords) -> None:
    for name, value in (*labels.items(), ("groups", words.get("groups"))):
        given = value is not None and not isinstance(value, str)
        if given and (name != "groups" or isinstance(value, Mapping)):
            msg = f"{arg(name)} holds labels per item, which go with arrays; name a column here"
            raise ParameterError(msg)


def _of_two(
    first: list[ScoreMatrix],
    second: list[ScoreMatrix],
    chosen: tuple[str | None, str | None],
    usual: tuple[str, str],
) -> ModelPairData:
    """One model each, paired by item."""
    if len(first) > 1 or len(second) > 1:
        msg = "two lists of matrices do not pair; give one matrix per task with both models"
        raise ParameterError(msg)
    own = (first[0].models[0], second[0].models[0])
    names = usual if own[0] == own[1] else own
    return ModelPairData(
        (chosen[0] or names[0], chosen[1] or names[1]),
        [],
        from_matrices(first[0], second[0]),
        items=list(dict.fromkeys((*first[0].items, *second[0].items))),
        unscored=first[0].alignment.unscored.get(own[0], 0),
    )


def _of_matrices(
    first: list[ScoreMatrix],
    chosen: tuple[str | None, str | None],
    tasks: tuple[str, ...],
    metric: str | None,
    *,
    named: bool,
) -> ModelPairData:
    from nstar._api.inputs.selection import choose_metrics

    refuse_conflicts(first)
    kept = choose_metrics(first, tasks, metric) if tasks or metric else first
    return ModelPairData(_two_of(kept, chosen, named=named), kept)


def _two_of(
    matrices: Sequence[ScoreMatrix], chosen: tuple[str | None, str | None], *, named: bool
) -> tuple[str, str]:
    """The models meant: those named, or the only two there are."""
    from nstar._api.inputs.selection import find_model

    a, b = chosen
    there = list(dict.fromkeys(name for m in matrices for name in m.models))
    if a is not None and b is not None:
        return find_model(a, there, "the matrix"), find_model(b, there, "the matrix")
    if a is None and b is None and len(there) == 2 and not named:
        return there[0], there[1]
    shown = ", ".join(there[:10])
    msg = (
        f"which two of the {len(there)} models? give {arg('a')} and {arg('b')}; there are {shown}"
    )
    raise DataError(msg)
