"""Figures and numbers about one pair of models: pairing, and the MDE."""

import math

import numpy as np

from _concept_charts import Concept, Mark, PlotFrame, Stroke, curves, points, prose, table
from nstar import stats
from nstar.stats._binomial import log_pmf

__all__ = ["mde", "pairing"]

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
    figure = curves(
        title=title,
        subtitle=f"Two models near {100 * BASE:.0f}%, 80% power, α = 0.05. On the same items the "
        "number falls with the correlation. A formula that uses one variance gives half.",
        alt=f"{title}: on the same items from {rounded_up(needed(0))} at correlation 0 to "
        f"{rounded_up(needed(0.9))} at 0.9; on different items "
        f"{rounded_up(unpaired_items())} for each model at any "
        "correlation; a formula that uses only one model's variance gives half of the items "
        "needed.",
        strokes=(
            Stroke(name="same items", style="curve", xs=rhos, ys=[needed(r) for r in rhos]),
            Stroke(
                name="one model's variance: wrong",
                style="second",
                xs=rhos,
                ys=[one_arm(r) for r in rhos],
            ),
            Stroke(
                name="different items, each",
                style="axis w2",
                xs=rhos,
                ys=[unpaired_items()] * len(rhos),
            ),
        ),
        frame=PlotFrame(across="item correlation ρ", said_y=lambda v: f"{v:,.0f}", top=9000),
    )
    return Concept(figure=figure, sections={"error": _error_of_a_gap(), "items": _items_by_rho()})


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
    figure = curves(
        title=title,
        subtitle=f"Exact power of McNemar's mid-p test if exactly one model is right on "
        f"{100 * PSI:.0f}% of the items. Half of the gaps of the half-width are detected.",
        alt=f"{title} The power rises from 5% without a gap over {100 * at_half:.0f}% at the "
        f"half-width of the CI, {points(half)}, to {100 * at_mde:.0f}% at the MDE, "
        f"{points(detectable)}.",
        strokes=(
            Stroke(
                name="power",
                style="curve",
                xs=[100 * g for g in gaps],
                ys=power,
            ),
        ),
        frame=PlotFrame(
            across="true gap, pp",
            said_y=lambda v: f"{100 * v:.0f}%",
            top=1.0,
            marks=(
                Mark(x=100 * half, words=f"half-width: {100 * at_half:.0f}%", y=0.25, left=True),
                Mark(x=100 * detectable, words=f"MDE: {100 * at_mde:.0f}%", y=0.52),
            ),
        ),
    )
    return Concept(figure=figure, sections={"found": _found(half, detectable)})


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
