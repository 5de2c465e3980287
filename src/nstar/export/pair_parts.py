"""All pairs of an audit as a Parquet dataset, written part by part; a stopped run goes on.

A part appears under its name only when it is whole, so what is there need not be done again. A
manifest says which audit the parts belong to; another audit is not mixed in.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nstar._version import __version__
from nstar.errors import DataError
from nstar.export._files import NewFile, subdirectory

__all__ = ["PairParts", "write_summary"]

_MANIFEST = "manifest.json"


class PairParts:
    """A directory with the pairs of one audit.

    Parameters
    ----------
    directory
        Where to; made if need be. Empty, or with parts of the same audit.
    about
        What the pairs depend on: scores, models, criteria … as plain JSON values.

    Raises
    ------
    DataError
        If the directory holds something else, or cannot be written.
    """

    def __init__(self, directory: str, about: Mapping[str, Any]) -> None:
        self.root = Path(directory)
        self._pairs = self.root / "pairs"
        wanted = {"schema": "nstar.pairs/1", "nstar": __version__, **about}
        found = self._manifest()
        if found is None:
            self._refuse_strangers()
            subdirectory(self.root, "pairs")
            text = json.dumps(wanted, indent=2, allow_nan=False) + "\n"
            _write_text(self.root, _MANIFEST, text)
        elif found != wanted:
            keys = [k for k in wanted if found.get(k) != wanted[k]] or ["what it says of itself"]
            msg = (
                f"{self.root} holds the pairs of another audit, which differs in "
                f"{', '.join(keys)}; give another directory, or delete this one"
            )
            raise DataError(msg)

    def _manifest(self) -> Any:
        path = self.root / _MANIFEST
        if not path.exists():
            return None
        try:
            found = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            msg = f"{path}: is not the manifest of an audit: {error}"
            raise DataError(msg) from error
        if not isinstance(found, dict):
            msg = f"{path}: is not the manifest of an audit: no object"
            raise DataError(msg)
        return found

    def _refuse_strangers(self) -> None:
        """Only an empty directory, or what an interrupted run left of its first file, will do."""
        try:
            there = list(self.root.iterdir()) if self.root.exists() else []
            there += list(self._pairs.iterdir()) if self._pairs.is_dir() else []
        except OSError as error:
            msg = f"{self.root}: cannot be made or read: {error.strerror or error}"
            raise DataError(msg) from error
        others = [p.name for p in there if p != self._pairs and not p.name.startswith(".nstar-")]
        if others:
            msg = f"{self.root} is not empty ({others[0]} is there); give a new directory"
            raise DataError(msg)

    def _part(self, number: int) -> Path:
        return self._pairs / f"part-{number:05}.parquet"

    def has(self, number: int) -> bool:
        """Whether a part is there, whole."""
        return self._part(number).exists()

    def write(self, number: int, batches: Iterator[pa.RecordBatch]) -> None:
        """One part, a row group per batch; nothing remains of it if it is interrupted."""
        subdirectory(self.root, "pairs")
        first = next(batches)
        options = {"compression": "zstd", "compression_level": 1}
        with NewFile(self._pairs) as file:
            try:
                with pq.ParquetWriter(file.stream, first.schema, **options) as writer:
                    writer.write_batch(first)
                    for batch in batches:
                        writer.write_batch(batch)
            except OSError as error:
                msg = f"{self._pairs}: cannot be written: {error.strerror or error}"
                raise DataError(msg) from error
            file.keep(self._part(number).name)


def write_summary(directory: str, text: str) -> None:
    """The audit itself, as JSON, beside its pairs."""
    _write_text(Path(directory), "audit.json", text)


def _write_text(directory: Path, name: str, text: str) -> None:
    """A small file, whole or not at all."""
    with NewFile(directory) as file:
        file.write(text.encode("utf-8"))
        file.keep(name)
