"""Arena votes are recognized, and are no scores."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nstar
from helpers.logs import FIXTURES, Log
from nstar.cli.kit.spelling import FlagSpeller
from nstar.errors import ReadError, spelling
from nstar.readers._files import Place
from nstar.readers.arena import READER

VOTES = FIXTURES / "arena"
VERDICTS = FIXTURES / "votes"
RECOGNIZED = [
    *sorted(VOTES.glob("*[!d]")),
    *(VERDICTS / n for n in ("arena_100k.json", "arena_hard_v2.jsonl", "arena_hard_v0.1.jsonl")),
    *(VERDICTS / n for n in ("gpt-4_pair.jsonl", "2024-01-01-conv.json")),
]


@pytest.mark.parametrize("path", RECOGNIZED, ids=lambda p: p.name)
def test_votes_are_no_scores(path: Path) -> None:
    with pytest.raises(ReadError, match=r"pairwise votes, not scores per item. Use nstar\.ba"):
        Log(READER, path)


@pytest.mark.parametrize("path", RECOGNIZED, ids=lambda p: p.name)
def test_verbs_that_want_scores_name_the_one_that_wants_votes(path: Path) -> None:
    with (
        spelling(FlagSpeller()),
        pytest.raises(ReadError, match=r"contains pairwise votes.*Use `nstar battles FILE`"),
    ):
        nstar.compare(str(path))
    with pytest.raises(ReadError, match="contains pairwise votes"):
        nstar.audit(str(path))


def test_frames_of_votes_are_no_scores_either() -> None:
    frame = {"model_a": ["a", "b"], "model_b": ["b", "a"], "winner": ["model_a", "tie"]}
    with pytest.raises(ReadError, match="the frame: contains pairwise votes"):
        nstar.audit(frame)


def test_columns_that_are_named_count_as_scores() -> None:
    """Whoever says which column is the score has thought of it."""
    frame = {"model_a": ["x", "y"] * 4, "model_b": ["r"] * 8, "winner": [1, 0] * 4}
    frame["id"] = [1, 1, 2, 2, 3, 3, 4, 4]
    columns = {"model": "model_a", "item": "id", "score": "winner"}
    assert nstar.read(frame, columns=columns).models == ("x", "y")


def test_other_tables_are_not_taken() -> None:
    for path in (FIXTURES / "tabular").iterdir():
        assert READER.sniff(Place(str(path)), path.read_bytes()[:65536]) is None


def test_a_category_of_games_is_no_list_of_games() -> None:
    line = b'{"model": "x", "item": 1, "category": "games", "score": 1, "states": 3}\n'
    assert READER.sniff(Place("a.jsonl"), line) is None


def test_damaged_parquet_is_not_sniffed(tmp_path: Path) -> None:
    path = tmp_path / "v.parquet"
    path.write_bytes((VOTES / "votes_140k.parquet").read_bytes()[:500])
    assert READER.sniff(Place(str(path)), path.read_bytes()) is None
    pq.write_table(pa.table({"model_a": ["a"]}), path)
    assert READER.sniff(Place(str(path)), path.read_bytes()) is None
