"""Pilots: scores at hand, which a plan takes instead of assumptions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nstar._base.verb import is_given
from nstar.errors import DataError, ParameterError, QuestionError, arg

if TYPE_CHECKING:
    from nstar._api.inputs.model_source import ModelSource
    from nstar._verbs.runs import RunTable


def check_mode(pilot: Any, *, assumed: Mapping[str, Any], of_pilot: Mapping[str, Any]) -> None:
    """Refuse assumptions beside a pilot, and parameters of a pilot where there is none.

    Raises
    ------
    QuestionError
        The message names what to omit.
    """
    if pilot is not None:
        for name, value in assumed.items():
            if is_given(value):
                msg = f"The pilot shows what {arg(name)} assumes: omit {arg(name)}, or the pilot."
                raise QuestionError(msg)
        return
    for name, value in of_pilot.items():
        if is_given(value) and name != "progress":
            msg = f"{arg(name)} is about a pilot: give its scores first, or omit {arg(name)}."
            raise QuestionError(msg)


def pilot_sides(data: Any, other: Any) -> "tuple[ModelSource, ModelSource]":
    """Return the two models of a pilot, from data of both or of one each."""
    first = _side(data, "A")
    if other is None and first.label is not None:
        msg = f"{data} names one model of two; add the log of the other model"
        raise QuestionError(msg)
    return first, replace(first, usual="B") if other is None else _side(other, "B")


def _side(data: Any, usual: str) -> "ModelSource":
    from nstar._api.inputs.data_kinds import readable
    from nstar._api.inputs.model_source import ModelSource, one_side

    if not isinstance(data, str):
        return ModelSource(data=readable(data), usual=usual, choice="a pilot of two models")
    side = one_side(data)
    return replace(side, usual=usual, choice=f"{side.data}::MODEL, once for each of two models")


def pilot_tables(
    pilot: Any, *, task: str | None = None, metric: str | None = None
) -> "tuple[RunTable, ...]":
    """Tables of runs, one for each model.

    Parameters
    ----------
    pilot
        What :func:`nstar.runs` takes: paths, a frame, a :class:`nstar.RunTable`, an array of tasks
        x runs with NaN where there is no score; or a pair of any.
    task, metric
        Task set and score that are meant; tables must be of these.

    Examples
    --------
    >>> a, b = pilot_tables(([[1, 0], [1, 1], [0, 1]], [[1], [0], [0]]))
    >>> a.model, a.scores.shape, b.model, b.scores.shape
    ('A', (3, 2), 'B', (3, 1))
    """
    from nstar._verbs.runs import RunTable

    both = pilot if isinstance(pilot, tuple | list) else (pilot,)
    if both and all(isinstance(one, RunTable) for one in both):
        for table in both:
            _refuse_other(table, task, metric)
        return tuple(both)
    pair = isinstance(pilot, tuple) and len(pilot) == 2
    first, second = pilot if pair else (pilot, None)
    from nstar._api.inputs.run_logs import RunSelection
    from nstar._api.inputs.run_tables import holds_rows, run_tables_in

    if holds_rows(first):
        found, _ = run_tables_in(
            first, second, RunSelection(task=task, metric=metric, many=True), {}
        )
        return found
    if task is not None or metric is not None:
        name = "metric" if task is None else "task"
        msg = f"{arg(name)} is about logs or tables of runs; an array has none"
        raise ParameterError(msg)
    arrays = pilot if pair else (pilot,)
    return tuple(_of_array(one, name) for one, name in zip(arrays, "AB", strict=False))


def _refuse_other(table: "RunTable", task: str | None, metric: str | None) -> None:
    """The task set and the score, whole or up to a comma, are those named."""
    if task is not None and table.task != task:
        msg = f"no task {task!r}; the pilot of {table.model} is of {table.task or '(no name)'!r}"
        raise DataError(msg)
    if metric is not None and metric not in (table.metric, table.metric.partition(",")[0]):
        msg = f"no metric {metric!r}; the pilot of {table.model} has {table.metric!r}"
        raise DataError(msg)


def _of_array(scores: Any, name: str) -> "RunTable":
    import numpy as np

    from nstar._verbs.runs import table_of

    try:
        table = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.ndim != 2 or np.isinf(table).any():
        msg = (
            f"{arg('pilot')} must be a RunTable, an array of tasks x runs (NaN for no score), or "
            f"a pair of either; got {_shown(scores)}"
        )
        raise ParameterError(msg)
    return table_of(table, name)


def _shown(scores: Any) -> str:
    shape = getattr(scores, "shape", None)
    return type(scores).__name__ if shape is None else f"an array of shape {shape}"


def score_limits(tables: "tuple[RunTable, ...]") -> tuple[float, float]:
    """Least and largest score of a pilot, or 0 and 1 if all lie between."""
    import numpy as np

    scores = [t.scores[~np.isnan(t.scores)] for t in tables]
    low = min((float(s.min()) for s in scores if s.size), default=0.0)
    high = max((float(s.max()) for s in scores if s.size), default=1.0)
    return (low, high) if low < 0 or high > 1 else (0.0, 1.0)
