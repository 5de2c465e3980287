"""Judges against ppi-python, statsmodels and derivatives taken numerically.

ppi_py brings numba and a package ``tests`` of its own, so that its answers are kept in
ppi/ppi.json; where it can be imported, it is asked anew.
"""

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from nstar import stats
from nstar._base.types import Array

HERE = Path(__file__).parent / "ppi"
KEPT = json.loads((HERE / "ppi.json").read_text(encoding="utf-8"))["cases"]
TOLERANCE = 1e-9


def cases() -> list[Any]:
    return [pytest.param(x, id=x["name"]) for x in KEPT]


def columns(case: dict[str, Any]) -> tuple[Array, Array]:
    judged = np.array(case["judged"])
    truth = np.full(judged.size, np.nan)
    truth[: len(case["truth"])] = case["truth"]
    return truth, judged


@pytest.mark.parametrize("case", cases())
def test_the_corrected_gap_is_that_of_ppi_py(case: dict[str, Any]) -> None:
    found = stats.judge_corrected(*columns(case))
    assert found.estimate == pytest.approx(case["estimate"], abs=TOLERANCE)
    assert found.estimate == pytest.approx(case["predicted"], abs=TOLERANCE)  # by least squares
    assert found.slope == pytest.approx(case["slope"], abs=TOLERANCE)
    n, t = found.labels, found.items
    spread = np.var(case["truth"], ddof=1)
    want = case["residual"] * (1 / n - 1 / t) + spread / t
    assert found.se == pytest.approx(np.sqrt(want), abs=TOLERANCE)


@pytest.mark.parametrize("case", cases())
def test_its_own_interval_is_met(case: dict[str, Any]) -> None:
    truth, judged = columns(case)
    n = len(case["truth"])
    asked = {"": case["weight"], "auto_": None}
    for name, weight in asked.items():
        found = stats.prediction_powered(truth[:n], judged[:n], judged[n:], weight=weight)
        half = float(stats.z_alpha(0.05)) * found.se
        ends = (found.estimate - half, found.estimate + half)
        assert ends == pytest.approx(case[f"{name}ci"], abs=TOLERANCE)
        point = case["estimate" if weight is not None else "auto"]
        assert found.estimate == pytest.approx(point, abs=TOLERANCE)


@pytest.mark.parametrize("case", cases())
def test_our_error_is_near_theirs(case: dict[str, Any]) -> None:
    """Ours allows for the fitted line, by n - 2; theirs takes λ for known."""
    found = stats.judge_corrected(*columns(case))
    low, high = case["ci"]
    theirs = (high - low) / 2 / float(stats.z_alpha(0.05))
    assert 0.995 * theirs < found.se < 1.05 * theirs


def test_the_kept_values_are_those_of_the_package_at_hand() -> None:
    pytest.importorskip("ppi_py")
    made = runpy.run_path(str(HERE / "make.py"))["made"]()["cases"]
    for ours, kept in zip(made, KEPT, strict=True):
        for key, value in kept.items():
            if key != "name":
                assert ours[key] == pytest.approx(value, abs=TOLERANCE), (kept["name"], key)


@pytest.mark.parametrize("case", cases())
def test_influence_is_the_derivative_by_the_weight_of_an_item(case: dict[str, Any]) -> None:
    truth, judged = columns(case)
    known = ~np.isnan(truth)
    slope = case["slope"]

    def mean(weight: Array) -> float:
        some = weight[known]
        label = some @ truth[known] / some.sum()
        own = some @ judged[known] / some.sum()
        return float(label + slope * (weight @ judged / weight.sum() - own))

    step, found = 1e-6, stats.judge_influence(truth, judged)
    for i in (0, 1, known.sum() - 1, known.sum(), judged.size - 1):
        up, down = np.ones(judged.size), np.ones(judged.size)
        up[i] += step
        down[i] -= step
        slid = (mean(up) - mean(down)) / (2 * step)
        assert found[i] / judged.size == pytest.approx(slid, abs=1e-8)


@pytest.mark.parametrize("case", cases())
def test_errors_by_cluster_are_those_of_statsmodels(case: dict[str, Any]) -> None:
    truth, judged = columns(case)
    codes = np.random.default_rng(9).integers(0, 23, judged.size)
    psi = stats.judge_influence(truth, judged)
    fit = sm.OLS(psi, np.ones(psi.size)).fit(
        cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
    )
    sums = stats.cluster_sums(psi, codes)
    got = stats.cluster_variance(sums.sums, sums.sizes, kind="CR0")
    assert got == pytest.approx(float(fit.cov_params()[0, 0]), rel=1e-10)


@pytest.mark.parametrize(
    "counts", [(820, 1000, 90, 100, 70, 100), (300, 400, 45, 50, 25, 50), (12, 30, 28, 30, 9, 10)]
)
def test_rogan_gladen_by_numerical_derivatives(counts: tuple[int, ...]) -> None:
    shares, sizes = np.array(counts[::2]) / counts[1::2], np.array(counts[1::2])

    def rate(x: Array) -> float:
        return float((x[0] + x[2] - 1) / (x[1] + x[2] - 1))

    step = 1e-6
    slopes = [(rate(shares + step * e) - rate(shares - step * e)) / (2 * step) for e in np.eye(3)]
    want = np.sqrt(np.square(slopes) @ (shares * (1 - shares) / sizes))
    names = ("true_pos", "positives", "true_neg", "negatives")
    found = stats.rogan_gladen(*counts[:2], **dict(zip(names, counts[2:], strict=True)))
    assert found.rate == pytest.approx(rate(shares), abs=1e-12)
    assert found.se == pytest.approx(want, rel=1e-7)
