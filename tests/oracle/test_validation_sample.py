"""nstar keeps its promises: the fast sample of ``python -m validation``, fixed seed.

What promises more than it holds must be one of the known limits below, and must have advice.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from nstar._verbs.simulate import simulate
from validation import Validation, validate
from validation.ratios import _ratios
from validation.report import render
from validation.tables import coverage_of, tables

DATA = Path(__file__).parents[3] / "shared" / "data" / "mmlu_pro.parquet"

REFERENCE = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))


def golden(prefix: str) -> list[Any]:
    """Reference values by the beginning of their name."""
    every = REFERENCE["items"] if isinstance(REFERENCE, dict) else REFERENCE
    return [pytest.param(v, id=v["id"]) for v in every if v["id"].startswith(prefix)]


KNOWN = {
    ("mcnemar-level", "wald"),
    ("mean-level", "bootstrap"),
    ("mean-level", "sign-flip"),
    ("mean-level", "t"),
    ("paired-coverage", "agresti-min"),
    ("paired-coverage", "tango"),
    ("paired-coverage", "wald-binary"),
    ("mean-coverage", "bca"),
    ("mean-coverage", "bootstrap"),
    ("mean-coverage", "t"),
    ("ratio-coverage", "N*"),
    ("ratio-coverage", "q"),
    ("cluster-plan", "cluster-cr2"),
    ("gate-alarms", "REGRESSION, graded"),
}
"""Claims and procedures with a known limit: docs/validation.md."""


COMMON = (
    *("peeking", "paired-plan", "exact-power", "cluster-plan", "mcnemar-level", "mean-level"),
    *("cluster-level", "paired-coverage", "mean-coverage", "cluster-coverage", "gate-alarms"),
    *("judge-coverage", "ratio-coverage", "few-groups", "resolved-words"),
    *("strata-level", "strata-coverage"),
)
"""Claims of the default run: those with independent values below or with known limits."""


@pytest.fixture(scope="module", params=["common", pytest.param("all", marks=pytest.mark.slow)])
def sample(request: pytest.FixtureRequest) -> Validation:
    return validate() if request.param == "all" else validate(claims=COMMON)


def test_nothing_new_promises_too_much(sample: Validation) -> None:
    found = {(c.claim, c.procedure) for c in sample.limits}
    assert found <= KNOWN
    claims = {c.name: c for c in sample.claims}
    assert all(claims[c.claim].advise(c.procedure) for c in sample.limits)


def test_every_claim_can_be_printed(sample: Validation) -> None:
    """The full report names the least favorable cell of every claim."""
    text = render(sample)
    assert all(claim.name in text for claim in sample.claims)


def test_defaults_for_zero_one_scores_hold(sample: Validation) -> None:
    """What most people use errs at most as often as it says, in every cell that is exact."""
    names = ("mcnemar-level", "significant-words", "resolved-words", "equivalent-words")
    mine = [c for c in sample.own if c.claim in names and c.role == "default"]
    assert all(c.rate <= 0.0505 for c in mine if c.exact)


GOLDEN = {
    ("5 to 125", "cluster-cr2"): 0.05475,
    ("5 to 125", "cluster-sign-flip"): 0.04825,
    ("5 to 125", "t"): 0.4885,
    ("subjects of MMLU-Pro", "cluster-cr2"): 0.0535,
    ("subjects of MMLU-Pro", "cluster-sign-flip"): 0.0505,
    ("subjects of MMLU-Pro", "t"): 0.5465,
}
"""Type I errors of an independent simulation, 4,000 replications each."""


def test_cluster_levels_agree_with_an_independent_simulation(sample: Validation) -> None:
    found = {
        (c.setting["sizes"], c.procedure): c for c in sample.cells if c.claim == "cluster-level"
    }
    for where, rate in GOLDEN.items():
        error = (rate * (1 - rate) * (1 / 4000 + 1 / (found[where].reps or 1))) ** 0.5
        assert found[where].rate == pytest.approx(rate, abs=4 * error), where


ESTIMANDS = {
    ("these 14 subjects", "strata-t"): 0.953,
    ("these 14 subjects", "iid t"): 0.955,
    ("these 14 subjects", "cluster-cr2"): 1.0,
    ("subjects like these", "strata-t"): 0.726,
    ("subjects like these", "iid t"): 0.733,
    ("subjects like these", "cluster-cr2"): 0.942,
}
"""Coverage found by an independent simulation, 4,000 replications each."""


def test_fixed_and_random_groups_agree_with_it_too(sample: Validation) -> None:
    found = {
        (c.setting.get("asked about"), c.procedure): c.rate
        for c in sample.cells
        if c.claim == "cluster-coverage"
    }
    for where, rate in ESTIMANDS.items():
        assert found[where] == pytest.approx(rate, abs=0.06 if rate < 0.9 else 0.04), where


def test_peeking_is_punished(sample: Validation) -> None:
    naive = [c.rate for c in sample.warnings if c.procedure == "naive-peeking"]
    assert min(naive) > 0.15


@pytest.mark.skipif(not DATA.exists(), reason="the real scores are not here")
def test_real_pairs_are_found_as_often_as_promised() -> None:
    """The published check found 79.6 to 82.7% for 80% promised."""
    matrix = nstar.matrices(nstar.read(str(DATA)))[0]
    found = validate(claims=["real-pairs"], data=matrix)
    rates = [c.rate for c in found.cells]
    assert len(rates) > 20
    assert not found.limits
    assert min(rates) > 0.795
    assert max(rates) < 0.85


@pytest.mark.parametrize("value", golden("paired_ci.coverage_fixed"))
def test_weighed_coverage_is_that_of_an_independent_enumeration(value: dict[str, Any]) -> None:
    given = value["inputs"]
    psi, delta = given["pA"] + given["pB"] - 2 * given["p11"], given["pA"] - given["pB"]
    every = tables(given["n"], psi, delta)
    ours = {"wald": "wald-binary", "agresti_min": "agresti-min", "bonett_price": "bonett-price"}
    for name in ("tango", *ours):
        rate = coverage_of(ours.get(name, name), every, 0.95)
        assert rate == pytest.approx(value["value"][name], abs=1e-8), name


@pytest.mark.parametrize("value", golden("paired.q_ci_coverage"))
def test_weighed_coverage_of_q(value: dict[str, Any]) -> None:
    given = value["inputs"]
    psi, delta = given["p10"] + given["p01"], given["p10"] - given["p01"]
    q, _ = _ratios(given["N"], psi, delta)
    assert q.rate == pytest.approx(value["value"]["T_pm_z"], abs=value["tol"])


@pytest.mark.parametrize("value", golden("boot.coverage"))
def test_coverage_of_graded_intervals(value: dict[str, Any]) -> None:
    given, theirs = value["inputs"], value["value"]
    d = np.repeat(given["vals"], np.round(100 * np.array(given["probs"])).astype(int))
    found = simulate(
        "pilot",
        items=[given["n"]],
        values={"d": [tuple(d.tolist())]},
        intervals=["t", "bootstrap", "bca"],
        reps=3000,
    )
    names = {"t": "t", "bootstrap": "percentile", "bca": "bca"}
    for rate in found.rates:
        allowed = value["tol"] + 3 * rate.se
        assert rate.rate == pytest.approx(theirs[names[rate.procedure]], abs=allowed)
