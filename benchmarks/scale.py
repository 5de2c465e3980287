"""Audits out of core: a packed matrix of made-up models on the disk, time, bytes and memory.

::

    python benchmarks/scale.py 100000 20000 --at /scratch/board
    python benchmarks/scale.py 20000 2000 --pairs top:1000 --workers 2

The matrix is made once, a block of models at a time, from a seed: abilities of models and
difficulties of items are normal, scores follow a logistic model. Memory is watched while the audit
runs: what the process holds itself, and pages of the mapped file, which the system takes back
whenever it needs the room.
"""

# ruff: noqa: T201

import argparse
import json
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np

import nstar
from nstar._data.matrix import ScoreMatrix

BLOCK = 1024
"""Models made at once."""


def board(models: int, items: int, missing: float, seed: int) -> Iterator[ScoreMatrix]:
    """Parts of a matrix of 0/1 scores; each depends on the seed and its place alone."""
    hard = np.random.default_rng([seed, 0]).normal(0.0, 1.5, items).astype(np.float32)
    names = tuple(f"i{k:07}" for k in range(items))
    for start in range(0, models, BLOCK):
        size = min(BLOCK, models - start)
        rng = np.random.default_rng([seed, 1, start])
        able = rng.normal(0.5, 1.0, size).astype(np.float32)
        bits = np.empty((size, -(-items // 8)), dtype=np.uint8)
        mask = np.empty_like(bits) if missing else None
        for k in range(size):
            odds = rng.random(items, dtype=np.float32)
            right = odds < 1 / (1 + np.exp(hard - able[k]))
            if mask is not None:
                there = rng.random(items, dtype=np.float32) >= missing
                right &= there
                mask[k] = np.packbits(there, bitorder="little")
            bits[k] = np.packbits(right, bitorder="little")
        models_here = tuple(f"m{k:07}" for k in range(start, start + size))
        yield ScoreMatrix(models=models_here, items=names, bits=bits, mask=mask, task="made-up")


class Watch:
    """The most memory seen, every 50 ms: anonymous and mapped, in bytes."""

    def __init__(self) -> None:
        self.peak = {"RssAnon": 0, "RssFile": 0, "VmRSS": 0}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.05):
            for line in Path("/proc/self/status").read_text().splitlines():
                name, _, rest = line.partition(":")
                if name in self.peak:
                    self.peak[name] = max(self.peak[name], int(rest.split()[0]) * 1024)


def told(done: int, total: int) -> None:
    """Progress on standard error, when somebody watches."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done:,} of {total:,}")


def run(where: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Audit a packed matrix; what it took."""
    how = nstar.types.Execution(workers=options.workers, progress=told, work=options.work)
    asked = {"pairs": options.pairs, "execution": how}
    began = time.perf_counter()
    with Watch() as watch:
        matrix = nstar.open_pack(where)
        opened, busy = time.perf_counter(), time.process_time()
        if options.memory:
            matrix = ScoreMatrix(
                models=matrix.models,
                items=matrix.items,
                bits=np.array(matrix.bits),
                mask=None if matrix.mask is None else np.array(matrix.mask),
                task=matrix.task,
            )
        found = nstar.audit(matrix, **asked)
        audited, busy = time.perf_counter(), time.process_time() - busy
        most = dict(watch.peak)
        text = found.render("text")
        report = found.render("json")
        rendered = time.perf_counter()
    m, n = matrix.shape
    pairs = m * (m - 1) // 2
    return {
        "models": m,
        "items": n,
        "pairs": pairs,
        "bytes on disk": sum(p.stat().st_size for p in where.iterdir()),
        "seconds to open and verify": round(opened - began, 2),
        "seconds to audit": round(audited - opened, 2),
        "processor seconds to audit": round(busy, 2),
        "seconds to render": round(rendered - audited, 2),
        "processor nanoseconds per pair": round(1e9 * busy / pairs, 1),
        "peak bytes of the audit itself": most["RssAnon"],
        "peak bytes mapped": most["RssFile"],
        "peak bytes together": most["VmRSS"],
        "peak bytes with the report": watch.peak["RssAnon"],
        "bytes of text": len(text),
        "bytes of JSON": len(report),
        "unresolved pairs": (
            found.n_pairs - found.verdict_counts["significant"] + found.n_underpowered
        ),
    }


def main() -> None:
    """Make the matrix unless it is there, audit it, print what it took as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("models", type=int)
    parser.add_argument("items", type=int)
    parser.add_argument("--missing", type=float, default=0.0, help="share of absent scores")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--at", type=Path, help="where the matrix is kept; else it is removed")
    parser.add_argument("--pairs", default="adjacent")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--work", help="directory for checkpoints")
    parser.add_argument("--memory", action="store_true", help="read it into memory, to compare")
    options = parser.parse_args()
    scratch = None if options.at else Path(tempfile.mkdtemp(prefix="nstar-scale-"))
    where = options.at or Path(str(scratch)) / "packed"
    try:
        began = time.perf_counter()
        if not where.exists():
            nstar.pack(board(options.models, options.items, options.missing, options.seed), where)
        made = time.perf_counter() - began
        print(json.dumps({"seconds to make": round(made, 2), **run(where, options)}, indent=2))
    finally:
        if scratch is not None:
            shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
