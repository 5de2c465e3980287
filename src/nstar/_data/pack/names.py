"""Names of models and items, and groups of items, as Parquet, which loads names quickly."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from nstar._data.matrix import Grouping
from nstar._data.pack.manifest import digest, plain_bytes
from nstar.errors import DataError

_MOST_BYTES = 4 << 30
_GROUP = "group:"
_CONTENT = "content"

Hashes = npt.NDArray[np.uint64]


def models_table(models: Sequence[str]) -> bytes:
    """Return a file with the names of models."""
    return _file({"model": _text(models)})


def items_table(
    items: Sequence[str], groups: Mapping[str, Grouping], content: Hashes | None = None
) -> bytes:
    """Return a file with the names of items, their groups, and the hashes of their texts."""
    columns: dict[str, Any] = {"item": _text(items)}
    if content is not None:
        columns[_CONTENT] = pa.array(content, pa.uint64())
    for name, grouping in groups.items():
        codes = pa.array(grouping.codes, mask=grouping.codes < 0)
        columns[_GROUP + name] = pa.DictionaryArray.from_arrays(codes, _text(grouping.labels))
    return _file(columns)


def _text(names: Sequence[str]) -> pa.Array:
    """Return text that UTF-8 can encode.

    Lone surrogates, which can occur in logs, become question marks.
    """
    try:
        return pa.array(names, pa.string())
    except UnicodeEncodeError:
        return pa.array([n.encode("utf-8", "replace").decode() for n in names], pa.string())


def _file(columns: dict[str, Any]) -> bytes:
    out = BytesIO()
    pq.write_table(pa.table(columns), out, compression="zstd")
    return out.getvalue()


def read_models(path: Path, size: int, checksum: str) -> tuple[str, ...]:
    """Read the names of models."""
    return _unique(_table(path, size, checksum), "model", path)


def read_items(
    path: Path, size: int, checksum: str
) -> tuple[tuple[str, ...], dict[str, Grouping], Hashes | None]:
    """Read the names of items, their groups, and the hashes of their texts if there are any."""
    table = _table(path, size, checksum)
    groups = {
        name.removeprefix(_GROUP): _grouping(table, name)
        for name in table.column_names
        if name.startswith(_GROUP)
    }
    return _unique(table, "item", path), groups, _hashes(table, path)


def _hashes(table: pa.Table, path: Path) -> Hashes | None:
    if _CONTENT not in table.column_names:
        return None
    column = table.column(_CONTENT)
    if column.type != pa.uint64() or column.null_count:
        msg = f"{path}: the column {_CONTENT} must hold hashes. Pack the data again."
        raise DataError(msg)
    return np.asarray(column.to_numpy())


def _table(path: Path, size: int, checksum: str) -> pa.Table:
    """Read a small table that matches the manifest, without expanding repeated text."""
    try:
        content = plain_bytes(path, _MOST_BYTES)
        if digest(content).hexdigest() != checksum:
            msg = (
                f"{path}: the file changed after packing (checksum mismatch). Pack the data again."
            )
            raise DataError(msg)
        file = pq.ParquetFile(BytesIO(content))
        names = file.schema_arrow.names
        if file.metadata.num_rows != size:
            msg = (
                f"{path}: the file has {file.metadata.num_rows:,} names; expected {size:,}. Pack "
                "the data again."
            )
            raise DataError(msg)
        table = pq.ParquetFile(BytesIO(content), read_dictionary=names).read()
        table.validate(full=True)
    except OSError as error:
        msg = f"Cannot read {path}: {error.strerror or error}"
        raise DataError(msg) from error
    except (pa.ArrowException, ValueError, KeyError) as error:
        if isinstance(error, DataError):
            raise
        msg = f"{path}: not a table of names: {error}"
        raise DataError(msg) from error
    return table


def _column(table: pa.Table, name: str) -> tuple[Any, list[Any]]:
    """Return the codes of a column, -1 for none, and the names that they represent."""
    if name not in table.column_names:
        msg = f"The pack is missing the names {name!r}. Pack the data again."
        raise DataError(msg)
    try:
        column = table.column(name).combine_chunks()
        if not isinstance(column, pa.DictionaryArray):
            column = column.cast(pa.string()).dictionary_encode()
        codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        return codes, column.dictionary.cast(pa.string()).to_pylist()
    except (pa.ArrowException, ValueError) as error:
        msg = f"The names {name!r} in the pack are not valid text: {error}. Pack the data again."
        raise DataError(msg) from error


def _unique(table: pa.Table, name: str, path: Path) -> tuple[str, ...]:
    codes, values = _column(table, name)
    if (codes < 0).any() or np.unique(codes).size != codes.size or len(set(values)) < codes.size:
        msg = f"{path}: names must be present and unique. Pack the data again."
        raise DataError(msg)
    return tuple(values[k] for k in codes.tolist())


def _grouping(table: pa.Table, name: str) -> Grouping:
    codes, values = _column(table, name)
    return Grouping(codes=codes, labels=tuple(map(str, values)))
