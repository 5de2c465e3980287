"""Reports of pydantic-evals: repeats are runs, what raised is missing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.logs import FIXTURES, Log, attack, copy, edit, rows
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers.pydantic_evals import READER

LOGS = FIXTURES / "pydantic_evals"
AVERAGES = {
    ("model-a", "Closeness"): 0.90625,
    ("model-a", "EqualsExpected"): 0.875,
    ("model-b", "Closeness"): 0.7976190476190476,
    ("model-b", "EqualsExpected"): 0.625,
}
"""As the reports' averages() gave them."""


def test_averages_are_its_own() -> None:
    found = {m.metric: m for m in matrices(Log(READER, LOGS).table)}
    for (model, metric), average in AVERAGES.items():
        row = found[metric].row(model)
        assert np.nanmean(row) == pytest.approx(average)


def test_repeats_are_runs_and_what_raised_is_missing() -> None:
    log = Log(READER, LOGS)
    lost = [(r["model"], r["item"], r["run"]) for r in rows(log.table) if r["score"] is None]
    assert set(lost) == {("model-a", "c7", "1"), ("model-b", "c5", "1"), ("model-b", "c5", "2")}
    assert log.table.names("run") == ("1", "2")
    assert log.table.groups == ("topic", "size")
    zero = Log(READER, LOGS, errors="zero")
    assert all(r["score"] is not None for r in rows(zero.table))


def test_reports_of_one_name_are_called_after_their_files(tmp_path: Path) -> None:
    root = copy(LOGS, tmp_path / "x")
    edit(root / "model-b.json", name="model-a")
    log = Log(READER, root)
    assert log.table.models == ("model-a", "model-b")
    assert any("another report has the same name model-a" in note for note in log.journal.notes)


def test_other_inputs_of_a_case_are_other_content(tmp_path: Path) -> None:
    root = copy(LOGS, tmp_path / "x")
    path = root / "model-b.json"
    path.write_text(path.read_text("utf-8").replace("what is 3+1?", "what is 1+3?"), "utf-8")
    assert all(m.alignment.content_differs == 1 for m in matrices(Log(READER, root).table))


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ({"name": None}, "cases: name is null; expected a case name"),
        ({"name": "c", "scores": {"s": {"value": 1e999}}}, "score inf"),
        (7, "Expected `object`"),
    ],
)
def test_wrong_cases(tmp_path: Path, case: Any, words: str) -> None:
    path = copy(LOGS, tmp_path / "x") / "model-a.json"
    kept = json.loads(path.read_text("utf-8"))
    kept["cases"][1] = case if case == 7 else kept["cases"][1] | {"source_case_name": None} | case
    path.write_text(json.dumps(kept), "utf-8")
    with pytest.raises(ReadError, match=words) as error:
        Log(READER, path)
    assert f"{path}:2" in str(error.value)


def test_hostile_reports(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    judged = {"value": 1.0}
    case: dict[str, Any] = {
        "name": "c [1/2]",
        "inputs": "q",
        "metadata": {"topic": "t"},
        "scores": {"s": judged},
    }
    case |= {"assertions": {}, "task_duration": 0.1, "evaluator_failures": []}
    path.write_text(json.dumps({"name": "m", "cases": [case], "failures": []}), "utf-8")
    assert attack(READER, tmp_path, path) == []
