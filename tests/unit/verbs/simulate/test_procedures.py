"""Tests and intervals on many replications decide as the kernel does on each."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import special
from scipy import stats as st

from nstar import stats
from nstar._verbs.simulate import INTERVALS, SCENARIOS, TESTS, Counts, Scores, SimulatedSample
from nstar._verbs.simulate.procedures.counts import limits
from nstar._verbs.simulate.procedures.sequential import cs_boundary, e_process_leads
from nstar._verbs.simulate.procedures.signed_ranks import (
    _max_rare_signs,
    critical_sums,
    signed_rank_rejects,
)
from nstar.errors import DegenerateDataWarning, ParameterError

Rows = Any


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def scores(d: Rows, **more: Any) -> Scores:
    return Scores(d=np.asarray(d, dtype=np.float64), truth=0.0, **more)


def every_table(items: int) -> Counts:
    n10, n01 = (v.ravel() for v in np.indices((items + 1, items + 1)))
    fits = n10 + n01 <= items
    return Counts(items=items, n10=n10[fits], n01=n01[fits], truth=0.0)


def spelled_out(counts: Counts) -> Scores:
    place = np.arange(counts.items)
    won, met = counts.n10[:, None], (counts.n10 + counts.n01)[:, None]
    return scores((place < won) * 1.0 - ((place >= won) & (place < met)))


def drawn(name: str, reps: int, items: int, **given: Any) -> SimulatedSample:
    return SCENARIOS[name](rng(), reps, items, **given)


# --- 0/1 scores ---------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("method", ["midp", "exact", "asymptotic", "corrected"])
def test_mcnemar_decides_as_its_p_value(method: Any, alpha: float) -> None:
    for items in (7, 50):
        sample = every_table(items)
        p = stats.mcnemar_pvalue(sample.n10, sample.n01, method=method)
        want = p <= alpha * (1 + 1e-12)
        assert np.array_equal(TESTS[method](sample, alpha, rng()), want)
        assert np.array_equal(TESTS[method](spelled_out(sample), alpha, rng()), want)


def test_the_default_decides_as_its_p_value() -> None:
    sample = every_table(40)
    p = stats.mcnemar_default_pvalue(sample.n10, sample.n01, 40)
    assert np.array_equal(TESTS["mcnemar"](sample, 0.05, rng()), p <= 0.05)


def test_wald_rejects_where_its_interval_excludes_0() -> None:
    for items in (9, 60):
        sample = every_table(items)
        low, high = INTERVALS["wald-binary"](sample, 0.95, rng())
        assert np.array_equal(TESTS["wald"](sample, 0.05, rng()), (low > 0) | (high < 0))


@pytest.mark.parametrize("name", ["tango", "wald-binary", "agresti-min", "bonett-price"])
def test_intervals_of_tables(name: str) -> None:
    sample = drawn("bernoulli", 500, 80, delta=0.05)
    assert isinstance(sample, Counts)
    method: Any = name.removesuffix("-binary")
    want: Any = stats.paired_interval(sample.n10, sample.n01, 80, method=method, conf=0.9)
    assert np.array_equal(INTERVALS[name](sample, 0.9, rng()), want)
    assert np.array_equal(INTERVALS[name](spelled_out(sample), 0.9, rng()), want)


@pytest.mark.parametrize("name", ["t", "wilcoxon", "sign-flip"])
def test_counts_and_their_items_give_one_answer(name: str) -> None:
    sample = every_table(17)
    from_counts = TESTS[name](sample, 0.05, rng())
    assert np.array_equal(from_counts, TESTS[name](spelled_out(sample), 0.05, rng()))
    big = drawn("bernoulli", 60, 700, psi=0.45, delta=0.05)
    assert isinstance(big, Counts)
    if name != "sign-flip":
        assert np.array_equal(
            TESTS[name](big, 0.05, rng()), TESTS[name](spelled_out(big), 0.05, rng())
        )


# --- t and Wilcoxon -----------------------------------------------------------------------


def rows_of_all_kinds(items: int, reps: int) -> Rows:
    r = rng(items)
    d = r.standard_normal((reps, items)) + r.choice([0.0, 0.2, 0.5], (reps, 1))
    part = reps // 5
    d[part : 2 * part] = np.round(d[part : 2 * part] * 2) / 2
    d[2 * part : 3 * part][r.random((part, items)) < 0.3] = 0.0
    d[3 * part : 4 * part] = np.sign(d[3 * part : 4 * part]) * (r.random((part, items)) < 0.8)
    d[0] = 0.0
    d[1] = -0.0
    d[2] = np.where(np.arange(items) % 2, -0.0, d[2])
    return d


ITEMS = [2, 3, 5, 6, 9, 13, 30, 60, 199, 201, 260]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("items", ITEMS)
def test_wilcoxon_decides_as_the_kernel(items: int, alpha: float) -> None:
    d = rows_of_all_kinds(items, 250 if items < 100 else 100)
    want = [stats.wilcoxon_pvalue(row) <= alpha * (1 + 1e-12) for row in d]
    assert np.array_equal(signed_rank_rejects(d, alpha), want)


def test_wilcoxon_decides_as_scipy() -> None:
    d = rng(8).standard_normal((300, 40)) + 0.3
    p = st.wilcoxon(d, axis=1, method="exact").pvalue
    assert np.array_equal(signed_rank_rejects(d, 0.05), p <= 0.05)
    d = rng(8).standard_normal((300, 300)) + 0.1
    d[:100] = np.round(d[:100], 1)
    p = st.wilcoxon(d, axis=1, method="approx", correction=False).pvalue
    assert np.array_equal(signed_rank_rejects(d, 0.05), p <= 0.05)


def scipy_wilcoxon(d: Rows, alpha: float) -> Rows:
    """Decisions of scipy, exact where nstar's are."""
    exact = (d != 0).sum(axis=1) <= 200
    whole = exact & (d != 0).all(axis=1)
    p: Rows = st.wilcoxon(d, axis=1, method="approx", correction=False).pvalue
    if whole.any():
        p[whole] = st.wilcoxon(d[whole], axis=1, method="exact").pvalue
    for row in np.flatnonzero(exact & ~whole):
        p[row] = st.wilcoxon(d[row][d[row] != 0], method="exact").pvalue
    return p <= alpha


STUDY = [
    (law, items, delta, rho)
    for law in ("normal", "beta")
    for items in (50, 100, 200, 500, 1000)
    for delta in (0.0, 0.01, 0.02, 0.05, 0.1)
    for rho in (0.5, 0.8, 0.95)
]


@pytest.mark.parametrize("reps", [6, pytest.param(100, marks=pytest.mark.slow)])
def test_decisions_in_every_cell_of_the_study_are_scipys(reps: int) -> None:
    source, checked = rng(reps), 0
    for law, items, delta, rho in STUDY:
        sample = SCENARIOS[law](source, reps, items, delta=delta, rho=rho)
        t = st.ttest_1samp(sample.d, 0, axis=1).pvalue <= 0.05
        assert np.array_equal(TESTS["t"](sample, 0.05, rng()), t)
        want = scipy_wilcoxon(sample.d, 0.05)
        assert np.array_equal(TESTS["wilcoxon"](sample, 0.05, rng()), want)
        checked += 2 * reps
    assert checked == 300 * reps


@pytest.mark.parametrize("items", [30, 150, 300])
def test_wilcoxon_tells_apart_what_32_bits_cannot(items: int) -> None:
    near = 1 + 1e-12 * rng().permuted(np.tile(np.arange(items), (200, 1)), axis=1)
    sign = np.where(rng(2).random((200, items)) < 0.4, -1.0, 1.0)
    assert np.unique(near.astype(np.float32)).size == 1
    want = scipy_wilcoxon(near * sign, 0.05)
    assert 0 < want.sum() < 200
    for factor in (1.0, 1e-60, 1e60):
        assert np.array_equal(signed_rank_rejects(near * sign * factor, 0.05), want)


def test_wilcoxon_keeps_what_is_almost_zero() -> None:
    d = rng(3).standard_normal((200, 40)) + 0.3
    d[:, :2] = [1e-50, -1e-60]
    d[100:, 2] = 0.0
    d[150:, 3] = -1e300
    assert np.array_equal(signed_rank_rejects(d, 0.05), scipy_wilcoxon(d, 0.05))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("items", [6, 20, 60, 199, 201, 400])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_rows_with_few_of_the_other_sign_need_no_ranks(items: int, alpha: float) -> None:
    """The worst of them: those few have the largest ranks, alone or shared."""
    most = _max_rare_signs(items, alpha)
    assert most < items / 2
    size = np.arange(1.0, items + 1)
    rows = [np.where(size > items - few, -size, size) for few in range(most + 1)]
    rows += [np.ceil(row / 3) for row in rows] + [np.where(row < 0, 0.0, row) for row in rows]
    for row in rows:
        assert stats.wilcoxon_pvalue(row) <= alpha * (1 + 1e-12)
    d = np.array([*rows, *(-row for row in rows)]) if rows else np.ones((2, items))
    want = [stats.wilcoxon_pvalue(row) <= alpha * (1 + 1e-12) for row in d]
    assert np.array_equal(signed_rank_rejects(d, alpha), want)
    assert np.array_equal(signed_rank_rejects(d[::-1], alpha), want[::-1])


def test_wilcoxon_of_more_items_than_32_bits_can_sum() -> None:
    d = rng(4).standard_normal((30, 6000)) + 0.025
    want = scipy_wilcoxon(d, 0.05)
    assert 0 < want.sum() < 30
    assert np.array_equal(signed_rank_rejects(d, 0.05), want)


def test_wilcoxon_critical_sums_are_those_of_tables() -> None:
    sums = critical_sums(0.05)
    assert sums[:11].tolist() == [-1] * 6 + [0, 2, 3, 5, 8]
    assert sums[[15, 20, 25, 50]].tolist() == [25, 52, 89, 434]


def test_wilcoxon_takes_views_and_leaves_them() -> None:
    whole = rng(4).standard_normal((40, 60))
    kept = whole.copy()
    assert np.array_equal(
        signed_rank_rejects(whole[:, ::2], 0.05), signed_rank_rejects(whole[:, ::2].copy(), 0.05)
    )
    assert np.array_equal(whole, kept)


@pytest.mark.parametrize("items", ITEMS)
def test_t_decides_as_the_kernel_and_scipy(items: int) -> None:
    d = rows_of_all_kinds(items, 250)
    found = TESTS["t"](scores(d), 0.05, rng())
    constant = np.ptp(d, axis=1) == 0
    kernel = stats.t_pvalue(d.mean(axis=1), np.where(constant, 0, d.std(axis=1, ddof=1)), items)
    assert np.array_equal(found, kernel <= 0.05)
    p = st.ttest_1samp(d[~constant], 0, axis=1).pvalue
    assert np.array_equal(found[~constant], p <= 0.05)


def test_t_interval_is_the_kernels() -> None:
    d = rows_of_all_kinds(40, 200)
    want: Any = stats.t_interval(d.mean(axis=1), d.std(axis=1, ddof=1), 40, conf=0.9)
    assert np.allclose(INTERVALS["t"](scores(d), 0.9, rng()), want, atol=1e-12)


# --- resampling ---------------------------------------------------------------------------


def test_sign_flips_of_few_items_are_exact() -> None:
    d = rng().standard_normal((80, 12)) + 0.5
    p = np.array([stats.sign_flip_pvalue(row) for row in d])
    assert np.array_equal(TESTS["sign-flip"](scores(d), 0.05, rng()), p <= 0.05)


@pytest.mark.parametrize("name", ["sign-flip", "bootstrap"])
def test_resampling_agrees_with_the_kernel_where_it_is_clear(name: str) -> None:
    pvalue = stats.sign_flip_pvalue if name == "sign-flip" else stats.bootstrap_pvalue
    d = rng().standard_normal((100, 40)) + rng(1).choice([0, 0.3, 0.5], (100, 1))
    p = np.array([pvalue(row, n_resamples=9999, rng=3) for row in d])
    clear = (p < 0.03) | (p > 0.08)
    assert clear.mean() > 0.7
    assert np.array_equal(TESTS[name](scores(d), 0.05, rng())[clear], p[clear] <= 0.05)


def test_levels_that_random_flips_cannot_show_are_reached() -> None:
    d = rng().standard_normal((30, 40)) + np.repeat([0, 2], 15)[:, None]
    assert TESTS["sign-flip"](scores(d), 1e-5, rng()).tolist() == [False] * 15 + [True] * 15
    with pytest.raises(ParameterError, match="999 bootstrap resamples cannot reach alpha = 1e-05"):
        TESTS["bootstrap"](scores(d), 1e-5, rng())


def test_bootstrap_of_counts_is_that_of_their_items() -> None:
    sample = drawn("bernoulli", 100, 60, delta=0.1, psi=0.3)
    assert isinstance(sample, Counts)
    p = [stats.bootstrap_pvalue(row, rng=1) for row in spelled_out(sample).d]
    clear = (np.array(p) < 0.03) | (np.array(p) > 0.08)
    assert np.array_equal(
        TESTS["bootstrap"](sample, 0.05, rng())[clear], np.array(p)[clear] <= 0.05
    )
    nothing = Counts(items=9, n10=np.array([0]), n01=np.array([0]), truth=0.0)
    assert not TESTS["bootstrap"](nothing, 0.05, rng()).any()


@pytest.mark.parametrize(("name", "method"), [("bootstrap", "percentile"), ("bca", "bca")])
def test_bootstrap_intervals_are_the_kernels_but_for_chance(name: str, method: Any) -> None:
    d = rng().exponential(size=(24, 50)) - 0.7
    found = np.array(INTERVALS[name](scores(d), 0.95, rng()))
    want = np.array([stats.bootstrap_interval(row, method=method, rng=2) for row in d]).T
    assert np.abs(found - want).max() < 0.12 * d.std()
    assert abs((found - want).mean()) < 0.01 * d.std()
    counts = drawn("bernoulli", 24, 200, delta=0.05)
    assert isinstance(counts, Counts)
    low, high = INTERVALS[name](counts, 0.95, rng())
    other = INTERVALS[name](spelled_out(counts), 0.95, rng())
    assert np.abs(np.array([low, high]) - np.array(other)).max() < 0.025


# --- clusters -----------------------------------------------------------------------------


def test_cluster_tests_are_the_kernels() -> None:
    sample = drawn("clusters", 120, 150, clusters=12, icc=0.2, delta=0.1)
    assert isinstance(sample, Scores)
    assert sample.sizes is not None
    sums = sample.cluster_sums
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        p = stats.cluster_pvalue(sums, sample.sizes)
        want: Any = stats.cluster_interval(sums, sample.sizes, conf=0.9)
    assert np.array_equal(TESTS["cluster-cr2"](sample, 0.05, rng()), p <= 0.05)
    assert np.allclose(INTERVALS["cluster-cr2"](sample, 0.9, rng()), want)
    flips = stats.cluster_sign_flip_pvalue(sums)
    assert np.array_equal(TESTS["cluster-sign-flip"](sample, 0.05, rng()), flips <= 0.05)


# --- looks --------------------------------------------------------------------------------


def log_e(b: Any, c: Any) -> Any:
    half = special.betaln(0.5, 0.5)
    return (b + c) * np.log(2) + special.betaln(0.5 + b, 0.5 + c) - half


def test_e_process_leads_are_the_first_that_reach() -> None:
    leads = e_process_leads(300, 0.05)
    n = np.arange(301)
    reached = leads <= n
    k = (n + leads) // 2
    assert (log_e(k, n - k)[reached] >= np.log(20) - 1e-9).all()
    before = reached & (leads >= 2)
    assert (log_e(k - 1, n - k + 1)[before] < np.log(20)).all()
    assert (log_e(n, 0 * n)[~reached] < np.log(20)).all()


def test_e_process_has_the_type_1_error_of_dynamic_programming() -> None:
    most = 2000
    leads = e_process_leads(most, 0.05)
    alive = np.zeros(2 * most + 3)
    alive[most + 1] = 1.0
    distance = np.abs(np.arange(-most - 1, most + 2))
    for n in range(1, most + 1):
        alive[1:-1] = 0.5 * (alive[:-2] + alive[2:])
        alive[distance >= leads[n]] = 0.0
    assert abs(1 - alive.sum() - 0.037) < 0.0006


def test_e_process_follows_every_item() -> None:
    d = rng().choice([-1.0, 0.0, 1.0], p=[0.1, 0.6, 0.3], size=(200, 150))
    b, c = np.cumsum(d > 0, axis=1), np.cumsum(d < 0, axis=1)
    want = (log_e(b, c) >= np.log(20)).any(axis=1)
    assert 0.1 < want.mean() < 0.95
    assert np.array_equal(TESTS["e-process"](scores(d), 0.05, rng()), want)


def test_counts_arrive_in_random_order() -> None:
    sample = drawn("bernoulli", 3000, 300, delta=0.08, psi=0.3)
    counted = TESTS["e-process"](sample, 0.05, rng()).mean()
    d = rng(9).choice([-1.0, 0.0, 1.0], p=[0.11, 0.7, 0.19], size=(3000, 300))
    assert abs(counted - TESTS["e-process"](scores(d), 0.05, rng()).mean()) < 0.05


def test_confidence_sequence_is_narrowest_at_its_end() -> None:
    boundary = cs_boundary(500, 0.05) / np.sqrt(np.arange(1, 501))
    assert np.isclose(boundary[-1], float(stats.anytime_critical(0.05)))
    d = rng().standard_normal((2000, 300))
    found = TESTS["asymptotic-cs"](scores(d), 0.05, rng()).mean()
    assert 0.005 < found < 0.04
    assert TESTS["asymptotic-cs"](scores(d + 0.4), 0.05, rng()).mean() > 0.99
    few = TESTS["asymptotic-cs"](scores(d[:, :20] + 9), 0.05, rng())
    assert not few.any()


def test_bets_are_those_of_the_kernel() -> None:
    for mean in (0.0, 0.12, -0.12):
        d = rng().normal(mean, 0.3, (40, 150)).clip(-1, 1)
        want = [bool((stats.betting_log_e(row) >= np.log(20)).any()) for row in d]
        assert TESTS["bets"](scores(d), 0.05, rng()).tolist() == want
        assert any(want) == (mean != 0)
    counts = drawn("bernoulli", 50, 300, p_b=0.5, psi=0.4, delta=0.3)
    assert TESTS["bets"](counts, 0.05, rng()).mean() > 0.9
    with pytest.raises(ParameterError, match="Use asymptotic-cs for unbounded"):
        TESTS["bets"](scores([[0.5, 1.5]]), 0.05, rng())


def test_naive_peeking_is_wrong_and_seen_to_be() -> None:
    sample = drawn("bernoulli", 1500, 2000, psi=0.2)
    assert 0.33 < TESTS["naive-peeking"](sample, 0.05, rng()).mean() < 0.45
    assert TESTS["e-process"](sample, 0.05, rng()).mean() < 0.05
    d = rng().standard_normal((1000, 200))
    assert TESTS["naive-peeking"](scores(d), 0.05, rng()).mean() > 0.2


def test_naive_peeking_of_t_is_t_after_every_item() -> None:
    d = rng().standard_normal((60, 40)) + 0.2
    each: Any = [st.ttest_1samp(d[:, :k], 0, axis=1).pvalue for k in range(10, 41)]
    want = np.min(each, axis=0) <= 0.05
    assert np.array_equal(TESTS["naive-peeking"](scores(d), 0.05, rng()), want)


# --- what does not apply ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["midp", "exact", "asymptotic", "wald", "mcnemar", "e-process"])
def test_tests_of_0_and_1_refuse_graded_scores(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} needs 0/1 scores"):
        TESTS[name](drawn("beta", 4, 30), 0.05, rng())


def test_interval_of_tables_refuses_graded_scores() -> None:
    with pytest.raises(ParameterError, match="tango needs 0/1 scores"):
        INTERVALS["tango"](drawn("beta", 4, 30), 0.95, rng())


@pytest.mark.parametrize("scenario", ["beta", "bernoulli"])
def test_cluster_procedures_refuse_scenarios_without_clusters(scenario: str) -> None:
    sample = drawn(scenario, 4, 30)
    for name in ("cluster-cr2", "cluster-sign-flip"):
        with pytest.raises(ParameterError, match=f"{name} needs clusters"):
            TESTS[name](sample, 0.05, rng())
    with pytest.raises(ParameterError, match="cluster-cr2 needs clusters"):
        INTERVALS["cluster-cr2"](sample, 0.95, rng())


def test_every_procedure_has_one_line_that_says_what_it_is() -> None:
    for registry in (TESTS, INTERVALS):
        assert all(registry.about(name).endswith(".") for name in registry)


def test_limits_are_made_once() -> None:
    assert limits(100, "midp", 0.05) is limits(100, "midp", 0.05)
