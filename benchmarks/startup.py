"""Start-up time of the command line against the least that could do the same.

(a) ``nstar --help`` against a click program with three subcommands;
(b) ``nstar plan`` with an answer against importing click, numpy and scipy.special.

Each side is started as ``python -m`` with the same interpreter and environment, output thrown
away, in turns, once unmeasured. CPU time is user + system time of the child.

    python benchmarks/startup.py --repeat 15
"""

# ruff: noqa: S603, T201
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """One comparison: interpreter arguments of both sides and the largest ratio allowed."""

    name: str
    nstar: tuple[str, ...]
    bare: tuple[str, ...]
    limit: float


RACES = (
    Race(
        name="nstar --help / click with three subcommands",
        nstar=("-m", "nstar", "--help"),
        bare=("-m", "bare", "--help"),
        limit=1.5,
    ),
    Race(
        name="nstar plan / import click, numpy, scipy.special",
        nstar=("-m", "nstar", "plan", "--baseline", "70%", "--delta", "1pp", "--rho", "0.4"),
        bare=("-c", "import click, numpy, scipy.special"),
        limit=1.3,
    ),
)


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


def run(race: Race, repeat: int, env: dict[str, str]) -> bool:
    """Measure in turns, print both medians; whether the CPU ratio is within its limit."""
    taken: dict[str, list[tuple[float, float]]] = {"nstar": [], "bare": []}
    sides = (("nstar", race.nstar), ("bare", race.bare))
    for i in range(repeat + 1):
        for side, arguments in sides if i % 2 else sides[::-1]:
            times = spend(arguments, env)
            if i:  # the first round fills caches
                taken[side].append(times)
    print(race.name)
    ratios = []
    for label, column in (("CPU", 0), ("wall", 1)):
        ours, theirs = (
            statistics.median(pair[column] for pair in taken[side]) for side in ("nstar", "bare")
        )
        ratios.append(ours / theirs)
        word = "within" if ratios[-1] <= race.limit else "OVER"
        print(
            f"  {label:4}  {1000 * ours:6.0f} ms / {1000 * theirs:6.0f} ms = {ratios[-1]:.2f}"
            f"  {word} {race.limit}"
        )
    return ratios[0] <= race.limit


def main() -> int:
    """Exit status 1 if a CPU ratio is over its limit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=11, help="measured rounds, at least 10")
    args = parser.parse_args()
    if args.repeat < 10:
        parser.error("--repeat must be at least 10, or the median means little")
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "bare"
        package.mkdir()
        for name, text in BARE.items():
            (package / name).write_text(text, encoding="utf-8")
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SRC), folder])}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # both sides keep their bytecode, but not here
        env["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "pycache")
        within = [run(race, args.repeat, env) for race in RACES]
    # wall time is shown but not judged: it is the machine's business too
    return 0 if all(within) else 1


if __name__ == "__main__":
    sys.exit(main())
