"""Trajectories of τ-bench and τ²-bench: trials, errors and what the file names say."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, Log, attack, rows
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers.tau_bench import READER

RUNS = FIXTURES / "tau_bench"
AIRLINE = RUNS / "gpt-x-airline.json"
SECOND = RUNS / "tau2.json"
CHECKPOINT = RUNS / "tool-calling-acme_beta-0.0_range_0--1_user-gpt-4o-llm_0612073827.json"


def trial(item: Any = 0, reward: Any = 1.0, number: Any = 0, **info: Any) -> dict[str, Any]:
    about = {"task": {"instruction": "Do it."}, "user_cost": 0.1, **info}
    return {"task_id": item, "reward": reward, "info": about, "traj": [], "trial": number}


def write(path: Path, *trials: Any) -> Path:
    path.write_text(json.dumps(trials), "utf-8")
    return path


def test_runs_of_the_first() -> None:
    log = Log(READER, AIRLINE)
    raw = json.loads(AIRLINE.read_text("utf-8"))
    assert log.table.models == ("gpt-x",)
    assert log.table.tasks == ("tau_bench_airline",)
    assert log.table.names("run") == ("0", "1", "2")
    found = {(r["item"], r["run"]): r["score"] for r in rows(log.table)}
    assert found == {(str(r["task_id"]), str(r["trial"])): r["reward"] for r in raw}
    assert matrices(log.table)[0].runs(0).tolist() == [3] * 5  # type: ignore[union-attr]
    assert log.source.errors_as == "zero"
    assert log.source.harness == "tau-bench"


def test_trials_that_ended_in_an_error() -> None:
    log = Log(READER, AIRLINE, errors="missing")
    (row,) = rows(log.table, item="2", run="1")
    assert row["score"] is None
    assert row["content"] is None
    assert log.source.unscored == 1


def test_names_of_checkpoints(tmp_path: Path) -> None:
    log = Log(READER, CHECKPOINT)
    assert log.source.model == "acme_beta"
    assert log.source.task == "tau_bench_airline"
    assert log.source.settings == {
        "agent": "tool-calling",
        "user model": "gpt-4o",
        "user": "llm",
    }
    assert log.source.limited is None
    later = CHECKPOINT.name.replace("0--1", "0-2").replace("0612", "0712")
    shutil.copy(CHECKPOINT, tmp_path / CHECKPOINT.name)
    policy = [{"role": "system", "content": "# Airline Agent Policy"}]
    write(tmp_path / later, {**trial(0), "traj": policy}, trial(1))
    both = Log(READER, tmp_path)
    assert both.source.path.endswith(CHECKPOINT.name)
    assert Log(READER, tmp_path / later).source.limited == "tasks 0 to 2"


def test_domain_is_unknown_without_policy_or_name(tmp_path: Path) -> None:
    log = Log(READER, write(tmp_path / "mine.json", trial(0)))
    assert (log.source.model, log.source.task) == ("mine", "tau_bench")


@pytest.mark.parametrize("path", [SECOND, RUNS / "dir_format"])
def test_the_second(path: Path) -> None:
    log = Log(READER, path)
    source = log.source
    assert source.model in {"acme/gamma", "acme/delta"}
    assert source.task == "tau2_bench_telecom"
    assert (source.declared_items, source.declared_runs) == (4, 2)
    assert (source.items, source.unscored, source.errors_as) == (4, 1, "missing")
    assert source.settings["user model"] == "gpt-4.1"
    raw = json.loads(SECOND.read_text("utf-8"))["simulations"]
    expected = {
        (s["task_id"], str(s["trial"])): s["reward_info"] and s["reward_info"]["reward"]
        for s in raw
    }
    assert {(r["item"], r["run"]): r["score"] for r in rows(log.table)} == expected
    assert rows(log.table, item="t1")[0]["cost"] == pytest.approx(0.02)


def test_both_forms_of_the_second_pair_by_content() -> None:
    table = Log(READER, SECOND, RUNS / "dir_format").table
    matrix = matrices(table)[0]
    assert matrix.shape == (2, 4)
    assert matrix.alignment.content_differs == 0
    assert matrix.alignment.unverified == ()


def test_single_simulations_go_with_their_document() -> None:
    path = RUNS / "dir_format" / "simulations" / "s00.json"
    assert READER.sniff(Place(str(path)), path.read_bytes()) == "companion"


def test_errors_that_count_as_zero() -> None:
    log = Log(READER, SECOND, errors="zero")
    assert rows(log.table, item="t3", run="1")[0]["score"] == 0.0


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (trial(None), "task_id is null; expected a number or text"),
        (trial([1]), r"task_id is \[1\]"),
        (trial(1, 1e999), "reward has the score inf"),
        (7, "element"),
    ],
)
def test_bad_trials(tmp_path: Path, bad: Any, problem: str) -> None:
    path = write(tmp_path / "m-retail.json", trial(0), bad)
    with pytest.raises(ReadError, match=rf"m-retail\.json:2: .*{problem}"):
        Log(READER, path)
    assert Log(READER, path, skip_bad=1).scores() == {"0": 1.0}


def test_reward_without_a_number(tmp_path: Path) -> None:
    log = Log(READER, write(tmp_path / "m-retail.json", trial(0, None), trial(1, "high")))
    assert log.scores() == {"0": None}
    assert log.source.dropped == {"metric reward is text": 1}


def test_trials_without_number_are_one_run(tmp_path: Path) -> None:
    log = Log(READER, write(tmp_path / "m-retail.json", trial(0, 1, None)))
    assert log.table.names("run") == ("0",)


def test_strange_values(tmp_path: Path) -> None:
    path = write(tmp_path / "m-retail.json", trial(0), trial(1))
    assert attack(READER, tmp_path, path) == []
    path.unlink()
    small = json.loads(SECOND.read_text("utf-8"))
    small["tasks"], small["simulations"] = small["tasks"][:1], small["simulations"][:1]
    path = tmp_path / "two.json"
    path.write_text(json.dumps(small))
    assert attack(READER, tmp_path, path) == []
