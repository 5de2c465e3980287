"""Intervals of single scores, held against other people's code and against plain arithmetic."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

from helpers.boards import board, scores, subjects
from nstar import audit
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix


def found(matrix: ScoreMatrix | Sequence[ScoreMatrix], **how: Any) -> dict[str, tuple[float, ...]]:
    """Mean and both ends, by model."""
    ranks = audit(matrix, items="pairwise", draws=99, **how).ranking
    columns = (ranks.mean, ranks.ci_low, ranks.ci_high)
    return {m: tuple(float(c[k]) for c in columns) for k, m in enumerate(ranks.model)}


def rows(x: Array) -> dict[str, Array]:
    return {f"m{k}": row for k, row in enumerate(x)}


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_of_binary_items_is_wilsons(missing: float) -> None:
    x = scores(1, missing=missing)
    x[0] = np.where(np.isnan(x[0]), np.nan, 1.0)
    for name, (_, low, high) in found(board(x), alpha=0.1).items():
        own = rows(x)[name][~np.isnan(rows(x)[name])]
        expected = proportion_confint(own.sum(), own.size, alpha=0.1, method="wilson")
        assert (low, high) == pytest.approx(expected)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_of_graded_items_is_students(missing: float) -> None:
    x = scores(2, graded=True, missing=missing)
    for name, ends in found(board(x)).items():
        own = rows(x)[name][~np.isnan(rows(x)[name])]
        se = own.std(ddof=1) / np.sqrt(own.size)
        expected = student.interval(0.95, own.size - 1, loc=own.mean(), scale=se)
        assert ends == pytest.approx((own.mean(), *expected))


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_of_strata_is_the_sum_over_strata(graded: bool, missing: float) -> None:
    x, labels = scores(3, graded=graded, missing=missing), np.array(subjects(3, 240, 5))
    for name, (mean, low, high) in found(board(x, labels=list(labels)), strata="s").items():
        there = ~np.isnan(rows(x)[name])
        own, where = rows(x)[name][there], labels[there]
        parts = [own[where == s] for s in np.unique(where)]
        assert min(len(p) for p in parts) > 1
        variance = sum((len(p) / own.size) ** 2 * p.var(ddof=1) / len(p) for p in parts)
        half = student.ppf(0.975, own.size - len(parts)) * np.sqrt(variance)
        assert (mean, high - mean, mean - low) == pytest.approx((own.mean(), half, half))


def clustered_error(values: Array, labels: Array) -> float:
    """CR1 of statsmodels without its factor (n - 1) / (n - 1), for clusters of one size."""
    model = sm.OLS(values, np.ones(len(values)))
    codes = np.unique(labels, return_inverse=True)[1]
    return float(model.fit(cov_type="cluster", cov_kwds={"groups": codes}).bse[0])


@pytest.mark.parametrize("graded", [False, True])
def test_of_clusters_is_robust(graded: bool) -> None:
    x, labels = scores(4, graded=graded), np.array([f"g{k // 8:02d}" for k in range(240)])
    for name, (mean, low, high) in found(board(x, labels=list(labels)), cluster="s").items():
        # clusters of one size: CR2 is CR1, and Bell and McCaffrey's df is G - 1
        half = student.ppf(0.975, 29) * clustered_error(rows(x)[name], labels)
        assert (high - mean, mean - low) == pytest.approx((half, half))


def test_of_an_average_adds_the_errors_of_tasks() -> None:
    one, two = scores(5, items=60), scores(6, items=200)
    boards = [board(one, task="one"), board(two, task="two")]
    for average, weights in (("macro", (0.5, 0.5)), ("micro", (60 / 260, 200 / 260))):
        for name, (mean, low, high) in found(boards, average=average).items():
            tasks = [rows(x)[name] for x in (one, two)]
            parts = [w**2 * x.var(ddof=1) / x.size for w, x in zip(weights, tasks, strict=True)]
            spread = sum(p**2 / (x.size - 1) for p, x in zip(parts, tasks, strict=True))
            half = student.ppf(0.975, sum(parts) ** 2 / spread) * np.sqrt(sum(parts))
            expected = sum(w * x.mean() for w, x in zip(weights, tasks, strict=True))
            ends = np.clip([expected - half, expected + half], 0, 1)
            assert (mean, low, high) == pytest.approx((expected, *ends))


def test_of_one_score_everywhere_has_some_width() -> None:
    x = scores(7, graded=True)
    x[2] = 0.5
    mean, low, high = found(board(x))["m2"]
    share = 1.959964**2 / (240 + 1.959964**2)
    assert (mean, low, high) == pytest.approx((0.5, 0.5 - share / 2, 0.5 + share / 2))


def test_one_cluster_of_a_model_measures_no_error() -> None:
    x, labels = scores(8, models=3), ["a"] * 100 + ["b"] * 70 + ["c"] * 70
    x[1, 100:] = np.nan
    ends = found(board(x, labels=list(labels)), cluster="s")
    assert np.isnan(ends["m1"][1:]).all()
    assert np.isfinite(ends["m0"]).all()


def test_of_an_average_a_clean_sweep_of_a_small_task_is_not_certain() -> None:
    big, small = scores(9, items=200, models=3), np.ones((3, 8))
    small[1, 0] = small[2, :2] = 0
    ends = found([board(big, task="big"), board(small, task="small")], average="macro")
    own = big[0]
    parts = [own.var(ddof=1) / own.size / 4, (0.5 / 9) ** 2]  # a ninth item could fail
    df = sum(parts) ** 2 / (parts[0] ** 2 / 199 + parts[1] ** 2 / 7)
    half = student.ppf(0.975, df) * np.sqrt(sum(parts))
    mean, low, high = ends["m0"]
    assert mean == pytest.approx((own.mean() + 1) / 2)
    assert (low, high) == pytest.approx((mean - half, min(mean + half, 1.0)))
    widths = [ends[m][2] - ends[m][1] for m in ("m0", "m1", "m2")]
    assert widths[0] > 0.75 * widths[1]
