"""``plan_votes``: votes, detectable gap and power, against votes that are drawn."""

from typing import Any

import numpy as np
import pytest

from nstar import stats
from nstar._verbs.plan import votes as vote_plans
from nstar._verbs.plan.votes import plan_votes
from nstar._verbs.plan.votes_result import VoteGap, VotePlan
from nstar.errors import InfeasibleError, ParameterError
from nstar.stats import EloScale
from nstar.types import Criteria


def shown(votes: int, elo: float, ties: float, scale: EloScale, alpha: float = 0.05) -> float:
    """How often votes that are drawn show a gap, by the test of nstar."""
    lead = 2 / (1 + 10 ** (-elo / 400)) - 1
    net = lead if scale == "score" else (1 - ties) * lead
    chances = [(1 - ties + net) / 2, (1 - ties - net) / 2, ties]
    wins, losses, _ = np.random.default_rng(5).multinomial(votes, chances, size=60_000).T
    p = stats.mcnemar_default_pvalue(wins, losses, votes)
    return float(((p <= alpha) & (wins > losses)).mean())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("scale", ["score", "decisive"])
@pytest.mark.parametrize(
    ("elo", "ties"), [(20.0, 0.4), (20.0, 0.0), (20.0, 0.2), (60.0, 0.4), (100.0, 0.05)]
)
def test_votes_have_the_power_by_simulation(elo: float, ties: float, scale: EloScale) -> None:
    found = plan_votes(elo=elo, ties=ties, elo_scale=scale)
    assert found.n_star is not None
    noise = 0.005  # three standard errors
    assert shown(found.n_star, elo, ties, scale) > 0.8 - noise
    assert shown(round(0.96 * found.n_star), elo, ties, scale) < 0.8
    assert shown(round(0.98 * found.n_star), elo, ties, scale) < 0.8 + noise


def test_all_pairs_at_once_by_simulation() -> None:
    found = plan_votes(elo=40, ties=0.3, models=10, criteria=Criteria(power=0.9))
    assert found.n_star is not None
    assert found.n_pairs == 45
    assert found.n_votes_total == 45 * found.n_star
    assert shown(found.n_star, 40, 0.3, "score", 0.05 / 45) == pytest.approx(0.9, abs=0.005)
    rng, ties = np.random.default_rng(2), 0.3
    drawn = rng.multinomial(found.n_star, [0.35, 0.35, ties], size=(4000, 45))
    p = stats.mcnemar_default_pvalue(drawn[..., 0], drawn[..., 1], found.n_star)
    wrong = (p.min(axis=1) <= 0.05 / 45).mean()
    assert wrong == pytest.approx(0.05, abs=0.012)


@pytest.mark.parametrize("ties", [0.0, 0.1, 0.4])
def test_power_is_reached_and_stays(ties: float) -> None:
    found = plan_votes(elo=30, ties=ties)
    assert found.n_star is not None
    assert found.delta is not None
    sizes = np.arange(found.n_star - 1, found.n_star + 200)
    power = stats.exact_power(found.delta.net_win_rate, psi=1 - ties, n=sizes, method="default")
    assert power[0] < 0.8 <= power[1:].min()


def test_solved_for_one_it_is_the_same_for_the_others() -> None:
    found = plan_votes(elo=20, ties=0.4)
    assert (found.solved_for, found.n_star, found.power, found.q) == ("votes", 1422, 0.8, None)
    assert found.mde is None
    gap = plan_votes(votes=1422, ties=0.4)
    assert (gap.solved_for, gap.n_star, gap.delta, gap.elo) == ("mde", None, None, None)
    assert gap.mde is not None
    assert 19.9 < gap.mde.elo_score <= 20
    both = plan_votes(elo=20, ties=0.4, votes=1422)
    assert (both.solved_for, both.q) == ("power", 1)
    assert 0.8 <= both.power < 0.801
    assert plan_votes(elo=20, ties=0.4, votes=1421).power < 0.8


def test_a_gap_is_told_in_every_unit() -> None:
    gap = plan_votes(elo=20, ties=0.4).delta
    assert gap == VoteGap.of(float(stats.delta_from_elo(20)), 0.4)
    assert gap is not None
    assert (round(gap.win_rate, 4), round(gap.decisive_rate, 4)) == (0.5288, 0.5479)
    assert gap.elo_score == pytest.approx(20)
    decisive = plan_votes(elo=20, ties=0.4, elo_scale="decisive").delta
    assert decisive is not None
    assert decisive.elo_decisive == pytest.approx(20)
    assert decisive.elo_score == pytest.approx(11.991522134190701)


def test_rows_have_both_scales_by_ties() -> None:
    rows = plan_votes(elo=20, ties=0.4).scenarios
    assert [(r.tie_share, r.n_star_score, r.n_star_decisive) for r in rows] == [
        (0.0, 2424, 2424),
        (0.2, 1914, 2985),
        (0.4, 1422, 3954),
        (0.6, 946, 5932),
    ]
    assert [r.tie_share for r in rows if r.is_headline] == [0.4]
    assert [r.mde_score for r in rows] == [None] * 4
    odd = plan_votes(votes=1000, ties=0.33).scenarios
    assert [r.tie_share for r in odd] == [0.0, 0.2, 0.33, 0.4, 0.6]
    assert [r.n_star_score for r in odd] == [None] * 5
    assert [round(r.mde_score or 0) for r in odd] == [31, 28, 25, 24, 19]
    narrow = plan_votes(elo=200, ties=0.2).scenarios
    assert [r.n_star_score is None for r in narrow] == [False, False, False, True]


def test_a_design_effect_multiplies() -> None:
    alone, alike = (plan_votes(elo=20, ties=0.4, design_effect=d) for d in (1.0, 1.5))
    assert (alike.n_star, alike.n_star_independent) == (2133, 1422)
    assert alone.n_star == alone.n_star_independent == 1422
    gaps = [
        plan_votes(votes=n, ties=0.4, design_effect=d).mde
        for n, d in ((1000, 1.0), (1500, 1.5), (1501, 1.5))
    ]
    assert gaps[0] == gaps[1] == gaps[2]
    assert plan_votes(elo=20, ties=0.4, votes=2133, design_effect=1.5).power >= 0.8
    assert plan_votes(votes=2, ties=0.4, design_effect=3.0).mde is None


def test_neighbors_are_fewer_pairs() -> None:
    some, all_ = (
        plan_votes(elo=40, ties=0.4, models=6, goal=family) for family in ("adjacent", "all-pairs")
    )
    assert (some.n_pairs, all_.n_pairs) == (5, 15)
    assert some.n_star is not None
    assert all_.n_star is not None
    assert some.n_star < all_.n_star


def test_one_side_takes_fewer() -> None:
    one = plan_votes(elo=40, ties=0.4, criteria=Criteria(alternative="greater")).n_star
    two = plan_votes(elo=40, ties=0.4, criteria=Criteria(alpha=0.1)).n_star
    assert one is not None
    assert two is not None
    assert abs(one - two) <= 2


def test_very_many_votes_are_by_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    found = plan_votes(elo=2, ties=0.4)
    assert not found.is_enumerated
    assert found.n_star == np.ceil(stats.battles_n_star(2, ties=0.4, method="default"))
    many = plan_votes(votes=22_000, elo=4, ties=0.4)
    assert not many.is_enumerated
    assert many.mde is not None
    monkeypatch.setattr(vote_plans, "_ENUMERATED", 30_000)
    exact = plan_votes(votes=22_000, elo=4, ties=0.4)
    assert exact.is_enumerated
    assert exact.mde is not None
    assert many.power == pytest.approx(exact.power, abs=1e-3)
    assert many.mde.net_win_rate == pytest.approx(exact.mde.net_win_rate, rel=1e-3)


def test_few_votes_show_nothing_or_everything() -> None:
    assert plan_votes(votes=4, ties=0.4).mde is None
    chance = plan_votes(votes=5, ties=0.2, criteria=Criteria(alpha=0.4, power=0.45)).mde
    assert chance is not None
    assert chance.net_win_rate == 0
    assert plan_votes(elo=3000, ties=0.0).n_star == 6
    assert plan_votes(elo=900, ties=0.0, criteria=Criteria(alpha=0.6, power=0.61)).n_star == 2


@pytest.mark.parametrize(
    "arguments",
    [
        {"elo": 20, "ties": 0.4},
        {"votes": 7, "ties": 0.0},  # some rows show nothing
        {"votes": np.int64(400), "elo": 50, "ties": 0.2, "models": 4, "goal": "adjacent"},
        {"elo": 200, "ties": 0.3, "elo_scale": "decisive", "design_effect": 2.5},
    ],
)
def test_reads_back_equal(arguments: dict[str, Any]) -> None:
    found = plan_votes(**arguments)
    again = VotePlan.from_json(found.to_json())
    assert again == found
    assert str(again) == str(found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "Set elo .* votes .* or both"),
        ({"elo": 0}, "elo must be a gap of at least 0.0001 .*; got 0"),
        ({"elo": -20}, "elo must be a gap .* without a sign; got -20"),
        ({"elo": np.inf}, "elo must be"),
        (
            {"elo": 20, "ties": 1},
            "ties must be a proportion of at least 0 and less than 1, .*; got 1",
        ),
        ({"elo": 20, "ties": -0.1}, "ties must be"),
        ({"elo": 20, "elo_scale": "scor"}, "elo_scale must be score or decisive"),
        ({"elo": 20, "design_effect": 0.5}, "design_effect must be 1 .* or more; got 0.5"),
        ({"elo": 20, "design_effect": np.nan}, "design_effect must be"),
        ({"elo": 20, "models": 1}, "models must be at least 2"),
        ({"elo": 20, "goal": "some"}, "goal must be all-pairs or adjacent"),
        ({"votes": 0}, "votes must be at least 2"),
        ({"votes": 10.5}, "votes must be a whole number"),
    ],
)
def test_plans_that_are_none(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        plan_votes(**{"ties": 0.4} | arguments)


def test_a_gap_that_ties_leave_no_room_for() -> None:
    with pytest.raises(InfeasibleError, match=r"elo=300 is impossible with ties=0\.4"):
        plan_votes(elo=300, ties=0.4)
    assert plan_votes(elo=300, ties=0.4, elo_scale="decisive").n_star == 24
