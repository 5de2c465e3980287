"""Laws of nstar.stats.paired: round trips, Fréchet bounds, counts against raw vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.strategies import Cells, accuracies, feasible_rates, paired_cells, psi_delta
from nstar._base.types import Array
from nstar.errors import InfeasibleError
from nstar.stats import paired
from nstar.stats._blocks import BLOCK

TOL = 1e-9
RTOL = 1e-12
"""Vector and scalar code paths of numpy may differ in the last bit."""


def vectors(cells: Cells) -> tuple[Array, Array]:
    """The 0/1 scores of both models, item by item."""
    a = np.repeat([1.0, 1.0, 0.0, 0.0], cells)
    b = np.repeat([1.0, 0.0, 1.0, 0.0], cells)
    return a, b


@given(feasible_rates())
def test_rho_survives_the_trip_through_psi(rates: tuple[float, float, float]) -> None:
    p_a, p_b, rho = rates
    psi = paired.psi_from_rho(p_a, p_b, rho)
    assert paired.rho_from_psi(p_a, p_b, psi) == pytest.approx(rho, abs=TOL)


@given(feasible_rates())
def test_psi_stays_between_its_bounds(rates: tuple[float, float, float]) -> None:
    p_a, p_b, rho = rates
    low, high = paired.psi_bounds(p_a, p_b)
    assert low - TOL <= paired.psi_from_rho(p_a, p_b, rho) <= high + TOL


@given(accuracies(), accuracies())
def test_largest_rho_is_smallest_psi(p_a: float, p_b: float) -> None:
    rho, psi = paired.rho_bounds(p_a, p_b), paired.psi_bounds(p_a, p_b)
    assert paired.psi_from_rho(p_a, p_b, rho.high) == pytest.approx(psi.low, abs=TOL)
    assert paired.psi_from_rho(p_a, p_b, rho.low) == pytest.approx(psi.high, abs=TOL)


@given(accuracies(), accuracies())
def test_rho_bounds_are_correlations_and_symmetric(p_a: float, p_b: float) -> None:
    bounds = paired.rho_bounds(p_a, p_b)
    assert -1 - TOL <= bounds.low <= 0 <= bounds.high <= 1 + TOL
    assert paired.rho_bounds(p_b, p_a) == pytest.approx(bounds, abs=TOL)
    assert paired.rho_bounds(1 - p_a, 1 - p_b) == pytest.approx(bounds, abs=TOL)


@given(accuracies(), accuracies(), st.floats(1e-6, 1))
def test_beyond_the_bounds_is_refused(p_a: float, p_b: float, step: float) -> None:
    rho, psi = paired.rho_bounds(p_a, p_b), paired.psi_bounds(p_a, p_b)
    for bad in (rho.low - step, rho.high + step):
        with pytest.raises(InfeasibleError, match="feasible rho is"):
            paired.psi_from_rho(p_a, p_b, bad)
    for bad in (psi.low - step, psi.high + step):
        with pytest.raises(InfeasibleError, match="feasible psi is"):
            paired.rho_from_psi(p_a, p_b, bad)


@given(feasible_rates())
def test_paired_rates_are_a_distribution_with_these_margins(
    rates: tuple[float, float, float],
) -> None:
    p_a, p_b, rho = rates
    r = paired.paired_rates(p_a, p_b, rho)
    cells = np.array([r.p11, r.p10, r.p01, r.p00])
    assert cells.min() >= -TOL
    assert cells.sum() == pytest.approx(1)
    assert r.p11 + r.p10 == pytest.approx(p_a)
    assert r.p11 + r.p01 == pytest.approx(p_b)
    assert r.delta == pytest.approx(p_a - p_b)
    assert r.psi == pytest.approx(r.p10 + r.p01)
    assert r.sigma**2 == pytest.approx(r.psi - r.delta**2, abs=TOL)


@given(feasible_rates())
def test_sigma_of_bernoulli_sds_is_sigma_of_psi(rates: tuple[float, float, float]) -> None:
    p_a, p_b, rho = rates
    sd_a, sd_b = (np.sqrt(p * (1 - p)) for p in (p_a, p_b))
    rho = min(max(rho, -1.0), 1.0)
    sigma = paired.sigma_from_sds(sd_a, sd_b, rho)
    # squares: near sigma = 0 the root magnifies the rounding of psi
    assert sigma**2 == pytest.approx(paired.paired_rates(p_a, p_b, rho).sigma ** 2, abs=TOL)


@given(st.floats(0, 10), st.floats(0, 10), st.floats(-1, 1))
def test_sigma_obeys_the_triangle(sd_a: float, sd_b: float, rho: float) -> None:
    sigma = paired.sigma_from_sds(sd_a, sd_b, rho)
    assert abs(sd_a - sd_b) - TOL <= sigma <= sd_a + sd_b + TOL
    assert sigma == pytest.approx(paired.sigma_from_sds(sd_b, sd_a, rho), rel=1e-14)


@given(accuracies(), accuracies(), st.floats(-0.99, 0.99))
def test_rate_range_says_where_rho_is_feasible(p_a: float, p_b: float, rho: float) -> None:
    rates, rhos = paired.rate_range(p_b, rho), paired.rho_bounds(p_a, p_b)
    edges = (p_a - rates.low, rates.high - p_a, rho - rhos.low, rhos.high - rho)
    assume(all(np.abs(e) > TOL for e in edges))
    assert (rates.low < p_a < rates.high) == (rhos.low < rho < rhos.high)


@given(psi_delta())
def test_odds_ratio_and_gap_are_one_thing(pair: tuple[float, float]) -> None:
    psi, delta = pair
    assume(psi - abs(delta) > 1e-6)
    ratio = (psi + delta) / (psi - delta)
    assert paired.delta_from_odds_ratio(ratio, psi) == pytest.approx(delta, abs=TOL)
    assert paired.delta_from_odds_ratio(1 / ratio, psi) == pytest.approx(-delta, abs=TOL)


@given(paired_cells())
def test_counts_say_what_the_vectors_say(cells: Cells) -> None:
    a, b = vectors(cells)
    counts = (cells.n10, cells.n01, cells.n)
    assert paired.delta_hat(*counts) == pytest.approx((a - b).mean())
    assert paired.psi_hat(*counts) == pytest.approx((a != b).mean())
    assert paired.sigma_hat(*counts) == pytest.approx((a - b).std(), abs=TOL)


@given(paired_cells())
def test_rho_hat_is_pearson_or_nan(cells: Cells) -> None:
    a, b = vectors(cells)
    rho = paired.rho_hat(*cells)
    if a.std() == 0 or b.std() == 0:
        assert np.isnan(rho)
    else:
        assert rho == pytest.approx(np.corrcoef(a, b)[0, 1], abs=TOL)
        p_a, p_b = (m / cells.n for m in cells.margins)
        psi = paired.psi_hat(cells.n10, cells.n01, cells.n)
        assert paired.rho_from_psi(p_a, p_b, psi) == pytest.approx(rho, abs=1e-7)


@given(paired_cells())
def test_swapping_models_flips_the_sign(cells: Cells) -> None:
    _, b, c, _ = cells
    n = cells.n
    assert paired.delta_hat(b, c, n) == -paired.delta_hat(c, b, n)
    assert paired.t_stat(b, c, n) == -paired.t_stat(c, b, n)
    assert paired.sigma_hat(b, c, n) == paired.sigma_hat(c, b, n)


@given(paired_cells())
def test_t_lies_within_what_the_margins_allow(cells: Cells) -> None:
    t = paired.t_stat(cells.n10, cells.n01, cells.n)
    assert not np.isnan(t)
    p_a, p_b = (m / cells.n for m in cells.margins)
    low, high = paired.t_bounds(p_a, p_b, cells.n)
    assert np.abs(low) * (1 - TOL) <= np.abs(t) <= np.abs(high) * (1 + TOL)
    assert np.sign(low) == np.sign(t) == np.sign(high)


@given(st.floats(-1, 1), st.integers(1, 10**7), st.floats(0.5, 0.98))
def test_rho_interval_holds_rho_and_nests(rho: float, n: int, conf: float) -> None:
    narrow, wide = (paired.rho_interval(rho, n, conf=c) for c in (conf, conf + 0.01))
    assert -1 <= wide.low <= narrow.low <= rho + TOL
    assert rho - TOL <= narrow.high <= wide.high <= 1


# One call per elementwise function, on accuracies and counts that suit them all.
def _rho(p: Array, q: Array) -> Array:
    """A correlation feasible for every pair: a tenth of the way to the upper bound."""
    return np.asarray(0.1 * paired.rho_bounds(p, q).high)


ELEMENTWISE: dict[str, Callable[[Array, Array, Array], Any]] = {
    "delta_from_odds_ratio": lambda p, q, n: paired.delta_from_odds_ratio(n, p),
    "delta_hat": lambda p, q, n: paired.delta_hat(np.floor(n * p / 2), np.floor(n * q / 2), n),
    "psi_bounds": lambda p, q, n: paired.psi_bounds(p, q),
    "psi_from_rho": lambda p, q, n: paired.psi_from_rho(p, q, _rho(p, q)),
    "psi_hat": lambda p, q, n: paired.psi_hat(np.floor(n * p / 2), np.floor(n * q / 2), n),
    "rate_range": lambda p, q, n: paired.rate_range(p, 2 * q - 1),
    "rho_bounds": lambda p, q, n: paired.rho_bounds(p, q),
    "rho_from_psi": lambda p, q, n: paired.rho_from_psi(p, q, p * (1 - q) + q * (1 - p)),
    "rho_hat": lambda p, q, n: paired.rho_hat(n, np.floor(n * p), np.floor(n * q), n),
    "rho_interval": lambda p, q, n: paired.rho_interval(2 * p - 1, n),
    "sigma_from_psi": lambda p, q, n: paired.sigma_from_psi(p, p * (2 * q - 1)),
    "sigma_from_sds": lambda p, q, n: paired.sigma_from_sds(p, q, 2 * p - 1),
    "sigma_hat": lambda p, q, n: paired.sigma_hat(np.floor(n * p / 2), np.floor(n * q / 2), n),
    "t_bounds": lambda p, q, n: paired.t_bounds(p, q, n),
    "t_stat": lambda p, q, n: paired.t_stat(np.floor(n * p / 2), np.floor(n * q / 2), n),
}


def test_every_elementwise_function_is_in_the_table() -> None:
    others = {"PairedRates", "paired_rates"}  # paired_rates is psi_from_rho and arithmetic
    assert set(ELEMENTWISE) == set(paired.__all__) - others


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_broadcasting_equals_looping(name: str) -> None:
    call = ELEMENTWISE[name]
    p, q, n = np.linspace(0.05, 0.95, 4), np.linspace(0.1, 0.8, 3), np.array([10.0, 50.0, 216.0])
    whole = np.asarray(call(p[:, None], q, n))
    looped = np.array([[call(x, y, m) for y, m in zip(q, n, strict=True)] for x in p])
    assert whole.shape[-2:] == (4, 3)
    np.testing.assert_allclose(whole, np.moveaxis(looped, (0, 1), (-2, -1)), rtol=RTOL)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_block_boundaries_leave_no_trace(name: str) -> None:
    call, size = ELEMENTWISE[name], 2 * BLOCK + 3
    p = np.linspace(0.02, 0.98, size)
    q, n = p[::-1], np.arange(10.0, size + 10)
    whole = np.asarray(call(p, q, n))
    assert whole.shape[-1] == size
    for i in (0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, size - 1):
        np.testing.assert_allclose(whole[..., i], call(p[i], q[i], n[i]), rtol=RTOL)


def test_a_fault_in_a_later_block_is_found() -> None:
    rho = np.zeros(2 * BLOCK + 3)
    rho[BLOCK + 7] = 0.99
    with pytest.raises(InfeasibleError, match=r"rho = 0\.99 is impossible"):
        paired.psi_from_rho(0.9, 0.8, rho)
