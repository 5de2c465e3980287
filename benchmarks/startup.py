"""Start-up time of the command line against the least that could do the same.

(a) ``nstar --help`` against a click program with three subcommands;
(b) ``nstar plan`` with an answer against importing click, numpy and scipy.special;
(c) ``nstar compare`` of two tables of 1,000 rows, CSV and JSON Lines, against importing those and
    pyarrow.

Each side is started as ``python -m`` with the same interpreter and environment, output thrown
away, in turns, once unmeasured. CPU time is user + system time of the child.

    python benchmarks/startup.py --repeat 15
    python benchmarks/startup.py --repeat 25 --write      into docs/evidence/performance.md
"""

# ruff: noqa: S311, S603
import argparse
import importlib.util
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from figures import show

SRC = Path(__file__).parents[1] / "src"

BARE = {
    "__init__.py": "",
    "__main__.py": "from bare.cli import main\n\nmain()\n",
    "cli.py": '''\
import click


@click.group()
@click.version_option("1.0", prog_name="bare")
def main():
    """A program with three subcommands."""


@main.command()
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level.")
def one(alpha):
    """The first."""


@main.command()
@click.argument("name")
def two(name):
    """The second."""


@main.command()
@click.option("--flag", is_flag=True, help="A flag.")
def three(flag):
    """The third."""
''',
}


ROWS = 1000
"""Of each table that is compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """One comparison: interpreter arguments of both sides and the largest ratio allowed."""

    name: str
    nstar: tuple[str, ...]
    beside: str
    bare: tuple[str, ...]
    limit: float


def imports(*names: str) -> tuple[str, ...]:
    """A program that imports modules and ends."""
    return "-c", f"import {', '.join(names)}"


def races(folder: Path) -> tuple[Race, ...]:
    """What is measured; the tables are in a folder."""
    plan = ("--baseline", "70%", "--delta", "1pp", "--rho", "0.4")
    return (
        Race(
            name="`nstar --help`",
            nstar=("-m", "nstar", "--help"),
            beside="click, three subcommands",
            bare=("-m", "bare", "--help"),
            limit=1.4,
        ),
        Race(
            name="`nstar plan`",
            nstar=("-m", "nstar", "plan", *plan),
            beside="import click, numpy, scipy.special",
            bare=imports("click", "numpy", "scipy.special"),
            limit=1.2,
        ),
        *(
            Race(
                name=f"`nstar compare`, {what} of {ROWS:,} rows",
                nstar=("-m", "nstar", "compare", *(str(folder / f"{m}.{end}") for m in "ab")),
                beside="import click, numpy, scipy.special, pyarrow",
                bare=imports("click", "numpy", "scipy.special", "pyarrow"),
                limit=1.3,
            )
            for end, what in (("csv", "two CSV files"), ("jsonl", "two files of JSON Lines"))
        ),
    )


def write_tables(folder: Path) -> None:
    """Answers of two models to the same items, in both formats."""
    draw = random.Random(0)
    for model, share in (("a", 0.72), ("b", 0.68)):
        rows = [(f"q{k}", int(draw.random() < share)) for k in range(ROWS)]
        table = "".join(f"{item},{score}\n" for item, score in rows)
        (folder / f"{model}.csv").write_text(f"item,score\n{table}", encoding="utf-8")
        lines = (json.dumps({"item": item, "score": score}) + "\n" for item, score in rows)
        (folder / f"{model}.jsonl").write_text("".join(lines), encoding="utf-8")


def write_bare(folder: Path) -> None:
    """The program that ``nstar --help`` is held against."""
    package = folder / "bare"
    package.mkdir()
    for name, text in BARE.items():
        (package / name).write_text(text, encoding="utf-8")


def spend(arguments: tuple[str, ...], env: dict[str, str]) -> tuple[float, float]:
    """CPU and wall seconds of one child."""
    start = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, *arguments], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    message = child.stderr.read().decode() if child.stderr else ""
    if child.stderr:
        child.stderr.close()
    if child.returncode:
        msg = f"python {' '.join(arguments)} failed with {child.returncode}: {message}"
        raise RuntimeError(msg)
    return usage.ru_utime + usage.ru_stime, wall


def measure(race: Race, repeat: int, env: dict[str, str]) -> list[tuple[float, float]]:
    """Medians of CPU and wall seconds in turns, each ours first."""
    taken: dict[str, list[tuple[float, float]]] = {"nstar": [], "bare": []}
    sides = (("nstar", race.nstar), ("bare", race.bare))
    for i in range(repeat + 1):
        for side, arguments in sides if i % 2 else sides[::-1]:
            times = spend(arguments, env)
            if i:  # the first round fills caches
                taken[side].append(times)
    ours, theirs = (
        [statistics.median(column) for column in zip(*taken[side], strict=True)]
        for side in ("nstar", "bare")
    )
    return list(zip(ours, theirs, strict=True))


def report(repeat: int, over: list[str]) -> Iterator[str]:
    """Lines of the page; names of commands that are over their limit go to ``over``."""
    pandas = "pandas is installed" if importlib.util.find_spec("pandas") else "without pandas"
    yield (
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, "
        f"{pandas}. Medians of {repeat} starts in turns; CPU seconds are judged, wall seconds are "
        "the machine's business too."
    )
    yield ""
    yield "| command | CPU ms | beside | CPU ms | × CPU | limit | × wall |"
    yield "|---|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_bare(folder)
        write_tables(folder)
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SRC), name])}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # both sides keep their bytecode, but not here
        env["PYTHONPYCACHEPREFIX"] = str(folder / "pycache")
        for race in races(folder):
            (cpu, bare), (wall, bare_wall) = measure(race, repeat, env)
            word = "" if cpu <= race.limit * bare else " **over**"
            over += [race.name] * bool(word)
            yield (
                f"| {race.name} | {1000 * cpu:.0f} | {race.beside} | {1000 * bare:.0f} | "
                f"{cpu / bare:.2f} | {race.limit}{word} | {wall / bare_wall:.2f} |"
            )


def main() -> int:
    """Exit status 1 if a CPU ratio is over its limit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=11, help="measured rounds, at least 10")
    parser.add_argument("--write", action="store_true", help="into docs/evidence/performance.md")
    args = parser.parse_args()
    if args.repeat < 10:
        parser.error("--repeat must be at least 10, or the median means little")
    over: list[str] = []
    show(report(args.repeat, over), key="start", title="Start", write=args.write)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
