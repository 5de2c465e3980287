"""Detect the kind of data: matrices, scores in the order of items, or rows to read."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any, TypeAlias

import numpy as np

from nstar._base import checks
from nstar._data.findings import refuse_fatal
from nstar._data.matrix import ScoreMatrix
from nstar._data.series import holds_columns, labels_of
from nstar.errors import DataError, ParameterError, arg

Data: TypeAlias = Any
"""Any object that holds scores: arrays, Series, frames, mappings, records, paths, tables,
matrices."""

_TRUTH = {"true", "false"}
"""Texts that stand for scores and not for paths."""


def matrices_in(data: Any) -> list[ScoreMatrix] | None:
    """Return the matrices that an object is or that a mapping of scores makes; otherwise None.

    >>> [m.models for m in matrices_in({"a": [1, 0, 1], "b": [1, 1, 0]})]
    [('a', 'b')]
    >>> matrices_in({"item": [1, 2], "a": [1, 0]}) is None
    True
    """
    if isinstance(data, Mapping) and (
        bool(data) and all(isinstance(x, int | float | np.number | bool) for x in data.values())
    ):
        return [ScoreMatrix.from_arrays([list(data.values())], models=["A"], items=list(data))]
    if isinstance(data, Mapping) and _is_scores(data):
        return [_matrix(data)]
    values = list(data) if isinstance(data, list | tuple) else [data]
    return values if values and all(isinstance(m, ScoreMatrix) for m in values) else None


def lowered(matrices: Sequence[ScoreMatrix], *, lower_is_better: bool) -> list[ScoreMatrix]:
    """Return the matrices with the score direction that the caller declares."""
    checks.truth(lower_is_better=lower_is_better)
    if not lower_is_better:
        return list(matrices)
    return [replace(matrix, lower_is_better=True) for matrix in matrices]


def refuse_conflicts(matrices: Sequence[ScoreMatrix]) -> None:
    """Raise DataError for two matrices of one task and metric, or for contradictory rows.

    Contradictory rows are accepted once the user has chosen which of them count.
    """
    keys: set[tuple[str, str]] = set()
    for matrix in matrices:
        if (matrix.task, matrix.metric) in keys:
            task = f"Task {matrix.task!r}" if matrix.task else "A task without a name"
            msg = f"{task} is repeated. Pass each task once."
            raise ParameterError(msg)
        keys.add((matrix.task, matrix.metric))
        known = matrix.alignment
        if known.conflicting and known.settled == "refuse":
            from nstar._verbs.data_summary import coverage

            findings = coverage([matrix]).findings
            refuse_fatal(f for f in findings if f.code == "conflicting-rows")


def _is_scores(data: Mapping[Any, Any]) -> bool:
    """Return whether a mapping holds one model's scores per key, without a column for pairing."""
    from nstar.readers._tables._columns import recognized

    if not data or recognized(map(str, data)) & {"item", "model", "score"}:
        return False
    return all(_is_numeric(values) for values in data.values())


def _is_numeric(values: Any) -> bool:
    try:
        kind = np.asarray(values).dtype.kind
    except ValueError:
        return False
    return kind in "bif" or (kind == "O" and labels_of(values) is not None)


def _matrix(scores: Mapping[Any, Any]) -> ScoreMatrix:
    """Return a matrix of models by name.

    Series pair by their index, everything else by position.
    """
    bare = {str(k): len(v) for k, v in scores.items() if labels_of(v) is None}
    if len(set(bare.values())) > 1:
        lengths = ", ".join(f"{name} {size:,}" for name, size in list(bare.items())[:5])
        msg = (
            f"Scores have different lengths ({lengths}) but are paired by position. "
            "Fill gaps with NaN, or pass a frame with an item column."
        )
        raise DataError(msg)
    return ScoreMatrix.from_arrays(list(scores.values()), models=[str(name) for name in scores])


def _is_table(data: Any) -> bool:
    """Return whether the object is a Table, without importing pyarrow."""
    loaded = sys.modules.get("nstar._data.table")
    return loaded is not None and isinstance(data, loaded.Table)


def is_rows(data: Any) -> bool:
    """Return whether the data are read as rows: paths, a frame, columns, records, or a Table."""
    if isinstance(data, str | PathLike) or holds_columns(data) or _is_table(data):
        return True
    is_list = isinstance(data, list | tuple) and bool(data)
    if is_list and all(isinstance(text, str) and text.lower() in _TRUTH for text in data):
        msg = (
            f"Scores must be numbers or booleans; got text ({data[0]!r}). Convert them, "
            'for example [s == "True" for s in a].'
        )
        raise ParameterError(msg)
    return is_list and all(isinstance(path, str | PathLike) for path in data)


def readable(data: Any) -> Any:
    """Return the data in the form that readers take, with paths as text."""
    if isinstance(data, str | PathLike):
        return fspath(data)
    if isinstance(data, list | tuple) and all(isinstance(x, str | PathLike) for x in data):
        return [fspath(x) for x in data]
    return data


def refuse_kind(subject: str, data: Any) -> None:
    """Raise ParameterError for data that hold scores without naming their models."""
    shape = getattr(data, "shape", None)
    is_ = f"an array of shape {shape}" if isinstance(shape, tuple) else type(data).__name__
    msg = (
        f"{subject} needs scores by model; got {is_}. Pass a frame, a path, a "
        'ScoreMatrix, or a mapping from model to scores such as {"gpt-x": scores_x, '
        '"gpt-y": scores_y}.'
    )
    raise ParameterError(msg)


def model_named(word: str, value: Any) -> str | None:
    """Return the model that ``a`` or ``b`` names. Frames may name a model by a number."""
    if value is None or isinstance(value, str | int | np.integer):
        return None if value is None else str(value)
    msg = f"{arg(word)} must be a model name; got {value!r:.60}"
    raise ParameterError(msg)
