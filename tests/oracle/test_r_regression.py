"""A sample beside known covariates against R, ``r/regression.R``: survey's calibrate."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nstar import stats

with (Path(__file__).parent / "r" / "regression.json").open(encoding="utf-8") as file:
    CASES: list[dict[str, Any]] = json.load(file)["tables"]["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['n']} items, {c['p']} covariates")
@pytest.mark.parametrize("what", ["a", "gap"])
def test_estimate_and_weighted_error_are_those_of_survey(case: dict[str, Any], what: str) -> None:
    x = np.array(case["x"]).reshape(case["p"], -1).T
    y = np.full(len(x), np.nan)
    y[np.array(case["drawn"]) - 1] = case[what]
    found = stats.regression_mean(y, x)
    assert found.estimate == pytest.approx(case[f"mean_{what}"], rel=1e-10)
    assert found.se_weighted == pytest.approx(case[f"se_{what}"], rel=1e-10)
