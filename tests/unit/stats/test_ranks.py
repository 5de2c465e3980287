"""Unit tests of nstar.stats.ranks, against R (csranks) and plain loops."""

import itertools

import numpy as np
import pytest

from nstar._base.types import BoolArray, FloatLike, IntArray
from nstar.errors import ParameterError
from nstar.stats import maxt, ranks

# R: csranks(THETA, COV, coverage = .95, R = 20000), simul and stepdown as named
# fmt: off
THETA = [0.742, 0.731, 0.716, 0.69, 0.688, 0.64]
COV = [
    [0.000191436, 0.0001455150448485, 0.0001085151003324,
     0.0001112960849311, 0.0001114925917711, 0.0001155089756512],
    [0.0001455150448485, 0.000196639, 0.00010997986928,
     0.000112798392432, 0.0001129975517795, 0.0001170681499982],
    [0.0001085151003324, 0.00010997986928, 0.000203344,
     0.0001147053733876, 0.0001149078997431, 0.0001190473159042],
    [0.0001112960849311, 0.000112798392432, 0.0001147053733876,
     0.0002139, 0.0001178527166255, 0.0001220982162032],
    [0.0001114925917711, 0.0001129975517795, 0.0001149078997431,
     0.0001178527166255, 0.000214656, 7.783605169843e-05],
    [0.0001155089756512, 0.0001170681499982, 0.0001190473159042,
     0.0001220982162032, 7.783605169843e-05, 0.0002304],
]
# fmt: on
SINGLE_STEP = ([1, 1, 1, 3, 3, 5], [3, 3, 5, 5, 6, 6])
STEP_DOWN = ([1, 1, 1, 3, 3, 6], [3, 3, 5, 5, 5, 6])
MARGINAL = ([1, 1, 1, 3, 3, 6], [3, 3, 5, 5, 5, 6])


def as_lists(sets: tuple[IntArray, IntArray]) -> tuple[list[int], list[int]]:
    return sets[0].tolist(), sets[1].tolist()


def better_of(pairs: list[tuple[int, int]], models: int) -> BoolArray:
    flags = np.zeros((models, models), dtype=bool)
    for i, j in pairs:
        flags[i, j] = True
    return flags


def test_rank_sets_of_csranks() -> None:
    result = maxt.max_t(THETA, COV, draws=100_000, rng=1)
    better = ranks.beats(THETA, result)
    assert as_lists(ranks.rank_sets(better)) == STEP_DOWN
    single = np.zeros((6, 6), dtype=bool)
    single[tuple(result.pairs[result.p_single <= 0.05].T)] = True  # THETA falls
    assert as_lists(ranks.rank_sets(single)) == SINGLE_STEP
    assert ranks.tier_lines(better, np.arange(6)) == [5]


def test_marginal_rank_sets_of_csranks() -> None:
    assert as_lists(ranks.marginal_rank_sets(THETA, COV, rng=1)) == MARGINAL
    low, high = ranks.marginal_rank_sets(THETA, COV, models=[4, 2], rng=1)
    assert (low.tolist(), high.tolist()) == ([3, 1], [5, 5])
    low, high = ranks.marginal_rank_sets(THETA, COV, models=5, rng=1)
    assert (low.tolist(), high.tolist()) == ([6], [6])


@pytest.mark.parametrize("df", [None, 6.0])
def test_marginal_sets_are_max_t_over_the_pairs_of_one_model(df: float | None) -> None:
    rng = np.random.default_rng(2)
    root = rng.normal(size=(8, 10))
    means, cov = 4 * rng.normal(size=8), root @ root.T
    low, high = ranks.marginal_rank_sets(means, cov, draws=4000, df=df, rng=3)
    for j in range(8):
        pairs = [[j, k] for k in range(8) if k != j]
        r = maxt.max_t(means, cov, pairs=pairs, draws=4000, df=df, rng=3)
        away = r.p_single <= 0.05
        assert low[j] == 1 + np.sum(away & (r.t < 0))
        assert high[j] == 8 - np.sum(away & (r.t > 0))


def test_beats_follows_the_means_whatever_the_order_of_a_pair() -> None:
    means = [0.2, 0.9, 0.5]
    r = maxt.max_t(means, 1e-6 * np.eye(3), pairs=[[0, 1], [2, 0]], draws=999, rng=1)
    assert ranks.beats(means, r).astype(int).tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0]]


def test_identical_models_share_their_ranks() -> None:
    cov = 1e-6 * np.array([[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]])
    means = [0.7, 0.7, 0.2]
    expected = ([1, 1, 3], [2, 2, 3])
    result = maxt.max_t(means, cov, draws=999, rng=1)
    assert as_lists(ranks.rank_sets(ranks.beats(means, result))) == expected
    assert as_lists(ranks.marginal_rank_sets(means, cov, draws=999, rng=1)) == expected
    apart = ranks.marginal_rank_sets([0.7, 0.6], np.zeros((2, 2)), draws=999, rng=1)
    assert as_lists(apart) == ([1, 2], [1, 2])


def test_nothing_resolved_leaves_every_rank_open() -> None:
    low, high = ranks.rank_sets(np.zeros((4, 4), dtype=bool))
    assert low.tolist() == [1] * 4
    assert high.tolist() == [4] * 4
    assert ranks.tier_lines(np.zeros((4, 4)), [3, 1, 0, 2]) == []


def test_a_complete_order_has_every_line() -> None:
    order = [2, 0, 3, 1]
    better = better_of(list(itertools.combinations(order, 2)), 4)
    assert ranks.tier_lines(better, order) == [1, 2, 3]
    low, high = ranks.rank_sets(better)
    assert low.tolist() == high.tolist() == [2, 4, 1, 3]


def test_neighbors_alike_but_ends_apart_get_no_line() -> None:
    # 1 ~ 2 ~ 3 ~ 4 and yet 1 beats 4
    better = better_of([(0, 3)], 4)
    assert ranks.tier_lines(better, range(4)) == []
    assert as_lists(ranks.rank_sets(better)) == ([1, 1, 1, 2], [3, 4, 4, 4])


def test_lines_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(200):
        models = int(rng.integers(1, 7))
        order = rng.permutation(models)
        upper = np.triu(rng.random((models, models)) < 0.85, 1)
        better = np.zeros((models, models), dtype=bool)
        better[np.ix_(order, order)] = upper
        expected = [r for r in range(1, models) if upper[:r, r:].all()]
        assert ranks.tier_lines(better, order) == expected
        found += len(expected)
    assert found > 50


@pytest.mark.parametrize(
    ("better", "message"),
    [
        ([[0, 1], [1, 0]], "better must be true in only one direction"),
        ([[1, 0], [0, 0]], "better must be true in only one direction"),
        ([[0, 2], [0, 0]], "better must be an array of true/false values; got 2"),
        ([0, 1], "number of axes of better must be 2; got 1"),
    ],
)
def test_bad_matrices_are_refused(better: FloatLike, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ranks.rank_sets(better)
    with pytest.raises(ParameterError, match=message):
        ranks.tier_lines(better, [0, 1])


def test_bad_orders_models_and_means_are_refused() -> None:
    with pytest.raises(ParameterError, match="order must be a permutation of 0 … 1"):
        ranks.tier_lines(np.zeros((2, 2)), [0, 0])
    with pytest.raises(ParameterError, match="order must be a permutation"):
        ranks.tier_lines(np.zeros((2, 2)), [0, 1, 2])
    with pytest.raises(ParameterError, match="models must be indices below 6; got 6"):
        ranks.marginal_rank_sets(THETA, COV, models=[6])
    result = maxt.max_t(THETA, COV, draws=99, rng=1)
    with pytest.raises(ParameterError, match="pairs must be indices below 3"):
        ranks.beats(THETA[:3], result)
    with pytest.raises(ParameterError, match="number of axes of means must be 1; got 0"):
        ranks.beats(0.5, result)
