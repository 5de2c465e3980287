"""A comparison of one task has the attributes of its task."""

from inspect import getmembers
from typing import Any

import numpy as np
import pytest

import nstar
from nstar import ScoreMatrix, TaskComparison
from nstar.errors import DataError, SeveralTasksError

ONE = nstar.compare([1, 1, 0, 1, 1, 1], [0, 1, 0, 0, 1, 0])
TWO = nstar.compare(
    [
        ScoreMatrix.from_arrays([[1] * 9 + [0], [0] * 8 + [1, 1]], models=["a", "b"], task=task)
        for task in ("x", "y")
    ]
)
NAMES = [name for name, _ in getmembers(TaskComparison) if not name.startswith("_")]


@pytest.mark.parametrize("name", NAMES)
def test_every_attribute_of_the_task_is_there(name: str) -> None:
    assert name in dir(nstar.Comparison)
    value: Any = getattr(ONE.tasks[0], name)
    assert getattr(ONE, name) is value or getattr(ONE, name) == value
    with pytest.raises(
        SeveralTasksError, match=rf"^This comparison has 2 tasks\. Use .*\.{name}, or"
    ):
        getattr(TWO, name)


def test_several_tasks_have_no_such_attribute() -> None:
    assert not hasattr(TWO, "pvalue")
    assert getattr(TWO, "pvalue", None) is None
    assert isinstance(nstar.Comparison.pvalue.__doc__, str)


def test_an_interval_at_another_level() -> None:
    narrow, wide = map(ONE.confidence_interval, (0.5, 0.99))
    assert wide.low < ONE.ci.low < narrow.low < narrow.high < ONE.ci.high < wide.high
    assert ONE.confidence_interval(0.95) == ONE.confidence_interval() == ONE.ci
    with pytest.raises(DataError, match="does not contain the scores"):
        nstar.Comparison.from_json(ONE.to_json()).confidence_interval(0.5)
    with pytest.raises(SeveralTasksError, match="2 tasks"):
        TWO.confidence_interval()


def test_results_are_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(ONE)


def test_numbers_of_numpy_are_numbers() -> None:
    scores = np.array([[1, 1, 0, 1, 1, 1], [0, 1, 0, 0, 1, 0]])
    numbers: Any = {"delta": np.float64(0.1), "alpha": np.float32(0.125), "seed": np.int64(3)}
    given = nstar.compare(*scores, **numbers)
    assert given == nstar.compare(*scores, delta=0.1, alpha=0.125, seed=3)
    assert nstar.Comparison.from_json(given.to_json()) == given


def test_several_tasks_name_the_average() -> None:
    """It has the numbers of the headline."""
    rng = np.random.default_rng(3)
    rows = {
        "task": ["t1"] * 80 + ["t2"] * 80,
        "item": [*range(40), *range(40)] * 2,
        "model": (["a"] * 40 + ["b"] * 40) * 2,
        "score": rng.integers(0, 2, 160).tolist(),
    }
    result = nstar.compare(rows, a="a", b="b")
    with pytest.raises(SeveralTasksError, match=r"Use \.average\.gap, \.tasks\[0\]\.gap, or"):
        _ = result.gap
    with pytest.raises(SeveralTasksError, match=r"Use \.average\.ci or"):
        result.confidence_interval(0.9)
    assert result.average is not None
    assert result.average.gap == pytest.approx(np.mean([task.gap for task in result.tasks]))
