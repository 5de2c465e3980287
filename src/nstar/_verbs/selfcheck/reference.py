"""Compare recomputed values with reference values, number by number."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

Inputs: TypeAlias = Mapping[str, Any]
"""Parsed JSON with the names of the reference file (pA, pB, N, …)."""

Evaluator: TypeAlias = Callable[[Inputs], Any]
"""Function that returns numbers, or dicts and lists of numbers, in the layout of the reference.
Infinity replaces null.
"""

_DIGITS_CAP = 15.0
"""Maximum number of digits. A double has 15 to 17, and more agreement is by chance."""


def _number(value: Any) -> float | str:
    """Return a float, with infinity in place of None; a description for any other value."""
    if value is None:
        return math.inf
    if isinstance(value, str):
        return value
    array = np.asarray(value)
    if array.ndim or array.dtype.kind not in "biuf":
        return f"not a number: {type(value).__name__}"
    return float(array)


def _child(got: Any, key: Any) -> Any:
    if isinstance(got, str):
        return got
    try:
        return got[key]
    except (IndexError, KeyError, TypeError):
        return "missing"


def _length(got: Any) -> int | None:
    """Return the length of a list or an array; None for anything else."""
    return len(got) if isinstance(got, Sequence) or np.ndim(got) else None


def leaves(got: Any, expected: Any, path: str = "") -> Iterator[tuple[str, float | str, float]]:
    """Yield path, actual value, and expected value of every number in ``expected``.

    Null becomes infinity on both sides. Missing values are described in words. Additional keys are
    ignored, but a list must have the same length.

    >>> list(leaves({"n": [1, 2]}, {"n": [1.0, None], "p": 0.5}))
    [('n[0]', 1.0, 1.0), ('n[1]', 2.0, inf), ('p', 'missing', 0.5)]
    """
    if isinstance(expected, Mapping):
        for key, value in expected.items():
            name = f"{path}.{key}" if path else str(key)
            yield from leaves(_child(got, key), value, name)
    elif isinstance(expected, Sequence):
        if not isinstance(got, str) and _length(got) != len(expected):
            got = f"not a list of {len(expected)} values"
        for i, value in enumerate(expected):
            yield from leaves(_child(got, i), value, f"{path}[{i}]")
    else:
        reference = _number(expected)
        yield path, _number(got), math.nan if isinstance(reference, str) else reference


def agrees(got: float | str, expected: float, tol: float) -> bool:
    """Return whether |got - expected| ≤ tol.

    Infinity agrees with infinity. Text agrees with nothing.

    >>> agrees(1.0, 1.1, 0.2), agrees(float("inf"), float("inf"), 0), agrees("missing", 1.0, 1)
    (True, True, False)
    """
    if isinstance(got, str):
        return False
    return got == expected or abs(got - expected) <= tol


def digits(got: float | str, expected: float) -> float:
    """Return the correct significant digits, from 0 to 15.

    These are -log10 of the relative error (McCullough 1998), or of the absolute error if
    ``expected`` is 0.

    >>> round(digits(3.1416, 3.14159265), 1), digits(0.5, 0.5), digits("missing", 1.0)
    (5.6, 15.0, 0.0)
    """
    if isinstance(got, str) or math.isnan(got):
        return 0.0
    if got == expected:
        return _DIGITS_CAP
    if math.isinf(got) or math.isinf(expected):
        return 0.0
    error = abs(got - expected) / (abs(expected) or 1.0)
    return min(_DIGITS_CAP, max(0.0, -math.log10(error)))
