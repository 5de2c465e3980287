"""Pages without a script: plans and simulations."""

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.commands import Command
from nstar.errors import ParameterError
from nstar.report.page import page
from nstar.report.prose.page_top import MAX_TITLE, with_top


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
    assert shown.count("<figure") == 1


def test_a_page_has_no_place_for_a_model() -> None:
    with pytest.raises(ParameterError, match="a Plan has no ranks"):
        page(result("plan"), where="me")
    with pytest.raises(ParameterError, match="A page needs a result of nstar; got str"):
        page("a plan")  # type: ignore[arg-type]


def test_from_the_command_line(tmp_path: Path) -> None:
    target = tmp_path / "plan.html"
    asked = ("--baseline", "70%", "--delta", "2pp", "--html", str(target))
    assert Command("plan").run(*asked).exit_code == 0
    assert "<title>Detecting a 2 pp gap takes" in target.read_text(encoding="utf-8")


def test_no_heading_stands_over_nothing() -> None:
    shown = page(nstar.selfcheck())
    assert 'id="assumptions"' not in shown


def test_the_only_picture_has_the_first_table_beside_it() -> None:
    one = page(nstar.plan(baseline=0.7, delta=0.01))
    sides = one[one.index('<div class="sides top">') : one.index("</main>")]
    assert one.count("<figure") == 1
    assert sides.index("<svg") < sides.index("By item correlation") < sides.index("Assumptions")


def test_a_short_table_has_the_assumptions_below_it() -> None:
    rng = np.random.default_rng(2)
    scores = (rng.random((3, 300)) < 0.6).astype(float)
    shown = page(nstar.shrink(nstar.ScoreMatrix.from_arrays(scores, models=[*"abc"]), items=100))
    sides = shown[shown.index('<div class="sides top">') :]
    assert sides.index('id="assumptions"') < sides.index('<div class="folds">')
    assert shown.count('id="assumptions"') == 1


def test_tables_that_do_not_stand_beside_the_picture_are_folded() -> None:
    made = nstar.runs([[1, 0, 1]] * 6 + [[0, 0, 1]] * 6, [[0, 1, 0]] * 12)
    folds = page(made).partition('<div class="folds">')[2]
    for grid in nstar.report.document(made).grids[1:]:
        assert f"<summary>{escape(grid.title)} " in folds


def test_a_column_of_a_narrow_window_is_no_wider_than_it() -> None:
    """Else a wide table pushes the picture above it out of the window."""
    shown = page(result("runs"))
    assert ".sides { display: grid; grid-template-columns: minmax(0, 1fr);" in shown


def test_a_page_speaks_as_the_command_that_wrote_it(tmp_path: Path) -> None:
    """``save("subset.csv")`` is nothing to type in a shell."""
    csv, shown = tmp_path / "board.csv", tmp_path / "page.html"
    scored = ((m, k, (k * k + 3 * j * k) % 7 > j) for j, m in enumerate("abcd") for k in range(90))
    rows = [f"{m},{k},{right:d}" for m, k, right in scored]
    csv.write_text("\n".join(["model,item,score", *rows]) + "\n", encoding="utf-8")
    asked = (str(csv), "--items", "40", "--html", str(shown))
    assert Command("shrink").run(*asked).exit_code == 0
    text = shown.read_text(encoding="utf-8")
    assert "--out subset.csv saves the" in text
    assert "save(" not in text
    assert "save(" in page(nstar.shrink(csv, items=40))


CLAIMS = (
    (nstar.claim(0.714, 0.706, items=1000), "Depends: +0.8 pp is significant only if rho is at"),
    (nstar.claim(0.8, 0.7, items=1000), "Supported: +10 pp on 1,000 items is significant"),
    (nstar.claim_unpaired(0.714, 0.706, items=1000), "Not supported: +0.8 pp is not significant"),
)


@pytest.mark.parametrize(("claim", "start"), CLAIMS)
def test_the_title_of_a_claim_is_its_verdict(claim: nstar.Result, start: str) -> None:
    text = page(claim)
    title, lead = (re.search(rf'id="{x}">(.*?)</', text, re.S) for x in ("headline", "lead"))
    assert title is not None
    assert lead is not None
    assert title[1].startswith(start)
    assert "is detected with 80% power." in lead[1]


def test_a_claim_shows_its_p_value_by_item_correlation() -> None:
    shown = page(CLAIMS[0][0])
    assert shown.count("<figure") == 1
    assert "p-value by item correlation" in shown
    assert "<figure" not in page(nstar.claim(1.0, 0.97, items=100))


PLANS = (
    nstar.plan(baseline=0.7, delta=0.01),
    nstar.plan(baseline=0.7, items=1000),
    nstar.plan(baseline=0.7, items=1000, delta=0.02),
    nstar.plan(baseline=0.7, items=[500, 1000], delta=[0.02, 0.05]),
    nstar.plan(sd=0.12, rho=0.5, delta=0.01),
    nstar.plan_margin(margin=0.02, psi=0.15),
    nstar.plan_board(models=10, baseline=0.7, delta=0.02),
    nstar.plan_board(models=10, baseline=0.7, delta=0.02, goal="best"),
    nstar.plan_votes(elo=20, ties=0.4, models=6),
    nstar.plan_looks(baseline=0.7, delta=0.03),
    nstar.plan_single(threshold=0.7, delta=0.03),
    nstar.plan_single(half_width=0.05),
)


@pytest.mark.parametrize("plan", PLANS)
def test_the_title_of_a_plan_is_short_and_its_tiles_are_numbers(plan: nstar.Result) -> None:
    doc = with_top(type(plan).__name__, plan, nstar.report.document(plan))
    assert len(doc.title) <= MAX_TITLE
    assert 2 <= len(doc.tiles) <= 3
    assert all(re.match(r"[+−±]?\d", tile.number) for tile in doc.tiles)
    assert doc.title not in doc.lead
