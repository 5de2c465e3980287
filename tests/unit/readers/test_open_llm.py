"""Details of the first Open LLM Leaderboard; the files are made up after its documentation."""

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fixtures.open_llm.make import EARLY, LATE, build, drop_rows, hashes, mmlu_rows, write
from nstar._data.table import Source
from nstar.errors import ReadError
from nstar.readers._base import Journal, ReaderOptions
from nstar.readers._files import Place, walk
from nstar.readers._scan import LogScan, find_units
from nstar.readers.open_llm import READER

pytestmark = pytest.mark.skipif(os.name == "nt", reason="names with | and :")


def read(*paths: Path, **options: Any) -> tuple[list[dict[str, Any]], Journal]:
    journal = Journal(options=ReaderOptions(**options))
    scanned = LogScan(find_units(paths, [READER], journal), journal)
    return [r for batch in scanned.batches() for r in batch.to_pylist()], journal


def one(*paths: Path, **options: Any) -> tuple[list[dict[str, Any]], Source]:
    rows, journal = read(*paths, **options)
    (source,) = journal.sources
    return rows, source


@pytest.fixture
def root(tmp_path: Path) -> Path:
    build(tmp_path)
    return tmp_path


def test_two_models_in_the_earlier_and_the_later_layout(root: Path) -> None:
    rows, journal = read(root)
    assert {r["model"] for r in rows} == {"acme/alpha-8b", "acme/beta__70b"}
    assert {r["task"] for r in rows} == {"hendrycksTest", "drop"}
    mmlu = [r for r in rows if r["task"] == "hendrycksTest" and r["metric"] == "acc_norm"]
    assert len(mmlu) == 2 * 2 * 6
    right = {m: sum(r["score"] for r in mmlu if r["model"] == m) for m in ("acme/alpha-8b",)}
    assert right == {"acme/alpha-8b": 6.0}
    assert {s.settings["n-shot"] for s in journal.sources} == {"5", "3"}
    assert not journal.bad


def test_items_are_places_checked_by_content(root: Path) -> None:
    rows, journal = read(root)
    items: dict[str, set[tuple[str, int]]] = {}
    for r in rows:
        if r["task"] == "hendrycksTest":
            items.setdefault(r["model"], set()).add((r["item"], r["content"]))
    first, second = items.values()
    assert first == second
    assert {i for i, _ in first} == {f"{s}:{n}" for s in ("anatomy", "virology") for n in range(6)}
    assert len({c for _, c in first}) == 2 * 5  # one question stands twice in each subject
    assert {r.get("subject") for r in rows} == {"anatomy", "virology", None}
    assert "recognized by their content" in journal.sources[0].notes[0]


def test_scores_kept_as_text_and_native_ids(root: Path) -> None:
    rows, _ = read(root, groups=("passage",))
    drop = [r for r in rows if r["task"] == "drop" and r["model"] == "acme/alpha-8b"]
    assert {(r["item"], r["metric"], r["score"]) for r in drop if r["metric"] == "f1"} == {
        ("0", "f1", 0.0),
        ("1", "f1", 0.5),
        ("2", "f1", 0.0),
        ("3", "f1", 0.5),
    }
    assert len({r["passage"] for r in drop}) == 2
    assert len({r["content"] for r in drop}) == 4


def test_roles(root: Path) -> None:
    assert {READER.sniff(p, p.head()) for p in walk([root])} == {"log"}


def test_a_renamed_file_is_known_by_its_columns(tmp_path: Path) -> None:
    folder = tmp_path / "some model"
    folder.mkdir()
    pq.write_table(pa.Table.from_pylist(mmlu_rows("x", 1, struct=True)), folder / "mine.parquet")
    _, source = one(tmp_path)
    assert (source.model, source.task) == ("some model", "mine")
    assert "some model is used instead" in source.notes[1]


def test_other_parquet_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"example": ["a"], "acc": [1.0]}), path)
    assert READER.sniff(Place(str(path)), path.read_bytes()) is None
    assert READER.sniff(Place("x.json"), b"{}") is None
    path.write_bytes(b"PAR1 and nothing else")
    assert READER.sniff(Place(str(path)), path.read_bytes()) is None


def test_the_latest_run_counts(tmp_path: Path) -> None:
    for time, strength in ((EARLY, 1), (LATE, 2)):
        rows = mmlu_rows("x", strength, struct=True)
        write(tmp_path / "details_a__b", "hendrycksTest-x", 5, time, rows)
    rows, source = one(tmp_path)
    assert LATE in source.path
    assert sum(r["score"] for r in rows if r["metric"] == "acc") == 2


def test_zero_and_five_shots_are_different_tasks(tmp_path: Path) -> None:
    for shots in (0, 5):
        rows = mmlu_rows("x", 1, struct=True)
        write(tmp_path / "details_a__b", "hendrycksTest-x", shots, EARLY, rows)
    rows, _ = read(tmp_path)
    assert {r["task"] for r in rows} == {"hendrycksTest|0", "hendrycksTest|5"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"example": "q", "predictions": [1.0]}, r"no column for scores .* among example, predi"),
        ({"acc": 1.0, "gold": "x"}, r"no column for questions"),
        ({"example": "", "acc": 1.0}, r":1: example is empty"),
        ({"hashes": {"full_prompt": "x"}, "acc": 1.0}, r":1: hashes is {.*; expected text"),
        ({"hashes": [1], "acc": 1.0}, r":1: hashes is \[1\]; expected text"),
        ({"example": "q", "acc": float("inf")}, r":1: metric acc has the score inf"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    path = write(tmp_path / "details_a__b", "arc:challenge", 25, LATE, [row])
    with pytest.raises(ReadError, match=message) as caught:
        read(tmp_path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("scores", "kept", "dropped"),
    [
        ({"metrics": {"acc": True, "list": [1.0]}}, [1.0], {"metric list is a list": 1}),
        ({"metrics": {"acc": float("nan")}}, [None], {}),
        ({"metrics": {"acc": None}}, [], {"metric acc is null": 1}),
        ({"metrics": [1.0, 2.0]}, [], {}),
        ({"acc": "high", "em": 0}, [0.0], {"metric acc is text": 1}),
    ],
)
def test_values(tmp_path: Path, scores: Any, kept: list[Any], dropped: dict[str, int]) -> None:
    row = {"example": "q", "hashes": hashes("q"), **scores}
    write(tmp_path / "details_a__b", "winogrande", 5, LATE, [row])
    rows, source = one(tmp_path)
    assert [r["score"] for r in rows] == kept
    assert dict(source.dropped) == dropped


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "details_a__b", "drop", 3, LATE, drop_rows(1.0))
    whole = path.read_bytes()
    for length in (len(whole) // 2, len(whole) - 4, 9):
        path.write_bytes(whole[:length])
        with pytest.raises(ReadError, match="not valid Parquet"):
            read(tmp_path)


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "details_a__b", "drop", 3, LATE, drop_rows(1.0))
    pq.write_table(pq.read_table(path).slice(0, 0), path)
    assert one(tmp_path)[0] == []
