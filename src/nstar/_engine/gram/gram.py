"""Gram: common items, sums, and sums of squared differences for every pair of models."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np

from nstar._base.types import Array, IntArray
from nstar._data.matrix import ScoreMatrix
from nstar._engine.gram import popcount
from nstar._engine.gram.block import ScoreBlock, ones
from nstar._engine.gram.rows import ItemLayout, block, layout

_Both: TypeAlias = tuple[Array, Array] | None
"""1 where a row has a score for an item, else 0, for both sides. None if no score is missing."""

NEAR = 1e-3
"""Squared distance, relative to the squared lengths, below which it is recomputed by
subtraction.
"""

_CELLS = 1 << 21
"""Number of values that are subtracted at a time."""


def _subtracted(
    u: Array, v: Array, i: IntArray, j: IntArray, *, presence: _Both = None, slack: float = 0.0
) -> tuple[Array, Array]:
    """Return Σ d and Σ d² of some pairs of rows, d = u_i - v_j, one pair after the other.

    With ``presence``, only the common items of a pair are included. Differences up to ``slack``
    are treated as 0.
    """
    step = max(1, _CELLS // max(u.shape[1], 1))
    sums, squares = np.empty(len(i)), np.empty(len(i))
    for start in range(0, len(i), step):
        part = slice(start, start + step)
        d = u[i[part]] - v[j[part]]
        if presence is not None:
            d *= presence[0][i[part]] * presence[1][j[part]]
        if slack:
            d[np.abs(d) <= slack] = 0.0
        sums[part] = d.sum(axis=1)
        squares[part] = np.einsum("ij,ij->i", d, d)
    return sums, squares


def squared_distances(u: Array, v: Array) -> Array:
    """Return Σ (u_i - v_j)² for each row of ``u`` and of ``v``, with relative error 1e-12.

    >>> squared_distances(np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[0.0, 0.0]])).tolist()
    [[1.0], [2.0]]
    """
    lengths = np.einsum("ij,ij->i", u, u)[:, None] + np.einsum("ij,ij->i", v, v)[None, :]
    out = lengths - 2 * (u @ v.T)
    # |u|² + |v|² - 2uv cancels if two models have almost the same scores. Below 0.1% of the
    # lengths, too few digits remain, so those few pairs are subtracted item by item.
    close_pairs = np.nonzero(out < NEAR * lengths)
    if close_pairs[0].size:
        out[close_pairs] = _subtracted(u, v, *close_pairs)[1]
    return np.asarray(np.maximum(out, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gram:
    """Sums over the common items of each pair of models. Rows are the first models.

    Fields broadcast to (rows, columns). For complete data, ``n`` is one number, ``first`` is a
    column, and ``second`` is a row. Grams of disjoint items add up. Sums of binary scores are
    whole numbers.

    >>> from nstar._data.matrix import ScoreMatrix
    >>> g = Gram.of(ScoreMatrix.from_arrays([[1, 0, 1], [1, 1, 0]], models=["a", "b"]))
    >>> int(g.n), g.gap2.tolist(), g.cross.tolist()
    (3, [[0, 2], [2, 0]], [[2.0, 1.0], [1.0, 2.0]])
    >>> (g + g).gap2.tolist()
    [[0, 4], [4, 0]]
    """

    n: Any
    """Number of common items."""
    first: Any
    """Sum of the first model's scores, minus an offset if graded."""
    second: Any
    """Sum of the second model's scores, minus the same offset."""
    first2: Any
    """Sum of squares of the first model's scores, which equals ``first`` for binary scores."""
    second2: Any
    """Sum of squares of the second model's scores."""
    gap: Any
    """Sum of differences, first minus second."""
    gap2: Any
    """Sum of squared differences. For binary scores, the number of discordant items."""
    offset: float = 0.0
    """Offset that was subtracted from every graded score."""

    @classmethod
    def of(cls, matrix: ScoreMatrix) -> "Gram":
        """Compute the Gram of all pairs of a ScoreMatrix."""
        m, n = matrix.shape
        all_of_it = block(matrix, range(m), layout(np.arange(n)))
        return gram(all_of_it, all_of_it)

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the tile."""
        return tuple(np.shape(self.gap2))

    @property
    def binary(self) -> bool:
        """Return whether scores are 0 or 1, so that all sums are whole numbers."""
        return bool(np.asarray(self.gap2).dtype.kind == "i")

    @property
    def discordant(self) -> tuple[Any, Any]:
        """Return the numbers of items that only the first and only the second model solved."""
        return (self.gap2 + self.gap) // 2, (self.gap2 - self.gap) // 2

    @property
    def cross(self) -> Any:
        """Return the sum of products of the two scores.

        For binary scores, this is the number of items that both models answered correctly.
        """
        return (self.first2 + self.second2 - self.gap2) / 2

    def __add__(self, other: "Gram") -> "Gram":
        """Return the Gram of both sets of items, which must not overlap."""
        other = other.less(self.offset)
        return replace(self, **{k: getattr(self, k) + getattr(other, k) for k in _SUMS})

    def less(self, offset: float) -> "Gram":
        """Return the Gram with another offset."""
        if offset == self.offset:
            return self
        up = self.offset - offset
        return replace(
            self,
            offset=offset,
            first=self.first + up * self.n,
            second=self.second + up * self.n,
            first2=self.first2 + up * (2 * self.first + up * self.n),
            second2=self.second2 + up * (2 * self.second + up * self.n),
        )

    @classmethod
    def concatenate(cls, parts: Sequence["Gram"]) -> "Gram":
        """Concatenate the pairs of several Grams along the first axis."""
        alike = [p.less(parts[0].offset) for p in parts]
        sums: dict[str, Any] = {
            k: np.concatenate([np.broadcast_to(getattr(p, k), p.shape) for p in alike])
            for k in _SUMS
        }
        return replace(parts[0], **sums)

    def take(self, index: Any) -> "Gram":
        """Return some of the pairs, by an index into arrays of the shape of the tile."""
        arrays = {k: getattr(self, k) for k in _SUMS if np.ndim(getattr(self, k))}
        if len(self.shape) == 2 and np.asarray(index).dtype == np.bool_:
            index = np.nonzero(index)
        same = {id(x): self._select_sums(x, index) for x in arrays.values()}
        return replace(self, **{k: same[id(x)] for k, x in arrays.items()})

    def _select_sums(self, sums: Any, index: Any) -> Any:
        """Return some of the sums. Sums over one model are stored as a column or a row."""
        if isinstance(index, tuple) and len(index) == 2 and sums.shape != self.shape:
            rows, columns = (
                i if size > 1 else 0 for i, size in zip(index, sums.shape, strict=True)
            )
            return np.broadcast_to(sums[rows, columns], index[0].shape)
        return np.broadcast_to(sums, self.shape)[index]

    def part(self, rows: slice, columns: slice) -> "Gram":
        """Return a rectangular part of the tile."""
        positions = (rows, columns)

        def cut(x: Any) -> Any:
            if not np.ndim(x):
                return x
            return x[
                tuple(
                    s if size > 1 else slice(None)
                    for s, size in zip(positions, x.shape, strict=True)
                )
            ]

        return replace(self, **{k: cut(getattr(self, k)) for k in _SUMS})


_SUMS = tuple(f.name for f in fields(Gram) if f.name != "offset")


def of_counts(*, n: Any, first: Any, second: Any, gap2: Any) -> Gram:
    """Build the Gram of 0/1 scores, whose squares equal the scores."""
    return Gram(
        n=n,
        first=first,
        second=second,
        first2=first,
        second2=second,
        gap=first - second,
        gap2=gap2,
    )


def _binary(rows: ScoreBlock, columns: ScoreBlock) -> Gram:
    bits: Any = rows.bits
    other = columns.packed("bits")
    n: Any = rows.n
    if rows.mask is None:
        first, second = rows.sums[:, None], columns.sums[None, :]
    else:
        mask = columns.packed("mask")
        n = popcount.common(rows.mask, mask)
        first, second = popcount.common(bits, mask), popcount.common(rows.mask, other)
    return _differing(n, first, second, popcount.common(bits, other))


def gram_along(rows: ScoreBlock, columns: ScoreBlock) -> Gram:
    """Return the Gram of each row of a block of 0/1 scores with the same row of another block.

    >>> from nstar._engine.gram.rows import block, layout
    >>> m = ScoreMatrix.from_arrays([[1, 0, 1], [1, 1, 0], [0, 0, 1]], models=["a", "b", "c"])
    >>> rows = block(m, range(3), layout(np.arange(3)))
    >>> gram_along(rows[:2], rows[1:]).gap2.tolist()
    [2, 3]
    """
    a: Any = rows.bits
    b: Any = columns.bits
    n: Any = rows.n
    if rows.mask is None or columns.mask is None:
        first, second = rows.sums, columns.sums
    else:
        n = ones(rows.mask & columns.mask)
        first, second = ones(a & columns.mask), ones(rows.mask & b)
    return _differing(n, first, second, ones(a & b))


def _differing(n: Any, first: Any, second: Any, common: Any) -> Gram:
    """Build the Gram from counts of items that both models answered correctly, in place."""
    common *= -2
    common += first
    common += second
    return of_counts(n=n, first=first, second=second, gap2=common)


def _squares(x: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", x, x))


def _complete(rows: ScoreBlock, columns: ScoreBlock) -> Gram:
    """Return the Gram of graded scores without missing values."""
    x, y, u, v = rows.scores, columns.scores, rows.centered, columns.centered
    lengths = _squares(u)[:, None] + _squares(v)[None, :]
    return _recompute_similar_pairs(
        rows,
        columns,
        lengths,
        Gram(
            n=rows.n,
            first=rows.sums[:, None],
            second=columns.sums[None, :],
            first2=_squares(x)[:, None],
            second2=_squares(y)[None, :],
            gap=u.sum(axis=1)[:, None] - v.sum(axis=1)[None, :],
            gap2=lengths - 2 * (u @ v.T),
            offset=rows.offset,
        ),
    )


def _masked(rows: ScoreBlock, columns: ScoreBlock) -> Gram:
    """Return the Gram of graded scores with missing values, where pairs have different items."""
    x, y, a, b = rows.scores, columns.scores, rows.there, columns.there
    u, v = rows.centered, columns.centered
    lengths = u * u @ b.T + a @ (v * v).T
    return _recompute_similar_pairs(
        rows,
        columns,
        lengths,
        Gram(
            n=np.rint(a @ b.T).astype(np.int64),
            first=x @ b.T,
            second=a @ y.T,
            first2=x * x @ b.T,
            second2=a @ (y * y).T,
            gap=u @ b.T - a @ v.T,
            gap2=lengths - 2 * (u @ v.T),
            offset=rows.offset,
        ),
    )


def _recompute_similar_pairs(
    rows: ScoreBlock, columns: ScoreBlock, lengths: Array, g: Gram
) -> Gram:
    """Recompute pairs of similar models by subtraction, because cancellation has lost digits."""
    i, j = np.nonzero(g.gap2 < NEAR * lengths)
    if i.size:
        presence = None if rows.there is None else (rows.there, columns.there)
        parts = _subtracted(
            rows.centered, columns.centered, i, j, presence=presence, slack=rows.slack
        )
        g.gap[i, j], g.gap2[i, j] = parts
    return g


def gram(rows: ScoreBlock, columns: ScoreBlock) -> Gram:
    """Return the Gram of a tile: every row of one block with every row of another."""
    if rows.binary:
        return _binary(rows, columns)
    return _complete(rows, columns) if rows.complete else _masked(rows, columns)


def _stacked(blocks: Sequence[ScoreBlock], part: str) -> Any:
    return np.concatenate([getattr(one, part) for one in blocks])


def _counted_at_once(rows: Sequence[ScoreBlock], columns: Sequence[ScoreBlock]) -> Gram:
    """Return the Gram of all rows with all columns of several blocks of 0/1 scores."""
    one = ScoreBlock(n=rows[0].n, bits=_stacked(rows, "bits"))
    other = one if columns is rows else ScoreBlock(n=rows[0].n, bits=_stacked(columns, "bits"))
    if rows[0].mask is not None:
        one = replace(one, mask=_stacked(rows, "mask"))
        other = one if columns is rows else replace(other, mask=_stacked(columns, "mask"))
    return _binary(one, other)


def grams(blocks: Sequence[ScoreBlock], meet: Sequence[tuple[int, int]]) -> Iterator[Gram]:
    """Return the Gram of every tile in which two blocks of 0/1 scores meet.

    Tiles are computed one by one, or together if the engine is then faster. The counts are the
    same.
    """
    above, left = ({ij[side] for ij in meet} for side in (0, 1))
    if popcount.name() != "numpy" or len(meet) < 2:
        yield from (gram(blocks[i], blocks[j]) for i, j in meet)
        return
    rows = [blocks[i] for i in sorted(above)]
    columns = rows if above == left else [blocks[j] for j in sorted(left)]
    full_gram = _counted_at_once(rows, columns)
    for i, j in meet:
        top = sum(len(blocks[k]) for k in above if k < i)
        start = sum(len(blocks[k]) for k in left if k < j)
        tile = slice(top, top + len(blocks[i])), slice(start, start + len(blocks[j]))
        yield full_gram.part(*tile)


def spread(rows: ScoreBlock, columns: ScoreBlock, i: IntArray, j: IntArray) -> Array:
    """Return Σ (d - mean d)² of some pairs of graded models, item by item, for ungrouped items.

    This is used for models with nearly constant differences, for which a Gram loses all digits.
    """
    out = np.empty(len(i))
    for k, (a, b) in enumerate(zip(i.tolist(), j.tolist(), strict=True)):
        d = (rows.centered[a] - columns.centered[b])[: rows.n]
        if rows.there is not None:
            d = d[(rows.there[a] * columns.there[b])[: rows.n] > 0]
        out[k] = d.var() * d.size if d.size else 0.0
    return out


def group_grams(rows: ScoreBlock, columns: ScoreBlock, where: ItemLayout) -> Iterator[Gram]:
    """Return one Gram for each group of a layout. They add up to the Gram of all items."""
    start = 0
    for end, size in zip(where.ends, where.sizes.tolist(), strict=True):
        parts = (side.segment(start, end, size) for side in (rows, columns))
        yield gram(*parts)
        start = end


def _small(counts: Any) -> Any:
    """Return counts of every pair in two bytes each if they are small enough, else unchanged."""
    if np.ndim(counts) < 2 or 1 in counts.shape or counts.max(initial=0) > np.iinfo(np.uint16).max:
        return counts
    return counts.astype(np.uint16)


def _large(counts: Any) -> Any:
    return counts.astype(np.int32) if getattr(counts, "dtype", None) == np.uint16 else counts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompactGram:
    """Counts from which a binary Gram is rebuilt. Complete data take two bytes per pair.

    >>> g = Gram.of(ScoreMatrix.from_arrays([[1, 0, 1], [1, 1, 0]], models=["a", "b"]))
    >>> compact = CompactGram.of(g)
    >>> compact.nbytes, compact.whole().gap2.tolist() == g.gap2.tolist()
    (24, True)
    """

    n: Any
    first: Any
    second: Any
    gap2: Any

    @classmethod
    def of(cls, g: Gram) -> "CompactGram":
        """Return the counts of a Gram."""
        return cls(
            n=_small(g.n), first=_small(g.first), second=_small(g.second), gap2=_small(g.gap2)
        )

    @property
    def nbytes(self) -> int:
        """Return the size of the counts in bytes."""
        return sum(getattr(x, "nbytes", 0) for x in (self.n, self.first, self.second, self.gap2))

    def whole(self) -> Gram:
        """Rebuild the Gram."""
        return of_counts(
            n=_large(self.n),
            first=_large(self.first),
            second=_large(self.second),
            gap2=_large(self.gap2),
        )
