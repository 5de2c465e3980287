"""Plans of two AUROCs."""

import math
import re

import numpy as np
import pytest
from scipy import special

import nstar
from nstar import stats
from nstar.errors import ParameterError, QuestionError


def test_an_auroc_is_planned_with_its_positives() -> None:
    plan = nstar.plan(auroc=0.8, positives=0.2, delta=0.05, rho=0.6)
    noise = plan.noise_design.noise
    assert isinstance(noise, nstar.Graded)
    n = plan.n_star or 0.0
    se = stats.auroc_se(0.8, 0.2 * n, 0.8 * n)
    assert noise.sigma() / math.sqrt(n) == pytest.approx(se * math.sqrt(2 * 0.4), rel=0.01)
    assert f"includes {math.ceil(0.2 * n)} positive items" in " ".join(str(plan).split())
    assert nstar.Plan.from_json(plan.to_json()) == plan
    for wrong in ({"positives": 0.2, "sd": 0.4}, {"auroc": 0.8, "rho": "unpaired"}):
        with pytest.raises(QuestionError):
            nstar.plan(delta=0.05, **wrong)


def test_the_planned_error_is_that_of_simulated_scores() -> None:
    rng = np.random.default_rng(1)
    truth = np.arange(400) < 80
    shift = math.sqrt(2) * special.ndtri(0.8) * truth
    areas = [stats.auroc_pseudo_values(truth, shift + rng.normal(size=400))[0] for _ in range(800)]
    ratio = float(stats.auroc_se(0.8, 80, 320)) / float(np.std(areas))
    assert 1 < ratio < 1.25  # the plan is on the safe side for normal scores


@pytest.mark.parametrize("auroc", [0.4, 0.5])
def test_an_auroc_that_is_no_better_than_random_is_refused(auroc: float) -> None:
    with pytest.raises(ParameterError, match=r"must be above 0\.5.*got 0\.[45]"):
        nstar.plan(auroc=auroc, delta=0.05)


def test_gaps_in_auroc_are_points_everywhere() -> None:
    """As in ``compare --statistic auroc``."""
    plan = nstar.plan(auroc=0.8, positives=0.2, items=1000)
    assert plan.headline.startswith("1,000 items detect a gap of 5.5 pp (80% power, AUROC 0.8")
    grid = nstar.plan(auroc=0.8, items=[500, 1000], rho=[0.4, 0.6])
    for text in (str(plan), str(grid), plan.render("markdown", level="full")):
        assert "pp" in text
        assert not re.search(r"(gap|loss|gain) of 0\.|above 0\.", text)
    assert "gap, pp" in plan.figure().svg
