"""McNemar's tests: exact integers, deep tails, huge counts, nothing discordant."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, get_args

import mpmath as mp
import numpy as np
import pytest

from nstar._base.types import Array
from nstar.errors import ParameterError
from nstar.stats.mcnemar import (
    P_FLOOR,
    McNemarMethod,
    mcnemar_default_pvalue,
    mcnemar_log_pvalue,
    mcnemar_pvalue,
)

METHODS: tuple[McNemarMethod, ...] = get_args(McNemarMethod)


def by_counting(n10: int, n01: int, method: str) -> Fraction:
    """Exact and mid-p by adding up binomial coefficients."""
    n, k = n10 + n01, min(n10, n01)
    tail = sum(math.comb(n, j) for j in range(k + 1))
    here = math.comb(n, k)
    if n10 == n01:
        p = Fraction(2**n - (here if method == "midp" and n else 0) * Fraction(1, 2)) / 2**n
        return p if method == "midp" else Fraction(1)
    return Fraction(2 * tail - (here if method == "midp" else 0), 2**n)


def log_tail(k: int, n: int) -> tuple[Any, Any]:
    """ln P(X <= k) and ln P(X = k), X ~ Bin(n, 1/2), term by term at 40 digits."""
    with mp.workdps(40):
        top = mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1) - n * mp.log(2)
        total = term = mp.mpf(1)
        for j in range(k):
            term *= mp.mpf(k - j) / (n - k + 1 + j)
            total += term
            if term < mp.mpf(10) ** -30:
                break
        return top + mp.log(total), top


@pytest.mark.parametrize("method", ["exact", "midp"])
def test_every_small_split_by_counting(method: McNemarMethod) -> None:
    for n in range(31):
        for n10 in range(n + 1):
            expected = float(by_counting(n10, n - n10, method))
            assert mcnemar_pvalue(n10, n - n10, method=method) == pytest.approx(
                expected, rel=1e-12
            )
            assert mcnemar_log_pvalue(n10, n - n10, method=method) == pytest.approx(
                math.log(expected), rel=1e-11, abs=1e-14
            )


@pytest.mark.parametrize("method", ["exact", "midp"])
@pytest.mark.parametrize("split", [(200, 10), (900, 100), (1100, 900), (1023, 0), (1500, 501)])
def test_deep_tails_by_counting(split: tuple[int, int], method: McNemarMethod) -> None:
    p = by_counting(*split, method)
    with mp.workdps(30):
        expected = float(mp.log(p.numerator) - mp.log(p.denominator))
    assert mcnemar_log_pvalue(*split, method=method) == pytest.approx(expected, rel=1e-12)
    if expected > math.log(P_FLOOR):
        assert mcnemar_pvalue(*split, method=method) == pytest.approx(float(p), rel=1e-10)
    else:
        assert mcnemar_pvalue(*split, method=method) == P_FLOOR


@pytest.mark.parametrize(
    "split",
    [
        (60_000_000, 40_000_000),
        (50_500_000, 49_500_000),
        (50_200_000, 49_800_000),
        (99_999_990, 10),
        (600_000_000, 400_000_000),
    ],
)
def test_a_hundred_million_discordant_items_deep_in_the_tail(split: tuple[int, int]) -> None:
    tail, here = log_tail(min(split), sum(split))
    with mp.workdps(40):
        exact = float(tail + mp.log(2))
        midp = float(tail + mp.log(2 - mp.exp(here - tail)))
    assert mcnemar_log_pvalue(*split, method="exact") == pytest.approx(exact, rel=1e-12)
    assert mcnemar_log_pvalue(*split, method="midp") == pytest.approx(midp, rel=1e-12)
    assert mcnemar_pvalue(*split) == P_FLOOR


@pytest.mark.parametrize("split", [(50_010_000, 49_990_000), (500_031_000, 499_969_000)])
@pytest.mark.parametrize("method", METHODS)
def test_huge_counts_near_the_level_meet_normal_theory(
    split: tuple[int, int], method: McNemarMethod
) -> None:
    z = (split[0] - split[1]) / math.sqrt(sum(split))
    assert mcnemar_pvalue(*split, method=method) == pytest.approx(
        math.erfc(z / math.sqrt(2)), rel=1e-3
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_billion_even_items(method: McNemarMethod) -> None:
    p = mcnemar_pvalue(10**9, 10**9, method=method)
    assert 0.9999 < p <= 1
    assert -1e-4 < mcnemar_log_pvalue(10**9, 10**9, method=method) <= 0


@pytest.mark.parametrize("n", [1, 5, 6, 1000])
def test_one_model_never_wins_alone(n: int) -> None:
    assert mcnemar_pvalue(n, 0, method="exact") == pytest.approx(min(1, 2.0 ** (1 - n)))
    assert mcnemar_pvalue(0, n) == pytest.approx(2.0**-n)
    assert mcnemar_log_pvalue(n, 0) == pytest.approx(-n * math.log(2))


@pytest.mark.parametrize("method", METHODS)
def test_nothing_discordant_is_no_evidence(method: McNemarMethod) -> None:
    assert mcnemar_pvalue(0, 0, method=method) == 1
    assert mcnemar_log_pvalue(0, 0, method=method) == 0


def test_normal_tests_by_erfc() -> None:
    z = 46 / math.sqrt(546)
    assert mcnemar_pvalue(296, 250, method="asymptotic") == pytest.approx(
        math.erfc(z / math.sqrt(2))
    )
    z = 45 / math.sqrt(546)
    assert mcnemar_pvalue(296, 250, method="corrected") == pytest.approx(
        math.erfc(z / math.sqrt(2))
    )
    # the correction never turns the sign: one apart is no evidence
    assert mcnemar_pvalue(6, 5, method="corrected") == 1


@pytest.mark.parametrize("method", ["asymptotic", "corrected"])
def test_normal_logarithms_by_mpmath(method: McNemarMethod) -> None:
    for n10, n01 in ((700, 200), (60_000, 1), (10**8, 0)):
        gap = n10 - n01 - (method == "corrected")
        with mp.workdps(30):
            z = mp.mpf(gap) / mp.sqrt(n10 + n01)
            # erfc by its asymptotic series: mp.erfc underflows nowhere, but is slow out here
            log_p = mp.log(mp.erfc(z / mp.sqrt(2))) if z < 100 else None
            if log_p is None:
                x = z * z / 2
                series = 1 - 1 / (2 * x) + 3 / (4 * x * x) - 15 / (8 * x**3)
                log_p = -x - mp.log(mp.sqrt(mp.pi * x)) + mp.log(series)
        assert mcnemar_log_pvalue(n10, n01, method=method) == pytest.approx(
            float(log_p), rel=1e-12
        )


def test_default_turns_exact_above_four_fifths() -> None:
    exact, midp = (mcnemar_pvalue(9, 1, method=m) for m in ("exact", "midp"))
    assert mcnemar_default_pvalue(9, 1, 12) == exact  # 10/12 > 0.8
    assert mcnemar_default_pvalue(9, 1, 13) == midp
    assert mcnemar_default_pvalue(8, 0, 10) == mcnemar_pvalue(8, 0)  # 0.8 itself is not above
    mixed = mcnemar_default_pvalue(9, 1, [12, 13, 10])
    assert mixed.tolist() == [exact, midp, exact]
    assert mcnemar_default_pvalue(0, 0, 1) == 1
    assert mcnemar_default_pvalue(0, 0, 0) == 1


def test_more_discordant_items_than_items() -> None:
    with pytest.raises(ParameterError, match=r"n10 \+ n01 must be at most n; got 3"):
        mcnemar_default_pvalue(1, 2, 2)


@pytest.mark.parametrize("bad", [-1, 0.5, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("function", [mcnemar_pvalue, mcnemar_log_pvalue])
def test_what_is_not_a_count(bad: float, function: Callable[..., Array]) -> None:
    with pytest.raises(ParameterError, match=f"n10 must be a whole number >= 0; got {bad:.10g}"):
        function(bad, 2)
    with pytest.raises(ParameterError, match=f"n01 must be a whole number >= 0; got {bad:.10g}"):
        function(2, bad)


@pytest.mark.parametrize("function", [mcnemar_pvalue, mcnemar_log_pvalue])
def test_unknown_method(function: Callable[..., Array]) -> None:
    with pytest.raises(
        ParameterError,
        match="method must be one of midp, exact, asymptotic, or corrected; got 'yates'",
    ):
        function(1, 2, method="yates")
