"""``nstar plan`` from the outside: numbers by independent formulas, words, refusals."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from statistics import NormalDist

import click
import numpy as np
import pytest
from click.testing import CliRunner
from scipy import optimize
from scipy import stats as scipy_stats

import nstar
from helpers.commands import Command
from nstar import stats
from nstar.cli import main
from nstar.cli.kit import output as _output
from nstar.cli.plain import plain_command
from nstar.report.documents import Document, TextTable
from nstar.report.formats.markdown import render_markdown
from nstar.report.prose.numbers import percent

PHI = NormalDist()


COMMAND = Command("plan")
run, answer, text = COMMAND.run, COMMAND.answer, COMMAND.text
BOARD = Command("plan board")


# --- formulas of this test, from the standard library only --------------------------------


def z(probability: float) -> float:
    return PHI.inv_cdf(probability)


def psi(p_a: float, p_b: float, rho: float) -> float:
    q_a, q_b = 1 - p_a, 1 - p_b
    return p_a * q_b + p_b * q_a - 2 * rho * math.sqrt(p_a * q_a * p_b * q_b)


def connor(delta: float, share: float, crit: float = z(0.975), power: float = 0.8) -> int:
    root = crit * math.sqrt(share) + z(power) * math.sqrt(share - delta * delta)
    return math.ceil((root / delta) ** 2)


# --- the sentences the project promises ---------------------------------------------------


def test_one_point_at_seventy_percent() -> None:
    data = answer("--baseline", "70%", "--delta", "1pp", "--rho", "0.4")
    assert data["n_star"] == 19_593 == connor(0.01, psi(0.71, 0.70, 0.4))
    assert data["power"] == 0.8
    assert data["solved_for"] == "items"
    said = text("--baseline", "70%", "--delta", "1pp", "--rho", "0.4")
    assert said.startswith(
        f"Detecting a 1 pp gap from a {percent(0.7)} baseline takes 19,593 items (80% power, "
        "rho = 0.4). An observed gap above 0.70 pp is then significant."
    )
    assert "half of what is needed" in said
    assert "Assumptions" in said


def test_a_thousand_items() -> None:
    data = answer("--items", "1000", "--baseline", "70%", "--rho", "0.6")
    assert 0.0355 <= data["mde"] <= 0.0365
    assert connor(data["mde"], psi(0.7 + data["mde"], 0.7, 0.6)) in (1000, 1001)
    assert connor(-data["mde_loss"], psi(0.7 - data["mde_loss"], 0.7, 0.6)) in (1000, 1001)
    assert data["n_star"] is None
    assert data["solved_for"] == "mde"
    assert "1,000 items detect a gain of 3.6 pp or a loss of 3.7 pp" in text(
        "--items", "1000", "--baseline", "70%", "--rho", "0.6"
    )


def test_unpaired_tasks() -> None:
    data = answer("--items", "216", "--baseline", "74%", "--rho", "unpaired")
    assert round(data["mde"], 3) == 0.108
    assert round(data["mde_loss"], 3) == 0.125
    k2 = (z(0.975) + z(0.8)) ** 2
    for other in (0.74 + data["mde"], 0.74 - data["mde_loss"]):
        gap = other - 0.74
        need = k2 * (other * (1 - other) + 0.74 * 0.26) / gap**2
        assert need == pytest.approx(216)
    said = text("--items", "216", "--baseline", "74%", "--rho", "unpaired")
    assert "a gain of 10.8 pp or a loss of 12.5 pp" in said
    assert "(80% power, unpaired, unpooled variance)" in said


def fleiss(gap: float, base: float) -> float:
    """Return Fleiss' sample size per model, with the pooled variance under the null."""
    p_a, mean = base + gap, base + gap / 2
    null = z(0.975) * math.sqrt(2 * mean * (1 - mean))
    return ((null + z(0.8) * math.sqrt(p_a * (1 - p_a) + base * (1 - base))) / gap) ** 2


UNPAIRED = ("--rho", "unpaired", "--baseline")


def test_pooled_variance_of_unpaired_models() -> None:
    """The article on agents prints 1,251 runs; the article on 216 tasks prints 10.9 points."""
    data = answer("--delta", "5pp", *UNPAIRED, "70%", "--pooled")
    assert data["n_star"] == 1251 == math.ceil(fleiss(0.05, 0.70))
    assert data["noise_design"]["noise"]["pooled"] is True
    assert answer("--delta", "5pp", *UNPAIRED, "70%")["n_star"] == 1248
    said = text("--delta", "5pp", *UNPAIRED, "70%", "--pooled", "--full")
    assert "1,251 items per model (80% power, unpaired, pooled variance)" in said
    assert "With unpooled variance, it needs about 3 fewer items" in said
    tasks = answer("--items", "216", *UNPAIRED, "74%", "--pooled")
    assert fleiss(tasks["mde"], 0.74) == pytest.approx(216)
    assert fleiss(-tasks["mde_loss"], 0.74) == pytest.approx(216)
    said = text("--items", "216", *UNPAIRED, "74%", "--pooled")
    assert "a gain of 10.9 pp or a loss of 12.6 pp" in said


def test_pooled_power_is_that_of_statsmodels() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    data = answer("--items", "216", "--delta", "8pp", *UNPAIRED, "74%", "--pooled")
    other = proportion.power_proportions_2indep(0.08, 0.74, 216, alternative="larger", alpha=0.025)
    assert data["power"] == pytest.approx(other.power, rel=1e-9)


def test_pooled_significant_gap() -> None:
    """The smallest significant gap is that of the pooled z test."""
    said = text("--delta", "20pp", *UNPAIRED, "70%", "--pooled")
    n, mean = math.ceil(fleiss(0.2, 0.7)), 0.8
    gap = z(0.975) * math.sqrt(2 * mean * (1 - mean) / n)
    assert f"An observed gap above {100 * gap:.1f} pp" in said


@pytest.mark.parametrize("pooled", [True, False])
def test_continuity_correction(pooled: bool) -> None:
    """The z statistic loses 1/n of the gap: Fleiss, Tytun and Ury (1980), by a root."""
    n_z = fleiss(0.05, 0.70) if pooled else (z(0.975) + z(0.8)) ** 2 * 0.3975 / 0.05**2
    size = optimize.brentq(
        lambda n: (0.05 - 1 / n) * math.sqrt(n) - 0.05 * math.sqrt(n_z), 50, 1e5
    )
    assert math.ceil(size) == (1291 if pooled else 1288)
    words = ("--delta", "5pp", *UNPAIRED, "70%", *(("--pooled",) if pooled else ()))
    line = f"With a continuity correction, the z test takes {math.ceil(size):,} items per model."
    assert line in " ".join(text(*words, "--full").split())
    assert "continuity" not in text(*words)


def test_items_behind_a_correlation() -> None:
    """The interval of rho is Yule's for 0/1 scores and Fisher's for graded ones."""
    options = ("--baseline", "70%", "--delta", "1pp", "--rho", "0.6", "--rho-items", "200")
    low, middle, high = (row["value"] for row in answer(*options)["scenarios"])
    counts = np.array([123, 17, 17, 43])  # of 200 items: 70% right, rho = 0.6
    expected = stats.phi_interval(*counts)
    assert (low, middle, high) == pytest.approx((expected.low, 0.6, expected.high))
    assert low < np.tanh(np.arctanh(0.6) - z(0.975) / math.sqrt(197))  # Fisher's is shorter
    needs = [connor(0.01, psi(0.71, 0.70, rho)) for rho in (low, high)]
    assert "measured on 200 items: its 95% CI, 0.45–0.70, gives" in text(*options)
    assert f"gives {needs[0]:,}–{needs[1]:,} items." in text(*options)

    graded = answer("--sd", "0.12", "--rho", "0.75", "--delta", "0.015", "--rho-items", "60")
    half = z(0.975) / math.sqrt(57)
    fisher = [math.tanh(math.atanh(0.75) + sign * half) for sign in (-1, 0, 1)]
    assert [row["value"] for row in graded["scenarios"]] == pytest.approx(fisher)


def test_items_behind_an_impossible_correlation() -> None:
    options = ("--baseline", "95%", "--delta", "4pp", "--rho", "0.3", "--rho-items", "30")
    assert "its 95% CI, −0.17 to 0.81, includes impossible values for this gap." in text(*options)


@pytest.mark.parametrize(
    ("options", "limits"),
    [
        ("--auroc 0.8 --delta 5pp --rho 0.5", "0.34–0.63, gives 817–452 items"),
        ("--baseline 70% --delta 2pp --items 1000 --rho 0.6", "gives 25%–50% power"),
    ],
)
def test_headline_always_has_the_interval_of_a_measured_correlation(
    options: str, limits: str
) -> None:
    assert limits in text(*options.split(), "--rho-items", "100", "--brief")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("", "--rho-items also needs --rho"),
        ("--rho mmlu", "Set one number as --rho"),
        ("--rho unpaired", "Set one number as --rho"),
        ("--rho 0.4,0.5", "without lists"),
        ("--rho 0.4 --items 10,20", "without lists"),
    ],
)
def test_items_behind_a_correlation_need_one_number(words: str, reason: str) -> None:
    result = run("--baseline", "70%", "--delta", "1pp", "--rho-items", "200", *words.split())
    assert result.exit_code == 2
    assert reason in " ".join(result.output.split())


def test_the_shortcut_by_its_lemma() -> None:
    full = text("--baseline", "70%", "--delta", "5pp", "--rho", "0.6", "--full")
    p_a, p_b = 0.75, 0.70
    h = 2 * (math.asin(math.sqrt(p_a)) - math.asin(math.sqrt(p_b)))
    share = 0.4 * 0.05**2 / (h * h * (psi(p_a, p_b, 0.6) - 0.05**2))
    assert "Lemma 1 of arXiv 2605.30315" in full
    assert f"the share is {share:.4f}." in " ".join(full.split())


@pytest.mark.parametrize("noise", ["--baseline 70% --rho 0.6", "--sd 0.3 --rho 0.6", "--psi 20%"])
def test_stricter_policies(noise: str) -> None:
    full = run(*noise.split(), "--delta", "0.02", "--full").output
    n_star = answer(*noise.split(), "--delta", "0.02")["n_star"]
    lines = full.split("stricter policies")[1].strip().splitlines()
    rows = [re.split(r" {2,}", line.strip()) for line in lines[1:5]]
    for (name, critical, factor, items), comparisons in zip(rows, (1, 9, 45, None), strict=True):
        c = 3.0351 if comparisons is None else z(1 - 0.05 / comparisons / 2)
        growth = ((c + z(0.8)) / (z(0.975) + z(0.8))) ** 2
        assert critical == f"{c:.2f}", name
        assert float(factor) == pytest.approx(growth, abs=0.011)
        assert int(items.replace(",", "")) == pytest.approx(n_star * growth, rel=0.005)
    for extra in ("--alternative greater", "--icc 0.1 --cluster-size 5"):
        assert "stricter" not in text(*noise.split(), "--delta", "0.02", *extra.split(), "--full")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("--delta 5pp", "--pooled applies to different items. Set --rho unpaired"),
        ("--delta 5pp --rho 0.5", "--pooled applies to different items"),
        ("--half-width 3pp --rho unpaired", "not to an interval. Remove --pooled"),
        ("--delta 5pp --rho unpaired --icc 0.1 --cluster-size 5", "not to clusters"),
    ],
)
def test_pooled_without_its_test(words: str, reason: str) -> None:
    result = run("--baseline", "70%", "--pooled", *words.split())
    assert result.exit_code == 2
    assert reason in " ".join(result.output.split())


def test_pooled_in_a_design() -> None:
    noise = nstar.Unpaired(baseline=0.7, pooled=True)
    assert nstar.plan(noise, delta=0.05).n_star == 1251
    with pytest.raises(nstar.errors.QuestionError, match="not to a margin"):
        nstar.plan_margin(noise, margin=0.05)
    with pytest.raises(nstar.errors.QuestionError, match="not to selecting the best"):
        nstar.Design(noise=noise, models=4, goal="best")
    with pytest.raises(nstar.errors.QuestionError, match="Remove pooled"):
        nstar.plan(noise, delta=0.05, pooled=True)


def test_power_of_given_items_and_gap() -> None:
    data = answer("--baseline", "70%", "--delta", "2pp", "--items", "2000", "--rho", "0.5")
    share = psi(0.72, 0.70, 0.5)
    excess = 0.02 * math.sqrt(2000) - z(0.975) * math.sqrt(share)
    assert data["power"] == pytest.approx(PHI.cdf(excess / math.sqrt(share - 0.0004)))
    assert data["n_star"] == connor(0.02, share)
    assert data["q"] == pytest.approx(2000 / data["n_star"])
    assert data["solved_for"] == "power"


def test_power_of_few_items_is_enumerated() -> None:
    """Four of 50 items decide too seldom; the formula would say 24%."""
    data = answer("--psi", "5%", "--delta", "4pp", "--items", "50")
    chance = 0.0
    for wins in range(51):
        for losses in range(51 - wins):
            d = wins + losses
            tail = scipy_stats.binom.cdf(min(wins, losses), d, 0.5)
            p = 2 * tail - scipy_stats.binom.pmf(min(wins, losses), d, 0.5)
            if d and p <= 0.05:
                cells = [wins, losses, 50 - d]
                chance += scipy_stats.multinomial.pmf(cells, 50, [0.045, 0.005, 0.95])
    assert data["power"] == pytest.approx(chance, abs=1e-12)
    assert data["power"] < 0.06


def test_json_has_the_promised_keys() -> None:
    data = answer("--baseline", "70%", "--delta", "1pp")
    assert {"n_star", "mde", "mde_loss", "power", "assumptions"} <= data.keys()
    assert data["schema"] == "nstar.plan/1"
    assert data["nstar"] == nstar.__version__
    assert data["assumptions"]
    assert data["noise_design"]["noise"] == {"kind": "PairedRho", "baseline": 0.7, "rho": 0.5}
    # the detectable gap at the items needed is the gap asked for
    assert data["mde"] == pytest.approx(0.01, rel=1e-3)


def test_the_table_is_the_headline_under_other_correlations() -> None:
    data = answer("--baseline", "70%", "--delta", "1pp", "--rho", "0.4")
    for row in data["scenarios"]:
        assert row["name"] == "rho"
        assert row["n_star"] == connor(0.01, psi(0.71, 0.7, row["value"]))
        assert row["psi"] == pytest.approx(psi(0.71, 0.7, row["value"]))
        assert row["is_headline"] == (row["value"] == 0.4)
    assert [row["value"] for row in data["scenarios"] if row["is_headline"]] == [0.4]


def test_correlations_that_cannot_be_have_no_answer_in_the_table() -> None:
    data = answer("--baseline", "80%", "--delta", "10pp", "--rho", "0.5")
    for row in data["scenarios"]:  # 0.6667 is the limit
        assert (row["n_star"] is None) == (row["value"] > 0.6667)


def test_the_curve_passes_through_the_answer() -> None:
    data = answer("--baseline", "70%", "--delta", "2pp", "--rho", "0.4")
    curve = data["power_curve"]
    assert curve["axis"] == "items"
    assert curve["power"] == sorted(curve["power"])
    above = [x for x, p in zip(curve["x"], curve["power"], strict=True) if p >= 0.8]
    assert above[0] == pytest.approx(data["n_star"], rel=0.05)
    by_gap = answer("--baseline", "70%", "--items", "1000")["power_curve"]
    assert by_gap["axis"] == "delta"
    assert by_gap["x"][-1] <= 0.3


# --- other noise --------------------------------------------------------------------------


def test_discordance() -> None:
    data = answer("--psi", "20%", "--delta", "5pp")
    assert data["n_star"] == connor(0.05, 0.2)
    assert {row["name"] for row in data["scenarios"]} == {"psi"}


def test_graded_scores() -> None:
    data = answer("--sd-diff", "0.12", "--delta", "0.01")
    assert data["n_star"] == 1133  # R power.t.test: 1132.16
    same = answer("--sd", "0.12", "--rho", "0.5", "--delta", "0.01")
    assert same["n_star"] == 1133  # √(2 (1 - 0.5)) = 1
    assert answer("--sd", "0.12", "--delta", "0.01")["n_star"] == 1133  # rho = 0.5 is assumed
    given = answer("--sd-diff", "0.12", "--items", "1000")
    assert given["mde"] == given["mde_loss"]
    t = scipy_stats.nct(999, given["mde"] * math.sqrt(1000) / 0.12)
    assert t.sf(scipy_stats.t.ppf(0.975, 999)) == pytest.approx(0.8, abs=1e-6)
    said = text("--sd-diff", "0.12", "--items", "1000")
    assert "pp" not in said.split("Assumptions")[0]  # score units, not points


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("options", "key"),
    [
        ("--sd {30} --delta {2}", "n_star"),
        ("--sd {30} --delta {2},{3}", "n_star"),
        ("--sd {30} --rho 0.8 --delta {2} --items 500", "power"),
        ("--sd-diff {30} --items 1000", "mde"),
        ("margin --sd-diff {30} --margin {3} --score-range 0:{100}", "n_star"),
        ("margin --sd-diff {30} --margin {3} --items 500 --score-range 0:{100}", "min_margin"),
        ("margin --sd-diff {30} --margin {3} --non-inferiority --score-range 0:{100}", "n_star"),
        ("--sd {30} --half-width {1}", "n_star"),
        ("--sd-diff {30} --half-width {1} --items 400", "half_width"),
        ("--sd {30} --delta {6} --icc 0.05 --clusters 20", "n_star"),
    ],
)
def test_gaps_are_in_the_units_of_the_sd(options: str, key: str) -> None:
    hundred = re.sub(r"\{(\d+)\}", r"\1", options).split()
    one = re.sub(r"\{(\d+)\}", lambda m: f"{int(m[1]) / 100:g}", options).split()
    in_units = key in ("mde", "min_margin", "half_width")
    wanted = answer(*one)[key] * (100 if in_units else 1)
    assert answer(*hundred)[key] == pytest.approx(wanted, rel=1e-6)
    assert " pp" not in text(*hundred)


def test_published_correlations() -> None:
    data = answer("--baseline", "70%", "--delta", "1pp", "--rho", "mmlu")
    assert data["noise_design"]["noise"]["rho"] == 0.62
    assert [row["value"] for row in data["scenarios"]] == [0.55, 0.62, 0.71]
    assert "MMLU" in " ".join(data["assumptions"])


def test_one_sided() -> None:
    data = answer(
        "--baseline", "70%", "--delta", "1pp", "--rho", "0.4", "--alternative", "greater"
    )
    assert data["n_star"] == connor(0.01, psi(0.71, 0.7, 0.4), z(0.95))
    assert data["criteria"]["alternative"] == "greater"
    assert "one-sided" in data["headline"]


def test_level_and_power() -> None:
    data = answer(
        "--baseline", "70%", "--delta", "1pp", "--rho", "0.4", "--alpha", "0.01", "--power", "0.9"
    )
    assert data["n_star"] == connor(0.01, psi(0.71, 0.7, 0.4), z(0.995), 0.9)


def test_a_loss_is_not_a_gain() -> None:
    data = answer("--baseline", "70%", "--delta=-2pp", "--rho", "0.4")
    assert data["delta"] == -0.02
    assert data["n_star"] == connor(-0.02, psi(0.68, 0.7, 0.4))


@pytest.mark.parametrize(
    "written", ["1pp", "1 pp", "1PP", "0.01", "1.0pp", "+1pp", "1e-2", " 0.01 "]
)
def test_ways_to_write_a_gap(written: str) -> None:
    assert answer("--baseline", "70%", "--delta", written)["delta"] == pytest.approx(0.01)


@pytest.mark.parametrize("written", ["70%", "70 %", "0.7", ".7", "70.0%", "7e-1"])
def test_ways_to_write_an_accuracy(written: str) -> None:
    noise = answer("--baseline", written, "--delta", "1pp")["noise_design"]["noise"]
    assert noise["baseline"] == pytest.approx(0.7)


def test_a_typographic_minus() -> None:
    assert answer("--baseline", "70%", "--delta", "−1pp")["delta"] == pytest.approx(-0.01)


def test_lists_make_tables() -> None:
    data = answer("--baseline", "70%", "--delta", "1pp", "--rho", "0.2,0.5")
    assert data["delta"] == 0.01
    assert data["noise_design"]["noise"]["rho"] == 0.2
    rows = [(r["name"], r["value"], r["n_star"]) for r in data["scenarios"]]
    assert rows == [
        ("rho", 0.2, connor(0.01, psi(0.71, 0.7, 0.2))),
        ("rho", 0.5, connor(0.01, psi(0.71, 0.7, 0.5))),
    ]
    data = answer("--baseline", "70%", "--delta", "1pp,2pp,5pp", "--rho", "0.2")
    assert data["delta"] == 0.01
    rows = [(r["name"], r["value"], r["n_star"]) for r in data["scenarios"]]
    assert rows[-3:] == [
        ("delta", 0.01, connor(0.01, psi(0.71, 0.7, 0.2))),
        ("delta", 0.02, connor(0.02, psi(0.72, 0.7, 0.2))),
        ("delta", 0.05, connor(0.05, psi(0.75, 0.7, 0.2))),
    ]
    data = answer("--baseline", "70%", "--delta", "1pp,2pp,5pp", "--rho", "0.2,0.5")
    assert [(r["delta"], r["rho"], r["n_star"]) for r in data["scenarios"]] == [
        (gap, rho, connor(gap, psi(0.7 + gap, 0.7, rho)))
        for gap in (0.01, 0.02, 0.05)
        for rho in (0.2, 0.5)
    ]
    said = text("--baseline", "70%", "--delta", "1pp,2pp")
    assert "By gap" in said
    assert "Detecting gaps of 1 pp to 2 pp" in said


# --- families -----------------------------------------------------------------------------


def test_all_pairs_of_ten_models() -> None:
    data = BOARD.answer("--baseline", "70%", "--delta", "1pp", "--rho", "0.4", "--models", "10")
    critical = scipy_stats.studentized_range.ppf(0.95, 10, 1e6) / math.sqrt(2)
    assert data["assumed"]["critical_value"] == pytest.approx(critical, abs=1e-4)
    assert data["assumed"]["noise_design"]["n_comparisons"] == 45
    expected = connor(0.01, psi(0.71, 0.7, 0.4), data["assumed"]["critical_value"])
    assert data["n_star"] == expected
    alone = connor(0.01, psi(0.71, 0.7, 0.4))
    assert data["n_star"] / alone == pytest.approx(2.044, abs=1e-3)
    assert "(Tukey)" in " ".join(data["assumptions"])


def test_neighbors_of_ten_models() -> None:
    data = BOARD.answer(
        *("--baseline", "70%", "--delta", "1pp", "--rho", "0.4"),
        *("--models", "10", "--goal", "adjacent"),
    )
    assert data["assumed"]["noise_design"]["n_comparisons"] == 9
    expected = connor(0.01, psi(0.71, 0.7, 0.4), z(1 - 0.05 / 18))
    assert data["n_star"] == expected
    assert expected / connor(0.01, psi(0.71, 0.7, 0.4)) == pytest.approx(1.665, abs=1e-3)
    assert "(Bonferroni)" in " ".join(data["assumptions"])


def test_two_models_are_one_comparison() -> None:
    plain = answer("--baseline", "70%", "--delta", "1pp")
    for family in ("all-pairs", "adjacent"):
        data = BOARD.answer(
            "--baseline", "70%", "--delta", "1pp", "--models", "2", "--goal", family
        )
        assert data["n_star"] == plain["n_star"]


def test_one_sided_families_are_bonferroni() -> None:
    data = BOARD.answer(
        *("--baseline", "70%", "--delta", "1pp", "--rho", "0.4"),
        *("--models", "10", "--alternative", "greater"),
    )
    assert data["assumed"]["critical_value"] == pytest.approx(z(1 - 0.05 / 45))


# --- clusters -----------------------------------------------------------------------------


def k_of_clusters(clusters: float) -> float:
    """Standard errors a gap must span: noncentral t with clusters - 1 degrees of freedom."""
    df = clusters - 1
    crit = scipy_stats.t.isf(0.025, df)

    def short(shift: float) -> float:
        far = scipy_stats.nct.cdf(-crit, df, shift) if shift < 6 else 0.0
        return float(scipy_stats.nct.sf(crit, df, shift) + far - 0.8)

    return float(optimize.brentq(short, 0.1, 30, xtol=1e-12))


def test_more_clusters_of_one_size() -> None:
    data = answer(
        *("--baseline", "70%", "--delta", "5pp", "--rho", "0.4"),
        *("--icc", "0.05", "--cluster-size", "21"),
    )
    var = psi(0.75, 0.7, 0.4) - 0.05**2

    def need(items: int) -> float:
        return 2 * (k_of_clusters(items / 21) / 0.05) ** 2 * var  # design effect 2

    n = data["n_star"]
    assert need(n) <= n * (1 + 1e-9)
    assert need(n - 1) > n - 1
    assert data["mde_floor"] is None


def test_few_clusters_have_the_power_of_a_t_test() -> None:
    data = answer(
        *("--baseline", "60%", "--delta", "20pp", "--rho", "0.5", "--items", "150"),
        *("--icc", "0.1", "--cluster-size", "50"),
    )
    shift = 0.2 / math.sqrt((psi(0.8, 0.6, 0.5) - 0.04) * (1 + 49 * 0.1) / 150)
    crit = scipy_stats.t.isf(0.025, 2)
    exact = scipy_stats.nct.sf(crit, 2, shift) + scipy_stats.nct.cdf(-crit, 2, shift)
    assert data["power"] == pytest.approx(exact, abs=1e-6)
    # a t test on the means of three clusters, simulated with 20,000 replications: 0.2551
    assert data["power"] == pytest.approx(0.2551, abs=0.01)


def test_precision_with_few_clusters_is_a_t_interval() -> None:
    design = ("--psi", "20%", "--half-width", "5pp", "--items", "500", "--icc", "0.1")
    for power in ("0.5", "0.95"):  # an interval knows no power
        data = answer(*design, "--clusters", "5", "--power", power)
        se = math.sqrt(0.2 * (1 + 99 * 0.1) / 500)
        mean = scipy_stats.chi.mean(4) / 2  # of the error that is seen, over the true one
        assert data["half_width"] == pytest.approx(scipy_stats.t.ppf(0.975, 4) * se * mean)


def test_items_that_are_not_two_clusters() -> None:
    result = run("--baseline=60%", "--items=60", "--icc=0.1", "--cluster-size=50")
    assert result.exit_code == 3
    assert "make fewer than two clusters" in result.stderr


def test_fixed_clusters_have_a_floor() -> None:
    design = ("--baseline", "70%", "--delta", "1pp", "--rho", "0.4", "--icc", "0.05")
    data = answer(*design, "--clusters", "20")
    assert data["n_star"] == "Infinity"
    assert data["mde"] is None
    assert text(*design, "--clusters", "20").startswith("No number of items detects a 1 pp gap")
    # worth 20 / 0.05 = 400 independent items, with 19 degrees of freedom
    floor = data["mde_floor"]
    var = psi(0.7 + floor, 0.7, 0.4) - floor**2
    assert (k_of_clusters(20) / floor) ** 2 * var == pytest.approx(400, rel=1e-6)


def test_fixed_clusters_of_known_size_give_the_items() -> None:
    data = answer(
        "--baseline", "70%", "--icc", "0.05", "--clusters", "200", "--cluster-size", "10"
    )
    assert data["n_items"] == 2000
    assert data["solved_for"] == "mde"
    plain = answer("--baseline", "70%", "--items", str(round(2000 / 1.45)))
    assert data["mde"] == pytest.approx(plain["mde"], rel=0.01)


def test_negative_correlation_within_clusters_buys_nothing() -> None:
    plain = answer("--baseline", "70%", "--delta", "1pp")
    data = answer("--baseline", "70%", "--delta", "1pp", "--icc=-0.05", "--cluster-size", "10")
    # only the t of 1,600 clusters instead of z
    assert plain["n_star"] <= data["n_star"] <= 1.002 * plain["n_star"]
    none = answer("--baseline", "70%", "--delta", "1pp", "--icc", "0", "--cluster-size", "10")
    assert none["n_star"] == plain["n_star"]


# --- small gaps and precision -------------------------------------------------------------


def test_precision() -> None:
    data = answer("--psi", "16.4%", "--half-width", "1pp")
    assert data["question"] == "precision"
    assert data["n_star"] == pytest.approx(z(0.975) ** 2 * 0.164 / 1e-4, rel=0.003)
    given = answer("--psi", "16.4%", "--half-width", "1pp", "--items", "1000")
    assert given["half_width"] == pytest.approx(z(0.975) * math.sqrt(0.164 / 1000), rel=0.01)
    ninety = answer("--psi", "16.4%", "--half-width", "1pp", "--alpha", "0.1")
    assert ninety["n_star"] == pytest.approx(z(0.95) ** 2 * 0.164 / 1e-4, rel=0.003)
    assert f"{percent(0.9)} CI" in ninety["headline"]


def test_precision_is_that_of_the_interval_that_compare_prints() -> None:
    """Wald's formula says 193 items, on which Tango's interval is 1.35 times as wide."""
    need = answer("--psi", "2%", "--half-width", "2pp")["n_star"]
    assert need == 297
    rng = np.random.default_rng(2)
    for n, ratio in ((need, 1.0), (193, 1.35)):
        d = rng.binomial(n, 0.02, 4000)
        wins = rng.binomial(d, 0.5)
        low, high = stats.paired_interval(wins, d - wins, n)
        assert np.subtract(high, low).mean() / 2 / 0.02 == pytest.approx(ratio, rel=0.01)
    graded = answer("--sd-diff", "0.3", "--half-width", "0.1")["n_star"]
    x = rng.normal(0, 0.3, (40_000, graded))
    low, high = stats.t_interval(x.mean(axis=1), x.std(axis=1, ddof=1), graded)
    assert 0.098 < np.subtract(high, low).mean() / 2 < 0.1005


# --- formats ------------------------------------------------------------------------------

EVERY_KIND = [
    ("--baseline", "70%", "--delta", "1pp"),
    ("--baseline", "70%", "--items", "1000"),
    ("--baseline", "98%", "--items", "100", "--rho", "0.9"),
    ("--baseline", "70%", "--items", "2"),
    ("--baseline", "70%", "--items", "1000000000"),
    ("--baseline", "70%", "--delta", "5pp", "--items", "300"),
    ("--baseline", "74%", "--items", "216", "--rho", "unpaired"),
    ("--baseline", "74%", "--delta", "3pp", "--rho", "unpaired"),
    ("--psi", "20%", "--delta", "5pp"),
    ("--psi", "100%", "--items", "50"),
    ("--psi", "1%", "--items", "3"),
    ("--sd", "0.3", "--delta", "0.02", "--items", "300"),
    ("--sd-diff", "0.3", "--delta", "0.02"),
    ("margin", "--psi", "15%", "--margin", "5pp"),
    ("margin", "--psi", "15%", "--margin", "5pp", "--items", "200"),
    ("margin", "--psi", "15%", "--margin", "5pp", "--non-inferiority", "--items", "200"),
    ("--psi", "15%", "--half-width", "1pp"),
    ("--sd-diff", "0.3", "--half-width", "0.02", "--items", "400"),
    ("--baseline", "70%", "--delta", "1pp", "--icc", "0.05", "--clusters", "20"),
    ("--baseline", "70%", "--delta", "9pp", "--icc", "0.05", "--clusters", "20"),
    ("--baseline", "70%", "--items", "900", "--icc", "0.05", "--clusters", "20"),
    ("--sd-diff", "0.3", "--delta", "0.2", "--items", "900", "--icc", "0.05", "--clusters", "9"),
    ("--baseline", "70%", "--delta", "1pp,2pp", "--rho", "0.2,0.5", "--items", "500"),
    ("board", "--baseline", "70%", "--delta", "1pp", "--models", "10"),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("arguments", EVERY_KIND, ids=" ".join)
def test_every_format_says_the_same(arguments: tuple[str, ...]) -> None:
    data = answer(*arguments)
    said = text(*arguments)
    assert said.startswith(data["headline"])
    marked = run(*arguments, "--format", "markdown")
    assert marked.exit_code == 0
    assert marked.stdout.startswith("**")
    for word in ("nan", "None", "inf ", "\x1b"):
        assert word not in said
        assert word not in marked.stdout


@pytest.mark.parametrize("arguments", [EVERY_KIND[0], EVERY_KIND[1], EVERY_KIND[13]])
def test_a_terminal_gets_the_same_words(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_output, "_on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "200")
    drawn = " ".join(run(*arguments).stdout.split())
    monkeypatch.undo()
    assert answer(*arguments)["headline"] in drawn


def test_markdown_is_a_table_and_no_more() -> None:
    marked = run("--baseline", "70%", "--delta", "1pp", "--format", "markdown").stdout
    rows = [line for line in marked.splitlines() if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1
    assert rows[1].startswith("| ---:")
    assert sum("**" in row for row in rows) == 1  # the row of the headline


def test_markdown_escapes_what_comes_from_outside() -> None:
    hostile = "<script>alert(1)</script> | `code` *b* _i_ [x](y) # @me ![i](j) \\ {z}\nnext"
    marked = render_markdown(
        Document(
            headline=hostile,
            grids=(TextTable(title=hostile, header=(hostile, "b"), rows=((hostile, "c"),)),),
            notes=(hostile,),
            assumptions=(hostile, hostile),
            paragraph=hostile,
        )
    )
    note, *assumptions = [line for line in marked.splitlines() if line.startswith("- ")]
    assert assumptions == [note, note]
    single = render_markdown(Document(headline="x", assumptions=(hostile,)))
    assert f"Assumptions: {note.removeprefix('- ')}" in single
    assert re.findall(r"(?<!\\)(?:\\\\)*([<>`*_\[\]#@!{}|])", note) == []
    assert "next" in marked
    table = [line for line in marked.splitlines() if line.startswith("|")]
    unescaped = [row.replace("\\|", "").count("|") for row in table]
    assert unescaped == [3, 3, 3]


def test_as_a_module() -> None:
    src = Path(nstar.__file__).parents[1]
    path = os.pathsep.join(p for p in (str(src), os.environ.get("PYTHONPATH")) if p)
    arguments = ["--baseline", "70%", "--delta", "1pp", "--rho", "0.4", "--format", "json"]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "nstar", "plan", *arguments],
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n_star"] == 19_593
    assert done.stderr == ""


# --- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "Set --baseline (accuracy for 0/1 scores), --psi"),
        ("--delta 1pp", "Set --baseline (accuracy for 0/1 scores), --psi"),
        ("--baseline 70%", "Set --delta (to get the number of items), --items"),
        ("--baseline 70 --delta 1pp", "'70' is above 1. Use 70% or 0.7"),
        ("--baseline 300 --delta 1pp", "'300' is above 1. Use a proportion, such as 0.7"),
        ("--baseline 170% --delta 1pp", "'170%' is not between 0% and 100%"),
        ("--baseline -5% --delta 1pp", "'-5%' is not between 0% and 100%"),
        ("--baseline 70% --delta 1", "--delta 1 is not below 1. Use 1pp"),
        ("--psi 20% --half-width 2", "--half-width 2 is above 1. Use 2pp"),
        ("--sd 30 --delta 2pp", "with --sd 30 scores do not range from 0 to 1. Use score"),
        ("--sd 0.3 --delta 2", "too large for --sd 0.3, which is in the same units"),
        ("--baseline 70% --delta 5", "or 0.05"),
        ("--baseline 70% --delta 1%", "percentage points or a share of the baseline. Use 1pp"),
        ("--baseline 70% --delta 100pp", "is not between -100pp and 100pp"),
        ("--baseline 70% --delta 1pp --rho 1", "is neither a correlation between -1 and 1 nor"),
        ("--baseline 70% --delta 1pp --rho .5,x", "'x' is neither a correlation"),
        ("--baseline 70% --delta 1pp --rho .5,mmlu", "takes several correlations or one name"),
        ("--baseline 70% --delta 1pp --psi 20%", "Use either --baseline (accuracy for 0/1"),
        ("--psi 20% --delta 1pp --rho .4", "--rho also needs --baseline"),
        ("--baseline 70% --sd 0.3 --delta 1pp", "Use either --baseline"),
        ("--baseline 70% --sd-diff 0.3 --delta 1pp", "Use either --baseline"),
        ("--sd 0.3 --rho unpaired --delta 1pp", "With --sd, set --rho 0 instead"),
        ("--psi 15% --non-inferiority --delta 1pp", "Use it with nstar plan margin."),
        (
            "--psi 15% --margin 1pp",
            "'--margin' here. Use it with nstar plan margin.",
        ),
        ("--psi 15% --half-width 1pp --alternative greater", "Remove --alternative"),
        ("--baseline 70% --half-width 1pp --rho 0.4,0.5", "--rho must be a single value"),
        ("--baseline 70% --delta 1pp --clusters 20", "--clusters also needs --icc"),
        ("--baseline 70% --delta 1pp --cluster-size 20", "--cluster-size also needs --icc"),
        ("--baseline 70% --delta 1pp --icc 0.05", "--icc also needs --cluster-size"),
        ("--baseline 70% --delta 1pp --alpha 5", "'5' is above 1. Use 5% or 0.05"),
        ("--baseline 70% --delta 1pp --power 80", "'80' is above 1. Use 80% or 0.8"),
        ("--baseline 70% --items 1", "'1' is not a valid number of items"),
        ("--baseline 70% --items ten", "'ten' is not a valid number of items"),
        ("--baseline 70% --delta 1pp --models 10", "Use it with nstar plan board."),
        ("--baseline 70% --delta 1pp --format yaml", "'yaml' is not one of 'text', 'json'"),
        ("--baseline 70% --delta 1pp --nonsense", "No such option"),
        ("--baseline 70% --delta 1pp surplus", "Got unexpected extra argument"),
        ("--baseline", "requires an argument"),
    ],
)
def test_wrong_usage_exits_2_with_a_hint(arguments: str, message: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--baseline 80% --delta 10pp --rho 0.8", "feasible rho is -0.1667 to 0.6667"),
        ("--baseline 70% --delta 1pp --rho -0.99", "feasible rho is -0.4184 to 0.9762"),
        ("--baseline 70% --items 100 --rho -0.99", "rho = -0.99 is impossible"),
        ("--psi 1% --delta 2pp", "delta = 0.02 with psi = 0.01 is impossible"),
        ("--baseline 95% --delta 10pp", "gives an accuracy of 1.05"),
        ("--baseline 5% --delta=-10pp --rho unpaired", "gives an accuracy of -0.05"),
    ],
)
def test_impossible_numbers_exit_3_with_the_range(arguments: str, message: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 3
    assert message in result.stderr
    assert result.stderr.startswith("nstar: ")
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--psi 0% --delta 2pp", "--psi must be in (0, 1]; got 0"),
        ("--baseline 0% --delta 1pp", "--baseline must be in (0, 1); got 0"),
        ("--baseline 100% --delta=-1pp", "--baseline must be in (0, 1); got 1"),
        ("--baseline 70% --delta 0pp", "--delta must be at least 1e-07 and below 1; got 0"),
        ("--baseline 70% --delta 1pp --alpha 0", "--alpha must be in (0, 1); got 0"),
        ("--baseline 70% --delta 1pp --power 100%", "--power must be in (0, 1); got 1"),
        ("--baseline 70% --delta 1pp --icc 2 --clusters 9", "'2' is not a correlation"),
        (
            "--baseline 70% --delta 1pp --icc=-.2 --cluster-size 22",
            "--icc must be at least -0.04762",
        ),
        ("--sd 0 --delta 0.01", "--sd must be a finite number > 0; got 0"),
        ("--sd nan --delta 2", "'nan' is not a standard deviation"),
        ("--psi 15% --half-width=-5pp", "--half-width must be a finite number > 0; got -0.05"),
    ],
)
def test_numbers_outside_their_domain_exit_2(arguments: str, message: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


HOSTILE = (
    "<script>alert(1)</script>",
    "\x1b[31m70%\x1b[0m",
    "1e999",
    "-1e999",
    "nan",
    "inf",
    "",
    " ",
    "%",
    "pp",
    "0x10",
    "1;rm -rf",
    "${HOME}",
    "../../etc/passwd",
    "9" * 5000,
    "🙂",
    "--",
)
VALUED = [
    p.opts[0]
    for p in plain_command("plan").params
    if isinstance(p, click.Option) and not p.is_flag
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("option", VALUED)
def test_hostile_values_are_refused_in_one_breath(option: str) -> None:
    for value in HOSTILE:
        result = run("--baseline", "70%", "--delta", "1pp", f"{option}={value}")
        assert result.exit_code in (2, 3), (value, result.output)
        assert "Error: " in result.stderr or result.stderr.startswith("nstar: ")
        assert "Traceback" not in result.output
        assert "\x1b" not in result.output
        assert result.stdout == ""


@pytest.mark.parametrize("value", ["inf", "1e999"])
def test_clusters_of_infinite_size(value: str) -> None:
    result = run("--baseline=70%", "--delta=1pp", "--icc=0.1", f"--cluster-size={value}")
    assert result.exit_code in (2, 3)


def test_more_items_than_an_integer_holds() -> None:
    assert run("--baseline", "70%", "--items", "9" * 23).exit_code in (0, 2, 3)


def test_labels_wider_than_the_chart() -> None:
    assert run("--baseline", "70%", "--delta", "1.1e-7").exit_code == 0
    assert run("--baseline", "70%", "--delta", "1e-11").exit_code == 2


def test_a_decimal_comma_is_not_a_thousands_separator() -> None:
    assert run("--baseline", "7,1%", "--delta", "1pp").exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        "--psi 20% --sd 0.3 --delta 1pp",
        "--sd 0.3 --sd-diff 0.3 --delta 1pp",
        "--psi 20% --half-width 1pp --delta 3pp",
    ],
)
def test_two_answers_to_one_question(arguments: str) -> None:
    assert run(*arguments.split()).exit_code == 2


def test_help_names_every_option() -> None:
    result = CliRunner().invoke(main, ["plan", "--help"])
    assert result.exit_code == 0
    assert all(option in result.stdout for option in VALUED)


def test_tasks_are_items_of_a_plan() -> None:
    said = " ".join(run("--baseline", "70%", "--tasks", "60").stderr.split())
    assert "No such option '--tasks'. Did you mean '--items'?" in said
