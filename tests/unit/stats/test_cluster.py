"""Unit tests of nstar.stats.cluster, against R (clubSandwich, anova) and plain loops."""

import itertools
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from nstar import stats as cluster
from nstar._base.types import Array, FloatLike, IntArray
from nstar.errors import DegenerateDataWarning, ParameterError
from nstar.stats.cluster import leave_one_cluster_out

# R: set.seed(42); clubSandwich::vcovCR and coef_test(test = "Satterthwaite") on lm(D ~ 1)
SIZES = np.array([5, 12, 3, 20, 8, 15, 2, 10])
CODES = np.repeat(np.arange(8), SIZES)
# fmt: off
D = np.array([
    1.6038, 0.3551, 1.1757, 1.7647, -0.4406, -0.2584, -0.1712, 0.2904, -0.2617, -1.685, -1.5555,
    0.7009, -0.2752, -1.16, -0.1943, 0.6376, 1.0459, -0.1175, -0.0136, -0.9171, 0.4843, -0.1758,
    0.4815, 0.6311, 0.8293, -0.1571, 0.5112, -0.822, -0.2625, -0.3023, -1.2403, 0.2299, 0.3318,
    -0.0084, 0.6631, -0.2278, -0.6128, 0.4679, -0.2786, 1.0747, -0.1078, 0.5445, 0.3442,
    -0.3192, 1.0965, 0.5368, 0.2049, 0.317, 0.431, 0.0774, -1.7724, 0.1944, -0.1969, 0.1346,
    0.3726, 0.8633, -0.4129, 0.805, 0.225, 0.6466, 0.5759, 0.456, -0.6024, 0.3738, 0.802,
    -0.5458, -0.2994, 0.3749, 0.4872, 0.3046, -0.5051, -0.6335, 0.934, 0.1811, 0.0794,
])
# fmt: on
R_VARIANCE = {
    "CR0": 0.007031772358510619,
    "CR1": 0.00803631126686928,
    "CR2": 0.007937182744662447,
    "CR3": 0.008987317011979846,
}
R_DF = 4.839292568871331
R_P = 0.280815537106562
R_ANOVA = {
    "MSB": 0.8667915267738097,
    "MSW": 0.43068141312313446,
    "m0": 8.864761904761904,
    "icc_anova": 0.1025176982033265,
}
V_IID, V_STRATA = 0.006292467633633634, 0.005697211850497289
LOCO = [
    0.05214000000000001,
    0.17452380952380955,
    0.1271763888888889,
    0.11802363636363637,
    0.08196417910447762,
    0.10518833333333336,
    0.09496849315068494,
    0.11894,
]
MMLU_PRO = np.array([717, 789, 1132, 410, 844, 969, 818, 381, 1101, 1351, 924, 499, 1299, 798])
TOL = 1e-9


@pytest.fixture
def golden() -> cluster.ClusterSums:
    return cluster.cluster_sums(D, CODES)


def naive_df(sizes: IntArray) -> float:
    f = np.asarray(sizes) / np.sum(sizes)
    off = sum(
        f[g] ** 2 * f[h] ** 2 / ((1 - f[g]) * (1 - f[h]))
        for g, h in itertools.permutations(range(f.size), 2)
    )
    return float(1 / (np.sum(f**2) + off))


def quiet_interval(sums: Array, sizes: IntArray) -> tuple[Array, Array]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        low, high = cluster.cluster_interval(sums, sizes)
    return np.asarray(low), np.asarray(high)


# cluster_sums


def test_sums_are_those_of_a_loop(golden: cluster.ClusterSums) -> None:
    assert golden.sizes.tolist() == SIZES.tolist()
    assert golden.sums == pytest.approx([D[g == CODES].sum() for g in range(8)])
    assert golden.squares == pytest.approx([(D[g == CODES] ** 2).sum() for g in range(8)])


def test_sums_of_many_rows_equal_sums_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar.stats._groups._CELLS", 200)  # several blocks
    x = np.random.default_rng(1).normal(size=(3, 4, D.size))
    many = cluster.cluster_sums(x, CODES)
    assert many.sums.shape == many.squares.shape == (3, 4, 8)
    one = cluster.cluster_sums(x[2, 1], CODES)
    assert many.sums[2, 1] == pytest.approx(one.sums, abs=1e-13)
    assert many.squares[2, 1] == pytest.approx(one.squares, abs=1e-13)


def test_skipped_codes_are_empty_groups_and_change_nothing(golden: cluster.ClusterSums) -> None:
    gaps = cluster.cluster_sums(D, 2 * CODES + 1, clusters=20)
    assert gaps.sizes.shape == (20,)
    for func in (cluster.anova_icc, cluster.strata_variance, cluster.iid_variance):
        a, b = (
            func(golden.sums, golden.squares, golden.sizes),
            func(gaps.sums, gaps.squares, gaps.sizes),
        )
        if isinstance(a, cluster.AnovaIcc) and isinstance(b, cluster.AnovaIcc):
            a, b = a.icc, b.icc
        assert a == pytest.approx(b, rel=1e-13)
    assert cluster.cluster_variance(gaps.sums, gaps.sizes, kind="CR1") == pytest.approx(
        R_VARIANCE["CR1"], abs=TOL
    )
    assert cluster.bell_mccaffrey_df(gaps.sizes) == pytest.approx(R_DF, abs=TOL)


@pytest.mark.parametrize(
    ("values", "codes", "clusters", "message"),
    [
        ([1.0, 2.0], [0], None, "number of codes must be 2, the number of items; got 1"),
        ([1.0, np.nan], [0, 1], None, "values must be finite; got nan"),
        ([1.0, 2.0], [0, -1], None, "codes must be a whole number >= 0; got -1"),
        ([1.0, 2.0], [0, 3], 3, "codes must be below clusters = 3; got 3"),
        ([], [], None, "number of items must be at least 1; got 0"),
        (1.0, 0, None, "number of codes must be 0, the number of items; got 1"),
    ],
)
def test_bad_items_are_refused(
    values: FloatLike, codes: FloatLike, clusters: int | None, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        cluster.cluster_sums(values, codes, clusters=clusters)


# variance, df, interval, p-value


@pytest.mark.parametrize("kind", ["CR0", "CR1", "CR2", "CR3"])
def test_variance_is_that_of_clubsandwich(
    golden: cluster.ClusterSums, kind: cluster.ClusterKind
) -> None:
    found = cluster.cluster_variance(golden.sums, golden.sizes, kind=kind)
    assert found == pytest.approx(R_VARIANCE[kind], abs=1e-12)


def test_df_and_p_are_those_of_clubsandwich(golden: cluster.ClusterSums) -> None:
    assert cluster.bell_mccaffrey_df(golden.sizes) == pytest.approx(R_DF, abs=TOL)
    assert cluster.cluster_pvalue(golden.sums, golden.sizes) == pytest.approx(R_P, abs=TOL)


def test_interval_is_mean_plus_minus_t(golden: cluster.ClusterSums) -> None:
    half = stats.t.ppf(0.95, R_DF) * R_VARIANCE["CR2"] ** 0.5
    low, high = cluster.cluster_interval(golden.sums, golden.sizes, conf=0.9)
    assert (low, high) == pytest.approx((D.mean() - half, D.mean() + half), abs=TOL)


def test_df_of_mmlu_pro_and_of_equal_sizes() -> None:
    assert cluster.bell_mccaffrey_df(MMLU_PRO) == pytest.approx(11.578095665636997, abs=1e-6)
    assert cluster.bell_mccaffrey_df([7] * 30) == pytest.approx(29, rel=1e-12)
    assert cluster.bell_mccaffrey_df([10**6, 1]) == pytest.approx(1, rel=1e-9)


def test_df_without_the_double_loop() -> None:
    sizes = np.random.default_rng(2).integers(1, 50, size=(5, 12))
    found = cluster.bell_mccaffrey_df(sizes)
    assert found == pytest.approx([naive_df(row) for row in sizes], rel=1e-12)


def test_one_item_per_cluster_is_the_iid_variance() -> None:
    one = np.ones(D.size, dtype=int)
    assert cluster.cluster_variance(D, one) == pytest.approx(V_IID, rel=1e-12)
    assert cluster.cluster_variance(D, one, kind="CR1") == pytest.approx(V_IID, rel=1e-12)
    assert cluster.bell_mccaffrey_df(one) == pytest.approx(D.size - 1)
    t = stats.ttest_1samp(D, 0)
    assert cluster.cluster_pvalue(D, one) == pytest.approx(t.pvalue, rel=1e-10)


def test_pairs_on_leading_axes_and_sizes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar.stats._groups._CELLS", 20)  # several blocks
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 9, size=(2, 7, 6))
    sums = rng.normal(size=(2, 7, 6))
    squares = sums**2 + rng.random((2, 7, 6))
    shared = sizes[0, 0]
    low, _ = quiet_interval(sums, shared)
    own_low, own_high = quiet_interval(sums, sizes)
    assert low.shape == own_high.shape == (2, 7)
    for at in ((0, 0), (1, 6)):
        assert low[at] == quiet_interval(sums[at], shared)[0]
        assert own_low[at] == quiet_interval(sums[at], sizes[at])[0]
        for func in (cluster.strata_variance, cluster.iid_variance):
            assert func(sums, squares, sizes)[at] == pytest.approx(
                func(sums[at], squares[at], sizes[at]), rel=1e-13
            )
        assert cluster.anova_icc(sums, squares, sizes).icc[at] == pytest.approx(
            cluster.anova_icc(sums[at], squares[at], sizes[at]).icc, rel=1e-12
        )


def test_whole_numbers_of_small_types_do_not_overflow() -> None:
    sizes = MMLU_PRO.astype(np.int16)
    sums = (sizes // 3).astype(np.int16)
    assert cluster.cluster_variance(sums, sizes) == cluster.cluster_variance(
        sums.astype(float), sizes.astype(float)
    )
    assert cluster.design_effect(0.036, sizes) == pytest.approx(35.42041622340425)


def test_zero_mean_has_p_one_and_full_agreement_a_bound() -> None:
    sizes = [10, 10, 20, 10, 10, 20]
    assert cluster.cluster_pvalue([0] * 6, sizes) == 1
    assert cluster.cluster_pvalue([2, -2, 1, -1, 0, 0], sizes) == 1
    agreed = [5, 5, 10, 5, 5, 10]
    assert 0 < cluster.cluster_pvalue(agreed, sizes) == np.finfo(float).tiny
    assert cluster.cluster_interval(agreed, sizes) == pytest.approx((0.5, 0.5), rel=0)


def test_no_rows_give_no_rows() -> None:
    assert cluster.cluster_variance(np.empty((0, 5)), [1, 2, 3, 4, 5]).shape == (0,)
    assert cluster.cluster_pvalue(np.empty((0, 5)), np.ones((0, 5))).shape == (0,)
    assert cluster.cluster_sign_flip_pvalue(np.empty((0, 5))).shape == (0,)


@pytest.mark.parametrize(
    ("sizes", "weak"),
    [([10] * 5, False), ([10] * 4, True), ([60] + [5] * 11, True), ([50] + [1] * 50, False)],
)
def test_weak_clusters_warn_the_caller(sizes: list[int], weak: bool) -> None:
    sums = np.linspace(-1, 2, len(sizes))
    for func in (cluster.cluster_interval, cluster.cluster_pvalue):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            func(sums, sizes)
        share, df = max(sizes) / sum(sizes), naive_df(np.array(sizes))
        assert bool(caught) == (share > 0.5 or df < 4 - 1e-9)
        if weak:
            assert caught[0].category is DegenerateDataWarning
            assert caught[0].filename == __file__
            assert "degrees of freedom" in str(caught[0].message)


@pytest.mark.parametrize(
    ("sums", "sizes", "message"),
    [
        ([1.0], [10], "number of clusters must be at least 2.*got 1"),
        ([1.0, 0.0], [10, 0], "number of clusters must be at least 2.*got 1"),
        ([1.0, np.inf], [10, 10], "sums must be finite; got inf"),
        ([1.0, 1.0], [10, 2.5], "sizes must be a whole number >= 0; got 2.5"),
        ([1.0, 1.0, 2.0], [10, 5, 0], "sums must be 0 in a group without items; got 2"),
        ([1.0, 1.0], [10, 5, 1], "last axis must be 2 groups long; got 3"),
    ],
)
def test_bad_clusters_are_refused(sums: list[float], sizes: list[float], message: str) -> None:
    for func in (cluster.cluster_variance, cluster.cluster_interval, cluster.cluster_pvalue):
        with pytest.raises(ParameterError, match=message):
            func(sums, sizes)


def test_unknown_kind_and_confidence_are_refused() -> None:
    with pytest.raises(
        ParameterError, match="kind must be one of CR0, CR1, CR2, or CR3; got 'HC3'"
    ):
        cluster.cluster_variance([1, 2], [3, 4], kind="HC3")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="conf must be in"):
        cluster.cluster_interval([1, 2], [3, 4], conf=95)


# ICC, design effect


def test_anova_is_that_of_r(golden: cluster.ClusterSums) -> None:
    a = cluster.anova_icc(golden.sums, golden.squares, golden.sizes)
    found = {"MSB": a.msb, "MSW": a.msw, "m0": a.m0, "icc_anova": a.icc}
    assert found == pytest.approx(R_ANOVA, abs=TOL)


def test_design_effects_of_the_golden_data(golden: cluster.ClusterSums) -> None:
    icc = R_ANOVA["icc_anova"]
    assert cluster.design_effect(icc, SIZES) == pytest.approx(2.224744767869074, abs=TOL)
    assert cluster.design_effect_equal(icc, SIZES.mean()) == pytest.approx(
        1.8585857224528595, abs=TOL
    )
    iid = cluster.iid_variance(golden.sums, golden.squares, golden.sizes)
    for kind, ratio in (("CR1", 1.2771319194261235), ("CR2", 1.2613783982356475)):
        variance = cluster.cluster_variance(golden.sums, golden.sizes, kind=kind)  # type: ignore[arg-type]
        assert variance / iid == pytest.approx(ratio, abs=TOL)


def test_design_effect_of_mmlu_pro_needs_the_weighted_size() -> None:
    assert cluster.design_effect(0.036, MMLU_PRO) == pytest.approx(35.42041622340425, abs=1e-6)
    assert cluster.design_effect_equal(0.036, MMLU_PRO.mean()) == pytest.approx(
        31.90342857142857, abs=1e-6
    )
    squares = MMLU_PRO.astype(float)  # any: m0 depends on the sizes alone
    m0 = cluster.anova_icc(np.zeros(14), squares, MMLU_PRO).m0
    assert m0 == pytest.approx(851.9136405482815, abs=1e-6)


def test_equal_sizes_tie_cr1_anova_and_design_effect_together() -> None:
    x = np.random.default_rng(4).normal(size=(7, 5)) + np.arange(7)[:, None] / 4
    a = cluster.anova_icc(x.sum(axis=1), (x**2).sum(axis=1), [5] * 7)
    cr1 = cluster.cluster_variance(x.sum(axis=1), [5] * 7, kind="CR1")
    assert cr1 == pytest.approx(a.msb / 35, rel=1e-12)
    total = (a.msb + 4 * a.msw) / 5
    assert cluster.design_effect_equal(a.icc, 5) * total / 35 == pytest.approx(cr1, rel=1e-12)


def test_negative_icc_is_shown_but_floored_in_plans() -> None:
    x = np.array([[1.0, -1.0], [1.0, -1.0], [0.5, -0.5]])
    a = cluster.anova_icc(x.sum(axis=1), (x**2).sum(axis=1), [2, 2, 2])
    assert a.icc == -1
    assert cluster.design_effect(a.icc, [2, 2, 2]) == 1
    assert cluster.design_effect(a.icc, [2, 2, 2], floor=-np.inf) == 0
    assert cluster.design_effect_equal(-0.1, 3, floor=0.5) == pytest.approx(0.8)


def test_constant_values_have_icc_zero() -> None:
    a = cluster.anova_icc([[2.0, 4.0], [1.0, 0.0]], [[2.0, 4.0], [1.0, 0.0]], [2, 4])
    assert a.icc[0] == 0
    assert a.msw[0] == a.msb[0] == 0
    assert np.isfinite(a.icc[1])


def test_icc_needs_a_cluster_of_two() -> None:
    with pytest.raises(ParameterError, match="number of items must be above the number of"):
        cluster.anova_icc([1, 0, 1], [1, 0, 1], [1, 1, 1])
    with pytest.raises(ParameterError, match=r"icc must be in \[-1, 1\]; got 1.2"):
        cluster.design_effect(1.2, [3, 4])
    with pytest.raises(ParameterError, match=r"cluster size must be at least 1 item; got 0\.5"):
        cluster.design_effect_equal(0.1, 0.5)


# strata


def test_strata_and_iid_variances(golden: cluster.ClusterSums) -> None:
    s = golden
    assert cluster.strata_variance(s.sums, s.squares, s.sizes) == pytest.approx(V_STRATA, abs=TOL)
    assert cluster.iid_variance(s.sums, s.squares, s.sizes) == pytest.approx(V_IID, abs=TOL)


def strata_by_hand(groups: list[list[float]]) -> float:
    n = sum(map(len, groups))
    return float(sum((len(g) / n) ** 2 * np.var(g, ddof=1) / len(g) for g in groups))


@pytest.mark.parametrize(
    ("groups", "merged"),
    [
        # two singletons: together
        ([[1], [0, 1, 1], [0], [0, 1]], [[1, 0], [0, 1, 1], [0, 1]]),
        # three
        ([[1], [0], [0, 1], [1]], [[1, 0, 1], [0, 1]]),
        # a lone one joins the smallest other
        ([[0, 1, 1], [5], [0, 1]], [[0, 1, 1], [5, 0, 1]]),
        # the first of equals
        ([[2, 1], [5], [0, 1]], [[2, 1, 5], [0, 1]]),
        # nothing but singletons: i.i.d.
        ([[1], [0], [3]], [[1, 0, 3]]),
    ],
)
def test_singleton_strata_are_merged(groups: list[list[float]], merged: list[list[float]]) -> None:
    codes = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    s = cluster.cluster_sums(np.concatenate(groups), codes)
    found = cluster.strata_variance(s.sums, s.squares, s.sizes)
    assert found == pytest.approx(strata_by_hand(merged), rel=1e-12)
    both = cluster.strata_variance(np.stack([s.sums, s.sums]), s.squares, s.sizes)
    assert both == pytest.approx([found, found])


def test_one_stratum_is_fine_but_one_item_is_not() -> None:
    assert cluster.strata_variance([1], [1], [4]) == cluster.iid_variance([1], [1], [4])
    for func in (cluster.strata_variance, cluster.iid_variance):
        with pytest.raises(ParameterError, match="number of items must be at least 2; got 1"):
            func([1], [1], [1])


# leave one cluster out


def test_leave_one_out_is_the_mean_of_the_others(golden: cluster.ClusterSums) -> None:
    found = leave_one_cluster_out(golden.sums, golden.sizes)
    assert found == pytest.approx(LOCO, abs=TOL)
    assert found == pytest.approx([D[g != CODES].mean() for g in range(8)])


# planning


def test_mde_floor_formula() -> None:
    k = stats.t.ppf(0.975, 13) + stats.t.ppf(0.8, 13)
    found = cluster.cluster_mde_floor(0.45, 0.036, 14)
    assert found == pytest.approx(k * 0.45 * (0.036 / 14) ** 0.5, rel=1e-9)
    k = stats.t.ppf(0.99, 11.578) + stats.t.ppf(0.9, 11.578)
    found = cluster.cluster_mde_floor(
        0.45, [0.036, 0.0, -0.1], 14, alpha=0.01, power=0.9, df=11.578, sides=1
    )
    assert found == pytest.approx([k * 0.45 * (0.036 / 14) ** 0.5, 0, 0], rel=1e-9)


def test_mde_falls_to_its_floor_and_power_inverts_it() -> None:
    n = np.array([140, 1400, 14000, 1.4e9])
    mde = cluster.cluster_mde(0.45, n, 14, icc=0.036)
    floor = cluster.cluster_mde_floor(0.45, 0.036, 14)
    assert (np.diff(mde) < 0).all()
    assert mde[-1] == pytest.approx(floor, rel=1e-4)
    assert (mde > floor).all()
    assert cluster.cluster_power(mde, 0.45, n, 14, icc=0.036) == pytest.approx(0.8, rel=1e-9)
    assert cluster.cluster_power(-mde, 0.45, n, 14, icc=0.036) == pytest.approx(0.8, rel=1e-9)


def test_power_is_close_to_the_noncentral_t() -> None:
    for clusters, near, far in ((6, 0.006, 0.073), (14, 0.001, 0.025), (50, 0.001, 0.007)):
        mde = cluster.cluster_mde(1.0, 1000, clusters, icc=0.05)
        gap = np.linspace(0, 2.5, 60) * mde
        se = (cluster.design_effect_equal(0.05, 1000 / clusters) / 1000) ** 0.5
        crit = stats.t.ppf(0.975, clusters - 1)
        exact = stats.nct.sf(crit, clusters - 1, gap / se)
        found = cluster.cluster_power(gap, 1.0, 1000, clusters, icc=0.05)
        assert np.abs(found - exact).max() < far
        assert float(stats.nct.sf(crit, clusters - 1, mde / se)) == pytest.approx(0.8, abs=near)


def test_n_star_is_multiplied_and_infinity_stays() -> None:
    assert cluster.cluster_n_star([100.0, np.inf], 35.4).tolist() == [3540.0, np.inf]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cluster.cluster_n_star(0, 2), "n_star must be > 0; got 0"),
        (lambda: cluster.cluster_n_star(10, np.nan), "de must be a finite number > 0; got nan"),
        (lambda: cluster.cluster_mde_floor(0.4, 0.1, 1), "clusters must be at least 2; got 1"),
        (lambda: cluster.cluster_mde_floor(0, 0.1, 5), "sigma must be a finite number > 0; got 0"),
        (lambda: cluster.cluster_mde_floor(0.4, 2, 5), r"icc must be in \[-1, 1\]; got 2"),
        (lambda: cluster.cluster_mde_floor(0.4, 0.1, 5, df=0), "df must be a finite number > 0"),
        (lambda: cluster.cluster_mde(0.4, 5, 10, icc=0), "n must be at least one item per clu"),
        (lambda: cluster.cluster_mde(0.4, 50, 10, icc=0, power=1), "power must be in"),
        (lambda: cluster.cluster_power(np.nan, 1, 50, 10, icc=0), "delta must be finite; got nan"),
        (lambda: cluster.cluster_power(0.1, 1, 50, 10, icc=0, alpha=5), "alpha must be in"),
    ],
)
def test_bad_plans_are_refused(call: Callable[[], Array], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


# sign flips


def flips_by_hand(sums: Array) -> float:
    signs = np.array(list(itertools.product((1, -1), repeat=len(sums))))
    return float(np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9))


def test_sign_flips_are_enumerated() -> None:
    rng = np.random.default_rng(5)
    for groups in (2, 3, 7, 10):
        rows = rng.integers(-4, 6, size=(3, groups)).astype(float)
        found = cluster.cluster_sign_flip_pvalue(rows)
        assert found == pytest.approx([flips_by_hand(row) for row in rows], rel=1e-12)


def test_smallest_flip_p_is_two_to_the_one_minus_g() -> None:
    assert cluster.cluster_sign_flip_pvalue([0.1, 0.2, 0.3, 0.4, 0.5]) == 2**-4
    assert cluster.cluster_sign_flip_pvalue(np.arange(1, 21)) == 2**-19
    assert cluster.cluster_sign_flip_pvalue([0.0, 0.0, 0.0]) == 1


def test_ties_broken_by_rounding_still_count() -> None:
    # 0.1 + 0.2 - 0.3 is not quite 0, nor is 0.3 - 0.2 - 0.1
    assert cluster.cluster_sign_flip_pvalue([0.1, 0.2, -0.3]) == 1
    assert cluster.cluster_sign_flip_pvalue([0.1, 0.1, 0.1, -0.3, 0.3]) == pytest.approx(
        flips_by_hand(np.array([1, 1, 1, -3, 3]))
    )


def test_random_flips_agree_with_the_normal_limit_and_repeat() -> None:
    rows = np.random.default_rng(6).normal(size=(4, 60)) + np.array([[0], [0.1], [0.2], [0.3]])
    a = cluster.cluster_sign_flip_pvalue(rows, n_resamples=20_000, rng=7)
    b = cluster.cluster_sign_flip_pvalue(rows[2], n_resamples=20_000, rng=7)
    assert a[2] == b
    z = np.abs(rows.sum(axis=1)) / np.sqrt((rows**2).sum(axis=1))
    assert a == pytest.approx(2 * stats.norm.sf(z), abs=0.015)
    assert cluster.cluster_sign_flip_pvalue(np.ones(60), n_resamples=999, rng=1) == 1e-3


def test_random_flips_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar.stats.cluster._FLIP_CELLS", 500)
    rows = np.random.default_rng(8).normal(size=(30, 25))
    found = cluster.cluster_sign_flip_pvalue(rows, n_resamples=2000, rng=1)
    z = np.abs(rows.sum(axis=1)) / np.sqrt((rows**2).sum(axis=1))
    assert found == pytest.approx(2 * stats.norm.sf(z), abs=0.05)


@pytest.mark.parametrize(
    ("sums", "resamples", "message"),
    [
        ([1.0], 99, "number of clusters must be at least 2; got 1"),
        (3.0, 99, "number of clusters must be at least 2; got 1"),
        ([1.0, np.nan], 99, "sums must be finite; got nan"),
        ([1.0, 2.0], 0, "n_resamples must be at least 1; got 0"),
    ],
)
def test_bad_flips_are_refused(sums: FloatLike, resamples: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        cluster.cluster_sign_flip_pvalue(sums, n_resamples=resamples)
