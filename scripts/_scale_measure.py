"""What the cost model of docs/evidence/scale.md needs to know, measured on this machine.

CPU seconds unless a name says wall. What takes Ray is measured if Ray is installed.
"""

import math
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import nstar
from nstar import stats
from nstar._data.matrix import Grouping, ScoreMatrix
from nstar._engine.gram import popcount
from nstar._engine.work import open_workers
from nstar._verbs.audit.maxt import covariance, step_down

__all__ = ["measured"]

MODELS = 1536
SIZES = {
    "binary": (8_000, 64_000),
    "gaps": (8_000, 64_000),
    "graded": (1_000, 4_000),
    "clustered": (8_000, 64_000),
}
"""Items at which a look at a pair is timed, by kind of scores."""
CLUSTERS = 200
GROWTH = ((1024, 20_000), (2048, 20_000), (4096, 20_000), (4096, 5_000), (4096, 80_000))
NODES = (8192, 20_000)
NOTHING = 2000
"""Jobs that do nothing, for the price of a job."""


def board(kind: str, models: int, items: int) -> ScoreMatrix:
    """Made-up scores of models with an ability on items with a difficulty."""
    rng = np.random.default_rng(0)
    names = tuple(f"model-{k}" for k in range(models))
    labels = tuple(map(str, range(items)))
    ability = np.sort(rng.normal(0.3, 0.75, models))[::-1].astype(np.float32)
    difficulty = rng.normal(0, 1.5, items).astype(np.float32)
    if kind == "graded":
        noise = rng.random((models, items), dtype=np.float32)
        chance = 1 / (1 + np.exp(difficulty - ability[:, None]))
        return ScoreMatrix.from_arrays((chance + noise) / 2, models=names)
    cells = np.empty((models, items), dtype=np.int8)
    for row, able in zip(cells, ability, strict=True):
        row[:] = rng.random(items, dtype=np.float32) < 1 / (1 + np.exp(difficulty - able))
        if kind == "gaps":
            row[rng.integers(0, items, items // 20)] = -1
    codes = np.arange(items, dtype=np.int32) % CLUSTERS
    groups = {"passage": Grouping.from_labels(codes.tolist())} if kind == "clustered" else {}
    return ScoreMatrix.from_cells(cells, models=names, items=labels, groups=groups)


# --- one machine --------------------------------------------------------------------------


def look(kind: str, items: int) -> float:
    """CPU seconds of one look at a pair: its gap, error, p-value and count, by tiles."""
    points: list[tuple[float, int]] = []

    def progress(n_done: int, _: int) -> None:
        points.append((time.process_time(), n_done))

    cluster = "passage" if kind == "clustered" else None
    nstar.audit(
        board(kind, MODELS, items),
        adjust="holm",
        cluster=cluster,
        execution=nstar.types.Execution(workers=1, progress=progress),
    )
    (begun, first), (ended, last) = points[0], points[-1]
    return (ended - begun) / (last - first)


def line(kind: str, repeat: int) -> dict[str, float]:
    """Seconds of a pair, and of an item of a pair, by two sizes."""
    n_few, many = SIZES[kind]
    short, long = (min(look(kind, n) for _ in range(repeat)) for n in (n_few, many))
    slope = max(0.0, (long - short) / (many - n_few))
    return {"pair": max(0.0, short - slope * n_few), "item": slope}


def cpu_seconds(work: Callable[[], Any], repeat: int) -> float:
    """CPU seconds, the least of several."""

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(repeat))


def max_t(repeat: int) -> float:
    """Of a pair in a draw, step-down and critical value together."""
    models, draws = 200, 4096
    rng = np.random.default_rng(0)
    pairs = models * (models - 1) // 2
    cov = covariance(np.full(pairs, 0.01), models)
    p = rng.random(pairs)
    total = cpu_seconds(lambda: step_down(p, cov, alpha=0.05, draws=draws, seed=1), repeat)
    return total / (pairs * draws)


def bootstrap(repeat: int) -> dict[str, float]:
    """Of an item in a draw, and of a cluster in a draw."""
    d = np.random.default_rng(0).normal(size=20_000)
    groups = np.arange(d.size) % 500
    plain = cpu_seconds(lambda: stats.bootstrap_draws(d, n_resamples=1000, rng=1), repeat)
    total = cpu_seconds(
        lambda: stats.bootstrap_draws(d, n_resamples=10_000, groups=groups, rng=1), repeat
    )
    return {"item": plain / (1000 * d.size), "cluster": total / (10_000 * 500)}


def simulation(repeat: int) -> float:
    """Of an item in a replication, two tests of graded scores."""
    options: dict[str, Any] = {"items": [500], "tests": ["t", "wilcoxon"], "reps": 20_000}
    return cpu_seconds(
        lambda: nstar.simulate("beta", **options, execution=nstar.types.Execution(workers=1)),
        repeat,
    ) / (500 * 20_000)


def written() -> float:
    """Bytes of a pair in the dataset of all pairs."""
    models = 1200
    with tempfile.TemporaryDirectory() as folder:
        nstar.audit(
            board("binary", models, 5_000),
            adjust="holm",
            execution=nstar.types.Execution(out=folder),
        )
        size = sum(p.stat().st_size for p in Path(folder).rglob("*.parquet"))
    return size / (models * (models - 1) / 2)


def growth(kind: str = "binary") -> Iterator[dict[str, float]]:
    """The whole audit with two threads, reading left out."""
    for models, items in GROWTH:
        matrix = board(kind, models, items)
        wall, cpu = time.perf_counter(), time.process_time()
        nstar.audit(matrix, adjust="holm", execution=nstar.types.Execution(workers=2))
        yield {
            "models": models,
            "items": items,
            "cpu": time.process_time() - cpu,
            "wall": time.perf_counter() - wall,
        }


# --- a cluster ----------------------------------------------------------------------------


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
    import ray  # noqa: PLC0415 an extra
    from ray.cluster_utils import Cluster  # noqa: PLC0415

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


def by_nodes() -> Iterator[dict[str, float]]:
    """One audit by threads and by nodes, workers begun before."""
    matrix = board("binary", *NODES)

    def timed(executor: str, width: int) -> dict[str, float]:
        wall, cpu = time.perf_counter(), family_cpu()
        nstar.audit(
            matrix,
            adjust="holm",
            execution=nstar.types.Execution(executor=executor, workers=width),
        )
        return {"wall": time.perf_counter() - wall, "cpu": family_cpu() - cpu}

    for width in (1, 2):
        yield {"where": "threads", "width": width, **timed("local", width)}  # type: ignore[dict-item]
    for width in (1, 2):
        with cluster(width):
            nstar.audit(
                matrix,
                adjust="holm",
                execution=nstar.types.Execution(executor="ray"),
                models=matrix.models[:1100],
            )
            yield {"where": "nodes", "width": width, **timed("ray", 0)}  # type: ignore[dict-item]


def ray_prices() -> dict[str, float]:
    """Wall seconds to start, of a job and of a byte that is shared, the least of three."""
    import ray  # noqa: PLC0415

    started, jobs, shared = [], [], []
    block = np.random.default_rng(0).integers(0, 255, 100_000_000, dtype=np.uint8)
    for _ in range(3):
        start = time.perf_counter()
        with open_workers("ray:local", 2) as workers:  # never a cluster that runs here
            list(workers.ordered(abs, [(0,)]))
            started.append(time.perf_counter() - start)
            list(workers.ordered(abs, ((k,) for k in range(50))))
            start = time.perf_counter()
            list(workers.ordered(abs, ((k,) for k in range(NOTHING))))
            jobs.append((time.perf_counter() - start) / NOTHING)
            start = time.perf_counter()
            ray.get(workers.share(block))
            shared.append((time.perf_counter() - start) / block.nbytes)
    names = ("start_wall", "job_wall", "byte_wall")
    columns = (started, jobs, shared)
    prices = {n: min(v) for n, v in zip(names, columns, strict=True)}
    return prices | {"load": os.getloadavg()[0]}


def measured(*, repeat: int = 3) -> dict[str, Any]:
    """Everything; without Ray what it takes is left out."""
    measurements: dict[str, Any] = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "engine": popcount.name(),
        "kinds": {kind: line(kind, repeat) for kind in SIZES},
        "max_t": max_t(repeat),
        "bootstrap": bootstrap(repeat),
        "simulation": simulation(repeat),
        "written": written(),
        "growth": list(growth()),
    }
    try:
        measurements["ray"] = ray_prices()
        measurements["nodes"] = list(by_nodes())
    except ImportError:
        pass
    return _short(measurements)


def _short(value: Any) -> Any:
    """Three digits of every measured number are enough."""
    if isinstance(value, dict):
        return {k: _short(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_short(v) for v in value]
    if isinstance(value, float) and value:
        return float(f"{value:.{3}g}") if math.isfinite(value) else None
    return value
