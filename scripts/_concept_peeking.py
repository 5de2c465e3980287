"""Figure and numbers of the concept of peeking: a p-value and an e-value at every look."""

import math
from functools import cache

import numpy as np

from _concept_charts import Concept, PlotFrame, Stroke, curves, points, table
from nstar import stats

__all__ = ["peeking"]

DISCORDANT, FIRST = 400, 10
PSI, GAP = 0.20, 0.05


@cache
def _naive() -> tuple[float, ...]:
    """Chance that mid-p was ever ≤ 0.05 by each discordant item of equal models, exactly."""
    n = np.arange(DISCORDANT + 1)
    lead = 2 * stats.rejection_limits(n, alpha=0.05) - n
    walk = np.zeros(2 * DISCORDANT + 3)
    walk[DISCORDANT + 1] = 1.0
    away = np.abs(np.arange(2 * DISCORDANT + 3) - DISCORDANT - 1)
    out, crossed = [0.0], 0.0
    for d in range(1, DISCORDANT + 1):
        walk[1:-1] = 0.5 * (walk[:-2] + walk[2:])
        walk[0] = walk[-1] = 0.0
        if d >= FIRST:
            stop = away >= lead[d]
            crossed += float(walk[stop].sum())
            walk[stop] = 0.0
        out.append(crossed)
    return tuple(out)


def peeking() -> Concept:
    naive = _naive()
    a = float(stats.tuned_beta(DISCORDANT))
    careful = np.asarray(stats.e_process_crossing(DISCORDANT, a=a)).tolist()
    counts = list(range(0, DISCORDANT + 1, 5))
    title = "Equal models, tested after every item"
    figure = curves(
        title=title,
        subtitle="Exact probability of a false positive at any look. "
        f"p ≤ 0.05 is checked from discordant item {FIRST} on.",
        alt=f"{title}: stopping at p ≤ 0.05 gives {100 * naive[100]:.0f}% false positives by 100 "
        f"discordant items and {100 * naive[-1]:.0f}% by {DISCORDANT}; the e-value gives "
        f"{100 * careful[-1]:.1f}%, below 5% at every look.",
        strokes=(
            Stroke(name="p ≤ 0.05", style="second", xs=counts, ys=[naive[d] for d in counts]),
            Stroke(name="e-value ≥ 20", style="curve", xs=counts, ys=[careful[d] for d in counts]),
        ),
        frame=PlotFrame(
            across="items that exactly one model got right",
            said_y=lambda v: f"{100 * v:.0f}%",
            top=0.5,
            level=(0.05, "5%, as stated"),
        ),
    )
    return Concept(figure=figure, sections={"errors": _errors(naive, careful), "price": _price()})


def _errors(naive: tuple[float, ...], careful: list[float]) -> str:
    rows = [
        (f"{d}", f"{100 * naive[d]:.0f}%", f"{100 * careful[d]:.1f}%")
        for d in (25, 50, 100, 200, 400)
    ]
    return table(
        (
            "discordant items so far",
            f"p ≤ 0.05 at any look from the {FIRST}th on",
            "e-value ≥ 20 at any look",
        ),
        rows,
    )


def _price() -> str:
    fixed = math.ceil(stats.paired_n_star(GAP, psi=PSI))
    plan = stats.e_process_horizon(GAP, psi=PSI)
    five = stats.group_sequential(5)
    rows = [
        ("fixed sample size", *[f"{fixed:,}"] * 3),
        (
            "five interim looks (O'Brien–Fleming)",
            f"{math.ceil(five.inflation * fixed):,}",
            f"{round(five.cost(1.0) * fixed):,}",
            f"{round(five.cost(0.0) * fixed):,}",
        ),
        (
            "after every item (e-process)",
            f"{plan.n:,}",
            f"{round(plan.mean_stop):,}",
            f"{round(plan.mean_stop_null):,}",
        ),
    ]
    head = (
        f"to detect {points(GAP, 0)} at ψ = {100 * PSI:.0f}%",
        "maximum items",
        "mean items",
        "mean items, no gap",
    )
    return table(head, rows)
