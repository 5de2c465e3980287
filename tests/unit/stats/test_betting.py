"""Bets on bounded differences: mean capital by enumeration, states, coverage."""

import json
from itertools import product

import numpy as np
import pytest

from nstar.errors import ParameterError
from nstar.stats.betting import Bets, bernstein_sequence, betting_log_e, betting_sequence


def drawn(n: int, mean: float, seed: int = 1) -> list[float]:
    rng = np.random.default_rng(seed)
    return list(np.clip(rng.normal(mean, 0.25, n), -1, 1))


def after(d: list[float], **start: object) -> Bets:
    state = Bets(**start)  # type: ignore[arg-type]
    for value in d:
        state = state.update(value)
    return state


@pytest.mark.parametrize("null", [0.0, -0.2, 0.55])
def test_capital_has_mean_one_at_the_true_mean(null: float) -> None:
    """All outcomes of five items with four values; each direction on its own."""
    values = np.array([-1.0, 0.25, 1.0, 0.0])
    chances = np.array([0.1, 0.2, null + 0.05, 0.65 - null])
    if null < 0:
        values, chances = -values, np.array([0.1, 0.2, 0.05 - null, 0.65 + null])
    assert values @ chances == pytest.approx(null)
    above = below = 0.0
    for path in product(range(4), repeat=5):
        state = after([float(values[i]) for i in path], nulls=(null,))
        weight = float(np.prod(chances[list(path)]))
        above += weight * np.exp(state.log_above[0])
        below += weight * np.exp(state.log_below[0])
    assert (above, below) == pytest.approx((1.0, 1.0), abs=1e-12)


def test_state_follows_the_path() -> None:
    d = drawn(60, 0.1)
    nulls = (-0.1, 0.0, 0.2)
    state = after(d, nulls=nulls, alpha=0.1)
    want = [betting_log_e(d, null=null, alpha=0.1)[-1] for null in nulls]
    assert state.log_e == pytest.approx(want, abs=1e-11)
    again = Bets.from_dict(json.loads(json.dumps(state.to_dict())))
    assert again == state
    assert again.update(0.3) == state.update(0.3)


def test_sequence_holds_what_the_capital_does_not_exclude() -> None:
    d = drawn(300, 0.1)
    low, high = betting_sequence(d)
    limit = np.log(20)
    for inner, outer in ((low + 0.0015, low - 0.0005), (high - 0.0015, high + 0.0005)):
        assert betting_log_e(d, null=float(inner))[-1] < limit
        assert betting_log_e(d, null=float(outer))[-1] >= limit
    wide = bernstein_sequence(d)
    assert wide.low < low < 0.1 < high < wide.high


def test_coverage_at_the_end() -> None:
    hits = 0
    for seed in range(200):
        low, high = betting_sequence(drawn(60, 0.05, seed))
        hits += bool(low <= 0.05 <= high)
    assert hits >= 190


def test_extreme_items() -> None:
    assert betting_sequence([1.0] * 50).high == 1.0
    assert betting_sequence([-1.0] * 50).low == -1.0
    assert betting_sequence([]) == (-1.0, 1.0)
    low, high = betting_sequence([0.0] * 20_000)
    assert low == pytest.approx(-0.001)
    assert high == pytest.approx(0.001)
    assert bernstein_sequence([0.0]) == (-1.0, 1.0)


@pytest.mark.parametrize(
    "bad",
    [
        {"nulls": [1.0]},
        {"alpha": 0},
        {"n": -1},
        {"log_above": [0.0, 0.0]},
        {"log_below": [float("inf")]},
        {"log_below": [0.1]},
        {"log_below": 0.0},
        {"nulls": ["0"]},
        {"total": 0.5},
        {"total": 3.5, "n": 3},
        {"squares": 3.5, "n": 3},
        {"squares": None},
    ],
)
def test_saved_states_are_checked(bad: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=next(iter(bad))):
        Bets.from_dict(Bets().to_dict() | bad)


def test_numpy_items_give_states_that_json_can_hold() -> None:
    d = np.array([0.3, -0.1, 0.4], dtype=np.float32)
    state = after(list(d), nulls=(np.float32(0.125),))
    again = Bets.from_dict(json.loads(json.dumps(state.to_dict())))
    assert again.total == pytest.approx(float(((d.astype(float) + 1) / 2).sum()), rel=1e-15)
    assert again == after(d.astype(float).tolist(), nulls=(0.125,))


def test_equivalence_is_between_the_margins() -> None:
    """Bets grow on both inner sides when the gap is 0, and not on one when it is a margin."""
    inner, outer = (after(drawn(600, mean), nulls=(-0.1, 0.1)) for mean in (0.0, 0.1))
    assert min(inner.log_above[0], inner.log_below[1]) > np.log(20)
    assert outer.log_above[0] > np.log(20) > outer.log_below[1]


def test_inputs_are_checked() -> None:
    with pytest.raises(ParameterError, match="difference"):
        Bets().update(1.01)
    with pytest.raises(ParameterError, match="differences"):
        betting_log_e([0.5, 1.5])
    with pytest.raises(ParameterError, match="null"):
        betting_log_e([0.5], null=-1.0)
    with pytest.raises(ParameterError, match="axes"):
        betting_log_e([[0.5]])
    with pytest.raises(ParameterError, match="length of d"):
        bernstein_sequence([])
