"""BFCL: scores list failures only, so that the results beside them are needed."""

import json
import shutil
from pathlib import Path

import pytest

from helpers.logs import FIXTURES, Log, copy
from nstar.errors import ReadError
from nstar.readers.bfcl import READER

LOGS = FIXTURES / "bfcl"
SCORE = "non_live/BFCL_v4_simple_python_score.json"
RESULT = "non_live/BFCL_v4_simple_python_result.json"


def test_accuracy_is_that_of_the_header() -> None:
    log = Log(READER, LOGS)
    for model, accuracy in (("alpha", 0.75), ("beta", 0.375)):
        found = log.scores(model=model, task="simple_python")
        assert sum(s or 0 for s in found.values()) / len(found) == accuracy
        (source,) = log.of(model)
        assert source.aggregates == {"accuracy": accuracy}
        assert (source.mismatches, source.declared_items) == ({}, 8)
    assert log.scores(model="alpha")["simple_python_4"] == 0.0


def test_scores_alone_are_refused_and_any_name_of_their_folder_will_do(tmp_path: Path) -> None:
    root = copy(LOGS, tmp_path / "x")
    shutil.move(root / "score", root / "my-scores")
    assert Log(READER, root / "my-scores").table.models == ("alpha", "beta")
    shutil.rmtree(root / "result")
    with pytest.raises(ReadError, match=r"lists only failures. .*Copy it there") as error:
        Log(READER, root)
    assert str(root) in str(error.value)


def test_both_in_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "gamma"
    folder.mkdir()
    for kind, file in (("score", SCORE), ("result", RESULT)):
        shutil.copy(LOGS / kind / "beta" / file, folder)
    assert Log(READER, folder).table.models == ("gamma",)


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("score", lambda r: [r[0] | {"total_count": 9}, *r[1:]], "total_count is 9, but .* 8 ids"),
        ("score", lambda r: [r[0] | {"correct_count": True}, *r[1:]], "correct_count is True"),
        ("score", lambda r: r[:-1], "correct_count is 6, but 7 ids did not fail"),
        ("score", lambda r: [*r, {"id": "z"}], "failed ids, such as z, are not in"),
        ("score", lambda r: [*r, {"id": [1]}], r"id is \[1\]; expected a number or text"),
        ("result", lambda r: r[1:], "contains 7 ids"),
        ("result", lambda r: [*r, {}], "id is null"),
    ],
)
def test_what_does_not_agree_is_refused(tmp_path: Path, kind, change, words) -> None:  # type: ignore[no-untyped-def]
    root = copy(LOGS, tmp_path / "x")
    path = root / kind / "alpha" / (SCORE if kind == "score" else RESULT)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in change(lines)), "utf-8")
    with pytest.raises(ReadError, match=words) as error:
        Log(READER, root)
    assert str(root) in str(error.value)
