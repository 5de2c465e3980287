"""Plain tables that are damaged, odd or meant to deceive."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from helpers.logs import FIXTURES, Log, attack
from nstar._data.read_limits import Limits
from nstar.errors import NstarError, ReadError
from nstar.readers._files import Place
from nstar.readers._tables._declared import declared_in_parquet, refuse_lying_pages
from nstar.readers._tables._scores import ScoreColumn, parse
from nstar.readers.tabular import READER

TABLES = FIXTURES / "tabular"


def put(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def error_of(path: Path, **options: Any) -> str | None:
    """What is wrong with the file; anything but an error of nstar goes through."""
    try:
        Log(READER, path, **options)
    except NstarError as error:
        return str(error)
    return None


def sniffed(path: Path) -> str | None:
    return READER.sniff(Place(str(path)), path.read_bytes()[:65536])


@pytest.mark.parametrize(
    ("text", "score"),
    [
        *[(t, 1.0) for t in ("1", "1.0", "true", "TRUE", "Yes", "correct", "pass", "C", " c ")],
        *[(t, 0.0) for t in ("0", "-0", "False", "no", "Incorrect", "fail", "I", "wrong")],
        *[(t, None) for t in ("", " ", "NaN", "null", "None", "N/A")],
        ("+0.5", 0.5),
        ("1e-3", 0.001),
        ("-2.5", -2.5),
    ],
)
def test_words_for_scores(text: str, score: float | None) -> None:
    assert parse(text) == score
    column, bad = ScoreColumn().convert(pa.array([text, "pass"]))
    assert (column.to_pylist(), bad.size) == ([score, 1.0], 0)


@pytest.mark.parametrize("text", ["71%", "inf", "-Infinity", "1_000", "0,5", "maybe", "[1]", "½"])
def test_texts_that_are_no_scores(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parse(text)
    path = put(tmp_path / "m.csv", f'item,score\nq1,1\nq2,"{text}"\n')
    with pytest.raises(ReadError, match=r"m\.csv:3: score .*skip_bad"):
        Log(READER, path)
    log = Log(READER, path, skip_bad=1)
    assert log.scores() == {"q1": 1.0}
    assert len(log.journal.bad) == 1


@pytest.mark.parametrize("name", ["s.parquet", "s.feather"])
def test_infinite_scores_name_their_row(tmp_path: Path, name: str) -> None:
    table = pa.table({"item": ["a", "b", "c"], "score": [1.0, float("nan"), float("-inf")]})
    if name.endswith("parquet"):
        pq.write_table(table, tmp_path / name)
    else:
        pa.feather.write_feather(table, tmp_path / name)
    with pytest.raises(ReadError, match=rf"{name}:3: score -inf is infinite"):
        Log(READER, tmp_path / name)
    log = Log(READER, tmp_path / name, skip_bad=1)
    assert log.scores() == {"a": 1.0, "b": None}
    assert log.source.unscored == 1


def test_row_after_the_first_block_is_named(tmp_path: Path) -> None:
    n = 300_000
    scores = [1.0] * n
    scores[270_000] = float("inf")
    pq.write_table(pa.table({"item": list(range(n)), "score": scores}), tmp_path / "b.parquet")
    with pytest.raises(ReadError, match=r"b\.parquet:270001: score inf"):
        Log(READER, tmp_path / "b.parquet")


def test_more_bad_rows_than_allowed(tmp_path: Path) -> None:
    path = put(tmp_path / "m.csv", "item,score\n" + "".join(f"q{k},?\n" for k in range(9)))
    with pytest.raises(
        ReadError, match=r"m\.csv:5: score '\?' .*\(3 unreadable rows were allowed\)"
    ):
        Log(READER, path, skip_bad=3)


def test_missing_names(tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", "model,item,score\na,q1,1\n,q2,1\na,,1\n")
    with pytest.raises(ReadError, match=r"t\.csv:3: model is empty"):
        Log(READER, path)
    assert Log(READER, path, skip_bad=2).scores() == {"q1": 1.0}


def test_leading_zeros_and_words_that_look_like_nothing_stay(tmp_path: Path) -> None:
    path = put(tmp_path / "m.csv", "item,score,subject\n007,1,x\nNA,0,\nnull,1,y\n1e3,1,z\n")
    log = Log(READER, path)
    assert list(log.scores()) == ["007", "NA", "null", "1e3"]
    assert log.table.data["subject"].to_pylist() == ["x", None, "y", "z"]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_delimiters(tmp_path: Path, mark: str) -> None:
    lines = [["item", "score", "note"], ["q1", "1", "a"], ["q2", "0.5", '"b,;\t|c"']]
    path = put(tmp_path / "m.csv", "".join(mark.join(line) + "\r\n" for line in lines))
    assert Log(READER, path).scores() == {"q1": 1.0, "q2": 0.5}


def test_quotes_newlines_and_byte_order_mark(tmp_path: Path) -> None:
    text = '﻿"item","score","q"\r\n"a","1","line 1\nline 2 ""quoted"""\r\n\r\n"b","0",""\r\n'
    assert Log(READER, put(tmp_path / "m.csv", text)).scores() == {"a": 1.0, "b": 0.0}


def test_ragged_rows(tmp_path: Path) -> None:
    path = put(tmp_path / "m.csv", "item,score,x\nq1,1,a\nq2,0\nq3,0,b,c\nq4,?,d\nq5,1,e\n")
    with pytest.raises(
        ReadError, match=r"m\.csv:3: the row has 2 cells, but the header has 3: 'q2"
    ):
        Log(READER, path)
    log = Log(READER, path, skip_bad=3)
    assert log.scores() == {"q1": 1.0, "q5": 1.0}
    assert [b.split(": ")[0].rpartition(":")[2] for b in log.journal.bad] == ["3", "4", "5"]
    with pytest.raises(ReadError, match=r":4: the row has 4 cells.*1 unreadable row was allowed"):
        Log(READER, path, skip_bad=1)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (
            b"1,0,1\n0,0,1\n",
            r"first line contains only numbers \(1, 0, 1\)\. A table needs a header",
        ),
        (b"item,score\nq1,1\ncaf\xe9,0\n", r"not valid UTF-8 at byte 19 \(0xe9\).*iconv"),
        ("item,score\nq,1\n".encode("utf-16"), "is UTF-16. Convert it with iconv"),
        (b"item,score\n\0\0\0", "NUL bytes"),
        (b" \n", "is empty"),
        (b"item,score\n", "no scores found"),
        (b'item,score\n"q1,1\nq2,1\n', r"row has 1 cells|not readable"),
    ],
)
def test_damaged_text(tmp_path: Path, data: bytes, problem: str) -> None:
    path = put(tmp_path / "m.csv", data)
    with pytest.raises(ReadError, match=problem) as caught:
        Log(READER, path)
    assert str(path) in str(caught.value)


def test_compressed_text(tmp_path: Path) -> None:
    for name in ("long.csv", "long.jsonl"):
        path = tmp_path / f"{name}.gz"
        path.write_bytes(gzip.compress((TABLES / name).read_bytes()))
        assert len(Log(READER, path).table) == 48
    lone = tmp_path / "alpha.csv.gz"
    lone.write_bytes(gzip.compress(b"item,score\nq,1\n"))
    assert Log(READER, lone).table.models == ("alpha",)


def test_mixed_values_in_json(tmp_path: Path) -> None:
    several: list[Any] = [
        {"id": 1, "model": "a", "correct": True},
        {"id": "2", "model": "a", "correct": "no"},
        {"id": 3.0, "model": "a", "correct": None},
        {"id": 4, "model": "a"},
        {"id": 5, "model": "a", "correct": float("nan")},
        {"id": 10**30, "model": "a", "correct": 0.5},
        {"id": [6], "model": "a", "correct": 1},
        {"id": 7, "model": {"x": 1}, "correct": 1},
        {"id": 8, "model": None, "correct": 1},
        ["id"],
        {"id": 9, "model": "a", "correct": 10**400},
    ]
    path = put(tmp_path / "r.jsonl", "".join(json.dumps(r) + "\n" for r in several) + "{")
    log = Log(READER, path, skip_bad=99)
    assert log.scores() == {"1": 1, "2": 0, "3": None, "4": None, "5": None, str(10**30): 0.5}
    lines = [int(b.removeprefix(f"{path}:").split(":")[0]) for b in log.journal.bad]
    assert sorted(lines) == [7, 8, 9, 10, 11, 12]
    with pytest.raises(ReadError, match=r"r\.jsonl:7: "):
        Log(READER, path)


def test_json_that_is_no_table(tmp_path: Path) -> None:
    config = put(tmp_path / "config.json", '{"model": "a", "score": 1, "item": 2}')
    pretty = put(tmp_path / "pretty.json", json.dumps({"model": "a", "item": 1}, indent=1))
    dataset = put(tmp_path / "data.jsonl", '{"id": 1, "question": "?", "answer": "!"}\n')
    numbers = put(tmp_path / "n.json", "[1, 2]")
    notes = put(tmp_path / "notes.txt", "Results, as of today\nmore to come, soon\n")
    for path in (config, pretty, dataset, numbers, notes):
        assert sniffed(path) is None
    assert sniffed(put(tmp_path / "scores", "item,score\nq,1\n")) == "log"
    assert sniffed(put(tmp_path / "x.json", '{"item":1,"score":1}\n{"item":2,"score":1}')) == "log"
    long = json.dumps({"item": 1, "score": 1, "prompt": "x" * 100_000})
    assert sniffed(put(tmp_path / "x.jsonl", long)) == "log"


def test_names_cannot_smuggle_control_characters(tmp_path: Path) -> None:
    path = put(tmp_path / "m.csv", 'item,"\x1b[31mred"\nq,1\n')
    with pytest.raises(ReadError) as caught:
        Log(READER, path)
    assert "\x1b" not in str(caught.value)


def test_old_feather(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="Feather version 1 is not supported"):
        Log(READER, put(tmp_path / "m.feather", b"FEA1" + bytes(100)))


def test_wrong_types_of_columns(tmp_path: Path) -> None:
    table = pa.table({"item": ["a"], "score": [[1.0]]})
    pq.write_table(table, tmp_path / "l.parquet")
    with pytest.raises(ReadError, match="no score column"):
        Log(READER, tmp_path / "l.parquet")
    moments = pa.table({"item": ["a"], "score": pa.array([0], pa.timestamp("us"))})
    pq.write_table(moments, tmp_path / "t.parquet")
    with pytest.raises(ReadError, match="contains values of the wrong type"):
        Log(READER, tmp_path / "t.parquet")


def test_optional_quantities_that_are_none_are_counted(tmp_path: Path) -> None:
    path = put(tmp_path / "m.csv", "item,score,cost,tokens\nq1,1,cheap,\nq2,0,0.5,12\n")
    log = Log(READER, path)
    assert log.table.data["cost"].to_pylist() == [None, None]
    assert log.table.data["tokens"].to_pylist() == [None, 12]
    assert log.source.dropped == {"unreadable cost": 2}


@pytest.mark.parametrize("name", ["long.csv", "long.jsonl", "records.json", "long.parquet"])
def test_cut_files(tmp_path: Path, name: str) -> None:
    whole = (TABLES / name).read_bytes()
    for k in range(1, 40):
        path = put(tmp_path / name, whole[: len(whole) * k // 40])
        assert str(path) in (error_of(path, skip_bad=2) or str(path))


@pytest.mark.parametrize(
    "name", ["long.csv", "wide.csv", "wide.tsv", "long.jsonl", "long.parquet", "long.feather"]
)
def test_flipped_bytes_raise_nothing_else(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(len(name))
    whole = (TABLES / name).read_bytes()
    for _ in range(150):
        data = np.frombuffer(whole, np.uint8).copy()
        data[rng.integers(data.size, size=rng.integers(1, 6))] = rng.integers(256)
        path = put(tmp_path / name, data.tobytes())
        assert str(path) in (error_of(path, skip_bad=5) or str(path))


def test_strange_values_in_records(tmp_path: Path) -> None:
    path = put(tmp_path / "r.json", json.dumps([{"id": 1, "score": 1, "model": "a"}] * 2))
    assert attack(READER, tmp_path, path) == []


def test_arrow_with_codes_out_of_range(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    item = pa.DictionaryArray.from_arrays(
        pa.array([0, 99], pa.int32()), pa.array(["a"]), safe=False
    )
    table = pa.table({"item": item, "score": pa.array([1.0, 0.0])})
    with pa.ipc.new_file(buffer, table.schema) as file:
        file.write_table(table)
    with pytest.raises(ReadError, match="not valid Arrow"):
        Log(READER, put(tmp_path / "x.arrow", buffer.getvalue()))


def test_limits_hold_what_is_declared_against_the_length(tmp_path: Path) -> None:
    """Before anything is decoded: rows, values in lists, bytes unpacked, of one block too."""
    zeros = pa.array(np.zeros(100_000, np.int32))
    table = pa.table({"model": zeros, "item": zeros, "score": zeros})
    for name in ("s.parquet", "s.feather", "stream.arrow"):
        path = tmp_path / name
        if name == "s.parquet":
            pq.write_table(table, path)
        else:
            opener = pa.ipc.new_stream if "stream" in name else pa.ipc.new_file
            options = pa.ipc.IpcWriteOptions(compression="zstd")
            with opener(str(path), table.schema, options=options) as writer:
                writer.write_table(table)
        told = error_of(path, limits=Limits(rows=10_000))
        assert told == (
            f"{path}: the file declares 100,000 rows, more than the limit of "
            f"{max(10_000, 20 * path.stat().st_size):,}. If you trust the file, set "
            'limits={"rows": 1000000}'
        )
        if name != "s.parquet":  # runs of one value are short there before they are packed
            told = error_of(path, limits=Limits(unpacked=1000, rows=100_000))
            assert "bytes, more than the limit" in str(told)
        assert error_of(path, limits=Limits(rows=100_000)) is None
        assert "has 3 columns, more than the limit of 2" in str(
            error_of(path, limits=Limits(columns=2))
        )


def test_parquet_pages_with_long_statistics(tmp_path: Path) -> None:
    names = [letter * 3000 for letter in "ab"]
    table = pa.table({"model": names, "item": names, "score": [0, 1]})
    pq.write_table(table, tmp_path / "x.parquet", write_page_index=False, compression="none")
    assert error_of(tmp_path / "x.parquet") is None


def test_parquet_chunks_lie_apart_and_in_the_file(tmp_path: Path) -> None:
    table = pa.table({"model": ["a", "b"], "item": ["q", "q"], "score": [0, 1]})
    pq.write_table(table, tmp_path / "x.parquet", use_dictionary=False)
    with (tmp_path / "x.parquet").open("rb") as file:
        declared = declared_in_parquet(file)
        refuse_lying_pages(file, declared, ["model", "item"])
        assert declared.sound == {"model", "item"}
        declared.sound = set()
        first, second = declared.chunks[:2]
        for start, packed, says in (
            (first.start + 1, second.packed, "overlaps another one"),
            (second.start, 1 << 60, "lies outside the file"),
            (0, second.packed, "lies outside the file"),
        ):
            declared.chunks[1] = second._replace(start=start, packed=packed)
            with pytest.raises(ValueError, match=f"a chunk of 'item' {says}"):
                refuse_lying_pages(file, declared, ["model", "item"])


def test_rows_of_text_are_counted_as_they_come(tmp_path: Path) -> None:
    rows = "m,q,1\n" * 100_000
    path = put(tmp_path / "s.csv.gz", gzip.compress(f"model,item,score\n{rows}".encode()))
    assert "at least 100,000 rows, more than the limit of " in str(
        error_of(path, limits=Limits(rows=10))
    )
    plain = put(tmp_path / "s.csv", f"model,item,score\n{rows}")
    assert error_of(plain, limits=Limits(rows=10)) is None


def test_a_wide_table_declares_a_score_for_each_column(tmp_path: Path) -> None:
    columns = {f"m{k}": pa.array(np.zeros(1000, np.bool_)) for k in range(100)}
    path = tmp_path / "wide.parquet"
    items = pa.array([f"q{k}" for k in range(1000)])
    pq.write_table(pa.table({"item": items, **columns}), path, compression="zstd")
    told = str(error_of(path, limits=Limits(rows=2000)))
    if 20 * path.stat().st_size < 100_000:
        assert "declares 1,000 rows × 100 columns of scores" in told


def test_arrow_views_and_nested_columns(tmp_path: Path) -> None:
    """Buffers are counted in the order of the schema, also where a column has more of them."""
    views = pa.array(["a" * 40, "b", "a" * 50], pa.string_view())
    lists = pa.array([[1, 2], None, [3]], pa.list_(pa.int64()))
    structs = pa.array([{"x": 1, "y": "z"}] * 3, pa.struct({"x": pa.int8(), "y": pa.string()}))
    columns = {
        "a": lists,
        "item": views,
        "b": structs,
        "c": pa.nulls(3),
        "model": pa.array(["m"] * 3).dictionary_encode(),
        "score": pa.array([1, 0, 1]),
    }
    batch = pa.RecordBatch.from_pydict(columns)
    for compression in ("zstd", "lz4", None):
        path = tmp_path / "s.arrow"
        options = pa.ipc.IpcWriteOptions(compression=compression)
        with pa.ipc.new_file(str(path), batch.schema, options=options) as writer:
            writer.write_batch(batch)
            writer.write_batch(batch.slice(1))
        assert error_of(path) is None, compression
        assert Log(READER, path).scores() == {"a" * 40: 1, "b": 0, "a" * 50: 1}
