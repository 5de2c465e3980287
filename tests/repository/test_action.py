"""The steps of the composite action, run as GitHub would, in a real git repository."""

import json
import os
import runpy
import shutil
import subprocess
import sys
import urllib.error
import zipfile
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
import yaml

import nstar
from helpers import gates, nasty
from nstar.report.prose.gate.task import verdict_text

ROOT = Path(__file__).parents[2]
SOURCE = Path(nstar.__file__).parents[1]
RUNNER = (str(ROOT / "scripts" / "run_action.py"), "--json", "--workspace")
STATUS = {"pass": 0, "regression": 1, "inconclusive": 3, "invalid_data": 4}
LEVELS = {"pass": "notice", "inconclusive": "warning"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the action needs bash")

Run = Callable[..., dict[str, Any]]


def _sh(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with results of both models, one file for each answer."""
    folder = tmp_path / "project"
    folder.mkdir()
    for answer in gates.TABLES:
        (folder / f"{answer}.csv").write_text(gates.scores_csv(answer), "utf-8")
    (folder / "INVALID DATA.csv").write_text(
        "model,item,score\nnew,a,1\nnew,b,1\nold,c,1\nold,d,1\n", "utf-8"
    )
    if shutil.which("git") is None:
        return folder
    _sh(folder, "git", "init", "-q")
    _sh(folder, "git", "add", ".")
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    _sh(folder, "git", *who, "commit", "-q", "-m", "results")
    return folder


@pytest.fixture
def run(project: Path, tmp_path: Path) -> Run:
    """Run the action with the nstar of this checkout on the PATH."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    script = bin_ / "nstar"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m nstar "$@"\n', "utf-8")
    script.chmod(0o755)
    (bin_ / "python").symlink_to(sys.executable)
    path = os.pathsep.join((str(bin_), os.environ["PATH"]))
    places = os.pathsep.join(filter(None, (str(SOURCE), os.environ.get("PYTHONPATH"))))

    def told(answer: str, *more: str, **inputs: str) -> dict[str, Any]:
        given = {
            "baseline": f"{answer}.csv::old",
            "candidate": f"{answer}.csv::new",
            "margin": "2pp",
            "install": "none",
        } | {k.replace("_", "-"): v for k, v in inputs.items()}
        done = subprocess.run(  # noqa: S603
            [
                sys.executable,
                *RUNNER,
                str(project),
                *more,
                *(f"{k}={v}" for k, v in given.items()),
            ],
            env=os.environ | {"PATH": path, "PYTHONPATH": places, "TMPDIR": str(tmp_path)},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.stdout, done.stderr
        result = json.loads(done.stdout)
        assert result["status"] == done.returncode
        return dict(result)

    return told


@pytest.mark.sampled(3)
@pytest.mark.parametrize("answer", gates.ANSWERS)
def test_every_answer_reaches_everyone(run: Run, answer: str) -> None:
    told = run(answer, comment="true")
    assert told["status"] == STATUS[answer]
    assert told["outputs"]["verdict"] == answer
    assert told["summary"].startswith(f"### nstar gate: {verdict_text(answer)}\n")
    (note,) = told["annotations"]
    assert note["command"] == LEVELS.get(answer, "error")
    assert note["title"] == f"nstar gate: {verdict_text(answer)}"
    report = Path(told["outputs"]["report"])
    assert json.loads((report / "gate.json").read_text("utf-8"))["verdict"] == answer
    suite = nasty.check_junit((report / "junit.xml").read_text("utf-8"))
    assert suite.attrib["tests"] == "1"
    assert (report / "summary.md").read_text("utf-8") == told["summary"]
    nasty.check_comment((report / "comment.md").read_text("utf-8"))
    # a step that is left out says why
    steps = {s["name"]: s for s in told["steps"]}
    assert steps["Comment"]["status"] is None
    assert "this is false: ${{ inputs.comment == 'true'" in steps["Comment"]["output"]
    assert "--pull-request N" in steps["Comment"]["output"]
    assert "--pull-request" not in steps["Install nstar"]["output"]


def test_inconclusive_may_be_allowed(run: Run) -> None:
    assert run("inconclusive", allow_inconclusive="true")["status"] == 0


def test_more_arguments_go_one_a_line(run: Run) -> None:
    told = run("pass", margin="", args="--margin\n2pp\n\n--alpha\n0.01")
    report = Path(told["outputs"]["report"])
    assert json.loads((report / "gate.json").read_text("utf-8"))["criteria"]["alpha"] == 0.01


def test_clusters_and_what_they_may_lose(run: Run, project: Path) -> None:
    rows = ["model,item,repo,score"]
    rows += [f"{m},q{k},r{k % 20},{k % 3 % 2}" for m in ("new", "old") for k in range(400)]
    (project / "repos.csv").write_text("\n".join(rows) + "\n", "utf-8")
    whole = run("repos", margin="5pp", cluster="repo")
    assert whole["outputs"]["verdict"] == "inconclusive"
    assert "cannot show a margin below 14 pp" in whole["summary"]
    assert "cannot show a margin below 14 pp" in whole["annotations"][0]["message"]
    wide = run("repos", margin="15pp", cluster="repo", loss="cluster")
    assert wide["outputs"]["verdict"] == "pass"
    refused = run("repos", margin="15pp", loss="item")
    assert refused["status"] == 2


def test_wrong_usage_is_no_answer(run: Run) -> None:
    told = run("pass", margin="much")
    assert told["status"] == 2
    assert told["outputs"]["verdict"] == ""
    (note,) = told["annotations"]
    assert note["title"] == "nstar gate: no answer"
    assert note["message"].startswith("Invalid value for '--margin': 'much'")


def test_inputs_are_no_scripts(run: Run, project: Path) -> None:
    told = run("pass", candidate='x"; touch forged; $(touch forged) `touch forged` ', args="$(id)")
    assert told["status"] != 0
    assert not (project / "forged").exists()


STANDARD = ("venv", "pip", "ensurepip", "sitecustomize", "usercustomize", "json", "urllib", "http")
PLANTED = (*STANDARD, "nstar", "numpy", "click", "a_stub")


def _wheel(folder: Path) -> str:
    """A wheel without dependencies whose ``nstar`` says that it ran."""
    name = "a_stub-1.0-py3-none-any.whl"
    info = "a_stub-1.0.dist-info"
    with zipfile.ZipFile(folder / name, "w") as wheel:
        wheel.writestr("a_stub.py", "def main():\n    print('the stub ran')\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: a-stub\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/entry_points.txt", "[console_scripts]\nnstar = a_stub:main\n")
        wheel.writestr(f"{info}/RECORD", "")
    return f"./{name}"


def test_python_beside_the_logs_is_not_run(run: Run, project: Path) -> None:
    """Files that strangers put into the checkout under the names of modules."""
    forged = project / "forged"
    for k, name in enumerate(PLANTED):
        path = project / (f"{name}/__init__.py" if k % 2 else f"{name}.py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"import os\nos.mkdir({str(forged)!r})\n", "utf-8")
    told = run("pass", install=_wheel(project), comment="true")
    steps = {s["name"]: s for s in told["steps"]}
    assert steps["Install nstar"]["status"] == 0, steps["Install nstar"]["output"]
    assert "the stub ran" in steps["Gate"]["output"]
    assert not forged.exists()
    told = run("pass", "--pull-request", "7", comment="true")
    assert (told["status"], len(told["comments"])) == (0, 1)
    assert not forged.exists()


def test_python_runs_isolated() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    for step in action["runs"]["steps"]:
        for line in step["run"].splitlines():
            if "python" in line:
                assert "python -I " in line or 'python" -I ' in line, line


def test_one_comment_is_kept_up_to_date(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "comments.json"
    person = {"login": "someone", "type": "User"}
    forged = {"id": 1, "user": person, "body": "<!-- nstar-gate:gate -->\nmine"}
    others = [{"id": k, "user": person, "body": "x"} for k in range(2, 149)]
    deleted = {"id": 149, "user": None, "body": None}  # of someone who left GitHub
    file.write_text(json.dumps([forged, *others, deleted]), "utf-8")
    pull = ("--pull-request", "7", "--comments", str(file))
    first = run("regression", *pull, comment="true")["comments"]
    assert len(first) == 150
    assert "### nstar gate: REGRESSION" in first[-1]["body"]
    assert "For commit 0123456789abcdef" in first[-1]["body"]
    again = run("pass", *pull, comment="true")
    assert again["status"] == 0
    second = again["comments"]
    assert len(second) == 150
    assert second[-1]["body"].startswith("<!-- nstar-gate:gate -->\n\n### nstar gate: PASS\n")
    assert second[0]["body"] == forged["body"]
    third = run("pass", *pull, comment="true", comment_key="other")["comments"]
    assert len(third) == 151


@pytest.mark.parametrize("harness", ["lm-eval", "inspect", "promptfoo"])
def test_example_workflows_comment(run: Run, harness: str) -> None:
    """Their steps of nstar, with other logs; the harnesses write theirs in tests/harness."""
    path = ROOT / "examples" / "workflows" / f"{harness}.yml"
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow[True] == "pull_request"  # YAML reads "on" as true
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    steps = workflow["jobs"]["gate"]["steps"]
    (gate,) = [step for step in steps if step.get("uses", "").startswith("nstar-eval/nstar@")]
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert set(gate["with"]) <= set(action["inputs"])
    written = [step for step in steps if gate["with"]["candidate"] in step.get("run", "")]
    assert len(written) == 1
    logs = {"baseline": "regression.csv::old", "candidate": "regression.csv::new"}
    told = run("regression", "--pull-request", "7", **gate["with"] | logs)
    (comment,) = told["comments"]
    assert comment["body"].startswith("<!-- nstar-gate:gate -->\n\n### nstar gate: REGRESSION\n")
    assert told["summary"].startswith("### nstar gate: REGRESSION\n")
    assert (Path(told["outputs"]["report"]) / "badge.svg").is_file()


def test_a_token_that_may_not_write_fails_nothing(run: Run) -> None:
    told = run("pass", "--pull-request", "7", comment="true", github_token="wrong")  # noqa: S106
    assert told["status"] == 0
    assert told["comments"] == []
    assert "no comment: GitHub answered 403" in told["annotations"][-1]["message"]


@pytest.mark.parametrize("trouble", ["422", "502", "nowhere", "garbage"])
def test_a_comment_that_fails_is_a_warning(
    trouble: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def call(*_: object) -> Any:
        if trouble.isdigit():
            raise urllib.error.HTTPError("x", int(trouble), "bad", Message(), None)
        if trouble == "nowhere":
            raise urllib.error.URLError("no route\nto 100% of hosts")
        return ["no comment"]

    script = runpy.run_path(str(ROOT / "scripts" / "sticky_comment.py"))
    script["earlier"].__globals__["call"] = call
    monkeypatch.setenv("PULL_REQUEST", "7")
    body = tmp_path / "comment.md"
    body.write_text("<!-- nstar-gate:gate -->\n", "utf-8")
    assert script["main"](str(body)) == 0
    (said,) = capsys.readouterr().out.splitlines()
    assert said.startswith("::warning title=nstar gate::no comment: ")


def test_the_answer_is_given_whatever_failed_before() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert action["runs"]["steps"][-1]["if"] == "${{ always() }}"


def test_scripts_hold_no_expressions() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    for step in action["runs"]["steps"]:
        assert "uses" not in step
        assert "${{" not in step["run"]
