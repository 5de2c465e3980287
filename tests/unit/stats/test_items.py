"""Items under models: correlations with the rest, reliability, wrong keys, changes."""

import numpy as np
import pytest

from nstar import stats
from nstar._base.types import Array, Interval
from nstar.errors import ParameterError


def one_by_one(x: Array) -> Array:
    """Each item with the mean of the others, over models that have it."""
    out = []
    for i in range(x.shape[1]):
        have = ~np.isnan(x[:, i])
        rest = np.nanmean(np.delete(x, i, axis=1)[have], axis=1)
        out.append(np.corrcoef(x[have, i], rest)[0, 1])
    return np.array(out)


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("absent", [0.0, 0.2])
def test_item_rest_is_what_a_loop_finds(shift: float, absent: float) -> None:
    rng = np.random.default_rng(3)
    x = rng.random((14, 25)) + shift
    x[rng.random(x.shape) < absent] = np.nan
    np.testing.assert_allclose(stats.item_rest(x), one_by_one(x), atol=1e-8 if shift else 1e-12)


def test_some_items_with_the_totals_of_all() -> None:
    x = (np.random.default_rng(4).random((9, 30)) < 0.6).astype(float)
    x[2, 5] = np.nan
    totals, counts = np.nansum(x, axis=1), (~np.isnan(x)).sum(axis=1)
    parts = [
        stats.item_rest(x[:, part], totals=totals, counts=counts)
        for part in (slice(0, 11), slice(11, 30))
    ]
    np.testing.assert_allclose(np.concatenate(parts), stats.item_rest(x), atol=1e-12)


def test_constant_items_and_lonely_models_have_no_correlation() -> None:
    nan = np.nan
    assert np.isnan(stats.item_rest([[1, 1], [1, 0], [1, 1]])).all()  # the rest is constant
    found = stats.item_rest([[0.1, 1, 0], [0.1, 0, 1], [0.1, 1, 1]])
    assert np.isnan(found[0])
    assert np.isfinite(found[1:]).all()
    assert np.isnan(stats.item_rest([[1, nan], [0, nan], [1, nan]])).all()
    assert np.isnan(stats.item_rest([[1, 0, 1]])).all()
    # a model of one item has no rest, and changes nothing
    x = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 0]], float)
    more = np.vstack([x, [nan, 1, nan]])
    np.testing.assert_allclose(stats.item_rest(more), stats.item_rest(x), atol=1e-12)


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(ParameterError, match="2 dimensions"):
        stats.item_rest([1, 0])
    with pytest.raises(ParameterError, match="must be set together"):
        stats.item_rest([[1, 0]], totals=[3])
    with pytest.raises(ParameterError, match="one number for each of 1 models"):
        stats.item_rest([[1, 0]], totals=[3, 4], counts=[5, 5])
    with pytest.raises(ParameterError, match="at least 2 items"):
        stats.cronbach_alpha(1, item_variance=0.2, total_variance=0.2)
    with pytest.raises(ParameterError, match="inside its interval"):
        stats.change_interval(0.2, Interval(0.0, 0.1), 0.0, Interval(-0.1, 0.1))


def test_a_test_of_the_same_length_is_as_reliable() -> None:
    assert float(stats.reliability_at(0.7, 50, of=50)) == pytest.approx(0.7)
    longer = stats.reliability_at(0.7, [25, 50, 100, 1e6], of=50)
    assert (np.diff(longer) > 0).all()
    n = np.array([25.0, 100.0])
    expected = 1 / (1 + (1 - 0.7) * 50 / (0.7 * n))
    np.testing.assert_allclose(stats.reliability_at(0.7, n, of=50), expected)


def test_wrong_keys_as_drawn() -> None:
    """A table of answers in which a share of the keys is wrong."""
    rng = np.random.default_rng(5)
    n, e, w = 400_000, 0.1, 0.3
    kind = rng.choice(3, n, p=[0.115, 0.085, 0.8])  # psi = 0.2, delta = 0.03
    d = np.select([kind == 0, kind == 1], [1, -1], 0)
    wrong = rng.random(n) < e
    chance = (rng.random((2, n)) < w).astype(int)
    d = np.where(wrong, chance[0] - chance[1], d)
    found = stats.label_noise(0.03, psi=0.2, error=e, chance=w)
    assert d.mean() == pytest.approx(float(found.delta), abs=4 * d.std() / np.sqrt(n))
    assert np.abs(d).mean() == pytest.approx(float(found.psi), abs=4 * 0.42 / np.sqrt(n))


def test_right_keys_cost_nothing() -> None:
    found = stats.label_noise([0.0, 0.03], psi=0.2, error=0.0)
    np.testing.assert_allclose(found.inflation, 1.0)
    # of a gap too small for any number of items, the limit
    small, none = (stats.label_noise(d, psi=0.2, error=0.1, chance=0.1) for d in (1e-5, 0.0))
    assert float(none.inflation) == pytest.approx(float(small.inflation), rel=1e-4)


def test_a_change_of_symmetric_intervals_adds_variances() -> None:
    low, high = stats.change_interval(0.05, Interval(0.02, 0.08), 0.01, Interval(-0.03, 0.05))
    assert (float(low), float(high)) == pytest.approx((0.04 - 0.05, 0.04 + 0.05))


def test_a_change_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(6)
    cells = ((60, (0.12, 0.06)), (90, (0.1, 0.1)))
    gaps, limits = [], []
    for n, (win, loss) in cells:
        b, c, _ = rng.multinomial(n, [win, loss, 1 - win - loss], size=4000).T
        gaps.append((b - c) / n)
        limits.append(stats.paired_interval(b, c, n))
    low, high = stats.change_interval(gaps[0], limits[0], gaps[1], limits[1])
    covered = np.mean((low <= 0.06) & (high >= 0.06))
    assert 0.94 <= covered <= 0.965
