"""A comparison of one model with a threshold."""

import numpy as np
import pytest
from scipy import stats as reference

import nstar


@pytest.mark.parametrize("right", [0, 1, 40, 63, 70, 100])
def test_counts_are_tested_exactly(right: int) -> None:
    x = np.repeat([1.0, 0.0], [right, 100 - right])
    result = nstar.compare(x, threshold=0.7)
    tails = [
        reference.binomtest(right, 100, 0.7, alternative=side).pvalue
        for side in ("greater", "less")
    ]
    assert result.pvalue == pytest.approx(min(2 * min(tails), 1.0), rel=1e-9)
    exact = reference.binomtest(right, 100).proportion_ci(0.95, method="exact")
    assert np.array([*result.ci]) + 0.7 == pytest.approx([exact.low, exact.high], abs=1e-9)
    one_sided = nstar.compare(x, threshold=0.7, alternative="greater")
    assert one_sided.pvalue == pytest.approx(tails[0], rel=1e-9)


def test_graded_scores_have_a_t_interval() -> None:
    x = np.random.default_rng(0).beta(8, 3, 60)
    result = nstar.compare(x, threshold=0.7)
    test = reference.ttest_1samp(x, 0.7)
    assert result.pvalue == pytest.approx(test.pvalue, rel=1e-9)
    interval = test.confidence_interval()
    assert np.array([*result.ci]) == pytest.approx([interval.low - 0.7, interval.high - 0.7])


def test_report_names_the_threshold_and_no_second_model() -> None:
    result = nstar.compare(np.repeat([1.0, 0.0], [80, 20]), threshold=0.7, a="ada")
    text = result.render(level="full")
    assert result.models == ("ada", "the 70% threshold")
    assert "ada beats the 70% threshold by 10.0 pp" in text
    assert "gap (ada − threshold)" in text
    for word in ("shared", "correlation", "sign flips", "both models"):
        assert word not in text


@pytest.mark.parametrize("other", [{"margin": 0.1}, {"weights": [1.0, 2.0]}, {"b": "y"}])
def test_what_needs_two_models_is_refused(other: dict[str, object]) -> None:
    with pytest.raises(nstar.errors.QuestionError, match="not both"):
        nstar.compare([1.0, 0.0], threshold=0.7, **other)  # type: ignore[arg-type]


def test_a_second_model_is_refused() -> None:
    with pytest.raises(nstar.errors.QuestionError, match="not both"):
        nstar.compare([1.0, 0.0], [1.0, 1.0], threshold=0.7)


def test_rounding_error_is_no_gap() -> None:
    result = nstar.compare(np.repeat([1.0, 0.0], [156, 44]), threshold=0.78)
    assert result.gap == 0
    assert np.isinf(result.n_star)
