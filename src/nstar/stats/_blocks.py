"""Elementwise functions over cache-sized blocks of broadcast arguments.

A formula of a dozen NumPy operations on ten million pairs reads and writes main memory a dozen
times. The same formula on blocks that stay in the cache does so once. ``map_blocks`` splits arrays
by :class:`numpy.nditer`, which also broadcasts and casts them. A kernel function is therefore
plain NumPy code for small float64 arrays.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from nstar._base.types import Array, FloatLike

BLOCK = 16384
"""Elements per block. A dozen temporary arrays of 128 kB fit in a level-2 cache."""


def _run(func: Callable[..., Any], args: tuple[FloatLike, ...], outputs: int) -> list[Array]:
    arrays = [np.asarray(a) for a in args]
    it = np.nditer(  # type: ignore[call-overload]
        [*arrays, *([None] * outputs)],
        flags=["external_loop", "buffered", "delay_bufalloc", "zerosize_ok"],
        op_flags=[["readonly"]] * len(arrays) + [["writeonly", "allocate"]] * outputs,
        op_dtypes=[np.float64] * (len(arrays) + outputs),
        casting="same_kind",
        buffersize=BLOCK,
        order="K",
    )
    k = len(arrays)
    with it:
        it.reset()
        for block in it:
            result = func(*block[:k])
            for out, value in zip(block[k:], (result,) if outputs == 1 else result, strict=True):
                out[...] = value
        return [np.asarray(o) for o in it.operands[k:]]


def map_blocks(func: Callable[..., Array], *args: FloatLike) -> Array:
    """Apply ``func`` elementwise, block by block. Scalar arguments give a NumPy scalar."""
    return _run(func, args, 1)[0][()]


def map_blocks2(func: Callable[..., tuple[Array, Array]], *args: FloatLike) -> tuple[Array, Array]:
    """Apply a function that returns two arrays, like :func:`map_blocks`."""
    low, high = _run(func, args, 2)
    return low[()], high[()]
