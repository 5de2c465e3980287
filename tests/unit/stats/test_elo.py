"""Elo on two scales, and the votes that a gap takes."""

import math
from typing import Any

import numpy as np
import pytest

from helpers.next_values import EVALUATORS
from nstar.errors import InfeasibleError, ParameterError
from nstar.stats import (
    EloScale,
    battles_mde,
    battles_n_star,
    delta_from_elo,
    elo_from_delta,
    elo_from_score,
    paired_n_star,
    score_from_elo,
)

SCALES: tuple[EloScale, EloScale] = ("score", "decisive")


def test_400_points_are_odds_of_ten_to_one() -> None:
    assert score_from_elo(400) == pytest.approx(10 / 11)
    assert score_from_elo([-np.inf, 0, np.inf]).tolist() == [0, 0.5, 1]
    assert elo_from_score([0, 0.5, 1]).tolist() == [-np.inf, 0, np.inf]


@pytest.mark.parametrize("elo", [-900.0, -20.0, 1e-9, 0.5, 20.0, 700.0])
def test_scores_go_back_to_elo(elo: float) -> None:
    assert elo_from_score(score_from_elo(elo)) == pytest.approx(elo, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("ties", [0.0, 0.3, 0.7])
def test_net_win_rates_go_back_to_elo(scale: EloScale, ties: float) -> None:
    elo = np.array([-80, -5e-7, 0, 20, 100.0])
    delta = delta_from_elo(elo, ties=ties, scale=scale)
    assert elo_from_delta(delta, ties=ties, scale=scale) == pytest.approx(elo, rel=1e-12)


def test_a_net_win_rate_is_wins_less_losses() -> None:
    win, tie, loss = 0.4, 0.35, 0.25
    score = elo_from_score(win + tie / 2)
    decisive = elo_from_score(win / (win + loss))
    assert elo_from_delta(win - loss, ties=tie) == pytest.approx(score)
    assert elo_from_delta(win - loss, ties=tie, scale="decisive") == pytest.approx(decisive)
    assert decisive > score


def test_the_scales_agree_without_ties() -> None:
    elo = np.array([1.0, 20, 300])
    assert (delta_from_elo(elo) == delta_from_elo(elo, scale="decisive")).all()


def test_ties_act_in_opposite_directions() -> None:
    ties = np.linspace(0, 0.8, 9)
    assert (np.diff(battles_n_star(20, ties=ties)) < 0).all()
    assert (np.diff(battles_n_star(20, ties=ties, scale="decisive")) > 0).all()
    delta = battles_mde(1000, ties=ties)
    assert (np.diff(elo_from_delta(delta, ties=ties)) < 0).all()
    assert (np.diff(elo_from_delta(delta, ties=ties, scale="decisive")) > 0).all()


def test_inputs_broadcast() -> None:
    ties = np.array([[0.0], [0.4]])
    for scale in SCALES:
        assert delta_from_elo([10, 20, 30], ties=ties, scale=scale).shape == (2, 3)
        assert elo_from_delta([0.1, 0.2, 0.3], ties=ties, scale=scale).shape == (2, 3)
        assert battles_n_star([10, 20, 30], ties=ties, scale=scale).shape == (2, 3)
    assert battles_mde([100, 200, 300], ties=ties).shape == (2, 3)


def test_votes_are_items_whose_discordance_is_what_ties_leave() -> None:
    level: dict[str, Any] = {"alpha": 0.01, "power": 0.9}
    want = paired_n_star(0.05, psi=0.7, method="default", sides=1, **level)
    elo = elo_from_delta(0.05, ties=0.3)
    assert battles_n_star(elo, ties=0.3, method="default", sides=1, **level) == pytest.approx(want)
    assert battles_n_star(0) == math.inf


def test_the_smallest_gap_takes_the_votes_there_are() -> None:
    delta = battles_mde(1000, ties=0.4, power=0.9)
    elo = elo_from_delta(delta, ties=0.4, scale="decisive")
    found = battles_n_star(elo, ties=0.4, scale="decisive", power=0.9)
    assert found == pytest.approx(1000)
    assert battles_mde(5, ties=0.4) == math.inf


@pytest.mark.parametrize(
    ("name", "inputs", "want"),
    [
        (
            "battles.nstar",
            {"elo": 20, "tie_rate": 0.4, "alpha": 0.05, "power": 0.8},
            {
                "n_if_elo_on_score_scale": 1421.9553445752765,
                "n_if_elo_among_decisive": 3954.0732435258965,
                "score_elo_of_decisive": 11.991522134190701,
            },
        ),
        (
            "battles.mde",
            {"n": 500, "tie_rate": 0.3},
            {
                "delta_score_points": 0.05228937464153693,
                "winrate_score": 0.5522893746415369,
                "elo_score": 36.4677146225939,
                "elo_decisive": 52.29769081923197,
            },
        ),
    ],
)
def test_values_of_another_program(
    name: str, inputs: dict[str, float], want: dict[str, float]
) -> None:
    assert EVALUATORS[name](inputs) == pytest.approx(want, abs=1e-9)


def test_a_gap_that_ties_leave_no_room_for() -> None:
    most = float(elo_from_score(0.8))
    assert delta_from_elo(most, ties=0.4) == pytest.approx(0.6)
    with pytest.raises(InfeasibleError) as found:
        battles_n_star([20, 300], ties=0.4)
    assert str(found.value).startswith("elo=300 is impossible with ties=0.4")
    assert str(found.value).endswith("the gap is at most 241 Elo.")
    assert delta_from_elo(300, ties=0.4, scale="decisive") < 0.6
    with pytest.raises(InfeasibleError, match="1 - ties"):
        elo_from_delta([0.1, 0.61], ties=0.4)


@pytest.mark.parametrize("ties", [-0.1, 1.0, 40, math.nan])
def test_ties_are_a_proportion_below_one(ties: float) -> None:
    for asked in (delta_from_elo, elo_from_delta, battles_n_star, battles_mde):
        with pytest.raises(ParameterError, match=r"ties must be a proportion in \[0, 1\)"):
            asked(0.5, ties=ties)


def test_other_values_outside_their_domain() -> None:
    with pytest.raises(ParameterError, match="scale must be score or decisive; got 'elo'"):
        delta_from_elo(20, scale="elo")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="scale must be score or decisive"):
        elo_from_delta(0.1, scale="half")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="elo must be a number"):
        score_from_elo(math.nan)
    with pytest.raises(ParameterError, match="score must be a proportion"):
        elo_from_score(1.1)
