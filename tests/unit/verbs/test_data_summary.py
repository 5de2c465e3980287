"""What is said about results before any statistics."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from nstar._base.types import Array
from nstar._data.findings import KINDS, Finding, allow, find, refuse_fatal
from nstar._data.matrix import Alignment, ScoreMatrix
from nstar._data.table import Source
from nstar._verbs.data_summary import Coverage, coverage
from nstar.errors import DataError, ParameterError
from nstar.report import render

RNG = np.random.default_rng(1)
NAN: Any = float("nan")


def _codes(found: Coverage) -> list[str]:
    return [f.code for f in found.findings]


def _text(found: Coverage, code: str) -> str:
    return next(f.text for f in found.findings if f.code == code)


def _scores(models: int, items: int) -> Array:
    return (RNG.random((models, items)) < 0.6).astype(np.float64)


def test_nothing_to_say() -> None:
    matrix = ScoreMatrix.from_arrays(_scores(3, 40), models=list("abc"))
    found = coverage([matrix])
    assert found.findings == ()
    task = found.tasks[0]
    assert (task.n_items, task.n_items_common, task.n_runs, task.is_binary) == (
        40,
        40,
        (1, 1),
        True,
    )
    means = [m.mean or 0.0 for m in task.models]
    assert means == sorted(means, reverse=True)


def test_missing_items_carry_their_bounds_and_where_they_lie() -> None:
    scores = _scores(2, 60)
    scores[1, :20] = np.nan
    subjects = ["law"] * 20 + ["math"] * 40
    matrix = ScoreMatrix.from_arrays(scores, models=["a", "b"], groups={"subject": subjects})
    found = coverage([matrix])
    assert "b lacks 20 of 60 items (33%; all 20 in subject law)" in _text(found, "missing-items")
    fewer = scores.copy()
    fewer[1, 20:25] = np.nan
    some = ScoreMatrix.from_arrays(fewer, models=["a", "b"], groups={"subject": subjects})
    assert "b lacks 25 of 60 items (42%; all 20 in subject law)" in _text(
        coverage([some]), "missing-items"
    )
    b = next(m for m in found.tasks[0].models if m.model == "b")
    right = np.nansum(scores[1])
    assert (b.mean_low, b.mean_high) == (right / 60, (right + 20) / 60)
    assert b.mean_common == b.mean


def test_raw_means_that_flip_are_said() -> None:
    a = np.array([1.0] * 30 + [0.0] * 20 + [np.nan] * 50)
    b = np.array([1.0] * 35 + [0.0] * 15 + [0.0] * 50)
    found = coverage([ScoreMatrix.from_arrays([a, b], models=["a", "b"])])
    assert "on all its items a leads b by 25.00" in _text(found, "order-flips")
    assert "it trails by 10.00 pp" in _text(found, "order-flips")
    points = ScoreMatrix.from_arrays([50 * a, 50 * b], models=["a", "b"])
    assert "a leads b by 12.5; on the 50" in _text(coverage([points]), "order-flips")
    losses = replace(points, lower_is_better=True)
    assert "b leads a by 12.5; on the 50" in _text(coverage([losses]), "order-flips")


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (np.zeros(30), "constant-scores"),
        (np.repeat([1.0, 0.0], 15), "sorted-scores"),
        (np.linspace(0.1, 0.9, 30), "sorted-scores"),
    ],
)
def test_suspicious_rows(row: Array, code: str) -> None:
    assert code in _codes(coverage([ScoreMatrix.from_arrays([row], models=["a"])]))


def test_identical_models_are_named_once() -> None:
    row = _scores(1, 50)[0]
    matrix = ScoreMatrix.from_arrays([row, row, 1 - row], models=list("abc"))
    assert "a and b have identical scores" in _text(coverage([matrix]), "identical-models")


def test_names_that_look_alike_are_told() -> None:
    matrix = ScoreMatrix.from_arrays(_scores(4, 50), models=["m1", "m1 ", "M2", "m3"])
    said = _text(coverage([matrix]), "similar-names")
    assert "'m1', 'm1 ' differ only in spaces or capitals" in said
    assert "M2" not in said


@pytest.mark.parametrize("hidden", ["\ufe0f", "\u034f", "\u3164", "\U000e0100", "\u200b"])
def test_names_that_differ_in_invisible_characters_are_told(hidden: str) -> None:
    matrix = ScoreMatrix.from_arrays(_scores(3, 50), models=["gpt-4", f"gpt-4{hidden}", "o1"])
    said = _text(coverage([matrix]), "similar-names")
    code = hidden.encode("unicode_escape").decode("ascii")
    wanted = f"'gpt-4', 'gpt-4{code}' differ only in spaces, capitals, or invisible characters"
    assert wanted in said


def test_unequal_runs() -> None:
    same = ScoreMatrix.from_arrays([[[1, 0], [0, 1]]], models=["a"])
    assert coverage([same]).tasks[0].n_runs == (2, 2)
    assert coverage([same]).findings == ()
    some = ScoreMatrix.from_arrays([[[1.0, 0.0], [0.0, NAN]]], models=["a"])
    assert "items have 1 to 2 runs" in _text(coverage([some]), "unequal-runs")


def test_few_items_are_no_pattern() -> None:
    assert coverage([ScoreMatrix.from_arrays([[1, 1], [1, 1]], models=["a", "b"])]).findings == ()


def _source(**more: object) -> Source:
    return Source(path="x.jsonl", reader="r", model="a", task="t", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "code", "says"),
    [
        (
            _source(status="cancelled", items=7, declared_items=1000),
            "failed-run",
            "a on t did not finish: status 'cancelled', 7 of 1,000 items in x.jsonl",
        ),
        (_source(items=5, declared_items=24, limited="limit=5"), "partial-run", "5 of 24 items"),
        (_source(items=7, declared_items=1000), "partial-run", "7 of 1,000 items"),
        (_source(stopped="by nstar, 9 samples not run"), "stopped-early", "early (by nstar, 9"),
        (
            _source(aggregates={"acc": 0.5}, mismatches={"acc": 0.25}),
            "mean-differs",
            "of the rows is 0.25, but the harness reported 0.5",
        ),
        (_source(dropped={"errors": 3}), "errors", "3 scores of samples that ended in an error"),
        (_source(dropped={"metric f1 is a list": 4}), "dropped", "4 values excluded"),
        (_source(dropped={"errors": 1}), "errors", "1 score of a sample that ended in an error"),
        (_source(dropped={"metric f1 is text": 1}), "dropped", "1 value excluded: metric f1 is"),
        (_source(notes=("hello",)), "reader", "a on t: hello"),
    ],
)
def test_what_logs_say_about_themselves(source: Source, code: str, says: str) -> None:
    assert says in _text(coverage([], [source]), code)


def test_whose_values_were_left_out_is_told_if_not_of_all() -> None:
    other = Source(path="y.jsonl", reader="r", model="b", task="t")
    some = coverage([], [_source(dropped={"metric f1 is text": 2}), other])
    assert _text(some, "dropped") == "2 values excluded: metric f1 is text (a on t)"
    every = coverage([], [_source(dropped={"metric f1 is text": 2})])
    assert _text(every, "dropped") == "2 values excluded: metric f1 is text"


def test_settings_that_differ_between_models() -> None:
    one = Source(path="1", reader="r", model="a", task="t", settings={"n-shot": "0", "v": "1"})
    two = Source(path="2", reader="r", model="b", task="t", settings={"n-shot": "5", "v": "1"})
    found = coverage([], [one, two])
    assert _codes(found) == ["different-settings"]
    assert _text(found, "different-settings") == "t: n-shot differs: 0 (a); 5 (b)"


@pytest.mark.parametrize(
    ("alignment", "code"),
    [
        (Alignment(conflicting=2, conflicts=("a, q",)), "conflicting-rows"),
        (Alignment(content_differs=2, by_content=True), "paired-by-content"),
        (Alignment(content_differs=2, unverified=("a",)), "ids-disagree"),
        (Alignment(unverified=("a",)), "unverified-items"),
        (Alignment(repeated=3), "repeated-rows"),
        (Alignment(group_differs={"subject": 2}), "group-differs"),
    ],
)
def test_what_alignment_found(alignment: Alignment, code: str) -> None:
    matrix = ScoreMatrix.from_means(
        np.array([[0.0, 1.0]]), models=["a"], items=["q", "r"], alignment=alignment
    )
    logs = [Source(path="1", reader="r"), Source(path="2", reader="r")]
    assert _codes(coverage([matrix], logs)) == [code]


def test_a_finding_about_several_metrics_is_said_once() -> None:
    scores = np.array([[1.0] * 30, [0.0, 1.0] * 15])
    several = [
        ScoreMatrix.from_arrays(scores, models=["a", "b"], task="t", metric=m) for m in "xyz"
    ]
    (found,) = coverage(several).findings
    assert (
        found.text
        == "t [3 metrics]: a scores 1 on every item (30); check for a broken parser or empty "
        "output"
    )


def test_one_run_in_many_files_is_one_run() -> None:
    logs = [_source(items=5, declared_items=12, limited="limit=5") for _ in range(3)]
    assert _text(coverage([], logs), "partial-run") == "a on t covers 15 of 36 items (limit=5)"


def test_fatal_findings_refuse_unless_allowed() -> None:
    found = (find("repeated-rows", "x"), find("failed-run", "a did not finish"))
    assert allow(found, ())[0].code == "failed-run"
    with pytest.raises(DataError, match=r"a did not finish\. .*allow=.failed-run."):
        refuse_fatal(found)
    refuse_fatal(allow(found, ["failed-run"]))
    with pytest.raises(ParameterError, match="No finding has the code 'failed'"):
        allow(found, ["failed"])


@pytest.mark.parametrize(
    ("settled", "says"),
    [("refuse", "if this is allowed, their mean counts"), ("last", "the last counts")],
)
def test_conflicting_rows_say_what_counts(settled: str, says: str) -> None:
    alignment = Alignment(conflicting=1, conflicts=("a, q",), settled=settled)
    matrix = replace(ScoreMatrix.from_arrays([[1, 0]], models=["a"]), alignment=alignment)
    assert _text(coverage([matrix]), "conflicting-rows").endswith(says)


def test_a_model_without_a_score_stands_last() -> None:
    matrix = ScoreMatrix.from_arrays([[NAN, NAN], [-5, -7]], models=["a", "b"])
    found = coverage([matrix])
    assert [m.model for m in found.tasks[0].models] == ["b", "a"]
    assert "-6" in render(found)


def test_reads_back_equal() -> None:
    graded = ScoreMatrix.from_arrays(
        [[NAN, NAN], [-5, -7]], models=["a", "b"], task="t", groups={"subject": ["x", "y"]}
    )
    full = Source(
        path="x.jsonl",
        reader="r",
        declared_items=3,
        limited="limit=2",
        dropped={"a list": 2},
        settings={"n-shot": "5"},
        aggregates={"acc": 0.5, "odd": NAN},
        mismatches={"acc": 0.25},
        lower_is_better=("loss",),
        notes=("n",),
    )
    several = [graded, ScoreMatrix.from_arrays([[1, 0]], models=["a"], task="one")]
    for found in (coverage([]), coverage([graded], [full]), coverage(several, bad=["x:2"])):
        assert Coverage.from_json(found.to_json()) == found


def test_every_kind_is_told_with_a_mend() -> None:
    assert all(k.meaning.endswith(".") and k.mend.endswith(".") for k in KINDS.values())
    assert isinstance(find("errors", "x"), Finding)
