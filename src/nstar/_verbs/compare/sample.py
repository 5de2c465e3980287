"""Scores of two models on the items of one task, in one order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nstar._base.parameter_types import Coded
from nstar._base.types import Array, FloatLike, IntArray
from nstar._data.findings import contradicting_rows
from nstar._data.matrix import Correction, Grouping, ScoreMatrix, two_values
from nstar._data.measures import is_measure, range_of_measure
from nstar._data.sentinels import complaint, two_units
from nstar._data.series import aligned, numbers, refuse_frame
from nstar._engine.gram import NO_LABEL
from nstar.errors import DataError, ParameterError, arg


def checked_range(declared: tuple[float, float]) -> tuple[float, float]:
    """Return two finite numbers in ascending order. Raise ParameterError for anything else."""
    try:
        low, high = (float(x) for x in declared)
    except (TypeError, ValueError):
        low = high = np.nan
    if not (np.isfinite([low, high]).all() and low < high):
        msg = (
            f"score_range must be two numbers, worst and best, such as (0, 100); got {declared!r}"
        )
        raise ParameterError(msg)
    return low, high


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CommonItems:
    """Items with scores of both models."""

    a: Array
    """First model's mean score per item."""
    b: Array
    """Second model's mean score per item."""
    runs_a: IntArray | None
    """First model's runs per item; None if no item has several."""
    runs_b: IntArray | None
    """Second model's runs per item; None if no item has several."""
    within_a: Array | None
    """First model's variance between runs per item, NaN below two runs."""
    within_b: Array | None
    """Second model's variance between runs per item, NaN below two runs."""
    groups: Mapping[str, Grouping]
    """Groups of these items; every item has one."""

    @property
    def repeated(self) -> bool:
        """Return whether some cell has several runs."""
        return self.runs_a is not None or self.runs_b is not None

    @property
    def binary(self) -> bool:
        """Return whether every score is 0 or 1 and no cell has several runs."""
        return self.binary_a and bool(np.isin(self.b, (0.0, 1.0)).all())

    @property
    def binary_a(self) -> bool:
        """Return whether every score of the first model is 0 or 1 and no cell has several runs."""
        return not self.repeated and bool(np.isin(self.a, (0.0, 1.0)).all())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedSample:
    """All items of either model; NaN where a model has no score."""

    task: str
    """Name of the benchmark."""
    metric: str
    """Name of the metric."""
    a: Array
    """First model's mean score per item."""
    b: Array
    """Second model's mean score per item."""
    runs_a: IntArray | None = None
    """First model's runs per item; None if no item has several."""
    runs_b: IntArray | None = None
    """Second model's runs per item; None if no item has several."""
    within_a: Array | None = None
    """First model's variance between runs per item, NaN below two runs."""
    within_b: Array | None = None
    """Second model's variance between runs per item, NaN below two runs."""
    groups: Mapping[str, Grouping]
    """Groups of the items."""
    lower_is_better: bool = False
    """Whether lower is better."""
    declared_range: tuple[float, float] | None = None
    """Worst and best possible score, if declared."""
    items: tuple[str, ...] = ()
    """Names of the items; empty if not needed."""
    correction: Correction | None = None
    """Correction of a judge's scores, or weighting of scores; None for scores as measured."""
    threshold: float | None = None
    """Fixed score that takes the place of the second model; None with two models."""

    def on_scale(self, declared: tuple[float, float] | None) -> "PairedSample":
        """Return the sample with a declared range. Raise DataError for a score outside it."""
        if declared is None:
            return self
        low, high = checked_range(declared)
        values = np.concatenate([self.a, self.b])
        if self.correction is not None:  # an item's part in a mean may lie outside
            correction_limits = self.correction.limits
            values = np.array(
                correction_limits if correction_limits != (0.0, 1.0) else (low, high)
            )
        wrong = values[(values < low) | (values > high)]
        if wrong.size:
            msg = (
                f"Score {wrong[0]:g}{self._where()} is outside the declared range "
                f"{low:g}–{high:g}. Fix the log or {arg('score_range')}."
            )
            raise DataError(msg)
        return replace(self, declared_range=(low, high))

    @property
    def has_two_models(self) -> bool:
        """Return whether both models have scores as measured."""
        return self.threshold is None and self.correction is None

    @property
    def score_range_observed(self) -> bool:
        """Return whether the range is unknown, so that its ends are observed scores."""
        return self.declared_range is None and self.score_range != (0.0, 1.0)

    @property
    def score_range(self) -> tuple[float, float]:
        """Return the worst and best possible score: declared, 0 and 1, or observed.

        A single score determines no scale; then 0 is the other end of it.
        """
        if self.declared_range is not None:
            return self.declared_range
        if self.correction is not None:
            return self.correction.limits
        scores = np.concatenate([self.a, self.b])
        low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
        if is_measure(self.metric):
            return range_of_measure(low, high)
        if low == high:
            low, high = min(low, 0.0), max(high, 0.0)
        return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)

    @property
    def binary_values(self) -> tuple[float, float]:
        """Return the original values of 0 and 1, if all scores have two values."""
        if any(x is not None for x in (self.runs_a, self.runs_b, self.correction)):
            return (0.0, 1.0)
        if is_measure(self.metric):
            return (0.0, 1.0)
        values = two_values(self.a, self.b if self.threshold is None else self.a)
        if values is None or self.declared_range not in (None, values):
            return (0.0, 1.0)
        return values

    def as_binary(self) -> "PairedSample":
        """Return the sample with 0 and 1 for the only two values."""
        low, high = self.binary_values
        if (low, high) == (0.0, 1.0):
            return self
        a, b = (np.where(np.isnan(x), np.nan, x == high) for x in (self.a, self.b))
        binary = replace(self, a=a, b=b, declared_range=None)
        if self.threshold is None:
            return binary
        return against(binary, (self.threshold - low) / (high - low))

    @property
    def common(self) -> int:
        """Return the items with scores of both models."""
        return int((~(np.isnan(self.a) | np.isnan(self.b))).sum())

    def shared(self) -> CommonItems:
        """Return the shared items. Raise DataError if there are none."""
        in_both = ~(np.isnan(self.a) | np.isnan(self.b))
        if not in_both.any():
            msg = (
                f"No shared items{self._where()}. Check that task, version, and item "
                "ids of both logs agree."
            )
            raise DataError(msg)
        runs_a, runs_b = (_several(r, in_both) for r in (self.runs_a, self.runs_b))
        return CommonItems(
            a=self.a[in_both],
            b=self.b[in_both],
            runs_a=runs_a,
            runs_b=runs_b,
            within_a=None if self.within_a is None or runs_a is None else self.within_a[in_both],
            within_b=None if self.within_b is None or runs_b is None else self.within_b[in_both],
            groups={name: restricted(g, in_both) for name, g in self.groups.items()},
        )

    def _where(self) -> str:
        return f" on {self.task}" if self.task else ""


def against(sample: PairedSample, threshold: float) -> PairedSample:
    """Return the first model's scores, with a threshold in place of the second model."""
    return replace(
        sample,
        b=np.full(sample.a.shape, threshold),
        runs_b=None,
        within_b=None,
        threshold=threshold,
    )


def one_model(matrix: ScoreMatrix, model: str, threshold: float) -> PairedSample:
    """Return one row of a matrix, with a threshold in place of the second model.

    Items without any score need not be in the matrix, but they are missing.
    """
    refuse_conflicts(matrix)
    runs, row = matrix.runs(model), matrix.row(model)
    most_runs = 1 if runs is None else int(runs.max(initial=1))
    n_unscored = -(-matrix.alignment.unscored.get(model, 0) // most_runs)
    n_missing = max(n_unscored - int(np.isnan(row).sum()), 0)
    none = np.full(n_missing, np.nan)
    within = matrix.within(model)
    sample = PairedSample(
        task=matrix.task,
        metric=matrix.metric,
        a=np.append(row, none),
        b=np.append(row, none),
        runs_a=None if runs is None else np.append(runs, np.zeros(n_missing, runs.dtype)),
        within_a=None if within is None else np.append(within, none),
        groups={
            name: replace(g, codes=np.append(g.codes, np.full(n_missing, -1, g.codes.dtype)))
            for name, g in matrix.groups.items()
        },
        lower_is_better=matrix.lower_is_better,
        items=(*matrix.items, *("" for _ in none)),
        correction=matrix.correction,
    )
    return against(sample, threshold)


def _several(runs: IntArray | None, in_both: Any) -> IntArray | None:
    if runs is None:
        return None
    shared_runs = runs[in_both]
    return shared_runs if shared_runs.max(initial=0) > 1 else None


def restricted(grouping: Grouping, in_both: Any) -> Grouping:
    """Return the groups with shared items, renumbered.

    Items without a label form one more group.
    """
    codes = grouping.codes[in_both]
    used, place = np.unique(codes, return_inverse=True)
    labels = tuple(NO_LABEL if k < 0 else grouping.labels[k] for k in used.tolist())
    return Grouping(codes=place.reshape(-1).astype(np.int32), labels=labels)


def refuse_conflicts(matrix: ScoreMatrix) -> None:
    """Raise DataError for contradictory rows or sentinels that the user did not treat."""
    if matrix.alignment.codes and matrix.alignment.coded == "harness":
        codes = matrix.alignment.codes
        raise DataError(complaint(codes, sum(n for by in codes.values() for n in by.values())))
    if matrix.alignment.conflicting and matrix.alignment.settled == "refuse":
        msg = (
            f"{contradicting_rows(matrix.alignment.conflicting)} with another for the "
            "same model, item, and run. Choose the row that counts, or declare runs: "
            "matrices(table, duplicates='runs')."
        )
        raise DataError(msg)


def from_matrix(matrix: ScoreMatrix, names: tuple[str, str]) -> PairedSample:
    """Return two rows of one matrix."""
    first, second = names
    refuse_conflicts(matrix)
    if first == second:
        msg = f"Both models are {first}. Choose two different models."
        raise DataError(msg)
    return PairedSample(
        task=matrix.task,
        metric=matrix.metric,
        a=matrix.row(first),
        b=matrix.row(second),
        runs_a=matrix.runs(first),
        runs_b=matrix.runs(second),
        within_a=matrix.within(first),
        within_b=matrix.within(second),
        groups=matrix.groups,
        lower_is_better=matrix.lower_is_better,
        items=matrix.items,
        correction=matrix.correction,
    )


def _only(matrix: ScoreMatrix, side: str) -> None:
    if len(matrix.models) != 1:
        msg = (
            f"{side} contains {len(matrix.models)} models. To compare two rows of one matrix, "
            "pass only that matrix, with names=(first, second)."
        )
        raise DataError(msg)


def _scatter(values: Any, place: IntArray, size: int, blank: Any) -> Any:
    """Return values at their positions among all items."""
    if values is None:
        return None
    out = np.full(size, blank, dtype=values.dtype)
    out[place] = values
    return out


def from_matrices(a: ScoreMatrix, b: ScoreMatrix) -> PairedSample:
    """Pair two matrices of one model each by item; each may have items of its own."""
    _only(a, "a")
    _only(b, "b")
    for matrix in (a, b):
        refuse_conflicts(matrix)
    for field, first, second in (("task", a.task, b.task), ("metric", a.metric, b.metric)):
        if first and second and first != second:
            msg = (
                f"a has {field} {first!r}, but b has {second!r}, so their scores cannot be "
                f"compared. Pass scores with the same {field}."
            )
            raise DataError(msg)
    number = {name: i for i, name in enumerate(a.items)}
    of_a = np.arange(len(a.items))
    of_b = np.array([number.setdefault(name, len(number)) for name in b.items], dtype=np.int64)
    size = len(number)
    return PairedSample(
        task=a.task or b.task,
        metric=a.metric,
        a=_scatter(a.row(0), of_a, size, np.nan),
        b=_scatter(b.row(0), of_b, size, np.nan),
        runs_a=_scatter(a.runs(0), of_a, size, 0),
        runs_b=_scatter(b.runs(0), of_b, size, 0),
        within_a=_scatter(a.within(0), of_a, size, np.nan),
        within_b=_scatter(b.within(0), of_b, size, np.nan),
        groups=_merged(a, b, of_b, size),
        lower_is_better=a.lower_is_better or b.lower_is_better,
        items=tuple(number),
    )


def _merged(a: ScoreMatrix, b: ScoreMatrix, of_b: IntArray, size: int) -> dict[str, Grouping]:
    """Return the group columns of both, which must agree on the group of an item."""
    out = {}
    for column in dict.fromkeys([*a.groups, *b.groups]):
        labels: list[str | None] = [None] * size
        for matrix, place in ((a, np.arange(len(a.items))), (b, of_b)):
            grouping = matrix.groups.get(column)
            if grouping is None:
                continue
            for i, code in zip(place.tolist(), grouping.codes.tolist(), strict=True):
                label = grouping.labels[code] if code >= 0 else None
                if label is not None and labels[i] not in (None, label):
                    msg = (
                        f"An item is in {column} {labels[i]!r} for the first model but "
                        f"in {label!r} for the second. Check that these are the same "
                        "items."
                    )
                    raise DataError(msg)
                labels[i] = label if label is not None else labels[i]
        out[column] = Grouping.from_labels(labels)
    return out


def _runs_last(name: str, values: FloatLike) -> Array:
    refuse_frame(name, values)
    try:
        x = numbers(values)
    except (TypeError, ValueError):
        msg = (
            f"{name} must be numbers, with NaN for missing scores; got {_first_non_number(values)}"
        )
        raise DataError(msg) from None
    if x.ndim not in {1, 2}:
        msg = f"{name} must have 1 dimension (items) or 2 (items, runs); got {x.ndim}"
        raise DataError(msg)
    return x[:, None] if x.ndim == 1 else x


def _first_non_number(values: Any) -> str:
    """Return the first value that is not a number, or the type of the values."""
    listed = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(listed, list | tuple):
        for value in listed:
            if not isinstance(value, int | float | None.__class__ | list | np.number):
                return f"{value!r:.40}"
    return type(values).__name__


def from_arrays(
    a: FloatLike,
    b: FloatLike,
    groups: Mapping[str, Sequence[Any]] | None = None,
    errors: Coded = "harness",
) -> PairedSample:
    """Return scores paired by index or position, (items,) or (items, runs), NaN for missing."""
    for name, values in (groups or {}).items():
        refuse_frame(name, values)
    columns = aligned({"a": a, "b": b} | {f"group {n}": v for n, v in (groups or {}).items()})
    x, y = _runs_last("a", columns.pop("a")), _runs_last("b", columns.pop("b"))
    groups = {name.removeprefix("group "): values for name, values in columns.items()}
    if len(x) != len(y):
        msg = (
            f"a has {len(x):,} scores but b has {len(y):,}. Scores are paired by position, so "
            "the numbers must match. Fill gaps with NaN, or pair by item with ScoreMatrix."
        )
        raise DataError(msg)
    _refuse_averages(x, y)
    runs = max(x.shape[1], y.shape[1])
    cube = np.full((2, len(x), runs), np.nan)
    cube[0, :, : x.shape[1]], cube[1, :, : y.shape[1]] = x, y
    scores = cube[:, :, 0] if runs == 1 else cube
    matrix = ScoreMatrix.from_arrays(
        scores, models=("first", "second"), groups=groups, errors=errors
    )
    sample = from_matrix(matrix, ("first", "second"))
    if errors != "keep":
        _refuse_units(sample)
    return sample


def _refuse_averages(x: Array, y: Array) -> None:
    """Raise DataError if each model has one number that looks like a percentage."""
    if x.size != 1 or y.size != 1 or not (1 < x.item() <= 100 and 1 < y.item() <= 100):
        return
    msg = (
        f"Each model has one score, {x.item():g} and {y.item():g}. For averages over "
        f"items, use nstar.claim({x.item() / 100:g}, {y.item() / 100:g}, items=…)."
    )
    raise DataError(msg)


def _refuse_units(sample: PairedSample) -> None:
    """Raise DataError if one model has percentages and the other proportions."""
    rows = {"a": sample.a, "b": sample.b}
    mixed = two_units(rows.values())
    if mixed is not None:
        percent, share = (list(rows)[k] for k in mixed)
        msg = (
            f"Scores of {percent} reach {np.nanmax(rows[percent]):g} (percentages?), "
            f"but those of {share} are 0–1. Divide by 100, or set "
            f"{arg('errors', 'keep')}."
        )
        raise DataError(msg)
