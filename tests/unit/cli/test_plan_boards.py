"""``nstar plan --models K --goal …`` as it is read."""

import pytest

import nstar
from helpers.commands import Command

PLAN = Command("plan")
BOARD = ("--baseline", "70%", "--models", "10")


def test_choosing_is_told_apart_from_proving() -> None:
    text = PLAN.text(*BOARD, "--delta", "2pp", "--goal", "best", "--full")
    assert text.startswith("Choosing the best of 10 models takes 3,007 items if it leads")
    assert "To choose is not to prove" in text
    assert "8,269 items (80 % power, each pair); choosing takes 36 % of that" in text
    assert "nothing is tested" in text
    assert PLAN.text(*BOARD, "--items", "800", "--goal", "best").startswith(
        "800 items choose the best of 10 models with probability 95 % if it leads"
    )
    both = PLAN.text(*BOARD, "--items", "800", "--delta", "2pp", "--goal", "best")
    assert "is chosen with probability 60 %" in both


def test_whose_power_it_is() -> None:
    each = PLAN.text(*BOARD, "--delta", "2pp")
    assert "The power is that of one given pair" in each
    assert "plan for that with --every" in each
    assert "An audit steps down, and finds more of them." in each
    every = PLAN.text(*BOARD, "--delta", "2pp", "--every")
    assert "between every two of 10 models takes 13,622 items" in every
    control = PLAN.text(*BOARD, "--delta", "2pp", "--goal", "control", "--full")
    assert "between a control and any one of 9 other models takes 6,415" in control
    assert "critical value 2.686 (Dunnett) instead of 1.960" in control


def test_money_for_many_models() -> None:
    text = PLAN.text(*BOARD, "--budget", "500", "--cost-run", "0.02", "--goal", "best")
    assert text.startswith("2,500 items choose the best")
    assert "2,500 items × 10 models cost 500 of 500" in text
    priced = PLAN.text(*BOARD, "--delta", "2pp", "--cost-run", "0.02", "--cost-task", "1")
    assert "8,269 items × 10 models cost 9,922.8" in priced
    found = nstar.plan(baseline=0.7, models=10, budget=500, cost_run=0.02)
    assert (found.items, found.cost, found.budget) == (2500, 500, 500)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--goal best --delta 2pp --power 0.9", "write --alpha 0.1 instead of --power 0.9"),
        ("--goal best --delta 2pp --every", "choosing the best is one decision"),
        ("--goal best --delta 2pp --one-sided", "leave --one-sided out"),
        ("--goal best --margin 2pp", "shows nothing of gaps; leave --margin out"),
        ("--goal control --margin 2pp", "leave --goal control out"),
        ("--every --half-width 2pp", "leave --half-width out"),
        ("--budget 500 --cost-run 0.02 --flip 30%", "--flip plans repeated runs of two models"),
        ("--budget 500", "give --cost-run"),
        ("--budget 500 --cost-run 0.02 --items 100", "leave --items out"),
        ("--budget 500 --cost-run 1,2", "takes one number for 10 models"),
    ],
)
def test_refusals_say_why(words: str, told: str) -> None:
    base = BOARD[2:] if "--psi" in words else BOARD
    result = PLAN.run(*base, *words.split())
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())
