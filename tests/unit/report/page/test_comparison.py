"""The page of a Comparison before its script runs: whole, safe, and with the data it needs."""

import base64
import itertools
import json
import re
import zlib
from html import escape
from typing import Any

import numpy as np
import pytest

from helpers import nasty
from helpers.comparisons import CASES, cells, matrices, subjects
from helpers.names import MARK, with_name
from nstar import compare
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare import Comparison
from nstar.errors import ParameterError
from nstar.report import document
from nstar.report.page import page
from nstar.report.page.comparison import ComparisonsByRule, compare_deck
from nstar.report.page.comparison import body as body_of
from nstar.report.prose.numbers import name

NAMES = ("alpha", "beta")


def body(result: Comparison) -> str:
    return body_of(ComparisonsByRule(result))


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


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", CASES)
def test_every_word_is_there_without_a_script(case: str) -> None:
    result = CASES[case](delta=0.02, margin=0.04)
    doc, text = document(result, paragraph=True), body(result)
    told = (*doc.spoken(), doc.caution, doc.paragraph or "", *doc.notes, *doc.assumptions)
    tables = (c for g in doc.grids for row in (g.header, *g.rows) for c in row)
    for words in (*told, *tables, "The nstar developers"):
        assert escape(words) in text
    assert text.count(' class="chart gap ') + text.count('<div class="forest"') >= len(
        compare_deck(ComparisonsByRule(result))["rules"]["levels"]
    )


def _unpacked(packed: dict[str, Any]) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(packed["z"])))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", CASES)
def test_every_choice_of_rules_says_what_a_comparison_by_them_says(case: str) -> None:
    data = compare_deck(ComparisonsByRule(CASES[case](delta=0.02)))
    rules = data["rules"]
    choices = itertools.product(rules["levels"], rules["powers"])
    for (alpha, power), words in zip(choices, _unpacked(rules["words"]), strict=True):
        result = CASES[case](delta=0.02, alpha=alpha, power=power)
        doc = document(result, paragraph=True)
        assert (words["headline"], words["paragraph"]) == (list(doc.spoken()), doc.paragraph)
        assert words["tiles"] == [[t.number, t.unit, t.label, t.more] for t in doc.tiles]
        assert words["caution"] == doc.caution
        assert words["notes"] == list(doc.notes)
        assert words["assumptions"] == list(doc.assumptions)
        for k, grid in enumerate(doc.grids):
            wanted = [grid.title, list(grid.header), [list(r) for r in grid.rows], grid.marked]
            assert words["grids"][f"all-{k}"] == wanted


def test_one_sided_tests_stay_so() -> None:
    data = compare_deck(ComparisonsByRule(CASES["better"](alternative="greater")))
    found = _unpacked(data["rules"]["words"])[0]["headline"]
    wanted = CASES["better"](alternative="greater", alpha=0.1)
    assert found == list(document(wanted).spoken())


def test_without_scores_the_rules_are_as_run() -> None:
    kept = type(CASES["better"]()).from_dict(CASES["better"]().to_dict())
    data = compare_deck(ComparisonsByRule(kept))
    assert data["rules"]["levels"] == (0.05,)
    assert data["rules"]["powers"] == (0.8,)
    assert data["items"] == []
    assert page(kept)


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
    assert 'id="outcomes"' in text
    assert 'id="groups"' in text
    assert "(→ used)" in text
    assert text.count("<td>→ ") + text.count('<th scope="row">→ ') == 1
    assert "Items by who got them right" not in body(CASES["graded"]())


def test_every_task_has_a_part_of_its_own() -> None:
    result = CASES["tasks"]()
    text = body(result)
    assert [f'id="task-{k}"' in text for k in range(5)] == [True] * 4 + [False]
    assert text.count(">Items by who got them right<") == 4


@pytest.mark.usefixtures("own_rules_only")
def test_of_many_tasks_the_first_are_told_one_by_one() -> None:
    many = matrices({f"t{k}": (5, 3, 2, 4) for k in range(103)})
    text = page(compare(many, a=NAMES[0], b=NAMES[1]))
    assert text.count('<details class="task"') == 100
    assert "3 more tasks are in the table above" in text
    assert len(embedded(text)["tasks"]) == 103


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


@pytest.fixture(scope="module")
def marked() -> tuple[Comparison, Comparison]:
    return hostile(MARK)


@pytest.fixture(scope="module")
def usual(marked: tuple[Comparison, Comparison]) -> list[nasty._Markup]:
    """The markup of pages whose names are plain."""
    return [markup(body(result)) for result in marked]


def check_names(said: str, results: tuple[Comparison, ...], usual: list[nasty._Markup]) -> None:
    for result, plain in zip(results, usual, strict=True):
        text = page(result)
        inside = text.split("</symbol></svg>", 1)[1].split('<script type="application/json"', 1)[0]
        shown = nasty.check_markup(inside, tags=plain.tags, attributes=plain.attributes)
        assert name(said) in shown
        nasty._printable(text)
        assert text.count("<script") == 2
        assert embedded(text)["names"] == [name(n) for n in result.models]


@pytest.mark.usefixtures("own_rules_only")
@pytest.mark.parametrize("said", nasty.IN_MARKUP)
def test_nasty_names_are_only_shown(
    said: str, marked: tuple[Comparison, Comparison], usual: list[nasty._Markup]
) -> None:
    check_names(said, with_name(marked, said), usual)


def test_nasty_names_are_only_shown_by_every_choice_of_rules(
    marked: tuple[Comparison, Comparison], usual: list[nasty._Markup]
) -> None:
    """And a name put in later is one from the start."""
    said = nasty.NASTY["script"]
    made = hostile(said)
    assert with_name(marked, said) == made
    check_names(said, made, usual)
