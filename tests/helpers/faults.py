"""Faults on a real cluster of several Ray nodes on this machine, and what became of the audit."""

import gc
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import ray
from ray.cluster_utils import Cluster

from nstar import ScoreMatrix, audit
from nstar._engine.work import Execution
from nstar._engine.work.ray import RayWorkers
from nstar._engine.work.retry import LOGGER

ROOT = Path(__file__).parents[2]
STORE = 160_000_000
"""Bytes of an object store."""


@contextmanager
def cluster(nodes: int = 3, *, store: int = STORE) -> Iterator[Any]:
    """So many nodes with one processor each; workers find the tests' own modules."""
    before = os.environ.get("PYTHONPATH")
    mine = [str(ROOT / "src"), str(ROOT / "tests")]
    os.environ["PYTHONPATH"] = os.pathsep.join([*mine, *([before] if before else [])])
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    options = {"num_cpus": 1, "object_store_memory": store, "include_dashboard": False}
    often = {"_system_config": {"health_check_period_ms": 1000}}  # a lost node is seen in 5 s
    found = Cluster(initialize_head=True, shutdown_at_exit=False, head_node_args=options | often)
    try:
        for _ in range(nodes - 1):
            found.add_node(num_cpus=1, object_store_memory=store)
        found.wait_for_nodes()
        yield found
    finally:
        ray.shutdown()
        found.shutdown()
        gc.collect()  # files that Ray leaves open are told of here, not in the next test
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def connect(found: Any, **env: str) -> None:
    """Connect this process, if it is not; workers of a new connection get this environment."""
    if env:
        ray.shutdown()
    if not ray.is_initialized():
        more: dict[str, Any] = {"runtime_env": {"env_vars": env}} if env else {}
        ray.init(found.address, log_to_driver=False, logging_level=logging.CRITICAL, **more)


def disconnect() -> None:
    """So that the next test connects anew."""
    ray.shutdown()


def leaderboard(models: int, items: int) -> ScoreMatrix:
    """Graded scores, so that every digit counts."""
    rng = np.random.default_rng(3)
    ability = np.sort(rng.random(models))[:, None]
    x = (ability + rng.random((models, items))).round(3) / 2
    return ScoreMatrix.from_arrays(x, models=[f"m{k:04}" for k in range(models)], task="t")


def anonymous(text: str) -> str:
    """Without the addresses of this machine."""
    return re.sub(r"\d+\.\d+\.\d+\.\d+", "ADDRESS", text)


def plain(found: Any) -> str:
    """Everything of an audit as text, to the last digit."""
    return repr(
        (
            found.verdict_counts,
            [(k, np.asarray(v).tolist()) for k, v in found.ranking.columns().items()],
            found.gap_bins,
            found.rho,
            found.pairing_gain,
            found.critical_value,
            [(k, np.asarray(v).tolist()) for k, v in found.adjacent.columns().items()],
        )
    )


class _Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@contextmanager
def listening() -> Iterator[list[str]]:
    """What is told about the cluster."""
    heard, logger = _Heard(), logging.getLogger(LOGGER)
    logger.addHandler(heard)
    try:
        yield heard.lines
    finally:
        logger.removeHandler(heard)


def _children(pid: int) -> Iterator[int]:
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        yield from map(int, tasks.read_text().split())


def _sockets(pid: int) -> Iterator[str]:
    for file in Path(f"/proc/{pid}/fd").glob("*"):
        with suppress(OSError):
            yield str(file.readlink())
    for child in _children(pid):
        yield from _sockets(child)


def listening_ports(pid: int) -> list[str]:
    """IPv4 addresses that a process and its children listen on."""
    mine, found = set(_sockets(pid)), []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == "0A" and f"socket:[{rest[5]}]" in mine:
                address = bytes.fromhex(local.split(":")[0])[-4:][::-1]
                found.append(".".join(map(str, address)))
    return found


def busy_workers(node: Any) -> list[int]:
    """Processes of a node that have a job now."""
    raylet = node.all_processes["raylet"][0].process.pid
    found = []
    for pid in _children(raylet):
        with suppress(OSError):
            if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::_run_job"):
                found.append(pid)
    return found


def kill_busy_worker(found: Any) -> int | None:
    """SIGKILL to one worker in the middle of a job."""
    for node in reversed(found.list_all_nodes()):
        for pid in busy_workers(node):
            os.kill(pid, signal.SIGSTOP)  # so that it cannot end its job before it is looked at
            busy = pid in busy_workers(node)
            os.kill(pid, signal.SIGKILL if busy else signal.SIGCONT)
            if busy:
                return pid
    return None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of an audit."""

    same: bool
    """As it is without faults, to the last digit."""
    told: list[str]
    seconds: float
    note: str = ""


Fault: TypeAlias = Callable[[Any, int], None]
"""Something done to a cluster at the so-manieth report of progress."""


def audited(
    found: Any, matrix: ScoreMatrix, fault: Fault | None = None, *, out: str | None = None
) -> Outcome:
    """An audit on a cluster with something done to it while it runs, beside a local one."""
    calls = 0

    def progress(_done: int, _total: int) -> None:
        nonlocal calls
        calls += 1
        if fault is not None:
            fault(found, calls)

    with listening() as told, small_jobs():
        start = time.monotonic()
        where = Execution(executor=f"ray:{found.address}", progress=progress, out=out)
        there = audit(matrix, execution=where)
        seconds = time.monotonic() - start
    return Outcome(same=plain(there) == plain(audit(matrix)), told=list(told), seconds=seconds)


@contextmanager
def small_jobs() -> Iterator[None]:
    """A tile each, so that there is always one to be killed."""
    before, RayWorkers.grain = RayWorkers.grain, 0.01
    try:
        yield
    finally:
        RayWorkers.grain = before


# --- the faults ----------------------------------------------------------------------------


def _killing_workers(killed: list[int]) -> Fault:
    """Three workers, one after another, each as soon as one is found with a job."""

    def fault(found: Any, call: int) -> None:
        end = time.monotonic() + 2  # then the jobs that were given out have ended
        while len(killed) < 3 and call >= 3 + 6 * len(killed) and time.monotonic() < end:
            if (pid := kill_busy_worker(found)) is not None:
                killed.append(pid)
                return

    return fault


def _lose_a_node(found: Any, call: int) -> None:
    if call == 4:
        node = found.list_all_nodes()[-1]
        found.remove_node(node, allow_graceful=False)
        end = time.monotonic() + 60  # until the head knows, or the audit may end before
        while node.node_id in _alive() and time.monotonic() < end:
            time.sleep(0.1)


def _alive() -> set[str]:
    return {n["NodeID"] for n in ray.nodes() if n["Alive"]}


def nothing_fails(found: Any) -> Outcome:
    return audited(found, leaderboard(1300, 2000))


def workers_killed(found: Any) -> Outcome:
    killed: list[int] = []
    outcome = audited(found, leaderboard(1300, 2000), _killing_workers(killed))
    return replace(outcome, note=f"{len(killed)} killed")


def node_lost(found: Any) -> Outcome:
    """A node that came last is gone in the middle of the work."""
    found.add_node(num_cpus=1, object_store_memory=STORE)
    found.wait_for_nodes()
    return audited(found, leaderboard(1300, 2000), _lose_a_node)


def store_full() -> Outcome:
    """The shared scores are larger than the store of the node that has them."""
    with cluster(2, store=80_000_000) as found:
        outcome = audited(found, leaderboard(1700, 4000))
        logs = Path(found.head_node.get_session_dir_path())
        spilled = any("Spilled" in p.read_text("utf-8") for p in logs.glob("logs/raylet*"))
        return replace(outcome, note="spilled to disk" if spilled else "nothing was spilled")


def write_failed(tmp: Path) -> Outcome:
    """The first part that a worker wants to keep meets an error of the disk."""
    with cluster(2) as found, patched_environment("NSTAR_BREAK_STORAGE", str(tmp / "flag")):
        hook = {"worker_process_setup_hook": "helpers.jobs.break_storage"}
        env = {"NSTAR_BREAK_STORAGE": str(tmp / "flag")}
        ray.init(found.address, runtime_env=hook | {"env_vars": env}, log_to_driver=False)
        matrix = leaderboard(600, 500)
        outcome = audited(found, matrix, out=str(tmp / "there"))
        audit(matrix, execution=Execution(out=str(tmp / "here")))
    same = outcome.same and dataset(tmp / "here") == dataset(tmp / "there")
    broken = "a write failed" if (tmp / "flag").exists() else "no write failed"
    return replace(outcome, same=same, note=broken)


@contextmanager
def patched_environment(name: str, value: str) -> Iterator[None]:
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


# --- a driver that dies, with its audit on disk --------------------------------------------


def long_table(path: Path, models: int, items: int) -> None:
    """A leaderboard as a file."""
    rng = np.random.default_rng(5)
    right = rng.random((models, items)) < np.linspace(0.4, 0.8, models)[:, None]
    names = np.repeat([f"m{k:04}" for k in range(models)], items)
    questions = np.tile([f"q{k}" for k in range(items)], models)
    table = pa.table(
        {
            "model": pa.array(names).dictionary_encode(),
            "item": pa.array(questions).dictionary_encode(),
            "score": right.reshape(-1).astype(np.float64),
        }
    )
    pq.write_table(table, path)


def command(source: Path, out: Path, *more: str) -> list[str]:
    given = [str(source), "--out", str(out), "--format", "json", "--adjust", "holm", *more]
    return [sys.executable, "-m", "nstar", "audit", *given]


def kill_when(process: "subprocess.Popen[bytes]", seen: Callable[[], bool]) -> bool:
    """SIGKILL as soon as something is seen; whether the process still lived."""
    end = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < end:
        if seen():
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
        time.sleep(0.005)
    return False


def dataset(out: Path) -> dict[str, bytes]:
    """Every file of an audit on disk."""
    files = (p for p in sorted(out.rglob("[!.]*")) if p.is_file())
    return {str(p.relative_to(out)): p.read_bytes() for p in files}


def _run(given: list[str]) -> str:
    return subprocess.run(given, check=True, capture_output=True, text=True).stdout  # noqa: S603


def driver_killed(found: Any, tmp: Path) -> Outcome:
    """``nstar audit --out --ray`` killed after its first part, and begun again."""
    source, here, there = tmp / "results.parquet", tmp / "here", tmp / "there"
    long_table(source, 2400, 200)
    ours = command(source, there, "--ray", found.address)
    first = subprocess.Popen(ours, stdout=subprocess.DEVNULL)  # noqa: S603
    killed = kill_when(first, lambda: any((there / "sums").glob("part-*")))
    parts = {p: p.stat().st_mtime_ns for p in (there / "pairs").glob("part-*")}
    start = time.monotonic()
    again = _run(ours)
    seconds = time.monotonic() - start
    kept = sum(p.stat().st_mtime_ns == when for p, when in parts.items())
    same = again == _run(command(source, here)) and dataset(here) == dataset(there)
    note = f"{kept} of {len(list(here.rglob('part-*')))} parts were there and were kept"
    return Outcome(same=same and killed, told=[], seconds=seconds, note=note)
