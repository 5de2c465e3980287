"""The (1 - rho) × Cohen-h shortcut: its limit, its expansion, and whose number a figure is."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from nstar import stats
from nstar.errors import ParameterError
from nstar.stats.power import paired_n_star_from_rates
from nstar.stats.shortcut import (
    cohen_h,
    match_sample_size,
    shortcut_coefficient,
    shortcut_delta_limit,
    shortcut_n,
    shortcut_ratio,
)

K2 = 7.848879734349086


def test_cohen_h() -> None:
    assert cohen_h(1, 0) == pytest.approx(math.pi)
    assert cohen_h(0.5, 0.5) == 0
    assert cohen_h(0.3, 0.6) == -cohen_h(0.6, 0.3)
    assert cohen_h(0.9, 0.8) == pytest.approx(-cohen_h(0.1, 0.2))


def test_shortcut_n() -> None:
    h = float(cohen_h(0.55, 0.50))
    assert shortcut_n(0.55, 0.50) == pytest.approx(K2 / h**2)
    assert shortcut_n(0.55, 0.50, 0.4, samples=2) == pytest.approx(0.6 * 2 * K2 / h**2)
    assert shortcut_n(0.55, 0.50, 1.0) == 0
    assert shortcut_n(0.5, 0.5, 0.4) == np.inf
    assert shortcut_n(0.55, 0.50, [0.0, 0.5]).shape == (2,)


def test_ratio_is_shortcut_over_need() -> None:
    for p, delta, rho in ((0.7, 0.1, 0.5), (0.5, 0.05, -0.3), (0.9, 0.02, 0.8)):
        a, b = p + delta / 2, p - delta / 2
        need = float(paired_n_star_from_rates(a, b, rho, method="wald"))
        expected = float(shortcut_n(a, b, rho)) / need
        assert shortcut_ratio(p, delta, rho) == pytest.approx(expected)


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.5, 0.9])
def test_ratio_is_one_half_plus_c_delta_squared(p: float, rho: float) -> None:
    c = float(shortcut_coefficient(p, rho))
    for delta in (1e-2, 3e-3):
        second = (float(shortcut_ratio(p, delta, rho)) - 0.5) / delta**2
        assert second == pytest.approx(c, rel=0.1, abs=0.02)
    assert shortcut_ratio(p, 1e-5, rho) == pytest.approx(0.5, abs=1e-6)


def test_coefficient_at_one_half_and_its_zero() -> None:
    assert shortcut_coefficient(0.5, [-0.9, 0.0, 0.9]).tolist() == pytest.approx([1 / 3] * 3)
    rho = 0.5
    zero = 0.5 + math.sqrt(2 * (1 - rho) / (5 + rho)) / 2
    assert shortcut_coefficient(zero, rho) == pytest.approx(0, abs=1e-12)
    assert shortcut_coefficient(zero - 0.01, rho) > 0 > shortcut_coefficient(zero + 0.01, rho)
    assert shortcut_delta_limit(zero, rho) > 1  # meaningless there, but not an error


def test_limit() -> None:
    assert shortcut_delta_limit(0.5, 0.5) == pytest.approx(math.sqrt(0.03))
    assert shortcut_delta_limit(0.8, 0.5) == pytest.approx(0.112, abs=5e-4)
    assert shortcut_delta_limit(0.5, 0.5, eps=0.04) == pytest.approx(math.sqrt(0.12))


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [
        (lambda v, rho, h: v * (1 - rho) * 2, "right"),
        (lambda v, rho, h: v * (1 - rho), "half"),
        (lambda v, rho, h: 2 * v, "unpaired"),
        (lambda v, rho, h: 4 * v, "unpaired"),
    ],
)
def test_formulas_are_recognized(
    factor: Callable[[float, float, float], float], verdict: str
) -> None:
    p, delta, rho = 0.7, 0.01, 0.4
    printed = K2 * factor(p * (1 - p), rho, float(cohen_h(p + delta, p))) / delta**2
    matches = match_sample_size(printed, p=p, delta=delta, rho=rho)
    assert matches[0].verdict == verdict
    assert abs(matches[0].error) < 0.02


def test_calculators_are_recognized() -> None:
    # pwr.p.test and pwr.2p.test for 55% against 50%, at rho = 0.5 (× 1/2)
    half = match_sample_size(782.3 / 2, p=0.5, delta=0.05, rho=0.5)[0]
    assert (half.verdict, half.formula.split(",")[0]) == ("half", half.formula.split(",")[0])
    assert match_sample_size(1564.5 / 2, p=0.5, delta=0.05, rho=0.5)[0].verdict == "right"
    one_sided = (1.6448536269514722 + 0.8416212335729143) ** 2
    wrong = match_sample_size(one_sided * 0.42 * 0.6 / 1e-4, p=0.7, delta=0.01, rho=0.4)
    assert wrong[0].verdict == "wrong"


def test_one_match_per_verdict_and_the_closest_first() -> None:
    matches = match_sample_size(9888, p=0.70, delta=0.01, rho=0.4)
    assert [m.verdict for m in matches] == list(dict.fromkeys(m.verdict for m in matches))
    assert all(math.isfinite(m.n) for m in matches)
    loose = match_sample_size(9888, p=0.70, delta=0.01, rho=0.4, tolerance=2.0)
    assert {m.verdict for m in loose} == {"right", "half", "unpaired", "wrong"}
    assert loose[0].verdict == "half"


def test_nothing_matches_an_arbitrary_number() -> None:
    assert match_sample_size(37, p=0.7, delta=0.01, rho=0.4) == []


def test_accuracies_beyond_one_are_left_out() -> None:
    # p + delta = 1.2: only the placements that exist are tried
    matches = match_sample_size(K2 * 2 * 0.09 / 0.09, p=0.9, delta=0.3, tolerance=0.01)
    assert matches
    assert all("up from p" not in m.formula for m in matches)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cohen_h(1.2, 0.5), r"p_a must be a proportion in \[0, 1\]; got 1.2"),
        (lambda: cohen_h(0.5, -1), r"p_b must be a proportion in \[0, 1\]; got -1"),
        (lambda: shortcut_n(0.5, 0.4, samples=3), "samples must be 1 or 2; got 3"),
        (lambda: shortcut_n(0.5, 0.4, 2.0), r"rho must be in \[-1, 1\]; got 2"),
        (lambda: shortcut_ratio(0.5, 0.0, 0.5), "delta must be different from 0; got 0"),
        (lambda: shortcut_ratio(0.95, 0.2, 0.5), r"p ± delta/2 must be in \(0, 1\)"),
        (lambda: shortcut_ratio(0.05, 0.2, 0.5), r"p ± delta/2 must be in \(0, 1\)"),
        (lambda: shortcut_ratio(0.5, 0.1, 1.0), r"rho must be in \(-1, 1\); got 1"),
        (lambda: shortcut_coefficient(1.0, 0.5), r"p must be in \(0, 1\); got 1"),
        (lambda: shortcut_coefficient(0.5, 1.0), r"rho must be in \(-1, 1\); got 1"),
        (lambda: shortcut_delta_limit(0.5, 0.5, eps=0), "eps must be a finite number > 0; got 0"),
        (lambda: match_sample_size(0, p=0.7, delta=0.01), "printed must be a finite number > 0"),
        (lambda: match_sample_size(9, p=1, delta=0.01), r"p must be in \(0, 1\); got 1"),
        (lambda: match_sample_size(9, p=0.7, delta=0), r"delta must be in \(0, 1\); got 0"),
        (lambda: match_sample_size(9, p=0.7, delta=-0.1), r"delta must be in \(0, 1\); got -0.1"),
        (
            lambda: match_sample_size(9, p=0.7, delta=0.1, rho=1),
            r"rho must be in \(-1, 1\); got 1",
        ),
        (lambda: match_sample_size(9, p=0.7, delta=0.1, alpha=0), r"alpha must be in \(0, 1\)"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("p", [0.95, 0.05])
def test_a_negative_gap_beyond_the_ends(p: float) -> None:
    with pytest.raises(ParameterError, match=r"p ± delta/2 must be in \(0, 1\)"):
        shortcut_ratio(p, -0.2, 0.5)


def test_a_one_sided_size_is_right_for_one_side() -> None:
    printed = float(stats.paired_n_star(0.01, psi=0.2499, sides=1))
    one = match_sample_size(printed, p=0.70, delta=0.01, rho=0.4, sides=1)
    assert one[0].verdict == "right"
    two = match_sample_size(printed, p=0.70, delta=0.01, rho=0.4)
    assert (two[0].verdict, two[0].formula.split(",")[1]) == ("wrong", " one-sided level")
    turned = float(stats.paired_n_star(0.01, psi=0.2499))
    other = match_sample_size(turned, p=0.70, delta=0.01, rho=0.4, sides=1)
    assert "paired, two-sided level" in {m.formula.rpartition(",")[0] for m in other}
