"""What a gate tells CI servers: JUnit XML, a job summary, an annotation, a comment."""

from dataclasses import replace

import pytest
from xmlschema import XMLSchemaValidationError

from helpers import gates, nasty
from helpers.names import MARK, with_name
from nstar._data.findings import find
from nstar._verbs.gate import Gate
from nstar.errors import ParameterError
from nstar.report import document, render
from nstar.report.formats.github import (
    SUMMARY_LIMIT,
    annotation,
    comment,
    marker,
    summary,
    verdict_badge,
)
from nstar.report.formats.junit import junit
from nstar.report.formats.markdown import LIMIT
from nstar.report.prose.gate.task import verdict_text
from nstar.report.prose.numbers import name

every_answer = pytest.mark.parametrize("answer", gates.ANSWERS)
every_string = pytest.mark.parametrize("said", nasty.NASTY.values(), ids=nasty.NASTY.keys())

TAGS = {"pass": "system-out", "invalid_data": "error"}
LEVELS = {"pass": "notice", "inconclusive": "warning"}


def headline(answer: str) -> str:
    """The first sentence of the report behind the answer."""
    return document(gates.made(answer)).headline.removeprefix(f"{verdict_text(answer)}: ")


@every_answer
def test_gates_for_tests_have_their_answer(answer: str) -> None:
    assert gates.made(answer).verdict == answer


@every_answer
def test_junit_has_one_case_for_one_task(answer: str) -> None:
    suite = nasty.check_junit(junit(gates.made(answer)))
    (case,) = suite.iter("testcase")
    (told,) = case
    assert told.tag == TAGS.get(answer, "failure")
    assert told.get("type") == (None if answer == "pass" else answer)
    held = {p.attrib["name"]: p.attrib["value"] for p in suite.iter("property")}
    assert held["verdict"] == answer
    assert (held["candidate"], held["baseline"]) == gates.NAMES
    assert suite.findtext("system-out") == render(gates.made(answer), level="full")


def test_junit_fails_only_the_tasks_that_do_not_pass() -> None:
    suite = nasty.check_junit(junit(gates.made("pass", "regression", "inconclusive")))
    told = {case.attrib["name"]: case[0].get("type") for case in suite.iter("testcase")}
    assert told == {
        "pass [score]": None,
        "regression [score]": "regression",
        "inconclusive [score]": "inconclusive",
    }
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("3", "2")


def test_junit_never_lets_a_gate_pass_that_does_not() -> None:
    doubtful = replace(gates.made("pass"), verdict="inconclusive")
    suite = nasty.check_junit(junit(doubtful))
    assert [c.attrib["name"] for c in suite.iter("testcase")] == ["pass [score]", "gate"]
    assert suite.attrib["failures"] == "1"


def test_junit_has_no_clock() -> None:
    assert junit(gates.made("regression")) == junit(gates.made("regression"))


def test_junit_shows_gap_interval_margin_and_size() -> None:
    (failure,) = nasty.check_junit(junit(gates.made("regression"))).iter("failure")
    message = failure.attrib["message"]
    assert message.startswith("REGRESSION: gap −10.0 pp (90% CI −12.8 to −7.4 pp)")
    assert message.endswith("margin 2 pp, 500 items")
    assert "p of 'worse by the margin or more'" in (failure.text or "")


@every_answer
def test_summary_begins_with_the_answer_and_says_the_headline(answer: str) -> None:
    text = summary(gates.made(answer))
    assert text.startswith(f"### nstar gate: {verdict_text(answer)}\n")
    assert headline(answer) in nasty.check_comment(text)
    assert "<details>" not in text


@every_answer
def test_comment_begins_with_its_marker(answer: str) -> None:
    text = comment(gates.made(answer), key="nightly")
    assert text.startswith(
        f"<!-- nstar-gate:nightly -->\n\n### nstar gate: {verdict_text(answer)}\n"
    )
    assert headline(answer) in nasty.check_comment(text)


def test_a_comment_states_what_a_decision_takes_before_the_fold() -> None:
    notes = tuple(find("reader", f"note {k}") for k in range(9))
    text = comment(replace(gates.made("inconclusive"), findings=notes))
    shown, _, folded = text.partition("<details>")
    assert shown.count("\n- ") == 4
    assert "\n| items |" in shown.partition("Notes:")[0], "the verdict table comes first"
    assert "note 8" in folded
    assert "note 8" not in shown


@every_answer
def test_badge_shows_the_verdict(answer: str) -> None:
    text = verdict_badge(gates.made(answer)).decode()
    assert f"<title>nstar: {verdict_text(answer)}</title>" in text


@every_answer
def test_annotation_is_one_command(answer: str) -> None:
    text = annotation(gates.made(answer))
    assert text.startswith(
        f"::{LEVELS.get(answer, 'error')} title=nstar gate%3A {verdict_text(answer)}::"
    )
    assert nasty.check_annotation(text) == headline(answer)


def test_percent_signs_reach_the_reader() -> None:
    assert "90% CI" in nasty.check_annotation(annotation(gates.made("regression")))


@pytest.mark.parametrize("key", ["", "a b", "a--b", "-->", "x" * 61, "é"])
def test_a_marker_cannot_be_left(key: str) -> None:
    with pytest.raises(ParameterError, match="key must be"):
        marker(key)


def test_limits_of_github_are_kept() -> None:
    many = tuple(find("reader", f"{k} {'word ' * 140}") for k in range(1_800))
    found = replace(gates.made("pass"), findings=many)
    assert 0.8 * SUMMARY_LIMIT < len(summary(found).encode()) <= SUMMARY_LIMIT
    assert 0.8 * LIMIT < len(comment(found).encode()) <= LIMIT
    nasty.check_comment(comment(found))
    assert "</details>" in comment(found)
    assert len(summary(found, limit=0)) < 10_000
    assert len(annotation(gates.made("pass", names=("n" * 10**6, "o")))) < 20_000


def named(answer: str, said: str) -> Gate:
    return gates.made(answer, names=(said, f"{said}2"), task=said, metric=said)


@pytest.fixture(scope="module")
def marked() -> dict[str, Gate]:
    return {answer: named(answer, MARK) for answer in gates.ANSWERS}


def test_a_name_put_in_later_is_one_from_the_start(marked: dict[str, Gate]) -> None:
    said = nasty.NASTY["script"]
    assert with_name(marked, said) == {answer: named(answer, said) for answer in gates.ANSWERS}


@pytest.mark.sampled(3)
@every_string
def test_names_are_only_shown(said: str, marked: dict[str, Gate]) -> None:
    shown = name(said, limit=200)
    for gate in marked.values():
        found = replace(with_name(gate, said), findings=(find("reader", said),))
        suite = nasty.check_junit(junit(found))
        held = {p.attrib["name"]: p.attrib["value"] for p in suite.iter("property")}
        assert held["candidate"] == shown
        nasty.check_comment(summary(found))
        nasty.check_comment(comment(found))
        nasty.check_annotation(annotation(found))


@pytest.mark.parametrize(
    ("old", "new"),
    [("failure", "skipped"), ('tests="1"', 'tests="-1"'), ("regression", "BAD"), ("name", "id")],
)
def test_the_schema_refuses_what_it_should(old: str, new: str) -> None:
    good = junit(gates.made("regression"))
    with pytest.raises(XMLSchemaValidationError):
        nasty.check_junit(good.replace(old, new))


def test_nothing_is_rounded_onto_the_limit_that_it_keeps() -> None:
    passed = gates.made("pass")
    (check,) = passed.tasks
    ci = check.evidence.ci._replace(low=-0.04 + 0.0001)
    at_the_edge = replace(
        check, margin=0.04, evidence=replace(check.evidence, ci=ci, pvalue_not_worse=0.0498)
    )
    said = document(replace(passed, tasks=(at_the_edge,)))
    assert "CI −3.99 to" in said.headline
    assert "0.0498" in said.grids[0].rows[0]
