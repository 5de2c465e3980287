"""The horizon that a plan prints, run: power and items on average by simulation.

Every evaluation is looked at after every item with the kernel's own evidence, as a watch would;
only the plan is under test.
"""

from collections.abc import Callable

import numpy as np
import pytest

from nstar import Graded, PairedPsi, SequentialPlan, stats
from nstar._base.types import Array, BoolArray
from nstar._verbs.plan.sequential import plan_sequential

LIMIT = np.log(20)
RUNS = 20_000


def beta(delta: float, sigma: float, n: int, rng: np.random.Generator) -> Array:
    """Differences in [-1, 1] with a Beta law."""
    size = (1 - delta**2) / sigma**2 - 1
    return 2 * rng.beta(size * (1 + delta) / 2, size * (1 - delta) / 2, (500, n)) - 1


def binary(delta: float, psi: float, n: int, rng: np.random.Generator) -> Array:
    """Differences of 0/1 scores."""
    u = rng.random((500, n))
    return (u < (psi + delta) / 2).astype(float) - (u > 1 - (psi - delta) / 2)


def e_process(d: Array, plan: SequentialPlan) -> BoolArray:
    assert plan.mixture is not None
    leads = stats.e_process_leads(d.shape[1], a=plan.mixture)
    return np.asarray(np.abs(np.cumsum(d, axis=1)) >= leads[np.cumsum(d != 0, axis=1)])


def asymptotic(d: Array, plan: SequentialPlan) -> BoolArray:
    t = np.arange(1.0, d.shape[1] + 1)
    mean = np.cumsum(d, axis=1) / t
    spread = np.maximum(np.cumsum(d * d, axis=1) - t * mean**2, 0) / np.maximum(t - 1, 1)
    log_e = stats.asymptotic_log_e(mean, np.sqrt(spread), t, tuned_at=plan.n_items_max)
    return np.asarray(log_e >= LIMIT)


def bets(d: Array, plan: SequentialPlan) -> BoolArray:
    del plan
    return np.array([stats.betting_log_e(path) >= LIMIT for path in d])


def run(
    plan: SequentialPlan,
    draw: Callable[[int, np.random.Generator], Array],
    shows: Callable[[Array, SequentialPlan], BoolArray],
) -> tuple[float, float]:
    rng, found, items = np.random.default_rng(11), 0, 0
    for _ in range(RUNS // 500):
        hit = shows(draw(plan.n_items_max, rng), plan)
        ever = hit.any(axis=1)
        found += int(ever.sum())
        items += int(np.where(ever, np.argmax(hit, axis=1) + 1, plan.n_items_max).sum())
    return found / RUNS, items / RUNS


def averages(plan: SequentialPlan) -> tuple[tuple[float, float | None], ...]:
    row = plan.scenario
    return (
        (0.0, row.mean_at_zero),
        (1.0, row.mean_at_delta),
        (1.5, row.mean_at_1_5_delta),
        (2.0, row.mean_at_2_delta),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("psi", "delta"), [(0.2, 0.05), (0.3, 0.1)])
def test_e_process(psi: float, delta: float) -> None:
    plan = plan_sequential(PairedPsi(psi=psi), "e-process", delta=delta)
    for multiple, want in averages(plan):
        gap = multiple * delta
        power, mean = run(plan, lambda n, rng, g=gap: binary(g, psi, n, rng), e_process)  # type: ignore[misc]
        assert mean == pytest.approx(want, rel=0.01)
        if multiple == 1:
            assert power == pytest.approx(0.8, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "delta"), [(0.3, 0.05), (0.12, 0.02), (0.5, 0.1)])
@pytest.mark.parametrize(("method", "shows"), [("asymptotic", asymptotic), ("bets", bets)])
def test_graded(
    sigma: float,
    delta: float,
    method: str,
    shows: Callable[[Array, SequentialPlan], BoolArray],
) -> None:
    plan = plan_sequential(Graded(sd=sigma), method, delta=delta)  # type: ignore[arg-type]
    for multiple, want in averages(plan):
        gap = multiple * delta
        power, mean = run(plan, lambda n, rng, g=gap: beta(g, sigma, n, rng), shows)  # type: ignore[misc]
        assert mean == pytest.approx(want, rel=0.02 if sigma < 0.5 else 0.03)
        if multiple == 1:
            assert power == pytest.approx(0.8, abs=0.012)


@pytest.mark.slow
def test_bets_on_binary_scores() -> None:
    plan = plan_sequential(PairedPsi(psi=0.3), "bets", delta=0.1)
    for multiple, want in averages(plan):
        gap = multiple * 0.1
        power, mean = run(plan, lambda n, rng, g=gap: binary(g, 0.3, n, rng), bets)  # type: ignore[misc]
        assert mean == pytest.approx(want, rel=0.02)
        if multiple == 1:
            assert power == pytest.approx(0.8, abs=0.012)
