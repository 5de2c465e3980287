"""One test per design: p, interval, MDE, q, N* and power agree, and are those of the test used.

Every number is held against scipy.stats (binomial and noncentral t distributions) or exact
fractions, not against the kernel.
"""

import itertools
import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats as reference

import nstar
from helpers.cases import each
from nstar import Graded, PairedPsi, ScoreMatrix, stats
from nstar._base.types import Array, IntArray

PSIS = (0.02, 0.1, 0.3, 0.6, 0.75, 0.8, 0.85, 0.95, 1.0)
SHARES = (0.15, 0.3, 0.5, 0.8, 0.99)
"""Gaps as shares of the discordance."""
ALTERNATIVES: Any = {1: "greater", 2: "two-sided"}


def power_of_t(shift: float, df: float, *, alpha: float = 0.05, sides: int = 2) -> float:
    """Of Student's t at a gap of ``shift`` standard errors."""
    critical = reference.t.isf(alpha / sides, df)
    low = reference.nct.cdf(-critical, df, shift) if sides == 2 and shift < 6 else 0.0
    return float(reference.nct.sf(critical, df, shift) + low)


def mid_p(k: IntArray, m: int) -> Array:
    """One-sided mid-p values of k wins out of m discordant items."""
    return np.asarray(reference.binom.sf(k, m, 0.5) + reference.binom.pmf(k, m, 0.5) / 2)


def least_wins(m: int, n: int, tail: float) -> int:
    """Fewest wins out of m discordant of n items at which compare's test rejects in one tail."""
    k = np.arange(m // 2 + 1, m + 1)
    p = reference.binom.sf(k - 1, m, 0.5) if m > 0.8 * n else mid_p(k, m)
    rejects = p <= tail * (1 + 1e-12)
    return int(k[rejects.argmax()]) if rejects.any() else m + 1


def enumerated(delta: float, psi: float, n: int, *, tail: float = 0.025) -> float:
    """Power of McNemar's test as compare makes it, all tables weighed, right side only."""
    weights = reference.binom.pmf(np.arange(n + 1), n, psi)
    win = min((psi + delta) / (2 * psi), 1.0)
    some = np.flatnonzero(weights > 1e-12)
    return float(
        sum(
            weights[m] * reference.binom.sf(least_wins(int(m), n, tail) - 1, m, win)
            for m in some
            if m
        )
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("psi", PSIS)
def test_planned_items_reach_the_power_of_the_test_that_is_used(psi: float, sides: Any) -> None:
    for share in SHARES:
        need = nstar.plan(psi=psi, delta=psi * share, alternative=ALTERNATIVES[sides]).n_star
        assert need is not None
        if need <= 600:
            found = enumerated(psi * share, psi, int(need), tail=0.05 / sides)
            assert found >= 0.79, (psi, share, need, found)


@pytest.mark.parametrize(
    ("psi", "delta", "items", "sides"),
    [(0.1, 0.09, 37, 1), (0.9, 0.81, 3, 1), (1.0, 0.3, 85, 2), (0.3, 0.1, 200, 1)],
)
def test_the_power_of_a_plan_is_enumerated_on_either_side(
    psi: float, delta: float, items: int, sides: Any
) -> None:
    found = nstar.plan(psi=psi, delta=delta, items=items, alternative=ALTERNATIVES[sides]).power
    assert found == pytest.approx(enumerated(delta, psi, items, tail=0.05 / sides), abs=1e-6)


def test_where_nearly_all_items_are_discordant_a_plan_is_for_the_exact_test() -> None:
    need = nstar.plan(PairedPsi(psi=1.0), delta=0.3).n_star
    assert need is not None
    assert 90 <= need <= 97  # first reaches 80% at 90, and stays there from 97 on


@pytest.mark.parametrize(
    "cells", [(5, 1, 4), (30, 12, 58), (9, 0, 91), (60, 30, 5), (200, 150, 800)]
)
def test_a_gap_of_the_mde_is_one_that_needs_these_items(cells: tuple[int, int, int]) -> None:
    b, c, rest = cells
    pair = nstar.compare([1] * b + [0] * (c + rest), [0] * b + [1] * c + [0] * rest).tasks[0]
    assert pair.q is not None
    assert pair.q == pytest.approx(pair.n_items / pair.n_star)
    assert pair.is_resolved == (pair.q >= 1)
    detectable = math.inf if pair.mde is None else pair.mde
    assert (abs(pair.gap) >= detectable) == (pair.q >= 1)
    if pair.is_resolved and pair.n_items <= 400:
        assert enumerated(pair.gap, (b + c) / pair.n_items, pair.n_items) >= 0.79


@pytest.mark.parametrize(("groups", "needed"), [(3, 9), (5, 13), (10, 24), (20, 46)])
def test_few_clusters_need_as_many_as_the_noncentral_t_says(groups: int, needed: int) -> None:
    rng = np.random.default_rng(groups)
    means = rng.normal(size=groups)
    means = 0.1 + (means - means.mean()) / means.std(ddof=1) * 0.1 * math.sqrt(groups) / 1.9
    a = np.repeat(means, 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pair = nstar.compare(
            a, np.zeros_like(a), cluster=np.repeat(np.arange(groups), 20).tolist()
        ).tasks[0]
    assert pair.t == pytest.approx(1.9)
    assert math.ceil(pair.n_star / 20 - 1e-9) == needed
    for count, enough in ((needed, True), (needed - 1, False)):
        assert (power_of_t(1.9 * math.sqrt(count / groups), count - 1) >= 0.8) == enough
    assert pair.mde is not None
    assert power_of_t(pair.mde / pair.se, groups - 1) == pytest.approx(0.8, abs=1e-5)


@pytest.mark.parametrize("effect", [0.3, 0.7, 0.8, 0.9])
def test_graded_items_needed_are_those_of_the_exact_t(effect: float) -> None:
    rng = np.random.default_rng(5)
    d = rng.normal(size=12)
    d = (d - d.mean()) / d.std(ddof=1) * 0.1 + 0.1 * effect
    pair = nstar.compare(0.5 + d, np.full(12, 0.5)).tasks[0]
    need = next(n for n in itertools.count(3) if power_of_t(effect * math.sqrt(n), n - 1) >= 0.8)
    assert math.ceil(pair.n_star) == max(need, 10)
    planned = nstar.plan(Graded(sd=0.1), delta=0.1 * effect).n_star
    assert planned == max(need, 10)
    assert pair.mde is not None
    assert power_of_t(pair.mde / pair.se, 11) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("items", [6, 8, 12, 20])
def test_what_few_items_in_strata_detect(items: int) -> None:
    rng = np.random.default_rng(items)
    a, labels = rng.normal(0.6, 0.1, items), np.arange(items) % 2
    pair = nstar.compare(a, np.full(items, 0.5), strata=labels.tolist()).tasks[0]
    assert pair.mde is not None
    assert power_of_t(pair.mde / pair.se, items - 2) == pytest.approx(0.8, abs=1e-5)
    more = pair.n_star / items
    found = power_of_t(pair.t * math.sqrt(more), items * more - 2)
    assert found == pytest.approx(0.8, abs=1e-5)


def test_sign_flips_reach_the_power_of_t_from_the_least_items_on() -> None:
    test = stats.GradedTest()
    rng = np.random.default_rng(2)
    n = test.least
    effect = float(test.reach(n - 1)) / math.sqrt(n)
    signs = 1 - 2.0 * ((np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1)
    d = rng.normal(effect, 1, (2000, n))
    flipped = np.abs(d @ signs.T) >= np.abs(d.sum(axis=1))[:, None] - 1e-12
    both = (flipped.mean(axis=1) <= 0.05) & (reference.ttest_1samp(d, 0, axis=1).pvalue <= 0.05)
    assert both.mean() > 0.78 - 3 * math.sqrt(0.16 / 2000)


# --- spreads that are none ----------------------------------------------------------------


def _is_constant(d: list[Fraction], labels: list[str], kind: str) -> bool:
    """Whether exact fractions leave no variance within strata, or between clusters."""
    groups = {
        k: [x for x, g in zip(d, labels, strict=True) if g == k] for k in sorted(set(labels))
    }
    if kind == "cluster":
        mean = sum(d) / len(d)
        return all(sum(v) == mean * len(v) for v in groups.values())
    lone = [v[0] for v in groups.values() if len(v) == 1]
    several = {k: v for k, v in groups.items() if len(v) > 1}
    if len(lone) == 1 and several:
        smallest = min(several, key=lambda k: (len(several[k]), k))
        several[smallest] = [*several[smallest], *lone]
    elif lone:
        several["lone"] = lone
    return all(len(set(v)) == 1 for v in several.values())


# seed 20 is the only one of the first 40 whose clusters leave no spread
@each(range(21), ["strata", "cluster"])
def test_no_spread_is_none_to_the_last_bit(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    n, groups = int(rng.integers(4, 14)), int(rng.integers(2, 5))
    codes = np.append(rng.integers(0, groups, n - 2), [0, 1])
    steps = rng.choice([0, 1, 2, 3, 5, 7], groups)
    b = rng.integers(0, 3, n) if seed % 2 else np.zeros(n, dtype=np.int64)
    d = [Fraction(int(steps[k]), 10) for k in codes]
    labels = [f"g{k}" for k in codes]
    x = np.array([[float(y + Fraction(int(z), 10)) for y, z in zip(d, b, strict=True)], b / 10])
    declared: dict[str, Any] = {kind: labels}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pair = nstar.compare(x[0], x[1], **declared).tasks[0]
        matrix = ScoreMatrix.from_arrays(x, models=["a", "b"], groups={"g": labels})
        column: dict[str, Any] = {kind: "g"}
        found = nstar.audit(matrix, **column).adjacent
    constant = _is_constant(d, labels, kind)
    assert (pair.se == 0) == constant
    assert (float(found.se[0]) == 0) == constant
    if constant and any(d):
        assert pair.q is None
        assert pair.pvalue > 1e-5


def test_strata_that_agree_within_give_no_certainty() -> None:
    pair = nstar.compare([1] * 7, [1, 1, 0, 0, 0, 0, 0], strata=list("xxyyyyy")).tasks[0]
    assert pair.pvalue == 0.0625
    assert pair.q is None
    graded = nstar.compare(
        [0.8] * 7 + [0.9] * 7, [0.7] * 7 + [0.6] * 7, strata=["x"] * 7 + ["y"] * 7
    ).tasks[0]
    assert graded.pvalue == pytest.approx(2.0**-13)
    assert graded.mde is None
    assert all(row.ci is None for row in graded.breakdowns[0].groups)


def test_two_values_within_the_known_scale_are_graded() -> None:
    pair = nstar.compare([1, 1, 0.9] * 6, [0.9, 1, 0.9] * 6).tasks[0]
    assert (pair.is_binary, pair.binary_values) == (False, (0.0, 1.0))


# --- two values ---------------------------------------------------------------------------


@pytest.mark.parametrize(("low", "high"), [(0, 100), (-1, 1), (2, 5)])
def test_two_values_are_0_and_1_whatever_they_are_called(low: float, high: float) -> None:
    rng = np.random.default_rng(3)
    x = (rng.random((3, 80)) < [[0.7], [0.6], [0.5]]).astype(float)
    other = low + (high - low) * x
    plain, named = (
        nstar.compare(x[0], x[1], margin=0.2),
        nstar.compare(other[0], other[1], margin=0.2 * (high - low)),
    )
    one, two = plain.tasks[0], named.tasks[0]
    assert two.binary_values == (low, high)
    for name in ("pvalue", "gap", "mde", "q", "n_star", "verdict", "counts", "ci"):
        assert getattr(one, name) == getattr(two, name), name
    assert one.equivalence is not None
    assert two.equivalence is not None
    assert two.equivalence.margin == pytest.approx(one.equivalence.margin)
    boards = [
        nstar.audit(ScoreMatrix.from_arrays(scores, models=list("abc"))) for scores in (x, other)
    ]
    assert boards[0].adjacent.pvalue.tolist() == boards[1].adjacent.pvalue.tolist()
    assert boards[1].binary_values == (low, high)
    assert f"All scores are {low:g} or {high:g}" in nstar.report.render(named)


def test_a_gate_of_two_values_is_that_of_0_and_1() -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.random((2, 300)) < 0.7).astype(float)
    plain, named = nstar.gate(a, b, margin=0.1), nstar.gate(100 * a, 100 * b, margin=10)
    assert plain.verdict == named.verdict
    assert plain.tasks[0].comparison.pvalue == named.tasks[0].comparison.pvalue


@pytest.mark.parametrize(("alpha", "sides"), [(0.05, 2), (0.01, 2), (0.05, 1), (0.0004, 2)])
def test_the_significant_gap_is_the_first_that_rejects(alpha: float, sides: Any) -> None:
    """Every split of up to 120 discordant items, against sums of binomial probabilities."""
    test = stats.McNemarTest(alpha=alpha, sides=sides)
    m = np.arange(1, 121)
    for n in (120, 400):
        wins = np.array([least_wins(int(k), n, alpha / sides) for k in m])
        expected = np.where(wins <= m, (2 * wins - m) / n, np.inf)
        np.testing.assert_allclose(test.significant_gap(m, n), expected, rtol=1e-12)


def test_the_significant_gap_of_a_mean_is_where_t_rejects() -> None:
    df = np.array([1, 4, 9, 200, np.inf])
    expected = 0.02 * np.where(np.isinf(df), reference.norm.isf(0.025), reference.t.isf(0.025, df))
    np.testing.assert_allclose(stats.StudentTest().significant_gap(0.02, df), expected, rtol=1e-9)
    graded = stats.GradedTest().significant_gap(0.02, df)
    np.testing.assert_array_equal(np.isinf(graded), df < 5)  # 5 items flip to p = 1/16 at least
    np.testing.assert_allclose(graded[2:], expected[2:], rtol=1e-9)
