"""Figures and numbers of concepts: writes docs/figures/concept-*.svg and parts of the pages.

python scripts/concept_figures.py            write them
python scripts/concept_figures.py --check    exit 1 if any is stale
"""

import math
import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from textwrap import fill

import numpy as np

import nstar
from _section import DOCS, keep, keep_figure_words, keep_page
from nstar import stats
from nstar._verbs.budget import TaskVariances
from nstar.report.charts import Figure
from nstar.report.charts._canvas import Anchor, Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, TALL, line
from nstar.report.charts._scale import AxisScale, axis, height, linear, signed
from nstar.report.charts._text import width
from nstar.report.charts.ladder import NARROW, ladder
from nstar.report.documents import TextTable
from nstar.stats._binomial import log_pmf
from nstar.stats.adjust import _range_tail
from nstar.stats.eprocess_plan import e_process_crossing

Format = Callable[[float], str]
Curve = tuple[str, str, Sequence[float]]
"""Name in the legend, style, and values."""
Concept = tuple[Figure, dict[str, str]]
"""The figure of a page, and the parts of its text that contain numbers."""


def points(gap: float, digits: int = 1) -> str:
    return f"{100 * gap:.{digits}f} pp"


def percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f}%"


def thousands(value: float) -> str:
    return f"{value:,.0f}"


def pp_text(gap: float) -> str:
    return points(gap, 0)


def prose(text: str) -> str:
    """A paragraph in lines as long as those of the pages."""
    return fill(text, 116, break_on_hyphens=False)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, numbers behind the first column to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def curves(  # noqa: PLR0913 one drawing has as many properties
    *,
    title: str,
    subtitle: str,
    alt: str,
    across: str,
    xs: Sequence[float],
    lines: Sequence[Curve],
    top: float,
    y_text: Format,
    x_text: Format = signed,
    log_ticks: tuple[float, ...] = (),
    level: tuple[float, str] | None = None,
    marks: Sequence[tuple[float, str, float, Anchor]] = (),
) -> Figure:
    """Curves over common values of x, with a legend above them.

    ``log_ticks`` makes the horizontal axis logarithmic. ``level`` is a horizontal line with its
    text. A mark is a vertical line with its text, the height of the text as a share of the plot
    area, and the end of the text at the line.
    """
    canvas = Canvas()
    y = canvas.head(title, subtitle)
    y = canvas.legend(y, [(name, [(["M-8 0H8"], style)]) for name, style, _ in lines]) + 4
    at = linear(xs, LEFT, RIGHT, n_ticks=5, snug=True)
    if log_ticks:
        at = AxisScale(
            low=min(xs), high=max(xs), start=LEFT, stop=RIGHT, ticks=log_ticks, log=True
        )
    up = linear((0.0, top), y + TALL, y, n_ticks=4, snug=True)
    axis(canvas, at, y, y + TALL, x_text)
    height(canvas, up, LEFT, RIGHT, y_text)
    if level is not None:
        value, text = level
        canvas.path([f"M{num(LEFT)} {num(up(value))}H{num(RIGHT)}"], "level")
        canvas.text(RIGHT - width(text, 12), up(value) - 9, text, "s")
    for x, text, share, anchor in marks:
        canvas.path([f"M{num(at(x))} {num(y)}V{num(y + TALL)}"], "rule")
        shift = -6 if anchor == "end" else 6
        canvas.text(at(x) + shift, y + share * TALL, text, "s", anchor)
    for _, style, ys in lines:
        canvas.path([line([at(x) for x in xs], [up(v) for v in ys])], style)
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, across, "s", "middle")
    rows = tuple(
        (x_text(xs[i]), *(y_text(ys[i]) for *_, ys in lines))
        for i in range(0, len(xs), max(1, len(xs) // 12))
    )
    numbers = TextTable(title=title, header=(across, *(name for name, *_ in lines)), rows=rows)
    return canvas.figure(y + TALL + 42, title=title, alt=alt, table=numbers)


# --- pairing and the MDE ------------------------------------------------------------------

BASE, GAP = 0.70, 0.02
ITEMS, PSI = 1000, 0.20
RHOS = (0.0, 0.2, 0.4, 0.6, 0.8)


def needed(rho: float) -> float:
    return float(stats.paired_n_star_from_rates(BASE + GAP, BASE, rho))


def one_arm(rho: float) -> float:
    return float(stats.shortcut_n(BASE + GAP, BASE, rho, samples=1))


def unpaired_items() -> float:
    return float(stats.unpaired_n_star(BASE + GAP, BASE, method="unpooled"))


def rounded_up(n: float) -> str:
    return f"{math.ceil(n):,}"


def pairing() -> Concept:
    rhos = np.linspace(0, 0.9, 46).tolist()
    title = f"Items needed to detect {points(GAP, 0)}, by item correlation"
    drawing = curves(
        title=title,
        subtitle=f"Two models near {100 * BASE:.0f}%, 80% power, α = 0.05. On the same items the "
        "number falls with the correlation. A formula that uses one variance gives half.",
        alt=f"{title}: on the same items from {rounded_up(needed(0))} at correlation 0 to "
        f"{rounded_up(needed(0.9))} at 0.9; on different items "
        f"{rounded_up(unpaired_items())} for each model at any "
        "correlation; a formula that uses only one model's variance gives half of the items "
        "needed.",
        across="item correlation ρ",
        xs=rhos,
        lines=(
            ("same items", "curve", [needed(r) for r in rhos]),
            ("one model's variance: wrong", "second", [one_arm(r) for r in rhos]),
            ("different items, each", "axis w2", [unpaired_items()] * len(rhos)),
        ),
        top=9000,
        y_text=thousands,
    )
    return drawing, {"error": _error_of_a_gap(), "items": _items_by_rho()}


def _error_of_a_gap() -> str:
    rows = []
    for rho in RHOS:
        psi = float(stats.psi_from_rho(BASE + GAP, BASE, rho))
        sigma = float(stats.sigma_from_psi(psi, GAP))
        half = float(stats.half_width(ITEMS, sigma=sigma))
        rows.append((f"{rho:.1f}", f"{100 * psi:.0f}%", f"± {points(half)}"))
    each = [float(stats.wilson_half_width(ITEMS, p=p)) for p in (BASE + GAP, BASE)]
    unpaired = math.hypot(*each)
    text = prose(
        f"Two models at {100 * (BASE + GAP):.0f} and {100 * BASE:.0f}% on {ITEMS:,} items have "
        f"95% CIs of ± {points(each[0])} and ± {points(each[1])}. If the scores were independent, "
        f"the CI of the gap would be ± {points(unpaired)}. With pairing it is:"
    )
    return f"{text}\n\n" + table(("ρ", "disagreement ψ", "95% CI of the gap"), rows)


def _items_by_rho() -> str:
    rows = [
        (
            f"{rho:.1f}",
            rounded_up(needed(rho)),
            rounded_up(unpaired_items()),
            rounded_up(one_arm(rho)),
            f"{100 * _power_at(one_arm(rho), rho):.0f}%",
        )
        for rho in RHOS
    ]
    head = (
        "ρ",
        "same items",
        "different items, each",
        "one model's variance",
        "its real power",
    )
    return table(head, rows)


def _power_at(n: float, rho: float) -> float:
    psi = float(stats.psi_from_rho(BASE + GAP, BASE, rho))
    return float(stats.exact_power(GAP, psi=psi, n=math.ceil(n)))


def _winners(gap: float) -> tuple[float, float]:
    """Power, and the mean observed gap of significant results, by enumeration."""
    n = np.arange(1, ITEMS + 1, dtype=np.float64)
    weight = np.exp(log_pmf(n, np.full_like(n, ITEMS), PSI))
    n, weight = n[weight > 1e-14], weight[weight > 1e-14]
    theta = (PSI + gap) / (2 * PSI)
    power = mean_gap = 0.0
    for total, share in zip(n, weight, strict=True):
        b = np.arange(0.0, total + 1)
        p = share * np.exp(log_pmf(b, np.full_like(b, total), theta))
        hit = np.asarray(stats.mcnemar_pvalue(b, total - b)) <= 0.05
        power += float(p[hit].sum())
        mean_gap += float((p * np.abs(2 * b - total))[hit].sum()) / ITEMS
    return power, mean_gap / power


def mde() -> Concept:
    detectable = float(stats.paired_mde(ITEMS, psi=PSI))
    half = float(stats.half_width(ITEMS, sigma=math.sqrt(PSI)))
    gaps = np.linspace(0, 0.08, 81).tolist()
    power = [float(stats.exact_power(g, psi=PSI, n=ITEMS)) for g in gaps]
    at_half, at_mde = (float(stats.exact_power(g, psi=PSI, n=ITEMS)) for g in (half, detectable))
    title = f"Which gaps do {ITEMS:,} items detect?"
    drawing = curves(
        title=title,
        subtitle=f"Exact power of McNemar's mid-p test if exactly one model is right on "
        f"{100 * PSI:.0f}% of the items. Half of the gaps of the half-width are detected.",
        alt=f"{title} The power rises from 5% without a gap over {100 * at_half:.0f}% at the "
        f"half-width of the CI, {points(half)}, to {100 * at_mde:.0f}% at the MDE, "
        f"{points(detectable)}.",
        across="true gap, pp",
        xs=[100 * g for g in gaps],
        lines=(("power", "curve", power),),
        top=1.0,
        y_text=percent,
        marks=(
            (100 * half, f"half-width: {100 * at_half:.0f}%", 0.25, "end"),
            (100 * detectable, f"MDE: {100 * at_mde:.0f}%", 0.52, "start"),
        ),
    )
    return drawing, {"found": _found(half, detectable)}


def _found(half: float, detectable: float) -> str:
    rows = []
    for name, gap in (
        ("half of the MDE", detectable / 2),
        ("half-width of the CI", half),
        ("MDE", detectable),
        ("1.5 × MDE", 1.5 * detectable),
    ):
        power, mean_gap = _winners(gap)
        rows.append((name, points(gap), f"{100 * power:.0f}%", points(mean_gap)))
    head = ("true gap", "", "power", "mean observed gap if significant")
    return table(head, rows)


# --- clusters and runs --------------------------------------------------------------------

ICC, GROUPS = 0.036, 14
SIGMA = math.sqrt(PSI)
BASELINE, FLIP, RHO = 0.5, 0.3, 0.6
RUNS_EACH, TASKS = 1000, 100


def groups() -> Concept:
    items = np.geomspace(200, 50_000, 60).tolist()
    floor = float(stats.cluster_mde_floor(SIGMA, ICC, GROUPS))
    fixed = [float(stats.normal_mde(n, sigma=SIGMA)) for n in items]
    mdes = [float(stats.cluster_mde(SIGMA, n, GROUPS, icc=ICC)) for n in items]
    title = f"More items of the same {GROUPS} subjects"
    drawing = curves(
        title=title,
        subtitle="MDE at 80% power. For these subjects, every item helps. For new subjects, the "
        f"{GROUPS} subjects are the sample (ψ = {100 * PSI:.0f}%, ICC {ICC}).",
        alt=f"{title}: for these subjects the MDE falls from {points(fixed[0])} with "
        f"200 items to {points(fixed[-1])} with 50,000; for new subjects it falls from "
        f"{points(mdes[0])} to {points(mdes[-1])}, never below {points(floor)}.",
        across="items",
        xs=items,
        lines=(
            ("these subjects (strata)", "curve", fixed),
            ("new subjects (clusters)", "axis w2", mdes),
            (f"floor of {GROUPS} clusters", "second", [floor] * len(items)),
        ),
        top=0.12,
        y_text=pp_text,
        x_text=thousands,
        log_ticks=(500, 1000, 2000, 5000, 10_000, 20_000, 50_000),
    )
    return drawing, {"floor": _floors()}


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
    drawing = curves(
        title=title,
        subtitle=f"MDE at 80% power; two runs of a task disagree "
        f"{100 * FLIP:.0f}% of the time, success rates near {100 * BASELINE:.0f}% correlate "
        f"{RHO} over tasks.",
        alt=f"{title} With {RUNS_EACH:,} runs of each model the MDE grows from "
        f"{points(split[0])} with one run of {RUNS_EACH:,} tasks to {points(split[-1])} with 50 "
        f"runs of 20 tasks. With {TASKS} tasks more runs lower it from {points(mdes[0])} to "
        f"{points(mdes[-1])}, never below {points(floor)}.",
        across="runs of each task",
        xs=each,
        lines=(
            (f"{TASKS} tasks, more runs", "curve", mdes),
            (f"{RUNS_EACH:,} runs, fewer tasks", "axis w2", split),
            (f"floor of {TASKS} tasks", "second", [floor] * len(each)),
        ),
        top=0.25,
        y_text=pp_text,
        x_text=thousands,
        log_ticks=(1, 2, 5, 10, 20, 50),
    )
    return drawing, {"splits": _splits(spread)}


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


# --- ranks --------------------------------------------------------------------------------

BIRDS = ("kestrel", "plover", "siskin", "dipper", "bunting", "redstart", "martin", "crake")
ABILITY = (1.05, 0.93, 0.87, 0.80, 0.62, 0.58, 0.54, 0.20)


@cache
def board() -> nstar.Audit:
    """Eight synthetic models on items of unequal difficulty."""
    rng = np.random.default_rng(11)
    difficulty = rng.normal(size=ITEMS)
    noise = rng.normal(size=(len(BIRDS), ITEMS))
    right = np.array(ABILITY)[:, None] + noise > difficulty
    matrix = nstar.ScoreMatrix.from_arrays(
        right.astype(float), models=BIRDS, task="synthetic scores"
    )
    return nstar.audit(matrix, pairs="all")


@cache
def _is_significant() -> dict[tuple[str, str], bool]:
    p = board().pairs
    rows = zip(p.model_a, p.model_b, p.verdict, strict=True)
    is_significant = {(a, b): verdict == "significant" for a, b, verdict in rows}
    return is_significant | {(b, a): word for (a, b), word in is_significant.items()}


def _chain() -> str:
    """Three models of which only the outer two differ significantly."""
    is_significant, names = _is_significant(), board().ranking.model
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
    names, is_significant = board().ranking.model, _is_significant()
    n_significant = sum(is_significant.values()) // 2
    n_inconclusive = sum(not is_significant[a, b] for a, b in pairwise(names))
    text = prose(
        f"Of {len(is_significant) // 2} pairs, {n_significant} differ significantly after "
        "adjustment for all pairs. "
        f"Of {len(names) - 1} adjacent pairs, {n_inconclusive} are inconclusive. The scores "
        f"support {max(board().ranking.tier)} tiers."
    )
    return ladder(board(), width=NARROW), {"board": text, "chain": _chain(), "cost": _cost()}


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


# --- interim looks ------------------------------------------------------------------------

DISCORDANT, FIRST = 400, 10
LOOKS_GAP = 0.05


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
    careful = np.asarray(e_process_crossing(DISCORDANT, a=a)).tolist()
    counts = list(range(0, DISCORDANT + 1, 5))
    title = "Equal models, tested after every item"
    drawing = curves(
        title=title,
        subtitle="Exact probability of a false positive at any look. "
        f"p ≤ 0.05 is checked from discordant item {FIRST} on.",
        alt=f"{title}: stopping at p ≤ 0.05 gives {100 * naive[100]:.0f}% false positives by 100 "
        f"discordant items and {100 * naive[-1]:.0f}% by {DISCORDANT}; the e-value gives "
        f"{100 * careful[-1]:.1f}%, below 5% at every look.",
        across="items that exactly one model got right",
        xs=counts,
        lines=(
            ("p ≤ 0.05", "second", [naive[d] for d in counts]),
            ("e-value ≥ 20", "curve", [careful[d] for d in counts]),
        ),
        top=0.5,
        y_text=percent,
        level=(0.05, "5%, as stated"),
    )
    return drawing, {"errors": _errors(naive, careful), "price": _price()}


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
    fixed = math.ceil(stats.paired_n_star(LOOKS_GAP, psi=PSI))
    plan = stats.e_process_horizon(LOOKS_GAP, psi=PSI)
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
        f"to detect {points(LOOKS_GAP, 0)} at ψ = {100 * PSI:.0f}%",
        "maximum items",
        "mean items",
        "mean items, no gap",
    )
    return table(head, rows)


PAGES: dict[str, tuple[str, Callable[[], Concept]]] = {
    "start/reading-a-report": ("mde", mde),
    "concepts/pairing": ("pairing", pairing),
    "concepts/strata-or-clusters": ("strata-or-clusters", groups),
    "concepts/noise": ("noise", runs),
    "concepts/ranks": ("ranks", ranks),
    "concepts/peeking": ("peeking", peeking),
}
"""The figure of each page, and the function that computes it."""


def main() -> int:
    """Write the figures and the generated parts of the pages."""
    stale = 0
    for page, (name, concept_of) in PAGES.items():
        drawing, sections = concept_of()
        svg = drawing.render(".svg").decode("utf-8")
        stale += keep_page(DOCS / "figures" / f"concept-{name}.svg", svg)
        stale += sum(keep(f"{page}.md", section, text) for section, text in sections.items())
    stale += keep_figure_words()
    return int(stale > 0)


if __name__ == "__main__":
    sys.exit(main())
