"""Claims about one model and a threshold."""

import numpy as np
import pytest

import nstar
from validation import CLAIMS, CellRate, ValidationRequest
from validation.promise import Effort
from validation.thresholds import wrong_shares

QUICK = ValidationRequest(effort=Effort(name="fast", reps=300, boards=1, compared=1))


def cells(claim: str) -> list[CellRate]:
    return [cell for job in CLAIMS[claim].jobs(QUICK) for cell in job()]


@pytest.mark.parametrize("claim", ["threshold-passes", "threshold-alarms"])
def test_no_cell_exceeds_the_level(claim: str) -> None:
    rates = cells(claim)
    assert len(rates) == 25
    assert all(cell.rate <= 0.05 + 3 * cell.se for cell in rates)


def test_verdicts_are_those_of_the_gate() -> None:
    rng = np.random.default_rng(0)
    scores = rng.beta(8, 2, (40, 30))
    verdicts = [nstar.gate(x, threshold=0.78).verdict for x in scores]
    se = scores.std(axis=1, ddof=1) / np.sqrt(30)
    numbers = wrong_shares(scores.mean(axis=1), se, 30, df=29, truth=0.78)
    assert numbers == (verdicts.count("pass"), verdicts.count("regression"))
    groups = np.repeat(np.arange(10), 3).tolist()
    verdicts = [nstar.gate(x, threshold=0.6, cluster=groups).verdict for x in scores]
    means = scores.reshape(40, 10, 3).mean(axis=2)
    se = means.std(axis=1, ddof=1) / np.sqrt(10)
    numbers = wrong_shares(means.mean(axis=1), se, 10, df=9, truth=0.6, clusters=True)
    assert numbers == (verdicts.count("pass"), verdicts.count("regression"))
