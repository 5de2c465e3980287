"""Pieces of plain tables: quantities, names, runs, progress and cells of wide tables."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from helpers.logs import FIXTURES, Log
from nstar.errors import ReadError
from nstar.readers._base import Journal, ReaderOptions, Unit
from nstar.readers._files import Place
from nstar.readers._tables import open_frame
from nstar.readers._tables._names import ContentHasher, TableNames, filled, prefixed
from nstar.readers._tables._rows import _QUANTITIES, _quantity
from nstar.readers._tables._scores import ScoreColumn
from nstar.readers.tabular import READER

TABLES = FIXTURES / "tabular"
MOMENT = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "times",
    [
        ["2026-11-15T12:00:00Z"],
        ["2026-11-15 12:00:00"],
        ["2026-11-15T13:00:00+01:00"],
        [MOMENT],
        [int(MOMENT.timestamp())],
        [MOMENT.timestamp() * 1e3],
        [int(MOMENT.timestamp()) * 10**6],
        [int(MOMENT.timestamp()) * 10**9],
    ],
)
def test_times_in_any_unit(times: list[object]) -> None:
    assert _quantity(pa.array(times), _QUANTITIES["timestamp"]).to_pylist() == [MOMENT]


@pytest.mark.parametrize("times", [[3, 4], [1e300], ["soon"]])
def test_what_is_no_time(times: list[object]) -> None:
    with pytest.raises(pa.ArrowInvalid):
        _quantity(pa.array(times), _QUANTITIES["timestamp"])


def test_times_that_no_calendar_has() -> None:
    absurd = pa.array([2**62, 0], pa.timestamp("us"))
    assert _quantity(absurd, _QUANTITIES["timestamp"]).to_pylist()[0] is None


def test_counts_with_gaps() -> None:
    assert _quantity(pa.array([5.0, float("nan")]), _QUANTITIES["tokens"]).to_pylist() == [5, None]
    with pytest.raises(pa.ArrowInvalid):
        _quantity(pa.array([0.5]), _QUANTITIES["tokens"])


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.uint8(), pa.uint64(), pa.int64()])
def test_integers_keep_their_names_over_blocks(kind: pa.DataType) -> None:
    names = TableNames()
    for values in ([5, 7, 5], [120, 9, 7], [0, 120], [1, 2, 3, 4, 5]):
        assert names.convert(pa.array(values, kind)).to_pylist() == [str(v) for v in values]


def test_integers_far_apart_and_missing() -> None:
    names = TableNames()
    for values in ([-3, 4], [2**62, 1], [None, 4], [-(2**31), 2**31], []):
        found = names.convert(pa.array(values, pa.int64())).to_pylist()
        assert found == [None if v is None else str(v) for v in values]


def test_dictionaries_with_null_among_their_names() -> None:
    odd = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    assert TableNames().convert(odd).to_pylist() == ["a", None]
    assert filled(TableNames().convert(odd)).to_pylist() == ["a", ""]
    assert prefixed(TableNames().convert(pa.array(["x", "y"])), "run").to_pylist() == [
        "run/x",
        "run/y",
    ]


def test_contents_of_texts_and_numbers() -> None:
    contents = ContentHasher()
    first = contents.convert(pa.array(["a", None, "a"])).to_pylist()
    assert first[0] == first[2]
    assert first[1] is None
    assert contents.convert(pa.array([-1], pa.int64())).to_pylist() == [2**64 - 1]
    assert contents.convert(pa.nulls(2)).to_pylist() == [None, None]


def test_many_distinct_scores() -> None:
    texts = [f"{k / 1000}" for k in range(1000)]
    scores, bad = ScoreColumn().convert(pa.array([*texts, " 1 ", ""]))
    assert scores.to_pylist() == [*map(float, texts), 1.0, None]
    assert bad.size == 0
    scores, bad = ScoreColumn().convert(pa.array([*texts, "yes", "?"]))
    assert scores.to_pylist()[-2:] == [1.0, None]
    assert bad.tolist() == [1001]


def test_dictionaries_of_numbers_are_scores() -> None:
    column = pa.array([0.5, None, 0.25, 0.5]).dictionary_encode()
    assert ScoreColumn().convert(column)[0].to_pylist() == [0.5, None, 0.25, 0.5]


def test_range_of_scores() -> None:
    scores = ScoreColumn()
    scores.convert(pa.array([0.25, float("nan"), None]))
    scores.convert(pa.array([True, False]))
    assert (scores.low, scores.high, scores.note) == (0.0, 1.0, None)


@pytest.mark.parametrize("column", ["", ",epoch"])
def test_label_of_a_rival_run(tmp_path: Path, column: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(f"item,score{column}\nq,1{',2' if column else ''}\n")
    unit = Unit(place=Place(str(path)), run="monday")
    (batch,) = READER.read(unit, Journal())
    assert batch.column("run").to_pylist() == ["monday/2" if column else "monday"]


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    path = TABLES / "long.parquet"
    options = ReaderOptions(progress=lambda *words: told.append(words))
    assert len(list(READER.read(Unit(place=Place(str(path))), Journal(options=options)))) == 1
    assert told == [(str(path), path.stat().st_size, path.stat().st_size)]


def test_bad_cell_of_a_wide_table(tmp_path: Path) -> None:
    rows = "".join(f"q{k},1,0\n" for k in range(250))
    path = tmp_path / "w.csv"
    path.write_text(f"item,a,b\n{rows}late,1,broken\n")
    with pytest.raises(ReadError, match=r"w\.csv:252: b: score 'broken'"):
        Log(READER, path)
    log = Log(READER, path, skip_bad=1)
    assert len(log.table) == 2 * 251 - 1


def test_blank_row_of_a_wide_table_is_one_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("item,a,b,c\nq1,1,0,1\n,,,\nq2,1,?,0\n")
    with pytest.raises(ReadError, match=r"w\.csv:3: item is empty; every row needs one"):
        Log(READER, path, columns=(("layout", "wide"),))
    log = Log(READER, path, columns=(("layout", "wide"),), skip_bad=1)
    assert log.table.models == ("a", "c")
    assert len(log.table) == 4


def test_wide_feather_and_json(tmp_path: Path) -> None:
    columns = {"id": ["x", "y"], "a": [1, 0], "b": [0.5, None]}
    feather.write_feather(pa.table(columns), tmp_path / "w.feather")
    several = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    (tmp_path / "w.jsonl").write_text("".join(json.dumps(r) + "\n" for r in several))
    for name in ("w.feather", "w.jsonl"):
        path = tmp_path / name
        journal = Journal()
        (batch,) = READER.read(Unit(place=Place(str(path))), journal)
        assert batch.column("model").to_pylist() == ["a", "a", "b", "b"]
        assert batch.column("score").to_pylist() == [1.0, 0.0, 0.5, None]
        assert (
            journal.drafts[0].notes[0].startswith("wide table: one row per item, 2 score columns")
        )


def test_tables_without_rows(tmp_path: Path) -> None:
    empty = pa.table({"item": pa.array([], pa.string()), "a": pa.array([], pa.float64())})
    pq.write_table(empty, tmp_path / "e.parquet")
    feather.write_feather(empty, tmp_path / "e.feather")
    for name in ("e.parquet", "e.feather"):
        with pytest.raises(ReadError, match="no score column"):
            Log(READER, tmp_path / name)


def test_json_without_objects(tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text("1\n2\n")
    (tmp_path / "o.json").write_text("[]")
    with pytest.raises(ReadError, match="no JSON objects found"):
        open_frame(Place(str(tmp_path / "o.json")), Journal())


def test_field_with_an_impossible_name(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"id": 1, 'sc"ore': 1}) + "\n")
    frame = open_frame(Place(str(path)), Journal())
    with pytest.raises(ReadError, match="a required field has an invalid name"):
        list(frame.chunks(['sc"ore']))


def test_group_with_the_name_of_a_part(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("item,score,run\nq,1,2\n")
    with pytest.raises(ReadError, match="the group 'run' has the same name as a part"):
        Log(READER, tmp_path / "m.csv", groups=("run",))


def test_an_arrow_message_that_says_it_is_longer_than_the_file(tmp_path: Path) -> None:
    sink = pa.BufferOutputStream()
    table = pa.table({"item": ["q"], "model": ["m"], "score": [1]})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data = bytearray(sink.getvalue().to_pybytes())
    batch = 8 + int.from_bytes(data[4:8], "little")  # after the schema
    data[batch + 4 : batch + 8] = (0xFFFFFFF0).to_bytes(4, "little")
    (tmp_path / "t.arrow").write_bytes(data)
    with pytest.raises(ReadError, match="a message is truncated"):
        Log(READER, tmp_path / "t.arrow")
