"""``nstar demo``: a story whose every number is a result, and files that other programs read."""

import csv
import hashlib
import json
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from nstar._verbs.demo import DemoStory, board, files, story
from nstar.cli import main
from nstar.readers import read
from nstar.report.demo import scenes, walk

FILES = {
    "agents.csv",
    "board.csv",
    "inspect/baseline.eval",
    "inspect/candidate.eval",
    "lm-eval/heron/results_2026-01-15T09-45-00.750000.json",
    "lm-eval/heron/samples_demo_qa_2026-01-15T09-45-00.750000.jsonl",
    "lm-eval/wren/results_2026-01-15T09-30-00.250000.json",
    "lm-eval/wren/samples_demo_qa_2026-01-15T09-30-00.250000.jsonl",
    "report.html",
}


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "nstar-demo"
    run("demo", "--out", str(path))
    return path


@pytest.fixture(scope="module")
def told() -> DemoStory:
    """Computed once, for all that look at it or print it."""
    return story()


@pytest.fixture
def ready(told: DemoStory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command need not compute the story again."""
    monkeypatch.setattr("nstar._verbs.demo.story", lambda: told)


def names(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_the_story_holds(told: DemoStory) -> None:
    tie, real = told.tie.tasks[0], told.real.tasks[0]
    assert tie.verdict == "inconclusive"
    assert tie.gap == pytest.approx(0.008)
    assert tie.mde is not None
    assert tie.mde > 3 * tie.gap
    items, clusters = told.by_items.tasks[0], told.by_clusters.tasks[0]
    assert items.verdict == "better"
    assert clusters.verdict == "inconclusive"
    assert told.by_subjects.ranking.model == told.by_items.models[::-1]
    assert real.is_resolved
    assert real.gap < items.gap
    assert set(told.whole.adjacent.states) == {
        "significant",
        "significant, underpowered",
        "inconclusive",
    }


def test_it_is_told_on_two_screens_without_any_file(
    told: DemoStory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nstar.report.demo.WIDTH", 80)
    lines = [line.text for line in walk(told, "nstar-demo")]
    commands = [line for line in lines if "$ nstar" in line]
    assert len(lines) <= 75
    assert all(len(line) <= 80 for line in lines if line not in commands)
    assert "nstar demo --out nstar-demo" in "\n".join(lines)


def test_a_narrow_screen_holds_all_but_commands(told: DemoStory) -> None:
    lines = walk(told, "nstar-demo", written=True, width=60)
    assert all(len(line.text) <= 60 for line in lines if line.kind != "command")
    texts = [line.text for line in lines]
    assert texts[texts.index("With your own files") + 2].strip().startswith("Is model a better")


@pytest.mark.usefixtures("ready")
def test_no_color_keeps_bold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar.cli.demo._watched", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    shown = CliRunner().invoke(main, ["demo"], color=True).stdout
    assert "\x1b[1mThe whole leaderboard" in shown
    assert "\x1b[36m" not in shown
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b[36m" in CliRunner().invoke(main, ["demo"], color=True).stdout


def test_the_tour_quotes_what_the_commands_report(folder: Path, told: DemoStory) -> None:
    """The first sentence of every command is in the walk-through, word for word."""
    words = " ".join(line.text.strip() for line in walk(told, str(folder)))
    asked = [c for scene in scenes(told, str(folder)) for c, _ in scene.checks]
    assert len(asked) == 4
    for command in [*asked, f"nstar audit {shlex.quote(str(folder))}/board.csv"]:
        said = " ".join(run(*shlex.split(command)[1:]).split("\n\n")[0].split())
        first = said.partition("; if ")[0].rstrip(".")
        if "task=subject" in command:
            assert "the gap between the two models is inconclusive" in said
            continue
        assert first in words, command


def test_the_macro_average_is_that_of_the_command(folder: Path, told: DemoStory) -> None:
    command = f"audit {folder}/board.csv --column task=subject --model kestrel --model plover"
    data = json.loads(run(*command.split(), "--format", "json"))
    ours = told.by_subjects
    assert [m["model"] for m in data["ranking"]] == list(ours.ranking.model)
    assert data["adjacent"][0]["pvalue"] == pytest.approx(float(ours.adjacent.pvalue[0]))


def test_files_are_the_same_every_time(folder: Path) -> None:
    assert names(folder) == FILES
    for name, content in files():
        assert (folder / name).read_bytes() == content
    digest = hashlib.sha256((folder / "board.csv").read_bytes()).hexdigest()
    assert digest == "3bbced0dabafd6ecfb21db4e6af167ed9c7acd8002ec481345a17e2c3cec168f"


def test_the_page_is_that_of_an_audit_of_the_board(folder: Path, tmp_path: Path) -> None:
    run("audit", f"{folder}/board.csv", "--html", f"{tmp_path}/report.html")
    ours, theirs = folder / "report.html", tmp_path / "report.html"
    assert ours.read_text("utf-8") == theirs.read_text("utf-8")


def test_the_table_and_the_logs_hold_the_same_scores(folder: Path) -> None:
    with (folder / "board.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 7 * 1250
    for model in ("wren", "heron"):
        table = read(folder / "lm-eval" / model)
        scores = [int(r["score"]) for r in rows if r["model"] == model]
        assert table.data["score"].to_pylist() == scores == board().row(model).tolist()
        (source,) = table.sources
        assert source.harness == "lm-eval 0.4.13"
        assert not source.mismatches
        assert not source.notes


def test_lm_eval_files_have_the_keys_of_real_ones(folder: Path) -> None:
    real = Path(__file__).parents[2] / "fixtures" / "lm_eval" / "v0.4.13" / "acme__alpha-8b"
    theirs = json.loads(next(real.glob("results_*")).read_text("utf-8"))
    ours = json.loads(next((folder / "lm-eval" / "wren").glob("results_*")).read_text("utf-8"))
    assert set(ours) <= {*theirs, "groups"}
    assert set(theirs) - set(ours) <= {"groups"}
    row = json.loads(next(real.glob("samples_mini_gsm*")).read_text("utf-8").splitlines()[0])
    file = next((folder / "lm-eval" / "wren").glob("samples_*"))
    mine = json.loads(file.read_text("utf-8").splitlines()[0])
    assert list(mine) == list(row)
    text = json.dumps(mine["doc"], indent=2, ensure_ascii=False)
    assert mine["doc_hash"] == hashlib.sha256(text.encode()).hexdigest()


def test_inspect_logs_have_the_members_of_real_ones(folder: Path) -> None:
    real = Path(__file__).parents[2] / "fixtures" / "inspect" / "deflate.eval"
    with zipfile.ZipFile(real) as theirs, zipfile.ZipFile(folder / "inspect/baseline.eval") as our:
        for name in ("header.json", "_journal/start.json"):
            a, b = json.loads(our.read(name)), json.loads(theirs.read(name))
            assert set(b) <= set(a)
            assert {*b["eval"]} - {*a["eval"]} <= {"task_file"}
        row, like = (json.loads(z.read("summaries.json"))[0] for z in (our, theirs))
        assert set(like) <= set(row)


@pytest.mark.parametrize(
    "command",
    [
        "compare {}/lm-eval/wren {}/lm-eval/heron",
        "compare {}/inspect/candidate.eval {}/inspect/baseline.eval",
        "runs {}/agents.csv --a osprey --b gull",
        "read {}/lm-eval",
    ],
)
def test_other_commands_read_it_without_a_warning(folder: Path, command: str) -> None:
    data = json.loads(run(*command.format(folder, folder).split(), "--format", "json"))
    assert not data.get("findings"), data["findings"]


def test_a_filled_folder_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = CliRunner().invoke(main, ["demo", "--out", str(tmp_path)])
    assert result.exit_code == 3
    assert "is not empty. Choose a new or empty folder" in result.stderr
    assert names(tmp_path) == {"mine.txt"}
    file = CliRunner().invoke(main, ["demo", "--out", str(tmp_path / "mine.txt")])
    assert file.exit_code != 0
    assert "file" in file.stderr


@pytest.mark.usefixtures("ready")
def test_an_empty_folder_and_the_leavings_of_a_killed_run_are_filled(tmp_path: Path) -> None:
    (tmp_path / ".nstar-begun" / "inspect").mkdir(parents=True)
    (tmp_path / ".nstar-begun" / "board.csv").write_text("half")
    run("demo", "--out", str(tmp_path))
    assert names(tmp_path) == FILES


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("stopped", [KeyboardInterrupt, SystemExit])
def test_stopping_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: type[BaseException]
) -> None:
    rename = Path.rename
    moved: list[Path] = []

    def stop(self: Path, target: Path) -> Path:
        if len(moved) == 2:
            raise stopped
        moved.append(target)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", stop)
    result = CliRunner().invoke(main, ["demo", "--out", str(tmp_path / "new")])
    assert result.exit_code != 0 or stopped is SystemExit
    assert moved
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_ctrl_c_while_it_writes(tmp_path: Path) -> None:
    code = (
        "import nstar._verbs.demo as d, time\n"
        "def slow():\n    yield from [('board.csv', b'x')]\n"
        "    print('begun', flush=True)\n    time.sleep(30)\n"
        "d.files = slow\nfrom nstar.cli import main\nimport nstar.cli.demo as c\n"
        "c._write = lambda told, out: c.fill(c.Path(out), slow())\n"
        f"main(['demo', '--out', {str(tmp_path / 'new')!r}])\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)  # noqa: S603
    assert child.stdout is not None
    assert child.stdout.readline() == b"begun\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    assert child.wait(20) == 130
    child.stdout.close()
    assert not (tmp_path / "new").exists()
