"""Pilots: existing scores that replace the assumptions of a plan."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from nstar._base.verb import is_given
from nstar.errors import ParameterError, QuestionError, arg, by_interface

if TYPE_CHECKING:
    from nstar._api.inputs.model_source import ModelSource
    from nstar._api.reading_words import PilotWords, ReadingWords
    from nstar._data.findings import Finding
    from nstar._verbs.runs import RunTable


def check_mode(pilot: Any, *, assumed: Mapping[str, Any], of_pilot: Mapping[str, Any]) -> None:
    """Refuse assumptions together with a pilot, and parameters of a pilot without one.

    Raises
    ------
    QuestionError
        The message names what to omit.
    """
    if pilot is not None:
        for name, value in assumed.items():
            if is_given(value):
                msg = (
                    f"The pilot already determines {arg(name)}. Remove {arg(name)}, or do not "
                    "pass the pilot."
                )
                raise QuestionError(msg)
        return
    for name, value in of_pilot.items():
        if is_given(value) and name != "progress":
            msg = (
                f"{arg(name)} applies only to a pilot. Pass the scores of the pilot as the first "
                f"argument, or remove {arg(name)}."
            )
            raise QuestionError(msg)


def pilot_sides(data: Any, other: Any) -> "tuple[ModelSource, ModelSource]":
    """Return the two models of a pilot, from data of both or of one each."""
    first = _side(data, "A")
    if other is None and first.label is not None:
        msg = (
            f"{data} selects only one model, but a pilot has two. Add the log of the other model."
        )
        raise QuestionError(msg)
    return first, replace(first, usual="B") if other is None else _side(other, "B")


def _side(data: Any, usual: str) -> "ModelSource":
    from nstar._api.inputs.data_kinds import readable
    from nstar._api.inputs.model_source import ModelSource, one_side

    if not isinstance(data, str):
        return ModelSource(data=readable(data), usual=usual, choice="a pilot of two models")
    side = one_side(data)
    return replace(side, usual=usual, choice=f"{side.data}::MODEL once for each of two models")


def run_tables_of(
    data: Any, other: Any, reading: "PilotWords", *, many: bool = False
) -> "tuple[tuple[RunTable, ...], tuple[Finding, ...]]":
    """Return one table of runs for each model of a pilot, and warnings about the data.

    Parameters
    ----------
    data, other : object
        What :func:`nstar.runs` takes.
    reading : PilotWords
        How data are read, with the task and the metric.
    many : bool, default False
        Accept more than two models.
    """
    from nstar._api.inputs.run_logs import RunSelection
    from nstar._api.inputs.run_tables import holds_rows, run_tables_in
    from nstar._verbs.runs import RunTable

    task, metric = reading.pop("task", None), reading.pop("metric", None)
    is_read = not isinstance(data, RunTable) and holds_rows(data, is_single=other is None)
    if not is_read and (task is not None or metric is not None):
        selector = arg("metric" if task is None else "task")
        msg = (
            f"{selector} selects from logs or tables, but these data are neither. Remove "
            f"{selector}."
        )
        raise ParameterError(msg)
    tables = data if isinstance(data, list | tuple) else ()
    if many and tables and all(isinstance(table, RunTable) for table in tables):
        return tuple(tables), ()
    choice = "Choose two models with PATH::MODEL" if is_read else "Choose two models"
    command = by_interface(python="nstar.plan_board", command="nstar plan board")
    selection = RunSelection(
        task=task, metric=metric, many=many, choice=f"{choice}, or use {command} for all models."
    )
    tables, findings = run_tables_in(data, other, selection, cast("ReadingWords", reading))
    return tables, tuple(f for f in findings if _matters(f))


def _matters(finding: "Finding") -> bool:
    """Return whether a finding about a pilot changes the plan: missing costs, and warnings."""
    if finding.code == "dropped":
        return "cost" in finding.text
    return finding.level == "warning" and finding.code != "unequal-runs"


def score_limits(tables: "tuple[RunTable, ...]") -> tuple[float, float]:
    """Return the lowest and highest score of a pilot, or 0 and 1 if all scores lie between."""
    import numpy as np

    scores = [t.scores[~np.isnan(t.scores)] for t in tables]
    low = min((float(s.min()) for s in scores if s.size), default=0.0)
    high = max((float(s.max()) for s in scores if s.size), default=1.0)
    return (low, high) if low < 0 or high > 1 else (0.0, 1.0)
