"""``nstar plan margin``."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats as scipy_stats

import nstar
from helpers.commands import Command
from nstar import Design, Graded, PairedPsi, stats
from nstar._verbs.plan import plan_margin
from nstar.errors import ParameterError, QuestionError

COMMAND = Command("plan margin")
run, answer, text = COMMAND.run, COMMAND.answer, COMMAND.text
z = NormalDist().inv_cdf


def test_non_inferiority_with_few_clusters_is_a_t_test() -> None:
    """Of items: whole clusters that may be lost leave 9 of them no margin of 8 pp."""
    design = (
        *("--psi", "20%", "--margin", "8pp", "--non-inferiority", "--items", "900"),
        *("--icc", "0.05", "--clusters", "9"),
    )
    whole = text(*design)
    assert "9 clusters cannot show a margin below 28.4 pp" in whole
    assert "With --loss item, only individual items may fail" in whole
    data = answer(*design, "--loss", "item")
    worth = 900 / (1 + 99 * 0.05)
    rng = np.random.default_rng(3)
    gain = rng.normal(0, math.sqrt(0.2 / worth), 40_000)
    se = np.sqrt(0.2 / worth * rng.chisquare(8, 40_000) / 8)
    low, _ = stats.margin_interval(gain, se, worth, df=8, width=1.0, conf=0.9)
    assert data["power"] == pytest.approx((low > -0.08).mean(), abs=0.01)
    plain = scipy_stats.nct.sf(scipy_stats.t.ppf(0.95, 8), 8, 0.08 / math.sqrt(0.2 / worth))
    assert data["power"] < plain  # that fears no rare losses


def test_equivalence_with_few_clusters_is_not_merely_alpha() -> None:
    design = ("--psi", "20%", "--margin", "3pp", "--items", "4000", "--icc", "0.1")
    data = answer(*design, "--clusters", "40")
    assert data["power"] < 0.001
    assert data["n_star"] == "Infinity"


def test_the_smallest_margin_allows_for_the_true_gap() -> None:
    data = answer("--psi", "20%", "--margin", "5pp", "--delta", "2pp", "--items", "500")
    again = answer(
        *("--psi", "20%", "--delta", "2pp", "--items", "500"),
        *("--margin", repr(data["min_margin"])),
    )
    assert 0.8 <= again["power"] < 0.81  # tables are discrete: power climbs in steps


def test_equivalence() -> None:
    data = answer("--psi", "15%", "--margin", "2pp")
    assert data["question"] == "equivalence"
    formula = math.ceil((z(0.95) + z(0.9)) ** 2 * 0.15 / 0.0004)
    assert formula < data["n_star"] <= data["n_star_stable"] < 1.01 * formula
    at = stats.equivalence_exact_power(0.02, psi=0.15, n=data["n_star"])
    assert 0.8 <= at < 0.801
    assert "Showing that two equal models are equivalent within" in data["headline"]
    board = nstar.plan_margin(Design(noise=PairedPsi(psi=0.15), models=5), margin=0.02)
    assert "Showing that any two of 5 equal models are equivalent within" in board.headline
    apart = answer("--psi", "15%", "--margin", "5pp", "--delta", "5pp")
    assert apart["n_star"] == "Infinity"
    assert apart["headline"].startswith("No number of items shows")


def test_a_margin_shown_with_few_items_is_enumerated() -> None:
    """The formula asks for 514 items, with which the power is 79%."""
    data = answer("--psi", "15%", "--margin", "5pp")
    powers = [
        stats.equivalence_exact_power(0.05, psi=0.15, n=n)
        for n in (data["n_star"] - 1, data["n_star"])
    ]
    assert powers[0] < 0.8 <= powers[1]
    assert data["n_star"] == 525
    one = answer("--psi", "15%", "--margin", "5pp", "--non-inferiority")["n_star"]
    powers = [stats.equivalence_exact_power(0.05, psi=0.15, n=n, sides=1) for n in (one - 1, one)]
    assert powers[0] < 0.8 <= powers[1]


def test_equivalence_with_given_items() -> None:
    data = answer("--psi", "15%", "--margin", "2pp", "--items", "5000")
    root = math.sqrt(5000 / 0.15)
    assert data["power"] == stats.equivalence_exact_power(0.02, psi=0.15, n=5000)
    normal = 2 * NormalDist().cdf(0.02 * root - z(0.95)) - 1
    assert data["power"] == pytest.approx(normal, abs=0.003)
    assert data["margin"] == 0.02
    assert data["min_margin"] == pytest.approx((z(0.95) + z(0.9)) / root, rel=0.005)
    assert data["solved_for"] == "power"


def test_non_inferiority() -> None:
    data = answer("--psi", "15%", "--margin", "2pp", "--non-inferiority")
    assert data["question"] == "non-inferiority"
    formula = (z(0.95) + z(0.8)) ** 2 * 0.15 / 0.0004
    assert data["n_star"] == pytest.approx(formula, rel=0.01)
    better = answer("--psi", "15%", "--margin", "1pp", "--delta", "1pp", "--non-inferiority")
    assert better["n_star"] == pytest.approx(formula, rel=0.01)


def test_counts_come_in_steps() -> None:
    data = answer("--psi", "15%", "--margin", "8pp")
    assert (data["n_star"], data["n_star_stable"]) == (211, 214)
    said = " ".join(run("--psi", "15%", "--margin", "8pp", "--full").stdout.split())
    assert "80% power is first reached at 211 items and is always reached from 214 on" in said
    assert "Tango's score statistic, by enumeration" in said
    graded = answer("--sd-diff", "0.1", "--margin", "3pp")
    assert graded["n_star"] == graded["n_star_stable"]


def test_a_gate_of_graded_scores_passes_as_planned() -> None:
    """The normal formula says 69 items, on which equal models pass in 7%."""
    need = answer("--sd-diff", "0.1", "--margin", "3pp", "--non-inferiority")["n_star"]
    assert need == 163
    rng = np.random.default_rng(1)
    d = rng.normal(0, 0.1, (20_000, need))
    se = d.std(axis=1, ddof=1) / math.sqrt(need)
    low, _ = stats.margin_interval(d.mean(axis=1), se, need, df=need - 1, width=1.0)
    assert (low > -0.03).mean() == pytest.approx(0.8, abs=0.01)
    few = float(stats.margin_power(0.03, sigma=0.1, n=69, width=1.0))
    assert few == pytest.approx(0.077, abs=0.001)


def test_a_margin_must_fit_the_scale() -> None:
    with pytest.raises(ParameterError, match="Set the range"):
        plan_margin(Graded(sd=30), margin=4)
    wide = plan_margin(Graded(sd=30, width=100), margin=4)
    unit = plan_margin(Graded(sd=0.3), margin=0.04)
    assert wide.n_star == unit.n_star
    with pytest.raises(ParameterError, match="below 1"):
        plan_margin(PairedPsi(psi=0.2), margin=1.5)


def test_the_family_of_an_equivalence_test_is_one_sided() -> None:
    found = nstar.plan_margin(Design(noise=PairedPsi(psi=0.15), models=5), margin=0.02)
    critical = z(1 - 0.05 / 10)  # what n_star was computed with
    normal = (critical + z(0.9)) ** 2 * 0.15 / 0.0004
    assert found.n_star == pytest.approx(normal, rel=0.01)
    assert found.critical_value == pytest.approx(critical)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--psi 20%", "Missing option '--margin'"),
        ("--margin 2pp", "Set --baseline (accuracy for 0/1 scores), --psi"),
        ("--psi 20% --margin 2", "--margin 2 is above 1. Use 2pp"),
        ("--sd-diff 30 --margin 2pp", "with --sd-diff 30 scores do not range from 0 to 1"),
        ("--psi 15% --margin 1pp --half-width 1pp", "Use it with nstar plan."),
        ("--psi 15% --margin 1pp --sd 0.3", "Use it with nstar plan."),
        ("--psi 15% --margin 1pp --alternative greater", "Use it with nstar plan."),
        ("--psi 15% --margin 1pp --delta 0.1pp,0.2pp", "is not a gap"),
        ("--psi 15% --margin 1pp --loss item", "--loss also needs --cluster-size or --clusters"),
        ("--psi 15% --margin 1pp --score-range 0:100", "--score-range also needs --sd-diff"),
        ("--psi 15% --margin 1pp --score-range 9:1", "is not a score range"),
        ("--psi 15% --margin 1pp --rho 0.5", "--rho also needs --baseline"),
        ("--psi 15% --margin 1pp --icc 0.1", "--icc also needs --cluster-size"),
        (
            "--baseline 70% --margin 1pp --items 5,6,7 --rho mmlu,0.4",
            "takes several correl",
        ),
    ],
)
def test_wrong_usage_exits_2_with_a_hint(arguments: str, message: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_margin_that_is_not_positive() -> None:
    result = run("--psi", "15%", "--margin=-5pp")
    assert result.exit_code == 2
    assert "--margin must be a finite number > 0; got -0.05" in result.stderr


def test_several_correlations_make_a_table() -> None:
    grid = nstar.plan_margin(margin=0.05, baseline=0.7, rho=[0.4, 0.6])
    assert [cell.rho for cell in grid.scenarios] == [0.4, 0.6]
    one = nstar.plan_margin(margin=0.05, baseline=0.7, rho=0.6)
    assert grid.scenarios[1].n_star == one.n_star


def test_a_design_says_all_that_is_assumed() -> None:
    noise = PairedPsi(psi=0.15)
    assert nstar.plan_margin(noise, margin=0.05).n_star == 525
    with pytest.raises(QuestionError, match="Remove icc"):
        nstar.plan_margin(noise, margin=0.05, icc=0.1, clusters=9)
