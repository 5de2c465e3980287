"""Sequential tests looked at after every item: simulated error rates against published ones.

Type I error by exact dynamic programming is in ``test_golden.py``. The slow test has 20,000 null
evaluations for each method; the quick ones use the replications of the published figures.
"""

from collections.abc import Iterator

import numpy as np
import pytest

from nstar import stats
from nstar._base.types import Array, BoolArray

ALPHA = 0.05
LOG_LIMIT = -np.log(ALPHA)


def paths(
    replications: int, items: int, delta: float, psi: float = 0.2, seed: int = 5
) -> Iterator[Array]:
    """Differences of 0/1 scores, a few hundred evaluations at a time."""
    rng = np.random.default_rng(seed)
    win, lose = (psi + delta) / 2, (psi - delta) / 2
    block = min(replications, 500)
    for _ in range(replications // block):
        u = rng.random((block, items))
        yield (u < win).astype(float) - (u > 1 - lose)


def graded(replications: int, items: int, delta: float, seed: int = 9) -> Iterator[Array]:
    rng = np.random.default_rng(seed)
    for _ in range(replications // 500):
        yield np.clip(delta + 0.2 * rng.standard_normal((500, items)), -1, 1)


def e_process_crosses(d: Array) -> BoolArray:
    leads = stats.e_process_leads(d.shape[1], ALPHA)
    lead = np.abs(np.cumsum(d, axis=1))
    return np.asarray(lead >= leads[np.cumsum(d != 0, axis=1)])


def sequence_crosses(d: Array, first: int, tuned_at: float) -> BoolArray:
    t = np.arange(1, d.shape[1] + 1)
    mean = np.cumsum(d, axis=1) / t
    sd = np.sqrt(np.maximum(np.cumsum(d * d, axis=1) / t - mean**2, 0) * t / np.maximum(t - 1, 1))
    log_e = stats.asymptotic_log_e(mean, sd, t, tuned_at=tuned_at, alpha=ALPHA)
    return np.asarray((log_e >= LOG_LIMIT) & (t >= first))


def naive_crosses(d: Array) -> BoolArray:
    met = np.cumsum(d != 0, axis=1)
    lead = np.abs(np.cumsum(d, axis=1))
    return np.asarray(lead >= np.maximum(stats.z_alpha(ALPHA) * np.sqrt(met), 1))


def bets_cross(d: Array) -> BoolArray:
    """Hedged capital against a mean of 0, all evaluations at once."""
    x, t = (d + 1) / 2, np.arange(1.0, d.shape[1] + 1)
    mean = (0.5 + np.cumsum(x, axis=1)) / (t + 1)
    after = (0.25 + np.cumsum((x - mean) ** 2, axis=1)) / (t + 1)
    variance = np.concatenate([np.full((len(d), 1), 0.25), after[:, :-1]], axis=1)
    stake = np.minimum(np.sqrt(2 * np.log(2 / ALPHA) / (variance * t * np.log(t + 1))), 1.0)
    both = [np.cumsum(np.log1p(side * stake * (x - 0.5)), axis=1) for side in (1, -1)]
    return np.asarray(np.maximum(*both) - np.log(2) >= LOG_LIMIT)


def reach(crosses: BoolArray, share: float) -> int:
    """Items after which the wanted share has crossed."""
    by = np.maximum.accumulate(crosses, axis=1).mean(axis=0)
    return int(np.argmax(by >= share)) + 1


def test_the_vectorized_bets_are_those_of_the_kernel() -> None:
    d = next(graded(500, 80, 0.05))[:20]
    want = [stats.betting_log_e(row) >= LOG_LIMIT for row in d]
    assert np.array_equal(bets_cross(d), want)


def test_type_one_error_of_looking_after_every_item() -> None:
    found = dict.fromkeys(("eprocess", "asympCS", "every", "fixed", "ten", "five"), 0.0)
    for d in paths(6000, 2000, 0.0):
        naive = naive_crosses(d)
        found["eprocess"] += e_process_crosses(d).any(axis=1).sum() / 6000
        found["asympCS"] += sequence_crosses(d, 50, 2000).any(axis=1).sum() / 6000
        found["every"] += naive[:, 49:].any(axis=1).sum() / 6000
        found["fixed"] += naive[:, -1].sum() / 6000
        found["ten"] += naive[:, 199::200].any(axis=1).sum() / 6000
        found["five"] += naive[:, 399::400].any(axis=1).sum() / 6000
    want = {
        "eprocess": 0.0342,
        "asympCS": 0.0177,
        "every": 0.404,
        "fixed": 0.049,
        "ten": 0.191,
        "five": 0.142,
    }
    assert found == pytest.approx(want, abs=0.016)


def test_power_of_looking_after_every_item() -> None:
    found = {"eprocess": 0.0, "asympCS": 0.0}
    for d in paths(4000, 2000, 0.05):
        found["eprocess"] += e_process_crosses(d).any(axis=1).sum() / 4000
        found["asympCS"] += sequence_crosses(d, 50, 2000).any(axis=1).sum() / 4000
    assert found == pytest.approx({"eprocess": 0.965, "asympCS": 0.986}, abs=0.015)


def test_type_one_error_of_bets() -> None:
    hedged = asymptotic = 0.0
    for d in graded(3000, 1400, 0.0):
        hedged += bets_cross(d).any(axis=1).sum() / 3000
        asymptotic += sequence_crosses(d, 30, 1.6 * 349).any(axis=1).sum() / 3000
    assert hedged == pytest.approx(0.0137, abs=0.01)
    assert asymptotic == pytest.approx(0.027, abs=0.01)


def test_items_until_graded_scores_are_told_apart() -> None:
    d = np.concatenate(list(graded(3000, 1000, 0.03)))
    fixed = float(stats.normal_n_star(0.03, sigma=0.2))
    assert fixed == pytest.approx(348.839, abs=0.001)
    assert reach(bets_cross(d), 0.8) == pytest.approx(660, abs=25)
    assert reach(sequence_crosses(d, 30, 1.6 * fixed), 0.8) == pytest.approx(564, abs=25)


@pytest.mark.parametrize(
    ("sd", "gap", "multiple"), [(0.4, 0.08, 1.85), (0.1, 0.04, 4.5), (0.05, 0.02, 8.5)]
)
def test_bets_cost_most_where_differences_are_small(
    sd: float, gap: float, multiple: float
) -> None:
    """Multiples of the fixed N* for 80% power, as docs/methods/planning.md tells them."""
    fixed = float(stats.normal_n_star(gap, sigma=sd))
    rng = np.random.default_rng(11)
    d = np.clip(gap + sd * rng.standard_normal((1000, int(10 * fixed) + 100)), -1, 1)
    assert reach(bets_cross(d), 0.8) / fixed == pytest.approx(multiple, rel=0.06)


@pytest.mark.slow
def test_twenty_thousand_null_evaluations_looked_at_after_every_item() -> None:
    counts = {"e-process": 0, "asymptotic": 0, "bets": 0}
    for d in paths(20_000, 1000, 0.0, seed=1):
        counts["e-process"] += int(e_process_crosses(d).any(axis=1).sum())
    for d in graded(20_000, 1000, 0.0, seed=2):
        counts["asymptotic"] += int(sequence_crosses(d, 30, 1000).any(axis=1).sum())
        counts["bets"] += int(bets_cross(d).any(axis=1).sum())
    rates = {name: count / 20_000 for name, count in counts.items()}
    print(rates)  # noqa: T201
    assert all(rate <= ALPHA for rate in rates.values())


@pytest.mark.parametrize(
    "reps", [200, pytest.param(1000, marks=pytest.mark.slow)], ids=["fast", "full"]
)
@pytest.mark.parametrize(
    ("delta", "equivalent", "noninferior"),
    [(-0.03, (0, 0.05), (0, 0.05)), (0.03, (0, 0.05), (0.9, 1)), (0.0, (0.5, 1), (0.7, 1))],
)
def test_margins_looked_at_again_and_again(
    delta: float, equivalent: tuple[float, float], noninferior: tuple[float, float], reps: int
) -> None:
    """At both edges of a margin of 3 points, and between: every 50 of 3,000 items."""
    shown, one = [], []
    for d in paths(reps, 3000, delta, psi=0.1, seed=3):
        at = slice(49, None, 50)
        n = np.arange(1, d.shape[1] + 1)[at]
        b, c = np.cumsum(d > 0, axis=1)[:, at], np.cumsum(d < 0, axis=1)[:, at]
        a = float(stats.tuned_beta(150))
        low = stats.noninferiority_log_e(b, c, n, margin=0.03, a=a)
        both = stats.equivalence_log_e(b, c, n, margin=0.03, a=a)
        shown.append((both >= LOG_LIMIT).any(axis=1).mean())
        one.append((low >= LOG_LIMIT).any(axis=1).mean())
    print(delta, np.mean(shown), np.mean(one))  # noqa: T201
    assert equivalent[0] <= np.mean(shown) <= equivalent[1]
    assert noninferior[0] <= np.mean(one) <= noninferior[1]
