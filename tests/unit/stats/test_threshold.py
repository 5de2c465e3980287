"""One model against a threshold: the exact test and its e-process, by enumeration."""

import math

import numpy as np
import pytest
from scipy import integrate
from scipy import stats as scipy_stats

from nstar import stats
from nstar.errors import ParameterError


@pytest.mark.parametrize("p0", [0.05, 0.5, 0.85, 0.99])
@pytest.mark.parametrize("n", [1, 20, 400])
def test_pvalue_is_the_binomial_tail(n: int, p0: float) -> None:
    x = np.arange(n + 1)
    expected = [scipy_stats.binomtest(k, n, p0, alternative="greater").pvalue for k in x.tolist()]
    assert stats.threshold_pvalue(x, n, p0=p0) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("p0", [0.1, 0.7, 0.95])
def test_power_by_enumeration(p0: float) -> None:
    for n in (5, 60, 333):
        x = np.arange(n + 1)
        rejects = scipy_stats.binom.sf(x - 1, n, p0) <= 0.05
        for p1 in (p0, p0 + 0.6 * (1 - p0)):
            power = scipy_stats.binom.pmf(x, n, p1)[rejects].sum()
            assert stats.threshold_power(p1, n, p0=p0) == pytest.approx(power, abs=1e-12)
        assert stats.threshold_power(p0, n, p0=p0) <= 0.05


@pytest.mark.parametrize(("p0", "p1"), [(0.5, 0.6), (0.85, 0.9), (0.98, 0.99), (0.02, 0.05)])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_items_keep_the_power(p0: float, p1: float, power: float) -> None:
    n = stats.threshold_items(p1, p0=p0, power=power)
    powers = stats.threshold_power(p1, np.arange(1, 4 * n), p0=p0)
    assert powers[n - 1 :].min() >= power
    assert n == 1 or powers[n - 2] < power


def test_least_items() -> None:
    assert stats.least_items_above([0.95, 0.5, 0.9]).tolist() == [59, 5, 29]
    n = int(stats.least_items_above(0.99))
    assert (
        stats.threshold_pvalue(n, n, p0=0.99)
        <= 0.05
        < stats.threshold_pvalue(n - 1, n - 1, p0=0.99)
    )


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (10.5, 1.5), (40.0, 12.0)])
def test_log_e_by_quadrature(a: float, b: float) -> None:
    p0 = 0.8
    prior = scipy_stats.beta(a, b)
    for x, n in ((7, 9), (40, 50), (50, 50), (20, 40)):

        def bet(p: float, x: int = x, n: int = n) -> float:
            odds = x * math.log(p / p0) + (n - x) * math.log((1 - p) / (1 - p0))
            return math.exp(odds) * prior.pdf(p)

        mixed = integrate.quad(bet, p0, 1, epsabs=0, epsrel=1e-10, limit=400)[0] / prior.sf(p0)
        found = stats.threshold_log_e(x, n, p0=p0, a=a, b=b)
        assert found == pytest.approx(math.log(mixed), abs=1e-6)


@pytest.mark.parametrize("p", [0.6, 0.8])
def test_the_level_holds_at_every_look(p: float) -> None:
    """Exact probability to ever reach 1/alpha within 400 items, at and below the threshold."""
    p0, items = 0.8, 400
    a, b = stats.threshold_prior(0.85, items)
    alive, rejected = np.ones(1), 0.0
    for n in range(1, items + 1):
        mass = np.zeros(n + 1)
        mass[1:] += alive * p
        mass[:-1] += alive * (1 - p)
        crossed = stats.threshold_log_e(np.arange(n + 1), n, p0=p0, a=a, b=b) >= math.log(20)
        rejected += mass[crossed].sum()
        mass[crossed] = 0
        alive = mass
    assert rejected <= 0.05
    if p == p0:
        assert rejected > 0.02


def test_far_tails_are_finite() -> None:
    log_e = stats.threshold_log_e([10, 100, 5000], [1000, 100_000, 100_000], p0=[0.99, 0.9, 0.5])
    assert np.isfinite(log_e).all()
    assert (log_e < 0).all()


def test_domains() -> None:
    for call in (
        lambda: stats.threshold_pvalue(3, 2, p0=0.5),
        lambda: stats.threshold_pvalue(3, 5, p0=1.0),
        lambda: stats.threshold_items(0.6, p0=0.7),
        lambda: stats.threshold_log_e(3, 5, p0=0.5, a=0),
        lambda: stats.least_items_above(0.0),
    ):
        with pytest.raises(ParameterError):
            call()
