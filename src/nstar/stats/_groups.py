"""Sum over groups of items (strata or clusters), check groups, and process rows in blocks."""

import math
from collections.abc import Callable

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike, IntArray

_EPS = float(np.finfo(np.float64).eps)

_CELLS = 1 << 17
"""Numbers per block of rows. A temporary array takes about a megabyte."""


def rows_per_block(width: int) -> int:
    """Return the number of rows of ``width`` numbers that one block holds."""
    return max(1, _CELLS // max(width, 1))


def by_rows(
    func: Callable[..., tuple[Array, ...]], outputs: int, *stats: FloatLike
) -> list[Array]:
    """Apply ``func`` to float64 blocks of rows.

    An argument of shape (G,) is shared by all rows.
    """
    arrays = [np.atleast_1d(np.asarray(a)) for a in stats]
    groups = arrays[0].shape[-1]
    for a in arrays:
        checks.require(a.shape[-1] == groups, "last axis", f"{groups} groups long", a.shape[-1])
    lead = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
    count = math.prod(lead)
    rows = [
        a.reshape(1, groups) if a.size == groups else np.broadcast_to(a, (*lead, groups))
        for a in arrays
    ]
    flat = [r.reshape(-1, groups) for r in rows]
    out = [np.empty(count) for _ in range(outputs)]
    step = rows_per_block(groups)
    for start in range(0, count, step):
        part = slice(start, start + step)
        block = (r if len(r) == 1 else r[part] for r in flat)
        values = func(*(b.astype(np.float64, copy=False) for b in block))
        for target, value in zip(out, values, strict=True):
            target[part] = value
    return [o.reshape(lead)[()] for o in out]


def squares_about_mean(sums: Array, squares: Array, sizes: Array | IntArray) -> Array:
    """Return Σ(x - mean)² of each group from its sums, exactly 0 if it is only rounding error.

    For m equal numbers, Q - S²/m is a rounding error of either sign, and its square root would
    look like a standard error. If two 0/1 differences are unequal, it is at least Q / m.
    """
    spread = squares - sums * sums / np.maximum(sizes, 1)
    return np.where(spread > 2 * _EPS * sizes * squares, spread, 0.0)


def check_groups(sizes: Array, *stats: Array, min_groups: int = 2) -> None:
    """Check the sizes, and the sums and squares if any. Return those of groups with items."""
    checks.counts(sizes=sizes)
    for name, stat in zip(("sums", "squares"), stats, strict=False):
        checks.finite(name, stat)
        checks.require((sizes > 0) | (stat == 0), name, "0 in a group without items", stat)
    groups = np.count_nonzero(sizes, axis=-1)
    requirement = f"at least {min_groups}" + (
        ": one cluster cannot vary" if min_groups > 1 else ""
    )
    checks.require(groups >= min_groups, "number of clusters", requirement, groups)
