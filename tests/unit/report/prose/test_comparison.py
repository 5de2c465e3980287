"""A Comparison in words and in JSON: answer first, honest wording, hostile names."""

import json
import math
import re
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from helpers.schemas import validate
from nstar import compare
from nstar._base.types import Array
from nstar._data.findings import Finding
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare import Comparison
from nstar.report import document, render
from nstar.report.prose.comparison import paragraph
from nstar.report.prose.design import SECOND_LOOK
from nstar.report.prose.gap import gap

RNG = np.random.default_rng(8)
NAN = float("nan")
GRADES = RNG.random((2, 60))
SCHEMA = json.loads((files("nstar.report") / "schemas" / "comparison.schema.json").read_text())


def scores(n11: int, n10: int, n01: int, n00: int) -> tuple[Array, Array]:
    cells = np.repeat([[1.0, 1], [1, 0], [0, 1], [0, 0]], [n11, n10, n01, n00], axis=0)
    return cells[:, 0], cells[:, 1]


def some(cells: tuple[int, int, int, int] = (628, 86, 78, 208), **options: Any) -> Comparison:
    return compare(*scores(*cells), **({"a": "alpha", "b": "beta"} | options))


def subjects(n: int, groups: int) -> dict[str, list[str]]:
    return {"subject": [f"s{k}" for k in np.random.default_rng(1).integers(0, groups, n)]}


def some_grouped(x: Array) -> Comparison:
    groups = {"subject": [f"s{k % 20}" for k in range(x.shape[1])]}
    matrix = ScoreMatrix.from_arrays(x, models=["alpha", "beta"], groups=groups)
    return compare(matrix, a="alpha", b="beta", cluster="subject")


def tasks() -> Comparison:
    tables = {"one": (40, 40, 10, 10), "two": (40, 10, 40, 10), "three": (40, 20, 20, 20)}
    matrices = [
        ScoreMatrix.from_arrays(np.stack(scores(*cells)), models=["alpha", "beta"], task=task)
        for task, cells in tables.items()
    ]
    return compare(matrices, a="alpha", b="beta")


def flat(text: str) -> str:
    return " ".join(text.split())


def attrition() -> Comparison:
    a, b = scores(628, 86, 78, 208)
    b[np.flatnonzero(b == 0)[-100:]] = NAN
    return compare(a, b, a="alpha", b="beta")


CASES: dict[str, Comparison] = {
    "inconclusive": some(),
    "better": some((40, 40, 10, 10)),
    "worse": some((40, 10, 40, 10)),
    "borderline": some((60, 15, 6, 19)),
    "equivalent": some(margin=0.04),
    "declared": some(delta=0.02),
    "one-sided": some((40, 10, 40, 10), alternative="greater"),
    "identical": some((60, 0, 0, 40)),
    "one item": some((0, 1, 0, 0)),
    "zero gap": some((50, 20, 20, 10)),
    "strata": some(groups=subjects(1000, 30), strata="subject"),
    "clusters": some(groups=subjects(1000, 30), cluster="subject", margin=0.02),
    "few clusters": some(groups=subjects(1000, 2), cluster="subject"),
    "groups": some(groups=subjects(1000, 30)),
    "graded": compare(*GRADES, groups=subjects(60, 5), margin=0.2),
    "scale": compare(*(100 * GRADES), delta=3, margin=30),
    "runs": compare(RNG.integers(0, 2, (30, 3)), RNG.integers(0, 2, (30, 2))),
    "runs of one": compare(RNG.integers(0, 2, (30, 3)), RNG.integers(0, 2, 30)),
    "attrition": attrition(),
    "tasks": tasks(),
}


# --- words --------------------------------------------------------------------------------


def headline(case: str) -> str:
    return document(CASES[case]).headline


def test_the_sentence_of_an_inconclusive_pair() -> None:
    assert headline("inconclusive") == (
        "Inconclusive: alpha scores 0.8 pp above beta (95% CI −1.7 to +3.3 pp, p = 0.53, 1,000 "
        "items). Here an observed gap above 2.6 pp is significant; a true gap of 3.6 pp is "
        "detected with 80% power. If the true gap is 0.8 pp, resolving it would take over 10× "
        "the current number of items."
    )


def test_better_and_worse() -> None:
    assert headline("better").startswith("alpha beats beta by 30.0 pp (95% CI +16.9 to")
    assert "p < 0.001, 100 items). Here an observed gap above" in headline("better")
    assert "MDE (80% power)" in render(CASES["better"])
    assert headline("worse").startswith("alpha trails beta by 30.0 pp")


def test_borderline_says_what_disagrees() -> None:
    pair = CASES["borderline"].tasks[0]
    assert (pair.pvalue <= 0.05) != (not pair.ci.low <= 0 <= pair.ci.high)
    assert headline("borderline").startswith(
        "Borderline: alpha scores 9.0 pp above beta; the test and the CI disagree (p = 0."
    )


def test_equivalent_within_a_margin() -> None:
    assert headline("equivalent").startswith(
        "Equivalent within ±4 pp: alpha scores 0.8 pp above beta (90% CI −1.3 to"
    )


def test_a_declared_gap_comes_into_the_headline() -> None:
    assert headline("declared").endswith(
        "Detecting the declared gap of 2 pp takes 3,216 items (3.2× the current 1,000)."
    )
    assert document(some(delta=0.1)).headline.endswith(
        "Detecting the declared gap of 10 pp takes 127 items (0.13× the current 1,000)."
    )


def test_one_side() -> None:
    assert headline("one-sided").startswith("Inconclusive: alpha scores")
    assert "one-sided p = 1, " in headline("one-sided")
    assert "would take" not in headline("one-sided")


def test_identical_models() -> None:
    said = headline("identical")
    assert said.startswith(
        "Inconclusive: alpha and beta have the same score on every item (95% CI −3.7 to"
    )
    assert "even if every disagreement favored one model, the MDE would be" in said


def test_a_zero_gap_says_what_could_have_been_seen() -> None:
    assert "alpha and beta have the same mean score" in headline("zero gap")
    assert headline("zero gap").endswith("a true gap of 17.5 pp is detected with 80% power.")


def test_significant_yet_unresolved() -> None:
    said = document(some((40, 30, 14, 16))).headline
    assert said.endswith("Underpowered: the power is less than 80% if this is the true gap.")


def test_items_needed_are_for_a_new_evaluation() -> None:
    said = paragraph(CASES["inconclusive"])
    assert "0.8 pp would take 20,111 items to detect with 80% power; plan such" in said
    assert "The declared gap of 2 pp would take 3,216 items" in paragraph(CASES["declared"])
    assert "clusters of the same sizes to detect with 80%" in paragraph(CASES["clusters"])
    for found in CASES.values():
        pair = found.tasks[0]
        is_open = len(found.tasks) == 1 and pair.verdict in ("inconclusive", "borderline")
        counted = is_open and bool(pair.more_items)
        assert (SECOND_LOOK in document(found).assumptions) == counted


def test_declared_groups_stand_in_the_headline() -> None:
    assert "1,000 items in 30 subjects)" in headline("strata")
    assert "1,000 items in 30 subjects)" in headline("clusters")


def test_advice_has_two_digits_and_names_new_groups() -> None:
    x = np.where(np.random.default_rng(4).random((2, 400)) < [[0.66], [0.6]], 1.0, 0.0)
    near = some_grouped(x)
    needed = near.tasks[0].more_items
    assert needed is not None
    assert needed > 9 * 400
    assert document(near).headline.endswith(
        "resolving it would take over 10× the current number of items."
    )
    (pair,) = near.tasks
    less = replace(near, tasks=(replace(pair, more_items=1234),))
    assert document(less).headline.endswith(
        "resolving it would take about 1,200 more items, in new subjects."
    )


@pytest.mark.parametrize("case", CASES)
def test_never_no_difference(case: str) -> None:
    said = flat(render(CASES[case], paragraph=True)).lower()
    assert "no difference" not in said
    assert "no significant difference" not in said
    assert "nan" not in said.replace("nano", "").split()


@pytest.mark.parametrize("case", [c for c in CASES if c != "tasks"])
def test_the_headline_has_gap_and_interval(case: str) -> None:
    pair = CASES[case].tasks[0]
    said = headline(case)
    assert "% CI" in said
    open_ = pair.verdict in ("inconclusive", "borderline")
    assert not open_ or "detect" in said or "resolving" in said
    assert re.search("p [=<] ", said) or pair.verdict == "equivalent"


def test_the_average_comes_before_the_tasks() -> None:
    assert headline("tasks") == (
        "Inconclusive: alpha and beta have the same mean score on the macro average of 3 tasks "
        "(95% CI −7.3 to +7.3 pp, p = 1, 300 items). Here an observed gap above 7.3 pp is "
        "significant; a true gap of 10.4 pp is detected with 80% power. Of 3 tasks, alpha beats "
        "beta on 1 (one) and trails on 1 (two); 1 is inconclusive (Holm-adjusted)."
    )
    average, grid = document(CASES["tasks"]).grids
    assert average.title == "Macro average (tasks count equally): 300 items from 3 tasks"
    assert [row[0] for row in average.rows[-2:]] == [
        "items needed for this gap (N*)",
        "resolution ratio q = N/N*",
    ]
    assert [row[0] for row in grid.rows] == ["one", "two", "three"]
    assert [row[-1] for row in grid.rows] == ["better", "worse", "inconclusive"]


# --- tables and notes ---------------------------------------------------------------------


@pytest.mark.parametrize("level", ["brief", "short", "full"])
@pytest.mark.parametrize("cells", [(400, 300, 100, 200), (628, 86, 78, 208), (500, 10, 0, 490)])
def test_every_length_answers_what_delta_asked(level: Any, cells: Any) -> None:
    """Also where the verdict is that one model is better."""
    told = flat(render(some(cells, delta=0.02), level=level))
    assert "the declared gap of 2 pp" in told
    one, two = (
        ScoreMatrix.from_arrays(np.stack(scores(*cells)), models=["alpha", "beta"], task=task)
        for task in ("one", "two")
    )
    both = compare([one, two], a="alpha", b="beta", delta=0.02)
    assert "the declared gap of 2 pp" in flat(render(both, level=level))
    lower = replace(both, average=None, no_average="less is better in two only")
    text = flat(render(lower, level=level))
    assert re.search(
        r"Of 2 tasks, \w+ have enough items alone to detect the declared gap of 2 pp\.",
        text,
    )
    if level != "brief":
        assert "These tasks have no average: less is better in two only." in text


def test_up_to_200_groups_are_shown_and_others_counted() -> None:
    many = ScoreMatrix.from_arrays(
        np.random.default_rng(0).integers(0, 2, (2, 450)),
        models=["alpha", "beta"],
        groups={"subject": [f"s{k // 2}" for k in range(450)]},
    )
    table = document(compare(many, a="alpha", b="beta", strata="subject")).grids[-1]
    assert table.title == "By subject, largest gap first (25 more in to_json())"
    assert len(table.rows) == 200
    grids = document(CASES["groups"]).grids
    assert grids[-1].title == "By subject, largest gap first"
    assert len(grids[-1].rows) == 30
    sizes = [abs(float(row[4].split()[0].replace("−", "-"))) for row in grids[-1].rows]
    assert sizes == sorted(sizes, reverse=True)


def test_every_reading_is_shown_and_the_declared_one_marked() -> None:
    grid = document(CASES["clusters"]).grids[1]
    assert [row[0] for row in grid.rows] == [
        "clusters by subject",
        "independent items",
        "strata by subject",
    ]
    assert grid.marked == 0
    notes = " ".join(document(CASES["groups"]).notes)
    assert "Treated as strata: does the gap hold for new items from the same 30 groups?" in notes
    assert "Treated as clusters: does the gap hold for new groups?" in notes


def test_few_clusters_are_cautioned() -> None:
    assert any("test is approximate" in note for note in document(CASES["few clusters"]).notes)
    told = " ".join(CASES["few clusters"].render().split())
    assert "the largest cluster has 51% of the items (more than half) and the clusters" in told


def test_clusters_that_nobody_declared_are_cautioned_in_full_only() -> None:
    found = some(groups={"subject": ["s0", "s1"] * 500})
    assert "test is approximate" not in found.render()
    told = " ".join(found.render(level="full").split())
    assert "For clusters by subject, the cluster-robust t test is approximate" in told


def test_missing_items_are_never_silent() -> None:
    notes = " ".join(document(CASES["attrition"]).notes)
    assert "Excluded: 100 items answered only by alpha" in notes
    assert "which reverses their order" in notes
    assert (
        "the gap over all items lies within −9.2 to +0.8 pp, so the missing scores could reverse "
        "the order" in notes
    )


def test_notes_of_runs() -> None:
    assert any("3 and 2 runs per item" in note for note in document(CASES["runs"]).notes)
    assert any("cannot be separated" in note for note in document(CASES["runs of one"]).notes)


def test_q_is_explained() -> None:
    notes = " ".join(document(CASES["inconclusive"]).notes)
    assert "a replication of the same size" in notes
    assert "q carries the same information as the p-value" in notes


def test_scores_beyond_one_have_no_points() -> None:
    text = render(CASES["scale"], paragraph=True)
    assert "pp" not in text
    assert "the declared gap of 3" in text


def test_findings_come_first_and_the_gravest_before_all() -> None:
    found = [
        Finding(level="note", code="n", text="third"),
        Finding(level="warning", code="w", text="second"),
        Finding(level="fatal", code="f", text="first"),
    ]
    notes = document(replace(some(), findings=tuple(found))).notes
    assert notes[:2] == ("Error: first.", "Warning: second.")
    assert notes[-1] == "Note: third."


def test_few_items_are_said_to_be_few() -> None:
    assert any("could change the verdict" in n for n in document(CASES["one item"]).notes)


HOSTILE = "\x1b[31mred\x07\n\u202eevil | <b>@all</b> " + "x" * 200


def test_names_from_logs_are_tamed() -> None:
    matrix = ScoreMatrix.from_arrays(
        np.stack(scores(5, 4, 3, 2)),
        models=[HOSTILE, "b"],
        task=HOSTILE,
        metric=HOSTILE,
        groups={HOSTILE: [HOSTILE + str(k % 3) for k in range(14)]},
    )
    result = compare(matrix, cluster=HOSTILE)
    for format_ in ("text", "markdown", "json"):
        said = render(result, format_, paragraph=True)
        bad = [c for c in said if not c.isprintable() and c != "\n"]
        assert bad == []
    assert "x" * 81 not in render(result)
    assert json.loads(render(result, "json"))["models"][0] == HOSTILE


# --- the paragraph ------------------------------------------------------------------------


def test_the_paragraph_is_there_when_asked() -> None:
    result = CASES["inconclusive"]
    assert document(result).paragraph is None
    assert document(result, paragraph=True).paragraph == paragraph(result)
    assert "To paste" not in render(result)
    assert flat(paragraph(result)) in flat(render(result, paragraph=True))


def test_the_paragraph_stands_alone() -> None:
    said = paragraph(CASES["attrition"])
    for part in ("900 items", "95% CI", "mid-p", "80% power", "excluded", "inconclusive"):
        assert part in said
    assert "which is not evidence of equality" in said
    said = paragraph(CASES["tasks"])
    assert "in the macro average, tasks count equally" in said
    assert "p-value" not in said


# --- JSON ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_json_obeys_the_schema(case: str) -> None:
    data = json.loads(render(CASES[case], "json"))
    validate(data, SCHEMA)
    assert data["schema"] == "nstar.comparison/1"
    assert len(data["tasks"]) == len(CASES[case].tasks)


@pytest.mark.parametrize("case", CASES)
def test_json_reads_back(case: str) -> None:
    again = Comparison.from_json(render(CASES[case], "json"))
    assert again == CASES[case]
    assert str(again) == str(CASES[case])


def test_one_task_stands_among_the_tasks() -> None:
    data = json.loads(render(CASES["inconclusive"], "json"))
    (task,) = data["tasks"]
    assert not task.keys() & data.keys()
    assert (task["n_items"], task["counts"]["n10"], task["counts"]["n01"]) == (1000, 86, 78)
    assert math.ceil(task["n_star"]) == 20_111
    assert task["ci"].keys() == task["q_ci"].keys() == {"low", "high"}
    assert task["n_star_ci"]["high"] is None
    assert task["verdict"] == "inconclusive"


def test_several_tasks_each_have_their_verdict() -> None:
    data = json.loads(render(CASES["tasks"], "json"))
    assert data["adjust"] == "holm"
    assert not {"verdict", "delta", "p", "n"} & data.keys()
    assert [t["verdict"] for t in data["tasks"]] == ["better", "worse", "inconclusive"]


def test_json_has_every_group() -> None:
    (task,) = json.loads(render(CASES["groups"], "json"))["tasks"]
    assert len(task["breakdowns"][0]["groups"]) == 30
    assert [a["design"] for a in task["other_designs"]] == ["strata:subject", "cluster:subject"]
    assert task["design"] == "independent"
    assert task["breakdowns"][0]["leave_one_out"]["most_influential"].startswith("s")


def test_clusters_that_agree_are_not_items_that_do() -> None:
    even = compare([1, 0] * 20, [0, 1] * 20, cluster=[k // 10 for k in range(40)])
    text = flat(render(even))
    assert text.startswith("Inconclusive: A and B have the same mean score (")
    assert "40 items in 4 " in text
    assert "Every cluster shows the same gap" in text
    assert render(compare([1], [1])).startswith("Inconclusive: A and B have the")


def test_strata_without_spread_are_called_what_they_are() -> None:
    d = compare([1, 0] * 20, [0, 1] * 20, strata=["x", "y"] * 20)
    assert "Every item shows the same gap as the other items of its stratum" in flat(render(d))


def test_ends_too_small_to_print_keep_their_sign() -> None:
    pair = compare([1.0] * 30 + [0.5], [1.0] * 30 + [0.5]).tasks[0]
    assert (gap(pair, -3e-5, sign=True), gap(pair, 3e-5, sign=True)) == (">−0.01 pp", "<+0.01 pp")
    assert gap(pair, 3e-5) == "<0.01 pp"
    assert gap(pair, -5.6e-17, sign=True) == "0 pp"


def test_several_tasks_name_every_test_and_metric() -> None:
    binary = ScoreMatrix.from_arrays(
        np.stack(scores(40, 40, 10, 10)),
        models=["alpha", "beta"],
        task="one",
        metric="acc",
        groups={"subject": [k % 5 for k in range(100)]},
    )
    graded = ScoreMatrix.from_arrays(
        GRADES,
        models=["alpha", "beta"],
        task="two",
        metric="f1",
        groups={"subject": [k % 3 for k in range(60)]},
    )
    both = compare([binary, graded], a="alpha", b="beta", margin=0.1)
    told = paragraph(both)
    assert "Tango score CI, McNemar mid-p test or t CI, random sign flips" in told
    text = flat(render(both))
    assert "one [acc]" in text
    assert "two [f1]" in text
    assert "CIs, MDEs and equivalence are per task and unadjusted" in text
    clusters = compare([binary, graded], a="alpha", b="beta", cluster="subject")
    assert "the groups of each task are a random sample" in flat(render(clusters, level="full"))
    assert "test, clusters by subject" in paragraph(clusters)
    assert "By task [score]" in render(CASES["tasks"])


def test_a_vanishing_p_is_below_and_not_equal() -> None:
    sure = some((0, 2000, 0, 0), margin=0.5)
    assert "p < 0.001" in flat(render(sure))
    assert "< 1e-300" in flat(render(sure, level="full"))
    assert "= <" not in render(sure) + paragraph(sure)


def test_an_interval_that_touches_no_gap_has_no_digits() -> None:
    """15 to 6 of 40: the interval begins at +0.05 points, its N* at 18 million items."""
    a = np.repeat([1.0, 0, 1, 0], [15, 6, 14, 5])
    b = np.repeat([0.0, 1, 1, 0], [15, 6, 14, 5])
    text = " ".join(render(compare(a, b), "text", level="full").split())
    assert "(N*) 79 21 to >79,000" in text
    assert "N/N* 0.506 <0.00051 to 1.99" in text


@pytest.mark.parametrize("groups", [4, 6])
def test_few_groups_do_not_decide_the_headline(groups: int) -> None:
    """Two groups make the whole gap, so other items show it and other groups do not."""
    group = np.arange(120) % groups
    second = np.where((group < 2) & (np.arange(120) % 7 > 3), 0.0, 1.0)
    labels = {"subject": [f"s{k}" for k in group]}
    found = compare(np.ones(120), second, a="alpha", b="beta", groups=labels)
    (pair,) = found.tasks
    assert pair.verdict == "better"
    assert {r.kind: r.pvalue > 0.05 for r in pair.other_designs}["cluster"]
    said = "Caution: across new subjects the gap is inconclusive (p = "
    assert (said in document(found).headline) == (groups >= 5)
