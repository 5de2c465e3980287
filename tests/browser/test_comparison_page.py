"""The page of a comparison in a browser: Python's numbers and words at any settings."""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers import nasty
from helpers.boards import board
from helpers.comparisons import CASES, SCALE, cells
from nstar import ScoreMatrix, compare
from nstar._base.types import Sides
from nstar._verbs.compare import Comparison, Pair
from nstar.report import document
from nstar.report.page import page as written
from nstar.report.page.comparison import compare_deck
from nstar.report.words.numbers import name

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

JUDGE = """(asked) => asked.map(([deck, settings]) => {
  const { judgeTasks, comparisonSentence, numberRows, taskRows, taskHeads } = nstar.comparison;
  const judged = judgeTasks(deck, settings);
  const several = deck.tasks.length > 1;
  return {
    judged,
    sentence: comparisonSentence(deck, judged, settings),
    heads: several ? taskHeads(deck, judged, settings) : null,
    rows: several ? taskRows(deck, judged, settings) : numberRows(deck.tasks[0], judged[0]),
  };
})"""

SHOWN = """(rows) => [...rows].map((row) => [...row.cells].map((cell) => cell.textContent))"""


def opened(page: "Page", result: Comparison, folder: Path) -> "Page":
    """The page of a result, from a file, ready."""
    path = folder / "page.html"
    path.write_text(written(result), encoding="utf-8")
    page.goto(path.as_uri())
    page.locator("html[data-ready]").wait_for(state="attached")
    return page


def near(got: Any, want: Any) -> bool:
    """Equal to nine digits; None is None."""
    if got is None or want is None:
        return got is want
    if isinstance(want, bool | str):
        return bool(got == want)
    return math.isclose(got, float(want), rel_tol=1e-9, abs_tol=1e-12) or got == want


def numbers(pair: Pair) -> dict[str, Any]:
    """What the page calls the numbers of a pair."""
    return {
        "conf": pair.conf,
        "mde": pair.mde,
        "mdeLeast": pair.mde_least,
        "q": pair.q,
        "nStar": pair.n_star,
        "qDelta0": pair.q_delta0,
        "nStarDelta0": pair.n_star_delta0,
        "moreItems": pair.more_items,
        "verdict": pair.verdict,
        "resolved": pair.resolved,
    }


def check_pair(got: dict[str, Any], pair: Pair) -> None:
    for key, want in numbers(pair).items():
        assert near(got[key], want), key
    spans = {"ci": pair.ci, "qCi": pair.q_ci, "nStarCi": pair.n_star_ci, "rhoCi": pair.rho_ci}
    for key, span in spans.items():
        ends = (None, None) if span is None else span
        assert all(map(near, got[key] or (None, None), ends)), key
    e, found = pair.equivalence, got["equivalence"]
    assert (e is None) == (found is None)
    if e is not None:
        plain = {"p": e.p, "pNoninferior": e.p_noninferior, "conf": e.conf}
        flags = {"equivalent": e.equivalent, "noninferior": e.noninferior}
        for key, want in (plain | flags).items():
            assert near(found[key], want), key
        assert all(map(near, found["ci"], e.ci))


def settings() -> Iterator[dict[str, Any]]:
    """Levels and powers, with and without a declared gap and a margin in turn."""
    levels = itertools.product((0.05, 0.01, 0.2, 0.001), (0.8, 0.5, 0.95))
    gaps = [(None, None), (0.02, None), (None, 0.04), (0.02, 0.04), (0.1, None)]
    for (alpha, power), (delta, margin) in zip(levels, itertools.cycle(gaps), strict=False):
        yield {"alpha": alpha, "power": power, "delta": delta, "margin": margin}


def asked_of(case: str, sides: Sides) -> Iterator[tuple[list[Any], Comparison]]:
    """The data as run with settings to change, and what Python says with those settings."""
    make, wide = CASES[case], SCALE if case == "scale" else 1.0
    deck = compare_deck(make(one_sided=sides == 1))
    for s in settings():
        rules = {"alpha": s["alpha"], "power": s["power"], "one_sided": sides == 1}
        gaps = {"delta0": s["delta"], "margin": s["margin"]}
        typed = {key: None if gap is None else wide * gap for key, gap in gaps.items()}
        result = make(delta=s["delta"], margin=s["margin"], **rules)
        yield [deck, {"alpha": s["alpha"], "power": s["power"], **typed}], result


@pytest.mark.parametrize("case", CASES)
def test_numbers_and_words_are_those_of_python(case: str, page: "Page", tmp_path: Path) -> None:
    asked, wanted = zip(*asked_of(case, 2), *asked_of(case, 1), strict=True)
    found = opened(page, CASES["better"](), tmp_path).evaluate(JUDGE, asked)
    for got, result in zip(found, wanted, strict=True):
        for one, pair in zip(got["judged"], result.tasks, strict=True):
            check_pair(one, pair)
        grid = document(result).grids[0]
        assert got["sentence"] == document(result).headline
        assert got["rows"] == [list(row) for row in grid.rows]
        assert got["heads"] in (None, list(grid.header))


def test_less_may_be_better(page: "Page", tmp_path: Path) -> None:
    def made(alpha: float = 0.05) -> Comparison:
        matrix = board(cells(40, 30, 12, 18), lower_is_better=True)
        return compare([matrix], a="m0", b="m1", alpha=alpha)

    opened(page, made(), tmp_path)
    assert "m0 trails m1" in page.inner_text("#live-sentence")
    type_settings(page, alpha="0.004")
    assert page.inner_text("#live-sentence") == document(made(alpha=0.004)).headline


def type_settings(page: "Page", **typed: str) -> None:
    for key, text in typed.items():
        page.fill(f"#set-{key}", text)


def body_rows(page: "Page", where: str) -> list[list[str]]:
    rows: list[list[str]] = page.locator(f"{where} tbody tr").evaluate_all(SHOWN)
    return rows


@pytest.mark.parametrize("case", ["inconclusive", "better", "strata", "graded clusters", "scale"])
def test_what_is_shown_follows_what_is_typed(case: str, page: "Page", tmp_path: Path) -> None:
    opened(page, CASES[case](margin=0.04), tmp_path)
    for alpha, power, delta in ((0.01, 0.9, 0.03), (0.05, 0.8, None), (0.2, 0.5, 0.002)):
        gap = "" if delta is None else f"{100 * delta:g}"
        type_settings(page, alpha=str(alpha), power=f"{100 * power:g}", delta0=gap)
        doc = document(CASES[case](delta=delta, margin=0.04, alpha=alpha, power=power))
        assert page.inner_text("#live-sentence") == doc.headline
        shown = body_rows(page, "#of-0 > .scroll")
        assert shown[: len(doc.grids[0].rows)] == [list(row) for row in doc.grids[0].rows]
        assert shown[-1][0] == "verdict"
    page.click("#reset")
    assert page.inner_text("#live-sentence") == page.inner_text(".headline")
    assert page.input_value("#set-alpha") == "0.05"
    assert page.is_disabled("#reset")


def test_the_address_keeps_settings_and_task(page: "Page", tmp_path: Path) -> None:
    opened(page, CASES["tasks"](margin=0.04), tmp_path)
    type_settings(page, alpha="1 %", power="90", delta0="2pp", margin="5")
    page.select_option("#task-chosen", label="two")
    assert page.evaluate("location.hash") == (
        "#alpha=0.01&power=0.9&delta0=0.02&margin=0.05&task=two"
    )
    said = page.inner_text("#task-answer"), page.inner_text("#live-sentence")
    page.reload()
    page.locator("html[data-ready]").wait_for(state="attached")
    assert (page.inner_text("#task-answer"), page.inner_text("#live-sentence")) == said
    assert page.input_value("#task-chosen") == "1"
    assert page.locator("details.task:visible").get_attribute("id") == "task-1"
    page.evaluate("location.hash = '#task=nobody&alpha=7&delta0=x'")
    page.locator("#reset:disabled").wait_for()
    assert page.input_value("#task-chosen") == "0"


def test_what_stays_as_run_is_named(page: "Page", tmp_path: Path) -> None:
    opened(page, CASES["groups"](), tmp_path)
    type_settings(page, alpha="0.01")
    named = "The headline, pictures, groups, other readings, notes and paragraph show"
    assert named in page.inner_text("#live-remark")


def test_limits_are_told_and_reset_clears_them(page: "Page", tmp_path: Path) -> None:
    opened(page, CASES["better"](margin=0.04), tmp_path)
    page.fill("#set-alpha", "0.6")
    assert page.inner_text("#set-alpha-note") == "at least 1e-06 and below 0.5 and the power"
    page.click("#reset")
    assert page.inner_text("#set-alpha-note") == ""
    assert page.is_disabled("#reset")


def test_what_is_no_number_changes_nothing(page: "Page", tmp_path: Path) -> None:
    opened(page, CASES["clusters"](one_sided=True), tmp_path)
    before = page.inner_text("#live-sentence")
    for key, texts in {
        "alpha": ("0", "0.6", "x", ""),
        "power": ("1", "100"),
        "delta0": ("-1",),
    }.items():
        for text in texts:
            page.fill(f"#set-{key}", text)
            assert page.get_attribute(f"#set-{key}", "aria-invalid") == "true"
            assert page.inner_text("#live-sentence") == before
    assert "one-sided" in page.inner_text("#settings")


def test_several_tasks(page: "Page", tmp_path: Path) -> None:
    opened(page, CASES["tasks"](), tmp_path)
    type_settings(page, alpha="0.2", power="50", delta0="5")
    result = CASES["tasks"](delta=0.05, alpha=0.2, power=0.5)
    doc = document(result)
    assert page.inner_text("#live-sentence") == doc.headline
    shown = body_rows(page, "#tasks-as-run")
    assert [[*row[:-2], row[-1]] for row in shown] == [list(row) for row in doc.grids[0].rows]
    page.select_option("#task-chosen", label="two")
    assert page.locator("details.task:visible").get_attribute("id") == "task-1"
    assert "alpha trails beta" in page.inner_text("#task-answer")
    page.click("#tasks-as-run button >> text=three")
    assert page.input_value("#task-chosen") == "2"
    assert "p = 0.94" in page.inner_text("#task-answer")
    assert page.is_visible("#of-2 .live-gap svg")


@pytest.mark.parametrize(("part", "said"), [("paragraph", "to-paste"), ("cite", "citation")])
def test_paragraph_and_citation_are_copied(
    part: str, said: str, page: "Page", tmp_path: Path
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, CASES["better"](), tmp_path).click(f"#{part} button")
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.inner_text(f"#{said}")


def test_a_tiny_level_opens_as_it_was_run(page: "Page", tmp_path: Path) -> None:
    result = CASES["better"](alpha=1e-8, power=0.99999)
    opened(page, result, tmp_path)
    assert page.locator("[aria-invalid=true]").count() == 0
    assert page.inner_text("#live-sentence") == document(result).headline
    assert "99.999999 % interval" in page.inner_text("#live-sentence")


def test_without_an_error_nobody_knows_what_would_settle_it(page: "Page", tmp_path: Path) -> None:
    for items, words in (
        (4, "What would settle it is unknown, for no error could be measured."),
        (40, "How surely it would be found again is unknown, for no error could be measured."),
    ):
        result = compare([board(cells(0, items, 0, 0))], a="m0", b="m1")
        opened(page, result, tmp_path)
        assert page.inner_text(".advice") == words


def test_without_a_script_all_is_there(browser: "Browser", tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    for case in ("groups", "tasks"):
        result = CASES[case]()
        path.write_text(written(result), encoding="utf-8")
        context = browser.new_context(java_script_enabled=False, offline=True)
        tab = context.new_page()
        tab.goto(path.as_uri())
        assert tab.inner_text(".headline") == document(result).headline
        assert tab.is_hidden("#settings")
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
        for task in nasty.NASTY.values()
    ]
    for result in (
        compare(made[:1], a=names[0], b=names[1]),
        compare(made, a=names[0], b=names[1]),
    ):
        opened(page, result, tmp_path)
        type_settings(page, alpha="0.01", delta0="3")
        assert name(image) in page.inner_text("h1")
        assert page.inner_text("#live-sentence").count(name(names[1])) == 1
        assert page.locator("img, iframe, object, embed, script:not([id])").count() == 1
    shown = page.locator("#task-chosen option").all_text_contents()
    assert shown == [row[0] for row in document(result).grids[0].rows]


@pytest.mark.parametrize("looks", ["light", "dark", "narrow"])
@pytest.mark.parametrize("case", ["groups", "tasks"])
def test_axe_finds_nothing_serious(
    case: str, looks: str, page: "Page", axe: str, tmp_path: Path
) -> None:
    page.emulate_media(color_scheme="dark" if looks == "dark" else "light")
    page.set_viewport_size({"width": 390 if looks == "narrow" else 1280, "height": 900})
    opened(page, CASES[case](delta=0.02, margin=0.04), tmp_path)
    type_settings(page, alpha="0.01")
    page.fill("#set-power", "x")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.evaluate(axe)
    found = page.evaluate("axe.run()")["violations"]
    grave = [v["id"] for v in found if v["impact"] in ("serious", "critical")]
    assert not grave, [node["html"] for v in found for node in v["nodes"]]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
