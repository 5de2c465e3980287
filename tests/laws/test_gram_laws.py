"""Laws of the Gram: disjoint items add, order does not matter, turning a pair turns its gap."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._engine.gram import Gram
from nstar._engine.pairs import PairStats, pair_stats, panel

SUMS = ("n", "first", "second", "first2", "second2", "gap", "gap2")
TOL = 1e-9


@st.composite
def tables(draw: st.DrawFn) -> Array:
    """Scores of a few models on a few items: binary or graded, complete or not."""
    m, n = draw(st.integers(1, 5)), draw(st.integers(1, 40))
    levels = draw(st.sampled_from(([0.0, 1.0], [0.0, 0.5, 1.0], [-3.0, 0.1, 0.25, 88.0])))
    if draw(st.booleans()):
        levels = [*levels, float("nan")]
    rows = st.lists(st.sampled_from(levels), min_size=n, max_size=n)
    return np.array(draw(st.lists(rows, min_size=m, max_size=m)))


def matrix(x: Array) -> ScoreMatrix:
    return ScoreMatrix.from_arrays(x, models=[f"m{i}" for i in range(len(x))])


def every(g: Gram) -> Array:
    """All sums of all pairs, about an offset of 0."""
    plain = g.less(0.0)
    return np.stack([np.broadcast_to(getattr(plain, k), g.shape) for k in SUMS]).astype(float)


def stats_of(x: Array) -> PairStats:
    p = panel(matrix(x), range(len(x)), np.arange(x.shape[1]))
    return pair_stats(p, p)


@given(tables(), st.data())
def test_disjoint_items_add(x: Array, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, x.shape[1]))
    order = np.array(data.draw(st.permutations(range(x.shape[1]))))
    parts = [Gram.of(matrix(x[:, some])) for some in (order[:cut], order[cut:])]
    for total in (parts[0] + parts[1], parts[1] + parts[0]):
        np.testing.assert_allclose(every(total), every(Gram.of(matrix(x))), rtol=TOL, atol=TOL)


@given(tables(), st.data())
def test_the_order_of_models_and_items_does_not_matter(x: Array, data: st.DataObject) -> None:
    models = data.draw(st.permutations(range(len(x))))
    items = data.draw(st.permutations(range(x.shape[1])))
    before = every(Gram.of(matrix(x)))
    after = every(Gram.of(matrix(x[np.ix_(models, items)])))
    expected = before[:, models][:, :, models]
    np.testing.assert_allclose(after, expected, rtol=TOL, atol=TOL)


@given(tables())
def test_turning_a_pair_around(x: Array) -> None:
    n, first, second, first2, second2, gap, gap2 = every(Gram.of(matrix(x)))
    assert (n == n.T).all()
    for a, b in ((first, second), (first2, second2), (gap, -gap), (gap2, gap2)):
        np.testing.assert_allclose(a, b.T, rtol=TOL, atol=TOL)
    np.testing.assert_allclose(gap, first - second, rtol=TOL, atol=TOL)
    s = stats_of(x)
    np.testing.assert_allclose(s.delta, -s.delta.T, rtol=TOL, atol=TOL)
    np.testing.assert_allclose(s.se, s.se.T, rtol=1e-6, atol=TOL)


@given(tables())
def test_a_model_does_not_differ_from_itself(x: Array) -> None:
    s = stats_of(x)
    own = np.diag_indices(len(x))
    there = s.n[own] > 0
    assert (s.gram.gap2[own] == 0).all()
    assert (s.t[own][there] == 0).all()
