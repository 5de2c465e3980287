"""Plans of runs and boards in Python: pilots of every kind, prices, refusals."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.commands import Command
from nstar._verbs.runs import run_tables
from nstar.errors import NstarError, ParameterError, QuestionError

AGENTS = Path(__file__).parents[3] / "examples" / "agents.csv"
RATES = {"baseline": 0.5, "flip": 0.3}
TWO_BY_TWO = [[1, 0], [0, 1]]


def test_tables_give_what_the_command_reads() -> None:
    command = Command("plan runs")
    ada, bob = run_tables(nstar.read(AGENTS), models=["ada", "bob"])
    printed = command.answer(str(AGENTS), "--delta", "5pp", "--metric", "score")
    plan = nstar.plan_runs(ada, bob, delta=0.05)
    assert json.loads(plan.to_json()) == printed
    assert plan.costs_source == "logs"
    alone = command.answer(f"{AGENTS}::ada", "--delta", "5pp", "--cost-run", "1")
    assert json.loads(nstar.plan_runs(ada, delta=0.05, cost_run=1).to_json()) == alone


@pytest.mark.parametrize("price", [(3, 15), "3/15", {"*": (3, 15)}, {"ada": "3/15"}])
def test_ways_to_write_a_price(price: Any) -> None:
    (ada,) = run_tables(nstar.read(AGENTS), models=["ada"])
    read, written = (np.full_like(ada.scores, tokens) for tokens in (2000, 1000))
    pilot = replace(ada, input_tokens=read, output_tokens=written)
    plan = nstar.plan_runs(pilot, delta=0.05, price=price)
    assert plan.costs_source == "prices"
    assert plan.costs.run_a == pytest.approx((2000 * 3 + 1000 * 15) / 1e6)


def test_a_pilot_of_arrays() -> None:
    rng = np.random.default_rng(2)
    rates = rng.random((60, 1))
    a, b = ((rng.random((60, runs)) < rates) * 1.0 for runs in (4, 2))
    both = nstar.plan_runs(a, b, delta=0.1)
    assert both.variances.pilot is not None
    assert (both.variances.pilot.n_tasks, both.variances.pilot.n_runs) == (60, (4, 2))
    resampled = nstar.plan_runs(a.tolist(), delta=0.2, rho=0.5, resample=True).resampled_power
    assert resampled is not None
    assert resampled.is_same_model


def test_numpy_scalars_and_arrays_are_numbers() -> None:
    scalars: dict[str, Any] = {"delta": np.array([0.05, 0.1]), "models": np.int64(3)}
    board = nstar.plan_board(baseline=0.5, **scalars)
    assert board == nstar.plan_board(baseline=0.5, delta=(0.05, 0.1), models=3)
    assert nstar.BoardPlan.from_json(board.to_json()) == board
    costs: dict[str, Any] = {"cost_run": np.array([1, 2]), "budget": np.float32(500)}
    runs = nstar.plan_runs(baseline=0.5, flip=0.3, **costs)
    assert runs == nstar.plan_runs(baseline=0.5, flip=0.3, cost_run=(1, 2), budget=500)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (RATES, "Set budget (to get the detectable gap), delta (to get the cost)"),
        ({"budget": 9}, "Set baseline (success rate) and flip (how often two runs of a task"),
        (
            {**RATES, "budget": 9, "resample": True},
            "resample applies only to a pilot. Pass the scores",
        ),
        ({"data": TWO_BY_TWO, "delta": 0.1, "flip": 0.1}, "Remove flip, or do not pass the pilot"),
        ({"data": TWO_BY_TWO, "other": TWO_BY_TWO[::-1], "delta": 0.1, "rho": 0.5}, "Remove rho"),
    ],
)
def test_conflicts_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(QuestionError) as error:
        ask(**values)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"budget": 9, "sd_between": -0.1, "sd_within": 0.3}, "sd_between must be finite"),
        ({**RATES, "budget": 9, "cost_task": -1}, "cost_task must be finite and >= 0"),
        ({**RATES, "budget": 9, "cost_run": 0}, "cost_run must be"),
        ({**RATES, "budget": 9, "runs": 0}, "runs must be a whole number of at least 1"),
        ({**RATES, "budget": 9, "runs": (1, 2, 3)}, "runs must be one value, or one for each"),
        ({**RATES, "budget": "9"}, "budget must be a number"),
        ({"data": TWO_BY_TWO, "delta": 0.1, "task": "x"}, "task selects from logs or tables"),
        ({"data": TWO_BY_TWO, "delta": 5}, "Use 0.05 for 5 percentage points"),
        ({"data": AGENTS, "delta": 0.1, "price": {"ada": None}}, "price must be the prices"),
    ],
)
def test_values_outside_their_domain(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as error:
        ask(**values)
    assert message in str(error.value)


@pytest.mark.parametrize("data", [5, np.ones(3), ["a", 1]])
def test_what_is_no_pilot_is_refused(data: Any) -> None:
    with pytest.raises(NstarError):
        nstar.plan_runs(data, delta=0.1)


def ask(**values: Any) -> Any:
    """Call as a user without a type checker does."""
    data = [values.pop(name) for name in ("data", "other") if name in values]
    return nstar.plan_runs(*data, **values)
