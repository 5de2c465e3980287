"""``nstar watch race``: several models while they run."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from helpers.commands import Command
from nstar.cli import main

COMMAND = Command("watch race")
run, answer, text = COMMAND.run, COMMAND.answer, COMMAND.text
CHANCES = {"wren": 0.9, "heron": 0.6, "ibis": 0.4}


def records(n: int, chances: dict[str, float] = CHANCES) -> list[dict[str, Any]]:
    rng = np.random.default_rng(8)
    return [
        {"model": m, "item": f"q{i}", "score": int(rng.random() < p)}
        for i in rng.permutation(n).tolist()
        for m, p in chances.items()
    ]


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(r) + "\n" for r in rows)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "all.jsonl"
    path.write_text(lines(records(300)), "utf-8")
    return path


def test_one_table(table: Path) -> None:
    found = answer(str(table), "--items", "300", "--once")
    assert found["schema"] == "nstar.raceresult/1"
    assert found["verdict"] == "winner"
    assert found["leader"] == "wren"
    assert [d["beaten_by"] for d in found["eliminated_models"]] == ["wren", "wren"]
    assert found["n_answers_used"] < found["n_answers"] == found["n_answers_planned"]
    said = text(str(table), "--items", "300", "--once")
    assert "wren is the best of 3 models" in said
    assert "(error probability at most 5%)" in " ".join(said.split())


def test_a_log_for_each(table: Path, tmp_path: Path) -> None:
    paths = []
    for model in CHANCES:
        path = tmp_path / f"{model}.jsonl"
        own = [r for r in records(300) if r["model"] == model]
        path.write_text(lines(own) + '{"model": "w', "utf-8")
        paths.append(str(path))
    apart = run(*paths, "--items", "300", "--once", "--format", "json")
    assert "the last line is incomplete" in apart.stderr
    whole = answer(str(table), "--items", "300", "--once")
    told = json.loads(apart.stdout)
    assert told["eliminated_models"] == whole["eliminated_models"]
    some = [f"{table}::wren", f"{table}::heron", f"mine={table}::ibis"]
    assert answer(*some, "--items", "300", "--once")["question"]["models"][2] == "mine"


def test_standard_input_and_the_number_of_models(table: Path) -> None:
    given = table.read_text("utf-8")
    command = ["watch", "race", "-", "--items", "300"]
    raced = CliRunner().invoke(main, [*command, "--models", "3", "--brief"], input=given)
    assert raced.exit_code == 0
    assert "wren is the best of 3 models" in raced.stdout
    more = CliRunner().invoke(
        main, [*command, "--models", "3"], input='{"model": "x", "item": 1, "score": 1}\n' + given
    )
    assert more.exit_code == 3
    assert "contain 4 models" in more.stderr


def test_margin(tmp_path: Path) -> None:
    path = tmp_path / "near.jsonl"
    near = {"wren": 0.7, "heron": 0.7, "ibis": 0.7}
    path.write_text(lines(records(800, near)), "utf-8")
    found = answer(str(path), "--items", "800", "--once", "--margin", "20pp")
    assert found["verdict"] == "within"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--state", "s.json"), "No such option '--state' here. Use it with nstar watch."),
        (("--psi", "20%"), "No such option '--psi' here. Use it with nstar watch."),
        (("--equivalence",), "No such option '--equivalence' here. Use it with nstar watch."),
        (("--asymptotic",), "No such option '--asymptotic' here. Use it with nstar watch."),
        (("--a", "wren", "--b", "ibis"), "No such option '--a' here. Use it with nstar watch."),
        (("--only", "a=b"), "No such option '--only' here. Use it with nstar watch votes."),
        (("--margin", "0"), "--margin must be in (0, 1)"),
        (("--margin", "5"), "Use 5pp for percentage points or 0.05"),
        (("--models", "2"), "'2' is not a valid number of models"),
        (("-",), "Remove the other logs."),
    ],
)
def test_refusals(table: Path, arguments: tuple[str, ...], words: str) -> None:
    result = run(str(table), "--items", "300", "--once", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr


def test_it_is_drawn(table: Path, tmp_path: Path) -> None:
    target = tmp_path / "race.svg"
    assert not run(str(table), "--items", "300", "--once", "--figure", str(target)).exit_code
    assert "A race of" in target.read_text("utf-8")


def test_a_race_needs_the_number_of_items(table: Path) -> None:
    result = run(str(table), "--once")
    assert result.exit_code == 2
    assert "Set --items N" in result.stderr


def test_votes_are_named(table: Path) -> None:
    votes = str(Path(__file__).parents[3] / "examples" / "votes.csv")
    assert "Use nstar watch votes" in run(votes, "--items", "9", "--once").stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to a child")
def test_growing_joined_and_interrupted(tmp_path: Path) -> None:
    """A model may join until one is dropped; Ctrl-C prints what is known."""
    path = tmp_path / "grows.jsonl"
    rows = records(300, {"wren": 0.7, "heron": 0.7, "ibis": 0.7})
    path.write_text(lines([r for r in rows[:30] if r["model"] != "ibis"]), "utf-8")
    command = [sys.executable, "-m", "nstar", "watch", "race", str(path), "--items", "300"]
    rest = ["--models", "3", "--every", "0.05", "--format", "json"]
    watch = subprocess.Popen(  # noqa: S603
        [*command, *rest], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert watch.stderr is not None
    assert "waiting: 2 of 3 models" in watch.stderr.readline()
    with path.open("a", encoding="utf-8") as file:
        file.write(lines([r for r in rows[:30] if r["model"] == "ibis"]))
    time.sleep(0.6)
    watch.send_signal(signal.SIGINT)
    out, _ = watch.communicate(timeout=60)
    assert watch.returncode == 130
    found = json.loads(out)
    assert (found["verdict"], found["n_items"]) == ("open", 10)
