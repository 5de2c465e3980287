"""Printed figures: GRIM by trying every k, p against intervals, edges."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from nstar._base.types import Interval
from nstar.errors import ParameterError
from nstar.stats.mcnemar import P_FLOOR
from nstar.stats.printed import _t_from_p, grim, p_from_interval

Z = 1.959963984540054


@pytest.mark.parametrize("n", [1, 7, 28, 99, 216])
@pytest.mark.parametrize("decimals", [2, 3])
def test_grim_by_trying_every_k(n: int, decimals: int) -> None:
    scale = 10**decimals
    # every k/n rounded either way at a half, in whole units of the last place
    units: dict[int, set[int]] = {}
    for k in range(n + 1):
        down, rest = divmod(k * scale * 2 + n, 2 * n)
        units.setdefault(down, set()).add(k)
        if rest == 0:
            units.setdefault(down - 1, set()).add(k)
    for unit in range(scale + 1):
        result = grim(unit / scale, n, decimals=decimals)
        assert result.possible == (unit in units)
        assert result.informative == (n < scale)
        if unit in units:
            assert (result.low, result.high) == (min(units[unit]), max(units[unit]))
        else:
            assert result.low == result.high
        assert abs(result.nearest - unit / scale) <= 0.5 / n + 1e-12


@pytest.mark.parametrize("n", [7, 28, 164])
def test_truncation_by_trying_every_k(n: int) -> None:
    shares: dict[int, int] = {}
    for k in range(n + 1):
        shares.setdefault(k * 1000 // n, k)
    for unit in range(1001):
        assert grim(unit / 1000, n, decimals=3).truncation == shares.get(unit)


def test_grim_of_whole_and_empty_scores() -> None:
    for p in (0.0, 1.0):
        result = grim(p, 216, decimals=3)
        assert result.possible
        assert result.nearest == p
    assert grim(1.0, 1, decimals=0).possible


def test_grim_of_many_items_says_nothing() -> None:
    result = grim(0.783, 12032, decimals=3)
    assert result.possible
    assert not result.informative
    assert result.high - result.low == 11
    assert grim(0.5, 10**9, decimals=3).possible


def test_grim_with_more_digits_than_a_double() -> None:
    assert grim(1 / 3, 3, decimals=15).possible
    assert not grim(0.3333, 3, decimals=15).possible


def test_interval_implies_an_error_and_a_p() -> None:
    check = p_from_interval(1.0, Interval(1.0 - Z, 1.0 + Z))
    assert (check.se, check.t) == pytest.approx((1, 1))
    assert check.p_two_sided == pytest.approx(math.erfc(1 / math.sqrt(2)))
    assert check.p_one_sided == pytest.approx(0.8413447460685429)
    assert check.verdict == "consistent"
    ninety = p_from_interval(1.0, Interval(-0.5, 2.5), conf=0.9)
    assert ninety.se == pytest.approx(1.5 / 1.6448536269514722)


@pytest.mark.parametrize(
    ("p", "verdict"),
    [
        (0.0455, "consistent"),
        (0.05, "consistent"),
        (0.0228, "one-sided"),
        (0.9772, "one-sided"),
        (0.0, "zero"),
        (1e-6, "inconsistent"),
        (0.6, "inconsistent"),
    ],
)
def test_verdicts_on_two_standard_errors(p: float, verdict: str) -> None:
    check = p_from_interval(2.0, Interval(2.0 - Z, 2.0 + Z), p=p)
    assert check.verdict == verdict


def test_far_from_zero_a_p_is_never_zero() -> None:
    check = p_from_interval(100.0, Interval(99.0, 101.0), p=1e-9)
    assert check.p_two_sided == P_FLOOR


def test_no_gap() -> None:
    check = p_from_interval(0.0, Interval(-1.0, 1.0), p=1.0)
    assert (check.t, check.p_two_sided, check.verdict) == (0, 1, "consistent")


@pytest.mark.parametrize(("p", "t"), [(1.0, 0.0), (0.05, Z), (0.04, 2.0537), (2e-300, 37.0471)])
def test_t_from_p(p: float, t: float) -> None:
    assert _t_from_p(p) == pytest.approx(t, abs=1e-4)


def test_t_from_p_inverts_the_tail() -> None:
    for p in (0.9, 0.5, 0.01, 1e-5):
        assert math.erfc(_t_from_p(p) / math.sqrt(2)) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grim(71.4, 1000, decimals=3), r"p must be a proportion in \[0, 1\]; got 71.4"),
        (lambda: grim(np.nan, 10, decimals=1), r"p must be a proportion in \[0, 1\]; got nan"),
        (lambda: grim(0.5, 0, decimals=1), "n must be at least 1; got 0"),
        (lambda: grim(0.5, 10.5, decimals=1), "n must be a whole number >= 0; got 10.5"),  # type: ignore[arg-type]
        (lambda: grim(0.5, 10, decimals=-1), "decimals must be a whole number >= 0; got -1"),
        (lambda: p_from_interval(0, Interval(1.0, 1.0)), "interval must be low < high; got 0"),
        (lambda: p_from_interval(0, Interval(2.0, 1.0)), "interval must be low < high; got -1"),
        (lambda: p_from_interval(0, Interval(np.nan, 1.0)), "interval must be .*; got nan"),
        (lambda: p_from_interval(0, Interval(-1.0, np.inf)), "interval must be .*; got inf"),
        (lambda: p_from_interval(np.nan, Interval(-1.0, 1.0)), "estimate must be finite; got nan"),
        (
            lambda: p_from_interval(0, Interval(-1.0, 1.0), conf=95),
            r"conf must be in \(0, 1\); got 95",
        ),
        (
            lambda: p_from_interval(0, Interval(-1.0, 1.0), p=1.5),
            r"p must be a proportion in \[0, 1\]; got 1.5",
        ),
        (
            lambda: p_from_interval(0, Interval(-1.0, 1.0), p=np.nan),
            r"p must be a proportion in \[0, 1\]; got nan",
        ),
        (lambda: _t_from_p(0), r"p must be in \(0, 1\]; got 0"),
        (lambda: _t_from_p(1.1), r"p must be in \(0, 1\]; got 1.1"),
        (lambda: _t_from_p(np.nan), r"p must be in \(0, 1\]; got nan"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()
