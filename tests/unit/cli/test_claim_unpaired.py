"""``nstar claim unpaired``: against scipy and enumeration of counts."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats as oracle
from statsmodels.stats.proportion import confint_proportions_2indep

import nstar
from helpers.commands import Command
from nstar import stats
from nstar.stats._two_proportions import mde_apart, newcombe_apart, score_pvalue

COMMAND = Command("claim unpaired")
run, answer, text = COMMAND.run, COMMAND.answer, COMMAND.text
PAIR = ("71.4%", "70.6%", "--items", "1000", "--items-b", "500")


@pytest.mark.parametrize(("x1", "n1", "x2", "n2"), [(714, 1000, 353, 500), (9, 10, 3, 30)])
def test_the_score_test_is_pearsons(x1: int, n1: int, x2: int, n2: int) -> None:
    table = [[x1, n1 - x1], [x2, n2 - x2]]
    want = oracle.chi2_contingency(table, correction=False).pvalue
    data = answer(f"{x1 / n1:.6f}", f"{x2 / n2:.6f}", "--items", str(n1), "--items-b", str(n2))
    assert data["pvalue"] == pytest.approx(want, rel=1e-3)
    counts = (np.asarray(float(v)) for v in (x1, n1, x2, n2))
    assert float(score_pvalue(*counts)) == pytest.approx(want)


def test_newcombes_interval_is_that_of_statsmodels() -> None:
    for counts in (
        (56, 70, 48, 80),
        (9, 10, 3, 10),
        (5, 56, 0, 29),
        (10, 10, 0, 10),
        (7, 9, 8, 30),
    ):
        found = newcombe_apart(*(np.asarray(float(v)) for v in counts), conf=0.9)
        want = confint_proportions_2indep(*counts, method="newcomb", compare="diff", alpha=0.1)
        assert [float(x) for x in found] == pytest.approx([float(x) for x in want], abs=1e-9)


def test_bounds_are_those_of_every_count() -> None:
    """All counts that print as 0.7 and 0.6 with one digit, one by one."""
    found = nstar.claim_unpaired("0.7", "0.6", items=120, items_b=100)
    every = [
        oracle.chi2_contingency([[x, 120 - x], [y, 100 - y]], correction=False).pvalue
        for x, y in product(range(78, 91), range(55, 66))
    ]
    assert (found.n_correct[0], found.n_correct[1]) == ((78, 90), (55, 65))
    assert float(found.pvalue_bounds.low) == pytest.approx(min(every))
    assert float(found.pvalue_bounds.high) == pytest.approx(max(every))
    assert found.verdict == "depends"
    assert "rounding decides whether" in found.render()


@pytest.mark.parametrize(("p", "n1", "n2", "up"), [(0.7, 300, 900, True), (0.3, 50, 5000, False)])
def test_the_detectable_gap_has_the_power(p: float, n1: int, n2: int, up: bool) -> None:
    gap = mde_apart(p, n1, n2, up=up, alpha=0.05, power=0.8, sides=2)
    other = p + gap if up else p - gap
    assert float(stats.unpaired_power(other, p, n1=n1, n2=n2)) == pytest.approx(0.8)
    assert math.isinf(mde_apart(0.99, 5, 5, up=True, alpha=0.05, power=0.8, sides=2))


def test_it_says_which_test() -> None:
    said = text(*PAIR, "--paragraph")
    assert said.startswith(
        "Not supported: +0.8 pp is not significant on separate items (95% CI −4.0 to "
        "+5.7 pp, p = 0.75). Here an observed gap above 4.9 pp is significant; a true "
        "gap of 6.7 pp is "
    )
    assert "score test for two proportions gives z = 0.32, p = 0.75" in said
    assert "Newcombe CI" in said
    assert answer(*PAIR)["verdict"] == "not_supported"
    same = answer("71.4%", "66.6%", "--items", "1000")
    assert (same["n_items_a"], same["n_items_b"], same["verdict"]) == (1000, 1000, "supported")


def test_one_sided_and_behind() -> None:
    data = answer("60%", "70%", "--items", "500", "--alternative", "greater")
    assert data["verdict"] == "not_supported"
    assert data["pvalue"] > 0.99
    assert data["headline"].startswith("Not supported: the first model scores lower.")


def test_what_no_count_prints_is_said_first() -> None:
    assert "Caution: 45.0% is not possible on 448 items" in text("45.0%", "40%", "--items", "448")


def test_a_perfect_model() -> None:
    data = answer("90%", "100%", "--items", "40")
    assert data["mde"] is None
    assert "too few to detect a gap reliably" in data["headline"]
    assert nstar.claim_unpaired(1.0, 0.0, items=3).gap_vs_mde == "below"


@pytest.mark.parametrize(
    "more", [("--p", "0.04"), ("--ci", "0pp,2pp"), ("--rho", "0.5"), ("--printed-n", "99")]
)
def test_what_only_shared_items_mean(more: tuple[str, ...]) -> None:
    result = run(*PAIR, *more)
    assert result.exit_code == 2
    assert f"No such option '{more[0]}' here. Use it with nstar claim." in result.stderr


@pytest.mark.parametrize("form", ["text", "json", "markdown", "latex", "csv"])
def test_every_format(form: str) -> None:
    result = run(*PAIR, "--format", form)
    assert result.exit_code == 0
    assert "nan" not in result.stdout
