"""Two sides of a benchmark in turns, each in a process of its own."""

# ruff: noqa: S603, T201
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["measure", "report"]


def report(work: Callable[[], int]) -> None:
    """Do the work of one side and print its rows, seconds and peak memory as JSON."""
    wall, cpu = time.perf_counter(), time.process_time()
    rows = work()
    taken = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": rows, "mb": peak} | taken))


def measure(script: str, folder: Path, repeat: int) -> None:
    """Run ``script FOLDER --side bare`` and ``nstar`` in turns and print medians and ratios."""
    taken: dict[str, list[dict[str, float]]] = {"bare": [], "nstar": []}
    for _ in range(repeat):
        for side, results in taken.items():
            command = [sys.executable, script, str(folder), "--side", side]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            results.append(json.loads(done.stdout))
    size = sum(p.stat().st_size for p in folder.iterdir()) / 1e6
    print(f"{taken['bare'][0]['rows']:,} rows, {size:,.0f} MB, median of {repeat}")
    best = {}
    for side, results in taken.items():
        wall, cpu, mb = (statistics.median(r[k] for r in results) for k in ("wall", "cpu", "mb"))
        best[side] = (wall, cpu)
        print(f"{side:>6}  wall {wall:6.2f} s   cpu {cpu:6.2f} s   peak {mb:6,.0f} MB")
    ratios = [a / b for a, b in zip(best["nstar"], best["bare"], strict=True)]
    print(f" ratio  wall {ratios[0]:6.2f}     cpu {ratios[1]:6.2f}")
