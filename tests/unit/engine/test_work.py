"""Who does the work: the same results in the same order from threads, processes and Dask."""

import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from helpers import jobs, votes
from helpers.boards import board, scores, subjects
from nstar import audit
from nstar._engine.work import Execution, ThreadWorkers, check_executor, open_workers, tile_cache
from nstar._engine.work.retry import LOGGER
from nstar._engine.work.worker_pool import ExecutorWorkers
from nstar.errors import ClusterError, DataError, ParameterError


@contextmanager
def executors() -> Iterator[dict[str, Executor]]:
    """Executors of the standard library; new processes import tests' modules."""
    with ExitStack() as stack:
        environment = stack.enter_context(pytest.MonkeyPatch.context())
        environment.setenv("PYTHONPATH", os.pathsep.join(p for p in sys.path if p))
        fresh = multiprocessing.get_context("spawn")
        yield {
            "threads": stack.enter_context(ThreadPoolExecutor(2)),
            "processes": stack.enter_context(ProcessPoolExecutor(2, mp_context=fresh)),
        }


@pytest.fixture(scope="module")
def pools() -> Iterator[dict[str, Executor]]:
    """The same for all tests that leave them whole: processes take a second to load nstar."""
    with executors() as made:
        yield made


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_any_executor_gives_results_in_order(name: str, pools: dict[str, Executor]) -> None:
    with open_workers(pools[name]) as crew:
        assert crew.width == 2
        given = [(crew.share(k),) for k in range(40)]
        assert list(crew.ordered(jobs.square, given)) == [k * k for k in range(40)]
        told: list[int] = []
        total = crew.reduced(jobs.square, given, add, on_done=told.append)
        assert total == sum(k * k for k in range(40))
        assert told == list(range(40))


def test_an_executor_is_left_open(pools: dict[str, Executor]) -> None:
    with open_workers(pools["threads"]):
        pass
    assert pools["threads"].submit(jobs.square, 3).result() == 9


@pytest.mark.parametrize("graded", [False, True])
def test_an_audit_is_the_same_to_the_last_bit(
    graded: bool, pools: dict[str, Executor], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("pair_analysis", "run"):
        monkeypatch.setattr(f"nstar._verbs.audit.{module}.MOST_HELD", 4)
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.MOST_MODELS", 4)
    monkeypatch.setattr("nstar._verbs.audit.tiles.TILE", 7)
    x = scores(12, models=23, items=260, graded=graded, missing=0.1, spread=2.5)
    matrix = board(x, labels=subjects(12, 260, groups=12))
    designs: tuple[dict[str, Any], ...] = ({}, {"cluster": "s"})
    for declared in designs:
        here = audit(matrix, **declared)
        for pool in pools.values():
            there = audit(matrix, execution=Execution(executor=pool), **declared)
            assert repr(there.adjacent) == repr(here.adjacent)
            assert repr(there.ranking) == repr(here.ranking)
            assert there.verdict_counts == here.verdict_counts
            assert repr((there.gap_bins, there.rho, there.pairing_gain)) == repr(
                (here.gap_bins, here.rho, here.pairing_gain)
            )


def test_blas_has_one_thread_elsewhere(pools: dict[str, Executor]) -> None:
    with open_workers(pools["processes"]) as crew:
        (found,) = crew.ordered(jobs.threads_of_blas, [(0,)])
    assert set(found) <= {1}


def test_blas_is_given_back(pools: dict[str, Executor]) -> None:
    with threadpool_limits(2, "blas"):
        before = jobs.threads_of_blas(0)
        with open_workers(pools["threads"]) as crew:
            found = list(crew.ordered(jobs.threads_of_blas, [(k,) for k in range(20)]))
        assert {n for each in found for n in each} <= {1}
        assert jobs.threads_of_blas(0) == before


def test_workers_that_are_gone_are_one_line() -> None:
    with (
        executors() as own,
        open_workers(own["processes"]) as crew,
        pytest.raises(ClusterError, match="lost its") as told,
    ):
        list(crew.ordered(jobs.killed_always, [(1,)]))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("work", [jobs.storage_fails_once, jobs.storage_wrapped])
def test_storage_that_fails_once_is_tried_again(
    work: Any, tmp_path: Path, pools: dict[str, Executor], caplog: pytest.LogCaptureFixture
) -> None:
    given = [(k, str(tmp_path / "flag")) for k in range(5)]
    with open_workers(pools["threads"]) as crew, caplog.at_level("WARNING", LOGGER):
        assert list(crew.ordered(work, given)) == [0, 1, 4, 9, 16]
    assert caplog.messages == ["1 storage operation was retried after an error"]


def test_a_full_disk_is_told_at_once(pools: dict[str, Executor]) -> None:
    with open_workers(pools["threads"]) as crew, pytest.raises(OSError, match="no space"):
        list(crew.ordered(jobs.disk_is_full, [(1,)]))


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_errors_arrive_as_they_are(name: str, pools: dict[str, Executor]) -> None:
    with open_workers(pools[name]) as crew, pytest.raises(DataError, match="7 cannot mean"):
        list(crew.ordered(jobs.refuses, [(7,)]))


def test_jobs_may_return_sums_of_votes(pools: dict[str, Executor]) -> None:
    """Any job will do whose result can be added: wins, and Newton blocks of a rating."""
    cast = votes.made_up(6, 4000)
    with open_workers("local", 1) as crew:
        counted, rated = votes.wins(crew, cast, 6), votes.bradley_terry(crew, cast, 6)
    for pool in pools.values():
        with open_workers(pool) as crew:
            assert (votes.wins(crew, cast, 6) == counted).all()
            assert votes.bradley_terry(crew, cast, 6).tobytes() == rated.tobytes()
    assert counted.sum() == 4000

    def badness(x: Any) -> float:
        gap = np.subtract.outer(np.append(0, x), np.append(0, x))
        return float((counted * np.log1p(np.exp(-gap))).sum())

    found = minimize(badness, np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    assert rated[1:] == pytest.approx(found.x, abs=1e-5)


def test_few_jobs_wait(pools: dict[str, Executor]) -> None:
    taken: list[int] = []

    def given() -> Iterator[tuple[int]]:
        for k in range(100):
            taken.append(k)
            yield (k,)

    results = ExecutorWorkers(pools["threads"]).ordered(jobs.square, given())
    next(results)
    assert len(taken) <= 6


def test_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    )
    with (
        cluster,
        distributed.Client(cluster) as client,
        open_workers(client.get_executor()) as crew,
    ):
        assert crew.width == 2
        assert list(crew.ordered(jobs.square, [(k,) for k in range(9)])) == [
            k * k for k in range(9)
        ]


@pytest.mark.parametrize("wrong", ["dask", "ray:", "", 3, None])
def test_what_is_no_executor_is_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="executor must be local, ray"):
        check_executor(wrong)


def test_ray_that_is_not_installed_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._engine.work.execution.find_spec", lambda _: None)
    with pytest.raises(ParameterError, match=r"^executor needs Ray: pip install 'nstar\[ray\]'$"):
        check_executor("ray")


def test_threads_are_the_default() -> None:
    with open_workers() as crew:
        assert isinstance(crew, ThreadWorkers)
        assert crew.width >= 1


def test_a_budget_is_a_quarter_of_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    for machine, container, budget in (
        (1 << 40, None, 1 << 30),
        (4000, None, 1000),
        (4000, 400, 100),
        (None, None, 1 << 28),
    ):
        monkeypatch.setattr(tile_cache, "_of_machine", lambda found=machine: found)
        monkeypatch.setattr(tile_cache, "_in_container", lambda found=container: found)
        assert tile_cache.memory_budget() == budget
        assert tile_cache.memory_budget(7) == 7


def test_what_the_system_says_is_free() -> None:
    found = tile_cache._of_machine()
    assert found is None or 1 << 20 < found < 1 << 50
    assert tile_cache._in_container() is None or tile_cache.free_memory() <= (found or 1 << 50)


@pytest.mark.parametrize("memory", [-1, 1.5, "2GB"])
def test_a_memory_that_is_no_number_of_bytes_is_refused(memory: Any) -> None:
    with pytest.raises(ParameterError, match="whole number of bytes"):
        Execution(memory=memory)
