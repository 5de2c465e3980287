"""``nstar items`` as a user meets it."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

import nstar
from helpers.commands import Command

ITEMS = Command("items")
ROOT = Path(__file__).parents[3]
EXAMPLE = str(ROOT / "examples" / "results.csv")
EVIL = '<script>alert(1)</script>\x1b[31m"\u202e=1+1'


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    """Names, items and groups that strangers wrote."""
    path = tmp_path / "some.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        sheet = csv.writer(file)
        sheet.writerow(["model", "item", "subject", "score"])
        for m, model in enumerate((EVIL, "b", "=cmd()", "d" * 300)):
            for k in range(40):
                right = int((k * (m + 3)) % 7 < 4 + (k % 2))
                sheet.writerow([model, f"{EVIL}{k}", EVIL + "xy"[k % 2], right])
    return str(path)


def test_help_by_occasion() -> None:
    text = ITEMS.text("--help")
    for said in ("PATH…", "--top K", "--split GROUP", "--label-errors share", "--after DATE"):
        assert said in text


def test_one_screen() -> None:
    text = ITEMS.run(EXAMPLE).stdout
    assert "do not discriminate" in text
    assert "The top two models, " in text
    assert len(text.splitlines()) <= 32
    assert all(len(line) <= 100 for line in text.splitlines())
    assert "KR-20" not in text  # reliability is no headline
    assert "not the quality of the benchmark" in ITEMS.text(EXAMPLE, "--full")


def test_a_row_for_each_item() -> None:
    answer = ITEMS.answer(EXAMPLE)
    rows = list(csv.DictReader(io.StringIO(ITEMS.run(EXAMPLE, "--format", "csv").stdout)))
    assert len(rows) == answer["n_items"]
    assert {"item", "group", "mean", "status", "top_status", "r", "suspicion_rank"} <= set(rows[0])
    dead = sum(row["status"] != "live" for row in rows)
    assert dead == answer["item_counts"]["n_non_discriminating"]


def test_what_was_asked_is_answered_in_the_headline(hostile: str) -> None:
    keys = " ".join(ITEMS.run(EXAMPLE, "--label-errors", "5%", "--brief").stdout.split())
    assert "If 5% of the answer keys are wrong, gaps shrink by 5%" in keys
    split = " ".join(ITEMS.run(hostile, "--split", "subject", "--brief").stdout.split())
    assert split.startswith("The gap between")
    assert "a change of " in split
    answer = ITEMS.answer(hostile, "--split", "subject")
    low, high = answer["split"]["pairs"][0]["gap_change_ci"].values()
    assert low <= 0 <= high


def test_missing_items_are_not_said_to_be_scored() -> None:
    """The example's gamma lacks 60 items."""
    said = " ".join(ITEMS.run(EXAMPLE, "--brief").stdout.split())
    assert "all models that answered them are right" in said
    said = " ".join(ITEMS.run(EXAMPLE, "--brief", "--items", "common").stdout.split())
    assert "all 3 models are right" in said


def test_wrong_keys_are_no_floor() -> None:
    assert "do not set a lower limit" in ITEMS.text(EXAMPLE, "--label-errors", "5%")


def test_a_split_is_no_proof(hostile: str) -> None:
    assert "does not prove contamination" in ITEMS.text(hostile, "--split", "subject")
    for asked, said in (
        (("--after", "2024-01-01"), "--after also needs --split"),
        (("--split", "subject", "--after", "June"), "--after must be a date such as 2024-06-01"),
        (("--label-errors", "60%"), "--label-errors must be a share of wrong keys"),
        (("--top", "1"), "--top"),
    ):
        result = ITEMS.run(EXAMPLE, *asked)
        assert result.exit_code == 2
        assert said in " ".join(result.output.split())


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "json", "latex"])
def test_hostile_names(hostile: str, form: str) -> None:
    text = ITEMS.run(
        hostile, "--format", form, *(() if form in ("csv", "json") else ("--full",))
    ).stdout
    assert "\x1b" not in text
    assert "\u202e" not in text or form == "json"
    if form == "csv":
        cells = [c for row in csv.reader(io.StringIO(text)) for c in row]
        assert not any(c.startswith(("=", "+", "@")) for c in cells)


def test_hostile_names_on_a_page(hostile: str, tmp_path: Path) -> None:
    page, drawn = tmp_path / "items.html", tmp_path / "items.svg"
    ITEMS.text(hostile, "--html", str(page), "--figure", str(drawn), "--split", "subject")
    for text in (page.read_text(encoding="utf-8"), drawn.read_text(encoding="utf-8")):
        assert "<script>alert" not in text
        assert "\x1b" not in text


def test_a_split_by_long_names_fits_100_columns() -> None:
    scores = (np.random.default_rng(3).random((6, 80)) < 0.6).astype(float)
    kinds = ["private questions of 2024", "public questions of 2023"]
    rows = [
        {
            "model": f"provider/a-model-with-a-long-name-{m}",
            "item": i,
            "score": scores[m, i],
            "kind": kinds[i % 2],
        }
        for m in range(6)
        for i in range(80)
    ]
    frame = {key: [row[key] for row in rows] for key in rows[0]}
    text = nstar.items(frame, split="kind").render("text", level="full")
    assert max(map(len, text.splitlines())) <= 100
