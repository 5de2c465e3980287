"""Arena votes: four sets of columns into one table of battles."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.logs import FIXTURES, STRANGE, Log
from nstar.errors import ReadError
from nstar.readers._base import Journal, Options
from nstar.readers._files import Place
from nstar.readers.arena import READER, read_battles

VOTES = FIXTURES / "arena"
COLUMNS = ["model_a", "model_b", "winner", "both_bad", "cluster", "item"]


def battles(path: Path, **options: Any) -> tuple[pa.Table, Journal]:
    journal = Journal(options=Options(**options))
    table = read_battles(Place(str(path)), journal)
    assert table.column_names == COLUMNS
    return table, journal


def test_votes_with_judges() -> None:
    table, journal = battles(VOTES / "clean_battle_33k.json")
    assert table["winner"].to_pylist() == ["a", "b", "tie", "tie"]
    assert table["both_bad"].to_pylist() == [False, False, False, True]
    assert table["cluster"].to_pylist() == [f"arena_user_{k}" for k in (0, 1, 2, 0)]
    assert table["item"].to_pylist() == ["q0", "q1", "q2", "q3"]
    assert table["model_b"].to_pylist() == ["gamma", "beta", "gamma", "beta"]
    assert [n.split(": ", 1)[1] for n in journal.notes] == [
        "1 votes left out: the models' names were shown",
        "1 votes left out: repeated prompts",
    ]


def test_one_column_per_outcome() -> None:
    table, _ = battles(VOTES / "votes_55k.csv")
    assert table["winner"].to_pylist() == ["a", "b", "tie"] * 2
    assert table["cluster"].null_count == 6
    assert table["item"].to_pylist() == [str(k) for k in range(6)]


def test_votes_with_sessions() -> None:
    table, journal = battles(VOTES / "votes_140k.parquet")
    assert table["winner"].to_pylist() == ["a", "b", "tie"]
    assert table["cluster"].to_pylist() == ["s1", "s1", "s2"]
    assert journal.notes[0].endswith("1 votes left out: repeated prompts")


def test_judges_that_are_lists_are_no_clusters() -> None:
    table, _ = battles(VOTES / "mt_bench.parquet")
    assert table["winner"].to_pylist() == ["a", "tie", "tie"]
    assert table["both_bad"].to_pylist() == [False] * 3
    assert table["cluster"].null_count == 3
    assert table["item"].to_pylist() == ["81", "81", "82"]


@pytest.mark.parametrize("path", sorted(VOTES.glob("*[!d]")), ids=lambda p: p.name)
def test_votes_are_no_scores(path: Path) -> None:
    with pytest.raises(ReadError, match="votes between pairs, not scores per item"):
        Log(READER, path)


def test_other_tables_are_not_taken() -> None:
    for path in (FIXTURES / "tabular").iterdir():
        assert READER.sniff(Place(str(path)), path.read_bytes()[:65536]) is None


def test_unknown_winners(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("model_a,model_b,winner\na,b,model_a\na,b,nobody\na,b,\n")
    with pytest.raises(ReadError, match=r"v\.csv:3: winner 'nobody' is none of model_a, model_b"):
        battles(path)
    table, journal = battles(path, skip_bad=2)
    assert (len(table), len(journal.bad)) == (1, 2)


def test_two_winners_at_once(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("model_a,model_b,winner_model_a,winner_model_b,winner_tie\na,b,1,1,0\n")
    with pytest.raises(ReadError, match=r"v\.csv:2: winner '1', '1', '0' is none"):
        battles(path)


def test_columns_that_lack(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("model_a,winner\na,model_a\n")
    with pytest.raises(ReadError, match="no single column model_b; columns found: model_a"):
        battles(path)


def test_strange_values(tmp_path: Path) -> None:
    good = json.loads((VOTES / "clean_battle_33k.json").read_text("utf-8"))[0]
    path = tmp_path / "v.json"
    errors = []
    for key in good:
        for value in STRANGE:
            path.write_text(json.dumps([good, {**good, key: value}]))
            try:
                battles(path, skip_bad=10)
            except ReadError as error:
                errors.append(str(error))
    assert [e for e in errors if str(path) not in e] == []


def test_damaged_parquet_is_not_sniffed(tmp_path: Path) -> None:
    path = tmp_path / "v.parquet"
    path.write_bytes((VOTES / "votes_140k.parquet").read_bytes()[:500])
    assert READER.sniff(Place(str(path)), path.read_bytes()) is None
    pq.write_table(pa.table({"model_a": ["a"]}), path)
    assert READER.sniff(Place(str(path)), path.read_bytes()) is None
