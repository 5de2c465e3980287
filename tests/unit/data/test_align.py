"""Rows to matrices: the same matrix from any order, with every collision counted."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nstar._data.align import matrices
from nstar._data.read_limits import Limits
from nstar._data.table import Table, labels
from nstar.errors import DataError

ROWS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from([f"q{k}" for k in range(12)]),
        st.sampled_from([0.0, 1.0, 0.25]),
    ),
    min_size=1,
    max_size=60,
    unique_by=lambda r: (r[0], r[1]),
)


def _table(rows: list[tuple[Any, ...]], *names: str, **more: Any) -> Table:
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return Table.from_columns(columns, **more)


@given(ROWS, st.randoms(), st.integers(1, 7))
def test_order_and_batches_do_not_matter(
    rows: list[tuple[Any, ...]], random: Any, size: int
) -> None:
    whole = matrices(_table(rows, "model", "item", "score"))[0]
    cells = {(m, i): s for m, i, s in rows}
    for m in whole.models:
        for k, i in enumerate(whole.items):
            value = whole.row(m)[k]
            assert (np.isnan(value) and (m, i) not in cells) or value == cells[m, i]
    shuffled = list(rows)
    random.shuffle(shuffled)
    data = _table(shuffled, "model", "item", "score").data

    def batches() -> Iterator[pa.RecordBatch]:
        for start in range(0, len(shuffled), size):
            part = data.slice(start, size)  # each batch with a dictionary of its own
            yield from Table.from_columns(part.to_pydict()).batches()

    again = matrices(batches)[0]
    order = [again.items.index(i) for i in whole.items]
    for m in whole.models:
        np.testing.assert_array_equal(again.row(m)[order], whole.row(m))


def test_tasks_and_metrics_are_kept_apart() -> None:
    table = Table.from_columns(
        model=["a"] * 4,
        task=["t", "u", "t", "u"],
        metric=["acc", "acc", "f1", "acc"],
        item=[1, 1, 1, 2],
        score=[1, 0, 0.5, 1],
    )
    found = {(m.task, m.metric): m for m in matrices(table)}
    assert set(found) == {("t", "acc"), ("u", "acc"), ("t", "f1")}
    assert found["u", "acc"].items == ("1", "2")
    assert not found["t", "f1"].binary


def test_runs_are_averaged_within_a_cell() -> None:
    table = Table.from_columns(
        model=list("aaab"), item=["q"] * 4, run=[1, 2, 3, 1], score=[1, 0, 1, 1]
    )
    matrix = matrices(table)[0]
    np.testing.assert_allclose(matrix.row("a"), [2 / 3])
    assert matrix.counts is not None
    assert matrix.counts.tolist() == [[3], [1]]


def test_rows_that_repeat_are_left_out_and_rows_that_conflict_counted() -> None:
    rows = [("a", "q", 1), ("a", "q", 1), ("a", "r", 1), ("a", "r", 0), ("b", "q", 0)]
    table = _table(rows, "model", "item", "score")
    matrix = matrices(table)[0]
    assert matrix.alignment.repeated == 1
    assert matrix.alignment.conflicting == 1
    assert matrix.alignment.conflicts == ("a, r",)
    for choice, value in (("first", 1.0), ("last", 0.0), ("mean", 0.5)):
        chosen = matrices(table, duplicates=choice)[0]  # type: ignore[arg-type]
        assert chosen.row("a")[chosen.items.index("r")] == value


def test_ids_that_disagree_with_content_are_paired_by_content() -> None:
    table = Table.from_columns(
        model=list("aaabbb"),
        item=[0, 1, 2, 0, 1, 2],
        score=[1, 0, 0.5, 0.5, 1, 0],
        content=[10, 11, 12, 12, 10, 11],
        subject=list("xyzzxy"),
    )
    matrix = matrices(table)[0]
    assert matrix.alignment.by_content
    assert matrix.alignment.content_differs == 3
    np.testing.assert_array_equal(matrix.row("a"), matrix.row("b"))
    assert matrix.alignment.group_differs == {}
    assert matrix.groups["subject"].labels == ("x", "y", "z")


def test_the_same_question_twice_is_two_items() -> None:
    table = Table.from_columns(
        model=list("aaabbb"),
        item=[0, 1, 2, 0, 1, 2],
        score=[1, 0, 1, 1, 1, 0],
        content=[7, 7, 8, 8, 7, 7],
    )
    matrix = matrices(table)[0]
    assert len(matrix.items) == 3
    np.testing.assert_array_equal(matrix.dense(), [[1, 0, 1], [1, 0, 1]])


def test_ids_that_agree_are_kept_though_content_repeats() -> None:
    table = Table.from_columns(
        model=list("aabb"), item=[0, 1, 0, 1], score=[1, 0, 1, 1], content=[7, 7, 7, 7]
    )
    matrix = matrices(table)[0]
    assert not matrix.alignment.by_content
    assert matrix.items == ("0", "1")


def test_content_of_one_model_only_is_said() -> None:
    table = Table.from_columns(
        model=list("ab"), item=[0, 0], score=[1, 0], content=pa.array([7, None], pa.uint64())
    )
    assert matrices(table)[0].alignment.unverified == ("b",)


def test_no_score_is_absent() -> None:
    table = Table.from_columns(model=list("aab"), item=[0, 1, 0], score=[None, 1, 0])
    matrix = matrices(table)[0]
    np.testing.assert_array_equal(matrix.dense(), [[np.nan, 1], [0, np.nan]])
    assert matrix.alignment.unscored == {"a": 1}


def test_runs_in_some_batches_only() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield from Table.from_columns(model=["a"], item=["q"], score=[1]).batches()
        yield from Table.from_columns(
            model=["b", "b"], item=["q", "q"], score=[1, 0], run=[1, 2]
        ).batches()

    matrix = matrices(batches)[0]
    assert matrix.dense().tolist() == [[1.0], [0.5]]


def test_a_row_without_a_model_is_refused() -> None:
    with pytest.raises(DataError, match="A row has no model"):
        matrices(Table.from_columns(model=["a", None], item=[1, 2], score=[1, 1]))


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(DataError, match="infinity"):
        matrices(Table.from_columns(model=["a"], item=[1], score=[float("inf")]))


def _batch(**columns: Any) -> pa.RecordBatch:
    """A batch as readers make it: without columns that it has nothing for."""
    types = {"score": pa.float64(), "content": pa.uint64()}
    arrays = {n: pa.array(v, types.get(n)) for n, v in columns.items()}
    return pa.RecordBatch.from_pydict(
        {n: v if n in types else labels(v) for n, v in arrays.items()}
    )


def test_no_metric_is_the_metric_score_and_no_task_the_task_without_a_name() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield _batch(model=["a"], item=["q"], score=[1])
        yield _batch(model=["b"], item=["q"], score=[0], metric=["score"], task=[""])
        yield _batch(model=["c", "c"], item=["q", "q"], score=[0, 1], metric=[None, "acc"])

    plain, acc = matrices(batches)
    assert (plain.task, plain.metric, plain.models) == ("", "score", ("a", "b", "c"))
    assert (acc.task, acc.metric, acc.models) == ("", "acc", ("c",))


def test_a_name_twice_in_a_dictionary_is_one() -> None:
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array(list("qqr")))
    matrix = matrices(Table.from_columns(model=list("aba"), item=twice, score=[1, 0, 1]))[0]
    assert matrix.items == ("q", "r")
    np.testing.assert_array_equal(matrix.dense(), [[1, 1], [0, np.nan]])


@pytest.mark.parametrize("more", [{}, {"run": [1, 1]}])
def test_infinite_scores_are_refused_after_graded_ones_and_among_runs(more: Any) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield from Table.from_columns(model=["a"], item=["q"], score=[0.5]).batches()
        yield from Table.from_columns(
            model=["b", "b"], item=["q", "r"], score=[np.inf, 0], **more
        ).batches()

    with pytest.raises(DataError, match="infinity"):
        matrices(batches)


def test_only_models_with_rows_lack_content() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        names = pa.array(["a", "b"])
        for code, content in ((0, 7), (1, None)):
            model = pa.DictionaryArray.from_arrays(pa.array([code], pa.int32()), names)
            rows = _batch(item=["q"], score=[1], content=[content])
            yield rows.append_column("model", model)

    assert matrices(batches)[0].alignment.unverified == ("b",)


@pytest.mark.parametrize("size", [1, 3])
def test_the_group_seen_first_counts_and_an_item_is_counted_once(size: int) -> None:
    data = Table.from_columns(
        model=list("abca"), item=list("qqqr"), score=[1, 0, 0, 1], subject=list("xyyz")
    ).data
    matrix = matrices(lambda: data.to_batches(max_chunksize=size))[0]
    assert matrix.groups["subject"].labels == ("x", "z")
    assert matrix.alignment.group_differs == {"subject": 1}


def test_repeated_rows_stay_one_item_when_paired_by_content() -> None:
    table = Table.from_columns(
        model=list("aaaabbb"),
        item=[0, 0, 1, 1, 0, 1, 1],
        score=[1, 1, 0, 0, 0, 1, 0],
        content=[7, 7, 8, 8, 8, 7, 7],
    )
    matrix = matrices(table, duplicates="first")[0]
    assert matrix.alignment.by_content
    np.testing.assert_array_equal(matrix.dense(), [[1, 0], [1, 0]])
    assert (matrix.alignment.repeated, matrix.alignment.conflicting) == (2, 1)


def test_a_question_under_two_ids_is_paired_alike_from_any_order() -> None:
    rows = [("a", 9, 7, 1), ("a", 10, 7, 0), ("b", 10, 7, 1), ("b", 11, 7, 0)]
    rows += [("a", 1, 3, 1), ("b", 1, 4, 1)]  # an id with two questions
    for some in permutations(rows):
        matrix = matrices(_table(list(some), "model", "item", "content", "score"))[0]
        both = matrix.dense()[:, matrix.present("a") & matrix.present("b")]
        np.testing.assert_array_equal(both[0], both[1])
        assert both.shape[1] == 2


def test_groups_of_one_log_hold_for_items_paired_by_content() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield _batch(model=["a", "a"], item=["0", "1"], score=[1, 0], content=[7, 8])
        for model, subjects in (("b", "xy"), ("c", "xz")):
            yield _batch(
                model=[model] * 2,
                item=["0", "1"],
                score=[0, 1],
                content=[8, 7],
                subject=list(subjects),
            )

    matrix = matrices(batches)[0]
    subject = matrix.groups["subject"]
    assert [subject.labels[k] for k in subject.codes] == ["y", "x"]
    assert matrix.alignment.group_differs == {"subject": 1}


def test_names_made_for_items_are_no_names_of_others() -> None:
    table = Table.from_columns(
        model=list("aaabb"),
        item=["q", "q", "q#2", "q", "q#2"],
        score=[1, 0, 1, 1, 1],
        content=[1, 2, 3, 1, 3],
    )
    assert len(set(matrices(table)[0].items)) == 3


def test_columns_with_one_label_stay_and_those_without_any_go() -> None:
    table = Table.from_columns(
        model=list("ab"), item=["q", "q"], score=[1, 0], x=["1", "1"], y=["2", "2"], z=[None, None]
    )
    assert set(matrices(table)[0].groups) == {"x", "y"}


def test_a_matrix_that_nothing_fills_is_refused() -> None:
    n = 400
    names = [f"x{k}" for k in range(n)]
    lone = Table.from_columns(model=names, item=names, score=[0.5] * n)
    told = (
        "400 models × 400 items of one task, but only 400 scores: the matrix is too large, more "
        "than the limit of "
    )
    with pytest.raises(
        DataError, match=told + r"40,000. If you trust the file, set limits=..cells.: 1000000}"
    ):
        matrices(lone, limits=Limits(cells=1000))
    assert matrices(lone, limits=Limits(cells=160_000))[0].shape == (n, n)
    assert matrices(lone)[0].shape == (n, n)


def test_names_and_rows_to_be_sorted_have_limits() -> None:
    names = [f"x{k}" for k in range(100)]
    table = Table.from_columns(model=["m"] * 100, item=names, score=[1] * 100)
    with pytest.raises(
        DataError, match="at least 100 different names of items, more than the limit of 99"
    ):
        matrices(table, limits=Limits(names=99))
    runs = Table.from_columns(model=["m"] * 100, item=names, score=[1] * 100, run=["1"] * 100)
    told = r"at least 100 rows must be sorted \(runs, repeated rows\), more than the limit of 99"
    for several in (
        runs,
        Table.from_columns(model=["m"] * 100, item=["q"] * 100, score=[1] * 100),
    ):
        with pytest.raises(
            DataError, match=told + ". If you trust the file, set limits=..rows.: 1000}"
        ):
            matrices(several, limits=Limits(rows=99))
        matrices(several, limits=Limits(rows=100))
