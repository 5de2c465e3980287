"""``nstar gate``: four answers, four exit codes, and the settings that lead there."""

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import nstar
from helpers.commands import obeys
from helpers.comparisons import cells
from nstar._api.inputs.gate_verdict import locked, read_history, write_history
from nstar._verbs.gate import History, LogEValues, RecordedEvaluation
from nstar.cli import main
from nstar.errors import DataError
from nstar.report.prose.gate.task import verdict_text

TABLES = {
    "good": (1200, 60, 55, 685),
    "bad": (1200, 30, 90, 680),
    "open": (1200, 60, 70, 670),
}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of every test, written once."""
    folder = tmp_path_factory.mktemp("logs")
    for name, table in TABLES.items():
        a, b = cells(*table)
        write(folder / f"{name}.jsonl", "new", a)
        write(folder / f"{name}_base.jsonl", "old", b)
    return folder


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    shutil.copytree(logs, tmp_path, dirs_exist_ok=True)
    (tmp_path / ".git").mkdir()


def write(path: str | Path, model: str, scores: Any, task: str = "math", start: int = 0) -> None:
    with Path(path).open("a", encoding="utf-8") as file:
        for k, score in enumerate(scores):
            value = None if score is None else float(score)
            row = {"model": model, "task": task, "item": f"q{start + k}", "score": value}
            file.write(json.dumps(row) + "\n")


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["gate", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def two(name: str, *more: str, command: tuple[str, ...] = ()) -> Result:
    margin = () if "--margin" in more or "--superiority" in more else ("--margin", "1pp")
    logs = ("--baseline", f"{name}_base.jsonl", "--candidate", f"{name}.jsonl")
    return run(*command, *logs, *margin, *more)


def looks(name: str, *more: str) -> Result:
    return two(name, *more, command=("looks",))


def answer(result: Result, kind: str = "gate") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(result.stdout)
    obeys(data, kind)
    assert data["schema"] == f"nstar.{kind}/1"
    return data


@pytest.mark.parametrize(
    ("name", "word", "code"), [("good", "pass", 0), ("bad", "regression", 1), ("open", None, 3)]
)
def test_answers(name: str, word: str | None, code: int) -> None:
    result = two(name, "--format", "json")
    assert result.exit_code == code
    data = answer(result)
    assert data["verdict"] == (word or "inconclusive")
    assert two(name).stdout.startswith(verdict_text(data["verdict"]))
    assert (data["tasks"][0]["needed_to_decide"] is None) == (name != "open")


@pytest.mark.parametrize(
    ("threshold", "word", "code"), [("55%", "PASS", 0), ("70%", "REGRESSION", 1), ("63%", None, 3)]
)
def test_one_model_and_a_threshold(threshold: str, word: str | None, code: int) -> None:
    result = run("--candidate", "good.jsonl", "--threshold", threshold)
    assert result.exit_code == code
    assert result.stdout.startswith(f"{word or 'INCONCLUSIVE'}: new scores 63.0%, ")


def test_a_threshold_in_percent_of_another_scale_is_refused(tmp_path: Path) -> None:
    rows = [{"item": k, "model": "x", "score": 10.0 * k} for k in range(20)]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    result = run("--candidate", str(tmp_path / "x.jsonl"), "--threshold", "70%")
    assert result.exit_code == 2
    assert "--threshold is a percentage, but scores range from 0 to 190" in result.output


def test_invalid_data_is_an_answer() -> None:
    Path("junk.jsonl").write_text("{no json\n", encoding="utf-8")
    write("half.jsonl", "new", np.ones(900))
    for path in ("junk.jsonl", "absent.jsonl", "half.jsonl"):
        result = run(
            *("--baseline", "good_base.jsonl", "--candidate", path, "--margin", "1pp"),
            *("--format", "json"),
        )
        assert result.exit_code == 4
        data = answer(result)
        assert (data["verdict"], data["tasks"]) == ("invalid_data", [])
        assert data["invalid_reason"]


def test_a_task_that_vanished_is_invalid() -> None:
    write("good_base.jsonl", "old", np.ones(50), task="law")
    lost = two("good")
    assert lost.exit_code == 4
    assert "law" in lost.stdout
    assert two("good", "--task", "math").exit_code == 0
    assert two("good", "--allow", "task-left-out").exit_code == 0


def test_two_models_of_one_path_are_named() -> None:
    write("both.jsonl", "alpha", np.ones(500))
    write("both.jsonl", "beta", np.ones(500))
    for sides in (("both.jsonl", "both.jsonl"), ("new=both.jsonl", "old=both.jsonl")):
        result = run("--candidate", sides[0], "--baseline", sides[1], "--margin", "1pp")
        assert result.exit_code == 4
        assert "both.jsonl::MODEL" in " ".join(result.stdout.split())
        assert "--a" not in result.stdout
    named = ("--candidate", "both.jsonl::beta", "--baseline", "both.jsonl::alpha")
    data = answer(run(*named, "--margin", "1pp", "--format", "json"))
    assert (data["candidate"], data["baseline"], data["verdict"]) == ("beta", "alpha", "pass")


def _lm_eval(folder: str, model: str) -> None:
    """A log of lm-eval with a task of 0/1 scores and one whose metric is a list."""
    Path(folder).mkdir()
    when = "2026-01-01T00-00-00.000000"
    head = {"model_name": model, "lm_eval_version": "0.4.13", "results": {}, "configs": {}}
    Path(folder, f"results_{when}.json").write_text(json.dumps(head), encoding="utf-8")
    for task, metric, value in (("sums", "acc", 1.0), ("rolling", "word_perplexity", [-9.5, 4])):
        rows = [
            {
                "doc_id": k,
                "doc": {"q": k},
                "filter": "none",
                "metrics": [metric],
                "doc_hash": f"{task}{k}",
                "prompt_hash": f"p{task}{k}",
                "target_hash": "t",
                metric: value,
            }
            for k in range(400)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        Path(folder, f"samples_{task}_{when}.jsonl").write_text(text, encoding="utf-8")


def test_a_task_that_cannot_be_judged_is_reported() -> None:
    _lm_eval("old", "m/old")
    _lm_eval("new", "m/new")
    logs = ("--baseline", "old", "--candidate", "new", "--margin", "1pp")
    silent = run(*logs)
    assert silent.exit_code == 4
    said = " ".join(silent.stdout.split())
    assert "1 task without scores that can be compared is excluded: rolling" in said
    assert "word_perplexity is a list" in said
    asked = run(*logs, "--task", "rolling")
    assert asked.exit_code == 4
    assert "Task 'rolling' has no scores that can be compared" in " ".join(asked.stdout.split())
    assert "word_perplexity is a list" in " ".join(asked.stdout.split())
    assert run(*logs, "--task", "sums").exit_code == 0
    allowed = run(*logs, "--allow", "task-left-out")
    assert allowed.exit_code == 0
    assert "rolling" in allowed.stdout


def test_a_metric_of_one_model_is_told() -> None:
    rows = [f"{m},q{k},{k % 2},acc" for m in ("new", "old") for k in range(400)]
    rows += [f"old,q{k},1,f1" for k in range(400)]
    Path("m.csv").write_text("\n".join(["model,item,score,metric", *rows]), encoding="utf-8")
    result = run("--candidate", "m.csv::new", "--baseline", "m.csv::old", "--margin", "1pp")
    assert result.exit_code == 0
    assert "metrics of only one model are excluded: (no task) [f1]" in " ".join(
        result.stdout.split()
    )


def test_a_log_without_scores() -> None:
    Path("empty.csv").write_text("model,item,score\n", encoding="utf-8")
    result = run("--baseline", "empty.csv", "--candidate", "good.jsonl", "--margin", "1pp")
    assert result.exit_code == 4
    assert "0 models" not in result.stdout


def test_guardrails() -> None:
    for name, gap in (("good", 60), ("good_base", 0)):
        scores = np.ones(800)
        scores[:gap] = 0
        write(f"{name}.jsonl", "new" if name == "good" else "old", scores, task="a:b")
    assert two("good").exit_code == 1
    assert two("good", "--guardrail", "a:b:12pp").exit_code == 0
    data = answer(two("good", "--guardrail", "a:b:12pp", "--format", "json"))
    assert [t["is_guardrail"] for t in data["tasks"]] == [False, True]
    assert data["adjust"] == "holm"
    assert two("good", "--guardrail", "law:1pp").exit_code == 4
    assert two("good", "--guardrail", "law").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--margin", "1pp"), "--candidate"),
        (("--candidate", "good.jsonl", "--margin", "1pp"), "--baseline"),
        (("--candidate", "good.jsonl", "--baseline", "good_base.jsonl"), "--margin"),
        (("good.jsonl", "good_base.jsonl", "--margin", "1pp"), "nstar gate --baseline OLD"),
        (("--dry-run", "--items", "100"), "No such option '--dry-run'"),
        (("--items", "100"), "Use it with nstar gate looks."),
        (("--at-least", "4/5"), "Use it with nstar gate runs."),
        (("plan", "--items", "100"), "--margin"),
        (
            ("plan", "--items", "9", "--margin", "1pp", "--psi", "9%", "--at-least", "4/5"),
            "runs of the baseline",
        ),
        (("plan", "--items", "100", "--margin", "1pp"), "--psi"),
        (("plan", "--margin", "1pp", "--items", "9", "--rho", "0.5"), "--baseline"),
        (
            ("plan", "--margin", "1pp", "--items", "9", "--baseline", "70%", "--psi", "9%"),
            "not both",
        ),
        (("plan", "--superiority", "--items", "100"), "Use it with nstar gate."),
        (("--threshold", "70%", "--candidate", "a", "--baseline", "b"), "--threshold (score"),
        (("--threshold", "70pp", "--candidate", "a"), "'70pp' is not a score. Use 70% or 0.7."),
        (("--candidate", "a"), "or --threshold (score to exceed)"),
        (("plan", "--items", "100", "--margin", "1pp", "--rho", "0.4,0.6"), "correlation"),
        (("aa", "--margin", "1pp"), "LOG"),
        (("aa", "good.jsonl"), "--margin"),
        (("plan", "--items", "100", "--margin", "1pp", "--guardrail", "a:1pp"), "--guardrail"),
        (
            ("plan", "--items", "100", "--margin", "1pp", "--cluster", "g"),
            "Use it with nstar gate.",
        ),
        (("plan", "--items", "9", "--margin", "1pp", "--psi", "9%", "--task", "a"), "--task"),
        (("plan", "--items", "100", "--margin", "1pp", "--out", "o"), "--out"),
        (("aa", "--margin", "1pp", "--items", "9", "good.jsonl"), "Use it with nstar gate looks."),
    ],
)
def test_wrong_usage_is_2(arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize(
    "more",
    [
        ("--alpha", "0.4"),
        ("--margin", "-1pp"),
        ("--margin", "1.5"),
        ("--fresh-items",),
        ("--strata", "g", "--cluster", "h"),
        ("--items", "2000"),
        ("--psi", "10%"),
        ("--rho", "0.5"),
        ("--superiority", "--margin", "1pp"),
    ],
)
def test_impossible_settings_are_2(more: tuple[str, ...]) -> None:
    result = two("good", *more)
    assert result.exit_code == 2
    assert result.stderr


def test_dry_run() -> None:
    options = ("plan", "--margin", "1pp", "--psi", "10%")
    far = run(*options, "--items", "200")
    assert far.exit_code == 3
    assert "PASS is unlikely" in far.stdout
    data = answer(run(*options, "--items", "200", "--format", "json"), "gatefeasibility")
    assert (data["can_pass"], data["identical_scores_pass"]) == (True, False)
    near = run(*options, "--items", "7000", "--format", "json")
    assert near.exit_code == 0
    assert answer(near, "gatefeasibility")["is_sufficient"]
    rho = run("plan", "--margin", "1pp", "--baseline", "70%", "--items", "2000")
    assert rho.exit_code == 3
    assert "rho = 0.5 (assumed)" in rho.stdout
    assert run(*options, "--items", "200", "--format", "junit").exit_code == 2


def test_dry_run_from_runs_of_the_baseline() -> None:
    rng = np.random.default_rng(3)
    rows = ["model,item,run,score"]
    for model, task in (("old", k) for k in range(40)):
        passed = rng.random(4) < rng.beta(0.6, 0.8)
        rows += [f"{model},t{task},{r},{int(passed[r])}" for r in range(4)]
    Path("pilot.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    both = [*rows, *(line.replace("old", "new", 1) for line in rows[1:])]
    Path("both.csv").write_text("\n".join(both) + "\n", encoding="utf-8")
    planned = run("plan", "--margin", "20pp", "--items", "80", "pilot.csv")
    assert planned.exit_code == 0, planned.output
    assert "80 tasks with 4 runs per model" in " ".join(planned.output.split())
    known = run("plan", "--margin", "20pp", "both.csv::new", "--format", "json")
    told = json.loads(known.stdout)
    assert (told["n_items"], told["noise"]["n_runs"], told["noise_source"]) == (40, 4, "pilot")
    for arguments, code, said in (
        (("both.csv",), 4, "old and new. Choose the baseline with both.csv::MODEL"),
        (("pilot.csv", "--psi", "10%"), 2, "Remove --psi"),
        (("pilot.csv", "--cluster", "g"), 2, "Use it with nstar gate."),
        (("pilot.csv", "--task", "a", "--task", "b"), 4, "Choose one"),
        (("absent.csv",), 4, "no such file"),
    ):
        refused = run("plan", "--margin", "5pp", *arguments)
        assert refused.exit_code == code, refused.output
        assert said in " ".join(refused.stderr.split())


def test_runs_of_one_model() -> None:
    rng = np.random.default_rng(1)
    rate = rng.random(200)
    paths = [f"run{k}.jsonl" for k in range(4)]
    for path in paths:
        write(path, "m", rng.random(200) < rate)
    result = run("aa", "--margin", "5pp", *paths, "--format", "json")
    assert result.exit_code == 0
    data = answer(result, "falsealarms")
    assert (data["ordered_pairs"]["n_pairs"], data["disjoint_pairs"]["n_pairs"]) == (12, 2)
    assert data["runs"] == paths
    assert run("aa", "--margin", "5pp", "good.jsonl", "good_base.jsonl").exit_code == 4
    alone = run("aa", "--margin", "5pp", "good.jsonl")
    assert alone.exit_code == 4
    assert "INVALID DATA" in alone.stderr
    assert "1 task, 200 items" in run("aa", "--margin", "5pp", *paths).stdout


def test_runs_in_one_table() -> None:
    rng = np.random.default_rng(2)
    with Path("runs.csv").open("w", encoding="utf-8") as file:
        file.write("model,item,run,score\n")
        for run_ in range(3):
            file.writelines(f"m,q{k},{run_},{rng.integers(0, 2)}\n" for k in range(100))
    data = answer(run("aa", "--margin", "5pp", "runs.csv", "--format", "json"), "falsealarms")
    assert data["ordered_pairs"]["n_pairs"] == 6
    assert data["n_items"] == 100
    with Path("runs.csv").open("a", encoding="utf-8") as file:
        file.writelines(f"other,q{k},0,1\n" for k in range(100))
    both = run("aa", "--margin", "5pp", "runs.csv")
    assert both.exit_code == 4
    assert "runs.csv::MODEL" in both.stderr
    one = run("aa", "--margin", "5pp", "runs.csv::m", "--format", "json")
    assert answer(one, "falsealarms") == data
    assert "no model" in run("aa", "--margin", "5pp", "runs.csv::x").stderr


def test_history_on_disk() -> None:
    names = ("--baseline", "old=open_base.jsonl", "--margin", "1pp", "--history", "nights")
    first = run("looks", *names, "--candidate", "new=open.jsonl", "--format", "json")
    data = answer(first)
    assert data["monitoring"] == "history"
    again = answer(run("looks", *names, "--candidate", "new=open.jsonl", "--format", "json"))
    assert again["pooled_evidence"]["n_evaluations"] == 1
    assert again["pooled_evidence"]["is_repeated"]
    path = Path("nights/gate.jsonl")
    assert len(path.read_text("utf-8").splitlines()) == 2
    assert run("looks", *names, "--fresh-items", "--candidate", "new=open.jsonl").exit_code == 4
    changed = run("looks", *names, "--candidate", "newer=open.jsonl")
    assert changed.exit_code == 4
    assert "a different question" in " ".join(changed.stdout.split())
    path.write_text(path.read_text("utf-8").replace("0.01", "0.02"), encoding="utf-8")
    assert "line 1" in run("looks", *names, "--candidate", "new=open.jsonl").stdout


def test_gates_at_once_lose_no_night(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reads the history, takes its time, and writes it with a night more."""
    folder = Path("nights").absolute()

    def one(k: int) -> None:
        with locked(folder):
            history = read_history(folder, fresh=False)
            time.sleep(0.02)
            e = LogEValues(0.0, 0.0, 0.0)
            night = RecordedEvaluation(log_e=(e,), scores=str(k), items=None)
            before = history.question or {"tasks": ["math"]}
            nights = (*history.nights, night)
            write_history(folder, History(question=before, nights=nights))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(one, range(6)))
    assert {n.scores for n in read_history(folder, fresh=False).nights} == set("012345")
    assert [p.name for p in folder.iterdir()] == ["gate.jsonl"]
    monkeypatch.setattr("nstar._api.inputs.gate_verdict._PATIENCE_SECONDS", 0.1)
    with locked(folder):
        result = looks("good", "--history", "nights")
    assert result.exit_code == 4
    assert "Another nstar gate process is using this history" in flat(result)


@pytest.mark.parametrize("name", TABLES)
def test_history_that_cannot_be_kept_is_no_answer(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it would have been: a night that is not recorded makes the next answer void."""

    def full(*_: object) -> None:
        msg = "no space is left"
        raise DataError(msg)

    monkeypatch.setattr("nstar._api.inputs.gate_verdict.write_history", full)
    result = looks(name, "--history", "nights", "--out", "report")
    assert result.exit_code == 4
    assert result.stdout.startswith("INVALID DATA: no space is left.")
    assert result.stderr == ""
    assert json.loads(Path("report/gate.json").read_text("utf-8"))["verdict"] == "invalid_data"


def test_a_folder_that_is_none_is_told_once() -> None:
    Path("nights").write_text("a file", encoding="utf-8")
    result = looks("good", "--history", "nights/below")
    assert result.exit_code == 4
    assert result.output.count(str(Path("nights/below"))) == 1


def test_sequential_forgives_items_not_reached() -> None:
    a, b = cells(300, 20, 300, 380)
    order = np.random.default_rng(3).permutation(1000)
    write("grow.jsonl", "new", a[order][:400])
    write("grow_base.jsonl", "old", b[order])
    assert two("grow").exit_code == 4
    result = looks("grow", "--items", "1000", "--format", "json")
    assert result.exit_code == 1
    assert answer(result)["monitoring"] == "sequential"


def test_rows_without_a_score_are_no_items_to_come() -> None:
    a, b = cells(600, 5, 5, 390)
    write("crash.jsonl", "new", [x if y else None for x, y in zip(a, b, strict=True)])
    write("crash_base.jsonl", "old", b)
    result = looks("crash", "--items", "1000", "--margin", "5pp")
    assert result.exit_code == 4
    assert "lacks" in result.stdout


def test_what_nobody_expected_is_no_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        msg = "boom\n::error::x"
        raise RuntimeError(msg)

    monkeypatch.setattr("nstar._api.inputs.gate_verdict.two_models", broken)
    result = two("good")
    assert result.exit_code == 4
    assert result.stderr == "nstar: unexpected RuntimeError: boom ::error::x\n"
    monkeypatch.setattr("nstar.cli.kit.config._section", broken)
    settings("[gate]\n")
    assert two("good").exit_code == 4


def settings(text: str, name: str = "nstar.toml") -> None:
    Path(name).write_text(text, encoding="utf-8")


def test_settings_in_files() -> None:
    body = 'margin = "1pp"\nbaseline = "good_base.jsonl"\ntask = ["math"]\nalpha = 0.05\n'
    settings(f"[gate]\n{body}")
    assert run("--candidate", "good.jsonl").exit_code == 0
    tight = run("--candidate", "good.jsonl", "--margin", "0.1pp", "--format", "json")
    assert answer(tight)["margin"] == pytest.approx(0.001)
    Path("below").mkdir()
    os.chdir("below")
    assert run("--candidate", "../good.jsonl").exit_code == 4  # baseline is looked for here
    os.chdir("..")
    Path("nstar.toml").unlink()
    settings(f"[tool.other]\nx = 1\n[tool.nstar.gate]\n{body}", "pyproject.toml")
    assert run("--candidate", "good.jsonl").exit_code == 0


def test_settings_are_not_searched_above_the_repository() -> None:
    settings('[gate]\nmargin = "50pp"\nout = "stolen"\n')
    Path("a/b").mkdir(parents=True)
    Path(".git").rmdir()
    logs = ("--baseline", "../../bad_base.jsonl", "--candidate", "../../bad.jsonl")
    os.chdir("a/b")
    outside = run(*logs)  # in no repository
    assert outside.exit_code == 2
    assert "Set --margin" in outside.stderr
    Path("../.git").mkdir()  # the root is below the file
    for said, more in (("Set --margin", ()), ("", ("--margin", "1pp"))):
        result = run(*logs, *more)
        assert "nstar.toml is not used, because it is above the root" in result.stderr
        assert said in result.stderr
    assert result.exit_code == 1
    assert not Path("stolen").exists()
    Path("../.git").rmdir()
    Path("../../.git").mkdir()  # the file is at the root
    used = run(*logs, "--format", "json")
    assert used.exit_code == 0
    assert answer(used)["settings_file"] == os.path.join("..", "..", "nstar.toml")  # noqa: PTH118


def test_settings_of_another_user_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "geteuid"):
        pytest.skip("files have no owners here")
    settings('[gate]\nmargin = "50pp"\n')
    Path("a").mkdir()
    os.chdir("a")
    logs = ("--baseline", "../good_base.jsonl", "--candidate", "../good.jsonl")
    assert run(*logs).exit_code == 0
    stat = Path.stat

    def owned(path: Path, **how: Any) -> os.stat_result:
        found = list(stat(path, **how))
        found[4] += path.name == "nstar.toml"
        return os.stat_result(found)

    monkeypatch.setattr(Path, "stat", owned)
    result = run(*logs)
    assert result.exit_code == 2
    assert "nstar.toml is not used, because it belongs to another user" in result.stderr


def test_no_settings_file_is_passed_over_silently() -> None:
    settings('[tool.nstar.gate]\nmargin = "5pp"\n', "pyproject.toml")
    settings('[gate]\nmargin = "50pp"\n')
    logs = ("--baseline", "good_base.jsonl", "--candidate", "good.jsonl")
    result = run(*logs)
    assert (
        "pyproject.toml is not used, because it is farther from this folder than nstar"
    ) in result.stderr
    settings("[tool.other]\nx = 1\n", "pyproject.toml")
    assert run(*logs).stderr == ""
    Path("nstar.toml").unlink()
    Path("nstar.toml").mkdir()
    result = run(*logs)
    assert result.exit_code == 2
    assert "Cannot read" in result.stderr
    assert "nstar.toml: Is a directory" in result.stderr


def test_every_report_names_the_settings_file() -> None:
    settings('[gate]\nmargin = "10pp"\nbaseline = "good_base.jsonl"\n')
    said = "Options were read from nstar.toml."
    candidate = ("--candidate", "good.jsonl")
    for more in ((), ("--brief",), ("--full",), ("--format", "markdown"), ("--format", "junit")):
        assert said in " ".join(run(*candidate, *more).stdout.split())
    assert run(*candidate, "--out", "reports").exit_code == 0
    for name in ("gate.json", "junit.xml", "summary.md", "comment.md"):
        assert "nstar.toml" in (Path("reports") / name).read_text("utf-8")
    wrong = answer(run("--candidate", "none.jsonl", "--format", "json"))
    assert (wrong["verdict"], wrong["settings_file"]) == ("invalid_data", "nstar.toml")
    dry = run("plan", "--items", "9000", "--psi", "10%")
    for path in ("run0.jsonl", "run1.jsonl"):
        write(path, "m", np.ones(80))
    aa = run("aa", "run0.jsonl", "run1.jsonl")
    for result in (dry, aa):
        assert said in " ".join(result.stdout.split()), result.stderr
    Path("nstar.toml").unlink()
    own = answer(
        run(*candidate, "--baseline", "good_base.jsonl", "--margin", "1pp", "--format", "json")
    )
    assert own["settings_file"] is None


def test_latex_is_one_table() -> None:
    logs = ("--baseline", "good_base.jsonl", "--candidate", "good.jsonl", "--margin", "10pp")
    latex = run(*logs, "--format", "latex").stdout
    assert latex.count("\\begin{tabular}") == 1
    assert "\\toprule" in latex
    assert "\\caption{PASS: " in latex
    assert "Assumptions" not in latex
    assert "Assumptions" in run(*logs, "--format", "latex", "--full").stdout
    wrong = run("--candidate", "none.jsonl", *logs[:2], "--margin", "10pp", "--format", "latex")
    assert (wrong.exit_code, "INVALID DATA" in wrong.stdout) == (4, True)


def test_settings_of_guardrails_and_dry_run() -> None:
    settings(
        '[gate]\nmargin = "1pp"\nbaseline = "good_base.jsonl"\ncandidate = "good.jsonl"\n'
        '[gate.guardrail]\nmath = "12pp"\n[gate.looks]\nhistory = "nights"\nmargin = "2pp"\n'
    )
    data = answer(run("--format", "json"))
    assert data["tasks"][0]["margin"] == pytest.approx(0.12)
    kept = answer(run("looks", "--format", "json"))
    assert (kept["monitoring"], kept["margin"], kept["settings_file"]) == (
        "history",
        0.02,
        "nstar.toml",
    )
    assert Path("nights/gate.jsonl").exists()
    assert run("plan", "--items", "9000", "--psi", "10%").exit_code == 0


def test_guarded_tasks_are_judged_too() -> None:
    for task in ("law", "safety", "art"):
        for name, model in (("good", "new"), ("good_base", "old")):
            write(f"{name}.jsonl", model, np.ones(800), task=task)
    body = '[gate]\nbaseline = "good_base.jsonl"\nmargin = "1pp"\ntask = ["math", "law"]\n'
    settings(f'{body}[gate.guardrail]\nsafety = "0.5pp"\n')
    data = answer(run("--candidate", "good.jsonl", "--format", "json"))
    assert {t["task"]: t["margin"] for t in data["tasks"]} == pytest.approx(
        {"math": 0.01, "law": 0.01, "safety": 0.005}
    )
    named = run("--candidate", "good.jsonl", "--task", "art", "--format", "json")
    assert [t["task"] for t in answer(named)["tasks"]] == ["art"]
    assert "safety" in named.stderr
    more = ("--task", "art", "--guardrail", "law:1pp", "--format", "json")
    both = answer(run("--candidate", "good.jsonl", *more))
    assert {t["task"] for t in both["tasks"]} == {"art", "law"}


def test_the_aim_of_the_command_line_wins() -> None:
    settings('[gate]\nmargin = "1pp"\n')
    logs = ("--baseline", "bad_base.jsonl", "--candidate", "bad.jsonl", "--format", "json")
    data = answer(run(*logs, "--superiority"))
    assert (data["goal"], data["margin"], data["verdict"]) == ("superiority", None, "regression")
    settings("[gate]\nsuperiority = true\n")
    data = answer(run(*logs, "--margin", "9pp"))
    assert (data["goal"], data["verdict"]) == ("non-inferiority", "pass")
    settings('[gate]\nsuperiority = true\nmargin = "1pp"\n')
    assert run(*logs).exit_code == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[gate]\nmargn = 1\n", "Did you mean margin"),
        ("[gate]\nalpha = 'x'\n", "(alpha in "),
        ("[gate]\nmissing = 'x'\n", "(missing in "),
        ("[gate]\nalpha = true\n", "must be a number"),
        ("[gate]\nhistory = 'h'\n", "It belongs to nstar gate looks. Move it below [gate.looks]"),
        ("[gate.look]\nitems = 9\n", "unknown setting 'look' in [gate]"),
        ("[gate]\nconfig = 'x'\n", "unknown setting 'config' in [gate]\n"),
        ("margin = 1\n", "below [gate]"),
        ("[gate\n", "not valid TOML"),
        (f"[gate]\nmargin = {'[' * 50_000}\n", "not valid TOML"),
        (f"[gate]\nmargin = {'9' * 5000}\n", "not valid TOML"),
        ("[gate]\nmargin = ['1pp']\n", "one value"),
        ("[gate]\ntask = 'math'\n", "a list"),
        ("[gate]\nmargin = 2026-01-01\n", "must be text"),
        ("[gat]\nmargin = '1pp'\n", "unknown table [gat]. Did you mean [gate]?"),
        ("[gate]\n[guardrail]\nsafety = '1pp'\n", "Did you mean [gate.guardrail]?"),
        ("[wach]\nx = 1\n", "unknown table [wach]. This command reads only [gate]."),
    ],
)
def test_wrong_settings_are_refused_by_name_and_file(text: str, said: str) -> None:
    settings(text)
    result = two("good")
    assert result.exit_code == 2
    assert said in result.stderr
    assert "nstar.toml" in result.stderr


def test_a_project_file_of_others() -> None:
    settings('tool = "x"\n', "pyproject.toml")
    assert two("good").exit_code == 0
    settings('[tool]\nnstar = "x"\n', "pyproject.toml")
    result = two("good")
    assert result.exit_code == 2
    assert "[tool.nstar] must contain one table per command" in result.stderr
    settings('[tool.nstar.gat]\nmargin = "1pp"\n[tool.other]\nx = 1\n', "pyproject.toml")
    result = two("good")
    assert result.exit_code == 2
    assert "unknown table [tool.nstar.gat]" in result.stderr
    assert "Did you mean [tool.nstar.gate]?" in result.stderr
    settings("[tool.nstar.gate]\nmargn = 1\n", "pyproject.toml")
    assert "unknown setting 'margn' in [tool.nstar.gate]" in two("good").stderr


def test_another_file_of_settings() -> None:
    settings("[gate]\nmargn = 1\n")
    settings('[gate]\nmargin = "1pp"\n', "strict.toml")
    logs = ("--baseline", "good_base.jsonl", "--candidate", "good.jsonl")
    assert run(*logs, "--config", "strict.toml").exit_code == 0


def test_formats_and_reports() -> None:
    assert two("bad", "--format", "junit").stdout.startswith("<?xml")
    assert two("bad", "--format", "markdown").stdout.startswith("**REGRESSION")
    result = two("bad", "--out", "reports")
    assert result.exit_code == 1
    there = sorted(p.name for p in Path("reports").iterdir())
    assert there == ["badge.svg", "comment.md", "gate.json", "junit.xml", "summary.md"]


def test_points_of_another_scale() -> None:
    write("scale.jsonl", "new", np.arange(50.0))
    write("scale_base.jsonl", "old", np.arange(50.0))
    result = two("scale")
    assert result.exit_code == 2
    assert "without pp" in result.stderr
    assert two("scale", "--margin", "5").exit_code == 0


@pytest.mark.parametrize("side", ["", "_base"])
@pytest.mark.parametrize("margin", ["1pp", "0.01"])
def test_a_corrupt_score_is_invalid_data(side: str, margin: str) -> None:
    scores = {"": np.ones(300), "_base": np.ones(300)}
    scores[side][17] = 7.0
    for end, values in scores.items():
        write(f"odd{end}.jsonl", "old" if end else "new", values)
    result = two("odd", "--margin", margin, "--format", "json")
    assert result.exit_code == 4
    who = "baseline (old)" if side else "candidate (new)"
    reason = answer(result)["invalid_reason"]
    assert f"1 of 300 scores of the {who} is outside 0–1" in reason
    assert "7 for item 'q17'" in reason


def test_one_side_on_another_scale_is_invalid_data() -> None:
    rng = np.random.default_rng(2)
    write("percent.jsonl", "new", 100 * rng.integers(0, 2, 300))
    write("percent_base.jsonl", "old", rng.integers(0, 2, 300))
    result = two("percent")
    assert result.exit_code == 4
    assert "of 300 scores of the candidate (new) are outside 0–1" in flat(result)


def flat(result: Result) -> str:
    return " ".join(result.stdout.split())


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "end", "status"),
    [
        ("good", ">/dev/full", 4),
        ("bad", ">&-", 4),
        ("open", "| true", 3),
        ("bad", "| head -c 5", 1),
    ],
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full disk")
def test_an_answer_that_cannot_be_printed_is_4(name: str, end: str, status: int) -> None:
    """A reader who has left early keeps the verdict's own status."""
    done = shell(name, end)
    assert int(done.stdout.split()[-1]) == status, done.stderr
    assert ("cannot write the result" in done.stderr) == (status == 4), done.stderr
    assert status == 4 or not done.stderr


def shell(name: str, end: str) -> "subprocess.CompletedProcess[str]":
    source = str(Path(nstar.__file__).parents[1])
    logs = f"--baseline {name}_base.jsonl --candidate {name}.jsonl --margin 1pp"
    line = f"{sys.executable} -m nstar gate {logs} {end}; echo ' '${{PIPESTATUS[0]}}"
    return subprocess.run(  # noqa: S603
        ["/bin/bash", "-c", line],
        env=os.environ | {"PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )


def test_one_margin_for_one_task() -> None:
    result = two("good", "--guardrail", "math:1pp", "--guardrail", "math:2pp")
    assert result.exit_code == 2
    assert "'math' has two margins" in result.stderr


@pytest.mark.parametrize("alpha", ["0", "0.3", "1"])
def test_one_range_of_levels(alpha: str) -> None:
    for more in ((), ("plan",)):
        dry = ("--items", "500", "--psi", "0.1", "--margin", "1pp", "--alpha", alpha)
        result = run(*more, *dry) if more else two("good", "--alpha", alpha)
        assert result.exit_code == 2
        assert "alpha must be in (0, 0.25) for a gate" in result.stderr


_STEP = """
set -u
rmdir .git && git init -q . && git add -A
"$PYTHON" -m nstar gate --baseline old="$1"_base.jsonl --candidate new="$1".jsonl --out out >log
case $? in
  0) echo release;; 1) echo block;; 3) echo wait;; 4) echo repair;; *) echo broken;;
esac
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [("good", "release"), ("half", "repair")],  # 1 and 3 come through a shell further above
)
@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_step_of_a_workflow(name: str, said: str) -> None:
    """A shell reads the exit status in a repository whose settings are committed."""
    write("half.jsonl", "new", np.ones(900))
    write("half_base.jsonl", "old", np.ones(2000))
    settings('[gate]\nmargin = "1pp"\n')
    source = str(Path(nstar.__file__).parents[1])
    env = os.environ | {"PYTHON": sys.executable, "PYTHONPATH": source}
    done = subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", _STEP, "step", name], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == said, done.stderr
    assert Path("out/gate.json").exists()


# --- clusters -----------------------------------------------------------------------------


def clustered(path: str, clusters: int = 20) -> None:
    """Two models that differ by noise, on items of so many repositories."""
    rng = np.random.default_rng(0)
    rows = ["model,item,repo,score"]
    for k in range(20 * clusters):
        for model, spread in (("old", 0.0), ("new", 0.02)):
            rows.append(f"{model},q{k},r{k // 20},{0.5 + spread * rng.standard_normal():.5f}")
    Path(path).write_text("\n".join(rows) + "\n", encoding="utf-8")


def test_clusters_that_may_fail_whole() -> None:
    clustered("repos.csv")
    asked = ("--baseline", "repos.csv::old", "--candidate", "repos.csv::new", "--margin", "5pp")
    whole = run(*asked, "--cluster", "repo")
    said = " ".join(whole.stdout.split())
    assert whole.exit_code == 3
    assert (
        "20 repos cannot show a margin below 14.00 pp for equal models"
        in said.partition("Cand")[0]
    )
    assert "With --loss item, only individual items may fail" in said
    single = run(*asked, "--cluster", "repo", "--loss", "item")
    assert single.exit_code == 0
    stated = "This assumes that no repo outside the sample fails entirely (--loss item)"
    assert stated in " ".join(single.stdout.split())
    data = answer(run(*asked, "--cluster", "repo", "--format", "json"))
    assert data["tasks"][0]["min_margin_to_pass"] == pytest.approx(1 - 0.05 ** (1 / 20))
    settings('[gate]\ncluster = "repo"\nloss = "item"\n')
    assert run(*asked).exit_code == 0
    assert run(*asked, "--loss", "cluster").exit_code == 3
    Path("nstar.toml").unlink()
    assert "also needs --cluster" in " ".join(run(*asked, "--loss", "item").stderr.split())


def test_a_dry_run_is_not_of_clusters() -> None:
    """Its items are independent, so that what it calls likely need not pass in clusters."""
    settings('[gate]\ncluster = "repo"\n')
    result = run("plan", "--items", "9000", "--psi", "10%", "--margin", "1pp")
    assert result.exit_code == 2
    assert "nstar plan margin" in " ".join(result.stderr.split())
