"""Items drawn by strata from a benchmark against R, ``r/subset.R``: survey with strata and fpc."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nstar import stats

HERE = Path(__file__).parent / "r"


@pytest.mark.parametrize("case", [0, 1])
@pytest.mark.parametrize("what", ["a", "gap"])
def test_mean_and_error_are_those_of_svymean(case: int, what: str) -> None:
    with (HERE / "subset.json").open(encoding="utf-8") as file:
        r: dict[str, Any] = json.load(file)["tables"]["cases"][case]
    sums = stats.cluster_sums(np.array(r[what], float), np.array(r["h"]) - 1)
    found = stats.stratified_mean(sums.sums, sums.squares, sums.sizes, r["totals"])
    assert float(found.estimate) == pytest.approx(r[f"mean_{what}"], rel=1e-12)
    assert float(found.se) == pytest.approx(r[f"se_{what}"], rel=1e-12)
    assert r["df"] == len(r["h"]) - len(r["totals"])
