"""The documentation site in a browser: nothing from elsewhere, nothing wider than the screen.

NSTAR_DOCS_SITE names the folder of a built site.
"""

import os
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Literal

import pytest

from helpers.axe import violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, ViewportSize

SITE = os.environ.get("NSTAR_DOCS_SITE", "")
pytestmark = pytest.mark.skipif(not SITE, reason="NSTAR_DOCS_SITE names no built site")

PAGES = (
    sorted(p.parent.relative_to(SITE).as_posix() for p in Path(SITE).rglob("index.html"))
    if SITE
    else []
)
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
TABLES_IN_BOXES = """
[...document.querySelectorAll(".md-content table:not([class])")]
  .every((table) => table.closest(".md-typeset__scrollwrap"))
"""


PUT_TABLES_IN_BOXES = """
document.documentElement.className = "js";
for (const table of document.querySelectorAll(".md-content table:not([class])")) {
  const [outer, inner] = ["scrollwrap", "table"].map((name) => {
    const box = document.createElement("div");
    box.className = `md-typeset__${name}`;
    return box;
  });
  table.replaceWith(outer);
  outer.append(inner);
  inner.append(table);
}
"""
ALIVE = (".", "peers", "figures", "methods/two-models", "reference/cli")
"""A figure, the widest tables, all figures, most formulas, the longest lines."""
SCHEMES: "tuple[Literal['light', 'dark'], ...]" = ("light", "dark")
PHONE: "ViewportSize" = {"width": 390, "height": 800}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> "Iterator[str]":
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=SITE))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_pages_fit_a_phone(page: "Page", origins: set[str], address: str) -> None:
    """As they are opened: one page of each kind, with what is widest among them."""
    origins.add(address)
    page.set_viewport_size(PHONE)
    wide = {}
    for name in ALIVE:
        page.goto(f"{address}/{name}/", wait_until="domcontentloaded")
        page.wait_for_function(TABLES_IN_BOXES)
        if (by := page.evaluate(WIDE)) > 0:
            wide[name] = by
    assert not wide


@pytest.mark.slow
def test_what_pages_hold_fits_a_phone(browser: "Browser", address: str) -> None:
    """All of them, without the scripts of the theme: what they change is changed here."""
    alike = [name for name in PAGES if name.startswith("reference/api/")]
    wide = {}
    with closing(browser.new_context(java_script_enabled=False, viewport=PHONE)) as context:
        still = context.new_page()
        for name in [n for n in PAGES if n not in alike[2:]]:
            still.goto(f"{address}/{name}/", wait_until="commit")
            still.wait_for_selector("footer", state="attached")
            still.evaluate(PUT_TABLES_IN_BOXES)
            if (by := still.evaluate(WIDE)) > 0:
                wide[name] = by
    assert not wide


def test_search_finds(page: "Page", origins: set[str], address: str) -> None:
    origins.add(address)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{address}/")
    page.click("input.md-search__input")
    page.keyboard.type("non-inferiority")
    page.wait_for_selector(".md-search-result__item a")


def test_nothing_keeps_people_out(page: "Page", origins: set[str], address: str, axe: str) -> None:
    origins.add(address)
    grave = {}
    for name in ("", "tutorials/researcher/", "reference/functions/"):
        for scheme in SCHEMES if name == "" else SCHEMES[:1]:  # one theme colors every page
            page.emulate_media(color_scheme=scheme)
            page.goto(f"{address}/{name}")
            for v in violations(page, axe, colors_only=scheme == "dark"):
                if v["impact"] in ("serious", "critical"):
                    grave[name, scheme, v["id"]] = [node["html"] for node in v["nodes"]]
    assert not grave


def test_charts_follow_the_palette(page: "Page", origins: set[str], address: str) -> None:
    origins.add(address)
    page.goto(f"{address}/")
    style = "getComputedStyle(document.querySelector('figure.drawn svg'))"
    paper = f"{style}.getPropertyValue('--nf-paper')"
    light = page.evaluate(paper)
    page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")
    assert page.evaluate(paper) != light


def test_the_first_page_links_to_a_live_report(
    page: "Page", origins: set[str], address: str
) -> None:
    origins.add(address)
    page.goto(f"{address}/")
    page.get_by_role("link", name="Open a live report").click()
    page.locator("#tiles").wait_for()
    assert page.url == f"{address}/example/board.html"
    assert page.locator("#ranks svg").count() > 0


def test_the_first_page_has_a_picture_without_scripts(browser: "Browser", address: str) -> None:
    with closing(browser.new_context(java_script_enabled=False)) as context:
        still = context.new_page()
        still.goto(f"{address}/")
        assert still.locator("figure.drawn svg").first.is_visible()
