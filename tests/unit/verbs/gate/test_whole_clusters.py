"""Clusters that are lost whole: a gate counts clusters, and says what so few can show."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import special

from nstar import ScoreMatrix, audit, compare, gate, gate_looks, plan_margin, stats
from nstar._base.types import Array, LossUnit
from nstar._verbs.gate import Gate, History
from nstar.errors import ParameterError
from nstar.report import render
from nstar.stats.margin import margin_least_items
from validation.cluster_margins import cluster_sizes, lost_clusters, within_margin


def labels(sizes: Array) -> list[str]:
    return np.repeat(np.arange(sizes.size), sizes.astype(int)).astype(str).tolist()


def judged(d: Array, sizes: Array, margin: float, loss: LossUnit = "cluster") -> Gate:
    """A gate of differences in [-1, 1], item by item."""
    b = np.where(d < 0, 1.0, 0.0)
    return gate(b + d, b, a="new", b="old", margin=margin, cluster=labels(sizes), loss=loss)


def noisy(sizes: Array, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(0, 0.02, int(sizes.sum()))


EQUAL, UNEQUAL = np.full(20, 20), np.array([160, 40, 40, 20, 20, 20, 20, 20, 20, 40])


def test_whole_clusters_lost_do_not_pass() -> None:
    """Worse by the margin, and a cluster in 14 fails: 7 of 40 passed when items were counted."""
    rng, groups, passes = np.random.default_rng(0), np.repeat(np.arange(20), 20), 0
    for _ in range(40):
        old = np.clip(0.7 + 0.1 * rng.standard_normal(400), 0, 1)
        new = np.clip(old + 0.02 * rng.standard_normal(400), 0, 1)
        new[(rng.random(20) < 0.05 / 0.7)[groups]] = 0
        passes += gate(new, old, margin=0.05, cluster=groups.astype(str).tolist()).passed
    assert passes == 0


@pytest.mark.parametrize("sizes", [EQUAL, UNEQUAL])
@pytest.mark.parametrize("gain", [0.0, 0.1])
def test_bound_counts_clusters(sizes: Array, gain: float) -> None:
    check = judged(noisy(sizes) + gain, sizes, 0.3).tasks[0]
    d, worth = check.comparison.estimate, sizes.sum() ** 2 / np.sum(sizes**2)
    assert d.n_effective_clusters == pytest.approx(worth)
    quantile = float(special.stdtrit(d.df, 0.95))
    mixture = stats.margin_bound(check.improvement, d.se, worth, width=1.0, quantile=quantile)
    unseen = 1 - 0.05 ** (1 / worth)
    exact = check.improvement * (1 - unseen) - unseen
    assert check.evidence.ci.low == pytest.approx(min(float(mixture), exact))
    assert check.min_margin_to_pass == pytest.approx(unseen)
    p = check.evidence.pvalue_not_worse
    assert p is not None
    assert (p < 0.05) == (check.evidence.ci.low > -0.3) == (check.verdict == "pass")


def test_lower_is_better_bounds_the_other_end() -> None:
    d = noisy(EQUAL)
    up = judged(d, EQUAL, 0.2).tasks[0].evidence.ci
    matrix = ScoreMatrix.from_arrays(
        [np.where(d < 0, 1.0, 0.0), np.where(d < 0, 1.0, 0.0) + d],
        models=["new", "old"],
        groups={"g": labels(EQUAL)},
    )
    down = gate(replace(matrix, lower_is_better=True), margin=0.2, a="new", b="old", cluster="g")
    ci = down.tasks[0].evidence.ci
    assert (ci.low, ci.high) == pytest.approx((-up.high, -up.low))


def test_a_margin_below_the_least_is_announced() -> None:
    found = judged(noisy(EQUAL), EQUAL, 0.05)
    assert found.verdict == "inconclusive"
    said = " ".join(str(render(found, level="brief")).split())
    assert "20 clusters cannot show a margin below 14.00 pp for equal models" in said
    assert 'With loss="item", only individual items may fail' in said
    assert judged(noisy(EQUAL), EQUAL, 0.14).verdict == "pass"
    unequal = " ".join(str(render(judged(noisy(UNEQUAL), UNEQUAL, 0.05), level="brief")).split())
    assert "10 clusters, equivalent to 4.88 of equal size, cannot show a margin below" in unequal


def test_losses_of_items_are_an_assumption_that_is_stated() -> None:
    found = judged(noisy(EQUAL), EQUAL, 0.05, loss="item")
    check = found.tasks[0]
    assert (found.verdict, check.min_margin_to_pass) == ("pass", None)
    said = " ".join(str(render(found, level="brief")).split())
    assert 'This assumes that no cluster outside the sample fails entirely (loss="item")' in said
    assert "assumes that no" not in str(render(judged(noisy(EQUAL), EQUAL, 0.2), level="brief"))


def test_several_tasks_say_how_many_lack_clusters() -> None:
    rows: dict[str, list[object]] = {k: [] for k in ("task", "item", "model", "score", "repo")}
    d = noisy(EQUAL)
    for task in ("one", "two"):
        for k, (x, g) in enumerate(zip(d.tolist(), labels(EQUAL), strict=True)):
            for model, score in (("new", 0.5 + x), ("old", 0.5)):
                for name, value in zip(rows, (task, k, model, score, g), strict=True):
                    rows[name].append(value)
    asked = {"a": "new", "b": "old", "cluster": "repo", "groups": "repo"}
    found = gate(rows, margin=0.2, guardrails={"two": 0.05}, **asked)  # type: ignore[arg-type]
    said = " ".join(str(render(found)).split())
    assert "(two); all must pass. On 1, there are too few clusters for the margin." in said
    assert "20 repos cannot show a margin below 14.00 pp" in said


def test_what_a_plan_calls_feasible_can_pass() -> None:
    """Equal models of the planned spread pass as often as the plan says."""
    for margin in (0.05, 0.15):
        asked = {"sd_diff": 0.1, "icc": 0.2, "clusters": 20, "items": 400, "margin": margin}
        planned = plan_margin(**asked, non_inferiority=True)  # type: ignore[call-overload]
        rng = np.random.default_rng(1)
        sums = rng.normal(0, 0.1 * 20 * math.sqrt(0.2 + 0.8 / 20), (4000, 20))
        passes = float(within_margin(sums, EQUAL, margin).mean())
        assert planned.power == pytest.approx(passes, abs=0.02)
        assert planned.min_margin_clusters == pytest.approx(1 - 0.05 ** (1 / 20))
    few = plan_margin(psi=0.1, icc=0.1, clusters=20, margin=0.05, non_inferiority=True)
    assert math.isinf(few.n_star or 0)
    said = " ".join(str(render(few, level="brief")).split())
    assert "20 clusters cannot show a margin below 14 pp for equal models" in said
    items = plan_margin(
        psi=0.1, icc=0.1, clusters=20, margin=0.05, non_inferiority=True, loss="item", items=4000
    )
    assert (items.power or 0) > 0.5
    free = plan_margin(sd_diff=0.1, icc=0.2, cluster_size=20, margin=0.05, non_inferiority=True)
    assert (free.n_star or 0) / 20 > margin_least_items(0.05, clusters=True)


def test_uncorrelated_clusters_may_be_lost_whole_too() -> None:
    known = {"sd_diff": 0.1, "icc": 0.0, "margin": 0.05, "non_inferiority": True}
    fixed = plan_margin(**known, clusters=20)  # type: ignore[call-overload]
    assert math.isinf(fixed.n_star)
    grows = plan_margin(**known, cluster_size=20)  # type: ignore[call-overload]
    assert grows.n_star / 20 >= margin_least_items(0.05, clusters=True)
    alone = plan_margin(**known, cluster_size=20, loss="item")  # type: ignore[call-overload]
    assert alone.n_star < grows.n_star


def test_items_to_settle_it_are_in_clusters_enough() -> None:
    result = judged(noisy(EQUAL), EQUAL, 0.05)
    assert "items in new clusters of the same sizes" in " ".join(str(result).split())
    check = result.tasks[0]
    assert check.needed_to_decide is not None
    clusters = check.needed_to_decide.n_items_if_equal / 20
    assert margin_least_items(0.05, clusters=True) <= clusters < 70
    assert (check.pass_probability or 0) < 0.01


def test_identical_clusters_pass_above_the_least_margin() -> None:
    same = np.zeros(400)
    assert judged(same, EQUAL, 0.1392).verdict == "pass"
    assert judged(same, EQUAL, 0.139).verdict == "inconclusive"


@pytest.mark.parametrize("equal", [True, False])
def test_validation_asks_what_the_gate_answers(*, equal: bool) -> None:
    sizes = cluster_sizes(20, equal=equal)
    rng = np.random.default_rng(7)
    sums = lost_clusters(rng, 6, sizes, margin=0.15, gain=0.05)
    said = within_margin(sums, sizes, 0.15)
    for row, passes in zip(sums, said.tolist(), strict=True):
        d = np.repeat(row / sizes, sizes)
        assert judged(d, sizes.astype(np.float64), 0.15).passed == passes


def test_compare_calls_few_clusters_not_equivalent() -> None:
    d = noisy(EQUAL)
    b = np.where(d < 0, 1.0, 0.0)
    pair = compare(b + d, b, margin=0.1, cluster=labels(EQUAL)).tasks[0]
    assert pair.equivalence is not None
    assert not pair.equivalence.is_equivalent
    assert pair.equivalence.n_star > 400
    wide = compare(b + d, b, margin=0.15, cluster=labels(EQUAL)).tasks[0]
    assert wide.equivalence is not None
    assert wide.equivalence.is_equivalent


def test_many_looks_at_clusters_allow_for_whole_losses() -> None:
    """Forty clusters without a loss: 0.95⁴⁰ = 13%, and no e-value may pass at 5%."""
    sizes = np.full(40, 10)
    d = noisy(sizes)
    b = np.where(d < 0, 1.0, 0.0)
    asked = {"margin": 0.05, "cluster": labels(sizes), "items": 400}
    whole = gate_looks(b + d, b, **asked)  # type: ignore[arg-type]
    single = gate_looks(b + d, b, **asked, loss="item")  # type: ignore[arg-type]
    assert (whole.verdict, single.verdict) == ("inconclusive", "pass")
    e = whole.tasks[0].evidence
    assert e.pvalue_not_worse is not None
    assert e.pvalue_not_worse >= 0.95**40
    assert e.ci.low < -0.05


def test_a_history_is_of_one_kind_of_loss() -> None:
    d = noisy(EQUAL)
    b = np.where(d < 0, 1.0, 0.0)
    asked = {"margin": 0.2, "cluster": labels(EQUAL)}
    first = gate_looks(b + d, b, **asked, history=History())  # type: ignore[arg-type]
    assert first.history is not None
    again = gate_looks(b + d, b, **asked, history=first.history, loss="item")  # type: ignore[arg-type]
    assert again.verdict == "invalid_data"
    assert "loss was cluster and is item" in (again.invalid_reason or "")


def test_item_losses_need_clusters() -> None:
    with pytest.raises(ParameterError, match="needs cluster"):
        gate([1, 0, 1], [1, 0, 1], margin=0.1, loss="item")
    with pytest.raises(ParameterError, match="loss must be"):
        gate([1, 0, 1], [1, 0, 1], margin=0.1, loss="none")  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clusters", "margin", "equal"),
    [(20, 0.15, True), (50, 0.1, True), (50, 0.1, False), (200, 0.05, True)],
)
@pytest.mark.parametrize("gain", [0.0, 0.1])
def test_level(clusters: int, margin: float, gain: float, *, equal: bool) -> None:
    sizes = cluster_sizes(clusters, equal=equal)
    sums = lost_clusters(np.random.default_rng(3), 20_000, sizes, margin=margin, gain=gain)
    assert within_margin(sums, sizes, margin).mean() < 0.065


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("margin", [0.1, 0.15])
def test_audit_and_compare_agree_on_clusters(margin: float, *, complete: bool) -> None:
    d = noisy(EQUAL)
    scores = np.stack([0.5 + d, np.full(400, 0.5)])
    if not complete:
        scores[0, 3] = np.nan
    matrix = ScoreMatrix.from_arrays(
        scores.tolist(), models=["new", "old"], groups={"g": labels(EQUAL)}
    )
    board = audit(matrix, cluster="g", margin=margin, pairs="all")
    pair = compare(matrix, a="new", b="old", cluster="g", margin=margin).tasks[0]
    assert pair.equivalence is not None
    assert pair.equivalence.is_equivalent == (margin > 0.14)
    assert board.pairs is not None
    assert board.pairs.pvalue_equivalent == pytest.approx([pair.equivalence.pvalue])
