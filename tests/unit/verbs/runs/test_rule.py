"""A rule for every task, against other packages and simulation."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

import nstar
from nstar._base.types import Array
from nstar._verbs.runs.rule import TaskRule, _prior, number_range
from nstar.errors import DataError, ParameterError
from nstar.report.prose.runs import document
from nstar.stats.repeated_runs import next_rule_failure, rule_failure

RNG = np.random.default_rng(4)
RATES = RNG.beta(0.8, 0.6, 40)
SCORES = (RNG.random((40, 5)) < RATES[:, None]).astype(float)


def test_chances_are_those_of_scipy() -> None:
    p = np.linspace(0, 1, 11)
    found = rule_failure(p, needed=4, runs=5)
    assert found == pytest.approx(scipy_stats.binom.cdf(3, 5, p), abs=1e-14)
    n, c = np.array([5, 3, 0, 200]), np.array([4, 3, 0, 7])
    after = next_rule_failure(n, c, needed=4, runs=5, prior=(0.7, 1.9))
    assert after == pytest.approx(scipy_stats.betabinom.cdf(3, 5, 0.7 + c, 1.9 + n - c), rel=1e-10)


def test_the_range_is_that_of_a_sum_of_events() -> None:
    assert number_range(np.full(30, 0.2), 0.95) == scipy_stats.binom.interval(0.95, 30, 0.2)
    assert number_range(np.zeros(3), 0.95) == (0, 0)
    many = number_range(np.full(6000, 0.2), 0.95)
    assert many == pytest.approx(scipy_stats.binom.interval(0.95, 6000, 0.2), abs=2)


@pytest.mark.parametrize("law", [(0.6, 0.8), (4.0, 1.0), (0.3, 0.2), (20.0, 2.0)])
def test_as_many_are_lost_as_was_said(law: tuple[float, float]) -> None:
    rng = np.random.default_rng(7)
    said, seen, held = [], [], []
    for _ in range(300):
        p = rng.beta(*law, 50)
        passed, runs = rng.binomial(5, p), np.full(50, 5)
        q = next_rule_failure(runs, passed, needed=4, runs=5, prior=_prior(runs, passed))
        lost = q[passed >= 4]
        again = int((rng.binomial(5, p) < 4)[passed >= 4].sum())
        low, high = number_range(lost, 0.95)
        said.append(lost.sum())
        seen.append(again)
        held.append(low <= again <= high)
    noise = np.std(np.subtract(said, seen)) / np.sqrt(300)
    assert np.mean(said) == pytest.approx(np.mean(seen), abs=3 * noise + 0.05 * np.mean(seen))
    assert np.mean(held) > 0.9


def test_the_rule_of_a_model() -> None:
    found = nstar.runs(SCORES, at_least="4/5")
    rule = found.pass_rules[0]
    assert rule.n_met == int((SCORES.sum(axis=1) >= 4).sum())
    met = [t for t in rule.tasks if t.meets_rule]
    assert rule.n_lost_expected == pytest.approx(sum(t.miss_probability for t in met))
    assert rule.any_lost_probability == pytest.approx(
        1 - np.prod([1 - t.miss_probability for t in met])
    )
    for task, row in zip(rule.tasks, found.model_runs[0].tasks, strict=True):
        assert row.ci is not None
        ends = [float(rule_failure(p, needed=4, runs=5)) for p in reversed(row.ci)]
        assert tuple(task.miss_probability_ci) == pytest.approx(tuple(ends))
    page = document(found)
    assert "at least 4 of 5 runs" in page.headline
    notes = " ".join(page.notes)
    assert "by chance, a rerun loses" in notes
    assert "false alarm" in notes


def test_a_rule_of_more_runs_than_there_are() -> None:
    rule = nstar.runs(SCORES[:, :3], at_least="4/5").pass_rules[0]
    assert rule.n_met == int((SCORES[:, :3].sum(axis=1) == 3).sum())


@pytest.mark.parametrize("scores", [np.ones((6, 3)), np.zeros((6, 3)), np.ones((1, 2))])
def test_tasks_that_are_all_alike(scores: Array) -> None:
    rule = nstar.runs(scores, at_least="2/3").pass_rules[0]
    assert 0 <= rule.n_lost_expected <= rule.n_met
    assert 0 <= rule.any_lost_probability <= 1


@pytest.mark.parametrize("text", ["4", "6/5", "0/5", "a/b", "4/", "-1/5", "4/5/6", "1/99999"])
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="at_least"):
        TaskRule.parse(text)


def test_graded_scores_have_no_rule() -> None:
    with pytest.raises(DataError, match="needs 0/1 scores"):
        nstar.runs(0.3 + 0.2 * SCORES, at_least="4/5")
    with pytest.raises(ParameterError, match="at_least"):
        nstar.runs(SCORES, at_least=4)  # type: ignore[arg-type]


def test_the_rule_is_the_first_sentence() -> None:
    found = nstar.runs(SCORES, at_least="4/5")
    rule = found.pass_rules[0]
    first = " ".join(found.render(level="brief").split()).split("; ")[0]
    assert first == f"{rule.n_met} of {len(rule.tasks)} tasks pass in at least 4 of 5 runs"
    none = nstar.runs(0 * SCORES, at_least="4/5")
    assert none.render(level="brief").startswith(f"0 of {len(rule.tasks)} tasks pass in at least")
