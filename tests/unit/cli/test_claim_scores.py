"""``nstar claim scores``: against scipy, high precision, enumeration, and simulation."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy import stats as oracle

import nstar
from helpers.commands import Command
from nstar.errors import ParameterError
from nstar.stats._printed_errors import gap_error, more_than_binomial, r_needed, se_factor

COMMAND = Command("claim scores")
run, answer, text = COMMAND.run, COMMAND.answer, COMMAND.text
SEEDS = ("71.4", "70.6", "--pm", "0.5,0.4", "--seeds", "5")
ITEMS = ("71.4%", "70.6%", "--pm", "0.5,0.4", "--seeds", "5", "--items", "1000")
BLEU = ("27.3", "26.8", "--pm", "0.6")


def sds(reading: str, pm: float, s: int) -> float:
    """The standard deviation over runs that each reading of ± stands for."""
    return {
        "sd": pm,
        "sd-n": pm * math.sqrt(s / (s - 1)),
        "se": pm * math.sqrt(s),
        "ci-t": pm * math.sqrt(s) / oracle.t.ppf(0.975, s - 1),
        "ci-z": pm * math.sqrt(s) / oracle.norm.ppf(0.975),
    }[reading]


@pytest.mark.parametrize(("s", "r"), [(5, 5), (3, 8), (2, 2)])
def test_every_reading_is_welchs_test(s: int, r: int) -> None:
    found = nstar.claim_scores(71.4, 70.6, pm=(0.5, 0.4), seeds=(s, r))
    for row in found.scenarios:
        a, b = sds(row.reading, 0.5, s), sds(row.reading, 0.4, r)
        want = oracle.ttest_ind_from_stats(71.4, a, s, 70.6, b, r, equal_var=False)
        assert row.t == pytest.approx(abs(want.statistic))
        assert row.pvalue == pytest.approx(want.pvalue)
    assert found.is_unpaired is (s != r)


def test_a_p_value_in_high_precision() -> None:
    """The headline's case, ± a standard error: t = 0.8/√0.41, df by Welch–Satterthwaite."""
    with mpmath.workdps(40):
        a, b = mpmath.mpf("0.25"), mpmath.mpf("0.16")
        t = mpmath.mpf("0.8") / mpmath.sqrt(a + b)
        df = (a + b) ** 2 / (a**2 / 4 + b**2 / 4)
        x = df / (df + t * t)
        p = mpmath.betainc(df / 2, mpmath.mpf("0.5"), 0, x, regularized=True)
    row = next(
        r for r in nstar.claim_scores(71.4, 70.6, pm=(0.5, 0.4), seeds=5).scenarios if r.t < 2
    )
    assert row.pvalue == pytest.approx(float(p), rel=1e-10)


def test_bounds_over_every_correlation() -> None:
    """Paired differences with errors correlated by r, r from -1 to 1."""
    found = nstar.claim_scores(27.3, 26.8, pm=(0.6, 0.5), pm_is="se")
    (row,) = found.scenarios
    ts = [0.5 / math.sqrt(0.36 + 0.25 - 2 * r * 0.3) for r in np.linspace(-1, 1, 2001)]
    assert (row.t_min, row.t_max) == pytest.approx((min(ts), max(ts)))
    turn = next(r for r, t in zip(np.linspace(-1, 1, 2001), ts, strict=True) if t >= 1.959964)
    assert row.r_significant == pytest.approx(turn, abs=1e-3)
    assert found.verdict == "depends"


def test_rounding_is_over_every_number_that_prints_so() -> None:
    found = nstar.claim_scores("71.4", "70.6", pm=("0.5", "0.4"), seeds=5, pm_is="se")
    (row,) = found.scenarios
    edges = [
        oracle.ttest_ind_from_stats(
            x, a * math.sqrt(5), 5, y, b * math.sqrt(5), 5, equal_var=False
        ).pvalue
        for x, y, a, b in product((71.35, 71.45), (70.55, 70.65), (0.45, 0.55), (0.35, 0.45))
    ]
    assert float(row.pvalue_bounds.low) == pytest.approx(min(edges))
    assert float(row.pvalue_bounds.high) == pytest.approx(max(edges))


def test_the_correlation_needed() -> None:
    r = r_needed(0.8, 0.5, 0.4, 1.96)
    assert r is not None
    assert 0.8 / gap_error(0.5, 0.4, r) == pytest.approx(1.96)
    assert r_needed(5, 0.5, 0.4, 1.96) == -1
    assert r_needed(0.1, 0.5, 0.1, 1.96) is None
    assert r_needed(1.0, 0.0, 0.1, 1.96) == -1


def test_seeds_leave_items_out() -> None:
    """SE over items at rho 0.4 and 0.7 by the textbook variance of a difference."""
    data = answer(*ITEMS)
    a, b = 0.714 * 0.286, 0.706 * 0.294
    for rho, key in ((0.7, "low"), (0.4, "high")):
        want = math.sqrt((a + b - 2 * rho * math.sqrt(a * b)) / 1000)
        assert data["se_items"][key] == pytest.approx(want)
    row = next(r for r in data["scenarios"] if r["reading"] == "se")
    seeds = 0.005**2 + 0.004**2
    assert row["t_items"]["low"] == pytest.approx(
        0.008 / math.sqrt(seeds + data["se_items"]["high"] ** 2)
    )
    said = text(*ITEMS)
    assert "is significant if ± is an SD (p = 0.025–0.038) or a 95% CI" in said
    assert "not if an SE (p = 0.25). Rounding can change this." in said
    assert "With item sampling (SE 1.1 to 1.6 pp), |T| is 0.47 to 0.70." in said
    assert "Item sampling is not included." in text(*SEEDS)
    assert "reports 71.4 ± 0.5% against 70.6 ± 0.4%" in text(*ITEMS, "--paragraph")


def test_an_error_that_is_the_items_own() -> None:
    """√(0.714 × 0.286 / 1000) = 1.43 pp and √(0.706 × 0.294 / 1000) = 1.44 pp."""
    data = answer("71.4%", "70.6%", "--pm", "1.43,1.44", "--seeds", "5", "--items", "1000")
    assert data["like_items"] == ["run-se"]
    assert any("the standard error of one run over its items" in n for n in data["notes"])
    assert any("not over seeds" in n for n in data["notes"])
    double = answer("71.4%", "70.6%", "--pm", "2.8", "--items", "1000")
    assert double["like_items"] == ["run-ci"]
    assert answer(*ITEMS)["like_items"] == []


def test_a_spread_beyond_drawn_answers() -> None:
    data = answer("71.4%", "70.6%", "--pm", "1.9", "--seeds", "5", "--items", "1000")
    assert {r["reading"]: r["exceeds_binomial"] for r in data["scenarios"]} == {
        "sd": False,
        "sd-n": False,
        "se": True,
        "ci-t": False,
        "ci-z": False,
    }
    assert any("runs vary more than repeated sampling of answers" in n for n in data["notes"])
    assert answer(*ITEMS)["scenarios"][2]["exceeds_binomial"] is False


def test_the_limit_of_a_spread_by_simulation() -> None:
    """Runs of independent answers seldom spread beyond it: 1% at equal chances, less else."""
    rng = np.random.default_rng(1)
    for chances in (np.full(200, 0.7), rng.beta(2, 1, 200)):
        runs = rng.random((4000, 5, 200)) < chances
        sd, mean = runs.mean(axis=2).std(axis=1, ddof=1), runs.mean(axis=(1, 2))
        beyond = [more_than_binomial(s, m, 200, 5) for s, m in zip(sd, mean, strict=True)]
        assert np.mean(beyond) <= 0.01 + 3 * math.sqrt(0.01 * 0.99 / 4000)


def test_scores_with_an_interval() -> None:
    data = answer("1285", "1272", "--pm", "+5/-4,6", "--pm-is", "ci")
    (row,) = data["scenarios"]
    z = oracle.norm.ppf(0.975)
    assert (row["se_a"], row["se_b"]) == pytest.approx((4.5 / z, 6 / z))
    assert data["is_accuracy"] is False
    assert "1285 ± 4.5 against 1272 ± 6" in text(
        "1285", "1272", "--pm", "+5/-4,6", "--pm-is", "ci", "--paragraph"
    )
    assert answer("20", "10", "--pm", "1", "--pm-is", "ci")["verdict"] == "supported"
    never = answer("20.2", "20", "--pm", "9,1", "--pm-is", "se")
    assert (never["verdict"], never["scenarios"][0]["r_significant"]) == ("not_supported", None)


def test_independent_errors() -> None:
    data = answer(*BLEU, "--unpaired", "--pm-is", "se")
    assert data["scenarios"][0]["r_significant"] is None
    assert data["scenarios"][0]["pvalue"] == pytest.approx(
        2 * oracle.norm.sf(0.5 / math.hypot(0.6, 0.6))
    )
    assert data["headline"].startswith("Not supported: +0.5 is not significant with indep")


def test_a_standard_deviation_over_items() -> None:
    found = nstar.claim_scores(0.62, 0.60, pm=0.3, pm_is="sd", items=900)
    assert found.scenarios[0].se_a == pytest.approx(0.01)
    assert se_factor("sd", 900) == pytest.approx(1 / 30)


def test_one_sided_and_behind() -> None:
    data = answer("70.6", "71.4", "--pm", "0.1", "--seeds", "5", "--alternative", "greater")
    assert data["verdict_independent"] == "not_supported"
    assert all(row["pvalue"] > 0.9 for row in data["scenarios"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "71.4 70.6 --pm x",
            "expected one or two numbers (for example, 0.5 or 0.5,0.4); got 'x'",
        ),
        ("71.4 70.6 --pm 1,2,3", "expected one or two numbers"),
        ("71.4 70.6 --seeds 5", "Missing option '--pm'"),
        ("71.4 70.6 --pm 0.5 --p 0.04", "No such option '--p' here. Use it with nstar claim."),
        ("71.4 70.6 --pm 0.5 --pm-is sd", "A standard deviation needs its sample size"),
        ("71.4% 70.6 --pm 0.5", "Use a percent sign for both or for neither"),
        ("71.4% 70.6% --pm -0.5", "--pm must be 0 or more; got -0.5"),
        ("71.4 70.6 --pm 0.5 --seeds 1", "'1' is not a valid number of seeds. Use a whole number"),
        (
            "71.4 70.6 --pm 0.5 --seeds 5,5,5",
            "--seeds must be one value, or one for each model; got 3",
        ),
    ],
)
def test_wrong_usage(arguments: str, message: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("71.4 71.4 --pm 0.5", "so there is no gap"),
        ("71.4 70.6 --pm 0.0", "were rounded to zero"),
    ],
)
def test_impossible_numbers(arguments: str, message: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 3, result.output
    assert message in " ".join(result.stderr.split())


def test_a_benchmark_without_items_is_not_passed_over() -> None:
    result = run("71.4", "70.6", "--pm", "0.5", "--seeds", "5", "--rho", "mmlu")
    assert result.exit_code == 2, result.output
    assert "--rho is a correlation over items" in result.stderr
    assert "Add --items." in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "0.714 0.706 --pm 0.5%",
            "--pm 0.5% with 0.714 is ambiguous: it could mean percentage points or a share of",
        ),
        ("0.714 0.706 --pm 0.5%", "Use 0.5pp or 0.00357"),
        ("0.714 0.706 --pm 0.5% --items 1000", "Use 0.5pp or 0.00357"),
        ("71.4 70.6 --pm 0.5%", "Use 0.5pp or 0.357"),
        (
            "0.783 0.775 --pm 0.4",
            "--pm 0.4 with 0.783 is ambiguous: it could be in percentage points or in the unit of",
        ),
        ("0.783 0.775 --pm 0.4", "Use 0.4pp (= 0.004) or 40pp (= 0.4)"),
        ("0.783 0.775 --pm 0.400", "Use 0.400pp (= 0.004) or 40pp (= 0.4)"),
        ("71.4% 70.6% --pm 0.005", "percentage points or a proportion. Use 0.005pp or 0.5pp"),
    ],
)
def test_an_error_in_another_unit_is_asked_about(arguments: str, message: str) -> None:
    result = run(*arguments.split(), "--seeds", "5")
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.stderr.split())


def test_an_error_in_points_beside_proportions() -> None:
    points = answer("0.783", "0.775", "--pm", "0.4pp", "--seeds", "5")
    assert points["first"]["pm"] == pytest.approx(0.004)
    assert answer("0.783", "0.775", "--pm", "40pp")["first"]["pm"] == pytest.approx(0.4)
    plain = answer("0.783", "0.775", "--pm", "0.004", "--seeds", "5")
    assert [row["pvalue"] for row in points["scenarios"]] == pytest.approx(
        [row["pvalue"] for row in plain["scenarios"]]
    )
    spread = answer("0.62", "0.45", "--pm", "0.12,0.10", "--seeds", "5")
    assert spread["first"]["pm"] == pytest.approx(0.12)


def test_rounding_decides_in_python_too() -> None:
    texts = nstar.claim_scores("71.4", "70.6", pm=("0.5", "0.4"), seeds=5, pm_is="sd")
    numbers = nstar.claim_scores(71.4, 70.6, pm=(0.5, 0.4), seeds=5, pm_is="sd")
    assert [row.pvalue_bounds for row in numbers.scenarios] == [
        row.pvalue_bounds for row in texts.scenarios
    ]
    assert "rounding decides" in " ".join(str(numbers).split())
    exact = nstar.claim_scores(214 / 3, 212 / 3, pm=1 / 3, seeds=5)
    assert (exact.first.half, exact.first.pm_half) == (0, 0)
    nothing = nstar.claim_scores("22.18", "0", pm=("7.64", "0"), pm_is="ci", unpaired=True)
    assert (nothing.second.half, nothing.second.pm_half) == pytest.approx((0.005, 0.005))


def test_python_refuses_what_is_no_number() -> None:
    with pytest.raises(ParameterError, match="must be a number such as"):
        nstar.claim_scores("71.4x", "70", pm=1)
    with pytest.raises(
        ParameterError, match=r"pm must contain one or two numbers .*; got 3 values"
    ):
        nstar.claim_scores(71.4, 70, pm=(1, 2, 3))


@pytest.mark.parametrize("arguments", [SEEDS, ITEMS, BLEU, ("-1.2", "-1.4", "--pm", "0.1")])
@pytest.mark.parametrize("form", ["text", "json", "markdown", "latex", "csv"])
def test_every_format(arguments: tuple[str, ...], form: str) -> None:
    result = run(*arguments[2:], "--format", form, "--paragraph", "--", *arguments[:2])
    assert result.exit_code == 0, result.output
    assert "nan" not in result.stdout


def test_what_was_said_of_the_error_is_not_asked_again() -> None:
    seeds = ("71.4%", "70.6%", "--pm", "0.4", "--seeds", "3", "--brief")
    assert "is not significant if ± is an SD" in text(*seeds)
    said = text(*seeds, "--pm-is", "ci")
    assert "is significant if ± is a 95% CI from t (p = 0.0037), not if a 95% CI from z" in said
    assert "an SD" not in said
    assert "if ±" not in text(*seeds, "--pm-is", "se")


def test_a_supported_claim_asks_for_nothing() -> None:
    said = text("1285", "1272", "--pm", "5", "--pm-is", "ci")
    assert "(|T| ≥ 2.55)" in said
    assert "To resolve it" not in said


def test_p_covers_both_divisors_of_an_sd() -> None:
    claim = nstar.claim_scores("71.4", "70.0", pm=("0.5", "0.4"), seeds=5, pm_is="sd")
    low, high = sorted(
        oracle.ttest_ind_from_stats(
            71.4, 0.5 * factor, 5, 70.0, 0.4 * factor, 5, equal_var=False
        ).pvalue
        for factor in (1, math.sqrt(5 / 4))
    )
    assert f"p = {low:.2g}–{high:.2g} for divisors n − 1 and n" in claim.headline
    assert "divisors" not in nstar.claim_scores(71.4, 70, pm=0.5, seeds=5, pm_is="se").headline
    by_ci = nstar.claim_scores("71.4", "70.9", pm=("0.5", "0.4"), seeds=5, pm_is="ci")
    assert "by t and by z" in by_ci.headline
