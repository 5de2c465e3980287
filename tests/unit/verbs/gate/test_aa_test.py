"""The false-alarm rate from repeated runs of one model."""

import numpy as np
import pytest

from nstar import ScoreMatrix, gate, stats
from nstar._verbs.gate import GateQuestion, false_alarms
from nstar.errors import DataError


def runs(count: int, n: int = 300) -> ScoreMatrix:
    rng = np.random.default_rng(count)
    rate = rng.random(n)
    scores = (rng.random((count, n)) < rate).astype(float)
    return ScoreMatrix.from_arrays(scores, models=[f"r{k}" for k in range(count)])


def test_every_ordered_pair_is_judged() -> None:
    matrix = runs(5)
    alarms = false_alarms([matrix], GateQuestion(margin=0.02))
    names = matrix.models
    answers: list[str] = [
        gate(matrix, margin=0.02, a=a, b=b).verdict for a in names for b in names if a != b
    ]
    seen = alarms.ordered_pairs
    assert seen.n_pairs == 20
    for word, number in (
        ("pass", seen.n_pass),
        ("regression", seen.n_regression),
        ("inconclusive", seen.n_inconclusive),
    ):
        assert answers.count(word) == number


def test_interval_is_of_disjoint_pairs() -> None:
    alarms = false_alarms([runs(7)], GateQuestion(margin=0.02))
    assert alarms.disjoint_pairs.n_pairs == 3
    low, high = stats.clopper_pearson_interval(alarms.disjoint_pairs.n_regression, 3)
    assert alarms.ci is not None
    assert tuple(map(float, alarms.ci)) == (float(low), float(high))
    assert "independent pairs of runs" in str(alarms)


def test_a_changed_run_is_an_alarm() -> None:
    scores = np.ones((4, 200))
    scores[3, :60] = 0
    matrix = ScoreMatrix.from_arrays(scores, models=["a", "b", "c", "d"])
    alarms = false_alarms([matrix], GateQuestion(margin=0.05))
    assert (alarms.ordered_pairs.n_regression, alarms.example_alarm) == (3, ("d", "a"))
    assert "candidate d against baseline a" in str(alarms)


def test_one_run_is_none() -> None:
    with pytest.raises(DataError, match="at least 2 runs"):
        false_alarms([runs(1)], GateQuestion(margin=0.05))
