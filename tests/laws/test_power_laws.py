"""Laws of planning: power, items needed and detectable gap are three views of one identity."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.strategies import accuracies, deltas, feasible_rates, levels, psi_delta
from nstar import stats
from nstar._base.types import Direction, Sides
from nstar.stats import PairedMethod, UnpairedMethod

REL = 1e-9
SIDES: tuple[Sides, ...] = get_args(Sides)
PAIRED: tuple[PairedMethod, ...] = get_args(PairedMethod)
FORMULAS: tuple[PairedMethod, ...] = ("connor", "wald", "miettinen")
UNPAIRED: tuple[UnpairedMethod, ...] = get_args(UnpairedMethod)
WAYS: tuple[Direction, ...] = get_args(Direction)

Level = tuple[float, float]
Pair = tuple[float, float]
Rates = tuple[float, float, float]

sigmas = st.floats(0.01, 10)
sizes = st.floats(1, 1e7)
scales = st.floats(1e-3, 1e3)
few = settings(max_examples=max(30, settings().max_examples * 2 // 5))
"""For laws that bisect or that run once per method."""


# --- known sd of the difference -----------------------------------------------------------


@pytest.mark.parametrize("sides", SIDES)
@few
@given(delta=deltas(), sigma=sigmas, level=levels())
def test_normal_round_trips(delta: float, sigma: float, level: Level, sides: Sides) -> None:
    alpha, power = level
    n = stats.normal_n_star(delta, sigma=sigma, alpha=alpha, power=power, sides=sides)
    reached = stats.normal_power(delta, sigma=sigma, n=n, alpha=alpha, sides=sides)
    assert reached == pytest.approx(power, rel=REL)
    gap = stats.normal_mde(n, sigma=sigma, alpha=alpha, power=power, sides=sides)
    assert gap == pytest.approx(abs(delta), rel=REL)


@given(deltas(), sigmas, sizes, scales)
def test_normal_depends_on_delta_over_sigma_only(
    delta: float, sigma: float, n: float, scale: float
) -> None:
    need = stats.normal_n_star(delta, sigma=sigma)
    assert stats.normal_n_star(-delta, sigma=sigma) == need
    assert stats.normal_n_star(delta * scale, sigma=sigma * scale) == pytest.approx(need, rel=REL)
    gap = stats.normal_mde(n, sigma=sigma)
    assert stats.normal_mde(n, sigma=sigma * scale) == pytest.approx(gap * scale, rel=REL)
    power = stats.normal_power(delta, sigma=sigma, n=n)
    assert stats.normal_power(-delta, sigma=sigma, n=n) == power
    scaled = stats.normal_power(delta * scale, sigma=sigma * scale, n=n)
    assert scaled == pytest.approx(power, rel=1e-6, abs=1e-12)


@given(deltas(), sigmas, levels(), st.floats(1.01, 5))
def test_normal_moves_the_right_way(
    delta: float, sigma: float, level: Level, factor: float
) -> None:
    alpha, power = level
    need = stats.normal_n_star(delta, sigma=sigma, alpha=alpha, power=power)
    assert stats.normal_n_star(delta * factor, sigma=sigma, alpha=alpha, power=power) < need
    assert stats.normal_n_star(delta, sigma=sigma * factor, alpha=alpha, power=power) > need
    assert stats.normal_n_star(delta, sigma=sigma, alpha=alpha / factor, power=power) > need
    more = 1 - (1 - power) / factor
    assert stats.normal_n_star(delta, sigma=sigma, alpha=alpha, power=more) > need
    assert stats.normal_n_star(delta, sigma=sigma, alpha=alpha, power=power, sides=1) < need


@given(levels(), st.floats(0.01, 1), st.integers(1, 1000))
def test_inflation_is_the_ratio_of_two_needs(level: Level, sigma: float, m: int) -> None:
    alpha, power = level
    alone, family = (
        stats.normal_n_star(0.1, sigma=sigma, alpha=a, power=power) for a in (alpha, alpha / m)
    )
    factor = stats.inflation(stats.z_alpha(alpha / m), alpha=alpha, power=power)
    assert family == pytest.approx(alone * factor, rel=REL)


@given(deltas(), sigmas, sizes, levels())
def test_precision_is_planning_at_half_power(
    delta: float, sigma: float, n: float, level: Level
) -> None:
    conf = 1 - level[0]
    width = stats.half_width(n, sigma=sigma, conf=conf)
    assert stats.n_for_difference(width, sigma=sigma, conf=conf) == pytest.approx(n, rel=REL)
    assert width == pytest.approx(stats.normal_mde(n, sigma=sigma, alpha=1 - conf, power=0.5))


# --- two 0/1 scores per item --------------------------------------------------------------


@pytest.mark.parametrize("method", FORMULAS)
@pytest.mark.parametrize("sides", SIDES)
@few
@given(pair=psi_delta(), level=levels())
def test_paired_round_trips(pair: Pair, level: Level, method: PairedMethod, sides: Sides) -> None:
    (psi, delta), (alpha, power) = pair, level
    assume(psi - delta * delta > 1e-6)  # else nothing is left to chance
    assume(psi * psi - delta * delta * (3 + psi) / 4 > 1e-6)
    n = stats.paired_n_star(delta, psi=psi, method=method, alpha=alpha, power=power, sides=sides)
    reached = stats.paired_power(delta, psi=psi, n=n, method=method, alpha=alpha, sides=sides)
    assert reached == pytest.approx(power, abs=1e-8)
    gap = stats.paired_mde(n, psi=psi, method=method, alpha=alpha, power=power, sides=sides)
    if np.isfinite(gap):
        assert gap == pytest.approx(abs(delta), rel=1e-8)
    else:  # the largest possible gap, missed by a rounding error
        assert abs(delta) == pytest.approx(psi, rel=1e-8)


@pytest.mark.parametrize("method", PAIRED)
@few
@given(psi=st.floats(1e-3, 1), n=st.floats(1, 1e6), level=levels())
def test_paired_mde_round_trips(psi: float, n: float, level: Level, method: PairedMethod) -> None:
    alpha, power = level
    gap = stats.paired_mde(n, psi=psi, method=method, alpha=alpha, power=power)
    assume(np.isfinite(gap))
    need = stats.paired_n_star(gap, psi=psi, method=method, alpha=alpha, power=power)
    assert need == pytest.approx(n, rel=1e-7)


@pytest.mark.parametrize("method", PAIRED)
def test_paired_mde_is_infinite_exactly_when_the_largest_gap_is_missed(
    method: PairedMethod,
) -> None:
    n = np.arange(1.0, 61)[:, None, None, None]
    psi = np.linspace(0.02, 1, 50)[:, None, None]
    alpha = np.array([0.2, 0.05, 0.01, 1e-4])[:, None]
    power = np.array([0.5, 0.8, 0.95, 0.99])
    largest = stats.paired_n_star(psi, psi=psi, method=method, alpha=alpha, power=power)
    gap = stats.paired_mde(n, psi=psi, method=method, alpha=alpha, power=power)
    tie = np.abs(largest - n) < 1e-6
    assert np.all((np.isfinite(gap) == (largest < n)) | tie)
    assert np.all(gap > 0)


@few
@given(psi_delta(), levels(), st.floats(1.01, 5))
def test_paired_symmetry_and_monotonicity(pair: Pair, level: Level, factor: float) -> None:
    (psi, delta), (alpha, power) = pair, level
    for method in FORMULAS:
        need = stats.paired_n_star(delta, psi=psi, method=method, alpha=alpha, power=power)
        assert (
            stats.paired_n_star(-delta, psi=psi, method=method, alpha=alpha, power=power) == need
        )
        smaller = stats.paired_n_star(
            delta / factor, psi=psi, method=method, alpha=alpha, power=power
        )
        assert smaller > need
        stricter = stats.paired_n_star(
            delta, psi=psi, method=method, alpha=alpha / factor, power=power
        )
        assert stricter > need or need == 0  # wald at |delta| = psi = 1 has no variance at all
        if psi * factor <= 1:
            noisier = stats.paired_n_star(
                delta, psi=psi * factor, method=method, alpha=alpha, power=power
            )
            assert noisier > need


@given(psi_delta(), levels())
def test_connor_asks_for_the_most(pair: Pair, level: Level) -> None:
    (psi, delta), (alpha, power) = pair, level
    wald, connor, miettinen = (
        stats.paired_n_star(delta, psi=psi, method=m, alpha=alpha, power=power)
        for m in ("wald", "connor", "miettinen")
    )
    assert connor >= wald * (1 - REL)
    assert connor >= miettinen * (1 - REL)


@few
@given(psi_delta(), st.floats(1, 1e6), st.floats(1.01, 10))
def test_paired_power_grows_with_items_and_level(pair: Pair, n: float, factor: float) -> None:
    psi, delta = pair
    for method in PAIRED:
        power = stats.paired_power(delta, psi=psi, n=n, method=method)
        assert 0 <= power <= 1
        assert stats.paired_power(-delta, psi=psi, n=n, method=method) == power
        assert stats.paired_power(delta, psi=psi, n=n * factor, method=method) >= power
        looser = stats.paired_power(delta, psi=psi, n=n, method=method, alpha=0.05 * factor)
        assert looser >= power


@few
@given(feasible_rates(), levels())
def test_rates_and_psi_say_the_same(rates: Rates, level: Level) -> None:
    (p_a, p_b, rho), (alpha, power) = rates, level
    assume(abs(p_a - p_b) > 1e-4)
    psi = max(float(stats.psi_from_rho(p_a, p_b, rho)), abs(p_a - p_b))
    for method in PAIRED:
        need = stats.paired_n_star_from_rates(
            p_a, p_b, rho, method=method, alpha=alpha, power=power
        )
        same = stats.paired_n_star(p_a - p_b, psi=psi, method=method, alpha=alpha, power=power)
        assert need == pytest.approx(same, rel=1e-7)
        swapped = stats.paired_n_star_from_rates(
            p_b, p_a, rho, method=method, alpha=alpha, power=power
        )
        mirrored = stats.paired_n_star_from_rates(
            1 - p_a, 1 - p_b, rho, method=method, alpha=alpha, power=power
        )
        assert (swapped, mirrored) == pytest.approx((need, need), rel=1e-7)


@given(accuracies(), accuracies(), levels())
def test_uncorrelated_models_need_as_many_items_each_as_unpaired_ones(
    p_a: float, p_b: float, level: Level
) -> None:
    alpha, power = level
    assume(abs(p_a - p_b) > 1e-6)
    paired = stats.paired_n_star_from_rates(p_a, p_b, 0.0, method="wald", alpha=alpha, power=power)
    apart = stats.unpaired_n_star(p_a, p_b, method="unpooled", alpha=alpha, power=power)
    assert paired == pytest.approx(apart, rel=REL)


@few
@given(accuracies(), accuracies(), st.floats(0, 1), st.floats(0, 1))
def test_correlation_saves_items(p_a: float, p_b: float, x: float, y: float) -> None:
    assume(abs(p_a - p_b) > 1e-3)
    low, high = (float(v) for v in stats.rho_bounds(p_a, p_b))
    less, more = (low + share * (high - low) for share in sorted((x, y)))
    assume(more - less > 1e-6)
    for method in PAIRED:
        dear, cheap = (
            stats.paired_n_star_from_rates(p_a, p_b, r, method=method) for r in (less, more)
        )
        assert cheap < dear


def _rho_inside(p_b: float, share: float) -> float:
    """A correlation that two models near ``p_b`` can have."""
    low = float(stats.rho_bounds(p_b, p_b).low)
    return low * 0.95 + share * (0.98 - low * 0.95)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", PAIRED)
@few
@given(p_b=accuracies(), share=st.floats(0, 1), n=st.integers(2, 10**6), level=levels())
def test_mde_from_rate_is_where_the_items_suffice(
    p_b: float, share: float, n: int, level: Level, method: PairedMethod, way: Direction
) -> None:
    alpha, power = level
    rho = _rho_inside(p_b, share)
    gap = float(
        stats.paired_mde_from_rate(
            n, p_b=p_b, rho=rho, direction=way, method=method, alpha=alpha, power=power
        )
    )
    low, high = (float(v) for v in stats.rate_range(p_b, rho))
    sign, room = (1, high - p_b) if way == "up" else (-1, p_b - low)

    def need(size: float) -> float:
        inside = min(size, room * (1 - 1e-9))
        rate = p_b + sign * inside
        return float(
            stats.paired_n_star_from_rates(rate, p_b, rho, method=method, alpha=alpha, power=power)
        )

    if np.isinf(gap):
        assert need(room) > n * (1 - 1e-5)
    else:
        assert 0 < gap <= room
        assert need(gap) == pytest.approx(n, rel=1e-5)


@few
@given(p_b=accuracies(), share=st.floats(0, 1), n=st.integers(2, 10**6))
def test_mde_up_from_p_is_mde_down_from_one_minus_p(p_b: float, share: float, n: int) -> None:
    rho = _rho_inside(p_b, share)
    up = stats.paired_mde_from_rate(n, p_b=p_b, rho=rho, direction="up")
    down = stats.paired_mde_from_rate(n, p_b=1 - p_b, rho=rho, direction="down")
    if np.isfinite(up) and np.isfinite(down):
        assert up == pytest.approx(down, rel=1e-6)
    fewer = stats.paired_mde_from_rate(n / 2, p_b=p_b, rho=rho, direction="up")
    assert fewer > up or np.isinf(fewer)


@few
@given(accuracies(), st.floats(0, 0.9), st.floats(0.01, 0.09), st.integers(10, 10**6))
def test_mde_shrinks_as_models_agree_more(p_b: float, rho: float, step: float, n: int) -> None:
    near, far = (stats.paired_mde_from_rate(n, p_b=p_b, rho=r) for r in (rho + step, rho))
    if np.isfinite(near) and np.isfinite(far):
        assert near < far


@pytest.mark.parametrize("method", PAIRED)
@few
@given(p01=st.floats(0, 0.49), n=st.integers(1, 10**6), level=levels())
def test_mde_at_fixed_loss_is_where_the_items_suffice(
    p01: float, n: int, level: Level, method: PairedMethod
) -> None:
    alpha, power = level
    gain = float(stats.paired_mde_fixed_loss(n, p01=p01, method=method, alpha=alpha, power=power))

    def need(gap: float) -> float:
        psi = min(2 * p01 + gap, 1.0)
        return float(
            stats.paired_n_star(min(gap, psi), psi=psi, method=method, alpha=alpha, power=power)
        )

    if np.isinf(gain):
        assert need(1 - 2 * p01) > n * (1 - 1e-6)
    else:
        assert 0 < gain <= 1 - 2 * p01
        assert need(gain) == pytest.approx(n, rel=1e-5)


# --- unpaired -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", UNPAIRED)
@pytest.mark.parametrize("sides", SIDES)
@few
@given(p1=accuracies(), p2=accuracies(), level=levels())
def test_unpaired_round_trips(
    p1: float, p2: float, level: Level, method: UnpairedMethod, sides: Sides
) -> None:
    alpha, power = level
    assume(abs(p1 - p2) > 1e-4)
    n = stats.unpaired_n_star(p1, p2, method=method, alpha=alpha, power=power, sides=sides)
    for a, b in ((p2, p1), (1 - p1, 1 - p2)):
        same = stats.unpaired_n_star(a, b, method=method, alpha=alpha, power=power, sides=sides)
        assert same == pytest.approx(n, rel=1e-9)
    reached = stats.unpaired_power(p1, p2, n1=n, method=method, alpha=alpha, sides=sides)
    assert reached == pytest.approx(power, abs=1e-9)
    gap = stats.unpaired_mde(
        n,
        p=p2,
        direction="up" if p1 > p2 else "down",
        method=method,
        alpha=alpha,
        power=power,
        sides=sides,
    )
    assert gap == pytest.approx(abs(p1 - p2), rel=1e-8)


@pytest.mark.parametrize("method", UNPAIRED)
@pytest.mark.parametrize("way", WAYS)
@few
@given(p=accuracies(), n=st.floats(1, 1e6), level=levels())
def test_unpaired_mde_is_infinite_exactly_when_perfection_is_missed(
    p: float, n: float, level: Level, method: UnpairedMethod, way: Direction
) -> None:
    alpha, power = level
    limit = 1.0 if way == "up" else 0.0
    least = stats.unpaired_n_star(limit, p, method=method, alpha=alpha, power=power)
    assume(abs(least / n - 1) > 1e-6)
    gap = stats.unpaired_mde(n, p=p, direction=way, method=method, alpha=alpha, power=power)
    assert np.isfinite(gap) == (least < n)
    if np.isfinite(gap):
        other = np.clip(p + (gap if way == "up" else -gap), 0, 1)
        need = stats.unpaired_n_star(other, p, method=method, alpha=alpha, power=power)
        assert need == pytest.approx(n, rel=1e-6)


@few
@given(accuracies(), accuracies(), st.floats(1, 1e5), st.floats(1, 1e5))
def test_unpaired_power_does_not_care_who_is_first(
    p1: float, p2: float, n1: float, n2: float
) -> None:
    for method in UNPAIRED:
        power = stats.unpaired_power(p1, p2, n1=n1, n2=n2, method=method)
        swapped = stats.unpaired_power(p2, p1, n1=n2, n2=n1, method=method)
        assert swapped == pytest.approx(power, rel=1e-6, abs=1e-12)
        # not so for the pooled test: its null sd moves with the mix of the two accuracies
        if method != "pooled":
            more = stats.unpaired_power(p1, p2, n1=2 * n1, n2=n2, method=method)
            assert more >= power * (1 - REL) or p1 == p2 or power < 0.5


@given(accuracies(), accuracies(), st.floats(10, 1e6), levels())
def test_published_figure_round_trips(p1: float, p2: float, n2: float, level: Level) -> None:
    alpha, power = level
    assume(abs(p1 - p2) > 1e-3)
    n1 = stats.n1_given_published(p1, p2, n2=n2, alpha=alpha, power=power)
    k = stats.k_factor(alpha, power)
    least = k**2 * p2 * (1 - p2) / (p1 - p2) ** 2
    assume(abs(least / n2 - 1) > 1e-3)
    assert np.isfinite(n1) == (n2 > least)
    if np.isfinite(n1):
        reached = stats.unpaired_power(p1, p2, n1=n1, n2=n2, method="unpooled", alpha=alpha)
        assert reached == pytest.approx(power, abs=1e-8)


@given(st.floats(1, 1e6), deltas())
def test_continuity_correction_adds_one_to_two_items_per_unit_gap(n: float, delta: float) -> None:
    corrected = stats.continuity_corrected(n, delta)
    assert n + 1 / abs(delta) <= corrected * (1 + REL)
    assert corrected <= (n + 2 / abs(delta)) * (1 + REL)
    assert stats.continuity_corrected(n, -delta) == corrected


@given(accuracies(), accuracies(), levels())
def test_one_sample_needs_fewer_than_either_arm(p1: float, p0: float, level: Level) -> None:
    alpha, power = level
    assume(abs(p1 - p0) > 1e-4)
    alone = stats.one_sample_n_star(p1, p0=p0, alpha=alpha, power=power)
    mirrored = stats.one_sample_n_star(1 - p1, p0=1 - p0, alpha=alpha, power=power)
    assert mirrored == pytest.approx(alone, rel=1e-9)
    # against a constant, one arm's noise; against a model, that of both
    span = stats.k_factor(alpha, power) * 0.5 / abs(p1 - p0)
    assert alone <= span**2 * (1 + REL)


# --- graded scores ------------------------------------------------------------------------


@few
@given(st.floats(0.02, 3), sigmas, levels(), st.sampled_from(SIDES), scales)
def test_t_n_star_is_the_first_integer(
    effect: float, sigma: float, level: Level, sides: Sides, scale: float
) -> None:
    alpha, power = level
    delta = effect * sigma
    n = float(stats.t_n_star(delta, sigma=sigma, alpha=alpha, power=power, sides=sides))
    assert n == np.floor(n)
    assert n >= 2
    around = stats.t_power(
        delta, sigma=sigma, n=[max(n - 1, 2), n, n + 1], alpha=alpha, sides=sides
    )
    assert np.all(np.diff(around) >= 0)
    assert around[1] >= power
    if n > 2:
        assert around[0] < power
    assert stats.t_n_star(-delta, sigma=sigma, alpha=alpha, power=power, sides=sides) == n
    if sides == 1:  # two sides count the wrong tail as rejection, the normal formula does not
        normal = stats.normal_n_star(delta, sigma=sigma, alpha=alpha, power=power, sides=1)
        assert n >= np.floor(normal)
    scaled = stats.t_power(scale * delta, sigma=scale * sigma, n=n, alpha=alpha, sides=sides)
    assert scaled == pytest.approx(around[1], abs=1e-9)


@few
@given(st.integers(2, 10**5), sigmas, levels(), st.sampled_from(SIDES))
def test_t_mde_is_where_power_is_reached(n: int, sigma: float, level: Level, sides: Sides) -> None:
    alpha, power = level
    gap = stats.t_mde(n, sigma=sigma, alpha=alpha, power=power, sides=sides)
    reached = stats.t_power(gap, sigma=sigma, n=n, alpha=alpha, sides=sides)
    assert reached == pytest.approx(power, abs=1e-9)
    if sides == 1:  # two sides count the wrong tail as rejection, the normal formula does not
        normal = stats.normal_mde(n, sigma=sigma, alpha=alpha, power=power, sides=1)
        assert gap >= normal * (1 - REL)
    doubled = stats.t_mde(n, sigma=2 * sigma, alpha=alpha, power=power, sides=sides)
    assert doubled == pytest.approx(2 * gap, rel=REL)


@few
@given(st.floats(0, 2), st.floats(1.01, 3), st.integers(2, 2000), levels())
def test_t_power_grows_with_effect_items_and_level(
    effect: float, factor: float, n: int, level: Level
) -> None:
    alpha = level[0]
    power = stats.t_power(effect, sigma=1.0, n=n, alpha=alpha)
    assert power >= alpha * (1 - 1e-6)  # unbiased: at the least its own level
    assert stats.t_power(effect * factor, sigma=1.0, n=n, alpha=alpha) >= power - 1e-12
    assert stats.t_power(effect, sigma=1.0, n=n + 1, alpha=alpha) >= power - 1e-12
    assert stats.t_power(effect, sigma=1.0, n=n, alpha=alpha * factor) >= power - 1e-12


# --- equivalence and non-inferiority ------------------------------------------------------


@given(st.floats(1e-3, 0.5), sigmas, st.floats(-0.95, 0.95), levels(), scales)
def test_equivalence_round_trips(
    margin: float, sigma: float, share: float, level: Level, scale: float
) -> None:
    alpha, power = level
    delta = margin * share
    design = {"alpha": alpha, "power": power}
    n = stats.equivalence_n_star(margin, sigma=sigma, delta=delta, **design)
    reached = stats.equivalence_power(margin, sigma=sigma, n=n, delta=delta, alpha=alpha)
    assert reached == pytest.approx(power, abs=1e-8)
    mirrored = stats.equivalence_n_star(margin, sigma=sigma, delta=-delta, **design)
    assert mirrored == pytest.approx(n, rel=REL)
    scaled = stats.equivalence_n_star(
        scale * margin, sigma=scale * sigma, delta=scale * delta, **design
    )
    assert scaled == pytest.approx(n, rel=1e-8)
    assert n >= stats.equivalence_n_star(margin, sigma=sigma, **design) * (1 - REL)
    # showing two bounds takes more than showing one
    one = stats.noninferiority_n_star(margin, sigma=sigma, delta=delta, **design)
    assert n >= one * (1 - REL)


@given(sizes, sigmas, levels())
def test_margins_are_needs_solved_for_the_margin(n: float, sigma: float, level: Level) -> None:
    alpha, power = level
    margin = stats.equivalence_margin(n, sigma=sigma, alpha=alpha, power=power)
    need = stats.equivalence_n_star(margin, sigma=sigma, alpha=alpha, power=power)
    assert need == pytest.approx(n, rel=REL)
    one = stats.noninferiority_margin(n, sigma=sigma, alpha=alpha, power=power)
    need = stats.noninferiority_n_star(one, sigma=sigma, alpha=alpha, power=power)
    assert need == pytest.approx(n, rel=REL)
    assert one < margin


@given(st.floats(1e-3, 0.5), sigmas, st.floats(-0.95, 3), levels())
def test_noninferiority_round_trips(
    margin: float, sigma: float, share: float, level: Level
) -> None:
    alpha, power = level
    delta = margin * share
    n = stats.noninferiority_n_star(margin, sigma=sigma, delta=delta, alpha=alpha, power=power)
    reached = stats.noninferiority_power(margin, sigma=sigma, n=n, delta=delta, alpha=alpha)
    assert reached == pytest.approx(power, abs=1e-9)
    # it is the one-sided test of superiority with the gap moved by the margin
    moved = stats.normal_n_star(margin + delta, sigma=sigma, alpha=alpha, power=power, sides=1)
    assert moved == pytest.approx(n, rel=REL)


@given(st.floats(1e-3, 0.5), sigmas, st.floats(-2, 2), sizes, st.floats(1.01, 5))
def test_equivalence_power_grows_with_items_and_margin(
    margin: float, sigma: float, share: float, n: float, factor: float
) -> None:
    delta = margin * share
    power = stats.equivalence_power(margin, sigma=sigma, n=n, delta=delta)
    assert 0 <= power <= 1
    assert stats.equivalence_power(margin * factor, sigma=sigma, n=n, delta=delta) >= power
    if abs(share) < 1:
        assert stats.equivalence_power(margin, sigma=sigma, n=n * factor, delta=delta) >= power
    else:  # outside the margin the claim is false and may be shown with probability alpha only
        assert power <= 0.05 * (1 + REL)
    one = stats.noninferiority_power(margin, sigma=sigma, n=n, delta=delta)
    assert one >= power - 1e-12


@few
@given(st.floats(0.2, 2), st.floats(-0.5, 0.5), st.floats(0.01, 0.1), st.floats(0.5, 0.95))
def test_equivalence_t_n_star_is_the_first_integer(
    margin: float, share: float, alpha: float, power: float
) -> None:
    delta = margin * share
    n = stats.equivalence_t_n_star(margin, sigma=1.0, delta=delta, alpha=alpha, power=power)
    around = stats.equivalence_t_power(
        margin, sigma=1.0, n=[max(n - 1, 2), n], delta=delta, alpha=alpha
    )
    assert around[1] >= power
    assert n == 2 or around[0] < power
    normal = stats.equivalence_n_star(margin, sigma=1.0, delta=delta, alpha=alpha, power=power)
    assert n >= np.floor(normal)


# --- exact McNemar power ------------------------------------------------------------------


@few
@given(psi_delta(smallest=0.01), st.integers(1, 300), st.floats(0.001, 0.2))
def test_exact_power_is_symmetric_and_ordered_by_test(pair: Pair, n: int, alpha: float) -> None:
    psi, delta = pair
    midp, exact, corrected = (
        stats.exact_power(delta, psi=psi, n=n, method=m, alpha=alpha)
        for m in ("midp", "exact", "corrected")
    )
    assert 0 <= exact <= midp <= 1
    assert 0 <= corrected <= 1
    mirrored = stats.exact_power(-delta, psi=psi, n=n, alpha=alpha)
    assert mirrored == pytest.approx(midp, abs=1e-12)


@few
@given(st.floats(0.01, 1), st.integers(1, 300), st.floats(0.001, 0.2))
def test_exact_test_never_exceeds_its_level(psi: float, n: int, alpha: float) -> None:
    assert stats.exact_power(0.0, psi=psi, n=n, method="exact", alpha=alpha) <= alpha * (1 + REL)
