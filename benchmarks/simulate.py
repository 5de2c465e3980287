"""Simulation beside the bare draws of its random numbers and beside the published script.

Ratios of CPU seconds taken in turns in one process with one thread:

- the embedding study, 150 cells × 1,000 replications × (t and Wilcoxon) with independent draws,
  over the bare generation of the same 111 million normals, 64-bit floats of the same generator;
- the published script of that study, run on some replications of three cells for each distribution
  and number of items and extrapolated, over ours with independent draws, and over ours with common
  random numbers, where the 15 cells of one distribution and number of items share theirs;
- a million replications of one table of 12,032 items with mid-p, over the bare multinomial draws
  of its four cells.

    python benchmarks/simulate.py --write                 into docs/evidence/performance.md
    python benchmarks/simulate.py --repeat 1 --script-reps 5        a quick look

Limits: 1.5 × the normals; 100 × and, with common random numbers, 250 × as fast as the script; 2 ×
the multinomial draws.
"""

# ruff: noqa: D103, TID251, NPY002
import argparse
import itertools
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from figures import show

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from nstar._engine.work import Execution  # noqa: E402
from nstar._verbs.simulate import simulate  # noqa: E402

ITEMS = [50, 100, 200, 500, 1000]
VALUES = {"delta": [0.0, 0.01, 0.02, 0.05, 0.1], "rho": [0.5, 0.8, 0.95]}
LAWS = ("normal", "beta")
REPS = 1000
CELLS_OF_A_SIZE = 15
"""Cells with one distribution and number of items."""
SAMPLE = ((0.0, 0.5), (0.02, 0.8), (0.1, 0.95))
"""Effects and correlations at which the script is run."""
PORTION = 1 << 15
TABLE, MILLION = 12_032, 1_000_000
P_B, RHO = 0.7, 0.4
NORMALS, SCRIPT, COMMON, MULTINOMIAL = 1.5, 100.0, 250.0, 2.0


def cpu(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


# --- the embedding study ------------------------------------------------------------------


def study(*, common: bool = False) -> None:
    for law in LAWS:
        simulate(
            law,
            items=ITEMS,
            tests=["t", "wilcoxon"],
            values=VALUES,
            reps=REPS,
            seed=1,
            common=common,
            execution=Execution(workers=1),
        )


def bare_normals() -> None:
    rng = np.random.Generator(np.random.SFC64(1))
    for items in ITEMS * (CELLS_OF_A_SIZE * len(LAWS)):
        rows = PORTION // items
        room = np.empty((rows, 2, items))
        for start in range(0, REPS, rows):
            rng.standard_normal(out=room[: min(rows, REPS - start)])


# --- the published script -----------------------------------------------------------------


def published(n: int, effect: float, corr: float, dist: str, reps: int) -> None:
    """One cell as published, line by line; its first model is the second here."""
    from scipy import stats  # noqa: PLC0415

    base_mean, base_sd, alpha = 0.65, 0.12, 0.05
    rejected = [0, 0]

    def look(sa: Any, sb: Any) -> None:
        _, tp = stats.ttest_rel(sb, sa)
        rejected[0] += tp < alpha
        try:
            _, wp = stats.wilcoxon(sb - sa, alternative="two-sided")
        except ValueError:
            wp = 1.0
        rejected[1] += wp < alpha

    def beta_params(mu: float, sd: float) -> tuple[float, float]:
        mu = float(np.clip(mu, 0.01, 0.99))
        var = sd**2
        if var >= mu * (1 - mu):
            var = mu * (1 - mu) * 0.9
        a = mu * (mu * (1 - mu) / var - 1)
        b = (1 - mu) * (mu * (1 - mu) / var - 1)
        return max(a, 0.5), max(b, 0.5)

    if dist == "normal":
        cov = corr * base_sd**2
        mean = [base_mean, base_mean + effect]
        matrix = [[base_sd**2, cov], [cov, base_sd**2]]
        for _ in range(reps):
            scores = np.clip(np.random.multivariate_normal(mean, matrix, size=n), 0, 1)
            look(scores[:, 0], scores[:, 1])
        return
    a1, b1 = beta_params(base_mean, base_sd)
    a2, b2 = beta_params(base_mean + effect, base_sd)
    for _ in range(reps):
        z = np.random.multivariate_normal([0, 0], [[1, corr], [corr, 1]], size=n)
        u = stats.norm.cdf(z)
        look(stats.beta.ppf(u[:, 0], a1, b1), stats.beta.ppf(u[:, 1], a2, b2))


def script_seconds(reps: int) -> float:
    """All 150 cells, extrapolated from three cells of each distribution and number of items."""
    published(50, 0.02, 0.8, "beta", 2)
    taken = 0.0
    for law, n, (effect, corr) in itertools.product(LAWS, ITEMS, SAMPLE):
        taken += cpu(lambda: published(n, effect, corr, law, reps))  # noqa: B023 called at once
    return taken * CELLS_OF_A_SIZE / len(SAMPLE) * REPS / reps


# --- a million tables ---------------------------------------------------------------------


def million() -> None:
    simulate(
        "bernoulli",
        items=[TABLE],
        tests=["midp"],
        values={"p_b": [P_B], "rho": [RHO]},
        reps=MILLION,
        execution=Execution(workers=1),
    )


def bare_multinomial() -> None:
    both = P_B * P_B + RHO * P_B * (1 - P_B)
    cells = [both, P_B - both, P_B - both, 1 - 2 * P_B + both]
    np.random.Generator(np.random.SFC64(1)).multinomial(TABLE, cells, size=MILLION)


# --- figures ------------------------------------------------------------------------------


def in_turns(repeat: int, *sides: Callable[[], float]) -> list[tuple[float, ...]]:
    """CPU seconds of each side, turn by turn."""
    return [tuple(side() for side in sides) for _ in range(repeat)]


def row(what: str, ours: int, other: int, turns: list[tuple[float, ...]], limit: str) -> str:
    """Medians of two sides and of their ratio: ours over the other, or how much faster we are."""
    mine, theirs = (statistics.median(turn[k] for turn in turns) for k in (ours, other))
    faster = limit.startswith("≥")
    up, down = (other, ours) if faster else (ours, other)
    ratio = statistics.median(turn[up] / turn[down] for turn in turns)
    shown = f"{ratio:.0f}" if faster else f"{ratio:.2f}"
    return f"| {what} | {mine:.2f} | {theirs:.2f} | {shown} × | {limit} |"


def report(given: argparse.Namespace) -> Iterator[str]:
    yield (
        f"CPU seconds, one thread, medians of {given.repeat} alternating turns; "
        f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}, "
        f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores at the beginning. "
        "The script is extrapolated."
    )
    yield ""
    yield "| what | nstar | other | ratio | limit |"
    yield "|---|---|---|---|---|"
    study()
    turns = in_turns(
        given.repeat,
        lambda: cpu(study),
        lambda: cpu(bare_normals),
        lambda: cpu(lambda: study(common=True)),
        lambda: script_seconds(given.script_reps),
    )
    name = "embedding study, independent draws"
    yield row(f"{name} / bare normals", 0, 1, turns, f"≤ {NORMALS:g}")
    yield row(f"published script / {name}", 0, 3, turns, f"≥ {SCRIPT:.0f}")
    name = "embedding study, common random numbers"
    yield row(f"published script / {name}", 2, 3, turns, f"≥ {COMMON:.0f}")
    million()
    turns = in_turns(given.repeat, lambda: cpu(million), lambda: cpu(bare_multinomial))
    name = f"{MILLION:,} tables, mid-p / bare multinomial draws"
    yield row(name, 0, 1, turns, f"≤ {MULTINOMIAL:g}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulation beside bare draws and the script.")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--script-reps", type=int, default=20)
    parser.add_argument("--write", action="store_true", help="write docs/evidence/performance.md")
    given = parser.parse_args()
    show(report(given), key="simulate", title="Simulation", write=given.write)


if __name__ == "__main__":
    main()
