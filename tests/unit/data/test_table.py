"""Table: columns in, Arrow out, from any frame."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nstar._data.table import LABEL, Source, Table, labels
from nstar.errors import DataError

COLUMNS = {"model": ["a", "a", "b"], "item": [1, 2, 1], "score": [1, 0, 1]}


def test_columns_get_their_types() -> None:
    table = Table.from_columns(COLUMNS, subject=["x", "y", "x"], run=[1, 1, 1])
    assert table.data.schema.field("item").type == LABEL
    assert table.data.schema.field("subject").type == LABEL
    assert table.data.schema.field("score").type == pa.float64()
    assert table.data["item"].to_pylist() == ["1", "2", "1"]
    assert table.tasks == ("",)
    assert table.groups == ("subject",)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).set_index(pd.Index([5, 6, 7])),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
        {k: np.asarray(v) for k, v in COLUMNS.items()},
        COLUMNS,
    ],
    ids=["pandas", "pandas index", "polars", "arrow", "numpy", "dict"],
)
def test_every_frame_gives_the_same_table(frame: object) -> None:
    table = Table.from_frame(frame)
    assert table.data.select(["model", "item", "score"]).to_pydict() == {
        "model": ["a", "a", "b"],
        "item": ["1", "2", "1"],
        "score": [1.0, 0.0, 1.0],
    }


def test_a_frame_with_other_names() -> None:
    frame = pl.DataFrame({"llm": ["a"], "qid": [3], "ok": [True]})
    table = Table.from_frame(frame, model="llm", item="qid", score="ok")
    assert table.data["score"].to_pylist() == [1.0]


def test_a_wrong_column_lists_the_columns() -> None:
    with pytest.raises(DataError, match=r"No column 'qid'. Available: model, item, score"):
        Table.from_frame(pd.DataFrame(COLUMNS), item="qid")
    with pytest.raises(DataError, match=r"Missing column score. Found: model, item"):
        Table.from_columns(model=["a"], item=[1])


def test_scores_must_be_numbers() -> None:
    with pytest.raises(DataError, match="Column 'score' must contain double"):
        Table.from_columns(model=["a"], item=[1], score=["good"])


def test_nan_of_pandas_is_no_score() -> None:
    frame = pd.DataFrame({"model": ["a", "a"], "item": [1.0, 2.0], "score": [1.0, np.nan]})
    table = Table.from_frame(frame)
    assert table.data["score"].to_pylist() == [1.0, None]
    assert table.data["item"].to_pylist() == ["1", "2"]


def test_labels_of_wider_dictionaries() -> None:
    wide = pa.DictionaryArray.from_arrays(
        pa.array([1, 0], pa.int64()), pa.array(["x", "y"], pa.large_string())
    )
    assert labels(wide).type == LABEL
    assert labels(pa.chunked_array([], pa.string())).to_pylist() == []


def test_a_source_survives_json() -> None:
    source = Source(path="x", reader="r", notes=("n",), dropped={"d": 2}, lower_is_better=("m",))
    assert Source(**json.loads(json.dumps(source.to_dict()))).dropped == {"d": 2}


def test_the_column_named_wins_over_one_of_that_name() -> None:
    frame = pa.table({"model": ["a"], "qid": [7], "score": [1], "item": [1]})
    assert Table.from_frame(frame, item="qid").data["item"].to_pylist() == ["7"]
    assert Table.from_frame(frame, item="qid").groups == ()
    both = Table.from_frame(frame, item="qid", passage="qid").data
    assert (both["item"].to_pylist(), both["passage"].to_pylist()) == (["7"], ["7"])


def test_the_index_of_a_frame_is_no_column_wherever_it_stands() -> None:
    frame = pa.table(COLUMNS).add_column(0, "__index_level_0__", [[5, 6, 7]])
    assert Table.from_frame(frame).data["model"].to_pylist() == ["a", "a", "b"]


def test_what_is_no_table_is_refused_in_words() -> None:
    with pytest.raises(DataError, match="frame must be a table"):
        Table.from_frame(object())
    with pytest.raises(DataError, match="the same length; got model 1, item 2, score 1"):
        Table.from_columns(model=["a"], item=[1, 2], score=[1])
    with pytest.raises(DataError, match="'x' is repeated"):
        Table.from_frame(pa.table([[1], [2]], names=["x", "x"]))
    with pytest.raises(DataError, match="Column 'model' must contain names"):
        Table.from_columns(model=["\ud800"], item=[1], score=[1])


def test_whole_floats_are_named_like_integers_one_by_one() -> None:
    assert labels([1.0, 1e15, 2.5]).to_pylist() == ["1", "1000000000000000", "2.5"]
    wide = pa.array([1e15, 2.5]).dictionary_encode()
    assert labels(wide).to_pylist() == ["1000000000000000", "2.5"]


def test_a_gap_in_names_is_null_and_no_name() -> None:
    assert labels(np.array([1.0, np.nan])).to_pylist() == ["1", None]
    assert labels(["x", np.nan]).to_pylist() == ["x", None]


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_ids_that_floats_cannot_tell_apart_are_refused(kind: str) -> None:
    ids = np.array([2**53, 2**53 + 1]).astype(np.dtype(kind))
    with pytest.raises(DataError, match="lose digits"):
        Table.from_columns(model=["a", "a"], item=ids, score=[1, 0])


def test_nanoseconds_are_cut() -> None:
    table = Table.from_columns(
        model=["a"],
        item=[1],
        score=[1],
        timestamp=pa.array([1_700_000_000_123_456_789]).cast("timestamp[ns]"),
    )
    assert table.data["timestamp"].to_pylist()[0].microsecond == 123456


def test_a_name_that_stands_twice_in_a_dictionary_is_one_model() -> None:
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["a", "a"]))
    assert Table.from_columns(model=twice, item=[1, 2], score=[1, 0]).models == ("a",)
