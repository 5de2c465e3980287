"""Medians and other quantiles of two models, against NumPy and scipy."""

from typing import Any

import numpy as np
import pytest
from scipy import stats as reference

import nstar
from nstar._base.types import Array
from nstar._verbs.compare.quantile import quantile
from nstar.errors import DataError, QuestionError


def latencies(n: int, seed: int = 1, shift: float = 0.4) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    common = rng.normal(0, 0.5, n)
    slow, fast = (np.exp(m + common + rng.normal(0, 0.4, n)) for m in (shift, 0.0))
    return slow, fast


@pytest.mark.parametrize("level", [0.001, 0.05, 0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("n", [2, 3, 60, 101])
def test_values_are_those_of_numpy(level: float, n: int) -> None:
    x = np.random.default_rng(n).normal(size=(4, n)).round(1)
    np.testing.assert_allclose(quantile(x, level), np.quantile(x, level, axis=1), atol=1e-12)


@pytest.mark.parametrize(("name", "level"), [("median", 0.5), ("p95", 0.95), ("P2.5", 0.025)])
def test_gap_and_interval(name: str, level: float) -> None:
    slow, fast = latencies(200)
    result = nstar.compare(slow, fast, statistic=name)
    expected = np.quantile(slow, level) - np.quantile(fast, level)
    assert result.gap == pytest.approx(expected, rel=1e-12)

    def gap(x: Array, y: Array, axis: int = -1) -> Array:
        return np.asarray(np.quantile(x, level, axis=axis) - np.quantile(y, level, axis=axis))

    other = reference.bootstrap(
        (slow, fast), gap, paired=True, method="percentile", n_resamples=1999, rng=0
    )
    assert result.se == pytest.approx(other.standard_error, rel=0.08)
    assert result.ci == pytest.approx(tuple(other.confidence_interval), abs=0.3 * result.se)


def test_the_pvalue_agrees_with_the_interval() -> None:
    for shift in np.linspace(-0.2, 0.2, 9):
        slow, fast = latencies(120, seed=7, shift=float(shift))
        for alternative in ("two-sided", "greater", "less"):
            result = nstar.compare(slow, fast, statistic="median", alternative=alternative)
            assert result.verdict != "borderline"


def test_the_answer_does_not_depend_on_the_order() -> None:
    slow, fast = latencies(150)
    groups = np.repeat(np.arange(50), 3)
    order = np.random.default_rng(3).permutation(150)
    for labels in (None, groups):
        cluster = None if labels is None else labels.tolist()
        mixed = None if labels is None else labels[order].tolist()
        one = nstar.compare(slow, fast, statistic="p75", cluster=cluster)
        other = nstar.compare(fast[order], slow[order], statistic="p75", cluster=mixed)
        assert one.ci == (-other.ci.high, -other.ci.low)
        assert one.pvalue == other.pvalue


def test_clusters_are_resampled_as_a_whole() -> None:
    slow, fast = latencies(50)
    groups = np.repeat(np.arange(50), 4).tolist()
    items = nstar.compare(slow, fast, statistic="median")
    copies = nstar.compare(np.repeat(slow, 4), np.repeat(fast, 4), statistic="median")
    grouped = nstar.compare(
        np.repeat(slow, 4), np.repeat(fast, 4), statistic="median", cluster=groups
    )
    assert copies.se < 0.7 * items.se
    assert grouped.se == pytest.approx(items.se, rel=0.1)
    assert (
        "resamples of clusters" in grouped.report(full=True) if hasattr(grouped, "report") else 1
    )


def test_the_report_names_the_quantile_and_its_method() -> None:
    slow, fast = latencies(80)
    result = nstar.compare(fast, slow, statistic="p95", a="fast", b="slow")
    text = " ".join(result.render(level="full").split())
    assert " in P95 (95% CI" in text
    assert "By the bootstrap standard error, an observed gap above" in text
    assert "9,999 bootstrap resamples of items (seed 0)" in text
    assert "it rests on 80 resampled units, and it is reliable from 100" in text
    assert result.effect_size is None


def test_json_keeps_the_statistic() -> None:
    slow, fast = latencies(80)
    result = nstar.compare(slow, fast, statistic="median")
    again = nstar.Comparison.from_json(result.to_json())
    assert again.tasks[0].statistic == "median"
    assert again == result


def test_tasks_have_no_average() -> None:
    slow, fast = latencies(120)
    rows: dict[str, list[Any]] = {
        "item": [*range(120)] * 2,
        "task": [*["one"] * 60, *["two"] * 60] * 2,
        "model": ["slow"] * 120 + ["fast"] * 120,
        "score": [*slow, *fast],
    }
    result = nstar.compare(rows, a="slow", b="fast", statistic="median")
    assert [task.statistic for task in result.tasks] == ["median", "median"]
    assert result.average is None


def test_missing_scores_can_undo_the_result() -> None:
    slow, fast = latencies(200)
    fast[:60] = np.nan
    result = nstar.compare(slow, fast, statistic="median")
    assert (result.verdict, result.missing_effect) == ("better", "undo")
    assert "could make the gap inconclusive" in " ".join(str(result).split())
    slow[:60] = np.nan
    assert nstar.compare(slow, fast, statistic="median").missing_effect is None


@pytest.mark.parametrize(
    ("n", "options", "message"),
    [
        (59, {"statistic": "p95"}, "at least 60 items"),
        (5, {"statistic": "median"}, "at least 6 items"),
        (120, {"statistic": "median", "cluster": np.repeat(range(12), 10)}, "20 clusters"),
        (400, {"statistic": "p95", "cluster": np.repeat(range(40), 10)}, "60 clusters"),
    ],
)
def test_few_units_are_refused(n: int, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        nstar.compare(*latencies(n), **options)


def test_other_scores_are_refused() -> None:
    slow, fast = latencies(80)
    with pytest.raises(DataError, match=r'one of two values.*set metric="latency"'):
        nstar.compare(slow > 1, fast > 1, statistic="median")
    with pytest.raises(DataError, match="several runs"):
        nstar.compare(np.stack([slow, slow], 1), np.stack([fast, fast], 1), statistic="median")
    with pytest.raises(DataError, match="same in all resamples"):
        nstar.compare(np.append(np.ones(79), 3), np.append(np.ones(79), 2), statistic="median")
    with pytest.raises(QuestionError, match="compares two models"):
        nstar.audit({"a": slow, "b": fast}, statistic="p95")
    with pytest.raises(QuestionError, match="Remove metric"):
        nstar.compare({"item": [1], "model": ["a"]}, statistic="f1", metric="acc")
