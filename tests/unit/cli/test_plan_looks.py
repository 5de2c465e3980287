"""``nstar plan looks``."""

import csv
from io import StringIO
from pathlib import Path

import pytest

from helpers.commands import Command

PLAN = Command("plan looks")
E_PROCESS = ("--psi", "20%", "--delta", "5pp", "--method", "e-process")


def test_the_headline_has_horizon_and_averages() -> None:
    text = PLAN.text(*E_PROCESS, "--full")
    assert "Detecting a 5 pp gap takes at most 1,018 items, with a test after every item" in text
    assert (
        "Expect 627 items if the true gap is 5 pp and 1,008 if there is none; a fixed sample "
        "takes 6" in text
    )
    assert "→ e-process every item 1,018 1,008 627 341 214 80%" in text
    assert "nstar watch A B --items 1018 --psi 0.2." in text
    assert "come in random order" in text
    assert "because switching later invalidates α" in text


def test_json_says_it_in_numbers() -> None:
    answer = PLAN.answer(*E_PROCESS)
    assert answer["schema"] == "nstar.sequentialplan/1"
    assert (answer["n_items_max"], answer["n_star"], answer["n_looks"]) == (1018, 626, None)
    assert answer["solved_for"] == "items"
    assert answer["boundaries"] == []
    assert [row for row in answer["scenarios"] if row["is_headline"]] == [answer["scenario"]]
    assert answer["scenario"]["method"] == "e-process"


def test_planned_looks_have_boundaries() -> None:
    arguments = ("--baseline", "70%", "--rho", "0.5", "--delta", "3pp")
    text = PLAN.text(*arguments, "--method", "obrien-fleming")
    assert "with 5 planned looks (O'Brien–Fleming" in text
    assert "4.562" in text
    answer = PLAN.answer(*arguments, "--method", "pocock", "--looks", "3")
    assert [look["n_items"] for look in answer["boundaries"]][-1] == answer["n_items_max"]
    assert {round(look["z"], 3) for look in answer["boundaries"]} == {2.289}
    one = PLAN.text(*arguments, "--method", "lan-demets-of", "--alternative", "greater")
    assert "one-sided α = 0.05" in one
    assert "e-process" not in one
    assert "Later looks may be rescheduled" in one


def test_items_alone_give_the_smallest_gap() -> None:
    text = PLAN.text("--sd-diff", "0.3", "--items", "500", "--method", "bets")
    assert "At most 500 items, with a test after every item, detect a gap of 0.05" in text
    assert "--items 500 --scale graded." in text
    gain = PLAN.text("--baseline", "70%", "--items", "900", "--method", "pocock")
    assert "detect a gain of" in gain


def test_both_give_power() -> None:
    arguments = ("--sd", "0.3", "--rho", "0.5", "--items", "500", "--delta", "0.04")
    text = PLAN.text(*arguments, "--method", "asymptotic", "--alpha", "0.01")
    assert "% power to detect a 0.04 gap" in text
    assert "80% power takes" in text
    assert "--scale graded --asymptotic --alpha 0.01." in text


def test_bets_say_what_takes_fewer() -> None:
    binary = PLAN.text("--psi", "20%", "--delta", "5pp", "--method", "bets")
    assert "the e-process is just as valid and takes at most 1,018" in binary
    graded = PLAN.text("--sd-diff", "0.3", "--delta", "0.05", "--method", "bets")
    assert "The asymptotic method takes at most 465 items, but it is approximate" in graded


def test_few_items_between_looks_are_told() -> None:
    arguments = ("--psi", "30%", "--delta", "20pp", "--method", "pocock")
    assert "Plan fewer looks" in PLAN.text(*arguments)
    assert "Plan fewer looks" not in PLAN.text(*arguments, "--looks", "2")


def test_beyond_exact_counts_it_is_told() -> None:
    text = PLAN.text("--psi", "20%", "--delta", "0.5pp", "--method", "e-process", "--full")
    assert "Power and expected items are those of its normal limit" in text


def test_other_formats(tmp_path: Path) -> None:
    rows = list(csv.DictReader(StringIO(PLAN.run(*E_PROCESS, "--format", "csv").stdout)))
    assert [row["method"] for row in rows] == [
        *("fixed", "obrien-fleming", "pocock", "e-process", "bets")
    ]
    assert "| fixed sample | 1 | 626 |" in PLAN.run(*E_PROCESS, "--format", "markdown").stdout
    assert r"\begin{tabular}" in PLAN.run(*E_PROCESS, "--format", "latex").stdout
    page = tmp_path / "plan.html"
    assert PLAN.run(*E_PROCESS, "--html", str(page)).exit_code == 0
    assert "Detecting 5 pp takes at most 1,018 items</h1>" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "mend"),
    [
        (("--margin", "2pp"), "Use it with nstar plan margin."),
        (("--icc", "0.1"), "Use it with nstar plan."),
        (
            ("--looks", "4"),
            "e-process looks after every item. Remove --looks, or choose another --method",
        ),
        (("--alternative", "greater"), "e-process is two-sided"),
        (("--rho", "unpaired", "--baseline", "70%"), "Use either --baseline"),
        (("--rho", "0.2"), "--rho also needs --baseline (accuracy for 0/1 scores) or --sd"),
        (("--sd-diff", "0.3"), "Use either --psi"),
        (("--method", "asymptotic"), "asymptotic needs graded scores"),
    ],
)
def test_what_means_nothing_beside_it_is_refused(arguments: tuple[str, ...], mend: str) -> None:
    result = PLAN.run(*E_PROCESS, *arguments)
    assert result.exit_code == 2
    assert mend in " ".join(result.output.split())


def test_questions_that_are_none() -> None:
    nothing = PLAN.run("--psi", "20%", "--method", "e-process")
    assert nothing.exit_code == 2
    assert "Set --delta (to get the number of items) or --items" in nothing.output
    unpaired = PLAN.run("--baseline", "70%", "--delta", "5pp", "--rho", "unpaired")
    assert unpaired.exit_code == 2
    assert "two models on the same items" in unpaired.output
    wide = PLAN.run("--sd", "30", "--delta", "2", "--method", "bets")
    assert wide.exit_code == 2
    assert "Divide the scores and the gap by their range" in " ".join(wide.output.split())
    few = PLAN.run("--psi", "20%", "--items", "5", "--method", "e-process")
    assert few.exit_code == 3
    assert "cannot detect any gap" in few.output
