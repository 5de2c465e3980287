"""Squared distances of rows by one matrix product, and by subtraction where that lost digits."""

from typing import TypeAlias

import numpy as np

from nstar._base.types import Array, IntArray

Both: TypeAlias = tuple[Array, Array] | None
"""1 where a row has an item, else 0, for both sides; None if all have all."""

NEAR = 1e-3
"""Share of the two squared lengths below which a distance is worth subtracting for."""

_CELLS = 1 << 21
"""Numbers subtracted at once."""


def subtracted(
    u: Array, v: Array, i: IntArray, j: IntArray, *, both: Both = None, slack: float = 0.0
) -> tuple[Array, Array]:
    """Σ d and Σ d² of some pairs of rows, d = u_i - v_j, one pair after the other.

    Only over items that both have, if that is told; differences up to ``slack`` are none.
    """
    step = max(1, _CELLS // max(u.shape[1], 1))
    sums, squares = np.empty(len(i)), np.empty(len(i))
    for start in range(0, len(i), step):
        part = slice(start, start + step)
        d = u[i[part]] - v[j[part]]
        if both is not None:
            d *= both[0][i[part]] * both[1][j[part]]
        if slack:
            d[np.abs(d) <= slack] = 0.0
        sums[part] = d.sum(axis=1)
        squares[part] = np.einsum("ij,ij->i", d, d)
    return sums, squares


def squared_distances(u: Array, v: Array) -> Array:
    """Σ (u_i - v_j)² of every row of ``u`` and of ``v``, to about 1e-12 of itself.

    Examples
    --------
    >>> squared_distances(np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[0.0, 0.0]])).tolist()
    [[1.0], [2.0]]
    """
    lengths = np.einsum("ij,ij->i", u, u)[:, None] + np.einsum("ij,ij->i", v, v)[None, :]
    out = lengths - 2 * (u @ v.T)
    near = np.nonzero(out < NEAR * lengths)
    if near[0].size:
        out[near] = subtracted(u, v, *near)[1]
    return np.asarray(np.maximum(out, 0.0))
