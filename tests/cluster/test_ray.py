"""A real cluster of several nodes on this machine: the same results, whatever fails."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from operator import add
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")

from helpers import faults, jobs, votes
from nstar import audit
from nstar._engine.work import Execution, open_workers
from nstar._engine.work.cluster import join
from nstar.errors import ClusterError, DataError

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]


@pytest.fixture
def executor(ray_executor: str) -> str:
    return ray_executor


SQUARES = [k * k for k in range(30)]


def test_results_come_in_order_and_sums_are_whole(executor: str) -> None:
    with open_workers(executor) as crew:
        assert crew.width == 3
        shared, told = crew.share(2), list[int]()
        assert list(crew.ordered(pow, [(k, shared) for k in range(30)])) == SQUARES
        total = crew.reduced(pow, [(k, shared) for k in range(30)], add, on_done=told.append)
    assert total == sum(SQUARES)
    assert told == list(range(30))


def test_jobs_may_return_sums_of_votes(executor: str) -> None:
    cast = votes.made_up(6, 4000)
    found = []
    for who in ("local", executor):
        with open_workers(who) as crew:
            found.append((votes.wins(crew, cast, 6), votes.bradley_terry(crew, cast, 6)))
    (counted, rated), (there, rated_there) = found
    assert (counted == there).all()
    assert rated.tobytes() == rated_there.tobytes()


@pytest.mark.parametrize("count", [1, 2, 8, 9, 65])
def test_a_tree_holds_every_leaf_once(count: int, executor: str) -> None:
    with open_workers(executor) as crew:
        found = crew.reduced(jobs.leaf, [(k,) for k in range(count)], jobs.joined)
    assert sorted(found) == list(range(count))


def test_few_jobs_are_sent_ahead(executor: str) -> None:
    taken: list[int] = []

    def given() -> Iterator[tuple[int]]:
        for k in range(100):
            taken.append(k)
            yield (k,)

    with open_workers(executor) as crew:
        next(crew.ordered(jobs.square, given()))
        assert len(taken) <= 9


def test_a_worker_that_is_killed_is_replaced(executor: str, tmp_path: Path) -> None:
    given = [(k, str(tmp_path / "flag")) for k in range(30)]
    with faults.listening() as told, open_workers(executor) as crew:
        assert list(crew.ordered(jobs.killed_once, given)) == SQUARES
    assert told == ["1 job was begun again after a failure; results are the same"]


@pytest.mark.slow
def test_a_job_that_always_kills_is_given_up(executor: str) -> None:
    with (
        open_workers(executor) as crew,
        pytest.raises(ClusterError, match="given up after 6 tries"),
    ):
        list(crew.ordered(jobs.killed_always, [(1,)]))


def test_storage_that_fails_once(executor: str, tmp_path: Path) -> None:
    given = [(k, str(tmp_path / "flag")) for k in range(30)]
    with faults.listening() as told, open_workers(executor) as crew:
        assert crew.reduced(jobs.storage_wrapped, given, add) == sum(SQUARES)
    assert told == ["1 job was begun again after a failure; results are the same"]


def test_errors_arrive_as_they_are(executor: str) -> None:
    with open_workers(executor) as crew:
        for call in (
            lambda: list(crew.ordered(jobs.refuses, [(7,)])),
            lambda: crew.reduced(jobs.refuses, [(7,)], add),
        ):
            with pytest.raises(DataError, match="7 cannot mean") as caught:
                call()
            assert type(caught.value) is DataError


def test_blas_has_one_thread(executor: str) -> None:
    with open_workers(executor) as crew:
        assert all(set(n) <= {1} for n in crew.ordered(jobs.threads_of_blas, [(0,)] * 3))


def test_memory_that_no_node_has_is_told_and_the_job_runs(executor: str) -> None:
    with faults.listening() as told, open_workers(executor) as crew:
        assert list(crew.ordered(jobs.square, [(3,)], memory=1 << 50)) == [9]
    assert "no node has more than" in told[0]


def test_other_versions_are_refused(executor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._engine.work.node_check.__version__", "0.0.1")
    with pytest.raises(
        ClusterError, match=r"Node \S+ has nstar .* but this process has nstar 0.0.1"
    ):
        open_workers(executor).__enter__()


@pytest.fixture
def stranger(ray_nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """What adds a node whose nstar is another one, at the same address as all others."""
    (tmp_path / "sitecustomize.py").write_text(
        "import nstar._base.version\nnstar._base.version.__version__ = '0.0.1'\n", encoding="utf-8"
    )
    added: list[Any] = []

    def add_stranger() -> None:
        with monkeypatch.context() as patched:
            path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
            patched.setenv("PYTHONPATH", path)
            added.append(ray_nodes.add_node(num_cpus=1, object_store_memory=faults.STORE))
            ray_nodes.wait_for_nodes()

    yield add_stranger
    for node in added:
        ray_nodes.remove_node(node)


@pytest.mark.slow
def test_other_versions_are_refused_wherever_and_whenever_they_come(
    executor: str, stranger: Any
) -> None:
    refused = r"Node \S+ has nstar 0\.0\.1 and numpy \S+, but this process has nstar"
    with open_workers(executor) as crew:
        stranger()
        given = [(k, 0.2) for k in range(60)]
        with pytest.raises(ClusterError, match=refused):
            list(crew.ordered(jobs.slow_square, given))
    with pytest.raises(ClusterError, match=refused):
        open_workers(executor).__enter__()


def test_nobody_who_can_take_a_job(executor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with faults.listening() as told, open_workers(executor) as crew:
        monkeypatch.setattr("nstar._engine.work.ray._REFRESH_SECONDS", 0.1)
        monkeypatch.setattr("nstar._engine.work.cluster._IDLE", 0.3)
        monkeypatch.setattr("nstar._engine.work.cluster._can_run_job", lambda *_: False)
        with pytest.raises(
            ClusterError, match=r"No node had a free processor .*were saved in a folder"
        ):
            list(crew.ordered(jobs.slow_square, [(1, 2.0)], memory=1000))
        with pytest.raises(ClusterError, match="No node had a free processor"):
            crew.reduced(jobs.slow_square, [(1, 2.0)], add)
    assert told[0].startswith("waiting for processors: no node is free now")


@pytest.mark.slow
def test_a_head_that_is_lost_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    faults.disconnect()
    monkeypatch.setattr("nstar._engine.work.cluster._SILENT", 3.0)
    monkeypatch.setattr("nstar._engine.work.ray._REFRESH_SECONDS", 1.0)
    with faults.cluster(2) as found, open_workers(f"ray:{found.address}") as crew:
        results = crew.ordered(jobs.slow_square, [(0, 0.0), (1, 3600.0)])
        assert next(results) == 0
        os.kill(found.head_node.all_processes["gcs_server"][0].process.pid, signal.SIGKILL)
        with pytest.raises(ClusterError, match=r"head of the cluster.*no longer responds.*run"):
            next(results)


def test_an_address_where_nobody_is() -> None:
    start = time.monotonic()
    with pytest.raises(ClusterError, match=r"No Ray cluster responds at 127\.0\.0\.1:9"):
        join("127.0.0.1:9", 0)
    assert time.monotonic() - start < 10


@pytest.mark.sampled(2)
@pytest.mark.parametrize("declared", [{}, {"margin": 0.01}])
def test_an_audit_is_the_same_to_the_last_bit(declared: Any, executor: str) -> None:
    matrix = faults.leaderboard(1100, 300)
    here, there = (
        audit(matrix, **declared),
        audit(matrix, execution=Execution(executor=executor), **declared),
    )
    assert faults.plain(here) == faults.plain(there)


@pytest.mark.slow
def test_ctrl_c_stops_the_work_and_leaves_the_cluster(executor: str, ray_nodes: Any) -> None:
    script = (
        "from helpers import jobs; from nstar._engine.work import open_workers\n"
        f"with open_workers('ray:{ray_nodes.address}') as crew:\n"
        "    print('begun', flush=True)\n"
        "    list(crew.ordered(jobs.slow_square, [(k, 3600.0) for k in range(9)]))\n"
    )
    given = [sys.executable, "-c", script]
    with subprocess.Popen(given, stdout=subprocess.PIPE) as running:  # noqa: S603
        assert running.stdout is not None
        assert running.stdout.readline() == b"begun\n"
        end = time.monotonic() + 30
        while not any(map(faults.busy_workers, ray_nodes.list_all_nodes())):
            assert time.monotonic() < end
        running.send_signal(signal.SIGINT)
        assert running.wait(60) != 0
    end = time.monotonic() + 60
    while any(map(faults.busy_workers, ray_nodes.list_all_nodes())):
        assert time.monotonic() < end
        time.sleep(0.1)
    with open_workers(executor) as crew:
        assert list(crew.ordered(jobs.square, [(3,)])) == [9]


@pytest.mark.slow
def test_ray_of_our_own_listens_on_the_loopback_interface_alone() -> None:
    script = (
        "import os; from helpers.faults import listening_ports\n"
        "from nstar._engine.work import open_workers\n"
        "with open_workers('ray:local', 1) as crew:\n"
        "    assert list(crew.ordered(pow, [(2, 3)])) == [8]\n"
        "    print(*listening_ports(os.getpid()))\n"
    )
    env = os.environ | {"PYTHONWARNINGS": "ignore"}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=env
    )
    addresses = done.stdout.split()
    assert addresses
    assert set(addresses) == {"127.0.0.1"}
