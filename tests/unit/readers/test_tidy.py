"""nstar's own tables: what is written is read back, and a failure leaves nothing behind."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.logs import FIXTURES, Log
from nstar._data.table import LABEL, Source, labels
from nstar.errors import NstarError, ReadError
from nstar.readers import tidy
from nstar.readers.tabular import READER
from nstar.readers.tidy import SOURCES_KEY, write_tidy

SOURCES = (
    Source(
        path="runs/a.jsonl",
        reader="lm_eval",
        harness="lm-eval 0.4.13",
        model="a",
        rows=2,
        dropped={"metric mcc is a list": 3},
        aggregates={"acc": 0.5},
        lower_is_better=("ter",),
        notes=("one", "two"),
    ),
    Source(path="runs/b.jsonl", reader="helm", limited="limit=5"),
)


def batch(model: str, scores: list[float | None], **more: list[str | None]) -> pa.RecordBatch:
    columns = {
        "item": labels([f"q{k}" for k in range(len(scores))]),
        "score": pa.array(scores, pa.float64()),
        "model": labels([model] * len(scores)),
        "task": labels(["t"] * len(scores)),
    }
    for name, values in more.items():
        columns[name] = labels(pa.array(values, pa.string()))
    return pa.RecordBatch.from_pydict(columns)


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"
    several = [batch("a", [1.0, None], odd=["x", None]), batch("b", [0.25], run=["1"])]
    assert write_tidy(several, lambda: SOURCES, path) == 3
    log = Log(READER, path)
    assert log.table.sources == SOURCES
    assert log.table.groups == ("odd",)
    expected = pa.concat_tables(
        [pa.Table.from_batches([b]) for b in several], promote_options="default"
    )
    names = ["model", "task", "item", "score", "run", "odd"]
    assert log.table.data.column_names == names
    assert log.table.data.to_pylist() == expected.select(names).to_pylist()


def test_whole_reading_survives(tmp_path: Path) -> None:
    first = Log(READER, FIXTURES / "tabular" / "long.jsonl").table
    write_tidy(first.batches(), first.sources, tmp_path / "r.parquet")
    again = Log(READER, tmp_path / "r.parquet").table
    assert again.sources == first.sources
    order = first.data.column_names
    assert again.data.select(order).to_pylist() == first.data.to_pylist()


def test_columns_that_come_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidy, "_GROUP_ROWS", 4)
    several = [batch("a", [1.0] * 5), batch("b", [0.0] * 5, late=["y"] * 5), batch("c", [1.0] * 3)]
    assert write_tidy(several, (), tmp_path / "r.parquet") == 13
    table = pq.read_table(tmp_path / "r.parquet")
    assert table["late"].to_pylist() == [None] * 5 + ["y"] * 5 + [None] * 3
    assert table.schema.field("late").type == LABEL
    assert [p.name for p in tmp_path.iterdir()] == ["r.parquet"]


def test_file_is_compressed_with_zstd_and_marked(tmp_path: Path) -> None:
    write_tidy([batch("a", [1.0])], SOURCES, tmp_path / "r.parquet")
    metadata = pq.read_metadata(tmp_path / "r.parquet")
    assert metadata.row_group(0).column(0).compression == "ZSTD"
    assert SOURCES_KEY in metadata.metadata


def test_nothing_to_write(tmp_path: Path) -> None:
    assert write_tidy([], (), tmp_path / "r.parquet") == 0
    with pytest.raises(ReadError, match="has no column model"):
        Log(READER, tmp_path / "r.parquet")


@pytest.mark.parametrize("error", [ReadError, KeyboardInterrupt, MemoryError])
def test_failure_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    monkeypatch.setattr(tidy, "_GROUP_ROWS", 1)
    path = tmp_path / "r.parquet"
    path.write_bytes(b"old")

    def broken() -> Iterator[pa.RecordBatch]:
        yield batch("a", [1.0])
        yield batch("a", [1.0], late=["y"])
        raise error("stop")

    with pytest.raises(error):
        write_tidy(broken(), (), path)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.parquet"]


@pytest.mark.parametrize(
    "sources", [b"", b"{}", b"[{}]", b'[{"path": 1, "reader": "x"}]', b"\xff"]
)
def test_damaged_sources(tmp_path: Path, sources: bytes) -> None:
    table = pa.Table.from_batches([batch("a", [1.0])])
    table = table.replace_schema_metadata({SOURCES_KEY: sources})
    pq.write_table(table, tmp_path / "r.parquet")
    with pytest.raises(ReadError, match=r"r\.parquet: the metadata of its logs is damaged"):
        Log(READER, tmp_path / "r.parquet")


def test_folder_that_is_not_there_is_told_before_reading(tmp_path: Path) -> None:
    unread = (pytest.fail(reason) for reason in ["read in vain"])
    with pytest.raises(NstarError, match=r"Cannot write .*r\.parquet: No such file"):
        write_tidy(unread, (), tmp_path / "nowhere" / "r.parquet")
