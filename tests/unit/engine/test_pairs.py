"""The pair floor: gaps, errors and degrees of freedom against one comparison at a time."""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import stats as reference

import nstar
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._engine.pairs import DesignKind, PairStats, Panel, pair_stats, panel
from nstar._engine.pairs import pair_gaps as pairs_module
from nstar.errors import DataError

DESIGNS: tuple[tuple[DesignKind, str | None], ...] = (
    ("independent", None),
    ("strata", "s"),
    ("cluster", "s"),
)
GROUPS: dict[str, Callable[[np.random.Generator, int], list[str | None]]] = {
    "many": lambda rng, n: [f"g{k}" for k in np.minimum(rng.geometric(0.2, n), 13)],
    "one alone": lambda rng, n: ["solo", *(f"g{k}" for k in rng.integers(0, 9, n - 1))],
    "two alone": lambda rng, n: ["solo", "duo", *(f"g{k}" for k in rng.integers(0, 9, n - 2))],
    "no label": lambda rng, n: [None, *(f"g{k}" for k in rng.integers(0, 9, n - 1))],
    "unlabeled": lambda rng, n: [None if k < 3 else f"g{k}" for k in rng.integers(0, 9, n)],
    "equal sizes": lambda rng, n: [f"g{k % 7}" for k in range(n)],
    "two": lambda rng, n: [f"g{k}" for k in rng.integers(0, 2, n)],
}


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with np.errstate(all="raise", under="ignore"):
        yield


def matrix(x: Any, labels: Any = None) -> ScoreMatrix:
    groups = {} if labels is None else {"s": labels}
    return ScoreMatrix.from_arrays(x, models=[f"m{i}" for i in range(len(x))], groups=groups)


def whole(m: ScoreMatrix, kind: DesignKind = "independent", column: str | None = None) -> Panel:
    return panel(m, range(m.shape[0]), np.arange(m.shape[1]), kind, column)


def scores(rng: np.random.Generator, *, graded: bool, missing: float, m: int, n: int) -> Array:
    if graded:
        x = rng.beta(2, 2, (m, n)) * 50 + rng.normal(0, 10, n)
    else:
        x = (rng.random((m, n)) < rng.uniform(0.3, 0.8, (m, 1))).astype(np.float64)
    x[rng.random((m, n)) < missing] = np.nan
    return x


def assert_as_compared(m: ScoreMatrix, kind: DesignKind, column: str | None) -> None:
    """Every pair, in two tiles, is what nstar.compare says of it."""
    p, half = whole(m, kind, column), m.shape[0] // 2
    found = pair_stats(p[:half], p[half:])
    rho, _ = found.pairing()
    df = np.broadcast_to(found.df, found.delta.shape)
    declared: dict[str, Any] = {} if column is None else {kind: column}
    for i, j in itertools.product(range(half), range(half, m.shape[0])):
        one = nstar.compare(m, a=m.models[i], b=m.models[j], **declared).tasks[0]
        at = i, j - half
        assert found.n[at] == one.n_items
        assert found.delta[at] == pytest.approx(one.gap, rel=1e-12, abs=1e-15)
        assert found.se[at] == pytest.approx(one.se, rel=1e-12)
        assert found.t[at] == pytest.approx(one.t, rel=1e-12, abs=1e-12)
        assert rho[at] == pytest.approx(one.rho, rel=1e-12, abs=1e-12)
        if math.isfinite(one.estimate.df):
            assert df[at] == pytest.approx(one.estimate.df, rel=1e-12)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(
    ("kind", "column", "groups"),
    [("independent", None, "many"), *((k, c, g) for k, c in DESIGNS[1:] for g in GROUPS)],
)
def test_every_pair_is_as_if_compared_alone(
    graded: bool, missing: float, kind: DesignKind, column: str | None, groups: str
) -> None:
    rng = np.random.default_rng(len(groups))
    x = scores(rng, graded=graded, missing=missing, m=6, n=211)
    assert_as_compared(matrix(x, GROUPS[groups](rng, 211)), kind, column)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(("kind", "column"), DESIGNS)
def test_a_tile_does_not_know_its_neighbors(
    graded: bool,
    missing: float,
    kind: DesignKind,
    column: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(4)
    x = scores(rng, graded=graded, missing=missing, m=9, n=120)
    p = whole(matrix(x, GROUPS["unlabeled"](rng, 120)), kind, column)
    expected = pair_stats(p, p)
    monkeypatch.setattr(pairs_module, "_STACK", 1)  # a row at a time
    for rows, columns in ((slice(0, 2), slice(3, 9)), (slice(8, 9), slice(0, 1))):
        found = pair_stats(p[rows], p[columns])
        for name in ("delta", "se", "t"):
            whole_tile = getattr(expected, name)[rows, columns]
            assert getattr(found, name) == pytest.approx(whole_tile, rel=1e-12, abs=1e-14)
        df = np.broadcast_to(expected.df, expected.delta.shape)[rows, columns]
        assert np.broadcast_to(found.df, df.shape) == pytest.approx(df, rel=1e-12)


@pytest.mark.parametrize(("kind", "column"), DESIGNS)
@pytest.mark.parametrize("graded", [False, True])
def test_turning_a_pair_around_turns_its_gap(
    graded: bool, kind: DesignKind, column: str | None
) -> None:
    rng = np.random.default_rng(9)
    x = scores(rng, graded=graded, missing=0.1, m=5, n=90)
    p = whole(matrix(x, GROUPS["many"](rng, 90)), kind, column)
    s = pair_stats(p, p)
    assert s.delta == pytest.approx(-s.delta.T, abs=1e-13)
    assert s.se == pytest.approx(s.se.T, rel=1e-10, abs=1e-13)
    assert (s.t[np.diag_indices(5)] == 0).all()
    assert (s.se[np.diag_indices(5)] == 0).all()


def test_graded_items_are_scipys_paired_t() -> None:
    rng = np.random.default_rng(2)
    x = scores(rng, graded=True, missing=0.0, m=4, n=75)
    p = whole(matrix(x))
    s = pair_stats(p[:2], p[2:])
    for i, j in itertools.product(range(2), range(2)):
        expected = reference.ttest_rel(x[i], x[j + 2])
        assert s.t[i, j] == pytest.approx(expected.statistic, rel=1e-12)
        assert s.df == expected.df


# --- where numbers end --------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 10, 49, 98, 103, 107, 161, 12_032])
@pytest.mark.parametrize(("kind", "column"), DESIGNS)
def test_one_model_right_where_the_other_is_wrong(
    n: int, kind: DesignKind, column: str | None
) -> None:
    labels = [f"g{k % min(n, 7)}" for k in range(n)]
    p = whole(matrix([np.ones(n), np.zeros(n)], labels), kind, column)
    s = pair_stats(p[:1], p[1:])
    assert s.delta[0, 0] == pytest.approx(1.0, rel=1e-15)
    assert s.se[0, 0] < 1e-15
    if kind != "cluster":
        assert s.t[0, 0] == math.inf


@pytest.mark.parametrize(("kind", "column"), DESIGNS)
@pytest.mark.parametrize("missing", [False, True])
def test_graded_models_that_differ_by_the_same_everywhere(
    kind: DesignKind, column: str | None, missing: bool
) -> None:
    rng = np.random.default_rng(3)
    x = rng.random((3, 299))
    x[1] = x[0] + 0.1
    if missing:
        x[:, rng.random(299) < 0.1] = np.nan
        x[0, 5] = np.nan
    p = whole(matrix(x, GROUPS["many"](rng, 299)), kind, column)
    s = pair_stats(p, p)
    assert s.delta[1, 0] == pytest.approx(0.1, rel=1e-12)
    assert s.se[1, 0] == s.se[0, 1] == 0
    assert s.t[1, 0] == math.inf
    assert s.t[0, 1] == -math.inf


@pytest.mark.parametrize("missing", [False, True])
def test_differences_that_are_nearly_equal_keep_their_spread(missing: bool) -> None:
    rng = np.random.default_rng(3)
    x = rng.random((3, 301))
    x[1] = x[0] + 0.25 + 1e-6 * rng.normal(size=301)
    if missing:
        x[2, ::2] = np.nan
    p = whole(matrix(x))
    s = pair_stats(p[:1], p[1:])
    with mp.workdps(50):
        d = [mp.mpf(float(a)) - mp.mpf(float(b)) for a, b in zip(x[0], x[1], strict=True)]
        mean = mp.fsum(d) / 301
        se = mp.sqrt(mp.fsum((v - mean) ** 2 for v in d) / (301 * 300))
    assert s.se[0, 0] == pytest.approx(float(se), rel=1e-9)


@pytest.mark.parametrize(("kind", "column"), DESIGNS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_graded_near_duplicates(kind: DesignKind, column: str | None, missing: float) -> None:
    rng = np.random.default_rng(6)
    x = rng.random((5, 3000)) * np.linspace(0.2, 1, 5)[:, None]
    changed = [7, 8, 900, 2500]
    x[1] = x[0]
    x[1, changed] += [1e-6, -2e-6, 3e-6, 4e-6]
    gone = rng.random(x.shape) < missing
    gone[:, changed] = False
    x[gone] = np.nan
    labels = [f"g{k % 11}" for k in range(3000)]
    p = whole(matrix(x, labels), kind, column)
    s = pair_stats(p[:1], p[1:2])
    both = ~np.isnan(x[0] + x[1])
    codes = np.array([k % 11 for k in range(3000)])[both]
    with mp.workdps(40):
        pairs = zip(x[0, both], x[1, both], strict=True)
        d = [mp.mpf(float(a)) - mp.mpf(float(b)) for a, b in pairs]
        expected = exact_se(d, codes.tolist(), kind)
        assert s.delta[0, 0] == pytest.approx(float(mp.fsum(d) / len(d)), rel=1e-9)
    assert s.se[0, 0] == pytest.approx(expected, rel=1e-9)


def exact_se(d: list[Any], codes: list[int], kind: DesignKind) -> float:
    """The textbook formulas, at the precision of the caller."""
    n, mean = len(d), mp.fsum(d) / len(d)
    groups = [[v for v, c in zip(d, codes, strict=True) if c == g] for g in sorted(set(codes))]
    if kind == "independent":
        return float(mp.sqrt(mp.fsum((v - mean) ** 2 for v in d) / (n * (n - 1))))
    total = mp.mpf(0)
    for values in groups:
        m = len(values)
        if kind == "strata":
            own = mp.fsum(values) / m
            total += m * mp.fsum((v - own) ** 2 for v in values) / (m - 1)
        else:
            total += mp.fsum(v - mean for v in values) ** 2 * n / (n - m)
    return float(mp.sqrt(total) / n)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize(("kind", "column"), DESIGNS)
def test_too_little_in_common(graded: bool, kind: DesignKind, column: str | None) -> None:
    x = np.full((3, 8), np.nan)
    x[0, :4] = [1, 0, 1, 1]
    x[1, 4:] = [0, 0, 1, 1]
    x[2, 3:6] = [0, 1, 0]
    if graded:
        x = x * 0.7 + 0.11
    p = whole(matrix(x, list("aabbccdd")), kind, column)
    s = pair_stats(p, p)
    assert s.n.tolist() == [[4, 0, 1], [0, 4, 2], [1, 2, 3]]
    assert np.isnan([s.delta[0, 1], s.se[0, 1], s.t[0, 1]]).all(), "nothing in common"
    assert s.delta[0, 2] == pytest.approx(0.7 if graded else 1.0)
    if graded or kind != "independent":
        assert np.isnan([s.se[0, 2], s.t[0, 2]]).all(), "one item has no spread"
    else:
        assert s.se[0, 2] == 0
    assert s.delta[2, 1] == pytest.approx((0.7 if graded else 1.0) / 2)


def test_models_with_one_score_have_no_correlation() -> None:
    p = whole(matrix([np.ones(9), np.zeros(9), [1, 0] * 4 + [1]]))
    rho, _ = pair_stats(p, p).pairing()
    assert np.isnan(rho[:2]).all()
    assert rho[2, 2] == 1


@pytest.mark.parametrize("graded", [False, True])
def test_pairing_beyond_46340_items(graded: bool) -> None:
    """Where squares of counts no longer fit 32 bits."""
    rng = np.random.default_rng(5)
    x = (rng.random((2, 60_000)) < 0.9).astype(np.float64)
    x[1, :40_000] = x[0, :40_000]
    if graded:
        x *= 0.999
    p = whole(matrix(x))
    rho, saving = pair_stats(p[:1], p[1:]).pairing()
    assert rho[0, 0] == pytest.approx(np.asarray(np.corrcoef(x))[0, 1], rel=1e-12)
    assert saving[0, 0] == pytest.approx(x.var(axis=1).sum() / (x[0] - x[1]).var(), rel=1e-12)


def test_correlations_stay_within_one() -> None:
    rng = np.random.default_rng(1)
    x = rng.random((40, 37))
    x[20:] = x[:20]
    p = whole(matrix(x))
    rho, _ = pair_stats(p, p).pairing()
    assert np.abs(rho).max() <= 1


# --- panels -------------------------------------------------------------------------------


def test_which_columns_there_are() -> None:
    m = matrix(np.eye(3), ["a", "b", "b"])
    with pytest.raises(DataError, match=r"No group column t for strata\. Available: s"):
        panel(m, [0, 1], np.arange(3), "strata", "t")
    with pytest.raises(DataError, match="clusters need at least two"):
        panel(m, [0, 1], np.array([1, 2]), "cluster", "s")
    for kind, column in DESIGNS[1:]:
        with pytest.raises(DataError, match="at least 2 items; found 1"):
            panel(m, [0, 1], np.array([1]), kind, column)


def test_names_of_designs() -> None:
    m = matrix(np.eye(4), list("aabb"))
    found = [whole(m, kind, column).design.name for kind, column in DESIGNS]
    assert found == ["independent", "strata:s", "cluster:s"]


@pytest.mark.parametrize(("kind", "column"), DESIGNS)
def test_models_and_items_in_any_order(kind: DesignKind, column: str | None) -> None:
    rng = np.random.default_rng(8)
    x = scores(rng, graded=False, missing=0.2, m=5, n=64)
    labels = GROUPS["one alone"](rng, 64)
    s = pair_stats(*(2 * [whole(matrix(x, labels), kind, column)]))
    models, items = rng.permutation(5), rng.permutation(64)
    p = panel(matrix(x, labels), models.tolist(), items, kind, column)
    t = pair_stats(p, p)
    for name in ("delta", "se", "t"):
        expected = getattr(s, name)[np.ix_(models, models)]
        assert getattr(t, name) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_pairs_taken_and_joined() -> None:
    rng = np.random.default_rng(8)
    p = whole(matrix(scores(rng, graded=True, missing=0.2, m=6, n=64)))
    s = pair_stats(p, p)
    again = PairStats.concatenate([s.take(slice(0, 2)), s.take(slice(2, 6))])
    up = np.triu_indices(6, 1)
    for name in ("delta", "se", "t", "df", "n"):
        assert getattr(again, name) == pytest.approx(getattr(s, name))
        assert getattr(s.take(up), name) == pytest.approx(getattr(s, name)[up])
