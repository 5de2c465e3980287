"""Strengths from votes against likelihoods maximized, and sums added up, by other means."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, special

from nstar import stats
from nstar.errors import InfeasibleError, ParameterError
from nstar.stats._votes import VoteRows
from nstar.stats.bradley_terry import direct_battles
from nstar.stats.vote_errors import _cluster_meat, _independent_meat, vote_residuals


def made(
    seed: int = 0, models: int = 6, votes: int = 400, covariates: int = 0, weighted: bool = False
) -> VoteRows:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, models, votes)
    b = (a + rng.integers(1, models, votes)) % models
    score = rng.choice([0, 0.5, 1], votes)
    return VoteRows.of(
        a,
        b,
        score,
        models=models,
        weight=rng.integers(1, 4, votes) if weighted else None,
        covariates=rng.normal(size=(votes, covariates)) if covariates else None,
    )


def design(rows: VoteRows) -> np.ndarray:
    """Rows of e_a - e_b and the covariates, in full."""
    x = np.zeros((len(rows), rows.models))
    x[np.arange(len(rows)), rows.first] += 1
    x[np.arange(len(rows)), rows.second] -= 1
    return np.column_stack([x, rows.covariates])


@pytest.mark.parametrize("covariates", [0, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_strengths_maximize_the_likelihood(covariates: int, weighted: bool) -> None:
    rows = made(1, covariates=covariates, weighted=weighted)
    x = design(rows)[:, 1:]  # the first strength is 0

    def loss(theta: np.ndarray) -> float:
        d = x @ theta
        return -float(rows.weight @ (rows.score * d - np.logaddexp(0, d)))

    best = optimize.minimize(loss, np.zeros(x.shape[1]), method="BFGS", options={"gtol": 1e-8}).x
    fit = stats.bradley_terry_fit(rows)
    found = np.concatenate([fit.strengths[1:] - fit.strengths[0], fit.effects])
    assert found == pytest.approx(best, abs=1e-5)
    assert fit.strengths.sum() == pytest.approx(0, abs=1e-12)
    p = special.expit(design(rows) @ fit.theta)
    bread = design(rows).T @ (design(rows) * (rows.weight * p * (1 - p))[:, None])
    assert fit.information == pytest.approx(bread)


@pytest.mark.parametrize("covariates", [0, 1])
def test_davidson_maximizes_its_likelihood(covariates: int) -> None:
    rows = made(2, covariates=covariates)
    x = design(rows)[:, 1:]

    def loss(theta: np.ndarray) -> float:
        parts = np.stack(stats.davidson_probabilities(x @ theta[:-1], theta[-1]))
        which = np.where(rows.score == 1, 0, np.where(rows.score == 0.5, 1, 2))
        return -float(np.log(parts[which, np.arange(len(rows))]).sum())

    best = optimize.minimize(loss, np.zeros(x.shape[1] + 1), options={"gtol": 1e-8}).x
    fit = stats.davidson_fit(rows)
    found = np.concatenate([fit.strengths[1:] - fit.strengths[0], fit.effects, [fit.log_tie]])
    assert found == pytest.approx(best, abs=1e-5)


def test_cells_are_the_votes() -> None:
    rows = made(3, weighted=True)
    cells = stats.vote_cells(rows)
    assert len(cells) <= 3 * 6 * 5
    a, b = (stats.bradley_terry_fit(r) for r in (rows, cells))
    assert a.strengths == pytest.approx(b.strengths, abs=1e-12)
    assert _independent_meat(rows, a) == pytest.approx(_independent_meat(cells, a))
    few = made(3, models=200, votes=300)
    assert stats.vote_cells(few).weight.sum() == 300


def naive_meat(rows: VoteRows, fit: stats.VoteFit, groups: np.ndarray) -> np.ndarray:
    x = design(rows)
    if fit.log_tie is None:
        e = rows.score - special.expit(x @ fit.theta)
        scores = x * (rows.weight * e)[:, None]
    else:
        win, tie, _ = stats.davidson_probabilities(x @ fit.theta[:-1], fit.log_tie)
        e = rows.score - win - tie / 2
        tied = (rows.score == 0.5) - tie
        scores = np.column_stack([x * e[:, None], tied]) * rows.weight[:, None]
    sums = np.zeros((groups.max() + 1, scores.shape[1]))
    np.add.at(sums, groups, scores)
    return sums.T @ sums


@pytest.mark.parametrize("groups", [1, 3, 12, 90, 395])
@pytest.mark.parametrize("covariates", [0, 2])
def test_groups_of_any_size_add_up(groups: int, covariates: int) -> None:
    rows = made(4, covariates=covariates, weighted=True)
    code = np.random.default_rng(5).integers(0, groups, len(rows))
    fit = stats.bradley_terry_fit(rows)
    assert _cluster_meat(rows, fit, code) == pytest.approx(naive_meat(rows, fit, code))


def test_groups_of_davidson_add_up() -> None:
    rows = made(6, covariates=1)
    code = np.random.default_rng(7).integers(0, 40, len(rows))
    fit = stats.davidson_fit(rows)
    assert _cluster_meat(rows, fit, code) == pytest.approx(naive_meat(rows, fit, code))
    single = naive_meat(rows, fit, np.arange(len(rows)))
    assert _independent_meat(rows, fit) == pytest.approx(single)


def test_single_votes_are_groups_of_one() -> None:
    rows = made(8)
    fit = stats.bradley_terry_fit(rows)
    alone = _cluster_meat(rows, fit, np.arange(len(rows)))
    assert alone == pytest.approx(_independent_meat(rows, fit))


def test_two_groupings_at_once() -> None:
    rows = made(9)
    rng = np.random.default_rng(10)
    one, two = rng.integers(0, 30, len(rows)), rng.integers(0, 17, len(rows))
    fit = stats.bradley_terry_fit(rows)
    found = stats.vote_covariance(rows, fit, clusters=(one, two))
    assert (found.groups, found.df) == ((30, 17), 16.0)
    both = one * 17 + two
    parts = [stats.vote_covariance(rows, fit, clusters=(c,)).matrix for c in (one, two, both)]
    pairs = list(itertools.combinations(range(6), 2))
    want = parts[0] + parts[1] - parts[2]
    assert np.linalg.eigvalsh(found.matrix).min() > -1e-12
    assert stats.resistance(found.matrix, pairs=pairs) == pytest.approx(
        stats.resistance(want, pairs=pairs), rel=0.05
    )


def test_covariance_is_that_of_repeated_boards() -> None:
    """Strengths of a thousand boards of votes with ties scatter as the sandwich says."""
    rng = np.random.default_rng(11)
    strengths, variances = [], []
    win, tie, _ = stats.davidson_probabilities(np.array([0.0, 0.4, 0.8]), np.log(1.2))
    a, b = np.array([[0, 1], [1, 2], [2, 0]]).repeat(150, axis=0).T
    gap = np.array([0, 1, 2]).repeat(150)
    for _ in range(1000):
        u = rng.random(a.size)
        score = np.where(u < win[gap], 1.0, np.where(u < (win + tie)[gap], 0.5, 0.0))
        cells = stats.vote_cells(VoteRows.of(a, b, score, models=3))
        fit = stats.bradley_terry_fit(cells)
        strengths.append(fit.strengths)
        variances.append(np.diagonal(stats.vote_covariance(cells, fit).matrix))
    assert np.mean(variances, axis=0) == pytest.approx(np.var(strengths, axis=0), rel=0.12)


def test_who_won_everything_is_above() -> None:
    #  0 beats 1; 1 and 2 trade points; 3 loses to 2; 4 and 5 met only each other
    rows = VoteRows.of([0, 1, 2, 2, 4], [1, 2, 1, 3, 5], [1, 1, 1, 1, 0.5])
    label, above = stats.strong_components(rows)
    place = label.tolist()
    assert place[1] == place[2]
    assert place[4] == place[5]
    assert place[0] < place[1] < place[3]
    assert above[place[0], place[1]]
    assert above[place[1], place[3]]
    assert not above[place[4]].any()
    assert not above[:, place[4]].any()


def test_without_a_chain_of_points_there_is_no_fit_but_with_a_prior() -> None:
    rows = VoteRows.of([0, 1], [1, 2], [1, 1])
    with pytest.raises(InfeasibleError, match="did not converge"):
        stats.bradley_terry_fit(rows)
    fit = stats.bradley_terry_fit(rows, prior=1)
    assert np.all(np.diff(fit.strengths) < 0)
    far = stats.bradley_terry_fit(rows, prior=0.1)
    assert far.strengths[0] > fit.strengths[0]


def test_a_covariate_that_decides_everything_is_refused() -> None:
    rows = made(12, votes=100)
    with pytest.raises(InfeasibleError):
        stats.bradley_terry_fit(replace(rows, covariates=(rows.score - 0.5)[:, None]))


def test_direct_battles_make_the_gap_known() -> None:
    """So many votes more, each with its information, leave the error that was asked for."""
    rows = made(13, votes=200)
    fit = stats.bradley_terry_fit(rows)
    bread = stats.information_inverse(fit.information, models=6)
    i, j, gap, reach = 2, 4, 0.3, 2.8
    p = special.expit(fit.strengths[i] - fit.strengths[j])
    between = stats.resistance(bread, pairs=[[i, j]])
    more = direct_battles(gap, between, information=p * (1 - p), reach=reach)[0]
    x = np.zeros(6)
    x[i], x[j] = 1, -1
    then = stats.information_inverse(
        fit.information + more * p * (1 - p) * np.outer(x, x), models=6
    )
    assert reach * stats.resistance(then, pairs=[[i, j]])[0] ** 0.5 == pytest.approx(gap)
    assert direct_battles(5.0, between, information=0.2, reach=reach)[0] == 0


def test_residuals_are_standard_where_the_model_holds() -> None:
    rng = np.random.default_rng(14)
    a, b = np.array(list(itertools.combinations(range(4), 2))).repeat(60, axis=0).T
    strength = np.array([0.5, 0.2, -0.1, -0.6])
    found = []
    for _ in range(400):
        y = rng.random(a.size) < special.expit(strength[a] - strength[b])
        cells = stats.vote_cells(VoteRows.of(a, b, y.astype(float), models=4))
        found.append(vote_residuals(cells, stats.bradley_terry_fit(cells)).z)
    assert np.std(found, axis=0) == pytest.approx(1, abs=0.12)
    assert np.mean(found, axis=0) == pytest.approx(0, abs=0.2)


def test_residuals_allow_for_what_votes_share() -> None:
    rows = made(15, votes=900, covariates=1)
    found = vote_residuals(rows, stats.bradley_terry_fit(rows))
    tied = vote_residuals(rows, stats.davidson_fit(rows))
    assert len(found.pairs) == 15
    assert found.votes.sum() == 900
    assert np.isfinite(found.z).all()
    assert tied.z == pytest.approx(found.z, abs=0.35)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"first": [0], "second": [0], "score": [1]}, "another model"),
        ({"first": [0], "second": [1], "score": [1.5]}, "score must be a proportion"),
        (
            {"first": [0, 1], "second": [1], "score": [1]},
            "length of second must be 2, the length of first; got 1",
        ),
        ({"first": [0], "second": [1], "score": [1], "weight": [0]}, "weight"),
        ({"first": [0], "second": [5], "score": [1], "models": 2}, "below 2"),
        ({"first": [], "second": [], "score": []}, "number of votes"),
        ({"first": [0], "second": [1], "score": [1], "covariates": [np.nan]}, "covariates"),
    ],
)
def test_votes_that_cannot_be_meant(given: dict[str, list[float]], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        VoteRows.of(**given)  # type: ignore[arg-type]


def test_graded_scores_are_no_ties() -> None:
    rows = VoteRows.of([0, 1], [1, 0], [0.3, 0.6])
    with pytest.raises(ParameterError, match="model of ties"):
        stats.davidson_fit(rows)
