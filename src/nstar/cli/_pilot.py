"""``--pilot``: per-item differences of an evaluation at hand, from a column or from logs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["pilot_differences"]

_LARGEST = 1 << 26
"""Bytes of a file that may be a column of numbers."""
_READING: dict[str, Any] = {
    "from_": None,
    "columns": (),
    "groups": (),
    "errors": "harness",
    "runs": "latest",
    "duplicates": "refuse",
    "skip_bad": 0,
    "allow": (),
    "tasks": (),
    "metric": None,
}
"""Logs are read as ``nstar compare`` reads them if nothing is said."""


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
    found = [_number(line) for line in lines[heading:]]
    numbers = tuple(x for x in found if x is not None)
    return numbers if numbers and len(numbers) == len(found) else None


def _of_logs(paths: Sequence[str]) -> tuple[float, ...]:
    from nstar._compare.sample import from_matrix
    from nstar._findings import refuse_fatal
    from nstar.cli._sides import load_sides, parse_sides
    from nstar.errors import DataError

    ready = load_sides(parse_sides(paths, None, None), _READING)
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
    found = _column(Path(paths[0])) if len(paths) == 1 else None
    return _of_logs(paths) if found is None else found
