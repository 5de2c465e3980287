"""Harbor jobs: two models in one folder, attempts without numbers, exceptions, its own means."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, Log, attack, copy, edit, rows
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers.harbor import READER

JOB = FIXTURES / "harbor" / "mini"
ALPHA, BETA = "acme/alpha-8b", "acme/beta-70b"
CRASHED = "wp-005__ZtrhnJ4"


def trial(folder: Path, name: str, rewards: Any, *, agent: str = "a", **more: Any) -> Path:
    result = {
        "task_name": name.partition("__")[0],
        "trial_name": name,
        "source": "set",
        "task_checksum": "00ff",
        "agent_info": {
            "name": agent,
            "version": "1",
            "model_info": {"name": "m", "provider": "p"},
        },
        "verifier_result": None if rewards is None else {"rewards": rewards},
        "started_at": "2026-01-01T00:00:00Z",
    }
    path = folder / name / "result.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(result | more), "utf-8")
    return path


def job(folder: Path, *metrics: dict[str, Any], **more: Any) -> None:
    result = {"n_total_trials": 2, "finished_at": "2026-01-01", "started_at": "2026-01-01"}
    result["stats"] = {"evals": {"a__m__set": {"metrics": metrics}}}
    (folder / "result.json").write_text(json.dumps(result | more), "utf-8")
    config = {"job_name": "j", "n_attempts": 1, "agents": [{}]}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")


def test_means_are_harbors_own() -> None:
    log = Log(READER, JOB)
    assert set(log.table.models) == {ALPHA, BETA}
    evals = json.loads((JOB / "result.json").read_text("utf-8"))["stats"]["evals"]
    for model in (ALPHA, BETA):
        (source,) = log.of(model)
        theirs = evals[f"stub-agent__{model.partition('/')[2]}__tasks"]["metrics"][0]["mean"]
        scores = [r["score"] for r in rows(log.table, model=model)]
        assert len(scores) == 16
        assert sum(scores) / 16 == pytest.approx(theirs, abs=1e-9)
        assert source.aggregates == {"reward": theirs}
        assert source.mismatches == {}
        assert (source.task, source.items) == ("tasks", 8)
        assert (source.declared_items, source.declared_runs) == (8, 2)
    assert log.journal.notes == []


def test_an_exception_counts_zero_or_is_missing() -> None:
    log = Log(READER, JOB)
    assert log.of(ALPHA)[0].dropped == {"errors": 1}
    assert log.of(ALPHA)[0].errors_as == "zero"
    assert log.of(BETA)[0].dropped == {}
    missing = Log(READER, JOB, errors="missing")
    (source,) = missing.of(ALPHA)
    assert (source.rows, source.unscored, source.aggregates) == (15, 1, {})
    assert {r["item"] for r in rows(missing.table) if r["score"] is None} == {"wp-005"}


def test_attempts_are_numbered_by_time() -> None:
    log = Log(READER, JOB)
    table = rows(log.table, model=ALPHA, item="wp-005")
    began = {
        path.parent.name: json.loads(path.read_text("utf-8"))["started_at"]
        for path in JOB.glob("wp-005__*/result.json")
    }
    assert sorted(r["run"] for r in table) == ["1", "2"]
    other = next(n for n in ("wp-005__r8L2J8s",) if n in began)
    order = sorted((CRASHED, other), key=lambda name: began[name])
    assert order == [CRASHED, other]
    assert [r["run"] for r in table if r["cost"] is None] == ["1"]


def test_cost_tokens_and_content() -> None:
    log = Log(READER, JOB)
    spent = [r for r in rows(log.table) if r["cost"] is not None]
    assert len(spent) == 31
    assert {(r["cost"], r["tokens"]) for r in spent} == {(0.001, 15)}
    assert {r["input_tokens"] + r["output_tokens"] for r in spent} == {15}
    contents = {(r["item"], r["content"]) for r in rows(log.table)}
    assert len(contents) == len({c for _, c in contents}) == 8
    settings = log.of(ALPHA)[0].settings
    assert settings["agent"] == "stub-agent 0.1"
    assert settings["timeout_multiplier"] == "1.0"


def test_several_rewards(tmp_path: Path) -> None:
    trial(tmp_path, "x__1", {"reward": 1, "speed": 0.5})
    trial(tmp_path, "y__1", {"reward": 0})
    job(tmp_path, {"reward": 0.5, "speed": 0.25})
    log = Log(READER, tmp_path)
    assert log.scores(metric="speed") == {"x": 0.5, "y": 0.0}
    assert log.source.aggregates == {"reward": 0.5, "speed": 0.25}
    assert log.source.mismatches == {}


def test_several_means_are_not_compared(tmp_path: Path) -> None:
    trial(tmp_path, "x__1", {"reward": 1})
    job(tmp_path, {"max": 1.0}, {"mean": 1.0})
    assert Log(READER, tmp_path).source.aggregates == {}


def test_unequal_numbers_of_trials_are_not_compared(tmp_path: Path) -> None:
    for name in ("x__1", "x__2", "y__1"):
        trial(tmp_path, name, {"reward": 1})
    job(tmp_path, {"mean": 1.0})
    assert Log(READER, tmp_path).source.aggregates == {}


def test_all_lost(tmp_path: Path) -> None:
    trial(tmp_path, "x__1", None)
    assert rows(Log(READER, tmp_path).table)[0]["metric"] == "reward"


def test_several_agents_are_named(tmp_path: Path) -> None:
    trial(tmp_path, "x__1", {"reward": 1}, agent="a")
    trial(tmp_path, "x__2", {"reward": 0}, agent="b")
    trial(tmp_path, "x__3", {"reward": 1}, agent_info={"name": "oracle"}, source=None)
    log = Log(READER, tmp_path)
    assert log.table.models == ("a:p/m", "b:p/m", "oracle")
    assert log.of("oracle")[0].task == "adhoc"


def test_jobs_are_rival_runs(tmp_path: Path) -> None:
    old, new = (copy(JOB, tmp_path / name) for name in ("old", "new"))
    edit(old / "result.json", started_at="2025-01-01T00:00:00")
    kept = Log(READER, tmp_path)
    assert all(s.path.endswith("new") for s in kept.table.sources)
    every = Log(READER, tmp_path, runs="all")
    assert "2025-01-01T00:00:00/1" in every.table.names("run")
    edit(new / "result.json", finished_at=None)
    log = Log(READER, tmp_path)
    assert all(s.path.endswith("old") for s in log.table.sources)
    assert Log(READER, new).of(ALPHA)[0].status == "unfinished"


def test_a_job_without_its_own_files(tmp_path: Path) -> None:
    root = copy(JOB, tmp_path / "job")
    for name in ("result.json", "config.json"):
        (root / name).unlink()
    source = Log(READER, root).of(ALPHA)[0]
    assert (source.aggregates, source.declared_items, source.status) == ({}, None, "success")
    (root / "result.json").write_text('{"n_total_trials": 32, "stats": {', "utf-8")
    assert "means are not compared" in Log(READER, root).of(ALPHA)[0].notes[0]


def test_one_trial_alone() -> None:
    log = Log(READER, JOB / "wp-000__6LvQin4")
    assert (len(log.table), log.source.model) == (1, BETA)


def test_a_damaged_trial_is_a_bad_row(tmp_path: Path) -> None:
    root = copy(JOB, tmp_path / "job")
    path = root / CRASHED / "result.json"
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(
        ReadError, match=rf"{CRASHED}/result.json: document appears to be truncated"
    ):
        Log(READER, root)
    log = Log(READER, root, skip_bad=1)
    assert len(log.table) == 31
    assert log.of(ALPHA)[0].aggregates == {}


@pytest.mark.parametrize(
    ("reward", "kept"), [(True, {"x": 1.0}), (float("nan"), {"x": None}), ("1", {}), ([1], {})]
)
def test_rewards_of_all_kinds(tmp_path: Path, reward: Any, kept: dict[str, Any]) -> None:
    trial(tmp_path, "x__1", {"reward": reward})
    trial(tmp_path, "y__1", {"reward": 0})
    log = Log(READER, tmp_path)
    assert log.scores() == kept | {"y": 0.0}
    assert sum(log.source.dropped.values()) == (0 if kept else 1)


def test_an_infinite_reward_is_a_bad_row(tmp_path: Path) -> None:
    path = trial(tmp_path, "x__1", {"reward": float("inf")})
    with pytest.raises(ReadError, match=f"{path.parent.name}.*must be finite"):
        Log(READER, tmp_path)


def test_nothing_but_read_errors_from_strange_files(tmp_path: Path) -> None:
    spent = {"n_input_tokens": 1, "cost_usd": 0.5}
    config = {"agent": {"model_name": "m"}, "environment": {"type": "x"}}
    path = trial(tmp_path, "x__1", {"reward": 1}, agent_result=spent, config=config)
    trial(tmp_path, "y__1", {"reward": 1})
    job(tmp_path, {"mean": 1.0})
    for file in (path, tmp_path / "result.json", tmp_path / "config.json"):
        assert attack(READER, tmp_path, file) == []


def test_sniff(tmp_path: Path) -> None:
    roles = {p: READER.sniff(Place(str(p)), p.read_bytes()) for p in JOB.rglob("*") if p.is_file()}
    trials = {p for p in roles if p.name == "result.json" and p.parent != JOB}
    assert len(trials) == 32
    assert {roles[p] for p in trials} == {"log"}
    assert {role for p, role in roles.items() if p not in trials} == {"companion"}
    assert READER.sniff(Place(str(tmp_path / "config.json")), b'{"model_type": "llama"}') is None
    assert READER.sniff(Place(str(tmp_path / "lock.json")), b"{}") is None
    assert READER.sniff(Place("x/result.json"), b'{"acc": 1}') is None
