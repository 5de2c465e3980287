"""Chances of a gate before it is run, against an enumeration through the gate itself."""

import math

import pytest

from helpers.comparisons import cells
from nstar import PairedPsi, PairedRho, gate, stats
from nstar._verbs.gate import chances, gate_feasibility
from nstar.errors import ParameterError


def brute(n: int, psi: float, delta: float, margin: float) -> tuple[float, float]:
    """Every table of n items, judged."""
    won, lost = (psi + delta) / 2, (psi - delta) / 2
    passes = regression = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            same = n - b - c
            ways = math.lgamma(n + 1) - sum(math.lgamma(k + 1) for k in (b, c, same))
            weight = math.exp(ways) * won**b * lost**c * (1 - psi) ** same
            answer = gate(*cells(same, b, c, 0), margin=margin).verdict
            passes += weight * (answer == "pass")
            regression += weight * (answer == "regression")
    return passes, regression


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("n", "psi", "delta", "margin"), [(16, 0.5, 0.1, 0.3), (20, 0.9, -0.3, 0.25)]
)
def test_chances_are_those_of_the_gate(n: int, psi: float, delta: float, margin: float) -> None:
    at = chances(n, psi=psi, delta=delta, margin=margin)
    assert (at.pass_probability, at.regression_probability) == pytest.approx(
        brute(n, psi, delta, margin), abs=1e-12
    )
    assert (
        at.pass_probability + at.regression_probability + at.inconclusive_probability
        == pytest.approx(1)
    )


@pytest.mark.parametrize("delta", [0.0, -0.02, -0.04])
def test_chance_of_a_pass_is_the_power_of_tango(delta: float) -> None:
    power = stats.equivalence_exact_power(0.02, psi=0.1, n=700, delta=delta, sides=1)
    assert chances(700, psi=0.1, delta=delta, margin=0.02).pass_probability == pytest.approx(
        power, abs=1e-9
    )


def test_edges() -> None:
    everything = chances(50, psi=1.0, delta=-1.0, margin=0.1)
    assert (everything.pass_probability, everything.regression_probability) == (0.0, 1.0)
    assert chances(50, psi=1.0, delta=1.0, margin=0.1).pass_probability == 1.0
    with pytest.raises(ParameterError, match="psi of at least"):
        chances(50, psi=0.1, delta=-0.2, margin=0.1)


def test_outlook() -> None:
    plan = gate_feasibility(7000, margin=0.01, noise=PairedPsi(psi=0.1))
    assert plan.is_sufficient
    assert chances(int(plan.n_star), psi=0.1, delta=0.0, margin=0.01).pass_probability >= 0.8
    small = gate_feasibility(100, margin=0.01, noise=PairedRho(baseline=0.7, rho=0.6))
    assert (small.can_pass, small.identical_scores_pass, small.is_sufficient) == (
        True,
        False,
        False,
    )
    assert 0 < small.scenarios[0].pass_probability < 0.2
    assert "unlikely" in str(small)
    none = gate_feasibility(2, margin=0.01, noise=PairedPsi(psi=0.1))
    assert (none.can_pass, none.scenarios[0].pass_probability) == (False, 0.0)
    assert "PASS is impossible" in str(none)
    some = gate_feasibility(2000, margin=0.01, noise=PairedPsi(psi=0.1))
    assert (some.can_pass, some.is_sufficient) == (True, False)
    assert "PASS is unlikely: an equal model passes 41% of the time" in " ".join(str(some).split())


def test_a_loss_that_cannot_be_is_left_out() -> None:
    plan = gate_feasibility(500, margin=0.05, noise=PairedPsi(psi=0.06))
    assert [round(c.delta, 3) for c in plan.scenarios] == [0.0, -0.025, -0.05]
    assert "A loss of twice the margin is impossible" in str(plan)


def test_false_pass_at_the_smallest_size() -> None:
    """The worst of docs/gate.md: no item won, and by luck none lost."""
    at = {
        n: chances(n, psi=0.05, delta=-0.05, margin=0.05).pass_probability for n in range(50, 60)
    }
    assert at[51] == 0.0
    assert at[52] == pytest.approx(0.95**52)
    assert max(at.values()) == at[52] < 0.07
