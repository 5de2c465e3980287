"""Unit tests of nstar.stats.adjust, against R (p.adjust, qtukey), statsmodels and scipy."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from nstar._base.types import Array, FloatLike
from nstar.errors import ParameterError
from nstar.stats import adjust
from nstar.stats.critical import inflation, z_alpha

FUNCTIONS = {
    "bonferroni": adjust.bonferroni,
    "holm": adjust.holm,
    "fdr_bh": adjust.benjamini_hochberg,
    "fdr_by": adjust.benjamini_yekutieli,
    "hommel": adjust.hommel,
}

P = [0.001, 0.008, 0.012, 0.02, 0.039, 0.041, 0.06, 0.2, 0.5, 0.9]
# R: p.adjust(P, method)
# fmt: off
R = {
    "bonferroni": [0.01, 0.08, 0.12, 0.2, 0.39, 0.41, 0.6, 1, 1, 1],
    "holm": [0.01, 0.072, 0.096, 0.14, 0.234, 0.234, 0.24, 0.6, 1, 1],
    "fdr_bh": [0.01, 0.04, 0.04, 0.05, 0.0683333333333333, 0.0683333333333333,
               0.0857142857142857, 0.25, 0.555555555555556, 0.9],
    "fdr_by": [0.0292896825396825, 0.11715873015873, 0.11715873015873, 0.146448412698413,
               0.200146164021164, 0.200146164021164, 0.251054421768707, 0.732242063492063, 1, 1],
    "hommel": [0.01, 0.064, 0.084, 0.12, 0.156, 0.164, 0.24, 0.6, 0.9, 0.9],
}
# fmt: on


def hommel_by_hand(p: Array) -> Array:
    """Closed testing over all 2^m - 1 intersections, each by Simes."""
    m = p.size
    out = np.zeros(m)
    for code in range(1, 2**m):
        members = np.flatnonzero([code >> i & 1 for i in range(m)])
        simes = np.min(members.size * np.sort(p[members]) / np.arange(1, members.size + 1))
        out[members] = np.maximum(out[members], simes)
    return out


def holm_by_hand(p: Array) -> list[float]:
    scaled = np.array([x * np.sum(p >= x) for x in p])
    return [min(1.0, float(scaled[p <= own].max())) for own in p]


@pytest.mark.parametrize("method", FUNCTIONS)
def test_p_adjust_of_r(method: str) -> None:
    assert FUNCTIONS[method](P) == pytest.approx(R[method], abs=1e-12)


@pytest.mark.parametrize("method", FUNCTIONS)
@pytest.mark.parametrize("m", [1, 2, 5, 9, 200])
def test_statsmodels_on_random_tied_and_zero_p(method: str, m: int) -> None:
    rng = np.random.default_rng(m)
    for skew in (1, 3, 8):
        p = rng.random(m) ** skew
        for family in (p, np.round(p, 2), np.where(rng.random(m) < 0.3, 0, p), np.sqrt(p)):
            by_loop = method == "holm"  # statsmodels collects garbage there, at 0.1 s a call
            expected = holm_by_hand(family) if by_loop else multipletests(family, method=method)[1]
            assert FUNCTIONS[method](family) == pytest.approx(expected, abs=1e-12)


def test_hommel_is_the_closed_simes_test() -> None:
    rng = np.random.default_rng(1)
    for m in range(1, 9):
        p = rng.random(m) ** 3
        assert adjust.hommel(p) == pytest.approx(hommel_by_hand(p), abs=1e-14)


def test_hommel_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    p = np.random.default_rng(2).random(500) ** 4
    whole = adjust.hommel(p)
    monkeypatch.setattr(adjust, "_CHUNK", 7)
    assert (adjust.hommel(p) == whole).all()


def test_hommel_of_a_large_family_lies_between_simes_and_holm() -> None:
    p = np.random.default_rng(3).random(300_000)
    p[:1000] **= 6
    found, holm = adjust.hommel(p), adjust.holm(p)
    assert (found <= holm * (1 + 1e-12)).all()
    assert (found >= adjust.benjamini_hochberg(p) * (1 - 1e-12)).all()
    assert (found >= p).all()
    # monotone in p
    assert (np.diff(found[np.argsort(p)]) >= 0).all()


@pytest.mark.parametrize("method", FUNCTIONS)
def test_families_of_none_and_one_and_zeros(method: str) -> None:
    func = FUNCTIONS[method]
    assert func([]).shape == (0,)
    assert func([0.3]) == pytest.approx([0.3])
    assert (func([0.0, 0.0, 1.0]) > 0).all()
    assert func([1.0, 1.0]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("method", FUNCTIONS)
def test_input_is_left_alone(method: str) -> None:
    p = np.array(P)[::-1].copy()
    before = p.copy()
    FUNCTIONS[method](p)
    assert (p == before).all()


@pytest.mark.parametrize("method", FUNCTIONS)
@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.1, np.nan], r"p must be in \[0, 1\]; got nan"),
        ([0.1, 1.5], r"p must be in \[0, 1\]; got 1.5"),
        ([[0.1, 0.5]], "number of axes of p must be 1; got 2"),
        (0.5, "number of axes of p must be 1; got 0"),
    ],
)
def test_bad_families_are_refused(method: str, p: FloatLike, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        FUNCTIONS[method](p)


# critical values


@pytest.mark.parametrize(
    ("comparisons", "factor"),
    [
        (1, 1.0),
        (3, 1.3338354518884552),
        (9, 1.664558272036863),
        (10, 1.6961252782039176),
        (40, 2.109276321633766),
        (45, 2.144203223383282),
        (190, 2.5693604816094724),
    ],
)
def test_bonferroni_inflation(comparisons: int, factor: float) -> None:
    critical = adjust.bonferroni_critical(comparisons)
    assert inflation(critical) == pytest.approx(factor, abs=1e-9)


@pytest.mark.parametrize(
    ("models", "c", "factor", "bonferroni"),
    [  # R: qtukey(.95, M, Inf) / sqrt(2), itself good to about 2e-7
        (3, 2.34370058790214, 1.2927036022684824, 2.3939797998185104),
        (5, 2.72777438251855, 1.6232361171768606, 2.807033768343811),
        (10, 3.16368375350279, 2.0439181873671455, 3.2607674884205338),
        (20, 3.54379913191965, 2.4502747440392327, 3.6491026963009765),
        (50, 3.99234339986589, 2.9771400337649596, 4.102809524742919),
    ],
)
def test_tukey_of_r(models: int, c: float, factor: float, bonferroni: float) -> None:
    found = adjust.tukey_critical(models)
    assert found == pytest.approx(c, abs=1e-6)
    assert inflation(found) == pytest.approx(factor, abs=1e-6)
    assert adjust.bonferroni_critical(adjust.family_size(models)) == pytest.approx(
        bonferroni, abs=1e-9
    )


@pytest.mark.parametrize("models", [2, 7, 100])
@pytest.mark.parametrize("alpha", [0.2, 0.01])
def test_tukey_is_the_studentized_range(models: int, alpha: float) -> None:
    expected = stats.studentized_range.ppf(1 - alpha, models, np.inf) / np.sqrt(2)
    assert adjust.tukey_critical(models, alpha=alpha) == pytest.approx(expected, abs=1e-9)


def test_tukey_of_two_models_is_z() -> None:
    for alpha in (0.5, 0.05, 1e-6, 1e-12):
        assert adjust.tukey_critical(2, alpha=alpha) == pytest.approx(z_alpha(alpha), rel=1e-12)


def test_tukey_far_out_is_bonferroni_and_huge_families_work() -> None:
    assert adjust.tukey_critical(10, alpha=1e-12) == pytest.approx(
        adjust.bonferroni_critical(45, alpha=1e-12), rel=1e-4
    )
    assert 7 < adjust.tukey_critical(10**6) < adjust.bonferroni_critical(5e11)


def test_tukey_of_an_array_repeats_the_scalar() -> None:
    models = np.array([[5, 2], [300, 5]])
    found = adjust.tukey_critical(models)
    assert found.shape == (2, 2)
    assert found[0, 0] == found[1, 1] == adjust.tukey_critical(5)
    many = adjust.tukey_critical(np.arange(2, 400))
    assert (np.diff(many) > 0).all()
    assert many[298] == pytest.approx(found[1, 0], rel=1e-14)
    assert adjust.tukey_critical(np.array([], dtype=int)).shape == (0,)


def test_bonferroni_critical_broadcasts_and_takes_sides() -> None:
    found = adjust.bonferroni_critical([[1], [10]], alpha=[0.05, 0.01], sides=1)
    expected = stats.norm.isf(np.array([[0.05, 0.01], [0.005, 0.001]]))
    assert found == pytest.approx(expected, rel=1e-12)


def test_family_sizes() -> None:
    assert adjust.family_size([2, 10, 4576]).tolist() == [1, 45, 10467600]
    assert adjust.family_size(10, "adjacent") == adjust.family_size(10, "one-vs-rest") == 9


def test_bad_critical_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="comparisons must be at least 1; got 0"):
        adjust.bonferroni_critical(0)
    with pytest.raises(ParameterError, match="alpha must be in"):
        adjust.bonferroni_critical(3, alpha=5)
    with pytest.raises(ParameterError, match="models must be at least 2; got 1"):
        adjust.tukey_critical(1)
    with pytest.raises(ParameterError, match=r"models must be a whole number >= 0; got 2\.5"):
        adjust.tukey_critical(2.5)
    with pytest.raises(ParameterError, match="models must be at least 2; got 1"):
        adjust.family_size(1)
    with pytest.raises(
        ParameterError, match="family must be one of all-pairs, adjacent, or one-vs-"
    ):
        adjust.family_size(3, "everyone")  # type: ignore[arg-type]
