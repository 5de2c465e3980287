"""Simulations by threads, processes, Dask and Ray: the same numbers, the same journal."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from nstar._engine.work import Execution, Where
from nstar._verbs.simulate import SCENARIOS, Simulation, simulate
from nstar._verbs.simulate.batch import BatchTally
from nstar._verbs.simulate.quota import CellBatch, PortionSizer
from nstar.cli import main
from nstar.errors import ParameterError

GIVEN: dict[str, Any] = {
    "items": [40, 900],
    "tests": ["t", "sign-flip"],
    "intervals": ["t"],
    "values": {"delta": [0.0, 0.02]},
    "reps": 600,
    "seed": 4,
}
PRECISE: dict[str, Any] = GIVEN | {"precision": 0.006, "tests": ["t"], "intervals": []}


class Notes:
    """A journal in memory."""

    def __init__(self) -> None:
        self.kept: list[tuple[int, int, BatchTally]] = []

    def finished(self, cell: int) -> tuple[int, BatchTally] | None:
        mine = [(b, t) for c, b, t in self.kept if c == cell]
        return mine[-1] if mine else None

    def keep(self, cell: int, batches: int, tally: BatchTally) -> None:
        self.kept.append((cell, batches, tally))


def rates(found: Simulation) -> list[tuple[int, int, float]]:
    return [(r.n_events, r.n_reps, r.truth) for r in found.rates]


RUNS: dict[str, dict[str, Any]] = {
    "reps": GIVEN,
    "precision": PRECISE,
    "common": GIVEN | {"common": True},
    "common-precision": PRECISE | {"common": True},
}


@cache
def by_one_worker(which: str) -> tuple[list[tuple[int, int, float]], Notes]:
    """Rates and journal of a run by one thread, which every executor is held against."""
    notes = Notes()
    found = simulate("normal", **RUNS[which], execution=Execution(workers=1), journal=notes)
    return rates(found), notes


@pytest.mark.parametrize("which", RUNS)
def test_the_same_by_any_executor(crew: Where, which: str) -> None:
    want, here = by_one_worker(which)
    there = Notes()
    how = Execution(executor=crew)
    assert rates(simulate("normal", **RUNS[which], execution=how, journal=there)) == want
    assert there.kept == here.kept
    assert len(there.kept) > 4  # a cell is more than one batch


def test_the_same_after_a_stop(crew: Where) -> None:
    want, full = by_one_worker("precision")
    for kept in (1, len(full.kept) // 2):
        again = Notes()
        again.kept = full.kept[:kept]
        assert (
            rates(simulate("normal", **PRECISE, execution=Execution(executor=crew), journal=again))
            == want
        )


def test_an_error_there_is_an_error_here(crew: Where) -> None:
    with pytest.raises(ParameterError, match="midp"):
        simulate("normal", items=[50], tests=["midp"], execution=Execution(executor=crew))


THIRD_PARTY = '''"""Scenarios of somebody else."""

import os
import signal

from nstar._verbs.simulate import Scores


def shifted(rng, reps, items, *, delta=0.0):
    """Normal differences."""
    return Scores(d=rng.standard_normal((reps, items)) + delta, truth=delta)


def deadly(rng, reps, items, *, flag=""):
    """The same; whoever finds the flag takes it and is killed."""
    try:
        os.remove(flag)
    except OSError:
        return Scores(d=rng.standard_normal((reps, items)), truth=0.0)
    os.kill(os.getpid(), signal.SIGKILL)
'''


@pytest.fixture
def third_party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with an entry point, on the path of this process and of those it starts."""
    (tmp_path / "elsewhere.py").write_text(THIRD_PARTY, encoding="utf-8")
    info = tmp_path / "elsewhere-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[nstar.scenarios]\nshifted = elsewhere:shifted\ndeadly = elsewhere:deadly\n"
    )
    path = os.pathsep.join([str(tmp_path), *(p for p in sys.path if p)])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.syspath_prepend(str(tmp_path))
    _forget()
    yield tmp_path
    sys.modules.pop("elsewhere", None)
    _forget()


def _forget() -> None:
    """Look for entry points again."""
    SCENARIOS._all = None


def test_scenarios_of_others_are_found_by_name_in_other_processes(third_party: Path) -> None:
    given: dict[str, Any] = {"items": [60], "tests": ["t"], "values": {"delta": [0.0, 0.5]}}
    want = rates(simulate("shifted", **given, execution=Execution(workers=1)))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert rates(simulate("shifted", **given, execution=Execution(executor=pool))) == want
    assert third_party.exists()


@pytest.mark.slow
@pytest.mark.cluster
@pytest.mark.filterwarnings("default")
def test_a_worker_that_is_killed_changes_nothing(third_party: Path, ray_nodes: Any) -> None:
    from helpers import faults  # noqa: PLC0415 needs Ray

    flag = third_party / "flag"
    given: dict[str, Any] = {"items": [900], "tests": ["t"], "reps": 20_000, "seed": 3}
    given |= {"values": {"flag": [str(flag)]}}
    here, there = Notes(), Notes()
    want = rates(simulate("deadly", **given, execution=Execution(workers=1), journal=here))
    faults.connect(ray_nodes, PYTHONPATH=os.environ["PYTHONPATH"])
    flag.touch()
    try:
        assert (
            rates(simulate("deadly", **given, execution=Execution(executor="ray"), journal=there))
            == want
        )
    finally:
        faults.disconnect()
    assert not flag.exists()
    assert there.kept == here.kept


@pytest.mark.parametrize(("least", "some"), [(0.0, 1), (1.0, 8), (0.05, 1), (1e9, 25)])
def test_portions_last_as_long_as_is_wanted(least: float, some: int) -> None:
    cut = PortionSizer(least, max_count=25)
    assert next(cut(iter([(CellBatch(0, 0, 1),)]))) == ((CellBatch(0, 0, 1),),)
    cut.took(4, 0.5)
    every = [(CellBatch(0, k, 1),) for k in range(60)]
    jobs = list(cut(iter(every)))
    assert len(jobs[0]) == some
    assert [b for job in jobs for b in job] == every


def test_batches_that_share_random_numbers_are_not_cut_apart() -> None:
    cut = PortionSizer(1.0, max_count=100)
    cut.took(8, 1.0)
    every = [tuple(CellBatch(cell, k, 1) for cell in range(5)) for k in range(5)]
    assert [len(job) for job in cut(iter(every))] == [2, 2, 1]


def test_batches_go_together_where_jobs_have_a_price() -> None:
    class Counting(ThreadPoolExecutor):
        jobs = 0

        def submit(self, *args: Any, **kwargs: Any) -> Any:
            self.jobs += 1
            return super().submit(*args, **kwargs)

    given: dict[str, Any] = {"items": [900], "tests": ["t"], "reps": 15_000, "seed": 1}
    notes = Notes()
    with Counting(1) as pool:
        found = simulate("normal", **given, execution=Execution(executor=pool), journal=notes)
        assert pool.jobs < len(notes.kept) / 2
    assert rates(found) == rates(simulate("normal", **given, execution=Execution(workers=2)))


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "--scenario", "normal", "--items", "50", "--test", "t", "--ray"],
    ],
)
def test_commands_without_ray_say_how_to_get_it(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    result = CliRunner().invoke(main, words)
    assert result.exit_code in (2, 3)
    assert result.stderr == "nstar: --ray needs Ray: pip install 'nstar[ray]'\n"


@pytest.mark.cluster
@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("ray_executor")
def test_a_command_on_a_cluster_prints_the_same() -> None:
    words = ["simulate", "--scenario", "normal", "--items", "50,500", "--test", "t,wilcoxon"]
    words += ["--delta", "0,0.02", "--reps", "2000", "--format", "json"]
    here = CliRunner().invoke(main, words)
    there = CliRunner().invoke(main, [*words, "--ray"])
    assert there.exit_code == here.exit_code == 0, there.output
    assert there.stdout == here.stdout
