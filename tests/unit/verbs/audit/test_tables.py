"""The tables of an audit against plain numpy: readings, sizes of gaps, groups left out."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import special

import nstar
from helpers.boards import board, scores, subjects
from nstar import Audit, stats
from nstar._base.types import Array

audit: Any = nstar.audit  # results have parts that may be absent; a test knows which are there
K = float(stats.k_factor())
READINGS = ("independent", "strata:s", "cluster:s", "bonferroni", "holm", "maxt", "bh", "anytime")


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.default_draws", lambda _: 999)


def table(found: Audit) -> dict[tuple[str, str], Any]:
    return {(s.assumption, s.family): s for s in found.sensitivity}


def in_rank_order(x: Array) -> Array:
    return np.asarray(x[np.argsort(-np.nanmean(x, axis=1), kind="stable")])


# --- readings -----------------------------------------------------------------------------


@pytest.mark.parametrize("graded", [False, True])
def test_fixed_readings_are_audits_without_adjustment(graded: bool) -> None:
    x = scores(2, models=8, items=500, graded=graded)
    matrix = board(x, labels=subjects(2, 500))
    alone = {"independent": {}, "strata:s": {"strata": "s"}, "cluster:s": {"cluster": "s"}}
    told = {
        name: table(audit(matrix, pairs="top:4", **declared)) for name, declared in alone.items()
    }
    for rows in told.values():
        assert {reading for reading, _ in rows} == set(READINGS)
    df = {
        "independent": 499.0 if graded else math.inf,
        "strata:s": 500.0 - len(set(subjects(2, 500))),
    }
    for reading, other in alone.items():
        for family, pairs in (("adjacent", "adjacent"), ("top", "top:4"), ("all", "all")):
            one = audit(matrix, pairs=pairs, adjust="none", **other).listed
            for design, rows in told.items():
                row, where = rows[reading, family], (design, reading, family)
                assert row.n_pairs == len(one), where
                assert row.n_unresolved == (~one.is_resolved).sum(), where
                assert row.n_insignificant == (one.pvalue > 0.05).sum(), where
                if reading in df:
                    reach = stats.StudentTest().reach(df[reading])
                    assert row.t_resolved == pytest.approx(reach), where


def test_policies_have_one_critical_value_each() -> None:
    x = in_rank_order(scores(7, models=9, items=600, spread=1))
    found = audit(board(x), pairs="all")
    best = table(audit(board(x), pairs="top:5"))
    rows = table(found) | {key: row for key, row in best.items() if key[1] == "top"}
    place = {name: k for k, name in enumerate(found.ranking.model)}
    first = np.array([place[a] for a in found.pairs.model_a])
    second = np.array([place[b] for b in found.pairs.model_b])
    families = {"adjacent": second == first + 1, "top": second < 5, "all": second > first}
    for family, some in families.items():
        p = found.pairs.pvalue[some]
        rejected = {
            "bonferroni": stats.bonferroni(p) <= 0.05,
            "holm": stats.holm(p) <= 0.05,
            "bh": stats.benjamini_hochberg(p) <= 0.05,
        }
        for reading, reject in rejected.items():
            row = rows[reading, family]
            assert row.n_pairs == some.sum()
            assert row.n_insignificant == (~reject).sum(), (reading, family)
            needed = row.critical_value + float(stats.z_power(0.8))
            assert row.t_resolved == pytest.approx(needed)
            level = float(2 * special.ndtr(-row.critical_value))
            psi, delta = found.pairs.psi[some], np.abs(found.pairs.gap[some])
            items = stats.McNemarTest(alpha=level).n_star(delta, psi=psi)
            assert row.n_unresolved == (~(reject & (items <= 600))).sum(), (reading, family)
        assert rows["anytime", family].critical_value == pytest.approx(
            stats.anytime_critical(0.05)
        )
        order = [rows[r, family].n_unresolved for r in ("bh", "maxt", "holm", "bonferroni")]
        assert order[0] <= order[2] <= order[3]
        assert order[1] <= order[2] + 1
    assert rows["maxt", "all"].n_insignificant == (found.pairs.pvalue_adjusted > 0.05).sum()
    assert rows["maxt", "all"].n_unresolved == (~found.pairs.is_resolved).sum()
    assert rows["maxt", "all"].critical_value == found.critical_value


def test_max_t_of_a_family_is_that_of_an_audit_of_it() -> None:
    matrix = board(scores(7, models=9, items=600, spread=1))
    rows = table(audit(matrix, pairs="top:5"))
    best = audit(matrix).ranking.model[:5]
    few = audit(matrix, models=best)
    assert rows["maxt", "top"].n_unresolved == (
        few.n_pairs - few.verdict_counts["significant"] + few.n_underpowered
    )
    assert rows["maxt", "top"].critical_value == pytest.approx(few.critical_value, abs=0.15)


def test_columns_that_say_nothing_are_no_reading() -> None:
    x = scores(1, items=150)
    for labels in (["one"] * 150, [str(k) for k in range(150)]):
        found = audit(board(x, labels=labels))
        assert {s.assumption for s in found.sensitivity} == {"independent", *READINGS[3:]}
        assert found.leave_one_group_out == ()


# --- sizes of gaps ------------------------------------------------------------------------


@pytest.mark.parametrize(("graded", "missing"), [(False, 0.0), (True, 0.0), (False, 0.2)])
def test_bins_by_hand(graded: bool, missing: float) -> None:
    x = scores(3, models=14, items=300, graded=graded, missing=missing, spread=1)
    found = audit(board(x), pairs="all")
    size, q = np.abs(found.pairs.gap), found.pairs.q
    assert [b.low for b in found.gap_bins] == [0, 0.005, 0.01, 0.02, 0.05, 0.1]
    assert [b.high for b in found.gap_bins] == [0.005, 0.01, 0.02, 0.05, 0.1, math.inf]
    for b in found.gap_bins:
        here = (size >= b.low) & (size < b.high)
        short = here & (q < 1)
        assert (b.n_pairs, b.n_unresolved) == (here.sum(), short.sum())
        if not short.any():
            assert b.items_factor is None
            continue
        assert b.items_factor is not None
        with np.errstate(divide="ignore"):
            need = 1 / q[short]
        assert b.items_factor.worst == pytest.approx(need.max())
        low, high = (np.quantile(need, 0.5, method=m) for m in ("lower", "higher"))
        assert low * 0.98 <= b.items_factor.median <= high * 1.02
    assert sum(b.n_pairs for b in found.gap_bins) == 91


def test_bins_are_shares_of_the_scale() -> None:
    found = audit(board(200 * scores(3, graded=True)))
    width = found.score_range[1] - found.score_range[0]
    assert found.gap_bins[3].low == pytest.approx(0.02 * width)


@pytest.mark.parametrize("graded", [False, True])
def test_what_pairing_saves(graded: bool) -> None:
    x = scores(3, models=14, items=300, graded=graded)
    found = audit(board(x))
    pairs = list(itertools.combinations(range(14), 2))
    rho = np.asarray(np.corrcoef(x))[tuple(np.transpose(pairs))]
    saving = [(x[i].var() + x[j].var()) / (x[i] - x[j]).var() for i, j in pairs]
    for spread, values in ((found.rho, rho), (found.pairing_gain, saving)):
        assert spread is not None
        assert (spread.low, spread.high) == pytest.approx((min(values), max(values)))
        assert spread.median == pytest.approx(np.median(values), rel=0.01, abs=0.002)


def test_the_shortcut_calls_pairs_resolved_that_are_not() -> None:
    x = scores(5, models=20, items=900, spread=2)
    found = audit(board(x))
    p = found.adjacent
    usable = p.gap != 0
    n = stats.shortcut_n(p.mean_a[usable], p.mean_b[usable], p.rho[usable])
    short = (n <= p.n_items[usable]) & (p.q[usable] < 1)
    assert found.shortcut_check.n_pairs == usable.sum()
    assert found.shortcut_check.n_false_resolved == short.sum() > 0
    assert found.shortcut_check.ratio == pytest.approx(np.median(n / (p.n_items / p.q)[usable]))
    graded = audit(board(scores(5, graded=True))).shortcut_check
    assert (graded.n_false_resolved, graded.n_pairs, graded.ratio) == (0, 0, None)


# --- groups left out ----------------------------------------------------------------------


@pytest.mark.sampled(5)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("declared", [{}, {"strata": "s"}, {"cluster": "s"}])
def test_one_group_left_out_at_a_time(
    declared: dict[str, Any], graded: bool, missing: float
) -> None:
    rng = np.random.default_rng(4)
    x = scores(4, models=5, items=300, graded=graded, missing=missing)
    labels = np.array([f"g{k}" for k in rng.integers(0, 5, 300)])
    whole = audit(board(x, labels=labels.tolist()), adjust="none", **declared)
    (stability,) = whole.leave_one_group_out
    assert (stability.column, stability.n_pairs) == ("s", 4)
    kept = np.ones(4, dtype=np.bool_)
    by_name = {g.group: g for g in stability.groups}
    names = list(itertools.pairwise(whole.ranking.model))
    for group in sorted(set(labels)):
        some = labels != group
        less = board(x[:, some], labels=labels[some].tolist())
        left = [nstar.compare(less, a=two[0], b=two[1], **declared).tasks[0] for two in names]
        changed = (np.array([pair.q for pair in left]) >= 1) != (whole.adjacent.q >= 1)
        turned = np.sign([pair.gap for pair in left]) * np.sign(whole.adjacent.gap) < 0
        kept &= ~(changed | turned)
        found = by_name[group]
        assert (found.n_items, found.n_changed, found.n_reversed) == (
            (~some).sum(),
            changed.sum(),
            turned.sum(),
        ), group
    assert stability.n_stable == kept.sum()
    order = [(-g.n_changed, -g.n_reversed, g.group) for g in stability.groups]
    assert order == sorted(order)


# --- different items ----------------------------------------------------------------------


def easy_items_only() -> Array:
    """The last model is a little worse than the first two but has only the easier half."""
    rng = np.random.default_rng(8)
    x = (rng.random((4, 600)) < np.linspace(0.9, 0.3, 600)).astype(np.float64)
    x[0, :300], x[3, :300] = 1, np.where(np.arange(300) % 12 == 0, 0, 1)
    x[3, 300:] = np.nan
    return np.asarray(x)


def test_neighbors_that_stand_the_other_way_on_common_items() -> None:
    x = easy_items_only()
    found = audit(board(x))
    assert not found.is_complete
    assert found.ranking.model[:2] == ("m3", "m0")
    (flip,) = found.order_flips
    both = ~np.isnan(x[3])
    assert (flip.model_a, flip.model_b, flip.n_items) == ("m3", "m0", 300)
    assert flip.own_mean_a == pytest.approx(np.nanmean(x[3]))
    assert flip.own_mean_b == pytest.approx(x[0].mean())
    assert flip.own_mean_a > flip.own_mean_b
    assert flip.gap == pytest.approx((x[3] - x[0])[both].mean())
    assert flip.gap < 0
    assert (found.ranking.rank_low[0], found.ranking.rank_high[1]) == (2, 1)


def test_common_items_rank_all_on_the_same() -> None:
    x = easy_items_only()
    found = audit(board(x), items="common")
    assert (found.n_items, found.n_items_left_out, found.is_complete, found.item_set) == (
        300,
        300,
        True,
        "common",
    )
    assert found.ranking.model[:2] == ("m0", "m3")
    assert found.order_flips == ()
    assert found.rank_method == "maxt"
    pairwise = audit(board(x))
    assert (pairwise.n_items, pairwise.n_items_left_out, pairwise.item_set) == (600, 0, "pairwise")
    assert pairwise.ranking.n_items.tolist() == [300, 600, 600, 600]


def test_items_that_no_audited_model_has_do_not_count() -> None:
    x = scores(1)
    x[:3, :40] = np.nan
    found = audit(board(x), models=["m0", "m1", "m2"])
    assert (found.n_items, found.is_complete, found.rank_method) == (200, True, "maxt")


@pytest.mark.parametrize("few", [2, 14])
def test_few_clusters_are_a_rough_guide(few: int) -> None:
    labels = [f"g{k % few}" for k in range(240)]
    found = audit(board(scores(1), labels=labels), cluster="s")
    assert (found.caution is not None) == (few == 2)
    assert audit(board(scores(1), labels=labels), strata="s").caution is None


def test_adjacent_pairs_of_the_best_models_are_a_family() -> None:
    found = audit(board(scores(3, models=14)))
    rows = {(r.assumption, r.family): r for r in found.sensitivity}
    fixed = rows["independent", "top_adjacent"]
    assert fixed.n_pairs == 9
    assert fixed.n_unresolved == int((found.adjacent.q[:9] < 1).sum())
    strict = rows["bonferroni", "top_adjacent"]
    assert strict.critical_value == pytest.approx(special.ndtri(1 - 0.025 / 9))
    assert strict.n_unresolved is not None
    assert strict.n_unresolved >= fixed.n_unresolved
    assert {f for _, f in rows} == {"adjacent", "top_adjacent", "top", "all"}
    few = audit(board(scores(3, models=5)))
    assert "top_adjacent" not in {r.family for r in few.sensitivity}


def test_exaggeration_of_underpowered_pairs() -> None:
    pairs = audit(board(scores(3, models=14))).adjacent
    ratio = pairs.exaggeration
    assert (np.isfinite(ratio) == pairs.is_underpowered).all()
    z = np.random.default_rng(0).standard_normal(400_000)
    for k in np.flatnonzero(pairs.is_underpowered):
        shift = abs(pairs.gap[k]) / pairs.se[k]
        t = shift + z
        significant = np.abs(t) > pairs.significant_gap_adjusted[k] / pairs.se[k]
        assert ratio[k] == pytest.approx(np.abs(t[significant]).mean() / shift, rel=0.01)
