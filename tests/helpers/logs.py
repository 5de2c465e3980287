"""Reading logs in tests: one reader, its journal, and damage done to copies of real logs."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nstar._data.table import Source, Table
from nstar.errors import ReadError
from nstar.readers import collect
from nstar.readers._base import Journal, Reader, ReaderOptions
from nstar.readers._scan import LogScan, find_units

__all__ = ["FIXTURES", "SHARED", "Log", "attack", "copy", "edit", "hostile", "rows"]

FIXTURES = Path(__file__).parents[1] / "fixtures"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "formats"
"""Larger real outputs beside the repository, where they are at hand."""

STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e999,
    10**30,
    "",
    "\0",
    "x" * 300,
    [],
    {},
    [[]],
    {"": 0},
)


class Log:
    """What one reader makes of some paths."""

    def __init__(self, reader: Reader, *paths: Path | str, **options: Any) -> None:
        self.journal = Journal(options=ReaderOptions(**options))
        units = find_units(list(paths), (reader,), self.journal)
        self.table: Table = collect(LogScan(units, self.journal))

    @property
    def source(self) -> Source:
        """The only log."""
        (only,) = self.table.sources
        return only

    def of(self, model: str, task: str | None = None) -> list[Source]:
        """The logs of a model."""
        return [
            s for s in self.table.sources if s.model == model and (task is None or s.task == task)
        ]

    def scores(self, **where: str) -> dict[str, float | None]:
        """Item to score, of the rows that have these values."""
        return {row["item"]: row["score"] for row in rows(self.table, **where)}


def rows(table: Table, **where: str) -> list[dict[str, Any]]:
    """Rows that have these values."""
    return [r for r in table.data.to_pylist() if all(r[k] == v for k, v in where.items())]


def copy(source: Path, target: Path) -> Path:
    """A copy to do damage to."""
    shutil.copytree(source, target)
    return target


def edit(path: Path, **changed: Any) -> None:
    """Change keys of a JSON object."""
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changed), "utf-8")


def hostile(value: Any) -> Iterator[Any]:
    """The value with each of its parts in turn replaced by something strange."""
    yield from STRANGE
    if isinstance(value, dict):
        for key, part in value.items():
            yield {k: v for k, v in value.items() if k != key}
            yield from ({**value, key: new} for new in hostile(part))
    elif isinstance(value, list) and value:
        yield from ([new, *value[1:]] for new in hostile(value[0]))


def attack(reader: Reader, root: Path, file: Path) -> list[str]:
    """Errors that do not name a file, when the JSON file below the root holds strange values.

    Anything but a :class:`ReadError` goes through.
    """
    good = file.read_bytes()
    nameless = []
    for value in hostile(json.loads(good)):
        file.write_text(json.dumps(value), "utf-8")
        try:
            Log(reader, root, skip_bad=1000)
        except ReadError as error:
            nameless += [] if str(root) in str(error) else [str(error)]
    file.write_bytes(good)
    return nameless
