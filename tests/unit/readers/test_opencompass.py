"""OpenCompass results that kept their details, as a list or an object."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, Log, attack
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers.opencompass import READER

LOGS = FIXTURES / "opencompass"


def write(path: Path, details: Any, **more: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"accuracy": 50.0, **more, "details": details}), "utf-8")
    return path


def test_accuracy_is_its_own() -> None:
    log = Log(READER, LOGS)
    assert log.table.models == ("alpha", "beta")
    found = {m.task: {k: m.row(k).mean() for k in m.models} for m in matrices(log.table)}
    assert found["gsm8k"] == {"alpha": 0.75, "beta": 0.375}
    assert found["gsm8k_runs"] == {"alpha": 0.8125, "beta": 0.4375}
    assert found["piqa"] == {"alpha": 0.875, "beta": 0.625}
    for source in log.table.sources:
        assert source.aggregates["correct"] == found[str(source.task)][str(source.model)]
        assert source.mismatches == {}


def test_repetitions_are_runs() -> None:
    by_task = {m.task: m for m in matrices(Log(READER, LOGS).table)}
    counts = by_task["gsm8k_runs"].counts
    assert counts is not None
    assert (counts == 2).all()
    assert by_task["gsm8k_runs"].items[0] == "gsm8k_0"


def test_the_latest_time_counts(tmp_path: Path) -> None:
    for time, right in (("20260101_000000", False), ("20260102_000000", True)):
        detail = {"example_abbr": "d_0", "correct": [right]}
        write(tmp_path / time / "results" / "m" / "d.json", [detail], accuracy=100.0 * right)
    assert Log(READER, tmp_path).scores() == {"d_0": 1.0}


def test_positions_are_checked_by_the_prompt_whatever_its_template(tmp_path: Path) -> None:
    chat = [{"role": "HUMAN", "prompt": "what is 1+1?"}, {"role": "BOT", "prompt": ""}]
    for model, prompt in (("a", chat), ("b", "what is 1+1?\n"), ("c", "what is 2+1?")):
        detail = {"prompt": prompt, "predictions": "2", "references": "2", "correct": True}
        write(tmp_path / model / "d.json", {"type": "GEN", "0": detail}, accuracy=100.0)
    same = matrices(Log(READER, tmp_path / "a", tmp_path / "b").table)[0]
    assert same.alignment.content_differs == 0
    assert matrices(Log(READER, tmp_path).table)[0].alignment.content_differs == 1


@pytest.mark.parametrize(
    ("details", "words"),
    [
        ([{"example_abbr": "x", "pred": ["1"]}], "x: each item needs a verdict"),
        (
            {"type": "GEN", "0": {"predictions": "1", "references": "1"}},
            "0: each item needs a verdict",
        ),
        ([{"example_abbr": [], "correct": True}], "example_abbr is"),
        ([{"example_abbr": "x", "correct": [1e999]}], "score inf"),
    ],
)
def test_details_that_are_no_scores(tmp_path: Path, details: Any, words: str) -> None:
    path = write(tmp_path / "m" / "d.json", details)
    with pytest.raises(ReadError, match=words) as error:
        Log(READER, path)
    assert str(path) in str(error.value)


def test_hostile_results(tmp_path: Path) -> None:
    detail = {"predictions": "1", "references": "1", "correct": True, "prompt": [{"prompt": "q"}]}
    for details in ([{"example_abbr": "x", "correct": [True]}], {"type": "GEN", "0": detail}):
        path = write(tmp_path / "m" / "d.json", details)
        assert attack(READER, tmp_path, path) == []
