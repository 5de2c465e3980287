"""Judges in simulations: their laws, and procedures that answer as ``compare`` does."""

from typing import Any

import numpy as np
import pytest

from nstar import Judged, compare_judged, stats
from nstar._base.types import Array, IntArray
from nstar._verbs.simulate import INTERVALS, SCENARIOS, TESTS, simulate
from nstar._verbs.simulate.judged_sums import GroupedSums, JudgedSums
from nstar._verbs.simulate.scenarios.judged import judge_table, truth_and_judge
from nstar.errors import InfeasibleError, ParameterError
from nstar.stats.judge_plan import judge_agreement

ITEMS = 400


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def drawn(name: str, reps: int, items: int, **given: Any) -> JudgedSums:
    found: JudgedSums = SCENARIOS[name](rng(), reps, items, **given)
    return found


def scored(labels: int, seed: int = 3) -> tuple[Array, Array]:
    """0/1 scores of two models by people, NaN beyond the labels, and by a judge, (2, T)."""
    own = np.random.default_rng(seed)
    truth = (own.random((2, ITEMS)) < 0.7).astype(float)
    judge = np.where(own.random((2, ITEMS)) < 0.15, 1 - truth, truth)
    truth[:, labels:] = np.nan
    return truth, judge


def compared(truth: Array, judge: Array, codes: IntArray | None = None) -> Judged:
    """What ``compare`` says of the same items."""
    group = np.zeros(ITEMS, int) if codes is None else codes
    rows = {
        "model": ["a"] * ITEMS + ["b"] * ITEMS,
        "item": [f"q{k:03}" for k in range(ITEMS)] * 2,
        "topic": [f"t{g}" for g in group] * 2,
        "said": judge.ravel().tolist(),
        "people": [None if np.isnan(x) else x for x in truth.ravel().tolist()],
    }
    cluster = None if codes is None else "topic"
    return compare_judged(rows, judge="said", label="people", a="a", b="b", cluster=cluster)


@pytest.mark.parametrize("labels", [20, 29, 30, 120, ITEMS])
def test_every_way_answers_as_compare_does(labels: int) -> None:
    truth, judge = scored(labels)
    d, f = truth[0] - truth[1], judge[0] - judge[1]
    sample = JudgedSums.of(d[None, :labels], f[None], truth=0.0, binary=True)
    found = compared(truth, judge)
    assert (found.method == "labels") == (labels in {20, 29, ITEMS})
    ways = {"judge-corrected": found.estimate} | {
        f"judge-{x.method}": x for x in found.other_estimates
    }
    ways["judge-alone"] = ways.pop("judge-judge")
    for name, said in ways.items():
        low, high = INTERVALS[name](sample, 0.95, rng())
        assert (low[0], high[0]) == pytest.approx(said.ci, abs=1e-12), name
        assert TESTS[name](sample, 0.05, rng())[0] == (said.pvalue <= 0.05), name
    partly = np.where(np.arange(ITEMS) < labels, d, np.nan)
    kept = stats.judge_corrected(partly, f, departure=1)
    assert sample.slope[0] == pytest.approx(kept.slope, abs=1e-12)
    assert [x[0] for x in sample.corrected] == pytest.approx([kept.estimate, kept.se], abs=1e-12)


@pytest.mark.parametrize("labels", [20, 120])
def test_clusters_are_those_of_compare(labels: int) -> None:
    truth, judge = scored(labels)
    codes = np.random.default_rng(8).integers(0, 17, ITEMS)
    d, f = truth[0] - truth[1], judge[0] - judge[1]
    sizes = np.bincount(codes)
    groups = GroupedSums.of(d[None, :labels], f[None], codes[None], sizes)
    sample = JudgedSums.of(d[None, :labels], f[None], truth=0.0, groups=groups, binary=True)
    low, high = INTERVALS["judge-cluster"](sample, 0.95, rng())
    assert (low[0], high[0]) == pytest.approx(compared(truth, judge, codes).ci, abs=1e-12)


def test_the_judge_reads_what_its_errors_make_of_the_rates() -> None:
    table = judge_table(0.7, 0.05, 0.5, (0.1, 0.1, 0.1, 0.3))
    values = np.array([-1, 0, 1])
    assert table.sum(axis=1) @ values == pytest.approx(0.05)
    assert table.sum(axis=0) @ values == pytest.approx(-0.02)  # +5 points read as -2
    sigma, r = truth_and_judge(judge_table(0.7, 0.0, 0.5, (0.1, 0.1, 0.1, 0.1)))
    assert r == pytest.approx(judge_agreement(0.7, rho=0.5, error=0.1).r_difference)
    assert sigma == pytest.approx(np.sqrt(stats.psi_from_rho(0.7, 0.7, 0.5)))


def test_drawn_judges_have_the_sigma_and_correlation_they_tell() -> None:
    sample = drawn("judge", 4, 1_000_000, labels=900_000, delta=0.05)
    n = sample.labels
    var_d, var_f = sample.label_variance, sample.ff / n - (sample.f / n) ** 2
    shared = sample.df / n - sample.d * sample.f / n**2
    assert np.sqrt(var_d) == pytest.approx(np.full(4, sample.sigma), abs=3e-3)
    assert shared / np.sqrt(var_d * var_f) == pytest.approx(np.full(4, sample.r), abs=5e-3)


@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize("name", ["judge", "judge-graded", "judge-clusters"])
def test_labels_and_corrected_gaps_are_around_the_truth_and_judges_are_not(
    name: str, delta: float
) -> None:
    sample = drawn(name, 1500, 400, labels=100, delta=delta)
    assert sample.truth == delta
    for gaps in (sample.label_mean, sample.corrected[0]):
        assert abs(gaps.mean() - delta) < 4 * gaps.std() / np.sqrt(len(gaps))
    alone = sample.every / sample.items
    assert abs(alone.mean() - delta) > 10 * alone.std() / np.sqrt(len(alone))
    assert (sample.groups is not None) == (name == "judge-clusters")


def test_clusters_of_a_scenario_add_up_to_its_sums() -> None:
    sample = drawn("judge-clusters", 5, 120, labels=40, clusters=9)
    groups = sample.groups
    assert groups is not None
    assert groups.labels.sum(axis=1).tolist() == [40.0] * 5
    assert groups.truth.sum(axis=1) == pytest.approx(sample.d)
    assert groups.judged.sum(axis=1) == pytest.approx(sample.f)
    assert groups.every.sum(axis=1) == pytest.approx(sample.every)
    assert not (groups.labels == groups.labels[0]).all()  # labels fall into clusters by chance
    sums, sizes = sample.influence(sample.slope)
    assert sums.sum(axis=1) == pytest.approx(np.zeros(5), abs=1e-9)
    assert sizes.sum() == 120


def test_a_judge_alone_misses_and_the_corrected_holds() -> None:
    ways = ["judge-alone", "judge-corrected", "judge-labels"]
    found = simulate("judge", items=2000, intervals=ways, values={"delta": [0.07]}, reps=4000)
    alone, corrected, labels = (r.rate for r in found.rates)
    assert alone < 0.02
    assert 0.938 < corrected < 0.975  # 100 labels; two departures more than they show
    assert labels == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize(
    ("scenario", "asked", "say"),
    [
        (
            "judge",
            {"tests": ["t"]},
            "t needs two models, but scenario judge has a judge and labels",
        ),
        (
            "beta",
            {"intervals": ["judge-alone"]},
            "judge-alone needs a judge and labels, but scenario",
        ),
        (
            "board",
            {"tests": ["judge-labels"]},
            "needs a judge and labels, but scenario board has a b",
        ),
        ("judge", {"tests": ["judge-cluster"]}, "Use the scenario judge-clusters"),
        ("judge", {"intervals": ["judge-alone"], "values": {"labels": [500]}}, "labels must be"),
        (
            "judge",
            {"intervals": ["judge-alone"], "values": {"labels": [2]}},
            "a whole number from 3",
        ),
        ("judge", {"intervals": ["judge-alone"], "values": {"miss": [1.2]}}, "miss must be"),
    ],
)
def test_what_does_not_fit_is_refused(scenario: str, asked: dict[str, Any], say: str) -> None:
    with pytest.raises(ParameterError, match=say):
        simulate(scenario, items=200, reps=10, **asked)


def test_impossible_correlations_are_refused() -> None:
    with pytest.raises(InfeasibleError):
        simulate("judge", items=200, reps=10, tests=["judge-labels"], values={"rho": [-0.9]})
