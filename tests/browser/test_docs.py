"""The documentation site in a browser: nothing from elsewhere, nothing wider than the screen.

NSTAR_DOCS_SITE names the folder of a built site.
"""

import os
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Literal

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

SITE = os.environ.get("NSTAR_DOCS_SITE", "")
pytestmark = pytest.mark.skipif(not SITE, reason="NSTAR_DOCS_SITE names no built site")

PAGES = (
    [p.parent.relative_to(SITE).as_posix() for p in Path(SITE).rglob("index.html")] if SITE else []
)
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
TABLES_IN_BOXES = """
[...document.querySelectorAll(".md-content table:not([class])")]
  .every((table) => table.closest(".md-typeset__scrollwrap"))
"""


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
    origins.add(address)
    page.set_viewport_size({"width": 390, "height": 800})
    wide = {}
    alike = [name for name in PAGES if name.startswith("reference/api/")]
    for name in [n for n in PAGES if n not in alike[2:]]:
        page.goto(f"{address}/{name}/", wait_until="domcontentloaded")
        page.wait_for_function(TABLES_IN_BOXES)
        if (by := page.evaluate(WIDE)) > 0:
            wide[name] = by
    assert not wide


def test_search_finds(page: "Page", origins: set[str], address: str) -> None:
    origins.add(address)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{address}/")
    page.click("input.md-search__input")
    page.keyboard.type("non-inferiority")
    page.wait_for_selector(".md-search-result__item a")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_out(
    page: "Page", origins: set[str], address: str, axe: str, scheme: Literal["light", "dark"]
) -> None:
    origins.add(address)
    page.emulate_media(color_scheme=scheme)
    found = {}
    for name in ("", "tutorials/researcher/", "reference/cli/", "reference/api/planning/"):
        page.goto(f"{address}/{name}")
        page.evaluate(axe)
        seen = page.evaluate("axe.run().then((result) => result.violations)")
        grave = [v for v in seen if v["impact"] in ("serious", "critical")]
        found[name] = [(v["id"], n["html"]) for v in grave for n in v["nodes"]]
    assert not any(found.values()), found


def test_charts_follow_the_palette(page: "Page", origins: set[str], address: str) -> None:
    origins.add(address)
    page.goto(f"{address}/")
    style = "getComputedStyle(document.querySelector('figure.drawn svg'))"
    paper = f"{style}.getPropertyValue('--nf-paper')"
    light = page.evaluate(paper)
    page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")
    assert page.evaluate(paper) != light


def test_the_first_page_holds_a_report_that_works(
    page: "Page", origins: set[str], address: str
) -> None:
    origins.add(address)
    page.goto(f"{address}/")
    assert "no difference" in page.inner_text(".claim")
    page.locator("iframe.live").scroll_into_view_if_needed()
    frame = page.frame_locator("iframe.live")
    frame.locator("h1").wait_for()
    assert frame.locator("svg").count() > 0
    inside = page.frames[1]
    assert inside.url.startswith(address)


def test_the_first_page_has_a_picture_without_scripts(browser: "Browser", address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(f"{address}/")
    assert still.locator('noscript img[src="example/board.svg"]').is_visible()
    context.close()
