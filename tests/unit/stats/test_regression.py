"""A sample beside covariates that are known on all items: against least squares and simulation."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats as law

from nstar import stats
from nstar._base.types import Array
from nstar.errors import ParameterError


def board(seed: int, models: int = 9, items: int = 800) -> Array:
    """Scores of models that find the same items hard, (M, N)."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=items)
    level = np.linspace(-0.6, 0.6, models)[:, None]
    return np.asarray(hard + rng.normal(0, 0.8, (models, items)) < level, dtype=float)


def sampled(y: Array, n: int, seed: int) -> Array:
    out = np.full(y.size, np.nan)
    drawn = np.random.default_rng(seed).permutation(y.size)[:n]
    out[drawn] = y[drawn]
    return out


def test_estimate_and_errors_are_those_of_a_prediction() -> None:
    scores = board(1)
    y, x = sampled(scores[0], 90, 2), stats.known_covariates(scores[1:], 90, against=0)
    found, there = stats.regression_mean(y, x), ~np.isnan(y)
    fit = sm.OLS(y[there], sm.add_constant(x[there])).fit()
    at = np.append(1.0, x.mean(axis=0))
    assert found.estimate == pytest.approx(float(fit.params @ at), abs=1e-12)
    own = float(at @ fit.cov_HC3 @ at) * (1 - 90 / 800) * 89 / 90
    assert found.se_own == pytest.approx(own**0.5, rel=1e-9)
    whole = y[there].var(ddof=1)
    assert found.se == pytest.approx((own + whole / 800) ** 0.5, rel=1e-9)
    assert (found.df, found.covariates) == (int(fit.df_resid), 2)
    assert found.r2 == pytest.approx(fit.rsquared_adj, abs=1e-9)
    assert found.residual == pytest.approx(fit.mse_resid**0.5, rel=1e-9)


def test_one_covariate_is_a_judge() -> None:
    scores = board(3)
    y, x = sampled(scores[0], 120, 4), scores[1]
    found, judge = stats.regression_mean(y, x[:, None]), stats.judge_corrected(y, x)
    assert found.estimate == pytest.approx(judge.estimate, abs=1e-12)
    assert found.df == judge.df
    assert found.se == pytest.approx(judge.se, rel=0.05)  # the judge's is of equal errors


def test_a_gap_to_a_covariate_is_the_score_less_what_is_known() -> None:
    scores = board(5)
    y = sampled(scores[0], 150, 6)
    x = stats.known_covariates(scores[1:], 150, against=3)
    one, gap = stats.regression_mean(y, x), stats.regression_mean(y - scores[4], x)
    assert gap.estimate == pytest.approx(one.estimate - scores[4].mean(), abs=1e-12)
    assert gap.se_own == pytest.approx(one.se_own, rel=1e-9)
    assert gap.se != pytest.approx(one.se, rel=1e-3)


def test_covariates_that_say_nothing_new_do_not_count() -> None:
    scores = board(7)
    y, x = sampled(scores[0], 80, 8), scores[1:3].T
    found = stats.regression_mean(y, x)
    twice = np.column_stack([x, x @ [2.0, 1.0], np.full(len(x), 3.0), 1e6 + 1e3 * x[:, 0]])
    again = stats.regression_mean(y, twice)
    assert (again.covariates, again.df) == (found.covariates, found.df) == (2, 77)
    assert again.estimate == pytest.approx(found.estimate, abs=1e-9)
    assert again.se_own == pytest.approx(found.se_own, rel=1e-7)


def test_nothing_known_is_the_mean_of_the_sample() -> None:
    y = sampled(board(9)[0], 60, 10)
    found = stats.regression_mean(y, np.ones((800, 1)))
    assert (found.estimate, found.covariates, found.r2) == (found.sample_mean, 0, 0.0)
    assert found.se == pytest.approx(found.sample_se, rel=1e-12)
    assert found.se_own == pytest.approx(found.sample_se * (1 - 60 / 800) ** 0.5, rel=1e-12)


def test_all_items_sampled_leave_no_error_of_their_own_mean() -> None:
    scores = board(11)
    found = stats.regression_mean(scores[0], scores[1:4].T)
    assert found.estimate == pytest.approx(scores[0].mean(), abs=1e-12)
    assert found.se_own == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "against", "wanted"), [(30, None, 1), (30, 2, 2), (1000, 2, 2), (9, None, 1), (19, 2, 1)]
)
def test_covariates_are_few(n: int, against: int | None, wanted: int) -> None:
    assert stats.known_covariates(board(13), n, against=against).shape == (800, wanted)


def test_covariates_are_the_known_score_and_the_mean_of_all() -> None:
    scores = board(17)
    own, mean = stats.known_covariates(scores, 500, against=2).T
    assert own.tolist() == scores[2].tolist()
    assert mean == pytest.approx(scores.mean(axis=0), abs=1e-12)


def test_one_known_model_is_its_own_covariate() -> None:
    scores = board(15)[:1]
    assert stats.known_covariates(scores, 500, against=0).T.tolist() == scores.tolist()
    assert stats.known_covariates(scores, 500).T.tolist() == scores.tolist()


def test_missing_scores_have_a_stand_in() -> None:
    scores = board(19)
    holes = scores.copy()
    holes[2, :40] = np.nan
    found = stats.known_covariates(holes, 500, against=2)
    assert np.isfinite(found).all()
    assert found[40:, 0].tolist() == scores[2, 40:].tolist()
    whole = stats.known_covariates(scores, 500)
    assert abs(np.corrcoef(found[:, 1], whole[:, 0])[0, 1]) > 0.99


@pytest.mark.parametrize(
    ("y", "x", "match"),
    [
        ([1.0, np.nan], [[1.0], [2.0]], "sampled items"),
        ([1.0, 0.0, 1.0], [[1.0], [2.0]], "number of rows of x must be 3, the length of y; got 2"),
        ([1.0, 0.0, 1.0], [1.0, 2.0, 3.0], "axes of x"),
        ([1.0, 0.0, 1.0, 0.0], [[1.0], [np.nan], [1.0], [2.0]], "x must be finite"),
        ([1.0, np.inf, 1.0, 0.0], [[1.0], [0.0], [1.0], [2.0]], "y must be finite"),
    ],
)
def test_refused(y: list[float], x: list[float], match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        stats.regression_mean(y, x)


def test_each_item_left_out_in_turn() -> None:
    scores = board(25)
    y, x = sampled(scores[0], 60, 26), stats.known_covariates(scores[1:], 60)
    found, parts = stats.regression_mean(y, x), []
    for k in np.flatnonzero(~np.isnan(y)):
        less = y.copy()
        less[k] = np.nan
        parts.append(stats.regression_mean(less, x).estimate)
    apart = np.array(parts) - found.estimate
    spread = float(apart @ apart) * 59 / 60 * (1 - 60 / 800)
    assert found.se_own == pytest.approx(spread**0.5, rel=1e-9)


@pytest.mark.parametrize(
    "times", [300, pytest.param(6000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_intervals_hold_as_often_as_they_say(times: int) -> None:
    scores = board(21)
    x, hits = stats.known_covariates(scores[1:], 40), 0
    truth = scores[0].mean()
    for k in range(times):
        found = stats.regression_mean(sampled(scores[0], 40, k), x)
        far = law.t.ppf(0.975, found.df)
        hits += abs(found.estimate - truth) <= far * found.se_own
    spread = (0.95 * 0.05 / times) ** 0.5
    assert abs(hits / times - 0.95) < 3 * spread + 0.012


def test_a_direction_that_hardly_varies_in_the_sample_is_not_used() -> None:
    """Its slope, from rounding errors of the sample, would be extrapolated to all items."""
    y = sampled(board(27)[0], 50, 28)
    there = ~np.isnan(y)
    x = np.where(there, 1e-6 * np.arange(800) % 7, np.random.default_rng(1).normal(size=800))
    found = stats.regression_mean(y, x[:, None])
    assert (found.covariates, found.estimate) == (0, found.sample_mean)
    assert found.se == pytest.approx(found.sample_se, rel=1e-12)


def test_a_direction_of_one_item_is_not_used() -> None:
    """An item of leverage 1 has no residual: it must not count as free of error."""
    y = sampled(board(29)[0], 50, 30)
    there = np.flatnonzero(~np.isnan(y))
    rare = np.zeros(800)
    rare[there[0]] = 1.0
    rare[np.flatnonzero(np.isnan(y))[:15]] = 1.0
    other = board(29)[1]
    one = stats.regression_mean(y, other[:, None])
    both = stats.regression_mean(y, np.column_stack([other, rare]))
    assert both.covariates == one.covariates == 1
    assert both.se_own > 0.9 * one.se_own
    assert stats.regression_mean(y, rare[:, None]).covariates == 0


def test_unseen_residuals_add_to_the_error() -> None:
    scores = board(31)
    y, x = sampled(scores[0], 60, 32), scores[1:3].T
    plain, wide = stats.regression_mean(y, x), stats.regression_mean(y, x, unseen=0.5)
    more = 2 * 0.25 / 57
    assert wide.se_own**2 == pytest.approx(plain.se_own**2 + more * (1 / 60 - 1 / 800), rel=1e-9)
    assert wide.residual**2 == pytest.approx(plain.residual**2 + more, rel=1e-9)
    assert (wide.estimate, wide.df) == (plain.estimate, plain.df)
    assert wide.r2 < plain.r2
    with pytest.raises(ParameterError, match="unseen"):
        stats.regression_mean(y, x, unseen=-1)
