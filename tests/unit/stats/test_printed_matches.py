"""Which tables print as a figure does: nothing that a usual method prints may be missed."""

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np
import pytest
from scipy import stats as reference
from statsmodels.stats.proportion import confint_proportions_2indep

from nstar import stats
from nstar._base.types import Array
from nstar.stats._bootstrap_expansion import (
    MAX_EXPANSION_ERROR,
    SKEW_TERMS,
    bootstrap_limits,
    bootstrap_tail,
    paired_moments,
)
from nstar.stats._feasible import Feasible, feasible
from nstar.stats._printed_matches import (
    MatchingTables,
    RoundingInterval,
    matching_intervals,
    matching_tests,
    overlap,
)
from nstar.stats._published_tests import PAIRED_TESTS, UNPAIRED_TESTS, PublishedTest

SEEDS = [1, 5, 6, 7, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 2, 3, 4))]
"""The first four have few and thousands of items, either model ahead, and most of the tests."""
SIDES: tuple[Literal["two-sided", "less", "greater"], ...] = ("two-sided", "less", "greater")
pytestmark = pytest.mark.filterwarnings("ignore:Precision loss")  # scipy, of a constant model


def some_table(rng: np.random.Generator) -> tuple[int, int, int, int]:
    """Both right, only the first, only the second, neither; the two print differently."""
    while True:
        n = int(np.exp(rng.uniform(np.log(10), np.log(5000))))
        base = rng.uniform(0.02, 0.98)
        shares = rng.dirichlet([2 * base + 0.1, 0.3, 0.3, 2 * (1 - base) + 0.1])
        both, first, second, neither = (int(k) for k in rng.multinomial(n, shares))
        if round((both + first) / n, 2) != round((both + second) / n, 2):
            return both, first, second, neither


def as_printed(table: tuple[int, int, int, int], rng: np.random.Generator) -> Feasible:
    """All counts that print as its accuracies do, with two to four decimals."""
    both, first, second, _ = table
    n, decimals = sum(table), int(rng.integers(2, 5))
    a, b = (
        stats.grim(round((both + k) / n, decimals), n, decimals=decimals) for k in (first, second)
    )
    return feasible((a.low, a.high), (b.low, b.high), n)


def z_tails(z: float) -> list[float]:
    return [2 * reference.norm.sf(abs(z)), reference.norm.sf(z), reference.norm.cdf(z)]


def paired_p(table: tuple[int, int, int, int]) -> dict[str, list[float]]:
    """By scipy, from the table or from vectors."""
    both, b, c, neither = table
    n, m = sum(table), b + c
    d = np.repeat([1.0, -1.0, 0.0], [b, c, both + neither])
    half = 0.5 * reference.binom.pmf(b, m, 0.5)
    up = float(reference.binom.sf(b, m, 0.5) + half)
    out = {
        "exact": [float(reference.binomtest(b, m, alternative=s).pvalue) for s in SIDES],
        "midp": [min(1.0, 2 * min(up, 1 - up)), up, 1 - up],
        "asymptotic": z_tails((b - c) / math.sqrt(m)),
        "corrected": z_tails(math.copysign(max(abs(b - c) - 1, 0), b - c) / math.sqrt(m)),
        "z": z_tails(d.mean() / math.sqrt(d.var() / n)) if d.var() else [],
        "t": [float(reference.ttest_1samp(d, 0, alternative=s).pvalue) for s in SIDES]
        if d.var()
        else [],
    }
    out["corrected"][0] = float(reference.chi2.sf(max(abs(b - c) - 1, 0) ** 2 / m, 1))
    return out


def unpaired_p(table: tuple[int, int, int, int]) -> dict[str, list[float]]:
    both, b, c, _ = table
    n, x, y = sum(table), both + b, both + c
    cells = np.array([[x, n - x], [y, n - y]])
    one, other = (np.repeat([1.0, 0.0], [k, n - k]) for k in (x, y))
    spread = (one.var() + other.var()) / n
    return {
        "fisher": [float(reference.fisher_exact(cells, s).pvalue) for s in SIDES],
        "pooled": [float(reference.chi2_contingency(cells, correction=False).pvalue)],
        "yates": [float(reference.chi2_contingency(cells).pvalue)],
        "unpooled": z_tails((x - y) / n / math.sqrt(spread)) if spread else [],
        "unpaired-t": [
            float(reference.ttest_ind(one, other, equal_var=equal, alternative=s).pvalue)
            for equal in (True, False)
            for s in SIDES
        ]
        if spread
        else [],
    }


def printed(p: float, rng: np.random.Generator) -> RoundingInterval:
    """Two to four decimals, or two digits."""
    decimals = int(rng.integers(2, 6))
    if decimals == 5:
        decimals = 1 - math.floor(math.log10(p))
    shown, half = round(p, decimals), 0.5 * 10.0**-decimals
    return RoundingInterval(max(shown - half, 0.0), min(shown + half, 1.0))


def names(found: list[MatchingTables]) -> set[str]:
    return {f.name for f in found if f.any}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_p_of_a_usual_test_is_missed(seed: int) -> None:
    rng = np.random.default_rng([19, seed])
    table = some_table(rng)
    tables = as_printed(table, rng)
    for test, values in (paired_p(table) | unpaired_p(table)).items():
        for p in values:
            if p > 1e-300:
                found = matching_tests(tables, printed(p, rng))
                assert test in names(found), (table, test, p)


def limits(table: tuple[int, int, int, int]) -> Iterator[tuple[str, float, float]]:
    """Intervals as nstar, scipy and statsmodels give them."""
    both, b, c, neither = table
    n, x, y = sum(table), both + b, both + c
    for method in ("tango", "wald", "agresti-min", "bonett-price"):
        low, high = stats.paired_interval(b, c, n, method=method)
        yield method, float(low), float(high)
    low, high = stats.newcombe_interval(both, b, c, neither)
    yield "newcombe", float(low), float(high)
    d = np.repeat([1.0, -1.0, 0.0], [b, c, both + neither])
    if d.var():
        low, high = reference.ttest_1samp(d, 0).confidence_interval()
        yield "t", float(low), float(high)
    for name, method in (
        ("unpaired-wald", "wald"),
        ("unpaired-newcombe", "newcomb"),
        ("agresti-caffo", "agresti-caffo"),
    ):
        low, high = confint_proportions_2indep(x, n, y, n, method=method)
        yield name, float(low), float(high)
    one, other = (np.repeat([1.0, 0.0], [k, n - k]) for k in (x, y))
    if one.var() + other.var():
        low, high = reference.ttest_ind(one, other).confidence_interval()
        yield "unpaired-t", float(low), float(high)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_p_and_interval_of_one_table_contradict_each_other(seed: int) -> None:
    rng = np.random.default_rng([20, seed])
    table = some_table(rng)
    tables = as_printed(table, rng)
    every = paired_p(table) | unpaired_p(table)
    tests = [rng.choice(list(every)) for _ in range(2)]
    found = [matching_tests(tables, printed(p, rng)) for t in tests for p in every[t][:1]]
    for method, *ends in limits(table):
        half = 0.5 * 10.0 ** -int(rng.integers(3, 6))
        windows = [
            RoundingInterval(v - half, v + half)
            for v in (round(e / half / 2) * 2 * half for e in ends)
        ]
        intervals = matching_intervals(tables, *windows)
        assert method in names(intervals), (table, method, ends)
        for tried in found:
            assert any(overlap(t, i) for t in tried for i in intervals), (table, method, tests)


def test_what_a_single_table_prints_is_found_by_trying_every_one() -> None:
    tables = feasible((41, 42), (33, 34), 60)
    window = RoundingInterval(0.055, 0.065)
    wanted = {
        (a, b, lost)
        for a in (41, 42)
        for b in (33, 34)
        for lost in range(min(b, 60 - a) + 1)
        if 0.055 <= reference.binomtest(lost, a - b + 2 * lost).pvalue <= 0.065
    }
    exact = next(f for f in matching_tests(tables, window) if (f.name, f.sides) == ("exact", 2))
    boxes = zip(tables.first[0], tables.second[0], exact.low, exact.high, strict=True)
    got = {
        (int(a), int(b), lost)
        for a, b, low, high in boxes
        for lost in range(int(low), int(high) + 1)
    }
    assert got == wanted != set()


@pytest.mark.parametrize("test", PAIRED_TESTS, ids=lambda t: f"{t.name}-{t.sides}")
def test_a_paired_p_is_monotone(test: PublishedTest) -> None:
    sign = 1.0 if test.rises else -1.0
    gap, lost = np.meshgrid(np.arange(0.0, 40), np.arange(0.0, 80), indexing="ij")
    p = sign * test.p(gap, lost, 400.0)
    assert np.all(np.diff(p, axis=1) >= -1e-12)
    assert np.all(np.diff(p, axis=0) <= 1e-12)


@pytest.mark.parametrize("test", UNPAIRED_TESTS, ids=lambda t: f"{t.name}-{t.sides}")
def test_an_unpaired_p_falls_with_the_gap(test: PublishedTest) -> None:
    sign = 1.0 if test.rises else -1.0
    for other in (0.0, 3.0, 50.0, 97.0):
        better = np.arange(other, 101.0)
        p = sign * test.p(better, np.full_like(better, other), 100.0)
        assert np.all(np.diff(p) <= 1e-12), other


def test_coarse_digits_are_taken_in_boxes() -> None:
    tables = feasible((705_000, 715_000), (695_000, 705_000), 1_000_000)
    assert not tables.single
    assert tables.least[0].size <= 1024
    assert float(np.subtract(*tables.most).max()) == 20_000
    for p in (1e-30, 0.04, 0.5, 1.0):  # anything can be, with a gap from 0 to 2 points
        assert any(
            f.any for f in matching_tests(tables, RoundingInterval(p * 0.99, min(p * 1.01, 1.0)))
        )


def test_resampling_may_be_off_by_its_noise() -> None:
    tables = feasible((27, 27), (24, 24), 30)
    assert names(matching_tests(tables, RoundingInterval(0.525, 0.535))) == {"resampling"}
    assert not names(matching_tests(tables, RoundingInterval(0.6, 0.601)))


# --- the bootstrap ------------------------------------------------------------------------


def resampled_gaps(
    table: tuple[int, int, int, int], resamples: int, rng: np.random.Generator
) -> Array:
    """Gaps of a paired bootstrap, in items."""
    n = sum(table)
    _, first, second, _ = rng.multinomial(n, np.array(table) / n, size=resamples).T
    return np.asarray(first - second, dtype=np.float64)


def bootstrap_intervals(gaps: Array, observed: float, third: float) -> dict[str, Array]:
    """Percentile, basic, normal and bias-corrected accelerated limits, in items."""
    tails = np.array([0.025, 0.975])
    low, high = np.quantile(gaps, tails)
    z, sd = reference.norm.ppf(tails), gaps.std(ddof=1)
    middle = reference.norm.ppf((np.mean(gaps < observed) + np.mean(gaps <= observed)) / 2)
    skew = third / gaps.var() ** 1.5 / 6
    levels = reference.norm.cdf(middle + (middle + z) / (1 - skew * (middle + z)))
    return {
        "percentile": np.array([low, high]),
        "basic": np.array([2 * observed - high, 2 * observed - low]),
        "normal": observed + z * sd,
        "accelerated": np.quantile(gaps, levels),
    }


def bootstrap_tables(items: int, count: int, seed: int) -> list[tuple[int, int, int, int]]:
    """Tables of two models that differ, with some disagreement on either side or on one."""
    rng = np.random.default_rng([40, items, seed])
    out: list[tuple[int, int, int, int]] = []
    while len(out) < count:
        base, apart = rng.uniform(0.3, 0.95), rng.uniform(0.05, 0.4)
        share = rng.uniform(0.3, 1.0)
        shares = [(1 - apart) * base, apart * share, apart * (1 - share), (1 - apart) * (1 - base)]
        both, first, second, neither = (int(k) for k in rng.multinomial(items, shares))
        if first != second:
            out.append((both, first, second, neither))
    return out


def is_recognized(table: tuple[int, int, int, int], limits: Array, decimals: int) -> bool:
    both, first, second, _ = table
    n = sum(table)
    a, b = (stats.grim(round((both + k) / n, 3), n, decimals=3) for k in (first, second))
    tables, half = feasible((a.low, a.high), (b.low, b.high), n), 0.5 * 10.0**-decimals
    low, high = (RoundingInterval(x - half, x + half) for x in np.round(limits / n, decimals))
    return "bootstrap" in names(matching_intervals(tables, low, high))


@pytest.mark.parametrize(
    ("items", "count"),
    [(30, 2), (200, 1), *(pytest.param(n, 20, marks=pytest.mark.slow) for n in (20, 50, 1000))],
)
def test_bootstrap_intervals_are_recognized(items: int, count: int) -> None:
    rng = np.random.default_rng([41, items])
    unknown = []
    for table in bootstrap_tables(items, count, 1):
        _, first, second, _ = table
        third = float(paired_moments(np.asarray(first), np.asarray(second), items).third)
        gaps = resampled_gaps(table, 2000, rng)
        for method, limits in bootstrap_intervals(gaps, first - second, third).items():
            if not is_recognized(table, limits, decimals=3):
                unknown.append((table, method, limits.tolist()))
    assert unknown == []


def test_the_expansion_against_all_resamples_of_few_items() -> None:
    """Quantiles of the exact distribution, by convolution item by item."""
    n, quantiles = 30, (2.33, 1.96, 1.75)
    for won in range(1, 9):
        for lost in range(9):
            chances = np.array([lost, n - won - lost, won]) / n
            pmf = np.ones(1)
            for _ in range(n):
                pmf = np.convolve(pmf, chances)
            values, below = np.arange(-n, n + 1), np.cumsum(pmf)
            moments = paired_moments(np.asarray(float(won)), np.asarray(float(lost)), n)
            for z in quantiles:
                low, high = bootstrap_limits(moments, z, SKEW_TERMS[0])
                tail = reference.norm.sf(z)
                exact = values[below >= tail][0], values[below >= 1 - tail][0]
                assert abs(exact[0] - float(low)) <= MAX_EXPANSION_ERROR, (won, lost, z)
                assert abs(exact[1] - float(high)) <= MAX_EXPANSION_ERROR, (won, lost, z)
            if won > lost:
                share = bootstrap_tail(moments, boundary=0.5, mirrored=False)
                assert float(share) == pytest.approx(below[values == 0][0], abs=0.02)


def test_a_wrong_interval_is_not_called_a_bootstrap() -> None:
    """Tango's interval of 130 against 90 items of 1,000, with one limit moved by half of it."""
    tables = feasible((750, 750), (710, 710), 1000)
    low, high = (float(x) for x in stats.paired_interval(130, 90, 1000))
    move = (high - low) / 2
    for limits in ((low - move, high), (low + move, high), (low, high - move), (low, high + move)):
        windows = [RoundingInterval(x - 5e-4, x + 5e-4) for x in limits]
        assert not names(matching_intervals(tables, *windows)), limits


@pytest.mark.parametrize(
    ("items", "count"),
    [(20, 2), *(pytest.param(n, 10, marks=pytest.mark.slow) for n in (30, 100, 1000))],
)
def test_resampled_p_values_are_recognized(items: int, count: int) -> None:
    """One-sided, doubled and centered shares of 2,000 resamples, with ties and without them."""
    rng = np.random.default_rng([42, items])
    for both, first, second, neither in bootstrap_tables(items, count, 2):
        won, lost = max(first, second), min(first, second)
        gaps = resampled_gaps((both, won, lost, neither), 2000, rng)
        tables = feasible((both + won, both + won), (both + lost, both + lost), items)
        ties, none = float(np.mean(gaps <= 0)), float(np.mean(gaps < 0))
        far = float(np.mean(gaps >= 2 * (won - lost)))
        for p in (ties, none, far, 1 - ties, 2 * ties, 2 * none):
            if 0 < p <= 1:
                window = RoundingInterval(p - 5e-5, min(p + 5e-5, 1.0))
                found = matching_tests(tables, window)
                assert "resampling" in names(found), (both, won, lost, neither, p)
