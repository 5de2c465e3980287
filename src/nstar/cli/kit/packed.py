"""Packed matrices on the command line: which paths are such, and what they hold."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from nstar._data.findings import Finding
    from nstar._data.matrix import ScoreMatrix


def _packs(paths: Sequence[str]) -> list[str]:
    from nstar._data.pack.load import is_pack

    return [path for path in paths if is_pack(path)]


def refuse_packs(paths: Sequence[str]) -> None:
    """Say of a packed matrix that logs are wanted."""
    from nstar.errors import ReadError

    for path in _packs(paths):
        msg = f"{path}: is a packed matrix, which nstar audit takes; give the logs here"
        raise ReadError(msg)


def open_packs(
    paths: Sequence[str], allowed: Sequence[str], about_logs: Collection[str]
) -> "list[tuple[ScoreMatrix, tuple[Finding, ...]]] | None":
    """The packed matrices that all paths are, each with what was found before; None if none is."""
    from nstar._data.findings import allow
    from nstar._data.pack import open_pack, packed_findings
    from nstar.errors import ReadError

    packs = _packs(paths)
    if not packs:
        return None
    _refuse_reading(packs[0], about_logs)
    if len(packs) < len(paths):
        msg = f"{packs[0]} is a packed matrix and others are logs; give one kind at a time"
        raise ReadError(msg)
    matrices = [open_pack(path) for path in packs]
    _refuse_twice(packs, matrices)
    found = (allow(packed_findings(path), allowed) for path in packs)
    return list(zip(matrices, found, strict=True))


def _refuse_reading(pack: str, about_logs: Collection[str]) -> None:
    """Options that say how logs are read say nothing of a pack."""
    ctx = click.get_current_context()
    for param in ctx.command.params:
        name = param.name or ""
        said = ctx.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)
        if name in about_logs and said:
            msg = f"{pack} is packed, and {param.opts[0]} is about logs; give it to nstar pack"
            raise click.UsageError(msg)


def _refuse_twice(packs: Sequence[str], matrices: "Sequence[ScoreMatrix]") -> None:
    """Two packs of one task and metric: neither may be left out in silence."""
    from nstar.errors import DataError

    first: dict[tuple[str, str], str] = {}
    for path, matrix in zip(packs, matrices, strict=True):
        other = first.setdefault((matrix.task, matrix.metric), path)
        if other is not path:
            what = f"task {matrix.task or '(no name)'!r}, metric {matrix.metric or '(no name)'!r}"
            msg = f"{other} and {path} both hold {what}; give one, or pack their logs together"
            raise DataError(msg)
