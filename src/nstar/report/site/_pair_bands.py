"""Every pair of an audit from its Parquet files, some models with all later ones at a time."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from nstar._base.types import BoolArray, IntArray
from nstar._verbs.verdict import UNDERPOWERED, VERDICT_OF_STATE
from nstar.errors import DataError
from nstar.report.site._source import MEND, AuditFolder, refuse

_PART = re.compile(r"part-\d{5}\.parquet")
_MOST_ROWS = 1 << 24
"""Pairs in one part: 256 models against 20,000 are five million."""
_MOST_BYTES = 1 << 32
_PAIRS_PER_READ = 1 << 18
_TEXTS = ("model_a", "model_b", "verdict")
_COUNTS = ("n_items", "n10", "n01", "n_clusters")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairBand:
    """Pairs of the models from ``start`` to ``stop`` with all later ones, in order of ranks."""

    start: int
    stop: int
    models: int
    path: Path
    columns: Mapping[str, Any]

    def __len__(self) -> int:
        """Pairs."""
        return len(self.columns["n_items"])

    def row(self, i: int) -> slice:
        """Where the pairs of one model stand."""
        begin = _pairs_before(i, self.models) - _pairs_before(self.start, self.models)
        return slice(begin, begin + self.models - 1 - i)

    def places(self) -> tuple[IntArray, IntArray]:
        """Rank order of the first and of the second model of each pair."""
        counts = np.arange(self.models - 1 - self.start, self.models - 1 - self.stop, -1)
        first = np.repeat(np.arange(self.start, self.stop), counts)
        ends = np.cumsum(counts)
        second = np.arange(len(first)) - np.repeat(ends - counts, counts) + first + 1
        return first, second


def _pairs_before(i: int, models: int) -> int:
    """Pairs whose first model stands before place ``i``."""
    return i * (2 * models - i - 1) // 2


def _wanted(source: AuditFolder) -> tuple[str, ...]:
    audit = source.audit
    columns = [
        "model_a",
        "model_b",
        "n_items",
        "gap",
        "se",
        "pvalue",
        "pvalue_adjusted",
        "verdict",
    ]
    columns.append("is_underpowered")
    if audit.is_binary:
        columns += ["n10", "n01"]
    if not audit.is_complete:
        columns += ["mean_a", "mean_b"]
    if not source.counted:
        columns.append("df")
    if source.design == "cluster":
        columns.append("n_clusters")
        if audit.margin is not None:
            columns.append("n_exposed")
    return tuple(columns)


def _stop(start: int, rows: int, models: int) -> int | None:
    """The model after the last one of a part with so many pairs; None if it is not whole."""
    stop = start
    while rows > 0 and stop < models - 1:
        rows -= models - 1 - stop
        stop += 1
    return stop if rows == 0 else None


@contextmanager
def _arrow_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        if isinstance(error, DataError):
            raise
        messages = str(error).splitlines() or [type(error).__name__]
        msg = f"{path}: cannot be read as pairs: {messages[0]:.200}. {MEND}"
        raise DataError(msg) from error


def _check(path: Path, file: pq.ParquetFile, column_names: tuple[str, ...]) -> int:
    """Pairs in a file whose columns are as they should be."""
    schema, rows = file.schema_arrow, file.metadata.num_rows
    for name in column_names:
        if schema.names.count(name) != 1:
            refuse(path, f"must have exactly one column {name}")
        kind = schema.field(name).type
        if name in _TEXTS:
            inner = kind.value_type if pa.types.is_dictionary(kind) else kind
            fits = pa.types.is_string(inner)
        elif name == "is_underpowered":
            fits = kind == pa.bool_()
        else:
            fits = kind == (pa.int32() if name in _COUNTS else pa.float64())
        if not fits:
            refuse(path, f"column {name} has the wrong type {kind}")
    groups = (file.metadata.row_group(k) for k in range(file.metadata.num_row_groups))
    if not 0 < rows <= _MOST_ROWS or sum(g.total_byte_size for g in groups) > _MOST_BYTES:
        refuse(path, f"contains {rows:,} pairs, which is more than a part can have")
    return int(rows)


def _codes(path: Path, column: Any, known: Mapping[str, int]) -> IntArray:
    """Numbers of the texts of a column."""
    if column.null_count:
        refuse(path, "has missing names or verdicts")
    texts = column.dictionary.to_pylist()
    numbers = np.array([known.get(t, -1) for t in texts], dtype=np.int64)
    codes = numbers[column.indices.to_numpy(zero_copy_only=False)]
    if (codes < 0).any():
        stranger = texts[int(np.flatnonzero(numbers < 0)[0])]
        refuse(
            path, f"{stranger!r:.80} is not in audit.json, so the files belong to different audits"
        )
    return codes


_CODE_OF_VERDICT: dict[str, int] = {v: VERDICT_OF_STATE.index(v) for v in VERDICT_OF_STATE}


def _state_codes(path: Path, batch: Any) -> IntArray:
    """State of each pair: its verdict, and whether it is underpowered."""
    codes = _codes(path, batch.column("verdict"), _CODE_OF_VERDICT)
    column = batch.column("is_underpowered")
    if column.null_count:
        refuse(path, "column is_underpowered has missing values")
    underpowered = column.to_numpy(zero_copy_only=False)
    if (underpowered & (codes != 0)).any():
        refuse(path, "contains underpowered pairs that are not significant")
    return np.where(underpowered, UNDERPOWERED, codes)


def _filled(
    band: PairBand, file: pq.ParquetFile, column_names: tuple[str, ...], known: Mapping[str, int]
) -> None:
    """Put the rows of a file where they belong; each pair must come once."""
    is_filled: BoolArray = np.zeros(len(band), dtype=np.bool_)
    before = _pairs_before(band.start, band.models)
    for batch in file.iter_batches(
        batch_size=_PAIRS_PER_READ, columns=list(column_names), use_threads=False
    ):
        batch.validate(full=True)
        i, j = (_codes(band.path, batch.column(name), known) for name in ("model_a", "model_b"))
        if (i >= j).any() or i.min() < band.start or i.max() >= band.stop:
            refuse(band.path, "contains pairs in the wrong order")
        place = i * (2 * band.models - i - 1) // 2 + j - i - 1 - before
        is_filled[place] = True
        for name in band.columns:
            column = batch.column(name)
            values = (
                _state_codes(band.path, batch)
                if name == "verdict"
                else column.to_numpy(zero_copy_only=False)
            )
            if column.null_count:
                refuse(band.path, f"column {name} has missing values")
            band.columns[name][place] = values
    if not is_filled.all():
        refuse(band.path, "has missing or repeated pairs")


def _names(source: AuditFolder) -> dict[str, int]:
    """Place of each name as the files spell it."""
    names = [n.encode("utf-8", "replace").decode() for n in source.audit.ranking.model]
    known = {name: k for k, name in enumerate(names)}
    if len(known) < len(names):
        msg = (
            f"{source.pairs}: the names of two models differ only in characters that are not "
            "valid text."
        )
        raise DataError(msg)
    return known


def _files(source: AuditFolder) -> list[Path]:
    try:
        paths = sorted(source.pairs.iterdir())
    except OSError as error:
        msg = f"Cannot read {source.pairs}: {error.strerror or error}. {MEND}"
        raise DataError(msg) from error
    return [p for p in paths if _PART.fullmatch(p.name) and p.is_file()]


def bands(source: AuditFolder) -> Iterator[PairBand]:
    """All pairs, from the best model on; DataError if the files do not hold them."""
    m, start, known, column_names = len(source.audit), 0, _names(source), _wanted(source)
    for path in _files(source):
        with (
            _arrow_errors(path),
            pq.ParquetFile(path, read_dictionary=list(_TEXTS), memory_map=True) as file,
        ):
            rows = _check(path, file, column_names)
            stop = _stop(start, rows, m)
            if stop is None:
                refuse(path, f"contains {rows:,} pairs, which do not continue the previous file")
            kinds = dict.fromkeys(_COUNTS, np.int32) | {"verdict": np.uint8}
            columns = {
                name: np.empty(rows, dtype=kinds.get(name, np.float64))
                for name in column_names
                if name not in ("model_a", "model_b", "is_underpowered")
            }
            band = PairBand(start=start, stop=stop, models=m, path=path, columns=columns)
            _filled(band, file, column_names, known)
        yield band
        start = stop
    if start < m - 1:
        msg = (
            f"{source.pairs}: contains the pairs of only {start:,} of {m - 1:,} models. Run the "
            "same nstar audit … --out FOLDER again to finish the audit."
        )
        raise DataError(msg)
