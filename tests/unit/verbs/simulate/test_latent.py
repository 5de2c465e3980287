"""``rho`` is the correlation of scores in every scenario, whatever normals are behind them."""

from typing import Any

import numpy as np
import pytest
from scipy import stats as st

from helpers.cases import each
from nstar import stats
from nstar._verbs.simulate import SCENARIOS
from nstar._verbs.simulate.scenarios.latent import (
    latent_icc_of_board,
    latent_of_board,
    latent_rho,
    orthant,
)
from nstar.errors import InfeasibleError

SCORES: dict[str, dict[str, Any]] = {
    "normal": {"mean": 0.8, "sd": 0.4},
    "beta": {"mean": 0.8, "sd": 0.3},
    "ties": {"levels": 3},
    "zero-inflated": {"zeros": 0.5},
    "bimodal": {"share": 0.8},
    "runs": {"runs": 200, "mean": 0.8, "sd": 0.3},
}


def variance(name: str, rho: float) -> float:
    """Variance of the difference of two equally good models."""
    rng = np.random.Generator(np.random.PCG64(1))
    sample = SCENARIOS[name](rng, 50, 1000, rho=rho, **SCORES[name])
    return float(sample.d.var())


@each(SCORES)
def test_scores_correlate_as_requested(name: str) -> None:
    """The variance of a difference falls by 1 - rho from independent scores to those of rho."""
    apart = variance(name, 0.0)
    for rho in (0.5, 0.9):
        assert variance(name, rho) / apart == pytest.approx(1 - rho, abs=0.015)


def test_labels_correlate_as_requested() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    apart, alike = (
        SCENARIOS["judge-graded"](rng, 100, 1000, labels=1000, levels=2, rho=rho).label_variance
        for rho in (0.0, 0.6)
    )
    assert alike.mean() / apart.mean() == pytest.approx(0.4, abs=0.015)


def test_two_models_of_a_board_disagree_as_a_plan_has_it() -> None:
    rates = (0.8, 0.6)
    h, k = st.norm.ppf(np.array(rates))
    both = float(orthant(h, k, latent_of_board(0.5, rates)))
    assert 1.4 - 2 * both == pytest.approx(float(stats.psi_from_rho(*rates, 0.5)), abs=1e-8)


def test_correlations_of_a_board_have_the_mean() -> None:
    rates = np.array([0.9, 0.7, 0.5, 0.45])
    latent = latent_of_board(0.4, rates)
    first, second = (rates[k] for k in np.triu_indices(4, 1))
    both = orthant(st.norm.ppf(first), st.norm.ppf(second), latent)
    sd = np.sqrt(first * (1 - first) * second * (1 - second))
    assert ((both - first * second) / sd).mean() == pytest.approx(0.4, abs=1e-8)
    assert latent_of_board(0.0, rates) == 0
    assert latent_of_board(1.0, [0.7, 0.7]) == 1
    with pytest.raises(InfeasibleError, match="whose correlation is at most"):
        latent_of_board(0.8, rates)


def test_differences_of_a_cluster_correlate_as_a_plan_has_it() -> None:
    rng = np.random.Generator(np.random.PCG64(2))
    given: dict[str, Any] = {"rates": (0.8, 0.6), "rho": 0.3, "clusters": 10, "icc": 0.3}
    leads = SCENARIOS["board"](rng, 1500, 20, **given).tests.leads[:, 0]
    alone = 20 * (float(stats.psi_from_rho(0.8, 0.6, 0.3)) - 0.04)
    assert leads.var() / alone == pytest.approx(1.3, abs=0.14)
    assert latent_icc_of_board(0.1, [0.7] * 3, 1.0) == 0
    with pytest.raises(InfeasibleError, match=r"icc = 0\.9 is impossible"):
        latent_icc_of_board(0.9, [0.7] * 3, 0.7)


def test_normals_themselves_need_no_conversion() -> None:
    for rho in (-0.7, 0.0, 0.3, 1.0):
        assert latent_rho(rho, lambda latent: latent) == pytest.approx(rho, abs=1e-12)
    with pytest.raises(InfeasibleError, match=r"is at least -0\.5"):
        latent_rho(-0.6, lambda latent: latent / 2)
