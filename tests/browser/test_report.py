"""The page of an audit in a real browser: no network, policy on, numbers as in Python."""

import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import pytest

import nstar
from helpers.axe import violations
from helpers.boards import board, scores, subjects
from helpers.nasty import NASTY
from nstar._base.types import Interval
from nstar._verbs.audit.rejudge import judged_again
from nstar._verbs.verdict import Criteria
from nstar.report import document
from nstar.report.page import _ranking_data
from nstar.report.page import page as page_of
from nstar.report.page._ladder import audit_view, ladder
from nstar.report.page.audit import model_cells
from nstar.report.prose.audit.ranking import ranking_of
from nstar.report.prose.audit.tables import gap_scale
from nstar.report.prose.gap import gap, score, span
from nstar.report.prose.numbers import count, name, pvalue, ratio

if TYPE_CHECKING:
    from playwright.sync_api import Browser, JSHandle, Locator, Page

Opened = Callable[..., "Page"]

KINDS: dict[str, dict[str, Any]] = {
    "binary": {},
    "incomplete": {"missing": 0.05},
    "graded": {"graded": True},
    "ties": {"items": 40, "spread": 0.3},
}


DRAWS = 2000
"""Enough for the strictest level that a page offers."""


@cache
def made(kind: str = "binary", models: int = 7, items: int = 500) -> Any:
    options = {"models": models, "items": items} | KINDS[kind]
    x = scores(3, **options)
    return board(x, labels=subjects(1, x.shape[1], 4), task="Task")


@cache
def audited(kind: str = "binary", models: int = 7, **options: Any) -> nstar.Audit:
    return nstar.audit(made(kind, models), **({"draws": DRAWS} | options))


@cache
def written(kind: str = "binary", models: int = 7, **options: Any) -> str:
    return page_of(audited(kind, models, **options))


@pytest.fixture
def opened(page: "Page", tmp_path: Path) -> Opened:
    """Open a report from a file and wait until it is alive."""

    def open_(text: str, link: str = "", tab: "Page | None" = None) -> "Page":
        path = tmp_path / "report.html"
        path.write_text(text, encoding="utf-8")
        tab = tab or page
        tab.goto("about:blank")  # another hash alone would be a change within the same document
        tab.goto(f"{path.as_uri()}{link}")
        tab.wait_for_selector("html[data-ready]")
        return tab

    return open_


def _rows(tab: "Page", table: str) -> list[tuple[str, ...]]:
    """Cells of a live table as strings, without the cells that unfold rows in narrow windows."""
    code = """(table) => [...document.querySelectorAll(`${table} tbody tr`)].map((row) =>
      [...row.cells].filter((c) => !c.classList.contains("unfold")).map((c) => c.textContent))"""
    return [tuple(row) for row in tab.evaluate(code, table)]


def _unfold(tab: "Page", part: str) -> None:
    tab.locator(part).evaluate("(node) => { node.open = true; }")


def _all_pairs(tab: "Page") -> "Page":
    """Scroll to the table of all pairs, which is filled when it is seen."""
    _unfold(tab, "#pairs")
    tab.locator("#pair-count").evaluate("(node) => node.scrollIntoView()")
    tab.locator(".pairs tbody tr").first.wait_for()
    return tab


def _chip(state: str) -> str:
    return state.removeprefix("significant, ")


def _board(result: nstar.Audit) -> list[tuple[str, ...]]:
    """Rows of the table of all models, as Python writes them."""
    ranking = ranking_of(result)
    states, fewer = ranking.adjacent.states, ranking.fewer()
    rows: list[tuple[str, ...]] = []
    for i, model in enumerate(result.ranking.model):
        rank, *others, needed = model_cells(ranking, i)
        verdict = _chip(states[i]) if i < len(states) else ""
        rows.append((rank, f"{name(model)}{' †' * (i in fewer)}", *others, verdict, needed))
    return rows


def _choose(tab: "Page", settings: dict[str, Any]) -> None:
    _unfold(tab, "#rules")
    for key, value in settings.items():
        if key == "adjust":
            tab.locator(f"#policy-{value}").check()
        else:
            chosen = f"{100 * value:g}%" if key == "power" else f"{value:g}"
            texts = tab.locator(f"#set-{key} option").all_inner_texts()
            known = [text.removesuffix(" (as run)") for text in texts]
            tab.locator(f"#set-{key}").select_option(str(known.index(chosen)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
def test_the_live_ranking_is_the_one_as_run(opened: Opened, kind: str) -> None:
    tab = opened(written(kind))
    assert _rows(tab, "#ranking table") == _board(audited(kind))
    assert tab.locator("#reset").is_disabled()


CHOICES: tuple[dict[str, Any], ...] = (
    {"alpha": 0.01},
    {"alpha": 0.1, "power": 0.9},
    {"adjust": "holm"},
    {"adjust": "bonferroni"},
    {"adjust": "bh", "alpha": 0.001},
    {"adjust": "none"},
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["binary", "incomplete", "graded"])
def test_everything_follows_the_rules(opened: Opened, kind: str) -> None:
    tab = opened(written(kind))
    for chosen in CHOICES:
        _choose(tab, chosen)
        wanted = audited(kind, **chosen)
        doc = document(wanted, paragraph=True)
        assert _rows(tab, "#ranking table") == _board(wanted), chosen
        assert _headline(tab) == doc.spoken(), chosen
        assert tab.locator("#to-paste").text_content() == doc.paragraph, chosen
        assert tab.locator("#assumptions li").all_inner_texts() == list(doc.assumptions), chosen
        as_run = (audited(kind).criteria, audited(kind).adjust)
        changed = (wanted.criteria, wanted.adjust) != as_run
        hidden = tab.locator("#readings [data-as-run]").evaluate("(node) => node.hidden")
        assert hidden != changed, chosen
        if changed:
            tab.locator("#reset").click()
        assert _rows(tab, "#ranking table") == _board(audited(kind)), chosen
        assert _headline(tab) == document(audited(kind)).spoken(), chosen


def _headline(tab: "Page") -> tuple[str, str]:
    """The title and what follows it."""
    first, others = (tab.locator(f"#{key}").inner_text() for key in ("headline", "lead"))
    return first, others


def test_intervals_stay_in_their_field_at_a_stricter_level(opened: Opened) -> None:
    tab = opened(written())
    _choose(tab, {"alpha": 0.001})
    code = "(all) => all.flatMap((n) => ['x1', 'x2'].map((k) => n.getAttribute(k)))"
    found = tab.locator("#ladder [data-share] .ci").evaluate_all(code)
    assert all(0 <= float(end.removesuffix("%")) <= 78 for end in found)


def _ladder_parts(figure: "Locator | JSHandle") -> Any:
    """What settings move: classes, positions of bars and intervals, and rank ranges."""
    code = """(figure) => {
      const near = (x) => (x === null ? null : Math.round(10 * Number.parseFloat(x)) / 10);
      const read = (query, names) => [...figure.querySelectorAll(query)].map((n) =>
        names.map((name) => near(n.getAttribute(name))));
      const kinds = (query) =>
        [...figure.querySelectorAll(query)].map((n) => n.getAttribute("class"));
      return [kinds("[data-row]"), read(".bar", ["x", "width"]),
        read(".tier-block rect", ["x", "width", "y", "height"]),
        [...figure.querySelectorAll(".ranks")].map((n) => n.textContent),
        kinds("[data-gap]"), read(".bands rect", ["y", "height"])];
    }"""
    return figure.evaluate(code)


def _check_ladder(tab: "Page", wanted: nstar.Audit) -> None:
    """As Python draws it."""
    drawn = tab.evaluate_handle(
        "(text) => new DOMParser().parseFromString(text, 'text/html').querySelector('figure')",
        ladder(audit_view(wanted)),
    )
    assert _ladder_parts(tab.locator("#ladder")) == _ladder_parts(drawn)


@pytest.mark.parametrize("kind", ["binary", "graded"])
def test_the_ladder_follows_the_rules(opened: Opened, kind: str) -> None:
    tab = opened(written(kind))
    for chosen in ({"alpha": 0.001}, {"alpha": 0.1, "adjust": "none"}):
        _choose(tab, chosen)
        _check_ladder(tab, audited(kind, **chosen))


def test_a_level_that_max_t_cannot_show_is_judged_by_holm(opened: Opened) -> None:
    tab = opened(written(draws=500))
    _choose(tab, {"alpha": 0.001})
    assert "so Holm is used" in tab.locator("#rules-remark").inner_text()
    wanted = judged_again(audited(draws=500), Criteria(alpha=0.001), "maxt", None)
    assert wanted.adjust == wanted.rank_method == "holm"
    assert _rows(tab, "#ranking table") == _board(wanted)


def test_the_board_is_sorted_and_searched(opened: Opened) -> None:
    tab = opened(written(models=20))
    every = _rows(tab, "#ranking table")
    lines = tab.locator("#ranking table:not(.resorted) tr.line").count()
    assert lines == audited(models=20).n_tiers - 1
    tab.locator('#ranking [data-column="5"]').click()
    gaps = [float(row[5].replace("−", "-")) for row in _rows(tab, "#ranking table")[:-1]]
    assert gaps == sorted(gaps, reverse=True)
    assert tab.locator("#ranking table.resorted").count() == 1
    tab.locator('#ranking [data-column="1"]').click()
    assert _rows(tab, "#ranking table") == sorted(every, key=lambda row: int(row[1][1:]))
    tab.locator('#ranking [data-column="0"]').click()
    tab.locator("#find-model").fill("M1")
    wanted = [row for row in every if "m1" in row[1]]
    assert _rows(tab, "#ranking table") == wanted
    assert tab.locator("#model-count").inner_text() == f"{len(wanted)} of 20 models"


@pytest.mark.parametrize("kind", ["binary", "incomplete", "graded"])
def test_a_pair_has_its_items(opened: Opened, kind: str) -> None:
    tab = opened(written(kind), "#a=m4&b=m2")
    _unfold(tab, "#pair details")
    pair = audited(kind).compare("m4", "m2")
    for side, which in enumerate(("gained", "lost")):
        items = pair.differing(which)["item"]  # type: ignore[arg-type]
        part = tab.locator(".item-side").nth(side)
        assert f": {count(len(items))} item" in part.locator("h4").inner_text()
        more = part.get_by_role("button")
        if more.is_visible():
            more.click()
        assert sorted(part.locator("code").all_inner_texts()) == sorted(items)


def _facts(tab: "Page") -> dict[str, str]:
    code = """() => [...document.querySelectorAll("#pair-found dl div")].map((d) =>
      [d.querySelector("dt").textContent, d.querySelector("dd").textContent])"""
    return dict(tab.evaluate(code))


def _measures(tab: "Page") -> dict[str, list[str]]:
    """Numbers of a pair by name: alone, and among all pairs."""
    code = """() => [...document.querySelectorAll(".measures tr")].map((row) =>
      [row.cells[0].textContent, [...row.cells].slice(1).map((c) => c.textContent)])"""
    return dict(tab.evaluate(code))


def _check_measures(found: dict[str, list[str]], audit: nstar.Audit, k: int, sign: int) -> None:
    p = audit.pairs
    needed = [count(float(x[k])) for x in (p.n_star, p.n_star_low, p.n_star_high)]
    among = count(float(p.n_items[k] / p.q_adjusted[k]))
    scale = gap_scale(audit)
    assert found[""] == ["unadjusted", "adjusted for all 21 pairs"]
    assert found["99% CI"] == [
        span(
            gap_scale(audit),
            Interval(*sorted((sign * float(low[k]), sign * float(high[k])))),
            column=True,
        )
        for low, high in (
            (p.ci_unadjusted_low, p.ci_unadjusted_high),
            (p.ci_adjusted_low, p.ci_adjusted_high),
        )
    ]
    assert found["p"][0] == pvalue(float(p.pvalue[k]))
    assert found["q, resolution"][1] == ratio(float(p.q_adjusted[k]))
    assert found["N*, items needed"] == [f"{needed[0]} ({needed[1]} to {needed[2]})", among]
    assert found["MDE, detectable gap"] == [
        gap(scale, float(x[k])) for x in (p.mde, p.mde_adjusted)
    ]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", ["binary", "incomplete", "graded"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_pair_has_the_strings_of_python(opened: Opened, kind: str, turned: bool) -> None:
    audit = audited(kind, pairs="all", delta=0.02, alpha=0.01)
    first, second = ("m4", "m2") if turned else ("m2", "m4")
    tab = opened(written(kind, delta=0.02), f"#a={first}&b={second}&alpha=0.01")
    p, sign = audit.pairs, -1 if turned else 1
    k = list(zip(p.model_a, p.model_b, strict=True)).index(("m2", "m4"))
    facts, delta = _facts(tab), sign * float(p.gap[k])
    assert facts["Gap, A minus B"] == gap(gap_scale(audit), delta, sign=True, column=True)
    _check_measures(_measures(tab), audit, k, sign)
    assert facts["Item correlation"] == f"{p.rho[k]:.2f}"
    means = (float(p.mean_a[k]), float(p.mean_b[k]))[::sign]
    assert facts["Means"] == " and ".join(score(audit, m) for m in means)
    said = tab.locator("#pair-verdict").inner_text()
    assert said.startswith(_chip(p.states[k]))
    more = float(p.more_items[k])
    if _chip(p.states[k]) in {"inconclusive", "underpowered"} and 0 < more <= 1e9:
        assert f"Resolving it takes {count(more)} more items" in said
        total = count(float(p.n_items[k]) + more)
        assert f"({total} in total), adjusted for all 21 pairs, to detect" in said
        assert "the declared 2 pp" in said
    if p.n10 is not None and p.n01 is not None:
        cells = re.findall(r"[\d,]+", " ".join(tab.locator(".cells td.num").all_inner_texts()))
        assert p.n11 is not None
        assert cells[0] == f"{p.n11[k]:,}"
        assert cells[1:3] == [f"{n:,}" for n in (p.n10[k], p.n01[k])][::sign]


def test_a_pair_does_not_contradict_itself(opened: Opened) -> None:
    p = audited(pairs="all").pairs
    k = p.states.index("significant, underpowered")
    link = f"#a={p.model_a[k]}&b={p.model_b[k]}"
    tab = opened(written(), link)
    said = tab.locator("#pair-verdict").inner_text()
    assert said.startswith("underpowered Significant among all 21 pairs, underpowered: less than")
    among = _measures(tab)["N*, items needed"][1]
    goal = "if the true gap equals the observed one."
    assert f"({among} in total), adjusted for all 21 pairs, {goal}" in said
    tab.evaluate(f"location.hash = '{link}&adjust=none&power=0.9'")
    tab.locator("#pair-verdict", has_not_text="all 21 pairs").wait_for()
    measures = _measures(tab)
    assert measures[""] == ["unadjusted"]
    said = tab.locator("#pair-verdict").inner_text()
    assert "adjusted" not in said
    assert f"({measures['N*, items needed'][0].split()[0]} in total), {goal}" in said


def test_where_the_gap_comes_from(opened: Opened) -> None:
    tab = opened(written(), "#a=m0&b=m5")
    rows = _rows(tab, "#pair-groups")
    audit = audited()
    wanted = audit.compare("m0", "m5").tasks[0].breakdowns[0].groups
    assert {row[0] for row in rows} == {g.group for g in wanted}
    of = {row[0]: row for row in rows}
    for g in wanted:
        assert of[g.group][2] == gap(gap_scale(audit), g.gap, sign=True, column=True)
        assert of[g.group][3] == span(gap_scale(audit), g.ci, column=True)
        assert of[g.group][4:] == (
            score(audit, g.mean_a),
            score(audit, g.mean_b),
            count(g.n_items),
        )
    sizes = [float(row[2].removesuffix(" pp").replace("−", "-")) for row in rows]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("items", "words"),
    [
        (4, "The number of items needed is unknown, because no error could be measured."),
        (40, "The power is unknown, because no error could be measured."),
    ],
)
def test_without_a_standard_error_the_items_needed_are_unknown(
    opened: Opened, items: int, words: str
) -> None:
    x = np.repeat([[1.0], [0.0], [0.0]], items, axis=1)
    tab = opened(page_of(nstar.audit(board(x))), "#a=m0&b=m1")
    said = tab.locator("#pair-verdict").inner_text()
    assert said.endswith(words)
    assert said.startswith("inconclusive" if items == 4 else "underpowered")
    tab.evaluate("location.hash = '#a=m1&b=m2'")
    tab.locator("#pair-verdict", has_text="The observed gap is too small").wait_for()


def test_the_reason_for_no_max_t_is_shown_for_every_adjustment(opened: Opened) -> None:
    tab = opened(written("incomplete", adjust="holm"))
    _choose(tab, {})
    assert tab.locator("#policy-maxt").is_disabled()
    assert (
        "models were scored on different items" in tab.locator("#policy-maxt-promise").inner_text()
    )


def test_false_positives_by_chance_are_whole_pairs(opened: Opened) -> None:
    promise = "#policy-none-promise"
    tab = opened(written(models=3))
    _choose(tab, {})
    assert "of 3 pairs without a true gap, fewer than 1 would" in tab.locator(promise).inner_text()
    tab = opened(written(models=7))
    _choose(tab, {})
    assert "of 21 pairs without a true gap, about 1 would" in tab.locator(promise).inner_text()


def test_groups_without_room_have_means_only(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ranking_data, "_ROOM", 100)
    tab = opened(page_of(audited()))
    assert (
        "this page does not contain their CIs" in tab.locator("#pair-groups caption").inner_text()
    )
    assert {row[3] for row in _rows(tab, "#pair-groups")} == {"–"}
    tab = opened(page_of(audited("incomplete")))
    assert not tab.locator("#pair-groups *").count()


def test_groups_that_do_not_part_the_common_items_are_no_table(opened: Opened) -> None:
    x = scores(6, models=3, items=120)
    x[0, :60] = np.nan
    tab = opened(page_of(nstar.audit(board(x, labels=["a"] * 60 + ["b"] * 60))), "#a=m0&b=m1")
    assert "the gap cannot be split" in tab.locator("#pair-groups .remark").inner_text()
    assert tab.locator("#pair-groups table").count() == 0
    tab.evaluate("location.hash = '#a=m1&b=m2'")
    tab.locator("#pair-groups table").wait_for()


def _chosen(tab: "Page") -> tuple[str, ...]:
    code = """() => ["a", "b"].map((k) => {
      const list = document.getElementById(`model-${k}`);
      return list.options[list.selectedIndex].textContent.split(" · ")[0];
    })"""
    return tuple(tab.evaluate(code))


def test_two_models_are_chosen_from_lists(opened: Opened) -> None:
    tab = opened(written())
    best, second, third, *_ = audited().ranking.model
    assert _chosen(tab) == (best, second)
    tab.get_by_role("button", name="Swap").click()
    assert _chosen(tab) == (second, best)
    tab.locator("#model-a").select_option("2")
    assert _chosen(tab) == (third, best)
    tab.locator("#model-b").select_option("2")
    assert _chosen(tab) == (best, third)


def test_a_gap_of_the_ranking_opens_its_pair(opened: Opened) -> None:
    tab = opened(written())
    tab.locator("#ranking tbody .link").nth(2).focus()
    tab.keyboard.press("Enter")
    assert _chosen(tab) == audited().ranking.model[2:4]
    assert tab.evaluate("document.activeElement.id") == "h-pair"


def test_a_pair_of_the_table_is_announced_and_gets_the_focus(opened: Opened) -> None:
    tab = opened(written())
    status = tab.locator("#pair-found [role=status]")
    status.evaluate("(node) => { node.same = true; }")
    before = status.inner_text()
    _all_pairs(tab).locator(".pairs .link").nth(3).focus()
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "h-pair"
    assert status.evaluate("(node) => node.same")
    assert status.inner_text() != before


def _numbers(column: "Locator") -> list[float]:
    return [float(t.replace("−", "-").split(" to ")[0]) for t in column.all_inner_texts()]


def test_pairs_sort_by_every_column(opened: Opened) -> None:
    tab = _all_pairs(opened(written()))
    heads = tab.locator(".pairs .sort")
    for k in range(heads.count()):
        ways = []
        for _ in range(2):
            heads.nth(k).click()
            ways.append(tab.locator(".pairs thead th").nth(k).get_attribute("aria-sort"))
        assert set(ways) == {"ascending", "descending"}
        assert tab.locator(".pairs [aria-sort]").count() == 1
    tab.locator('.pairs [data-column="gap"]').click()
    gaps = _numbers(tab.locator(".pairs tbody tr td:nth-child(3)"))
    assert gaps == sorted(gaps, reverse=True)
    tab.keyboard.press("Enter")
    assert _numbers(tab.locator(".pairs tbody tr td:nth-child(3)")) == sorted(gaps)


def test_pairs_sort_as_their_numbers_do(opened: Opened) -> None:
    for kind in ("binary", "incomplete", "graded"):
        tab, p = opened(written(kind)), audited(kind, pairs="all").pairs
        keys = {"interval": -p.ci_adjusted_low, "p": p.pvalue_adjusted, "q": -p.q_adjusted}
        for column, key in keys.items():
            _all_pairs(tab).locator(f'.pairs [data-column="{column}"]').click()
            shown = _rows(tab, ".pairs")
            order = np.argsort(np.round(key, 12), kind="stable")
            assert [row[:2] for row in shown] == [(p.model_a[k], p.model_b[k]) for k in order]
        tab.locator("#filter-text").fill("m3")
        assert _rows(tab, ".pairs") == [row for row in shown if "m3" in row[:2]]


def test_pairs_are_filtered(opened: Opened) -> None:
    tab = _all_pairs(opened(written()))
    audit = audited(pairs="all")
    every = _rows(tab, ".pairs")
    assert len(every) == audit.n_pairs
    p = audit.pairs
    wanted = [
        (p.model_a[k], p.model_b[k], *row[3:-1], _chip(row[-1]))
        for k, row in enumerate(
            next(g for g in document(audit).grids if "Requested" in g.title).rows
        )
    ]
    assert every == wanted
    tab.locator("#filter-text").fill("M3 m1")
    assert [row[:2] for row in _rows(tab, ".pairs")] == [("m1", "m3")]
    tab.locator("#filter-text").fill("")
    tab.locator("#show-0").uncheck()
    assert {row[-1] for row in _rows(tab, ".pairs")} == {r[-1] for r in every} - {"significant"}
    tab.locator("#show-0").check()
    tab.locator("#filter-least").fill("5")
    tab.locator("#filter-most").fill("10")
    kept = [row for row in every if 5 <= abs(float(row[2].replace("−", "-"))) <= 10]
    assert _rows(tab, ".pairs") == kept
    assert f"of {len(kept)} matching, of 21." in tab.locator("#pair-count").inner_text()
    tab.locator("#filter-least").fill("abc")
    assert tab.locator("#filter-least").get_attribute("aria-invalid") == "true"
    assert tab.locator("#filter-least-note").inner_text() == "not a valid gap; ignored"
    tab.locator("#filter-least").fill("5 pp")
    assert tab.locator("#filter-least-note").inner_text() == ""
    assert _rows(tab, ".pairs") == kept
    tab.locator("#filter-text").fill("nobody")
    assert tab.locator("#pair-count").inner_text() == "None of 21 pairs match the filter."


def test_pairs_come_a_page_at_a_time(opened: Opened) -> None:
    tab = _all_pairs(opened(written(models=20)))
    assert len(_rows(tab, ".pairs")) == 50
    tab.get_by_role("button", name="Last page").click()
    assert tab.locator("#pair-count").inner_text() == "Pairs 151 to 190 of 190."
    assert tab.get_by_role("button", name="Next page").is_disabled()
    tab.locator(".pairs tbody tr").last.click()
    assert _chosen(tab) == _rows(tab, ".pairs")[-1][:2]


def test_a_link_opens_what_it_names_and_the_address_follows(opened: Opened) -> None:
    tab = opened(written(), "#a=m5&b=m2&alpha=0.01&adjust=holm&power=0.9")
    assert _chosen(tab) == ("m5", "m2")
    assert tab.locator("#rules-now").inner_text() == "α = 0.01, 90% power, Holm"
    assert tab.locator("#policy-holm").is_checked()
    tab.get_by_role("button", name="Swap").click()
    _choose(tab, {"alpha": 0.05})
    address = tab.evaluate("location.hash")
    assert address == "#a=m2&b=m5&power=0.9&adjust=holm"
    tab.evaluate("location.hash = '#a=m1&b=m6'")
    tab.locator("#reset:disabled").wait_for()
    assert _chosen(tab) == ("m1", "m6")


def test_a_strange_link_opens_the_report_as_run(opened: Opened) -> None:
    for link in (
        *("#a=&b=", "#a=nobody", "#alpha=7&power=x&adjust=toString&margin=-1"),
        *("#a=~99&b=~0", "#a=%E0%A4&b=%", "#pair", "#a=__proto__&b=constructor"),
    ):
        tab = opened(written(), link)
        assert _chosen(tab) == audited().ranking.model[:2], link
        assert tab.locator("#reset").is_disabled(), link


def test_a_link_to_nobody_says_so_and_keeps_the_other(opened: Opened) -> None:
    best, second, *_, last = audited().ranking.model
    told = "No model here is called nobody."
    twice = f"The link names {last} twice."
    for link, pair, trouble in (
        (f"#a=nobody&b={last}", (best, last), told),
        (f"#a={best}&b=nobody", (best, second), told),
        (f"#b={best}", (second, best), ""),
        (f"#a={last}&b={last}", (last, best), twice),
        ("#a=nobody&b=no%20one", (best, second), f"{told} No model here is called no one."),
    ):
        tab = opened(written(), link)
        assert _chosen(tab) == pair
        assert tab.locator("#pair-trouble").inner_text() == trouble
    tab.get_by_role("button", name="Swap").click()
    assert tab.locator("#pair-trouble").is_hidden()


def test_rules_of_a_link_that_are_not_offered_are_as_run(opened: Opened) -> None:
    for link in ("#alpha=0.9", "#alpha=0.02&power=x", "#power=0.01&adjust=x"):
        tab = opened(written(), link)
        assert tab.locator("#reset").is_disabled(), link
        assert tab.locator("#rules-now").inner_text() == "α = 0.05, 80% power, max-T", link


def test_an_audit_at_a_tiny_level_opens_as_it_was_run(opened: Opened) -> None:
    rule = {"alpha": 1e-8, "power": 0.99999, "draws": None}
    tab = opened(written("incomplete", **rule), "#a=m3&b=m1")
    assert tab.locator("#reset").is_disabled()
    assert "99.999999% CI" in tab.locator("#ranking thead").inner_text()


def test_a_margin_stays_as_declared(opened: Opened) -> None:
    tab = opened(written("ties", margin=0.5))
    _choose(tab, {"alpha": 0.1})
    wanted = audited("ties", margin=0.5, alpha=0.1)
    assert _rows(tab, "#ranking table") == _board(wanted)
    assert wanted.verdict_counts["equivalent"]


@cache
def nasty() -> nstar.Audit:
    names = [*NASTY.values()]
    x = scores(4, models=len(names), items=120)
    labels = [NASTY["image"] if k % 3 else NASTY["script"] for k in range(120)]
    return nstar.audit(board(x, labels=labels, models=names, task=NASTY["image"]), draws=DRAWS)


@cache
def nasty_page() -> str:
    return page_of(nasty())


def test_names_are_shown_as_text_everywhere(opened: Opened) -> None:
    audit = nasty()
    tab = opened(nasty_page())
    names = audit.ranking.model
    for key, model in (("a", "image"), ("b", "script")):
        tab.locator(f"#model-{key}").select_option(str(names.index(NASTY[model])))
    _all_pairs(tab).locator("#filter-text").fill(NASTY["image"])
    shown = name(NASTY["image"])
    places = (".kicker", "#ranking tbody", "#pair-found", "#pair-groups", ".pairs tbody")
    for place in (*places, "#model-a"):
        assert shown in (tab.locator(place).text_content() or ""), place
    odd = "img, iframe, object, embed, link, form, textarea, svg script, [onerror], [onload]"
    assert tab.locator(odd).count() == 0
    assert tab.locator("[onmouseover], [style]").count() == 0
    assert tab.locator("script").count() == 2
    found = tab.locator("#ranking tbody th").all_text_contents()
    assert len(found) == len(names)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", "".join(found))


def test_a_link_to_a_strange_name_finds_it_again(opened: Opened) -> None:
    tab = opened(nasty_page())
    for key in ("image", "attribute", "markdown link", "newlines", "surrogate"):
        k = nasty().ranking.model.index(NASTY[key])
        tab.locator("#model-b").select_option(str(k))
        address = tab.evaluate("location.hash")
        opened(nasty_page(), address)
        assert tab.locator("#model-b").input_value() == str(k), key


def test_a_name_in_a_link_may_be_typed(opened: Opened) -> None:
    said = quote(NASTY["other scripts"])
    tab = opened(nasty_page(), f"#a={said}&b={quote(NASTY['image'])}")
    at = str(nasty().ranking.model.index(NASTY["other scripts"]))
    assert tab.locator("#model-a").input_value() == at


def _grave(tab: "Page", axe: str, *, colors_only: bool) -> list[str]:
    return [
        f"{v['id']}: {v['nodes'][0]['html'][:120]}"
        for v in violations(tab, axe, colors_only=colors_only)
        if v["impact"] in {"serious", "critical", "moderate"}
    ]


@pytest.mark.parametrize(
    ("width", "schemes"),
    [
        pytest.param(1280, ("light", "dark"), marks=pytest.mark.slow),
        (390, ("dark", "light")),
    ],
)
def test_accessible_at_every_width_and_in_the_dark(
    opened: Opened, page: "Page", axe: str, width: int, schemes: tuple[Any, ...]
) -> None:
    """Opened in the first scheme and looked at in both."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=schemes[0], reduced_motion="reduce")
    tab = _all_pairs(opened(written("ties", margin=0.3), "#a=m3&b=m1&alpha=0.01"))
    tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert _grave(tab, axe, colors_only=scheme != schemes[0]) == [], scheme


def test_the_page_never_scrolls_sideways(opened: Opened, page: "Page") -> None:
    for text in (written(models=20), nasty_page()):
        page.set_viewport_size({"width": 320, "height": 800})
        tab = opened(text)
        tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        for width in (320, 390, 768, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_targets_are_large_enough(opened: Opened, page: "Page") -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    tab = opened(written())
    code = """() => [...document.querySelectorAll("button, select, input, summary, nav a")]
      .filter((n) => n.offsetParent && n.type !== "radio" && n.type !== "checkbox")
      .map((n) => [n.outerHTML.slice(0, 60), n.getBoundingClientRect().height])
      .filter(([, height]) => height < 24)"""
    assert tab.evaluate(code) == []


def test_without_scripts_all_is_there_but_the_live_parts(
    browser: "Browser", tmp_path: Path
) -> None:
    context = browser.new_context(java_script_enabled=False)
    path = tmp_path / "report.html"
    path.write_text(written(), encoding="utf-8")
    tab = context.new_page()
    tab.goto(path.as_uri())
    assert tab.locator("#ranking table").is_visible()
    assert tab.locator("#without-script").is_visible()
    for hidden in ("#rules", "#pair", "#pairs"):
        assert tab.locator(hidden).is_hidden()
    context.close()


def test_an_old_browser_says_why_the_page_does_not_live(opened: Opened, own_page: "Page") -> None:
    own_page.add_init_script("delete globalThis.DecompressionStream;")
    tab = opened(written(), tab=own_page)
    assert "This browser is too old" in tab.locator("#without-script").inner_text()
    assert tab.locator("#ranking table").is_visible()
    assert tab.locator("#rules").is_hidden()
    _unfold(tab, "#paragraph")
    assert tab.locator("#paragraph button").is_visible()


def test_data_that_are_damaged_say_so(opened: Opened) -> None:
    tab = opened(written().replace('"n":7,', '"n":8,', 1))
    assert "cannot be unpacked" in tab.locator("#without-script").inner_text()
    assert tab.locator("#ranking table").is_visible()


def test_the_paragraph_is_copied_or_selected(opened: Opened) -> None:
    tab = opened(written())
    _unfold(tab, "#paragraph")
    tab.locator("#paragraph button").click()
    said = tab.locator("#paragraph [role=status]:not(:empty)")
    said.wait_for()
    if said.inner_text() != "Copied.":
        wanted = document(audited(), paragraph=True).paragraph
        assert tab.evaluate("getSelection().toString()").strip() == wanted


def test_prints_without_controls(opened: Opened) -> None:
    tab = opened(written())
    assert not tab.locator(".pairs tbody tr").count()
    assert tab.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    assert tab.locator(".pairs tbody tr").count() == 21
    tab.emulate_media(media="print", color_scheme="dark")
    for control in (".choice", ".filters", "#rules"):
        seen = [node for node in tab.locator(control).all() if node.is_visible()]
        assert not seen, control
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    tab.set_viewport_size({"width": math.floor(180 / 25.4 * 96), "height": 1000})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 680
    assert tab.locator("#ladder .ladder").is_visible()
    assert tab.locator("#ladder .narrow").is_hidden()


def test_the_average_of_tasks_is_alive_too(opened: Opened) -> None:
    tasks = [board(scores(k, models=5, items=200), task=f"task {k}") for k in (1, 2, 3)]
    result = nstar.audit(tasks, draws=DRAWS)
    tab = opened(page_of(result))
    assert _rows(tab, "#ranking table") == _board(result)
    _choose(tab, {"alpha": 0.01})
    wanted = nstar.audit(tasks, alpha=0.01, draws=DRAWS)
    assert _rows(tab, "#ranking table") == _board(wanted)
    assert tab.locator("#pair-groups tbody tr").count() == 3
    said = tab.locator("#pair-groups caption").inner_text()
    assert "Means per task; no CIs are computed." in said
