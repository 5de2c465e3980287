"""One model against a constant: rational enumeration, deep tails, edges."""

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from nstar.errors import ParameterError
from nstar.stats.mcnemar import P_FLOOR
from nstar.stats.proportion import (
    binomial_pvalue,
    clopper_pearson_interval,
    one_sample_exact_power,
    one_sample_n_star,
    wilson_interval,
)

Z = 1.959963984540054


def pvalue_by_counting(x: int, n: int, p0: Fraction) -> Fraction:
    """Every outcome no more likely than the observed one."""
    mass = [math.comb(n, k) * p0**k * (1 - p0) ** (n - k) for k in range(n + 1)]
    return sum((m for m in mass if m <= mass[x]), start=Fraction(0))


@pytest.mark.parametrize("p0", ["1/2", "1/4", "7/10", "1/50", "19/20"])
def test_every_small_outcome_by_counting(p0: str) -> None:
    null = Fraction(p0)
    for n in (1, 2, 3, 10, 20, 37):
        x = np.arange(n + 1)
        expected = [float(pvalue_by_counting(int(k), n, null)) for k in x]
        np.testing.assert_allclose(binomial_pvalue(x, n, p0=float(null)), expected, rtol=1e-12)


def test_the_expected_count_is_no_evidence() -> None:
    assert binomial_pvalue([50, 5], [100, 10], p0=0.5).tolist() == [1, 1]
    assert binomial_pvalue(70, 100, p0=0.7) == 1


@pytest.mark.parametrize(("x", "n"), [(900, 1000), (999, 1000), (1000, 1000), (0, 1000)])
def test_deep_tails_by_counting(x: int, n: int) -> None:
    expected = pvalue_by_counting(x, n, Fraction(1, 2))
    assert binomial_pvalue(x, n, p0=0.5) == pytest.approx(max(float(expected), P_FLOOR), rel=1e-10)


def test_a_billion_items() -> None:
    n = 10**9
    assert binomial_pvalue(n // 2, n, p0=0.5) == 1
    z = 2 * (10**5 - 0.5) / math.sqrt(n)  # continuity matters in the sixth digit
    assert binomial_pvalue(n // 2 + 10**5, n, p0=0.5) == pytest.approx(
        math.erfc(z / math.sqrt(2)), rel=1e-4
    )
    assert binomial_pvalue([0, n], n, p0=0.5).tolist() == [P_FLOOR, P_FLOOR]
    for function in (wilson_interval, clopper_pearson_interval):
        low, high = function(n // 4, n)
        half = Z * math.sqrt(0.25 * 0.75 / n)
        assert (low, high) == pytest.approx((0.25 - half, 0.25 + half), abs=1e-8)


@pytest.mark.parametrize(("x", "n"), [(0, 1), (1, 1), (0, 30), (7, 10), (159, 216), (3, 10**6)])
def test_clopper_pearson_by_mpmath(x: int, n: int) -> None:
    low, high = (float(v) for v in clopper_pearson_interval(x, n))
    with mp.workdps(30):
        if x:
            tail = mp.betainc(x, n - x + 1, 0, low, regularized=True)
            assert float(tail) == pytest.approx(0.025, rel=1e-8)
        else:
            assert low == 0
            assert high == pytest.approx(1 - 0.025 ** (1 / n))
        if x < n:
            tail = mp.betainc(x + 1, n - x, high, 1, regularized=True)
            assert float(tail) == pytest.approx(0.025, rel=1e-8)
        else:
            assert high == 1


def test_wilson_by_hand() -> None:
    # Newcombe 1998, 81/263: 0.2553 to 0.3662
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    z2 = Z * Z
    assert wilson_interval(0, 10) == pytest.approx((0, z2 / (10 + z2)))
    assert wilson_interval(10, 10) == pytest.approx((10 / (10 + z2), 1))
    assert wilson_interval(0, 1).low == 0
    assert wilson_interval(1, 1).high == 1


def test_exact_power_by_counting() -> None:
    n, p0, p1 = 30, Fraction(7, 10), Fraction(9, 10)
    reject = [k for k in range(n + 1) if pvalue_by_counting(k, n, p0) <= Fraction(1, 20)]
    expected = float(sum(math.comb(n, k) * p1**k * (1 - p1) ** (n - k) for k in reject))
    assert one_sample_exact_power(0.9, p0=0.7, n=n) == pytest.approx(expected, rel=1e-11)


def test_exact_power_of_arrays_and_its_size() -> None:
    power = one_sample_exact_power([[0.5, 0.7], [0.8, 0.9]], p0=0.7, n=100)
    assert power.shape == (2, 2)
    assert power[0, 1] <= 0.05  # the size
    assert power[1, 0] == pytest.approx(0.654, abs=5e-5)
    assert isinstance(one_sample_exact_power(0.8, p0=0.7, n=100), np.float64)
    # one item cannot reject anything at 5%
    assert one_sample_exact_power(0.9, p0=0.5, n=1) == 0


def test_items_needed_against_a_constant() -> None:
    zb = 0.8416212335729143
    expected = ((Z * math.sqrt(0.21) + zb * 0.4) / 0.1) ** 2
    assert one_sample_n_star(0.8, p0=0.7) == pytest.approx(expected)
    assert one_sample_n_star(0.7, p0=0.7) == np.inf
    assert one_sample_n_star(1.0, p0=0.0) == 0
    assert one_sample_n_star(1.0, p0=0.5) == pytest.approx(Z * Z)
    assert one_sample_n_star([0.0, 1.0], p0=[0.0, 1.0]).tolist() == [np.inf, np.inf]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson_interval(11, 10), "x must be at most n; got 11"),
        (lambda: wilson_interval(0, 0), "n must be at least 1; got 0"),
        (lambda: wilson_interval(0.5, 10), "x must be a whole number >= 0; got 0.5"),
        (lambda: wilson_interval(-1, 10), "x must be a whole number >= 0; got -1"),
        (lambda: clopper_pearson_interval(1, np.nan), "n must be a whole number >= 0; got nan"),
        (lambda: clopper_pearson_interval(1, 10, conf=1), r"conf must be in \(0, 1\); got 1"),
        (lambda: binomial_pvalue(1, 10, p0=0), r"p0 must be in \(0, 1\); got 0"),
        (lambda: binomial_pvalue(1, 10, p0=1), r"p0 must be in \(0, 1\); got 1"),
        (lambda: binomial_pvalue(11, 10, p0=0.5), "x must be at most n; got 11"),
        (lambda: one_sample_exact_power(0.5, p0=0.5, n=0), "n must be at least 1"),
        (lambda: one_sample_exact_power(1.0, p0=0.5, n=9), r"p1 must be in \(0, 1\); got 1"),
        (lambda: one_sample_exact_power(0.5, p0=1.7, n=9), r"p0 must be in \(0, 1\); got 1.7"),
        (
            lambda: one_sample_exact_power(0.5, p0=0.5, n=9, alpha=0),
            r"alpha must be in \(0, 1\); got 0",
        ),
        (lambda: one_sample_n_star(1.1, p0=0.5), r"p1 must be a proportion in \[0, 1\]; got 1.1"),
        (lambda: one_sample_n_star(0.5, p0=-1), r"p0 must be a proportion in \[0, 1\]; got -1"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


def test_a_wrong_confidence_is_called_conf() -> None:
    with pytest.raises(ParameterError, match=r"conf must be in \(0, 1\); got 95"):
        wilson_interval(5, 10, conf=95)


def test_a_negative_design_has_no_power() -> None:
    with pytest.raises(ParameterError, match="n must be"):
        one_sample_exact_power(0.8, p0=0.7, n=-1)
