"""Many models: choosing the best, a control, and whose power it is."""

import numpy as np
import pytest

from nstar import Design, Graded, PairedRho, stats
from nstar._verbs.plan import plan
from nstar._verbs.plan.design import GOALS
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError

RHO = PairedRho(baseline=0.7, rho=0.5)


def test_items_of_the_published_example() -> None:
    """p = 0.7, rho = 0.5, two points, variance at equal accuracies: 3,067 to choose of ten."""
    flat = Graded(sd=float(np.sqrt(0.21)))
    best = plan(Design(noise=flat, models=10, goal="best"), delta=0.02)
    assert best.n_star == 3068
    more = 7  # items that t with N - 1 degrees of freedom takes beyond z, c (c + z_b) / 2
    assert 8422 <= (best.n_items_all_pairs or 0) <= 8422 + more
    control = plan(Design(noise=flat, models=10, goal="control"), delta=0.02)
    assert 6534 <= (control.n_star or 0) <= 6534 + more


def test_lead_items_and_probability_agree() -> None:
    design = Design(noise=RHO, models=10, goal="best")
    found = plan(design, delta=0.02)
    assert found.power == 0.95
    again = plan(design, items=int(found.n_star or 0))
    assert again.mde == pytest.approx(0.02, rel=1e-3)
    assert again.mde_loss is None
    both = plan(design, items=int(found.n_star or 0), delta=0.02)
    assert both.power == pytest.approx(0.95, abs=1e-3)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("goal", ["all-pairs", "control", "adjacent"])
def test_every_comparison(goal: str) -> None:
    """What ``every`` asks for is what the other plan says of all comparisons at once."""
    each = Design(noise=RHO, models=6, goal=goal)  # type: ignore[arg-type]
    every = Design(noise=RHO, models=6, goal=goal, joint=True)  # type: ignore[arg-type]
    found = plan(every, delta=0.02)
    assert (found.n_star or 0) > (plan(each, delta=0.02).n_star or 0)
    at = int(found.n_star or 0)
    assert plan(each, delta=0.02, items=at).power_all == pytest.approx(0.8, abs=2e-3)
    assert plan(every, delta=0.02, items=at).power == pytest.approx(0.8, abs=2e-3)


def test_every_model_against_a_control_simulated() -> None:
    k, sd, delta = 5, 0.5, 0.05
    found = plan(Design(noise=Graded(sd=sd), models=k, goal="control"), delta=delta)
    n = found.n_star or 0
    rng = np.random.default_rng(5)
    means = rng.normal(0, sd / np.sqrt(2 * n), (50_000, k))
    gaps = means[:, 1:] - means[:, :1] + delta
    c = float(stats.dunnett_critical(k - 1))
    seen = float((gaps * np.sqrt(n) / sd > c).all(axis=1).mean())
    assert seen == pytest.approx(found.power_all, abs=0.012)


def test_one_within_the_gap_is_chosen_when_the_best_leads_by_less() -> None:
    """The promise beside the headline: whoever is chosen is within the gap of the best."""
    k, sd, delta = 6, 0.5, 0.04
    n = plan(Design(noise=Graded(sd=sd), models=k, goal="best"), delta=delta).n_star or 0
    rng = np.random.default_rng(6)
    for truth in (
        [0.0] * 6,
        [0.0, 0.01, 0.02, 0.03, 0.039, -0.01],
        [0.04, 0.001, 0, 0, 0, 0],
        [0.041, 0.04, 0.0, 0.0, 0.0, 0.0],
    ):
        means = np.asarray(truth) + rng.normal(0, sd / np.sqrt(2 * n), (20_000, k))
        chosen = np.asarray(truth)[means.argmax(axis=1)]
        good = float((chosen >= max(truth) - delta + 1e-12).mean())
        assert good > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 20_000), truth


def test_fixed_clusters_have_a_floor() -> None:
    design = Design(noise=RHO, models=10, goal="best", icc=0.02, clusters=30)
    found = plan(design, delta=0.02)
    assert found.n_star == np.inf
    assert found.mde_floor is not None
    assert found.mde_floor > 0.02
    assert plan(design, delta=2 * found.mde_floor).n_star < np.inf  # type: ignore[operator]


def test_two_models_are_one_comparison_whatever_the_goal() -> None:
    found = {
        goal: plan(Design(noise=RHO, goal=goal), delta=0.02).n_star
        for goal in GOALS
        if goal != "best"
    }
    assert len(set(found.values())) == 1


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="a single decision"):
        Design(noise=RHO, models=3, goal="best", joint=True)
    with pytest.raises(ParameterError, match="goal must be one of"):
        Design(noise=RHO, models=3, goal="worst")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="positive"):
        plan(Design(noise=RHO, models=3, goal="best"), delta=-0.02)


def test_one_sided_against_a_control_is_cheaper() -> None:
    design = Design(noise=RHO, models=6, goal="control")
    one = plan(design, delta=0.02, criteria=Criteria(alternative="greater"))
    two = plan(design, delta=0.02)
    assert one.critical_value == pytest.approx(float(stats.dunnett_critical(5, sides=1)))
    assert (one.n_star or 0) < (two.n_star or 0)
