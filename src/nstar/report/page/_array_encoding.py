"""Encode arrays as text in a page: small types, grouped by byte, deflated, base64."""

import json
import zlib
from base64 import b64encode
from typing import Any, Literal, TypeAlias

import numpy as np

ArrayKind: TypeAlias = Literal["u1", "u2", "u4", "i2", "f6", "f8"]

_LEVEL = 9

STEPS = 65_534
"""Steps between the worst and the best score where two bytes tell one; one more is "none"."""


def _fitting(array: np.ndarray[Any, Any]) -> ArrayKind:
    """The smallest type that holds whole numbers from 0; doubles for anything else."""
    if array.dtype.kind not in "iu":
        return "f6"
    largest = int(array.max(initial=0))
    return "u1" if largest < 1 << 8 else "u2" if largest < 1 << 16 else "u4"


def planes(array: np.ndarray[Any, Any], kind: ArrayKind) -> bytes:
    """First bytes of all values, then second bytes …; of a short double the six high ones."""
    wide = "f8" if kind == "f6" else kind
    flat = np.ascontiguousarray(array, dtype=f"<{wide}").reshape(-1)
    turned = flat.view(np.uint8).reshape(flat.size, flat.itemsize).T
    return turned[2 if kind == "f6" else 0 :].tobytes()


def pack(array: Any, kind: ArrayKind | None = None) -> dict[str, Any]:
    """An array as a JSON value, in row-major order.

    Parameters
    ----------
    array : object
        Numbers of any shape; NaN and infinities only in doubles.
    kind : {"u1", "u2", "u4", "i2", "f6", "f8"}, optional
        ``u1``, ``u2``, ``u4``, ``i2``; ``f8``, or ``f6`` for doubles cut to 36 bits of mantissa
        (1.5e-11). By default the smallest unsigned type that fits, and ``f6`` for fractions.

    Examples
    --------
    >>> pack([1, 2, 300])["t"], pack([0.5])["t"], pack([1, 2, 300])["n"]
    ('u2', 'f6', 3)
    """
    values = np.asarray(array)
    chosen = kind or _fitting(values)
    data = zlib.compress(planes(values, chosen), _LEVEL)
    return {"t": chosen, "n": values.size, "z": b64encode(data).decode("ascii")}


def pack_words(value: Any) -> dict[str, Any]:
    """Many sentences that are much alike, or any other JSON value, as one."""
    written = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    data = zlib.compress(written, _LEVEL)
    return {"t": "json", "n": len(written), "z": b64encode(data).decode("ascii")}
