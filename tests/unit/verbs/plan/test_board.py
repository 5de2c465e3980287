"""Boards from a pilot: noise, intervals, readings of groups, simulated boards."""

import numpy as np
import pytest

import nstar
from nstar import Design, Graded, stats
from nstar._base.types import Array
from nstar._verbs.plan import plan
from nstar._verbs.plan.board import board_pilot, plan_pilot_board
from nstar._verbs.plan.board_noise import neighbor_noise
from nstar._verbs.plan.board_result import BoardRow
from nstar.errors import DataError


def answers(
    rng: np.random.Generator, items: int, skill: Array, *, groups: int = 0, shared: float = 0.0
) -> Array:
    """0/1 answers by a logistic model; ``shared`` is what a group adds to each model's logit."""
    hard = rng.normal(0, 1.5, (items, 1))
    logit = skill - hard
    if groups:
        place = np.arange(items) % groups
        logit = logit + rng.normal(0, shared, (groups, skill.size))[place]
    return np.asarray((rng.random((items, skill.size)) < 1 / (1 + np.exp(-logit))) * 1.0)


SKILL = np.linspace(-0.8, 0.8, 8)


def test_figures_are_those_of_the_formulas_at_the_noise_of_neighbors() -> None:
    scores = answers(np.random.default_rng(1), 500, SKILL)
    order = np.argsort(-scores.mean(axis=0), kind="stable")
    d = scores[:, order[:-1]] - scores[:, order[1:]]
    sd = float(np.sqrt(d.var(axis=0, ddof=1).mean()))
    found = plan_pilot_board(board_pilot(scores), models=12, items=800, delta=0.03).readings[0]
    assert found.sd == pytest.approx(sd)
    pair, every, control, best = found.claims
    assert best.mde == pytest.approx(stats.selection_mde(800, sigma=sd, models=12), rel=1e-6)
    assert best.power_at_delta == pytest.approx(
        stats.selection_power(0.03, sigma=sd, n=800, models=12), rel=1e-6
    )
    for row, models, goal in ((pair, 2, "all-pairs"), (every, 12, "all-pairs")):
        alone = plan(Design(noise=Graded(sd=sd), models=models, goal=goal), items=800)  # type: ignore[arg-type]
        assert row.mde == pytest.approx(alone.mde)
    assert pair.mde < control.mde < every.mde  # type: ignore[operator]


def test_a_gap_takes_items_with_an_interval() -> None:
    scores = answers(np.random.default_rng(2), 150, SKILL)
    row = plan_pilot_board(board_pilot(scores), delta=0.02).readings[0].claims[1]
    assert row.mde is None
    assert row.n_star_low < row.n_star < row.n_star_high  # type: ignore[operator]
    assert row.n_star < row.n_star_assured < row.n_star_high  # type: ignore[operator]


@pytest.mark.slow
def test_groups_that_matter_are_seen_as_a_sample_or_as_strata() -> None:
    rng = np.random.default_rng(3)
    scores = answers(rng, 2000, SKILL, groups=20, shared=1.0)
    pilot = board_pilot(scores, {"subject": np.arange(2000) % 20})
    alone, other = plan_pilot_board(pilot, items=800).readings
    assert (alone.items_are, other.items_are, other.n_clusters) == ("items", "clusters", 20)
    assert other.icc is not None
    assert other.icc > 0.02
    assert other.claims[1].mde > 1.3 * alone.claims[1].mde  # type: ignore[operator]
    (same,) = plan_pilot_board(pilot, items=800, strata="subject").readings
    assert same.sd < alone.sd
    (declared,) = plan_pilot_board(pilot, items=800, cluster="subject").readings
    assert declared == other
    (more,) = plan_pilot_board(pilot, items=4000, cluster="subject").readings
    assert (more.n_clusters, more.cluster_size) == (None, 100)


@pytest.mark.slow
def test_other_groups_have_an_interval_if_there_are_six() -> None:
    scores = answers(np.random.default_rng(11), 120, SKILL, groups=12, shared=1.0)

    def row(groups: int) -> BoardRow:
        pilot = board_pilot(scores, {"book": np.arange(120) % groups})
        return plan_pilot_board(pilot, delta=0.02, cluster="book").readings[0].claims[1]

    many, few = row(12), row(5)
    assert many.n_star_low < many.n_star < many.n_star_assured < many.n_star_high  # type: ignore[operator]
    assert (few.n_star_low, few.n_star_high, few.n_star_assured) == (None, None, None)
    assert few.n_star is not None


def test_strata_weigh_as_they_have_items_and_single_items_are_not_nothing() -> None:
    d = np.array([[1.0], [0.0], [1.0], [-1.0], [0.0], [1.0]])
    place = np.array([0, 0, 1, 1, 1, 2])
    parts = (2 * d[:2].var(ddof=1), 3 * d[2:5].var(ddof=1), d.var(ddof=1))
    first, second = parts[:2]
    alone = (d[5, 0] - d.mean()) ** 2 * 6 / 5
    assert neighbor_noise(d, place).variance == pytest.approx((first + second + alone) / 6)
    assert neighbor_noise(d).variance == pytest.approx(parts[2])


def test_runs_are_averaged_and_told() -> None:
    rng = np.random.default_rng(12)
    rows = {"model": [], "item": [], "epoch": [], "score": []}  # type: ignore[var-annotated]
    for j, model in enumerate("abc"):
        for i in range(60):
            for run in range(4):
                one = (model, f"q{i}", run, float(rng.random() < 0.3 + 0.2 * j))
                for key, value in zip(rows, one, strict=True):
                    rows[key].append(value)
    found = nstar.plan_board(rows, items=200)
    assert isinstance(found, nstar.BoardPlan)
    assert (found.mean_pilot_runs, found.n_pilot_items, found.score_range) == (4, 60, (0, 1))
    assert str(found).startswith("200 items (4 runs each) detect gaps of ")
    means = np.reshape(rows["score"], (3, 60, 4)).mean(axis=2).T
    assert found.readings[0].sd == plan_pilot_board(board_pilot(means), items=200).readings[0].sd


def test_groups_that_do_not_matter_cost_little() -> None:
    scores = answers(np.random.default_rng(4), 2000, SKILL)
    pilot = board_pilot(scores, {"subject": np.arange(2000) % 40})
    alone, other = plan_pilot_board(pilot, items=1000).readings
    assert other.claims[0].mde < 1.25 * alone.claims[0].mde  # type: ignore[operator]


def test_simulated_boards_are_what_boards_do() -> None:
    """The outlook of a large pilot against boards that are really drawn and tested."""
    rng = np.random.default_rng(5)
    pilot = answers(rng, 20_000, SKILL)
    found = plan_pilot_board(board_pilot(pilot), items=500).forecast
    assert found is not None
    critical, right, told, reps = float(stats.tukey_critical(8)), 0, 0.0, 400
    for _ in range(reps):
        scores = answers(rng, 500, SKILL)
        right += int(scores.mean(axis=0).argmax() == 7)
        d = scores[:, 1:] - scores[:, :-1]
        told += float((d.mean(axis=0) / (d.std(axis=0) / np.sqrt(500)) > critical).mean())
    assert abs(found.winner - right / reps) < 0.09
    assert abs(found.neighbors - told / reps) < 0.06


def test_boards_larger_than_the_pilot() -> None:
    scores = answers(np.random.default_rng(6), 400, SKILL)
    few = plan_pilot_board(board_pilot(scores), models=4, items=400).forecast
    many = plan_pilot_board(board_pilot(scores), models=40, items=400).forecast
    assert few is not None
    assert many is not None
    assert many.gap < few.gap
    assert many.winner < few.winner
    assert many.rank_width > few.rank_width


def test_models_that_are_equal_have_no_winner() -> None:
    scores = answers(np.random.default_rng(7), 60, np.zeros(6))
    found = plan_pilot_board(board_pilot(scores), items=100).forecast
    assert found is not None
    assert found.neighbors < 0.1
    assert found.winner_proved < 0.3


def test_a_pilot_without_spread_forecasts_no_leader() -> None:
    """An estimated spread of 0 made all models equal, and any of them the best in 100%."""
    rng = np.random.default_rng(3)
    without = 0
    for _ in range(4):
        plan = plan_pilot_board(board_pilot(answers(rng, 100, np.zeros(10))), items=1000)
        found = plan.forecast
        assert found is not None
        assert found.winner < 0.9
        assert found.winner_range[0] < found.winner < found.winner_range[1]
        assert found.gap_range[0] < found.gap < found.gap_range[1]
        text = " ".join(str(plan).split())
        without += found.spread == 0
        assert ("no more than expected by chance" in text) == (found.spread == 0)
    assert without


def test_models_that_agree_on_every_item_have_a_forecast() -> None:
    """Two models with the same scores, and more models than items: no direction is certain."""
    scores = answers(np.random.default_rng(2), 40, SKILL)
    twins = np.column_stack([scores, scores[:, 0]])
    many = answers(np.random.default_rng(2), 12, np.linspace(-0.8, 0.8, 20))
    for pilot in (twins, many):
        found = plan_pilot_board(board_pilot(pilot), items=200).forecast
        assert found is not None
        assert 0 < found.winner < 1


def test_the_same_seed_gives_the_same_forecast() -> None:
    pilot = board_pilot(answers(np.random.default_rng(1), 60, SKILL))
    first, second = (plan_pilot_board(pilot, items=200, seed=4).forecast for _ in range(2))
    assert first == second


def test_groups_of_the_pilot_count_in_the_forecast() -> None:
    """Scores of a pilot of few groups are noisier than those of as many independent items."""
    scores = answers(np.random.default_rng(5), 240, SKILL, groups=12, shared=1.0)
    pilot = board_pilot(scores, {"book": np.arange(240) % 12})
    alone, grouped = (
        plan_pilot_board(pilot, items=2400, cluster=c).forecast for c in (None, "book")
    )
    assert alone is not None
    assert grouped is not None
    assert grouped.spread < alone.spread


def test_items_that_are_not_two_groups_show_nothing() -> None:
    scores = answers(np.random.default_rng(8), 200, SKILL, groups=8, shared=2.0)
    found = plan_pilot_board(
        board_pilot(scores, {"book": np.arange(200) % 8}), items=7, cluster="book"
    )
    assert found.readings[0].claims[0].mde is None
    assert found.forecast is None
    assert "so the result cannot generalize to new groups" in " ".join(str(found).split())
    too_few = str(plan_pilot_board(board_pilot(scores), items=3))
    assert too_few.startswith("3 items detect no gap ")


def test_missing_scores_and_small_pilots() -> None:
    scores = answers(np.random.default_rng(9), 60, SKILL)
    scores[:25, 3] = np.nan
    pilot = board_pilot(scores)
    assert (len(pilot.scores), pilot.dropped) == (35, 25)
    scores[:55, 3] = np.nan
    with pytest.raises(DataError, match="at least 10 items with scores of all 8 models"):
        board_pilot(scores)
    with pytest.raises(DataError, match="at least two models"):
        board_pilot(scores[:, :1])
    with pytest.raises(DataError, match="variance of their gaps is unknown"):
        plan_pilot_board(board_pilot(np.ones((20, 3))), items=100)
    with pytest.raises(DataError, match="No group column 'topic'"):
        plan_pilot_board(
            board_pilot(answers(np.random.default_rng(1), 50, SKILL)), items=9, cluster="topic"
        )


def test_two_models_are_a_board_too() -> None:
    scores = answers(np.random.default_rng(10), 80, SKILL[:2])
    found = plan_pilot_board(board_pilot(scores), items=200)
    assert found.readings[0].claims[0].mde == found.readings[0].claims[1].mde
    assert found.forecast is None
    text = " ".join(str(found).split())
    assert " between the pilot's two models (80% power)" in text
    assert "There is no forecast for two models" in text


def test_two_models_of_a_larger_pilot() -> None:
    pilot = board_pilot(answers(np.random.default_rng(10), 80, SKILL))
    found = plan_pilot_board(pilot, models=2, items=200)
    assert (found.n_models, found.forecast) == (2, None)
    assert found.readings[0].claims[0].mde == found.readings[0].claims[1].mde
    assert "between two models like the pilot's" in " ".join(str(found).split())


def test_items_and_a_gap_have_their_power_in_the_headline() -> None:
    pilot = board_pilot(answers(np.random.default_rng(10), 80, SKILL))
    found = plan_pilot_board(pilot, items=400, delta=0.05)
    row = found.readings[0].claims[1]
    headline = str(found).partition("\n\n")[0].replace("\n", " ")
    assert headline.startswith(
        f"400 items have {100 * (row.power_at_delta or 0):.0f}% power to detect"
    )
    assert f"80% power takes {row.n_star:,.0f} items; " in headline


def test_a_board_simulated_from_three_models_is_called_a_guess() -> None:
    scores = answers(np.random.default_rng(4), 300, SKILL[:5])
    three, five = (
        " ".join(str(plan_pilot_board(board_pilot(scores[:, :k]), models=12, items=400)).split())
        for k in (3, 5)
    )
    assert "estimated from only 3 models, so the forecast is very uncertain" in three
    assert "a guess" not in five
    assert "rank range covers" in five
