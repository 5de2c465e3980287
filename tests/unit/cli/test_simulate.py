"""nstar simulate: how values are written, what is refused, what is kept and printed."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import nstar
from helpers.commands import obeys
from nstar._base.value_lists import Assignments, ProcedureNames, ValueList
from nstar.cli import main
from nstar.cli.kit.progress import BatchProgress

ROOT = Path(__file__).parents[3]
SRC = Path(nstar.__file__).parents[1]
QUICK = "simulate --scenario bernoulli --items 50,100 --delta 0,5pp --test midp,exact --reps 200"


def run(command: str, *more: str) -> Result:
    return CliRunner().invoke(main, [*command.split(), *more])


def environment(*paths: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (SRC, *paths)))}


# --- how values are written ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.5,0.8,0.95", (0.5, 0.8, 0.95)),
        ("0:0.1", tuple(round(k / 100, 2) for k in range(11))),
        ("0:0.1:0.02", (0.0, 0.02, 0.04, 0.06, 0.08, 0.1)),
        ("0:10pp:5pp", (0.0, 0.05, 0.1)),
        ("-2pp, −1pp", (-0.02, -0.01)),
        ("0,0.2:0.4:0.1", (0, 0.2, 0.3, 0.4)),
        ("0:0.25:0.1", (0.0, 0.1, 0.2)),
        ("3,3,4", (3, 4)),
        ("true,none,word", (True, None, "word")),
        ("0.5/48pp,1/x", ((0.5, 0.48), "1/x")),
    ],
)
def test_values(text: str, values: tuple[Any, ...]) -> None:
    assert ValueList().parse(text) == values


@pytest.mark.parametrize("text", ["0.1:0", "0:1:0", "0:1:-1", "0:1:2:3", ":", "a:b", "0:1:1e-9"])
def test_bad_ranges(text: str) -> None:
    with pytest.raises(ValueError, match="is not a range"):
        ValueList().parse(text)


@pytest.mark.parametrize("text", ["", "1,,2", "1,"])
def test_empty_places(text: str) -> None:
    for unit in (ValueList(), ProcedureNames("NAME,…")):
        with pytest.raises(ValueError, match="an empty value between commas"):
            unit.parse(text)


def test_assignments() -> None:
    assert Assignments().parse("p-b=0.1,0.2") == ("p_b", (0.1, 0.2))
    for bad in ("p_b", "=1", "p_b="):
        with pytest.raises(ValueError, match="NAME=VALUES"):
            Assignments().parse(bad)
    with pytest.raises(nstar.errors.ParameterError, match="values must be a mapping such as"):
        nstar.simulate("beta", items=50, tests="t", values=[0.1])  # type: ignore[arg-type]


def test_names_may_have_a_number() -> None:
    names = ProcedureNames("NAME,…").parse("t, equivalent:2pp,e-process:3,x:y")
    assert names == ("t", "equivalent:0.02", "e-process:3", "x:y")


# --- what is printed ----------------------------------------------------------------------


def test_the_command_is_the_verb() -> None:
    told = json.loads(run(QUICK, "--format", "json", "--seed", "5").stdout)
    same = nstar.simulate(
        "bernoulli",
        items=[50, 100],
        tests=["midp", "exact"],
        delta=[0.0, 0.05],
        reps=200,
        seed=5,
        execution=nstar.types.Execution(workers=1),
    )
    assert [r["n_events"] for r in told["rates"]] == [r.n_events for r in same.rates]
    assert told["varied"] == ["items", "delta"]


@pytest.mark.parametrize(
    "more",
    ["--workers 1", "--value p_b=0.6,0.8", "--interval tango", "--common", "--alpha 1% --rho 0.2"],
)
def test_json_obeys_its_schema(more: str) -> None:
    told = json.loads(run(f"{QUICK} --format json {more}").stdout)
    obeys(told, "simulation")


def test_precision_goes_on_until_it_is_reached() -> None:
    result = run(
        "simulate --scenario bernoulli --items 100 --delta 0,0.1 --test midp --precision 0.2% "
        "--format json"
    )
    rates = json.loads(result.stdout)["rates"]
    assert all(r["se"] <= 0.002 for r in rates)


def test_list_names_everything() -> None:
    told = run("simulate --list").stdout
    for registry in (nstar.types.SCENARIOS, nstar.types.TESTS, nstar.types.INTERVALS):
        for name in registry:
            needs_runs = name == "pilot-runs"  # only nstar plan --pilot LOG --resample has them
            assert (f"  {name}: {registry.about(name)}" in told) is not needs_runs
    assert "p_b = 0.7, delta = 0.0" in told


def test_figure_and_paragraph(tmp_path: Path) -> None:
    target = tmp_path / "rates.svg"
    result = run(QUICK, "--figure", str(target), "--paragraph")
    assert result.exit_code == 0, result.output
    assert "To paste" in result.stdout
    assert "Simulated rates, scenario bernoulli" in target.read_text("utf-8")


def test_a_study_compares_its_printed_rates(tmp_path: Path) -> None:
    result = run("simulate study --reps 20", "--out", str(tmp_path / "o"))
    assert result.exit_code == 0, result.output
    assert re.match(r"\d+ of 113 published rates agree", result.stdout)
    rates = pq.read_table(tmp_path / "o" / "rates.parquet")
    assert rates.num_rows == 300
    assert rates["printed"].null_count == 300 - 113
    told = json.loads((tmp_path / "o" / "simulation.json").read_text())
    obeys(told, "study")


EVERY_KIND = (
    ("bernoulli", "--test better,equivalent:5pp --interval tango,q --delta 0,5pp"),
    ("board", "--test max-t,none --interval rank-sets --value models=3"),
)


@pytest.mark.parametrize(("scenario", "asked"), EVERY_KIND)
def test_every_kind_of_rate_is_told(scenario: str, asked: str, tmp_path: Path) -> None:
    command = f"simulate --scenario {scenario} --items 100,200 --reps 60 {asked}"
    told = json.loads(run(f"{command} --format json").stdout)
    obeys(told, "simulation")
    picture = tmp_path / "rates.svg"
    text = run(command, "--full", "--figure", str(picture)).stdout
    svg = picture.read_text("utf-8")
    kinds = {r["kind"] for r in told["rates"]}
    if scenario == "board":
        assert kinds == {"family", "ranks"}
        assert "Boards with a false positive" in text
        assert "Boards whose rank ranges contain all true ranks" in text
        assert "family-wise error, nominal 5%" in svg
    else:
        assert kinds == {"test", "equivalence", "interval", "resolution"}
        assert "Findings of equivalence" in text
        assert "equivalent:0.05" in text
        assert "Intervals that contain the true q" in text


def test_a_board_says_who_wins_and_who_is_told_apart() -> None:
    command = "simulate --scenario board --models 3 --delta 4pp --items 200 --reps 40"
    text = run(command).stdout
    assert "The best model ranks first in" in text
    assert "Adjacent gaps significant in the correct direction" in text
    assert "1 and 2" in text
    assert "tied" not in text
    assert len(text.splitlines()) <= 40
    told = json.loads(run(f"{command} --format json").stdout)
    obeys(told, "simulation")
    (rate,) = told["rates"]
    assert (rate["procedure"], rate["kind"]) == ("audit", "family")
    assert rate["board"]["scores"] == [0.74, 0.7, 0.66]
    assert len(rate["board"]["each"]) == 2
    table = run(f"{command} --format csv").stdout.splitlines()
    assert "rank_width" in table[0]
    short = run(command.replace(" --scenario board", ""), "--value", "missing=0.1", "--brief")
    assert "adjacent gaps are significant" in " ".join(short.stdout.split())


def test_only_a_wrong_direction_is_an_error_without_equal_models() -> None:
    sentence = "No two models are equal, so only a wrong direction counts as an error."
    command = "simulate --models 3 --items 200 --reps 200"
    apart = " ".join(run(f"{command} --delta 4pp").stdout.split())
    assert sentence in apart
    assert "conservative." not in apart
    assert sentence not in " ".join(run(f"{command} --gaps 4pp,0").stdout.split())


def test_boards_are_for_boards() -> None:
    for asked, said in (
        ("--scenario bernoulli --models 3 --test midp", "has no parameter 'models'"),
        ("--models 30 --delta 5pp", "Use fewer models"),
        ("--models 1 --delta 5pp", "models"),
        ("--models 3 --value models=4", "set the same parameter"),
        ("--models 3 --value clusters=10 --test max-t", "Use audit or holm"),
        ("--models 3 --value clusters=x", "clusters of scenario board must be a number; got 'x'"),
        ("--value models=none", "models of scenario board must be a number; got None"),
        ("--value tied=1/2", "tied of scenario board must be a number; got (1.0, 2.0)"),
        ("--value rates=0.5,0.4", "of at least 2 models, such as (0.5, 0.48, 0.47)"),
        ("--value rates=x/y", "on the command line; got 'x/y'"),
    ):
        result = run(f"simulate --scenario board --items 100 --reps 5 {asked}")
        assert result.exit_code in (2, 3), result.exception
        assert said in result.output


def test_accuracies_of_a_board_one_by_one() -> None:
    given = (
        "simulate --scenario board --items 100 --reps 5 --value rates=0.6/0.5/0.4 --format json"
    )
    cell = json.loads(run(given).stdout)["rates"][0]
    assert cell["parameters"]["rates"] == [0.6, 0.5, 0.4]


def test_a_stopped_board_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    command = "simulate --models 3 --delta 4pp --items 4000 --reps 24 --test holm --format json"
    whole = run(command).stdout
    run(command, "--out", str(tmp_path / "o"))
    assert '"sums"' in (tmp_path / "o" / "batches.jsonl").read_text()
    assert run(command, "--out", str(tmp_path / "o")).stdout == whole


# --- pilots -------------------------------------------------------------------------------


def pilot(*paths: str) -> list[float]:
    given = [part for path in paths for part in ("--pilot", path)]
    result = run("simulate --items 40 --test t --reps 20 --format json", *given)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["scenario"] == "pilot"
    obeys(told, "simulation")
    return list(told["rates"][0]["parameters"]["d"])


def test_a_pilot_is_a_column_or_two_models(tmp_path: Path) -> None:
    column = tmp_path / "d.csv"
    column.write_text("gap\n0.1\n-0.2\n\n3e-1\n")
    assert pilot(str(column)) == [0.1, -0.2, 0.3]
    table = tmp_path / "both.csv"
    scores = (("a", 0, 1), ("a", 1, 0), ("a", 2, 1), ("b", 0, 0), ("b", 1, 0), ("b", 2, 1))
    rows = [f"{model},q{item},{score}" for model, item, score in scores]
    table.write_text("\n".join(["model,item,score", *rows]))
    assert sorted(pilot(str(table))) == [0, 0, 1]
    assert sorted(pilot(f"{table}::b", f"{table}::a")) == [-1, 0, 0]


def test_a_pilot_is_kept_and_moved(tmp_path: Path) -> None:
    column, out = tmp_path / "d.txt", tmp_path / "out"
    column.write_text("0.1\n-0.2\n0.3\n")
    command = "simulate --items 40 --delta 0,0.1 --test better --reps 50"
    first = run(command, "--pilot", str(column), "--out", str(out))
    assert first.exit_code == 0, first.output
    assert "d = 3 values of mean 0.0667" in first.stdout
    assert json.loads((out / "manifest.json").read_text())["values"]["d"] == [[0.1, -0.2, 0.3]]
    assert run(command, "--pilot", str(column), "--out", str(out)).stdout == first.stdout
    column.write_text("0.1\n-0.2\n0.4\n")
    assert (
        "contains another simulation (differences: va"
        in run(command, "--pilot", str(column), "--out", str(out)).stderr
    )


def test_pilots_that_are_refused(tmp_path: Path) -> None:
    rows = [f"{m},{t},q{k},1" for m in "ab" for t in ("x", "y") for k in range(3)]
    (tmp_path / "two.csv").write_text("\n".join(["model,task,item,score", *rows]))
    (tmp_path / "one.txt").write_text("0.5\n")
    many = [f"{m},q{k},1" for m in "abc" for k in range(3)]
    (tmp_path / "three.csv").write_text("\n".join(["model,item,score", *many]))
    for name, said in (
        ("three.csv", "three.csv::MODEL once for each of two models"),
        ("two.csv", "A pilot needs one task. These logs have 2: x, y"),
        ("one.txt", "at least 2 items"),
        ("none.csv", "no such file"),
    ):
        result = run("simulate --items 40 --test t", "--pilot", str(tmp_path / name))
        assert result.exit_code in (2, 3), result.output
        assert said in result.output
        assert "Traceback" not in result.output


# --- what is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("simulate --items 50", 2, "Set --scenario or --pilot."),
        ("simulate --scenario beta", 2, "Missing option '--items'"),
        ("simulate --scenario beta --items 50", 2, "Set --test or --interval."),
        (f"{QUICK} --precision 0.1%", 2, "Use either --reps or --precision, not both."),
        (f"{QUICK} --value delta=0.1", 2, "--delta and --value delta set the same"),
        (f"{QUICK} --value nothing=1", 2, "has no parameter 'nothing'"),
        (f"{QUICK} --figure-kind rates", 2, "--figure-kind also needs --figure"),
        ("simulate --scenario none --items 50 --test t", 2, "No scenario 'none'. Available:"),
        ("simulate --scenario beta --items 50 --test no", 2, "No test 'no'. Available:"),
        ("simulate --scenario beta --items 50 --interval no", 2, "No interval 'no'. Available:"),
        ("simulate --scenario beta --items 50 --test midp", 2, "midp needs 0/1 scores"),
        (
            "simulate --scenario bernoulli --items 50 --delta 0.5 --test midp",
            2,
            "p_a must be in (0, 1)",
        ),
        ("simulate --scenario pilot --items 50 --test t", 2, "needs --pilot"),
        (f"{QUICK} --pilot x", 2, "Use either --scenario or --pilot, not both."),
        (
            "simulate --pilot x --value d=1 --items 50 --test t",
            2,
            "--pilot and --value d set the same",
        ),
        (f"{QUICK} --interval rank-sets", 2, "rank-sets needs a board of models"),
        ("simulate --scenario beta --items 50 --test equivalent", 2, "equivalent:0.02"),
        ("simulate --scenario beta --items 50 --test t:1", 2, "has no parameter. Use t"),
    ],
)
def test_refusals(command: str, status: int, said: str) -> None:
    result = run(command)
    assert result.exit_code == status, result.output
    assert said in result.output
    assert "Traceback" not in result.output


# --- what is kept -------------------------------------------------------------------------


def test_out_is_written_and_found_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = run(QUICK, "--out", str(out))
    assert first.exit_code == 0, first.output
    names = ["batches.jsonl", "manifest.json", "rates.parquet", "simulation.json"]
    assert sorted(p.name for p in out.iterdir()) == names
    log = (out / "batches.jsonl").read_bytes()
    again = run(QUICK, "--out", str(out), "--workers", "3")
    assert again.stdout == first.stdout
    assert (out / "batches.jsonl").read_bytes() == log
    other = run(QUICK, "--out", str(out), "--seed", "1")
    assert other.exit_code == 3
    assert "differences: seed: 0 there, 1 here" in other.stderr


@pytest.mark.sampled(2)
@pytest.mark.skipif(os.name == "nt", reason="no such signals")
@pytest.mark.parametrize("kept", [True, False])
def test_ctrl_c_says_how_to_go_on(tmp_path: Path, kept: bool) -> None:
    command = [sys.executable, "-m", "nstar", "simulate", "--scenario", "normal", "--items", "500"]
    command += ["--test", "t", "--reps", "100000000", "--workers", "2"]
    command += ["--out", str(tmp_path / "o")] if kept else []
    begun = subprocess.Popen(  # noqa: S603
        command, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        log, until = tmp_path / "o" / "batches.jsonl", time.monotonic() + (60 if kept else 4)
        while time.monotonic() < until and not (log.exists() and log.stat().st_size):
            time.sleep(0.05)
        begun.send_signal(signal.SIGINT)
        out, err = begun.communicate(timeout=60)
    finally:
        begun.kill()
    assert begun.returncode == 130, err
    assert out == ""
    folder = f"finished parts are in {tmp_path / 'o'}. Run the same command to resume"
    assert f"stopped: {folder if kept else 'nothing was saved'}" in err


def test_progress_tells_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now, said = [0.0], list[str]()
    monkeypatch.setattr("nstar.cli.kit.progress.time.monotonic", lambda: now[0])
    monkeypatch.setattr(BatchProgress, "_write", lambda _, text: said.append(text))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    progress = BatchProgress()
    for second in range(1, 5):
        now[0] = float(second)
        progress(100 * second, 1000)
    assert said[-1] == "400 of 1,000 replications, about 6 s left"
    now[0] = 5.0
    progress(400, 100_000)
    now[0] = 6.0
    progress(500, 100_000)
    assert said[-1] == "500 of 100,000 replications, about 17 min left"
