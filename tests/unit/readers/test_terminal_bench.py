"""terminal-bench before Harbor: trials as runs, lost trials, agents, and its own accuracy."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, SHARED, Log, attack, copy, edit, rows
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers.terminal_bench import READER

RUN = FIXTURES / "terminal_bench" / "run1"


def trial(task: str, resolved: Any, *, number: int = 1, **more: Any) -> dict[str, Any]:
    name = f"{task}.{number}-of-2.run"
    return {"task_id": task, "trial_name": name, "is_resolved": resolved, **more}


def write(folder: Path, *trials: dict[str, Any], accuracy: Any = None, **meta: Any) -> Path:
    folder.mkdir(parents=True)
    document = {"results": trials, "accuracy": accuracy}
    (folder / "results.json").write_text(json.dumps(document), "utf-8")
    if meta:
        meta |= {"n_concurrent_trials": 4}
        (folder / "run_metadata.json").write_text(json.dumps(meta), "utf-8")
    return folder


@pytest.mark.parametrize("path", [RUN, SHARED / "terminal_bench"])
def test_accuracy_is_the_harnesss_own(path: Path) -> None:
    if not path.exists():
        pytest.skip("larger logs are not at hand")
    log = Log(READER, path)
    source = log.source
    scores = [r["score"] for r in rows(log.table)]
    assert sum(scores) / len(scores) == pytest.approx(6 / 9, abs=1e-9)
    assert source.aggregates == {"resolved": 2 / 3}
    assert source.mismatches == {}
    assert (source.model, source.task) == ("acme/alpha-8b", "terminal-bench-core")
    assert (source.rows, source.items, source.declared_items, source.declared_runs) == (9, 3, 3, 3)
    assert source.settings == {"dataset_version": "0.1.1", "agent_name": "terminus"}
    assert log.journal.notes == []


def test_trials_are_runs() -> None:
    log = Log(READER, RUN)
    assert log.table.names("run") == ("1", "2", "3")
    first = rows(log.table)[0]
    assert (first["item"], first["run"], first["score"]) == ("hello-world", "1", 0.0)
    assert first["tokens"] == first["input_tokens"] + first["output_tokens"] == 15
    assert first["content"] is not None


def test_trials_without_numbers_are_counted(tmp_path: Path) -> None:
    bare = [{"task_id": "t", "is_resolved": True}] * 2
    same = [trial("u", resolved=True), trial("u", resolved=False)]
    log = Log(READER, write(tmp_path / "r", *bare, *same, model_name="m"))
    runs = [(r["item"], r["run"]) for r in rows(log.table)]
    assert runs == [("t", "1"), ("t", "2"), ("u", "1"), ("u", "1.2")]


def test_no_verdict_counts_as_failed_or_missing(tmp_path: Path) -> None:
    trials = [
        trial("a", None),
        trial("b", resolved=False, failure_mode="unknown_agent_error"),
        trial("c", resolved=False, failure_mode="agent_timeout"),
        trial("d", resolved=True, failure_mode="agent_timeout"),
    ]
    folder = write(tmp_path / "r", *trials, accuracy=0.25, model_name="m")
    log = Log(READER, folder)
    assert log.scores() == {"a": 0.0, "b": 0.0, "c": 0.0, "d": 1.0}
    assert log.source.aggregates == {"resolved": 0.25}
    assert (log.source.dropped, log.source.errors_as) == ({"errors": 2}, "zero")
    missing = Log(READER, folder, errors="missing")
    assert missing.scores() == {"a": None, "b": None, "c": 0.0, "d": 1.0}
    assert missing.source.aggregates == {}


def test_unequal_numbers_of_trials_are_not_compared(tmp_path: Path) -> None:
    trials = [trial("a", resolved=True), trial("a", resolved=True, number=2)]
    folder = write(tmp_path / "r", *trials, trial("b", resolved=False), accuracy=2 / 3)
    assert Log(READER, folder).source.aggregates == {}


def test_several_agents_are_named(tmp_path: Path) -> None:
    for agent in ("terminus", "aider"):
        write(tmp_path / agent, trial("a", resolved=True), agent_name=agent, model_name="m")
    assert Log(READER, tmp_path).table.models == ("aider:m", "terminus:m")
    assert Log(READER, tmp_path / "aider").table.models == ("m",)
    oracle = write(tmp_path / "o", trial("a", resolved=True), agent_name="oracle", model_name=None)
    assert Log(READER, oracle).table.models == ("oracle",)


def test_without_metadata_the_folder_names_the_model(tmp_path: Path) -> None:
    source = Log(READER, write(tmp_path / "mine", trial("a", resolved=True))).source
    assert (source.model, source.task) == ("mine", "terminal-bench")
    assert source.notes == (
        "model label: no run_metadata.json names the model; mine is the name of its folder",
    )


def test_limited_runs_lose_to_whole_ones(tmp_path: Path) -> None:
    old = copy(RUN, tmp_path / "a")
    new = copy(RUN, tmp_path / "b")
    edit(old / "run_metadata.json", start_time="2026-01-01T00:00:00")
    edit(new / "run_metadata.json", start_time="2026-02-01T00:00:00")
    assert Path(Log(READER, tmp_path).source.path).is_relative_to(new)
    every = Log(READER, tmp_path, runs="all").table.names("run")
    assert "2026-01-01T00:00:00/1" in every
    assert len(every) == 6
    edit(new / "run_metadata.json", n_tasks=3)
    assert Path(Log(READER, tmp_path).source.path).is_relative_to(old)
    assert Log(READER, new).source.limited == "n_tasks=3"


def test_dataset_given_as_a_path(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "r", trial("a", resolved=True), model_name="m", dataset_path="x/mine"
    )
    assert Log(READER, folder).source.task == "mine"


def test_truncated(tmp_path: Path) -> None:
    folder = copy(RUN, tmp_path / "r")
    whole = (folder / "results.json").read_bytes()
    (folder / "results.json").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ReadError, match=r"results\.json"):
        Log(READER, folder)


def test_a_trial_of_wrong_type_names_its_place(tmp_path: Path) -> None:
    folder = write(tmp_path / "r", trial("a", resolved="yes"), trial("b", resolved=True))
    with pytest.raises(ReadError, match=r"results.json:1: .*is_resolved"):
        Log(READER, folder)
    assert Log(READER, folder, skip_bad=1).scores() == {"b": 1.0}


def test_nothing_but_read_errors_from_strange_files(tmp_path: Path) -> None:
    one = trial(
        "a", resolved=True, failure_mode="unset", instruction="do it", total_input_tokens=1
    )
    meta = {"model_name": "m", "agent_name": "a", "dataset_path": "p", "n_tasks": 1}
    folder = write(tmp_path / "r", one, accuracy=1.0, **meta, n_attempts=1)
    for name in ("results.json", "run_metadata.json"):
        assert attack(READER, folder, folder / name) == []


def test_sniff() -> None:
    def role(name: str, head: bytes) -> str | None:
        return READER.sniff(Place(name), head)

    assert role("results.json", (RUN / "results.json").read_bytes()) == "log"
    assert role("run_metadata.json", (RUN / "run_metadata.json").read_bytes()) == "companion"
    one = json.dumps(trial("a", resolved=True)).encode()
    assert role("results.json", one) == "companion"
    assert role("results.json", b'{"results": []}') is None
    assert role("notes.txt", one) is None
