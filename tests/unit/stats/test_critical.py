"""Critical values: tables, deep tails, sides, and what is refused."""

import mpmath as mp
import numpy as np
import pytest

from nstar.errors import ParameterError
from nstar.stats.critical import inflation, k_factor, z_alpha, z_power


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


def test_level_above_one_half_has_a_negative_one_sided_quantile() -> None:
    assert z_alpha(0.9, sides=1) < 0 < z_alpha(0.9)


@pytest.mark.parametrize("bad", [0, 1, -0.05, 1.5, np.nan, np.inf])
def test_levels_outside_the_open_unit_interval(bad: float) -> None:
    with pytest.raises(ParameterError, match=rf"alpha must be in \(0, 1\); got {bad:.10g}"):
        z_alpha(bad)
    with pytest.raises(ParameterError, match=rf"power must be in \(0, 1\); got {bad:.10g}"):
        z_power(bad)
    with pytest.raises(ParameterError, match="alpha must be"):
        k_factor(bad)
    with pytest.raises(ParameterError, match="power must be"):
        inflation(3.0, power=bad)


def test_the_first_bad_element_is_named() -> None:
    with pytest.raises(ParameterError, match="got -3"):
        z_alpha([0.05, -3, -4])


@pytest.mark.parametrize("sides", [0, 3, "two"])
def test_sides_are_one_or_two(sides: int) -> None:
    with pytest.raises(ParameterError, match=f"sides must be one of 1, 2; got {sides!r}"):
        z_alpha(0.05, sides=sides)  # type: ignore[arg-type]


def test_inflation_of_the_usual_families() -> None:
    assert inflation(z_alpha()) == pytest.approx(1)
    for m, factor in ((9, 1.665), (40, 2.109), (45, 2.144)):
        assert inflation(z_alpha(0.05 / m)) == pytest.approx(factor, abs=5e-4)


@pytest.mark.parametrize("bad", [0, -1, np.nan, np.inf])
def test_inflation_needs_a_positive_critical_value(bad: float) -> None:
    with pytest.raises(ParameterError, match="critical must be a finite number > 0"):
        inflation(bad)
