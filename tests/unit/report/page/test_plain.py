"""Pages without a script: plans, simulations, validations."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import nstar
from helpers.commands import Command
from nstar.errors import ParameterError
from nstar.report.page import page


@cache
def result(kind: str) -> Any:
    if kind == "plan":
        return nstar.plan(nstar.PairedRho(baseline=0.7, rho=0.4), items=1000)
    if kind == "runs":
        return nstar.runs([[1, 0, 1], [1, 1, 1], [0, 0, 1]], [[0, 0], [1, 0], [0, 0]])
    if kind == "simulation":
        return nstar.simulate("beta", items=[50, 100], tests=["t"], reps=200)
    return nstar.validate(claims=("mcnemar-level",))


@pytest.mark.parametrize("kind", ["plan", "runs", "simulation", "validation"])
def test_answer_pictures_and_tables(kind: str) -> None:
    made = result(kind)
    shown = page(made)
    said = nstar.report.document(made)
    assert shown.startswith("<!DOCTYPE html>")
    assert "<script" not in shown
    assert shown.count("<table>") >= len(said.grids)
    assert shown.count("<svg") == {"plan": 2, "runs": 1, "simulation": 1, "validation": 0}[kind]


def test_a_page_has_no_place_for_a_model() -> None:
    with pytest.raises(ParameterError, match="a Plan has none"):
        page(result("plan"), where="me")
    with pytest.raises(ParameterError, match="a result of nstar; got str"):
        page("a plan")  # type: ignore[arg-type]


def test_from_the_command_line(tmp_path: Path) -> None:
    target = tmp_path / "plan.html"
    asked = ("--baseline", "70%", "--delta", "2pp", "--html", str(target))
    assert Command("plan").run(*asked).exit_code == 0
    assert "What this evaluation can detect" in target.read_text(encoding="utf-8")


def test_no_heading_stands_over_nothing() -> None:
    shown = page(nstar.selfcheck())
    assert "What this rests on" not in shown
    assert 'href="#tables"' in shown
