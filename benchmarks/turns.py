"""Two sides of a benchmark in turns, each in a process of its own.

``--write TITLE`` puts the figures under that title into docs/evidence/performance.md.
"""

# ruff: noqa: PLC0415, S603, T201
import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

__all__ = ["add_options", "load_readers", "run"]

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "performance.md"
END = "<!-- reading:end -->"

Side = Callable[[Path], int]


def add_options(parser: argparse.ArgumentParser) -> None:
    """--repeat, --side and --write."""
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--side", choices=["bare", "nstar"])
    parser.add_argument("--write", metavar="TITLE", help="row of docs/evidence/performance.md")


def load_readers() -> None:
    """Import every format and what reads tables: importing is no reading."""
    from nstar.readers import BUILT_IN

    tables = (f"nstar.readers._tables.{kind}" for kind in ("_arrow", "_csv", "_json"))
    for name in ("pyarrow.compute", *(f"nstar.readers.{name}" for name in BUILT_IN), *tables):
        import_module(name)


def run(given: argparse.Namespace, script: str, bare: Side, nstar: Side) -> None:
    """One side of the work, or both in turns."""
    if given.side:
        side = {"bare": bare, "nstar": nstar}[given.side]
        report(lambda: side(given.folder))
    else:
        measure(script, given.folder, given.repeat, given.write)


def report(work: Callable[[], int]) -> None:
    """Do the work of one side and print its rows, seconds and peak memory as JSON."""
    wall, cpu = time.perf_counter(), time.process_time()
    rows = work()
    taken = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": rows, "mb": peak} | taken))


def measure(script: str, folder: Path, repeat: int, title: str | None) -> None:
    """Run ``script FOLDER --side bare`` and ``nstar`` in turns and print medians and ratios."""
    taken: dict[str, list[dict[str, float]]] = {"bare": [], "nstar": []}
    for _ in range(repeat):
        for side, results in taken.items():
            command = [sys.executable, script, str(folder), "--side", side]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            results.append(json.loads(done.stdout))
    size = sum(p.stat().st_size for p in folder.iterdir()) / 1e6
    print(f"{taken['bare'][0]['rows']:,} rows, {size:,.0f} MB, median of {repeat}")
    best: dict[str, tuple[float, ...]] = {}
    for side, results in taken.items():
        wall, cpu, mb = (statistics.median(r[k] for r in results) for k in ("wall", "cpu", "mb"))
        best[side] = (wall, cpu, mb)
        print(f"{side:>6}  wall {wall:6.2f} s   cpu {cpu:6.2f} s   peak {mb:6,.0f} MB")
    wall, cpu, _ = (a / b for a, b in zip(best["nstar"], best["bare"], strict=True))
    print(f" ratio  wall {wall:6.2f}     cpu {cpu:6.2f}")
    if title:
        sides = [f"{best[s][0]:.2f} wall, {best[s][1]:.2f} CPU" for s in ("nstar", "bare")]
        write(title, [*sides, f"{wall:.2f} wall, {cpu:.2f} CPU", f"{best['nstar'][2]:,.0f}"])


def write(title: str, cells: list[str]) -> None:
    """Put a row into the page, in place of the one with this title."""
    page = PAGE.read_text(encoding="utf-8")
    page = re.sub(rf"^\| {re.escape(title)} \|.*\n", "", page, flags=re.MULTILINE)
    row = f"| {' | '.join([title, *cells])} |\n"
    PAGE.write_text(page.replace(END, row + END), encoding="utf-8")
