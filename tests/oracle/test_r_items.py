"""Items against R, ``r/items.R``: reliability and item-rest correlations by psych."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from nstar import stats

HERE = Path(__file__).parent / "r"
CLOSE = 1e-10


@pytest.fixture(scope="module")
def r() -> dict[str, Any]:
    with (HERE / "items.json").open(encoding="utf-8") as file:
        tables: dict[str, Any] = json.load(file)["tables"]
    return tables


CASES = [("binary", 0), ("binary", 1), ("binary", 2), ("graded", 0), ("graded", 1)]


@pytest.mark.parametrize(("kind", "case"), CASES)
def test_item_rest_is_r_drop(r: dict[str, Any], kind: str, case: int) -> None:
    known = r[kind][case]
    x = np.array(known["x"], float).reshape(known["models"], known["items"])
    np.testing.assert_allclose(stats.item_rest(x), known["r"], atol=CLOSE)


@pytest.mark.parametrize(("kind", "case"), CASES)
def test_alpha_is_raw_alpha_of_the_command_too(r: dict[str, Any], kind: str, case: int) -> None:
    known = r[kind][case]
    x = np.array(known["x"], float).reshape(known["models"], known["items"])
    within, total = x.var(axis=0).sum(), x.sum(axis=1).var()
    found = stats.cronbach_alpha(x.shape[1], item_variance=within, total_variance=total)
    assert float(found) == pytest.approx(known["alpha"], abs=CLOSE)
    names = [f"m{k}" for k in range(len(x))]
    whole = nstar.items(nstar.ScoreMatrix.from_arrays(x, models=names))
    assert whole.reliability is not None
    assert whole.reliability.cronbach_alpha == pytest.approx(known["alpha"], abs=CLOSE)
    np.testing.assert_allclose(whole.table.r, known["r"], atol=CLOSE)


def test_lengths(r: dict[str, Any]) -> None:
    for known in r["lengths"]:
        found = stats.reliability_at(known["r"], 100 * known["times"], of=100)
        assert float(found) == pytest.approx(known["at"], abs=CLOSE)
