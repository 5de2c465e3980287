"""Rows in long form become items x runs, one table per model."""

from typing import Any

import numpy as np
import pytest

from nstar import Table
from nstar._verbs.runs import run_tables
from nstar.errors import DataError
from nstar.types import Source

NAN = float("nan")


def table(*rows: tuple[Any, ...], names: str = "model item run score", **more: Any) -> Table:
    columns = zip(*rows, strict=True)
    return Table.from_columns(dict(zip(names.split(), map(list, columns), strict=True)), **more)


def test_rows_in_any_order_share_one_order_of_items() -> None:
    a, b = run_tables(
        table(("a", "q2", 10, 1), ("b", "q1", 1, 0), ("a", "q2", 9, 0), ("a", "q1", 9, 1))
    )
    assert a.items == b.items == ("q2", "q1")
    assert a.runs == ("9", "10")
    np.testing.assert_equal(a.scores, [[0, 1], [1, NAN]])
    np.testing.assert_equal(b.scores, [[NAN], [0]])
    assert a.answered.tolist() == [True, True]
    assert b.answered.tolist() == [False, True]


def test_models_are_chosen_and_ordered() -> None:
    rows = table(("a", 1, 1, 1), ("b", 2, 1, 0), ("c", 3, 1, 1))
    found = run_tables(rows, models=["c", "a"])
    assert [t.model for t in found] == ["c", "a"]
    assert found[0].items == ("1", "3")
    with pytest.raises(DataError, match=r"No model 'd'\. Available: a, b, c"):
        run_tables(rows, models=["d"])


def test_without_runs_there_is_one() -> None:
    (only,) = run_tables(table(("a", 1, 0.5), ("a", 2, 1), names="model item score"))
    assert only.runs == ("1",)
    assert only.scores.tolist() == [[0.5], [1.0]]


def test_rows_without_a_run_beside_rows_with_one() -> None:
    (only,) = run_tables(table(("a", 1, None, 1), ("a", 1, 2, 0)))
    assert only.runs == ("", "2")
    assert only.scores.tolist() == [[1.0, 0.0]]


def test_labels_that_name_no_common_run_are_only_counted() -> None:
    rows = [("a", k, f"{k}-{r}", r % 2) for k in range(20) for r in range(3)]
    (only,) = run_tables(table(*rows))
    assert not only.blocks
    assert only.runs == ("1", "2", "3")
    assert only.scores.tolist() == [[0.0, 1.0, 0.0]] * 20


def test_what_a_run_cost_is_kept_even_without_a_score() -> None:
    names = "model item run score cost tokens input_tokens output_tokens"
    (only,) = run_tables(
        table(
            ("a", 1, 1, None, 0.5, 70, 60, 10),
            ("a", 1, 2, 1, None, None, None, None),
            names=names,
        )
    )
    np.testing.assert_equal(only.scores, [[NAN, 1]])
    np.testing.assert_equal(only.cost, [[0.5, NAN]])
    np.testing.assert_equal(only.tokens, [[70, NAN]])
    np.testing.assert_equal(only.input_tokens, [[60, NAN]])
    np.testing.assert_equal(only.output_tokens, [[10, NAN]])


def test_costs_of_one_model_only() -> None:
    rows = table(("a", 1, 1, 1, 0.5), ("b", 1, 1, 1, None), names="model item run score cost")
    a, b = run_tables(rows)
    assert a.cost is not None
    assert b.cost is None


def test_rows_that_repeat_or_contradict_another() -> None:
    same = table(("a", 1, 1, 1), ("a", 1, 1, 1))
    assert run_tables(same)[0].scores.tolist() == [[1.0]]
    rows = table(("a", 1, 1, 1), ("a", 1, 1, 0), ("a", 1, 2, 1))
    with pytest.raises(DataError, match="a: 1 row conflicts with another"):
        run_tables(rows)
    for how, score in (("first", 1.0), ("last", 0.0), ("mean", 0.5)):
        assert run_tables(rows, duplicates=how)[0].scores.tolist() == [[score, 1.0]]  # type: ignore[arg-type]


def test_a_retry_takes_the_place_of_a_failed_run() -> None:
    (only,) = run_tables(table(("a", 1, 1, None), ("a", 1, 1, 1)))
    assert only.scores.tolist() == [[1.0]]


def test_items_are_paired_by_what_they_ask() -> None:
    names = "model item run score content"
    rows = [("a", 0, 1, 1, 77), ("a", 1, 1, 0, 88), ("b", 0, 1, 0, 88), ("b", 1, 1, 1, 77)]
    a, b = run_tables(table(*rows, names=names))
    assert a.items == ("0", "1")
    assert a.scores.tolist() == b.scores.tolist() == [[1.0], [0.0]]
    unknown = [(*row[:4], None if row[0] == "b" else row[4]) for row in rows]
    a, b = run_tables(table(*unknown, names=names))
    assert b.scores.tolist() == [[0.0], [1.0]]


def test_one_question_under_two_ids_is_two_items() -> None:
    names = "model item run score content"
    rows = [("a", 0, 1, 1, 7), ("a", 1, 1, 0, 7), ("b", 0, 1, 1, 9), ("b", 1, 1, 0, 7)]
    a, _ = run_tables(table(*rows, names=names))
    assert len(set(a.items)) == len(a.items) == 3
    np.testing.assert_equal(a.scores, [[1], [0], [NAN]])


def test_task_and_metric() -> None:
    names = "model task item metric score"
    rows = table(
        ("a", "x", 1, "acc,none", 1), ("a", "x", 1, "f1", 0.3), ("a", "y", 1, "f1", 0.4),
        names=names,
        sources=[Source(path="", reader="r", task="x", lower_is_better=("f1",))],
    )  # fmt: skip
    with pytest.raises(DataError, match="Found 2 task sets, but runs are analyzed on one"):
        run_tables(rows)
    with pytest.raises(DataError, match=r"No task 'z'\. Available: x, y"):
        run_tables(rows, task="z")
    with pytest.raises(DataError, match=r"No metric 'em'\. Available: acc,none, f1"):
        run_tables(rows, task="x", metric="em")
    assert run_tables(rows, task="x")[0].metric == "acc,none"
    assert run_tables(rows, task="x", metric="acc")[0].scores.tolist() == [[1.0]]
    found = run_tables(rows, task="x", metric="f1")[0]
    assert (found.scores.tolist(), found.lower_is_better, found.task) == ([[0.3]], True, "x")
    assert not run_tables(rows, task="y")[0].lower_is_better


def test_rows_that_no_table_can_hold() -> None:
    with pytest.raises(DataError, match="infinity"):
        run_tables(table(("a", 1, 1, float("inf"))))
    with pytest.raises(DataError, match="Some rows have no item"):
        run_tables(table(("a", None, 1, 1), ("a", 1, 1, 1)))
