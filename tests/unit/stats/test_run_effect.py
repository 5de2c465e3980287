"""The permutation test of what a run shares: all permutations, all outcomes, binomial laws."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats as scipy_stats

from nstar._base.types import Array
from nstar.stats import components
from nstar.stats.components import run_components


def pvalue(table: Array) -> float:
    p = run_components(table).run_p
    assert p is not None
    return p


def by_all_permutations(table: Array) -> float:
    """F of every table that permuting runs within tasks can give, from its sums of squares."""

    def ratio(y: Array) -> float:
        k = len(y)
        between = k * float(((y.mean(axis=0) - y.mean()) ** 2).sum())
        rest = y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()
        left = float((rest**2).sum())
        return np.inf if left < 1e-12 else (k - 1) * between / left

    found = ratio(table)
    all_rows = [list(permutations(row)) for row in table.tolist()]
    ratios = np.array([ratio(np.array(rows)) for rows in product(*all_rows)])
    return float((ratios >= found * (1 - 1e-9)).mean())


TABLES = [
    [[1, 0], [1, 0]],
    [[1, 0, 0], [1, 0, 0]],
    [[1, 0, 1], [1, 0, 1], [0, 0, 1]],
    [[1, 0], [1, 0], [1, 0], [0, 1], [1, 1], [0, 0]],
    [[0.5, 0.1, 0.3], [0.9, 0.2, 0.6], [0.4, 0.4, 0.7]],
    [[7.0, 3.0, 4.0], [2.0, 2.0, 2.0], [1.0, 5.0, 9.0]],
    [[1, 0, 1, 1], [1, 0, 0, 1]],
]


@pytest.mark.parametrize("rows", TABLES)
def test_few_permutations_are_all_tried(rows: list[list[float]]) -> None:
    table = np.array(rows, dtype=float)
    assert pvalue(table) == pytest.approx(by_all_permutations(table), abs=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("k", "n"), [(2, 2), (2, 3), (3, 2), (3, 3), (5, 2), (2, 4)])
def test_size_over_all_outcomes(k: int, n: int) -> None:
    """Every 0/1 table with its probability: P(p <= alpha) is at most alpha, at any alpha."""
    outcomes = np.array(list(product((0.0, 1.0), repeat=k * n))).reshape(-1, k, n)
    p = np.array([pvalue(table) for table in outcomes])
    for rates in (np.full(k, 0.5), np.linspace(0.1, 0.8, k), np.full(k, 0.95)):
        chance = np.where(outcomes == 1, rates[:, None], 1 - rates[:, None]).prod(axis=(1, 2))
        assert chance.sum() == pytest.approx(1)
        for alpha in np.unique(p):
            assert chance[p <= alpha].sum() <= alpha + 1e-12


def pairs(first: int, second: int) -> Array:
    """Tasks on which only the first, only the second of two runs passed, and ten of neither."""
    return np.repeat([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [first, second, 10], axis=0)


@pytest.mark.parametrize(("first", "second"), [(20, 6), (30, 12), (40, 40), (70, 20), (12, 20)])
def test_drawn_permutations_of_two_runs_follow_the_binomial(first: int, second: int) -> None:
    want = scipy_stats.binomtest(first, first + second).pvalue
    error = want * max(1 / want / 1e4, 1 / 100) ** 0.5
    assert pvalue(pairs(first, second)) == pytest.approx(want, abs=4 * error + 1e-4)


@pytest.mark.parametrize("lead", [2, 130, 184, 260])
def test_many_tasks_need_no_permutations(lead: int) -> None:
    """5,100 tasks, two runs: F against the exact binomial law, whose steps are coarse."""
    first = 2550 + lead // 2
    want = scipy_stats.binomtest(first, 5100).pvalue
    assert pvalue(pairs(first, 5100 - first)) == pytest.approx(want, rel=0.06)


def test_both_sides_of_the_change_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    rate = rng.random((300, 1)) + np.array([0, 0, 0.06, 0.1])
    table = (rng.random((300, 4)) < rate).astype(float)
    drawn = pvalue(table)
    monkeypatch.setattr(components, "_MAX_SCORES_PERMUTED", 0)
    assert 0.001 < drawn < 0.2
    assert drawn == pytest.approx(pvalue(table), rel=0.25)


def test_order_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    table = (rng.random((40, 5)) < 0.5).astype(float)
    p = pvalue(table)
    assert p == pvalue(table[::-1]) == pvalue(table[:, ::-1]) == pvalue(table)
    assert p == pvalue(table[rng.permutation(40)][:, rng.permutation(5)])


def test_tasks_that_never_moved_do_not_count() -> None:
    moved = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    more = np.vstack([moved, np.ones((500, 3)), np.zeros((500, 3))])
    assert pvalue(more) == pvalue(moved)
    assert pvalue(more[2:]) == 1.0


def test_no_p_is_zero() -> None:
    table = np.tile([1.0, 0.0, 0.0], (50, 1))
    assert pvalue(table) == 1e-4
    assert pvalue(np.tile([1.0, 0.0, 0.0], (5000, 1))) > 0
