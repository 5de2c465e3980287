"""Figures and numbers of two concepts about noise: groups of items, and repeated runs."""

import math

import numpy as np

from _concept_charts import Concept, PlotFrame, Stroke, curves, points, table
from nstar import stats
from nstar._verbs.budget import TaskVariances

__all__ = ["groups", "runs"]

PSI, ICC, GROUPS = 0.20, 0.036, 14
SIGMA = math.sqrt(PSI)
BASELINE, FLIP, RHO = 0.5, 0.3, 0.6
RUNS_EACH, TASKS = 1000, 100


def groups() -> Concept:
    items = np.geomspace(200, 50_000, 60).tolist()
    floor = float(stats.cluster_mde_floor(SIGMA, ICC, GROUPS))
    fixed = [float(stats.normal_mde(n, sigma=SIGMA)) for n in items]
    mdes = [float(stats.cluster_mde(SIGMA, n, GROUPS, icc=ICC)) for n in items]
    title = f"More items of the same {GROUPS} subjects"
    figure = curves(
        title=title,
        subtitle="MDE at 80% power. For these subjects, every item helps. For new subjects, the "
        f"{GROUPS} subjects are the sample (ψ = {100 * PSI:.0f}%, ICC {ICC}).",
        alt=f"{title}: for these subjects the MDE falls from {points(fixed[0])} with "
        f"200 items to {points(fixed[-1])} with 50,000; for new subjects it falls from "
        f"{points(mdes[0])} to {points(mdes[-1])}, never below {points(floor)}.",
        strokes=(
            Stroke(name="these subjects (strata)", style="curve", xs=items, ys=fixed),
            Stroke(name="new subjects (clusters)", style="axis w2", xs=items, ys=mdes),
            Stroke(
                name=f"floor of {GROUPS} clusters",
                style="second",
                xs=items,
                ys=[floor] * len(items),
            ),
        ),
        frame=PlotFrame(
            across="items",
            said_x=lambda v: f"{v:,.0f}",
            said_y=lambda v: f"{100 * v:.0f} pp",
            ticks=(500, 1000, 2000, 5000, 10_000, 20_000, 50_000),
            top=0.12,
        ),
    )
    return Concept(figure=figure, sections={"floor": _floors()})


def _floors() -> str:
    rows = []
    for count in (4, 6, 10, 14, 30, 100):
        floor = float(stats.cluster_mde_floor(SIGMA, ICC, count))
        min_pvalue = 2.0 ** (1 - count)
        rows.append(
            (
                f"{count}",
                f"{count - 1}",
                f"{float(stats.t_quantile(0.975, count - 1)):.2f}",
                points(floor),
                f"{min_pvalue:.2g}" if min_pvalue > 1e-6 else "below 1e-6",
            )
        )
    return table(
        (
            "clusters (equal, ICC 0.036)",
            "degrees of freedom",
            "t for 95%",
            "MDE, unlimited items",
            "smallest p of sign-flip test",
        ),
        rows,
    )


def _mde(spread: TaskVariances, tasks: float, each: float) -> float:
    return float(stats.t_mde(tasks, sigma=math.sqrt(spread.total(each, each))))


def runs() -> Concept:
    spread = TaskVariances.of_rates(BASELINE, FLIP, RHO)
    each = np.geomspace(1, 50, 40).tolist()
    split = [_mde(spread, RUNS_EACH / n, n) for n in each]
    mdes = [_mde(spread, TASKS, n) for n in each]
    floor = float(stats.t_mde(TASKS, sigma=math.sqrt(spread.sigma_b2)))
    title = "More runs, or more tasks?"
    figure = curves(
        title=title,
        subtitle=f"MDE at 80% power; two runs of a task disagree "
        f"{100 * FLIP:.0f}% of the time, success rates near {100 * BASELINE:.0f}% correlate "
        f"{RHO} over tasks.",
        alt=f"{title} With {RUNS_EACH:,} runs of each model the MDE grows from "
        f"{points(split[0])} with one run of {RUNS_EACH:,} tasks to {points(split[-1])} with 50 "
        f"runs of 20 tasks. With {TASKS} tasks more runs lower it from {points(mdes[0])} to "
        f"{points(mdes[-1])}, never below {points(floor)}.",
        strokes=(
            Stroke(name=f"{TASKS} tasks, more runs", style="curve", xs=each, ys=mdes),
            Stroke(
                name=f"{RUNS_EACH:,} runs, fewer tasks",
                style="axis w2",
                xs=each,
                ys=split,
            ),
            Stroke(
                name=f"floor of {TASKS} tasks",
                style="second",
                xs=each,
                ys=[floor] * len(each),
            ),
        ),
        frame=PlotFrame(
            across="runs of each task",
            said_x=lambda v: f"{v:,.0f}",
            said_y=lambda v: f"{100 * v:.0f} pp",
            ticks=(1, 2, 5, 10, 20, 50),
            top=0.25,
        ),
    )
    return Concept(figure=figure, sections={"splits": _splits(spread)})


def _splits(spread: TaskVariances) -> str:
    rows = []
    for each in (1, 2, 5, 10, 25, 50):
        tasks = RUNS_EACH // each
        total = spread.total(each, each)
        pooled = math.sqrt(spread.total(1, 1) / RUNS_EACH)
        rows.append(
            (
                f"{tasks:,} × {each}",
                points(math.sqrt(total / tasks)),
                points(pooled),
                f"{100 * (1 - spread.sigma_b2 / total):.0f}%",
                points(_mde(spread, tasks, each)),
            )
        )
    return table(
        (
            "tasks × runs",
            "SE of the gap",
            "SE if runs were items",
            "share of variance from runs",
            "MDE",
        ),
        rows,
    )
