"""Figures and numbers of three concepts about one pair: pairing, MDE and N*, and q."""

import math

import numpy as np

from _concept_charts import Concept, Field, Mark, Stroke, curves, points, prose, table
from nstar import stats
from nstar.report.prose.numbers import pvalue
from nstar.stats._binomial import log_pmf

__all__ = ["mde", "pairing", "q"]

BASE, GAP = 0.70, 0.02
ITEMS, PSI = 1000, 0.20
RHOS = (0.0, 0.2, 0.4, 0.6, 0.8)


def needed(rho: float) -> float:
    return float(stats.paired_n_star_from_rates(BASE + GAP, BASE, rho))


def one_arm(rho: float) -> float:
    return float(stats.shortcut_n(BASE + GAP, BASE, rho, samples=1))


def apart() -> float:
    return float(stats.unpaired_n_star(BASE + GAP, BASE, method="unpooled"))


def whole(n: float) -> str:
    return f"{math.ceil(n):,}"


def pairing() -> Concept:
    rhos = np.linspace(0, 0.9, 46).tolist()
    title = f"Items needed to see {points(GAP, 0)}, by item correlation"
    figure = curves(
        title=title,
        about=f"Two models near {100 * BASE:.0f}%, 80% power, α = 0.05. On the same items the "
        "need falls with the correlation; a formula with one model's variance asks for half.",
        alt=f"{title}: on the same items from {whole(needed(0))} at correlation 0 to "
        f"{whole(needed(0.9))} at 0.9; on different items {whole(apart())} for each model at any "
        "correlation; the formula with one model's variance asks for half of what is needed.",
        strokes=(
            Stroke(name="same items", style="curve", xs=rhos, ys=[needed(r) for r in rhos]),
            Stroke(
                name="one model's variance: wrong",
                style="second",
                xs=rhos,
                ys=[one_arm(r) for r in rhos],
            ),
            Stroke(
                name="different items, each", style="axis w2", xs=rhos, ys=[apart()] * len(rhos)
            ),
        ),
        frame=Field(across="item correlation ρ", said_y=lambda v: f"{v:,.0f}", top=9000),
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
    alone = math.hypot(*each)
    said = prose(
        f"Two models at {100 * (BASE + GAP):.0f} and {100 * BASE:.0f}% on {ITEMS:,} items have "
        f"± {points(each[0])} and ± {points(each[1])} each (95%). Taken for independent, their "
        f"gap has ± {points(alone)}. It really has:"
    )
    return f"{said}\n\n" + table(("ρ", "exactly one right, ψ", "95% of the gap"), rows)


def _items_by_rho() -> str:
    rows = [
        (
            f"{rho:.1f}",
            whole(needed(rho)),
            whole(apart()),
            whole(one_arm(rho)),
            f"{100 * _power_at(one_arm(rho), rho):.0f}%",
        )
        for rho in RHOS
    ]
    head = (
        "ρ",
        "same items",
        "different items, each",
        "one model's variance",
        "power it really has",
    )
    return table(head, rows)


def _power_at(n: float, rho: float) -> float:
    psi = float(stats.psi_from_rho(BASE + GAP, BASE, rho))
    return float(stats.exact_power(GAP, psi=psi, n=math.ceil(n)))


def _winners(gap: float) -> tuple[float, float]:
    """Chance to be significant, and the gap seen on average by those that are, by enumeration."""
    n = np.arange(1, ITEMS + 1, dtype=np.float64)
    weight = np.exp(log_pmf(n, np.full_like(n, ITEMS), PSI))
    n, weight = n[weight > 1e-14], weight[weight > 1e-14]
    theta = (PSI + gap) / (2 * PSI)
    power = seen = 0.0
    for total, share in zip(n, weight, strict=True):
        b = np.arange(0.0, total + 1)
        p = share * np.exp(log_pmf(b, np.full_like(b, total), theta))
        hit = np.asarray(stats.mcnemar_pvalue(b, total - b)) <= 0.05
        power += float(p[hit].sum())
        seen += float((p * np.abs(2 * b - total))[hit].sum()) / ITEMS
    return power, seen / power


def mde() -> Concept:
    least = float(stats.paired_mde(ITEMS, psi=PSI))
    half = float(stats.half_width(ITEMS, sigma=math.sqrt(PSI)))
    gaps = np.linspace(0, 0.08, 81).tolist()
    power = [float(stats.exact_power(g, psi=PSI, n=ITEMS)) for g in gaps]
    at_half, at_mde = (float(stats.exact_power(g, psi=PSI, n=ITEMS)) for g in (half, least))
    title = f"Which gaps do {ITEMS:,} items find?"
    figure = curves(
        title=title,
        about=f"Exact power of McNemar's mid-p test if exactly one model is right on "
        f"{100 * PSI:.0f}% of the items. A gap as wide as the interval's half is a coin toss.",
        alt=f"{title} The chance rises from 5% without a gap over {100 * at_half:.0f}% at the "
        f"half-width of the interval, {points(half)}, to {100 * at_mde:.0f}% at the MDE, "
        f"{points(least)}.",
        strokes=(
            Stroke(
                name="chance to find the gap",
                style="curve",
                xs=[100 * g for g in gaps],
                ys=power,
            ),
        ),
        frame=Field(
            across="true gap, pp",
            said_y=lambda v: f"{100 * v:.0f}%",
            top=1.0,
            marks=(
                Mark(x=100 * half, words=f"half-width: {100 * at_half:.0f}%", y=0.25, left=True),
                Mark(x=100 * least, words=f"MDE: {100 * at_mde:.0f}%", y=0.52),
            ),
        ),
    )
    return Concept(figure=figure, sections={"found": _found(half, least), "n": _n_by_gap()})


def _found(half: float, least: float) -> str:
    rows = []
    for name, gap in (
        ("half of the MDE", least / 2),
        ("half-width of the interval", half),
        ("MDE", least),
        ("1.5 × MDE", 1.5 * least),
    ):
        power, seen = _winners(gap)
        rows.append((name, points(gap), f"{100 * power:.0f}%", points(seen)))
    head = ("true gap", "", "found in", "the gap that is then seen, on average")
    return table(head, rows)


def _n_by_gap() -> str:
    gaps = (0.005, 0.01, 0.02, 0.05)
    rows = [(points(g), whole(float(stats.paired_n_star(g, psi=PSI)))) for g in gaps]
    return table((f"gap that matters (ψ = {100 * PSI:.0f}%)", "N\\*"), rows)


def q() -> Concept:
    k, z = float(stats.k_factor()), float(stats.z_alpha())
    ratios = np.square(np.linspace(0, math.sqrt(3), 61)).tolist()
    significant = np.asarray(stats.observed_power(ratios)).tolist()
    resolved = [_normal(k * math.sqrt(r) - k) for r in ratios]
    title = "What a benchmark with q = N/N* shows"
    figure = curves(
        title=title,
        about="At the true gap. With the items it takes (q = 1) the gap is significant 80% of "
        "the time, but the observed q reaches 1 only half of the time.",
        alt=f"{title}: the chance of p ≤ 0.05 is 80% at q = 1; the chance that the observed q "
        "is 1 or more is 50% there, and reaches 80% at q = "
        f"{((k + float(stats.z_power())) / k) ** 2:.2f}.",
        strokes=(
            Stroke(name="p ≤ 0.05, right direction", style="curve", xs=ratios, ys=significant),
            Stroke(name="observed q ≥ 1", style="second", xs=ratios, ys=resolved),
        ),
        frame=Field(
            across="true q = N/N*",
            said_y=lambda v: f"{100 * v:.0f}%",
            top=1.0,
            marks=(Mark(x=1.0, words="q = 1", y=0.93),),
        ),
    )
    return Concept(figure=figure, sections={"units": _units(z), "declared": _declared()})


def _normal(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def _units(z: float) -> str:
    rows = []
    for t in (z, 2.3263, float(stats.k_factor()), 3.2905, 4.0):
        observed = float(stats.q_hat(t))
        low, high = stats.q_interval(t)
        rows.append(
            (
                f"{t:.2f}",
                pvalue(math.erfc(t / math.sqrt(2))),
                f"{observed:.2f}",
                f"{100 * float(stats.observed_power(observed)):.0f}%",
                f"{float(low):.2f} to {float(high):.2f}",
            )
        )
    return table(
        ("T, the gap in standard errors", "p", "observed q", "“observed power”", "95% of q"), rows
    )


def _declared() -> str:
    sigma = 0.45
    rows = []
    for gap in (0.01, 0.02, 0.05):
        ratio = float(stats.q_at(gap, sigma=sigma, n=ITEMS))
        need = float(stats.normal_n_star(gap, sigma=sigma))
        rows.append((points(gap, 0), f"{ratio:.2f}", whole(need), "yes" if ratio >= 1 else "no"))
    head = (
        f"declared gap ({ITEMS:,} items, σ̂ = {sigma})",
        "q",
        "items needed",
        "resolved?",
    )
    return table(head, rows)
