"""N*, MDE and power: published cases, the edges of what is possible, and what is refused."""

import math
from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest

from nstar.errors import InfeasibleError, ParameterError
from nstar.stats.critical import k_factor, z_alpha, z_power
from nstar.stats.power import (
    PairedMethod,
    normal_mde,
    normal_n_star,
    normal_power,
    paired_mde,
    paired_mde_fixed_loss,
    paired_mde_from_rate,
    paired_n_star,
    paired_n_star_from_rates,
    paired_power,
)

METHODS: tuple[PairedMethod, ...] = get_args(PairedMethod)
FORMULAS: tuple[PairedMethod, ...] = ("connor", "wald", "miettinen")
K2 = 7.848879734349086
ZA, ZB = 1.959963984540054, 0.8416212335729143


# --- items needed -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("psi", "delta", "wald", "connor", "miettinen"),
    [
        (0.3, 0.1, 227.6, 233.1, 228.9),
        (0.2, 0.1, 149.1, 154.6, 147.2),
        (0.2, 0.05, 620.1, 625.5, 618.4),
        (0.4, 0.2, 70.6, 76.1, 73.3),
    ],
)
def test_three_formulas(
    psi: float, delta: float, wald: float, connor: float, miettinen: float
) -> None:
    for method, expected in zip(FORMULAS, (connor, wald, miettinen), strict=True):
        assert paired_n_star(delta, psi=psi, method=method) == pytest.approx(expected, abs=0.06)
        assert paired_n_star(-delta, psi=psi, method=method) == pytest.approx(expected, abs=0.06)


def test_formulas_written_out() -> None:
    psi, d = 0.25, 0.07
    sd = math.sqrt(psi - d * d)
    assert paired_n_star(d, psi=psi, method="wald") == pytest.approx(K2 * sd * sd / d**2)
    connor = (ZA * math.sqrt(psi) + ZB * sd) ** 2 / d**2
    assert paired_n_star(d, psi=psi) == pytest.approx(connor)
    second = (ZA * psi + ZB * math.sqrt(psi * psi - d * d * (3 + psi) / 4)) ** 2 / (psi * d * d)
    assert paired_n_star(d, psi=psi, method="miettinen") == pytest.approx(second)


@pytest.mark.parametrize("method", METHODS)
def test_no_gap_needs_no_end_of_items(method: PairedMethod) -> None:
    assert paired_n_star(0.0, psi=[0.0, 0.2, 1.0], method=method).tolist() == [np.inf] * 3
    assert paired_n_star_from_rates(0.7, 0.7, 0.5, method=method) == np.inf
    assert normal_n_star(0.0, sigma=0.3) == np.inf
    assert normal_n_star(-0.0, sigma=0.3) == np.inf


@pytest.mark.parametrize("sign", [1, -1])
def test_everything_discordant_one_way(sign: int) -> None:
    # psi = delta = 1: no variance is left; only the null's own counts
    assert paired_n_star(sign * 1.0, psi=1.0, method="wald") == 0
    assert paired_n_star(sign * 1.0, psi=1.0) == pytest.approx(ZA**2)
    assert paired_n_star(sign * 1.0, psi=1.0, method="miettinen") == pytest.approx(ZA**2)
    # one model never wins alone: delta = ±psi
    assert paired_n_star(sign * 0.2, psi=0.2, method="wald") == pytest.approx(K2 * 0.8 / 0.2)


def test_one_point_at_seventy_percent() -> None:
    need = paired_n_star_from_rates(0.71, 0.70, 0.4)
    psi = 0.71 * 0.3 + 0.7 * 0.29 - 0.8 * math.sqrt(0.71 * 0.29 * 0.21)
    by_hand = (ZA * math.sqrt(psi) + ZB * math.sqrt(psi - 1e-4)) ** 2 / 1e-4
    assert need == pytest.approx(by_hand)
    assert math.ceil(need) == 19_593


def test_a_tiny_gap_needs_many_items_without_overflow() -> None:
    assert paired_n_star(1e-9, psi=0.2) == pytest.approx(K2 * 0.2 * 1e18, rel=1e-6)
    assert normal_n_star(1e-9, sigma=1e-9) == pytest.approx(K2)


def test_power_below_the_level_needs_nothing() -> None:
    assert normal_n_star(0.1, sigma=1, alpha=0.5, power=0.1) == 0
    assert normal_mde(100, sigma=1, alpha=0.5, power=0.1) == 0
    assert paired_n_star(0.1, psi=0.2, alpha=0.5, power=0.1) == 0


@pytest.mark.parametrize("method", ["connor", "wald"])
def test_power_below_the_level_detects_anything(method: PairedMethod) -> None:
    assert paired_mde(100, psi=0.2, alpha=0.5, power=0.1, method=method) == 0


# --- detectable gaps ----------------------------------------------------------------------


def test_closed_forms_at_fixed_psi() -> None:
    n, psi = 1000, 0.168
    assert paired_mde(n, psi=psi, method="wald") == pytest.approx(math.sqrt(K2 * psi / (n + K2)))
    connor = math.sqrt(psi) * (ZA * math.sqrt(n) + ZB * math.sqrt(n + ZB**2 - ZA**2)) / (n + ZB**2)
    assert paired_mde(n, psi=psi) == pytest.approx(connor)
    assert round(float(paired_mde(n, psi=psi)), 4) == 0.0363


@pytest.mark.parametrize("method", METHODS)
def test_too_few_items_detect_nothing(method: PairedMethod) -> None:
    assert paired_mde(1, psi=0.2, method=method) == np.inf
    assert paired_mde(20, psi=0.1, method=method) == np.inf
    assert np.isfinite(paired_mde(10**9, psi=1e-6, method=method))


@pytest.mark.parametrize(
    ("n", "psi", "alpha", "power"),
    [(6, 1.0, 0.01, 0.8), (1, 0.8, 0.05, 0.99), (3, 0.9, 0.05, 0.99)],
)
def test_connor_on_a_handful_of_items(n: int, psi: float, alpha: float, power: float) -> None:
    assert paired_n_star(psi, psi=psi, alpha=alpha, power=power) > n
    assert paired_mde(n, psi=psi, alpha=alpha, power=power) == np.inf


@pytest.mark.parametrize("method", METHODS)
def test_a_billion_items(method: PairedMethod) -> None:
    n = 10**9
    normal = math.sqrt(K2 * 0.2 / n)
    assert paired_mde(n, psi=0.2, method=method) == pytest.approx(normal, rel=1e-6)
    for way in ("up", "down"):
        gap = paired_mde_from_rate(n, p_b=0.7, rho=0.5, direction=way, method=method)
        assert gap == pytest.approx(math.sqrt(K2 * 0.21 / n), rel=1e-3)
    assert paired_power(2 * normal, psi=0.2, n=n, method=method) == pytest.approx(
        0.99986, abs=1e-4
    )


def test_gain_and_loss_differ() -> None:
    up, down = (
        float(paired_mde_from_rate(216, p_b=0.74, rho=0.0, direction=d, method="wald"))
        for d in ("up", "down")
    )
    assert (round(up, 3), round(down, 3)) == (0.108, 0.125)


def test_no_feasible_gain_is_detectable() -> None:
    # at rho = 0.9 another model beside 98% can reach 98.4% at most: 100 items miss that
    assert paired_mde_from_rate(100, p_b=0.98, rho=0.9, direction="up") == np.inf
    assert np.isfinite(paired_mde_from_rate(10**5, p_b=0.98, rho=0.9, direction="up"))
    assert paired_mde_from_rate(2, p_b=0.5, rho=0.0) == np.inf


def test_a_correlation_that_equal_models_cannot_have() -> None:
    with pytest.raises(
        InfeasibleError, match=r"rho = -0\.9 is impossible for two models with accuracies near"
    ):
        paired_mde_from_rate(100, p_b=[0.5, 0.7], rho=-0.9)
    # at exactly one half it is possible
    assert np.isfinite(paired_mde_from_rate(10**5, p_b=0.5, rho=-0.9))


def test_fixed_loss() -> None:
    gain = float(paired_mde_fixed_loss(500, p01=0.02))
    assert paired_n_star(gain, psi=0.04 + gain) == pytest.approx(500)
    # nothing is ever lost: psi is the gain, N* = (z_a + z_b √(1 - d))² / d
    gain = float(paired_mde_fixed_loss(100, p01=0.0))
    assert (ZA + ZB * math.sqrt(1 - gain)) ** 2 / gain == pytest.approx(100)
    assert paired_mde_fixed_loss(2, p01=0.0) == np.inf
    assert paired_mde_fixed_loss(50, p01=0.499) == np.inf


# --- power --------------------------------------------------------------------------------


def test_power_at_the_edges() -> None:
    assert paired_power(0.0, psi=0.2, n=100) == pytest.approx(0.025)  # one tail, by chance
    assert paired_power(0.0, psi=0.0, n=100) < 0.05  # nothing discordant: never detected
    assert paired_power([-1.0, 1.0], psi=1.0, n=100).tolist() == [1, 1]
    assert paired_power(1.0, psi=1.0, n=3) == 0  # z_a² = 3.84 items are needed
    assert paired_power(0.5, psi=0.5, n=10**9) == 1
    assert normal_power(0.0, sigma=1, n=10) == pytest.approx(0.025)
    assert normal_power(0.0, sigma=1, n=10, sides=1) == pytest.approx(0.05)


def test_normal_formulas_written_out() -> None:
    assert normal_n_star(0.01, sigma=0.12) == pytest.approx(K2 * 144)
    assert normal_mde(1000, sigma=0.12) == pytest.approx(math.sqrt(K2 / 1000) * 0.12)
    one = float(k_factor(0.05, 0.9, sides=1))
    assert normal_n_star(0.1, sigma=0.5, power=0.9, sides=1) == pytest.approx((5 * one) ** 2)
    phi = 0.5 * math.erfc(-(0.02 * math.sqrt(285) / 0.12 - float(z_alpha())) / math.sqrt(2))
    assert normal_power(0.02, sigma=0.12, n=285) == pytest.approx(phi)
    assert float(z_power(0.8)) == pytest.approx(ZB)


BAD_LEVEL = [
    ({"alpha": 0}, r"alpha must be in \(0, 1\); got 0"),
    ({"alpha": 5}, r"alpha must be in \(0, 1\); got 5"),
    ({"power": 1}, r"power must be in \(0, 1\); got 1"),
    ({"power": 80}, r"power must be in \(0, 1\); got 80"),
    ({"sides": 3}, "sides must be 1 or 2; got 3"),
]
LEVELED: list[Callable[..., object]] = [
    lambda **k: normal_n_star(0.1, sigma=1, **k),
    lambda **k: normal_mde(10, sigma=1, **k),
    lambda **k: paired_n_star(0.1, psi=0.2, **k),
    lambda **k: paired_n_star_from_rates(0.7, 0.6, 0.3, **k),
    lambda **k: paired_mde(100, psi=0.2, **k),
    lambda **k: paired_mde_from_rate(100, p_b=0.5, rho=0.2, **k),
    lambda **k: paired_mde_fixed_loss(100, p01=0.1, **k),
]


@pytest.mark.parametrize(("level", "message"), BAD_LEVEL)
@pytest.mark.parametrize("call", LEVELED)
def test_levels_are_checked_everywhere(
    call: Callable[..., object], level: dict[str, float], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        call(**level)


@pytest.mark.parametrize("call", LEVELED[2:])
def test_methods_are_checked_everywhere(call: Callable[..., object]) -> None:
    with pytest.raises(
        ParameterError,
        match="method must be one of connor, wald, miettinen, or default; got 'exact'",
    ):
        call(method="exact")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: normal_n_star(0.1, sigma=0), "sigma must be a finite number > 0; got 0"),
        (lambda: normal_n_star(0.1, sigma=-1), "sigma must be a finite number > 0; got -1"),
        (lambda: normal_n_star(np.inf, sigma=1), "delta must be finite; got inf"),
        (lambda: normal_n_star(np.nan, sigma=1), "delta must be finite; got nan"),
        (lambda: normal_mde(0, sigma=1), "n must be a finite number > 0; got 0"),
        (lambda: normal_mde(10, sigma=np.nan), "sigma must be a finite number > 0; got nan"),
        (lambda: normal_power(0.1, sigma=1, n=-5), "n must be a finite number > 0; got -5"),
        (lambda: normal_power(np.nan, sigma=1, n=5), "delta must be finite; got nan"),
        (lambda: paired_n_star(2, psi=1), r"delta must be a proportion in \[-1, 1\]; got 2"),
        (lambda: paired_n_star(np.nan, psi=1), r"delta must be a proportion in .*; got nan"),
        (lambda: paired_mde(0, psi=0.2), "n must be a finite number > 0; got 0"),
        (lambda: paired_mde(10, psi=0), r"psi must be in \(0, 1\]; got 0"),
        (lambda: paired_mde(10, psi=1.5), r"psi must be in \(0, 1\]; got 1.5"),
        (lambda: paired_mde(10, psi=np.nan), r"psi must be in \(0, 1\]; got nan"),
        (lambda: paired_mde_fixed_loss(10, p01=0.5), r"p01 must be in \[0, 0.5\); got 0.5"),
        (lambda: paired_mde_fixed_loss(10, p01=-0.1), r"p01 must be in \[0, 0.5\); got -0.1"),
        (lambda: paired_mde_from_rate(10, p_b=1, rho=0), r"p_b must be in \(0, 1\); got 1"),
        (lambda: paired_mde_from_rate(10, p_b=0.5, rho=1), r"rho must be in \(-1, 1\); got 1"),
        (lambda: paired_mde_from_rate(0, p_b=0.5, rho=0), "n must be a finite number > 0; got 0"),
        (
            lambda: paired_mde_from_rate(9, p_b=0.5, rho=0, direction="left"),  # type: ignore[arg-type]
            "direction must be up or down; got 'left'",
        ),
        (lambda: paired_power(0.1, psi=0.2, n=np.inf), "n must be a finite number > 0; got inf"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize(
    ("delta", "psi"), [(0.3, 0.2), (-0.3, 0.2), (0.5, 1.5), (0.1, np.nan), (0.1, 0.0), (0.0, -0.1)]
)
@pytest.mark.parametrize("function", [paired_n_star, paired_power])
def test_impossible_pairs_name_both(
    function: Callable[..., object], delta: float, psi: float
) -> None:
    extra = {"n": 100} if function is paired_power else {}
    with pytest.raises(
        InfeasibleError,
        match=rf"delta = {delta:g} with psi = {psi:g} is impossible: \|delta\| <= psi <= 1",
    ):
        function([0.0, delta], psi=[0.2, psi], **extra)
