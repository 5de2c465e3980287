"""Parts of a benchmark: sizes and gaps are inverse, samples are unbiased, edges are decided."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nstar import stats
from nstar.errors import ParameterError
from nstar.stats._subset import difficulty_strata, draw_positions, proportional
from nstar.stats.shrink import explained_by_others

SIGMA, ALL = 0.537, 12002


@given(st.floats(0.002, 0.3), st.floats(0.05, 2), st.floats(0, 0.9), st.integers(50, 10**6))
def test_sizes_and_gaps_are_inverse(delta: float, sigma: float, r2: float, total: int) -> None:
    known = {"sigma": sigma, "r2": r2, "total": total}
    n = float(stats.items_needed(delta, **known))
    assert 0 < n <= total
    assert float(stats.subset_mde(n, **known)) == pytest.approx(delta, rel=1e-6, abs=1e-9)
    m = float(stats.items_for_claim(delta, **known))
    if m <= total:
        assert float(stats.subset_claim_mde(m, **known)) == pytest.approx(delta, rel=1e-9)
    else:  # too small: what it takes without known scores
        assert m == pytest.approx(float(stats.items_needed(delta, sigma=sigma)))


def test_all_items_have_no_error_of_their_own_and_the_usual_one_of_a_claim() -> None:
    assert stats.subset_mde(ALL, sigma=SIGMA, total=ALL) == 0
    whole = stats.subset_claim_mde(ALL, sigma=SIGMA, r2=0.4, total=ALL)
    assert float(whole) == pytest.approx(float(stats.normal_mde(ALL, sigma=SIGMA)))


def test_a_claim_against_a_known_model_never_takes_more_than_between_new_ones() -> None:
    delta = np.linspace(0.0137, 0.1, 40)
    new = stats.items_for_claim(delta, sigma=SIGMA, total=ALL)
    assert (stats.items_for_claim(delta, sigma=SIGMA, r2=0.476, total=ALL) <= new).all()


@pytest.mark.parametrize(
    "wrong",
    [{"sigma": 0}, {"sigma": 1, "r2": 1}, {"sigma": 1, "r2": -0.1}, {"sigma": 1, "total": 0}],
)
def test_what_cannot_be_meant_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        stats.items_needed(0.01, **wrong)
    with pytest.raises(ParameterError):
        stats.subset_claim_mde(10, **wrong)
    with pytest.raises(ParameterError, match="at most total"):
        stats.subset_mde(11, sigma=1, total=10)


def test_strata_of_a_sample_need_two_items_or_all() -> None:
    with pytest.raises(ParameterError, match="at least 2"):
        stats.stratified_mean([1, 1], [1, 1], [1, 2], [3, 4])
    with pytest.raises(ParameterError, match="at most the totals"):
        stats.stratified_mean([1], [1], [5], [4])
    whole = stats.stratified_mean([1, 3], [1, 3], [1, 4], [1, 4])
    assert (float(whole.estimate), float(whole.se)) == (0.8, 0)
    assert float(whole.claim_se) == pytest.approx(np.sqrt(0.16 / 4))  # s² / N


def test_samples_are_unbiased_and_their_errors_right() -> None:
    rng = np.random.default_rng(3)
    hard = rng.random(600)
    y = (rng.random(600) < hard).astype(float)
    codes = difficulty_strata(hard, 6)
    counts = proportional(np.bincount(codes), 90)
    totals = np.bincount(codes)
    found = []
    for seed in range(600):
        some = draw_positions(codes, counts, seed)
        sums = stats.cluster_sums(y[some], codes[some])
        found.append(stats.stratified_mean(sums.sums, sums.squares, sums.sizes, totals)[:2])
    mean, se = np.array(found, float).T
    assert mean.mean() == pytest.approx(y.mean(), abs=4 * mean.std() / np.sqrt(600))
    assert np.mean(se**2) == pytest.approx(mean.var(), rel=0.15)


@given(st.lists(st.integers(2, 60), min_size=1, max_size=25), st.data())
def test_shares_are_proportional_and_add_up(sizes: list[int], data: st.DataObject) -> None:
    all_items = sum(sizes)
    n = data.draw(st.integers(2 * len(sizes), all_items))
    counts = proportional(np.array(sizes), n)
    assert counts.sum() == n
    assert (counts >= 2).all()
    assert (counts <= sizes).all()
    exact = np.array(sizes) * n / all_items
    if (exact >= 2).all():
        assert (np.abs(counts - exact) < 1 + 1e-9).all()


def test_others_explain_what_a_ridge_regression_would() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(1, 300)) + rng.normal(size=(4, 300))
    missed = 0.0
    for k in range(10):
        test = np.arange(300) % 10 == k
        a, b = x[1:, ~test], x[0, ~test]
        center = a.mean(axis=1, keepdims=True)
        slope = np.linalg.solve((a - center) @ (a - center).T + np.eye(3), (a - center) @ b)
        missed += np.sum((x[0, test] - b.mean() - slope @ (x[1:, test] - center)) ** 2)
    known = 1 - missed / np.sum((x[0] - x[0].mean()) ** 2)
    assert float(explained_by_others(x)[0]) == pytest.approx(known, rel=1e-9)


def test_a_model_that_never_varies_explains_nothing_and_breaks_nothing() -> None:
    rng = np.random.default_rng(6)
    x = np.stack([np.full(100, 0.5), *rng.random((2, 100))])
    assert explained_by_others(x)[0] == 0
    assert np.isfinite(explained_by_others(1e6 + x)).all()
    with pytest.raises(ParameterError, match="folds"):
        explained_by_others(x[:, :10])
