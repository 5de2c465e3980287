"""The page of a Comparison before its script runs: whole, safe, and with the data it needs."""

import json
import re
from html import escape
from typing import Any

import numpy as np
import pytest

from helpers import nasty
from helpers.comparisons import CASES, cells, matrices, subjects
from nstar import compare
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare import Comparison
from nstar.errors import ParameterError
from nstar.report import charts, document
from nstar.report.page import page
from nstar.report.page.comparison import body, compare_deck
from nstar.report.words.numbers import name

NAMES = ("alpha", "beta")


def embedded(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="nstar-data">(.*?)</script>', text)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def markup(text: str) -> nasty._Markup:
    parsed = nasty._Markup()
    parsed.feed(text)
    parsed.close()
    return parsed


@pytest.mark.parametrize("case", CASES)
def test_every_word_is_there_without_a_script(case: str) -> None:
    result = CASES[case](delta=0.02, margin=0.04)
    doc, text = document(result, paragraph=True), body(result)
    told = (doc.headline, doc.paragraph or "", *doc.notes, *doc.assumptions)
    tables = (c for g in doc.grids for row in (g.header, *g.rows) for c in row)
    for words in (*told, *tables, "The nstar developers"):
        assert escape(words) in text
    assert charts.figure(result, "forest").fragment() in text


@pytest.mark.parametrize("case", CASES)
def test_the_data_are_what_was_compared(case: str) -> None:
    result = CASES[case](delta=0.02)
    data = embedded(page(result))
    assert data == json.loads(json.dumps(compare_deck(result), allow_nan=False))
    assert data["settings"]["delta0"] == result.tasks[0].delta0
    for task, pair in zip(data["tasks"], result.tasks, strict=True):
        assert (task["n"], task["delta"], task["se"]) == (pair.n, pair.delta, pair.se)
        assert (task["p"], task["p_adjusted"]) == (pair.p, pair.p_adjusted)
        assert (task["df"] or np.inf) == (pair.design.df or np.inf)


def test_the_policy_comes_first_and_lets_in_one_script_and_one_style() -> None:
    text = page(CASES["groups"]())
    policy = text.index("Content-Security-Policy")
    assert policy < text.index("<style>") < text.index("<script")
    assert "default-src 'none'" in text
    assert (text.count("<style"), text.count("<script")) == (1, 2)
    assert not re.search(r"\s(style|on\w+)=", body(CASES["groups"]()))


def test_cells_readings_and_groups_of_one_task() -> None:
    text = body(CASES["groups"]())
    for words in ("Items by who got them right", "alpha wrong", "beta right", "clusters by"):
        assert words in text
    assert charts.figure(CASES["groups"](), "groups").fragment() in text
    assert "(→ as declared)" in text
    assert text.count("<td>→ ") + text.count('<th scope="row">→ ') == 1
    assert "Items by who got them right" not in body(CASES["graded"]())


def test_every_task_has_a_part_of_its_own() -> None:
    result = CASES["tasks"]()
    text = body(result)
    assert [f'id="task-{k}"' in text for k in range(5)] == [True] * 4 + [False]
    assert text.count(">Items by who got them right<") == 4


def test_of_many_tasks_the_first_are_told_one_by_one() -> None:
    many = matrices({f"t{k}": (5, 3, 2, 4) for k in range(103)})
    text = body(compare(many, a=NAMES[0], b=NAMES[1]))
    assert text.count('<details class="task"') == 100
    assert "3 more tasks are in the table above" in text
    assert len(embedded(page(compare(many, a=NAMES[0], b=NAMES[1])))["tasks"]) == 103


def test_runs_are_told() -> None:
    rng = np.random.default_rng(8)
    text = body(compare(rng.integers(0, 2, (30, 3)), rng.integers(0, 2, (30, 2))))
    assert "3 and 2 runs per item" in text


def test_a_comparison_has_no_place() -> None:
    with pytest.raises(ParameterError, match="where"):
        page(CASES["better"](), where="alpha")


def hostile(said: str) -> tuple[Comparison, Comparison]:
    """One task in groups and two tasks, with a nasty name wherever one can be."""
    x = cells(40, 20, 12, 28)
    groups = {said: [f"{said}{k}" for k in subjects(100, 4)["subject"]]}
    made = [
        ScoreMatrix.from_arrays(
            x, models=[said, f"{said}2"], task=f"{said}{k}", metric=said, groups=groups
        )
        for k in range(2)
    ]
    names = (said, f"{said}2")
    one = compare(made[:1], a=names[0], b=names[1], strata=said)
    return one, compare(made, a=names[0], b=names[1])


@pytest.mark.parametrize("said", nasty.NASTY.values(), ids=nasty.NASTY)
def test_nasty_names_are_only_shown(said: str) -> None:
    for result, plain in zip(hostile(said), hostile("plain"), strict=True):
        usual = markup(body(plain))
        shown = nasty.check_markup(body(result), tags=usual.tags, attributes=usual.attributes)
        assert name(said) in shown
        text = page(result)
        nasty._printable(text)
        assert text.count("<script") == 2
        assert embedded(text)["names"] == [name(n) for n in result.names]
