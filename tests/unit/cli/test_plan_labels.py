"""``nstar plan labels``."""

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.commands import Command
from nstar.errors import NstarError
from nstar.report.prose.numbers import percent

PLAN = Command("plan labels")
WIDE = ("--judge-r", "0.65", "--sd-diff", "0.55")
LABELS = (*WIDE, "--judged", "10000", "--delta", "3pp")
COSTS = ("--cost-label", "1", "--cost-judge", "0.01")
EXAMPLE = Path(__file__).parents[3] / "examples" / "judged.csv"
COLUMNS = ("--judge", "verdict", "--label", "human")
PILOT = (str(EXAMPLE), *COLUMNS)


def test_labels_come_first() -> None:
    text = PLAN.text(*LABELS, "--full")
    assert text.startswith(
        "Label a random 1,720 of 10,000 judged items to detect a 0.03 gap (80% power, judge r = "
        "0.65). Without the judge, it takes 2,641 labels."
    )
    assert "→ 0.65 1,720" in text
    assert (
        "saves 921 of 2,641 labels (35%); judging unlimited items would save at most 42%" in text
    )
    assert "r is the correlation between the differences A − B" in text
    assert "t with n − 2 degrees of freedom for n labels" in text
    assert "multiply the SD (--sd-diff)" in text


def test_points_of_accuracies() -> None:
    text = PLAN.text(
        "--judge-r", "0.65", "--judged", "10000", "--delta", "3pp", "--baseline", "70%"
    )
    assert "Label a random 1,126 of 10,000 judged items" in text
    assert f"a 3 pp gap from a {percent(0.7)} baseline" in text


def test_too_few_judged_items() -> None:
    text = PLAN.text(
        "--judge-r", "0.8", "--sd-diff", "0.55", "--judged", "10000", "--delta", "1pp"
    )
    assert text.startswith("10,000 judged items cannot detect a 0.01 gap")
    assert (
        "At best, they detect a gap of 0.0154. Judge at least 23,745 items; for example, label"
        in text
    )
    assert "118,725 9,809" in text
    both = PLAN.text(*WIDE, "--judged", "10000", "--delta", "1pp", "--labels", "1000")
    assert "have 11% power to detect a 0.01 gap" in both
    assert "80% power takes at least 23,745 judged items; for example, label" in both


def test_the_cheapest_mix() -> None:
    text = PLAN.text(*WIDE, "--delta", "3pp", *COSTS)
    assert text.startswith("Label a random 1,658 of 14,188 judged items")
    assert "This costs 1,800, 32% less than 2,641 labels without the judge (2,641)" in text
    assert "0 none 2,641 2,641.00" in text
    given = PLAN.text(*LABELS, *COSTS)
    assert "This costs 1,820, 31% less than" in given
    assert "The cheapest plan is to label 1,658 of 14,188 judged items (12%) for 1,800" in given
    dear = PLAN.text(*WIDE, "--delta", "3pp", "--cost-label", "1", "--cost-judge", "0.5")
    assert dear.startswith("Label 2,641 items without a judge to detect a 0.03 gap")
    assert "At these prices, the judge does not pay off" in dear
    more = PLAN.text(*LABELS, "--cost-label", "1", "--cost-judge", "0.5")
    assert "% more than 2,641 labels without the judge" in more
    assert "The cheapest plan is labels alone: 2,641 labels for 2,641" in more


def test_labels_give_the_rest() -> None:
    gap = PLAN.text(*WIDE, "--judged", "10000", "--labels", "500")
    assert gap.startswith("500 labels among 10,000 judged items detect a 0.0536 gap")
    assert "Without the judge, they detect a gap of 0.069." in gap
    power = PLAN.text(*LABELS, "--labels", "500")
    assert "have 35% power to detect a 0.03 gap" in power
    assert "80% power takes 1,720 labels." in power
    assert "q = N/N* is 0.29" in PLAN.text(*LABELS, "--labels", "500", "--full")
    enough = PLAN.text(*LABELS, "--labels", "2000")
    assert "80% power takes 1,720 labels. " in enough
    items = PLAN.text(*WIDE, "--delta", "3pp", "--labels", "1900")
    assert items.startswith(
        "Judge 5,677 items and label a random 1,900 of them to detect a 0.03 gap"
    )
    few = PLAN.text(*WIDE, "--delta", "3pp", "--labels", "1000")
    assert "1,000 labels are too few to detect a 0.03 gap" in few
    assert "It takes at least 1,529 labels" in few
    alone = PLAN.text(*WIDE, "--delta", "3pp", "--labels", "2700")
    assert "Judge 2,700 items" in alone or "2,700 labels detect" in alone
    none = PLAN.text("--judge-r", "0.5", "--baseline", "90%", "--judged", "40", "--labels", "5")
    assert "5 labels among 40 judged items detect no gap" in none


def test_fewer_than_thirty() -> None:
    raised = PLAN.text(
        "--judge-r", "0.9", "--delta", "0.2", "--sd-diff", "0.51", "--judged", "1000"
    )
    assert raised.startswith("Label a random 30 of 1,000 judged items")
    assert (
        "nstar compare judged corrects a judge only with at least 30 labels, although fewer "
        "might be enough" in raised
    )
    alone = PLAN.text(
        "--judge-r", "0.9", "--delta", "0.4", "--sd-diff", "0.583", "--judged", "1000"
    )
    assert "The judge saves no labels." in alone
    assert "with at least 30 labels; 19 labels are enough without the judge" in alone
    few = PLAN.text("--judge-r", "0.9", "--labels", "20", "--sd-diff", "0.7", "--judged", "1000")
    assert "this plan is without the judge. Plan at least 30 labels." in few


def test_a_pilot() -> None:
    text = PLAN.text(*PILOT, "--delta", "5pp", "--judged", "10000", "--full")
    assert text.startswith("Label a random 618 of 10,000 judged items to detect a 5 pp gap")
    assert "judge r = 0.42, the pilot's lower limit)." in text
    assert "If r equals the pilot's 0.54, 539 labels are enough." in text
    assert "r = 0.54 (95% CI 0.42 to 0.64) on differences between alpha and beta, from 200" in text
    assert "difference of the labels has SD 0.48, as in the pilot" in text
    assert "--sd-diff" not in text
    assert "Label a random 690 of 1,000 judged items" in PLAN.text(*PILOT, "--delta", "5pp")
    mix = PLAN.text(*PILOT, "--delta", "5pp", *COSTS)
    assert "560 labels of 3,420 judged items are enough" in mix
    two = [f"{EXAMPLE}::{name}" for name in ("beta", "alpha")]
    other = PLAN.text(*two, *COLUMNS, "--labels", "100")
    assert "100 labels among 1,000 judged items detect a 13.1 pp gap" in other
    assert "differences between beta and alpha" in other


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
    return (str(path), *COLUMNS)


def test_small_and_strange_pilots(tmp_path: Path) -> None:
    few = PLAN.text(*_table(tmp_path / "few.csv", 40), "--delta", "10pp")
    assert "The pilot has only 40 labels, so r and the spread are very uncertain" in few
    assert "=x<b> and y" in few
    useless = PLAN.text(*_table(tmp_path / "u.csv", 60, judge="random"), "--delta", "20pp")
    assert "The CI includes r = 0, so the plan uses labels alone" in useless
    page = tmp_path / "plan.html"
    told = _table(tmp_path / "few.csv", 40)
    assert PLAN.run(*told, "--delta", "10pp", "--html", str(page)).exit_code == 0
    assert "<b>" not in page.read_text("utf-8").partition("<h1")[2]


def test_units_of_a_pilot(tmp_path: Path) -> None:
    hundred = _table(tmp_path / "hundred.csv", 100, scale=100)
    told = PLAN.run(*hundred, "--delta", "10")
    assert told.exit_code == 0
    assert "The pilot's scores range from 0 to 100, and gaps are in the same units." in " ".join(
        told.stdout.split()
    )
    assert "a 10 gap" in " ".join(told.stdout.split())
    points = PLAN.run(*hundred, "--delta", "10pp")
    assert points.exit_code == 2
    assert "Use score units, without pp" in points.output
    large = PLAN.run(*PILOT, "--delta", "5")
    assert large.exit_code != 0
    assert "Use 5pp" in " ".join(large.output.split())


def test_json_says_it_in_numbers() -> None:
    answer = PLAN.answer(*LABELS, *COSTS)
    assert answer["schema"] == "nstar.labelplan/1"
    assert (answer["n_star"], answer["n_star_without_judge"], answer["n_labels_saved"]) == (
        1720,
        2641,
        921,
    )
    assert (answer["judge_r"], answer["n_judged"], answer["pilot"]) == (0.65, 10_000, None)
    cost = pytest.approx(1799.88)
    assert answer["cheapest"] == {"n_labels": 1658, "n_judged": 14_188, "cost": cost}
    assert [row["judge_r"] for row in answer["scenarios"] if row["is_headline"]] == [0.65]
    none = PLAN.answer("--judge-r", "0.8", "--sd-diff", "1", "--judged", "100", "--delta", "0.01")
    assert none["n_star"] in (None, "Infinity")
    pilot = PLAN.answer(*PILOT, "--delta", "5pp")
    assert pilot["pilot"]["n_labels"] == 200
    assert (pilot["n_star"], pilot["n_star_pilot"]) == (690, 658)


def test_other_formats(tmp_path: Path) -> None:
    rows = list(csv.DictReader(StringIO(PLAN.run(*LABELS, "--format", "csv").stdout)))
    assert [float(row["n_star"]) for row in rows] == [2641, 2463, 2123, 1720, 1551, 648]
    markdown = PLAN.run(*LABELS, "--format", "markdown").stdout
    assert "| **0.65** | **1,720** |" in markdown
    assert r"\begin{tabular}" in PLAN.run(*LABELS, "--format", "latex").stdout
    page = tmp_path / "plan.html"
    assert PLAN.run(*LABELS, "--html", str(page)).exit_code == 0
    assert "Label a random 1,720 of 10,000 judged items" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        (("--items", "100"), "No such option '--items'"),
        (("--elo", "20"), "Use it with nstar plan votes."),
        (("--delta", "1pp,2pp"), "'1pp,2pp' is not a gap"),
        (("--delta", "3"), "is above 1. Use 3pp"),
        (("--cost-label", "1"), "--cost-label also needs --cost-judge."),
        (("--judge", "x"), "--judge also needs --label."),
        (
            ("--task", "x"),
            "--task applies only to a pilot. Pass the scores of the pilot as the first argument, "
            "or",
        ),
        (("--lower-is-better",), "--lower-is-better applies only to a pilot"),
        (("--baseline", "70%"), "Use either --baseline (accuracy for 0/1 scores) or"),
        (("--rho", "0.4"), "--rho also needs --baseline (accuracy"),
        (("--figure", "x.svg"), "No such option '--figure'"),
        (("--judge-r", "65%"), "Use a number such as 0.65"),
        (("--judge-r", "1"), "a correlation of at least 0 and less than 1"),
        ((*PILOT, "--delta", "1pp"), "Remove --judge-r, or do not pass the pilot"),
    ],
)
def test_conflicts_are_refused(arguments: tuple[str, ...], fix: str) -> None:
    words = LABELS if arguments[0] != "--delta" else (*WIDE[:2], "--baseline", "70%")
    result = PLAN.run(*words, *arguments)
    assert (result.exit_code, fix in " ".join(result.output.split())) == (2, True), result.output


@pytest.mark.parametrize(
    ("arguments", "status", "fix"),
    [
        ("--judged 100 --delta 3pp --baseline 70%", 2, "Set --judge-r (correlation"),
        (
            "--judge-r 0.5 --delta 3pp --baseline 70%",
            2,
            "Set --judged (number of items that the judge",
        ),
        (
            "--judge-r 0.5 --judged 100 --baseline 70%",
            2,
            "Set --delta (to get the number of labels",
        ),
        ("--judge-r 0.5 --judged 100 --delta 3pp", 2, "Set --baseline (accuracy"),
        ("--judge-r 0.5 --labels 10 --baseline 70%", 2, "or --labels and --judged"),
        ("--judge-r 0.5 --judged 9 --labels 10 --baseline 70%", 2, "at most the 9 judged items"),
        (
            "--judge-r 0.5 --delta 3pp --baseline 70% --cost-label 1 --cost-judge 0",
            2,
            "--cost-judge",
        ),
        (f"{EXAMPLE} --delta 3pp", 2, "Set --judge (column of the judge's scores"),
        ("missing.csv --judge a --label b --delta 3pp", 3, "missing.csv: no such file"),
        (f"x={EXAMPLE} --judge a --label b --delta 3pp", 2, "Add the log of the other model"),
    ],
)
def test_incomplete_questions_are_refused(arguments: str, status: int, fix: str) -> None:
    result = PLAN.run(*arguments.split())
    found = (result.exit_code, fix in " ".join(result.output.split()))
    assert found == (status, True), result.output


def test_a_pilot_of_one_model_is_refused(tmp_path: Path) -> None:
    none = PLAN.run(str(EXAMPLE), "--judge", "verdict", "--label", "nope", "--delta", "5pp")
    assert "no column 'nope' (for label)" in none.output
    rows = EXAMPLE.read_text("utf-8").splitlines()
    alone = tmp_path / "alone.csv"
    alone.write_text("\n".join(r for r in rows if "beta" not in r), "utf-8")
    assert PLAN.run(str(alone), *COLUMNS, "--delta", "5pp").exit_code != 0
    three = tmp_path / "three.csv"
    three.write_text("\n".join([*rows, *(r.replace("beta", "gamma") for r in rows[1:])]), "utf-8")
    planned = PLAN.run(str(three), *COLUMNS, "--delta", "5pp")
    assert "between any two of 3 models" in " ".join(planned.output.split())


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        ({"judge_r": 65, "judged": 100}, "judge_r must be at least 0"),
        ({"judge_r": "0.65", "judged": 100}, "judge_r must be a number"),
        ({"judge_r": 0.65, "judged": 100.5}, "judged must be a whole number"),
        ({"judge_r": 0.65, "labels": 100.5}, "labels must be a whole number"),
        ({"judged": 100}, "Set judge_r (correlation"),
    ],
)
def test_slips_in_python(words: dict[str, Any], fix: str) -> None:
    with pytest.raises(NstarError) as found:
        nstar.plan_labels(**{"delta": 0.05, "baseline": 0.7} | words)
    assert fix in str(found.value)


def test_python_and_the_command_agree() -> None:
    given: dict[str, Any] = {"judge": "verdict", "label": "human", "delta": 0.05}
    plan = nstar.plan_labels(str(EXAMPLE), judged=10_000, **given)
    assert isinstance(plan, nstar.LabelPlan)
    assert (plan.n_star, plan.n_star_pilot) == (618, 539)
    scalars: dict[str, Any] = {"judged": np.int64(10_000), "delta": np.float64(0.05)}
    again = nstar.plan_labels(plan.pilot, **scalars)
    assert again == plan
    sides = (f"{EXAMPLE}::alpha", f"{EXAMPLE}::beta")
    assert nstar.plan_labels(*sides, judged=10_000, **given) == plan
    graded = nstar.plan_labels(sd_diff=0.55, judge_r=0.65, judged=10_000, delta=0.03)
    assert graded.n_star == 1720
