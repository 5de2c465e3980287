"""Agreement of raters, what a judge is worth, and the parts of a gap's variance."""

import numpy as np
import pytest
from scipy import optimize
from scipy import stats as law

from nstar import stats
from nstar._base.types import Array
from nstar.errors import ParameterError
from nstar.stats.judges import judge_break_even, judge_cost


def rated(items: int = 120, models: int = 2, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(items, 1)) + rng.normal(size=(items, models)) > 0
    judge = np.where(rng.random(truth.shape) < 0.15, ~truth, truth)
    return judge.astype(float), truth.astype(float)


def test_two_models_have_the_correlation_of_their_differences() -> None:
    judge, truth = rated()
    known = law.pearsonr(judge[:, 0] - judge[:, 1], truth[:, 0] - truth[:, 1])
    assert stats.difference_agreement(judge, truth).r == pytest.approx(known[0], abs=1e-12)


def test_several_models_are_pooled_over_pairs() -> None:
    judge, truth = rated(models=4)
    sums = np.zeros(3)
    for a in range(4):
        for b in range(a):
            x, y = (v[:, a] - v[:, b] for v in (judge, truth))
            x, y = x - x.mean(), y - y.mean()
            sums += x @ y, x @ x, y @ y
    found = stats.difference_agreement(judge, truth)
    assert found.r == pytest.approx(sums[0] / np.sqrt(sums[1] * sums[2]), abs=1e-12)


def test_the_interval_is_the_jackknife_by_hand() -> None:
    judge, truth = rated(items=40)
    x, y = judge[:, 0] - judge[:, 1], truth[:, 0] - truth[:, 1]
    z = [np.arctanh(np.corrcoef(np.delete(x, k), np.delete(y, k))[0, 1]) for k in range(40)]
    se = np.sqrt(39 * np.var(z))
    found = stats.difference_agreement(judge, truth)
    ends = np.tanh(np.arctanh(found.r or 0) + np.array([-1, 1]) * law.t.ppf(0.975, 39) * se)
    assert found.ci == pytest.approx(ends, abs=1e-10)
    assert np.linalg.norm(found.influence) == pytest.approx(se, abs=1e-10)


def test_items_without_a_rating_do_not_count() -> None:
    judge, truth = rated(items=80)
    more = np.vstack([truth, np.full((50, 2), np.nan)])
    wide = np.vstack([judge, np.ones((50, 2))])
    found, known = stats.difference_agreement(wide, more), stats.difference_agreement(judge, truth)
    assert (found.r, found.ci, found.items) == (known.r, known.ci, 80)
    assert not found.influence[80:].any()
    assert stats.rater_agreement(wide, more) == stats.rater_agreement(judge, truth)


def test_repeats_count_as_single_judgments() -> None:
    judge, truth = rated(items=60)
    other, _ = rated(items=60, seed=1)
    both = np.stack([judge, other], axis=-1)
    found = stats.rater_agreement(both, truth)
    each = [stats.rater_agreement(x, truth) for x in (judge, other)]
    assert each[0].share is not None
    assert each[1].share is not None
    assert found.share == pytest.approx((each[0].share + each[1].share) / 2, abs=1e-12)
    flat = np.concatenate([judge, other], axis=1)
    pooled = stats.rater_agreement(flat, np.concatenate([truth, truth], axis=1))
    assert found.kappa == pytest.approx(pooled.kappa, abs=1e-12)


def test_youden_is_sensitivity_and_specificity() -> None:
    judge, truth = rated()
    right = truth == 1
    cells = (judge[right].sum(), right.sum(), (1 - judge[~right]).sum(), (~right).sum())
    assert stats.rater_agreement(judge, truth).youden == pytest.approx(stats.youden(*cells).j)


def test_full_agreement_has_no_interval_but_a_share() -> None:
    _, truth = rated()
    found = stats.rater_agreement(truth, truth)
    assert (found.share, found.kappa, found.youden) == (1.0, 1.0, 1.0)
    assert (found.kappa_ci, found.youden_ci, found.bias_ci, found.r_ci) == (None,) * 4
    assert found.share_ci is not None
    assert 0.9 < found.share_ci.low < 1
    one = stats.difference_agreement(truth, truth)
    assert (one.r, one.ci) == (1.0, None)


def test_raters_that_never_vary() -> None:
    found = stats.rater_agreement(np.ones((9, 2)), np.ones((9, 2)))
    assert (found.share, found.kappa, found.r, found.youden) == (1.0, None, None, None)
    assert stats.difference_agreement(np.ones((9, 2)), np.ones((9, 2))).r is None


def test_no_number_depends_on_the_scale() -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=(50, 3))
    judge = truth + rng.normal(size=(50, 3))
    one = stats.rater_agreement(judge, truth)
    far = stats.rater_agreement(1e6 + 1e-3 * judge, 1e6 + 1e-3 * truth)
    assert far.kappa == pytest.approx(one.kappa, rel=1e-6)
    assert far.kappa_ci == pytest.approx(one.kappa_ci, rel=1e-5)


def test_the_cost_is_the_least_that_reaches_a_precision() -> None:
    r, label, judge, alone = 0.7, 2.0, 0.05, 400.0

    def cost(share: float) -> float:
        # labels n among n / share items have the variance of `alone` labels
        n = alone * ((1 - r * r) + r * r * share)
        return n * label + n / share * judge

    least = optimize.minimize_scalar(cost, bounds=(1e-3, 1), method="bounded")
    relative = float(judge_cost(r, cost_label=label, cost_judge=judge))
    assert relative == pytest.approx(least.fun / (alone * label), rel=1e-6)
    share = float(stats.label_share(r, cost_label=label, cost_judge=judge))
    assert share == pytest.approx(least.x, rel=1e-3)


@pytest.mark.parametrize("r", [0.1, 0.5, 0.9])
def test_the_break_even_price_is_where_nothing_is_saved(r: float) -> None:
    price = float(judge_break_even(r))
    assert judge_cost(r, cost_label=1, cost_judge=price) == pytest.approx(1)
    assert judge_cost(r, cost_label=1, cost_judge=0.9 * price) < 1
    assert judge_cost(r, cost_label=1, cost_judge=2 * price) == 1


def test_parts_do_not_change_when_one_number_serves_both_models() -> None:
    rng = np.random.default_rng(5)
    a = rng.normal(size=(30, 3, 2))
    gap = stats.judge_components(np.stack([a, np.zeros_like(a)]))
    mean = stats.judge_components(a[None])
    for part in ("item2", "judge2", "cross2", "repeat2"):
        assert getattr(gap, part) == pytest.approx(getattr(mean, part), abs=1e-12)


def test_parts_of_three_models_are_the_mean_over_pairs() -> None:
    rng = np.random.default_rng(6)
    y = rng.normal(size=(3, 25, 4, 2))
    whole = stats.judge_components(y)
    pairs = [stats.judge_components(y[[a, b]]) for a, b in ((0, 1), (0, 2), (1, 2))]
    for part in ("item2", "judge2", "cross2", "repeat2"):
        known = np.mean([getattr(p, part) for p in pairs])
        assert getattr(whole, part) == pytest.approx(known, abs=1e-12)


def test_the_variance_of_a_gap_adds_up() -> None:
    rng = np.random.default_rng(7)
    y = rng.normal(size=(2, 40, 3, 2)) + rng.normal(size=(2, 40, 1, 1))
    found = stats.judge_components(y)
    gap = (y[0] - y[1]).mean(axis=(1, 2))
    # judges fixed: what is left of the variance over items
    if min(found.item2, found.cross2 or 0) > 0:
        error = found.variance(40, 3, 2) - max(found.judge2 or 0, 0) / 3
        assert error == pytest.approx(gap.var(ddof=1) / 40, rel=1e-9)
    assert found.variance(np.inf, np.inf, 1) == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [(np.ones((3, 2)), np.ones((4, 2))), (np.full((5, 2), np.nan), np.ones((5, 2)))],
)
def test_what_cannot_be_compared_is_refused(first: Array, second: Array) -> None:
    with pytest.raises(ParameterError):
        stats.rater_agreement(first, second)
    with pytest.raises(ParameterError):
        stats.difference_agreement(first, second)


@pytest.mark.slow
def test_intervals_cover() -> None:
    rng = np.random.default_rng(8)
    big = rated(items=400_000, seed=9)
    truth = stats.rater_agreement(*big).kappa or 0, stats.difference_agreement(*big).r or 0
    hits = np.zeros(2)
    for _ in range(1500):
        judge, label = rated(items=100, seed=int(rng.integers(1 << 30)))
        found = stats.rater_agreement(judge, label), stats.difference_agreement(judge, label)
        for k, ci in enumerate((found[0].kappa_ci, found[1].ci)):
            hits[k] += ci is not None and bool(ci.low <= truth[k] <= ci.high)
    assert np.all(np.abs(hits / 1500 - 0.955) < 0.02)
