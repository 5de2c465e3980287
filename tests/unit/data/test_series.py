"""Series pair by their index in every verb that takes arrays; polars Series by position."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nstar
from nstar._verbs.simulate.scenarios.pilot import pilot_runs
from nstar.errors import DataError

RNG = np.random.default_rng(0)
EASE = RNG.random(400)
ITEMS = [f"q{k}" for k in range(400)]
A = pd.Series((EASE + RNG.normal(0, 0.2, 400) > 0.4).astype(float), index=ITEMS)
B = pd.Series((EASE + RNG.normal(0, 0.2, 400) > 0.5).astype(float), index=ITEMS)
SUBJECT = pd.Series([str(k // 20) for k in range(400)], index=ITEMS)
MIXED = B.sample(frac=1, random_state=1)


def _numbered(x: pd.Series) -> pd.Series:
    return x.reset_index(drop=True)


def _pair(a: Any, b: Any, **more: Any) -> tuple[float | None, float, float]:
    pair = nstar.compare(a, b, **more).tasks[0]
    return pair.rho, pair.pvalue, pair.se


@pytest.mark.parametrize("name", [_numbered, lambda x: x], ids=["numbered", "named"])
def test_shuffled_series_pair_as_unshuffled_ones(name: Callable[[pd.Series], pd.Series]) -> None:
    a, b = name(A), name(B)
    mixed = b.sample(frac=1, random_state=1)
    assert _pair(a, mixed) == _pair(A.to_numpy(), B.to_numpy())
    assert _pair(mixed, a)[0] == _pair(a, b)[0]


@pytest.mark.parametrize("how", ["strata", "cluster"])
def test_labels_pair_too(how: str) -> None:
    whole = _pair(A.to_numpy(), B.to_numpy(), **{how: SUBJECT.tolist()})
    assert _pair(A, MIXED, **{how: SUBJECT.sample(frac=1, random_state=2)}) == whole
    groups = {"subject": SUBJECT.sample(frac=1, random_state=2)}
    assert _pair(A, MIXED, groups=groups, **{how: "subject"}) == whole


def test_other_verbs() -> None:
    candidate = nstar.gate(A, MIXED, margin=0.05)
    assert candidate.tasks[0].comparison.rho == nstar.compare(A, B).tasks[0].rho
    two = nstar.ScoreMatrix.from_arrays(
        [A, MIXED], models=["a", "b"], groups={"s": SUBJECT.sample(frac=1, random_state=2)}
    )
    assert two.items == tuple(ITEMS)
    assert two.row("b").tolist() == B.tolist()
    assert [two.groups["s"].labels[k] for k in two.groups["s"].codes] == SUBJECT.tolist()
    one = [nstar.ScoreMatrix.from_arrays([x], models=[n]) for n, x in (("a", A), ("b", MIXED))]
    assert _pair(*one)[0] == _pair(A, B)[0]
    named = nstar.ScoreMatrix.from_arrays(
        [A.tolist()], models=["a"], items=ITEMS, groups={"s": SUBJECT[::-1]}
    )
    assert [named.groups["s"].labels[k] for k in named.groups["s"].codes] == SUBJECT.tolist()
    table = nstar.Table.from_columns(
        model=["a"] * 400, item=pd.Series(ITEMS, ITEMS), score=A[::-1]
    )
    assert table.data["score"].to_pylist() == A.tolist()


def test_runs_of_frames() -> None:
    a, b = (pd.concat([x, 1 - x, x], axis=1) for x in (A, B))
    mixed = b.sample(frac=1, random_state=1)
    found, wanted = (nstar.runs(*x).estimate for x in ((a, mixed), (a.to_numpy(), b.to_numpy())))
    assert found is not None
    assert wanted is not None
    assert (found.se, found.comparison.rho) == (wanted.se, wanted.comparison.rho)


def test_pilot_runs_pair_by_index() -> None:
    a, b = (pd.concat([x, x], axis=1)[:40] for x in (A, B))
    seen = [
        pilot_runs(np.random.default_rng(1), 3, 40, a=x, b=y).d.tolist()
        for x, y in ((a, b[::-1]), (a.to_numpy(), b.to_numpy()))
    ]
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    ("b", "said"),
    [
        (MIXED[:-3], r"3 of a are not in b \(such as 'q\d+', 'q\d+', 'q\d+'\).*a\.align\(b\)"),
        (_numbered(B), r"400 of a are not in b \(such as 'q0', .* and 400 of b are not in a"),
        (pd.concat([B[1:], B[1:2]]), r"the index of b contains 'q1' 2 times.*\.to_numpy\(\)"),
    ],
)
def test_indexes_that_differ(b: pd.Series, said: str) -> None:
    with pytest.raises(DataError, match=said):
        nstar.compare(A, b)


def test_align_as_advised() -> None:
    pair = nstar.compare(*A.align(MIXED[:-3])).tasks[0]
    assert pair.n_items == 397


def test_position_where_there_is_no_index() -> None:
    whole = _pair(A.to_numpy(), B.to_numpy())
    for b in (B.to_numpy(), B.tolist(), tuple(B), pl.Series(B.tolist())):
        assert _pair(A, b) == whole
    assert _pair(_numbered(A), _numbered(B)) == whole
    twice = pd.Series(A.to_numpy(), index=["q"] * 400)
    assert _pair(twice, pd.Series(B.to_numpy(), index=["q"] * 400)) == whole


def test_missing_values_of_pandas_are_absent() -> None:
    a = pd.Series([1, None, 0, 1], dtype="Int64")
    assert nstar.compare(a, pd.Series([1, 1, None, 0], dtype="boolean")).tasks[0].n_items == 2


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_pair_by_item_and_are_no_labels(make: Any) -> None:
    frame = make({"item": [1, 2], "score": [1, 0]})
    other = make({"item": [2, 1], "score": [0, 0]})
    assert nstar.compare(frame, other).tasks[0].gap == 0.5
    assert nstar.gate(frame, other, margin=0.1).tasks[0].comparison.gap == 0.5
    with pytest.raises(DataError, match="cluster is a data frame"):
        nstar.compare([1, 0], [0, 0], cluster=frame)


def test_positions_out_of_order_do_not_pair_with_bare_values() -> None:
    shuffled = pd.Series([1, 0, 1], index=[2, 0, 1])
    with pytest.raises(DataError, match="has an index of items, but a has no index"):
        nstar.compare([1, 0, 1], shuffled)
    assert nstar.compare([1, 0, 1], shuffled.sort_index()).tasks[0].n_items == 3
