"""A gate rehearsed on a pilot of tasks x runs, against the gate itself."""

import numpy as np
import pytest

from nstar._verbs.compare.sample import PairedSample
from nstar._verbs.gate import GateQuestion, PilotNoise, chances, gate_criteria, rehearsed
from nstar._verbs.gate.decide import judged
from nstar._verbs.gate.pilot_feasibility import _answers, _rates
from nstar._verbs.gate.task_gate import look
from nstar._verbs.runs import RunTable, table_of
from nstar.errors import DataError
from nstar.report.prose.gate_feasibility import document

RULE = gate_criteria(0.05, 0.8)
RNG = np.random.default_rng(1)
RATES = RNG.beta(0.6, 0.8, 50)


def pilot(k: int = 50, runs: int = 4, seed: int = 2) -> RunTable:
    rng = np.random.default_rng(seed)
    return table_of((rng.random((k, runs)) < RATES[:k, None]).astype(float), "m")


def gate_says(a: np.ndarray, b: np.ndarray, runs: int, ask: GateQuestion) -> str:
    many, again = np.full(len(a), runs), runs / (runs - 1)
    sample = PairedSample(
        task="",
        metric="score",
        a=a,
        b=b,
        runs_a=many,
        runs_b=many,
        within_a=a * (1 - a) * again,
        within_b=b * (1 - b) * again,
        groups={},
    )
    return judged([look(sample, ask)], ask)[0].verdict


def test_the_answers_are_those_of_the_gate() -> None:
    rng, ask = np.random.default_rng(5), GateQuestion(margin=0.1)
    same = 0
    for draw in range(30):
        p = rng.beta(0.6, 0.8, 40)
        a = rng.binomial(4, p * (1 - 0.1 * (draw % 3))) / 4
        b = rng.binomial(4, p) / 4
        passes, worse = _answers((a - b)[None], 4, ask)
        mine = "pass" if passes[0] else "regression" if worse[0] else "inconclusive"
        same += mine == gate_says(a, b, 4, ask)
    assert same >= 29


def test_rates_vary_as_much_as_the_true_ones() -> None:
    """Unbiased in what matters: the chance that two runs differ."""
    found = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        p = rng.beta(0.6, 0.8, 50)
        scores = (rng.random((50, 3)) < p[:, None]).astype(float)
        rates = _rates(scores, np.full(50, 3))
        found.append(2 * (rates * (1 - rates)).mean())
    a, b = 0.6, 0.8
    true = 2 * a * b / ((a + b) * (a + b + 1))
    assert np.mean(found) == pytest.approx(true, abs=4 * np.std(found) / np.sqrt(300))


def test_an_equal_candidate_is_called_worse_no_oftener_than_the_level() -> None:
    found = rehearsed(pilot(), margin=0.1, items=200, criteria=RULE, draws=3000)
    equal, _, at_margin, twice = found.scenarios
    assert equal.regression_probability <= 0.062
    assert at_margin.pass_probability <= 0.062
    assert twice.regression_probability > 0.99
    assert [c.delta for c in found.scenarios] == [0.0, -0.05, -0.1, -0.2]


def test_simulation_and_formula_agree() -> None:
    found = rehearsed(pilot(), margin=0.1, items=None, criteria=RULE, draws=3000)
    assert isinstance(found.noise, PilotNoise)
    step = next(s for s in found.noise.steps if s.n_runs == 4)
    assert found.scenarios[0].pass_probability == pytest.approx(step.pass_probability, abs=0.04)
    assert step.pass_probability_low <= step.pass_probability <= step.pass_probability_high
    passes = [s.pass_probability for s in found.noise.steps]
    assert passes == sorted(passes)


def test_enough_tasks_are_enough() -> None:
    short = rehearsed(pilot(), margin=0.1, items=None, criteria=RULE, draws=3000)
    long = rehearsed(pilot(), margin=0.1, items=int(short.n_star), criteria=RULE, draws=3000)
    assert long.scenarios[0].pass_probability == pytest.approx(0.8, abs=0.04)


def test_one_run_each_is_exact() -> None:
    scores = pilot().scores.copy()
    scores[10:, 1:] = np.nan
    found = rehearsed(table_of(scores, "m"), margin=0.1, items=300, criteria=RULE, draws=3000)
    first = found.scenarios[0]
    assert first == chances(300, psi=first.psi, delta=0.0, margin=0.1)


def test_what_cannot_be_rehearsed_is_refused() -> None:
    ask = {"margin": 0.1, "items": None, "criteria": RULE, "draws": 3000}
    with pytest.raises(DataError, match="not 0/1"):
        rehearsed(table_of(0.5 * pilot().scores, "m"), **ask)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="was run twice"):
        rehearsed(table_of(pilot().scores[:, :1], "m"), **ask)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="No run in the pilot passed"):
        rehearsed(table_of(np.zeros((5, 3)), "m"), **ask)  # type: ignore[arg-type]


def test_runs_that_never_differ_pass_once_there_are_tasks_enough() -> None:
    scores = np.repeat([[1.0] * 3, [0.0] * 3], 30, axis=0)
    few = rehearsed(table_of(scores, "m"), margin=0.1, items=None, criteria=RULE, draws=3000)
    assert few.scenarios[0].pass_probability == 1.0
    assert few.n_star == few.min_items_to_pass


def test_words_name_runs_and_tasks() -> None:
    said = document(rehearsed(pilot(), margin=0.1, items=None, criteria=RULE, draws=3000))
    assert "50 tasks with 4 runs per model" in said.headline
    assert said.grids[1].header[0] == "runs per model"
