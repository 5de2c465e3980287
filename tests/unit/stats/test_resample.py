"""Sign flips and bootstrap: against complete enumeration and slow direct computation."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from nstar._base.types import Array, IntArray
from nstar.errors import ParameterError
from nstar.stats import resample
from nstar.stats.resample import (
    bca_constants,
    bca_levels,
    bootstrap_draws,
    bootstrap_interval,
    bootstrap_pvalue,
    monte_carlo_pvalue,
    sign_flip_pvalue,
)

SMALL = np.array([0.12, -0.05, 0.30, 0.02, 0.11, 0.25, -0.08])
FLIPS = [3.0, -1.0, 4.0, 2.0, -2.0, 5.0, 1.0, 6.0, -3.0, 2.0, 7.0, 4.0]
METHODS = ["percentile", "basic", "bca", "studentized"]

# complete enumeration of the 7^7 resamples of SMALL, quantiles by the inverse exact cdf
EXACT = {
    "percentile": (0.0, 0.1957142857142857),
    "basic": (-0.004285714285714254, 0.19142857142857145),
    "bca": (0.002857142857142856, 0.2),
    "studentized": (-0.03226467275053829, 0.25338028027809667),
}
EXACT_Z0 = 0.01366669537862124
EXACT_ACCEL = 0.012425263972694752
EXACT_LEVELS = (0.029602082546335843, 0.9791706300116145)
EXACT_SE = 0.050339952196759304


@pytest.fixture(scope="module")
def all_means() -> Array:
    grid = np.stack(np.meshgrid(*[SMALL] * 7, indexing="ij"), axis=-1).reshape(-1, 7)
    return np.asarray(grid.mean(axis=1))


def enumerated_flips(d: Array) -> float:
    signs = np.array(list(product((-1, 1), repeat=d.size)))
    return float((np.abs(signs @ d) >= abs(d.sum()) - 1e-9).mean())


# --- sign flips ---------------------------------------------------------------------------


def test_flips_of_published_case() -> None:
    assert sign_flip_pvalue(FLIPS) == 0.0361328125


@pytest.mark.parametrize("n", [1, 2, 3, 8, 13])
def test_flips_by_enumeration(n: int) -> None:
    rng = np.random.default_rng(n)
    for d in (rng.normal(0.4, 1, n), rng.integers(-4, 6, n) / 10, np.append(0.0, np.ones(n))):
        assert sign_flip_pvalue(d) == pytest.approx(enumerated_flips(d), abs=1e-14)


def test_flips_of_thirty_are_exact() -> None:
    d = np.random.default_rng(1).integers(-5, 8, 30).astype(float)
    # count sums by convolution: integers, so no tolerance is involved
    law = {0: Fraction(1)}
    for v in d.astype(int).tolist():
        nxt: dict[int, Fraction] = {}
        for total, p in law.items():
            for t in (total - v, total + v):
                nxt[t] = nxt.get(t, Fraction(0)) + p / 2
        law = nxt
    expected = float(sum(p for t, p in law.items() if abs(t) >= abs(d.sum())))
    assert sign_flip_pvalue(d, rng=1) == pytest.approx(expected, abs=1e-14)
    assert sign_flip_pvalue(d, rng=2) == sign_flip_pvalue(d, rng=1)


@pytest.mark.parametrize(("wins", "losses"), [(3, 0), (7, 2), (60, 41), (500, 500), (4000, 100)])
def test_flips_of_one_size_are_exact_mcnemar(wins: int, losses: int) -> None:
    d = np.concatenate([np.ones(wins), np.zeros(50), -np.ones(losses)]) * 0.7
    expected = stats.binomtest(wins, wins + losses).pvalue
    floor = np.finfo(np.float64).tiny
    assert sign_flip_pvalue(d) == pytest.approx(max(expected, floor), rel=1e-9, abs=floor)


def test_random_flips_have_the_law_of_independent_signs() -> None:
    d = np.arange(1.0, 71.0)
    sums = resample._random_flips(d, 20000, np.random.default_rng(1))
    sd = np.sqrt((d * d).sum())
    assert sums.mean() == pytest.approx(0, abs=4 * sd / np.sqrt(20000))
    assert sums.std() == pytest.approx(sd, rel=0.03)
    assert np.all((sums - d.sum()) % 2 == 0)
    one = resample._random_flips(np.eye(1, 70, 69).ravel(), 2000, np.random.default_rng(2))
    assert set(one.tolist()) == {-1.0, 1.0}


def test_random_flips_are_near_the_t_test() -> None:
    d = np.random.default_rng(5).normal(0.05, 1, 2000)
    expected = stats.ttest_1samp(d, 0).pvalue
    assert sign_flip_pvalue(d, rng=1) == pytest.approx(expected, abs=0.01)


def test_flips_never_zero() -> None:
    far = sign_flip_pvalue(np.linspace(1, 2, 100), n_resamples=99, rng=1)
    assert far == pytest.approx(2.0**-99, rel=0.01)
    assert sign_flip_pvalue(np.ones(2000)) > 0


def test_flips_without_difference() -> None:
    assert sign_flip_pvalue([0.0, 0.0]) == 1.0
    assert sign_flip_pvalue([0.1 + 0.2, -0.3]) == 1.0  # equal but for rounding


def test_monte_carlo_pvalue() -> None:
    assert float(monte_carlo_pvalue(0, 2000)) == pytest.approx(1 / 2001, abs=1e-16)
    assert monte_carlo_pvalue([0, 4, 99], 99).tolist() == [0.01, 0.05, 1.0]


def test_monte_carlo_pvalue_has_its_level() -> None:
    # the observed value is equally likely to have any rank among B + 1
    p = monte_carlo_pvalue(np.arange(100), 99)
    assert float((p <= 0.05).mean()) == 0.05


# --- constants ----------------------------------------------------------------------------


def test_constants_from_complete_enumeration(all_means: Array) -> None:
    c = bca_constants(SMALL, all_means)
    assert c.z0 == pytest.approx(EXACT_Z0, abs=1e-12)
    assert c.accel == pytest.approx(EXACT_ACCEL, abs=1e-12)
    assert tuple(map(float, bca_levels(c.z0, c.accel))) == pytest.approx(EXACT_LEVELS, abs=1e-12)
    assert resample._quantiles(all_means, np.array(EXACT_LEVELS)) == pytest.approx(
        EXACT["bca"], abs=1e-12
    )
    assert resample._quantiles(all_means, np.array([0.025, 0.975])) == pytest.approx(
        EXACT["percentile"], abs=1e-12
    )
    assert all_means.std() == pytest.approx(EXACT_SE, abs=1e-12)


def test_acceleration_of_a_mean_is_its_skewness() -> None:
    d = np.random.default_rng(1).exponential(size=40)
    c = bca_constants(d, [0.0])
    assert c.accel == pytest.approx(stats.skew(d) / (6 * np.sqrt(40)), rel=1e-10)


def test_acceleration_by_direct_jackknife() -> None:
    rng = np.random.default_rng(2)
    d = rng.exponential(size=60)
    groups = rng.integers(0, 9, 60)
    draws = bootstrap_draws(d, n_resamples=50, rng=1)
    by_rows = bca_constants(d, draws, statistic=np.mean)
    assert by_rows.accel == pytest.approx(bca_constants(d, draws).accel, rel=1e-9)
    left = np.array([d[groups != g].mean() for g in range(9)])
    u = left.mean() - left
    expected = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
    assert bca_constants(d, draws, groups=groups).accel == pytest.approx(expected, rel=1e-9)
    same = bca_constants(d, draws, statistic=np.mean, groups=groups)
    assert same.accel == pytest.approx(expected, rel=1e-9)


def test_jackknife_in_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    d = np.random.default_rng(3).normal(size=30)
    whole = bca_constants(d, [0.0], statistic=np.median)
    monkeypatch.setattr(resample, "_CELLS", 70)
    assert bca_constants(d, [0.0], statistic=np.median).accel == whole.accel


def test_constants_without_spread() -> None:
    c = bca_constants([0.1, 0.1, 0.1], [0.1, 0.1])
    assert abs(c.z0) < 1e-12
    assert np.isfinite(c.accel)
    beyond = bca_constants([0.1, 0.2], [9.0, 9.0])
    assert np.isfinite(beyond.z0)


def test_levels_reduce_to_percentile_and_stay_in_range() -> None:
    assert tuple(map(float, bca_levels(0.0, 0.0, conf=0.9))) == pytest.approx((0.05, 0.95))
    low, high = map(np.asarray, bca_levels([3.0, -3.0], [0.4, -0.4]))
    assert high[0] == 1.0
    assert low[1] == 0.0
    assert np.all((low >= 0) & (high <= 1))


# --- draws --------------------------------------------------------------------------------


def brute_draws(d: Array, groups: IntArray, b: int, seed: int) -> Array:
    """The same stream, resampling groups one by one."""
    rng = np.random.default_rng(seed)
    names = np.unique(groups)
    out = []
    for _ in range(b):
        picked = rng.integers(0, names.size, size=names.size)
        out.append(np.concatenate([d[groups == names[g]] for g in picked]).mean())
    return np.array(out)


def test_draws_of_groups_by_brute_force() -> None:
    rng = np.random.default_rng(1)
    d = rng.normal(0.2, 1, 50)
    groups = rng.integers(0, 7, 50)
    expected = brute_draws(d, groups, 40, 9)
    assert bootstrap_draws(d, n_resamples=40, groups=groups, rng=9) == pytest.approx(expected)
    own = bootstrap_draws(d, statistic=np.mean, n_resamples=40, groups=groups, rng=9)
    assert own == pytest.approx(expected)
    singles = bootstrap_draws(d, n_resamples=40, groups=np.arange(50), rng=9)
    assert singles == pytest.approx(bootstrap_draws(d, n_resamples=40, rng=9))


def test_draws_of_a_statistic() -> None:
    draws = bootstrap_draws(SMALL, statistic=np.mean, n_resamples=500, rng=4)
    assert draws == pytest.approx(bootstrap_draws(SMALL, n_resamples=500, rng=4))
    medians = bootstrap_draws(SMALL, statistic=np.median, n_resamples=500, rng=4)
    assert np.isin(medians, SMALL).all()


def test_few_distinct_values_have_the_same_law() -> None:
    d = np.repeat([-1.0, 0.0, 1.0], [100, 700, 200])
    draws = bootstrap_draws(d, n_resamples=20000, rng=1)
    se = d.std() / np.sqrt(1000)
    assert draws.mean() == pytest.approx(0.1, abs=4 * se / np.sqrt(20000))
    assert draws.std() == pytest.approx(se, rel=0.02)


@pytest.mark.parametrize("cells", [1, 1000, 12345])
def test_batches_do_not_change_the_answer(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    graded = rng.normal(0.1, 1, 101)
    ternary = rng.choice([-1.0, 0.0, 0.5], 300)
    groups = np.arange(101) % 17

    def answers() -> list[object]:
        return [
            bootstrap_draws(graded, n_resamples=300, rng=7).tolist(),
            bootstrap_draws(ternary, n_resamples=300, rng=7).tolist(),
            bootstrap_draws(graded, n_resamples=300, groups=groups, rng=7).tolist(),
            bootstrap_draws(graded, statistic=np.median, n_resamples=300, rng=7).tolist(),
            bootstrap_interval(graded, method="studentized", n_resamples=300, rng=7),
            sign_flip_pvalue(graded, n_resamples=300, rng=7),
            bootstrap_pvalue(graded, n_resamples=300, rng=7),
        ]

    whole = answers()
    monkeypatch.setattr(resample, "_CELLS", cells)
    assert answers() == whole


# --- intervals ----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_interval_near_complete_enumeration(method) -> None:  # type: ignore[no-untyped-def]
    interval = bootstrap_interval(SMALL, method=method, n_resamples=400_000, rng=3)
    assert tuple(map(float, interval)) == pytest.approx(EXACT[method], abs=2e-3)


def test_se_near_complete_enumeration() -> None:
    draws = bootstrap_draws(SMALL, n_resamples=100_000, rng=3)
    assert draws.std() == pytest.approx(EXACT_SE, abs=5e-4)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("sizes", ["equal", "unequal"])
def test_intervals_of_groups_near_each_other(method, sizes: str) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(1)
    groups = np.arange(600) % 60 if sizes == "equal" else rng.integers(0, 60, 600)
    d = rng.normal(0, 1, 600) + rng.normal(0, 0.7, 60)[groups]
    resid = np.bincount(groups, weights=d - d.mean())
    se = np.sqrt((resid**2).sum()) / 600
    low, high = bootstrap_interval(d, method=method, groups=groups, rng=1)
    assert float(low) == pytest.approx(d.mean() - 1.96 * se, abs=0.25 * se)
    assert float(high) == pytest.approx(d.mean() + 1.96 * se, abs=0.25 * se)


def test_studentized_errors_by_direct_computation() -> None:
    rng = np.random.default_rng(1)
    d = rng.normal(0.2, 1, 40)
    groups = rng.integers(0, 6, 40)
    sums, sizes = resample._units(d, groups)
    mean, residuals = resample._centered(sums, sizes)
    t = resample._studentized_errors(residuals, sizes, 30, np.random.default_rng(5))
    stream = np.random.default_rng(5)
    for value in t:
        picked = stream.integers(0, 6, size=6)
        items = [d[groups == g] for g in picked]
        m = np.array([x.size for x in items])
        center = np.concatenate(items).mean()
        r = np.array([x.sum() for x in items]) - m * center
        se = np.sqrt((r**2).sum() * 6 / 5) / m.sum()
        assert value == pytest.approx((center - mean) / se, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_interval_of_equal_differences_has_no_width(method) -> None:  # type: ignore[no-untyped-def]
    low, high = bootstrap_interval(np.full(9, 0.25), method=method, n_resamples=99, rng=1)
    assert (float(low), float(high)) == (0.25, 0.25)


def test_intervals_of_a_median_by_hand() -> None:
    d = np.random.default_rng(8).gamma(2.0, 1.0, 75)
    draws = bootstrap_draws(d, statistic=np.median, rng=1)
    middle = np.median(d)
    low, high = np.quantile(draws, [0.025, 0.975], method="inverted_cdf")
    u = np.array([np.median(np.delete(d, i)) for i in range(75)])
    u = u.mean() - u
    a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
    z0 = stats.norm.ppf((draws < middle).mean() + 0.5 * (draws == middle).mean())
    w = z0 + stats.norm.ppf([0.025, 0.975])
    bca = np.quantile(draws, stats.norm.cdf(z0 + w / (1 - a * w)), method="inverted_cdf")
    for method, expected in (
        ("percentile", (low, high)),
        ("basic", (2 * middle - high, 2 * middle - low)),
        ("bca", bca),
    ):
        interval = bootstrap_interval(d, statistic=np.median, method=method, rng=1)  # type: ignore[arg-type]
        assert tuple(map(float, interval)) == pytest.approx(tuple(expected), abs=1e-12)


def test_limit_of_zero_is_zero() -> None:
    # 0.1 + 0.2 - 0.3 and the like: exact limits are 0, float sums are not
    d = np.array([0.3, 0.3, 0.3, -0.1, -0.2, 0.0, 0.0, 0.0])
    for method in ("percentile", "basic", "bca"):
        limits = [bootstrap_interval(d, method=method, conf=c, rng=1) for c in (0.3, 0.5, 0.7)]
        sizes = np.abs(np.array(limits))
        assert np.all((sizes == 0) | (sizes > 1e-4))
    lows = np.array([bootstrap_interval(SMALL, n_resamples=2000, rng=s).low for s in range(20)])
    assert (lows == 0).any()
    assert np.all((lows == 0) | (np.abs(lows) > 1e-4))


def test_means_of_dyadic_scores_are_exact() -> None:
    d = np.random.default_rng(1).choice([-1.0, -0.25, 0.0, 0.5], 48)
    draws = bootstrap_draws(d, rng=1)
    assert np.array_equal(np.rint(draws * 48 * 4) / 4 / 48, draws)


def test_quantiles_are_order_statistics() -> None:
    draws = np.arange(1, 1001)[::-1].astype(float)
    levels = np.array([(1 - 0.95) / 2, (1 + 0.95) / 2, 0.0, 1.0])
    assert resample._quantiles(draws, levels).tolist() == [25.0, 975.0, 1.0, 1000.0]


def test_seed_and_generator_agree() -> None:
    one = bootstrap_interval(SMALL, rng=5)
    assert one == bootstrap_interval(SMALL, rng=np.random.default_rng(5))
    assert one != bootstrap_interval(SMALL, rng=np.random.default_rng(6), conf=0.8)


# --- p-value ------------------------------------------------------------------------------


def test_bootstrap_pvalue_by_complete_enumeration(all_means: Array) -> None:
    mean = SMALL.mean()
    expected = float((np.abs(all_means - mean) >= abs(mean) - 1e-12).mean())
    assert bootstrap_pvalue(SMALL, n_resamples=100_000, rng=2) == pytest.approx(expected, abs=2e-3)


def test_bootstrap_pvalue_never_zero() -> None:
    d = np.linspace(1, 2, 50)
    assert bootstrap_pvalue(d, n_resamples=999, rng=1) == 0.001
    assert bootstrap_pvalue(d, n_resamples=999, groups=np.arange(50) // 10, rng=1) == 0.001
    assert bootstrap_pvalue([0.0, 0.0, 0.0], n_resamples=99, rng=1) == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sign_flip_pvalue([]), "length of d must be at least 1; got 0"),
        (lambda: sign_flip_pvalue([[1.0]]), "number of axes of d must be 1; got 2"),
        (lambda: sign_flip_pvalue([1.0, np.nan]), "d must be finite; got nan"),
        (lambda: sign_flip_pvalue([1.0], n_resamples=0), "n_resamples must be at least 1; got 0"),
        (lambda: monte_carlo_pvalue(5, 4), "r must be at most n_resamples; got 5"),
        (lambda: monte_carlo_pvalue(0, 0), "n_resamples must be at least 1; got 0"),
        (lambda: bootstrap_interval([1.0]), "length of d must be at least 2; got 1"),
        (lambda: bootstrap_interval(SMALL, conf=1.0), r"conf must be in \(0, 1\); got 1"),
        (lambda: bootstrap_interval(SMALL, method="x"), "method must be one of percentile"),  # type: ignore[arg-type]
        (
            lambda: bootstrap_interval(SMALL, method="studentized", statistic=np.median),
            r"statistic must be None \(the mean\) for a studentized interval",
        ),
        (
            lambda: bootstrap_interval(SMALL, groups=[1]),
            "length of groups must be 7, the length of d",
        ),
        (lambda: bootstrap_pvalue(SMALL, groups=[1] * 7), "number of groups must be at least 2"),
        (lambda: bca_levels(np.nan, 0.0), "z0 must be finite; got nan"),
    ],
)
def test_refusals(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=message):
        call()
