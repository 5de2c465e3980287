"""The browser of these tests reaches no network, and a page that asks for it is found out."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTS = ("https://example.org", "http://192.0.2.1", "http://[2001:db8::1]", "http://127.0.0.1:9")
"""A name, addresses that need no name, and this machine, which nobody allowed."""


@pytest.fixture(params=["page", "own_page"])
def tab(request: pytest.FixtureRequest) -> "Page":
    """A page of either kind."""
    tab: Page = request.getfixturevalue(request.param)
    return tab


def test_whoever_asks_for_the_network_is_reported(
    tab: "Page", troubles: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text("".join(f'<img src="{host}/a.png">' for host in HOSTS))
    tab.goto(path.as_uri())
    assert {f"the page asked for {host}/a.png" for host in HOSTS} <= set(troubles)
    sizes = tab.locator("img").evaluate_all("(all) => all.map((image) => image.naturalWidth)")
    assert sizes == [0] * len(HOSTS)
    refusals = [trouble for trouble in troubles if "ERR_NAME_NOT_RESOLVED" in trouble]
    assert len(refusals) == len(HOSTS) - 1, "no request left this machine"
    troubles.clear()


def test_requests_of_scripts_and_workers_are_reported(
    tab: "Page", troubles: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text("<title>Asks</title>")
    tab.goto(path.as_uri())
    tab.evaluate(
        """async (host) => {
          const ask = `fetch("${host}/worker").catch(() => 0).then(() => postMessage(1))`;
          const worker = new Worker(URL.createObjectURL(new Blob([ask])));
          await new Promise((done) => { worker.onmessage = done; });
          await fetch(`${host}/script`).catch(() => 0);
        }""",
        HOSTS[0],
    )
    for name in ("worker", "script"):
        assert f"the page asked for {HOSTS[0]}/{name}" in troubles
    troubles.clear()


def test_a_server_that_a_test_starts_is_no_trouble(
    page: "Page", origins: set[str], troubles: list[str]
) -> None:
    origins.add(HOSTS[-1])
    page.evaluate("(url) => fetch(url).catch(() => 0)", f"{HOSTS[-1]}/a")
    assert not any("asked for" in trouble for trouble in troubles)
    troubles.clear()


def test_the_next_test_gets_the_page_as_new(page: "Page") -> None:
    assert page.url == "about:blank"
    assert page.viewport_size == {"width": 1280, "height": 720}
    assert not page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.set_viewport_size({"width": 390, "height": 100})
    page.emulate_media(color_scheme="dark")


test_and_the_one_after_it = test_the_next_test_gets_the_page_as_new
