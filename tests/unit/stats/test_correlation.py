"""Intervals for the item correlation: known tables, the general delta method, coverage."""

import numpy as np
import pytest

from nstar.errors import NstarError
from nstar.stats import phi_interval, rho_hat, rho_interval, score_correlation_interval


def _general(cells: np.ndarray, z: float) -> tuple[float, float]:
    """Delta method by numerical derivatives of atanh(phi) over the four cells."""

    def fisher(p: np.ndarray) -> float:
        a, b, c, d = p
        return float(np.arctanh((a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d))))

    n = cells.sum()
    p = cells / n
    slope = np.array([(fisher(p + h) - fisher(p - h)) / 2e-6 for h in 1e-6 * np.eye(4)])
    variance = (p * slope**2).sum() - (p * slope).sum() ** 2
    half = z * np.sqrt(variance / n)
    return float(np.tanh(fisher(p) - half)), float(np.tanh(fisher(p) + half))


@pytest.mark.parametrize(
    "cells", [(628, 86, 78, 208), (10, 3, 2, 5), (900, 3, 4, 93), (1, 40, 40, 1), (45, 0, 0, 5)]
)
def test_phi_interval_is_the_delta_method(cells: tuple[int, ...]) -> None:
    expected = _general(np.array(cells) + 0.5, 1.959963984540054)
    assert phi_interval(*cells) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("accuracy", [0.5, 0.7, 0.95])
@pytest.mark.parametrize("rho", [0.0, 0.4, 0.8])
def test_phi_interval_holds_the_correlation(accuracy: float, rho: float) -> None:
    both = accuracy**2 + rho * accuracy * (1 - accuracy)
    cells = [both, accuracy - both, accuracy - both, 1 - 2 * accuracy + both]
    n11, n10, n01, n00 = np.random.default_rng(3).multinomial(200, cells, size=4000).T
    low, high = phi_interval(n11, n10, n01, n00)
    assert np.mean((low <= rho) & (rho <= high)) > 0.93


def test_fisher_is_too_short_where_models_hardly_differ() -> None:
    cells = [0.94, 0.01, 0.01, 0.04]
    n11, n10, n01, n00 = np.random.default_rng(3).multinomial(200, cells, 4000).T
    seen = rho_hat(n11, n10, n01, n00)
    low, high = rho_interval(seen[~np.isnan(seen)], 200)
    true = (0.94 * 0.04 - 0.0001) / (0.95 * 0.05)
    assert np.mean((low <= true) & (true <= high)) < 0.6


def test_graded_scores_of_two_humps() -> None:
    rng, inside = np.random.default_rng(4), 0
    for _ in range(1000):
        x = rng.integers(0, 2, 100) * 0.9 + 0.1 * rng.random(100)
        y = np.where(rng.random(100) < 0.9, x, rng.random(100))
        low, high = score_correlation_interval(x, y)
        inside += bool(low <= _TRUE <= high)
    assert inside > 920


def _true_correlation() -> float:
    rng = np.random.default_rng(5)
    x = rng.integers(0, 2, 10**6) * 0.9 + 0.1 * rng.random(10**6)
    y = np.where(rng.random(10**6) < 0.9, x, rng.random(10**6))
    return float(np.corrcoef(x, y)[0, 1])


_TRUE = _true_correlation()


def test_normal_scores_are_never_shorter_than_fisher() -> None:
    rng = np.random.default_rng(6)
    x, z = rng.standard_normal((2, 60))
    y = 0.6 * x + 0.8 * z
    ours, fisher = score_correlation_interval(x, y), rho_interval(np.corrcoef(x, y)[0, 1], 60)
    assert ours.low <= fisher.low + 1e-12
    assert ours.high >= fisher.high - 1e-12


def test_few_items_and_bad_scores() -> None:
    assert score_correlation_interval([0.0, 0.5, 1.0], [0.1, 0.9, 0.3]) == (-1, 1)
    with pytest.raises(NstarError, match="not all equal"):
        score_correlation_interval([1, 1, 1, 1, 1], [0, 1, 0, 1, 0])
    with pytest.raises(NstarError, match="one score per item of a"):
        score_correlation_interval([0, 1, 0, 1], [0, 1])
