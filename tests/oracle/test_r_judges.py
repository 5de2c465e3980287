"""Judges against R, ``r/judges.R``: variance parts by lme4's REML, agreement by definition."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as law

from nstar import stats

HERE = Path(__file__).parent / "r"
REML = 2e-4
"""Relative: lme4 stops where its deviance no longer moves, which leaves variances fewer digits."""
CLOSE = 1e-12


@pytest.fixture(scope="module")
def r() -> dict[str, Any]:
    with (HERE / "judges.json").open(encoding="utf-8") as file:
        tables: dict[str, Any] = json.load(file)["tables"]
    return tables


@pytest.mark.parametrize("case", [0, 1])
def test_parts_of_repeated_judgments_are_those_of_lme4(r: dict[str, Any], case: int) -> None:
    known = r["repeated"][case]
    shape = known["repeats"], known["judges"], known["items"]
    scores = np.array(known["y"]).reshape(shape).transpose(2, 1, 0)
    found = stats.judge_components(scores[None])
    assert found.item2 == pytest.approx(known["item"], rel=REML)
    assert found.judge2 == pytest.approx(known["judge"], rel=REML)
    assert found.cross2 == pytest.approx(known["cross"], rel=REML)
    assert found.repeat2 == pytest.approx(known["again"], rel=REML)


@pytest.mark.parametrize("case", [0, 1])
def test_parts_of_a_gap_are_those_of_lme4(r: dict[str, Any], case: int) -> None:
    known = r["gaps"][case]
    shape = known["judges"], known["items"]
    a, b = (np.array(known[k]).reshape(shape).T for k in "ab")
    found = stats.judge_components(np.stack([a, b])[..., None])
    assert found.item2 == pytest.approx(known["item"], rel=REML)
    assert found.judge2 == pytest.approx(known["judge"], rel=REML)
    assert found.cross2 == pytest.approx(known["rest"], rel=REML)
    assert found.repeat2 is None


@pytest.mark.parametrize("case", [0, 1])
def test_agreement_of_two_verdicts(r: dict[str, Any], case: int) -> None:
    known = r["kappas"][case]
    x, y = (np.array(known[k], float)[:, None] for k in "xy")
    found = stats.rater_agreement(x, y)
    assert found.share == pytest.approx(known["share"], rel=CLOSE)
    assert found.kappa == pytest.approx(known["kappa"], rel=CLOSE)
    assert found.youden == pytest.approx(known["youden"], rel=CLOSE)


@pytest.mark.parametrize("case", [0, 1])
def test_agreement_of_two_grades(r: dict[str, Any], case: int) -> None:
    known = r["graded"][case]
    x, y = (np.array(known[k], float)[:, None] for k in "xy")
    found = stats.rater_agreement(x, y)
    assert found.share is None
    assert found.kappa == pytest.approx(known["concordance"], rel=CLOSE)
    assert found.r == pytest.approx(known["r"], rel=CLOSE)
    assert found.bias_ci == pytest.approx((known["low"], known["high"]), rel=1e-9)


def test_kappa_of_statsmodels(r: dict[str, Any]) -> None:
    rater: Any = pytest.importorskip("statsmodels.stats.inter_rater")
    for known in r["kappas"]:
        x, y = np.array(known["x"]), np.array(known["y"])
        table, _ = rater.to_table(np.column_stack([x, y]))
        other = rater.cohens_kappa(table)
        found = stats.rater_agreement(x[:, None], y[:, None])
        assert found.kappa == pytest.approx(other.kappa, rel=CLOSE)
        assert found.kappa is not None
        assert found.kappa_ci is not None
        half = (
            np.ptp(np.arctanh([float(end) for end in found.kappa_ci])) / 2 / law.t.ppf(0.975, 79)
        )
        assert half * (1 - found.kappa**2) == pytest.approx(other.std_kappa, rel=0.05)
