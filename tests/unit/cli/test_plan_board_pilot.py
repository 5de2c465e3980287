"""``nstar plan board LOG``."""

import math
from pathlib import Path

import numpy as np
import pytest

import nstar
from helpers.commands import Command

PLAN = Command("plan board")
EVIL = "<script>alert(1)</script>\x1b[31m"


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Five models on 120 items of six subjects, in rows of a table."""
    rng = np.random.default_rng(1)
    hard = rng.normal(0, 1, 120)
    rows = ["model,item,score,subject"]
    for j, model in enumerate(["a", "b", "c", "d", "e"]):
        right = rng.random(120) < 1 / (1 + np.exp(hard - 0.4 * j))
        rows += [f"{model},q{i},{int(x)},s{i % 6}" for i, x in enumerate(right)]
    path = tmp_path_factory.mktemp("pilot") / "pilot.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return str(path)


def test_what_items_resolve(pilot: str) -> None:
    text = PLAN.text(pilot, "--items", "800", "--models", "20", "--full")
    assert text.startswith("800 items detect gaps of ")
    assert (
        "items from 6 new groups, defined by subject" not in text
    )  # 800 items are more than the pilot's
    assert "Plan for items from 40 new groups, defined by subject (20 items each, ICC" in text
    assert "any two of 20 models like the pilot's" in " ".join(text.split())
    assert "The best model ranks first in" in text
    assert "task" not in text
    assert "agent" not in text


def test_what_a_gap_takes(pilot: str) -> None:
    text = PLAN.text(pilot, "--delta", "3pp", "--strata", "subject")
    assert text.startswith("Detecting a 3 pp gap between any two of the pilot's 5 models takes")
    assert "enough (90% sure)" in text
    data = PLAN.answer(pilot, "--delta", "3pp", "--strata", "subject")
    assert data["readings"][0]["items_are"] == "strata"
    assert data["forecast"] is None


def test_it_is_drawn(pilot: str, tmp_path: Path) -> None:
    target = tmp_path / "gaps.svg"
    result = PLAN.run(pilot, "--items", "800", "--figure", str(target))
    assert result.exit_code == 0
    assert "MDE for 5 models" in target.read_text("utf-8")
    wrong = ("--figure", str(target), "--figure-kind", "power")
    result = PLAN.run(pilot, "--items", "800", *wrong)
    assert "kind must be gaps" in result.stderr


def test_money(pilot: str) -> None:
    data = PLAN.answer(pilot, "--budget", "100", "--cost-run", "0.02", "--models", "10")
    assert (data["n_items"], data["cost"]) == (500, 100)
    assert data["headline"].startswith("A budget of 100 buys 500 items, which detect gaps of")


def test_other_groups_are_counted(pilot: str) -> None:
    """Items of other subjects are not to be had from the subjects there are."""
    words = (pilot, "--cluster", "subject")
    told = " ".join(PLAN.text(*words, "--delta", "3pp").split())
    found = PLAN.answer(*words, "--delta", "3pp")["readings"][0]
    needed = {row["claim"]: row["n_star"] for row in found["claims"]}
    groups = math.ceil(needed["all-pairs"] / found["cluster_size"])
    assert f"from {groups:,} new subjects (80% power per pair)" in told
    assert f"{math.ceil(needed['best'] / 20):,} " in told.partition("best and second")[2]
    assert "Simulated boards" not in told
    assert PLAN.text(*words, "--items", "800").startswith("800 items from 40 new subjects")
    assert PLAN.text(*words, "--items", "90").startswith("90 items from 6 new subjects")


def test_grades_from_0_to_1_are_in_points_as_everywhere() -> None:
    rng = np.random.default_rng(3)
    grades = {name: rng.random(60).round(2) for name in "abc"}
    rows = {
        "model": [m for m in grades for _ in range(60)],
        "item": [str(i) for _ in grades for i in range(60)],
        "score": np.concatenate(list(grades.values())).tolist(),
    }
    assert "a 2 pp gap between" in str(nstar.plan_board(rows, delta=0.02))
    rows["score"] = [100 * x for x in rows["score"]]
    assert "a 2 gap between" in str(nstar.plan_board(rows, delta=2))


def test_two_models_are_planned_where_two_are_requested(pilot: str) -> None:
    for words in (("--items", "800"), ("--delta", "3pp")):
        two = PLAN.answer(pilot, *words, "--models", "2")
        assert two["n_models"] == 2
        assert PLAN.answer(pilot, *words)["n_models"] == 5
    money = ("--budget", "100", "--cost-run", "0.02")
    assert PLAN.answer(pilot, *money, "--models", "2")["n_items"] == 2500


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--models 20", "Set --delta (to get the number of items)"),
        ("--items 800 --baseline 70%", "The pilot already determines --baseline"),
        ("--items 800 --goal best", "The pilot already determines --goal. Remove --goal"),
        (
            "--items 800 --cluster subject --strata subject",
            "Use either --cluster (new items come from other groups)",
        ),
        ("--items 800 --budget 10 --cost-run 1", "Remove --items"),
        ("--budget 10 --models 4", "--budget also needs --cost-run"),
        ("--items 800 --margin 2pp", "Use it with nstar plan margin."),
        ("--delta 1pp,2pp", "With a pilot, --delta must be a single value"),
    ],
)
def test_refusals_say_why(pilot: str, words: str, told: str) -> None:
    result = PLAN.run(pilot, *words.split())
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())


def test_an_unknown_column_is_named_with_those_there_are(pilot: str) -> None:
    result = PLAN.run(pilot, "--items", "800", "--cluster", "topic")
    assert result.exit_code not in (0, 1)
    assert "No group column 'topic' in the pilot. Available: subject" in result.stderr


def test_groups_need_a_pilot() -> None:
    words = ("--models", "5", "--baseline", "70%", "--items", "100")
    result = PLAN.run(*words, "--cluster", "subject")
    assert result.exit_code == 2
    assert "--cluster applies only to a pilot. Pass the scores" in result.stderr


def test_names_of_strangers_stay_text(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = {"model": [], "item": [], "score": [], EVIL: []}  # type: ignore[var-annotated]
    for model in (EVIL, "b", "c"):
        for i in range(40):
            row = (model, str(i), float(rng.random() < 0.6), f"{EVIL}{i % 4}")
            for key, value in zip(frame, row, strict=True):
                frame[key].append(value)
    found = nstar.plan_board(frame, items=100)
    assert "\x1b" not in str(found)
    found.save(tmp_path / "page.html")
    assert "<script>alert(1)" not in (tmp_path / "page.html").read_text("utf-8")


def test_more_items_of_the_same_groups_may_not_be_enough() -> None:
    """More groups would be: without a number of items, the plan needs a finite number."""
    rng = np.random.default_rng(0)
    effects = rng.normal(0, 0.25, (2, 40)).repeat(12, axis=1)
    scores = (rng.random((2, 480)) < np.clip(0.6 + effects, 0.02, 0.98)).astype(float)
    items = [f"q{k}" for k in range(480)]
    pilot = {
        "model": ["a"] * 480 + ["b"] * 480,
        "item": items * 2,
        "score": scores.ravel(),
        "passage": [f"p{k // 12}" for k in range(480)] * 2,
    }
    text = nstar.report.render(nstar.plan_board(pilot, items=60, delta=0.02, cluster="passage"))
    words = " ".join(text.split())
    assert "No number of items from 40 new passages gives 80% power" in words
    free = nstar.plan_board(pilot, delta=0.02, cluster="passage")
    assert "No number of items" not in nstar.report.render(free)
