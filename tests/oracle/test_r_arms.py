"""Many models against R: one-dimensional integrals, and mvtnorm over all dimensions at once."""

import json
from pathlib import Path

import numpy as np
import pytest

from nstar import stats
from nstar._base.types import Array, Sides

HERE = Path(__file__).parent / "r"


@pytest.fixture(scope="module")
def r() -> dict[str, dict[str, Array]]:
    with (HERE / "arms.json").open(encoding="utf-8") as file:
        tables = json.load(file)["tables"]
    return {
        name: {column: np.array(values, dtype=np.float64) for column, values in t.items()}
        for name, t in tables.items()
    }


def test_dunnett(r: dict[str, dict[str, Array]]) -> None:
    t = r["dunnett"]
    for i, m in enumerate(t["m"]):
        sides: Sides = 1 if t["sides"][i] == 1 else 2
        got = stats.dunnett_critical(m, alpha=float(t["alpha"][i]), sides=sides)
        np.testing.assert_allclose(got, t["critical"][i], rtol=1e-10)


def test_the_box_of_dunnett_has_its_level_in_mvtnorm(r: dict[str, dict[str, Array]]) -> None:
    t = r["dunnett"]
    several = t["m"] > 1
    off = np.abs(t["inside"] - (1 - t["alpha"]))[several]
    assert np.all(off <= 4 * t["error"][several] + 1e-9)


def test_choosing_the_best(r: dict[str, dict[str, Array]]) -> None:
    t = r["selection"]
    got = stats.selection_power(t["shift"], sigma=1.0, n=1, models=t["k"])
    np.testing.assert_allclose(got, t["power"], rtol=1e-12)
    assert np.all(np.abs(got - t["mvtnorm"]) <= 4 * t["error"] + 1e-9)


def test_every_pair_of_a_ladder(r: dict[str, dict[str, Array]]) -> None:
    t = r["ladder"]
    columns = (t["k"], t["shift"], t["critical"], t["power"], t["error"])
    for k, shift, critical, power, error in zip(*columns, strict=True):
        got = stats.ladder_power(float(shift), models=int(k), critical=float(critical))
        assert abs(got - power) <= 4 * error + 1e-6, (k, shift, critical)
