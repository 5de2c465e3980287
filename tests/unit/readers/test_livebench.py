"""LiveBench judgments: one file of all models, −1 is no score, the last line counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, Log, rows
from nstar.errors import ReadError
from nstar.readers.livebench import READER

LOGS = FIXTURES / "livebench"
NAME = "ground_truth_judgment.jsonl"


def judgments(*lines: dict[str, Any], folder: Path) -> Path:
    known = {"question_id": "q", "task": "t", "model": "M", "tstamp": 1.0, "category": "c"}
    path = folder / NAME
    path.write_text("".join(json.dumps(known | line) + "\n" for line in lines), "utf-8")
    return path


def test_means_of_tasks_are_the_board_s() -> None:
    """As show_livebench_result: −1 dropped, models small, a mean for each model and task."""
    log = Log(READER, LOGS)
    kept: dict[tuple[str, str, str], float] = {}
    for file in LOGS.rglob(NAME):
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            kept[row["model"].lower(), row["task"], row["question_id"]] = row["score"]
    for model in ("alpha-7b", "beta"):
        for task in ("math_comp", "tablejoin"):
            ours = list(log.scores(model=model, task=task).values())
            theirs = [s for (m, t, _), s in kept.items() if (m, t) == (model, task) and s != -1]
            assert sorted(s for s in ours if s is not None) == sorted(theirs)
    assert log.table.groups == ("category", "subtask")


def test_a_score_of_minus_one_is_missing_and_a_failed_judgment_zero(tmp_path: Path) -> None:
    path = judgments(
        {"score": -1, "eval_status": "eval_error"},
        {"score": 0, "question_id": "r", "eval_status": "eval_error"},
        {"score": 0.5, "question_id": "s"},
        folder=tmp_path,
    )
    assert Log(READER, path).scores() == {"q": None, "r": 0.0, "s": 0.5}
    assert Log(READER, path, errors="missing").scores() == {"q": None, "r": None, "s": 0.5}
    assert Log(READER, path, errors="zero").scores() == {"q": 0.0, "r": 0.0, "s": 0.5}


def test_the_last_line_of_a_question_counts(tmp_path: Path) -> None:
    again = {"score": 1, "tstamp": 0.5, "model": "m"}
    log = Log(READER, judgments({"score": 0}, again, folder=tmp_path))
    assert log.scores() == {"q": 1.0}
    assert "1 of its lines have a later line" in log.source.notes[0]
    assert len(rows(Log(READER, LOGS).table, model="beta")) == 14


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"score": 1e999}, "score inf"),
        ({"score": 1, "model": 3}, "model is 3; expected a model name"),
        ({"score": 1, "question_id": None}, "question_id is null"),
        ({"score": 1, "task": [[]]}, r"task is \[\[\]\]"),
    ],
)
def test_wrong_values(tmp_path: Path, line: dict[str, Any], words: str) -> None:
    path = judgments({"score": 1}, line | {"turn": 2}, folder=tmp_path)
    with pytest.raises(ReadError, match=words) as error:
        Log(READER, path)
    assert f"{path}:2" in str(error.value)


def test_deep_and_cut_lines(tmp_path: Path) -> None:
    path = judgments({"score": 1}, folder=tmp_path)
    good = path.read_text("utf-8")
    for bad in ("[" * 100_000, good[:40], '"text"'):
        path.write_text(good + bad + "\n", "utf-8")
        with pytest.raises(ReadError) as error:
            Log(READER, path)
        assert f"{path}:2" in str(error.value)
        assert Log(READER, path, skip_bad=1).scores() == {"q": 1.0}
