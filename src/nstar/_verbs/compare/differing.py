"""Items on which two models differ, one row each."""

from collections.abc import Collection, Sequence
from typing import Any, Literal

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, IntArray
from nstar._data.matrix import NOTHING
from nstar._verbs.compare.sample import PairedSample
from nstar.errors import DataError, arg

Which = Literal["gained", "lost"]

_DIGITS = 12
"""Number of significant digits of scores and gaps."""


def _gaps(sample: PairedSample) -> Array:
    """Return first minus second, without rounding error; NaN if a model has no score."""
    low, high = sample.score_range
    gap = sample.a - sample.b
    return np.where(np.abs(gap) <= NOTHING * (high - low), 0.0, gap)


def _better(sample: PairedSample, direction: Which) -> Any:
    """Return the positions of the items on which one model is better, largest gap first."""
    gap = _gaps(sample)
    ahead = -gap if sample.lower_is_better != (direction == "lost") else gap
    indices = np.flatnonzero(ahead > 0)
    return indices[np.argsort(-ahead[indices].round(_DIGITS), kind="stable")]


def _rounded(values: Array) -> list[float]:
    """Remove the digits that are rounding error of a mean of runs or a difference."""
    return [float(f"{x:.{_DIGITS}g}") for x in values.tolist()]


def _runs(runs: IntArray | None, places: Any) -> list[int]:
    return [1] * len(places) if runs is None else runs[places].tolist()


def _model_columns(names: tuple[str, str], column_names: Collection[str]) -> tuple[str, str]:
    """Return the names of the models' columns, changed if another column has the same name."""
    other_names = {*column_names, *(f"{name} runs" for name in names)}
    first, second = names
    if {first, second} & other_names or first == second:
        return f"{first} (first)", f"{second} (second)"
    return first, second


def _rows(
    sample: PairedSample, places: Any, groups: Sequence[str], names: tuple[str, str]
) -> dict[str, list[Any]]:
    """Return columns of some items of one task."""
    labels = {}
    for name in groups:
        grouping = sample.groups.get(name)
        codes = [-1] * len(places) if grouping is None else grouping.codes[places].tolist()
        known = () if grouping is None else grouping.labels
        labels[name] = [None if code < 0 else known[code] for code in codes]
    first, second = names
    return {
        "task": [sample.task] * len(places),
        "item": [sample.items[k] for k in places.tolist()],
        **labels,
        first: _rounded(sample.a[places]),
        second: _rounded(sample.b[places]),
        f"{first} runs": _runs(sample.runs_a, places),
        f"{second} runs": _runs(sample.runs_b, places),
        "gap": _rounded(_gaps(sample)[places]),
    }


def differing(
    samples: Sequence[PairedSample], direction: Which, names: tuple[str, str]
) -> dict[str, list[Any]]:
    """Return items on which the first model is better (``gained``) or worse (``lost``)."""
    checks.choice("direction", direction, ("gained", "lost"))
    if not samples or not all(sample.items for sample in samples):
        msg = "This comparison does not contain its items. Run it again from the scores."
        raise DataError(msg)
    if any(s.correction is not None and s.correction.statistic is not None for s in samples):
        msg = f"Items have no scores of their own. Remove {arg('statistic')}."
        raise DataError(msg)
    if any(sample.correction is not None for sample in samples):
        msg = (
            "Weighted items cannot be listed, because they have no individual scores. Remove "
            f"{arg('weights')}."
        )
        raise DataError(msg)
    columns = list(dict.fromkeys(name for sample in samples for name in sample.groups))
    models = _model_columns(names, {"task", "item", "gap", *columns})
    parts = [_rows(sample, _better(sample, direction), columns, models) for sample in samples]
    return {key: [x for part in parts for x in part[key]] for key in parts[0]}
