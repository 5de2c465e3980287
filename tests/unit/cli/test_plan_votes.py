"""``nstar plan votes``."""

import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import nstar
from helpers.commands import Command
from nstar._verbs.plan.votes_result import VoteGap
from nstar.errors import NstarError
from nstar.report.prose.numbers import percent

PLAN = Command("plan votes")
VOTES = ("--elo", "20", "--ties", "40%")


def test_the_headline_has_votes_and_scale() -> None:
    text = PLAN.text(*VOTES, "--full")
    assert text.startswith(
        f"Detecting a 20 Elo gap takes 1,422 votes per pair (80% power, {percent(0.4)} ties). "
        "20 Elo is a 52.9% win rate with ties counting half."
    )
    assert f"→ {percent(0.4)} 1,422 3,954" in text
    assert "More ties make gaps in expected score easier to detect" in text
    assert "20 Elo among decisive votes would take 3,954 votes per pair" in text
    assert "set --design-effect" in text
    assert "enumerated power" in text


def test_the_other_scale() -> None:
    text = PLAN.text(*VOTES, "--elo-scale", "decisive")
    assert text.startswith("Detecting a 20 Elo gap takes 3,954 votes per pair")
    assert "20 Elo is a 52.9% win rate among decisive votes, or 12.0 Elo with ties" in text
    assert "20 Elo in expected score would take 1,422 votes per pair" in text
    alone = PLAN.text("--elo", "300", "--ties", "40%", "--elo-scale", "decisive")
    assert "would take" not in alone
    assert f"→ {percent(0.4)} – 24" in alone


def test_a_board() -> None:
    text = PLAN.text(*VOTES, "--models", "6", "--design-effect", "1.5", "--full")
    assert "Detecting a 20 Elo gap between any two of 6 models takes 3,875 votes per pair" in text
    assert "All 15 pairs together take 58,125 votes." in text
    assert "(design effect 1.5) raise the number of votes from 2,583 to 3,875" in text
    assert "needs about 33% of these" in text
    assert "each at α = 0.05/15 = 0.0033 (Bonferroni)" in text
    assert "votes will be tested in clusters of prompts or judges" in text
    some = PLAN.text(*VOTES, "--models", "6", "--goal", "adjacent", "--full")
    assert "between any two adjacent models among 6" in some
    assert "All 5 adjacent pairs together take" in some
    assert "The adjacent pairs must be chosen in advance" in some
    assert "Bradley" not in some


def test_votes_alone_give_the_smallest_gap() -> None:
    text = PLAN.text("--votes", "1,000", "--ties", "40%", "--design-effect", "2")
    assert "1,000 votes per pair detect a 33.7 Elo gap" in text
    assert "among decisive votes, it is 56.5 Elo" in text
    assert "make these votes as precise as 500 votes that are independent" in text
    few = PLAN.text("--votes", "4", "--ties", "0")
    assert few.startswith("4 votes per pair detect no gap")
    assert "no ties" in few
    assert "More ties" not in few


def test_a_gap_without_end() -> None:
    found = nstar.plan_votes(votes=20, ties=0.4)
    sure = replace(found, mde=VoteGap.of(0.6, 0.4))
    assert "among decisive votes, it is ∞ Elo (100.0%)" in " ".join(str(sure).split())
    assert nstar.VotePlan.from_json(sure.to_json()) == sure


def test_both_give_power() -> None:
    text = PLAN.text(*VOTES, "--votes", "1000", "--full")
    assert "1,000 votes per pair have 65% power to detect a 20 Elo gap" in text
    assert "80% power takes 1,422 votes per pair" in text
    assert "1,000 votes per pair detect 23.9 Elo" in text
    assert "q = N/N* is 0.70" in text
    enough = PLAN.text(*VOTES, "--votes", "2000")
    assert "80% power takes 1,422 votes per pair" in enough


def test_small_gaps_keep_their_digits() -> None:
    text = PLAN.text("--elo", "0.5", "--ties", "0", "--full")
    assert "is a 50.0720% win rate" in text
    assert "the number of votes by Connor (1987)" in text
    assert 'No vote is a tie ("both bad" counts as a tie)' in text
    wide = PLAN.text("--votes", "50", "--ties", "10%")
    assert "detect a 140 Elo gap" in wide
    narrow = PLAN.text("--votes", "10000000", "--ties", "10%")
    assert "detect a 0.29 Elo gap" in narrow


def test_json_says_it_in_numbers() -> None:
    answer = PLAN.answer(*VOTES, "--models", "3")
    assert answer["schema"] == "nstar.voteplan/1"
    assert (answer["n_pairs"], answer["n_votes_total"]) == (3, 3 * answer["n_star"])
    assert (answer["elo_scale"], answer["tie_share"], answer["solved_for"]) == (
        "score",
        0.4,
        "votes",
    )
    assert answer["delta"]["elo_decisive"] == pytest.approx(33.399, abs=1e-3)
    assert [row["tie_share"] for row in answer["scenarios"] if row["is_headline"]] == [0.4]
    assert PLAN.answer("--votes", "4", "--ties", "0")["mde"] is None


def test_other_formats(tmp_path: Path) -> None:
    rows = list(csv.DictReader(StringIO(PLAN.run(*VOTES, "--format", "csv").stdout)))
    assert [row["n_star_decisive"] for row in rows] == ["2424", "2985", "3954", "5932"]
    markdown = PLAN.run(*VOTES, "--format", "markdown").stdout
    assert f"| **{percent(0.4)}** | **1,422** | **3,954** |" in markdown
    assert r"\begin{tabular}" in PLAN.run(*VOTES, "--format", "latex").stdout
    page = tmp_path / "plan.html"
    assert PLAN.run(*VOTES, "--html", str(page)).exit_code == 0
    assert "Detecting a 20 Elo gap takes 1,422 votes per pair</h1>" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "mend"),
    [
        (("--delta", "2pp"), "Use it with nstar plan."),
        (("--goal", "best"), "'best' is not one of 'all-pairs', 'adjacent'"),
        (("--elo-scale", "elo"), "'elo' is not one of 'score', 'decisive'"),
        (("--ties", "40"), "Use 40% or 0.4"),
        (("--votes", "0"), "'0'"),
    ],
)
def test_what_means_nothing_beside_it_is_refused(arguments: tuple[str, ...], mend: str) -> None:
    result = PLAN.run(*VOTES, *arguments)
    assert result.exit_code == 2
    assert mend in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "status", "mend"),
    [
        (
            "--ties 0",
            2,
            "Set --elo (to get the number of votes) or --votes (to get the detectable gap).",
        ),
        ("--elo 20", 2, "Set --ties (to assume a share of ties) or --pilot"),
        ("--votes 100 --ties 10% --elo-scale score", 2, "--elo-scale also needs --elo."),
        ("--elo 300 --ties 40%", 3, "the gap is at most 241 Elo"),
        ("--elo 0 --ties 40%", 2, "--elo must be a gap of at least 0.0001"),
        ("--elo -20 --ties 40%", 2, "points, without a sign"),
        ("--elo 20 --ties 100%", 2, "because ties do not show which model is better"),
        ("--elo 20 --ties 10% --design-effect 0.5", 2, "--design-effect must be 1"),
    ],
)
def test_questions_that_are_none(arguments: str, status: int, mend: str) -> None:
    result = PLAN.run(*arguments.split())
    assert (result.exit_code, mend in " ".join(result.output.split())) == (status, True), (
        result.output
    )


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        ({"elo": 20, "ties": 40}, "ties 40 is above 1. Use 0.4"),
        ({"elo": "20", "ties": 0.4}, "elo must be a number"),
        ({"elo": 20, "ties": "40%"}, "ties must be a number; got '40%'. Use 0.4"),
        ({"votes": 10.5, "ties": 0.4}, "votes must be a whole number"),
        ({"elo": 20, "ties": 0.4, "elo_scale": "arena"}, "elo_scale must be score or decis"),
        (
            {"elo": 20, "ties": 0.4, "alternative": "less"},
            "alternative must be two-sided or greater",
        ),
    ],
)
def test_slips_in_python(words: dict[str, Any], mend: str) -> None:
    with pytest.raises(NstarError) as found:
        nstar.plan_votes(**words)
    assert mend in str(found.value)
