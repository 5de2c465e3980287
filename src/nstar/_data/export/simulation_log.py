"""Log of finished batches of a simulation, so that an interrupted run can be resumed.

The directory contains a manifest of the simulation and ``batches.jsonl``. Each line contains the
number of finished batches of a cell, and their counts. A later line for the same cell replaces an
earlier one.
"""

import errno
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Generic, Protocol, Self, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from nstar._base.version import __version__
from nstar._data.export.files import NewFile, local_path
from nstar._data.export.folder import folder, take_folder
from nstar.errors import DataError

_LOG = "batches.jsonl"
_EVERY = 0.5
"""Seconds between two lines of the same cell."""


class _Summable(Protocol):
    """Counts that are stored for a cell."""

    @property
    def reps(self) -> int: ...
    @property
    def events(self) -> tuple[int, ...]: ...
    @property
    def truth(self) -> float: ...
    @property
    def sums(self) -> tuple[tuple[float, ...], ...]: ...


T = TypeVar("T", bound=_Summable)


class SimulationLog(Generic[T]):
    """Log of a simulation, used as a context manager.

    The directory must be empty or contain the log of the same simulation. ``about`` has everything
    that the results depend on, as JSON values.
    """

    def __init__(self, directory: str, header: Mapping[str, Any], tally: Callable[..., T]) -> None:
        self.root = local_path(directory)
        self._tally = tally
        manifest = {"schema": "nstar.simulation-log/1", "nstar": __version__, **header}
        take_folder(folder(directory), manifest, kind="simulation")
        self._done: dict[int, tuple[int, T]] = {}
        self._cell, self._line = -1, b""
        self._written = time.monotonic()
        self._file: BinaryIO

    @property
    def path(self) -> Path:
        """Return the path of the file with the lines."""
        return self.root / _LOG

    @property
    def reps(self) -> int:
        """Return the number of stored replications."""
        return sum(tally.reps for _, tally in self._done.values())

    def __enter__(self) -> Self:
        """Read the stored lines, and open the file for appending."""
        try:
            if self.path.is_symlink():
                msg = (
                    f"{self.path} is a link; nstar does not write through links. Choose a "
                    "file that is not a link."
                )
                raise DataError(msg)
            self._read(self.path.read_bytes() if self.path.exists() else b"")
            self._file = self.path.open("ab", buffering=0)
        except OSError as error:
            raise self._failed(error) from error
        return self

    def __exit__(self, *_: object) -> None:
        """Write pending lines."""
        try:
            self._write()
        finally:
            self._file.close()

    def finished(self, cell: int) -> tuple[int, T] | None:
        """Return the finished batches of a cell and their tally."""
        return self._done.get(cell)

    def keep(self, cell: int, batches: int, tally: T) -> None:
        """Store the batches of a cell.

        They are written to disk within half a second of work, or when the next cell begins.
        """
        if cell != self._cell:
            self._write()
        self._done[cell] = batches, tally
        line: dict[str, Any] = {"cell": cell, "batches": batches, "reps": tally.reps}
        line |= {"events": list(tally.events), "truth": tally.truth}
        if tally.sums:
            line["sums"] = tally.sums
        self._cell, self._line = cell, json.dumps(line).encode() + b"\n"
        if time.monotonic() - self._written >= _EVERY:
            self._write()

    def _write(self) -> None:
        line, self._line = self._line, b""
        if not line:
            return
        try:
            written = self._file.write(line)
        except OSError as error:
            raise self._failed(error) from error
        if written != len(line):
            raise self._failed(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        self._written = time.monotonic()

    def _read(self, data: bytes) -> None:
        """Parse complete lines. An incomplete last line is dropped."""
        complete_size = data.rfind(b"\n") + 1
        if complete_size < len(data):
            os.truncate(self.path, complete_size)
        for number, text in enumerate(data[:complete_size].splitlines(), start=1):
            try:
                line = json.loads(text)
                batch_tally = self._tally(
                    reps=int(line["reps"]),
                    events=tuple(int(k) for k in line["events"]),
                    truth=float(line["truth"]),
                    sums=tuple(tuple(map(float, one)) for one in line.get("sums", ())),
                )
                self._done[int(line["cell"])] = int(line["batches"]), batch_tally
            except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
                msg = (
                    f"{self.path}:{number}: this line does not belong to this log. Delete the "
                    "line and run the command again."
                )
                raise DataError(msg) from error

    def _failed(self, error: OSError) -> DataError:
        return DataError(f"Cannot write {self.path}: {error.strerror or error}")


def write_rates(directory: str, columns: Mapping[str, Sequence[Any]], text: str) -> None:
    """Write ``rates.parquet`` and ``simulation.json`` next to the log."""
    root = local_path(directory)
    with NewFile(root) as file:
        try:
            pq.write_table(pa.table(dict(columns)), file.stream)
        except OSError as error:
            msg = f"Cannot write to the folder {str(root)!r}: {error.strerror or error}"
            raise DataError(msg) from error
        file.keep("rates.parquet")
    with NewFile(root) as file:
        file.write(text.encode("utf-8"))
        file.keep("simulation.json")
