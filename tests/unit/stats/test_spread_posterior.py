"""The spread of true scores: its posterior against integrals, and where a pilot shows none."""

import numpy as np
import pytest
from scipy import integrate

from nstar._base.types import Array
from nstar.stats._spread_posterior import CenteredMeans

MEANS = np.array([0.71, 0.69, 0.74, 0.70, 0.66])


def density(tau: float, found: CenteredMeans, scale: float) -> float:
    total = tau**2 + found.variances
    fit = np.prod(total**-0.5 * np.exp(-(found.values**2) / (2 * total)))
    return float(fit / (1 + (tau / scale) ** 2))


def correlated(means: Array) -> Array:
    """Errors of unequal size that correlate."""
    sd = np.linspace(0.02, 0.05, means.size)
    return np.outer(sd, sd) * (0.4 + 0.6 * np.eye(means.size))


@pytest.mark.parametrize("apart", [1.0, 30.0])
def test_the_mean_is_that_of_the_integral(apart: float) -> None:
    found = CenteredMeans.of(apart * MEANS, correlated(MEANS))
    scale = float(np.sqrt(found.variances.mean()))
    points = [0.01, 0.1, 1.0, 3.0]
    top, whole = (
        sum(
            integrate.quad(lambda t, k=k: t**k * density(t, found, scale), *ends, limit=200)[0]
            for ends in zip([0.0, *points], [*points, np.inf], strict=True)
        )
        for k in (1, 0)
    )
    assert found.spread().mean == pytest.approx(top / whole, rel=1e-5)


def test_nothing_depends_on_the_level_or_on_the_order_of_models() -> None:
    first = CenteredMeans.of(MEANS, correlated(MEANS))
    order = np.array([3, 0, 4, 2, 1])
    second = CenteredMeans.of(MEANS[order] + 5, correlated(MEANS)[np.ix_(order, order)])
    assert second.spread().mean == pytest.approx(first.spread().mean, rel=1e-6)
    assert second.plug_in == pytest.approx(first.plug_in)


def test_without_observed_spread_the_posterior_is_not_at_zero() -> None:
    found = CenteredMeans.of(np.full(10, 0.7), 0.001 * np.eye(10))
    assert found.plug_in == 0
    low, median, high = found.spread().quantile([0.1, 0.5, 0.9])
    assert 0 < low < median < high < np.sqrt(0.001)


def test_a_large_pilot_leaves_no_doubt() -> None:
    means = np.linspace(0, 1, 400)
    found = CenteredMeans.of(means, 1e-10 * np.eye(400))
    low, high = found.spread().quantile([0.1, 0.9])
    sd = means.std(ddof=1)
    assert low < sd < high
    assert (high - low) / sd == pytest.approx(2 * 1.2816 / np.sqrt(2 * 399), rel=0.05)
