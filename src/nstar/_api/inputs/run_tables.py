"""Tables of repeated runs, from data of any kind."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nstar._api.inputs.data_kinds import is_rows, readable
from nstar._api.inputs.model_source import one_side
from nstar._api.inputs.reading import ReadSettings
from nstar._api.inputs.run_logs import LogGroup, RunSelection, run_logs
from nstar._api.reading_words import ReadingWords
from nstar._data.findings import Finding
from nstar._data.series import aligned, is_frame
from nstar._verbs.runs import RunTable, table_of
from nstar.errors import ParameterError, arg
from nstar.readers._tables._columns import recognized


def run_tables_in(
    data: Any, other: Any, selection: RunSelection, words: ReadingWords
) -> tuple[tuple[RunTable, ...], tuple[Finding, ...]]:
    """Return one RunTable for each selected model, and findings about the data."""
    inputs = [data] if other is None else [data, other]
    present = [isinstance(x, RunTable) for x in inputs]
    rows = [
        not p and holds_rows(x, is_single=other is None)
        for p, x in zip(present, inputs, strict=True)
    ]
    if all(present):
        lower = words.get("lower_is_better", False)
        return tuple(replace(t, lower_is_better=True) if lower else t for t in inputs), ()
    if any(present) or any(rows) != all(rows):
        msg = (
            "The scores of both models must have the same form: two arrays, two frames, or two "
            "tables."
        )
        raise ParameterError(msg)
    if all(rows):
        reading = ReadSettings.of(words, "runs", runs="all")
        return run_logs(_groups(inputs, selection), reading, selection)
    lower = words.pop("lower_is_better", False)
    for name in words:
        msg = f"{arg(name)} applies to logs and tables, not to arrays. Remove it."
        raise ParameterError(msg)
    names = (selection.a or "A", selection.b or "B")
    in_order = aligned(dict(zip(("a", "b"), inputs, strict=False))).values()
    tables = (table_of(x, name) for x, name in zip(in_order, names, strict=False))
    return tuple(replace(table, lower_is_better=lower) for table in tables), ()


def holds_rows(data: Any, *, is_single: bool) -> bool:
    """Return whether data are read as rows; otherwise they are an array of tasks x runs.

    A frame that is not one of a pair may have a column for each model.
    """
    if is_frame(data) and not isinstance(data, RunTable):
        columns = [str(c) for c in getattr(data, "column_names", data.columns)]
        known_columns = recognized(columns) & {"item", "model", "score", "run"}
        return bool(known_columns) or (is_single and not _numbered(columns))
    return is_rows(data)


def _numbered(columns: Sequence[str]) -> bool:
    """Return whether the columns are runs: one name with different numbers, or one column.

    >>> _numbered(["0", "1"]), _numbered(["run 1", "run 2"]), _numbered(["gpt-x", "gpt-y"])
    (True, True, False)
    """
    stems = {column.rstrip("0123456789") for column in columns}
    return len(columns) < 2 or (len(stems) == 1 and stems.isdisjoint(columns))


def _groups(inputs: list[Any], selection: RunSelection) -> list[LogGroup]:
    if len(inputs) == 1:
        texts = [inputs[0]] if isinstance(inputs[0], str) else inputs[0]
        if isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts):
            return [replace(group, usual=selection.a or "A") for group in log_groups(texts)]
        return [LogGroup(data=readable(inputs[0]), usual=selection.a or "A")]
    return [
        LogGroup(data=readable(x), model=model, usual=usual)
        for x, model, usual in zip(inputs, (selection.a, selection.b), ("A", "B"), strict=True)
    ]


def log_groups(texts: Sequence[str]) -> list[LogGroup]:
    """Group logs written as ``[NAME=]PATH[::MODEL]``. Logs without NAME are grouped by model."""
    sides = [one_side(text) for text in texts]
    plain = [side for side in sides if side.label is None]
    groups = [
        LogGroup(
            data=list(dict.fromkeys(side.data for side in plain if side.model == model)),
            model=model,
        )
        for model in dict.fromkeys(side.model for side in plain)
    ]
    return groups + [
        LogGroup(data=[side.data], model=side.model, label=side.label)
        for side in sides
        if side.label is not None
    ]
