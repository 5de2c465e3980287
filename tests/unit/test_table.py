"""Table: columns in, Arrow out, from any frame."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nstar._table import LABEL, Source, Table, labels
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
    with pytest.raises(DataError, match="no column 'qid'; the columns are model, item, score"):
        Table.from_frame(pd.DataFrame(COLUMNS), item="qid")
    with pytest.raises(DataError, match="no column score; found model, item"):
        Table.from_columns(model=["a"], item=[1])


def test_scores_must_be_numbers() -> None:
    with pytest.raises(DataError, match="column 'score' must hold double"):
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
    assert Source.from_dict(source.to_dict() | {"unknown": 1}) == source
