"""Errors from few or unequal votes and groups, against dense matrices of all votes."""

from typing import Literal

import numpy as np
import pytest
from scipy import linalg, special
from scipy import stats as law

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar.stats import VoteRows, _vote_corrections
from nstar.stats._vote_corrections import (
    adjusted_cluster_meat,
    cluster_df,
    cluster_share_df,
    leverage_meat,
    pseudo_vote_meat,
)
from nstar.stats.critical import normal_equivalent


def made(
    seed: int,
    *,
    votes: int = 400,
    models: int = 6,
    covariates: int = 0,
    weighted: bool = False,
    ties: float = 0.3,
) -> VoteRows:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, models, votes)
    b = (a + rng.integers(1, models, votes)) % models
    score = rng.choice([1.0, 0.5, 0.0], votes, p=[(1 - ties) / 2, ties, (1 - ties) / 2])
    return VoteRows.of(
        a,
        b,
        score,
        models=models,
        weight=np.exp(rng.normal(0, 0.8, votes)) if weighted else None,
        covariates=rng.normal(size=(votes, covariates)) if covariates else None,
    )


def unequal(rows: VoteRows, groups: int, seed: int = 1) -> IntArray:
    """Groups, the first of which has a third of the votes."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, groups, len(rows))
    return np.where(rng.random(len(rows)) < 1 / 3, 0, code)


def fitted(rows: VoteRows, ties: str) -> stats.VoteFit:
    return stats.davidson_fit(rows) if ties == "davidson" else stats.bradley_terry_fit(rows)


def by_vote(rows: VoteRows, fit: stats.VoteFit) -> tuple[Array, Array, Array]:
    """Design, residual and working covariance of all votes; two rows a vote for Davidson."""
    n, m = len(rows), rows.models
    x = np.zeros((n, m))
    x[np.arange(n), rows.first] = 1
    x[np.arange(n), rows.second] -= 1
    x = np.column_stack([x, rows.covariates])
    if fit.log_tie is None:
        p = special.expit(x @ fit.theta)
        return x, rows.weight * (rows.score - p), np.diag(rows.weight * p * (1 - p))
    win, tie, _ = stats.davidson_probabilities(x @ fit.theta[:-1], fit.log_tie)
    mean = win + tie / 2
    whole = np.zeros((2 * n, x.shape[1] + 1))
    whole[::2, :-1], whole[1::2, -1] = x, 1
    e = np.zeros(2 * n)
    e[::2], e[1::2] = rows.score - mean, (rows.score == 0.5) - tie
    v = np.zeros((2 * n, 2 * n))
    own, both = win + tie / 4 - mean * mean, tie * (0.5 - mean)
    for k in range(n):
        v[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = [
            [own[k], both[k]],
            [both[k], tie[k] * (1 - tie[k])],
        ]
    return whole, e, v


def adjusted(
    rows: VoteRows, fit: stats.VoteFit, code: IntArray, power: float
) -> tuple[Array, list[Array]]:
    """Sums by group of adjusted residuals, and what each is of the group's residuals."""
    x, e, v = by_vote(rows, fit)
    each = 1 if fit.log_tie is None else 2
    bread = stats.information_inverse(fit.information, models=rows.models)
    sums, maps = [], []
    for g in np.unique(code):
        which = np.flatnonzero(np.repeat(code == g, each))
        root = linalg.sqrtm(v[np.ix_(which, which)]).real
        inner = np.eye(which.size) - root @ x[which] @ bread @ x[which].T @ root
        values, vectors = np.linalg.eigh(inner)
        matrix = vectors @ np.diag(np.maximum(values, 1e-12) ** -power) @ vectors.T
        maps.append(x[which].T @ root @ matrix @ np.linalg.inv(root))
        sums.append(maps[-1] @ e[which])
    return np.array(sums), maps


CASES = {
    "plain": ("half", {}),
    "position and length": ("half", {"covariates": 2}),
    "weights": ("half", {"weighted": True, "covariates": 1}),
    "davidson": ("davidson", {"covariates": 1}),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("groups", [6, 150])
@pytest.mark.parametrize("cr", [2, 3])
def test_groups_are_those_of_dense_matrices(case: str, groups: int, cr: Literal[2, 3]) -> None:
    ties, options = CASES[case]
    rows = made(2, votes=200, **options)  # type: ignore[arg-type]
    fit, code = fitted(rows, ties), unequal(rows, groups)
    sums, _ = adjusted(rows, fit, code, (cr - 1) / 2)
    got = adjusted_cluster_meat(rows, fit, code, cr=cr)
    assert got == pytest.approx(sums.T @ sums, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_rows_of_models_and_pairs_of_votes_give_the_same(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ties, options = CASES[case]
    rows = made(3, **options)  # type: ignore[arg-type]
    fit, code = fitted(rows, ties), unequal(rows, 90)
    found = []
    for dense in (1, 10**6):
        monkeypatch.setattr(_vote_corrections, "_DENSE", dense)
        found.append(adjusted_cluster_meat(rows, fit, code))
    assert found[0] == pytest.approx(found[1], rel=1e-6, abs=1e-6)
    monkeypatch.setattr(_vote_corrections, "ROW_CELLS", 16)
    assert adjusted_cluster_meat(rows, fit, code) == pytest.approx(found[1], rel=1e-6, abs=1e-6)


def test_parts_add() -> None:
    rows = made(4)
    fit, code = stats.bradley_terry_fit(rows), unequal(made(4), 40)
    parts = [np.flatnonzero(code % 2 == k) for k in (0, 1)]
    added = sum(adjusted_cluster_meat(rows.part(p), fit, code[p]) for p in parts)
    assert adjusted_cluster_meat(rows, fit, code) == pytest.approx(added)


def test_groups_of_one_vote_are_hc2() -> None:
    rows = made(5, covariates=1)
    fit = stats.bradley_terry_fit(rows)
    alone = adjusted_cluster_meat(rows, fit, np.arange(len(rows)))
    assert alone == pytest.approx(leverage_meat(rows, fit, hc=2))


@pytest.mark.parametrize("hc", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_single_votes_are_divided_by_what_the_fit_leaves(
    hc: Literal[2, 3], weighted: bool
) -> None:
    rows = made(6, votes=60, covariates=1, weighted=weighted)
    fit = stats.bradley_terry_fit(rows)
    x, e, v = by_vote(rows, fit)
    bread = stats.information_inverse(fit.information, models=rows.models)
    h = np.diagonal(v) * np.einsum("na,ab,nb->n", x, bread, x)
    want = (x * (e * e / (1 - h) ** (hc - 1))[:, None]).T @ x
    got = leverage_meat(rows, fit, hc=hc)
    assert got == pytest.approx(want)


def test_cells_of_votes_give_the_same() -> None:
    rows = made(7)
    cells = stats.vote_cells(rows)
    fit = stats.bradley_terry_fit(rows)
    assert leverage_meat(cells, fit) == pytest.approx(leverage_meat(rows, fit))
    floor = pseudo_vote_meat(rows, fit)
    assert pseudo_vote_meat(cells, fit) == pytest.approx(floor)


def test_each_model_has_its_pseudo_votes() -> None:
    """The diagonal gains ¼ of half a vote from each side of a pair that meets alone."""
    rows = VoteRows.of([0] * 30 + [1] * 5, [1] * 30 + [2] * 5, [1, 0] * 15 + [0.5] * 5)
    floor = pseudo_vote_meat(rows, stats.bradley_terry_fit(rows))
    assert floor[0, 0] == pytest.approx((1 + 30 / 35) / 8)
    assert floor[2, 2] == pytest.approx((1 + 5 / 35) / 8)
    assert pseudo_vote_meat(rows, stats.bradley_terry_fit(rows), pseudo_votes=0).any() == 0


@pytest.mark.parametrize("ties", ["half", "davidson"])
@pytest.mark.parametrize("cr", [2, 3])
def test_degrees_of_freedom_are_those_of_dense_matrices(ties: str, cr: Literal[2, 3]) -> None:
    rows = made(8, votes=160, covariates=1)
    fit, code = fitted(rows, ties), unequal(rows, 8)
    x, _, v = by_vote(rows, fit)
    bread = stats.information_inverse(fit.information, models=rows.models)
    contrast = np.zeros((len(bread), 2))
    contrast[0, 0], contrast[3, 0], contrast[rows.models, 1] = 1, -1, 1
    _, maps = adjusted(rows, fit, code, (cr - 1) / 2)
    each = 1 if ties == "half" else 2
    left = np.eye(len(x)) - v @ x @ bread @ x.T
    for k in range(2):
        whole = np.zeros((len(maps), len(x)))
        for place, (g, one) in enumerate(zip(np.unique(code), maps, strict=True)):
            whole[place, np.repeat(code == g, each)] = contrast[:, k] @ bread @ one
        omega = whole @ left @ v @ left.T @ whole.T
        want = np.trace(omega) ** 2 / np.sum(omega * omega)
        got = cluster_df(rows, fit, code, contrast, cr=cr)
        assert got[k] == pytest.approx(want, rel=1e-5)


def test_equal_groups_of_one_mix_have_one_degree_less() -> None:
    first, second = np.triu_indices(4, 1)
    rows = VoteRows.of(np.tile(first, 14), np.tile(second, 14), [1.0, 0.0] * 42)
    fit, code = stats.bradley_terry_fit(rows), np.repeat(np.arange(7), 12)
    assert cluster_df(rows, fit, code, np.eye(4)) == pytest.approx(np.full(4, 6), rel=0.01)
    assert cluster_share_df(rows, fit, code) == pytest.approx(np.full(4, 6), rel=0.01)


@pytest.mark.parametrize("groups", [12, 60, 300])
def test_shares_come_near_the_exact_degrees_of_freedom(groups: int) -> None:
    rows = made(9, votes=1500, models=8, covariates=1)
    fit, code = stats.bradley_terry_fit(rows), unequal(rows, groups)
    exact = cluster_df(rows, fit, code, np.eye(9))
    assert cluster_share_df(rows, fit, code) == pytest.approx(exact, rel=0.06)


def test_one_group_that_decides_a_model_leaves_it_one_degree() -> None:
    rows = made(10, models=5)
    code = np.where((rows.first == 4) | (rows.second == 4), 0, np.arange(len(rows)) % 30)
    df = cluster_share_df(rows, stats.bradley_terry_fit(rows), code)
    assert df[4] < 2
    assert df[0] > 5


def test_normal_equivalents() -> None:
    t, df = np.array([2.8, -3.5, 0.0, 60.0]), np.array([4.2, 19, 3, np.inf])
    z = normal_equivalent(t, df)
    assert law.norm.cdf(z[:3]) == pytest.approx(law.t.cdf(t[:3], df[:3]))
    assert z[3] == 60
    assert np.isfinite(normal_equivalent(1e9, 50))
