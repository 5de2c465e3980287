"""What simulated boards show, held against formulas, enumeration and audits."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import nstar
from nstar import ScoreMatrix, audit, stats
from nstar._base.types import Array
from nstar._engine.work import Execution
from nstar._verbs.board_outcomes import standings
from nstar._verbs.simulate import SCENARIOS, TESTS, simulate
from nstar._verbs.simulate.result import BoardPower
from nstar._verbs.simulate.scenarios.boards import _grouped_tests, _paired_tests
from nstar.errors import ParameterError, QuestionError
from nstar.report.charts import figure


def power(
    reps: int = 400, items: int = 400, tests: tuple[str, ...] = (), **given: Any
) -> BoardPower:
    values = {name: [value] for name, value in given.items()}
    found = simulate("board", items=items, tests=tests, values=values, reps=reps).rates[0].board
    assert found is not None
    return found


def near(got: float | None, want: float, se: float | None, more: float = 0.0) -> bool:
    assert got is not None
    assert se is not None
    return abs(got - want) < 3.5 * se + more


def test_two_models_have_the_exact_power_of_mcnemars_test() -> None:
    found = power(reps=3000, items=200, models=2, delta=0.08)
    psi = float(stats.psi_from_rho(0.74, 0.66, 0.5))
    reached = float(stats.exact_power(0.08, psi=psi, n=200, method="midp"))
    assert near(found.winner_proved, reached, found.winner_proved_se)
    # one pair is the whole board
    assert found.winner_proved == found.neighbors == found.all_neighbors == found.each[0]
    assert found.winner_proved is not None
    assert found.tiers == pytest.approx(1 + found.winner_proved, abs=0.002)


def _sigma(p: float = 0.7, rho: float = 0.5) -> float:
    return math.sqrt(2 * p * (1 - p) * (1 - rho))


def test_the_best_is_on_top_as_often_as_selection_says() -> None:
    found = power(reps=3000, items=300, tests=("holm",), models=6, lead=0.05)
    want = float(stats.selection_power(0.05, sigma=_sigma(), n=300, models=6))
    assert near(found.winner, want, found.winner_se, 0.01)
    assert found.each[1:] == (None,) * 4
    assert found.all_neighbors == found.neighbors == found.each[0]


@pytest.mark.slow
def test_a_plan_and_a_simulation_mean_the_same_rho() -> None:
    """At a latent correlation of 0.5 the best would be on top in 88%, not in the planned 95%."""
    planned = nstar.plan_board(baseline=0.7, delta=0.02, models=10, goal="best", rho=0.5)
    found = power(
        reps=1000, items=int(planned.n_star or 0), tests=("none",), models=10, mean=0.71, lead=0.02
    )
    assert near(found.winner, 0.95, found.winner_se, 0.005)


@pytest.mark.slow
def test_a_plan_and_a_simulation_mean_the_same_icc() -> None:
    given: dict[str, Any] = {"baseline": 0.66, "rho": 0.5, "icc": 0.1, "clusters": 40}
    planned = nstar.plan(items=800, delta=0.08, **given)
    found = power(reps=1500, items=800, models=2, mean=0.70, delta=0.08, clusters=40, icc=0.1)
    assert near(found.winner_proved, planned.power or 0.0, found.winner_proved_se, 0.01)


def test_all_neighbors_are_told_apart_as_often_as_a_ladder_says() -> None:
    """Step-down procedures find more than one critical value, so that it is a lower bound."""
    models, n, delta = 3, 1500, 0.05
    found = power(reps=300, items=n, models=models, delta=delta)
    shift = delta * math.sqrt(n) / _sigma()
    c = float(stats.tukey_critical(models))
    low = stats.ladder_power(shift, models=models, critical=c)
    high = stats.ladder_power(shift, models=models, critical=float(special.ndtri(0.975)))
    assert found.all_neighbors is not None
    assert found.all_neighbors_se is not None
    slack = 3.5 * found.all_neighbors_se
    assert low - slack < found.all_neighbors < high + slack
    assert 0.2 < low < high < 0.99


def test_equal_models_have_nothing_to_find_and_keep_their_level() -> None:
    rate = simulate("board", items=200, values={"models": [5], "delta": [0.0]}, reps=300).rates[0]
    board = rate.board
    assert board is not None
    assert rate.rate < 0.05 + 3 * rate.se
    assert (board.winner, board.winner_proved, board.neighbors, board.all_neighbors) == (None,) * 4
    assert board.each == (None,) * 4
    assert board.tiers < 1.1
    assert board.rank_width > 4.8


def test_ties_at_the_top_are_decided_by_lot() -> None:
    seen, true = np.array([[0.5, 0.5, 0.5]]), np.array([0.6, 0.5, 0.4])
    found = standings(np.zeros((1, 3, 3), dtype=np.bool_), seen, true)
    assert found.on_top.tolist() == [pytest.approx(1 / 3)]
    assert found.rank_width.tolist() == [3]


def test_tiers_and_widths_are_the_kernels() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        seen = rng.normal(size=(1, 7))
        wins = (seen[:, :, None] - seen[:, None, :]) > rng.uniform(0, 1.5)
        found = standings(wins, seen, rng.normal(size=7))
        assert found.tiers[0] == 1 + len(stats.tier_lines(wins[0], np.argsort(-seen[0])))
        low, high = stats.rank_sets(wins[0])
        assert found.rank_width[0] == pytest.approx((high - low + 1).mean())


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("clusters", [None, 12])
def test_pairs_are_tested_as_an_audit_tests_them(missing: float, clusters: int | None) -> None:
    rng = np.random.default_rng(7)
    sizes = np.full(clusters or 1, 240 // (clusters or 1))
    luck = np.repeat(rng.normal(0, 0.1, (5, sizes.size)), sizes, axis=1)
    scores = (rng.random((5, 240)) < np.linspace(0.8, 0.5, 5)[:, None] + luck) * 1.0
    there: Array = (rng.random(scores.shape) >= missing).astype(np.float64)
    x = scores * there
    lead, p = _paired_tests(x, there) if clusters is None else _grouped_tests(x, there, sizes)
    holes = np.where(there > 0, scores, np.nan)
    group = {} if clusters is None else {"g": np.repeat(np.arange(sizes.size), sizes).tolist()}
    matrix = ScoreMatrix.from_arrays(holes, models=list("abcde"), groups=group)
    cluster = None if clusters is None else "g"
    found = audit(matrix, cluster=cluster, adjust="none", pairs="all").pairs
    names = list("abcde")
    first, second = np.triu_indices(5, 1)
    named = [frozenset((names[i], names[j])) for i, j in zip(first, second, strict=True)]
    place = {pair: k for k, pair in enumerate(named)}
    for k, (a, b) in enumerate(zip(found.model_a, found.model_b, strict=True)):
        at = place[frozenset((a, b))]
        assert p[at] == pytest.approx(found.pvalue[k], rel=1e-9)
        sign = 1 if a < b else -1
        assert lead[at] * sign == pytest.approx(found.gap[k] * found.n_items[k])


def test_an_audit_takes_holm_where_max_t_knows_too_little() -> None:
    def drawn(items: int, **given: Any) -> Any:
        draw, rng = SCENARIOS["board"], np.random.default_rng(1)
        return draw(rng, 20, items, models=4, delta=0.1, **given)

    for board in (drawn(60), drawn(200, missing=0.1), drawn(200, clusters=10)):
        rng = np.random.default_rng(2)
        assert np.array_equal(TESTS["audit"](board, 0.05, rng), TESTS["holm"](board, 0.05, rng))
    plain = drawn(200)
    one, two = (TESTS[k](plain, 0.05, np.random.default_rng(2)) for k in ("audit", "max-t"))
    assert np.array_equal(one, two)
    with pytest.raises(ParameterError, match="max-t needs the scores of independent items"):
        TESTS["max-t"](drawn(200, missing=0.1), 0.05, np.random.default_rng(2))


def test_clusters_and_missing_cells_cost_power() -> None:
    given: dict[str, Any] = {"models": 3, "delta": 0.08, "items": 400, "tests": ("holm",)}
    plain = power(**given)
    clustered = power(**given, clusters=20, icc=0.3)
    holes = power(**given, missing=0.4)
    assert plain.winner_proved is not None
    for less in (clustered, holes):
        assert less.winner_proved is not None
        assert less.winner_proved < plain.winner_proved - 0.1
        assert less.rank_width > plain.rank_width


def test_clusters_that_are_declared_keep_the_level() -> None:
    values: dict[str, Any] = {
        "models": [4],
        "delta": [0.0],
        "clusters": [20],
        "icc": [0.3],
        "missing": [0.05],
    }
    rate = simulate("board", items=300, values=values, reps=500).rates[0]
    assert rate.rate < 0.05 + 3 * rate.se


def test_numbers_are_the_same_for_any_workers_and_any_company() -> None:
    given: dict[str, Any] = {
        "items": [2000],
        "values": {"models": [4], "delta": [0.01, 0.03], "missing": [0.05], "clusters": [10]},
        "reps": 60,
    }
    found = [
        simulate("board", **given, tests=tests, execution=Execution(workers=k)).rates
        for k, tests in ((1, ["holm"]), (3, ["none", "holm"]))
    ]
    both = [[r.board for r in rates if r.procedure == "holm"] for rates in found]
    assert both[0] == both[1]


def test_old_parameters_draw_what_they_drew() -> None:
    """Parameters that came later change no number until they are used."""
    old: dict[str, Any] = {"models": [4], "spread": [0.05]}
    one, two = (
        simulate("board", items=200, tests=["none"], values=values, reps=100).rates[0].n_events
        for values in (old, {**old, "missing": [0.0], "icc": [0.1], "delta": [None]})
    )
    assert one == two == 8


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"delta": [0.1]}, "range from 1.15 down to 0.25"),
        ({"delta": [-0.1]}, "delta"),
        ({"delta": [0.01], "spread": [0.1]}, "both set the gaps"),
        ({"missing": [1.0]}, "missing"),
        ({"clusters": [1]}, "clusters"),
        ({"clusters": [1000]}, "at least 1000, the number of clusters"),
    ],
)
def test_impossible_boards_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        simulate("board", items=100, values=values, reps=5)


def test_gaps_and_rates_are_the_same_board() -> None:
    gaps = nstar.simulate("board", items=300, gaps=[0.03, 0.01], reps=40, seed=3)
    rates = nstar.simulate(items=300, rates=[0.72, 0.69, 0.68], reps=40, seed=3)
    first, second = gaps.rates[0].board, rates.rates[0].board
    assert first is not None
    assert second is not None
    assert first.scores == second.scores == (0.72, 0.69, 0.68)
    assert np.mean(np.subtract(first.rank_high, first.rank_low)) + 1 == pytest.approx(
        first.rank_width
    )
    with pytest.raises(ParameterError, match="Use only one"):
        nstar.simulate("board", items=300, gaps=[0.03], rates=[0.7, 0.6], reps=2)
    with pytest.raises(ParameterError, match="gaps between adjacent models"):
        nstar.simulate("board", items=300, values={"gaps": [(0.1, -0.1)]}, reps=2)


def test_a_pilot_of_many_models(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    z = (rng.standard_normal(800) + rng.standard_normal((4, 800))) / 2**0.5
    right = z < special.ndtri(np.array([0.8, 0.7, 0.68, 0.5]))[:, None]
    path = tmp_path / "pilot.csv"
    lines = [f"m{m},q{i},{int(right[m, i])}" for m in range(4) for i in range(800)]
    path.write_text("\n".join(["model,item,score", *lines]))
    result = nstar.simulate("board", pilot=str(path), items=400, reps=20)
    board = result.rates[0].board
    assert board is not None
    means = np.sort(right.mean(axis=1))[::-1]
    assert np.ptp(board.scores) < np.ptp(means)
    np.testing.assert_allclose(board.scores, means, atol=0.02)
    assert result.rates[0].parameters["rho"] == pytest.approx(1 / 3, abs=0.06)
    with pytest.raises(QuestionError, match="already determines"):
        nstar.simulate("board", pilot=str(path), items=400, gaps=[0.01], reps=2)


def test_the_ladder_of_a_simulated_board() -> None:
    result = nstar.simulate("board", items=300, gaps=[0.1, 0.01], reps=20)
    chart = figure(result, "ladder")
    assert "Expected rank range" in chart.svg
    assert "CI" not in chart.svg
    several = nstar.simulate("board", items=[200, 300], gaps=[0.1], reps=2)
    with pytest.raises(ParameterError, match="one simulated leaderboard"):
        figure(several, "ladder")
