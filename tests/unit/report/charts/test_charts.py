"""Figures: well-formed, the same each time, nothing interpreted, no label on another."""

import re
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import nstar
from helpers.battles import battles, renamed
from helpers.lazily import Made
from helpers.names import MARK, with_name
from helpers.nasty import IN_MARKUP, NASTY
from nstar import audit, compare
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.audit import Audit
from nstar._verbs.battles import Battles
from nstar._verbs.compare import Comparison
from nstar._verbs.plan import Plan
from nstar._verbs.plan.board import board_pilot, plan_pilot_board
from nstar.errors import NstarError, ParameterError
from nstar.report.charts import KINDS, STYLE, Figure, _figure, figure, kinds
from nstar.report.charts._canvas import SIZES
from nstar.report.charts._ladder_rows import NARROW, WIDE
from nstar.report.charts._style import PRINT_STYLE
from nstar.report.charts._text import clean, escape, shorten, shorten_all, width
from nstar.report.charts.ladder import ladder
from nstar.report.charts.social_card import share_image
from nstar.report.charts.win_matrix import win_matrix

SVG = "{http://www.w3.org/2000/svg}"


def board(
    models: int,
    items: int = 600,
    *,
    called: Callable[[int], str] = lambda k: f"laboratory-{k % 7}/model-{k}-instruct",
    task: str = "quiz",
) -> ScoreMatrix:
    rng = np.random.default_rng(models)
    difficulty = rng.normal(size=items)
    ability = np.linspace(1.2, -1.2, models)
    scores = np.array([a + rng.normal(size=items) - difficulty > 0 for a in ability])
    return ScoreMatrix.from_arrays(
        scores.astype(float),
        models=[called(k) for k in range(models)],
        task=task,
        groups={"subject": [f"subject {k % 9}" for k in range(items)]},
    )


@cache
def comparison(names: tuple[str, str] = ("alpha", "beta"), subjects: int = 9) -> Comparison:
    rng = np.random.default_rng(3)
    return compare(
        ScoreMatrix.from_arrays(
            rng.integers(0, 2, size=(2, 400)).astype(float),
            models=names,
            task="quiz",
            groups={"subject": [f"s{k % subjects}" for k in range(400)]},
        ),
        a=names[0],
        b=names[1],
        margin=0.05,
    )


@cache
def plan(**given: Any) -> Plan:
    return nstar.plan(nstar.PairedRho(baseline=0.7, rho=0.4), **given)


def repeated(*runs: int) -> nstar.Runs:
    """One or two models with so many runs of twenty tasks."""
    rng = np.random.default_rng(3)
    rates = rng.random((20, 1))
    return nstar.runs(*((rng.random((20, n)) < rates).astype(float) for n in runs))


def watched(differences: list[float], **question: Any) -> nstar.WatchResult:
    """A watch after differences of scores around ½, or of 0/1 scores."""
    watch = nstar.Watch(**{"items": 500} | question)
    for d in differences:
        watch.update(0.5 + d / 2, 0.5 - d / 2) if d % 1 else watch.update(d > 0, d < 0)
    return watch.result


@cache
def piloted(scale: float = 1.0, *, grouped: bool = True, **asked: Any) -> nstar.BoardPlan:
    """A board from a pilot of eight models on 90 items, of nine groups if grouped.

    Groups that are not asked for give a second reading, which takes long and is not drawn.
    """
    x = board(8, 90)
    scores = scale * np.stack([x.row(name) for name in x.models], axis=1)
    groups = {"g": np.arange(90) % 9} if grouped else {}
    pilot = board_pilot(scores, groups, limits=(0.0, scale))
    return plan_pilot_board(pilot, **asked)


def raced(
    models: int, items: int = 600, *, called: Callable[[int], str] | None = None, **question: Any
) -> nstar.RaceResult:
    """A race of models in steps."""
    x = board(models, items) if called is None else board(models, items, called=called)
    race = nstar.Race(x.models, items=600, **question)
    rows = dict(zip(x.models, (x.row(name) for name in x.models), strict=True))
    for item in race.stream(range(items)):
        race.update({name: row[item] for name, row in rows.items()}, item=item)
    return race.result


COINS = np.random.default_rng(5).choice([1.0, 0.0, -1.0], 300, p=[0.2, 0.74, 0.06]).tolist()
GRADES = np.random.default_rng(4).normal(0.01, 0.2, 300).clip(-1, 1).tolist()


FEW = 99
"""Draws of max-T: what is drawn has the same parts with few as with many."""


def audited(n: int) -> Audit:
    return audit(board(n), pairs="all" if n <= 60 else "adjacent", margin=0.05, draws=FEW)


def of(audits: Made[int, Audit], n: int, kind: str) -> tuple[Audit, str, None]:
    return audits[n], kind, None


AUDITS: Made[int, Audit] = Made({n: partial(audited, n) for n in (2, 5, 60, 500)})
LISTED: Made[int, Audit] = Made(
    {n: partial(lambda k: audit(board(k), draws=FEW), n) for n in (5, 60, 500)}
)
COUNTS = {2: 40, 6: 900, 25: 400, 60: 4000, 150: 9000}
VOTES: Made[int, Battles] = Made({m: partial(battles, m, n, draws=FEW) for m, n in COUNTS.items()})


@cache
def anchored() -> Battles:
    return battles(6, 60, anchor=("laboratory-2/model-2-instruct", 1200.0), draws=FEW)


CASES: Made[str, tuple[Any, str, str | None]] = Made(
    {
        **{
            f"ladder of votes {m}": partial(lambda k: (VOTES[k], "ladder", None), m) for m in VOTES
        },
        "simulated board": lambda: (
            nstar.simulate("board", items=100, gaps=[0.03, 0.01], reps=20),
            "ladder",
            None,
        ),
        "ladder of votes, one asked": lambda: (VOTES[25], "ladder", VOTES[25].ratings.model[11]),
        "ladder of votes, anchored": lambda: (anchored(), "ladder", None),
        **{f"wins {m}": partial(lambda k: (VOTES[k], "matrix", None), m) for m in VOTES},
        **{f"ladder {n}": partial(of, AUDITS, n, "ladder") for n in AUDITS},
        "ladder, one asked": lambda: (AUDITS[60], "ladder", AUDITS[60].ranking.model[31]),
        "ladder, one of many": lambda: (AUDITS[500], "ladder", AUDITS[500].ranking.model[333]),
        **{f"forest {n}": partial(of, LISTED, n, "forest") for n in LISTED},
        "forest, all pairs": lambda: (AUDITS[60], "forest", None),
        "clusters": lambda: (audit(board(12), cluster="subject", draws=FEW), "ladder", None),
        "two tasks": lambda: (
            audit([board(6), board(6, task="exam")], draws=FEW),
            "ladder",
            None,
        ),
        "groups": lambda: (comparison(), "groups", None),
        "many groups": lambda: (comparison(subjects=130), "groups", None),
        "comparison": lambda: (comparison(), "forest", None),
        "power by items": lambda: (plan(delta=0.02), "power", None),
        "power by gap": lambda: (plan(items=1000), "power", None),
        "passes": lambda: (repeated(4), "passes", None),
        "passes of two": lambda: (repeated(3, 40), "passes", None),
        "evidence, decided": lambda: (watched(COINS), "evidence", None),
        "evidence, far beyond": lambda: (watched([1.0, 1.0, 0.0] * 150), "evidence", None),
        "evidence, open": lambda: (watched(COINS[:60], margin=0.02), "evidence", None),
        "evidence, not worse": lambda: (watched([0.0] * 200, margin=0.05), "evidence", None),
        "evidence, less is better": lambda: (
            watched(COINS, margin=0.05, lower_is_better=True),
            "evidence",
            None,
        ),
        "evidence, graded": lambda: (
            watched(GRADES, scale="graded", margin=0.05, equivalence=True),
            "evidence",
            None,
        ),
        "evidence, asymptotic": lambda: (
            watched(GRADES, scale="graded", asymptotic=True),
            "evidence",
            None,
        ),
        "evidence of two items": lambda: (watched([1.0, -1.0]), "evidence", None),
        "gaps": lambda: (piloted(items=300), "gaps", None),
        "gaps of a gap": lambda: (piloted(delta=0.02, models=30, grouped=False), "gaps", None),
        "gaps, both": lambda: (piloted(items=500, delta=0.05, cluster="g"), "gaps", None),
        "gaps, graded": lambda: (piloted(items=500, strata="g", scale=20.0), "gaps", None),
        "gaps, too few items": lambda: (piloted(items=4, grouped=False), "gaps", None),
        "race, won": lambda: (raced(9), "race", None),
        "race of many": lambda: (raced(70), "race", None),
        "race, open": lambda: (raced(4, items=6), "race", None),
        "race, less is better": lambda: (raced(5, lower_is_better=True), "race", None),
    }
)


def as_drawn(case: str) -> Figure:
    if case in CARDS:
        return share_image(CASES[CARDS[case]][0])
    if case in NARROWED:
        result, kind, where = CASES[NARROWED[case]]
        if kind == "matrix":
            return win_matrix(result, width=NARROW)
        return ladder(result, where=where, width=NARROW)
    result, kind, where = CASES[case]
    return figure(result, kind, where=where)  # type: ignore[arg-type]


NARROWED = {
    f"narrow {case}": case
    for case in CASES
    if case.startswith(("ladder", "wins")) and case != "ladder 500"
}
CARDS = {f"card {case}": case for case in CASES if case.startswith("ladder ")}
DRAWN = (*CASES, *NARROWED, *CARDS)
FIGURES: Made[str, Figure] = Made({case: partial(as_drawn, case) for case in DRAWN})
every_figure = pytest.mark.parametrize("case", DRAWN)


def parse(svg: str) -> ET.Element:
    return ET.fromstring(svg.encode())  # noqa: S314 our own


def boxes(root: ET.Element) -> list[tuple[float, float, float, float, str]]:
    """Left, top, right and bottom of every text, those of a legend included."""
    out = []
    for text in root.iter(f"{SVG}text"):
        size = SIZES.get(text.get("class", "").split(" ")[0], 13)
        wide, words = width(text.text or "", size), text.text or ""
        shift = {"end": 1.0, "middle": 0.5}.get(text.get("text-anchor", ""), 0.0)
        left = float(text.get("x", 0)) - shift * wide
        base = float(text.get("y", 0))
        out.append((left, base - 0.75 * size, left + wide, base + 0.2 * size, words))
    return out


def check_document(drawn: Figure, root: ET.Element) -> None:
    """Words for those who cannot see it, and a table of its numbers."""
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert (title.text, desc.text) == (drawn.title, drawn.alt)
    assert root.findtext(f"{SVG}metadata") == drawn.caption
    assert drawn.caption.endswith(".")
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert 40 < len(drawn.alt) < 700
    assert drawn.alt.endswith(".")
    assert drawn.table.rows
    assert {len(row) for row in drawn.table.rows} == {len(drawn.table.header)}


def check_takes_nothing_from_elsewhere(svg: str, root: ET.Element) -> None:
    tags = {e.tag.removeprefix(SVG) for e in root.iter()}
    assert tags <= {"svg", "title", "desc", "metadata", "style", "g", "rect", "path", "text"}
    assert svg.count("http") == 1
    assert not re.search(r"url\(|@import|href|style=", svg)
    assert not re.search(
        r"nan|inf\b|\d\.\d{3}|[ \"]-0[ \"]", re.sub(r"<(t|d)e[^>]*>[^<]*", "", svg)
    )


def check_labels_do_not_collide(root: ET.Element) -> None:
    every = boxes(root)
    words = [box[-1] for box in every]
    left, top, right, bottom = np.array([box[:-1] for box in every]).reshape(-1, 4).T
    wide, high = (float(root.get(side, 0)) for side in ("width", "height"))
    beyond = (left < 0) | (right > wide) | (top < 0) | (bottom > high)
    assert not beyond.any(), [words[k] for k in np.flatnonzero(beyond)]
    meet = (right[:, None] > left) & (right > left[:, None])
    meet &= (bottom[:, None] > top) & (bottom > top[:, None])
    pairs = np.argwhere(np.triu(meet, 1))
    assert not pairs.size, [(every[a], every[b]) for a, b in pairs]


@pytest.mark.sampled(3)
@every_figure
def test_is_whole_alone_legible_and_the_same_each_time(case: str) -> None:
    """All that holds for every figure, of one tree: most of them take long to make."""
    drawn = FIGURES[case]
    root = parse(drawn.svg)
    check_document(drawn, root)
    check_takes_nothing_from_elsewhere(drawn.svg, root)
    check_labels_do_not_collide(root)
    assert as_drawn(case) == drawn


def test_labels_that_collide_or_leave_the_figure_are_noticed() -> None:
    root = parse(FIGURES["ladder 5"].svg)
    texts = list(root.iter(f"{SVG}text"))
    check_labels_do_not_collide(root)
    texts[-1].attrib["x"] = "-1"
    with pytest.raises(AssertionError):
        check_labels_do_not_collide(root)
    texts[-1].attrib.update(texts[-2].attrib)
    with pytest.raises(AssertionError):
        check_labels_do_not_collide(root)


def test_many_models_keep_first_last_asked_and_tiers() -> None:
    asked = AUDITS[500].ranking.model[333]
    texts = {words for *_, words in boxes(parse(FIGURES["ladder, one of many"].svg))}
    shown = [AUDITS[500].ranking.rank[i] for i in (0, 333, 499)]
    assert {f"{rank}" for rank in shown} <= texts
    assert any(words.startswith(asked[:8]) for words in texts)
    assert 30 < sum(words.startswith(asked[:8]) for words in texts) < 130


def test_files_stay_small() -> None:
    assert len(figure(audit(board(29), draws=FEW)).svg.encode()) < 23_000
    assert len(FIGURES["ladder 500"].svg.encode()) < 100_000
    assert len(FIGURES["wins 60"].svg.encode()) < 100_000


def test_ladder_table_is_the_ranking() -> None:
    ranks, table = AUDITS[60].ranking, FIGURES["ladder 60"].table
    assert [row[0] for row in table.rows] == [f"{r}" for r in ranks.rank]
    assert [row[1] for row in table.rows] == list(ranks.model)
    assert [float(row[2]) for row in table.rows] == pytest.approx(100 * ranks.mean, abs=0.005)
    for row, low, high in zip(table.rows, ranks.rank_low, ranks.rank_high, strict=True):
        assert row[3] == (f"{low}" if low == high else f"{low}–{high}")
    assert [int(row[4]) for row in table.rows] == ranks.tier.tolist()
    assert FIGURES["ladder, one asked"].table.marked == 31


@pytest.mark.parametrize("case", ["ladder 60", "narrow ladder 60", "ladder 500"])
def test_bars_of_a_ladder_are_the_rank_ranges(case: str) -> None:
    ranks, root = AUDITS[int(case.rsplit(maxsplit=1)[-1])].ranking, parse(FIGURES[case].svg)
    bars = [p for p in root.findall(f"{SVG}path") if p.get("class", "").startswith("set")]
    ends = np.array([re.findall(r"[\d.]+", p.get("d", "")) for p in bars], dtype=float)
    for column, k in ((ranks.rank_low, 0), (ranks.rank_high, 2)):
        fitted = np.polyval(np.polyfit(column, ends[:, k], 1), column)
        assert ends[:, k] == pytest.approx(fitted, abs=0.1)
    assert (np.diff(ends[:, 1]) > 0).all()
    alone = ["one" in p.get("class", "") for p in bars]
    assert alone == (ranks.rank_low == ranks.rank_high).tolist()


def test_ladder_fits_a_page_and_a_telephone() -> None:
    assert float(parse(FIGURES["ladder 60"].svg).get("width", 0)) == WIDE
    narrow = parse(FIGURES["narrow ladder 60"].svg)
    assert float(narrow.get("width", 0)) == NARROW
    styles = {text.get("class", "").split(" ")[0] for text in narrow.iter(f"{SVG}text")}
    assert all(SIZES.get(style, 13) >= 11 for style in styles)
    names = {t.text for t in parse(FIGURES["ladder 60"].svg).iter(f"{SVG}text")}
    assert set(AUDITS[60].ranking.model) <= names


def test_ladder_says_what_it_found_and_what_intervals_are_not() -> None:
    drawn = FIGURES["ladder 60"]
    told = AUDITS[60].resolvable_gap
    assert told is not None
    assert drawn.title == f"These 600 items detect gaps of about {100 * told.median:.1f} pp"
    words = " ".join(re.findall(r"<text[^>]*>([^<]*)", drawn.svg))
    assert "Do not compare models by their overlap" in words
    assert "gaps between adjacent models are inconclusive" in words


def test_ladder_draws_an_interval_for_every_score() -> None:
    ranks, root = AUDITS[5].ranking, parse(FIGURES["ladder 5"].svg)
    wires = [p.get("d", "") for p in root.iter(f"{SVG}path") if p.get("class") == "ci w6"]
    ends = np.array([re.findall(r"[\d.]+", d) for d in wires], dtype=float)[:, [0, 2]]
    dots = [p.get("d", "") for p in root.iter(f"{SVG}path") if p.get("class") == "score w8"]
    at = np.array([re.findall(r"[\d.]+", d)[0] for d in dots], dtype=float)
    scale = np.polyfit(ranks.mean, at, 1)
    expected = np.stack([np.polyval(scale, x) for x in (ranks.ci_low, ranks.ci_high)], axis=1)
    assert ends == pytest.approx(expected, abs=0.3)
    assert FIGURES["ladder 5"].table.header[6] == "95% CI"


def test_a_model_with_fewer_items_is_marked_where_it_stands() -> None:
    scores = np.stack([board(4).row(k) for k in range(4)])
    scores[1, :300] = np.nan
    names = ["one", "two", "three", "four"]
    fewer = audit(ScoreMatrix.from_arrays(scores, models=names, task="quiz"))
    drawn = figure(fewer)
    texts = {words for *_, words in boxes(parse(drawn.svg))}
    assert "two †" in texts
    assert not {"one †", "three †"} & texts
    assert "† Fewer items (300 of 600)" in drawn.svg
    assert "†" not in FIGURES["ladder 5"].svg


def test_equivalent_pairs_have_a_shape_of_their_own() -> None:
    scores = np.ones((3, 900))
    scores[:, ::3] = 0
    scores[1, 300:306] = 1 - scores[1, 300:306]
    scores[2, :700] = 0
    alike = ScoreMatrix.from_arrays(scores, models=["a", "b", "c"], task="quiz")
    found = audit(alike, pairs="all", margin=0.05, delta=0.02)
    assert found.verdict_counts["equivalent"] == 1
    drawn = figure(found, "forest")
    assert "equivalent" in {row[-1] for row in drawn.table.rows}
    assert "1 equivalent" in drawn.alt


def test_forest_table_is_the_pairs() -> None:
    pairs, rows = LISTED[60].adjacent, FIGURES["forest 60"].table.rows
    assert [row[:2] for row in rows] == list(zip(pairs.model_a, pairs.model_b, strict=True))
    drawn = [float(row[2].replace("−", "-").removesuffix(" pp")) for row in rows]
    assert drawn == pytest.approx(100 * pairs.gap, abs=0.05)
    assert tuple(row[-1] for row in rows) == pairs.verdict


def test_forest_shows_the_margin() -> None:
    assert 'class="band"' in FIGURES["comparison"].svg
    assert "declared margin ±5 pp" in FIGURES["comparison"].svg
    assert "margin" not in FIGURES["forest 60"].svg


def test_forest_refuses_what_nobody_can_read() -> None:
    with pytest.raises(ParameterError, match="6,555 gaps"):
        figure(audit(board(115, 60), pairs="all", draws=FEW), "forest")


def test_shares_of_groups_add_up_to_the_gap() -> None:
    shares = [row[-1].replace("−", "-") for row in FIGURES["groups"].table.rows]
    total = sum(float(s.removesuffix(" pp")) for s in shares)
    assert total == pytest.approx(100 * comparison().tasks[0].gap, abs=0.05)


def test_curves_carry_the_numbers_of_the_plan() -> None:
    assert "4,853 items" in FIGURES["power by items"].svg
    precise = plan(half_width=0.1, items=100)
    with pytest.raises(ParameterError, match="no power curve"):
        figure(precise)


def test_evidence_has_what_the_watch_said() -> None:
    decision, drawn = watched(COINS), FIGURES["evidence, decided"]
    assert decision.decided_at is not None
    assert decision.decided_at < decision.n_items
    assert f"better after {decision.decided_at} items" in drawn.svg
    assert drawn.svg.count('class="full"') == 2
    rows = {row[0]: row for row in drawn.table.rows}
    assert rows["300"][1:4] == tuple(
        f"{100 * v:+.1f} pp".replace("-", "−")
        for v in (decision.gap, *decision.confidence_sequence)
    )
    assert float(rows[f"{decision.decided_at}"][4]) >= 20
    assert "margin" not in drawn.table.header
    assert 'class="full"' not in FIGURES["evidence, open"].svg
    assert FIGURES["evidence, open"].table.header[-1] == "margin"


def test_a_race_is_drawn_as_it_ended() -> None:
    found, drawn = raced(9), FIGURES["race, won"]
    rows = {row[0]: row for row in drawn.table.rows}
    assert [*rows] == [found.leader, *(d.model for d in found.eliminated_models)]
    last = found.eliminated_models[0]
    assert rows[last.model][1] == f"{last.n_items:,}"
    assert rows[last.model][3] == last.beaten_by
    assert rows[found.leader][2:] == ("leads", "–")
    with pytest.raises(ParameterError, match="Nothing to draw yet"):
        figure(nstar.Race(["a", "b", "c"], items=9).result)


def test_gaps_are_those_of_the_plan() -> None:
    found, drawn = piloted(items=300), FIGURES["gaps"]
    at = next(p for p in found.mde_by_items if p.n_items == 300)
    mde = {row.claim: row.mde for row in found.readings[0].claims}
    assert at.all_pairs == pytest.approx(mde["all-pairs"])
    assert at.best == pytest.approx(mde["best"])
    row = next(row for row in drawn.table.rows if row[0] == "300")
    assert row[1] == f"{100 * at.all_pairs:.1f} pp"
    assert "300 items" in drawn.svg


def test_evidence_needs_two_items() -> None:
    with pytest.raises(ParameterError, match="needs at least two items"):
        figure(watched([1.0]))


def named(name: str) -> tuple[Audit, Comparison, nstar.WatchResult, nstar.RaceResult]:
    """Results with a name wherever one can be."""
    return (
        audit(board(4, called=lambda k: f"{name}{k}", task=name), pairs="all", draws=FEW),
        comparison((f"a{name}", f"b{name}")),
        watched(GRADES[:9], scale="graded", a=f"a{name}", b=f"b{name}"),
        raced(4, 20, called=lambda k: f"{name}{k}"),
    )


@pytest.fixture(scope="module")
def marked() -> tuple[Audit, Comparison, nstar.WatchResult, nstar.RaceResult]:
    return named(MARK)


@pytest.mark.parametrize("key", ["script", "surrogate"])
def test_a_name_put_in_later_is_one_from_the_start(key: str, marked: Any) -> None:
    assert with_name(marked, NASTY[key]) == named(NASTY[key])


@pytest.mark.parametrize("nasty", IN_MARKUP)
def test_names_stay_names(nasty: str, marked: Any) -> None:
    ranked, compared, watch, race = with_name(marked, nasty)
    drawn = [figure(ranked, kind, where=None) for kind in ("ladder", "forest")]
    drawn += [figure(compared, kind) for kind in ("forest", "groups")]
    voted = renamed(VOTES[6], lambda own: f"{nasty}{own[-10:]}")
    drawn += [figure(voted, "ladder"), figure(voted, "matrix"), win_matrix(voted, width=NARROW)]
    drawn += [figure(watch), figure(race)]
    for one in drawn:
        root = parse(one.svg)
        attributes = {a for e in root.iter() for a in e.attrib}
        assert not {a for a in attributes if a.startswith("on") or "href" in a}
        assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
            *("svg", "title", "desc", "metadata", "style", "g", "rect", "path", "text")
        }
        assert len(one.svg) < 40_000
        assert all(c.isprintable() or c == "\n" for c in one.svg)


def test_escaping_and_cleaning() -> None:
    assert escape("<img src=x onerror=a()>") == "&lt;img src=x onerror=a()&gt;"
    assert escape("]]>\"'&") == "]]&gt;&quot;&#39;&amp;"
    assert clean("a\ud800\x00\u202eb") == "a???b"
    assert clean("🚀") == "🚀"
    assert clean("Z" + "\u0351" * 40 + "!") == "Z\u0351\u0351!"


def test_shortened_names_fit_and_differ() -> None:
    names = [f"Meta-Llama-3.1-{k}B-Instruct-and-a-long-tail" for k in range(10, 40)]
    short = shorten_all(names, 140)
    assert len(set(short)) == len(names)
    assert all(width(s) <= 140 for s in short)
    assert shorten("模型" * 200, 60) == "模型…模型"
    assert shorten("abc", 1) == "…"
    assert shorten_all(["same", "same"], 100) == ["same", "same"]


def test_kinds_and_their_refusals() -> None:
    assert kinds(LISTED[5]) == ("ladder", "forest")
    assert figure(comparison()).title == figure(comparison(), "forest").title
    with pytest.raises(ParameterError, match="one of forest, groups"):
        figure(comparison(), "ladder")
    with pytest.raises(ParameterError, match="No figure"):
        figure(SimpleNamespace())  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="where applies"):
        figure(LISTED[5], "forest", where="x")
    with pytest.raises(ParameterError, match="No ranked model"):
        figure(LISTED[5], where="x")
    with pytest.raises(ParameterError, match="No compared task"):
        figure(comparison(), "groups", where="x")
    assert all(offered for offered in KINDS.values())


def test_a_comparison_without_groups_has_no_split() -> None:
    plain = ScoreMatrix.from_arrays(np.eye(2).repeat(20, axis=1), models=["a", "b"], task="plain")
    with pytest.raises(ParameterError, match="have no groups"):
        figure(compare(plain, a="a", b="b"), "groups")


def test_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = FIGURES["ladder 5"]
    drawn.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == drawn.svg
    with pytest.raises(ParameterError, match=r"got '\.gif'"):
        drawn.save(tmp_path / "a.gif")
    for suffix, renderer in RENDERERS.items():
        monkeypatch.setitem(sys.modules, renderer, None)
        with pytest.raises(NstarError, match=rf"{suffix.upper()} .*nstar\[{suffix}\]"):
            drawn.save(tmp_path / f"a.{suffix}")
        assert not (tmp_path / f"a.{suffix}").exists()


RENDERERS = {"pdf": "cairosvg", "png": "resvg_py"}


@pytest.mark.parametrize("suffix", RENDERERS)
def test_paper_gets_plain_colors(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    def pdf(*, bytestring: bytes) -> bytes:
        given.append(bytestring.decode())
        return b"drawn"

    def png(*, svg_string: str, zoom: float, **fonts: Any) -> bytes:
        assert (zoom, fonts["font_family"], fonts["skip_system_fonts"]) == (2, "Inter", True)
        assert [Path(f).name for f in fonts["font_files"]] == [
            "Inter-Bold.ttf",
            "Inter-Regular.ttf",
        ]
        given.append(svg_string)
        return b"drawn"

    fake = SimpleNamespace(svg2pdf=pdf, svg_to_bytes=png)
    monkeypatch.setitem(sys.modules, RENDERERS[suffix], fake)
    FIGURES["ladder 5"].save(tmp_path / f"a.{suffix}")
    assert (tmp_path / f"a.{suffix}").read_bytes() == b"drawn"
    assert "var(" not in given[0]
    assert "@media" not in given[0]


def test_a_png_has_the_same_pixels_with_and_without_system_fonts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    renderer = pytest.importorskip("resvg_py")
    draw, drawn = renderer.svg_to_bytes, FIGURES["ladder 5"]
    alone = drawn.render(".png")
    fake = SimpleNamespace(
        svg_to_bytes=lambda **options: draw(**options | {"skip_system_fonts": False})
    )
    monkeypatch.setitem(sys.modules, "resvg_py", fake)
    assert drawn.render(".png") == alone


def test_a_letter_without_a_font_becomes_a_question_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    def png(*, svg_string: str, skip_system_fonts: bool, zoom: float = 1, **_: Any) -> bytes:
        assert not skip_system_fonts
        given.append(svg_string)
        return b"ink" if "Ж" in svg_string else b"blank"

    monkeypatch.setitem(sys.modules, "resvg_py", SimpleNamespace(svg_to_bytes=png))
    _figure.to_png("<svg>Ж模é</svg>")
    assert given[-1] == "<svg>Ж?é</svg>"


def test_a_share_image_has_the_size_that_networks_ask_for() -> None:
    pytest.importorskip("resvg_py")
    for models in (2, 60, 500):
        png = share_image(AUDITS[models]).render(".png")
        assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (1200, 630)
        assert len(png) > 20_000


def test_style_knows_dark_and_print() -> None:
    assert "prefers-color-scheme:dark" in STYLE
    assert "@media print" in STYLE
    used = set(re.findall(r"var\((--nf-[a-z-]+)\)", STYLE))
    assert used <= set(re.findall(r"(--nf-[a-z-]+):", STYLE))
    assert "var(" not in PRINT_STYLE
    drawn = FIGURES["ladder 5"]
    assert STYLE not in drawn.fragment()
    parse(drawn.fragment())
    assert drawn._repr_svg_() == drawn.svg
