"""How a test that is looked at after every item ends: by reflection, exact laws, simulation."""

import numpy as np
import pytest
from scipy import special

from nstar.errors import ParameterError
from nstar.stats import e_process_power, tuned_beta
from nstar.stats._stopping import LAG, _jacobi, _reached, asymptotic_stopping, betting_stopping
from nstar.stats.eprocess_plan import e_process_stopping


@pytest.mark.parametrize("slope", [0.0, 0.7, -0.7, 3.0])
def test_passage_over_a_straight_line_is_that_of_bachelier_and_levy(slope: float) -> None:
    t, start = np.linspace(0, 2, 401)[1:], 1.3
    line = start + slope * t
    want = special.ndtr(-line / np.sqrt(t)) + np.exp(-2 * slope * start) * special.ndtr(
        (-start + slope * t) / np.sqrt(t)
    )
    clock = np.append(0.0, t)
    found = _reached(clock, start + slope * clock)
    assert found[1:] == pytest.approx(want, abs=2e-4)


def test_passage_from_a_later_start_by_conditioning() -> None:
    """First look at 1: already there, or a level that is reflected from where the motion is."""
    level, clock = 1.5, 1 + np.square(np.linspace(0, 1, 301))
    x = np.linspace(-8, level, 20_001)
    middle = 0.5 * (x[1:] + x[:-1])
    density = np.exp(-0.5 * middle**2) / np.sqrt(2 * np.pi)
    later = 2 * special.ndtr(-(level - middle))
    want = special.ndtr(-level) + float((density * later) @ np.diff(x))
    assert _reached(clock, np.full(301, level), level)[-1] == pytest.approx(want, abs=2e-4)


def test_the_lag_is_that_of_zeta() -> None:
    zeta_half = -1.4603545088095868
    assert pytest.approx(-zeta_half / np.sqrt(2 * np.pi), abs=5e-5) == LAG


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.2), (1.0, 1.0), (0.4, 1.6), (3.0, 5.0), (2e3, 1e3)])
def test_values_of_a_beta_law(a: float, b: float) -> None:
    nodes, weights = _jacobi(a, b)
    want, share = special.roots_jacobi(len(nodes), a - 1, b - 1)
    assert nodes == pytest.approx(want, abs=1e-12)
    assert weights == pytest.approx(share / share.sum(), abs=1e-12)


def test_e_process_stopping_is_its_power_and_mean() -> None:
    power, mean = e_process_stopping(0.05, psi=0.2, n=1018)
    assert power == e_process_power(0.05, psi=0.2, n=1018)
    assert mean == pytest.approx(627.3, abs=0.1)
    assert e_process_stopping(-0.05, psi=0.2, n=1018) == pytest.approx((power, mean))


def test_a_large_e_process_has_a_normal_limit() -> None:
    psi, n = 0.25, 20_000
    a = float(tuned_beta(psi * n))
    for delta in (0.0, 0.0126, 0.019):
        exact = e_process_stopping(delta, psi=psi, n=n, a=a)
        limit = asymptotic_stopping(delta, sigma=np.sqrt(psi), n=n)
        assert limit.power == pytest.approx(exact.power, abs=1.5e-3)
        assert limit.mean == pytest.approx(exact.mean, rel=2.5e-3)


def simulated_sequence(delta: float, n: int, runs: int, seed: int) -> tuple[float, float]:
    """Normal differences of sd 1, every prefix from item 30 on, sd estimated."""
    d = np.random.default_rng(seed).standard_normal((runs, n)) + delta
    t = np.arange(1, n + 1)
    total, squares = np.cumsum(d, axis=1), np.cumsum(d * d, axis=1)
    sd = np.sqrt(np.maximum(squares - total**2 / t, 0) / np.maximum(t - 1, 1))
    rho2 = 8.212 / n
    edge = np.sqrt((t * rho2 + 1) / rho2 * np.log((t * rho2 + 1) / 0.05**2))
    hit = (np.abs(total) >= sd * edge) & (t >= 30)
    stop = np.where(hit.any(axis=1), np.argmax(hit, axis=1) + 1, n)
    return float(hit.any(axis=1).mean()), float(stop.mean())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n", "delta"), [(150, 0.3), (500, 0.16), (500, 0.24), (800, 0.0)])
def test_asymptotic_by_simulation(n: int, delta: float) -> None:
    found = asymptotic_stopping(delta, sigma=1.0, n=n)
    power, mean = simulated_sequence(delta, n, 12_000, seed=n)
    assert found.power == pytest.approx(power, abs=0.015)
    assert found.mean == pytest.approx(mean, rel=0.02)


def simulated_bets(x: np.ndarray) -> tuple[float, float]:
    """Hedged capital as Waudby-Smith and Ramdas have it, item by item; x in [0, 1]."""
    runs, n = x.shape
    total, squares, up, down = (np.zeros(runs) for _ in range(4))
    stop, aim = np.full(runs, n), np.log(2 / 0.05)
    ended = np.zeros(runs, dtype=bool)
    for t in range(1, n + 1):
        stake = np.sqrt(2 * aim / ((0.25 + squares) / t * t * np.log(t + 1)))
        bet = np.minimum(stake, 1.0) * (x[:, t - 1] - 0.5)
        up, down = up + np.log1p(bet), down + np.log1p(-bet)
        now = ~ended & (np.maximum(up, down) >= aim)
        stop[now], ended = t, ended | now
        total += x[:, t - 1]
        squares += (x[:, t - 1] - (0.5 + total) / (t + 1)) ** 2
    return float(ended.mean()), float(stop.mean())


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("sigma", "delta", "n"),
    [(0.3, 0.05, 545), (0.3, 0.1, 300), (0.12, 0.02, 625), (0.5, 0.1, 408)],
)
def test_bets_on_graded_scores_by_simulation(sigma: float, delta: float, n: int) -> None:
    size = (1 - delta**2) / sigma**2 - 1
    rng = np.random.default_rng(5)
    x = rng.beta(size * (1 + delta) / 2, size * (1 - delta) / 2, (8_000, n))
    power, mean = simulated_bets(x)
    found = betting_stopping(delta, sigma=sigma, n=n)
    assert found.power == pytest.approx(power, abs=0.018)
    assert found.mean == pytest.approx(mean, rel=0.02)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("psi", "delta", "n"), [(0.3, 0.1, 509), (0.3, 0.0, 509), (1.0, 0.3, 150)]
)
def test_bets_on_binary_scores_by_simulation(psi: float, delta: float, n: int) -> None:
    u = np.random.default_rng(6).random((8_000, n))
    x = 0.5 + 0.5 * (u < (psi + delta) / 2) - 0.5 * (u > 1 - (psi - delta) / 2)
    power, mean = simulated_bets(x)
    found = betting_stopping(delta, psi=psi, n=n)
    assert found.power == pytest.approx(power, abs=0.018)
    assert found.mean == pytest.approx(mean, rel=0.02)


def test_more_items_and_larger_gaps_find_more() -> None:
    powers = [asymptotic_stopping(0.2, sigma=1.0, n=n).power for n in (30, 31, 60, 200, 10**6)]
    assert powers == sorted(powers)
    assert powers[-1] == pytest.approx(1.0)
    gaps = [betting_stopping(d, sigma=0.3, n=400) for d in (0.0, 0.02, 0.05, 0.2, 0.5)]
    assert [g.power for g in gaps] == sorted(g.power for g in gaps)
    assert [g.mean for g in gaps] == sorted((g.mean for g in gaps), reverse=True)


def test_equal_models_are_called_different_by_alpha_at_most() -> None:
    for n in (100, 10**6, 10**15):
        for found in (
            betting_stopping(0.0, sigma=0.3, n=n),
            betting_stopping(0.0, psi=0.2, n=n),
            asymptotic_stopping(0.0, sigma=0.3, n=n),
        ):
            assert found.power <= 0.05
            assert 0.94 * n < found.mean <= n


def test_edges() -> None:
    assert asymptotic_stopping(5.0, sigma=1.0, n=30) == pytest.approx((1.0, 30.0))
    assert asymptotic_stopping(-0.2, sigma=1.0, n=90) == asymptotic_stopping(0.2, sigma=1.0, n=90)
    certain = betting_stopping(1.0, psi=1.0, n=50)
    assert certain.power == pytest.approx(1.0)
    assert certain.mean == pytest.approx(10, abs=1)
    assert betting_stopping(0.2, psi=0.4, n=1) == pytest.approx((0.0, 1.0))


@pytest.mark.parametrize(
    "arguments",
    [
        {"sigma": 0.3, "psi": 0.2, "n": 100},
        {"n": 100},
        {"sigma": 0.3, "n": 0},
        {"psi": 0.02, "n": 100},
        {"psi": 1.2, "n": 100},
        {"sigma": 1.0, "n": 100},
        {"sigma": 0.0, "n": 100},
        {"sigma": 0.3, "n": 100, "alpha": 1.0},
    ],
)
def test_bets_that_cannot_be(arguments: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        betting_stopping(0.05, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [29, 0])
def test_nothing_before_item_thirty(n: int) -> None:
    with pytest.raises(ParameterError, match="at least 30"):
        asymptotic_stopping(0.1, sigma=1.0, n=n)
