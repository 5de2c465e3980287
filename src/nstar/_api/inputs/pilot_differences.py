"""Differences of two models per item, from a pilot."""

import re
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from nstar._api.inputs.model_source import ModelSource, one_side
from nstar.errors import DataError, QuestionError, arg

_MAX_COLUMN_BYTES = 1 << 26
"""Largest file, in bytes, that is tried as a column of numbers."""
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def pilot_differences(pilot: Any) -> tuple[float, ...]:
    """Return first model minus second on every item that both answered.

    ``pilot`` can be the differences, a file with one per line, a log of two models, or a log of
    each model.

    Raise DataError if the logs cannot be read, or have several tasks.
    """
    parts: list[Any] = [pilot] if isinstance(pilot, str | PathLike) else list(pilot)
    if not all(isinstance(part, str | PathLike) for part in parts):
        return tuple(map(float, parts))
    paths = list(map(fspath, parts))
    column = _column(Path(paths[0])) if len(paths) == 1 else None
    if column is not None:
        return column
    try:
        return _of_logs(paths)
    except DataError as error:
        fix = "Alternatively, convert the log with nstar read FILE --out pilot.parquet"
        msg = f"{str(error).rstrip('.')}. {fix}, or use a file with one difference per line."
        raise type(error)(msg) from error


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _column(path: Path) -> tuple[float, ...] | None:
    """Return the numbers of a file, one per line, or None if it is another file."""
    if not path.is_file() or path.stat().st_size > _MAX_COLUMN_BYTES:
        return None
    try:
        lines = [line.strip() for line in path.read_text("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        return None
    lines = [line for line in lines if line]
    has_heading = bool(lines) and _number(lines[0]) is None
    values = [_number(line) for line in lines[has_heading:]]
    numbers = tuple(x for x in values if x is not None)
    others = [line for line, x in zip(lines[has_heading:], values, strict=True) if x is None]
    if others and all(map(_DECIMAL_COMMA.fullmatch, others)):
        msg = f"{path}: {others[0][:40]!r} has a decimal comma. Use decimal points (0.5)."
        raise DataError(msg)
    return numbers if numbers and len(numbers) == len(values) else None


def _side(path: str, model: str | None = None) -> ModelSource:
    """Return one model. An error about the choice of models names the parameter."""
    option = arg("pilot", f"{path}::MODEL")
    return ModelSource(data=path, model=model, choice=f"{option} once for each of two models")


def _sides(paths: Sequence[str]) -> tuple[ModelSource, ModelSource]:
    if len(paths) not in (1, 2):
        msg = f"{arg('pilot')} must be one log of two models, or two logs; got {len(paths)}"
        raise QuestionError(msg)
    if len(paths) == 1:
        return _side(paths[0]), _side(paths[0])
    first, second = map(one_side, paths)
    return _side(first.data, first.model), _side(second.data, second.model)


def _of_logs(paths: Sequence[str]) -> tuple[float, ...]:
    from nstar._api.inputs.aligned_pair import load_sides
    from nstar._api.inputs.reading import ReadSettings
    from nstar._data.findings import list_tasks, refuse_fatal
    from nstar._verbs.compare.sample import from_matrix

    pair = load_sides(_sides(paths), ReadSettings.of({}))
    refuse_fatal(pair.coverage.findings)
    if len(pair.matrices) != 1:
        tasks = list_tasks(m.task for m in pair.matrices)
        msg = f"A pilot needs one task. These logs have {len(pair.matrices)}: {tasks}"
        raise DataError(msg)
    shared = from_matrix(pair.matrices[0], pair.names).shared()
    return tuple((shared.a - shared.b).tolist())
