"""Unit tests of nstar.stats.maxt, against R (multcomp, mvtnorm), scipy and plain loops."""

import itertools

import numpy as np
import pytest
from scipy import stats

from nstar._base.types import Array, FloatLike
from nstar.errors import ParameterError
from nstar.stats import _contrasts, cluster, maxt
from nstar.stats._contrasts import batches
from nstar.stats.adjust import tukey_critical

# R: multcomp::glht(parm(THETA, COV), all pairs), "single-step" and "free", df = 0
# fmt: off
THETA = [0.742, 0.731, 0.716, 0.69, 0.688, 0.64]
COV = [
    [0.000191436, 0.0001455150448485, 0.0001085151003324,
     0.0001112960849311, 0.0001114925917711, 0.0001155089756512],
    [0.0001455150448485, 0.000196639, 0.00010997986928,
     0.000112798392432, 0.0001129975517795, 0.0001170681499982],
    [0.0001085151003324, 0.00010997986928, 0.000203344,
     0.0001147053733876, 0.0001149078997431, 0.0001190473159042],
    [0.0001112960849311, 0.000112798392432, 0.0001147053733876,
     0.0002139, 0.0001178527166255, 0.0001220982162032],
    [0.0001114925917711, 0.0001129975517795, 0.0001149078997431,
     0.0001178527166255, 0.000214656, 7.783605169843e-05],
    [0.0001155089756512, 0.0001170681499982, 0.0001190473159042,
     0.0001220982162032, 7.783605169843e-05, 0.0002304],
]
R_T = [
    1.116622317505, 1.950153462386, 3.846643885804, 3.990630374584, 7.383978892041,
    1.11796175386, 3.014850832616, 3.158863555199, 6.551975112964, 1.897086387376,
    2.041110196135, 5.433433641502, 0.1440189153884, 3.534618844461, 2.821655943525,
]
R_SINGLE = [
    0.8698322604528, 0.3632609793529, 0.001671646205412, 0.000882740890875, 1.461053500407e-12,
    0.8692582479773, 0.02982364827138, 0.0190953684686, 3.330347109198e-10, 0.3952239047971,
    0.3113544035748, 4.046242024769e-07, 0.9999908784888, 0.005341372531484, 0.05230808667061,
]
R_STEP = [
    0.5883487916653, 0.1953145776954, 0.00119306078666, 0.0007429562704911, 6.092903959143e-13,
    0.5883487916653, 0.01801254961804, 0.01249925297892, 3.156517269787e-10, 0.1953145776954,
    0.1817252342189, 4.657123059415e-07, 0.885485533029, 0.003661319352171, 0.02887415497394,
]
R_CRITICAL = 2.838824823069
# R: mvtnorm::qmvnorm, all pairs of this covariance of item scores
S4 = [[0.21, 0.12, 0.10, 0.05], [0.12, 0.19, 0.11, 0.06],
      [0.10, 0.11, 0.24, 0.04], [0.05, 0.06, 0.04, 0.25]]
# fmt: on
R_CRITICAL_4 = 2.55501320708289

GRAM = [[161, 133, 109, 105], [133, 157, 106, 97], [109, 106, 126, 79], [105, 97, 79, 122]]
SUMS = [161, 157, 126, 122]


def step_down_by_hand(means: Array, cov: Array, draws: int, seed: int) -> tuple[Array, Array]:
    """P-values of both procedures from the same draws, one open family at a time."""
    pairs = list(itertools.combinations(range(len(means)), 2))
    z = np.concatenate(list(batches(cov, draws, None, seed)), axis=1)
    se = [np.sqrt(cov[i, i] + cov[j, j] - 2 * cov[i, j]) for i, j in pairs]
    d = np.array([np.abs(z[i] - z[j]) / s for (i, j), s in zip(pairs, se, strict=True)])
    t = np.array([abs(means[i] - means[j]) / s for (i, j), s in zip(pairs, se, strict=True)])
    single = np.array([(np.sum(d.max(axis=0) >= x) + 1) / (draws + 1) for x in t])
    step, largest, order = np.zeros(len(t)), 0.0, np.argsort(-t)
    for k, pair in enumerate(order):
        p = (np.sum(d[order[k:]].max(axis=0) >= t[pair]) + 1) / (draws + 1)
        largest = max(largest, p)
        step[pair] = largest
    return single, step


def random_case(models: int, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(models, models + 2))
    return 2 * rng.normal(size=models), root @ root.T / models


# covariance from sufficient statistics


def test_gram_gives_counts_and_covariances() -> None:
    n10, n01 = maxt.pair_counts_from_gram(GRAM, SUMS)
    assert (n10[0, 1], n01[0, 1]) == (28, 24)
    s = maxt.gram_covariance(GRAM, SUMS, 200)
    assert s[0, 2] - s[0, 3] - s[1, 2] + s[1, 3] == pytest.approx(-0.02539999999999997, abs=1e-12)


def test_gram_of_items_is_their_covariance() -> None:
    rng = np.random.default_rng(1)
    x = (rng.random((300, 5)) < 0.7).astype(np.int8)
    wide = x.astype(np.int64)
    cov = maxt.gram_covariance(wide.T @ wide, wide.sum(axis=0), 300)
    assert cov == pytest.approx(np.cov(x.T, bias=True), abs=1e-14)
    n10, n01 = maxt.pair_counts_from_gram(wide.T @ wide, wide.sum(axis=0))
    for i, j in itertools.product(range(5), repeat=2):
        assert n10[i, j] == np.sum((x[:, i] == 1) & (x[:, j] == 0))
        assert n01[i, j] == np.sum((x[:, i] == 0) & (x[:, j] == 1))
    graded = rng.normal(size=(300, 5))
    cov = maxt.gram_covariance(graded.T @ graded, graded.sum(axis=0), 300)
    assert cov == pytest.approx(np.cov(graded.T, bias=True), abs=1e-14)


def test_whole_gram_is_exact_where_floats_cancel() -> None:
    n = 10**9
    gram = np.array([[n - 1, n - 2], [n - 2, n - 1]])
    cov = maxt.gram_covariance(gram, [n - 1, n - 1], n)
    # p(1 - p) with one miss each, on different items
    assert cov[0, 0] == pytest.approx(1e-9 * (1 - 1e-9), rel=1e-15)
    assert cov[0, 1] == pytest.approx(-1e-18, rel=1e-15)


def test_gram_too_large_for_integers_falls_back_to_floats() -> None:
    gram = np.array([[2**60, 0], [0, 2**60]])
    cov = maxt.gram_covariance(gram, [0, 0], 2**10)
    assert cov[0, 0] == 2**50


def few_items(models: int, items: int, seed: int) -> Array:
    """Covariance of the scores of equal models."""
    x = np.random.default_rng(seed).normal(size=(models, items))
    return np.cov(x)


@pytest.mark.parametrize(("models", "items"), [(3, 20), (12, 9), (40, 400)])
def test_shrinking_is_that_of_chen_and_others_in_the_space_of_differences(
    models: int, items: int
) -> None:
    """Their equation (23), written out for M - 1 orthonormal contrasts of the models."""
    cov = few_items(models, items, 3) + np.diag(np.arange(models) / models)
    basis, _ = np.linalg.qr(np.eye(models, models - 1) - 1 / models)
    s, n, p = basis.T @ cov @ basis, items - 1, models - 1
    square, trace = np.trace(s @ s), np.trace(s)
    top = (1 - 2 / p) * square + trace**2
    share = min(top / ((n + 1 - 2 / p) * (square - trace**2 / p)), 1)
    want = basis @ ((1 - share) * s + share * trace / p * np.eye(p)) @ basis.T
    assert maxt.shrink_covariance(cov, items) == pytest.approx(want, abs=1e-12)


def test_shrinking_makes_max_t_of_as_many_models_as_items_that_of_tukey() -> None:
    """Of equal models, whose true critical value it is; R: qtukey(.95, 100, Inf) / sqrt(2)."""
    plain, mended = [], []
    for seed in range(4):
        cov = few_items(100, 100, seed)
        plain.append(maxt.max_t_critical(cov, draws=4000, rng=seed))
        shrunk = maxt.shrink_covariance(cov, 100)
        mended.append(maxt.max_t_critical(shrunk, draws=4000, rng=seed))
    assert np.mean(plain) < 4.285
    assert np.mean(mended) == pytest.approx(4.302, abs=0.015)


def test_shrinking_leaves_what_many_items_show() -> None:
    wide = maxt.shrink_covariance(S4, 10_000)
    assert maxt.max_t_critical(wide, rng=1) == pytest.approx(R_CRITICAL_4, abs=0.01)
    center = np.eye(4) - 1 / 4
    assert maxt.shrink_covariance(S4, 1e12) == pytest.approx(center @ S4 @ center, abs=1e-9)
    two = maxt.shrink_covariance([[2.0, 1.0], [1.0, 3.0]], 2)  # one difference: its variance stays
    assert two[0, 0] + two[1, 1] - 2 * two[0, 1] == pytest.approx(3.0)
    assert (maxt.shrink_covariance(np.zeros((3, 3)), 50) == 0).all()
    for cov, units, message in (
        ([[1.0]], 9, "number of models must be at least 2; got 1"),
        (S4, 1, "units must be at least 2 items; got 1"),
        ([[1.0, 0.0], [0.5, 1.0]], 9, "symmetric"),
    ):
        with pytest.raises(ParameterError, match=message):
            maxt.shrink_covariance(cov, units)


@pytest.mark.parametrize(
    ("gram", "sums", "n", "message"),
    [
        ([[1, 0]], [1], 3, "number of columns of gram must be 1, the number of rows; got 2"),
        ([[1, np.nan], [0, 1]], [1, 1], 3, "gram must be finite; got nan"),
        ([[1, 0], [0, 1]], [1], 3, "number of sums must be 2, the number of models; got 1"),
        ([[1, 0], [0, 1]], [1, np.inf], 3, "sums must be finite; got inf"),
        ([[1, 0], [0, 1]], [1, 1], 0, "n must be at least 1 item; got 0"),
    ],
)
def test_bad_grams_are_refused(gram: FloatLike, sums: FloatLike, n: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        maxt.gram_covariance(gram, sums, n)


def test_graded_scores_have_no_discordant_counts() -> None:
    with pytest.raises(ParameterError, match="sums must be the diagonal of gram"):
        maxt.pair_counts_from_gram([[3, 1], [1, 4]], [2, 4])
    with pytest.raises(ParameterError, match="gram must be at most the sums; got 5"):
        maxt.pair_counts_from_gram([[3, 5], [5, 3]], [3, 3])
    with pytest.raises(
        ParameterError, match=("number of sums must be 2, the number of models; got 1")
    ):
        maxt.pair_counts_from_gram([[3, 1], [1, 3]], [3])


def test_cluster_covariance_holds_the_variance_of_every_pair() -> None:
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 30, size=9)
    sums = rng.integers(0, sizes + 1, size=(4, 9))
    cov = maxt.cluster_covariance(sums, sizes)
    for i, j in itertools.combinations(range(4), 2):
        expected = cluster.cluster_variance(sums[i] - sums[j], sizes)
        assert cov[i, i] + cov[j, j] - 2 * cov[i, j] == pytest.approx(expected, rel=1e-11)
    residual = sums - np.outer(sums.sum(axis=1) / sizes.sum(), sizes)
    assert maxt.cluster_covariance(residual, sizes) == pytest.approx(cov, abs=1e-14)


@pytest.mark.parametrize(
    ("sums", "sizes", "message"),
    [
        ([1, 2], [3, 4], "number of axes of sums must be 2 .models, clusters.; got 1"),
        ([[1, 2]], [3, 4, 5], "number of sizes must be 2, the number of clusters; got 3"),
        ([[1, 2]], [3, 0], "sizes must be at least 1 item; got 0"),
        ([[1]], [3], "number of clusters must be at least 2; got 1"),
        ([[1, np.nan]], [3, 4], "sums must be finite; got nan"),
    ],
)
def test_bad_cluster_sums_are_refused(sums: FloatLike, sizes: FloatLike, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        maxt.cluster_covariance(sums, sizes)


# max-T


def test_p_values_of_multcomp() -> None:
    r = maxt.max_t(THETA, COV, draws=400_000, rng=1)
    assert np.abs(r.t) == pytest.approx(R_T, abs=1e-9)
    assert r.pairs.tolist() == [list(p) for p in itertools.combinations(range(6), 2)]
    # the golden tolerance; the Monte-Carlo error is at most .0008
    assert r.p_single == pytest.approx(R_SINGLE, abs=4e-3)
    assert r.p_step == pytest.approx(R_STEP, abs=4e-3)
    assert r.critical == pytest.approx(R_CRITICAL, abs=8e-3)
    assert (r.reject == (np.array(R_STEP) < 0.05)).all()


def test_critical_value_of_mvtnorm() -> None:
    # 4 million draws: Monte-Carlo sd .0009
    found = maxt.max_t_critical(S4, draws=4_000_000, rng=1)
    assert found == pytest.approx(R_CRITICAL_4, abs=1e-3 + 3 * 0.0009)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_pass_equals_one_family_at_a_time(seed: int) -> None:
    means, cov = random_case(7, seed)
    r = maxt.max_t(means, cov, draws=3000, rng=seed)
    single, step = step_down_by_hand(means, cov, 3000, seed)
    assert r.p_single == pytest.approx(single, abs=1e-12)
    assert r.p_step == pytest.approx(step, abs=1e-12)
    assert (r.p_step <= r.p_single).all()
    assert (r.reject == (r.p_step <= 0.05)).all()
    assert ((np.abs(r.t) > r.critical) == (r.p_single <= 0.05)).all()


def test_ties_share_the_larger_family() -> None:
    # equidistant means: t of (0, 1) and (1, 2) are equal
    cov = np.diag([1.0, 1.0, 1.0])
    r = maxt.max_t([2.0, 0.0, -2.0], cov, draws=5000, rng=1)
    assert r.p_step[0] == r.p_step[2]


def test_batches_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    means, cov = random_case(9, 4)
    for df in (None, 7.0):
        whole = maxt.max_t(means, cov, draws=2500, df=df, rng=5)
        monkeypatch.setattr(maxt, "_DRAWS", 130)
        monkeypatch.setattr(_contrasts, "_PAIRS", 5)
        parts = maxt.max_t(means, cov, draws=2500, df=df, rng=5)
        monkeypatch.undo()
        assert (whole.p_single == parts.p_single).all()
        assert (whole.p_step == parts.p_step).all()
        assert whole.critical == pytest.approx(parts.critical, rel=1e-12)


def test_critical_value_alone_is_the_same() -> None:
    means, cov = random_case(12, 6)
    whole = maxt.max_t(means, cov, draws=4000, rng=7)
    assert maxt.max_t_critical(cov, draws=4000, rng=7) == whole.critical
    pairs = [[0, 5], [5, 3], [11, 2]]
    some = maxt.max_t(means, cov, pairs=pairs, draws=4000, alpha=0.2, rng=7)
    assert maxt.max_t_critical(cov, pairs=pairs, draws=4000, alpha=0.2, rng=7) == some.critical
    assert some.critical < whole.critical
    assert some.t[1] == pytest.approx(-whole.t[whole.pairs.tolist().index([3, 5])])


def test_equal_variances_are_tukey_with_and_without_df() -> None:
    cov = np.full((5, 5), 0.3) + np.diag([0.7] * 5)
    found = maxt.max_t_critical(cov, draws=200_000, rng=1)
    assert found == pytest.approx(float(tukey_critical(5)), abs=0.015)
    found = maxt.max_t_critical(cov, draws=200_000, df=8, rng=1)
    expected = stats.studentized_range.ppf(0.95, 5, 8) / np.sqrt(2)
    assert found == pytest.approx(expected, abs=0.03)


def test_one_pair_is_the_two_sided_z_or_t() -> None:
    r = maxt.max_t([0.5, 0.3], [[0.01, 0.0], [0.0, 0.01]], draws=200_000, rng=1)
    assert r.p_single == pytest.approx(2 * stats.norm.sf(np.sqrt(2)), abs=0.004)
    assert r.p_single == r.p_step
    r = maxt.max_t([0.5, 0.3], [[0.01, 0.0], [0.0, 0.01]], draws=200_000, df=3, rng=1)
    assert r.p_step == pytest.approx(2 * stats.t.sf(np.sqrt(2), 3), abs=0.004)


def test_no_p_is_below_one_in_b_plus_one() -> None:
    r = maxt.max_t([9.0, 0.0], [[0.01, 0.0], [0.0, 0.01]], draws=999, rng=1)
    assert r.p_step.tolist() == [1e-3]
    assert (r.alpha, r.draws) == (0.05, 999)


def test_identical_models_are_equal_and_stay_out_of_the_family() -> None:
    cov = np.array([[0.02, 0.02, 0.01], [0.02, 0.02, 0.01], [0.01, 0.01, 0.03]])
    r = maxt.max_t([0.7, 0.7, 0.2], cov, draws=2000, rng=1)
    assert r.t[0] == 0
    assert r.p_single[0] == r.p_step[0] == 1
    assert not r.reject[0]
    assert r.reject[1:].all()


def test_unequal_means_without_variance_differ_for_certain() -> None:
    r = maxt.max_t([0.0, 1.0], np.zeros((2, 2)), draws=99, rng=1)
    assert r.t.tolist() == [-np.inf]
    assert r.p_step.tolist() == r.p_single.tolist() == [0.01]
    assert r.reject.tolist() == [True]
    assert r.critical == np.inf
    assert maxt.max_t_critical(np.zeros((2, 2))) == np.inf


def test_singular_and_slightly_indefinite_matrices_work() -> None:
    root = np.random.default_rng(8).normal(size=(6, 2))
    cov = root @ root.T
    r = maxt.max_t(np.arange(6.0), cov - 1e-12 * np.eye(6), draws=500, rng=1)
    assert np.isfinite(r.p_step).all()


def test_empty_family() -> None:
    r = maxt.max_t([0.5, 0.3], np.eye(2), pairs=np.empty((0, 2), dtype=int), draws=99)
    assert r.t.shape == r.p_step.shape == r.reject.shape == (0,)
    assert r.critical == np.inf


@pytest.mark.parametrize(
    ("means", "cov", "kwargs", "message"),
    [
        ([1, 2, 3], np.eye(2), {}, "number of means must be 2, the number of rows; got 3"),
        ([1, np.nan], np.eye(2), {}, "means must be finite; got nan"),
        ([1, 2], [[1, 0], [0.5, 1]], {}, "cov_of_means must be symmetric"),
        ([1, 2], [[1, 0], [0, -1]], {}, "variances must be >= 0; got -1"),
        ([1, 2], [1, 2], {}, "number of axes of cov_of_means must be 2; got 1"),
        ([1, 2], np.eye(2), {"alpha": 0}, r"alpha must be in \(0, 1\); got 0"),
        ([1, 2], np.eye(2), {"alpha": 0.01, "draws": 98}, "draws must be at least 99 for alpha"),
        ([1, 2], np.eye(2), {"df": 0}, "df must be a finite number > 0; got 0"),
        ([1, 2], np.eye(2), {"pairs": [[0, 2]]}, "pairs must be indices below 2; got 2"),
        ([1, 2], np.eye(2), {"pairs": [[1, 1]]}, "pairs must be of two different models; got 1"),
        ([1, 2], np.eye(2), {"pairs": [0, 1]}, "number of axes of pairs must be 2; got 1"),
        ([1, 2], np.eye(2), {"pairs": [[0, -1]]}, "pairs must be a whole number >= 0; got -1"),
    ],
)
def test_bad_families_are_refused(
    means: FloatLike, cov: FloatLike, kwargs: dict[str, float], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        maxt.max_t(means, cov, **kwargs)  # type: ignore[arg-type]
