"""``pack``: write a matrix to a directory in parts. The directory is complete or absent."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from nstar._data.export.files import local_path
from nstar._data.findings import Finding
from nstar._data.matrix import Grouping, ScoreMatrix
from nstar._data.pack.manifest import ARRAYS, MANIFEST, Manifest, digest, width_of
from nstar._data.pack.names import items_table, models_table
from nstar.errors import DataError, arg

_BLOCK_BYTES = 16 << 20
"""Approximate number of bytes that share one checksum."""

_ROWS_PER_WRITE = 1024
"""Number of rows that are written at a time."""


class _ArrayWriter:
    """Array that is being written, with a checksum for every block of rows."""

    def __init__(self, root: Path, name: str, items: int, block: int) -> None:
        self.name = name
        self.rows = 0
        self.sums: list[str] = []
        self._dtype = np.dtype(ARRAYS[name])
        self._width = width_of(name, items)
        self._block = block
        self._open = digest()
        self.file: BinaryIO = (root / f"{name}.bin").open("xb")

    def add(self, rows: npt.NDArray[Any]) -> None:
        for start in range(0, len(rows), _ROWS_PER_WRITE):
            part = np.ascontiguousarray(rows[start : start + _ROWS_PER_WRITE], dtype=self._dtype)
            self.file.write(part.data)
            while len(part):
                n_free = self._block - self.rows % self._block
                self._open.update(part[:n_free].data)
                self.rows += len(part[:n_free])
                if self.rows % self._block == 0:
                    self._seal()
                part = part[n_free:]

    def fill(self, rows: int, row: npt.NDArray[Any]) -> None:
        """Write the same row ``rows`` times."""
        chunk = np.broadcast_to(row, (min(rows, _ROWS_PER_WRITE), self._width))
        for start in range(0, rows, _ROWS_PER_WRITE):
            self.add(chunk[: rows - start])

    def _seal(self) -> None:
        self.sums.append(self._open.hexdigest())
        self._open = digest()

    def close(self) -> list[str]:
        """Flush the array to disk, and return the checksums of all blocks."""
        if self.rows % self._block:
            self._seal()
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        return self.sums


class _PackWriter:
    """Directory that is being written under a temporary name."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.target = local_path(directory)
        self.part = self.target.with_name(f"{self.target.name}.part")
        self.columns: dict[str, _ArrayWriter] = {}

    def __enter__(self) -> Self:
        if self.target.is_symlink() or (self.target.exists() and not _empty(self.target)):
            msg = f"{self.target} already exists. Choose a new folder."
            raise DataError(msg)
        self.target.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.part.mkdir()
        except FileExistsError:
            msg = (
                f"{self.part} exists: an interrupted pack, or one that is still "
                "running. If none is running, delete it and pack again."
            )
            raise DataError(msg) from None
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for column in self.columns.values():
            with suppress(OSError):  # a full disk was reported earlier
                column.file.close()
        if kind is not None:
            shutil.rmtree(self.part, ignore_errors=True)

    def write(self, name: str, content: bytes) -> str:
        """Write a small file and return its checksum."""
        with (self.part / name).open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return str(digest(content).hexdigest())

    def keep(self) -> None:
        """Give the directory its final name."""
        if self.target.exists():
            self.target.rmdir()
        self.part.rename(self.target)


def _empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _refuse(part: ScoreMatrix, first: ScoreMatrix) -> None:
    """Raise DataError for a part that cannot be packed, alone or together with earlier parts."""
    if not part.models or not part.items:
        msg = "Nothing to pack, because there are no models or no items."
        raise DataError(msg)
    if part.alignment.conflicting and part.alignment.settled == "refuse":
        msg = (
            f"{part.alignment.conflicting:,} rows conflict with another row for the same model "
            f"and item. Choose the row that counts with {arg('duplicates')} before packing."
        )
        raise DataError(msg)
    alike = ("task", "metric", "items", "lower_is_better", "binary")
    for name in alike:
        if getattr(part, name) != getattr(first, name):
            msg = f"The parts of a pack must have the same {name}."
            raise DataError(msg)
    if part is not first and not _same_groups(part, first):
        msg = "The parts of a pack must have the same groups of items."
        raise DataError(msg)
    if (part.counts is None) != (first.counts is None):
        msg = (
            "Some parts have several runs per item, and others have one. Use the same number in "
            "all parts."
        )
        raise DataError(msg)


def _same_groups(part: ScoreMatrix, first: ScoreMatrix) -> bool:
    """Check that all parts have the same columns, and the same group for every item."""
    if set(part.groups) != set(first.groups):
        return False
    return all(
        _labels(grouping) == _labels(first.groups[k]) for k, grouping in part.groups.items()
    )


def _labels(grouping: Grouping) -> list[str | None]:
    return [grouping.labels[k] if k >= 0 else None for k in grouping.codes.tolist()]


def _add(out: _PackWriter, part: ScoreMatrix, block: int) -> None:
    """Write the rows of one part. The first part that needs a mask starts it."""
    items = len(part.items)
    before = next(iter(out.columns.values())).rows if out.columns else 0
    for name in ARRAYS:
        rows = getattr(part, name)
        if rows is None and name not in out.columns:
            continue
        if name not in out.columns:
            out.columns[name] = _ArrayWriter(out.part, name, items, block)
            if before:
                out.columns[name].fill(before, _full_mask(items))
        if rows is None:
            out.columns[name].fill(len(part.models), _full_mask(items))
        else:
            out.columns[name].add(rows)


def _full_mask(items: int) -> npt.NDArray[np.uint8]:
    """Return the mask of a model that has all items."""
    return np.packbits(np.ones(items, dtype=np.uint8), bitorder="little")


def _block(items: int, first: ScoreMatrix) -> int:
    """Return the number of rows in a block. The widest array sets it for all arrays."""
    row = items * 8 if first.bits is None else -(-items // 8)
    return max(1, min(4096, _BLOCK_BYTES // row))


def pack(
    matrix: ScoreMatrix | Iterable[ScoreMatrix],
    directory: str | os.PathLike[str],
    *,
    findings: Sequence[Finding] = (),
) -> None:
    """Write a matrix to a directory that :func:`nstar.open_pack` maps instead of reading.

    Parameters
    ----------
    matrix : ScoreMatrix or iterable of ScoreMatrix
        A ScoreMatrix, or several with the same items and different models. A matrix that is larger
        than memory can be passed in parts.
    directory : path
        New or empty directory. It is called ``DIRECTORY.part`` until it is complete.
    findings : sequence of Finding, default ()
        Findings about the logs, which every audit of the pack reports.

    Raises
    ------
    DataError
        The directory is in use or cannot be written, or the parts do not belong together.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import nstar
    >>> m = ScoreMatrix.from_arrays([[1, 0, 1], [1, 1, 0]], models=["a", "b"])
    >>> with TemporaryDirectory() as folder:
    ...     pack(m, f"{folder}/packed")
    ...     nstar.open_pack(f"{folder}/packed").row("b").tolist()
    [1.0, 1.0, 0.0]
    """
    parts = iter([matrix] if isinstance(matrix, ScoreMatrix) else matrix)
    first = next(parts, None)
    if first is None:
        msg = "Nothing to pack."
        raise DataError(msg)
    try:
        with _PackWriter(directory) as out:
            _pack(out, first, parts, findings)
    except OSError as error:
        msg = f"Cannot write to the folder {os.fspath(directory)!r}: {error.strerror or error}"
        raise DataError(msg) from error


def _pack(
    out: _PackWriter,
    first: ScoreMatrix,
    matrices: Iterator[ScoreMatrix],
    findings: Sequence[Finding],
) -> None:
    models: dict[str, None] = {}
    block = _block(len(first.items), first)
    for part in chain([first], matrices):
        _refuse(part, first)
        twice = next((name for name in part.models if name in models), None)
        models |= dict.fromkeys(part.models)
        if twice is not None:
            msg = f"The model {twice} is in two parts. Use a unique name for each model."
            raise DataError(msg)
        _add(out, part, block)
    manifest = Manifest(
        task=first.task,
        metric=first.metric,
        lower_is_better=first.lower_is_better,
        models=len(models),
        items=len(first.items),
        block=block,
        arrays={name: column.close() for name, column in out.columns.items()},
        names={
            "models": out.write("models.parquet", models_table(tuple(models))),
            "items": out.write(
                "items.parquet", items_table(first.items, first.groups, first.content)
            ),
        },
        findings=tuple(findings),
    )
    out.write(MANIFEST, manifest.text().encode())
    out.keep()
