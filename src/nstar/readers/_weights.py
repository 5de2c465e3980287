"""Files of weights: item and weight, or task and weight, in CSV, TSV, JSON lines or Parquet."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from nstar._data.limits import Limits
from nstar._data.weights import Weights, weight_rows
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers._trouble import in_words, printable, reading

_MOST = 64 << 20
"""Bytes of a file of weights."""
_KINDS = ".csv, .tsv, .jsonl or .parquet"

_Rows = tuple[list[str], list[tuple[str, Mapping[str, Any]]]]


def weights_from(path: str) -> Weights:
    """The weights in a file.

    Raises
    ------
    ReadError, DataError
        The file cannot be read, or a weight cannot be meant; the line is named.
    """
    place = Place(path)
    suffix = PurePath(place.name).suffix.lower()
    read = _READ.get(suffix)
    if read is None:
        msg = f"{place}: weights are read from {_KINDS}"
        raise ReadError(msg)
    with reading(place), place.open() as file:
        content = file.read(_MOST + 1)
    if len(content) > _MOST:
        msg = f"{place}: has more than {in_words(_MOST)}, too much for weights"
        raise ReadError(msg)
    names, rows = read(str(place), content)
    if len(rows) > Limits().names:
        msg = f"{place}: has {len(rows):,} rows, more than {Limits().names:,}"
        raise ReadError(msg)
    return Weights.of_rows(str(place), weight_rows(str(place), names, rows))


def _decoded(where: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        msg = f"{where}, line {line}: is not UTF-8; save the file as UTF-8"
        raise ReadError(msg) from error


def _separated(where: str, content: bytes, delimiter: str) -> _Rows:
    text = io.StringIO(_decoded(where, content), newline="")
    table = csv.reader(text, delimiter=delimiter)
    rows: list[tuple[str, Mapping[str, Any]]] = []
    try:
        names = [name.strip() for name in next(table, [])]
        for cells in table:
            if not any(cell.strip() for cell in cells):
                continue
            at = f"{where}, line {table.line_num}"
            if len(cells) != len(names):
                msg = f"{at}: has {len(cells)} cells, and the header {len(names)}"
                raise ReadError(msg)
            stripped = (cell.strip() for cell in cells)
            rows.append((at, dict(zip(names, stripped, strict=True))))
    except csv.Error as error:
        msg = f"{where}, line {table.line_num}: {error}"
        raise ReadError(msg) from error
    return names, rows


def _csv(where: str, content: bytes) -> _Rows:
    return _separated(where, content, ",")


def _tsv(where: str, content: bytes) -> _Rows:
    return _separated(where, content, "\t")


def _json_lines(where: str, content: bytes) -> _Rows:
    names: dict[str, None] = {}
    rows: list[tuple[str, Mapping[str, Any]]] = []
    for number, line in enumerate(_decoded(where, content).splitlines(), start=1):
        if not line.strip():
            continue
        at = f"{where}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            msg = f"{at}: is not JSON: {printable(str(error))[:80]}"
            raise ReadError(msg) from error
        if not isinstance(row, dict):
            msg = f'{at}: is not an object such as {{"item": "q1", "weight": 2}}'
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
            msg = f"{where}: has {file.metadata.num_rows:,} rows, more than {Limits().names:,}"
            raise ReadError(msg)
        wanted = [name for name in ("item", "task", "stratum", "weight") if name in names]
        table = file.read(columns=wanted).to_pylist()
    except (pa.ArrowException, OSError) as error:
        msg = f"{where}: is no Parquet file: {printable(str(error))[:80]}"
        raise ReadError(msg) from error
    return names, [(f"{where}, row {k}", row) for k, row in enumerate(table, start=1)]


_READ = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}
