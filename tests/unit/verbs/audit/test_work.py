"""Audits that are stopped and go on: the same numbers, whoever stopped where."""

import os
import shutil
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from helpers.boards import board, scores, subjects
from nstar import Audit, ScoreMatrix, audit, pack
from nstar._engine.work import Execution
from nstar._verbs.audit import checkpoint, tiles
from nstar._verbs.audit.tally import PairTally, WinCounts
from nstar._verbs.audit.tile_grid import TileGrid
from nstar.cli import main
from nstar.errors import DataError, ParameterError
from nstar.report import render

MODELS = 31


@pytest.fixture(autouse=True)
def _small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "_SECONDS_BETWEEN_CHECKPOINTS", 1e-9)
    for module in ("pair_analysis", "run"):
        monkeypatch.setattr(f"nstar._verbs.audit.{module}.MOST_HELD", 4)
    for module in ("tiles", "pair_analysis"):
        monkeypatch.setattr(f"nstar._verbs.audit.{module}.TILE", 6)


@cache
def leaderboard(seed: int = 12) -> ScoreMatrix:
    x = scores(seed, models=MODELS, items=130, missing=0.1)
    return board(x, labels=subjects(seed, 130), task="t")


def text(found: Audit) -> str:
    return render(found, "json")


@cache
def whole() -> str:
    """What an audit that nobody stopped says."""
    return text(audit(leaderboard()))


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the work of an audit that came to its end."""
    return tmp_path_factory.mktemp("ended")


@pytest.fixture
def work(tmp_path: Path, ended: Path) -> Path:
    """A copy of that work, made when the first test asks for it, with tiles as small as here."""
    if not any(ended.iterdir()):
        audit(leaderboard(), execution=Execution(work=str(ended)))
    return Path(shutil.copytree(ended, tmp_path / "work"))


class StopError(Exception):
    pass


def stopped(
    matrix: ScoreMatrix, work: Path, share: float, *, workers: int = 0, **options: Any
) -> None:
    def stop(done: int, total: int) -> None:
        if done > share * total:
            raise StopError

    how = Execution(work=str(work), progress=stop, workers=workers)
    with pytest.raises(StopError):
        audit(matrix, execution=how, **options)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.55, 0.9])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_stopped_audit_goes_on(tmp_path: Path, share: float, workers: int) -> None:
    matrix, seen = leaderboard(), []
    stopped(matrix, tmp_path / "w", share, workers=workers)
    found = audit(
        matrix,
        execution=Execution(work=str(tmp_path / "w"), progress=lambda *call: seen.append(call)),
    )
    assert text(found) == whole()
    assert share < 0.2 or seen[0][0] > 0.5 * share * seen[0][1]
    assert seen[-1][0] == seen[-1][1]
    assert not [p for p in tmp_path.rglob("*") if p.name.startswith(".nstar")]


def test_what_is_done_is_not_done_again(work: Path) -> None:
    seen: list[tuple[int, int]] = []
    how = Execution(work=str(work), progress=lambda *call: seen.append(call))
    assert text(audit(leaderboard(), execution=how)) == whole()
    assert seen == []


def test_stopped_three_times(tmp_path: Path) -> None:
    matrix = leaderboard()
    for share in (0.2, 0.6, 0.8):
        stopped(matrix, tmp_path / "w", share, workers=2)
    assert text(audit(matrix, execution=Execution(work=str(tmp_path / "w")))) == whole()


def test_sums_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = TileGrid.reduced

    def frozen(*arguments: Any, **options: Any) -> Any:
        part: Any = plain(*arguments, **options)
        arrays = [part.counts] if hasattr(part, "counts") else [part.words, part.worst]
        arrays += [] if hasattr(part, "counts") else [*part.needs, *part.wins.stretches.values()]
        for x in arrays:
            x.flags.writeable = False
        return part

    wanted = whole()
    monkeypatch.setattr(TileGrid, "reduced", frozen)
    assert text(audit(leaderboard(), execution=Execution(work=str(tmp_path)))) == wanted


def test_tiles_of_another_size_begin_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = leaderboard()
    stopped(matrix, tmp_path / "w", 0.6)
    monkeypatch.setattr(tiles, "TILE", 8)
    assert text(audit(matrix, execution=Execution(work=str(tmp_path / "w")))) == text(
        audit(matrix)
    )


def test_another_audit_is_refused(work: Path) -> None:
    with pytest.raises(DataError, match=r"contains another audit \(differences: adjust"):
        audit(leaderboard(), execution=Execution(work=str(work)), adjust="bh")
    with pytest.raises(DataError, match="differences: models"):
        audit(leaderboard(13), execution=Execution(work=str(work)))


def test_a_directory_with_something_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(DataError, match="is not empty"):
        audit(leaderboard(), execution=Execution(work=str(tmp_path)))


@pytest.mark.parametrize("harm", [b"", b"PK", b"\x93NUMPY"])
def test_a_file_that_was_harmed(work: Path, harm: bytes) -> None:
    path = work / "counts.npz"
    path.write_bytes(harm or path.read_bytes()[:-30])
    with pytest.raises(DataError, match=r"Cannot read .*counts.npz: "):
        audit(leaderboard(), execution=Execution(work=str(work)))
    path.unlink()
    audit(leaderboard(), execution=Execution(work=str(work)))


@pytest.mark.parametrize("name", ["p-values", "counts"])
@pytest.mark.parametrize("gone", ["stamp", "done", "rest"])
def test_a_file_that_lacks_something(work: Path, name: str, gone: str) -> None:
    path = work / f"{name}.npz"
    with np.load(path) as found:
        arrays = {key: found[key] for key in found.files}
    names = {gone} if gone != "rest" else set(arrays) - {"stamp", "done"}
    np.savez(path, **{k: v for k, v in arrays.items() if k not in names})
    with pytest.raises(
        DataError,
        match=rf"{name}.npz: .*Delete .* that part again",
    ):
        audit(leaderboard(), execution=Execution(work=str(work)))


def test_counts_are_kept_in_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"^s3://bucket/x is an address, but this output needs"):
        audit(leaderboard(), execution=Execution(work="s3://KEY:SECRET@bucket/x"))
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_deleted(work: Path) -> None:
    (work / ".nstar-0123").write_bytes(b"half")
    audit(leaderboard(), execution=Execution(work=str(work)))
    assert not (work / ".nstar-0123").exists()


def test_pickles_are_not_loaded(work: Path) -> None:
    np.savez(work / "counts.npz", stamp=np.array([print], dtype=object))
    with pytest.raises(DataError, match="Cannot read"):
        audit(leaderboard(), execution=Execution(work=str(work)))


def test_several_tasks_are_kept_one_at_a_time(tmp_path: Path) -> None:
    tasks = [board(scores(k, models=5, items=50), task=str(k)) for k in (1, 2)]
    with pytest.raises(ParameterError, match="Counts are kept for one task only"):
        audit(tasks, execution=Execution(work=str(tmp_path)))


_RUN = """
import sys
from nstar import audit, open_pack
from nstar.types import Execution
from nstar._verbs.audit import checkpoint, pair_analysis, run, tiles
checkpoint._SECONDS_BETWEEN_CHECKPOINTS = 1e-9
pair_analysis.MOST_HELD = run.MOST_HELD = 4
pair_analysis.TILE = tiles.TILE = 6
def told(done, total):
    if done > 0.6 * total:
        print("far", flush=True)
        import time
        time.sleep(60)
audit(open_pack(sys.argv[1]), execution=Execution(work=sys.argv[2], progress=told))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_killed_audit_of_a_pack_goes_on(tmp_path: Path) -> None:
    pack(board(scores(5, models=MODELS, items=64)), tmp_path / "p")
    command = [sys.executable, "-c", _RUN, str(tmp_path / "p"), str(tmp_path / "w")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) as run:  # noqa: S603
        assert run.stdout is not None
        assert run.stdout.readline() == b"far\n"
        run.kill()
    assert (tmp_path / "w" / "p-values.npz").exists()
    began = time.monotonic()
    one, other = (
        CliRunner().invoke(main, ["audit", str(tmp_path / "p"), "--format", "json", *more])
        for more in (["--work", str(tmp_path / "w")], [])
    )
    assert time.monotonic() - began < 60
    assert one.exit_code == 0, one.output
    assert one.output == other.output


# --- counts by stretches ------------------------------------------------------------------


def test_wins_are_those_of_a_plain_count() -> None:
    found = audit(leaderboard(), execution=Execution(workers=2))
    survey = found.survey
    assert survey is not None
    wins, losses, reach = survey.tally.wins.whole(MODELS)
    one = tiles.every_pair(survey.panel)
    beats = np.zeros((MODELS, MODELS), dtype=bool)
    for a, b, d, p in zip(one.first, one.second, one.pairs.delta, one.p, strict=True):
        if p <= survey.counting.rulers[survey.counting.ranking].p:
            beats[(a, b) if d > 0 else (b, a)] = True
    assert wins.tolist() == beats.sum(axis=1).tolist()
    assert losses.tolist() == beats.sum(axis=0).tolist()
    last = [max(j for j in range(i, MODELS) if j == i or not beats[i, j]) for i in range(MODELS)]
    assert reach.tolist() == last


def test_a_tally_comes_back_from_its_arrays() -> None:
    found = audit(leaderboard())
    assert found.survey is not None
    tally = found.survey.tally
    back = PairTally.from_arrays(tally.arrays())
    for name, values in tally.arrays().items():
        assert np.array_equal(values, back.arrays()[name]), name
    assert back.bins(found.survey.counting.edges) == tally.bins(found.survey.counting.edges)
    assert back.correlation.spread() == tally.correlation.spread()


def test_no_tile_no_wins() -> None:
    wins, losses, reach = WinCounts.from_arrays(WinCounts().arrays()).whole(3)
    assert (wins.tolist(), losses.tolist(), reach.tolist()) == ([0, 0, 0], [0, 0, 0], [0, 1, 2])
