"""Intervals for a paired gap: against likelihoods maximized by brute force, and edge tables."""

import math
from collections.abc import Callable
from typing import get_args

import mpmath as mp
import numpy as np
import pytest
from scipy import optimize

from nstar.errors import ParameterError
from nstar.stats.interval import (
    PairedInterval,
    newcombe_interval,
    paired_interval,
    tango_statistic,
)

METHODS: tuple[PairedInterval, ...] = get_args(PairedInterval)
Z = 1.959963984540054


def score_by_likelihood(n10: int, n01: int, n: int, null: float) -> float:
    """Tango's statistic with the nuisance found by maximizing the likelihood."""

    def minus_log(p01: float) -> float:
        parts = ((n10, p01 + null), (n01, p01), (n - n10 - n01, 1 - 2 * p01 - null))
        return -sum(k * math.log(max(p, 1e-300)) for k, p in parts if k)

    low, high = max(0.0, -null), (1 - null) / 2
    best = optimize.minimize_scalar(
        minus_log, bounds=(low, high), method="bounded", options={"xatol": 1e-13}
    ).x
    var = n * (2 * best + null - null * null)
    return (n10 - n01 - n * null) / math.sqrt(var)


@pytest.mark.parametrize("null", [-0.4, -0.1, -0.01, 0.05, 0.3])
@pytest.mark.parametrize("table", [(6, 16, 161), (12, 3, 40), (86, 78, 1000), (5, 1, 7)])
def test_statistic_by_maximum_likelihood(table: tuple[int, int, int], null: float) -> None:
    expected = score_by_likelihood(*table, null)
    assert tango_statistic(*table, null=null) == pytest.approx(expected, rel=1e-5)


def test_statistic_at_zero_is_mcnemars() -> None:
    assert tango_statistic(296, 250, 10042) == pytest.approx(46 / math.sqrt(546), rel=1e-14)
    assert tango_statistic(0, 0, 10) == 0
    assert tango_statistic(10, 0, 10) == pytest.approx(math.sqrt(10))


def test_statistic_with_nothing_discordant() -> None:
    # the constrained estimate of p01 is 0: T = -null √n / √(|null| (1 - |null|))
    for null in (0.1, 0.5, 0.9):
        expected = math.sqrt(20) * null / math.sqrt(null * (1 - null))
        assert tango_statistic(0, 0, 20, null=-null) == pytest.approx(expected)
        assert tango_statistic(0, 0, 20, null=null) == pytest.approx(-expected)


@pytest.mark.parametrize("n", [1, 2, 9, 10_000, 10**9])
@pytest.mark.parametrize("conf", [0.5, 0.95, 0.999])
def test_nothing_discordant_has_a_closed_form(n: int, conf: float) -> None:
    with mp.workdps(30):
        z2 = float(2 * mp.erfinv(mp.mpf(conf)) ** 2)
    low, high = paired_interval(0, 0, n, conf=conf)
    assert (low, high) == pytest.approx((-z2 / (n + z2), z2 / (n + z2)), rel=1e-9)


@pytest.mark.parametrize("n", [1, 3, 9, 10**9])
def test_everything_discordant_one_way(n: int) -> None:
    # p01 = (1 - null) / 2 is as large as it can be: T² = n (1 - null) / (1 + null)
    low = (n - Z * Z) / (n + Z * Z)
    assert paired_interval(n, 0, n) == pytest.approx((low, 1), abs=1e-12)
    assert paired_interval(0, n, n) == pytest.approx((-1, -low), abs=1e-12)


def limit_by_mpmath(n10: int, n01: int, n: int) -> float:
    """Lower Tango limit: root of T(null) = z with the textbook quadratic at 40 digits."""
    with mp.workdps(40):
        z = mp.sqrt(2) * mp.erfinv(mp.mpf("0.95"))

        def excess(null: mp.mpf) -> mp.mpf:
            a, c = 2 * n, -n01 * null * (1 - null)
            b = -(n10 + n01) + (2 * n - n10 + n01) * null
            q = (-b + mp.sqrt(b * b - 4 * a * c)) / (2 * a)
            return (n10 - n01 - n * null) / mp.sqrt(n * (2 * q + null * (1 - null))) - z

        low, high = mp.mpf(-1) + mp.mpf(10) ** -20, mp.mpf(n10 - n01) / n
        return float(mp.findroot(excess, (low, high), solver="anderson", tol=1e-25))


@pytest.mark.parametrize(
    "table", [(6, 16, 161), (1, 0, 44), (86, 78, 1000), (296, 250, 10042), (3, 5, 8), (1, 1, 2)]
)
def test_limits_by_mpmath(table: tuple[int, int, int]) -> None:
    b, c, n = table
    expected = limit_by_mpmath(b, c, n), -limit_by_mpmath(c, b, n)
    assert paired_interval(b, c, n) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    "table", [(500_000_000, 400_000_000, 10**9), (3, 1, 10**9), (10**8, 0, 10**9)]
)
def test_a_billion_items(table: tuple[int, int, int]) -> None:
    for method in METHODS:
        low, high = (float(v) for v in paired_interval(*table, method=method))
        gap = (table[0] - table[1]) / table[2]
        assert low <= gap <= high
        assert high - low < 1e-3
    assert tango_statistic(*table, null=float(paired_interval(*table).low)) == pytest.approx(
        Z, rel=1e-4
    )


def test_wald_and_its_repairs_by_hand() -> None:
    b, c, n = 12, 5, 80

    def wald(b: float, c: float, n: float) -> tuple[float, float]:
        gap = (b - c) / n
        half = Z * math.sqrt(b + c - (b - c) ** 2 / n) / n
        return gap - half, gap + half

    assert paired_interval(b, c, n, method="wald") == pytest.approx(wald(b, c, n))
    assert paired_interval(b, c, n, method="agresti-min") == pytest.approx(
        wald(b + 0.5, c + 0.5, n + 2)
    )
    assert paired_interval(b, c, n, method="bonett-price") == pytest.approx(
        wald(b + 1, c + 1, n + 2)
    )


def test_wald_degenerates_and_the_others_do_not() -> None:
    assert paired_interval(0, 0, 50, method="wald") == (0, 0)
    assert paired_interval(50, 0, 50, method="wald") == (1, 1)
    for method in METHODS[2:]:
        low, high = paired_interval(0, 0, 50, method=method)
        assert low < 0 < high


def test_intervals_stay_within_what_is_possible() -> None:
    for method in METHODS:
        for table in ((1, 0, 1), (0, 1, 1), (3, 0, 3), (2, 1, 3)):
            low, high = paired_interval(*table, method=method, conf=0.999999)
            assert -1 <= low <= high <= 1


def test_extreme_confidence() -> None:
    narrow = paired_interval(3, 2, 10, conf=1e-12)
    assert narrow == pytest.approx((0.1, 0.1), abs=1e-9)
    low, high = paired_interval(3, 2, 10, conf=1 - 1e-14)
    assert -1 < low < -0.8
    assert 0.8 < high < 1


def test_conf_broadcasts() -> None:
    low, high = map(np.asarray, paired_interval(6, 16, 161, conf=[0.8, 0.95, 0.99]))
    assert np.all(np.diff(low) < 0)
    assert np.all(np.diff(high) > 0)


def test_newcombe_by_hand() -> None:
    # Newcombe 1998, method 10, table II: 36, 12, 2, 0 → (0.0569, 0.3404)
    assert newcombe_interval(36, 12, 2, 0) == pytest.approx((0.0569, 0.3404), abs=5e-5)
    # and with both discordant cells empty: 54, 0, 0, 0 → (-0.0664, 0.0664)
    assert newcombe_interval(54, 0, 0, 0) == pytest.approx((-0.0664, 0.0664), abs=5e-5)


def test_newcombe_with_a_constant_model() -> None:
    # a model right on every item: phi = 0, and the interval is that of two Wilson intervals
    low, high = (float(v) for v in newcombe_interval(40, 10, 0, 0))
    n, p = 50, 0.8
    z2 = Z * Z
    mid, half = (p + z2 / (2 * n)), Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    l2, u2 = (mid - half) / (1 + z2 / n), (mid + half) / (1 + z2 / n)
    l1 = 1 / (1 + z2 / n)  # Wilson's lower limit of 50/50
    assert low == pytest.approx(0.2 - math.hypot(1 - l1, u2 - p), abs=1e-9)
    assert high == pytest.approx(0.2 + (p - l2), abs=1e-9)


def test_newcombe_of_billions() -> None:
    low, high = newcombe_interval(10**9, 10**9, 10**9, 10**9)
    assert (low, high) == pytest.approx((-2.19130635e-05, 2.19130635e-05), rel=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_interval(1, 2, 2), r"n10 \+ n01 must be at most n; got 3"),
        (lambda: paired_interval(0, 0, 0), "n must be at least 1 item; got 0"),
        (lambda: paired_interval(0, 0, np.inf), "n must be at least 1 item; got inf"),
        (lambda: paired_interval(-1, 0, 9), "n10 must be a whole number >= 0; got -1"),
        (lambda: paired_interval(0, 1.5, 9), "n01 must be a whole number >= 0; got 1.5"),
        (lambda: paired_interval(1, 1, 9, conf=1), r"conf must be in \(0, 1\); got 1"),
        (lambda: paired_interval(1, 1, 9, conf=95), r"conf must be in \(0, 1\); got 95"),
        (
            lambda: paired_interval(1, 1, 9, method="x"),  # type: ignore[arg-type]
            "method must be one of tango, wald, agresti-min, or bonett-price; got 'x'",
        ),
        (lambda: tango_statistic(1, 1, 9, null=1), r"null must be in \(-1, 1\); got 1"),
        (lambda: tango_statistic(1, 1, 9, null=np.nan), r"null must be in \(-1, 1\); got nan"),
        (lambda: tango_statistic(5, 5, 9), r"n10 \+ n01 must be at most n; got 10"),
        (lambda: newcombe_interval(0, 0, 0, 0), "must be at least 1; got 0"),
        (lambda: newcombe_interval(1, 1, -1, 1), "n01 must be a whole number >= 0; got -1"),
        (lambda: newcombe_interval(1, 1, 1, 1, conf=0), r"conf must be in \(0, 1\); got 0"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()
