"""The page of votes: everything is in it without a script, and names stay names."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from helpers.battles import battles, renamed
from helpers.nasty import IN_MARKUP, check_markup
from nstar._verbs.battles import Battles
from nstar._verbs.battles.result import UnratedModel
from nstar.errors import ParameterError
from nstar.report import document
from nstar.report.page import page

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "nav", "a"),
    *("h1", "h2", "p", "ul", "li", "div", "section", "figure", "figcaption", "details"),
    *("summary", "table", "caption", "span", "thead", "tbody", "tr", "th", "td", "blockquote"),
    *("cite", "script", "svg", "desc", "g", "rect", "path", "text", "symbol", "use", "circle"),
    *("line", "b", "small", "dl", "dt", "dd", "pre", "code", "metadata"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "rel", "hidden"),
    *("role", "tabindex", "scope", "aria-label", "aria-labelledby", "xmlns", "viewbox", "width"),
    *("height", "x", "y", "rx", "d", "text-anchor", "transform", "data-k", "data-from"),
    *("data-to", "data-x1", "data-xm", "data-top", "data-step", "data-above", "data-apart"),
    *("data-as-run", "aria-hidden", "cx", "cy", "r", "stroke-width", "dx", "x1", "x2", "y1"),
    *("y2", "data-gap", "data-low", "data-high", "data-share", "data-ranks", "data-first"),
    *("data-rows", "data-names", "data-row", "data-label"),
}


def check_html(text: str) -> str:
    """A page of our own markup only; returns its text."""
    assert text.startswith("<!DOCTYPE html>\n")
    return check_markup(text.partition("\n")[2], tags=TAGS, attributes=ATTRIBUTES)


@cache
def made(**question: Any) -> Battles:
    return battles(12, 2000, groups=15, draws=999, **question)


def test_answer_ladder_ratings_matrix_and_words() -> None:
    result = made()
    text = check_html(shown := page(result))
    doc = document(result, paragraph=True)
    first, others = doc.spoken()
    for said in (first, others, *doc.notes, *doc.detail, *doc.assumptions, doc.paragraph or ""):
        assert " ".join(said.split()) in " ".join(text.split())
    assert all(tile.label in text and tile.more in text for tile in doc.tiles)
    keys = ("ladder", "matrix", "ranks", "ranking", "met", "readings")
    assert all(f'id="{key}"' in shown for key in keys)
    assert all(grid.title in text for grid in doc.grids[1:])
    assert shown.count("data-gap=") == len(result) - 1
    assert shown.count('<th scope="row" class="wrap">') == len(result)


def test_rules_and_clusters_stand_at_the_top() -> None:
    clustered = check_html(page(made(cluster=("prompt",), adjust="holm")))
    assert "Holm, prompts as clusters" in clustered
    assert "66 pairs · α = 0.05, 80% power, max-T" in check_html(page(made()))


def test_a_caution_stands_above_the_ladder() -> None:
    lost = UnratedModel(model="x", n_votes=3, reason="won all")
    shown = page(replace(made(), unrated=(lost,)))
    assert 0 < shown.index("x won every vote and has no rating") < shown.index('id="ladder"')


def test_a_result_from_a_file_has_no_matrix() -> None:
    shown = page(Battles.from_json(made().to_json()))
    assert 'id="ladder"' in shown
    assert 'id="met"' not in shown
    assert 'href="#met"' not in shown
    assert "Who met whom" not in check_html(shown).partition("Ratings")[0]


def test_a_model_asked_about_comes_first() -> None:
    asked = made().ratings.model[5]
    shown = page(made(), where=asked)
    assert f"{asked} is rated" in check_html(shown).partition("Rating (Elo)")[0]
    assert 'class="asked"' in shown
    with pytest.raises(ParameterError, match="No model 'nobody'"):
        page(made(), where="nobody")


def test_two_models_and_those_without_a_rating() -> None:
    assert "1 pair ·" in check_html(page(battles(2, 60)))
    assert "without a rating" not in check_html(page(made()))
    lost = replace(made(), unrated=(UnratedModel(model="x", n_votes=3, reason="won all"),))
    shown = check_html(page(lost))
    assert "1 without a rating" in shown
    assert "won all its votes: no upper limit" in shown


@pytest.fixture(scope="module")
def few() -> Battles:
    """Every part of a page, but not many rows of each."""
    return battles(3, 300, groups=15, draws=99)


@pytest.mark.parametrize("said", IN_MARKUP)
def test_names_stay_names(said: str, few: Battles) -> None:
    check_html(page(renamed(few, lambda own: f"{said}{own[-12:]}")))


def test_numbers_stand_right_and_names_of_rows_left() -> None:
    shown = page(made())
    start = shown.index("votes share")
    part = shown[start : shown.index("</table>", start)]
    assert '<th scope="row">independent votes</th>' in part
    assert '<th scope="col" class="num">could be best</th>' in part
