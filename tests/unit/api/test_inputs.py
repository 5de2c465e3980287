"""Data of any kind give the same answer, and what cannot be meant says what to write."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nstar
from nstar.errors import DataError, NstarError, ParameterError, ReadError

RNG = np.random.default_rng(5)
ITEMS = [f"q{k}" for k in range(200)]
A = (RNG.random(200) < 0.7).astype(int)
B = np.where(RNG.random(200) < 0.85, A, 1 - A)
SUBJECT = [f"s{k % 5}" for k in range(200)]
ORDER = RNG.permutation(400)
LONG = pd.DataFrame(
    {
        "model": ["x"] * 200 + ["y"] * 200,
        "item": ITEMS * 2,
        "score": [*A, *B],
        "subject": SUBJECT * 2,
    }
).iloc[ORDER]
WIDE = pd.DataFrame({"item": ITEMS, "x": A, "y": B, "subject": SUBJECT})
RECORDS = LONG.to_dict("records")


def _interchange(frame: pd.DataFrame) -> Any:
    """A frame that speaks the older protocol only."""

    class Old:
        columns = tuple(frame.columns)

        def __dataframe__(self, *args: Any, **more: Any) -> Any:
            table = pa.Table.from_pandas(frame, preserve_index=False)
            return table.__dataframe__(*args, **more)

    return Old()


KINDS: dict[str, Callable[[], Any]] = {
    "pandas, long": lambda: LONG,
    "pandas, wide": lambda: WIDE,
    "pandas, by its index": lambda: WIDE.set_index("item"),
    "polars, long": lambda: pl.from_pandas(LONG),
    "polars, wide": lambda: pl.from_pandas(WIDE),
    "pyarrow": lambda: pa.Table.from_pandas(LONG, preserve_index=False),
    "interchange": lambda: _interchange(LONG),
    "columns": lambda: {name: LONG[name].tolist() for name in LONG},
    "records": lambda: RECORDS,
    "table": lambda: nstar.read(LONG),
    "matrix": lambda: nstar.matrices(LONG)[0],
    "matrices": lambda: nstar.matrices(LONG),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("data") / "board.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, ["model", "item", "score", "subject"])
        writer.writeheader()
        writer.writerows(RECORDS)
    return file


WANTED = nstar.compare(A, B, cluster=SUBJECT, a="x", b="y").tasks[0]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_same_comparison(kind: str) -> None:
    found = nstar.compare(KINDS[kind](), a="x", b="y", cluster="subject")
    (pair,) = found.tasks
    assert found.models == ("x", "y")
    assert (pair.n_items, pair.counts) == (200, WANTED.counts)
    assert (pair.pvalue, *pair.ci, pair.mde) == pytest.approx(
        (WANTED.pvalue, *WANTED.ci, WANTED.mde)
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_same_audit_and_gate(kind: str) -> None:
    found = nstar.audit(KINDS[kind](), strata="subject")
    assert sorted(found.ranking.model) == ["x", "y"]
    assert found.ranking.mean == pytest.approx(nstar.audit(WIDE, strata="subject").ranking.mean)
    answer = nstar.gate(KINDS[kind](), a="x", b="y", margin=0.05)
    assert answer.tasks[0].comparison.counts == WANTED.counts


def test_paths_are_read(path: Path) -> None:
    for data in (path, str(path), [path]):
        assert nstar.compare(data, a="x", b="y").tasks[0].counts == WANTED.counts
        assert len(nstar.audit(data).ranking.model) == 2
    both = nstar.compare(f"{path}::x", f"other={path}::y")
    assert both.models == ("x", "other")
    assert (
        nstar.gate(path, a="x", b="y", margin=0.05).verdict
        == nstar.gate(A, B, margin=0.05).verdict
    )
    assert nstar.coverage(path).tasks[0].n_items == 200


def test_series_pair_by_their_index_and_arrays_by_position() -> None:
    x, y = pd.Series(A, index=ITEMS), pd.Series(B, index=ITEMS).sample(frac=1, random_state=1)
    assert nstar.compare(x, y).tasks[0].counts == WANTED.counts
    assert nstar.compare({"x": x, "y": y}).models == ("x", "y")
    assert nstar.compare({"x": x, "y": y}).tasks[0].counts == WANTED.counts
    assert nstar.compare({"x": A, "y": B.tolist()}).tasks[0].counts == WANTED.counts
    assert nstar.compare(pl.Series(A), pl.Series(B)).tasks[0].counts == WANTED.counts


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_two_frames_of_one_model_each(make: Any) -> None:
    x = make({"question_id": ITEMS, "score": A})
    y = make({"question_id": ITEMS[::-1], "score": B[::-1]})
    assert nstar.compare(x, y).models == ("A", "B")
    named = nstar.compare(x, y, a="ada", b="bee")
    assert named.models == ("ada", "bee")
    assert named.tasks[0].counts == WANTED.counts


def test_several_tasks_need_no_other_function() -> None:
    both = pd.concat([LONG.assign(task="one"), LONG.assign(task="two")])
    assert [p.task for p in nstar.compare(both, a="x", b="y").tasks] == ["one", "two"]
    assert [p.task for p in nstar.compare(both, a="x", b="y", tasks="two").tasks] == ["two"]
    board = nstar.audit(both, average="micro")
    assert len(board.tasks) > 1
    assert [t.task for t in board.tasks] == ["one", "two"]
    assert isinstance(nstar.audit(both, tasks=["one"]), nstar.Audit)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_runs_of_a_frame(make: Any) -> None:
    cells = RNG.integers(0, 2, (40, 3))
    rows = make({"item": np.repeat(ITEMS[:40], 3), "run": [1, 2, 3] * 40, "score": cells.ravel()})
    whole = nstar.runs(cells, alpha=0.1).model_runs[0]
    found = nstar.runs(rows, alpha=0.1).model_runs[0]
    assert (found.mean, found.flip_probability) == pytest.approx(
        (whole.mean, whole.flip_probability)
    )
    assert found.ci == pytest.approx(whole.ci)
    two = nstar.runs(rows, make({"item": ITEMS[:40], "run": [1] * 40, "score": cells[:, 0]}))
    assert [m.model for m in two.model_runs] == ["A", "B"]


REFUSED: dict[str, tuple[Callable[[], Any], type[NstarError], str]] = {
    "no item": (
        lambda: nstar.compare(WIDE[["x", "y"]].assign(which="q"), a="x", b="y"),
        ReadError,
        r'Columns found: x, y, which.*columns={"item": "NAME"}',
    ),
    "no such column": (
        lambda: nstar.compare(LONG, a="x", b="y", columns={"item": "qid"}),
        ReadError,
        r"no column 'qid' \(for item\). Columns found: index, model, item",
    ),
    "no such model": (
        lambda: nstar.compare(LONG, a="x", b="z"),
        DataError,
        "no model 'z'. Available: x, y",
    ),
    "one model named": (lambda: nstar.compare(LONG, a="x"), DataError, 'a="MODEL" and b="MODEL"'),
    "a bare array": (
        lambda: nstar.audit(RNG.random((3, 5))),
        ParameterError,
        r"array of shape \(3, 5\). Pass a frame.*{\"gpt-x\": scores_x",
    ),
    "lengths": (
        lambda: nstar.compare({"x": [1, 0], "y": [1]}),
        DataError,
        "Scores have different lengths \\(x 2, y 1\\) but are paired by position",
    ),
    "mixed": (lambda: nstar.compare(LONG, A), ParameterError, "in the same form"),
    "labels for a frame": (
        lambda: nstar.compare(LONG, a="x", b="y", strata=SUBJECT),
        ParameterError,
        "strata got one label per item, which works only with arrays",
    ),
    "reading arrays": (
        lambda: nstar.compare(A, B, skip_bad=1),
        ParameterError,
        "skip_bad applies to logs and tables, not to arrays",
    ),
    "twice": (
        lambda: nstar.compare(pd.concat([LONG, LONG.assign(score=1)]), a="x", b="y"),
        DataError,
        "rows conflict with another row",
    ),
    "contradicting rows of a matrix": (
        lambda: nstar.audit(nstar.matrices(pd.concat([LONG, LONG.assign(score=1)]))),
        DataError,
        "rows conflict with another row",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_meant_says_what_to_write(case: str) -> None:
    ask, error, said = REFUSED[case]
    with pytest.raises(error, match=said):
        ask()


@pytest.mark.parametrize("verb", [nstar.compare, nstar.gate, nstar.runs, nstar.audit, nstar.read])
def test_a_word_that_is_none_names_the_nearest(verb: Any) -> None:
    more = {"margin": 0.1} if verb is nstar.gate else {}
    with pytest.raises(TypeError, match=r"has no parameter columnz\. Did you mean columns"):
        verb(LONG, columnz={"item": "qid"}, **more)


def test_unnamed_frames_of_many_rows_are_not_bombs() -> None:
    frame = pl.DataFrame({"item": np.arange(300_000), "x": 1, "y": 0})
    assert nstar.compare(frame, limits={"rows": 10}).tasks[0].n_items == 300_000
