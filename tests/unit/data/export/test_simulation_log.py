"""The journal of a simulation: whole lines, one simulation per directory, on after a kill."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import nstar
from helpers.commands import Command
from nstar._data.export.simulation_log import SimulationLog, write_rates
from nstar._engine.work import Execution
from nstar._verbs.simulate import Simulation, embedding_study, simulate
from nstar._verbs.simulate.batch import BatchTally
from nstar.errors import DataError
from nstar.report import render

SRC = Path(nstar.__file__).parents[1]
ABOUT = {"scenario": "normal", "reps": 1000, "values": {"delta": (0.0, 0.1)}}
TALLY = BatchTally(reps=100, events=(5, 95), truth=0.1)


def log(path: Path, **about: Any) -> SimulationLog[BatchTally]:
    return SimulationLog(str(path), {**ABOUT, **about}, BatchTally)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(t) for t in (path / "batches.jsonl").read_text("utf-8").splitlines()]


def counted(found: Simulation) -> list[tuple[int, int, float]]:
    return [(r.n_reps, r.n_events, r.truth) for r in found.rates]


def test_keeps_and_finds(tmp_path: Path) -> None:
    with log(tmp_path / "a" / "b") as first:
        assert first.finished(3) is None
        first.keep(3, 2, TALLY)
        assert first.finished(3) == (2, TALLY)
        first.keep(4, 1, TALLY)
        first.keep(4, 2, TALLY + TALLY)
    with log(tmp_path / "a" / "b") as again:
        assert again.finished(3) == (2, TALLY)
        assert again.finished(4) == (2, TALLY + TALLY)
        assert again.finished(5) is None
        assert again.reps == 300


def test_truths_keep_every_digit(tmp_path: Path) -> None:
    odd = BatchTally(reps=3, events=(1,), truth=0.1 + 0.2)
    with log(tmp_path) as first:
        first.keep(0, 1, odd)
    with log(tmp_path) as again:
        assert again.finished(0) == (1, odd)


def test_a_line_when_a_cell_ends_and_at_most_two_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("nstar._data.export.simulation_log.time.monotonic", lambda: now[0])
    with log(tmp_path) as kept:
        for batches in range(1, 11):
            now[0] += 0.125
            kept.keep(0, batches, TALLY)
        assert [x["batches"] for x in lines(tmp_path)] == [4, 8]
        kept.keep(1, 1, TALLY)
        kept.keep(2, 1, TALLY)
        assert [x["cell"] for x in lines(tmp_path)] == [0, 0, 0, 1]
    assert [x["cell"] for x in lines(tmp_path)] == [0, 0, 0, 1, 2]


@pytest.mark.parametrize("cut", range(1, 40, 7))
def test_a_line_cut_short_is_ignored_and_taken_away(tmp_path: Path, cut: int) -> None:
    with log(tmp_path) as kept:
        kept.keep(0, 1, TALLY)
        kept.keep(1, 1, TALLY)
    path = tmp_path / "batches.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    with log(tmp_path) as again:
        assert again.finished(0) == (1, TALLY)
        assert again.finished(1) is None
        again.keep(1, 1, TALLY)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("line", ["", "x", "[]", "{}", '{"cell": 0, "batches": "?"}', "9" * 5000])
def test_another_broken_line_is_named(tmp_path: Path, line: str) -> None:
    with log(tmp_path) as kept:
        kept.keep(0, 1, TALLY)
    path = tmp_path / "batches.jsonl"
    path.write_text(path.read_text() + line + "\n")
    with (
        pytest.raises(DataError, match=r"batches\.jsonl:2: this line does not belong"),
        log(tmp_path),
    ):
        pass


def test_another_simulation_is_refused_with_what_differs(tmp_path: Path) -> None:
    with log(tmp_path):
        pass
    with pytest.raises(DataError, match=r"differences: reps: 1000 there, 2000 here"):
        log(tmp_path, reps=2000)
    with pytest.raises(DataError, match=r"values: .*; seed: null there, 1 here"):
        log(tmp_path, values={"delta": [0.0]}, seed=1)


def test_strangers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match=r"is not empty \(it contains notes.txt\)"):
        log(tmp_path)
    with pytest.raises(DataError, match="Cannot"):
        log(tmp_path / "notes.txt")
    for text in ("{", "[]", "\xff"):
        (tmp_path / "manifest.json").write_text(text, encoding="latin-1")
        with pytest.raises(DataError, match="not a valid manifest of a simulation"):
            log(tmp_path)


def test_nothing_is_written_through_links(tmp_path: Path) -> None:
    kept, mine = log(tmp_path / "out"), tmp_path / "mine"
    mine.write_text("precious")
    (tmp_path / "out" / "batches.jsonl").symlink_to(mine)
    with pytest.raises(DataError, match="is a link"), kept:
        pass
    assert mine.read_text() == "precious"


def test_a_full_disk_is_a_message(tmp_path: Path) -> None:
    with log(tmp_path):
        pass
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    kept = log(tmp_path)

    def begin() -> None:
        with kept:
            kept._file.close()
            kept._file = Path("/dev/full").open("ab", buffering=0)  # noqa: SIM115
            kept.keep(0, 1, TALLY)
            kept.keep(1, 1, TALLY)

    with pytest.raises(DataError, match="No space left"):
        begin()


def test_results_are_whole_files(tmp_path: Path) -> None:
    found = simulate("bernoulli", items=[20, 30], tests=["midp"], reps=50)
    write_rates(str(tmp_path), found.columns(), render(found, "json"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["rates.parquet", "simulation.json"]
    assert pq.read_table(tmp_path / "rates.parquet").to_pylist() == list(found.rows())
    assert len(json.loads((tmp_path / "simulation.json").read_text())["rates"]) == 2


# --- on from where it stopped -------------------------------------------------------------


class StopError(Exception):
    """Somebody pulls the plug."""


@pytest.mark.parametrize("how", [{"reps": 3000}, {"precision": 0.005}], ids=str)
@pytest.mark.parametrize("stop", [1, 4, 9])
def test_stopped_anywhere_the_end_is_the_same(
    tmp_path: Path, stop: int, how: dict[str, Any]
) -> None:
    call: dict[str, Any] = {
        "items": [400],
        "tests": ["t"],
        "values": {"delta": [0.0, 0.01]},
        **how,
    }
    left = [stop]

    def tired(*_: int) -> None:
        left[0] -= 1
        if not left[0]:
            raise StopError

    with pytest.raises(StopError), log(tmp_path) as kept:
        simulate("normal", **call, execution=Execution(workers=1, progress=tired), journal=kept)
    done = []
    with log(tmp_path) as kept:
        assert kept.reps > 0
        again = simulate(
            "normal",
            **call,
            execution=Execution(workers=1, progress=lambda k, _: done.append(k)),
            journal=kept,
        )
    whole = []
    assert counted(again) == counted(
        simulate(
            "normal", **call, execution=Execution(workers=1, progress=lambda k, _: whole.append(k))
        )
    )
    assert len(done) == len(whole) - stop


def test_a_study_has_one_log(tmp_path: Path) -> None:
    with log(tmp_path) as kept:
        first = embedding_study(reps=3, journal=kept)
    assert {x["cell"] for x in lines(tmp_path)} == set(range(150))
    with log(tmp_path) as kept:
        told: list[int] = []
        again = embedding_study(
            reps=3, journal=kept, execution=Execution(progress=lambda k, _: told.append(k))
        )
    assert told == []
    assert [counted(p) for p in again.simulations] == [counted(p) for p in first.simulations]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_killed_without_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "nstar", "simulate", "--scenario", "beta", "--seed", "3"]
    command += ["--items", "500", "--delta", "0,0.005,0.01", "--test", "t,wilcoxon"]
    command += ["--reps", "5000", "--workers", "1", "--format", "json"]
    env = {**os.environ, "PYTHONPATH": str(SRC), "OPENBLAS_NUM_THREADS": "1"}
    out = tmp_path / "killed"
    begun = subprocess.Popen(  # noqa: S603
        [*command, "--out", str(out)], env=env, stdout=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until and begun.poll() is None:
            if (out / "batches.jsonl").exists() and (out / "batches.jsonl").stat().st_size:
                break
            time.sleep(0.02)
    finally:
        begun.kill()
    assert begun.wait() == -signal.SIGKILL
    kept = lines(out)[-1]
    assert kept["cell"] < 2 or kept["reps"] < 5_000
    ends = [
        Command("simulate").run(*command[4:], *more).stdout for more in (["--out", str(out)], [])
    ]
    assert ends[0] == ends[1]
    assert (out / "simulation.json").read_text() == ends[0]
    assert pq.read_table(out / "rates.parquet").num_rows == 6
