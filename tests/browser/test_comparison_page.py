"""The page of a comparison in a browser: Python's numbers and words at any settings."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from helpers import nasty
from helpers.axe import violations
from helpers.comparisons import CASES, cells
from nstar import ScoreMatrix, compare
from nstar._verbs.compare import Comparison
from nstar.report import document
from nstar.report.page import page as written
from nstar.report.prose.numbers import name

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCHEMES: "tuple[Literal['light', 'dark'], ...]" = ("light", "dark")
TASKS = ("image", "script", "attribute", "entity", "prototype", "bidi", "surrogate", "long")
"""Strings that tasks are called; groups are called by all of them."""

SHOWN = """(rows) => [...rows].map((row) => [...row.cells].map((cell) => cell.textContent))"""


def opened(page: "Page", result: Comparison, folder: Path) -> "Page":
    """The page of a result, from a file, ready."""
    path = folder / "page.html"
    path.write_text(written(result), encoding="utf-8")
    page.goto(path.as_uri())
    page.locator("html[data-ready]").wait_for(state="attached")
    return page


def choose(page: "Page", **rules: float) -> None:
    page.evaluate("() => { document.getElementById('rules').open = true; }")
    for key, value in rules.items():
        wanted = f"{100 * value:g}%" if key == "power" else f"{value:g}"
        texts = page.locator(f"#set-{key} option").all_text_contents()
        known = [text.removesuffix(" (as run)") for text in texts]
        page.select_option(f"#set-{key}", str(known.index(wanted)))


def body_rows(page: "Page", where: str) -> list[list[str]]:
    rows: list[list[str]] = page.locator(f"{where} tbody tr").evaluate_all(SHOWN)
    return rows


@pytest.mark.sampled(7)
@pytest.mark.parametrize("case", CASES)
def test_everything_follows_the_rules(case: str, page: "Page", tmp_path: Path) -> None:
    opened(page, CASES[case](margin=0.04), tmp_path)
    for rule in ({"alpha": 0.01, "power": 0.9}, {"alpha": 0.1, "power": 0.8}):
        choose(page, **rule)
        doc = document(CASES[case](margin=0.04, **rule), paragraph=True)
        assert page.inner_text("#headline") == doc.title
        assert page.text_content("#to-paste") == doc.paragraph
        shown = body_rows(page, "table[data-grid='all-0']")
        assert shown == [list(row) for row in doc.grids[0].rows]
        assert page.locator("#notes li").all_text_contents() == list(doc.notes)
        assert page.locator(f"#forest [data-level='{rule['alpha']}']").is_visible()
    page.click("#reset")
    assert page.inner_text("#headline") == document(CASES[case](margin=0.04)).title
    assert page.is_disabled("#reset")


def test_the_address_keeps_rules_and_opens_a_task(page: "Page", tmp_path: Path) -> None:
    opened(page, CASES["tasks"](), tmp_path)
    choose(page, alpha=0.01, power=0.9)
    assert page.evaluate("location.hash") == "#alpha=0.01&power=0.9"
    said = page.inner_text("#headline")
    page.reload()
    page.locator("html[data-ready]").wait_for(state="attached")
    assert page.inner_text("#headline") == said
    page.evaluate("location.hash = '#task=two&alpha=7'")
    page.locator("#task-1[open]").wait_for()
    assert page.is_disabled("#reset")


def test_items_that_only_one_solved(page: "Page", tmp_path: Path) -> None:
    result = CASES["groups"]()
    opened(page, result, tmp_path)
    for side, which in enumerate(("gained", "lost")):
        items = result.differing(which)["item"]  # type: ignore[arg-type]
        part = page.locator(".item-side").nth(side)
        if part.get_by_role("button").is_visible():
            part.get_by_role("button").click()
        assert sorted(part.locator("code").all_inner_texts()) == sorted(items)


def test_paragraph_and_citation_are_copied(own_page: "Page", tmp_path: Path) -> None:
    own_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(own_page, CASES["better"](), tmp_path)
    for part, said in (("paragraph", "to-paste"), ("cite", "citation")):
        own_page.click(f"#{part} summary")
        own_page.click(f"#{part} button")
        own_page.locator(f"#{part}").get_by_text("Copied.").wait_for()
        copied = own_page.evaluate("navigator.clipboard.readText()")
        assert copied == own_page.inner_text(f"#{said}")


def test_without_a_script_all_is_there(browser: "Browser", tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    for case in ("groups", "tasks"):
        result = CASES[case]()
        path.write_text(written(result), encoding="utf-8")
        context = browser.new_context(java_script_enabled=False, offline=True)
        tab = context.new_page()
        tab.goto(path.as_uri())
        assert tab.inner_text("#headline") == document(result).title
        assert tab.is_hidden("#rules")
        for details in tab.locator("details.task").all():
            details.locator("summary").click()
            assert details.locator("table").first.is_visible()
        context.close()


def test_nasty_names_are_text(page: "Page", tmp_path: Path) -> None:
    image = nasty.NASTY["image"]
    names = (image, nasty.NASTY["script"])
    labels = [list(nasty.NASTY.values())[k % len(nasty.NASTY)] for k in range(100)]
    made = [
        ScoreMatrix.from_arrays(
            cells(40, 20, 12, 28), models=names, task=task, metric=image, groups={image: labels}
        )
        for task in map(nasty.NASTY.__getitem__, TASKS)
    ]
    for result in (
        compare(made[:1], a=names[0], b=names[1]),
        compare(made, a=names[0], b=names[1]),
    ):
        opened(page, result, tmp_path)
        choose(page, alpha=0.01)
        assert name(image) in page.text_content(".kicker")  # type: ignore[operator]
        assert page.locator("img, iframe, object, embed, script:not([id])").count() == 1
    shown = page.locator("details.task summary").all_text_contents()
    assert shown == [row[0] for row in document(result).grids[1].rows]


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.slow), 390])
@pytest.mark.parametrize("case", ["groups", "tasks"])
def test_axe_finds_nothing_serious(
    case: str, width: int, page: "Page", axe: str, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    opened(page, CASES[case](delta=0.02, margin=0.04), tmp_path)
    choose(page, alpha=0.01)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        broken = violations(page, axe, colors_only=scheme == "dark")
        grave = [v for v in broken if v["impact"] in ("serious", "critical")]
        assert not grave, (scheme, [(v["id"], n["html"]) for v in grave for n in v["nodes"]])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
