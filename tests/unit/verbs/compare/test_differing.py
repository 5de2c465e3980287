"""Items on which two models differ, as ``compare --list`` writes them."""

import json

import nstar
from nstar.report.formats.csv import differing_file

RUNS = {
    "item": ["q1"] * 6 + ["q2"] * 4 + ["q3"] * 2,
    "model": ["new"] * 3 + ["old"] * 3 + ["new"] * 2 + ["old"] * 2 + ["new", "old"],
    "score": [0.1, 0.1, 0.4, 0.3, 0.4, 0.5, 0.1, 0.2, 0.15, 0.15, 0.9, 0.2],
    "run": [1, 2, 3, 1, 2, 3, 1, 2, 1, 2, 1, 1],
}


def test_columns_are_the_models_and_their_runs() -> None:
    found = nstar.compare(RUNS, a="new", b="old")
    lost = found.differing("lost")
    assert lost == {
        "task": [""],
        "item": ["q1"],
        "new": [0.2],
        "old": [0.4],
        "new runs": [3],
        "old runs": [3],
        "gap": [-0.2],
    }
    assert found.differing("gained")["gap"] == [0.7]


def test_rounding_is_no_difference() -> None:
    """q2 is 0.15 for both, by means of different runs."""
    found = nstar.compare(RUNS, a="new", b="old")
    assert "q2" not in found.differing("gained")["item"] + found.differing("lost")["item"]
    third = nstar.compare([0.1 + 0.2, 1.0], [0.3, 0.5])
    assert third.differing("gained")["item"] == ["1"]


def test_files_have_short_numbers() -> None:
    found = nstar.compare([0.7, 0.0, 0.5], [0.9, 0.0, 0.4], a="new", b="old")
    rows, content = differing_file(found.differing("lost"), ".csv")
    assert rows == 1
    assert content.decode().splitlines() == [
        "task,item,new,old,new runs,old runs,gap",
        ",0,0.7,0.9,1,1,-0.2",
    ]
    _, lines = differing_file(found.differing("lost"), ".jsonl")
    assert json.loads(lines)["gap"] == -0.2


def test_a_model_named_as_a_column_is_told_apart() -> None:
    found = nstar.compare([1, 0], [0, 1], a="item", b="gap")
    assert list(found.differing("gained")) == [
        *("task", "item", "item (first)", "gap (second)"),
        *("item (first) runs", "gap (second) runs", "gap"),
    ]
