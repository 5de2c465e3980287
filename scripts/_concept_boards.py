"""Figure and numbers about leaderboards: ranks, and families of comparisons."""

from functools import cache

import numpy as np

import nstar
from _concept_charts import Concept, prose, table
from nstar import stats
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas, num
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, axis, make_rows
from nstar.report.documents import TextTable
from nstar.stats.adjust import _range_tail

__all__ = ["ranks"]

BIRDS = ("kestrel", "plover", "siskin", "dipper", "bunting", "redstart", "martin", "crake")
ABILITY = (1.05, 0.93, 0.87, 0.80, 0.62, 0.58, 0.54, 0.20)
ITEMS = 1000


@cache
def board() -> nstar.Audit:
    """Eight synthetic models on items of unequal difficulty."""
    rng = np.random.default_rng(11)
    difficulty = rng.normal(size=ITEMS)
    noise = rng.normal(size=(len(BIRDS), ITEMS))
    right = np.array(ABILITY)[:, None] + noise > difficulty
    matrix = nstar.ScoreMatrix.from_arrays(right.astype(float), models=BIRDS, task="synthetic")
    return nstar.audit(matrix, pairs="all")


def _sets_figure() -> Figure:
    r = board().ranking
    title = f"{len(r)} models on {ITEMS:,} items: which ranks remain possible?"
    canvas = Canvas()
    y = canvas.head(title, "Dots: ranks by mean score. Bars: 95% rank ranges.")
    y = canvas.legend(
        y,
        (
            ("all models simultaneously", [(["M-6 0H6"], "ci w8")]),
            ("one model, chosen in advance", [(["M-6 0H6"], "wire w3")]),
            ("tier line", [(["M-8 0H8"], "rule")]),
        ),
    )
    rows = make_rows(len(r), y + 4, full=24, max_full=60)
    at = AxisScale(
        low=1, high=len(r), start=170, stop=WIDTH - 60, ticks=tuple(range(1, len(r) + 1))
    )
    axis(canvas, at, rows.top, rows.bottom)
    lines = (i for i in range(1, len(r)) if r.tier[i] != r.tier[i - 1])
    canvas.path([f"M{num(EDGE)} {num(rows(i - 0.5))}H{num(WIDTH - EDGE)}" for i in lines], "rule")
    for i in range(len(r)):
        canvas.text(EDGE, rows(i), r.model[i])
        canvas.text(150, rows(i), f"{100 * r.mean[i]:.1f}%", "s", "end")
        wide, narrow = (
            (r.rank_low[i], r.rank_high[i]),
            (r.marginal_rank_low[i], r.marginal_rank_high[i]),
        )
        for (low, high), style in ((wide, "ci w8"), (narrow, "wire w3")):
            canvas.path([f"M{num(at(low))} {num(rows(i))}H{num(at(high) + 0.01)}"], style)
        canvas.path([f"M{num(at(r.rank[i]))} {num(rows(i))}h0"], "dot w6")
        canvas.text(WIDTH - EDGE, rows(i), _span(*wide), "s", "end")
    canvas.text((170 + WIDTH - 60) / 2, rows.bottom + 26, "rank", "s", "middle")
    grid = TextTable(
        title=title,
        header=("model", "mean", "rank", "all models", "one model"),
        rows=tuple(
            (
                r.model[i],
                f"{100 * r.mean[i]:.1f}%",
                f"{r.rank[i]}",
                _span(r.rank_low[i], r.rank_high[i]),
                _span(r.marginal_rank_low[i], r.marginal_rank_high[i]),
            )
            for i in range(len(r))
        ),
    )
    sets = "; ".join(f"{r.model[i]} {_span(r.rank_low[i], r.rank_high[i])}" for i in range(len(r)))
    return canvas.figure(rows.bottom + 42, title=title, alt=f"{title} {sets}.", table=grid)


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}–{high}"


@cache
def _told_apart() -> dict[tuple[str, str], bool]:
    p = board().pairs
    rows = zip(p.model_a, p.model_b, p.verdict, strict=True)
    is_significant = {(a, b): verdict == "significant" for a, b, verdict in rows}
    return is_significant | {(b, a): word for (a, b), word in is_significant.items()}


def _chain() -> str:
    """Three models of which only the outer two differ significantly."""
    is_significant, names = _told_apart(), board().ranking.model
    a, b, c = next(
        (x, y, z)
        for i, x in enumerate(names)
        for j, y in enumerate(names[i + 1 :], i + 1)
        for z in names[j + 1 :]
        if not is_significant[x, y] and not is_significant[y, z] and is_significant[x, z]
    )
    return prose(
        f"On this leaderboard, {a} and {b} do not differ significantly, nor do {b} and {c}; but "
        f"{a} beats {c}. A group of “equals” would have to contain {b} twice."
    )


def ranks() -> Concept:
    r = board().ranking
    neighbors = sum(not _told_apart()[r.model[i], r.model[i + 1]] for i in range(len(r) - 1))
    verdicts = _told_apart()
    n_significant = sum(verdicts.values()) // 2
    text = prose(
        f"Of {len(verdicts) // 2} pairs, {n_significant} differ significantly after "
        "adjustment for all pairs. "
        f"Of {len(r) - 1} adjacent pairs, {neighbors} are inconclusive. The scores support "
        f"{max(r.tier)} tiers."
    )
    sections = {"board": text, "chain": _chain(), "cost": _cost()}
    return Concept(figure=_sets_figure(), sections=sections)


def _cost() -> str:
    z = float(stats.z_alpha())
    rows = []
    for m in (2, 5, 10, 20, 50):
        pairs = int(stats.family_size(m))
        false = float(_range_tail(np.array([z]), np.array([float(m)]))[0])
        each, tukey = float(stats.bonferroni_critical(pairs)), float(stats.tukey_critical(m))
        rows.append(
            (
                f"{m}",
                f"{pairs:,}",
                f"{100 * false:.0f}%",
                f"{each:.2f}",
                f"× {float(stats.inflation(each)):.2f}",
                f"{tukey:.2f}",
                f"× {float(stats.inflation(tukey)):.2f}",
            )
        )
    return table(
        (
            "models",
            "pairs",
            "any false positive, unadjusted",
            "Bonferroni: critical value",
            "items",
            "Tukey: critical value",
            "items",
        ),
        rows,
    )
