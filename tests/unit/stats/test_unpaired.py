"""Two independent accuracies: R's numbers, rational enumeration, edges."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Literal, get_args

import numpy as np
import pytest

from nstar.errors import ParameterError
from nstar.stats.unpaired import (
    UnpairedMethod,
    continuity_corrected,
    n1_given_published,
    unpaired_exact_power,
    unpaired_mde,
    unpaired_n_star,
    unpaired_power,
)

METHODS: tuple[UnpairedMethod, ...] = get_args(UnpairedMethod)
K2 = 7.848879734349086
Z = 1.959963984540054


def test_values_of_r() -> None:
    # power.prop.test, pwr.2p.test(ES.h(0.55, 0.5)): n per group
    assert unpaired_n_star(0.75, 0.70) == pytest.approx(1250.7, abs=0.05)
    assert unpaired_n_star(0.55, 0.50) == pytest.approx(1564.672, abs=5e-4)
    assert unpaired_n_star(0.55, 0.50, method="arcsine") == pytest.approx(1564.5, abs=0.05)


def test_formulas_written_out() -> None:
    assert unpaired_n_star(0.75, 0.7, method="unpooled") == pytest.approx(
        K2 * (0.75 * 0.25 + 0.7 * 0.3) / 0.0025
    )
    h = 2 * (math.asin(math.sqrt(0.75)) - math.asin(math.sqrt(0.7)))
    assert unpaired_n_star(0.75, 0.7, method="arcsine") == pytest.approx(2 * K2 / h**2)


@pytest.mark.parametrize("method", METHODS)
def test_edges(method: UnpairedMethod) -> None:
    assert unpaired_n_star(0.7, 0.7, method=method) == np.inf
    assert unpaired_n_star([0, 1], [0, 1], method=method).tolist() == [np.inf, np.inf]
    assert unpaired_power(0.7, 0.7, n1=100, method=method) == pytest.approx(0.025)
    assert unpaired_power(1.0, 0.0, n1=10**9, method=method) == 1
    assert 0 < unpaired_power(0.6, 0.5, n1=10**9, n2=1, method=method) < 1


def test_certain_models_differ_at_once() -> None:
    assert unpaired_n_star(1.0, 0.0, method="unpooled") == 0
    assert unpaired_n_star(1.0, 0.0) == pytest.approx(Z * Z / 2)
    assert unpaired_n_star(1.0, 0.0, method="arcsine") == pytest.approx(2 * K2 / math.pi**2)
    # and two equally certain ones never
    for method in ("pooled", "unpooled"):
        assert unpaired_power(1.0, 1.0, n1=100, method=method) == 0


@pytest.mark.parametrize("method", METHODS)
def test_detectable_gaps(method: UnpairedMethod) -> None:
    assert unpaired_mde(1, p=0.7, method=method) == np.inf
    assert unpaired_mde(20, p=0.98, direction="up", method=method) == np.inf
    assert np.isfinite(unpaired_mde(20, p=0.98, direction="down", method=method))
    gap = unpaired_mde(10**9, p=0.5, method=method)
    assert gap == pytest.approx(math.sqrt(K2 * 0.5 / 1e9), rel=1e-6)


def test_gain_and_loss_differ() -> None:
    gaps = [
        round(float(unpaired_mde(216, p=0.74, direction=d, method="unpooled")), 3)
        for d in ("up", "down")
    ]
    assert gaps == [0.108, 0.125]


def power_by_tables(n1: int, n2: int, p1: Fraction, p2: Fraction, pooled: bool) -> float:
    total = Fraction(0)
    for x in range(n1 + 1):
        for y in range(n2 + 1):
            a, b = Fraction(x, n1), Fraction(y, n2)
            mean = Fraction(x + y, n1 + n2)
            var = (
                mean * (1 - mean) * (Fraction(1, n1) + Fraction(1, n2))
                if pooled
                else a * (1 - a) / n1 + b * (1 - b) / n2
            )
            if var > 0 and float((a - b) ** 2) > Z * Z * float(var):
                total += (
                    math.comb(n1, x)
                    * p1**x
                    * (1 - p1) ** (n1 - x)
                    * math.comb(n2, y)
                    * p2**y
                    * (1 - p2) ** (n2 - y)
                )
    return float(total)


@pytest.mark.parametrize("method", ["pooled", "unpooled"])
@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (7, 12), (20, 20)])
def test_exact_power_by_tables(n1: int, n2: int, method: Literal["pooled", "unpooled"]) -> None:
    expected = power_by_tables(n1, n2, Fraction(4, 5), Fraction(2, 5), method == "pooled")
    power = unpaired_exact_power(0.8, 0.4, n1=n1, n2=n2, method=method)
    assert power == pytest.approx(expected, rel=1e-11, abs=1e-14)


def test_exact_power_across_row_blocks() -> None:
    # more than 512 rows, enumerated in two blocks: symmetric in the arms
    one = unpaired_exact_power(0.74, 0.69, n1=700, n2=300)
    other = unpaired_exact_power(0.69, 0.74, n1=300, n2=700)
    assert one == pytest.approx(other, rel=1e-10)
    assert one == pytest.approx(float(unpaired_power(0.74, 0.69, n1=700, n2=300)), abs=0.01)


def test_continuity_correction() -> None:
    assert continuity_corrected(1250.7, 0.05) == pytest.approx(1290.4, abs=0.05)
    assert continuity_corrected(1e9, 0.5) == pytest.approx(1e9 + 4)


def test_published_figures_have_noise_too() -> None:
    # 0.75 against a published 0.70: at least 659 published items
    limit = K2 * 0.21 / 0.0025
    assert n1_given_published(0.75, 0.70, n2=math.floor(limit)) == np.inf
    assert np.isfinite(n1_given_published(0.75, 0.70, n2=math.ceil(limit)))
    assert n1_given_published(0.75, 0.70, n2=1e12) == pytest.approx(K2 * 0.1875 / 0.0025)
    assert n1_given_published(0.7, 0.7, n2=100) == np.inf
    assert n1_given_published(1.0, 0.7, n2=1000) == 0
    assert n1_given_published(0.6, 1.0, n2=1) == pytest.approx(K2 * 0.24 / 0.16)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: unpaired_n_star(1.2, 0.5), r"p1 must be a proportion in \[0, 1\]; got 1.2"),
        (lambda: unpaired_n_star(0.5, np.nan), r"p2 must be a proportion in \[0, 1\]; got nan"),
        (
            lambda: unpaired_n_star(0.5, 0.6, method="exact"),  # type: ignore[arg-type]
            "method must be one of pooled, unpooled, or arcsine; got 'exact'",
        ),
        (lambda: unpaired_n_star(0.5, 0.6, sides=0), "sides must be 1 or 2; got 0"),  # type: ignore[arg-type]
        (lambda: unpaired_mde(0, p=0.5), "n must be a finite number > 0; got 0"),
        (lambda: unpaired_mde(10, p=1), r"p must be in \(0, 1\); got 1"),
        (
            lambda: unpaired_mde(10, p=0.5, direction="x"),  # type: ignore[arg-type]
            "direction must be up or down; got 'x'",
        ),
        (lambda: unpaired_power(0.5, 0.6, n1=0), "n1 must be a finite number > 0; got 0"),
        (lambda: unpaired_power(0.5, 0.6, n1=9, n2=0), "n2 must be a finite number > 0; got 0"),
        (lambda: unpaired_power(0.5, 2, n1=9), r"p2 must be a proportion in \[0, 1\]; got 2"),
        (lambda: unpaired_exact_power(0, 0.5, n1=9, n2=9), r"p1 must be in \(0, 1\); got 0"),
        (lambda: unpaired_exact_power(0.5, 1, n1=9, n2=9), r"p2 must be in \(0, 1\); got 1"),
        (
            lambda: unpaired_exact_power(0.5, 0.6, n1=9, n2=9, method="arcsine"),  # type: ignore[arg-type]
            "method must be pooled or unpooled; got 'arcsine'",
        ),
        (lambda: continuity_corrected(0, 0.1), "n must be a finite number > 0; got 0"),
        (lambda: continuity_corrected(10, 0), "delta must be .* 0; got 0"),
        (lambda: continuity_corrected(10, np.nan), "delta must be .*; got nan"),
        (lambda: n1_given_published(0.5, 0.6, n2=0), "n2 must be a finite number > 0; got 0"),
        (lambda: n1_given_published(2, 0.6, n2=9), r"p1 must be a proportion in \[0, 1\]; got 2"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize(("n1", "n2"), [(0, 10), (10, 0), (-1, 10), (10, -1)])
def test_designs_without_items(n1: int, n2: int) -> None:
    with pytest.raises(ParameterError, match=r"n[12] must be"):
        unpaired_exact_power(0.5, 0.6, n1=n1, n2=n2)
