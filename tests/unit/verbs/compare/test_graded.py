"""Graded scores and repeated runs: the item is the unit."""

import math
from typing import Any

import numpy as np
import pytest

from nstar import audit, compare, gate, stats
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar.errors import DataError, ParameterError
from nstar.report import render

NAN = float("nan")
RNG = np.random.default_rng(11)
A, B = RNG.beta(3, 2, 80), RNG.beta(2, 2, 80)


def pair_of(a: Any, b: Any, **options: Any) -> Any:
    return compare(a, b, **options).tasks[0]


# --- graded -------------------------------------------------------------------------------


def test_graded_scores_by_hand() -> None:
    pair, d = pair_of(A, B), A - B
    assert not pair.is_binary
    assert pair.gap == pytest.approx(d.mean())
    assert pair.sigma == pytest.approx(d.std(ddof=1))
    assert pair.t == pytest.approx(d.mean() / d.std(ddof=1) * math.sqrt(80))
    assert pair.ci == pytest.approx(stats.t_interval(d.mean(), d.std(ddof=1), 80))
    assert pair.pvalue == pair.pvalue_signflip == stats.sign_flip_pvalue(np.sort(d), rng=0)
    assert pair.mde == pytest.approx(float(stats.t_mde(80, sigma=d.std(ddof=1))))
    assert pair.rho == pytest.approx(np.corrcoef(A, B)[0, 1])
    low, high = (float(v) / d.std(ddof=1) for v in pair.ci)
    for found, gap in (
        (pair.n_star, d.mean() / d.std(ddof=1)),
        (pair.n_star_ci.low, high),
        (pair.n_star_ci.high, low),
    ):
        assert math.ceil(found) == (stats.t_n_star(gap, sigma=1.0) if gap > 0 else math.inf)
    assert pair.q == 80 / pair.n_star
    assert pair.q_ci == (80 / pair.n_star_ci.high, 80 / pair.n_star_ci.low)
    assert (pair.counts, pair.pvalue_midp, pair.pvalue_exact) == (None, None, None)


def test_the_seed_is_kept_and_decides() -> None:
    first, again = compare(A, B, seed=3), compare(A, B, seed=3)
    assert first.seed == 3
    assert first.tasks == again.tasks
    assert compare(A, B).seed == 0
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        compare(A, B, seed=np.random.default_rng(3))  # type: ignore[arg-type]


def test_random_flips_depend_neither_on_the_order_of_items_nor_of_models() -> None:
    order = np.random.default_rng(1).permutation(80)
    groups = np.arange(80) % 25
    for labels in (None, groups):
        first = pair_of(A, B, cluster=labels)
        moved = pair_of(A[order], B[order], cluster=None if labels is None else labels[order])
        back = pair_of(B, A, cluster=labels)
        assert 1e-4 < first.pvalue_signflip < 1
        assert first.pvalue_signflip == moved.pvalue_signflip == back.pvalue_signflip


def test_one_score_tells_no_scale() -> None:
    pair = pair_of([5.0] * 30, [5.0] * 30, margin=0.1)
    assert pair.score_range == (0.0, 5.0)
    assert pair.ci.low < -0.4
    assert not pair.equivalence.is_equivalent
    assert pair_of([-5.0] * 30, [-5.0] * 30).score_range == (-5.0, 0.0)
    assert pair_of([0.5] * 30, [0.5] * 30).score_range == (0.0, 1.0)


def test_no_gap_beyond_the_scale_is_detectable() -> None:
    assert pair_of([0.1, 0.9], [0.2, 0.3]).mde is None
    assert pair_of([1, 9] * 5, [2, 3] * 5).mde > 1


def test_scores_too_large_to_square_are_refused() -> None:
    with pytest.raises(DataError, match="Scores range from"):
        compare([1e200, -1e200, 0], [0, 1, 2])


def test_any_scale_will_do() -> None:
    plain, scaled = pair_of(A, B), pair_of(200 * A - 50, 200 * B - 50)
    assert scaled.score_range == pytest.approx(
        (200 * min(A.min(), B.min()) - 50, 200 * A.max() - 50)
    )
    assert scaled.gap == pytest.approx(200 * plain.gap)
    assert scaled.ci == pytest.approx([200 * x for x in plain.ci])
    assert scaled.mde == pytest.approx(200 * (plain.mde or 0))
    assert (scaled.q, scaled.t, scaled.rho) == pytest.approx((plain.q, plain.t, plain.rho))
    assert scaled.verdict == plain.verdict


def test_a_declared_gap_may_exceed_one_on_another_scale() -> None:
    assert pair_of(50 * A, 50 * B, delta=2, margin=5).q_at_delta is not None


def test_equal_differences_measure_no_error() -> None:
    """A t interval would have no width and a p-value near 0 from any two items."""
    pair = pair_of([0.3, 0.4, 0.5], [0.2, 0.3, 0.4])
    assert pair.se == 0
    assert pair.pvalue == 0.25
    assert pair.pvalue_t is None
    assert pair.ci.low < 0 < pair.ci.high
    assert (pair.q, pair.mde, pair.mde_lower_bound, pair.n_star) == (None, None, None, math.inf)
    assert pair.verdict == "inconclusive"
    many = pair_of(np.linspace(0.2, 0.9, 500), np.linspace(0.1, 0.8, 500))
    assert many.verdict == "better"
    assert many.ci == pytest.approx((0.1, 0.1), abs=0.01)
    assert not many.is_resolved


def test_identical_grades() -> None:
    pair = pair_of([0.5] * 20, [0.5] * 20, margin=0.3)
    z2 = float(stats.z_conf(0.95)) ** 2
    assert pair.ci == pytest.approx((-z2 / (20 + z2), z2 / (20 + z2)))
    assert (pair.pvalue, pair.rho) == (1, None)
    assert pair.verdict == "equivalent"
    few = pair_of([0.5, 0.5], [0.5, 0.5], margin=0.3)
    assert few.verdict == "inconclusive"


def test_one_graded_item() -> None:
    pair = pair_of([0.3], [0.2])
    assert (pair.pvalue, pair.se, pair.run_variance) == (1, 0, None)
    assert pair.ci.low < -0.5
    assert pair.verdict == "inconclusive"


def test_one_constant_model() -> None:
    pair = pair_of(A, np.full(80, 0.5))
    assert pair.rho is None
    assert pair.sigma == pytest.approx(A.std(ddof=1))


def test_one_sided_graded() -> None:
    ahead, behind = pair_of(A, B, alternative="greater"), pair_of(B, A, alternative="greater")
    both = pair_of(A, B)
    assert ahead.pvalue == pytest.approx(both.pvalue / 2)
    assert behind.pvalue == pytest.approx(1 - both.pvalue / 2)
    assert ahead.pvalue_t == pytest.approx((both.pvalue_t or 0) / 2)
    assert behind.verdict == "inconclusive"


def test_graded_clusters() -> None:
    codes = [k % 8 for k in range(80)]
    pair = pair_of(A, B, cluster=codes)
    sums = stats.cluster_sums(A - B, codes)
    assert pair.se == pytest.approx(float(stats.cluster_variance(sums.sums, sums.sizes)) ** 0.5)
    assert pair.pvalue == pytest.approx(float(stats.cluster_pvalue(sums.sums, sums.sizes)))
    assert pair.pvalue_signflip == pytest.approx(float(stats.cluster_sign_flip_pvalue(sums.sums)))
    assert pair.pvalue_t is not None


def test_a_constant_offset_costs_no_digits() -> None:
    codes = [k % 8 for k in range(80)]
    plain = pair_of(A, B, cluster=codes)
    far = pair_of(A + 1e6, B, cluster=codes)
    assert far.se == pytest.approx(plain.se, rel=1e-6)
    assert far.estimate.icc == pytest.approx(plain.estimate.icc, rel=1e-5)


# --- runs ---------------------------------------------------------------------------------


def table(rate: Array, runs: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return (rng.random((rate.size, runs)) < rate[:, None]).astype(float)


RATE = np.random.default_rng(2).beta(1, 1, 60)
X, Y = table(RATE, 4, 3), table(np.clip(RATE - 0.1, 0, 1), 3, 4)


def test_the_item_is_the_unit() -> None:
    pair = pair_of(X, Y)
    d = X.mean(axis=1) - Y.mean(axis=1)
    assert pair.n_items == 60
    assert not pair.is_binary
    assert pair.se == pytest.approx(d.std(ddof=1) / math.sqrt(60))


def test_parts_of_the_variance_by_hand() -> None:
    split = pair_of(X, Y).run_variance
    assert split is not None
    d = X.mean(axis=1) - Y.mean(axis=1)
    within_a, within_b = X.var(axis=1, ddof=1).mean(), Y.var(axis=1, ddof=1).mean()
    assert (split.n_runs_a, split.n_runs_b) == ((4, 4), (3, 3))
    assert split.variance == pytest.approx(d.var(ddof=1) / 60)
    assert split.run_part_a == pytest.approx(within_a / 4 / 60)
    assert split.run_part_b == pytest.approx(within_b / 3 / 60)
    assert split.item_part == pytest.approx(split.variance - split.run_part_a - split.run_part_b)
    components = stats.variance_components(X, Y)
    assert split.sigma_b2 == pytest.approx(components.sigma_b2)
    assert (split.sigma_wa2, split.sigma_wb2) == pytest.approx(
        (components.sigma_wa2, components.sigma_wb2)
    )
    assert split.removable_share == pytest.approx(1 - split.sigma_b2 / d.var(ddof=1))
    assert split.n_assumed == 0
    assert split.is_identified


def test_gap_detectable_with_endless_runs() -> None:
    apart = Y + np.where(np.arange(60) % 2, 0.5, -0.5)[:, None]
    split = pair_of(X, apart).run_variance
    assert split is not None
    assert split.sigma_b2 is not None
    assert split.sigma_b2 > 0
    wanted = stats.t_mde(60, sigma=math.sqrt(split.sigma_b2))
    assert split.mde_floor == pytest.approx(float(wanted))
    assert wanted > stats.runs_mde_floor(math.sqrt(split.sigma_b2), 60)
    flat = pair_of(X, X[:, ::-1]).run_variance
    assert flat is not None
    assert (flat.sigma_b2, flat.mde_floor) == (0, 0)


def test_ragged_runs_use_each_cells_own_variance() -> None:
    ragged = X.copy()
    ragged[:20, 2:] = NAN
    ragged[20:25, 1:] = NAN
    split = pair_of(ragged, Y).run_variance
    assert split is not None
    assert split.n_runs_a == (1, 4)
    assert split.n_assumed == 5
    two, four = ragged[:20, :2].var(axis=1, ddof=1), X[25:].var(axis=1, ddof=1)
    usual = np.concatenate([two, four]).mean()
    by_hand = (two.sum() / 2 + 5 * usual + four.sum() / 4) / 60
    assert split.run_part_a == pytest.approx(by_hand / 60)


def test_runs_of_one_model_only_identify_nothing() -> None:
    split = pair_of(X, Y[:, :1]).run_variance
    assert split is not None
    assert not split.is_identified
    assert (split.item_part, split.run_part_b, split.removable_share, split.mde_floor) == (
        None,
    ) * 4
    assert split.run_part_a is not None
    assert split.n_runs_b == (1, 1)


def test_one_run_each_is_binary() -> None:
    pair = pair_of(X[:, :1], Y[:, 0])
    assert pair.is_binary
    assert pair.run_variance is None


def test_noise_alone_is_floored() -> None:
    same = np.full(40, 0.5)
    for seed in range(20):
        split = pair_of(table(same, 5, seed), table(same, 5, seed + 99)).run_variance
        assert split is not None
        assert split.item_part is not None
        assert split.sigma_b2 == max(split.item_part * 40, 0)
        assert split.removable_share is not None
        assert 0 <= split.removable_share <= 1


def test_runs_from_a_matrix() -> None:
    cube = np.full((2, 60, 4), NAN)
    cube[0], cube[1, :, :3] = X, Y
    m = ScoreMatrix.from_arrays(cube, models=["x", "y"])
    assert compare(m).tasks[0].run_variance == pair_of(X, Y).run_variance


def test_runs_without_any_spread() -> None:
    split = pair_of(np.ones((5, 2)), np.zeros((5, 2))).run_variance
    assert split is not None
    assert split.removable_share is None


def test_too_few_items_to_reject_are_neither_resolved_nor_enough() -> None:
    pair = pair_of([0.7, 0.6, 0.8, 0.65], [0.2, 0.21, 0.22, 0.2])
    assert pair.pvalue > 0.05
    assert not pair.is_resolved
    assert pair.mde is None
    assert pair.n_star == 10
    assert pair.more_items == 6


def test_groups_without_spread_have_no_interval_and_others_stay_on_the_scale() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random(12), rng.random(12)
    a[:2] = b[:2] = 0.5
    a[2:4], b[2:4] = (0.0, 1.0), (1.0, 0.0)
    result = compare(a, b, groups={"g": ["same"] * 2 + ["wild"] * 2 + ["rest"] * 8})
    rows = {r.group: r for r in result.tasks[0].breakdowns[0].groups}
    assert rows["same"].ci is None
    assert rows["wild"].ci == (-1.0, 1.0)


def test_far_tails_are_told_as_such() -> None:
    rng = np.random.default_rng(4)
    result = compare(rng.random(400) / 2 + 0.5, rng.random(400) / 2, alpha=5e-5)
    (pair,) = result.tasks
    assert pair.estimate.pvalue_method == "tilted sign flips"
    assert 0 < pair.pvalue < 1e-60
    assert pair.verdict == "better"
    text = " ".join(render(result, level="full").split())
    assert "The p-value is from random sign flips by importance sampling" in text


def test_many_graded_tasks_can_be_significant() -> None:
    rng = np.random.default_rng(0)
    matrices = [
        ScoreMatrix.from_arrays([b + d, b], models=["a", "b"], task=f"t{k}")
        for k in range(60)
        for b, d in [(rng.uniform(0.3, 0.5, 32), rng.normal(0.16, 0.02, 32))]
    ]
    result = compare(matrices, a="a", b="b", alpha=0.005)
    assert {pair.verdict for pair in result.tasks} == {"better"}
    assert all(pair.pvalue == pytest.approx(2.0**-31, rel=0.01) for pair in result.tasks)


def whole_losses(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """A model that fails wholly on one item of a hundred, and differs by noise elsewhere."""
    lost = rng.random(n) < 0.01
    noise = rng.normal(0, 0.01, n)
    return np.where(lost, 0.0, 0.5 + noise), np.where(lost, 1.0, 0.5)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("n", "most"), [(30, 0), (100, 0), (300, 3)])
def test_losses_too_rare_to_have_shown_are_not_equivalence(n: int, most: int) -> None:
    """Apart by exactly the margin: t intervals say equivalent in 76, 35 and 20 of 100."""
    rng = np.random.default_rng(5)
    said = {"compare": 0, "audit": 0}
    for _ in range(20):
        a, b = whole_losses(rng, n)
        e = compare(a, b, margin=0.01).tasks[0].equivalence
        assert e is not None
        said["compare"] += e.is_equivalent
        found = audit(ScoreMatrix.from_arrays([a, b], models=["a", "b"]), margin=0.01)
        said["audit"] += found.verdict_counts["equivalent"]
        passed = gate(a, b, margin=0.01).verdict == "pass"
        assert passed == e.is_noninferior
        assert e.is_equivalent == (e.pvalue < 0.05)
    assert max(said.values()) <= most


def test_an_interval_for_a_margin_says_what_it_allows_for() -> None:
    rng = np.random.default_rng(5)
    b = rng.uniform(0.4, 0.6, 400)
    result = compare(b + rng.normal(0, 0.01, 400), b, margin=0.02)
    text = " ".join(render(result).split())
    assert "lies inside the equivalence margin" in text
    assert "This CI allows for full-scale changes that are too rare to be observed" in text
    counted = render(compare(np.ones(400), np.ones(400), margin=0.02))
    assert "full-scale" not in " ".join(counted.split())
