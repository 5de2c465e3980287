"""``nstar plan board`` by assumptions, as it is read."""

from pathlib import Path

import pytest

import nstar
from helpers.commands import Command

PLAN = Command("plan board")
BOARD = ("--baseline", "70%", "--models", "10")


def test_picking_is_not_proving() -> None:
    text = PLAN.text(*BOARD, "--delta", "2pp", "--goal", "best", "--full")
    assert text.startswith("Picking the best of 10 models takes 3,007 items if it leads")
    assert "Proving a 2 pp gap between any two models takes 8,269 items." in text
    assert "is picked without a test" in text
    assert PLAN.text(*BOARD, "--items", "800", "--goal", "best").startswith(
        "800 items pick the best of 10 models with 95% probability if it leads"
    )
    both = PLAN.text(*BOARD, "--items", "800", "--delta", "2pp", "--goal", "best")
    assert "pick the best of 10 models with 60% probability" in both


def test_whose_power_it_is() -> None:
    each = PLAN.text(*BOARD, "--delta", "2pp")
    assert "The power is for a single pair" in each
    assert "it is only 8% (see --joint)" in each
    assert "Picking the best model takes 3,007 items if it leads by 2 pp." in each
    every = PLAN.text(*BOARD, "--delta", "2pp", "--joint")
    assert (
        "between any two of 10 models takes 13,622 items (80% power for all pairs simultaneously"
        in every
    )
    control = PLAN.text(*BOARD, "--delta", "2pp", "--goal", "control", "--full")
    assert "between a control and any of 9 other models takes 6,415" in control
    assert "critical value is 2.686 (Dunnett) instead of 1.960" in control


def test_money_for_many_models() -> None:
    text = PLAN.text(*BOARD, "--budget", "500", "--cost-run", "0.02", "--goal", "best")
    assert text.startswith("2,500 items pick the best")
    assert "Running 2,500 items on each of 10 models costs 500 of the budget of 500" in text
    priced = PLAN.text(*BOARD, "--delta", "2pp", "--cost-run", "0.12")
    assert "Running 8,269 items on each of 10 models costs 9,922.8" in priced
    found = nstar.plan_board(baseline=0.7, models=10, budget=500, cost_run=0.02)
    assert (found.n_items, found.cost, found.budget) == (2500, 500, 500)


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        ("--goal best --delta 2pp --power 0.9", "Use --alpha 0.1 instead of --power 0.9"),
        (
            "--goal best --delta 2pp --joint",
            "--goal best is a single decision, so --joint has no effect",
        ),
        (
            "--goal best --delta 2pp --alternative greater",
            "is not a test, so --alternative has no effect",
        ),
        ("--budget 500 --flip 30%", "No such option '--flip' here. Use it with nstar plan runs."),
        ("--budget 500", "--budget also needs --cost-run"),
        ("--budget 500 --cost-run 0.02 --items 100", "Remove --items"),
        ("--budget 500 --cost-run 1,2", "'1,2' is not an amount of money"),
        ("--delta 2", "is above 1. Use 2pp"),
        ("--delta 1pp,2pp --rho 0.4,0.5", "--delta and --rho cannot both have several values"),
        ("--delta 2pp --sd-diff 0.5", "Use either --baseline (accuracy for 0/1 scores)"),
    ],
)
def test_refusals_say_why(words: str, fix: str) -> None:
    result = PLAN.run(*BOARD, *words.split())
    assert result.exit_code == 2
    assert fix in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        (
            "--delta 2pp --baseline 70%",
            "Set --models (number of models), or pass the logs of a pilot",
        ),
        ("--delta 2pp --models 5", "Set --baseline (accuracy for 0/1 scores)"),
        ("--models 5 --baseline 70%", "Set --delta (to get the number of items)"),
    ],
)
def test_what_is_missing_is_named(words: str, fix: str) -> None:
    result = PLAN.run(*words.split())
    assert result.exit_code == 2
    assert fix in " ".join(result.stderr.split())


def test_one_class_by_assumptions_and_from_a_pilot(tmp_path: Path) -> None:
    plan = nstar.plan_board(models=10, baseline=0.7, delta=0.02, goal="best")
    assert isinstance(plan, nstar.BoardPlan)
    assert plan.assumed is not None
    assert (plan.n_star, plan.goal, plan.readings) == (3007, "best", ())
    assert nstar.BoardPlan.from_json(plan.to_json()) == plan
    figure = tmp_path / "board.svg"
    command = (*BOARD, "--delta", "2pp", "--figure", str(figure))
    assert PLAN.run(*command).exit_code == 0
    assert "Power" in figure.read_text("utf-8")
    rows = PLAN.run(*BOARD, "--delta", "2pp", "--format", "csv").stdout.splitlines()
    assert rows[0].startswith("name,value")
