"""The fixture ``nstar_gate`` in a pytest of its own."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import nstar
from helpers import gates
from nstar.report.prose.gate.task import verdict_text

PLUGIN = "nstar.integrations.pytest_plugin"
OPTIONS = ("-p", "no:cacheprovider", "-rA", "--color=no", "--junit-xml=report.xml", "-W", "error")

TESTS = """
import numpy as np

import pytest


def test_pass(nstar_gate):
    gate = nstar_gate("pass.csv::new", "pass.csv::old", margin=0.02)
    assert gate.verdict == "pass"


def test_regression(nstar_gate):
    nstar_gate("regression.csv::new", "regression.csv::old", margin=0.02)


def test_inconclusive(nstar_gate):
    nstar_gate("inconclusive.csv::new", "inconclusive.csv::old", margin=0.02)


def test_skipped(nstar_gate):
    nstar_gate("inconclusive.csv::new", "inconclusive.csv::old", margin=0.02, inconclusive="skip")


def test_arrays(nstar_gate):
    same = np.arange(2000) % 2
    nstar_gate(same, same, margin=0.02)


def test_no_common_item(nstar_gate):
    nstar_gate([1.0, float("nan")], [float("nan"), 1.0], margin=0.02)


def test_unreadable(nstar_gate):
    nstar_gate("absent.csv", "pass.csv::old", margin=0.02)


def test_lost_task(nstar_gate):
    nstar_gate("two.csv::new", "two.csv::old", margin=0.02)


def test_lost_task_allowed(nstar_gate):
    nstar_gate("two.csv::new", "two.csv::old", margin=0.02, allow=["task-left-out"])
    nstar_gate("two.csv::new", "two.csv::old", margin=0.02, tasks=["one"])


def test_guarded_task(nstar_gate):
    options = {"tasks": ["a"], "guardrails": {"b": 0.05}, "margin": 0.02}
    gate = nstar_gate("three.csv::new", "three.csv::old", **options)
    assert [check.task for check in gate.tasks] == ["a", "b"]


def test_siblings(nstar_gate):
    same = np.arange(2000) % 2
    assert nstar_gate.looks(same, same, margin=0.02, items=2000).monitoring == "sequential"
    runs = np.repeat(same[:, None], 3, axis=1)
    assert nstar_gate.runs(runs, runs, margin=0.02, at_least="2/3").passed


def test_wrong_usage(nstar_gate):
    with pytest.raises(ValueError, match="margin"):
        nstar_gate([1.0], [1.0])
    with pytest.raises(ValueError, match="in the same form"):
        nstar_gate("pass.csv", [1.0], margin=0.02)
    with pytest.raises(ValueError, match="got '1pp'. Use 0.01"):
        nstar_gate("pass.csv::new", "pass.csv::old", margin="1pp")
    with pytest.raises(ValueError, match="'fail' or 'skip'"):
        nstar_gate("pass.csv::new", "pass.csv::old", margin=0.02, inconclusive="ignore")
"""


def _installed() -> bool:
    return any(point.value == PLUGIN for point in entry_points(group="pytest11"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, ET.Element]]:
    """What pytest printed, and the test cases of its report by name."""
    folder = tmp_path_factory.mktemp("project")
    for answer in gates.TABLES:
        (folder / f"{answer.lower()}.csv").write_text(gates.scores_csv(answer), "utf-8")
    rows = gates.scores_csv("pass").splitlines()[1:]
    lost = "new,i0,1,two"
    two = ["model,item,score,task", *(f"{row},one" for row in rows), lost]
    (folder / "two.csv").write_text("\n".join(two), "utf-8")
    three = ["model,item,score,task", *(f"{row},{task}" for task in "abc" for row in rows)]
    (folder / "three.csv").write_text("\n".join(three), "utf-8")
    (folder / "test_models.py").write_text(TESTS, "utf-8")
    plugin = [] if _installed() else ["-p", PLUGIN]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "pytest", *plugin, *OPTIONS],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(nstar.__file__).parents[1])},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    root = ET.parse(folder / "report.xml").getroot()  # noqa: S314
    return done.stdout, {case.attrib["name"]: case for case in root.iter("testcase")}


def _answer(case: ET.Element) -> str | None:
    return next((p.attrib["value"] for p in case.iter("property")), None)


PASSING = (
    "test_pass",
    "test_arrays",
    "test_lost_task_allowed",
    "test_guarded_task",
    "test_siblings",
    "test_wrong_usage",
)


@pytest.mark.parametrize("name", PASSING)
def test_what_is_in_order_passes(run: tuple[str, dict[str, ET.Element]], name: str) -> None:
    case = run[1][name]
    assert case.find("failure") is case.find("error") is case.find("skipped") is None


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("test_regression", "regression"),
        ("test_inconclusive", "inconclusive"),
        ("test_no_common_item", "invalid_data"),
    ],
)
def test_what_is_not_shown_fails_with_the_report(
    run: tuple[str, dict[str, ET.Element]], name: str, answer: str
) -> None:
    case = run[1][name]
    assert _answer(case) == answer
    failure = case.find("failure")
    assert failure is not None
    assert f"nstar gate\n\n{verdict_text(answer)}: " in (failure.text or "")
    assert "Traceback" not in (failure.text or "")


@pytest.mark.parametrize(
    ("name", "why"), [("test_unreadable", "absent.csv"), ("test_lost_task", "is excluded: two")]
)
def test_logs_that_cannot_be_judged_are_reported_in_one_line(
    run: tuple[str, dict[str, ET.Element]], name: str, why: str
) -> None:
    failure = run[1][name].find("failure")
    assert failure is not None
    assert "INVALID DATA" in (failure.text or "")
    assert why in (failure.text or "")


def test_inconclusive_can_be_skipped(run: tuple[str, dict[str, ET.Element]]) -> None:
    assert run[1]["test_skipped"].find("skipped") is not None


def test_the_report_of_a_pass_can_be_asked_for(run: tuple[str, dict[str, ET.Element]]) -> None:
    assert "nstar gate" in run[0]
    assert _answer(run[1]["test_pass"]) == "pass"


def test_the_plugin_is_light() -> None:
    code = f"import sys, {PLUGIN}; print([m for m in ('numpy', 'click') if m in sys.modules])"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
