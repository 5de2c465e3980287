"""Cells, correlation, discordance: edge tables, feasibility and what is refused."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from nstar.errors import InfeasibleError, ParameterError
from nstar.stats import paired
from nstar.stats.paired import (
    delta_from_odds_ratio,
    delta_hat,
    paired_rates,
    psi_bounds,
    psi_from_rho,
    psi_hat,
    rate_range,
    rho_bounds,
    rho_from_psi,
    rho_hat,
    rho_interval,
    sigma_from_psi,
    sigma_from_sds,
    sigma_hat,
    t_bounds,
    t_stat,
)


def test_frechet_bounds_by_the_closed_form() -> None:
    # p_a >= p_b: rho_max = √(p_b q_a / (p_a q_b)), rho_min by which margins overlap
    assert rho_bounds(0.9, 0.8) == pytest.approx(
        (-math.sqrt(0.1 * 0.2 / (0.9 * 0.8)), math.sqrt(0.8 * 0.1 / (0.9 * 0.2)))
    )
    assert rho_bounds(0.3, 0.2).low == pytest.approx(-math.sqrt(0.3 * 0.2 / (0.7 * 0.8)))
    assert rho_bounds(0.5, 0.5) == (-1, 1)


def test_models_that_are_always_right_have_no_correlation() -> None:
    for p in (0.0, 1.0):
        for pair in ((p, 0.5), (0.5, p)):
            with pytest.raises(ParameterError, match=r"in \(0, 1\), or rho is undefined"):
                rho_bounds(*pair)
            with pytest.raises(ParameterError, match=r"in \(0, 1\), or rho is undefined"):
                psi_from_rho(*pair, 0.0)
            with pytest.raises(ParameterError, match=r"in \(0, 1\), or rho is undefined"):
                rho_from_psi(*pair, 0.5)
    # but psi has bounds: it can only be the gap
    assert psi_bounds(1.0, 0.9) == pytest.approx((0.1, 0.1))
    assert psi_bounds(0.0, 0.0) == (0, 0)
    assert psi_bounds(1.0, 0.0) == (1, 1)


def test_identical_models() -> None:
    for p in (0.1, 0.3, 1 / 3, 0.7, 0.99):
        rates = paired_rates(p, p, 1.0)
        assert rates.psi == pytest.approx(0, abs=1e-15)
        assert rates.sigma == pytest.approx(0, abs=1e-7)
        assert (rates.p11, rates.p00) == pytest.approx((p, 1 - p))


def test_opposite_models() -> None:
    rates = paired_rates(0.5, 0.5, -1.0)
    cells = [float(v) for v in (rates.p10, rates.p01, rates.psi, rates.sigma)]
    assert cells == [0.5, 0.5, 1, 1]


def test_both_bounds_can_be_asked_for_themselves() -> None:
    for p_a, p_b in ((0.9, 0.8), (0.2, 0.35), (0.5, 0.5)):
        for rho in rho_bounds(p_a, p_b):
            low, high = psi_bounds(p_a, p_b)
            assert low - 1e-12 <= psi_from_rho(p_a, p_b, rho) <= high + 1e-12


def test_infeasible_messages_give_the_range() -> None:
    with pytest.raises(
        InfeasibleError,
        match=r"rho = 0\.8 is impossible for accuracies 0\.9 and 0\.8: "
        r"feasible rho is -0\.1667 to 0\.6667",
    ):
        psi_from_rho([0.5, 0.9], [0.5, 0.8], 0.8)
    with pytest.raises(
        InfeasibleError,
        match=r"psi = 0\.6 is impossible for accuracies 0\.75 and 0\.7: "
        r"feasible psi is 0\.0500 to 0\.5500",
    ):
        rho_from_psi(0.75, 0.70, [0.1, 0.6])
    with pytest.raises(
        InfeasibleError,
        match=r"delta = -0\.3 is impossible with psi = 0\.2: \|delta\| cannot exceed psi",
    ):
        sigma_from_psi([0.5, 0.2], [0.3, -0.3])


def test_sigma_at_the_edges() -> None:
    assert sigma_from_psi(0, 0) == 0
    assert sigma_from_psi(1, [-1, 0, 1]).tolist() == [0, 1, 0]
    assert sigma_from_psi(0.3, 0.3) == pytest.approx(math.sqrt(0.3 * 0.7))
    # a rounding error beyond the boundary is forgiven
    assert sigma_from_psi(0.3, 0.1 + 0.2) == pytest.approx(math.sqrt(0.21))


def test_sigma_of_near_duplicates_keeps_its_digits() -> None:
    assert sigma_from_sds(0.5, 0.5, 1 - 1e-12) == pytest.approx(0.5 * math.sqrt(2e-12), rel=1e-4)
    assert sigma_from_sds(0.5, 0.5, 1) == 0
    assert sigma_from_sds(0.3, 0.2, 1) == pytest.approx(0.1, rel=1e-15)
    assert sigma_from_sds(0.3, 0.2, -1) == pytest.approx(0.5, rel=1e-15)
    assert sigma_from_sds(0.0, 0.2, 0.7) == 0.2


def test_odds_ratio() -> None:
    assert delta_from_odds_ratio(1, 0.2) == 0
    assert delta_from_odds_ratio(3, 1) == 0.5
    assert delta_from_odds_ratio(1e300, 0.2) == pytest.approx(0.2)
    assert delta_from_odds_ratio(5, 0) == 0


@pytest.mark.parametrize("n", [1, 7, 10**9])
def test_counts_of_nothing_and_everything(n: int) -> None:
    for function in (delta_hat, psi_hat, sigma_hat, t_stat):
        assert function(0, 0, n) == 0
    assert delta_hat(n, 0, n) == psi_hat(n, 0, n) == 1
    assert sigma_hat(n, 0, n) == 0
    assert t_stat(n, 0, n) == np.inf
    assert t_stat(0, n, n) == -np.inf


def test_counts_of_a_billion() -> None:
    b, c, n = 300_000_000, 299_900_000, 10**9
    sigma = math.sqrt((b + c) / n - ((b - c) / n) ** 2)
    assert sigma_hat(b, c, n) == pytest.approx(sigma, rel=1e-14)
    assert t_stat(b, c, n) == pytest.approx((b - c) / math.sqrt(n) / sigma, rel=1e-14)
    whole = np.array([b], dtype=np.int32)  # sums would overflow in 32 bits
    assert psi_hat(whole, whole, np.array([n], dtype=np.int32))[0] == pytest.approx(0.6)


def test_rho_hat() -> None:
    assert rho_hat(5, 0, 0, 5) == 1
    assert rho_hat(0, 5, 5, 0) == -1
    assert rho_hat(25, 25, 25, 25) == 0
    for table in ((9, 1, 0, 0), (9, 0, 1, 0), (0, 0, 5, 4), (10, 0, 0, 0), (0, 0, 0, 0)):
        assert np.isnan(rho_hat(*table))
    # margins multiply to 1e37: no overflow, and the sign of a difference of huge products
    big = 10**9
    assert rho_hat(big, big + 1, big, big) == pytest.approx(-2.5e-10, rel=1e-3)


def test_rho_interval_by_fisher() -> None:
    half = 1.959963984540054 / math.sqrt(97)
    expected = math.tanh(math.atanh(0.6) - half), math.tanh(math.atanh(0.6) + half)
    assert rho_interval(0.6, 100) == pytest.approx(expected)
    for n in (1, 2, 3):
        assert rho_interval(0.6, n) == (-1, 1)
    assert rho_interval(1.0, 50) == pytest.approx((1, 1))
    assert rho_interval(-1.0, 50) == pytest.approx((-1, -1))


def test_rate_range_is_where_the_bound_meets_rho() -> None:
    for p_b, rho in ((0.8, 0.8), (0.3, -0.2), (0.5, 0.0)):
        low, high = (float(v) for v in rate_range(p_b, rho))
        if rho > 0:
            assert rho_bounds(high, p_b).high == pytest.approx(rho)
            assert rho_bounds(low, p_b).high == pytest.approx(rho)
        elif rho < 0:
            assert rho_bounds(high, p_b).low == pytest.approx(rho)
            assert rho_bounds(low, p_b).low == pytest.approx(rho)
        else:
            assert (low, high) == (0, 1)


def test_t_bounds_by_hand() -> None:
    low, high = t_bounds(0.783, 0.775, 12032)
    shift, gap2 = 0.008 * math.sqrt(12032), 0.008**2
    expected = shift / math.sqrt(2 - 0.783 - 0.775 - gap2), shift / math.sqrt(0.008 - gap2)
    assert (low, high) == pytest.approx(expected)
    assert t_bounds(0.775, 0.783, 12032) == pytest.approx((-low, -high))
    assert t_bounds(0.5, 0.5, 100) == (0, 0)
    assert t_bounds(1.0, 0.0, 100) == (np.inf, np.inf)
    # a perfect model leaves no room: psi is the gap
    low, high = t_bounds(1.0, 0.9, 100)
    assert low == pytest.approx(high)
    assert low == pytest.approx(0.1 * 10 / math.sqrt(0.1 * 0.9))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: psi_bounds(-0.1, 0.5), r"p_a must be a proportion in \[0, 1\]; got -0.1"),
        (lambda: psi_bounds(0.5, 70), r"p_b must be a proportion in \[0, 1\]; got 70"),
        (lambda: rho_bounds(np.nan, 0.5), "p_a must be .*; got nan"),
        (lambda: psi_from_rho(0.5, 0.5, np.nan), "rho = nan is impossible"),
        (lambda: rate_range(0.0, 0.5), r"p_b must be in \(0, 1\); got 0"),
        (lambda: rate_range(0.5, 1.0), r"rho must be in \(-1, 1\); got 1"),
        (lambda: sigma_from_psi(-0.1, 0), r"psi must be a proportion in \[0, 1\]; got -0.1"),
        (lambda: sigma_from_sds(-1, 1, 0), "sd_a must be finite and >= 0; got -1"),
        (lambda: sigma_from_sds(1, np.inf, 0), "sd_b must be finite and >= 0; got inf"),
        (lambda: sigma_from_sds(1, 1, 1.1), r"rho must be in \[-1, 1\]; got 1.1"),
        (lambda: delta_from_odds_ratio(0, 0.2), "odds_ratio must be a finite number > 0; got 0"),
        (lambda: delta_from_odds_ratio(2, 1.2), r"psi must be a proportion in \[0, 1\]; got 1.2"),
        (lambda: delta_hat(1, 2, 2), r"n10 \+ n01 must be at most n; got 3"),
        (lambda: psi_hat(0, 0, 0), "n must be at least 1 item; got 0"),
        (lambda: sigma_hat(0.5, 0, 2), "n10 must be a whole number >= 0; got 0.5"),
        (lambda: t_stat(0, -1, 2), "n01 must be a whole number >= 0; got -1"),
        (lambda: t_bounds(0.5, 0.4, 0), "n must be a finite number > 0; got 0"),
        (lambda: rho_hat(1, 1, 1, -1), "n00 must be a whole number >= 0; got -1"),
        (lambda: rho_interval(1.5, 10), r"rho must be in \[-1, 1\]; got 1.5"),
        (lambda: rho_interval(0.5, 0), "n must be a finite number > 0; got 0"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("conf", [0, 1, 95])
def test_a_wrong_confidence_is_called_conf(conf: float) -> None:
    with pytest.raises(ParameterError, match=rf"conf must be in \(0, 1\); got {conf:g}"):
        rho_interval(0.5, 10, conf=conf)


def test_every_public_name_is_exercised() -> None:
    text = set(paired.__all__) - {"PairedRates"}
    assert text <= set(globals())


def test_rho_hat_stays_within_its_ends() -> None:
    cells = np.arange(1, 200)
    for rho, end in ((rho_hat(3 * cells, 0, 0, cells), 1), (rho_hat(0, 3 * cells, cells, 0), -1)):
        assert np.all(np.abs(rho) <= 1)
        np.testing.assert_allclose(rho, end)
