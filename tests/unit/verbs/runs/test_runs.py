"""Repeated runs, against plain loops and other packages."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

import nstar
from nstar import Runs, RunTable, runs, stats
from nstar._verbs.runs import ModelRuns, RunGap
from nstar.errors import DataError, ParameterError
from nstar.report.prose.runs import document

NAN = float("nan")
RNG = np.random.default_rng(11)
RATES = RNG.beta(0.8, 0.8, 40)
A = (RNG.random((40, 4)) < RATES[:, None]).astype(float)
B = (RNG.random((40, 3)) < np.clip(RATES - 0.1, 0, 1)[:, None]).astype(float)
GRADED = np.clip(RATES[:, None] + RNG.normal(0, 0.1, (40, 3)), 0, 1)


def one(scores: Any, **more: Any) -> ModelRuns:
    return runs(scores, **more).model_runs[0]


def gap_of(a: Any, b: Any, **more: Any) -> RunGap:
    found = runs(a, b, **more).estimate
    assert found is not None
    return found


def run_table(scores: Any, **more: Any) -> RunTable:
    array = np.asarray(scores, dtype=float)
    about: dict[str, Any] = {"model": "m", "task": "t"} | more
    return RunTable(
        items=tuple(f"q{k}" for k in range(len(array))),
        runs=tuple(map(str, range(array.shape[1]))),
        scores=array,
        **about,
    )


def test_pass_curves_are_shares_of_all_subsets_of_runs() -> None:
    model = one(A)
    assert model.pass_at is not None
    assert model.pass_hat is not None
    for k in range(1, 5):
        picks = [A[:, list(c)] for c in combinations(range(4), k)]
        some = np.mean([p.max(axis=1) for p in picks])
        every = np.mean([p.min(axis=1) for p in picks])
        assert model.pass_at.estimate[k - 1] == pytest.approx(some)
        assert model.pass_hat.estimate[k - 1] == pytest.approx(every)


def test_tau_bench_airline_as_published() -> None:
    """gpt-4o, 50 tasks of 4 trials: pass^1 to pass^4 as its leaderboard prints them."""
    passed = np.repeat([0, 1, 2, 3, 4], [14, 12, 10, 4, 10])
    model = one(np.arange(4) < passed[:, None])
    assert model.pass_hat is not None
    assert model.pass_hat.estimate.round(3).tolist() == [0.42, 0.273, 0.22, 0.2]
    assert (model.n_mixed, model.n_all_passed, model.n_none_passed) == (26, 10, 14)


def test_flips_are_shares_of_pairs_of_runs() -> None:
    model = one(A)
    pairs = [np.mean([x != y for x, y in combinations(row, 2)]) for row in A]
    assert [t.flip_probability for t in model.tasks] == pytest.approx(pairs)
    assert model.flip_probability == pytest.approx(np.mean(pairs))
    assert model.n_mixed == sum(p > 0 for p in pairs)
    assert model.n_all_passed == (A.min(axis=1) == 1).sum()
    assert model.n_none_passed == (A.max(axis=1) == 0).sum()
    assert (model.n_repeated, model.n_scores, model.n_runs) == (40, 160, (4, 4))


def test_intervals_of_a_task_are_exact() -> None:
    for task in one(A, alpha=0.1).tasks:
        assert task.n_passed is not None
        assert task.ci is not None
        exact = scipy_stats.binomtest(task.n_passed, task.n_runs).proportion_ci(0.9, "exact")
        assert tuple(task.ci) == pytest.approx((exact.low, exact.high))
        least = min(task.n_passed, task.n_runs - task.n_passed)
        assert task.next_flip_probability == pytest.approx((least + 0.5) / (task.n_runs + 1))


def test_mean_error_and_what_runs_remove() -> None:
    model = one(GRADED)
    means = GRADED.mean(axis=1)
    spread = means.var(ddof=1)
    assert model.mean == pytest.approx(means.mean())
    assert model.se == pytest.approx(math.sqrt(spread / 40))
    c = model.components
    assert c is not None
    assert c.sigma_task2 is not None
    assert model.removable_share == pytest.approx(1 - c.sigma_task2 / spread)
    t = scipy_stats.t.interval(0.95, 39, means.mean(), math.sqrt(spread / 40))
    assert model.ci == pytest.approx(t)


def test_graded_scores_have_no_passes() -> None:
    model = one(GRADED)
    assert not model.is_binary
    gone = (
        model.pass_at,
        model.pass_hat,
        model.flip_probability,
        model.n_mixed,
        model.n_all_passed,
        model.n_none_passed,
    )
    assert gone == (None,) * 6
    assert all(
        t.n_passed is None and t.ci is None and t.next_flip_probability is None
        for t in model.tasks
    )
    assert [t.variance for t in model.tasks] == pytest.approx(GRADED.var(axis=1, ddof=1))


def test_less_is_better_passes_nothing() -> None:
    assert not one(run_table(A, lower_is_better=True)).is_binary


def test_single_runs_leave_the_parts_unknown() -> None:
    found = runs(A[:, :1], B[:, :1])
    for model in found.model_runs:
        assert model.n_repeated == 0
        assert model.removable_share is None
        assert model.flip_probability is None
        assert model.components is not None
        assert model.components.sigma_w2 is None
    assert found.estimate is not None
    assert (found.estimate.removable_share, found.estimate.data_se, found.estimate.steps) == (
        None,
        None,
        (),
    )


def test_one_task() -> None:
    model = one([[1, 1, 0, 1]])
    assert (model.components, model.se, model.ci, model.pass_at) == (None,) * 4
    assert model.mean == 0.75
    assert model.flip_probability == pytest.approx(0.5)


def test_clean_sweep() -> None:
    model = one(np.ones((20, 5)))
    assert model.max_failure_rate == pytest.approx(1 - 0.05 ** (1 / 100))
    assert (model.flip_probability, model.n_mixed, model.n_all_passed, model.se) == (
        0,
        0,
        20,
        None,
    )
    assert model.ci is not None
    assert model.ci.low < 1 == model.ci.high
    assert one(np.vstack([np.ones((20, 5)), np.zeros((1, 5))])).max_failure_rate is None


def test_absent_runs_and_tasks_are_left_out() -> None:
    ragged = A.copy()
    ragged[0] = NAN
    ragged[1, 1:] = NAN
    model = one(ragged)
    assert (len(model.tasks), model.n_repeated, model.n_runs) == (39, 38, (1, 4))
    assert model.tasks[0].task == "2"
    assert model.components is not None
    assert not model.components.complete
    assert model.components.run_p is None
    wide = np.column_stack([A, np.full(40, NAN)])
    again = one(wide).components
    assert again is not None
    assert again.complete


def test_numbered_runs_share_no_effect() -> None:
    c = one(run_table(A, blocks=False)).components
    assert c is not None
    assert (c.run_p, c.sigma_run2) == (None, None)
    assert c.sigma_w2 == pytest.approx(A.var(axis=1, ddof=1).mean())


def test_the_gap_is_that_of_compare() -> None:
    found = gap_of(A, B)
    pair = nstar.compare(A, B).tasks[0]
    assert (
        found.comparison.gap,
        found.comparison.se,
        found.comparison.pvalue,
        found.comparison.mde,
    ) == (
        pair.gap,
        pair.se,
        pair.pvalue,
        pair.mde,
    )
    noise = A.var(axis=1, ddof=1).mean() / 4 + B.var(axis=1, ddof=1).mean() / 3
    spread = (A.mean(axis=1) - B.mean(axis=1)).var(ddof=1)
    between = max(spread - noise, 0)
    assert found.prediction_se == pytest.approx(math.sqrt(noise / 40))
    assert found.data_se == pytest.approx(math.sqrt(between / 40))
    assert found.removable_share == pytest.approx(1 - between / spread)


def test_steps_detect_as_often_as_wanted() -> None:
    found = gap_of(A, B, alpha=0.1, power=0.7)
    split = found.comparison.run_variance
    assert split is not None
    assert split.sigma_b2 is not None
    assert split.sigma_wa2 is not None
    assert split.sigma_wb2 is not None
    assert [s.n_runs for s in found.steps][-2:] == [50, math.inf]
    critical = scipy_stats.t.ppf(0.95, 39)
    for step in found.steps:
        total = split.sigma_b2 + (split.sigma_wa2 + split.sigma_wb2) / step.n_runs
        assert step.se == pytest.approx(math.sqrt(total / 40))
        if not total:
            assert step.mde == 0
            continue
        assert step.mde is not None
        shift = step.mde / step.se
        power = scipy_stats.nct.sf(critical, 39, shift) + scipy_stats.nct.cdf(-critical, 39, shift)
        assert power == pytest.approx(0.7, abs=1e-6)
        assert step.mde_ci is not None
        assert step.mde_ci.low <= step.mde <= step.mde_ci.high


def test_more_runs_never_detect_less() -> None:
    steps = gap_of(GRADED, B).steps
    sizes = [s.mde for s in steps]
    assert None not in sizes
    split = gap_of(GRADED, B).comparison.run_variance
    assert split is not None
    assert sizes[-1] is not None
    assert sizes[-1] == pytest.approx(split.mde_floor)
    assert sizes[-1] > 0
    assert sizes == sorted(sizes, reverse=True)  # type: ignore[type-var]


def test_nothing_detectable_is_none_and_infinite() -> None:
    a = np.array([[1, 0]] * 9 + [[0, 1]] * 9, float)
    b = np.array([[1, 1], [0, 0]] * 9, float)
    first = gap_of(a, b, power=1 - 1e-9).steps[0]
    assert first.mde is None
    assert first.mde_ci is not None
    assert first.mde_ci.high == math.inf


def test_too_few_tasks_for_any_test_have_no_steps() -> None:
    assert gap_of(A[:5], B[:5]).steps == ()
    assert gap_of(np.ones((9, 2)), np.ones((9, 2))).steps == ()
    lone = gap_of([[1, 0]], [[0, 0]])
    assert (lone.component_intervals, lone.steps) == (None, ())


def test_swapping_the_models_turns_the_sign() -> None:
    there, back = gap_of(A, B), gap_of(B, A)
    assert there.comparison.gap == pytest.approx(-back.comparison.gap)
    assert there.removable_share == pytest.approx(back.removable_share)
    assert [s.mde for s in there.steps] == pytest.approx([s.mde for s in back.steps])


def test_order_of_tasks_does_not_matter() -> None:
    order = RNG.permutation(40)
    one_way, other = runs(A, B), runs(A[order], B[order])
    for m, n in zip(one_way.model_runs, other.model_runs, strict=True):
        assert m.mean == pytest.approx(n.mean)
        assert m.removable_share == pytest.approx(n.removable_share)
    assert one_way.estimate is not None
    assert other.estimate is not None
    assert one_way.estimate.removable_share == pytest.approx(other.estimate.removable_share)


def test_tables_bring_their_names() -> None:
    found = runs(run_table(A, model="x"), run_table(B, model="y"))
    assert (found.models, found.task, found.score_range) == (("x", "y"), "t", (0.0, 1.0))
    assert isinstance(found, Runs)
    assert runs(A * 5 + 1, a="z", b="B").score_range == (1.0, 6.0)


@pytest.mark.parametrize(
    ("a", "b", "error", "match"),
    [
        ([1, 0, 1], None, DataError, "2 dimensions"),
        ([["x"]], None, DataError, "numbers"),
        ([[math.inf, 1]], None, DataError, "infinity"),
        ([[NAN, NAN]], None, DataError, "A has no score"),
        (A, B[:-1], DataError, "different tasks or a different order"),
        (A, run_table(B), ParameterError, "same form"),
        (run_table(A), run_table(B, task="u"), DataError, "a has task 't' and b has 'u'"),
        (
            run_table(A),
            run_table(B, metric="f1"),
            DataError,
            "metric 'score' and b has 'f1'",
        ),
        (
            [[1, NAN], [NAN, NAN]],
            [[NAN, NAN], [1, 1]],
            DataError,
            "first and second share no items",
        ),
    ],
)
def test_refusals(a: Any, b: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        runs(a, b)


def test_the_level_is_a_fraction() -> None:
    with pytest.raises(ParameterError, match="alpha"):
        runs(A, alpha=95)


# --- what runs share, and variances below zero --------------------------------------------


def shared_scores(seed: int, effects: tuple[float, ...], tasks: int = 60) -> Any:
    """Graded scores of one model whose runs are shifted as a whole."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 0.1, (tasks, len(effects)))
    return rng.normal(0.5, 0.1, (tasks, 1)) + noise + np.array(effects)


def test_what_a_run_shares_counts_in_the_gap() -> None:
    first = shared_scores(1, (0.2, -0.2, 0.1, -0.1))
    second = shared_scores(2, (0.0, 0.0, 0.0))
    found = gap_of(first, second)
    component = stats.run_components(first).sigma_run2
    assert component is not None
    assert found.shared_se == pytest.approx(math.sqrt(component / 4))
    assert found.se is not None
    assert found.data_se is not None
    assert found.prediction_se is not None
    assert found.se == pytest.approx(
        math.hypot(found.data_se, found.prediction_se, found.shared_se)
    )
    assert found.se > 3 * (found.comparison.se or 0.0)
    assert found.mde is not None
    assert found.mde > 3 * (found.comparison.mde or 0.0)
    assert found.removable_share == pytest.approx(1 - (found.data_se / found.se) ** 2)
    assert {s.mde_ci for s in found.steps} == {None}
    alone = one(first)
    assert alone.shared_variance == component
    assert alone.removable_share is not None
    assert alone.removable_share > 0.9


def test_parts_and_their_sum_agree_where_one_was_below_zero() -> None:
    rng = np.random.default_rng(2)
    a, b = ((rng.random((40, 3)) < 0.5) * 1.0 for _ in "ab")
    assert (stats.variance_components(a, b).sigma_b2_raw or 0.0) < 0
    found = gap_of(a, b)
    assert found.data_se == 0.0
    assert found.se == found.prediction_se
    assert found.se is not None
    assert found.se > (found.comparison.se or 0.0)
    three = next(s for s in found.steps if s.n_runs == 3)
    assert found.mde == pytest.approx(three.mde)
    assert found.mde == pytest.approx(float(stats.t_mde(40, sigma=found.se * math.sqrt(40))))


def test_runs_and_plans_agree_on_the_same_design() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        rate = rng.beta(1, 1, (40, 1))
        shift = rng.choice([0.0, 0.3]) * np.array([1, -1, 0, 0.5])
        a = (rng.random((40, 4)) < np.clip(rate + shift, 0, 1)) * 1.0
        b = (rng.random((40, 3)) < rate) * 1.0
        shown = gap_of(a, b)
        found = nstar.plan_runs(a, b, tasks_available=40, runs=(4, 3))
        assert isinstance(found, nstar.TaskPlan)
        design = found.best_design
        assert design is not None
        assert shown.mde == pytest.approx(design.mde)


def test_a_sweep_of_unequal_runs_is_bounded_by_the_fewest() -> None:
    """9 runs of one task and 1 of another: the second may fail 95% of the time."""
    scores = np.full((2, 9), NAN)
    scores[0], scores[1, 0] = 1.0, 1.0
    bound = one(scores).max_failure_rate
    assert bound == pytest.approx(1 - 0.05 ** (1 / 2))
    assert bound is not None
    # however the two tasks share a mean failure rate of the bound, such a sweep is a rare one
    sweeps = [(1 - f) ** 9 * (1 - (2 * bound - f)) for f in np.linspace(2 * bound - 1, 1, 200)]
    assert max(sweeps) <= 0.05


def test_intervals_of_the_gap_stay_on_the_scale() -> None:
    found = runs([[1, 1], [1, 0]], [[0, 0], [0, 1]])
    assert "95% CI −100.0 to +100.0 pp" in document(found).headline


EDGES: dict[str, Runs] = {
    "one run of one task": runs([[1]]),
    "one task": runs([[1, 0, 1]]),
    "all passed": runs([[1, 1], [1, 1]]),
    "absent runs": runs(np.where(np.arange(160).reshape(40, 4) % 7 == 0, NAN, A)),
    "graded": runs(GRADED),
    "single runs of two": runs(A[:, :1], B[:, :1]),
    "one task of two": runs([[1, 0]], [[0, 0]]),
    "two": runs(A, B),
    "two without spread": runs([[1, 1]] * 5, [[0, 0]] * 5),
    "two that are equal off the scale": runs([[7, 7]] * 6, [[7, 7]] * 6),
    "too few tasks": runs(A[:3], B[:3]),
    "shared by a run": runs(np.tile([[1.0, 1, 0]], (40, 1)), A[:, :3]),
    "points": runs(70 * GRADED, 50 * GRADED, alternative="greater"),
}


@pytest.mark.parametrize("case", EDGES)
def test_reads_back_as_it_was(case: str) -> None:
    found = EDGES[case]
    again = Runs.from_json(found.to_json())
    assert again == found
    assert str(again) == str(found)
    assert again.to_dict() == found.to_dict()


def test_endless_runs_are_null_and_come_back() -> None:
    found = EDGES["two"]
    assert found.estimate is not None
    assert found.to_dict()["estimate"]["steps"][-1]["n_runs"] is None
    again = Runs.from_json(found.to_json()).estimate
    assert again is not None
    assert again.steps[-1].n_runs == math.inf
    assert again.comparison == found.estimate.comparison
