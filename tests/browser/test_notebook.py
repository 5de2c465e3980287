"""Reports in a notebook that nbconvert has made a page of, light and dark."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import nstar
from helpers.notebook import CELLS, THEMES, written

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]

CONTRAST = """(sheet) => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const clear = (color) => parts(color).length === 4 && parts(color)[3] === 0;
  const light = (color) => {
    const [r, g, b] = parts(color).slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    if (sheet) return getComputedStyle(document.querySelector(sheet)).fill;
    for (let at = node; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (!clear(color)) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const within = sheet ? "text" : ".jp-RenderedHTML *";
  const worst = {};
  for (const node of document.querySelectorAll(within)) {
    const own = [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim());
    if (!own) continue;
    const style = getComputedStyle(node);
    const color = node.namespaceURI.endsWith("svg") ? style.fill : style.color;
    const [low, high] = [light(color), light(behind(node))].sort((a, b) => a - b);
    const tag = node.tagName.toLowerCase();
    worst[tag] = Math.min(worst[tag] ?? 21, (high + 0.05) / (low + 0.05));
  }
  return worst;
}"""
"""The worst contrast of text with what is behind it, by tag (WCAG 2)."""

TOO_WIDE = """() => [document.documentElement, ...document.querySelectorAll(".jp-RenderedHTML")]
  .filter((node) => node.scrollWidth > node.clientWidth + 1)
  .map((node) => `${node.className}: ${node.scrollWidth} in ${node.clientWidth}`)"""


@pytest.fixture(scope="module")
def pages(notebooks: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return written(ROOT, tmp_path_factory.mktemp("notebook"))


@pytest.mark.parametrize("theme", THEMES)
def test_text_stands_out(theme: str, page: "Page", pages: dict[str, Path]) -> None:
    page.goto(pages[theme].as_uri())
    for system in ("light", "dark"):
        page.emulate_media(color_scheme=system)
        worst = page.evaluate(CONTRAST, None)
        assert {"strong", "p", "li", "td", "th", "text"} <= set(worst)
        assert min(worst.values()) >= 4.5, worst


@pytest.mark.parametrize("theme", THEMES)
def test_nothing_leaves_the_cell(theme: str, page: "Page", pages: dict[str, Path]) -> None:
    page.goto(pages[theme].as_uri())
    assert page.locator(".jp-RenderedHTML").count() == len(CELLS) - 2
    for width in (1000, 600, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(TOO_WIDE) == [], width


def test_the_answer_comes_first_and_in_the_size_of_text(
    page: "Page", pages: dict[str, Path]
) -> None:
    page.goto(pages["light"].as_uri())
    firsts = page.locator(".jp-RenderedHTML").evaluate_all(
        "(all) => all.map((n) => n.querySelector('strong').textContent)"
    )
    assert firsts[0].startswith("Detecting a 1 pp gap")
    assert page.locator(".jp-RenderedHTML :is(h1, h2, h3, script, link, img)").count() == 0


def test_pictures_bring_their_paper(page: "Page", tmp_path: Path) -> None:
    """A notebook shows them as images, which know the system's colors but not its own."""
    path = tmp_path / "a.svg"
    nstar.audit(str(ROOT / "examples" / "results.csv")).figure().save(path)
    for system in ("light", "dark"):
        page.emulate_media(color_scheme=system)
        page.goto(path.as_uri())
        assert min(page.evaluate(CONTRAST, ".paper").values()) >= 4.5, system
