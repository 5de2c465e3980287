"""Votes in words: who may be the best first, what would settle the rest, nothing claimed twice."""

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helpers.ballots import ballots, columns, rated
from helpers.lazily import Made
from nstar import Battles, battles
from nstar._data.votes import Votes
from nstar.errors import ParameterError
from nstar.report import document, render

FIELD = tuple(np.linspace(1.5, -1.5, 30))


def flat(text: str) -> str:
    return " ".join(text.split())


def bare(*given: Any, **options: Any) -> Votes:
    """Votes that share nothing."""
    return Votes.of(**columns(*given, **options) | {"groups": {}})


def with_newcomer() -> Votes:
    given = columns()
    more = [("new", "m1", 1.0), ("m2", "new", 0.0)]
    return Votes.of(
        *(
            [*given[k], *(row[i] for row in more)]
            for i, k in enumerate(("first", "second", "score"))
        )
    )


CASES: Made[str, Battles] = Made(
    {
        "plain": lambda: rated(ballots()),
        "leader": lambda: rated(bare((2.0, 0.0, 0.0, -0.2))),
        "two candidates": lambda: rated(bare((1.0, 1.0, -1.0, -1.1), seed=4)),
        "three candidates": lambda: rated(bare((1.0, 1.0, 1.0, -1.0), seed=4)),
        "many candidates": lambda: rated(bare((0.1, 0.05, 0.0, 0.0, -0.05), 200)),
        "two models": lambda: rated(bare((0.1, 0.0), 100)),
        "told apart": lambda: rated(bare((1.5, 0.0, -1.5), 900)),
        "two told apart": lambda: rated(bare((1.0, 0.0), 900)),
        "clusters": lambda: rated(ballots(), cluster=("prompt",)),
        "both": lambda: rated(ballots(), cluster=("prompt", "judge")),
        "few judges": lambda: rated(ballots(judges=6), cluster=("judge",)),
        "davidson": lambda: rated(ballots(), ties="davidson"),
        "drop": lambda: rated(ballots(), ties="drop"),
        "length": lambda: rated(ballots(longer=0.5), control=("length",)),
        "anchor": lambda: rated(ballots(), anchor=("m1", 1200.0)),
        "prior": lambda: rated(with_newcomer(), prior=1.0),
        "unrated": lambda: rated(with_newcomer()),
        "few votes": lambda: rated(ballots(votes=60)),
        "board of 30": lambda: rated(bare(FIELD, 1500), draws=999),
    }
)


def headline(which: str) -> str:
    return document(CASES[which]).headline


# --- the first sentence -------------------------------------------------------------------


def test_one_leads() -> None:
    assert headline("leader").startswith("m0 is the clear leader; ")


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("two candidates", " or "),
        ("three candidates", " or "),
        ("many candidates", "Any of 5 models could be best; "),
    ],
)
def test_who_may_be_the_best(which: str, said: str) -> None:
    result = CASES[which]
    assert result.n_could_be_best == {"two": 2, "three": 3, "many": 5}[which.split(maxsplit=1)[0]]
    assert said in headline(which)
    if result.n_could_be_best <= 3:
        first = result.ratings.model[: result.n_could_be_best]
        assert f"{', '.join(first[:-1])} or {first[-1]} could be best; " in headline(which)


def test_declared_groups_are_in_the_first_sentence() -> None:
    assert headline("clusters").startswith("Across prompts like these, ")
    assert headline("both").startswith("Across prompts and judges like these, ")


def test_groups_that_were_not_declared_and_leave_more_models_the_best() -> None:
    result = CASES["leader"]
    wider = replace(CASES["plain"].groupings[0], n_groups=30, n_could_be_best=3, design_effect=2.0)
    said = document(replace(result, groupings=(wider,))).headline
    assert "Caution: across new prompts, any of 3 models could be best." in said
    same = replace(wider, n_could_be_best=1)
    assert "prompts" not in document(replace(result, groupings=(same,))).headline


def test_a_leader_alone_across_prompts() -> None:
    result = replace(CASES["leader"], cluster=("prompt",))
    assert document(result).headline.startswith(
        "Across prompts like these, m0 is the clear leader;"
    )


# --- what is undecided --------------------------------------------------------------------


def test_nothing_is_undecided() -> None:
    assert headline("told apart").startswith(
        "m0 is the clear leader; both gaps between adjacent models are significant ("
    )
    assert headline("two told apart").startswith(
        "m0 is the clear leader; the gap between the two models is significant (900 votes, "
    )


def test_two_models_that_are_not_told_apart() -> None:
    said = headline("two models")
    assert said.startswith(
        "m0 or m1 could be best; the gap between the two models is inconclusive"
    )
    assert (
        "Resolving the inconclusive gap would take over 10× the current number of votes." in said
    )


def test_what_would_settle_it() -> None:
    result = CASES["plain"]
    still = [v for v in result.adjacent.verdict if v == "inconclusive"]
    verb = "is" if len(still) == 1 else "are"
    gaps = f"{len(still)} of 4 gaps between adjacent models {verb} inconclusive"
    assert gaps in headline("plain")
    found = result.significant_gap
    assert found is not None
    assert f"Here an observed gap above {found.median:.0f} Elo" in headline("plain")
    p = result.adjacent
    assert ((abs(p.elo) >= p.significant_gap - 1e-9) == np.isin(p.verdict, "significant")).all()


def test_more_votes_than_make_sense_are_no_number() -> None:
    result = CASES["many candidates"]
    direct = np.full(len(result.adjacent), 10.0 * result.n_votes + 1)
    far = replace(result, adjacent=replace(result.adjacent, more_direct_votes=direct))
    assert "would take over 10× the current number of votes." in document(far).headline
    assert "over 10×" in render(far)
    near = replace(result, adjacent=replace(result.adjacent, more_direct_votes=direct - 1))
    assert "about 2,000 more votes" in document(near).headline
    assert "over 10×" not in render(near)


# --- where --------------------------------------------------------------------------------


def test_a_model_asked_about_comes_first() -> None:
    result = CASES["plain"]
    said = document(result, where="m2").headline
    rank = result.ratings.model.index("m2")
    low, high = result.ratings.rank_low[rank], result.ratings.rank_high[rank]
    ranks = f"{low}" if low == high else f"{low}–{high}"
    rating = f"{result.ratings.rating[rank]:,.0f}"
    assert said.startswith(f"m2 is rated {rating} (95% rank range {ranks} of 5).")
    assert document(CASES["unrated"], where="new").headline.startswith("new has no rating.")
    with pytest.raises(ParameterError, match=r"'nobody' .*where.*Rated models: m0"):
        document(result, where="nobody")


def test_a_long_board_shows_the_model_asked_about() -> None:
    key = document(CASES["board of 30"], where="m20").key[0]
    assert key.marked is not None
    assert key.rows[key.marked][1] == "m20"
    assert any(set(row) == {"…"} for row in key.rows)


# --- tables, notes, assumptions -----------------------------------------------------------


def grids(which: str) -> dict[str, Any]:
    return {g.title.split(maxsplit=1)[0]: g for g in document(CASES[which]).grids}


def test_tables() -> None:
    assert list(grids("leader")) == ["Elo", "Effects"]
    assert list(grids("plain")) == ["Elo", "Design", "Effects"]
    titles = [g.title for g in document(CASES["plain"]).grids]
    assert titles[1].startswith("Design effect of votes")
    assert titles[2].startswith("Effects other than that of the model")
    rows = grids("unrated")["Models"].rows
    assert rows == (("new", "2", "won all its votes: no upper limit"),)


def test_every_grouping_is_in_the_table() -> None:
    common = document(CASES["clusters"]).grids[1]
    assert [row[0] for row in common.rows] == [
        "independent votes",
        "prompts (declared)",
        "judges",
    ]
    assert common.rows[0][-2:] == ("–", "–")
    alone = document(CASES["plain"]).grids[1].rows[0]
    assert alone[-2:] == (str(CASES["plain"].n_could_be_best), str(CASES["plain"].n_inconclusive))


def test_the_scale_is_in_the_title() -> None:
    assert "(ties count half)" in grids("plain")["Elo"].title
    for which in ("davidson", "drop"):
        assert "(decisive votes)" in grids(which)["Elo"].title
    assert "Ties are excluded" in render(CASES["drop"], level="full")
    assert "of votes would be ties" in flat(render(CASES["davidson"], level="full"))


def test_both_ratings_are_printed_where_length_is_controlled_for() -> None:
    header = grids("length")["Elo"].header
    assert header[2:4] == ("Elo", "unadjusted")
    said = flat(render(CASES["length"]))
    assert "One more SD of length adds " in said
    assert "one more SD of length" in render(CASES["length"], level="full")


def test_notes() -> None:
    full = {which: flat(render(result, level="full")) for which, result in CASES.items()}
    assert "new has no rating: every vote was won, so there is no upper limit." in full["unrated"]
    assert "Each pair of models that met gets a prior tie of weight 0.18" in full["prior"]
    assert "The prior's weight of 1 was reduced to 0.18" in full["prior"]
    assert "With 6 groups of votes, errors are a rough guide" in full["few judges"]
    assert (
        "The adjustment method is Holm instead of max-T (fewer than 100 groups" in full["clusters"]
    )
    assert "CIs are for the distance from m1" in full["anchor"]
    assert "no pair has 20 votes of its own" in full["few votes"]
    assert "Position effect: the first answer gains" in full["plain"]


@pytest.mark.parametrize("which", CASES)
def test_every_format_is_honest(which: str) -> None:
    result = CASES[which]
    for format_ in ("text", "markdown", "html", "latex", "csv"):
        said = flat(render(result, format_)).lower()
        assert "no difference" not in said
        assert " nan" not in said
        assert "p = 0)" not in said
    assert str(result) == render(result).rstrip()
    assert "inconclusive is not evidence of equality" in flat(render(result, paragraph=True))


def test_csv_has_a_row_for_each_model() -> None:
    result = CASES["plain"]
    rows = list(csv.DictReader(io.StringIO(render(result, "csv"))))
    assert [row["model"] for row in rows] == list(result.ratings.model)
    assert [float(row["rating"]) for row in rows] == pytest.approx(result.ratings.rating)


def test_latex_escapes_names() -> None:
    given = columns()
    names = {"m0": "a_b & 50%"}
    first, second = ([names.get(n, n) for n in given[k]] for k in ("first", "second"))
    result = rated(Votes.of(first, second, given["score"]))
    assert r"a\_b \& 50\%" in render(result, "latex")
    assert "a_b & 50%" in render(result)


def test_names_cannot_break_a_table() -> None:
    given = columns()
    names = {"m0": "<script>|x\n| y", "m1": "\x1b[31mred"}
    first, second = ([names.get(n, n) for n in given[k]] for k in ("first", "second"))
    result = rated(Votes.of(first, second, given["score"]))
    assert "<script>" not in render(result, "html")
    assert "\x1b" not in render(result)
    lines = render(result, "markdown").splitlines()
    assert any("script" in line and line.count("|") >= 8 for line in lines)


def test_models_that_never_met_the_rated_ones_are_not_ruled_out() -> None:
    rows = {"first": ["a"] * 60 + ["c"] * 60, "second": ["b"] * 60 + ["d"] * 60}
    found = battles(rows | {"score": ([1] * 40 + [0] * 20) * 2})
    said = flat(render(found))
    assert said.startswith(
        "a is the clear leader; the gap between the two models is significant (120 votes, 2 rated "
        "models)."
    )
    assert "c and d have no rating: no votes lead to the rated models, even indirectly." in said
    assert "votes of its own" not in said
