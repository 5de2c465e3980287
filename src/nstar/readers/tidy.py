"""Read and write nstar's own tables: Parquet of Table columns with the records of their logs."""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from nstar._data.table import KNOWN, Source
from nstar.errors import NstarError, ReadError
from nstar.readers._base import scores_as_floats
from nstar.readers._files import Place
from nstar.readers._read_errors import printable

__all__ = ["SOURCES_KEY", "sources_from", "write_tidy"]

SOURCES_KEY = b"nstar.sources"
"""Key of the file's metadata that contains the sources as JSON."""

_GROUP_ROWS = 1 << 20
"""Number of rows per row group."""

Sources = Sequence[Source] | Callable[[], Sequence[Source]]


def sources_from(place: Place, data: bytes) -> list[Source]:
    """Return the records of logs that are stored with a table."""
    import msgspec  # noqa: PLC0415 most tables have none

    try:
        return msgspec.json.decode(data, type=list[Source])
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        msg = (
            f"{place}: the metadata of its logs is damaged ({printable(str(error))[:200]}). Write "
            "the file again with nstar."
        )
        raise ReadError(msg) from error


def write_tidy(batches: Iterable[pa.RecordBatch], sources: Sources, path: str | Path) -> int:
    """Write scores to Parquet. A failed write leaves no file.

    Parameters
    ----------
    batches : iterable of RecordBatch
        Batches of Table columns. A batch may lack columns of other batches.
    sources : Sources
        Records of the logs. A function is called after the last batch.
    path : path
        The file, which is replaced if it exists.

    Returns
    -------
    int
        Number of rows written.
    """
    try:
        return _write(batches, sources, Path(path))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        msg = f"Cannot write {path}: {reason}. Choose a file in a writable folder."
        raise NstarError(msg) from error


def _write(batches: Iterable[pa.RecordBatch], sources: Sources, target: Path) -> int:
    import msgspec  # noqa: PLC0415 as above

    writer = _Writer(target)
    try:
        for batch in batches:
            writer.add(batch)
        source_list = sources() if callable(sources) else sources
        writer.finish(msgspec.json.encode([s.to_dict() for s in source_list]))
    except BaseException:
        writer.abandon()
        raise
    return writer.rows


class _Writer:
    """Writer of a temporary Parquet file next to the target."""

    def __init__(self, target: Path) -> None:
        self.rows = 0
        self._target = target
        self._begin()
        self._parquet: Any = None
        self._schema = pa.schema([])
        self._held: list[pa.RecordBatch] = []
        self._held_rows = 0

    def _begin(self) -> None:
        name = f".{self._target.name}.{secrets.token_hex(4)}.part"
        self._part = self._target.with_name(name)
        self._file: Any = self._part.open("xb")

    def add(self, batch: pa.RecordBatch) -> None:
        """Add a batch, and write when a row group is full."""
        self._held.append(scores_as_floats(batch))
        self._held_rows += batch.num_rows
        self.rows += batch.num_rows
        if self._held_rows >= _GROUP_ROWS:
            self._flush()

    def finish(self, sources: bytes) -> None:
        """Write the remaining rows and move the file to its target."""
        self._flush()
        self._parquet.add_key_value_metadata({SOURCES_KEY: sources})
        self._close()
        self._part.replace(self._target)

    def abandon(self) -> None:
        """Delete the temporary file."""
        with suppress(pa.ArrowException, OSError, ValueError):
            self._close()
        self._part.unlink(missing_ok=True)

    def _flush(self) -> None:
        batches, self._held, self._held_rows = self._held, [], 0
        fields = {f.name: f.type for f in self._schema}
        for batch in batches:
            fields |= {f.name: f.type for f in batch.schema if f.name not in fields}
        if self._parquet is None or len(fields) > len(self._schema):
            self._widen(_schema(fields))
        if batches:
            table = pa.concat_tables([_with_all_columns(b, self._schema) for b in batches])
            self._parquet.write_table(table.unify_dictionaries(), row_group_size=_GROUP_ROWS)

    def _widen(self, schema: pa.Schema) -> None:
        """Start to write. For new columns, start a new file with a copy of the previous rows."""
        if self._parquet is None:
            self._start(schema)
            return
        earlier = self._part
        try:
            self._close()
            self._begin()
            self._start(schema)
            self._copy(earlier)
        finally:
            earlier.unlink(missing_ok=True)

    def _start(self, schema: pa.Schema) -> None:
        import pyarrow.parquet as pq  # noqa: PLC0415 slow to load

        self._schema = schema
        self._parquet = pq.ParquetWriter(self._file, schema, compression="zstd")

    def _copy(self, earlier: Path) -> None:
        import pyarrow.parquet as pq  # noqa: PLC0415 slow to load

        with earlier.open("rb") as file:
            parquet = pq.ParquetFile(file)
            for k in range(parquet.num_row_groups):
                self._parquet.write_table(
                    _with_all_columns(parquet.read_row_group(k), self._schema)
                )

    def _close(self) -> None:
        parquet, self._parquet = self._parquet, None
        file, self._file = self._file, None
        try:
            if parquet is not None:
                parquet.close()
        finally:
            if file is not None:
                file.close()


def _schema(fields: Mapping[str, pa.DataType]) -> pa.Schema:
    """Return the schema, with known columns first."""
    order = [n for n in KNOWN if n in fields] + [n for n in fields if n not in KNOWN]
    return pa.schema([(n, fields[n]) for n in order])


def _with_all_columns(rows: pa.RecordBatch | pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the rows with all columns of the schema, with null for missing ones."""
    available = set(rows.schema.names)
    columns = [
        rows.column(f.name) if f.name in available else pa.nulls(rows.num_rows, f.type)
        for f in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)
