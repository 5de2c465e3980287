"""A browser that reaches no network; a page that complains of anything fails its test."""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

import pytest

from nstar.report.page._document import shell

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-proxy-server"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
"""No host has an address but this machine: an intercepting route would switch off the cache."""

_WINDOW: "ViewportSize" = {"width": 1280, "height": 720}

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


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """One Chromium for the tests of a module.

    It closes before other modules run, because Playwright's event loop would stay in the thread
    and ``asyncio.run`` would refuse to start.
    """
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


@dataclass
class _Watch:
    """What pages may reach and what went wrong in them, for the test that runs now."""

    origins: set[str] = field(default_factory=set)
    troubles: list[str] = field(default_factory=list)

    def ask(self, address: str) -> None:
        url = urlsplit(address)
        if url.scheme not in _LOCAL and f"{url.scheme}://{url.netloc}" not in self.origins:
            self.troubles.append(f"the page asked for {address}")


@contextmanager
def _watched(browser: "Browser", watch: _Watch) -> "Iterator[Page]":
    """A page in a context of its own, all of whose requests and errors are heard."""
    with closing(browser.new_context(viewport=_WINDOW)) as context:
        context.set_default_timeout(120_000)
        context.on("request", lambda request: watch.ask(request.url))
        context.add_init_script(_CONFESS)
        context.add_init_script(_DRAW_ALL)
        tab = context.new_page()
        tab.on("pageerror", lambda error: watch.troubles.append(f"uncaught: {error}"))
        tab.on("console", lambda m: watch.troubles.append(m.text) if m.type == "error" else None)
        yield tab


@pytest.fixture(scope="module")
def _shared(browser: "Browser") -> "Iterator[tuple[Page, _Watch]]":
    watch = _Watch()
    with _watched(browser, watch) as tab:
        yield tab, watch


@pytest.fixture
def page(
    _shared: "tuple[Page, _Watch]", origins: set[str], troubles: list[str]
) -> "Iterator[Page]":
    """An empty page; the test fails if it asks for the network or has an error.

    The tests of a module share it, because making a context takes longer than most tests.
    A test may change its window and media; one that changes more takes ``own_page``.
    """
    tab, watch = _shared
    tab.set_viewport_size(_WINDOW)
    tab.emulate_media(media="null", color_scheme="null", reduced_motion="null")
    watch.origins, watch.troubles = origins, troubles
    yield tab
    tab.evaluate("0")  # what is still under way arrives before the answer
    watch.origins, watch.troubles = set(), []
    tab.goto("about:blank")
    assert not troubles


@pytest.fixture
def own_page(browser: "Browser", origins: set[str], troubles: list[str]) -> "Iterator[Page]":
    """As ``page``, but in a context that no other test sees: for listeners, routes and rights."""
    with _watched(browser, _Watch(origins, troubles)) as tab:
        yield tab
        tab.evaluate("0")
    assert not troubles


@pytest.fixture(scope="session")
def _blank(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("blank") / "blank.html"
    names = (
        *("numbers.js", "detection.js", "unpack.js", "board.js", "judge.js", "pairs.js"),
        "rules_panel.js",
    )
    path.write_text(shell(title="", body="", scripts=names), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def script(page: "Page", _blank: str) -> "Page":
    """A blank page whose script knows the statistics of pairs, as ``nstar``."""
    page.goto(_blank)
    return page
