"""``--pilot`` of simulations: differences of two models, item by item."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nstar.cli.kit.params import defaults
from nstar.cli.kit.reading import ReadingOptions, TaskOptions

if TYPE_CHECKING:
    from nstar._api.inputs.model_source import ModelSource

_LARGEST = 1 << 26
"""Bytes of a file that may be a column of numbers."""
_COMMA = re.compile(r"[+-]?\d+,\d+")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _column(path: Path) -> tuple[float, ...] | None:
    """Numbers, a line each, below a heading if there is one; None if it is another file."""
    if not path.is_file() or path.stat().st_size > _LARGEST:
        return None
    try:
        lines = [line.strip() for line in path.read_text("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        return None
    lines = [line for line in lines if line]
    heading = bool(lines) and _number(lines[0]) is None
    values = [_number(line) for line in lines[heading:]]
    numbers = tuple(x for x in values if x is not None)
    others = [line for line, x in zip(lines[heading:], values, strict=True) if x is None]
    if others and all(map(_COMMA.fullmatch, others)):
        from nstar.errors import DataError

        msg = f"{path}: {others[0][:40]!r} has a decimal comma; write points in numbers (0.5)"
        raise DataError(msg)
    return numbers if numbers and len(numbers) == len(values) else None


def _sides(paths: Sequence[str]) -> "tuple[ModelSource, ModelSource]":
    """Two models of a pilot; an error about the choice of models names --pilot."""
    from nstar.cli.kit.sides import parse_sides

    first, second = (
        replace(side, choice=f"--pilot {side.data}::MODEL, once for each of two models")
        for side in parse_sides(paths, None, None)
    )
    return first, second


def _of_logs(paths: Sequence[str]) -> tuple[float, ...]:
    from nstar._data.findings import refuse_fatal
    from nstar._verbs.compare.sample import from_matrix
    from nstar.cli.kit.sides import load_sides
    from nstar.errors import DataError

    ready = load_sides(_sides(paths), defaults(ReadingOptions), defaults(TaskOptions))
    refuse_fatal(ready.coverage.findings)
    if len(ready.matrices) != 1:
        tasks = ", ".join(m.task or "(no task)" for m in ready.matrices)
        msg = f"a pilot has one task; these logs have {len(ready.matrices)}: {tasks}"
        raise DataError(msg)
    shared = from_matrix(ready.matrices[0], ready.names).shared()
    return tuple((shared.a - shared.b).tolist())


def pilot_differences(paths: Sequence[str]) -> tuple[float, ...]:
    """First model minus second on every item that both have.

    Parameters
    ----------
    paths
        A file with one number per line; or what ``nstar compare`` takes: one path with two
        models, or two paths.

    Raises
    ------
    DataError
        If it is neither, or the logs cannot be read.
    """
    from nstar.errors import DataError

    column = _column(Path(paths[0])) if len(paths) == 1 else None
    if column is not None:
        return column
    try:
        return _of_logs(paths)
    except DataError as error:
        fix = "Convert the log first (nstar read FILE --out pilot.parquet, with options)"
        msg = f"{str(error).rstrip('.')}. {fix}, or give a file with one difference per line"
        raise type(error)(msg) from error
