"""Boards of votes whose truth is known, and the claims that are held against them."""

from dataclasses import replace

import numpy as np
import pytest

from nstar import stats
from nstar._engine.work import Execution
from nstar._verbs.battles import BattlesQuestion, rate
from validation import CLAIMS, CellRate, Promise, ValidationRequest, validate
from validation.promise import FAST, FULL
from validation.result import judged
from validation.vote_generator import VoteGenerator, outcomes
from validation.vote_plans import PairScenario
from validation.votes import (
    LADDER,
    VoteCell,
    _kinds,
    intervals_cover,
    looks_at,
    told_apart,
)

PLAIN = VoteGenerator(strengths=LADDER)


def test_shares_of_drawn_votes_are_those_of_endless_ones() -> None:
    kind = replace(PLAIN, strengths=np.array([0.4, -0.4]), votes=40_000, prompts=4000, judges=4000)
    votes = kind.drawn(np.random.default_rng(1))
    first = np.where(votes.first == 0, votes.score, 1 - votes.score)
    drawn = [np.mean(first == score) for score in (1.0, 0.5, 0.0)]
    assert drawn == pytest.approx(np.ravel(kind.endless(np.array([0.8]))), abs=0.012)
    assert set(votes.groups) == {"prompt", "judge"}


@pytest.mark.parametrize("ties_as", ["davidson", "drop"])
def test_strengths_of_decisive_votes_are_the_truth(ties_as: str) -> None:
    assert PLAIN.truth(ties_as) == pytest.approx(LADDER, abs=1e-8)  # type: ignore[arg-type]


def test_half_ties_have_a_narrower_truth_that_endless_votes_come_near() -> None:
    kind = replace(PLAIN, votes=200_000, prompts=20_000)
    truth = kind.truth()
    assert np.ptp(truth) < np.ptp(LADDER)
    votes = kind.drawn(np.random.default_rng(2))
    fit = stats.bradley_terry_fit(stats.VoteRows.of(votes.first, votes.second, votes.score))
    assert fit.strengths == pytest.approx(truth, abs=0.04)


def test_nobody_leads_a_ring() -> None:
    ring = replace(PLAIN, strengths=np.zeros(10), cycle=0.5)
    assert (ring.truth() == 0).all()
    gaps = ring.gaps(np.zeros(9, int), np.arange(1, 10))
    assert gaps.tolist() == [0.5] * 4 + [0.0] + [-0.5] * 4


def test_newcomers_have_as_many_votes_as_their_cells_say() -> None:
    new = [c for c in _kinds() if c.ballots.newcomer < 1]
    for cell in new:
        shown = 2 * cell.ballots.votes * cell.ballots.meetings()[-1].sum()
        assert f"a newcomer with {shown:.0f} votes" in cell.name
    assert len(new) == 4


def test_one_judge_dominates() -> None:
    kind = replace(PLAIN, judges=20, dominant=0.5, votes=20_000)
    codes = kind.drawn(np.random.default_rng(1)).groups["judge"].codes
    share = np.sort(np.bincount(codes))[::-1] / 20_000
    assert share[:2] == pytest.approx([0.525, 0.025], abs=0.01)


def test_weights_are_log_normal() -> None:
    weight = replace(PLAIN, weight_spread=1.5).drawn(np.random.default_rng(1)).weight
    assert weight is not None
    assert np.log(weight).std() == pytest.approx(1.5, rel=0.1)
    assert PLAIN.drawn(np.random.default_rng(1)).weight is None


def test_every_cell_has_a_place_of_its_own() -> None:
    cells = list(_kinds())
    about = [(c.called("x"), *c.setting.values()) for c in cells]
    assert len(set(about)) == len(about)
    assert {c.role for c in cells} == {"default", "option", "warning"}
    assert {c.ballots.models for c in cells} == {10, 25, 50, 100}


def test_intervals_are_those_of_the_report() -> None:
    kind = replace(PLAIN, prompts=20)
    ask = BattlesQuestion(cluster=kind.cluster, draws=999)
    found = rate(kind.drawn(np.random.default_rng(3)), ask, Execution(workers=1))
    elo = 400 / np.log(10)
    truth = kind.truth()[kind.index(found.ratings.model)]
    gap = elo * -np.diff(truth)
    alone = found.adjacent
    shown = (alone.ci_unadjusted_low <= gap) & (gap <= alone.ci_unadjusted_high)
    assert np.diagonal(intervals_cover(found, truth), 1).tolist() == shown.tolist()


def test_looks_that_are_refused_tell_nobody_apart() -> None:
    cell = VoteCell(
        name="few", ballots=VoteGenerator(strengths=np.zeros(3), votes=200, prompts=20)
    )
    assert looks_at(cell, 4, seed=0, board=0) == (False, False)


def test_votes_without_their_groups_are_a_warning() -> None:
    kind = replace(PLAIN, strengths=np.zeros(10), prompts=13, spread=1.0)
    cell = VoteCell(name="shared", ballots=kind, declared=False)
    assert cell.role == "warning"
    assert not cell.votes(0, 0).groups
    assert all(told_apart(found) for found in cell.rated(0, 3))


def test_a_design_effect_is_that_of_the_votes() -> None:
    duel = PairScenario(gap=0.3, ties=0.4, each=5)
    delta, tied, effect = duel.rates()
    assert PairScenario(gap=0.3, ties=0.4).rates()[2] == 1
    win, tie, loss = outcomes(np.array([0.3]), 0.4)
    assert (delta, tied) == pytest.approx((float((win - loss)[0]), float(tie[0])), abs=0.02)
    board = replace(duel.ballots, votes=30_000, prompts=6000)
    ask = BattlesQuestion(cluster=("prompt",), draws=999, position=False)
    found = rate(board.drawn(np.random.default_rng(4)), ask, Execution(workers=1))
    assert found.groupings[0].design_effect == pytest.approx(effect, rel=0.05)


@pytest.mark.parametrize(
    ("rate_", "outcome"),
    [(0.945, "holds"), (0.93, "exceeds"), (0.97, "errs on the safe side")],
)
def test_a_mean_of_shares_has_an_error_of_its_own(rate_: float, outcome: str) -> None:
    claim = Promise(name="n", group="g", says="s", bound="at least")
    one = CellRate(procedure="p", rate=rate_, promised=0.95, reps=400, spread=0.06)
    assert one.se == pytest.approx(0.003)
    assert judged([(claim, one)])[0].outcome == outcome
    plain = replace(one, spread=None)
    assert judged([(claim, plain)])[0].outcome == "holds"


@pytest.mark.parametrize("name", ["vote-ladders", "equal-votes", "vote-looks", "vote-plan"])
def test_a_sample_is_small(name: str) -> None:
    jobs = CLAIMS[name].jobs
    sample, full = (
        list(jobs(ValidationRequest(effort=FAST))),
        list(jobs(ValidationRequest(effort=FULL))),
    )
    assert 1 <= len(sample) <= 4
    assert len(full) >= 3
    assert CLAIMS[name].advise("anything")


def test_the_same_for_any_number_of_workers() -> None:
    one, two = (
        validate(claims=["vote-plan"], execution=Execution(workers=workers)) for workers in (1, 2)
    )
    assert one.cells == two.cells
    assert {c.procedure for c in one.cells} == {"plan", "plan, then battles"}
    assert not one.limits
