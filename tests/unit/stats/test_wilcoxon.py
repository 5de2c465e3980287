"""Signed-rank test: against enumeration, scipy, and an independent orthant probability."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from nstar._base.types import Array
from nstar.errors import ParameterError
from nstar.stats import wilcoxon
from nstar.stats.wilcoxon import wilcoxon_n_star, wilcoxon_power, wilcoxon_pvalue

SD8 = 0.0758946638440411
# n, delta, simulated power (asymptotic test, no continuity correction), Lehmann upper tail
POWER = [
    (50, 0.01, 0.14384, 0.14112537413736265),
    (100, 0.02, 0.719835, 0.7190680171979161),
    (200, 0.01, 0.44079, 0.43854367679692663),
    (500, 0.01, 0.82145, 0.819473860430878),
    (1000, 0.01, 0.9814166666666667, 0.9828426078345659),
]


def enumerated(d: Array, zeros: str) -> float:
    """Share of sign patterns with |sum of signed ranks| at least the observed."""
    d = d[d != 0] if zeros == "drop" else d
    signs = np.sign(d)
    ranks = stats.rankdata(np.abs(d))[signs != 0]
    observed = abs((ranks * signs[signs != 0]).sum())
    patterns = np.array(list(product((-1, 1), repeat=ranks.size)))
    return float((np.abs(patterns @ ranks) >= observed - 1e-9).mean())


def test_published_case_with_ties() -> None:
    d = [3, -1, 4, 2, -2, 5, 1, 6, -3, 2, 7, 4]
    assert wilcoxon_pvalue(d) == pytest.approx(0.033203125, abs=1e-12)


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
@pytest.mark.parametrize("seed", range(6))
def test_exact_by_enumeration(zeros, seed: int) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    d = rng.integers(-3, 5, 11).astype(float)
    assert wilcoxon_pvalue(d, zeros=zeros) == pytest.approx(enumerated(d, zeros), abs=1e-14)


@pytest.mark.parametrize("n", [1, 5, 40, 200])
def test_exact_without_ties_is_that_of_scipy(n: int) -> None:
    d = np.random.default_rng(n).normal(0.2, 1, n)
    expected = stats.wilcoxon(d, method="exact").pvalue
    assert wilcoxon_pvalue(d) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("zeros", "other"), [("drop", "wilcox"), ("pratt", "pratt")])
def test_asymptotic_is_that_of_scipy(zeros, other) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(3)
    for d in (rng.integers(-3, 5, 60), rng.normal(0.1, 1, 300), rng.integers(-40, 45, 2000)):
        expected = stats.wilcoxon(d, zero_method=other, method="approx", correction=False).pvalue
        p = wilcoxon_pvalue(d, zeros=zeros, method="asymptotic")
        assert p == pytest.approx(expected, rel=1e-10)


def test_auto_switches_to_the_normal() -> None:
    d = np.random.default_rng(4).normal(0.1, 1, 201)
    assert wilcoxon_pvalue(d) == wilcoxon_pvalue(d, method="asymptotic")
    assert wilcoxon_pvalue(d[:200]) == wilcoxon_pvalue(d[:200], method="exact")
    assert wilcoxon_pvalue(d[:200]) != wilcoxon_pvalue(d[:200], method="asymptotic")


def test_no_difference() -> None:
    assert wilcoxon_pvalue([0.0, 0.0]) == 1.0
    assert wilcoxon_pvalue([]) == 1.0
    assert wilcoxon_pvalue([1.0, -1.0]) == 1.0
    assert wilcoxon_pvalue([1.0, -1.0], method="asymptotic") == 1.0


def test_never_zero() -> None:
    assert wilcoxon_pvalue(np.arange(1, 301), method="exact") == pytest.approx(2.0**-299)
    assert wilcoxon_pvalue(np.arange(1, 10**5)) == np.finfo(np.float64).tiny


def test_it_tests_symmetry_not_the_mean() -> None:
    d = np.concatenate([np.full(80, 0.1), np.full(20, -0.4)]) + np.linspace(0, 1e-6, 100)
    assert abs(d.mean()) < 1e-6
    assert wilcoxon_pvalue(d) < 0.05


@pytest.mark.parametrize(("n", "delta", "simulated", "lehmann"), POWER)
def test_power_of_published_cases(n: int, delta: float, simulated: float, lehmann: float) -> None:
    two = float(wilcoxon_power(delta, sigma=SD8, n=n))
    upper = float(wilcoxon_power(delta, sigma=SD8, n=n, alpha=0.025, sides=1))
    assert upper == pytest.approx(lehmann, abs=1e-9)
    assert two == pytest.approx(simulated, abs=0.0025)


def test_orthant_probability_against_quadrature() -> None:
    effect = np.array([0.0, 0.1, 0.7, 2.0])
    n = np.array([3.0])
    x, w = np.polynomial.hermite_e.hermegauss(80)
    phi = stats.norm.cdf
    for e in effect:
        # given X1 the sums with X2 and X3 are independent
        p2 = float((w * phi(x + 2 * e)).sum() / w.sum())
        p3 = float((w * phi(x + 2 * e) ** 2).sum() / w.sum())
        p1 = float(phi(e))
        variance = 6 * (p3 - p2**2) + 3 * (2 * (p1 - p2) ** 2 + 3 * p2 * (1 - p2))
        variance += 3 * p1 * (1 - p1)
        mean, got = wilcoxon._law_of_w(np.array([e]), n)
        assert mean[0] == pytest.approx(3 * p2 + 3 * p1, abs=1e-8)
        assert got[0] == pytest.approx(variance, abs=1e-7)


def test_null_law_is_the_classical_one() -> None:
    n = np.array([2.0, 5.0, 40.0, 1e6])
    mean, variance = wilcoxon._law_of_w(np.zeros(4), n)
    assert mean == pytest.approx(n * (n + 1) / 4)
    assert variance == pytest.approx(n * (n + 1) * (2 * n + 1) / 24, rel=1e-9)
    assert wilcoxon_power(0.0, sigma=1.0, n=n) == pytest.approx(np.full(4, 0.05), abs=1e-8)


def test_power_at_the_limits() -> None:
    # four signed ranks never reach 1.96 sds; six do
    power = wilcoxon_power(50.0, sigma=1.0, n=[4, 6])
    assert power.tolist() == [0.0, 1.0]
    delta = np.linspace(0, 3, 50)
    assert np.all(np.diff(wilcoxon_power(delta, sigma=1.0, n=30)) >= 0)


def test_n_star_reaches_the_power_it_promises() -> None:
    n = np.ceil(wilcoxon_n_star([0.01, 0.02, 0.0], sigma=SD8))
    assert n[2] == np.inf
    power = wilcoxon_power([0.01, 0.02], sigma=SD8, n=n[:2])
    assert power == pytest.approx(np.full(2, 0.8), abs=0.01)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilcoxon_pvalue([[1.0]]), "number of axes of d must be 1; got 2"),
        (lambda: wilcoxon_pvalue([1.0, np.nan]), "d must be finite; got nan"),
        (lambda: wilcoxon_pvalue([1.0], zeros="x"), "zeros must be drop or pratt"),  # type: ignore[arg-type]
        (lambda: wilcoxon_pvalue([1.0], method="x"), "method must be one of auto"),  # type: ignore[arg-type]
        (
            lambda: wilcoxon_pvalue(np.ones(1001), method="exact"),
            "at most 1000 nonzero differences for the exact test; got 1001",
        ),
        (lambda: wilcoxon_power(0.1, sigma=0.0, n=5), "sigma must be"),
        (lambda: wilcoxon_power(0.1, sigma=1.0, n=1), "n must be at least 2 items; got 1"),
        (lambda: wilcoxon_n_star(0.1, sigma=-1.0), "sigma must be"),
    ],
)
def test_refusals(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=message):
        call()
