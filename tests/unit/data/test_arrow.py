"""Columns through their buffers are what pyarrow itself would make of them."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nstar._data import arrow

TEXTS = st.lists(st.none() | st.text(st.characters(codec="utf-8")))
WHOLE = st.lists(st.none() | st.integers(-(2**63), 2**63 - 1))
FLOATS = st.lists(st.none() | st.floats())
TRUTHS = st.lists(st.none() | st.booleans())
MIXED = st.lists(st.none() | st.integers(-(2**53), 2**53) | st.floats())


def same(ours: Any, theirs: Any) -> bool:
    """Bit for bit, NaN like NaN."""
    told = [repr(a.to_pylist()) for a in (ours, theirs)]
    return ours.type == theirs.type and told[0] == told[1] and ours.null_count == theirs.null_count


@given(TEXTS)
def test_texts(values: list[str | None]) -> None:
    made = arrow.array(values, pa.string())
    made.validate(full=True)
    assert same(made, pa.array(values, pa.string()))
    names = arrow.labeled(values)
    names.validate(full=True)
    theirs = pa.array(values, pa.string()).dictionary_encode()
    assert same(names, theirs)
    assert names.dictionary.to_pylist() == theirs.dictionary.to_pylist()


@pytest.mark.parametrize(
    ("kind", "cases"),
    [
        (pa.int64(), WHOLE),
        (pa.float64(), FLOATS),
        (pa.float64(), MIXED),
        (pa.bool_(), TRUTHS),
    ],
)
def test_numbers_there_and_back(kind: Any, cases: Any) -> None:
    @given(cases)
    def check(values: list[Any]) -> None:
        made, theirs = arrow.array(values, kind), pa.array(values, kind)
        made.validate(full=True)
        assert same(made, theirs)
        for column in (theirs, theirs[1:], theirs[2:5], theirs[9:]):
            ours, usual = arrow.numbers(column), column.to_numpy(zero_copy_only=False)
            assert ours.dtype == usual.dtype
            assert repr(ours.tolist()) == repr(usual.tolist())

    check()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([2**63], None),
        ([2**70], None),
        ([2**60, 0.5], pa.float64()),
        ([2**60 + 1], pa.float64()),
        ([1.5], pa.int64()),
        ([-1], pa.uint64()),
        ([2**64 - 1, None], pa.uint64()),
        (["a", 1], None),
        (["a", 1], pa.string()),
        ([True, 1], pa.float64()),
        (["\ud800"], pa.string()),
        ([None, None], None),
        ([], None),
        ([b"x"], None),
    ],
)
def test_what_does_not_fit_is_left_to_pyarrow(values: list[Any], kind: Any) -> None:
    def told(make: Any) -> str:
        try:
            made = make(values, kind)
        except (pa.ArrowException, OverflowError, UnicodeError, TypeError) as error:
            return type(error).__name__
        return f"{made.type} {made.to_pylist()}"

    assert told(arrow.array) == told(pa.array)


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint64, np.float32, np.float64, np.bool_])
def test_arrays_keep_their_kind(kind: Any) -> None:
    values = np.array([0, 1, 1, 0, 1], kind)
    assert arrow.array(values).equals(pa.array(values))
    assert arrow.array(values[::2]).equals(pa.array(values[::2]))
    there = np.array([True, False, True, True, False])
    assert arrow.array(values, present=there).equals(pa.array(values, mask=~there))


def test_codes_and_names_of_a_column() -> None:
    one = pa.array(["b", None, "a", "b"]).dictionary_encode()
    other = pa.DictionaryArray.from_arrays(pa.array([2, 1, 0], pa.int32()), ["b", "c", None])
    assert arrow.codes(one).tolist() == [0, -1, 1, 0]
    assert arrow.codes(one[1:]).tolist() == [-1, 1, 0]
    small = pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.uint8()), ["b", "c"])
    assert arrow.codes(small).tolist() == [1, -1, 0]
    chunks = pa.chunked_array([one[1:], other])
    codes, names = arrow.coded(chunks)
    assert (codes.tolist(), names) == ([-1, 0, 1, -1, 2, 1], ["a", "b", "c"])
    codes, names = arrow.coded(chunks, "")
    assert (codes.tolist(), names) == ([0, 1, 2, 0, 3, 2], ["", "a", "b", "c"])
    codes, names = arrow.coded(pa.chunked_array([], one.type))
    assert (codes.tolist(), names) == ([], [])


@given(st.lists(st.booleans(), min_size=6, max_size=6))
def test_some_rows(kept: list[bool]) -> None:
    whole = pa.RecordBatch.from_pydict(
        {
            "name": pa.array(["x", None, "y", "x", "z", "y"]).dictionary_encode(),
            "score": pa.array([0.5, None, 1, 0, 0.25, None]),
            "small": pa.array([0, 1, 1, 0, 1, 0], pa.int8()),
            "content": pa.array([1, None, 2**64 - 1, 3, 4, 5], pa.uint64()),
            "time": pa.array([0, 1, None, 3, 4, 5], pa.timestamp("us", "UTC")),
        }
    )
    mask = np.array(kept)
    assert arrow.some_rows(whole, mask).to_pylist() == whole.filter(pa.array(mask)).to_pylist()
    part, table = whole.slice(2), pa.Table.from_batches([whole, whole])
    cut = arrow.some_rows(part, mask[2:])
    cut.validate(full=True)
    assert cut.to_pylist() == part.filter(pa.array(mask[2:])).to_pylist()
    twice = np.tile(mask, 2)
    assert arrow.some_rows(table, twice).equals(table.filter(pa.array(twice)))
