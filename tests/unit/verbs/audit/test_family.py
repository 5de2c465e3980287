"""Families of comparisons: thresholds, adjusted p-values, step-down max-T."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from helpers.boards import scores
from nstar import stats
from nstar._base.types import Array
from nstar._verbs.audit.family import ExactFamily
from nstar._verbs.audit.maxt import covariance, normal_scores, step_down
from nstar._verbs.audit.ranking import tiers
from nstar.errors import ParameterError

p_values = st.lists(
    st.one_of(st.floats(1e-12, 1), st.sampled_from([0.01, 0.0125, 0.025, 0.05, 1.0])),
    min_size=1,
    max_size=30,
)


@given(p_values, st.sampled_from([0.01, 0.05, 0.2]))
def test_thresholds_reject_what_adjusted_p_values_reject(
    values: list[float], alpha: float
) -> None:
    p = np.array(values)
    family = ExactFamily(np.sort(p))
    for threshold, adjusted in (
        (family.holm(alpha), stats.holm(p)),
        (family.bh(alpha), stats.benjamini_hochberg(p)),
    ):
        clear = np.abs(adjusted / alpha - 1) > 1e-9
        assert ((p <= threshold) == (adjusted <= alpha))[clear].all()
    for policy, method in (("holm", stats.holm), ("bonferroni", stats.bonferroni)):
        assert family.adjusted(p, policy) == pytest.approx(method(p))
    assert family.adjusted(p, "bh") == pytest.approx(stats.benjamini_hochberg(p))
    assert family.adjusted(p, "none") is p


def gaps(seed: int, models: int, items: int) -> tuple[Array, Array, Array]:
    """Means, p-values and standard errors of all pairs, by numpy."""
    x = scores(seed, models=models, items=items, graded=True, spread=0.4)
    d = np.array([x[i] - x[j] for i, j in itertools.combinations(range(models), 2)])
    se = d.std(axis=1, ddof=1) / items**0.5
    return x.mean(axis=1), 2 * special.ndtr(-np.abs(d.mean(axis=1) / se)), se


def test_errors_of_gaps_are_the_covariance_of_means() -> None:
    x = scores(1, graded=True)
    cov = np.cov(x) / 240
    i, j = np.triu_indices(6, 1)
    se = np.sqrt(cov[i, i] + cov[j, j] - 2 * cov[i, j])
    again = covariance(se, 6)
    assert np.sqrt(again[i, i] + again[j, j] - 2 * again[i, j]) == pytest.approx(se, rel=1e-9)
    center = np.eye(6) - 1 / 6
    assert again == pytest.approx(center @ cov @ center, abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_step_down_of_normal_scores_is_that_of_t(seed: int) -> None:
    means, p, se = gaps(seed, 8, 500)
    cov = covariance(se, 8)
    plain = stats.max_t(means, cov, draws=3999, rng=seed)
    found = step_down(p, cov, alpha=0.05, draws=3999, seed=seed)
    last = int(np.argmax(p))
    others = np.arange(p.size) != last
    assert found.p[others] == pytest.approx(plain.p_step[others])
    assert found.p[last] >= p[last]
    assert found.p[last] == pytest.approx(plain.p_step[last], abs=0.03)


@pytest.mark.parametrize("seed", range(30))
def test_the_critical_value_is_where_adjusted_p_values_cross_alpha(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, p, se = gaps(seed, 5, 200)
    p = p ** rng.uniform(0.2, 1.5)
    p[rng.integers(10)] = 1.0
    found = step_down(p, covariance(se, 5), alpha=0.05, draws=999, seed=seed)
    score = -special.ndtri(p / 2)
    assert ((found.p <= 0.05) == (score >= found.critical)).all()
    assert found.critical >= 1.9599
    assert (found.p >= p - 3 * np.sqrt(p / 999) - 1e-3).all()
    assert (np.diff(found.p[np.argsort(p)]) >= 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_rank_sets_of_one_model_by_normal_scores(seed: int) -> None:
    means, p, se = gaps(seed, 8, 500)
    cov, size = covariance(se, 8), np.zeros((8, 8))
    size[np.triu_indices(8, 1)] = normal_scores(p)
    size += size.T
    plain = stats.marginal_rank_sets(means, cov, draws=3999, rng=seed)
    found = stats.marginal_rank_sets(means, cov, scores=size, draws=3999, rng=seed)
    assert [x.tolist() for x in found] == [x.tolist() for x in plain]
    nothing = stats.marginal_rank_sets(means, cov, scores=0 * size, draws=999, rng=seed)
    assert [x.tolist() for x in nothing] == [[1] * 8, [8] * 8]
    with pytest.raises(ParameterError, match="number of scores must be 64"):
        stats.marginal_rank_sets(means, cov, scores=size[:3], draws=999)


def test_a_gap_that_never_varies_is_judged_by_its_score() -> None:
    """Two models one step apart everywhere; a third that varies."""
    se = np.array([0.0, 0.01, 0.01])
    found = step_down(
        np.array([1e-30, 0.3, 0.5]), covariance(se, 3), alpha=0.05, draws=999, seed=1
    )
    assert found.p[0] == 1 / 1000
    assert (found.p[1:] > 0.2).all()
    flat = step_down(np.ones(3), np.zeros((3, 3)), alpha=0.05, draws=999, seed=1)
    assert (flat.p == 1).all()
    assert flat.critical == pytest.approx(1.96, abs=1e-3)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=10))
def test_tiers_of_any_reach(ends: list[int]) -> None:
    reach = np.minimum(np.array(ends), len(ends) - 1)
    tier = tiers(reach)
    furthest = [max(*reach[: k + 1], k) for k in range(len(ends))]
    assert tier.tolist() == [1 + sum(furthest[j] == j for j in range(k)) for k in range(len(ends))]


def test_simultaneous_intervals_take_the_first_step() -> None:
    """Without pairs beyond the draws it is max-T's single step; with them a union bound."""
    x = scores(3, models=8, items=300, graded=True, spread=0.1)
    cov = np.cov(x) / 300
    first, second = np.triu_indices(8, 1)
    se = np.sqrt(cov[first, first] + cov[second, second] - 2 * cov[first, second])
    p = 2 * special.ndtr(-np.abs(x.mean(axis=1)[first] - x.mean(axis=1)[second]) / se)
    near = step_down(p, cov, alpha=0.05, draws=4999, seed=1)
    assert near.unreached == 0
    want = stats.max_t_critical(cov, draws=4999, rng=1)
    assert near.single_step(0.05) == pytest.approx(want, rel=1e-12)
    far = step_down(np.where(p == p.min(), 1e-40, p), cov, alpha=0.05, draws=4999, seed=1)
    assert far.unreached == 1
    assert near.single_step(0.05) <= far.single_step(0.05) + 0.05
    assert far.single_step(0.05) < special.ndtri(1 - 0.05 / 2 / p.size)
    assert far.single_step(0.01) > far.single_step(0.05) >= far.critical


def test_only_pairs_beyond_the_draws_have_no_single_step() -> None:
    far = step_down(np.full(3, 1e-40), np.eye(3), alpha=0.05, draws=999, seed=1)
    assert far.unreached == 3
    assert far.single_step(0.05) == np.inf


def test_the_level_of_the_last_step_is_not_simultaneous() -> None:
    """Why intervals have the level of the first step: the pairs that remain came out too small."""
    alpha, gap, m = 0.05, 4.4, 100
    z = gap + np.random.default_rng(0).normal(size=(2000, m))
    p = 2 * special.ndtr(-np.abs(z))
    last = np.array([ExactFamily(np.sort(row)).holm(alpha) for row in p])[:, None]
    still_open = p > last
    missed = {
        name: (still_open & (np.abs(z - gap) > -special.ndtri(level / 2))).any(axis=1).mean()
        for name, level in (("first", alpha / m), ("last", last))
    }
    assert missed["first"] < alpha
    assert 0.4 < missed["last"] < 0.55
