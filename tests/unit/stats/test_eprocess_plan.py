"""Planning an e-process: against enumeration of all paths and simulation."""

from itertools import product

import numpy as np
import pytest

from nstar.errors import ParameterError
from nstar.stats.eprocess import mcnemar_log_e
from nstar.stats.eprocess_plan import e_process_crossing, e_process_horizon, e_process_power


def crosses_at(path: tuple[int, ...], a: float, alpha: float) -> int:
    b, c = np.cumsum(np.array(path) > 0), np.cumsum(np.array(path) < 0)
    hit = mcnemar_log_e(b, c, a=a) >= -np.log(alpha) - 1e-12
    return int(np.argmax(hit)) + 1 if hit.any() else len(path) + 1


@pytest.mark.parametrize(("a", "alpha"), [(0.5, 0.05), (2.0, 0.1)])
def test_all_paths_of_thirteen_discordant_items(a: float, alpha: float) -> None:
    theta, most = 0.7, 13
    want = np.zeros(most + 1)
    for path in product((1, -1), repeat=most):
        wins = sum(step > 0 for step in path)
        want[crosses_at(path, a, alpha) :] += theta**wins * (1 - theta) ** (most - wins)
    found = e_process_crossing(most, theta=theta, alpha=alpha, a=a)
    assert found == pytest.approx(want, abs=1e-12)


def test_all_paths_of_eight_items() -> None:
    psi, delta, n = 0.9, 0.7, 8
    law = {1: (psi + delta) / 2, 0: 1 - psi, -1: (psi - delta) / 2}
    power = 0.0
    for path in product(law, repeat=n):
        if crosses_at(path, 0.5, 0.05) <= n:
            power += float(np.prod([law[step] for step in path]))
    assert e_process_power(delta, psi=psi, n=n, a=0.5) == pytest.approx(power, abs=1e-12)


def test_horizon_by_simulation() -> None:
    psi, delta = 0.4, 0.2
    plan = e_process_horizon(delta, psi=psi)
    rng = np.random.default_rng(3)
    u = rng.random((20_000, plan.n))
    d = (u < (psi + delta) / 2).astype(int) - (u > 1 - (psi - delta) / 2)
    b, c = np.cumsum(d > 0, axis=1), np.cumsum(d < 0, axis=1)
    hit = mcnemar_log_e(b, c, a=plan.a) >= np.log(20) - 1e-12
    stop = np.where(hit.any(axis=1), np.argmax(hit, axis=1) + 1, plan.n)
    assert hit.any(axis=1).mean() == pytest.approx(0.8, abs=0.01)
    assert stop.mean() == pytest.approx(plan.mean_stop, abs=0.6)
    assert e_process_power(delta, psi=psi, n=plan.n, a=plan.a) >= 0.8
    assert e_process_power(delta, psi=psi, n=plan.n - 1, a=plan.a) < 0.8


def test_tuned_mixtures_cost_little() -> None:
    for psi, delta in ((0.2, 0.05), (0.2, 0.02), (0.3, 0.1)):
        plan = e_process_horizon(delta, psi=psi)
        assert 1.60 < plan.inflation < 1.65
        assert plan.mean_stop / (plan.n / plan.inflation) == pytest.approx(1.0, abs=0.04)
        assert plan.mean_stop < plan.mean_stop_null < plan.n


def test_type_one_error_by_items() -> None:
    """All discordant: as by discordant items; a fifth: as 6,000 simulated evaluations had it."""
    by_discordant = e_process_crossing(500)[-1]
    assert e_process_power(0.0, psi=1.0, n=500, a=0.5) == pytest.approx(by_discordant, abs=1e-12)
    assert e_process_power(0.0, psi=0.2, n=2000, a=0.5) == pytest.approx(0.0342, abs=0.007)


def test_edges() -> None:
    certain = e_process_horizon(0.3, psi=0.3)
    assert certain.n < 40
    assert e_process_horizon(0.5, psi=1.0).n < 60
    assert e_process_horizon(-0.05, psi=0.2, a=5) == e_process_horizon(0.05, psi=0.2, a=5)
    assert e_process_crossing(0).tolist() == [0.0]
    assert e_process_crossing(6).tolist() == [0.0] * 7


@pytest.mark.parametrize(
    "arguments",
    [
        {"delta": 0.0, "psi": 0.2},
        {"delta": 0.3, "psi": 0.2},
        {"delta": 0.1, "psi": 1.2},
        {"delta": 0.1, "psi": 0.2, "power": 1.0},
        {"delta": 0.1, "psi": 0.2, "a": 0.0},
        {"delta": 0.0005, "psi": 0.2},
    ],
)
def test_plans_that_are_none(arguments: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        e_process_horizon(**arguments)
