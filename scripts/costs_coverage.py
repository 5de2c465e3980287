"""Coverage of the intervals of costs in ``nstar runs``, for docs/evidence/runs.md.

python scripts/costs_coverage.py            simulate (minutes), write the table
python scripts/costs_coverage.py --check    exit 1 if the page has another table
"""

import sys

import numpy as np
from scipy import special

from _section import keep
from nstar import RunTable
from nstar._base.types import Interval
from nstar._verbs.runs import analyzed
from nstar._verbs.verdict import Criteria
from nstar.stats.ratios import ratio_change_interval

KINDS = {"hard": (0.5, 2.0, 0.5), "mixed": (0.8, 1.0, 0.5), "skewed costs": (0.8, 1.0, 1.0)}
"""Beta law of success rates, and sd of a task's log cost."""
TASKS = (10, 20, 50, 200)
RUNS, NOISE, REPEATS, CONF = 4, 0.4, 1000, 0.95
ROWS = (
    "cost per run",
    "cost per success",
    "the same, symmetric in money",
    "times, two models",
    "a point less standard error, by tasks",
)


def truth(a: float, b: float, sd: float) -> tuple[float, float, float]:
    """Mean cost of a run, cost per success, variance over tasks of observed means."""
    x, w = special.roots_jacobi(80, b - 1, a - 1)
    p, w = (x + 1) / 2, w / w.sum()
    cost = float(w @ np.exp(1 - p)) * np.exp((sd**2 + NOISE**2) / 2)
    mean, square = float(w @ p), float(w @ p**2)
    return cost, cost / mean, square - mean**2 + (mean - square) / RUNS


def draw_table(rng: np.random.Generator, k: int, law: tuple[float, float, float]) -> RunTable:
    """Tasks of which the hard ones cost more."""
    a, b, sd = law
    p = rng.beta(a, b, k)
    of_task = np.exp(sd * rng.normal(size=k) + 1 - p)
    cost = of_task[:, None] * np.exp(NOISE * rng.normal(size=(k, RUNS)))
    scores = (rng.random((k, RUNS)) < p[:, None]).astype(float)
    names = tuple(map(str, range(k)))
    return RunTable(
        model="m",
        task="",
        items=names,
        runs=names[:RUNS],
        scores=scores,
        cost=cost,
        blocks=False,
    )


def covered_truths(
    rng: np.random.Generator, k: int, law: tuple[float, float, float]
) -> list[bool | None]:
    """Which of the intervals of one evaluation hold the truth; None where there is none."""
    per_run, per_success, spread2 = truth(*law)
    table, other = draw_table(rng, k, law), draw_table(rng, k, law)
    costs = analyzed([table], Criteria()).costs
    assert costs is not None
    model_costs = costs.model_costs[0]
    out: list[bool | None] = [
        _inside(model_costs.cost_per_run_ci, per_run),
        None,
        None,
        None,
        None,
    ]
    assert table.cost is not None
    x, y = table.cost.mean(axis=1), table.scores.mean(axis=1)
    if model_costs.cost_per_success is not None:
        out[1] = _inside(model_costs.cost_per_success_ci, per_success)
        off = (x - model_costs.cost_per_success * y) / y.mean()
        half = special.stdtrit(k - 1, 0.5 + CONF / 2) * off.std(ddof=1) / np.sqrt(k)
        out[2] = bool(abs(model_costs.cost_per_success - per_success) <= half)
        if other.scores.any() and other.cost is not None:
            parts = (other.cost.mean(axis=1), other.scores.mean(axis=1))
            out[3] = _inside(ratio_change_interval(x, y, *parts), 1.0)
    sure = costs.precision_cost
    if sure is not None and sure.more_tasks is not None and sure.more_tasks.cost_ci is not None:
        size = np.sqrt(spread2 / k)
        price = per_run * RUNS * k * ((size / (size - sure.reduction)) ** 2 - 1)
        out[4] = _inside(sure.more_tasks.cost_ci, price) if size > sure.reduction else None
    return out


def _inside(ends: Interval | None, value: float) -> bool | None:
    return None if ends is None else bool(ends[0] <= value <= ends[1])


def table() -> str:
    """Lowest coverage over the kinds of tasks, by number of tasks."""
    lowest = np.ones((len(ROWS), len(TASKS)))
    for j, k in enumerate(TASKS):
        for law in KINDS.values():
            rng = np.random.default_rng(20261117)
            outcomes = np.array([covered_truths(rng, k, law) for _ in range(REPEATS)], dtype=float)
            lowest[:, j] = np.minimum(lowest[:, j], np.nanmean(outcomes, axis=0))
    head = "| interval of | " + " | ".join(f"{k} tasks" for k in TASKS) + " |"
    lines = (
        f"| {row} | " + " | ".join(f"{v:.3f}" for v in line) + " |"
        for row, line in zip(ROWS, lowest, strict=True)
    )
    return "\n".join([head, "|---" * (len(TASKS) + 1) + "|", *lines])


if __name__ == "__main__":
    sys.exit(keep("evidence/runs.md", "costs", table()))
