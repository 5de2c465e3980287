"""Read two models from data of any kind: as matrices, or in the order of arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

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
from nstar._api.inputs.reading import ReadSettings, refuse_unknown
from nstar._api.inputs.weights import NOT_JUDGED
from nstar._api.reading_words import ReadingWords
from nstar._base import checks
from nstar._base.parameter_types import Coded
from nstar._data.findings import Finding
from nstar._data.matrix import ScoreMatrix
from nstar._data.measures import MEASURES, unit_of
from nstar._data.weights import Weights
from nstar._verbs.compare.sample import PairedSample, from_arrays, from_matrices
from nstar.errors import DataError, ParameterError, arg

if TYPE_CHECKING:
    from nstar._verbs.data_summary import Coverage
    from nstar._verbs.judged import JudgedRanking

Labels: TypeAlias = str | Sequence[Any] | None
"""A group column, or labels of the items of arrays."""

NOT_JUDGED_ALONE = (
    "A threshold cannot be tested with judge scores corrected by labels. Use scores without a "
    "judge, or compare two models."
)
SAME_FORM = (
    "Pass the scores of both models in the same form: two arrays, two frames, or two matrices."
)


class _ScoreScale(NamedTuple):
    """Scale of the scores of one model on one task."""

    limits: tuple[float, float]
    is_binary: bool
    """Whether the scores have two values other than 0 and 1."""
    lower_is_better: bool


class ModelPairData(NamedTuple):
    """Two models on one or several tasks: as matrices, or in the order of arrays."""

    names: tuple[str, str]
    matrices: list[ScoreMatrix]
    sample: PairedSample | None = None
    coverage: "Coverage | None" = None
    items: list[str] | None = None
    """Names of the items of the sample, if they have any."""
    unscored: int | None = None
    """Items on which the first model ran without a score, if known."""
    judged: "JudgedRanking | None" = None
    """Correction of a judge's scores by labels; None for uncorrected scores."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return findings about data that were read."""
        return () if self.coverage is None else self.coverage.findings

    def weighed(
        self, weights: Weights | None, *, whole_or: str | None = None
    ) -> "tuple[ModelPairData, tuple[Finding, ...]]":
        """Return a copy in which items carry their weights, and findings about those weights."""
        if weights is None:
            return self, ()
        from nstar._verbs.weighted import weighted_board, weighted_sample

        if self.judged is not None:
            raise ParameterError(NOT_JUDGED)
        if self.sample is not None:
            sample, findings = weighted_sample(self.sample, weights, whole_or=whole_or)
            return self._replace(sample=sample), findings
        shared = [m for m in self.matrices if set(self.names) <= set(m.models)]
        matrices, findings = weighted_board(shared, weights, self.names, whole_or=whole_or)
        return self._replace(matrices=matrices), findings

    def against(
        self,
        threshold: float,
        declared: tuple[float, float] | None,
        margin: float | None = None,
        *,
        needs_range: bool = False,
    ) -> "ModelPairData":
        """Return a copy with a threshold in place of a second model, if it fits the scores."""
        from nstar._api.inputs.gap_units import check_threshold
        from nstar._verbs.compare.sample import against
        from nstar._verbs.data_summary.finding_text import limits

        scales = [
            _ScoreScale(limits(m), m.as_binary() is not None, m.lower_is_better)
            for m in self.matrices
        ]
        metric = next((matrix.metric for matrix in self.matrices), None)
        sample = self.sample
        if sample is not None:
            if np.isnan(sample.a).all():
                msg = "No item has a score."
                raise DataError(msg)
            is_binary = sample.binary_values != (0.0, 1.0)
            scales = [_ScoreScale(sample.score_range, is_binary, sample.lower_is_better)]
        for scale in scales:
            slack = None if margin is None else -margin if scale.lower_is_better else margin
            is_known = declared is not None or scale.is_binary or not needs_range
            check_threshold(threshold, slack, declared or scale.limits, is_declared=is_known)
        in_percent = all(scale.limits == (0.0, 1.0) for scale in scales) and declared is None
        return self._replace(
            names=(self.names[0], threshold_name(threshold, metric, in_percent=in_percent)),
            sample=None if sample is None else against(sample, threshold),
        )


def threshold_name(threshold: float, metric: str | None = None, *, in_percent: bool) -> str:
    """Return the name that takes the place of a second model's."""
    if measure := MEASURES.get(metric or ""):
        return f"the {threshold:.6g}{unit_of(measure)} threshold"
    text = f"{100 * threshold:.6g}%" if in_percent else f"{threshold:.6g}"
    return f"the {text} threshold"


def column_of(name: str, labels: Labels) -> str | None:
    """Return the group column of strata or cluster.

    Labels per item become a column of that name.
    """
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
    needs_names: bool = False,
    alpha: float = 0.05,
) -> ModelPairData:
    """Return the two selected models, from data of any kind.

    ``chosen`` names the models, and ``usual`` holds default names for models without one. With
    ``needs_names`` the order matters, so two models of one log must both be named. The test of
    which model a judge favors is at ``alpha``.
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
        from nstar._api.inputs.selection import choose_metrics

        refuse_conflicts(first)
        chosen_matrices = choose_metrics(first, tasks, metric) if tasks or metric else first
        return ModelPairData(
            _two_of(chosen_matrices, chosen, needs_names=needs_names), chosen_matrices
        )
    if first is not None or second is not None or not rows:
        raise ParameterError(SAME_FORM)
    from nstar._api.inputs.aligned_pair import load_sides

    reading = ReadSettings.of(words, verb).declaring(*labels.values())
    sides = one_or_two(data, other, chosen, usual, needs_names=needs_names)
    judged = reading.judged
    aligned_pair = load_sides(
        sides, reading, tasks=tasks, metric=metric, needs_names=needs_names, judged=judged
    )
    if judged is not None:
        aligned_pair = aligned_pair.corrected(alpha, reading.options.declared)
    return ModelPairData(
        aligned_pair.names,
        aligned_pair.matrices,
        None,
        aligned_pair.coverage,
        judged=aligned_pair.judged,
    )


def single_model(
    data: Data,
    model: Any,
    *,
    usual: str,
    tasks: tuple[str, ...],
    metric: str | None,
    labels: Mapping[str, Labels],
    words: ReadingWords,
    verb: str,
) -> ModelPairData:
    """Return one model, from data of any kind, with an empty name for the other."""
    refuse_unknown(words, verb)
    model = model_named("a", model)
    matrices = matrices_in(data)
    if matrices is None and not is_rows(data):
        pair = _of_arrays(data, data, (model, None), (usual, ""), labels, words)
        return pair._replace(names=(pair.names[0], ""))
    _refuse_labels(labels, words)
    if matrices is None:
        from nstar._api.inputs.aligned_pair import load_side

        reading = ReadSettings.of(words, verb).declaring(*labels.values())
        if reading.judged is not None:
            raise ParameterError(NOT_JUDGED_ALONE)
        side = _side(data, model, usual)
        side = replace(side, choice=f"{side.where}::MODEL")
        loaded = load_side(side, reading, tasks=tasks, metric=metric)
        return ModelPairData((loaded.names[0], ""), loaded.matrices, None, loaded.coverage)
    from nstar._api.inputs.selection import choose_metrics, find_model

    matrices = lowered(matrices, lower_is_better=words.get("lower_is_better", False))
    refuse_conflicts(matrices)
    available = list(dict.fromkeys(name for m in matrices for name in m.models))
    if model is None and len(available) > 1:
        models_text = ", ".join(available[:10])
        msg = f"{len(available)} models found. Set {arg('a')}: {models_text}."
        raise DataError(msg)
    chosen = available[0] if model is None else find_model(model, available, "the matrix")
    return ModelPairData((chosen, ""), choose_metrics(matrices, tasks, metric))


def one_or_two(
    data: Data,
    other: Data,
    chosen: tuple[str | None, str | None],
    usual: tuple[str, str],
    *,
    needs_names: bool = False,
) -> tuple[ModelSource, ModelSource]:
    """Return the sides of data: both models from one source, or one model from each."""
    inputs = (data, data if other is None else other)
    if other is None and isinstance(data, str) and one_side(data).label is not None:
        options_text = f"{arg('a')} and {arg('b')}"
        msg = f"Only one path given ({data}); compare needs two. Add B, or {options_text}."
        raise ParameterError(msg)
    first, second = (_side(x, m, u) for x, m, u in zip(inputs, chosen, usual, strict=True))
    if (
        needs_names and isinstance(data, str) and isinstance(other, str)
    ):  # each names its model itself
        first, second = (replace(s, choice=f"{s.data}::MODEL") for s in (first, second))
    return first, second


def _side(data: Data, model: str | None, usual: str) -> ModelSource:
    """Return one side. A path may name its model, ``[NAME=]PATH[::MODEL]``, as for commands."""
    options_text = f"{arg('a', 'MODEL')} and {arg('b', 'MODEL')}"
    side = one_side(data) if isinstance(data, str) else ModelSource(data=readable(data))
    return replace(side, model=model or side.model, usual=usual, choice=options_text)


def _of_arrays(
    data: Data,
    other: Data,
    chosen: tuple[str | None, str | None],
    usual: tuple[str, str],
    labels: Mapping[str, Labels],
    words: ReadingWords,
) -> ModelPairData:
    if other is None:
        late = (
            ", which is not computed yet (call .collect() first)"
            if hasattr(data, "collect")
            else ""
        )
        msg = (
            f"The scores must be of two models; got {type(data).__name__}{late}. Pass two arrays, "
            f"or one frame, mapping, or path that contains both, with {arg('a')} and {arg('b')}."
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
        msg = f"{arg(next(iter(words)))} applies to logs and tables, not to arrays. Remove it."
        raise ParameterError(msg)
    names = (chosen[0] or usual[0], chosen[1] or usual[1])
    sample = replace(from_arrays(data, other, columns, errors), lower_is_better=lower)
    return ModelPairData(names, [], sample)


def _refuse_labels(labels: Mapping[str, Labels], words: ReadingWords) -> None:
    for name, value in (*labels.items(), ("groups", words.get("groups"))):
        is_set = value is not None and not isinstance(value, str)
        if is_set and (name != "groups" or isinstance(value, Mapping)):
            msg = (
                f"{arg(name)} got one label per item, which works only with arrays. Pass a column "
                "name."
            )
            raise ParameterError(msg)


def _of_two(
    first: list[ScoreMatrix],
    second: list[ScoreMatrix],
    chosen: tuple[str | None, str | None],
    usual: tuple[str, str],
) -> ModelPairData:
    """Pair one model from each matrix by item."""
    if len(first) > 1 or len(second) > 1:
        msg = (
            "Two lists of matrices cannot be paired. Pass one matrix per task that "
            "contains both models."
        )
        raise ParameterError(msg)
    model_names = (first[0].models[0], second[0].models[0])
    names = usual if model_names[0] == model_names[1] else model_names
    return ModelPairData(
        (chosen[0] or names[0], chosen[1] or names[1]),
        [],
        from_matrices(first[0], second[0]),
        items=list(dict.fromkeys((*first[0].items, *second[0].items))),
        unscored=first[0].alignment.unscored.get(model_names[0], 0),
    )


def _two_of(
    matrices: Sequence[ScoreMatrix], chosen: tuple[str | None, str | None], *, needs_names: bool
) -> tuple[str, str]:
    """Return the two selected models: those named, or the only two."""
    from nstar._api.inputs.selection import find_model

    a, b = chosen
    available = list(dict.fromkeys(name for m in matrices for name in m.models))
    if a is not None and b is not None:
        return find_model(a, available, "the matrix"), find_model(b, available, "the matrix")
    if a is None and b is None and len(available) == 2 and not needs_names:
        return available[0], available[1]
    models_text = ", ".join(available[:10])
    msg = f"{len(available)} models found. Set {arg('a')} and {arg('b')}: {models_text}."
    raise DataError(msg)
