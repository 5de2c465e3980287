"""The kernel against scipy.stats and statsmodels on random inputs with fixed seeds."""

from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats import contingency_tables, multitest, proportion
from statsmodels.stats import power as sm_power
from statsmodels.stats.weightstats import DescrStatsW

from nstar._base.types import Array, Sides
from nstar.stats.adjust import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    holm,
    hommel,
    tukey_critical,
)
from nstar.stats.cluster import anova_icc, cluster_sums, cluster_variance
from nstar.stats.critical import z_alpha
from nstar.stats.graded import t_interval, t_mde, t_n_star, t_power, t_pvalue
from nstar.stats.interval import newcombe_interval, paired_interval, tango_statistic
from nstar.stats.maxt import max_t_critical
from nstar.stats.mcnemar import P_FLOOR, mcnemar_pvalue
from nstar.stats.power import normal_n_star, normal_power
from nstar.stats.proportion import (
    binomial_pvalue,
    clopper_pearson_interval,
    one_sample_exact_power,
    wilson_interval,
)
from nstar.stats.resample import (
    bca_constants,
    bootstrap_draws,
    bootstrap_interval,
    sign_flip_pvalue,
)
from nstar.stats.strata import iid_variance
from nstar.stats.unpaired import unpaired_n_star, unpaired_power
from nstar.stats.wilcoxon import wilcoxon_pvalue

stats: Any = scipy_stats  # its stubs know fewer forms of call than the library

SIDES: tuple[Sides, ...] = (1, 2)
ALTERNATIVE = {1: "larger", 2: "two-sided"}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240229)


def close(got: object, want: object, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=rtol, atol=atol)


def counts(rng: np.random.Generator, size: int = 60) -> tuple[Array, Array]:
    top = 10 ** rng.uniform(0, 4, size)
    return np.floor(rng.uniform(0, top)), np.floor(rng.uniform(0, top))


# -- McNemar and one proportion -----------------------------------------------------------


def test_mcnemar_exact_is_the_binomial_test(rng: np.random.Generator) -> None:
    b, c = counts(rng)
    some = b + c > 0
    want = [
        stats.binomtest(int(x), int(x + y)).pvalue for x, y in zip(b[some], c[some], strict=True)
    ]
    close(mcnemar_pvalue(b[some], c[some], method="exact"), np.maximum(want, P_FLOOR), rtol=1e-10)


def test_mcnemar_against_statsmodels(rng: np.random.Generator) -> None:
    b, c = counts(rng)
    # statsmodels subtracts the correction from |b - c| = 0 as well; with b = c p is 1 here
    unequal = b != c
    for x, y in zip(b[unequal], c[unequal], strict=True):
        table = [[5, x], [y, 5]]
        plain = contingency_tables.mcnemar(table, exact=False, correction=False)
        corrected = contingency_tables.mcnemar(table, exact=False, correction=True)
        exact = contingency_tables.mcnemar(table, exact=True)
        close(tango_statistic(x, y, x + y + 10) ** 2, plain.statistic, rtol=1e-12)
        got = [
            mcnemar_pvalue(x, y, method="asymptotic"),
            mcnemar_pvalue(x, y, method="corrected"),
            mcnemar_pvalue(x, y, method="exact"),
        ]
        want = [plain.pvalue, corrected.pvalue, exact.pvalue]
        close(got, np.maximum(want, P_FLOOR), rtol=1e-10)


def test_binomial_pvalue(rng: np.random.Generator) -> None:
    n = np.floor(10 ** rng.uniform(0, 4, 80))
    p0 = rng.uniform(0.01, 0.99, 80)
    x = rng.binomial(n.astype(int), np.clip(p0 + rng.normal(0, 0.05, 80), 0, 1))
    want = [stats.binomtest(int(k), int(m), p).pvalue for k, m, p in zip(x, n, p0, strict=True)]
    close(binomial_pvalue(x, n, p0=p0), want, rtol=1e-9)


@pytest.mark.parametrize("conf", [0.5, 0.9, 0.95, 0.999])
def test_proportion_intervals(conf: float, rng: np.random.Generator) -> None:
    n = np.floor(10 ** rng.uniform(0, 5, 100))
    x = np.floor(rng.uniform(0, 1, 100) * (n + 1))
    for func, name, rtol in (
        (wilson_interval, "wilson", 1e-12),
        (clopper_pearson_interval, "beta", 1e-10),
    ):
        low, high = func(x, n, conf=conf)
        want = proportion.proportion_confint(x, n, alpha=1 - conf, method=name)
        close(low, want[0], rtol=rtol, atol=1e-15)
        close(high, want[1], rtol=rtol)


def test_one_sample_exact_power(rng: np.random.Generator) -> None:
    for _ in range(10):
        n, p0, p1 = int(rng.integers(5, 120)), *rng.uniform(0.1, 0.9, 2)
        reject = [stats.binomtest(k, n, p0).pvalue <= 0.05 for k in range(n + 1)]
        want = stats.binom.pmf(np.flatnonzero(reject), n, p1).sum()
        close(one_sample_exact_power(p1, p0=p0, n=n), want, atol=1e-11)


def test_wald_paired_interval_is_a_z_interval_of_the_differences(
    rng: np.random.Generator,
) -> None:
    for _ in range(20):
        d = rng.choice([-1, 0, 1], size=int(rng.integers(20, 400)), p=[0.1, 0.7, 0.2])
        low, high = paired_interval(
            np.count_nonzero(d == 1), np.count_nonzero(d == -1), d.size, method="wald"
        )
        # ddof 1 against ddof 0
        want = DescrStatsW(d).zconfint_mean()
        half = (want[1] - want[0]) / 2 * np.sqrt((d.size - 1) / d.size)
        close([low, high], [d.mean() - half, d.mean() + half], atol=1e-13)


def test_newcombe_interval_without_correlation_is_the_unpaired_one() -> None:
    # cells of exact independence have phi = 0, and method 10 becomes method 9
    low, high = newcombe_interval(24, 36, 16, 24)
    want = proportion.confint_proportions_2indep(60, 100, 40, 100, method="newcomb")
    close([low, high], want, atol=1e-12)


# -- Two independent proportions ----------------------------------------------------------


@pytest.mark.parametrize("sides", SIDES)
def test_unpaired_arcsine(sides: Sides, rng: np.random.Generator) -> None:
    for _ in range(15):
        p2, gap = rng.uniform(0.05, 0.8), rng.uniform(0.02, 0.15)
        alpha, power = rng.uniform(0.01, 0.1), rng.uniform(0.7, 0.95)
        h = proportion.proportion_effectsize(p2 + gap, p2)
        solver = sm_power.NormalIndPower()
        want = solver.power(h, 150, alpha, ratio=2.0, alternative=ALTERNATIVE[sides])
        got = unpaired_power(
            p2 + gap, p2, n1=150, n2=300, method="arcsine", alpha=alpha, sides=sides
        )
        far = stats.norm.cdf(-h * np.sqrt(100) - z_alpha(alpha)) if sides == 2 else 0.0
        close(got + far, want, atol=1e-12)
        n = solver.solve_power(
            h, alpha=alpha, power=power, ratio=1.0, alternative=ALTERNATIVE[sides]
        )
        items = unpaired_n_star(
            p2 + gap, p2, method="arcsine", alpha=alpha, power=power, sides=sides
        )
        close(items, n, rtol=1e-3 if sides == 2 else 1e-7)


def test_unpaired_pooled(rng: np.random.Generator) -> None:
    for _ in range(20):
        p2, gap = rng.uniform(0.05, 0.8), rng.uniform(0.02, 0.15)
        alpha, ratio = rng.uniform(0.01, 0.1), float(rng.integers(1, 4))
        want = proportion.power_proportions_2indep(gap, p2, 200, ratio=ratio, alpha=alpha)
        got = unpaired_power(p2 + gap, p2, n1=200, n2=200 * ratio, alpha=alpha)
        assert got <= want.power + 1e-12  # theirs counts the wrong tail
        one = proportion.power_proportions_2indep(
            gap, p2, 200, ratio=ratio, alpha=alpha / 2, alternative="larger"
        )
        close(got, one.power, atol=1e-12)


def test_unpaired_n_star(rng: np.random.Generator) -> None:
    for _ in range(20):
        p2, gap = rng.uniform(0.05, 0.8), rng.uniform(0.02, 0.15)
        alpha, power = rng.uniform(0.01, 0.1), rng.uniform(0.7, 0.95)
        want = proportion.samplesize_proportions_2indep_onetail(
            gap, p2, power, alpha=alpha, alternative="larger"
        )
        got = unpaired_n_star(p2 + gap, p2, alpha=alpha, power=power, sides=1)
        close(got, want, rtol=1e-10)


# -- Means --------------------------------------------------------------------------------


def test_t_test_and_interval(rng: np.random.Generator) -> None:
    for _ in range(30):
        n = int(rng.integers(2, 300))
        a, b = rng.normal(0.3, 1, n), rng.normal(0, 1.5, n)
        d = a - b
        two, one = stats.ttest_rel(a, b), stats.ttest_rel(a, b, alternative="greater")
        close(t_pvalue(d.mean(), d.std(ddof=1), n), two.pvalue, rtol=1e-10)
        close(t_pvalue(d.mean(), d.std(ddof=1), n, sides=1), one.pvalue, rtol=1e-10)
        low, high = t_interval(d.mean(), d.std(ddof=1), n, conf=0.9)
        want = two.confidence_interval(0.9)
        # scipy's own quantile keeps 10 digits before 1.17
        close([low, high], [want.low, want.high], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("sides", SIDES)
def test_t_power_against_the_noncentral_t(sides: Sides, rng: np.random.Generator) -> None:
    df = np.floor(10 ** rng.uniform(0, 4, 400))
    ncp = rng.uniform(0, 12, 400)
    alpha = rng.uniform(0.001, 0.2, 400)
    critical = stats.t.isf(alpha / sides, df)
    want = stats.nct.sf(critical, df, ncp)
    if sides == 2:
        # scipy's lower tail is NaN for many large shifts, where it is nothing
        lower = np.where(ncp > 6, 0.0, stats.nct.cdf(-critical, df, np.minimum(ncp, 6)))
        want = want + lower
    finite = np.isfinite(want)
    assert finite.mean() > 0.95
    n = df + 1
    got = t_power(ncp / np.sqrt(n), sigma=1, n=n, alpha=alpha, sides=sides)
    close(got[finite], want[finite], atol=1e-9)


@pytest.mark.parametrize("sides", SIDES)
def test_t_power_against_statsmodels(sides: Sides, rng: np.random.Generator) -> None:
    solver = sm_power.TTestPower()
    alternative = ALTERNATIVE[sides]
    for _ in range(15):
        effect, alpha = rng.uniform(0.1, 0.5), rng.uniform(0.01, 0.1)
        n, power = int(rng.integers(5, 200)), rng.uniform(0.6, 0.95)
        want = solver.power(effect, n, alpha, alternative=alternative)
        close(t_power(effect, sigma=1, n=n, alpha=alpha, sides=sides), want, rtol=1e-8, atol=1e-9)
        items = solver.solve_power(effect, alpha=alpha, power=power, alternative=alternative)
        got = t_n_star(effect, sigma=1, alpha=alpha, power=power, sides=sides)
        assert got == np.ceil(items)
        mde = solver.solve_power(nobs=n, alpha=alpha, power=power, alternative=alternative)
        got = t_mde(n, sigma=1, alpha=alpha, power=power, sides=sides)
        close(got, mde, rtol=1e-4)  # their root finder stops early
        close(solver.power(got, n, alpha, alternative=alternative), power, rtol=1e-9)


def test_normal_power(rng: np.random.Generator) -> None:
    for _ in range(15):
        delta, sigma = rng.uniform(0.01, 0.1), rng.uniform(0.1, 0.6)
        alpha, power = rng.uniform(0.01, 0.1), rng.uniform(0.6, 0.95)
        want = sm_power.normal_power_het(
            delta, 300, alpha / 2, std_null=sigma, alternative="larger"
        )
        close(normal_power(delta, sigma=sigma, n=300, alpha=alpha), want, atol=1e-12)
        n = sm_power.normal_sample_size_one_tail(delta, power, alpha / 2, std_null=sigma)
        close(normal_n_star(delta, sigma=sigma, alpha=alpha, power=power), n, rtol=1e-10)


# -- Ranks, flips, bootstrap --------------------------------------------------------------


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
def test_wilcoxon_asymptotic(zeros: str, rng: np.random.Generator) -> None:
    for n in (12, 60, 300):
        d = rng.integers(-3, 5, n) / 4
        want = stats.wilcoxon(
            d,
            zero_method={"drop": "wilcox", "pratt": "pratt"}[zeros],
            correction=False,
            method="asymptotic",
        )
        got = wilcoxon_pvalue(d, zeros="drop" if zeros == "drop" else "pratt", method="asymptotic")
        close(got, want.pvalue, rtol=1e-10)


def test_wilcoxon_exact(rng: np.random.Generator) -> None:
    for n in (1, 2, 4, 9, 25, 50):
        d = rng.normal(0.2, 1, n)
        close(wilcoxon_pvalue(d), stats.wilcoxon(d, method="exact").pvalue, rtol=1e-10)


def test_sign_flips(rng: np.random.Generator) -> None:
    for n in (3, 6, 10):
        for d in (rng.normal(0.4, 1, n), rng.integers(-2, 4, n).astype(float)):
            want = stats.permutation_test(
                (d,),
                lambda x, axis: np.abs(x.sum(axis=axis)),
                permutation_type="samples",
                alternative="greater",
                vectorized=True,
                n_resamples=np.inf,
            )
            close(sign_flip_pvalue(d), want.pvalue, rtol=1e-12)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_bootstrap_intervals(method: str, rng: np.random.Generator) -> None:
    d = rng.exponential(1, 60) - 0.5
    # the two streams differ, so only Monte Carlo agreement can be asked: 40,000 draws put the
    # 2.5% quantile within 0.02 standard errors
    want = stats.bootstrap(
        (d,),
        np.mean,
        n_resamples=40_000,
        method={"percentile": "percentile", "basic": "basic", "bca": "BCa"}[method],
        rng=np.random.default_rng(1),
        vectorized=True,
    ).confidence_interval
    got = {
        "percentile": bootstrap_interval(d, method="percentile", n_resamples=40_000, rng=2),
        "basic": bootstrap_interval(d, method="basic", n_resamples=40_000, rng=2),
        "bca": bootstrap_interval(d, method="bca", n_resamples=40_000, rng=2),
    }[method]
    se = d.std() / np.sqrt(d.size)
    close(got, [want.low, want.high], atol=0.1 * se)


def test_bca_acceleration_is_the_skewness(rng: np.random.Generator) -> None:
    d = rng.exponential(1, 40)
    draws = bootstrap_draws(d, n_resamples=200, rng=1)
    got = bca_constants(d, draws)
    close(got.accel, stats.skew(d) / (6 * np.sqrt(d.size)), rtol=1e-10)


# -- Multiplicity -------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 7, 60, 500])
def test_adjusted_pvalues(size: int, rng: np.random.Generator) -> None:
    p = np.round(rng.beta(0.5, 2, size), 3).clip(1e-6)  # rounded, so that some tie
    close(benjamini_hochberg(p), stats.false_discovery_control(p), rtol=1e-12)
    close(benjamini_yekutieli(p), stats.false_discovery_control(p, method="by"), rtol=1e-12)
    for func, name in (
        (bonferroni, "bonferroni"),
        (holm, "holm"),
        (hommel, "hommel"),
        (benjamini_hochberg, "fdr_bh"),
        (benjamini_yekutieli, "fdr_by"),
    ):
        close(func(p), multitest.multipletests(p, method=name)[1], rtol=1e-12)


def test_tukey_critical() -> None:
    for m in (2, 3, 8, 20, 50):
        for alpha in (0.01, 0.05, 0.1):
            got = tukey_critical(m, alpha=alpha)
            tail = stats.studentized_range.sf(got * np.sqrt(2), m, np.inf)
            close(tail, alpha, rtol=1e-7)


def test_max_t_with_degrees_of_freedom() -> None:
    got = max_t_critical(np.eye(6), df=12, draws=50_000, rng=4)
    tail = stats.studentized_range.sf(got * np.sqrt(2), 6, 12)
    close(tail, 0.05, atol=0.004)  # four standard errors of a share of 50,000 draws


# -- Clusters -----------------------------------------------------------------------------


@pytest.mark.parametrize("groups", [3, 12, 40])
def test_cluster_variance(groups: int, rng: np.random.Generator) -> None:
    sizes = rng.integers(2, 15, groups)
    code = np.repeat(np.arange(groups), sizes)
    d = rng.normal(0, 0.5, groups)[code] + rng.normal(0.1, 1, code.size)
    s = cluster_sums(d, code)
    fit = OLS(d, np.ones((d.size, 1))).fit()
    close(iid_variance(s.sums, s.squares, s.sizes), fit.cov_params()[0, 0], rtol=1e-11)
    raw = fit.get_robustcov_results("cluster", groups=code, use_correction=False)
    close(cluster_variance(s.sums, s.sizes, kind="CR0"), raw.cov_params()[0, 0], rtol=1e-11)
    # statsmodels' correction is G / (G - 1) (N - 1) / (N - k), and k = 1 here
    cr1 = fit.get_robustcov_results("cluster", groups=code)
    close(cluster_variance(s.sums, s.sizes, kind="CR1"), cr1.cov_params()[0, 0], rtol=1e-11)


def test_anova(rng: np.random.Generator) -> None:
    sizes = rng.integers(2, 15, 9)
    code = np.repeat(np.arange(9), sizes)
    d = rng.normal(0, 0.5, 9)[code] + rng.normal(0.1, 1, code.size)
    s = cluster_sums(d, code)
    got = anova_icc(s.sums, s.squares, s.sizes)
    want = stats.f_oneway(*(d[code == g] for g in range(9)))
    close(got.msb / got.msw, want.statistic, rtol=1e-10)
