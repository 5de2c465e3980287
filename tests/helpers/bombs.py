"""Small files that would be large: each is made in a folder and set off by the real program."""

import gzip
import hashlib
import json
import os
import resource
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

__all__ = ["BOMBS", "LIGHT_MEMORY", "MEMORY", "SECONDS", "SPACE", "Bomb", "Outcome", "run"]

MEMORY = 1_000_000_000
"""Bytes in memory that any of them may take at most."""
LIGHT_MEMORY = 600_000_000
"""Bytes that the light ones may take at most."""
SECONDS = 30
"""CPU seconds that any of them may take at most."""
SPACE = 4 << 30
"""Bytes of address space; pyarrow and threads reserve far more than they use."""

_DEFLATE, _ZSTD = 8, 93
_SPEC = b'"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}'
_ROW = b'{"model": "m", "item": "q", "score": 1}\n'

Make = Callable[[Path], list[str]]
Pieces = Callable[[], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Bomb:
    """One file, or a few."""

    name: str
    make: Make
    """Writes into an empty folder and gives the arguments of ``nstar``."""
    says: str
    """A part of what must be printed."""
    status: int = 3
    """Exit status wanted."""
    light: Make | None = None
    """The same thing just over the limit, or over a lower one, where the whole takes long."""
    light_prints: str = ""
    """What must be printed of the light one, if it is not what the whole prints."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the program did."""

    status: int
    printed: str
    size: int
    """Bytes on the disk, all files of the bomb."""
    cpu: float
    """Seconds, of all threads."""
    peak: int
    """Bytes in memory at most."""


# ---- archives ---------------------------------------------------------------------------------


def _packed(pieces: Iterable[bytes], method: int) -> tuple[bytes, int, int]:
    """Compressed bytes, their length without compression, and their check sum."""
    length = crc = 0
    press, sink = zlib.compressobj(6, zlib.DEFLATED, -15), pa.BufferOutputStream()
    parts = []
    with pa.CompressedOutputStream(sink, "zstd") as out:
        for piece in pieces:
            length, crc = length + len(piece), zlib.crc32(piece, crc)
            if method == _ZSTD:
                out.write(piece)
            else:
                parts.append(press.compress(piece))
    if method == _ZSTD:
        return sink.getvalue().to_pybytes(), length, crc
    return b"".join([*parts, press.flush()]), length, crc


def _archive(path: Path, members: Iterable[tuple[str, Iterable[bytes]]], method: int) -> None:
    """A zip; zipfile knows no zstd before Python 3.14."""
    directory, count = b"", 0
    with path.open("wb") as file:
        for name, pieces in members:
            packed, length, crc = _packed(pieces, method)
            head = struct.pack("<HHHHHIII", 20, 0, method, 0, 0, crc, len(packed), length)
            raw, at = name.encode(), file.tell()
            file.write(b"PK\3\4" + head + struct.pack("<HH", len(raw), 0) + raw + packed)
            tail = struct.pack("<HHHHHII", len(raw), 0, 0, 0, 0, 0, at)
            directory += b"PK\1\2" + struct.pack("<H", 20) + head + tail + raw
            count += 1
        end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), file.tell(), 0)
        file.write(directory + b"PK\5\6" + end)


def _around(before: bytes, unit: bytes, mebi: int, after: bytes) -> Pieces:
    """So many MiB of one thing over and over, between two others."""
    block = unit * ((1 << 20) // len(unit))
    return lambda: [before, *(block for _ in range(mebi)), after]


def _eval(
    *members: tuple[str, Pieces], method: int = _DEFLATE, options: tuple[str, ...] = ()
) -> Make:
    """A log of Inspect."""

    def make(folder: Path) -> list[str]:
        path = folder / "log.eval"
        _archive(path, ((name, pieces()) for name, pieces in members), method)
        return ["read", str(path), *options]

    return make


def _killed_run(samples: int = 60) -> Make:
    """A run that was killed: samples of 63 MiB, no summaries."""
    members: list[Any] = [("_journal/start.json", lambda: [b"{" + _SPEC + b"}"])]
    for k in range(samples):
        start = f'{{"id": {k}, "epoch": 1, "scores": {{"s": {{"value": 1}}}}, "x": "'
        members.append((f"samples/{k}_epoch_1.json", _around(start.encode(), b" ", 63, b'"}')))
    return _eval(*members, method=_ZSTD)


_HEADER = ("header.json", lambda: [b"{" + _SPEC + b"}"])
_FULL = b'{"eval": {"model": 5, "task": "t"}, "x": [[]'


# ---- tables -----------------------------------------------------------------------------------


def _file(name: str, pieces: Pieces, *options: str) -> Make:
    def make(folder: Path) -> list[str]:
        path = folder / name
        with gzip.open(path, "wb", 6) if name.endswith(".gz") else path.open("wb") as file:
            for piece in pieces():
                file.write(piece)
        return ["read", str(path), *options]

    return make


def _empty_members(folder: Path, members: int = 200_000) -> list[str]:
    """A table in a gzip member, and members without text."""
    table = gzip.compress(b"model,item,score\na,1,1\nb,1,0\n", mtime=0)
    (folder / "x.csv.gz").write_bytes(table + gzip.compress(b"", mtime=0) * members)
    return ["read", str(folder / "x.csv.gz")]


def _arrow(batch: Callable[[], Any], times: int = 1, *, stream: bool = False) -> Make:
    """An Arrow file or stream of one batch, so many times."""

    def make(folder: Path) -> list[str]:
        path, rows = folder / "scores.arrow", batch()
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        opener = pa.ipc.new_stream if stream else pa.ipc.new_file
        with opener(str(path), rows.schema, options=options) as writer:
            for _ in range(times):
                writer.write_batch(rows)
        return ["read", str(path)]

    return make


def _equal_rows(rows: int) -> Any:
    zeros = pa.array(np.zeros(rows, np.int32))
    return pa.RecordBatch.from_pydict({"model": zeros, "item": zeros, "score": zeros})


def _dictionaries(rows: int) -> Any:
    """Names of a megabyte each, kept once, and one of them null."""
    codes = pa.array(np.arange(rows) % 2, pa.int8())
    names = pa.DictionaryArray.from_arrays(codes, pa.array(["a" * 1_000_000, None], pa.string()))
    item = pa.DictionaryArray.from_arrays(codes, pa.array(["b" * 1_000_000, "c"], pa.string()))
    score = pa.array(np.zeros(rows, np.int8))
    return pa.RecordBatch.from_pydict({"model": item, "item": item, "task": names, "score": score})


def _long_numbers(rows: int, kind: Any) -> Any:
    """A column of two numbers of a million digits, beside scores."""
    codes = pa.array(np.arange(rows) % 2, pa.int8())
    texts = pa.array(["1" * 1_000_000, "2" * 1_000_000], kind)
    names = pa.array([f"q{k // 2}" for k in range(rows)])
    model, score = pa.array(["a", "b"]), pa.array(np.ones(rows, np.int8))
    columns = {
        "model": pa.DictionaryArray.from_arrays(codes, model),
        "item": names,
        "score": score,
        "cost": pa.DictionaryArray.from_arrays(codes, texts),
    }
    return pa.RecordBatch.from_pydict(columns)


def _long_texts(rows: int) -> Any:
    """The same, with texts that may be scores and no column of scores."""
    batch = _long_numbers(rows, pa.string())
    return pa.table({"model": batch["model"], "item": batch["item"], "value_x": batch["cost"]})


def _details(rows: int) -> Any:
    """Details of lighteval, all of one question of a megabyte."""
    names = pa.array([str(k) for k in range(rows)])
    query = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int8()), ["x" * 1_000_000])
    task = pa.array(["suite|task|0"] * rows)
    doc = pa.StructArray.from_arrays([names, query, task], ["id", "query", "task_name"])
    metric = pa.StructArray.from_arrays([pa.array(np.ones(rows))], ["acc"])
    return pa.table({"doc": doc, "metric": metric, "model_response": metric})


def _leaderboard(rows: int) -> Any:
    """Rows of the first Open LLM Leaderboard, all of one question of a megabyte."""
    details = _details(rows)
    query = details["doc"].combine_chunks().field("query")
    hashes = pa.StructArray.from_arrays([query], ["example"])
    return pa.table({"example": query, "hashes": hashes, "metrics": details["metric"]})


def _fixed_texts(rows: int) -> Any:
    """Models whose names have a million bytes each by their type."""
    names = pa.array([b"x" * 1_000_000], pa.binary(1_000_000)).take(pa.array([0] * rows))
    items = pa.array([f"q{k}" for k in range(rows)])
    return pa.table({"model": names, "item": items, "score": pa.array(np.ones(rows))})


def _long_names(rows: int) -> Any:
    """Two models with names of 50 MB."""
    batch = _long_numbers(rows, pa.string())
    names = pa.array(["a" * 50_000_000, "b" * 50_000_000])
    models = pa.DictionaryArray.from_arrays(batch["cost"].indices, names)
    return pa.RecordBatch.from_pydict(
        {"model": models, "item": batch["item"], "score": batch["score"]}
    )


def _replaced_dictionaries(folder: Path, count: int = 3_000) -> list[str]:
    """Batches of two rows, each with a dictionary of its own: an item of 40 kB."""
    path = folder / "scores.arrow"
    codes, both = pa.array([0, 0], pa.int8()), pa.array(["a", "b"])
    schema = pa.schema(
        {"model": pa.string(), "item": pa.dictionary(pa.int8(), pa.string()), "score": pa.int8()}
    )
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(str(path), schema, options=options) as writer:
        for k in range(count):
            item = pa.DictionaryArray.from_arrays(codes, pa.array([f"{k:06d}" + "x" * 40_000]))
            columns = [both, item, pa.array([1, 0], pa.int8())]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    return ["read", str(path)]


def _one_dictionary(folder: Path, batches: int = 5_000) -> list[str]:
    """Batches of one row that share a dictionary of a million items."""
    path, names = folder / "scores.arrow", pa.array([f"q{k}" for k in range(1_000_000)])
    item = pa.DictionaryArray.from_arrays(pa.array([7], pa.int32()), names)
    row = pa.RecordBatch.from_pydict(
        {"model": pa.array(["a"]), "item": item, "score": pa.array([1], pa.int8())}
    )
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(str(path), row.schema, options=options) as writer:
        for _ in range(batches):
            writer.write_batch(row)
    return ["read", str(path)]


def _views(rows: int) -> Any:
    """Texts of a megabyte that all show the same bytes."""
    views = np.zeros((rows, 4), "<i4")  # length, first letters, buffer, offset
    views[:, 0], views[:, 1] = 1_000_000, 0x61616161
    buffers = [None, pa.py_buffer(views), pa.py_buffer(b"a" * 1_000_000)]
    item = pa.Array.from_buffers(pa.string_view(), rows, buffers)
    score = pa.array(np.zeros(rows, np.int8))
    return pa.RecordBatch.from_pydict({"model": item, "item": item, "score": score})


def _parquet(table: Callable[[], Any], times: int = 1, **options: Any) -> Make:
    """A Parquet file of one group of rows, so many times."""

    def make(folder: Path) -> list[str]:
        path, rows = folder / "scores.parquet", table()
        with pq.ParquetWriter(path, rows.schema, compression="zstd", **options) as writer:
            for _ in range(times):
                writer.write_table(rows, row_group_size=len(rows))
        return ["read", str(path)]

    return make


def _table(rows: int) -> Any:
    return pa.Table.from_batches([_equal_rows(rows)])


def _different_names(rows: int) -> Any:
    """Each row an item of its own: differences of one, which pack to nothing."""
    item = pa.array(np.arange(rows, dtype=np.int64))
    zeros = pa.array(np.zeros(rows, np.int8))
    return pa.table({"model": zeros, "item": item, "score": zeros})


def _lists(rows: int, length: int) -> Any:
    """Rows of the first Open LLM Leaderboard with long lists in them."""
    flat = pa.array(np.zeros(rows * length, np.int8))
    offsets = pa.array(np.arange(rows + 1, dtype=np.int32) * length)
    nested = pa.ListArray.from_arrays(offsets, flat)
    metrics = pa.StructArray.from_arrays([pa.array(np.zeros(rows)), nested], ["acc", "more"])
    names = pa.array([f"q{k}" for k in range(rows)])
    return pa.table({"example": names, "hashes": nested, "metrics": metrics})


def _lying_pages(folder: Path, rows: int = 30_000_000) -> list[str]:
    """A page of zeros whose length the footer denies."""
    columns = {"item": pa.array(np.zeros(rows, np.int64)), "score": pa.array(np.zeros(rows))}
    path = folder / "scores.parquet"
    options: dict[str, Any] = {"use_dictionary": False, "compression": "zstd"}
    if "max_rows_per_page" in signature(pq.write_table).parameters:
        options["max_rows_per_page"] = rows
    pq.write_table(pa.table(columns), path, rows, data_page_size=1 << 30, **options)
    data = bytearray(path.read_bytes())
    (length,) = struct.unpack("<I", data[-8:-4])
    footer = bytes(data[-8 - length : -8])
    group = pq.read_metadata(path).row_group(0)
    for k in range(2):
        footer = footer.replace(_zigzag(group.column(k).total_uncompressed_size), _zigzag(1000))
    footer = footer.replace(_zigzag(rows), _zigzag(1000))
    path.write_bytes(
        bytes(data[: -8 - length]) + footer + struct.pack("<I4s", len(footer), b"PAR1")
    )
    return ["read", str(path)]


def _zigzag(n: int) -> bytes:
    """A number as Thrift writes it."""
    return _varint(n << 1)


def _varint(value: int) -> bytes:
    """A length as Thrift writes it."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _shared_page(folder: Path, groups: int = 20_000, values: int = 60_000) -> list[str]:
    """Groups of rows whose chunks are all the same page, the head of which is long."""

    def integers(*told: tuple[int, int, int]) -> bytes:
        """Fields of a struct: steps from one number to the next, types, values."""
        return b"".join(bytes([step << 4 | kind]) + _zigzag(n) for step, kind, n in told)

    def listed(step: int, kind: int, count: int) -> bytes:
        return bytes([step << 4 | 9, 0xF0 | kind]) + _varint(count)

    i32, i64, struct_, texts = 5, 6, 12, 8
    head = integers((1, i32, 0), (1, i32, 4), (1, i32, 4)) + bytes([2 << 4 | struct_])
    head += integers((1, i32, 1), (1, i32, 0), (1, i32, 3), (1, i32, 3)) + b"\0"
    page = head + listed(4, i32, values) + _zigzag(1) * values + b"\0" + b"\1\0\0\0"
    names = (b"model", b"item", b"score")

    def chunk(name: bytes) -> bytes:
        about = integers((1, i32, 1)) + listed(1, i32, 1) + _zigzag(0) + listed(1, texts, 1)
        about += _varint(len(name)) + name
        told = ((1, i32, 0), (1, i64, 1), (1, i64, 4), (1, i64, len(page)), (2, i64, 4))
        return (
            integers((2, i64, 4)) + bytes([1 << 4 | struct_]) + about + integers(*told) + b"\0\0"
        )

    schema = bytes([4 << 4 | texts, 1]) + b"s" + integers((1, i32, len(names))) + b"\0"
    for name in names:
        schema += integers((1, i32, 1), (2, i32, 0)) + bytes([1 << 4 | texts, len(name)]) + name
        schema += b"\0"
    group = listed(1, struct_, len(names)) + b"".join(map(chunk, names))
    group += integers((1, i64, len(names) * len(page)), (1, i64, 1)) + b"\0"
    footer = integers((1, i32, 1)) + listed(1, struct_, 1 + len(names)) + schema
    footer += integers((1, i64, groups)) + listed(1, struct_, groups) + group * groups + b"\0"
    path, end = folder / "scores.parquet", struct.pack("<I4s", len(footer), b"PAR1")
    path.write_bytes(b"PAR1" + page + footer + end)
    return ["read", str(path)]


def _wide(columns: int, rows: int = 2) -> Make:
    head = ",".join(["model", "item", "score", *(f"c{k}" for k in range(columns))])
    line = ",".join(["m", "1", "1", *("0" for _ in range(columns))])
    return _file("wide.csv", lambda: [f"{head}\n".encode(), *(f"{line}\n".encode(),) * rows])


def _transposed(folder: Path, items: int = 39_000) -> list[str]:
    """Two models in rows, 39,000 items in columns: no bomb, but near the limit."""
    head = ",".join(["model", *(f"q{k}" for k in range(items))])
    lines = [
        ",".join([m, *(str((k * j) % 3 // 2) for k in range(items))])
        for j, m in ((5, "a"), (7, "b"))
    ]
    (folder / "wide.csv").write_text("\n".join([head, *lines, ""]))
    return ["read", str(folder / "wide.csv")]


def _diagonal(folder: Path) -> list[str]:
    """Every row a model of its own and an item of its own."""
    rows = "".join(f"m{k},q{k},0.5\n" for k in range(30_000))
    (folder / "diagonal.csv").write_text(f"model,item,score\n{rows}")
    return ["read", str(folder / "diagonal.csv")]


# ---- what nstar wrote itself ------------------------------------------------------------------


def _gate(folder: Path, history: str) -> list[str]:
    rows = "".join(f"{m},q{k},{k % 2}\n" for m in ("new", "old") for k in range(50))
    (folder / "scores.csv").write_text(f"model,item,score\n{rows}")
    (folder / "nights").mkdir()
    (folder / "nights" / "gate.jsonl").write_text(history)
    log = str(folder / "scores.csv")
    asked = ["--baseline", f"{log}::old", "--candidate", f"{log}::new", "--margin", "1pp"]
    return ["gate", "looks", *asked, "--history", str(folder / "nights")]


def _sealed_history(log_e: int) -> str:
    """A history whose check sums fit."""
    lines, check = [], ""
    head = {"schema": "nstar.gate-history/1", "question": {"tasks": ["t"]}, "fresh": False}
    night = {"night": 1, "log_e": [[log_e, 0, 0]], "scores": "x", "items": None}
    for body in (head, night):
        text = json.dumps(body, sort_keys=True)
        check = hashlib.sha256(f"{check}\n{text}".encode()).hexdigest()
        lines.append(json.dumps(body | {"check": check}, sort_keys=True))
    return "\n".join(lines) + "\n"


def _settings(folder: Path) -> list[str]:
    (folder / "nstar.toml").write_text("[gate]\nmargin = " + "[" * 100_000)
    return ["gate", "--config", str(folder / "nstar.toml")]


def _fields(fields: int = 3_000_000) -> Iterable[bytes]:
    yield b'{"model": "m", "item": "q", "score": 1'
    yield b"".join(b',"f%d":0' % k for k in range(fields))
    yield b"}\n"


BOMBS: tuple[Bomb, ...] = (
    Bomb(
        "Arrow, 150 M rows in one batch",
        _arrow(lambda: _equal_rows(150_000_000)),
        "--limit rows",
        light=_arrow(lambda: _equal_rows(9_000_000)),
    ),
    Bomb(
        "Arrow stream, 150 batches of 1 M rows",
        _arrow(lambda: _equal_rows(1_000_000), 150, stream=True),
        "--limit rows",
    ),
    Bomb(
        "Arrow, names of 1 MB kept once",
        _arrow(lambda: _dictionaries(2_000_000)),
        "2 models",
        0,
    ),
    Bomb(
        "Arrow, costs of 1 MB kept once",
        _arrow(lambda: _long_numbers(6_500, pa.large_string())),
        "2 models × 3,250 items",
        0,
    ),
    Bomb("Arrow, model names of 50 MB", _arrow(lambda: _long_names(1_000)), "Use shorter names"),
    Bomb(
        "Arrow stream, 3,000 dictionaries of 40 KB",
        _replaced_dictionaries,
        "2 models × 3,000 items",
        0,
        light=lambda folder: _replaced_dictionaries(folder, 500),
        light_prints="2 models × 500 items",
    ),
    Bomb(
        "Arrow stream, 5,000 batches of a row with one dictionary",
        _one_dictionary,
        "1 model × 1 item",
        0,
        light=lambda folder: _one_dictionary(folder, 500),
    ),
    Bomb(
        "Arrow, texts that show one another", _arrow(lambda: _views(1_000_000)), "--limit unpacked"
    ),
    Bomb(
        "Parquet, 20 M equal rows",
        _parquet(lambda: _table(20_000_000)),
        "--limit rows",
        light=_parquet(lambda: _table(9_000_000)),
    ),
    Bomb(
        "Parquet, 100 M equal rows",
        _parquet(lambda: _table(5_000_000), 20),
        "--limit rows",
        light=_parquet(lambda: _table(1_000_000), 9),
    ),
    Bomb(
        "Parquet, 20 M different items",
        _parquet(
            lambda: _different_names(1_000_000),
            20,
            use_dictionary=False,
            column_encoding={"item": "DELTA_BINARY_PACKED", "model": "PLAIN", "score": "PLAIN"},
        ),
        "--limit ",
    ),
    Bomb(
        "Parquet, lists of 40 M values",
        _parquet(lambda: _lists(20, 2_000_000)),
        "--limit ",
        light=_parquet(lambda: _lists(20, 450_000)),
    ),
    Bomb(
        "Parquet, pages longer than the footer says",
        _lying_pages,
        "not valid Parquet",
        light=lambda folder: _lying_pages(folder, 3_000_000),
    ),
    Bomb(
        "Parquet, texts of 1 MB kept once",
        _parquet(
            lambda: _long_texts(2_000), dictionary_pagesize_limit=1 << 30, store_schema=False
        ),
        "no score column",
    ),
    Bomb(
        "Parquet, 2,000 names of 1 MB by their type",
        _parquet(lambda: _fixed_texts(2_000), dictionary_pagesize_limit=1 << 30),
        "--limit unpacked",
        light=_parquet(lambda: _fixed_texts(200), dictionary_pagesize_limit=1 << 30),
    ),
    Bomb(
        "Parquet of lighteval, a question of 1 MB kept once",
        _parquet(lambda: _details(3_000), dictionary_pagesize_limit=1 << 30, store_schema=False),
        "--limit unpacked",
    ),
    Bomb(
        "Parquet of Open LLM, a question of 1 MB kept once",
        _parquet(
            lambda: _leaderboard(3_000), dictionary_pagesize_limit=1 << 30, store_schema=False
        ),
        "--limit unpacked",
    ),
    Bomb(
        "Parquet, model names of 50 MB",
        _parquet(
            lambda: pa.Table.from_batches([_long_names(1_000)]),
            dictionary_pagesize_limit=1 << 30,
            store_schema=False,
        ),
        "Use shorter names",
    ),
    Bomb(
        "Parquet, 60,000 chunks that are one page with a long head",
        _shared_page,
        "overlaps another one",
        light=lambda folder: _shared_page(folder, 2_000),
    ),
    Bomb(
        '`.eval`, 300 MiB of `[]` and `"model": 5`',
        _eval(("header.json", _around(_FULL, b",[]", 300, b"]}"))),
        "above the limit of 64 MiB",
        light=_eval(("header.json", _around(_FULL, b",[]", 65, b"]}"))),
    ),
    Bomb(
        "`.eval`, 63 MiB of them, in a field nobody reads",
        _eval(("header.json", _around(_FULL, b",[]", 63, b"]}"))),
        "has a wrong value: Expected `str`, got `int` - at `$.eval.model`: 5",
        light=_eval(("header.json", _around(_FULL, b",[]", 20, b"]}"))),
    ),
    Bomb(
        "`.eval`, 60 MiB of them, in a field that is read",
        _eval(("header.json", _around(b"{" + _SPEC + b', "plan": [[]', b",[]", 60, b"]}"))),
        "--limit kept",
    ),
    Bomb(
        "`.eval`, 100 M empty samples",
        _eval(_HEADER, ("summaries.json", _around(b"[{}", b",{}", 300, b"]"))),
        "--limit unpacked",
        light=_eval(_HEADER, ("summaries.json", _around(b"[{}", b",{}", 130, b"]"))),
    ),
    Bomb(
        "`.eval`, 40 M empty samples",
        _eval(_HEADER, ("summaries.json", _around(b"[{}", b",{}", 120, b"]"))),
        "--limit kept",
        light=_eval(
            _HEADER,
            ("summaries.json", _around(b"[{}", b",{}", 20, b"]")),
            options=("--limit", "kept=3000000"),
        ),
    ),
    Bomb(
        "`.eval`, 60 samples of 63 MiB, zstd",
        _killed_run(),
        "--limit unpacked",
        light=_killed_run(4),
    ),
    Bomb(
        "`.eval`, 40 M texts beside NaN",
        _eval(
            ("header.json", _around(b"{" + _SPEC + b', "x": [NaN', b',""', 60, b"]}")),
            ("summaries.json", _around(b'[{"id": 1, "x": [NaN', b',""', 60, b"]}]")),
        ),
        "no scores found",
        light=_eval(
            ("header.json", _around(b"{" + _SPEC + b', "x": [NaN', b',""', 10, b"]}")),
            ("summaries.json", _around(b'[{"id": 1, "x": [NaN', b',""', 10, b"]}]")),
        ),
    ),
    Bomb(
        "`.eval`, 15 M times NaN",
        _eval(("header.json", _around(b"{" + _SPEC + b', "x": [1', b",NaN", 60, b"]}"))),
        "needs more than 1,000,000 repairs",
        light=_eval(("header.json", _around(b"{" + _SPEC + b', "x": [1', b",NaN", 5, b"]}"))),
    ),
    Bomb(
        "`.eval`, 20 M lists beside NaN, in a field that is read",
        _eval(("header.json", _around(b"{" + _SPEC + b', "plan": [NaN', b",[]", 60, b"]}"))),
        "--limit kept",
    ),
    Bomb("CSV, 100,003 columns", _wide(100_000), "--limit columns"),
    Bomb(
        "CSV, 10,003 columns × 2,000 rows",
        _wide(10_000, 2000),
        "1 model",
        0,
        light=_wide(10_000, 300),
    ),
    Bomb(
        "CSV, 39,000 items in columns",
        _transposed,
        "2 models × 39,000 items",
        0,
        light=lambda folder: _transposed(folder, 5_000),
        light_prints="2 models × 5,000 items",
    ),
    Bomb("CSV, 30,000 models with an item each", _diagonal, "--limit cells"),
    Bomb(
        "CSV, gzip, 300 MB of one row",
        _file("x.csv.gz", _around(b"model,item,score\n", b"m,q,1\n", 300, b"")),
        "--limit ",
        light=_file("x.csv.gz", _around(b"model,item,score\n", b"m,q,1\n", 140, b"")),
    ),
    Bomb(
        "CSV, gzip, 200,000 empty members",
        _empty_members,
        "2 models × 1 item",
        0,
        light=lambda folder: _empty_members(folder, 50_000),
    ),
    Bomb(
        "JSON Lines, gzip, 300 MB of one row",
        _file("x.jsonl.gz", _around(b"", _ROW, 300, b"")),
        "--limit ",
        light=_file("x.jsonl.gz", _around(b"", _ROW, 40, b""), "--limit", "unpacked=12000000"),
    ),
    Bomb(
        "JSON Lines, 60 MiB of `[]` for a score",
        _file(
            "x.jsonl", _around(b'{"model": "m", "item": "q", "score": [[]', b",[]", 60, b"]}\n")
        ),
        "contains more than 4,000,000 values",
        light=_file(
            "x.jsonl", _around(b'{"model": "m", "item": "q", "score": [[]', b",[]", 14, b"]}\n")
        ),
    ),
    Bomb(
        "JSON Lines, 3 M fields in a record",
        _file("x.jsonl", _fields),
        "contains more than 4,000,000 values",
    ),
    Bomb(
        "gate history of 100,000 `[`",
        lambda folder: _gate(folder, "[" * 100_000),
        "History line 1 has been damaged",
        4,
    ),
    Bomb(
        "gate history with 10^400",
        lambda folder: _gate(folder, _sealed_history(10**400)),
        "The history is incomplete",
        4,
    ),
    Bomb("`nstar.toml` of 100,000 `[`", _settings, "not valid TOML", 2),
)


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
    resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS, 2 * SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _made(bomb: Bomb, folder: Path) -> list[str]:
    """The arguments; made by another process, whose memory would count as that of ours."""
    command = [sys.executable, __file__, bomb.name, str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)  # noqa: S603
    arguments: list[str] = json.loads(done.stdout)
    return arguments


def _set_off(arguments: list[str], said: str) -> list[float]:
    """Exit status, seconds and bytes of a process that cannot take much more than it may."""
    with Path(said).open("w", encoding="utf-8") as out:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "nstar", *arguments],
            stdout=out,
            stderr=subprocess.STDOUT,
            preexec_fn=_limited,  # noqa: PLW1509
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return [process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss << 10]


def run(bomb: Bomb, folder: Path) -> Outcome:
    """Make the bomb and set it off, from a small process.

    A child begins with the memory of whoever starts it, and what runs the tests may have grown.
    """
    arguments = _made(bomb, folder)
    size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
    said = folder / "said"
    command = [sys.executable, __file__, "", str(said), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)  # noqa: S603
    status, cpu, memory = json.loads(done.stdout)
    printed = said.read_text("utf-8", "replace")
    return Outcome(int(status), printed, size, cpu, int(memory))


if __name__ == "__main__" and not sys.argv[1]:
    sys.stdout.write(json.dumps(_set_off(sys.argv[3:], sys.argv[2])))
elif __name__ == "__main__":
    wanted = next(bomb for bomb in BOMBS if bomb.name == sys.argv[1])
    sys.stdout.write(json.dumps(wanted.make(Path(sys.argv[2]))))
