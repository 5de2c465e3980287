"""``nstar plan`` with several numbers of items, gaps or correlations."""

import csv
import io
import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import nstar
from helpers.commands import Command
from nstar._base.units import Count, CountList
from nstar.errors import InfeasibleError, ParameterError, QuestionError

COMMAND = Command("plan")
BASE = ("--baseline", "70%")
TWO_LISTS = (*BASE, "--delta", "1pp,2pp", "--rho", "0.3,0.5,0.6")


def test_the_list_of_the_issue() -> None:
    """It was read as fifty million items."""
    data = COMMAND.answer(*BASE, "--items", "50,100,200")
    assert [cell["n_items"] for cell in data["scenarios"]] == [50, 100, 200]
    said = COMMAND.text(*BASE, "--items", "50,100,200")
    assert "8.8 pp (200 items) to 17.2 pp (50 items)" in said


GRIDS: dict[str, dict[str, Any]] = {
    "items": {"baseline": 0.7, "items": [50, 400]},
    "items x rho": {"baseline": 0.7, "items": (50, 400), "rho": [0.2, 0.6]},
    "items x delta": {"baseline": 0.7, "items": [300, 900], "delta": [0.02, -0.05]},
    "delta x rho": {"baseline": 0.7, "delta": [0.02, 0.05], "rho": [0.2, 0.6]},
    "power": {"baseline": 0.7, "delta": [0.02, 0.05], "rho": [0.2, 0.6], "items": 900},
    "graded": {"sd": 30, "items": [100, 900], "rho": [0.2, 0.6]},
    "psi": {"psi": 0.2, "items": [100, 900], "delta": [0.05, 0.1]},
    "unpaired": {
        "baseline": 0.7,
        "items": [100, 900],
        "rho": "unpaired",
        "alternative": "greater",
    },
    "margin": {"psi": 0.2, "items": [100, 900], "margin": 0.05, "non_inferiority": True},
    "precision": {"psi": 0.2, "items": [100, 900], "half_width": 0.05},
    "clusters": {"baseline": 0.7, "items": [200, 900], "icc": 0.1, "cluster_size": 10},
}
VALUES = ("n_star", "mde", "mde_loss", "power", "half_width")


@pytest.mark.parametrize("case", GRIDS)
def test_each_cell_is_a_plan_of_its_own(case: str) -> None:
    words = GRIDS[case]
    plan: Any = nstar.plan_margin if case == "margin" else nstar.plan
    found: Any = plan(**words)
    assert isinstance(found, nstar.PlanGrid)
    lists = {
        k: words[k] for k in ("items", "delta", "rho") if isinstance(words.get(k), list | tuple)
    }
    every = [dict(zip(lists, one, strict=True)) for one in product(*lists.values())]
    assert len(every) == len(found.scenarios)
    for one, cell in zip(every, found.scenarios, strict=True):
        alone: Any = plan(**words | one)
        assert [getattr(cell, v) for v in VALUES] == [getattr(alone, v) for v in VALUES]
        known = {"items": cell.n_items, "delta": cell.delta, "rho": cell.rho}
        assert known | one == known
        assert found.solved_for == alone.solved_for
    assert type(found).from_json(found.to_json()) == found


def test_text_and_formats() -> None:
    said = COMMAND.run(*TWO_LISTS).stdout
    assert re.search(r"gap +rho 0\.3 +rho 0\.5 +rho 0\.6\n +1 pp +22,857 +16,329", said)
    assert "| gap | rho 0.3 |" in COMMAND.run(*TWO_LISTS, "--format", "markdown").stdout
    assert r"\begin{tabular}" in COMMAND.run(*TWO_LISTS, "--format", "latex").stdout
    sheet = csv.DictReader(io.StringIO(COMMAND.run(*TWO_LISTS, "--format", "csv").stdout))
    cells = json.loads(COMMAND.run(*TWO_LISTS, "--format", "json").stdout)["scenarios"]
    assert [float(row["n_star"]) for row in sheet] == [cell["n_star"] for cell in cells]


def test_page(tmp_path: Path) -> None:
    html = tmp_path / "plan.html"
    result = COMMAND.run(*TWO_LISTS, "--html", str(html))
    assert result.exit_code == 0, result.output
    assert "22,857" in html.read_text("utf-8")
    result = COMMAND.run(*TWO_LISTS, "--figure", str(tmp_path / "plan.svg"))
    assert result.exit_code == 3
    assert "No figure is available for PlanGrid." in result.stderr


def test_gains_and_losses_are_two_tables() -> None:
    said = COMMAND.text(*BASE, "--items", "50,100,200", "--rho", "0.3,0.7")
    assert "Detectable gain, by number of items" in said
    assert "Detectable loss, by number of items" in said


def test_impossible_cells() -> None:
    found: Any = nstar.plan(baseline=0.8, delta=[0.02, 0.1], rho=[0.5, 0.8])
    assert [cell.is_infeasible for cell in found.scenarios] == [False, False, False, True]
    assert found.scenarios[-1].n_star is None
    assert "1 of the 4 cells is empty" in found.render()
    with pytest.raises(InfeasibleError):
        nstar.plan(baseline=0.8, delta=[0.1, 0.15], rho=[0.8, 0.9])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "--items 5,10,20 --delta 1pp,2pp --rho 0.3,0.4",
            "to a single value",
        ),
        (
            "--items 50,100",
            "could be 50100 or two numbers. Use 50100 for one number, or '50, 100' for two",
        ),
        ("--items 1,000,2,000", "A comma separates numbers: 1000,2000"),
        ("--items 5,10,x", "'x' is not a valid number of items"),
    ],
)
def test_refusals(words: str, message: str) -> None:
    result = COMMAND.run(*BASE, *words.split())
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_too_many_cells() -> None:
    with pytest.raises(QuestionError, match="at most 400 cells; these lists make 401"):
        nstar.plan(baseline=0.7, items=range(2, 403))
    with pytest.raises(ParameterError, match=r"whole number of at least 2; got 10\.5"):
        nstar.plan(baseline=0.7, items=[10, 10.5])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1000", 1000),
        ("1,000", 1000),
        ("50,000", 50_000),
        ("50,048", 50_048),
        ("1,500", 1500),
        ("1,234,567", 1_234_567),
        ("50,100,200", (50, 100, 200)),
        ("50, 100", (50, 100)),
        ("1000,2000", (1000, 2000)),
        ("1k,2k", (1000, 2000)),
        ("200,50", (200, 50)),
    ],
)
def test_lists_of_counts(text: str, value: object) -> None:
    assert CountList(Count()).parse(text) == value


def test_one_number_in_a_list_is_that_number() -> None:
    assert isinstance(nstar.plan(baseline=0.7, items=[500, 500]), nstar.Plan)
    assert nstar.plan(baseline=0.7, items=[500]) == nstar.plan(baseline=0.7, items=500)
