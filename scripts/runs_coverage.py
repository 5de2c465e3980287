"""Write the coverage of the intervals over tasks into docs/evidence/runs.md, by simulation.

Tasks have success rates from a Beta law; runs are 0/1 with that rate, or graded with that mean.
The second model keeps a task's rate with probability SAME and draws another one otherwise, so
that every variance is known in closed form. Some ten minutes.

    python scripts/runs_coverage.py
"""

import sys
from collections import defaultdict
from dataclasses import dataclass
from itertools import product

import numpy as np

from nstar import stats
from nstar._base.types import Array

LAWS = {"middling": (2.0, 2.0), "split": (0.4, 0.5), "near the ceiling": (3.0, 0.4)}
"""Beta laws of the success rates over tasks."""
SAME = 0.6
"""Share of tasks on which the two models have one success rate."""
TASKS, RUNS, REPLICATIONS = (10, 20, 50, 200), (2, 4, 10), 1000

LABELS = {
    "spread": "spread at the pilot's runs",
    "spread_1": "spread at one run",
    "between": "σ_b²",
    "within": "σ_w²",
    "task": "σ_task²",
    "within_once": "σ_w², half of the tasks ran once",
    "task_once": "σ_task², half of the tasks ran once",
    "pass_1": "pass^1",
    "pass_n": "pass^n",
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One law, one kind of score, one size."""

    law: tuple[float, float]
    graded: bool
    k: int
    n: int

    def truth(self) -> dict[str, float]:
        a, b = self.law
        mixed = a * b / ((a + b) * (a + b + 1))
        within = mixed / 3 if self.graded else mixed
        task = mixed / (a + b)
        between = 2 * (1 - SAME) * task
        known = {
            "spread": between + 2 * within / self.n,
            "spread_1": between + 2 * within,
            "between": between,
            "within": within,
            "task": task,
            "within_once": within,
            "task_once": task,
        }
        if not self.graded:
            i = np.arange(self.n)
            known |= {"pass_1": a / (a + b), "pass_n": float(np.prod((a + i) / (a + b + i)))}
        return known

    def scores(self, rates: Array, rng: np.random.Generator) -> Array:
        p = np.repeat(rates[:, None], self.n, axis=1)
        if not self.graded:
            return np.asarray(rng.random(p.shape) < p, dtype=np.float64)
        return rng.beta(np.maximum(2 * p, 1e-9), np.maximum(2 * (1 - p), 1e-9))

    def intervals(self, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
        """Every interval from one pilot."""
        rate, other = rng.beta(*self.law, (2, self.k))
        second = np.where(rng.random(self.k) < SAME, rate, other)
        a, b = self.scores(rate, rng), self.scores(second, rng)
        between, components = stats.components_interval(a, b).sigma_b2, stats.run_components(a)
        assert between is not None
        assert components.within_ci is not None
        assert components.task_ci is not None
        n = self.n
        partly = a.copy()
        partly[: self.k // 2, 1:] = np.nan
        once = stats.run_components(partly)
        assert once.within_ci is not None
        assert once.task_ci is not None
        by_name = {
            "spread": _pair(stats.spread_interval(a, b, runs_a=n, runs_b=n)),
            "spread_1": _pair(stats.spread_interval(a, b, runs_a=1, runs_b=1)),
            "between": _pair(between),
            "within": _pair(components.within_ci),
            "task": _pair(components.task_ci),
            "within_once": _pair(once.within_ci),
            "task_once": _pair(once.task_ci),
        }
        if not self.graded:
            curve = stats.pass_curve(n, a.sum(axis=1), kind="hat")
            by_name["pass_1"] = float(curve.low[0]), float(curve.high[0])
            by_name["pass_n"] = float(curve.low[-1]), float(curve.high[-1])
        return by_name


def _pair(ends: tuple[Array | float, Array | float]) -> tuple[float, float]:
    return float(ends[0]), float(ends[1])


def coverage(cell: Cell, replications: int, *, seed: int = 7) -> dict[str, float]:
    """Share of pilots whose interval holds the truth."""
    rng = np.random.default_rng(seed)
    truth = cell.truth()
    n_covered = dict.fromkeys(truth, 0)
    for _ in range(replications):
        for name, (low, high) in cell.intervals(rng).items():
            n_covered[name] += low <= truth[name] <= high
    return {name: count / replications for name, count in n_covered.items()}


def table() -> str:
    rates: dict[tuple[str, int], list[float]] = defaultdict(list)
    for law, graded, k, n in product(LAWS.values(), (False, True), TASKS, RUNS):
        cell = Cell(law=law, graded=graded, k=k, n=n)
        for name, rate in coverage(cell, REPLICATIONS).items():
            rates[name, k].append(rate)
    rows = ["| interval for | " + " | ".join(f"{k} tasks" for k in TASKS) + " |"]
    rows.append("|---|" + "---|" * len(TASKS))
    for name, label in LABELS.items():
        cells = [f"{np.mean(rates[name, k]):.3f} ({min(rates[name, k]):.3f})" for k in TASKS]
        rows.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


if __name__ == "__main__":
    from _section import keep  # tests load this file from elsewhere

    sys.exit(keep("evidence/runs.md", "runs", table()))
