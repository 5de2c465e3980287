"""What ``nstar gate`` leaves for CI servers, besides what it prints."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helpers import gates, nasty
from nstar.cli import main
from nstar.errors import DataError
from nstar.report.formats.github import SUMMARY_LIMIT

FILES = ["badge.svg", "comment.md", "gate.json", "junit.xml", "summary.md"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No GitHub around, and a folder with results."""
    for variable in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    for answer in gates.TABLES:
        Path(f"{answer}.csv").write_text(gates.scores_csv(answer), "utf-8")


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A step of GitHub Actions: the folder of its files."""
    folder = tmp_path / "step"
    folder.mkdir()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(folder / "output"))
    return folder


def run(answer: str, *more: str) -> Result:
    sides = ["--candidate", f"{answer}.csv::new", "--baseline", f"{answer}.csv::old"]
    return CliRunner().invoke(main, ["gate", *sides, "--margin", "2pp", *more])


def test_out_writes_every_report() -> None:
    done = run("regression", "--out", "ci/report", "--comment-key", "nightly")
    assert done.exit_code == 1
    assert done.stderr == ""
    folder = Path("ci/report")
    assert sorted(p.name for p in folder.iterdir()) == FILES
    assert json.loads((folder / "gate.json").read_text("utf-8"))["verdict"] == "regression"
    nasty.check_junit((folder / "junit.xml").read_text("utf-8"))
    assert (folder / "comment.md").read_text("utf-8").startswith("<!-- nstar-gate:nightly -->\n")


def test_out_may_be_written_again() -> None:
    run("regression", "--out", "report")
    assert run("pass", "--out", "report").exit_code == 0
    assert json.loads(Path("report/gate.json").read_text("utf-8"))["verdict"] == "pass"


def test_a_report_that_cannot_be_written_is_no_pass() -> None:
    Path("file").touch()
    done = run("pass", "--out", "file/report")
    assert done.exit_code == 4
    assert done.stdout.startswith("INVALID DATA: Cannot create the folder")
    assert "PASS:" not in done.stdout
    worse = run("regression", "--out", "file/report")
    assert worse.exit_code == 1
    assert "Cannot create the folder" in worse.stderr


@pytest.mark.parametrize("key", ["a b", "-->", "x\ny"])
def test_a_bad_key_is_wrong_usage(key: str) -> None:
    assert run("pass", "--comment-key", key).exit_code == 2


def test_junit_is_a_format_too() -> None:
    nasty.check_junit(run("inconclusive", "--format", "junit").stdout)


def test_a_step_gets_summary_output_and_one_annotation(job: Path) -> None:
    done = run("inconclusive", "--format", "json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["verdict"] == "inconclusive"
    nasty.check_annotation(done.stderr)
    assert done.stderr.startswith("::warning ")
    nasty.check_comment((job / "summary").read_text("utf-8"))
    assert (job / "output").read_text("utf-8") == "verdict=inconclusive\n"


def test_a_step_may_run_several_gates(job: Path) -> None:
    (job / "summary").write_text("# Before\n\n", "utf-8")
    run("pass")
    run("regression")
    text = (job / "summary").read_text("utf-8")
    assert text.startswith("# Before\n\n### nstar gate: PASS\n")
    assert "### nstar gate: REGRESSION\n" in text


@pytest.mark.parametrize("taken", [SUMMARY_LIMIT - 700, SUMMARY_LIMIT - 10, 2 * SUMMARY_LIMIT])
def test_a_summary_stays_below_the_limit_of_a_step(job: Path, taken: int) -> None:
    (job / "summary").write_text("x" * taken, "utf-8")
    assert run("pass").exit_code == 0
    assert (job / "summary").stat().st_size <= max(taken, SUMMARY_LIMIT)


def test_a_summary_that_cannot_be_written_is_only_said(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job / "absent" / "summary"))
    done = run("pass")
    assert done.exit_code == 0
    assert "cannot write $GITHUB_STEP_SUMMARY" in done.stderr
    assert (job / "output").read_text("utf-8") == "verdict=pass\n"


def test_invalid_data_reaches_github_as_well(job: Path) -> None:
    done = CliRunner().invoke(
        main,
        ["gate", "--candidate", "absent::x", "--baseline", "PASS.csv::old", "--margin", "1pp"],
    )
    assert done.exit_code == 4
    assert done.stderr.startswith("::error title=nstar gate%3A INVALID DATA::")
    assert (job / "output").read_text("utf-8") == "verdict=invalid_data\n"


def test_a_report_that_cannot_be_written_is_annotated(job: Path) -> None:
    Path("file").touch()
    done = run("pass", "--out", "file/report")
    assert done.exit_code == 4
    assert done.stderr.startswith(
        "::error title=nstar gate%3A INVALID DATA::Cannot create the folder"
    )
    assert (job / "output").read_text("utf-8") == "verdict=invalid_data\n"


def test_a_report_that_fails_late_is_no_pass(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        msg = "no space is left"
        raise DataError(msg)

    monkeypatch.setattr("nstar.cli.kit.output.write_whole", full)
    done = run("pass", "--out", "report")
    assert done.exit_code == 4
    assert done.stdout.startswith("INVALID DATA: no space is left")
    assert (job / "output").read_text("utf-8") == "verdict=invalid_data\n"
    assert run("regression", "--out", "report").exit_code == 1


def test_elsewhere_nothing_is_added() -> None:
    done = run("pass")
    assert done.stderr == ""
    assert "::" not in done.stdout


@pytest.mark.parametrize("said", ["x\n::error::forged", "x\n  ::stop-commands::y", "##[error]x"])
@pytest.mark.parametrize("command", ["compare", "audit --model z", "gate --candidate"])
def test_names_in_messages_are_no_commands(said: str, command: str, job: Path) -> None:
    rows = "".join(f'"{said}{k}",i,1\n' for k in range(3))
    Path("x.csv").write_text(f"model,item,score\n{rows}", "utf-8")
    more = ["x.csv", "--baseline", "x.csv", "--margin", "1pp"] if "gate" in command else ["x.csv"]
    done = CliRunner().invoke(main, [*command.split(), *more])
    assert done.exit_code > 1
    told = done.stderr.splitlines()
    ours = [line for line in told if line.startswith("::error title=nstar gate%3A INVALID DATA::")]
    assert len(ours) == (1 if "gate" in command else 0)
    for line in (*done.stdout.splitlines(), *(x for x in told if x not in ours)):
        nasty.check_text(line)


def test_files_speak_the_words_of_the_command(job: Path) -> None:
    run("inconclusive", "--out", "report")
    texts = [(Path("report") / name).read_text("utf-8") for name in FILES]
    for text in (*texts, (job / "summary").read_text("utf-8")):
        assert "sequential allows" not in text.replace("--sequential allows", "")
