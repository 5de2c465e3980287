"""The resolution ratio: identities written out, simulation of its interval, edges."""

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from nstar._base.types import Interval
from nstar.errors import InfeasibleError, ParameterError
from nstar.stats.mcnemar import mcnemar_pvalue
from nstar.stats.paired import rho_bounds
from nstar.stats.power import paired_n_star_from_rates
from nstar.stats.resolution import (
    exaggeration,
    log_q_sd,
    n_star_interval,
    n_star_over_rho,
    observed_power,
    q_at,
    q_hat,
    q_interval,
)

K, Z = 2.801585218112968, 1.959963984540054


def test_one_is_k_standard_errors() -> None:
    assert q_hat(K) == pytest.approx(1)
    assert q_hat(0) == 0
    assert q_hat([np.inf, -np.inf]).tolist() == [np.inf, np.inf]
    # q >= 1 is p <= 0.0051, not 0.05
    assert math.erfc(K / math.sqrt(2)) == pytest.approx(0.00508, abs=1e-5)


def test_declared_gap() -> None:
    assert q_at(0.02, sigma=0.405, n=1000) == pytest.approx(1000 * (0.02 / (K * 0.405)) ** 2)
    assert q_at(0.0, sigma=0.405, n=1000) == 0
    assert q_at(-0.02, sigma=0.405, n=1000) == q_at(0.02, sigma=0.405, n=1000)


def test_observed_power_is_the_pvalue_in_other_units() -> None:
    assert observed_power(1.0) == pytest.approx(0.8)
    assert observed_power(0.0) == pytest.approx(0.025)
    assert observed_power(np.inf) == 1
    # significant at 5% exactly is observed power one half
    assert observed_power(q_hat(Z)) == pytest.approx(0.5)


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize(
    ("shift", "critical"), [(2.8, 1.96), (1.96, 1.96), (0.1, 1.96), (1.2, 2.58), (8, 1.96), (1, 0)]
)
def test_exaggeration_is_that_of_the_truncated_normal(
    shift: float, critical: float, sides: Any
) -> None:
    with mp.workdps(30):

        def density(x: Any) -> Any:
            return mp.npdf(x, shift, 1)

        total = mp.quad(lambda x: x * density(x), [critical, shift + 5, shift + 40])
        power = mp.quad(density, [critical, shift + 5, shift + 40])
        if sides == 2:
            total += mp.quad(lambda x: -x * density(x), [-shift - 40, -critical - 2, -critical])
            power += mp.quad(density, [-shift - 40, -critical - 2, -critical])
        expected = float(total / power / shift)
    assert exaggeration(shift, critical=critical, sides=sides) == pytest.approx(
        expected, rel=1e-12
    )


def test_exaggeration_agrees_with_simulation() -> None:
    estimates = np.random.default_rng(3).normal(1.5, 1, 400_000)
    significant = np.abs(estimates[np.abs(estimates) > Z])
    assert exaggeration(1.5, critical=Z) == pytest.approx(significant.mean() / 1.5, rel=0.003)


def test_exaggeration_at_the_limits() -> None:
    assert exaggeration(50.0, critical=Z) == 1
    assert exaggeration(1.0, critical=60.0) == pytest.approx(60, rel=1e-3)  # no tail underflows
    many = exaggeration(np.linspace(0.01, 6, 200), critical=Z)
    assert (np.diff(many) < 0).all()
    assert (many >= 1).all()


def test_interval_of_q_by_hand() -> None:
    assert q_interval(5.0) == pytest.approx((((5 - Z) / K) ** 2, ((5 + Z) / K) ** 2))
    assert q_interval(-5.0) == pytest.approx(q_interval(5.0))
    low, high = q_interval(1.0)
    assert low == 0
    assert high == pytest.approx(((1 + Z) / K) ** 2)
    assert q_interval(np.inf) == (np.inf, np.inf)


def test_interval_of_items_needed() -> None:
    low, high = n_star_interval(K, n=1000)
    assert (low, high) == pytest.approx((1000 * (K / (K + Z)) ** 2, 1000 * (K / (K - Z)) ** 2))
    # not significant: no upper limit
    assert n_star_interval(1.9, n=1000).high == np.inf
    assert n_star_interval(0.0, n=1000).high == np.inf
    assert np.isfinite(n_star_interval(2.0, n=1000).high)


def test_interval_covers_in_simulation() -> None:
    t = 2.0 + np.random.default_rng(4).standard_normal(20_000)
    low, high = map(np.asarray, q_interval(t))
    truth = float(q_hat(2.0))
    assert np.mean((low <= truth) & (truth <= high)) == pytest.approx(0.95, abs=0.03)


def test_sd_of_log_q_by_simulation() -> None:
    p10, p01, n = 0.25, 0.1, 4000
    rng = np.random.default_rng(7)
    b, c, _ = rng.multinomial(n, [p10, p01, 1 - p10 - p01], size=20_000).T
    gap = (b - c) / n
    var = (b + c) / n - gap**2
    logs = np.log(gap**2 / var)
    assert log_q_sd(p10, p01, n) == pytest.approx(logs.std(), rel=0.02)


def test_sd_of_log_q_with_one_empty_cell_has_a_closed_form() -> None:
    # q is then proportional to p / (1 - p): sd 1 / √(n p (1 - p))
    for p in (0.01, 0.3, 0.9):
        expected = 1 / math.sqrt(100 * p * (1 - p))
        assert log_q_sd(p, 0.0, 100) == pytest.approx(expected)
        assert log_q_sd(0.0, p, 100) == pytest.approx(expected)


@pytest.mark.parametrize("rates", [(0, 0), (0.2, 0.2), (0.5, 0.5), (1, 0), (0, 1)])
def test_sd_of_log_q_without_a_gap_or_a_variance(rates: tuple[float, float]) -> None:
    assert log_q_sd(*rates, 100) == np.inf


def test_items_needed_over_rho_are_clipped_to_what_is_feasible() -> None:
    floor, ceiling = (float(v) for v in rho_bounds(0.9, 0.8))
    least, most = n_star_over_rho(0.9, 0.8, Interval(-1.0, 1.0))
    assert least == pytest.approx(float(paired_n_star_from_rates(0.9, 0.8, ceiling)))
    assert most == pytest.approx(float(paired_n_star_from_rates(0.9, 0.8, floor)))
    point = n_star_over_rho(0.9, 0.8, Interval(0.3, 0.3))
    assert point.low == point.high
    assert n_star_over_rho(0.9, 0.8, Interval(0.3, 0.5), method="wald").low < point.low


def test_a_constant_model_has_no_rho_to_vary() -> None:
    with pytest.raises(InfeasibleError, match="rho = nan is impossible"):
        n_star_over_rho(0.9, 0.8, Interval(np.nan, np.nan))
    with pytest.raises(ParameterError, match="or rho is undefined"):
        n_star_over_rho(1.0, 0.8, Interval(0.1, 0.2))


def test_the_headline_and_the_test_disagree_as_documented() -> None:
    # T = 1.97, p below 0.05, and yet only half of the items a replication needs
    assert mcnemar_pvalue(296, 250) < 0.05
    assert q_hat(1.969) == pytest.approx(0.494, abs=5e-4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: q_at(0.1, sigma=0, n=10), "sigma must be a finite number > 0; got 0"),
        (lambda: q_at(0.1, sigma=1, n=0), "n must be a finite number > 0; got 0"),
        (lambda: q_at(np.nan, sigma=1, n=10), "delta must be finite; got nan"),
        (lambda: q_at(0.1, sigma=1, n=10, power=2), r"power must be in \(0, 1\); got 2"),
        (lambda: q_hat(np.nan), "t must be a number; got nan"),
        (lambda: q_hat(1, alpha=0), r"alpha must be in \(0, 1\); got 0"),
        (lambda: q_interval(np.nan), "t must be a number; got nan"),
        (lambda: q_interval(1, conf=95), r"conf must be in \(0, 1\); got 95"),
        (lambda: n_star_interval(1, n=np.nan), "n must be a finite number > 0; got nan"),
        (lambda: n_star_interval(1, n=-5), "n must be a finite number > 0; got -5"),
        (lambda: n_star_interval(0, n=0), "n must be a finite number > 0; got 0"),
        (lambda: observed_power(-1), "q must be >= 0; got -1"),
        (lambda: observed_power(np.nan), "q must be >= 0; got nan"),
        (lambda: exaggeration(0, critical=Z), "shift must be a finite number > 0; got 0"),
        (lambda: exaggeration(1, critical=-1), "critical must be a finite number >= 0; got -1"),
        (lambda: log_q_sd(0.6, 0.6, 10), "p10, p01 must be proportions"),
        (lambda: log_q_sd(-0.1, 0.6, 10), "p10, p01 must be proportions"),
        (lambda: log_q_sd(0.1, 0.2, 0), "n must be a finite number > 0; got 0"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()
