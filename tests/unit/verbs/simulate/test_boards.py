"""All pairs of a board: family-wise error, rank sets, and who may be asked what."""

from typing import Any

import numpy as np
import pytest

from nstar import ScoreMatrix, audit, stats
from nstar._engine.work import Execution
from nstar._verbs.simulate import INTERVALS, SCENARIOS, TESTS, Board, simulate
from nstar.errors import ParameterError


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def board(reps: int = 6, items: int = 300, **given: Any) -> Board:
    found = SCENARIOS["board"](rng(), reps, items, **given)
    assert isinstance(found, Board)
    return found


def test_pairs_have_the_p_value_of_their_own_table() -> None:
    scores = (rng().random((4, 50)) < 0.6).astype(np.int64)
    both = (scores @ scores.T)[None]
    sample = Board(items=50, right=scores.sum(axis=1)[None], both=both, rates=np.full(4, 0.6))
    for k, (i, j) in enumerate(zip(*sample.pairs, strict=True)):
        won = int((scores[i] > scores[j]).sum())
        lost = int((scores[i] < scores[j]).sum())
        assert sample.p[0, k] == stats.mcnemar_default_pvalue(won, lost, 50)
        assert sample.leads[0, k] == won - lost
    assert np.allclose(sample.covariance(0), np.cov(scores, ddof=0) / 50)


def test_adjustments_are_the_kernels() -> None:
    sample = board(spread=0.3, models=6)
    for p, none, bonferroni, holm in zip(
        sample.p,
        *(TESTS[name](sample, 0.05, rng()) for name in ("none", "bonferroni", "holm")),
        strict=True,
    ):
        assert np.array_equal(none, p <= 0.05)
        assert np.array_equal(bonferroni, p <= 0.05 / p.size)
        assert np.array_equal(holm, stats.holm(p) <= 0.05)
        assert (bonferroni <= holm).all()


@pytest.mark.parametrize("tied", [1, 2, 6])
def test_max_t_and_rank_sets_are_those_of_an_audit(tied: int) -> None:
    scores = (rng(tied).random((6, 400)) < np.linspace(0.8, 0.6, 6)[:, None]).astype(np.float64)
    gram = (scores @ scores.T).astype(np.int64)
    sample = Board(
        items=400, right=gram.diagonal()[None].copy(), both=gram[None], rates=np.full(6, 0.7)
    )
    found = audit(
        ScoreMatrix.from_arrays(scores, models=[f"m{k}" for k in range(6)]), draws=20_000
    )
    low, high = INTERVALS["rank-sets"](sample, 0.95, rng())
    order = [int(name[1:]) for name in found.ranking.model]
    assert low[0, order].tolist() == found.ranking.rank_low.tolist()
    assert high[0, order].tolist() == found.ranking.rank_high.tolist()


def test_the_last_pair_is_tested_alone() -> None:
    two = board(reps=400, models=2, spread=0.1, tied=1)
    alone = TESTS["none"](two, 0.05, rng())
    assert np.array_equal(TESTS["max-t"](two, 0.05, rng()), alone)
    assert 0.3 < alone.mean() < 1


@pytest.mark.slow
def test_family_wise_error_is_kept_by_those_who_promise_it() -> None:
    found = simulate(
        "board",
        items=[300],
        tests=["none", "bonferroni", "holm", "max-t"],
        intervals=["rank-sets"],
        values={"models": [4]},
        reps=800,
    )
    rate = {r.procedure: r for r in found.rates}
    assert rate["none"].rate > 0.15
    for name in ("bonferroni", "holm", "max-t"):
        assert rate[name].rate < 0.05 + 3 * rate[name].se
        assert rate[name].meaning == "family-wise error"
        assert rate[name].n_errors == rate[name].n_events
    assert rate["bonferroni"].n_events <= rate["holm"].n_events <= rate["none"].n_events
    assert rate["rank-sets"].rate > 0.95 - 3 * rate["rank-sets"].se
    assert (rate["rank-sets"].kind, rate["rank-sets"].meaning) == ("ranks", "coverage")
    assert found.levels[0] == "errs more"


def test_only_what_is_false_counts() -> None:
    apart: dict[str, Any] = {"spread": [0.8], "mean": [0.5], "models": [4], "rho": [0.2]}
    every = simulate("board", items=[400], tests=["none"], values={**apart, "tied": [1]}, reps=300)
    assert every.rates[0].n_events == 0
    ties = simulate("board", items=[400], tests=["none"], values={**apart, "tied": [2]}, reps=300)
    assert 0.04 < ties.rates[0].rate < 0.16
    assert np.isclose(ties.rates[0].truth, 0.8)


def test_rank_sets_hold_the_ranks_of_unequal_models() -> None:
    found = simulate(
        "board",
        items=[500],
        intervals=["rank-sets"],
        values={"rates": [(0.8, 0.7, 0.7, 0.5)]},
        reps=300,
    )
    assert found.rates[0].rate > 0.93
    low, high = INTERVALS["rank-sets"](
        board(items=2000, rates=(0.9, 0.5, 0.2), rho=0.2), 0.95, rng()
    )
    assert (low == [1, 2, 3]).all()
    assert (high == [1, 2, 3]).all()


def test_boards_do_not_depend_on_how_many_are_drawn_nor_on_workers() -> None:
    given: dict[str, Any] = {
        "items": [3000],
        "tests": ["max-t", "holm"],
        "intervals": ["rank-sets"],
        "values": {"models": [4], "spread": [0.0, 0.05]},
        "reps": 100,
    }
    one, three = (
        [r.n_events for r in simulate("board", **given, execution=Execution(workers=k)).rates]
        for k in (1, 3)
    )
    assert one == three
    whole = board(reps=7, models=5)
    generator, draw = rng(), SCENARIOS["board"]
    parts = [draw(generator, k, 300, models=5) for k in (3, 4)]
    test_rng = rng(2)
    cut = [TESTS["max-t"](part, 0.3, test_rng) for part in parts]
    assert np.array_equal(TESTS["max-t"](whole, 0.3, rng(2)), np.concatenate(cut))


@pytest.mark.parametrize(
    ("scenario", "given", "message"),
    [
        (
            "board",
            {"tests": ["t"]},
            "t needs two models, but scenario board has a board of models",
        ),
        ("board", {"intervals": ["q"]}, "q needs two models"),
        (
            "beta",
            {"tests": ["max-t"]},
            "max-t needs a board of models, but scenario beta has only two",
        ),
        ("bernoulli", {"intervals": ["rank-sets"]}, "rank-sets needs a board of models"),
    ],
)
def test_who_may_be_asked_what(scenario: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        simulate(scenario, items=[100], reps=5, **given)
