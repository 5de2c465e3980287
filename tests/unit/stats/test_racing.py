"""The race's e-value, threshold and boundary."""

from math import comb

import numpy as np
import pytest

from nstar import stats
from nstar.errors import ParameterError
from nstar.stats.racing import lead_log_e


@pytest.mark.parametrize("a", [0.5, 3.0, 20.0])
def test_the_half_is_the_bet_on_a_gap_above_0(a: float) -> None:
    b, c = np.array([40, 15, 300, 5, 2000]), np.array([15, 40, 250, 0, 2100])
    other = stats.gap_log_e(b, c, b + c, a=a, tail="above")  # by quadrature
    assert lead_log_e(b, c, a=a) == pytest.approx(other, rel=1e-9, abs=1e-9)


def test_far_behind_it_stays_below_1() -> None:
    b, c = np.array([10, 0, 0]), np.array([2000, 5000, 10**6])
    got = lead_log_e(b, c)
    assert got == pytest.approx(stats.gap_log_e(b, c, b + c, tail="above"), rel=1e-3)
    assert (got < 0).all()


def test_both_halves_make_the_whole() -> None:
    b, c = np.meshgrid(np.arange(30), np.arange(30))
    halves = np.logaddexp(lead_log_e(b, c), lead_log_e(c, b)) - np.log(2)
    assert halves == pytest.approx(stats.mcnemar_log_e(b, c), abs=1e-11)


def test_its_mean_is_1_if_neither_is_better() -> None:
    """Over all outcomes of 12 fair discordant items, and less if the first is behind."""
    wins = np.arange(13)
    e = np.exp(lead_log_e(wins, 12 - wins))
    ways = np.array([float(comb(12, k)) for k in range(13)])
    assert (e * ways / 2**12).sum() == pytest.approx(1)
    behind = ways * 0.4**wins * 0.6 ** (12 - wins)
    assert (e * behind).sum() < 1


def test_threshold() -> None:
    golden = float(stats.race_log_threshold(28))
    assert golden == pytest.approx(5.598421958998375, abs=1e-12)
    assert float(stats.race_log_threshold(2, alpha=0.01)) == pytest.approx(np.log(100))
    with pytest.raises(ParameterError, match="models"):
        stats.race_log_threshold(1)


@pytest.mark.parametrize("models", [2, 5, 28])
def test_leads_are_where_the_e_value_reaches_it(models: int) -> None:
    leads = stats.race_leads(200, models)
    n = np.arange(201)
    possible = leads <= n
    wins = ((n + leads) // 2)[possible]
    limit = float(stats.race_log_threshold(models)) + np.log(2)
    assert (lead_log_e(wins, n[possible] - wins) >= limit - 1e-9).all()
    assert (lead_log_e(wins - 1, n[possible] - wins + 1) < limit).all()


def test_leads_are_those_of_the_whole_at_half_the_threshold() -> None:
    whole = stats.e_process_leads(1000, 0.1 / 27)
    assert (stats.race_leads(1000, 28) == whole).all()


def test_crossing_is_as_seldom_as_promised() -> None:
    """Exactly, by the walk of two equal models: one of 28 drops another in under 1 in 540."""
    leads, most = stats.race_leads(600, 28), 600
    at, crossed = np.zeros(2 * most + 1), 0.0
    at[most] = 1.0
    lead = np.arange(-most, most + 1)
    for n in range(1, most + 1):
        at = 0.5 * (np.roll(at, 1) + np.roll(at, -1))
        over = lead >= leads[n]
        crossed += at[over].sum()
        at[over] = 0.0
    assert 0.0005 < crossed <= 0.05 / 27
