"""Strata, clusters and groups: declared, never chosen; shown beside one another."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats as reference

from nstar import compare, stats
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.plan import Design, PairedPsi
from nstar.errors import DataError, ParameterError
from nstar.report import render

RNG = np.random.default_rng(5)
SIZES = [30, 50, 20, 60, 40, 35, 25]
CODES = np.repeat(np.arange(7), SIZES)
EFFECT = np.repeat(RNG.normal(0.1, 0.15, 7), SIZES)
A = (RNG.random(260) < 0.55 + EFFECT).astype(float)
B = (RNG.random(260) < 0.55).astype(float)
LABELS = [f"g{k}" for k in CODES]


def pair_of(**options: Any) -> Any:
    groups = {"g": LABELS}
    return compare(A, B, groups=groups, **options).tasks[0]


def by_group(d: Array) -> list[Array]:
    return [d[k == CODES] for k in range(7)]


def power_of_t(shift: float, df: float) -> float:
    """Two-sided power of Student's t at a gap of ``shift`` standard errors."""
    critical = reference.t.isf(0.025, df)
    return float(reference.nct.sf(critical, df, shift) + reference.nct.cdf(-critical, df, shift))


def cr2(d: Array) -> float:
    n, mean = d.size, d.mean()
    parts = [(x.sum() - x.size * mean) ** 2 / (1 - x.size / n) for x in by_group(d)]
    return float(sum(parts) / n**2)


def test_undeclared_is_independent_items() -> None:
    pair = pair_of()
    bare = compare(A, B).tasks[0]
    assert pair.estimate == bare.estimate
    assert pair.estimate.design == "independent"
    assert [r.design for r in pair.other_designs] == ["strata:g", "cluster:g"]
    assert bare.other_designs == ()


def test_clusters_by_hand() -> None:
    pair = pair_of(cluster="g")
    d = A - B
    assert pair.estimate.design == "cluster:g"
    assert pair.estimate.n_groups == 7
    assert pair.se == pytest.approx(math.sqrt(cr2(d)))
    assert pair.t == pytest.approx(d.mean() / pair.se)
    df = float(stats.bell_mccaffrey_df(SIZES))
    assert pair.estimate.df == pytest.approx(df)
    half = float(stats.t_quantile(0.975, df)) * pair.se
    assert pair.ci == pytest.approx((d.mean() - half, d.mean() + half))
    assert pair.estimate.design_effect == pytest.approx(cr2(d) / (d.var(ddof=1) / d.size))
    assert power_of_t(pair.mde / pair.se, df) == pytest.approx(0.8, abs=1e-6)
    more = pair.n_star / 260
    assert power_of_t(pair.t * math.sqrt(more), (df + 1) * more - 1) == pytest.approx(
        0.8, abs=1e-6
    )
    assert pair.q == pytest.approx(260 / pair.n_star)
    assert [r.design for r in pair.other_designs] == ["independent", "strata:g"]
    assert pair.pvalue_midp is not None
    assert pair.pvalue_signflip is not None


def test_a_plan_can_be_fed_with_the_clusters_seen() -> None:
    result = compare(A, B, groups={"g": LABELS}, cluster="g")
    d = result.tasks[0].estimate
    sizes = np.array(SIZES)
    assert d.cluster_size == pytest.approx((sizes**2).sum() / sizes.sum())
    assert d.icc_plan is not None
    fed = Design(noise=PairedPsi(psi=0.5), icc=d.icc_plan, cluster_size=d.cluster_size)
    assert float(fed.design_effect(260)) == pytest.approx(d.design_effect)
    text = " ".join(render(result, level="full").split())
    assert f"nstar plan --icc {d.icc_plan:.3g} --cluster-size {d.cluster_size:.4g};" in text


def test_clusters_that_balance_one_another_are_no_advice_for_a_plan() -> None:
    a = np.tile([1.0, 0.0], 30)
    result = compare(a, 1 - a, groups={"g": np.repeat(np.arange(6), 10).tolist()}, cluster="g")
    d = result.tasks[0].estimate
    assert d.design_effect is not None
    assert d.design_effect < 1
    assert d.icc_plan is None
    assert "nstar plan" not in render(result)


def test_strata_by_hand() -> None:
    pair = pair_of(strata="g")
    d = A - B
    variance = sum((x.size / 260) ** 2 * x.var(ddof=1) / x.size for x in by_group(d))
    assert pair.estimate.design == "strata:g"
    assert pair.se == pytest.approx(math.sqrt(variance))
    assert pair.estimate.df == 253
    quantile = float(stats.t_quantile(0.975, 253))
    half = quantile * pair.se / math.sqrt(1 - quantile**2 / 260)  # as under the null hypothesis
    assert pair.ci == pytest.approx((d.mean() - half, d.mean() + half))
    assert pair.estimate.icc is None
    error = math.sqrt(variance + d.mean() ** 2 / 260)
    assert pair.pvalue == pytest.approx(
        float(stats.t_pvalue(d.mean(), error * math.sqrt(254), 254)), rel=1e-9
    )


def test_strata_almost_without_spread() -> None:
    """9 of 10 items won in one stratum and no difference in the other: p was 4.4e-8."""
    a, b = np.zeros((2, 20))
    a[:9] = 1
    pair = compare(a, b, strata=["won"] * 10 + ["even"] * 10).tasks[0]
    assert pair.se == pytest.approx(0.05)
    assert pair.pvalue == pytest.approx(2**-8)
    half = float(stats.t_quantile(0.975, 18)) * 0.05
    assert pair.ci.high - 0.45 == pytest.approx(half / math.sqrt(1 - (half / 0.05) ** 2 / 20))
    b[3] = 1
    a[3] = 0
    pair = compare(a, b, strata=["won"] * 10 + ["even"] * 10).tasks[0]
    exact = reference.binomtest(8, 9).pvalue
    assert exact / 3 < pair.pvalue < exact


@pytest.mark.parametrize("seed", range(20))
def test_strata_of_0_1_scores_are_significant_where_the_interval_excludes_0(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (rng.random((2, 24)) < [[0.8], [0.3]]).astype(float)
    pair = compare(a, b, strata=["x"] * 12 + ["y"] * 12).tasks[0]
    assert (pair.pvalue < 0.05) == (not pair.ci.low <= 0 <= pair.ci.high)


def test_the_gap_is_the_same_under_every_reading() -> None:
    declared = [pair_of(), pair_of(strata="g"), pair_of(cluster="g")]
    assert len({pair.gap for pair in declared}) == 1
    assert len({pair.sigma for pair in declared}) == 1
    assert len({pair.pvalue_exact for pair in declared}) == 1


def test_alternatives_are_what_declaring_them_gives() -> None:
    strata, cluster = pair_of().other_designs
    assert strata == pair_of(strata="g").estimate
    assert cluster == pair_of(cluster="g").estimate


def test_labels_may_be_given_for_the_design_alone() -> None:
    pair = compare(A, B, cluster=LABELS).tasks[0]
    assert pair.estimate.design == "cluster:cluster"
    assert pair.se == pair_of(cluster="g").se


def test_one_sided_clusters() -> None:
    two = pair_of(cluster="g")
    there = pair_of(cluster="g", alternative="greater")
    assert there.pvalue == pytest.approx(two.pvalue / 2)
    back = compare(B, A, cluster=LABELS, alternative="greater").tasks[0]
    assert back.pvalue == pytest.approx(1 - two.pvalue / 2)


def test_one_cluster_is_refused() -> None:
    with pytest.raises(DataError, match=r"All 3 items are in one cluster \(x\)"):
        compare([1, 0, 1], [0, 1, 1], cluster=["x", "x", "x"])


def test_a_wrong_column_names_those_there_are() -> None:
    with pytest.raises(DataError, match=r"No group column h for cluster\. Available: g"):
        pair_of(cluster="h")


def test_design_of_one_item() -> None:
    with pytest.raises(DataError, match="at least 2 shared items"):
        compare([1], [0], strata=["x"])


def test_few_clusters_carry_a_caution_and_no_warning() -> None:
    pair = compare(A, B, cluster=["x"] * 200 + ["y"] * 60).tasks[0]
    assert pair.estimate.caution is not None
    assert "is approximate, because the largest cluster has 77%" in pair.estimate.caution
    assert pair_of(cluster="g").estimate.caution is None


def test_clusters_that_agree_exactly_prove_nothing() -> None:
    """Two clusters with equal means have a cluster-robust error of 0: no evidence."""
    a, b = [1, 1, 0, 1, 1, 0], [0, 1, 0, 0, 1, 0]
    pair = compare(a, b, cluster=[0, 0, 0, 1, 1, 1]).tasks[0]
    assert (pair.se, pair.q, pair.mde) == (0, None, None)
    assert pair.pvalue == 0.5
    assert pair.ci.low < 0 < pair.ci.high
    assert pair.verdict == "inconclusive"


def test_strata_without_spread() -> None:
    pair = compare([1, 1, 0, 0], [0, 0, 0, 0], strata=[0, 0, 1, 1]).tasks[0]
    assert pair.se == 0
    assert pair.pvalue == pytest.approx(0.5)
    assert pair.verdict == "inconclusive"


def test_strata_of_one_item_are_pooled() -> None:
    pair = compare([1, 1, 0, 0, 1], [0, 1, 1, 0, 0], strata=list("abcde")).tasks[0]
    assert pair.estimate.df == 4
    d = np.array([1, 0, -1, 0, 1])
    assert pair.se == pytest.approx(d.std(ddof=1) / math.sqrt(5))


def test_the_stratum_that_a_lone_item_joins_is_not_the_first_by_chance() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 7))
    labels = np.array(list("xxxyyyz"))
    found = {
        round(compare(a[order], b[order], strata=labels[order].tolist()).tasks[0].se, 12)
        for order in (rng.permutation(7) for _ in range(20))
    }
    assert len(found) == 1


def test_items_without_a_label_are_one_group() -> None:
    labels = [None, None, "x", "x", "y"]
    pair = compare([1, 1, 0, 0, 1], [0, 1, 1, 0, 0], groups={"g": labels}).tasks[0]
    assert {r.group: r.n_items for r in pair.breakdowns[0].groups} == {
        "(no label)": 2,
        "x": 2,
        "y": 1,
    }


def test_columns_that_say_nothing_are_left_alone() -> None:
    pair = compare([1, 0, 1], [0, 1, 1], groups={"id": [1, 2, 3], "all": [0, 0, 0]}).tasks[0]
    assert pair.other_designs == ()
    assert pair.breakdowns == ()


# --- group by group -----------------------------------------------------------------------


def test_rows_of_a_breakdown() -> None:
    rows = pair_of().breakdowns[0].groups
    assert [r.group for r in rows] == [f"g{k}" for k in range(7)]
    for row, k in zip(rows, range(7), strict=True):
        a, b = A[k == CODES], B[k == CODES]
        assert (row.n_items, row.mean_a, row.mean_b) == (a.size, a.mean(), b.mean())
        n10, n01 = int((a > b).sum()), int((a < b).sum())
        assert row.ci == pytest.approx(stats.paired_interval(n10, n01, a.size))
    assert sum(r.n_items * r.gap for r in rows) / 260 == pytest.approx((A - B).mean())


def test_graded_rows_have_t_intervals() -> None:
    a, b = RNG.random(12), RNG.random(12)
    labels = ["x"] * 7 + ["y"] * 4 + ["z"]
    rows = compare(a, b, groups={"g": labels}).tasks[0].breakdowns[0].groups
    d = (a - b)[:7]
    assert rows[0].ci == pytest.approx(stats.t_interval(d.mean(), d.std(ddof=1), 7))
    assert rows[2].ci is None
    assert rows[2].n_items == 1


def test_leave_one_out() -> None:
    out = pair_of().breakdowns[0].leave_one_out
    d = A - B
    each = [d[k != CODES].mean() for k in range(7)]
    assert (out.gap_low, out.gap_high) == pytest.approx((min(each), max(each)))
    most = int(np.argmax(np.abs(np.array(each) - d.mean())))
    assert out.most_influential == f"g{most}"
    assert out.gap_without == pytest.approx(each[most])
    assert out.n_sign_changes == sum(np.sign(x) != np.sign(d.mean()) for x in each)


def test_what_rounding_leaves_of_a_gap_of_0_turns_the_sign_in_any_order() -> None:
    rng = np.random.default_rng(0)
    a, b = np.array([0.9, 0.8, 0.7, 0.1]), np.array([0.3, 0.6, 0.6, 0.4])
    labels = np.array(list("xyyy"))
    for order in (rng.permutation(4) for _ in range(24)):
        pair = compare(a[order], b[order], groups={"g": labels[order].tolist()}).tasks[0]
        assert (
            pair.breakdowns[0].leave_one_out.gap_low,
            pair.breakdowns[0].leave_one_out.n_sign_changes,
        ) == (0.0, 1)


def test_two_items_correlate_fully_or_not_at_all() -> None:
    for x in np.linspace(0.01, 0.99, 30):
        pair = compare([x, 0.333], [x / 3, 0.777]).tasks[0]
        assert (abs(pair.rho or 0), pair.rho_ci) == (1.0, None)


def test_groups_without_common_items_vanish() -> None:
    nan = float("nan")
    cells = np.array([[1, 0, 1, nan], [0, 1, 1, 1]])
    m = ScoreMatrix.from_arrays(cells, models=["x", "y"], groups={"g": list("aabc")})
    pair = compare(m).tasks[0]
    assert [r.group for r in pair.breakdowns[0].groups] == ["a", "b"]


# --- equivalence --------------------------------------------------------------------------


@pytest.mark.parametrize("design", [{}, {"strata": "g"}, {"cluster": "g"}])
@pytest.mark.parametrize("margin", [0.02, 0.1, 0.3])
def test_equivalence_is_the_interval_inside_the_margin(
    design: dict[str, str], margin: float
) -> None:
    e = pair_of(margin=margin, **design).equivalence
    assert e is not None
    assert e.confidence_level == pytest.approx(0.9)
    assert e.is_equivalent == (-margin < e.ci.low and e.ci.high < margin)
    assert e.pvalue is not None
    assert e.pvalue_noninferior is not None
    assert (e.pvalue < 0.05) == e.is_equivalent
    assert (e.pvalue_noninferior < 0.05) == e.is_noninferior


def test_equivalence_of_counts_is_tango() -> None:
    a, b = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [628, 86, 78, 208], axis=0).T
    pair = compare(a, b, margin=0.04).tasks[0]
    assert pair.equivalence is not None
    assert pair.equivalence.pvalue == float(stats.equivalence_pvalue(86, 78, 1000, margin=0.04))
    assert pair.verdict == "equivalent"


@pytest.mark.parametrize(("margin", "told"), [(0.02, True), (0.04, False), (None, False)])
def test_a_margin_that_is_not_shown_is_told_first(margin: float | None, told: bool) -> None:
    a, b = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [628, 86, 78, 208], axis=0).T
    text = " ".join(render(compare(a, b, margin=margin)).split())
    assert ("Equivalence within ±2 pp is not shown either. Here an" in text) == told


def test_a_significant_gap_inside_the_margin_stays_better() -> None:
    a, b = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [6000, 400, 200, 3400], axis=0).T
    pair = compare(a, b, margin=0.05).tasks[0]
    assert pair.verdict == "better"
    assert pair.equivalence is not None
    assert pair.equivalence.is_equivalent


def test_equivalence_at_a_level_of_one_half() -> None:
    with pytest.raises(ParameterError, match="equivalence test"):
        compare([1, 0], [0, 1], margin=0.1, alpha=0.5)
