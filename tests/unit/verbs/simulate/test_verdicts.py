"""Strata, q, verdicts and tuned e-processes: on many replications as on each alone."""

from typing import Any

import numpy as np
import pytest
from scipy import special

from nstar import compare, stats
from nstar._verbs.simulate import INTERVALS, SCENARIOS, TESTS, Counts, Scores, simulate
from nstar._verbs.simulate.procedures.intervals import t_statistic
from nstar._verbs.simulate.procedures.sequential import e_process_leads
from nstar.errors import ParameterError


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def rates(*given: Any, **more: Any) -> dict[str, float]:
    return {r.procedure: r.rate for r in simulate(*given, **more).rates}


def close(found: Any, wanted: Any) -> bool:
    return bool(np.allclose(found, wanted))


def two(n10: int, n01: int, items: int) -> tuple[Any, Any]:
    a, b = np.zeros((2, items))
    a[:n10] = 1
    b[n10 : n10 + n01] = 1
    return a, b


# --- strata -------------------------------------------------------------------------------


def test_strata_t_is_what_compare_does_with_declared_strata() -> None:
    sample = SCENARIOS["strata"](rng(), 12, 60, strata=9, spread=1.5, delta=0.15)
    assert int((sample.sizes == 1).sum()) >= 1
    group = np.repeat(np.arange(9), sample.sizes).tolist()
    reject = TESTS["strata-t"](sample, 0.05, rng())
    low, high = INTERVALS["strata-t"](sample, 0.95, rng())
    for k, d in enumerate(sample.d):
        found = compare(d, np.zeros(60), groups={"g": group}, strata="g").tasks[0]
        assert found.estimate.pvalue_method == "stratified t"
        assert reject[k] == (found.estimate.pvalue <= 0.05)
        assert close((low[k], high[k]), found.estimate.ci)


def test_strata_t_keeps_its_level_where_others_waste_power() -> None:
    found = rates(
        "strata",
        items=[200],
        tests=["strata-t", "t", "cluster-cr2"],
        intervals=[],
        values={"between": [0.3]},
        reps=20_000,
    )
    assert abs(found["strata-t"] - 0.05) < 0.007
    assert found["t"] < 0.025
    assert found["cluster-cr2"] < found["t"]


def test_strata_t_refuses_scenarios_without_groups() -> None:
    for registry in (TESTS, INTERVALS):
        with pytest.raises(ParameterError, match=r"strata-t needs strata, .* scenario strata"):
            registry["strata-t"](SCENARIOS["beta"](rng(), 2, 20), 0.05, rng())


# --- q ------------------------------------------------------------------------------------


def test_q_is_what_compare_prints() -> None:
    graded = SCENARIOS["heterogeneous"](rng(), 5, 40, delta=0.05)
    low, high = INTERVALS["q"](graded, 0.95, rng())
    for k, d in enumerate(graded.d):
        assert close((low[k], high[k]), compare(d, np.zeros(40)).tasks[0].q_ci)
    counts = Counts(items=50, n10=np.array([9, 4]), n01=np.array([2, 4]), truth=0.0)
    low, high = INTERVALS["q"](counts, 0.95, rng())
    for k, pair in enumerate(((9, 2), (4, 4))):
        assert close((low[k], high[k]), compare(*two(*pair, 50)).tasks[0].q_ci)


@pytest.mark.parametrize("delta", [0.0, 0.05, 0.12])
def test_q_covers_the_true_q(delta: float) -> None:
    found = simulate(
        "bernoulli", items=[400], intervals=["q"], values={"delta": [delta]}, reps=20_000
    )
    assert 0.94 < found.rates[0].rate < 0.985
    assert found.rates[0].kind == "resolution"
    assert found.rates[0].meaning == "coverage"


def test_q_needs_a_true_sigma() -> None:
    with pytest.raises(ParameterError, match="q needs the true SD"):
        simulate("beta", items=[50], intervals=["q"], reps=10)


def test_no_error_is_an_infinite_statistic() -> None:
    d = np.array([[0.2] * 5, [0.0] * 5, [-0.5] * 5])
    assert t_statistic(Scores(d=d, truth=0.0)).tolist() == [np.inf, 0.0, -np.inf]


# --- verdicts -----------------------------------------------------------------------------


def test_verdicts_of_tables_are_those_of_compare() -> None:
    items = 24
    n10, n01 = (v.ravel() for v in np.indices((items + 1, items + 1)))
    some = (n10 + n01 <= items) & (n10 >= n01)
    n10, n01 = n10[some][::3], n01[some][::3]
    sample = Counts(items=items, n10=n10, n01=n01, truth=0.0)
    better = TESTS["better"](sample, 0.05, rng())
    resolved = TESTS["resolved"](sample, 0.05, rng())
    equivalent = TESTS["equivalent:0.3"](sample, 0.05, rng())
    for k, (b, c) in enumerate(zip(n10.tolist(), n01.tolist(), strict=True)):
        pair = compare(*two(b, c, items), margin=0.3).tasks[0]
        assert better[k] == (pair.verdict == "better")
        assert resolved[k] == pair.is_resolved
        assert equivalent[k] == (pair.verdict == "equivalent")
    assert better.any()
    assert resolved.any()
    assert equivalent.any()
    assert (resolved <= better).all()


def test_verdicts_of_scores_are_those_of_compare() -> None:
    d = 0.3 * rng().standard_normal((40, 15)) + rng(1).choice([0.0, 0.3], (40, 1))
    d = np.clip(d, -1, 1)
    d[0], d[1] = 0.0, 0.4
    sample = Scores(d=d, truth=0.0)
    better = TESTS["better"](sample, 0.05, rng())
    resolved = TESTS["resolved"](sample, 0.05, rng())
    equivalent = TESTS["equivalent:0.2"](sample, 0.05, rng())
    for k, row in enumerate(d):
        pair = compare(np.maximum(row, 0), np.maximum(-row, 0), margin=0.2).tasks[0]
        assert better[k] == (pair.verdict in {"better", "worse"})
        assert resolved[k] == pair.is_resolved
        assert equivalent[k] == (pair.verdict == "equivalent")
    assert 0 < better.sum() < 40
    assert equivalent.any()


def test_scores_of_0_and_1_get_the_verdict_of_their_table() -> None:
    sample = Counts(items=30, n10=np.array([9, 3]), n01=np.array([1, 2]), truth=0.0)
    d = np.stack([np.subtract(*two(9, 1, 30)), np.subtract(*two(3, 2, 30))])
    for name in ("better", "resolved", "equivalent:0.25"):
        want = TESTS[name](sample, 0.05, rng())
        assert np.array_equal(TESTS[name](Scores(d=d, truth=0.0), 0.05, rng()), want)


def test_a_finding_of_equivalence_is_an_error_at_the_margin_and_power_within() -> None:
    found = simulate(
        "bernoulli",
        items=[400],
        tests=["equivalent:0.05", "equivalent:0.1"],
        values={"delta": [0.0, -0.05, 0.1]},
        reps=4000,
    )
    assert {r.kind for r in found.rates} == {"equivalence"}
    told = {(r.truth, r.margin): r.meaning for r in found.rates}
    assert told[0.0, 0.05] == told[0.0, 0.1] == told[-0.05, 0.1] == "power"
    assert told[-0.05, 0.05] == told[0.1, 0.05] == told[0.1, 0.1] == "type I error"
    at = next(r for r in found.rates if (r.truth, r.margin) == (-0.05, 0.05))
    want = stats.equivalence_exact_power(
        0.05, psi=float(stats.psi_from_rho(0.65, 0.7, 0.4)), n=400, delta=0.05
    )
    assert abs(at.rate - want) < 0.02


# --- parameters of procedures -------------------------------------------------------------


def test_a_value_after_a_colon_is_the_first_parameter() -> None:
    assert TESTS.given("e-process:3") == {"a": 3.0}
    assert TESTS.given("e-process") == {}
    assert TESTS.about("e-process:3") == TESTS.about("e-process")
    sample = SCENARIOS["bernoulli"](rng(), 300, 200, delta=0.08)
    plain, same, other = (
        TESTS[name](sample, 0.05, rng()) for name in ("e-process", "e-process:0.5", "e-process:6")
    )
    assert np.array_equal(plain, same)
    assert not np.array_equal(plain, other)


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("t:2", "test t has no parameter. Use t instead of t:2"),
        ("e-process:", "e-process:: a must be a number, such as e-process:0.02"),
        ("e-process:x", "a must be a number"),
        ("e-process:inf", "a must be a number"),
        ("e-process:-1", "a must be"),
        ("no:2", "No test 'no'. Available:"),
        ("equivalent", "equivalent needs a margin"),
        ("equivalent:0", "margin must be"),
    ],
)
def test_parameters_that_are_refused(test: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        simulate("bernoulli", items=[50], tests=[test], reps=10)


def test_scenarios_have_no_such_parameters() -> None:
    with pytest.raises(ParameterError, match=r"No scenario 'beta:0\.5'"):
        simulate("beta:0.5", items=[50], tests=["t"], reps=10)


def log_e(b: Any, c: Any, a: float) -> Any:
    return (b + c) * np.log(2) + special.betaln(a + b, a + c) - special.betaln(a, a)


@pytest.mark.parametrize("a", [2.0, 11.7])
def test_leads_of_a_tuned_e_process_are_the_first_that_reach(a: float) -> None:
    leads, n = e_process_leads(300, 0.05, a), np.arange(301)
    reached = leads <= n
    k = (n + leads) // 2
    assert reached.any()
    assert (log_e(k, n - k, a)[reached] >= np.log(20) - 1e-9).all()
    before = reached & (leads >= 2)
    assert (log_e(k - 1, n - k + 1, a)[before] < np.log(20)).all()


def test_tuning_pays_at_the_planned_horizon() -> None:
    tuned = f"e-process:{(0.122 * 0.2 * 1000 - 1) / 2:.4g}"
    found = rates(
        "bernoulli",
        items=[1000],
        tests=["e-process", tuned],
        values={"psi": [0.2], "delta": [0.05]},
        reps=2000,
    )
    assert found[tuned] > found["e-process"] + 0.05
    null = rates("bernoulli", items=[1000], tests=[tuned], values={"psi": [0.2]}, reps=4000)
    assert null[tuned] < 0.05
