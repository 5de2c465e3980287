"""``nstar watch`` from the outside: growing logs, kill and resume, words, refusals."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from helpers.commands import Command
from helpers.nasty import NASTY, check_text
from nstar._api.inputs.model_source import ModelSource
from nstar._verbs.watch import Watch
from nstar.cli import main
from nstar.cli.watch.logs import PairedLogFeed, follow_stdin
from nstar.errors import QuestionError
from nstar.readers import ReaderOptions
from nstar.report.formats.live import LiveScreen, bar, trace
from nstar.types import ItemPair

COMMAND = Command("watch")
EXAMPLES = Path(__file__).parents[3] / "examples"
LOG = Path(__file__).parents[2] / "fixtures" / "inspect" / "log.json"
run, answer, text = COMMAND.run, COMMAND.answer, COMMAND.text


def rows(n: int, up: float, down: float, seed: int = 4) -> list[tuple[str, int, int]]:
    rng = np.random.default_rng(seed)
    names = rng.permutation(n)
    u = rng.random(n)
    a, b = u < up, (u >= up) & (u < up + down)
    both = rng.random(n) < 0.5
    return [
        (f"q{i}", int(x or (not y and z)), int(y or (not x and z)))
        for i, x, y, z in zip(names, a, b, both, strict=True)
    ]


def write(folder: Path, pairs: list[tuple[str, int, int]]) -> tuple[str, str]:
    for k, model in enumerate(("alpha", "beta")):
        lines = [
            json.dumps({"model": model, "item": p[0], "score": p[1 + k], "cost": 0.5})
            for p in pairs
        ]
        (folder / f"{model}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return str(folder / "alpha.jsonl"), str(folder / "beta.jsonl")


@pytest.fixture
def decided(tmp_path: Path) -> tuple[str, str]:
    return write(tmp_path, rows(300, 0.25, 0.05))


ALL = ("--items", "300")


def test_once(decided: tuple[str, str]) -> None:
    said = text(*decided, "--once", *ALL)
    assert said.startswith("Decided after ")
    assert "alpha beats beta" in said
    data = answer(*decided, "--once", *ALL)
    assert data["verdict"] == "better"
    assert data["question"]["items"] == data["n_items"] == 300
    assert data["confidence_sequence"]["low"] > 0


def test_follows_to_the_end_without_once(decided: tuple[str, str]) -> None:
    assert answer(*decided, "--every", "0.05", *ALL)["verdict"] == "better"


def test_worse_when_turned_round(decided: tuple[str, str]) -> None:
    data = answer(*reversed(decided), "--once", *ALL)
    assert data["verdict"] == "worse"
    assert data["question"]["models"] == ["beta", "alpha"]


def test_margin_and_equivalence(tmp_path: Path) -> None:
    paths = write(tmp_path, rows(600, 0.04, 0.04))
    data = answer(*paths, "--once", "--items", "600", "--margin", "6pp")
    assert data["verdict"] == "noninferior"
    data = answer(
        *paths, "--once", "--items", "600", "--margin", "6pp", "--equivalence", "--psi", "8%"
    )
    assert data["verdict"] == "equivalent"
    assert "are equivalent within ±6 pp" in data["headline"]


def test_futile_says_so(tmp_path: Path) -> None:
    paths = write(tmp_path, rows(300, 0.1, 0.1, seed=5))
    said = text(*paths, "--once", "--items", "500")
    assert "Futile: the chance of a decision by item 500 is" in said
    assert "An inconclusive result does not mean that the models are equal" in said


def test_keep_going(tmp_path: Path) -> None:
    paths = write(tmp_path, rows(80, 0.2, 0.1))
    data = answer(*paths, "--once", "--items", "1000")
    assert data["verdict"] == "open"
    assert data["more_items"] > 0
    assert data["headline"].startswith("Keep going: no decision after 80 of 1,000 items")
    assert f"needs about {data['more_items']}"[:13] in data["headline"]


def test_graded(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    lines = [
        json.dumps({"item": f"q{i}", "a": float(x), "b": float(x * 0.8)})
        for i, x in zip(rng.permutation(200), rng.random(200), strict=True)
    ]
    path = tmp_path / "both.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    args = (str(path), "--once", "--items", "200")
    data = answer(*args, "--scale", "graded")
    assert (data["verdict"], data["question"]["method"]) == ("better", "bets")
    data = answer(*args, "--scale", "graded", "--asymptotic")
    assert data["question"]["method"] == "asymptotic"
    assert not any("at most" in line for line in data["assumptions"])
    result = run(*args)
    assert result.exit_code == 3
    assert "must be 0 or 1" in result.stderr


def test_standard_input() -> None:
    lines = "".join(
        json.dumps({"item": i, "a": a, "b": b}) + "\n" for i, a, b in rows(200, 0.3, 0.05)
    )
    arguments = ["watch", "-", "--items", "200", "--once", "--format", "json"]
    result = CliRunner().invoke(main, arguments, input=lines)
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert (data["verdict"], data["question"]["models"]) == ("better", ["a", "b"])


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a child")
@pytest.mark.parametrize(("lead", "status"), [(0.3, 0), (0.0, 130)])
def test_a_watch_leaves_before_its_producer(tmp_path: Path, lead: float, status: int) -> None:
    """Decided or interrupted while the pipe is open: Python does not abort at exit."""
    state = tmp_path / "state.json"
    command = [sys.executable, "-m", "nstar", "watch", "-", "--items", "4000"]
    process = subprocess.Popen(  # noqa: S603
        [*command, "--state", str(state)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdin, process.stdout, process.stderr:
        for item, a, b in rows(200, 0.1 + lead, 0.1):
            line = json.dumps({"item": item, "a": a, "b": b})
            process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()
        if status:
            for _ in range(600):
                if state.exists():
                    break
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == status, process.stderr.read()
        assert (b"of 4,000 items" if status else b"Decided after") in process.stdout.read()


def test_closed_standard_input_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    """``sys.stdin`` is None if a shell closed it."""
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(QuestionError, match=r"Standard input is closed\. Pipe JSON Lines"):
        follow_stdin(ReaderOptions())


def test_sorted_items_are_reported(tmp_path: Path) -> None:
    pairs = sorted(rows(200, 0.1, 0.1), key=lambda p: int(p[0][1:]))
    assert "items are in name order" in text(*write(tmp_path, pairs), "--once", "--items", "200")
    lines = [
        json.dumps({"item": i, "a": a, "b": b, "subject": "law" if k < 100 else "art"})
        for k, (i, a, b) in enumerate(rows(200, 0.1, 0.1))
    ]
    path = tmp_path / "both.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    said = text(str(path), "--once", "--items", "200")
    assert (
        "Caution: items are sorted by group (2 groups in 2 blocks), so no guarantee holds" in said
    )


def test_money(decided: tuple[str, str]) -> None:
    data = answer(*decided, "--once", "--items", "1000")
    assert data["cost_saved"] == pytest.approx(0.5 * 700)
    data = answer(*decided, "--once", "--items", "1000", "--price", "2")
    assert data["cost_saved"] == pytest.approx(1400)


def state_of(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_state_goes_on_and_refuses_another_question(tmp_path: Path) -> None:
    pairs = rows(400, 0.12, 0.08, seed=6)
    state, whole = tmp_path / "state.json", tmp_path / "whole.json"
    common = ("--once", "--items", "2000")
    paths = write(tmp_path, pairs[:150])
    answer(*paths, *common, "--state", str(state))
    assert state_of(state)["evidence"]["n"] == 150
    write(tmp_path, pairs)
    answer(*paths, *common, "--state", str(state))
    answer(*paths, *common, "--state", str(whole))
    assert state_of(state) == state_of(whole)
    result = run(*paths, "--once", "--items", "3000", "--state", str(state))
    assert result.exit_code == 3
    assert "a different question: items was 2000 and is now 3000" in result.stderr
    state.write_text("[]", "utf-8")
    assert "not a state file of nstar watch" in run(*paths, *common, "--state", str(state)).stderr


def test_killed_and_resumed(tmp_path: Path) -> None:
    pairs = rows(400, 0.12, 0.09, seed=6)
    state, whole = tmp_path / "state.json", tmp_path / "whole.json"
    paths = write(tmp_path, pairs[:200])
    command = [sys.executable, "-m", "nstar", "watch", *paths, "--items", "4000", "--every", "0.1"]
    process = subprocess.Popen([*command, "--state", str(state)])  # noqa: S603
    try:
        for _ in range(200):
            if state.exists() and state_of(state)["evidence"]["n"] == 200:
                break
            time.sleep(0.1)
    finally:
        process.kill()
        process.wait()
    assert state_of(state)["evidence"]["n"] == 200
    write(tmp_path, pairs)
    answer(*paths, "--once", "--items", "4000", "--state", str(state))
    answer(*paths, "--once", "--items", "4000", "--state", str(whole))
    assert state_of(state) == state_of(whole)


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a child")
def test_interrupt_prints_the_last_answer(tmp_path: Path) -> None:
    paths = write(tmp_path, rows(100, 0.1, 0.08))
    state = tmp_path / "state.json"
    command = [sys.executable, "-m", "nstar", "watch", *paths, "--items", "4000"]
    process = subprocess.Popen(  # noqa: S603
        [*command, "--state", str(state)], stdout=subprocess.PIPE, text=True
    )
    for _ in range(200):
        if state.exists():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "after 100 of 4,000 items (gap" in " ".join(said.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere.jsonl", "nothing.jsonl", "--once"), "nowhere.jsonl"),
        (("-", "b.jsonl"), "Remove the other logs."),
        (("a.jsonl", "--a", "x"), "--a also needs --b."),
        (("a.jsonl", "b.jsonl", "--a", "x", "--b", "y"), "With two logs, use PATH::MODEL."),
        (("new=a.jsonl",), "Only one log given (new=a.jsonl); nstar watch needs two."),
        (("a.jsonl", "b.jsonl", "--equivalence"), "--equivalence also needs --margin."),
        (("a.jsonl", "b.jsonl", "--margin", "5"), "Use 5pp for percentage points or 0.05"),
        (("a.jsonl", "b", "c"), "takes two logs. For more models, use nstar watch race."),
        (("a.jsonl", "b.jsonl", "--planned", "9"), "Use it with nstar watch votes."),
        (("a.jsonl", "b.jsonl", "--models", "3"), "Use it with nstar watch race."),
        (("a.jsonl", "--column", "judge=x"), "use nstar compare judged when the run is complete."),
        ((str(EXAMPLES / "votes.csv"), "--items", "9"), "Use nstar watch votes"),
    ],
)
def test_refusals(arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code in (2, 3)
    assert words in result.stderr


def test_several_models_and_tasks_must_be_chosen(tmp_path: Path) -> None:
    records = [
        {"model": m, "task": t, "item": f"q{i * 7 % 40}", "score": (i + k) % 2}
        for t in ("one", "two")
        for k, m in enumerate(("alpha", "beta", "gamma"))
        for i in range(40)
    ]
    path = tmp_path / "all.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
    common = (str(path), "--items", "40", "--once")
    race = Command("watch race")
    assert "several tasks ('one', 'two')" in race.run(*common).stderr
    assert len(race.answer(*common, "--task", "one")["question"]["models"]) == 3
    three = run(*common, "--task", "one").stderr
    assert "Choose two with --a and --b, or use nstar watch race." in " ".join(three.split())
    pair = (*common, "--a", "alpha", "--b", "gamma")
    assert "several tasks ('one', 'two')" in run(*pair).stderr
    data = answer(*pair, "--task", "two")
    assert data["question"]["models"] == ["alpha", "gamma"]
    assert data["n_items"] == 40
    assert "Set --items N" in run(str(path), "--a", "alpha", "--b", "beta", "--task", "one").stderr


def test_bar_and_trace() -> None:
    watch = Watch(items=100, margin=0.15)
    for k in range(40):
        watch.update(k % 4 != 0, k % 5 != 0)
    line, scale = bar(watch, watch.decision)
    assert len(line) == len(scale) == 61
    assert line[30] in "┃●"
    assert "●" in line
    assert "╎" in line
    assert scale.count("0") >= 1
    assert len(trace(watch)) == 40


def test_names_from_logs_are_made_harmless(tmp_path: Path) -> None:
    lines = [
        json.dumps({"model": m, "item": f"q{i * 7 % 30}", "score": k})
        for k, m in enumerate(("\x1b[31mred\n::error::x", "b"))
        for i in range(30)
    ]
    path = tmp_path / "both.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    result = run(str(path), "--once", "--items", "30")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\n::error" not in result.stdout
    assert "trails b" in " ".join(result.stdout.split())


def test_several_runs_of_an_item_are_refused(tmp_path: Path) -> None:
    """The gap of first runs is not that of the means over runs, which compare gives."""
    paths = write(tmp_path, rows(60, 0.2, 0.1))
    with Path(paths[0]).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"model": "alpha", "item": "q1", "run": "2", "score": 1}) + "\n")
    race = tmp_path / "race.jsonl"
    lines = [{"model": m, "item": "q1", "run": r, "score": 1} for m in "abc" for r in "12"]
    race.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    for command, logs in ((COMMAND, paths), (Command("watch race"), [str(race)])):
        result = command.run(*logs, "--once", "--items", "60")
        assert result.exit_code == 3
        said = " ".join(result.stderr.split())
        assert "item 'q1' has several runs" in said
        assert "nstar compare" in said


def test_declared_epochs_are_refused(tmp_path: Path) -> None:
    """Before the second epoch begins: the harness declares how often an item is run."""
    log = json.loads(LOG.read_text("utf-8"))
    assert log["eval"]["config"]["epochs"] == 3
    log["samples"] = [sample for sample in log["samples"] if sample["epoch"] == 1]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log), "utf-8")
    result = run(str(path), str(path), "--once", "--items", "60")
    assert result.exit_code == 3
    assert "every item has 3 runs" in " ".join(result.stderr.split())


def test_what_is_not_counted_is_told(tmp_path: Path) -> None:
    paths = write(tmp_path, rows(60, 0.2, 0.1))
    with Path(paths[0]).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"model": "alpha", "item": "extra", "score": 1}) + "\n")
    said = run(*paths, "--once", "--items", "61").stderr
    assert "1 item of the first model is not counted, because the second model lacks it" in said


def test_a_baseline_that_grows_is_no_benchmark_of_its_size(tmp_path: Path) -> None:
    """Three items of B at the first look: their number is asked for, and B is followed."""
    pairs = rows(300, 0.25, 0.05)
    paths = write(tmp_path, pairs[:3])
    result = run(*paths, "--once")
    assert result.exit_code == 2
    assert "Set --items N" in result.stderr
    state = tmp_path / "state.json"
    command = [sys.executable, "-m", "nstar", "watch", *paths, "--items", "300", "--every", "0.1"]
    process = subprocess.Popen(  # noqa: S603
        [*command, "--state", str(state), "--format", "json"], stdout=subprocess.PIPE, text=True
    )
    for _ in range(600):  # the three must have been counted before there are more
        if state.exists() or process.poll() is not None:
            break
        time.sleep(0.05)
    assert process.poll() is None
    assert state_of(state)["evidence"]["n"] == 3
    write(tmp_path, pairs)
    said, _ = process.communicate(timeout=60)
    assert json.loads(said)["verdict"] == "better"


def test_an_unfinished_last_line_is_told_and_a_whole_one_read(tmp_path: Path) -> None:
    path = tmp_path / "both.jsonl"
    lines = [json.dumps({"item": f"q{k}", "a": 1, "b": 0}) for k in (3, 1, 2)]
    path.write_text("\n".join(lines), "utf-8")
    assert answer(str(path), "--once", "--items", "9")["n_items"] == 3
    path.write_text("\n".join(lines)[:-4], "utf-8")
    result = run(str(path), "--once", "--items", "9")
    assert "the last line is incomplete and is skipped" in result.stderr


def test_less_is_better_keeps_zero_and_one(tmp_path: Path) -> None:
    """A 0/1 metric of which less is better is watched as it is: the gap keeps its sign."""
    folder = tmp_path / "lm"
    for k, model in enumerate(("alpha", "beta")):
        place = folder / model
        place.mkdir(parents=True)
        stamp = "2026-01-01T00-00-00.000000"
        samples = [
            {
                "doc_id": i,
                "doc": {},
                "target": "A",
                "arguments": {},
                "resps": [["A"]],
                "filtered_resps": ["A"],
                "filter": "none",
                "metrics": ["err"],
                "err": float(i % 4 == 0 if k == 0 else i % 4 != 0),
            }
            for i in (j * 7 % 60 for j in range(60))
        ]
        text_ = "".join(json.dumps(s) + "\n" for s in samples)
        (place / f"samples_mini_{stamp}.jsonl").write_text(text_, "utf-8")
        results = {
            "results": {"mini": {"alias": "mini", "err,none": 0.5}},
            "configs": {
                "mini": {
                    "task": "mini",
                    "metric_list": [
                        {"metric": "err", "aggregation": "mean", "higher_is_better": False}
                    ],
                }
            },
            "higher_is_better": {"mini": {"err": False}},
            "n-samples": {"mini": {"original": 60, "effective": 60}},
            "config": {"model": "hf", "model_args": f"pretrained={model}"},
            "model_name": model,
        }
        (place / f"results_{stamp}.json").write_text(json.dumps(results), "utf-8")
    data = answer(str(folder / "alpha"), str(folder / "beta"), "--once")
    assert data["question"]["lower_is_better"] is True
    assert data["question"]["items"] == 60
    assert data["verdict"] == "better"
    assert data["gap"] == pytest.approx(-0.5)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", [*NASTY, "closing", "link"])
def test_names_cannot_draw_on_the_live_screen(kind: str) -> None:
    said = {"closing": "gpt[/x]", "link": "[link=file:///etc/passwd]click[/link]"}.get(
        kind, NASTY.get(kind, "")
    )
    watch = Watch(items=100, margin=0.1, a=said, b="plain")
    watch.extend(
        ItemPair(item=f"q{k}", a=k % 3 > 0, b=k % 4 > 0, group=None, cost=None) for k in range(30)
    )
    screen, shown = LiveScreen(f"nstar watch {said}"), StringIO()
    screen._console = Console(file=shown, force_terminal=True, no_color=True, width=120)
    screen._live.console = screen._console
    with screen:
        screen.show(watch)
        screen.wait(said)
    sent = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.getvalue())
    check_text(sent.replace("\r", "\n"))
    assert "\x1b]8" not in shown.getvalue()
    if kind in ("closing", "link"):
        assert said[:8] in sent


MUTATIONS: list[tuple[tuple[str, ...], Any]] = [
    (("standing", "word"), "better"),
    (("standing", "decided_in"), ["a", "b"]),
    (("question",), "x"),
    (("question", "items"), "90"),
    (("evidence", "n10"), 1e400),
    (("order", "groups"), {"x": "y"}),
    (("path", "stride"), 0),
    (("items",), 5),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("where", "value"), MUTATIONS)
def test_damaged_states_are_refused_in_a_line(
    tmp_path: Path, where: tuple[str, ...], value: Any
) -> None:
    paths, state = write(tmp_path, rows(60, 0.1, 0.1)), tmp_path / "state.json"
    common = (*paths, "--once", "--items", "90", "--state", str(state))
    answer(*common)
    damaged = state_of(state)
    part = damaged
    for name in where[:-1]:
        part = part[name]
    part[where[-1]] = value
    state.write_text(json.dumps(damaged), "utf-8")
    result = run(*common)
    assert result.exit_code == 3
    assert result.stderr.startswith(f"nstar: {state}: ")
    assert "saved" in result.stderr


@pytest.mark.parametrize("content", ["{", "", "[" * 100_000, "[1]", '{"schema": 1}'])
def test_what_is_no_state_is_refused_in_a_line(tmp_path: Path, content: str) -> None:
    paths, state = write(tmp_path, rows(60, 0.1, 0.1)), tmp_path / "state.json"
    state.write_text(content, "utf-8")
    result = run(*paths, "--once", "--items", "90", "--state", str(state))
    assert result.exit_code == 3
    assert result.stderr.startswith("nstar: ")
    assert f"{state}: " in result.stderr
    assert result.stderr.count("\n") == 1


def test_figure_beside_the_answer(tmp_path: Path) -> None:
    paths, target = write(tmp_path, rows(80, 0.4, 0.1)), tmp_path / "path.svg"
    arguments = [*paths, "--items", "100", "--once", "--figure", str(target)]
    said = answer(*arguments)
    assert said["verdict"] == "better"
    svg = target.read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert f"better after {said['decided_at']} items" in svg
    assert run(*arguments[:-1], str(tmp_path / "path.png")).exit_code == 2


def test_a_state_refuses_another_run(tmp_path: Path) -> None:
    """The same items with other scores, and a log that lacks items that were counted."""
    pairs, state = rows(300, 0.12, 0.1), tmp_path / "state.json"
    common = (*write(tmp_path, pairs[:150]), "--once", "--items", "2000", "--state", str(state))
    answer(*common)
    kept = state.read_bytes()
    write(tmp_path, [(item, 1 - a, b) for item, a, b in pairs])
    result = run(*common)
    assert result.exit_code == 3
    assert f"Item {pairs[0][0]!r} was counted with scores" in result.stderr
    assert "a different run? Use a new --state file" in " ".join(result.stderr.split())
    write(tmp_path, pairs[100:])
    result = run(*common)
    assert result.exit_code == 3
    assert "100 counted items are gone from the logs" in result.stderr
    assert state.read_bytes() == kept
    write(tmp_path, pairs)
    assert answer(*common)["n_items"] == 300


def test_standard_input_goes_on_with_new_items_only(tmp_path: Path) -> None:
    state, pairs = tmp_path / "state.json", rows(120, 0.12, 0.1)

    def fed(part: list[tuple[str, int, int]]) -> Any:
        lines = "".join(json.dumps({"item": i, "a": a, "b": b}) + "\n" for i, a, b in part)
        arguments = ["watch", "-", "--items", "900", "--state", str(state), "--format", "json"]
        return CliRunner().invoke(main, arguments, input=lines)

    assert json.loads(fed(pairs[:70]).stdout)["n_items"] == 70
    assert json.loads(fed(pairs[70:]).stdout)["n_items"] == 120
    changed = fed([(pairs[3][0], 1 - pairs[3][1], pairs[3][2])])
    assert changed.exit_code == 3
    assert "was counted with scores" in changed.stderr


def test_no_item_in_common_is_told(tmp_path: Path) -> None:
    first, _ = write(tmp_path, rows(40, 0.2, 0.1))
    other = tmp_path / "other"
    other.mkdir()
    _, second = write(other, [(f"x{k}", 1, 1) for k in range(30)])
    result = run(first, second, "--once", "--items", "40")
    assert result.exit_code == 3
    told = "the models share no item so far: 40 of alpha (q"
    assert told in result.stderr
    assert "30 of beta (x0, x1…)" in result.stderr
    command = [sys.executable, "-m", "nstar", "watch", first, second, "--items", "40"]
    process = subprocess.Popen([*command, "--every", "0.1"], stderr=subprocess.PIPE, text=True)  # noqa: S603
    try:
        assert process.stderr is not None
        assert f"nstar: waiting: {told}" in process.stderr.readline()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    "wrong",
    [
        ("--margin", "0"),
        ("--equivalence",),
        ("--scale", "binary", "--asymptotic"),
        ("--asymptotic", "--items", "20"),
        ("--items", "1"),
    ],
)
def test_what_cannot_be_asked_is_wrong_usage(wrong: tuple[str, ...]) -> None:
    """Before any log is read: these are not there."""
    result = run("a.jsonl", "b.jsonl", "--once", *wrong)
    assert result.exit_code == 2
    assert "nowhere" not in result.stderr


def test_contradicting_rows_are_told(tmp_path: Path) -> None:
    paths = write(tmp_path, pairs := rows(60, 0.2, 0.1))
    with Path(paths[0]).open("a", encoding="utf-8") as file:
        for item, a, _ in pairs[:2]:
            file.write(json.dumps({"model": "alpha", "item": item, "score": 1 - a}) + "\n")
        again = {"model": "alpha", "item": pairs[5][0], "score": pairs[5][1]}
        file.write(json.dumps(again) + "\n")
    told = "2 items occurred again with a different score; the first score counts"
    assert told in run(*paths, "--once", "--items", "60").stderr
    lines = "".join(json.dumps({"item": i, "a": a, "b": b}) + "\n" for i, a, b in pairs)
    item, a, b = pairs[0]
    lines += json.dumps({"item": item, "a": 1 - a, "b": b}) + "\n"
    result = CliRunner().invoke(main, ["watch", "-", "--items", "60"], input=lines)
    assert "1 item occurred again with a different score" in result.stderr


def test_scores_up_to_a_hundred_name_their_mend(tmp_path: Path) -> None:
    path, rng = tmp_path / "both.jsonl", np.random.default_rng(2)
    lines = [
        json.dumps({"item": f"q{i}", "a": 40 + 50 * x, "b": 35 + 50 * y})
        for i, x, y in zip(rng.permutation(200), rng.random(200), rng.random(200), strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    args = (str(path), "--once", "--items", "200")
    for scale in ((), ("--scale", "graded")):
        result = run(*args, *scale)
        assert result.exit_code == 3
        assert "--asymptotic" in result.stderr
    data = answer(*args, "--asymptotic")
    assert (data["question"]["scale"], data["question"]["method"]) == ("graded", "asymptotic")
    points = run(*args, "--asymptotic", "--margin", "2pp")
    assert points.exit_code == 3
    assert "without pp" in points.stderr


def test_one_state_has_one_watch(tmp_path: Path) -> None:
    paths, state = write(tmp_path, rows(60, 0.1, 0.1)), tmp_path / "state.json"
    common = (*paths, "--items", "4000", "--state", str(state))
    process = subprocess.Popen([sys.executable, "-m", "nstar", "watch", *common])  # noqa: S603
    try:
        for _ in range(300):
            if state.exists():
                break
            time.sleep(0.1)
        result = run(*common, "--once")
        assert result.exit_code == 3
        assert "Another nstar watch process is using this state file" in result.stderr
    finally:
        process.kill()
        process.wait()
    assert answer(*common, "--once")["n_items"] == 60
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "alpha.jsonl",
        "beta.jsonl",
        "state.json",
    ]


@pytest.mark.skipif(os.name == "nt", reason="no SIGTERM to a child")
def test_terminated_prints_the_last_answer(tmp_path: Path) -> None:
    paths, state = write(tmp_path, rows(100, 0.1, 0.08)), tmp_path / "state.json"
    command = [sys.executable, "-m", "nstar", "watch", *paths, "--items", "4000"]
    process = subprocess.Popen(  # noqa: S603
        [*command, "--state", str(state)], stdout=subprocess.PIPE, text=True
    )
    for _ in range(300):
        if state.exists():
            break
        time.sleep(0.1)
    process.terminate()
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "after 100 of 4,000 items (gap" in " ".join(said.split())


def test_reading_is_shown(tmp_path: Path) -> None:
    paths = write(tmp_path, rows(20_001, 0.1, 0.1))
    sides = ModelSource(data=paths[0]), ModelSource(data=paths[1])
    feed, told = PairedLogFeed(sides, ReaderOptions()), list[Any]()
    feed.progress = lambda *how: told.append(how)
    assert len(feed.poll()) == 20_001
    assert [path for path, _, _ in told] == [paths[1], paths[0]]
    assert all(0 < done <= (total or 0) for _, done, total in told)


def test_without_a_terminal_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 6.0, 6.0, 7.0, 70.0, 70.0, 71.0, 140.0, 140.0])
    fake = SimpleNamespace(monotonic=lambda: next(clock), strftime=lambda _: "12:00:00")
    monkeypatch.setattr("nstar.report.formats.live.time", fake)
    watch = Watch(items=100)
    for k in range(30):
        watch.update(k % 3 > 0, k % 4 > 0, item=k)
    screen, shown = LiveScreen("nstar watch a b", lines=True), StringIO()
    screen._console = Console(file=shown, width=40)
    for _ in range(4):
        screen.show(watch)
    screen.wait("x.eval\x1b[2J: not there")
    screen.wait("x.eval\x1b[2J: not there")
    first, second, third = shown.getvalue().splitlines()
    assert first == second
    assert first.startswith("nstar: 12:00:00 Keep going: no decision after 30 of 100 items.")
    assert third.startswith("nstar: 12:00:00 waiting: x.eval")
    assert "\x1b" not in shown.getvalue()


def test_a_run_that_was_broken_off_ends_the_watch(tmp_path: Path) -> None:
    log = json.loads(LOG.read_bytes())
    log["eval"]["config"]["epochs"] = 1
    log["samples"] = [sample for sample in log["samples"] if sample["epoch"] == 1]
    other = log | {"eval": log["eval"] | {"model": "mockllm/beta"}}
    for name, content in (("a", log | {"status": "cancelled"}), ("b", other)):
        content["samples"] = log["samples"][: 3 if name == "a" else None]
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    found = run(str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--items", "50")
    assert found.exit_code == 0
    assert "a.json: the run ended with status 'cancelled'" in found.stderr
