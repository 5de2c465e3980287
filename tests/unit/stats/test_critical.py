"""Critical values: tables, deep tails, sides, and what is refused."""

import mpmath as mp
import numpy as np
import pytest

from helpers.cases import each
from nstar.errors import ParameterError
from nstar.stats.critical import (
    anytime_critical,
    inflation,
    k_factor,
    t_quantile,
    z_alpha,
    z_conf,
    z_power,
)


def quantile(p: str) -> float:
    """Upper-tail normal quantile at 40 digits."""
    with mp.workdps(40):
        return float(mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(p)))


@pytest.mark.parametrize("alpha", ["0.2", "0.05", "0.01", "1e-6", "1e-12"])
def test_z_alpha_by_mpmath(alpha: str) -> None:
    assert z_alpha(float(alpha), sides=1) == pytest.approx(quantile(alpha), rel=1e-12)
    half = str(mp.mpf(alpha) / 2)
    assert z_alpha(float(alpha)) == pytest.approx(quantile(half), rel=1e-12)


def test_z_alpha_in_the_deepest_tail() -> None:
    # Phi(-z) = 1e-300: z from the asymptotic series, mpmath
    assert z_alpha(2e-300) == pytest.approx(37.0471, abs=1e-4)


def test_usual_constants() -> None:
    assert z_alpha() == pytest.approx(1.959963984540054)
    assert z_power() == pytest.approx(0.8416212335729143)
    assert k_factor() ** 2 == pytest.approx(7.848879734349086)
    assert z_power(0.5) == 0
    assert k_factor(0.05, 0.8, sides=1) == pytest.approx(1.6448536269514722 + z_power())


def test_z_conf_is_z_alpha_of_the_rest() -> None:
    assert z_conf() == pytest.approx(z_alpha())
    assert z_conf([0.5, 0.9]).tolist() == pytest.approx([0.6744897501960817, 1.6448536269514722])


@each([0.975, 0.8, 0.5, 0.3, 0.01, 1e-12, 1e-100], [0.7, 1, 2, 2.5, 13, 1000, 1e7])
def test_t_quantile_by_mpmath(p: float, df: float) -> None:
    t = float(t_quantile(p, df))
    if p == 0.5:
        assert t == 0
        return
    with mp.workdps(40):
        nu, size = mp.mpf(df), mp.mpf(abs(t))
        x = nu / (nu + size * size)
        tail = mp.betainc(nu / 2, mp.mpf(1) / 2, 0, x, regularized=True) / 2
    assert float(tail) == pytest.approx(min(p, 1 - p), rel=1e-9)
    assert np.sign(t) == np.sign(p - 0.5)


def test_t_quantile_of_known_laws() -> None:
    assert t_quantile(0.75, 1) == pytest.approx(1)  # Cauchy
    assert t_quantile(0.975, np.inf) == pytest.approx(z_alpha())
    assert t_quantile(0.1, 7) == pytest.approx(-t_quantile(0.9, 7), rel=1e-12)


@pytest.mark.parametrize(
    ("p", "df", "message"),
    [
        (0, 5, r"p must be in \(0, 1\); got 0"),
        (1, 5, r"p must be in \(0, 1\); got 1"),
        (np.nan, 5, r"p must be in \(0, 1\); got nan"),
        (0.5, 0, "df must be > 0; got 0"),
        (0.5, -1, "df must be > 0; got -1"),
        (0.5, np.nan, "df must be > 0; got nan"),
    ],
)
def test_t_quantile_refuses(p: float, df: float, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        t_quantile(p, df)


def test_level_above_one_half_has_a_negative_one_sided_quantile() -> None:
    assert z_alpha(0.9, sides=1) < 0 < z_alpha(0.9)


@pytest.mark.parametrize("bad", [0, 1, -0.05, 1.5, np.nan, np.inf])
def test_levels_outside_the_open_unit_interval(bad: float) -> None:
    with pytest.raises(ParameterError, match=rf"alpha must be in \(0, 1\); got {bad:.10g}"):
        z_alpha(bad)
    with pytest.raises(ParameterError, match=rf"power must be in \(0, 1\); got {bad:.10g}"):
        z_power(bad)
    with pytest.raises(ParameterError, match=rf"conf must be in \(0, 1\); got {bad:.10g}"):
        z_conf(bad)
    with pytest.raises(ParameterError, match="alpha must be"):
        k_factor(bad)
    with pytest.raises(ParameterError, match="power must be"):
        inflation(3.0, power=bad)


def test_the_first_bad_element_is_named() -> None:
    with pytest.raises(ParameterError, match="got -3"):
        z_alpha([0.05, -3, -4])


@pytest.mark.parametrize("sides", [0, 3, "two"])
def test_sides_are_one_or_two(sides: int) -> None:
    with pytest.raises(ParameterError, match=f"sides must be 1 or 2; got {sides!r}"):
        z_alpha(0.05, sides=sides)  # type: ignore[arg-type]


def test_inflation_of_the_usual_families() -> None:
    assert inflation(z_alpha()) == pytest.approx(1)
    for m, factor in ((9, 1.665), (40, 2.109), (45, 2.144)):
        assert inflation(z_alpha(0.05 / m)) == pytest.approx(factor, abs=5e-4)


@pytest.mark.parametrize("bad", [0, -1, np.nan, np.inf])
def test_inflation_needs_a_positive_critical_value(bad: float) -> None:
    with pytest.raises(ParameterError, match="critical must be a finite number > 0"):
        inflation(bad)


def test_anytime_critical_is_the_golden_value() -> None:
    """``anytime.normal_mixture_inflation``: the boundary and what it costs in items."""
    assert anytime_critical(0.05) == pytest.approx(3.035122413028551, abs=1e-12)
    assert inflation(anytime_critical(0.05)) == pytest.approx(1.9148135543079767, abs=1e-9)


@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-3, 1e-9])
def test_anytime_critical_is_the_lowest_mixture_boundary(alpha: float) -> None:
    """Tuning to N: no other mixture is lower there."""
    r = np.geomspace(1e-3, 1e3, 200_001)
    boundary = np.sqrt((1 + 1 / r) * np.log((1 + r) / alpha**2))
    assert anytime_critical(alpha) == pytest.approx(boundary.min(), rel=1e-8)
