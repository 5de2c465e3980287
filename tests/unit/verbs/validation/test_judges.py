"""Claims about judges: evaluations of which the truth is known, and a sample of the cells."""

import numpy as np
import pytest

from nstar._verbs.simulate.scenarios.judged import judge_table
from validation import CLAIMS, Validation, ValidationRequest, validate
from validation.judges import COURTS, _labels_asked
from validation.promise import FAST, FULL

NAMES = ("judge-coverage", "judge-words", "label-plan")


@pytest.fixture(scope="module")
def sample() -> Validation:
    return validate(claims=NAMES)


def test_promises_are_kept_and_a_judge_alone_keeps_none(sample: Validation) -> None:
    assert {c.claim for c in sample.cells} == set(NAMES)
    assert not sample.limits
    alone = {c.claim: c.rate for c in sample.warnings if c.procedure == "judge-alone"}
    assert alone["judge-coverage"] < 0.05
    assert alone["judge-words"] > 0.5
    assert all(CLAIMS[name].advise("anything") for name in NAMES)


@pytest.mark.parametrize("court", COURTS)
def test_drawn_scores_have_the_law_of_the_scenario(court: object) -> None:
    assert isinstance(court, type(COURTS[0]))
    judge, label = court.drawn(np.random.default_rng(1), 200_000, 150_000)
    known = ~np.isnan(label[0])
    assert known.sum() == 150_000
    d, f = (x[0, known] - x[1, known] for x in (label, judge))
    want = judge_table(court.p_b, court.delta, court.rho, court.errors)
    got = [[np.mean((d == i) & (f == j)) for j in (-1, 0, 1)] for i in (-1, 0, 1)]
    assert np.array(got) == pytest.approx(want, abs=0.005)


def test_another_gap_keeps_the_mean_of_the_two() -> None:
    court = COURTS[1].at(0.2)
    assert court.delta == 0.2
    assert 2 * court.p_b + 0.2 == pytest.approx(0.68 + 0.75)


def test_a_gap_that_no_labels_find_makes_no_cell() -> None:
    assert _labels_asked(ValidationRequest(effort=FAST), COURTS[3].at(0.001), 2000) == []


def test_a_full_run_has_every_judge() -> None:
    jobs = sum(1 for name in NAMES for _ in CLAIMS[name].jobs(ValidationRequest(effort=FULL)))
    assert jobs == 24 + 2 + 6 + 8 + 6 + 24 + 16 + 15
