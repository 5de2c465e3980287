"""Items that one model lacks: the raw order, the common order, the bounds."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nstar import compare
from nstar._base.types import Array
from nstar._data.attrition import attrition
from nstar._verbs.verdict import judge_pair
from nstar.errors import DataError

NAN = float("nan")


def test_the_peers_trap() -> None:
    """100 of B's failures missing turn the gap of the raw means from +0.8 to −7.0 pp."""
    cells = np.repeat([[1.0, 1], [1, 0], [0, 1], [0, 0]], [628, 86, 78, 208], axis=0)
    a, b = cells[:, 0], cells[:, 1].copy()
    b[np.flatnonzero(b == 0)[-100:]] = NAN
    r = attrition(a, b)
    assert (r.n_common, r.n_only_a, r.n_only_b) == (900, 100, 0)
    assert r.raw_gap == pytest.approx(0.714 - 706 / 900)
    assert r.common_gap == pytest.approx(8 / 900)
    assert r.order_flips
    assert r.bounds == pytest.approx((0.714 - 0.806, 0.714 - 0.706))
    assert not r.is_decisive


SCORE = st.sampled_from([0.0, 0.25, 1.0, NAN])
SCORES = hnp.arrays(np.float64, st.tuples(st.integers(1, 30), st.just(2)), elements=SCORE)


@given(SCORES, st.integers(0, 2**32))
def test_no_filling_escapes_the_bounds(x: Array, seed: int) -> None:
    assume(not np.isnan(x).all(axis=0).any())
    r = attrition(x[:, 0], x[:, 1])
    known = x[~np.isnan(x).all(axis=1)]
    full = np.where(
        np.isnan(known), np.random.default_rng(seed).random(known.shape).round(), known
    )
    gap = float((full[:, 0] - full[:, 1]).mean())
    assert r.bounds.low - 1e-12 <= gap <= r.bounds.high + 1e-12
    if r.is_decisive and r.common_gap:
        assert gap * r.common_gap > -1e-12


def test_complete_scores_bound_the_gap_to_itself() -> None:
    r = attrition([0.5, 1], [0.25, 0.5])
    assert r.is_complete
    assert r.is_decisive
    assert not r.order_flips
    assert r.bounds == pytest.approx((0.375, 0.375))


def test_nothing_in_common() -> None:
    r = attrition([1, NAN], [NAN, 0])
    assert r.common_gap is None
    assert not r.order_flips
    assert not r.is_decisive
    assert r.raw_gap == 1


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 0], [1], "a has 2 scores but b has 1"),
        ([NAN], [1], "a has no score"),
        ([3, 1], [1, 0], r"outside \[0, 1\]. Set low and high"),
        ([[1]], [[1]], "one-dimensional array"),
    ],
)
def test_what_has_no_attrition(a: list[float], b: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        attrition(a, b)


def test_compare_bounds_by_the_scale_seen() -> None:
    pair = compare([10, 20, NAN, 30], [10, 10, 10, NAN]).tasks[0]
    r = pair.missing_items
    assert (r.low, r.high) == (10, 30)
    assert r.bounds == pytest.approx(((60 + 10 - 30 - 30) / 4, (60 + 30 - 30 - 10) / 4))


def words(**given: object) -> str:
    base: dict[str, object] = {"p": 0.01, "alpha": 0.05, "excludes_zero": True}
    return judge_pair(0.1, **(base | given))  # type: ignore[arg-type]


def test_words() -> None:
    assert words() == "better"
    assert judge_pair(-0.1, p=0.01, alpha=0.05, excludes_zero=True) == "worse"
    assert words(p=0.05) == "better"
    assert words(p=0.06) == "borderline"
    assert words(excludes_zero=False) == "borderline"
    assert words(p=0.5, excludes_zero=False) == "inconclusive"
    assert words(p=0.5, excludes_zero=False, equivalent=True) == "equivalent"
    assert words(equivalent=True) == "better"
    assert words(p=0.06, equivalent=True) == "equivalent"
    assert words(excludes_zero=False, equivalent=True) == "borderline"
    assert words(p_adjusted=0.2) == "inconclusive"
    assert words(p_adjusted=0.2, equivalent=True) == "equivalent"
    assert words(p_adjusted=0.04) == "better"


def test_what_rounding_leaves_of_equal_means_ranks_nobody() -> None:
    nan = float("nan")
    a = [0.1, 0.2, 0.3, nan]
    for b in ([0.3, 0.2, nan, 0.1], [0.2, 0.3, nan, 0.1]):
        r = attrition(a, b)
        assert (r.raw_gap, r.order_flips) == (0.0, False)
