"""Gate, GateFeasibility and FalseAlarms in all their forms go to JSON and come back equal."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helpers.comparisons import cells
from helpers.gates import NAMES, made, tasks
from helpers.schemas import validate
from nstar import gate, gate_looks
from nstar._base.result import Result
from nstar._data.findings import find
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.gate import Gate, GateQuestion, History, false_alarms, gate_feasibility
from nstar._verbs.plan import PairedPsi, PairedRho

RNG = np.random.default_rng(4)
GRADED = RNG.random((2, 60))
RUNS = (RNG.random((2, 40, 3)) < 0.7).astype(float)
LABELS = {"g": [f"g{k % 8}" for k in range(60)]}


def _missing() -> Gate:
    a, b = (v.copy() for v in cells(300, 10, 10, 80))
    a[[0, 305]], b[390] = np.nan, np.nan
    return replace(gate(a, b, margin=0.05), findings=(find("reader", "a note"),))


def _growing() -> Gate:
    a, b = cells(300, 10, 10, 80)
    some = np.where(np.arange(400) < 250, a, np.nan)
    return gate_looks(some, b, margin=0.05, items=400)


def _second_night(*, fresh: bool) -> Gate:
    history, result = History(fresh=fresh), None
    for night in (0, 1):
        scores = np.random.default_rng(night).integers(0, 2, (2, 90))
        items = [f"q{90 * night + k}" for k in range(90)]
        matrix = ScoreMatrix.from_arrays(scores, models=list(NAMES), items=items)
        result = gate_looks(matrix, margin=0.1, a=NAMES[0], b=NAMES[1], history=history)
        assert result.history is not None
        history = result.history
    assert result is not None
    return result


def _alarms(scores: Any, **ask: Any) -> Result:
    names = [f"r{k}" for k in range(len(scores))]
    matrix = ScoreMatrix.from_arrays(scores, models=names, task="math")
    return false_alarms([matrix], GateQuestion(**ask))


FORMS: Mapping[str, Callable[[], Result]] = {
    "pass": lambda: made("pass"),
    "invalid data": lambda: made("invalid_data"),
    "three tasks": lambda: made("pass", "regression", "inconclusive"),
    "a guardrail": lambda: gate(
        tasks("pass", "inconclusive"),
        a=NAMES[0],
        b=NAMES[1],
        superiority=True,
        guardrails={"pass": 0.02},
    ),
    "identical scores": lambda: gate(*cells(200, 0, 0, 0), margin=0.01),
    "nothing but wins": lambda: gate(*cells(0, 20, 0, 0), margin=0.01),
    "one item": lambda: gate([1.0], [0.0], margin=0.01),
    "graded": lambda: gate(*GRADED, margin=0.1),
    "graded, many looks": lambda: gate_looks(*GRADED, margin=0.1, items=90),
    "runs": lambda: gate(*RUNS, margin=0.02),
    "clusters": lambda: gate(*cells(30, 8, 7, 15), margin=0.2, groups=LABELS, cluster="g"),
    "strata": lambda: gate(*cells(30, 8, 7, 15), margin=0.2, groups=LABELS, strata="g"),
    "a scale of its own": lambda: gate(*(9 * GRADED), margin=1.0, score_range=(0.0, 10.0)),
    "missing scores": _missing,
    "a growing run": _growing,
    "two nights": lambda: _second_night(fresh=False),
    "two nights of new items": lambda: _second_night(fresh=True),
    "gate_feasibility by psi": lambda: gate_feasibility(
        2000, margin=0.01, noise=PairedPsi(psi=0.1)
    ),
    "gate_feasibility by rho": lambda: gate_feasibility(
        100, margin=0.01, noise=PairedRho(baseline=0.7, rho=0.6)
    ),
    "out of reach": lambda: gate_feasibility(2, margin=0.01, noise=PairedPsi(psi=0.1)),
    "little disagreement": lambda: gate_feasibility(2, margin=0.9, noise=PairedPsi(psi=0.001)),
    "alarms": lambda: _alarms(RNG.integers(0, 2, (4, 60)), margin=0.02),
    "alarms of superiority": lambda: _alarms(
        RNG.integers(0, 2, (3, 60)), superiority=True, guardrails={"math": 0.1}
    ),
    "alarms without a pair": lambda: _alarms([[1.0, np.nan], [np.nan, 1.0]], margin=0.02),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", FORMS)
def test_reads_back_equal(form: str) -> None:
    result = FORMS[form]()
    text = result.to_json()
    again = type(result).from_json(text)
    assert again == result
    assert again.to_dict() == result.to_dict()
    validate(json.loads(text), result.schema())
    assert str(again) == str(result)


def test_what_a_reader_wants_first() -> None:
    (task,) = gate(*cells(300, 10, 60, 130), margin=0.02).to_dict()["tasks"]
    assert (task["n_items"], task["n_wins"], task["n_losses"]) == (500, 10, 60)
    assert (task["mean_candidate"], task["mean_baseline"]) == pytest.approx((0.62, 0.72))
    assert task["gap"] == task["improvement"] == pytest.approx(-0.1)
    assert task["evidence"]["is_shown_worse_unadjusted"]


def test_missing_is_not_what_is_to_come() -> None:
    (task,) = _growing().to_dict()["tasks"]
    assert (task["n_missing_candidate"], task["n_unreached"]) == (0, 150)
    assert task["n_items_planned"] == 400


def test_a_history_is_kept_apart_from_json() -> None:
    """Nights are for the history's own file; JSON says what they amount to."""
    result = _second_night(fresh=True)
    data = json.loads(result.to_json())
    assert "history" not in data
    pooled = data["pooled_evidence"]
    assert pooled["n_evaluations"] == len(pooled["log_e_values"]) + 1 == 2
    assert Gate.from_json(result.to_json()).history is None
