"""A gate of one model against a threshold."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats as reference

import nstar
from nstar._base.types import Array
from nstar._base.units import Points
from nstar._data.matrix import ScoreMatrix


def scores(right: int, n: int) -> Array:
    return np.repeat([1.0, 0.0], [right, n - right])


@pytest.mark.parametrize("right", range(0, 61, 4))
def test_counts_are_tested_exactly(right: int) -> None:
    for threshold in (0.3, 0.7, 0.95):
        gate = nstar.gate(scores(right, 60), threshold=threshold)
        task = gate.tasks[0]
        above = reference.binomtest(right, 60, threshold, alternative="greater").pvalue
        below = reference.binomtest(right, 60, threshold, alternative="less").pvalue
        assert task.pvalue_better == pytest.approx(above, rel=1e-9, abs=1e-300)
        assert task.pvalue_worse == pytest.approx(below, rel=1e-9, abs=1e-300)
        exact = reference.binomtest(right, 60).proportion_ci(0.9, method="exact")
        assert np.array([*task.ci]) + threshold == pytest.approx([exact.low, exact.high], abs=1e-9)
        expected = "pass" if above <= 0.05 else "regression" if below <= 0.05 else "inconclusive"
        assert gate.verdict == expected


@pytest.mark.parametrize("n", [20, 57, 200])
@pytest.mark.parametrize("margin", [None, 0.03])
def test_exact_errors_are_at_most_alpha(n: int, margin: float | None) -> None:
    """All outcomes are enumerated at the boundary of each claim."""
    threshold = 0.7
    verdicts = [
        nstar.gate(scores(k, n), threshold=threshold, margin=margin).verdict for k in range(n + 1)
    ]
    outcomes = np.arange(n + 1)
    target = threshold - (margin or 0.0)
    at_target = reference.binom.pmf(outcomes, n, target)
    at_threshold = reference.binom.pmf(outcomes, n, threshold)
    assert at_target[[v == "pass" for v in verdicts]].sum() <= 0.05
    assert at_threshold[[v == "regression" for v in verdicts]].sum() <= 0.05


def test_turned_scores_turn_the_verdict() -> None:
    x = scores(50, 60)
    up, down = nstar.gate(x, threshold=0.7), nstar.gate(1 - x, threshold=0.3, lower_is_better=True)
    assert up.verdict == down.verdict == "pass"
    assert up.tasks[0].pvalue_better == pytest.approx(down.tasks[0].pvalue_better, rel=1e-9)
    assert up.tasks[0].ci == pytest.approx((-down.tasks[0].ci[1], -down.tasks[0].ci[0]))
    assert "below the 30% threshold" in str(down)


def test_other_notations_of_right_and_wrong() -> None:
    x = scores(50, 60)
    hundred = nstar.gate(100 * x, threshold=70.0)
    assert hundred.tasks[0].pvalue_better == nstar.gate(x, threshold=0.7).tasks[0].pvalue_better
    signed = nstar.gate(2 * x - 1, threshold=0.4)
    assert signed.tasks[0].pvalue_better == pytest.approx(hundred.tasks[0].pvalue_better, rel=1e-9)


def test_graded_scores_allow_for_rare_failures() -> None:
    """Thirty scores of 0.95 do not exclude one failure in a hundred."""
    x = np.full(30, 0.95)
    assert nstar.gate(x, threshold=0.94).verdict == "inconclusive"
    low = nstar.stats.margin_bound(
        -0.05, 0.0, 30, width=1.0, quantile=nstar.stats.z_alpha(0.05, sides=1)
    )
    gate = nstar.gate(x, threshold=0.94)
    assert gate.tasks[0].ci.low + 0.94 == pytest.approx(1 + float(low), abs=1e-9)


def test_graded_p_value_and_limit_agree() -> None:
    x = np.random.default_rng(3).beta(8, 3, 80)
    for threshold in np.linspace(0.5, 0.9, 21):
        task = nstar.gate(x, threshold=float(threshold)).tasks[0]
        assert (task.pvalue_better <= 0.05) == (task.ci.low >= -1e-12)
        assert (task.pvalue_worse <= 0.05) == (task.ci.high <= 1e-12)


@pytest.mark.parametrize("verb", ["gate", "gate_looks"])
def test_scores_on_another_scale_need_their_range(verb: str) -> None:
    """Failures that were not observed count as far as the declared range."""
    x = np.random.default_rng(0).beta(8, 2, 200)
    function, items = getattr(nstar, verb), {"items": 400} if verb == "gate_looks" else {}
    own = function(x, threshold=0.75, **items)
    scaled = function(100 * x, threshold=75.0, score_range=(0, 100), **items)
    assert scaled.tasks[0].pvalue_better == pytest.approx(own.tasks[0].pvalue_better, rel=1e-9)
    assert [c / 100 for c in scaled.tasks[0].ci] == pytest.approx([*own.tasks[0].ci], abs=1e-6)
    with pytest.raises(nstar.errors.ParameterError, match="possible range is unknown"):
        function(100 * x, threshold=75.0, **items)


def test_clusters() -> None:
    x = scores(200, 200)
    doc = np.repeat(np.arange(20), 10).tolist()
    gate = nstar.gate(x, threshold=0.9, cluster=doc)
    task = gate.tasks[0]
    assert gate.verdict == "inconclusive"
    assert task.max_threshold == pytest.approx(0.05 ** (1 / 20), abs=1e-9)
    assert "20 clusters cannot show a score above 86.1%" in str(gate)
    assert nstar.gate(x, threshold=0.86, cluster=doc).verdict == "pass"
    assert nstar.gate(x, threshold=0.87, cluster=doc, loss="item").verdict == "pass"


def test_runs_are_averaged_per_item() -> None:
    rng = np.random.default_rng(0)
    rate = rng.beta(4, 1, 300)
    runs = (rng.random((300, 4)) < rate[:, None]).astype(float)
    task = nstar.gate(runs, threshold=0.75).tasks[0]
    assert task.mean_candidate == pytest.approx(runs.mean())
    one = nstar.gate(runs.mean(axis=1), threshold=0.75).tasks[0]
    assert task.pvalue_better == pytest.approx(one.pvalue_better)


def test_missing_scores_count_at_their_worst() -> None:
    x = np.append(scores(180, 200), [np.nan] * 8)
    task = nstar.gate(x, threshold=0.85).tasks[0]
    worst = reference.binomtest(180, 208, 0.85, alternative="greater").pvalue
    assert task.pvalue_better == pytest.approx(worst)
    assert nstar.gate(x, threshold=0.85, missing=0.01).verdict == "invalid_data"


def test_samples_without_a_score_are_missing() -> None:
    rows: list[dict[str, Any]] = [
        {"item": k, "model": "x", "score": None if k < 20 else 1.0} for k in range(100)
    ]
    gate = nstar.gate(rows, threshold=0.9)
    assert gate.verdict == "invalid_data"
    assert "lacks 20 of 100 items" in (gate.invalid_reason or "")


def test_tasks_are_tested_separately() -> None:
    tasks = [
        ScoreMatrix.from_arrays(np.array([scores(k, 100)]), models=["x"], task=f"t{k}")
        for k in (90, 95, 40)
    ]
    gate = nstar.gate(tasks, threshold=0.8)
    assert [t.verdict for t in gate.tasks] == ["pass", "pass", "regression"]
    assert "x is below the 80% threshold on 1 of 3 tasks" in str(gate)
    assert "x is above the 80% threshold on all 2 tasks" in str(
        nstar.gate(tasks[:2], threshold=0.8)
    )


def test_needed_items_reach_the_verdict() -> None:
    gate = nstar.gate(scores(146, 200), threshold=0.7)
    need = gate.tasks[0].needed_to_decide
    assert need is not None
    assert need.verdict_if_observed == "pass"
    n = int(need.n_items_if_observed)
    assert nstar.stats.threshold_power(0.73, n, p0=0.7) >= 0.8


def test_perfect_scores_need_enough_items() -> None:
    gate = nstar.gate(np.ones(40), threshold=0.95)
    assert gate.tasks[0].min_items_to_pass == 59
    assert "Even perfect scores need 59 items to pass." in str(gate)
    assert nstar.gate(np.ones(59), threshold=0.95).verdict == "pass"


def test_looks_use_the_binomial_mixture() -> None:
    gate = nstar.gate_looks(scores(430, 500), threshold=0.8, items=1000)
    task = gate.tasks[0]
    p1 = 0.8 + (1.6448536 + 0.8416212) * math.sqrt(0.16 / 1000)
    a, b = nstar.stats.threshold_prior(p1, 1000)
    log_e_value = nstar.stats.threshold_log_e(430, 500, p0=0.8, a=a, b=b)
    assert -math.log(task.pvalue_better) == pytest.approx(float(log_e_value), rel=1e-6)
    assert gate.verdict == "pass"
    assert task.ci.low > 0


@pytest.mark.parametrize("graded", [False, True])
def test_sequence_inverts_the_e_value(graded: bool) -> None:
    x = np.random.default_rng(1).beta(8, 2, 400) if graded else scores(320, 400)
    ends = [
        np.array([*nstar.gate_looks(x, threshold=t, items=800).tasks[0].ci]) + t
        for t in (0.7, 0.85)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)
    for end in ends[0]:
        for step, is_shown in ((-2e-4, end < 0.8), (2e-4, end > 0.8)):
            task = nstar.gate_looks(x, threshold=float(end + step), items=800).tasks[0]
            assert (min(task.pvalue_better, task.pvalue_worse) <= 0.05) == is_shown


def test_exact_error_of_looks() -> None:
    """Every path is enumerated: the chance of a false PASS at any of 200 looks is at most 5%."""
    p0, alive, rejected = 0.8, np.array([1.0]), 0.0
    for n in range(1, 201):
        grown = np.zeros(n + 1)
        grown[1:] += alive * p0
        grown[:-1] += alive * (1 - p0)
        p1 = p0 + (1.6448536 + 0.8416212) * math.sqrt(p0 * (1 - p0) / 200)
        a, b = nstar.stats.threshold_prior(p1, 200)
        e = nstar.stats.threshold_log_e(np.arange(n + 1), n, p0=p0, a=a, b=b)
        stopped = e >= math.log(20)
        rejected += float(grown[stopped].sum())
        alive = np.where(stopped, 0.0, grown)
    assert 0.02 < rejected <= 0.05


def test_history_of_a_threshold() -> None:
    history = nstar.types.History()
    for night in range(3):
        x = np.random.default_rng(night).permutation(scores(88, 100))
        gate = nstar.gate_looks(x, threshold=0.75, history=history)
        assert gate.history is not None
        history = gate.history
    assert gate.pooled_evidence is not None
    assert gate.pooled_evidence.n_evaluations == 3
    other = nstar.gate_looks(x, threshold=0.6, history=history)
    assert "threshold was 0.75 and is 0.6" in (other.invalid_reason or "")


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (np.ones(9), {"threshold": 70}, "threshold 70 is above 1"),
        (np.arange(9.0), {"threshold": Points(0.7)}, "is a percentage, but scores range"),
        (np.arange(9.0), {"threshold": 2}, "Scores range from 0 to 8, so their possible range is"),
        (np.arange(9.0), {"threshold": 12, "score_range": (0, 9)}, "not inside the range"),
        (np.ones(9), {"threshold": 0.01, "margin": 0.02}, "minus margin must be inside"),
        (np.ones(9), {"threshold": 0.5, "b": "old"}, "Use either threshold"),
        (np.ones(9), {"threshold": 0.7, "margin": 2}, "margin"),
        (np.ones(9), {"threshold": 0.7, "superiority": True}, "Use either threshold"),
        (np.ones(9), {"threshold": 0.7, "baseline": np.ones(9)}, "Use either threshold"),
        (np.ones(9), {"threshold": 0.7, "guardrails": {"t": 0.1}}, "Use either threshold"),
        (np.ones(9), {}, "Set margin"),
    ],
)
def test_impossible_questions(x: Array, options: dict[str, Any], message: str) -> None:
    with pytest.raises((nstar.errors.ParameterError, nstar.errors.QuestionError), match=message):
        nstar.gate(x, **options)


def test_history_keeps_the_direction() -> None:
    x = scores(60, 100)
    first = nstar.gate_looks(x, threshold=0.5, history=nstar.types.History())
    again = nstar.gate_looks(x[::-1], threshold=0.5, lower_is_better=True, history=first.history)
    assert "higher scores were better, and now lower scores are" in (again.invalid_reason or "")


def test_no_scores_at_all_are_invalid() -> None:
    assert nstar.gate(np.full(9, np.nan), threshold=0.5).invalid_reason == "No item has a score."


def test_result_is_written_and_read() -> None:
    gate = nstar.gate(scores(50, 60), threshold=0.7)
    assert type(gate).from_json(gate.to_json()).to_json() == gate.to_json()
    assert gate.threshold == 0.7
    assert gate.baseline == "the 70% threshold"
    assert "above the 70% threshold" in gate.render("html")
