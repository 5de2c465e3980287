"""Findings name flags in the output of a command, and parameters in Python."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import nstar
from helpers.commands import Command
from helpers.logs import FIXTURES

PYTHON, FLAGS = 'if it is a run, set duplicates="runs"', "if it is a run, set --duplicates runs"


@pytest.fixture
def repeated(tmp_path: Path) -> str:
    """Two models, and one row that is there twice."""
    rows = [
        f"{model},q{k},{(k * step) % 3 % 2}"
        for model, step in (("a", 1), ("b", 2))
        for k in range(30)
    ]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["model,item,score", *rows, rows[0]]) + "\n")
    return str(path)


def _flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("verb", ["compare", "audit", "read"])
def test_a_command_names_its_flag(verb: str, repeated: str) -> None:
    text = _flat(Command(verb).text(repeated, "--full"))
    assert FLAGS in text
    assert "duplicates=" not in text
    answer = Command(verb).answer(repeated)
    (finding,) = [f for f in answer["findings"] if f["code"] == "repeated-rows"]
    assert finding["text"].endswith(FLAGS)
    assert any(note.endswith(f"{FLAGS}.") for note in answer["notes"])


def test_a_page_of_a_command_names_its_flag(repeated: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    Command("compare").text(repeated, "--html", str(page))
    assert FLAGS in page.read_text("utf-8")


@pytest.mark.parametrize("verb", [nstar.compare, nstar.audit, nstar.coverage])
def test_python_names_its_parameter(verb: Any, repeated: str) -> None:
    result = verb(repeated)
    (finding,) = [f for f in result.findings if f.code == "repeated-rows"]
    assert finding.text.endswith(PYTHON)
    assert PYTHON in _flat(result.render(level="full"))
    written = result.to_json()
    assert "--duplicates" not in written
    again = type(result).from_json(written)
    assert again.findings == result.findings


def test_votes_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    votes = ["x,y,model_a", "y,z,model_b", "z,x,tie", "x,y,nobody"] * 5
    path.write_text("\n".join(["model_a,model_b,winner", *votes]) + "\n")
    text = _flat(Command("battles").text(str(path), "--skip-bad", "5", "--full"))
    assert "set --column score=NAME" in text
    (bad,) = [f for f in nstar.battles(path, skip_bad=5).findings if f.code == "bad-rows"]
    assert 'set columns={"score": "NAME"}' in bad.text


def test_warnings_about_a_pilot_are_in_the_report(repeated: str) -> None:
    done = Command("plan runs").run(repeated, "--delta", "10pp")
    assert f"Warning: 1 duplicate row is ignored; {FLAGS}" in _flat(done.output)


def test_what_sources_note_names_no_parameter(tmp_path: Path) -> None:
    row = {"question": "q", "example_a": "x", "pred_a": "y", "metric": 1}
    path = tmp_path / "m.json"
    path.write_text(json.dumps([row, row]))
    (source,) = nstar.read(path).sources
    assert source.notes
    assert all(note.isprintable() for note in source.notes)


def _choices(headline: str) -> str:
    """What the headline says was chosen automatically."""
    return headline.partition("Chosen automatically: ")[2]


def _board(folder: Path, scores: list[float], columns: str) -> str:
    rows = [
        f"{model},q{k}" + f",{scores[(k * step) % 7]}" * columns.count("%s")
        for model, step in (("a", 1), ("b", 2))
        for k in range(30)
    ]
    path = folder / "log.csv"
    path.write_text("\n".join(["model,item," + columns.replace("%s", ""), *rows]) + "\n")
    return str(path)


@pytest.mark.parametrize("verb", ["compare", "audit"])
def test_headlines_name_what_was_chosen_automatically(verb: str, tmp_path: Path) -> None:
    percent = _board(tmp_path, [71.5, 64, 80, 12, 99, 50, 33], "score%s")
    told = _choices(_flat(Command(verb).text(percent, "--brief")))
    assert told.startswith("the original units of the scores.")
    assert [f["code"] for f in Command(verb).answer(percent)["findings"]].count("percentages") == 1
    share = _board(tmp_path, [0.7, 0.6, 0.8, 0.1, 1, 0.5, 0.3], "score%s")
    assert not _choices(_flat(Command(verb).text(share, "--brief")))
    seconds = _board(tmp_path, [71.5, 64, 80, 12, 99, 50, 33], "score%s")
    assert not _choices(_flat(Command(verb).text(seconds, "--brief", "--lower-is-better")))


@pytest.mark.parametrize("verb", ["compare", "audit"])
def test_headlines_name_the_metric_and_labels_of_lm_eval(verb: str, tmp_path: Path) -> None:
    source = FIXTURES / "lm_eval/v0.4.13/acme__alpha-8b"
    for label in ("k3j9x0ab", "p0q1r2s3"):
        (tmp_path / label).mkdir()
        for path in source.glob("*mini_gsm*"):
            shutil.copy(path, tmp_path / label)
        (results,) = source.glob("results_*")
        found = json.loads(results.read_text("utf-8")) | {"model_name": label}
        found["config"] |= {"model_args": {}, "model": "dummy"}
        (tmp_path / label / results.name).write_text(json.dumps(found), "utf-8")
    told = _choices(_flat(Command(verb).text(str(tmp_path), "--task", "mini_gsm", "--brief")))
    assert told.startswith("the metric exact_match,strict-match and the model labels.")
    named = ("--task", "mini_gsm", "--metric", "exact_match,strict-match", "--brief")
    told = _choices(_flat(Command(verb).text(str(tmp_path), *named)))
    assert told.startswith("the model labels.")
