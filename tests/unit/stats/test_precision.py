"""Planning for precision: half-widths written out, Wilson against Wald, edges."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from helpers.cases import each
from nstar.errors import ParameterError
from nstar.stats.precision import (
    half_width,
    n_for_difference,
    n_for_proportion,
    wilson_half_width,
)
from nstar.stats.proportion import wilson_interval

Z = 1.959963984540054


def test_half_width_of_a_mean() -> None:
    assert half_width(1000, sigma=0.405) == pytest.approx(Z * 0.405 / math.sqrt(1000))
    assert half_width(10**9, sigma=1) == pytest.approx(Z / math.sqrt(1e9))
    assert n_for_difference(0.01, sigma=0.405) == pytest.approx((Z * 40.5) ** 2)
    assert half_width(100, sigma=1, conf=[0.5, 0.9, 0.99]).tolist() == pytest.approx(
        [0.0674490, 0.1644854, 0.2575829], abs=1e-6
    )


@pytest.mark.parametrize("n", [1, 10, 216, 10**6])
@pytest.mark.parametrize("x", [0.0, 0.5, 0.74, 1.0])
def test_wilson_half_width_is_half_of_the_interval(n: int, x: float) -> None:
    right = round(x * n)
    low, high = wilson_interval(right, n)
    assert wilson_half_width(n, p=right / n) == pytest.approx((high - low) / 2, rel=1e-9)


def test_wilson_closed_forms() -> None:
    z2 = Z * Z
    assert wilson_half_width(50, p=[0, 1]).tolist() == pytest.approx([z2 / (2 * (50 + z2))] * 2)
    assert wilson_half_width(50, p=0.5) == pytest.approx(Z / (2 * math.sqrt(50 + z2)))
    # solved for n
    assert n_for_proportion(0.03, p=[0, 1]).tolist() == pytest.approx([z2 / 0.06 - z2] * 2)
    assert n_for_proportion(0.03, p=0.5) == pytest.approx((Z / 0.06) ** 2 - z2)


@each([1e-8, 1e-3, 0.03, 0.2, 0.49, 0.49999], [0, 1e-9, 0.1, 0.5, 0.999, 1], [0.5, 0.95, 0.9999])
def test_wilson_round_trips(width: float, p: float, conf: float) -> None:
    n = n_for_proportion(width, p=p, conf=conf)
    assert n > 0
    assert wilson_half_width(n, p=p, conf=conf) == pytest.approx(width, rel=1e-6)


def test_wald_promises_nothing_at_the_ends() -> None:
    assert n_for_proportion(0.03, p=[0, 1], method="wald").tolist() == [0, 0]
    assert n_for_proportion(0.03, p=0.74, method="wald") == pytest.approx(
        Z * Z * 0.74 * 0.26 / 0.0009
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: half_width(0, sigma=1), "n must be a finite number > 0; got 0"),
        (lambda: half_width(10, sigma=-1), "sigma must be a finite number > 0; got -1"),
        (lambda: n_for_difference(0, sigma=1), "width must be a finite number > 0; got 0"),
        (lambda: n_for_difference(np.nan, sigma=1), "width must be a finite number > 0; got nan"),
        (lambda: n_for_difference(0.1, sigma=0), "sigma must be a finite number > 0; got 0"),
        (lambda: wilson_half_width(0, p=0.5), "n must be a finite number > 0; got 0"),
        (lambda: wilson_half_width(9, p=70), r"p must be a proportion in \[0, 1\]; got 70"),
        (lambda: n_for_proportion(0.5, p=0.5), r"width must be in \(0, 0.5\); got 0.5"),
        (lambda: n_for_proportion(0, p=0.5), r"width must be in \(0, 0.5\); got 0"),
        (lambda: n_for_proportion(0.1, p=1.5), r"p must be a proportion in \[0, 1\]; got 1.5"),
        (
            lambda: n_for_proportion(0.1, p=0.5, method="exact"),  # type: ignore[arg-type]
            "method must be wilson or wald; got 'exact'",
        ),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: half_width(10, sigma=1, conf=95),
        lambda: n_for_difference(0.1, sigma=1, conf=95),
        lambda: wilson_half_width(10, p=0.5, conf=95),
        lambda: n_for_proportion(0.1, p=0.5, conf=95),
    ],
)
def test_a_wrong_confidence_is_called_conf(call: Callable[[], object]) -> None:
    with pytest.raises(ParameterError, match=r"conf must be in \(0, 1\); got 95"):
        call()
