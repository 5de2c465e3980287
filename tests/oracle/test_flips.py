"""Joint sign flips of tasks, against enumeration by a loop and against SciPy."""

import itertools

import numpy as np
import pytest
from scipy import stats as scipy_stats

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._verbs.audit.maxt import chance, flip_step_down
from nstar.stats.flips import FlipNull, fewest_tasks, seed_of

PAIRS = np.stack(np.triu_indices(5, 1), axis=1)


def board(tasks: int, seed: int, models: int = 5) -> Array:
    rng = np.random.default_rng(seed)
    lead = np.linspace(2, 0, models)
    return lead + rng.normal(size=(tasks, models)) * rng.uniform(0.3, 2, (tasks, 1))


def differences(scores: Array) -> Array:
    return np.asarray(scores[:, PAIRS[:, 0]] - scores[:, PAIRS[:, 1]])


def flipped_t(d: Array) -> Array:
    """|t| of every pair under every distinct flip, one t test at a time."""
    return np.array(
        [
            np.abs(scipy_stats.ttest_1samp(d * np.array((*signs, 1))[:, None], 0).statistic)
            for signs in itertools.product((1, -1), repeat=len(d) - 1)
        ]
    )


def stepped(t: Array, null: Array) -> Array:
    """Return step-down p-values by the definition: the family shrinks after each rejection."""
    order: IntArray = np.argsort(-t)
    p, before = np.empty(t.size), 0.0
    for k, pair in enumerate(order):
        largest = null[:, order[k:]].max(axis=1)
        before = max(before, float(np.mean(largest >= t[pair] - 1e-9)))
        p[pair] = before
    return p


@pytest.mark.parametrize("seed", range(4))
def test_all_flips_are_those_of_a_loop(seed: int) -> None:
    scores = board(7, seed)
    d = differences(scores)
    t = np.abs(scipy_stats.ttest_rel(scores[:, PAIRS[:, 0]], scores[:, PAIRS[:, 1]]).statistic)
    null = flipped_t(d)
    found = stats.flip_max_t(scores)
    assert found.draws == 63
    np.testing.assert_allclose(np.abs(found.t), t, rtol=1e-12)
    assert (np.sign(found.t) == np.sign(d.mean(axis=0))).all()
    np.testing.assert_allclose(found.p_step, stepped(t, null), atol=1e-12)
    largest = null.max(axis=1)
    single = [np.mean(largest >= x - 1e-9) for x in t]
    np.testing.assert_allclose(found.p_single, single, atol=1e-12)
    assert ((np.abs(found.t) >= found.critical) == (found.p_single <= 0.05)).all()


def test_one_pair_is_the_permutation_test_of_scipy() -> None:
    scores = board(10, 3)[:, :2]
    want = scipy_stats.permutation_test(
        (scores[:, 0] - scores[:, 1],),
        lambda d, axis: np.abs(scipy_stats.ttest_1samp(d, 0, axis=axis).statistic),
        permutation_type="samples",
        n_resamples=2**10,
        alternative="greater",
    ).pvalue
    assert stats.flip_max_t(scores).p_step[0] == pytest.approx(want, abs=1e-12)


def test_random_flips_are_close_to_all_flips(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = board(12, 5)
    exact = stats.flip_max_t(scores)
    assert exact.draws == 2047
    monkeypatch.setattr("nstar.stats.flips.MOST_EXACT", 11)
    drawn = stats.flip_max_t(scores, draws=40_000, rng=1)
    np.testing.assert_allclose(drawn.p_step, exact.p_step, atol=0.01)
    assert drawn.critical == pytest.approx(exact.critical, rel=0.03)


def test_ties_are_reached_by_their_flips() -> None:
    """Whole numbers, for which a flip often gives the observed sum again."""
    scores = np.array([[3, 1, 0], [2, 0, 1], [3, 2, 0], [1, 0, 2], [3, 1, 1], [2, 1, 0]]) / 7
    pairs = np.stack(np.triu_indices(3, 1), axis=1)
    d = scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]
    u = np.abs(d.sum(axis=0)) / np.sqrt((d * d).sum(axis=0))
    signs = np.array([(*s, 1) for s in itertools.product((1, -1), repeat=5)])
    null = np.abs(signs @ d) / np.sqrt((d * d).sum(axis=0))
    np.testing.assert_allclose(stats.flip_max_t(scores).p_step, stepped(u, null), atol=1e-12)


@pytest.mark.parametrize("tasks", [9, 20])
def test_an_audit_uses_the_flips_of_the_kernel(tasks: int) -> None:
    scores = board(tasks, 8)
    kernel = stats.flip_max_t(scores, rng=4)
    p = stats.t_pvalue(
        differences(scores).mean(axis=0), differences(scores).std(axis=0, ddof=1), tasks
    )
    null = FlipNull.of(scores)
    step, used = flip_step_down(np.asarray(p), null, alpha=0.05, draws=None, seed=4)
    np.testing.assert_allclose(step.p, kernel.p_step, atol=1e-12)
    threshold = 2 * scipy_stats.norm.sf(step.critical)
    assert ((used <= threshold) == kernel.reject).all()
    family = null.family(PAIRS, alpha=0.05, draws=kernel.draws)
    again = chance(null, family.ladder, draws=kernel.draws, seed=seed_of(4))
    assert float(null.t_of(np.sort(again.maxima)[-family.limit])) == pytest.approx(
        kernel.critical, abs=1e-6
    )


def test_few_tasks_are_refused() -> None:
    assert [fewest_tasks(a) for a in (0.1, 0.05, 0.01)] == [5, 6, 8]
    with pytest.raises(ValueError, match="at least 6"):
        stats.flip_max_t(board(5, 1))


def test_equal_models_have_no_difference() -> None:
    scores = board(8, 1)
    scores[:, 1] = scores[:, 0]
    found = stats.flip_max_t(scores)
    assert found.t[0] == 0
    assert found.p_step[0] == 1


def test_win_rates_are_ranks() -> None:
    scores = np.round(board(20, 2), 1)
    ranks = np.array([scipy_stats.rankdata(row) for row in scores])
    np.testing.assert_allclose(stats.win_rates(scores), (ranks - 1) / 4)
    np.testing.assert_allclose(stats.win_rates(-scores), 1 - stats.win_rates(scores))
    np.testing.assert_allclose(
        stats.win_rates(scores, lower_is_better=True), 1 - stats.win_rates(scores)
    )
