"""``nstar battles`` as a user meets it."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.commands import Command

BATTLES = Command("battles")
ROOT = Path(__file__).parents[3]
EXAMPLE = str(ROOT / "examples" / "votes.csv")

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A table with such a header and rows."""

    def made(header: str, *rows: str) -> str:
        path = tmp_path / "some.csv"
        path.write_text("\n".join([header, *rows]) + "\n")
        return str(path)

    return made


def test_help_by_occasion() -> None:
    text = BATTLES.text("--help")
    for said in ("VOTES…", "--cluster GROUP", "--anchor MODEL=RATING", "--ties"):
        assert said in text


def test_from_a_file_to_ratings() -> None:
    answer = BATTLES.answer(EXAMPLE)
    assert (answer["n_models"], answer["n_votes"]) == (7, 640)
    assert answer["unrated"] == [{"model": "wren", "n_votes": 4, "reason": "won all"}]
    assert [g["columns"] for g in answer["groupings"]] == [["prompt"], ["judge"]]
    assert answer["position_effect"]["name"] == "position"
    text = BATTLES.text(EXAMPLE)
    assert text.startswith("heron or ibis could be best; 4 of 5 gaps between adjacent models are")
    assert "(640 votes, 6 rated models)" in " ".join(text.split())
    assert "wren has no rating" in text
    assert "Position effect: the first answer gains 50" in text


def test_only_some_votes() -> None:
    whole, some = BATTLES.answer(EXAMPLE), BATTLES.answer(EXAMPLE, "--only", "judge=judge01")
    assert 4 < some["n_votes"] < whole["n_votes"] / 20
    both = BATTLES.answer(EXAMPLE, "--only", "judge=judge01", "--only", "judge=judge02")
    assert both["n_votes"] > some["n_votes"]
    wrong = BATTLES.run(EXAMPLE, "--only", "judge=nobody")
    assert wrong.exit_code == 3
    assert "no votes match judge = nobody. Available: judge" in wrong.stderr
    assert BATTLES.run(EXAMPLE, "--only", "judge").exit_code == 2


def test_clusters() -> None:
    one = BATTLES.answer(EXAMPLE, "--cluster", "prompt")
    assert (one["cluster"], round(one["df"]), one["adjust"]) == (["prompt"], 32, "holm")
    two = BATTLES.answer(EXAMPLE, "--cluster", "prompt", "--cluster", "judge")
    assert (two["cluster"], round(two["df"])) == (["prompt", "judge"], 32)
    assert [g["is_declared"] for g in two["groupings"]] == [False, False, True]
    three = BATTLES.run(EXAMPLE, *["--cluster", "prompt", "--cluster", "judge"], "--cluster", "x")
    assert three.exit_code == 2
    assert "--cluster accepts at most two groupings; got 3" in three.stderr
    unknown = BATTLES.run(EXAMPLE, "--cluster", "worker")
    assert unknown.exit_code == 3
    assert "worker" in unknown.stderr


def test_another_column_beside() -> None:
    answer = BATTLES.answer(EXAMPLE, "--group", "length_a")
    assert ["length_a"] in [g["columns"] for g in answer["groupings"]]


def test_an_anchor() -> None:
    answer = BATTLES.answer(EXAMPLE, "--anchor", "kite=1200")
    assert answer["anchor"] == ["kite", 1200]
    ratings = {row["model"]: row["rating"] for row in answer["ratings"]}
    assert ratings["kite"] == 1200


@pytest.mark.parametrize("value", ["kite", "kite=", "=1000", "kite=high", "kite=inf"])
def test_an_anchor_that_is_none(value: str) -> None:
    wrong = BATTLES.run(EXAMPLE, "--anchor", value)
    assert wrong.exit_code == 2
    assert "expected MODEL=RATING, such as gpt-4=1000" in " ".join(wrong.stderr.split())


def test_an_anchor_without_a_rating() -> None:
    wrong = BATTLES.run(EXAMPLE, "--anchor", "wren=1000")
    assert wrong.exit_code == 3
    assert "--anchor is 'wren', which is not a rated model" in wrong.stderr


def test_length() -> None:
    answer = BATTLES.answer(EXAMPLE, "--control", "length")
    assert [e["name"] for e in answer["control_effects"]] == ["length"]
    named = BATTLES.answer(EXAMPLE, "--control", "length_a:length_b")
    assert [e["name"] for e in named["control_effects"]] == ["length_a:length_b"]
    assert BATTLES.run(EXAMPLE, "--control", "bold").exit_code == 3


def test_ties_and_position() -> None:
    assert BATTLES.answer(EXAMPLE, "--ties", "davidson")["log_tie"] is not None
    assert BATTLES.answer(EXAMPLE, "--ties", "drop")["elo_scale"] == "decisive"
    assert BATTLES.answer(EXAMPLE, "--no-position")["position_effect"] is None


def test_a_prior_rates_all() -> None:
    answer = BATTLES.answer(EXAMPLE, "--prior", "1")
    assert answer["unrated"] == []
    assert len(answer["ratings"]) == 7


def test_where_a_model_stands() -> None:
    assert BATTLES.text(EXAMPLE, "--where", "kite").startswith("kite is rated 997 ")
    wrong = BATTLES.run(EXAMPLE, "--where", "nobody")
    assert wrong.exit_code == 3
    assert "--where" in wrong.stderr


def test_formats(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(BATTLES.run(EXAMPLE, "--format", "csv").stdout)))
    assert rows[0]["model"] == "heron"
    for form, sign in (("markdown", "| "), ("latex", r"\begin{tabular}")):
        assert sign in BATTLES.run(EXAMPLE, "--format", form).stdout
    page = tmp_path / "votes.html"
    assert BATTLES.run(EXAMPLE, "--html", str(page)).exit_code == 0
    assert "heron" in page.read_text(encoding="utf-8")


def test_columns_of_ones_own(write: Write) -> None:
    rows = [f"x,y,{'left' if k % 3 else 'right'},{k % 8}" for k in range(60)]
    path = write("one,other,who,round", *rows)
    answer = BATTLES.answer(
        path,
        *("--column", "first=one", "--column", "second=other", "--column", "winner=who"),
        *("--column", "prompt=round"),
    )
    assert [row["model"] for row in answer["ratings"]] == ["x", "y"]
    assert [g["columns"] for g in answer["groupings"]] == [["prompt"]]


def test_scores_are_no_votes() -> None:
    wrong = BATTLES.run(str(ROOT / "examples" / "results.csv"))
    assert wrong.exit_code == 3
    said = " ".join(wrong.stderr.split())
    assert "results.csv" in said
    assert "Use `nstar audit FILE`" in said


@pytest.mark.parametrize("verb", ["audit", "compare", "runs"])
def test_votes_are_no_scores(verb: str) -> None:
    wrong = Command(verb).run(EXAMPLE)
    assert wrong.exit_code == 3
    said = " ".join(wrong.stderr.split())
    assert "contains pairwise votes, not scores per item. Use `nstar battles FILE`" in said


def test_a_file_that_is_not_there() -> None:
    wrong = BATTLES.run("nowhere.csv")
    assert wrong.exit_code == 3
    assert "nowhere.csv" in wrong.stderr
