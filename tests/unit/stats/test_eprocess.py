"""McNemar's e-process: against rational arithmetic, mpmath and its own definition as a bet."""

import json
from fractions import Fraction
from math import comb, log

import mpmath
import numpy as np
import pytest

from nstar.errors import ParameterError
from nstar.stats.eprocess import (
    EProcess,
    e_process_leads,
    mcnemar_log_e,
    tuned_beta,
    win_rate_sequence,
)
from nstar.stats.mcnemar import P_FLOOR


def bet_by_bet(differences: list[int], a: Fraction) -> Fraction:
    """Capital after betting on every discordant item with the posterior mean."""
    wins = losses = Fraction(0)
    capital = Fraction(1)
    for d in differences:
        chance = (a + wins) / (2 * a + wins + losses)
        if d:
            capital *= 2 * (chance if d > 0 else 1 - chance)
            wins, losses = wins + (d > 0), losses + (d < 0)
    return capital


@pytest.mark.parametrize("a", [Fraction(1, 2), Fraction(1), Fraction(7, 3)])
def test_it_is_a_bet_on_the_posterior_mean(a: Fraction) -> None:
    differences = [1, 0, -1, 1, 1, 0, 1, -1, 1, 1, 1, 0, 1]
    state = EProcess(a=float(a))
    for d in differences:
        state = state.update(d)
    assert (state.n10, state.n01, state.n) == (8, 2, 13)
    assert state.log_e == pytest.approx(log(bet_by_bet(differences, a)), abs=1e-13)


@pytest.mark.parametrize("a", [0.5, 3.0])
def test_mean_one_under_a_fair_coin(a: float) -> None:
    b = np.arange(41)
    weights = [comb(40, k) / 2**40 for k in range(41)]
    assert np.dot(weights, np.exp(mcnemar_log_e(b, 40 - b, a=a))) == pytest.approx(1, abs=1e-12)


def test_long_runs_stay_finite() -> None:
    with mpmath.workdps(40):
        want = mpmath.log(
            mpmath.beta(mpmath.mpf(0.5) + 60000, mpmath.mpf(0.5) + 20000) / mpmath.pi
        ) + 80000 * mpmath.log(2)
    assert mcnemar_log_e(60000, 20000) == pytest.approx(float(want), abs=1e-8)
    assert mcnemar_log_e(10**9, 0) > 1e8


def test_largest_e_value_is_remembered() -> None:
    state = EProcess()
    for d in [1] * 8 + [-1] * 8:
        state = state.update(d)
    assert state.log_e < 0
    assert state.log_e_max == pytest.approx(float(mcnemar_log_e(8, 0)))
    assert state.pvalue == pytest.approx(float(np.exp(-mcnemar_log_e(8, 0))))
    assert EProcess().pvalue == 1.0
    assert EProcess(n10=9000, n01=9000, n=18_000, log_e_max=1e4).pvalue == P_FLOOR


def test_state_survives_json() -> None:
    state = EProcess(a=4.25).update(1).update(0).update(-1).update(1)
    again = EProcess.from_dict(json.loads(json.dumps(state.to_dict())))
    assert again == state
    assert again.update(1) == state.update(1)


@pytest.mark.parametrize(
    "change",
    [
        {"a": 0.0},
        {"a": None},
        {"a": "0.5"},
        {"n10": -1},
        {"n10": True},
        {"n01": 0.5},
        {"n": 1},
        {"n": 10**400},
        {"n": [9]},
        {"log_e_max": np.nan},
        {"log_e_max": 3.5},  # five bets cannot win more than 5 ln 2 = 3.47
        {"log_e_max": 1.6, "n10": 5, "n01": 0},  # E is 32/6 now, of log 1.67
    ],
)
def test_saved_states_are_checked(change: dict[str, object]) -> None:
    saved = EProcess(a=1.0, n10=3, n01=2, n=9, log_e_max=0.5).to_dict()
    with pytest.raises(ParameterError, match=next(iter(change))):
        EProcess.from_dict(saved | change)
    with pytest.raises(ParameterError, match="extra"):
        EProcess.from_dict(saved | {"extra": 1})
    del saved["a"]
    with pytest.raises(ParameterError, match="'a'"):
        EProcess.from_dict(saved)


def test_numpy_items_give_states_that_json_can_hold() -> None:
    state = EProcess(a=np.float32(0.5))  # type: ignore[arg-type]
    for d in np.array([1, 0, -1, 1], dtype=np.int8):
        state = state.update(d)
    again = EProcess.from_dict(json.loads(json.dumps(state.to_dict())))
    assert again == state
    assert [type(v) for v in again.to_dict().values()] == [float, int, int, int, float]


@pytest.mark.parametrize("saved", [[], "n", None])
def test_only_mappings_are_states(saved: object) -> None:
    with pytest.raises(ParameterError, match="state must be a mapping"):
        EProcess.from_dict(saved)  # type: ignore[arg-type]


def test_only_zero_one_differences() -> None:
    with pytest.raises(ParameterError, match="difference"):
        EProcess().update(0.5)


@pytest.mark.parametrize("a", [0.5, 5.0])
def test_sequence_excludes_half_when_the_test_rejects(a: float) -> None:
    b, c = np.divmod(np.arange(60 * 60), 60)
    low, high = map(np.asarray, win_rate_sequence(b, c, a=a))
    far = np.abs(mcnemar_log_e(b, c, a=a) - np.log(20)) > 1e-9
    rejects = mcnemar_log_e(b, c, a=a) >= np.log(20)
    assert np.array_equal(((low > 0.5) | (high < 0.5))[far], rejects[far])
    assert ((low <= (b + 1e-12) / np.maximum(b + c, 1e-12)) | (b + c == 0)).all()
    assert (low[b == 0] == 0).all()
    assert (high[c == 0] == 1).all()


def fewest_wins(n: int, a: float) -> int:
    """Wins among n discordant items that reject."""
    wins = np.arange(n // 2 + 1, n + 1)
    return int(wins[np.argmax(mcnemar_log_e(wins, n - wins, a=a) >= np.log(20))])


def test_tuning_is_near_the_best_mixture() -> None:
    for n in (100, 400, 2000):
        best = min(fewest_wins(n, a) for a in np.geomspace(0.5, n, 200))
        assert fewest_wins(n, float(tuned_beta(n))) <= best + 1
    assert tuned_beta(200) == pytest.approx((0.12177 * 200 - 1) / 2, rel=1e-4)
    assert tuned_beta([0.0, 5.0]).tolist() == [0.5, 0.5]


def test_leads_are_the_first_that_reach() -> None:
    for a, alpha in ((0.5, 0.05), (12.0, 0.01)):
        leads, n = e_process_leads(200, alpha, a), np.arange(201)
        for d in range(201):
            wins = np.arange((d + 1) // 2, d + 1)
            reached = mcnemar_log_e(wins, d - wins, a=a) >= -np.log(alpha) - 1e-12
            first = 2 * wins[np.argmax(reached)] - d if reached.any() else d + 1
            assert leads[d] == first or (not reached.any() and leads[d] > n[d])
