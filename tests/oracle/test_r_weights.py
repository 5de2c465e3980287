"""Weighted means against R, ``r/weights.R``: survey's ``svymean``."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from nstar.stats._weights import inflation, weighted_scores

HERE = Path(__file__).parent / "r"
CLOSE = 1e-12


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    with (HERE / "weights.json").open(encoding="utf-8") as file:
        found: list[dict[str, Any]] = json.load(file)["tables"]["cases"]
    return found


@pytest.mark.parametrize("case", [0, 1])
def test_means_errors_and_covariance_are_those_of_svymean(
    cases: list[dict[str, Any]], case: int
) -> None:
    r = cases[case]
    both = weighted_scores(np.array([r["a"], r["b"]], dtype=float), np.array(r["w"]))
    n = both.shape[1]
    assert both.mean(axis=1) == pytest.approx([r["mean_a"], r["mean_b"]], rel=CLOSE)
    cov = np.cov(both) / n
    assert cov[0, 1] == pytest.approx(r["cov_ab"], rel=1e-10)
    assert np.sqrt(cov[0, 0]) == pytest.approx(r["se_a"], rel=CLOSE)
    assert (both[0] - both[1]).std(ddof=1) / np.sqrt(n) == pytest.approx(r["se_gap"], rel=CLOSE)


@pytest.mark.parametrize("case", [0, 1])
def test_errors_over_clusters_are_those_of_svymean(cases: list[dict[str, Any]], case: int) -> None:
    r = cases[case]
    a, b, w = (np.array(r[k], dtype=float) for k in "abw")
    gap = weighted_scores(a - b, w)
    sums = np.bincount(np.array(r["g"]) - 1, weights=gap - gap.mean()) / gap.size
    clusters = sums.size  # of equal size here, where CR2 is G / (G - 1) too
    found = np.sqrt(clusters / (clusters - 1) * (sums @ sums))
    assert found == pytest.approx(r["se_gap_clusters"], rel=CLOSE)


@pytest.mark.parametrize("case", [0, 1])
@pytest.mark.parametrize("clusters", [False, True])
def test_compare_has_that_gap_and_its_error_enlarged(
    cases: list[dict[str, Any]], case: int, clusters: bool
) -> None:
    r = cases[case]
    w, g = np.array(r["w"]), np.array(r["g"])
    more = {"cluster": g.tolist()} if clusters else {}
    pair = nstar.compare(r["a"], r["b"], weights=r["w"], **more).tasks[0]
    short = inflation(w, g if clusters else None)
    assert short > 1
    assert pair.gap == pytest.approx(r["gap"], rel=1e-10)
    known = r["se_gap_clusters" if clusters else "se_gap"]
    assert pair.se == pytest.approx(known * np.sqrt(short), rel=1e-10)
