"""The page of votes in a real browser: sorted, searched, on a telephone and in the dark."""

from collections.abc import Callable
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers.axe import violations
from helpers.battles import battles, renamed
from helpers.nasty import NASTY
from nstar._verbs.battles import Battles
from nstar.report.page import page as page_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

Opened = Callable[..., "Page"]


@cache
def made(models: int = 16) -> Battles:
    return battles(models, 160 * models, groups=20)


@cache
def nasty() -> Battles:
    names = cycle(NASTY.values())
    return renamed(battles(30, 3000), lambda own: f"{next(names)}{own[-14:]}")


@pytest.fixture
def opened(page: "Page", tmp_path: Path) -> Opened:
    """Open the page of a result and wait until it is alive."""

    def open_(result: Battles, **options: Any) -> "Page":
        path = tmp_path / "votes.html"
        path.write_text(page_of(result, **options), encoding="utf-8")
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        return page

    return open_


def column(tab: "Page", k: int) -> list[str]:
    code = """(k) => [...document.querySelectorAll("#ranking tbody tr")]
      .map((row) => row.cells[k].textContent)"""
    return list(tab.evaluate(code, k))


def test_ratings_are_sorted_by_any_column(opened: Opened) -> None:
    result = made()
    r, tab = result.ratings, opened(made())
    heads = tab.locator("#ranking thead th")
    names = heads.all_text_contents()
    assert column(tab, 1) == list(r.model)
    assert heads.nth(0).get_attribute("aria-sort") == "ascending"
    votes = names.index("Votes")
    heads.nth(votes).locator("button").click()
    assert column(tab, votes) == [f"{k:,}" for k in sorted(r.n_votes.tolist(), reverse=True)]
    assert heads.nth(votes).get_attribute("aria-sort") == "descending"
    assert heads.nth(0).get_attribute("aria-sort") == "none"
    assert tab.locator("#ranking .resorted").count() == 1
    heads.nth(votes).locator("button").click()
    assert column(tab, votes) == [f"{k:,}" for k in sorted(r.n_votes.tolist())]
    heads.nth(1).locator("button").click()
    assert sorted(column(tab, 1)) == sorted(r.model)
    heads.nth(names.index("Gap to next")).locator("button").click()
    assert column(tab, names.index("Gap to next"))[-1] == "", "the last has no next"
    verdict = names.index("Verdict")
    heads.nth(verdict).locator("button").click()
    kinds = column(tab, verdict)[:-1]
    order = ("significant", "underpowered", "inconclusive")
    assert kinds == sorted(kinds, key=order.index)
    heads.nth(0).locator("button").click()
    assert column(tab, 1) == list(r.model)
    lines = sum(r.tier[i] != r.tier[i - 1] for i in range(1, len(r)))
    assert tab.locator("#ranking table:not(.resorted) tr.line").count() == lines


def test_ratings_are_searched_by_name_and_verdict(opened: Opened) -> None:
    tab, result = opened(made()), made()
    tab.get_by_label("Find a model").fill("LABORATORY-3")
    wanted = [name for name in result.ratings.model if "laboratory-3" in name]
    assert column(tab, 1) == wanted
    assert f"{len(wanted)} of 16 models" in tab.locator("#ranking .filters").inner_text()
    tab.get_by_label("Find a model").fill("")
    tab.get_by_label("Verdict").select_option(label="inconclusive")
    assert len(column(tab, 1)) == result.n_inconclusive
    tab.get_by_label("Verdict").select_option(label="all")
    assert len(column(tab, 1)) == 16


def test_a_long_table_shows_more_on_demand(opened: Opened) -> None:
    assert opened(made()).locator("#more-models").is_hidden()
    tab = opened(battles(130, 13_000))
    assert len(column(tab, 1)) == 100
    tab.locator("#more-models").click()
    assert len(column(tab, 1)) == 130
    assert tab.locator("#more-models").is_hidden()


@pytest.mark.parametrize(("width", "wide"), [(1280, True), (390, False)])
def test_each_window_has_its_picture(opened: Opened, page: "Page", width: int, wide: bool) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    tab = opened(made())
    for picture, broad, slim in (
        ("ladder", ".ladder", ".narrow"),
        ("matrix", ".wide", ".narrow"),
    ):
        assert tab.locator(f"#{picture} {broad}").is_visible() == wide
        assert tab.locator(f"#{picture} {slim}").is_visible() != wide
        charts = tab.locator(f"#{picture} {broad if wide else slim} svg:not(.o)")
        for k in range(charts.count()):
            box = charts.nth(k).bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width


def test_names_are_text_and_nothing_else(opened: Opened) -> None:
    result = nasty()
    tab = opened(result, where=result.ratings.model[3])
    assert tab.locator("img, iframe, object, embed, script:not(:last-of-type)").count() == 0
    assert tab.locator("script").count() == 1
    tab.get_by_label("Find a model").fill("<img src=x onerror")
    found = [k for k, name in enumerate(result.ratings.model) if "<img src=x onerror" in name]
    assert len(column(tab, 1)) == len(found) > 0
    for k in range(tab.locator("#ranking thead button").count()):
        tab.locator("#ranking thead button").nth(k).click()
    assert tab.locator("img").count() == 0


def test_the_page_never_scrolls_sideways(opened: Opened, page: "Page") -> None:
    for result in (made(), made(40), nasty()):
        page.set_viewport_size({"width": 320, "height": 800})
        tab = opened(result)
        tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        for width in (320, 390, 768, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("width", "schemes"),
    [
        pytest.param(1280, ("light", "dark"), marks=pytest.mark.slow),
        (390, ("dark", "light")),
    ],
)
def test_axe_finds_nothing_grave(
    opened: Opened, page: "Page", axe: str, width: int, schemes: tuple[Any, ...]
) -> None:
    """Opened in the first scheme and looked at in both."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=schemes[0], reduced_motion="reduce")
    tab = opened(made(), where=made().ratings.model[5])
    tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        broken = violations(tab, axe, colors_only=scheme != schemes[0])
        assert [
            f"{v['id']}: {v['nodes'][0]['html'][:120]}"
            for v in broken
            if v["impact"] in {"serious", "critical", "moderate"}
        ] == [], scheme
