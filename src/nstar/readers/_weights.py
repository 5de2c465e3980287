"""Read files of weights, by item or task, in CSV, TSV, JSON Lines, or Parquet."""

import io
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

from nstar._data.read_limits import Limits
from nstar._data.weights import Weights, weight_rows
from nstar.errors import ReadError
from nstar.readers._delimited import decoded, separated
from nstar.readers._doubled_keys import doubled_key
from nstar.readers._files import Place
from nstar.readers._read_errors import in_words, printable, reading

_MAX_FILE_BYTES = 64 << 20
"""Maximum size of a file of weights in bytes."""
_KINDS = ".csv, .tsv, .jsonl or .parquet"

_Rows = tuple[list[str], list[tuple[str, Mapping[str, Any]]]]


def weights_from(path: str) -> Weights:
    """Return the weights in a file.

    Raise ReadError or DataError if the file cannot be read or a weight is not valid.
    """
    place = Place(path)
    suffix = PurePath(place.name).suffix.lower()
    read = _READ.get(suffix)
    if read is None:
        msg = f"{place}: weights must be in a {_KINDS} file."
        raise ReadError(msg)
    with reading(place), place.open() as file:
        content = file.read(_MAX_FILE_BYTES + 1)
    if len(content) > _MAX_FILE_BYTES:
        msg = (
            f"{place}: the file is larger than {in_words(_MAX_FILE_BYTES)}, the limit for weights."
        )
        raise ReadError(msg)
    names, rows = read(str(place), content)
    if len(rows) > Limits().names:
        msg = f"{place}: {len(rows):,} rows exceed the limit of {Limits().names:,}."
        raise ReadError(msg)
    return Weights.of_rows(str(place), weight_rows(str(place), names, rows))


def _separated(where: str, content: bytes, delimiter: str) -> _Rows:
    names, rows = separated(where, content, delimiter)
    return names, [(at, dict(zip(names, cells, strict=True))) for at, cells in rows]


def _json_lines(where: str, content: bytes) -> _Rows:
    names: dict[str, None] = {}
    rows: list[tuple[str, Mapping[str, Any]]] = []
    for number, line in enumerate(decoded(where, content).splitlines(), start=1):
        if not line.strip():
            continue
        at = f"{where}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            msg = f"{at}: not valid JSON: {printable(str(error))[:80]}"
            raise ReadError(msg) from error
        if (key := doubled_key(line.encode())) is not None:
            msg = f"{at}: the key {key!r:.80} is repeated. Remove one of the two."
            raise ReadError(msg)
        if not isinstance(row, dict):
            msg = f'{at}: expected an object such as {{"item": "q1", "weight": 2}}'
            raise ReadError(msg)
        names |= dict.fromkeys(row)
        rows.append((at, row))
    return list(names), rows


def _parquet(where: str, content: bytes) -> _Rows:
    import pyarrow as pa  # noqa: PLC0415 for Parquet only
    from pyarrow import parquet  # noqa: PLC0415

    try:
        file = parquet.ParquetFile(io.BytesIO(content))
        names = list(file.schema_arrow.names)
        if file.metadata.num_rows > Limits().names:
            msg = (
                f"{where}: {file.metadata.num_rows:,} rows exceed the limit of {Limits().names:,}."
            )
            raise ReadError(msg)
        columns = [name for name in ("item", "task", "stratum", "weight") if name in names]
        table = file.read(columns=columns).to_pylist()
    except (pa.ArrowException, OSError) as error:
        msg = f"{where}: not a valid Parquet file: {printable(str(error))[:80]}"
        raise ReadError(msg) from error
    return names, [(f"{where}, row {k}", row) for k, row in enumerate(table, start=1)]


_READ: dict[str, Callable[[str, bytes], _Rows]] = {
    ".csv": partial(_separated, delimiter=","),
    ".tsv": partial(_separated, delimiter="\t"),
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}
