"""HELM run folders: items, subjects, splits, perturbations, and HELM's own means."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, SHARED, Log, attack, copy, edit, rows
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers.helm import READER

RUNS = FIXTURES / "helm"
ALPHA = RUNS / "v1" / "mini_wp-model-acme_alpha-8b"
LOG = "per_instance_stats.json"


def stat(name: str, mean: float | None, split: str = "test", **more: Any) -> dict[str, Any]:
    return {"name": {"name": name, "split": split, **more}, "mean": mean}


def instance(*stats: dict[str, Any], number: str = "id0", **more: Any) -> dict[str, Any]:
    return {"instance_id": number, "train_trial_index": 0, "stats": list(stats), **more}


def write(folder: Path, *instances: Any, stats: Any = None, spec: Any = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / LOG).write_text(json.dumps(instances), "utf-8")
    for name, value in (("stats.json", stats), ("run_spec.json", spec)):
        if value is not None:
            (folder / name).write_text(json.dumps(value), "utf-8")
    return folder


def test_every_mean_is_helms_own() -> None:
    log = Log(READER, RUNS)
    assert len(log.table.sources) == 5
    for source in log.table.sources:
        assert source.mismatches == {}
        assert source.items == source.declared_items
        wp = source.task == "mini_wp"
        assert set(source.aggregates) == {
            "exact_match",
            "quasi_exact_match",
            "exact_match@3" if wp else "exact_match@5",
        }
        run = Path(source.path).parent
        printed = json.loads((run / "stats.json").read_text("utf-8"))
        (theirs,) = (s["mean"] for s in printed if s["name"] == stat("exact_match", 0)["name"])
        scores = log.scores(model=source.model or "", task=source.task or "", metric="exact_match")
        ours = [s for s in scores.values() if s is not None]
        assert sum(ours) / len(ours) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.skipif(not (SHARED / "helm").exists(), reason="larger logs are not at hand")
def test_whole_folders_under_their_own_names() -> None:
    log = Log(READER, SHARED / "helm")
    assert len(log.table.sources) == 7
    assert all(len(s.aggregates) == 8 and s.mismatches == {} for s in log.table.sources)


def test_subject_and_number_name_an_item() -> None:
    log = Log(READER, RUNS / "v1")
    assert log.table.tasks == ("mini_mmlu", "mini_wp")
    assert log.table.models == ("acme/alpha-8b", "acme/beta-70b")
    mmlu = rows(log.table, task="mini_mmlu", metric="exact_match")
    assert {r["subject"] for r in mmlu} == {"capitals"}
    assert all(r["item"].startswith("capitals:id") for r in mmlu)
    both = [log.scores(task="mini_mmlu", model=m, metric="exact_match") for m in log.table.models]
    assert set(both[0]) == set(both[1])
    assert {r["subject"] for r in rows(log.table, task="mini_wp")} == {None}


def test_bookkeeping_is_no_metric() -> None:
    metrics = Log(READER, RUNS).table.names("metric")
    assert set(metrics) == {"exact_match", "exact_match@3", "exact_match@5", "quasi_exact_match"}


def test_perturbed_copies_are_left_out() -> None:
    source = Log(READER, RUNS / "v2").source
    assert source.dropped == {"perturbed instances": 4}
    assert (source.rows, source.items, source.declared_items) == (12, 4, 4)
    assert source.settings["arguments"] == "data_augmentation=lower"
    assert source.task == "mini_mmlu"


def test_runs_of_one_model_with_other_arguments_are_other_tasks() -> None:
    log = Log(READER, RUNS)
    assert set(log.table.tasks) == {"mini_mmlu", "mini_wp", "mini_mmlu[data_augmentation=lower]"}


def test_of_equal_runs_the_later_suite_counts(tmp_path: Path) -> None:
    for suite in ("v2", "v10"):
        copy(ALPHA, tmp_path / suite / "run")
    log = Log(READER, tmp_path)
    assert "v10" in log.source.path
    assert any("2 logs of mini_wp" in note for note in log.journal.notes)
    every = Log(READER, tmp_path, runs="all")
    assert len(every.table.names("run")) == 2


def test_questions_where_the_state_was_kept(tmp_path: Path) -> None:
    log = Log(READER, ALPHA)
    with_state = {r["item"]: (r["content"], r["template"]) for r in rows(log.table)}
    assert all(content is not None for content, _ in with_state.values())
    assert len({content for content, _ in with_state.values()}) == 8
    assert with_state["wp-011"][1] == "t5"
    bare = copy(ALPHA, tmp_path / "run")
    (bare / "scenario_state.json").unlink()
    assert {r["content"] for r in rows(Log(READER, bare).table)} == {None}
    (bare / "scenario_state.json").write_text('{"request_states": [{"instance"', "utf-8")
    log = Log(READER, bare)
    assert any("questions are not compared" in note for note in log.source.notes)
    assert log.journal.bad == []


def test_the_split_that_helm_reports(tmp_path: Path) -> None:
    both = [instance(stat("exact_match", 1.0)), instance(stat("exact_match", 0.0, "valid"))]
    printed = [stat("exact_match", 1.0), stat("exact_match", 0.0, "valid")]
    source = Log(READER, write(tmp_path / "a", *both, stats=printed)).source
    assert source.rows == 1
    assert source.dropped == {"statistics of split valid": 1}
    assert source.aggregates == {"exact_match": 1.0}
    assert source.mismatches == {}
    only = write(tmp_path / "b", both[1], stats=printed[1:])
    assert Log(READER, only).source.aggregates == {"exact_match": 0.0}


def test_trials_are_runs(tmp_path: Path) -> None:
    tried = [instance(stat("em", float(i)), train_trial_index=i) for i in range(2)]
    spec = {"name": "s:model=m", "adapter_spec": {"model": "m", "num_train_trials": 2}}
    folder = write(tmp_path / "v1" / "run", *tried, spec=spec)
    log = Log(READER, folder)
    assert {(r["run"], r["score"]) for r in rows(log.table)} == {("0", 0.0), ("1", 1.0)}
    assert log.source.declared_runs == 2
    copy(folder, tmp_path / "v2" / "run")
    every = Log(READER, tmp_path, runs="all").table.names("run")
    assert len(every) == 4
    assert all(run.endswith(("/0", "/1")) for run in every)


def test_arguments_that_choose_the_data_belong_to_the_task(tmp_path: Path) -> None:
    spec = {
        "name": "math:subject=algebra,level=1,method=x,model=a_m",
        "scenario_spec": {"args": {"subject": "algebra", "level": 1}},
        "adapter_spec": {"model": "a/m"},
    }
    log = Log(READER, write(tmp_path / "r", instance(stat("em", 1.0)), spec=spec))
    assert log.source.task == "math:level=1"
    assert log.source.settings == {"arguments": "method=x"}
    assert rows(log.table)[0]["item"] == "algebra:id0"
    assert rows(log.table)[0]["subject"] == "algebra"


@pytest.mark.skipif(sys.platform == "win32", reason="no name on Windows holds a colon")
def test_without_run_spec_the_folder_names_the_model(tmp_path: Path) -> None:
    log = Log(READER, write(tmp_path / "s:level=1,model=a_m", instance(stat("em", 1.0))))
    assert (log.source.model, log.source.task) == ("a_m", "s:level=1")
    assert log.source.notes == ("model label: no run_spec.json; a_m is the name of the folder",)


def test_no_mean_no_number(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", instance(stat("em", None), stat("f1", float("nan"))))
    source = Log(READER, folder).source
    assert source.dropped == {"statistics of nothing (count 0)": 1}
    assert (source.rows, source.unscored) == (0, 1)


def test_infinite_is_a_bad_row(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", instance(stat("em", float("inf"))), instance(stat("em", 1.0)))
    with pytest.raises(ReadError, match=rf"{LOG}:1: metric em has the score inf; a score must be"):
        Log(READER, folder)
    log = Log(READER, folder, skip_bad=1)
    assert (log.source.rows, len(log.journal.bad)) == (1, 1)


def test_truncated(tmp_path: Path) -> None:
    folder = copy(ALPHA, tmp_path / "run")
    whole = (folder / LOG).read_bytes()
    (folder / LOG).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ReadError, match=LOG):
        Log(READER, folder)
    (folder / LOG).write_bytes(b"")
    with pytest.raises(ReadError):
        Log(READER, folder)


def test_a_row_of_wrong_type_names_its_place(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", {"instance_id": 7, "stats": []})
    with pytest.raises(ReadError, match=rf"{LOG}:1: .*instance_id"):
        Log(READER, folder)


def test_nothing_but_read_errors_from_strange_files(tmp_path: Path) -> None:
    spec = {
        "name": "s:subject=a,model=m",
        "scenario_spec": {"args": {"subject": "a"}},
        "adapter_spec": {"model": "m", "num_train_trials": 2, "method": "x"},
    }
    one = stat("em", 1.0, perturbation=None)
    folder = write(tmp_path / "r", instance(one, perturbation=None), stats=[one], spec=spec)
    answer = {"output": {"text": "2"}}
    asked = {"id": "id0", "input": {"text": "1+1?"}, "references": [answer], "extra_data": {}}
    state = {"request_states": [{"instance": asked | {"extra_data": {"template": "t"}}}]}
    (folder / "scenario_state.json").write_text(json.dumps(state), "utf-8")
    for name in (LOG, "run_spec.json", "stats.json", "scenario_state.json"):
        assert attack(READER, folder, folder / name) == []


def test_sniff(tmp_path: Path) -> None:
    roles = {p.name: READER.sniff(Place(str(p)), p.read_bytes()) for p in ALPHA.iterdir()}
    assert roles.pop(LOG) == "log"
    assert set(roles.values()) == {"companion"}
    stray = tmp_path / "stats.json"
    stray.write_text("[]", "utf-8")
    assert READER.sniff(Place(str(stray)), b"[]") is None
    assert READER.sniff(Place(str(tmp_path / LOG)), b"{}") is None


def test_settings(tmp_path: Path) -> None:
    folder = copy(ALPHA, tmp_path / "run")
    spec = json.loads((folder / "run_spec.json").read_text("utf-8"))
    edit(folder / "run_spec.json", adapter_spec=spec["adapter_spec"] | {"instructions": "Think."})
    settings = Log(READER, folder).source.settings
    assert settings["instructions"] == "Think."
    assert settings["max_eval_instances"] == "8"
    assert settings["method"] == "generation"
