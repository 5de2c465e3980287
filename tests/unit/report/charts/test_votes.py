"""Pictures of votes: the finding is the title, numbers are those of the result."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from helpers.battles import battles
from nstar._data.votes import Votes
from nstar._engine.work import Execution
from nstar._verbs.battles import Battles, BattlesQuestion, rate
from nstar.errors import ParameterError
from nstar.report import document
from nstar.report.charts import figure, kinds
from nstar.report.charts._votes_board import format_rating
from nstar.report.charts.ladder import NARROW, WIDE, ladder
from nstar.report.charts.social_card import share_image
from nstar.report.charts.win_matrix import win_matrix


@cache
def made(models: int = 14, votes: int = 3000) -> Battles:
    return battles(models, votes)


def rated(*votes: tuple[str, str, float]) -> Battles:
    """Of votes one by one."""
    made = Votes.of(*zip(*votes, strict=True), ordered=False)
    return rate(made, BattlesQuestion(draws=99), Execution())


def words(svg: str) -> str:
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))


def test_the_title_is_the_first_sentence() -> None:
    result = made()
    assert kinds(result) == ("ladder", "matrix")
    drawn = figure(result)
    assert f"{drawn.title}." == document(result).opening
    assert share_image(result).title.endswith("adjacent ranks are inconclusive")
    said = words(drawn.svg)
    assert "gaps between adjacent models are inconclusive" in said
    assert drawn.title.startswith(said[:20])


def test_ladder_says_what_its_intervals_are_of() -> None:
    plain = words(ladder(made()).svg)
    assert "distance from the mean of all models, 1,000" in plain
    assert "Overlap does not mean that two models are equal" in plain
    anchored = battles(6, 600, anchor=("laboratory-2/model-2-instruct", 1200.0))
    for width in (WIDE, NARROW):
        said = words(ladder(anchored, width=width).svg)
        assert "which is set to 1,200" in said
        assert "mean of all" not in said


def test_ladder_table_is_the_ratings() -> None:
    result = made()
    r, table = result.ratings, ladder(result).table
    column = {h: [row[k] for row in table.rows] for k, h in enumerate(table.header)}
    assert column["model"] == list(r.model)
    assert [int(x.replace(",", "")) for x in column["Elo"]] == np.rint(r.rating).tolist()
    assert column["votes"] == [f"{k:,}" for k in r.n_votes]
    ends = zip(r.rank_low, r.rank_high, strict=True)
    assert column["95% rank range"] == [f"{a}" if a == b else f"{a}–{b}" for a, b in ends]
    assert column["verdict"] == [*result.adjacent.states, ""]
    assert table.lines == tuple(i for i in range(1, len(r)) if r.tier[i] != r.tier[i - 1])
    assert "unadjusted" not in table.header


def test_a_model_asked_about_is_marked_and_placed() -> None:
    result = made()
    asked = result.ratings.model[4]
    drawn = figure(result, where=asked)
    assert drawn.table.marked == 4
    assert f"{asked} is rated" in words(drawn.svg)
    assert drawn.title == figure(result).title
    with pytest.raises(ParameterError, match="which is not a rated model"):
        figure(result, where="nobody")


def test_few_votes_and_no_rating_are_said() -> None:
    ring = [("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 1.0)] * 5
    new = [("d", "a", 1.0), ("d", "b", 0.0), ("x", "a", 1.0), ("y", "b", 1.0)]
    said = words(ladder(rated(*ring, *new)).svg)
    assert "d †" in said
    assert "a †" not in said
    assert "Rated from fewer than 10 votes" in said
    assert "Not drawn: x and 1 more, which have no rating." in said
    assert "Not drawn: x, which has no rating." in words(ladder(rated(*ring, *new[:3])).svg)


def test_ratings_of_any_size_have_a_label() -> None:
    assert [format_rating(x) for x in (1167.6, -0.2, -1234567.0)] == ["1,168", "0", "−1.235e+06"]


def test_cells_are_the_votes_of_each_pair() -> None:
    result = battles(6, 900)
    assert result.pair_votes is not None
    assert result.pair_scores is not None
    drawn = win_matrix(result)
    for i, row in enumerate(drawn.table.rows):
        for j, cell in enumerate(row[2:]):
            if i == j:
                assert cell == "–"
            else:
                score, votes = cell.split(" of ")
                assert int(votes) == result.pair_votes[i, j]
                assert float(score) == pytest.approx(100 * result.pair_scores[i, j], abs=0.501)
    said = words(drawn.svg).split()
    assert {f"{k}" for k in result.pair_votes[0, 1:]} <= set(said)
    assert drawn.title.startswith("All 15 pairs of 6 models met")


def test_pairs_that_never_met_are_blank() -> None:
    chain = [("a", "b", s) for s in (1.0, 1.0, 0.0)] + [("b", "c", s) for s in (1.0, 0.0)]
    drawn = win_matrix(rated(*chain))
    by = {row[1]: row[2:] for row in drawn.table.rows}
    assert by["a"] == ("–", "67 of 3", "")
    assert by["b"] == ("33 of 3", "–", "50 of 2")
    assert drawn.title == "2 of 3 pairs of 3 models met, a typical one in 3 votes"
    assert "Pairs that never met are blank." in words(drawn.svg)
    assert "1 pairs never met" not in drawn.alt
    assert "1 pair never met" in drawn.alt


def test_many_models_are_cut_and_said_so() -> None:
    wide, narrow = (win_matrix(made(70, 4000), width=w) for w in (WIDE, NARROW))
    assert (len(wide.table.rows), len(narrow.table.rows)) == (30, 20)
    assert "40 lower-rated models are not shown." in words(wide.svg)
    assert "the first 30 models" in wide.title
    whole_ = win_matrix(made(60, 4000))
    assert len(whole_.table.rows) == 60
    assert "left out" not in words(whole_.svg)


def test_more_votes_make_a_larger_square() -> None:
    drawn = win_matrix(made(40, 4000))
    squares = {float(x) for x in re.findall(r"h([\d.]+)v\1h-\1z", drawn.svg)}
    assert len(squares) > 4
    assert "1 vote " in words(drawn.svg)
    assert "votes or more" in words(drawn.svg)


def test_large_counts_fit_their_cells() -> None:
    result = battles(3, 300)
    met = np.array([[0, 123_456, 5], [123_456, 0, 2_345_678], [5, 2_345_678, 0]])
    said = words(win_matrix(replace(result, pair_votes=met)).svg).split()
    assert {"123k", "2M", "5"} <= set(said)


def test_a_matrix_needs_to_know_who_met_whom() -> None:
    read = Battles.from_json(made().to_json())
    with pytest.raises(ParameterError, match="needs the votes"):
        figure(read, "matrix")
    assert figure(read).title == figure(made()).title
