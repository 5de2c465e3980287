"""A browser that reaches no network; a page that complains of anything fails its test."""

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

import pytest

from nstar.report.page._shell import shell

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

_LOCAL = ("file", "data", "blob", "about")

_CONFESS = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy violated: ${event.violatedDirective} by ${event.blockedURI}`);
});
"""

_DRAW_ALL = """
{
  const whole = new CSSStyleSheet();
  whole.replaceSync("section { content-visibility: visible !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, whole];
}
"""
"""What lies far below is drawn when somebody scrolls there; before, it has no text."""


def _without(what: str) -> NoReturn:
    """No browser here, or not all that goes with it: skip, or fail where it was promised."""
    if os.environ.get("NSTAR_BROWSER") == "1":
        pytest.fail(f"NSTAR_BROWSER=1, but {what}", pytrace=False)
    pytest.skip(what)


def _chromium() -> str:
    """The program: that of NSTAR_CHROMIUM, or one of the usual names, the lightest first."""
    named = os.environ.get("NSTAR_CHROMIUM")
    found = [named] if named else list(_NAMES)
    path = next((p for p in map(shutil.which, found) if p), None)
    return path or _without(f"there is no {' or '.join(found)}")


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """One Chromium for all tests."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415
    except ImportError:
        _without("playwright is not installed")
    path = _chromium()
    with sync_playwright() as tool:
        chromium = tool.chromium.launch(executable_path=path, args=list(_FLAGS), headless=True)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which finds what stands in someone's way: ``axe.run()``."""
    try:
        import axe_playwright_python  # noqa: PLC0415
    except ImportError:
        _without("axe-playwright-python is not installed")
    path = Path(str(axe_playwright_python.__file__)).parent / "axe.min.js"
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def notebooks() -> None:
    """What runs a notebook and makes a page of it."""
    for name in ("nbformat", "nbconvert", "ipykernel"):
        if find_spec(name) is None:
            _without(f"{name} is not installed")


@pytest.fixture
def origins() -> set[str]:
    """Servers that a page may reach; a test adds its own, such as ``http://127.0.0.1:8000``."""
    return set()


@pytest.fixture
def troubles() -> list[str]:
    """What went wrong in the page; a test that expects something takes it off the list."""
    return []


def _guarded(route: "Route", origins: set[str], troubles: list[str]) -> None:
    url = urlsplit(route.request.url)
    if url.scheme in _LOCAL or f"{url.scheme}://{url.netloc}" in origins:
        route.continue_()
        return
    troubles.append(f"the page asked for {route.request.url}")
    route.abort()


@pytest.fixture
def page(browser: "Browser", origins: set[str], troubles: list[str]) -> "Iterator[Page]":
    """An empty page; the test fails if it asks for the network or has an error."""
    context = browser.new_context()
    context.set_default_timeout(120_000)
    context.route("**/*", lambda route: _guarded(route, origins, troubles))
    context.add_init_script(_CONFESS)
    context.add_init_script(_DRAW_ALL)
    tab = context.new_page()
    tab.on("pageerror", lambda error: troubles.append(f"uncaught: {error}"))
    tab.on("console", lambda m: troubles.append(m.text) if m.type == "error" else None)
    yield tab
    if not tab.is_closed():
        tab.evaluate("0")  # what is still under way arrives before the answer
    context.close()
    assert not troubles


@pytest.fixture
def script(page: "Page", tmp_path: Path) -> "Page":
    """A blank page whose script knows the statistics of pairs, as ``nstar``."""
    path = tmp_path / "blank.html"
    names = (
        *("numbers.js", "detection.js", "unpack.js", "board.js", "judge.js", "pairs.js"),
        "rules_panel.js",
    )
    path.write_text(shell(title="", body="", scripts=names), encoding="utf-8")
    page.goto(path.as_uri())
    return page
