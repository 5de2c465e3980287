"""Pages without a script: plans and simulations."""

import re
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
    return nstar.simulate("beta", items=[50, 100], tests=["t"], reps=200)


@pytest.mark.parametrize("kind", ["plan", "runs", "simulation"])
def test_answer_pictures_and_tables(kind: str) -> None:
    made = result(kind)
    shown = page(made)
    said = nstar.report.document(made)
    assert shown.startswith("<!DOCTYPE html>")
    assert "<script" not in shown
    assert shown.count("<table>") >= len(said.grids)
    assert shown.count("<figure") == {"plan": 2, "runs": 1, "simulation": 1}[kind]


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
    assert 'id="assumptions"' not in shown
    assert 'href="#tables"' in shown


def test_the_only_picture_has_narrow_tables_beside_it() -> None:
    one = page(nstar.plan(baseline=0.7, delta=0.01))
    twin = one[one.index('<div class="twin">') :]
    assert one.count("<figure") == 1
    assert twin.index("<svg") < twin.index('id="tables"') < twin.index("\n</div>\n<section")
    two = page(result("plan"))
    assert two.index("\n</div>\n<section") < two.index('id="tables"')


def test_only_tables_that_fit_stand_beside_the_picture() -> None:
    shown = page(nstar.runs([[1, 0, 1]] * 6 + [[0, 0, 1]] * 6, [[0, 1, 0]] * 12))
    twin = shown[shown.index('<div class="twin">') :]
    assert twin.index("of its square") < twin.index('\n</div>\n<section id="more"')
    assert twin.index('id="more"') < twin.index("mean score")


def test_a_column_of_a_narrow_window_is_no_wider_than_it() -> None:
    """Else a wide table pushes the picture above it out of the window."""
    shown = page(result("runs"))
    assert ".twin { display: grid; grid-template-columns: minmax(0, 1fr);" in shown


def test_a_page_speaks_as_the_command_that_wrote_it(tmp_path: Path) -> None:
    """``save("subset.csv")`` is nothing to type in a shell."""
    csv, shown = tmp_path / "board.csv", tmp_path / "page.html"
    scored = ((m, k, (k * k + 3 * j * k) % 7 > j) for j, m in enumerate("abcd") for k in range(90))
    rows = [f"{m},{k},{right:d}" for m, k, right in scored]
    csv.write_text("\n".join(["model,item,score", *rows]) + "\n", encoding="utf-8")
    asked = (str(csv), "--items", "40", "--html", str(shown))
    assert Command("shrink").run(*asked).exit_code == 0
    text = shown.read_text(encoding="utf-8")
    assert "--out subset.csv writes the list" in text
    assert "save(" not in text
    assert "save(" in page(nstar.shrink(csv, items=40))


CLAIMS = (
    nstar.claim(0.714, 0.706, items=1000),
    nstar.claim_unpaired(0.714, 0.706, items=1000),
)


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_title_of_a_claim_is_its_first_sentence(claim: nstar.Result) -> None:
    text = page(claim)
    title = re.search(r'<h1 id="headline">(.*?)</h1>', text, re.S)
    lead = re.search(r'<p class="lead" id="lead">(.*?)</p>', text, re.S)
    assert title is not None
    assert lead is not None
    assert re.match(r"(Depends|Not supported): \+0.8 pp ", title[1])
    assert "is detected with 80% power." in lead[1]
