"""Published figures recomputed by nstar: writes docs/evidence/published-figures.md and a summary.

``--check`` compares instead of writing: exit status 1 and a short diff if the page is stale.
Every verdict is the outcome of a comparison; the one we expect stands beside it and is
asserted, so that a change in the kernel cannot silently turn a right figure into a wrong one.
"""

import argparse
import difflib
import math
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from scipy import special

import _published_votes as votes
from _published import (
    ABOUT,
    P_VALUE,
    SIMULATION,
    SIZE,
    Check,
    Document,
    Row,
    Verdict,
    attributed,
    between,
    claim,
    coherent,
    items,
    points,
    possible,
    rounds,
    same,
    sigma_at,
    simulated,
)
from _section import keep
from nstar import stats
from nstar.types import Interval

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "published-figures.md"

# --- documents ----------------------------------------------------------------------------


def pairwise() -> Document:
    table = {
        0.0: (65_920, 16_480, 4_120),
        0.4: (39_552, 9_888, 2_472),
        0.6: (26_368, 6_592, 1_648),
        0.8: (13_184, 3_296, 824),
    }
    rows = []
    for rho, sizes in table.items():
        for delta, printed in zip((0.005, 0.01, 0.02), sizes, strict=True):
            n = float(stats.normal_n_star(delta, sigma=sigma_at(0.7, rho)))
            match = stats.match_sample_size(printed, p=0.7, delta=delta, rho=rho)[0]
            rows.append(
                Row(
                    source="§3, table",
                    quantity=f"items, accuracy 70%, gap {points(delta)}, rho {rho}",
                    printed=items(printed),
                    nstar=items(n),
                    check=same(printed, n),
                    expect="wrong",
                    why=f"{printed / n:.2f} of the need: {match.formula}",
                    values=(n,),
                )
            )
    rows += [*_pairwise_code(), _pairwise_abstract(), *_pairwise_mde()]
    return Document(
        key="pairwise",
        title='"Power Analysis for Pairwise Model Comparisons on Reasoning Benchmarks" '
        "(clawRxiv 2604.01974)",
        summary="The formula and the calculator are right. The table uses the variance of one "
        "model, 0.21 (1 - rho), instead of the variance of the difference, 0.42 (1 - rho): every "
        "size in it is half of what is needed.",
        rows=tuple(rows),
    )


def _required_n(p_a: float, p_b: float, rho: float) -> float:
    """The document's own calculator, line by line."""
    var_a, var_b = p_a * (1 - p_a), p_b * (1 - p_b)
    var_d = var_a + var_b - 2 * rho * (var_a * var_b) ** 0.5
    return float(stats.k_factor()) ** 2 * var_d / (p_a - p_b) ** 2


def _pairwise_code() -> list[Row]:
    rows = []
    for p_a, p_b, rho, table in ((0.705, 0.695, 0.4, 9_888), (0.71, 0.70, 0.0, 16_480)):
        n_required = _required_n(p_a, p_b, rho)
        n = float(stats.paired_n_star_from_rates(p_a, p_b, rho, method="wald"))
        case = f"{p_a:.1%} against {p_b:.1%}, rho {rho}"
        rows += [
            Row(
                source="§5, code",
                quantity=f"items by its calculator, {case}",
                printed=f"{n_required:,.1f} (when run)",
                nstar=f"{n:,.1f}",
                check=same(n_required, n, rel=1e-6),
                expect="right",
                why="the formula of §3, correctly coded",
                values=(n,),
            ),
            Row(
                source="§3 and §5",
                quantity=f"table against calculator, {case}",
                printed=items(table),
                nstar=f"{n:,.1f}",
                check=coherent(same(table, n).holds),
                expect="inconsistent",
                why="its own code gives twice its table",
                values=(n,),
            ),
        ]
    return rows


def _pairwise_abstract() -> Row:
    low, high = (float(stats.normal_n_star(0.01, sigma=sigma_at(0.7, r))) for r in (0.7, 0.4))
    return Row(
        source="abstract",
        quantity="items, gap 1 pp, rho from 0.7 to 0.4",
        printed="3,800 to 9,600",
        nstar=f"{items(low)} to {items(high)}",
        check=claim(same(3_800, low).holds and same(9_600, high).holds),
        expect="wrong",
        why=f"even the halved formula gives {items(low / 2)} to {items(high / 2)}",
        values=(low, high),
    )


def _pairwise_mde() -> list[Row]:
    unpaired_mde = float(stats.normal_mde(1000, sigma=sigma_at(0.7, 0.0)))
    min_rho = 1 - (0.03 / unpaired_mde) ** 2
    rows = []
    for rho in (0.0, 0.4, 0.5, 0.6, 0.7, 0.8):
        gap = float(stats.normal_mde(1000, sigma=sigma_at(0.7, rho)))
        rows.append(
            Row(
                source="§3, last line",
                quantity=f"detectable gap on 1,000 items, rho {rho}",
                printed="2 to 3 pp",
                nstar=points(gap, 2),
                check=between(gap, 0.02, 0.03),
                expect="right" if rho == 0.8 else "wrong",
                why="its five benchmarks have a mean rho of 0.41 to 0.69"
                if rho < min_rho
                else f"from rho {min_rho:.2f} on, which none of its benchmarks has on average",
                values=(gap,),
            )
        )
    return rows


def tasks_216() -> Document:
    up = float(stats.unpaired_mde(216, p=0.74))
    paired = float(stats.paired_mde_from_rate(216, p_b=0.74, rho=0.5, method="wald"))
    rows = [
        Row(
            source="MDE section",
            quantity="detectable gain, 216 tasks, baseline 74%",
            printed="+10.9 pp",
            nstar=points(up, 2),
            check=rounds(0.109, up, 0.001),
            expect="right",
            why="for two independent sets of tasks; on the same tasks and at rho 0.5 it is "
            + points(paired),
            values=(up, paired),
        )
    ]
    for name, rate, printed, low, high in (
        ("+3", 0.77, "multi-thousand", 2_000.0, 10_000.0),
        ("+5", 0.79, "~1,100+", 1_100.0, 1_100 * (1 + ABOUT)),
        ("+8", 0.82, "400+", 400.0, 400 * (1 + ABOUT)),
    ):
        n = float(stats.unpaired_n_star(rate, 0.74))
        rows.append(
            Row(
                source="design section",
                quantity=f"tasks for {name} pp from 74%",
                printed=printed,
                nstar=items(n),
                check=between(n, low, high),
                expect="right",
                why="per model, if their tasks differ",
                values=(n,),
            )
        )
    return Document(
        key="216",
        title='"Understanding Power and Sample Size in Benchmark Evaluations: Why a '
        'Non-Significant Result Might Be Misleading" (the 216-task article)',
        summary="The planning figures are right for independent samples, and the advice on p = 0 "
        "is right. The quoted evaluation report has a one-sided p-value in place of a two-sided "
        "one, and gaps that 216 pass/fail tasks cannot have.",
        rows=(*rows, *_quoted_report()),
    )


def _quoted_report() -> list[Row]:
    a = stats.p_from_interval(-2.34, Interval(np.asarray(-11.09), np.asarray(6.20)), p=0.71)
    b = stats.p_from_interval(22.18, Interval(np.asarray(14.43), np.asarray(29.82)))
    min_pvalue = float(stats.monte_carlo_pvalue(0, 2000))
    rows = [
        Row(
            source="introduction, quoted report",
            quantity="two-sided p of -2.34 [-11.09, +6.20]",
            printed="0.71",
            nstar=f"{a.p_two_sided:.2f}",
            check=coherent(abs(0.71 - a.p_two_sided) <= P_VALUE),
            expect="inconsistent",
            why=f"the share of resamples below 0 would be {a.p_one_sided:.2f}: a one-sided figure",
            values=(a.p_two_sided, a.p_one_sided),
        ),
        Row(
            source="introduction, quoted report",
            quantity="p of +22.18 from 2,000 resamples",
            printed="0.0",
            nstar=f"at least {min_pvalue:.5f}",
            check=possible(min_pvalue <= 0.0),
            expect="impossible",
            why="p is at least 1/(B + 1), as the article itself says; the interval implies "
            f"{b.p_two_sided:.0e}",
            values=(min_pvalue, b.p_two_sided),
        ),
        Row(
            source="bootstrap section",
            quantity="p when 0 of 2,000 resamples are as extreme",
            printed="0.00050",
            nstar=f"{min_pvalue:.5f}",
            check=rounds(0.00050, min_pvalue, 1e-5),
            expect="right",
            why="(r + 1)/(B + 1)",
            values=(min_pvalue,),
        ),
    ]
    for printed in (2.34, 22.18):
        g = stats.grim(printed / 100, 216, decimals=4)
        rows.append(
            Row(
                source="introduction, quoted report",
                quantity=f"{printed} pp as a difference over 216 pass/fail tasks",
                printed=f"{printed} pp",
                nstar=f"nearest {100 * g.nearest:.2f} pp",
                check=possible(g.possible),
                expect="impossible",
                why="not a multiple of 1/216: a mean of resamples, or not pass/fail",
                values=(g.nearest,),
            )
        )
    return rows


MMLU_PRO = (717, 789, 1132, 410, 844, 969, 818, 381, 1101, 1351, 924, 499, 1299, 798)
"""Items per subject, biology to psychology in alphabetical order; 12,032 in all."""


def resolution() -> Document:
    return Document(
        key="resolution",
        title='"Resolution Diagnostics for Paired LLM Evaluation" (arXiv 2605.30315), as given '
        "in a public summary",
        summary="The lemma and nearly all figures are right. However, the factor of two is "
        "attributed to calculators that do not make this mistake, and the design effect uses the "
        "plain mean of very unequal subject sizes. Also, q at the observed gap is a function of "
        "observed power.",
        rows=(
            *_resolution_q(),
            *_resolution_family(),
            *_resolution_cluster(),
            *_resolution_shortcut(),
        ),
    )


def _resolution_q() -> list[Row]:
    k = float(stats.k_factor())
    p_z = float(stats.mcnemar_pvalue(296, 250, method="asymptotic"))
    p_exact = float(stats.mcnemar_pvalue(296, 250, method="exact"))
    q = float(stats.q_hat(stats.t_stat(296, 250, 10042)))
    t = np.linspace(0.0, 6.0, 61)
    gap = float(
        np.max(
            np.abs(stats.observed_power(stats.q_hat(t)) - stats.normal_power(t, sigma=1.0, n=1))
        )
    )
    return [
        Row(
            source="key design 1",
            quantity="|T| at which q = 1",
            printed="2.80",
            nstar=f"{k:.4f}",
            check=rounds(2.80, k, 0.01),
            expect="right",
            why=f"which is p = {float(2 * special.ndtr(-k)):.4f}",
            values=(k,),
        ),
        Row(
            source="HellaSwag example",
            quantity="+0.46 pp on 10,042 items: chi-squared p, exact p, q",
            printed="0.049, 0.054, about 1/2",
            nstar=f"{p_z:.4f}, {p_exact:.4f}, {q:.3f}",
            check=claim(
                rounds(0.049, p_z, 1e-3).holds
                and rounds(0.054, p_exact, 1e-3).holds
                and rounds(0.5, q, 0.1).holds
            ),
            expect="right",
            why="296 items gained and 250 lost fit all three",
            values=(p_z, p_exact, q),
        ),
        Row(
            source="key design 1",
            quantity="q at the observed gap is not observed power",
            printed="avoids that trap",
            nstar="equal" if gap < 1e-12 else f"{gap:.1e} apart",
            check=claim(gap > 1e-12),
            expect="wrong",
            why="observed power is Phi(K √q - 1.96): one-to-one with q, and with p; a gap "
            "declared in advance avoids it",
            values=(gap,),
        ),
    ]


def _resolution_family() -> list[Row]:
    cases: tuple[tuple[int, Verdict, str], ...] = (
        (40, "right", "Open LLM Leaderboard"),
        (9, "wrong", "MMLU-Pro: one factor is printed for both, that of 40 pairs"),
    )
    rows = []
    for m, expect, reason in cases:
        factor = float(stats.inflation(stats.bonferroni_critical(m)))
        rows.append(
            Row(
                source="table of paradigms",
                quantity=f"growth of N* by Bonferroni over {m} pairs",
                printed="~2.11",
                nstar=f"{factor:.3f}",
                check=rounds(2.11, factor, 0.01),
                expect=expect,
                why=reason,
                values=(factor,),
            )
        )
    unresolved = {"Bonferroni": 4, "anytime-valid": 5, "clustering": 6}
    rows.append(
        Row(
            source="TL;DR of the summary",
            quantity="6 of 9 unresolved after multiplicity, clustering and anytime-validity",
            printed="6/9",
            nstar=", ".join(f"{k} {v}/9" for k, v in unresolved.items()) + " (its own table)",
            check=attributed(set(unresolved.values()) == {6}),
            expect="misattributed",
            why="clustering alone gives 6; the abstract of the paper says so correctly",
            values=tuple(float(v) for v in unresolved.values()),
        )
    )
    return rows


def _resolution_cluster() -> list[Row]:
    mean = sum(MMLU_PRO) / len(MMLU_PRO)
    weighted = sum(m * m for m in MMLU_PRO) / sum(MMLU_PRO)
    plain = [float(stats.design_effect_equal(icc, mean)) for icc in (0.0355, 0.036, 0.0365)]
    kish = [float(stats.design_effect(icc, MMLU_PRO)) for icc in (0.0355, 0.036, 0.0365)]
    low, mid, high = (
        float(stats.cluster_n_star(n, de))
        for n, de in ((431.5, 31.45), (432.0, 31.5), (432.5, 31.55))
    )
    kish_n = float(stats.cluster_n_star(432, kish[1]))
    return [
        Row(
            source="clustering column",
            quantity="1 + (mean size - 1) ICC, 14 subjects, ICC 0.036",
            printed="31.5",
            nstar=f"{plain[1]:.1f}",
            check=between(31.5, plain[0], plain[2]),
            expect="right",
            why=f"{plain[0]:.1f} to {plain[2]:.1f} for an ICC that rounds to 0.036",
            values=(plain[1],),
        ),
        Row(
            source="clustering column",
            quantity="design effect of the mean over items, ICC 0.036",
            printed="31.5",
            nstar=f"{kish[1]:.1f}",
            check=between(31.5, kish[0], kish[2]),
            expect="wrong",
            why=f"the sizes run from {min(MMLU_PRO)} to {items(max(MMLU_PRO))}, and Kish's "
            f"formula weights them: Σm²/N = {weighted:.0f}, not {mean:.0f}",
            values=(kish[1],),
        ),
        Row(
            source="clustering column",
            quantity="N* of ranks 4 and 5 with clusters, from 432",
            printed="13,621",
            nstar=items(mid),
            check=between(13_621, low, high),
            expect="right",
            why=f"432 × 31.5, within rounding; with Kish's factor {items(kish_n)}",
            values=(mid, kish_n),
        ),
    ]


def _resolution_shortcut() -> list[Row]:
    n_star = float(stats.paired_n_star_from_rates(0.505, 0.495, 0.5, method="wald"))
    one, two = (float(stats.shortcut_n(0.505, 0.495, 0.5, samples=s)) / n_star for s in (1, 2))
    c_half = [float(c) for c in stats.shortcut_coefficient(0.5, [0.0, 0.5, 0.9])]
    c_80 = float(stats.shortcut_coefficient(0.8, 0.5))
    limit = float(stats.shortcut_delta_limit(0.8, 0.5))
    return [
        Row(
            source="lemma 1",
            quantity="(1 - rho) × one-sample K²/h², over N*",
            printed="0.500",
            nstar=f"{one:.3f}",
            check=rounds(0.5, one, 1e-3),
            expect="right",
            why="gap 1 pp around 50%, rho 0.5",
            values=(one,),
        ),
        Row(
            source="abstract of the paper, key design 2",
            quantity="(1 - rho) × per-arm output of R pwr or Cohen's tables, over N*",
            printed="0.5",
            nstar=f"{two:.3f}",
            check=rounds(0.5, two, 0.1),
            expect="wrong",
            why="two-sample calculators return 2K²/h² per arm, so the shortcut is then right; "
            "only the one-sample K²/h² halves",
            values=(two,),
        ),
        Row(
            source="lemma 1",
            quantity="C at accuracy 50%, any rho",
            printed="1/3",
            nstar=f"{c_half[0]:.4f}",
            check=claim(all(abs(c - 1 / 3) < 1e-12 for c in c_half)),
            expect="right",
            why="whatever rho, as it says",
            values=tuple(c_half),
        ),
        Row(
            source="corollary 1",
            quantity="√(ε/C) at accuracy 80%, rho 0.5, ε 0.01",
            printed="√(ε/C)",
            nstar=f"C = {c_80:.3f}",
            check=possible(c_80 > 0),
            expect="impossible",
            why=f"C turns negative away from 50%; √(ε/|C|) = {limit:.3f}",
            values=(c_80, limit),
        ),
    ]


RHOS = (0.5, 0.8, 0.95)
POWERS = {
    0.01: {
        50: (0.081, 0.152, 0.432),
        100: (0.134, 0.262, 0.732),
        200: (0.223, 0.463, 0.964),
        500: (0.440, 0.842, 1.000),
        1000: (0.735, 0.989, 1.000),
    },
    0.02: {
        50: (0.217, 0.437, 0.955),
        100: (0.369, 0.763, 0.999),
        200: (0.653, 0.957, 1.000),
        500: (0.960, 1.000, 1.000),
        1000: (1.000, 1.000, 1.000),
    },
}
DETECTABLE = {
    50: (0.048, 0.030, 0.015),
    100: (0.034, 0.021, 0.011),
    200: (0.024, 0.015, 0.008),
    500: (0.015, 0.010, 0.005),
    1000: (0.011, 0.007, 0.003),
}
LEAST_ITEMS = {
    (0.01, 0.5): (">1000", 1000, math.inf),
    (0.01, 0.8): ("500-1000", 500, 1000),
    (0.01, 0.95): ("100-200", 100, 200),
    (0.02, 0.5): ("200-500", 200, 500),
    (0.02, 0.8): ("100-200", 100, 200),
    (0.02, 0.95): ("<50", 0, 50),
    (0.05, 0.5): ("50", 0, 50),
    (0.05, 0.8): ("<50", 0, 50),
    (0.05, 0.95): ("<50", 0, 50),
    (0.10, 0.5): ("<50", 0, 50),
    (0.10, 0.8): ("<50", 0, 50),
    (0.10, 0.95): ("<50", 0, 50),
}
NORMAL_T = "56 53 56 52 50 42 47 40 48 48 37 57 48 46 58"
NORMAL_W = "55 52 52 46 52 43 49 40 47 49 40 56 46 43 56"
BETA_T = "57 48 50 61 60 56 56 51 47 39 58 45 42 57 56"
BETA_W = "60 51 44 60 55 59 59 59 49 39 58 49 41 56 60"
"""Its table of type I errors, in thousandths."""


def graded_sd(rho: float) -> float:
    return float(stats.sigma_from_sds(0.12, 0.12, rho))


def t_power(n: float, delta: float, rho: float) -> float:
    return float(stats.t_power(delta, sigma=graded_sd(rho), n=n))


def embeddings() -> Document:
    return Document(
        key="embeddings",
        title='"How Many Test Pairs Do You Need? Statistical Power Analysis for Embedding Model '
        'Comparisons" (clawRxiv 2604.01075)',
        summary="The simulation is right in every cell. Several sentences contradict its tables "
        "or misinterpret the minimum detectable effect.",
        rows=(*_pairs_tables(), *_pairs_items(), *_pairs_sentences(), *_pairs_arithmetic()),
    )


def _pairs_tables() -> list[Row]:
    rows = []
    for delta, table in POWERS.items():
        printed = [x for line in table.values() for x in line]
        got = [t_power(n, delta, rho) for n in table for rho in RHOS]
        check, worst = simulated(printed, got, 1000)
        rows.append(
            Row(
                source=f"§4, table for {delta}",
                quantity=f"power of the t test, 15 cells, gap {delta}",
                printed=f"{printed[0]:.3f} … {printed[-1]:.3f}",
                nstar=f"{got[0]:.3f} … {got[-1]:.3f}",
                check=check,
                expect="right",
                why=f"worst cell {worst:.1f} simulation errors off",
                values=tuple(got),
            )
        )
    cells = [
        (x, n, rho) for n, line in DETECTABLE.items() for x, rho in zip(line, RHOS, strict=True)
    ]
    gaps = [float(stats.t_mde(n, sigma=graded_sd(rho))) for _, n, rho in cells]
    off = max(abs(c[0] - g) for c, g in zip(cells, gaps, strict=True))
    rows.append(
        Row(
            source="§9, table",
            quantity="minimum detectable effect, 15 cells, each with a ~",
            printed="~0.048 … ~0.003",
            nstar=f"{gaps[0]:.4f} … {gaps[-1]:.4f}",
            check=claim(off < 1e-3),
            expect="right",
            why=f"worst cell off by {off:.4f}, less than a unit of its last digit",
            values=tuple(gaps),
        )
    )
    high = t_power(50, 0.05, 0.5)
    check, _ = simulated([0.818], [high], 1000)
    all_100 = t_power(100, 0.05, 0.5)
    rows.append(
        Row(
            source="§4.4",
            quantity="power at gap 0.05, rho 0.5, with 50 and with 100 pairs",
            printed="0.818, above 0.98",
            nstar=f"{high:.3f}, {all_100:.3f}",
            check=claim(check.holds and all_100 > 0.98),
            expect="right",
            why="exact noncentral t",
            values=(high, all_100),
        )
    )
    return rows


def _pairs_items() -> list[Row]:
    need = {key: float(stats.t_n_star(key[0], sigma=graded_sd(key[1]))) for key in LEAST_ITEMS}
    bad = (0.01, 0.8)
    rest = [between(need[k], *LEAST_ITEMS[k][1:]).holds for k in need if k != bad]
    return [
        Row(
            source="§6.1, table",
            quantity="least number of pairs, the 11 other cells",
            printed=">1000 … <50",
            nstar=f"{items(need[0.01, 0.5])} … {items(need[0.10, 0.95])}",
            check=claim(all(rest)),
            expect="right",
            why=f"{items(need[0.05, 0.5])} where it prints 50, its smallest size "
            "(gap 0.05, rho 0.5)",
            values=tuple(need.values()),
        ),
        Row(
            source="§6.1, table",
            quantity="least number of pairs, gap 0.01, rho 0.8",
            printed=LEAST_ITEMS[bad][0],
            nstar=items(need[bad]),
            check=between(need[bad], *LEAST_ITEMS[bad][1:]),
            expect="wrong",
            why=f"its own table has power {POWERS[0.01][500][1]} at 500",
            values=(need[bad],),
        ),
    ]


def _pairs_sentences() -> list[Row]:
    flip = t_power(100, 0.02, 0.5)
    worked, larger_n = t_power(150, 0.015, 0.75), t_power(500, 0.015, 0.75)
    sd = graded_sd(0.5)
    mde = float(stats.normal_mde(200, sigma=sd))
    below = float(stats.normal_power(0.9 * mde, sigma=sd, n=200))
    half = float(stats.half_width(200, sigma=sd)) / mde
    unresolvable = t_power(200, 0.02, 0.5)
    advice = t_power(500, 0.01, 0.5)
    high_rho, low_rho = t_power(100, 0.01, 0.95), t_power(100, 0.01, 0.5)
    effect = float(stats.design_effect_equal(0.1, 10))

    def row(
        source: str,
        text: tuple[str, str, str],
        check: Check,
        expect: Verdict,
        reason: str,
        *v: float,
    ) -> Row:
        quantity, printed, nstar = text
        return Row(
            source=source,
            quantity=quantity,
            printed=printed,
            nstar=nstar,
            check=check,
            expect=expect,
            why=reason,
            values=v,
        )

    return [
        row(
            "§4.3",
            (
                "power with 100 pairs, gap 0.02, rho 0.5",
                '36.9%, "barely better than a coin flip"',
                f"{flip:.3f}",
            ),
            claim(flip > 0.5),
            "wrong",
            "the figure is right, but a coin flip is 50%",
            flip,
        ),
        row(
            "§8",
            ("power with 150 pairs, gap 0.015, rho 0.75", "0.45 to 0.55", f"{worked:.3f}"),
            between(worked, 0.45, 0.55),
            "wrong",
            "interpolated by eye over three variables",
            worked,
        ),
        row(
            "§8",
            ("the same with 500 pairs", "above 0.85", f"{larger_n:.3f}"),
            claim(larger_n > 0.85),
            "right",
            "true, though loose",
            larger_n,
        ),
        row(
            "§9",
            (
                "power at gaps below the MDE",
                '"more likely to be missed than detected"',
                f"{below:.2f} at 0.9 MDE",
            ),
            claim(below < 0.5),
            "wrong",
            f"power is 80% at the MDE and 50% at {half:.2f} of it",
            below,
            half,
        ),
        row(
            "§9",
            (
                "power with 200 pairs, gap 0.02, rho 0.5",
                '"essentially unresolvable"',
                f"{unresolvable:.3f}",
            ),
            claim(unresolvable < 0.5),
            "wrong",
            "it is detected more often than missed",
            unresolvable,
        ),
        row(
            "§6.4, conclusion",
            (
                "least size for gaps of 0.01 to 0.02",
                "500",
                f"power {advice:.3f} at gap 0.01, rho 0.5",
            ),
            coherent(advice >= 0.8),
            "inconsistent",
            f"its own table has {POWERS[0.01][500][0]:.3f} there",
            advice,
        ),
        row(
            "§7.1",
            (
                "factor in power from rho 0.5 to 0.95, 100 pairs, gap 0.01",
                "more than five-fold",
                f"{high_rho / low_rho:.2f}",
            ),
            claim(high_rho / low_rho > 5),
            "right",
            f"{low_rho:.3f} to {high_rho:.3f}",
            high_rho / low_rho,
        ),
        row(
            "conclusion",
            (
                "100 pairs at rho 0.95 have more power than 500 at rho 0.5, gap 0.01",
                "more",
                f"{high_rho:.3f} against {advice:.3f}",
            ),
            claim(high_rho > advice),
            "right",
            "pairing matters more than size here",
            high_rho,
            advice,
        ),
        row(
            "§10",
            (
                "effective sample size when items depend on each other",
                '"inflates"',
                f"n / {effect:.1f}",
            ),
            claim(effect < 1),
            "wrong",
            "shrinks: here groups of 10 with an ICC of 0.1",
            effect,
        ),
    ]


def _pairs_arithmetic() -> list[Row]:
    def rates(*lists: str) -> tuple[float, float]:
        values = [int(x) / 1000 for text in lists for x in text.split()]
        return min(values), max(values)

    normal, beta = rates(NORMAL_T, NORMAL_W), rates(BETA_T, BETA_W)
    half = float(stats.half_width(1000, sigma=math.sqrt(0.05 * 0.95)))
    sds = [graded_sd(r) for r in RHOS]
    efficiency = float(
        stats.normal_n_star(0.02, sigma=0.12) / stats.wilcoxon_n_star(0.02, sigma=0.12)
    )
    cases = ((50, 0.01), (100, 0.02), (200, 0.01), (500, 0.01), (1000, 0.01))
    edge = [
        t_power(n, d, 0.8) - float(stats.wilcoxon_power(d, sigma=graded_sd(0.8), n=n))
        for n, d in cases
    ]
    return [
        Row(
            source="§4.5",
            quantity="largest normal-Beta discrepancy, 0.433 against 0.435",
            printed="0.031",
            nstar=f"{abs(0.433 - 0.435):.3f}",
            check=attributed(abs(abs(0.433 - 0.435) - 0.031) < 1e-9),
            expect="misattributed",
            why="0.031 is 0.763 - 0.732 in the table above it: the t test at 100 pairs, gap "
            "0.02, rho 0.8",
            values=(abs(0.433 - 0.435), 0.763 - 0.732),
        ),
        Row(
            source="conclusion",
            quantity="combinations, 5 × 4 × 3 × 2",
            printed="150",
            nstar=str(5 * 4 * 3 * 2),
            check=coherent(5 * 4 * 3 * 2 == 150),
            expect="inconsistent",
            why="150 counts the gap 0 as well: 5 × 5 × 3 × 2",
            values=(120.0,),
        ),
        Row(
            source="§5.2",
            quantity="range of type I errors, normal model",
            printed="0.037 to 0.061",
            nstar=f"{normal[0]:.3f} to {normal[1]:.3f} (its own table)",
            check=coherent(normal == (0.037, 0.061)),
            expect="inconsistent",
            why="0.061 belongs to the Beta model",
            values=normal,
        ),
        Row(
            source="§5.2",
            quantity="range of type I errors, Beta model",
            printed="0.039 to 0.061",
            nstar=f"{beta[0]:.3f} to {beta[1]:.3f} (its own table)",
            check=coherent(beta == (0.039, 0.061)),
            expect="right",
            why="",
            values=beta,
        ),
        Row(
            source="§5.2",
            quantity="95% range of 1,000 simulations at 0.05",
            printed="0.036 to 0.064",
            nstar=f"{0.05 - half:.4f} to {0.05 + half:.4f}",
            check=claim(
                rounds(0.036, 0.05 - half, 1e-3).holds and rounds(0.064, 0.05 + half, 1e-3).holds
            ),
            expect="right",
            why="normal approximation",
            values=(0.05 - half, 0.05 + half),
        ),
        Row(
            source="§7.1",
            quantity="sd of the difference at rho 0.5, 0.8, 0.95",
            printed="0.120, 0.076, 0.038",
            nstar=", ".join(f"{s:.4f}" for s in sds),
            check=claim(
                all(
                    rounds(x, s, 1e-3).holds
                    for x, s in zip((0.12, 0.076, 0.038), sds, strict=True)
                )
            ),
            expect="right",
            why=f"a factor of {sds[0] / sds[2]:.2f} from first to last, printed as 3.2",
            values=tuple(sds),
        ),
        Row(
            source="§4.6",
            quantity="efficiency of Wilcoxon's test",
            printed="0.955",
            nstar=f"{efficiency:.4f}",
            check=rounds(0.955, efficiency, 1e-3),
            expect="right",
            why="3/π",
            values=(efficiency,),
        ),
        Row(
            source="§4.6",
            quantity="advantage of the t test in most of its five rows",
            printed="1 to 3 pp",
            nstar=", ".join(f"{100 * e:.1f}" for e in edge) + " pp",
            check=claim(sum(0.01 <= e <= 0.03 for e in edge) >= 3),
            expect="right",
            why=f"its largest, 3.0 pp in row 3, is {points(edge[2])} without simulation error",
            values=tuple(edge),
        ),
    ]


def agents() -> Document:
    return Document(
        key="agents",
        title='"Sample Size and Power Analysis" (the agents sample-size article)',
        summary="The formula for two proportions is right, but the worked example does not follow "
        "from it. The McNemar formula lacks a factor (OR + 1)², and the continuity correction"
        " lacks a factor of two. Nearly every error understates the cost of an evaluation.",
        rows=(*_agents_sizes(), *_agents_goals(), *_agents_budget(), *_agents_details()),
    )


def _agents_sizes() -> list[Row]:
    rough = float(
        stats.unpaired_n_star(
            0.75, 0.70, alpha=float(2 * special.ndtr(-1.96)), power=float(special.ndtr(0.84))
        )
    )
    one_sample = float(stats.shortcut_n(0.55, 0.50))
    neighbor = float(stats.unpaired_n_star(0.10, 0.05))
    cases: tuple[tuple[float, float, int, Verdict, str], ...] = (
        (0.70, 0.75, 780, "wrong", f"{rough:,.1f} with its rounded quantiles 1.96 and 0.84"),
        (0.50, 0.55, 780, "wrong", f"one-sample Cohen-h gives {items(one_sample)}"),
        (0.90, 0.95, 435, "right", ""),
        (0.10, 0.15, 435, "wrong", f"435 is 5% against 10% ({items(neighbor)})"),
    )
    rows = []
    for low, high, printed, expect, reason in cases:
        n = float(stats.unpaired_n_star(high, low))
        rows.append(
            Row(
                source="worked example" if low == 0.70 else "extreme proportions",
                quantity=f"tasks per agent, {low:.0%} against {high:.0%}",
                printed=items(printed),
                nstar=f"{n:,.1f}",
                check=same(printed, n),
                expect=expect,
                why=reason,
                values=(n,),
            )
        )
    return rows


def _agents_goals() -> list[Row]:
    ten = [float(stats.unpaired_n_star(p + 0.1, p)) for p in (0.85, 0.70, 0.50)]
    reach = float(stats.unpaired_mde(100, p=0.70))
    three = [float(stats.unpaired_n_star(p + 0.03, p)) for p in (0.95, 0.935, 0.92)]
    five = float(stats.unpaired_n_star(0.75, 0.70))
    return [
        Row(
            source="table of goals",
            quantity="tasks to detect ~10 pp, from 85%, 70%, 50%",
            printed="100+",
            nstar=", ".join(items(n) for n in ten),
            check=between(100, (1 - ABOUT) * min(ten), (1 + ABOUT) * max(ten)),
            expect="wrong",
            why=f"100 per agent detect {points(reach)} from 70%",
            values=(*ten, reach),
        ),
        Row(
            source="table of goals",
            quantity="tasks to detect 3 pp near 95%",
            printed="400+",
            nstar=f"{items(three[0])} to {items(three[2])}",
            check=between(400, (1 - ABOUT) * min(three), (1 + ABOUT) * max(three)),
            expect="wrong",
            why="95% against 98%; 92% against 95%",
            values=tuple(three),
        ),
        Row(
            source="misconceptions",
            quantity="how much more than 30 runs detects 5 pp",
            printed='"an order of magnitude"',
            nstar=f"{five / 30:.0f} times",
            check=between(five / 30, 10**0.5, 10**1.5),
            expect="wrong",
            why=f"{items(five)} per agent; its 780 would have been {780 / 30:.0f} times",
            values=(five / 30,),
        ),
    ]


def _agents_budget() -> list[Row]:
    k = float(stats.k_factor())
    # Var = (between + within / runs) / tasks for both designs; rounding taken in their favor
    high, low = ((g / k) ** 2 * tasks for g, tasks in ((0.245, 50), (0.125, 100)))
    within = (high - low) / (1 / 5 - 1 / 25)
    ignored = float(stats.normal_mde(50, sigma=sigma_at(0.7, 0.0)))
    plausible = [
        float(
            stats.runs_mde(
                stats.runs_variance(0.1, 0.15, 0.15, tasks=tasks, runs_a=runs, runs_b=runs)
            )
        )
        for tasks, runs in ((50, 5), (100, 25))
    ]
    return [
        Row(
            source="budget scenarios",
            quantity="within-task variance that ~25 pp (50 × 5 runs) and ~12 pp (100 × 25) imply",
            printed="25 pp, 12 pp",
            nstar=f"at least {within:.2f}",
            check=possible(within <= 0.5),
            expect="impossible",
            why="two 0/1 scores have at most 0.5; 25 pp is what 50 unpaired single runs detect "
            f"({points(ignored)}); with variances of 0.1 between and 0.3 within tasks the two "
            f"are {points(plausible[0])} and {points(plausible[1])}",
            values=(within, ignored, *plausible),
        )
    ]


def _agents_details() -> list[Row]:
    rows = []
    k2 = float(stats.k_factor()) ** 2
    for ratio, psi in ((1.5, 0.2), (2.0, 0.2), (3.0, 0.3)):
        n_formula = k2 / ((ratio - 1) ** 2 * psi)
        n = float(stats.paired_n_star(stats.delta_from_odds_ratio(ratio, psi), psi=psi))
        rows.append(
            Row(
                source="technical details",
                quantity=f"McNemar, odds ratio {ratio:g}, discordance {psi}",
                printed=f"{n_formula:,.1f} (its formula)",
                nstar=f"{n:,.1f}",
                check=same(n_formula, n),
                expect="wrong",
                why=f"{n / n_formula:.1f} times too small: (OR + 1)² is missing",
                values=(n,),
            )
        )
    for low, high in ((0.70, 0.75), (0.50, 0.55), (0.90, 0.95)):
        n = float(stats.unpaired_n_star(high, low))
        extra = float(stats.continuity_corrected(n, high - low)) - n
        rows.append(
            Row(
                source="technical details",
                quantity=f"continuity correction adds, {low:.0%} against {high:.0%}",
                printed="1/Δp = 20",
                nstar=f"{extra:.1f}",
                check=same(20, extra, rel=ABOUT),
                expect="wrong",
                why="2/Δp per agent (Fleiss, Tytun and Ury 1980)",
                values=(extra,),
            )
        )
    plain, corrected = (
        stats.exact_n_star(0.05, psi=0.2, method=method).first
        for method in ("asymptotic", "corrected")
    )
    rows.append(
        Row(
            source="technical details",
            quantity="the same for paired tasks, gap 5 pp, discordance 0.2",
            printed="1/Δp = 20",
            nstar=f"{corrected - plain}",
            check=same(20, corrected - plain, rel=ABOUT),
            expect="wrong",
            why=f"{plain} to {corrected} by enumeration: about 2/Δp",
            values=(float(plain), float(corrected)),
        )
    )
    return [*rows, *_agents_right(), _agents_looks()]


def _agents_right() -> list[Row]:
    effect = float(stats.design_effect_equal(0.05, 21))
    pairs = int(stats.family_size(10))
    critical = float(stats.bonferroni_critical(pairs)), float(stats.z_alpha(0.05 / 45))
    free = float(stats.normal_n_star(0.05, sigma=sigma_at(0.7, 0.0)))
    saved = [
        1 - float(stats.normal_n_star(0.05, sigma=sigma_at(0.7, r))) / free for r in (0.4, 0.6)
    ]
    return [
        Row(
            source="technical details",
            quantity="design effect 1 + (m - 1)ρ, m 21, ρ 0.05",
            printed=f"{1 + 20 * 0.05:g} (its formula)",
            nstar=f"{effect:.4g}",
            check=same(1 + 20 * 0.05, effect, rel=1e-9),
            expect="right",
            why="for clusters of equal size",
            values=(effect,),
        ),
        Row(
            source="technical details",
            quantity="Bonferroni for all pairs of 10 agents",
            printed="α/45",
            nstar=f"α/{pairs}, z = {critical[0]:.3f}",
            check=claim(pairs == 45 and abs(critical[0] - critical[1]) < 1e-9),
            expect="right",
            why="",
            values=critical,
        ),
        Row(
            source="technical details",
            quantity="items saved by pairing, rho 0.4 to 0.6",
            printed="40 to 60%",
            nstar=f"{saved[0]:.0%} to {saved[1]:.0%}",
            check=claim(rounds(0.4, saved[0], 0.01).holds and rounds(0.6, saved[1], 0.01).holds),
            expect="right",
            why="the saving is rho itself",
            values=tuple(saved),
        ),
    ]


def _agents_looks() -> Row:
    design = stats.group_sequential(5)
    planned, larger, twice, none = (1 - design.cost(multiple) for multiple in (1.0, 1.5, 2.0, 0.0))
    low, high = (1 - ABOUT) * 0.30, (1 + ABOUT) * 0.50
    return Row(
        source="technical details",
        quantity="items saved on average by five looks, gap 1.5 and 2 times the planned",
        printed="30-50% when effects are large",
        nstar=f"{larger:.0%} and {twice:.0%}",
        check=claim(low <= larger <= twice <= high),
        expect="right",
        why=f"O'Brien-Fleming; {planned:.0%} at the planned gap, and {-none:.1%} more without any",
        values=(planned, larger, twice, none),
    )


NOT_COVERED = (
    "Resolution Diagnostics: the anytime-valid factor of 2.15, which needs time-uniform "
    "boundaries.",
    "Resolution Diagnostics: counts of unresolved pairs on the two leaderboards, the results "
    "without one subject, and the simulated power, which need its data.",
    "How Many Test Pairs: the simulated type I errors, and the powers under the Beta model and of "
    "Wilcoxon's test. `nstar simulate study` repeats the simulation and "
    "[compares the rates](../simulate.md).",
    "Judging LLM-as-a-Judge: whether a few examples increase the consistency of GPT-4 "
    '"significantly" from 65.0 to 77.5%, which needs the 80 answers.',
    "AlpacaEval 2.0: the standard errors of its length-controlled win rates, which need its "
    "annotations.",
)

DOCUMENTS: tuple[Callable[[], Document], ...] = (
    pairwise,
    tasks_216,
    resolution,
    embeddings,
    agents,
    votes.judging,
    votes.judged_gap,
    votes.weekly,
    votes.llama,
    votes.arena_hard,
    votes.alpaca,
    votes.manuals,
)


# --- page ---------------------------------------------------------------------------------

HEAD = """\
# Published figures: every row

<!-- Written by scripts/published_figures.py; do not edit. -->

Summary: [published figures, recomputed](../published-figures.md).

Each row compares a printed figure with the value that `nstar.stats` computes (two-sided level 5%,
power 80%, sizes rounded to the nearest integer). Tables without errors share one row. clawRxiv
(clawrxiv.io) is a separate archive, not part of arXiv.

- **right**: a size is within {size:.0%}, and any other number is within half a unit of its last
  digit. A range or bound contains the value. A simulated figure is within {simulation:.0f}
  simulation errors, and a p-value is within {p_value} of the value from its interval. A figure
  with "about", ~, or + is within {about:.0%} or one unit.
- **wrong**: none of these.
- **inconsistent**: two figures of one document disagree.
- **impossible**: no data could give the figure.
- **misattributed**: the figure is true of another case.
"""


def verdicts(documents: Iterable[Document]) -> dict[Verdict, int]:
    """How many rows have each verdict."""
    count: dict[Verdict, int] = {}
    for document in documents:
        for row in document.rows:
            count[row.check.verdict] = count.get(row.check.verdict, 0) + 1
    return count


def build() -> list[Document]:
    """All documents, recomputed; an unexpected verdict is an error."""
    documents = [make() for make in DOCUMENTS]
    for document in documents:
        for row in document.rows:
            if row.check.verdict != row.expect:
                msg = (
                    f"{document.key}, {row.quantity}: expected {row.expect}, "
                    f"found {row.check.verdict} ({row.printed} against {row.nstar})"
                )
                raise AssertionError(msg)
    return documents


def _cells(*cells: str) -> str:
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


def _section(document: Document) -> list[str]:
    lines = [f"## {document.title}", ""]
    lines += [_cells("source", "quantity", "printed", "nstar", "verdict", "why"), "|---" * 6 + "|"]
    for row in document.rows:
        word = row.check.verdict
        verdict = word if word == "right" else f"**{word}**"
        lines.append(_cells(row.source, row.quantity, row.printed, row.nstar, verdict, row.why))
    return [*lines, ""]


def page(documents: list[Document]) -> str:
    """The Markdown page."""
    count = verdicts(documents)
    total = sum(count.values())
    tally = ", ".join(f"{n} {word}" for word, n in sorted(count.items(), key=lambda x: -x[1]))
    head = HEAD.format(size=SIZE, simulation=SIMULATION, p_value=P_VALUE, about=ABOUT)
    lines = [head, f"{total} rows: {tally}.", ""]
    for document in documents:
        lines += _section(document)
    lines += ["## Figures that were not checked", "", *(f"- {text}" for text in NOT_COVERED)]
    return "\n".join(lines) + "\n"


def summary(documents: list[Document]) -> str:
    """The verdicts and a sentence for each document."""
    lines = []
    for document in documents:
        count = verdicts([document])
        words = ", ".join(f"{n} {word}" for word, n in count.items())
        lines.append(f"**{document.title}** ({words}). {document.summary}")
    total = verdicts(documents)
    tally = ", ".join(f"{n} {word}" for word, n in sorted(total.items(), key=lambda x: -x[1]))
    return "\n\n".join([f"{sum(total.values())} figures: {tally}.", *lines])


def main(argv: list[str] | None = None) -> int:
    """Write both pages, or print what is stale."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if a page is stale")
    args = parser.parse_args(argv)
    documents = build()
    text = page(documents)
    stale = keep("published-figures.md", "summary", summary(documents))
    if not args.check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if old == text:
        return stale
    name = f"docs/evidence/{PAGE.name}"
    diff = difflib.unified_diff(
        old.splitlines(), text.splitlines(), name, "recomputed", lineterm="", n=0
    )
    print(*list(diff)[:20], sep="\n")
    print(f"{name} is stale; run scripts/published_figures.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
