"""``nstar claim`` from the outside: bounds by hand, checks of printed figures, refusals."""

import math
from pathlib import Path
from statistics import NormalDist

import click
import pytest
from click.testing import CliRunner

import nstar
from helpers.commands import Command
from nstar.cli import main
from nstar.cli.claim import claim_command
from nstar.errors import ParameterError

PHI = NormalDist()
PAIR = ("71.4%", "70.6%", "--items", "1000")


COMMAND = Command("claim")
run, answer, text = COMMAND.run, COMMAND.answer, COMMAND.text


def psi(p_a: float, p_b: float, rho: float) -> float:
    q_a, q_b = 1 - p_a, 1 - p_b
    return p_a * q_b + p_b * q_a - 2 * rho * math.sqrt(p_a * q_a * p_b * q_b)


def connor(delta: float, share: float) -> float:
    crit, beta = PHI.inv_cdf(0.975), PHI.inv_cdf(0.8)
    return ((crit * math.sqrt(share) + beta * math.sqrt(share - delta * delta)) / delta) ** 2


def t_at(delta: float, share: float, n: int) -> float:
    return abs(delta) * math.sqrt(n / (share - delta * delta))


# --- the sentences the project promises ---------------------------------------------------


def test_a_gap_well_below_the_mde() -> None:
    data = answer(*PAIR)
    assert data["gap_vs_mde"] == "below"
    assert data["verdict"] == "depends"
    assert data["needs_per_item_data"] is True
    assert data["t_min"] == pytest.approx(t_at(0.008, 2 - 1.42, 1000))
    assert data["t_max"] == pytest.approx(t_at(0.008, 0.008, 1000))
    said = text(*PAIR)
    assert said.startswith(
        "Depends: +0.8 pp on 1,000 items is significant only if the models disagree on at most 16 "
        "items; 124–247 is typical. Typically, an observed gap above 2.2 to 3.1 pp is "
        "significant and "
        "a true gap of 3.1 to 4.3 pp is detected with 80% power."
    )
    assert "To paste" not in said
    assert "To paste The paper reports 71.4% against 70.6%" in text(*PAIR, "--paragraph")


def test_twelve_thousand_items() -> None:
    data = answer("78.3%", "77.5%", "--items", "12032")
    assert round(data["t_min"], 2) == 1.18  # 86 items apart, 5,318 disagreements
    assert round(data["t_max"], 2) == 10.44
    assert data["gap_vs_mde"] == "borderline"
    assert data["verdict"] == "depends"
    said = text("78.3%", "77.5%", "--items", "12032")
    assert "at most 2,398 items; 1,244–2,486 is typical." in said
    pasted = text("78.3%", "77.5%", "--items", "12032", "--paragraph")
    assert "The two accuracies alone imply |T| = 1.18–10.44." in pasted


@pytest.mark.parametrize(
    ("first", "second", "n"),
    [("71.4%", "70.6%", 1250), ("80.5%", "78.7%", 164), ("71%", "70%", 100), ("96%", "74%", 216)],
)
def test_t_is_bounded_over_every_count_that_prints_so(first: str, second: str, n: int) -> None:
    def right(shown: str) -> list[int]:
        places = len(shown.partition(".")[2].removesuffix("%"))
        half = 0.5 * 10**-places + 1e-9
        return [k for k in range(n + 1) if abs(100 * k / n - float(shown[:-1])) <= half]

    ts = [
        t_at((a - b) / n, (a - b + 2 * lost) / n, n) if a != b else 0.0
        for a in right(first)
        for b in right(second)
        for lost in range(min(b, n - a) + 1)
    ]
    data = answer(first, second, "--items", str(n))
    assert (data["t_min"], data["t_max"]) == pytest.approx((min(ts), max(ts)))


def test_what_was_asked_of_printed_figures_is_in_the_answer() -> None:
    said = text(*PAIR, "--p", "0.04", "--brief")
    assert (
        "the reported p = 0.04 requires disagreement on 12–22 items, but 124–247 is typical"
        in said
    )
    said = text(*PAIR, "--p", "0.6", "--brief", "--paragraph")
    assert said.count("The reported p = 0.6 is possible.") == 2
    size = ("71%", "70%", "--items", "1000", "--rho", "0.4", "--printed-n", "9,888", "--brief")
    assert "The reported sample size 9,888 is half of what is needed (19,593)." in text(*size)


def test_a_forced_disagreement() -> None:
    said = text("100%", "0%", "--items", "10", "--brief")
    assert said.startswith("Supported: +100 pp on 10 items is significant, and the models")


def test_a_negative_score_is_no_option() -> None:
    scores = Command("claim scores")
    one = scores.answer("-1.23", "-1.40", "--pm", "0.1")
    assert one["gap"] == pytest.approx(0.17)
    assert scores.answer("--unpaired", "-1.23", "-1.40", "--pm", "0.1")["gap"] == one["gap"]
    assert answer(*PAIR, "--rho", "-0.2", "--ci", "-2.6pp,4.6pp")["rho_assumed"]["mean"] == -0.2


def test_a_page_of_it(tmp_path: Path) -> None:
    result = run(*PAIR, "--html", str(tmp_path / "claim.html"))
    assert result.exit_code == 0
    assert "Depends: +0.8" in (tmp_path / "claim.html").read_text("utf-8")


def test_json_has_the_promised_keys() -> None:
    data = answer(*PAIR)
    assert {"t_min", "t_max", "verdict", "assumptions", "mde", "n_star"} <= data.keys()
    assert data["schema"] == "nstar.claim/1"
    assert data["nstar"] == nstar.__version__
    assert data["gap"] == pytest.approx(0.008)
    assert "paragraph" not in data
    assert answer(*PAIR, "--paragraph")["paragraph"]


def test_the_table_by_hand() -> None:
    data = answer(*PAIR)
    for row in data["scenarios"]:
        share = psi(0.714, 0.706, row["rho"])
        assert row["psi"] == pytest.approx(share)
        assert row["t"] == pytest.approx(t_at(0.008, share, 1000))
        assert row["n_star"] == math.ceil(connor(0.008, share))
        other = 0.706 + row["mde"]
        assert connor(row["mde"], psi(other, 0.706, row["rho"])) == pytest.approx(1000, rel=1e-6)
    typical = {row["rho"]: row for row in data["scenarios"]}
    assert data["mde"] == {"low": typical[0.7]["mde"], "high": typical[0.4]["mde"]}
    assert data["n_star"] == {"low": typical[0.7]["n_star"], "high": typical[0.4]["n_star"]}


def mid_p(gained: int, lost: int) -> float:
    n, k = gained + lost, max(gained, lost)
    tail = sum(math.comb(n, i) for i in range(k, n + 1))
    return (2 * tail - math.comb(n, k)) / 2**n


def test_the_most_disagreement_that_is_significant() -> None:
    data = answer(*PAIR)
    assert data["n_discordant"] == {"least": 8, "most": 580}
    most = data["n_discordant_significant"]
    lost = (most - 8) // 2
    assert mid_p(lost + 8, lost) <= 0.05 < mid_p(lost + 9, lost + 1)
    assert psi(0.714, 0.706, data["rho_significant"]) == pytest.approx(most / 1000)
    assert f"disagree on at most {most} items" in text(*PAIR)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("100%", "80%", "--items", "20"), "not_supported"),  # 4 : 0 is not significant
        (("100%", "96%", "--items", "100"), "not_supported"),
        (("100%", "70%", "--items", "20"), "supported"),  # 6 : 0 is
        (("80%", "20%", "--items", "10"), "depends"),  # 6 : 0 is, 8 : 2 is not
        (("55%", "51%", "--items", "100"), "not_supported"),
        (("60%", "90%", "--items", "500", "--alternative", "greater"), "not_supported"),
        (("90%", "60%", "--items", "500", "--alternative", "greater"), "supported"),
    ],
)
def test_significance_is_that_of_the_counts(arguments: tuple[str, ...], word: str) -> None:
    assert answer(*arguments)["verdict"] == word


def test_a_known_impossible_figure_comes_first() -> None:
    said = text("45.0%", "43.8%", "--items", "448", "--paragraph")
    assert "Caution: 45.0% is not possible on 448 items" in said
    assert " ".join(said.split()).count("45.0% is not possible on 448 items") == 2
    tight = text("62.4%", "60.8%", "--items", "500", "--ci", "1.5pp,1.7pp")
    assert "Caution: the reported CI matches no standard method." in tight


def test_feasible_correlations() -> None:
    bounds = answer(*PAIR)["rho_bounds"]
    assert bounds["high"] == pytest.approx(math.sqrt(0.706 * 0.286 / (0.714 * 0.294)))
    assert bounds["low"] == pytest.approx(-math.sqrt(0.286 * 0.294 / (0.714 * 0.706)))


@pytest.mark.parametrize(
    ("pair", "items", "size", "verdict"),
    [
        (("90%", "50%"), "1000", "above", "supported"),
        (("51%", "50%"), "20", "below", "not_supported"),
        (("74%", "70%"), "1000", "borderline", "depends"),
    ],
)
def test_verdicts(pair: tuple[str, str], items: str, size: str, verdict: str) -> None:
    data = answer(*pair, "--items", items)
    assert (data["gap_vs_mde"], data["verdict"]) == (size, verdict)
    low, high = 0.5 * data["mde"]["low"], 1.5 * (data["mde"]["high"] or math.inf)
    expected = "below" if data["gap"] < low else "above" if data["gap"] > high else "borderline"
    assert size == expected


def test_the_other_way_round() -> None:
    one, other = answer(*PAIR), answer("70.6%", "71.4%", "--items", "1000")
    assert other["gap"] == pytest.approx(-one["gap"])
    assert (other["t_min"], other["t_max"]) == pytest.approx((one["t_min"], one["t_max"]))
    assert "Depends: −0.8 pp" in text("70.6%", "71.4%", "--items", "1000")


def test_a_known_correlation() -> None:
    data = answer(*PAIR, "--rho", "0.6")
    assert data["rho_assumed"]["low"] == data["rho_assumed"]["high"] == 0.6
    assert data["mde"]["low"] == data["mde"]["high"]
    share = psi(0.714, 0.706, 0.6)
    assert data["n_star"]["low"] == math.ceil(connor(0.008, share))


def test_a_published_correlation() -> None:
    data = answer(*PAIR, "--rho", "math")
    assert data["rho_assumed"] == {
        "name": "MATH",
        "mean": 0.41,
        "low": 0.31,
        "high": 0.55,
        "source": "reported in clawRxiv 2604.01974",
    }


def test_a_measured_correlation() -> None:
    data = answer("78.3%", "77.5%", "--items", "12032", "--rho", "mmlu-pro", "--paragraph")
    assert data["rho_assumed"]["source"].startswith("measured, 378 pairs of 28 models")
    assert "measured, 378 pairs" in data["paragraph"]


def test_one_sided_and_level() -> None:
    level = ("--items", "12032", "--alternative", "greater", "--alpha", "0.1")
    data = answer("78.30%", "77.50%", *level)
    assert data["criteria"] == {"alpha": 0.1, "power": 0.8, "alternative": "greater"}
    # 1.32 standard errors exceed 1.28
    assert data["verdict"] == "supported"
    # but one decimal leaves a gap of 86 to 108 items, and 86 are 1.18 standard errors
    rounded = answer("78.3%", "77.5%", *level)
    assert rounded["gap_items"] == {"least": 86, "most": 108}
    assert rounded["verdict"] == "depends"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("71%", "70%", "--items", "300"), "depends"),  # 214 v 209: 5 : 0 is significant
        (("71%", "70%", "--items", "100000"), "depends"),  # both may be 70,500
        (("71.0%", "70.0%", "--items", "300"), "not_supported"),  # 213 v 210 only
    ],
)
def test_printed_digits_are_rounded(arguments: tuple[str, ...], word: str) -> None:
    assert answer(*arguments)["verdict"] == word


def test_an_unattainable_figure_beside_a_perfect_model() -> None:
    data = answer("100%", "99.5%", "--items", "100", "--p", "0.04")
    assert data["gap_items"] == {"least": 1, "most": 1}
    assert data["verdict"] == "not_supported"


def p_verdict(*arguments: str) -> str:
    return str(answer(*arguments)["pvalue_check"]["verdict"])


def test_a_p_that_only_rounding_allows() -> None:
    assert p_verdict("71%", "70%", "--items", "1000", "--p", "3e-5") == "fits"
    # 10 items won and none lost: (1 - 0.01)^1000 = 4e-5 of the resamples show no gap
    assert p_verdict("71.0%", "70.0%", "--items", "1000", "--p", "1e-6") == "fits none"


def test_a_trailing_model_has_a_large_one_sided_p() -> None:
    behind = ("70.6%", "71.4%", "--items", "1000", "--alternative", "greater")
    fits = answer(*behind, "--p", "0.9")["pvalue_check"]["tests"]
    assert {fit["sides"] for fit in fits if fit["method"] == "exact"} == {1}


def test_a_perfect_model_leaves_one_discordance() -> None:
    data = answer("100.0%", "90.0%", "--items", "1000")
    assert data["rho_bounds"] is None
    assert data["t_min"] == pytest.approx(data["t_max"])
    assert data["t_min"] == pytest.approx(t_at(0.1, 0.1, 1000))
    assert data["gap_vs_mde"] == "above"
    assert data["verdict"] == "supported"
    assert data["scenarios"] == []


def test_certainty_has_no_error() -> None:
    data = answer("100%", "0%", "--items", "30")
    assert data["t_min"] is data["t_max"] is None  # no variance at all
    assert data["gap_vs_mde"] == "above"


def test_few_items() -> None:
    data = answer("60%", "50%", "--items", "2")
    assert data["gap_vs_mde"] == "below"
    assert data["mde"]["high"] is None
    assert data["n_star"]["low"] > 2


# --- printed figures ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "possible"), [("2.31%", True), ("2.34%", False), ("71.3%", True), ("0.0231", True)]
)
def test_grim(first: str, possible: bool) -> None:
    data = answer(first, "50%", "--items", "216")
    assert data["grim"][0]["possible"] is possible
    words = "is k/216 with k = " if possible else "is not k/216 for any whole k"
    assert words in text(first, "50%", "--items", "216")


def fits(*arguments: str) -> dict[tuple[str, int], dict[str, int] | None]:
    """Tests that give the printed p, with the disagreement that each implies."""
    tests = answer(*arguments)["pvalue_check"]["tests"]
    return {(t["method"], t["sides"]): t["at_gap"] or t["n_discordant"] for t in tests}


@pytest.mark.parametrize(
    ("arguments", "test"),
    [
        ("90% 80% --items 30 --p 0.51", ("exact", 2)),  # 6 v 3: .508
        ("90% 80% --items 30 --p 0.47", ("fisher", 2)),  # .472
        ("95% 90% --items 200 --p 0.09", ("fisher", 2)),  # .086
        ("95.0% 90.0% --items 200 --p 0.10", ("exact", 2)),  # .099
        ("90% 80% --items 30 --p 0.04", ("asymptotic", 1)),  # 3 v 0
        ("75.0% 73.0% --items 1000 --p 9.5e-7", ("midp", 2)),  # 20 v 0, as compare prints it
    ],
)
def test_a_right_p_is_not_called_impossible(arguments: str, test: tuple[str, int]) -> None:
    assert test in fits(*arguments.split())
    assert "impossible" not in text(*arguments.split())


def test_each_test_implies_its_own_disagreement() -> None:
    demo = ("71.4%", "70.6%", "--items", "1250", "--p", "0.59")  # 145 v 135, exact
    found = fits(*demo)
    assert found["exact", 2] == {"least": 272, "most": 286}
    assert found["asymptotic", 2] == {"least": 336, "most": 352}
    assert exact_p(145, 135) == pytest.approx(0.59, abs=0.005)
    for lost, inside in ((130, False), (131, True), (138, True), (139, False)):
        assert (abs(exact_p(lost + 10, lost) - 0.59) <= 0.005) is inside
    assert "disagree on about 280 items (272–286) by McNemar's exact test" in text(*demo)
    assert "Tests that give p = 0.59" in text(*demo, "--full")
    both = answer(*demo, "--ci", "-1.83pp,3.43pp")["ci_check"]["joint_match"]
    assert both["n_discordant"] == {"least": 280, "most": 280}


def exact_p(gained: int, lost: int) -> float:
    n, k = gained + lost, min(gained, lost)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n)


def test_a_p_that_the_correlation_given_does_not_allow() -> None:
    said = " ".join(text(*PAIR, "--p", "0.01", "--rho", "0.5").split())
    assert "At the assumed correlation, about 206 is expected." in said
    assert "124 to 247 is typical." in " ".join(text(*PAIR, "--p", "0.01").split())


@pytest.mark.parametrize("p", ["1e-9", "<1e-9", "0.0000"])
def test_a_p_that_no_test_gives(p: str) -> None:
    assert p_verdict(*PAIR, "--p", p) == "fits none"
    said = text(*PAIR, "--p", p)
    assert "matches no standard test" in " ".join(said.split())
    assert "impossible" not in said


def test_a_p_of_zero() -> None:
    assert p_verdict(*PAIR, "--p", "0") == p_verdict(*PAIR, "--p", "<0.0") == "impossible"
    said = text(*PAIR, "--p", "0")
    assert "Caution: a p-value cannot be 0." in said
    assert "A p-value of 0 is impossible. With B resamples" in said
    rounded = " ".join(text("71.4%", "61%", "--items", "1000", "--p", "0.000").split())
    assert "It is treated as p < 0.0005 and should be reported that way." in rounded


@pytest.mark.parametrize(
    ("p", "low", "high"),
    [
        ("<0.05", 0, 0.05),
        ("p < .001", 0, 0.001),
        ("≤ 0.05", 0, 0.05),
        ("<=0.05", 0, 0.05),
        ("> 0.05", 0.05, 1),
        ("≥0.5", 0.5, 1),
        ("=0.04", 0.035, 0.045),
        (".040", 0.0395, 0.0405),
        ("4e-2", 0.035, 0.045),
        ("1", 0.5, 1),
    ],
)
def test_how_papers_write_p(p: str, low: float, high: float) -> None:
    check = answer("71%", "70%", "--items", "1000", "--p", p)["pvalue_check"]
    assert (check["low"], check["high"]) == pytest.approx((low, high))
    assert check["verdict"] == "fits"


def test_a_bound_implies_a_range() -> None:
    said = " ".join(text("71.0%", "70.0%", "--items", "1000", "--p", "<0.05").split())
    assert "disagree on 10 to 20 items by McNemar's exact test" in said
    assert exact_p(15, 5) <= 0.05 < exact_p(16, 6)
    never = text("71.0%", "70.0%", "--items", "300", "--p", "<0.01")
    assert "Caution: the reported p < 0.01 matches no standard test." in never


def test_figures_of_unattainable_accuracies_are_not_checked() -> None:
    data = answer("71.4%", "70.6%", "--items", "400", "--p", "0.04", "--ci", "0.1pp,1.5pp")
    assert data["pvalue_check"]["verdict"] == data["ci_check"]["verdict"] == "not checked"
    assert data["ci_check"]["contradicts_p"] is None


def test_an_interval_and_its_p() -> None:
    data = answer(*PAIR, "--ci", "0.1pp,1.5pp", "--p", "0.02")
    check = data["ci_check"]
    assert check["se"] == pytest.approx(0.014 / (2 * PHI.inv_cdf(0.975)))
    assert check["verdict"] == "fits"
    assert check["contradicts_p"] is False
    assert (
        check["joint_match"]["is_test_paired"]
        is check["joint_match"]["is_interval_paired"]
        is True
    )
    other = answer(*PAIR, "--ci", "0.1pp,1.5pp", "--p", "0.20")["ci_check"]
    assert other["contradicts_p"] is True
    said = " ".join(text(*PAIR, "--ci", "[-1.2pp, 2.8pp]", "--p", "0.04").split())
    assert "It contradicts p = 0.04: no counts give both" in said
    assert "Caution: no counts give both the reported p and the reported CI" in said
    assert "excludes the reported gap" in text(*PAIR, "--ci", "1.0pp,2.0pp")
    ninety = answer(*PAIR, "--ci", "0.1pp,1.5pp", "--confidence-level", "90%")
    assert ninety["ci_check"]["se"] == pytest.approx(0.014 / (2 * PHI.inv_cdf(0.95)))


def test_a_percentile_bootstrap_interval() -> None:
    """4 items won and 11 lost of 200: quantiles of resampled gaps are whole numbers of items."""
    data = answer("75.5%", "79.0%", "--items", "200", "--ci", "-7.5pp,0.0pp")
    assert data["ci_check"]["verdict"] == "fits"
    assert {m["method"] for m in data["ci_check"]["methods"]} == {"bootstrap"}


def test_a_one_sided_bootstrap_p() -> None:
    check = answer("85.0%", "80.0%", "--items", "20", "--p", "0.4390")["pvalue_check"]
    assert {"method": "resampling", "sides": 1} in [
        {key: test[key] for key in ("method", "sides")} for test in check["tests"]
    ]


def test_digits_that_were_cut_off() -> None:
    said = text("53.6%", "50%", "--items", "164")
    assert (
        "Caution: 53.6% is not possible on 164 items by rounding, but truncating 88/164 = "
        "53.6585% gives it."
    ) in said
    assert "is k/164 only if its digits were truncated, not rounded" in said
    assert "(nearest" in text("53.1%", "50%", "--items", "164")
    assert "by rounding, but truncating" in " ".join(
        str(nstar.claim_unpaired("53.6%", "50%", items=164)).split()
    )


def test_numbers_are_rounded_as_texts_are() -> None:
    """In Python as on the command line: 78.3% stands for several counts of 12,032 items."""
    by_text, by_number = (
        nstar.claim(a, b, items=12032) for a, b in (("0.783", "0.775"), (0.783, 0.775))
    )
    assert by_number.gap_items == by_text.gap_items
    assert (by_number.t_min, by_number.t_max) == (by_text.t_min, by_text.t_max)
    assert (
        nstar.claim(0.7, 0.65, items=1000).gap_items
        == nstar.claim("0.70", "0.65", items=1000).gap_items
    )
    exact = nstar.claim(88 / 164, 82 / 164, items=164)
    assert exact.grim is None
    assert exact.gap_items == (6, 6)


def test_an_interval_in_points_is_not_taken_as_proportions() -> None:
    with pytest.raises(ParameterError, match=r"For -1.8 percentage points, use -0.018"):
        nstar.claim("71.4%", "70.6%", items=1000, ci=(-1.8, 3.4))


def test_a_paired_interval_beside_an_unpaired_p() -> None:
    # 60 v 40 of 1,000 items: Tango's interval, and z for different items
    figures = ("--ci", "0.04pp,4.01pp", "--p", "0.371")
    said = " ".join(text("52.0%", "50.0%", "--items", "1000", *figures).split())
    assert "only if one of them ignores the pairing" in said


def test_a_printed_sample_size() -> None:
    data = answer("71%", "70%", "--items", "1000", "--printed-n", "9888", "--rho", "0.4")
    check = data["n_check"]
    assert check["matches"][0]["verdict"] == "half"
    assert check["n_star"] == pytest.approx(connor(0.01, psi(0.71, 0.7, 0.4)))
    said = text("71%", "70%", "--items", "1000", "--printed-n", "9888", "--rho", "0.4")
    assert "half of what is needed" in said
    assert "19,593 items are needed" in said
    assumed = text("71%", "70%", "--items", "1000", "--printed-n", "9888")
    assert "correct if rho = 0.70" in assumed
    assert "half of what is needed (one model's variance) if rho = 0.39" in assumed
    none = text("71%", "70%", "--items", "1000", "--printed-n", "37", "--rho", "0.4")
    assert "matches no known formula" in none


def test_a_printed_sample_size_of_a_one_sided_test() -> None:
    size = ("71%", "70%", "--items", "1000", "--rho", "0.4", "--printed-n", "15433")
    check = answer(*size, "--alternative", "greater")["n_check"]
    assert round(check["n_star"]) == 15433
    assert check["matches"][0]["verdict"] == "right"
    assert "is correct for a paired comparison" in " ".join(
        text(*size, "--alternative", "greater").split()
    )
    assert answer(*size)["n_check"]["matches"][0]["formula"].startswith("paired, one-sided level")


# --- how accuracies are written -----------------------------------------------------------


def test_bare_numbers_are_percent_and_it_says_so() -> None:
    said = text("71.4", "70.6", "--items", "1000")
    assert "Caution: 71.4 and 70.6 are read as percentages of correct answers." in said
    data = answer("71.4", "70.6", "--items", "1000")
    assert data["mean_a"] == pytest.approx(0.714)
    assert data["gap_items"] == {"least": 8, "most": 8}
    bleu = " ".join(text("28.4", "27.3", "--items", "3003").split())
    assert "For BLEU, ROUGE, or other scores, this check does not apply" in bleu
    assert "nstar compare" in bleu
    assert "nstar plan --sd" in bleu
    assert "BLEU" not in text("28.4%", "27.3", "--items", "3003")


@pytest.mark.parametrize(
    ("pair", "gaps"),
    [
        (("1", "0.5"), (40, 55)),  # 95 to 100 against 45 to 55
        (("1", "0.50"), (50, 50)),
        (("100%", "50%"), (50, 50)),
        (("1", "0"), (100, 100)),
        (("0", "0.50"), (50, 50)),
    ],
)
def test_a_whole_one_is_as_fine_as_the_other(pair: tuple[str, str], gaps: tuple[int, int]) -> None:
    data = answer(*pair, "--items", "100")
    assert tuple(data["gap_items"].values()) == gaps
    assert data["verdict"] == "supported"


# --- formats ------------------------------------------------------------------------------

EVERY_KIND = [
    PAIR,
    (*PAIR, "--p", "0.04", "--ci", "0.1pp,1.5pp", "--printed-n", "9888"),
    (*PAIR, "--p", "<1e-9", "--ci", "0.7pp,0.9pp"),
    ("71.4", "70.6", "--items", "1250", "--p", "> 0.05"),
    ("78.3%", "77.5%", "--items", "12032", "--rho", "mmlu"),
    ("90%", "50%", "--items", "1000"),
    ("51%", "50%", "--items", "20", "--alternative", "greater"),
    ("60%", "50%", "--items", "2"),
    ("100%", "90%", "--items", "1000"),
    pytest.param(("100%", "0%", "--items", "2")),
    ("0%", "1%", "--items", "10"),
    ("99.9%", "0.1%", "--items", "5"),
    ("50.0001%", "50%", "--items", "1000000000"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("arguments", EVERY_KIND)
def test_every_format_says_the_same(arguments: tuple[str, ...]) -> None:
    data = answer(*arguments, "--paragraph")
    said = text(*arguments, "--paragraph")
    assert said.startswith(data["headline"])
    assert data["paragraph"] in said
    marked = run(*arguments, "--format", "markdown")
    assert marked.exit_code == 0
    assert marked.stdout.startswith("**")
    for table in marked.stdout.split("\n\n"):
        rows = [line.replace("\\|", "") for line in table.splitlines() if line[:1] == "|"]
        assert len({row.count("|") for row in rows}) <= 1
    for word in ("nan", "None", "inf ", "\x1b"):
        assert word not in said
        assert word not in marked.stdout


# --- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "Missing argument 'FIRST'"),
        ("71.4%", "It has 1 number that could be accuracies"),
        ("71.4% 70.6%", "--items is missing. Accuracies need the item count;"),
        ("0.714 70.6 --items 1000", "70.6 with 0.714 is ambiguous: it could be a percentage"),
        ("1.2 0.9 --items 1000", "a percentage or a proportion. Use 1.2% or 0.012."),
        ("1250 1230 --items 1000", "1250 is not an accuracy such as 71.4% or 0.714."),
        ("1250 1230 --items 1000", "use nstar claim scores with --pm (the ± value)"),
        (
            "892 882 --items 1250",
            "If it is a number of correct answers, convert it to a percentage: 71.36%.",
        ),
        ("101% 70% --items 1000", "'101%' is not between 0% and 100%"),
        ("--items 1000 -- -5% 70%", "'-5%' is not between 0% and 100%"),
        ("71.4% 70.6% --items 0", "'0' is not a valid number of items"),
        ("71.4% 70.6% --items 1", "--items must be at least 2; got 1"),
        ("71.4% 70.6% --items 1000.5", "'1000.5' is not a valid number of items"),
        ("71.4% 70.6% --items 1000 --rho glue", "'glue' is neither a correlation between -1"),
        ("71.4% 70.6% --items 1000 --rho 1.5", "1.5 is neither a correlation between -1 and 1"),
        ("71.4% 70.6% --items 1000 --benchmark mmlu", "No such option '--benchmark'"),
        (
            "71.4% 70.6% --items 1000 --items-b 9",
            "'--items-b' here. Use it with nstar claim unpaired.",
        ),
        ("71.4% 70.6% --items 1000 --pm 0.5", "'--pm' here. Use it with nstar claim scores."),
        ("71.4% 70.6% --items 1000 --picked-from 9", "Use it with nstar claim wins."),
        ("71.4% 70.6% --items items.csv", "'items.csv' is not a valid number of items"),
        ("71.4% 70.6% --items 1000 --alpha 0", "alpha must be in (0, 1); got 0"),
        ("71.4% 70.6% --items 1000 --power 1", "power must be in (0, 1); got 1"),
        (
            "71.4% 70.6% --items 1000 --ci 1.5pp,0.1pp",
            "--ci must be the lower and the upper limit",
        ),
        (
            "71.4% 70.6% --items 1000 --ci 0.1pp",
            "two limits in the form LOW,HIGH (for example, -1.2pp,2.8pp)",
        ),
        ("71.4% 70.6% --items 1000 --ci 1%,2%", "percentage points or a share"),
        ("71.4% 70.6% --items 1000 --confidence-level 95", "'95' is above 1. Use 95% or 0.95"),
        ("71.4% 70.6% --items 1000 --format yaml", "'yaml' is not one of"),
        ("71.4% 70.6% --items 1000 --p 1.5", "'1.5' is not a p-value"),
        ("71.4% 70.6% --items 1000 --p small", "'small' is not a p-value. Use 0.04, or"),
        ("71.4% 70.6% --items 1000 --p n.s.", "'n.s.' is not a p-value. Use 0.04, or '<0.05'"),
        ("71.4% 70.6% --items 1000 --p 0,04", "'0,04' is not a p-value"),
        ("71.4% 70.6% --items 1000 --p 4%", "'4%' is not a p-value"),
        ("71.4% 70.6% --items 1000 --printed-n 0", "'0' is not a valid number of items"),
        ("71.4±0.4 70.6 --items 9", "FIRST '71.4±0.4' includes an error. Use nstar claim scores"),
        ("paper.csv 70% --items 100", "Got unexpected extra argument"),
        ("-x 70%", "No such option '-x'"),
        ("71.4% 70.6% 70.1% --items 1000", "Got unexpected extra argument"),
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
        ("71.4% 71.4% --items 1000", "so there is no gap"),
        ("71.4% 70.6% --items 1000 --rho 0.99", "feasible rho is -0.4084 to 0.9808"),
    ],
)
def test_impossible_numbers_exit_3(arguments: str, message: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 3
    assert message in result.stderr
    assert result.stderr.startswith("nstar: ")
    assert result.stdout == ""


HOSTILE = (
    "<script>alert(1)</script>",
    "\x1b[31m70%\x1b[0m",
    "1e999",
    "nan",
    "inf",
    "",
    " ",
    "%",
    "🙂",
    "9" * 5000,
    "../../etc/passwd",
)
VALUED = [p.opts[0] for p in claim_command.params if isinstance(p, click.Option) and not p.is_flag]


@pytest.mark.parametrize("option", VALUED)
def test_hostile_values_are_refused_in_one_breath(option: str) -> None:
    for value in HOSTILE:
        result = run(*PAIR, f"{option}={value}")
        assert result.exit_code in (2, 3), (value, result.output)
        assert "Error: " in result.stderr or result.stderr.startswith("nstar: ")
        assert "\x1b" not in result.output
        assert result.stdout == ""


@pytest.mark.parametrize("place", [0, 1])
def test_hostile_accuracies(place: int) -> None:
    for value in HOSTILE:
        pair = ["71.4%", "70.6%"]
        pair[place] = value
        result = run("--items", "1000", "--", *pair)
        assert result.exit_code == 2, (value, result.output)
        assert "Error: " in result.stderr
        assert "\x1b" not in result.output


@pytest.mark.parametrize("rho", ["0.99", "-0.9"])
def test_an_impossible_correlation_names_the_range(rho: str) -> None:
    result = run(*PAIR, f"--rho={rho}")
    assert result.exit_code == 3
    assert "feasible rho is -0.4084 to 0.9808" in result.stderr


def test_a_negative_p() -> None:
    assert run(*PAIR, "--p=-1").exit_code in (2, 3)


def test_a_printed_sample_size_beside_a_perfect_model() -> None:
    assert run("100%", "90%", "--items", "1000", "--printed-n", "500").exit_code == 0


def test_more_items_than_an_integer_holds() -> None:
    assert run("71.4%", "70.6%", "--items", "9" * 23).exit_code in (0, 2, 3)


def test_a_coverage_of_everything_is_called_conf() -> None:
    result = run(*PAIR, "--ci", "0.1pp,1.5pp", "--confidence-level", "100%")
    assert result.exit_code in (2, 3)
    assert "conf" in result.stderr


def test_help_names_every_option() -> None:
    result = CliRunner().invoke(main, ["claim", "--help"])
    assert result.exit_code == 0
    assert all(option in result.stdout for option in VALUED)


def test_the_table_does_not_contradict_the_headline() -> None:
    """Four items gained and none lost: mid-p 1/16, where the normal tail would be 0.035."""
    data = COMMAND.answer("90%", "80%", "--items", "40")
    assert data["verdict"] == "not_supported"
    assert min(row["pvalue"] for row in data["scenarios"]) == pytest.approx(0.0625)


def test_disagreement_allows_for_rounding_at_both_ends() -> None:
    data = COMMAND.answer("95%", "90%", "--items", "200")
    assert data["n_discordant"] == {"least": 8, "most": 32}


@pytest.mark.parametrize(("p_a", "p_b", "items"), [(0.5, 0.49999, 10), (1.0, 0.0, 3)])
def test_no_detectable_gap_reads_back(p_a: float, p_b: float, items: int) -> None:
    found = nstar.claim(p_a, p_b, items=items)
    assert found.mde.low == math.inf
    assert type(found).from_json(found.to_json()) == found
