"""Concept pages: readable figures, and numbers that agree with the kernel."""

import math
import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from nstar import stats
from nstar.report.charts._canvas import WIDTH
from nstar.report.charts._text import width

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "concepts").glob("*.md"))
SVG = "{http://www.w3.org/2000/svg}"
SIZES = {"h": 15.0, "s": 12.0, "t": 11.0}
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)


def said(page: str) -> str:
    return " ".join((DOCS / f"{page}.md").read_text("utf-8").split())


@every_page
def test_every_page_has_its_own_picture_with_words(page: Path) -> None:
    text = page.read_text("utf-8")
    pictures = re.findall(r"!\[([^\]]{40,})\]\(\.\./figures/(concept-[a-z-]+\.svg)\)", text)
    assert [name for _, name in pictures] == [f"concept-{page.stem}.svg"]
    assert len(text.split()) < 1100, "two screens"


@every_page
def test_labels_of_a_picture_do_not_collide(page: Path) -> None:
    svg = (DOCS / "figures" / f"concept-{page.stem}.svg").read_text("utf-8")
    found = []
    for text in ET.fromstring(svg).iter(f"{SVG}text"):  # noqa: S314 our own
        size = SIZES.get(text.get("class", ""), 13.0)
        wide, words = width(text.text or "", size), text.text or ""
        left = float(text.get("x", 0)) - wide * {"end": 1.0, "middle": 0.5}.get(
            text.get("text-anchor", ""), 0.0
        )
        base = float(text.get("y", 0))
        found.append((left, base - 0.75 * size, left + wide, base + 0.2 * size, words))
        assert left >= 0, words
        assert left + wide <= WIDTH, words
    for a, b in combinations(found, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, (a, b)


@every_page
def test_generated_parts_are_filled(page: Path) -> None:
    for name, body in re.findall(
        r"<!-- (\w+):begin -->\n(.*?)<!-- \1:end -->", page.read_text("utf-8"), re.S
    ):
        assert body.strip(), name


def test_numbers_in_the_prose() -> None:
    k, z = float(stats.k_factor()), float(stats.z_alpha())
    report = said("start/reading-a-report")
    assert f"{k / z:.2f} times" in report
    assert f"K = {z:.2f} + {k - z:.2f} = {k:.2f}" in report
    assert f"q = (T/{k:.2f})²" in report
    assert f"{float(stats.rho_bounds(0.9, 0.8).high):.2f}" in said("concepts/pairing")
    assert f"{math.comb(50, 2):,} pairs" in said("concepts/ranks")
    assert 2.0 ** (1 - 5) > 0.05 > 2.0 ** (1 - 6)  # five clusters cannot, six can
    faq = said("faq")
    assert f"(T/{k:.2f})²" in faq
    assert f"by a factor of {1 / math.sqrt(1 - 0.6):.1f} at ρ = 0.6" in faq
    assert float(stats.holm([0.03, 0.2, 0.6])[0]) == pytest.approx(0.09)
