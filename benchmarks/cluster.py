"""Ray beside threads on the same two cores: what a cluster costs where it cannot help.

Threads and a Ray cluster of two nodes with one processor each do the same work in turns; the
figures are medians of wall seconds and of CPU seconds of this process and all that it started,
daemons included. A Ray that is started for the work is timed too. Results must be the same.

    PYTHON=python-with-ray
    $PYTHON benchmarks/cluster.py             4,576 models and a simulation
    $PYTHON benchmarks/cluster.py --write     into docs/evidence/performance.md
    $PYTHON benchmarks/cluster.py --models 1100 --repeat 1

Limit: 1.3 × the CPU seconds of threads, start left out.
"""

# ruff: noqa: D103, PLC0415
import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).parents[1]
os.environ["PYTHONPATH"] = str(ROOT / "src")  # for the processes of Ray
sys.path.insert(0, str(ROOT / "src"))
sys.path.append(str(ROOT / "scripts"))

import nstar  # noqa: E402
from figures import show  # noqa: E402
from nstar._engine.work import Where  # noqa: E402
from scale_model import board  # noqa: E402

LIMIT = 1.3
WIDTH = 2
ITEMS = {"binary": 21_606, "graded": 2_000}
REPS = 4000
Taken: TypeAlias = tuple[float, float]
Work: TypeAlias = Callable[[Where], Any]


def family_cpu() -> float:
    """CPU seconds of this process and of all that it started, theirs included."""
    ticks, parents = os.sysconf("SC_CLK_TCK"), dict[int, int]()
    used = dict[int, float]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(path.parent.name)
        parents[pid] = int(fields[1])
        used[pid] = (int(fields[11]) + int(fields[12])) / ticks

    def ours(pid: int) -> bool:
        while pid > 1:
            if pid == os.getpid():
                return True
            pid = parents.get(pid, 0)
        return False

    return sum(seconds for pid, seconds in used.items() if ours(pid))


@contextmanager
def cluster(nodes: int) -> Iterator[None]:
    """So many nodes of one processor on this machine."""
    import ray
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    node = {"num_cpus": 1, "object_store_memory": 200_000_000}
    ray_cluster = Cluster(initialize_head=True, head_node_args=node)
    try:
        for _ in range(nodes - 1):
            ray_cluster.add_node(**node)
        ray.init(address=ray_cluster.address, log_to_driver=False)
        yield
    finally:
        ray.shutdown()
        ray_cluster.shutdown()


def works(models: int) -> dict[str, Work]:
    """What is done, by name; each gives something to compare."""

    def audit(kind: str, items: int) -> Work:
        matrix = board(kind, models, items)

        def once(executor: Where) -> Any:
            width = WIDTH if executor == "local" else 0
            found = nstar.audit(
                matrix,
                adjust="holm",
                execution=nstar.types.Execution(executor=executor, workers=width),
            )
            return found.ranking.rank_low.tolist(), found.ranking.rank_high.tolist()

        return once

    def simulation(executor: Where) -> Any:
        width = WIDTH if executor == "local" else 0
        found = nstar.simulate(
            "beta",
            items=[50, 200, 1000],
            tests=["t", "wilcoxon"],
            delta=[0.0, 0.02],
            rho=[0.5, 0.8],
            reps=REPS,
            execution=nstar.types.Execution(executor=executor, workers=width),
        )
        return [r.n_events for r in found.rates]

    named = {
        f"audit, {models:,} × {items:,}, {kind}": audit(kind, items)
        for kind, items in ITEMS.items()
    }
    return named | {f"simulation, 12 cells × {REPS:,}": simulation}


def timed(work: Work, executor: Where) -> tuple[Taken, Any]:
    wall, cpu = time.perf_counter(), family_cpu()
    found = work(executor)
    return (time.perf_counter() - wall, family_cpu() - cpu), found


def in_turns(work: Work, repeat: int) -> tuple[dict[str, Taken], bool]:
    """Medians of threads and of a cluster that is there, and whether results were the same."""
    taken: dict[str, list[Taken]] = {"local": [], "ray": []}
    answers = []
    with cluster(WIDTH):
        work("ray")  # its processes are begun and have imported nstar
        for _ in range(repeat):
            for executor, times in taken.items():
                once, found = timed(work, executor)
                times.append(once)
                answers.append(found)
    middle = {
        name: (statistics.median(w for w, _ in times), statistics.median(c for _, c in times))
        for name, times in taken.items()
    }
    return middle, all(a == answers[0] for a in answers)


def started(work: Work) -> float:
    """Wall seconds with a Ray of its own, start and end included."""
    wall = time.perf_counter()
    work("ray:local")  # never a cluster of somebody else that runs here
    return time.perf_counter() - wall


def report(given: argparse.Namespace) -> Iterator[str]:
    import ray

    yield (
        f"Ray {ray.__version__}, two nodes of one processor; Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at the beginning. Medians "
        f"of {given.repeat} in turns; limit {LIMIT:g} × the CPU seconds of threads."
    )
    yield ""
    yield (
        "| work | threads, wall s | CPU s | Ray, wall s | CPU s | × CPU | × wall | "
        "Ray started for it, wall s | same result |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, work in works(given.models).items():
        taken, same = in_turns(work, given.repeat)
        (wall, cpu), (far_wall, far_cpu) = taken["local"], taken["ray"]
        alone = started(work)
        yield (
            f"| {name} | {wall:.1f} | {cpu:.1f} | {far_wall:.1f} | {far_cpu:.1f} | "
            f"{far_cpu / cpu:.2f} | {far_wall / wall:.2f} | {alone:.1f} | "
            f"{'yes' if same else '**no**'} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=int, default=4576)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="into docs/evidence/performance.md")
    given = parser.parse_args()
    show(report(given), key="cluster", title="Ray beside threads", write=given.write)


if __name__ == "__main__":
    main()
