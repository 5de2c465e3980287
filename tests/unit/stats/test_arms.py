"""Many models: edges, laws and simulation; values of R are in ``oracle/test_r_arms.py``."""

import numpy as np
import pytest

from nstar import stats
from nstar.errors import ParameterError
from nstar.stats import arms
from nstar.stats.arms import ladder_shift, selection_lead


def test_two_models_are_one_comparison() -> None:
    np.testing.assert_allclose(stats.dunnett_critical(1), stats.z_alpha(0.05))
    one_sided = stats.dunnett_critical(1, sides=1)
    np.testing.assert_allclose(one_sided, stats.z_alpha(0.05, sides=1))
    np.testing.assert_allclose(selection_lead(2), np.sqrt(2) * stats.z_power(0.95))
    power = stats.ladder_power(2.8015852, models=2, critical=1.959964)
    np.testing.assert_allclose(power, 0.8, atol=1e-7)


def test_dunnett_is_between_one_comparison_and_bonferroni() -> None:
    m = np.arange(2, 60)
    c = stats.dunnett_critical(m)
    assert np.all(np.diff(c) > 0)
    assert np.all(c < stats.bonferroni_critical(m))
    assert np.all(c < stats.tukey_critical(m + 1))


def test_dunnett_at_extreme_levels() -> None:
    for alpha in (1e-8, 0.9):
        for sides in (1, 2):
            c = float(stats.dunnett_critical(5, alpha=alpha, sides=sides))
            assert np.isfinite(c)


def test_no_lead_is_chance() -> None:
    np.testing.assert_allclose(
        stats.selection_power(0.0, sigma=0.5, n=100, models=[2, 5, 100]), [1 / 2, 1 / 5, 1 / 100]
    )
    assert stats.selection_n_star(0.0, sigma=0.5, models=3) == np.inf


def test_items_lead_and_probability_are_one_identity() -> None:
    n = stats.selection_n_star(0.03, sigma=0.6, models=7, prob=0.9)
    np.testing.assert_allclose(stats.selection_mde(n, sigma=0.6, models=7, prob=0.9), 0.03)
    np.testing.assert_allclose(stats.selection_power(0.03, sigma=0.6, n=n, models=7), 0.9)


def test_the_choice_simulated() -> None:
    """Ten models with 0/1-like noise shared over items, the best ahead by two points."""
    rng = np.random.default_rng(3)
    k, sigma, delta = 10, np.sqrt(0.21), 0.02
    n = float(stats.selection_n_star(delta, sigma=sigma, models=k))
    means = rng.normal(0, sigma / np.sqrt(2 * n), (40_000, k))
    means[:, 0] += delta
    right = float((means.argmax(axis=1) == 0).mean())
    assert abs(right - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 40_000)


@pytest.mark.parametrize("k", [3, 8])
def test_the_ladder_simulated(k: int) -> None:
    rng = np.random.default_rng(4)
    c = float(stats.tukey_critical(k))
    shift = c + 1.5
    means = rng.normal(0, np.sqrt(0.5), (60_000, k)) + np.arange(k) * shift
    first, second = np.triu_indices(k, 1)
    every = float((means[:, second] - means[:, first] > c).all(axis=1).mean())
    found = stats.ladder_power(shift, models=k, critical=c)
    assert abs(every - found) < 4 * np.sqrt(found * (1 - found) / 60_000)


@pytest.mark.parametrize(("models", "shift"), [(40, 3.0), (3_000, 6.0), (3_000, 7.5)])
def test_a_long_ladder_as_one_step_after_another(models: int, shift: float) -> None:
    step, lag = float(arms._LADDER[1] - arms._LADDER[0]), np.sqrt(2) * (shift - 3.5)
    density = np.exp(-(arms._LADDER**2) / 2) / np.sqrt(2 * np.pi)
    held = density
    for _ in range(models - 1):
        held = density * arms._carried(held, step, lag)
    found = stats.ladder_power(shift, models=models, critical=3.5)
    np.testing.assert_allclose(found, held.sum() * step, rtol=1e-9, atol=1e-300)


def test_a_ladder_of_a_billion_models() -> None:
    shift = ladder_shift(0.8, models=10**9, critical=6.5)
    found = stats.ladder_power(shift, models=10**9, critical=6.5)
    np.testing.assert_allclose(found, 0.8, atol=1e-5)


def test_every_pair_takes_more_than_each() -> None:
    c = float(stats.tukey_critical(6))
    each = c + float(stats.z_power(0.8))
    every = ladder_shift(0.8, models=6, critical=c)
    assert every > each
    np.testing.assert_allclose(stats.ladder_power(every, models=6, critical=c), 0.8, atol=1e-8)
    assert stats.ladder_power(0.0, models=6, critical=c) < 1e-6
    assert stats.ladder_power(200.0, models=6, critical=c) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: selection_lead(10, prob=0.1), "above 1 / models"),
        (lambda: selection_lead(1), "at least 2"),
        (lambda: selection_lead(2.5), "whole"),
        (lambda: stats.dunnett_critical(0), "at least 1"),
        (lambda: stats.selection_power(-0.1, sigma=0.5, n=10, models=3), "delta"),
        (lambda: stats.ladder_power(-1.0, models=3, critical=2.0), "shift"),
        (lambda: ladder_shift(1.0, models=3, critical=2.0), "power"),
    ],
)
def test_refusals(call, told) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=told):
        call()
