"""Open packed matrices, which are memory-mapped instead of read."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nstar._data.findings import Finding, allow
from nstar._data.matrix import ScoreMatrix
from nstar.errors import DataError, ParameterError, ReadError, arg


def packs_of(data: Any) -> list[str]:
    """Return the paths that are packs."""
    sources = data if isinstance(data, list | tuple) else [data]
    paths = [os.fspath(x) for x in sources if isinstance(x, str | os.PathLike)]
    folders = [path for path in paths if Path(path).is_dir()]
    if not folders:
        return []
    from nstar._data.pack import is_pack

    return [path for path in folders if is_pack(path)]


def refuse_packs(data: Any) -> None:
    """Raise an error if a packed matrix is passed where logs are needed."""
    for path in packs_of(data):
        msg = f"{path} is a pack, and only nstar audit accepts packs. Pass the logs instead."
        raise ReadError(msg)


def refuse_read_options(pack: str, names: Sequence[str]) -> None:
    """Refuse parameters about reading logs, which have no effect on a pack."""
    for name in names:
        if name not in {"allow", "progress"}:
            msg = (
                f"{pack} is a pack, so {arg(name)} has no effect. Set {arg(name)} when you pack "
                "the logs."
            )
            raise ParameterError(msg)


def open_packs(
    paths: Sequence[str], allowed: Sequence[str]
) -> list[tuple[ScoreMatrix, tuple[Finding, ...]]]:
    """Open the packed matrices of the paths, each with the findings stored in it."""
    from nstar._data.pack import open_pack, packed_findings

    packs = packs_of(list(paths))
    if len(packs) < len(paths):
        msg = f"{packs[0]} is a pack, but other inputs are logs. Pass only packs or only logs."
        raise ReadError(msg)
    matrices = [open_pack(path) for path in packs]
    _refuse_twice(packs, matrices)
    findings = (allow(packed_findings(path), allowed) for path in packs)
    return list(zip(matrices, findings, strict=True))


def _refuse_twice(packs: Sequence[str], matrices: Sequence[ScoreMatrix]) -> None:
    """Raise DataError for two packs of one task and metric; neither is dropped silently."""
    first: dict[tuple[str, str], str] = {}
    for path, matrix in zip(packs, matrices, strict=True):
        other = first.setdefault((matrix.task, matrix.metric), path)
        if other is not path:
            subject = (
                f"task {matrix.task or '(no name)'!r}, metric {matrix.metric or '(no name)'!r}"
            )
            msg = (
                f"{other} and {path} both contain {subject}. Pass one of them, or pack their "
                "logs together."
            )
            raise DataError(msg)
