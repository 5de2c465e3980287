"""``nstar.plan`` by keywords: the command's words, its answers, its refusals in Python's words."""

import inspect
import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.commands import Command
from nstar import Design, Graded, PairedPsi, PairedRho, Plan, Unpaired
from nstar._api.plan import PlanQuestion
from nstar._api.plan.pilot import pilot_tables
from nstar._verbs.runs import run_tables
from nstar.cli.kit.figure import FigureOptions, PageOptions
from nstar.cli.kit.options import FormatOptions
from nstar.cli.kit.spelling import FlagSpeller
from nstar.cli.plan.options import PlanOptions
from nstar.errors import DataError, ParameterError, QuestionError, spelling
from nstar.report import render

ROOT = Path(__file__).parents[3]
AGENTS = ROOT / "examples" / "agents.csv"
PLAN = Command("plan")


def ask(**words: Any) -> Any:
    """As a user who has no type checker would."""
    return nstar.plan(**words)


# --- the same words, the same answers -----------------------------------------------------


def documented() -> set[str]:
    """Command lines of the pages about plans and the README, but for how long an answer is."""
    pages = [ROOT / "README.md", ROOT / "docs" / "plan.md", ROOT / "docs" / "budget.md"]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    return {
        line.partition(" | ")[0].strip().removesuffix(" --full").removesuffix(" --brief")
        for line in re.findall(r"^\$ nstar plan (--.*)$", text, re.M)
    }


IN_PYTHON: dict[str, dict[str, Any]] = {
    # documented
    "--baseline 70% --delta 1pp": {"baseline": 0.7, "delta": 0.01},
    "--items 1000 --baseline 70% --rho 0.6": {"items": 1000, "baseline": 0.7, "rho": 0.6},
    "--baseline 70% --rho 0.5 --icc 0.036 --clusters 14 --delta 5pp": {
        "baseline": 0.7,
        "rho": 0.5,
        "icc": 0.036,
        "clusters": 14,
        "delta": 0.05,
    },
    "--budget 5000 --cost-run 1 --cost-task 20 --baseline 50% --flip 30% --rho 0.6": {
        "budget": 5000,
        "cost_run": 1,
        "cost_task": 20,
        "baseline": 0.5,
        "flip": 0.3,
        "rho": 0.6,
    },
    "--delta 5pp --baseline 50% --flip 30% --tasks-available 100": {
        "delta": 0.05,
        "baseline": 0.5,
        "flip": 0.3,
        "tasks_available": 100,
    },
    # every other word
    "--baseline 70% --items 1000 --delta 2pp --alpha 1% --power 90% --one-sided": {
        "baseline": 0.7,
        "items": 1000,
        "delta": 0.02,
        "alpha": 0.01,
        "power": 0.9,
        "one_sided": True,
    },
    "--baseline 70% --delta 1pp,2pp --rho 0.2,0.5": {
        "baseline": 0.7,
        "delta": [0.01, 0.02],
        "rho": (0.2, 0.5),
    },
    "--baseline 70% --delta 1pp --benchmark MMLU": {
        "baseline": 0.7,
        "delta": 0.01,
        "benchmark": "MMLU",
    },
    "--psi 20% --odds-ratio 1.5": {"psi": 0.2, "odds_ratio": 1.5},
    "--baseline 70% --psi 20% --delta 5pp": {"baseline": 0.7, "psi": 0.2, "delta": 0.05},
    "--baseline 74% --items 216 --unpaired": {"baseline": 0.74, "items": 216, "unpaired": True},
    "--sd 30 --rho 0.8 --delta 2": {"sd": 30, "rho": 0.8, "delta": 2},
    "--sd 30 --margin 3 --score-range 0:100": {"sd": 30, "margin": 3, "score_range": (0, 100)},
    "--sd-diff 0.3 --half-width 0.02 --items 400": {
        "sd_diff": 0.3,
        "half_width": 0.02,
        "items": 400,
    },
    "--psi 15% --margin 5pp --non-inferiority": {
        "psi": 0.15,
        "margin": 0.05,
        "non_inferiority": True,
    },
    "--baseline 70% --icc 0.05 --cluster-size 21 --clusters 30": {
        "baseline": 0.7,
        "icc": 0.05,
        "cluster_size": 21,
        "clusters": 30,
    },
    "--baseline 70% --delta 2pp --models 10 --goal best": {
        "baseline": 0.7,
        "delta": 0.02,
        "models": 10,
        "goal": "best",
    },
    "--baseline 70% --delta 1pp --models 10 --goal adjacent": {
        "baseline": 0.7,
        "delta": 0.01,
        "models": 10,
        "goal": "adjacent",
    },
    "--baseline 70% --delta 1pp,2pp,5pp --rho 0.3,0.5,0.7": {
        "baseline": 0.7,
        "delta": (0.01, 0.02, 0.05),
        "rho": (0.3, 0.5, 0.7),
    },
    "--budget 5000 --sd-between 0.2 --sd-within 0.4,0.3 --cost-run 1,9 --runs 2,3": {
        "budget": 5000,
        "sd_between": 0.2,
        "sd_within": (0.4, 0.3),
        "cost_run": (1, 9),
        "runs": (2, 3),
    },
    "--delta 2pp --baseline 50% --flip 30% --unpaired": {
        "delta": 0.02,
        "baseline": 0.5,
        "flip": 0.3,
        "unpaired": True,
    },
}


@pytest.mark.parametrize("line", IN_PYTHON)
def test_the_same_words_give_the_same_answer(line: str) -> None:
    printed = PLAN.run(*line.split(), "--format", "json").stdout
    with spelling(OptionSpeller()):
        found = ask(**IN_PYTHON[line])
        assert render(found, "json").strip() == printed.strip()
    assert type(found).from_json(printed) == found


class OptionSpeller(FlagSpeller):
    """Spells parameters as the command line does, outside a command."""

    def spell(self, name: str, value: str | None) -> str:
        option = f"--{name.replace('_', '-')}"
        return option if value is None else f"{option} {value}"


IMPOSSIBLE = "--baseline 80% --delta 10pp --rho 0.8"


def test_every_documented_line_is_asked_in_python_too() -> None:
    assert len(documented()) > 5
    assert documented() - {IMPOSSIBLE} <= IN_PYTHON.keys()
    with pytest.raises(ParameterError) as found:
        ask(baseline=0.8, delta=0.10, rho=0.8)
    assert PLAN.run(*IMPOSSIBLE.split()).stderr == f"nstar: {found.value}\n"


def test_words_are_the_options_of_the_command() -> None:
    """Names and defaults; how an answer is printed is the command's own matter."""
    parameters = inspect.signature(nstar.plan).parameters
    asked = {f.name: f.default for f in fields(PlanQuestion)}
    assert {name: p.default for name, p in parameters.items()} == asked
    printing = {f.name for g in (FormatOptions, PageOptions, FigureOptions) for f in fields(g)}
    options = {f.name for f in fields(PlanOptions)} - printing
    assert set(parameters) - {"design"} == options
    assert [p.name for p in parameters.values() if p.kind is not p.KEYWORD_ONLY] == ["design"]


def test_a_pilot_of_tables_is_what_the_command_reads() -> None:
    ada, bob = run_tables(nstar.read(AGENTS), models=["ada", "bob"])
    printed = PLAN.answer("--pilot", str(AGENTS), "--delta", "5pp", "--metric", "score")
    found = nstar.plan(pilot=(ada, bob), delta=0.05, metric="score")
    assert json.loads(found.to_json()) == printed
    assert isinstance(found, nstar.BudgetPlan)
    assert found.costs_source == "logs"
    alone = PLAN.answer("--pilot", f"{AGENTS}::ada", "--delta", "5pp", "--cost-run", "1")
    assert json.loads(nstar.plan(pilot=ada, delta=0.05, cost_run=1).to_json()) == alone


@pytest.mark.parametrize("price", [(3, 15), "3/15", ["3/15"], {"*": (3, 15)}, {"ada": "3/15"}])
def test_ways_to_write_a_price(price: Any) -> None:
    (ada,) = run_tables(nstar.read(AGENTS), models=["ada"])
    read, written = (np.full_like(ada.scores, tokens) for tokens in (2000, 1000))
    pilot = replace(ada, input_tokens=read, output_tokens=written)
    found = nstar.plan(pilot=pilot, delta=0.05, price=price)
    assert isinstance(found, nstar.BudgetPlan)
    assert found.costs_source == "prices"
    assert found.costs.run_a == pytest.approx((2000 * 3 + 1000 * 15) / 1e6)


def test_a_pilot_of_arrays() -> None:
    rng = np.random.default_rng(2)
    rates = rng.random((60, 1))
    a, b = ((rng.random((60, runs)) < rates) * 1.0 for runs in (4, 2))
    both = nstar.plan(pilot=(a, b), delta=0.1)
    assert isinstance(both, nstar.BudgetPlan)
    assert both.spread.pilot is not None
    assert (both.spread.pilot.tasks, both.spread.pilot.runs) == (60, (4, 2))
    assert both == nstar.plan(pilot=pilot_tables((a, b)), delta=0.1)
    drawn = nstar.plan(pilot=a.tolist(), delta=0.2, rho=0.5, resample=True)
    assert isinstance(drawn, nstar.BudgetPlan)
    assert drawn.resampled is not None
    assert drawn.resampled.alike


def test_designs_come_first() -> None:
    assert nstar.plan(PairedRho(baseline=0.7, rho=0.4), delta=0.01).n_star == 19_593
    league = Design(noise=PairedRho(baseline=0.7, rho=0.4), models=10, source="given")
    words = nstar.plan(baseline=0.7, rho=0.4, models=10, delta=0.02)
    assert nstar.plan(league, delta=0.02) == words
    assert nstar.plan(Graded(sd=30, width=100), delta=2).delta == 2
    assert nstar.plan(PairedPsi(psi=0.15), margin=0.05).n_star == 525
    assert nstar.plan(Unpaired(baseline=0.74), items=216).items == 216
    implied = Design(noise=PairedPsi(psi=0.2), icc=0.1, cluster_size=10, clusters=30)
    assert nstar.plan(implied).items == 300


def test_numbers_of_numpy_are_numbers() -> None:
    found = ask(baseline=np.float32(0.5), delta=np.array([0.05, 0.1]), models=np.int64(3))
    plain = nstar.plan(baseline=0.5, delta=(0.05, 0.1), models=3)
    assert found == plain
    assert Plan.from_json(found.to_json()) == plain
    assert ask(psi=0.2, items=1000.0) == nstar.plan(psi=0.2, items=1000)


# --- refusals -----------------------------------------------------------------------------

RATES = {"baseline": 0.5, "flip": 0.3}
TWO_BY_TWO = [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {},
            "give baseline (the accuracy you start from), or psi (the share of items on which the "
            "models disagree), or sd for graded scores",
        ),
        (
            {"baseline": 0.7},
            "give delta (how many items are needed?), items (what gap can they detect?) or both "
            "(with what power?)",
        ),
        (
            {"baseline": 0.7, "delta": 0.01, "rho": 0.4, "psi": 0.2},
            "rho and psi answer the same question; give one of them",
        ),
        (
            {"psi": 0.2, "score_range": (0, 100), "margin": 0.1},
            "score_range is for graded scores: sd or sd_diff",
        ),
        (
            {"sd": 0.3, "unpaired": True, "delta": 0.1},
            "unpaired with sd: use sd with rho=0, which is the same",
        ),
        (
            {"baseline": 0.7, "delta": 0.1, "icc": 0.1},
            "icc needs cluster_size (more clusters are available) or clusters (they cannot)",
        ),
        ({"psi": 0.2, "delta": 0.1, "non_inferiority": True}, "non_inferiority needs margin"),
        (
            {"psi": 0.2, "margin": 0.1, "one_sided": True},
            "margin is tested one-sided already; leave one_sided out",
        ),
        (
            RATES,
            "give budget (what can it detect?), delta (what does it cost?), both (with what "
            "power?), or tasks_available and runs (what can these detect?)",
        ),
        (
            {**RATES, "budget": 9, "items": 10},
            "budget plans tasks and runs, items is about items that each model answers once; "
            "leave one out",
        ),
        (
            {"budget": 9},
            "give baseline (the success rate) and flip (how often two runs of a task disagree), "
            "or sd_between and sd_within, or pilot",
        ),
        (
            {**RATES, "budget": 9, "resample": True},
            "resample is about the logs of pilot, which is not given",
        ),
        (
            {"pilot": TWO_BY_TWO, "delta": 0.1, "flip": 0.1},
            "pilot shows the spread; leave flip out",
        ),
        (
            {"pilot": (TWO_BY_TWO, TWO_BY_TWO[::-1]), "delta": 0.1, "rho": 0.5},
            "rho is for a pilot of one model; this one shows how the two correlate",
        ),
        (
            {**RATES, "budget": 9, "runs": (1, 2, 3)},
            "runs takes one number, or one for each of the two models",
        ),
        (
            {**RATES, "budget": 9, "cost_run": 0},
            "cost_run must be above 0: a run that costs nothing needs no plan",
        ),
        # a design and words for the same
        (
            {"design": PairedPsi(psi=0.2), "baseline": 0.7, "delta": 0.1},
            "give design or baseline, not both: a design says all that is assumed",
        ),
        (
            {"design": PairedPsi(psi=0.2), "models": 3, "delta": 0.1},
            "give design or models, not both: a design says all that is assumed",
        ),
        (
            {"design": PairedPsi(psi=0.2), "budget": 100},
            "budget plans tasks and runs, design is about items that each model answers once; "
            "leave one out",
        ),
        ({"design": 0.7, "delta": 0.01}, "write baseline=0.7; what comes first is a design"),
        ({"design": 70, "delta": 0.01}, "write baseline=0.7; what comes first is a design"),
        # percent and points
        ({"baseline": 70, "delta": 1}, "baseline=70 is above 1; write 0.7"),
        ({"baseline": 0.7, "delta": 0.01, "alpha": 5}, "alpha=5 is above 1; write 0.05"),
        ({"psi": 250, "delta": 0.01}, "psi=250 is above 1; it is a proportion"),
        (
            {"baseline": 0.7, "delta": 1},
            "delta=1: too large for a proportion; write 0.01 for one percentage point (score "
            "units go with sd or sd_diff)",
        ),
        (
            {"psi": 0.2, "margin": 2},
            "margin=2: too large for a proportion; write 0.02 for 2 percentage points (score "
            "units go with sd or sd_diff)",
        ),
        (
            {"design": PairedPsi(psi=0.2), "delta": 1},
            "delta=1: too large for a proportion; write 0.01 for one percentage point (score "
            "units go with sd or sd_diff)",
        ),
        (
            {"sd": 0.3, "delta": 2},
            "delta=2: gaps are in the units of sd=0.3; write 0.02 if scores run from 0 to 1",
        ),
    ],
)
def test_words_that_make_no_question(words: dict[str, Any], message: str) -> None:
    with pytest.raises(QuestionError) as found:
        ask(**words)
    assert str(found.value) == message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"baseline": "70%", "delta": 0.01}, "baseline must be a number; got '70%'; write 0.7"),
        ({"baseline": 0.7, "delta": "1pp"}, "delta must be a number; got '1pp'; write 0.01"),
        ({"baseline": 0.7, "items": "many"}, "items must be a number; got 'many'"),
        ({"baseline": 0.7, "delta": []}, "delta must be a number, or several; got none"),
        ({"baseline": 0.7, "items": 10.5}, "items must be a whole number; got 10.5"),
        ({"baseline": 0.7, "delta": 0.01, "models": 1}, "models must be at least 2; got 1"),
        ({"baseline": 0.7, "items": 1}, "items must be at least 2; got 1"),
        ({"baseline": 0.7, "delta": float("nan")}, "delta must be at least 1e-07 and below 1"),
        ({"baseline": 0.7, "delta": 0.1, "benchmark": "x"}, "benchmark must be one of mmlu, math"),
        ({"sd": 3, "margin": 1, "score_range": 10}, "such as (0, 100); got 10"),
        ({"sd": 30, "margin": 3}, "give the range of scores (score_range=(0, 100), or width=100"),
        (
            {"budget": 9, "sd_between": -0.1, "sd_within": 0.3},
            "sd_between must be finite and >= 0",
        ),
        ({**RATES, "budget": 9, "cost_task": -1}, "cost_task must be finite and >= 0; got -1"),
        ({**RATES, "budget": 9, "runs": 0}, "runs must be at least 1; got 0"),
        ({"design": "PairedRho", "delta": 0.1}, "design must be a Design, PairedRho, PairedPsi"),
        ({"pilot": 5, "delta": 0.1}, "pilot must be a RunTable, an array of tasks x runs"),
        ({"pilot": [1, 2], "delta": 0.1}, "or a pair of either; got list"),
        ({"pilot": np.ones(3), "delta": 0.1}, "got an array of shape (3,)"),
        ({"pilot": TWO_BY_TWO, "delta": 0.1, "task": "x"}, "an array has none"),
        (
            {"pilot": TWO_BY_TWO, "delta": 5},
            "delta=5: too large for scores from 0 to 1; write 0.05 for 5 percentage points",
        ),
    ],
)
def test_values_that_cannot_be(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as found:
        ask(**words)
    assert message in str(found.value)
    assert not isinstance(found.value, QuestionError)


def test_tables_of_another_task_or_metric_are_refused() -> None:
    (ada,) = run_tables(nstar.read(AGENTS), models=["ada"])
    with pytest.raises(DataError, match="no task 'other'"):
        nstar.plan(pilot=ada, delta=0.05, task="other")
    with pytest.raises(DataError, match="no metric 'other'"):
        nstar.plan(pilot=ada, delta=0.05, metric="other")
    with pytest.raises(ParameterError, match="price must be money per million tokens"):
        nstar.plan(pilot=ada, delta=0.05, price={"ada": None})


def test_the_command_reads_the_same_refusals_as_flags() -> None:
    refused = PLAN.run("--sd", "0.3", "--unpaired", "--delta", "0.1")
    assert refused.exit_code == 2
    assert "--unpaired with --sd: use --sd with --rho 0, which is the same" in refused.stderr
    impossible = PLAN.run("--sd", "30", "--margin", "3")
    assert impossible.exit_code == 3
    assert "give the range of scores (--score-range 0:100)" in impossible.stderr
    below = PLAN.run("--budget", "9", "--sd-between", "-0.1", "--sd-within", "0.3")
    assert below.exit_code == 3
    assert "--sd-between must be finite and >= 0; got -0.1" in below.stderr
