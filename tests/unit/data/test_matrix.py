"""ScoreMatrix: bits where they do, floats where they must."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nstar._base.types import Array
from nstar._data.matrix import Grouping, ScoreMatrix
from nstar.errors import DataError

NAN: Any = float("nan")
CELLS = st.tuples(st.integers(1, 5), st.integers(1, 40)).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, NAN]))
)


@given(CELLS)
def test_bits_hold_what_was_given(cells: Array) -> None:
    matrix = ScoreMatrix.from_arrays(cells, models=[f"m{k}" for k in range(len(cells))])
    assert matrix.binary
    np.testing.assert_array_equal(matrix.dense(), cells)
    for k in range(len(cells)):
        np.testing.assert_array_equal(matrix.present(k), ~np.isnan(cells[k]))
    assert matrix.bits is not None
    assert matrix.bits.shape == (len(cells), -(-cells.shape[1] // 8))
    assert (matrix.mask is None) == (not np.isnan(cells).any())


def test_graded_scores_stay_floats() -> None:
    matrix = ScoreMatrix.from_arrays([[0.5, NAN], [1, 0]], models=["a", "b"])
    assert not matrix.binary
    np.testing.assert_array_equal(matrix.row("a"), [0.5, NAN])
    np.testing.assert_array_equal(matrix.present("a"), [True, False])


def test_runs_give_mean_and_variance() -> None:
    scores = [[[1, 0, 1], [0, 0, NAN]], [[1, NAN, NAN], [NAN, NAN, NAN]]]
    matrix = ScoreMatrix.from_arrays(scores, models=["a", "b"], items=["q", "r"])
    assert not matrix.binary
    np.testing.assert_allclose(matrix.row("a"), [2 / 3, 0])
    within = matrix.within("a")
    assert within is not None
    np.testing.assert_allclose(within, [1 / 3, 0.0])
    np.testing.assert_array_equal(matrix.runs("b"), [1, 0])
    np.testing.assert_array_equal(matrix.within("b"), [NAN, NAN])
    np.testing.assert_array_equal(matrix.row("b"), [1, NAN])


def test_one_run_each_is_no_runs() -> None:
    matrix = ScoreMatrix.from_arrays([[[1], [0]]], models=["a"])
    assert matrix.binary
    assert matrix.runs("a") is None
    assert matrix.within(0) is None


def test_groups_by_name() -> None:
    matrix = ScoreMatrix.from_arrays([[1, 0]], models=["a"], groups={"subject": ["law", None]})
    assert matrix.groups["subject"].codes.tolist() == [0, -1]
    assert Grouping.from_labels([1, "1"]).labels == ("1",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scores": [1, 0], "models": ["a"]}, "2 or 3 dimensions"),
        ({"scores": np.empty((0, 4)), "models": []}, "2 or 3 dimensions"),
        ({"scores": [[1, 0]], "models": ["a", "b"]}, "2 names of models for 1"),
        ({"scores": [[1, 0]], "models": ["a"], "items": ["q", "q"]}, "'q' is repeated"),
        ({"scores": [[1, np.inf]], "models": ["a"]}, "infinity"),
        (
            {"scores": [[1, 0]], "models": ["a"], "groups": {"s": ["x"]}},
            "must have one label per item; got 1 for 2 items",
        ),
    ],
)
def test_what_cannot_be_a_matrix(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        ScoreMatrix.from_arrays(**arguments)


def test_a_wrong_model_suggests_the_right_one() -> None:
    matrix = ScoreMatrix.from_arrays([[1], [0]], models=["gemini-pro", "gemini-flash"])
    with pytest.raises(DataError, match=r"No model 'gemini_pro'.*gemini-pro"):
        matrix.row("gemini_pro")


def test_a_group_that_is_nan_is_unknown() -> None:
    grouping = Grouping.from_labels(["x", NAN, None, np.float64("nan")])
    assert (grouping.codes.tolist(), grouping.labels) == ([0, -1, -1, -1], ("x",))
