"""``nstar plan single``."""

import pytest
from scipy import stats as scipy_stats

import nstar
from helpers.commands import Command
from nstar.errors import ParameterError, QuestionError

COMMAND = Command("plan single")
answer, text = COMMAND.answer, COMMAND.text


def test_items_for_a_threshold() -> None:
    said = text("--threshold", "70%", "--delta", "3pp", "--full")
    assert said.startswith(
        "Showing that an accuracy of 73% is above 70% takes 1,465 items (80% power, "
        "one-sided α = 0.05)."
    )
    assert "The normal approximation gives 1,413 items." in said
    assert "From 1,465 items on, the exact test always has at least 80% power." in said
    assert "The test is the exact binomial test." in said
    data = answer("--threshold", "70%", "--delta", "3pp")
    assert (data["n_star"], data["min_items"], data["solved_for"]) == (1465, 9, "items")
    assert [row["n_star"] for row in data["scenarios"]] == [5824, 1465, 363]


def test_power_and_detectable_gap() -> None:
    plan = nstar.plan_single(threshold=0.7, items=1000, delta=0.03)
    least = int(scipy_stats.binom.isf(0.05, 1000, 0.7)) + 1
    assert plan.power == pytest.approx(scipy_stats.binom.sf(least - 1, 1000, 0.73), abs=1e-12)
    assert "have 65% power to show" in nstar.report.render(plan)
    found = nstar.plan_single(threshold=0.7, items=1000)
    assert found.mde is not None
    assert scipy_stats.binom.sf(least - 1, 1000, 0.7 + found.mde) == pytest.approx(0.8, abs=1e-9)


def test_too_few_items_for_any_result() -> None:
    said = text("--threshold", "95%", "--items", "40")
    assert "40 items cannot show that an accuracy is above 95%" in said
    assert "That takes at least 59 items." in said
    assert nstar.plan_single(threshold=0.95, items=40).mde is None


def test_precision() -> None:
    plan = nstar.plan_single(half_width=0.05)
    for n, wide in ((381, False), (380, True)):
        low, high = scipy_stats.binomtest(n // 2, n).proportion_ci(method="wilson")
        assert ((high - low) / 2 > 0.05) == wide or n % 2
    assert plan.n_star == 381
    assert "at any accuracy takes 381 items" in nstar.report.render(plan)
    assert "400 items give a 95% CI of ±3 pp at an accuracy of 90%." in text(
        "--items", "400", "--baseline", "90%"
    )


def test_what_does_not_go_together() -> None:
    with pytest.raises(QuestionError, match="delta also needs threshold"):
        nstar.plan_single(delta=0.02, items=10)
    with pytest.raises(QuestionError, match="threshold also needs delta"):
        nstar.plan_single(threshold=0.7)
    with pytest.raises(QuestionError, match="baseline is the expected accuracy"):
        nstar.plan_single(threshold=0.7, items=10, baseline=0.8)
    with pytest.raises(ParameterError, match=r"threshold plus delta must be below 1; got 1\.1"):
        nstar.plan_single(threshold=0.7, delta=0.4)
    with pytest.raises(ParameterError, match=r"threshold plus delta must be below 1; got 1$"):
        nstar.plan_single(threshold=0.99, delta=0.01)
    with pytest.raises(ParameterError, match="delta must be above 0"):
        nstar.plan_single(threshold=0.7, delta=-0.1)
    with pytest.raises(ParameterError, match="half_width must be in"):
        nstar.plan_single(half_width=0.6)


def test_accuracies_near_a_threshold_stay_apart() -> None:
    said = text("--threshold", "99.9%", "--delta", "0.05pp")
    assert "→ 99.95%" in said
    assert "21,883" in said
    assert "100.0" not in said


def test_one_item() -> None:
    assert "1 item gives a 95% CI" in text("--items", "1")
    assert "1 item has" in text("--items", "1", "--threshold", "3%", "--delta", "5pp")
    assert "1 item detects" in text("--items", "1", "--threshold", "3%")
