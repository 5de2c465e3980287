"""verifiers before and since v1: rollouts of an example are runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, Log, attack, copy, edit, rows
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers.verifiers import READER

OLD = FIXTURES / "verifiers" / "old"
V1 = FIXTURES / "verifiers" / "v1"
NANO = "math-python--gpt-5-nano/cb7a1799"


def test_means_are_those_of_the_metadata() -> None:
    log = Log(READER, OLD)
    assert log.table.models == ("gpt-4.1-mini", "gpt-5-nano")
    for source in log.table.sources:
        beside = Path(source.path).parent / "metadata.json"
        kept = json.loads(beside.read_text("utf-8"))
        means = {k.removeprefix("avg_"): v for k, v in kept.items() if k.startswith("avg_")}
        assert source.aggregates == means
        assert source.mismatches == {}
        assert (source.items, source.declared_runs, source.task) == (5, 3, "math-python")


def test_ids_of_these_logs_hold_other_questions_and_content_pairs_them() -> None:
    matrix = matrices(Log(READER, OLD).table)[0]
    assert matrix.alignment.by_content
    assert len(matrix.items) == 5
    assert matrix.counts is not None
    assert (matrix.counts == 3).all()


def test_without_metadata_the_folder_names_model_and_task(tmp_path: Path) -> None:
    root = copy(OLD, tmp_path / "x")
    (root / NANO / "metadata.json").unlink()
    log = Log(READER, root / "math-python--gpt-5-nano")
    assert (log.table.models, log.source.task) == (("gpt-5-nano",), "math-python")


def test_a_run_cut_short_is_seen(tmp_path: Path) -> None:
    root = copy(OLD, tmp_path / "x")
    edit(root / NANO / "metadata.json", num_examples=50)
    (source,) = Log(READER, root).of("gpt-5-nano")
    assert (source.items, source.declared_items) == (5, 50)


def test_reward_of_v1_is_the_weighted_sum_and_an_error_is_missing() -> None:
    log = Log(READER, V1)
    assert log.table.models == ("acme/alpha", "acme/beta")
    found = {m.metric: m for m in matrices(log.table)}
    assert found["reward"].row("acme/alpha").tolist() == pytest.approx(
        [1.1, 1.1, 0.1, 1.1, 1.1, 1.1]
    )
    assert found["exact"].row("acme/beta").tolist() == [1, 0, 0, 1, 0, 1]
    lost = [(r["item"], r["run"]) for r in rows(log.table) if r["score"] is None]
    assert set(lost) == {("5", "2")}
    assert found["reward"].alignment.content_differs == 0


@pytest.mark.parametrize(
    ("root", "name", "change", "words"),
    [
        (OLD, "results.jsonl", {"id": [1]}, r"id is \[1\]; expected a number or text"),
        (OLD, "results.jsonl", {"reward": 1e999}, "score inf"),
        (V1, "traces.jsonl", {"task": 7}, "task.data.id is null"),
        (V1, "traces.jsonl", {"traces": [{"rewards": {"x": {"score": 1e999}}}]}, "score inf"),
    ],
)
def test_wrong_lines(tmp_path: Path, root: Path, name: str, change: Any, words: str) -> None:
    path = next(copy(root, tmp_path / "x").rglob(name))
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines[1] |= change
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    with pytest.raises(ReadError, match=words) as error:
        Log(READER, path)
    assert f"{path}:2" in str(error.value)


def test_hostile_logs(tmp_path: Path) -> None:
    meta = {"model": "m", "env": "e", "rollouts_per_example": 1, "avg_reward": 1.0}
    rollout = {"id": 0, "prompt": "q", "completion": [], "reward": 1.0}
    trace = {"agent": {"config": {"model": "m"}}, "ok": True, "rewards": {"x": {"score": 1.0}}}
    episode = {"env": {"id": "e"}, "task": {"data": {"idx": 0}, "hash": "h"}, "traces": [trace]}
    logs = {"old/metadata.json": meta, "old/results.jsonl": rollout, "v1/traces.jsonl": episode}
    for name, value in logs.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value), "utf-8")
    for name in logs:
        path = tmp_path / name
        assert attack(READER, path.parent, path) == []
