"""AND and popcount of packed rows, by NumKong if it is fast and correct, else by BLAS.

Both return the same integers. NumKong is used if it supports the vector instructions of this
processor and counts a small sample correctly. Without vector instructions, it is slower than BLAS.
"""

from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Bits: TypeAlias = npt.NDArray[np.uint8]
PairCounts: TypeAlias = npt.NDArray[np.int32]
Engine: TypeAlias = Literal["numkong", "numpy"]
Packed: TypeAlias = Any
"""Columns of a tile in the form that the engine needs."""

_CHUNK = 1 << 8
"""Number of bytes of a row that are unpacked at a time. float32 counts them exactly."""

_PLAIN = ("serial", "v128relaxed")
"""Capabilities of NumKong that are not faster than BLAS."""


def _by_numkong(nk: Any, rows: Bits, columns: Bits) -> PairCounts:
    return np.asarray(nk.dots_packed(rows, nk.dots_pack(columns, dtype="uint1"))).view(np.int32)


@cache
def _bytes() -> npt.NDArray[np.float32]:
    """Return the eight bits of every byte as numbers, (256, 8)."""
    byte_values = np.arange(256, dtype=np.uint8)[:, None]
    return np.unpackbits(byte_values, axis=1).astype(np.float32)


def _unpacked(rows: Bits) -> npt.NDArray[np.float32]:
    return _bytes().take(rows, axis=0).reshape(len(rows), -1)


def _by_numpy(rows: Bits, columns: Bits) -> PairCounts:
    """Multiply unpacked chunks in float32, which is exact because no chunk has 2²⁴ items.

    BLAS needs half the time for the product of a chunk with itself.
    """
    out = np.zeros((len(rows), len(columns)), dtype=np.int32)
    for start in range(0, rows.shape[1], _CHUNK):
        part = slice(start, start + _CHUNK)
        a = _unpacked(rows[:, part])
        b = a if columns is rows else _unpacked(columns[:, part])
        out += (a @ b.T).astype(np.int32)
    return out


def _counts_correctly(nk: Any) -> bool:
    """Return whether NumKong counts a sample correctly, because its name for bits has changed."""
    # NumKong's name for packed bits has changed between releases, so the same call may not
    # count bits in every version.
    bits = np.random.default_rng(0).integers(0, 256, (5, 67), dtype=np.uint8)
    expected = np.bitwise_count(bits[:, None] & bits[None]).sum(axis=-1)
    try:
        return bool(np.array_equal(_by_numkong(nk, bits, bits[:3]), expected[:, :3]))
    except (TypeError, ValueError, RuntimeError, AttributeError):
        return False


@cache
def _numkong() -> Any:
    """Return the module, or None if it is missing, slow on this processor, or incorrect."""
    try:
        import numkong as nk  # noqa: PLC0415 - a tenth of a second, for binary scores only
    except ImportError:
        return None
    able = any(on and feature not in _PLAIN for feature, on in nk.get_capabilities().items())
    return nk if able and _counts_correctly(nk) else None


def name() -> Engine:
    """Return the name of the engine in use."""
    return "numpy" if _numkong() is None else "numkong"


def pack(columns: Bits) -> Packed:
    """Pack the columns of a tile, for use with several rows."""
    nk = _numkong()
    return columns if nk is None else nk.dots_pack(columns, dtype="uint1")


def common(rows: Bits, columns: Packed) -> PairCounts:
    """Return the number of common ones of each row and each column, (rows, columns).

    >>> rows = np.array([[0b1011], [0b0001]], dtype=np.uint8)
    >>> common(rows, pack(rows)).tolist()
    [[3, 1], [1, 1]]
    """
    nk = _numkong()
    if nk is None:
        return _by_numpy(rows, columns)
    return np.asarray(nk.dots_packed(rows, columns)).view(np.int32)
