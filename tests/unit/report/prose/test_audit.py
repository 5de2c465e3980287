"""Audits of one and of several tasks, in words and in JSON."""

import json
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from helpers.boards import with_task
from helpers.lazily import Made
from helpers.schemas import validate
from nstar import audit
from nstar._base.types import Interval
from nstar._data.findings import find
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.audit import Audit, OrderFlip
from nstar.errors import ParameterError
from nstar.report import document, render
from nstar.report.prose.audit.tables import gap_scale
from nstar.report.prose.gap import span

RNG = np.random.default_rng(4)
NAN = float("nan")
ABILITY = (1.5, 1.4, 0.8, 0.75, 0.7, -0.5)
WON = ("significant",)


def flat(text: str) -> str:
    return " ".join(text.split())


def schema(kind: str) -> Any:
    return json.loads((files("nstar.report") / "schemas" / f"{kind}.schema.json").read_text())


def board(
    ability: tuple[float, ...] = ABILITY,
    items: int = 400,
    *,
    missing: int = 0,
    graded: bool = False,
    task: str = "quiz",
) -> ScoreMatrix:
    """Models m0, m1 … from best to worst; the second may lack its last items."""
    rng = np.random.default_rng(len(ability) + items)
    difficulty = rng.normal(size=items)
    scores = np.array([a + rng.normal(size=items) - difficulty for a in ability])
    scores = np.round(1 / (1 + np.exp(-scores)), 2) if graded else (scores > 0).astype(float)
    scores = scores[np.argsort(-scores.mean(axis=1), kind="stable")]
    if missing:
        scores[1, -missing:] = NAN
    return ScoreMatrix.from_arrays(
        scores,
        models=[f"m{k}" for k in range(len(ability))],
        task=task,
        groups={"subject": [f"s{k % 5}" for k in range(items)]},
    )


CASES: Made[str, Audit] = Made(
    {
        "plain": lambda: audit(board()),
        "two models": lambda: audit(board((1.0, 0.0))),
        "equal": lambda: audit(board((0.5, 0.5, 0.5), 60)),
        "missing": lambda: audit(board(missing=40)),
        "common": lambda: audit(board(missing=40), items="common"),
        "strata": lambda: audit(board(), strata="subject", delta=0.02),
        "margin": lambda: audit(board(items=3000), margin=0.05),
        "clusters": lambda: audit(board(), cluster="subject"),
        "graded": lambda: audit(board(graded=True)),
        "alone": lambda: audit(board(), adjust="none"),
        "discoveries": lambda: audit(board(), adjust="bh"),
        "top": lambda: audit(board(), pairs="top:3"),
        "all": lambda: audit(board(), pairs="all"),
        "many": lambda: audit(board(tuple(np.linspace(2, -2, 60)), 200), draws=999),
        "very many": lambda: audit(board(tuple(np.linspace(2, -2, 220)), 50), draws=999),
    }
)


def row_of(result: Audit, model: str) -> tuple[str, ...]:
    grid = document(result).grids[0]
    column = grid.header.index("model")
    return next(row for row in grid.rows if row[column] == model)


# --- words --------------------------------------------------------------------------------


def test_the_headline_has_the_answer() -> None:
    result = CASES["plain"]
    said = document(result).headline
    still = result.adjacent.verdict.count("inconclusive")
    size = 100 * float(np.median(result.adjacent.mde_adjusted))
    assert said.startswith(
        f"m0 or m1 could be best; {still} of 5 gaps between adjacent models are inconclusive. On "
        "400 items of quiz, observed gaps above "
    )
    assert f"true gaps of {size:.1f} pp (6.3 to 10.7 by pair) are detected with 80% power." in said
    p = result.adjacent
    assert ((abs(p.gap) >= p.significant_gap_adjusted - 1e-12) == np.isin(p.verdict, WON)).all()


def test_who_may_be_the_best() -> None:
    assert "could be best;" in document(CASES["equal"]).headline
    assert document(CASES["two models"]).headline.startswith(
        "m0 is the clear leader; the gap between the two models is significant. On "
    )


@pytest.mark.parametrize("groups", [4, 5])
def test_few_groups_do_not_decide_the_headline(groups: int) -> None:
    """Each model wins one group: neighbors are told apart on items, not across groups."""
    rng = np.random.default_rng(1)
    group = np.arange(600) % groups
    level = np.linspace(0.8, 0.3, 4)[:, None] + 0.3 * rng.normal(size=(4, groups))[:, group]
    found = audit(
        ScoreMatrix.from_arrays(
            (rng.random((4, 600)) < level).astype(float),
            models=["a", "b", "c", "d"],
            groups={"subject": [f"s{k}" for k in group]},
        )
    )
    rows = {s.assumption: s for s in found.sensitivity if s.family == "adjacent"}
    open_ = found.adjacent.verdict.count("inconclusive")
    assert rows["cluster:subject"].n_inconclusive != open_
    assert ("across new subjects" in document(found).headline) == (groups >= 5)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", CASES)
def test_every_format_is_honest(case: str) -> None:
    result = CASES[case]
    for format_ in ("text", "markdown", "html"):
        said = flat(render(result, format_, paragraph=True)).lower()
        assert "no difference" not in said
        assert " nan" not in said
        assert "p = 0)" not in said
    assert str(result) == render(result).rstrip()


def test_text_stays_narrow_where_names_do() -> None:
    lines = render(CASES["plain"]).splitlines()
    assert max(map(len, lines)) <= 90


def test_where_comes_first() -> None:
    result = CASES["plain"]
    said = document(result, where="m2").headline
    assert said.startswith("m2 ranks 3 of 6 (95% rank range ")
    assert "pp gap to m1 above is significant; the 4.0 pp lead over m3 is inconclusive. " in said
    grid = document(result, where="m2").grids[0]
    assert grid.marked is not None
    assert grid.rows[grid.marked][2] == "m2"
    assert json.loads(render(result, "json", where="m2"))["headline"] == said


def test_where_at_either_end() -> None:
    result = CASES["plain"]
    assert " above is " not in document(result, where="m0").headline
    assert " lead over " not in document(result, where="m5").headline
    with pytest.raises(ParameterError, match="No ranked model is called 'm9'"):
        document(result, where="m9")


def test_only_a_ranking_has_places() -> None:
    with pytest.raises(ParameterError, match="a Comparison has no ranks"):
        document(CASES["plain"].compare("m0", "m1"), where="m0")


def test_lines_separate_tiers() -> None:
    result = CASES["plain"]
    grid = document(result).grids[0]
    tier = result.ranking.tier
    assert grid.lines == tuple(k for k in range(1, 6) if tier[k] != tier[k - 1])
    assert render(result, level="full").count("  ───") == len(grid.lines) + 1
    ranked = render(result, "markdown", level="full").split("Sensitivity analysis")[0]
    assert ranked.count("\n| — |") == len(grid.lines)


def test_a_full_report_ranks_every_model() -> None:
    grid = document(CASES["many"]).grids[0]
    assert [row[2] for row in grid.rows] == list(CASES["many"].ranking.model)


def test_a_very_long_ranking_shows_its_ends_and_the_model_asked_about() -> None:
    found = CASES["very many"]
    grid = document(found, where="m150").grids[0]
    names = [row[2] for row in grid.rows]
    assert names[:100] == list(found.ranking.model[:100])
    assert names[-20:] == list(found.ranking.model[-20:])
    assert "m150" in names
    hidden = [int(n.split()[1]) for n in names if n.startswith("…")]
    assert sum(hidden) + len(names) - len(hidden) == 220
    assert grid.title.endswith(f"; {sum(hidden)} models only in to_frame()")


def test_items_are_shown_where_they_differ() -> None:
    assert "items" not in document(CASES["plain"]).grids[0].header
    assert row_of(CASES["missing"], "m1")[5] == "360"
    assert "items" not in document(CASES["common"]).grids[0].header


def test_stress_counts_stand_side_by_side() -> None:
    grid = document(CASES["plain"]).grids[1]
    assert grid.header == ("assumption", "critical |t|", "N* ×", "adjacent", "all")
    assert [row[0] for row in grid.rows][:3] == [
        "independent items",
        "strata by subject",
        "clusters by subject",
    ]
    rows = {(s.assumption, s.family): s for s in CASES["plain"].sensitivity}
    first = rows["independent", "adjacent"]
    assert grid.rows[0][3] == f"{first.n_unresolved} of {first.n_pairs}"
    assert grid.marked is None
    assert document(CASES["top"]).grids[2].header[4:6] == ("adjacent in top 3", "top 3")


def test_pairs_that_were_asked_for_are_listed() -> None:
    grid = document(CASES["top"]).grids[1]
    assert grid.title == "Requested pairs (top:3)"
    assert [row[:2] for row in grid.rows] == [("m0", "m1"), ("m0", "m2"), ("m1", "m2")]
    assert len(document(CASES["all"]).grids[1].rows) == 15


@pytest.mark.parametrize("case", ["plain", "missing", "clusters", "discoveries", "all"])
def test_an_interval_says_that_it_is_adjusted(case: str) -> None:
    doc, p = document(CASES[case]), CASES[case].adjacent
    for grid in (doc.key[0], doc.grids[0]):
        column = grid.header.index("adjusted 95% CI")
        ends = Interval(p.ci_adjusted_low[0], p.ci_adjusted_high[0])
        shown = span(gap_scale(CASES[case]), ends).removesuffix(" pp")
        assert grid.rows[0][column] == shown
    full = doc.grids[-1]
    assert full.title.startswith("Unadjusted CIs and p-values, per pair")
    assert full.header == ("first", "second", "gap (pp)", "unadjusted 95% CI", "p")
    assert full not in doc.key
    assert len(full.rows) == (15 if case == "all" else 5)


def test_without_adjustment_every_interval_is_unadjusted() -> None:
    doc = document(CASES["alone"])
    assert "unadjusted 95% CI" in doc.grids[0].header
    assert not any(grid.title.startswith("Unadjusted") for grid in doc.grids)
    assert "CIs are unadjusted, like the verdicts" in " ".join(doc.assumptions)


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (
            "plain",
            "(single-step max-T), except for pairs that step-down max-T rejects only "
            "at a later step",
        ),
        (
            "missing",
            "(Bonferroni), except for pairs that Holm rejects only at a later step. Their",
        ),
        ("discoveries", "share of CIs that miss the true gap is at most 0.05"),
    ],
)
def test_the_intervals_say_what_they_promise(case: str, said: str) -> None:
    assert said in " ".join(document(CASES[case]).assumptions)
    assert said in flat(render(CASES[case], "latex", level="full")).replace("\\,", " ")


def test_intervals_at_a_later_step_are_counted() -> None:
    found = CASES["all"]
    p = found.pairs
    late = [
        k for k, word in enumerate(p.verdict) if word in WON and p.pvalue[k] > found.interval_alpha
    ]
    said = " ".join(document(found).notes)
    assert bool(late) == ("Step-down max-T finds" in said)
    later = replace(found, interval_alpha=1e-300)
    gaps = sum(word in WON for word in p.verdict)
    said = " ".join(document(later).notes)
    assert (
        f"finds {gaps} gaps significant only at a later step. Their adjusted CIs use "
        "the level of that step" in said
    )


# --- notes --------------------------------------------------------------------------------


def notes(case: str) -> str:
    return " ".join(document(CASES[case]).notes)


def test_undeclared_groups_are_explained() -> None:
    assert "Treated as strata: does the gap hold for new items from the same 5 groups?" in notes(
        "plain"
    )
    assert "Treated as clusters: does the gap hold for new groups?" in notes("plain")
    assert "As strata" not in notes("strata")
    assumed = " ".join(document(CASES["clusters"]).assumptions)
    assert "Items are clustered by subject: these 5 groups are a random sample" in assumed


def test_missing_items_are_never_silent() -> None:
    assert "Models have 360 to 400 items" in notes("missing")
    assert "The adjustment method is Holm (the models were scored on different items" in notes(
        "missing"
    )
    assert "Excluded: 40 items that not every model answered." in notes("common")


def test_declared_gap_and_margin() -> None:
    for level in ("brief", "short", "full"):
        said = " ".join(render(CASES["strata"], level=level).split())
        assert (
            "The power for the declared gap of 2 pp reaches 80% in 0 of 5 adjacent "
            "pairs (unadjusted)." in said
        )
    assert "To detect the declared gap of 2 pp" in notes("strata")
    assert (
        "of 15 pairs are equivalent within ±5 pp; inconclusive pairs are not shown to "
        "be equivalent." in notes("margin")
    )


def test_a_reversed_order_is_told_with_both_means() -> None:
    flip = OrderFlip(
        model_a="m0", model_b="m1", own_mean_a=0.636, own_mean_b=0.628, n_items=10351, gap=-0.0092
    )
    found = [find("order-flips", "the same"), find("missing-items", "m1 lacks 3")]
    told = document(
        with_task(replace(CASES["missing"], findings=tuple(found)), order_flips=(flip,))
    ).notes
    assert told[0] == "Warning: m1 lacks 3."
    assert told[1] == (
        "m0 outscores m1 on its own items (63.60% vs 62.80%) but trails by 0.9 pp on the 10,351 "
        "shared items."
    )
    assert not any("order-flips" in note for note in told)
    eight = with_task(CASES["missing"], order_flips=(flip,) * 8)
    (rest,) = (note for note in document(eight).notes if "reverse order" in note)
    assert rest == (
        "8 adjacent pairs reverse order on shared items. The largest reversal: m0 "
        "outscores m1 on its "
        "own items (63.60% vs 62.80%) but trails by 0.9 pp on the 10,351 shared items."
    )
    tiny = with_task(CASES["missing"], order_flips=(replace(flip, gap=-1e-5),))
    assert any(note.startswith("1 adjacent pair reverses") for note in document(tiny).notes)


def test_stability_pairing_and_shortcut() -> None:
    said = notes("plain")
    assert "If one subject at a time is left out" in said
    assert "The median rho between models is" in said
    assert "A calculator that uses one model's variance" in said
    assert "A calculator" not in notes("graded")


def test_the_guarantee_is_stated() -> None:
    assumed = " ".join(document(CASES["plain"]).assumptions)
    assert "Every model above a tier line beats every model below" in assumed
    assert "rank ranges hold simultaneously at 95% (step-down max-T with" in assumed
    assert "for all 15 pairs" in assumed
    alone = " ".join(document(CASES["alone"]).assumptions)
    assert "expect some false positives" in alone
    assert "The false discovery rate is 0.05" in " ".join(
        document(CASES["discoveries"]).assumptions
    )


def test_clusters_need_new_clusters() -> None:
    assert "more items, in new subjects" in notes("clusters")


def test_draws_show_no_smaller_p() -> None:
    least = 1 / (CASES["plain"].n_draws + 1)  # type: ignore[operator]
    assert row_of(CASES["plain"], "m4")[7] == f"≤ {least:.0e}"


# --- several tasks ------------------------------------------------------------------------


@cache
def tasks(**options: Any) -> Audit:
    """Two tasks; m5 has the first only."""
    found = audit([board(task="one"), board(ABILITY[:5], 200, task="two")], **options)
    assert len(found.tasks) > 1
    return found


def test_an_average_says_what_it_averages() -> None:
    macro, micro = document(tasks()), document(tasks(average="micro"))
    assert macro.headline.startswith("m0 or m1 could be best on the macro average of 2 tasks; ")
    assert "macro average (tasks count equally)" in macro.grids[0].title
    assert "micro average (items count equally)" in micro.grids[0].title
    assert "not the choice of tasks" in macro.assumptions[0]
    assert [row[:4] for row in micro.grids[1].rows] == [
        ("one", "66.7%", "6", "400"),
        ("two", "33.3%", "5", "200"),
    ]


def test_every_task_has_its_own_ranks() -> None:
    doc = document(tasks(), where="m1")
    assert doc.headline.startswith("m1 ranks")
    sets = doc.grids[2]
    assert sets.header == ("model", "one", "two")
    assert sets.marked is not None
    assert sets.rows[sets.marked][0] == "m1"
    assert any(
        note == "1 model has no average, because of a missing task: m5." for note in doc.notes
    )
    assert any("in the same proportions by task" in note for note in doc.notes)


def test_a_model_without_a_task_has_no_place() -> None:
    with pytest.raises(ParameterError, match="m5 lacks scores on a task, so it has no average"):
        document(tasks(), where="m5")


def test_json_of_several_tasks_obeys_the_schema() -> None:
    data = json.loads(render(tasks(pairs="all"), "json", where="m1"))
    validate(data, schema("audit"))
    assert [t["task"] for t in data["tasks"]] == ["one", "two"]
    assert data["models_left_out"] == ["m5"]
    assert "no difference" not in flat(render(tasks(), paragraph=True))


# --- hostile names ------------------------------------------------------------------------

HOSTILE = "\x1b[31mred\x07\n\u202eevil | <b>@all</b> <script>x</script> " + "x" * 200


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)


def test_names_from_logs_are_tamed() -> None:
    matrix = ScoreMatrix.from_arrays(
        RNG.integers(0, 2, (3, 40)),
        models=[HOSTILE, HOSTILE + "b", "c"],
        task=HOSTILE,
        metric=HOSTILE,
        groups={HOSTILE: [HOSTILE + str(k % 4) for k in range(40)]},
    )
    result = audit(matrix, pairs="all")
    for format_ in ("text", "markdown", "json", "html"):
        said = render(result, format_, paragraph=True, where=HOSTILE)
        assert [c for c in said if not c.isprintable() and c != "\n"] == []
    tags = _Tags()
    tags.feed(render(result, "html", paragraph=True, where=HOSTILE))
    assert tags.seen <= {
        *("div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"),
        *("ul", "li", "blockquote"),
    }
    assert "x" * 81 not in render(result)
    names = {m["model"] for m in json.loads(render(result, "json"))["ranking"]}
    assert HOSTILE in names


def test_a_notebook_shows_the_report() -> None:
    said = CASES["plain"]._repr_html_()
    assert said.startswith("<div>")
    assert "<table>" in said
    assert "http" not in said
    assert repr(CASES["plain"]).startswith("<Audit: m0 or m1 could be best;")


# --- JSON ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_json_obeys_the_schema(case: str) -> None:
    data = json.loads(render(CASES[case], "json"))
    validate(data, schema("audit"))
    assert data["schema"] == "nstar.audit/1"
    assert [m["model"] for m in data["ranking"]] == list(CASES[case].ranking.model)
    assert len(data["adjacent"]) == len(data["ranking"]) - 1
    assert data["n_tiers"] == CASES[case].ranking.tier[-1]


@pytest.mark.parametrize("case", CASES)
def test_what_was_read_back_says_the_same(case: str) -> None:
    result = CASES[case]
    again = Audit.from_json(result.to_json())
    assert again == result
    assert render(again, paragraph=True) == render(result, paragraph=True)


def test_a_pair_has_the_keys_of_compare() -> None:
    pair = json.loads(render(CASES["plain"], "json"))["adjacent"][0]
    (task,) = CASES["plain"].compare("m0", "m1").to_dict()["tasks"]
    limits = ("ci_adjusted", "ci_unadjusted", "q", "n_star")
    ends = {f"{what}_{end}" for what in limits for end in ("low", "high")}
    assert (
        set(pair) - {*task, *task["counts"]}
        == {"model_a", "model_b", "significant_gap_adjusted", "mde_adjusted", "q_adjusted"} | ends
    )
    declared = json.loads(render(CASES["margin"], "json"))["adjacent"][0]
    assert set(declared) - set(pair) == {"pvalue_equivalent"}


def test_pairs_are_repeated_only_if_asked_for() -> None:
    assert json.loads(render(CASES["plain"], "json"))["tasks"][0]["pairs"] == []
    assert len(json.loads(render(CASES["all"], "json"))["tasks"][0]["pairs"]) == 15


def test_too_many_pairs_are_for_a_table() -> None:
    some = with_task(CASES["many"], pairs_requested="all")
    assert json.loads(render(some, "json"))["tasks"][0]["pairs"] == []
    assert 'To write them to files, set out="DIR"' in " ".join(document(some).notes)


def test_no_number_is_null() -> None:
    same = ScoreMatrix.from_arrays(np.tile(RNG.integers(0, 2, 30), (3, 1)), models=["a", "b", "c"])
    data = json.loads(render(audit(same), "json"))
    assert data["adjacent"][0]["q"] is data["adjacent"][0]["more_items"] is None
    assert "no standard error can be estimated" in flat(render(audit(same)))


def test_missing_items_that_could_reverse_a_decided_gap_are_in_the_headline() -> None:
    """100 items won and none lost of 700; had b scored the 300 it lacks, it would lead."""
    scores = np.zeros((2, 1000))
    scores[0, :500] = scores[1, :400] = 1
    scores[1, 700:] = np.nan
    open_ = audit(ScoreMatrix.from_arrays(scores, models=("a", "b")))
    assert (
        "Caution: b lacks 30% of the items (missing scores could reverse 1 of 1 significant gap)."
        in (flat(str(open_)))
    )
    scores[1, 750:] = 0
    few = audit(ScoreMatrix.from_arrays(scores, models=("a", "b")))
    assert "Caution" not in str(few)


def test_intervals_of_holm_beside_a_later_step() -> None:
    """Holm tests an inconclusive gap at its last step, whose threshold is below Bonferroni's."""
    rng = np.random.default_rng(5)
    x, shared = rng.random((400, 5)), rng.random((400, 1))
    solved = np.where(rng.random((400, 5)) < 0.6, shared, x) < [0.3, 0.45, 0.6, 0.75, 0.77]
    names = [f"m{k}" for k in range(5)]
    board = ScoreMatrix.from_arrays(solved.T.astype(float), models=names)
    result = audit(board, adjust="holm")
    mde = result.resolvable_gap
    assert mde is not None
    note = next(note for note in document(result).notes if "last step of Holm" in note)
    assert note.endswith(f"By pair, the MDE is {100 * mde.low:.1f} to {100 * mde.high:.1f} pp.")
    row = list(result.adjacent.verdict).index("inconclusive")
    pairs = result.adjacent
    half = (pairs.ci_adjusted_high[row] - pairs.ci_adjusted_low[row]) / 2
    threshold = result.adjacent.significant_gap()
    assert threshold is not None
    assert half > threshold.high
    tasks = [replace(board, task=task) for task in ("x", "y")]
    assert any("last step" in note for note in document(audit(tasks, adjust="holm")).notes)
    bonferroni = audit(board, adjust="bonferroni")
    assert not any("last step" in note for note in document(bonferroni).notes)
