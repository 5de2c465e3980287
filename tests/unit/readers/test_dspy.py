"""DSPy's evaluations: the example is the item, and what raised can be told."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, Log, attack
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers.dspy import READER

LOGS = FIXTURES / "dspy"


def row(question: Any, score: Any, **more: Any) -> dict[str, Any]:
    return {"question": question, "example_a": "x", "pred_a": "y", **more, "metric": score}


def write(path: Path, *several: Any) -> Path:
    path.write_text(json.dumps(several), "utf-8")
    return path


def test_scores_are_what_dspy_printed() -> None:
    (matrix,) = matrices(Log(READER, LOGS).table)
    assert (matrix.metric, len(matrix.items)) == ("answer_exact_match", 8)
    assert {m: 100 * matrix.row(m).mean() for m in matrix.models} == {
        "model-a": 75.0,
        "model-b": 62.5,
    }
    assert matrix.alignment.content_differs == 0


def test_a_program_that_raised_has_no_prediction(tmp_path: Path) -> None:
    log = Log(READER, LOGS, errors="missing")
    lost = [k for k, score in log.scores(model="model-a").items() if score is None]
    assert len(lost) == 1
    assert lost[0] in log.scores(model="model-b")
    failed = {"question": "r", "a": "x", "metric": 0.25}  # failure_score=0.25
    path = write(tmp_path / "m.json", row("q", 1.0), failed)
    assert list(Log(READER, path).scores().values()) == [1.0, 0.25]
    assert list(Log(READER, path, errors="zero").scores().values()) == [1.0, 0.0]


def test_the_user_may_name_the_item_and_the_score(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", row("q", 1, other=0.5), row("r", 0, other=0.25))
    log = Log(READER, path, columns=(("item", "question"), ("score", "other")))
    assert log.scores(metric="other") == {"q": 0.5, "r": 0.25}
    with pytest.raises(ReadError, match=r"no field 'qid' .*available: question, example_a"):
        Log(READER, path, columns=(("item", "qid"),))


def test_examples_that_are_the_same_are_told_apart_by_order(tmp_path: Path) -> None:
    log = Log(READER, write(tmp_path / "m.json", row("q", 1), row("q", 0)))
    assert list(log.scores().values()) == [1.0, 0.0]
    assert "1 examples repeat the question, a of another one" in log.source.notes[0]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (row("q", 1e999), "score inf"),
        ({"question": "q", "example_a": 1, "pred_a": 2}, "the metric metric is missing"),
        (7, "Expected `object`"),
    ],
)
def test_wrong_rows(tmp_path: Path, bad: Any, words: str) -> None:
    path = write(tmp_path / "m.json", row("q", 1), bad)
    with pytest.raises(ReadError, match=words) as error:
        Log(READER, path)
    assert f"{path}:2" in str(error.value)


def test_hostile_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", row("q", 1), row("r", 0.5))
    assert attack(READER, tmp_path, path) == []
