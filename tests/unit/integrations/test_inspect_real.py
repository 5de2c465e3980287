"""Real runs of Inspect on mockllm that nstar compares and stops; with inspect-ai installed."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.chance import is_right, shuffled
from nstar.stats import mcnemar_log_e, tuned_beta


def evaluated(calls: list[str]) -> list[Any]:
    """What real runs of mockllm say, in a process of their own: Inspect leaves streams open."""
    if find_spec("inspect_ai") is None:
        pytest.skip("inspect-ai is not installed")
    names = "eval_set, pair, racing, refused, together"
    lines = [f"from harness.inspect.stopping import {names}", *calls]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", "\n".join(lines)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def test_a_real_run_stops_early(tmp_path: Path) -> None:
    (told,) = evaluated([f"pair({str(tmp_path)!r}, 300, (0.5, 0.8))"])
    assert told["status"] == "success"
    assert told["verdict"] == "better"
    assert told["samples_scheduled"] == told["completed"] < 200
    assert told["not_run"] == 300 - told["samples_scheduled"]
    assert "Decided after" in told["reasons"][0]


def test_real_epochs_stop_in_the_last(tmp_path: Path) -> None:
    (told,) = evaluated([f"pair({str(tmp_path)!r}, 100, (0.4, 0.9), epochs=2)"])
    assert told["verdict"] == "better"
    assert told["question"]["scale"] == "graded"
    assert 100 < told["samples_scheduled"] < 200


def test_real_models_that_share_a_task_are_kept_apart(tmp_path: Path) -> None:
    told = evaluated([f"together({str(tmp_path)!r}, 100, (0.4, 0.9))"])
    names = [one["question"]["models"] for one in told]
    assert sorted(names) == [["mockllm/one", "mockllm/old"], ["mockllm/two", "mockllm/old"]]
    assert {one["verdict"] for one in told} == {"better"}
    assert len({one["decided_at"] for one in told}) == 1
    assert all(one["completed"] == one["samples_scheduled"] < 100 for one in told)


def test_a_real_run_refuses_a_baseline_that_does_not_fit(tmp_path: Path) -> None:
    calls = [
        f"refused({str(tmp_path)!r}, 600, 60)",
        f"refused({str(tmp_path)!r}, 60, 60, 'other')",
    ]
    short, other = evaluated(calls)
    assert [(told["status"], told["completed"]) for told in (short, other)] == [("error", 0)] * 2
    assert "covers only 60 of the 600 samples" in short["error"]
    assert "is a log of the task mini, not of other" in other["error"]


def word_of(k: int) -> str | None:
    """What McNemar's e-process says of pair k of equal models, without Inspect and Watch."""
    items = shuffled(100)
    old, new = (np.array([is_right(0.6, f"{m}{k}", i) for i in items]) for m in "ab")
    wins, losses = np.cumsum(new & ~old), np.cumsum(old & ~new)
    hit = mcnemar_log_e(wins, losses, a=float(tuned_beta(20))) >= np.log(20)
    if not hit.any():
        return None
    first = int(hit.argmax())
    return "better" if wins[first] > losses[first] else "worse"


@pytest.mark.parametrize("runs", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_equal_models_are_seldom_told_apart(tmp_path: Path, runs: int) -> None:
    """The second of these pairs is one of the few that are: 4 of the first 200."""
    folder = repr(str(tmp_path))
    calls = [f"pair({folder}, 100, (0.6, 0.6), old='a{k}', new='b{k}')" for k in range(runs)]
    told = [t["verdict"] if t["decided_at"] else None for t in evaluated(calls)]
    assert told == [word_of(k) for k in range(runs)]
    if runs == 200:
        assert sum(word is not None for word in told) == 4 <= 0.05 * runs


def test_real_models_stop_one_another(tmp_path: Path) -> None:
    abilities = {"mockllm/one": 0.9, "mockllm/two": 0.7, "mockllm/three": 0.4}
    told = evaluated([f"racing({str(tmp_path)!r}, 300, {abilities!r})"])
    runs = {one["model"]: one for one in told}
    assert runs["mockllm/one"]["verdict"] == "winner"
    for name, one in runs.items():
        assert one["status"] == "success"
        assert one["samples_scheduled"] == one["completed"] < 300
        assert one["not_run"] == one["samples_not_run"] == 300 - one["completed"]
        said = (
            "is the best of 3 models"
            if name == "mockllm/one"
            else "was significantly better after"
        )
        assert said in one["reasons"][0]
    assert runs["mockllm/three"]["completed"] < runs["mockllm/one"]["completed"]


def test_real_models_one_after_another_stop_nobody(tmp_path: Path) -> None:
    abilities = {"mockllm/one": 0.9, "mockllm/two": 0.2}
    told = evaluated([f"racing({str(tmp_path)!r}, 60, {abilities!r}, max_tasks=1)"])
    assert told[0]["completed"] == 60
    assert told[1]["verdict"] == "winner"  # the second is dropped on the way


def test_a_real_model_that_was_not_named_is_refused(tmp_path: Path) -> None:
    abilities = {"mockllm/one": 0.9, "mockllm/two": 0.2, "mockllm/odd": 0.5}
    names = ["mockllm/one", "mockllm/two"]
    told = evaluated([f"racing({str(tmp_path)!r}, 20, {abilities!r}, names={names!r})"])
    assert [one["status"] for one in told] == ["success", "success", "error"]
    assert "mockllm/odd is not one of the models of this race" in told[2]["error"]


def test_a_real_eval_set_ends_with_the_comparison(tmp_path: Path) -> None:
    (told,) = evaluated([f"eval_set({str(tmp_path)!r}, 200, (0.5, 0.8))"])
    assert told["success"] == [True, True, True]
    old, new, none = told["stdout"]
    assert "nstar" not in old, "no baseline is set"
    assert f"$ nstar compare {tmp_path}/new {tmp_path}/old" in new
    assert " beats mockllm/model (" in " ".join(new.split())
    assert new.endswith(f"nstar: wrote {tmp_path}/new/nstar.html")
    assert (tmp_path / "new" / "nstar.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "nstar" not in none
    line = f"nstar: no comparison with the baseline. {tmp_path}/none: no such file or folder."
    assert told["stderr"].splitlines() == [f"{line} Check the spelling."]
