"""SWE-bench: reports of runs and of instances, submissions, and the share resolved."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, SHARED, Log, attack, copy, edit, rows
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers.swe_bench import READER

ROOT = FIXTURES / "swe_bench"
REPORT = "acme__alpha-8b.run1.json"
LOGS = "logs/run_evaluation/run1/acme__alpha-8b"
NEVER_JUDGED = {
    "astropy__astropy-12911",
    "astropy__astropy-12912",
    "django__django-10918",
    "django__django-10923",
}


def listing(root: Path, name: str, *, split: str = "verified", **lists: list[str]) -> Path:
    path = root / "evaluation" / split / name / "results" / "results.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"no_generation": [], "no_logs": [], **lists}), "utf-8")
    return path


def details(root: Path, name: str, outcomes: dict[str, Any]) -> Path:
    path = root / "evaluation" / "bash-only" / name / "per_instance_details.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(outcomes), "utf-8")
    return path


def test_the_share_resolved_is_the_harnesss_own() -> None:
    log = Log(READER, ROOT)
    assert log.table.models == ("acme/alpha-8b", "acme/beta-70b")
    for source in log.table.sources:
        report = json.loads(Path(source.path).read_text("utf-8"))
        theirs = report["resolved_instances"] / report["total_instances"]
        scores = [s for s in log.scores(model=source.model or "").values() if s is not None]
        assert len(scores) == 22
        assert sum(scores) / 22 == pytest.approx(theirs, abs=1e-9)
        assert source.aggregates == {"resolved": theirs}
        assert source.mismatches == {}
        assert (source.declared_items, source.items) == (22, 22)
        assert source.limited == "20 of 22 instances submitted"
        assert source.errors_as == "zero"
        assert source.dropped == {"errors": 4}


@pytest.mark.skipif(not (SHARED / "swebench").exists(), reason="larger logs are not at hand")
def test_a_folder_with_the_logs_of_both_models() -> None:
    log = Log(READER, SHARED / "swebench")
    assert [s.path.rpartition("/")[2] for s in log.table.sources] == [
        "acme__alpha-8b.run1.json",
        "acme__beta-70b.run1.json",
    ]
    alone = Log(READER, SHARED / "swebench" / "logs")
    assert len(alone.table) == 37


def test_instances_are_grouped_by_repository() -> None:
    table = Log(READER, ROOT).table
    assert table.groups == ("repo",)
    assert set(table.names("repo")) == {"astropy__astropy", "django__django", "sympy__sympy"}
    assert table.tasks == ("SWE-bench",)
    assert table.names("metric") == ("resolved",)


def test_what_was_never_judged_can_be_missing() -> None:
    log = Log(READER, ROOT / REPORT, errors="missing")
    scores = log.scores()
    assert {item for item, score in scores.items() if score is None} == NEVER_JUDGED
    assert scores["sympy__sympy-11618"] == 0.0  # an empty patch
    assert log.source.aggregates == {}
    assert (log.source.rows, log.source.unscored) == (18, 4)


def test_notes() -> None:
    notes = Log(READER, ROOT / REPORT).source.notes
    assert notes[0] == "model label: acme__alpha-8b is used as acme/alpha-8b"
    assert "does not name its dataset" in notes[1]


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("gpt-4.1.run2.json", "gpt-4.1"),
        ("a__b__c.run2.json", "a__b__c"),
        ("report.json", "report"),
        ("org__m.json", "org/m"),
    ],
)
def test_model_in_the_name(tmp_path: Path, name: str, model: str) -> None:
    (tmp_path / name).write_bytes((ROOT / REPORT).read_bytes())
    assert Log(READER, tmp_path).source.model == model


def test_folders_tell_where_the_model_ends_and_the_run_begins(tmp_path: Path) -> None:
    root = copy(ROOT, tmp_path / "x")
    (root / "logs/run_evaluation/run1").rename(root / "logs/run_evaluation/v1.0")
    (root / REPORT).rename(root / "acme__alpha-8b.v1.0.json")
    models = Log(READER, root).table.models
    assert models == ("acme/alpha-8b", "acme/beta-70b")


def test_the_fuller_of_two_runs(tmp_path: Path) -> None:
    for run, submitted in (("a", 22), ("b", 5)):
        path = tmp_path / f"m.{run}.json"
        path.write_bytes((ROOT / REPORT).read_bytes())
        edit(path, submitted_instances=submitted)
    assert Log(READER, tmp_path).source.path.endswith("m.a.json")
    assert Log(READER, tmp_path).source.limited is None


def test_reports_of_instances_alone() -> None:
    log = Log(READER, ROOT / "logs")
    whole = Log(READER, ROOT / REPORT)
    scores = log.scores()
    judged = {i for i, s in scores.items() if i not in NEVER_JUDGED}
    assert len(judged) == 17
    assert {i: scores[i] for i in judged} == {i: whole.scores()[i] for i in judged}
    assert log.source.model == "acme/alpha-8b"
    assert log.source.dropped == {"errors": 2}  # folders without a report
    assert "no report of the whole run" in log.source.notes[1]
    assert log.source.declared_items is None


def test_an_instance_that_the_machinery_lost(tmp_path: Path) -> None:
    root = copy(ROOT / "logs", tmp_path / "logs")
    name = "django__django-10914"
    path = root.parent / LOGS / name / "report.json"
    report = json.loads(path.read_text("utf-8"))[name] | {"infra_failure": True}
    path.write_text(json.dumps({name: report}), "utf-8")
    assert Log(READER, root, errors="missing").scores()[name] is None
    assert Log(READER, root).scores()[name] == 0.0


def test_lists_of_resolved_instances_complete_each_other(tmp_path: Path) -> None:
    listing(tmp_path, "20250101_a", resolved=["x__x-1", "x__x-2"], no_logs=["x__x-4"])
    listing(tmp_path, "20250101_b", resolved=["x__x-1", "x__x-3"], no_generation=["x__x-5"])
    log = Log(READER, tmp_path, errors="missing")
    ones = {"x__x-1": 1.0, "x__x-2": 1.0, "x__x-3": 0.0, "x__x-4": None, "x__x-5": 0.0}
    assert log.scores(model="20250101_a") == ones
    assert set(log.scores(model="20250101_b")) == set(ones)
    assert log.table.tasks == ("SWE-bench Verified",)
    for source in log.table.sources:
        assert source.declared_items == 500
        assert source.aggregates == {}
        assert "count as failed" in source.notes[0]
    assert "; 2 others" in log.of("20250101_a")[0].notes[0]


def test_lists_of_other_splits_are_other_tasks(tmp_path: Path) -> None:
    listing(tmp_path, "a", resolved=["x__x-1"])
    listing(tmp_path, "a", split="lite", resolved=["x__x-9"])
    log = Log(READER, tmp_path)
    assert log.scores(task="SWE-bench Lite") == {"x__x-9": 1.0}
    assert log.scores(task="SWE-bench Verified") == {"x__x-1": 1.0}


def test_logs_of_a_submission_name_its_instances(tmp_path: Path) -> None:
    submission = listing(tmp_path, "a", resolved=["x__x-1"]).parents[1]
    copy(ROOT / LOGS, submission / "logs")
    log = Log(READER, tmp_path)
    assert log.table.models == ("a",)
    assert len(log.scores()) == 18
    assert sum(s or 0 for s in log.scores().values()) == 1


def test_details_per_instance_with_cost(tmp_path: Path) -> None:
    known = {"x__x-1": {"resolved": True, "cost": 0.5}, "x__x-2": {"resolved": False, "cost": 1}}
    details(tmp_path, "m", known)
    listing(tmp_path, "n", resolved=["x__x-2"])
    log = Log(READER, tmp_path)
    assert [(r["item"], r["score"], r["cost"]) for r in rows(log.table, model="m")] == [
        ("x__x-1", 1.0, 0.5),
        ("x__x-2", 0.0, 1.0),
    ]
    assert log.scores(model="n") == {"x__x-1": 0.0, "x__x-2": 1.0}


def test_a_report_that_does_not_add_up(tmp_path: Path) -> None:
    path = tmp_path / REPORT
    path.write_bytes((ROOT / REPORT).read_bytes())
    edit(path, total_instances=500)
    source = Log(READER, path).source
    assert "names 22 instances, but counts 500" in source.notes
    assert source.mismatches == {"resolved": pytest.approx(4 / 22)}


def test_resolved_must_be_true_or_false(tmp_path: Path) -> None:
    path = details(tmp_path, "m", {"a-1": {"resolved": "false"}, "a-2": {"resolved": True}})
    with pytest.raises(ReadError, match=f"{path.name}: resolved of a-1 is false; expected"):
        Log(READER, tmp_path)
    assert Log(READER, tmp_path, skip_bad=1).scores() == {"a-2": 1.0}


def test_truncated(tmp_path: Path) -> None:
    whole = (ROOT / REPORT).read_bytes()
    (tmp_path / REPORT).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ReadError, match=REPORT):
        Log(READER, tmp_path)


def test_nothing_but_read_errors_from_strange_files(tmp_path: Path) -> None:
    (tmp_path / REPORT).write_bytes((ROOT / REPORT).read_bytes())
    assert attack(READER, tmp_path, tmp_path / REPORT) == []
    other = tmp_path / "other"
    for path in (
        listing(other, "a", resolved=["x-1"], applied=["x-1"]),
        details(other, "m", {"a-1": {"resolved": True, "cost": 0.5}}),
    ):
        assert attack(READER, other, path) == []
    logs = tmp_path / "logs"
    report = {"a-1": {"patch_exists": True, "resolved": True, "infra_failure": False}}
    path = logs / "run1" / "m" / "a-1" / "report.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(report), "utf-8")
    assert attack(READER, logs, path) == []


def test_sniff() -> None:
    def role(name: str, head: bytes) -> str | None:
        return READER.sniff(Place(name), head)

    assert role(REPORT, (ROOT / REPORT).read_bytes()) == "log"
    assert role("report.json", b'{"a-1": {"patch_exists": true, "resolved": true}}') == "log"
    assert role("report.json", b'{"summary": {"resolved": 3}}') is None
    assert role("results.json", b'{"results": {"acc,none": 1}}') is None
    assert role("results.json", b'{"no_logs": [], "resolved": []}') == "log"
    assert role(f"{LOGS}/django__django-1/run_instance.log", b"docker error") == "companion"
    assert role("patch.diff", b"") is None
    assert role("x.jsonl", b'{"total_instances": 1, "resolved_instances": 1}') is None
