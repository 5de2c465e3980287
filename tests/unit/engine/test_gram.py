"""The Gram floor: integers against plain counting, sums against exact ones, two engines alike."""

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from nstar._base.types import Array
from nstar._data.matrix import Grouping, ScoreMatrix
from nstar._engine.gram import (
    CompactGram,
    Gram,
    ItemLayout,
    ScoreBlock,
    block,
    gram,
    gram_along,
    grams,
    group_grams,
    layout,
    popcount,
    present_in_all,
    squared_distances,
)
from nstar.errors import DataError

SUMS = ("n", "first", "second", "first2", "second2", "gap", "gap2")
WIDTHS = (1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 128, 129, 1023, 1025, 2701)


def names(m: int) -> list[str]:
    return [f"m{i}" for i in range(m)]


def scores(m: int, n: int, *, graded: bool, missing: float, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    if graded:
        x = rng.beta(2, 2, (m, n)) * 50 + rng.normal(0, 10, n)
    else:
        x = (rng.random((m, n)) < rng.uniform(0.2, 0.9, (m, 1))).astype(np.float64)
    x[rng.random((m, n)) < missing] = np.nan
    return x


def matrix(x: Array, **more: Any) -> ScoreMatrix:
    return ScoreMatrix.from_arrays(x, models=names(len(x)), **more)


def whole(m: ScoreMatrix) -> ScoreBlock:
    return block(m, range(m.shape[0]), layout(np.arange(m.shape[1])))


def by_hand(x: Array, i: int, j: int, offset: float = 0.0) -> dict[str, float]:
    """Sums over common items, one item at a time, rounded once."""
    both = [(float(a), float(b)) for a, b in zip(x[i], x[j], strict=True) if not np.isnan(a + b)]
    return {
        "n": len(both),
        "first": math.fsum(a - offset for a, _ in both),
        "second": math.fsum(b - offset for _, b in both),
        "first2": math.fsum((a - offset) ** 2 for a, _ in both),
        "second2": math.fsum((b - offset) ** 2 for _, b in both),
        "gap": math.fsum(a - b for a, b in both),
        "gap2": math.fsum((a - b) ** 2 for a, b in both),
    }


def full(g: Gram, name: str) -> npt.NDArray[Any]:
    return np.broadcast_to(getattr(g, name), g.shape)


def assert_same(found: Gram, expected: Gram, index: Any = ...) -> None:
    """Binary sums to the unit, graded ones to twelve digits."""
    for k in SUMS:
        a, b = full(found, k), full(expected, k)[index]
        if found.binary:
            assert a.tolist() == b.tolist(), k
        else:
            assert a == pytest.approx(b, rel=1e-12, abs=1e-9), k


@pytest.fixture(params=["numkong", "numpy"])
def each_engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "numpy":
        monkeypatch.setattr(popcount, "_numkong", lambda: None)
    elif popcount.name() != "numkong":
        pytest.skip("NumKong is not used on this processor")
    assert popcount.name() == request.param
    return str(request.param)


# --- the engine ---------------------------------------------------------------------------


@pytest.mark.parametrize("width", WIDTHS)
def test_counts_are_those_of_bitwise_count(width: int, each_engine: str) -> None:
    bits = np.random.default_rng(width).integers(0, 256, (21, width), dtype=np.uint8)
    found = popcount.common(bits[:9], popcount.pack(bits[9:]))
    expected = np.bitwise_count(bits[:9, None] & bits[None, 9:]).sum(axis=-1)
    assert found.dtype == np.int32
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("fill", [0, 255])
def test_rows_of_zeros_and_of_ones(fill: int, each_engine: str) -> None:
    bits = np.full((3, 40_001), fill, dtype=np.uint8)
    assert (popcount.common(bits, popcount.pack(bits)) == 40_001 * 8 * (fill > 0)).all()


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 5), (5, 1), (0, 3), (3, 0)])
def test_one_model_or_none(rows: int, columns: int, each_engine: str) -> None:
    a, b = (np.full((k, 5), 7, dtype=np.uint8) for k in (rows, columns))
    if rows * columns:
        assert (popcount.common(a, popcount.pack(b)) == 15).all()
    assert whole(matrix(np.ones((1, 9)))).sums.tolist() == [9]


def test_no_items_have_nothing_in_common(each_engine: str) -> None:
    none = np.empty((3, 0), dtype=np.uint8)
    assert popcount.common(none, popcount.pack(none)).tolist() == [[0] * 3] * 3


@pytest.mark.parametrize(("start", "stop"), [(0, 1), (1, 2), (3, 70), (5, 133), (199, 200)])
def test_a_part_of_every_row_need_not_be_copied(start: int, stop: int, each_engine: str) -> None:
    bits = np.random.default_rng(5).integers(0, 256, (12, 200), dtype=np.uint8)
    part = bits[:, start:stop]
    found = popcount.common(part[:5], popcount.pack(part[5:]))
    expected = np.bitwise_count(part[:5, None] & part[None, 5:]).sum(axis=-1)
    assert found.tolist() == expected.tolist()


def test_counts_may_be_changed_in_place(each_engine: str) -> None:
    bits = np.full((4, 3), 3, dtype=np.uint8)
    packed = popcount.pack(bits)
    first = popcount.common(bits, packed)
    first *= -2
    assert popcount.common(bits, packed).tolist() == [[6] * 4] * 4


class Pretender:
    """An engine that counts, but not what it is asked to count."""

    def __init__(self, wrong: Any) -> None:
        self.wrong = wrong

    def get_capabilities(self) -> dict[str, bool]:
        return {"serial": True, "haswell": True}

    def dots_pack(self, columns: Any, dtype: str) -> Any:
        return columns

    def dots_packed(self, rows: Any, columns: Any) -> Any:
        return self.wrong(rows, columns)


def _raise(*_: Any) -> Any:
    raise ValueError


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(
            lambda a, b: a.astype(np.uint32) @ b.T.astype(np.uint32), id="bytes as numbers"
        ),
        pytest.param(lambda a, b: np.zeros((len(a), len(b)), np.uint32), id="zeros"),
        pytest.param(
            lambda a, b: np.bitwise_count(a[:, None] & b[None]).sum(-1).astype(np.float32),
            id="floats",
        ),
        pytest.param(
            lambda a, b: np.bitwise_count(a[:, None] & b[None]).sum(-1).astype(np.int64),
            id="longer integers",
        ),
        pytest.param(
            lambda a, b: np.bitwise_count(a[:, None] ^ b[None]).sum(-1).astype(np.uint32),
            id="XOR",
        ),
        pytest.param(_raise, id="refuses"),
    ],
)
def test_an_engine_that_counts_wrongly_is_not_used(
    wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numkong", Pretender(wrong))
    assert popcount._numkong.__wrapped__() is None


def test_an_engine_that_counts_rightly_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def right(a: Any, b: Any) -> Any:
        return np.bitwise_count(a[:, None] & b[None]).sum(-1).astype(np.uint32)

    honest = Pretender(right)
    monkeypatch.setitem(sys.modules, "numkong", honest)
    assert popcount._numkong.__wrapped__() is honest
    monkeypatch.setattr(honest, "get_capabilities", lambda: {"serial": True, "haswell": False})
    assert popcount._numkong.__wrapped__() is None, "its plain path is slower than numpy"
    monkeypatch.setitem(sys.modules, "numkong", None)
    assert popcount._numkong.__wrapped__() is None, "it cannot be imported"


# --- Grams --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 7, 8, 9, 301])
@pytest.mark.parametrize("missing", [0.0, 0.2, 0.9])
def test_binary_sums_are_those_of_counting(n: int, missing: float, each_engine: str) -> None:
    x = scores(6, n, graded=False, missing=missing, seed=n)
    g = Gram.of(matrix(x))
    assert g.binary
    for i in range(6):
        for j in range(6):
            expected = by_hand(x, i, j)
            assert {k: int(full(g, k)[i, j]) for k in SUMS} == expected
            both = (x[i] == 1) & (x[j] == 1)
            assert g.cross[i, j] == both.sum()


@pytest.mark.parametrize("n", [1, 8, 301])
@pytest.mark.parametrize("missing", [0.0, 0.2, 0.9])
def test_graded_sums_are_those_of_adding(n: int, missing: float) -> None:
    x = scores(6, n, graded=True, missing=missing, seed=n)
    b = whole(matrix(x))
    g = gram(b, b)
    assert not g.binary
    assert g.offset == pytest.approx(np.nanmean(x), rel=1e-13)
    for i in range(6):
        for j in range(6):
            expected = by_hand(x, i, j, g.offset)
            found = {k: float(full(g, k)[i, j]) for k in SUMS}
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-12 * 50 * n)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_grams_of_disjoint_items_add(graded: bool, missing: float) -> None:
    x = scores(5, 203, graded=graded, missing=missing)
    half = np.random.default_rng(1).random(203) < 0.5
    parts = [Gram.of(matrix(x[:, which])) for which in (half, ~half)]
    if graded:
        assert parts[0].offset != parts[1].offset
    total, expected = parts[0] + parts[1], Gram.of(matrix(x)).less(parts[0].offset)
    assert_same(total, expected)


def test_scores_graded_on_some_items_only_add_too() -> None:
    x = scores(4, 60, graded=False, missing=0.1)
    x[:, 40:] += scores(4, 20, graded=True, missing=0.1)
    total = Gram.of(matrix(x[:, :40])) + Gram.of(matrix(x[:, 40:]))
    assert_same(total, Gram.of(matrix(x)).less(0.0))


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_tile_stands_alone(graded: bool, missing: float) -> None:
    b = whole(matrix(scores(11, 150, graded=graded, missing=missing)))
    all_of_it = gram(b, b)
    for rows, columns in (
        (slice(0, 4), slice(4, 11)),
        (slice(2, 3), slice(0, 1)),
        (slice(5, 11), slice(5, 11)),
    ):
        tile = gram(b[rows], b[columns])
        assert tile.shape == (len(b[rows]), len(b[columns]))
        assert_same(tile, all_of_it, (rows, columns))


def test_sums_are_counted_once_and_follow_the_rows() -> None:
    x = scores(7, 90, graded=False, missing=0)
    b = whole(matrix(x))
    expected = x.sum(axis=1).astype(int)
    before = b[2:5]
    assert b.sums is b.sums
    assert b.sums.tolist() == expected.tolist()
    assert before.sums.tolist() == b[2:5].sums.tolist() == expected[2:5].tolist()
    assert b[np.array([6, 0])].sums.tolist() == expected[[6, 0]].tolist()
    assert b.segment(8, 24, 16).sums.tolist() == x[:, 8:24].sum(axis=1).astype(int).tolist()


@pytest.mark.parametrize("graded", [False, True])
def test_pairs_taken_and_joined(graded: bool) -> None:
    g = Gram.of(matrix(scores(6, 50, graded=graded, missing=0.0)))
    up = np.triu_indices(6, 1)
    taken = g.take(up)
    assert taken.gap2.tolist() == g.gap2[up].tolist()
    assert full(taken, "first").tolist() == full(g, "first")[up].tolist()
    joined = Gram.concatenate([g.take((slice(0, 2),)), g.take((slice(2, 6),))])
    assert_same(joined, g)


# --- digits -------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_models_that_hardly_differ_keep_their_digits(missing: float) -> None:
    rng = np.random.default_rng(7)
    x = np.vstack([rng.random((1, 5000)) * 0.5 + 0.5, np.zeros((1, 5000)), rng.random((4, 5000))])
    x[1] = x[0]
    x[1, [3, 70, 4000]] += [1e-6, 3e-6, -1.5e-6]
    x[:, rng.random(5000) < missing / 2] = np.nan
    gone = np.asarray(rng.random(x.shape) < missing / 2)
    gone[:, [3, 70, 4000]] = False
    x[gone] = np.nan
    g = Gram.of(matrix(x))
    for i, j in ((0, 1), (1, 0), (0, 2), (2, 3)):
        expected = by_hand(x, i, j)
        assert g.gap[i, j] == pytest.approx(expected["gap"], rel=1e-9)
        assert g.gap2[i, j] == pytest.approx(expected["gap2"], rel=1e-9)


@pytest.mark.parametrize("missing", [False, True])
def test_what_rounding_leaves_of_equal_scores_is_nothing(missing: bool) -> None:
    x = np.full((3, 40), 0.3)
    x[1] = 0.1 + 0.2
    x[2, ::3] = 0.9
    if missing:
        x[2, 1] = np.nan
    assert x[0, 0] != x[1, 0]
    g = Gram.of(matrix(x))
    assert g.gap[0, 1] == g.gap2[0, 1] == 0
    assert g.gap2[0, 2] == pytest.approx(14 * 0.36, rel=1e-12)


def test_squared_distances_against_subtraction() -> None:
    rng = np.random.default_rng(3)
    u = rng.normal(size=(5, 400))
    v = np.vstack([u[:2] + 1e-7 * rng.normal(size=(2, 400)), u[2:3], rng.normal(size=(2, 400))])
    expected = [[math.fsum((a - b) ** 2) for b in v] for a in u]
    assert squared_distances(u, v) == pytest.approx(np.array(expected), rel=1e-12)
    assert squared_distances(u[:, :0], v[:, :0]).tolist() == [[0.0] * 5] * 5


# --- layouts ------------------------------------------------------------------------------


def grouping(*labels: Any) -> Grouping:
    return Grouping.from_labels(list(labels))


def test_groups_begin_on_whole_bytes_and_keep_their_items() -> None:
    labels = ["b"] * 9 + [None] + ["a"] + ["c"] * 8 + ["b"]
    where = layout(np.arange(20), grouping(*labels))
    assert where.labels == ("(no label)", "a", "b", "c")
    assert where.sizes.tolist() == [1, 1, 10, 8]
    assert where.ends == (8, 16, 32, 40)
    assert where.width == 40
    starts = np.array([0, *where.ends[:-1]])
    for item, place in zip(where.items.tolist(), where.place.tolist(), strict=True):
        group = int(np.searchsorted(starts, place, side="right")) - 1
        label = labels[item]
        assert where.labels[group] == ("(no label)" if label is None else label)
    assert sorted(where.items.tolist()) == list(range(20))
    assert len(set(where.place.tolist())) == 20


def test_groups_by_size() -> None:
    where = layout(np.arange(6), grouping("z", "y", "y", "x", "y", "x"), by_size=True)
    assert where.labels == ("z", "x", "y")
    assert where.sizes.tolist() == [1, 2, 3]
    assert where.items.tolist() == [0, 3, 5, 1, 2, 4]


def test_only_groups_of_the_items_asked_for() -> None:
    where = layout(np.array([5, 1]), grouping("z", "y", "y", "x", "y", "x"))
    assert where.labels == ("x", "y")
    assert where.items.tolist() == [5, 1]
    assert layout(np.empty(0, dtype=np.int64), grouping("z", "y")).width == 0


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_one_gram_per_group(graded: bool, missing: float, each_engine: str) -> None:
    x = scores(5, 77, graded=graded, missing=missing)
    rng = np.random.default_rng(2)
    labels = [None if k == 0 else f"g{k}" for k in rng.integers(0, 6, 77).tolist()]
    labels[13] = "alone"
    m = matrix(x, groups={"s": labels})
    where = layout(np.arange(77), m.groups["s"])
    b = block(m, range(5), where)
    assert {"alone", "(no label)"} <= set(where.labels)
    for label, size, g in zip(where.labels, where.sizes, group_grams(b, b, where), strict=True):
        wanted = None if label == "(no label)" else label
        mine = np.array([k for k, v in enumerate(labels) if v == wanted])
        assert len(mine) == size
        expected = Gram.of(matrix(x[:, mine])).less(g.offset)
        assert_same(g, expected)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_some_items_of_some_models(graded: bool, missing: float) -> None:
    x = scores(6, 61, graded=graded, missing=missing)
    models, items = [4, 1, 0], np.array([60, 3, 4, 5, 17, 18, 40, 2, 1])
    b = block(matrix(x), models, layout(items))
    part = x[models][:, items]
    g = gram(b, b)
    for i in range(3):
        for j in range(3):
            expected = by_hand(part, i, j, g.offset)
            found = {k: float(full(g, k)[i, j]) for k in SUMS}
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-9)
    assert b.counts().tolist() == (~np.isnan(part)).sum(axis=1).tolist()


def test_items_may_be_repeated_and_in_any_order() -> None:
    x = scores(3, 20, graded=False, missing=0.0)
    again = np.random.default_rng(8).integers(0, 20, 20)
    b = block(matrix(x), range(3), layout(again))
    assert b.sums.tolist() == x[:, again].sum(axis=1).astype(int).tolist()


def test_a_mask_that_hides_nothing_is_dropped() -> None:
    x = scores(4, 30, graded=False, missing=0.0)
    x[1, 7] = np.nan
    assert not whole(matrix(x)).complete
    rest = np.delete(np.arange(30), 7)
    assert block(matrix(x), range(4), layout(rest)).complete
    assert block(matrix(x), [0, 2], layout(np.arange(30))).complete
    y = np.where(np.isnan(x), x, x + 0.5)
    assert block(matrix(y), [0, 2], layout(np.arange(30))).complete


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_items_that_all_have(graded: bool, missing: float) -> None:
    x = scores(5, 43, graded=graded, missing=missing)
    found = present_in_all(matrix(x), [0, 3, 4])
    assert found.tolist() == (~np.isnan(x[[0, 3, 4]])).all(axis=0).tolist()


def test_more_items_than_integers_can_count_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[ItemLayout.__module__], "_LARGEST", 10)
    with pytest.raises(DataError, match=r"10 items are too many for one task\. The maximum is 9"):
        layout(np.arange(10))


def test_the_largest_counts_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    most = (1 << 30) - 1

    def counted(rows: Any, _: Any) -> Any:
        return np.full((len(rows), len(rows)), most, dtype=np.int32)

    monkeypatch.setattr(popcount, "common", counted)
    ones = np.full((2, 1), 255, dtype=np.uint8)
    made = {"sums": np.full(2, most, dtype=np.int32)}
    b = ScoreBlock(n=most, bits=ones, _made=made)
    g = gram(b, b)
    assert g.gap2.tolist() == [[0, 0], [0, 0]]
    assert g.gap.tolist() == [[0, 0], [0, 0]]


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with np.errstate(all="raise", under="ignore"):
        yield


def same(found: Gram, wanted: Gram) -> None:
    for key in SUMS:
        one, other = (np.broadcast_to(getattr(g, key), g.shape) for g in (found, wanted))
        assert one.tolist() == other.tolist(), key


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("items", [40, 70_000])
def test_a_lean_gram_is_the_same_gram(items: int, missing: float) -> None:
    x = scores(5, items, graded=False, missing=missing)
    x[0], x[1] = 1, 0
    data = whole(matrix(x))
    g = gram(data[:3], data[3:])
    kept = CompactGram.of(g)
    same(kept.whole(), g)
    every = 6 * (2 if items < 1 << 16 else 4)
    assert kept.nbytes < (5 * every if missing else every + 30)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("plain", [False, True])
def test_several_tiles_at_once(
    missing: float, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = whole(matrix(scores(11, 3000, graded=False, missing=missing)))
    blocks = [data[k : k + 3] for k in range(0, 11, 3)]
    square = [(i, j) for i in range(4) for j in range(i, 4)]
    wanted = {(i, j): gram(blocks[i], blocks[j]) for i, j in square}
    if plain:
        monkeypatch.setattr(popcount, "_numkong", lambda: None)
        blocks = [data[k : k + 3] for k in range(0, 11, 3)]
    for meet in (square, [(0, 2), (0, 3), (1, 2), (1, 3)], [(0, 1), (0, 3)], [(2, 2)], []):
        for ij, found in zip(meet, grams(blocks, meet), strict=True):
            same(found, wanted[ij])


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_row_by_row(missing: float) -> None:
    x = scores(9, 131, graded=False, missing=missing)
    data = whole(matrix(x))
    found = gram_along(data[:-1], data[1:])
    for i in range(8):
        wanted = by_hand(x, i, i + 1)
        for key in ("n", "first", "second", "gap", "gap2"):
            assert np.broadcast_to(getattr(found, key), (8,))[i] == wanted[key]
