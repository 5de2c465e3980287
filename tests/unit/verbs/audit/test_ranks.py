"""Ranks and tiers, and what they rest on."""

from typing import Any

import numpy as np
import pytest

import nstar
from helpers.boards import board, scores, subjects
from nstar import Audit, stats
from nstar._base.types import BoolArray
from nstar._verbs.audit.ranking import places

audit: Any = nstar.audit  # results have parts that may be absent; a test knows which are there


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.default_draws", lambda _: 999)


def beats(found: Audit, alpha: float = 0.05) -> BoolArray:
    """Which model beats which, in rank order, read off all pairs of an audit."""
    m, p = len(found), found.pairs
    place = {name: k for k, name in enumerate(found.ranking.model)}
    better = np.zeros((m, m), dtype=np.bool_)
    sign = -1 if found.lower_is_better else 1
    for a, b, delta, adjusted in zip(p.model_a, p.model_b, p.gap, p.pvalue_adjusted, strict=True):
        if adjusted <= alpha:
            i, j = place[a], place[b]
            better[(i, j) if sign * delta > 0 else (j, i)] = True
    return better


def assert_ranks(found: Audit, alpha: float = 0.05) -> None:
    better, r = beats(found, alpha), found.ranking
    low, high = stats.rank_sets(better)
    assert r.rank_low.tolist() == low.tolist()
    assert r.rank_high.tolist() == high.tolist()
    lines = stats.tier_lines(better, np.arange(len(found)))
    assert [k + 1 for k, step in enumerate(np.diff(r.tier)) if step] == lines
    assert r.tier[0] == 1
    assert (np.diff(r.tier) <= 1).all()
    assert (r.marginal_rank_low >= r.rank_low).all()
    assert (r.marginal_rank_high <= r.rank_high).all()
    assert (r.marginal_rank_low <= r.marginal_rank_high).all()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("declared", [{}, {"strata": "s"}, {"cluster": "s"}])
def test_ranks_and_tiers_follow_the_rejections(
    declared: dict[str, Any], graded: bool, missing: float, lower: bool
) -> None:
    x = scores(3, models=12, items=400, graded=graded, missing=missing)
    x[6:, ::2] *= 0
    matrix = board(x, labels=subjects(3, 400, groups=25), lower_is_better=lower)
    found = audit(matrix, pairs="all", **declared)
    assert found.rank_method == ("holm" if missing or "cluster" in declared else "maxt")
    assert found.adjust == found.rank_method
    assert len(set(found.ranking.tier.tolist())) > 1
    assert_ranks(found)
    means = np.nanmean(x, axis=1)
    order = np.argsort(means if lower else -means)
    assert found.ranking.model == tuple(f"m{k}" for k in order)
    assert found.ranking.mean == pytest.approx(means[order])
    assert found.ranking.n_items.tolist() == (~np.isnan(x)).sum(axis=1)[order].tolist()
    assert found.ranking.rank.tolist() == list(range(1, 13))


@pytest.mark.parametrize("adjust", ["bonferroni", "bh", "none"])
def test_ranks_are_family_wise_whatever_verdicts_are(adjust: Any) -> None:
    matrix = board(scores(4, models=10, spread=1))
    usual, other = audit(matrix), audit(matrix, adjust=adjust)
    assert other.adjust == adjust
    assert (other.rank_method, other.adjust_reason) == ("maxt", None)
    for name, column in usual.ranking.columns().items():
        assert list(column) == list(other.ranking.columns()[name]), name


def test_another_level() -> None:
    matrix = board(scores(4, models=10, spread=1))
    found = audit(matrix, pairs="all", alpha=0.3, power=0.5)
    assert_ranks(found, alpha=0.3)
    strict = audit(matrix, alpha=0.001)
    assert (strict.ranking.rank_low <= found.ranking.rank_low).all()
    assert (strict.ranking.rank_high >= found.ranking.rank_high).all()


def test_one_model_alone_with_holm_is_at_least_bonferroni_over_its_own_pairs() -> None:
    found = audit(board(scores(9, models=10, missing=0.1, spread=2)), pairs="all")
    p = found.pairs
    for k, name in enumerate(found.ranking.model):
        mine = [i for i, ab in enumerate(zip(p.model_a, p.model_b, strict=True)) if name in ab]
        own = [(p.model_a[i] == name) == (p.gap[i] > 0) for i in mine if p.pvalue[i] <= 0.05 / 9]
        assert found.ranking.marginal_rank_low[k] >= 1 + own.count(False)
        assert found.ranking.marginal_rank_high[k] <= 10 - own.count(True)


# --- ties and ends ------------------------------------------------------------------------


def test_equal_means_share_the_better_place_in_the_order_of_names() -> None:
    x = scores(1, models=4)
    x[2] = np.roll(x[1], 7)
    found = audit(board(x, models=["d", "c", "b", "a"]))
    assert found.ranking.model == ("d", "b", "c", "a")
    assert found.ranking.rank.tolist() == [1, 2, 2, 4]
    assert found.order_flips == ()


def test_places_of_ties() -> None:
    assert places(np.array([0.5, 0.5, 0.5]), 1).tolist() == [1, 1, 1]
    assert places(np.array([0.1, 0.2, 0.2]), -1).tolist() == [1, 2, 2]


@pytest.mark.parametrize("graded", [False, True])
def test_identical_models(graded: bool) -> None:
    x = scores(2, graded=graded, spread=3)
    x[4] = x[1]
    found = audit(board(x), pairs="all")
    assert_ranks(found)
    row = next(r for r in found.pairs.rows() if (r["model_a"], r["model_b"]) == ("m1", "m4"))
    assert (row["gap"], row["se"], row["t"], row["pvalue"], row["pvalue_adjusted"]) == (
        0,
        0,
        0,
        1,
        1,
    )
    assert row["verdict"] == "inconclusive"
    assert np.isnan(row["q"])
    assert row["more_items"] == np.inf
    assert row["rho"] == pytest.approx(1)


def test_only_identical_models() -> None:
    found = audit(board(np.tile(scores(1, models=1), (4, 1))))
    assert found.ranking.rank.tolist() == [1] * 4
    assert found.ranking.rank_high.tolist() == [4] * 4
    assert found.ranking.tier.tolist() == [1] * 4
    assert found.critical_value == pytest.approx(1.96, abs=1e-3)
    assert found.pairing_gain is None
    assert found.verdict_counts["inconclusive"] == 6


@pytest.mark.parametrize("level", [0.0, 1.0, 0.3])
def test_a_model_with_one_score_everywhere(level: float) -> None:
    x = scores(2)
    x[3] = level
    found = audit(board(x), pairs="all")
    assert_ranks(found)
    with_it = [r for r in found.pairs.rows() if "m3" in (r["model_a"], r["model_b"])]
    assert all(np.isnan(r["rho"]) for r in with_it)
    assert all(np.isfinite(r["t"]) for r in with_it)


@pytest.mark.parametrize("declared", [{}, {"strata": "s"}])
def test_gaps_that_never_vary_are_underpowered(declared: dict[str, Any]) -> None:
    """All right against all wrong: no error was measured, so there is no q."""
    x = scores(2)
    x[0], x[5] = 1, 0
    found = audit(board(x, labels=subjects(2, 240)), pairs="all", **declared)
    assert_ranks(found)
    row = next(r for r in found.pairs.rows() if (r["model_a"], r["model_b"]) == ("m0", "m5"))
    assert row["verdict"] == "significant"
    assert row["is_underpowered"]
    assert row["pvalue_adjusted"] <= 0.01
    assert (row["se"], row["t"]) == (0, np.inf)
    assert np.isnan(row["q"])
    resolved = {
        s.assumption: s.n_pairs - s.n_unresolved for s in found.sensitivity if s.family == "all"
    }
    assert resolved[found.adjust] == found.verdict_counts["significant"] - found.n_underpowered


def test_graded_models_one_step_apart_everywhere() -> None:
    x = scores(2, graded=True)
    x[1] = x[0] - 0.05
    found = audit(board(x), pairs="all")
    assert_ranks(found)
    row = next(r for r in found.pairs.rows() if (r["model_a"], r["model_b"]) == ("m0", "m1"))
    assert (row["verdict"], row["is_underpowered"], row["se"]) == ("significant", True, 0)
    assert found.rho.high == pytest.approx(1)
    assert found.pairing_gain.high < 1e6


def test_two_models_are_one_comparison() -> None:
    """No draws are needed for a family of one."""
    cells = np.repeat([[1.0, 1], [1, 0], [0, 1], [0, 0]], [628, 96, 70, 206], axis=0)
    found = audit(board(cells.T))
    row = next(found.adjacent.rows())
    assert (
        row["pvalue_adjusted"] == pytest.approx(row["pvalue"]) == pytest.approx(0.0440, abs=1e-4)
    )
    assert found.critical_value == pytest.approx(1.959964, abs=1e-6)
    assert row["verdict"] == "significant"
    assert row["is_underpowered"]
    assert found.ranking.rank_high.tolist() == found.ranking.tier.tolist() == [1, 2]


@pytest.mark.parametrize("graded", [False, True])
def test_one_item(graded: bool) -> None:
    found = audit(board(scores(3, items=1, graded=graded), labels=["g"]), pairs="all", margin=0.1)
    assert found.ranking.rank_high.tolist() == [6] * 6
    assert found.verdict_counts["inconclusive"] == 15
    assert (found.pairs.pvalue == 1).all()
    assert (found.pairs.ci_adjusted_low <= found.pairs.gap).all()


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("declared", [{}, {"strata": "s"}, {"cluster": "s"}])
def test_models_without_an_item_in_common(graded: bool, declared: dict[str, Any]) -> None:
    x = scores(3, graded=graded, spread=3)
    x[1, :120], x[2, 120:], x[3, 1:] = np.nan, np.nan, np.nan
    labels = [f"g{k % 7}" for k in range(240)]
    found = audit(board(x, labels=labels), pairs="all", margin=0.3, delta=0.01, **declared)
    row = next(r for r in found.pairs.rows() if {r["model_a"], r["model_b"]} == {"m1", "m2"})
    assert (row["n_items"], row["pvalue"], row["pvalue_adjusted"]) == (0, 1, 1)
    assert np.isnan(
        [row[k] for k in ("gap", "se", "t", "q", "mde", "ci_adjusted_low", "rho")]
    ).all()
    assert row["verdict"] == "inconclusive"
    assert_ranks(found)
    last = found.gap_bins[-1]
    assert sum(b.n_pairs for b in found.gap_bins) == 13
    assert (last.items_factor is None) == (not last.n_unresolved)
    assert str(found)


# --- max-T or Holm ------------------------------------------------------------------------


def test_seed_and_draws_are_used_and_told() -> None:
    matrix = board(scores(4, spread=1))
    one, same, other = (audit(matrix, draws=999, seed=s) for s in (1, 1, 2))
    assert (one.n_draws, one.seed) == (999, 1)
    assert one.adjacent.pvalue_adjusted.tolist() == same.adjacent.pvalue_adjusted.tolist()
    assert one.adjacent.pvalue_adjusted.tolist() != other.adjacent.pvalue_adjusted.tolist()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"missing": 0.1}, "different items"),
        ({"items": 99}, "fewer than 100 items"),
        ({"models": 1001, "items": 100}, "more than 1000 models"),
    ],
)
def test_holm_takes_the_place_of_max_t(options: dict[str, Any], why: str) -> None:
    found = audit(board(scores(1, **options)))
    assert (found.adjust, found.rank_method, found.n_draws) == ("holm", "holm", None)
    assert why in found.adjust_reason
    rows = [s for s in found.sensitivity if s.assumption == "maxt" and s.family == "all"]
    assert why in rows[0].reason
    assert rows[0].n_unresolved is None
