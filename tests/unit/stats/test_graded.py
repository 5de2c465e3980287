"""t test from summaries: against scipy, mpmath quadrature, R values and brute force."""

import mpmath as mp
import numpy as np
import pytest
from scipy import special, stats

from nstar._base.types import Sides
from nstar.errors import ParameterError
from nstar.stats.graded import t_interval, t_log_pvalue, t_mde, t_n_star, t_power, t_pvalue

SD8 = 0.0758946638440411
"""sd of the difference of two scores of sd 0.12 with correlation 0.8."""

# n, delta, sigma, power: R power.t.test(type = "paired", strict = TRUE)
R_POWER = [
    (50, 0.01, 0.12, 0.0890365490035556),
    (100, 0.02, SD8, 0.742035791894758),
    (200, 0.01, SD8, 0.458030390239764),
    (500, 0.01, SD8, 0.83661514744272),
    (1000, 0.01, 0.12, 0.749443698255107),
    # quadrature over the chi distribution with mpmath
    (10, 0.5, 0.6, 0.6512265860247461),
    (20, 0.3, 0.5, 0.7210050995594134),
    (30, 0.2, 0.4, 0.7539647157437904),
    (60, 0.1, 0.3, 0.7189793967111768),
]
# delta, sigma, real-valued n of R power.t.test
R_N = [
    (0.01, 0.12, 1132.1581442288),
    (0.01, SD8, 454.018807808528),
    (0.01, 0.0379473319220206, 114.95911801353),
    (0.02, 0.12, 284.485682609343),
    (0.02, SD8, 114.95911801353),
]


def power_by_mpmath(shift: float, df: int, critical: float) -> float:
    """Both tails, integrated over the chi distribution at 18 digits."""
    with mp.workdps(18):
        nu, s, c = mp.mpf(df), mp.mpf(shift), mp.mpf(critical)
        front = 2 * (nu / 2) ** (nu / 2) / mp.gamma(nu / 2)
        sd = 1 / mp.sqrt(2 * nu)
        marks = [1 + k * sd for k in range(-12, 31, 2)]
        marks += [(s + k) / c for k in range(-10, 11, 2)]
        points = sorted({max(mp.mpf(0), p) for p in marks if p <= 1 + 30 * sd} | {mp.mpf(0)})
        value = mp.quad(
            lambda w: (
                front
                * w ** (nu - 1)
                * mp.exp(-nu * w * w / 2)
                * (mp.ncdf(s - c * w) + mp.ncdf(-s - c * w))
            ),
            points,
        )
    return float(value)


@pytest.mark.parametrize("sides", [1, 2])
def test_pvalue_is_that_of_scipy(sides: Sides) -> None:
    rng = np.random.default_rng(1)
    for n in (2, 3, 7, 100):
        d = rng.normal(0.3, 1, n)
        result = stats.ttest_1samp(d, 0, alternative="greater" if sides == 1 else "two-sided")
        p = t_pvalue(d.mean(), d.std(ddof=1), n, sides=sides)
        assert float(p) == pytest.approx(result.pvalue, rel=1e-10)


def test_interval_is_that_of_scipy() -> None:
    d = np.random.default_rng(2).normal(0.3, 1, 25)
    expected = stats.ttest_1samp(d, 0).confidence_interval(0.9)
    low, high = t_interval(d.mean(), d.std(ddof=1), d.size, conf=0.9)
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), rel=1e-10)


def test_interval_excludes_zero_where_pvalue_is_below_level() -> None:
    mean = np.linspace(-0.1, 0.1, 401)
    low, high = t_interval(mean, 0.2, 60, conf=0.95)
    assert np.array_equal((low > 0) | (high < 0), t_pvalue(mean, 0.2, 60) < 0.05)


def test_no_spread() -> None:
    tiny = np.finfo(np.float64).tiny
    assert t_pvalue([0.0, 0.1, -0.1], 0.0, 5).tolist() == [1.0, tiny, tiny]
    assert t_pvalue([0.0, 0.1, -0.1], 0.0, 5, sides=1).tolist() == [1.0, tiny, 1.0]
    assert t_log_pvalue([0.0, 0.1, -0.1], 0.0, 5).tolist() == [0.0, -np.inf, -np.inf]
    assert tuple(t_interval(0.1, 0.0, 5)) == (0.1, 0.1)


def test_pvalue_never_zero() -> None:
    assert float(t_pvalue(1.0, 0.01, 12032)) == np.finfo(np.float64).tiny


@pytest.mark.parametrize(
    ("t", "df"), [(0.5, 3), (9.0, 30), (37.0, 12031), (45.0, 12031), (400.0, 999), (1e60, 9)]
)
def test_log_pvalue_by_mpmath(t: float, df: int) -> None:
    with mp.workdps(40):
        x = mp.mpf(df) / (mp.mpf(df) + mp.mpf(t) ** 2)
        expected = float(mp.log(mp.betainc(mp.mpf(df) / 2, mp.mpf(1) / 2, 0, x, regularized=True)))
    n = df + 1
    log_p = t_log_pvalue(t, np.sqrt(n), n)
    assert float(log_p) == pytest.approx(expected, rel=1e-12)
    assert float(t_log_pvalue(t, np.sqrt(n), n, sides=1)) == pytest.approx(
        expected - np.log(2), rel=1e-12
    )


@pytest.mark.parametrize(("n", "delta", "sigma", "expected"), R_POWER)
def test_power_of_published_cases(n: int, delta: float, sigma: float, expected: float) -> None:
    assert float(t_power(delta, sigma=sigma, n=n)) == pytest.approx(expected, abs=1e-10)
    assert float(t_power(-delta, sigma=sigma, n=n)) == pytest.approx(expected, abs=1e-10)


def critical_by_mpmath(df: int, alpha: float) -> float:
    """Two-sided critical value; stdtrit, which keeps 10 digits before scipy 1.17, starts it."""

    def excess(t: mp.mpf) -> mp.mpf:
        return mp.betainc(df / 2, 0.5, 0, df / (df + t * t), regularized=True) - alpha

    return float(mp.findroot(excess, -float(special.stdtrit(df, alpha / 2))))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("df", "shift", "alpha"),
    [
        (1, 0.5, 1e-3),
        (1, 40.0, 1e-4),
        (1, 3.0, 0.05),
        (2, 0.0, 0.9),
        (3, 5.0, 0.05),
        (9, 40.0, 0.05),
        (9, 3.0, 1e-6),
        (40, 0.5, 0.05),
        (40, 9.0, 0.05),
        (1000, 3.0, 0.9),
    ],
)
def test_power_by_mpmath(df: int, shift: float, alpha: float) -> None:
    n = df + 1
    expected = power_by_mpmath(shift, df, critical_by_mpmath(df, alpha))
    power = float(t_power(shift / np.sqrt(n), sigma=1.0, n=n, alpha=alpha))
    assert power == pytest.approx(expected, abs=1e-12)


def test_power_is_a_number_where_library_routines_give_nan() -> None:
    shift = np.linspace(0, 60, 601)
    for n in (2, 6, 10, 31, 1000):
        for sides in (1, 2):
            power = t_power(shift / np.sqrt(n), sigma=1.0, n=n, sides=sides)
            assert np.all(np.isfinite(power))
            assert np.all(np.diff(power) >= -1e-14)


def test_power_at_zero_is_the_level() -> None:
    n = np.array([2, 3, 10, 1000, 10**6, 10**10])
    assert t_power(0.0, sigma=1.0, n=n) == pytest.approx(np.full(6, 0.05), abs=1e-10)
    assert t_power(0.0, sigma=1.0, n=n, sides=1) == pytest.approx(np.full(6, 0.05), abs=1e-10)


def test_one_sided_power_is_that_of_scipy() -> None:
    expected = stats.nct.sf(stats.t.isf(0.05, 19), 19, 0.3 * np.sqrt(20))
    assert float(t_power(0.3, sigma=1.0, n=20, sides=1)) == pytest.approx(expected, abs=1e-9)


def test_power_of_many_items_is_normal() -> None:
    z = special.ndtri(0.975)
    expected = special.ndtr(2.8 - z) + special.ndtr(-2.8 - z)
    for n in (1e8, 1e12):
        power = t_power(2.8 / np.sqrt(n), sigma=1.0, n=n)
        assert float(power) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(("delta", "sigma", "expected"), R_N)
def test_n_star_of_published_cases(delta: float, sigma: float, expected: float) -> None:
    assert float(t_n_star(delta, sigma=sigma)) == np.ceil(expected)


@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.4])
@pytest.mark.parametrize("power", [0.03, 0.06, 0.5, 0.8, 0.999])
@pytest.mark.parametrize("sides", [1, 2])
def test_n_star_is_the_first_by_brute_force(alpha: float, power: float, sides: Sides) -> None:
    n = np.arange(2, 600)
    for delta in (0.2, 0.5, 1.3, 6.0):
        enough = t_power(delta, sigma=1.0, n=n, alpha=alpha, sides=sides) >= power
        found = float(t_n_star(delta, sigma=1.0, alpha=alpha, power=power, sides=sides))
        if enough.any():
            assert found == n[np.argmax(enough)]
        else:
            assert found >= 600


def test_n_star_extremes() -> None:
    n = t_n_star([0.0, 1e-300, 1e-9, 1e9], sigma=1.0)
    assert n[0] == n[1] == np.inf
    assert n[2] == pytest.approx(7.848880e18, rel=1e-6)
    assert n[3] == 2


def test_mde_inverts_power() -> None:
    n = np.array([2, 3, 10, 300, 10**6])[:, None]
    for sides in (1, 2):
        power = np.array([0.2, 0.8, 0.99])
        mde = t_mde(n, sigma=0.3, power=power, sides=sides)
        assert mde.shape == (5, 3)
        back = t_power(mde, sigma=0.3, n=n, sides=sides)
        assert back == pytest.approx(np.broadcast_to(power, (5, 3)), abs=1e-10)


def test_mde_when_the_level_is_power_enough() -> None:
    assert float(t_mde(20, sigma=0.3, power=0.04)) == 0.0


def test_mde_and_n_star_agree() -> None:
    n = np.array([10.0, 55.0, 400.0])
    mde = t_mde(n, sigma=0.3)
    assert np.array_equal(t_n_star(mde * (1 + 1e-9), sigma=0.3), n)
    assert np.array_equal(t_n_star(mde * (1 - 1e-6), sigma=0.3), n + 1)


def test_shapes_and_blocks() -> None:
    delta = np.linspace(0.01, 0.2, 9000)
    power = t_power(delta, sigma=0.3, n=200)
    assert power.shape == (9000,)
    assert float(power[8500]) == float(t_power(delta[8500], sigma=0.3, n=200))
    assert t_pvalue(np.zeros((3, 1)), np.ones(4), 5).shape == (3, 4)
    assert t_pvalue(np.zeros(0), 1.0, 5).shape == (0,)
    assert np.ndim(t_mde(20, sigma=1.0)) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: t_pvalue(0.1, -1.0, 5), "sd must be finite and >= 0; got -1"),
        (lambda: t_pvalue(0.1, 1.0, 1), "n must be at least 2 items; got 1"),
        (lambda: t_pvalue(np.nan, 1.0, 5), "mean must be finite; got nan"),
        (lambda: t_pvalue(0.1, 1.0, 5, sides=3), "sides must be 1 or 2; got 3"),  # type: ignore[arg-type]
        (lambda: t_interval(0.1, 1.0, 5, conf=1.0), r"conf must be in \(0, 1\); got 1"),
        (lambda: t_power(0.1, sigma=0.0, n=5), "sigma must be a finite number > 0; got 0"),
        (lambda: t_power(np.inf, sigma=1.0, n=5), "delta must be finite; got inf"),
        (lambda: t_power(0.1, sigma=1.0, n=5, alpha=0.5, sides=1), "below 0.5 for a one-sided"),
        (lambda: t_n_star(0.1, sigma=1.0, power=1.0), r"power must be in \(0, 1\); got 1"),
        (lambda: t_mde(1, sigma=1.0), "n must be at least 2 items; got 1"),
    ],
)
def test_refusals(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=message):
        call()
