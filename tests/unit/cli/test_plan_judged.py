"""``nstar plan`` with a judge and labels."""

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.commands import Command
from nstar.errors import NstarError

PLAN = Command("plan")
WIDE = ("--judge-r", "0.65", "--sd-diff", "0.55")
LABELS = (*WIDE, "--judged", "10000", "--delta", "3pp")
COSTS = ("--cost-label", "1", "--cost-judge", "0.01")
EXAMPLE = Path(__file__).parents[3] / "examples" / "judged.csv"
COLUMNS = ("--column", "judge=verdict", "--column", "label=human")
PILOT = ("--pilot", str(EXAMPLE), *COLUMNS)


def test_labels_come_first() -> None:
    text = PLAN.text(*LABELS, "--full")
    assert text.startswith(
        "Label 1,720 of the 10,000 judged items, drawn at random, to detect a gap of 0.03 (4 "
        "times in 5, two-sided α = 0.05), if judge and labels correlate by 0.65 on differences. "
        "Without a judge it takes 2,641 labels."
    )
    assert "→ 0.65 1,720" in text
    assert "saves 921 of 2,641 labels (35 %); judging endless items would save 42 %" in text
    assert "r is that of differences" in text
    assert "t with two degrees of freedom fewer than labels" in text
    assert "multiply the sd (--sd-diff)" in text


def test_points_of_accuracies() -> None:
    text = PLAN.text(
        "--judge-r", "0.65", "--judged", "10000", "--delta", "3pp", "--baseline", "70%"
    )
    assert "Label 1,126 of the 10,000 judged items" in text
    assert "a gap of 3 pp from a baseline of 70 %" in text
    assert "rho = 0.5 (assumed" in text
    psi = PLAN.text("--judge-r", "0.65", "--judged", "5000", "--delta", "3pp", "--psi", "30%")
    assert "exactly one is right on 30 % of them" in psi


def test_too_few_judged_items() -> None:
    text = PLAN.text(
        "--judge-r", "0.8", "--sd-diff", "0.55", "--judged", "10000", "--delta", "1pp"
    )
    assert text.startswith("10,000 judged items are too few for a gap of 0.01")
    assert (
        "with a label on each they detect 0.0154. Judge at least 23,745; of 47,490, label" in text
    )
    assert "118,725 9,809" in text
    both = PLAN.text(*WIDE, "--judged", "10000", "--delta", "1pp", "--labels", "1000")
    assert "detect a gap of 0.01 with probability 11 %" in both
    assert "80 % takes more judged items than these, at least 23,745: of 47,490" in both


def test_the_cheapest_mix() -> None:
    text = PLAN.text(*WIDE, "--delta", "3pp", *COSTS)
    assert text.startswith("Label 1,658 of 14,188 judged items")
    assert "That costs 1,800, 32 % less than 2,641 labels without a judge (2,641)" in text
    assert "0 none 2,641 2,641.00" in text
    given = PLAN.text(*LABELS, *COSTS)
    assert "That costs 1,820, 31 % less than" in given
    assert "Cheapest is to label 1,658 of 14,188 judged items, 12 %, for 1,800" in given
    dear = PLAN.text(*WIDE, "--delta", "3pp", "--cost-label", "1", "--cost-judge", "0.5")
    assert dear.startswith("Label 2,641 items and use no judge to detect a gap of 0.03")
    assert "at these costs it does not pay" in dear
    more = PLAN.text(*LABELS, "--cost-label", "1", "--cost-judge", "0.5")
    assert "% more than 2,641 labels without a judge" in more
    assert "Cheapest are labels alone: 2,641 labels for 2,641" in more


def test_labels_give_the_rest() -> None:
    gap = PLAN.text(*WIDE, "--judged", "10000", "--labels", "500")
    assert gap.startswith("500 labels among 10,000 judged items detect a gap of 0.0536")
    assert "without the judge, 0.069." in gap
    power = PLAN.text(*LABELS, "--labels", "500")
    assert "with probability 35 % (two-sided α = 0.05)" in power
    assert "80 % takes 1,720 labels, 1,220 more." in power
    assert "q = n/n* = 0.29" in power
    enough = PLAN.text(*LABELS, "--labels", "2000")
    assert "80 % takes 1,720 labels. " in enough
    items = PLAN.text(*WIDE, "--delta", "3pp", "--labels", "1900")
    assert items.startswith(
        "Judge 5,677 items for 1,900 labels among them to detect a gap of 0.03"
    )
    few = PLAN.text(*WIDE, "--delta", "3pp", "--labels", "1000")
    assert "1,000 labels are too few for a gap of 0.03" in few
    assert "however many items are judged: it takes at least 1,529" in few
    alone = PLAN.text(*WIDE, "--delta", "3pp", "--labels", "2700")
    assert "Judge 2,700 items" in alone or "2,700 labels detect" in alone
    none = PLAN.text("--judge-r", "0.5", "--baseline", "90%", "--judged", "40", "--labels", "5")
    assert "5 labels among 40 judged items detect no gap" in none


def test_fewer_than_thirty() -> None:
    raised = PLAN.text("--judge-r", "0.9", "--delta", "20pp", "--psi", "30%", "--judged", "1000")
    assert raised.startswith("Label 30 of the 1,000 judged items")
    assert "Fewer might do, but nstar compare does not correct a judge below 30 labels" in raised
    alone = PLAN.text("--judge-r", "0.9", "--delta", "40pp", "--psi", "50%", "--judged", "1000")
    assert "The judge saves none of them." in alone
    assert "below 30 labels; 19 labels do without it" in alone
    few = PLAN.text("--judge-r", "0.9", "--labels", "20", "--psi", "50%", "--judged", "1000")
    assert "these are planned as labels alone. Plan at least 30." in few


def test_a_pilot() -> None:
    text = PLAN.text(*PILOT, "--delta", "5pp", "--judged", "10000", "--full")
    assert text.startswith(
        "Label 618 of the 10,000 judged items, drawn at random, to detect a gap"
    )
    assert "planned with r = 0.42, the pilot's lower limit." in text
    assert "If r is really 0.54, as the pilot shows, 539 labels would do." in text
    assert "r = 0.54 (95 % interval 0.42 to 0.64) on differences of alpha and beta, 200" in text
    assert "differ with sd 0.48, as in the pilot" in text
    assert "--sd-diff" not in text
    assert "the 1,000 judged items" in PLAN.text(*PILOT, "--delta", "5pp")
    mix = PLAN.text(*PILOT, "--delta", "5pp", *COSTS)
    assert "560 labels of 3,420 judged items would do" in mix
    two = [f"{EXAMPLE}::{name}" for name in ("beta", "alpha")]
    other = PLAN.text("--pilot", two[0], "--pilot", two[1], *COLUMNS, "--labels", "100")
    assert "100 labels among 1,000 judged items detect a gap of 13.1 pp" in other
    assert "differences of beta and alpha" in other


def _table(path: Path, labels: int, *, scale: int = 1, judge: str = "good") -> tuple[str, ...]:
    rng = np.random.default_rng(3)
    right = rng.random((2, 300)) < [[0.7], [0.6]]
    said = np.where(rng.random((2, 300)) < 0.1, ~right, right)
    if judge == "random":
        said = rng.random((2, 300)) < 0.5
    rows = ["model,item,verdict,human"]
    for model, truth, told in zip(("=x<b>", "y"), right, said, strict=True):
        for k in range(300):
            label = f"{scale * int(truth[k])}" if k < labels else ""
            rows.append(f"{model},q{k},{scale * int(told[k])},{label}")
    path.write_text("\n".join(rows))
    return ("--pilot", str(path), *COLUMNS)


def test_small_and_strange_pilots(tmp_path: Path) -> None:
    few = PLAN.text(*_table(tmp_path / "few.csv", 40), "--delta", "10pp")
    assert "The pilot has only 40 labels: r and the spread are hardly known" in few
    assert "=x<b> and y" in few
    useless = PLAN.text(*_table(tmp_path / "u.csv", 60, judge="random"), "--delta", "20pp")
    assert "does not rule out a judge that knows nothing of differences: labels alone" in useless
    page = tmp_path / "plan.html"
    told = _table(tmp_path / "few.csv", 40)
    assert PLAN.run(*told, "--delta", "10pp", "--html", str(page)).exit_code == 0
    assert "<b>" not in page.read_text("utf-8").partition("How many labels")[2]


def test_units_of_a_pilot(tmp_path: Path) -> None:
    hundred = _table(tmp_path / "hundred.csv", 100, scale=100)
    told = PLAN.run(*hundred, "--delta", "10")
    assert told.exit_code == 0
    assert "scores run from 0 to 100" in told.stderr
    assert "a gap of 10 (4 times" in " ".join(told.stdout.split())
    points = PLAN.run(*hundred, "--delta", "10pp")
    assert points.exit_code == 3
    assert "give it in their units, without pp" in points.output
    large = PLAN.run(*PILOT, "--delta", "5")
    assert large.exit_code != 0
    assert "write 5pp" in " ".join(large.output.split())


def test_json_says_it_in_numbers() -> None:
    answer = PLAN.answer(*LABELS, *COSTS)
    assert answer["schema"] == "nstar.judgedplan/1"
    assert (answer["n_star"], answer["alone"], answer["saved"]) == (1720, 2641, 921)
    assert (answer["judge_r"], answer["judged"], answer["pilot"]) == (0.65, 10_000, None)
    assert answer["cheapest"] == {"labels": 1658, "judged": 14_188, "cost": pytest.approx(1799.88)}
    assert [row["judge_r"] for row in answer["rows"] if row["chosen"]] == [0.65]
    none = PLAN.answer("--judge-r", "0.8", "--sd-diff", "1", "--judged", "100", "--delta", "0.01")
    assert none["n_star"] in (None, "Infinity")
    pilot = PLAN.answer(*PILOT, "--delta", "5pp")
    assert pilot["pilot"]["labels"] == 200
    assert (pilot["n_star"], pilot["n_star_seen"]) == (690, 658)


def test_other_formats(tmp_path: Path) -> None:
    rows = list(csv.DictReader(StringIO(PLAN.run(*LABELS, "--format", "csv").stdout)))
    assert [float(row["n_star"]) for row in rows] == [2641, 2463, 2123, 1720, 1551, 648]
    markdown = PLAN.run(*LABELS, "--format", "markdown").stdout
    assert "| **0.65** | **1,720** |" in markdown
    assert r"\begin{tabular}" in PLAN.run(*LABELS, "--format", "latex").stdout
    page = tmp_path / "plan.html"
    assert PLAN.run(*LABELS, "--html", str(page)).exit_code == 0
    assert "How many labels a judge needs" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "mend"),
    [
        (("--items", "100"), "write --judged (items that the judge scores) or --labels"),
        (("--icc", "0.1", "--cluster-size", "5"), "times the square root of the design effect"),
        (("--design-effect", "2"), "times the square root of the design effect"),
        (("--unpaired",), "both models answer the same items"),
        (("--metric", "acc"), "the judge and the labels are the metrics"),
        (("--margin", "2pp"), "leave --margin out"),
        (("--sequential", "e-process"), "leave --sequential out"),
        (("--budget", "100"), "leave --budget out"),
        (("--elo", "20"), "leave --elo out"),
        (("--models", "5"), "leave --models out"),
        (("--delta", "1pp,2pp"), "--delta takes one value here"),
        (("--cost-label", "1"), "--cost-label and --cost-judge go together"),
        (("--column", "judge=x"), "--column is about the logs of --pilot LOG"),
        (("--task", "x"), "--task is about the logs of --pilot LOG"),
        (("--figure", "x.svg"), "leave --figure out"),
        (("--judge-r", "65%"), "write 0.65"),
        (("--judge-r", "1"), "a correlation from 0 to below 1"),
        (("--pilot", "x.csv"), "say which columns of the pilot are the judge's"),
        (PILOT, "--pilot shows what the judge is worth; leave --judge-r out"),
    ],
)
def test_what_means_nothing_beside_it_is_refused(arguments: tuple[str, ...], mend: str) -> None:
    result = PLAN.run(*LABELS, *arguments)
    assert (result.exit_code, mend in " ".join(result.output.split())) == (2, True), result.output


@pytest.mark.parametrize(
    ("arguments", "status", "mend"),
    [
        ("--judged 100 --delta 3pp --psi 30%", 2, "give --judge-r, the correlation"),
        ("--judge-r 0.5 --delta 3pp --psi 30%", 2, "give --judged (items that the judge scores)"),
        ("--judge-r 0.5 --judged 100 --psi 30%", 2, "give --delta (how many labels are needed?)"),
        ("--judge-r 0.5 --judged 100 --delta 3pp", 2, "give --baseline"),
        ("--judge-r 0.5 --judged 9 --labels 10 --psi 30%", 3, "at most the 9 judged items"),
        ("--judge-r 0.5 --delta 3pp --psi 30% --cost-label 1 --cost-judge 0", 3, "--cost-judge"),
    ],
)
def test_questions_that_are_none(arguments: str, status: int, mend: str) -> None:
    result = PLAN.run(*arguments.split())
    found = (result.exit_code, mend in " ".join(result.output.split()))
    assert found == (status, True), result.output


def test_pilots_that_are_none() -> None:
    three = PLAN.run(*PILOT, "--pilot", "b", "--pilot", "c", "--delta", "5pp")
    assert "a pilot has two models; --pilot names 3 logs" in three.output
    column = ("--column", "judge=verdict", "--column", "label=nope")
    none = PLAN.run("--pilot", str(EXAMPLE), *column, "--delta", "5pp")
    assert "no column 'nope' for label" in none.output
    runs = PLAN.run("--pilot", str(EXAMPLE), "--delta", "5pp")
    assert "--column" not in runs.output


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        ({"judge_r": 65, "judged": 100}, "judge_r must be from 0"),
        ({"judge_r": "0.65", "judged": 100}, "judge_r must be a number"),
        ({"judge_r": 0.65, "judged": 100.5}, "judged must be a whole number"),
        ({"judge_r": 0.65, "labels": 100.5}, "labels must be a whole number"),
        ({"judged": 100}, 'pilot with columns={"judge": …, "label": …}'),
        ({"judge_r": 0.65, "judged": 100, "design_effect": 2}, "write sd_diff times"),
    ],
)
def test_slips_in_python(words: dict[str, Any], mend: str) -> None:
    with pytest.raises(NstarError) as found:
        nstar.plan(**{"delta": 0.05, "psi": 0.3} | words)
    assert mend in str(found.value)


def test_python_says_the_same() -> None:
    columns = {"judge": "verdict", "label": "human"}
    found = nstar.plan(pilot=str(EXAMPLE), columns=columns, delta=0.05, judged=10_000)
    assert isinstance(found, nstar.JudgedPlan)
    assert (found.n_star, found.n_star_seen) == (618, 539)
    again = nstar.plan(pilot=found.pilot, columns=columns, delta=0.05, judged=10_000)
    assert again == found
    sides = (f"{EXAMPLE}::alpha", f"{EXAMPLE}::beta")
    assert nstar.plan(pilot=sides, columns=columns, delta=0.05, judged=10_000) == found
    noise = nstar.Graded(sd=0.55)
    assert nstar.plan(noise, judge_r=0.65, judged=10_000, delta=0.03).n_star == 1720
