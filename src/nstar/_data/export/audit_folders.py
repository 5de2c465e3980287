"""Folders of an audit, with checkpoints and all pairs as Parquet, so that it can be resumed.

A file with pairs gets its name only when it is complete. A small file next to it records its size
and checksum, so that matching files are not computed again. A manifest identifies the audit, so
that files of another audit are rejected. The process that computes a file also writes it, on this
machine or another.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from nstar._base.version import __version__
from nstar._data.export.files import NewFile, local_path
from nstar._data.export.folder import folder, take_folder
from nstar.errors import DataError


class Checkpoints:
    """Folder of intermediate counts. Each file is replaced as a whole.

    The folder is created if necessary, and must be empty or belong to the same audit. ``about``
    contains everything that the counts depend on, as JSON values.
    """

    def __init__(self, directory: str, header: Mapping[str, Any]) -> None:
        self._root = local_path(directory)
        manifest = {"schema": "nstar.work/1", "nstar": __version__, **header}
        take_folder(folder(directory), manifest, kind="audit")

    def save(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Replace the arrays stored under a name."""
        content = BytesIO()
        np.savez_compressed(content, allow_pickle=False, **arrays)
        with NewFile(self._root) as file:
            file.write(content.getvalue())
            file.keep(f"{name}.npz")

    def path(self, name: str) -> str:
        """Return the location of a file, for messages."""
        return str(self._root / f"{name}.npz")

    def load(self, name: str, required: Sequence[str] = ()) -> dict[str, Any] | None:
        """Return the latest arrays if they include ``required``, or None if there are none."""
        path = self.path(name)
        try:
            with np.load(BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
                arrays = {key: file[key] for key in file.files}
        except FileNotFoundError:
            return None
        except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
            reason = str(error).rstrip(".")
            msg = (
                f"Cannot read {path}: {reason}. Delete the file, so that nstar computes that part "
                "again."
            )
            raise DataError(msg) from error
        if missing := [key for key in required if key not in arrays]:
            msg = (
                f"{path}: missing {missing[0]}. Delete the file, so that nstar computes that part "
                "again."
            )
            raise DataError(msg)
        return arrays


class _ChecksumWriter:
    """Stream that computes the size and the checksum of the data written to it."""

    closed = False

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._digest = blake2b(digest_size=16)
        self._size = 0

    def write(self, data: Any) -> int:
        self._stream.write(data)
        self._digest.update(data)
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        self._stream.flush()

    def close(self) -> None:
        """Do nothing, because the caller closes the stream."""

    def record(self) -> dict[str, Any]:
        return {"bytes": self._size, "blake2b": self._digest.hexdigest()}


class PairTableFolder:
    """Folder, or address such as ``s3://bucket/path``, with the pairs of one audit.

    The folder is created if necessary, and must be empty or contain parts of the same audit.
    ``about`` contains everything that the pairs depend on (scores, models, criteria, …), as JSON
    values.
    """

    def __init__(self, directory: str, header: Mapping[str, Any]) -> None:
        self._folder = folder(directory)
        self._about = {"schema": "nstar.pairs/1", "nstar": __version__, **header}
        self.confirm()

    def confirm(self) -> None:
        """Raise an error if the folder does not belong to this audit."""
        take_folder(self._folder, self._about, kind="audit", below=("pairs", "sums"))

    @property
    def where(self) -> str:
        """Return the location as the user wrote it."""
        return self._folder.where

    @staticmethod
    def _name(number: int) -> str:
        return f"pairs/part-{number:05}.parquet"

    @staticmethod
    def _sum(number: int) -> str:
        return f"sums/part-{number:05}.json"

    def _record(self, number: int) -> Any:
        """Return the recorded size and checksum of a part. Empty if missing or unreadable."""
        try:
            return json.loads(self._folder.read(self._sum(number)) or b"{}")
        except (ValueError, RecursionError):
            return {}

    def has(self, number: int) -> bool:
        """Return whether a part exists and has its recorded size."""
        record, size = self._record(number), self._folder.size(self._name(number))
        return isinstance(record, dict) and size is not None and record.get("bytes") == size

    def whole(self, number: int) -> bool:
        """Return whether a part exists and has its recorded checksum. This reads the part."""
        if not self.has(number):
            return False
        digest = blake2b(digest_size=16)
        for chunk in self._folder.chunks(self._name(number)):
            digest.update(chunk)
        return bool(self._record(number).get("blake2b") == digest.hexdigest())

    def write(self, number: int, batches: Iterator[pa.RecordBatch]) -> None:
        """Write one part, with a row group per batch. An interrupted write leaves no file."""
        import pyarrow.parquet as pq  # noqa: PLC0415 counts alone are numpy's

        first = next(batches)
        options = {"compression": "zstd", "compression_level": 1}
        with self._folder.new(self._name(number)) as stream:
            summed = _ChecksumWriter(stream)
            with pq.ParquetWriter(summed, first.schema, **options) as writer:
                writer.write_batch(first)
                for batch in batches:
                    writer.write_batch(batch)
        self._folder.write(self._sum(number), f"{json.dumps(summed.record())}\n".encode())


def write_summary(directory: str, text: str) -> None:
    """Write the audit without its pairs, as JSON, next to the pairs."""
    folder(directory).write("audit.json", text.encode("utf-8"))


def write_answers(directory: str, header: Mapping[str, Any], rows: Iterator[bytes]) -> None:
    """Write items and groups as JSON, and the scores of each model one after the other."""
    place = folder(directory)
    place.write("answers.bin", b"".join(rows))
    text = json.dumps({"schema": "nstar.items/1", **header}, separators=(",", ":"))
    place.write("items.json", text.encode("ascii"))
