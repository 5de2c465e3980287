"""All pairs of an audit as a Parquet dataset, written part by part; a stopped run goes on.

A part appears under its name only when it is whole, and a small file beside says how long it is
and what it adds up to, so what is there and still adds up need not be done again. A manifest says
which audit the parts belong to; another audit is not mixed in. Whoever computes a part writes it,
here or on another machine.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nstar._base.version import __version__
from nstar._data.export.folder import folder, take_folder


class _Summed:
    """A stream that knows what was written to it."""

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
        """Whoever opened the stream closes it."""

    def record(self) -> dict[str, Any]:
        return {"bytes": self._size, "blake2b": self._digest.hexdigest()}


class PairParts:
    """A directory, or an address such as ``s3://bucket/path``, with the pairs of one audit.

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
        self._folder = folder(directory)
        self._about = {"schema": "nstar.pairs/1", "nstar": __version__, **about}
        self.confirm()

    def confirm(self) -> None:
        """Refuse a directory that is not ours, or not any more."""
        take_folder(self._folder, self._about, what="audit", below=("pairs", "sums"))

    @property
    def where(self) -> str:
        """As the user named it."""
        return self._folder.where

    @staticmethod
    def _name(number: int) -> str:
        return f"pairs/part-{number:05}.parquet"

    @staticmethod
    def _sum(number: int) -> str:
        return f"sums/part-{number:05}.json"

    def _record(self, number: int) -> Any:
        """What a part should be; nothing if nobody said, or said it so that it can be read."""
        try:
            return json.loads(self._folder.read(self._sum(number)) or b"{}")
        except (ValueError, RecursionError):
            return {}

    def has(self, number: int) -> bool:
        """Whether a part is there, as long as it should be."""
        record, size = self._record(number), self._folder.size(self._name(number))
        return isinstance(record, dict) and size is not None and record.get("bytes") == size

    def whole(self, number: int) -> bool:
        """Whether a part is there and adds up; it is read once for that."""
        if not self.has(number):
            return False
        digest = blake2b(digest_size=16)
        for chunk in self._folder.chunks(self._name(number)):
            digest.update(chunk)
        return bool(self._record(number).get("blake2b") == digest.hexdigest())

    def write(self, number: int, batches: Iterator[pa.RecordBatch]) -> None:
        """One part, a row group per batch; nothing remains of it if it is interrupted."""
        first = next(batches)
        options = {"compression": "zstd", "compression_level": 1}
        with self._folder.new(self._name(number)) as stream:
            summed = _Summed(stream)
            with pq.ParquetWriter(summed, first.schema, **options) as writer:
                writer.write_batch(first)
                for batch in batches:
                    writer.write_batch(batch)
        self._folder.write(self._sum(number), f"{json.dumps(summed.record())}\n".encode())


def write_summary(directory: str, text: str) -> None:
    """The audit itself, as JSON, beside its pairs."""
    folder(directory).write("audit.json", text.encode("utf-8"))
